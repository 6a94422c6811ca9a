//! The folders where libraries are looked for.

use std::path::PathBuf;

use crate::storage::Embedded;

/// Folders in the order of search, and the library inside the program, which comes last.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    /// A folder that holds libraries, or a library itself (a package folder or a `.mo` file).
    pub folders: Vec<PathBuf>,
    pub embedded: Option<Embedded>,
}

impl SearchPath {
    /// The given folders, then `MODELICAPATH`, then `~/.openmodelica/libraries`, then the
    /// embedded library.
    pub fn from_environment(folders: Vec<PathBuf>, embedded: Option<Embedded>) -> SearchPath {
        let mut path = SearchPath { folders, embedded };
        if let Some(list) = std::env::var_os("MODELICAPATH") {
            path.folders
                .extend(std::env::split_paths(&list).filter(|p| !p.as_os_str().is_empty()));
        }
        if let Some(home) = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")) {
            path.folders
                .push(PathBuf::from(home).join(".openmodelica").join("libraries"));
        }
        path
    }
}

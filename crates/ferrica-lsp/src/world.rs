//! What surrounds the open texts: libraries, the folders of the workspace, and files that have been read once.
//!
//! Texts of the editor are held in the cache in place of their files, so that every text sees the newest of all others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferrica::sources::library::BUILT_IN;
use ferrica_classes::{FileCache, Library, SearchPath};
use ferrica_ir::SourceMap;

use crate::position::Encoding;

#[derive(Clone)]
pub struct World {
    pub cache: Arc<FileCache>,
    /// Folders of libraries from the command line and the settings: never written.
    pub libs: Vec<PathBuf>,
    /// Folders that are open in the editor.
    pub roots: Vec<PathBuf>,
    pub encoding: Encoding,
}

impl World {
    /// Folders where libraries are looked for, for a text at this place.
    pub fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = package_root(path).into_iter().collect();
        let all = self.roots.iter().chain(&self.libs);
        for folder in all.filter(|f| f.exists()) {
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        folders
    }

    /// All classes that a text at this place can see.
    pub fn library(&self, path: &Path) -> Library {
        let sources = Arc::new(SourceMap::over(Arc::clone(self.cache.sources())));
        let path = SearchPath::from_environment(self.folders(path), Some(BUILT_IN));
        Library::with_cache(sources, path, Arc::clone(&self.cache))
    }

    /// The folders whose files may be changed for a text at this place: those of the workspace, else its own package or folder.
    pub fn own_folders(&self, path: &Path) -> Vec<PathBuf> {
        if self.roots.iter().any(|r| path.starts_with(r)) {
            return self.roots.clone();
        }
        outermost_package(path).into_iter().collect()
    }

    /// May a file be changed? Never one of a library.
    pub fn is_own(&self, file: &Path, path: &Path) -> bool {
        let own = self.own_folders(path).iter().any(|r| file.starts_with(r)) || file == path;
        let deeper =
            |lib: &PathBuf| file.starts_with(lib) && !self.roots.iter().any(|r| r.starts_with(lib));
        let writable = std::fs::metadata(file).map_or(true, |m| !m.permissions().readonly());
        own && writable && !self.libs.iter().any(deeper)
    }

    /// All source files of the workspace around a place, and the place itself.
    pub fn own_files(&self, path: &Path) -> Vec<PathBuf> {
        let mut files = vec![path.to_path_buf()];
        for folder in self.own_folders(path) {
            source_files(&folder, &mut files);
        }
        files.sort();
        files.dedup();
        files
    }
}

/// All `.mo` files below a folder; hidden folders are left out.
pub fn source_files(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden => source_files(&path, into),
            Ok(kind) if !kind.is_dir() && path.extension().is_some_and(|e| e == "mo") => {
                into.push(path)
            }
            _ => {}
        }
    }
}

/// The folder of the outermost package around a file.
pub fn outermost_package(path: &Path) -> Option<PathBuf> {
    let mut folder = path.parent();
    let mut found = None;
    while let Some(f) = folder.filter(|f| f.join("package.mo").is_file()) {
        found = Some(f.to_path_buf());
        folder = f.parent();
    }
    found
}

/// The folder that holds the outermost package around a file.
fn package_root(path: &Path) -> Option<PathBuf> {
    outermost_package(path)?.parent().map(Path::to_path_buf)
}

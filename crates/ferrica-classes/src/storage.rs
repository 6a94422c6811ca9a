//! Where library text is stored: folders on disk and the library inside the program.
//!
//! Both answer the same three questions: what is in this folder, is there such a file, and what
//! does it say.

use std::path::{Path, PathBuf};

/// Larger files are not read: the tree of a text takes some thirty times its memory, and two gigabytes are enough. The
/// largest file of the standard library has two megabytes.
const MAX_BYTES: u64 = 64 << 20;

/// Files of the built-in library: path with `/` (as in `Modelica/Blocks/package.mo`) and text.
pub type Embedded = &'static [(&'static str, &'static str)];

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Disk(PathBuf),
    /// A path inside the built-in library; the empty path is its top.
    Embedded(Embedded, String),
}

/// A member of a folder.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub is_folder: bool,
}

impl Place {
    pub fn join(&self, name: &str) -> Place {
        match self {
            Place::Disk(path) => Place::Disk(path.join(name)),
            Place::Embedded(files, path) if path.is_empty() => {
                Place::Embedded(files, name.to_owned())
            }
            Place::Embedded(files, path) => Place::Embedded(files, format!("{path}/{name}")),
        }
    }

    pub fn parent(&self) -> Option<Place> {
        match self {
            Place::Disk(path) => path.parent().map(|p| Place::Disk(p.to_path_buf())),
            Place::Embedded(files, path) => {
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                (!path.is_empty()).then(|| Place::Embedded(files, parent.to_owned()))
            }
        }
    }

    /// The last component of the path.
    pub fn file_name(&self) -> &str {
        match self {
            Place::Disk(path) => path.file_name().and_then(|n| n.to_str()).unwrap_or(""),
            Place::Embedded(_, path) => path.rsplit('/').next().unwrap_or(""),
        }
    }

    /// The place as messages show it.
    pub fn shown(&self) -> String {
        match self {
            Place::Disk(path) => path.display().to_string(),
            Place::Embedded(_, path) => format!("<built-in>/{path}"),
        }
    }

    pub fn is_file(&self) -> bool {
        match self {
            Place::Disk(path) => path.is_file(),
            Place::Embedded(files, path) => files.iter().any(|(p, _)| p == path),
        }
    }

    /// The members of a folder, sorted by name; none if it cannot be read.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = match self {
            Place::Disk(path) => disk_entries(path),
            Place::Embedded(files, path) => embedded_entries(files, path),
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|a, b| a.name == b.name);
        entries
    }

    /// The text of a file. Text that is not UTF-8 is read as Latin-1, which old libraries use.
    pub fn read(&self) -> std::io::Result<String> {
        match self {
            Place::Disk(path) => {
                let size = std::fs::metadata(path)?.len();
                if size > MAX_BYTES {
                    return Err(std::io::Error::other(format!(
                        "{} MiB are too much for one file, {} MiB are possible: make it a package with one file for each class",
                        size >> 20,
                        MAX_BYTES >> 20
                    )));
                }
                let bytes = std::fs::read(path)?;
                Ok(String::from_utf8(bytes)
                    .unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect()))
            }
            Place::Embedded(files, path) => files
                .iter()
                .find(|(p, _)| p == path)
                .map(|(_, text)| (*text).to_owned())
                .ok_or_else(|| std::io::ErrorKind::NotFound.into()),
        }
    }
}

fn disk_entries(path: &Path) -> Vec<Entry> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // A link to a folder counts as one, so the type of the entry alone does not decide.
            let kind = entry.file_type().ok()?;
            let is_folder = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
            Some(Entry { name, is_folder })
        })
        .collect()
}

fn embedded_entries(files: Embedded, path: &str) -> Vec<Entry> {
    let inside = |file: &'static str| match path {
        "" => Some(file),
        _ => file.strip_prefix(path)?.strip_prefix('/'),
    };
    files
        .iter()
        .filter_map(|(file, _)| {
            let rest = inside(file)?;
            let (name, is_folder) = match rest.split_once('/') {
                Some((folder, _)) => (folder, true),
                None => (rest, false),
            };
            Some(Entry {
                name: name.to_owned(),
                is_folder,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: Embedded = &[
        ("A/package.mo", "package A end A;"),
        ("A/B/x.mo", ""),
        ("C.mo", ""),
    ];

    #[test]
    fn embedded_folders() {
        let top = Place::Embedded(FILES, String::new());
        let names: Vec<_> = top
            .entries()
            .into_iter()
            .map(|e| (e.name, e.is_folder))
            .collect();
        assert_eq!(names, [("A".to_owned(), true), ("C.mo".to_owned(), false)]);
        let a = top.join("A");
        assert!(a.join("package.mo").is_file() && !a.is_file());
        assert_eq!(a.entries().len(), 2);
        assert_eq!(a.join("B").parent(), Some(a));
    }
}

//! Files of libraries that several [`crate::Library`]s share: read and parsed once, and again when they change.
//!
//! In: paths. Out: the tree of each, with the id of its text among the shared sources. A text that an editor holds takes the place of
//! the file on disk until it is closed. Costs one look at the time stamp of a file each time it is asked for.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use ferrica_ir::{Diagnostic, FileId, SourceMap};
use ferrica_syntax::ast::StoredDefinition;
use rustc_hash::FxHashMap;

use crate::storage::Place;

/// A file that has been read.
#[derive(Clone, Debug)]
pub struct ReadFile {
    pub file: FileId,
    pub text: Arc<str>,
    pub stored: StoredDefinition,
    pub errors: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stamp {
    /// Time of the last change and length.
    Disk(Option<SystemTime>, u64),
    /// The text of an editor.
    Held,
    /// In the program.
    Fixed,
}

#[derive(Debug)]
struct Known {
    stamp: Stamp,
    read: Arc<ReadFile>,
}

#[derive(Debug)]
pub struct FileCache {
    sources: Arc<SourceMap>,
    files: Mutex<FxHashMap<String, Known>>,
}

impl Default for FileCache {
    fn default() -> FileCache {
        FileCache {
            sources: Arc::new(SourceMap::shared()),
            files: Mutex::default(),
        }
    }
}

impl FileCache {
    /// The texts; put those of a compilation over them.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    fn files(&self) -> MutexGuard<'_, FxHashMap<String, Known>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of an editor stands for that of the file from now on.
    pub fn hold(&self, path: &Path, text: &str) {
        let name = Place::Disk(path.to_path_buf()).shown();
        self.keep(name, Stamp::Held, text.into());
    }

    /// The file on disk counts again.
    pub fn release(&self, path: &Path) {
        let name = Place::Disk(path.to_path_buf()).shown();
        if let Some(old) = self.files().remove(&name) {
            self.sources.forget(old.read.file);
        }
    }

    /// The text that an editor holds for a file.
    pub fn held(&self, path: &Path) -> Option<Arc<str>> {
        let name = Place::Disk(path.to_path_buf()).shown();
        let files = self.files();
        let known = files.get(&name).filter(|k| k.stamp == Stamp::Held)?;
        Some(Arc::clone(&known.read.text))
    }

    /// Forgets all files of libraries but those that editors hold.
    pub fn clear(&self) {
        self.files().retain(|_, known| {
            let held = known.stamp == Stamp::Held;
            if !held {
                self.sources.forget(known.read.file);
            }
            held
        });
    }

    pub(crate) fn read(&self, place: &Place) -> std::io::Result<Arc<ReadFile>> {
        let name = place.shown();
        let known = (self.files().get(&name)).map(|k| (k.stamp, Arc::clone(&k.read)));
        if let Some((Stamp::Held | Stamp::Fixed, read)) = known {
            return Ok(read);
        }
        let stamp = match place {
            Place::Embedded(..) => Stamp::Fixed,
            Place::Disk(path) => stamp(path)?,
        };
        if let Some((old, read)) = known
            && old == stamp
        {
            return Ok(read);
        }
        let text: Arc<str> = place.read()?.into();
        Ok(self.keep(name, stamp, text))
    }

    fn keep(&self, name: String, stamp: Stamp, text: Arc<str>) -> Arc<ReadFile> {
        let file = self.sources.add(name.as_str(), Arc::clone(&text));
        let (stored, errors) = ferrica_syntax::parse_tree(file, &text);
        let read = Arc::new(ReadFile {
            file,
            text,
            stored,
            errors,
        });
        let known = Known {
            stamp,
            read: Arc::clone(&read),
        };
        if let Some(old) = self.files().insert(name, known) {
            self.sources.forget(old.read.file);
        }
        read
    }
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let about = std::fs::metadata(path)?;
    Ok(Stamp::Disk(about.modified().ok(), about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_texts_come_before_files_until_they_are_released() {
        let folder = std::env::temp_dir().join(format!("ferrica-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("A.mo");
        std::fs::write(&path, "model A end A;").expect("a file");
        let cache = FileCache::default();
        let place = Place::Disk(path.clone());
        let name =
            |read: std::io::Result<Arc<ReadFile>>| read.expect("read").stored.classes[0].name;
        let first = cache.read(&place).expect("read");
        assert_eq!(cache.read(&place).expect("read").file, first.file);
        cache.hold(&path, "model B end B;");
        assert_eq!(name(cache.read(&place)).as_str(), "B");
        assert!(cache.sources().get(first.file).is_none());
        cache.release(&path);
        assert_eq!(name(cache.read(&place)).as_str(), "A");
        std::fs::write(&path, "model Changed end Changed;").expect("a file");
        assert_eq!(name(cache.read(&place)).as_str(), "Changed");
        std::fs::remove_dir_all(&folder).expect("removed");
        assert!(cache.read(&place).is_err());
    }
}

//! A file that is written beside the one it replaces.
//!
//! In: the name of the target. Out: a file `NAME.partial.EXT` in the same folder, which takes the target's name once it is
//! complete. Until then the target stays as it is, whatever happens to the process or the disk; what was written stays
//! under the name that says so. Two processes with the same target get two such files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Processes that may write the same target at a time.
const MOST_WRITERS: usize = 100;

pub struct Beside {
    file: File,
    path: PathBuf,
    target: PathBuf,
    /// Another run has left it: it stays until this one begins.
    was_there: bool,
}

/// `x.csv` → `x.partial.csv`, and for further writers `x.partial-2.csv`.
fn partial_name(target: &Path, writer: usize) -> PathBuf {
    let mut name = target.file_stem().unwrap_or_default().to_owned();
    match writer {
        1 => name.push(".partial"),
        n => name.push(format!(".partial-{n}")),
    }
    if let Some(extension) = target.extension() {
        name.push(".");
        name.push(extension);
    }
    target.with_file_name(name)
}

/// The name under which an incomplete file is found.
pub fn partial_of(target: &Path) -> PathBuf {
    partial_name(target, 1)
}

/// Is this a name that only incomplete files have?
pub fn is_partial(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let Some((_, end)) = stem.rsplit_once(".partial") else {
        return false;
    };
    let number = end.strip_prefix('-');
    end.is_empty() || number.is_some_and(|n| n.parse::<usize>().is_ok())
}

impl Beside {
    /// Makes sure that the file can be written; nothing changes before [`Beside::begin`].
    pub fn new(target: &Path) -> io::Result<Beside> {
        for writer in 1..=MOST_WRITERS {
            let path = partial_name(target, writer);
            if path.exists() && !path.is_file() {
                continue;
            }
            let beside = Beside::at(path, target.to_owned())?;
            match beside.file.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                // Without locks, two writers at a time cannot be told apart.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(beside),
            }
        }
        let text = format!("{MOST_WRITERS} other runs write it already");
        Err(io::Error::new(io::ErrorKind::ResourceBusy, text))
    }

    /// With a name for the file that is beside the target, which nobody else writes.
    pub fn at(path: PathBuf, target: PathBuf) -> io::Result<Beside> {
        let was_there = path.exists();
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path)?;
        Ok(Beside {
            file,
            path,
            target,
            was_there,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Forgets what another run has left.
    pub fn begin(&mut self) -> io::Result<()> {
        self.was_there = false;
        self.file.set_len(0)
    }

    /// Takes the target's place, with its permissions.
    pub fn complete(self) -> io::Result<()> {
        if let Ok(old) = fs::metadata(&self.target) {
            // A file system without permissions has none to keep.
            let _ = self.file.set_permissions(old.permissions());
        }
        fs::rename(&self.path, &self.target)
    }

    /// Leaves nothing behind.
    pub fn discard(self) {
        if !self.was_there {
            // Nobody can be helped by knowing that this failed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn names() {
        let name = |target: &str, n| partial_name(Path::new(target), n);
        assert_eq!(name("a/x.csv", 1), Path::new("a/x.partial.csv"));
        assert_eq!(name("A.B.csv", 2), Path::new("A.B.partial-2.csv"));
        assert_eq!(name("x", 1), Path::new("x.partial"));
        for (path, partial) in [
            ("a/x.partial.mat", true),
            ("x.partial-2.csv", true),
            ("x.partials.csv", false),
            ("partial.csv", false),
            ("x.csv", false),
        ] {
            assert_eq!(is_partial(Path::new(path)), partial, "{path}");
        }
    }

    #[test]
    fn the_target_changes_only_when_the_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        fs::write(&target, "old").unwrap();
        let mut first = Beside::new(&target).unwrap();
        let mut second = Beside::new(&target).unwrap();
        assert_ne!(first.path(), second.path());
        first.begin().unwrap();
        first.file().write_all(b"first").unwrap();
        second.begin().unwrap();
        second.file().write_all(b"second").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        second.complete().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"second");
        first.discard();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A run that does not come to its first row leaves the rows of the one before.
    #[test]
    fn what_another_run_left_stays_until_this_one_begins() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.csv");
        let left = folder.path().join("x.partial.csv");
        fs::write(&left, "rows").unwrap();
        Beside::new(&target).unwrap().discard();
        assert_eq!(fs::read(&left).unwrap(), b"rows");
        let mut next = Beside::new(&target).unwrap();
        next.begin().unwrap();
        assert_eq!(fs::read(&left).unwrap(), b"");
        next.discard();
        assert!(!left.exists());
    }
}

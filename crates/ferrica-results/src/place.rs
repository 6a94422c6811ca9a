//! Where a file may be written.
//!
//! In: the name that the user gave, and the files that the command reads. Out: a [`Place`], or the reason why nothing may be
//! written there: a folder, a disk, a write-protected file, an input of the command, a folder that does not exist. All
//! commands ask here, before they begin to work.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{Beside, ResultError};

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `-`
    StandardOutput,
    /// A pipe, a terminal or `/dev/null`: written as it comes.
    Stream(PathBuf),
    /// A file, there already or not; links are followed.
    File(PathBuf),
}

impl Place {
    /// What a name means, and whether it may be written; `inputs` are what the command reads.
    pub fn of(path: &Path, inputs: &[&Path]) -> Result<Place, ResultError> {
        if path == Path::new("-") {
            return Ok(Place::StandardOutput);
        }
        let refused = |what: &str| Err(ResultError::format(path, what));
        let there = match fs::metadata(path) {
            Ok(there) => there,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return new_file(path),
            Err(e) => return Err(ResultError::io(path, e)),
        };
        if there.is_dir() {
            return refused("this is a folder, not a file");
        }
        if is_disk(&there) {
            return refused("this is a disk, not a file");
        }
        if is_stream(&there) || path.starts_with("/dev") || path.starts_with("/proc") {
            return Ok(Place::Stream(path.to_owned()));
        }
        let is_input = |input: &&Path| is_same(&there, path, input);
        if inputs.iter().any(is_input) {
            return refused("the command reads this file: it would be overwritten");
        }
        if there.permissions().readonly() {
            return refused("the file is write-protected");
        }
        let real = fs::canonicalize(path).map_err(|e| ResultError::io(path, e))?;
        Ok(Place::File(real))
    }

    /// Writes a whole file, or nothing: what was there before stays until the new content is complete.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        match self {
            Place::StandardOutput => match io::stdout().lock().write_all(content) {
                // A reader that went away is no failure.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written,
            },
            Place::Stream(path) => File::options().write(true).open(path)?.write_all(content),
            Place::File(path) => {
                let mut beside = Beside::new(path)?;
                beside.begin()?;
                let written = beside.file().write_all(content);
                match written {
                    Ok(()) => beside.complete(),
                    Err(e) => {
                        beside.discard();
                        Err(e)
                    }
                }
            }
        }
    }
}

/// Writes a whole file at once; see [`Place`].
pub fn write_file(path: &Path, inputs: &[&Path], content: &[u8]) -> Result<(), ResultError> {
    let written = Place::of(path, inputs)?.write(content);
    written.map_err(|e| ResultError::io(path, e))
}

/// Nothing is there: its folder must be.
fn new_file(path: &Path) -> Result<Place, ResultError> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(ResultError::format(
            path,
            "this is a link that leads nowhere",
        ));
    }
    if path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(ResultError::format(path, "this is no name of a file"));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let what = format!("there is no folder {}", folder.display());
            Err(ResultError::format(path, what))
        }
        _ => Ok(Place::File(path.to_owned())),
    }
}

#[cfg(unix)]
fn is_disk(there: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&there.file_type())
}

#[cfg(unix)]
fn is_stream(there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = there.file_type();
    kind.is_char_device() || kind.is_fifo() || kind.is_socket()
}

/// The same file, by whatever name.
#[cfg(unix)]
fn is_same(there: &Metadata, _: &Path, input: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(input).is_ok_and(|m| (m.dev(), m.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_disk(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_stream(there: &Metadata) -> bool {
    !there.is_file()
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, path: &Path, input: &Path) -> bool {
    matches!((fs::canonicalize(path), fs::canonicalize(input)), (Ok(a), Ok(b)) if a == b)
}

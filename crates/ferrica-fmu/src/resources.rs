//! Where the files of an FMU are.

use std::path::{Path, PathBuf};

use crate::payload::{FILE, Payload};

/// The folder behind a `file:` URI, or a plain path. An importer that names none has unpacked the archive as it is: the resources are beside the folder of this library.
pub fn folder(location: &str) -> Result<PathBuf, String> {
    if location.is_empty() {
        return beside_library().ok_or_else(|| "the place of the resources is not told".to_owned());
    }
    let Some(rest) = location.strip_prefix("file:") else {
        return Ok(PathBuf::from(location));
    };
    // `file:/p`, `file:///p` and `file://localhost/p` are one place.
    let path = match rest.strip_prefix("//") {
        Some(with_host) => {
            let at = with_host.find('/').unwrap_or(with_host.len());
            let (host, path) = with_host.split_at(at);
            if !(host.is_empty() || host == "localhost") {
                return Err(format!("the resources are on another machine: {location}"));
            }
            path
        }
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, more @ ..] = rest {
        let code = more.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match code.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8(bytes)
        .map(PathBuf::from)
        .map_err(|_| format!("the place of the resources is no path: {location}"))
}

/// `resources` of the archive that has this library in `binaries/PLATFORM`.
#[cfg(unix)]
fn beside_library() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    // SAFETY: a structure of pointers and numbers, for which zeros are valid.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is that of a function of this library, and the structure is ours.
    let found = unsafe { libc::dladdr(folder as *const libc::c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: what the loader names is a text that lives as long as the library is loaded.
    let name = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    let library = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let archive = library.parent()?.parent()?.parent()?;
    Some(archive.join("resources"))
}

#[cfg(not(unix))]
fn beside_library() -> Option<PathBuf> {
    None
}

/// The stored model in a folder.
pub fn load(folder: &Path, token: &str) -> Result<Payload, String> {
    let file = folder.join(FILE);
    let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    Payload::from_bytes(&bytes, token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        let of = |text: &str| folder(text).unwrap().display().to_string();
        assert_eq!(of("file:///tmp/a%20b/%C3%A4"), "/tmp/a b/ä");
        assert_eq!(of("file:/tmp/x"), "/tmp/x");
        assert_eq!(of("file://localhost/tmp/x"), "/tmp/x");
        assert_eq!(of("/tmp/100%"), "/tmp/100%");
        assert!(folder("file://elsewhere/tmp").is_err());
    }
}

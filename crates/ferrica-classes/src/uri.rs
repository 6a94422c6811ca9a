//! `modelica://` and `file://` addresses of resources.

use std::path::PathBuf;

use ferrica_ir::Symbol;

use crate::library::Library;
use crate::storage::Place;

/// What an address points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A path on disk, whether or not something exists there.
    File(PathBuf),
    /// A file of the built-in library.
    Embedded(&'static str),
}

impl Library {
    /// Resolves `modelica://Package.Name/path`, `file:///path` or a plain path. `None` if the
    /// package is unknown or the built-in library has no such file.
    pub fn resolve_uri(&self, uri: &str) -> Option<Resource> {
        if let Some(path) = strip_scheme(uri, "file://") {
            return Some(Resource::File(PathBuf::from(percent_decode(path))));
        }
        let Some(address) = strip_scheme(uri, "modelica://") else {
            return Some(Resource::File(PathBuf::from(uri)));
        };
        let (package, path) = address.split_once('/').unwrap_or((address, ""));
        let mut parts = package.split('.').map(Symbol::intern);
        let mut class = self.root_class(parts.next()?)?;
        for part in parts {
            class = self.child(class, part)?;
        }
        let mut place = self.folder_of(class)?;
        for step in percent_decode(path)
            .split('/')
            .filter(|s| !s.is_empty() && *s != ".")
        {
            place = if step == ".." {
                place.parent()?
            } else {
                place.join(step)
            };
        }
        match place {
            // What ends with a slash is the beginning of a longer name.
            Place::Disk(path) if address.ends_with('/') => Some(Resource::File(path.join(""))),
            Place::Disk(path) => Some(Resource::File(path)),
            Place::Embedded(files, path) => files
                .iter()
                .find(|(p, _)| *p == path)
                .map(|(_, text)| Resource::Embedded(text)),
        }
    }
}

/// Schemes are written in any case.
fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let head = uri.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme)
        .then(|| &uri[scheme.len()..])
}

fn percent_decode(text: &str) -> String {
    let hex = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if let [b'%', high, low, ..] = bytes[at..]
            && let (Some(high), Some(low)) = (hex(high), hex(low))
        {
            decoded.push(high * 16 + low);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_and_scheme() {
        assert_eq!(percent_decode("a%20b%2"), "a b%2");
        assert_eq!(strip_scheme("Modelica://X/y", "modelica://"), Some("X/y"));
        assert_eq!(strip_scheme("é", "modelica://"), None);
    }
}

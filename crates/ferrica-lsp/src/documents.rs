//! The texts that are open in the editor, by their address.

use std::path::PathBuf;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use rustc_hash::FxHashMap;

use crate::position::{Encoding, Text};

pub struct Document {
    pub text: Text,
    pub version: i32,
    pub uri: Uri,
    /// Where it is on disk; the address itself for others.
    pub path: PathBuf,
}

#[derive(Default)]
pub struct Documents {
    open: FxHashMap<String, Document>,
}

impl Documents {
    pub fn open(&mut self, uri: &Uri, version: i32, text: String, encoding: Encoding) {
        let document = Document {
            text: Text::new(text, encoding),
            version,
            uri: uri.clone(),
            path: path_of(uri),
        };
        self.open.insert(uri.as_str().to_owned(), document);
    }

    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(uri.as_str()) else {
            return;
        };
        for change in changes {
            document.text = match change.range {
                Some(range) => document.text.edited(range, &change.text),
                None => Text::new(change.text, encoding),
            };
        }
        document.version = version;
    }

    pub fn close(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
    }

    pub fn all(&self) -> impl Iterator<Item = &Document> {
        self.open.values()
    }

    pub fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }
}

/// The path of a `file:` address, with its escapes resolved.
pub fn path_of(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else {
        return PathBuf::from(text);
    };
    let mut bytes = Vec::with_capacity(rest.len());
    let raw = rest.as_bytes();
    let mut at = 0;
    while at < raw.len() {
        let escape = (raw[at] == b'%')
            .then(|| rest.get(at + 1..at + 3))
            .flatten();
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                at += 3;
            }
            None => {
                bytes.push(raw[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// The address of a file.
pub fn uri_of(path: &std::path::Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let mut text = String::from("file://");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte))
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text.parse().ok()
}

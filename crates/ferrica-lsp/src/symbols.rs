//! Workspace symbols: all classes of the workspace and of the libraries around it, by a part of their name.
//!
//! A thread reads the files once and keeps only names and places, so that a question costs a pass over the names. A file that changes
//! is read again when the editor says so.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ferrica_ir::FileId;
use ferrica_syntax::ast::{ClassDef, ElementKind};
use ferrica_syntax::parse_tree;
use lsp_types::{Location, OneOf, SymbolKind, Uri, WorkspaceSymbol};
use rustc_hash::FxHashMap;

use crate::documents::uri_of;
use crate::outline;
use crate::position::{Encoding, Text};
use crate::world::source_files;

/// As many as an editor shows.
const MOST: usize = 200;

struct Entry {
    name: Box<str>,
    lower: Box<str>,
    /// The package around it.
    around: Arc<str>,
    kind: SymbolKind,
    range: lsp_types::Range,
}

#[derive(Default)]
pub struct Index {
    files: Mutex<FxHashMap<PathBuf, (Option<Uri>, Vec<Entry>)>>,
}

impl Index {
    fn files(&self) -> MutexGuard<'_, FxHashMap<PathBuf, (Option<Uri>, Vec<Entry>)>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all files below the folders, on a thread of its own.
    pub fn build(self: &Arc<Self>, folders: Vec<PathBuf>, encoding: Encoding) {
        let index = Arc::clone(self);
        let work = move || {
            let mut files = Vec::new();
            for folder in &folders {
                match folder.is_file() {
                    true => files.push(folder.clone()),
                    false => source_files(folder, &mut files),
                }
            }
            files.sort();
            files.dedup();
            for path in files {
                index.read(&path, encoding);
            }
        };
        // Without the thread there is no answer, and all else goes on.
        let _ = std::thread::Builder::new()
            .name("symbols".into())
            .stack_size(64 << 20)
            .spawn(work);
    }

    /// Reads a file again; one that is gone has no symbols.
    pub fn read(&self, path: &Path, encoding: Encoding) {
        match std::fs::read_to_string(path) {
            Ok(text) => self.put(path, &text, encoding),
            Err(_) => {
                self.files().remove(path);
            }
        }
    }

    pub fn put(&self, path: &Path, text: &str, encoding: Encoding) {
        let (stored, _) = parse_tree(FileId(0), text);
        let around: Arc<str> = stored
            .within
            .map(|w| w.to_string())
            .unwrap_or_default()
            .into();
        let text = Text::new(text.to_owned(), encoding);
        let mut entries = Vec::new();
        for class in &stored.classes {
            gather(class, &around, &text, &mut entries);
        }
        entries.shrink_to_fit();
        self.files()
            .insert(path.to_path_buf(), (uri_of(path), entries));
    }

    /// The classes whose name fits best: the name itself, what begins with it, what contains it; `A.b` asks for packages too.
    pub fn find(&self, query: &str) -> Vec<WorkspaceSymbol> {
        let wanted = query.to_lowercase();
        let (around, wanted) = match wanted.rsplit_once('.') {
            Some((around, name)) => (around.to_owned(), name.to_owned()),
            None => (String::new(), wanted),
        };
        let files = self.files();
        let mut hits: Vec<(u8, usize, &Entry, &Uri)> = Vec::new();
        for (uri, entries) in files.values() {
            let Some(uri) = uri else { continue };
            for entry in entries {
                let rank = match entry.lower.find(&*wanted) {
                    Some(0) if entry.lower.len() == wanted.len() => 0,
                    Some(0) => 1,
                    Some(_) => 2,
                    None => continue,
                };
                if around.is_empty() || entry.around.to_lowercase().ends_with(&around) {
                    hits.push((rank, entry.name.len() + entry.around.len(), entry, uri));
                }
            }
        }
        let order = |a: &(u8, usize, &Entry, &Uri), b: &(u8, usize, &Entry, &Uri)| {
            let name = |x: &(u8, usize, &Entry, &Uri)| {
                (x.0, x.1, x.2.around.to_string(), x.2.name.to_string())
            };
            name(a).cmp(&name(b))
        };
        if hits.len() > MOST {
            hits.select_nth_unstable_by(MOST, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
            hits.truncate(MOST);
        }
        hits.sort_by(order);
        (hits.into_iter())
            .map(|(_, _, entry, uri)| WorkspaceSymbol {
                name: entry.name.to_string(),
                kind: entry.kind,
                tags: None,
                container_name: (!entry.around.is_empty()).then(|| entry.around.to_string()),
                location: OneOf::Left(Location::new(uri.clone(), entry.range)),
                data: None,
            })
            .collect()
    }
}

fn gather(def: &ClassDef, around: &Arc<str>, text: &Text, out: &mut Vec<Entry>) {
    let name = def.name.as_str();
    out.push(Entry {
        name: name.into(),
        lower: name.to_lowercase().into(),
        around: Arc::clone(around),
        kind: outline::kind(def.kind),
        range: text.range(def.name_span.start as usize, def.name_span.end as usize),
    });
    let mut inside: Option<Arc<str>> = None;
    for element in def.elements() {
        if let ElementKind::Class(inner) = &element.kind {
            let path = inside.get_or_insert_with(|| match around.is_empty() {
                true => name.into(),
                false => format!("{around}.{name}").into(),
            });
            gather(inner, path, text, out);
        }
    }
}

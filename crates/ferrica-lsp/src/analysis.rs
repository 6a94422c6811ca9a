//! The compiler's view of one open text: its tokens and tree, and the classes of all libraries around it.
//!
//! Made anew for every version of the text. Libraries are read on demand, so this costs what the question needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferrica::library::BUILT_IN;
use ferrica_classes::{ClassId, Library, SearchPath};
use ferrica_ir::{FileId, SourceMap, Span};
use ferrica_syntax::ast::{ClassDef, ElementKind};

use crate::documents::Document;

pub struct Analysis {
    pub library: Library,
    /// Classes at the top of the text.
    pub classes: Vec<ClassId>,
    /// The text itself among the sources.
    pub file: FileId,
}

impl Analysis {
    /// `libs`: folders of libraries from the settings of the client.
    pub fn new(document: &Document, libs: &[PathBuf]) -> Analysis {
        let sources = Arc::new(SourceMap::new());
        let mut folders = package_roots(&document.path);
        folders.extend_from_slice(libs);
        let path = SearchPath::from_environment(folders, Some(BUILT_IN));
        let library = Library::new(Arc::clone(&sources), path);
        let name = document.path.display().to_string();
        let classes = library.add_unfinished(&name, document.text.content.as_str());
        let file = classes
            .first()
            .map_or(FileId(0), |&c| library.def(c).name_span.file);
        Analysis {
            library,
            classes,
            file,
        }
    }

    /// The innermost class whose text has this byte.
    pub fn class_at(&self, offset: usize) -> Option<ClassId> {
        let has = |def: &ClassDef| contains(def.span, offset);
        // Behind the last class that could be read, one is still being written.
        let begun = |c: &&ClassId| self.library.def(**c).span.start as usize <= offset;
        let around = self.classes.iter().find(|&&c| has(self.library.def(c)));
        let mut at = *around.or_else(|| self.classes.iter().rfind(begun))?;
        loop {
            let inner = self
                .library
                .def(at)
                .elements()
                .iter()
                .find_map(|e| match &e.kind {
                    ElementKind::Class(c) if has(c) => self.library.child(at, c.name),
                    _ => None,
                });
            match inner {
                Some(class) => at = class,
                None => return Some(at),
            }
        }
    }

    /// All classes of the text, outer ones first.
    pub fn all_classes(&self) -> Vec<ClassId> {
        let mut all = self.classes.clone();
        let mut next = 0;
        while let Some(&class) = all.get(next) {
            for element in self.library.def(class).elements() {
                if let ElementKind::Class(c) = &element.kind
                    && let Some(id) = self.library.child(class, c.name)
                {
                    all.push(id);
                }
            }
            next += 1;
        }
        all
    }
}

pub fn contains(span: Span, offset: usize) -> bool {
    (span.start as usize..=span.end as usize).contains(&offset)
}

/// The folder that holds the outermost package around a file.
fn package_roots(path: &Path) -> Vec<PathBuf> {
    let mut folder = path.parent();
    let mut root = None;
    while let Some(f) = folder.filter(|f| f.join("package.mo").is_file()) {
        root = f.parent().map(Path::to_path_buf);
        folder = f.parent();
    }
    root.into_iter().collect()
}

//! The compiler's view of one text: its classes, and those of all libraries around it.
//!
//! Libraries are read on demand and shared through the cache, so this costs what the question needs.

use std::path::Path;

use ferrica_classes::{ClassId, Library};
use ferrica_ir::{FileId, Span, Symbol};
use ferrica_syntax::ast::{ClassDef, ElementKind};

use crate::world::{World, outermost_package};

pub struct Analysis {
    pub library: Library,
    /// Classes at the top of the text.
    pub classes: Vec<ClassId>,
    /// The text itself among the sources.
    pub file: FileId,
}

impl Analysis {
    pub fn new(path: &Path, text: &str, world: &World) -> Analysis {
        let library = world.library(path);
        // A member of a package is found by its place in the package, which knows all its other members.
        let mut classes: Vec<ClassId> = class_of_file(&library, path).into_iter().collect();
        if classes.is_empty() {
            classes = library.add_unfinished(&path.display().to_string(), text);
        }
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

/// The class that a file of a package holds, if the library has read it from there.
pub fn class_of_file(library: &Library, path: &Path) -> Option<ClassId> {
    let class = member_of_package(library, path)?;
    let file = library.def(class).name_span.file;
    let source = library.sources().get(file)?;
    (source.name == path.display().to_string()).then_some(class)
}

/// The class that a file of a package folder holds, by its place.
fn member_of_package(library: &Library, path: &Path) -> Option<ClassId> {
    let top = outermost_package(path)?;
    let name_of = |p: &Path| p.file_name().and_then(|n| n.to_str()).map(str::to_owned);
    let root = name_of(&top)?;
    // A folder may have its version behind its name.
    let root = root.split(' ').next().unwrap_or_default();
    let mut class = library.root_class(Symbol::intern(root))?;
    let inside = path.strip_prefix(&top).ok()?;
    for step in inside.iter() {
        let step = step.to_str()?;
        if step == "package.mo" {
            break;
        }
        class = library.child(
            class,
            Symbol::intern(step.strip_suffix(".mo").unwrap_or(step)),
        )?;
    }
    Some(class)
}

pub fn contains(span: Span, offset: usize) -> bool {
    (span.start as usize..=span.end as usize).contains(&offset)
}

//! Where libraries and classes are stored: which file holds a class, and what it says when it is read.

use std::sync::{Arc, OnceLock};

use ferrica_ir::{Diagnostic, FileId, Span, Symbol};
use ferrica_syntax::ast::{
    ClassBody, ClassDef, ClassKind, ElementKind, ElementPrefixes, LongBody, StoredDefinition,
};
use rustc_hash::FxHashMap;

use super::{Children, ClassEntry, Library, Required, Root, Stored, read, write};
use crate::class_id::ClassId;
use crate::storage::{Entry, Place};
use crate::version;

impl Library {
    /// The library of that name: in the version that is required if it is there, else in the first
    /// place that has it, without a version or in the newest one.
    pub(super) fn locate_root(&self, name: Symbol) -> Option<Stored> {
        let required = read(&self.required).get(&name).map(|r| r.version.clone());
        let mut best: Option<(Option<String>, Stored)> = None;
        for root in read(&self.roots).iter() {
            let mut candidates = root.candidates(name.as_str());
            let exact = candidates
                .iter()
                .position(|(v, _)| v.is_some() && *v == required);
            if let Some(exact) = exact {
                return Some(candidates.swap_remove(exact).1);
            }
            candidates.sort_by(|(a, _), (b, _)| match (a, b) {
                (Some(a), Some(b)) => version::compare(b, a),
                _ => a.is_some().cmp(&b.is_some()),
            });
            if best.is_none() {
                best = candidates.into_iter().next();
            }
        }
        best.map(|(_, stored)| stored)
    }

    pub(super) fn load(&self, entry: &ClassEntry) -> Arc<ClassDef> {
        let file_place = match &entry.stored {
            Stored::Folder(folder) => folder.join("package.mo"),
            Stored::File(file) => file.clone(),
            // The definition of such a class is set when it is made.
            Stored::Inside => return Arc::new(empty_class(entry.name, Span::NONE)),
        };
        let shown = file_place.shown();
        let read = match self.read_file(&file_place) {
            Ok(read) => read,
            Err(error) => {
                self.report(cannot_read(&shown, &error, Span::NONE));
                return Arc::new(empty_class(entry.name, Span::NONE));
            }
        };
        let (file, stored) = (read.file, &read.stored);
        let has_errors = !read.errors.is_empty();
        read.errors.iter().for_each(|e| self.report(e.clone()));
        self.check_within(entry, file, stored);
        if let Some(class) = stored.classes.iter().find(|c| c.name == entry.name) {
            if entry.parent.is_none() {
                self.note_uses(class);
                self.check_version(class);
            }
            return class.clone();
        }
        let span = stored
            .classes
            .first()
            .map_or(Span::new(file, 0, 0), |class| class.name_span);
        if !has_errors {
            let message = format!("this file should define a class named `{}`", entry.name);
            let error = Diagnostic::error("E0253", span, message)
                .with_hint("a file in a package folder has the name of its class");
            self.report(error);
        }
        Arc::new(empty_class(entry.name, span))
    }

    fn check_within(&self, entry: &ClassEntry, file: FileId, stored: &StoredDefinition) {
        let expected = entry
            .parent
            .map_or(String::new(), |parent| self.full_name(parent));
        let Some(within) = &stored.within else { return };
        if within.to_string() != expected {
            let message = format!("`within {within}` does not fit the folder of this file");
            let warning = Diagnostic::warning(
                "W0203",
                Span {
                    file,
                    ..within.span
                },
                message,
            )
            .with_hint(format!("write `within {expected};`"));
            self.report(warning);
        }
    }

    /// Remembers the versions in `annotation(uses(Modelica(version = "4.1.0")))`.
    pub(super) fn note_uses(&self, class: &ClassDef) {
        let uses = class.annotation.as_ref().and_then(|a| a.find("uses"));
        let Some(uses) = uses.and_then(|uses| uses.modification.as_ref()) else {
            return;
        };
        for arg in &uses.args {
            let ferrica_syntax::ast::Argument::Modifier(library) = arg else {
                continue;
            };
            if let (Some(name), Some(version)) = (
                library.path.first(),
                library.find("version").and_then(|v| v.string()),
            ) {
                let required = Required {
                    version: version.to_owned(),
                    span: library.span,
                };
                write(&self.required).entry(*name).or_insert(required);
            }
        }
    }

    /// Warns when the library found has another major version than the one that is used.
    fn check_version(&self, class: &ClassDef) {
        let found = class.annotation.as_ref().and_then(|a| a.find("version"));
        let Some(found) = found.and_then(|v| v.string()) else {
            return;
        };
        let required = read(&self.required);
        let Some(wanted) = required.get(&class.name) else {
            return;
        };
        if version::major(found) != version::major(&wanted.version) {
            let message = format!(
                "{} {} is used, but version {found} was found",
                class.name, wanted.version
            );
            self.report(
                Diagnostic::warning("W0202", wanted.span, message)
                    .with_hint("give the folder of the right version with `--lib`"),
            );
        }
    }

    pub(super) fn listed_children(&self, class: ClassId) -> &Children {
        self.entry(class)
            .children
            .get_or_init(|| self.list_children(class))
    }

    fn list_children(&self, class: ClassId) -> Children {
        let mut children = Children::default();
        for element in self.def(class).elements() {
            let ElementKind::Class(def) = &element.kind else {
                continue;
            };
            children.by_name.entry(def.name).or_insert_with(|| {
                let known = OnceLock::from(def.clone());
                let id = self.new_class(def.name, Some(class), Stored::Inside, known);
                children.order.push(id);
                id
            });
        }
        let Stored::Folder(folder) = &self.entry(class).stored else {
            return children;
        };
        for entry in folder.entries() {
            let Some((name, stored)) = member(folder, &entry) else {
                continue;
            };
            let name = Symbol::intern(name);
            children.by_name.entry(name).or_insert_with(|| {
                let id = self.new_class(name, Some(class), stored, OnceLock::new());
                children.order.push(id);
                id
            });
        }
        self.sort_by_package_order(folder, &mut children.order);
        children
    }

    /// Classes that `package.order` does not name come last, in the order they have.
    fn sort_by_package_order(&self, folder: &Place, order: &mut [ClassId]) {
        let Ok(text) = folder.join("package.order").read() else {
            return;
        };
        let ranks: FxHashMap<&str, usize> = text
            .lines()
            .enumerate()
            .map(|(rank, line)| (line.trim(), rank))
            .collect();
        order.sort_by_key(|id| {
            ranks
                .get(self.name(*id).as_str())
                .copied()
                .unwrap_or(usize::MAX)
        });
    }
}

impl Root {
    pub(super) fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| self.place.entries())
    }

    /// All libraries of that name in this place, with the version in their folder's name.
    fn candidates(&self, name: &str) -> Vec<(Option<String>, Stored)> {
        let mut found = Vec::new();
        // The place may be a library itself.
        let (own, version) = version::split_folder_name(self.place.file_name());
        let own_version = version.map(str::to_owned);
        if own.strip_suffix(".mo") == Some(name) && self.place.is_file() {
            found.push((own_version, Stored::File(self.place.clone())));
        } else if own == name && self.place.join("package.mo").is_file() {
            found.push((own_version, Stored::Folder(self.place.clone())));
        }
        for entry in self.entries() {
            if library_name(entry).is_some_and(|(n, _)| n == name)
                && let Some((_, stored)) = member(&self.place, entry)
            {
                let version = library_name(entry).and_then(|(_, v)| v).map(str::to_owned);
                found.push((version, stored));
            }
        }
        found
    }
}

/// Name and version of the library that a folder or file in a search place may be.
pub(super) fn library_name(entry: &Entry) -> Option<(&str, Option<&str>)> {
    let stem = if entry.is_folder {
        &entry.name
    } else {
        entry.name.strip_suffix(".mo")?
    };
    Some(version::split_folder_name(stem))
}

/// The class that a member of a package folder stores, if it stores one.
fn member<'e>(folder: &Place, entry: &'e Entry) -> Option<(&'e str, Stored)> {
    let place = folder.join(&entry.name);
    if entry.is_folder {
        let stored = place.join("package.mo").is_file();
        return stored.then_some((entry.name.as_str(), Stored::Folder(place)));
    }
    let name = entry.name.strip_suffix(".mo")?;
    (name != "package").then_some((name, Stored::File(place)))
}

pub(super) fn cannot_read(shown: &str, error: &std::io::Error, span: Span) -> Diagnostic {
    Diagnostic::error("E0251", span, format!("cannot read `{shown}`: {error}"))
}

/// Stands for a class whose file cannot be read.
fn empty_class(name: Symbol, span: Span) -> ClassDef {
    ClassDef {
        name,
        name_span: span,
        kind: ClassKind::Class,
        partial: false,
        encapsulated: false,
        prefixes: ElementPrefixes::default(),
        purity: None,
        body: ClassBody::Long(Box::<LongBody>::default()),
        comment: None,
        annotation: None,
        constrained_by: None,
        span,
    }
}

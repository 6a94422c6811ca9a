//! All classes that a compilation can see.
//!
//! In: the search path, and the user's texts. Out: classes by id, with parent, children and
//! definition. A file is read and parsed when a class in it is asked for, never before; asking for
//! `Modelica.Blocks` reads `Modelica/package.mo` and `Modelica/Blocks/package.mo`.
//!
//! Invariants: ids are dense and in order of discovery; a class keeps its id; the user's classes
//! come before libraries of the same name; what is wrong with a file that was read on demand is
//! collected and handed out once by [`Library::take_diagnostics`].

mod stored;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use cranelift_entity::EntityRef;
use ferrica_ir::{Diagnostic, FileId, SourceMap, Span, Symbol};
use ferrica_syntax::ast::{ClassDef, StoredDefinition};
use rustc_hash::FxHashMap;

use crate::append_vec::AppendVec;
use crate::class_id::ClassId;
use crate::file_cache::{FileCache, ReadFile};
use crate::search_path::SearchPath;
use crate::storage::{Entry, Place};
use crate::version;
use stored::{cannot_read, library_name};

/// Where the text of a class is.
#[derive(Clone, Debug)]
enum Stored {
    /// In the text of the enclosing class, or in a text that the user gave.
    Inside,
    /// In a `.mo` file of its own.
    File(Place),
    /// In the `package.mo` of this folder, whose other members are its children.
    Folder(Place),
}

struct ClassEntry {
    name: Symbol,
    parent: Option<ClassId>,
    stored: Stored,
    def: OnceLock<Arc<ClassDef>>,
    children: OnceLock<Children>,
}

#[derive(Default)]
struct Children {
    by_name: FxHashMap<Symbol, ClassId>,
    order: Vec<ClassId>,
}

/// A place where libraries are searched; its members are listed once.
struct Root {
    place: Place,
    entries: OnceLock<Vec<Entry>>,
}

/// A library that is wanted in a certain version.
struct Required {
    version: String,
    span: Span,
}

pub struct Library {
    sources: Arc<SourceMap>,
    roots: RwLock<Vec<Arc<Root>>>,
    classes: AppendVec<ClassEntry>,
    /// Answers of `root_class`, the user's classes among them.
    top: RwLock<FxHashMap<Symbol, Option<ClassId>>>,
    /// Classes that the user put into packages with `within`.
    added: RwLock<FxHashMap<(ClassId, Symbol), ClassId>>,
    required: RwLock<FxHashMap<Symbol, Required>>,
    diagnostics: Mutex<Vec<Diagnostic>>,
    folder: OnceLock<PathBuf>,
    /// Files that other libraries have read already.
    cache: Option<Arc<FileCache>>,
}

/// A panic elsewhere leaves these maps consistent, so a poisoned lock is still good.
fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    pub fn new(sources: Arc<SourceMap>, path: SearchPath) -> Library {
        let folders = path.folders.into_iter().map(Place::Disk);
        let embedded = path
            .embedded
            .map(|files| Place::Embedded(files, String::new()));
        let root = |place| {
            Arc::new(Root {
                place,
                entries: OnceLock::new(),
            })
        };
        Library {
            sources,
            roots: RwLock::new(folders.chain(embedded).map(root).collect()),
            classes: AppendVec::default(),
            top: RwLock::default(),
            added: RwLock::default(),
            required: RwLock::default(),
            diagnostics: Mutex::default(),
            folder: OnceLock::new(),
            cache: None,
        }
    }

    /// A library over files that it shares with others; `sources` are over those of the cache.
    pub fn with_cache(sources: Arc<SourceMap>, path: SearchPath, cache: Arc<FileCache>) -> Library {
        Library {
            cache: Some(cache),
            ..Library::new(sources, path)
        }
    }

    /// The tree of a file and what is wrong with it.
    fn read_file(&self, place: &Place) -> std::io::Result<Arc<ReadFile>> {
        if let Some(cache) = &self.cache {
            return cache.read(place);
        }
        let text: Arc<str> = place.read()?.into();
        let file = self.sources.add(place.shown(), text.clone());
        let (stored, errors) = ferrica_syntax::parse_tree(file, &text);
        Ok(Arc::new(ReadFile {
            file,
            text,
            stored,
            errors,
        }))
    }

    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// Names of data files are relative to this folder, that of the user's model. The first one counts.
    pub fn set_folder(&self, folder: PathBuf) {
        let _ = self.folder.set(folder);
    }

    pub fn folder(&self) -> Option<PathBuf> {
        self.folder.get().cloned()
    }

    /// Number of classes discovered so far; ids are below it.
    pub fn len(&self) -> usize {
        self.classes.len() as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was wrong with files that were read on demand, since the last call.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        std::mem::take(
            &mut *self
                .diagnostics
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    // ---- the tree ----

    /// The definition; parses its file if that was not done yet. A file that cannot be read gives
    /// an empty class and a diagnostic.
    pub fn def(&self, class: ClassId) -> &ClassDef {
        let entry = self.entry(class);
        entry.def.get_or_init(|| self.load(entry))
    }

    pub fn name(&self, class: ClassId) -> Symbol {
        self.entry(class).name
    }

    /// The lexically enclosing class.
    pub fn parent(&self, class: ClassId) -> Option<ClassId> {
        self.entry(class).parent
    }

    /// The class of that name directly inside `class`, in its own file or not. Inherited classes
    /// and imports are not looked at.
    pub fn child(&self, class: ClassId, name: Symbol) -> Option<ClassId> {
        if let Some(&id) = read(&self.added).get(&(class, name)) {
            return Some(id);
        }
        self.listed_children(class).by_name.get(&name).copied()
    }

    /// All classes directly inside, in the order of `package.order`, else of the text.
    pub fn children(&self, class: ClassId) -> Vec<ClassId> {
        let listed = self.listed_children(class);
        let added = read(&self.added);
        let mut order: Vec<ClassId> = listed
            .order
            .iter()
            .map(|id| *added.get(&(class, self.name(*id))).unwrap_or(id))
            .collect();
        let mut extra: Vec<ClassId> = added
            .iter()
            .filter(|((parent, name), _)| *parent == class && !listed.by_name.contains_key(name))
            .map(|(_, id)| *id)
            .collect();
        extra.sort_unstable();
        order.extend(extra);
        order
    }

    /// `Modelica.Blocks.Math.Gain`
    pub fn full_name(&self, class: ClassId) -> String {
        let mut parts = vec![self.name(class).as_str()];
        let mut at = class;
        while let Some(parent) = self.parent(at) {
            parts.push(self.name(parent).as_str());
            at = parent;
        }
        parts.reverse();
        parts.join(".")
    }

    /// The class at a dotted path, by nesting alone.
    pub fn find(&self, path: &str) -> Option<ClassId> {
        let mut parts = split_path(path).into_iter().map(Symbol::intern);
        let mut class = self.root_class(parts.next()?)?;
        for part in parts {
            class = self.child(class, part)?;
        }
        Some(class)
    }

    /// A top-level class: the user's, or a library from the search path.
    pub fn root_class(&self, name: Symbol) -> Option<ClassId> {
        if let Some(&known) = read(&self.top).get(&name) {
            return known;
        }
        let stored = self.locate_root(name);
        let mut top = write(&self.top);
        // Another thread may have been faster; a class keeps its id.
        *top.entry(name).or_insert_with(|| {
            stored.map(|stored| self.new_class(name, None, stored, OnceLock::new()))
        })
    }

    /// Names of all top-level classes that could be loaded; for "did you mean".
    pub fn root_names(&self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = read(&self.top)
            .iter()
            .filter(|(_, id)| id.is_some())
            .map(|(name, _)| *name)
            .collect();
        for root in read(&self.roots).iter() {
            for entry in root.entries() {
                if let Some((name, _)) = library_name(entry) {
                    names.push(Symbol::intern(name));
                }
            }
        }
        names.sort_by_key(|name| name.as_str());
        names.dedup();
        names
    }

    /// The folder that relative resources of a class refer to.
    pub(crate) fn folder_of(&self, class: ClassId) -> Option<Place> {
        let mut at = Some(class);
        while let Some(class) = at {
            let entry = self.entry(class);
            match &entry.stored {
                Stored::Folder(folder) => return Some(folder.clone()),
                Stored::File(file) => return file.parent(),
                Stored::Inside => at = entry.parent,
            }
        }
        None
    }

    // ---- the user's texts ----

    /// Adds a text of the user's. Its classes come before libraries of the same name; with
    /// `within P`, they become members of P. Returns them in order.
    pub fn add_source(
        &self,
        name: &str,
        text: impl Into<Arc<str>>,
    ) -> Result<Vec<ClassId>, Vec<Diagnostic>> {
        let (file, stored) = self.parse_source(name, text.into())?;
        self.add_stored(file, stored)
    }

    /// Adds what can be read of a text that somebody is writing: the mistakes in it are for others to tell.
    pub fn add_unfinished(&self, name: &str, text: impl Into<Arc<str>>) -> Vec<ClassId> {
        let text = text.into();
        let file = self.sources.add(name, text.clone());
        let (stored, _) = ferrica_syntax::parse_tree(file, &text);
        self.add_stored(file, stored).unwrap_or_default()
    }

    /// Adds a file of the user's. A file that belongs to a package folder (`package.mo`, or a
    /// member with `within`) brings its whole package.
    pub fn add_file(&self, path: &Path) -> Result<Vec<ClassId>, Vec<Diagnostic>> {
        let shown = path.display().to_string();
        let is_package_file = path.file_name().is_some_and(|n| n == "package.mo");
        let folder = if path.is_dir() {
            Some(path)
        } else if is_package_file {
            path.parent()
        } else {
            None
        };
        if let Some(folder) = folder {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
            return self.add_package_member(&folder, None).map(|id| vec![id]);
        }
        let read = self
            .read_file(&Place::Disk(path.to_path_buf()))
            .map_err(|error| vec![cannot_read(&shown, &error, Span::NONE)])?;
        if !read.errors.is_empty() {
            return Err(read.errors.clone());
        }
        let (file, stored) = (read.file, read.stored.clone());
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        if stored
            .within
            .as_ref()
            .is_some_and(|within| !within.parts.is_empty())
            && let Some(folder) = absolute.parent()
            && folder.join("package.mo").is_file()
        {
            return stored
                .classes
                .iter()
                .map(|class| self.add_package_member(folder, Some(class.name)))
                .collect();
        }
        self.add_stored(file, stored)
    }

    fn parse_source(
        &self,
        name: &str,
        text: Arc<str>,
    ) -> Result<(FileId, StoredDefinition), Vec<Diagnostic>> {
        let file = self.sources.add(name, text.clone());
        let (stored, errors) = ferrica_syntax::parse_tree(file, &text);
        if errors.is_empty() {
            Ok((file, stored))
        } else {
            Err(errors)
        }
    }

    fn add_stored(
        &self,
        file: FileId,
        stored: StoredDefinition,
    ) -> Result<Vec<ClassId>, Vec<Diagnostic>> {
        let mut twice = Vec::new();
        for (k, class) in stored.classes.iter().enumerate() {
            self.note_uses(class);
            if let Some(first) = stored.classes[..k].iter().find(|c| c.name == class.name) {
                let text = format!("the class `{}` is declared twice in this file", class.name);
                twice.push(
                    Diagnostic::error("E0206", class.name_span, text)
                        .with_related(first.name_span, "first here")
                        .with_hint("rename one of the two"),
                );
            }
        }
        if !twice.is_empty() {
            return Err(twice);
        }
        let mut parent = None;
        if let Some(within) = stored.within.filter(|within| !within.parts.is_empty()) {
            let found = self.find(&within.to_string());
            if found.is_none() {
                let span = Span {
                    file,
                    ..within.span
                };
                let error = Diagnostic::error(
                    "E0252",
                    span,
                    format!("the package `{within}` that this text belongs to is not found"),
                )
                .with_hint("add the folder of its library with `--lib`, or remove `within`");
                return Err(vec![error]);
            }
            parent = found;
        }
        let mut ids = Vec::new();
        for class in stored.classes {
            let name = class.name;
            let id = self.new_class(name, parent, Stored::Inside, OnceLock::from(class));
            match parent {
                Some(parent) => write(&self.added).insert((parent, name), id),
                None => write(&self.top).insert(name, Some(id)).flatten(),
            };
            ids.push(id);
        }
        Ok(ids)
    }

    /// Registers the outermost package around `folder` and returns the package of the folder, or
    /// the member of it.
    fn add_package_member(
        &self,
        folder: &Path,
        member: Option<Symbol>,
    ) -> Result<ClassId, Vec<Diagnostic>> {
        let mut path = Vec::new();
        let mut at = folder;
        loop {
            let name = at.file_name().and_then(|n| n.to_str()).unwrap_or("");
            path.push(version::split_folder_name(name).0);
            match at.parent() {
                Some(parent) if parent.join("package.mo").is_file() => at = parent,
                _ => break,
            }
        }
        path.reverse();
        let name = Symbol::intern(path[0]);
        let top = Place::Disk(at.to_path_buf());
        let known = self
            .root_class(name)
            .filter(|id| matches!(&self.entry(*id).stored, Stored::Folder(place) if *place == top));
        let mut class = known.unwrap_or_else(|| {
            let id = self.new_class(name, None, Stored::Folder(top), OnceLock::new());
            write(&self.top).insert(name, Some(id));
            id
        });
        for part in path[1..]
            .iter()
            .map(|part| Symbol::intern(part))
            .chain(member)
        {
            class = self.child(class, part).ok_or_else(|| {
                let message = format!(
                    "`{part}` is not found in the package `{}`",
                    self.full_name(class)
                );
                vec![Diagnostic::error("E0252", Span::NONE, message)]
            })?;
        }
        self.def(class);
        Ok(class)
    }

    fn entry(&self, class: ClassId) -> &ClassEntry {
        self.classes
            .get(class.index() as u32)
            .expect("a class id is only used with the library that made it")
    }

    fn new_class(
        &self,
        name: Symbol,
        parent: Option<ClassId>,
        stored: Stored,
        def: OnceLock<Arc<ClassDef>>,
    ) -> ClassId {
        let entry = ClassEntry {
            name,
            parent,
            stored,
            def,
            children: OnceLock::new(),
        };
        ClassId::new(self.classes.push(entry) as usize)
    }

    fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(diagnostic);
    }
}

/// The parts of a dotted name; dots inside quoted names do not count.
fn split_path(path: &str) -> Vec<&str> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in path.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '\'' => quoted = !quoted,
            '.' if !quoted => {
                parts.push(&path[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&path[start..]);
    parts
}

//! All places of the workspace where a declaration is named.
//!
//! In: a place. Out: the places, by file. Only files that have the word are read. A redeclaration belongs to what it takes the place
//! of: both have one name, so the search goes on until no further declaration joins.

use std::path::{Path, PathBuf};

use ferrica_classes::Library;
use ferrica_ir::Symbol;
use rustc_hash::FxHashSet;

use crate::analysis::{Analysis, class_of_file};
use crate::documents::Document;
use crate::navigation::occurrence_at;
use crate::occurrences::{Occurrence, Role, occurrences};
use crate::position::Text;
use crate::resolver::{Identity, Resolver};
use crate::world::World;

/// The occurrences of a name in one file.
pub struct InFile {
    pub path: PathBuf,
    pub text: Text,
    pub places: Vec<Place>,
}

pub struct Place {
    pub start: u32,
    pub end: u32,
    /// It is a declaration.
    pub declares: bool,
    /// The name that is written there is another one: an alias of an import.
    pub other_name: bool,
}

/// What was asked for.
pub struct Found {
    pub name: Symbol,
    pub declaration: ferrica_flat::Declaration,
    /// Where it is declared, redeclarations included.
    pub declared: FxHashSet<Identity>,
    pub files: Vec<InFile>,
    /// What has the new name already, where the old one is written.
    pub taken: Option<String>,
}

struct Candidate {
    path: PathBuf,
    text: String,
    /// A text that is in no package has a library of its own around it; all others share one.
    home: Option<Analysis>,
    /// Those that write the name.
    places: Vec<Occurrence>,
}

/// Everything that names what stands at a byte; nothing if that cannot be found. `new`: a name that it may get.
pub fn find(
    document: &Document,
    analysis: &Analysis,
    world: &World,
    offset: usize,
    new: Option<Symbol>,
) -> Option<Found> {
    let (at, written) = occurrence_at(document, analysis, offset)?;
    let mut resolver = Resolver::new(&analysis.library);
    let declaration = resolver.resolve(&at, written)?;
    let mut declared = FxHashSet::default();
    declared.insert(resolver.identity(declaration.span)?);
    if let Some(original) = resolver.original(&at, written) {
        declared.extend(resolver.identity(original.span));
    }
    let name = declaration.name;
    let local = matches!(at.role, Role::Local(_));
    let shared = world.library(&document.path);
    let candidates = candidates(document, world, &shared, name, local);
    let mut resolver = Resolver::new(&shared);
    let mut meanings: Vec<Vec<Meaning>> = Vec::new();
    for c in &candidates {
        let mut own = c.home.as_ref().map(|a| Resolver::new(&a.library));
        let resolver = own.as_mut().unwrap_or(&mut resolver);
        let of = |o: &Occurrence| meaning(o, name, resolver);
        meanings.push(c.places.iter().map(of).collect());
    }
    // Redeclarations join until nothing changes.
    loop {
        let before = declared.len();
        for m in meanings.iter().flatten() {
            let linked: Vec<&Identity> = m.links().collect();
            if linked.iter().any(|i| declared.contains(i)) && linked.len() > 1 {
                declared.extend(linked.into_iter().cloned());
            }
        }
        if declared.len() == before {
            break;
        }
    }
    let mut files: Vec<InFile> = Vec::new();
    let mut taken = None;
    for (c, meanings) in candidates.iter().zip(&meanings) {
        let hit = |m: &Meaning| m.links().any(|i| declared.contains(i));
        if let Some(new) = new {
            let mut own = c.home.as_ref().map(|a| Resolver::new(&a.library));
            let resolver = own.as_mut().unwrap_or(&mut resolver);
            let hits = c.places.iter().zip(meanings).filter(|(_, m)| hit(m));
            for (o, _) in hits {
                taken = taken.or_else(|| has_name(o, new, resolver));
            }
        }
        let places: Vec<Place> = (c.places.iter().zip(meanings))
            .filter(|(_, m)| hit(m))
            .map(|(o, m)| Place {
                start: o.start,
                end: o.end,
                declares: m.declares,
                other_name: false,
            })
            .collect();
        if !places.is_empty() {
            files.push(InFile {
                path: c.path.clone(),
                text: Text::new(c.text.clone(), world.encoding),
                places,
            });
        }
    }
    if written != name {
        let place = Place {
            start: at.start,
            end: at.end,
            declares: false,
            other_name: true,
        };
        let text = document.text.clone();
        let path = document.path.clone();
        match files.iter_mut().find(|f| f.path == path) {
            Some(file) => file.places.push(place),
            None => files.push(InFile {
                path,
                text,
                places: vec![place],
            }),
        }
    }
    Some(Found {
        name,
        declaration,
        declared,
        files,
        taken,
    })
}

/// Where something has the new name, as the old one is looked up.
fn has_name(o: &Occurrence, new: Symbol, resolver: &mut Resolver<'_>) -> Option<String> {
    let mut other = o.clone();
    match &mut other.role {
        Role::Path { path, .. } | Role::Member { path, .. } => {
            path.pop();
            path.push(new);
        }
        Role::Argument { name, .. } => *name = new,
        Role::Local(_) => return None,
        Role::Declares(_) | Role::Redeclares(_) => {
            other.role = Role::Path {
                global: false,
                path: vec![new],
            };
        }
    }
    let found = resolver.resolve(&other, new).filter(|d| d.name == new)?;
    let (file, at) = resolver.library.sources().line_col(found.span)?;
    Some(format!("{}:{}", file.name, at.line))
}

/// What an occurrence refers to, what it redeclares, and where it is a declaration itself.
struct Meaning {
    refers: Option<Identity>,
    redeclares: Option<Identity>,
    own: Option<Identity>,
    declares: bool,
}

impl Meaning {
    fn links(&self) -> impl Iterator<Item = &Identity> {
        self.refers.iter().chain(&self.redeclares).chain(&self.own)
    }
}

fn meaning(o: &Occurrence, name: Symbol, resolver: &mut Resolver<'_>) -> Meaning {
    let refers = resolver.resolve(o, name).map(|d| d.span);
    let redeclares = resolver.original(o, name).map(|d| d.span);
    let own = match &o.role {
        Role::Redeclares(span) => Some(*span),
        Role::Member { redeclared, .. } => *redeclared,
        _ => None,
    };
    let declares = own.is_some() || matches!(o.role, Role::Declares(s) if s.start == o.start);
    Meaning {
        refers: refers.and_then(|s| resolver.identity(s)),
        redeclares: redeclares.and_then(|s| resolver.identity(s)),
        own: own.and_then(|s| resolver.identity(s)),
        declares,
    }
}

/// The files that have the word, with its occurrences.
fn candidates(
    document: &Document,
    world: &World,
    shared: &Library,
    name: Symbol,
    local: bool,
) -> Vec<Candidate> {
    let files = match local {
        true => vec![document.path.clone()],
        false => world.own_files(&document.path),
    };
    let mut out = Vec::new();
    for path in files {
        let Some(text) = text_of(&path, document, world) else {
            continue;
        };
        if !text.contains(name.as_str()) {
            continue;
        }
        let (home, mut places) = match class_of_file(shared, &path) {
            Some(class) => (None, occurrences(shared, &[class], &text)),
            None => {
                let analysis = Analysis::new(&path, &text, world);
                let places = occurrences(&analysis.library, &analysis.classes, &text);
                (Some(analysis), places)
            }
        };
        places.retain(|o| &text[o.start as usize..o.end as usize] == name.as_str());
        places.sort_by_key(|o| o.start);
        places.dedup_by_key(|o| o.start);
        if !places.is_empty() {
            out.push(Candidate {
                path,
                text,
                home,
                places,
            });
        }
    }
    out
}

/// The text of a file as the editor has it, else as it is on disk.
fn text_of(path: &Path, document: &Document, world: &World) -> Option<String> {
    if path == document.path {
        return Some(document.text.content.clone());
    }
    match world.cache.held(path) {
        Some(text) => Some(text.to_string()),
        None => std::fs::read_to_string(path).ok(),
    }
}

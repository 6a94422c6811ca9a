//! Every public item of the library has an example, which rustdoc runs.
//!
//! Walks the sources from `lib.rs` as a reader of the documentation does: through public modules and re-exports, and into the methods of every
//! type on the way. Fields, variants and constants are part of their type or module. What comes from another crate has its example where it is
//! given on. An `impl` is one of the type of its name in the same file, else of the only one of that name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// A module: its items and the file that they stand in.
struct Module {
    file: PathBuf,
    items: Vec<Item>,
}

/// All modules by their paths from the root.
type Modules = BTreeMap<Vec<String>, Module>;

/// Reads the modules that a file declares; `folder` is where theirs are.
fn read(path: Vec<String>, file: PathBuf, folder: &Path, all: &mut Modules) {
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    for item in &parsed.items {
        let Item::Mod(m) = item else { continue };
        if m.content.is_some() {
            continue;
        }
        let name = m.ident.to_string();
        let inside = folder.join(&name);
        let beside = folder.join(format!("{name}.rs"));
        let file = match beside.exists() {
            true => beside,
            false => inside.join("mod.rs"),
        };
        let path = path.iter().cloned().chain([name]).collect();
        read(path, file, &inside, all);
    }
    let items = parsed.items;
    all.insert(path, Module { file, items });
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Does its documentation have code that is run?
fn has_example(attributes: &[Attribute]) -> bool {
    let lines = attributes.iter().filter_map(|a| match &a.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.into_iter().any(|l| {
        let fence = l.trim_start().strip_prefix("```");
        fence.is_some_and(|kind| matches!(kind.trim(), "" | "rust" | "no_run" | "should_panic"))
    })
}

/// Name, visibility and attributes of what has a page or a place of its own in the documentation.
fn named(item: &Item) -> Option<(String, &Visibility, &[Attribute])> {
    let (ident, visibility, attributes) = match item {
        Item::Fn(i) => (&i.sig.ident, &i.vis, &i.attrs),
        Item::Struct(i) => (&i.ident, &i.vis, &i.attrs),
        Item::Enum(i) => (&i.ident, &i.vis, &i.attrs),
        Item::Trait(i) => (&i.ident, &i.vis, &i.attrs),
        Item::Type(i) => (&i.ident, &i.vis, &i.attrs),
        Item::Static(i) => (&i.ident, &i.vis, &i.attrs),
        _ => return None,
    };
    Some((ident.to_string(), visibility, attributes))
}

/// The paths that a use declaration names, with the names that they get.
fn paths(tree: &UseTree, before: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let with = |name: &syn::Ident| {
        let own = std::iter::once(name.to_string());
        before.iter().cloned().chain(own).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(p) => paths(&p.tree, &with(&p.ident), out),
        UseTree::Name(n) => out.push((with(&n.ident), n.ident.to_string())),
        UseTree::Rename(r) => out.push((with(&r.ident), r.rename.to_string())),
        UseTree::Group(g) => g.items.iter().for_each(|t| paths(t, before, out)),
        UseTree::Glob(_) => panic!("a glob hides what it gives on: {}", before.join("::")),
    }
}

struct Walk {
    all: Modules,
    missing: BTreeSet<String>,
    seen: BTreeSet<(Vec<String>, String)>,
}

impl Walk {
    fn module(&mut self, path: &[String]) {
        let items = self.all[path].items.clone();
        for item in &items {
            match item {
                Item::Mod(m) if is_public(&m.vis) => {
                    let inside: Vec<String> =
                        path.iter().cloned().chain([m.ident.to_string()]).collect();
                    if m.content.is_none() {
                        self.module(&inside);
                    }
                }
                Item::Use(u) if is_public(&u.vis) => {
                    let mut list = Vec::new();
                    paths(&u.tree, &[], &mut list);
                    for (target, name) in list {
                        self.given_on(path, target, &name, &u.attrs);
                    }
                }
                Item::Macro(m) if m.ident.is_none() => self.words(path, &m.mac),
                item => {
                    if let Some((name, visibility, _)) = named(item)
                        && is_public(visibility)
                    {
                        self.item(path, &name);
                    }
                }
            }
        }
    }

    /// A macro of options writes enumerations: each has its example in its documentation.
    fn words(&mut self, path: &[String], mac: &syn::Macro) {
        if mac.path.is_ident("words") && !mac.tokens.to_string().contains("```") {
            let name = mac.tokens.to_string();
            self.missing
                .insert(format!("{}: {name:.60}", path.join("::")));
        }
    }

    fn given_on(&mut self, at: &[String], target: Vec<String>, name: &str, own: &[Attribute]) {
        let (root, rest) = (target[0].as_str(), target[1..].to_vec());
        let mut place = match root {
            "crate" => rest,
            "self" => at.iter().cloned().chain(rest).collect(),
            root if self.all.contains_key(&[at, &[root.to_owned()]].concat()) => {
                at.iter().cloned().chain(target.clone()).collect()
            }
            _ => {
                if !has_example(own) {
                    let place = [at, &[name.to_owned()]].concat().join("::");
                    self.missing.insert(format!("{place} (of {root})"));
                }
                return;
            }
        };
        let Some(last) = place.pop() else { return };
        self.item(&place, &last);
    }

    fn item(&mut self, path: &[String], name: &str) {
        if !self.seen.insert((path.to_vec(), name.to_owned())) {
            return;
        }
        let module = &self.all[path];
        let found = module.items.iter().find(|i| match named(i) {
            Some((n, _, _)) => n == name,
            None => false,
        });
        let Some(item) = found else {
            // Given on once more.
            let uses = module.items.iter().filter_map(|i| match i {
                Item::Use(u) => Some(u.clone()),
                _ => None,
            });
            for u in uses.collect::<Vec<_>>() {
                let mut list = Vec::new();
                paths(&u.tree, &[], &mut list);
                for (target, own) in list {
                    if own == name {
                        self.given_on(path, target, name, &u.attrs);
                    }
                }
            }
            return;
        };
        let place = [path, &[name.to_owned()]].concat().join("::");
        if let Some((_, _, attributes)) = named(item)
            && !has_example(attributes)
        {
            self.missing.insert(place.clone());
        }
        if let Item::Trait(t) = item {
            for i in &t.items {
                if let TraitItem::Fn(f) = i
                    && !has_example(&f.attrs)
                    && !has_example(&t.attrs)
                {
                    self.missing.insert(format!("{place}::{}", f.sig.ident));
                }
            }
        }
        if matches!(item, Item::Struct(_) | Item::Enum(_)) {
            let file = module.file.clone();
            self.methods(&place, name, &file);
        }
    }

    fn methods(&mut self, place: &str, name: &str, file: &Path) {
        let declares = |m: &&Module| {
            let mut types = m.items.iter();
            types.any(|i| {
                matches!(i, Item::Struct(_) | Item::Enum(_))
                    && named(i).is_some_and(|n| n.0 == name)
            })
        };
        let others: Vec<PathBuf> = (self.all.values().filter(declares))
            .map(|m| m.file.clone())
            .filter(|f| f != file)
            .collect();
        for module in self.all.values() {
            // An impl elsewhere is of this type unless another of its name is nearer.
            if module.file != file && (others.contains(&module.file) || !others.is_empty()) {
                continue;
            }
            for item in &module.items {
                let Item::Impl(block) = item else { continue };
                let is_of = match &*block.self_ty {
                    Type::Path(p) => p.path.segments.last().is_some_and(|s| s.ident == name),
                    _ => false,
                };
                if block.trait_.is_some() || !is_of {
                    continue;
                }
                for i in &block.items {
                    if let ImplItem::Fn(f) = i
                        && is_public(&f.vis)
                        && !has_example(&f.attrs)
                    {
                        self.missing.insert(format!("{place}::{}", f.sig.ident));
                    }
                }
            }
        }
    }
}

#[test]
fn every_public_item_has_an_example() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut walk = Walk {
        all: Modules::new(),
        missing: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    read(Vec::new(), source.join("lib.rs"), &source, &mut walk.all);
    walk.module(&[]);
    assert!(walk.seen.len() > 100, "{} items found", walk.seen.len());
    let list: Vec<String> = walk.missing.into_iter().collect();
    assert!(
        list.is_empty(),
        "{} without one:\n{}",
        list.len(),
        list.join("\n")
    );
}

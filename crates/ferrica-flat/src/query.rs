//! Questions about names, for editors and documentation: what a name means in a class, and what a class has.
//!
//! In: a class and a dotted name as it is written there. Out: where it is declared and as what. The answers come from the same
//! lookup that flattening uses, so an editor and the compiler never differ; what cannot be found gives nothing.

use ferrica_classes::{ClassId, Library};
use ferrica_ir::{Span, Symbol};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::flattener::Flattener;
use crate::instance::{ClassRef, Element, ElementId, ScopeId};
use crate::lookup::Found;

/// What a name is declared as.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: Symbol,
    /// The name in its declaration.
    pub span: Span,
    pub kind: DeclarationKind,
    pub description: String,
    pub protected: bool,
    /// The class itself, or the class of the component, where it has one in a library.
    pub class: Option<ClassId>,
}

#[derive(Clone, Debug)]
pub enum DeclarationKind {
    Class(ast::ClassKind),
    Component {
        /// As written: `SI.Resistance`.
        type_name: String,
        prefixes: ast::TypePrefixes,
        is_replaceable: bool,
        /// Where the text of its binding is.
        binding: Option<Span>,
        /// `inner` or `outer`: other declarations are found by this name.
        is_shared: bool,
    },
    /// A literal of an enumeration.
    Literal,
}

/// Asks about the classes of a library.
pub struct Query<'a> {
    flattener: Flattener<'a>,
    scopes: FxHashMap<ClassId, Option<ScopeId>>,
}

impl<'a> Query<'a> {
    pub fn new(lib: &'a Library) -> Query<'a> {
        Query {
            flattener: Flattener::new(lib),
            scopes: FxHashMap::default(),
        }
    }

    /// What a name means inside of a class; a name that begins with a dot is looked up from the top.
    pub fn resolve(
        &mut self,
        class: Option<ClassId>,
        global: bool,
        path: &[Symbol],
    ) -> Option<Declaration> {
        match self.element(class, global, path) {
            Some(element) => self.declaration(element),
            None => self.literal(class, global, path),
        }
    }

    /// The literal of an enumeration.
    fn literal(
        &mut self,
        class: Option<ClassId>,
        global: bool,
        path: &[Symbol],
    ) -> Option<Declaration> {
        let (&name, of) = path.split_last()?;
        let element = self.element(class, global, of)?;
        let mut scope = self.inside(element)?;
        loop {
            let _ = self.flattener.expand(scope);
            let at = &self.flattener.tree.scopes[scope];
            if let ast::ClassBody::Enumeration(list) = &at.class.def.body {
                let found = list.iter().find(|l| l.name == name)?;
                return Some(literal(found, at.class.id));
            }
            scope = *at.bases.first()?;
        }
    }

    /// The classes that a class extends.
    pub fn bases(&mut self, class: ClassId) -> Vec<ClassId> {
        let Some(scope) = self.scope(class) else {
            return Vec::new();
        };
        let tree = &self.flattener.tree;
        let bases = tree.scopes[scope].bases.iter();
        bases.filter_map(|&b| tree.scopes[b].class.id).collect()
    }

    /// What a name means among the members of the type of `of`, as in a modifier.
    pub fn resolve_member(
        &mut self,
        class: ClassId,
        of: &ast::Name,
        path: &[Symbol],
    ) -> Option<Declaration> {
        let scope = self.scope(class)?;
        let Found::Element(e) = self.flattener.lookup_class(scope, of).ok()? else {
            return None;
        };
        let inside = self.inside(e)?;
        let element = self.member_of(inside, path)?;
        self.declaration(element)
    }

    /// All members behind `path.`, or with an empty path all that the class sees of its own, its bases and around it.
    pub fn members(
        &mut self,
        class: Option<ClassId>,
        global: bool,
        path: &[Symbol],
    ) -> Vec<Declaration> {
        if path.is_empty() {
            return match class.and_then(|c| self.scope(c)) {
                Some(scope) => self.visible(scope),
                None => self.roots(),
            };
        }
        let Some(element) = self.element(class, global, path) else {
            return Vec::new();
        };
        match self.inside(element) {
            Some(scope) => self.members_of(scope),
            None => Vec::new(),
        }
    }

    /// All members of the type of `of`, or of a member of it, as modifiers name them; nothing for a predefined type.
    pub fn members_of_type(
        &mut self,
        class: ClassId,
        of: &ast::Name,
        path: &[Symbol],
    ) -> Option<Vec<Declaration>> {
        let scope = self.scope(class)?;
        let Found::Element(mut e) = self.flattener.lookup_class(scope, of).ok()? else {
            return None;
        };
        let mut inside = self.inside(e)?;
        for &name in path {
            e = self.member_of(inside, &[name])?;
            inside = self.inside(e)?;
        }
        Some(self.members_of(inside))
    }

    /// All members of a class, inherited ones included.
    pub fn members_of_class(&mut self, class: ClassId) -> Vec<Declaration> {
        match self.scope(class) {
            Some(scope) => self.members_of(scope),
            None => Vec::new(),
        }
    }

    fn element(
        &mut self,
        class: Option<ClassId>,
        global: bool,
        path: &[Symbol],
    ) -> Option<ElementId> {
        let (&first, rest) = path.split_first()?;
        let scope = class.filter(|_| !global).and_then(|c| self.scope(c));
        let found = match scope {
            Some(scope) => match self.flattener.lookup_simple(scope, first).ok()?? {
                Found::Element(e) => e,
                Found::Predefined(_) | Found::Literal(..) => return None,
            },
            None => self.flattener.root(first)?,
        };
        if rest.is_empty() {
            return Some(found);
        }
        let inside = self.inside(found)?;
        self.member_of(inside, rest)
    }

    fn member_of(&mut self, scope: ScopeId, path: &[Symbol]) -> Option<ElementId> {
        let (&first, rest) = path.split_first()?;
        let found = self.flattener.member(scope, first).ok()??;
        if rest.is_empty() {
            return Some(found);
        }
        let inside = self.inside(found)?;
        self.member_of(inside, rest)
    }

    /// Scope in which the members of an element are.
    fn inside(&mut self, element: ElementId) -> Option<ScopeId> {
        match &self.flattener.tree.elements[element] {
            Element::Class(_) => self.flattener.class_scope(element).ok(),
            // The declared type, where sizes or conditions cannot be known.
            Element::Component(c) => {
                let (scope, decl) = (c.scope, c.decl);
                let ready = self.flattener.component_scope(element).ok().flatten();
                ready.or_else(
                    || match self.flattener.lookup_class(scope, &decl.type_name) {
                        Ok(Found::Element(e)) => self.flattener.class_scope(e).ok(),
                        _ => None,
                    },
                )
            }
        }
    }

    fn scope(&mut self, class: ClassId) -> Option<ScopeId> {
        if let Some(&known) = self.scopes.get(&class) {
            return known;
        }
        let scope = self.new_scope(class);
        self.scopes.insert(class, scope);
        scope
    }

    fn new_scope(&mut self, class: ClassId) -> Option<ScopeId> {
        let f = &mut self.flattener;
        let parent = f.enclosing_scope(class).ok()?;
        let class = ClassRef {
            def: f.lib.def(class),
            id: Some(class),
            parent,
            modifier: std::rc::Rc::default(),
            inherited: None,
        };
        let scope = f.new_scope(class, "".into());
        // A class with mistakes still has the members that could be read.
        let _ = f.expand(scope);
        Some(scope)
    }

    fn members_of(&mut self, scope: ScopeId) -> Vec<Declaration> {
        let _ = self.flattener.expand(scope);
        if let ast::ClassBody::Enumeration(list) = &self.flattener.tree.scopes[scope].class.def.body
        {
            let class = self.flattener.tree.scopes[scope].class.id;
            return list.iter().map(|l| literal(l, class)).collect();
        }
        let mut elements: Vec<ElementId> = self.flattener.tree.scopes[scope].order.clone();
        if let Some(id) = self.flattener.tree.scopes[scope].class.id {
            for child in self.flattener.lib.children(id) {
                let name = self.flattener.lib.name(child);
                if let Ok(Some(e)) = self.flattener.member(scope, name)
                    && !elements.contains(&e)
                {
                    elements.push(e);
                }
            }
        }
        elements
            .into_iter()
            .filter_map(|e| self.declaration(e))
            .collect()
    }

    fn visible(&mut self, scope: ScopeId) -> Vec<Declaration> {
        let mut all = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            all.extend(self.members_of(scope));
            at = self.flattener.tree.scopes[scope].class.parent;
        }
        all.extend(self.roots());
        all
    }

    fn roots(&mut self) -> Vec<Declaration> {
        let names = self.flattener.lib.root_names();
        let elements: Vec<ElementId> = names
            .into_iter()
            .filter_map(|n| self.flattener.root(n))
            .collect();
        elements
            .into_iter()
            .filter_map(|e| self.declaration(e))
            .collect()
    }

    fn declaration(&mut self, element: ElementId) -> Option<Declaration> {
        Some(match &self.flattener.tree.elements[element] {
            Element::Class(c) => Declaration {
                name: c.name,
                span: c.class.def.name_span,
                kind: DeclarationKind::Class(c.class.def.kind),
                description: c.class.def.comment.as_deref().unwrap_or("").to_string(),
                protected: c.protected,
                class: c.class.id,
            },
            Element::Component(c) => {
                let (scope, decl, element) = (c.scope, c.decl, c.element);
                let (name, protected) = (c.name, c.protected);
                let class = match self.flattener.lookup_class(scope, &decl.type_name) {
                    Ok(Found::Element(e)) => match &self.flattener.tree.elements[e] {
                        Element::Class(c) => c.class.id,
                        Element::Component(_) => None,
                    },
                    _ => None,
                };
                let binding = decl.modification.as_ref().and_then(|m| m.value.as_ref());
                Declaration {
                    name,
                    span: decl.name_span,
                    kind: DeclarationKind::Component {
                        type_name: decl.type_name.to_string(),
                        prefixes: decl.prefixes,
                        is_replaceable: element.prefixes.replaceable,
                        binding: binding.map(|e| e.span),
                        is_shared: element.prefixes.inner || element.prefixes.outer,
                    },
                    description: element.comment.text.as_deref().unwrap_or("").to_string(),
                    protected,
                    class,
                }
            }
        })
    }
}

fn literal(of: &ast::EnumLiteral, class: Option<ClassId>) -> Declaration {
    let end = of.span.start + of.name.as_str().len() as u32;
    Declaration {
        name: of.name,
        span: Span { end, ..of.span },
        kind: DeclarationKind::Literal,
        description: of.comment.text.as_deref().unwrap_or("").to_string(),
        protected: false,
        class,
    }
}

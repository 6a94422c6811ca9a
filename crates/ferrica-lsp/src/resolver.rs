//! What occurrences mean: the compiler's lookup for every role an identifier can have.

use ferrica_classes::{ClassId, Library};
use ferrica_flat::{Declaration, DeclarationKind, Query};
use ferrica_ir::{Span, Symbol};
use ferrica_syntax::ast::TypePrefixes;

use crate::occurrences::{Occurrence, Role};

/// A declaration by the place of its name: the file and the first byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub file: String,
    pub start: u32,
}

pub struct Resolver<'a> {
    pub library: &'a Library,
    pub query: Query<'a>,
}

impl<'a> Resolver<'a> {
    pub fn new(library: &'a Library) -> Resolver<'a> {
        Resolver {
            library,
            query: Query::new(library),
        }
    }

    pub fn identity(&self, span: Span) -> Option<Identity> {
        let source = self.library.sources().get(span.file)?;
        Some(Identity {
            file: source.name.clone(),
            start: span.start,
        })
    }

    /// What an identifier is declared as.
    pub fn resolve(&mut self, of: &Occurrence, name: Symbol) -> Option<Declaration> {
        let class = Some(of.class);
        match &of.role {
            Role::Declares(span) | Role::Redeclares(span) => {
                let found = self.query.resolve(class, false, &[name]);
                let own = found.filter(|d| d.span == *span);
                own.or_else(|| Some(local(name, *span)))
            }
            Role::Path { global, path } => self.query.resolve(class, *global, path),
            Role::Member { of: base, path, .. } => self.query.resolve_member(of.class, base, path),
            Role::Argument {
                global,
                function,
                name,
            } => {
                let path: Vec<Symbol> = function.iter().copied().chain([*name]).collect();
                self.query.resolve(class, *global, &path)
            }
            Role::Local(span) => Some(local(name, *span)),
        }
    }

    /// A member as a base class has it by itself: in the class that inherits it, another declaration may stand for it.
    fn inherited(&mut self, class: ClassId, name: Symbol) -> Option<Declaration> {
        let bases = self.query.bases(class);
        let mut all = bases
            .into_iter()
            .flat_map(|b| self.query.members_of_class(b));
        all.find(|d| d.name == name)
    }

    /// The declaration that an identifier redeclares, if it redeclares one. A component that is declared again just as it is inherited
    /// is one component with two declarations.
    pub fn original(&mut self, of: &Occurrence, name: Symbol) -> Option<Declaration> {
        match &of.role {
            Role::Declares(span) => {
                let inherited = self.inherited(of.class, name);
                inherited.filter(|d| d.span != *span)
            }
            Role::Redeclares(_) => self.inherited(of.class, name),
            Role::Member {
                redeclared: Some(_),
                ..
            } => self.resolve(of, name),
            _ => None,
        }
    }
}

/// A loop variable, or a declaration that lookup does not reach.
fn local(name: Symbol, span: Span) -> Declaration {
    Declaration {
        name,
        span,
        kind: DeclarationKind::Component {
            type_name: String::new(),
            prefixes: TypePrefixes::default(),
            is_replaceable: false,
            binding: None,
            is_shared: false,
        },
        description: String::new(),
        protected: false,
        class: None,
    }
}

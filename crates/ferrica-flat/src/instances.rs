//! The instance tree as pictures need it: bases, components with their classes and conditions, connections, values of parameters.
//!
//! In: a class of a library. Out: what flattening knows of it, one level at a time. A class with mistakes still shows what could be
//! read: whatever cannot be found or evaluated is `None`, and a condition that is not known counts as true.

use ferrica_classes::{ClassId, Library};
use ferrica_ir::{Expr, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, Observed};
use crate::instance::{ClassRef, Content, Element, ElementId, ScopeId, State};
use crate::lookup::Found;
use crate::modifier::Mod;
use crate::state_machines;
use crate::value::Value;

/// A class under its modifiers: the model itself, a component, or a base class of one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance(ScopeId);

/// A component of an instance.
#[derive(Clone)]
pub struct Part<'a> {
    pub name: Symbol,
    pub decl: &'a ast::Component,
    /// Its class; none for a predefined type without a class around it.
    pub class: Option<Instance>,
    /// Where its annotation is evaluated.
    pub declared_in: Instance,
    pub annotation: Option<&'a ast::Annotation>,
    pub description: &'a str,
    pub protected: bool,
    /// Its condition is false.
    pub absent: bool,
    pub is_array: bool,
    pub causality: Option<ast::Causality>,
}

/// A `connect` equation.
#[derive(Clone)]
pub struct Connection<'a> {
    pub from: &'a ast::ComponentRef,
    pub to: &'a ast::ComponentRef,
    pub annotation: Option<&'a ast::Annotation>,
    pub written_in: Instance,
}

/// A `transition` between states, or an `initialState`.
#[derive(Clone)]
pub struct Transition<'a> {
    /// None where the state is the one that the machine begins with.
    pub from: Option<&'a ast::ComponentRef>,
    pub to: &'a ast::ComponentRef,
    pub call: &'a ast::Call,
    pub annotation: Option<&'a ast::Annotation>,
    pub written_in: Instance,
}

impl<'a> Transition<'a> {
    /// An argument that stands at a position or has a name; an initial state has none.
    pub fn argument(&self, position: usize, name: &str) -> Option<&'a ast::Expr> {
        self.from?;
        state_machines::optional(self.call, position, name)
    }
}

/// What the equations of a class join: connectors by connections, states by transitions.
#[derive(Clone, Default)]
pub struct Joints<'a> {
    pub connections: Vec<Connection<'a>>,
    pub transitions: Vec<Transition<'a>>,
}

/// A value that is known before a simulation.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    Number(f64),
    Bool(bool),
    Text(String),
    /// The literal alone.
    Enum(String),
    /// Also the fields of a record.
    Array(Vec<Known>),
}

/// Asks about instances of the classes of a library.
pub struct Instances<'a> {
    flattener: Flattener<'a>,
    /// Something has been asked for that a run would show otherwise.
    pub moves_with_run: bool,
}

impl<'a> Instances<'a> {
    pub fn new(lib: &'a Library) -> Instances<'a> {
        Instances {
            flattener: Flattener::new(lib),
            moves_with_run: false,
        }
    }

    pub fn library(&self) -> &'a Library {
        self.flattener.lib
    }

    pub fn of_class(&mut self, class: ClassId) -> Instance {
        let f = &mut self.flattener;
        let parent = f.enclosing_scope(class).ok().flatten();
        let class = ClassRef {
            def: f.lib.def(class),
            id: Some(class),
            parent,
            modifier: std::rc::Rc::default(),
            inherited: None,
        };
        let scope = f.new_scope(class, "".into());
        let _ = f.expand(scope);
        Instance(scope)
    }

    /// From now on these values stand for the variables of an instance.
    pub fn observe(&mut self, instance: Instance, values: &'a Observed<'a>) {
        self.flattener.observed = Some((instance.0, values));
    }

    pub fn is_observing(&self) -> bool {
        self.flattener.observed.is_some()
    }

    pub fn class(&self, instance: Instance) -> &'a ast::ClassDef {
        self.flattener.tree.scopes[instance.0].class.def
    }

    pub fn class_id(&self, instance: Instance) -> Option<ClassId> {
        self.flattener.tree.scopes[instance.0].class.id
    }

    pub fn class_name(&self, instance: Instance) -> String {
        self.flattener.class_name(instance.0)
    }

    /// Is the class a connector, itself or by what it is short for?
    pub fn is_connector(&self, instance: Instance) -> bool {
        let scope = &self.flattener.tree.scopes[instance.0];
        let short = !matches!(scope.class.def.body, ast::ClassBody::Long(_));
        scope.class.def.kind.is_connector()
            || short && scope.bases.iter().any(|b| self.is_connector(Instance(*b)))
    }

    /// The predefined type that the class is, itself or by what it extends.
    pub fn predefined(&self, instance: Instance) -> Option<Ty> {
        self.flattener.tree.scopes[instance.0].builtin
    }

    /// `input` or `output` before a short class.
    pub fn causality(&self, instance: Instance) -> Option<ast::Causality> {
        self.flattener.tree.scopes[instance.0].prefixes.causality
    }

    /// Base classes in order, each with the annotation of its extends clause.
    pub fn bases(&self, instance: Instance) -> Vec<(Instance, Option<&'a ast::Annotation>)> {
        let scope = &self.flattener.tree.scopes[instance.0];
        let annotation = |base: ScopeId| {
            let at = self.flattener.tree.scopes[base].extended_at;
            scope.class.def.elements().iter().find_map(|e| {
                matches!(&e.kind, ast::ElementKind::Extends(x) if x.name.span == at)
                    .then_some(e.comment.annotation.as_deref())?
            })
        };
        scope
            .bases
            .iter()
            .map(|&b| (Instance(b), annotation(b)))
            .collect()
    }

    /// All components, inherited ones included, in order.
    pub fn parts(&mut self, instance: Instance) -> Vec<Part<'a>> {
        let _ = self.flattener.expand(instance.0);
        let order = self.flattener.tree.scopes[instance.0].order.clone();
        order
            .into_iter()
            .filter_map(|e| self.part_of(instance, e))
            .collect()
    }

    /// Only the connectors among them: no other component is looked into.
    pub fn connectors(&mut self, instance: Instance) -> Vec<Part<'a>> {
        let _ = self.flattener.expand(instance.0);
        let order = self.flattener.tree.scopes[instance.0].order.clone();
        let mut out = Vec::new();
        for e in order {
            let Some(c) = self.flattener.tree.component(e) else {
                continue;
            };
            let (scope, decl) = (c.scope, c.decl);
            let found = self.flattener.lookup_class(scope, &decl.type_name);
            if let Ok(Found::Element(class)) = found
                && let Element::Class(class) = &self.flattener.tree.elements[class]
                && class.class.def.kind.is_connector()
            {
                out.extend(self.part_of(instance, e));
            }
        }
        out
    }

    pub fn part(&mut self, instance: Instance, name: Symbol) -> Option<Part<'a>> {
        let e = self.flattener.member(instance.0, name).ok()??;
        self.part_of(instance, e)
    }

    fn part_of(&mut self, instance: Instance, e: ElementId) -> Option<Part<'a>> {
        let c = self.flattener.tree.component(e)?;
        let (decl, element, owner, scope) = (c.decl, c.element, c.owner, c.scope);
        let (name, protected) = (c.name, c.protected);
        let ready = self.flattener.ready(e);
        let c = self.flattener.tree.component(e)?;
        let absent = ready.is_ok() && c.state == State::Absent;
        let is_array = !decl.subscripts.is_empty() || !c.dims.is_empty();
        let causality = c.causality.or(decl.prefixes.causality);
        let first = match &c.content {
            Content::Class(scopes) => scopes.first().copied(),
            _ => None,
        };
        let class = match first {
            Some(s) => {
                let _ = self.flattener.expand(s);
                Some(Instance(s))
            }
            None => self.declared_class(scope, &decl.type_name),
        };
        // A redeclaration stands where the original does.
        let placed = |e: &'a ast::Element| {
            let annotation = e.comment.annotation.as_deref();
            annotation.filter(|a| a.find("Placement").is_some())
        };
        let (annotation, declared_in) = match placed(element) {
            Some(a) => (Some(a), scope),
            None => match self.original(instance.0, name, &placed) {
                Some((a, s)) => (Some(a), s),
                None => (element.comment.annotation.as_deref(), owner),
            },
        };
        Some(Part {
            name,
            decl,
            class,
            declared_in: Instance(declared_in),
            annotation,
            description: element.comment.text.as_deref().unwrap_or_default(),
            protected,
            absent,
            is_array,
            causality,
        })
    }

    /// The annotation of a declaration of that name here or in a base class.
    fn original(
        &self,
        scope: ScopeId,
        name: Symbol,
        placed: &dyn Fn(&'a ast::Element) -> Option<&'a ast::Annotation>,
    ) -> Option<(&'a ast::Annotation, ScopeId)> {
        let s = &self.flattener.tree.scopes[scope];
        let own = s.class.def.elements().iter();
        own.filter(|e| e.declared_name() == Some(name))
            .find_map(placed)
            .map(|a| (a, scope))
            .or_else(|| s.bases.iter().find_map(|&b| self.original(b, name, placed)))
    }

    fn declared_class(&mut self, scope: ScopeId, name: &ast::Name) -> Option<Instance> {
        let Found::Element(e) = self.flattener.lookup_class(scope, name).ok()? else {
            return None;
        };
        if !matches!(self.flattener.tree.elements[e], Element::Class(_)) {
            return None;
        }
        let scope = self.flattener.class_scope(e).ok()?;
        let _ = self.flattener.expand(scope);
        Some(Instance(scope))
    }

    /// The connections and transitions that an instance makes, those of its bases first. Those of a loop come once, those behind a
    /// condition if it is true or not known.
    pub fn joints(&mut self, instance: Instance) -> Joints<'a> {
        let mut out = Joints::default();
        self.gather(instance.0, &mut out);
        out
    }

    fn gather(&mut self, scope: ScopeId, out: &mut Joints<'a>) {
        for k in 0..self.flattener.tree.scopes[scope].bases.len() {
            let base = self.flattener.tree.scopes[scope].bases[k];
            self.gather(base, out);
        }
        if let Some(body) = self.flattener.tree.scopes[scope].class.def.long() {
            self.gather_equations(scope, &body.equations, out);
        }
    }

    fn gather_equations(
        &mut self,
        scope: ScopeId,
        equations: &'a [ast::Equation],
        out: &mut Joints<'a>,
    ) {
        for e in equations {
            match &e.kind {
                ast::EquationKind::Connect(from, to)
                    if !self.flattener.is_deselected(scope, from, to) =>
                {
                    out.connections.push(Connection {
                        from,
                        to,
                        annotation: e.comment.annotation.as_deref(),
                        written_in: Instance(scope),
                    });
                }
                ast::EquationKind::Call(call) => {
                    let ast::ExprKind::Call(call) = &call.kind else {
                        continue;
                    };
                    let Some((from, to)) = state_machines::joined(call) else {
                        continue;
                    };
                    out.transitions.push(Transition {
                        from,
                        to,
                        call,
                        annotation: e.comment.annotation.as_deref(),
                        written_in: Instance(scope),
                    });
                }
                ast::EquationKind::For(f) => self.gather_equations(scope, &f.equations, out),
                ast::EquationKind::If(i) => {
                    let mut open = true;
                    for b in &i.branches {
                        let holds = self.known(Instance(scope), &b.condition);
                        if open && holds != Some(Known::Bool(false)) {
                            self.gather_equations(scope, &b.equations, out);
                        }
                        open &= holds != Some(Known::Bool(true));
                    }
                    if open {
                        self.gather_equations(scope, &i.else_equations, out);
                    }
                }
                _ => {}
            }
        }
    }

    /// The value of an expression, where parameters stand for their values.
    pub fn known(&mut self, instance: Instance, e: &'a ast::Expr) -> Option<Known> {
        let env = Env::new(instance.0);
        let value = self.flattener.eval_in_constant_mode(e, &env).ok()?;
        self.known_value(&value)
    }

    fn known_value(&self, value: &Value) -> Option<Known> {
        match value {
            Value::Scalar(e) => self.literal(*e),
            Value::Array(a) => {
                let inner = a.dims.get(1..)?.iter().product::<usize>();
                let (outer, rest) = (*a.dims.first()?, a.dims[1..].to_vec());
                let list = (0..outer).map(|k| {
                    let items = a.items.get(k * inner..(k + 1) * inner)?;
                    self.known_value(&Value::array(rest.clone(), items.to_vec()))
                });
                list.collect::<Option<Vec<Known>>>().map(Known::Array)
            }
            Value::Record(r) => {
                let fields = r.fields.iter().map(|(_, v)| self.known_value(v));
                fields.collect::<Option<Vec<Known>>>().map(Known::Array)
            }
            _ => None,
        }
    }

    fn literal(&self, e: ExprId) -> Option<Known> {
        let exprs = &self.flattener.flat.exprs;
        Some(match exprs.get(e) {
            Expr::Bool(b) => Known::Bool(b),
            Expr::Str(s) => Known::Text(exprs.string_text(s).to_owned()),
            Expr::Enum(of, ordinal) => {
                let literals = &self.flattener.flat.enums[of].literals;
                Known::Enum(literals.get((ordinal as usize).checked_sub(1)?)?.clone())
            }
            _ => Known::Number(exprs.as_f64(e)?),
        })
    }

    /// The value of a parameter or constant below an instance, by its path.
    pub fn value(&mut self, instance: Instance, path: &[Symbol]) -> Option<Known> {
        let e = self.element(instance, path)?;
        self.flattener.ready(e).ok()?;
        let c = self.flattener.tree.component(e)?;
        let (is_record, scope) = (matches!(c.content, Content::Class(_)), c.scope);
        let before = std::mem::replace(&mut self.flattener.constant, true);
        let value = match is_record {
            true => self.flattener.whole_component(e, &Env::new(scope)),
            false => self.flattener.parameter_value(e),
        };
        self.flattener.constant = before;
        self.known_value(&value.ok()?)
    }

    /// The text of its value, as the innermost modifier or the declaration has it.
    pub fn binding(&mut self, instance: Instance, path: &[Symbol]) -> Option<String> {
        let e = self.element(instance, path)?;
        let c = self.flattener.tree.component(e)?;
        c.modifier.binding.as_ref().map(|b| b.expr.to_string())
    }

    /// An attribute of a variable that is a text, such as `unit`.
    pub fn text_attribute(
        &mut self,
        instance: Instance,
        path: &[Symbol],
        name: &str,
    ) -> Option<String> {
        let e = self.element(instance, path)?;
        self.flattener.ready(e).ok()?;
        let c = self.flattener.tree.component(e)?;
        let attributes: &Mod<'a> = &c.attributes;
        let binding = attributes.get(name.into())?.binding.as_ref()?;
        match &binding.expr.kind {
            ast::ExprKind::Str(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The text of an attribute of a variable, such as `start`.
    pub fn text_of_attribute(
        &mut self,
        instance: Instance,
        path: &[Symbol],
        name: &str,
    ) -> Option<String> {
        let e = self.element(instance, path)?;
        self.flattener.ready(e).ok()?;
        let c = self.flattener.tree.component(e)?;
        let binding = c.attributes.get(name.into())?.binding.as_ref()?;
        Some(binding.expr.to_string())
    }

    /// The value of an attribute of a variable, such as `start`.
    pub fn attribute(&mut self, instance: Instance, path: &[Symbol], name: &str) -> Option<Known> {
        let e = self.element(instance, path)?;
        self.flattener.ready(e).ok()?;
        let c = self.flattener.tree.component(e)?;
        let binding = c.attributes.get(name.into())?.binding.clone()?;
        let value = self.flattener.eval_binding(&binding, true).ok()?;
        self.known_value(&value)
    }

    /// Where its value is written, and whether that is its own declaration.
    pub fn origin(&mut self, instance: Instance, path: &[Symbol]) -> Option<(Span, bool)> {
        let e = self.element(instance, path)?;
        let c = self.flattener.tree.component(e)?;
        let binding = c.modifier.binding.as_ref()?;
        let own = c.decl.modification.as_ref().and_then(|m| m.value.as_ref());
        let declared = own.is_some_and(|o| std::ptr::eq(o, binding.expr));
        Some((binding.expr.span, declared))
    }

    /// Its sizes, where they are known.
    pub fn sizes(&mut self, instance: Instance, path: &[Symbol]) -> Option<Vec<usize>> {
        let e = self.element(instance, path)?;
        self.flattener.ready(e).ok()?;
        Some(self.flattener.tree.component(e)?.dims.clone())
    }

    fn element(&mut self, instance: Instance, path: &[Symbol]) -> Option<ElementId> {
        let (&last, way) = path.split_last()?;
        let mut scope = instance.0;
        for &name in way {
            let e = self.flattener.member(scope, name).ok()??;
            scope = self.flattener.component_scope(e).ok()??;
        }
        let e = self.flattener.member(scope, last).ok()??;
        self.flattener.tree.component(e).map(|_| e)
    }
}

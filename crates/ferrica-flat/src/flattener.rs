//! The state of one flattening run.

use std::rc::Rc;

use ferrica_classes::Library;
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, EnumId, ExprId, FunctionId, Span, Symbol, Text, Texts, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::connect::ConnectionGraph;
use crate::instance::ClassRef;
use crate::instance::{ElementId, Expansion, Scope, ScopeId, Tree};

/// A result whose error is one message to the user.
pub type R<T> = Result<T, Box<Diagnostic>>;

pub fn error<T>(code: &'static str, span: Span, message: impl Into<String>) -> R<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// The value of a scalar variable, by its name.
pub type Observed<'o> = dyn Fn(&str) -> Option<f64> + Sync + 'o;

/// Names that are looked up often, interned once.
pub struct Names {
    pub real: Symbol,
    pub integer: Symbol,
    pub boolean: Symbol,
    pub string: Symbol,
    pub clock: Symbol,
    pub external_object: Symbol,
    pub state_select: Symbol,
    pub assertion_level: Symbol,
    pub time: Symbol,
    pub equality_constraint: Symbol,
}

pub struct Flattener<'a> {
    pub lib: &'a Library,
    pub tree: Tree<'a>,
    pub flat: FlatModel,
    pub diagnostics: Vec<Diagnostic>,
    pub reported: crate::report::Reported,
    /// A class contains itself without end: the instance tree stays incomplete.
    pub endless: bool,
    /// Classes of the model that lack a part because of an error.
    pub incomplete: FxHashSet<ScopeId>,
    pub roots: FxHashMap<Symbol, ElementId>,
    pub enums: FxHashMap<*const ferrica_syntax::ast::ClassDef, EnumId>,
    pub names: Names,
    pub state_select: EnumId,
    pub assertion_level: EnumId,
    pub graph: ConnectionGraph,
    /// Functions that stayed calls, by specialisation.
    pub functions: FxHashMap<crate::external::FunctionKey, FunctionId>,
    /// Those among them that are too large to be written out at each call.
    pub large: FxHashSet<crate::external::FunctionKey>,
    /// Depth of nested function calls, against endless recursion.
    pub depth: u32,
    /// Root scope of the model.
    pub model: Option<ScopeId>,
    /// Cache of imports: (scope, name) → element.
    pub import_cache: FxHashMap<(ScopeId, Symbol), Option<crate::lookup::Found>>,
    /// Auxiliary variables made for when-conditions.
    pub auxiliary: u32,
    /// Steps left for compile-time execution of algorithms.
    pub budget: u64,
    /// Constant mode: parameters stand for their values.
    pub constant: bool,
    /// Values that stand for variables below a scope in constant mode: those at an instant of a run.
    pub observed: Option<(ScopeId, &'a Observed<'a>)>,
    /// Sizes that `end` stands for, innermost last.
    pub ends: Vec<ferrica_ir::ExprId>,
    pub signatures: FxHashMap<ScopeId, Rc<crate::signature::Signature<'a>>>,
    /// What calls assert whose course is followed inside of a function that is executed at run time: it asserts that itself.
    pub asserted: Vec<ferrica_ir::function::Stmt>,
    /// Functions that have been looked at for variables without a value, with what they assign on some ways only.
    pub unsure: FxHashMap<ScopeId, Rc<crate::checks::Unsure>>,
    /// Places that read such a variable.
    pub unsure_reads: FxHashSet<Span>,
    /// Functions that are known to have no more than one body.
    pub body_checked: FxHashSet<ScopeId>,
    pub(crate) event_memo: crate::function_events::EventMemo,
    /// Run-time conditions around the statement that is being executed.
    pub guards: Vec<ExprId>,
    /// How many run-time decisions surround what is being evaluated.
    pub undecided: u32,
    /// Functions that are being executed symbolically, each with `undecided` at its call.
    pub active: Vec<(ScopeId, u32)>,
    /// Depth of when-clauses around it.
    pub in_when: u32,
    /// The run-time function that is being written, and the functions around it.
    pub emitter: crate::lower::Emitter,
    pub lowering: Vec<ScopeId>,
    /// Message of the assertion that has just failed.
    pub failed_message: Option<ExprId>,
    /// The next arguments of discrete type are evaluated to literals where possible.
    pub literal_arguments: bool,
    /// Functions with ranges that are known only at run time may be executed then.
    pub late_ranges: bool,
    /// The loop over the elements of slices that is being written.
    pub slices: Option<crate::lower_ranges::Slices>,
    /// Names that no class around a definition declares: the predefined functions.
    pub not_shadowed: FxHashSet<(*const ferrica_syntax::ast::ClassDef, Symbol)>,
    /// Component whose equations are being made.
    pub current: u32,
    /// Equations go to the initial system.
    pub initial: bool,
    /// A call without result that waits to become an effect.
    pub pending_effect: Option<ExprId>,
    /// The function that is being written changes something outside: what it reads may be another thing then.
    pub in_order: bool,
    /// Effects that there were before the outermost call that is being followed.
    pub effects_before: usize,
    pub assertions_seen: FxHashSet<(Option<ExprId>, ExprId)>,
    /// Auxiliary variable of an expression.
    pub auxiliaries: FxHashMap<(ExprId, Ty), VarId>,
    pub stream_flows: FxHashMap<VarId, VarId>,
    /// What `actualStream` has given: its flow, the value for a positive flow, the other.
    pub actual_streams: FxHashMap<ExprId, [ExprId; 3]>,
    /// Comparisons of Reals for equality outside of functions, and where they stand.
    pub equalities: FxHashMap<ExprId, Span>,
    /// Connected outputs: the component and the place of the connection, what is told, and those of the two that a component gives.
    pub two_sources: Vec<(u32, Span, String, [Option<crate::instance::ElementId>; 2])>,
    /// Signs of the flows of connectors with stream variables.
    pub flow_limits: FxHashMap<VarId, crate::connection_equations::FlowLimits>,
    /// Connects that wait for members of expandable connectors.
    pub expandable_pending: Vec<PendingConnect<'a>>,
    /// Class definitions whose restrictions have been checked.
    pub checked: FxHashSet<*const ferrica_syntax::ast::ClassDef>,
    /// Redeclarations to be compared with their constraints.
    pub replacements: Vec<crate::checks::Replacement<'a>>,
    /// Members of `outer` components that are known to be there.
    pub outer_members: FxHashSet<(*const ferrica_syntax::ast::Component, Symbol)>,
    pub imbalance: Option<Diagnostic>,
    /// Units, descriptions and names of classes, each once.
    pub texts: Texts,
    pub class_names: FxHashMap<ferrica_classes::ClassId, Text>,
    pub machines: crate::state_machines::StateMachines,
    /// Elements of arrays are not replaced by their first one.
    pub one_by_one: bool,
    /// Families whose first element is being worked on.
    pub templates: Vec<ElementId>,
    /// How often something was asked that may have another answer for each element of an array.
    pub irregular: usize,
}

/// Scope, loop variables, both sides, place and component of a connect.
pub type PendingConnect<'a> = (
    ScopeId,
    Vec<crate::eval::Local>,
    &'a ferrica_syntax::ast::ComponentRef,
    &'a ferrica_syntax::ast::ComponentRef,
    Span,
    u32,
);

impl<'a> Flattener<'a> {
    pub fn new(lib: &'a Library) -> Flattener<'a> {
        let mut flat = FlatModel::default();
        let enumeration = |name: &str, literals: &[&str]| ferrica_ir::flat::EnumType {
            name: name.into(),
            literals: literals.iter().map(|s| s.to_string()).collect(),
        };
        let state_select = flat.enums.push(enumeration(
            "StateSelect",
            &["never", "avoid", "default", "prefer", "always"],
        ));
        let assertion_level = flat
            .enums
            .push(enumeration("AssertionLevel", &["warning", "error"]));
        Flattener {
            lib,
            tree: Tree::new(),
            flat,
            diagnostics: Vec::new(),
            reported: Default::default(),
            endless: false,
            incomplete: FxHashSet::default(),
            roots: FxHashMap::default(),
            enums: FxHashMap::default(),
            names: Names {
                real: "Real".into(),
                integer: "Integer".into(),
                boolean: "Boolean".into(),
                string: "String".into(),
                clock: "Clock".into(),
                external_object: "ExternalObject".into(),
                state_select: "StateSelect".into(),
                assertion_level: "AssertionLevel".into(),
                time: "time".into(),
                equality_constraint: "equalityConstraint".into(),
            },
            state_select,
            assertion_level,
            graph: ConnectionGraph::default(),
            functions: FxHashMap::default(),
            large: FxHashSet::default(),
            depth: 0,
            model: None,
            import_cache: FxHashMap::default(),
            auxiliary: 0,
            budget: crate::limits::STEPS,
            constant: false,
            observed: None,
            ends: Vec::new(),
            signatures: FxHashMap::default(),
            asserted: Vec::new(),
            unsure: FxHashMap::default(),
            unsure_reads: FxHashSet::default(),
            body_checked: FxHashSet::default(),
            event_memo: Default::default(),
            guards: Vec::new(),
            undecided: 0,
            active: Vec::new(),
            in_when: 0,
            emitter: Default::default(),
            lowering: Vec::new(),
            failed_message: None,
            literal_arguments: false,
            late_ranges: false,
            slices: None,
            not_shadowed: FxHashSet::default(),
            current: 0,
            initial: false,
            pending_effect: None,
            in_order: false,
            effects_before: 0,
            assertions_seen: FxHashSet::default(),
            auxiliaries: FxHashMap::default(),
            stream_flows: FxHashMap::default(),
            actual_streams: FxHashMap::default(),
            equalities: FxHashMap::default(),
            two_sources: Vec::new(),
            flow_limits: FxHashMap::default(),
            expandable_pending: Vec::new(),
            checked: FxHashSet::default(),
            replacements: Vec::new(),
            outer_members: FxHashSet::default(),
            imbalance: None,
            texts: Texts::default(),
            class_names: FxHashMap::default(),
            machines: Default::default(),
            one_by_one: false,
            templates: Vec::new(),
            irregular: 0,
        }
    }

    /// The predefined type of that name.
    pub fn predefined(&self, name: Symbol) -> Option<Ty> {
        let n = &self.names;
        Some(match name {
            _ if name == n.real => Ty::Real,
            _ if name == n.integer => Ty::Integer,
            _ if name == n.boolean => Ty::Boolean,
            _ if name == n.string => Ty::String,
            _ if name == n.clock => Ty::Clock,
            _ if name == n.external_object => Ty::External,
            _ if name == n.state_select => Ty::Enum(self.state_select),
            _ if name == n.assertion_level => Ty::Enum(self.assertion_level),
            _ => return None,
        })
    }

    pub fn new_scope(&mut self, class: ClassRef<'a>, path: Rc<str>) -> ScopeId {
        self.tree.scopes.push(Scope {
            class,
            expansion: Expansion::No,
            members: FxHashMap::default(),
            order: Vec::new(),
            bases: Vec::new(),
            derived: None,
            extended_at: Span::NONE,
            owner: None,
            path,
            component: 0,
            deselected: Vec::new(),
            dropped: Vec::new(),
            builtin: None,
            attributes: Rc::default(),
            type_dims: Vec::new(),
            prefixes: Default::default(),
        })
    }

    /// Scope of the class that lexically encloses a class of the library.
    pub fn enclosing_scope(&mut self, class: ferrica_classes::ClassId) -> R<Option<ScopeId>> {
        let Some(parent) = self.lib.parent(class) else {
            return Ok(None);
        };
        let outer = self.enclosing_scope(parent)?;
        let name = self.lib.def(parent).name;
        let element = match outer {
            Some(o) => self.member(o, name)?,
            None => self.root(name),
        };
        match element {
            Some(e) => self.class_scope(e).map(Some),
            None => Ok(outer),
        }
    }

    /// Full name of the class of a scope, for messages.
    pub fn class_name(&self, scope: ScopeId) -> String {
        let class = &self.tree.scopes[scope].class;
        match class.id {
            Some(id) => self.lib.full_name(id),
            None => class.def.name.as_str().to_string(),
        }
    }

    /// The same, made once for all instances of the class.
    pub fn shared_class_name(&mut self, scope: ScopeId) -> Text {
        let class = &self.tree.scopes[scope].class;
        let Some(id) = class.id else {
            return self.texts.share(class.def.name.as_str());
        };
        let lib = self.lib;
        let name = (self.class_names.entry(id)).or_insert_with(|| lib.full_name(id).into());
        name.clone()
    }

    /// The scope of the instance that this (base) scope belongs to.
    pub fn most_derived(&self, mut scope: ScopeId) -> ScopeId {
        while let Some(d) = self.tree.scopes[scope].derived {
            scope = d;
        }
        scope
    }

    /// Is the scope part of the model's instance tree (rather than a package or function)?
    pub fn in_model(&self, scope: ScopeId) -> bool {
        self.model.is_some_and(|root| self.is_within(scope, root))
    }

    /// Is the scope that of another one or of a component somewhere in it?
    pub fn is_within(&self, scope: ScopeId, root: ScopeId) -> bool {
        let scope = self.most_derived(scope);
        scope == root
            || self.tree.scopes[scope].owner.is_some_and(|(e, _)| {
                let around = self.tree.component(e);
                around.is_some_and(|c| self.is_within(c.owner, root))
            })
    }
}

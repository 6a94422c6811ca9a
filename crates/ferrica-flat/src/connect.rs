//! Connections (chapter 9): connection sets of potentials, flows and streams.
//!
//! Connects are collected from all instances before any equation is evaluated, since `cardinality`,
//! `inStream` and `Connections.isRoot` need to know them. Sets are kept per scalar variable by
//! union–find; a flow or stream variable counts as inside (connector of a component) or outside
//! (connector of the class that holds the `connect`).

use ferrica_ir::{Span, VarId};
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::Env;
use crate::family::Shift;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State};
use crate::lookup::Found;
use crate::subscripts::select;

/// One connector instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Port {
    /// A connector class: its scope, or that of the instance that stands for it.
    Class(ScopeId, Shift),
    /// A connector of a predefined type: its element and number, likewise.
    Scalar(ElementId, u32, Shift),
}

/// From where a connection sees a connector, and which one of those that its instance stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub outside: bool,
    pub shift: Shift,
}

impl Side {
    pub fn of_instance(outside: bool) -> Side {
        let shift = Shift::NONE;
        Side { outside, shift }
    }
}

/// What a connector is, whatever stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Identity {
    Component(u32),
    Variable(VarId),
}

/// A connector as seen by a `connect`.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub port: Port,
    pub outside: bool,
}

impl End {
    pub fn side(&self) -> Side {
        let (Port::Class(_, shift) | Port::Scalar(_, _, shift)) = self.port;
        Side {
            outside: self.outside,
            shift,
        }
    }

    /// The same connector of another element of a family.
    pub fn moved(self, by: Shift) -> End {
        let port = match self.port {
            Port::Class(s, shift) => Port::Class(s, shift.plus(by)),
            Port::Scalar(e, k, shift) => Port::Scalar(e, k, shift.plus(by)),
        };
        End { port, ..self }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Done,
    Absent,
    Missing,
}

/// What a reference in a `connect` names.
pub enum Ends {
    Found(Vec<End>),
    /// A component on the way is not there because its condition is false.
    Absent,
    /// A member of an expandable connector that does not exist yet.
    Missing,
}

impl Ends {
    pub fn list(self) -> Option<Vec<End>> {
        match self {
            Ends::Found(list) => Some(list),
            Ends::Absent | Ends::Missing => None,
        }
    }
}

/// A node of the graph of overconstrained connectors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Record(ScopeId),
    /// A variable or array of an overdetermined predefined type, as a whole.
    Variable(ElementId),
}

impl Port {
    /// Overdetermined types are never part of a family.
    pub fn node(self) -> Node {
        match self {
            Port::Class(s, _) => Node::Record(s),
            Port::Scalar(e, ..) => Node::Variable(e),
        }
    }
}

/// An edge of the graph of overconstrained connectors.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub a: Node,
    pub b: Node,
    pub outside: (bool, bool),
    pub span: Span,
    pub component: u32,
}

#[derive(Default)]
pub struct ConnectionGraph {
    pub nodes: FxHashMap<(VarId, bool), u32>,
    pub members: Vec<(VarId, bool)>,
    parent: Vec<u32>,
    /// Where each set was connected, for messages.
    pub spans: Vec<Span>,
    pub components: Vec<u32>,
    /// How often each connector takes part in a `connect`.
    pub cardinality: FxHashMap<Identity, u32>,
    pub pairs: Vec<(End, End, Span, u32)>,
    pub branches: Vec<(Node, Node)>,
    pub roots: Vec<(Node, i64)>,
    pub potential_roots: Vec<(Node, i64)>,
    pub optional: Vec<Edge>,
    /// Parameters of connected connectors.
    pub equal_parameters: Vec<(VarId, VarId, Span, u32)>,
    pub is_root: FxHashSet<Node>,
    /// Distance to the root along the spanning tree.
    pub depth: FxHashMap<Node, u32>,
    pub sets: Vec<Vec<(VarId, bool)>>,
    pub set_of: FxHashMap<(VarId, bool), u32>,
    pub built: bool,
}

impl ConnectionGraph {
    pub fn node(&mut self, v: VarId, outside: bool, span: Span, component: u32) -> u32 {
        let next = self.members.len() as u32;
        let id = *self.nodes.entry((v, outside)).or_insert(next);
        if id == next {
            self.members.push((v, outside));
            self.parent.push(id);
            self.spans.push(span);
            self.components.push(component);
        }
        id
    }

    /// Is the variable in a set with one that is not among `own`?
    pub fn joins_other(&self, v: VarId, own: &FxHashSet<VarId>) -> bool {
        [false, true].iter().any(|&outside| {
            self.set_of
                .get(&(v, outside))
                .and_then(|&k| self.sets.get(k as usize))
                .is_some_and(|set| set.iter().any(|(w, _)| !own.contains(w)))
        })
    }

    /// Does any connection name this variable?
    pub fn is_connected(&self, v: VarId) -> bool {
        [false, true].iter().any(|&outside| {
            self.set_of
                .get(&(v, outside))
                .and_then(|&k| self.sets.get(k as usize))
                .is_some_and(|set| set.len() > 1)
        })
    }

    pub fn find(&mut self, mut n: u32) -> u32 {
        while self.parent[n as usize] != n {
            let up = self.parent[self.parent[n as usize] as usize];
            self.parent[n as usize] = up;
            n = up;
        }
        n
    }

    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }
}

impl<'a> Flattener<'a> {
    // Collection.

    /// Collects the connects of an instance and of everything below it.
    pub fn collect_connections(&mut self, scope: ScopeId) {
        self.current = self.tree.scopes[scope].component;
        self.collect_sections(scope);
        for k in 0..self.tree.scopes[scope].order.len() {
            let e = self.tree.scopes[scope].order[k];
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            if c.state != State::Ready {
                continue;
            }
            match &c.content {
                Content::Class(scopes) => {
                    for &s in scopes.clone().iter() {
                        self.collect_connections(s);
                    }
                }
                Content::Family(family) => self.collect_family(e, *family),
                Content::Scalar(_) | Content::Outer(_) | Content::None => {}
            }
        }
    }

    pub fn port_identity(&mut self, port: Port) -> Identity {
        match port {
            Port::Class(s, shift) => {
                Identity::Component(self.tree.scopes[s].component + shift.components)
            }
            Port::Scalar(e, k, shift) => {
                let first = self.var_of(e).as_u32();
                Identity::Variable(shift.var(VarId::from_u32(first + k)))
            }
        }
    }

    fn collect_sections(&mut self, scope: ScopeId) {
        for k in 0..self.tree.scopes[scope].bases.len() {
            let base = self.tree.scopes[scope].bases[k];
            self.collect_sections(base);
        }
        let Some(body) = self.tree.scopes[scope].class.def.long() else {
            return;
        };
        let env = Env::new(scope);
        for e in &body.equations {
            if has_connections(e)
                && let Err(d) = self.collect(e, &env)
            {
                self.report(d);
            }
        }
    }

    fn collect(&mut self, e: &'a ast::Equation, env: &Env) -> R<()> {
        match &e.kind {
            ast::EquationKind::Connect(a, b) => {
                if self.is_deselected(env.scope, a, b) {
                    return Ok(());
                }
                self.collect_connect(a, b, env, e.span)
            }
            ast::EquationKind::For(f) => {
                if let [it] = &f.iterators[..]
                    && self.regular_connections(it, &f.equations, env)?
                {
                    return Ok(());
                }
                let body = crate::iterators::uses_in_equations(&f.equations);
                self.for_each(&f.iterators, env, &body, &mut |me, inner| {
                    for e in f.equations.iter().filter(|e| has_connections(e)) {
                        me.collect(e, inner)?;
                    }
                    Ok(())
                })
            }
            ast::EquationKind::If(i) => {
                for b in &i.branches {
                    let c = self.eval_constant(&b.condition, env)?;
                    if self.flat.exprs.as_bool(c) == Some(true) {
                        for e in b.equations.iter().filter(|e| has_connections(e)) {
                            self.collect(e, env)?;
                        }
                        return Ok(());
                    }
                }
                for e in i.else_equations.iter().filter(|e| has_connections(e)) {
                    self.collect(e, env)?;
                }
                Ok(())
            }
            ast::EquationKind::Call(call) => {
                let ast::ExprKind::Call(call) = &call.kind else {
                    return Ok(());
                };
                self.collect_graph_call(call, env, e.span)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn is_deselected(
        &self,
        scope: ScopeId,
        a: &ast::ComponentRef,
        b: &ast::ComponentRef,
    ) -> bool {
        // A deselection holds for the class that is extended and for those that it extends itself.
        std::iter::successors(Some(scope), |&s| self.tree.scopes[s].derived).any(|s| {
            let s = &self.tree.scopes[s];
            let leads_away = |r: &ast::ComponentRef| s.dropped.contains(&r.parts[0].name);
            let mut named = s.deselected.iter();
            leads_away(a) || leads_away(b) || named.any(|&(p, q)| same_connection((p, q), (a, b)))
        })
    }

    fn collect_connect(
        &mut self,
        a: &'a ast::ComponentRef,
        b: &'a ast::ComponentRef,
        env: &Env,
        span: Span,
    ) -> R<()> {
        let ends = self.connect_ends(a, b, env, span)?;
        let Some((left, right)) = ends else {
            return Ok(());
        };
        if left.len() != right.len() {
            return error(
                "E0350",
                span,
                format!(
                    "`connect({a}, {b})` joins {} and {} connectors",
                    left.len(),
                    right.len()
                ),
            );
        }
        for (x, y) in left.into_iter().zip(right) {
            self.check_is_connector(&x, a, span);
            self.check_is_connector(&y, b, span);
            self.add_pair(x, y, span);
        }
        Ok(())
    }

    pub(crate) fn add_pair(&mut self, x: End, y: End, span: Span) {
        for p in [x.port, y.port] {
            let identity = self.port_identity(p);
            *self.graph.cardinality.entry(identity).or_default() += 1;
        }
        let component = self.current;
        self.graph.pairs.push((x, y, span, component));
    }

    /// The connectors of both sides; `None` if one of them does not exist.
    pub(crate) fn connect_ends(
        &mut self,
        a: &'a ast::ComponentRef,
        b: &'a ast::ComponentRef,
        env: &Env,
        span: Span,
    ) -> R<Option<(Vec<End>, Vec<End>)>> {
        let left = self.ends(a, env);
        let right = self.ends(b, env);
        match (left, right) {
            // Where one side is not there, the other may have fewer elements than the connection names.
            (Err(d), Ok(Ends::Absent)) | (Ok(Ends::Absent), Err(d)) if d.code == "E0318" => {
                Ok(None)
            }
            (Err(d), _) | (_, Err(d)) => Err(d),
            (Ok(Ends::Found(x)), Ok(Ends::Found(y))) => Ok(Some((x, y))),
            (Ok(Ends::Absent), _) | (_, Ok(Ends::Absent)) => Ok(None),
            _ => {
                self.expandable_pending.push((
                    env.scope,
                    env.locals.clone(),
                    a,
                    b,
                    span,
                    self.current,
                ));
                Ok(None)
            }
        }
    }

    /// Connectors that a reference names.
    pub fn ends(&mut self, r: &'a ast::ComponentRef, env: &Env) -> R<Ends> {
        let first = &r.parts[0];
        let Some(Found::Element(e)) = self.lookup_simple(env.scope, first.name)? else {
            return Err(Box::new(self.unknown_name(env.scope, first.name, r.span)));
        };
        let mut list = Vec::new();
        if self.tree.component(e).is_none() {
            return error("E0351", r.span, format!("`{r}` is not a connector"));
        }
        let actual = self.actual(e)?;
        if self
            .tree
            .component(actual)
            .is_some_and(|c| c.state == State::Absent)
        {
            return Ok(Ends::Absent);
        }
        // A connector is outside when the reference starts at a connector of this class itself.
        let outside = match self.tree.component(actual).map(|c| &c.content) {
            Some(Content::Scalar(_)) => r.parts.len() == 1,
            Some(Content::Class(scopes)) => scopes
                .first()
                .is_some_and(|&s| self.tree.scopes[s].class.def.kind.is_connector()),
            Some(Content::Family(f)) => self.tree.scopes[f.first].class.def.kind.is_connector(),
            _ => false,
        };
        if !outside {
            self.check_connect_form(actual, r);
        }
        let found = self.walk_ends(actual, &r.parts, env, outside, Shift::NONE, &mut list)?;
        Ok(match found {
            Walk::Done => Ends::Found(list),
            Walk::Absent => Ends::Absent,
            Walk::Missing => Ends::Missing,
        })
    }

    /// Instances that a reference names, whatever their class.
    pub fn instances(&mut self, r: &'a ast::ComponentRef, env: &Env) -> R<Vec<Port>> {
        if let Some(root) = self.model {
            self.fall_apart_below(root)?;
        }
        let first = &r.parts[0];
        let Some(Found::Element(e)) = self.lookup_simple(env.scope, first.name)? else {
            return Err(Box::new(self.unknown_name(env.scope, first.name, r.span)));
        };
        let mut list = Vec::new();
        self.walk_ends(e, &r.parts, env, false, Shift::NONE, &mut list)?;
        Ok(list.into_iter().map(|end| end.port).collect())
    }

    fn walk_ends(
        &mut self,
        e: ElementId,
        parts: &'a [ast::RefPart],
        env: &Env,
        outside: bool,
        shift: Shift,
        out: &mut Vec<End>,
    ) -> R<Walk> {
        let e = self.actual(e)?;
        let part = &parts[0];
        let Some(c) = self.tree.component(e) else {
            return error(
                "E0351",
                part.span,
                format!("`{}` is not a component", part.name),
            );
        };
        if c.state == State::Absent {
            return Ok(Walk::Absent);
        }
        let dims = c.dims.clone();
        let selected = if part.subscripts.is_empty() {
            (0..dims.iter().product()).collect()
        } else {
            let positions = self.positions(&part.subscripts, &dims, env, part.span)?;
            if positions
                .iter()
                .any(|p| matches!(p, crate::subscripts::Pos::Dynamic(_)))
            {
                return error(
                    "E0323",
                    part.span,
                    "a subscript in a connection must be known at compile time",
                );
            }
            select(&positions, &dims).1
        };
        if let Some(Content::Family(family)) = self.tree.component(e).map(|c| &c.content) {
            let family = *family;
            self.irregular += usize::from(self.templates.contains(&e));
            if let Some(numbers) = family.numbers {
                for k in selected {
                    let shift = shift.plus(numbers.shift(k as u32));
                    let Some(next) = parts.get(1) else {
                        out.push(End {
                            port: Port::Class(family.first, shift),
                            outside,
                        });
                        continue;
                    };
                    let Some(m) = self.member(family.first, next.name)? else {
                        let of = family.first;
                        return Err(Box::new(self.unknown_member(of, next.name, next.span)));
                    };
                    let walked = self.walk_ends(m, &parts[1..], env, outside, shift, out)?;
                    if walked != Walk::Done {
                        return Ok(walked);
                    }
                }
                return Ok(Walk::Done);
            }
            self.fall_apart(e)?;
        }
        match self.tree.component(e).map(|c| &c.content) {
            Some(Content::Scalar(_)) => {
                if parts.len() > 1 {
                    return error(
                        "E0312",
                        parts[1].span,
                        format!("`{}` has no member `{}`", part.name, parts[1].name),
                    );
                }
                out.extend(selected.into_iter().map(|k| End {
                    port: Port::Scalar(e, k as u32, shift),
                    outside,
                }));
                Ok(Walk::Done)
            }
            Some(Content::Class(scopes)) => {
                let scopes = scopes.clone();
                if parts.len() == 1 {
                    for k in selected {
                        out.push(End {
                            port: Port::Class(scopes[k], shift),
                            outside,
                        });
                    }
                    return Ok(Walk::Done);
                }
                let next = &parts[1];
                for k in selected {
                    match self.member(scopes[k], next.name)? {
                        Some(m) => {
                            let walked =
                                self.walk_ends(m, &parts[1..], env, outside, shift, out)?;
                            if walked != Walk::Done {
                                return Ok(walked);
                            }
                        }
                        None if self.is_expandable(scopes[k]) => return Ok(Walk::Missing),
                        None => {
                            return Err(Box::new(
                                self.unknown_member(scopes[k], next.name, next.span),
                            ));
                        }
                    }
                }
                Ok(Walk::Done)
            }
            _ => Ok(Walk::Absent),
        }
    }

    pub fn is_expandable(&self, scope: ScopeId) -> bool {
        let s = &self.tree.scopes[scope];
        s.class.def.kind == ast::ClassKind::ExpandableConnector
            || s.bases.iter().any(|&b| self.is_expandable(b))
    }
}

/// Does an equation hold a `connect` or a `Connections.…` call?
pub fn has_connections(e: &ast::Equation) -> bool {
    match &e.kind {
        ast::EquationKind::Connect(..) => true,
        ast::EquationKind::For(f) => f.equations.iter().any(has_connections),
        ast::EquationKind::If(i) => {
            i.branches
                .iter()
                .any(|b| b.equations.iter().any(has_connections))
                || i.else_equations.iter().any(has_connections)
        }
        ast::EquationKind::Call(e) => match &e.kind {
            ast::ExprKind::Call(c) => c.function.parts[0].name.as_str() == "Connections",
            _ => false,
        },
        _ => false,
    }
}

/// The same two connectors, in either order.
fn same_connection(
    (p, q): (&ast::ComponentRef, &ast::ComponentRef),
    (a, b): (&ast::ComponentRef, &ast::ComponentRef),
) -> bool {
    let same = |x: &ast::ComponentRef, y: &ast::ComponentRef| x.to_string() == y.to_string();
    (same(p, a) && same(q, b)) || (same(p, b) && same(q, a))
}

/// Whether `connect(a, b)` is among equations.
pub fn writes_connection(
    list: &[ast::Equation],
    a: &ast::ComponentRef,
    b: &ast::ComponentRef,
) -> bool {
    list.iter().any(|e| match &e.kind {
        ast::EquationKind::Connect(p, q) => same_connection((p, q), (a, b)),
        ast::EquationKind::For(f) => writes_connection(&f.equations, a, b),
        ast::EquationKind::If(i) => {
            i.branches
                .iter()
                .any(|x| writes_connection(&x.equations, a, b))
                || writes_connection(&i.else_equations, a, b)
        }
        _ => false,
    })
}

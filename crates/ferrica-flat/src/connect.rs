//! Connections (chapter 9): connection sets of potentials, flows and streams.
//!
//! Connects are collected from all instances before any equation is evaluated, since `cardinality`,
//! `inStream` and `Connections.isRoot` need to know them. Sets are kept per scalar variable by
//! union–find; a flow or stream variable counts as inside (connector of a component) or outside
//! (connector of the class that holds the `connect`).

use ferrica_ir::flat::{Connection, ConnectorRole, Origin, Variability};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Span, Symbol, VarId};
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::{Env, select};
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State};
use crate::lookup::Found;
use crate::value::Value;

/// One connector instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Port {
    /// A connector class: its scope.
    Class(ScopeId),
    /// A connector of a predefined type: its element and number.
    Scalar(ElementId, u32),
}

/// A connector as seen by a `connect`.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub port: Port,
    pub outside: bool,
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

/// An edge of the graph of overconstrained connectors.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub a: ScopeId,
    pub b: ScopeId,
    pub outside: (bool, bool),
    pub span: Span,
    pub component: u32,
}

#[derive(Default)]
pub struct ConnectionGraph {
    nodes: FxHashMap<(VarId, bool), u32>,
    members: Vec<(VarId, bool)>,
    parent: Vec<u32>,
    /// Where each set was connected, for messages.
    spans: Vec<Span>,
    components: Vec<u32>,
    /// How often each connector takes part in a `connect`.
    pub cardinality: FxHashMap<Port, u32>,
    pub pairs: Vec<(End, End, Span, u32)>,
    pub branches: Vec<(ScopeId, ScopeId)>,
    pub roots: Vec<(ScopeId, i64)>,
    pub potential_roots: Vec<(ScopeId, i64)>,
    pub optional: Vec<Edge>,
    pub is_root: rustc_hash::FxHashSet<ScopeId>,
    /// Distance to the root along the spanning tree.
    pub depth: FxHashMap<ScopeId, u32>,
    sets: Vec<Vec<(VarId, bool)>>,
    set_of: FxHashMap<(VarId, bool), u32>,
    built: bool,
}

impl ConnectionGraph {
    fn node(&mut self, v: VarId, outside: bool, span: Span, component: u32) -> u32 {
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

    fn find(&mut self, mut n: u32) -> u32 {
        while self.parent[n as usize] != n {
            let up = self.parent[self.parent[n as usize] as usize];
            self.parent[n as usize] = up;
            n = up;
        }
        n
    }

    fn union(&mut self, a: u32, b: u32) {
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
            if let Content::Class(scopes) = &c.content {
                for s in scopes.clone() {
                    self.collect_connections(s);
                }
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

    fn is_deselected(&self, scope: ScopeId, a: &ast::ComponentRef, b: &ast::ComponentRef) -> bool {
        let same = |x: &ast::ComponentRef, y: &ast::ComponentRef| x.to_string() == y.to_string();
        self.tree.scopes[scope]
            .deselected
            .iter()
            .any(|(p, q)| (same(p, a) && same(q, b)) || (same(p, b) && same(q, a)))
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

    pub fn add_pair(&mut self, x: End, y: End, span: Span) {
        for p in [x.port, y.port] {
            *self.graph.cardinality.entry(p).or_default() += 1;
        }
        let component = self.current;
        self.graph.pairs.push((x, y, span, component));
    }

    /// The connectors of both sides; `None` if one of them does not exist.
    fn connect_ends(
        &mut self,
        a: &'a ast::ComponentRef,
        b: &'a ast::ComponentRef,
        env: &Env,
        span: Span,
    ) -> R<Option<(Vec<End>, Vec<End>)>> {
        let left = self.ends(a, env);
        let right = self.ends(b, env);
        match (left, right) {
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
            _ => false,
        };
        if !outside {
            self.check_connect_form(actual, r);
        }
        let found = self.walk_ends(actual, &r.parts, env, outside, &mut list)?;
        Ok(match found {
            Walk::Done => Ends::Found(list),
            Walk::Absent => Ends::Absent,
            Walk::Missing => Ends::Missing,
        })
    }

    fn walk_ends(
        &mut self,
        e: ElementId,
        parts: &'a [ast::RefPart],
        env: &Env,
        outside: bool,
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
                .any(|p| matches!(p, crate::eval::Pos::Dynamic(_)))
            {
                return error(
                    "E0323",
                    part.span,
                    "a subscript in a connection must be known at compile time",
                );
            }
            select(&positions, &dims).1
        };
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
                    port: Port::Scalar(e, k as u32),
                    outside,
                }));
                Ok(Walk::Done)
            }
            Some(Content::Class(scopes)) => {
                let scopes = scopes.clone();
                if parts.len() == 1 {
                    for k in selected {
                        out.push(End {
                            port: Port::Class(scopes[k]),
                            outside,
                        });
                    }
                    return Ok(Walk::Done);
                }
                let next = &parts[1];
                for k in selected {
                    match self.member(scopes[k], next.name)? {
                        Some(m) => {
                            let walked = self.walk_ends(m, &parts[1..], env, outside, out)?;
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

    // Sets.

    /// Joins the variables of all collected pairs; afterwards the operators on connections answer.
    pub fn build_connection_sets(&mut self) {
        let pairs = std::mem::take(&mut self.graph.pairs);
        for (x, y, span, component) in &pairs {
            self.current = *component;
            self.record_connection(x.port, y.port, *span, *component);
            if let Err(d) = self.join(*x, *y, *span) {
                self.report(d);
            }
        }
        self.graph.pairs = pairs;
        self.solve_overconstrained();
        // Every flow of a component's connector takes part in a set, alone if need be.
        for v in self.flow_and_stream_vars() {
            self.graph.node(v, false, Span::NONE, 0);
        }
        let count = self.graph.members.len();
        let mut index = FxHashMap::default();
        for n in 0..count as u32 {
            let root = self.graph.find(n);
            let next = self.graph.sets.len() as u32;
            let k = *index.entry(root).or_insert(next);
            if k == next {
                self.graph.sets.push(Vec::new());
            }
            let member = self.graph.members[n as usize];
            self.graph.sets[k as usize].push(member);
            self.graph.set_of.insert(member, k);
        }
        self.graph.built = true;
    }

    fn record_connection(&mut self, a: Port, b: Port, span: Span, component: u32) {
        if let (Port::Class(x), Port::Class(y)) = (a, b) {
            let (a, b) = (self.tree.scopes[x].component, self.tree.scopes[y].component);
            self.flat.connections.push(Connection {
                a,
                b,
                span,
                component,
            });
        }
    }

    fn flow_and_stream_vars(&self) -> Vec<VarId> {
        let mut out = Vec::new();
        for element in self.tree.elements.values() {
            let crate::instance::Element::Component(c) = element else {
                continue;
            };
            let wanted = matches!(c.role, ConnectorRole::Flow | ConnectorRole::Stream)
                && c.state == State::Ready;
            if let (true, true, Some(first)) = (wanted, c.in_connector, c.first_var) {
                let n: usize = c.dims.iter().product();
                out.extend((0..n as u32).map(|k| VarId::from_u32(first.as_u32() + k)));
            }
        }
        out
    }

    fn join(&mut self, x: End, y: End, span: Span) -> R<()> {
        match (x.port, y.port) {
            (Port::Scalar(a, i), Port::Scalar(b, j)) => {
                let (p, q) = (self.var_of(a), self.var_of(b));
                let role = self.role_of(a);
                self.check_roles(a, b, span)?;
                self.check_joined(a, b, x.outside, y.outside, span);
                let p = VarId::from_u32(p.as_u32() + i);
                let q = VarId::from_u32(q.as_u32() + j);
                self.join_vars(p, q, role, x.outside, y.outside, span);
                Ok(())
            }
            (Port::Class(a), Port::Class(b)) => self.join_scopes(a, b, x.outside, y.outside, span),
            _ => error(
                "E0352",
                span,
                "a connector of a predefined type is connected to one with several variables",
            ),
        }
    }

    fn role_of(&self, e: ElementId) -> ConnectorRole {
        self.tree
            .component(e)
            .map_or(ConnectorRole::None, |c| c.role)
    }

    fn check_roles(&self, a: ElementId, b: ElementId, span: Span) -> R<()> {
        let (Some(x), Some(y)) = (self.tree.component(a), self.tree.component(b)) else {
            return Ok(());
        };
        let flow = |r: ConnectorRole| matches!(r, ConnectorRole::Flow | ConnectorRole::Stream);
        if (flow(x.role) || flow(y.role)) && x.role != y.role {
            return error(
                "E0352",
                span,
                format!(
                    "`{}` and `{}` cannot be connected: one is a flow or stream variable, the other is not",
                    self.element_path(a),
                    self.element_path(b)
                ),
            );
        }
        if let (Content::Scalar(tx), Content::Scalar(ty)) = (&x.content, &y.content)
            && tx != ty
        {
            return error(
                "E0352",
                span,
                format!(
                    "`{}` of type {} and `{}` of type {} cannot be connected",
                    self.element_path(a),
                    self.type_text(*tx),
                    self.element_path(b),
                    self.type_text(*ty)
                ),
            );
        }
        Ok(())
    }

    fn join_vars(
        &mut self,
        p: VarId,
        q: VarId,
        role: ConnectorRole,
        px: bool,
        qx: bool,
        span: Span,
    ) {
        let component = self.current;
        // Faces matter only for flows and streams.
        let faces = matches!(role, ConnectorRole::Flow | ConnectorRole::Stream);
        let a = self.graph.node(p, px && faces, span, component);
        let b = self.graph.node(q, qx && faces, span, component);
        self.graph.union(a, b);
    }

    fn join_scopes(&mut self, a: ScopeId, b: ScopeId, ax: bool, bx: bool, span: Span) -> R<()> {
        self.expand(a)?;
        self.expand(b)?;
        if self.overconstrained(a)? && self.overconstrained(b)? {
            let component = self.current;
            self.graph.optional.push(Edge {
                a,
                b,
                outside: (ax, bx),
                span,
                component,
            });
            return Ok(());
        }
        self.join_members(a, b, ax, bx, span)
    }

    pub fn join_members(
        &mut self,
        a: ScopeId,
        b: ScopeId,
        ax: bool,
        bx: bool,
        span: Span,
    ) -> R<()> {
        let order = self.tree.scopes[a].order.clone();
        let components = |me: &Self, s: ScopeId| {
            me.tree.scopes[s]
                .order
                .iter()
                .filter(|&&e| {
                    me.tree
                        .component(e)
                        .is_some_and(|c| c.state == State::Ready)
                })
                .count()
        };
        if components(self, a) != components(self, b)
            && !self.is_expandable(a)
            && !self.is_expandable(b)
        {
            let names = |s: ScopeId| {
                let of = &self.tree.scopes[s];
                of.order.iter().map(|&e| self.tree.name(e))
            };
            let missing = names(a).find(|n| !self.tree.scopes[b].members.contains_key(n));
            let other = names(b).find(|n| !self.tree.scopes[a].members.contains_key(n));
            let text = match (missing, other) {
                (Some(n), _) => self.mismatch(a, b, n),
                (None, Some(n)) => self.mismatch(b, a, n),
                (None, None) => "the connectors have different variables".to_string(),
            };
            return error("E0352", span, text);
        }
        for e in order {
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            let name = c.name;
            let Some(f) = self.member(b, name)? else {
                if self.is_expandable(b) {
                    continue;
                }
                return error("E0352", span, self.mismatch(a, b, name));
            };
            let (e, f) = (self.actual(e)?, self.actual(f)?);
            let (Some(x), Some(y)) = (self.tree.component(e), self.tree.component(f)) else {
                continue;
            };
            if x.state != State::Ready || y.state != State::Ready {
                continue;
            }
            match (&x.content, &y.content) {
                (Content::Scalar(_), Content::Scalar(_)) => {
                    let expandable = self.is_expandable(a) || self.is_expandable(b);
                    let causal = (x.causality.is_some(), y.causality.is_some());
                    if x.variability <= Variability::Parameter
                        || y.variability <= Variability::Parameter
                    {
                        if !expandable {
                            self.check_joined(e, f, ax, bx, span);
                        }
                        continue;
                    }
                    if causal.0 != causal.1 && !expandable {
                        return error(
                            "E0352",
                            span,
                            format!("`{name}` is an input or output in one connector only"),
                        );
                    }
                    if x.dims != y.dims {
                        return error(
                            "E0352",
                            span,
                            format!("`{name}` has sizes {:?} and {:?}", x.dims, y.dims),
                        );
                    }
                    let n: usize = x.dims.iter().product();
                    let role = x.role;
                    self.check_roles(e, f, span)?;
                    self.check_joined(e, f, ax, bx, span);
                    let (p, q) = (self.var_of(e), self.var_of(f));
                    for k in 0..n as u32 {
                        let (p, q) = (
                            VarId::from_u32(p.as_u32() + k),
                            VarId::from_u32(q.as_u32() + k),
                        );
                        self.join_vars(p, q, role, ax, bx, span);
                    }
                }
                (Content::Class(xs), Content::Class(ys)) => {
                    if xs.len() != ys.len() {
                        return error(
                            "E0352",
                            span,
                            format!("`{name}` has {} and {} elements", xs.len(), ys.len()),
                        );
                    }
                    for (s, t) in xs.clone().into_iter().zip(ys.clone()) {
                        self.join_scopes(s, t, ax, bx, span)?;
                    }
                }
                _ => {
                    return error(
                        "E0352",
                        span,
                        format!("`{name}` is of different kinds in the two connectors"),
                    );
                }
            }
        }
        Ok(())
    }

    /// Connector `a` has a variable that `b` has not.
    fn mismatch(&self, a: ScopeId, b: ScopeId, name: Symbol) -> String {
        let of = |s: ScopeId| format!("`{}` of `{}`", self.tree.scopes[s].path, self.class_name(s));
        format!(
            "{} and {} cannot be connected: only the first has `{name}`",
            of(a),
            of(b)
        )
    }

    // Equations.

    pub fn connection_equations(&mut self) {
        for k in 0..self.graph.sets.len() {
            let set = self.graph.sets[k].clone();
            let Some(&(first, _)) = set.first() else {
                continue;
            };
            let role = self.flat.vars[first].role;
            if self.flat.vars[first].variability == Variability::Constant {
                // Members of buses that are not there.
                continue;
            }
            let n = self.graph.nodes.get(&set[0]).copied().unwrap_or(0) as usize;
            let (span, component) = (self.graph.spans[n], self.graph.components[n]);
            self.current = component;
            let ty = self.flat.vars[first].ty;
            match role {
                ConnectorRole::Flow => {
                    let terms: Vec<ExprId> = set
                        .iter()
                        .map(|&(v, outside)| {
                            let e = self.flat.exprs.var(v, ty);
                            if outside { self.flat.exprs.neg(e) } else { e }
                        })
                        .collect();
                    let sum = self.flat.exprs.sum(&terms);
                    let zero = self.flat.exprs.real(0.0);
                    let origin = if set.len() == 1 {
                        Origin::Unconnected
                    } else {
                        Origin::Connection
                    };
                    if set.len() == 1
                        && self.flat.vars[first].causality == ferrica_ir::flat::Causality::Input
                    {
                        continue;
                    }
                    self.push_equation(sum, zero, span, origin);
                }
                ConnectorRole::Stream => self.outside_stream_equations(&set, span),
                _ => {
                    for &(v, _) in &set[1..] {
                        let (a, b) = (self.flat.exprs.var(first, ty), self.flat.exprs.var(v, ty));
                        if a != b {
                            self.push_equation(a, b, span, Origin::Connection);
                        }
                    }
                }
            }
        }
    }

    fn outside_stream_equations(&mut self, set: &[(VarId, bool)], span: Span) {
        for &(v, outside) in set {
            if !outside {
                continue;
            }
            let value = self.stream_mix(set, v, true);
            let lhs = self.flat.exprs.var(v, ferrica_ir::Ty::Real);
            self.push_equation(lhs, value, span, Origin::Generated);
        }
    }

    /// The mixing value that reaches member `v` of a stream set from all other members.
    fn stream_mix(&mut self, set: &[(VarId, bool)], v: VarId, outside: bool) -> ExprId {
        let others: Vec<(VarId, bool)> =
            set.iter().copied().filter(|&m| m != (v, outside)).collect();
        let mut terms = Vec::new();
        for &(w, w_outside) in &others {
            let Some(flow) = self.flow_of_stream(w) else {
                continue;
            };
            // An element whose flow can never leave it contributes nothing.
            let never = |me: &Self, bound: Option<ExprId>, sign: f64| {
                bound
                    .and_then(|b| me.flat.exprs.as_f64(b))
                    .is_some_and(|b| b * sign >= 0.0)
            };
            if !w_outside && never(self, self.flat.vars[flow].min, 1.0) && others.len() > 1 {
                continue;
            }
            let value = if w_outside {
                self.in_stream_of(w)
            } else {
                self.flat.exprs.var(w, ferrica_ir::Ty::Real)
            };
            let m = self.flat.exprs.var(flow, ferrica_ir::Ty::Real);
            let towards = if w_outside { m } else { self.flat.exprs.neg(m) };
            terms.push((towards, value));
        }
        match terms.as_slice() {
            [] => self.flat.exprs.var(v, ferrica_ir::Ty::Real),
            [(_, only)] => *only,
            _ => {
                let eps = self.flat.exprs.real(1e-10);
                let (mut above, mut below) = (Vec::new(), Vec::new());
                for (flow, value) in terms {
                    let weight = self.flat.exprs.builtin(Builtin::Max, &[flow, eps]);
                    above.push(self.flat.exprs.mul(weight, value));
                    below.push(weight);
                }
                let (a, b) = (self.flat.exprs.sum(&above), self.flat.exprs.sum(&below));
                self.flat.exprs.div(a, b)
            }
        }
    }

    /// The flow variable of the connector that a stream variable belongs to.
    fn flow_of_stream(&mut self, v: VarId) -> Option<VarId> {
        if self.stream_flows.is_empty() {
            self.index_stream_flows();
        }
        self.stream_flows.get(&v).copied()
    }

    fn index_stream_flows(&mut self) {
        let mut found = Vec::new();
        for scope in self.tree.scopes.values() {
            let mut flow = None;
            let mut streams = Vec::new();
            for &e in &scope.order {
                let Some(c) = self.tree.component(e) else {
                    continue;
                };
                match (c.role, c.first_var) {
                    (ConnectorRole::Flow, Some(v)) if flow.is_none() => flow = Some(v),
                    (ConnectorRole::Stream, Some(v)) => {
                        let n: usize = c.dims.iter().product();
                        streams.extend((0..n as u32).map(|k| VarId::from_u32(v.as_u32() + k)));
                    }
                    _ => {}
                }
            }
            if let Some(f) = flow {
                found.extend(streams.into_iter().map(|s| (s, f)));
            }
        }
        self.stream_flows.extend(found);
    }

    fn in_stream_of(&mut self, v: VarId) -> ExprId {
        let Some(&k) = self.graph.set_of.get(&(v, false)) else {
            return self.flat.exprs.var(v, ferrica_ir::Ty::Real);
        };
        let set = self.graph.sets.get(k as usize).cloned().unwrap_or_default();
        self.stream_mix(&set, v, false)
    }

    // Operators on connections.

    pub fn connection_operator(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let [arg] = args else {
            return error("E0330", span, format!("`{name}` takes one argument"));
        };
        if name == "cardinality" {
            let ast::ExprKind::Ref(r) = &arg.kind else {
                return error("E0353", arg.span, "a connector is needed");
            };
            let ends = self.ends(r, env)?.list().unwrap_or_default();
            if let Some(end) = ends.first() {
                self.check_is_connector(end, r, arg.span);
            }
            let n: u32 = ends
                .iter()
                .map(|e| self.graph.cardinality.get(&e.port).copied().unwrap_or(0))
                .sum();
            return Ok(Value::Scalar(self.flat.exprs.int(i64::from(n))));
        }
        let value = self.eval(arg, env)?;
        let mut bad = false;
        let stream = match &arg.kind {
            ast::ExprKind::Ref(r) => self
                .component_of(r, env.scope)
                .is_some_and(|e| self.role_of(e) == ConnectorRole::Stream),
            _ => false,
        };
        let result = value.map_scalars(&mut |s| {
            let Expr::Var(v) = self.flat.exprs.get(s) else {
                bad = true;
                return s;
            };
            if !stream && self.flow_of_stream(v).is_none() {
                bad = true;
                return s;
            }
            let incoming = self.in_stream_of(v);
            if name == "inStream" {
                return incoming;
            }
            let Some(flow) = self.flow_of_stream(v) else {
                bad = true;
                return s;
            };
            let x = &mut self.flat.exprs;
            let m = x.var(flow, ferrica_ir::Ty::Real);
            let zero = x.real(0.0);
            let positive = x.binary(BinaryOp::Gt, m, zero);
            x.if_then_else(positive, incoming, s)
        });
        if bad {
            return error(
                "E0353",
                arg.span,
                format!("`{name}` needs a stream variable of a connector"),
            );
        }
        Ok(result)
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

//! Connection sets: which scalar variables a `connect` joins, and whether they may be joined.

use ferrica_ir::flat::{Connection, ConnectorRole, Variability};
use ferrica_ir::{Span, Symbol, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::connect::Edge;
use crate::connect::End;
use crate::connect::Node;
use crate::connect::Port;
use crate::connect::Side;
use crate::family::Shift;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State};

impl<'a> Flattener<'a> {
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
        if let (Port::Class(x, p), Port::Class(y, q)) = (a, b) {
            let of = |s: ScopeId, shift: Shift| self.tree.scopes[s].component + shift.components;
            let (a, b) = (of(x, p), of(y, q));
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
                for shift in self.var_shifts(c.owner) {
                    let first = first.as_u32() + shift;
                    out.extend((first..first + n as u32).map(VarId::from_u32));
                }
            }
        }
        out
    }

    fn join(&mut self, x: End, y: End, span: Span) -> R<()> {
        match (x.port, y.port) {
            (Port::Scalar(a, i, _), Port::Scalar(b, j, _)) => {
                let (p, q) = (self.var_of(a), self.var_of(b));
                let (ax, bx) = (x.side(), y.side());
                let role = self.role_of(a);
                self.check_roles(a, b, ax, bx, span)?;
                self.check_joined(a, b, ax, bx, span);
                let p = VarId::from_u32(p.as_u32() + i);
                let q = VarId::from_u32(q.as_u32() + j);
                match self.are_parameters(a, b) {
                    true => self.equal_parameters(p, q, ax, bx, span),
                    false => self.join_vars(p, q, role, ax, bx, span),
                }
                Ok(())
            }
            (Port::Class(a, _), Port::Class(b, _)) => {
                self.join_scopes(a, b, x.side(), y.side(), span)
            }
            (Port::Scalar(a, ..), Port::Class(b, _)) | (Port::Class(b, _), Port::Scalar(a, ..)) => {
                let (single, several) = (self.tree.name(a), self.class_name(b));
                error(
                    "E0352",
                    span,
                    format!(
                        "`{single}` is a single signal, but a connector of class `{several}` has several variables"
                    ),
                )
            }
        }
    }

    pub fn role_of(&self, e: ElementId) -> ConnectorRole {
        self.tree
            .component(e)
            .map_or(ConnectorRole::None, |c| c.role)
    }

    fn check_roles(&self, a: ElementId, b: ElementId, ax: Side, bx: Side, span: Span) -> R<()> {
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
                    self.element_path(a, ax.shift),
                    self.element_path(b, bx.shift)
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
                    self.element_path(a, ax.shift),
                    self.type_text(*tx),
                    self.element_path(b, bx.shift),
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
        px: Side,
        qx: Side,
        span: Span,
    ) {
        let component = self.current;
        // Faces matter only for flows and streams.
        let faces = matches!(role, ConnectorRole::Flow | ConnectorRole::Stream);
        let (p, q) = (px.shift.var(p), qx.shift.var(q));
        let a = (self.graph).node(p, px.outside && faces, span, component);
        let b = (self.graph).node(q, qx.outside && faces, span, component);
        self.graph.union(a, b);
    }

    fn join_scopes(&mut self, a: ScopeId, b: ScopeId, ax: Side, bx: Side, span: Span) -> R<()> {
        self.expand(a)?;
        self.expand(b)?;
        if self.overconstrained(a)? && self.overconstrained(b)? {
            let component = self.current;
            self.graph.optional.push(Edge {
                a: Node::Record(a),
                b: Node::Record(b),
                outside: (ax.outside, bx.outside),
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
        ax: Side,
        bx: Side,
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
                (Some(n), _) => self.mismatch((a, ax), (b, bx), n),
                (None, Some(n)) => self.mismatch((b, bx), (a, ax), n),
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
                return error("E0352", span, self.mismatch((a, ax), (b, bx), name));
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
                        let (n, m) = (x.dims.iter().product(), y.dims.iter().product());
                        if !expandable {
                            self.check_joined(e, f, ax, bx, span);
                            self.join_parameters(e, f, ax, bx, usize::min(n, m), span);
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
                    let overdetermined = x.overdetermined.is_some() && y.overdetermined.is_some();
                    self.check_roles(e, f, ax, bx, span)?;
                    self.check_joined(e, f, ax, bx, span);
                    if overdetermined {
                        let component = self.current;
                        self.graph.optional.push(Edge {
                            a: Node::Variable(e),
                            b: Node::Variable(f),
                            outside: (ax.outside, bx.outside),
                            span,
                            component,
                        });
                        continue;
                    }
                    self.join_variables(e, f, ax, bx, span);
                }
                (Content::Class(xs), Content::Class(ys)) => {
                    if xs.len() != ys.len() {
                        return error(
                            "E0352",
                            span,
                            format!("`{name}` has {} and {} elements", xs.len(), ys.len()),
                        );
                    }
                    for (&s, &t) in xs.clone().iter().zip(ys.clone().iter()) {
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

    /// Joins the scalars of two variables of the same size.
    pub fn join_variables(&mut self, e: ElementId, f: ElementId, ax: Side, bx: Side, span: Span) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        let (n, role): (usize, _) = (c.dims.iter().product(), c.role);
        let (p, q) = (self.var_of(e), self.var_of(f));
        for k in 0..n as u32 {
            let (p, q) = (
                VarId::from_u32(p.as_u32() + k),
                VarId::from_u32(q.as_u32() + k),
            );
            self.join_vars(p, q, role, ax, bx, span);
        }
    }

    /// Are both parameters, of types whose values the run can compare?
    fn are_parameters(&self, e: ElementId, f: ElementId) -> bool {
        [e, f].iter().all(|&e| {
            self.tree.component(e).is_some_and(|c| {
                let comparable = matches!(c.content, Content::Scalar(ty) if !matches!(ty, Ty::String | Ty::External));
                comparable && c.variability == Variability::Parameter
            })
        })
    }

    fn join_parameters(
        &mut self,
        e: ElementId,
        f: ElementId,
        ax: Side,
        bx: Side,
        count: usize,
        span: Span,
    ) {
        if !self.are_parameters(e, f) {
            return;
        }
        let (p, q) = (self.var_of(e), self.var_of(f));
        for k in 0..count as u32 {
            let p = VarId::from_u32(p.as_u32() + k);
            let q = VarId::from_u32(q.as_u32() + k);
            self.equal_parameters(p, q, ax, bx, span);
        }
    }

    /// A connection does not set a parameter, but asserts that both are equal (section 9.2).
    fn equal_parameters(&mut self, p: VarId, q: VarId, ax: Side, bx: Side, span: Span) {
        let (p, q) = (ax.shift.var(p), bx.shift.var(q));
        if p != q {
            let component = self.current;
            let list = &mut self.graph.equal_parameters;
            list.push((p, q, span, component));
        }
    }

    /// Connector `a` has a variable that `b` has not.
    fn mismatch(&self, a: (ScopeId, Side), b: (ScopeId, Side), name: Symbol) -> String {
        let of = |(s, side): (ScopeId, Side)| {
            let path = self.path_of(s, side.shift);
            format!("`{path}` of `{}`", self.class_name(s))
        };
        format!(
            "{} and {} cannot be connected: only the first has `{name}`",
            of(a),
            of(b)
        )
    }
}

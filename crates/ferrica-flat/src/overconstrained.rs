//! Overconstrained connections (section 9.4): a spanning forest over records, and variables of types, with an
//! `equalityConstraint`; connections that would close a loop get the constraint instead of plain
//! equality.

use std::collections::VecDeque;

use ferrica_ir::Span;
use ferrica_ir::flat::Origin;
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::connect::{Edge, Node, Side};
use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ScopeId, State};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Is the class of this instance an overdetermined type?
    pub fn overconstrained(&mut self, scope: ScopeId) -> R<bool> {
        let kind = self.tree.scopes[scope].class.def.kind;
        if kind.is_connector() || kind == ast::ClassKind::Model || kind == ast::ClassKind::Block {
            return Ok(false);
        }
        Ok(self
            .member(scope, self.names.equality_constraint)?
            .is_some())
    }

    /// `Connections.branch/root/potentialRoot` in an equation section.
    pub fn collect_graph_call(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<()> {
        if call.function.parts.len() != 2 || call.function.parts[0].name.as_str() != "Connections" {
            return Ok(());
        }
        let name = call.function.parts[1].name.as_str();
        let mut nodes = Vec::new();
        for a in &call.args.positional {
            if let ast::ExprKind::Ref(r) = &a.kind
                && let Ok(crate::connect::Ends::Found(ends)) = self.ends(r, env)
            {
                nodes.extend(ends.first().map(|e| e.port.node()));
            }
        }
        let priority = match call.args.positional.get(1).or(call
            .args
            .named
            .first()
            .map(|n| &n.value))
        {
            Some(e) if name == "potentialRoot" => {
                let v = self.eval_constant(e, env)?;
                self.flat.exprs.as_int(v).unwrap_or(0)
            }
            _ => 0,
        };
        match (name, nodes.as_slice()) {
            ("branch", [a, b]) => self.graph.branches.push((*a, *b)),
            ("root", [a, ..]) => self.graph.roots.push((*a, 0)),
            ("potentialRoot", [a, ..]) => self.graph.potential_roots.push((*a, priority)),
            ("branch" | "root" | "potentialRoot", _) => {}
            ("uniqueRoot", _) => {}
            _ => {
                return error(
                    "E0354",
                    span,
                    format!("`Connections.{name}` is not known here"),
                );
            }
        }
        Ok(())
    }

    /// Chooses roots and the connections to break.
    pub fn solve_overconstrained(&mut self) {
        let edges = std::mem::take(&mut self.graph.optional);
        let mut parent: FxHashMap<Node, Node> = FxHashMap::default();
        pub fn find(parent: &mut FxHashMap<Node, Node>, s: Node) -> Node {
            let mut s = s;
            loop {
                let up = *parent.entry(s).or_insert(s);
                if up == s {
                    return s;
                }
                s = up;
            }
        }
        let mut tree: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut link = |a: Node, b: Node| {
            tree.entry(a).or_default().push(b);
            tree.entry(b).or_default().push(a);
        };
        for &(a, b) in &self.graph.branches {
            let (x, y) = (find(&mut parent, a), find(&mut parent, b));
            if x != y {
                parent.insert(x, y);
            }
            link(a, b);
        }
        // Definite roots belong to one component each from the beginning: joining two of them would
        // determine a value twice.
        let roots: Vec<Node> = self.graph.roots.iter().map(|r| r.0).collect();
        let mut rooted: FxHashSet<Node> = FxHashSet::default();
        for &r in &roots {
            let x = find(&mut parent, r);
            rooted.insert(x);
        }
        let mut kept: Vec<Edge> = Vec::new();
        let mut broken: Vec<Edge> = Vec::new();
        for e in edges {
            let (x, y) = (find(&mut parent, e.a), find(&mut parent, e.b));
            if x == y || (rooted.contains(&x) && rooted.contains(&y)) {
                broken.push(e);
                continue;
            }
            parent.insert(x, y);
            if rooted.contains(&x) {
                rooted.insert(y);
            }
            link(e.a, e.b);
            kept.push(e);
        }
        // Components without a definite root take the potential root of lowest priority.
        let mut chosen: Vec<Node> = roots;
        let mut potential = self.graph.potential_roots.clone();
        potential.sort_by_key(|p| p.1);
        for (s, _) in potential {
            let x = find(&mut parent, s);
            if rooted.insert(x) {
                chosen.push(s);
            }
        }
        let nodes: Vec<Node> = tree.keys().copied().collect();
        for s in nodes {
            let x = find(&mut parent, s);
            if rooted.insert(x) {
                chosen.push(s);
            }
        }
        let mut queue: VecDeque<(Node, u32)> = chosen.iter().map(|&r| (r, 0)).collect();
        while let Some((s, d)) = queue.pop_front() {
            if self.graph.depth.contains_key(&s) {
                continue;
            }
            self.graph.depth.insert(s, d);
            for &n in tree.get(&s).into_iter().flatten() {
                if !self.graph.depth.contains_key(&n) {
                    queue.push_back((n, d + 1));
                }
            }
        }
        self.graph.is_root = chosen.into_iter().collect();
        for e in kept {
            self.current = e.component;
            let (ax, bx) = (
                Side::of_instance(e.outside.0),
                Side::of_instance(e.outside.1),
            );
            match (e.a, e.b) {
                (Node::Record(a), Node::Record(b)) => {
                    if let Err(d) = self.join_members(a, b, ax, bx, e.span) {
                        self.report(d);
                    }
                }
                (Node::Variable(a), Node::Variable(b)) => {
                    self.join_variables(a, b, ax, bx, e.span);
                }
                _ => {}
            }
        }
        self.graph.optional = broken;
    }

    /// `residue = equalityConstraint(a, b)` for the connections that were broken.
    pub fn broken_connection_equations(&mut self) {
        for e in std::mem::take(&mut self.graph.optional) {
            self.current = e.component;
            if let Err(d) = self.broken_connection(e) {
                self.report(d);
            }
        }
    }

    fn broken_connection(&mut self, e: Edge) -> R<()> {
        let of_type = match e.a {
            Node::Record(s) => Some(s),
            Node::Variable(v) => self.tree.component(v).and_then(|c| c.overdetermined),
        };
        let Some(of_type) = of_type else {
            return Ok(());
        };
        let Some(f) = self.member(of_type, self.names.equality_constraint)? else {
            return Ok(());
        };
        let f = self.class_scope(f)?;
        let (a, b) = (self.node_value(e.a)?, self.node_value(e.b)?);
        let residue = self.call_function(f, vec![a, b], Vec::new(), e.span)?;
        let mut list = Vec::new();
        residue.scalars(&mut list);
        for r in list {
            let zero = self.flat.exprs.real(0.0);
            self.push_equation(r, zero, e.span, Origin::Connection);
        }
        Ok(())
    }

    fn node_value(&mut self, node: Node) -> R<Value> {
        match node {
            Node::Record(s) => self.record_value(s, &Env::new(s)),
            Node::Variable(e) => {
                let owner = self.tree.component(e).map(|c| c.owner);
                let owner = owner.or(self.model).unwrap_or(ScopeId::from_u32(0));
                self.whole_component(e, &Env::new(owner))
            }
        }
    }

    /// `Connections.isRoot(A.R)`, `Connections.rooted(A.R)` in expressions.
    pub fn connections_query(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        self.irregular += 1;
        let arg = call.args.positional.first();
        let ends = match arg.map(|a| &a.kind) {
            Some(ast::ExprKind::Ref(r)) => self.ends(r, env)?.list(),
            _ => None,
        };
        let Some(ends) = ends else {
            return error(
                "E0354",
                span,
                "a variable or record of a connector is needed",
            );
        };
        // An array without elements has no node: there is nothing to be given by a root.
        let node = ends.first().map(|e| e.port.node());
        let value = match name {
            "isRoot" => node.is_some_and(|n| self.graph.is_root.contains(&n)),
            "rooted" => node.is_none_or(|n| self.is_rooted(n)),
            _ => {
                return error(
                    "E0354",
                    span,
                    format!("`Connections.{name}` is not supported"),
                );
            }
        };
        Ok(Value::Scalar(self.flat.exprs.bool(value)))
    }

    /// Of the two ends of the one branch at `node`: is this one nearer to the root?
    fn is_rooted(&self, node: Node) -> bool {
        let depth = |s: &Node| self.graph.depth.get(s).copied().unwrap_or(0);
        for (a, b) in &self.graph.branches {
            if *a == node {
                return depth(a) <= depth(b);
            }
            if *b == node {
                return depth(b) <= depth(a);
            }
        }
        true
    }

    /// Used by expandable connectors: all ready components of a scope.
    pub fn ready_components(&self, scope: ScopeId) -> Vec<crate::instance::ElementId> {
        self.tree.scopes[scope]
            .order
            .iter()
            .copied()
            .filter(|&e| {
                self.tree
                    .component(e)
                    .is_some_and(|c| c.state == State::Ready && !matches!(c.content, Content::None))
            })
            .collect()
    }
}

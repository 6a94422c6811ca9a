//! Expandable connectors (section 9.1.3): members that a `connect` names but the connector does not
//! declare are made, with the type of what they are connected to.

use std::rc::Rc;

use ferrica_ir::flat::{ConnectorRole, Origin, Variability};
use ferrica_ir::{Diagnostic, Expr, Symbol, VarId};
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::connect::{End, Port};
use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::{Content, Element, ElementId, ScopeId, State};
use crate::subscripts::select;

/// Sizes of members of buses, by the first bus of those that are connected and the name.
#[derive(Default)]
struct BusSizes {
    /// A bus and one before it with which it is connected.
    joined: FxHashMap<ScopeId, ScopeId>,
    sizes: FxHashMap<(ScopeId, Symbol), Vec<usize>>,
}

impl BusSizes {
    fn first(&self, mut bus: ScopeId) -> ScopeId {
        while let Some(&before) = self.joined.get(&bus).filter(|&&b| b != bus) {
            bus = before;
        }
        bus
    }

    fn of(&self, bus: ScopeId, member: Symbol) -> &[usize] {
        (self.sizes.get(&(self.first(bus), member))).map_or(&[], Vec::as_slice)
    }
}

fn longest(a: &[usize], b: &[usize]) -> Vec<usize> {
    let at = |list: &[usize], k: usize| list.get(k).copied().unwrap_or(1);
    let n = a.len().max(b.len());
    (0..n).map(|k| at(a, k).max(at(b, k))).collect()
}

impl<'a> Flattener<'a> {
    /// Works off the connects that could not be resolved, until nothing changes any more. Who gives a value comes first: a member that
    /// is made for a reader would count as an input of the model.
    pub fn elaborate_expandable(&mut self) {
        let sizes = self.bus_sizes();
        let mut readers = false;
        loop {
            let pending = std::mem::take(&mut self.expandable_pending);
            let mut progress = false;
            let mut rest = Vec::new();
            for item in pending {
                let (scope, locals, a, b, span, component) = &item;
                let env = Env {
                    locals: locals.clone(),
                    ..Env::new(*scope)
                };
                self.current = *component;
                match self.connect_pending(a, b, &env, *span, &sizes, readers) {
                    Ok(true) => progress = true,
                    Ok(false) => rest.push(item),
                    Err(d) => {
                        self.report(d);
                        progress = true;
                    }
                }
            }
            progress |= self.share_members();
            // Resolving one connect may have put others on the list.
            let added = std::mem::take(&mut self.expandable_pending);
            rest.extend(added);
            self.expandable_pending = rest;
            if !progress && readers {
                break;
            }
            readers = !progress;
        }
        for (_, _, a, b, span, _) in std::mem::take(&mut self.expandable_pending) {
            {
                self.diagnostics.push(Diagnostic::warning(
                    "W0302",
                    span,
                    format!("`connect({a}, {b})`: no other connection says what this member of the bus is"),
                ));
            }
        }
    }

    fn connect_pending(
        &mut self,
        a: &'a ast::ComponentRef,
        b: &'a ast::ComponentRef,
        env: &Env,
        span: ferrica_ir::Span,
        sizes: &BusSizes,
        readers: bool,
    ) -> R<bool> {
        let (mut left, mut right) = (self.ends(a, env)?.list(), self.ends(b, env)?.list());
        let peers = left.as_deref().or(right.as_deref()).unwrap_or(&[]).to_vec();
        if left.is_some() != right.is_some() && !readers && self.only_read(&peers) {
            return Ok(false);
        }
        if left.is_none() && right.is_some() {
            left = self.make_member(a, &peers, env, sizes)?;
        } else if right.is_none() && left.is_some() {
            right = self.make_member(b, &peers, env, sizes)?;
        }
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(false);
        };
        if left.len() == right.len() {
            for (x, y) in left.into_iter().zip(right) {
                self.add_pair(x, y, span);
            }
        }
        Ok(true)
    }

    /// Makes the missing member named by the end of `r`, like the connectors `peers`. Of an array of buses each one gets its share.
    fn make_member(
        &mut self,
        r: &'a ast::ComponentRef,
        peers: &[End],
        env: &Env,
        sizes: &BusSizes,
    ) -> R<Option<Vec<End>>> {
        let Some((last, front)) = r.parts.split_last() else {
            return Ok(None);
        };
        if front.is_empty() {
            return Ok(None);
        }
        let buses = self.scopes_of(front, env)?;
        if buses.is_empty() || peers.is_empty() || !peers.len().is_multiple_of(buses.len()) {
            return Ok(None);
        }
        if buses.iter().any(|&b| !self.is_expandable(b)) {
            return Ok(None);
        }
        let share = peers.len() / buses.len();
        let mut made = false;
        for (&bus, peers) in buses.iter().zip(peers.chunks(share)) {
            if self.tree.scopes[bus].members.contains_key(&last.name) {
                continue;
            }
            let peer = match peers[0].port {
                Port::Scalar(e, ..) => Some(e),
                Port::Class(s, _) => self.tree.scopes[s].owner.map(|o| o.0),
            };
            let Some(peer) = peer else {
                return Ok(None);
            };
            let dims = if last.subscripts.is_empty() && share > 1 {
                vec![share]
            } else if last.subscripts.is_empty() {
                Vec::new()
            } else {
                // A subscripted member is as long as the largest subscript that is used.
                let own = self.largest_subscripts(last, env)?;
                longest(sizes.of(bus, last.name), &own)
            };
            // Two connectors of the class itself: what one brings in the other one gives out.
            let gives = front.len() == 1 && peers[0].outside;
            self.clone_member(bus, last.name, peer, &dims, gives)?;
            made = true;
        }
        match made {
            true => Ok(self.ends(r, env)?.list()),
            false => Ok(None),
        }
    }

    /// Do connectors only take a value from the bus?
    fn only_read(&self, peers: &[End]) -> bool {
        let reads = |end: &End| match end.port {
            Port::Scalar(e, ..) => (self.tree.component(e)).is_some_and(|c| {
                let reads = match end.outside {
                    false => ast::Causality::Input,
                    true => ast::Causality::Output,
                };
                c.causality == Some(reads)
            }),
            Port::Class(..) => false,
        };
        !peers.is_empty() && peers.iter().all(reads)
    }

    /// The largest value of each subscript.
    fn largest_subscripts(&mut self, part: &'a ast::RefPart, env: &Env) -> R<Vec<usize>> {
        let mut sizes = Vec::new();
        for s in &part.subscripts {
            let mut n = 1;
            if let ast::Subscript::Expr(e) = s {
                let v = self.eval_in_constant_mode(e, env)?;
                let mut scalars = Vec::new();
                v.scalars(&mut scalars);
                for s in scalars {
                    n = n.max(self.flat.exprs.as_int(s).unwrap_or(1).max(1) as usize);
                }
            }
            sizes.push(n);
        }
        Ok(sizes)
    }

    /// Sizes of members that are named with subscripts, over all connects that wait for them and all buses that are connected.
    fn bus_sizes(&mut self) -> BusSizes {
        let mut sizes = BusSizes::default();
        for (a, b) in self.bus_pairs() {
            let (a, b) = (sizes.first(a), sizes.first(b));
            sizes.joined.insert(a.max(b), a.min(b));
        }
        let pending = std::mem::take(&mut self.expandable_pending);
        for (scope, locals, a, b, _, _) in &pending {
            let env = Env {
                locals: locals.clone(),
                ..Env::new(*scope)
            };
            for r in [a, b] {
                let Some((last, front)) = r.parts.split_last() else {
                    continue;
                };
                if front.is_empty() || last.subscripts.is_empty() {
                    continue;
                }
                // What goes wrong here is told when the connect is worked off.
                let (Ok(buses), Ok(own)) = (
                    self.scopes_of(front, &env),
                    self.largest_subscripts(last, &env),
                ) else {
                    continue;
                };
                for bus in buses {
                    let key = (sizes.first(bus), last.name);
                    let old = sizes.sizes.remove(&key).unwrap_or_default();
                    sizes.sizes.insert(key, longest(&old, &own));
                }
            }
        }
        self.expandable_pending = pending;
        sizes
    }

    /// Buses that are connected with each other, and the buses inside of them, which are connected by their names.
    fn bus_pairs(&self) -> Vec<(ScopeId, ScopeId)> {
        let mut pairs: Vec<(ScopeId, ScopeId)> = (self.graph.pairs.iter())
            .filter_map(|(x, y, _, _)| match (x.port, y.port) {
                (Port::Class(a, _), Port::Class(b, _)) => Some((a, b)),
                _ => None,
            })
            .filter(|&(a, b)| self.is_expandable(a) && self.is_expandable(b))
            .collect();
        let mut known: FxHashSet<(ScopeId, ScopeId)> = pairs.iter().copied().collect();
        let mut at = 0;
        while let Some(&(a, b)) = pairs.get(at) {
            at += 1;
            for &e in &self.tree.scopes[a].order {
                let inside = (self.tree.component(e)).and_then(|c| {
                    let other = *self.tree.scopes[b].members.get(&c.name)?;
                    match (&c.content, &self.tree.component(other)?.content) {
                        (Content::Class(list), Content::Class(others)) => Some((list, others)),
                        _ => None,
                    }
                });
                for (&x, &y) in inside
                    .iter()
                    .flat_map(|(list, others)| list.iter().zip(others.iter()))
                {
                    if self.is_expandable(x) && self.is_expandable(y) && known.insert((x, y)) {
                        pairs.push((x, y));
                    }
                }
            }
        }
        pairs
    }

    /// A copy of the peer's declaration as a member of the bus.
    fn clone_member(
        &mut self,
        bus: ScopeId,
        name: Symbol,
        peer: ElementId,
        dims: &[usize],
        gives: bool,
    ) -> R<ElementId> {
        let Some(p) = self.tree.component(peer) else {
            return crate::flattener::error(
                "E0355",
                ferrica_ir::Span::NONE,
                "a connector is needed",
            );
        };
        let (element, decl, scope) = (p.element, p.decl, p.scope);
        let causality = p.causality.map(|c| match gives {
            true => ast::Causality::Output,
            false => c,
        });
        let type_modifier = Rc::new(crate::modifier::Mod {
            binding: None,
            ..(*p.modifier).clone()
        });
        let mut made = self.fresh_component(scope, bus, element, decl, &type_modifier);
        made.modifier = type_modifier;
        made.name = name;
        made.protected = false;
        made.inner = false;
        made.outer = false;
        made.forced_dims = Some(dims.to_vec());
        made.condition = None;
        let e = self.tree.elements.push(Element::Component(Box::new(made)));
        let s = &mut self.tree.scopes[bus];
        s.members.insert(name, e);
        s.order.push(e);
        self.ready(e)?;
        if let Some(c) = self.tree.component_mut(e) {
            c.causality = causality;
        }
        let component = self.tree.scopes[bus].component;
        self.instantiate_element(e, component);
        Ok(e)
    }

    /// Members of buses that no connection joins with anything but other buses are not there.
    pub fn drop_unused_members(&mut self) {
        let buses: Vec<ScopeId> = self
            .tree
            .scopes
            .keys()
            .filter(|&s| {
                self.tree.scopes[s].derived.is_none() && self.is_expandable(s) && self.in_model(s)
            })
            .collect();
        let mut members = Vec::new();
        let mut of_buses = FxHashSet::default();
        for bus in buses {
            for e in self.ready_components(bus) {
                let mut scalars = Vec::new();
                if self.member_scalars(e, &mut scalars) {
                    let vars: Vec<VarId> =
                        scalars.iter().flat_map(|&e| self.variables_of(e)).collect();
                    of_buses.extend(vars.iter().copied());
                    members.push((e, scalars, vars));
                }
            }
        }
        for (member, scalars, vars) in members {
            if vars.iter().any(|&v| self.graph.joins_other(v, &of_buses)) {
                continue;
            }
            for e in scalars.into_iter().chain([member]) {
                if let Some(c) = self.tree.component_mut(e) {
                    c.state = State::Absent;
                }
            }
            for v in vars {
                let zero = self.zero(self.flat.vars[v].ty);
                let var = &mut self.flat.vars[v];
                var.variability = Variability::Constant;
                var.binding = Some(zero);
                var.hidden = true;
            }
        }
    }

    /// A flow that a bus has because others use it, but that nothing inside of its component is connected with, is zero there: like that of
    /// a pin that leads nowhere. An equation of the component's own may give it, too.
    pub fn unused_bus_flows(&mut self) {
        let mut unused: Vec<(VarId, u32)> = Vec::new();
        for element in self.tree.elements.values() {
            let Element::Component(c) = element else {
                continue;
            };
            let (ConnectorRole::Flow, State::Ready, Some(first)) = (c.role, c.state, c.first_var)
            else {
                continue;
            };
            if !self.in_bus(c.owner) {
                continue;
            }
            let n: usize = c.dims.iter().product();
            let component = self.tree.scopes[c.owner].component;
            for shift in self.var_shifts(c.owner) {
                let first = first.as_u32() + shift;
                let vars = (first..first + n as u32).map(VarId::from_u32);
                let vars = vars.filter(|&v| {
                    let face = |outside| self.graph.set_of.contains_key(&(v, outside));
                    face(false) && !face(true)
                });
                unused.extend(vars.map(|v| (v, component)));
            }
        }
        if unused.is_empty() {
            return;
        }
        let mut given: FxHashSet<VarId> = FxHashSet::default();
        let sides = self.flat.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
        self.flat.exprs.sweep(sides, |e| {
            if let Expr::Var(v) = self.flat.exprs.get(e) {
                given.insert(v);
            }
        });
        for (v, component) in unused {
            if given.contains(&v) || self.flat.vars[v].variability == Variability::Constant {
                continue;
            }
            let flow = self.flat.exprs.var(v, self.flat.vars[v].ty);
            let zero = self.flat.exprs.real(0.0);
            self.current = component;
            self.push_equation(flow, zero, ferrica_ir::Span::NONE, Origin::Unconnected);
        }
    }

    /// Is the scope, or a connector around it, an expandable one?
    fn in_bus(&self, scope: ScopeId) -> bool {
        let scope = self.most_derived(scope);
        self.is_expandable(scope)
            || (self.tree.scopes[scope].owner)
                .and_then(|(e, _)| self.tree.component(e))
                .is_some_and(|c| self.in_bus(c.owner))
    }

    /// Variables of a member of a bus that are unknown and not given by the declaration; false if
    /// the member is itself a bus.
    fn member_scalars(&self, e: ElementId, out: &mut Vec<ElementId>) -> bool {
        let Some(c) = self.tree.component(e) else {
            return false;
        };
        match &c.content {
            Content::Scalar(_) => {
                if c.variability > Variability::Parameter && c.modifier.binding.is_none() {
                    out.push(e);
                }
            }
            Content::Class(scopes) => {
                for &s in scopes.iter() {
                    if self.is_expandable(s) {
                        return false;
                    }
                    for &inner in &self.tree.scopes[s].order {
                        self.member_scalars(inner, out);
                    }
                }
            }
            Content::Family(_) | Content::Outer(_) | Content::None => return false,
        }
        !out.is_empty()
    }

    fn variables_of(&self, e: ElementId) -> Vec<VarId> {
        let Some(c) = self.tree.component(e) else {
            return Vec::new();
        };
        let n: usize = c.dims.iter().product();
        c.first_var.map_or(Vec::new(), |first| {
            (0..n as u32)
                .map(|k| VarId::from_u32(first.as_u32() + k))
                .collect()
        })
    }

    /// Instances of classes that the parts of a reference name, in the order of a connection; none if one of them is not there.
    fn scopes_of(&mut self, parts: &'a [ast::RefPart], env: &Env) -> R<Vec<ScopeId>> {
        let Some(crate::lookup::Found::Element(first)) =
            self.lookup_simple(env.scope, parts[0].name)?
        else {
            return Ok(Vec::new());
        };
        let mut elements = vec![first];
        let mut scopes = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            if k > 0 {
                elements.clear();
                for s in std::mem::take(&mut scopes) {
                    match self.member(s, part.name)? {
                        Some(e) => elements.push(e),
                        None => return Ok(Vec::new()),
                    }
                }
            }
            for &e in &elements {
                if self.tree.component(e).is_none() {
                    return Ok(Vec::new());
                }
                let actual = self.actual(e)?;
                let Some(c) = self.tree.component(actual) else {
                    return Ok(Vec::new());
                };
                let (State::Ready, Content::Class(_) | Content::Family(_)) = (c.state, &c.content)
                else {
                    return Ok(Vec::new());
                };
                let dims = c.dims.clone();
                let list = self.fall_apart(actual)?;
                let positions = self.positions(&part.subscripts, &dims, env, part.span)?;
                let selected = select(&positions, &dims).1;
                scopes.extend(selected.into_iter().filter_map(|k| list.get(k).copied()));
            }
        }
        Ok(scopes)
    }

    /// Expandable connectors that are connected with each other have the same members.
    fn share_members(&mut self) -> bool {
        let pairs = self.bus_pairs();
        let mut progress = false;
        for (a, b) in pairs {
            for (from, to) in [(a, b), (b, a)] {
                let mut missing: FxHashMap<Symbol, ElementId> = FxHashMap::default();
                for e in self.ready_components(from) {
                    let name = self.tree.name(e);
                    if !self.tree.scopes[to].members.contains_key(&name) {
                        missing.insert(name, e);
                    }
                }
                let mut list: Vec<(Symbol, ElementId)> = missing.into_iter().collect();
                list.sort_by_key(|m| m.1);
                for (name, e) in list {
                    let dims = self
                        .tree
                        .component(e)
                        .map(|c| c.dims.clone())
                        .unwrap_or_default();
                    match self.clone_member(to, name, e, &dims, false) {
                        Ok(_) => progress = true,
                        Err(d) => self.report(d),
                    }
                }
            }
        }
        progress
    }
}

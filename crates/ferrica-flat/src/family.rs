//! Families: arrays of components whose elements differ by nothing but their numbers.
//!
//! In: an array of models, blocks or connectors in which no modifier picks another value for one element than for the others. Only its first element has an instance
//! tree; what belongs to the others follows from their numbers: variable, component and connector `k` of the first one is `k + n·stride` in
//! element `n`, and its equations are those of the first one with the variables moved. Out: the same flat model as from one instance tree
//! an element. Whatever is irregular (streams, buses, overdetermined types, variables that the compiler adds, what asks for connections or
//! for its own name) makes the array fall apart into instances, with the same numbers: before anything is numbered, or at any time later.

use std::rc::Rc;

use ferrica_ir::flat::{Component, Connector, ConnectorRole, Variable};
use ferrica_ir::{Expr, ExprArena, ExprId, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::connect::{End, Port};
use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::{ClassRef, Content, ElementId, ScopeId, State, path_of_element};
use crate::modifier::{Binding, Mod};
use crate::value::Value;

/// How far the numbers of an instance are from those of the instance that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shift {
    pub vars: u32,
    pub components: u32,
}

impl Shift {
    pub const NONE: Shift = Shift {
        vars: 0,
        components: 0,
    };

    pub fn var(self, v: VarId) -> VarId {
        VarId::from_u32(v.as_u32() + self.vars)
    }

    pub fn plus(self, other: Shift) -> Shift {
        Shift {
            vars: self.vars + other.vars,
            components: self.components + other.components,
        }
    }
}

/// See the module comment.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub first: ScopeId,
    pub count: u32,
    /// Known once the first element has its variables.
    pub numbers: Option<Numbers>,
}

/// Where the numbers of the first element begin, and how many it has.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    first: Shift,
    stride: Shift,
    connector: u32,
    connectors: u32,
}

impl Numbers {
    pub fn shift(&self, k: u32) -> Shift {
        Shift {
            vars: k * self.stride.vars,
            components: k * self.stride.components,
        }
    }

    fn has_var(&self, v: VarId) -> bool {
        let v = v.as_u32();
        (self.first.vars..self.first.vars + self.stride.vars).contains(&v)
    }

    fn has_component(&self, c: u32) -> bool {
        (self.first.components..self.first.components + self.stride.components).contains(&c)
    }
}

/// How much of everything there is at a time: what the first element adds lies behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    equations: usize,
    initial_equations: usize,
    reinits: usize,
    assertions: usize,
    terminates: usize,
    effects: usize,
    irregular: [usize; 7],
}

impl Mark {
    /// Has nothing but equations come since?
    pub fn is_same_but_equations(&self, now: &Mark) -> bool {
        let initial_equations = now.initial_equations;
        Mark {
            equations: now.equations,
            initial_equations,
            ..*self
        } == *now
    }
}

impl<'a> Flattener<'a> {
    /// May an array stand for its elements by its first one?
    pub fn may_be_family(
        &mut self,
        id: ElementId,
        owner: ScopeId,
        class: &ClassRef<'a>,
        modifier: &Mod<'a>,
        dims: &[usize],
    ) -> bool {
        let of = |c: &crate::instance::Component<'a>| (c.inner || c.outer, c.name);
        let Some((shared, name)) = self.tree.component(id).map(of) else {
            return false;
        };
        let kind = class.def.kind;
        let plain = matches!(
            kind,
            ast::ClassKind::Model | ast::ClassKind::Block | ast::ClassKind::Connector
        );
        let around = self.tree.scopes[owner].class.def.kind;
        plain
            && !self.one_by_one
            && !shared
            && !around.is_connector()
            && !around.is_record()
            && !around.is_function()
            && self.in_model(owner)
            && !modifier.names(name)
            && self.picks_alike(modifier, dims)
    }

    /// Do all elements of an array of these dimensions get the same from a modifier?
    fn picks_alike(&mut self, modifier: &Mod<'a>, dims: &[usize]) -> bool {
        let binding = modifier.binding.as_ref().filter(|b| !b.whole);
        binding.is_none_or(|b| self.is_filled(b, dims))
            && (modifier.entries.iter())
                .all(|e| e.modifier.each || self.picks_alike(&e.modifier, dims))
            && !(modifier.redeclare.as_ref()).is_some_and(|r| r.under.picks_elements())
    }

    /// Is a value `fill(x, dims…)`, `zeros(dims…)` or `ones(dims…)`? Any other has to be taken apart to know it.
    fn is_filled(&mut self, b: &Binding<'a>, dims: &[usize]) -> bool {
        let ast::ExprKind::Call(c) = &b.expr.kind else {
            return false;
        };
        let first_size = match c.function.as_ident().map(|name| name.as_str()) {
            Some("fill") => 1,
            Some("zeros" | "ones") => 0,
            _ => return false,
        };
        let sizes = c.args.positional.get(first_size..).unwrap_or_default();
        if sizes.len() != dims.len()
            || !b.picks.is_empty()
            || b.of_type
            || !c.args.named.is_empty()
            || !c.args.iterators.is_empty()
        {
            return false;
        }
        let env = Env::new(b.scope);
        sizes.iter().zip(dims).all(|(size, &dim)| {
            let size = self.eval_constant(size, &env);
            size.is_ok_and(|s| self.flat.exprs.as_int(s) == Some(dim as i64))
        })
    }

    /// The instances of all elements; a family falls apart.
    pub fn fall_apart(&mut self, e: ElementId) -> R<Rc<[ScopeId]>> {
        let Some(c) = self.tree.component(e) else {
            return Ok(Rc::default());
        };
        let family = match &c.content {
            Content::Class(scopes) => return Ok(scopes.clone()),
            Content::Family(family) => *family,
            _ => return Ok(Rc::default()),
        };
        let (name, dims) = (c.name, c.dims.clone());
        let base = self.tree.scopes[self.most_derived(c.owner)].path.clone();
        let class = self.tree.scopes[family.first].class.clone();
        let mut scopes = vec![family.first];
        for k in 1..family.count {
            let path = path_of_element(&base, name.as_str(), &dims, k as usize);
            let s = self.new_scope(class.clone(), path.into());
            self.tree.scopes[s].owner = Some((e, k));
            scopes.push(s);
        }
        let scopes: Rc<[ScopeId]> = scopes.into();
        if let Some(c) = self.tree.component_mut(e) {
            c.content = Content::Class(scopes.clone());
        }
        if let Some(numbers) = family.numbers {
            for k in 1..family.count {
                self.adopt(family.first, scopes[k as usize], numbers.shift(k))?;
            }
        }
        Ok(scopes)
    }

    /// An instance takes its numbers from the one that has stood for it.
    fn adopt(&mut self, from: ScopeId, to: ScopeId, shift: Shift) -> R<()> {
        self.expand(to)?;
        let component = self.tree.scopes[from].component + shift.components;
        self.set_component(to, component);
        let order = self.tree.scopes[from].order.clone();
        let own = self.tree.scopes[to].order.clone();
        for (a, b) in order.into_iter().zip(own) {
            let Some(x) = self.tree.component(a) else {
                continue;
            };
            let (first, structural) = (x.first_var, x.structural);
            if x.state != State::Ready {
                continue;
            }
            self.ready(b)?;
            if let Some(y) = self.tree.component_mut(b) {
                y.first_var = first.map(|v| shift.var(v));
                y.structural = structural;
            }
            let content = |me: &Self, e: ElementId| {
                me.tree.component(e).map(|c| match &c.content {
                    Content::Family(f) => Some(*f),
                    _ => None,
                })
            };
            match (content(self, a).flatten(), content(self, b).flatten()) {
                (Some(f), Some(g)) => {
                    self.adopt(f.first, g.first, shift)?;
                    let numbers = f.numbers.map(|n| Numbers {
                        first: n.first.plus(shift),
                        ..n
                    });
                    if let Some(c) = self.tree.component_mut(b) {
                        c.content = Content::Family(Family { numbers, ..g });
                    }
                }
                _ => {
                    let (xs, ys) = (self.fall_apart(a)?, self.fall_apart(b)?);
                    for (&x, &y) in xs.iter().zip(ys.iter()) {
                        self.adopt(x, y, shift)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Everything below a scope gets an instance of its own.
    pub fn fall_apart_below(&mut self, scope: ScopeId) -> R<()> {
        for e in self.tree.scopes[scope].order.clone() {
            let ready = |c: &&crate::instance::Component<'a>| c.state == State::Ready;
            if self.tree.component(e).filter(ready).is_none() {
                continue;
            }
            for &s in self.fall_apart(e)?.iter() {
                self.fall_apart_below(s)?;
            }
        }
        Ok(())
    }

    /// How far the variables of all instances that a scope stands for are from its own: 0 first.
    pub fn var_shifts(&self, scope: ScopeId) -> Vec<u32> {
        let mut shifts = vec![0];
        let mut at = self.most_derived(scope);
        while let Some(c) = (self.tree.scopes[at].owner).and_then(|(e, _)| self.tree.component(e)) {
            if let Content::Family(Family {
                count,
                numbers: Some(n),
                ..
            }) = &c.content
            {
                let inner = std::mem::take(&mut shifts);
                shifts = (0..*count)
                    .flat_map(|k| inner.iter().map(move |s| s + n.shift(k).vars))
                    .collect();
            }
            at = self.most_derived(c.owner);
        }
        shifts
    }

    /// Numbers the elements of a family like its first one, or instantiates them one by one.
    pub fn instantiate_family(&mut self, e: ElementId, family: Family, parent: u32) {
        let before = self.mark().irregular;
        let (vars, components) = (self.flat.vars.len(), self.flat.components.len());
        let connectors = self.flat.connectors.len();
        self.instantiate(family.first, parent);
        let numbers = Numbers {
            first: Shift {
                vars: vars as u32,
                components: components as u32,
            },
            stride: Shift {
                vars: (self.flat.vars.len() - vars) as u32,
                components: (self.flat.components.len() - components) as u32,
            },
            connector: connectors as u32,
            connectors: (self.flat.connectors.len() - connectors) as u32,
        };
        // Variables of its own are all that it has made.
        let mut after = self.mark().irregular;
        after[0] = before[0];
        let own = self.regular_vars(family.first, &numbers);
        let content = self.tree.component(e).map(|c| &c.content);
        let is_whole = matches!(content, Some(Content::Family(_)));
        if !is_whole || before != after || own != Some(numbers.stride.vars) {
            match self.fall_apart(e) {
                Ok(scopes) => scopes[1..]
                    .iter()
                    .for_each(|&s| self.instantiate(s, parent)),
                Err(d) => self.report(d),
            }
            return;
        }
        let Some(c) = self.tree.component_mut(e) else {
            return;
        };
        c.content = Content::Family(Family {
            numbers: Some(numbers),
            ..family
        });
        let (name, dims, owner) = (c.name, c.dims.clone(), c.owner);
        let around = self.most_derived(owner);
        let base = self.tree.scopes[around].path.clone();
        let old = self.tree.scopes[family.first].path.len();
        for k in 1..family.count {
            let path = path_of_element(&base, name.as_str(), &dims, k as usize);
            let renamed = |text: &str| {
                let mut new = String::with_capacity(path.len() + text.len() - old);
                new.push_str(&path);
                new.push_str(&text[old..]);
                new
            };
            let shift = numbers.shift(k);
            for v in vars..vars + numbers.stride.vars as usize {
                let of = &self.flat.vars[VarId::from_u32(v as u32)];
                let new = Variable {
                    span: of.span,
                    ..Variable::new(renamed(&of.name), of.ty, of.variability)
                };
                self.flat.vars.push(new);
            }
            for c in components..components + numbers.stride.components as usize {
                let of = &self.flat.components[c];
                let inside = numbers.has_component(of.parent);
                let new = Component {
                    path: renamed(&of.path),
                    class: of.class.clone(),
                    parent: of.parent + if inside { shift.components } else { 0 },
                    is_connector: of.is_connector,
                    protected: of.protected,
                    inline: of.inline.clone(),
                    description: of.description.clone(),
                    span: of.span,
                };
                self.flat.components.push(new);
            }
            for c in connectors..connectors + numbers.connectors as usize {
                let component = self.flat.connectors[c].component + shift.components;
                self.flat.connectors.push(Connector {
                    component,
                    ..Connector::default()
                });
            }
        }
    }

    /// The number of variables below a scope, if they are among those numbers and nothing in it is irregular.
    fn regular_vars(&mut self, scope: ScopeId, numbers: &Numbers) -> Option<u32> {
        let class = self.tree.scopes[scope].class.def;
        if class.kind == ast::ClassKind::ExpandableConnector || self.is_expandable(scope) {
            return None;
        }
        let equality = self.names.equality_constraint;
        if self.tree.scopes[scope].members.contains_key(&equality) {
            return None;
        }
        let mut found = 0;
        for e in self.tree.scopes[scope].order.clone() {
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            if c.state == State::Absent {
                continue;
            }
            if c.state != State::Ready
                || c.role == ConnectorRole::Stream
                || c.overdetermined.is_some()
            {
                return None;
            }
            let count = c.dims.iter().product::<usize>() as u32;
            match &c.content {
                Content::Scalar(ty) => {
                    let first = c.first_var?.as_u32();
                    let end = numbers.first.vars + numbers.stride.vars;
                    if first < numbers.first.vars || first + count > end || *ty == Ty::Clock {
                        return None;
                    }
                    found += count;
                }
                Content::Class(scopes) => {
                    for &s in scopes.clone().iter() {
                        found += self.regular_vars(s, numbers)?;
                    }
                }
                Content::Family(f) => {
                    let f = *f;
                    found += f.count * self.regular_vars(f.first, numbers)?;
                }
                Content::Outer(_) | Content::None => {}
            }
        }
        Some(found)
    }

    /// Connections inside of the elements.
    pub fn collect_family(&mut self, e: ElementId, family: Family) {
        let graph = |me: &Self| {
            let g = &me.graph;
            let nodes = g.branches.len() + g.roots.len() + g.potential_roots.len();
            (nodes, me.expandable_pending.len())
        };
        let (start, before) = (self.graph.pairs.len(), (graph(self), self.mark()));
        self.templates.push(e);
        self.collect_connections(family.first);
        self.templates.pop();
        let Some(numbers) = family
            .numbers
            .filter(|_| before == (graph(self), self.mark()))
        else {
            match self.fall_apart(e) {
                Ok(scopes) => {
                    for &s in &scopes[1..] {
                        self.collect_connections(s);
                    }
                }
                Err(d) => self.report(d),
            }
            return;
        };
        let inside = |me: &Self, end: &End| {
            let scope = match end.port {
                Port::Class(s, _) => Some(s),
                Port::Scalar(e, ..) => me.tree.component(e).map(|c| c.owner),
            };
            scope.is_some_and(|s| me.is_within(s, family.first))
        };
        let pairs: Vec<_> = self.graph.pairs[start..]
            .iter()
            .map(|p| (*p, inside(self, &p.0), inside(self, &p.1)))
            .collect();
        for k in 1..family.count {
            let shift = numbers.shift(k);
            for &((x, y, span, component), x_moves, y_moves) in &pairs {
                self.current = component + shift.components;
                let moved = |end: End, moves: bool| if moves { end.moved(shift) } else { end };
                self.add_pair(moved(x, x_moves), moved(y, y_moves), span);
            }
        }
    }

    /// Attributes, bindings and equations of the elements.
    pub fn flatten_family(&mut self, e: ElementId, family: Family) {
        let before = self.mark();
        self.templates.push(e);
        self.flatten_instance(family.first);
        self.templates.pop();
        match family.numbers {
            Some(numbers) if before.irregular == self.mark().irregular => {
                self.replicate(&numbers, family.count, &before);
            }
            _ => match self.fall_apart(e) {
                Ok(scopes) => {
                    for &s in &scopes[1..] {
                        self.flatten_instance(s);
                    }
                }
                Err(d) => self.report(d),
            },
        }
    }

    pub fn mark(&self) -> Mark {
        let f = &self.flat;
        let m = &self.machines;
        Mark {
            equations: f.equations.len(),
            initial_equations: f.initial_equations.len(),
            reinits: f.reinits.len(),
            assertions: f.assertions.len(),
            terminates: f.terminates.len(),
            effects: f.effects.len(),
            irregular: [
                f.vars.len(),
                self.irregular,
                self.reported.calls,
                m.outputs.len() + m.variables.len() + m.transitions.len(),
                self.equalities.len(),
                self.actual_streams.len(),
                self.auxiliaries.len(),
            ],
        }
    }

    /// Says for the other elements what has been said for the first one since a time.
    fn replicate(&mut self, numbers: &Numbers, count: u32, since: &Mark) {
        let own = numbers.first.vars..numbers.first.vars + numbers.stride.vars;
        let mut roots: Vec<ExprId> = Vec::new();
        for v in own.clone() {
            let v = &self.flat.vars[VarId::from_u32(v)];
            roots.extend(
                [v.binding, v.start, v.fixed, v.min, v.max, v.nominal]
                    .iter()
                    .flatten(),
            );
        }
        let f = &self.flat;
        let equations = f.equations[since.equations..].to_vec();
        let initial = f.initial_equations[since.initial_equations..].to_vec();
        let reinits = f.reinits[since.reinits..].to_vec();
        let assertions = f.assertions[since.assertions..].to_vec();
        let terminates = f.terminates[since.terminates..].to_vec();
        let effects = f.effects[since.effects..].to_vec();
        roots.extend(
            equations
                .iter()
                .chain(&initial)
                .flat_map(|e| [e.lhs, e.rhs]),
        );
        roots.extend(reinits.iter().flat_map(|r| [r.condition, r.value]));
        for a in &assertions {
            roots.extend(a.guard);
            roots.extend([a.condition, a.message]);
        }
        roots.extend(terminates.iter().flat_map(|t| [t.guard, t.message]));
        for e in &effects {
            roots.extend(e.guard);
            roots.push(e.call);
        }
        let mut stamp = Stamp::new(&f.exprs, &roots, |v| numbers.has_var(v));
        let (first, connectors) = (numbers.connector as usize, numbers.connectors as usize);
        // All that the variables of the elements share; each has a name already.
        let variables: Vec<Variable> = own
            .clone()
            .map(|v| {
                let mut of = f.vars[VarId::from_u32(v)].clone();
                of.name = String::new();
                of
            })
            .collect();
        let ports: Vec<Connector> = f.connectors[first..first + connectors].to_vec();
        for k in 1..count {
            let shift = numbers.shift(k);
            let at = |c: u32| match numbers.has_component(c) {
                true => c + shift.components,
                false => c,
            };
            stamp.put(&mut self.flat.exprs, &|v| shift.var(v));
            let new = |e: ExprId| stamp.of(e);
            let f = &mut self.flat;
            for (v, of) in own.clone().zip(&variables) {
                let to = &mut f.vars[VarId::from_u32(v + shift.vars)];
                *to = Variable {
                    name: std::mem::take(&mut to.name),
                    binding: of.binding.map(new),
                    start: of.start.map(new),
                    fixed: of.fixed.map(new),
                    min: of.min.map(new),
                    max: of.max.map(new),
                    nominal: of.nominal.map(new),
                    // Of an empty name: no memory is asked for.
                    ..of.clone()
                };
            }
            for (c, of) in ports.iter().enumerate() {
                let moved = |list: &[VarId]| list.iter().map(|&v| shift.var(v)).collect();
                f.connectors[first + c + k as usize * connectors] = Connector {
                    component: of.component + shift.components,
                    potentials: moved(&of.potentials),
                    flows: moved(&of.flows),
                    streams: moved(&of.streams),
                };
            }
            let equation = |e: &ferrica_ir::flat::Equation| ferrica_ir::flat::Equation {
                lhs: new(e.lhs),
                rhs: new(e.rhs),
                component: at(e.component),
                ..*e
            };
            f.equations.extend(equations.iter().map(equation));
            f.initial_equations.extend(initial.iter().map(equation));
            f.reinits.extend(reinits.iter().map(|r| {
                let inside = numbers.has_var(r.state);
                ferrica_ir::flat::Reinit {
                    condition: new(r.condition),
                    state: if inside { shift.var(r.state) } else { r.state },
                    value: new(r.value),
                    component: at(r.component),
                    ..r.clone()
                }
            }));
            for a in &assertions {
                let (guard, condition) = (a.guard.map(new), new(a.condition));
                if self.assertions_seen.insert((guard, condition)) {
                    f.assertions.push(ferrica_ir::flat::Assertion {
                        guard,
                        condition,
                        message: new(a.message),
                        component: at(a.component),
                        ..a.clone()
                    });
                }
            }
            f.terminates
                .extend(terminates.iter().map(|t| ferrica_ir::flat::Terminate {
                    guard: new(t.guard),
                    message: new(t.message),
                    ..t.clone()
                }));
            f.effects
                .extend(effects.iter().map(|e| ferrica_ir::flat::Effect {
                    guard: e.guard.map(new),
                    call: new(e.call),
                    ..e.clone()
                }));
        }
    }

    /// A value of the first element as one of element `k`; none where that cannot be said.
    pub fn moved_value(&mut self, family: &Family, value: &Value, k: u32) -> Option<Value> {
        let (mut known, numbers) = (true, family.numbers);
        let moved = value.map_scalars(&mut |s| match (self.flat.exprs.get(s), numbers) {
            (Expr::Var(v), Some(n)) if n.has_var(v) => {
                let ty = self.flat.exprs.ty(s);
                self.flat.exprs.var(n.shift(k).var(v), ty)
            }
            (Expr::Var(_), Some(_)) => s,
            _ => {
                known &= self.flat.exprs.is_literal(s);
                s
            }
        });
        known.then_some(moved)
    }
}

/// Expressions that are put down again with other variables: what depends on a variable that moves, parts before wholes.
pub struct Stamp {
    nodes: Vec<(Expr, Ty, u32)>,
    operands: Vec<Operand>,
    number: FxHashMap<ExprId, u32>,
    put: Vec<ExprId>,
    children: Vec<ExprId>,
}

#[derive(Clone, Copy)]
enum Operand {
    Stays(ExprId),
    Moves(u32),
}

impl Stamp {
    pub fn new(exprs: &ExprArena, roots: &[ExprId], moves: impl Fn(VarId) -> bool) -> Stamp {
        let mut new = Stamp {
            nodes: Vec::new(),
            operands: Vec::new(),
            number: FxHashMap::default(),
            put: Vec::new(),
            children: Vec::new(),
        };
        exprs.postorder(roots, |id| {
            let expr = exprs.get(id);
            let start = new.operands.len();
            let mut any = matches!(expr, Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) if moves(v));
            exprs.for_each_child(id, |c| {
                let operand = match new.number.get(&c) {
                    Some(&k) => Operand::Moves(k),
                    None => Operand::Stays(c),
                };
                any |= matches!(operand, Operand::Moves(_));
                new.operands.push(operand);
            });
            if any {
                new.number.insert(id, new.nodes.len() as u32);
                let count = (new.operands.len() - start) as u32;
                new.nodes.push((expr, exprs.ty(id), count));
            } else {
                new.operands.truncate(start);
            }
        });
        new
    }

    /// Makes the expressions with these variables.
    pub fn put(&mut self, exprs: &mut ExprArena, to: &dyn Fn(VarId) -> VarId) {
        self.put.clear();
        let mut at = 0;
        for &(expr, ty, count) in &self.nodes {
            self.children.clear();
            for o in &self.operands[at..at + count as usize] {
                self.children.push(match *o {
                    Operand::Stays(e) => e,
                    Operand::Moves(k) => self.put[k as usize],
                });
            }
            at += count as usize;
            self.put.push(match expr {
                Expr::Var(v) => exprs.intern(Expr::Var(to(v)), ty),
                Expr::Der(v) => exprs.intern(Expr::Der(to(v)), ty),
                Expr::Pre(v) => exprs.intern(Expr::Pre(to(v)), ty),
                _ => exprs.with_children(expr, ty, &self.children),
            });
        }
    }

    /// What an expression has become.
    pub fn of(&self, e: ExprId) -> ExprId {
        self.number.get(&e).map_or(e, |&k| self.put[k as usize])
    }
}

//! Where a line would split a model best.
//!
//! In: the equations of a model after alias removal. Out: the components that store energy between their ports (a volume, a
//! capacitor, a shaft between two inertias), and the parts that the other equations fall into when such a component
//! is taken out: a transmission line in its place, with a travelling time of its own, separates them.
//!
//! With a component go its equations. What then ties the others together no longer does so: of a volume its own states, which
//! its neighbours read, and the balances of what enters it; of a spring the force, which it makes of the neighbours' positions.
//! Parts that do not move by themselves (an orifice behind the last volume) do not count.

use cranelift_entity::EntityRef;
use ferrica_codegen::Slot;
use ferrica_codegen::model::{BlockKind, CompiledModel};
use ferrica_codegen::schedule::needed;
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{BinaryOp, Expr, ExprId, UnaryOp, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::naming::top_level;
use crate::parts::Union;

/// Components that are looked at.
const MAX_CANDIDATES: usize = 400;

/// A component and what a line in its place would bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub component: String,
    /// None if it is a spring between states of others.
    pub states: Vec<String>,
    /// Equations in each of the parts, the largest first.
    pub parts: Vec<usize>,
}

/// A component that stores energy.
struct Store<'m> {
    component: &'m str,
    states: Vec<VarId>,
    /// Makes a force of positions.
    is_spring: bool,
}

/// An equation of what moves.
struct Equation<'m> {
    component: &'m str,
    unknowns: Vec<VarId>,
    /// Unknowns with coefficients 1 and −1 alone: a balance or a difference.
    is_sum: bool,
}

struct Graph<'m> {
    model: &'m CompiledModel,
    equations: Vec<Equation<'m>>,
    /// Variables and their derivatives, and the latter by the name of the former.
    pairs: Vec<(VarId, VarId)>,
    derivatives: FxHashMap<&'m str, VarId>,
    /// Values that come from the past.
    delayed: FxHashSet<VarId>,
}

/// The best first; components that split nothing are left out.
pub fn suggest_lines(model: &CompiledModel) -> Vec<Suggestion> {
    let graph = Graph::new(model);
    let positions = graph.positions();
    let mut candidates = graph.stores(&positions);
    candidates.truncate(MAX_CANDIDATES);
    let before = graph.split(None, &positions).len();
    let name = |&x: &VarId| graph.name(x).to_string();
    let mut list: Vec<Suggestion> = (candidates.iter())
        .map(|store| Suggestion {
            component: store.component.to_string(),
            states: store.states.iter().map(name).collect(),
            parts: graph.split(Some(store), &positions),
        })
        .filter(|s| s.parts.len() > before)
        .collect();
    // The smaller the largest part, the better.
    list.sort_by(|a, b| {
        a.parts[0]
            .cmp(&b.parts[0])
            .then(a.component.cmp(&b.component))
    });
    list
}

impl<'m> Graph<'m> {
    fn new(model: &'m CompiledModel) -> Graph<'m> {
        let source = &model.source;
        let names: FxHashMap<&str, VarId> = (source.vars.iter())
            .map(|(v, var)| (var.var.name.as_str(), v))
            .collect();
        let (mut derivatives, mut pairs) = (FxHashMap::default(), Vec::new());
        for (name, &v) in &names {
            let inner = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')'));
            if let Some(of) = inner {
                derivatives.insert(of, v);
                pairs.extend(names.get(of).map(|&x| (x, v)));
            }
        }
        let constant = source.delays.iter().filter(|d| d.constant);
        let mut graph = Graph {
            model,
            equations: Vec::new(),
            pairs,
            derivatives,
            delayed: constant.map(|d| d.result).collect(),
        };
        for k in graph.core() {
            let Some(e) = source.equations.get(k as usize) else {
                continue;
            };
            let path = source.components.get(e.component as usize);
            let unknowns = graph.unknowns(&[e.lhs, e.rhs]);
            let is_sum = graph.is_sum(e.lhs) && graph.is_sum(e.rhs);
            graph.equations.push(Equation {
                component: path.map_or("", |c| top_level(&c.path)),
                unknowns,
                is_sum,
            });
        }
        graph
    }

    /// Equations that the derivatives and what enters the delays depend on.
    fn core(&self) -> Vec<u32> {
        let model = self.model;
        let layout = &model.layout;
        let mut wanted: Vec<Slot> = (0..layout.n_states as Slot)
            .map(|k| layout.derivatives + k)
            .collect();
        wanted.extend(model.delays.iter().map(|d| d.source));
        let blocks = needed(&model.kernels, &model.systems, &model.main, &wanted, true);
        let mut list = Vec::new();
        for b in blocks {
            match model.main.blocks[b].kind {
                BlockKind::Row(_) => list.push(model.main.blocks[b].equation),
                BlockKind::System(s) => {
                    list.extend(model.systems[s].equations.iter().map(|e| e.index));
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Variables of expressions that move: delayed values come from elsewhere.
    fn unknowns(&self, roots: &[ExprId]) -> Vec<VarId> {
        let source = &self.model.source;
        let mut list = Vec::new();
        source.exprs.postorder(roots, |id| {
            if let Expr::Var(v) = source.exprs.get(id) {
                let moves = match source.vars[v].kind {
                    Kind::State | Kind::Derivative | Kind::Discrete | Kind::Relation => true,
                    Kind::Algebraic => !self.delayed.contains(&v),
                    _ => false,
                };
                if moves && !list.contains(&v) {
                    list.push(v);
                }
            }
        });
        list
    }

    fn is_sum(&self, e: ExprId) -> bool {
        let exprs = &self.model.source.exprs;
        match exprs.get(e) {
            Expr::Var(_) => true,
            Expr::Real(bits) => f64::from_bits(bits) == 0.0,
            Expr::Int(value) => value == 0,
            Expr::Unary(UnaryOp::Neg, a) => self.is_sum(a),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.is_sum(a) && self.is_sum(b),
            _ => false,
        }
    }

    fn name(&self, v: VarId) -> &'m str {
        &self.model.source.vars[v].var.name
    }

    /// Components with states that others read, and those that make a force of positions.
    fn stores(&self, positions: &FxHashSet<VarId>) -> Vec<Store<'m>> {
        let source = &self.model.source;
        let mut list: Vec<Store> = Vec::new();
        let mut at: FxHashMap<&str, usize> = FxHashMap::default();
        let mut owner: FxHashMap<VarId, usize> = FxHashMap::default();
        for &x in &source.states {
            let component = top_level(self.name(x));
            // A state of the model itself belongs to no component.
            if component == self.name(x) {
                continue;
            }
            let k = *at.entry(component).or_insert_with(|| {
                list.push(Store {
                    component,
                    states: Vec::new(),
                    is_spring: false,
                });
                list.len() - 1
            });
            list[k].states.push(x);
            owner.insert(x, k);
        }
        // A mass has states that others read, but stores nothing between them.
        let speeds = self.speeds(positions);
        let is_motion = |v: &VarId| positions.contains(v) || speeds.contains(v);
        let mut is_read = vec![false; list.len()];
        for e in &self.equations {
            let read = e.unknowns.iter().filter(|v| !is_motion(v));
            let read = read.filter_map(|v| owner.get(v));
            for &k in read.filter(|&&k| list[k].component != e.component) {
                is_read[k] = true;
            }
        }
        for e in self.equations.iter().filter(|e| !e.is_sum) {
            let places = e.unknowns.iter().filter(|v| positions.contains(v)).count();
            if places == 0 || places == e.unknowns.len() || e.component.is_empty() {
                continue;
            }
            match at.get(e.component) {
                Some(&k) => list[k].is_spring = !is_read[k],
                None => {
                    at.insert(e.component, list.len());
                    is_read.push(false);
                    list.push(Store {
                        component: e.component,
                        states: Vec::new(),
                        is_spring: true,
                    });
                }
            }
        }
        let mut is_read = is_read.into_iter();
        list.retain(|s| is_read.next() == Some(true) || s.is_spring);
        list
    }

    /// Variables that have a second derivative, and sums and differences of such.
    fn positions(&self) -> FxHashSet<VarId> {
        let source = &self.model.source;
        let twice = |name: &str| {
            let first = self.derivatives.get(name)?;
            self.derivatives.get(self.name(*first))
        };
        let mut found: FxHashSet<VarId> = (source.vars.iter())
            .filter(|(_, v)| twice(&v.var.name).is_some())
            .map(|(v, _)| v)
            .collect();
        // A state whose derivative is a state.
        for e in self.equations.iter().filter(|e| e.is_sum) {
            if let [a, b] = e.unknowns[..] {
                for (x, v) in [(a, b), (b, a)] {
                    let derived = source.vars[x].kind == Kind::Derivative;
                    if let (true, Some(state), Kind::State) =
                        (derived, source.vars[x].partner, source.vars[v].kind)
                    {
                        found.insert(state);
                    }
                }
            }
        }
        loop {
            let before = found.len();
            for e in self.equations.iter().filter(|e| e.is_sum) {
                let mut rest = e.unknowns.iter().filter(|v| !found.contains(v));
                if let (Some(&last), None) = (rest.next(), rest.next())
                    && e.unknowns.len() > 1
                {
                    found.insert(last);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Derivatives of positions, and what equals them.
    fn speeds(&self, positions: &FxHashSet<VarId>) -> FxHashSet<VarId> {
        let of_position = self.pairs.iter().filter(|(x, _)| positions.contains(x));
        let mut found: FxHashSet<VarId> = of_position.map(|&(_, v)| v).collect();
        for e in self.equations.iter().filter(|e| e.is_sum) {
            if let [a, b] = e.unknowns[..] {
                for (known, new) in [(a, b), (b, a)] {
                    if found.contains(&known) {
                        found.insert(new);
                    }
                }
            }
        }
        found
    }

    /// What no longer ties others together when a component is taken out.
    fn cut(&self, store: &Store, positions: &FxHashSet<VarId>) -> FxHashSet<VarId> {
        if !store.is_spring {
            let rate = |&x: &VarId| self.derivatives.get(self.name(x)).copied();
            let rates = store.states.iter().filter_map(rate);
            return store.states.iter().copied().chain(rates).collect();
        }
        let own = (self.equations.iter()).filter(|e| e.component == store.component);
        let all = own.flat_map(|e| e.unknowns.iter().copied());
        all.filter(|v| !positions.contains(v)).collect()
    }

    /// Sizes of the moving parts, without a component.
    fn split(&self, without: Option<&Store>, positions: &FxHashSet<VarId>) -> Vec<usize> {
        let source = &self.model.source;
        let is_out = |e: &&Equation| without.is_some_and(|s| s.component == e.component);
        let cut = without.map_or(FxHashSet::default(), |s| self.cut(s, positions));
        let mut enters: FxHashSet<VarId> = FxHashSet::default();
        if without.is_some_and(|s| !s.is_spring) {
            let own = self.equations.iter().filter(is_out);
            enters.extend(own.flat_map(|e| &e.unknowns));
        }
        let mut sets = Union::new(source.vars.len());
        let mut moving = vec![false; source.vars.len()];
        for &(x, v) in &self.pairs {
            moving[v.index()] = true;
            if !cut.contains(&x) && !cut.contains(&v) {
                sets.join(x.index() as u32, v.index() as u32);
            }
        }
        let mut members: Vec<(u32, bool)> = Vec::new();
        for e in self.equations.iter().filter(|e| !is_out(e)) {
            let enters = e.unknowns.iter().any(|v| enters.contains(v));
            if e.is_sum && e.component.is_empty() && enters {
                continue;
            }
            let mut rest = e.unknowns.iter().filter(|v| !cut.contains(v));
            let Some(first) = rest.next() else { continue };
            for v in rest {
                sets.join(first.index() as u32, v.index() as u32);
            }
            let moves = |v: &&VarId| source.vars[**v].kind == Kind::State || moving[v.index()];
            let mut rest = e.unknowns.iter().filter(|v| !cut.contains(v));
            members.push((first.index() as u32, rest.any(|v| moves(&v))));
        }
        let mut count: FxHashMap<u32, (usize, bool)> = FxHashMap::default();
        for (first, moves) in members {
            let part = count.entry(sets.find(first)).or_default();
            part.0 += 1;
            part.1 |= moves;
        }
        let mut sizes: Vec<usize> = count.values().filter(|p| p.1).map(|p| p.0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }
}

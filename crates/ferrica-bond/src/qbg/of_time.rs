//! The part of a compiled model that follows from time alone: signal blocks, sources with a memory or with states of their own.
//!
//! In: the causal model, and which of its equations belong to the energy network. Out: which variables follow from time without it, and a causal
//! model of no more than some of them, which the ordinary engine runs. Linear in blocks and incidences.

use ferrica_ir::causal::{Assign, Block, CausalModel, Kind};
use ferrica_ir::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct OfTime<'m> {
    model: &'m CausalModel,
    main: Writers,
    initial: Writers,
    kept: FxHashMap<VarId, VarId>,
    /// What else gives values, by variable: expressions that are read for them.
    others: FxHashMap<VarId, Vec<ExprId>>,
    /// Variables that need something of the network.
    bound: FxHashSet<VarId>,
}

/// Which block computes a variable.
struct Writers(FxHashMap<VarId, usize>);

impl Writers {
    fn of(blocks: &[Block]) -> Writers {
        let mut map = FxHashMap::default();
        for (k, block) in blocks.iter().enumerate() {
            for v in written(block) {
                map.insert(v, k);
            }
        }
        Writers(map)
    }
}

fn written(block: &Block) -> Vec<VarId> {
    let of = |list: &[Assign]| list.iter().map(|a| a.var).collect::<Vec<_>>();
    match block {
        Block::Assign(a) => vec![a.var],
        Block::Linear(b) => [b.unknowns.clone(), of(&b.then)].concat(),
        Block::Nonlinear(b) => [b.unknowns.clone(), of(&b.inner), of(&b.jacobian_inner)].concat(),
    }
}

/// The expressions of a block, and the equations that it is made of.
fn parts(block: &Block) -> (Vec<ExprId>, Vec<u32>) {
    let mut roots = Vec::new();
    let mut equations = Vec::new();
    let mut assigns: Vec<&Assign> = Vec::new();
    match block {
        Block::Assign(a) => assigns.push(a),
        Block::Linear(b) => {
            roots.extend(b.matrix.iter().map(|m| m.2).chain(b.rhs.iter().copied()));
            equations.extend(&b.equations);
            assigns.extend(&b.then);
        }
        Block::Nonlinear(b) => {
            roots.extend(&b.residuals);
            roots.extend(b.jacobian.iter().flatten().map(|j| j.2));
            equations.extend(&b.equations);
            assigns.extend(b.inner.iter().chain(&b.jacobian_inner));
        }
    }
    roots.extend(assigns.iter().map(|a| a.expr));
    equations.extend(assigns.iter().map(|a| a.equation));
    (roots, equations)
}

impl<'m> OfTime<'m> {
    /// `in_network` tells of a component whether what its equations say is a part of the network.
    pub fn new(model: &'m CausalModel, in_network: impl Fn(u32) -> bool) -> OfTime<'m> {
        let mut out = OfTime {
            main: Writers::of(&model.blocks),
            initial: Writers::of(&model.initial.blocks),
            kept: (model.aliases.iter()).map(|a| (a.0, a.1)).collect(),
            others: FxHashMap::default(),
            bound: FxHashSet::default(),
            model,
        };
        let relations = model
            .relations
            .iter()
            .map(|r| (r.memory, vec![r.lhs, r.rhs]));
        let samplers = (model.samplers.iter()).map(|s| (s.memory, vec![s.start, s.interval]));
        let delays = (model.delays.iter()).map(|d| (d.result, vec![d.source, d.delay, d.max]));
        let reinits =
            (model.reinits.iter()).map(|r| (out.of_alias(r.state), vec![r.condition, r.value]));
        let all: Vec<_> = relations
            .chain(samplers)
            .chain(delays)
            .chain(reinits)
            .collect();
        for (v, roots) in all {
            out.others.entry(v).or_default().extend(roots);
        }
        let mut readers: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
        let mut open: Vec<VarId> = Vec::new();
        for v in model.vars.keys().filter(|v| !out.kept.contains_key(v)) {
            if !out.is_own(v, &in_network) {
                open.push(v);
            }
            for read in out.reads(v) {
                readers.entry(read).or_default().push(v);
            }
        }
        while let Some(v) = open.pop() {
            if out.bound.insert(v) {
                open.extend(readers.get(&v).into_iter().flatten());
            }
        }
        out
    }

    pub fn holds(&self, v: VarId) -> bool {
        !self.bound.contains(&self.of_alias(v))
    }

    pub fn kind(&self, v: VarId) -> Kind {
        self.model.vars[self.of_alias(v)].kind
    }

    fn of_alias(&self, v: VarId) -> VarId {
        self.kept.get(&v).copied().unwrap_or(v)
    }

    /// Is a variable, looked at by itself, computed without the network?
    fn is_own(&self, v: VarId, in_network: &impl Fn(u32) -> bool) -> bool {
        match self.model.vars[v].kind {
            Kind::Parameter => true,
            Kind::Input | Kind::External | Kind::Eliminated => false,
            Kind::State | Kind::Relation => true,
            _ => match self.main.0.get(&v) {
                Some(&k) => {
                    let of = |e: &u32| self.model.equations.get(*e as usize);
                    let (_, equations) = parts(&self.model.blocks[k]);
                    equations
                        .iter()
                        .all(|e| of(e).is_some_and(|e| !in_network(e.component)))
                }
                // Results of a delay and memories of a sampler; what nothing computes is of no use.
                None => self.others.contains_key(&v),
            },
        }
    }

    /// What a variable needs next.
    fn reads(&self, v: VarId) -> Vec<VarId> {
        let m = self.model;
        let mut roots: Vec<ExprId> = Vec::new();
        let mut out: Vec<VarId> = Vec::new();
        if m.vars[v].kind == Kind::State {
            out.extend(m.vars[v].partner);
        }
        if let Some(&k) = self.main.0.get(&v) {
            roots.extend(parts(&m.blocks[k]).0);
            out.extend(written(&m.blocks[k]));
        }
        roots.extend(self.others.get(&v).into_iter().flatten());
        self.variables(&roots, &mut out);
        out
    }

    fn variables(&self, roots: &[ExprId], out: &mut Vec<VarId>) {
        self.model.exprs.postorder(roots, |id| {
            if let Expr::Var(v) | Expr::Pre(v) | Expr::Der(v) = self.model.exprs.get(id) {
                out.push(self.of_alias(v));
            }
        });
    }

    /// A causal model of the wanted variables and what they need.
    pub fn slice(&self, wanted: &[VarId]) -> CausalModel {
        let closed = |first: Vec<VarId>, next: &dyn Fn(VarId) -> Vec<VarId>| {
            let mut seen: FxHashSet<VarId> = FxHashSet::default();
            let mut open = first;
            while let Some(v) = open.pop() {
                if seen.insert(v) {
                    open.extend(next(v));
                }
            }
            seen
        };
        let first = wanted.iter().map(|&v| self.of_alias(v)).collect();
        let run = closed(first, &|v| self.reads(v));
        let source = self.model;
        let start = closed(run.iter().copied().collect(), &|v| {
            let Some(&k) = self.initial.0.get(&v) else {
                return Vec::new();
            };
            let mut list = written(&source.initial.blocks[k]);
            self.variables(&parts(&source.initial.blocks[k]).0, &mut list);
            list
        });
        let mut m = source.clone();
        for (v, var) in m.vars.iter_mut() {
            if matches!(var.kind, Kind::State | Kind::Derivative) && !run.contains(&v) {
                (var.kind, var.partner) = (Kind::Algebraic, None);
            }
        }
        let stays =
            |block: &Block, set: &FxHashSet<VarId>| written(block).iter().any(|v| set.contains(v));
        m.initial.blocks.retain(|b| stays(b, &start));
        m.initial.redundant.clear();
        m.initial
            .from_start
            .retain(|(v, _)| start.contains(&self.of_alias(*v)));
        m.states.retain(|v| run.contains(v));
        m.derivatives.retain(|v| run.contains(v));
        m.inputs.clear();
        m.outputs.clear();
        let of_run: Vec<bool> = m.blocks.iter().map(|b| stays(b, &run)).collect();
        let mut flags = of_run.iter();
        m.continuous
            .retain(|_| flags.next().copied().unwrap_or(false));
        m.blocks.retain(|b| stays(b, &run));
        m.relations.retain(|r| start.contains(&r.memory));
        m.samplers.retain(|s| start.contains(&s.memory));
        m.delays.retain(|d| run.contains(&d.result));
        m.transports.clear();
        m.reinits.retain(|r| run.contains(&self.of_alias(r.state)));
        m.assertions.clear();
        m.terminates.clear();
        m.effects.clear();
        m.dynamic_states.clear();
        m
    }
}

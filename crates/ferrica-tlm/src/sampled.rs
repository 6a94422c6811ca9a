//! Lines that are sampled: values that travel from one tick of a clock to the next.
//!
//! In: a flat model. Out: the same model, in which what a when-clause of `sample(s, T)` reads of another one with the same clock, as its value of the tick before
//! (`c1 = pre(w2)`), is a delayed value: `delay(w2, T/2)`. Between two ticks w2 stands still, so that half a period ago it had the value of the tick before
//! whatever the steps are. The cut then treats it as any other line, with half a period for its travelling time.
//!
//! That is done only where it separates something, and each part gets a when-clause of its own. What a clause reads as the left limit of a continuous variable has no
//! age: `c1 = pre(c2) + 2*Z*pre(q2)` is known to the other end only when both have come to the tick, and is no cut.

use ferrica_ir::Span;
use ferrica_ir::expr::{Builtin, Expr, ExprId, Ty, VarId};
use ferrica_ir::flat::{Equation, FlatModel, Origin, Variability, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::parts::Union;

/// Start and interval of a sampler.
type Clock = (ExprId, ExprId);

/// An equation `x = if fires(b) then value else pre(x)`.
struct Clause {
    x: VarId,
    clock: Clock,
    value: ExprId,
}

struct Search<'m> {
    model: &'m FlatModel,
    /// Conditions that are samplers.
    clocks: FxHashMap<VarId, Clock>,
    /// By the number of the equation.
    clauses: FxHashMap<usize, Clause>,
    clock_of: FxHashMap<VarId, Clock>,
    /// Functions of time and parameters alone.
    shared: FxHashSet<VarId>,
}

/// Cuts at sampled lines. Returns how many values travel through them.
pub fn cut_sampled(model: &mut FlatModel) -> usize {
    let mut search = Search::new(model);
    if search.clauses.is_empty() {
        return 0;
    }
    search.share();
    let mut sets = search.sets();
    // Reader and source of each value that comes from elsewhere.
    let mut cuts: FxHashMap<usize, Vec<VarId>> = FxHashMap::default();
    for (&k, clause) in &search.clauses {
        let mut from = search.travellers(clause);
        from.retain(|z| sets.find(z.as_u32()) != sets.find(clause.x.as_u32()));
        if !from.is_empty() {
            cuts.insert(k, from);
        }
    }
    if cuts.is_empty() {
        return 0;
    }
    let (clocks, clock_of) = (search.clocks, search.clock_of);
    let of: Vec<Option<u32>> = (model.equations.iter())
        .map(|q| set_of(model, q, &clocks, &mut sets))
        .collect();
    let mut travelled: FxHashMap<VarId, VarId> = FxHashMap::default();
    let mut order: Vec<usize> = cuts.keys().copied().collect();
    order.sort_unstable();
    for k in order {
        let mut put: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for &z in &cuts[&k] {
            let d = *travelled
                .entry(z)
                .or_insert_with(|| delayed(model, z, clock_of[&z]));
            put.insert(z, model.exprs.var(d, Ty::Real));
        }
        let x = match model.exprs.get(model.equations[k].lhs) {
            Expr::Var(x) => x,
            _ => continue,
        };
        let rhs = model.equations[k].rhs;
        let mut memo = FxHashMap::default();
        model.equations[k].rhs = model.exprs.rewrite(rhs, &mut memo, &mut |e, id| {
            match e.get(id) {
                // What the clause itself keeps stays.
                Expr::Pre(z) if z != x => put.get(&z).copied(),
                _ => None,
            }
        });
    }
    own_clauses(model, &clocks, &of);
    travelled.len()
}

/// The set of an equation: that of any of its variables.
fn set_of(
    model: &FlatModel,
    q: &Equation,
    clocks: &FxHashMap<VarId, Clock>,
    sets: &mut Union,
) -> Option<u32> {
    let mut found = None;
    model.exprs.postorder(&[q.lhs, q.rhs], |id| {
        if let Expr::Var(v) | Expr::Der(v) = model.exprs.get(id)
            && found.is_none()
            && moves(model, v)
            && !clocks.contains_key(&v)
        {
            found = Some(v);
        }
    });
    found.map(|v| sets.find(v.as_u32()))
}

fn moves(model: &FlatModel, v: VarId) -> bool {
    matches!(
        model.vars[v].variability,
        Variability::Continuous | Variability::Discrete
    )
}

/// A new variable: `z` half a period ago.
fn delayed(model: &mut FlatModel, z: VarId, (_, interval): Clock) -> VarId {
    let name = format!("$sampled({})", model.vars[z].name);
    let mut d = Variable::new(name, Ty::Real, Variability::Continuous);
    d.hidden = true;
    let d = model.vars.push(d);
    let e = &mut model.exprs;
    let half = e.real(0.5);
    let (by, z) = (e.mul(half, interval), e.var(z, Ty::Real));
    let rhs = e.builtin(Builtin::Delay, &[z, by]);
    let lhs = e.var(d, Ty::Real);
    model.equations.push(generated(lhs, rhs));
    d
}

/// Each set has conditions of its own in place of those that are samplers.
fn own_clauses(model: &mut FlatModel, clocks: &FxHashMap<VarId, Clock>, of: &[Option<u32>]) {
    let mut first: FxHashMap<VarId, u32> = FxHashMap::default();
    let mut copies: FxHashMap<(VarId, u32), VarId> = FxHashMap::default();
    for (k, &set) in of.iter().enumerate() {
        let Some(set) = set else { continue };
        let q = &model.equations[k];
        let mut read = Vec::new();
        model.exprs.postorder(&[q.lhs, q.rhs], |id| {
            if let Expr::Var(b) | Expr::Pre(b) = model.exprs.get(id)
                && clocks.contains_key(&b)
            {
                read.push(b);
            }
        });
        for b in read {
            if *first.entry(b).or_insert(set) == set {
                continue;
            }
            let copy = *copies.entry((b, set)).or_insert_with(|| {
                let name = format!("{}#{set}", model.vars[b].name);
                let mut v = Variable::new(name, Ty::Boolean, Variability::Discrete);
                v.hidden = true;
                let v = model.vars.push(v);
                let (start, interval) = clocks[&b];
                let lhs = model.exprs.var(v, Ty::Boolean);
                let rhs = model.exprs.builtin(Builtin::Sample, &[start, interval]);
                model.equations.push(generated(lhs, rhs));
                v
            });
            let rhs = model.equations[k].rhs;
            let mut memo = FxHashMap::default();
            model.equations[k].rhs =
                (model.exprs).rewrite(rhs, &mut memo, &mut |e, id| match e.get(id) {
                    Expr::Var(v) if v == b => Some(e.var(copy, Ty::Boolean)),
                    Expr::Pre(v) if v == b => Some(e.pre(copy, Ty::Boolean)),
                    _ => None,
                });
        }
    }
}

fn generated(lhs: ExprId, rhs: ExprId) -> Equation {
    Equation {
        lhs,
        rhs,
        span: Span::NONE,
        component: 0,
        origin: Origin::Generated,
    }
}

impl<'m> Search<'m> {
    fn new(model: &'m FlatModel) -> Search<'m> {
        let e = &model.exprs;
        let mut search = Search {
            model,
            clocks: FxHashMap::default(),
            clauses: FxHashMap::default(),
            clock_of: FxHashMap::default(),
            shared: FxHashSet::default(),
        };
        for q in &model.equations {
            if let (Expr::Var(b), Expr::Builtin(Builtin::Sample, list)) =
                (e.get(q.lhs), e.get(q.rhs))
                && let &[start, interval] = e.args(list)
            {
                search.clocks.insert(b, (start, interval));
            }
        }
        for (k, q) in model.equations.iter().enumerate() {
            let (Expr::Var(x), Expr::If(when, value, kept)) = (e.get(q.lhs), e.get(q.rhs)) else {
                continue;
            };
            let Expr::Builtin(Builtin::WhenFires, list) = e.get(when) else {
                continue;
            };
            let Some(Expr::Var(b)) = e.args(list).first().map(|&b| e.get(b)) else {
                continue;
            };
            if let (Some(&clock), true) = (search.clocks.get(&b), e.get(kept) == Expr::Pre(x)) {
                search.clauses.insert(k, Clause { x, clock, value });
                search.clock_of.insert(x, clock);
            }
        }
        search
    }

    /// Explicit equations of time and parameters alone.
    fn share(&mut self) {
        loop {
            let before = self.shared.len();
            for q in &self.model.equations {
                let Expr::Var(x) = self.model.exprs.get(q.lhs) else {
                    continue;
                };
                let mut pure = moves(self.model, x);
                self.model.exprs.postorder(&[q.rhs], |id| {
                    pure &= match self.model.exprs.get(id) {
                        Expr::Var(v) => !moves(self.model, v) || self.shared.contains(&v),
                        Expr::Der(_) | Expr::Pre(_) | Expr::Builtin(Builtin::Delay, _) => false,
                        _ => true,
                    };
                });
                if pure && !self.clocks.contains_key(&x) {
                    self.shared.insert(x);
                }
            }
            if self.shared.len() == before {
                return;
            }
        }
    }

    /// What a clause reads of other clauses with its clock, as of the tick before.
    fn travellers(&self, clause: &Clause) -> Vec<VarId> {
        let mut list = Vec::new();
        self.model.exprs.postorder(&[clause.value], |id| {
            if let Expr::Pre(z) = self.model.exprs.get(id)
                && z != clause.x
                && self.clock_of.get(&z) == Some(&clause.clock)
                && self.model.vars[z].ty == Ty::Real
                && !list.contains(&z)
            {
                list.push(z);
            }
        });
        list
    }

    /// What belongs together when these values, and delayed ones, come from elsewhere.
    fn sets(&self) -> Union {
        let mut sets = Union::new(self.model.vars.len());
        for (k, q) in self.model.equations.iter().enumerate() {
            let away = (self.clauses.get(&k)).map_or(Vec::new(), |c| self.travellers(c));
            self.join(&mut sets, &[q.lhs, q.rhs], &away);
        }
        for r in &self.model.reinits {
            self.join(&mut sets, &[r.condition, r.value], &[]);
            if let Some(v) = self.first(r.condition) {
                sets.join(v.as_u32(), r.state.as_u32());
            }
        }
        sets
    }

    fn first(&self, e: ExprId) -> Option<VarId> {
        let mut found = None;
        self.model.exprs.postorder(&[e], |id| {
            if let Expr::Var(v) | Expr::Pre(v) = self.model.exprs.get(id)
                && self.ties(v)
            {
                found.get_or_insert(v);
            }
        });
        found
    }

    fn ties(&self, v: VarId) -> bool {
        moves(self.model, v) && !self.shared.contains(&v) && !self.clocks.contains_key(&v)
    }

    /// Joins the variables of expressions. What goes into a delay is a set of its own.
    fn join(&self, sets: &mut Union, roots: &[ExprId], away: &[VarId]) {
        let e = &self.model.exprs;
        let mut first = None;
        let mut stack = roots.to_vec();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match e.get(id) {
                Expr::Builtin(Builtin::Delay, list) => {
                    self.join(sets, &e.args(list)[..1], &[]);
                    continue;
                }
                Expr::Pre(v) if away.contains(&v) => {}
                Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) if self.ties(v) => {
                    let other: VarId = *first.get_or_insert(v);
                    sets.join(other.as_u32(), v.as_u32());
                }
                _ => {}
            }
            e.for_each_child(id, |c| stack.push(c));
        }
    }
}

//! Clocked equations as discrete equations.
//!
//! In: the partitions of [`crate::clocked_partitions`]. Out: a model without clocks. Each partition is
//! matched on its own; an equation that determines `x` becomes `x = if fires then e else pre(x)`, where
//! `fires` is true in the pass of the event iteration in which the clock ticks. All clocks of one base
//! count its common ticks, so that ticks that coincide are one event.
//!
//! `sample(u)` is the left limit of u; `hold`, `subSample` and their like read the last value;
//! `previous(x)` is `pre(x)`. A partition with a solver method integrates its states from tick to tick. An equation of
//! a state of a state machine only holds while the state is active.

use ferrica_dae::Dae;
use ferrica_dae::affine::Decomposer;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::{Assertion, Equation, Origin, Variability};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clocked_partitions::{
    Base, Partitions, Ratio, is_clock_operator, partition, uses_clocks,
};
use crate::dulmage_mendelsohn;
use crate::incidence::NONE;
use crate::matching::maximum_matching;
use crate::solve::{Dependence, Division, explicit};
use crate::system::{System, SystemEquation};

/// A time before all runs.
const LONG_PAST: f64 = -1e30;

/// When a partition ticks, and what its operators mean.
struct Tick {
    fires: ExprId,
    interval: ExprId,
    first: ExprId,
    /// True from the first tick on.
    started: VarId,
}

/// See the module comment; nothing happens in a model without clocks.
pub fn convert(dae: &mut Dae) -> Result<(), Vec<Diagnostic>> {
    if !uses_clocks(dae) {
        return Ok(());
    }
    let partitions = partition(dae)?;
    let mut pass = Pass {
        partitions,
        ticks: Vec::new(),
        made: Vec::new(),
        sampled: FxHashMap::default(),
        starts: FxHashMap::default(),
    };
    pass.make_ticks(dae)?;
    pass.take_starts(dae);
    pass.convert(dae)
}

struct Pass {
    partitions: Partitions,
    ticks: Vec<Tick>,
    made: Vec<Equation>,
    /// Continuous expression to the variable whose left limit is sampled.
    sampled: FxHashMap<ExprId, VarId>,
    /// Start values that only `hold` uses.
    starts: FxHashMap<VarId, ExprId>,
}

impl Pass {
    fn equation(&mut self, lhs: ExprId, rhs: ExprId, span: Span, component: u32) {
        self.made.push(Equation {
            lhs,
            rhs,
            span,
            component,
            origin: Origin::When,
        });
    }

    /// A new discrete variable with `v = if fires then value else pre(v)`.
    fn stored(
        &mut self,
        dae: &mut Dae,
        name: String,
        ty: Ty,
        fires: ExprId,
        value: impl FnOnce(&mut Dae, ExprId) -> ExprId,
    ) -> VarId {
        let v = dae.new_var(name, ty, Kind::Discrete, Span::NONE);
        let pre = dae.exprs.pre(v, ty);
        let value = value(dae, pre);
        let rhs = dae.exprs.if_then_else(fires, value, pre);
        let lhs = dae.var_expr(v);
        self.equation(lhs, rhs, Span::NONE, 0);
        v
    }

    fn make_ticks(&mut self, dae: &mut Dae) -> Result<(), Vec<Diagnostic>> {
        let overflow = || {
            vec![Diagnostic::error(
                "E0406",
                Span::NONE,
                "the rates of the clocks have no common base that can be counted",
            )]
        };
        let mut bases: Vec<(ExprId, Ratio, Option<VarId>)> = Vec::new();
        let mut next_ticks: Vec<(usize, VarId, Ratio)> = Vec::new();
        for b in 0..self.partitions.bases.len() {
            // The common rate of everything on this base.
            let mut unit = Ratio::ONE;
            for c in self
                .partitions
                .clocks
                .iter()
                .filter(|c| c.base as usize == b)
            {
                unit = unit.common(c.period).ok_or_else(overflow)?;
                if c.shift.num != 0 {
                    unit = unit.common(c.shift).ok_or_else(overflow)?;
                }
            }
            let condition = match self.partitions.bases[b] {
                Base::Periodic(interval) => {
                    // The first tick is at the start of the run: the times of samplers are computed there, once.
                    let start = dae.exprs.time();
                    let factor = dae.exprs.real(unit.num as f64 / unit.den as f64);
                    let step = dae.exprs.mul(interval, factor);
                    dae.exprs.builtin(Builtin::Sample, &[start, step])
                }
                // The first tick is at the start of the run, too; `next` is long past until then.
                Base::Varying(_) => {
                    let next = dae.new_var(
                        format!("$next{}", b + 1),
                        Ty::Real,
                        Kind::Discrete,
                        Span::NONE,
                    );
                    dae.vars[next].var.start = Some(dae.exprs.real(LONG_PAST));
                    next_ticks.push((b, next, unit));
                    let time = dae.exprs.time();
                    let next = dae.exprs.pre(next, Ty::Real);
                    let due = dae.exprs.binary(BinaryOp::Ge, time, next);
                    let initial = dae.exprs.builtin(Builtin::Initial, &[]);
                    let begun = dae.exprs.not(initial);
                    dae.exprs.and_all(&[begun, due])
                }
                // One pass after the condition, so that `sample` finds what the event has made of the variables; a
                // condition that holds at the start ticks there.
                Base::Event(condition, _) => {
                    let name = format!("$condition{}", b + 1);
                    let v = dae.new_var(name, Ty::Boolean, Kind::Discrete, Span::NONE);
                    let lhs = dae.var_expr(v);
                    self.equation(lhs, condition, Span::NONE, 0);
                    dae.exprs.pre(v, Ty::Boolean)
                }
            };
            let tick = dae.new_var(
                format!("$tick{}", b + 1),
                Ty::Boolean,
                Kind::Discrete,
                Span::NONE,
            );
            let lhs = dae.var_expr(tick);
            self.equation(lhs, condition, Span::NONE, 0);
            let no = dae.exprs.bool(false);
            let fires = dae.exprs.builtin(Builtin::WhenFires, &[lhs, no]);
            let plain = self
                .partitions
                .clocks
                .iter()
                .filter(|c| c.base as usize == b)
                .all(|c| c.period == unit && c.shift.num == 0);
            let counter = (!plain).then(|| {
                let v = self.stored(
                    dae,
                    format!("$count{}", b + 1),
                    Ty::Integer,
                    fires,
                    |dae, pre| {
                        let one = dae.exprs.int(1);
                        dae.exprs.add(pre, one)
                    },
                );
                dae.vars[v].var.start = Some(dae.exprs.int(-1));
                v
            });
            bases.push((fires, unit, counter));
        }
        for (b, next, unit) in next_ticks {
            self.schedule(dae, b, next, unit, bases[b].0);
        }
        for k in 0..self.partitions.clocks.len() {
            let clock = self.partitions.clocks[k];
            let (base_fires, unit, counter) = bases[clock.base as usize];
            let whole = |r: Ratio| r.over(unit).map(|q| q.num);
            let (Some(period), Some(shift)) = (whole(clock.period), whole(clock.shift)) else {
                return Err(overflow());
            };
            let fires = match counter {
                Some(n) if period != 1 || shift != 0 => {
                    let n = dae.var_expr(n);
                    let (p, s) = (dae.exprs.int(period), dae.exprs.int(shift));
                    let started = dae.exprs.binary(BinaryOp::Ge, n, s);
                    let since = dae.exprs.sub(n, s);
                    let rest = dae.exprs.builtin(Builtin::Mod, &[since, p]);
                    let zero = dae.exprs.int(0);
                    let due = dae.exprs.binary(BinaryOp::Eq, rest, zero);
                    dae.exprs.and_all(&[base_fires, started, due])
                }
                _ => base_fires,
            };
            let tick = self.tick(dae, k, fires);
            self.ticks.push(tick);
        }
        Ok(())
    }

    /// At each tick of a clock whose interval varies the next one follows: from the time that was meant for this one, so that rounding does not add up.
    fn schedule(&mut self, dae: &mut Dae, b: usize, next: VarId, unit: Ratio, fires: ExprId) {
        let Base::Varying(interval) = self.partitions.bases[b] else {
            return;
        };
        let interval = self.meaning(dae, interval, NONE);
        let a = &mut dae.exprs;
        let pre = a.pre(next, Ty::Real);
        let factor = a.real(unit.num as f64 / unit.den as f64);
        let step = a.mul(interval, factor);
        let (past, time) = (a.real(LONG_PAST), a.time());
        let first = a.binary(BinaryOp::Le, pre, past);
        let from = a.if_then_else(first, time, pre);
        let then = a.add(from, step);
        let then = a.builtin(Builtin::NoEvent, &[then]);
        let (lhs, rhs) = (a.var(next, Ty::Real), a.if_then_else(fires, then, pre));
        let zero = a.real(0.0);
        let positive = a.binary(BinaryOp::Gt, interval, zero);
        let condition = a.builtin(Builtin::NoEvent, &[positive]);
        let message = a.str("the interval of a clock is not positive");
        self.equation(lhs, rhs, Span::NONE, 0);
        dae.assertions.push(Assertion {
            guard: Some(fires),
            condition,
            message,
            is_error: true,
            of_numbers: false,
            span: Span::NONE,
            component: 0,
        });
    }

    fn tick(&mut self, dae: &mut Dae, k: usize, fires: ExprId) -> Tick {
        let clock = self.partitions.clocks[k];
        let yes = dae.exprs.bool(true);
        let started = self.stored(
            dae,
            format!("$started{}", k + 1),
            Ty::Boolean,
            fires,
            |_, _| yes,
        );
        let before = dae.exprs.pre(started, Ty::Boolean);
        let first = dae.exprs.not(before);
        let interval = match self.partitions.bases[clock.base as usize] {
            Base::Periodic(t) => {
                let factor = clock.period.num as f64 / clock.period.den as f64;
                let factor = dae.exprs.real(factor);
                dae.exprs.mul(t, factor)
            }
            // What the last tick has made of it.
            Base::Varying(t) => {
                let factor = clock.period.num as f64 / clock.period.den as f64;
                let factor = dae.exprs.real(factor);
                let before = self.before(dae, t);
                dae.exprs.mul(before, factor)
            }
            Base::Event(_, start) => {
                let time = dae.exprs.time();
                let last =
                    self.stored(dae, format!("$last{}", k + 1), Ty::Real, fires, |_, _| time);
                let pre = dae.exprs.pre(last, Ty::Real);
                let since = dae.exprs.sub(time, pre);
                let zero = dae.exprs.real(0.0);
                dae.exprs.if_then_else(first, start.unwrap_or(zero), since)
            }
        };
        Tick {
            fires,
            interval,
            first,
            started,
        }
    }

    fn convert(mut self, dae: &mut Dae) -> Result<(), Vec<Diagnostic>> {
        let mut systems: Vec<Vec<SystemEquation>> = vec![Vec::new(); self.ticks.len()];
        let mut activity: Vec<Vec<Option<ExprId>>> = vec![Vec::new(); self.ticks.len()];
        let mut kept: Vec<Equation> = Vec::new();
        for (i, e) in std::mem::take(&mut dae.equations).into_iter().enumerate() {
            let k = self.partitions.of_equation[i];
            if dae.exprs.ty(e.lhs) == Ty::Clock {
                continue;
            }
            let lhs = self.meaning(dae, e.lhs, k);
            let rhs = self.meaning(dae, e.rhs, k);
            if k == NONE {
                kept.push(Equation { lhs, rhs, ..e });
            } else {
                let active = match dae.exprs.get(e.rhs) {
                    Expr::Builtin(Builtin::InState, list) => Some(dae.exprs.args(list)[1]),
                    _ => None,
                };
                activity[k as usize].push(active);
                systems[k as usize].push(SystemEquation {
                    lhs,
                    rhs,
                    span: e.span,
                    component: e.component,
                });
            }
        }
        let mut unknowns: Vec<Vec<VarId>> = vec![Vec::new(); self.ticks.len()];
        let clocked: Vec<VarId> = {
            let mut list: Vec<VarId> = self.partitions.of_variable.keys().copied().collect();
            list.sort_unstable();
            list
        };
        for &v in &clocked {
            let k = self.partitions.of_variable[&v] as usize;
            if dae.vars[v].var.ty == Ty::Clock {
                dae.vars[v].kind = Kind::Eliminated;
            } else if matches!(
                dae.vars[v].kind,
                Kind::Algebraic | Kind::Discrete | Kind::State | Kind::Derivative
            ) {
                unknowns[k].push(v);
            }
        }
        for k in 0..self.ticks.len() {
            self.integrate(dae, k, &unknowns[k], &mut systems[k], &mut activity[k])?;
            let equations = std::mem::take(&mut systems[k]);
            self.solve(dae, k, equations, &activity[k], &unknowns[k])?;
        }
        for list in &unknowns {
            for &v in list {
                dae.vars[v].kind = Kind::Discrete;
                dae.vars[v].var.variability = Variability::Discrete;
                dae.vars[v].partner = None;
                dae.derivative[v] = None.into();
                dae.antiderivative[v] = None.into();
            }
        }
        dae.equations = kept;
        dae.equations.append(&mut self.made);
        // Operators elsewhere: `hold` in assertions and the like.
        let mut roots = Vec::new();
        dae.for_each_root(|e| roots.push(*e));
        roots.sort_unstable();
        roots.dedup();
        let mut memo: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for e in roots {
            let new = self.meaning(dae, e, NONE);
            if new != e {
                memo.insert(e, new);
            }
        }
        dae.equations.append(&mut self.made);
        dae.for_each_root(|e| *e = memo.get(e).copied().unwrap_or(*e));
        Ok(())
    }

    /// The expression without clock operators, in partition `k`.
    fn meaning(&mut self, dae: &mut Dae, root: ExprId, k: u32) -> ExprId {
        use Builtin::*;
        let mut order = Vec::new();
        dae.exprs.postorder(&[root], |id| order.push(id));
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in order {
            let new = match dae.exprs.get(id) {
                Expr::Builtin(f, list) if is_clock_operator(f) => {
                    let args: Vec<ExprId> = dae.exprs.args(list).to_vec();
                    let value = |i: usize| args.get(i).map_or(id, |a| map[a]);
                    match f {
                        Hold | BackSample => self.held(dae, args.first().copied(), value(0)),
                        SubSample | SuperSample | ShiftSample | NoClock | OnClock | InState => {
                            value(0)
                        }
                        Previous => self.left_limit(dae, value(0)),
                        ClockedSample => self.left_limit(dae, value(0)),
                        Interval => match self.ticks.get(k as usize) {
                            Some(t) => t.interval,
                            None => id,
                        },
                        FirstTick => match self.ticks.get(k as usize) {
                            Some(t) => t.first,
                            None => id,
                        },
                        _ => id,
                    }
                }
                _ => dae.exprs.map_children(id, |c| map[&c]),
            };
            map.insert(id, new);
        }
        map[&root]
    }

    /// `hold(x)` and `backSample(x)`: before the first tick the start value of x.
    fn held(&mut self, dae: &mut Dae, argument: Option<ExprId>, value: ExprId) -> ExprId {
        let Some(Expr::Var(x)) = argument.map(|a| dae.exprs.get(a)) else {
            return value;
        };
        let (Some(&k), Some(start)) = (self.partitions.of_variable.get(&x), self.starts.get(&x))
        else {
            return value;
        };
        let started = dae.var_expr(self.ticks[k as usize].started);
        dae.exprs.if_then_else(started, value, *start)
    }

    /// An expression with the left limits of its variables.
    fn before(&mut self, dae: &mut Dae, e: ExprId) -> ExprId {
        let mut order = Vec::new();
        dae.exprs.postorder(&[e], |id| order.push(id));
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in order {
            let new = match dae.exprs.get(id) {
                Expr::Var(_) => self.left_limit(dae, id),
                _ => dae.exprs.map_children(id, |c| map[&c]),
            };
            map.insert(id, new);
        }
        map[&e]
    }

    /// Start values matter for `previous`, for intervals and for states; elsewhere only `hold` looks at them.
    fn take_starts(&mut self, dae: &mut Dae) {
        let mut needed: FxHashSet<VarId> = FxHashSet::default();
        for i in 0..dae.exprs.len() {
            let id = ExprId::from_u32(i as u32);
            if let Expr::Builtin(Builtin::Previous, list) = dae.exprs.get(id)
                && let Some(Expr::Var(x)) = dae.exprs.args(list).first().map(|&a| dae.exprs.get(a))
            {
                needed.insert(x);
            }
        }
        for base in &self.partitions.bases {
            if let Base::Varying(interval) = *base {
                dae.exprs.postorder(&[interval], |id| {
                    if let Expr::Var(x) = dae.exprs.get(id) {
                        needed.insert(x);
                    }
                });
            }
        }
        let clocked: Vec<VarId> = self.partitions.of_variable.keys().copied().collect();
        for x in clocked {
            if needed.contains(&x) || dae.derivative[x].is_some() {
                continue;
            }
            let Some(start) = dae.vars[x].var.start else {
                continue;
            };
            self.starts.insert(x, start);
            // The value of an input that nobody drives is its start.
            if dae.vars[x].kind != Kind::Input {
                dae.vars[x].var.start = None;
            }
        }
    }

    /// `pre` of an expression, through a variable where it is none.
    fn left_limit(&mut self, dae: &mut Dae, e: ExprId) -> ExprId {
        if dae.exprs.is_literal(e) {
            return e;
        }
        let v = match dae.exprs.get(e) {
            Expr::Var(v) if matches!(dae.vars[v].kind, Kind::Parameter | Kind::External) => {
                return e;
            }
            Expr::Var(v) => v,
            _ => match self.sampled.get(&e) {
                Some(&v) => v,
                None => {
                    let ty = dae.exprs.ty(e);
                    let kind = if ty.is_discrete() {
                        Kind::Discrete
                    } else {
                        Kind::Algebraic
                    };
                    let name = format!("$sampled{}", self.sampled.len() + 1);
                    let v = dae.new_var(name, ty, kind, Span::NONE);
                    self.sampled.insert(e, v);
                    let lhs = dae.var_expr(v);
                    self.equation(lhs, e, Span::NONE, 0);
                    v
                }
            },
        };
        dae.exprs.pre(v, dae.vars[v].var.ty)
    }

    /// Formulas for the states of a discretized partition. Where the derivative belongs to a state of a state machine, the
    /// variable moves while that is active.
    fn integrate(
        &mut self,
        dae: &mut Dae,
        k: usize,
        unknowns: &[VarId],
        equations: &mut Vec<SystemEquation>,
        activity: &mut Vec<Option<ExprId>>,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut moves_while: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for (e, active) in equations.iter().zip(activity.iter()) {
            let Some(active) = *active else { continue };
            dae.exprs.postorder(&[e.lhs, e.rhs], |id| {
                if let Expr::Var(v) = dae.exprs.get(id) {
                    moves_while.insert(v, active);
                }
            });
        }
        for &x in unknowns {
            let Some(dx) = dae.derivative[x].expand() else {
                continue;
            };
            let method = self.partitions.solver[k].clone().unwrap_or_default();
            let (now, before) = match method.as_str() {
                "ExplicitEuler" => (0.0, 1.0),
                "" | "ImplicitEuler" => (1.0, 0.0),
                "ImplicitTrapezoid" => (0.5, 0.5),
                other => {
                    return Err(vec![
                        Diagnostic::error(
                            "E0405",
                            dae.vars[x].var.span,
                            format!("the solver method `{other}` of a clock is not supported yet"),
                        )
                        .with_hint("ExplicitEuler, ImplicitEuler and ImplicitTrapezoid are"),
                    ]);
                }
            };
            let start = dae.start_value(x);
            let a = &mut dae.exprs;
            let (rate, old_rate) = (a.var(dx, Ty::Real), a.pre(dx, Ty::Real));
            let old = a.pre(x, Ty::Real);
            let (wn, wb) = (a.real(now), a.real(before));
            let (n, b) = (a.mul(wn, rate), a.mul(wb, old_rate));
            let mean = a.add(n, b);
            let step = a.mul(self.ticks[k].interval, mean);
            let moved = a.add(old, step);
            let rhs = a.if_then_else(self.ticks[k].first, start, moved);
            let lhs = a.var(x, Ty::Real);
            activity.push(moves_while.get(&dx).copied());
            equations.push(SystemEquation {
                lhs,
                rhs,
                span: dae.vars[x].var.span,
                component: 0,
            });
        }
        Ok(())
    }

    /// Matches the partition and writes its equations.
    fn solve(
        &mut self,
        dae: &mut Dae,
        k: usize,
        equations: Vec<SystemEquation>,
        activity: &[Option<ExprId>],
        unknowns: &[VarId],
    ) -> Result<(), Vec<Diagnostic>> {
        let system = System::new(dae, equations, unknowns.to_vec());
        let matching = maximum_matching(&system.incidence);
        if matching.size() < system.equations.len().max(unknowns.len()) {
            let mut error = dulmage_mendelsohn::explain(dae, &system, &matching);
            error.message = format!("a clocked partition: {}", error.message);
            let explicit = self.partitions.solver[k].as_deref() == Some("ExplicitEuler");
            if explicit && unknowns.iter().any(|&x| dae.derivative[x].is_some()) {
                error.hint = Some(
                    "an explicit method cannot differentiate what is prescribed, as an inverse model does: ImplicitEuler can".into(),
                );
            }
            return Err(vec![error]);
        }
        let ticks = self.ticks[k].fires;
        let mut decomposer = Decomposer::default();
        let mut dependence = Dependence::default();
        for (i, e) in system.equations.iter().enumerate() {
            let x = unknowns[matching.column[i] as usize];
            let ty = dae.vars[x].var.ty;
            let pre = dae.exprs.pre(x, ty);
            let fires = match activity[i] {
                Some(active) => dae.exprs.and_all(&[ticks, active]),
                None => ticks,
            };
            let found = explicit(dae, &mut decomposer, &mut dependence, e.lhs, e.rhs, x)
                .filter(|(_, d)| !matches!(d, Division::Varying(_)));
            let var = dae.var_expr(x);
            let (lhs, rhs) = match found {
                Some((value, _)) => {
                    let value = dae.exprs.builtin(Builtin::NoEvent, &[value]);
                    (var, dae.exprs.if_then_else(fires, value, pre))
                }
                None => {
                    let residual = dae.exprs.sub(e.lhs, e.rhs);
                    let residual = dae.exprs.builtin(Builtin::NoEvent, &[residual]);
                    let rest = dae.exprs.sub(var, pre);
                    let zero = dae.exprs.real(0.0);
                    (zero, dae.exprs.if_then_else(fires, residual, rest))
                }
            };
            self.equation(lhs, rhs, e.span, e.component);
        }
        Ok(())
    }
}

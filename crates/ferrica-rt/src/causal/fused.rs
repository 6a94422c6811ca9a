//! A step of a small model as straight-line code.
//!
//! In: the plan, an elimination and a formula. Out: three kernels over the slots of the model and some of their own, with all
//! factors as constants:
//!
//! - `begin`: known part of the formula, residuals of the constant equations, forward substitution;
//! - `iterate`: unknowns that the varying equations read, from what is known of the rest; their residuals and partial
//!   derivatives; right-hand side and matrix of the rest;
//! - `end`: backward substitution, new unknowns and derivatives, history moved on.
//!
//! Without a rest there is only `end`, which then holds all of it.

use std::collections::HashMap;

use ferrica_codegen::kernel::{Bin, KernelBuilder, Reg, Un};
use ferrica_codegen::limiting::{Limit, Limited, critical, replay};
use ferrica_codegen::partials::prune;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::expr::Builtin;
use ferrica_solvers::sparse::CscPattern;

use crate::causal::eliminate::Elimination;
use crate::causal::plan::Plan;
use crate::method::Method;
use crate::tangent::Dependence;
use ferrica_codegen::limits::{constant, moves};
use ferrica_codegen::program::rows;

/// Unknowns of the rest up to which its elimination is part of the code.
const SOLVE_LIMIT: usize = 12;
/// Backward error, in parts of the right-hand side and the pivot's term, up to which a solution with fixed pivots is taken; beyond, pivots
/// are searched.
const BACKWARD_ERROR: f64 = 1e-9;
/// A pivot is at least this part of the largest entry of its column at the point that the order is made for.
const THRESHOLD: f64 = 0.1;

/// Slots that fused code adds to those of the model. All formulas of a run share them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraSlots {
    /// Values of the states one step and more before the last, one run of states each.
    pub history: Slot,
    /// Known parts of the states' formulas.
    pub known: Slot,
    /// Right-hand sides of the pivots.
    pub right: Slot,
    /// The rest: change since the start of the step, right-hand sides of its constant equations (zero after the first
    /// iteration), right-hand side, change in this iteration, whether that one can be trusted, change before this iteration, matrix.
    pub change: Slot,
    pub constant_right: Slot,
    pub rest_right: Slot,
    pub delta: Slot,
    pub trusted: Slot,
    pub previous: Slot,
    /// The number one.
    pub one: Slot,
    /// Where the tangents of exponentials are: see [`ferrica_codegen::limiting`].
    pub limits: Slot,
    pub matrix: Slot,
}

impl ExtraSlots {
    pub fn new(model: &CompiledModel, n: usize, depth: usize, limits: usize) -> ExtraSlots {
        let mut next = model.slot_count() as Slot;
        let mut take = |count: usize| {
            let first = next;
            next += count as Slot;
            first
        };
        let states = model.layout.n_states;
        ExtraSlots {
            history: take(states * (depth - 1)),
            known: take(states),
            right: take(n),
            change: take(n),
            constant_right: take(n),
            rest_right: take(n),
            delta: take(n),
            trusted: take(1),
            previous: take(n),
            one: take(1),
            limits: take(limits),
            matrix: take(0),
        }
    }
}

/// See the module comment.
pub struct Fused {
    pub kernels: Kernels,
    pub begin: Program,
    pub iterate: Program,
    pub end: Program,
    /// Operations of all three.
    pub operations: usize,
    /// `iterate` solves the rest as well.
    pub solves: bool,
}

/// The parts that code is made of.
pub struct Parts<'a> {
    pub model: &'a CompiledModel,
    pub plan: &'a Plan,
    pub e: &'a Elimination,
    pub extra: ExtraSlots,
    pub method: Method,
    pub h: f64,
    /// Pattern of the rest, its constant share, and its varying entries (position, slot of the partial, factor).
    pub pattern: &'a CscPattern,
    pub constant: &'a [f64],
    pub varying: &'a [(u32, Slot, f64)],
    pub residual_at: &'a [Slot],
    pub slot_at: &'a [Slot],
    pub needed: &'a [(u32, bool)],
    pub depth: usize,
    /// Values of the rest's matrix at some point, for the order of its pivots.
    pub values: &'a [f64],
    /// All slots at that point.
    pub slots: &'a [f64],
}

/// A kernel in the making: registers that stand for slots.
struct Maker<'a> {
    p: &'a Parts<'a>,
    b: KernelBuilder,
    is: HashMap<Slot, Reg>,
    results: Vec<(Slot, Reg)>,
    limited: Limited,
}

/// What becomes of exponentials of unknowns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exponentials {
    AsTheyAre,
    /// Their tangents.
    Tangents,
    /// The slopes of their tangents.
    Slopes,
}

impl Fused {
    /// `None` where code becomes longer than `limit` operations.
    pub fn new(p: &Parts<'_>, limit: usize) -> Option<Fused> {
        let programs = [&p.plan.residuals, &p.plan.varying_partials];
        let mut size = 0;
        for program in programs {
            for (kernel, _) in rows(&p.model.kernels, program) {
                let code = &p.model.kernels.kernels[kernel];
                size += code.ops.len();
                if size > limit {
                    return None;
                }
            }
        }
        size += 2 * (p.e.lower.index.len() + p.e.upper.index.len());
        if size > limit {
            return None;
        }
        let mut out = Fused {
            kernels: Kernels::default(),
            begin: Program::default(),
            iterate: Program::default(),
            end: Program::default(),
            operations: 0,
            solves: false,
        };
        let rest = p.pattern.n();
        let mut m = Maker::new(p);
        m.known();
        let right = m.forward();
        if rest > 0 {
            for (k, &reg) in right.iter().enumerate().take(p.e.rank) {
                m.results.push((p.extra.right + k as Slot, reg));
            }
            for (k, &reg) in right.iter().enumerate().skip(p.e.rank) {
                let at = p.extra.constant_right + (k - p.e.rank) as Slot;
                m.results.push((at, reg));
            }
            for k in 0..p.model.layout.n_states as Slot {
                let reg = m.is[&(p.extra.known + k)];
                m.results.push((p.extra.known + k, reg));
            }
            out.operations += m.finish(&mut out.kernels, &mut out.begin);
            m = Maker::new(p);
            out.solves = m.iterate();
            out.operations += m.finish(&mut out.kernels, &mut out.iterate);
            m = Maker::new(p);
            let right: Vec<Reg> = (0..p.e.rank as Slot)
                .map(|k| m.b.slot(p.extra.right + k))
                .collect();
            m.end(&right);
        } else {
            m.end(&right);
        }
        out.operations += m.finish(&mut out.kernels, &mut out.end);
        Some(out)
    }
}

impl<'a> Maker<'a> {
    fn new(p: &'a Parts<'a>) -> Maker<'a> {
        Maker {
            p,
            b: KernelBuilder::default(),
            is: HashMap::new(),
            results: Vec::new(),
            limited: Limited::default(),
        }
    }

    fn slot(&mut self, slot: Slot) -> Reg {
        match self.is.get(&slot) {
            Some(&reg) => reg,
            None => self.b.slot(slot),
        }
    }

    /// a − f·x with a factor that is known.
    fn subtract(&mut self, a: Reg, f: f64, x: Reg) -> Reg {
        let f = self.b.constant(f);
        let t = self.b.mul(f, x);
        self.b.sub(a, t)
    }

    fn scaled(&mut self, f: f64, x: Reg) -> Reg {
        let f = self.b.constant(f);
        self.b.mul(f, x)
    }

    /// Known parts of all states, and their derivatives at the values before the step.
    fn known(&mut self) {
        let p = self.p;
        let layout = &p.model.layout;
        let n = layout.n_states as Slot;
        for k in 0..n {
            let x = self.b.slot(layout.states + k);
            let known = match p.method.past_weights() {
                Some(weights) => {
                    let mut sum = self.scaled(weights[0], x);
                    for (j, &w) in weights.iter().enumerate().skip(1) {
                        let old = self.b.slot(p.extra.history + (j as Slot - 1) * n + k);
                        let term = self.scaled(w, old);
                        sum = self.b.add(sum, term);
                    }
                    let h = self.b.constant(p.h);
                    self.b.div(sum, h)
                }
                None => {
                    let term = self.scaled(2.0 / p.h, x);
                    let rate = self.b.slot(layout.derivatives + k);
                    let sum = self.b.add(term, rate);
                    self.b.neg(sum)
                }
            };
            self.is.insert(p.extra.known + k, known);
        }
        for k in 0..n {
            let x = self.b.slot(layout.states + k);
            let rate = self.rate(k, x);
            self.is.insert(layout.derivatives + k, rate);
        }
    }

    /// c·x + known part of state number `k`.
    fn rate(&mut self, k: Slot, x: Reg) -> Reg {
        let known = self.slot(self.p.extra.known + k);
        let cx = self.scaled(self.p.method.leading(self.p.h), x);
        self.b.add(cx, known)
    }

    /// Residuals by their slots, computed from the present meaning of slots.
    fn residuals(
        &mut self,
        program: &Program,
        wanted: impl Fn(Slot) -> bool,
        exponentials: Exponentials,
    ) -> HashMap<Slot, Reg> {
        let mut out = HashMap::new();
        let p = self.p;
        let is_unknown = p.plan.unknown_slots(p.model);
        for (kernel, row) in rows(&p.model.kernels, program) {
            let code = &p.model.kernels.kernels[kernel];
            let loads = code.loads as usize;
            if !row[loads..].iter().any(|&s| wanted(s)) {
                continue;
            }
            let operands: Vec<Reg> = row[..loads].iter().map(|&s| self.slot(s)).collect();
            let limited = &mut self.limited;
            let exponential = |b: &mut KernelBuilder, u: Reg, number: usize| {
                let moves = moves(code, row, number, &is_unknown);
                match exponentials {
                    Exponentials::Tangents if moves => {
                        let crit = critical(code, number, |k| {
                            constant(p.model, p.slots, row[k as usize])
                        });
                        let limit = Limit::Moves { crit };
                        Some(limited.value(b, u, p.extra.limits, limit))
                    }
                    Exponentials::Slopes if moves => limited.slope(u),
                    _ => None,
                }
            };
            let regs = replay(&mut self.b, code, &operands, exponential);
            for (&slot, &r) in row[loads..].iter().zip(&code.results) {
                out.insert(slot, regs[r as usize]);
            }
        }
        out
    }

    /// Right-hand sides by position after forward substitution; those of varying equations are zero.
    fn forward(&mut self) -> Vec<Reg> {
        let p = self.p;
        let varies = |k: usize| p.plan.row_varies[p.e.row_at[k] as usize];
        let slots: Vec<Slot> = (0..p.residual_at.len())
            .filter(|&k| !varies(k))
            .map(|k| p.residual_at[k])
            .collect();
        let set: std::collections::HashSet<Slot> = slots.into_iter().collect();
        let plain = Exponentials::AsTheyAre;
        let residuals = self.residuals(&p.plan.residuals, |s| set.contains(&s), plain);
        let zero = self.b.constant(0.0);
        let mut right: Vec<Reg> = p
            .residual_at
            .iter()
            .map(|s| residuals.get(s).copied().unwrap_or(zero))
            .collect();
        for k in 0..p.e.rank {
            let range = p.e.lower.range(k);
            for at in range {
                let i = p.e.lower.index[at] as usize;
                if !varies(i) {
                    right[i] = self.subtract(right[i], p.e.lower.value[at], right[k]);
                }
            }
        }
        right
    }

    /// x at pivot `k` from those after it.
    fn unknown(&mut self, k: usize, right: Reg, x: &[Option<Reg>]) -> Reg {
        let p = self.p;
        let mut sum = right;
        for at in p.e.upper.range(k) {
            if let Some(xj) = x[p.e.upper.index[at] as usize] {
                sum = self.subtract(sum, p.e.upper.value[at], xj);
            }
        }
        self.scaled(p.e.inverse[k], sum)
    }

    /// Changes of the rest so far, by position.
    fn rest(&mut self) -> Vec<Option<Reg>> {
        let (rank, n) = (self.p.e.rank, self.p.slot_at.len());
        let mut x = vec![None; n];
        for (k, x) in x.iter_mut().enumerate().skip(rank) {
            *x = Some(self.b.slot(self.p.extra.change + (k - rank) as Slot));
        }
        x
    }

    /// True if the rest is solved by the code.
    fn iterate(&mut self) -> bool {
        let p = self.p;
        let (rank, n) = (p.e.rank, p.slot_at.len());
        let mut x = self.rest();
        for &(k, _) in p.needed {
            let k = k as usize;
            let right = self.b.slot(p.extra.right + k as Slot);
            x[k] = Some(self.unknown(k, right, &x));
        }
        let read = p.needed.iter().filter(|e| e.1).map(|e| e.0 as usize);
        for k in read.chain(rank..n) {
            let Some(change) = x[k] else { continue };
            let before = self.b.slot(p.slot_at[k]);
            let now = self.b.sub(before, change);
            self.is.insert(p.slot_at[k], now);
            let number = p.slot_at[k].wrapping_sub(p.model.layout.states);
            if (number as usize) < p.model.layout.n_states {
                let rate = self.rate(number, now);
                self.is.insert(p.model.layout.derivatives + number, rate);
            }
        }
        let program = &p.plan.varying_residuals;
        let residuals = self.residuals(program, |_| true, Exponentials::Tangents);
        let mut right = Vec::with_capacity(n - rank);
        for k in rank..n {
            let at = (k - rank) as Slot;
            let reg = match residuals.get(&p.residual_at[k]) {
                Some(&reg) => reg,
                None => self.b.slot(p.extra.constant_right + at),
            };
            right.push(reg);
            self.results.push((p.extra.rest_right + at, reg));
        }
        let program = &p.plan.varying_partials;
        let partials = self.residuals(program, |_| true, Exponentials::Slopes);
        let moved = self.limited.all.iter().map(|&(slot, now, _)| (slot, now));
        self.results.extend(moved);
        let mut matrix: Vec<Option<Reg>> = vec![None; p.constant.len()];
        for &(k, slot, factor) in p.varying {
            let Some(&partial) = partials.get(&slot) else {
                continue;
            };
            let old = match matrix[k as usize] {
                Some(reg) => reg,
                None => self.b.constant(p.constant[k as usize]),
            };
            let term = self.scaled(factor, partial);
            matrix[k as usize] = Some(self.b.add(old, term));
        }
        for (k, reg) in matrix.iter().enumerate() {
            if let Some(reg) = reg {
                self.results.push((p.extra.matrix + k as Slot, *reg));
            }
        }
        if n - rank > SOLVE_LIMIT || settles_at_once(p.plan) {
            return false;
        }
        let Some(order) = pivot_order(p.pattern, p.values) else {
            return false;
        };
        self.solve(&order, &matrix, &right);
        true
    }

    /// Elimination of the rest in a given order of pivots, and the backward error of each equation.
    fn solve(&mut self, order: &[(usize, usize)], matrix: &[Option<Reg>], right: &[Reg]) {
        let p = self.p;
        let m = order.len();
        let mut a: Vec<Vec<Option<Reg>>> = vec![vec![None; m]; m];
        for (k, (r, c)) in p.pattern.entries().enumerate() {
            a[r][c] = Some(match matrix[k] {
                Some(reg) => reg,
                None => self.b.constant(p.constant[k]),
            });
        }
        let given = a.clone();
        let mut y = right.to_vec();
        let one = self.b.constant(1.0);
        let mut inverse = vec![one; m];
        let mut row_left = vec![true; m];
        let mut col_left = vec![true; m];
        for (k, &(r, c)) in order.iter().enumerate() {
            row_left[r] = false;
            col_left[c] = false;
            let Some(pivot) = a[r][c] else { continue };
            inverse[k] = self.b.div(one, pivot);
            for i in (0..m).filter(|&i| row_left[i]) {
                let Some(entry) = a[i][c] else { continue };
                let l = self.b.mul(entry, inverse[k]);
                for j in (0..m).filter(|&j| col_left[j]) {
                    let Some(u) = a[r][j] else { continue };
                    let t = self.b.mul(l, u);
                    a[i][j] = Some(match a[i][j] {
                        Some(old) => self.b.sub(old, t),
                        None => self.b.neg(t),
                    });
                }
                let t = self.b.mul(l, y[r]);
                y[i] = self.b.sub(y[i], t);
            }
        }
        let mut x = vec![one; m];
        for (k, &(r, c)) in order.iter().enumerate().rev() {
            let mut sum = y[r];
            for &(_, j) in &order[k + 1..] {
                if let Some(u) = a[r][j] {
                    let t = self.b.mul(u, x[j]);
                    sum = self.b.sub(sum, t);
                }
            }
            x[c] = self.b.mul(sum, inverse[k]);
        }
        let abs = Un::Math(Builtin::Abs);
        let mut trusted = one;
        for &(i, own) in order {
            let mut error = right[i];
            let mut size = self.b.unary(abs, right[i]);
            for (j, s) in given[i].iter().enumerate() {
                let Some(s) = s else { continue };
                let t = self.b.mul(*s, x[j]);
                error = self.b.sub(error, t);
                if j == own {
                    let t = self.b.unary(abs, t);
                    size = self.b.add(size, t);
                }
            }
            let error = self.b.unary(abs, error);
            let allowed = self.scaled(BACKWARD_ERROR, size);
            let good = self.b.binary(Bin::Le, error, allowed);
            trusted = self.b.binary(Bin::And, trusted, good);
        }
        for (k, &reg) in x.iter().enumerate() {
            self.results.push((p.extra.delta + k as Slot, reg));
            let at = p.extra.change + k as Slot;
            let old = self.b.slot(at);
            // The next iteration need not wait for the verdict.
            let sum = self.b.add(old, reg);
            self.results.push((at, sum));
            self.results.push((p.extra.previous + k as Slot, old));
        }
        self.results.push((p.extra.trusted, trusted));
    }

    fn end(&mut self, right: &[Reg]) {
        let p = self.p;
        let mut x = self.rest();
        for k in (0..p.e.rank).rev() {
            x[k] = Some(self.unknown(k, right[k], &x));
        }
        let layout = &p.model.layout;
        let n = layout.n_states as Slot;
        let moved: Vec<(Slot, Reg)> = (0..n)
            .map(|k| (p.extra.history + k, self.b.slot(layout.states + k)))
            .collect();
        for (k, change) in x.into_iter().enumerate() {
            let Some(change) = change else { continue };
            let before = self.b.slot(p.slot_at[k]);
            let now = self.b.sub(before, change);
            self.results.push((p.slot_at[k], now));
            let number = p.slot_at[k].wrapping_sub(layout.states);
            if number < n {
                let rate = self.rate(number, now);
                self.results.push((layout.derivatives + number, rate));
            }
        }
        if p.depth > 1 {
            for j in 1..p.depth as Slot - 1 {
                for k in 0..n {
                    let reg = self.b.slot(p.extra.history + (j - 1) * n + k);
                    self.results.push((p.extra.history + j * n + k, reg));
                }
            }
            self.results.extend(moved);
        }
    }

    /// Closes the kernel as the one row of a program; its operations.
    fn finish(mut self, kernels: &mut Kernels, program: &mut Program) -> usize {
        let regs: Vec<Reg> = self.results.iter().map(|r| r.1).collect();
        let (mut kernel, mut row) = self.b.finish(&regs);
        prune(&mut kernel);
        let operations = kernel.ops.len();
        row.extend(self.results.iter().map(|r| r.0));
        program.push_row(kernels.intern(kernel), &row, false);
        operations
    }
}

/// Pivots (row, column) of a small matrix: few entries first, none small. `None` if it is singular there.
fn pivot_order(pattern: &CscPattern, values: &[f64]) -> Option<Vec<(usize, usize)>> {
    let m = pattern.n();
    let mut a = vec![vec![0.0; m]; m];
    for (k, (r, c)) in pattern.entries().enumerate() {
        a[r][c] = values[k];
    }
    for row in &mut a {
        let largest = row.iter().fold(0.0, |l: f64, v| l.max(v.abs()));
        row.iter_mut().for_each(|v| *v /= largest.max(1e-300));
    }
    let mut rows: Vec<usize> = (0..m).collect();
    let mut cols: Vec<usize> = (0..m).collect();
    let mut order = Vec::with_capacity(m);
    while !rows.is_empty() {
        let mut best: Option<(usize, usize, usize)> = None;
        for &c in &cols {
            let largest = rows.iter().fold(0.0, |l: f64, &r| l.max(a[r][c].abs()));
            let in_col = rows.iter().filter(|&&r| a[r][c] != 0.0).count();
            for &r in &rows {
                if a[r][c] == 0.0 || a[r][c].abs() < THRESHOLD * largest {
                    continue;
                }
                let in_row = cols.iter().filter(|&&c| a[r][c] != 0.0).count();
                let cost = (in_row - 1) * (in_col - 1);
                if best.is_none_or(|b| cost < b.0) {
                    best = Some((cost, r, c));
                }
            }
        }
        let (_, r, c) = best?;
        rows.retain(|&k| k != r);
        cols.retain(|&k| k != c);
        for &i in &rows {
            let l = a[i][c] / a[r][c];
            if l != 0.0 {
                for &j in &cols {
                    a[i][j] -= l * a[r][j];
                }
            }
        }
        order.push((r, c));
    }
    Some(order)
}

/// Is the whole core constant between events?
pub fn settles_at_once(plan: &Plan) -> bool {
    plan.dependence < Dependence::Continuous
}

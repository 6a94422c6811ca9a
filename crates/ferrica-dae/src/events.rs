//! Events: relations, samplers, delays and event-generating functions.
//!
//! In: expressions with relations, `sample`, `delay`, `edge`, `change`, `floor` and the like, inside
//! and outside `noEvent`, bodies and arguments of inlined functions. Out: each relation of continuous values outside `noEvent` and
//! `smooth(p ≥ 1, …)` is a memory variable (equal relations share one); what is left in expressions
//! is constant between events, or asked for by `noEvent`.
//!
//! - `floor(x)` of a continuous x is an Integer memory m with the relations `x < pre(m) − ε` and `x >= pre(m) + 1`. Where one
//!   of them holds, m goes at least one down or up, whatever the rounding of x at the instant says; ε, a hair, keeps the other
//!   one from taking it back.
//!   `ceil`, `integer`, `div`, `mod` and `rem` are expressed by it.
//! - `edge(b)` is `b and not pre(b)`; `change(v)` is `v <> pre(v)`.
//! - `abs`, `sign`, `min`, `max` generate no events, as the language says for the first two.

use ferrica_ir::causal::{Delay, Kind, Relation, Sampler, Transport};
use ferrica_ir::flat::{Equation, Origin, Variability, Variable};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::affine::{Decomposer, is_linear_in_time};
use crate::domains;
use crate::model::Dae;
use crate::scan::Flags;

/// Bits of [`Flags`].
const EVENTFUL: u16 = 1;
const CONTINUOUS: u16 = 2;
const VARIABLE: u16 = 4;
/// By which part of its size (or of one) a value must be below an integer to count as below it.
const HAIR: f64 = 1e-12;

/// See the module comment.
pub fn extract(dae: &mut Dae) -> Result<(), Vec<Diagnostic>> {
    let mut pass = Pass {
        flags: Flags::default(),
        memo: Default::default(),
        relations: FxHashMap::default(),
        floors: FxHashMap::default(),
        booleans: FxHashMap::default(),
        decomposer: Decomposer::default(),
        equations: Vec::new(),
        errors: Vec::new(),
        span: Span::NONE,
        component: 0,
    };
    pass.model(dae);
    pass.check_conditions(dae);
    if pass.errors.is_empty() {
        dae.equations.append(&mut pass.equations);
        domains::guard(dae);
        Ok(())
    } else {
        Err(pass.errors)
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Relations make events.
    Loud,
    /// In the body of a function: none but those of its arguments.
    Body,
    /// Inside `noEvent`, and wherever there are no events.
    Quiet,
}

impl Mode {
    /// That of the children of a node.
    fn below(self, dae: &Dae, id: ExprId) -> Mode {
        match (self, dae.exprs.get(id)) {
            (Mode::Quiet, _) => Mode::Quiet,
            (Mode::Loud, Expr::Builtin(Builtin::Body, _)) => Mode::Body,
            (Mode::Body, Expr::Builtin(Builtin::Argument, _)) => Mode::Loud,
            _ if silences(dae, id) => Mode::Quiet,
            _ => self,
        }
    }
}

struct Pass {
    flags: Flags,
    /// Rewritten expressions, in each mode.
    memo: [FxHashMap<ExprId, ExprId>; 3],
    relations: FxHashMap<(BinaryOp, ExprId, ExprId), VarId>,
    floors: FxHashMap<ExprId, VarId>,
    booleans: FxHashMap<ExprId, VarId>,
    decomposer: Decomposer,
    /// Equations of new variables.
    equations: Vec<Equation>,
    errors: Vec<Diagnostic>,
    span: Span,
    component: u32,
}

impl Pass {
    fn model(&mut self, dae: &mut Dae) {
        for i in 0..dae.equations.len() {
            let eq = dae.equations[i].clone();
            (self.span, self.component) = (eq.span, eq.component);
            let (lhs, rhs) = (
                self.rewrite(dae, eq.lhs, Mode::Loud),
                self.rewrite(dae, eq.rhs, Mode::Loud),
            );
            (dae.equations[i].lhs, dae.equations[i].rhs) = (lhs, rhs);
        }
        for i in 0..dae.initial_equations.len() {
            let eq = dae.initial_equations[i].clone();
            (self.span, self.component) = (eq.span, eq.component);
            let (lhs, rhs) = (
                self.rewrite(dae, eq.lhs, Mode::Quiet),
                self.rewrite(dae, eq.rhs, Mode::Quiet),
            );
            (dae.initial_equations[i].lhs, dae.initial_equations[i].rhs) = (lhs, rhs);
        }
        for i in 0..dae.reinits.len() {
            let r = dae.reinits[i].clone();
            (self.span, self.component) = (r.span, r.component);
            dae.reinits[i].condition = self.rewrite(dae, r.condition, Mode::Loud);
            dae.reinits[i].value = self.rewrite(dae, r.value, Mode::Quiet);
        }
        for i in 0..dae.assertions.len() {
            let a = dae.assertions[i].clone();
            (self.span, self.component) = (a.span, a.component);
            dae.assertions[i].guard = a.guard.map(|g| self.rewrite(dae, g, Mode::Loud));
            dae.assertions[i].condition = self.rewrite(dae, a.condition, Mode::Quiet);
            dae.assertions[i].message = self.rewrite(dae, a.message, Mode::Quiet);
        }
        for i in 0..dae.terminates.len() {
            let t = dae.terminates[i].clone();
            self.span = t.span;
            dae.terminates[i].guard = self.rewrite(dae, t.guard, Mode::Loud);
            dae.terminates[i].message = self.rewrite(dae, t.message, Mode::Quiet);
        }
        for i in 0..dae.effects.len() {
            let e = dae.effects[i].clone();
            self.span = e.span;
            dae.effects[i].guard = e.guard.map(|g| self.rewrite(dae, g, Mode::Loud));
            dae.effects[i].call = self.rewrite(dae, e.call, Mode::Quiet);
        }
        let ids: Vec<VarId> = dae.vars.keys().collect();
        for v in ids {
            self.span = dae.vars[v].var.span;
            if let Some(e) = dae.vars[v].var.binding {
                dae.vars[v].var.binding = Some(self.rewrite(dae, e, Mode::Quiet));
            }
            if let Some(e) = dae.vars[v].var.start {
                dae.vars[v].var.start = Some(self.rewrite(dae, e, Mode::Quiet));
            }
        }
    }

    /// The condition of a when-clause changes at events (section 8.3.5): nobody would see when one of `noEvent` or of a function that stays a call does.
    fn check_conditions(&mut self, dae: &Dae) {
        self.update(dae);
        let mut unseen: FxHashMap<VarId, Span> = FxHashMap::default();
        let is_plain = |e: ExprId, v: VarId| {
            let mut plain = true;
            dae.exprs.postorder(&[e], |id| {
                let held = match dae.exprs.get(id) {
                    Expr::Pre(w) => w == v,
                    Expr::Builtin(f, _) => f == Builtin::WhenFires,
                    _ => false,
                };
                plain &= !held;
            });
            plain
        };
        // What a discrete variable is equal to; `der(x) = i` says nothing of i.
        let defines = |v: VarId, e: ExprId| {
            let ty = dae.vars[v].var.ty;
            ty.is_discrete() && dae.exprs.ty(e) == ty
        };
        let plain: Vec<(VarId, ExprId, Span)> = (dae.equations.iter().chain(&self.equations))
            .filter(|e| e.origin != Origin::When)
            .filter_map(|e| match (dae.exprs.get(e.lhs), dae.exprs.get(e.rhs)) {
                (Expr::Var(v), _) if defines(v, e.rhs) => Some((v, e.rhs, e.span)),
                (_, Expr::Var(v)) if defines(v, e.lhs) => Some((v, e.lhs, e.span)),
                _ => None,
            })
            .collect();
        for &(v, e, span) in &plain {
            if self.has(e, CONTINUOUS) && is_plain(e, v) {
                unseen.insert(v, span);
            }
        }
        let mut before = 0;
        while before < unseen.len() {
            before = unseen.len();
            for &(v, e, span) in &plain {
                let mut follows = false;
                dae.exprs.postorder(&[e], |id| {
                    follows |= matches!(dae.exprs.get(id), Expr::Var(w) if unseen.contains_key(&w));
                });
                if follows && is_plain(e, v) {
                    unseen.entry(v).or_insert(span);
                }
            }
        }
        if unseen.is_empty() {
            return;
        }
        for id in dae.exprs.ids() {
            if let Expr::Builtin(Builtin::WhenFires, list) = dae.exprs.get(id)
                && let Expr::Var(v) = dae.exprs.get(dae.exprs.args(list)[0])
                && let Some(span) = unseen.remove(&v)
            {
                let text = "the condition of this when-clause changes between events, where nothing looks for it";
                self.errors.push(
                    Diagnostic::error("E0409", span, text).with_hint(
                        "compare without noEvent, and let functions give Reals that are compared in the model: comparisons make events",
                    ),
                );
            }
        }
    }

    /// Brings the flags up to date with the arena.
    fn update(&mut self, dae: &Dae) {
        self.flags.update(&dae.exprs, |id| own_flags(dae, id));
    }

    fn has(&self, id: ExprId, bit: u16) -> bool {
        self.flags.get(id) & bit != 0
    }

    /// Iterative.
    fn rewrite(&mut self, dae: &mut Dae, root: ExprId, mode: Mode) -> ExprId {
        self.update(dae);
        if !self.has(root, EVENTFUL) {
            return root;
        }
        let mut stack = vec![(root, mode, false)];
        while let Some((id, mode, expanded)) = stack.pop() {
            if self.memo[mode as usize].contains_key(&id) {
                continue;
            }
            if expanded {
                let new = self.rebuild(dae, id, mode);
                self.memo[mode as usize].insert(id, new);
                self.update(dae);
                continue;
            }
            if !self.has(id, EVENTFUL) {
                self.memo[mode as usize].insert(id, id);
                continue;
            }
            stack.push((id, mode, true));
            let inner = mode.below(dae, id);
            dae.exprs
                .for_each_child(id, |c| stack.push((c, inner, false)));
        }
        self.memo[mode as usize][&root]
    }

    /// The node from its rewritten children.
    fn rebuild(&mut self, dae: &mut Dae, id: ExprId, mode: Mode) -> ExprId {
        let memo = &self.memo[mode.below(dae, id) as usize];
        let new = dae
            .exprs
            .map_children(id, |c| memo.get(&c).copied().unwrap_or(c));
        self.update(dae);
        match dae.exprs.get(new) {
            Expr::Binary(op, a, b) if op.is_relation() && mode == Mode::Loud => {
                self.relation(dae, op, a, b, new)
            }
            Expr::Builtin(f, list) => {
                let args = dae.exprs.args(list).to_vec();
                self.builtin(dae, f, &args, new, mode)
            }
            Expr::Proj(call, end) => match dae.exprs.get(call) {
                Expr::Builtin(Builtin::SpatialDistribution, list) => {
                    let args = dae.exprs.args(list).to_vec();
                    self.transport(dae, &args, end as usize)
                }
                _ => new,
            },
            _ => new,
        }
    }

    fn relation(
        &mut self,
        dae: &mut Dae,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        id: ExprId,
    ) -> ExprId {
        let numeric = matches!(dae.exprs.ty(lhs), Ty::Real | Ty::Integer);
        if !numeric || !self.has(id, CONTINUOUS) || matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return id;
        }
        let memory = match self.relations.get(&(op, lhs, rhs)) {
            Some(&m) => m,
            None => {
                let name = format!("$relation{}", dae.relations.len() + 1);
                let m = dae.new_var(name, Ty::Boolean, Kind::Relation, self.span);
                let time_event = !self.has(lhs, VARIABLE)
                    && !self.has(rhs, VARIABLE)
                    && is_linear_in_time(&mut dae.exprs, &mut self.decomposer, lhs, rhs);
                dae.relations.push(Relation {
                    memory: m,
                    op,
                    lhs,
                    rhs,
                    time_event,
                    span: self.span,
                });
                self.relations.insert((op, lhs, rhs), m);
                m
            }
        };
        dae.var_expr(memory)
    }

    fn builtin(
        &mut self,
        dae: &mut Dae,
        f: Builtin,
        args: &[ExprId],
        id: ExprId,
        mode: Mode,
    ) -> ExprId {
        use Builtin::*;
        match f {
            NoEvent | Body | Argument => args[0],
            Smooth => args[1],
            Floor | Integer | Ceil | Div | Mod | Rem
                if mode == Mode::Loud && self.has(id, CONTINUOUS) =>
            {
                self.stepped(dae, f, args)
            }
            Edge => {
                let b = self.boolean_var(dae, args[0]);
                self.rising(dae, b)
            }
            Change => match dae.exprs.get(args[0]) {
                Expr::Var(v) if is_fixed_value(dae, v) => dae.exprs.bool(false),
                Expr::Var(v) => {
                    let ty = dae.vars[v].var.ty;
                    let pre = dae.exprs.pre(v, ty);
                    dae.exprs.binary(BinaryOp::Ne, args[0], pre)
                }
                _ => {
                    self.unsupported("change() of an expression");
                    id
                }
            },
            Sample => self.sample(dae, args),
            Delay => self.delay(dae, args),
            ClockInferred | ClockRational | ClockReal | ClockEvent | ClockSolver
            | ClockedSample | Hold | Previous | SubSample | SuperSample | ShiftSample
            | BackSample | NoClock | Interval | FirstTick | OnClock | InState => {
                self.unsupported(&format!(
                    "the clocked operator {}",
                    ferrica_ir::print::builtin_name(f)
                ));
                id
            }
            _ => id,
        }
    }

    fn unsupported(&mut self, what: &str) {
        self.errors.push(Diagnostic::error(
            "E0405",
            self.span,
            format!("{what} is not supported yet"),
        ));
    }

    /// `b and not pre(b)`.
    fn rising(&mut self, dae: &mut Dae, b: VarId) -> ExprId {
        if is_fixed_value(dae, b) {
            return dae.exprs.bool(false);
        }
        let now = dae.var_expr(b);
        let pre = dae.exprs.pre(b, Ty::Boolean);
        let not_pre = dae.exprs.not(pre);
        dae.exprs.binary(BinaryOp::And, now, not_pre)
    }

    /// A Boolean variable with the value of the expression.
    fn boolean_var(&mut self, dae: &mut Dae, e: ExprId) -> VarId {
        if let Expr::Var(v) = dae.exprs.get(e)
            && dae.vars[v].kind != Kind::Relation
        {
            return v;
        }
        if let Some(&v) = self.booleans.get(&e) {
            return v;
        }
        let name = format!("$condition{}", self.booleans.len() + 1);
        let v = dae.new_var(name, Ty::Boolean, Kind::Discrete, self.span);
        self.booleans.insert(e, v);
        let lhs = dae.var_expr(v);
        self.equation(lhs, e);
        v
    }

    fn equation(&mut self, lhs: ExprId, rhs: ExprId) {
        self.equations.push(Equation {
            lhs,
            rhs,
            span: self.span,
            component: self.component,
            origin: Origin::Generated,
        });
    }

    fn sample(&mut self, dae: &mut Dae, args: &[ExprId]) -> ExprId {
        let (start, interval) = (args[0], args[1]);
        let known = dae
            .samplers
            .iter()
            .find(|s| s.start == start && s.interval == interval)
            .map(|s| s.memory);
        let memory = match known {
            Some(m) => m,
            None => {
                let name = format!("$sample{}", dae.samplers.len() + 1);
                let memory = dae.new_var(name, Ty::Boolean, Kind::Relation, self.span);
                dae.samplers.push(Sampler {
                    memory,
                    start,
                    interval,
                });
                memory
            }
        };
        dae.var_expr(memory)
    }

    fn delay(&mut self, dae: &mut Dae, args: &[ExprId]) -> ExprId {
        let (source, delay) = (args[0], args[1]);
        let max = args.get(2).copied().unwrap_or(delay);
        let known = dae
            .delays
            .iter()
            .find(|d| d.source == source && d.delay == delay && d.max == max)
            .map(|d| d.result);
        let result = match known {
            Some(r) => r,
            None => {
                let name = format!("$delay{}", dae.delays.len() + 1);
                let result = dae.new_var(name, Ty::Real, Kind::Algebraic, self.span);
                let constant = !self.has(delay, CONTINUOUS | VARIABLE);
                dae.delays.push(Delay {
                    result,
                    source,
                    delay,
                    max,
                    constant,
                });
                result
            }
        };
        dae.var_expr(result)
    }

    /// Output `end` of `spatialDistribution`: what goes in at this end, or the contents there when they come out.
    fn transport(&mut self, dae: &mut Dae, args: &[ExprId], end: usize) -> ExprId {
        let (sources, position, positive) = ([args[0], args[1]], args[2], args[3]);
        let (points, values) = args[5..].split_at((args.len() - 5) / 2);
        let known = dae.transports.iter().find(|t| {
            t.sources == sources
                && t.position == position
                && t.points == points
                && t.values == values
        });
        let results = match known {
            Some(t) => t.results,
            None => {
                let count = dae.transports.len() + 1;
                let results = [0, 1].map(|k| {
                    let name = format!("$transport{count}.out{k}");
                    dae.new_var(name, Ty::Real, Kind::Algebraic, self.span)
                });
                dae.transports.push(Transport {
                    results,
                    sources,
                    position,
                    points: points.to_vec(),
                    values: values.to_vec(),
                    span: self.span,
                });
                results
            }
        };
        let inside = dae.var_expr(results[end]);
        match end {
            0 => dae.exprs.if_then_else(positive, sources[0], inside),
            _ => dae.exprs.if_then_else(positive, inside, sources[1]),
        }
    }

    /// `floor` and what is defined by it.
    fn stepped(&mut self, dae: &mut Dae, f: Builtin, args: &[ExprId]) -> ExprId {
        use Builtin::*;
        let x = args[0];
        match f {
            Floor | Integer => self.floor(dae, x),
            Ceil => {
                let minus = dae.exprs.neg(x);
                let m = self.floor(dae, minus);
                dae.exprs.neg(m)
            }
            Mod => {
                let q = dae.exprs.div(x, args[1]);
                let m = self.floor(dae, q);
                let product = dae.exprs.mul(m, args[1]);
                dae.exprs.sub(x, product)
            }
            _ => {
                // Truncation: floor of the magnitude with the sign put back.
                let q = dae.exprs.div(x, args[1]);
                let zero = dae.exprs.real(0.0);
                let test = dae.exprs.binary(BinaryOp::Ge, q, zero);
                self.update(dae);
                let positive = match dae.exprs.get(test) {
                    Expr::Binary(op, a, b) => self.relation(dae, op, a, b, test),
                    _ => test,
                };
                let minus = dae.exprs.neg(q);
                let (up, down) = (self.floor(dae, q), self.floor(dae, minus));
                let down = dae.exprs.neg(down);
                let whole = dae.exprs.if_then_else(positive, up, down);
                if f == Div {
                    return whole;
                }
                let product = dae.exprs.mul(whole, args[1]);
                dae.exprs.sub(x, product)
            }
        }
    }

    /// The memory variable of `floor(x)`.
    fn floor(&mut self, dae: &mut Dae, x: ExprId) -> ExprId {
        if let Some(&m) = self.floors.get(&x) {
            return dae.var_expr(m);
        }
        let name = format!("$floor{}", self.floors.len() + 1);
        let m = dae.new_var(name, Ty::Integer, Kind::Discrete, self.span);
        self.floors.insert(x, m);
        let (level, pre) = (dae.var_expr(m), dae.exprs.pre(m, Ty::Integer));
        let one = dae.exprs.int(1);
        let next = dae.exprs.add(pre, one);
        let size = dae.exprs.builtin(Builtin::Abs, &[pre]);
        let size = dae.exprs.add(one, size);
        let hair = dae.exprs.real(HAIR);
        let hair = dae.exprs.mul(hair, size);
        let edge = dae.exprs.sub(pre, hair);
        let below = dae.exprs.binary(BinaryOp::Lt, x, edge);
        let above = dae.exprs.binary(BinaryOp::Ge, x, next);
        self.update(dae);
        let below = self.relation(dae, BinaryOp::Lt, x, edge, below);
        let above = self.relation(dae, BinaryOp::Ge, x, next, above);
        let initial = dae.exprs.builtin(Builtin::Initial, &[]);
        let value = dae.exprs.builtin(Builtin::Integer, &[x]);
        let up = dae.exprs.builtin(Builtin::Max, &[value, next]);
        let down = dae.exprs.sub(pre, one);
        let down = dae.exprs.builtin(Builtin::Min, &[value, down]);
        let rhs = dae.exprs.if_then_else(above, up, pre);
        let rhs = dae.exprs.if_then_else(below, down, rhs);
        let rhs = dae.exprs.if_then_else(initial, value, rhs);
        self.equation(level, rhs);
        level
    }
}

/// Is the variable constant after initialization, so that it has no left limit of its own?
pub fn is_fixed_value(dae: &Dae, v: VarId) -> bool {
    matches!(dae.vars[v].kind, Kind::Parameter | Kind::External)
}

/// Does the node keep relations below it from causing events?
fn silences(dae: &Dae, id: ExprId) -> bool {
    match dae.exprs.get(id) {
        Expr::Builtin(Builtin::NoEvent, _) => true,
        Expr::Builtin(Builtin::Smooth, list) => dae
            .exprs
            .as_f64(dae.exprs.args(list)[0])
            .is_some_and(|p| p >= 1.0),
        _ => false,
    }
}

/// Whoever sets an input of these kinds makes an event.
fn changes_at_events(input: &Variable) -> bool {
    input.ty.is_discrete() || input.variability == Variability::Discrete
}

fn own_flags(dae: &Dae, id: ExprId) -> u16 {
    use Builtin::*;
    match dae.exprs.get(id) {
        Expr::Binary(op, ..) if op.is_relation() => EVENTFUL,
        Expr::Builtin(
            NoEvent | Body | Argument | Smooth | Floor | Ceil | Integer | Div | Mod | Rem | Edge
            | Change | Sample | Delay | SpatialDistribution | ClockInferred | ClockRational
            | ClockReal | ClockEvent | ClockSolver | ClockedSample | Hold | Previous | SubSample
            | SuperSample | ShiftSample | BackSample | NoClock | Interval | FirstTick | OnClock
            | InState,
            _,
        ) => EVENTFUL,
        Expr::Time => CONTINUOUS,
        Expr::Var(v) | Expr::Der(v) => match dae.vars[v].kind {
            Kind::Parameter | Kind::External | Kind::Discrete | Kind::Relation => 0,
            Kind::Input if changes_at_events(&dae.vars[v].var) => 0,
            _ => CONTINUOUS | VARIABLE,
        },
        _ => 0,
    }
}

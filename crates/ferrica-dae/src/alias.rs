//! Alias removal.
//!
//! In: equations such as `a = b`, `a = -b`, `a + b = 0`, `a = 3`, and sums that become one of these
//! once other variables are known (`v = p - n` with `n = 0`). Out: the same model without them; one
//! variable of each class stays, the others are listed in [`Dae::aliases`]. In the same sweep
//! derivatives become variables and constants are folded.
//!
//! Union-find with signs; equations that are candidates are swept until nothing more is found. A
//! class with a known member (parameter, input) keeps that one. The kept variable inherits the
//! strongest `start`, `fixed`, `nominal` and `stateSelect` of its class.

use cranelift_entity::EntityRef;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::{ConnectorRole, Equation, Origin, StateSelect, Variability};
use ferrica_ir::{BinaryOp, Diagnostic, Expr, ExprArena, ExprId, Ty, UnaryOp, VarId};

use crate::model::Dae;
use crate::parameter_equations;
use crate::parameters::Constants;
use crate::scan::{Reach, Sweep};

/// Beyond this many terms an equation is no candidate.
const MAX_TERMS: usize = 6;
/// Bound on the number of sweeps over the candidates that are left.
const MAX_SWEEPS: usize = 20;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
    No,
    /// The root of the class has this literal value.
    Literal(ExprId),
    /// The root of the class is plus or minus this variable.
    Variable(VarId, bool),
}

/// Classes of variables that are equal up to sign.
pub struct Classes {
    parent: Vec<u32>,
    /// Sign relative to the parent: true when negated.
    negated: Vec<bool>,
    size: Vec<u32>,
    known: Vec<Known>,
    /// Equations that follow from others.
    pub redundant: Vec<u32>,
}

impl Classes {
    fn new(dae: &Dae, constants: &Constants) -> Classes {
        let n = dae.vars.len();
        let known = dae
            .vars
            .iter()
            .map(|(v, var)| match (constants[v], var.kind) {
                (Some(e), _) => Known::Literal(e),
                (None, Kind::Parameter | Kind::Input | Kind::External) => Known::Variable(v, false),
                _ => Known::No,
            })
            .collect();
        Classes {
            parent: (0..n as u32).collect(),
            negated: vec![false; n],
            size: vec![1; n],
            known,
            redundant: Vec::new(),
        }
    }

    /// Root and sign of a variable.
    pub fn find(&mut self, v: VarId) -> (VarId, bool) {
        let mut root = v.as_u32();
        let mut sign = false;
        while self.parent[root as usize] != root {
            sign ^= self.negated[root as usize];
            root = self.parent[root as usize];
        }
        // Path compression, with the sign that is left from each node to the root.
        let (mut at, mut rest) = (v.as_u32(), sign);
        while self.parent[at as usize] != root && at != root {
            let next = self.parent[at as usize];
            let own = self.negated[at as usize];
            self.parent[at as usize] = root;
            self.negated[at as usize] = rest;
            rest ^= own;
            at = next;
        }
        (VarId::from_u32(root), sign)
    }

    /// a = b, or a = -b when `negated`. False when both are known already.
    fn union(&mut self, a: VarId, b: VarId, negated: bool) -> bool {
        let ((ra, sa), (rb, sb)) = (self.find(a), self.find(b));
        let sign = sa ^ sb ^ negated;
        let (ia, ib) = (ra.index(), rb.index());
        if ra == rb || (self.known[ia] != Known::No && self.known[ib] != Known::No) {
            return false;
        }
        let (top, low) = if self.size[ia] >= self.size[ib] {
            (ia, ib)
        } else {
            (ib, ia)
        };
        self.parent[low] = top as u32;
        self.negated[low] = sign;
        self.size[top] += self.size[low];
        if self.known[top] == Known::No {
            self.known[top] = match self.known[low] {
                Known::Variable(v, s) => Known::Variable(v, s ^ sign),
                other => other,
            };
        }
        true
    }

    /// The variable that the class of `v` is known by: `None` when unknown, `Some(None)` when it
    /// is a literal.
    pub fn known_by(&mut self, v: VarId) -> Option<Option<VarId>> {
        let (root, _) = self.find(v);
        match self.known[root.index()] {
            Known::No => None,
            Known::Literal(_) => Some(None),
            Known::Variable(k, _) => Some(Some(k)),
        }
    }

    /// Is the variable's value known without solving an equation?
    pub fn is_known(&mut self, v: VarId) -> bool {
        let (root, _) = self.find(v);
        self.known[root.index()] != Known::No
    }

    /// Makes `v` the known member of its class.
    pub fn set_known(&mut self, v: VarId) {
        let (root, sign) = self.find(v);
        self.known[root.index()] = Known::Variable(v, sign);
    }
}

/// A sum of variables with coefficients ±1 and a constant.
struct Candidate {
    equation: u32,
    /// Its terms in the list of all.
    first: u32,
    end: u32,
    constant: f64,
}

/// Removes aliases, constants and parameter equations; see the module comment.
pub fn remove(dae: &mut Dae, constants: &Constants, warnings: &mut Vec<Diagnostic>) {
    let mut removed = vec![false; dae.equations.len()];
    let mut classes = detect(dae, constants, true, &mut removed);
    parameter_equations::detect(dae, &mut classes, &mut removed);
    for &i in &classes.redundant {
        let e = &dae.equations[i as usize];
        warnings.push(Diagnostic::warning(
            "W0403",
            e.span,
            format!(
                "the equation `{}` follows from other equations",
                dae.equation_text(e.lhs, e.rhs)
            ),
        ));
    }
    let mut index = 0;
    dae.equations.retain(|_| {
        index += 1;
        !removed[index - 1]
    });
    let replacement = choose(dae, &mut classes, warnings);
    substitute(dae, &replacement);
}

/// Finds the classes. `fold_constants`: also use `a = 3` and what follows from it.
pub fn detect(
    dae: &mut Dae,
    constants: &Constants,
    fold_constants: bool,
    removed: &mut [bool],
) -> Classes {
    let mut classes = Classes::new(dae, constants);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut all: Vec<(VarId, bool)> = Vec::new();
    let mut stack = Vec::new();
    for (i, eq) in dae.equations.iter().enumerate() {
        let first = all.len();
        stack.clear();
        stack.extend([(eq.lhs, false), (eq.rhs, true)]);
        if let Some(constant) = linear_terms(dae, &mut stack, &mut all) {
            candidates.push(Candidate {
                equation: i as u32,
                first: first as u32,
                end: all.len() as u32,
                constant,
            });
            continue;
        }
        all.truncate(first);
        if let Some(found) = discrete_alias(dae, i as u32, eq.lhs, eq.rhs, &mut classes) {
            removed[i] = found;
        }
    }
    let mut sum = Vec::new();
    for _ in 0..MAX_SWEEPS {
        let before = candidates.len();
        candidates.retain(|c| {
            let terms = &all[c.first as usize..c.end as usize];
            let used = use_candidate(dae, &mut classes, c, terms, fold_constants, &mut sum);
            removed[c.equation as usize] |= used;
            !used
        });
        if candidates.len() == before {
            break;
        }
    }
    classes
}

/// What is on the stack, with its signs, as a short sum of ±variables and a constant.
fn linear_terms(
    dae: &Dae,
    stack: &mut Vec<(ExprId, bool)>,
    terms: &mut Vec<(VarId, bool)>,
) -> Option<f64> {
    let most = terms.len() + MAX_TERMS;
    let mut constant = 0.0;
    while let Some((e, neg)) = stack.pop() {
        match dae.exprs.get(e) {
            Expr::Var(v)
                if terms.len() < most && matches!(dae.vars[v].var.ty, Ty::Real | Ty::Integer) =>
            {
                terms.push((v, neg));
            }
            Expr::Real(_) | Expr::Int(_) => {
                let value = dae.exprs.as_f64(e)?;
                constant += if neg { -value } else { value };
            }
            Expr::Unary(UnaryOp::Neg, a) => stack.push((a, !neg)),
            Expr::Binary(BinaryOp::Add, a, b) => {
                stack.push((a, neg));
                stack.push((b, neg));
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                stack.push((a, neg));
                stack.push((b, !neg));
            }
            _ => return None,
        }
    }
    Some(constant)
}

/// `a = b` or `a = literal` of Booleans, enumerations and strings.
fn discrete_alias(
    dae: &Dae,
    number: u32,
    lhs: ExprId,
    rhs: ExprId,
    classes: &mut Classes,
) -> Option<bool> {
    match (dae.exprs.get(lhs), dae.exprs.get(rhs)) {
        (Expr::Var(a), Expr::Var(b)) if dae.vars[a].var.ty == dae.vars[b].var.ty => {
            if dae.vars[a].var.ty == Ty::External {
                return None;
            }
            if classes.find(a) == classes.find(b) {
                classes.redundant.push(number);
                return Some(true);
            }
            Some(classes.union(a, b, false))
        }
        (Expr::Var(a), _) if dae.exprs.is_literal(rhs) => set_literal(dae, classes, a, rhs),
        (_, Expr::Var(b)) if dae.exprs.is_literal(lhs) => set_literal(dae, classes, b, lhs),
        _ => None,
    }
}

fn set_literal(dae: &Dae, classes: &mut Classes, v: VarId, literal: ExprId) -> Option<bool> {
    let (root, sign) = classes.find(v);
    if classes.known[root.index()] != Known::No
        || sign
        || dae.exprs.ty(literal) != dae.vars[v].var.ty
    {
        return None;
    }
    classes.known[root.index()] = Known::Literal(literal);
    Some(true)
}

/// Merges classes where the candidate has become an alias or a constant. True when it is used up.
fn use_candidate(
    dae: &mut Dae,
    classes: &mut Classes,
    c: &Candidate,
    of: &[(VarId, bool)],
    fold: bool,
    // (root, sum of coefficients, one of its terms)
    terms: &mut Vec<(VarId, i32, VarId)>,
) -> bool {
    let mut constant = c.constant;
    terms.clear();
    for &(v, neg) in of {
        let (root, sign) = classes.find(v);
        if fold
            && let Known::Literal(e) = classes.known[root.index()]
            && let Some(value) = dae.exprs.as_f64(e)
        {
            constant += if neg ^ sign { -value } else { value };
            continue;
        }
        let unit = if neg ^ sign { -1 } else { 1 };
        match terms.iter_mut().find(|t| t.0 == root) {
            Some(t) => t.1 += unit,
            None => terms.push((root, unit, v)),
        }
    }
    terms.retain(|t| t.1 != 0);
    match terms[..] {
        // 0 = 0: it follows from the others.
        [] if constant == 0.0 => {
            classes.redundant.push(c.equation);
            true
        }
        [(root, coefficient, v)] if fold => {
            if classes.known[root.index()] != Known::No {
                return false;
            }
            let value = -constant / f64::from(coefficient);
            let ty = dae.vars[v].var.ty;
            let literal = if ty == Ty::Integer {
                if value.fract() != 0.0 {
                    return false;
                }
                dae.exprs.int(value as i64)
            } else {
                dae.exprs.real(value)
            };
            classes.known[root.index()] = Known::Literal(literal);
            true
        }
        [(_, ca, a), (_, cb, b)] if ca.abs() == 1 && cb.abs() == 1 && constant == 0.0 => {
            if dae.vars[a].var.ty != dae.vars[b].var.ty {
                return false;
            }
            // Signs of the variables themselves, from those of their roots.
            let sign_a = (ca < 0) ^ classes.find(a).1;
            let sign_b = (cb < 0) ^ classes.find(b).1;
            classes.union(a, b, sign_a == sign_b)
        }
        _ => false,
    }
}

/// What to put in place of each variable: itself, a literal, or ± another variable.
#[derive(Clone, Copy)]
enum Replacement {
    Itself,
    Literal(ExprId),
    Alias(VarId, bool),
}

/// Chooses the variable that stays in each class and moves attributes to it.
fn choose(
    dae: &mut Dae,
    classes: &mut Classes,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Replacement> {
    let n = dae.vars.len();
    let mut best: Vec<Option<(i32, VarId)>> = vec![None; n];
    for i in 0..n {
        let v = VarId::new(i);
        let (root, _) = classes.find(v);
        if classes.size[root.index()] == 1 || classes.known[root.index()] != Known::No {
            continue;
        }
        let score = score(dae, v);
        let slot = &mut best[root.index()];
        if slot.is_none_or(|(s, _)| score > s) {
            *slot = Some((score, v));
        }
    }
    let mut replacement = vec![Replacement::Itself; n];
    for (i, slot) in replacement.iter_mut().enumerate() {
        let v = VarId::new(i);
        let (root, sign) = classes.find(v);
        let (kept, negated) = match classes.known[root.index()] {
            Known::Literal(e) => {
                let literal = if sign { dae.exprs.neg(e) } else { e };
                keep_fixed_start(dae, v, literal, warnings);
                *slot = Replacement::Literal(literal);
                if !matches!(dae.vars[v].kind, Kind::Parameter | Kind::External) {
                    dae.vars[v].kind = Kind::Parameter;
                    dae.vars[v].var.binding = Some(literal);
                    dae.vars[v].var.structural = true;
                }
                continue;
            }
            Known::Variable(k, s) => (k, sign ^ s),
            Known::No => match best[root.index()] {
                Some((_, k)) => {
                    let (_, s) = classes.find(k);
                    (k, sign ^ s)
                }
                None => continue,
            },
        };
        if kept == v {
            continue;
        }
        *slot = Replacement::Alias(kept, negated);
        dae.aliases.push((v, kept, negated));
        dae.vars[v].kind = Kind::Eliminated;
        if classes.known[root.index()] == Known::No {
            merge_attributes(dae, kept, v, negated, warnings);
        } else {
            let value = dae.var_expr(kept);
            let value = if negated { dae.exprs.neg(value) } else { value };
            keep_fixed_start(dae, v, value, warnings);
        }
    }
    replacement
}

/// Preference for the variable to be kept.
fn score(dae: &Dae, v: VarId) -> i32 {
    let var = &dae.vars[v].var;
    let dots = var.name.bytes().filter(|&b| b == b'.').count() as i32;
    let mut score = -dots.min(15);
    if var.variability == Variability::Discrete {
        score += 1000;
    }
    if !var.hidden {
        score += 200;
    }
    if var.state_select != StateSelect::Default {
        score += 80;
    }
    if var.fixed.is_some() {
        score += 40;
    }
    if var.start.is_some() {
        score += 20;
    }
    if var.role == ConnectorRole::None {
        score += 16;
    }
    score
}

fn strength(s: StateSelect) -> u8 {
    match s {
        StateSelect::Always => 4,
        StateSelect::Prefer => 3,
        StateSelect::Never => 2,
        StateSelect::Avoid => 1,
        StateSelect::Default => 0,
    }
}

/// A variable that has this value all the time may have a fixed start value, which must hold too.
fn keep_fixed_start(dae: &mut Dae, v: VarId, value: ExprId, warnings: &mut Vec<Diagnostic>) {
    let var = &dae.vars[v].var;
    let moves = var.ty == Ty::Real && var.variability == Variability::Continuous;
    if !moves || !dae.is_fixed_start(v) {
        return;
    }
    let (start, span) = (var.start, var.span);
    let start = start.unwrap_or_else(|| dae.exprs.real(0.0));
    match (dae.exprs.as_f64(value), dae.exprs.as_f64(start)) {
        (Some(a), Some(b)) if (a - b).abs() <= SAME_START * a.abs().max(b.abs()) => return,
        (Some(a), Some(b)) => warnings.push(
            Diagnostic::warning(
                "W0402",
                span,
                format!(
                    "`{}` is {a} all the time, but has the fixed start value {b}",
                    dae.vars[v].var.name
                ),
            )
            .with_hint("remove `fixed = true`, or what makes it constant"),
        ),
        _ if value == start => return,
        _ => {}
    }
    dae.initial_equations.push(Equation {
        lhs: value,
        rhs: start,
        span,
        component: 0,
        origin: Origin::Equation,
    });
}

/// Start values are given with a few digits: numbers that differ by less than this part are the same.
const SAME_START: f64 = 1e-4;

/// Gives `kept` what `gone` says more strongly.
fn merge_attributes(
    dae: &mut Dae,
    kept: VarId,
    gone: VarId,
    negated: bool,
    warnings: &mut Vec<Diagnostic>,
) {
    // Its name is asked for only where there is something to tell.
    let name = std::mem::take(&mut dae.vars[gone].var.name);
    let other = dae.vars[gone].var.clone();
    dae.vars[gone].var.name = name;
    let (fixed_kept, fixed_gone) = (dae.is_fixed_start(kept), dae.is_fixed_start(gone));
    let flip = |arena: &mut ExprArena, e: ExprId| if negated { arena.neg(e) } else { e };
    let other_start = other.start.map(|e| flip(&mut dae.exprs, e));
    if fixed_kept && fixed_gone {
        let zero = dae.exprs.real(0.0);
        let (a, b) = (
            dae.vars[kept].var.start.unwrap_or(zero),
            other_start.unwrap_or(zero),
        );
        if let (Some(x), Some(y)) = (dae.exprs.as_f64(a), dae.exprs.as_f64(b))
            && x != y
        {
            warnings.push(
                Diagnostic::warning(
                    "W0402",
                    other.span,
                    format!(
                        "`{}` and `{}` are equal but have different fixed start values ({y} and {x})",
                        dae.vars[gone].var.name, dae.vars[kept].var.name
                    ),
                )
                .with_related(dae.vars[kept].var.span, "the value used")
                .with_hint("remove `fixed = true` from one of them"),
            );
        }
        if a != b {
            // Both must hold at the start.
            let lhs = dae.var_expr(kept);
            dae.initial_equations.push(Equation {
                lhs,
                rhs: b,
                span: other.span,
                component: 0,
                origin: Origin::Equation,
            });
        }
    }
    let var = &mut dae.vars[kept].var;
    if fixed_gone && !fixed_kept {
        var.start = other_start;
        var.fixed = other.fixed;
    } else if var.start.is_none() {
        var.start = other_start;
    }
    if var.nominal.is_none() {
        var.nominal = other.nominal;
    }
    if strength(other.state_select) > strength(var.state_select) {
        var.state_select = other.state_select;
    }
    let (low, high) = if negated {
        (other.max, other.min)
    } else {
        (other.min, other.max)
    };
    if dae.vars[kept].var.min.is_none() {
        dae.vars[kept].var.min = low.map(|e| flip(&mut dae.exprs, e));
    }
    if dae.vars[kept].var.max.is_none() {
        dae.vars[kept].var.max = high.map(|e| flip(&mut dae.exprs, e));
    }
}

impl Dae {
    fn is_fixed_start(&self, v: VarId) -> bool {
        self.vars[v]
            .var
            .fixed
            .is_some_and(|e| self.exprs.as_bool(e).unwrap_or(false))
    }
}

/// Puts the replacements into every expression and turns `Der` into variables.
fn substitute(dae: &mut Dae, replacement: &[Replacement]) {
    // Derivative variables first: the sweep cannot make variables.
    let mut roots = Vec::new();
    dae.for_each_root(|e| roots.push(*e));
    let mut reach = Reach::default();
    reach.collect(&dae.exprs, &roots, |_| true);
    let mut wanted: Vec<VarId> = Vec::new();
    for &id in &reach.nodes {
        if let Expr::Der(x) = dae.exprs.get(id) {
            let x = match replacement[x.index()] {
                Replacement::Alias(k, _) => k,
                _ => x,
            };
            if dae.vars[x].kind == Kind::Algebraic || dae.vars[x].kind == Kind::Input {
                wanted.push(x);
            }
        }
    }
    for x in wanted {
        let dx = dae.derivative_var(x);
        if dae.vars[x].kind == Kind::Algebraic {
            dae.vars[x].kind = Kind::State;
            dae.vars[x].partner = Some(dx);
            dae.vars[dx].kind = Kind::Derivative;
            dae.vars[dx].partner = Some(x);
        }
    }
    let (vars, derivative) = (&dae.vars, &dae.derivative);
    let resolve = |v: VarId| replacement[v.index()];
    let sweep = Sweep::new(&mut dae.exprs, &roots, &mut |a, id| {
        let signed = |a: &mut ExprArena, e: ExprId, neg: bool| if neg { a.neg(e) } else { e };
        match a.get(id) {
            Expr::Var(v) => match resolve(v) {
                Replacement::Itself => None,
                Replacement::Literal(e) => Some(e),
                Replacement::Alias(k, neg) => {
                    let e = a.var(k, vars[k].var.ty);
                    Some(signed(a, e, neg))
                }
            },
            Expr::Pre(v) => match resolve(v) {
                Replacement::Itself => None,
                Replacement::Literal(e) => Some(e),
                Replacement::Alias(k, neg) => {
                    let e = if matches!(vars[k].kind, Kind::Parameter | Kind::External) {
                        a.var(k, vars[k].var.ty)
                    } else {
                        a.pre(k, vars[k].var.ty)
                    };
                    Some(signed(a, e, neg))
                }
            },
            Expr::Der(v) => {
                let (k, neg) = match resolve(v) {
                    Replacement::Itself => (v, false),
                    Replacement::Literal(_) => return Some(a.real(0.0)),
                    Replacement::Alias(k, neg) => (k, neg),
                };
                let e = match derivative[k].expand() {
                    Some(dx) => a.var(dx, Ty::Real),
                    None => a.real(0.0),
                };
                Some(signed(a, e, neg))
            }
            _ => None,
        }
    });
    dae.for_each_root(|e| *e = sweep.get(*e));
    for r in &mut dae.reinits {
        if let Replacement::Alias(k, neg) = replacement[r.state.index()] {
            r.state = k;
            if neg {
                r.value = dae.exprs.neg(r.value);
            }
        }
    }
}

//! Inlined integration: derivatives become difference formulas before the equations are sorted.
//!
//! In: a flat model, a formula and a step. Out: a flat model without continuous states (or with those that no formula was chosen
//! for), to be run with exactly that step: each former state x is an unknown of an equation with values one or two steps
//! old, which are `delay`s. At the start instant x has the value of a parameter of its own, to be set
//! from the initialized original. A `reinit` changes what the next step begins with.

use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, VarId};
use ferrica_ir::flat::{Equation, FlatModel, Origin, Reinit, StateSelect, Variability, Variable};
use ferrica_ir::{Diagnostic, Span};
use std::collections::HashMap;

/// Difference formulas with h the step and d = der(x).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// x(t) = x(t−h) + h d(t−h)
    Euler,
    /// x(t) = x(t−h) + h d(t)
    ImplicitEuler,
    /// x(t) = x(t−h) + h/2 (d(t−h) + d(t))
    Trapezoid,
    /// x(t) = 4/3 x(t−h) − 1/3 x(t−2h) + 2/3 h d(t), the first step by the implicit Euler formula
    Bdf2,
}

impl Formula {
    /// By its word on the command line and in annotations.
    pub fn from_word(word: &str) -> Option<Formula> {
        Some(match word {
            "euler" => Formula::Euler,
            "implicit-euler" => Formula::ImplicitEuler,
            "trapezoid" => Formula::Trapezoid,
            "bdf2" => Formula::Bdf2,
            _ => return None,
        })
    }
}

/// Does a component ask for a formula?
pub fn asks_for_formula(model: &FlatModel) -> bool {
    model.components.iter().any(|c| c.inline.is_some())
}

/// See the module comment.
pub struct Inlined {
    pub model: FlatModel,
    /// Variables that stay states: they begin where the original does.
    pub states: Vec<String>,
    /// Of each former state: its name and the parameter with its value at the start.
    pub starts: Vec<(String, String)>,
    /// Parameters that initial equations determined: their values come from the original too.
    pub parameters: Vec<String>,
}

/// Replaces derivatives: each by the formula that its component, or one around it, asks for by annotation, else by `formula`;
/// where there is none, the variable stays a state.
pub fn inline(
    mut model: FlatModel,
    formula: Option<Formula>,
    step: f64,
    start_time: f64,
) -> Result<Inlined, Vec<Diagnostic>> {
    let chosen = chosen_formulas(&model, formula)?;
    let mut order: Vec<(VarId, VarId, Formula)> = Vec::new();
    let mut derivatives: HashMap<VarId, VarId> = HashMap::new();
    let mut states = Vec::new();
    for x in differentiated(&model) {
        let Some(formula) = formula_of(&model, x, &chosen) else {
            states.push(x);
            continue;
        };
        let name = format!("der({})", model.vars[x].name);
        let mut d = Variable::new(name, Ty::Real, Variability::Continuous);
        d.span = model.vars[x].span;
        let d = model.vars.push(d);
        derivatives.insert(x, d);
        order.push((x, d, formula));
    }
    // At an event a former state has its left limit until the next step.
    let mut left_limits: HashMap<VarId, VarId> = HashMap::new();
    for (x, _, _) in &order {
        let name = format!("$left({})", model.vars[*x].name);
        let mut left = Variable::new(name, Ty::Real, Variability::Continuous);
        left.hidden = true;
        if reads_left_limit(&model.exprs, *x) {
            left_limits.insert(*x, model.vars.push(left));
        }
    }
    let mut exprs = without_derivatives(&model.exprs, &derivatives, &left_limits, &states);
    for (&x, &left) in &left_limits {
        let (lhs, rhs) = (exprs.var(left, Ty::Real), exprs.var(x, Ty::Real));
        model.equations.push(generated(lhs, rhs));
    }
    // The original has been initialized; its initial equations are used up.
    model.initial_equations.clear();
    let mut parameters = Vec::new();
    for v in model.vars.values_mut() {
        let free = v.fixed.and_then(|f| exprs.as_bool(f)) == Some(false);
        if v.variability == Variability::Parameter && free && v.binding.is_none() {
            v.fixed = None;
            v.binding = Some(exprs.real(0.0));
            parameters.push(v.name.clone());
        } else if v.variability == Variability::Continuous {
            v.fixed = None;
        }
    }
    for &x in &states {
        model.vars[x].fixed = Some(exprs.bool(true));
    }
    let (jumps, kept) = (model.reinits.drain(..)).partition(|r| derivatives.contains_key(&r.state));
    model.reinits = kept;
    let mut starts = Vec::new();
    for (x, d, formula) in order {
        let jump = jump(&mut model, &mut exprs, &jumps, x);
        let name = format!("$start({})", model.vars[x].name);
        let mut start = Variable::new(name.clone(), Ty::Real, Variability::Parameter);
        start.binding = Some(exprs.real(0.0));
        start.hidden = true;
        let start = model.vars.push(start);
        starts.push((model.vars[x].name.clone(), name));
        model.vars[x].state_select = StateSelect::Default;
        let lhs = exprs.var(x, Ty::Real);
        let start = exprs.var(start, Ty::Real);
        let difference = Difference {
            formula,
            step,
            start_time,
            x: lhs,
            d: exprs.var(d, Ty::Real),
            start,
            jump,
        };
        let rhs = difference.right_side(&mut exprs);
        model.equations.push(generated(lhs, rhs));
    }
    model.exprs = exprs;
    Ok(Inlined {
        states: states.iter().map(|&x| model.vars[x].name.clone()).collect(),
        model,
        starts,
        parameters,
    })
}

/// Of each component: the formula of its annotation, of the component around it, or the general one.
fn chosen_formulas(
    model: &FlatModel,
    general: Option<Formula>,
) -> Result<HashMap<String, Option<Formula>>, Vec<Diagnostic>> {
    let mut of: Vec<Option<Formula>> = Vec::new();
    let mut errors = Vec::new();
    for (k, c) in model.components.iter().enumerate() {
        let around = if k == 0 {
            general
        } else {
            of[c.parent as usize]
        };
        of.push(match &c.inline {
            None => around,
            Some(word) => {
                let formula = Formula::from_word(word);
                if formula.is_none() {
                    let text = format!("`{word}` is no difference formula");
                    let hint = "write euler, implicit-euler, trapezoid or bdf2";
                    errors.push(Diagnostic::error("E0721", c.span, text).with_hint(hint));
                }
                formula
            }
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let paths = model.components.iter().map(|c| c.path.clone());
    Ok(paths.zip(of).collect())
}

/// Formula of the innermost component that a variable is in.
fn formula_of(
    model: &FlatModel,
    x: VarId,
    chosen: &HashMap<String, Option<Formula>>,
) -> Option<Formula> {
    let mut path = model.vars[x].name.as_str();
    while let Some(at) = path.rfind('.') {
        path = &path[..at];
        if let Some(&formula) = chosen.get(path) {
            return formula;
        }
    }
    chosen.get("").copied().flatten()
}

/// Variables whose derivative occurs in the equations, in the order of their declaration.
fn differentiated(model: &FlatModel) -> Vec<VarId> {
    let mut roots: Vec<ExprId> = Vec::new();
    roots.extend(model.equations.iter().flat_map(|q| [q.lhs, q.rhs]));
    for a in &model.assertions {
        roots.extend(a.guard.into_iter().chain([a.condition, a.message]));
    }
    roots.extend(model.terminates.iter().flat_map(|t| [t.guard, t.message]));
    for e in &model.effects {
        roots.extend(e.guard.into_iter().chain([e.call]));
    }
    let mut found = Vec::new();
    model.exprs.postorder(&roots, |id| {
        if let Expr::Der(x) = model.exprs.get(id) {
            found.push(x);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

fn reads_left_limit(exprs: &ExprArena, x: VarId) -> bool {
    (0..exprs.len() as u32).any(|k| exprs.get(ExprId::from_u32(k)) == Expr::Pre(x))
}

/// The same expressions under the same ids, with variables in place of derivatives and of left limits of former states. Derivatives that
/// nothing reads any more become something that no model contains.
fn without_derivatives(
    old: &ExprArena,
    derivatives: &HashMap<VarId, VarId>,
    left_limits: &HashMap<VarId, VarId>,
    kept: &[VarId],
) -> ExprArena {
    let mut new = ExprArena::new();
    for text in old.strings() {
        new.string_id(text);
    }
    for k in 0..old.len() as u32 {
        let id = ExprId::from_u32(k);
        let expr = match old.get(id) {
            Expr::Der(x) => match derivatives.get(&x) {
                Some(&d) => Expr::Var(d),
                None if kept.contains(&x) => Expr::Der(x),
                None => Expr::Local(u32::MAX - k),
            },
            Expr::Pre(x) if left_limits.contains_key(&x) => Expr::Var(left_limits[&x]),
            Expr::Builtin(f, list) => Expr::Builtin(f, new.list(old.args(list))),
            Expr::Call(f, list) => Expr::Call(f, new.list(old.args(list))),
            same => same,
        };
        let kept = new.intern(expr, old.ty(id));
        debug_assert_eq!(kept, id);
    }
    new
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

/// The last value that a former state was set to by `reinit`, and when: discrete variables with equations of their own.
fn jump(
    model: &mut FlatModel,
    e: &mut ExprArena,
    jumps: &[Reinit],
    x: VarId,
) -> Option<(ExprId, ExprId)> {
    let own: Vec<&Reinit> = jumps.iter().filter(|r| r.state == x).collect();
    let span = own.first()?.span;
    let mut discrete = |e: &mut ExprArena, what: &str, start: f64| {
        let name = format!("${what}({})", model.vars[x].name);
        let mut v = Variable::new(name, Ty::Real, Variability::Discrete);
        (v.start, v.fixed) = (Some(e.real(start)), Some(e.bool(true)));
        (v.span, v.hidden) = (span, true);
        let v = model.vars.push(v);
        (e.var(v, Ty::Real), e.pre(v, Ty::Real))
    };
    let (value, old_value) = discrete(e, "jump", 0.0);
    let (at, old_at) = discrete(e, "jumped", f64::MIN);
    let (mut new_value, mut new_at) = (old_value, old_at);
    let time = e.time();
    for r in own {
        new_value = e.if_then_else(r.condition, r.value, new_value);
        new_at = e.if_then_else(r.condition, time, new_at);
    }
    model.equations.push(generated(value, new_value));
    model.equations.push(generated(at, new_at));
    Some((value, at))
}

/// The equation of a former state.
struct Difference {
    formula: Formula,
    step: f64,
    start_time: f64,
    x: ExprId,
    d: ExprId,
    /// Value at the start.
    start: ExprId,
    /// Last value given by `reinit`, and when.
    jump: Option<(ExprId, ExprId)>,
}

impl Difference {
    /// Right-hand side of the equation `x = …`.
    fn right_side(&self, e: &mut ExprArena) -> ExprId {
        let (step, d) = (self.step, self.d);
        let x = self.left_behind(e);
        let delayed = |e: &mut ExprArena, u: ExprId, steps: f64| {
            let by = e.real(steps * step);
            e.builtin(Builtin::Delay, &[u, by])
        };
        let scaled = |e: &mut ExprArena, factor: f64, u: ExprId| {
            let factor = e.real(factor);
            e.mul(factor, u)
        };
        let implicit = |e: &mut ExprArena| {
            let (old, change) = (delayed(e, x, 1.0), scaled(e, step, d));
            e.add(old, change)
        };
        let later = match self.formula {
            Formula::Euler => {
                let change = scaled(e, step, d);
                let sum = e.add(x, change);
                delayed(e, sum, 1.0)
            }
            Formula::ImplicitEuler => implicit(e),
            Formula::Trapezoid => {
                let half = scaled(e, 0.5 * step, d);
                let sum = e.add(x, half);
                let old = delayed(e, sum, 1.0);
                e.add(old, half)
            }
            Formula::Bdf2 => {
                let (one, two) = (delayed(e, x, 1.0), delayed(e, x, 2.0));
                let (one, two) = (scaled(e, 4.0 / 3.0, one), scaled(e, 1.0 / 3.0, two));
                let change = scaled(e, 2.0 / 3.0 * step, d);
                let old = e.sub(one, two);
                let full = e.add(old, change);
                let first = implicit(e);
                let full = match self.since_jump(e, 1.5) {
                    Some(soon) => e.if_then_else(soon, first, full),
                    None => full,
                };
                let early = self.before(e, 1.5);
                e.if_then_else(early, first, full)
            }
        };
        let at_start = self.before(e, 0.5);
        e.if_then_else(at_start, self.start, later)
    }

    /// Less than so many steps after the start?
    fn before(&self, e: &mut ExprArena, steps: f64) -> ExprId {
        let (time, limit) = (e.time(), e.real(self.start_time + steps * self.step));
        e.binary(BinaryOp::Lt, time, limit)
    }

    /// Less than so many steps after the last jump?
    fn since_jump(&self, e: &mut ExprArena, steps: f64) -> Option<ExprId> {
        let (_, at) = self.jump?;
        let (time, ahead) = (e.time(), e.real(steps * self.step));
        let limit = e.add(at, ahead);
        let soon = e.binary(BinaryOp::Lt, time, limit);
        Some(e.builtin(Builtin::NoEvent, &[soon]))
    }

    /// What the next step begins with.
    fn left_behind(&self, e: &mut ExprArena) -> ExprId {
        match (self.jump, self.since_jump(e, 0.5)) {
            (Some((value, _)), Some(now)) => e.if_then_else(now, value, self.x),
            _ => self.x,
        }
    }
}

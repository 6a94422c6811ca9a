//! Constants and parameters.
//!
//! In: bindings. Out: the values of constants and structural parameters as literals, the order in
//! which dependent parameters are evaluated, and the list of parameters that the initial system
//! computes. A cycle of bindings is an error that names it.

use cranelift_entity::SecondaryMap;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::Variability;
use ferrica_ir::{Diagnostic, Expr, ExprId, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::model::Dae;
use crate::scan::Reach;
use crate::zero_coefficients;

/// Literal value of each variable that may be replaced by it.
pub type Constants = SecondaryMap<VarId, Option<ExprId>>;

/// How many bindings a condition may go through.
const MAX_BINDING_DEPTH: usize = 8;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    White,
    Grey,
    Black,
}

/// See the module comment.
pub fn evaluate_constants(
    dae: &mut Dae,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Constants, Vec<Diagnostic>> {
    // What is unknown at initialization is a question of structure.
    let fixed: Vec<ExprId> = dae.vars.values().filter_map(|v| v.var.fixed).collect();
    make_structural(dae, fixed);
    let constants = match evaluate(dae, warnings) {
        Ok(constants) => constants,
        Err(errors) => {
            // `a = if useA then 1 else f(b)`, `b = if useA then g(a) else 2` is no cycle once the
            // choice is made.
            if !decide_conditions(dae) {
                return Err(errors);
            }
            evaluate(dae, warnings)?
        }
    };
    Ok(constants)
}

/// The constants anew when coefficients turn out to be zero.
pub fn evaluate_zero_coefficients(dae: &mut Dae) -> Result<Option<Constants>, Vec<Diagnostic>> {
    match zero_coefficients::mark(dae) {
        // What there is to warn of has been said.
        true => evaluate(dae, &mut Vec::new()).map(Some),
        false => Ok(None),
    }
}

/// The parameters below some expressions, through bindings, become structural; false when all are already.
pub(crate) fn make_structural(dae: &mut Dae, mut roots: Vec<ExprId>) -> bool {
    let mut any = false;
    let mut reach = Reach::default();
    while !roots.is_empty() {
        reach.collect(&dae.exprs, &roots, |_| true);
        roots.clear();
        let found: Vec<VarId> = reach
            .nodes
            .iter()
            .filter_map(|&id| match dae.exprs.get(id) {
                Expr::Var(v) if !dae.vars[v].var.structural => Some(v),
                _ => None,
            })
            .collect();
        for v in found {
            any = true;
            dae.vars[v].var.structural = true;
            roots.extend(dae.vars[v].var.binding);
        }
    }
    any
}

/// Replaces conditions in bindings by their values; the parameters they depend on become
/// structural. False when there was nothing to decide.
fn decide_conditions(dae: &mut Dae) -> bool {
    let ids: Vec<VarId> = dae.vars.keys().collect();
    let mut values: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut reach = Reach::default();
    let mut any = false;
    for v in ids {
        let Some(binding) = dae.vars[v].var.binding else {
            continue;
        };
        if dae.vars[v].kind != Kind::Parameter || dae.exprs.is_literal(binding) {
            continue;
        }
        reach.collect(&dae.exprs, &[binding], |_| true);
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in &reach.nodes {
            let new = match dae.exprs.get(id) {
                Expr::If(c, a, b) => match condition_value(dae, &mut values, c) {
                    Some(true) => map[&a],
                    Some(false) => map[&b],
                    None => dae.exprs.map_children(id, |c| map[&c]),
                },
                _ => dae.exprs.map_children(id, |c| map[&c]),
            };
            map.insert(id, new);
        }
        let new = map[&binding];
        if new != binding {
            dae.vars[v].var.binding = Some(new);
            any = true;
        }
    }
    any
}

/// Value of a condition of parameters, which it makes structural.
fn condition_value(dae: &mut Dae, memo: &mut FxHashMap<ExprId, ExprId>, c: ExprId) -> Option<bool> {
    let mut used = Vec::new();
    let mut value = c;
    // Each round puts bindings in place of parameters.
    for _ in 0..MAX_BINDING_DEPTH {
        dae.exprs.postorder(&[value], |id| {
            if let Expr::Var(p) = dae.exprs.get(id) {
                used.push(p);
            }
        });
        let vars = &dae.vars;
        let next = dae
            .exprs
            .rewrite(value, memo, &mut |a, id| match a.get(id) {
                Expr::Var(p) if vars[p].kind == Kind::Parameter => vars[p].var.binding,
                _ => None,
            });
        if next == value {
            break;
        }
        value = next;
        if let Some(value) = dae.exprs.as_bool(value) {
            for p in used {
                dae.vars[p].var.structural = true;
            }
            return Some(value);
        }
    }
    dae.exprs.as_bool(value)
}

fn evaluate(dae: &mut Dae, warnings: &mut Vec<Diagnostic>) -> Result<Constants, Vec<Diagnostic>> {
    dae.parameter_order.clear();
    dae.initial_parameters.clear();
    let mut constants = Constants::new();
    let mut pass = Pass {
        mark: vec![Mark::White; dae.vars.len()],
        reach: Reach::default(),
        memo: FxHashMap::default(),
        initial: vec![false; dae.vars.len()],
        errors: Vec::new(),
    };
    let roots: Vec<VarId> = dae
        .vars
        .iter()
        .filter(|(_, v)| matches!(v.kind, Kind::Parameter | Kind::External))
        .map(|(id, _)| id)
        .collect();
    let before = warnings.len();
    for root in roots {
        pass.visit(dae, root, &mut constants, warnings);
    }
    if pass.errors.is_empty() {
        Ok(constants)
    } else {
        warnings.truncate(before);
        Err(pass.errors)
    }
}

struct Pass {
    mark: Vec<Mark>,
    reach: Reach,
    memo: FxHashMap<ExprId, ExprId>,
    /// Computed by the initial system.
    initial: Vec<bool>,
    errors: Vec<Diagnostic>,
}

impl Pass {
    /// Depth-first over bindings with an explicit stack.
    fn visit(
        &mut self,
        dae: &mut Dae,
        root: VarId,
        constants: &mut Constants,
        warnings: &mut Vec<Diagnostic>,
    ) {
        let mut stack = vec![(root, false)];
        while let Some((v, done)) = stack.pop() {
            let at = v.as_u32() as usize;
            if done {
                self.mark[at] = Mark::Black;
                self.finish(dae, v, constants, warnings);
                continue;
            }
            if self.mark[at] != Mark::White {
                continue;
            }
            // The common case: a literal, nothing to sort.
            if let Some(b) = dae.vars[v].var.binding
                && dae.exprs.is_literal(b)
            {
                self.mark[at] = Mark::Black;
                if evaluable(dae, v) {
                    constants[v] = Some(typed(dae, v, b));
                }
                continue;
            }
            self.mark[at] = Mark::Grey;
            stack.push((v, true));
            for d in self.dependencies(dae, v) {
                match self.mark[d.as_u32() as usize] {
                    Mark::White => stack.push((d, false)),
                    Mark::Grey => self.report_cycle(dae, &stack, d),
                    Mark::Black => {}
                }
            }
        }
    }

    fn dependencies(&mut self, dae: &Dae, v: VarId) -> Vec<VarId> {
        let Some(e) = binding_or_start(dae, v) else {
            return Vec::new();
        };
        self.reach.collect(&dae.exprs, &[e], |_| true);
        self.reach
            .nodes
            .iter()
            .filter_map(|&n| match dae.exprs.get(n) {
                Expr::Var(d) if matches!(dae.vars[d].kind, Kind::Parameter | Kind::External) => {
                    Some(d)
                }
                _ => None,
            })
            .collect()
    }

    /// All dependencies of `v` are final.
    fn finish(
        &mut self,
        dae: &mut Dae,
        v: VarId,
        constants: &mut Constants,
        warnings: &mut Vec<Diagnostic>,
    ) {
        let initial = self
            .dependencies(dae, v)
            .iter()
            .any(|d| self.initial[d.as_u32() as usize]);
        let Some(binding) = dae.vars[v].var.binding else {
            if dae.is_fixed(v) {
                if dae.vars[v].var.start.is_none() && !dae.vars[v].var.hidden {
                    warnings.push(
                        Diagnostic::warning(
                            "W0401",
                            dae.vars[v].var.span,
                            format!("parameter `{}` has no value", dae.vars[v].var.name),
                        )
                        .with_hint("the default value of its type is used; give it a binding"),
                    );
                }
                let value = dae.start_value(v);
                dae.vars[v].var.binding = Some(value);
                if !dae.exprs.is_literal(value) {
                    dae.parameter_order.push(v);
                }
            } else {
                self.initial[v.as_u32() as usize] = true;
                dae.initial_parameters.push(v);
            }
            return;
        };
        let value = dae
            .exprs
            .rewrite(binding, &mut self.memo, &mut |a, e| match a.get(e) {
                Expr::Var(p) => constants[p],
                _ => None,
            });
        dae.vars[v].var.binding = Some(value);
        if dae.exprs.is_literal(value) {
            if evaluable(dae, v) {
                constants[v] = Some(typed(dae, v, value));
            }
        } else if initial {
            self.initial[v.as_u32() as usize] = true;
            dae.initial_parameters.push(v);
        } else {
            dae.parameter_order.push(v);
        }
    }

    fn report_cycle(&mut self, dae: &Dae, stack: &[(VarId, bool)], back_to: VarId) {
        let mut names: Vec<String> = stack
            .iter()
            .filter(|(_, done)| *done)
            .map(|(v, _)| *v)
            .skip_while(|&v| v != back_to)
            .map(|v| format!("`{}`", dae.vars[v].var.name))
            .collect();
        names.push(format!("`{}`", dae.vars[back_to].var.name));
        self.errors.push(
            Diagnostic::error(
                "E0402",
                dae.vars[back_to].var.span,
                format!(
                    "the values of parameters depend on each other: {}",
                    names.join(" → ")
                ),
            )
            .with_hint("give one of them a value that does not depend on the others"),
        );
    }
}

fn binding_or_start(dae: &Dae, v: VarId) -> Option<ExprId> {
    let var = &dae.vars[v].var;
    var.binding
        .or_else(|| if dae.is_fixed(v) { var.start } else { None })
}

/// May the value be put in place of the variable?
fn evaluable(dae: &Dae, v: VarId) -> bool {
    let var = &dae.vars[v].var;
    var.variability == Variability::Constant || var.structural
}

/// An Integer literal bound to a Real variable becomes a Real literal.
fn typed(dae: &mut Dae, v: VarId, literal: ExprId) -> ExprId {
    match (dae.vars[v].var.ty, dae.exprs.get(literal)) {
        (Ty::Real, Expr::Int(i)) => dae.exprs.real(i as f64),
        _ => literal,
    }
}

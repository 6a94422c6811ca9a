//! Dynamic state selection.
//!
//! In: candidates c with derivatives ċ, of which the constraints leave fewer free than there are, and
//! no choice is valid everywhere. Out: states s = A·c with derivatives ṡ = A·ċ, where the selection
//! matrix A (one 1 in each row) is a parameter that the simulation sets, so that the candidates
//! themselves are ordinary unknowns. The simulation chooses A by pivoting on the constraint Jacobian
//! and chooses again where the pivots have become poor.

use ferrica_dae::Dae;
use ferrica_ir::causal::{DynamicStateSet, Kind};
use ferrica_ir::flat::{Equation, Origin, StateSelect};
use ferrica_ir::{ExprId, Span, Ty, VarId};

use crate::dummy_derivatives::RunTimeSet;

/// Adds variables and equations of a set to the model.
pub fn build(dae: &mut Dae, set: RunTimeSet) {
    let number = dae.dynamic_states.len() + 1;
    let derivatives = set.derivatives;
    let candidates: Vec<VarId> = derivatives
        .iter()
        .filter_map(|&d| dae.antiderivative[d].expand())
        .collect();
    let n_states = candidates.len() - set.rows.len();
    let mut states = Vec::with_capacity(n_states);
    let mut selection = Vec::with_capacity(n_states);
    // Wanted states stand last: the first choice keeps those.
    let first = candidates.len() - n_states;
    for k in 0..n_states {
        let state = dae.new_var(
            format!("$state{number}[{}]", k + 1),
            Ty::Real,
            Kind::State,
            Span::NONE,
        );
        let derivative = dae.new_var(
            format!("der($state{number}[{}])", k + 1),
            Ty::Real,
            Kind::Derivative,
            Span::NONE,
        );
        dae.vars[state].partner = Some(derivative);
        dae.vars[derivative].partner = Some(state);
        dae.vars[state].var.state_select = StateSelect::Always;
        let row: Vec<VarId> = (0..candidates.len())
            .map(|j| {
                let name = format!("$select{number}[{},{}]", k + 1, j + 1);
                let a = dae.new_var(name, Ty::Real, Kind::Parameter, Span::NONE);
                let value = dae.exprs.real(f64::from(u8::from(j == first + k)));
                dae.vars[a].var.binding = Some(value);
                dae.run_time_choice[a] = true;
                a
            })
            .collect();
        let value = weighted(dae, &row, &candidates);
        let rate = weighted(dae, &row, &derivatives);
        for (v, e) in [(state, value), (derivative, rate)] {
            let lhs = dae.var_expr(v);
            dae.equations.push(Equation {
                lhs,
                rhs: e,
                span: Span::NONE,
                component: 0,
                origin: Origin::Generated,
            });
        }
        states.push(state);
        selection.push(row);
    }
    let jacobian = set
        .rows
        .iter()
        .enumerate()
        .flat_map(|(i, row)| row.iter().map(move |&(c, e)| (i as u32, c, e)))
        .collect();
    dae.dynamic_states.push(DynamicStateSet {
        candidates,
        n_states: n_states as u32,
        states,
        selection,
        jacobian,
    });
}

/// Σ aⱼ·xⱼ
fn weighted(dae: &mut Dae, a: &[VarId], x: &[VarId]) -> ExprId {
    let terms: Vec<ExprId> = a
        .iter()
        .zip(x)
        .map(|(&a, &x)| {
            let (a, x) = (dae.var_expr(a), dae.var_expr(x));
            dae.exprs.mul(a, x)
        })
        .collect();
    dae.exprs.sum(&terms)
}

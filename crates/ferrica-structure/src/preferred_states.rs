//! Algebraic variables that want to be states.
//!
//! In: a model in which variables with `stateSelect = prefer` or `always` are not differentiated: mass and energy
//! of a volume are, pressure and temperature should be states. Out: the same with a derivative for each of
//! them. The equations that tie them to the present states then constrain states only, so index reduction differentiates them,
//! and the choice of dummy derivatives decides, by wishes, who stays a state.

use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::StateSelect;
use ferrica_ir::{Ty, VarId};

/// The variables that want it, in a model that has states.
pub fn wanted(dae: &Dae) -> Vec<VarId> {
    if !dae.vars.values().any(|v| v.kind == Kind::State) {
        return Vec::new();
    }
    let mut is_delay = cranelift_entity::EntitySet::new();
    for v in dae.remembered() {
        is_delay.insert(v);
    }
    dae.vars
        .iter()
        .filter(|&(v, var)| {
            var.kind == Kind::Algebraic
                && var.var.ty == Ty::Real
                && matches!(
                    var.var.state_select,
                    StateSelect::Prefer | StateSelect::Always
                )
                && dae.derivative[v].is_none()
                && !is_delay.contains(v)
        })
        .map(|(v, _)| v)
        .collect()
}

/// Gives them derivatives.
pub fn differentiate(dae: &mut Dae, wanted: &[VarId]) {
    for &x in wanted {
        let dx = dae.derivative_var(x);
        dae.vars[x].kind = Kind::State;
        dae.vars[x].partner = Some(dx);
        dae.vars[dx].kind = Kind::Derivative;
        dae.vars[dx].partner = Some(x);
    }
}

//! From the flat model to the one that travels: start values of states become parameters, so that they can be set without a compiler.

use ferrica_ir::causal::CausalModel;
use ferrica_ir::flat::{FlatModel, Variability, Variable};
use ferrica_ir::{Diagnostic, VarId};
use rustc_hash::FxHashMap;

/// The sorted model, and for states the parameter that holds the start value.
pub struct Prepared {
    pub model: CausalModel,
    pub starts: FxHashMap<VarId, VarId>,
}

fn sorted(flat: FlatModel) -> Result<CausalModel, Vec<Diagnostic>> {
    let options = ferrica_structure::Options::default();
    Ok(ferrica_structure::compile(flat, &options)?.model)
}

/// Start values that are literals become parameters where they belong to states. Where that would change which variables are states the model
/// stays as it is.
pub fn prepare(flat: &FlatModel) -> Result<Prepared, Vec<Diagnostic>> {
    let plain = sorted(flat.clone())?;
    let mut with = flat.clone();
    let mut starts = FxHashMap::default();
    for &state in &plain.states {
        let Some(var) = flat.vars.get(state) else {
            continue;
        };
        let Some(start) = var.start.filter(|&s| flat.exprs.as_f64(s).is_some()) else {
            continue;
        };
        let name = format!("$start of {}", var.name);
        let mut parameter = Variable::new(name, var.ty, Variability::Parameter);
        parameter.binding = Some(start);
        parameter.hidden = true;
        let parameter = with.vars.push(parameter);
        with.vars[state].start = Some(with.exprs.var(parameter, var.ty));
        starts.insert(state, parameter);
    }
    if !starts.is_empty()
        && let Ok(model) = sorted(with)
        && model.states == plain.states
        && starts
            .values()
            .all(|&p| !model.vars[p].var.structural && model.vars[p].var.binding.is_some())
    {
        return Ok(Prepared { model, starts });
    }
    Ok(Prepared {
        model: plain,
        starts: FxHashMap::default(),
    })
}

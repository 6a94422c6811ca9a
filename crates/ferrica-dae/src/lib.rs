//! From the flat model to the hybrid DAE.
//!
//! In: a [`FlatModel`]. Out: a [`Dae`]: constants folded, parameters in order of evaluation, alias
//! variables removed, derivatives as variables of their own, and every relation that can cause an
//! event replaced by a memory variable. One file a pass.
//!
//! Invariant: expressions of a [`Dae`] contain no `Der`, no `noEvent`, `smooth`, `edge`, `change`,
//! `sample` or `delay`; `initial()`, `WhenFires` and `homotopy` stay until
//! [`mode`] makes the simulation form or the initialization form of an equation.

pub mod affine;
pub mod alias;
pub mod constant_equations;
pub mod decided;
pub mod differentiate;
pub mod domains;
pub mod dump;
pub mod events;
pub mod function_derivative;
pub mod mode;
pub mod model;
pub mod parameter_equations;
pub mod parameters;
pub mod scan;
pub mod semi_linear;
mod unread;
pub mod zero_coefficients;

pub use model::Dae;

use ferrica_ir::Diagnostic;
use ferrica_ir::flat::FlatModel;

/// Rounds in which coefficients are found to be zero: each folds expressions that may show the next.
const MAX_ZERO_ROUNDS: usize = 4;

/// Runs all passes for a model without clocks. Warnings are appended to `warnings`.
pub fn build(flat: FlatModel, warnings: &mut Vec<Diagnostic>) -> Result<Dae, Vec<Diagnostic>> {
    let mut dae = without_aliases(flat, warnings)?;
    events::extract(&mut dae)?;
    Ok(dae)
}

/// The passes before events are looked for: constants, parameters, aliases.
pub fn without_aliases(
    flat: FlatModel,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Dae, Vec<Diagnostic>> {
    let mut dae = Dae::from_flat(flat);
    let mut constants = parameters::evaluate_constants(&mut dae, warnings)?;
    constant_equations::fold(&mut dae, &mut constants);
    for _ in 0..MAX_ZERO_ROUNDS {
        let Some(more) = parameters::evaluate_zero_coefficients(&mut dae)? else {
            break;
        };
        constants = more;
        constant_equations::fold(&mut dae, &mut constants);
    }
    alias::remove(&mut dae, &constants, warnings);
    semi_linear::resolve(&mut dae);
    decided::ask(&mut dae);
    Ok(dae)
}

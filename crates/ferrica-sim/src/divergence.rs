//! Explicit steps of a given size that are too long: told by what they do.
//!
//! In: the states after each step of `rk4` and `euler`. Out: an error that names the state and the step that would do, where a state has left its scale and
//! the growth that the formula adds to its mode explains it ([`ferrica_hybrid::growing_mode`]). What grows for another reason is let alone.

use ferrica_codegen::{Failure, Slot};
use ferrica_hybrid::{AGAIN, EXPLAINED, GROWN, SimError, SolverKind, growing_mode};
use ferrica_ir::print::brief;

use crate::simulate::Run;

#[derive(Default)]
pub(crate) struct Divergence {
    /// Of each state: its size, and the value at which it is looked at next.
    sizes: Vec<(f64, f64)>,
}

impl Run<'_> {
    fn fixed_order(&self) -> Option<usize> {
        match self.experiment.solver {
            SolverKind::Rk4 => Some(4),
            SolverKind::Euler => Some(1),
            _ => None,
        }
    }

    /// The slots hold the solution at the start.
    pub(crate) fn begin_divergence(&mut self) {
        if self.fixed_order().is_none() || self.p.dummy {
            return;
        }
        let first = self.model.layout.states;
        let states = self.p.ev.states().iter().zip(first..);
        let sizes = states.map(|(x, slot)| x.abs().max(self.model.nominal(slot)));
        self.divergence.sizes = sizes.map(|size| (size, GROWN * size)).collect();
    }

    /// After a step to `t`.
    pub(crate) fn watch_divergence(&mut self, t: f64) -> Result<(), SimError> {
        let y = self.integrator.y();
        let sizes = &mut self.divergence.sizes;
        let over = |(_, (x, size)): &(usize, (&f64, &(f64, f64)))| x.abs() >= size.1;
        let Some((k, (&value, &(size, _)))) = y.iter().zip(&*sizes).enumerate().find(over) else {
            return Ok(());
        };
        while sizes[k].1 <= value.abs() {
            sizes[k].1 *= AGAIN;
        }
        let Some(order) = self.fixed_order() else {
            return Ok(());
        };
        let h = self.integrator.options().h_fixed;
        let elapsed = t - self.experiment.start;
        self.at_end = false;
        self.p.place(t, self.integrator.y(), self.integrator.yp());
        let model = self.model.clone();
        let layout = &model.layout;
        let states: Vec<(Slot, Slot)> = (0..layout.n_states as Slot)
            .map(|k| (layout.states + k, layout.derivatives + k))
            .collect();
        let run = |ev: &mut ferrica_codegen::Evaluator| ev.run(&model.rhs_program).is_ok();
        if !run(&mut self.p.ev) {
            return Ok(());
        }
        let sizes = self.divergence.sizes.iter().map(|s| s.0);
        let mode = growing_mode(&self.p.ev, &states, sizes, h, run);
        let grown = (value.abs() / size).ln();
        let Some(mode) = mode.filter(|m| elapsed / h * m.excess(h, order) > EXPLAINED * grown)
        else {
            return Ok(());
        };
        let text = format!(
            "`{}` grows without bound ({value:.1e} at time {}): a step of {} is too long for `{}`, which is stable here up to about {:.1e}",
            self.unknown_name(k),
            brief(t),
            brief(h),
            self.experiment.solver.name(),
            mode.stable_step(h, order, elapsed)
        );
        Err(SimError {
            hint: Some("a smaller --step, or a solver that chooses its own".to_string()),
            ..SimError::new("E0616", t, Failure::new(text))
        })
    }
}

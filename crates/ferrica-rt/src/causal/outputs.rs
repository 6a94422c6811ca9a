//! What a step leaves out: unknowns that only rows and events need.

use ferrica_codegen::Slot;
use ferrica_sim::Problem;

use super::{Causal, StepError, execute};

impl Causal {
    /// All unknowns that the step has left out, at the present core.
    pub fn outputs(&mut self, p: &mut Problem) -> Result<(), StepError> {
        self.compute_outputs(p, false)
    }

    /// Those that rows of the results need.
    pub fn wanted_outputs(&mut self, p: &mut Problem) -> Result<(), StepError> {
        self.compute_outputs(p, true)
    }

    fn compute_outputs(&mut self, p: &mut Problem, wanted: bool) -> Result<(), StepError> {
        let r = &self.reductions[self.last];
        if let (true, Some(linear)) = (self.pending, &r.linear) {
            let table = if wanted {
                &linear.wanted_others
            } else {
                &linear.others
            };
            table.run(&mut p.ev.slots);
            let finite = |s: &Slot| p.ev.slots[*s as usize].is_finite();
            if !table.results().iter().all(finite) {
                let bad = r.slot_at.iter().position(|s| !finite(s));
                let col = r.e.col_at[bad.unwrap_or(0)];
                return Err(StepError::NotFinite(
                    self.plan.columns[col as usize] as usize,
                ));
            }
            self.pending = wanted;
        }
        let (program, columns) = if wanted {
            (&self.plan.wanted_outputs, &self.plan.wanted_columns)
        } else {
            (&self.plan.outputs, &self.plan.output_columns)
        };
        execute(
            &self.model.functions,
            &mut self.vm,
            &self.plan.kernels,
            program,
            &mut p.ev,
        )?;
        let Some(dae) = &self.model.dae else {
            return Ok(());
        };
        for &c in columns {
            if !p.ev.slots[dae.unknowns[c as usize] as usize].is_finite() {
                return Err(StepError::NotFinite(c as usize));
            }
        }
        Ok(())
    }

    /// Puts the core before the last step into the slots.
    pub fn place_before(&self, p: &mut Problem, t: f64) {
        p.ev.set_time(t);
        let r = &self.reductions[self.last];
        for (v, &s) in self.before.iter().zip(&r.slot_at) {
            p.ev.slots[s as usize] = *v;
        }
        p.ev.set_derivatives(&self.past_rates);
    }
}

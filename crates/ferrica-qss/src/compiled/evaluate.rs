//! Derivatives and crossing functions from the polynomials of what they read.

use ferrica_codegen::{Failure, Layout};
use ferrica_ir::print::brief;

use super::{CompiledQss, NEVER, PlanStep};
use crate::plans::Way;

impl CompiledQss {
    fn run_plan(&mut self, which: usize, number: usize) -> Result<(), String> {
        for step in &self.plans[which][number].steps {
            match *step {
                PlanStep::Kernel(row) => self.bank.run(row, &mut self.ev)?,
                PlanStep::System(s) => {
                    let system = &mut self.systems[which][s as usize];
                    system.run(&mut self.bank, &mut self.ev, self.epoch)?;
                }
            }
        }
        Ok(())
    }

    /// Evaluates a plan that is not one kernel.
    #[inline(never)]
    fn run_elsewhere<const C: usize>(
        &mut self,
        which: usize,
        number: usize,
        time: f64,
        inputs: &[[f64; C]],
    ) -> Result<[f64; C], String> {
        let plan = &self.plans[which][number];
        let stride = self.bank.stride;
        let slots = &mut self.ev.slots;
        slots[Layout::TIME as usize] = time;
        for (&slot, c) in plan.reads.iter().zip(inputs) {
            for (k, &v) in c.iter().enumerate() {
                slots[k * stride + slot as usize] = v;
            }
        }
        let result = plan.result as usize;
        self.run_plan(which, number)?;
        Ok(std::array::from_fn(|k| self.ev.slots[k * stride + result]))
    }

    /// Evaluates a derivative (0) or a crossing function (1) from the polynomials of what it reads.
    #[inline(always)]
    pub(super) fn polynomial<const C: usize>(
        &mut self,
        which: usize,
        index: usize,
        time: f64,
        inputs: &[[f64; C]],
    ) -> [f64; C] {
        let local = &mut self.local[which];
        match local.way(index) {
            Way::Shape(shape) => {
                let c = local.run(shape, index, time, inputs, &mut self.ev);
                self.omitted = local.omitted();
                c
            }
            Way::Elsewhere(NEVER) => {
                let mut never = [0.0; C];
                never[0] = 1.0;
                never
            }
            Way::Elsewhere(number) => {
                self.omitted = 0.0;
                let done = self.run_elsewhere(which, number as usize, time, inputs);
                done.unwrap_or_else(|message| {
                    self.failure
                        .get_or_insert(Failure::new(format!("at time {}: {message}", brief(time))));
                    [f64::NAN; C]
                })
            }
        }
    }
}

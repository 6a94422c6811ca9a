//! The door of a run to the world: at the instants of a grid, outputs go out and inputs come in.
//!
//! The grid is a timer of the model. Its events evaluate the outputs, hand them over, and set the inputs that have come; like any event they cost what these inputs reach.

use ferrica_codegen::program::Program;
use ferrica_codegen::{Failure, Slot};
use ferrica_sim::{Equidistant, same_time};

use crate::compiled::CompiledQss;
use crate::observer::Trajectories;

/// Is told the number of an instant, its time and the slots, of which outputs are up to date, and puts inputs into these.
pub type Talk = Box<dyn FnMut(u64, f64, &mut [f64]) -> Result<(), Failure>>;

/// See the module comment.
pub struct Port {
    talk: Talk,
    grid: Equidistant,
    /// Number of the next instant, and the last one.
    next: u64,
    last: u64,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    /// What evaluates the outputs, from which states.
    program: Program,
    needed: Vec<u32>,
    /// Slots as the other side sees them.
    slots: Vec<f64>,
}

impl Port {
    /// A door of this model that opens at `start` and so many times more, with this time in between.
    pub fn new(
        model: &CompiledQss,
        (start, period, times): (f64, f64, u64),
        inputs: Vec<Slot>,
        outputs: Vec<Slot>,
        talk: Talk,
    ) -> Port {
        let program = model.model.schedule(&outputs);
        Port {
            talk,
            grid: Equidistant::new(start, period),
            next: 0,
            last: times,
            needed: model.states_needed(&program, Some(&outputs)),
            program,
            inputs,
            outputs,
            slots: model.ev.slots.clone(),
        }
    }

    /// When it opens next; one of the given times if rounding alone tells them apart.
    pub(crate) fn due(&self, others: &[f64]) -> f64 {
        if self.next > self.last {
            return f64::INFINITY;
        }
        let time = self.grid.at(self.next as f64);
        let same = others.iter().find(|at| same_time(**at, time));
        same.copied().unwrap_or(time)
    }

    /// It is open: the inputs that have changed.
    pub(crate) fn open(
        &mut self,
        model: &mut CompiledQss,
        at: Trajectories<'_>,
    ) -> Result<Vec<(Slot, f64)>, Failure> {
        model.evaluate(at, &self.needed, &self.program)?;
        let first = model.model.layout.states;
        for &slot in &self.outputs {
            let state = slot
                .checked_sub(first)
                .map(|i| i as usize)
                .filter(|&i| i < model.structure.states);
            // States themselves are shown as they are integrated.
            self.slots[slot as usize] =
                state.map_or(model.ev.slots[slot as usize], |i| at.state(i));
        }
        (self.talk)(self.next, at.time, &mut self.slots)?;
        self.next += 1;
        let changed = self.inputs.iter().map(|&s| (s, self.slots[s as usize]));
        let changed = changed.filter(|&(s, value)| model.ev.slots[s as usize] != value);
        Ok(changed.collect())
    }
}

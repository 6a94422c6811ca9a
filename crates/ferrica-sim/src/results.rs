//! Results: which variables there are, where their values stand, and who takes the rows.

use std::io;

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{Ty, VarId};
use ferrica_solvers::integrator::Solution;

/// Takes the rows of a run.
pub trait Sink {
    /// One row: the time, and all slots with the wanted ones up to date.
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()>;

    /// A row before or after an event that is not an output point by itself. Two of them have one time.
    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.row(time, slots)
    }

    /// Are there rows at output points at all? Asked at each step.
    fn wants_rows(&self) -> bool {
        true
    }

    /// Would a row at an event be taken now?
    fn wants_event_rows(&self) -> bool {
        true
    }

    /// Asked after each step: should the run end (Ctrl-C)?
    fn interrupted(&mut self) -> bool {
        false
    }

    /// Told at each event of a run before it is settled: all slots right before it (if event rows are wanted), conditions that change
    /// with their new values, samplers whose instant it is. A quantized-state method, which evaluates no rows at events that are not wanted, tells it after the event instead, of
    /// the conditions that it reached.
    fn instant(&mut self, _slots: &[f64], _forced: &[(usize, bool)], _samplers: &[usize]) {}

    /// Told after each step, before an event at its end is settled: the solution from the time that was reached before to now.
    fn stepped(&mut self, _from: f64, _to: f64, _solution: &dyn Solution) {}

    /// Told after each step how far the run is.
    fn progress(&mut self, _time: f64) {}

    /// Told at the end of a run that did not fail: all slots at the stop time, and what the engine
    /// remembers besides (see [`crate::Snapshot`]).
    fn end(&mut self, _ev: &Evaluator, _memory: &[f64]) {}
}

/// A closure is a sink. A run for it ends with the process that asked for it: it is most often one inside of another.
impl<F: FnMut(f64, &[f64])> Sink for F {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self(time, slots);
        Ok(())
    }

    fn interrupted(&mut self) -> bool {
        ferrica_codegen::interpreter::is_interrupted()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueSource {
    /// Changes during the run; the negative of the slot if the flag is set.
    Slot(Slot, bool),
    /// Set once before the run.
    Parameter(Slot, bool),
}

#[derive(Clone, Debug)]
pub struct ResultVariable {
    pub var: VarId,
    pub name: String,
    pub source: ValueSource,
}

/// Numeric variables of the results, in the order of declaration, aliases included.
pub fn result_variables(model: &CompiledModel) -> Vec<ResultVariable> {
    result_variables_where(model, |_| true)
}

/// Those whose names are wanted: the others are not made.
pub fn result_variables_where(
    model: &CompiledModel,
    wanted: impl Fn(&str) -> bool,
) -> Vec<ResultVariable> {
    let mut out = Vec::new();
    for (var, v) in &model.source.vars {
        if v.var.hidden
            || matches!(v.var.ty, Ty::String | Ty::External | Ty::Clock | Ty::Tuple)
            || !wanted(&v.var.name)
        {
            continue;
        }
        let Some((slot, negated)) = model.layout.place(var) else {
            continue;
        };
        let kind = model
            .layout
            .var(slot)
            .map_or(v.kind, |of| model.source.vars[of].kind);
        let source = match kind {
            Kind::Parameter | Kind::External => ValueSource::Parameter(slot, negated),
            _ => ValueSource::Slot(slot, negated),
        };
        out.push(ResultVariable {
            var,
            name: v.var.name.clone(),
            source,
        });
    }
    out
}

//! A run ends where a state or a variable that was asked for is not a number.
//!
//! In: the rows of a run on their way to its sink. Out: the same rows up to the first one with such a value, and which
//! variable it was. Every engine gives its rows to a sink, so that the rule holds for all of them.

use std::io;

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::Diagnostic;
use ferrica_ir::print::brief;
use ferrica_sim::Sink;

/// See the module comment.
pub struct Guard<'a> {
    inner: &'a mut dyn Sink,
    /// States and outputs of the model; what was asked for.
    slots: Vec<Slot>,
    /// The first such value: its slot and the time.
    pub found: Option<(Slot, f64)>,
}

impl<'a> Guard<'a> {
    pub fn new(
        model: &CompiledModel,
        wanted: Option<&Vec<Slot>>,
        inner: &'a mut dyn Sink,
    ) -> Guard<'a> {
        let own = model.source.states.iter().chain(&model.source.outputs);
        let own = own.filter_map(|&v| model.layout.place(v).map(|(slot, _)| slot));
        let mut slots: Vec<Slot> = match wanted {
            // Other slots are not up to date.
            Some(wanted) => wanted.clone(),
            None => own.collect(),
        };
        slots.sort_unstable();
        slots.dedup();
        Guard {
            inner,
            slots,
            found: None,
        }
    }

    fn check(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        let nan = |&&s: &&Slot| values.get(s as usize).is_some_and(|v| v.is_nan());
        let Some(&slot) = self.slots.iter().find(nan) else {
            return Ok(());
        };
        self.found.get_or_insert((slot, time));
        Err(io::Error::other("a value is not a number"))
    }
}

impl Sink for Guard<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.check(time, slots)?;
        self.inner.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.check(time, slots)?;
        self.inner.event_row(time, slots)
    }

    fn wants_event_rows(&self) -> bool {
        self.inner.wants_event_rows()
    }

    fn interrupted(&mut self) -> bool {
        self.found.is_some() || self.inner.interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.inner.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.inner.end(ev, memory);
    }
}

/// What to tell of the value.
pub fn not_a_number(model: &CompiledModel, slot: Slot, time: f64) -> Diagnostic {
    let (formula, span) = model.formula(slot);
    let message = format!(
        "`{}` is not a number at time {}\n  from {formula}",
        model.var_name(slot),
        brief(time)
    );
    Diagnostic::error("E0613", span, message)
        .with_hint("guard the argument of the function, or the divisor, that has no value there")
}

//! Do the rows of a run satisfy the equations?
//!
//! In: rows on their way to a sink, from any engine. Out: the same rows, and the equation that was satisfied worst ([`Verdict`]). A value is right
//! if its equation is satisfied at the time of its row up to the tolerance, whoever computed it. Costs an evaluation of all equations and
//! their partial derivatives a row.

use std::io;
use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Failure, Form, Slot, Violation};
use ferrica_hybrid::SimError;
use ferrica_ir::Span;
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::Ty;
use ferrica_ir::print::brief;

use crate::results::Sink;

/// A sink that checks rows before it passes them on.
pub struct Verified<'a> {
    sink: &'a mut dyn Sink,
    ev: Evaluator,
    /// Derivatives are difference quotients over this time.
    step: Option<f64>,
    /// Largest values of the states so far, where a tolerance is one of their ranges.
    largest: Option<Vec<f64>>,
    /// Texts and objects are those of this evaluator, not of the engine.
    own: Vec<Slot>,
    kept: Vec<f64>,
    /// The next row is the first one of a run from its own start.
    at_start: bool,
    verdict: Verdict,
}

/// What the rows came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verdict {
    pub rows: u64,
    /// Rows at which equations cannot be evaluated.
    pub unchecked: u64,
    /// The worst equation of all rows, and its time.
    pub worst: Option<(f64, Violation)>,
    /// It is one of the initial system.
    pub of_start: bool,
}

impl<'a> Verified<'a> {
    /// Checks rows of this model, run with these values of parameters; `step` where derivatives are difference quotients; `from_start` where
    /// the run begins as the model says.
    pub fn new(
        model: &CompiledModel,
        values: &[(String, f64)],
        step: Option<f64>,
        from_start: bool,
        sink: &'a mut dyn Sink,
    ) -> Result<Verified<'a>, Vec<Diagnostic>> {
        let options = CompileOptions {
            natives: model.functions.natives.clone(),
            form: Form::Check,
            tangents: false,
        };
        let source = (*model.source).clone();
        let model = Arc::new(ferrica_codegen::compile(source, &options)?);
        let mut ev = Evaluator::new(model.clone());
        for (name, value) in values {
            if let Some((slot, negated)) = model.find(name) {
                ev.set_value(slot, if negated { -value } else { *value });
            }
        }
        // What fails here fails in the run, which says why.
        let _ = ev.run_parameters();
        let own = (model.source.vars.iter())
            .filter(|(_, v)| matches!(v.var.ty, Ty::String | Ty::External))
            .filter_map(|(v, _)| model.layout.slot(v))
            .collect();
        Ok(Verified {
            sink,
            ev,
            step,
            largest: None,
            own,
            kept: Vec::new(),
            at_start: from_start,
            verdict: Verdict::default(),
        })
    }

    /// For engines that know a state within the tolerance of its range, as quantized states do: where it passes zero it is not known better.
    pub fn of_ranges(mut self) -> Self {
        self.largest = Some(vec![0.0; self.ev.model.layout.n_states]);
        self
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The verdict as an error, if some equation is satisfied worse than the tolerance permits.
    pub fn error(&self, tolerance: f64) -> Option<SimError> {
        let (time, worst) = self.verdict.worst.filter(|(_, w)| w.part > tolerance)?;
        let model = &self.ev.model;
        let (list, what) = match self.verdict.of_start {
            false => (&model.source.equations, "its equation"),
            true => (&model.source.initial.equations, "a condition on the start"),
        };
        let equation = &list[worst.equation as usize];
        let mut failure = Failure::new(format!(
            "a result does not satisfy {what}: {} at time {}",
            model.text_of(equation),
            brief(time)
        ));
        failure.span = equation.span;
        failure.details.push(format!(
            "its two sides differ by {}, {} of the size of its terms; the tolerance is {}",
            brief(worst.residual),
            brief(worst.part),
            brief(tolerance)
        ));
        Some(SimError::new("E0617", time, failure))
    }

    /// Rows that could not be checked.
    pub fn warning(&self) -> Option<Diagnostic> {
        let Verdict {
            rows, unchecked, ..
        } = self.verdict;
        let text = format!(
            "{unchecked} of {rows} rows could not be checked: an equation has no value there"
        );
        (unchecked > 0).then(|| Diagnostic::warning("W0601", Span::NONE, text))
    }

    fn check(&mut self, time: f64, slots: &[f64]) {
        let ev = &mut self.ev;
        let model = ev.model.clone();
        let Some(residuals) = &model.residuals else {
            return;
        };
        self.kept.clear();
        self.kept.extend(self.own.iter().map(|&s| ev.get(s)));
        let n = slots.len().min(residuals.first_own_slot() as usize);
        ev.slots[..n].copy_from_slice(&slots[..n]);
        for (&s, &value) in self.own.iter().zip(&self.kept) {
            ev.set(s, value);
        }
        ev.set_time(time);
        let first = model.layout.states as usize;
        for (k, largest) in self.largest.iter_mut().flatten().enumerate() {
            *largest = largest.max(ev.slots[first + k].abs());
        }
        self.verdict.rows += 1;
        let start = (model.start_residuals.as_ref()).filter(|_| std::mem::take(&mut self.at_start));
        for (list, of_start) in [(Some(residuals), false), (start, true)] {
            let Some(list) = list else { continue };
            match ev.worst_residual(list, self.step, self.largest.as_deref()) {
                Ok(Some(found))
                    if (self.verdict.worst).is_none_or(|(_, w)| w.part < found.part) =>
                {
                    self.verdict.worst = Some((time, found));
                    self.verdict.of_start = of_start;
                }
                Ok(_) => {}
                Err(_) => self.verdict.unchecked += 1,
            }
        }
    }
}

impl Sink for Verified<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.check(time, slots);
        self.sink.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        // Otherwise not everything is up to date there.
        if self.sink.wants_event_rows() {
            self.check(time, slots);
        }
        self.sink.event_row(time, slots)
    }

    fn wants_event_rows(&self) -> bool {
        self.sink.wants_event_rows()
    }

    fn interrupted(&mut self) -> bool {
        self.sink.interrupted()
    }

    fn progress(&mut self, time: f64) {
        self.sink.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.sink.end(ev, memory);
    }
}

//! What a run reports: statistics, warnings, and why it ended early.

use std::fmt;

use ferrica_codegen::Failure;
use ferrica_ir::Diagnostic;
use ferrica_ir::print::brief;

/// Work of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub solver: String,
    /// `ode` or `dae`.
    pub form: &'static str,
    pub states: usize,
    pub equations: usize,
    pub steps: u64,
    pub rejected_steps: u64,
    pub evaluations: u64,
    pub jacobians: u64,
    pub factorizations: u64,
    pub newton_iterations: u64,
    pub state_events: u64,
    pub time_events: u64,
    /// Wall seconds.
    pub initialize_seconds: f64,
    pub simulate_seconds: f64,
    /// Part of the simulation spent in evaluating and writing results.
    pub output_seconds: f64,
    /// Time reached.
    pub end_time: f64,
    /// Message of `terminate`, if it ended the run.
    pub terminated: Option<String>,
    pub warnings: Vec<Warning>,
    /// Why steps of a fixed size may not have resolved what happened: half of the step would show it.
    pub doubt: Option<Doubt>,
}

/// What a run of fixed steps has seen and cannot judge from its own steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// In words, as the begin of a sentence; nothing where it would leave no sign.
    pub seen: Option<String>,
    pub step: f64,
    /// By which power of the step its errors fall.
    pub order: i32,
}

/// Warnings of a run that are kept.
const MAX_WARNINGS: usize = 20;

impl Stats {
    /// Keeps a warning, once for each place of the model, and not without end.
    pub fn warn(&mut self, warning: Warning) {
        let known = |k: &Warning| k.span == warning.span && !warning.span.is_none();
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.iter().any(known) {
            self.warnings.push(warning);
        }
    }
}

/// Something to tell the user that does not stop the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    pub time: f64,
    pub message: String,
    pub span: ferrica_ir::Span,
}

impl Warning {
    /// Of the run, not of a place in the model.
    pub fn of_run(time: f64, message: String) -> Warning {
        let span = ferrica_ir::Span::NONE;
        Warning {
            time,
            message,
            span,
        }
    }
}

/// Why a run failed. What was computed until `time` has been given to the sink.
#[derive(Clone, Debug)]
pub struct SimError {
    pub code: &'static str,
    pub time: f64,
    pub failure: Failure,
    pub hint: Option<String>,
    pub stats: Box<Stats>,
}

/// Advice for linear equations in conflict.
const DEPENDENT: &str =
    "the equations above depend on each other: replace one by an equation that says something new";

/// Advice for what is refused without a word of the user.
const EXTERNAL: &str = "add --allow-external if you trust what the libraries do";

/// What helps whatever the run was doing.
fn advice(failure: &Failure) -> Option<&'static str> {
    if failure.contradiction {
        Some(DEPENDENT)
    } else if failure.message.contains("only with --allow-external")
        || failure.message.contains("only done with --allow-external")
    {
        Some(EXTERNAL)
    } else {
        None
    }
}

impl SimError {
    pub fn new(code: &'static str, time: f64, failure: Failure) -> SimError {
        SimError {
            code: failure.cause.code().unwrap_or(code),
            time,
            hint: advice(&failure).map(str::to_string),
            failure,
            stats: Box::default(),
        }
    }

    /// Of a diagnostic that came up at `time`.
    pub fn of(time: f64, d: Diagnostic) -> SimError {
        let mut failure = Failure::new(d.message);
        failure.span = d.span;
        let mut e = SimError::new(d.code, time, failure);
        e.hint = d.hint;
        e
    }

    /// The sink has refused a row.
    pub fn unwritten(time: f64, e: &std::io::Error) -> SimError {
        let text = format!("the results cannot be written: {e}");
        SimError::new("E0701", time, Failure::new(text))
    }

    /// Somebody wants no more of it.
    pub fn interrupted(time: f64) -> SimError {
        let text = format!(
            "interrupted at time {}; the results up to there are kept",
            brief(time)
        );
        SimError::new("E0609", time, Failure::new(text))
    }

    pub fn diagnostic(&self) -> Diagnostic {
        let mut d = Diagnostic::error(self.code, self.failure.span, self.failure.to_string());
        d.hint = self.hint.clone();
        d
    }
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.failure)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  help: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SimError {}

//! A compiled model and an experiment to a trajectory on a fixed grid.
//!
//! Shaped as `ferrica_sim::simulate`: the same experiment, sink, statistics and errors.

use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::{CompileOptions, CompiledModel, Failure, Form};
use ferrica_ir::Diagnostic;
use ferrica_sim::{Experiment, SimError, Sink, Stats, start};

use crate::grid::Grid;
use crate::march::March;
use crate::method::RtOptions;
use crate::pace::Timing;

/// Work of a run, with what only a fixed-step run has.
#[derive(Clone, Debug, Default)]
pub struct RtRun {
    pub stats: Stats,
    /// `constant`, `constant between events` or `variable`.
    pub tangent: &'static str,
    /// Unknowns of the system that is solved in each iteration.
    pub iterated: usize,
    /// Unknowns that a step determines, and entries of the factors of what is eliminated.
    pub unknowns: usize,
    pub factor_entries: usize,
    /// Solutions for which the fixed pivots of straight-line code would not do.
    pub pivot_searches: u64,
    /// Steps whose last Newton correction was still large, and the first of them.
    pub unconverged_steps: u64,
    pub first_unconverged: Option<f64>,
    /// Largest last correction of an unknown that others depend on, in parts of max(1, |unknown|).
    pub largest_correction: f64,
    /// Events cut short by their bound.
    pub unsettled_events: u64,
    /// Events of conditions that have acted at a grid point behind them.
    pub late_events: u64,
    /// Events that have left a motion which dies away within a step.
    pub layers: u64,
    /// Processor time of the steps in seconds.
    pub processor_seconds: f64,
    /// What the clock said, if the run was paced by it.
    pub timing: Option<Timing>,
    pub stages: StageTimes,
    /// ‖Φ̇‖ at the end of the last step and its largest value, if it was watched.
    pub constraint_rate: Option<(f64, f64)>,
}

/// Seconds of the stages of all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Residuals of the equations.
    pub residuals: f64,
    /// Partial derivatives.
    pub tangent: f64,
    /// Factorization and substitution.
    pub linear: f64,
    pub projection: f64,
    /// Everything in steps.
    pub all: f64,
}

impl RtRun {
    /// What a user should know, in a few lines.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} steps, tangent {}, {} factorizations; largest last correction {:.1e}",
            self.stats.steps, self.tangent, self.stats.factorizations, self.largest_correction
        )];
        lines.push(format!(
            "{} unknowns a step, {} of them iterated; {} entries in the factors of the others",
            self.unknowns, self.iterated, self.factor_entries
        ));
        if let Some(t) = &self.timing {
            lines.extend(t.summary());
        }
        if let Some((last, largest)) = self.constraint_rate {
            lines.push(format!(
                "norm of the differentiated constraints: {last:.3e} at the end, at most {largest:.3e}"
            ));
        }
        lines
    }
}

impl Timing {
    /// What the clock and the peers said, in a few lines.
    pub fn summary(&self) -> Vec<String> {
        let us = |s: f64| s * 1e6;
        let line = |name: &str, h: &crate::latency::Histogram| {
            format!(
                "{name} in µs: min {:.1}, median {:.1}, p99 {:.1}, p99.9 {:.1}, max {:.1}",
                us(h.min()),
                us(h.percentile(0.5)),
                us(h.percentile(0.99)),
                us(h.percentile(0.999)),
                us(h.max())
            )
        };
        let mut lines = vec![
            line("work of a step", &self.work),
            line("response", &self.response),
        ];
        lines.push(format!(
            "{} deadlines missed; longest step {:.1} µs, to time {}; memory {}, priority {}",
            self.deadline_misses,
            us(self.longest.0),
            ferrica_ir::print::brief(self.longest.1),
            if self.memory_locked {
                "locked"
            } else {
                "not locked"
            },
            if self.real_time_priority {
                "real-time"
            } else {
                "ordinary"
            }
        ));
        if let Some(x) = &self.traffic {
            lines.push(format!(
                "datagrams: {} received, {} sent, {} missing, {} late, {} rejected, {} unsent, {} restarts",
                x.received, x.sent, x.missing, x.late, x.rejected, x.unsent, x.restarts
            ));
        }
        lines
    }

    /// The clock in one line.
    pub fn headline(&self) -> String {
        let us = |s: f64| s * 1e6;
        let mut line = format!(
            "{}, response 99.9 % {:.1} µs, worst {:.1} µs",
            match self.deadline_misses {
                0 => "no deadline missed".to_string(),
                n => format!(
                    "{} missed",
                    ferrica_ir::print::counted(n as usize, "deadline")
                ),
            },
            us(self.response.percentile(0.999)),
            us(self.response.max())
        );
        if let Some(x) = &self.traffic {
            line += &format!(
                "; datagrams: {} received, {} missing, {} sent",
                x.received, x.missing, x.sent
            );
        }
        line
    }

    /// What did not arrive or was not taken, in a sentence; nothing if all was well.
    pub fn lost(&self) -> Option<String> {
        let x = self.traffic.as_ref()?;
        if self.listens && x.received == 0 && x.rejected == 0 {
            return Some("no datagram has come: the inputs had their start values".to_string());
        }
        let parts = [
            (
                x.rejected,
                "rejected (of another form, or with values that an input cannot have)",
            ),
            (x.late, "late"),
            (x.unsent, "not sent"),
        ];
        let told = parts.iter().filter(|(count, _)| *count > 0);
        let mut told: Vec<String> = told
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if x.restarts > 0 {
            let times = ferrica_ir::print::counted(x.restarts as usize, "time");
            told.push(format!("{times} the peer began to count anew"));
        }
        if self.listens && x.received == 0 {
            told.push("none was taken: the inputs had their start values".to_string());
        }
        (!told.is_empty()).then(|| format!("datagrams: {}", told.join(", ")))
    }
}

/// The model with its DAE form, compiled again if it has none.
pub fn dae_form(model: &Arc<CompiledModel>) -> Result<Arc<CompiledModel>, Vec<Diagnostic>> {
    if model.dae.is_some() {
        return Ok(model.clone());
    }
    let options = CompileOptions {
        natives: model.functions.natives.clone(),
        form: Form::Dae,
        tangents: false,
    };
    ferrica_codegen::compile((*model.source).clone(), &options).map(Arc::new)
}

/// Told at output points on the grid: the time, ‖Φ̇‖, and the derivatives of all unknowns of the DAE form.
pub type Watch<'a> = &'a mut dyn FnMut(f64, f64, &[f64]);

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &RtOptions,
    sink: &mut dyn Sink,
) -> Result<RtRun, SimError> {
    simulate_watched(model, experiment, options, sink, None)
}

/// The same with an eye on the differentiated constraints, if the options ask for it.
pub fn simulate_watched<'a>(
    model: &Arc<CompiledModel>,
    experiment: &'a Experiment,
    options: &'a RtOptions,
    sink: &mut dyn Sink,
    watch: Option<Watch<'a>>,
) -> Result<RtRun, SimError> {
    let clock = Instant::now();
    let at = experiment.start;
    let grid = check(experiment, options)?;
    let model = dae_form(model).map_err(|errors| match errors.into_iter().next() {
        Some(d) => {
            let mut failure = Failure::new(format!(
                "the real-time solvers need the DAE form of the model: {}",
                d.message
            ));
            failure.span = d.span;
            SimError::new("E0706", at, failure)
        }
        None => SimError::new("E0706", at, Failure::new("the model has no DAE form")),
    })?;
    let started = start(&model, experiment)?;
    let ended = started.terminated.clone();
    let mut march = March::new(model, experiment, options, grid, started.problem)?;
    march.watch = watch;
    march.warn(started.warnings);
    let done = match ended {
        Some(message) => {
            march.run.stats.terminated = Some(message);
            march.row(sink).and_then(|()| march.terminal_event(sink))
        }
        None => march.begin_and_march(sink, clock),
    };
    march.finish_stats();
    let done = done.and(march.write_rows(sink));
    match done {
        Ok(()) => Ok(march.run),
        Err(mut e) => {
            e.stats = Box::new(march.run.stats);
            Err(e)
        }
    }
}

pub(crate) fn check(experiment: &Experiment, options: &RtOptions) -> Result<Grid, SimError> {
    let (begin, stop) = (experiment.start, experiment.stop);
    let wrong = |code, failure| SimError::new(code, begin, failure);
    experiment.check_times()?;
    if options.iterations == 0 {
        let text = "zero Newton iterations a step are not possible: at least one is needed";
        return Err(wrong("E0705", Failure::new(text)));
    }
    let step = experiment.step.unwrap_or(experiment.interval);
    Grid::new(begin, stop, step).map_err(|f| wrong("E0704", f))
}

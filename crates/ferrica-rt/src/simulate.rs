//! A compiled model and an experiment to a trajectory on a fixed grid.
//!
//! Shaped as `ferrica_sim::simulate`: the same experiment, sink, statistics and errors. Each grid point:
//! one step of the formula, rows, then events if a relation changed or a known time has come. Output
//! points between grid points are interpolated linearly.

use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::layout::Layout;
use ferrica_codegen::model::EquationRef;
use ferrica_codegen::{CompileOptions, CompiledModel, Failure, Form};
use ferrica_ir::Diagnostic;
use ferrica_sim::{
    Checked, DELAY_NODES, Experiment, Forced, Problem, SimError, Sink, Stats, TimeEvents, Warning,
    check_assertions, holds, iterate_within, reselect, start,
};
use ferrica_solvers::linear::Singular;
use ferrica_solvers::system::DaeSystem;

use crate::grid::Grid;
use crate::method::{BdfStart, Method, RtOptions};
use crate::ode::{Differentiated, FactorError, components};
use crate::projection::Projection;
use crate::tangent::{Dependence, Tangent, TangentError};

/// Warnings that are kept.
const MAX_WARNINGS: usize = 20;
/// A step whose last Newton correction is larger than this part of an unknown has not converged.
const CONVERGED: f64 = 1e-4;
/// An event that moves unknowns and derivatives by no more than this part does not end the history.
const UNMOVED: f64 = 1e-6;
/// Half the distance over which a constraint is differenced in time, in steps.
const TIME_DIFFERENCE: f64 = 1e-2;

/// Work of a run, with what only a fixed-step run has.
#[derive(Clone, Debug, Default)]
pub struct RtRun {
    pub stats: Stats,
    /// `constant`, `constant between events` or `variable`.
    pub tangent: &'static str,
    /// Steps whose last Newton correction was still large, and the first of them.
    pub unconverged_steps: u64,
    pub first_unconverged: Option<f64>,
    /// Largest last correction, in parts of max(1, |unknown|).
    pub largest_correction: f64,
    /// Events cut short by their bound.
    pub unsettled_events: u64,
    /// ‖Φ̇‖ at the end of the last step and its largest value, if it was watched.
    pub constraint_rate: Option<(f64, f64)>,
}

impl RtRun {
    /// What a user should know, in a few lines.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} steps, tangent {}, {} factorizations; largest last correction {:.1e}",
            self.stats.steps, self.tangent, self.stats.factorizations, self.largest_correction
        )];
        if let Some((last, largest)) = self.constraint_rate {
            lines.push(format!(
                "norm of the differentiated constraints: {last:.3e} at the end, at most {largest:.3e}"
            ));
        }
        lines
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
    };
    ferrica_codegen::compile((*model.source).clone(), &options).map(Arc::new)
}

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &RtOptions,
    sink: &mut dyn Sink,
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
    march.warn(started.warnings);
    let done = match ended {
        Some(message) => {
            march.run.stats.terminated = Some(message);
            march.row(sink)
        }
        None => march.begin_and_march(sink, clock),
    };
    march.finish_stats();
    match done {
        Ok(()) => Ok(march.run),
        Err(mut e) => {
            e.stats = Box::new(march.run.stats);
            Err(e)
        }
    }
}

fn check(experiment: &Experiment, options: &RtOptions) -> Result<Grid, SimError> {
    let (begin, stop) = (experiment.start, experiment.stop);
    let wrong = |code, failure| SimError::new(code, begin, failure);
    if stop < begin || !begin.is_finite() || !stop.is_finite() {
        let text = format!("the stop time {stop} is before the start time {begin}");
        return Err(wrong("E0702", Failure::new(text)));
    }
    if options.iterations == 0 {
        let text = "zero Newton iterations a step are not possible: at least one is needed";
        return Err(wrong("E0705", Failure::new(text)));
    }
    let step = experiment.step.unwrap_or(experiment.interval);
    Grid::new(begin, stop, step).map_err(|f| wrong("E0704", f))
}

struct March<'a> {
    model: Arc<CompiledModel>,
    experiment: &'a Experiment,
    options: &'a RtOptions,
    grid: Grid,
    p: Problem,
    times: TimeEvents,
    run: RtRun,
    tangent: Tangent,
    projection: Option<Projection>,
    ode: Option<Differentiated>,
    y: Vec<f64>,
    /// Derivatives of all unknowns by the formula; those of states enter the equations.
    rates: Vec<f64>,
    /// Values of the steps before, newest first, and the last derivatives.
    past: Vec<Vec<f64>>,
    past_rates: Vec<f64>,
    known: Vec<f64>,
    delta: Vec<f64>,
    work: Vec<f64>,
    time_part: Vec<f64>,
    /// Steps of the trapezoidal rule left before a multistep formula has its past.
    start_up: usize,
    next_output: u64,
    /// Sources of delayed signals at the last grid point.
    sources: Vec<f64>,
    now: f64,
}

impl<'a> March<'a> {
    fn new(
        model: Arc<CompiledModel>,
        experiment: &'a Experiment,
        options: &'a RtOptions,
        grid: Grid,
        mut p: Problem,
    ) -> Result<March<'a>, SimError> {
        let at = experiment.start;
        let fail = |e| SimError::new("E0505", at, e);
        let Some(dae) = &model.dae else {
            return Err(SimError::new(
                "E0706",
                at,
                Failure::new("the model has no DAE form"),
            ));
        };
        let mut times = TimeEvents::new(&mut p.ev, at).map_err(fail)?;
        times.take_due(at);
        times.predict(&mut p.ev).map_err(fail)?;
        let tangent = Tangent::new(&model, dae, options.always_factor);
        let projected = options.method == Method::Trapezoid
            || (options.watch_constraints && options.method != Method::Ode);
        let projection = projected.then(|| Projection::new(dae));
        let ode = (options.method == Method::Ode).then(|| Differentiated::new(dae));
        let n = dae.unknowns.len();
        let stats = Stats {
            solver: options.method.name().to_string(),
            form: "dae",
            states: model.layout.n_states,
            equations: model.source.equations.len(),
            end_time: at,
            ..Stats::default()
        };
        let run = RtRun {
            stats,
            tangent: tangent.dependence.word(),
            ..RtRun::default()
        };
        let constraints = projection.as_ref().map_or(0, |p| p.constraints.len());
        Ok(March {
            experiment,
            options,
            grid,
            times,
            run,
            tangent,
            ode,
            y: Vec::with_capacity(n),
            rates: Vec::with_capacity(n),
            past: vec![vec![0.0; n]; options.method.depth()],
            past_rates: vec![0.0; n],
            known: vec![0.0; n],
            delta: vec![0.0; n],
            work: vec![0.0; n],
            time_part: vec![0.0; constraints],
            projection,
            start_up: 0,
            next_output: 1,
            sources: Vec::new(),
            now: at,
            model,
            p,
        })
    }

    fn finish_stats(&mut self) {
        let stats = &mut self.run.stats;
        let extra = self.projection.as_ref().map_or(0, |p| p.factorizations)
            + self.ode.as_ref().map_or(0, |o| o.factorizations);
        stats.jacobians = self.tangent.evaluations;
        stats.factorizations = self.tangent.factorizations + extra;
        stats.end_time = self.now;
    }

    fn fail(&self, code: &'static str, failure: Failure) -> SimError {
        SimError::new(code, self.now, failure)
    }

    fn warn(&mut self, warnings: Vec<Warning>) {
        let kept = &mut self.run.stats.warnings;
        for w in warnings {
            let known = kept.iter().any(|k| k.span == w.span && !w.span.is_none());
            if !known && kept.len() < MAX_WARNINGS {
                kept.push(w);
            }
        }
    }

    fn row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let clock = Instant::now();
        let time = self.p.ev.time();
        let done = sink.row(time, &self.p.ev.slots);
        self.run.stats.output_seconds += clock.elapsed().as_secs_f64();
        done.map_err(|e| {
            let text = format!("the results cannot be written: {e}");
            self.fail("E0701", Failure::new(text))
        })
    }

    fn begin_and_march(&mut self, sink: &mut dyn Sink, clock: Instant) -> Result<(), SimError> {
        self.begin_history(true)?;
        self.first_delay_sources()?;
        self.run.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        let done = self.steps(sink);
        self.run.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        if self.run.unconverged_steps > 0 {
            let message = format!(
                "{} of {} steps had not converged after {} Newton iterations, the first at time {}: try more iterations or a smaller step",
                self.run.unconverged_steps,
                self.run.stats.steps,
                self.options.iterations,
                self.run.first_unconverged.unwrap_or(self.now)
            );
            self.warn(vec![Warning {
                time: self.now,
                message,
                span: ferrica_ir::Span::NONE,
            }]);
        }
        done
    }

    fn steps(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        for k in 1..=self.grid.steps {
            let t = self.grid.time(k);
            self.step(t)?;
            self.run.stats.steps += 1;
            let last = self.now;
            if t > self.grid.stop && !self.grid.same(t, self.grid.stop) {
                // The stop time lies inside of this step.
                self.output_between(last, self.grid.stop, t, sink)?;
                self.interpolate(last, t, self.grid.stop);
                self.now = self.grid.stop;
                self.row(sink)?;
                break;
            }
            self.output_between(last, t, t, sink)?;
            self.now = t;
            self.push_delays(last, t)?;
            if self.at_grid_point(k == self.grid.steps, sink)? {
                return Ok(());
            }
            sink.progress(t);
            if sink.interrupted() {
                let text = format!("interrupted at time {t}; the results up to there are kept");
                return Err(self.fail("E0609", Failure::new(text)));
            }
        }
        let model = self.model.clone();
        let terminal = |rows: &[u32]| rows.contains(&Layout::TERMINAL);
        if terminal(&model.event_program.rows) || terminal(&model.action_program.rows) {
            self.p.ev.set(Layout::TERMINAL, 1.0);
            self.event(&Vec::new(), &[])?;
            self.row(sink)?;
        }
        Ok(())
    }

    /// Puts the present unknowns into the slots.
    fn place(&mut self) {
        self.p.place(self.now, &self.y, &self.rates);
    }

    /// A history begins at the present slots: at the start or after an event.
    fn begin_history(&mut self, first: bool) -> Result<(), SimError> {
        self.p.gather(&mut self.y, &mut self.rates);
        for past in &mut self.past {
            past.copy_from_slice(&self.y);
        }
        let depth = self.options.method.depth();
        self.start_up = match (self.options.method, self.options.start) {
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, BdfStart::Constant) if first => 0,
            // The published method takes one step more than the formula needs.
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, _) if first => depth,
            _ => depth - 1,
        };
        if self.options.method == Method::Trapezoid {
            let c = self.options.method.leading(self.grid.step);
            self.tangent_values(self.now, c)?;
            self.project(self.now)?;
            self.place();
        }
        Ok(())
    }

    /// One step of the grid, to `t`.
    fn step(&mut self, t: f64) -> Result<(), SimError> {
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.y);
        self.past_rates.copy_from_slice(&self.rates);
        if self.options.method == Method::Ode {
            return self.explicit_step(t);
        }
        let method = if self.start_up > 0 {
            self.start_up -= 1;
            Method::TrapezoidUnprojected
        } else {
            self.options.method
        };
        let h = self.grid.step;
        let c = method.leading(h);
        method.known_part(h, &self.past, &self.rates, &mut self.known);
        let mut correction = 0.0;
        for _ in 0..self.options.iterations {
            self.set_rates(c);
            self.residual(t)?;
            let tolerance = self.options.residual_tolerance;
            if tolerance > 0.0 && self.delta.iter().all(|r| r.abs() <= tolerance) {
                correction = 0.0;
                break;
            }
            self.tangent
                .prepare(&mut self.p, t, c, &self.y, &self.rates)
                .map_err(|e| tangent_error(&mut self.p, t, e))?;
            self.tangent.solve(&mut self.delta);
            correction = 0.0;
            for (y, d) in self.y.iter_mut().zip(&self.delta) {
                *y -= d;
                correction = f64::max(correction, d.abs() / y.abs().max(1.0));
            }
            self.run.stats.newton_iterations += 1;
        }
        self.set_rates(c);
        self.check_finite(t)?;
        if correction > CONVERGED {
            self.run.unconverged_steps += 1;
            self.run.first_unconverged.get_or_insert(t);
        }
        self.run.largest_correction = self.run.largest_correction.max(correction);
        if self.projection.is_some() {
            if self.tangent.dependence == Dependence::Continuous {
                self.tangent_values(t, c)?;
            }
            self.project(t)?;
        }
        Ok(())
    }

    fn set_rates(&mut self, c: f64) {
        for ((r, y), k) in self.rates.iter_mut().zip(&self.y).zip(&self.known) {
            *r = c * y + k;
        }
    }

    /// Residuals at `t` and the present unknowns, into `delta`.
    fn residual(&mut self, t: f64) -> Result<(), SimError> {
        self.run.stats.evaluations += 1;
        DaeSystem::residual(&mut self.p, t, &self.y, &self.rates, &mut self.delta)
            .map_err(|_| evaluation_error(&mut self.p, t))
    }

    fn check_finite(&self, t: f64) -> Result<(), SimError> {
        let Some(k) = self.y.iter().position(|v| !v.is_finite()) else {
            return Ok(());
        };
        let name = self
            .p
            .unknown_slot(k)
            .map_or("(none)", |s| self.model.var_name(s));
        let text = format!("`{name}` is {} at time {t}", self.y[k]);
        Err(SimError {
            hint: Some("a smaller step or more Newton iterations may help".to_string()),
            ..SimError::new("E0611", t, Failure::new(text))
        })
    }

    fn tangent_values(&mut self, t: f64, c: f64) -> Result<(), SimError> {
        self.tangent
            .evaluate(&mut self.p, t, c, &self.y, &self.rates)
            .map_err(|e| tangent_error(&mut self.p, t, e))?;
        if let Some(projection) = &mut self.projection {
            projection.invalidate();
        }
        Ok(())
    }

    /// Derivatives back on the tangent plane (if the method asks for it), and how far they are off.
    fn project(&mut self, t: f64) -> Result<(), SimError> {
        let apart = TIME_DIFFERENCE * self.grid.step;
        self.residual(t + apart)?;
        self.work.copy_from_slice(&self.delta);
        self.residual(t - apart)?;
        let Some(projection) = &mut self.projection else {
            return Ok(());
        };
        let span = (t + apart) - (t - apart);
        for (f, &r) in self.time_part.iter_mut().zip(&projection.constraints) {
            *f = (self.work[r as usize] - self.delta[r as usize]) / span;
        }
        if self.options.method == Method::Trapezoid {
            projection
                .project(&self.tangent.values, &self.time_part, &mut self.rates)
                .map_err(|_| {
                    let text = format!("the projection of derivatives fails at time {t}");
                    SimError {
                        hint: Some("use rt-trnp, which goes without it".to_string()),
                        ..SimError::new("E0611", t, Failure::new(text))
                    }
                })?;
        }
        let now = projection.violation(&self.tangent.values, &self.time_part, &self.rates);
        let before = self.run.constraint_rate.map_or(0.0, |r| r.1);
        self.run.constraint_rate = Some((now, before.max(now)));
        Ok(())
    }

    /// Explicit trapezoidal rule on the differentiated form.
    fn explicit_step(&mut self, t: f64) -> Result<(), SimError> {
        let h = self.grid.step;
        self.differentiated(self.now)?;
        self.past_rates.copy_from_slice(&self.rates);
        for (y, r) in self.y.iter_mut().zip(&self.rates) {
            *y += h * r;
        }
        self.check_finite(t)?;
        self.differentiated(t)?;
        for (k, y) in self.y.iter_mut().enumerate() {
            *y = self.past[0][k] + 0.5 * h * (self.past_rates[k] + self.rates[k]);
        }
        self.check_finite(t)
    }

    /// All derivatives at `t` and the present unknowns, into `rates`.
    fn differentiated(&mut self, t: f64) -> Result<(), SimError> {
        let model = self.model.clone();
        let apart = TIME_DIFFERENCE * self.grid.step;
        self.residual(t + apart)?;
        self.work.copy_from_slice(&self.delta);
        self.residual(t - apart)?;
        let span = (t + apart) - (t - apart);
        for (w, d) in self.work.iter_mut().zip(&self.delta) {
            *w = (*w - d) / span;
        }
        self.residual(t)?;
        self.tangent_values(t, 0.0)?;
        let (Some(ode), Some(dae)) = (&mut self.ode, &model.dae) else {
            return Ok(());
        };
        let slots = &self.p.ev.slots;
        ode.factor(|k| slots[dae.entries[k].1 as usize])
            .map_err(|e| match e {
                FactorError::Dependent(rows) => {
                    let names = components(&model, dae, &rows.0);
                    let text = format!(
                        "the differentiated form is rank-deficient: the differential equations of {} depend on each other",
                        names.join(" and ")
                    );
                    SimError {
                        hint: Some("use rt-tr or rt-bdf2, which solve the equations as they are".to_string()),
                        ..SimError::new("E0707", t, Failure::new(text))
                    }
                }
                FactorError::Singular(s) => singular(&model, t, s),
            })?;
        // Differential rows: Â ẏ = Â ẏ₀ − F(ẏ₀); constraints: Φ_y ẏ = −Φ_t.
        ode.multiply(&self.rates, &mut self.known);
        for r in 0..self.delta.len() {
            self.delta[r] = if ode.is_constraint(r) {
                -self.work[r]
            } else {
                self.known[r] - self.delta[r]
            };
        }
        ode.solve(&mut self.delta);
        self.rates.copy_from_slice(&self.delta);
        Ok(())
    }

    fn output_time(&self) -> f64 {
        self.grid.start + self.next_output as f64 * self.experiment.interval
    }

    fn has_output(&self) -> bool {
        self.experiment.interval > 0.0
    }

    /// Rows at output points after `begin` and before `until`, in the step that ends at `end`.
    fn output_between(
        &mut self,
        begin: f64,
        until: f64,
        end: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SimError> {
        while self.has_output() {
            let t = self.output_time();
            if t >= until || self.grid.same(t, until) {
                break;
            }
            if t > begin {
                self.interpolate(begin, end, t);
                self.row(sink)?;
            }
            self.next_output += 1;
        }
        Ok(())
    }

    /// A point inside of the last step into the slots.
    fn interpolate(&mut self, begin: f64, end: f64, t: f64) {
        let s = (t - begin) / (end - begin);
        let between = |out: &mut [f64], a: &[f64], b: &[f64]| {
            for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
                *o = a + s * (b - a);
            }
        };
        between(&mut self.work, &self.past[0], &self.y);
        between(&mut self.known, &self.past_rates, &self.rates);
        self.p.place(t, &self.work, &self.known);
    }

    /// Row, assertions and events at the present grid point; true if `terminate` ended the run.
    fn at_grid_point(&mut self, last: bool, sink: &mut dyn Sink) -> Result<bool, SimError> {
        let model = self.model.clone();
        self.place();
        let t = self.now;
        let at_output = self.has_output() && self.grid.same(self.output_time(), t);
        if at_output {
            self.next_output += 1;
        }
        if at_output || last {
            self.row(sink)?;
        }
        let (samplers, due) = self.times.take_due(t);
        let forced: Forced = due
            .iter()
            .map(|&k| (k, self.p.ev.get(model.relations[k].memory) == 0.0))
            .collect();
        let known = !samplers.is_empty() || !forced.is_empty();
        let crossed = self.relation_changed()?;
        let reselected = !model.dynamic_states.is_empty()
            && reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?;
        if !known && !crossed && !reselected {
            let mut warnings = Vec::new();
            check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)?;
            self.warn(warnings);
            return Ok(false);
        }
        if crossed {
            self.run.stats.state_events += 1;
        } else if known {
            self.run.stats.time_events += 1;
        }
        if !(at_output || last) {
            self.row(sink)?;
        }
        let ended = self.event(&forced, &samplers)?;
        self.row(sink)?;
        if ended {
            return Ok(true);
        }
        if reselected || self.moved() {
            self.begin_history(false)?;
        }
        self.first_delay_sources()?;
        Ok(false)
    }

    fn relation_changed(&mut self) -> Result<bool, SimError> {
        if self.model.relations.is_empty() {
            return Ok(false);
        }
        let model = self.model.clone();
        self.p
            .ev
            .run(&model.relation_program)
            .map_err(|e| self.fail("E0605", e))?;
        Ok(model.relations.iter().any(|r| {
            let now = holds(r.op, self.p.ev.get(r.lhs), self.p.ev.get(r.rhs));
            now != (self.p.ev.get(r.memory) != 0.0)
        }))
    }

    /// The event iteration within its bound; true if `terminate` ended the run.
    fn event(&mut self, forced: &Forced, samplers: &[usize]) -> Result<bool, SimError> {
        let band = 10.0 * self.experiment.tolerance;
        let bound = self.options.event_passes;
        let result = iterate_within(&mut self.p, forced, samplers, band, bound)?;
        self.run.unsettled_events += u64::from(result.unsettled);
        self.warn(result.warnings);
        self.tangent.after_event();
        if self.tangent.dependence > Dependence::Parameters
            && let Some(projection) = &mut self.projection
        {
            projection.invalidate();
        }
        if let Some(message) = result.terminate {
            self.run.stats.terminated = Some(message);
            return Ok(true);
        }
        self.times
            .predict(&mut self.p.ev)
            .map_err(|e| self.fail("E0605", e))?;
        Ok(false)
    }

    /// Did the event move states or derivatives, so that the past is no longer of one piece?
    fn moved(&mut self) -> bool {
        self.p.gather(&mut self.work, &mut self.known);
        let n = self.model.layout.n_states;
        let differs = |a: &[f64], b: &[f64]| {
            a.iter()
                .zip(b)
                .any(|(a, b)| (a - b).abs() > UNMOVED * a.abs().max(b.abs()).max(1.0))
        };
        differs(&self.work, &self.y) || differs(&self.known[..n], &self.rates[..n])
    }

    /// Sources of delayed signals at the present point.
    fn first_delay_sources(&mut self) -> Result<(), SimError> {
        if self.p.delays.is_empty() {
            return Ok(());
        }
        let done = self.p.apply_delays();
        done.and_then(|()| self.p.run_delay_sources())
            .map_err(|e| self.fail("E0605", e))?;
        self.p.delays.sources(&self.p.ev, &mut self.sources);
        Ok(())
    }

    fn push_delays(&mut self, begin: f64, end: f64) -> Result<(), SimError> {
        if self.p.delays.is_empty() {
            return Ok(());
        }
        self.place();
        let before = std::mem::take(&mut self.sources);
        self.first_delay_sources()?;
        let values: Vec<[f64; DELAY_NODES]> = before
            .iter()
            .zip(&self.sources)
            .map(|(a, b)| {
                let part = |k: usize| k as f64 / (DELAY_NODES - 1) as f64;
                std::array::from_fn(|k| a + part(k) * (b - a))
            })
            .collect();
        self.p.delays.push_step(&self.p.ev, begin, end, &values);
        Ok(())
    }
}

fn evaluation_error(p: &mut Problem, t: f64) -> SimError {
    let failure = p
        .failure
        .take()
        .unwrap_or_else(|| Failure::new(format!("evaluation failed at time {t}")));
    SimError::new("E0611", t, failure)
}

fn singular(model: &CompiledModel, t: f64, cause: Singular) -> SimError {
    let mut text = format!("the equations become singular at time {t}");
    if let Some(dae) = &model.dae {
        if let Some(&slot) = dae.unknowns.get(cause.col) {
            text = format!("{text}: `{}` is not determined", model.var_name(slot));
        }
        if let Some(&index) = dae.equations.get(cause.row) {
            let at = EquationRef {
                initial: false,
                index,
            };
            text = format!(
                "{text}; the equation left for it: {}",
                model.equation_text(at)
            );
        }
    }
    SimError::new("E0611", t, Failure::new(text))
}

fn tangent_error(p: &mut Problem, t: f64, e: TangentError) -> SimError {
    match e {
        TangentError::Evaluation(_) => evaluation_error(p, t),
        TangentError::Singular(cause) => singular(&p.ev.model.clone(), t, cause),
        TangentError::NotFinite => {
            let text = format!("a partial derivative of the equations is not finite at time {t}");
            SimError::new("E0611", t, Failure::new(text))
        }
    }
}

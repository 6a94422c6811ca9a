//! The march through time: steps, output points, events.
//!
//! Between events an integrator advances; it never steps over a known event time. Output points come
//! from its dense output. At an event there are two rows, before and after.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_solvers::auto::Auto;
use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::fixed_step::FixedStep;
use ferrica_solvers::integrator::{Integrator, Options, SolverError, Statistics, StepOutcome};
use ferrica_solvers::radau::{RadauDae, RadauOde};

use crate::delay::NODES;
use crate::dynamic_states::{first_selection, reselect};
use crate::error::{SimError, Stats, Warning};
use crate::events::{Checked, Forced, Width, check_assertions, iterate, relation_text, set_sides};
use crate::experiment::{Experiment, SolverKind};
use crate::initialize::{initialize, initialize_at};
use crate::origin::first_non_finite;
use crate::problem::Problem;
use crate::results::Sink;
use crate::time_events::{TimeEvents, same_time};

/// With state events, a step spans at most this many output intervals: conditions may follow a source
/// that is faster than the states, and a step over several of its periods would miss all of them.
const EVENT_STEP_INTERVALS: f64 = 5.0;

/// Hysteresis of a crossing in parts of the size of its two sides.
const HYSTERESIS: f64 = 1e-11;
/// Its least value in parts of the tolerance: noise of the solution around zero is no event.
const HYSTERESIS_OF_TOLERANCE: f64 = 1e-5;
/// So many state events within [`CHATTER_SPAN`] of the experiment are chattering.
const CHATTER_EVENTS: usize = 60;
/// … if one condition has at least this part of them: many conditions may change at one time.
const CHATTER_PART: usize = 4;
const CHATTER_SPAN: f64 = 1e-6;
/// Hysteresis with which a chattering condition slides; if it chatters still, the run stops.
const SLIDING_WIDTH: f64 = 1e-4;
/// Steps after which `auto` looks whether events keep an explicit method from noticing stiffness.
const BUSY_STEPS: u64 = 100;
/// Same warnings are told so many times.
const MAX_WARNINGS: usize = 20;

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    sink: &mut dyn Sink,
) -> Result<Stats, SimError> {
    let mut run = Run::new(model, experiment);
    match run.march(sink) {
        Ok(()) => {
            run.finish_stats();
            Ok(run.stats)
        }
        Err(mut e) => {
            run.finish_stats();
            e.failure.details.extend(first_non_finite(&run.p.ev));
            e.stats = Box::new(run.stats);
            Err(e)
        }
    }
}

struct Run<'a> {
    model: Arc<CompiledModel>,
    experiment: &'a Experiment,
    p: Problem,
    integrator: Box<dyn Integrator<Problem>>,
    time_events: TimeEvents,
    stats: Stats,
    output: Program,
    next_output: u64,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Of each crossing: size of its sides so far, relative hysteresis.
    scales: Vec<f64>,
    widths: Vec<Width>,
    recent: VecDeque<(f64, usize)>,
    uses_terminal: bool,
    /// Work of integrators that were replaced.
    earlier: Vec<Statistics>,
}

fn integrator(kind: SolverKind, dae: bool, options: Options) -> Box<dyn Integrator<Problem>> {
    match (kind, dae) {
        (SolverKind::Auto | SolverKind::Bdf, true) => Box::new(BdfDae::new(options)),
        (SolverKind::Radau, true) => Box::new(RadauDae::new(options)),
        (SolverKind::Auto, false) => Box::new(Auto::new(options)),
        (SolverKind::Bdf, false) => Box::new(BdfOde::new(options)),
        (SolverKind::Radau, false) => Box::new(RadauOde::new(options)),
        (SolverKind::Dopri5, _) => Box::new(Dopri5::new(options)),
        (SolverKind::Rk4, _) => Box::new(FixedStep::runge_kutta4(options)),
        (SolverKind::Euler, _) => Box::new(FixedStep::euler(options)),
    }
}

impl<'a> Run<'a> {
    fn new(model: &Arc<CompiledModel>, experiment: &'a Experiment) -> Run<'a> {
        let mut p = Problem::new(Evaluator::new(model.clone()));
        let explicit = matches!(
            experiment.solver,
            SolverKind::Dopri5 | SolverKind::Rk4 | SolverKind::Euler
        );
        // The causal program serves explicit methods whatever form was compiled.
        if explicit {
            p.use_ode_form();
        }
        p.delays.follow_jumps(experiment.tolerance);
        let crossings = p.crossings.len();
        let width = Width {
            relative: HYSTERESIS,
            absolute: HYSTERESIS_OF_TOLERANCE * experiment.tolerance,
        };
        let output = match &experiment.wanted {
            Some(wanted) => model.schedule(wanted),
            None => model.continuous_program.clone(),
        };
        let stats = Stats {
            solver: experiment.solver.name().to_string(),
            form: if p.dae { "dae" } else { "ode" },
            states: model.layout.n_states,
            equations: model.source.equations.len(),
            ..Stats::default()
        };
        let uses_terminal = model
            .event_program
            .rows
            .iter()
            .chain(&model.action_program.rows)
            .any(|&s| s == Layout::TERMINAL);
        let integrator = integrator(experiment.solver, p.dae, Options::new(1e-6, 1e-6));
        Run {
            model: model.clone(),
            experiment,
            p,
            integrator,
            time_events: TimeEvents::default(),
            stats,
            output,
            next_output: 1,
            y: Vec::new(),
            yp: Vec::new(),
            scales: vec![0.0; crossings],
            widths: vec![width; crossings],
            recent: VecDeque::new(),
            uses_terminal,
            earlier: Vec::new(),
        }
    }

    fn finish_stats(&mut self) {
        let stats = &mut self.stats;
        let all = self.earlier.iter().chain([self.integrator.statistics()]);
        for s in all {
            stats.steps += s.steps;
            stats.rejected_steps += s.error_failures + s.convergence_failures;
            stats.evaluations += s.evaluations;
            stats.jacobians += s.jacobians;
            stats.factorizations += s.factorizations;
            stats.newton_iterations += s.newton_iterations;
        }
        stats.newton_iterations += self.p.ev.counters.newton_iterations;
        stats.end_time = self.p.ev.time();
    }

    fn warn(&mut self, warnings: Vec<Warning>) {
        for w in warnings {
            let known = self
                .stats
                .warnings
                .iter()
                .any(|k| k.span == w.span && !w.span.is_none());
            if !known && self.stats.warnings.len() < MAX_WARNINGS {
                self.stats.warnings.push(w);
            }
        }
    }

    fn fail(&self, code: &'static str, failure: Failure) -> SimError {
        SimError::new(code, self.p.ev.time(), failure)
    }

    fn row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let time = self.p.ev.time();
        sink.row(time, &self.p.ev.slots).map_err(|e| {
            self.fail(
                "E0701",
                Failure::new(format!("the results cannot be written: {e}")),
            )
        })
    }

    fn march(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let clock = Instant::now();
        let (start, stop) = (self.experiment.start, self.experiment.stop);
        if stop < start || !start.is_finite() || !stop.is_finite() {
            let text = format!("the stop time {stop} is before the start time {start}");
            return Err(self.fail("E0702", Failure::new(text)));
        }
        self.p.ev.set_time(start);
        first_selection(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?;
        if let Some(snapshot) = &self.experiment.from {
            initialize_at(&mut self.p, self.experiment, snapshot.origin)?;
            snapshot.restore(&mut self.p);
            return self.go_on(clock, sink);
        }
        initialize(&mut self.p, self.experiment)?;
        self.time_events =
            TimeEvents::new(&mut self.p.ev, start).map_err(|e| self.fail("E0505", e))?;
        if reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))? {
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0504", e))?;
        }
        let (samplers, _) = self.time_events.take_due(start);
        let ended = self.event(&Vec::new(), &samplers)?;
        self.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        let done = if ended { Ok(()) } else { self.integrate(sink) };
        self.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        done
    }

    /// Another stage of a run: the event at its beginning has been settled at the end of the last one.
    fn go_on(&mut self, clock: Instant, sink: &mut dyn Sink) -> Result<(), SimError> {
        let start = self.experiment.start;
        let ev = &mut self.p.ev;
        let times = TimeEvents::new(ev, start).and_then(|mut times| {
            times.take_due(start);
            times.predict(ev)?;
            Ok(times)
        });
        self.time_events = times.map_err(|e| self.fail("E0505", e))?;
        self.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        let done = self.integrate(sink);
        self.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        done
    }

    fn options(&self) -> Options {
        let model = &self.model;
        let nominal: Vec<f64> = (0..self.p.size())
            .map(|i| {
                self.p
                    .unknown_slot(i)
                    .and_then(|s| model.variable(s))
                    .and_then(|v| model.source.vars[v].var.nominal)
                    .and_then(|e| model.source.exprs.as_f64(e))
                    .filter(|n| *n != 0.0 && n.is_finite())
                    .map_or(1.0, f64::abs)
            })
            .collect();
        let mut options = Options::with_nominal(self.experiment.tolerance, &nominal);
        options.h_fixed = self.experiment.step.unwrap_or(self.experiment.interval);
        options.h_max = self.step_limit();
        options
    }

    fn step_limit(&self) -> f64 {
        let delay = self.p.delays.step_limit(&self.p.ev);
        let interval = self.experiment.interval.abs();
        let source = &self.p.ev.model.source;
        if self.p.dummy {
            delay.min(interval)
        } else if source.relations.iter().any(|r| !r.time_event) {
            delay.min(EVENT_STEP_INTERVALS * interval)
        } else {
            delay
        }
    }

    fn integrate(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let stop = self.experiment.stop;
        self.integrator = integrator(self.experiment.solver, self.p.dae, self.options());
        let mut t = self.p.ev.time();
        set_sides(&mut self.p, &mut self.scales, &self.widths);
        self.p.gather(&mut self.y, &mut self.yp);
        if let Err(e) = self.integrator.init(&mut self.p, t, &self.y, &self.yp) {
            let error = self.solver_error(e);
            self.fall_back(error, t)?;
        }
        while t < stop && !same_time(t, stop) {
            let known = self.time_events.next();
            let jump = self.p.delays.next_jump().unwrap_or(f64::INFINITY);
            let tstop = stop.min(known).min(jump);
            let outcome = match self.integrator.step(&mut self.p, tstop) {
                Ok(outcome) => outcome,
                Err(e) => {
                    let error = self.solver_error(e);
                    self.fall_back(error, t)?;
                    continue;
                }
            };
            let now = self.integrator.t();
            self.push_delays(t, now)?;
            self.output_between(t, now, sink)?;
            t = now;
            match outcome {
                StepOutcome::RootFound { .. } => {
                    if self.state_event(sink)? {
                        return Ok(());
                    }
                }
                StepOutcome::ReachedTstop if tstop < stop || same_time(known, tstop) => {
                    if self.time_event(tstop, sink)? {
                        return Ok(());
                    }
                }
                _ => self.after_step(sink)?,
            }
            sink.progress(t);
            if sink.interrupted() {
                let text = format!("interrupted at time {t}; the results up to there are kept");
                return Err(self.fail("E0609", Failure::new(text)));
            }
        }
        self.finish(sink)
    }

    /// Where the DAE form cannot go on, the causal form may: its inner iterations have other means than
    /// the integrator's. Goes on with it from the last good point, once.
    fn fall_back(&mut self, error: SimError, t: f64) -> Result<(), SimError> {
        if !self.p.dae {
            return Err(error);
        }
        if self.integrator.t() == t && self.integrator.y().len() == self.p.size() {
            let (y, yp) = (self.integrator.y().to_vec(), self.integrator.yp().to_vec());
            self.p.place(t, &y, &yp);
        } else {
            let (y, yp) = (self.y.clone(), self.yp.clone());
            self.p.place(t, &y, &yp);
        }
        self.p.use_ode_form();
        if self.p.evaluate_continuous().is_err() {
            return Err(error);
        }
        self.stats.form = "dae, then ode";
        self.earlier.push(self.integrator.statistics().clone());
        let kind = match self.experiment.solver {
            SolverKind::Auto => SolverKind::Bdf,
            kind => kind,
        };
        self.integrator = integrator(kind, false, self.options());
        set_sides(&mut self.p, &mut self.scales, &self.widths);
        self.p.gather(&mut self.y, &mut self.yp);
        self.integrator
            .init(&mut self.p, t, &self.y, &self.yp)
            .map_err(|_| error)
    }

    /// Puts the end of the last step into the slots.
    fn place_end(&mut self) -> Result<(), SimError> {
        let t = self.integrator.t();
        let (y, yp) = (self.integrator.y().to_vec(), self.integrator.yp().to_vec());
        self.p.place(t, &y, &yp);
        self.p
            .evaluate_continuous()
            .map_err(|e| self.fail("E0605", e))?;
        if self.p.dae {
            // Algebraic values as exact as the causal form has them: conditions may depend on that.
            let model = self.model.clone();
            if self.p.ev.run(&model.continuous_program).is_err() {
                self.p.place(t, &y, &yp);
                return Ok(());
            }
        }
        self.p.consistent = Some(t);
        Ok(())
    }

    fn push_delays(&mut self, begin: f64, end: f64) -> Result<(), SimError> {
        if self.p.delays.is_empty() || end <= begin {
            return Ok(());
        }
        let n = self.p.size();
        let mut values = vec![[0.0; NODES]; self.model.delays.len()];
        let mut sources = Vec::new();
        for node in 0..NODES {
            let t = begin + (end - begin) * node as f64 / (NODES - 1) as f64;
            self.interpolate(t, n);
            let done = self
                .p
                .apply_delays()
                .and_then(|()| self.p.run_delay_sources());
            done.map_err(|e| self.fail("E0605", e))?;
            self.p.delays.sources(&self.p.ev, &mut sources);
            for (v, &s) in values.iter_mut().zip(&sources) {
                v[node] = s;
            }
        }
        self.p.delays.push_step(&self.p.ev, begin, end, &values);
        if !self.p.delays.all_constant() {
            let limit = self.step_limit();
            self.integrator.set_h_max(limit);
        }
        Ok(())
    }

    /// A point of the last step into the slots.
    fn interpolate(&mut self, t: f64, n: usize) {
        self.y.resize(n, 0.0);
        self.yp.resize(n, 0.0);
        self.integrator.interpolate(t, &mut self.y);
        if self.p.dae {
            self.integrator.interpolate_derivative(t, &mut self.yp);
        }
        let (y, yp) = (std::mem::take(&mut self.y), std::mem::take(&mut self.yp));
        self.p.place(t, &y, &yp);
        (self.y, self.yp) = (y, yp);
    }

    fn output_time(&self) -> f64 {
        self.experiment.start + self.next_output as f64 * self.experiment.interval
    }

    /// Rows at the output points inside of a step.
    fn output_between(
        &mut self,
        begin: f64,
        end: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SimError> {
        if self.experiment.interval <= 0.0 || self.experiment.interval.is_nan() {
            return Ok(());
        }
        let clock = Instant::now();
        let n = self.p.size();
        loop {
            let t = self.output_time();
            if t >= end || same_time(t, end) {
                break;
            }
            if t > begin {
                self.interpolate(t, n);
                self.evaluate_output()?;
                self.row(sink)?;
            }
            self.next_output += 1;
        }
        self.stats.output_seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    fn evaluate_output(&mut self) -> Result<(), SimError> {
        let done = self.p.apply_delays().and_then(|()| {
            if self.p.dae {
                Ok(())
            } else {
                self.p.ev.run(&self.output)
            }
        });
        done.map_err(|e| self.fail("E0605", e))
    }

    /// After a step without an event: row if an output point is there, assertions, state sets.
    fn after_step(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let t = self.integrator.t();
        let at_output = self.experiment.interval > 0.0 && same_time(self.output_time(), t);
        let stopped = same_time(t, self.experiment.stop);
        let watch = !self.model.assertions.is_empty() || !self.model.dynamic_states.is_empty();
        if !(at_output || stopped || watch) {
            return Ok(());
        }
        self.place_end()?;
        if at_output {
            self.next_output += 1;
        }
        if at_output || stopped {
            self.row(sink)?;
        }
        let mut warnings = Vec::new();
        let model = self.model.clone();
        check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)?;
        self.warn(warnings);
        if !model.dynamic_states.is_empty()
            && reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?
        {
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0605", e))?;
            self.restart()?;
        }
        Ok(())
    }

    fn state_event(&mut self, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.state_events += 1;
        let hits: Vec<usize> = self
            .integrator
            .roots_found()
            .iter()
            .map(|h| h.index)
            .collect();
        self.place_end()?;
        self.row(sink)?;
        let forced: Forced = hits
            .iter()
            .map(|&k| {
                let relation = self.p.crossings[k];
                let memory = self.p.ev.get(self.model.relations[relation].memory) != 0.0;
                (relation, !memory)
            })
            .collect();
        self.watch_chatter(&hits)?;
        let (samplers, due) = self.time_events.take_due(self.p.ev.time());
        let mut forced = forced;
        forced.extend(self.due_relations(&due));
        self.after_event(&forced, &samplers, sink)
    }

    fn due_relations(&self, due: &[usize]) -> Forced {
        due.iter()
            .map(|&k| (k, self.p.ev.get(self.model.relations[k].memory) == 0.0))
            .collect()
    }

    fn time_event(&mut self, at: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.time_events += 1;
        self.place_end()?;
        self.p.ev.set_time(at);
        self.row(sink)?;
        let (samplers, due) = self.time_events.take_due(at);
        let forced = self.due_relations(&due);
        self.after_event(&forced, &samplers, sink)
    }

    fn after_event(
        &mut self,
        forced: &Forced,
        samplers: &[usize],
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        let ended = self.event(forced, samplers)?;
        self.row(sink)?;
        while self.experiment.interval > 0.0
            && (self.output_time() <= self.p.ev.time()
                || same_time(self.output_time(), self.p.ev.time()))
        {
            self.next_output += 1;
        }
        if ended {
            return Ok(true);
        }
        self.restart()?;
        Ok(false)
    }

    /// The event iteration at the present time; true if `terminate` ended the run.
    fn event(&mut self, forced: &Forced, samplers: &[usize]) -> Result<bool, SimError> {
        let band = 10.0 * self.experiment.tolerance;
        let now = self.p.ev.time();
        self.p.delays.at_event(now);
        let result = iterate(&mut self.p, forced, samplers, band)?;
        self.warn(result.warnings);
        let texts: Vec<String> = self.p.ev.rt.warnings.drain(..).collect();
        let time = self.p.ev.time();
        let span = ferrica_ir::Span::NONE;
        self.warn(
            texts
                .into_iter()
                .map(|message| Warning {
                    time,
                    message,
                    span,
                })
                .collect(),
        );
        if let Some(message) = result.terminate {
            self.stats.terminated = Some(message);
            return Ok(true);
        }
        self.time_events
            .predict(&mut self.p.ev)
            .map_err(|e| self.fail("E0605", e))?;
        Ok(false)
    }

    /// Begins a new integration at the present point.
    fn restart(&mut self) -> Result<(), SimError> {
        let t = self.p.ev.time();
        set_sides(&mut self.p, &mut self.scales, &self.widths);
        self.p.gather(&mut self.y, &mut self.yp);
        if self.is_busy_explicit() {
            self.earlier.push(self.integrator.statistics().clone());
            self.integrator = Box::new(BdfOde::new(self.options()));
            return self
                .integrator
                .init(&mut self.p, t, &self.y, &self.yp)
                .map_err(|e| self.solver_error(e));
        }
        let limit = self.step_limit();
        self.integrator.set_h_max(limit);
        self.integrator
            .reinit(&mut self.p, t, &self.y, &self.yp)
            .map_err(|e| self.solver_error(e))
    }

    /// An explicit method whose steps are so short that stiffness cannot show between events: with a
    /// condition on a fast variable every step of it ends in one.
    fn is_busy_explicit(&self) -> bool {
        let s = self.integrator.statistics();
        self.experiment.solver == SolverKind::Auto
            && !self.p.dae
            && self.earlier.is_empty()
            && s.steps >= BUSY_STEPS
            && s.error_failures > s.steps
            && self.stats.state_events * 4 > s.steps
    }

    /// Many state events at nearly one time: the condition gets a wider hysteresis, so that the solution slides
    /// along it; if that is not enough, the run stops.
    fn watch_chatter(&mut self, hits: &[usize]) -> Result<(), SimError> {
        let t = self.p.ev.time();
        for &k in hits {
            self.recent.push_back((t, k));
        }
        while self.recent.len() > CHATTER_EVENTS {
            self.recent.pop_front();
        }
        let window = CHATTER_SPAN * (self.experiment.stop - self.experiment.start);
        if self.recent.len() < CHATTER_EVENTS
            || self.recent.front().is_some_and(|f| t - f.0 > window)
        {
            return Ok(());
        }
        let mut counts = vec![0usize; self.p.crossings.len()];
        for &(_, k) in &self.recent {
            counts[k] += 1;
        }
        self.recent.clear();
        let Some(most) = (0..counts.len()).max_by_key(|&k| counts[k]) else {
            return Ok(());
        };
        if counts[most] * CHATTER_PART < CHATTER_EVENTS {
            return Ok(());
        }
        if !self.p.prefer_rest {
            // Perhaps the other way to settle the event does not chatter.
            self.p.prefer_rest = true;
            self.recent.clear();
            return Ok(());
        }
        let relation = self.p.crossings[most];
        let condition = relation_text(&self.model, relation);
        let span = self.model.source.relations[relation].span;
        if self.widths[most].relative >= SLIDING_WIDTH {
            let mut failure = Failure::new(format!(
                "chattering: the condition `{condition}` changes at every step near time {t}"
            ));
            failure.span = span;
            failure
                .details
                .push(format!("{CHATTER_EVENTS} events at nearly one time"));
            let hint = "give the condition a hysteresis, or use noEvent() where the expression is continuous";
            return Err(SimError {
                hint: Some(hint.to_string()),
                ..self.fail("E0610", failure)
            });
        }
        for (k, &count) in counts.iter().enumerate() {
            if count > 0 {
                self.widths[k] = Width {
                    relative: SLIDING_WIDTH,
                    absolute: 10.0 * self.experiment.tolerance,
                };
            }
        }
        let message = format!(
            "chattering: the solution slides along the condition `{condition}` from time {t} on"
        );
        self.warn(vec![Warning {
            time: t,
            message,
            span,
        }]);
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        if self.experiment.more {
            sink.end(&self.p.ev, &self.p.delays.save());
            return Ok(());
        }
        if self.uses_terminal {
            self.place_end()?;
            self.p.ev.set(Layout::TERMINAL, 1.0);
            self.event(&Vec::new(), &[])?;
            self.row(sink)?;
        }
        Ok(())
    }

    fn unknown_name(&self, i: usize) -> String {
        self.p.unknown_slot(i).map_or_else(
            || "(none)".to_string(),
            |s: Slot| self.model.var_name(s).to_string(),
        )
    }

    fn solver_error(&mut self, e: SolverError) -> SimError {
        let inner = self.p.failure.take();
        let last_event = match self.recent.back() {
            Some(&(t, k)) => {
                let text = relation_text(&self.model, self.p.crossings[k]);
                Some(format!("last state event: `{text}` at time {t}"))
            }
            None => None,
        };
        let (t, mut failure, hint) = match e {
            SolverError::Evaluation { t, .. } | SolverError::RepeatedEvaluation { t, .. } => {
                let failure =
                    inner.unwrap_or_else(|| Failure::new(format!("evaluation failed at time {t}")));
                (t, failure, None)
            }
            SolverError::ErrorTest { t, h, variable } => {
                let name = self.unknown_name(variable);
                let text = format!(
                    "the step size became too small ({h:e}) at time {t}: the error of `{name}` cannot be kept"
                );
                let hint = format!(
                    "`{name}` may have a pole or a discontinuity there, or its nominal value is too small"
                );
                (t, Failure::new(text), Some(hint))
            }
            SolverError::Convergence { t, h, variable } => {
                let name = self.unknown_name(variable);
                let text = format!(
                    "Newton's iteration of the integrator does not converge at time {t} (step {h:e}); `{name}` had the largest correction"
                );
                let mut failure = Failure::new(text);
                failure.details.extend(inner.map(|i| i.message));
                (t, failure, None)
            }
            SolverError::Singular { t, h, cause } => {
                let name = self.unknown_name(cause.col);
                let text = format!(
                    "the equations become singular at time {t} (step {h:e}): `{name}` is not determined"
                );
                (t, Failure::new(text), None)
            }
            SolverError::Input { t, what } => {
                let mut failure = Failure::new(format!("{what} at time {t}"));
                failure.details.extend(inner.map(|i| i.message));
                (t, failure, None)
            }
        };
        failure.details.extend(last_event);
        SimError {
            hint,
            ..SimError::new("E0611", t, failure)
        }
    }
}

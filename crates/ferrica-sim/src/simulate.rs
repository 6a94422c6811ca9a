//! The march through time: steps, output points, events.
//!
//! Between events an integrator advances; it never steps over a known event time. Output points come
//! from its dense output. At an event there are two rows, before and after.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_hybrid::{
    Accumulation, Crossings, DELAY_NODES as NODES, Due, Experiment, Forced, MAX_PASSES, Problem,
    SimError, SolverKind, Stats, TimeEvents, Warning, initialize, reselect, resolution, resume,
    same_time, set_sides, unsettled,
};
use ferrica_ir::print::brief;
use ferrica_solvers::auto::Auto;
use ferrica_solvers::bdf::BdfDae;
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::fixed_step::FixedStep;
use ferrica_solvers::integrator::{Integrator, Options, Statistics, StepOutcome};
use ferrica_solvers::radau::{RadauDae, RadauOde};
use ferrica_solvers::started::BdfStarted;

use crate::divergence::Divergence;
use crate::origin::{failing_call, first_non_finite};
use crate::output_points::OutputPoints;
use crate::progress::Progress;
use crate::results::Sink;

/// Steps at the boundary of stability that are worth a word.
const MANY_STIFF_STEPS: u64 = 1000;

/// With state events, a step spans at most this many output intervals: conditions may follow a source
/// that is faster than the states, and a step over several of its periods would miss all of them.
const EVENT_STEP_INTERVALS: f64 = 5.0;
/// Where the source's frequency is known, a step spans at most this angle of it: with a look at its middle, four
/// points a half-wave.
const EVENT_STEP_ANGLE: f64 = std::f64::consts::FRAC_PI_2;
/// The same for exponentials that switch without events: the ends of four steps show where one of them comes and goes in the last, within a thousandth
/// of the source's amplitude.
const STEEP_STEP_ANGLE: f64 = std::f64::consts::FRAC_PI_8;

/// Steps after which `auto` looks whether events keep an explicit method from noticing stiffness.
const BUSY_STEPS: u64 = 100;
/// Part of the output interval over which the speed of contents is measured.
const PROBE: f64 = 1e-3;

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    sink: &mut dyn Sink,
) -> Result<Stats, SimError> {
    let mut run = Run::new(model, Cow::Borrowed(experiment));
    match run.march(sink) {
        Ok(()) => {
            run.finish_stats();
            Ok(run.stats)
        }
        Err(mut e) => {
            run.finish_stats();
            let mut place = None;
            if let Some((line, at)) = first_non_finite(&run.p.ev) {
                e.failure.details.push(line);
                place = Some(at);
            } else if e.code == "E0605" {
                place = failing_call(&mut run.p.ev, &e.failure.message);
            }
            if let (true, Some(place)) = (e.failure.span.is_none(), place) {
                e.failure.span = place;
            }
            e.stats = Box::new(run.stats);
            Err(e)
        }
    }
}

/// Where a march through time has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    Stop,
    /// An event inside has been settled.
    Event,
    /// The model has ended the run.
    Terminated,
}

pub(crate) struct Run<'a> {
    pub(crate) model: Arc<CompiledModel>,
    pub(crate) experiment: Cow<'a, Experiment>,
    pub(crate) p: Problem,
    pub(crate) integrator: Box<dyn Integrator<Problem>>,
    pub(crate) time_events: TimeEvents,
    pub(crate) stats: Stats,
    pub(crate) output: Program,
    pub(crate) output_points: OutputPoints,
    pub(crate) y: Vec<f64>,
    pub(crate) yp: Vec<f64>,
    pub(crate) crossings: Crossings,
    pub(crate) accumulation: Accumulation,
    pub(crate) progress: Progress,
    pub(crate) divergence: Divergence,
    /// A jump out of a delay changes nothing but continuous values, unless a condition changes with it.
    pub(crate) jumps_are_plain: bool,
    /// Work of integrators that were replaced.
    pub(crate) earlier: Vec<Statistics>,
    /// Delayed signals on a step.
    pub(crate) signals: Vec<[f64; NODES]>,
    /// Fourth differences of them that the tolerance permits.
    pub(crate) resolution: f64,
    /// Parts of a step that are left to do for them: beginning, end, halvings; and at the beginning, middle and end of each the
    /// signals.
    pub(crate) parts: Vec<(f64, f64, u32)>,
    pub(crate) halves: Vec<[f64; 3]>,
    /// All variables are those of the end of the last step, or as many as an event needs.
    pub(crate) at_end: bool,
    /// The last event whose time was known, and how many there have been at it.
    at_once: (f64, usize),
    /// At events all variables are wanted right before them, not the states alone.
    pub(crate) wants_left: bool,
    /// Exponentials switch without events.
    has_limits: bool,
    /// The longest step is the same all the time.
    limit_is_constant: bool,
    /// Delayed signals may wait for the end of a step with events in it; the time up to which they have been remembered, where that
    /// is behind, and the slots right before the event.
    pub(crate) signals_may_wait: bool,
    pub(crate) waiting_from: Option<f64>,
    /// The last time of the step at which assertions were seen to hold.
    pub(crate) sound: f64,
    pub(crate) left: Vec<f64>,
    /// Steps of the limit were too long for a model without states.
    in_short_steps: bool,
    /// Crossings, changes of relations and time events of an event.
    pub(crate) hits: Vec<usize>,
    pub(crate) forced: Forced,
    pub(crate) due: Due,
}

/// Without states there is nothing to control: steps of the limit.
fn steps_of_limit(kind: SolverKind, p: &Problem, options: &Options) -> bool {
    let fixed = kind.has_fixed_steps();
    let limited = options.h_max > 0.0 && options.h_max.is_finite();
    p.dummy && !fixed && limited && p.delays.lines.is_empty()
}

fn integrator(kind: SolverKind, p: &Problem, mut options: Options) -> Box<dyn Integrator<Problem>> {
    if steps_of_limit(kind, p, &options) {
        options.h_fixed = options.h_max;
        return Box::new(FixedStep::euler(options));
    }
    controlled(kind, p, options)
}

/// The integrator of this kind, whatever the model.
fn controlled(kind: SolverKind, p: &Problem, options: Options) -> Box<dyn Integrator<Problem>> {
    match (kind, p.dae) {
        (SolverKind::Auto | SolverKind::Bdf, true) => Box::new(BdfDae::new(options)),
        (SolverKind::Radau, true) => Box::new(RadauDae::new(options)),
        (SolverKind::Auto, false) => Box::new(Auto::new(options)),
        (SolverKind::Bdf, false) => Box::new(BdfStarted::new(options)),
        (SolverKind::Radau, false) => Box::new(RadauOde::new(options)),
        (SolverKind::Dopri5, _) => Box::new(Dopri5::new(options)),
        (SolverKind::Rk4, _) => Box::new(FixedStep::runge_kutta4(options)),
        (SolverKind::Euler, _) => Box::new(FixedStep::euler(options)),
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(model: &Arc<CompiledModel>, experiment: Cow<'a, Experiment>) -> Run<'a> {
        let mut p = Problem::new(Evaluator::new(model.clone()));
        let explicit = matches!(
            experiment.solver,
            SolverKind::Dopri5 | SolverKind::Rk4 | SolverKind::Euler
        );
        // The causal program serves explicit methods whatever form was compiled.
        if explicit {
            p.use_ode_form();
        }
        if experiment.solver.has_fixed_steps() {
            p.fix_steps();
        }
        p.delays.follow_jumps(experiment.tolerance);
        let crossings = Crossings::new(p.crossings.clone(), experiment.tolerance);
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
        let jumps_are_plain = model.dynamic_states.is_empty()
            && model.effects.iter().all(|e| e.guard.is_some())
            && !model.assertions_vary;
        let integrator = integrator(experiment.solver, &p, Options::new(1e-6, 1e-6));
        let has_limits = p.has_limits();
        let output_points = OutputPoints::of(&experiment);
        let width = resolution(experiment.tolerance);
        Run {
            model: model.clone(),
            experiment,
            p,
            integrator,
            has_limits,
            time_events: TimeEvents::default(),
            stats,
            output,
            output_points,
            y: Vec::new(),
            yp: Vec::new(),
            crossings,
            accumulation: Accumulation::default(),
            progress: Progress::default(),
            divergence: Divergence::default(),
            jumps_are_plain,
            earlier: Vec::new(),
            signals: Vec::new(),
            resolution: width,
            parts: Vec::new(),
            halves: Vec::new(),
            at_end: false,
            at_once: (f64::NEG_INFINITY, 0),
            wants_left: true,
            limit_is_constant: false,
            signals_may_wait: false,
            waiting_from: None,
            sound: f64::NEG_INFINITY,
            left: Vec::new(),
            in_short_steps: false,
            hits: Vec::new(),
            forced: Vec::new(),
            due: Due::default(),
        }
    }

    fn finish_stats(&mut self) {
        let meaningless = self.integrator.statistics().meaningless;
        let meaningless = meaningless.map(|m| (m.since, self.unknown_name(m.variable)));
        let drift = self.integrator.statistics().drift;
        let drift = drift.filter(|_| meaningless.is_none());
        let drift = drift.map(|d| (d.part, self.unknown_name(d.variable)));
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
        if let Some((h, t, function)) = self.p.stepped_over() {
            let text =
                ferrica_ir::print::expr(&self.model.source.exprs, &*self.model.source, function);
            let message = format!(
                "a step of {} goes over what a function of time does at time {}: {text}; shorter steps or a solver that chooses its own see it",
                brief(h),
                brief(t)
            );
            stats.warnings.push(Warning::of_run(t, message));
        }
        if let Some((time, name)) = meaningless {
            let message = format!(
                "steps of {} are too long for {} from time {} on: half of one moves `{name}` to another place, and the result is noise of the formula; \
                 shorter steps, or a solver that chooses its own",
                brief(self.integrator.options().h_fixed),
                stats.solver,
                brief(time),
            );
            stats.warnings.push(Warning::of_run(time, message));
        }
        if let Some((part, name)) = drift {
            let message = format!(
                "steps of {} are too long for {}: by the halves of some of them, `{name}` and what depends on it go wrong by about {:.0} % of its range; \
                 shorter steps, or a solver that chooses its own",
                brief(self.integrator.options().h_fixed),
                stats.solver,
                100.0 * part.min(1.0),
            );
            stats.warnings.push(Warning {
                time: stats.end_time,
                message,
                span: ferrica_ir::Span::NONE,
            });
        }
        let stiff: u64 = self.integrator.statistics().stiff_steps;
        if self.experiment.solver == SolverKind::Dopri5
            && stiff >= MANY_STIFF_STEPS
            && 4 * stiff > stats.steps
        {
            let message = format!(
                "the model is stiff: {stiff} of {} steps were as long as the stability of dopri5 allows, not its accuracy; bdf and auto take longer ones",
                stats.steps
            );
            stats
                .warnings
                .push(Warning::of_run(stats.end_time, message));
        }
    }

    /// Another event whose time was known, at `t`: each may put the next one at the same time, but not without end.
    fn count_at_once(&mut self, t: f64) -> Result<(), SimError> {
        let (time, count) = self.at_once;
        self.at_once = (t, if time == t { count + 1 } else { 1 });
        if self.at_once.1 <= MAX_PASSES {
            return Ok(());
        }
        Err(SimError::new("E0606", t, unsettled(t)))
    }

    pub(crate) fn warn(&mut self, warnings: Vec<Warning>) {
        for w in warnings {
            self.stats.warn(w);
        }
    }

    pub(crate) fn fail(&self, code: &'static str, failure: Failure) -> SimError {
        SimError::new(code, self.p.ev.time(), failure)
    }

    fn march(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let clock = Instant::now();
        let start = self.experiment.start;
        self.experiment.check_times()?;
        if self.experiment.from.is_some() {
            self.take_up()?;
            return self.go_on(clock, sink);
        }
        self.p.ev.set_time(start);
        initialize(&mut self.p, &self.experiment)?;
        self.time_events = TimeEvents::new(&self.p.ev, start).map_err(|e| self.fail("E0505", e))?;
        if reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))? {
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0504", e))?;
        }
        let mut due = Due::default();
        self.time_events
            .take_due(&self.p.ev, start, false, &mut due);
        let ended = self.event(&Vec::new(), &due.samplers)?;
        self.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        let done = match ended {
            true => self.terminal_event(sink),
            false => self.integrate(sink),
        };
        self.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        done
    }

    /// The state that the last stage ended with, whose events have been settled.
    pub(crate) fn take_up(&mut self) -> Result<(), SimError> {
        let start = self.experiment.start;
        self.p.ev.set_time(start);
        if let Some(snapshot) = &self.experiment.from {
            resume(&mut self.p, &self.experiment, snapshot)?;
        }
        let ev = &mut self.p.ev;
        let times = TimeEvents::new(ev, start).and_then(|mut times| {
            times.take_due(ev, start, false, &mut Due::default());
            times.predict(ev)?;
            Ok(times)
        });
        self.time_events = times.map_err(|e| self.fail("E0505", e))?;
        Ok(())
    }

    /// Another stage of a run: the event at its beginning has been settled at the end of the last one, but for inputs that jump.
    fn go_on(&mut self, clock: Instant, sink: &mut dyn Sink) -> Result<(), SimError> {
        let ended = !self.p.arriving.is_empty() && self.event(&Vec::new(), &[])?;
        self.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        let done = match ended {
            true => self.terminal_event(sink),
            false => self.integrate(sink),
        };
        self.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        done
    }

    fn options(&self) -> Options {
        let model = &self.model;
        let nominal: Vec<f64> = (0..self.p.size())
            .map(|i| (self.p.unknown_slot(i)).map_or(1.0, |s| model.nominal(s)))
            .collect();
        let mut options = Options::with_nominal(self.experiment.tolerance, &nominal);
        options.h_fixed = self.experiment.step.unwrap_or(self.experiment.interval);
        options.h_max = self.step_limit();
        options
    }

    pub(crate) fn step_limit(&self) -> f64 {
        let delay = self.p.delays.step_limit(&self.p.ev);
        let interval = self.experiment.interval.abs();
        let source = &self.p.ev.model.source;
        if self.p.dummy {
            delay.min(interval)
        } else if self.has_limits || source.relations.iter().any(|r| !r.time_event) {
            let angle = match self.has_limits {
                true => STEEP_STEP_ANGLE,
                false => EVENT_STEP_ANGLE,
            };
            let angle = angle / source.fastest_source;
            delay.min(EVENT_STEP_INTERVALS * interval).min(angle)
        } else {
            delay
        }
    }

    /// How fast contents of lines move at the present point, by a difference along the trajectory.
    fn measure_lines(&mut self) {
        if self.p.delays.lines.is_empty() || self.p.dummy {
            return;
        }
        let (t, slots) = (self.p.ev.time(), self.p.ev.slots.clone());
        let h = PROBE * self.experiment.interval.abs().max(f64::MIN_POSITIVE);
        let states: Vec<f64> = (self.p.ev.states().iter())
            .zip(self.p.ev.derivatives())
            .map(|(x, dx)| x + h * dx)
            .collect();
        self.p.ev.set_time(t + h);
        self.p.ev.set_states(&states);
        let model = self.model.clone();
        if self.p.ev.run(&model.delay_program).is_ok() {
            for line in &mut self.p.delays.lines {
                let moved = self.p.ev.get(line.position) - slots[line.position as usize];
                if moved.is_finite() {
                    line.set_speed(moved / h);
                }
            }
        }
        self.p.ev.slots.copy_from_slice(&slots);
    }

    fn integrate(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        self.begin_integration()?;
        match self.advance(false, sink)? {
            Advance::Terminated => Ok(()),
            Advance::Stop | Advance::Event => self.finish(sink),
        }
    }

    /// A new integrator at the present point.
    pub(crate) fn begin_integration(&mut self) -> Result<(), SimError> {
        self.measure_lines();
        self.integrator = integrator(self.experiment.solver, &self.p, self.options());
        self.signals_may_wait = self.p.signals_may_wait();
        self.limit_is_constant = self.p.delays.is_empty() || self.p.delays.all_constant();
        let t = self.p.ev.time();
        set_sides(&mut self.p, &self.model, &mut self.crossings);
        self.p.accept();
        self.begin_divergence();
        self.p.gather(&mut self.y, &mut self.yp);
        if let Err(e) = self.integrator.init(&mut self.p, t, &self.y, &self.yp) {
            let error = self.solver_error(e);
            self.fall_back(error, t)?;
        }
        Ok(())
    }

    /// Steps up to the stop time, or to the first event behind the present point.
    pub(crate) fn advance(
        &mut self,
        to_event: bool,
        sink: &mut dyn Sink,
    ) -> Result<Advance, SimError> {
        let stop = self.experiment.stop;
        let mut t = self.p.ev.time();
        let begin = t;
        while t < stop && !same_time(t, stop) {
            let known = self.time_events.next();
            let jump = self.p.delays.next_jump().unwrap_or(f64::INFINITY);
            let first = stop.min(known).min(jump);
            // Rounding does not come between an event and the end of the run. What is due a rounding behind the end keeps its own time, at which its
            // condition holds; so does every event where the run goes on.
            let tstop = match same_time(first, stop) {
                true if known > stop && same_time(known, stop) => known,
                true if !self.experiment.more => stop,
                _ => first,
            };
            self.wants_left = sink.wants_event_rows() || self.p.events_read_all();
            let outcome = match self.integrator.step(&mut self.p, tstop) {
                Ok(outcome) => outcome,
                Err(e) => {
                    let error = self.solver_error(e);
                    self.fall_back(error, t)?;
                    continue;
                }
            };
            let now = self.integrator.t();
            let event = match outcome {
                StepOutcome::RootFound { .. } => true,
                // What is due at the stop time still happens.
                StepOutcome::ReachedTstop => {
                    tstop < stop || same_time(known, tstop) || same_time(jump, tstop)
                }
                StepOutcome::Stepped => false,
            };
            if matches!(outcome, StepOutcome::RootFound { .. }) && self.signals_may_wait {
                self.let_signals_wait(t)?;
            } else {
                let from = self.waiting_from.take().unwrap_or(t);
                self.push_delays(from, now, event)?;
            }
            self.watch_accumulation(now)?;
            self.watch_progress(now)?;
            self.watch_divergence(now)?;
            sink.stepped(t, now, &*self.integrator);
            self.output_between(t, now, sink)?;
            t = now;
            match outcome {
                StepOutcome::RootFound { .. } => {
                    if self.state_event(sink)? {
                        return Ok(Advance::Terminated);
                    }
                }
                StepOutcome::ReachedTstop if event => {
                    self.count_at_once(tstop)?;
                    let ended = if same_time(known, tstop) {
                        self.time_event(tstop, sink)?
                    } else {
                        self.arriving_jump(tstop, sink)?
                    };
                    if ended {
                        return Ok(Advance::Terminated);
                    }
                }
                _ => self.after_step(sink)?,
            }
            self.p.accept();
            sink.progress(t);
            if sink.interrupted() {
                return Err(SimError::interrupted(t));
            }
            let inside = !same_time(t, begin) && t < stop && !same_time(t, stop);
            if to_event && event && inside {
                return Ok(Advance::Event);
            }
        }
        Ok(Advance::Stop)
    }

    /// Where the DAE form cannot go on, the causal form may: its inner iterations have other means than
    /// the integrator's. Goes on with it from the last good point, once. A model without states, whose nonlinear systems find no
    /// solution one step of the limit further, may find it in shorter ones.
    fn fall_back(&mut self, error: SimError, t: f64) -> Result<(), SimError> {
        let options = self.options();
        let kind = self.experiment.solver;
        if !self.p.dae && !self.in_short_steps && steps_of_limit(kind, &self.p, &options) {
            self.in_short_steps = true;
            self.earlier.push(self.integrator.statistics().clone());
            self.integrator = controlled(kind, &self.p, options);
            return self
                .integrator
                .init(&mut self.p, t, &self.y, &self.yp)
                .map_err(|_| error);
        }
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
        self.integrator = integrator(kind, &self.p, self.options());
        set_sides(&mut self.p, &self.model, &mut self.crossings);
        self.p.gather(&mut self.y, &mut self.yp);
        self.integrator
            .init(&mut self.p, t, &self.y, &self.yp)
            .map_err(|_| error)
    }

    /// Goes on after an event that leaves the solution as it is: other roots are looked for.
    pub(crate) fn resume(&mut self) {
        set_sides(&mut self.p, &self.model, &mut self.crossings);
        self.p.begin_here();
        self.p.has_begun();
        self.integrator.renew_roots();
    }

    /// Begins a new integration at the present point.
    pub(crate) fn restart(&mut self) -> Result<(), SimError> {
        set_sides(&mut self.p, &self.model, &mut self.crossings);
        self.begin_again()
    }

    /// The same, the sides of all conditions being known.
    pub(crate) fn begin_again(&mut self) -> Result<(), SimError> {
        let t = self.p.ev.time();
        self.p.gather(&mut self.y, &mut self.yp);
        if self.is_busy_explicit() {
            self.earlier.push(self.integrator.statistics().clone());
            self.integrator = controlled(SolverKind::Bdf, &self.p, self.options());
            return self
                .integrator
                .init(&mut self.p, t, &self.y, &self.yp)
                .map_err(|e| self.solver_error(e));
        }
        if !self.limit_is_constant {
            self.measure_lines();
            let limit = self.step_limit();
            self.integrator.set_h_max(limit);
        }
        self.p.begin_here();
        let begun = self.integrator.reinit(&mut self.p, t, &self.y, &self.yp);
        self.p.has_begun();
        begun.map_err(|e| self.solver_error(e))
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
}

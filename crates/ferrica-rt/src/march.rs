//! The march over the grid: steps, rows, events.
//!
//! Each grid point: one step, what happens inside of it ([`within`]), rows, then events if a relation changed or a known time has come. Output
//! points between grid points have states on straight lines between them.

pub(crate) mod curve;
pub(crate) mod divergence;
mod explicit;
mod grid_point;
mod instants;
pub(crate) mod restart;
mod truncation;
pub(crate) mod within;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::jit::compile_into;
use ferrica_codegen::kernel::KernelId;
use ferrica_codegen::layout::Layout;
use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::counted;
use ferrica_sim::{
    DELAY_NODES, Doubt, Due, Experiment, OutputPoints, Problem, SimError, Sink, Stats, TimeEvents,
    Warning,
};

use crate::causal::Causal;
use crate::clock::thread_seconds;
use crate::export::has_events;
use crate::grid::Grid;
use crate::method::{Formulation, Method, RtOptions};
use crate::pace::Pace;
use crate::projection::Projection;
use crate::simulate::{RtRun, Watch};
use crate::step::causal_error;
use crate::tangent::{Tangent, core_unknowns};
use divergence::Divergence;
use explicit::Explicit;
use ferrica_codegen::limiting::Limit;
use ferrica_codegen::limits::Limits;
use ferrica_codegen::program::rows;
use instants::Instants;
pub(crate) use instants::check_samplers;
use within::Within;

/// An event that moves unknowns and derivatives by no more than this part does not end the history.
const UNMOVED: f64 = 1e-6;

/// Events by the states from which on they may shift what follows.
const MANY_EVENTS: u64 = 3;

/// One run.
pub(crate) struct March<'a> {
    pub(crate) model: Arc<CompiledModel>,
    pub(crate) experiment: &'a Experiment,
    pub(crate) options: &'a RtOptions,
    pub(crate) grid: Grid,
    pub(crate) p: Problem,
    pub(crate) times: TimeEvents,
    pub(crate) run: RtRun,
    pub(crate) tangent: Tangent,
    pub(crate) projection: Option<Projection>,
    /// The causal formulation, if that is the one. Then the unknowns stand in their slots, and the
    /// vectors below are filled at events and between grid points only.
    pub(crate) causal: Option<Causal>,
    /// Unknowns by which convergence is judged: those that others depend on.
    pub(crate) core: Vec<bool>,
    pub(crate) y: Vec<f64>,
    /// Derivatives of all unknowns by the formula; those of states enter the equations.
    pub(crate) rates: Vec<f64>,
    /// Values of the steps before, newest first, and the last derivatives.
    pub(crate) past: Vec<Vec<f64>>,
    pub(crate) past_rates: Vec<f64>,
    pub(crate) known: Vec<f64>,
    pub(crate) delta: Vec<f64>,
    pub(crate) work: Vec<f64>,
    pub(crate) time_part: Vec<f64>,
    /// Steps of the trapezoidal rule left before a multistep formula has its past, and of the backward Euler formula behind an event.
    pub(crate) start_up: usize,
    pub(crate) restart: usize,
    pub(crate) output_points: OutputPoints,
    /// Time of the last row.
    row_time: f64,
    /// Sources of delayed signals at the last grid point.
    pub(crate) sources: Vec<[f64; DELAY_NODES]>,
    pub(crate) now: f64,
    /// The next event whose time is known.
    next_due: f64,
    instants: Instants,
    /// Passes of an event that has not settled yet.
    unsettled_passes: usize,
    /// Of each state: its size at the start.
    sizes: Vec<f64>,
    divergence: Divergence,
    explicit: Explicit,
    within: Within,
    /// There are relations whose change is not known beforehand, and assertions that may change.
    crosses: bool,
    asserts: bool,
    pub(crate) pace: Option<Pace>,
    pub(crate) watch: Option<Watch<'a>>,
}

/// Do conditions of assertions depend on more than parameters?
fn actions_vary(model: &CompiledModel) -> bool {
    if model.assertions.is_empty() {
        return false;
    }
    let parameter = |slot: u32| match model.variable(slot) {
        Some(v) => matches!(model.source.vars[v].kind, Kind::Parameter | Kind::External),
        None => slot > Layout::HOMOTOPY,
    };
    let mut all = rows(&model.kernels, &model.action_program);
    let read = |k: KernelId| model.kernels.kernels[k].loads as usize;
    all.any(|(k, row)| !row[..read(k)].iter().all(|&s| parameter(s)))
}

/// Slots of the results and of what is sent; `None` for all.
fn wanted_slots(
    model: &CompiledModel,
    experiment: &Experiment,
    options: &RtOptions,
) -> Option<Vec<Slot>> {
    let mut wanted = experiment.wanted.clone()?;
    if options.real_time.is_some() {
        let outputs = model.source.outputs.iter();
        wanted.extend(outputs.filter_map(|&v| model.layout.place(v).map(|p| p.0)));
    }
    Some(wanted)
}

impl<'a> March<'a> {
    pub(crate) fn new(
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
        let mut times = TimeEvents::new(&p.ev, at).map_err(fail)?;
        times.take_due(&p.ev, at, false, &mut Due::default());
        times.predict(&mut p.ev).map_err(fail)?;
        check_samplers(times.shortest_interval(), &grid, at)?;
        p.delays.hold_jumps(&p.ev, experiment.tolerance);
        let next_due = times.next().min(p.delays.next_held(&p.ev));
        let mut tangent = Tangent::new(&model, dae, options);
        tangent.timed = options.stage_times;
        let is_causal = options.formulation == Formulation::Causal
            && options.method != Method::Ode
            && !options.watch_constraints
            && !options.always_factor;
        let projected = !is_causal
            && (options.method == Method::Trapezoid
                || (options.watch_constraints && options.method != Method::Ode));
        let projection = projected.then(|| Projection::new(dae));
        let n = dae.unknowns.len();
        let crosses = model.relations.iter().any(|r| !r.time_event);
        let known = within::knows_instants(&model);
        let mut causal = None;
        let mut word = tangent.dependence.word();
        if is_causal {
            let methods = options.method.formulas(has_events(&model));
            let limit = options.fuse_limit;
            let wanted = wanted_slots(&model, experiment, options);
            let mut c = Causal::new(&mut p, &methods, grid.step, limit, wanted.as_deref())
                .map_err(|e| causal_error(&mut p, at, e))?;
            c.keep_before = crosses || known || !grid.is_multiple(experiment.interval);
            word = c.plan.dependence.word();
            causal = Some(c);
        } else if options.method != Method::Ode {
            tangent.limits = Limits::of_dae(&mut p.ev, |crit| Limit::Moves { crit });
        }
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
            tangent: word,
            iterated: causal.as_ref().map_or(n, Causal::iterated),
            unknowns: causal.as_ref().map_or(n, |c| c.plan.unknowns.len()),
            factor_entries: causal.as_ref().map_or(0, Causal::factor_entries),
            ..RtRun::default()
        };
        let pace = match &options.real_time {
            Some(real_time) => {
                // Code that is compiled later would be compiled in the loop.
                p.ev.compile_hot_programs = false;
                for program in [
                    &model.relation_program,
                    &model.action_program,
                    &model.delay_row_program,
                    &model.event_program,
                    &dae.program,
                    &dae.partials,
                ] {
                    compile_into(&model.kernels, model.slot_count(), program);
                }
                let pace = Pace::new(&model, experiment, &grid, real_time);
                Some(pace.map_err(|m| SimError::new("E0712", at, Failure::new(m)))?)
            }
            None => None,
        };
        let constraints = projection.as_ref().map_or(0, |p| p.constraints.len());
        Ok(March {
            experiment,
            options,
            grid,
            times,
            run,
            tangent,
            causal,
            core: core_unknowns(&model, dae),
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
            restart: 0,
            output_points: OutputPoints::of(experiment),
            row_time: f64::NEG_INFINITY,
            sources: Vec::new(),
            now: at,
            next_due,
            instants: Instants::default(),
            unsettled_passes: 0,
            sizes: Vec::new(),
            divergence: Divergence::default(),
            explicit: Explicit::default(),
            within: Within::default(),
            crosses,
            asserts: actions_vary(&model),
            pace,
            watch: None,
            model,
            p,
        })
    }

    pub(crate) fn finish_stats(&mut self) {
        let stats = &mut self.run.stats;
        let extra = self.projection.as_ref().map_or(0, |p| p.factorizations);
        stats.jacobians += self.tangent.evaluations;
        stats.factorizations += self.tangent.factorizations + extra;
        stats.end_time = self.now;
        self.run.stats.doubt = self.doubt();
    }

    /// Events by the states shift what follows, each by a little; what dies away within a step is not seen by it, and what the formula leaves out of each step adds up.
    fn doubt(&self) -> Option<Doubt> {
        if self.pace.is_some() {
            return None;
        }
        let events = self.run.stats.state_events;
        let seen = match self.run.layers {
            0 if events >= MANY_EVENTS => Some(format!(
                "{} by the states",
                counted(events as usize, "event")
            )),
            0 if self.divergence.truncation.doubts(self.run.stats.steps) => None,
            0 => return None,
            n => Some(format!(
                "{} left a motion that died away within a step",
                counted(n as usize, "event")
            )),
        };
        Some(Doubt {
            seen,
            step: self.grid.step,
            order: match self.options.method {
                Method::Bdf1 => 1,
                // What is not resolved has no order.
                _ if self.run.layers > 0 => 1,
                _ => 2,
            },
        })
    }

    fn fail(&self, code: &'static str, failure: Failure) -> SimError {
        SimError::new(code, self.now, failure)
    }

    pub(crate) fn warn(&mut self, warnings: Vec<Warning>) {
        for w in warnings {
            self.run.stats.warn(w);
        }
    }

    pub(crate) fn row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        self.write(sink, Sink::row)
    }

    /// A row that is there because of an event.
    pub(crate) fn event_row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        match sink.wants_event_rows() {
            true => self.write(sink, Sink::event_row),
            false => Ok(()),
        }
    }

    fn write<'s>(
        &mut self,
        sink: &mut (dyn Sink + 's),
        put: impl FnOnce(&mut (dyn Sink + 's), f64, &[f64]) -> io::Result<()>,
    ) -> Result<(), SimError> {
        let time = self.p.ev.time();
        self.row_time = time;
        if let Some(pace) = &mut self.pace {
            pace.keep_row(time, &self.p.ev.slots);
            return Ok(());
        }
        let clock = Instant::now();
        let done = put(sink, time, &self.p.ev.slots);
        self.run.stats.output_seconds += clock.elapsed().as_secs_f64();
        done.map_err(|e| SimError::unwritten(self.now, &e))
    }

    fn tell_constraints(&mut self) {
        if let (Some(watch), Some((norm, _))) = (&mut self.watch, self.run.constraint_rate) {
            watch(self.now, norm, &self.rates);
        }
    }

    /// Rows that a run against the clock has kept.
    pub(crate) fn write_rows(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let Some(mut pace) = self.pace.take() else {
            return Ok(());
        };
        let done = pace.write_rows(&self.p.ev.slots, sink);
        if pace.timing.dropped_rows > 0 {
            let message = format!(
                "{} rows found no room and are not in the results",
                pace.timing.dropped_rows
            );
            self.warn(vec![Warning::of_run(self.now, message)]);
        }
        self.run.timing = Some(pace.timing);
        done.map_err(|e| SimError::unwritten(self.now, &e))
    }

    pub(crate) fn begin_and_march(
        &mut self,
        sink: &mut dyn Sink,
        clock: Instant,
    ) -> Result<(), SimError> {
        self.begin_sizes();
        self.begin_history(true)?;
        self.first_delay_sources()?;
        self.begin_watch();
        self.begin_within();
        self.run.stats.initialize_seconds = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        self.row(sink)?;
        self.tell_constraints();
        let processor = thread_seconds();
        if let Some(pace) = &mut self.pace {
            pace.begin();
        }
        let done = self.steps(sink);
        if let Some(pace) = &mut self.pace {
            pace.end();
        }
        self.run.processor_seconds = thread_seconds() - processor;
        self.run.stats.simulate_seconds = clock.elapsed().as_secs_f64();
        self.tell_ringing();
        self.tell_unstable();
        self.tell_swinging();
        if let Some(message) = self.instants.tell(self.grid.step) {
            self.warn(vec![Warning::of_run(self.now, message)]);
        }
        if self.run.unconverged_steps > 0 {
            let message = format!(
                "{} of {} steps had not converged after {} Newton iterations, the first at time {}: try more iterations or a smaller step",
                self.run.unconverged_steps,
                self.run.stats.steps,
                self.options.iterations,
                ferrica_ir::print::brief(self.run.first_unconverged.unwrap_or(self.now))
            );
            self.warn(vec![Warning::of_run(self.now, message)]);
        }
        done
    }

    fn steps(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let slopes = self.first_slopes();
        for k in 1..=self.grid.steps {
            let t = self.grid.time(k);
            if self.pace.is_some() {
                self.wait_and_receive(k, sink)?;
            }
            self.begin_step()?;
            self.step(t)?;
            self.run.stats.steps += 1;
            let last = self.now;
            if t > self.grid.stop && !self.grid.same(t, self.grid.stop) {
                // The stop time lies inside of this step.
                self.output_between(last, self.grid.stop, t, sink)?;
                self.both_ends(last, t)?;
                self.interpolate(last, t, self.grid.stop);
                self.now = self.grid.stop;
                self.row(sink)?;
                break;
            }
            if let Some(slopes) = slopes.as_deref().filter(|_| k == 1) {
                self.now = t;
                self.place();
                self.watch_start(slopes);
            }
            let reached = self.meet_instants(last, t, sink)?;
            if reached.ended {
                return self.terminal_event(sink);
            }
            self.output_between(reached.begin, t, t, sink)?;
            self.push_delays(reached.remembered, t)?;
            if self.within.resynchronized {
                self.begin_history(false)?;
            }
            if self.at_grid_point(reached.begin, k == self.grid.steps, sink)? {
                return self.terminal_event(sink);
            }
            self.watch_states(k)?;
            if self.pace.is_some() {
                self.send(k)?;
            } else {
                sink.progress(t);
            }
            if sink.interrupted() {
                return Err(SimError::interrupted(t));
            }
        }
        if self.experiment.more {
            self.outputs()?;
            sink.end(&self.p.ev, &self.p.delays.save());
            return Ok(());
        }
        self.terminal_event(sink)
    }

    /// The event of `terminal()` at the present point, where the run ends.
    pub(crate) fn terminal_event(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        if self.model.has_terminal_event() {
            self.p.ev.set(Layout::TERMINAL, 1.0);
            self.event(&Vec::new(), &[])?;
            self.row(sink)?;
        }
        Ok(())
    }

    /// Waits for the clock, then takes the inputs that have come.
    fn wait_and_receive(&mut self, k: u64, sink: &mut dyn Sink) -> Result<(), SimError> {
        let Some(pace) = &mut self.pace else {
            return Ok(());
        };
        pace.wait(k);
        let Some(exchange) = &mut pace.exchange else {
            return Ok(());
        };
        let event = exchange.receive(&mut self.p.ev.slots);
        if let Err(silence) = exchange.is_heard() {
            return Err(self.fail("E0712", silence));
        }
        self.crossings_are_old();
        if event {
            // An input that is not a real number changes at events only.
            self.outputs()?;
            if self.causal.is_some() {
                self.p.gather(&mut self.y, &mut self.rates);
            }
            self.event(&Vec::new(), &[])?;
            self.event_row(sink)?;
            if self.moved() {
                self.begin_history(false)?;
            }
        }
        Ok(())
    }

    fn send(&mut self, k: u64) -> Result<(), SimError> {
        let exchanges = self.pace.as_ref().is_some_and(|p| p.exchange.is_some());
        if exchanges {
            self.wanted_outputs()?;
        }
        if let Some(pace) = &mut self.pace {
            if let Some(exchange) = &mut pace.exchange {
                exchange.send(k, self.now, &self.p.ev.slots);
            }
            pace.done(self.now);
        }
        Ok(())
    }

    /// Puts the present unknowns into the slots.
    pub(crate) fn place(&mut self) {
        if self.causal.is_none() {
            self.p.place(self.now, &self.y, &self.rates);
        }
    }

    /// Unknowns that the step has left out and that results or messages need.
    fn wanted_outputs(&mut self) -> Result<(), SimError> {
        match &mut self.causal {
            Some(causal) => {
                let t = self.p.ev.time();
                causal
                    .wanted_outputs(&mut self.p)
                    .map_err(|e| causal_error(&mut self.p, t, e))
            }
            None => Ok(()),
        }
    }

    /// All unknowns that the step has left out.
    fn outputs(&mut self) -> Result<(), SimError> {
        match &mut self.causal {
            Some(causal) => {
                let t = self.p.ev.time();
                causal
                    .outputs(&mut self.p)
                    .map_err(|e| causal_error(&mut self.p, t, e))
            }
            None => Ok(()),
        }
    }

    /// Rows at output points after `begin` and before `until`, in the step that ends at `end`.
    fn output_between(
        &mut self,
        begin: f64,
        until: f64,
        end: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SimError> {
        let mut between = false;
        loop {
            let t = self.output_points.next();
            if t >= until || self.grid.same(t, until) {
                break;
            }
            if t > begin {
                if !between {
                    self.both_ends(begin, end)?;
                }
                between = true;
                self.interpolate(begin, end, t);
                self.row(sink)?;
            }
            self.output_points.pass();
        }
        if between {
            self.p.place(end, &self.y, &self.rates);
        }
        Ok(())
    }

    /// In the causal formulation: all unknowns at both ends of the last step, outputs included.
    fn both_ends(&mut self, begin: f64, end: f64) -> Result<(), SimError> {
        if self.causal.is_none() {
            return Ok(());
        }
        self.outputs()?;
        self.p.gather(&mut self.y, &mut self.rates);
        if let Some(causal) = &self.causal {
            causal.place_before(&mut self.p, begin);
        }
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))?;
        self.outputs()?;
        self.p.gather(&mut self.work, &mut self.known);
        self.past[0].copy_from_slice(&self.work);
        self.past_rates.copy_from_slice(&self.known);
        self.p.place(end, &self.y, &self.rates);
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))
    }

    /// A point inside of the last step into the slots: states on straight lines, and what follows from them computed. A sign or a saturation has no values in between.
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
        let model = self.model.clone();
        let done = self.p.apply_delays();
        let done = done.and_then(|()| self.p.ev.run(&model.continuous_program));
        if done.is_err() {
            // A system without a solution there: straight lines are what is left.
            self.p.place(t, &self.work, &self.known);
        }
    }
}

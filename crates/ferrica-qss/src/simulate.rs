//! A compiled model and an experiment to a trajectory, by a quantized-state method.
//!
//! Shaped as `ferrica_sim::simulate`: the same experiment, sink, statistics and errors. The tolerance
//! of the experiment is the relative quantum; the absolute one is the tolerance times the nominal
//! value of each state, or for states without one, times the largest value so far (at most one).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::model::BlockId;
use ferrica_codegen::program::Program;
use ferrica_codegen::schedule::arrange;
use ferrica_codegen::{CompiledModel, Failure, Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_sim::{Experiment, OutputPoints, SimError, Sink, Stats, same_time, start};

use crate::assertions::Assertions;
use crate::compiled::{CompiledQss, crossing_name, state_name};
use crate::engine::run;
use crate::observer::{Happening, Observer, Trajectories};
use crate::port::{Port, Talk};
use crate::quantizer::Method;
use crate::settings::{QssStats, Settings, Worth, busiest};
use crate::uncertainty::Uncertainty;

/// So many of the busiest states and conditions are told.
const TOLD: usize = 5;

/// What the common experiment does not say.
#[derive(Clone, Debug)]
pub struct QssOptions {
    pub method: Method,
    /// Absolute quantum as a multiple of the tolerance and the nominal value.
    pub absolute_factor: f64,
    /// Quanta of single states by name (`--quantum x=1e-4`).
    pub quanta: Vec<(String, f64)>,
    /// A row at every transition instead of on the grid.
    pub every_transition: bool,
    /// Two rows at an event, before and after.
    pub event_rows: bool,
    /// Give up after so many transitions (0: never).
    pub max_transitions: u64,
    /// Give up when the run costs more than this.
    pub worth: Option<Worth>,
}

impl QssOptions {
    pub fn new(method: Method) -> QssOptions {
        QssOptions {
            method,
            absolute_factor: 1.0,
            quanta: Vec::new(),
            every_transition: false,
            event_rows: true,
            max_transitions: 0,
            worth: None,
        }
    }
}

/// Work of a run, with the engine's own counters.
#[derive(Clone, Debug, Default)]
pub struct QssRun {
    pub stats: Stats,
    pub qss: QssStats,
    /// States with most transitions, conditions with most events, and how many.
    pub busiest_states: Vec<(String, u64)>,
    pub busiest_crossings: Vec<(String, u64)>,
    /// Different Taylor kernels of the model.
    pub kernels: usize,
}

impl QssRun {
    /// Where the work went, in a few lines: the busiest states and crossings.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} transitions, {} updates of time inputs, {} derivatives, {} crossing functions, {} pair steps; {} kernels",
            self.qss.transitions,
            self.qss.input_updates,
            self.qss.derivative_evaluations,
            self.qss.crossing_evaluations,
            self.qss.pair_steps,
            self.kernels
        )];
        for (what, list) in [
            ("states", &self.busiest_states),
            ("crossings", &self.busiest_crossings),
        ] {
            if !list.is_empty() {
                let list: Vec<String> = list.iter().map(|(n, c)| format!("{n} ({c})")).collect();
                lines.push(format!("busiest {what}: {}", list.join(", ")));
            }
        }
        lines
    }
}

/// How a run exchanges values with the world: so many times after the start, with this time in between (see [`crate::port`]).
pub struct Door {
    pub period: f64,
    pub times: u64,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    pub talk: Talk,
}

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &QssOptions,
    sink: &mut dyn Sink,
) -> Result<QssRun, SimError> {
    simulate_open(model, experiment, options, None, sink)
}

/// The same with a door to the world.
pub fn simulate_open(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &QssOptions,
    door: Option<Door>,
    sink: &mut dyn Sink,
) -> Result<QssRun, SimError> {
    let clock = Instant::now();
    let mut out = QssRun::default();
    out.stats.solver = options.method.name().to_string();
    out.stats.form = "qss";
    out.stats.states = model.layout.n_states;
    out.stats.equations = model.source.equations.len();
    let done = march(model, experiment, (options, door), sink, &mut out, clock);
    match done {
        Ok(()) => Ok(out),
        Err(mut e) => {
            e.stats = Box::new(out.stats);
            Err(e)
        }
    }
}

fn march(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    (options, door): (&QssOptions, Option<Door>),
    sink: &mut dyn Sink,
    out: &mut QssRun,
    clock: Instant,
) -> Result<(), SimError> {
    let (begin, stop) = (experiment.start, experiment.stop);
    experiment.check_times()?;
    let started = start(model, experiment)?;
    out.stats.warnings = started.warnings;
    let mut compiled = CompiledQss::new(started.problem.ev, options.method.order)
        .map_err(|d| SimError::of(begin, d))?;
    out.kernels = compiled.kernels();
    let settings = settings(&compiled, experiment, options)?;
    compiled.merge_delayed(settings.relative);
    if let Some(snapshot) = &experiment.from {
        compiled.load_delayed(&snapshot.memory);
    }
    out.stats.initialize_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let slots = compiled.model.slot_count();
    let row = sink.row(begin, &compiled.ev.slots[..slots]);
    row.map_err(|e| SimError::unwritten(begin, &e))?;
    if let Some(message) = started.terminated {
        out.stats.terminated = Some(message);
        out.stats.end_time = begin;
        return Ok(());
    }
    let events = model.event_program.rows.iter();
    let uses_terminal = events
        .chain(model.action_program.rows.iter())
        .any(|&s| s == Layout::TERMINAL);
    compiled.ends = uses_terminal && !experiment.more;
    if let Some(door) = door {
        let grid = (begin, door.period, door.times);
        let port = Port::new(&compiled, grid, door.inputs, door.outputs, door.talk);
        compiled.connect(port);
    }
    let followed = !compiled.ev.rt.followers.is_empty();
    let wanted = experiment.wanted.as_deref().filter(|_| !followed);
    let output = Output::new(&mut compiled, wanted);
    let rows = (stop - begin) / experiment.interval;
    let uncertainty = (!followed).then(|| Uncertainty::new(output.shown(model, wanted), rows));
    let mut observer = Recorder {
        sink,
        uncertainty,
        points: OutputPoints::of(experiment),
        stop,
        every: options.every_transition,
        event_rows: options.event_rows,
        assertions: Assertions::new(&compiled),
        output,
        followed,
        turned: Vec::new(),
        slots,
        seconds: 0.0,
        last: begin,
        event: begin,
    };
    let finished = run(&mut compiled, &settings, &mut observer);
    let (seconds, last) = (observer.seconds, observer.last);
    out.stats.output_seconds = seconds;
    out.stats.simulate_seconds = clock.elapsed().as_secs_f64();
    for warning in compiled.warnings.drain(..) {
        out.stats.warn(warning);
    }
    out.stats.newton_iterations = compiled.ev.counters.newton_iterations;
    let told = observer.uncertainty.take();
    let told = told.and_then(|u| u.told(model, experiment.tolerance, observer.last));
    let finished = finished.map_err(|d| {
        let at = compiled.ev.time();
        SimError::of(at, d)
    })?;
    if let Some(warning) = told {
        out.stats.warn(warning);
    }
    if finished.time < stop || last < stop || compiled.ends {
        // `terminate`, a grid that does not end at the stop time, or what `terminal()` has changed.
        let time = finished.time;
        compiled
            .evaluate_values(time, &finished.states)
            .map_err(|f| SimError::new("E0605", time, f))?;
        let row = observer.sink.row(time, &compiled.ev.slots[..slots]);
        row.map_err(|e| SimError::unwritten(time, &e))?;
    }
    if experiment.more {
        compiled
            .evaluate_values(finished.time, &finished.states)
            .map_err(|f| SimError::new("E0605", finished.time, f))?;
        observer.sink.end(&compiled.ev, &compiled.save_delayed());
    }
    out.stats.terminated = compiled.terminated.take();
    out.stats.end_time = finished.time;
    let qss = finished.stats;
    out.stats.steps = qss.transitions;
    out.stats.evaluations = qss.derivative_evaluations;
    out.stats.state_events = qss.per_crossing.iter().sum();
    out.stats.time_events = qss.timer_events;
    let names = |counts: &[u64], name: fn(&CompiledModel, usize) -> String| {
        let list = busiest(counts, TOLD).into_iter();
        list.map(|k| (name(model, k), counts[k])).collect()
    };
    out.busiest_states = names(&qss.per_state, state_name);
    out.busiest_crossings = names(&qss.per_crossing, crossing_name);
    out.qss = qss;
    Ok(())
}

/// What the engine is asked for: quanta by tolerance, nominal values and wishes.
pub fn settings(
    compiled: &CompiledQss,
    experiment: &Experiment,
    options: &QssOptions,
) -> Result<Settings, SimError> {
    let model = &compiled.model;
    let tolerance = experiment.tolerance;
    let mut settings = Settings::new(options.method, tolerance, experiment.stop);
    settings.start = experiment.start;
    settings.absolute = tolerance * options.absolute_factor;
    settings.max_transitions = options.max_transitions;
    settings.worth = options.worth;
    let first = model.layout.states;
    for i in 0..model.layout.n_states {
        match model.given_nominal(first + i as Slot) {
            Some(n) => settings.overrides.push((i, settings.absolute * n)),
            None => settings.unscaled.push(i),
        }
    }
    for (name, quantum) in &options.quanta {
        let found = model
            .find(name)
            .map(|(slot, _)| slot)
            .filter(|&slot| slot >= first && slot < first + model.layout.n_states as Slot);
        let Some(slot) = found else {
            let text = format!("a quantum is given for `{name}`, which is not a state");
            return Err(SimError::new("E0703", experiment.start, Failure::new(text)));
        };
        settings.overrides.push(((slot - first) as usize, *quantum));
    }
    Ok(settings)
}

/// How a row is computed: what is constant between events when one of them has changed what it reads, the rest for
/// every row.
struct Output {
    constant: Program,
    moving: Program,
    /// What it computes for every row.
    moves: Vec<Slot>,
    /// States that a row needs.
    needed: Vec<u32>,
}

impl Output {
    fn new(compiled: &mut CompiledQss, wanted: Option<&[Slot]>) -> Output {
        let model = compiled.model.clone();
        let model = &*model;
        let blocks = match wanted {
            Some(wanted) => model.blocks_for(wanted),
            None => {
                let blocks = model.main.blocks.iter();
                blocks.filter(|b| b.1.continuous).map(|b| b.0).collect()
            }
        };
        let (constant, moving): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|&b| {
            let results = model.block_writes(&model.main, b);
            results.iter().all(|&s| compiled.is_constant(s))
        });
        let program =
            |blocks: &[BlockId]| arrange(&model.kernels, &model.systems, &model.main, blocks);
        for &b in &constant {
            compiled.show(model.block_reads(&model.main, b));
        }
        let moves = moving.iter();
        let moves = moves.flat_map(|&b| model.block_writes(&model.main, b).iter().copied());
        let moves = moves.collect();
        let moving = program(&moving);
        Output {
            moves,
            needed: compiled.states_needed(&moving, wanted),
            constant: program(&constant),
            moving,
        }
    }

    /// Variables of a row that are functions of states. Of a derivative the integral is promised, the state.
    fn shown(&self, model: &CompiledModel, wanted: Option<&[Slot]>) -> Vec<Slot> {
        let asked: Option<HashSet<Slot>> = wanted.map(|w| w.iter().copied().collect());
        let layout = &model.layout;
        let derivatives = layout.derivatives..layout.derivatives + layout.n_states as Slot;
        let mut list = self.moves.clone();
        list.retain(|slot| model.variable(*slot).is_some() && !derivatives.contains(slot));
        list.retain(|slot| asked.as_ref().is_none_or(|asked| asked.contains(slot)));
        list
    }

    fn evaluate(&mut self, model: &mut CompiledQss, at: Trajectories<'_>) -> Result<(), Failure> {
        if std::mem::take(&mut model.shown_changed) {
            model.ev.set_time(at.time);
            model.ev.run(&self.constant)?;
        }
        model.evaluate(at, &self.needed, &self.moving)?;
        // States themselves are shown as they are integrated.
        let first = model.model.layout.states as usize;
        for &i in &self.needed {
            model.ev.slots[first + i as usize] = at.state(i as usize);
        }
        Ok(())
    }
}

/// Hands rows to the sink.
struct Recorder<'s> {
    sink: &'s mut dyn Sink,
    points: OutputPoints,
    stop: f64,
    every: bool,
    event_rows: bool,
    output: Output,
    assertions: Option<Assertions>,
    uncertainty: Option<Uncertainty>,
    /// Are there objects with a history of their own? They hear of each transition, everything being evaluated.
    followed: bool,
    /// Room for the relations of an event without rows.
    turned: Vec<(usize, bool)>,
    slots: usize,
    seconds: f64,
    /// Time of the last row.
    last: f64,
    /// Time of the last event: an output point that is there but for rounding is not before it.
    event: f64,
}

impl Recorder<'_> {
    fn row(
        &mut self,
        model: &mut CompiledQss,
        at: Trajectories<'_>,
        event: bool,
    ) -> Result<(), Diagnostic> {
        let clock = Instant::now();
        if let Some(assertions) = &mut self.assertions {
            assertions.check(model, at)?;
        }
        self.output
            .evaluate(model, at)
            .map_err(|f| crate::compiled::diagnostic("E0605", f))?;
        if let (false, Some(uncertainty)) = (event, &mut self.uncertainty) {
            uncertainty.look(model, at, (&self.output.needed, &self.output.moving));
        }
        let slots = &model.ev.slots[..self.slots];
        let written = if event {
            self.sink.event_row(at.time, slots)
        } else {
            self.last = at.time.max(self.event);
            self.sink.row(self.last, slots)
        };
        written.map_err(|e| SimError::unwritten(at.time, &e).diagnostic())?;
        self.seconds += clock.elapsed().as_secs_f64();
        self.sink.progress(at.time);
        self.stop_if_interrupted(at.time)
    }

    /// Would rows at an event be written? Where every transition has a row, events have one as well.
    fn takes_event_rows(&self) -> bool {
        self.event_rows && (self.every || self.sink.wants_event_rows())
    }

    fn stop_if_interrupted(&mut self, time: f64) -> Result<(), Diagnostic> {
        if self.sink.interrupted() {
            return Err(SimError::interrupted(time).diagnostic());
        }
        Ok(())
    }
}

impl Observer<CompiledQss> for Recorder<'_> {
    fn due(&self) -> f64 {
        self.points.next_until(self.stop)
    }

    fn output(&mut self, model: &mut CompiledQss, at: Trajectories<'_>) -> Result<(), Diagnostic> {
        self.points.pass();
        self.row(model, at, false)
    }

    fn look(&mut self, time: f64) -> Result<(), Diagnostic> {
        self.stop_if_interrupted(time)
    }

    fn every_transition(&self) -> bool {
        self.every || self.assertions.is_some() || self.followed
    }

    fn happening(
        &mut self,
        model: &mut CompiledQss,
        at: Trajectories<'_>,
        what: Happening,
    ) -> Result<(), Diagnostic> {
        if self.followed && matches!(what, Happening::State(_) | Happening::Input(_)) {
            let told = self.output.evaluate(model, at);
            told.and_then(|()| model.ev.rt.tell_followers(at.time))
                .map_err(|f| crate::compiled::diagnostic("E0605", f))?;
        }
        if let Happening::BeforeEvent | Happening::AfterEvent = what {
            self.event = at.time;
        }
        // The row of an output point there is the one after all events of the instant.
        let is_point = !self.every && same_time(self.due(), at.time);
        match what {
            Happening::BeforeEvent if !self.takes_event_rows() => Ok(()),
            Happening::AfterEvent if !self.takes_event_rows() => {
                self.turned.clear();
                self.turned.extend(model.turned());
                let slots = &model.ev.slots[..self.slots];
                self.sink.instant(slots, &self.turned, &[]);
                Ok(())
            }
            Happening::AfterEvent if is_point => Ok(()),
            // With every transition, events are transitions like others.
            Happening::BeforeEvent | Happening::AfterEvent => self.row(model, at, !self.every),
            Happening::State(_) | Happening::Input(_) if self.every => self.row(model, at, false),
            Happening::State(_) | Happening::Input(_) => match &mut self.assertions {
                Some(assertions) if assertions.concerns(what) => assertions.check(model, at),
                _ => Ok(()),
            },
        }
    }
}

//! Co-Simulation: communication steps, each a stage of a run by one of our solvers.
//!
//! As long as nobody takes a state of it, a run goes on with the solver it has. A state that is taken is where a solver begins anew, in this instance and in
//! every one that is set to it: all of them go on with the same bits.
//!
//! A step can keep values at points on its way and can end at the first event. Both come from the rows of the stage: two of them at one time are an event.

use std::sync::Arc;

use ferrica::engines::live::Live;
use ferrica::engines::solving::{self, Stage};
use ferrica::options::{Partition, Quantum, Solver, SolverOptions};
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::Compiled;
use ferrica::stages::stats::Stats;
use ferrica_codegen::runtime::Runtime;
use ferrica_codegen::{Evaluator, Slot};
use ferrica_sim::{Experiment, Initialized, Sink, Snapshot, Started, Target, same_time};

use crate::exchange::Settled;
use crate::fmu::Fmu;
use crate::payload::Settings;
use crate::state::RunState;
use crate::tuning::tune;

pub struct Steps {
    compiled: Compiled,
    solver: SolverOptions,
    tolerance: f64,
    now: Arc<Snapshot>,
    arriving: Vec<(Slot, f64)>,
    /// Values with the inputs that arrive, once someone has asked for them.
    ahead: Option<Vec<f64>>,
    /// Parameters, objects and factors: no step computes them again.
    initialized: Initialized,
    live: Going,
    pub terminated: Option<String>,
    pub warnings: Vec<String>,
}

/// The solver between two steps.
enum Going {
    /// It begins with the next step.
    Anew,
    On(Box<Live>),
    /// Each step is a stage of its own.
    InStages,
}

impl Going {
    fn stop(&mut self) {
        if matches!(self, Going::On(_)) {
            *self = Going::Anew;
        }
    }
}

/// What is asked of a step besides its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// Are values kept on the way?
    pub points: bool,
    /// Does it end at the first event?
    pub events: bool,
}

/// Equal parts of a step at whose ends values are kept, besides events.
const PARTS: f64 = 8.0;

/// Time and all slots.
pub type Point = (f64, Vec<f64>);

/// What a step has done.
#[derive(Default)]
pub struct Done {
    /// It ended at an event before its end.
    pub at_event: bool,
    /// In ascending order, the end included.
    pub points: Vec<Point>,
}

/// Where a step began, to take another one instead.
pub struct Begin {
    now: Arc<Snapshot>,
    arriving: Vec<(Slot, f64)>,
}

/// The rows and the end of a stage.
struct Rows {
    watch: Watch,
    begin: f64,
    points: Vec<Point>,
    /// Time of the last row.
    last: f64,
    event: Option<f64>,
    end: Option<(Vec<f64>, Vec<f64>)>,
}

impl Rows {
    fn new(watch: Watch, begin: f64) -> Rows {
        Rows {
            watch,
            begin,
            points: Vec::new(),
            last: begin,
            event: None,
            end: None,
        }
    }
}

impl Sink for Rows {
    fn row(&mut self, time: f64, slots: &[f64]) -> std::io::Result<()> {
        let later = time > self.begin && !same_time(time, self.begin);
        if later && time == self.last {
            self.event.get_or_insert(time);
        }
        if self.watch.points && later {
            self.points.push((time, slots.to_vec()));
        }
        self.last = time;
        Ok(())
    }

    fn wants_event_rows(&self) -> bool {
        self.watch.points || self.watch.events
    }

    fn interrupted(&mut self) -> bool {
        self.watch.events && self.event.is_some()
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.end = Some((ev.slots.clone(), memory.to_vec()));
    }
}

/// The settings of the command line.
pub fn options(settings: &Settings) -> Result<SolverOptions, String> {
    let solver = Solver::from_word(&settings.solver)
        .ok_or_else(|| format!("there is no solver `{}`", settings.solver))?;
    let quanta = settings.quanta.iter().map(|(state, value)| Quantum {
        state: state.clone(),
        value: *value,
    });
    let options = SolverOptions {
        solver,
        step: settings.step,
        iterations: settings.iterations,
        quanta: quanta.collect(),
        partition: settings.partition.then_some(Partition::Tlm),
        threads: settings.threads,
        ..SolverOptions::default()
    };
    solving::supported(&options).map_err(|e| e.to_string())?;
    Ok(options)
}

impl Steps {
    /// Initializes the model, or takes it up where it was.
    pub fn start(fmu: &Fmu, plan: &Experiment) -> Result<Steps, String> {
        let started = ferrica_sim::start(&fmu.model, plan).map_err(|e| e.diagnostic().message)?;
        let problem = started.problem;
        let now = match &plan.from {
            Some(snapshot) => Arc::clone(snapshot),
            None => Arc::new(Snapshot {
                origin: plan.start,
                time: plan.start,
                slots: problem.ev.slots.clone(),
                memory: problem.memory(),
            }),
        };
        Ok(Steps {
            solver: options(&fmu.solver)?,
            compiled: Compiled {
                model: Arc::clone(&fmu.model),
                name: fmu.model.source.name.clone(),
                texts: 0,
                values: plan.values.clone(),
                dae: Arc::default(),
                flat: None,
                inlined: false,
                asks_for_formula: false,
                driven: None,
            },
            tolerance: plan.tolerance,
            now,
            arriving: plan.arriving.clone(),
            ahead: None,
            initialized: Initialized(Arc::new(problem.ev)),
            live: Going::Anew,
            terminated: started.terminated,
            warnings: started.warnings.into_iter().map(|w| w.message).collect(),
        })
    }

    pub fn time(&self) -> f64 {
        self.now.time
    }

    pub fn text(&self, slot: Slot) -> &str {
        self.initialized.0.rt.text(self.now.slots[slot as usize])
    }

    /// Texts and objects of the run.
    pub fn objects(&self) -> &Runtime {
        &self.initialized.0.rt
    }

    /// An input jumps where the next step begins.
    pub fn set(&mut self, slot: Slot, value: f64) {
        self.arriving.retain(|a| a.0 != slot);
        self.arriving.push((slot, value));
        self.ahead = None;
    }

    /// A parameter changes where the next step begins, which is an event there.
    pub fn tune(&mut self, name: &str, slot: Slot, value: f64) -> Result<(), String> {
        let mut ev = (*self.initialized.0).clone();
        ev.slots.clone_from(&self.now.slots);
        tune(&mut ev, slot, value).map_err(|e| e.to_string())?;
        self.now = Arc::new(Snapshot {
            slots: ev.slots.clone(),
            ..(*self.now).clone()
        });
        self.initialized = Initialized(Arc::new(ev));
        self.live.stop();
        let values = &mut self.compiled.values;
        values.retain(|v| v.0 != name);
        values.push((name.to_owned(), value));
        self.set(slot, value);
        Ok(())
    }

    /// All slots at the present time, inputs that were set since the last step included.
    pub fn all(&mut self) -> Result<&[f64], String> {
        if self.arriving.is_empty() {
            return Ok(&self.now.slots);
        }
        if self.ahead.is_none() {
            self.ahead = Some(self.arrived()?.problem.ev.slots);
        }
        Ok(self.ahead.as_deref().unwrap_or(&self.now.slots))
    }

    /// The present point with the inputs that arrive.
    fn arrived(&self) -> Result<Started, String> {
        let plan = Experiment {
            start: self.time(),
            tolerance: self.tolerance,
            values: self.compiled.values.clone(),
            from: Some(Arc::clone(&self.now)),
            arriving: self.arriving.clone(),
            initialized: Some(self.initialized.clone()),
            ..Experiment::of(&self.compiled.model)
        };
        ferrica_sim::start(&self.compiled.model, &plan).map_err(|e| e.diagnostic().message)
    }

    /// The event of inputs that jump at the present time, between two steps.
    pub fn settle(&mut self) -> Result<Settled, String> {
        let mut states_changed = false;
        if !self.arriving.is_empty() {
            let started = self.arrived()?;
            let (ev, layout) = (&started.problem.ev, &self.compiled.model.layout);
            let first = layout.states as usize;
            states_changed = ev.states() != &self.now.slots[first..first + layout.n_states];
            let warnings = started.warnings.into_iter();
            self.warnings.extend(warnings.map(|w| w.message));
            self.terminated = self.terminated.take().or(started.terminated);
            self.now = Arc::new(Snapshot {
                origin: self.now.origin,
                time: self.now.time,
                slots: ev.slots.clone(),
                memory: started.problem.memory(),
            });
            self.arriving.clear();
            self.ahead = None;
            self.live.stop();
        }
        Ok(Settled {
            states_changed,
            again: false,
            terminated: self.terminated.is_some(),
            next: None,
        })
    }

    pub fn begin(&self) -> Begin {
        Begin {
            now: Arc::clone(&self.now),
            arriving: self.arriving.clone(),
        }
    }

    pub fn go_back(&mut self, begin: Begin) {
        (self.now, self.arriving) = (begin.now, begin.arriving);
        (self.ahead, self.terminated) = (None, None);
        self.live.stop();
    }

    /// Goes on to a later time.
    pub fn step_to(&mut self, time: f64, watch: Watch) -> Result<Done, String> {
        if let Some(done) = self.go_on(time, watch) {
            return Ok(done);
        }
        self.live.stop();
        self.in_stages(time, watch)
    }

    /// With the solver as it is; nothing if there is none that can.
    fn go_on(&mut self, time: f64, watch: Watch) -> Option<Done> {
        let grid = self.grid(time, watch);
        if matches!(self.live, Going::Anew) {
            let (from, initialized) = (Arc::clone(&self.now), &self.initialized);
            let begun = Live::begin(&self.compiled, &grid, &self.solver, from, initialized);
            self.live = match begun.ok()? {
                Some(live) => Going::On(Box::new(live)),
                None => Going::InStages,
            };
        }
        let Going::On(live) = &mut self.live else {
            return None;
        };
        let target = Target {
            stop: time,
            interval: grid.interval,
            arriving: &self.arriving,
            to_event: watch.events,
        };
        let mut rows = Rows::new(
            Watch {
                events: false,
                ..watch
            },
            grid.start,
        );
        let at_event = live.step(&self.compiled, &target, &mut rows).ok()?;
        let reached = live.time();
        let now = Arc::make_mut(&mut self.now);
        // Solvers may have slots of their own behind those of the model.
        now.slots.clear();
        now.slots.extend_from_slice(live.slots());
        now.time = reached;
        self.warnings.extend(live.warnings().map(|w| w.message));
        self.terminated = live.terminated().cloned();
        self.arriving.clear();
        self.ahead = None;
        Some(Done {
            at_event,
            points: rows.points,
        })
    }

    fn in_stages(&mut self, time: f64, watch: Watch) -> Result<Done, String> {
        let mut rows = Rows::new(watch, self.time());
        let done = self.stage(time, &mut rows);
        // What comes behind the event may depend on what the importer does there.
        let event = (rows.event).filter(|&at| watch.events && at < time && !same_time(at, time));
        let Some(at) = event else {
            return done.map(|()| Done {
                at_event: false,
                points: rows.points,
            });
        };
        let mut rows = Rows::new(
            Watch {
                events: false,
                ..watch
            },
            self.time(),
        );
        self.stage(at, &mut rows)?;
        Ok(Done {
            at_event: true,
            points: rows.points,
        })
    }

    fn grid(&self, time: f64, watch: Watch) -> Grid {
        let begin = self.time();
        let parts = if watch.points { PARTS } else { 1.0 };
        Grid {
            start: begin,
            stop: time,
            interval: (time - begin) / parts,
            tolerance: self.tolerance,
        }
    }

    /// A stage of the run, after which it is at its end; if it fails it is where it was.
    fn stage(&mut self, time: f64, rows: &mut Rows) -> Result<(), String> {
        let grid = self.grid(time, rows.watch);
        let stage = Stage {
            from: Some(Arc::clone(&self.now)),
            arriving: self.arriving.clone(),
            more: true,
            initialized: Some(self.initialized.clone()),
            ..Stage::default()
        };
        let ended = solving::simulate_stage(
            &self.compiled,
            &grid,
            &self.solver,
            None,
            stage,
            rows,
            &mut Stats::default(),
        )
        .map_err(|broken| broken.reason.to_string())?;
        let warnings = ended.warnings.into_iter();
        self.warnings.extend(warnings.map(|d| d.message));
        self.terminated = ended.terminated;
        let Some((slots, memory)) = rows.end.take() else {
            return Err(match &self.terminated {
                Some(message) => format!("the model ended the run at {}: {message}", ended.time),
                None => "the solver has no state that a step could end with".to_owned(),
            });
        };
        self.arriving.clear();
        self.ahead = None;
        self.now = Arc::new(Snapshot {
            origin: self.now.origin,
            time,
            slots,
            memory,
        });
        Ok(())
    }

    pub fn save(&mut self) -> RunState {
        self.live.stop();
        RunState {
            snapshot: (*self.now).clone(),
            arriving: self.arriving.clone(),
            instants: Vec::new(),
        }
    }
}

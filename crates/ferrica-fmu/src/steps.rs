//! Co-Simulation: communication steps, each a stage of a run by one of our solvers.

use std::sync::Arc;

use ferrica::grid::Grid;
use ferrica::options::{Partition, Quantum, Solver, SolverOptions};
use ferrica::pipeline::Compiled;
use ferrica::solving::{self, Stage};
use ferrica::stats::Stats;
use ferrica_codegen::runtime::Runtime;
use ferrica_codegen::{Evaluator, Slot};
use ferrica_sim::{Experiment, Initialized, Sink, Snapshot};

use crate::fmu::Fmu;
use crate::payload::Settings;
use crate::state::RunState;

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
    pub terminated: Option<String>,
    pub warnings: Vec<String>,
}

/// The end of a stage.
#[derive(Default)]
struct End(Option<(Vec<f64>, Vec<f64>)>);

impl Sink for End {
    fn row(&mut self, _time: f64, _slots: &[f64]) -> std::io::Result<()> {
        Ok(())
    }

    fn wants_event_rows(&self) -> bool {
        false
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.0 = Some((ev.slots.clone(), memory.to_vec()));
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

    /// All slots at the present time, inputs that were set since the last step included.
    pub fn all(&mut self) -> Result<&[f64], String> {
        if self.arriving.is_empty() {
            return Ok(&self.now.slots);
        }
        if self.ahead.is_none() {
            let plan = Experiment {
                start: self.time(),
                tolerance: self.tolerance,
                values: self.compiled.values.clone(),
                from: Some(Arc::clone(&self.now)),
                arriving: self.arriving.clone(),
                initialized: Some(self.initialized.clone()),
                ..Experiment::of(&self.compiled.model)
            };
            let started = ferrica_sim::start(&self.compiled.model, &plan);
            let started = started.map_err(|e| e.diagnostic().message)?;
            self.ahead = Some(started.problem.ev.slots);
        }
        Ok(self.ahead.as_deref().unwrap_or(&self.now.slots))
    }

    /// Goes on to a later time.
    pub fn step_to(&mut self, time: f64) -> Result<(), String> {
        let begin = self.time();
        let grid = Grid {
            start: begin,
            stop: time,
            interval: time - begin,
            tolerance: self.tolerance,
        };
        let stage = Stage {
            from: Some(Arc::clone(&self.now)),
            arriving: self.arriving.clone(),
            more: true,
            initialized: Some(self.initialized.clone()),
            ..Stage::default()
        };
        let mut end = End::default();
        let ended = solving::simulate_stage(
            &self.compiled,
            &grid,
            &self.solver,
            None,
            stage,
            &mut end,
            &mut Stats::default(),
        )
        .map_err(|broken| broken.reason.to_string())?;
        let warnings = ended.warnings.into_iter();
        self.warnings.extend(warnings.map(|d| d.message));
        self.terminated = ended.terminated;
        let Some((slots, memory)) = end.0 else {
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

    pub fn save(&self) -> RunState {
        RunState {
            snapshot: (*self.now).clone(),
            arriving: self.arriving.clone(),
        }
    }
}

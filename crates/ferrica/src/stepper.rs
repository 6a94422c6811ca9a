//! A run that the caller leads: from one time to the next, with inputs in between.

use std::sync::Arc;

use ferrica_codegen::Slot;
use ferrica_results::Declaration;
use ferrica_sim::{Initialized, Snapshot};

use crate::columns::{Columns, Place};
use crate::engines::solving::{self, Stage};
use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::model::{Model, Prepared, Role};
use crate::run::run_error;
use crate::signal::{Signal, misfit};
use crate::stages::grid::Grid;
use crate::stages::stats::Stats;

/// A run in steps. Inputs keep the value that was set last and jump at the beginning of a step, which is an event.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("
///     model Filter
///       input Real u(start = 0);
///       output Real y(start = 0, fixed = true);
///     equation
///       0.1*der(y) = u - y;
///     end Filter;")?;
/// let mut run = model.start(&Experiment::default().tolerance(1e-9))?;
/// run.set("u", 1.0)?;
/// run.step_to(0.1)?;
/// assert!((run.get("y")? - (1.0 - (-1.0f64).exp())).abs() < 1e-7);
/// let kept = run.save();
/// run.set("u", 0.0)?;
/// run.step_to(0.2)?;
/// run.load(&kept)?;
/// assert_eq!(run.time(), 0.1);
/// # Ok::<(), ferrica::Error>(())
/// ```
pub struct Stepper {
    model: Model,
    experiment: Experiment,
    prepared: Prepared,
    now: Arc<Snapshot>,
    arriving: Vec<(Slot, f64)>,
    terminated: Option<String>,
    /// Parameters, objects and factors; the beginning of no step needs them again.
    initialized: Option<Initialized>,
}

/// The whole state of a stepped run. As bytes it can be stored and loaded into a stepper of the same model.
///
/// ```
/// use ferrica::{Experiment, Model, Saved};
/// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?;
/// let run = model.start(&Experiment::default())?;
/// let bytes = run.save().to_bytes();
/// assert_eq!(Saved::from_bytes(&bytes)?, run.save());
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    snapshot: Arc<Snapshot>,
}

const MAGIC: &[u8; 16] = b"ferrica state 01";

impl Saved {
    /// The state as bytes.
    ///
    /// ```
    /// # use ferrica::*;
    /// let bytes = Model::from_text("model M Real x = time; end M;")?.start(&Experiment::default())?.save().to_bytes();
    /// assert!(bytes.len() > 16);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let s = &self.snapshot;
        let mut bytes = MAGIC.to_vec();
        let sizes = [s.origin, s.time, s.slots.len() as f64];
        for v in sizes.iter().chain(&s.slots).chain(&s.memory) {
            bytes.extend(v.to_bits().to_le_bytes());
        }
        bytes
    }

    /// The state behind bytes of [`Saved::to_bytes`].
    ///
    /// ```
    /// assert_eq!(ferrica::Saved::from_bytes(b"something else").unwrap_err().code(), "E0733");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Saved, Error> {
        let wrong = || Error::usage("E0733", "these bytes are no saved state");
        let body = bytes.strip_prefix(MAGIC).ok_or_else(wrong)?;
        let mut numbers = body
            .chunks_exact(8)
            .map(|c| f64::from_bits(u64::from_le_bytes(c.try_into().unwrap_or_default())));
        let mut next = || numbers.next().ok_or_else(wrong);
        let (origin, time, count) = (next()?, next()?, next()? as usize);
        let slots = (0..count).map(|_| next()).collect::<Result<_, _>>()?;
        let snapshot = Snapshot {
            origin,
            time,
            slots,
            memory: numbers.collect(),
        };
        Ok(Saved {
            snapshot: Arc::new(snapshot),
        })
    }
}

impl Model {
    /// Initializes the model for a run in steps.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x(start = 2, fixed = true); equation der(x) = 1; end M;")?.start(&Experiment::default())?;
    /// assert_eq!(run.get("x")?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn start(&self, experiment: &Experiment) -> Result<Stepper, Error> {
        let solver = experiment.solver.solver;
        if solver.bond_graph_order().is_some() {
            let word = solver.word();
            return Err(Error::usage(
                "E0730",
                format!("the solver `{word}` has no state that a step could end with"),
            ));
        }
        let plan = Experiment {
            keep: Vec::new(),
            ..experiment.clone()
        };
        let mut prepared = self.prepare(&plan)?;
        for (name, signal) in &experiment.inputs {
            match signal {
                Signal::Constant(x) => prepared.compiled.values.push((name.clone(), *x)),
                Signal::Samples { .. } => {
                    let text = format!("`{name}`: a stepped run takes inputs step by step");
                    return Err(Error::usage("E0730", text));
                }
            }
        }
        let at = prepared.grid.start;
        let mut stepper = Stepper {
            model: self.clone(),
            experiment: plan,
            prepared,
            now: Arc::default(),
            arriving: Vec::new(),
            terminated: None,
            initialized: None,
        };
        stepper.now = stepper.initial(at)?;
        Ok(stepper)
    }
}

impl Stepper {
    /// The state right after initialization.
    fn initial(&mut self, at: f64) -> Result<Arc<Snapshot>, Error> {
        let compiled = &self.prepared.compiled;
        let plan = ferrica_sim::Experiment {
            start: at,
            tolerance: self.prepared.grid.tolerance,
            values: compiled.values.clone(),
            ..ferrica_sim::Experiment::of(&compiled.model)
        };
        let started = ferrica_sim::start(&compiled.model, &plan)
            .map_err(|e| run_error(&Failure::model(e.diagnostic()), self.model.sources()))?;
        self.terminated = started.terminated;
        let snapshot = Snapshot {
            origin: at,
            time: at,
            slots: started.problem.ev.slots.clone(),
            memory: started.problem.memory(),
        };
        self.initialized = Some(Initialized(Arc::new(started.problem.ev)));
        Ok(Arc::new(snapshot))
    }

    /// The present time.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.start(&Experiment::default().start(3.0))?;
    /// assert_eq!(run.time(), 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// Sets a top-level input; it jumps there when the next step begins.
    ///
    /// ```
    /// # use ferrica::*;
    /// let mut run = Model::from_text("model M input Real u; Real y = 2*u; end M;")?.start(&Experiment::default())?;
    /// run.set("u", 3.0)?;
    /// run.step_to(0.5)?;
    /// assert_eq!(run.get("y")?, 6.0);
    /// assert_eq!(run.set("y", 1.0).unwrap_err().code(), "E0731");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set(&mut self, input: &str, value: f64) -> Result<(), Error> {
        if !value.is_finite() {
            return Err(Error::usage(
                "E0732",
                format!("{value} is no value for `{input}`"),
            ));
        }
        let model = &self.prepared.compiled.model;
        let names = || {
            let inputs = model.source.inputs.iter();
            inputs.map(|&v| (v, model.source.vars[v].var.name.as_str()))
        };
        let found = names().find(|(_, name)| *name == input);
        if let Some((v, _)) = found
            && let Some(text) = misfit(input, model.source.vars[v].var.ty, &[value])
        {
            return Err(Error::usage("E0735", text));
        }
        let place = found.and_then(|(v, _)| model.layout.place(v));
        let Some((slot, negated)) = place else {
            return Err(Error::unknown("input", input, names().map(|(_, n)| n)));
        };
        let value = if negated { -value } else { value };
        self.arriving.retain(|a| a.0 != slot);
        self.arriving.push((slot, value));
        Ok(())
    }

    /// The present value of a variable.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = 3 + time; end M;")?.start(&Experiment::default())?;
    /// assert_eq!(run.get("x")?, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        if name == "time" {
            return Ok(self.time());
        }
        let kept = &self.prepared.kept;
        let Some(&k) = kept.index.get(name) else {
            let names = kept.variables.iter().map(|v| v.name.as_str());
            return Err(Error::unknown("variable", name, names));
        };
        let (slot, negated) = match kept.variables[k].place {
            Place::Column(c, negated) => (kept.columns[c].0, kept.columns[c].1 != negated),
            Place::Constant(c) => kept.constants[c],
        };
        let value = self.now.slots.get(slot as usize).copied();
        let value = value.unwrap_or(f64::NAN);
        Ok(if negated { -value } else { value })
    }

    /// What the model says of a variable: unit, type and description.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x(unit = \"V\") = time; end M;")?.start(&Experiment::default())?;
    /// assert_eq!(run.declared("x")?.unit, "V");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn declared(&self, name: &str) -> Result<&Declaration, Error> {
        let kept = &self.prepared.kept;
        let names = || kept.variables.iter().map(|v| v.name.as_str());
        let found = kept.index.get(name);
        let found = found.ok_or_else(|| Error::unknown("variable", name, names()))?;
        Ok(&kept.variables[*found].declared)
    }

    /// Goes on to a later time.
    ///
    /// ```
    /// # use ferrica::*;
    /// let mut run = Model::from_text("model M Real x(start = 0, fixed = true); equation der(x) = 2; end M;")?.start(&Experiment::default())?;
    /// run.step_to(0.5)?;
    /// assert!((run.get("x")? - 1.0).abs() < 1e-9);
    /// assert_eq!(run.step_to(0.25).unwrap_err().code(), "E0702");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn step_to(&mut self, time: f64) -> Result<(), Error> {
        let begin = self.time();
        if !(time >= begin && time.is_finite()) {
            let text = format!("a step from {begin} cannot go to {time}");
            return Err(Error::usage("E0702", text));
        }
        if let Some(message) = &self.terminated {
            let text = format!("the model ended the run at {begin}: {message}");
            return Err(Error::of(ErrorKind::Run, "E0734", text, None));
        }
        if time == begin {
            return Ok(());
        }
        let grid = Grid {
            start: begin,
            stop: time,
            interval: time - begin,
            ..self.prepared.grid
        };
        let stage = Stage {
            from: Some(Arc::clone(&self.now)),
            arriving: std::mem::take(&mut self.arriving),
            more: true,
            initialized: self.initialized.clone(),
            ..Stage::default()
        };
        let interrupt = self.experiment.interrupt.clone();
        let mut columns = Columns::new(Arc::default(), false, interrupt);
        let ended = solving::simulate_stage(
            &self.prepared.compiled,
            &grid,
            &self.experiment.solver,
            None,
            stage,
            &mut columns,
            &mut Stats::default(),
        );
        let ended = ended.map_err(|broken| run_error(&broken.reason, self.model.sources()))?;
        self.terminated = ended.terminated;
        let Some((slots, memory)) = columns.end else {
            let text = match &self.terminated {
                Some(message) => format!("the model ended the run at {}: {message}", ended.time),
                None => "the solver has no state that a step could end with".to_owned(),
            };
            return Err(Error::of(ErrorKind::Run, "E0734", text, None));
        };
        self.now = Arc::new(Snapshot {
            origin: self.now.origin,
            time,
            slots,
            memory,
        });
        Ok(())
    }

    /// Keeps the present state.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.start(&Experiment::default())?;
    /// let saved = run.save();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn save(&self) -> Saved {
        Saved {
            snapshot: Arc::clone(&self.now),
        }
    }

    /// Goes back to a state of a stepper of the same model.
    ///
    /// ```
    /// # use ferrica::*;
    /// let mut run = Model::from_text("model M Real x = time; end M;")?.start(&Experiment::default())?;
    /// let saved = run.save();
    /// run.step_to(1.0)?;
    /// run.load(&saved)?;
    /// assert_eq!(run.get("x")?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load(&mut self, saved: &Saved) -> Result<(), Error> {
        if saved.snapshot.slots.len() != self.now.slots.len() {
            return Err(Error::usage(
                "E0733",
                "the saved state belongs to another model",
            ));
        }
        self.now = Arc::clone(&saved.snapshot);
        self.arriving.clear();
        self.terminated = None;
        Ok(())
    }

    /// The names of the top-level inputs that can be set.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M input Real u; Real y = u; end M;")?.start(&Experiment::default())?;
    /// assert_eq!(run.inputs(), ["u"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn inputs(&self) -> Vec<String> {
        let inputs = self.model.inputs().into_iter();
        inputs
            .filter(|v| v.role == Role::Input)
            .map(|v| v.name)
            .collect()
    }
}

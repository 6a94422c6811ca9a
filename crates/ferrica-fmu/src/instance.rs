//! An instance of a model at a point of its life, whatever version of FMI leads it.

mod values;

use std::ffi::{CString, c_void};
use std::sync::Arc;

use ferrica_ir::VarId;
use ferrica_sim::Experiment;
use serde::{Deserialize, Serialize};

use crate::exchange::{Exchange, Settled};
use crate::fmu::Fmu;
use crate::log::{Log, Status};
use crate::state::State;
use crate::steps::{Begin, Done, Point, Steps, Watch};
use crate::tangents::Tangents;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    ModelExchange,
    CoSimulation,
}

/// The states of the state machines of FMI, by what may be called in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    Instantiated,
    Initialization,
    Event,
    Continuous,
    Step,
    Terminated,
    Failed,
    /// Inside of a communication step, at a point on its way.
    Intermediate,
}

/// What an importer and an instance for Co-Simulation have agreed upon.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    pub event_mode: bool,
    pub early_return: bool,
    /// Does the importer hear of points inside of steps?
    pub updates: bool,
}

/// What a communication step has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// It ended at an event before its end.
    pub at_event: bool,
    /// Points on its way that can be looked at.
    pub points: usize,
}

/// Why a call was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub status: Status,
    pub message: String,
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal {
            status: Status::Error,
            message,
        }
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Refusal {
        message.to_owned().into()
    }
}

/// A point at which the equations have no solution: the caller may try one that is nearer.
pub(crate) fn discard(message: String) -> Refusal {
    Refusal {
        status: Status::Discard,
        message,
    }
}

pub type Answer<T = ()> = Result<T, Refusal>;

enum Engine {
    /// Not initialized, or no longer so: something has been set since.
    None,
    Exchange(Box<Exchange>),
    Steps(Box<Steps>),
}

/// environment, time, set requested, get allowed, step finished, can return early; early return requested, its time
pub type Update = unsafe extern "C" fn(*mut c_void, f64, u8, u8, u8, u8, *mut u8, *mut f64);

pub struct Instance {
    pub fmu: Fmu,
    pub interface: Interface,
    pub phase: Phase,
    pub log: Log,
    start: f64,
    tolerance: f64,
    /// Values of parameters, start values and inputs that were set before the run.
    given: Vec<(VarId, f64)>,
    engine: Engine,
    tangents: Option<Box<Tangents>>,
    /// Texts that were handed out last.
    texts: Vec<CString>,
    pub agreement: Agreement,
    /// Who hears of points inside of steps.
    pub updates: Option<(Update, *mut c_void)>,
    /// Points inside of the present step, and where it began.
    points: Vec<Point>,
    begin: Option<Begin>,
    looked_at: usize,
}

/// Times of one communication point as different programs compute them.
fn is_now(now: f64, given: f64, step: f64) -> bool {
    (now - given).abs() <= 1e-6 * step.abs() + 8.0 * f64::EPSILON * now.abs()
}

impl Instance {
    pub fn new(mut fmu: Fmu, interface: Interface, log: Log) -> Instance {
        if let Some(note) = fmu.take_note() {
            log.tell(Status::Warning, &note);
        }
        Instance {
            start: fmu.start,
            tolerance: fmu.tolerance,
            fmu,
            interface,
            phase: Phase::Instantiated,
            log,
            given: Vec::new(),
            engine: Engine::None,
            tangents: None,
            texts: Vec::new(),
            agreement: Agreement::default(),
            updates: None,
            points: Vec::new(),
            begin: None,
            looked_at: 0,
        }
    }

    /// Only in these phases.
    pub fn require(&self, call: &str, phases: &[Phase]) -> Answer {
        if phases.contains(&self.phase) {
            return Ok(());
        }
        let phase = match self.phase {
            Phase::Instantiated => "right after instantiation",
            Phase::Initialization => "in initialization mode",
            Phase::Event => "in event mode",
            Phase::Continuous => "in continuous-time mode",
            Phase::Step => "in step mode",
            Phase::Terminated => "after termination",
            Phase::Failed => "after an error",
            Phase::Intermediate => "inside of a communication step",
        };
        Err(format!("{call} is not allowed {phase}").into())
    }

    pub fn setup(&mut self, tolerance: Option<f64>, start: f64, stop: Option<f64>) -> Answer {
        if !start.is_finite() || stop.is_some_and(|stop| stop.is_nan() || stop < start) {
            return Err(format!("a run cannot go from {start} to {stop:?}").into());
        }
        if let Some(t) = tolerance {
            if !(t > 0.0 && t < 1.0) {
                return Err(format!("the tolerance {t} is not between 0 and 1").into());
            }
            self.tolerance = t;
        }
        self.start = start;
        self.engine = Engine::None;
        Ok(())
    }

    fn plan(&self) -> Experiment {
        let named = |&(v, x): &(VarId, f64)| (self.fmu.name(v).to_owned(), x);
        Experiment {
            start: self.start,
            tolerance: self.tolerance,
            values: self.given.iter().map(named).collect(),
            ..Experiment::of(&self.fmu.model)
        }
    }

    fn begin(&mut self, plan: &Experiment) -> Answer {
        self.engine = match self.interface {
            Interface::ModelExchange => {
                Engine::Exchange(Box::new(Exchange::start(&self.fmu, plan)?))
            }
            Interface::CoSimulation => Engine::Steps(Box::new(Steps::start(&self.fmu, plan)?)),
        };
        self.tell_warnings();
        Ok(())
    }

    /// Solves the initial equations, if that has not been done with the values as they are.
    fn ready(&mut self) -> Answer {
        if matches!(self.engine, Engine::None) {
            let plan = self.plan();
            self.begin(&plan)?;
        }
        Ok(())
    }

    fn tell_warnings(&mut self) {
        let warnings = match &mut self.engine {
            Engine::None => return,
            Engine::Exchange(e) => &mut e.warnings,
            Engine::Steps(s) => &mut s.warnings,
        };
        for message in std::mem::take(warnings) {
            self.log.tell(Status::Warning, &message);
        }
    }

    pub fn exit_initialization(&mut self) -> Answer {
        self.ready()?;
        self.phase = match self.interface {
            Interface::ModelExchange => Phase::Event,
            Interface::CoSimulation if self.agreement.event_mode => Phase::Event,
            Interface::CoSimulation => Phase::Step,
        };
        Ok(())
    }

    /// As after instantiation.
    pub fn reset(&mut self) {
        self.phase = Phase::Instantiated;
        self.given.clear();
        self.engine = Engine::None;
        self.tangents = None;
        (self.points, self.begin) = (Vec::new(), None);
        (self.start, self.tolerance) = (self.fmu.start, self.fmu.tolerance);
    }

    pub fn exchange(&mut self) -> Answer<&mut Exchange> {
        self.ready()?;
        match &mut self.engine {
            Engine::Exchange(e) => Ok(e),
            _ => Err("this is no instance for Model Exchange".into()),
        }
    }

    fn steps(&mut self) -> Answer<&mut Steps> {
        match &mut self.engine {
            Engine::Steps(s) => Ok(s),
            _ => Err("this is no initialized instance for Co-Simulation".into()),
        }
    }

    pub fn event(&mut self) -> Answer<Settled> {
        if let Engine::Steps(s) = &mut self.engine {
            let settled = s.settle()?;
            self.tell_warnings();
            return Ok(settled);
        }
        let settled = self.exchange()?.event()?;
        self.tell_warnings();
        if let Engine::Exchange(e) = &self.engine
            && let Some(message) = &e.terminated
        {
            let text = format!("the model ends the run at {}: {message}", e.time());
            self.log.tell(Status::Ok, &text);
        }
        Ok(settled)
    }

    pub fn completed_step(&mut self) -> Answer<bool> {
        let wants_event = self.exchange()?.completed()?;
        self.tell_warnings();
        Ok(wants_event)
    }

    /// Event indicators at the present point.
    pub fn indicators(&mut self, out: &mut [f64]) -> Answer {
        if out.len() != self.fmu.crossings.len() {
            let count = self.fmu.crossings.len();
            return Err(format!("there are {count} event indicators, not {}", out.len()).into());
        }
        self.exchange()?.zeros().map_err(discard)?;
        if let Engine::Exchange(e) = &self.engine {
            for (k, z) in out.iter_mut().enumerate() {
                *z = self.fmu.indicator(k, &e.problem.ev.slots);
            }
        }
        Ok(())
    }

    fn count_states(&self, n: usize) -> Answer {
        match self.states() {
            own if own == n => Ok(()),
            own => Err(format!("there are {own} states, not {n}").into()),
        }
    }

    pub fn derivatives(&mut self, out: &mut [f64]) -> Answer {
        self.count_states(out.len())?;
        out.copy_from_slice(self.exchange()?.derivatives().map_err(discard)?);
        Ok(())
    }

    pub fn continuous_states(&mut self, out: &mut [f64]) -> Answer {
        self.count_states(out.len())?;
        out.copy_from_slice(self.exchange()?.states());
        Ok(())
    }

    pub fn set_states(&mut self, x: &[f64]) -> Answer {
        self.count_states(x.len())?;
        self.exchange()?.set_states(x);
        Ok(())
    }

    /// Magnitudes of the states.
    pub fn nominals(&self, out: &mut [f64]) -> Answer {
        self.count_states(out.len())?;
        let first = self.fmu.model.layout.states;
        for (k, x) in (0..).zip(out) {
            *x = self.fmu.model.nominal(first + k);
        }
        Ok(())
    }

    /// Derivatives of unknowns in a direction of knowns.
    pub fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Answer {
        let (fmu, slots, tangents) = self.point()?;
        Ok(tangents.directional(fmu, slots, (unknowns, knowns), seed, out)?)
    }

    /// A direction of unknowns times the derivatives of unknowns by knowns.
    pub fn adjoint(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        out: &mut [f64],
    ) -> Answer {
        let (fmu, slots, tangents) = self.point()?;
        Ok(tangents.adjoint(fmu, slots, (unknowns, knowns), seed, out)?)
    }

    /// The present point, and the model's derivatives.
    fn point(&mut self) -> Answer<(&Fmu, &[f64], &mut Tangents)> {
        let phases = [
            Phase::Initialization,
            Phase::Event,
            Phase::Continuous,
            Phase::Step,
            Phase::Terminated,
        ];
        self.require("the call", &phases)?;
        self.ready()?;
        if self.tangents.is_none() {
            let objects = match &self.engine {
                Engine::Exchange(e) => &e.problem.ev.rt,
                Engine::Steps(s) => s.objects(),
                Engine::None => return Err("the model is not initialized".into()),
            };
            self.tangents = Some(Box::new(Tangents::new(&self.fmu, objects)?));
        }
        let slots = match &mut self.engine {
            Engine::Exchange(e) => e.all()?,
            Engine::Steps(s) => s.all()?,
            Engine::None => &[],
        };
        match &mut self.tangents {
            Some(tangents) => Ok((&self.fmu, slots, tangents)),
            None => Err("the model has no derivatives".into()),
        }
    }

    pub fn states(&self) -> usize {
        self.fmu.model.layout.n_states
    }

    /// One communication step.
    pub fn do_step(&mut self, from: f64, step: f64) -> Answer<Stepped> {
        let agreement = self.agreement;
        let steps = self.steps()?;
        let now = steps.time();
        if !(step >= 0.0 && step.is_finite() && from.is_finite()) {
            return Err(format!("a step from {from} by {step} leads nowhere").into());
        }
        if !is_now(now, from, step) {
            return Err(format!("the step begins at {from}, but the model is at {now}").into());
        }
        if let Some(message) = &steps.terminated {
            return Err(discard(format!(
                "the model has ended the run at {now}: {message}"
            )));
        }
        let watch = Watch {
            points: agreement.updates,
            events: agreement.event_mode && agreement.early_return,
        };
        let begin = watch.points.then(|| steps.begin());
        let done = match step > 0.0 {
            true => steps.step_to(from + step, watch),
            false => Ok(Done::default()),
        };
        let ended = steps.terminated.is_some();
        self.tell_warnings();
        let done = done.map_err(|message| Refusal {
            status: if ended {
                Status::Discard
            } else {
                Status::Error
            },
            message,
        })?;
        let stepped = Stepped {
            at_event: done.at_event,
            points: done.points.len(),
        };
        if stepped.points > 0 {
            (self.points, self.begin) = (done.points, begin);
        }
        Ok(stepped)
    }

    /// Point k of the step that has just been computed: what is read now is read there. Its time.
    pub fn look_at(&mut self, k: usize) -> Answer<f64> {
        let point = self.points.get(k).ok_or("there is no such point")?;
        (self.looked_at, self.phase) = (k, Phase::Intermediate);
        Ok(point.0)
    }

    /// All points have been looked at. With a time the step shall have ended there.
    pub fn end_looking(&mut self, early: Option<f64>) -> Answer {
        self.phase = Phase::Step;
        self.points = Vec::new();
        let begin = self.begin.take();
        if let (Some(time), Some(begin)) = (early, begin) {
            let steps = self.steps()?;
            steps.go_back(begin);
            if time > steps.time() {
                steps.step_to(time, Watch::default())?;
            }
            self.tell_warnings();
        }
        Ok(())
    }

    /// The present time of the model.
    pub fn time(&self) -> f64 {
        match &self.engine {
            Engine::None => self.start,
            Engine::Exchange(e) => e.time(),
            Engine::Steps(s) => s.time(),
        }
    }

    /// Has the model ended the run?
    pub fn has_ended(&self) -> bool {
        match &self.engine {
            Engine::None => false,
            Engine::Exchange(e) => e.terminated.is_some(),
            Engine::Steps(s) => s.terminated.is_some(),
        }
    }

    pub fn save(&mut self) -> State {
        State {
            phase: self.phase,
            given: self.given.clone(),
            start: self.start,
            tolerance: self.tolerance,
            run: match &mut self.engine {
                Engine::None => None,
                Engine::Exchange(e) => Some(e.save()),
                Engine::Steps(s) => Some(s.save()),
            },
        }
    }

    pub fn load(&mut self, state: &State) -> Answer {
        let vars = self.fmu.model.source.vars.len();
        let slots = self.fmu.model.slot_count();
        let fits = |s: &State| {
            s.given.iter().all(|g| (g.0.as_u32() as usize) < vars)
                && s.run.as_ref().is_none_or(|r| {
                    // Quantized states have some of their own behind those of the model.
                    r.snapshot.slots.len() >= slots
                        && r.arriving.iter().all(|a| (a.0 as usize) < slots)
                })
        };
        const FOREIGN: &str = "the state belongs to another FMU or to its other interface";
        if !fits(state) {
            return Err(FOREIGN.into());
        }
        self.given.clone_from(&state.given);
        (self.start, self.tolerance) = (state.start, state.tolerance);
        self.engine = Engine::None;
        if let Some(run) = &state.run {
            let plan = Experiment {
                start: run.snapshot.time,
                from: Some(Arc::new(run.snapshot.clone())),
                ..self.plan()
            };
            self.begin(&plan)?;
            if let Engine::Exchange(e) = &mut self.engine
                && !e.expect(&run.instants)
            {
                self.engine = Engine::None;
                return Err(FOREIGN.into());
            }
            for &(slot, value) in &run.arriving {
                match &mut self.engine {
                    Engine::Exchange(e) => e.jump(slot, value),
                    Engine::Steps(s) => s.set(slot, value),
                    Engine::None => {}
                }
            }
        }
        self.phase = state.phase;
        Ok(())
    }
}

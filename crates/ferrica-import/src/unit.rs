//! An instance of an FMU in a run: what its block asks for, in the order in which FMI allows it.

use std::ffi::CString;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use crate::archive::{describe, unpack};
use crate::block::Lists;
use crate::description::{Causality, Description, Type, Version};
use crate::interface::Interface;
use crate::{fmi2, fmi3};

/// What the block says when it makes an instance.
pub struct Request<'a> {
    pub file: &'a Path,
    pub token: &'a str,
    pub name: &'a str,
    pub exchange: bool,
    pub tolerance: f64,
    /// Values of parameters, one after the other.
    pub numbers: &'a [f64],
    pub texts: &'a [String],
    /// May code of others run?
    pub consent: bool,
}

/// Calls of one instance come one at a time.
pub struct Unit(Mutex<Inner>);

struct Inner {
    instance: Box<dyn Interface>,
    description: Description,
    lists: Lists,
    /// The discrete variables of the lists, and their groups.
    discrete: Reading,
    groups: Vec<Reading>,
    numbers: Vec<f64>,
    texts: Vec<String>,
    exchange: bool,
    tolerance: f64,
    /// Inputs as they were set last.
    inputs: Vec<f64>,
    time: f64,
    /// Length of the last communication step.
    step: f64,
    /// Time of the start, and the one that the last event of the FMU had.
    begin: f64,
    earliest: f64,
    states: Vec<f64>,
    phase: Phase,
    /// Events so far: what the block knows of the instance's discrete state.
    events: u64,
    /// What the last event was asked and what it answered.
    last: Option<(EventPoint, Answer)>,
    /// Beside the state that the FMU keeps: inputs, time, phase.
    kept: Option<(Vec<f64>, f64, Phase)>,
}

/// A variable that other units read.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its number in the description.
    pub variable: usize,
    /// Does it move along a line?
    pub continuous: bool,
    /// Its magnitude, where that is told.
    pub nominal: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Instantiated,
    Started,
    Ended,
}

#[derive(Clone, Debug, PartialEq)]
struct EventPoint {
    time: f64,
    states: Vec<f64>,
    inputs: Vec<f64>,
}

/// After the start, an event or a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub states: Vec<f64>,
    /// Time of the next event; far away if there is none.
    pub next: f64,
    /// The FMU ends the run.
    pub ended: bool,
    pub discrete: Vec<f64>,
}

/// A time that no run reaches.
pub const NEVER: f64 = 1e60;

/// Hysteresis of conditions at an event in parts of the tolerance, as in every run.
const BAND: f64 = 10.0;

/// Rounds of an event after which it has no end.
const MOST_ROUNDS: usize = 1000;

impl Unit {
    pub fn new(r: &Request) -> Result<Unit, String> {
        let description = describe(r.file)?;
        if description.token != r.token {
            return Err(format!(
                "{} is not the FMU that the block was made from: import it again",
                r.file.display()
            ));
        }
        let offer = match r.exchange {
            true => &description.exchange,
            false => &description.steps,
        };
        let offer = offer
            .as_ref()
            .ok_or("the FMU does not have this interface")?;
        let files = unpack(r.file, description.version, offer, r.consent)?;
        let name = CString::new(r.name).map_err(|_| "a name has a zero in it".to_owned())?;
        let instance: Box<dyn Interface> = match description.version {
            Version::Fmi2 => Box::new(fmi2::Instance::new(files, &description, &name, r.exchange)?),
            Version::Fmi3 => Box::new(fmi3::Instance::new(files, &description, &name, r.exchange)?),
        };
        let lists = Lists::new(&description, r.exchange);
        let size = |list: &[usize]| list.iter().map(|&k| description.variables[k].size()).sum();
        let wanted: usize = size(&lists.numbers);
        if r.numbers.len() != wanted || r.texts.len() != lists.texts.len() {
            return Err("the block has other parameters than the FMU: import it again".to_owned());
        }
        let inputs: usize = size(&lists.inputs);
        Ok(Unit(Mutex::new(Inner {
            instance,
            inputs: vec![f64::NAN; inputs],
            states: vec![f64::NAN; description.states],
            discrete: Reading::new(&description, &lists.discrete),
            groups: (lists.groups.iter())
                .map(|g| Reading::new(&description, &g.variables))
                .collect(),
            description,
            lists,
            numbers: r.numbers.to_vec(),
            texts: r.texts.to_vec(),
            exchange: r.exchange,
            tolerance: r.tolerance,
            time: f64::NAN,
            step: 0.0,
            begin: f64::NAN,
            earliest: f64::NEG_INFINITY,
            phase: Phase::Instantiated,
            events: 0,
            last: None,
            kept: None,
        })))
    }

    fn lock(&self) -> Result<MutexGuard<'_, Inner>, String> {
        (self.0.lock()).map_err(|_| "the FMU has failed before".to_owned())
    }

    /// Initializes, with the inputs at the start.
    pub fn start(&self, time: f64, inputs: &[f64]) -> Result<Answer, String> {
        self.lock()?.start(time, inputs)
    }

    /// The event at a point; how many there were before it.
    pub fn event(
        &self,
        before: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
        sides: &[f64],
    ) -> Result<Answer, String> {
        self.lock()?.event(before, time, states, inputs, sides)
    }

    pub fn derivatives(
        &self,
        events: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
        out: &mut [f64],
    ) -> Result<(), String> {
        let mut inner = self.lock()?;
        inner.place(events, time, states, inputs)?;
        inner.instance.derivatives(out)
    }

    pub fn indicators(
        &self,
        events: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
        out: &mut [f64],
    ) -> Result<(), String> {
        let mut inner = self.lock()?;
        inner.place(events, time, states, inputs)?;
        inner.instance.indicators(out)
    }

    /// Continuous variables of one group; only some of the inputs matter for them.
    pub fn values(
        &self,
        events: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
        group: usize,
        out: &mut [f64],
    ) -> Result<(), String> {
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        let all = inner.inputs_of(group, inputs)?;
        inner.place(events, time, states, &all)?;
        let reading = inner.groups.get(group).ok_or("there is no such group")?;
        reading.read(&mut *inner.instance, out)
    }

    /// A step of the integrator is done; all equations have been evaluated at its end.
    pub fn step_done(&self, time: f64) -> Result<(), String> {
        let mut inner = self.lock()?;
        if !inner.exchange || inner.phase != Phase::Started || inner.time != time {
            return Ok(());
        }
        let after = inner.instance.completed_step()?;
        match (after.ended, after.event) {
            (true, _) => Err(format!("the FMU ends the run after the step to {time}")),
            (_, true) => {
                Err("the FMU asks for an event after a step, which is not supported".to_owned())
            }
            _ => Ok(()),
        }
    }

    pub fn time(&self) -> Result<f64, String> {
        Ok(self.lock()?.time)
    }

    pub fn can_go_back(&self) -> bool {
        self.lock()
            .is_ok_and(|inner| inner.instance.shared().can_go_back())
    }

    /// Initializes with the inputs that the FMU has by itself.
    pub fn begin(&self, time: f64) -> Result<Answer, String> {
        let mut inner = self.lock()?;
        let inputs = inner.own_inputs();
        inner.start(time, &inputs)
    }

    /// Initializes again, if these are not the inputs that it was initialized with.
    pub fn begin_with(&self, inputs: &[f64]) -> Result<(), String> {
        let mut inner = self.lock()?;
        let time = inner.begin;
        inner.start(time, inputs).map(|_| ())
    }

    /// Keeps the present state, to go back to it.
    pub fn keep(&self) -> Result<(), String> {
        let mut inner = self.lock()?;
        inner.instance.shared_mut().keep()?;
        inner.kept = Some((inner.inputs.clone(), inner.time, inner.phase));
        Ok(())
    }

    pub fn go_back(&self) -> Result<(), String> {
        let mut inner = self.lock()?;
        let kept = inner.kept.clone().ok_or("no state of the FMU was kept")?;
        inner.instance.shared().go_back()?;
        (inner.inputs, inner.time, inner.phase) = kept;
        Ok(())
    }

    /// A variable by its name, one number.
    pub fn source(&self, name: &str) -> Result<Source, String> {
        let inner = self.lock()?;
        let mut all = inner.description.variables.iter();
        let found = all.position(|v| v.name == name && v.ty.is_number() && v.size() == 1);
        let variable = found.ok_or_else(|| format!("the FMU has no number `{name}`"))?;
        Ok(inner.source(variable))
    }

    /// All outputs that are one number.
    pub fn outputs(&self) -> Result<Vec<Source>, String> {
        let inner = self.lock()?;
        let all = inner.description.variables.iter().enumerate();
        let outputs = all
            .filter(|(_, v)| v.causality == Causality::Output && v.ty.is_number() && v.size() == 1);
        Ok(outputs.map(|(k, _)| inner.source(k)).collect())
    }

    /// The present value of a variable that is one number.
    pub fn read(&self, variable: usize) -> Result<f64, String> {
        let mut inner = self.lock()?;
        let v = &inner.description.variables[variable];
        let (ty, reference) = (v.ty, v.reference);
        let mut out = [0.0];
        inner.instance.get(ty, &[reference], &mut out)?;
        Ok(out[0])
    }

    /// Goes on to a time with the inputs that hold until then.
    pub fn step_to(&self, time: f64, inputs: &[f64]) -> Result<(), String> {
        self.lock()?.step(time, inputs)
    }

    /// Variables as they are now.
    pub fn now(&self) -> Result<Answer, String> {
        self.lock()?.answer(None)
    }

    /// Goes on to a time with the inputs that hold until then; variables after it.
    pub fn step(&self, time: f64, inputs: &[f64]) -> Result<Answer, String> {
        let mut inner = self.lock()?;
        inner.step(time, inputs)?;
        inner.answer(None)
    }
}

/// Neighbours of one type in a list of variables: what one call reads.
struct Run {
    ty: Type,
    references: Vec<u32>,
    /// Numbers of all of them.
    size: usize,
}

/// A list of variables, to be read with as few calls as there are changes of type.
struct Reading(Vec<Run>);

impl Reading {
    fn new(d: &Description, list: &[usize]) -> Reading {
        let mut runs: Vec<Run> = Vec::new();
        for v in list.iter().map(|&k| &d.variables[k]) {
            match runs.last_mut().filter(|run| run.ty == v.ty) {
                Some(run) => {
                    run.references.push(v.reference);
                    run.size += v.size();
                }
                None => runs.push(Run {
                    ty: v.ty,
                    references: vec![v.reference],
                    size: v.size(),
                }),
            }
        }
        Reading(runs)
    }

    fn size(&self) -> usize {
        self.0.iter().map(|run| run.size).sum()
    }

    fn read(&self, instance: &mut dyn Interface, out: &mut [f64]) -> Result<(), String> {
        let mut rest = out;
        for run in &self.0 {
            let (here, more) = rest
                .split_at_mut_checked(run.size)
                .ok_or("there is no room for the values: import the FMU again")?;
            instance.get(run.ty, &run.references, here)?;
            rest = more;
        }
        Ok(())
    }
}

impl Inner {
    /// All inputs, with those that a group depends on replaced.
    fn inputs_of(&self, group: usize, given: &[f64]) -> Result<Vec<f64>, String> {
        let group = (self.lists.groups.get(group)).ok_or("there is no such group of variables")?;
        let mut all = self.inputs.clone();
        let (mut at, mut taken) = (0, 0);
        for &k in &self.lists.inputs {
            let n = self.description.variables[k].size();
            if group.inputs.contains(&k) {
                let values = given.get(taken..taken + n).ok_or("an input is missing")?;
                all[at..at + n].copy_from_slice(values);
                taken += n;
            }
            at += n;
        }
        Ok(all)
    }

    fn source(&self, variable: usize) -> Source {
        let v = &self.description.variables[variable];
        let nominal = v.nominal.as_ref().and_then(|n| n.trim().parse().ok());
        Source {
            variable,
            continuous: self.lists.is_continuous(v),
            nominal: nominal.map(f64::abs),
        }
    }

    /// Inputs as the FMU has them before anyone sets them.
    fn own_inputs(&self) -> Vec<f64> {
        let each = self.lists.inputs.iter().flat_map(|&k| {
            let v = &self.description.variables[k];
            (0..v.size()).map(|k| v.start_number(k).unwrap_or(f64::NAN))
        });
        each.collect()
    }

    fn set_parameters(&mut self) -> Result<(), String> {
        let mut at = 0;
        for &k in &self.lists.numbers {
            let v = &self.description.variables[k];
            let given = &self.numbers[at..at + v.size()];
            // An FMU has its start values. Some refuse to be told those of what they compute.
            if !v.starts_with(given) {
                self.instance.set(v, given)?;
            }
            at += v.size();
        }
        for (&k, text) in self.lists.texts.iter().zip(&self.texts) {
            let v = &self.description.variables[k];
            if v.start.first() != Some(text) {
                self.instance.set_text(v, text)?;
            }
        }
        Ok(())
    }

    /// Sets inputs that have changed; between events only those that may change there.
    fn set_inputs(&mut self, inputs: &[f64], all: bool) -> Result<(), String> {
        let mut at = 0;
        for &k in &self.lists.inputs {
            let v = &self.description.variables[k];
            let range = at..at + v.size();
            at = range.end;
            let new = inputs.get(range.clone()).ok_or("an input is missing")?;
            if new == &self.inputs[range.clone()] || !(all || self.lists.is_continuous(v)) {
                continue;
            }
            if new.iter().any(|x| x.is_nan()) {
                continue;
            }
            self.instance.set(v, new)?;
            self.inputs[range].copy_from_slice(new);
        }
        Ok(())
    }

    fn start(&mut self, time: f64, inputs: &[f64]) -> Result<Answer, String> {
        if self.phase != Phase::Instantiated {
            if let Some((point, answer)) = &self.last
                && point.time == time
                && point.inputs == inputs
            {
                return Ok(answer.clone());
            }
            // The inputs at the start were not the right ones yet, or another run begins.
            self.instance.reset()?;
            self.inputs.fill(f64::NAN);
        }
        self.set_parameters()?;
        self.instance
            .enter_initialization(Some(self.tolerance), time)?;
        self.set_inputs(inputs, true)?;
        self.instance.exit_initialization()?;
        self.phase = Phase::Started;
        (self.events, self.time) = (0, time);
        (self.begin, self.earliest) = (time, time);
        let answer = match self.exchange {
            true => self.settle()?,
            false => self.answer(None)?,
        };
        let point = EventPoint {
            time,
            states: Vec::new(),
            inputs: inputs.to_vec(),
        };
        self.last = Some((point, answer.clone()));
        Ok(answer)
    }

    /// In event mode: rounds until nothing changes.
    fn settle(&mut self) -> Result<Answer, String> {
        let mut next = None;
        for round in 0.. {
            let update = self.instance.update_discrete_states()?;
            next = update.next;
            if update.terminate {
                self.phase = Phase::Ended;
                return self.answer(None);
            }
            if !update.again {
                break;
            }
            if round == MOST_ROUNDS {
                return Err(format!("the event at time {} has no end", self.time));
            }
        }
        self.instance.enter_continuous_time_mode()?;
        self.answer(next)
    }

    fn answer(&mut self, next: Option<f64>) -> Result<Answer, String> {
        if self.exchange {
            self.instance.states(&mut self.states)?;
        }
        let mut discrete = vec![0.0; self.discrete.size()];
        self.discrete.read(&mut *self.instance, &mut discrete)?;
        Ok(Answer {
            states: self.states.clone(),
            next: next.unwrap_or(NEVER),
            ended: self.phase == Phase::Ended,
            discrete,
        })
    }

    /// Goes to a point between two events.
    fn place(
        &mut self,
        events: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
    ) -> Result<(), String> {
        if self.phase == Phase::Instantiated {
            self.start(time, inputs)?;
        }
        // The run ends in this instant, with the values that the FMU has.
        if self.phase == Phase::Ended {
            return Ok(());
        }
        // While an event is settled its equations are still asked for once or twice with the count before it.
        if events > self.events || events + 1 < self.events {
            return Err("the FMU cannot go back behind an event".to_owned());
        }
        if time != self.time {
            self.instance.set_time(time.max(self.earliest))?;
            self.time = time;
        }
        if states != self.states {
            self.instance.set_states(states)?;
            self.states.clear();
            self.states.extend_from_slice(states);
        }
        self.set_inputs(inputs, false)
    }

    /// An engine may stop a rounding, or a quantum, before a crossing that it knows of; an FMU decides by its own values. So it is asked where
    /// the crossing has been passed: a little further along the derivatives.
    fn pass(&mut self, sides: &[f64]) -> Result<(), String> {
        let mut z = vec![0.0; self.description.indicators];
        if sides.len() != z.len() || sides.iter().all(|&side| side == 0.0) {
            return Ok(());
        }
        let missed = |z: &[f64]| {
            let mut both = z.iter().zip(sides);
            both.position(|(&z, &side)| side != 0.0 && (z > 0.0) != (side > 0.0))
        };
        self.instance.indicators(&mut z)?;
        if missed(&z).is_none() {
            return Ok(());
        }
        let (x, t) = (self.states.clone(), self.time);
        let mut rates = vec![0.0; x.len()];
        self.instance.derivatives(&mut rates)?;
        let nominals = self.description.state_nominals();
        let band = BAND * self.tolerance;
        let mut dt = t.next_up() - t;
        loop {
            let moved: Vec<f64> = x.iter().zip(&rates).map(|(x, r)| x + r * dt).collect();
            self.instance.set_time(t + dt)?;
            self.instance.set_states(&moved)?;
            self.instance.indicators(&mut z)?;
            let Some(k) = missed(&z) else {
                (self.states, self.earliest) = (moved, t + dt);
                return Ok(());
            };
            let mut steps = x.iter().zip(&rates).zip(&nominals);
            let far = steps.any(|((x, r), n)| (r * dt).abs() > band * x.abs().max(*n));
            if far && dt > band * (t - self.begin) {
                return Err(format!(
                    "event indicator {} of the FMU does not change its sign at {t}, where it crosses zero",
                    k + 1
                ));
            }
            dt *= 2.0;
        }
    }

    fn event(
        &mut self,
        before: u64,
        time: f64,
        states: &[f64],
        inputs: &[f64],
        sides: &[f64],
    ) -> Result<Answer, String> {
        let point = EventPoint {
            time,
            states: states.to_vec(),
            inputs: inputs.to_vec(),
        };
        // Further passes of the event that has ended the run: the FMU takes no more calls.
        if self.phase == Phase::Ended
            && let Some((_, answer)) = &self.last
        {
            return Ok(answer.clone());
        }
        let again = before + 1 == self.events;
        if again
            && let Some((asked, answer)) = &self.last
            && *asked == point
        {
            return Ok(answer.clone());
        }
        if !again {
            self.place(before, time, states, inputs)?;
            self.pass(sides)?;
            self.instance.completed_step()?;
        }
        self.instance.enter_event_mode()?;
        self.set_inputs(inputs, true)?;
        let answer = self.settle()?;
        self.events = before + 1;
        self.last = Some((point, answer.clone()));
        Ok(answer)
    }

    fn step(&mut self, time: f64, inputs: &[f64]) -> Result<(), String> {
        let at_start = (self.last.as_ref()).is_none_or(|(point, _)| point.time == time);
        if self.phase == Phase::Instantiated || (at_start && time == self.time) {
            self.start(time, inputs)?;
        }
        if self.phase == Phase::Ended {
            return Ok(());
        }
        if time < self.time {
            return Err("the FMU cannot go back in time".to_owned());
        }
        if time > self.time {
            self.set_inputs(inputs, true)?;
            // Times of a grid are rounded; an FMU without variable steps wants the same one each time.
            let step = time - self.time;
            let rounding = 2.0 * f64::EPSILON * time.abs().max(self.time.abs());
            if (step - self.step).abs() > rounding {
                self.step = step;
            }
            let ended = self.instance.do_step(self.time, self.step)?;
            self.time = time;
            if ended {
                self.phase = Phase::Ended;
            }
        }
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.phase == Phase::Started {
            let _ = self.instance.terminate();
        }
    }
}

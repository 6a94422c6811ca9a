//! Derivatives of trajectories with respect to parameters and start values, right across events.
//!
//! In: a model compiled with its tangents, an experiment, the slots of what is varied. Out: rows with the values of all slots and,
//! for each direction, how all of them move.
//!
//! First the model is run as always; its events are noted. Then states and their sensitivities are integrated together from event to
//! event, the sensitivities by ṡ = ∂f/∂x·s + ∂f/∂p, with the same error control. At an event at t, found by the zero of g, the
//! instant moves by τ = -(dg/dp)/(dg/dt). All left limits move by s + τ·ẋ⁻ there, each pass of the event iteration is
//! differentiated, and the states that leave it move by what they became less τ·ẋ⁺.

use std::io;
use std::sync::Arc;

use ferrica_codegen::layout::Layout;
use ferrica_codegen::tangents::Tangents;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::print::brief;
use ferrica_solvers::auto::Auto;
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::integrator::{Integrator, Options};
use ferrica_solvers::radau::RadauOde;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::started::BdfStarted;
use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};

use ferrica_hybrid::{
    Due, EventTangents, Experiment, Forced, Problem, SimError, SolverKind, Stats, TimeEvents,
    initialize, iterate, relation_text, same_time,
};

use crate::results::Sink;
use crate::simulate::simulate;

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Varied {
    Parameter(Slot),
    /// The start value of a variable, which holds at the start.
    Start(Slot),
}

/// Takes a row: the time, all slots, and one vector of tangents a direction.
pub type Rows<'a> = &'a mut dyn FnMut(f64, &[f64], &[Vec<f64>]);

/// Part of the tolerance within which two instants move together.
const SAME_SHIFT: f64 = 1e-6;
/// A zero function that changes by less than this part of its size in an output interval only touches its zero.
const GRAZING: f64 = 1e-9;

/// What a run with sensitivities has to tell besides its rows.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub stats: Stats,
    /// Instants at which several independent events coincide: the derivatives behind them hold on one side only.
    pub coincident: Vec<f64>,
}

/// An event of the run.
struct Instant {
    time: f64,
    left: Vec<f64>,
    forced: Forced,
    samplers: Vec<usize>,
}

/// Notes the events of a run.
struct Notes<'a> {
    instants: Vec<Instant>,
    outer: &'a mut dyn FnMut() -> bool,
}

impl Sink for Notes<'_> {
    fn row(&mut self, _time: f64, _slots: &[f64]) -> io::Result<()> {
        Ok(())
    }

    fn instant(&mut self, slots: &[f64], forced: &[(usize, bool)], samplers: &[usize]) {
        self.instants.push(Instant {
            time: slots[Layout::TIME as usize],
            left: slots.to_vec(),
            forced: forced.to_vec(),
            samplers: samplers.to_vec(),
        });
    }

    fn interrupted(&mut self) -> bool {
        (self.outer)()
    }
}

/// States and sensitivities between two events.
struct Augmented<'a> {
    ev: &'a mut Evaluator,
    model: &'a CompiledModel,
    tangents: &'a Tangents,
    directions: &'a mut Vec<Vec<f64>>,
    failure: Option<Failure>,
}

impl Augmented<'_> {
    fn states(&self) -> usize {
        self.model.layout.n_states
    }

    /// Puts a point into the slots and the directions.
    fn place(&mut self, t: f64, y: &[f64]) {
        let (n, first) = (self.states(), self.model.layout.states as usize);
        self.ev.set_time(t);
        self.ev.set_states(&y[..n]);
        for (d, s) in self.directions.iter_mut().zip(y[n..].chunks(n.max(1))) {
            d[first..first + n].copy_from_slice(s);
        }
    }

    fn gather(&self, y: &mut Vec<f64>) {
        let (n, first) = (self.states(), self.model.layout.states as usize);
        y.clear();
        y.extend_from_slice(self.ev.states());
        for d in self.directions.iter() {
            y.extend_from_slice(&d[first..first + n]);
        }
    }

    fn keep(&mut self, failure: Failure) -> EvalError {
        self.failure = Some(failure);
        EvalError::Recoverable(0)
    }

    /// Values and tangents of all continuous variables at the present point.
    fn all(&mut self) -> Result<(), Failure> {
        self.ev.run(&self.model.continuous_program)?;
        self.ev.prepare(&self.tangents.continuous)?;
        for d in self.directions.iter_mut() {
            self.ev.propagate(&self.tangents.continuous, d);
        }
        Ok(())
    }
}

impl RootFunctions for Augmented<'_> {}

impl OdeSystem for Augmented<'_> {
    fn n(&self) -> usize {
        self.states() * (1 + self.directions.len())
    }

    fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
        let (n, first) = (self.states(), self.model.layout.derivatives as usize);
        self.place(t, y);
        let done = (self.ev.run(&self.model.rhs_program))
            .and_then(|()| self.ev.prepare(&self.tangents.rhs));
        if let Err(e) = done {
            return Err(self.keep(e));
        }
        ydot[..n].copy_from_slice(self.ev.derivatives());
        for (k, d) in self.directions.iter_mut().enumerate() {
            self.ev.propagate(&self.tangents.rhs, d);
            ydot[(k + 1) * n..(k + 2) * n].copy_from_slice(&d[first..first + n]);
        }
        if ydot.iter().any(|v| !v.is_finite()) {
            let text = format!("a derivative is not finite at time {}", brief(t));
            return Err(self.keep(Failure::new(text)));
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        let pattern = &self.model.ode_jacobian.as_ref()?.pattern;
        let (n, blocks) = (self.states(), 1 + self.directions.len());
        let entries = (0..blocks).flat_map(|b| {
            let at = b * n;
            pattern.entries().map(move |(r, c)| (r + at, c + at))
        });
        Some(CscPattern::from_entries(n * blocks, entries))
    }

    fn has_jacobian(&self) -> bool {
        self.model.ode_jacobian.is_some()
    }

    /// The same block for states and sensitivities: what the sensitivities owe to the states' second derivatives is left to the
    /// iteration.
    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) -> Result<(), EvalError> {
        self.place(t, y);
        let one = values.len() / (1 + self.directions.len());
        let done = self.ev.ode_jacobian(&mut values[..one]);
        done.map_err(|e| self.keep(e))?;
        for k in 1..=self.directions.len() {
            values.copy_within(..one, k * one);
        }
        Ok(())
    }
}

/// Runs an experiment with sensitivities; rows at these times, ascending, and on both sides of events.
pub fn sensitivities(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    varied: &[Varied],
    times: &[f64],
    interrupted: &mut dyn FnMut() -> bool,
    rows: Rows,
) -> Result<Told, SimError> {
    let fail = |text: &str| SimError::new("E0640", experiment.start, Failure::new(text));
    let Some(tangents) = &model.tangents else {
        return Err(fail("the model was compiled without its tangents"));
    };
    if !model.delays.is_empty() || !model.transports.is_empty() {
        return Err(fail(
            "sensitivities of a model with `delay` or `spatialDistribution` are not computed",
        ));
    }
    if !model.dynamic_states.is_empty() {
        return Err(fail(
            "sensitivities of a model whose states change during a run are not computed",
        ));
    }
    let mut notes = Notes {
        instants: Vec::new(),
        outer: &mut *interrupted,
    };
    let stats = simulate(model, experiment, &mut notes)?;
    let end = stats.end_time;
    let instants = std::mem::take(&mut notes.instants);
    let mut replay = Replay {
        model,
        tangents,
        experiment,
        p: Problem::new(Evaluator::new(model.clone())),
        directions: vec![vec![0.0; model.slot_count()]; varied.len()],
        rates: vec![0.0; model.slot_count()],
        atol: Vec::new(),
        told: Told {
            stats,
            coincident: Vec::new(),
        },
        interrupted,
        rows,
        times,
        next_output: 0,
    };
    replay.start(varied)?;
    for instant in &instants {
        replay.segment(instant.time)?;
        replay.event(instant)?;
    }
    replay.segment(end)?;
    Ok(replay.told)
}

/// The second time through a run.
struct Replay<'a> {
    model: &'a Arc<CompiledModel>,
    tangents: &'a Tangents,
    experiment: &'a Experiment,
    p: Problem,
    directions: Vec<Vec<f64>>,
    /// How everything moves with time.
    rates: Vec<f64>,
    /// Absolute tolerances of states and sensitivities.
    atol: Vec<f64>,
    told: Told,
    interrupted: &'a mut dyn FnMut() -> bool,
    rows: Rows<'a>,
    times: &'a [f64],
    next_output: usize,
}

impl Replay<'_> {
    fn fail(&self, failure: Failure) -> SimError {
        SimError::new("E0640", self.p.ev.time(), failure)
    }

    fn start(&mut self, varied: &[Varied]) -> Result<(), SimError> {
        let tangents = self.tangents;
        // The passes of events are followed one by one.
        self.p.propagation = None;
        self.p.use_ode_form();
        let start = self.experiment.start;
        self.p.ev.set_time(start);
        initialize(&mut self.p, self.experiment)?;
        let (p, directions) = (&mut self.p, &mut self.directions);
        let fail = |e: Failure| SimError::new("E0640", start, e);
        p.ev.set(Layout::INITIAL, 1.0);
        for tape in [&tangents.parameters, &tangents.starts, &tangents.initial] {
            p.ev.prepare(tape).map_err(fail)?;
        }
        for (d, &what) in directions.iter_mut().zip(varied) {
            let own = match what {
                Varied::Parameter(slot) => Some(slot),
                Varied::Start(_) => None,
            };
            if let Some(slot) = own {
                d[slot as usize] = 1.0;
            }
            let held = |s: Slot| own == Some(s) || p.ev.is_overridden(s);
            let (parameters, starts) = (
                tangents.parameters.without(held),
                tangents.starts.without(held),
            );
            p.ev.propagate(&parameters, d);
            p.ev.propagate(&starts, d);
            if let Varied::Start(slot) = what {
                d[slot as usize] = 1.0;
            }
            // A start value that holds is not computed.
            let initial = tangents.initial.without(|s| what == Varied::Start(s));
            p.ev.propagate(&initial, d);
        }
        p.ev.set(Layout::INITIAL, 0.0);
        let mut times =
            TimeEvents::new(&p.ev, start).map_err(|e| SimError::new("E0505", start, e))?;
        let mut due = Due::default();
        times.take_due(&p.ev, start, false, &mut due);
        self.settle(&Vec::new(), &due.samplers)?;
        self.atol = self.tolerances(varied);
        self.leave_event(&vec![0.0; varied.len()]);
        Ok(())
    }

    /// Sensitivities count in parts of what the state is for the whole parameter.
    fn tolerances(&self, varied: &[Varied]) -> Vec<f64> {
        let (model, tolerance) = (self.model, self.experiment.tolerance);
        let first = model.layout.states;
        let nominal = |k: usize| model.nominal(first + k as Slot);
        let mut atol: Vec<f64> = (0..model.layout.n_states)
            .map(|k| tolerance * nominal(k))
            .collect();
        for &what in varied {
            let (Varied::Parameter(slot) | Varied::Start(slot)) = what;
            let size = self.p.ev.get(slot).abs();
            let size = if size > 0.0 {
                size
            } else {
                model.nominal(slot)
            };
            atol.extend((0..model.layout.n_states).map(|k| tolerance * nominal(k) / size));
        }
        atol
    }

    /// The event iteration, with tangents.
    fn settle(&mut self, forced: &Forced, samplers: &[usize]) -> Result<(), SimError> {
        let band = 10.0 * self.experiment.tolerance;
        self.p.tangents = Some(Box::new(EventTangents {
            directions: std::mem::take(&mut self.directions),
            failure: None,
        }));
        let done = iterate(&mut self.p, forced, samplers, band);
        let Some(tangents) = self.p.tangents.take() else {
            return Ok(());
        };
        self.directions = tangents.directions;
        done?;
        match tangents.failure {
            Some(e) => Err(self.fail(e)),
            None => Ok(()),
        }
    }

    /// From the instant of an event, which moves by these, to the time of the event.
    fn leave_event(&mut self, shifts: &[f64]) {
        let first = self.model.layout.states as usize;
        for (d, &shift) in self.directions.iter_mut().zip(shifts) {
            d[Layout::TIME as usize] = 0.0;
            for (k, &rate) in self.p.ev.derivatives().iter().enumerate() {
                d[first + k] -= shift * rate;
            }
        }
    }

    fn point(&mut self) -> Augmented<'_> {
        Augmented {
            ev: &mut self.p.ev,
            model: self.model,
            tangents: self.tangents,
            directions: &mut self.directions,
            failure: None,
        }
    }

    fn row(&mut self) -> Result<(), SimError> {
        let done = self.point().all();
        done.map_err(|e| self.fail(e))?;
        (self.rows)(self.p.ev.time(), &self.p.ev.slots, &self.directions);
        Ok(())
    }

    fn output_time(&self) -> f64 {
        let next = self.times.get(self.next_output).copied();
        next.unwrap_or(f64::INFINITY)
    }

    /// Integrates up to the next event or the end; rows at the beginning, at output points and at the end.
    fn segment(&mut self, end: f64) -> Result<(), SimError> {
        let begin = self.p.ev.time();
        self.row()?;
        let mut y = Vec::new();
        self.point().gather(&mut y);
        let mut integrator: Option<Box<dyn for<'b> Integrator<Augmented<'b>>>> = None;
        if !y.is_empty() && end > begin && !same_time(begin, end) {
            let mut options = Options::new(self.experiment.tolerance, self.experiment.tolerance);
            options.atol.clone_from(&self.atol);
            let mut made: Box<dyn for<'b> Integrator<Augmented<'b>>> = match self.experiment.solver
            {
                SolverKind::Bdf => Box::new(BdfStarted::new(options)),
                SolverKind::Radau => Box::new(RadauOde::new(options)),
                SolverKind::Dopri5 => Box::new(Dopri5::new(options)),
                _ => Box::new(Auto::new(options)),
            };
            let begun = made.init(&mut self.point(), begin, &y, &[]);
            begun.map_err(|e| self.fail(Failure::new(e.to_string())))?;
            integrator = Some(made);
        }
        let mut t = begin;
        let mut here = vec![0.0; y.len()];
        while t < end && !same_time(t, end) {
            match &mut integrator {
                Some(integrator) => {
                    let mut point = self.point();
                    let stepped = integrator.step(&mut point, end);
                    let why = point.failure.take();
                    if let Err(e) = stepped {
                        let failure = why.unwrap_or_else(|| Failure::new(e.to_string()));
                        return Err(self.fail(failure));
                    }
                    t = integrator.t();
                }
                None => t = end,
            }
            let mut next = self.output_time();
            while next < t && !same_time(next, end) {
                if next > begin && !same_time(next, begin) {
                    if let Some(integrator) = &integrator {
                        integrator.interpolate(next, &mut here);
                    }
                    let from = std::mem::take(&mut here);
                    self.point().place(next, &from);
                    here = from;
                    self.row()?;
                }
                self.next_output += 1;
                next = self.output_time();
            }
            if (self.interrupted)() {
                let text = format!("interrupted at time {}", brief(t));
                return Err(SimError::new("E0609", t, Failure::new(text)));
            }
        }
        if let Some(integrator) = &integrator {
            let y = integrator.y().to_vec();
            self.point().place(end, &y);
        } else {
            self.p.ev.set_time(end);
        }
        if end > begin {
            self.row()?;
        }
        Ok(())
    }

    /// By how much the instant of an event moves in each direction, from what has caused it.
    fn shifts(&mut self, instant: &Instant) -> Result<Vec<f64>, SimError> {
        let model = self.model;
        let mut all: Vec<Vec<f64>> = Vec::new();
        for &k in &instant.samplers {
            let (_, start, interval) = model.samplers[k];
            let (first, dt) = (self.p.ev.get(start), self.p.ev.get(interval));
            let n = ((instant.time - first) / dt).round();
            let of = |d: &Vec<f64>| d[start as usize] + n * d[interval as usize];
            all.push(self.directions.iter().map(of).collect());
        }
        for &(k, _) in &instant.forced {
            let r = &model.relations[k];
            let rate = self.rates[r.zero as usize];
            let size = self.p.ev.get(r.lhs).abs().max(self.p.ev.get(r.rhs).abs());
            let moves = self.directions.iter().any(|d| d[r.zero as usize] != 0.0);
            if moves && rate.abs() * self.experiment.interval.abs() <= GRAZING * size {
                let text = format!(
                    "at time {} the condition `{}` only touches its zero: the instant of the event has no derivative",
                    brief(instant.time),
                    relation_text(model, k)
                );
                return Err(self.fail(Failure::new(text)));
            }
            let of = |d: &Vec<f64>| match d[r.zero as usize] {
                0.0 => 0.0,
                moved => -moved / rate,
            };
            all.push(self.directions.iter().map(of).collect());
        }
        let Some((first, others)) = all.split_first() else {
            return Ok(vec![0.0; self.directions.len()]);
        };
        let differs = |a: &f64, b: &f64| (a - b).abs() > SAME_SHIFT * a.abs().max(b.abs());
        if (others.iter()).any(|o| o.iter().zip(first).any(|(a, b)| differs(a, b))) {
            self.told.coincident.push(instant.time);
        }
        Ok(first.clone())
    }

    fn event(&mut self, instant: &Instant) -> Result<(), SimError> {
        let n = self.p.ev.slots.len().min(instant.left.len());
        self.p.ev.slots[..n].copy_from_slice(&instant.left[..n]);
        let (model, tangents) = (self.model, self.tangents);
        let done = self.point().all();
        done.map_err(|e| self.fail(e))?;
        // How everything moves with time, right before the event.
        let first = model.layout.states as usize;
        self.rates.fill(0.0);
        self.rates[Layout::TIME as usize] = 1.0;
        let n = model.layout.n_states;
        self.rates[first..first + n].copy_from_slice(self.p.ev.derivatives());
        let mut rates = std::mem::take(&mut self.rates);
        self.p.ev.propagate(&tangents.continuous, &mut rates);
        self.rates = rates;
        let shifts = self.shifts(instant)?;
        for (d, &shift) in self.directions.iter_mut().zip(&shifts) {
            for (v, &rate) in d.iter_mut().zip(&self.rates) {
                *v += shift * rate;
            }
        }
        self.settle(&instant.forced, &instant.samplers)?;
        self.leave_event(&shifts);
        Ok(())
    }
}

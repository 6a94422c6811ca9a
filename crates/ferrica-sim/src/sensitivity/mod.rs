//! Derivatives of trajectories with respect to parameters and start values, right across events.
//!
//! In: a model compiled with its tangents, an experiment, the slots of what is varied. Out: rows with the values of all slots and,
//! for each direction, how all of them move.
//!
//! The model is run as always. Behind it, from event to event, the sensitivities are integrated along the states that its steps have
//! left (`trajectory`), by the variational equation (`variational`) and with an error control of their own. At an event at t, found
//! by the zero of g, the instant moves by τ = -(dg/dp)/(dg/dt). All left limits move by s + τ·ẋ⁻ there, each pass of the
//! event iteration is differentiated, and the states that leave it move by what they became less τ·ẋ⁺.
//!
//! States first, then sensitivities with one matrix for all directions: the staggered scheme of Feehery, Tolsma, Barton: Efficient
//! sensitivity analysis of large-scale differential-algebraic systems, Applied Numerical Mathematics 25 (1997).

mod jumps;
mod scale;
mod trajectory;
mod variational;

use std::io;
use std::sync::Arc;

use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::tangents::{Directions, Tangents};
use ferrica_codegen::tape::{Tape, TapeStep};
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::print::brief;
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::integrator::{Integrator, Options, Solution};
use ferrica_solvers::started::BdfStarted;
use ferrica_solvers::system::OdeSystem;

use ferrica_hybrid::{
    Due, EventTangents, Experiment, Forced, Problem, SimError, SolverKind, Stats, TimeEvents,
    initialize, iterate, relation_text, same_time,
};

use crate::results::Sink;
use crate::simulate::simulate;
use jumps::{jump_between, may_jump};
use scale::Scale;
use trajectory::Trajectory;
use variational::{MOST_SPANNED, Variational};

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Varied {
    Parameter(Slot),
    /// The start value of a variable, which holds at the start.
    Start(Slot),
}

/// Takes a row: the time, all slots with the wanted ones up to date, and their tangents.
pub type Rows<'a> = &'a mut dyn FnMut(f64, &[f64], &Directions);

/// What rows need besides states, and how that moves. It can serve many runs of one model, and is compiled to machine code then.
pub struct Wanted {
    slots: Vec<Slot>,
    program: Program,
    tape: Tape,
    /// The states that the program, its derivatives or the rows themselves read.
    states: Vec<usize>,
}

impl Wanted {
    pub fn new(model: &CompiledModel, slots: Vec<Slot>) -> Wanted {
        let tape = model
            .tangents
            .as_ref()
            .map(|t| t.continuous.restricted(model, &slots));
        let (program, tape) = (model.schedule(&slots), tape.unwrap_or_default());
        Wanted {
            states: states_read(model, &slots, &program, &tape),
            program,
            tape,
            slots,
        }
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

/// The states that must be known for these slots: all of them where a system is solved.
fn states_read(
    model: &CompiledModel,
    slots: &[Slot],
    program: &Program,
    tape: &Tape,
) -> Vec<usize> {
    let (first, n) = (model.layout.states, model.layout.n_states);
    let solves = program.steps.iter().any(|s| matches!(s, Step::Solve(_)));
    if solves || tape.steps.iter().any(|s| matches!(s, TapeStep::System(_))) {
        return (0..n).collect();
    }
    let mut read = vec![false; n];
    let numbers = (slots.iter().chain(program.rows.iter())).chain(tape.partials.rows.iter());
    let edges = tape.edges.iter().map(|(from, _)| from);
    for slot in numbers.chain(edges) {
        if let Some(read) = (slot.checked_sub(first)).and_then(|k| read.get_mut(k as usize)) {
            *read = true;
        }
    }
    (0..n).filter(|&k| read[k]).collect()
}

/// What is asked for.
pub struct Request<'a> {
    pub varied: &'a [Varied],
    pub wanted: &'a Wanted,
    /// Times of rows, ascending; there are rows on both sides of events too.
    pub times: &'a [f64],
}

/// Steps of the states that are kept before the sensitivities follow.
const STEPS_AHEAD: usize = 64;

/// Part of the tolerance within which two instants move together.
const SAME_SHIFT: f64 = 1e-6;
/// Part of the first step behind an event that belongs to the event.
const BEHIND_EVENT: f64 = 1e-6;
/// A zero function that changes by less than this part of its size in an output interval only touches its zero.
const GRAZING: f64 = 1e-9;

/// What a run with sensitivities has to tell besides its rows.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub stats: Stats,
    /// Instants at which several independent events coincide: the derivatives behind them hold on one side only.
    pub coincident: Vec<f64>,
    /// The first time at which the derivative of a state jumps without an event: the derivatives behind it lack what the shift of that
    /// instant brings.
    pub jump: Option<f64>,
}

/// An event of the run.
struct Instant<'a> {
    time: f64,
    left: &'a [f64],
    forced: &'a Forced,
    samplers: &'a [usize],
}

/// Runs an experiment with sensitivities.
pub fn sensitivities(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    request: &Request,
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
    // The rows are those of the follower.
    let run = Experiment {
        wanted: Some(Vec::new()),
        ..experiment.clone()
    };
    let slots = model.slot_count();
    let mut follower = Follower {
        model,
        tangents,
        experiment,
        p: Problem::new(Evaluator::new(model.clone())),
        directions: Directions::new(slots, request.varied.len()),
        rates: Directions::new(slots, 1),
        wanted: request.wanted,
        places: (request.wanted.states.iter())
            .flat_map(|k| (0..request.varied.len()).map(move |d| k * request.varied.len() + d))
            .collect(),
        trajectory: Trajectory::new(model.layout.n_states),
        states: Vec::new(),
        prepared: f64::NAN,
        integrator: None,
        following: false,
        here: Vec::new(),
        coincident: Vec::new(),
        may_jump: may_jump(model),
        jump: None,
        scale: Scale::default(),
        failed: None,
        interrupted,
        rows,
        times: request.times,
        next_output: 0,
    };
    follower.start(request.varied)?;
    let done = simulate(model, &run, &mut follower);
    if let Some(e) = follower.failed.take() {
        return Err(e);
    }
    let stats = done?;
    follower.segment(stats.end_time)?;
    Ok(Told {
        stats,
        coincident: follower.coincident,
        jump: follower.jump,
    })
}

/// Follows a run with sensitivities.
struct Follower<'a> {
    model: &'a Arc<CompiledModel>,
    tangents: &'a Tangents,
    experiment: &'a Experiment,
    p: Problem,
    directions: Directions,
    /// How everything moves with time.
    rates: Directions,
    wanted: &'a Wanted,
    /// Of the sensitivities, those of the states that rows read.
    places: Vec<usize>,
    /// The states since the last event.
    trajectory: Trajectory,
    states: Vec<f64>,
    prepared: f64,
    integrator: Option<Box<dyn for<'b> Integrator<Variational<'b>>>>,
    /// The integrator has begun behind the last event.
    following: bool,
    here: Vec<f64>,
    coincident: Vec<f64>,
    may_jump: bool,
    jump: Option<f64>,
    scale: Scale,
    failed: Option<SimError>,
    interrupted: &'a mut dyn FnMut() -> bool,
    rows: Rows<'a>,
    times: &'a [f64],
    next_output: usize,
}

impl Sink for Follower<'_> {
    fn row(&mut self, _time: f64, _slots: &[f64]) -> io::Result<()> {
        Ok(())
    }

    fn stepped(&mut self, from: f64, to: f64, solution: &dyn Solution) {
        if self.failed.is_some() || self.model.layout.n_states == 0 || same_time(from, to) {
            return;
        }
        self.trajectory.push(from, to, solution);
        if self.trajectory.steps() >= STEPS_AHEAD {
            self.failed = self.follow(to).err();
            self.trajectory.clear();
        }
    }

    fn instant(&mut self, slots: &[f64], forced: &[(usize, bool)], samplers: &[usize]) {
        if self.failed.is_some() {
            return;
        }
        let instant = Instant {
            time: slots[Layout::TIME as usize],
            left: slots,
            forced: &forced.to_vec(),
            samplers,
        };
        let done = self.segment(instant.time);
        let done = done.and_then(|()| self.event(&instant));
        self.failed = done.err();
    }

    fn wants_rows(&self) -> bool {
        false
    }

    fn interrupted(&mut self) -> bool {
        self.failed.is_some() || (self.interrupted)()
    }
}

impl Follower<'_> {
    fn fail(&self, failure: Failure) -> SimError {
        SimError::new("E0640", self.p.ev.time(), failure)
    }

    fn start(&mut self, varied: &[Varied]) -> Result<(), SimError> {
        let tangents = self.tangents;
        // The passes of events are followed one by one.
        self.p.by_reach = false;
        self.p.use_ode_form();
        let start = self.experiment.start;
        self.p.ev.set_time(start);
        initialize(&mut self.p, self.experiment)?;
        let (p, directions) = (&mut self.p, &mut self.directions);
        let fail = |e: Failure| SimError::new("E0640", start, e);
        p.ev.set(Layout::INITIAL, 1.0);
        let Tangents {
            parameters,
            starts,
            initial,
            samplers,
            ..
        } = tangents;
        for tape in [parameters, starts, initial, samplers] {
            p.ev.prepare(tape).map_err(fail)?;
        }
        for (k, &what) in varied.iter().enumerate() {
            let mut one = Directions::new(self.model.slot_count(), 1);
            let own = match what {
                Varied::Parameter(slot) => Some(slot),
                Varied::Start(_) => None,
            };
            if let Some(slot) = own {
                one.set(slot, 0, 1.0);
            }
            let held = |s: Slot| own == Some(s) || p.ev.is_overridden(s);
            let (parameters, starts) = (
                tangents.parameters.without(held),
                tangents.starts.without(held),
            );
            p.ev.propagate(&parameters, &mut one);
            p.ev.propagate(&starts, &mut one);
            if let Varied::Start(slot) = what {
                one.set(slot, 0, 1.0);
            }
            // A start value that holds is not computed.
            let initial = tangents.initial.without(|s| what == Varied::Start(s));
            p.ev.propagate(&initial, &mut one);
            p.ev.propagate(samplers, &mut one);
            directions.replace(k, &one);
        }
        p.ev.set(Layout::INITIAL, 0.0);
        let mut times =
            TimeEvents::new(&p.ev, start).map_err(|e| SimError::new("E0505", start, e))?;
        let mut due = Due::default();
        times.take_due(&p.ev, start, false, &mut due);
        let instant = Instant {
            time: start,
            left: &[],
            forced: &Vec::new(),
            samplers: &due.samplers,
        };
        // The run cannot begin earlier than it does: a sampler that begins with it and moves has one side.
        if self.shifts(&instant)?.iter().any(|s| *s != 0.0) {
            self.coincident.push(start);
        }
        self.settle(&Vec::new(), &due.samplers)?;
        let mut options = Options::new(self.experiment.tolerance, self.experiment.tolerance);
        self.scale = Scale::new(self.model, &self.p.ev, varied, self.experiment.tolerance);
        options.lasting_scale = true;
        // An implicit step costs one evaluation of the partial derivatives, as linear solves are cheap; an explicit one six.
        self.integrator = Some(match self.experiment.solver {
            SolverKind::Dopri5 => Box::new(Dopri5::new(options)),
            _ => Box::new(BdfStarted::new(options)),
        });
        self.leave_event(&vec![0.0; varied.len()])
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
    fn leave_event(&mut self, shifts: &[f64]) -> Result<(), SimError> {
        let first = self.model.layout.states;
        for (d, &shift) in shifts.iter().enumerate() {
            self.directions.set(Layout::TIME, d, 0.0);
            for (k, &rate) in self.p.ev.derivatives().iter().enumerate() {
                let state = first + k as Slot;
                let moved = self.directions.get(state, d) - shift * rate;
                self.directions.set(state, d, moved);
            }
        }
        self.trajectory.clear();
        (self.following, self.prepared) = (false, f64::NAN);
        self.row()
    }

    fn point(&mut self) -> Variational<'_> {
        Variational {
            ev: &mut self.p.ev,
            model: self.model,
            tangents: self.tangents,
            directions: &mut self.directions,
            trajectory: &self.trajectory,
            prepared: &mut self.prepared,
            states: &mut self.states,
            failure: None,
        }
    }

    /// A row of the present states and their tangents.
    fn row(&mut self) -> Result<(), SimError> {
        // States need no evaluation.
        let Wanted { program, tape, .. } = self.wanted;
        if !program.is_empty() {
            self.prepared = f64::NAN;
            let done = self.p.ev.exec(self.model, program);
            let done = done.and_then(|()| self.p.ev.prepare(tape));
            done.map_err(|e| self.fail(e))?;
            (self.p.ev).propagate(tape, &mut self.directions);
        }
        (self.rows)(self.p.ev.time(), &self.p.ev.slots, &self.directions);
        Ok(())
    }

    fn output_time(&self) -> f64 {
        let next = self.times.get(self.next_output).copied();
        next.unwrap_or(f64::INFINITY)
    }

    /// From the last event to the next one or the end, which has a row.
    fn segment(&mut self, end: f64) -> Result<(), SimError> {
        let begin = self.p.ev.time();
        self.follow(end)?;
        if end > begin {
            self.row()?;
        }
        Ok(())
    }

    /// Integrates up to a time that the run has reached; rows at output points on the way.
    fn follow(&mut self, end: f64) -> Result<(), SimError> {
        self.look_for_jumps();
        let mut t = self.p.ev.time();
        let Some(mut integrator) = self.integrator.take() else {
            return Ok(());
        };
        let done = self.follow_with(&mut *integrator, &mut t, end);
        self.integrator = Some(integrator);
        done
    }

    fn follow_with(
        &mut self,
        integrator: &mut dyn for<'b> Integrator<Variational<'b>>,
        t: &mut f64,
        end: f64,
    ) -> Result<(), SimError> {
        let layout = &self.model.layout;
        let (first, n) = (layout.states, layout.n_states);
        let size = n * self.directions.count();
        let moving = self.trajectory.steps() > 0 && size > 0;
        self.here.resize(size, 0.0);
        if moving && !self.following {
            self.directions.gather(first, n, &mut self.here);
            let s = std::mem::take(&mut self.here);
            self.begin_scale(integrator, *t, &s);
            let again = integrator.statistics().evaluations > 0;
            let begun = match again {
                true => integrator.reinit(&mut self.point(), *t, &s, &[]),
                false => integrator.init(&mut self.point(), *t, &s, &[]),
            };
            self.here = s;
            begun.map_err(|e| self.fail(Failure::new(e.to_string())))?;
            self.following = true;
        }
        let begin = *t;
        while *t < end && !same_time(*t, end) {
            if moving {
                let mut point = self.point();
                let stepped = integrator.step(&mut point, end);
                let why = point.failure.take();
                if let Err(e) = stepped {
                    let failure = why.unwrap_or_else(|| Failure::new(e.to_string()));
                    return Err(self.fail(failure));
                }
                *t = integrator.t();
                if self.scale.watch(integrator.y()) {
                    integrator.set_atol(self.scale.tolerances());
                }
            } else {
                *t = end;
            }
            let mut next = self.output_time();
            while next < *t && !same_time(next, end) {
                if next > begin && !same_time(next, begin) {
                    self.place_row(integrator, next, moving);
                    self.row()?;
                }
                self.next_output += 1;
                next = self.output_time();
            }
            if (self.interrupted)() {
                return Err(SimError::interrupted(*t));
            }
        }
        if moving {
            self.directions.scatter(first, n, integrator.y());
        }
        self.point().place(end);
        Ok(())
    }

    /// Looks for the first jump in the steps that are to be followed.
    fn look_for_jumps(&mut self) {
        if !self.may_jump || self.jump.is_some() || self.trajectory.steps() == 0 {
            return;
        }
        let (first, n) = (self.model.layout.states, self.model.layout.n_states);
        let here = self.p.ev.time();
        let tolerance = self.experiment.tolerance;
        let least = |begin: f64, end: f64| -> Vec<f64> {
            let of = |k: usize| tolerance * self.model.nominal(first + k as Slot) / (end - begin);
            (0..n).map(of).collect()
        };
        let mut steps: Vec<(f64, f64, Vec<f64>)> = (self.trajectory.spans())
            .map(|(begin, end)| (begin, end, least(begin, end)))
            .collect();
        // What changes at the instant of an event, or at the start, has changed behind it.
        if let Some((begin, end, _)) = steps.first_mut().filter(|_| !self.following) {
            *begin += BEHIND_EVENT * (*end - *begin);
        }
        for (begin, end, least) in steps {
            let mut point = self.point();
            let rates = |t: f64| {
                point.place(t);
                let done = point.ev.exec(point.model, &point.model.rhs_program);
                done.is_ok().then(|| point.ev.derivatives().to_vec())
            };
            self.jump = jump_between(begin, end, &least, rates);
            if self.jump.is_some() {
                break;
            }
        }
        self.point().place(here);
        self.prepared = f64::NAN;
    }

    /// Before the first step behind an event: what is still zero will be as large as its slope makes it within the first steps of the states.
    fn begin_scale(
        &mut self,
        integrator: &mut dyn for<'b> Integrator<Variational<'b>>,
        t: f64,
        s: &[f64],
    ) {
        let mut changed = self.scale.watch(s);
        if !self.scale.is_settled() {
            let mut slopes = vec![0.0; s.len()];
            // What fails here fails in the integrator, which tells.
            if self.point().rhs(t, s, &mut slopes).is_ok() {
                let length = self.trajectory.end_of(MOST_SPANNED - 1) - t;
                slopes.iter_mut().for_each(|v| *v *= length);
                changed |= self.scale.watch(&slopes);
            }
        }
        if changed {
            integrator.set_atol(self.scale.tolerances());
        }
    }

    /// What a row inside of a step reads: time, states, and how these move.
    fn place_row(
        &mut self,
        integrator: &dyn for<'b> Integrator<Variational<'b>>,
        t: f64,
        moving: bool,
    ) {
        let first = self.model.layout.states;
        self.p.ev.set_time(t);
        let (wanted, slots) = (self.wanted, &mut self.p.ev.slots);
        (self.trajectory).some(t, &wanted.states, |k, x| slots[first as usize + k] = x);
        if moving {
            let here = &mut self.here[..self.places.len()];
            integrator.interpolate_some(t, &self.places, here);
            let count = self.directions.count();
            for (&k, s) in wanted.states.iter().zip(here.chunks_exact(count)) {
                self.directions.scatter(first + k as Slot, 1, s);
            }
        }
    }

    /// By how much the instant of an event moves in each direction, from what has caused it.
    fn shifts(&mut self, instant: &Instant) -> Result<Vec<f64>, SimError> {
        let model = self.model;
        let mut all: Vec<Vec<f64>> = Vec::new();
        for &k in instant.samplers {
            let (_, start, interval) = model.samplers[k];
            let (first, dt) = (self.p.ev.get(start), self.p.ev.get(interval));
            let n = ((instant.time - first) / dt).round();
            let d = &self.directions;
            let of = |k: usize| d.get(start, k) + n * d.get(interval, k);
            all.push((0..d.count()).map(of).collect());
        }
        for &(k, _) in instant.forced {
            let r = &model.relations[k];
            let rate = self.rates.get(r.zero, 0);
            let size = self.p.ev.get(r.lhs).abs().max(self.p.ev.get(r.rhs).abs());
            let moved: Vec<f64> = (0..self.directions.count())
                .map(|d| self.directions.get(r.zero, d))
                .collect();
            let moves = moved.iter().any(|m| *m != 0.0);
            if moves && rate.abs() * self.experiment.interval.abs() <= GRAZING * size {
                let text = format!(
                    "at time {} the condition `{}` only touches its zero: the instant of the event has no derivative",
                    brief(instant.time),
                    relation_text(model, k)
                );
                return Err(self.fail(Failure::new(text)));
            }
            let of = |&moved: &f64| match moved {
                0.0 => 0.0,
                moved => -moved / rate,
            };
            all.push(moved.iter().map(of).collect());
        }
        let Some((first, others)) = all.split_first() else {
            return Ok(vec![0.0; self.directions.count()]);
        };
        let differs = |a: &f64, b: &f64| (a - b).abs() > SAME_SHIFT * a.abs().max(b.abs());
        if (others.iter()).any(|o| o.iter().zip(first).any(|(a, b)| differs(a, b))) {
            self.coincident.push(instant.time);
        }
        Ok(first.clone())
    }

    fn event(&mut self, instant: &Instant) -> Result<(), SimError> {
        let n = self.p.ev.slots.len().min(instant.left.len());
        self.p.ev.slots[..n].copy_from_slice(&instant.left[..n]);
        let (model, tangents) = (self.model, self.tangents);
        let done = self.p.ev.run(&model.continuous_program);
        let done = done.and_then(|()| self.p.ev.prepare(&tangents.continuous));
        done.map_err(|e| self.fail(e))?;
        (self.p.ev).propagate(&tangents.continuous, &mut self.directions);
        // How everything moves with time, right before the event.
        let layout = &model.layout;
        self.rates.clear();
        self.rates.set(Layout::TIME, 0, 1.0);
        let slopes = self.p.ev.derivatives();
        (self.rates).scatter(layout.states, layout.n_states, slopes);
        (self.p.ev).propagate(&tangents.continuous, &mut self.rates);
        let shifts = self.shifts(instant)?;
        self.directions.add(&shifts, &self.rates);
        self.settle(instant.forced, instant.samplers)?;
        self.leave_event(&shifts)
    }
}

//! What the quantized-state engine needs to know of a model.
//!
//! A model has *quantities* that derivatives and crossings read: its states, numbered from 0, then
//! its time inputs (functions of time alone). The [`Structure`] lists, for each derivative and each
//! crossing, the quantities it reads, and the transposed lists; its memory is linear in the number
//! of incidences. Values travel as Taylor coefficients about the present time.
//!
//! Discrete values belong to the model: between events the engine never sees them. At an event the
//! model's handler says what changed ([`Changes`]) and the engine recomputes exactly that.

use crate::inputs::Reach;
use crate::observer::Trajectories;
use crate::plans::Shapeliness;
use crate::standing::Standing;
use ferrica_codegen::interval::Interval;
pub use ferrica_codegen::lists::Incidence;
use ferrica_ir::Diagnostic;

/// Sizes and incidences of a model, in both directions.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    pub states: usize,
    pub inputs: usize,
    /// Events at times that are known in advance.
    pub timers: usize,
    /// Quantities that each derivative reads.
    pub reads: Incidence,
    /// Derivatives that read each quantity.
    pub feeds: Incidence,
    /// Quantities that each crossing function reads.
    pub crossing_reads: Incidence,
    /// Crossing functions that read each quantity.
    pub crossing_feeds: Incidence,
    /// Crossing functions from this number on never cross: they are what time inputs remember (signals that are delayed and
    /// the times by which they are). Row k: the inputs that number `remembered + k` renews.
    pub remembered: usize,
    pub renews: Incidence,
}

impl Structure {
    pub fn new(
        states: usize,
        inputs: usize,
        timers: usize,
        reads: Incidence,
        crossing_reads: Incidence,
    ) -> Structure {
        let quantities = states + inputs;
        Structure {
            states,
            inputs,
            timers,
            feeds: reads.transposed(quantities),
            crossing_feeds: crossing_reads.transposed(quantities),
            remembered: crossing_reads.rows(),
            renews: Incidence::default(),
            reads,
            crossing_reads,
        }
    }

    pub fn crossings(&self) -> usize {
        self.crossing_reads.rows()
    }

    pub fn quantities(&self) -> usize {
        self.states + self.inputs
    }
}

/// What an event changed. The model fills it in; the engine empties it.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Derivatives whose value is another function of the quantities now.
    pub derivatives: Vec<u32>,
    /// Crossing functions of which the same is true.
    pub crossings: Vec<u32>,
    /// Time inputs that continue on another curve.
    pub inputs: Vec<u32>,
    /// New values of states.
    pub reinits: Vec<(u32, f64)>,
    /// Sides of crossings that the model decided itself (true: the function counts as positive).
    pub sides: Vec<(u32, bool)>,
    /// New times of timers.
    pub timers: Vec<(u32, f64)>,
    /// The simulation ends here.
    pub terminate: bool,
}

impl Changes {
    pub fn clear(&mut self) {
        self.derivatives.clear();
        self.crossings.clear();
        self.inputs.clear();
        self.reinits.clear();
        self.sides.clear();
        self.timers.clear();
        self.terminate = false;
    }
}

/// The simultaneous happenings of one instant.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub time: f64,
    /// Crossings that have just changed side, with the new side.
    pub crossings: &'a [(u32, bool)],
    pub timers: &'a [u32],
}

/// See the module comment. `N` is the order of the method (coefficients of a quantized state), `D`
/// is `N + 1` (coefficients of a state's trajectory).
pub trait QssModel {
    /// Asked for once.
    fn structure(&self) -> Structure;

    /// Values of the states at the start time.
    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic>;

    /// Derivative of state j, from the quantities of `structure().reads.row(j)` in that order.
    fn derivative<const N: usize>(&mut self, j: usize, time: f64, q: &[[f64; N]]) -> [f64; N];

    /// Crossing function z, from the trajectories of `structure().crossing_reads.row(z)`.
    fn crossing<const D: usize>(&mut self, z: usize, time: f64, x: &[[f64; D]]) -> [f64; D] {
        let _ = (z, time, x);
        [0.0; D]
    }

    /// Taylor coefficients of time input k, two more than a quantized state of third order needs:
    /// they say how long the polynomial may be trusted.
    fn input(&mut self, k: usize, time: f64) -> [f64; 5] {
        let _ = (k, time);
        [0.0; 5]
    }

    /// Do events change time input k, so that what it is now says nothing of later?
    fn events_change_input(&self, k: usize) -> bool {
        let _ = k;
        false
    }

    /// Time from which on the last polynomial of input k is another one, where that is known.
    fn input_until(&self, k: usize) -> f64 {
        let _ = k;
        f64::INFINITY
    }

    /// What is known of time input k from one time to another.
    fn reach(&mut self, k: usize, from: f64, to: f64) -> Reach {
        let _ = (k, from, to);
        Reach::Exact
    }

    /// After the evaluation of a crossing function that time inputs remember: when each of the inputs that it renews is to be
    /// renewed at the latest. In the order of `structure().renews`.
    fn input_due(&self, place: usize) -> f64 {
        let _ = place;
        f64::INFINITY
    }

    /// What is known of the dependence of crossing function z on what it reads.
    fn crossing_shapeliness(&self, z: usize) -> Shapeliness {
        let _ = z;
        Shapeliness::Affine
    }

    /// Is crossing function z on its positive side at the start?
    fn side(&self, z: usize) -> bool {
        let _ = z;
        false
    }

    /// Is crossing z a relation of time that at its threshold is still what it was, and changes to this side right after it (`time > 1`)?
    fn turns_after(&self, z: usize, side: bool) -> bool {
        let _ = (z, side);
        false
    }

    /// First time of a timer; infinity when it is not running.
    fn first_time(&self, timer: usize) -> f64 {
        let _ = timer;
        f64::INFINITY
    }

    /// The discrete part of the model at an event.
    fn event(
        &mut self,
        event: Event<'_>,
        trajectories: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        let _ = (event, trajectories, changes);
        Ok(())
    }

    /// The coefficient after those that the last derivative was asked for, where it is known.
    #[inline]
    fn omitted(&self) -> f64 {
        0.0
    }

    /// What is known of derivative j's dependence on what it reads.
    fn shapeliness(&self, j: usize) -> Shapeliness {
        let _ = j;
        Shapeliness::Unknown
    }

    /// May derivative j divide by something that vanishes?
    #[inline]
    fn has_poles(&self, j: usize) -> bool {
        let _ = j;
        false
    }

    /// Is there a pole of derivative j where what it reads is anywhere in these ranges, in the order of `structure().reads`?
    fn has_pole_within(&mut self, j: usize, time: f64, ranges: &[Interval]) -> bool {
        let _ = (j, time, ranges);
        false
    }

    /// What state j may do where it rests.
    fn standing(&self, j: usize) -> Standing {
        let _ = j;
        Standing::Bound
    }

    /// Derivative j is about to be evaluated: a chance to ask the memory for it.
    #[inline]
    fn derivative_ahead(&self, j: usize) {
        let _ = j;
    }

    /// The same for crossing function z.
    #[inline]
    fn crossing_ahead(&self, z: usize) {
        let _ = z;
    }

    /// An event by crossing z is near: first what tells where everything else is, and when that has had
    /// time to come, everything else.
    #[inline]
    fn event_ahead(&self, z: usize) {
        let _ = z;
    }

    #[inline]
    fn event_near(&self, z: usize) {
        let _ = z;
    }

    /// The run ends here.
    fn end(&mut self, at: Trajectories<'_>) -> Result<(), Diagnostic> {
        let _ = at;
        Ok(())
    }

    /// Why the last evaluation was not a number, if the model knows.
    fn failure(&mut self) -> Option<Diagnostic> {
        None
    }

    /// Name of a state, for messages and statistics.
    fn state_name(&self, j: usize) -> String {
        format!("x[{}]", j + 1)
    }

    /// Name of a crossing, for messages and statistics.
    fn crossing_name(&self, z: usize) -> String {
        format!("crossing {}", z + 1)
    }
}

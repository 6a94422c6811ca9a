//! Crossings of conditions between two events: on which side each condition is, how wide its hysteresis is, and whether it chatters.
//!
//! In: the slots where a search begins, and the crossings that it found. Out: sides and widths. Chattering is one condition that changes again and
//! again at nearly one time and never gets away from its threshold between two changes: first events are settled the other way round, then the
//! condition gets a wider hysteresis, so that the solution slides along it; if it chatters still, the run stops and names it. A fast oscillation in
//! a long run is none.

use std::collections::VecDeque;

use ferrica_codegen::{Cause, CompiledModel, Evaluator, Failure};
use ferrica_ir::expr::BinaryOp;
use ferrica_ir::print::brief;

use crate::error::{SimError, Warning};
use crate::problem::{Problem, holds, side};
use crate::relations::relation_text;

/// Hysteresis of a crossing in parts of the size of its two sides.
pub const HYSTERESIS: f64 = 1e-11;
/// Its least value in parts of the tolerance: noise of the solution around zero is no event.
pub const HYSTERESIS_OF_TOLERANCE: f64 = 1e-5;

/// So many state events within a window are chattering.
const CHATTER_EVENTS: usize = 60;
/// … if one condition has at least this part of them: many conditions may change at one time.
const CHATTER_PART: usize = 4;
/// The window, in parts of the experiment.
pub const CHATTER_SPAN: f64 = 1e-6;
/// Hysteresis with which a chattering condition slides; if it chatters still, the run stops.
const SLIDING_WIDTH: f64 = 1e-4;

/// Hysteresis of a crossing: a part of the size of its two sides, and at least so much.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Width {
    relative: f64,
    absolute: f64,
}

/// See the module comment.
pub struct Crossings {
    /// Numbers in the model.
    relations: Vec<usize>,
    /// Of each: size of its sides so far, and its hysteresis.
    scales: Vec<f64>,
    widths: Vec<Width>,
    tolerance: f64,
    /// The last events: time and crossing.
    recent: VecDeque<(f64, usize)>,
    prefers_rest: bool,
}

/// The condition that perhaps chatters: how far one that changes often gets away from its threshold, on the side that it is on, between its changes.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    crossing: usize,
    farthest: f64,
}

impl Watch {
    fn new(crossing: usize) -> Watch {
        Watch {
            crossing,
            farthest: 0.0,
        }
    }

    /// Root functions of the conditions at a point of the search, and their sides there.
    pub fn see(&mut self, roots: &[f64], sides: &[Side]) {
        let away = roots[self.crossing] - sides[self.crossing].width;
        self.farthest = self.farthest.max(away);
    }
}

impl Crossings {
    pub fn new(relations: Vec<usize>, tolerance: f64) -> Crossings {
        let width = Width {
            relative: HYSTERESIS,
            absolute: HYSTERESIS_OF_TOLERANCE * tolerance,
        };
        Crossings {
            scales: vec![0.0; relations.len()],
            widths: vec![width; relations.len()],
            relations,
            tolerance,
            recent: VecDeque::new(),
            prefers_rest: false,
        }
    }

    /// Time and relation of the last crossing.
    pub fn last(&self) -> Option<(f64, usize)> {
        self.recent.back().map(|&(t, k)| (t, self.relations[k]))
    }

    /// Events are to be settled the other way round, see [`crate::Means`].
    pub fn prefers_rest(&self) -> bool {
        self.prefers_rest
    }

    /// Side and width of crossing `k` for a search that begins at the present point.
    pub fn side(&mut self, ev: &Evaluator, k: usize) -> Side {
        let r = &ev.model.relations[self.relations[k]];
        let (lhs, rhs) = (ev.get(r.lhs), ev.get(r.rhs));
        let size = lhs.abs().max(rhs.abs());
        if size.is_finite() {
            self.scales[k] = self.scales[k].max(size);
        }
        let memory = ev.get(r.memory) != 0.0;
        let orders = !matches!(r.op, BinaryOp::Eq | BinaryOp::Ne);
        let side = Side {
            sign: side(r.op, memory),
            width: self.widths[k].relative * self.scales[k] + self.widths[k].absolute,
            turns_at_zero: orders && holds(r.op, 0.0, 0.0) != memory,
        };
        side.begin(ev.get(r.zero))
    }

    /// So near to its threshold a condition is at it, as far as the solution tells: within the tolerance of its sides, or within its hysteresis.
    fn noise(&self, k: usize) -> f64 {
        let (scale, width) = (self.scales[k], self.widths[k]);
        let hysteresis = width.relative * scale + width.absolute;
        (self.tolerance * scale).max(2.0 * hysteresis)
    }

    /// These crossings were found at `t`. Many of them within the time `window` are chattering if the solution stays at the threshold: `watch` is shown
    /// the search, and tells. A warning: it slides along a condition from now on.
    pub fn note(
        &mut self,
        model: &CompiledModel,
        hits: &[usize],
        t: f64,
        window: f64,
        watch: &mut Option<Watch>,
    ) -> Result<Option<Warning>, SimError> {
        self.recent.extend(hits.iter().map(|&k| (t, k)));
        while self.recent.len() > CHATTER_EVENTS {
            self.recent.pop_front();
        }
        if self.recent.len() < CHATTER_EVENTS
            || self.recent.front().is_some_and(|f| t - f.0 > window)
        {
            return Ok(None);
        }
        let mut counts = vec![0usize; self.relations.len()];
        for &(_, k) in &self.recent {
            counts[k] += 1;
        }
        self.recent.clear();
        let Some(most) = (0..counts.len()).max_by_key(|&k| counts[k]) else {
            return Ok(None);
        };
        if counts[most] * CHATTER_PART < CHATTER_EVENTS {
            return Ok(None);
        }
        let watched = watch.replace(Watch::new(most));
        if watched.is_none_or(|w| w.crossing != most || w.farthest > self.noise(most)) {
            return Ok(None);
        }
        if !self.prefers_rest {
            // Perhaps the other way to settle the event does not chatter.
            self.prefers_rest = true;
            return Ok(None);
        }
        let relation = self.relations[most];
        let condition = relation_text(model, relation);
        let span = model.source.relations[relation].span;
        if self.widths[most].relative >= SLIDING_WIDTH {
            let mut failure = Failure::new(format!(
                "chattering: the condition `{condition}` changes at every step near time {}",
                brief(t)
            ));
            failure.span = span;
            failure.cause = Cause::Chattering;
            failure
                .details
                .push(format!("{CHATTER_EVENTS} events at nearly one time"));
            let hint = "give the condition a hysteresis, or use noEvent() where the expression is continuous";
            return Err(SimError {
                hint: Some(hint.to_string()),
                ..SimError::new("E0610", t, failure)
            });
        }
        for (width, &count) in self.widths.iter_mut().zip(&counts) {
            if count > 0 {
                *width = Width {
                    relative: SLIDING_WIDTH,
                    absolute: 10.0 * self.tolerance,
                };
            }
        }
        let message = format!(
            "chattering: the solution slides along the condition `{condition}` from time {} on",
            brief(t)
        );
        Ok(Some(Warning {
            time: t,
            message,
            span,
        }))
    }
}

/// Sides and hysteresis of all crossings of a model, for the integration that begins now. After an event that only some conditions were
/// evaluated at, the others keep theirs.
pub fn set_sides(p: &mut Problem, model: &CompiledModel, crossings: &mut Crossings) {
    if std::mem::take(&mut p.only_touched)
        && let Some(reached) = &p.reached
    {
        for &k in &reached.relations {
            if let Ok(crossing) = p.crossings.binary_search(&(k as usize)) {
                p.sides[crossing] = crossings.side(&p.ev, crossing);
            }
        }
        p.zeros_are_current = false;
        return;
    }
    p.zeros_are_current = true;
    if !std::mem::take(&mut p.relations_are_current) {
        let _ = p.ev.exec(model, &model.relation_program);
    }
    for k in 0..p.crossings.len() {
        p.sides[k] = crossings.side(&p.ev, k);
    }
}

/// Where a crossing is between two events.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Sign of lhs − rhs with the present memory.
    pub sign: f64,
    /// Hysteresis.
    pub width: f64,
    /// At its threshold itself the relation is on the other side: one that comes to rest there, as `u >= 1` where u is limited to 1, has changed.
    turns_at_zero: bool,
}

impl Default for Side {
    fn default() -> Side {
        Side {
            sign: 1.0,
            width: 0.0,
            turns_at_zero: false,
        }
    }
}

impl Side {
    /// On the wrong side by rounding or by the accuracy of the solution, a search that begins where the zero function is `z` begins inside.
    /// At its threshold itself it keeps the side that the event has left it on: it rests there already, so coming to rest is no change. A controller that holds
    /// its integrator, where neither side agrees with its own consequence, begins so.
    pub(crate) fn begin(self, z: f64) -> Side {
        let outside = self.sign * z + self.width <= 0.0;
        let width = if outside { 2.0 * z.abs() } else { self.width };
        Side {
            width: width.max(1e-300),
            turns_at_zero: self.turns_at_zero && z != 0.0,
            ..self
        }
    }

    /// The root function where a search begins. Without a value (outside of the domain of one of its terms) it is no number, and the relation keeps its side.
    #[inline]
    pub fn root_at_begin(self, z: f64) -> f64 {
        self.sign * z + self.width
    }

    /// The root function behind that.
    #[inline]
    pub fn root(self, z: f64) -> f64 {
        if z == 0.0 && self.turns_at_zero {
            -self.width
        } else {
            self.root_at_begin(z)
        }
    }
}

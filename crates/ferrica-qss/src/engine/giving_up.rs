//! When the engine gives up, and what it says then.

use ferrica_ir::Diagnostic;
use ferrica_ir::print::brief;
use ferrica_sim::same_time;

use super::{Engine, PATIENCE};
use crate::model::QssModel;
use crate::quantizer::Family;
use crate::settings::busiest;
use crate::start::not_finite;

/// Events at one instant before it is asked whether the model chatters.
const MAX_PASSES: u32 = 1000;
/// Transitions of a state that a run may still be expected to make, and how often in a row it is found to
/// need more before it is given up.
const BEARABLE: f64 = 1e7;
const SLOW: u32 = 3;
/// A run is getting faster where it comes so many times farther than before with as many transitions: a state that has begun at zero has quanta that grow with it.
const FASTER: f64 = 2.0;
/// States that a message shows.
const SHOWN: usize = 3;

/// Events in a short time.
pub(super) struct Burst {
    /// How short, and when it began.
    window: f64,
    since: f64,
    passes: u32,
    /// What was due when they were last looked at, and its number of events.
    leaf: usize,
    events: u64,
    /// If that was a crossing, which one, and how far its function has been from zero since then.
    pub crossing: usize,
    farthest: f64,
}

impl Burst {
    pub fn new(window: f64) -> Burst {
        Burst {
            window,
            since: f64::NEG_INFINITY,
            passes: 0,
            leaf: usize::MAX,
            events: 0,
            crossing: usize::MAX,
            farthest: 0.0,
        }
    }

    /// The function of its crossing, and the time until it crosses.
    #[cold]
    pub fn see(&mut self, g: &[f64], rest: f64) {
        let half = if rest.is_finite() { 0.5 * rest } else { 0.0 };
        let between = g.iter().rev().fold(0.0, |sum, c| sum * half + c);
        self.farthest = self.farthest.max(g[0].abs()).max(between.abs());
    }
}

impl<M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'_, M, N, D, C> {
    /// Is the model beyond this method? Said of a run that was given a number of transitions and has
    /// used them, or that has been so slow [`SLOW`] times, without getting faster, that each state would have to make
    /// [`BEARABLE`] more.
    pub(super) fn gives_up(&mut self) -> bool {
        let n = self.stats.transitions;
        if self.max_transitions > 0 && n >= self.max_transitions {
            return true;
        }
        let advance = self.time - self.looked;
        let faster = advance > FASTER * self.advance;
        (self.looked, self.advance) = (self.time, advance);
        self.look_at = n + PATIENCE;
        if self.max_transitions > 0 {
            self.look_at = self.look_at.min(self.max_transitions);
        }
        let bearable = BEARABLE * self.structure.states.max(10) as f64;
        if PATIENCE as f64 * (self.stop - self.time) <= bearable * advance {
            self.slow = 0;
        } else if !faster {
            self.slow += 1;
        }
        self.slow >= SLOW
    }

    pub(super) fn too_many(&self) -> Diagnostic {
        let counts = &self.stats.per_state;
        let busiest = busiest(counts, 1).first().copied().unwrap_or(0);
        let count = counts.get(busiest).copied().unwrap_or(0);
        Diagnostic::error(
            "E0620",
            ferrica_ir::Span::NONE,
            format!(
                "gave up after {} transitions at time {}, too slow to come to the end: most of them ({count}) by `{}`",
                self.stats.transitions,
                brief(self.time),
                self.model.state_name(busiest)
            ),
        )
        .with_hint(match self.control.family {
            Family::Qss | Family::Cqss => {
                "the model is stiff for an explicit method: take liqss2, or mliqss2 where several states share a fast motion, or a classic solver (bdf, radau)"
            }
            Family::Liqss => {
                "several states share a fast motion, which liqss does not see: take mliqss2 or a classic solver (bdf, radau)"
            }
            Family::ModifiedLiqss => {
                "fast motions that more states share than a group may have, or that do not come to rest, need a classic solver (bdf, radau)"
            }
        })
    }

    /// Has one condition changed again and again in a short time, and stayed at its threshold, as far as the quanta of what it reads tell? Many that
    /// change once do not chatter, nor does a fast oscillation in a long run.
    pub(super) fn chatters(&mut self, leaf: usize, t: f64) -> bool {
        let burst = &mut self.burst;
        if t > burst.since + burst.window {
            *burst = Burst {
                since: t,
                ..Burst::new(burst.window)
            };
        }
        burst.passes += 1;
        if !burst.passes.is_multiple_of(MAX_PASSES) {
            return false;
        }
        let crossing = leaf.checked_sub(self.structure.timers);
        let (events, stays) = match crossing.map(|z| &self.watches[z].detector) {
            Some(d) => (
                u64::from(d.events),
                burst.farthest <= d.noise(&self.control),
            ),
            None => (u64::from(burst.passes), true),
        };
        let again = burst.leaf == leaf && events > burst.events + u64::from(MAX_PASSES) / 10;
        (burst.leaf, burst.events) = (leaf, events);
        (burst.crossing, burst.farthest) = (crossing.unwrap_or(usize::MAX), 0.0);
        again && (stays || same_time(t, burst.since))
    }

    pub(super) fn chattering(&self, leaf: usize) -> Diagnostic {
        let timers = self.structure.timers;
        let what = if leaf >= timers {
            self.model.crossing_name(leaf - timers)
        } else {
            format!("timer {}", leaf + 1)
        };
        Diagnostic::error(
            "E0621",
            ferrica_ir::Span::NONE,
            format!(
                "the model chatters: {} events at time {} without progress, the last one by `{what}`",
                self.burst.passes,
                brief(self.time)
            ),
        )
        .with_hint(
            "each side of the condition drives the model back to the other one: give it a hysteresis, or use noEvent",
        )
    }

    /// Derivative j has no value here. That may be due to the quanta of what it reads.
    #[cold]
    pub(super) fn without_value(&mut self, j: usize, t: f64) -> Diagnostic {
        let error = not_finite(self.model, j, t);
        let reads = self.structure.reads.row(j).iter().map(|&k| k as usize);
        let states: Vec<String> = reads
            .filter(|&k| k < self.structure.states)
            .take(SHOWN)
            .map(|k| {
                let (q, quantum) = (self.nodes[k].quantized::<N>(t)[0], self.nodes[k].quantum);
                format!("`{}` = {q:.3e} ± {quantum:.0e}", self.model.state_name(k))
            })
            .collect();
        if states.is_empty() {
            return error;
        }
        error.with_hint(format!(
            "quantized states are off by up to a quantum ({}): if the equations have no solution there, use bdf or a smaller --tol",
            states.join(", ")
        ))
    }
}

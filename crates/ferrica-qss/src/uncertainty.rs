//! What the quanta leave uncertain of the variables that are functions of states.
//!
//! A tolerance holds for each state, in parts of its own range. A variable that is a small difference of large states, or a small current times a large resistance,
//! may be off by many times its range while all states are within their quanta. So some rows are computed twice, the second time with each state moved
//! by what its quantum leaves uncertain of it, up or down at random: a sum of such moves is as large as the sum of the errors' squares allows.
//!
//! In: the trajectories at a row and the program of a row. Out: the variables for which the mean of that is more than [`KEPT`] tolerances of their
//! range. It is a bound, for independent errors of whole quanta; errors that are found are a tenth of it and less. Cost: one more evaluation for each of [`ROWS`] rows.

use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_sim::Warning;

use crate::compiled::CompiledQss;
use crate::observer::Trajectories;

/// Rows that are looked at, about.
const ROWS: f64 = 256.0;
/// Tolerances that may be uncertain: ten times those that a mean error may have.
const KEPT: f64 = 100.0;
/// A range that is less than this part of the largest value is rounding, not motion; and less than this part of the largest value of all variables, as that of the
/// current of a ground.
const ROUNDING: f64 = 1e-9;
const ROUNDING_OF_SUMS: f64 = 1e-12;
/// Percent above which a number says no more.
const MOST: f64 = 1000.0;
/// Variables that a message shows.
const SHOWN: usize = 3;

#[derive(Clone, Copy)]
struct Shown {
    slot: Slot,
    low: f64,
    high: f64,
    /// Sum of the moves, and their number.
    moved: f64,
    times: u32,
}

/// See the module comment.
pub(crate) struct Uncertainty {
    shown: Vec<Shown>,
    /// Rows between two that are looked at, and to the next one.
    stride: u32,
    left: u32,
    row: u64,
    kept: Vec<f64>,
}

/// Up or down, as good as at random.
fn side(row: u64, state: usize) -> f64 {
    let mut z = row
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((state as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    if (z ^ (z >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
}

impl Uncertainty {
    /// Of these slots, which change between events, in a run with so many rows.
    pub fn new(slots: Vec<Slot>, rows: f64) -> Uncertainty {
        let stride = (rows / ROWS).clamp(1.0, f64::from(u32::MAX)) as u32;
        let shown = |slot| Shown {
            slot,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            moved: 0.0,
            times: 0,
        };
        Uncertainty {
            shown: slots.into_iter().map(shown).collect(),
            stride,
            left: 1,
            row: 0,
            kept: Vec::new(),
        }
    }

    /// The slots hold a row; `program` computes what moves in it from the states that are `needed`.
    pub fn look(
        &mut self,
        model: &mut CompiledQss,
        at: Trajectories<'_>,
        (needed, program): (&[u32], &Program),
    ) {
        for s in &mut self.shown {
            let value = model.ev.slots[s.slot as usize];
            if value.is_finite() {
                s.low = s.low.min(value);
                s.high = s.high.max(value);
            }
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 || self.shown.is_empty() {
            return;
        }
        (self.left, self.row) = (self.stride, self.row + 1);
        let row = self.row;
        let slots = model.model.slot_count();
        self.kept.clear();
        self.kept.extend_from_slice(&model.ev.slots[..slots]);
        let first = model.model.layout.states as usize;
        for &i in needed {
            let i = i as usize;
            model.ev.slots[first + i] = at.seen(i) + at.uncertain(i, |k| side(row, k));
        }
        // Where there is no solution for these states, nothing is learned.
        if model.ev.run(program).is_ok() {
            for s in &mut self.shown {
                let moved = model.ev.slots[s.slot as usize] - self.kept[s.slot as usize];
                if moved.is_finite() {
                    s.moved += moved.abs();
                    s.times += 1;
                }
            }
        }
        model.ev.slots[..slots].copy_from_slice(&self.kept);
    }

    /// What is to be said of it at the end.
    pub fn told(&self, model: &CompiledModel, tolerance: f64, time: f64) -> Option<Warning> {
        let seen = self.shown.iter().filter(|s| s.low <= s.high);
        let size = |s: &Shown| s.high.abs().max(s.low.abs());
        let noise = ROUNDING_OF_SUMS * seen.map(size).fold(0.0, f64::max);
        let part = |s: &Shown| {
            let range = s.high - s.low;
            let moves = range > noise && range > ROUNDING * size(s) && s.times > 0;
            let moved = s.moved / f64::from(s.times);
            // What is uncertain has widened the range that is seen, on both sides.
            moves.then(|| moved / (range - 2.0 * moved).max(0.0))
        };
        let parts = self.shown.iter().filter_map(|s| Some((part(s)?, s.slot)));
        let mut much: Vec<(f64, Slot)> = parts.filter(|p| p.0 > KEPT * tolerance).collect();
        much.sort_by(|a, b| b.0.total_cmp(&a.0));
        let &(largest, _) = much.first()?;
        let name =
            |&(part, slot): &(f64, Slot)| format!("`{}` ({})", model.var_name(slot), percent(part));
        let names: Vec<String> = much.iter().take(SHOWN).map(name).collect();
        let others = match much.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let text = format!(
            "the quanta leave up to so much of their ranges uncertain of {}{others}, more than a hundred tolerances: they are steep functions of states, which are themselves within theirs; \
             a tenth of --tol leaves a tenth of it ({}), bdf and radau solve for such variables",
            names.join(", "),
            percent(0.1 * largest)
        );
        Some(Warning::of_run(time, text))
    }
}

fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        p if p >= MOST => format!("more than {MOST} %"),
        p if p >= 10.0 => format!("{p:.0} %"),
        p if p >= 0.1 => format!("{p:.1} %"),
        p => format!("{p:.0e} %"),
    }
}

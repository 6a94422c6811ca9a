//! The scheduler: the earliest of the next times of everything that can happen.
//!
//! A tournament with eight players a match. The leaves are the times, eight to a cache line; each
//! level above holds, for every line below, the winner's time and leaf, so the top is the next thing
//! to happen. A change of one leaf is compared with the winner of its line and goes up only while it
//! changes a winner; a line is looked through only when its winner becomes later. The cost of a
//! change is at most logarithmic (to the base eight) in the number of leaves, and only the lowest
//! level of a large model is not in the cache.
//!
//! Ties: the leaf with the smaller index wins. The engine numbers its leaves so that this is the
//! documented order of simultaneous happenings (see `engine`).

/// Players of a match: the times of one cache line.
const FAN: usize = 8;
/// Players of a level that is looked through for what happens soon.
const MANY: usize = 16 * FAN;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f64; FAN]);

/// Added to a line, makes one player never win.
const AWAY: [Line; FAN] = {
    let mut away = [Line([0.0; FAN]); FAN];
    let mut k = 0;
    while k < FAN {
        away[k].0[k] = f64::INFINITY;
        k += 1;
    }
    away
};

impl Line {
    /// Winner of the line when player `at` has the time `time`.
    ///
    /// The line is read as it was before the change: a vector load right behind a store into it
    /// would wait for the store.
    #[inline]
    fn winner(&self, at: usize, time: f64) -> (f64, usize) {
        let mut t = [0.0; FAN];
        for (k, v) in t.iter_mut().enumerate() {
            *v = self.0[k] + AWAY[at].0[k];
        }
        let min = |a: f64, b: f64| if b < a { b } else { a };
        let half = [
            min(t[0], t[4]),
            min(t[1], t[5]),
            min(t[2], t[6]),
            min(t[3], t[7]),
        ];
        let others = min(min(half[0], half[2]), min(half[1], half[3]));
        let best = min(others, time);
        let mut mask = u32::from(time == best) << at;
        for (k, &v) in t.iter().enumerate() {
            mask |= u32::from(v == best) << k;
        }
        // Never empty; the remainder says so to the compiler.
        (best, mask.trailing_zeros() as usize % FAN)
    }
}

/// Winners of one level.
#[derive(Clone, Debug)]
struct Level {
    times: Vec<Line>,
    /// Leaf of each time.
    leaves: Vec<u32>,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Scheduler {
    leaves: Vec<Line>,
    /// From the level above the leaves to the top, whose first entry is the winner of all.
    levels: Vec<Level>,
}

impl Scheduler {
    /// All leaves start at infinity.
    pub fn new(leaves: usize) -> Scheduler {
        let never = Line([f64::INFINITY; FAN]);
        let mut size = leaves.div_ceil(FAN).max(1);
        let bottom = vec![never; size];
        let mut levels = Vec::new();
        let mut reach = FAN;
        loop {
            levels.push(Level {
                times: vec![never; size.div_ceil(FAN)],
                leaves: (0..size).map(|k| (k * reach) as u32).collect(),
            });
            if size == 1 {
                break;
            }
            size = size.div_ceil(FAN);
            reach *= FAN;
        }
        Scheduler {
            leaves: bottom,
            levels,
        }
    }

    #[inline]
    pub fn time_of(&self, leaf: usize) -> f64 {
        self.leaves[leaf / FAN].0[leaf % FAN]
    }

    /// Asks the memory for the line of a leaf ahead of its use.
    #[inline]
    pub fn prefetch(&self, leaf: usize) {
        crate::memory::prefetch(&self.leaves[leaf / FAN]);
    }

    /// The earliest leaf and its time.
    #[inline]
    pub fn next(&self) -> (usize, f64) {
        let top = &self.levels[self.levels.len() - 1];
        (top.leaves[0] as usize, top.times[0].0[0])
    }

    /// Times and leaves, after `from` and not after `until`, of at most so many winners of a level that has
    /// many of them: most of what happens then.
    pub fn soon(&self, from: f64, until: f64, most: usize, found: &mut Vec<(f64, u32)>) {
        let level = self.levels.iter().rev().find(|l| l.leaves.len() >= MANY);
        let Some(level) = level.or(self.levels.first()) else {
            return;
        };
        let enough = found.len() + most;
        for (line, leaves) in level.times.iter().zip(level.leaves.chunks(FAN)) {
            let soon = |t: f64| t > from && t <= until;
            if !line.0.iter().fold(false, |any, &t| any | soon(t)) {
                continue;
            }
            for (&time, &leaf) in line.0.iter().zip(leaves) {
                if soon(time) {
                    if found.len() == enough {
                        return;
                    }
                    found.push((time, leaf));
                }
            }
        }
    }

    /// Sets the time of a leaf.
    #[inline]
    pub fn set(&mut self, leaf: usize, time: f64) {
        if self.time_of(leaf) == time {
            return;
        }
        // The player that has changed: its number on its level, its time, whose it is and was.
        let (mut at, mut time, mut who, mut was) = (leaf, time, leaf as u32, leaf as u32);
        let mut line = &mut self.leaves[at / FAN];
        let mut below: &[u32] = &[];
        for level in &mut self.levels {
            let player = at % FAN;
            at /= FAN;
            let best = level.times[at / FAN].0[at % FAN];
            let winner = level.leaves[at];
            let next = if was == winner && time > best {
                let (t, k) = line.winner(player, time);
                let leaf = if k == player {
                    who
                } else if below.is_empty() {
                    (at * FAN + k) as u32
                } else {
                    below[at * FAN + k]
                };
                (t, leaf)
            } else if was == winner || time < best || (time == best && who < winner) {
                (time, who)
            } else {
                line.0[player] = time;
                return;
            };
            line.0[player] = time;
            (was, (time, who)) = (winner, next);
            level.leaves[at] = who;
            below = &level.leaves;
            line = &mut level.times[at / FAN];
        }
        line.0[0] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_linear_search() {
        for leaves in [1, 2, 3, 7, 64, 100] {
            let mut tree = Scheduler::new(leaves);
            let mut plain = vec![f64::INFINITY; leaves];
            let mut seed = 1u64;
            for _ in 0..5000 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                let leaf = (seed >> 33) as usize % leaves;
                // Few distinct times, so that ties are common.
                let time = ((seed >> 20) % 9) as f64;
                let time = if time == 8.0 { f64::INFINITY } else { time };
                tree.set(leaf, time);
                plain[leaf] = time;
                let mut best = 0;
                for k in 1..leaves {
                    if plain[k] < plain[best] {
                        best = k;
                    }
                }
                assert_eq!(tree.next(), (best, plain[best]));
            }
        }
    }
}

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

use ferrica_codegen::lists::prefetch;

/// Players of a match: the times of one cache line.
const FAN: usize = 8;
/// Most happenings that are called soon, and players of the level from which on they are looked for.
const SOON: usize = 64;
const MANY: usize = 8 * FAN;

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

    /// Notes the players of line k whose times are not after `until`. False if they are too many.
    #[inline]
    fn note(&self, until: f64, k: u32, list: &mut [u32; SOON], count: &mut usize) -> bool {
        let mut mask = 0u32;
        for (player, &time) in self.0.iter().enumerate() {
            mask |= u32::from(time <= until) << player;
        }
        while mask != 0 {
            if *count == SOON {
                return false;
            }
            list[*count] = k * FAN as u32 + mask.trailing_zeros();
            *count += 1;
            mask &= mask - 1;
        }
        true
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

    /// Asks the memory for the line of a leaf and of its winner ahead of their use.
    #[inline]
    pub fn prefetch(&self, leaf: usize) {
        prefetch(&self.leaves[leaf / FAN]);
        let above = &self.levels[0];
        prefetch(&above.times[leaf / FAN / FAN]);
        prefetch(&above.leaves[leaf / FAN]);
    }

    /// The earliest leaf and its time.
    #[inline]
    pub fn next(&self) -> (usize, f64) {
        let top = &self.levels[self.levels.len() - 1];
        (top.leaves[0] as usize, top.times[0].0[0])
    }

    /// Times and leaves, after `from` and not after `until`, of the winners of a low level: most of what happens
    /// then. False, and none, if there are too many.
    pub fn soon(&self, from: f64, until: f64, found: &mut Vec<(f64, u32)>) -> bool {
        let top = self.levels.iter().rposition(|l| l.leaves.len() >= MANY);
        let top = top.unwrap_or(0);
        let low = top.min(1);
        // Those of a level that are soon, from high to low.
        let mut players = [0u32; SOON];
        let mut count = 0;
        for (k, line) in self.levels[top].times.iter().enumerate() {
            if !line.note(until, k as u32, &mut players, &mut count) {
                return false;
            }
        }
        for level in self.levels[low..top].iter().rev() {
            let mut below = [0u32; SOON];
            let mut number = 0;
            for &k in &players[..count] {
                let line = &level.times[k as usize];
                if !line.note(until, k, &mut below, &mut number) {
                    return false;
                }
            }
            (players, count) = (below, number);
        }
        let level = &self.levels[low];
        for &k in &players[..count] {
            let time = level.times[k as usize / FAN].0[k as usize % FAN];
            if time > from {
                found.push((time, level.leaves[k as usize]));
            }
        }
        true
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
    fn what_is_soon_begins_with_the_next() {
        let mut tree = Scheduler::new(1000);
        for k in 0..1000 {
            tree.set(k, ((k * 619) % 1000) as f64);
        }
        let mut found = Vec::new();
        assert!(tree.soon(0.0, 20.0, &mut found));
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(found[0], (1.0, 979));
        assert!(found.len() > 10 && found.len() <= 20, "{}", found.len());
        assert!(found.iter().all(|f| tree.time_of(f.1 as usize) == f.0));
        assert!(!tree.soon(0.0, 900.0, &mut found));
    }

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

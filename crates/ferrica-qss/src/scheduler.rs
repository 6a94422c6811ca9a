//! The scheduler: a tournament tree over the next times of everything that can happen.
//!
//! Each leaf holds one time; each inner node holds the winner (the earlier) of its two children, so
//! the root is the next thing to happen. A change of one leaf replays only the matches on its way
//! to the root, and stops where the outcome is the same as before. The cost of a change is at most
//! logarithmic in the number of leaves and usually two or three matches.
//!
//! Ties: the leaf with the smaller index wins. The engine numbers its leaves so that this is the
//! documented order of simultaneous happenings (see `engine.rs`).

/// Earliest time below a node, and the leaf that has it.
#[derive(Clone, Copy, Debug)]
struct Match {
    time: f64,
    leaf: u32,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Number of leaves, rounded up to a power of two.
    size: usize,
    /// Node 1 is the root, leaf k is node `size + k`.
    nodes: Vec<Match>,
}

impl Scheduler {
    /// All leaves start at infinity.
    pub fn new(leaves: usize) -> Scheduler {
        let size = leaves.max(1).next_power_of_two();
        let mut nodes = vec![
            Match {
                time: f64::INFINITY,
                leaf: 0
            };
            2 * size
        ];
        for (k, node) in nodes[size..].iter_mut().enumerate() {
            node.leaf = k as u32;
        }
        for node in (1..size).rev() {
            nodes[node] = nodes[2 * node];
        }
        Scheduler { size, nodes }
    }

    #[inline]
    pub fn time_of(&self, leaf: usize) -> f64 {
        self.nodes[self.size + leaf].time
    }

    /// The earliest leaf and its time.
    #[inline]
    pub fn next(&self) -> (usize, f64) {
        (self.nodes[1].leaf as usize, self.nodes[1].time)
    }

    /// Sets the time of a leaf and replays its matches.
    #[inline]
    pub fn set(&mut self, leaf: usize, time: f64) {
        let mut node = self.size + leaf;
        if self.nodes[node].time == time {
            return;
        }
        self.nodes[node].time = time;
        let mut winner = self.nodes[node];
        while node > 1 {
            // The sibling wins a tie only from the left.
            let sibling = self.nodes[node ^ 1];
            let first =
                sibling.time < winner.time || (sibling.time == winner.time && node & 1 == 1);
            if first {
                winner = sibling;
            }
            node >>= 1;
            let old = self.nodes[node];
            if old.leaf == winner.leaf && old.time == winner.time {
                return;
            }
            self.nodes[node] = winner;
        }
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

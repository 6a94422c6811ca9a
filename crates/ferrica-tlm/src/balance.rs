//! Which worker gets which part: equal work, few lines between workers.
//!
//! In: the cost of each part and the lines between them. Out: the worker of each part. Two orders of the parts are cut into
//! pieces of equal cost: that of the declarations, and breadth-first from a part at the rim of the graph (a level structure as in
//! Cuthill and McKee). The one with fewer lines cut is then improved by single moves as Fiduccia and Mattheyses do them:
//! a part goes to a neighbouring worker where that saves lines and the balance permits.
//!
//! Invariant: the same input gives the same answer; time is near-linear in parts plus lines.

use std::collections::VecDeque;

/// A worker may have so much more than its share.
const IMBALANCE: f64 = 0.03;
/// Rounds of moves; there are hardly ever more than three that move anything.
const ROUNDS: usize = 8;
const NONE: usize = usize::MAX;

/// Neighbours of each part, with the number of lines to them.
struct Graph {
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    fn new(parts: usize, lines: &[(usize, usize)]) -> Graph {
        let mut starts = vec![0; parts + 1];
        let between = || lines.iter().filter(|(a, b)| a != b);
        for &(a, b) in between() {
            starts[a + 1] += 1;
            starts[b + 1] += 1;
        }
        for k in 0..parts {
            starts[k + 1] += starts[k];
        }
        let mut fill = starts.clone();
        let mut neighbours = vec![0; starts[parts]];
        for &(a, b) in between() {
            for (from, to) in [(a, b), (b, a)] {
                neighbours[fill[from]] = to;
                fill[from] += 1;
            }
        }
        Graph { starts, neighbours }
    }

    fn of(&self, part: usize) -> &[usize] {
        &self.neighbours[self.starts[part]..self.starts[part + 1]]
    }

    /// Breadth-first from `root` over what is not yet in `level`; the last part that is reached.
    fn search(&self, root: usize, level: &mut [usize], order: &mut Vec<usize>) -> usize {
        let mut queue = VecDeque::from([root]);
        level[root] = 0;
        let mut last = root;
        while let Some(p) = queue.pop_front() {
            order.push(p);
            last = p;
            for &q in self.of(p) {
                if level[q] == NONE {
                    level[q] = level[p] + 1;
                    queue.push_back(q);
                }
            }
        }
        last
    }

    /// All parts, each component from its rim inwards.
    fn breadth_first(&self) -> Vec<usize> {
        let n = self.starts.len() - 1;
        let mut order = Vec::with_capacity(n);
        let mut seen = vec![NONE; n];
        let mut trial = vec![NONE; n];
        let mut reached = Vec::new();
        for p in 0..n {
            if seen[p] == NONE {
                reached.clear();
                let rim = self.search(p, &mut trial, &mut reached);
                self.search(rim, &mut seen, &mut order);
            }
        }
        order
    }

    fn lines_cut(&self, worker: &[usize]) -> usize {
        let across = |p: usize| {
            self.of(p)
                .iter()
                .filter(|&&q| worker[q] != worker[p])
                .count()
        };
        (0..worker.len()).map(across).sum::<usize>() / 2
    }
}

/// Pieces of equal cost in a given order.
fn pieces(costs: &[f64], order: &[usize], workers: usize) -> Vec<usize> {
    let total: f64 = costs.iter().sum();
    let mut worker = vec![0; costs.len()];
    let mut sum = 0.0;
    for &p in order {
        let middle = sum + 0.5 * costs[p];
        sum += costs[p];
        worker[p] = ((middle / total * workers as f64) as usize).min(workers - 1);
    }
    worker
}

/// See the module comment.
pub fn balance(costs: &[f64], lines: &[(usize, usize)], workers: usize) -> Vec<usize> {
    let n = costs.len();
    if workers <= 1 || n == 0 {
        return vec![0; n];
    }
    let graph = Graph::new(n, lines);
    let declared: Vec<usize> = (0..n).collect();
    let mut worker = pieces(costs, &declared, workers);
    let other = pieces(costs, &graph.breadth_first(), workers);
    if graph.lines_cut(&other) < graph.lines_cut(&worker) {
        worker = other;
    }
    improve(&graph, costs, workers, &mut worker);
    worker
}

fn improve(graph: &Graph, costs: &[f64], workers: usize, worker: &mut [usize]) {
    let total: f64 = costs.iter().sum();
    let share = total / workers as f64;
    let mut load = vec![0.0; workers];
    for (p, &w) in worker.iter().enumerate() {
        load[w] += costs[p];
    }
    let mut lines = vec![0usize; workers];
    for _ in 0..ROUNDS {
        let mut moved = false;
        for p in 0..costs.len() {
            let from = worker[p];
            let neighbours = graph.of(p);
            if neighbours.iter().all(|&q| worker[q] == from) {
                continue;
            }
            for &q in neighbours {
                lines[worker[q]] += 1;
            }
            let best = neighbours
                .iter()
                .map(|&q| worker[q])
                .filter(|&w| w != from && load[w] + costs[p] <= share * (1.0 + IMBALANCE))
                .max_by_key(|&w| (lines[w], std::cmp::Reverse(w)));
            if let Some(to) = best {
                let better = load[to] + costs[p] < load[from];
                if lines[to] > lines[from] || (lines[to] == lines[from] && better) {
                    worker[p] = to;
                    load[from] -= costs[p];
                    load[to] += costs[p];
                    moved = true;
                }
            }
            for &q in neighbours {
                lines[worker[q]] = 0;
            }
            lines[from] = 0;
        }
        if !moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A permutation without a pattern that the order of declaration would show.
    fn shuffled(n: usize) -> Vec<usize> {
        let mut list: Vec<usize> = (0..n).collect();
        let mut x = 12345u64;
        for k in (1..n).rev() {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1);
            list.swap(k, (x >> 33) as usize % (k + 1));
        }
        list
    }

    fn loads(worker: &[usize], costs: &[f64], workers: usize) -> Vec<f64> {
        let mut load = vec![0.0; workers];
        for (p, &w) in worker.iter().enumerate() {
            load[w] += costs[p];
        }
        load
    }

    #[test]
    fn a_chain_is_cut_once_a_border() {
        let name = shuffled(1000);
        let lines: Vec<_> = (0..999).map(|k| (name[k], name[k + 1])).collect();
        let costs = vec![1.0; 1000];
        let worker = balance(&costs, &lines, 4);
        assert_eq!(Graph::new(1000, &lines).lines_cut(&worker), 3);
        assert!(
            loads(&worker, &costs, 4)
                .iter()
                .all(|l| (240.0..=260.0).contains(l))
        );
    }

    #[test]
    fn a_grid_is_cut_about_straight() {
        let n = 24;
        let name = shuffled(n * n);
        let at = |i: usize, j: usize| name[i * n + j];
        let mut lines = Vec::new();
        for i in 0..n {
            for j in 0..n - 1 {
                lines.push((at(i, j), at(i, j + 1)));
                lines.push((at(j, i), at(j + 1, i)));
            }
        }
        let costs = vec![1.0; n * n];
        let worker = balance(&costs, &lines, 2);
        // A straight cut has 24 lines, one along a diagonal 46; a random one about 550.
        assert!(Graph::new(n * n, &lines).lines_cut(&worker) <= 46);
        let share = (n * n) as f64 / 2.0;
        assert!(loads(&worker, &costs, 2).iter().all(|l| *l <= 1.04 * share));
    }

    #[test]
    fn expensive_parts_count() {
        let lines: Vec<_> = (0..9).map(|k| (k, k + 1)).collect();
        let costs: Vec<f64> = (0..10).map(|k| if k == 0 { 9.0 } else { 1.0 }).collect();
        let worker = balance(&costs, &lines, 2);
        assert_eq!(worker, [0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    }
}

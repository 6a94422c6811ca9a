//! Places for the nodes of a graph: layers from left to right along the connections (after Sugiyama, Tagawa, Toda 1981).
//!
//! A signal goes to a later layer; a connection without direction goes to the next layer as seen from the first component of its part of
//! the model. Inside of a layer components of one domain start side by side, and are moved to the mean of their neighbours, so that lines cross less.
//! Linear in connections for each of a fixed number of sweeps.

use std::collections::VecDeque;

/// A connection between two components.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// From an output to an input.
    pub directed: bool,
}

pub struct Places {
    pub layer: Vec<usize>,
    /// From the top of the layer.
    pub row: Vec<usize>,
    /// Components in each layer.
    pub rows: Vec<usize>,
}

const SWEEPS: usize = 12;

/// `domains` groups components that should stand together.
pub fn layers(count: usize, edges: &[Edge], domains: &[usize]) -> Places {
    let mut around: Vec<Vec<(usize, i64)>> = vec![Vec::new(); count];
    for e in edges.iter().filter(|e| e.from != e.to) {
        let back = if e.directed { -1 } else { 1 };
        around[e.from].push((e.to, 1));
        around[e.to].push((e.from, back));
    }
    let mut level = spread(count, edges, &around);
    lengthen(edges, &mut level);
    let lowest = level.iter().copied().min().unwrap_or(0);
    let layer: Vec<usize> = level.iter().map(|l| (l - lowest) as usize).collect();
    order(layer, &around, domains)
}

/// The same with the layer of each node given.
pub fn ordered(layer: Vec<usize>, edges: &[Edge], domains: &[usize]) -> Places {
    let mut around: Vec<Vec<(usize, i64)>> = vec![Vec::new(); layer.len()];
    for e in edges.iter().filter(|e| e.from != e.to) {
        around[e.from].push((e.to, 1));
        around[e.to].push((e.from, -1));
    }
    order(layer, &around, domains)
}

/// Levels by breadth, from a component that gets no signal.
fn spread(count: usize, edges: &[Edge], around: &[Vec<(usize, i64)>]) -> Vec<i64> {
    let mut fed = vec![false; count];
    for e in edges.iter().filter(|e| e.directed && e.from != e.to) {
        fed[e.to] = true;
    }
    let mut level = vec![None; count];
    let roots = (0..count)
        .filter(|k| !fed[*k])
        .chain((0..count).filter(|k| fed[*k]));
    for root in roots {
        if level[root].is_some() {
            continue;
        }
        level[root] = Some(0);
        // Along signals first: what feeds a component that is there already comes later.
        let mut queue = VecDeque::from([root]);
        let mut feeding: VecDeque<(usize, i64)> = VecDeque::new();
        loop {
            let Some(k) = queue.pop_front() else {
                let Some((k, at)) = feeding.pop_front() else {
                    break;
                };
                if level[k].is_none() {
                    level[k] = Some(at);
                    queue.push_back(k);
                }
                continue;
            };
            let at = level[k].unwrap_or(0);
            for &(next, step) in &around[k] {
                match level[next] {
                    None if step > 0 => {
                        level[next] = Some(at + step);
                        queue.push_back(next);
                    }
                    None => feeding.push_back((next, at + step)),
                    Some(_) => {}
                }
            }
        }
    }
    level.into_iter().map(|l| l.unwrap_or(0)).collect()
}

/// Moves receivers behind their senders; feedback stays as it is after as many passes as there are levels.
fn lengthen(edges: &[Edge], level: &mut [i64]) {
    // An edge that goes back once the levels are spread closes a loop.
    let forward: Vec<&Edge> = edges
        .iter()
        .filter(|e| e.directed && e.from != e.to && level[e.to] >= level[e.from])
        .collect();
    for _ in 0..level.len().min(64) {
        let mut moved = false;
        for e in &forward {
            if level[e.to] <= level[e.from] {
                level[e.to] = level[e.from] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

fn order(layer: Vec<usize>, around: &[Vec<(usize, i64)>], domains: &[usize]) -> Places {
    let depth = layer.iter().max().map_or(0, |l| l + 1);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (k, &l) in layer.iter().enumerate() {
        columns[l].push(k);
    }
    for column in &mut columns {
        column.sort_by_key(|&k| (domains.get(k).copied(), k));
    }
    let mut row = vec![0; layer.len()];
    let number = |columns: &[Vec<usize>], row: &mut Vec<usize>| {
        for column in columns {
            for (at, &k) in column.iter().enumerate() {
                row[k] = at;
            }
        }
    };
    number(&columns, &mut row);
    for sweep in 0..SWEEPS {
        for step in 0..depth {
            let l = if sweep % 2 == 0 {
                step
            } else {
                depth - 1 - step
            };
            let mean = |k: usize| {
                let others: Vec<f64> = around[k]
                    .iter()
                    .filter(|(n, _)| layer[*n] != l)
                    .map(|(n, _)| row[*n] as f64)
                    .collect();
                match others.is_empty() {
                    true => row[k] as f64,
                    false => others.iter().sum::<f64>() / others.len() as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> = columns[l].iter().map(|&k| (mean(k), k)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(row[a.1].cmp(&row[b.1])));
            columns[l] = keyed.into_iter().map(|(_, k)| k).collect();
            number(&columns[l..=l], &mut row);
        }
    }
    Places {
        rows: columns.iter().map(Vec::len).collect(),
        layer,
        row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(from: usize, to: usize) -> Edge {
        Edge {
            from,
            to,
            directed: true,
        }
    }

    #[test]
    fn signals_go_to_the_right_and_feedback_comes_back() {
        // 0 → 1 → 2 → 3, and 3 back to 1.
        let edges = [signal(0, 1), signal(1, 2), signal(2, 3), signal(3, 1)];
        let places = layers(4, &edges, &[0; 4]);
        assert_eq!(places.layer, [0, 1, 2, 3]);
    }

    #[test]
    fn a_receiver_stands_behind_all_of_its_senders() {
        let edges = [signal(0, 1), signal(1, 2), signal(0, 2)];
        assert_eq!(layers(3, &edges, &[0; 3]).layer, [0, 1, 2]);
    }

    #[test]
    fn lines_that_need_not_cross_do_not() {
        let edges = [signal(0, 3), signal(1, 2)];
        let places = layers(4, &edges, &[0; 4]);
        assert_eq!(places.row[0] < places.row[1], places.row[3] < places.row[2]);
    }
}

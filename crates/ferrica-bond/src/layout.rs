//! Places of the nodes of a drawing and ways of its bonds, all in right angles.
//!
//! Nodes stand in the even cells of a grid, so that between any two there is room for a line. From the node with most bonds outwards each neighbour
//! takes the nearest cell that can be reached straight: elements above and below, the rest along the row. A bond that cannot be straight is led
//! around the others by the cheapest way (Lee 1961, with a price for bends and crossings). Columns are as wide and rows as high as their labels,
//! and no bond is shorter than [`SHORTEST_BOND`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

use crate::graph::BondGraph;

/// Room for half arrow, causal stroke and number.
pub const SHORTEST_BOND: f64 = 46.0;
/// A column or row in which only lines pass.
const PASSAGE: f64 = 12.0;
/// Prices of a way, in steps.
const BEND: u32 = 4;
const CROSSING: u32 = 6;
const SHARED: u32 = 40;
/// Cells around both ends in which a way is looked for.
const AROUND: i32 = 8;

type Cell = (i32, i32);

/// Where everything is.
pub struct Layout {
    /// The middle of each node.
    pub places: Vec<(f64, f64)>,
    /// From middle to middle, one a bond, then one an active bond.
    pub ways: Vec<Vec<(f64, f64)>>,
}

/// For nodes whose labels have the given half widths and half heights.
pub fn layout(g: &BondGraph, half: &[(f64, f64)]) -> Layout {
    let n = g.nodes.len();
    let bonds = g.bonds.iter().map(|b| (b.from, b.to));
    let edges: Vec<(usize, usize)> = bonds
        .chain(g.active.iter().map(|a| (a.from, a.to)))
        .collect();
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); n];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        around[a].push(b);
        around[b].push(a);
    }
    let mut grid = Grid::default();
    let mut cells: Vec<Option<Cell>> = vec![None; n];
    // Parts that are not connected stand side by side.
    for root in 0..n {
        if cells[root].is_none() {
            let part = reach(root, &around);
            let left = cells.iter().flatten().map(|c| c.0 + 4).max().unwrap_or(0);
            place(&part, &around, &mut grid, &mut cells, left);
        }
    }
    let cells: Vec<Cell> = cells.into_iter().map(Option::unwrap_or_default).collect();
    let ways: Vec<Vec<Cell>> = (edges.iter())
        .map(|&(a, b)| grid.way(cells[a], cells[b]))
        .collect();
    let lines = Lines::new(&cells, &ways, half);
    Layout {
        places: cells.iter().map(|c| lines.middle(*c)).collect(),
        ways: (ways.iter())
            .map(|way| way.iter().map(|c| lines.middle(*c)).collect())
            .collect(),
    }
}

fn reach(root: usize, around: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; around.len()];
    seen[root] = true;
    let mut out = vec![root];
    let mut at = 0;
    while at < out.len() {
        for &m in &around[out[at]] {
            if !seen[m] {
                seen[m] = true;
                out.push(m);
            }
        }
        at += 1;
    }
    out
}

/// Gives a connected part its cells, none of them left of `left`.
fn place(
    part: &[usize],
    around: &[Vec<usize>],
    grid: &mut Grid,
    cells: &mut [Option<Cell>],
    left: i32,
) {
    let mut own: HashMap<Cell, usize> = HashMap::new();
    let mut at: HashMap<usize, Cell> = HashMap::new();
    let first = part
        .iter()
        .copied()
        .max_by_key(|&k| (around[k].len(), Reverse(k)));
    let Some(first) = first else { return };
    at.insert(first, (0, 0));
    own.insert((0, 0), first);
    let mut queue = VecDeque::from([first]);
    while let Some(p) = queue.pop_front() {
        let mut next: Vec<usize> = around[p].clone();
        // What leads on takes the row, before elements take what is left.
        next.sort_by_key(|&k| (Reverse(around[k].len()), k));
        for k in next {
            if at.contains_key(&k) {
                continue;
            }
            let known: Vec<Cell> = around[k]
                .iter()
                .filter_map(|m| at.get(m).copied())
                .collect();
            let cell = nearest(at[&p], &known, around[k].len() <= 1, &own);
            at.insert(k, cell);
            own.insert(cell, k);
            queue.push_back(k);
        }
    }
    let lowest = at.values().map(|c| c.0).min().unwrap_or(0);
    for (&k, &(x, y)) in &at {
        let cell = (x - lowest + left, y);
        cells[k] = Some(cell);
        grid.nodes.insert(cell, ());
    }
}

/// The best free cell for a neighbour of the node at `p`.
fn nearest(p: Cell, known: &[Cell], is_leaf: bool, own: &HashMap<Cell, usize>) -> Cell {
    let ways: [Cell; 4] = match is_leaf {
        true => [(0, -1), (0, 1), (1, 0), (-1, 0)],
        false => [(1, 0), (-1, 0), (0, 1), (0, -1)],
    };
    let price = |c: Cell, turn: usize| {
        let far = |k: &Cell| i64::from((k.0 - c.0).abs() + (k.1 - c.1).abs());
        known.iter().map(far).sum::<i64>() * 4 + turn as i64
    };
    let mut best: Option<(i64, Cell)> = None;
    for (turn, way) in ways.iter().enumerate() {
        for distance in 1..=3 {
            let cell = (p.0 + 2 * distance * way.0, p.1 + 2 * distance * way.1);
            if own.contains_key(&cell) {
                break;
            }
            let found = (price(cell, turn), cell);
            best = Some(best.map_or(found, |b| b.min(found)));
        }
    }
    // All four sides are taken: around the corner, by growing squares.
    let mut radius = 1;
    while best.is_none() {
        for dx in -radius..=radius {
            for dy in -radius..=radius {
                let cell = (p.0 + 2 * dx, p.1 + 2 * dy);
                if dx.abs().max(dy.abs()) == radius && !own.contains_key(&cell) {
                    let found = (price(cell, 0), cell);
                    best = Some(best.map_or(found, |b| b.min(found)));
                }
            }
        }
        radius += 1;
    }
    best.map_or(p, |b| b.1)
}

/// What is where: nodes, and lines by their direction.
#[derive(Default)]
struct Grid {
    nodes: HashMap<Cell, ()>,
    /// Cells that lines pass along the row, and along the column.
    along: [HashMap<Cell, ()>; 2],
}

const STEPS: [Cell; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

impl Grid {
    /// The cheapest way, which then is part of the grid.
    fn way(&mut self, from: Cell, to: Cell) -> Vec<Cell> {
        let found = self
            .search(from, to)
            .unwrap_or_else(|| vec![from, (to.0, from.1), to]);
        for pair in found.windows(2) {
            let axis = usize::from(pair[0].0 == pair[1].0);
            for cell in pair {
                self.along[axis].insert(*cell, ());
            }
        }
        corners(&found)
    }

    fn search(&self, from: Cell, to: Cell) -> Option<Vec<Cell>> {
        let (x1, x2) = (from.0.min(to.0) - AROUND, from.0.max(to.0) + AROUND);
        let (y1, y2) = (from.1.min(to.1) - AROUND, from.1.max(to.1) + AROUND);
        let mut best: HashMap<(Cell, usize), u32> = HashMap::new();
        let mut before: HashMap<(Cell, usize), (Cell, usize)> = HashMap::new();
        let mut open = BinaryHeap::new();
        for way in 0..STEPS.len() {
            best.insert((from, way), 0);
            open.push(Reverse((0u32, from, way)));
        }
        while let Some(Reverse((price, cell, way))) = open.pop() {
            if cell == to {
                let mut out = vec![cell];
                let mut at = (cell, way);
                while let Some(&last) = before.get(&at) {
                    if last.0 != at.0 {
                        out.push(last.0);
                    }
                    at = last;
                }
                out.reverse();
                return Some(out);
            }
            if best.get(&(cell, way)).is_some_and(|b| *b < price) {
                continue;
            }
            for (turn, step) in STEPS.iter().enumerate() {
                let next = (cell.0 + step.0, cell.1 + step.1);
                let inside = (x1..=x2).contains(&next.0) && (y1..=y2).contains(&next.1);
                let taken = next != to && self.nodes.contains_key(&next);
                let is_back = (turn + 2) % 4 == way && cell != from;
                if !inside || taken || is_back {
                    continue;
                }
                let axis = turn % 2;
                let mut cost = price + 1;
                cost += if turn != way && cell != from { BEND } else { 0 };
                if next != to {
                    cost += if self.along[axis].contains_key(&next) {
                        SHARED
                    } else {
                        0
                    };
                    cost += if self.along[1 - axis].contains_key(&next) {
                        CROSSING
                    } else {
                        0
                    };
                }
                let state = (next, turn);
                if best.get(&state).is_none_or(|b| *b > cost) {
                    best.insert(state, cost);
                    before.insert(state, (cell, way));
                    open.push(Reverse((cost, next, turn)));
                }
            }
        }
        None
    }
}

/// Only the ends and the bends of a way.
fn corners(way: &[Cell]) -> Vec<Cell> {
    let mut out: Vec<Cell> = Vec::new();
    for &cell in way {
        if let [.., a, b] = out.as_slice()
            && ((a.0 == b.0 && b.0 == cell.0) || (a.1 == b.1 && b.1 == cell.1))
        {
            out.pop();
        }
        out.push(cell);
    }
    out
}

/// Middles of the columns and rows.
struct Lines {
    x: BTreeMap<i32, f64>,
    y: BTreeMap<i32, f64>,
}

impl Lines {
    fn new(cells: &[Cell], ways: &[Vec<Cell>], half: &[(f64, f64)]) -> Lines {
        let mut sizes: [BTreeMap<i32, f64>; 2] = Default::default();
        for (cell, half) in cells.iter().zip(half) {
            for (sizes, (at, half)) in sizes.iter_mut().zip([(cell.0, half.0), (cell.1, half.1)]) {
                let size = sizes.entry(at).or_insert(0.0);
                *size = size.max(2.0 * half);
            }
        }
        for cell in ways.iter().flatten() {
            for (sizes, at) in sizes.iter_mut().zip([cell.0, cell.1]) {
                sizes.entry(at).or_insert(PASSAGE);
            }
        }
        let [x, y] = sizes.map(|sizes| middles(&sizes));
        Lines { x, y }
    }

    fn middle(&self, cell: Cell) -> (f64, f64) {
        let at = |lines: &BTreeMap<i32, f64>, k: i32| lines.get(&k).copied().unwrap_or(0.0);
        (at(&self.x, cell.0), at(&self.y, cell.1))
    }
}

/// Between two columns with nodes there is room for a bond, however many passages share it.
fn middles(sizes: &BTreeMap<i32, f64>) -> BTreeMap<i32, f64> {
    let (first, last) = match (sizes.keys().next(), sizes.keys().last()) {
        (Some(first), Some(last)) => (*first, *last),
        _ => return BTreeMap::new(),
    };
    let mut out = BTreeMap::new();
    let mut at = 0.0;
    for k in first..=last {
        // Odd cells are the room between; even ones without a node take only what a passage needs.
        let size = match (k % 2 == 0, sizes.get(&k)) {
            (true, Some(size)) => *size,
            (true, None) => 0.0,
            (false, _) => SHORTEST_BOND,
        };
        out.insert(k, at + size / 2.0);
        at += size;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Domain, Kind};

    fn ladder(sections: usize) -> BondGraph {
        let mut g = BondGraph::default();
        let mut last = None;
        for k in 0..sections {
            let one = g.add_node(Kind::One, format!("j{k}"), Domain::Electrical);
            let zero = g.add_node(Kind::Zero, format!("n{k}"), Domain::Electrical);
            g.add_bond(one, zero, 0);
            for kind in [Kind::R, Kind::I] {
                let e = g.add_node(kind, format!("element{k}"), Domain::Electrical);
                g.add_bond(one, e, 0);
            }
            let c = g.add_node(Kind::C, format!("C{k}"), Domain::Electrical);
            g.add_bond(zero, c, 0);
            if let Some(z) = last {
                g.add_bond(z, one, 0);
            }
            last = Some(zero);
        }
        g
    }

    /// A ladder of 100 sections, with three elements each: no two labels overlap.
    #[test]
    fn labels_of_a_ladder_do_not_overlap() {
        let g = ladder(100);
        let half = vec![(40.0, 18.0); g.nodes.len()];
        let p = layout(&g, &half).places;
        for i in 0..p.len() {
            for j in i + 1..p.len() {
                let apart = (p[i].0 - p[j].0).abs() >= 80.0 || (p[i].1 - p[j].1).abs() >= 36.0;
                assert!(apart, "{i} {:?} and {j} {:?}", p[i], p[j]);
            }
        }
    }

    /// Rings of junctions, each with five elements: straight lines alone do not do.
    #[test]
    fn bonds_are_orthogonal_long_enough_and_pass_no_label() {
        let mut g = ladder(6);
        let ring: Vec<usize> = (0..5)
            .map(|k| g.add_node(Kind::Zero, format!("r{k}"), Domain::Electrical))
            .collect();
        for k in 0..5 {
            g.add_bond(ring[k], ring[(k + 1) % 5], 0);
            for e in 0..5 {
                let n = g.add_node(Kind::R, format!("R{k}{e}"), Domain::Electrical);
                g.add_bond(ring[k], n, 0);
            }
        }
        g.add_bond(ring[0], 0, 0);
        let half = vec![(30.0, 15.0); g.nodes.len()];
        let drawn = layout(&g, &half);
        for (bond, way) in g.bonds.iter().zip(&drawn.ways) {
            let mut length = 0.0;
            for s in way.windows(2) {
                let ((x1, y1), (x2, y2)) = (s[0], s[1]);
                assert!(x1 == x2 || y1 == y2, "{way:?}");
                length += (x2 - x1).abs() + (y2 - y1).abs();
                for (k, p) in drawn.places.iter().enumerate() {
                    let is_end = k == bond.from || k == bond.to;
                    let over =
                        |a: f64, b: f64, m: f64, h: f64| a.min(b) < m + h && a.max(b) > m - h;
                    let through = over(x1, x2, p.0, 30.0) && over(y1, y2, p.1, 15.0);
                    assert!(
                        is_end || !through,
                        "bond {}-{} through {k}",
                        bond.from,
                        bond.to
                    );
                }
            }
            assert!(length >= SHORTEST_BOND + 30.0, "{way:?}");
        }
    }
}

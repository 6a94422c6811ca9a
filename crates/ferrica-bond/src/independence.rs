//! Which storages are independent, by linear algebra on the junction structure.
//!
//! Junctions, transformers and gyrators are linear and take no power, so the efforts and flows of the
//! elements form a linear space. An element may impose a variable on the rest of the graph only if the
//! variables imposed before do not determine it already. One elimination decides this for all of them: columns are
//! eliminated from the least to the most wanted, and what never becomes a pivot is free to be imposed. This is the greedy
//! choice in a matroid, so no other choice has more storages with a state. A pivot row says what determines its
//! variable, with coefficients.
//!
//! A graph with meshes needs this: propagating strokes from junction to junction does not notice three capacitors
//! in a ring.

use crate::graph::{BondGraph, Kind};

/// Coefficients below this are rounding.
const ZERO: f64 = 1e-9;

/// Effort or flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantity {
    Effort,
    Flow,
}

impl Quantity {
    /// What an element of this kind wants to impose.
    pub fn preferred(kind: Kind) -> Option<Quantity> {
        match kind {
            Kind::Se | Kind::C => Some(Quantity::Effort),
            Kind::Sf | Kind::I => Some(Quantity::Flow),
            _ => None,
        }
    }
}

/// A storage or source whose variable others determine: value = Σ coefficient · variable of the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    pub node: usize,
    pub of: Vec<(usize, f64)>,
}

#[derive(Clone, Debug, Default)]
pub struct Independence {
    pub dependent: Vec<Dependence>,
    /// What each resistor imposes, by node.
    pub resistors: Vec<(usize, Quantity)>,
}

type Row = Vec<(usize, f64)>;

struct System {
    rows: Vec<Row>,
    columns: usize,
    /// Elimination order: smaller first.
    rank: Vec<usize>,
}

impl System {
    fn column(&mut self, rank: usize) -> usize {
        self.rank.push(rank);
        self.columns += 1;
        self.columns - 1
    }
}

const INTERNAL: usize = 0;
const RESISTOR: usize = 1;

/// Sources come first, then storages, each kind in the order of the nodes.
pub fn independence(g: &BondGraph) -> Independence {
    let mut s = System {
        rows: Vec::new(),
        columns: 0,
        rank: Vec::new(),
    };
    // The common variable of each junction.
    let common: Vec<usize> = g
        .nodes
        .iter()
        .map(|n| {
            if n.kind.is_junction() {
                s.column(INTERNAL)
            } else {
                usize::MAX
            }
        })
        .collect();
    // Effort and flow of each bond: the common variable of a junction at one of its ends, or its own.
    let mut effort = vec![usize::MAX; g.bonds.len()];
    let mut flow = vec![usize::MAX; g.bonds.len()];
    for (b, bond) in g.bonds.iter().enumerate() {
        for n in [bond.from, bond.to] {
            let slot = match g.nodes[n].kind {
                Kind::Zero => &mut effort[b],
                Kind::One => &mut flow[b],
                _ => continue,
            };
            if *slot == usize::MAX {
                *slot = common[n];
            } else {
                s.rows.push(vec![(*slot, 1.0), (common[n], -1.0)]);
            }
        }
        if effort[b] == usize::MAX {
            effort[b] = s.column(INTERNAL);
        }
        if flow[b] == usize::MAX {
            flow[b] = s.column(INTERNAL);
        }
    }
    for (n, node) in g.nodes.iter().enumerate() {
        let bonds = g.bonds_of(n);
        let into = |b: usize| if g.bonds[b].to == n { 1.0 } else { -1.0 };
        match (node.kind, bonds.as_slice()) {
            (Kind::Zero, _) => {
                let row = bonds.iter().map(|&b| (flow[b], into(b))).collect();
                s.rows.push(row);
            }
            (Kind::One, _) => {
                let row = bonds.iter().map(|&b| (effort[b], into(b))).collect();
                s.rows.push(row);
            }
            (Kind::Tf | Kind::Gy, &[x, y]) => {
                let (a, b) = if g.bonds[x].port == 0 { (x, y) } else { (y, x) };
                let m = node.value.filter(|m| *m != 0.0).unwrap_or(GENERIC);
                if node.kind == Kind::Tf {
                    s.rows.push(vec![(effort[a], 1.0), (effort[b], -m)]);
                    s.rows.push(vec![(flow[b], 1.0), (flow[a], -m)]);
                } else {
                    s.rows.push(vec![(effort[a], 1.0), (flow[b], -m)]);
                    s.rows.push(vec![(effort[b], 1.0), (flow[a], -m)]);
                }
            }
            _ => {}
        }
    }
    // The wanted variables, least wanted first.
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    let mut resistors: Vec<(usize, usize, usize)> = Vec::new();
    for kind in [Kind::I, Kind::C, Kind::Sf, Kind::Se] {
        for n in (0..g.nodes.len()).rev() {
            if g.nodes[n].kind == kind && !g.nodes[n].removed {
                for b in g.bonds_of(n) {
                    let is_effort = Quantity::preferred(kind) == Some(Quantity::Effort);
                    let own = s.column(RESISTOR + 1 + wanted.len());
                    let shared = if is_effort { effort[b] } else { flow[b] };
                    s.rows.push(vec![(own, 1.0), (shared, -1.0)]);
                    wanted.push((own, n));
                }
            }
        }
    }
    for n in 0..g.nodes.len() {
        if g.nodes[n].kind == Kind::R && !g.nodes[n].removed {
            for b in g.bonds_of(n) {
                let e = s.column(RESISTOR);
                s.rows.push(vec![(e, 1.0), (effort[b], -1.0)]);
                let f = s.column(RESISTOR);
                s.rows.push(vec![(f, 1.0), (flow[b], -1.0)]);
                resistors.push((n, e, f));
            }
        }
    }
    let pivot_row = eliminate(&mut s);
    let node_of: rustc_hash::FxHashMap<usize, usize> = wanted.iter().copied().collect();
    let mut out = Independence::default();
    for &(column, n) in wanted.iter().rev() {
        let Some(r) = pivot_row[column] else { continue };
        let lead = entry(&s.rows[r], column);
        let of = s.rows[r]
            .iter()
            .filter(|(c, _)| *c != column)
            .filter_map(|(c, v)| node_of.get(c).map(|&m| (m, -v / lead)))
            .collect();
        out.dependent.push(Dependence { node: n, of });
    }
    for (n, e, _) in resistors {
        let imposed = if pivot_row[e].is_none() {
            Quantity::Effort
        } else {
            Quantity::Flow
        };
        out.resistors.push((n, imposed));
    }
    out
}

/// Stands for a modulus that is not known as a number.
const GENERIC: f64 = 1.618_033_988_749_895;

fn entry(row: &Row, column: usize) -> f64 {
    row.binary_search_by_key(&column, |(c, _)| *c)
        .map_or(0.0, |k| row[k].1)
}

/// Reduced echelon form with pivots in the order of the ranks; the row of each pivot column.
fn eliminate(s: &mut System) -> Vec<Option<usize>> {
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); s.columns];
    for (r, row) in s.rows.iter_mut().enumerate() {
        *row = combined(std::mem::take(row));
        for &(c, _) in row.iter() {
            holders[c].push(r);
        }
    }
    let mut order: Vec<usize> = (0..s.columns).collect();
    order.sort_by_key(|&c| (s.rank[c], holders[c].len(), c));
    let mut pivot_row = vec![None; s.columns];
    let mut used = vec![false; s.rows.len()];
    for c in order {
        let live = |r: usize| entry(&s.rows[r], c).abs() > ZERO;
        // The shortest row makes the least fill.
        let Some(p) = holders[c]
            .iter()
            .copied()
            .filter(|&r| !used[r] && live(r))
            .min_by_key(|&r| (s.rows[r].len(), r))
        else {
            continue;
        };
        used[p] = true;
        pivot_row[c] = Some(p);
        let pivot = s.rows[p].clone();
        let lead = entry(&pivot, c);
        let mut touched = std::mem::take(&mut holders[c]);
        touched.sort_unstable();
        touched.dedup();
        for r in touched {
            let factor = entry(&s.rows[r], c) / lead;
            if r == p || factor == 0.0 {
                continue;
            }
            let mut sum = s.rows[r].clone();
            sum.extend(pivot.iter().map(|&(k, v)| (k, -factor * v)));
            let sum = combined(sum);
            for &(k, _) in &sum {
                if k != c && entry(&s.rows[r], k) == 0.0 {
                    holders[k].push(r);
                }
            }
            s.rows[r] = sum.into_iter().filter(|(k, _)| *k != c).collect();
        }
        holders[c].push(p);
    }
    pivot_row
}

/// Sorted by column, equal columns added, rounding dropped.
fn combined(mut row: Row) -> Row {
    row.sort_by_key(|(c, _)| *c);
    let mut out: Row = Vec::with_capacity(row.len());
    let mut scale = 0.0f64;
    for (c, v) in row {
        scale = scale.max(v.abs());
        match out.last_mut() {
            Some(last) if last.0 == c => last.1 += v,
            _ => out.push((c, v)),
        }
    }
    out.retain(|(_, v)| v.abs() > ZERO * scale);
    out
}

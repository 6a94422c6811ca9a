//! Lines for connections without points.
//!
//! Components that are laid out here stand in the cells of a grid. Lines run in its gaps between columns and below rows, each on a lane of
//! its own, so that no line crosses a component or lies on another one; only their ends cross the cell that they belong to. Between other components a
//! line has right angles and bends once in the middle.

use rustc_hash::FxHashMap;

use crate::transform::{Extent, Point};

/// Between the middles of cells.
pub const COLUMN: f64 = 44.0;
pub const ROW: f64 = 42.0;
/// From the middle of a row down to the gap below it: values stand under a component, the next name above the one below.
const BELOW: f64 = 22.5;
/// Between lanes, and how many fit into a gap.
const LANE: (f64, i32) = (1.7, 11);
const LANE_BELOW: (f64, i32) = (1.0, 6);

/// Column and row, from the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell(pub i32, pub i32);

/// Where a line ends: the box of a connector, and the cell of its component.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub at: Extent,
    pub cell: Option<Cell>,
}

/// The lanes that are taken.
pub struct Router {
    /// The middle of the first cell.
    origin: Point,
    /// By gap, and by the side that its connectors are on.
    columns: FxHashMap<(i32, bool), i32>,
    rows: FxHashMap<i32, i32>,
}

impl Router {
    pub fn new(top: f64) -> Router {
        Router {
            origin: (0.0, top),
            columns: FxHashMap::default(),
            rows: FxHashMap::default(),
        }
    }

    pub fn middle(&self, Cell(column, row): Cell) -> Point {
        (
            self.origin.0 + f64::from(column) * COLUMN,
            self.origin.1 - f64::from(row) * ROW,
        )
    }

    /// Points from one connector to another.
    pub fn route(&mut self, from: End, to: End) -> Vec<Point> {
        let (a, b) = (from.at.center(), to.at.center());
        let (Some(p), Some(q)) = (from.cell, to.cell) else {
            return bent(a, b);
        };
        let (left, right) = (self.gap(a, p, b), self.gap(b, q, a));
        if left == right {
            if (a.1 - b.1).abs() < 1e-9 && p != q && (a.0 - b.0).abs() < COLUMN {
                return vec![a, b];
            }
            let x = self.lane(left, a.0.min(b.0));
            return vec![a, (x, a.1), (x, b.1), b];
        }
        let (x, z) = (self.lane(left, a.0), self.lane(right, b.0));
        let y = self.lane_below(p.1.min(q.1));
        vec![a, (x, a.1), (x, y), (z, y), (z, b.1), b]
    }

    /// The gap beside a cell on the side of its connector; gap 1 is between columns 0 and 1.
    fn gap(&self, connector: Point, cell: Cell, other: Point) -> i32 {
        let middle = self.middle(cell).0;
        let right = match connector.0 - middle {
            d if d.abs() > 1e-6 => d > 0.0,
            // A connector that is its own component looks to the other end.
            _ => other.0 >= middle,
        };
        cell.0 + i32::from(right)
    }

    /// Lines to connectors at the left of a gap have the lanes at its left: on their way to it they never lie over lines from the right.
    fn lane(&mut self, gap: i32, connector: f64) -> f64 {
        let middle = self.origin.0 + (f64::from(gap) - 0.5) * COLUMN;
        let is_left = connector < middle;
        let taken = self.columns.entry((gap, is_left)).or_insert(0);
        *taken += 1;
        let (distance, count) = LANE;
        let away = (f64::from((*taken - 1) % (count / 2).max(1)) + 0.5) * distance;
        middle + if is_left { -away } else { away }
    }

    fn lane_below(&mut self, row: i32) -> f64 {
        let taken = self.rows.entry(row).or_insert(0);
        *taken += 1;
        self.origin.1 - f64::from(row) * ROW - BELOW + shift(*taken - 1, LANE_BELOW)
    }
}

/// 0, 1, -1, 2, -2, … times the distance of lanes.
fn shift(k: i32, (distance, count): (f64, i32)) -> f64 {
    let k = k % count;
    let side = if k % 2 == 1 { 1.0 } else { -1.0 };
    side * f64::from((k + 1) / 2) * distance
}

fn bent(a: Point, b: Point) -> Vec<Point> {
    if (a.1 - b.1).abs() < 1e-9 || (a.0 - b.0).abs() < 1e-9 {
        return vec![a, b];
    }
    let x = 0.5 * (a.0 + b.0);
    vec![a, (x, a.1), (x, b.1), b]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(x: f64, y: f64, cell: Cell) -> End {
        End {
            at: Extent((x, y), (x, y)),
            cell: Some(cell),
        }
    }

    #[test]
    fn lines_keep_to_the_gaps() {
        let mut router = Router::new(0.0);
        // From the right of the first column to the left of the third: around the second.
        let points = router.route(end(10.0, 0.0, Cell(0, 0)), end(78.0, 0.0, Cell(2, 0)));
        for pair in points.windows(2) {
            let (low, high) = (pair[0].0.min(pair[1].0), pair[0].0.max(pair[1].0));
            let crosses_second = low < 54.0 && high > 34.0;
            assert!(
                !crosses_second || (pair[0].1 < -18.0 && pair[1].1 < -18.0),
                "{points:?}"
            );
        }
        assert_eq!(points[0], (10.0, 0.0));
        assert_eq!(points[points.len() - 1], (78.0, 0.0));
    }

    /// A source of a circuit: its right pin to the ground below, its left pin around it to the right. In one row they would look joined.
    #[test]
    fn lines_of_both_sides_of_a_gap_do_not_lie_over_each_other() {
        let mut router = Router::new(0.0);
        let around = router.route(end(-10.0, 0.0, Cell(0, 0)), end(34.0, 0.0, Cell(1, 0)));
        let down = router.route(end(10.0, 0.0, Cell(0, 0)), end(34.0, -42.0, Cell(1, 1)));
        let (arrives, leaves) = (around[around.len() - 2].0, down[1].0);
        assert!(leaves < arrives, "{around:?} {down:?}");
    }

    #[test]
    fn two_lines_of_one_gap_have_two_lanes() {
        let mut router = Router::new(0.0);
        let first = router.route(end(34.0, 0.0, Cell(1, 0)), end(34.0, -42.0, Cell(1, 1)));
        let second = router.route(end(34.0, 5.0, Cell(1, 0)), end(34.0, -47.0, Cell(1, 1)));
        assert_ne!(first[1].0, second[1].0);
        assert!(first[1].0 < 34.0 && second[1].0 < 34.0);
    }
}

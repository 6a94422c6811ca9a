//! Why a linear system has no solution, in the words of the model.
//!
//! In: a singular matrix and its right-hand sides at the present values. Out: the equations that depend on each other, that is those
//! with a weight in a combination whose left side vanishes, with what is left on its right side; the equations that were solved inside
//! of the loop, on which the dependence may rest; the unknowns that are not determined. Where a value that is not finite is the cause,
//! that value.

use ferrica_ir::causal::Block;
use ferrica_ir::print::brief;

use crate::evaluator::{Evaluator, Failure};
use crate::layout::Slot;
use crate::model::{CompiledModel, EquationRef, System};

/// Largest system whose dependent equations are looked for: the elimination is cubic.
const MAX_EXPLAINED: usize = 100;
/// Most lines of a kind.
const MAX_LINES: usize = 5;
/// Part of the largest entry below which one is a rounding error.
const ROUNDING: f64 = 1e-11;

impl Evaluator {
    pub(super) fn singular(
        &self,
        model: &CompiledModel,
        system: &System,
        row: usize,
        col: usize,
    ) -> Failure {
        let n = system.unknowns.len();
        let mut failure = Failure::new(format!(
            "linear system of {n} unknown{} is singular at time {}",
            if n == 1 { "" } else { "s" },
            brief(self.time())
        ));
        let bad: Vec<Slot> = (system.reads.iter().copied())
            .filter(|&s| !self.slots[s as usize].is_finite() && model.variable(s).is_some())
            .collect();
        if !bad.is_empty() {
            failure.message = failure
                .message
                .replace("is singular", "has no finite coefficients");
            for slot in bad.into_iter().take(MAX_LINES) {
                let value = self.slots[slot as usize];
                failure
                    .details
                    .push(format!("{} = {value}", model.var_name(slot)));
            }
        }
        let found = self.dependence(system);
        let (rows, columns) = match &found {
            Some(d) => (d.rows.clone(), d.columns.clone()),
            None => (vec![row], vec![col]),
        };
        let inside = inside(model, system);
        let equations: Vec<EquationRef> = (rows.iter())
            .filter_map(|&r| system.equations.get(r).copied())
            .collect();
        // Without a row to name, all of a small system.
        let equations = match equations.is_empty() {
            true => system.equations.clone(),
            false => equations,
        };
        if let Some(&eq) = equations.first() {
            failure.span = model.equation_span(eq);
        }
        let listed = |kind: &str, list: &[EquationRef], details: &mut Vec<String>| {
            for &eq in list.iter().take(MAX_LINES) {
                details.push(format!("{kind}: {}", model.equation_text(eq)));
            }
            if list.len() > MAX_LINES {
                details.push(format!("… and {} more", list.len() - MAX_LINES));
            }
        };
        listed("dependent equation", &equations, &mut failure.details);
        listed("together with", &inside, &mut failure.details);
        let unknowns: Vec<&str> = (columns.iter())
            .filter_map(|&c| system.unknowns.get(c))
            .take(MAX_LINES)
            .map(|&s| model.var_name(s))
            .collect();
        if !unknowns.is_empty() {
            failure
                .details
                .push(format!("not determined: {}", unknowns.join(", ")));
        }
        if let Some(d) = found.filter(|d| d.gap != 0.0) {
            failure.details.push(format!(
                "these equations contradict each other: combined, they say 0 = {}",
                brief(d.gap)
            ));
            failure.contradiction = true;
        }
        failure
    }

    fn dependence(&self, system: &System) -> Option<Dependence> {
        let n = system.unknowns.len();
        if n > MAX_EXPLAINED {
            return None;
        }
        let mut a = vec![0.0; n * n];
        for (k, (r, c)) in system.pattern.entries().enumerate() {
            a[r * n + c] = self.slots[system.matrix as usize + k];
        }
        let b = &self.slots[system.rhs as usize..][..n];
        if a.iter().chain(b).any(|v| !v.is_finite()) {
            return None;
        }
        dependence(&a, b, n)
    }
}

/// Equations that were solved inside of the loop the system is the rest of.
fn inside(model: &CompiledModel, system: &System) -> Vec<EquationRef> {
    let initial = system.equations.first().is_some_and(|e| e.initial);
    let blocks = match initial {
        true => &model.source.initial.blocks,
        false => &model.source.blocks,
    };
    let unknown = system.unknowns.first().and_then(|&s| model.variable(s));
    let own = |b: &&Block| match b {
        Block::Linear(l) => l.unknowns.first().copied() == unknown,
        _ => false,
    };
    match blocks.iter().find(own) {
        Some(Block::Linear(l)) => (l.then.iter())
            .map(|a| EquationRef {
                initial,
                index: a.equation,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Rows whose combination vanishes, columns that no row determines, and what the combination leaves on the right side.
struct Dependence {
    rows: Vec<usize>,
    columns: Vec<usize>,
    gap: f64,
}

/// Elimination with full pivoting; the weights of the rows are carried along.
fn dependence(a: &[f64], b: &[f64], n: usize) -> Option<Dependence> {
    // Each row: coefficients, weights of the original rows.
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row = a[i * n..(i + 1) * n].to_vec();
            row.extend((0..n).map(|j| f64::from(i == j)));
            row
        })
        .collect();
    let largest = a.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let mut columns: Vec<usize> = (0..n).collect();
    let mut rank = 0;
    while rank < n {
        let mut best = (0.0, rank, rank);
        for (i, row) in m.iter().enumerate().skip(rank) {
            for (j, &c) in columns.iter().enumerate().skip(rank) {
                if row[c].abs() > best.0 {
                    best = (row[c].abs(), i, j);
                }
            }
        }
        if best.0 <= ROUNDING * largest {
            break;
        }
        m.swap(rank, best.1);
        columns.swap(rank, best.2);
        let c = columns[rank];
        let pivot = m[rank].clone();
        for row in &mut m[rank + 1..] {
            let f = row[c] / pivot[c];
            if f != 0.0 {
                row.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= f * p);
            }
        }
        rank += 1;
    }
    // Of the combinations that vanish, the one that contradicts most.
    let gap = |row: &Vec<f64>| -> f64 { row[n..].iter().zip(b).map(|(w, b)| w * b).sum() };
    let worst = (m[rank..].iter()).max_by(|x, y| gap(x).abs().total_cmp(&gap(y).abs()))?;
    let heaviest = worst[n..].iter().fold(0.0f64, |s, w| s.max(w.abs()));
    let rows = (0..n)
        .filter(|&i| worst[n + i].abs() > ROUNDING * heaviest)
        .collect();
    let size = b.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let left = gap(worst);
    Some(Dependence {
        rows,
        columns: columns[rank..].to_vec(),
        gap: if left.abs() > ROUNDING * size {
            left
        } else {
            0.0
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_contradiction_are_named() {
        // Rows 0 and 2: x + y = 3 and 2x + 2y = 7; row 1 is independent of them.
        let a = [1.0, 1.0, 0.0, 0.0, 0.0, 5.0, 2.0, 2.0, 0.0];
        let d = dependence(&a, &[3.0, 1.0, 7.0], 3).unwrap();
        assert_eq!(d.rows, [0, 2]);
        assert_eq!(d.columns.len(), 1);
        assert!(d.columns[0] < 2);
        assert!(d.gap != 0.0);
        let same = dependence(&a, &[3.0, 1.0, 6.0], 3).unwrap();
        assert_eq!((same.rows, same.gap), (vec![0, 2], 0.0));
    }
}

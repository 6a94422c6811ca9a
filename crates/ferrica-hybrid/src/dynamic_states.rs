//! Dynamic state selection: which candidates are states is decided again while the run goes on.
//!
//! Of n candidates under m constraints, n − m are states. The m that are not must be solvable from the
//! constraints: their columns of the constraint Jacobian must be well conditioned. Gaussian
//! elimination with column pivoting finds the best choice; it replaces the present one when that
//! has become much worse.

use ferrica_codegen::model::DynamicSlots;
use ferrica_codegen::{Evaluator, Failure};

/// The present choice is kept while its smallest pivot is at least this part of the best one's.
const KEEP: f64 = 0.8;

/// Checks every set at the present point; true if a choice changed (states have new meanings then).
pub fn reselect(ev: &mut Evaluator) -> Result<bool, Failure> {
    let model = ev.model.clone();
    let mut changed = false;
    for set in &model.dynamic_states {
        ev.run(&set.program)?;
        let chosen = current(ev, set);
        let (best, best_pivot) = best_states(ev, set);
        if chosen.as_ref() == Some(&best) {
            continue;
        }
        let present_pivot = chosen.as_ref().map_or(0.0, |c| smallest_pivot(ev, set, c));
        if present_pivot >= KEEP * best_pivot {
            continue;
        }
        select(ev, set, &best);
        changed = true;
    }
    Ok(changed)
}

/// Candidates that are states now, if the selection matrix says so.
fn current(ev: &Evaluator, set: &DynamicSlots) -> Option<Vec<usize>> {
    set.selection
        .iter()
        .map(|row| row.iter().position(|&slot| ev.get(slot) == 1.0))
        .collect::<Option<Vec<usize>>>()
        .map(|mut v| {
            v.sort_unstable();
            v
        })
}

fn matrix(ev: &Evaluator, set: &DynamicSlots) -> (Vec<f64>, usize, usize) {
    let n = set.candidates.len();
    let m = n - set.states.len().min(n);
    let mut a = vec![0.0; m * n];
    for &(r, c, slot) in &set.jacobian {
        if (r as usize) < m && (c as usize) < n {
            a[r as usize * n + c as usize] = ev.get(slot);
        }
    }
    (a, m, n)
}

/// Eliminates with pivots from the allowed columns; the columns taken and the smallest pivot.
fn eliminate(mut a: Vec<f64>, m: usize, n: usize, allowed: &[bool]) -> (Vec<usize>, f64) {
    let mut taken = Vec::with_capacity(m);
    let mut smallest = f64::INFINITY;
    let mut rows: Vec<usize> = (0..m).collect();
    for k in 0..m {
        let (mut best, mut at) = (0.0, None);
        for i in k..m {
            for j in 0..n {
                let v = a[rows[i] * n + j].abs();
                if allowed[j] && !taken.contains(&j) && v > best {
                    (best, at) = (v, Some((i, j)));
                }
            }
        }
        let Some((i, j)) = at else {
            return (taken, 0.0);
        };
        rows.swap(k, i);
        smallest = smallest.min(best);
        taken.push(j);
        let pivot_row = rows[k];
        for &row in &rows[k + 1..] {
            let f = a[row * n + j] / a[pivot_row * n + j];
            for c in 0..n {
                a[row * n + c] -= f * a[pivot_row * n + c];
            }
        }
    }
    (taken, smallest)
}

fn best_states(ev: &Evaluator, set: &DynamicSlots) -> (Vec<usize>, f64) {
    let (a, m, n) = matrix(ev, set);
    let (mut dummies, pivot) = eliminate(a, m, n, &vec![true; n]);
    for j in 0..n {
        if dummies.len() < m && !dummies.contains(&j) {
            dummies.push(j);
        }
    }
    ((0..n).filter(|j| !dummies.contains(j)).collect(), pivot)
}

fn smallest_pivot(ev: &Evaluator, set: &DynamicSlots, states: &[usize]) -> f64 {
    let (a, m, n) = matrix(ev, set);
    let allowed: Vec<bool> = (0..n).map(|j| !states.contains(&j)).collect();
    let (taken, pivot) = eliminate(a, m, n, &allowed);
    if taken.len() == m { pivot } else { 0.0 }
}

fn select(ev: &mut Evaluator, set: &DynamicSlots, states: &[usize]) {
    for (k, row) in set.selection.iter().enumerate() {
        for (j, &slot) in row.iter().enumerate() {
            ev.set(slot, f64::from(u8::from(states.get(k) == Some(&j))));
        }
    }
    for (k, &state) in set.states.iter().enumerate() {
        if let Some(&j) = states.get(k) {
            let value = ev.get(set.candidates[j]);
            ev.set(state, value);
        }
    }
}

/// Before the initial system is solved, with the values of parameters: the choice that fits the start values. Where a constraint has no value
/// there, the first candidates are states.
pub(crate) fn first_selection(ev: &mut Evaluator) {
    let model = ev.model.clone();
    for set in &model.dynamic_states {
        let states = match ev.run(&set.program) {
            Ok(()) => best_states(ev, set).0,
            Err(_) => (0..set.states.len()).collect(),
        };
        select(ev, set, &states);
    }
}

//! Delayed signals before the start: each has had its first value all the time.
//!
//! In: a problem and what evaluates its start for given delayed values s. Out: s with s = u(s), where u are the signals at the start: while a
//! model is initialized `delay(u, T)` is `u`. Signals that depend on each other in a chain are found by going along it;
//! where that does not end (`z = 3 - 2*delay(z, T)`), s is found by Newton's method. Where no s fits (a line that is filled from the start on),
//! the line begins empty, at zero.

use ferrica_codegen::Failure;
use ferrica_solvers::dense::DenseLu;

use crate::problem::Problem;

/// Passes in which chains must settle.
const PASSES: usize = 30;
/// Signals have settled when nothing changes by more than this part.
const TOLERANCE: f64 = 1e-9;
/// Most signals that are solved for together, and iterations for it.
const MOST_TOGETHER: usize = 200;
const ITERATIONS: usize = 20;
/// Steps that are so many times longer than what they correct come from differences of rounding errors: nothing fits.
const SINGULAR: f64 = 1e6;
const REGULAR: f64 = 1e-12;
/// Part of a signal by which it is moved for a difference quotient.
const DIFFERENCE: f64 = 1e-6;

/// See the module comment. `evaluate` computes the start with the delayed values that are set.
pub fn settle_history(
    p: &mut Problem,
    start: f64,
    evaluate: &mut dyn FnMut(&mut Problem) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let n = p.delays.delayed();
    for k in 0..n {
        p.delays.set_empty(k, false);
    }
    // The second round has the empty lines; they may leave others without a fit.
    for _ in 0..3 {
        for k in 0..n {
            p.delays.assume(&mut p.ev, k, 0.0);
        }
        let changing = go_along(p, start, &[], evaluate)?;
        if changing.is_empty() {
            break;
        }
        let without = solve(p, start, &changing, evaluate)?;
        if without.is_empty() {
            break;
        }
        for k in without {
            p.delays.set_empty(k, true);
        }
    }
    evaluate(p)
}

/// Takes what the signals are at the start for what they were before it.
fn begin(p: &mut Problem, start: f64) {
    p.delays.begin(&p.ev, start);
    p.delays.apply(&mut p.ev);
}

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > TOLERANCE * a.abs().max(b.abs())
}

/// Follows chains of signals, some of them being held; the ones that have not settled.
fn go_along(
    p: &mut Problem,
    start: f64,
    held: &[(usize, f64)],
    evaluate: &mut dyn FnMut(&mut Problem) -> Result<(), Failure>,
) -> Result<Vec<usize>, Failure> {
    let n = p.delays.delayed();
    let mut changing = vec![false; n];
    for pass in 0..PASSES {
        let before: Vec<f64> = (0..n).map(|k| p.delays.first(k)).collect();
        evaluate(p)?;
        begin(p, start);
        for &(k, value) in held {
            p.delays.assume(&mut p.ev, k, value);
        }
        let moved = |k: &usize| differ(p.delays.first(*k), before[*k]);
        let moving: Vec<usize> = (0..n).filter(moved).collect();
        if moving.is_empty() {
            return Ok(Vec::new());
        }
        for k in moving {
            changing[k] |= 2 * pass >= PASSES;
        }
    }
    Ok((0..n).filter(|&k| changing[k]).collect())
}

/// Newton's method for u(s) − s = 0 in the signals that go in circles, the others following them. Out: those for
/// which nothing fits.
fn solve(
    p: &mut Problem,
    start: f64,
    unknown: &[usize],
    evaluate: &mut dyn FnMut(&mut Problem) -> Result<(), Failure>,
) -> Result<Vec<usize>, Failure> {
    let n = unknown.len();
    if n > MOST_TOGETHER {
        return Ok(unknown.to_vec());
    }
    let mut s = vec![0.0; n];
    let residual = |p: &mut Problem, s: &[f64], evaluate: &mut dyn FnMut(&mut Problem) -> _| {
        for (&k, &value) in unknown.iter().zip(s) {
            p.delays.assume(&mut p.ev, k, value);
        }
        let done: Result<(), Failure> = evaluate(p);
        let distance = |(&k, value): (&usize, &f64)| p.delays.source(&p.ev, k) - value;
        done.map(|()| unknown.iter().zip(s).map(distance).collect::<Vec<f64>>())
    };
    for _ in 0..ITERATIONS {
        let r = residual(p, &s, evaluate)?;
        if r.iter().any(|v| !v.is_finite()) {
            break;
        }
        let settled = s.iter().zip(&r).all(|(s, r)| !differ(*s, s + r));
        if settled {
            // The others once more, along their chains.
            let held: Vec<(usize, f64)> = unknown.iter().copied().zip(s).collect();
            if go_along(p, start, &held, evaluate)?.is_empty() {
                return Ok(Vec::new());
            }
            break;
        }
        let mut lu: DenseLu<f64> = DenseLu::new(n);
        for j in 0..n {
            let h = DIFFERENCE * s[j].abs().max(r[j].abs()).max(1e-3);
            let mut moved = s.clone();
            moved[j] += h;
            let changed = residual(p, &moved, evaluate)?;
            let column = &mut lu.matrix_mut()[j * n..][..n];
            for ((a, c), r) in column.iter_mut().zip(changed).zip(&r) {
                *a = (c - r) / h;
            }
            // Below the accuracy of the differences, so that what is singular shows in the step.
            column[j] -= REGULAR;
        }
        if lu.factor().is_err() {
            break;
        }
        let mut step = r.clone();
        lu.solve(&mut step);
        let size = r.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let free = |j: &usize| step[*j].is_nan() || step[*j].abs() > SINGULAR * size;
        let without: Vec<usize> = (0..n).filter(free).map(|j| unknown[j]).collect();
        if !without.is_empty() {
            return Ok(without);
        }
        for (s, d) in s.iter_mut().zip(step) {
            *s -= d;
        }
    }
    Ok(unknown.to_vec())
}

//! What the formula leaves out of its steps, added up.
//!
//! In: the states at four steps in a row, now and then, without an event between them. Out: whether the local errors of a run, one after the other
//! and all in one direction, could be more of a state's range than is told. That is the error of an oscillation, whose phase goes on where
//! the last step has left it; what dies away forgets it. So this is a doubt, and a run with half of the step decides.

use crate::march::divergence::LOOKED_AT;
use crate::method::Method;

/// Error in parts of the range from which on a run is doubted: less than what is told after the run with half of the step.
const DOUBTED: f64 = 0.01;

#[derive(Clone, Copy)]
struct Sum {
    errors: f64,
    low: f64,
    high: f64,
}

/// See the module comment.
#[derive(Default)]
pub(super) struct Truncation {
    states: Vec<Sum>,
    looks: f64,
}

/// Local error of a step of a formula whose last values these are, the newest last.
fn local_error(method: Method, v: [f64; LOOKED_AT]) -> f64 {
    let [a, b, c, d] = v;
    let second = (d - 2.0 * c + b).abs();
    let third = (d - 3.0 * c + 3.0 * b - a).abs();
    match method {
        Method::Bdf1 => second / 2.0,
        Method::Bdf2 => third * 2.0 / 9.0,
        // A fourth difference from two others, as those of an oscillation or a decay follow each other.
        Method::Bdf3 if second > third => third * third / second * 3.0 / 22.0,
        Method::Bdf3 => third * 3.0 / 22.0,
        Method::Trapezoid | Method::TrapezoidUnprojected => third / 12.0,
        Method::Ode => third / 6.0,
    }
}

impl Truncation {
    pub(super) fn begin(&mut self, states: usize) {
        let none = Sum {
            errors: 0.0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        };
        self.states = vec![none; states];
    }

    /// Another look at steps in a row.
    pub(super) fn look(&mut self, method: Method, rows: &[Vec<f64>]) {
        self.looks += 1.0;
        for (j, sum) in self.states.iter_mut().enumerate() {
            let v: [f64; LOOKED_AT] = std::array::from_fn(|k| rows[k][j]);
            sum.errors += local_error(method, v);
            sum.low = v.iter().fold(sum.low, |m, &x| m.min(x));
            sum.high = v.iter().fold(sum.high, |m, &x| m.max(x));
        }
    }

    /// Could so many steps such as those that were looked at lead away?
    pub(super) fn doubts(&self, steps: u64) -> bool {
        let all = steps as f64 / self.looks;
        let leads_away = |s: &Sum| s.errors * all > DOUBTED * (s.high - s.low);
        self.looks > 0.0 && self.states.iter().any(leads_away)
    }
}

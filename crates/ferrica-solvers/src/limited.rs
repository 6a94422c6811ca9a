//! When a Newton iteration over limited equations ([`crate::system::DaeSystem::limits`]) is at its end.
//!
//! The way through a steep function is long but each step is Newton's own, with a matrix of its own: an exponential comes down by one in its argument an
//! iteration, and the last iterations converge quadratically.
//!
//! Junctions that are all off leave the potential between them to currents that are lost beside the tolerance, and an iteration for it would go on for a thousand
//! steps. So an iteration is also done where every equation holds with algebraic unknowns a part of the tolerance away (the backward error of Oettli and
//! Prager) and the differential unknowns are not corrected by more: the others are as good as the tolerance determines them.

use crate::norm::wrms;
use crate::sparse::CscPattern;

/// Iterations: an exponential from the largest current of a circuit to none takes some forty.
pub const LIMITED_MAX: usize = 60;
/// A first correction that is so small a part of the tolerance needs no second one.
const AT_ONCE: f64 = 1e-4;

/// Relative accuracy of Newton's iteration where there are steep functions, however loose the tolerance is: the voltage of a junction is some 1e-4 of the
/// potentials around it, and a correction that is small beside these may have it all before it.
const RESOLVED: f64 = 1e-5;

/// The part of the usual bound on corrections that holds where there are steep functions.
pub fn resolving(rtol: f64) -> f64 {
    (RESOLVED / rtol).min(1.0)
}

/// Follows an iteration.
pub struct LimitedProgress {
    tolerance: f64,
    /// Norm of the last correction.
    before: Option<f64>,
    /// Every equation holds within the tolerance.
    holds: bool,
}

impl LimitedProgress {
    pub fn new(tolerance: f64) -> LimitedProgress {
        LimitedProgress {
            tolerance,
            before: None,
            holds: false,
        }
    }

    /// Takes the residuals and the matrix at an iterate. `weights`: reciprocal error scales of the unknowns of a block, and those of the error test,
    /// zero for algebraic ones. `reach`: room.
    pub fn look(
        &mut self,
        pattern: &CscPattern,
        matrix: &[f64],
        residuals: &[f64],
        weights: (&[f64], &[f64]),
        reach: &mut Vec<f64>,
    ) {
        reach.clear();
        reach.resize(residuals.len(), 0.0);
        for ((r, c), j) in pattern.entries().zip(matrix) {
            let c = c % weights.0.len();
            if weights.1[c] == 0.0 {
                reach[r] += j.abs() / weights.0[c];
            }
        }
        let mut pairs = residuals.iter().zip(&*reach);
        self.holds = pairs.all(|(r, reach)| r.abs() <= self.tolerance * reach);
    }

    /// The present iterate solves the equations, whatever the correction of the algebraic unknowns. `home`: they were not limited.
    pub fn is_solved(&self, corrections: &[f64], error_weight: &[f64], home: bool) -> bool {
        let blocks = corrections.chunks_exact(error_weight.len());
        let norm = blocks.map(|d| wrms(d, error_weight)).fold(0.0, f64::max);
        home && self.holds && norm <= self.tolerance
    }

    /// The iterate after a correction of this norm solves the equations.
    pub fn is_done(&mut self, norm: f64, home: bool) -> bool {
        let remaining = match self.before {
            Some(before) if norm < before => norm * norm / (before - norm),
            Some(_) if norm > 0.0 => f64::INFINITY,
            _ => norm / AT_ONCE,
        };
        self.before = Some(norm);
        home && norm <= self.tolerance && remaining <= self.tolerance
    }
}

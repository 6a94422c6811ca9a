//! The modes of a linear model: eigenvalues, their damping, and the states that take part in them.

use std::f64::consts::TAU;

use crate::linearize::Linear;

/// A way in which a linear model moves by itself.
///
/// ```
/// use ferrica::{Experiment, Model};
/// // s² + 2 s + 5 = 0, and a state of its own
/// let text = "model M Real x; Real v; Real z; equation der(x) = v; der(v) = -2*v - 5*x; der(z) = -7*z; end M;";
/// let modes = Model::from_text(text)?.linearize(None, None, None, &Experiment::default())?.modes().unwrap();
/// let slow = modes.iter().find(|m| m.imaginary > 0.0).unwrap();
/// assert!((slow.damping() - 1.0 / 5f64.sqrt()).abs() < 1e-12);
/// assert!((slow.states[0].1 - 0.5).abs() < 1e-9 && slow.states.iter().all(|(name, _)| name != "z"));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Real part of the eigenvalue.
    pub real: f64,
    /// Imaginary part; of a pair the positive one comes first.
    pub imaginary: f64,
    /// States that take part, the most important first, with their parts of one: the products of the elements of the left and the right
    /// eigenvector. States with less than a hundredth are left out.
    pub states: Vec<(String, f64)>,
}

/// Parts that are less than this are left out.
const NEGLIGIBLE: f64 = 0.01;

/// A scaling is worth it if it makes the sum of a row and a column smaller than this part.
const GAIN: f64 = 0.95;

impl Mode {
    /// The frequency that it would have without damping, in hertz.
    ///
    /// ```
    /// let mode = ferrica::Mode { real: -3.0, imaginary: 4.0, states: Vec::new() };
    /// assert!((mode.frequency() - 5.0 / std::f64::consts::TAU).abs() < 1e-15);
    /// ```
    pub fn frequency(&self) -> f64 {
        self.real.hypot(self.imaginary) / TAU
    }

    /// One where it does not swing, zero where it swings for ever, negative where it grows.
    ///
    /// ```
    /// let mode = ferrica::Mode { real: -3.0, imaginary: 4.0, states: Vec::new() };
    /// assert_eq!(mode.damping(), 0.6);
    /// ```
    pub fn damping(&self) -> f64 {
        let size = self.real.hypot(self.imaginary);
        if size > 0.0 { -self.real / size } else { 1.0 }
    }
}

impl Linear {
    /// The eigenvalues of A with the states that take part in each; none if their computation does not converge. The time grows with
    /// the cube of the number of states.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M Real x; equation der(x) = -3*x; end M;")?;
    /// let modes = model.linearize(None, None, None, &Experiment::default())?.modes().unwrap();
    /// assert_eq!((modes[0].real, modes[0].states[0].0.as_str()), (-3.0, "x"));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn modes(&self) -> Option<Vec<Mode>> {
        let found = ferrica_natives::participations(self.states.len(), self.balanced())?;
        let mode = |((real, imaginary), parts): ((f64, f64), Vec<f64>)| {
            let named = self.states.iter().cloned().zip(parts);
            let mut states: Vec<(String, f64)> = named.filter(|s| s.1 >= NEGLIGIBLE).collect();
            states.sort_by(|a, b| b.1.total_cmp(&a.1));
            Mode {
                real,
                imaginary,
                states,
            }
        };
        Some(found.into_iter().map(mode).collect())
    }

    /// A row by row, in units of the states in which rows and columns are of like size (Parlett and Reinsch 1969): pressures in pascals and
    /// ways in metres would cost digits. Eigenvalues and parts of states are the same.
    pub(crate) fn balanced(&self) -> Vec<f64> {
        self.balanced_with_units().0
    }

    /// The same with the units, in parts of those of the states.
    pub(crate) fn balanced_with_units(&self) -> (Vec<f64>, Vec<f64>) {
        let n = self.states.len();
        let mut a = vec![0.0; n * n];
        let mut units = vec![1.0; n];
        for &(i, j, value) in &self.a.entries {
            a[i * n + j] = value;
        }
        loop {
            let mut changed = false;
            for k in 0..n {
                let others = || (0..n).filter(|i| *i != k);
                let column: f64 = others().map(|i| a[i * n + k].abs()).sum();
                let row: f64 = others().map(|i| a[k * n + i].abs()).sum();
                if !(column > 0.0 && row > 0.0 && (column * row).is_finite()) {
                    continue;
                }
                // A power of two rounds nothing.
                let factor = ((row / column).log2() / 2.0).round().exp2();
                if (column * factor + row / factor) >= GAIN * (column + row) {
                    continue;
                }
                changed = true;
                units[k] *= factor;
                for i in 0..n {
                    a[i * n + k] *= factor;
                    a[k * n + i] /= factor;
                }
            }
            if !changed {
                return (a, units);
            }
        }
    }
}

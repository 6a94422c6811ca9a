//! The zeros of a linear model: what an input does at these rates, an output does not tell.
//!
//! From one input to one output. Where the output does not read the input at once, states for which it is zero form a smaller model, whose
//! input is the same and whose output is the rate at which the states would leave it: so on until the input is read, or no state is left.
//! With u = -(c/d) x the output stays zero, and the zeros are the eigenvalues of A - b c/d
//! (Emami-Naeini and Van Dooren: Computation of zeros of linear multivariable systems, Automatica 18 (1982), for one input and one output).

use crate::linearize::Linear;

/// What is smaller than this part of what it is computed from is rounding.
const ROUNDING: f64 = 1e-12;

/// A model with one input and one output; A row by row.
struct Single {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: f64,
}

impl Linear {
    /// The zeros from an input to an output: real and imaginary parts. None if the output does not depend on the input, or where the computation of
    /// eigenvalues does not converge. The time grows with the cube of the number of states.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// // (s + 3)/((s + 1)(s + 2))
    /// let model = Model::from_text("model M input Real u; Real x; Real v; output Real y = 3*x + v;
    ///   equation der(x) = v; der(v) = u - 3*v - 2*x; end M;")?;
    /// let zeros = model.linearize(None, None, None, &Experiment::default())?.zeros(0, 0).unwrap();
    /// assert!(zeros.len() == 1 && (zeros[0].0 + 3.0).abs() < 1e-12 && zeros[0].1 == 0.0);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn zeros(&self, output: usize, input: usize) -> Option<Vec<(f64, f64)>> {
        let Single { mut a, b, c, d } = self.single(output, input).reduced()?;
        for (row, b) in a.iter_mut().zip(&b) {
            for (a, c) in row.iter_mut().zip(&c) {
                *a -= b * c / d;
            }
        }
        ferrica_natives::eigenvalues(a.len(), a.concat())
    }

    /// One input and one output, in units of the states in which A is balanced.
    fn single(&self, output: usize, input: usize) -> Single {
        let n = self.states.len();
        let (a, units) = self.balanced_with_units();
        let mut one = Single {
            a: a.chunks(n.max(1)).map(<[f64]>::to_vec).collect(),
            b: vec![0.0; n],
            c: vec![0.0; n],
            d: 0.0,
        };
        for &(r, _, value) in self.b.entries.iter().filter(|e| e.1 == input) {
            one.b[r] += value / units[r];
        }
        for &(_, k, value) in self.c.entries.iter().filter(|e| e.0 == output) {
            one.c[k] += value * units[k];
        }
        let direct = (self.d.entries.iter()).filter(|e| (e.0, e.1) == (output, input));
        one.d = direct.map(|e| e.2).sum();
        one
    }
}

impl Single {
    /// A model with the same zeros whose output reads its input at once.
    fn reduced(mut self) -> Option<Single> {
        while self.d == 0.0 {
            let n = self.c.len();
            let size = norm(&self.c);
            if n == 0 || size == 0.0 {
                return None;
            }
            // Householder's reflection that makes the last state the only one that is read.
            let last = n - 1;
            let mut v = self.c.clone();
            v[last] += size.copysign(v[last]);
            let square: f64 = v.iter().map(|x| x * x).sum();
            reflect(&mut self.b, &v, square);
            for row in &mut self.a {
                reflect(row, &v, square);
            }
            for k in 0..n {
                let mut column: Vec<f64> = self.a.iter().map(|row| row[k]).collect();
                reflect(&mut column, &v, square);
                for (row, x) in self.a.iter_mut().zip(column) {
                    row[k] = x;
                }
            }
            let rounding = ROUNDING * norm(&self.b);
            let whole = ROUNDING * self.a.iter().map(|row| norm(row)).fold(0.0, f64::max);
            self.c = self.a.pop()?;
            self.c.pop();
            self.c.iter_mut().for_each(|c| {
                if c.abs() <= whole {
                    *c = 0.0;
                }
            });
            for row in &mut self.a {
                row.pop();
            }
            self.d = self.b.pop()?;
            if self.d.abs() <= rounding {
                self.d = 0.0;
            }
        }
        Some(self)
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// x - 2 v (v·x)/(v·v)
fn reflect(x: &mut [f64], v: &[f64], square: f64) {
    let part = 2.0 * x.iter().zip(v).map(|(x, v)| x * v).sum::<f64>() / square;
    for (x, v) in x.iter_mut().zip(v) {
        *x -= part * v;
    }
}

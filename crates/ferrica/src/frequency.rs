//! What a linear model does to oscillations: C·(iω - A)⁻¹·B + D, sparse, with its delays as they are (see [`crate::delayed`]).

use std::f64::consts::TAU;

use ferrica_solvers::linear::LinearSolver;
use ferrica_solvers::scalar::Complex;
use ferrica_solvers::sparse::CscPattern;

use crate::linearize::Linear;

/// Points of a frequency response in each decade.
const POINTS: usize = 60;
/// Decades beyond the slowest and the fastest pole.
const BEYOND: f64 = 1.0;

impl Linear {
    /// The response of an output to an input at frequencies in hertz: amplitude, and phase in degrees. A pole on the axis has none:
    /// not a number.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M input Real u; output Real y(start = 0); equation 0.1*der(y) = u - y; end M;")?;
    /// let linear = model.linearize(None, None, None, &Experiment::default())?;
    /// // A corner at 10 rad/s: 1/√2 and -45°.
    /// let (amplitude, phase) = linear.response(0, 0, &[10.0 / std::f64::consts::TAU])[0];
    /// assert!((amplitude - 0.5f64.sqrt()).abs() < 1e-12 && (phase + 45.0).abs() < 1e-9);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn response(&self, output: usize, input: usize, frequencies: &[f64]) -> Vec<(f64, f64)> {
        let (n, delays) = (self.states.len(), &self.delays);
        // Unknowns: the states, then what comes out of the delays.
        let size = n + delays.times.len();
        let states = self.a.entries.iter().map(|&(r, c, v)| (r, c, v));
        let into = delays.e.entries.iter().map(|&(r, c, v)| (r, n + c, v));
        let fixed: Vec<(usize, usize, f64)> = states.chain(into).collect();
        let from = delays.g.entries.iter().map(|&(r, c, v)| (n + r, c, v));
        let own = delays.k.entries.iter().map(|&(r, c, v)| (n + r, n + c, v));
        let turned: Vec<(usize, usize, f64)> = from.chain(own).collect();
        let entries = fixed.iter().chain(&turned).map(|&(r, c, _)| (r, c));
        let pattern = CscPattern::from_entries(size, entries).with_diagonal();
        let mut solver: LinearSolver<Complex> = LinearSolver::new(pattern.clone());
        let direct: f64 = (self.d.entries.iter())
            .filter(|e| (e.0, e.1) == (output, input))
            .map(|e| e.2)
            .sum();
        let mut last = 0.0;
        (frequencies.iter())
            .map(|&f| {
                // What a delay does to an oscillation.
                let turn = |k: usize| {
                    let (sin, cos) = (-TAU * f * delays.times[k]).sin_cos();
                    Complex::new(cos, sin)
                };
                let mut matrix = vec![Complex::new(0.0, 0.0); pattern.nnz()];
                let mut add = |r: usize, c: usize, value: Complex| {
                    if let Some(k) = pattern.find(r, c) {
                        matrix[k].re += value.re;
                        matrix[k].im += value.im;
                    }
                };
                for &(r, c, value) in &fixed {
                    add(r, c, Complex::new(-value, 0.0));
                }
                for &(r, c, value) in &turned {
                    let turn = turn(r - n);
                    add(r, c, Complex::new(-value * turn.re, -value * turn.im));
                }
                for k in 0..size {
                    let own = match k < n {
                        true => Complex::new(0.0, TAU * f),
                        false => Complex::new(1.0, 0.0),
                    };
                    add(k, k, own);
                }
                let mut x = vec![Complex::new(0.0, 0.0); size];
                for &(r, c, value) in &self.b.entries {
                    if c == input {
                        x[r].re += value;
                    }
                }
                for &(r, c, value) in &delays.h.entries {
                    if c == input {
                        let turn = turn(r);
                        x[n + r].re += value * turn.re;
                        x[n + r].im += value * turn.im;
                    }
                }
                if size > 0 {
                    if solver.factor(&matrix).is_err() {
                        return (f64::NAN, f64::NAN);
                    }
                    solver.solve(&mut x);
                }
                let (mut re, mut im) = (direct, 0.0);
                let through = delays.f.entries.iter().map(|&(r, c, v)| (r, n + c, v));
                for (r, c, value) in self.c.entries.iter().copied().chain(through) {
                    if r == output {
                        re += value * x[c].re;
                        im += value * x[c].im;
                    }
                }
                // Nothing has no phase.
                if (re, im) == (0.0, 0.0) {
                    return (0.0, 0.0);
                }
                // Without jumps by a whole turn from one frequency to the next.
                let mut phase = im.atan2(re).to_degrees();
                phase -= 360.0 * ((phase - last) / 360.0).round();
                if phase.is_finite() {
                    last = phase;
                }
                (re.hypot(im), phase)
            })
            .collect()
    }

    /// Frequencies in hertz at which something happens: from a decade below the slowest pole or the longest delay to one above the fastest.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M input Real u; output Real y(start = 0); equation 0.1*der(y) = u - y; end M;")?;
    /// let f = model.linearize(None, None, None, &Experiment::default())?.frequencies();
    /// assert!(f[0] < 0.16 && f[f.len() - 1] > 15.9);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn frequencies(&self) -> Vec<f64> {
        let poles = self.eigenvalues().unwrap_or_default();
        let sizes = poles.iter().map(|(re, im)| re.hypot(*im) / TAU);
        // A line resonates where it is a quarter of a wave long.
        let quarters = self.delays.times.iter().map(|t| 0.25 / t);
        let sizes: Vec<f64> = sizes
            .chain(quarters)
            .filter(|s| *s > 0.0 && s.is_finite())
            .collect();
        let low = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let high = sizes.iter().copied().fold(0.0, f64::max);
        let (low, high) = match sizes.is_empty() {
            true => (1e-2f64, 1e2f64),
            false => (low, high),
        };
        let (first, last) = (low.log10() - BEYOND, high.log10() + BEYOND);
        let count = ((last - first) * POINTS as f64).ceil().max(1.0) as usize;
        let at = |k: usize| 10f64.powf(first + (last - first) * k as f64 / count as f64);
        (0..=count).map(at).collect()
    }
}

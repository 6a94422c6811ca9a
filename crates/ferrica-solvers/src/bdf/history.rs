//! The past of a BDF solution as modified divided differences, and the formula's coefficients.
//!
//! With steps h_n, ψ_i(n) = h_n + … + h_{n-i+1}, the differences are
//! φ_i(n) = ψ_1 ψ_2 … ψ_{i-1} [y_n, …, y_{n-i+1}] (numbered from zero here). The predictor is the polynomial through the
//! past values, y⁰ = Σ φ*_i, and y⁰' = Σ γ_i φ*_i, with φ*_i = β_i φ_i. The corrector has the fixed leading coefficient
//! cj = Σ_{j=1..k} 1/j / h: y' = y⁰' + cj (y - y⁰).
//!
//! Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in Differential-Algebraic Equations, chapter 5
//! (DASSL). Invariant between steps: `phi[0]` is the solution at `t`, and `phi[0..=k_used]` with `psi` give the dense output.

use crate::integrator::{MOST_DEGREE, NewtonForm};

pub const MAX_ORDER: usize = MOST_DEGREE;

#[derive(Clone, Debug, Default)]
pub struct History {
    /// φ_0 … φ_{MAX_ORDER}; one above the order in use is kept for the choice of a higher one.
    pub phi: [Vec<f64>; MAX_ORDER + 1],
    pub psi: [f64; MAX_ORDER + 1],
    pub alpha: [f64; MAX_ORDER + 1],
    pub beta: [f64; MAX_ORDER + 1],
    pub sigma: [f64; MAX_ORDER + 1],
    pub gamma: [f64; MAX_ORDER + 1],
    /// Leading coefficient and the constant of the error test.
    pub cj: f64,
    pub ck: f64,
    /// Steps taken with constant step and order, plus one.
    pub constant: usize,
    pub h_used: f64,
    pub k_used: usize,
    psi_before: [f64; MAX_ORDER + 1],
}

impl History {
    pub fn start(&mut self, y: &[f64], yp: &[f64], h: f64) {
        for v in &mut self.phi {
            v.resize(y.len(), 0.0);
        }
        self.phi[0].copy_from_slice(y);
        for (p, v) in self.phi[1].iter_mut().zip(yp) {
            *p = h * v;
        }
        for v in &mut self.phi[2..] {
            v.fill(0.0);
        }
        self.psi = [0.0; MAX_ORDER + 1];
        self.psi[0] = h;
        self.constant = 0;
        self.h_used = 0.0;
        self.k_used = 0;
    }

    /// Another first step before any was taken.
    pub fn rescale_start(&mut self, ratio: f64) {
        self.phi[1].iter_mut().for_each(|v| *v *= ratio);
        self.psi[0] *= ratio;
    }

    /// Coefficients for a step of size `h` and order `k`; turns φ into φ*.
    pub fn prepare(&mut self, h: f64, k: usize) {
        self.psi_before = self.psi;
        if h != self.h_used || k != self.k_used {
            self.constant = 0;
        }
        self.constant = (self.constant + 1).min(self.k_used + 2);
        if k + 1 >= self.constant {
            self.beta[0] = 1.0;
            self.alpha[0] = 1.0;
            self.gamma[0] = 0.0;
            self.sigma[0] = 1.0;
            let mut sum = h;
            for i in 1..=k {
                let old = self.psi[i - 1];
                self.psi[i - 1] = sum;
                self.beta[i] = self.beta[i - 1] * self.psi[i - 1] / old;
                sum = old + h;
                self.alpha[i] = h / sum;
                self.sigma[i] = i as f64 * self.sigma[i - 1] * self.alpha[i];
                self.gamma[i] = self.gamma[i - 1] + self.alpha[i - 1] / h;
            }
            self.psi[k] = sum;
        }
        let alpha_s: f64 = -(1..=k).map(|j| 1.0 / j as f64).sum::<f64>();
        let alpha_0: f64 = -self.alpha[..k].iter().sum::<f64>();
        self.cj = -alpha_s / h;
        self.ck = (self.alpha[k] + alpha_s - alpha_0).abs().max(self.alpha[k]);
        for i in self.constant..=k {
            let beta = self.beta[i];
            self.phi[i].iter_mut().for_each(|v| *v *= beta);
        }
    }

    /// Undoes `prepare` after a step that failed.
    pub fn restore(&mut self, k: usize) {
        self.psi = self.psi_before;
        for i in self.constant..=k {
            let inv = 1.0 / self.beta[i];
            self.phi[i].iter_mut().for_each(|v| *v *= inv);
        }
    }

    /// Value and derivative of the predictor polynomial at the end of the step.
    pub fn predict(&self, k: usize, y: &mut [f64], yp: &mut [f64]) {
        match k {
            1 => self.predict_order::<1>(y, yp),
            2 => self.predict_order::<2>(y, yp),
            3 => self.predict_order::<3>(y, yp),
            4 => self.predict_order::<4>(y, yp),
            _ => self.predict_order::<5>(y, yp),
        }
    }

    fn predict_order<const K: usize>(&self, y: &mut [f64], yp: &mut [f64]) {
        let n = y.len();
        let phi0 = &self.phi[0][..n];
        let yp = &mut yp[..n];
        let phi: [&[f64]; K] = std::array::from_fn(|j| &self.phi[j + 1][..n]);
        let gamma: [f64; K] = std::array::from_fn(|j| self.gamma[j + 1]);
        for i in 0..n {
            let mut sum = phi0[i];
            let mut slope = 0.0;
            for j in 0..K {
                sum += phi[j][i];
                slope += gamma[j] * phi[j][i];
            }
            y[i] = sum;
            yp[i] = slope;
        }
    }

    /// Takes the correction `e` of an accepted step into the differences.
    pub fn accept(&mut self, h: f64, k: usize, e: &[f64]) {
        self.h_used = h;
        self.k_used = k;
        match k {
            1 => self.update::<1>(e),
            2 => self.update::<2>(e),
            3 => self.update::<3>(e),
            4 => self.update::<4>(e),
            _ => self.update::<5>(e),
        }
    }

    fn update<const K: usize>(&mut self, e: &[f64]) {
        let n = e.len();
        let (low, high) = self.phi.split_at_mut(K + 1);
        if let Some(next) = high.first_mut() {
            next.copy_from_slice(e);
        }
        let (first, rest) = low.split_at_mut(1);
        let first = &mut first[0][..n];
        let mut rest = rest.iter_mut();
        let rest: [&mut [f64]; K] =
            std::array::from_fn(|_| rest.next().map_or(&mut [][..], |v| &mut v[..n]));
        for i in 0..n {
            let mut sum = e[i];
            for j in (0..K).rev() {
                sum += rest[j][i];
                rest[j][i] = sum;
            }
            first[i] += sum;
        }
    }

    /// Weights of the φ for value and derivative at `t`, the last step having ended at `t_end`.
    fn weights(&self, t: f64, t_end: f64) -> (usize, [f64; MAX_ORDER + 1], [f64; MAX_ORDER + 1]) {
        let k = self.k_used.max(1);
        let mut value = [0.0; MAX_ORDER + 1];
        let mut slope = [0.0; MAX_ORDER + 1];
        let delta = t - t_end;
        let (mut c, mut d) = (1.0, 0.0);
        let mut factor = delta / self.psi[0];
        value[0] = 1.0;
        for j in 1..=k {
            d = d * factor + c / self.psi[j - 1];
            c *= factor;
            factor = (delta + self.psi[j - 1]) / self.psi[j];
            value[j] = c;
            slope[j] = d;
        }
        (k, value, slope)
    }

    pub fn interpolate(&self, t: f64, t_end: f64, y: &mut [f64]) {
        let (k, value, _) = self.weights(t, t_end);
        combine(&self.phi[..=k], &value[..=k], y);
    }

    pub fn interpolate_some(&self, t: f64, t_end: f64, which: &[usize], y: &mut [f64]) {
        let (k, value, _) = self.weights(t, t_end);
        y.fill(0.0);
        for (phi, w) in self.phi[..=k].iter().zip(&value[..=k]) {
            for (y, &i) in y.iter_mut().zip(which) {
                *y += w * phi[i];
            }
        }
    }

    pub fn interpolate_derivative(&self, t: f64, t_end: f64, yp: &mut [f64]) {
        let (k, _, slope) = self.weights(t, t_end);
        combine(&self.phi[1..=k], &slope[1..=k], yp);
    }

    /// The φ as they are, over the ends of the last steps.
    pub fn newton_form(&self, t_end: f64, coefficients: &mut Vec<f64>) -> NewtonForm {
        let degree = self.k_used.max(1);
        for phi in &self.phi[..=degree] {
            coefficients.extend_from_slice(phi);
        }
        let mut form = NewtonForm {
            degree,
            ..NewtonForm::default()
        };
        let mut node = t_end;
        for (factor, psi) in form.factors[..degree].iter_mut().zip(&self.psi) {
            *factor = (node, 1.0 / psi);
            node = t_end - psi;
        }
        form
    }
}

fn combine(vectors: &[Vec<f64>], weights: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (v, w) in vectors.iter().zip(weights) {
        for (o, x) in out.iter_mut().zip(v) {
            *o += w * x;
        }
    }
}

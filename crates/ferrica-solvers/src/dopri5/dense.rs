//! Dense output of fourth order: a polynomial on the step for each unknown.
//!
//! In: both ends of an accepted step and its seven stages. Out: values and derivatives at any time of the step.
//! Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, section II.6.

use super::tableau::D;
use crate::integrator::NewtonForm;

#[derive(Clone, Debug, Default)]
pub struct Dense {
    begin: f64,
    /// One over the length of the step.
    rate: f64,
    /// Of each unknown.
    coefficients: Vec<[f64; 5]>,
}

impl Dense {
    /// The step of length `h` from `begin` with these values at its ends.
    pub fn set(
        &mut self,
        (begin, h): (f64, f64),
        (y, y_new): (&[f64], &[f64]),
        stages: &[Vec<f64>; 7],
    ) {
        let n = y.len();
        (self.begin, self.rate) = (begin, 1.0 / h);
        self.coefficients.resize(n, [0.0; 5]);
        let [k0, k1, k2, k3, k4, k5, k6] = stages;
        let (y_new, k0, k1, k2) = (&y_new[..n], &k0[..n], &k1[..n], &k2[..n]);
        let (k3, k4, k5, k6) = (&k3[..n], &k4[..n], &k5[..n], &k6[..n]);
        for (i, r) in self.coefficients.iter_mut().enumerate() {
            let diff = y_new[i] - y[i];
            let slope = h * k0[i] - diff;
            let sum = D[0] * k0[i] + D[1] * k1[i] + D[2] * k2[i] + D[3] * k3[i];
            let last = h * (sum + D[4] * k4[i] + D[5] * k5[i] + D[6] * k6[i]);
            *r = [y[i], diff, slope, diff - h * k6[i] - slope, last];
        }
    }

    pub fn value(&self, t: f64, y: &mut [f64]) {
        let theta = (t - self.begin) * self.rate;
        for (y, r) in y.iter_mut().zip(&self.coefficients) {
            *y = polynomial(theta, r);
        }
    }

    /// The value of one unknown.
    pub fn value_of(&self, t: f64, k: usize) -> f64 {
        polynomial((t - self.begin) * self.rate, &self.coefficients[k])
    }

    /// The same polynomial over the ends of the step.
    pub fn newton_form(&self, end: f64, coefficients: &mut Vec<f64>) -> NewtonForm {
        for k in 0..5 {
            coefficients.extend(self.coefficients.iter().map(|r| r[k]));
        }
        let (begin, end) = ((self.begin, self.rate), (end, -self.rate));
        NewtonForm::new([begin, end, begin, end])
    }

    pub fn derivative(&self, t: f64, yp: &mut [f64]) {
        let theta = (t - self.begin) * self.rate;
        let s = 1.0 - theta;
        for (yp, r) in yp.iter_mut().zip(&self.coefficients) {
            let a = r[3] + s * r[4];
            let b = r[2] + theta * a;
            let db = a - theta * r[4];
            let c = r[1] + s * b;
            let dc = s * db - b;
            *yp = (c + theta * dc) * self.rate;
        }
    }
}

#[inline]
fn polynomial(theta: f64, r: &[f64; 5]) -> f64 {
    let s = 1.0 - theta;
    r[0] + theta * (r[1] + s * (r[2] + theta * (r[3] + s * r[4])))
}

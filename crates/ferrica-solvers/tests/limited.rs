//! A three-phase bridge of bare Shockley diodes behind line inductances: at each turn-off a junction falls by a hundred volts within 1e-14 s. No step
//! gets over it unless Newton's iteration limits the exponentials.
//!
//! The numbers are those of `tests/circuits/bare_diodes.py`: SciPy between the switchings, lines that do not conduct being open.

use ferrica_solvers::bdf::BdfDae;
use ferrica_solvers::integrator::{Integrator, Options, StepOutcome};
use ferrica_solvers::radau::RadauDae;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, RootFunctions};
use std::f64::consts::PI;

const L: f64 = 1e-3;
const C: f64 = 1e-3;
const R: f64 = 20.0;
const IS: f64 = 1e-9;
const VT: f64 = 0.04;
/// Argument at which an exponential is a milliampere.
const CRIT: f64 = 13.8;

/// Unknowns: two line currents, the voltage of the capacitor; potentials of the lines and of both sides of the load; currents of the diodes; the
/// derivative of the third line current, as index reduction leaves it.
struct Bridge;

impl RootFunctions for Bridge {}

fn source(t: f64, k: usize) -> f64 {
    let phase = [0.0, -2.0943951023931953, 2.0943951023931953];
    100.0 * (2.0 * PI * 50.0 * t + phase[k]).sin()
}

/// Arguments of the exponentials.
fn arguments(y: &[f64]) -> [f64; 6] {
    std::array::from_fn(|k| match k {
        0..3 => (y[3 + k] - y[6]) / VT,
        _ => (y[7] - y[k]) / VT,
    })
}

fn residual(t: f64, y: &[f64], yp: &[f64], exps: [f64; 6], r: &mut [f64]) {
    let i = [y[0], y[1], -y[0] - y[1]];
    let di = [yp[0], yp[1], y[14]];
    for k in 0..3 {
        r[k] = L * di[k] - (source(t, k) - y[3 + k]);
        r[5 + k] = i[k] - (y[8 + k] - y[11 + k]);
    }
    r[14] = yp[0] + yp[1] + y[14];
    r[3] = C * yp[2] - (y[8] + y[9] + y[10] - y[2] / R);
    r[4] = y[6] - y[7] - y[2];
    for k in 0..6 {
        r[8 + k] = y[8 + k] - IS * (exps[k] - 1.0);
    }
}

fn jacobian(cj: f64, slopes: [f64; 6], pattern: &CscPattern, values: &mut [f64]) {
    let mut m = [[0.0; 15]; 15];
    for k in 0..3 {
        let signs = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]][k];
        for (s, &sign) in signs.iter().enumerate() {
            m[k][s] = L * cj * f64::max(sign, 0.0);
            m[5 + k][s] = sign;
            m[14][s] = cj;
        }
        m[k][3 + k] = 1.0;
        m[5 + k][8 + k] = -1.0;
        m[5 + k][11 + k] = 1.0;
        m[3][8 + k] = -1.0;
    }
    (m[2][14], m[14][14]) = (L, 1.0);
    m[3][2] = C * cj + 1.0 / R;
    (m[4][6], m[4][7], m[4][2]) = (1.0, -1.0, -1.0);
    for k in 0..6 {
        let g = IS * slopes[k] / VT;
        m[8 + k][8 + k] = 1.0;
        let (plus, minus) = if k < 3 { (3 + k, 6) } else { (7, k) };
        m[8 + k][plus] = -g;
        m[8 + k][minus] = g;
    }
    for (v, (r, c)) in values.iter_mut().zip(pattern.entries()) {
        *v = m[r][c];
    }
}

impl DaeSystem for Bridge {
    fn n(&self) -> usize {
        15
    }
    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        residual(t, y, yp, arguments(y).map(f64::exp), r);
        match r.iter().all(|v| v.is_finite()) {
            true => Ok(()),
            false => Err(EvalError::Recoverable(0)),
        }
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(
        &mut self,
        _t: f64,
        cj: f64,
        y: &[f64],
        _yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        jacobian(
            cj,
            arguments(y).map(f64::exp),
            &CscPattern::dense(15),
            values,
        );
        Ok(())
    }
    fn differential(&self, i: usize) -> bool {
        i < 3
    }
    fn limits(&mut self) -> usize {
        6
    }
    fn limit_arguments(
        &mut self,
        _t: f64,
        y: &[f64],
        _yp: &[f64],
        u: &mut [f64],
    ) -> Result<(), EvalError> {
        u.copy_from_slice(&arguments(y));
        Ok(())
    }
    fn limit_thresholds(&mut self, thresholds: &mut [f64]) {
        thresholds.fill(CRIT);
    }
    fn limited_residual(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        let u = arguments(y);
        let exps = std::array::from_fn(|k| {
            let base = places[k].max(CRIT);
            places[k] = match u[k] - base > 2.0 {
                true => base + 2.0 + (u[k] - base - 1.0).ln(),
                false => u[k],
            };
            places[k].exp() * (1.0 + u[k] - places[k])
        });
        residual(t, y, yp, exps, r);
        Ok(places == u)
    }
    fn limited_jacobian(
        &mut self,
        _t: f64,
        cj: f64,
        _y: &[f64],
        _yp: &[f64],
        places: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        let slopes = std::array::from_fn(|k| match places[k] {
            u if u < 1e-3f64.ln() => (1.0 - u.exp()) / -u,
            u => u.exp(),
        });
        jacobian(cj, slopes, &CscPattern::dense(15), values);
        Ok(())
    }
}

/// Time and voltage of the capacitor.
const ROWS: [(f64, f64); 10] = [
    (0.005, 260.266679553),
    (0.010, 202.695893844),
    (0.015, 158.410454024),
    (0.020, 163.860983682),
    (0.025, 161.073393700),
    (0.030, 159.699740868),
    (0.035, 163.176773398),
    (0.040, 158.464928592),
    (0.045, 163.206136664),
    (0.050, 158.660042047),
];

fn goes_through(name: &str, mut i: Box<dyn Integrator<Bridge>>, permitted: f64) {
    let (mut y, mut yp) = ([0.0; 15], [0.0; 15]);
    (yp[0], yp[1]) = (source(0.0, 0) / L, source(0.0, 1) / L);
    y[14] = source(0.0, 2) / L;
    i.init(&mut Bridge, 0.0, &y, &yp).unwrap();
    for (t, expected) in ROWS {
        while i.step(&mut Bridge, t).unwrap() != StepOutcome::ReachedTstop {}
        let error = (i.y()[2] / expected - 1.0).abs();
        assert!(
            error < permitted,
            "{name}, t = {t}: {} for {expected}",
            i.y()[2]
        );
    }
    assert!(i.statistics().steps < 8000, "{name}: {:?}", i.statistics());
}

/// A sixteenth of a period is the longest step.
fn options(tolerance: f64) -> Options {
    Options {
        h_max: 1.25e-3,
        ..Options::new(tolerance, tolerance)
    }
}

#[test]
fn bdf_goes_through_a_bridge_of_bare_diodes() {
    for (tolerance, permitted) in [(1e-6, 1e-5), (1e-8, 5e-7)] {
        let i = BdfDae::new(options(tolerance));
        goes_through("bdf", Box::new(i), permitted);
    }
}

#[test]
fn radau_goes_through_a_bridge_of_bare_diodes() {
    for (tolerance, permitted) in [(1e-6, 5e-4), (1e-8, 5e-5)] {
        let i = RadauDae::new(options(tolerance));
        goes_through("radau", Box::new(i), permitted);
    }
}

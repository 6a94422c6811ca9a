//! Bridges of bare Shockley diodes behind inductances: at each turn-off a junction falls by a hundred volts within 1e-14 s, and while all four diodes of the
//! single-phase bridge are off nothing determines the potential of the source. No step gets over it unless Newton's iteration limits the exponentials.
//!
//! The numbers are those of `tests/circuits/bare_diodes.py`: SciPy between the switchings, lines that do not conduct being open.

use ferrica_solvers::bdf::BdfDae;
use ferrica_solvers::integrator::{Integrator, Options, StepOutcome};
use ferrica_solvers::radau::RadauDae;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, RootFunctions};
use std::f64::consts::PI;

/// Matrix of a circuit, row by row.
type Matrix = [[f64; 15]; 15];

/// A circuit of diodes i = Is (exp(v/Vt) − 1).
struct Circuit {
    name: &'static str,
    /// Unknowns, and how many of them are states; the others follow.
    n: usize,
    states: usize,
    is: f64,
    vt: f64,
    /// Voltages of the diodes.
    voltages: fn(&[f64]) -> Vec<f64>,
    /// Residuals with these currents of the diodes.
    residual: fn(f64, &[f64], &[f64], &[f64], &mut [f64]),
    /// Their matrix, with cj and the conductances of the diodes.
    matrix: fn(f64, &[f64], &mut Matrix),
    /// Unknown that is compared, time between two rows, values.
    compared: usize,
    interval: f64,
    rows: &'static [f64],
}

impl RootFunctions for Circuit {}

impl Circuit {
    /// Argument at which an exponential is a milliampere.
    fn crit(&self) -> f64 {
        (1e-3 / self.is).ln()
    }

    fn arguments(&self, y: &[f64]) -> Vec<f64> {
        let all = (self.voltages)(y).into_iter();
        all.map(|v| v / self.vt).collect()
    }

    fn currents(&self, exps: impl Iterator<Item = f64>) -> Vec<f64> {
        exps.map(|e| self.is * (e - 1.0)).collect()
    }

    fn write_matrix(&self, cj: f64, slopes: impl Iterator<Item = f64>, values: &mut [f64]) {
        let g: Vec<f64> = slopes.map(|s| self.is * s / self.vt).collect();
        let mut m = [[0.0; 15]; 15];
        (self.matrix)(cj, &g, &mut m);
        for (v, (r, c)) in values.iter_mut().zip(CscPattern::dense(self.n).entries()) {
            *v = m[r][c];
        }
    }

    /// Where the tangent goes, as in the program: along the curve, by the value above `crit` and by the argument below.
    fn place(&self, u: f64, old: f64) -> f64 {
        let crit = self.crit();
        let from = old.max(crit);
        let value = 1.0 + u - from;
        let least = (crit - from).exp();
        let place = if old <= crit && u <= crit {
            u
        } else if value >= least {
            from + value.ln()
        } else {
            crit + (value / least - 1.0).max(-700.0)
        };
        match (place - u).abs() <= 1e-9 * u.abs().max(1.0) {
            true => u,
            false => place,
        }
    }
}

fn finite(all: &[f64]) -> Result<(), EvalError> {
    match all.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(EvalError::Recoverable(0)),
    }
}

impl DaeSystem for Circuit {
    fn n(&self) -> usize {
        self.n
    }
    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        let i = self.currents(self.arguments(y).into_iter().map(f64::exp));
        (self.residual)(t, y, yp, &i, r);
        finite(r)
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
        self.write_matrix(cj, self.arguments(y).into_iter().map(f64::exp), values);
        finite(values)
    }
    fn differential(&self, i: usize) -> bool {
        i < self.states
    }
    fn limits(&mut self) -> usize {
        self.arguments(&vec![0.0; self.n]).len()
    }
    fn limit_arguments(
        &mut self,
        _t: f64,
        y: &[f64],
        _yp: &[f64],
        u: &mut [f64],
    ) -> Result<(), EvalError> {
        u.copy_from_slice(&self.arguments(y));
        Ok(())
    }
    fn limit_thresholds(&mut self, thresholds: &mut [f64]) {
        thresholds.fill(self.crit());
    }
    fn limited_residual(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        let u = self.arguments(y);
        for (place, u) in places.iter_mut().zip(&u) {
            *place = self.place(*u, *place);
        }
        let tangents = places.iter().zip(&u);
        let i = self.currents(tangents.map(|(p, u)| p.exp() * (1.0 + u - p)));
        (self.residual)(t, y, yp, &i, r);
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
        let slopes = places.iter().map(|&u| match u < 1e-3f64.ln() {
            true => (1.0 - u.exp()) / -u,
            false => u.exp(),
        });
        self.write_matrix(cj, slopes, values);
        Ok(())
    }
}

mod three_phase {
    use super::*;

    const L: f64 = 1e-3;
    const C: f64 = 1e-3;
    const R: f64 = 20.0;

    fn source(t: f64, k: usize) -> f64 {
        let phase = [0.0, -2.0943951023931953, 2.0943951023931953];
        100.0 * (2.0 * PI * 50.0 * t + phase[k]).sin()
    }

    fn voltages(y: &[f64]) -> Vec<f64> {
        let of = |k: usize| match k {
            0..3 => y[3 + k] - y[6],
            _ => y[7] - y[k],
        };
        (0..6).map(of).collect()
    }

    fn residual(t: f64, y: &[f64], yp: &[f64], diodes: &[f64], r: &mut [f64]) {
        let i = [y[0], y[1], -y[0] - y[1]];
        let di = [yp[0], yp[1], y[14]];
        for k in 0..3 {
            r[k] = L * di[k] - (source(t, k) - y[3 + k]);
            r[5 + k] = i[k] - (y[8 + k] - y[11 + k]);
        }
        r[14] = yp[0] + yp[1] + y[14];
        r[3] = C * yp[2] - (y[8] + y[9] + y[10] - y[2] / R);
        r[4] = y[6] - y[7] - y[2];
        for (k, i) in diodes.iter().enumerate() {
            r[8 + k] = y[8 + k] - i;
        }
    }

    fn matrix(cj: f64, g: &[f64], m: &mut Matrix) {
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
        for (k, g) in g.iter().enumerate() {
            m[8 + k][8 + k] = 1.0;
            let (plus, minus) = if k < 3 { (3 + k, 6) } else { (7, k) };
            m[8 + k][plus] = -g;
            m[8 + k][minus] = *g;
        }
    }

    /// Unknowns: two line currents, the voltage of the capacitor; potentials of the lines and of both sides of the load; currents of the diodes; the
    /// derivative of the third line current, as index reduction leaves it.
    pub const BRIDGE: Circuit = Circuit {
        name: "three-phase bridge",
        n: 15,
        states: 3,
        is: 1e-9,
        vt: 0.04,
        voltages,
        residual,
        matrix,
        compared: 2,
        interval: 5e-3,
        rows: &[
            260.266679553,
            202.695893844,
            158.410454024,
            163.860983682,
            161.073393700,
            159.699740868,
            163.176773398,
            158.464928592,
            163.206136664,
            158.660042047,
        ],
    };

    pub fn start() -> (Vec<f64>, Vec<f64>) {
        let (mut y, mut yp) = (vec![0.0; 15], vec![0.0; 15]);
        (yp[0], yp[1]) = (source(0.0, 0) / L, source(0.0, 1) / L);
        y[14] = source(0.0, 2) / L;
        (y, yp)
    }
}

mod single_phase {
    use super::*;

    const L: f64 = 2e-3;
    const C: f64 = 1e-3;
    const R: f64 = 30.0;

    fn voltages(y: &[f64]) -> Vec<f64> {
        vec![y[2] - y[1], y[3] - y[1], -y[2], -y[3]]
    }

    fn residual(t: f64, y: &[f64], yp: &[f64], diodes: &[f64], r: &mut [f64]) {
        let source = 100.0 * (2.0 * PI * 50.0 * t).sin();
        r[0] = L * yp[0] - (source + y[3] - y[2]);
        r[1] = C * yp[1] - (y[4] + y[5] - y[1] / R);
        r[2] = y[0] + y[6] - y[4];
        r[3] = y[7] - y[0] - y[5];
        for (k, i) in diodes.iter().enumerate() {
            r[4 + k] = y[4 + k] - i;
        }
    }

    fn matrix(cj: f64, g: &[f64], m: &mut Matrix) {
        (m[0][0], m[0][3], m[0][2]) = (L * cj, -1.0, 1.0);
        (m[1][1], m[1][4], m[1][5]) = (C * cj + 1.0 / R, -1.0, -1.0);
        (m[2][0], m[2][6], m[2][4]) = (1.0, 1.0, -1.0);
        (m[3][7], m[3][0], m[3][5]) = (1.0, -1.0, -1.0);
        for (k, &g) in g.iter().enumerate() {
            m[4 + k][4 + k] = 1.0;
            match k {
                0 | 1 => (m[4 + k][2 + k], m[4 + k][1]) = (-g, g),
                _ => m[4 + k][k] = g,
            }
        }
    }

    /// Unknowns: the line current, the voltage of the capacitor; potentials of both sides of the line; currents of the diodes.
    pub const BRIDGE: Circuit = Circuit {
        name: "single-phase bridge",
        n: 8,
        states: 2,
        is: 1e-12,
        vt: 0.026,
        voltages,
        residual,
        matrix,
        compared: 1,
        interval: 1e-2,
        rows: &[
            142.124847565,
            101.836903291,
            87.754700125,
            98.203625673,
            90.304644920,
        ],
    };
}

fn goes_through(
    solver: &str,
    mut circuit: Circuit,
    mut i: Box<dyn Integrator<Circuit>>,
    permitted: f64,
) {
    let (y, yp) = match circuit.n {
        15 => three_phase::start(),
        n => (vec![0.0; n], vec![0.0; n]),
    };
    i.init(&mut circuit, 0.0, &y, &yp).unwrap();
    for (k, expected) in circuit.rows.iter().enumerate() {
        let t = (k + 1) as f64 * circuit.interval;
        while i.step(&mut circuit, t).unwrap() != StepOutcome::ReachedTstop {}
        let found = i.y()[circuit.compared];
        let error = (found / expected - 1.0).abs();
        let what = format!("{solver}, {}, t = {t}", circuit.name);
        assert!(error < permitted, "{what}: {found} for {expected}");
    }
    let steps = i.statistics().steps;
    assert!(steps < 4000, "{solver}, {}: {steps}", circuit.name);
}

/// A sixteenth of a period is the longest step; potentials are no part of the error test, as in the program.
fn options(tolerance: f64) -> Options {
    Options {
        h_max: 1.25e-3,
        exclude_algebraic: true,
        ..Options::new(tolerance, tolerance)
    }
}

/// Ten times the tolerance, and that for a loose one too: Newton's iteration must not take the small corrections far up an exponential for convergence.
#[test]
fn bdf_goes_through_bridges_of_bare_diodes() {
    for tolerance in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        for circuit in [three_phase::BRIDGE, single_phase::BRIDGE] {
            let i = BdfDae::new(options(tolerance));
            let solver = format!("bdf {tolerance}");
            goes_through(&solver, circuit, Box::new(i), 10.0 * tolerance);
        }
    }
}

#[test]
fn radau_goes_through_bridges_of_bare_diodes() {
    for tolerance in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        for circuit in [three_phase::BRIDGE, single_phase::BRIDGE] {
            let i = RadauDae::new(options(tolerance));
            let solver = format!("radau {tolerance}");
            goes_through(&solver, circuit, Box::new(i), 10.0 * tolerance);
        }
    }
}

//! Systems with known answers, for the tests of all methods.
#![allow(dead_code)]

use ferrica_solvers::integrator::{Integrator, StepOutcome};
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, OdeSystem, RootFunctions};

/// Marches to `t_end` through every step; no roots expected.
pub fn run<S: ?Sized, I: Integrator<S> + ?Sized>(i: &mut I, system: &mut S, t_end: f64) {
    loop {
        match i.step(system, t_end) {
            Ok(StepOutcome::ReachedTstop) => return,
            Ok(_) => {}
            Err(e) => panic!("{e}"),
        }
    }
}

/// An ODE given by a closure; Jacobian by differences.
pub struct Ode<F>(pub usize, pub F);

impl<F> RootFunctions for Ode<F> {}

impl<F: FnMut(f64, &[f64], &mut [f64])> OdeSystem for Ode<F> {
    fn n(&self) -> usize {
        self.0
    }
    fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
        (self.1)(t, y, ydot);
        Ok(())
    }
}

/// y1' = y2, y2' = -y1: (cos t, -sin t) from (1, 0).
pub fn oscillator() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode(2, |_, y: &[f64], d: &mut [f64]| {
        d[0] = y[1];
        d[1] = -y[0];
    })
}

/// Robertson's chemical kinetics with analytic Jacobian, as ODE.
pub struct Robertson;

impl RootFunctions for Robertson {}

impl OdeSystem for Robertson {
    fn n(&self) -> usize {
        3
    }
    fn rhs(&mut self, _t: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        d[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        d[2] = 3e7 * y[1] * y[1];
        d[1] = -d[0] - d[2];
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, _t: f64, y: &[f64], v: &mut [f64]) -> Result<(), EvalError> {
        let (a, b, c) = (1e4 * y[2], 1e4 * y[1], 6e7 * y[1]);
        v.copy_from_slice(&[-0.04, 0.04, 0.0, a, -a - c, c, b, -b, 0.0]);
        Ok(())
    }
}

/// The same with the conservation law in place of the third equation.
pub struct RobertsonDae;

impl RootFunctions for RobertsonDae {}

impl DaeSystem for RobertsonDae {
    fn n(&self) -> usize {
        3
    }
    fn residual(&mut self, _t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        let d0 = -0.04 * y[0] + 1e4 * y[1] * y[2];
        r[0] = yp[0] - d0;
        r[1] = yp[1] + d0 + 3e7 * y[1] * y[1];
        r[2] = y[0] + y[1] + y[2] - 1.0;
        Ok(())
    }
    fn differential(&self, i: usize) -> bool {
        i < 2
    }
}

/// (t, y1, y2, y3). From CVODE 6.4.1 at relative tolerances 1e-12 and 1e-13, which agree in all these digits; at t = 1e11
/// the Test Set for IVP Solvers (Mazzia, Magherini).
pub const ROBERTSON: [(f64, f64, f64, f64); 13] = [
    (4e-1, 9.851721139e-1, 3.386395379e-5, 1.479402219e-2),
    (4e0, 9.055186786e-1, 2.240475688e-5, 9.445891666e-2),
    (4e1, 7.158270687e-1, 9.185534765e-6, 2.841637457e-1),
    (4e2, 4.505186685e-1, 3.222901442e-6, 5.494781086e-1),
    (4e3, 1.832022578e-1, 8.942371253e-7, 8.167968480e-1),
    (4e4, 3.898337709e-2, 1.621768316e-7, 9.610164607e-1),
    (4e5, 4.938274521e-3, 1.984994088e-8, 9.950617056e-1),
    (4e6, 5.168096015e-4, 2.068294491e-9, 9.994831883e-1),
    (4e7, 5.203071844e-5, 2.081335732e-10, 9.999479691e-1),
    (4e8, 5.207702104e-6, 2.08309156e-11, 9.999947923e-1),
    (4e9, 5.20827661e-7, 2.083311717e-12, 9.999994792e-1),
    (4e10, 5.20834518e-8, 2.083338178e-13, 9.999999479e-1),
    (
        1e11,
        0.2083340149701255e-7,
        0.8333360770334713e-13,
        0.999999979166505,
    ),
];

/// van der Pol with y1' = y2, y2' = mu (1 - y1²) y2 - y1.
pub fn van_der_pol(mu: f64) -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode(2, move |_, y: &[f64], d: &mut [f64]| {
        d[0] = y[1];
        d[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    })
}

/// At t = 2000 from (2, 0) with mu = 1000; the Test Set for IVP Solvers gives it for the scaled
/// equation (t = 2, second component times 1000).
pub const VAN_DER_POL_SOLUTION: [f64; 2] = [0.1706167732170483e1, -0.8928097010247975e-3];

/// High irradiance responses of photomorphogenesis.
pub fn hires() -> Ode<impl FnMut(f64, &[f64], &mut [f64])> {
    Ode(8, |_, y: &[f64], d: &mut [f64]| {
        d[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        d[1] = 1.71 * y[0] - 8.75 * y[1];
        d[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        d[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        d[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        d[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        d[6] = 280.0 * y[5] * y[7] - 1.81 * y[6];
        d[7] = -d[6];
    })
}

pub const HIRES_START: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
pub const HIRES_END: f64 = 321.8122;
/// Solution at `HIRES_END` from the Test Set for IVP Solvers (Mazzia, Magherini).
pub const HIRES_SOLUTION: [f64; 8] = [
    0.7371312573325668e-3,
    0.1442485726316185e-3,
    0.5888729740967575e-4,
    0.1175651343283149e-2,
    0.2386356198831331e-2,
    0.6238968252742796e-2,
    0.2849998395185769e-2,
    0.2850001604814231e-2,
];

/// A linear DAE of index one:
/// y1' = λ (y1 - sin t) + cos t, 0 = y2 - 2 y1 - t. Solution from y1(0) = 1: y1 = e^(λt) + sin t, y2 = 2 y1 + t.
pub struct LinearDae {
    pub lambda: f64,
}

impl RootFunctions for LinearDae {}

impl DaeSystem for LinearDae {
    fn n(&self) -> usize {
        2
    }
    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        r[0] = yp[0] - self.lambda * (y[0] - t.sin()) - t.cos();
        r[1] = y[1] - 2.0 * y[0] - t;
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<CscPattern> {
        Some(CscPattern::from_entries(2, [(0, 0), (1, 0), (1, 1)]))
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(
        &mut self,
        _t: f64,
        cj: f64,
        _y: &[f64],
        _yp: &[f64],
        v: &mut [f64],
    ) -> Result<(), EvalError> {
        v.copy_from_slice(&[cj - self.lambda, -2.0, 1.0]);
        Ok(())
    }
    fn differential(&self, i: usize) -> bool {
        i == 0
    }
}

//! Stiff problems with published answers, for the implicit methods.

mod problems;

use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::integrator::{Integrator, Options};
use ferrica_solvers::radau::{RadauDae, RadauOde};
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, OdeSystem, RootFunctions};
use problems::*;

fn ode_methods(options: &Options) -> [(&'static str, Box<dyn Integrator<dyn OdeSystem>>); 2] {
    [
        ("bdf", Box::new(BdfOde::new(options.clone()))),
        ("radau", Box::new(RadauOde::new(options.clone()))),
    ]
}

fn dae_methods(options: &Options) -> [(&'static str, Box<dyn Integrator<dyn DaeSystem>>); 2] {
    [
        ("bdf", Box::new(BdfDae::new(options.clone()))),
        ("radau", Box::new(RadauDae::new(options.clone()))),
    ]
}

fn robertson_options() -> Options {
    let mut options = Options::new(1e-7, 1e-12);
    options.atol = vec![1e-14, 1e-18, 1e-12];
    options
}

#[test]
fn robertson_ode() {
    for (name, mut i) in ode_methods(&robertson_options()) {
        let mut system = Robertson;
        i.init(&mut system, 0.0, &[1.0, 0.0, 0.0], &[]).unwrap();
        for (t, a, b, c) in ROBERTSON {
            run(&mut *i, &mut system, t);
            for (y, exact) in i.y().iter().zip([a, b, c]) {
                assert!(
                    (y - exact).abs() < 1e-5 * exact,
                    "{name}, t = {t}: {y} for {exact}"
                );
            }
        }
        // Most of it goes to the first milliseconds and to 13 stops; far more would mean a stall.
        assert!(i.statistics().steps < 3000, "{name}: {:?}", i.statistics());
    }
}

/// The third equation replaced by the conservation law; Jacobian by differences.
#[test]
fn robertson_dae() {
    for (name, mut i) in dae_methods(&robertson_options()) {
        let mut system = RobertsonDae;
        i.init(&mut system, 0.0, &[1.0, 0.0, 0.0], &[-0.04, 0.04, 0.0])
            .unwrap();
        for (t, a, b, c) in ROBERTSON.into_iter().take(9) {
            run(&mut *i, &mut system, t);
            for (y, exact) in i.y().iter().zip([a, b, c]) {
                assert!(
                    (y - exact).abs() < 1e-5 * exact,
                    "{name}, t = {t}: {y} for {exact}"
                );
            }
        }
    }
}

#[test]
fn van_der_pol_1000() {
    for (name, mut i) in ode_methods(&Options::new(1e-7, 1e-9)) {
        let mut system = van_der_pol(1000.0);
        i.init(&mut system, 0.0, &[2.0, 0.0], &[]).unwrap();
        run(&mut *i, &mut system, 2000.0);
        for (y, exact) in i.y().iter().zip(VAN_DER_POL_SOLUTION) {
            assert!(
                ((y - exact) / exact).abs() < 2e-5,
                "{name}: {y} for {exact}"
            );
        }
        assert!(i.statistics().steps < 3000, "{name}: {:?}", i.statistics());
    }
}

#[test]
fn hires_published() {
    for (name, mut i) in ode_methods(&Options::new(1e-7, 1e-10)) {
        let mut system = hires();
        i.init(&mut system, 0.0, &HIRES_START, &[]).unwrap();
        run(&mut *i, &mut system, HIRES_END);
        for (y, exact) in i.y().iter().zip(HIRES_SOLUTION) {
            assert!(
                ((y - exact) / exact).abs() < 5e-5,
                "{name}: {y} for {exact}"
            );
        }
    }
}

/// u_t = u_xx on 1000 inner points of (0, 1), ends at zero. Sines are eigenvectors of the difference operator, with
/// eigenvalues -4 (n+1)² sin²(kπ / 2(n+1)). Only the pattern of the Jacobian is given.
struct HeatRod;

const POINTS: usize = 1000;

impl HeatRod {
    fn exact(t: f64, i: usize) -> f64 {
        let m = POINTS as f64 + 1.0;
        let mode = |k: f64, amplitude: f64| {
            let half = (k * std::f64::consts::PI / (2.0 * m)).sin();
            let x = (i as f64 + 1.0) / m;
            amplitude
                * (k * std::f64::consts::PI * x).sin()
                * (-4.0 * m * m * half * half * t).exp()
        };
        mode(1.0, 1.0) + mode(3.0, 0.5) + mode(10.0, 0.3) + mode(31.0, 0.2)
    }
}

impl RootFunctions for HeatRod {}

impl OdeSystem for HeatRod {
    fn n(&self) -> usize {
        POINTS
    }
    fn rhs(&mut self, _: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        let scale = (POINTS as f64 + 1.0).powi(2);
        for i in 0..POINTS {
            let left = if i > 0 { y[i - 1] } else { 0.0 };
            let right = if i + 1 < POINTS { y[i + 1] } else { 0.0 };
            d[i] = scale * (left - 2.0 * y[i] + right);
        }
        Ok(())
    }
    fn jacobian_pattern(&self) -> Option<CscPattern> {
        let near = (0..POINTS).flat_map(|i| [(i, i), (i + 1, i), (i, i + 1)]);
        Some(CscPattern::from_entries(POINTS, near))
    }
}

#[test]
fn heat_rod_1000() {
    for (name, mut i) in ode_methods(&Options::new(1e-6, 1e-8)) {
        let start: Vec<f64> = (0..POINTS).map(|k| HeatRod::exact(0.0, k)).collect();
        i.init(&mut HeatRod, 0.0, &start, &[]).unwrap();
        let mut y = vec![0.0; POINTS];
        for t in [1e-3, 0.01, 0.05, 0.2] {
            while i.interval().1 < t {
                i.step(&mut HeatRod, 0.2).unwrap();
            }
            i.interpolate(t, &mut y);
            let exact = (0..POINTS).map(|k| HeatRod::exact(t, k));
            let e = y
                .iter()
                .zip(exact)
                .fold(0.0f64, |m, (y, e)| m.max((y - e).abs()));
            assert!(e < 1e-5, "{name}, t = {t}: {e}");
        }
        // Three colours: a Jacobian costs four evaluations, not a thousand and one.
        assert!(
            i.statistics().evaluations < 1500,
            "{name}: {:?}",
            i.statistics()
        );
    }
}

//! Stiff problems with published answers, for the implicit methods.

mod problems;

use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::integrator::{Integrator, Options};
use ferrica_solvers::radau::{RadauDae, RadauOde};
use ferrica_solvers::system::{DaeSystem, OdeSystem};
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

//! BDF against closed forms and published values.

mod problems;

use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::integrator::{Integrator, Options, Solution};
use problems::*;

#[test]
fn robertson_ode() {
    let mut options = Options::new(1e-8, 1e-12);
    options.atol = vec![1e-12, 1e-16, 1e-12];
    let mut bdf = BdfOde::new(options);
    let mut system = Robertson;
    bdf.init(&mut system, 0.0, &[1.0, 0.0, 0.0], &[]).unwrap();
    for (t, a, b, c) in ROBERTSON {
        run(&mut bdf, &mut system, t);
        let y = bdf.y();
        for (y, exact) in y.iter().zip([a, b, c]) {
            assert!((y - exact).abs() < 2e-4 * exact, "t = {t}: {y} for {exact}");
        }
    }
    println!("{:?}", bdf.statistics());
}

#[test]
fn robertson_dae() {
    let mut options = Options::new(1e-8, 1e-12);
    options.atol = vec![1e-12, 1e-16, 1e-12];
    let mut bdf = BdfDae::new(options);
    let mut system = RobertsonDae;
    bdf.init(&mut system, 0.0, &[1.0, 0.0, 0.0], &[-0.04, 0.04, 0.0])
        .unwrap();
    for (t, a, b, c) in ROBERTSON {
        run(&mut bdf, &mut system, t);
        let y = bdf.y();
        for (y, exact) in y.iter().zip([a, b, c]) {
            assert!((y - exact).abs() < 2e-4 * exact, "t = {t}: {y} for {exact}");
        }
    }
    println!("{:?}", bdf.statistics());
}

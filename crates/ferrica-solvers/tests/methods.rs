//! All methods on problems with closed forms: order, dense output, limits of time.

mod problems;

use ferrica_solvers::auto::Auto;
use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::fixed_step::FixedStep;
use ferrica_solvers::integrator::{Integrator, Options, Solution, StepOutcome};
use ferrica_solvers::radau::{RadauDae, RadauOde};
use ferrica_solvers::system::OdeSystem;
use problems::*;

type Boxed = Box<dyn Integrator<dyn OdeSystem>>;

fn variable_step(options: &Options) -> Vec<(&'static str, Boxed)> {
    vec![
        ("bdf", Box::new(BdfOde::new(options.clone()))),
        ("radau", Box::new(RadauOde::new(options.clone()))),
        ("dopri5", Box::new(Dopri5::new(options.clone()))),
        ("auto", Box::new(Auto::new(options.clone()))),
    ]
}

/// (cos t, -sin t) at t = 10, for tolerances from 1e-3 to 1e-9.
#[test]
fn oscillator_error_follows_tolerance() {
    for exponent in 3..=9 {
        let tol = 10f64.powi(-exponent);
        for (name, mut i) in variable_step(&Options::new(tol, tol)) {
            let mut system = oscillator();
            i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
            run(&mut *i, &mut system, 10.0);
            let error = (i.y()[0] - 10f64.cos()).hypot(i.y()[1] + 10f64.sin());
            println!("{name:8} {tol:e} {error:.2e} {:?}", i.statistics());
            // An undamped oscillation keeps every local error: up to one tolerance a step.
            let limit = tol * i.statistics().steps as f64;
            assert!(error < limit, "{name} at {tol}: {error}");
            let slope = (i.yp()[0] + 10f64.sin()).hypot(i.yp()[1] + 10f64.cos());
            assert!(slope < 10.0 * limit, "{name} at {tol}: derivative {slope}");
        }
    }
}

/// Halving the step divides the error by 2^p; forced by a step bound under a tolerance that never binds.
#[test]
fn fixed_step_orders() {
    for (order, make) in [
        (1, FixedStep::euler as fn(Options) -> FixedStep),
        (4, FixedStep::runge_kutta4 as fn(Options) -> FixedStep),
    ] {
        let errors: Vec<f64> = [0.02, 0.01]
            .into_iter()
            .map(|h| {
                let options = Options {
                    h_fixed: h,
                    ..Options::new(1e-6, 1e-6)
                };
                let mut i = make(options);
                let mut system = oscillator();
                i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
                run(&mut i, &mut system, 2.0);
                use ferrica_solvers::integrator::Solution;
                assert_eq!(i.statistics().steps, (2.0 / h).round() as u64);
                (i.y()[0] - 2f64.cos()).hypot(i.y()[1] + 2f64.sin())
            })
            .collect();
        let p = (errors[0] / errors[1]).log2();
        assert!(
            (p - order as f64).abs() < 0.1,
            "order {p} instead of {order}"
        );
    }
}

/// Order of each method from its error at two bounds of the step, the tolerance being out of reach.
#[test]
fn bounded_step_orders() {
    // Radau IIA and Dormand–Prince: 5. BDF limited to order k: k.
    let with = |h: f64, k: usize| {
        let mut o = Options::new(1e-2, 1e2);
        o.h_max = h;
        o.h_init = Some(h);
        o.max_order = k;
        o
    };
    let error = |mut i: Boxed| {
        let mut system = oscillator();
        i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
        run(&mut *i, &mut system, 4.0);
        (i.y()[0] - 4f64.cos()).hypot(i.y()[1] + 4f64.sin())
    };
    let cases: [(&str, f64, f64, fn(Options) -> Boxed); 2] = [
        ("dopri5", 5.0, 0.1, |o| Box::new(Dopri5::new(o))),
        ("radau", 5.0, 0.2, |mut o| {
            // The iteration's tolerance follows rtol, so this one must be tight, and atol loose.
            o.rtol = 1e-13;
            o.atol = vec![1e-3];
            Box::new(RadauOde::new(o))
        }),
    ];
    for (name, order, h, make) in cases {
        let p = (error(make(with(h, 5))) / error(make(with(0.5 * h, 5)))).log2();
        assert!((p - order).abs() < 0.5, "{name}: order {p}");
    }
}

#[test]
fn dense_output_is_as_good_as_the_steps() {
    for (name, mut i) in variable_step(&Options::new(1e-6, 1e-6)) {
        let mut system = oscillator();
        i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
        let (mut y, mut yp) = ([0.0; 2], [0.0; 2]);
        loop {
            let outcome = i.step(&mut system, 7.0).unwrap();
            let (a, b) = i.interval();
            for part in [0.0, 0.1, 0.35, 0.5, 0.8, 1.0] {
                let t = a + part * (b - a);
                i.interpolate(t, &mut y);
                i.interpolate_derivative(t, &mut yp);
                let e = (y[0] - t.cos()).hypot(y[1] + t.sin());
                let ep = (yp[0] + t.sin()).hypot(yp[1] + t.cos());
                assert!(e < 6e-5, "{name} at {t}: {e}");
                assert!(ep < 3e-3, "{name} at {t}: derivative {ep}");
            }
            if outcome == StepOutcome::ReachedTstop {
                break;
            }
        }
    }
}

#[test]
fn limits_are_met_exactly() {
    for (name, mut i) in variable_step(&Options::new(1e-5, 1e-5)) {
        let mut system = oscillator();
        i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
        for k in 1..=40 {
            let limit = k as f64 * 0.1 + 1e-3 / k as f64;
            loop {
                let outcome = i.step(&mut system, limit).unwrap();
                assert!(i.t() <= limit, "{name}");
                if outcome == StepOutcome::ReachedTstop {
                    break;
                }
            }
            assert_eq!(i.t(), limit);
            let e = (i.y()[0] - limit.cos()).abs();
            assert!(e < 1e-3, "{name} at {limit}: {e}");
        }
        assert_eq!(i.step(&mut system, i.t()), Ok(StepOutcome::ReachedTstop));
        assert!(i.step(&mut system, 1.0).is_err());
    }
}

#[test]
fn step_bound_holds() {
    for (name, mut i) in variable_step(&Options::new(1e-3, 1e-3)) {
        let mut system = oscillator();
        i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
        i.set_h_max(0.01);
        while i.step(&mut system, 1.0).unwrap() != StepOutcome::ReachedTstop {
            assert!(i.last_step() <= 0.01 * (1.0 + 1e-9), "{name}");
        }
        assert!(i.statistics().steps >= 100);
    }
}

/// y1 = e^(λt) + sin t, y2 = 2 y1 + t.
#[test]
fn linear_dae() {
    for lambda in [-1.0, -1e4] {
        let exact = |t: f64| {
            [
                (lambda * t).exp() + t.sin(),
                2.0 * ((lambda * t).exp() + t.sin()) + t,
            ]
        };
        let options = Options::new(1e-7, 1e-9);
        let methods: [(&str, Box<dyn Integrator<LinearDae>>); 2] = [
            ("bdf", Box::new(BdfDae::new(options.clone()))),
            ("radau", Box::new(RadauDae::new(options))),
        ];
        for (name, mut i) in methods {
            let mut system = LinearDae { lambda };
            let slope = lambda + 1.0;
            i.init(&mut system, 0.0, &[1.0, 2.0], &[slope, 2.0 * slope + 1.0])
                .unwrap();
            for t in [1e-3, 0.1, 1.0, 5.0] {
                run(&mut *i, &mut system, t);
                for (y, exact) in i.y().iter().zip(exact(t)) {
                    let e = (y - exact).abs() / exact.abs();
                    assert!(e < 2e-5, "{name}, λ = {lambda}, t = {t}: {y} for {exact}");
                }
            }
            println!("{name} {lambda} {:?}", i.statistics());
        }
    }
}

/// A stiff start makes `auto` change over, a non-stiff one does not.
#[test]
fn auto_switches_on_stiffness() {
    let mut i = Auto::new(Options::new(1e-5, 1e-7));
    let mut stiff = Ode(1, |t: f64, y: &[f64], d: &mut [f64]| {
        d[0] = -1e4 * (y[0] - t.cos()) - t.sin();
    });
    i.init(&mut stiff, 0.0, &[1.0], &[]).unwrap();
    run(&mut i, &mut stiff, 5.0);
    assert!(i.is_implicit());
    assert!((i.y()[0] - 5f64.cos()).abs() < 1e-4);
    assert!(i.statistics().evaluations < 3000, "{:?}", i.statistics());
    let mut i = Auto::new(Options::new(1e-5, 1e-7));
    let mut soft = oscillator();
    i.init(&mut soft, 0.0, &[1.0, 0.0], &[]).unwrap();
    run(&mut i, &mut soft, 50.0);
    assert!(!i.is_implicit());
}

/// A fast state of small numbers beside a slow one of large ones, as a trace of a gas beside its enthalpy.
#[test]
fn auto_sees_stiffness_in_small_numbers() {
    let mut options = Options::new(1e-6, 1.0);
    options.atol = vec![1e-12, 1e2];
    let mut i = Auto::new(options);
    let mut system = Ode(2, |t: f64, y: &[f64], d: &mut [f64]| {
        d[0] = -1e4 * (y[0] - 1e-6 * t.cos()) - 1e-6 * t.sin();
        d[1] = -1e8 * (y[1] * 1e-8 - 1.0 + t).sin();
    });
    i.init(&mut system, 0.0, &[1e-6, 1e8], &[]).unwrap();
    run(&mut i, &mut system, 5.0);
    assert!(i.is_implicit(), "{:?}", i.statistics());
    assert!((i.y()[0] - 1e-6 * 5f64.cos()).abs() < 1e-10);
    assert!(i.statistics().evaluations < 3000, "{:?}", i.statistics());
}

/// A drum under a brake tanh(w/1e-3): its mode of −1e5/s is stiff, but steps at the boundary of stability swing through the bend, where chords are flatter.
fn brake(t: f64, y: &[f64], d: &mut [f64]) {
    d[0] = 50.0 * (2.0 * t).sin() - 100.0 * (y[0] / 1e-3).tanh();
    d[1] = y[0];
}

#[test]
fn auto_sees_stiffness_through_a_saturation() {
    for tol in [1e-3, 1e-4, 1e-5, 1e-6] {
        let mut i = Auto::new(Options::new(tol, tol));
        let mut system = Ode(2, brake);
        i.init(&mut system, 0.0, &[5.0, 0.0], &[]).unwrap();
        run(&mut i, &mut system, 3.0);
        // At rest tanh(w/1e-3) = sin(2t)/2.
        let rest = 1e-3 * (0.5 * 6f64.sin()).atanh();
        assert!(i.is_implicit(), "{tol}");
        assert!(i.statistics().steps < 5000, "{tol}: {:?}", i.statistics());
        assert!((i.y()[0] - rest).abs() < tol, "{tol}: {}", i.y()[0]);
    }
}

/// Steps beyond the boundary of stability that something bounds are noise, and noticed; coarse steps that follow the solution are not.
#[test]
fn fixed_steps_that_mean_nothing_are_noticed() {
    for make in [FixedStep::euler, FixedStep::runge_kutta4] {
        let noticed = |h: f64, stop: f64, y: &[f64], f: fn(f64, &[f64], &mut [f64])| {
            let mut options = Options::new(1e-6, 1e-6);
            options.h_fixed = h;
            let mut i = make(options);
            let mut system = Ode(y.len(), f);
            i.init(&mut system, 0.0, y, &[]).unwrap();
            run(&mut i, &mut system, stop);
            i.statistics().meaningless.map(|m| m.variable)
        };
        assert_eq!(noticed(1e-4, 3.0, &[5.0, 0.0], brake), Some(0));
        assert_eq!(noticed(1e-5, 3.0, &[5.0, 0.0], brake), None);
        let decay = |_: f64, y: &[f64], d: &mut [f64]| d[0] = 1.0 - y[0];
        assert_eq!(noticed(0.5, 500.0, &[0.0], decay), None);
        let swing = |_: f64, y: &[f64], d: &mut [f64]| (d[0], d[1]) = (y[1], -y[0] - 0.1 * y[1]);
        assert_eq!(noticed(0.05, 100.0, &[1.0, 0.0], swing), None);
    }
}

/// x'' = −ω²x − 2dx' from (1, 0), whose solution is known: what is told of an error in parts of the range is there, within a factor of three, and
/// nothing is told where it is not.
#[test]
fn fixed_steps_tell_how_far_they_lead_away() {
    // Steps a period, damping, periods; the errors are those of the closed form below.
    for (euler, steps, d, periods) in [
        (false, 6.0, 0.0, 10.0),
        (false, 6.0, 0.0, 2.0),
        (false, 8.0, 0.0, 20.0),
        (false, 40.0, 0.0, 50.0),
        (false, 6.0, 2.0, 20.0),
        (true, 100.0, 0.0, 3.0),
        (true, 2000.0, 0.0, 5.0),
        (true, 200.0, 2.0, 20.0),
    ] {
        let w = std::f64::consts::TAU;
        let mut system = Ode(2, |_: f64, y: &[f64], f: &mut [f64]| {
            (f[0], f[1]) = (y[1], -w * w * y[0] - 2.0 * d * y[1])
        });
        let options = Options {
            h_fixed: 1.0 / steps,
            ..Options::new(1e-6, 1e-6)
        };
        let mut i = match euler {
            true => FixedStep::euler(options),
            false => FixedStep::runge_kutta4(options),
        };
        i.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
        let v = (w * w - d * d).sqrt();
        let exact = |t: f64| (-d * t).exp() * ((v * t).cos() + d / v * (v * t).sin());
        let (mut worst, mut range) = (0.0f64, (1.0f64, 1.0f64));
        while i.t() < periods - 1e-9 {
            i.step(&mut system, periods).unwrap();
            worst = worst.max((i.y()[0] - exact(i.t())).abs());
            range = (range.0.min(i.y()[0]), range.1.max(i.y()[0]));
        }
        let part = worst / (range.1 - range.0);
        let told = i.statistics().drift.map(|d| d.part);
        let case = format!("euler {euler}, {steps} steps a period: error {part}, told {told:?}");
        match told {
            Some(told) => assert!(part > 0.03 && told < 3.0 * part + 0.1, "{case}"),
            None => assert!(part < 0.2, "{case}"),
        }
    }
}

/// Random linear systems with rates from 1e-2 to 1e4, stopped and restarted at random times: all methods must agree with the
/// closed form y = V exp(Λt) V⁻¹ y0, with V orthogonal (a product of rotations).
#[test]
fn random_linear_systems_agree_with_closed_form() {
    let mut state = 12345u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for round in 0..12 {
        let n = 2 + round % 5;
        let rates: Vec<f64> = (0..n).map(|_| -10f64.powf(6.0 * random() - 2.0)).collect();
        let mut v = vec![vec![0.0; n]; n];
        (0..n).for_each(|i| v[i][i] = 1.0);
        for i in 0..n {
            for j in 0..i {
                let (s, c) = (6.0 * random()).sin_cos();
                for row in &mut v {
                    (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
                }
            }
        }
        let start: Vec<f64> = (0..n).map(|_| random() - 0.5).collect();
        let exact = |t: f64| -> Vec<f64> {
            let modal =
                |k: usize| (0..n).map(|i| v[i][k] * start[i]).sum::<f64>() * (rates[k] * t).exp();
            let m: Vec<f64> = (0..n).map(modal).collect();
            (0..n)
                .map(|i| (0..n).map(|k| v[i][k] * m[k]).sum())
                .collect()
        };
        let a: Vec<f64> = (0..n * n)
            .map(|q| (0..n).map(|k| v[q / n][k] * rates[k] * v[q % n][k]).sum())
            .collect();
        for (name, mut i) in variable_step(&Options::new(1e-6, 1e-8)) {
            if name == "dopri5" {
                continue;
            }
            let a = a.clone();
            let mut system = Ode(n, move |_: f64, y: &[f64], d: &mut [f64]| {
                for (r, d) in d.iter_mut().enumerate() {
                    *d = (0..y.len()).map(|c| a[r * y.len() + c] * y[c]).sum();
                }
            });
            i.init(&mut system, 0.0, &start, &[]).unwrap();
            let mut t = 0.0;
            for _ in 0..12 {
                t += 10f64.powf(4.0 * random() - 3.0);
                run(&mut *i, &mut system, t);
                // A second limit a rounding later is the same time.
                let next = t * (1.0 + f64::EPSILON);
                assert_eq!(i.step(&mut system, next), Ok(StepOutcome::ReachedTstop));
                for (y, exact) in i.y().iter().zip(exact(t)) {
                    assert!(
                        (y - exact).abs() < 1e-4,
                        "{name}, {rates:?}, t = {t}: {y} for {exact}"
                    );
                }
                t = next;
                if random() < 0.3 {
                    let y = i.y().to_vec();
                    i.reinit(&mut system, t, &y, &[]).unwrap();
                }
            }
            assert!(i.statistics().steps < 3000, "{name}: {:?}", i.statistics());
        }
    }
}

/// A system without unknowns is legal: it only carries time.
#[test]
fn no_unknowns() {
    for (name, mut i) in variable_step(&Options::new(1e-6, 1e-6)) {
        let mut system = Ode(0, |_: f64, _: &[f64], _: &mut [f64]| {});
        i.init(&mut system, 0.0, &[], &[]).unwrap();
        run(&mut *i, &mut system, 10.0);
        assert!(i.statistics().steps < 1000, "{name}: {:?}", i.statistics());
    }
}

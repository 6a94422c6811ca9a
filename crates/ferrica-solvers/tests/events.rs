//! Roots, restarts and failures.

mod problems;

use ferrica_solvers::bdf::{BdfDae, BdfOde};
use ferrica_solvers::dopri5::Dopri5;
use ferrica_solvers::fixed_step::FixedStep;
use ferrica_solvers::integrator::{
    Integrator, Options, RootHit, Solution, SolverError, StepOutcome,
};
use ferrica_solvers::radau::RadauOde;
use ferrica_solvers::system::{DaeSystem, EvalError, OdeSystem, RootFunctions};
use problems::*;

/// An ODE with root functions, both closures of (t, y, out).
struct Hybrid<F, G> {
    n: usize,
    n_roots: usize,
    f: F,
    g: G,
}

impl<F, G: FnMut(f64, &[f64], &mut [f64])> RootFunctions for Hybrid<F, G> {
    fn n_roots(&self) -> usize {
        self.n_roots
    }
    fn roots(&mut self, t: f64, y: &[f64], _: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
        (self.g)(t, y, g);
        Ok(())
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64]), G: FnMut(f64, &[f64], &mut [f64])> OdeSystem
    for Hybrid<F, G>
{
    fn n(&self) -> usize {
        self.n
    }
    fn rhs(&mut self, t: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        (self.f)(t, y, d);
        Ok(())
    }
}

fn methods(options: Options) -> Vec<(&'static str, Box<dyn Integrator<dyn OdeSystem>>)> {
    vec![
        ("bdf", Box::new(BdfOde::new(options.clone()))),
        ("radau", Box::new(RadauOde::new(options.clone()))),
        ("dopri5", Box::new(Dopri5::new(options.clone()))),
        ("rk4", Box::new(FixedStep::runge_kutta4(options.clone()))),
    ]
}

/// Steps until something other than an ordinary step happens.
fn until(
    i: &mut dyn Integrator<dyn OdeSystem>,
    s: &mut (dyn OdeSystem + 'static),
    t: f64,
) -> StepOutcome {
    loop {
        match i.step(s, t).unwrap() {
            StepOutcome::Stepped => {}
            outcome => return outcome,
        }
    }
}

/// h' = v, v' = -g from height 1, restitution 0.8. Impact k is at t_k = √(2/g) (1 + 2 Σ_{j<k} 0.8^j).
#[test]
fn bouncing_ball() {
    let gravity = 9.81;
    for (name, mut i) in methods(Options::new(1e-8, 1e-10)) {
        let mut ball = Hybrid {
            n: 2,
            n_roots: 1,
            f: move |_: f64, y: &[f64], d: &mut [f64]| {
                d[0] = y[1];
                d[1] = -gravity;
            },
            g: |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[0],
        };
        i.init(&mut ball, 0.0, &[1.0, 0.0], &[]).unwrap();
        let fall = (2.0 / gravity).sqrt();
        let mut exact = fall;
        for bounce in 0..20 {
            // A root that rises out of the floor right after the impact is not an impact.
            let t = loop {
                match until(&mut *i, &mut ball, 100.0) {
                    StepOutcome::RootFound { t } if !i.roots_found()[0].rising => break t,
                    StepOutcome::RootFound { .. } => {}
                    other => panic!("{name}: {other:?}"),
                }
            };
            assert!(
                (t - exact).abs() < 1e-6,
                "{name}: bounce {bounce} at {t}, not {exact}"
            );
            assert_eq!(i.t(), t);
            assert!(i.y()[0].abs() < 1e-12, "{name}: height {}", i.y()[0]);
            let v = -0.8 * i.y()[1];
            exact += 2.0 * fall * 0.8f64.powi(bounce + 1);
            i.reinit(&mut ball, t, &[0.0, v], &[]).unwrap();
        }
        assert_eq!(i.statistics().restarts, 20);
    }
}

/// Roots of cos t - c at the same time for two functions, and one a little later: in order, the first two together.
#[test]
fn simultaneous_roots() {
    for (name, mut i) in methods(Options::new(1e-9, 1e-11)) {
        let mut system = Hybrid {
            n: 1,
            n_roots: 4,
            f: |_: f64, _: &[f64], d: &mut [f64]| d[0] = 1.0,
            g: |t: f64, y: &[f64], g: &mut [f64]| {
                g[0] = y[0] - 0.5;
                g[1] = 3.0 * (0.5 - y[0]);
                g[2] = y[0] - 0.5 - 1e-6;
                g[3] = t - 2.0;
            },
        };
        i.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 1.0) else {
            panic!("{name}")
        };
        assert!((t - 0.5).abs() < 1e-9, "{name}: {t}");
        let both = [
            RootHit {
                index: 0,
                rising: true,
            },
            RootHit {
                index: 1,
                rising: false,
            },
        ];
        assert_eq!(i.roots_found(), both, "{name}");
        // Going on without reinit finds the next one in what is left of the step.
        let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 1.0) else {
            panic!("{name}")
        };
        assert!((t - 0.5 - 1e-6).abs() < 1e-9, "{name}: {t}");
        assert_eq!(
            i.roots_found(),
            [RootHit {
                index: 2,
                rising: true
            }]
        );
        assert_eq!(until(&mut *i, &mut system, 1.0), StepOutcome::ReachedTstop);
        assert_eq!(i.t(), 1.0);
    }
}

/// Location down to rounding: the root of y² - 2 for y = t.
#[test]
fn location_is_accurate_to_rounding() {
    for (name, mut i) in methods(Options::new(1e-6, 1e-6)) {
        let mut system = Hybrid {
            n: 1,
            n_roots: 1,
            f: |_: f64, _: &[f64], d: &mut [f64]| d[0] = 1.0,
            g: |t: f64, _: &[f64], g: &mut [f64]| g[0] = t * t - 2.0,
        };
        i.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 10.0) else {
            panic!("{name}")
        };
        assert!(t * t >= 2.0 && t - 2f64.sqrt() < 4e-15, "{name}: {t:e}");
        // At most a handful of evaluations beyond those of the steps.
        assert!(i.statistics().root_evaluations < 40 + 3 * i.statistics().steps);
    }
}

/// g = (t - 0.5)² - 1e-4 has both signs the same at the ends of any long step; the pair at 0.49 and 0.51 must be found.
#[test]
fn pair_of_crossings_inside_a_step() {
    let mut options = Options::new(1e-3, 1e-3);
    options.h_init = Some(0.1);
    for (name, mut i) in methods(options) {
        let mut system = Hybrid {
            n: 1,
            n_roots: 1,
            f: |_: f64, _: &[f64], d: &mut [f64]| d[0] = 1.0,
            g: |_: f64, y: &[f64], g: &mut [f64]| g[0] = (y[0] - 0.5) * (y[0] - 0.5) - 1e-4,
        };
        i.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        for (t_exact, rising) in [(0.49, false), (0.51, true)] {
            let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 1.0) else {
                panic!("{name}: crossing lost")
            };
            assert!((t - t_exact).abs() < 1e-6, "{name}: {t}");
            assert_eq!(i.roots_found(), [RootHit { index: 0, rising }]);
        }
        assert_eq!(until(&mut *i, &mut system, 1.0), StepOutcome::ReachedTstop);
    }
}

/// sqrt(0.5 - y) - 0.3 with y = t is zero at 0.41 and has no value from 0.5 on; sqrt(y - 0.6) - 0.9, of which the finder knows that it was
/// positive, has none before 0.6 and is negative there. Both lie in one step, and so does the end of a third one that never changes.
#[test]
fn changes_beside_places_without_a_value() {
    for (name, mut i) in methods(Options::new(1e-6, 1e-8)) {
        let mut system = Hybrid {
            n: 1,
            n_roots: 3,
            f: |_: f64, _: &[f64], d: &mut [f64]| d[0] = 1.0,
            g: |_: f64, y: &[f64], g: &mut [f64]| {
                g[0] = (0.5 - y[0]).sqrt() - 0.3;
                g[1] = (y[0] - 0.6).sqrt() - 0.9;
                g[2] = (0.55 - y[0]).sqrt() + 0.1;
            },
        };
        i.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        for (index, expected) in [(0, 0.41), (1, 0.6)] {
            let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 1.0) else {
                panic!("{name}")
            };
            assert!((t - expected).abs() < 1e-6, "{name}: {t}");
            let found: Vec<usize> = i.roots_found().iter().map(|h| h.index).collect();
            assert_eq!(found, [index], "{name}");
        }
    }
}

/// A function that is zero at the start is no event there; one that stays zero for a while is one when it leaves.
#[test]
fn zero_at_the_start() {
    for (name, mut i) in methods(Options::new(1e-7, 1e-9)) {
        let mut system = Hybrid {
            n: 1,
            n_roots: 2,
            f: |_: f64, y: &[f64], d: &mut [f64]| d[0] = 1.0 - y[0],
            g: |t: f64, y: &[f64], g: &mut [f64]| {
                g[0] = y[0] * (0.5 - y[0]);
                g[1] = (t - 0.25).max(0.0);
            },
        };
        i.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 2.0) else {
            panic!("{name}")
        };
        assert!((t - 0.25).abs() < 1e-9, "{name}: {t}");
        assert_eq!(
            i.roots_found(),
            [RootHit {
                index: 1,
                rising: true
            }]
        );
        // y = 1 - e^-t reaches one half at ln 2.
        let StepOutcome::RootFound { t } = until(&mut *i, &mut system, 2.0) else {
            panic!("{name}")
        };
        assert!((t - 2f64.ln()).abs() < 1e-6, "{name}: {t}");
        assert_eq!(
            i.roots_found(),
            [RootHit {
                index: 0,
                rising: false
            }]
        );
        assert_eq!(until(&mut *i, &mut system, 2.0), StepOutcome::ReachedTstop);
    }
}

/// Restarting many times must not cost a crawl from tiny steps each time: 50 restarts of a smooth solution.
#[test]
fn restarts_do_not_crawl() {
    let mut plain = BdfOde::new(Options::new(1e-6, 1e-6));
    let mut system = oscillator();
    plain.init(&mut system, 0.0, &[1.0, 0.0], &[]).unwrap();
    for k in 1..=50 {
        run(&mut plain, &mut system, k as f64);
        let y = plain.y().to_vec();
        plain.reinit(&mut system, k as f64, &y, &[]).unwrap();
    }
    let error = (plain.y()[0] - 50f64.cos()).hypot(plain.y()[1] + 50f64.sin());
    assert!(error < 1e-3, "{error}");
    let per_restart = plain.statistics().steps as f64 / 50.0;
    assert!(per_restart < 45.0, "{per_restart} steps a restart");
}

/// y' = -√y reaches zero at t = 2 √y0 and cannot go on: the error names the evaluation.
struct Domain(u32);

impl RootFunctions for Domain {}

impl OdeSystem for Domain {
    fn n(&self) -> usize {
        1
    }
    fn rhs(&mut self, t: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        if t > 0.5 && self.0 == 99 {
            return Err(EvalError::Fatal(99));
        }
        if y[0] < 0.0 {
            return Err(EvalError::Recoverable(7));
        }
        d[0] = -y[0].sqrt() - 0.1;
        Ok(())
    }
}

#[test]
fn failures_keep_the_last_good_point() {
    let all: Vec<(&str, Box<dyn Integrator<Domain>>)> = vec![
        ("bdf", Box::new(BdfOde::new(Options::new(1e-6, 1e-8)))),
        ("radau", Box::new(RadauOde::new(Options::new(1e-6, 1e-8)))),
        ("dopri5", Box::new(Dopri5::new(Options::new(1e-6, 1e-8)))),
    ];
    for (name, mut i) in all {
        let mut system = Domain(7);
        i.init(&mut system, 0.0, &[1.0], &[]).unwrap();
        let error = loop {
            match i.step(&mut system, 10.0) {
                Ok(StepOutcome::Stepped) => {}
                Ok(other) => panic!("{name}: {other:?}"),
                Err(e) => break e,
            }
        };
        // Zero is reached where ∫ dy / (√y + 0.1) = 2 - 0.2 ln 11.
        let end = 2.0 - 0.2 * 11f64.ln();
        assert!(
            matches!(error, SolverError::RepeatedEvaluation { code: 7, .. }),
            "{name}: {error}"
        );
        assert!((i.t() - end).abs() < 1e-3, "{name}: {}", i.t());
        assert!(i.y()[0] > -1e-9 && i.y()[0] < 1e-3, "{name}: {}", i.y()[0]);
        let mut system = Domain(99);
        i.init(&mut system, 0.0, &[1.0], &[]).unwrap();
        let error = loop {
            if let Err(e) = i.step(&mut system, 10.0) {
                break e;
            }
        };
        assert!(
            matches!(error, SolverError::Evaluation { code: 99, .. }),
            "{name}: {error}"
        );
        assert!(i.t() <= 0.5);
    }
}

/// 0 = 0 · y2: no matrix of this system is regular, whatever the step.
struct SingularDae;

impl RootFunctions for SingularDae {}

impl DaeSystem for SingularDae {
    fn n(&self) -> usize {
        2
    }
    fn residual(&mut self, _: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        r[0] = yp[0] + y[0];
        r[1] = 0.0 * y[1];
        Ok(())
    }
}

#[test]
fn singular_dae_is_reported() {
    let mut i = BdfDae::new(Options::new(1e-6, 1e-6));
    i.init(&mut SingularDae, 0.0, &[1.0, 0.0], &[-1.0, 0.0])
        .unwrap();
    let error = i.step(&mut SingularDae, 1.0).unwrap_err();
    let SolverError::Singular { cause, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((cause.row, cause.col), (1, 1));
}

/// The blow-up of y' = y² at t = 1 stops with the variable that caused it.
#[test]
fn blow_up_names_the_variable() {
    for (name, mut i) in methods(Options::new(1e-6, 1e-6)).into_iter().take(3) {
        let mut system = Hybrid {
            n: 2,
            n_roots: 0,
            f: move |_: f64, y: &[f64], d: &mut [f64]| {
                d[0] = 1.0;
                d[1] = y[1] * y[1];
            },
            g: |_: f64, _: &[f64], _: &mut [f64]| {},
        };
        i.init(&mut system, 0.0, &[0.0, 1.0], &[]).unwrap();
        let error = loop {
            match i.step(&mut system, 2.0) {
                Ok(StepOutcome::Stepped) => {}
                Ok(other) => panic!("{name}: {other:?} at {}", i.t()),
                Err(e) => break e,
            }
        };
        assert!((i.t() - 1.0).abs() < 1e-2, "{name}: {} {error}", i.t());
        match error {
            SolverError::ErrorTest { variable, .. } | SolverError::Convergence { variable, .. } => {
                assert_eq!(variable, 1, "{name}")
            }
            other => panic!("{name}: {other}"),
        }
    }
}

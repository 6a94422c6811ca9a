//! Models with constant coefficients on tables, and what keeps a model from being one. The full formulation, which evaluates all residuals,
//! is what they are held against.

mod pipeline;

use std::sync::Arc;

use ferrica_codegen::CompiledModel;
use ferrica_rt::{BdfStart, Formulation, Method, RtOptions, simulate};
use ferrica_sim::Experiment;
use pipeline::{Table, compile, run};

fn tables(method: Method) -> RtOptions {
    let mut options = RtOptions::new(method);
    options.fuse_limit = 0;
    options
}

/// A chain with a source, a constant in an equation, a sampled and a switched input, a reset and unknowns that nobody needs.
fn chain() -> Arc<CompiledModel> {
    compile(
        "model M
           constant Integer n = 6;
           Real x[n](each start = 0.5, each fixed = true);
           Real q[n + 1], doubled[n], power;
           parameter Real leak = 0.3;
           discrete Real held(start = 0, fixed = true);
           Boolean high(start = false, fixed = true);
         equation
           q[1] = sin(3*time) - x[1] + 0.25;
           for k in 2:n loop q[k] = x[k - 1] - x[k]; end for;
           q[n + 1] = leak*x[n] + held;
           for k in 1:n loop
             der(x[k]) = q[k] - q[k + 1] + (if high then -0.2 else 0.1);
             doubled[k] = 2*q[k];
           end for;
           power = x[1]*q[1];
           high = x[2] > 0.6;
           when sample(0.25, 0.25) then held = 0.5*pre(held) + 0.1*time; end when;
           when x[3] < 0.45 then reinit(x[3], 0.7); end when;
         end M;",
    )
}

const MONITORED: [&str; 6] = ["x[1]", "x[3]", "x[6]", "q[4]", "doubled[2]", "power"];

fn same(a: &Table, b: &Table, what: &str) {
    a.run();
    b.run();
    assert_eq!(a.rows.len(), b.rows.len(), "{what}");
    for ((t, x), (u, y)) in a.rows.iter().zip(&b.rows) {
        assert!((t - u).abs() < 1e-12, "{what}: {t} {u}");
        for (k, (x, y)) in x.iter().zip(y).enumerate() {
            let apart = (x - y).abs();
            assert!(apart < 1e-11, "{what}: {} at {t}: {x} {y}", MONITORED[k]);
        }
    }
}

#[test]
fn tables_agree_with_residuals() {
    let m = chain();
    for method in [
        Method::Bdf1,
        Method::Bdf2,
        Method::Bdf3,
        Method::TrapezoidUnprojected,
    ] {
        for start in [BdfStart::Trapezoid, BdfStart::Constant] {
            // Output points on the grid and between its points.
            for interval in [0.05, 0.013] {
                let mut full = RtOptions::new(method);
                full.formulation = Formulation::Full;
                full.start = start;
                let mut own = tables(method);
                own.start = start;
                let a = run(&m, &full, 2.0, 0.01, interval, &MONITORED);
                let b = run(&m, &own, 2.0, 0.01, interval, &MONITORED);
                let what = format!("{method:?} {start:?} {interval}");
                same(&a, &b, &what);
                assert!(a.run().stats.state_events > 0, "{what}");
                assert_eq!(b.run().tangent, "constant", "{what}");
            }
        }
    }
}

/// Only the wanted variables are computed for the rows, with the same values.
#[test]
fn wanted_variables_alone() {
    let m = chain();
    let options = tables(Method::Bdf2);
    let all = run(&m, &options, 2.0, 0.01, 0.05, &MONITORED);
    for (k, name) in MONITORED.iter().enumerate() {
        let (slot, negated) = m.find(name).expect("a variable");
        assert!(!negated);
        let mut experiment = Experiment::of(&m);
        experiment.stop = 2.0;
        experiment.step = Some(0.01);
        experiment.interval = 0.05;
        experiment.wanted = Some(vec![slot]);
        let mut values = Vec::new();
        let mut sink = |_: f64, slots: &[f64]| values.push(slots[slot as usize]);
        simulate(&m, &experiment, &options, &mut sink).expect("a run");
        let expected: Vec<f64> = all.rows.iter().map(|r| r.1[k]).collect();
        assert_eq!(values, expected, "{name}");
    }
}

/// The derivative of `z` with respect to `x` is zero everywhere it exists, and yet z depends on x: y' = z, so that y is t
/// until x = t passes 1, and 1 + 3 (t − 1) thereafter.
#[test]
fn steps_in_an_equation_are_no_constants() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true), z, w;
         equation der(x) = 1; z = noEvent(if x > 1.0001 then 3 else 1) + w; w = 0*z; der(y) = z; end M;",
    );
    for fuse_limit in [0, 4000] {
        let mut options = RtOptions::new(Method::Bdf1);
        options.fuse_limit = fuse_limit;
        options.iterations = 3;
        let t = run(&m, &options, 2.0, 0.01, 0.5, &["y"]);
        assert!((t.last()[0] - 4.0).abs() < 0.05, "{}", t.last()[0]);
    }
}

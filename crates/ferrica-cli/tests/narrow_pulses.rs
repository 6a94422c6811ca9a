//! Functions of time that come and go between two steps are seen by every solver that chooses its steps, and a fixed step that goes over one is
//! told. Against integrals that have closed forms, and numbers of pulses that can be counted.

mod common;

use std::process::Command;

use common::{folder, run};

const VARIABLE: [&str; 4] = ["auto", "bdf", "radau", "dopri5"];

/// ∫ exp(−((t − c)/w)²) dt = w √π, beside a state that allows long steps and one that is stiff.
#[test]
fn a_pulse_in_a_long_pause() {
    for width in [0.1f64, 1e-2, 1e-3, 1e-4] {
        let text = format!(
            "model M parameter Real w = {width}; Real x(start=0, fixed=true), y(start=1, fixed=true), z(start=1, fixed=true);
             equation der(x) = exp(-((time - 53.7)/w)^2)/w; der(y) = -y; der(z) = -500*(z - cos(0.1*time));
             annotation(experiment(StopTime=100)); end M;"
        );
        for solver in VARIABLE {
            let r = run("pulse", &text, &["--solver", solver, "--tol", "1e-6"]);
            let right = std::f64::consts::PI.sqrt();
            let error = (r.last("x") - right).abs();
            assert!(error < 1e-4, "{solver} {width}: {}", r.last("x"));
        }
    }
}

/// A function of another variable's name, a condition that makes no events, a call of a function and a product with a state.
#[test]
fn pulses_however_they_are_written() {
    let text = "model M
          function f input Real u; output Real y; protected Integer k = 0;
            algorithm y := u; while k < 3 loop y := y*y; k := k + 1; end while; end f;
          Real named = exp(-((time - 60)/0.01)^2), x(start=0, fixed=true), s(start=0, fixed=true), c(start=0, fixed=true), q(start=1, fixed=true);
        equation
          der(x) = 100*named;
          der(s) = noEvent(if time > 40 and time < 40.01 then 100 else 0);
          der(c) = f(sin(0.05*time));
          der(q) = q*100*exp(-((time - 70)/0.01)^2);
          annotation(experiment(StopTime=100)); end M;";
    let root = std::f64::consts::PI.sqrt();
    // ∫ sin⁸(t/20) dt to 100.
    let sine = 30.942_769;
    for solver in VARIABLE {
        let r = run("pulses", text, &["--solver", solver, "--tol", "1e-6"]);
        for (name, right, least) in [
            ("x", root, 1e-3),
            ("s", 1.0, 1e-3),
            ("c", sine, 1e-2),
            ("q", root.exp(), 1e-2),
        ] {
            let x = r.last(name);
            assert!((x - right).abs() < least, "{solver} {name}: {x} {right}");
        }
    }
}

/// sin(2 t) is 1 seven times up to t = 20; the condition holds for 0.02 s each time.
#[test]
fn conditions_that_hold_for_a_moment() {
    let text = "model M Integer n(start=0, fixed=true); Real u = exp(5000*(sin(2*time) - 1)), x(start=1, fixed=true);
        equation der(x) = -x; when u > 0.5 then n = pre(n) + 1; end when;
        annotation(experiment(StopTime=20, Interval=1)); end M;";
    let stateless = text
        .replace("x(start=1, fixed=true)", "x")
        .replace("der(x) = -x", "x = time");
    for solver in ["auto", "bdf", "radau", "dopri5", "rk4", "euler"] {
        for (name, text) in [("with", text), ("without", &stateless)] {
            let r = run("moment", text, &["--solver", solver]);
            assert_eq!(r.last("n"), 7.0, "{solver} {name} states");
        }
    }
}

/// Noise that no state notices does not shorten steps: 1e-12·sin(1e9 t) beside a decay would need 1e10 of them.
#[test]
fn what_does_not_matter_costs_nothing() {
    let text = "model M Real x(start=1, fixed=true); equation der(x) = -x + 1e-12*sin(1e9*time);
        annotation(experiment(StopTime=10)); end M;";
    for solver in VARIABLE {
        let r = run("noise", text, &["--solver", solver]);
        assert!((r.last("x") - (-10f64).exp()).abs() < 1e-5, "{solver}");
    }
}

#[test]
fn a_fixed_step_over_a_pulse_is_told() {
    let text = "model M Real x(start=0, fixed=true); equation der(x) = exp(-((time - 0.53)/1e-3)^2); end M;";
    for solver in ["rk4", "euler"] {
        let told = |step: &str| {
            let folder = folder("fixed");
            std::fs::write(folder.join("M.mo"), text).unwrap();
            let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
                .args(["run", "M.mo", "-o", "-", "--solver", solver, "--step", step])
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(done.status.success());
            String::from_utf8(done.stderr).unwrap()
        };
        assert!(told("0.1").contains("goes over"), "{solver}");
        assert!(!told("1e-4").contains("goes over"), "{solver}");
    }
}

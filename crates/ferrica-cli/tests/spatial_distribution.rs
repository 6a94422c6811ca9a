//! `spatialDistribution` against closed forms, with every solver that marches through time by steps.

mod common;

use common::{launch, run};

fn failure(name: &str, text: &str) -> String {
    let output = launch(name, text, &[]);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SOLVERS: [&str; 7] = ["auto", "bdf", "radau", "dopri5", "rk4", "euler", "rt-bdf2"];

/// At a steady speed v the outlet is the inlet 1/v ago; before that the contents at the start come out.
#[test]
fn plug_flow_is_a_delay() {
    let model = "model PlugFlow
        Real x(start=0, fixed=true), a, b;
      equation
        der(x) = 0.7;
        (a, b) = spatialDistribution(sin(3*time), 0, x, true, {0, 1}, {0, 1});
        annotation(experiment(StopTime=5, Interval=0.02));
      end PlugFlow;";
    for solver in SOLVERS {
        let r = run(&format!("plug-{solver}"), model, &["--solver", solver]);
        for (t, b) in r["time"].iter().zip(&r["b"]) {
            let expected = if *t < 1.0 / 0.7 {
                1.0 - 0.7 * t
            } else {
                (3.0 * (t - 1.0 / 0.7)).sin()
            };
            let allowed = if solver.starts_with("rt") { 1e-3 } else { 1e-5 };
            assert!(
                (b - expected).abs() < allowed,
                "{solver} {t}: {b} {expected}"
            );
        }
    }
}

/// The flow cos(t) turns at π/2: what went in comes out at the same end in reverse order, so that it is 2 + (π − t) then, and
/// what has gone in and out is what the boundary values say, in closed form.
#[test]
fn a_flow_that_turns_gives_back_what_it_took() {
    let model = "model Turning
        Real v = cos(time), x(start=0, fixed=true), a, b, inside(start=0.5, fixed=true);
      equation
        der(x) = v;
        (a, b) = spatialDistribution(2 + time, -1, x, v >= 0, {0, 0.5, 0.5, 1}, {1, 1, 0, 0});
        der(inside) = v*(a - b);
        annotation(experiment(StopTime=3, Interval=0.01));
      end Turning;";
    let turn = std::f64::consts::FRAC_PI_2;
    // ∫(2 + t)·cos t dt
    let entered = |t: f64| 2.0 * t.sin() + t * t.sin() + t.cos();
    let back = (3.0f64).sin().asin();
    let inside =
        entered(turn) - entered(0.0) - (entered(turn) - entered(back)) - (1.0 - back.sin());
    for (solver, allowed) in [
        ("auto", 1e-4),
        ("bdf", 1e-4),
        ("radau", 1e-4),
        ("dopri5", 1e-4),
        ("rk4", 2e-3),
        ("euler", 2e-2),
    ] {
        let r = run(&format!("turn-{solver}"), model, &["--solver", solver]);
        for ((t, a), b) in r["time"].iter().zip(&r["a"]).zip(&r["b"]) {
            if (t - turn).abs() < 0.02 {
                continue;
            }
            let expected = if *t < turn {
                2.0 + t
            } else {
                2.0 + 2.0 * turn - t
            };
            assert!(
                (a - expected).abs() < allowed,
                "{solver} {t}: {a} {expected}"
            );
            // The step of the contents at the middle leaves when x = 1/2, at π/6.
            let (leaves, width) = (std::f64::consts::FRAC_PI_6, 0.5 * allowed.max(1e-6));
            if *t < turn - 0.2 && (t - leaves).abs() > width {
                let expected = if *t < leaves { 0.0 } else { 1.0 };
                assert!((b - expected).abs() < 1e-2, "{solver} {t}: {b} {expected}");
            } else if *t > turn {
                assert_eq!(*b, -1.0);
            }
        }
        let end = r["inside"].last().copied().unwrap_or(f64::NAN);
        assert!((end - inside).abs() < allowed, "{solver}: {end} {inside}");
    }
}

/// A closed loop of a line that turns at random moments loses nothing: what leaves at one end goes in at the other. Without a
/// volume between them the contents go round, and one turn later the profile is what it was.
#[test]
fn a_ring_brings_its_contents_back() {
    let model = "model Ring
        Real x(start=0, fixed=true), a, b;
      equation
        der(x) = 1;
        (a, b) = spatialDistribution(b, 0, x, true, {0, 0.2, 0.4, 1}, {0, 1, 0, 0});
        annotation(experiment(StopTime=3, Interval=0.05));
      end Ring;";
    let r = run("ring", model, &["--solver", "bdf"]);
    for (t, b) in r["time"].iter().zip(&r["b"]) {
        let place = (1.0 - t).rem_euclid(1.0);
        let expected = (1.0 - (place - 0.2).abs() / 0.2).max(0.0);
        assert!((b - expected).abs() < 2e-3, "{t}: {b} {expected}");
    }
}

/// A jump of what goes in comes out as an event: two rows at its time.
#[test]
fn a_jump_arrives_as_an_event() {
    let model = "model Jump
        Real x(start=0, fixed=true), a, b;
      equation
        der(x) = 2*time;
        (a, b) = spatialDistribution(if time < 0.5 then 1 else 3, 0, x, true, {0, 1}, {1, 1});
        annotation(experiment(StopTime=2, Interval=0.1));
      end Jump;";
    for solver in ["bdf", "radau", "dopri5"] {
        let r = run(&format!("jump-{solver}"), model, &["--solver", solver]);
        let k = r["b"].iter().position(|&b| b > 2.0).unwrap_or(0);
        let (before, after) = (r["time"][k - 1], r["time"][k]);
        // In at x = 1/4, out at x = 5/4.
        let expected = 1.25f64.sqrt();
        assert_eq!(before, after, "{solver}");
        assert!((after - expected).abs() < 1e-5, "{solver}: {after}");
        assert_eq!((r["b"][k - 1], r["b"][k]), (1.0, 3.0), "{solver}");
    }
}

#[test]
fn contents_must_be_given_from_end_to_end() {
    let model = |points: &str, values: &str| {
        format!(
            "model M parameter Real p = 0.5; Real x(start=0, fixed=true), a, b; equation der(x) = 1;
             (a, b) = spatialDistribution(1, 0, x, true, {points}, {values}); end M;"
        )
    };
    for (points, values, expected) in [
        ("{0.1, 1}", "{0, 0}", "must begin with 0"),
        ("{0, 2}", "{0, 0}", "must end with 1"),
        ("{0, 0.6, 0.5, 1}", "{0, 0, 0, 0}", "must not descend"),
        (
            "{0, 1}",
            "{0, 0, 0}",
            "initialPoints has 2 elements, initialValues 3",
        ),
        (
            "{0, time, 1}",
            "{0, 0, 0}",
            "must be a parameter expression",
        ),
        ("{p, 1}", "{0, 0}", "must begin with 0"),
    ] {
        let message = failure("bad", &model(points, values));
        assert!(message.contains(expected), "{points}: {message}");
    }
}

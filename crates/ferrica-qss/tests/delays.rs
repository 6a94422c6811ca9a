//! Delays by times that vary, integers of continuous values and functions of time with kinks, against closed forms.

mod pipeline;

use pipeline::*;

const METHODS: [&str; 4] = ["qss2", "liqss2", "qss3", "liqss3"];

/// Largest difference of the first variable from a function of time, rows near `corners` left out.
fn worst(table: &Table, corners: &[f64], exact: impl Fn(f64) -> f64) -> f64 {
    let far = |t: f64| corners.iter().all(|c| (t - c).abs() > 1e-3);
    let rows = table.rows.iter().filter(|r| far(r.0));
    rows.map(|(t, v)| (v[0] - exact(*t)).abs())
        .fold(0.0, f64::max)
}

/// y(t) = sin(t − τ(t)) with τ = 1 + sin(2t)/2, zero before τ(t) = t.
#[test]
fn a_function_of_time_delayed_by_a_function_of_time() {
    let model = compile(
        "model M Real y = delay(sin(time), 1 + 0.5*sin(2*time), 2); Real z(start = 0, fixed = true);
         equation der(z) = y; end M;",
    );
    for method in METHODS {
        let table = run_with(&model, &experiment(&model, 6.0, 1e-5, 300), method, &["y"]);
        let error = worst(&table, &[], |t| {
            let then = t - 1.0 - 0.5 * (2.0 * t).sin();
            if then < 0.0 { 0.0 } else { then.sin() }
        });
        assert!(error < 1e-4, "{method}: {error}");
    }
}

/// x = e^−t read at w = t/2: the delay is a state, τ = t/2, and y = e^(−t/2). What reads it is z = 2(1 − e^(−t/2)).
#[test]
fn a_state_delayed_by_a_state() {
    let model = compile(
        "model M Real x(start = 1, fixed = true); Real tau(start = 0, fixed = true); Real z(start = 0, fixed = true);
         equation der(x) = -x; der(tau) = 0.5; der(z) = delay(x, tau, 10); end M;",
    );
    for method in METHODS {
        let table = run_with(&model, &experiment(&model, 5.0, 1e-5, 100), method, &["z"]);
        let error = worst(&table, &[], |t| 2.0 * (1.0 - (-0.5 * t).exp()));
        assert!(error < 2e-4, "{method}: {error}");
    }
}

/// The delay of a ramp is chosen anew at events: y = t − τ with τ = 0.25, from 1 on 0.5, from 2 on 0.25 …
#[test]
fn an_event_changes_the_delay() {
    let model = compile(
        "model M discrete Real tau(start = 0.25, fixed = true); Real x(start = 0, fixed = true);
           Real y = delay(x, tau, 1); Real z(start = 0, fixed = true);
         equation der(x) = 1; der(z) = y;
         when sample(1, 1) then tau = 0.75 - pre(tau); end when; end M;",
    );
    for method in METHODS {
        let table = run_with(&model, &experiment(&model, 4.0, 1e-4, 80), method, &["y"]);
        let error = worst(&table, &[1.0, 2.0, 3.0, 4.0], |t| {
            let tau = if (t.floor() as i32) % 2 == 0 {
                0.25
            } else {
                0.5
            };
            (t - tau).max(0.0)
        });
        assert!(error < 1e-9, "{method}: {error}");
    }
}

/// A delay that vanishes and comes back: cos(t − τ) with τ = max(0, sin t / 2).
#[test]
fn a_delay_vanishes() {
    let model = compile(
        "model M Real y = delay(cos(time), max(0, 0.5*sin(time)), 1); Real z(start = 0, fixed = true);
         equation der(z) = y; end M;",
    );
    for method in METHODS {
        let table = run_with(&model, &experiment(&model, 10.0, 1e-5, 300), method, &["y"]);
        let error = worst(&table, &[], |t| (t - (0.5 * t.sin()).max(0.0)).cos());
        assert!(error < 1e-4, "{method}: {error}");
    }
}

/// The source is a sine of a state that moves on a straight line and needs no transition of its own.
#[test]
fn a_bent_function_of_a_straight_state_is_delayed() {
    let model = compile(
        "model M Real x(start = 0, fixed = true); Real y = delay(sin(x), 0.5); equation der(x) = 1; end M;",
    );
    for method in METHODS {
        let table = run_with(&model, &experiment(&model, 10.0, 1e-4, 300), method, &["y"]);
        let error = worst(&table, &[], |t| (t - 0.5).max(0.0).sin());
        assert!(error < 1e-3, "{method}: {error}");
    }
}

/// Without a delay the signal would have to know itself.
#[test]
fn a_signal_that_is_its_own_past_is_refused() {
    let model = compile(
        "model M Real x(start = 1, fixed = true); Real y; equation der(x) = y; y = delay(1 - 2*y + x, 0*x, 1); end M;",
    );
    let e = experiment(&model, 1.0, 1e-4, 10);
    let (_, done) = try_with(&model, &e, "qss2", &[]);
    let text = done.expect_err("no value fits").to_string();
    assert!(text.contains("depends on itself"), "{text}");
}

/// floor, ceil and mod of rising and falling values, which are integers (or multiples) at the events only up to rounding.
#[test]
fn integers_of_moving_values() {
    let model = compile(
        "model M Real x(start = -0.55, fixed = true); Real u(start = 0.55, fixed = true);
           Integer a = integer(10 - 3*time); Integer b = integer(ceil(3*time)); Integer c = integer(3*x); Integer d = integer(-3*x);
           Integer e = integer(10*u); Real f = mod(time, 0.3); Real g = mod(x, 0.3);
         equation der(x) = 1; der(u) = -u; end M;",
    );
    let near = |v: f64| (v - v.round()).abs() < 1e-3;
    for method in METHODS {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let table = run_with(&model, &experiment(&model, 10.0, 1e-5, 200), method, &names);
        for (t, v) in &table.rows {
            let (x, u) = (t - 0.55, 0.55 * (-t).exp());
            let sources = [10.0 - 3.0 * t, -3.0 * t, 3.0 * x, -3.0 * x, 10.0 * u];
            for (k, s) in sources.iter().enumerate().filter(|(_, s)| !near(**s)) {
                let expected = if k == 1 { -s.floor() } else { s.floor() };
                assert_eq!(v[k], expected, "{method}: {} at {t}", names[k]);
            }
            for (k, s) in [(5, *t), (6, x)]
                .into_iter()
                .filter(|(_, s)| !near(s / 0.3))
            {
                let expected = s - 0.3 * (s / 0.3).floor();
                assert!(
                    (v[k] - expected).abs() < 1e-9,
                    "{method}: {} at {t}",
                    names[k]
                );
            }
        }
    }
}

/// z' = max(0, sin t) and w' = |cos t|: what the polynomials of these functions say ends at kinks.
#[test]
fn kinks_of_functions_of_time_are_seen() {
    use std::f64::consts::PI;
    let model = compile(
        "model M Real z(start = 0, fixed = true), w(start = 0, fixed = true);
         equation der(z) = max(0, sin(time)); der(w) = abs(cos(time)); end M;",
    );
    for method in METHODS {
        let table = run_with(
            &model,
            &experiment(&model, 9.0, 1e-5, 90),
            method,
            &["z", "w"],
        );
        for (t, v) in &table.rows {
            let whole = (t / (2.0 * PI)).floor();
            let rest = t - 2.0 * PI * whole;
            let z = 2.0 * whole + if rest < PI { 1.0 - rest.cos() } else { 2.0 };
            let half = ((t + 0.5 * PI) / PI).floor();
            let w = 2.0 * half
                + if half as i64 % 2 == 0 {
                    t.sin()
                } else {
                    -t.sin()
                };
            assert!((v[0] - z).abs() < 2e-4, "{method} at {t}: {} {z}", v[0]);
            assert!((v[1] - w).abs() < 2e-4, "{method} at {t}: {} {w}", v[1]);
        }
    }
}

/// A pole of a source does not hold the run up: what it is worth there is not a number or very large.
#[test]
fn a_pole_of_a_source_is_passed() {
    let model = compile(
        "model M Real x(start = 1, fixed = true); equation der(x) = 1/(0.123456789 - time)^2; end M;",
    );
    let e = experiment(&model, 1.0, 1e-4, 10);
    let (rows, done) = try_with(&model, &e, "qss2", &["x"]);
    let last = rows.last().expect("a row");
    assert!(done.is_err() || last.1[0].abs() > 1e3, "{last:?}");
}

/// What is refused says why, and what to do instead.
#[test]
fn transported_contents_are_refused() {
    let model = compile(
        "model M Real x(start = 0, fixed = true); Real a; Real b;
         equation der(x) = 1; (a, b) = spatialDistribution(sin(time), 0, x, true, {0, 1}, {0, 0}); end M;",
    );
    let e = experiment(&model, 1.0, 1e-4, 10);
    let options =
        ferrica_qss::simulate::QssOptions::new(ferrica_qss::Method::parse("liqss2").unwrap());
    let done = ferrica_qss::simulate::simulate(&model, &e, &options, &mut |_: f64, _: &[f64]| {});
    let text = done.expect_err("refused").diagnostic();
    assert!(
        text.message.contains("inverting the trajectory"),
        "{}",
        text.message
    );
    assert!(text.hint.is_some_and(|h| h.contains("bdf")));
}

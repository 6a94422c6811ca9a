//! How exact the quantized-state methods are, against closed forms, invariants and published numbers.

mod pipeline;

use pipeline::*;

const HIGHER: [&str; 4] = ["qss2", "qss3", "liqss2", "liqss3"];

/// Half-wave rectifier: its first, middle and last
/// switchings, from the independent reference data of the project, are found to a microsecond at tolerance 1e-3.
#[test]
fn switchings_to_a_microsecond() {
    let m = compile(HALF_WAVE);
    for method in HIGHER {
        let t = run_with(&m, &experiment(&m, 1.0, 1e-3, 10), method, &["off"]);
        let switched = t.rows.windows(2).filter(|w| w[0].1[0] != w[1].1[0]);
        let times: Vec<f64> = switched.map(|w| w[1].0).collect();
        assert_eq!(times.len(), 100, "{method}");
        for (k, time) in EXPECTED {
            let found = times[k];
            assert!((found - time).abs() < 1e-6, "{method} {k}: {found} {time}");
        }
    }
}

const EXPECTED: [(usize, f64); 4] = [
    (0, 0.000223002),
    (1, 0.006045201),
    (50, 0.503055462),
    (99, 0.985909790),
];

/// Step-down converter (24 V, 10 kHz, L = C = 1e-4, 10 Ω): the diode switches 200 times in 0.01 s, no more, although
/// with both switches open the current is stiff (1 ns); uC(0.01) = 15.71392. Both from the independent
/// reference data of the project.
#[test]
fn no_switching_is_invented() {
    let m = compile(
        "model M Real i(start = 0, fixed = true), u(start = 0, fixed = true), s, v, d; Boolean closed, off;
         equation off = s < 0;
         v = -s*(if off then 1 else 1e-5); d = s*(if off then 1e-5 else 1);
         i = d + (24 - v)/(if closed then 1e-5 else 1e5);
         1e-4*der(i) = v - u; 1e-4*der(u) = i - u/10;
         when sample(0, 0.5e-4) then closed = not pre(closed); end when;
         initial equation pre(closed) = false; end M;",
    );
    for method in HIGHER {
        for (tolerance, error) in [(1e-3, 5e-3), (1e-5, 5e-5)] {
            let e = experiment(&m, 0.01, tolerance, 10);
            let t = run_with(&m, &e, method, &["off", "u"]);
            let switched = t.rows.windows(2).filter(|w| w[0].1[0] != w[1].1[0]);
            assert_eq!(switched.count(), 200, "{method} {tolerance}");
            let last = t.rows.last().unwrap().1[1];
            assert!(
                (last - 15.71392).abs() < error,
                "{method} {tolerance}: {last}"
            );
        }
    }
}

/// An oscillation without damping keeps its amplitude and its phase for fifty periods: cos(2π·50) = 1.
#[test]
fn an_oscillation_lasts() {
    let m = compile(
        "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);
         equation der(x) = v; der(v) = -x; end M;",
    );
    let higher = HIGHER.map(|m| (m, 1e-3, 3e-2));
    let first = ["qss1", "liqss1", "mliqss1", "cqss"].map(|m| (m, 1e-2, 2e-1));
    for (method, tolerance, bound) in higher.into_iter().chain(first) {
        let e = experiment(&m, 100.0 * std::f64::consts::PI, tolerance, 4);
        let t = run_with(&m, &e, method, &["x", "v"]);
        let last = &t.rows.last().unwrap().1;
        assert!((last[0] - 1.0).abs() < bound, "{method}: {last:?}");
        assert!(last[1].abs() < bound, "{method}: {last:?}");
    }
}

/// Predator and prey: 0.1x − 0.4·ln x + 0.4y − 1.1·ln y is conserved.
#[test]
fn predator_and_prey_stay_on_their_orbit() {
    let m = compile(
        "model M Real x(start = 10, fixed = true), y(start = 5, fixed = true);
         equation der(x) = x*(1.1 - 0.4*y); der(y) = y*(0.1*x - 0.4); end M;",
    );
    let orbit = |x: f64, y: f64| 0.1 * x - 0.4 * x.ln() + 0.4 * y - 1.1 * y.ln();
    for method in HIGHER {
        let t = run_with(&m, &experiment(&m, 60.0, 1e-4, 60), method, &["x", "y"]);
        for (time, v) in &t.rows {
            let off = orbit(v[0], v[1]) - orbit(10.0, 5.0);
            assert!(off.abs() < 2e-3, "{method} at {time}: {off}");
        }
    }
}

/// Robertson's reactions at t = 40, as published with many stiff solvers: 0.71583, 9.1855e-6, 0.28416.
#[test]
fn stiff_reactions() {
    let m = compile(
        "model M Real a(start = 1, fixed = true), b(start = 0, fixed = true, nominal = 1e-4),
         c(start = 0, fixed = true);
         equation der(a) = -0.04*a + 1e4*b*c; der(b) = 0.04*a - 1e4*b*c - 3e7*b^2; der(c) = 3e7*b^2; end M;",
    );
    for method in HIGHER {
        let t = run_with(&m, &experiment(&m, 40.0, 1e-5, 4), method, &["a", "b", "c"]);
        let last = &t.rows.last().unwrap().1;
        assert!((last[0] - 0.71583).abs() < 1e-4, "{method}: {last:?}");
        assert!((last[1] - 9.1855e-6).abs() < 1e-8, "{method}: {last:?}");
        assert!((last[2] - 0.28416).abs() < 1e-4, "{method}: {last:?}");
        assert!(t.run.qss.transitions < 20_000, "{method}");
    }
}

/// A small state that reads the difference of two large ones: two equal masses that a spring joins and a force pushes, five thousand metres
/// away, and a sensor. The difference is r = (1 − cos ωt)/ω² with ω² = 40, the sensor v' = r − v, about 0.025; its closed form. With quanta that know of
/// nothing but 5000 m the errors would be 4e-3 (second order) and 1.4e-3.
#[test]
fn a_small_difference_of_large_states() {
    let m = compile(
        "model M Real p(start = 5000, fixed = true), s(start = 5000, fixed = true); Real vp(start = 20, fixed = true),
         vs(start = 20, fixed = true), v(start = 0, fixed = true);
         equation der(p) = vp; der(s) = vs; der(vp) = 1 - 20*(p - s); der(vs) = 20*(p - s); der(v) = p - s - v; end M;",
    );
    let w = 40f64.sqrt();
    let exact = |t: f64| {
        let forced = 1.0 - (-t).exp();
        let waves = ((w * t).cos() + w * (w * t).sin() - (-t).exp()) / (1.0 + w * w);
        (forced - waves) / (w * w)
    };
    for method in HIGHER {
        let t = run_with(&m, &experiment(&m, 20.0, 1e-6, 200), method, &["v"]);
        let error = t.rows.iter().map(|(t, v)| (v[0] - exact(*t)).abs());
        let error = error.fold(0.0, f64::max);
        println!("{method}: {error:e}");
        assert!(error < 8e-4, "{method}: {error:e}");
    }
}

/// Dry friction without events: x'' = −10x − 0.3·sign(x'), from x = 1. Each half period takes 2·0.3/10 off the amplitude, so x = 0.76 after four of
/// them, 4π/√10; on the way to the first turn |x| = −(0.03 + 0.97·cos ωt) passes 0.9 at acos(−0.93/0.97)/ω. A polynomial of the derivative does not know
/// that the friction turns, one of |x| not that x does.
#[test]
fn jumps_without_events_are_met() {
    let m = compile(
        "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); discrete Real at(start = 0, fixed = true);
         equation der(x) = v; der(v) = -10*x - noEvent(if v > 0 then 0.3 else if v < 0 then -0.3 else 0);
         when abs(x) > 0.9 and time < 1 then at = time; end when; end M;",
    );
    let omega = 10f64.sqrt();
    let passes = (-0.93f64 / 0.97).acos() / omega;
    for method in HIGHER {
        for tolerance in [1e-3, 1e-5] {
            let e = experiment(&m, 4.0 * std::f64::consts::PI / omega, tolerance, 4);
            let t = run_with(&m, &e, method, &["x", "v", "at"]);
            let last = &t.rows.last().unwrap().1;
            let off = (last[0] - 0.76).abs();
            assert!(off < 10.0 * tolerance, "{method} {tolerance}: {last:?}");
            let late = (last[2] - passes).abs();
            assert!(late < 10.0 * tolerance, "{method} {tolerance}: {last:?}");
        }
    }
}

/// A condition on the solution of a nonlinear loop is predicted by a polynomial. Its event is where the solution passes the threshold, and is not
/// followed by one back: y + y³/4 = −1.5x falls through 0.42 once, where x = −(0.42 + 0.42³/4)/1.5.
#[test]
fn a_bent_condition_turns_once() {
    let m = compile(
        "model M Real x(start = -0.46, fixed = true), y; Integer n(start = 0, fixed = true);
         discrete Real at(start = 0, fixed = true); Integer up(start = 0, fixed = true);
         equation der(x) = y; y + 0.25*y^3 = -1.5*x;
         when y < 0.42 then n = pre(n) + 1; at = x; end when; when y > 0.42 then up = pre(up) + 1; end when; end M;",
    );
    let threshold = -(0.42 + 0.42f64.powi(3) / 4.0) / 1.5;
    for method in HIGHER {
        for tolerance in [1e-2, 1e-3, 1e-5] {
            let t = run_with(
                &m,
                &experiment(&m, 1.0, tolerance, 4),
                method,
                &["n", "up", "at"],
            );
            let last = &t.rows.last().unwrap().1;
            assert_eq!(last[..2], [1.0, 0.0], "{method} {tolerance}");
            assert!(
                (last[2] - threshold).abs() < 0.1 * tolerance,
                "{method} {tolerance}: {last:?}"
            );
        }
    }
}

//! Modelica models by every quantized-state method, against closed forms.

mod pipeline;

use std::sync::Arc;

use ferrica_codegen::CompiledModel;
use ferrica_qss::Method;
use ferrica_qss::simulate::{QssOptions, simulate};
use pipeline::*;

const METHODS: [&str; 7] = ["qss1", "qss2", "qss3", "liqss1", "liqss2", "liqss3", "cqss"];

/// How far a method of this order may be off at tolerance 1e-4.
fn allowed(method: &str) -> f64 {
    match method {
        "qss1" | "liqss1" | "cqss" => 2e-3,
        _ => 1e-3,
    }
}

#[test]
fn exponential_decay() {
    let m = compile("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
    for method in METHODS {
        let t = run_with(&m, &experiment(&m, 3.0, 1e-4, 30), method, &["x"]);
        assert_eq!(t.rows.len(), 31, "{method}");
        for (time, v) in &t.rows {
            let exact = (-time).exp();
            assert!(
                (v[0] - exact).abs() < allowed(method),
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// A triangular carrier begins anew 20,000 times: below 0.3 it is for 0.65 of each period. Its size is that of one period, and not that of a
/// ramp through the whole run.
#[test]
fn a_carrier_in_a_long_run() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true); Real z = 1000*time, carrier = 4*abs(z - floor(z + 0.5)) - 1;
         equation der(x) = if 0.3 > carrier then 1 else -1; der(y) = carrier; end M;",
    );
    for method in METHODS {
        // The first order makes a transition for each quantum.
        let first = ["qss1", "liqss1", "cqss"].contains(&method);
        let stop = if first { 2.0 } else { 20.0 };
        let t = run_with(&m, &experiment(&m, stop, 1e-2, 10), method, &["x", "y"]);
        let (time, v) = t.rows.last().unwrap();
        let what = format!("{method} at {time}: {v:?}");
        assert!((v[0] - 0.3 * time).abs() < 0.01 * time, "{what}");
        assert!(v[1].abs() < 0.01 * time, "{what}");
    }
}

/// x'' = −x by two states and an algebraic variable between them.
#[test]
fn oscillator_with_output() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real e;
         equation der(x) = v; der(v) = -x; e = (x^2 + v^2)/2; end M;",
    );
    for method in ["qss2", "qss3", "liqss2", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 10.0, 1e-5, 50), method, &["x", "e"]);
        for (time, v) in &t.rows {
            assert!(
                (v[0] - time.cos()).abs() < 2e-3,
                "{method} at {time}: {}",
                v[0]
            );
            assert!(
                (v[1] - 0.5).abs() < 2e-3,
                "{method} energy at {time}: {}",
                v[1]
            );
        }
    }
}

/// A body at rest on a spring that is just not compressed, and a load from the start on: x'' = 10 − 100 x for x > 0, so
/// x = (1 − cos 10 t)/10. The condition is zero with zero slope at the start, and there is one event, at once; x < 0 is
/// never true.
#[test]
fn contact_begins_at_rest() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), v(start = 0, fixed = true); Integer n(start = 0, fixed = true);
         equation der(x) = v; der(v) = 10 - (if x > 0 then 100*x else 0);
         when x < 0 then n = pre(n) + 1; end when; end M;",
    );
    for method in ["qss2", "qss3", "liqss2", "liqss3"] {
        for tolerance in [1e-3, 1e-6] {
            let t = run_with(&m, &experiment(&m, 0.5, tolerance, 20), method, &["x", "n"]);
            for (time, v) in &t.rows {
                let exact = 0.1 * (1.0 - (10.0 * time).cos());
                assert!(
                    (v[0] - exact).abs() < 2.0 * tolerance,
                    "{method} at {time}: {} {exact}",
                    v[0]
                );
                assert_eq!(v[1], 0.0, "{method} at {time}");
            }
        }
    }
}

/// A source that depends on time alone: y' = −y + sin(2t), y = (sin 2t − 2 cos 2t + 2 e^−t)/5.
#[test]
fn sine_source() {
    let m = compile(
        "model M Real y(start = 0, fixed = true); equation der(y) = -y + sin(2*time); end M;",
    );
    for method in METHODS {
        let t = run_with(&m, &experiment(&m, 6.0, 1e-4, 60), method, &["y"]);
        for (time, v) in &t.rows {
            let exact = ((2.0 * time).sin() - 2.0 * (2.0 * time).cos() + 2.0 * (-time).exp()) / 5.0;
            assert!(
                (v[0] - exact).abs() < allowed(method),
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// A thermostat: crossings, when, discrete memory. Between events T follows exponentials.
#[test]
fn thermostat_switches_at_its_limits() {
    let m = compile(
        "model M Real T(start = 15, fixed = true); discrete Boolean on(start = true, fixed = true);
         discrete Integer n(start = 0, fixed = true);
         equation der(T) = (if on then 40 else 10) - T;
         when T > 22 then on = false; n = pre(n) + 1; elsewhen T < 18 then on = true; n = pre(n) + 1; end when;
         end M;",
    );
    // First switching: 40 − 25 e^−t = 22.
    let first = (25.0f64 / 18.0).ln();
    // Then 10 + 12 e^−s = 18, and 40 − 22 e^−s = 22, in turn.
    let (down, up) = ((12.0f64 / 8.0).ln(), (22.0f64 / 18.0).ln());
    let events = 1 + 2 * ((4.0 - first) / (down + up)).floor() as i32;
    for method in ["qss2", "qss3", "liqss2", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 4.0, 1e-5, 40), method, &["T", "n"]);
        let last = t.rows.last().unwrap();
        assert!(
            (last.1[1] - f64::from(events)).abs() <= 1.0,
            "{method}: {} {events}",
            last.1[1]
        );
        for (time, v) in &t.rows {
            assert!(
                v[0] < 22.0 + 1e-3 && v[0] > 15.0 - 1e-6,
                "{method} at {time}: {}",
                v[0]
            );
        }
        // The row pair of the first switching (T reaching 18 from below is an event, not a switching).
        let pair = t
            .rows
            .windows(2)
            .find(|w| w[0].0 == w[1].0 && w[0].1[1] != w[1].1[1])
            .unwrap();
        assert!(
            (pair[0].0 - first).abs() < 1e-4,
            "{method}: {} {first}",
            pair[0].0
        );
        assert_eq!((pair[0].1[1], pair[1].1[1]), (0.0, 1.0));
    }
}

/// Bouncing ball with reinit: impacts at √(2h/g) and then geometrically.
#[test]
fn bouncing_ball() {
    let m = compile(
        "model M Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
         equation der(h) = v; der(v) = -9.81;
         when h < 0 then reinit(v, -0.8*pre(v)); end when; end M;",
    );
    let t0 = (2.0f64 / 9.81).sqrt();
    for method in ["qss2", "qss3", "liqss2"] {
        let t = run_with(&m, &experiment(&m, 2.5, 1e-6, 50), method, &["h", "v"]);
        let impacts: Vec<f64> = t
            .rows
            .windows(2)
            .filter(|w| w[0].0 == w[1].0 && w[1].1[1] > 0.1 && w[0].1[1] < -0.1)
            .map(|w| w[0].0)
            .collect();
        assert!(impacts.len() >= 4, "{method}: {impacts:?}");
        let mut expected = t0;
        for (k, impact) in impacts.iter().enumerate() {
            assert!(
                (impact - expected).abs() < 1e-4,
                "{method} {k}: {impact} {expected}"
            );
            expected += 2.0 * t0 * 0.8f64.powi(k as i32 + 1);
        }
    }
}

/// sample: a counter and a held value of a ramp.
#[test]
fn sampled_values() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); discrete Real y(start = -1, fixed = true);
         discrete Integer k(start = 0, fixed = true);
         equation der(x) = 1; when sample(0.25, 0.5) then y = x; k = pre(k) + 1; end when; end M;",
    );
    for method in ["qss1", "qss2", "liqss2"] {
        let t = run_with(&m, &experiment(&m, 3.0, 1e-6, 30), method, &["y", "k", "x"]);
        let last = t.rows.last().unwrap();
        assert_eq!(last.1[1], 6.0, "{method}");
        assert!((last.1[0] - 2.75).abs() < 1e-6, "{method}: {}", last.1[0]);
        assert!((last.1[2] - 3.0).abs() < 1e-6);
    }
}

/// A linear loop (two resistors and a node) and a nonlinear one (a diode law) inside the schedule.
#[test]
fn algebraic_loops() {
    let m = compile(
        "model M Real u(start = 1, fixed = true); Real i, w;
         equation i + 2*w = u; 3*i - w = u/2; der(u) = -i; end M;",
    );
    // i = (u + u)/7 = 2u/7.
    for method in ["qss1", "qss2", "qss3", "liqss2"] {
        let t = run_with(&m, &experiment(&m, 4.0, 1e-4, 20), method, &["u", "i"]);
        for (time, v) in &t.rows {
            let exact = (-2.0 * time / 7.0).exp();
            assert!((v[0] - exact).abs() < 2e-3, "{method} at {time}: {}", v[0]);
            assert!((v[1] - 2.0 * v[0] / 7.0).abs() < 1e-9);
        }
    }
    let m = compile(
        "model M Real u(start = 2, fixed = true); Real z(start = 1);
         equation z + z^3 = u; der(u) = -z; end M;",
    );
    // u = z + z³: (1 + 3z²) z' = −z, so ln z + 1.5 z² + t is constant (z = 1 at the start).
    for method in ["qss2", "qss3", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 3.0, 1e-5, 20), method, &["u", "z"]);
        for (time, v) in &t.rows {
            let invariant = v[1].ln() + 1.5 * v[1] * v[1] + time;
            assert!(
                (invariant - 1.5).abs() < 1e-3,
                "{method} at {time}: {invariant}"
            );
        }
    }
}

/// Half-wave rectifier with an ideal diode: 100 switchings in 1 s and C1.v(1) = 7.72387099183, from the
/// independent reference data of the project.
#[test]
fn half_wave_rectifier() {
    let m = compile(HALF_WAVE);
    for method in ["qss2", "qss3", "liqss2", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 1.0, 1e-5, 100), method, &["v", "off"]);
        let switchings = t.rows.windows(2).filter(|w| w[0].1[1] != w[1].1[1]).count();
        assert_eq!(switchings, 100, "{method}");
        let last = t.rows.last().unwrap().1[0];
        assert!((last - 7.72387099183).abs() < 2e-4, "{method}: {last}");
    }
}

/// A stiff pair (x drives y and back, with nothing on the diagonal of the stiff part): x'' = −10⁴x − 200x',
/// critically damped, x = (1 + 100t)·e^(−100t).
#[test]
fn stiff_pair() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Real y(start = 0, fixed = true);
         equation der(x) = 100*y; der(y) = -100*x - 200*y; end M;",
    );
    for method in ["liqss2", "mliqss1", "mliqss2", "mliqss3"] {
        let t = run_with(&m, &experiment(&m, 0.2, 1e-4, 20), method, &["x"]);
        for (time, v) in &t.rows {
            let exact = (1.0 + 100.0 * time) * (-100.0 * time).exp();
            assert!(
                (v[0] - exact).abs() < 5e-3,
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// x and y are tied to each other by k = 1e8, and their sum follows s' = 1 − s: x = y = s/2 but for (1 + s)/(4k). A condition asks for what goes through
/// the tie, k·(x − y) = (1 + s)/2, which the quanta of x and y leave uncertain by ten thousand.
#[test]
fn two_states_share_a_fast_motion() {
    let m = compile(
        "model M parameter Real k = 1e8; Real x(start = 0, fixed = true), y(start = 0, fixed = true);
         discrete Integer n(start = 0, fixed = true); discrete Real at(start = 0, fixed = true);
         equation der(x) = k*(y - x) + 1; der(y) = k*(x - y) - (x + y);
         when k*(x - y) > 0.7 then n = pre(n) + 1; at = time; end when; end M;",
    );
    for method in ["mliqss2", "mliqss3"] {
        let t = run_with(
            &m,
            &experiment(&m, 2.0, 1e-4, 20),
            method,
            &["x", "y", "n", "at"],
        );
        for (time, v) in &t.rows {
            let half = 0.5 * (1.0 - (-time).exp());
            for value in &v[..2] {
                assert!(
                    (value - half).abs() < 1e-3,
                    "{method} at {time}: {value} {half}"
                );
            }
        }
        let (_, last) = t.rows.last().expect("rows");
        let exact = -(0.6f64).ln();
        assert_eq!(last[2], 1.0, "{method}");
        assert!(
            (last[3] - exact).abs() < 1e-3,
            "{method}: {} {exact}",
            last[3]
        );
    }
}

/// A state stands still until what it reads passes a kink that is no event: T = 1 − e^−t, p' = max(T − 1/2, 0). The next transition of T is long before the
/// end of the run, and behind it the polynomial of T says nothing.
#[test]
fn a_kink_wakes_a_state_at_rest() {
    let m = compile(
        "model M Real T(start = 0, fixed = true); Real p(start = 0, fixed = true);
         equation der(T) = 1 - T; der(p) = max(T - 0.5, 0); end M;",
    );
    for method in ["qss2", "qss3", "liqss2", "liqss3", "mliqss3"] {
        let t = run_with(&m, &experiment(&m, 20.0, 1e-5, 40), method, &["p"]);
        for (time, v) in &t.rows {
            let since = time - 2f64.ln();
            let exact = if since > 0.0 {
                0.5 * since + (-time).exp() - 0.5
            } else {
                0.0
            };
            assert!(
                (v[0] - exact).abs() < 2e-5,
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// Two phases commutate: 13 events, by radau and by bdf at 1e-8. The current of the diode that blocks is a microampere, far less than its quantum: what the state has kept back
/// while it rested must not let the diode conduct when it steps (196,000 events, or chattering).
#[test]
fn a_blocked_diode_does_not_conduct_by_what_its_current_has_kept_back() {
    let m = compile(include_str!("../../../bench/qss/precision/Commutation.mo"));
    for method in ["mliqss2", "mliqss3"] {
        let t = run_with(&m, &experiment(&m, 0.06, 1e-2, 60), method, &["u"]);
        let events = t.run.qss.events;
        assert!(events < 20 * 13, "{method}: {events} events");
    }
}

/// Tanks whose levels meet, where the slope of the root is infinite and each state reads the other's kink: some ten thousand transitions,
/// not one for each of the other's. The levels at the end are those of SciPy's LSODA with located switchings (rtol 1e-10).
#[test]
fn levels_that_meet() {
    let m = compile(
        "model M Real a(start = 0.5, fixed = true), b(start = 0.1, fixed = true), c(start = 0, fixed = true);
         Real ab, bc; Boolean open(start = true, fixed = true);
         equation open = if pre(open) then c < 0.3 else c < 0.2;
         ab = 0.02*sign(a - b)*sqrt(abs(a - b)); bc = 0.02*sign(b - c)*sqrt(abs(b - c));
         0.1*der(a) = (if open then 0.012 else 0) - ab; 0.08*der(b) = ab - bc;
         0.1*der(c) = bc - 0.01*sqrt(max(c, 0)); end M;",
    );
    for method in ["qss2", "qss3", "liqss2", "mliqss2"] {
        let t = run_with(
            &m,
            &experiment(&m, 300.0, 1e-6, 10),
            method,
            &["a", "b", "c"],
        );
        let (_, levels) = t.rows.last().expect("rows");
        for (level, exact) in levels.iter().zip([0.42921244, 0.39849453, 0.32889687]) {
            assert!((level - exact).abs() < 1e-4, "{method}: {level} {exact}");
        }
    }
}

/// A source with a kink that is no event: min of a ramp and a limit.
#[test]
fn source_with_a_kink() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); equation der(x) = min(1, 2*time) - 0.1*x; end M;",
    );
    for method in ["qss2", "qss3", "liqss2"] {
        let t = run_with(&m, &experiment(&m, 2.0, 1e-5, 20), method, &["x"]);
        // x' = 2t − x/10 until 0.5, then x' = 1 − x/10.
        let ramp = |t: f64| 20.0 * t - 200.0 * (1.0 - (-0.1 * t).exp());
        let flat = |t: f64| 10.0 + (ramp(0.5) - 10.0) * (-0.1 * (t - 0.5)).exp();
        for (time, v) in &t.rows {
            let exact = if *time < 0.5 {
                ramp(*time)
            } else {
                flat(*time)
            };
            assert!(
                (v[0] - exact).abs() < 1e-3,
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// y' = x² where x runs along an exact straight line: x itself never needs a step, y = t³/3 does.
#[test]
fn a_straight_line_bends_its_readers() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
         equation der(x) = 1; der(y) = x^2; end M;",
    );
    for method in ["qss2", "qss3", "liqss2", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 2.0, 1e-4, 20), method, &["y"]);
        for (time, v) in &t.rows {
            let exact = time.powi(3) / 3.0;
            assert!(
                (v[0] - exact).abs() < 2e-3,
                "{method} at {time}: {} {exact}",
                v[0]
            );
        }
    }
}

/// All derivatives are zero at the start but the highest: x = t³/6 must not stay where it is.
#[test]
fn nothing_freezes() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), v(start = 0, fixed = true), a(start = 0, fixed = true);
         equation der(x) = v; der(v) = a; der(a) = 1; end M;",
    );
    for method in METHODS {
        let t = run_with(&m, &experiment(&m, 2.0, 1e-4, 4), method, &["x"]);
        let last = t.rows.last().unwrap().1[0];
        assert!((last - 8.0 / 6.0).abs() < 2e-2, "{method}: {last}");
    }
}

/// An asymptotic tail costs a bounded number of steps, however long it is.
#[test]
fn tails_end() {
    let m = compile(
        "model M Real x(start = 1, fixed = true, nominal = 1); equation der(x) = -x; end M;",
    );
    for method in ["qss2", "qss3", "liqss1", "liqss2", "liqss3"] {
        let short = run_with(&m, &experiment(&m, 30.0, 1e-3, 1), method, &["x"]);
        let long = run_with(&m, &experiment(&m, 1e5, 1e-3, 1), method, &["x"]);
        let more = long.run.qss.transitions - short.run.qss.transitions;
        assert!(more < 50, "{method}: {more} steps in the tail");
        let last = long.rows.last().unwrap().1[0];
        assert!(last.abs() < 2e-3, "{method}: {last}");
    }
}

/// What qss2 says of a model that it cannot run.
fn refusal(m: &Arc<CompiledModel>) -> String {
    let options = QssOptions::new(Method::parse("qss2").unwrap());
    let done = simulate(
        m,
        &experiment(m, 2.0, 1e-4, 4),
        &options,
        &mut |_: f64, _: &[f64]| {},
    );
    done.expect_err("a refusal").to_string()
}

/// Each side of the condition drives the model back to the other one: x = 1 − t reaches the line x = 1/2 and slides along it.
#[test]
fn a_sliding_motion_stays_on_its_line() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); equation der(x) = if x > 0.5 then -1 else 1; end M;",
    );
    for method in METHODS {
        for tolerance in [1e-2, 1e-4] {
            let t = run_with(&m, &experiment(&m, 2.0, tolerance, 20), method, &["x"]);
            for (time, v) in &t.rows {
                let exact = (1.0 - time).max(0.5);
                let off = (v[0] - exact).abs();
                assert!(off < tolerance, "{method} {tolerance} at {time}: {off}");
            }
        }
    }
}

/// A ball that is put back a nanometre above the floor each time it gets there: said, not endured.
#[test]
fn chattering_is_explained() {
    let m = compile(
        "model M Real x(start = 1, fixed = true);
         equation der(x) = -1; when x < 0.5 then reinit(x, 0.5 + 1e-9); end when; end M;",
    );
    let message = refusal(&m);
    assert!(message.contains("chatters"), "{message}");
    assert!(message.contains("x < 0.5"), "{message}");
}

/// Functions of time alone are neither frozen nor continued beyond what is known of them, in any order: integrals in closed form. The pulses have
/// the area √π times their width.
#[test]
fn functions_of_time_are_followed() {
    let root_of_pi = std::f64::consts::PI.sqrt();
    let cases = [
        ("2*time", 1.0, 1.0),
        ("5*time^4", 1.0, 1.0),
        ("6*time^5", 1.0, 1.0),
        ("exp(-(time - 20)^2)", 40.0, root_of_pi),
        ("exp(-((time - 500)/0.01)^2)", 1000.0, 0.01 * root_of_pi),
        ("sqrt(time)", 1.0, 2.0 / 3.0),
        ("1/(1 + time^2)", 10.0, 10f64.atan()),
        // ln cosh of 3t²: ∫ 6t·tanh(3t²).
        ("6*time*tanh(3*time^2)", 2.0, 12f64.cosh().ln()),
        // ∫ 40t·cos(20t²) = sin(20t²).
        ("40*time*cos(20*time^2)", 3.0, 180f64.sin()),
        ("abs(sin(time))", 10.0, 7.0 + 10f64.cos()),
        ("1e-6*(1 - cos(time))", 10.0, 1e-6 * (10.0 - 10f64.sin())),
        ("1000 + sin(time)^2", 10.0, 10_005.0 - 0.25 * 20f64.sin()),
    ];
    for (function, stop, exact) in cases {
        let m = compile(&format!(
            "model M Real x(start = 0, fixed = true); equation der(x) = {function}; end M;"
        ));
        for method in METHODS {
            for tolerance in [1e-2, 1e-4] {
                let t = run_with(&m, &experiment(&m, stop, tolerance, 10), method, &["x"]);
                let off = (t.rows.last().unwrap().1[0] - exact).abs() / exact.abs();
                assert!(
                    off < 10.0 * tolerance,
                    "{function} {method} {tolerance}: {off:e}"
                );
            }
        }
    }
}

/// A closed chain of reactions of very different speeds, of which the sum is conserved: stiff states are integrated like others.
#[test]
fn a_sum_is_conserved() {
    let m = compile(
        "model M Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true), d(start = 0, fixed = true);
         equation der(a) = -a + 1e5*b; der(b) = a - 1e5*b - 1e4*b + 1e2*c; der(c) = 1e4*b - 1e2*c - 10*c + d;
         der(d) = 10*c - d; end M;",
    );
    for method in METHODS.into_iter().chain(["mliqss2", "mliqss3"]) {
        let names = ["a", "b", "c", "d"];
        let t = run_with(&m, &experiment(&m, 10.0, 1e-3, 50), method, &names);
        for (time, v) in &t.rows {
            let off = v.iter().sum::<f64>() - 1.0;
            assert!(off.abs() < 1e-11, "{method} at {time}: {off:e}");
        }
    }
}

/// Two phosphorylations by one enzyme and one phosphatase, with mass action: each of them is in three of the states, the substrate in seven. The derivatives are products, of which
/// the polynomials of second order leave out one coefficient; what it moves is moved from one state to another, in single precision. In the third order two are left out, and the
/// sums are kept within the tolerance. (With nothing carried along: 4e-3, and 2e-2 where states step together.)
#[test]
fn sums_of_products_are_conserved() {
    let m = compile(
        "model M Real S(start = 1.2, fixed = true), E(start = 6e-4, fixed = true), F(start = 3e-4, fixed = true), SE(start = 0, fixed = true),
         P(start = 0, fixed = true), PF(start = 0, fixed = true), PE(start = 0, fixed = true), PP(start = 0, fixed = true), PPF(start = 0, fixed = true);
         Real r1 = 1000*S*E - 150*SE, r2 = 150*SE, r3 = 1000*P*F - 150*PF, r4 = 150*PF, r5 = 1000*P*E - 150*PE, r6 = 150*PE,
         r7 = 1000*PP*F - 150*PPF, r8 = 150*PPF;
         equation der(S) = -r1 + r4; der(E) = -r1 + r2 - r5 + r6; der(F) = -r3 + r4 - r7 + r8; der(SE) = r1 - r2; der(P) = r2 - r3 - r5 + r8;
         der(PF) = r3 - r4; der(PE) = r5 - r6; der(PP) = r6 - r7; der(PPF) = r7 - r8; end M;",
    );
    let names = [
        "E", "SE", "PE", "F", "PF", "PPF", "S", "SE", "P", "PF", "PE", "PP", "PPF",
    ];
    for (method, part) in [
        ("qss1", 1e-9),
        ("qss2", 1e-6),
        ("liqss2", 1e-6),
        ("mliqss2", 1e-6),
        ("qss3", 1e-3),
        ("mliqss3", 1e-3),
    ] {
        let t = run_with(&m, &experiment(&m, 100.0, 1e-3, 50), method, &names);
        for (time, v) in &t.rows {
            for (range, sum) in [(0..3, 6e-4), (3..6, 3e-4), (6..13, 1.2)] {
                let off = v[range].iter().sum::<f64>() / sum - 1.0;
                assert!(off.abs() < part, "{method} at {time}: {off:e} of {sum:e}");
            }
        }
    }
}

/// exp(y) + exp(2y) = x has no solution from where x vanishes on: the message says what x was, and how exactly.
#[test]
fn a_loop_without_a_solution_is_explained_by_its_states() {
    let m = compile(
        "model M Real x(start = 1, fixed = true), y(start = 0); equation der(x) = -1 + 0.1*y; exp(y) + exp(2*y) = x; end M;",
    );
    let message = refusal(&m);
    assert!(
        message.contains("off by up to a quantum (`x` ="),
        "{message}"
    );
}

/// x = 400 t + 0.5 has passed floor(x) whole numbers. From 1000 on they are nearer to each other than the band in which conditions keep their
/// memory; each is one event, and each sample another.
#[test]
fn large_numbers_are_counted_one_by_one() {
    let m = compile(
        "model M Real x(start = 0.5, fixed = true); discrete Real n(start = 0, fixed = true);
         equation der(x) = 400; when sample(0, 1) then n = floor(x); end when; end M;",
    );
    for method in ["qss2", "liqss3"] {
        let t = run_with(&m, &experiment(&m, 4.0, 1e-4, 4), method, &["n"]);
        let counted: Vec<f64> = [0.5, 1.5, 2.5, 3.5]
            .iter()
            .map(|after| t.rows.iter().rfind(|r| r.0 <= *after).unwrap().1[0])
            .collect();
        assert_eq!(counted, [0.0, 400.0, 800.0, 1200.0], "{method}");
    }
}

/// Stick and slip on a belt of speed 1/2: a block is released when its spring pulls with 5 and slips with friction 3 until it rests, which `reinit`
/// makes exact. A slip lasts τ = (2π − 2 atan(0.4 ω))/ω with ω² = 10, a rest 0.8; each cycle moves the block by (τ + 0.8)/2.
#[test]
fn what_reinit_puts_to_rest_is_released_again() {
    let m = compile(
        "model M Real y(start = 0, fixed = true), w(start = 0, fixed = true); Boolean stick(start = true, fixed = true);
           Real pull = 10*(0.5*time - y);
         equation der(y) = if stick then 0 else w; der(w) = if stick then 0 else pull - 3;
         when pre(stick) and pull > 5 then stick = false; reinit(w, 0);
         elsewhen not pre(stick) and w < 0 then stick = true; reinit(w, 0); end when; end M;",
    );
    let omega = 10f64.sqrt();
    let slip = (std::f64::consts::TAU - 2.0 * (0.4 * omega).atan()) / omega;
    for method in ["qss2", "qss3", "liqss2"] {
        // Between 1 + 3 (τ + 0.8) + τ = 9.07 and 9.87 it has slipped four times.
        let t = run_with(&m, &experiment(&m, 9.5, 1e-6, 19), method, &["y", "w"]);
        let last = &t.rows.last().unwrap().1;
        let exact = 2.0 * (slip + 0.8);
        assert!((last[0] - exact).abs() < 1e-4, "{method}: {last:?} {exact}");
        assert_eq!(last[1], 0.0, "{method}");
    }
}

/// A quantum of its own for one of two equal states.
#[test]
fn quantum_of_one_state() {
    let m = compile(
        "model M Real x(start = 1, fixed = true), y(start = 1, fixed = true);
         equation der(x) = -x + sin(time); der(y) = -y + sin(time); end M;",
    );
    let mut options = QssOptions::new(Method::parse("qss2").unwrap());
    let run = |options: &QssOptions| {
        simulate(
            &m,
            &experiment(&m, 10.0, 1e-3, 4),
            options,
            &mut |_: f64, _: &[f64]| {},
        )
    };
    let equal = run(&options).unwrap().qss.per_state;
    assert_eq!(equal[0], equal[1]);
    options.quanta = vec![("y".to_string(), 1e-1)];
    let apart = run(&options).unwrap().qss.per_state;
    assert_eq!(apart[0], equal[0]);
    assert!(2 * apart[1] < equal[1], "{apart:?}");
    options.quanta = vec![("z".to_string(), 1e-1)];
    assert!(run(&options).is_err());
}

/// The switching converter (24 V, 10 kHz, L = C = 1e-4, 10 Ω) by a sampled pulse and by the oscillator of Floros,
/// Bergero, Cellier and Kofman. uC(0.01) = 15.71392 comes from the independent reference data of the project.
#[test]
fn square_wave_and_pulse_agree() {
    let converter =
        "Real i(start = 0, fixed = true), u(start = 0, fixed = true), s, v, d; Boolean closed, off;
         equation off = s < 0;
         v = -s*(if off then 1 else 1e-5); d = s*(if off then 1e-5 else 1);
         i = d + (24 - v)/(if closed then 1e-5 else 1e5);
         1e-4*der(i) = v - u; 1e-4*der(u) = i - u/10;";
    let pulse = compile(&format!(
        "model M {converter} when sample(0, 0.5e-4) then closed = not pre(closed); end when;
         initial equation pre(closed) = false; end M;"
    ));
    let wave = compile(&format!(
        "model M Real x1(start = 0, fixed = true), x2(start = 1, fixed = true); {converter}
         der(x1) = 4e4*x2; der(x2) = if x1 < 0 then 4e4 else -4e4; closed = x1 > 0; end M;"
    ));
    for method in ["liqss2", "liqss3"] {
        let last = |m| {
            let t = run_with(m, &experiment(m, 0.01, 1e-4, 100), method, &["u"]);
            t.rows.last().unwrap().1[0]
        };
        let (a, b) = (last(&pulse), last(&wave));
        assert!((a - 15.71392).abs() < 2e-2, "{method}: {a}");
        assert!((a - b).abs() < 2e-2, "{method}: {a} {b}");
    }
}

/// y' = −y(t − 1) with y = 1 before the start. By steps: 1 − t, then + (t − 1)²/2, then − (t − 2)³/6.
#[test]
fn delayed_feedback_is_exact_on_polynomial_pieces() {
    let model =
        compile("model M Real y(start = 1, fixed = true); equation der(y) = -delay(y, 1); end M;");
    let closed = |t: f64| {
        let mut y = 1.0 - t;
        if t > 1.0 {
            y += (t - 1.0).powi(2) / 2.0;
        }
        if t > 2.0 {
            y -= (t - 2.0).powi(3) / 6.0;
        }
        y
    };
    for (method, within) in [
        ("qss3", 1e-12),
        ("liqss3", 1e-12),
        ("qss2", 2e-3),
        ("liqss2", 2e-3),
    ] {
        let e = experiment(&model, 3.0, 1e-3, 30);
        let table = run_with(&model, &e, method, &["y"]);
        for (t, row) in &table.rows {
            let error = (row[0] - closed(*t)).abs();
            assert!(error < within, "{method} at {t}: {} {}", row[0], closed(*t));
        }
    }
}

/// A step at 0.3 comes out 0.5 later, to the bit of its time: the integral at 1 is 0.2.
#[test]
fn a_jump_comes_out_of_a_delay_on_time() {
    let model = compile(
        "model M Real z(start = 0, fixed = true); Real b = if time > 0.3 then 1 else 0; Boolean late;
         equation late = delay(b, 0.5) > 0.5; der(z) = delay(b, 0.5); end M;",
    );
    for method in ["qss1", "qss2", "liqss2"] {
        let e = experiment(&model, 1.0, 1e-3, 100);
        let table = run_with(&model, &e, method, &["z", "late"]);
        let last = table.rows.last().unwrap();
        assert!((last.1[0] - 0.2).abs() < 1e-9, "{method}: {}", last.1[0]);
        let switched = table.rows.iter().find(|r| r.1[1] != 0.0).unwrap();
        assert!((switched.0 - 0.8).abs() < 1e-9, "{method}: {}", switched.0);
    }
}

/// A delayed Integer jumps by one and by more: a condition that holds at zero sees a jump that ends there.
#[test]
fn a_delayed_integer_jumps_to_the_edge_of_a_condition() {
    let model = compile(
        "model M Integer x(start = 1, fixed = true); Integer y;
         equation when {time > 1, time > 2, time > 3.5} then
           x = if pre(x) == 1 then 3 elseif pre(x) == 3 then 4 else 2; end when;
         y = integer(delay(x, 0.25)); end M;",
    );
    for method in ["qss2", "liqss2"] {
        let table = run_with(&model, &experiment(&model, 5.0, 1e-3, 50), method, &["y"]);
        for (t, row) in &table.rows {
            let (d, expected) = (t - 0.25, row[0]);
            if [1.0, 2.0, 3.5].iter().any(|s| (d - s).abs() < 1e-6) {
                continue;
            }
            let x = if d < 1.0 {
                1.0
            } else if d < 2.0 {
                3.0
            } else if d < 3.5 {
                4.0
            } else {
                2.0
            };
            assert_eq!(expected, x, "{method} at {t}");
        }
    }
}

/// A relation of time without events: f is u/(1 + u²) of −0.6 before 0.5 and of 1.06 after it, so x(1) is half of the sum of both.
#[test]
fn a_condition_of_time_without_events_turns() {
    let text = "model M Real x(start = 0, fixed = true), u(start = 1, fixed = true), v = noEvent(if time >= 0.5 then 1.06*u else -0.6*u);
         equation der(x) = v/(1 + v^2); der(u) = 0; end M;";
    let model = compile(text);
    let f = |u: f64| u / (1.0 + u * u);
    let expected = 0.5 * (f(-0.6) + f(1.06));
    for method in ["qss1", "qss2", "qss3", "liqss1", "liqss2", "liqss3", "cqss"] {
        let table = run_with(&model, &experiment(&model, 1.0, 1e-3, 10), method, &["x"]);
        let x = table.rows.last().unwrap().1[0];
        assert!((x - expected).abs() < 2e-3, "{method}: {x} {expected}");
    }
}

/// A characteristic that folds back: x = y + 2 up to the fold at (1, −1), −y in the middle, y − 2 from (−1, 1) on. On the way up the solution jumps from y = −1 to
/// the far branch, y = x + 2: the middle one and the branch that was left ask for each other, so that conditions and values have to be solved together.
#[test]
fn a_fold_jumps_to_its_far_branch() {
    let m = compile(
        "model M Real x(start = -2.05, fixed = true), y(start = -4.05);
         equation der(x) = 6; x = if y < -1 then y + 2 else if y > 1 then y - 2 else -y; end M;",
    );
    for method in METHODS {
        let t = run_with(&m, &experiment(&m, 1.0, 1e-3, 10), method, &["x", "y"]);
        for (time, v) in &t.rows {
            let x = 6.0 * time - 2.05;
            if (x - 1.0).abs() > 0.01 {
                let y = if x < 1.0 { x - 2.0 } else { x + 2.0 };
                assert!((v[1] - y).abs() < 1e-2, "{method} at {time}: {v:?}");
            }
        }
    }
}

/// An assertion of an event is looked at when the event has settled, and says where it is from: n passes through 1 on its way to 2.
#[test]
fn assertions_wait_for_the_end_of_the_event() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true), k(start = 0, fixed = true);
         equation der(x) = 1; when x > 0.5 then n = pre(n) + 2; end when; k = if pre(k) < n then pre(k) + 1 else pre(k);
         assert(k <> 1, \"one\"); end M;",
    );
    for method in METHODS {
        let t = run_with(&m, &experiment(&m, 1.0, 1e-3, 4), method, &["k"]);
        assert_eq!(t.rows.last().unwrap().1[0], 2.0, "{method}");
    }
}

/// Two states of a thousand and a torque of their difference, which is a hundredth of them: with y = b − a, y' = −20y + 6 cos 3t.
#[test]
fn what_the_quanta_leave_uncertain_is_told() {
    let text = "
model M Real a(start = 0, fixed = true), b(start = 0, fixed = true), torque, half; equation
  der(a) = 1000*cos(time); der(b) = 1000*cos(time) + 20*(a - b) + 6*cos(3*time);
  torque = 50*(b - a); half = 0.5*a; end M;";
    let model = compile(text);
    let exact = |t: f64| {
        let decay = (-20.0 * t).exp();
        50.0 * 6.0 * (20.0 * (3.0 * t).cos() + 3.0 * (3.0 * t).sin() - 20.0 * decay) / 409.0
    };
    for method in ["liqss1", "qss2", "mliqss2", "qss3"] {
        let e = experiment(&model, 10.0, 1e-2, 100);
        let table = run_with(&model, &e, method, &["torque", "half"]);
        let warnings = &table.run.stats.warnings;
        let told: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
        let off: f64 = table
            .rows
            .iter()
            .map(|(t, values)| (values[0] - exact(*t)).abs())
            .sum();
        let mean = off / table.rows.len() as f64;
        // The range of the torque is about 30.
        let wrong = mean > 10.0 * 1e-2 * 30.0;
        let named = told.iter().any(|m| m.contains("`torque`"));
        assert!(named || !wrong, "{method}: {mean} {told:?}");
        assert!(!told.iter().any(|m| m.contains("`half`")), "{told:?}");
        if method == "qss2" {
            assert!(wrong && named, "{method}: {mean} {told:?}");
        }
    }
    // With nothing but the other one in the rows there is nothing to tell.
    let mut e = experiment(&model, 10.0, 1e-2, 100);
    e.wanted = model.find("half").map(|(slot, _)| vec![slot]);
    let table = run_with(&model, &e, "qss2", &["half"]);
    assert!(table.run.stats.warnings.is_empty());
}

//! Events on the grid, bad input, and the same bits again.

mod pipeline;

use ferrica_rt::{BdfStart, Formulation, Method, RtOptions};
use pipeline::{compile, run};

const IMPLICIT: [Method; 5] = [
    Method::Bdf1,
    Method::Bdf2,
    Method::Bdf3,
    Method::Trapezoid,
    Method::TrapezoidUnprojected,
];

/// x' = −x against exp(−t): the error falls by 2^order when the step is halved.
#[test]
fn orders() {
    let m = compile("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
    for (method, order) in [
        (Method::Bdf1, 1),
        (Method::Bdf2, 2),
        (Method::Bdf3, 3),
        (Method::Trapezoid, 2),
        (Method::Ode, 2),
    ] {
        let error = |h| {
            let t = run(&m, &RtOptions::new(method), 1.0, h, 1.0, &["x"]);
            (t.last()[0] - (-1.0f64).exp()).abs()
        };
        let ratio: f64 = error(0.02) / error(0.01);
        let found = ratio.log2();
        assert!(
            (found - f64::from(order)).abs() < 0.25,
            "{method:?}: {found}"
        );
    }
}

/// A tank that is emptied below 1 by a switch: x' = 1 until x > 2, then x' = −1 until x < 1. The grid does not meet the thresholds, but each switch is where they are.
#[test]
fn relations_switch_where_they_turn() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); Boolean full(start = false, fixed = true);
         equation full = x > 2 or (pre(full) and x > 1); der(x) = if full then -1 else 1; end M;",
    );
    for method in IMPLICIT {
        let t = run(&m, &RtOptions::new(method), 6.0, 0.7e-3, 0.5, &["x"]);
        // Switches at 2, 3, 4, 5.
        for (time, v) in &t.rows {
            let phase = (time - 2.0).rem_euclid(2.0);
            let exact = if *time <= 2.0 {
                *time
            } else if phase <= 1.0 {
                2.0 - phase
            } else {
                phase
            };
            assert!(
                (v[0] - exact).abs() < 1e-9,
                "{method:?} {time}: {} {exact}",
                v[0]
            );
        }
        // `x > 1` changes at 1, and at each switch both ways, as `x > 2` does at 2 and 4.
        assert_eq!(t.run().stats.state_events, 9, "{method:?}");
        assert_eq!(t.run().unsettled_events, 0);
    }
}

/// A ball bounces: the first impact is at √(2/g). The rows beside it are at this time, before and behind the reset.
#[test]
fn states_are_reset() {
    let m = compile(
        "model M Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
         equation der(h) = v; der(v) = -9.81;
         when h < 0 then reinit(v, -0.8*pre(v)); reinit(h, 0); end when; end M;",
    );
    for method in IMPLICIT {
        let t = run(&m, &RtOptions::new(method), 1.0, 1e-4, 0.01, &["h", "v"]);
        assert_eq!(t.run().stats.state_events, 1, "{method:?}");
        let k = t
            .rows
            .windows(2)
            .position(|w| w[0].1[1] < 0.0 && w[1].1[1] > 0.0)
            .expect("the ball turns");
        let (before, after) = (&t.rows[k], &t.rows[k + 1]);
        let impact = (2.0f64 / 9.81).sqrt();
        assert!((before.0 - impact).abs() <= 2e-4, "{method:?} {}", before.0);
        assert_eq!(after.0, before.0, "{method:?}");
        assert!(before.1[0].abs() < 1e-9, "{method:?}: not at the floor");
        assert!(before.1[1] < -4.4 && after.1[1] > 3.5, "{method:?}");
        let (left, up) = (1.0 - impact, 0.8 * 9.81 * impact);
        let exact = up * left - 0.5 * 9.81 * left * left;
        assert!(
            (t.last()[0] - exact).abs() < 2e-3,
            "{method:?} {}",
            t.last()[0]
        );
    }
}

/// Samples every 0.1 s on a grid of 0.01 s; the counter does not end the multistep history.
#[test]
fn samples() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Integer n(start = 0, fixed = true);
         equation der(x) = -x; when sample(0, 0.1) then n = pre(n) + 1; end when; end M;",
    );
    let t = run(
        &m,
        &RtOptions::new(Method::Bdf3),
        1.0,
        0.01,
        0.05,
        &["x", "n"],
    );
    assert_eq!(t.last()[1], 11.0);
    assert_eq!(t.run().stats.time_events, 10);
    let plain = compile("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
    let p = run(
        &plain,
        &RtOptions::new(Method::Bdf3),
        1.0,
        0.01,
        0.05,
        &["x"],
    );
    assert!((t.last()[0] - p.last()[0]).abs() < 1e-12);
}

/// Instants that no grid point is left for are not lost in silence: the run is refused with the step that would do.
#[test]
fn instants_between_grid_points_are_not_lost() {
    let sampled = compile(
        "model M Integer n(start = 0, fixed = true);
         equation when sample(0, 0.01) then n = pre(n) + 1; end when; end M;",
    );
    let chained = compile(
        "model M Real next(start = 0.01, fixed = true); Integer n(start = 0, fixed = true);
         equation when time >= pre(next) then next = pre(next) + 0.01; n = pre(n) + 1; end when; end M;",
    );
    let short = compile(
        "model M Real x(start = 0, fixed = true);
         equation der(x) = if time >= 0.52 and time < 0.57 then 1 else 0; end M;",
    );
    let repeated = compile(
        "model M Real x(start = 0, fixed = true);
         equation der(x) = if mod(time, 0.02) < 0.01 then 1 else 0; end M;",
    );
    for method in Method::ALL {
        let options = RtOptions::new(method);
        for (m, needed) in [(&sampled, "0.01"), (&chained, "0.01")] {
            let refused = match run(m, &options, 1.0, 0.1, 0.1, &["n"]).end {
                Err(e) => e,
                Ok(_) => panic!("{method:?}: lost"),
            };
            assert_eq!(refused.code, "E0615", "{method:?}");
            let hint = refused.hint.unwrap_or_default();
            assert!(hint.contains(needed), "{method:?}: {hint}");
        }
        let refused = run(&repeated, &options, 1.0, 0.1, 0.1, &["x"]).end;
        assert!(refused.is_err_and(|e| e.code == "E0615"), "{method:?}");
        // 101 instants from 0 to 1, and 100 from 0.01 on.
        let t = run(&sampled, &options, 1.0, 0.01, 0.1, &["n"]);
        assert_eq!(t.last(), [101.0], "{method:?}");
        let t = run(&chained, &options, 1.0, 0.005, 0.1, &["n"]);
        assert!((t.last()[0] - 100.0).abs() <= 1.0, "{method:?}");
        // Two conditions of one step, each of which changes once.
        let t = run(&short, &options, 1.0, 0.1, 0.1, &["x"]);
        assert!((t.last()[0] - 0.05).abs() <= 1e-12, "{method:?}");
    }
}

/// Three pulses within one step act for as long as they last. More of them than a step can meet act at its end, and that is told.
#[test]
fn pulses_within_a_step() {
    let pulses = |count: usize| {
        let text: Vec<String> = (0..count)
            .map(|k| {
                format!(
                    "(if time >= {0} and time < {0} + 0.003 then 1 else 0)",
                    0.51 + 0.01 * k as f64
                )
            })
            .collect();
        compile(&format!(
            "model M Real x(start = 0, fixed = true); equation der(x) = {}; end M;",
            text.join(" + ")
        ))
    };
    for method in Method::ALL {
        let found = |count: usize| {
            let t = run(
                &pulses(count),
                &RtOptions::new(method),
                1.0,
                0.05,
                0.1,
                &["x"],
            );
            let warnings = &t.run().stats.warnings;
            let two = |w: &&ferrica_sim::Warning| w.message.contains("two conditions of time");
            (t.last()[0], warnings.iter().filter(two).count())
        };
        let (x, told) = found(2);
        assert!(
            (x - 0.006).abs() < 1e-12 && told == 0,
            "{method:?} {x} {told}"
        );
        assert_eq!(found(4).1, 1, "{method:?}");
    }
}

/// A heater that turns on below 0.4 and off above 0.6, x' = u − x, beside an oscillation of its own: between its events exponentials and circles, whose
/// instants are 0.6 = 1 − (1 − x₀) e^−t and so on. The error falls with the order of the formula through all of them.
#[test]
fn orders_through_events() {
    let m = compile(
        "model M Real x(start = 0, fixed = true), c(start = 1, fixed = true), s(start = 0, fixed = true);
           Real work(start = 0, fixed = true); Boolean on(start = true, fixed = true);
         equation
           on = not (x > 0.6 or not pre(on) and x > 0.4);
           der(x) = (if on then 1 else 0) - x; der(c) = -s; der(s) = c; der(work) = if on then c else 0;
         end M;",
    );
    let exact = |end: f64| {
        // Behind the first 0.6 both parts of a cycle last ln(0.6/0.4).
        let first = (1.0f64 / 0.4).ln();
        let half = (0.6f64 / 0.4).ln();
        let (mut t, mut on, mut work) = (0.0, true, 0.0);
        let mut next = first;
        loop {
            let until = f64::min(next, end);
            if on {
                work += until.sin() - f64::sin(t);
            }
            if next >= end {
                return work;
            }
            (t, on, next) = (next, !on, next + half);
        }
    };
    for (method, order) in [
        (Method::Bdf1, 1),
        (Method::Bdf2, 2),
        (Method::Bdf3, 2),
        (Method::Trapezoid, 2),
        (Method::TrapezoidUnprojected, 2),
        (Method::Ode, 2),
    ] {
        let error = |h: f64| {
            let t = run(&m, &RtOptions::new(method), 6.0, h, 1.0, &["work"]);
            (t.last()[0] - exact(6.0)).abs()
        };
        // Over a factor of eight, so that the places of the events in their steps count less.
        let ratio: f64 = (error(0.04) + error(0.036)) / (error(0.005) + error(0.0045));
        let found = ratio.log2() / 3.0;
        assert!(found > f64::from(order) - 0.3, "{method:?}: {found}");
    }
}

/// Instants of a sampler that is slower than the grid and never on it but at multiples of 0.3: each is taken once, in order and with its own time.
#[test]
fn instants_off_the_grid_come_at_the_next_point() {
    let m = compile(
        "model M Integer n(start = 0, fixed = true); discrete Real last(start = -1, fixed = true);
         equation when sample(0, 0.15) then n = pre(n) + 1; last = time; end when; end M;",
    );
    for method in Method::ALL {
        let t = run(&m, &RtOptions::new(method), 1.0, 0.1, 0.1, &["n", "last"]);
        for (time, v) in &t.rows {
            let seen = (time / 0.15 + 1e-9).floor();
            // Of two rows at one time the first is before the event.
            assert!(
                v[0] == seen + 1.0 || v[0] == seen,
                "{method:?} {time}: {v:?}"
            );
            assert!(
                (v[1] - 0.15 * (v[0] - 1.0)).abs() < 1e-12,
                "{method:?} {time}"
            );
        }
        assert_eq!(t.last()[0], 7.0, "{method:?}");
    }
}

/// Explicit steps of an undamped oscillation grow by |1 + iz − z²/2| each; the trapezoidal rule rings in a mode of −1e6/s with steps of 1 ms. Both are told.
#[test]
fn steps_that_are_too_long_are_told() {
    let swing = compile(
        "model M Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
         equation der(x) = 100*v; der(v) = -100*x; end M;",
    );
    let refused = run(
        &swing,
        &RtOptions::new(Method::Ode),
        20.0,
        0.01,
        0.1,
        &["x"],
    );
    let error = refused.end.expect_err("the formula diverges");
    assert_eq!(error.code, "E0616");
    assert!(error.to_string().contains("stable here up to"), "{error}");
    let growing = compile("model M Real x(start = 1, fixed = true); equation der(x) = x; end M;");
    let t = run(
        &growing,
        &RtOptions::new(Method::Ode),
        20.0,
        0.01,
        1.0,
        &["x"],
    );
    assert!((t.last()[0] / 20.0f64.exp() - 1.0).abs() < 1e-2);
    let stiff = compile(
        "model M Real x(start = 1, fixed = true); equation der(x) = -1e6*(x - 0.1); end M;",
    );
    let warned = |method| {
        let t = run(&stiff, &RtOptions::new(method), 1.0, 1e-3, 0.1, &["x"]);
        let warnings = &t.run().stats.warnings;
        warnings
            .iter()
            .any(|w| w.message.contains("`x` rings with every step"))
    };
    assert!(warned(Method::Trapezoid));
    assert!(!warned(Method::Bdf2));
}

/// What the states determine is computed from them, jumps included; y = x' is one of the outputs.
#[test]
fn explicit_steps_integrate_states_only() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Real y, z;
         equation der(x) = -x; y = sign(sin(7*time)); z = der(x); end M;",
    );
    let t = run(
        &m,
        &RtOptions::new(Method::Ode),
        1.0,
        0.01,
        0.1,
        &["x", "y", "z"],
    );
    for (time, v) in &t.rows {
        assert!((v[0] - (-time).exp()).abs() < 1e-4, "{time}");
        assert_eq!(
            v[1],
            if *time == 0.0 {
                0.0
            } else {
                (7.0 * time).sin().signum()
            },
            "{time}"
        );
        assert!((v[2] + v[0]).abs() < 1e-12, "{time}");
    }
}

/// Output points between grid points, and a stop time that is none.
#[test]
fn grid_and_output_points_differ() {
    let m = compile("model M Real x(start = 0, fixed = true); equation der(x) = 2; end M;");
    let t = run(&m, &RtOptions::new(Method::Bdf2), 1.0, 0.3, 0.25, &["x"]);
    let times: Vec<f64> = t.rows.iter().map(|r| r.0).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    for (time, v) in &t.rows {
        assert!((v[0] - 2.0 * time).abs() < 1e-12, "{time}");
    }
    assert_eq!(t.run().stats.end_time, 1.0);
}

#[test]
fn bad_input_is_refused() {
    let m = compile("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
    let message = |step: f64, iterations: usize| {
        let mut options = RtOptions::new(Method::Bdf2);
        options.iterations = iterations;
        match run(&m, &options, 1.0, step, 0.1, &["x"]).end {
            Err(e) => e.to_string(),
            Ok(_) => panic!("step {step}, iterations {iterations} must be refused"),
        }
    };
    assert!(message(0.0, 1).contains("a step of 0 is not possible"));
    assert!(message(f64::NAN, 1).contains("not possible"));
    assert!(message(2.0, 1).contains("longer than the run from 0 to 1"));
    assert!(message(0.1, 0).contains("zero Newton iterations"));
}

/// The square root of a negative number from t = 0.5 on: an error that says when, and the rows before it.
#[test]
fn not_a_number_keeps_results() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); Real y; equation der(x) = 1; y = noEvent(sqrt(0.505 - x)); end M;",
    );
    let mut options = RtOptions::new(Method::Bdf1);
    options.formulation = Formulation::Full;
    let t = run(&m, &options, 1.0, 0.01, 0.1, &["x", "y"]);
    let Err(e) = t.end else { panic!("must fail") };
    assert!(e.to_string().contains("time 0.51"), "{e}");
    assert!((e.time - 0.51).abs() < 1e-9, "{}", e.time);
    assert_eq!(t.rows.len(), 6);
    assert!((t.rows[5].1[0] - 0.5).abs() < 1e-9);
}

/// The causal formulation notices an output without a value when it is written, an unknown of the step at once.
#[test]
fn not_a_number_in_the_causal_formulation() {
    let options = RtOptions::new(Method::Bdf1);
    let output = compile(
        "model M Real x(start = 0, fixed = true); Real y; equation der(x) = 1; y = noEvent(sqrt(0.505 - x)); end M;",
    );
    let t = run(&output, &options, 1.0, 0.01, 0.1, &["x", "y"]);
    let Err(e) = t.end else { panic!("must fail") };
    assert!(e.to_string().contains("`y` is NaN at time 0.6"), "{e}");
    assert_eq!(t.rows.len(), 6);
    let state = compile(
        "model M Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
         equation der(x) = 1; der(y) = noEvent(sqrt(0.505 - x)); end M;",
    );
    let t = run(&state, &options, 1.0, 0.01, 0.1, &["x", "y"]);
    let Err(e) = t.end else { panic!("must fail") };
    assert!((e.time - 0.51).abs() < 1e-9, "{e}");
    assert_eq!(t.rows.len(), 6);
}

/// Two runs give the same bits, also while machine code takes over from the interpreter.
#[test]
fn reruns_are_bit_identical() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Real v(start = 0, fixed = true); Real f;
         equation der(x) = v; der(v) = f; f = -sin(x) - 0.1*v*abs(v) + (if x > 0.5 then 0.1*exp(-time) else 0); end M;",
    );
    for method in IMPLICIT {
        let mut options = RtOptions::new(method);
        options.start = BdfStart::Constant;
        let bits = || -> Vec<Vec<u64>> {
            let t = run(&m, &options, 20.0, 1e-3, 0.02, &["x", "v", "f"]);
            t.run();
            let of = |r: &(f64, Vec<f64>)| r.1.iter().map(|v| v.to_bits()).collect();
            t.rows.iter().map(of).collect()
        };
        let first = bits();
        assert!(first == bits(), "{method:?}");
    }
}

/// A product that nothing else reads is exact after two iterations, and its own corrections do not
/// make a step one that has not converged.
#[test]
fn outputs_do_not_count_as_unconverged() {
    let m = compile(
        "model M Real x(start = 1, fixed = true); Real p; Real q; equation der(x) = -100*x; p = 1e3*x*x; q = p*x; end M;",
    );
    let mut options = RtOptions::new(Method::Bdf2);
    options.iterations = 2;
    let t = run(&m, &options, 0.1, 1e-3, 0.01, &["x", "p"]);
    assert_eq!(t.run().unconverged_steps, 0);
    let (x, p) = (t.last()[0], t.last()[1]);
    assert!((p - 1e3 * x * x).abs() < 1e-12 * p.max(1.0), "{p} {x}");
}

/// y(t) = x(t − 0.5) with x = t: exact for linear signals once the delay has passed.
#[test]
fn delays() {
    let m = compile(
        "model M Real x(start = 0, fixed = true); Real y; equation der(x) = 1; y = delay(x, 0.5); end M;",
    );
    let t = run(&m, &RtOptions::new(Method::Bdf2), 1.0, 0.01, 0.1, &["y"]);
    assert!((t.last()[0] - 0.5).abs() < 1e-9, "{}", t.last()[0]);
}

/// A three-phase bridge of bare Shockley diodes with line inductances, whose direct voltage without them would be 3√3/π times the crest: each commutation
/// costs 3ωL/π times the load's current. The solvers agree with each other, and with that mean to the ripple.
#[test]
fn bridge_of_bare_diodes() {
    let m = compile(
        "model M
           parameter Real Is = 1e-12, Vt = 0.025, L = 1e-3, Ld = 0.1, R = 20, w = 100*3.141592653589793;
           Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), i3, id(start = 0, fixed = true);
           Real v1, v2, v3, p, n, g;
           Real a1, a2, a3, b1, b2, b3, mean(start = 0, fixed = true);
         equation
           L*der(i1) = 100*sin(w*time) - v1 - g;
           L*der(i2) = 100*sin(w*time - 2.0943951023931953) - v2 - g;
           L*der(i3) = 100*sin(w*time + 2.0943951023931953) - v3 - g;
           i1 + i2 + i3 = 0; n = 0;
           a1 = Is*(exp((v1 - p)/Vt) - 1); a2 = Is*(exp((v2 - p)/Vt) - 1); a3 = Is*(exp((v3 - p)/Vt) - 1);
           b1 = Is*(exp((n - v1)/Vt) - 1); b2 = Is*(exp((n - v2)/Vt) - 1); b3 = Is*(exp((n - v3)/Vt) - 1);
           i1 = a1 - b1; i2 = a2 - b2; i3 = a3 - b3;
           a1 + a2 + a3 = id; Ld*der(id) = p - n - R*id;
           der(mean) = if time > 0.06 then id/0.02 else 0;
         end M;",
    );
    let w = 100.0 * std::f64::consts::PI;
    let mut found = Vec::new();
    for method in IMPLICIT {
        let mut options = RtOptions::new(method);
        options.iterations = 12;
        let t = run(&m, &options, 0.08, 1e-5, 1e-3, &["mean", "id"]);
        found.push(t.last()[0]);
    }
    let open = 3.0 * 3f64.sqrt() / std::f64::consts::PI * 100.0;
    let drop = 2.0 * 0.025 * (8.0f64 / 1e-12).ln();
    let expected = (open - drop) / (20.0 + 3.0 * w * 1e-3 / std::f64::consts::PI);
    for mean in &found {
        assert!((mean / expected - 1.0).abs() < 5e-3, "{mean} {expected}");
        assert!((mean / found[1] - 1.0).abs() < 1e-3, "{found:?}");
    }
}

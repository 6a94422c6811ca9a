//! What happens at single instants: relations that turn right after the start, located crossings whose limits an event moves, delayed signals
//! before the start, jumps that travel on and on, events that accumulate, conditions on the start that contradict each other. Against closed
//! forms, with every solver that marches by steps.

mod common;

use common::{Table, launch, run};

const VARIABLE: [&str; 4] = ["auto", "bdf", "radau", "dopri5"];
const ALL: [&str; 6] = ["auto", "bdf", "radau", "dopri5", "rk4", "euler"];

fn each(name: &str, text: &str, solvers: &[&str], args: &[&str], check: impl Fn(&str, &Table)) {
    for &solver in solvers {
        let args = [args, &["--solver", solver, "--verify"]].concat();
        check(solver, &run(&format!("{name}-{solver}"), text, &args));
    }
}

fn refused(name: &str, text: &str, args: &[&str], code: &str) {
    let done = launch(name, text, args);
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{name}: {message}");
    assert!(message.contains(&format!("[{code}]")), "{name}: {message}");
}

/// `time > 0` is false at 0 and true right after it, and so is `time > T` where an event has set T to its own time.
#[test]
fn relations_turn_right_after_the_start() {
    let text = "model M Boolean b = time > 0, c = time <= 0; Integer n(start=0, fixed=true), m(start=0, fixed=true);
        Real T(start=10, fixed=true), x(start=0, fixed=true);
        equation der(x) = if b then 1 else 100;
        when time > 0 then n = pre(n) + 1; end when;
        when sample(0.25, 10) then T = time; end when;
        when time > T then m = pre(m) + 1; end when;
        end M;";
    each("right-after", text, &ALL, &[], |solver, r| {
        assert_eq!((r.first("b"), r.first("c")), (0.0, 1.0), "{solver}");
        assert_eq!((r.last("b"), r.last("c")), (1.0, 0.0), "{solver}");
        assert_eq!((r.last("n"), r.last("m")), (1.0, 1.0), "{solver}");
        assert!(
            (r.last("x") - 1.0).abs() < 1e-9,
            "{solver}: {}",
            r.last("x")
        );
    });
    let late = text
        .replace("time > 0", "time > -1")
        .replace("time <= 0", "time <= -1");
    each(
        "right-after-late",
        &late,
        &ALL,
        &["--start", "-1"],
        |solver, r| {
            assert_eq!(
                (r.first("b"), r.last("b"), r.last("n")),
                (0.0, 1.0, 1.0),
                "{solver}"
            );
        },
    );
}

/// A sampled controller with a quantized measurement: what was located is the limit before the event, not the next one.
#[test]
fn limits_that_move_at_an_event_are_looked_at_again() {
    let text = "model Pid parameter Real Ts=0.1, q=0.01; Real x(start=0, fixed=true), v(start=0, fixed=true);
        discrete Real u(start=0, fixed=true), e(start=0, fixed=true), I(start=0, fixed=true); Real m = q*floor(x/q);
        equation der(x) = v; der(v) = u - 0.5*v;
        when sample(0, Ts) then e = 1 - m; I = pre(I) + Ts*e; u = 2*e + 0.5*I + 0.8*(e - pre(e))/Ts; end when;
        annotation(experiment(StopTime=10)); end Pid;";
    each(
        "quantized-pid",
        text,
        &VARIABLE,
        &["--tol", "1e-3"],
        |solver, r| {
            for (x, m) in r["x"].iter().zip(&r["m"]) {
                // A row before the event is on the step before.
                let off = x - m;
                assert!((-1e-4..0.0101).contains(&off), "{solver}: {x} {m}");
            }
        },
    );
}

/// While a model is initialized `delay(u)` is `u`: z = 3 − a·z, whether or not going from z to z leads there.
#[test]
fn delayed_signals_before_the_start() {
    let text = "model D parameter Real a=0.5; Real z, x; initial equation der(x) = 0;
        equation z = 3 - a*delay(z, 0.4); der(x) = -x + 0.5*delay(x, 0.2) + 1; end D;";
    for a in [0.5, 1.0, 2.0, -3.0] {
        let value = format!("a={a}");
        each(
            &format!("history{a}"),
            text,
            &VARIABLE,
            &["-p", &value, "--stop", "0.3"],
            |solver, r| {
                let z = 3.0 / (1.0 + a);
                assert!(
                    (r.first("z") - z).abs() < 1e-6,
                    "{solver} {a}: {}",
                    r.first("z")
                );
                assert!(
                    (r.last("z") - z).abs() < 1e-6,
                    "{solver} {a}: {}",
                    r.last("z")
                );
                // Steady: x = 2.
                assert!(
                    (r.first("x") - 2.0).abs() < 1e-6,
                    "{solver}: {}",
                    r.first("x")
                );
                assert!(
                    (r.last("x") - 2.0).abs() < 1e-6,
                    "{solver}: {}",
                    r.last("x")
                );
            },
        );
    }
}

/// A jump that goes round a loop of 0.1 s ten times meets a sampler with the same interval each time: n counts the instants at
/// which both are seen with the same value.
#[test]
fn jumps_that_travel_on_meet_events_at_their_time() {
    let text = "model J Real u = if time < 0.1 then 0 else 1; Real d[30]; Integer n(start=0, fixed=true); Real x(start=0, fixed=true);
        equation d[1] = delay(u, 0.1); for k in 2:30 loop d[k] = delay(d[k-1], 0.1); end for; der(x) = sum(d);
        when sample(0.2, 0.1) then n = pre(n) + integer(sum(d) + 0.5); end when;
        annotation(experiment(StopTime=3.05)); end J;";
    // Element k is one from 0.1·(k + 1) on: the integral is Σ (3.05 − 0.1·(k + 1)) over those before the end.
    let x: f64 = (1..30).map(|k| 3.05 - 0.1 * f64::from(k + 1)).sum();
    each("travelling", text, &VARIABLE, &[], |solver, r| {
        assert!(
            (r.last("x") - x).abs() < 1e-6 * x,
            "{solver}: {} {x}",
            r.last("x")
        );
        assert_eq!(r.last("n"), (1..30).sum::<i32>().into(), "{solver}");
    });
}

/// Behind the time at which its impacts accumulate a bouncing ball has no motion that the model describes.
#[test]
fn events_that_accumulate_end_the_run() {
    let text = "model Ball Real h(start=1, fixed=true), v(start=0, fixed=true);
        equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -0.7*pre(v)); end when;
        annotation(experiment(StopTime=5)); end Ball;";
    for solver in VARIABLE {
        refused(
            &format!("zeno-{solver}"),
            text,
            &["--solver", solver],
            "E0614",
        );
    }
    // Engines whose events are as coarse as a step or a quantum lose the last ones, and say so.
    let coarse: [&[&str]; 10] = [
        &["--solver", "qss2"],
        &["--solver", "qss3"],
        &["--solver", "liqss2"],
        &["--solver", "rt-tr", "--step", "1e-3"],
        &["--solver", "rt-tr", "--step", "2e-2"],
        &["--solver", "rt-bdf1", "--step", "1e-3"],
        &["--solver", "rt-ode", "--step", "1e-3"],
        &["--inline", "trapezoid", "--step", "1e-3"],
        &["--partition", "tlm", "--step", "1e-3"],
        &["--partition", "tlm", "--step", "1e-2"],
    ];
    for (k, args) in coarse.iter().enumerate() {
        refused(&format!("zeno-coarse-{k}"), text, args, "E0614");
    }
    // A ball that is held when it is slow comes to rest, in all of them.
    let held = "model Held Real h(start=1, fixed=true), v(start=0, fixed=true); Boolean flies(start=true, fixed=true);
        equation der(h) = v; der(v) = if flies then -9.81 else 0;
        when h <= 0 then flies = -0.7*pre(v) > 0.2; reinit(v, if -0.7*pre(v) > 0.2 then -0.7*pre(v) else 0); end when;
        annotation(experiment(StopTime=5)); end Held;";
    for (k, args) in coarse.iter().enumerate() {
        let r = run(&format!("held-coarse-{k}"), held, args);
        assert!(r.last("h").abs() < 0.1, "{args:?}: {}", r.last("h"));
    }
    // √(2h/g)·(1 + 2·0.7/0.3) = 2.56: before it all is well.
    each(
        "zeno-before",
        text,
        &VARIABLE,
        &["--stop", "2.5"],
        |_, r| assert!(r.last("h") > -1e-6),
    );
}

/// Conditions that the others determine already must agree with them.
#[test]
fn contradictory_conditions_on_the_start() {
    let model = |declared: &str, initial: &str, equations: &str| {
        format!("model M {declared} initial equation {initial} equation {equations} end M;")
    };
    let x = "Real x(start=1, fixed=true);";
    let wrong = [
        model("Real x, y;", "x = 1; y = 3;", "der(x) = -x; y = 2*x;"),
        model("Real x;", "x = 1; x = 2;", "der(x) = -x;"),
        model(x, "x = 2;", "der(x) = -x;"),
        model(
            "Real x(start=1, fixed=true), y(start=2, fixed=true);",
            "",
            "der(x) = -x; y = x;",
        ),
        model(
            "parameter Real p=3; Real x(start=1, fixed=true), y(start=p, fixed=true);",
            "",
            "der(x) = -x; y = x;",
        ),
    ];
    for (k, text) in wrong.iter().enumerate() {
        refused(&format!("contradiction{k}"), text, &[], "E0503");
    }
    let right = model(
        "parameter Real p=1; Real x(start=1, fixed=true), y(start=p, fixed=true);",
        "2*x = 2;",
        "der(x) = -x; y = x;",
    );
    run("no-contradiction", &right, &[]);
}

/// Without events a condition follows its values between them.
#[test]
fn conditions_without_events_follow() {
    let text = "model N Real x(start=0, fixed=true), y(start=0, fixed=true); Boolean b = noEvent(x > 1), c = not b;
        equation der(x) = 1; der(y) = if b then 1 else 0; annotation(experiment(StopTime=2)); end N;";
    each("no-event", text, &ALL, &[], |solver, r| {
        for (k, x) in r["x"].iter().enumerate() {
            assert_eq!(r["b"][k] != 0.0, *x > 1.0, "{solver} {x}");
            assert_eq!(r["c"][k] == 0.0, *x > 1.0, "{solver} {x}");
        }
        let off = (r.last("y") - 1.0).abs();
        assert!(off < 0.01, "{solver}: {off}");
    });
}

/// An equation that does not say what its unknown is, in a mode that it is in, is no equation.
#[test]
fn equations_that_vanish_in_a_mode_are_noticed() {
    let text = "model V Real x(start=0); equation 0 = if x < 3 then 1 else x - 5; end V;";
    let done = launch("vanishing", text, &[]);
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{message}");
}

/// All kinds of engines; a step of the fixed ones that divides the output interval.
const ENGINES: [&[&str]; 14] = [
    &["--solver", "auto"],
    &["--solver", "bdf"],
    &["--solver", "radau"],
    &["--solver", "dopri5"],
    &["--solver", "rk4", "--step", "0.05"],
    &["--solver", "euler", "--step", "0.1"],
    &["--solver", "rt-tr", "--step", "0.1"],
    &["--solver", "rt-bdf2", "--step", "0.05"],
    &["--solver", "rt-ode", "--step", "0.1"],
    &["--inline", "trapezoid", "--step", "0.1"],
    &["--solver", "qss2"],
    &["--solver", "qss3"],
    &["--solver", "liqss2"],
    &["--solver", "cqss"],
];

/// Times of rows and of samplers are the numbers that their decimals say, 0.3 and not 0.30000000000000004; so both are one.
#[test]
fn times_are_those_that_the_decimals_say() {
    let text = "model M Real x(start=0, fixed=true); Real last(start=0, fixed=true);
        equation der(x) = 1; when sample(0.3, 0.1) then last = time; end when; end M;";
    let times: Vec<f64> = (0..=21)
        .map(|k| format!("{}.{}", k / 10, k % 10).parse().unwrap())
        .collect();
    for engine in ENGINES {
        let args = [engine, &["--stop", "2.1", "--interval", "0.1"]].concat();
        let r = run(&format!("decimals-{}", engine[1]), text, &args);
        let mut rows = r["time"].clone();
        rows.dedup();
        assert_eq!(rows, times, "{engine:?}");
        let mut samples = r["last"].clone();
        samples.dedup();
        assert_eq!(samples[1..], times[3..], "{engine:?}");
    }
}

/// A condition without an event has no slope, and is read at its row all the same: what it decides is not a step late, in rows and in
/// derivatives. Closed form: sin(3 t) > 1/2 for 2π/9 of each period, and the integral of its complement with an error of some steps.
#[test]
fn a_condition_without_a_slope_is_no_step_late() {
    let text = "model M Real u, y, n, w, x(start=0, fixed=true);
        equation u = sin(3*time); y = noEvent(if u > 0.5 then 1 else 0); n = exp(-u^2/4);
        w = noEvent(if u >= 0 then u*exp(-u) else 0); der(x) = noEvent(if u > 0.5 then 0 else 1); end M;";
    for engine in ENGINES {
        let args = [
            engine,
            &[
                "--stop",
                "4",
                "--interval",
                "0.1",
                "--verify",
                "--tol",
                "1e-4",
            ],
        ]
        .concat();
        let r = run(&format!("no-slope-{}", engine[1]), text, &args);
        let rows = r["time"].iter().zip(&r["y"]);
        for (t, y) in rows {
            let right = f64::from((3.0 * t).sin() > 0.5);
            assert_eq!(*y, right, "{engine:?} at {t}");
        }
        // Two intervals of 2π/9 before t = 4.
        let right = 4.0 - 4.0 * std::f64::consts::PI / 9.0;
        assert!(
            (r.last("x") - right).abs() < 0.21,
            "{engine:?}: {}",
            r.last("x")
        );
    }
}

/// A row at the time of an event is the one after it, also where rounding puts the event behind the row: 0.15 + 0.025 is more than 0.175.
/// The pulse is on in the first half of each 0.05.
#[test]
fn a_row_at_an_event_is_the_one_after_it() {
    let text = "model M discrete Real since(start=0, fixed=true); Boolean on = time >= since and time < since + 0.025;
        equation when sample(0, 0.05) then since = time; end when; end M;";
    let quantized = ["qss1", "qss2", "qss3", "liqss2", "mliqss2", "cqss"];
    let solvers = [&VARIABLE[..], &["rk4"], &quantized].concat();
    let args = ["--interval", "0.025", "--event-rows", "off"];
    each("row-at-event", text, &solvers, &args, |solver, r| {
        for (k, on) in r["on"].iter().enumerate() {
            assert_eq!(*on, f64::from(k % 2 == 0), "{solver} in row {k}");
        }
    });
}

/// 0.2 + 0.2 + 0.2 is a rounding more than 0.6: what begins there has begun at the end of a run to 0.6, with the side that it begins on.
#[test]
fn an_event_a_rounding_behind_the_end_is_at_the_end() {
    let text = "model M parameter Real w = 0.2; Real r, s, x(start=0, fixed=true);
        equation r = if time < w + w + w then 0 else time - (w + w + w);
        s = if noEvent(r >= 0) then 1 else -1; der(x) = s; end M;";
    let args = ["--stop", "0.6", "--interval", "0.1"];
    each("at-the-end", text, &ALL, &args, |solver, r| {
        assert_eq!((r.last("r"), r.last("s")), (0.0, 1.0), "{solver}");
        assert_eq!(r.last("time"), 0.6, "{solver}");
    });
}

/// Instants that come so fast that numbers cannot tell them apart, and delays that are as short beside a long one: the run ends, by itself.
#[test]
fn instants_and_delays_beyond_the_resolution_of_time() {
    let samples = "model M Integer n(start=0, fixed=true); Real x(start=0, fixed=true);
        equation der(x) = 1; when sample(0.005, 1e-300) then n = pre(n) + 1; end when; end M;";
    for solver in ["auto", "bdf", "euler", "qss2"] {
        let name = format!("samples-{solver}");
        refused(&name, samples, &["--solver", solver], "E0505");
    }
    let resting = "model M Real y = if time > 0.5 then 1 else 0, z, w; Real x(start=0, fixed=true);
        equation der(x) = z; z = delay(y, 0.25); w = delay(y, 1e-5); end M;";
    // z is 1 from 0.75 to 1.
    each("resting", resting, &["auto", "bdf"], &[], |solver, r| {
        let x = r.last("x");
        assert!((x - 0.25).abs() < 1e-9, "{solver}: {x}");
    });
}

/// A jump that comes out of a delay between two grid points leaves the order of a formula what it is: x' = −3x + u(t − T) from rest, u a step at t₀, is
/// (1 − e^(−3(t − t₀ − T)))/3. The same where it travels back and forth on a line: w = u − w(t − T)/2.
#[test]
fn a_jump_out_of_a_delay_keeps_the_order() {
    let (first, delay) = (0.1234567, 0.25317);
    let from = |t: f64, begin: f64| (1.0 - (-3.0 * (t - begin).max(0.0)).exp()) / 3.0;
    let once = from(1.0, first + delay);
    let again: f64 = (0..4)
        .map(|k| (-0.5f64).powi(k) * from(1.0, first + f64::from(k) * delay))
        .sum();
    let texts = [
        (
            "once",
            "model M Real u = if time >= 0.1234567 then 1.0 else 0.0; Real x(start=0, fixed=true);
             equation der(x) = -3*x + delay(u, 0.25317); end M;",
            once,
        ),
        (
            "again",
            "model M Real u = if time >= 0.1234567 then 1.0 else 0.0; Real w = u - 0.5*delay(w, 0.25317); Real x(start=0, fixed=true);
             equation der(x) = -3*x + w; end M;",
            again,
        ),
    ];
    let formulas = [
        ["--solver", "rt-tr"],
        ["--solver", "rt-bdf2"],
        ["--solver", "rt-bdf3"],
        ["--solver", "rt-ode"],
        ["--inline", "trapezoid"],
        ["--inline", "bdf2"],
    ];
    for (name, text, x) in texts {
        for formula in formulas {
            let error = |step: &str| {
                let args = [&formula[..], &["--step", step]].concat();
                let name = format!("delayed-{name}-{}-{step}", formula[1]);
                (run(&name, text, &args).last("x") - x).abs()
            };
            let (coarse, fine) = (error("1e-2"), error("2.5e-3"));
            assert!(
                coarse < 1e-4 && fine < 0.12 * coarse,
                "{name} {formula:?}: {coarse} {fine}"
            );
        }
    }
}

/// exp(-t) falls below a half at ln 2, and 1 - sin(t) below a thousandth only around pi/2, within one step: the run ends there, and its last row is the first one
/// that the assertion does not permit.
#[test]
fn an_assertion_is_told_where_it_fails() {
    let text = "model M Real x(start=1, fixed=true); equation der(x) = -x; assert(x > 0.5, \"too low\"); end M;";
    for solver in ALL {
        let done = launch(
            &format!("falls-{solver}"),
            text,
            &[
                "--solver",
                solver,
                "--tol",
                "1e-9",
                "--interval",
                if solver == "euler" { "1e-5" } else { "0.05" },
            ],
        );
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        let rows = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(told.contains("E0607"), "{solver}: {told}");
        let last: Vec<f64> = rows
            .lines()
            .last()
            .unwrap()
            .split(',')
            .map(|v| v.parse().unwrap())
            .collect();
        assert!((last[0] - 2_f64.ln()).abs() < 1e-5, "{solver}: {last:?}");
        assert!(last[1] <= 0.5 && last[1] > 0.4999, "{solver}: {last:?}");
    }
    let text = "model M Real x(start=0, fixed=true); Real y = 1 - sin(time); equation der(x) = 1;
        assert(y > 1e-3, \"too low\"); end M;";
    let at = (1.0_f64 - 1e-3).asin();
    for solver in VARIABLE {
        let done = launch(
            &format!("dips-{solver}"),
            text,
            &["--solver", solver, "--stop", "3", "--interval", "0.03"],
        );
        let rows = String::from_utf8_lossy(&done.stdout).into_owned();
        let last = rows
            .lines()
            .last()
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap();
        assert!((last - at).abs() < 1e-6, "{solver}: {last} for {at}");
    }
}

/// The quotient of time and a long period is whole at an instant that a clause of that time meets: rows there show the new value.
#[test]
fn whole_parts_of_time_are_at_their_instants() {
    let text = "model M parameter Real p = 300, t0 = 100; Real x(start=0, fixed=true), m = mod(time - t0, p);
        Integer y = integer(time/p), z = integer((time - t0)/p), n(start=0, fixed=true);
        equation der(x) = y;
        when time >= 600 then n = y; end when;
        end M;";
    let args = ["--stop", "900", "--interval", "50"];
    let solvers = [&ALL[..], &["qss2", "liqss2"]].concat();
    each("whole", text, &solvers, &args, |solver, r| {
        for (time, y, z) in [
            (300.0, 1.0, 0.0),
            (400.0, 1.0, 1.0),
            (600.0, 2.0, 1.0),
            (700.0, 2.0, 2.0),
            (900.0, 3.0, 2.0),
        ] {
            let times = &r["time"];
            let row = times.iter().rposition(|t| (t - time).abs() < 1e-9).unwrap();
            let found = (r["y"][row], r["z"][row]);
            assert_eq!(found, (y, z), "{solver} at {time}");
        }
        assert_eq!(r.last("n"), 2.0, "{solver}");
        assert!(
            (r.last("x") - 900.0).abs() < 1e-9,
            "{solver}: {}",
            r.last("x")
        );
    });
}

//! The files for PowerDEVS are compiled and run. Atomic models, events and the coordinator are those of
//! `ferrica-conformance`, with the interface and the rules of PowerDEVS: init, ta, λ, δint, δext; ties by number.

mod pipeline;

use std::path::{Path, PathBuf};
use std::process::Command;

use ferrica_conformance::exported::{headers, program};
use ferrica_qss::Method;
use ferrica_qss::export::powerdevs::{Target, powerdevs};
use ferrica_test_tools::needs;
use pipeline::compile;

/// Exports, compiles, runs; what the recorder wrote: time, state, value.
fn run(name: &str, text: &str, stop: f64) -> Vec<(f64, String, f64)> {
    run_with(name, text, stop, ("qss3", 1e-6))
}

fn run_with(
    name: &str,
    text: &str,
    stop: f64,
    (method, tolerance): (&str, f64),
) -> Vec<(f64, String, f64)> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("powerdevs-{name}"));
    std::fs::create_dir_all(folder.join("M")).unwrap();
    let model = compile(text);
    let target = Target {
        method: Method::parse(method).unwrap(),
        tolerance,
        stop: Some(stop),
    };
    let files = powerdevs(&model, &target).unwrap().files;
    for (file, text) in &files {
        std::fs::write(folder.join("M").join(file), text).unwrap();
    }
    std::fs::write(folder.join("main.cpp"), program(&files[0].1, stop, 0.0)).unwrap();
    let built = Command::new("c++")
        .args(["-Wall", "-Wno-unused-function", "-Werror", "-I"])
        .arg(headers())
        .args(["-I", ".", "-o", "model", "main.cpp", "M/M_blocks.cpp"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{name}: {said}");
    let ran = Command::new("./model").current_dir(&folder).output();
    let ran = ran.unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.is_empty(), "{name}: {said}");
    let rows = std::fs::read_to_string(folder.join("M_steps.csv")).unwrap();
    let rows = rows.lines().skip(1);
    rows.map(|line| {
        let mut words = line.split(',');
        let mut next = || words.next().unwrap().to_string();
        let (t, state, v) = (next(), next(), next());
        (t.parse().unwrap(), state, v.parse().unwrap())
    })
    .collect()
}

/// The largest error of a state's values.
fn worst(rows: &[(f64, String, f64)], state: &str, exact: impl Fn(f64) -> f64) -> f64 {
    let own = rows.iter().filter(|r| r.1 == state);
    let errors: Vec<f64> = own.map(|r| (r.2 - exact(r.0)).abs()).collect();
    assert!(errors.len() > 3, "{state}: {}", errors.len());
    errors.into_iter().fold(0.0, f64::max)
}

/// A source: x' = −x + sin 3t; x = e^(−t)·13/10 + (sin 3t − 3 cos 3t)/10 from x(0) = 1.
#[needs("c++")]
#[test]
fn a_source() {
    let text = "model M Real x(start = 1, fixed = true); equation der(x) = sin(3*time) - x; end M;";
    let rows = run("source", text, 3.0);
    let exact = |t: f64| 1.3 * (-t).exp() + 0.1 * (3.0 * t).sin() - 0.3 * (3.0 * t).cos();
    let error = worst(&rows, "x", exact);
    assert!(error < 2e-5, "{error:e}");
}

/// Kinks of a source and of a function, and a function whose input never steps: x' = |sin t| has x = 1 − cos t, from π on 3 + cos t;
/// w' = 1, z' = sin 3w and y' = |w − 1| w.
#[needs("c++")]
#[test]
fn kinks_and_bends() {
    let text = "model M Real x(start = 0, fixed = true), w(start = 0, fixed = true), z(start = 0, fixed = true), y(start = 0, fixed = true);
         equation der(x) = noEvent(abs(sin(time))); der(w) = 1; der(z) = sin(3*w); der(y) = noEvent(abs(w - 1))*w; end M;";
    let rows = run("kinks", text, 4.0);
    let pi = std::f64::consts::PI;
    let area = |t: f64| if t < pi { 1.0 - t.cos() } else { 3.0 + t.cos() };
    let error = worst(&rows, "x", area);
    assert!(error < 2e-5, "{error:e}");
    let error = worst(&rows, "z", |t| (1.0 - (3.0 * t).cos()) / 3.0);
    assert!(error < 2e-5, "{error:e}");
    let cubic = |t: f64| t * t * (t / 3.0 - 0.5);
    let falls = |t: f64| {
        if t < 1.0 {
            -cubic(t)
        } else {
            cubic(t) + 1.0 / 3.0
        }
    };
    let error = worst(&rows, "y", falls);
    assert!(error < 2e-5, "{error:e}");
}

/// Integrators of lower order take fewer coefficients: nothing that moves is frozen. x = t², y = e^(−t), z = ∫ sin t² (Fresnel; at 2 it is 0.804776).
#[needs("c++")]
#[test]
fn lower_orders() {
    let text = "model M Real x(start = 0, fixed = true), y(start = 1, fixed = true), z(start = 0, fixed = true);
         equation der(x) = 2*time; der(y) = -y; der(z) = sin(time^2); end M;";
    for (method, tolerance) in [("qss1", 1e-2), ("qss2", 1e-3), ("cqss", 1e-2)] {
        let rows = run_with(&format!("lower-{method}"), text, 2.0, (method, tolerance));
        let error = worst(&rows, "x", |t| t * t);
        assert!(error < 10.0 * tolerance, "{method} {error:e}");
        let error = worst(&rows, "y", |t| (-t).exp());
        assert!(error < 10.0 * tolerance, "{method} {error:e}");
        let last = rows.iter().rfind(|r| r.1 == "z").unwrap();
        let error = (last.2 - 0.804_776).abs() - (2.0 - last.0);
        assert!(error < 10.0 * tolerance, "{method} {error:e} {last:?}");
    }
}

/// Algebraic loops, linear and not: y + y³ = −x − x³ has y = −x; a + 2b = −3z, a − b = 0 has a = −z.
#[needs("c++")]
#[test]
fn algebraic_loops() {
    let text = "model M Real x(start = 1, fixed = true), y(start = -1), z(start = 2, fixed = true), a, b;
         equation der(x) = y; y + y^3 = -x - x^3; der(z) = a; a + 2*b*(1 + 0*x) = -3*z; a - b*(1 + 0*x) = 0; end M;";
    let rows = run("loops", text, 3.0);
    let error = worst(&rows, "x", |t| (-t).exp());
    assert!(error < 2e-5, "{error:e}");
    let error = worst(&rows, "z", |t| 2.0 * (-t).exp());
    assert!(error < 2e-5, "{error:e}");
}

/// Cross detection, when, pre, reinit: a ball that keeps 0.8 of its speed. The times of its bounces are √(2/g)·(1 + 2·(0.8 + 0.64 + …)), and each
/// reinit is a message of v.
#[needs("c++")]
#[test]
fn a_bouncing_ball() {
    let text = "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true);
         equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when; end M;";
    let rows = run("ball", text, 3.0);
    let up: Vec<(f64, f64)> = rows
        .iter()
        .filter(|r| r.1 == "v" && r.2 > 0.0)
        .map(|r| (r.0, r.2))
        .collect();
    let first = (2.0 / 9.81f64).sqrt();
    let (mut time, mut speed) = (first, 9.81 * first);
    for &(t, v) in up.iter().take(5) {
        speed *= 0.8;
        assert!((t - time).abs() < 1e-4, "{t} {time}");
        assert!((v - speed).abs() < 1e-3, "{v} {speed}");
        time += 2.0 * speed / 9.81;
    }
    assert!(up.len() >= 5, "{up:?}");
}

/// Samples: x' = u, u set each half second to −x: between samples x falls on a straight line to half of its value.
/// A step of the input at the instant of a sample is seen by that sample.
#[needs("c++")]
#[test]
fn samples_and_time_events_of_one_instant() {
    let text = "model M Real x(start = 1, fixed = true), w(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
           discrete Real r(start = 0, fixed = true);
         equation der(x) = u; der(w) = r - w;
         when sample(0, 0.5) then u = -x; r = if time >= 1.5 then 1 else 0; end when; end M;";
    let rows = run("samples", text, 3.0);
    let exact = |t: f64| {
        let n = (t / 0.5 + 1e-9).floor();
        0.5f64.powi(n as i32) * (1.0 - (t - 0.5 * n))
    };
    let error = worst(&rows, "x", exact);
    assert!(error < 1e-5, "{error:e}");
    let error = worst(&rows, "w", |t| 1.0 - (1.5 - t).min(0.0).exp());
    assert!(error < 1e-5, "{error:e}");
}

/// x = 990.5 + 40 t is counted by floor, whose conditions follow what it has counted: n is 990, 1010 and 1030 for half a second each, and w' = n − w.
#[needs("c++")]
#[test]
fn large_numbers_are_counted_one_by_one() {
    let text = "model M Real x(start = 990.5, fixed = true), w(start = 0, fixed = true); discrete Real n(start = 0, fixed = true);
         equation der(x) = 40 + exp(-x); der(w) = n - w; when sample(0, 0.5) then n = floor(x); end when; end M;";
    let rows = run("count", text, 1.4);
    let rise = |t: f64| 1.0 - (-t.max(0.0)).exp();
    let exact = |t: f64| 990.0 * rise(t) + 20.0 * rise(t - 0.5) + 20.0 * rise(t - 1.0);
    let error = worst(&rows, "w", exact);
    assert!(error < 1e-2, "{error:e}");
}

/// Stick and slip as in the test of the engine: the block has slipped twice at t = 5.3 and moved by τ + 0.8.
#[needs("c++")]
#[test]
fn what_reinit_puts_to_rest_is_released_again() {
    let text = "model M Real y(start = 0, fixed = true), w(start = 0, fixed = true); Boolean stick(start = true, fixed = true);
           Real pull = 10*(0.5*time - y);
         equation der(y) = if stick then 0 else w; der(w) = if stick then 0 else pull - 3;
         when pre(stick) and pull > 5 then stick = false; reinit(w, 0);
         elsewhen not pre(stick) and w < 0 then stick = true; reinit(w, 0); end when; end M;";
    let rows = run("slip", text, 5.3);
    let omega = 10f64.sqrt();
    let slip = (std::f64::consts::TAU - 2.0 * (0.4 * omega).atan()) / omega;
    let last = rows.iter().rfind(|r| r.1 == "y").unwrap();
    let exact = slip + 0.8;
    assert!((last.2 - exact).abs() < 1e-3, "{last:?} {exact}");
}

/// A step-down converter with an ideal switch and diode between 1 V and 0.5 V: the current of L = 1 rises to 0.5 in one second, falls to 0 in
/// another and rests for the third, so a period moves half a unit of charge. Losses are some thousandths.
#[needs("c++")]
#[test]
fn an_ideal_diode() {
    let text = "model M Real i(start = 0, fixed = true), q(start = 0, fixed = true), vn(start = 0.5), s(start = -0.5), d;
           discrete Real t0(start = 0, fixed = true); Boolean on, off(start = true);
         equation when sample(0, 3) then t0 = time; end when; on = time < t0 + 1; off = s < 0;
         i = (1 - vn)*(if on then 1e3 else 1e-3) + d; -vn = s*(if off then 1 else 1e-3); d = s*(if off then 1e-3 else 1);
         der(i) = vn - 0.5; der(q) = i; end M;";
    let rows = run("diode", text, 8.9);
    let last = rows.iter().rfind(|r| r.1 == "q").unwrap();
    assert!((last.2 - 1.5).abs() < 2e-2, "{last:?}");
    let rest = rows.iter().filter(|r| r.1 == "i" && r.0 % 3.0 > 2.2);
    assert!(rest.map(|r| r.2.abs()).fold(0.0, f64::max) < 2e-3);
}

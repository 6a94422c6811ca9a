//! Where a partitioned run ends: at its stop time, or where its steps turn out to be too long.

mod pipeline;

use ferrica_tlm::Method;
use pipeline::{compile, run, threads};

/// A storage x' = −a (x − u) behind a line: u is 0 until 1 and time − 1 after.
const STORAGE: &str = "
model Storage
  parameter Real a = 2;
  Real u = delay(time, 1);
  Real x(start = -1 - 1/a, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = -a*(x - u);
  when x > 0.5 then
    n = pre(n) + 1;
  end when;
end Storage;
";

/// A stop time that no step hits is the time of the last row, which lies on the line between both ends of its step;
/// h² |x''| / 8 is what that can be off.
#[test]
fn the_last_row_is_at_the_stop_time() {
    let model = compile(STORAGE);
    let (step, stop) = (0.03, 1.7);
    // x' = −2 x up to 1, then x = t − 1.5 + c exp(−2 (t − 1)).
    let start = -1.5f64;
    let exact = |t: f64| {
        let at_one = start * (-2.0f64).exp();
        if t < 1.0 {
            start * (-2.0 * t).exp()
        } else {
            t - 1.5 + (at_one + 0.5) * (-2.0 * (t - 1.0)).exp()
        }
    };
    for n in [1, 2] {
        let (rows, end) = run(&model, &threads(n, step), stop, 0.1, &[], &["x", "u", "n"]);
        let stats = end.unwrap_or_else(|e| panic!("{e}"));
        let times: Vec<f64> = rows.iter().map(|r| r.0).collect();
        assert_eq!(stats.end_time, stop);
        assert_eq!(times.len(), 18, "{times:?}");
        assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        let (last, values) = rows.last().expect("rows");
        assert_eq!(*last, stop);
        assert!((values[0] - exact(stop)).abs() < 1e-3, "{values:?}");
        assert!((values[1] - 0.7).abs() < 1e-9, "{values:?}");
        assert_eq!(values[2], 0.0);
    }
}

/// Where steps divide the span nothing is interpolated.
#[test]
fn a_span_of_whole_steps_ends_on_one() {
    let model = compile(STORAGE);
    let (rows, end) = run(&model, &threads(1, 0.1), 1.5, 0.5, &[], &["x"]);
    assert!(end.is_ok());
    let times: Vec<f64> = rows.iter().map(|r| r.0).collect();
    assert_eq!(times.len(), 4);
    assert!((times[3] - 1.5).abs() < 1e-12);
}

/// With a = 1000 the formulas are stable up to 2.785 ms and 2 ms; a step of 10 ms multiplies by 291 and by −9.
#[test]
fn steps_that_are_too_long_are_told() {
    let model = compile(STORAGE);
    let fast = [("a".to_owned(), 1000.0)];
    for (method, name, limit) in [
        (Method::Rk4, "rk4", "2.8e-3"),
        (Method::Euler, "euler", "2.0e-3"),
    ] {
        let mut options = threads(1, 0.01);
        options.method = method;
        let (rows, end) = run(&model, &options, 2.0, 0.01, &fast, &["x"]);
        let error = match end {
            Ok(_) => panic!("{name} is not stable"),
            Err(e) => e.to_string(),
        };
        assert!(
            error.contains("`x` grows without bound")
                && error.contains(name)
                && error.contains(limit),
            "{error}"
        );
        assert!(error.contains("--step") && error.contains("--inline implicit-euler"));
        assert!(rows.iter().all(|r| r.1[0].abs() < 1e12), "kept too much");
        options.step = Some(0.001);
        let (rows, end) = run(&model, &options, 2.0, 0.5, &fast, &["x"]);
        assert!(end.is_ok(), "{name}");
        assert!((rows.last().expect("rows").1[0] - 0.999).abs() < 1e-6);
    }
}

/// What grows in the model itself may: x = exp(20 t).
#[test]
fn growth_of_the_model_is_let_alone() {
    let model = compile(
        "model Growth Real u = delay(time, 1); Real x(start = 1, fixed = true); equation der(x) = 20*x + 0*u; end Growth;",
    );
    let (rows, end) = run(&model, &threads(1, 0.001), 2.0, 0.1, &[], &["x"]);
    assert!(end.is_ok());
    let last = rows.last().expect("rows").1[0];
    assert!((last / 40f64.exp() - 1.0).abs() < 1e-4, "{last}");
}

/// An undamped oscillation grows with Euler's formula whatever the step, by |1 + ihω| each: with h = 1 ms and ω = 100/s by 10⁴ in 1.85 s.
#[test]
fn oscillating_growth_of_the_formula_is_told() {
    let model = compile(
        "model Swing Real u = delay(time, 1); Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
         equation der(x) = 100*v + 0*u; der(v) = -100*x; end Swing;",
    );
    let mut options = threads(1, 1e-3);
    options.method = Method::Euler;
    let (rows, end) = run(&model, &options, 10.0, 0.01, &[], &["x"]);
    let error = end.expect_err("the formula diverges");
    assert_eq!(error.code, "E0616");
    assert!(error.to_string().contains("grows without bound"), "{error}");
    assert!(rows.iter().all(|r| r.1[0].abs() < 1e9), "kept too much");
    options.method = Method::Rk4;
    let (rows, end) = run(&model, &options, 10.0, 0.01, &[], &["x"]);
    assert!(end.is_ok());
    assert!((rows.last().expect("rows").1[0] - 1000f64.cos()).abs() < 1e-2);
}

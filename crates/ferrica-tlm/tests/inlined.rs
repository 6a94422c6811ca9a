//! Difference formulas in place of derivatives.

mod pipeline;

use ferrica_tlm::{Formula, inline};
use pipeline::{finish, flatten, run, threads};

/// A damped oscillator; x(0) = 1, v(0) = 0, exact: x = e^(−t/10)(cos ωt + sin ωt/(10ω)), ω² = 0.99.
const OSCILLATOR: &str = "
model Oscillator
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
equation
  der(x) = v;
  der(v) = f;
  f + 0.2*v + x = 0;
end Oscillator;
";

fn error(formula: Formula, step: f64) -> f64 {
    let inlined = inline(flatten(OSCILLATOR), Some(formula), step, 0.0).expect("no reinit");
    assert_eq!(inlined.starts.len(), 2);
    let model = finish(inlined.model);
    assert_eq!(model.layout.n_states, 0);
    let values: Vec<(String, f64)> = inlined
        .starts
        .iter()
        .map(|(x, p)| (p.clone(), if x == "x" { 1.0 } else { 0.0 }))
        .collect();
    let (rows, end) = run(&model, &threads(1, step), 10.0, 10.0, &values, &["x"]);
    end.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rows[0].1[0], 1.0);
    let w = 0.99f64.sqrt();
    let exact = (-1.0f64).exp() * ((10.0 * w).cos() + (10.0 * w).sin() / (10.0 * w));
    (rows[1].1[0] - exact).abs()
}

/// Halving the step halves the error of first-order formulas and quarters that of second-order ones.
#[test]
fn formulas_have_their_orders() {
    for (formula, order) in [
        (Formula::Euler, 1),
        (Formula::ImplicitEuler, 1),
        (Formula::Trapezoid, 2),
        (Formula::Bdf2, 2),
    ] {
        let (coarse, fine) = (error(formula, 0.01), error(formula, 0.005));
        let ratio = coarse / fine;
        let expected = f64::from(1 << order);
        assert!(
            (ratio / expected - 1.0).abs() < 0.15,
            "{formula:?}: {coarse} {fine}"
        );
        assert!(coarse < 0.05, "{formula:?}: {coarse}");
    }
}

/// x(0) = 1, x' = −x.
const PLANTS: &str = "
model Plant
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Plant;
model Slow
  extends Plant;
  annotation(__Ferrica_inline = \"implicit-euler\");
end Slow;
model Three
  Plant a annotation(__Ferrica_inline = \"trapezoid\");
  Plant b;
  Slow c;
end Three;
";

/// The formula of the component wins over that of its class; without one the variable stays a state.
#[test]
fn annotations_choose_formulas() {
    let h = 0.01;
    let inlined = inline(flatten(PLANTS), None, h, 0.0).expect("formulas");
    assert_eq!(inlined.states, ["b.x"]);
    let former: Vec<&str> = inlined.starts.iter().map(|s| s.0.as_str()).collect();
    assert_eq!(former, ["a.x", "c.x"]);
    let values: Vec<(String, f64)> = (inlined.starts.iter())
        .map(|s| (s.1.clone(), 1.0))
        .collect();
    let model = finish(inlined.model);
    assert_eq!(model.layout.n_states, 1);
    let (rows, end) = run(
        &model,
        &threads(1, h),
        1.0,
        1.0,
        &values,
        &["a.x", "b.x", "c.x"],
    );
    end.unwrap_or_else(|e| panic!("{e}"));
    let x = &rows[1].1;
    // What the formulas give after 100 steps, and what is exact.
    let trapezoid = ((1.0 - h / 2.0) / (1.0 + h / 2.0)).powi(100);
    let implicit = (1.0 + h).powi(-100);
    assert!((x[0] - trapezoid).abs() < 1e-12, "{x:?}");
    assert!((x[1] - (-1.0f64).exp()).abs() < 1e-9, "{x:?}");
    assert!((x[2] - implicit).abs() < 1e-12, "{x:?}");
}

#[test]
fn an_unknown_formula_is_an_error() {
    let text = PLANTS.replace("trapezoid", "simpson");
    let Err(errors) = inline(flatten(&text), None, 0.01, 0.0) else {
        panic!("simpson is no formula");
    };
    assert!(errors[0].message.contains("simpson"));
}

/// A ball from 1 m that keeps 4/5 of its speed; exact: parabolas between the bounces. An inlined ball bounces at a step, which
/// is an error of first order whatever the formula.
#[test]
fn reinit_changes_what_the_next_step_begins_with() {
    const BALL: &str = "
    model Ball
      Real x(start = 1, fixed = true);
      Real v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = -9.81;
      when x < 0 then
        reinit(v, -0.8*pre(v));
      end when;
    end Ball;";
    let exact = |t: f64| {
        let g = 9.81f64;
        let (mut from, mut speed) = ((2.0 / g).sqrt(), 0.8 * (2.0 * g).sqrt());
        while t > from + 2.0 * speed / g {
            from += 2.0 * speed / g;
            speed *= 0.8;
        }
        speed * (t - from) - 0.5 * g * (t - from).powi(2)
    };
    for formula in [
        Formula::Euler,
        Formula::ImplicitEuler,
        Formula::Trapezoid,
        Formula::Bdf2,
    ] {
        let error = |step: f64| {
            let inlined = inline(flatten(BALL), Some(formula), step, 0.0).expect("a formula");
            let model = finish(inlined.model);
            assert_eq!(model.layout.n_states, 0);
            let start = |x: &str| if x == "x" { 1.0 } else { 0.0 };
            let values: Vec<(String, f64)> = (inlined.starts.iter())
                .map(|(x, p)| (p.clone(), start(x)))
                .collect();
            let (rows, end) = run(&model, &threads(1, step), 2.0, 0.1, &values, &["x"]);
            end.unwrap_or_else(|e| panic!("{e}"));
            let after = rows.iter().filter(|r| r.0 > 0.46);
            after
                .map(|r| (r.1[0] - exact(r.0)).abs())
                .fold(0.0, f64::max)
        };
        assert!(error(1e-3) < 0.02, "{formula:?}: {}", error(1e-3));
        assert!(error(1e-4) < 0.002, "{formula:?}: {}", error(1e-4));
    }
}

/// z falls to 0.5 and rests there. With an implicit formula on a grid that meets 0.5 neither side of the condition agrees with the z
/// that follows from it: it is held for a step.
#[test]
fn a_condition_that_contradicts_its_step_is_held() {
    const REST: &str = "
    model Rest
      Real z(start = 1, fixed = true);
    equation
      der(z) = if z > 0.5 then -1 else 0;
    end Rest;";
    for formula in [
        Formula::Euler,
        Formula::ImplicitEuler,
        Formula::Trapezoid,
        Formula::Bdf2,
    ] {
        let inlined = inline(flatten(REST), Some(formula), 0.01, 0.0).expect("a formula");
        let model = finish(inlined.model);
        let values = [(inlined.starts[0].1.clone(), 1.0)];
        let mut options = threads(1, 0.01);
        options.inlined = true;
        let (rows, end) = run(&model, &options, 1.0, 0.1, &values, &["z"]);
        end.unwrap_or_else(|e| panic!("{formula:?}: {e}"));
        for (t, v) in rows {
            let exact = (1.0 - t).max(0.5);
            assert!((v[0] - exact).abs() < 0.011, "{formula:?} at {t}: {}", v[0]);
        }
    }
}

/// The explicit formula with a step of 5 multiplies the oscillation by |1 + 5λ|, nearly 5, each time; the implicit one damps it.
#[test]
fn an_explicit_formula_that_grows_is_told() {
    let end = |formula| {
        let inlined = inline(flatten(OSCILLATOR), Some(formula), 5.0, 0.0).expect("no reinit");
        let values: Vec<(String, f64)> = (inlined.starts.iter())
            .map(|s| (s.1.clone(), 1.0))
            .collect();
        let model = finish(inlined.model);
        run(&model, &threads(1, 5.0), 1000.0, 5.0, &values, &["x"]).1
    };
    assert!(end(Formula::ImplicitEuler).is_ok());
    let error = end(Formula::Euler).map_or_else(|e| e.to_string(), |_| String::new());
    assert!(error.contains("grows without bound"), "{error}");
    assert!(error.contains("--inline implicit-euler"), "{error}");
}

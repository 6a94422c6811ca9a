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

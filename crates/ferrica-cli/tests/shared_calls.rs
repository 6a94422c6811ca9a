//! Equations that take results of one call, in the fixed-step solvers: `t` and `2t` from a function with a loop, which
//! stays a call. Closed forms: x = t²/2, z = 2(t - 1) + 2 exp(-t), and for the call of a state y = exp(-t) with its square.

mod common;
use common::run;

const LINEAR: &str = "model M
  function f input Real t; output Real a; output Real b; algorithm
    a := 0; b := 0;
    while b < 2 loop a := a + t/2; b := b + 1; end while;
    b := 2*t; end f;
  Real u, w, s, x(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  (u, w) = f(time);
  der(x) = u;
  der(z) = w - z;
  s = u + w;
end M;";

const NONLINEAR: &str = "model M
  function f input Real t; output Real a; output Real b; algorithm
    a := 0; b := 0;
    while b < 2 loop a := a + t/2; b := b + 1; end while;
    b := t*t; end f;
  Real u, w, y(start = 1, fixed = true), i(start = 0, fixed = true);
equation
  (u, w) = f(y);
  der(y) = -u;
  der(i) = w;
end M;";

#[test]
fn results_of_one_call() {
    for solver in ["rt-tr", "rt-bdf2", "rt-bdf3", "rt-ode", "rt-trnp", "rk4"] {
        let flags = ["--solver", solver, "--step", "1e-3", "--interval", "0.1"];
        let linear = run("shared-linear", LINEAR, &flags);
        let near = |value: f64, wanted: f64, what: &str| {
            assert!(
                (value - wanted).abs() < 1e-4,
                "{solver} {what}: {value} {wanted}"
            );
        };
        near(linear.last("x"), 0.5, "x");
        near(linear.last("z"), 2.0 * (-1f64).exp(), "z");
        near(linear.last("s"), 3.0, "s");
        let curved = run("shared-nonlinear", NONLINEAR, &flags);
        near(curved.last("y"), (-1f64).exp(), "y");
        near(curved.last("i"), 0.5 * (1.0 - (-2f64).exp()), "i");
    }
}

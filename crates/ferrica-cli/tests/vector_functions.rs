//! Functions with many results (explicit, and in a system that must be iterated) and with run-time indices, against closed forms.

mod common;

const N: usize = 64;

/// Heat in a chain with closed ends, cell by cell in a loop of a length that only the run knows. A cosine of the chain's length is an
/// eigenvector of the second difference, with the eigenvalue −4·sin²(π/2n).
fn model(flow: &str) -> String {
    format!(
        "
model Chain
  function difference
    input Real x[:];
    input Integer n;
    output Real d[size(x, 1)];
  algorithm
    d[1] := x[2] - x[1];
    for i in 2:n - 1 loop
      d[i] := x[i - 1] - 2*x[i] + x[i + 1];
    end for;
    d[n] := x[n - 1] - x[n];
  end difference;
  constant Integer n = {N};
  Integer cells(start = n, fixed = true);
  Real x[n](start = {{cos(Modelica.Constants.pi*(i - 0.5)/n) for i in 1:n}}, each fixed = true);
  Real d[n](each start = 0);
equation
  d = difference({flow}, cells);
  der(x) = 100*d;
  when time > 2 then
    cells = n;
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Chain;
"
    )
}

fn check(name: &str, flow: &str, rate: f64) {
    let start = (std::f64::consts::PI * 0.5 / N as f64).cos();
    let expected = start * (rate * 3.0).exp();
    for solver in ["bdf", "radau", "dopri5"] {
        let args = ["--vars", "x[1]", "--solver", solver];
        let found = common::run(name, &model(flow), &args).last("x[1]");
        assert!(
            (found - expected).abs() < 1e-6,
            "{name}, {solver}: {found} instead of {expected}"
        );
    }
}

fn eigenvalue() -> f64 {
    -4.0 * (std::f64::consts::PI / (2.0 * N as f64)).sin().powi(2)
}

#[test]
fn a_vector_function_in_explicit_equations() {
    check("vector-explicit", "x", 100.0 * eigenvalue());
}

#[test]
fn a_vector_function_of_its_own_results() {
    // d = L(x + d/20), so d = λ/(1 − λ/20)·x in the direction of an eigenvector.
    let l = eigenvalue();
    check("vector-implicit", "x + d/20", 100.0 * l / (1.0 - l / 20.0));
}

#[test]
fn arrays_indexed_by_enumerations_and_booleans() {
    let table = common::run(
        "index-types",
        "model Index
           type Colour = enumeration(red, green, blue);
           function mix
             input Colour c;
             input Boolean b;
             input Real x;
             output Real y;
           protected
             Real w[Colour] = {1, 2, 3};
             Real z[Boolean] = {10, 20};
           algorithm
             w[c] := x;
             z[b] := 2*x;
             y := w[Colour.red] + 10*w[Colour.green] + 100*w[Colour.blue] + 1e3*z[false] + 1e5*z[true];
           end mix;
           Colour c = if time < 0.5 then Colour.green else Colour.blue;
           Real y = mix(c, time > 0.5, 7);
         end Index;",
        &[],
    );
    // {1, 7, 3} and {14, 20}, then {1, 2, 7} and {10, 14}.
    assert_eq!(table.first("y"), 2_014_371.0);
    assert_eq!(table.last("y"), 1_410_721.0);
}

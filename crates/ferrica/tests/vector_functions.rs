//! Functions with many results: explicit, and in a system that must be iterated, against closed forms.

use std::path::Path;
use std::process::Command;

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

fn last_of_first_cell(name: &str, flow: &str, solver: &str) -> f64 {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vector-functions");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{name}.mo"));
    std::fs::write(&file, model(flow)).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args([
            "run", "--quiet", "--vars", "x[1]", "-o", "-", "--solver", solver,
        ])
        .arg(&file)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name}, {solver}: {messages}");
    let text = String::from_utf8(done.stdout).unwrap();
    let last = text.lines().next_back().unwrap();
    last.split(',').next_back().unwrap().parse().unwrap()
}

fn check(name: &str, flow: &str, rate: f64) {
    let start = (std::f64::consts::PI * 0.5 / N as f64).cos();
    let expected = start * (rate * 3.0).exp();
    for solver in ["bdf", "radau", "dopri5"] {
        let found = last_of_first_cell(name, flow, solver);
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
    check("Explicit", "x", 100.0 * eigenvalue());
}

#[test]
fn a_vector_function_of_its_own_results() {
    // d = L(x + d/20), so d = λ/(1 − λ/20)·x in the direction of an eigenvector.
    let l = eigenvalue();
    check("Implicit", "x + d/20", 100.0 * l / (1.0 - l / 20.0));
}

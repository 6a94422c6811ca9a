//! The fixed-step solvers from the command line.

use std::path::Path;
use std::process::{Command, Output};

const CIRCUIT: &str = "model Circuit
  parameter Real R = 10; Real v1(start = 0, fixed = true); Real i1; Real i2; Real i;
equation
  sin(time) - v1 = R*i; 0.4*der(v1) = i1; 0.2*der(v1) = i2; i = i1 + i2;
  annotation(experiment(StopTime = 1, Interval = 0.1));
end Circuit;
";

fn ferrica(name: &str, args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("circuit.mo"), CIRCUIT).unwrap();
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["run", "circuit.mo", "-o", "-", "--vars", "v1"])
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

/// 6 v' = sin t − v: v = (sin t − 6 cos t + 6 e^(−t/6))/37.
#[test]
fn solvers_meet_the_closed_form() {
    let exact = (1f64.sin() - 6.0 * 1f64.cos() + 6.0 * (-1f64 / 6.0).exp()) / 37.0;
    for (solver, allowed) in [
        ("rt-bdf1", 2e-4),
        ("rt-bdf2", 2e-6),
        ("rt-bdf3", 1e-7),
        ("rt-tr", 1e-6),
        ("rt-trnp", 1e-6),
    ] {
        let args = ["--solver", solver, "--step", "0.001", "--iterations", "2"];
        let out = ferrica(solver, &args);
        let text = String::from_utf8(out.stdout).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 12, "{solver}: {text}");
        let last: f64 = rows[11].split(',').nth(1).unwrap().parse().unwrap();
        assert!((last - exact).abs() < allowed, "{solver}: {last} {exact}");
    }
}

#[test]
fn bad_settings_are_refused() {
    let said = |args: &[&str]| {
        let out = ferrica("refused", &[&["--solver", "rt-bdf2"], args].concat());
        assert_ne!(out.status.code(), Some(0), "{args:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(said(&["--step", "0"]).contains("not a positive step"));
    assert!(said(&["--iterations", "0"]).contains("at least one"));
    assert!(said(&["--step", "2"]).contains("longer than the run"));
    let dependent = ferrica("refused", &["--solver", "rt-ode", "--step", "0.01"]);
    let text = String::from_utf8(dependent.stderr).unwrap();
    assert!(text.contains("rank-deficient"), "{text}");
}

/// The search by precision against a reference of two methods: coarser steps for the coarser level, errors within it.
#[test]
fn settings_that_meet_a_precision_are_found() {
    ferrica("precision", &["--solver", "rt-bdf2"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("precision");
    let said = |levels: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args([
                "compare",
                "circuit.mo",
                "--solvers",
                "rt-tr,bdf",
                "--monitor",
                "v1",
            ])
            .args([
                "--samples",
                "10",
                "--reference",
                "converged",
                "--precision",
                levels,
            ])
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    };
    let text = said("low=1e-5,high=1e-7");
    let found: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let rows: Vec<&Vec<&str>> = found.iter().filter(|w| w[0] == "rt-tr").collect();
    assert_eq!(rows.len(), 2, "{text}");
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().unwrap();
    assert!(number(rows[0], 1) > number(rows[1], 1), "{text}");
    assert!(
        number(rows[0], 3) <= 1e-5 && number(rows[1], 3) <= 1e-7,
        "{text}"
    );
    // The equations are linear: one iteration is enough.
    assert_eq!(rows[0][2], "1");
}

//! Ten networks with transmission lines in four domains (`tests/networks`), run in parts: the same bits on one, two and four threads, and an error against the
//! whole model in a tight variable-step run that falls with the step.

use std::path::Path;
use std::process::Command;

/// Name, a coarse step and a fine one.
const NETWORKS: [(&str, &str, &str); 10] = [
    ("Cable", "1e-6", "2.5e-7"),
    ("Ladder", "2.5e-7", "6.25e-8"),
    ("Star", "1e-6", "2.5e-7"),
    ("Pulses", "1e-6", "2.5e-7"),
    ("Pipe", "5e-4", "1.25e-4"),
    ("Tree", "5e-4", "1.25e-4"),
    ("Rod", "5e-4", "1.25e-4"),
    ("Train", "5e-4", "1.25e-4"),
    ("Turbine", "5e-4", "1.25e-4"),
    ("Drive", "5e-4", "1.25e-4"),
];

/// A fourth of the step: what is left of the error of a method of first order, with room for where the larger errors happen to be.
const FALLS: f64 = 0.6;
/// Networks without states are exact at any step that divides the travelling times.
const EXACT: f64 = 1e-9;

fn run(name: &str, args: &[&str]) -> String {
    let class = format!("Networks.{name}");
    let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args([
            "run",
            "Networks.mo",
            "-m",
            &class,
            "--vars",
            "y",
            "-o",
            "-",
            "--quiet",
        ])
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks"))
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{name} {args:?}: {said}");
    String::from_utf8(out.stdout).unwrap()
}

/// The root mean square error of `y` in parts of its largest value, at the rows of another run; of two rows at one time the later.
fn difference(found: &str, expected: &str) -> f64 {
    let rows = |text: &str| -> Vec<[f64; 2]> {
        let mut rows: Vec<[f64; 2]> = Vec::new();
        for line in text.lines().skip(1) {
            let (t, y) = line.split_once(',').unwrap();
            let row: [f64; 2] = [t.parse().unwrap(), y.parse().unwrap()];
            if rows
                .last()
                .is_some_and(|l| (l[0] - row[0]).abs() <= 1e-9 * row[0].abs())
            {
                rows.pop();
            }
            rows.push(row);
        }
        rows
    };
    let (found, expected) = (rows(found), rows(expected));
    let mut squares = Vec::new();
    let mut at = 0;
    for [t, y] in &expected {
        while at + 1 < found.len() && found[at][0] < t * (1.0 - 1e-9) {
            at += 1;
        }
        if (found[at][0] - t).abs() <= 1e-9 * t.abs() {
            squares.push((found[at][1] - y).powi(2));
        }
    }
    assert!(squares.len() > 40, "{} rows in common", squares.len());
    let size = expected.iter().fold(0.0, |m: f64, row| m.max(row[1].abs()));
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt() / size
}

#[test]
fn parts_give_the_same_bits_on_any_number_of_threads() {
    for (name, coarse, fine) in NETWORKS {
        let reference = run(name, &["--solver", "bdf", "--tol", "1e-9"]);
        let parts = |step: &str, threads: &str| {
            run(
                name,
                &["--partition", "tlm", "--step", step, "--threads", threads],
            )
        };
        let one = parts(fine, "1");
        for threads in ["2", "4"] {
            assert!(parts(fine, threads) == one, "{name}: {threads} threads");
        }
        let (before, after) = (
            difference(&parts(coarse, "1"), &reference),
            difference(&one, &reference),
        );
        let falls = after < FALLS * before || after < EXACT;
        assert!(falls, "{name}: {before:e} → {after:e}");
    }
}

//! A tolerance is a promise: over the models of `bench/qss/precision` the mean error of each compared state, in parts of its range, is at most
//! ten times the tolerance, with every method.
//!
//! The reference is Radau IIA (for some, Dormand and Prince) with the tolerance 1e-11, a method of another kind. `bench/qss/precision.py` measures the same for more tolerances.

mod pipeline;

use std::path::PathBuf;

use ferrica_sim::{Experiment, SolverKind};
use pipeline::*;

/// Methods and the tolerances they are tried with: those of first order need as many steps as quanta.
const TRIED: [(&str, &[f64]); 10] = [
    ("qss1", &[1e-2]),
    ("liqss1", &[1e-2]),
    ("mliqss1", &[1e-2]),
    ("cqss", &[1e-2, 1e-3]),
    ("qss2", &[1e-2, 1e-4]),
    ("liqss2", &[1e-2, 1e-4]),
    ("mliqss2", &[1e-2, 1e-4]),
    ("qss3", &[1e-2, 1e-5]),
    ("liqss3", &[1e-2, 1e-5]),
    ("mliqss3", &[1e-2, 1e-5]),
];
/// Models in whose pauses Radau's steps become so long that they miss what comes next; an explicit method is bounded there by its stability.
const EXPLICIT_REFERENCE: [&str; 1] = ["PulseTrain"];

struct Case {
    name: String,
    text: String,
    names: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench/qss/precision");
    let files = std::fs::read_dir(folder).expect("the folder of the models");
    let mut list: Vec<Case> = files
        .map(|f| f.expect("a file").path())
        .filter(|p| p.extension().is_some_and(|e| e == "mo"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            let first = text
                .lines()
                .next()
                .and_then(|l| l.strip_prefix("// compare: "));
            let names = first
                .expect("names to compare")
                .split(' ')
                .map(str::to_owned);
            Case {
                name: path
                    .file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
                names: names.collect(),
                text,
            }
        })
        .collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// Values on the grid, the last row of each time.
fn on_grid(rows: &[(f64, Vec<f64>)], interval: f64) -> Vec<Vec<f64>> {
    let mut grid: Vec<Vec<f64>> = Vec::new();
    for (t, values) in rows {
        let place = t / interval;
        let k = place.round();
        if (place - k).abs() < 1e-6 {
            grid.truncate(k as usize);
            grid.push(values.clone());
        }
    }
    grid
}

/// Mean error of the worst state, in parts of its range.
fn error(grid: &[Vec<f64>], reference: &[Vec<f64>]) -> f64 {
    assert_eq!(grid.len(), reference.len());
    let mut worst: f64 = 0.0;
    for k in 0..reference[0].len() {
        let of = |rows: &[Vec<f64>]| -> Vec<f64> { rows.iter().map(|r| r[k]).collect() };
        let (own, other) = (of(grid), of(reference));
        let most = other.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = other.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 = own.iter().zip(&other).map(|(a, b)| (a - b).abs()).sum();
        worst = worst.max(sum / other.len() as f64 / (most - least));
    }
    worst
}

#[test]
fn tolerances_are_kept() {
    let cases = cases();
    assert!(cases.len() >= 30, "{} models", cases.len());
    let mut failures = Vec::new();
    for case in &cases {
        let model = compile(&case.text);
        let names: Vec<&str> = case.names.iter().map(String::as_str).collect();
        let plan = |tolerance| {
            let mut e = Experiment::of(&model);
            e.tolerance = tolerance;
            e
        };
        let mut exact = plan(1e-11);
        exact.solver = match EXPLICIT_REFERENCE.contains(&case.name.as_str()) {
            true => SolverKind::Dopri5,
            false => SolverKind::Radau,
        };
        let places: Vec<(u32, bool)> = names.iter().map(|n| model.find(n).expect(n)).collect();
        let mut rows = Vec::new();
        let done = ferrica_sim::simulate(&model, &exact, &mut |t: f64, slots: &[f64]| {
            let value = |&(s, n): &(u32, bool)| {
                if n {
                    -slots[s as usize]
                } else {
                    slots[s as usize]
                }
            };
            rows.push((t, places.iter().map(value).collect::<Vec<f64>>()));
        });
        done.unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let reference = on_grid(&rows, exact.interval);
        for (method, tolerances) in TRIED {
            for &tolerance in tolerances {
                let e = plan(tolerance);
                let (rows, done) = try_with(&model, &e, method, &names);
                let what = format!("{} {method} {tolerance:e}", case.name);
                if let Err(e) = done {
                    failures.push(format!("{what}: {e}"));
                    continue;
                }
                let off = error(&on_grid(&rows, e.interval), &reference);
                // What is no number is no kept promise either.
                let kept = off <= 10.0 * tolerance;
                if !kept {
                    failures.push(format!("{what}: {off:.1e}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

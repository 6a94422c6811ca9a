//! `--resume` goes on with the run it came from, with no other: a changed text, another solver, a flipped bit are
//! refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

mod common;
use common::folder;

const MODEL: &str = "model M
  parameter Real k = 1;
  Real x(start = 1, fixed = true);
  discrete Real n(start = 0, fixed = true);
equation
  der(x) = -k*x;
  when sample(0.1, 0.1) then n = pre(n) + 1; end when;
  assert(x > 0.001, \"small\");
end M;
";

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// A run with a checkpoint in the middle, and its whole result.
fn prepared(name: &str) -> (std::path::PathBuf, String) {
    let folder = folder(name);
    fs::write(folder.join("M.mo"), MODEL).unwrap();
    let run = [
        "run",
        "M.mo",
        "-o",
        "all.csv",
        "--checkpoint",
        "state",
        "--every",
        "0.5",
    ];
    let done = ferrica(&folder, &run);
    assert!(done.status.success(), "{}", said(&done));
    let all = fs::read_to_string(folder.join("all.csv")).unwrap();
    (folder, all)
}

fn resume(folder: &Path, more: &[&str]) -> Output {
    let run = ["run", "M.mo", "-o", "rest.csv", "--resume", "state"];
    ferrica(folder, &[&run[..], more].concat())
}

#[test]
fn the_same_run_goes_on() {
    let (folder, all) = prepared("resume-same");
    let done = resume(&folder, &[]);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(fs::read_to_string(folder.join("rest.csv")).unwrap(), all);
}

#[test]
fn another_run_is_refused() {
    let (folder, _) = prepared("resume-other");
    let texts = [
        MODEL.replace("k = 1", "k = 2"),
        MODEL.replace("sample(0.1, 0.1)", "sample(0.1, 0.2)"),
        MODEL.replace("0.001", "0.5"),
        MODEL.replace("-k*x", "-k*x + 0"),
    ];
    for text in texts {
        fs::write(folder.join("M.mo"), &text).unwrap();
        let done = resume(&folder, &[]);
        assert!(!done.status.success(), "{text}");
        assert!(said(&done).contains("another run"), "{}", said(&done));
    }
    fs::write(folder.join("M.mo"), MODEL).unwrap();
    for flags in [
        &["--solver", "bdf"][..],
        &["--tol", "1e-8"],
        &["-p", "k=3"],
        &["-p", "x.start=3"],
        &["--stop", "2"],
        &["--solver", "rt-tr", "--iterations", "2"],
    ] {
        let done = resume(&folder, flags);
        assert!(!done.status.success(), "{flags:?}");
    }
    assert!(resume(&folder, &[]).status.success());
}

/// Bits over both files, at places that a multiplier spreads. What the journal holds after the checkpoint is
/// computed again: such a bit changes nothing.
#[test]
fn a_flipped_bit_is_found() {
    let (folder, all) = prepared("resume-bits");
    let harmless = |done: &Output| {
        let rows = fs::read_to_string(folder.join("rest.csv")).unwrap_or_default();
        done.status.success() && rows == all
    };
    let mut refused = 0;
    for name in ["state", "state.rows"] {
        let path = folder.join(name);
        let good = fs::read(&path).unwrap();
        for k in 0..25usize {
            let mut bad = good.clone();
            let at = k.wrapping_mul(2_654_435_761) % bad.len();
            bad[at] ^= 1 << (k % 8);
            fs::write(&path, &bad).unwrap();
            let done = resume(&folder, &[]);
            let found = said(&done).contains("error") && !done.status.success();
            assert!(found || harmless(&done), "byte {at} of {name}");
            refused += usize::from(found);
        }
        for length in [0, 7, 20, good.len() - 1] {
            fs::write(&path, &good[..length]).unwrap();
            let done = resume(&folder, &[]);
            assert!(
                !done.status.success() || harmless(&done),
                "{name} of {length} bytes"
            );
        }
        fs::write(&path, &good).unwrap();
    }
    assert!(refused > 35, "{refused}");
    assert!(resume(&folder, &[]).status.success());
}

#[test]
fn a_model_that_has_ended_the_run_is_not_gone_on_with() {
    let folder = folder("resume-terminate");
    let model = "model T Real x(start = 0, fixed = true); equation der(x) = 1;
  when x > 0.3 then terminate(\"enough\"); end when; end T;";
    fs::write(folder.join("T.mo"), model).unwrap();
    for solver in ["auto", "bdf", "rk4", "rt-tr", "qss2", "liqss2"] {
        let step: &[&str] = match solver {
            "rk4" | "rt-tr" => &["--step", "0.01"],
            _ => &[],
        };
        let run = [
            "run",
            "T.mo",
            "-o",
            "t.csv",
            "--checkpoint",
            "state",
            "--every",
            "0.2",
        ];
        let done = ferrica(&folder, &[&run[..], &["--solver", solver], step].concat());
        assert!(done.status.success(), "{solver}: {}", said(&done));
        assert!(said(&done).contains("enough"), "{solver}: {}", said(&done));
        let rows = fs::read_to_string(folder.join("t.csv")).unwrap();
        let last: f64 = rows
            .lines()
            .last()
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((last - 0.3).abs() < 0.011, "{solver}: {last}");
    }
}

#[test]
fn a_study_keeps_only_its_own_rows() {
    let folder = folder("resume-study");
    fs::write(folder.join("M.mo"), MODEL).unwrap();
    let sweep = |more: &[&str]| {
        let all = ["sweep", "M.mo", "--vars", "x", "-o", "s.csv"];
        ferrica(&folder, &[&all[..], more].concat())
    };
    assert!(sweep(&["-p", "k=1,2"]).status.success());
    // The second value has changed: its row is computed again.
    let done = sweep(&["-p", "k=1,3,4", "--resume"]);
    assert!(
        said(&done).contains("3 runs, 1 of them from before"),
        "{}",
        said(&done)
    );
    let table = fs::read_to_string(folder.join("s.csv")).unwrap();
    for (row, k) in table.lines().skip(1).zip([1.0f64, 3.0, 4.0]) {
        let x: f64 = row.split(',').nth(2).unwrap().parse().unwrap();
        assert!((x - (-k).exp()).abs() < 1e-5, "{row}");
    }
    for (text, flags) in [
        (MODEL.replace("-k*x", "-2*k*x"), &[][..]),
        (MODEL.to_string(), &["--solver", "bdf"]),
        (MODEL.to_string(), &["--stop", "2"]),
    ] {
        fs::write(folder.join("M.mo"), &text).unwrap();
        let done = sweep(&[&["-p", "k=1,3,4", "--resume"][..], flags].concat());
        assert_eq!(done.status.code(), Some(2), "{flags:?} {}", said(&done));
        assert_eq!(fs::read_to_string(folder.join("s.csv")).unwrap(), table);
    }
}

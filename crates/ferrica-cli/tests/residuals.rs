//! Every row of a run satisfies the equations of the model to the tolerance, whichever solver made it: `--verify` over the examples and the
//! models of `tests/library`.
//!
//! Only a row that does not satisfy an equation (E0617) counts here: that models run at all with a solver is tested elsewhere.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const SOLVERS: [&str; 6] = ["auto", "bdf", "radau", "dopri5", "liqss2", "rt-tr"];

/// Step of the fixed-step solver.
const STEP: &str = "1e-3";

/// Examples that are too large for a test, and what makes them smaller.
const SMALLER: &[(&str, &str)] = &[("Thermostats", "-p N=50")];

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let mut list: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "mo"))
        .collect();
    list.sort();
    assert!(!list.is_empty(), "no models in {}", folder.display());
    list
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// What `--verify` says of a run with a solver, if it complains.
fn complaint(path: &Path, solver: &str) -> Option<String> {
    let name = stem(path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command.arg("run").arg(path).args(["-o", "-"]);
    command.args(["--quiet", "--verify", "--solver", solver]);
    if solver.starts_with("rt-") {
        command.args(["--step", STEP]);
    }
    let smaller = SMALLER.iter().find(|s| s.0 == name);
    command.args(smaller.map_or("", |s| s.1).split_whitespace());
    let output = command
        .env_remove("MODELICAPATH")
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() != Some(101), "{name} {solver}: {text}");
    text.contains("[E0617]").then_some(text)
}

fn check(folder: &str, solvers: &[&'static str]) {
    let models = models(folder);
    let cells: Vec<(&Path, &str)> = (models.iter())
        .flat_map(|m| solvers.iter().map(move |&s| (m.as_path(), s)))
        .collect();
    let next = AtomicUsize::new(0);
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&(path, solver)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(text) = complaint(path, solver) {
                        let name = stem(path);
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{name} {solver}: {text}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} runs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn examples_satisfy_their_equations() {
    check("examples", &SOLVERS);
}

#[test]
fn models_of_the_library_satisfy_their_equations() {
    check("tests/library", &["auto", "bdf"]);
}

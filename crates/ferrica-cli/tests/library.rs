//! The built-in library and the examples: every model of `tests/library` decides by its own asserts, every
//! example runs to its end.
//!
//! A first line `// run: FLAGS` gives the flags of a model. One process a model, so that a failure
//! names its model and cannot take others with it.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Examples whose run is too long for a test, and what makes them smaller.
const SMALLER: &[(&str, &str)] = &[("Thermostats", "-p N=200")];

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

/// What went wrong, or nothing.
fn run(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut args = vec![
        "run".to_string(),
        path.display().to_string(),
        "-o".to_string(),
        "-".to_string(),
    ];
    let smaller = SMALLER.iter().find(|(name, _)| *name == stem(path));
    let flags = text.lines().next().and_then(|l| l.strip_prefix("// run: "));
    for flags in flags.into_iter().chain(smaller.map(|(_, flags)| *flags)) {
        args.extend(flags.split_whitespace().map(str::to_string));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(&args)
        .env_remove("MODELICAPATH")
        .stdout(Stdio::null())
        .output()
        .unwrap();
    (!output.status.success()).then(|| {
        format!(
            "{}\n{}",
            stem(path),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Failures of all models, on two threads.
fn failures(list: &[PathBuf]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(text) = run(path) {
                        found.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    found
}

#[test]
fn library_models_meet_their_asserts() {
    let list = models("tests/library");
    let failed = failures(&list);
    assert!(
        failed.is_empty(),
        "{} of {} models failed:\n{}",
        failed.len(),
        list.len(),
        failed.join("\n")
    );
}

#[test]
fn examples_run() {
    let failed = failures(&models("examples"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A predefined elementary function can be named as a function: in a short class, in a redeclaration and as an argument.
#[test]
fn elementary_functions_are_classes() {
    let model = "
model M
  model A replaceable function f = sin; Real y = f(time); end A;
  partial function F input Real x; output Real y; end F;
  function twice input F f; input Real x; output Real y; algorithm y := f(f(x)); end twice;
  A a;
  A b(redeclare function f = exp);
  Real z = twice(cos, time);
end M;
";
    let found = common::run("elementary-functions", model, &[]);
    let expected = [
        ("a.y", 1f64.sin()),
        ("b.y", 1f64.exp()),
        ("z", 1f64.cos().cos()),
    ];
    for (name, value) in expected {
        assert!((found.last(name) - value).abs() < 1e-12, "{name}");
    }
}

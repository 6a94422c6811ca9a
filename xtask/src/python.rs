//! The Python package: built into an environment of its own in `target/`, tested, type-checked.
//!
//! Where Python or its packages cannot be had it is skipped, and the caller says so.

use std::path::Path;
use std::process::Command;

/// What the tests need.
const PACKAGES: [&str; 12] = [
    "maturin>=1.7,<2",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pytest",
    "mypy",
    "dask",
    "distributed",
    "nbclient",
    "nbformat",
    "ipykernel",
];

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// Why.
    Skipped(String),
}

pub fn run() -> Result<Outcome, String> {
    let folder = std::env::current_dir().map_err(|e| e.to_string())?;
    let environment = folder.join("target/python-environment");
    if let Err(why) = prepare(&environment) {
        println!("the Python package is NOT tested: {why}");
        return Ok(Outcome::Skipped(format!(
            "needs Python 3.10 with venv and pip ({why})"
        )));
    }
    let bin = environment.join("bin");
    let program = folder.join("target/debug/ferrica");
    let build = Command::new(env!("CARGO"))
        .args(["build", "-p", "ferrica-cli"])
        .status();
    if !build.is_ok_and(|s| s.success()) {
        return Ok(Outcome::Failed);
    }
    let steps: [(&str, &[&str]); 4] = [
        ("maturin", &["develop", "--quiet"]),
        ("pytest", &["-q"]),
        ("mypy", &[]),
        ("stubtest", &["ferrica._ferrica"]),
    ];
    for (tool, args) in steps {
        println!("{tool} {}", args.join(" "));
        let status = Command::new(bin.join(tool))
            .args(args)
            .current_dir(folder.join("python"))
            .env("VIRTUAL_ENV", &environment)
            .env("FERRICA", &program)
            .status()
            .map_err(|e| format!("{tool}: {e}"))?;
        if !status.success() {
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Passed)
}

/// An environment with all packages, made once.
fn prepare(environment: &Path) -> Result<(), String> {
    prepare_with(environment, &PACKAGES)
}

/// An environment with these packages.
pub fn prepare_with(environment: &Path, packages: &[&str]) -> Result<(), String> {
    let attempt = |program: &Path, args: &[&str]| {
        let output = Command::new(program).args(args).output();
        let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let text = String::from_utf8_lossy(&output.stderr);
                let last = text.lines().last().unwrap_or_default().to_owned();
                Err(format!("{} {}: {last}", program.display(), args.join(" ")))
            }
        }
    };
    let python = environment.join("bin/python");
    if !python.exists() {
        let place = environment.display().to_string();
        attempt(Path::new("python3"), &["-m", "venv", &place])?;
    }
    let mut args = vec!["-m", "pip", "install", "-q", "--disable-pip-version-check"];
    args.extend(packages);
    attempt(&python, &args)
}

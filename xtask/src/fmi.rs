//! FMUs in programs of others: FMPy, CasADi, fmutool, libcosimpy and ecospy judge what is exported, CasADi and python-control what is linearized, from an environment of their own in `target/`.
//!
//! Where Python or its packages cannot be had it is skipped, and the caller says so.

use std::process::Command;

use crate::python::{Outcome, prepare_with};

/// Who judges.
const PACKAGES: [&str; 8] = [
    "pytest>=8",
    "fmpy>=0.3",
    "casadi>=3.7",
    "control>=0.10",
    "fmu-manipulation-toolbox>=1.9",
    "libcosimpy>=0.0.6",
    "ecospy>=0.7",
    "psutil",
];

pub fn run() -> Result<Outcome, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let environment = here.join("target/fmi-environment");
    if let Err(why) = prepare_with(&environment, &PACKAGES) {
        println!("FMUs are NOT tested in other programs: {why}");
        return Ok(Outcome::Skipped(format!(
            "needs Python with venv and pip ({why})"
        )));
    }
    let build = Command::new(env!("CARGO"))
        .args(["build", "-p", "ferrica-cli"])
        .status();
    if !build.is_ok_and(|s| s.success()) {
        return Ok(Outcome::Failed);
    }
    println!("pytest tests/fmi");
    let status = Command::new(environment.join("bin/python"))
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/fmi"])
        .env("FERRICA", here.join("target/debug/ferrica"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status()
        .map_err(|e| format!("pytest: {e}"))?;
    Ok(match status.success() {
        true => Outcome::Passed,
        false => Outcome::Failed,
    })
}

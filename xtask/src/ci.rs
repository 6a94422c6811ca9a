//! `cargo xtask ci`: formatting, lints as errors, all tests, those of the Python package and of FMUs in other programs; with an installed OpenMPI also those over ranks.
//!
//! Tests that need a tool which is not installed are ignored by the test runner (`ferrica-test-tools`); they are listed at the
//! end as `SKIPPED`, and where `CI` is set that is a failure: there the tools are installed. What has failed is listed last, as `FAILED`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::editors;
use crate::fmi;
use crate::fuzz;
use crate::options::Options;
use crate::python::{self, Outcome};
use crate::studio;

/// Mutated texts of each run: about a minute.
const FUZZ_CASES: usize = 300;
/// Processor time of each.
const FUZZ_LIMIT: Duration = Duration::from_secs(3);

pub fn run() -> Result<bool, String> {
    let steps: [&[&str]; 3] = [
        &["fmt", "--all", "--check"],
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        &["test", "--workspace", "--no-fail-fast"],
    ];
    let ranks: &[&str] = &[
        "test",
        "-p",
        "ferrica-cli",
        "--features",
        "mpi",
        "--test",
        "mpi",
    ];
    let mut list = Outcomes::default();
    let last = mpi_is_installed().then_some(ranks);
    for step in steps.into_iter().chain(last) {
        list.cargo(step)?;
    }
    if last.is_none() {
        let why = "runs over ranks: needs OpenMPI and libclang".to_owned();
        list.skipped.push(why);
    }
    // What fails here fails below, too: the program is not there, or not the one that was meant.
    if list.failed.is_empty() {
        list.others()?;
    }
    for test in &list.skipped {
        println!("SKIPPED: {test}");
    }
    if !list.skipped.is_empty() && on_ci() {
        println!("{} skipped, but CI has all tools", list.skipped.len());
    }
    for part in &list.failed {
        println!("FAILED: {part}");
    }
    Ok(list.failed.is_empty() && (list.skipped.is_empty() || !on_ci()))
}

/// What is said at the end, when the places where it was said are far above.
#[derive(Default)]
struct Outcomes {
    failed: Vec<String>,
    /// For want of a tool.
    skipped: Vec<String>,
}

impl Outcomes {
    /// All that needs more than cargo, and mutated texts.
    fn others(&mut self) -> Result<(), String> {
        println!("cargo xtask fuzz --count {FUZZ_CASES}");
        let kept_the_rules = fuzz::run(&Options {
            ferrica: Some("target/debug/ferrica".into()),
            count: FUZZ_CASES,
            limit: FUZZ_LIMIT,
            ..Options::parse(std::iter::empty())?
        })?;
        if !kept_the_rules {
            self.failed.push("cargo xtask fuzz".to_owned());
        }
        self.part("the studio in a browser", studio::run()?);
        for (part, outcome) in editors::run()? {
            self.part(part, outcome);
        }
        self.part("FMUs in other programs", fmi::run()?);
        self.part("the Python package", python::run()?);
        Ok(())
    }

    /// A registry that does not answer keeps no change out.
    fn part(&mut self, name: &str, outcome: Outcome) {
        match outcome {
            Outcome::Passed => {}
            Outcome::Failed => self.failed.push(name.to_owned()),
            Outcome::Skipped(why) => println!("SKIPPED: {name}: {why}"),
        }
    }

    /// Runs a step and shows what it prints; tests that have failed, and those that were ignored for want of a tool, go to the lists.
    fn cargo(&mut self, step: &[&str]) -> Result<(), String> {
        println!("cargo {}", step.join(" "));
        let failed = |e: std::io::Error| format!("cargo {}: {e}", step[0]);
        let mut command = Command::new(env!("CARGO"));
        let mut child = command
            .args(step)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let out = child.stdout.take();
        for line in out.into_iter().flat_map(|o| BufReader::new(o).lines()) {
            let line = line.map_err(failed)?;
            println!("{line}");
            self.skipped.extend(skipped_test(&line));
            self.failed.extend(failed_test(&line));
        }
        if !child.wait().map_err(failed)?.success() {
            self.failed.push(format!("cargo {}", step.join(" ")));
        }
        Ok(())
    }
}

/// `test a::b ... FAILED` → `a::b`.
fn failed_test(line: &str) -> Option<String> {
    let (test, end) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (end == "FAILED").then(|| test.to_owned())
}

/// `test a::b ... ignored, needs cc` → `a::b: needs cc`.
fn skipped_test(line: &str) -> Option<String> {
    let (test, why) = line.strip_prefix("test ")?.split_once(" ... ignored, ")?;
    why.starts_with("needs ").then(|| format!("{test}: {why}"))
}

fn on_ci() -> bool {
    std::env::var("CI").is_ok_and(|v| !v.is_empty() && v != "false" && v != "0")
}

/// The compiler of an MPI library, its launcher, and what its bindings are made with.
fn mpi_is_installed() -> bool {
    let clang = std::fs::read_dir("/usr/lib").is_ok_and(|folder| {
        let mut names = folder.flatten().map(|e| e.path().join("lib/libclang.so"));
        names.any(|path| path.exists())
    });
    let has_clang = clang || std::env::var_os("LIBCLANG_PATH").is_some();
    has_clang
        && ["mpicc", "mpirun"].iter().all(|program| {
            let mut command = Command::new(program);
            command.arg("--version");
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            quiet.status().is_ok_and(|s| s.success())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_without_their_tool_are_skipped() {
        let told = skipped_test("test on_arm ... ignored, needs qemu-arm");
        assert_eq!(told.as_deref(), Some("on_arm: needs qemu-arm"));
        assert_eq!(skipped_test("test long ... ignored, takes an hour"), None);
        assert_eq!(skipped_test("test a ... ok"), None);
    }

    #[test]
    fn failed_tests_are_said_again() {
        let told = failed_test("test a::b ... FAILED");
        assert_eq!(told.as_deref(), Some("a::b"));
        assert_eq!(failed_test("test a ... ok"), None);
    }
}

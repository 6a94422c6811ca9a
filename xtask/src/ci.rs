//! `cargo xtask ci`: formatting, lints as errors, all tests.

use std::process::Command;

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
        &["test", "--workspace"],
    ];
    for step in steps {
        println!("cargo {}", step.join(" "));
        let status = Command::new(env!("CARGO"))
            .args(step)
            .status()
            .map_err(|e| format!("cargo {}: {e}", step[0]))?;
        if !status.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

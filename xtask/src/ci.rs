//! `cargo xtask ci`: formatting, lints as errors, all tests; with an installed OpenMPI also those over ranks.

use std::process::{Command, Stdio};

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
    let ranks: &[&str] = &[
        "test",
        "-p",
        "ferrica-cli",
        "--features",
        "mpi",
        "--test",
        "mpi",
    ];
    let last = mpi_is_installed().then_some(ranks);
    for step in steps.into_iter().chain(last) {
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

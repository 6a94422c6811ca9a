//! The language server in editors: pytest-lsp and headless Neovim drive it over the real protocol; the VS Code extension is packaged.
//!
//! Where Python with its packages, Neovim or Node cannot be had, that part is skipped, and the caller says so.

use std::path::Path;
use std::process::Command;

use crate::python::{Outcome, prepare_with};

/// What drives the server.
const PACKAGES: [&str; 3] = ["pytest>=8", "pytest-asyncio>=1", "pytest-lsp>=1,<2"];

/// Each part with what came of it.
pub fn run() -> Result<Vec<(&'static str, Outcome)>, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let program = here.join("target/debug/ferrica");
    Ok(vec![
        (
            "the language server with pytest-lsp",
            protocol(&here, &program)?,
        ),
        ("the language server in Neovim", neovim(&here, &program)?),
        ("the VS Code extension", extension(&here)?),
    ])
}

fn passed(mut command: Command) -> Result<Outcome, String> {
    let status = command.status();
    let status = status.map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    Ok(match status.success() {
        true => Outcome::Passed,
        false => Outcome::Failed,
    })
}

fn protocol(here: &Path, program: &Path) -> Result<Outcome, String> {
    let environment = here.join("target/editor-environment");
    if let Err(why) = prepare_with(&environment, &PACKAGES) {
        return Ok(Outcome::Skipped(format!(
            "needs Python with venv and pip ({why})"
        )));
    }
    println!("pytest editors/tests");
    let mut pytest = Command::new(environment.join("bin/python"));
    pytest
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "editors/tests",
        ])
        .env("FERRICA", program)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    passed(pytest)
}

fn neovim(here: &Path, program: &Path) -> Result<Outcome, String> {
    let folder = here.join("target/editor-neovim");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let found = Command::new("nvim").arg("--version").output();
    if !found.is_ok_and(|o| o.status.success()) {
        return Ok(Outcome::Skipped("needs nvim".into()));
    }
    let model = here.join("editors/tests/rc.mo");
    std::fs::copy(model, folder.join("rc.mo")).map_err(|e| e.to_string())?;
    println!("nvim --headless");
    let script = format!(
        "luafile {}",
        here.join("editors/tests/neovim.lua").display()
    );
    let mut nvim = Command::new("nvim");
    nvim.args([
        "--headless",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "-c",
        &script,
    ])
    .current_dir(&folder)
    .env("FERRICA", program);
    passed(nvim)
}

/// Packages the extension with `@vscode/vsce`, in a copy.
fn extension(here: &Path) -> Result<Outcome, String> {
    let folder = here.join("target/vscode-extension");
    let failed = |e: std::io::Error| e.to_string();
    std::fs::create_dir_all(folder.join("syntaxes")).map_err(failed)?;
    let source = here.join("editors/vscode");
    for place in [source.clone(), source.join("syntaxes")] {
        for entry in std::fs::read_dir(&place).map_err(failed)?.flatten() {
            let path = entry.path();
            if path.is_file() {
                let inside = path.strip_prefix(&source).map_err(|e| e.to_string())?;
                std::fs::copy(&path, folder.join(inside)).map_err(failed)?;
            }
        }
    }
    if !folder.join("node_modules/.bin/vsce").exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
            .current_dir(&folder);
        match npm.output() {
            Ok(done) if done.status.success() => {}
            Ok(done) => {
                let text = String::from_utf8_lossy(&done.stderr).into_owned();
                let last = text.lines().last().unwrap_or("npm failed").to_owned();
                return Ok(Outcome::Skipped(format!(
                    "needs npm and its registry ({last})"
                )));
            }
            Err(e) => return Ok(Outcome::Skipped(format!("needs npm ({e})"))),
        }
    }
    println!("vsce package");
    let mut vsce = Command::new("node_modules/.bin/vsce");
    vsce.args([
        "package",
        "--allow-missing-repository",
        "-o",
        "ferrica.vsix",
    ])
    .current_dir(&folder);
    passed(vsce)
}

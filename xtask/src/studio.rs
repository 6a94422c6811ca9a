//! The studio in a browser: Chromium, driven by playwright-core, which npm puts into `target/`.
//!
//! Where the browser, Node or the package cannot be had it is skipped, and the caller says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::Outcome;

const SCRIPT: &str = "crates/ferrica-studio/tests/browser/studio.mjs";
const MODEL: &str = "crates/ferrica-studio/tests/browser/rc.mo";
/// What drives the browser.
const DRIVER: &str = "playwright-core@1";

pub fn run() -> Result<Outcome, String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let folder = here.join("target/studio-browser");
    let browser = match prepare(&folder) {
        Ok(browser) => browser,
        Err(why) => {
            println!("the studio is NOT tested in a browser: {why}");
            return Ok(Outcome::Skipped(format!(
                "needs chromium, node and npm ({why})"
            )));
        }
    };
    // The page saves the file that it works on.
    let model = folder.join("rc.mo");
    std::fs::copy(here.join(MODEL), &model).map_err(|e| format!("{MODEL}: {e}"))?;
    println!("node {SCRIPT}");
    let status = Command::new("node")
        .arg(here.join(SCRIPT))
        .args([&here.join("target/debug/ferrica"), &model, &browser])
        .env("PLAYWRIGHT_FOLDER", &folder)
        .status()
        .map_err(|e| format!("node: {e}"))?;
    Ok(match status.success() {
        true => Outcome::Passed,
        false => Outcome::Failed,
    })
}

/// The browser; the driver is fetched once.
fn prepare(folder: &Path) -> Result<PathBuf, String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut browsers = std::env::split_paths(&paths).map(|p| p.join("chromium"));
    let browser = browsers
        .find(|p| p.is_file())
        .ok_or("there is no chromium")?;
    if !folder.join("node_modules/playwright-core").is_dir() {
        let failed = |e: std::io::Error| e.to_string();
        std::fs::create_dir_all(folder).map_err(failed)?;
        std::fs::write(folder.join("package.json"), "{\"private\": true}\n").map_err(failed)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", DRIVER]);
        let done = npm.current_dir(folder).output();
        let done = done.map_err(|e| format!("npm: {e}"))?;
        if !done.status.success() {
            let text = String::from_utf8_lossy(&done.stderr);
            return Err(text.lines().last().unwrap_or("npm failed").to_owned());
        }
    }
    Ok(browser)
}

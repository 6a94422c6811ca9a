//! The studio in a browser: Chromium, driven by playwright-core, which npm puts into a folder of the build.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::folder;
use ferrica_test_tools::needs;

const RC: &str = "model RC
  Modelica.Electrical.Analog.Sources.StepVoltage source(V=5, startTime=0.1);
  Modelica.Electrical.Analog.Basic.Resistor R(R=100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(source.p, R.p);
  connect(R.n, C.p);
  connect(C.n, ground.p);
  connect(source.n, ground.p);
end RC;
";

/// The folder with the driver; it is fetched once.
fn driver() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright");
    if !folder.join("node_modules/playwright-core").is_dir() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{\"private\": true}\n").unwrap();
        let install = ["install", "--no-audit", "--no-fund", "playwright-core@1"];
        let done = Command::new("npm")
            .args(install)
            .current_dir(&folder)
            .output();
        let done = done.unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    folder
}

#[needs("chromium", "node", "npm")]
#[test]
fn a_page_is_opened_changed_and_run() {
    let file = folder("studio_page").join("rc.mo");
    fs::write(&file, RC).unwrap();
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../ferrica-studio/tests/browser/studio.mjs");
    let paths = std::env::var_os("PATH").unwrap();
    let chromium = std::env::split_paths(&paths).map(|p| p.join("chromium"));
    let chromium = chromium.into_iter().find(|p| p.is_file()).unwrap();
    let done = Command::new("node")
        .arg(script)
        .args([
            env!("CARGO_BIN_EXE_ferrica").as_ref(),
            file.as_path(),
            &chromium,
        ])
        .env("PLAYWRIGHT_FOLDER", driver())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    let wrong = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}\n{wrong}");
    assert!(told.contains("ok: a long run stops"), "{told}");
}

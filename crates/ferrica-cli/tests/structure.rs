//! `ferrica dump --stage matching` and `graph`: the structural analysis as text and as pictures.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn dump(folder: &Path, text: &str, args: &[&str]) -> Output {
    std::fs::write(folder.join("M.mo"), text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .current_dir(folder)
        .args(["dump", "M.mo", "--stage"])
        .args(args)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A chain, a linear loop (x = −5.5, y = 0.5 whatever k is), a loop that has to be torn at one unknown.
const LOOPS: &str = "model M parameter Real k = 2; Real x, y, z, a, b, w(start = 1, fixed = true);
equation z = w; k*x - k*y = -6*k; x + y = -5*z; a + b^3 = w; a*a + b = 2*w; der(w) = x + a - w; end M;";

#[test]
fn each_equation_has_its_unknown() {
    let folder = folder("structure-matching");
    let output = dump(&folder, LOOPS, &["matching"]);
    assert!(output.status.success());
    let text = said(&output);
    let pairs: Vec<&str> = (text.lines().filter(|l| l.contains('→')))
        .map(|l| l.split_whitespace().nth(2).unwrap())
        .collect();
    let mut unknowns = pairs.clone();
    unknowns.sort_unstable();
    unknowns.dedup();
    assert_eq!(unknowns.len(), pairs.len(), "{text}");
    assert!(unknowns.contains(&"der(w)"), "{text}");
}

#[test]
fn loops_are_shown_before_and_after() {
    let folder = folder("structure-graph");
    let text = said(&dump(&folder, LOOPS, &["graph"]));
    assert!(text.contains("2 loops"), "{text}");
    assert!(text.contains("solved symbolically"), "{text}");
    assert!(text.contains("torn: iterates over"), "{text}");
    assert_eq!(text.matches("residual: 0 =").count(), 1, "{text}");
    // What needs them comes after them.
    let last = text.lines().rfind(|l| l.contains("from e")).unwrap();
    assert!(last.contains("der(w)") && last.contains("after"), "{text}");
}

#[test]
fn pictures_in_both_formats_and_themes() {
    let folder = folder("structure-pictures");
    for stage in ["matching", "graph"] {
        let output = dump(&folder, LOOPS, &[stage, "-o", "a.svg"]);
        assert!(output.status.success());
        let svg = std::fs::read_to_string(folder.join("a.svg")).unwrap();
        for part in ["<svg", "der(w)", "loop 1"] {
            assert!(svg.contains(part), "{stage}: {part}");
        }
        for theme in ["light", "dark"] {
            dump(&folder, LOOPS, &[stage, "--theme", theme, "-o", "a.png"]);
            let png = std::fs::read(folder.join("a.png")).unwrap();
            assert_eq!(&png[1..4], b"PNG");
        }
    }
}

/// An error is no reason not to look: the equation without an unknown is in the text and in the picture, which is there beside the message.
#[test]
fn a_singular_model_is_shown_as_far_as_it_goes() {
    let folder = folder("structure-singular");
    let model = "model M Real a, b, c; equation a^2 = time; a^3 = 2; b + c = a; end M;";
    let output = dump(&folder, model, &["matching"]);
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(text.contains("equations without an unknown (1)"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("E0401"));
    let _ = std::fs::remove_file(folder.join("a.svg"));
    let output = dump(&folder, model, &["matching", "-o", "a.svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(folder.join("a.svg").exists());
}

/// Beyond 80 equations a matrix, and the reader is told.
#[test]
fn large_models_are_bounded() {
    let folder = folder("structure-large");
    let model = "model M Real x[300]; equation x[1] = sin(time); for i in 2:300 loop x[i] = x[i-1]^2 + 1; end for; end M;";
    for stage in ["matching", "graph"] {
        let output = dump(&folder, model, &[stage, "-o", "a.svg"]);
        assert!(output.status.success());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("not drawn"), "{told}");
        let size = std::fs::metadata(folder.join("a.svg")).unwrap().len();
        assert!(size < 400_000, "{size}");
    }
}

#[test]
fn what_has_no_picture_is_refused() {
    let folder = folder("structure-refused");
    for args in [
        &["flat", "-o", "a.svg"][..],
        &["matching", "--theme", "dark"],
    ] {
        let output = dump(&folder, LOOPS, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

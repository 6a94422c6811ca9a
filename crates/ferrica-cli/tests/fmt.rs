//! `ferrica fmt`: files in place, checks, standard input, broken text.

mod common;

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::folder;

const UNTIDY: &str = "model A\nReal x( start=1 );\nend A;\n";
const TIDY: &str = "model A\n  Real x(start=1);\nend A;\n";

fn fmt(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command.arg("fmt").args(args).output().unwrap()
}

#[test]
fn formats_in_place_and_checks() {
    let folder = folder("fmt_in_place").join("lib");
    fs::create_dir_all(folder.join("inner")).unwrap();
    let (a, b) = (folder.join("a.mo"), folder.join("inner/b.mo"));
    fs::write(&a, UNTIDY).unwrap();
    fs::write(&b, TIDY).unwrap();
    let path = folder.to_str().unwrap();
    let listed = fmt(&["--check", path]);
    assert_eq!(listed.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&listed.stdout).trim(),
        a.to_str().unwrap()
    );
    assert_eq!(fs::read_to_string(&a).unwrap(), UNTIDY);
    assert_eq!(fmt(&[path]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&a).unwrap(), TIDY);
    assert_eq!(fs::read_to_string(&b).unwrap(), TIDY);
    assert_eq!(fmt(&["--check", path]).status.code(), Some(0));
}

#[test]
fn broken_text_is_told_and_left() {
    let file = folder("fmt_broken").join("broken.mo");
    fs::write(&file, "model A\nReal ;\nend A;\n").unwrap();
    let done = fmt(&[file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("E0101"));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "model A\nReal ;\nend A;\n"
    );
    assert_eq!(fmt(&["no-such-file.mo"]).status.code(), Some(2));
    assert_eq!(fmt(&[]).status.code(), Some(2));
}

#[test]
fn standard_input_to_standard_output() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["fmt", "--stdin", "--indent", "4"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(UNTIDY.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(text, "model A\n    Real x(start=1);\nend A;\n");
}

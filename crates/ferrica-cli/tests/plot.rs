//! `ferrica plot` with several results: curves over each other, each with the name of its result.

mod common;

use std::fs;
use std::process::Command;

use common::folder;

#[test]
fn results_lie_over_each_other() {
    let folder = folder("plot_overlay");
    fs::write(folder.join("first.csv"), "time,x,y\n0,0,5\n1,1,6\n").unwrap();
    fs::write(folder.join("second.csv"), "time,x\n0,0\n1,2\n").unwrap();
    let plot = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
        command.current_dir(&folder).arg("plot").args(args);
        command.output().unwrap()
    };
    let done = plot(&["first.csv", "second.csv", "-y", "x", "-o", "both.svg"]);
    assert!(done.status.success(), "{done:?}");
    let svg = fs::read_to_string(folder.join("both.svg")).unwrap();
    for text in [
        ">x (first)</text>",
        ">x (second)</text>",
        "<title>first, second</title>",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // One panel: both curves have the same axis.
    assert_eq!(svg.matches("<clipPath").count(), 1);
    let missing = plot(&["first.csv", "second.csv", "-y", "y", "-o", "y.svg"]);
    assert_eq!(missing.status.code(), Some(2), "the second has no y");
    assert_eq!(plot(&["first.csv", "second.csv"]).status.code(), Some(2));
    assert!(plot(&["first.csv"]).status.success());
}

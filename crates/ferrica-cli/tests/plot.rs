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

fn ferrica(folder: &std::path::Path, args: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command.current_dir(folder).args(args);
    command.output().unwrap()
}

#[test]
fn formulas_are_drawn_and_wrong_ones_explained() {
    let folder = folder("plot_formulas");
    fs::write(
        folder.join("r.csv"),
        "time,R.p.v,R.n.v\n0,5,1\n1,9,2\n2,9,2\n",
    )
    .unwrap();
    let list = "R.p.v - R.n.v,max(R.p.v,6)";
    let done = ferrica(&folder, &["plot", "r.csv", "-y", list, "-o", "r.svg"]);
    assert!(done.status.success(), "{done:?}");
    let svg = fs::read_to_string(folder.join("r.svg")).unwrap();
    assert!(svg.contains(">R.p.v - R.n.v</text>") && svg.contains(">max(R.p.v,6)</text>"));
    for (wrong, why) in [
        ("R.p.v - R.q.v", "no variable `R.q.v`"),
        ("cosh2(R.p.v)", "no function"),
    ] {
        let done = ferrica(&folder, &["plot", "r.csv", "-y", wrong, "-o", "w.svg"]);
        assert_eq!(done.status.code(), Some(2), "{wrong}");
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(text.contains(why), "{text}");
    }
}

/// The result leaves the tube of 10 % of a range of 1 where its error of 0.05 t is 0.1: at t = 2; rows are 0.5 apart.
#[test]
fn a_difference_is_drawn_with_its_tube_and_the_first_violation() {
    let folder = folder("diff_plot");
    let rows = |error: f64| -> String {
        let row = |k: i32| {
            let t = 0.5 * f64::from(k);
            format!("{t},{}\n", t / 4.0 + error * t)
        };
        format!("time,x\n{}", (0..=8).map(row).collect::<String>())
    };
    fs::write(folder.join("a.csv"), rows(0.0)).unwrap();
    fs::write(folder.join("b.csv"), rows(0.05)).unwrap();
    let args = ["diff", "a.csv", "b.csv", "--tol", "0.1", "--plot", "d.svg"];
    let done = ferrica(&folder, &args);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let svg = fs::read_to_string(folder.join("d.svg")).unwrap();
    for text in [
        "x: outside of the tube from 2.50000 s on",
        ">first outside</text>",
        ">difference</text>",
        ">b.csv</text>",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert_eq!(svg.matches("<clipPath").count(), 2, "two panels");
}

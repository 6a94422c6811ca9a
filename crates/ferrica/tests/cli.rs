//! The program as scripts see it: exit codes, standard output, standard error, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A fresh folder with two results: `b.csv` deviates from `a.csv` by 1 % of the range at t = 2.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("a.csv"),
        "time,x,p\n0,0,7\n1,1,7\n2,2,7\n3,10,7\n",
    )
    .unwrap();
    fs::write(folder.join("b.csv"), "time,x\n0,0\n1,1\n2,2.1\n3,10\n").unwrap();
    folder
}

#[test]
fn diff_answers_with_its_exit_code() {
    let folder = folder("diff");
    let same = ferrica(&folder, &["diff", "a.csv", "a.csv"]);
    assert_eq!(same.status.code(), Some(0));
    assert!(text(&same.stdout).ends_with("2 variables compared: no difference\n"));

    let other = ferrica(&folder, &["diff", "a.csv", "b.csv"]);
    assert_eq!(other.status.code(), Some(1));
    let out = text(&other.stdout);
    assert!(out.contains("0.01000     0.10000     2.00000"), "{out}");
    assert!(out.contains("1 variable not in B: p"), "{out}");
    assert!(other.stderr.is_empty());

    let wide = ferrica(&folder, &["diff", "a.csv", "b.csv", "--tol", "0.02"]);
    assert_eq!(wide.status.code(), Some(0));
    let strict = ferrica(
        &folder,
        &["diff", "a.csv", "b.csv", "--tol", "0.02", "--strict"],
    );
    assert_eq!(strict.status.code(), Some(1));
    let missing = ferrica(&folder, &["diff", "a.csv", "none.csv"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(missing.stdout.is_empty());
}

#[test]
fn plot_draws_lists_and_refuses() {
    let folder = folder("plot");
    for name in ["p.svg", "p.png", "p.html"] {
        let done = ferrica(&folder, &["plot", "a.csv", "-y", "x;p", "-o", name]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        assert!(done.stdout.is_empty());
        assert!(fs::metadata(folder.join(name)).unwrap().len() > 1000);
    }
    let drawn = ferrica(&folder, &["plot", "a.csv", "-y", "x"]);
    let out = text(&drawn.stdout);
    assert!(out.contains("time [s]") && !out.contains('\x1b'), "{out}");

    let listed = ferrica(&folder, &["plot", "a.csv"]);
    assert_eq!(text(&listed.stdout), "x    0 … 10\np    7 … 7\n");

    for wrong in [
        &["plot", "a.csv", "-y", "nothing"][..],
        &["plot", "a.csv", "-y", "x", "-o", "p.gif"],
        &["plot", "a.csv", "-y", ""],
    ] {
        let refused = ferrica(&folder, wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}");
        assert!(text(&refused.stderr).starts_with("error: "));
    }
}

#[test]
fn errors_in_a_model_name_the_place() {
    let folder = folder("errors");
    fs::write(
        folder.join("bad.mo"),
        "model Bad\n  Real x\n  Real y;\nend Bad;\n",
    )
    .unwrap();
    let checked = ferrica(&folder, &["check", "bad.mo"]);
    assert_eq!(checked.status.code(), Some(1));
    let message = text(&checked.stderr);
    assert!(message.contains("--> bad.mo:2:9"), "{message}");
    assert!(message.contains("^"), "{message}");
    assert!(checked.stdout.is_empty());

    assert_eq!(ferrica(&folder, &["run"]).status.code(), Some(2));
    assert_eq!(
        ferrica(&folder, &["run", "missing.mo"]).status.code(),
        Some(2)
    );
    assert_eq!(
        ferrica(&folder, &["run", "bad.mo", "--solver", "magic"])
            .status
            .code(),
        Some(2)
    );
    let unknown = ferrica(&folder, &["check", "-m", "Modelica.Nothing"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("`Modelica` exists but has no such member"));
}

#[test]
fn the_built_in_library_is_inside() {
    let folder = folder("library");
    let dumped = ferrica(
        &folder,
        &[
            "dump",
            "--stage",
            "classes",
            "-m",
            "Modelica.Blocks.Interfaces",
        ],
    );
    assert_eq!(dumped.status.code(), Some(0), "{}", text(&dumped.stderr));
    assert!(text(&dumped.stdout).contains("RealInput"));
}

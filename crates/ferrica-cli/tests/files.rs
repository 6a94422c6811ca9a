//! What a command leaves behind when it fails, is killed, finds the disk full or is told to write where it must not.
//!
//! The rule: a file that is there is replaced only by a complete new one, and rows that were computed are not lost.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// An empty folder with a model in it.
fn folder(name: &str, model: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("m.mo"), model).unwrap();
    folder
}

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeeds(folder: &Path, args: &[&str]) {
    let done = ferrica(folder, args);
    assert_eq!(done.status.code(), Some(0), "{args:?}: {}", said(&done));
}

fn refused(folder: &Path, args: &[&str]) -> String {
    let done = ferrica(folder, args);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {}", said(&done));
    said(&done)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const DECAY: &str = "model M\n  parameter Real k(unit=\"1/s\") = 1 \"rate\";\n  \
    Real x(start = 1, fixed = true, unit=\"m\") \"way\";\nequation\n  der(x) = -k*x;\n  \
    assert(k < 5, \"k is too large\");\n  assert(x > 0.5 or k < 2, \"x is too small\");\nend M;\n";

/// k = 7 fails at the start, k = 3 when x falls below 0.5: both leave the old result, the second its rows beside it.
#[test]
fn classes_may_be_in_further_files() {
    let folder = folder("further", "model M\n  A a;\nend M;\n");
    fs::write(folder.join("a.mo"), "model A\n  B b;\nend A;\n").unwrap();
    fs::write(folder.join("b.mo"), "model B\n  Real x = time;\nend B;\n").unwrap();
    let args = [
        "run", "m.mo", "--lib", "a.mo", "--lib", "b.mo", "-o", "m.csv",
    ];
    succeeds(&folder, &args);
    let rows = fs::read_to_string(folder.join("m.csv")).unwrap();
    assert!(rows.starts_with("time,a.b.x"), "{rows}");
}

#[test]
fn a_run_that_fails_leaves_the_old_result() {
    for format in ["csv", "mat", "parquet"] {
        let folder = folder(&format!("fails-{format}"), DECAY);
        let file = format!("r.{format}");
        succeeds(&folder, &["run", "m.mo", "-o", &file]);
        let (old, there) = (fs::read(folder.join(&file)).unwrap(), names(&folder));

        let done = ferrica(&folder, &["run", "m.mo", "-o", &file, "-p", "k=7"]);
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
        assert_eq!(names(&folder), there);

        let done = ferrica(&folder, &["run", "m.mo", "-o", &file, "-p", "k=3"]);
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
        let partial = format!("r.partial.{format}");
        assert!(said(&done).contains(&format!("is in {partial}")));
        let table = ferrica_results::read(&folder.join(&partial)).unwrap();
        // ln 2 / 3 = 0.231
        let last = table.time[table.time.len() - 1];
        assert!((0.22..0.3).contains(&last), "{last}");
        assert_eq!(fs::read(folder.join(&file)).unwrap(), old);
    }
}

#[test]
fn a_refused_resume_leaves_the_old_result_and_the_checkpoint() {
    let folder = folder("resume", DECAY);
    let stages = ["--checkpoint", "c.state", "--every", "0.3"];
    succeeds(&folder, &[&["run", "m.mo"], &stages[..]].concat());
    let old = fs::read(folder.join("M.csv")).unwrap();
    let (state, rows) = (
        fs::read(folder.join("c.state")).unwrap(),
        fs::read(folder.join("c.state.rows")).unwrap(),
    );
    let there = names(&folder);
    let done = ferrica(
        &folder,
        &["run", "m.mo", "--resume", "c.state", "--stop", "2"],
    );
    assert!(!done.status.success());
    // Another run with the same checkpoint that does not come to its first stage.
    let failing = [&["run", "m.mo", "-p", "k=7"], &stages[..]].concat();
    assert_eq!(ferrica(&folder, &failing).status.code(), Some(1));
    assert_eq!(fs::read(folder.join("M.csv")).unwrap(), old);
    assert_eq!(fs::read(folder.join("c.state")).unwrap(), state);
    assert_eq!(fs::read(folder.join("c.state.rows")).unwrap(), rows);
    let left: Vec<String> = names(&folder)
        .into_iter()
        .filter(|n| !there.contains(n))
        .collect();
    assert!(left.iter().all(|n| n == "c.state.rows.partial"), "{left:?}");
}

/// A run that takes some minutes: many steps, few numbers.
const LONG: &str = "model M\n  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\nequation\n  \
    der(x) = y;\n  der(y) = -x;\nend M;\n";

/// Killed without a warning, as by the system when memory runs out.
#[test]
fn a_killed_run_leaves_its_rows() {
    for format in ["csv", "mat", "parquet"] {
        let folder = folder(&format!("killed-{format}"), LONG);
        let file = format!("r.{format}");
        succeeds(&folder, &["run", "m.mo", "-o", &file, "--stop", "1"]);
        let old = fs::read(folder.join(&file)).unwrap();
        let slow = [
            "--stop", "1e7", "--points", "1000000", "--solver", "rk4", "--step", "1e-2",
        ];
        let mut run = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "m.mo", "-o", &file])
            .args(slow)
            .current_dir(&folder)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Rows are on the disk after half a second or so, on a busy machine later.
        let partial = folder.join(format!("r.partial.{format}"));
        let began = Instant::now();
        let size = |p: &Path| fs::metadata(p).map_or(0, |m| m.len());
        while size(&partial) < 2000 && began.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(50));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let table = ferrica_results::read(&partial).unwrap();
        assert!(table.time.len() > 10, "{format}: {}", table.time.len());
        // cos t, whatever else the rows are cut off by.
        let x = table.series("x").unwrap();
        for (t, x) in table.time.iter().zip(x.iter()).take(1000) {
            assert!((x - t.cos()).abs() < 1e-6, "{format}: {t} {x}");
        }
        assert_eq!(fs::read(folder.join(&file)).unwrap(), old, "{format}");
        assert_eq!(
            ferrica_results::read(&folder.join(&file))
                .unwrap()
                .time
                .len(),
            501
        );
    }
}

/// The limit on the size of files stands for a full disk: a write beyond it fails.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_old_result_stays() {
    for format in ["csv", "mat", "parquet"] {
        let folder = folder(&format!("full-{format}"), LONG);
        let file = format!("r.{format}");
        succeeds(&folder, &["run", "m.mo", "-o", &file, "--points", "10"]);
        let old = fs::read(folder.join(&file)).unwrap();
        let program = env!("CARGO_BIN_EXE_ferrica");
        // The signal is ignored, so that the write returns its error; 64 blocks of 512 bytes.
        let script = format!(
            "trap '' XFSZ; ulimit -f 64; exec '{program}' run m.mo -o {file} --points 20000"
        );
        let done = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(1), "{format}: {}", said(&done));
        assert!(said(&done).contains("File too large"), "{}", said(&done));
        assert_eq!(fs::read(folder.join(&file)).unwrap(), old, "{format}");
        // A Parquet file of a run this short has its first rows only at its end.
        if format != "parquet" {
            let partial = folder.join(format!("r.partial.{format}"));
            let table = ferrica_results::read(&partial).unwrap();
            assert!(table.time.len() > 100, "{format}: {}", table.time.len());
            assert!(table.incomplete.is_some(), "{format}");
            let told = said(&ferrica(&folder, &["plot", &format!("r.partial.{format}")]));
            assert!(told.contains("warning: r.partial."), "{told}");
        }
    }
}

#[test]
fn no_command_overwrites_its_inputs_or_what_it_does_not_know() {
    let folder = folder("inputs", DECAY);
    succeeds(&folder, &["run", "m.mo", "-o", "r.csv"]);
    succeeds(&folder, &["export", "fmu", "m.mo", "-o", "m.fmu"]);
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let before: Vec<(String, Vec<u8>)> = names(&folder)
        .into_iter()
        .map(|n| (n.clone(), fs::read(folder.join(n)).unwrap()))
        .collect();
    for args in [
        &["run", "m.mo", "--stats", "m.mo"][..],
        &["run", "m.mo", "--stats", "r.csv"],
        &["run", "m.mo", "--checkpoint", "m.mo", "--every", "0.1"],
        &["run", "m.mo", "--checkpoint", "notes.txt", "--every", "0.1"],
        &["run", "m.mo", "-o", "m.mo"],
        &["run", "m.mo", "--every", "0.1"],
        &["run", "m.mo", "--plot", "x", "--picture", "a.pdf"],
        &["run", "m.mo", "--plot", "x", "--picture", "m.mo"],
        &["run", "m.mo", "-o", "no/such/folder.csv"],
        &["run", "m.mo", "-o", "s.json", "--stats", "s.json"],
        &["dump", "--stage", "flat", "m.mo", "-o", "m.mo"],
        &["dump", "--stage", "flat", "m.mo", "-o", "./m.mo"],
        &["bond", "m.mo", "-o", "x.png"],
        &["bond", "m.mo", "-o", "m.mo"],
        &["sweep", "m.mo", "-p", "k=1,2", "-o", "s.mat"],
        &["sweep", "m.mo", "-p", "k=1,2", "-o", "m.mo"],
        &["sweep", "m.mo", "-p", "k=1,2", "-o", "/dev/null"],
        &["plot", "r.csv", "-y", "x", "-o", "r.csv"],
        &["compare", "m.mo", "--solvers", "bdf", "-o", "m.mo"],
        &["check", "m.mo", "--partition-graph", "m.mo"],
        &["steady", "m.mo", "-o", "m.mo"],
        &["steady", "m.mo", "-o", "./m.mo"],
        &["export", "fmu", "m.mo", "-o", "r.csv"],
        &[
            "export", "fmu", "m.mo", "--source", "--solver", "rt-tr", "--step", "0.1", "-o", "m.mo",
        ],
        &["import", "m.fmu", "-o", "m.fmu"],
        &["import", "m.fmu", "-o", "r.csv"],
        &["run", "m.mo", "--stats", "m.fmu"],
    ] {
        refused(&folder, args);
        for (name, content) in &before {
            assert_eq!(&fs::read(folder.join(name)).unwrap(), content, "{args:?}");
        }
        assert_eq!(names(&folder).len(), before.len(), "{args:?}");
    }
    // What may be thrown away or printed.
    succeeds(
        &folder,
        &["run", "m.mo", "-o", "/dev/null", "--stats", "/dev/null"],
    );
    succeeds(&folder, &["run", "m.mo", "-o", "-", "--stats", "cost.json"]);
    succeeds(&folder, &["dump", "--stage", "flat", "m.mo", "-o", "-"]);
}

#[cfg(unix)]
#[test]
fn a_write_protected_result_stays() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("protected", DECAY);
    fs::write(folder.join("r.csv"), "time\n").unwrap();
    fs::set_permissions(folder.join("r.csv"), fs::Permissions::from_mode(0o444)).unwrap();
    let told = refused(&folder, &["run", "m.mo", "-o", "r.csv"]);
    assert!(
        told.contains("r.csv: the file is write-protected"),
        "{told}"
    );
    assert_eq!(fs::read(folder.join("r.csv")).unwrap(), b"time\n");
}

#[test]
fn a_sweep_tells_of_failed_runs_with_its_exit_code() {
    let folder = folder("sweep", DECAY);
    succeeds(&folder, &["sweep", "m.mo", "-p", "k=1,1.5"]);
    let failing = ["sweep", "m.mo", "-p", "k=1,7", "-o", "s.csv"];
    let done = ferrica(&folder, &failing);
    assert_eq!(done.status.code(), Some(1));
    let told = said(&done);
    assert!(
        told.contains("1 run of 2 failed, the first is number 1"),
        "{told}"
    );
    assert!(told.contains("k is too large"), "{told}");
    // The table is complete all the same.
    let table = fs::read_to_string(folder.join("s.csv")).unwrap();
    assert_eq!(table.lines().count(), 3);
    assert!(!folder.join("s.partial.csv").exists());
    succeeds(&folder, &[&failing[..], &["--allow-failed"]].concat());
}

/// All variables are known before the run: they are columns, and the parameter stands beside them.
#[test]
fn variables_that_are_constant_are_in_the_result() {
    let model =
        "model M\n  parameter Real p = 2;\n  Real a = 3, b = p;\n  Boolean c = true;\nend M;\n";
    let table = common::run("constant", model, &["--points", "1"]);
    assert_eq!(
        (table.last("a"), table.last("b"), table.last("c")),
        (3.0, 2.0, 1.0)
    );
    let folder = folder("constant", model);
    succeeds(&folder, &["run", "m.mo", "-q"]);
    let listed = ferrica(&folder, &["plot", "M.csv"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed
            .lines()
            .any(|l| l.starts_with('p') && l.ends_with("= 2")),
        "{listed}"
    );
}

/// A condition that changes a hundred thousand times: its rows stop before they fill the disk, and that is told.
#[test]
fn rows_at_events_are_bounded() {
    let model = "model M\n  Integer n(start = 0, fixed = true);\nequation\n  \
        when sample(0, 1e-5) then\n    n = pre(n) + 1;\n  end when;\nend M;\n";
    for solver in ["auto", "qss2"] {
        let folder = folder(&format!("events-{solver}"), model);
        let args = ["run", "m.mo", "-o", "r.mat", "--solver", solver];
        let done = ferrica(&folder, &args);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        assert!(
            said(&done).contains("warning: from t = "),
            "{solver}: {}",
            said(&done)
        );
        let table = ferrica_results::read(&folder.join("r.mat")).unwrap();
        // A hundred for each of 501 output points.
        let rows = table.time.len();
        assert!((50_000..51_000).contains(&rows), "{solver}: {rows}");
        assert_eq!(*table.series("n").unwrap().last().unwrap(), 100_001.0);
    }
}

#[test]
fn units_and_descriptions_come_back() {
    let folder = folder("units", DECAY);
    for format in ["csv", "mat", "parquet"] {
        let file = format!("r.{format}");
        succeeds(&folder, &["run", "m.mo", "-o", &file]);
        let table = ferrica_results::read(&folder.join(&file)).unwrap();
        let (x, k) = (table.find("x").unwrap(), table.find("k").unwrap());
        assert_eq!(table.declared(x).unit, "m", "{format}");
        assert_eq!(table.declared(x).description, "way", "{format}");
        assert_eq!(table.declared(k).unit, "1/s", "{format}");
        succeeds(&folder, &["plot", &file, "-y", "x", "-o", "x.svg"]);
        let svg = fs::read_to_string(folder.join("x.svg")).unwrap();
        assert!(svg.contains("x [m]"), "{format}");
    }
}

/// Parameters that are texts stay with a result in every format; a reader of numbers passes them over.
#[test]
fn texts_stay_with_a_result() {
    let model = "model M
  type E = enumeration(a, b);
  parameter String s = \"abc\" + String(n) \"a name\";
  parameter String t[2] = {\"1.5\", \"say \\\"x\\\"\"};
  parameter Integer n = 3;
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
end M;";
    let folder = folder("texts", model);
    for file in ["r.csv", "r.mat", "r.parquet"] {
        succeeds(
            &folder,
            &["run", "m.mo", "-p", "n=4", "-o", file, "--quiet"],
        );
        let bytes = fs::read(folder.join(match file {
            "r.csv" => "r.csv.json",
            other => other,
        }));
        let text = String::from_utf8_lossy(&bytes.unwrap()).into_owned();
        for value in ["abc4", "1.5", "a name", "t[2]"] {
            assert!(text.contains(value), "{file}: {value}");
        }
        let listed = ferrica(&folder, &["plot", file]);
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(
            listed.contains('x') && !listed.contains("NaN"),
            "{file}: {listed}"
        );
        assert!(!listed.contains("t[1]"), "{file}: {listed}");
    }
    succeeds(&folder, &["diff", "r.mat", "r.csv"]);
    let partner = fs::read_to_string(folder.join("r.csv.json")).unwrap();
    let partner: serde_json::Value = serde_json::from_str(&partner).unwrap();
    let parameters = partner["parameters"].as_array().unwrap();
    let value = |name: &str| &parameters.iter().find(|p| p["name"] == name).unwrap()["value"];
    assert_eq!(value("s"), "abc4");
    assert_eq!(value("t[2]"), "say \"x\"");
    // A pattern that names none of them leaves them out.
    succeeds(
        &folder,
        &["run", "m.mo", "-o", "x.csv", "--vars", "x", "--quiet"],
    );
    let partner = fs::read_to_string(folder.join("x.csv.json")).unwrap();
    assert!(!partner.contains("abc3"), "{partner}");
}

#[test]
fn misspelled_names_get_a_suggestion_and_quiet_runs_say_nothing() {
    let model = "model M\n  parameter Real gain = 1;\n  Real speed(start = 1, fixed = true);\nequation\n  \
        der(speed) = -gain*speed;\n  when initial() then\n    Modelica.Utilities.Streams.print(\"hello\");\n  \
        end when;\nend M;\n";
    let folder = folder("names", model);
    for (args, near) in [
        (&["run", "m.mo", "-p", "gian=2"][..], "`gain`"),
        (&["run", "m.mo", "--vars", "sped"], "`speed`"),
        (&["run", "m.mo", "--plot", "speeed"], "`speed`"),
        (&["run", "n.mo"], "m.mo"),
        (&["vars", "m.mo", "seped"], "`speed`"),
        (&["runn", "m.mo"], "run"),
        (&["explain", "E04001"], "`E04"),
    ] {
        let told = refused(&folder, args);
        assert!(told.contains(near), "{args:?}: {told}");
    }
    let quiet = ferrica(&folder, &["run", "m.mo", "--quiet", "-o", "r.csv"]);
    assert!(
        quiet.status.success() && said(&quiet).is_empty(),
        "{}",
        said(&quiet)
    );
    let told = refused(&folder, &["plot", "r.csv", "-y", "spede"]);
    assert!(told.contains("`speed`"), "{told}");
    // One that is right beside one that is not.
    let some = ferrica(
        &folder,
        &["run", "m.mo", "--vars", "speed", "--vars", "speedd"],
    );
    assert!(
        said(&some).contains("did you mean `speed`?"),
        "{}",
        said(&some)
    );
    let loud = ferrica(&folder, &["run", "m.mo"]);
    assert!(said(&loud).contains("hello"), "{}", said(&loud));
    assert!(refused(&folder, &["run", "m.mo", "--points", "0"]).contains("--points 0"));
    let drawn = ferrica(&folder, &["plot", "r.csv", "-y", "der(speed)", "--log-y"]);
    assert!(
        said(&drawn).contains("are not positive"),
        "{}",
        said(&drawn)
    );
}

/// Units and types of a CSV are in `m.csv.json`: no other output may take that name.
#[test]
fn the_partner_of_a_result_is_an_output_too() {
    let folder = folder("partner-taken", DECAY);
    let args = ["run", "m.mo", "-o", "m.csv", "--stats", "m.csv.json"];
    let message = refused(&folder, &args);
    assert!(message.contains("two outputs"), "{message}");
    assert_eq!(names(&folder), ["m.mo"]);
}

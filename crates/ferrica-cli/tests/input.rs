//! `--input`: top-level inputs from the columns of a file. Expected numbers are integrals in closed form.

mod common;

use std::fs;
use std::process::Command;

use common::{folder, run};

const MODEL: &str = "
model Integrators
  input Real u;
  input Boolean on(start = false);
  parameter Integer n = 1;
  Real x[n](each start = 0, each fixed = true);
  discrete Integer count(start = 0, fixed = true);
equation
  der(x) = fill(u, n);
  when on then count = pre(count) + 1; end when;
  annotation(experiment(StopTime = 2));
end Integrators;";

/// Straight lines 1, 3 at 0.5 … 1, a jump to 0, then to 4 at 1.5; `on` rises at 0.5 and 1.5.
const DATA: &str = "time,u,on,other\n0.5,1,1,7\n1,3,0,7\n1,0,0,7\n1.5,4,1,7\n";

#[test]
fn inputs_come_from_columns() {
    let file = folder("input").join("u.csv");
    fs::write(&file, DATA).unwrap();
    for more in [
        &[][..],
        &["--solver", "radau"],
        &["--solver", "rk4", "--step", "0.01"],
        &["-p", "n=2"],
    ] {
        let args = [&["--input", "u.csv"], more].concat();
        let table = run("input", MODEL, &args);
        assert!((table.last("x[1]") - 4.5).abs() < 1e-5, "{more:?}");
        assert_eq!((table.last("time"), table.last("u")), (2.0, 4.0));
        assert_eq!(table.last("count"), 1.0, "{more:?}");
    }
    let table = run("input", MODEL, &["--input", "u.csv", "--hold-inputs"]);
    // 1 up to 1, then 0, and 4 from 1.5 on.
    assert!((table.last("x[1]") - 3.0).abs() < 1e-5);
}

/// A discrete input changes at the rows of the file only. Samples at 0.25, 0.75, 1.25 and 1.75 see 1, 1, 0 and 4; on straight lines they would see 1, 2, 2 and 4.
#[test]
fn discrete_inputs_hold() {
    let file = folder("input-discrete").join("u.csv");
    fs::write(&file, DATA).unwrap();
    let model = "model M discrete input Real u; discrete Real total(start = 0, fixed = true);
        equation when sample(0.25, 0.5) then total = pre(total) + u; end when;
        annotation(experiment(StopTime = 2)); end M;";
    let table = run("input-discrete", model, &["--input", "u.csv"]);
    assert_eq!(table.last("total"), 6.0);
}

/// Elements of arrays are inputs of their own, of arrays of records too; what has no column keeps its start value, which `-p` can change. The sizes are those of
/// the values that are given. Integrals of straight lines: u[1] = t, r[2].v[2] = 2·t, of the constants 3 and 5 over two seconds.
#[test]
fn elements_of_arrays_are_inputs() {
    let file = folder("input-arrays").join("u.csv");
    fs::write(
        &file,
        "time,u[1],r[2].v[2],u[3],on[2]\n0,0,0,5,0\n2,2,4,5,0\n2,2,4,5,1\n",
    )
    .unwrap();
    let model = "model M
        record R Real v[2]; Boolean b; end R;
        parameter Integer n = 2;
        input Real u[n](start = fill(1, n)); input R r[2]; input Boolean on[2];
        Real x[n](each start = 0, each fixed = true); Real y(start = 0, fixed = true);
        equation der(x) = u; der(y) = r[2].v[2] + r[1].v[1] + (if on[1] or on[2] then 100 else 0);
        annotation(experiment(StopTime = 2)); end M;";
    let words = ["--input", "u.csv", "-p", "n=3", "-p", "u[2].start=3"];
    for more in [
        &[][..],
        &["--solver", "rk4"],
        &["--solver", "liqss2", "--tol", "1e-7"],
    ] {
        let table = run("input-arrays", model, &[&words[..], more].concat());
        for (name, value) in [("x[1]", 2.0), ("x[2]", 6.0), ("x[3]", 10.0), ("y", 4.0)] {
            assert!(
                (table.last(name) - value).abs() < 1e-4,
                "{more:?} {name}: {}",
                table.last(name)
            );
        }
    }
}

/// `change` of inputs that only events change: two of `on`, two of `k` and one of `d` inside of the run and at its end; none where nothing drives them.
#[test]
fn changes_of_discrete_inputs_fire_clauses() {
    let file = folder("input-change").join("u.csv");
    fs::write(
        &file,
        "time,on,k,d\n0,0,1,1\n0.5,1,1,1\n1,0,2,2\n1.5,0,3,2\n",
    )
    .unwrap();
    let model = "model M input Boolean on; input Integer k; discrete input Real d; Integer n[3](each start = 0, each fixed = true);
        equation when change(on) then n[1] = pre(n[1]) + 1; end when; when {change(k), edge(on)} then n[2] = pre(n[2]) + 1; end when;
        when change(d) then n[3] = pre(n[3]) + 1; end when; annotation(experiment(StopTime = 2)); end M;";
    for (more, counts) in [
        (&["--input", "u.csv"][..], [2.0, 3.0, 1.0]),
        (&[], [0.0; 3]),
    ] {
        let table = run("input-change", model, more);
        assert_eq!([1, 2, 3].map(|k| table.last(&format!("n[{k}]"))), counts);
    }
}

#[test]
fn data_that_does_not_fit_is_told() {
    let folder = folder("input-wrong");
    fs::write(folder.join("Model.mo"), MODEL).unwrap();
    for (data, code, word) in [
        ("time,v\n0,1\n1,2\n", "E0735", "u, on"),
        ("time,u\n0,1\n1,inf\n", "E0735", "inf"),
        ("time,u\n0,1\n1,2\n", "W0603", "`on`"),
        ("time,u\n0,1\n1,2\n2,x\n", "E0735", "`x` is not a number"),
        ("time,u\n0,1\n1\n", "E0735", "cut off"),
    ] {
        fs::write(folder.join("u.csv"), data).unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "-o", "-", "--input", "u.csv", "Model.mo"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(told.contains(code) && told.contains(word), "{data}: {told}");
        assert_eq!(done.status.success(), code.starts_with('W'));
    }
}

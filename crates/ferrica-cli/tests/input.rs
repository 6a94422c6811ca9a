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

//! What steps of a fixed size cannot see by themselves is found by a run with half of them, and told.
//!
//! Truths: a relay between two thresholds has the period ln of its exponentials; Euler's formula reflects a wave at a mass by more than it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("halves-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("M.mo"), text).unwrap();
    folder
}

fn run(folder: &Path, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .arg("run")
        .args(args.split(' '))
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// T falls and rises between 18 and 22 by T' = 10 − T and T' = 90 − T.
const RELAY: &str = "model M
  Real T(start=20, fixed=true);
  Boolean on(start=true, fixed=true);
equation
  der(T) = (if on then 80 else 0) - (T - 10);
  on = pre(on) and T < 22 or T < 18;
end M;
";

/// Value of the relay at t: the time in its period tells.
fn relay(t: f64) -> f64 {
    let rise = |from: f64, s: f64| 90.0 - (90.0 - from) * (-s).exp();
    let first = (70.0f64 / 68.0).ln();
    if t < first {
        return rise(20.0, t);
    }
    let (down, up) = ((12.0f64 / 8.0).ln(), (72.0f64 / 68.0).ln());
    let s = (t - first) % (down + up);
    if s < down {
        10.0 + 12.0 * (-s).exp()
    } else {
        rise(18.0, s - down)
    }
}

#[test]
fn the_phase_of_a_relay_that_drifts_is_told() {
    let folder = folder("relay", RELAY);
    for (solver, step, wrong) in [
        ("rt-bdf1", "1e-2", true),
        ("rt-bdf1", "1e-4", false),
        ("rt-tr", "1e-2", false),
    ] {
        let out = run(
            &folder,
            &format!(
                "M.mo --solver {solver} --step {step} --stop 20 --interval 0.1 --event-rows off -o r.csv"
            ),
        );
        assert!(out.status.success(), "{}", said(&out));
        let rows = std::fs::read_to_string(folder.join("r.csv")).unwrap();
        let errors = rows.lines().skip(1).map(|row| {
            let mut cells = row.split(',').map(|c| c.parse::<f64>().unwrap());
            let (t, x) = (cells.next().unwrap(), cells.next().unwrap());
            (x - relay(t)).powi(2)
        });
        let errors: Vec<f64> = errors.collect();
        let error = (errors.iter().sum::<f64>() / errors.len() as f64).sqrt() / 4.0;
        assert_eq!(error > 0.02, wrong, "{solver} {step}: {error}");
        let told = said(&out).contains("W0601") && said(&out).contains("`T` is wrong by about");
        assert_eq!(told, wrong, "{solver} {step}: {}", said(&out));
    }
}

/// x = cos t. The trapezoidal rule turns by t h²/12 too little, BDF2 by four times as much too little, and the first order loses the amplitude.
const OSCILLATOR: &str = "model M
  Real x(start=1, fixed=true), v(start=0, fixed=true);
equation
  der(x) = v;
  der(v) = -x;
end M;
";

/// x = 1 − exp(−t), which forgets what each step has left out.
const LAG: &str = "model M
  Real x(start=0, fixed=true);
equation
  der(x) = 1 - x;
end M;
";

#[test]
fn what_a_formula_leaves_out_of_its_steps_is_told_where_it_adds_up() {
    let (oscillator, lag) = (folder("oscillator", OSCILLATOR), folder("lag", LAG));
    for (folder, solver, step, wrong) in [
        (&oscillator, "rt-tr", "0.2", true),
        (&oscillator, "rt-tr", "0.01", false),
        (&oscillator, "rt-bdf1", "0.005", true),
        (&oscillator, "rt-bdf2", "0.1", true),
        (&oscillator, "rt-bdf3", "0.2", true),
        (&oscillator, "rt-bdf3", "0.02", false),
        (&oscillator, "rt-ode", "0.2", true),
        (&lag, "rt-tr", "0.2", false),
        (&lag, "rt-bdf1", "0.01", false),
    ] {
        let args =
            format!("M.mo --solver {solver} --step {step} --stop 100 --interval 0.2 -o r.csv");
        let out = run(folder, &args);
        assert!(out.status.success(), "{}", said(&out));
        let rows = std::fs::read_to_string(folder.join("r.csv")).unwrap();
        let errors = rows.lines().skip(1).map(|row| {
            let mut cells = row.split(',').map(|c| c.parse::<f64>().unwrap());
            let (t, x) = (cells.next().unwrap(), cells.next().unwrap());
            let (truth, range) = match std::ptr::eq(folder, &oscillator) {
                true => (t.cos(), 2.0),
                false => (1.0 - (-t).exp(), 1.0),
            };
            ((x - truth) / range).powi(2)
        });
        let errors: Vec<f64> = errors.collect();
        let error = (errors.iter().sum::<f64>() / errors.len() as f64).sqrt();
        assert_eq!(error > 0.02, wrong, "{solver} {step}: {error}");
        let told = said(&out).contains("W0601") && said(&out).contains("is wrong by about");
        assert_eq!(told, wrong, "{solver} {step}: {}", said(&out));
    }
}

#[test]
fn growth_through_lines_is_an_error() {
    let networks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks/Networks.mo");
    let folder = folder("rod", &std::fs::read_to_string(networks).unwrap());
    for (args, grows) in [
        ("--solver euler --step 1e-4 --stop 4", true),
        ("--solver euler --step 1e-3 --stop 0.2", true),
        ("--solver euler --step 1e-4 --stop 4 --threads 2", true),
        ("--solver rk4 --step 5e-4 --stop 0.2", false),
    ] {
        let out = run(
            &folder,
            &format!("M.mo -m Networks.Rod --partition tlm {args} -o r.csv"),
        );
        let told = said(&out);
        assert_eq!(out.status.success(), !grows, "{args}: {told}");
        let names = told.contains("E0616") && told.contains("would do");
        assert_eq!(names, grows, "{args}: {told}");
    }
}

/// x follows sin t within a nanosecond: dopri5 is stable up to 3.3 ns, which is 3e9 steps for 10 s.
#[test]
fn an_explicit_solver_that_crawls_names_one_that_does_not() {
    let folder = folder(
        "stiff",
        "model M Real x(start=0, fixed=true); equation der(x) = -1e9*(x - sin(time)); end M;",
    );
    let out = run(&folder, "M.mo --solver dopri5 --stop 10 -o r.csv");
    let told = said(&out);
    assert!(!out.status.success(), "{told}");
    assert!(told.contains("error[E0611]: the model is stiff"), "{told}");
    assert!(told.contains("--solver bdf"), "{told}");
    let out = run(&folder, "M.mo --solver bdf --stop 10 -o r.csv");
    assert!(out.status.success(), "{}", said(&out));
}

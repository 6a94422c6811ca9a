//! Runs that are killed and resumed, and parameter studies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn ferrica(folder: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command
        .current_dir(folder)
        .args(args.split_whitespace())
        .env_remove("MODELICAPATH");
    command
}

fn done(output: &Output, what: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {text}");
}

const MODEL: &str = "
model Valve \"A filling vessel that empties by events, with a delayed observer\"
  Real p(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
  Real y;
  Boolean open(start = false, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  open = p > 1 or pre(open) and p > 0.2;
  der(p) = 1 + 0.3*sin(7*time) - (if open then 4*p else 0);
  der(x) = y - x;
  y = delay(p, 0.15);
  when open then
    n = pre(n) + 1;
  end when;
end Valve;
";

/// Kills a run as soon as its first state is stored, resumes it, and compares with a run that was left alone.
fn kill_and_resume(name: &str, args: &str) {
    let folder = folder(&format!("stages-{name}"));
    std::fs::write(folder.join("Valve.mo"), MODEL).unwrap();
    let run = |rest: &str| ferrica(&folder, &format!("run {args} -q {rest}"));
    done(
        &run("--checkpoint a --every 0.5 -o a.csv").output().unwrap(),
        name,
    );
    let mut child = run("--checkpoint b --every 0.5 -o b.csv").spawn().unwrap();
    while !folder.join("b").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // On Unix this is SIGKILL; the run may have ended by itself, which changes nothing.
    let _ = child.kill();
    child.wait().unwrap();
    done(&run("--resume b -o b.csv").output().unwrap(), name);
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    assert!(text("a.csv").lines().count() > 100, "{name}");
    assert!(text("a.csv") == text("b.csv"), "{name}: the results differ");
}

#[test]
fn a_killed_run_ends_as_one_that_was_not() {
    for solver in ["bdf", "radau", "dopri5", "rk4", "euler"] {
        let args = format!("Valve.mo --solver {solver} --step 1e-3 --stop 5 --interval 0.01");
        kill_and_resume(solver, &args);
    }
    for (solver, step) in [("rt-bdf2", "--step 1e-4"), ("qss2", ""), ("liqss2", "")] {
        let args = format!(
            "-m Ferrica.Benchmarks.HalfWave --solver {solver} {step} --stop 2 --interval 1e-2"
        );
        kill_and_resume(solver, args.trim());
    }
    kill_and_resume(
        "tlm",
        "-m Ferrica.Benchmarks.ReliefValve.DerInline.DelayEuler --partition tlm --stop 2 --interval 1e-2",
    );
}

/// Stages begin with fresh solvers: what they compute is the same within the tolerance, delayed values from before a stage included.
#[test]
fn stages_change_nothing_but_rounding() {
    let folder = folder("stages-or-not");
    std::fs::write(folder.join("Valve.mo"), MODEL).unwrap();
    for (model, solver) in [
        ("Valve.mo --stop 5", "auto"),
        ("Valve.mo --stop 5 --step 1e-3", "rt-bdf2"),
        ("Valve.mo --stop 5", "qss2"),
        ("Valve.mo --stop 5", "liqss3"),
        ("-m Ferrica.TLM.Examples.WaterHammer", "bdf"),
        ("-m Ferrica.TLM.Examples.WaterHammer", "qss3"),
    ] {
        let args = format!("run {model} --solver {solver} --interval 0.01 --event-rows off -q");
        let stages = format!("{args} --checkpoint a --every 0.3 -o a.csv");
        done(&ferrica(&folder, &stages).output().unwrap(), &stages);
        let whole = format!("{args} -o b.csv");
        done(&ferrica(&folder, &whole).output().unwrap(), &whole);
        let mut diff = ferrica(&folder, "diff a.csv b.csv --tol 1e-3");
        let output = diff.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{model} {solver}: {text}");
    }
}

#[test]
fn a_state_of_another_run_is_refused() {
    let folder = folder("stages-other");
    std::fs::write(folder.join("Valve.mo"), MODEL).unwrap();
    let run = |rest: &str| {
        ferrica(&folder, &format!("run Valve.mo -q {rest}"))
            .output()
            .unwrap()
    };
    done(&run("--checkpoint a --every 0.5 --stop 2"), "first");
    let other = run("--resume a --stop 2 --tol 1e-8");
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("belongs to another run"));
}

#[test]
fn a_solver_without_stored_states_says_so() {
    let folder = folder("stages-none");
    let args = "run -m Ferrica.Benchmarks.HalfWave --solver qbg --checkpoint a --every 0.1";
    let output = ferrica(&folder, args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("qbg"));
}

/// x(1) = exp(−k) x0 for each pair of values; one pair fails and the rest goes on.
#[test]
fn a_study_has_one_row_a_run_and_can_be_resumed() {
    let folder = folder("sweep");
    let model = "model Decay parameter Real k = 1; parameter Real a = 1; Real x(start = 1, fixed = true); \
                 equation der(x) = -k*x; assert(a > 0, \"a is not positive\"); end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    let sweep = |rest: &str| {
        let args = format!(
            "sweep Decay.mo -p k=0.5:0.5:2 -p a=1,-1 --vars x --tol 1e-9 --allow-failed -o t.csv {rest}"
        );
        ferrica(&folder, &args).output().unwrap()
    };
    done(&sweep("-j 2"), "sweep");
    let text = std::fs::read_to_string(folder.join("t.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "run,k,a,x,status");
    assert_eq!(lines.len(), 9);
    for (run, line) in lines[1..].iter().enumerate() {
        let cells: Vec<&str> = line.splitn(5, ',').collect();
        assert_eq!(cells[0], run.to_string());
        let k: f64 = cells[1].parse().unwrap();
        if cells[2] == "1" {
            let x: f64 = cells[3].parse().unwrap();
            assert!((x - (-k).exp()).abs() < 1e-7, "{line}");
            assert_eq!(cells[4], "ok");
        } else {
            assert!(cells[4].contains("a is not positive"), "{line}");
        }
    }
    // Without its last rows: these are computed again, and the others stay as they are.
    let cut: String = lines[..5].iter().map(|l| format!("{l}\n")).collect();
    std::fs::write(folder.join("t.csv"), cut + "7,2").unwrap();
    done(&sweep("--resume"), "resume");
    assert_eq!(std::fs::read_to_string(folder.join("t.csv")).unwrap(), text);
}

/// x = exp(-k t): its numbers over 0 … 1 in closed form.
#[test]
fn a_sweep_keeps_what_it_is_asked_for() {
    let folder = folder("sweep-values");
    let model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    let args = "sweep Decay.mo -p k=0.5,1,2 --tol 1e-10 --points 2000 -o t.csv --value min(x) --value max(x) --value mean(x) \
                --value rms(x) --value final(x) --value time-of-max(x) --value time-of(x<0.5)";
    done(&ferrica(&folder, args).output().unwrap(), "sweep");
    let text = std::fs::read_to_string(folder.join("t.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("run,k,min(x),max(x),mean(x),rms(x),x,time-of-max(x),time-of(x<0.5),status")
    );
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let k: f64 = cells[1].parse().unwrap();
        let end = (-k).exp();
        let expected = [
            end,
            1.0,
            (1.0 - end) / k,
            ((1.0 - end * end) / (2.0 * k)).sqrt(),
            end,
            0.0,
            2f64.ln() / k,
        ];
        for (cell, value) in cells[2..].iter().zip(expected) {
            match value <= 1.0 {
                true => assert!(
                    (cell.parse::<f64>().unwrap() - value).abs() < 1e-6,
                    "{line}"
                ),
                // It does not happen in time.
                false => assert_eq!(*cell, "", "{line}"),
            }
        }
        assert_eq!(cells[9], "ok");
    }
    for wrong in [
        "--value best(x)",
        "--value max(y)",
        "--trajectories",
        "--vars x --picture p.svg",
    ] {
        let args = format!("sweep Decay.mo -p k=1 -o wrong.csv {wrong}");
        let output = ferrica(&folder, &args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(!folder.join("wrong.csv").exists() && !folder.join("wrong.partial.csv").exists());
    }
}

/// Trajectories are columns of the same row; quantiles of them are drawn.
#[test]
fn a_sweep_of_trajectories() {
    let folder = folder("sweep-trajectories");
    let model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; \
                 assert(k < 3, \"too fast\"); end Decay;";
    std::fs::write(folder.join("Decay.mo"), model).unwrap();
    let args = "sweep Decay.mo -p k=1,2,4 --vars x --trajectories --points 4 --tol 1e-9 -o t.csv --picture t.svg --allow-failed";
    done(&ferrica(&folder, args).output().unwrap(), "sweep");
    let text = std::fs::read_to_string(folder.join("t.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "run,k,x@0,x@0.25,x@0.5,x@0.75,x@1,status");
    for (line, k) in lines[1..3].iter().zip([1.0f64, 2.0]) {
        let cells: Vec<&str> = line.split(',').collect();
        for (n, cell) in cells[2..7].iter().enumerate() {
            let x: f64 = cell.parse().unwrap();
            assert!((x - (-k * 0.25 * n as f64).exp()).abs() < 1e-7, "{line}");
        }
    }
    // The row of a run that failed begins with the code of its message.
    assert!(
        lines[3].starts_with("2,4,,,,,,E0607: at 0: "),
        "{}",
        lines[3]
    );
    let picture = std::fs::read_to_string(folder.join("t.svg")).unwrap();
    assert!(picture.contains("median") && picture.contains("25 … 75 %"));
}

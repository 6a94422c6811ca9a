//! Events in models that are large enough for local evaluation, against closed forms.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

const BOXES: usize = 60;
const STOP: f64 = 200.0;

fn model() -> String {
    format!(
        r#"
model Population
  model Box
    parameter Real R;
    parameter Real C;
    parameter Real P;
    Real T(start=6, fixed=true);
    Boolean on(start=true, fixed=true);
    Integer switched(start=0, fixed=true);
  equation
    C*der(T) = (20 - T)/R - (if on then P else 0);
    when T < 3 then
      on = false;
    elsewhen T > 5 then
      on = true;
    end when;
    when change(on) then
      switched = pre(switched) + 1;
    end when;
  end Box;
  Box box[{BOXES}](
    R={{2 + 0.3*sin(2.3*i) for i in 1:{BOXES}}},
    C={{500 + 100*sin(1.7*i) for i in 1:{BOXES}}},
    P={{20 + 3*sin(3.1*i) for i in 1:{BOXES}}});
  Integer running = sum(if box[i].on then 1 else 0 for i in 1:{BOXES});
  annotation(experiment(StopTime={STOP}, Interval=10, Tolerance=1e-9));
end Population;
"#
    )
}

/// Temperature, state of the switch and number of switchings at the stop time: between switchings the temperature goes
/// exponentially to its end value.
fn closed_form(i: usize) -> (f64, bool, f64) {
    let i = i as f64;
    let r = 2.0 + 0.3 * (2.3 * i).sin();
    let c = 500.0 + 100.0 * (1.7 * i).sin();
    let p = 20.0 + 3.0 * (3.1 * i).sin();
    let (mut t, mut temperature, mut on, mut count) = (0.0, 6.0, true, 0.0);
    loop {
        let (end, target) = if on { (20.0 - p * r, 3.0) } else { (20.0, 5.0) };
        let rest: f64 = (temperature - end) / (target - end);
        let step = r * c * rest.ln();
        // Too weak to reach the target at all: no logarithm.
        if step.is_nan() || step < 0.0 || t + step > STOP {
            let part = (-(STOP - t) / (r * c)).exp();
            return (end + (temperature - end) * part, on, count);
        }
        t += step;
        (temperature, on, count) = (target, !on, count + 1.0);
    }
}

#[test]
fn a_population_of_thermostats_follows_its_closed_form() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("population");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("Population.mo"), model()).unwrap();
    for solver in ["auto", "bdf"] {
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args([
                "run",
                "Population.mo",
                "--quiet",
                "-o",
                "-",
                "--solver",
                solver,
            ])
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let out = String::from_utf8(done.stdout).unwrap();
        let mut lines = out.lines();
        // No name in this model has a comma.
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let last: Vec<f64> = lines
            .next_back()
            .unwrap()
            .split(',')
            .map(|v| v.parse().unwrap())
            .collect();
        let value = |name: String| last[header.iter().position(|h| *h == name).unwrap()];
        let mut running = 0.0;
        for i in 1..=BOXES {
            let (temperature, on, count) = closed_form(i);
            let found = value(format!("box[{i}].T"));
            assert!(
                (found - temperature).abs() < 1e-5,
                "{solver}: box {i} has {found}, not {temperature}"
            );
            assert_eq!(
                value(format!("box[{i}].on")) != 0.0,
                on,
                "{solver}: box {i}"
            );
            assert_eq!(
                value(format!("box[{i}].switched")),
                count,
                "{solver}: box {i}"
            );
            running += f64::from(u8::from(on));
        }
        assert_eq!(value("running".to_string()), running);
    }
}

/// y(t) = x(t − d(t)) with x = sin t and a delay that swings between 0.1 and 0.9.
#[test]
fn a_variable_delay_reads_the_exact_past() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("variable-delay");
    fs::create_dir_all(&folder).unwrap();
    let text = "model Late\n  Real x(start=0, fixed=true);\n  Real d = 0.5 + 0.4*sin(3*time);\n  Real y = delay(x, d, 1);\nequation\n  der(x) = cos(time);\n  annotation(experiment(StopTime=10, Tolerance=1e-8, Interval=0.1));\nend Late;\n";
    fs::write(folder.join("Late.mo"), text).unwrap();
    let args = ["run", "Late.mo", "--quiet", "--vars", "y", "-o", "-"];
    let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(done.status.success());
    let out = String::from_utf8(done.stdout).unwrap();
    assert!(out.lines().count() > 100);
    for line in out.lines().skip(1) {
        let (t, y) = line.split_once(',').unwrap();
        let (t, y): (f64, f64) = (t.parse().unwrap(), y.parse().unwrap());
        let past = t - 0.5 - 0.4 * (3.0 * t).sin();
        let exact = if past > 0.0 { past.sin() } else { 0.0 };
        assert!((y - exact).abs() < 1e-6, "t = {t}: {y}, not {exact}");
    }
}

/// A relaxation oscillator: an amplifier of gain V0, limited to ±U and fed back by a third of its output, charges a capacitor.
/// Where a branch of the hysteresis ends the output jumps to the other limit. The branches end at θ = U/3 − U/V0, so the period
/// is 2·RC·ln((U + θ)/(U − θ)).
#[test]
fn a_trigger_jumps_to_its_other_branch() {
    let text = "
model Trigger
  parameter Real U = 15, V0 = 15000, RC = 1e-3;
  Real u, e, v(start = 0.1, fixed = true);
  discrete Real rise(start = 0, fixed = true), period(start = 0, fixed = true);
equation
  u = if V0*e > U then U elseif V0*e < -U then -U else V0*e;
  e = u/3 - v;
  RC*der(v) = u - v;
  when u > 0 then
    rise = time;
    period = time - pre(rise);
  end when;
  annotation(experiment(StopTime = 0.02, Tolerance = 1e-9));
end Trigger;
";
    let theta = 5.0 - 1e-3;
    let period = 2e-3 * f64::ln((15.0 + theta) / (15.0 - theta));
    for solver in ["auto", "bdf", "radau", "dopri5"] {
        let args = ["--vars", "period", "--solver", solver];
        let found = common::run("trigger", text, &args).last("period");
        assert!(
            (found - period).abs() < 1e-9,
            "{solver}: {found} instead of {period}"
        );
    }
}

/// At a loose tolerance an explicit method puts noise on the stiff current of the blocking diode, which then switches at each of its
/// steps: the solvers that have another method take that. The diode conducts once in each of the 100 periods, and the gate
/// changes twice; the voltage of the reference in discontinuous operation is 15.7 V.
#[test]
fn a_blocking_diode_does_not_chatter_at_a_loose_tolerance() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/SwitchingConverter.mo");
    let folder = common::folder("loose-converter");
    for solver in ["auto", "bdf"] {
        let stats = folder.join("stats.json");
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "--tol", "1e-3", "--quiet", "--vars", "C1.v"])
            .args(["--solver", solver, "-o", "-", "--stats"])
            .args([&stats, &model])
            .output()
            .unwrap();
        let text = fs::read_to_string(&stats).unwrap();
        let number = text.split("\"events\":").nth(1).unwrap();
        let events: u64 = number
            .trim_start()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap();
        assert!((290..3000).contains(&events), "{solver}: {events} events");
        let out = String::from_utf8(done.stdout).unwrap();
        let (_, v) = out.trim().rsplit_once(',').unwrap();
        let v: f64 = v.parse().unwrap();
        assert!((v - 15.7).abs() < 0.5, "{solver}: {v} V");
    }
}

/// x' = −λ (x − cos t): once the transient is over, accuracy asks for a handful of steps and stability for λ/3.3 of them.
#[test]
fn a_stiff_model_is_told_to_those_who_take_an_explicit_solver() {
    let folder = common::folder("stiff");
    let text = "model Stiff\n  Real x(start=1, fixed=true);\nequation\n  der(x) = -2e4*(x - cos(time));\n  annotation(experiment(StopTime=1));\nend Stiff;\n";
    fs::write(folder.join("Stiff.mo"), text).unwrap();
    for (solver, told) in [("dopri5", true), ("bdf", false), ("auto", false)] {
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "Stiff.mo", "--solver", solver])
            .current_dir(&folder)
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&done.stderr);
        assert_eq!(words.contains("the model is stiff"), told, "{words}");
    }
}

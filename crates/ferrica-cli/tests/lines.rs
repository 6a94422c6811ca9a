//! Lines of `Ferrica.TLM` against closed forms: coupled conductors, heat, hysteresis.

use std::path::Path;
use std::process::Command;

/// The rows of a run: times, then the wanted variables.
fn run(folder: &str, text: &str, args: &str) -> Vec<Vec<f64>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lines-{folder}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("M.mo"), text).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["run", "M.mo", "-o", "-", "--quiet", "--event-rows", "off"])
        .args(args.split(' '))
        .current_dir(&folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args}: {said}");
    let text = String::from_utf8(out.stdout).unwrap();
    let row = |line: &str| line.split(',').map(|c| c.parse().unwrap()).collect();
    text.lines().skip(1).map(row).collect()
}

/// Two like conductors: the sum and the difference of their voltages travel by themselves, each with its speed and its impedance, and are reflected at 50 Ω.
#[test]
fn a_step_on_one_conductor_is_heard_on_the_other() {
    let (l, m, c, k, length): (f64, f64, f64, f64, f64) = (3e-7, 6e-8, 1e-10, 1e-11, 10.0);
    let modes =
        [(l + m, c - k), (l - m, c + k)].map(|(l, c)| (length * (l * c).sqrt(), (l / c).sqrt()));
    let far = |(travel, z): (f64, f64), t: f64| {
        let reflection = (50.0 - z) / (50.0 + z);
        let sent = 0.5 * z / (50.0 + z);
        let arrivals = ((t / travel - 1.0) / 2.0).floor() + 1.0;
        (0..arrivals.max(0.0) as i32)
            .map(|n| sent * (1.0 + reflection) * reflection.powi(2 * n))
            .sum::<f64>()
    };
    let text = "model M extends Ferrica.TLM.Examples.Crosstalk; annotation(experiment(StopTime=4e-7, Interval=1e-9)); end M;";
    for args in ["--solver auto", "--partition tlm --step 1e-9"] {
        let rows = run(
            "crosstalk",
            text,
            &format!("{args} --vars far[1].v,far[2].v"),
        );
        let mut looked_at = 0;
        for row in rows {
            let t = row[0] - 1e-8;
            // In a step around its arrival a jump is on its way.
            let arrives = |(travel, _): (f64, f64)| {
                let n = (t / travel - 1.0) / 2.0;
                (n - n.round()).abs() * 2.0 * travel < 3e-9
            };
            if t < 0.0 || modes.into_iter().any(arrives) {
                continue;
            }
            let [sum, difference] = modes.map(|mode| far(mode, t));
            assert!(
                (row[1] - sum - difference).abs() < 1e-12,
                "{args} {t}: {row:?}"
            );
            assert!(
                (row[2] - sum + difference).abs() < 1e-12,
                "{args} {t}: {row:?}"
            );
            looked_at += 1;
        }
        assert!(looked_at > 300, "{args}: {looked_at}");
    }
}

/// Three unlike conductors, one of them with a series resistance: at rest they are resistors, whatever their waves have been.
#[test]
fn coupled_conductors_come_to_rest_as_their_resistances() {
    let text = "model M
  Ferrica.TLM.MultiConductorLine line(n = 3, length = 2, R = {0, 5, 0},
    L = [5e-7, 1e-7, 4e-8; 1e-7, 4e-7, 9e-8; 4e-8, 9e-8, 3e-7],
    C = [8e-11, -1e-11, -3e-12; -1e-11, 9e-11, -2e-11; -3e-12, -2e-11, 1.1e-10]);
  Modelica.Electrical.Analog.Sources.ConstantVoltage source(V = 10);
  Modelica.Electrical.Analog.Basic.Resistor own(R = 20), near[2](R = {60, 80}), far[3](R = {75, 45, 55});
  Modelica.Electrical.Analog.Basic.Ground ground;
equation
  connect(source.n, ground.p); connect(source.p, own.p); connect(own.n, line.p1[2]);
  connect(near[1].p, line.p1[1]); connect(near[1].n, ground.p);
  connect(near[2].p, line.p1[3]); connect(near[2].n, ground.p);
  connect(line.n1, ground.p); connect(line.n2, ground.p);
  for k in 1:3 loop connect(far[k].p, line.p2[k]); connect(far[k].n, ground.p); end for;
end M;";
    let rows = run(
        "rest",
        text,
        "--stop 2e-6 --points 10 --vars far[1].v,far[2].v,far[3].v",
    );
    let last = rows.last().unwrap();
    let expected = [0.0, 10.0 * 45.0 / 70.0, 0.0];
    for (found, expected) in last[1..].iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{last:?}");
    }
}

/// A rod whose ends are put to 400 K and 300 K: the series of the heat equation. Twenty sections and a wave of a hundredth of their time constant come near to it.
#[test]
fn heat_goes_through_a_rod_as_the_heat_equation_says() {
    let text = "model M
  Ferrica.TLM.HeatRod rod(n = 20, C = 1000, R = 1, T_start = 300);
  Modelica.Thermal.HeatTransfer.Sources.FixedTemperature a(T = 400), b(T = 300);
equation
  connect(a.port, rod.port_a); connect(rod.port_b, b.port);
end M;";
    let args =
        "--partition tlm --stop 400 --interval 10 --vars rod.port_a.Q_flow,rod.line[10].port_b.T";
    let rows = run("heat", text, args);
    let pi = std::f64::consts::PI;
    for row in rows.iter().filter(|r| r[0] >= 30.0) {
        let part = |n: i32| (-(f64::from(n) * pi).powi(2) * row[0] / 1000.0).exp();
        let flow = 100.0 * (1.0 + 2.0 * (1..200).map(part).sum::<f64>());
        let middle = |n: i32| (0.5 * f64::from(n) * pi).sin() / f64::from(n) * part(n);
        let temperature = 350.0 - 200.0 / pi * (1..200).map(middle).sum::<f64>();
        assert!((row[1] / flow - 1.0).abs() < 6e-3, "{row:?} {flow}");
        assert!((row[2] - temperature).abs() < 0.5, "{row:?} {temperature}");
    }
}

/// A cycle of 3 mm through springs that slip at 0.5 and 1 mm takes 4 F (a − F/k) each, slow or fast.
#[test]
fn a_cycle_through_slipping_springs_takes_the_area_of_its_loop() {
    let text = "model M
  parameter Real f = 1;
  Ferrica.TLM.Hysteresis coupling(k = {1e5, 1e5}, F = {50, 100});
  Modelica.Mechanics.Translational.Components.Fixed fixed;
  Modelica.Mechanics.Translational.Sources.Position drive(exact = true, s_ref = 3e-3*sin(2*Modelica.Constants.pi*f*time));
  Real W(start = 0, fixed = true);
equation
  connect(fixed.flange, coupling.flange_a); connect(drive.flange, coupling.flange_b);
  der(W) = coupling.f*coupling.v_rel;
end M;";
    let area = 4.0 * 50.0 * (3e-3 - 0.5e-3) + 4.0 * 100.0 * (3e-3 - 1e-3);
    for (f, stop) in [(1.0, 3.0), (20.0, 0.15)] {
        for solver in ["auto", "bdf", "radau"] {
            let args = format!("-p f={f} --stop {stop} --points 3 --solver {solver} --vars W");
            let rows = run("hysteresis", text, &args);
            let cycle = rows[3][1] - rows[2][1];
            assert!(
                (cycle / area - 1.0).abs() < 1e-4,
                "{solver} {f}: {cycle} {area}"
            );
        }
    }
}

/// Two tanks at the ends of a line whose waves are sampled, once by equations and once by an algorithm whose first tick is the start.
const SAMPLED: [&str; 2] = [
    "  when sample(T, T) then
    c1 = pre(w2); c2 = pre(w1);
    w1 = 2*pre(p1) - pre(c1); w2 = 2*pre(p2) - pre(c2);
  end when;",
    "algorithm
  when sample(0, T) then
    c1 := pre(w2); c2 := pre(w1);
    w1 := 2*pre(p1) - pre(c1); w2 := 2*pre(p2) - pre(c2);
  end when;",
];

/// Truth is the whole model with a tight tolerance: between two ticks it is smooth, and `rk4` in parts meets the ticks with its steps.
#[test]
fn sampled_lines_are_cut_as_delayed_ones_are() {
    for (k, clauses) in SAMPLED.into_iter().enumerate() {
        let text = format!(
            "model M
  parameter Real T = 1e-3, Z = 2;
  Real p1(start = 0, fixed = true), p2(start = 0, fixed = true), q1, q2;
  discrete Real c1(start = 1, fixed = true), c2(start = 0.5, fixed = true), w1(start = 0.25, fixed = true), w2(start = 2, fixed = true);
equation
  p1 = c1 + Z*q1; p2 = c2 + Z*q2;
  0.01*der(p1) = 1 - p1/10 - q1; 0.02*der(p2) = -q2 - 0.2*p2^3;
{clauses}
end M;"
        );
        let name = format!("sampled-{k}");
        let common = "--stop 0.2 --interval 2e-3 --vars p1,p2,c1,c2,w1,w2";
        let whole = run(
            &name,
            &text,
            &format!("{common} --solver radau --tol 1e-10"),
        );
        let mut first: Option<Vec<Vec<f64>>> = None;
        for threads in [1, 2] {
            let parts = run(
                &name,
                &text,
                &format!("{common} --partition tlm --step 1.25e-4 --threads {threads}"),
            );
            assert_eq!(parts.len(), whole.len());
            for (a, b) in parts.iter().zip(&whole) {
                for (x, y) in a.iter().zip(b) {
                    assert!((x - y).abs() < 1e-5 * y.abs().max(1.0), "{k}: {a:?} {b:?}");
                }
            }
            assert!(
                first.is_none() || first.as_ref() == Some(&parts),
                "{k}: threads"
            );
            first = Some(parts);
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lines-{name}"));
        let check = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["check", "M.mo", "--partitions"])
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&check.stdout);
        assert!(said.contains("2 partitions, 2 lines"), "{said}");
    }
}

/// What a part with a solver of its own reads between two samples is interpolated, and so is a jump: where that shows, it is told.
#[test]
fn jumps_between_the_samples_of_a_solver_are_told() {
    // A step runs to and fro between 10 and 1000 ohm, past a capacitor.
    let text = "model M
  import Modelica.Electrical.Analog.{Basic, Sources};
  Ferrica.TLM.ElectricalLine a(T = 1e-6, Zc = 50), b(T = 1e-6, Zc = 50);
  Sources.StepVoltage source(V = 10, startTime = 0.5e-6);
  Basic.Resistor near(R = 10), far(R = 1000);
  Basic.Capacitor C(C = 2e-8, v(start = 0, fixed = true));
  Basic.Ground ground;
equation
  connect(source.p, near.p); connect(near.n, a.p1); connect(a.p2, C.p); connect(a.p2, b.p1); connect(b.p2, far.p);
  connect(source.n, ground.p);
  connect(a.n1, ground.p); connect(a.n2, ground.p); connect(b.n1, ground.p); connect(b.n2, ground.p);
  connect(C.n, ground.p); connect(far.n, ground.p);
end M;";
    let told = |step: &str| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lines-jumps");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("M.mo"), text).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args([
                "run",
                "M.mo",
                "--partition",
                "tlm",
                "--solver",
                "bdf",
                "--stop",
                "2e-5",
            ])
            .args(["--step", step, "--interval", "5e-7", "-o", "r.csv"])
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}");
        said.contains("W0601") && said.contains("`C.v` is wrong by about")
    };
    assert!(told("5e-7"));
    assert!(!told("1e-8"));
}

/// `--partition auto` is `tlm` where there is a line, and a run as a whole where there is none.
#[test]
fn the_choice_of_parts_is_told() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lines-auto");
    std::fs::create_dir_all(&folder).unwrap();
    let cut = "model M Real a(start = 1, fixed = true), b(start = 2, fixed = true);
equation der(a) = delay(b, 0.1) - a; der(b) = delay(a, 0.1) - b; end M;";
    let whole = "model M Real a(start = 1, fixed = true); equation der(a) = -a; end M;";
    for (text, same, said) in [
        (
            cut,
            "--partition tlm --step 0.01",
            "2 parts, cut at 2 delays",
        ),
        (whole, "", "no line to cut at"),
    ] {
        std::fs::write(folder.join("M.mo"), text).unwrap();
        let result = |flags: &str| {
            let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
                .args(["run", "M.mo", "--stop", "1", "-o", "-"])
                .args(flags.split_whitespace())
                .current_dir(&folder)
                .env_remove("MODELICAPATH")
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(out.status.success(), "{told}");
            (out.stdout, told)
        };
        let (rows, told) = result("--partition auto --step 0.01");
        assert!(told.contains(said), "{told}");
        assert!(rows == result(same).0, "{said}: the results differ");
    }
}

//! `ferrica export c`: the code compiles without a warning and gives the trajectory of `ferrica run`, here and for ARM.

use ferrica_test_tools::needs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("export_c")
        .join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn ferrica(folder: &Path, args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

/// Rows of a CSV text by time; of two rows at one time the later.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        if out.last().is_some_and(|l| (l[0] - row[0]).abs() < 1e-12) {
            out.pop();
        }
        out.push(row);
    }
    out
}

/// Every row of the demo is one of the run, to 1e-12 of max(1, |value|).
fn compare(name: &str, model: &[&str], vars: &str, compiler: &str, runner: &[&str], flags: &str) {
    let folder = folder(&format!("{name}-{compiler}"));
    let vars = ["--vars", vars];
    ferrica(
        &folder,
        &[&["export", "c", "-o", "c"], model, &vars].concat(),
    );
    let out = Command::new("make")
        .args([
            "-C",
            "c",
            &format!("CC={compiler}"),
            &format!("CFLAGS={flags}"),
        ])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let demo = std::fs::read_dir(folder.join("c")).unwrap().flatten();
    let demo = demo
        .map(|f| f.path())
        .find(|p| p.extension().is_none() && !p.ends_with("Makefile"));
    let demo = demo.expect("a program");
    let mut words: Vec<&str> = runner.to_vec();
    words.push(demo.to_str().unwrap());
    let out = Command::new(words[0]).args(&words[1..]).output().unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let found = rows(&String::from_utf8(out.stdout).unwrap());
    let expected = rows(&ferrica(
        &folder,
        &[&["run", "-o", "-"], model, &vars].concat(),
    ));
    assert!(found.len() > 40, "{name}: {} rows", found.len());
    let mut k = 0;
    for row in &found {
        while (expected[k][0] - row[0]).abs() > 1e-9 {
            k += 1;
        }
        for (a, b) in row.iter().zip(&expected[k]).skip(1) {
            assert!(
                (a - b).abs() <= 1e-12 * b.abs().max(1.0),
                "{name} at {}: {a} {b}",
                row[0]
            );
        }
    }
}

const CASES: [(&str, &[&str], &str); 4] = [
    (
        "rlc",
        &[
            "-m",
            "Ferrica.Benchmarks.RLC",
            "--solver",
            "rt-bdf2",
            "--step",
            "1e-3",
            "--stop",
            "1",
        ],
        "*1.i",
    ),
    (
        "rectifier",
        &[
            "-m",
            "Ferrica.Benchmarks.Rectifier",
            "--solver",
            "rt-tr",
            "--step",
            "5e-4",
            "--iterations",
            "16",
            "--stop",
            "0.5",
        ],
        "L1.i",
    ),
    (
        "halfwave",
        &[
            "-m",
            "Ferrica.Benchmarks.HalfWave",
            "--solver",
            "rt-bdf3",
            "--step",
            "1e-5",
            "--interval",
            "1e-3",
            "--stop",
            "0.1",
        ],
        "C1.v",
    ),
    (
        "buck",
        &[
            "-m",
            "Ferrica.Benchmarks.Buck",
            "--solver",
            "rt-bdf2",
            "--step",
            "1e-6",
            "--interval",
            "1e-5",
            "--stop",
            "1e-3",
        ],
        "C1.v",
    ),
];

/// Straight-line linear, iterated nonlinear, state events and sampled switching.
#[needs("cc", "make")]
#[test]
fn trajectories_are_those_of_a_run() {
    for (name, model, vars) in CASES {
        compare(name, model, vars, "cc", &["env"], "-O2");
    }
}

/// Samplers and conditions of time off the grid: the code takes their instants in order and at their own times, as the run does.
const OFF_THE_GRID: &str = "model Off
  Integer n(start = 0, fixed = true); Real last(start = -1, fixed = true); Real x(start = 1, fixed = true); Real s;
  Integer k(start = 0, fixed = true); Real next(start = 0.25, fixed = true);
equation
  der(x) = -x + (if k > 2 then 1 else 0);
  s = sin(time) + x;
  when sample(0, 0.15) then n = pre(n) + 1; last = time + pre(s); end when;
  when time >= pre(next) then next = pre(next) + 0.17; k = pre(k) + 1; end when;
end Off;
";

#[needs("cc", "make")]
#[test]
fn events_off_the_grid_are_those_of_a_run() {
    std::fs::write(folder("off-cc").join("off.mo"), OFF_THE_GRID).unwrap();
    for solver in ["rt-tr", "rt-bdf2"] {
        let model = ["off.mo", "--solver", solver, "--step", "0.1", "--stop", "8"];
        let model = [&model[..], &["--interval", "0.1"]].concat();
        compare("off", &model, "*", "cc", &["env"], "-O2");
    }
}

/// Tables of every kind of smoothness and extrapolation, over time with jumps, over one and two arguments, in what a state depends on and in a loop that
/// Newton's method solves; and random numbers. `load` goes in straight lines, with its knots on the grid and one jump:
/// its integral over a period is 0.5·0.5·2 + 0.5·(5 + 3)/2.
const TABLES: &str = "model Tables
  import Modelica.Blocks.Types.*;
  function next2
    input Integer a[2]; output Integer b[2]; output Real y; external \"C\" ModelicaRandom_xorshift64star(a, b, y);
  end next2;
  function next4
    input Integer a[4]; output Integer b[4]; output Real y; external \"C\" ModelicaRandom_xorshift128plus(a, b, y);
  end next4;
  function next33
    input Integer a[33]; output Integer b[33]; output Real y; external \"C\" ModelicaRandom_xorshift1024star(a, b, y);
  end next33;
  parameter Real k = 2;
  parameter Smoothness s[5] = {Smoothness.LinearSegments, Smoothness.ContinuousDerivative, Smoothness.ConstantSegments,
    Smoothness.MonotoneContinuousDerivative1, Smoothness.MonotoneContinuousDerivative2};
  parameter Extrapolation e[3] = {Extrapolation.HoldLastPoint, Extrapolation.LastTwoPoints, Extrapolation.Periodic};
  Modelica.Blocks.Sources.CombiTimeTable load(table = [0, 0; 0.5, 2; 0.5, 5; 1, 3], extrapolation = e[3]);
  Modelica.Blocks.Tables.CombiTable1Ds one[5, 3](each table = [-1, 1; 0.3, 2; 0.9, -1; 1.7, 0.5; 2.2, 3],
    smoothness = {{s[i] for j in 1:3} for i in 1:5}, extrapolation = {{e[j] for j in 1:3} for i in 1:5});
  Modelica.Blocks.Tables.CombiTable2Ds two[3, 3](each table = [0, 0, 1, 2, 4; 0, 1, 2, 3, 1; 0.5, 2, 3, 5, 0; 1, 4, 5, 9, 2; 1.8, 1, 1, 1, 0],
    smoothness = {{s[i] for j in 1:3} for i in 1:3}, extrapolation = {{e[j] for j in 1:3} for i in 1:3});
  Modelica.Blocks.Sources.CombiTimeTable course[3](each table = [0.1, 1; 0.3, 2; 0.9, -1; 1.7, 0.5; 2.2, 3],
    smoothness = {s[1], s[2], s[3]}, extrapolation = {e[1], e[2], e[3]}, each startTime = 0.05, each shiftTime = 0.02);
  Real done(start = 0, fixed = true); Real w(start = 0, fixed = true); Real v(start = 0.2, fixed = true); Real z;
  Real f[5, 3]; Real g[3, 3]; Real h[3];
  Integer a[2](start = {126247697, -5}, each fixed = true); Integer b[4](start = {1, 2, 3, -4}, each fixed = true);
  Integer c[33](start = {if i == 33 then 15 else i for i in 1:33}, each fixed = true);
  Real r[3](each start = 0, each fixed = true);
equation
  der(done) = load.y[1];
  der(w) = 6*cos(3*time);
  der(v) = 1 - 0.3*two[2, 1].y*v;
  z + 0.1*z^3 = g[1, 2] + f[2, 2];
  for i in 1:5 loop for j in 1:3 loop one[i, j].u = 4*sin(k*time) + 0.1*z; f[i, j] = one[i, j].y[1]; end for; end for;
  for i in 1:3 loop for j in 1:3 loop two[i, j].u1 = v; two[i, j].u2 = w; g[i, j] = two[i, j].y; end for; h[i] = course[i].y[1]; end for;
  when sample(0.1, 0.1) then
    (a, r[1]) = next2(pre(a)); (b, r[2]) = next4(pre(b)); (c, r[3]) = next33(pre(c));
  end when;
end Tables;
";

#[needs("cc", "make")]
#[test]
fn tables_and_random_numbers_are_those_of_a_run() {
    let folder = folder("tables-cc");
    std::fs::write(folder.join("tables.mo"), TABLES).unwrap();
    for solver in ["rt-tr", "rt-bdf2"] {
        let model = ["tables.mo", "--solver", solver, "--step", "0.01"];
        let model = [&model[..], &["--stop", "4", "--interval", "0.1"]].concat();
        compare("tables", &model, "*", "cc", &["env"], "-O1");
    }
    let model = [
        "tables.mo",
        "--solver",
        "rt-tr",
        "--step",
        "0.01",
        "--stop",
        "4",
    ];
    let vars = [
        "--interval",
        "0.1",
        "--vars",
        "done",
        "--vars",
        "r[*]",
        "-o",
        "c",
    ];
    ferrica(&folder, &[&["export", "c"], &model[..], &vars].concat());
    let make = Command::new("make")
        .args(["-C", "c", "CFLAGS=-O1"])
        .current_dir(&folder)
        .output();
    assert!(make.unwrap().status.success());
    let out = Command::new(folder.join("c/tables_rt")).output().unwrap();
    let found = rows(&String::from_utf8(out.stdout).unwrap());
    // Recurrences with Python's integers modulo 2^64.
    let first = [0.3998000445797756, 0.49609370483039683, 0.0942259691640806];
    assert_eq!(found[1][2..], first);
    for (at, integral) in [(10, 2.5), (20, 5.0), (40, 10.0)] {
        let done = found[at][1];
        assert!((done - integral).abs() < 1e-12, "{}: {done}", found[at][0]);
    }
}

/// Contents of lines: a steady flow, one that turns, one that creeps so that pieces are joined, and a delay beside them. What goes in at the left of the steady one
/// comes out at the right after half a second, jump and all.
const LINES: &str = "model Lines
  Real x(start = 0, fixed = true); Real y(start = 0, fixed = true); Real z(start = 0, fixed = true);
  Real a, b, c, d, e, f, g;
equation
  der(x) = 2; der(y) = cos(4*time); der(z) = 0.01 + 0.001*sin(time);
  (a, b) = spatialDistribution((if time < 0.25 then 5 else 7) + time, 0, x, true, {0, 1}, {1, 3});
  (c, d) = spatialDistribution(10 + time, 20 - b, y, cos(4*time) >= 0, {0, 0.5, 0.5, 1}, {0, 4, 2, 1});
  (e, f) = spatialDistribution(sin(50*time), 0, z, true, {0, 1}, {0, 0});
  g = delay(b, 0.1);
end Lines;
";

#[needs("cc", "make")]
#[test]
fn lines_are_those_of_a_run() {
    let folder = folder("lines-cc");
    std::fs::write(folder.join("lines.mo"), LINES).unwrap();
    for solver in ["rt-tr", "rt-bdf2"] {
        let model = [
            "lines.mo", "--solver", solver, "--step", "1e-3", "--stop", "2",
        ];
        let model = [&model[..], &["--interval", "0.01"]].concat();
        compare("lines", &model, "*", "cc", &["env"], "-O1");
    }
    let model = [
        "lines.mo", "--solver", "rt-tr", "--step", "1e-3", "--stop", "2",
    ];
    let vars = ["--interval", "0.1", "--vars", "b", "-o", "c"];
    ferrica(&folder, &[&["export", "c"], &model[..], &vars].concat());
    let make = Command::new("make")
        .args(["-C", "c", "CFLAGS=-O1"])
        .current_dir(&folder)
        .output();
    assert!(make.unwrap().status.success());
    let out = Command::new(folder.join("c/lines_rt")).output().unwrap();
    for row in rows(&String::from_utf8(out.stdout).unwrap()) {
        let (t, b) = (row[0], row[1]);
        let expected = match t {
            t if t < 0.45 => 3.0 - 4.0 * t,
            t if t < 0.55 => continue,
            t if t < 0.75 - 1e-9 => 4.5 + t,
            t => 6.5 + t,
        };
        assert!((b - expected).abs() < 1e-9, "{t}: {b} {expected}");
    }
}

/// Channels are in the header and in the manifest, a parameter that the code reads can be set, and the loop by the clock runs.
#[needs("cc", "make")]
#[test]
fn channels_have_names_units_and_ranges() {
    let folder = folder("channels");
    std::fs::write(
        folder.join("plant.mo"),
        "model Plant
           parameter Real gain(unit = \"V\", min = 0, max = 10) = 2 \"Gain */ of the input\";
           parameter Real T = 0.5;
           input Real u(unit = \"V\", start = 1) \"Command\";
           output Real y;
           Real x(start = 0, fixed = true);
         equation T*der(x) = gain*u - x; y = x; end Plant;",
    )
    .unwrap();
    ferrica(
        &folder,
        &[
            "export", "c", "plant.mo", "--solver", "rt-tr", "--step", "0.01", "--stop", "1", "-o",
            "c",
        ],
    );
    let header = std::fs::read_to_string(folder.join("c/plant_rt.h")).unwrap();
    assert!(header.contains("PLANT_RT_IN_U = 0"), "{header}");
    assert!(
        header.contains("gain [V] 0 to 10: Gain * / of the input"),
        "{header}"
    );
    assert!(
        !header.contains("PARAM_T "),
        "T is part of a coefficient: {header}"
    );
    let manifest = std::fs::read_to_string(folder.join("c/plant_rt.json")).unwrap();
    for part in [
        "\"inputs\": [\n    { \"index\": 0, \"name\": \"u\", \"type\": \"Real\"",
        "\"unit\": \"V\", \"description\": \"Command\"",
        "\"name\": \"gain\", \"type\": \"Real\", \"start\": 2.0, \"min\": 0.0, \"max\": 10.0",
    ] {
        assert!(manifest.contains(part), "{part}: {manifest}");
    }
    // x tends to gain·u with T = 0.5: with 4 from the start on to 4 (1 − e⁻²).
    std::fs::write(
        folder.join("c/main.c"),
        "#include \"plant_rt.h\"\n#include <stdio.h>\nstatic plant_rt_model m;\nint main(void)\n{\n    int k;\n    plant_rt_init(&m);\n    \
         plant_rt_set_input(&m, PLANT_RT_IN_U, 1.0);\n    if (plant_rt_set_parameter(&m, PLANT_RT_PARAM_GAIN, 4.0))\n        return 1;\n    \
         for (k = 0; k < 100; k++)\n        if (plant_rt_step(&m))\n            return 1;\n    printf(\"%.9g\\n\", plant_rt_get(&m, PLANT_RT_VAR_X));\n    return 0;\n}\n",
    )
    .unwrap();
    let made = Command::new("make")
        .args(["-C", "c", "plant_rt", "plant_rt_realtime"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let out = Command::new(folder.join("c/plant_rt")).output().unwrap();
    let x: f64 = String::from_utf8(out.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let expected = 4.0 * (1.0 - (-2.0f64).exp());
    assert!((x / expected - 1.0).abs() < 1e-2, "{x} {expected}");
    let out = Command::new(folder.join("c/plant_rt_realtime"))
        .arg("20")
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// A failed assertion ends the demo with the code, the time and the message of a run, numbers included.
#[needs("cc", "make")]
#[test]
fn assertions_say_what_a_run_says() {
    let folder = folder("asserted");
    std::fs::write(
        folder.join("a.mo"),
        "model A Real x(start = 0, fixed = true); parameter Real most = 0.25;
         equation der(x) = 1; assert(x < most, \"x = \" + String(x) + \" is beyond \" + String(most)); end A;",
    )
    .unwrap();
    let solver = ["--solver", "rt-tr", "--step", "0.125", "--stop", "1"];
    ferrica(
        &folder,
        &[&["export", "c", "a.mo", "-o", "c"], &solver[..]].concat(),
    );
    let made = Command::new("make")
        .args(["-C", "c"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let out = Command::new(folder.join("c/a_rt")).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{said}");
    let text = "error[E0607]: time 0.25: assertion failed: x = 0.25 is beyond 0.25";
    assert!(said.contains(text), "{said}");
}

/// What ends a run ends the code, with the same code: a ball whose impacts accumulate would fall through the floor, a variable whose steps do not converge goes
/// beyond all bounds. Steps that have not converged are counted in both.
#[needs("cc", "make")]
#[test]
fn the_code_ends_where_a_run_does() {
    let ball = "model Ball Real h(start = 1, fixed = true), v(start = 0, fixed = true);
        equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -0.7*pre(v)); end when; end Ball;";
    let held = "model Held Real h(start = 1, fixed = true), v(start = 0, fixed = true); Boolean flies(start = true, fixed = true);
        equation der(h) = v; der(v) = if flies then -9.81 else 0;
        when h <= 0 then flies = -0.7*pre(v) > 0.2; reinit(v, if -0.7*pre(v) > 0.2 then -0.7*pre(v) else 0); end when; end Held;";
    let stiff = "model Stiff Real x(start = 1, fixed = true), y(start = 0, fixed = true);
        equation der(x) = y; der(y) = 1000*(1 - x^2)*y - x; end Stiff;";
    let pulses = "model Pulses Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true);
        equation der(x) = cos(40*time); when x > 0.01 then n = pre(n) + 1; end when; end Pulses;";
    let tr = |step, stop| ["--solver", "rt-tr", "--step", step, "--stop", stop];
    let cases = [
        ("Ball", ball, tr("1e-3", "4"), "3", "E0614"),
        ("Ball", ball, tr("2e-2", "4"), "3", "E0614"),
        ("Held", held, tr("1e-3", "4"), "3", ""),
        ("Pulses", pulses, tr("1e-3", "4"), "3", ""),
        ("Stiff", stiff, tr("0.05", "200"), "1", "E0616"),
        ("Stiff", stiff, tr("0.05", "200"), "3", ""),
    ];
    for (k, (name, text, solver, iterations, code)) in cases.into_iter().enumerate() {
        let folder = folder(&format!("ends-{k}"));
        std::fs::write(folder.join("m.mo"), text).unwrap();
        let solver = [&solver[..], &["--iterations", iterations]].concat();
        let run = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "m.mo", "-o", "m.csv"])
            .args(&solver)
            .current_dir(&folder)
            .output()
            .unwrap();
        let export = ["export", "c", "m.mo", "-o", "c", "--quiet"];
        ferrica(&folder, &[&export[..], &solver].concat());
        let made = Command::new("make")
            .args(["-C", "c"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let demo = folder.join(format!("c/{}_rt", name.to_lowercase()));
        let demo = Command::new(demo).output().unwrap();
        for (what, out) in [("run", run), ("code", demo)] {
            let said = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.success(), code.is_empty(), "{k} {what}: {said}");
            assert!(said.contains(code), "{k} {what}: {said}");
            let converges = name != "Stiff" || !code.is_empty();
            assert!(
                converges || said.contains("steps had not converged after 3"),
                "{k} {what}: {said}"
            );
        }
    }
}

/// The S-function compiles against what it asks of Simulink (`tests/simulink`; the product itself is not there) and gives the trajectory of the demo.
#[needs("cc", "make")]
#[test]
fn an_s_function_gives_the_trajectory_of_the_demo() {
    let folder = folder("simulink");
    std::fs::write(
        folder.join("plant.mo"),
        "model Plant
           input Real u(start = 1);
           output Real y;
           Real x(start = 0, fixed = true);
         equation der(x) = u - x^3; y = if x > 0.5 then 1 + x else x; end Plant;",
    )
    .unwrap();
    let export = ["export", "c", "plant.mo", "-o", "c", "--solver", "rt-bdf2"];
    let grid = ["--step", "0.01", "--stop", "2", "--interval", "0.01"];
    ferrica(&folder, &[&export[..], &grid].concat());
    let mock = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulink");
    let run = |program: &str, args: &[&str]| {
        let out = Command::new(program)
            .args(args)
            .current_dir(folder.join("c"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{program}: {said}");
        String::from_utf8(out.stdout).unwrap()
    };
    run("make", &[]);
    run(
        "cc",
        &[
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-ffp-contract=off",
            "-DMATLAB_MEX_FILE",
            "-I",
            mock.to_str().unwrap(),
            "-o",
            "block",
            "plant_rt_sfun.c",
            "plant_rt.c",
            "-lm",
        ],
    );
    let demo = rows(&run("./plant_rt", &[]));
    // Without a line of names.
    let block = rows(&format!("\n{}", run("./block", &["200"])));
    assert_eq!(demo.len(), 201);
    assert_eq!(block.len(), demo.len());
    for (b, d) in block.iter().zip(&demo) {
        assert!(
            (b[0] - d[0]).abs() < 1e-12 && b[1..] == d[1..],
            "{b:?} {d:?}"
        );
    }
}

/// How much a step does at most is in the header and in the manifest, and is a number a round.
#[test]
fn a_step_has_a_number_of_operations() {
    let folder = folder("work");
    std::fs::write(
        folder.join("m.mo"),
        "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true);
         equation der(x) = y; der(y) = (1 - x^2)*y - x; end M;",
    )
    .unwrap();
    let count = |iterations: &str| -> usize {
        let export = ["export", "c", "m.mo", "-o", iterations, "--solver", "rt-tr"];
        let rest = ["--step", "0.01", "--stop", "1", "--iterations", iterations];
        ferrica(&folder, &[&export[..], &rest].concat());
        let read = |name: &str| {
            let path = folder.join(iterations).join(name);
            std::fs::read_to_string(path).unwrap()
        };
        let manifest = read("m_rt.json");
        let (_, after) = manifest.split_once("\"operations\": { \"step\": ").unwrap();
        let number = after.split(',').next().unwrap();
        let words = format!("Work, at most: {number} operations a step");
        assert!(read("m_rt.h").contains(&words), "{words}");
        number.parse().unwrap()
    };
    let [three, four, six] = ["3", "4", "6"].map(count);
    assert!(three > 20 && three < 500, "{three}");
    assert_eq!(six - three, 3 * (four - three));
}

/// Cross-compiled for ARM and run by an emulator.
#[needs("arm-linux-gnueabihf-gcc", "qemu-arm", "make")]
#[test]
fn trajectories_are_the_same_on_arm() {
    let compiler = "arm-linux-gnueabihf-gcc";
    for (name, model, vars) in &CASES[..3] {
        let runner = ["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"];
        compare(name, model, vars, compiler, &runner, "-O2 -static");
    }
}

#[test]
fn what_has_no_form_in_c_is_refused() {
    let folder = folder("refused");
    std::fs::write(
        folder.join("d.mo"),
        "model D function f output Real y; external \"C\" y = ModelicaRandom_impureRandom_xorshift1024star(1); end f; \
         Real x(start = 0, fixed = true); Real y(start = 0, fixed = true); equation der(x) = 1; \
         when sample(0.5, 0.5) then y = f(); end when; end D;",
    )
    .unwrap();
    let said = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args([&["export", "c", "d.mo", "-o", "c"], args].concat())
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(!out.status.success(), "{args:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(
        said(&["--solver", "rt-bdf2", "--step", "0.01"])
            .contains("`ModelicaRandom_impureRandom_xorshift1024star`, which has no form in C")
    );
    assert!(said(&["--solver", "bdf"]).contains("bdf has no form in C"));
    assert!(said(&["--solver", "rt-bdf2", "--step", "7"]).contains("longer than the run"));
}

/// Names may hold anything, also what begins or ends a comment; the last row is at the stop time although no row of the grid is.
#[needs("cc", "make")]
#[test]
fn names_stay_in_their_comments_and_the_demo_ends_in_time() {
    let folder = folder("names");
    let model = "model 'M*/ int x; /*'\n  output Real 'a*/b' = 'c /* d'; input Real 'u \\\"q';\n  \
        Real 'c /* d'(start = 1, fixed = true);\nequation\n  der('c /* d') = -'c /* d' + 'u \\\"q';\n\
        end 'M*/ int x; /*';\n";
    std::fs::write(folder.join("m.mo"), model).unwrap();
    let _ = std::fs::remove_dir_all(folder.join("c"));
    let solver = ["--solver", "rt-bdf2", "--step", "0.01", "--interval", "0.3"];
    ferrica(
        &folder,
        &[
            &["export", "c", "m.mo", "-o", "c", "--stop", "1"],
            &solver[..],
        ]
        .concat(),
    );
    let made = Command::new("make")
        .args(["-C", "c"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let programs = std::fs::read_dir(folder.join("c")).unwrap().flatten();
    let mut programs = programs.map(|f| f.path());
    let demo = programs.find(|p| p.extension().is_none() && !p.ends_with("Makefile"));
    let printed = Command::new(demo.unwrap()).output().unwrap();
    let printed = rows(&String::from_utf8(printed.stdout).unwrap());
    let times: Vec<f64> = printed.iter().map(|row| row[0]).collect();
    let expected = [0.0, 0.3, 0.6, 0.9, 1.0];
    assert_eq!(times.len(), expected.len(), "{times:?}");
    for (t, e) in times.iter().zip(expected) {
        assert!((t - e).abs() < 1e-9, "{times:?}");
    }
}

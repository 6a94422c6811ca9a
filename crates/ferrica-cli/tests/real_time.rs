//! The fixed-step solvers from the command line.

mod common;

use ferrica_test_tools::needs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const CIRCUIT: &str = "model Circuit
  parameter Real R = 10; Real v1(start = 0, fixed = true); Real i1; Real i2; Real i;
equation
  sin(time) - v1 = R*i; 0.4*der(v1) = i1; 0.2*der(v1) = i2; i = i1 + i2;
  annotation(experiment(StopTime = 1, Interval = 0.1));
end Circuit;
";

fn ferrica(name: &str, args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("circuit.mo"), CIRCUIT).unwrap();
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["run", "circuit.mo", "-o", "-", "--vars", "v1"])
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

/// 6 v' = sin t − v: v = (sin t − 6 cos t + 6 e^(−t/6))/37.
#[test]
fn solvers_meet_the_closed_form() {
    let exact = (1f64.sin() - 6.0 * 1f64.cos() + 6.0 * (-1f64 / 6.0).exp()) / 37.0;
    for (solver, allowed) in [
        ("rt-bdf1", 2e-4),
        ("rt-bdf2", 2e-6),
        ("rt-bdf3", 1e-7),
        ("rt-tr", 1e-6),
        ("rt-trnp", 1e-6),
    ] {
        let args = ["--solver", solver, "--step", "0.001", "--iterations", "2"];
        let out = ferrica(solver, &args);
        let text = String::from_utf8(out.stdout).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 12, "{solver}: {text}");
        let last: f64 = rows[11].split(',').nth(1).unwrap().parse().unwrap();
        assert!((last - exact).abs() < allowed, "{solver}: {last} {exact}");
    }
}

#[test]
fn bad_settings_are_refused() {
    let said = |args: &[&str]| {
        let out = ferrica("refused", &[&["--solver", "rt-bdf2"], args].concat());
        assert_ne!(out.status.code(), Some(0), "{args:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(said(&["--step", "0"]).contains("not a positive step"));
    assert!(said(&["--iterations", "0"]).contains("at least one"));
    assert!(said(&["--step", "2"]).contains("longer than the run"));
    let dependent = ferrica("refused", &["--solver", "rt-ode", "--step", "0.01"]);
    let text = String::from_utf8(dependent.stderr).unwrap();
    assert!(text.contains("rank-deficient"), "{text}");
}

/// A bridge whose source the diodes would short for the rest of a step after they have ceased to conduct.
const BRIDGE: &str = "model Bridge
  import Modelica.Electrical.Analog.*;
  Sources.SineVoltage source(V = 10, f = 50); Ideal.IdealDiode D1, D2, D3, D4;
  Basic.Inductor L(L = 10e-3, i(start = 0, fixed = true)); Basic.Resistor R(R = 5); Basic.Ground ground;
equation
  connect(source.p, D1.p); connect(D1.n, L.p); connect(source.n, D2.p); connect(D2.n, L.p);
  connect(D3.p, ground.p); connect(D3.n, source.p); connect(D4.p, ground.p); connect(D4.n, source.n);
  connect(L.n, R.p); connect(R.n, ground.p);
end Bridge;
";

const ALL: [&str; 6] = [
    "rt-bdf1", "rt-bdf2", "rt-bdf3", "rt-tr", "rt-trnp", "rt-ode",
];

/// D1.i + D2.i = L.i, which is below V/R = 2, and neither is negative but for its conductance of 1e-5 at 10 V.
#[test]
fn no_row_shows_a_mode_whose_condition_is_gone() {
    for solver in ALL {
        for step in ["1e-4", "1.7e-5"] {
            let args = ["--solver", solver, "--step", step, "--stop", "0.1"];
            let args = [&args[..], &["--interval", "1e-3", "--vars", "D1.i"]].concat();
            let found = common::run(&format!("bridge-{solver}"), BRIDGE, &args);
            for (t, i) in found["time"].iter().zip(&found["D1.i"]) {
                // Between grid points rows are on straight lines.
                let allowed = if step == "1e-4" { 0.0 } else { 0.02 };
                assert!(
                    *i > -1.1e-4 - allowed && *i < 2.0,
                    "{solver} {step}: {i} at {t}"
                );
            }
        }
    }
}

#[test]
fn rows_at_events_can_be_left_out() {
    for solver in ALL {
        let args = ["--solver", solver, "--step", "1e-4", "--stop", "0.1"];
        let args = [&args[..], &["--interval", "1e-2", "--vars", "D1.i"]].concat();
        let rows = |kept| {
            let args = [&args[..], &["--event-rows", kept]].concat();
            common::run(&format!("rows-{solver}"), BRIDGE, &args)["time"].len()
        };
        assert_eq!(rows("off"), 11, "{solver}");
        assert!(rows("on") > 11 + 9, "{solver}");
    }
}

/// With a source of its own inductance the current dies out within L·Goff = 1e-8 s when all diodes block: steps of 1e-5 carry it back and forth through them.
#[test]
fn events_that_late_switching_makes_are_told() {
    let model = BRIDGE
        .replace("Basic.Inductor L(L = 10e-3, i(start = 0, fixed = true));", "Basic.Inductor L(L = 1e-3, i(start = 0, fixed = true)); Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));")
        .replace("connect(source.p, D1.p); connect(D1.n, L.p); connect(source.n, D2.p); connect(D2.n, L.p);", "connect(source.p, L.p); connect(L.n, D1.p); connect(D1.n, C.p); connect(source.n, D2.p); connect(D2.n, C.p);")
        .replace("connect(D3.n, source.p);", "connect(D3.n, L.n);")
        .replace("connect(L.n, R.p);", "connect(C.n, ground.p); connect(R.p, C.p);");
    for solver in ["rt-tr", "rt-bdf2", "rt-ode"] {
        let folder = common::folder(&format!("swings-{solver}"));
        std::fs::write(folder.join("Model.mo"), &model).unwrap();
        let args = ["--solver", solver, "--step", "1e-5", "--stop", "0.05"];
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "Model.mo", "-o", "-", "--vars", "L.v"])
            .args(args)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        let rows = String::from_utf8_lossy(&done.stdout);
        let values = rows.lines().skip(1).filter_map(|l| l.split(',').nth(1));
        let volts = values.map(|v| v.parse::<f64>().unwrap().abs());
        let largest = volts.fold(0.0, f64::max);
        // The source of 10 V against a capacitor that has charged from 0: never more, and half of it in its course.
        let told = said.contains("[W0601]") || said.contains("error[E06");
        assert!(told || largest < 10.1, "{solver}: {largest} V, {said}");
    }
}

/// Nothing comes: the run says so at its end, or ends where it was told how long to wait.
#[test]
fn a_silent_peer_is_told() {
    let silent = |more: &[&str]| {
        let args = ["--solver", "rt-bdf2", "--step", "0.01", "--stop", "0.3"];
        let listening = ["--realtime", "--listen", ":0"];
        let out = ferrica("silent", &[&args[..], &listening, more].concat());
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, said) = silent(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("no datagram has come"), "{said}");
    assert!(said.contains("response 99.9 %"), "{said}");
    let (code, said) = silent(&["--listen-timeout", "0.05"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error[E0712]"), "{said}");
    let (code, said) = silent(&["--listen-timeout", "-1"]);
    assert_eq!(code, Some(2), "{said}");
}

/// The search by precision against a reference of two methods: coarser steps for the coarser level, errors within it.
#[test]
fn settings_that_meet_a_precision_are_found() {
    ferrica("precision", &["--solver", "rt-bdf2"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("precision");
    let said = |levels: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args([
                "compare",
                "circuit.mo",
                "--solvers",
                "rt-tr,bdf",
                "--monitor",
                "v1",
            ])
            .args([
                "--samples",
                "10",
                "--reference",
                "converged",
                "--precision",
                levels,
            ])
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    };
    let text = said("low=1e-5,high=1e-7");
    let found: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let rows: Vec<&Vec<&str>> = found.iter().filter(|w| w[0] == "rt-tr").collect();
    assert_eq!(rows.len(), 2, "{text}");
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().unwrap();
    assert!(number(rows[0], 1) > number(rows[1], 1), "{text}");
    assert!(
        number(rows[0], 3) <= 1e-5 && number(rows[1], 3) <= 1e-7,
        "{text}"
    );
    // The equations are linear: one iteration is enough.
    assert_eq!(rows[0][2], "1");
}

/// The controllers of `examples/exchange` against the plant, each in a process of its own: at full power the body gains 10 K/s less its losses,
/// and every step's temperature goes out. A step may miss its datagram on a busy machine, but not all of them.
#[needs("python3")]
#[test]
fn a_peer_in_python_controls_the_plant() {
    for solver in ["rt-bdf2", "liqss2"] {
        let mut peer = Command::new("python3");
        peer.arg(exchange().join("peer.py"));
        controls_the_plant("python", peer, solver);
    }
}

/// The same in C.
#[needs("cc")]
#[test]
fn a_peer_in_c_controls_the_plant() {
    let program = exchange_folder("c").join("peer");
    let built = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &exchange().join("peer.c")])
        .status()
        .unwrap();
    assert!(built.success());
    for solver in ["rt-bdf2", "qss3"] {
        controls_the_plant("c", Command::new(&program), solver);
    }
}

/// A quantized-state run against the clock is the run without one, where no inputs come: the exponential, an event and a sampler. Its time is that of the clock.
#[test]
fn quantized_states_go_by_the_clock() {
    let text = "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true); discrete Real n(start = 0, fixed = true); output Real z = 2*x;
         equation der(x) = -x; der(y) = if x > 0.9 then 1 else 0; when sample(0, 0.05) then n = pre(n) + 1; end when; end M;";
    for solver in ["qss1", "qss3", "liqss2", "mliqss2"] {
        let plain = [
            "--solver", solver, "--tol", "1e-3", "--stop", "0.2", "--points", "20",
        ];
        let paced = [&plain[..], &["--realtime", "--step", "0.01"]].concat();
        let began = std::time::Instant::now();
        let found = common::run("paced", text, &paced);
        assert!(began.elapsed().as_secs_f64() >= 0.2);
        let expected = common::run(
            "unpaced",
            text,
            &[&plain[..], &["--event-rows", "off"]].concat(),
        );
        for name in ["time", "x", "y", "n", "z"] {
            assert_eq!(found[name].len(), 21, "{solver} {name}");
            for (a, b) in found[name].iter().zip(&expected[name]) {
                assert!((a - b).abs() < 2e-3, "{solver} {name}: {a} {b}");
            }
        }
        assert!((found.last("x") - (-0.2f64).exp()).abs() < 1e-2);
        assert!((found.last("y") - (1.0f64 / 0.9).ln()).abs() < 2e-2);
        assert_eq!(found.last("n"), 5.0, "{solver}");
    }
    let text = |args: &[&str]| {
        let out = ferrica("refused", &[&["--realtime"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(text(&["--solver", "bdf"]).contains("--realtime belongs to"));
    assert!(text(&["--solver", "qss2", "--steps"]).contains("does not go with"));
    let far = ferrica(
        "refused",
        &["--solver", "qss2", "--realtime", "--step", "2"],
    );
    assert!(
        String::from_utf8(far.stderr)
            .unwrap()
            .contains("longer than the run")
    );
}

fn exchange() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/exchange")
}

fn exchange_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("exchange-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn controls_the_plant(name: &str, mut command: Command, solver: &str) {
    let (examples, folder) = (exchange(), exchange_folder(name));
    let free = || {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.local_addr().unwrap().port().to_string()
    };
    let (plant, own) = (free(), free());
    let mut peer = command
        .args([&plant, &own])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    let mut lines = BufReader::new(peer.stdout.take().unwrap());
    lines.read_line(&mut ready).unwrap();
    assert!(ready.starts_with("listening"), "{ready}");
    let out = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .arg("run")
        .arg(examples.join("Plant.mo"))
        .args("--step 0.01 --stop 2 -o plant.csv --stats plant.json -q --realtime".split(' '))
        .args(["--solver", solver])
        .args(["--listen", &format!("127.0.0.1:{plant}")])
        .args(["--send-to", &format!("127.0.0.1:{own}")])
        .current_dir(&folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    peer.kill().unwrap();
    peer.wait().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    let stats = std::fs::read_to_string(folder.join("plant.json")).unwrap();
    let number = |name: &str| -> f64 {
        let at = stats.find(&format!("\"{name}\"")).unwrap();
        let text = stats[at..].split(':').nth(1).unwrap();
        let end = text.find([',', '}', '\n']).unwrap();
        text[..end].trim().parse().unwrap()
    };
    assert_eq!(number("datagrams_sent"), 200.0, "{stats}");
    assert_eq!(number("datagrams_rejected"), 0.0, "{stats}");
    let table = std::fs::read_to_string(folder.join("plant.csv")).unwrap();
    let last = table.lines().last().unwrap().split(',');
    let header = table.lines().next().unwrap().split(',');
    let temperature = header.zip(last).find(|h| h.0 == "temperature").unwrap().1;
    let temperature: f64 = temperature.parse().unwrap();
    // Without power it would still be 20 degC.
    if number("datagrams_received") > 20.0 {
        assert!(temperature > 20.5 && temperature < 40.0, "{temperature}");
    } else {
        assert!(number("datagrams_received") > 0.0, "{stats}");
    }
}

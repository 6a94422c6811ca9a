//! Ten circuits (`tests/circuits`) in the six real-time solvers, run and exported as C: right, or a refusal with a code; the code gives the trajectory of the run.
//!
//! What is right comes from the variable-step solver at a tight tolerance. Bare diodes cut the currents of inductances off within picoseconds: the rectifier
//! is compared with ngspice 42 (diode with `IS=1e-9 N=1.5465` at 27 °C), the others with `tests/circuits/bare_diodes.py` (in the bridge ngspice ends at 3.6 ms).

use ferrica_test_tools::needs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Circuit {
    name: &'static str,
    step: &'static str,
    stop: &'static str,
    /// Distance of the rows that are compared.
    interval: &'static str,
    /// Error that is allowed, in parts of the largest value.
    error: f64,
    /// Variables; the values of another tool at the rows after the first, if it is not the variable-step solver.
    shown: &'static str,
    published: &'static [f64],
    /// Codes with which `rt-ode` may refuse it.
    refused: &'static str,
}

const fn circuit(
    name: &'static str,
    [step, interval, stop]: [&'static str; 3],
    error: f64,
    shown: &'static str,
    refused: &'static str,
) -> Circuit {
    Circuit {
        name,
        step,
        stop,
        interval,
        error,
        shown,
        published: &[],
        refused,
    }
}

const CIRCUITS: [Circuit; 10] = [
    circuit("Cuk", ["1e-7", "1e-4", "1e-3"], 2e-3, "v", "E0611"),
    Circuit {
        published: &BRIDGE,
        ..circuit("Bridge", ["1e-5", "1e-2", "5e-2"], 1e-2, "v", "E0707")
    },
    circuit("Amplifier", ["1e-6", "5e-4", "5e-3"], 5e-3, "v", "E0707"),
    circuit("Coupled", ["1e-6", "5e-4", "5e-3"], 2e-3, "v", ""),
    circuit("Radiation", ["1e-2", "5", "50"], 1e-4, "T,rate", ""),
    circuit("Pll", ["1e-5", "2e-2", "0.2"], 2e-3, "error", ""),
    // The phase of the current band is that of the grid.
    circuit("Buck", ["1e-6", "5e-4", "5e-3"], 5e-3, "v", ""),
    circuit("Inverter", ["1e-9", "1e-7", "2e-6"], 1e-2, "v", "E0611"),
    circuit("Motor", ["1e-4", "0.2", "2"], 1e-3, "w,rate", ""),
    Circuit {
        published: &RECTIFIER,
        ..circuit(
            "Rectifier",
            ["1e-5", "2e-2", "0.1"],
            5e-3,
            "v",
            "E0605 E0611 E0707",
        )
    },
];

const RECTIFIER: [f64; 5] = [22.19881, 21.43842, 21.89133, 21.69939, 21.84016];

const BRIDGE: [f64; 5] = [
    202.695893844,
    163.860983682,
    159.699740868,
    158.464928592,
    158.660042047,
];
const FULL_BRIDGE: [f64; 5] = [
    142.124847565,
    101.836903291,
    87.754700125,
    98.203625673,
    90.304644920,
];
const HALF_WAVE: [f64; 5] = [
    128.995613621,
    105.612675883,
    90.163612539,
    73.819722395,
    113.630575834,
];

const TANK: [f64; 4] = [
    0.3038412543263971,
    0.48760953484650127,
    0.6153133529648398,
    0.7079634854153579,
];

const SOLVERS: [&str; 6] = [
    "rt-bdf1", "rt-bdf2", "rt-bdf3", "rt-tr", "rt-trnp", "rt-ode",
];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/circuits")
}

fn ferrica(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(models())
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

type Table = Vec<Vec<f64>>;

/// Rows of a CSV text at multiples of the interval; of two rows at one time the later.
fn rows(text: &[u8], interval: f64) -> Table {
    let text = std::str::from_utf8(text).unwrap();
    let mut out: Table = Vec::new();
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        let part = row[0] / interval;
        if (part - part.round()).abs() > 1e-6 {
            continue;
        }
        if out
            .last()
            .is_some_and(|l| (l[0] - row[0]).abs() < 1e-6 * interval)
        {
            out.pop();
        }
        out.push(row);
    }
    out
}

/// The largest difference of two tables, in parts of the largest value of its column.
fn difference(found: &Table, expected: &Table) -> f64 {
    assert_eq!(found.len(), expected.len());
    let columns = 1..expected[0].len();
    let of_one = |c: usize| {
        let size = expected.iter().fold(0.0, |m: f64, r| m.max(r[c].abs()));
        let apart = found.iter().zip(expected);
        apart.map(|(a, b)| (a[c] - b[c]).abs()).fold(0.0, f64::max) / size
    };
    columns.map(of_one).fold(0.0, f64::max)
}

fn code(out: &Output) -> String {
    let text = String::from_utf8_lossy(&out.stderr);
    let code = text.split_once("error[").map_or("", |(_, rest)| &rest[..5]);
    assert!(!code.is_empty(), "{text}");
    code.to_string()
}

impl Circuit {
    fn run(&self, solver: &[&str]) -> Output {
        let file = format!("{}.mo", self.name);
        let [stop, interval] = [self.stop, self.interval];
        let fixed = ["run", &file, "--stop", stop, "--interval", interval];
        let shown = [
            "--vars",
            self.shown,
            "--event-rows",
            "off",
            "-o",
            "-",
            "--quiet",
        ];
        ferrica(&[&fixed[..], &shown, solver].concat())
    }

    fn reference(&self) -> Table {
        let interval: f64 = self.interval.parse().unwrap();
        if self.published.is_empty() {
            let out = self.run(&["--solver", "bdf", "--tol", "1e-8"]);
            assert!(out.status.success(), "{}: {out:?}", self.name);
            return rows(&out.stdout, interval);
        }
        let first = vec![0.0, 0.0];
        let later = self.published.iter().enumerate();
        let later = later.map(|(k, &v)| vec![(k + 1) as f64 * interval, v]);
        std::iter::once(first).chain(later).collect()
    }

    /// The demo of the exported code.
    fn exported(&self, solver: &str) -> Output {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("circuits")
            .join(format!("{}-{solver}", self.name));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = format!("{}.mo", self.name);
        let to = folder.to_str().unwrap();
        let [stop, interval] = [self.stop, self.interval];
        let fixed = ["export", "c", &file, "--stop", stop, "--interval", interval];
        let rest = [
            "--vars", self.shown, "-o", to, "--quiet", "--solver", solver, "--step", self.step,
        ];
        let out = ferrica(&[&fixed[..], &rest].concat());
        if !out.status.success() {
            return out;
        }
        let name = format!("{}_rt.c", self.name.to_lowercase());
        let flags = [
            "-std=c99",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-ffp-contract=off",
        ];
        let made = Command::new("cc")
            .args(flags)
            .args(["-o", "demo", "main.c", &name, "-lm"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        Command::new(folder.join("demo")).output().unwrap()
    }
}

impl Circuit {
    /// Runs it in all real-time solvers, and as C.
    fn in_six_solvers_and_as_c(&self) {
        let c = self;
        let interval: f64 = c.interval.parse().unwrap();
        let reference = c.reference();
        for solver in SOLVERS {
            let what = format!("{} {solver}", c.name);
            let out = c.run(&["--solver", solver, "--step", c.step]);
            if !out.status.success() {
                let code = code(&out);
                assert!(
                    solver == "rt-ode" && c.refused.contains(&code),
                    "{what}: {code}"
                );
                continue;
            }
            let found = rows(&out.stdout, interval);
            let error = difference(&found, &reference);
            assert!(
                error <= c.error,
                "{what}: {error}\n{found:?}\n{reference:?}"
            );
            let out = c.exported(solver);
            if solver == "rt-ode" {
                assert_eq!(code(&out), "E0713", "{what}");
                continue;
            }
            assert!(out.status.success(), "{what}: {out:?}");
            let apart = difference(&rows(&out.stdout, interval), &found);
            assert!(apart == 0.0, "{what}: C is off by {apart}");
        }
    }
}

#[needs("cc")]
#[test]
fn ten_circuits_in_six_solvers_and_as_c() {
    for c in &CIRCUITS {
        c.in_six_solvers_and_as_c();
    }
}

/// √h has an infinite slope at 0, where these begin. The closed form of the one tank: t = −2 (s + ln(1 − s)) with s = √h.
#[needs("cc")]
#[test]
fn tanks_that_begin_empty() {
    let grid = ["1e-3", "0.5", "2"];
    let tanks = [
        Circuit {
            published: &TANK,
            ..circuit("Tank", grid, 1e-3, "h", "")
        },
        circuit("Tanks", grid, 1e-3, "h1,h2", ""),
    ];
    for c in &tanks {
        c.in_six_solvers_and_as_c();
    }
}

/// Circuits of bare diodes in the solvers that choose their steps: no turn-off stops them, no half-wave is stepped over.
#[test]
fn variable_steps_go_through_bare_diodes() {
    let grid = ["", "1e-2", "5e-2"];
    let circuits = [
        Circuit {
            published: &BRIDGE,
            ..circuit("Bridge", grid, 0.0, "v", "")
        },
        Circuit {
            published: &FULL_BRIDGE,
            ..circuit("FullBridge", grid, 0.0, "v", "")
        },
        Circuit {
            published: &HALF_WAVE,
            ..circuit("HalfWave", grid, 0.0, "v", "")
        },
        Circuit {
            published: &RECTIFIER,
            ..circuit("Rectifier", ["", "2e-2", "0.1"], 0.0, "v", "")
        },
    ];
    for c in &circuits {
        let reference = c.reference();
        for solver in ["auto", "bdf", "radau"] {
            for tolerance in ["1e-3", "1e-4", "1e-6", "1e-8"] {
                let what = format!("{} {solver} {tolerance}", c.name);
                let out = c.run(&["--solver", solver, "--tol", tolerance]);
                assert!(out.status.success(), "{what}: {out:?}");
                let found = rows(&out.stdout, c.interval.parse().unwrap());
                let error = difference(&found, &reference);
                println!("{what}: {error:.1e}");
                // The published numbers of the rectifier have seven digits, of a simulator with errors of its own.
                let floor = if c.name == "Rectifier" { 1e-3 } else { 1e-6 };
                let permitted = f64::max(floor, 20.0 * tolerance.parse::<f64>().unwrap());
                assert!(
                    error <= permitted,
                    "{what}: {error}\n{found:?}\n{reference:?}"
                );
            }
        }
    }
}

/// `tests/circuits/ideal_diodes.py`.
const IDEAL_BRIDGE: [f64; 10] = [
    4.143036110,
    21.400230004,
    34.932530082,
    32.412050654,
    29.327636227,
    26.536742641,
    24.011437694,
    22.228550257,
    20.701700800,
    18.731673501,
];
const FLYBACK: [f64; 10] = [
    10.015356299,
    11.678874965,
    8.839447315,
    7.483501031,
    7.778633915,
    8.381286250,
    7.833340821,
    7.646444552,
    8.185793873,
    8.017610749,
];

/// What an event leaves of a current that a diode has just cut off is gone after it: turned around by the trapezoidal rule it would open the diode again. Events are those of
/// the circuit, three or four a period of the flyback, and not one with every other step.
#[needs("cc")]
#[test]
fn ideal_diodes_do_not_chatter() {
    let circuits = [
        Circuit {
            published: &IDEAL_BRIDGE,
            ..circuit("IdealBridge", ["1e-6", "2e-3", "2e-2"], 1e-4, "v", "")
        },
        Circuit {
            published: &FLYBACK,
            ..circuit("Flyback", ["1e-6", "5.3e-4", "5.3e-3"], 1e-3, "v", "")
        },
    ];
    for c in &circuits {
        let interval: f64 = c.interval.parse().unwrap();
        let reference = c.reference();
        for solver in ["rt-bdf2", "rt-bdf3", "rt-tr", "rt-trnp"] {
            let what = format!("{} {solver}", c.name);
            let stats = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{what}.json"));
            let to = stats.to_str().unwrap();
            let out = c.run(&["--solver", solver, "--step", c.step, "--stats", to]);
            assert!(out.status.success(), "{what}: {out:?}");
            let found = rows(&out.stdout, interval);
            let error = difference(&found, &reference);
            assert!(error <= c.error, "{what}: {error}\n{found:?}");
            let text = std::fs::read_to_string(&stats).unwrap();
            let (_, count) = text.split_once("\"events\":").unwrap();
            let count: u32 = count
                .split([',', '\n'])
                .next()
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            assert!(count <= 220, "{what}: {count} events");
            let out = c.exported(solver);
            assert!(out.status.success(), "{what}: {out:?}");
            let apart = difference(&rows(&out.stdout, interval), &found);
            assert!(apart == 0.0, "{what}: C is off by {apart}");
        }
    }
}

/// `tests/circuits/switched.py`.
const CLASS_D: [f64; 5] = [
    27.385302947,
    22.663800454,
    -7.123942722,
    -20.230970194,
    8.271739469,
];
const CHOPPER: [f64; 5] = [
    8.364627286,
    8.396657485,
    7.109093912,
    5.922355182,
    4.830862657,
];

/// Switchings between grid points are met where they are: with half the step the error is that of the formula's order, in a run and as C.
#[needs("cc")]
#[test]
fn errors_of_switched_circuits_fall_with_the_order() {
    let circuits = [
        (
            ["2e-7", "1e-7"],
            Circuit {
                published: &CLASS_D,
                ..circuit("ClassD", ["1e-7", "1e-4", "5e-4"], 1e-3, "v", "")
            },
        ),
        (
            ["1e-5", "5e-6"],
            Circuit {
                published: &CHOPPER,
                ..circuit("Chopper", ["5e-6", "4e-3", "2e-2"], 1e-5, "i", "")
            },
        ),
    ];
    for (steps, c) in &circuits {
        let interval: f64 = c.interval.parse().unwrap();
        let reference = c.reference();
        for solver in SOLVERS {
            let what = format!("{} {solver}", c.name);
            let found = steps.map(|step| {
                let out = c.run(&["--solver", solver, "--step", step]);
                assert!(out.status.success(), "{what}: {out:?}");
                rows(&out.stdout, interval)
            });
            let [coarse, fine] = [0, 1].map(|k| difference(&found[k], &reference));
            println!("{what}: {coarse:.1e} {fine:.1e}");
            let (ratio, error) = match solver {
                "rt-bdf1" => (1.7, 5e-2),
                _ => (3.0, c.error),
            };
            assert!(
                fine <= error && coarse >= ratio * fine,
                "{what}: {coarse} {fine}"
            );
            if solver != "rt-ode" {
                let out = c.exported(solver);
                assert!(out.status.success(), "{what}: {out:?}");
                let apart = difference(&rows(&out.stdout, interval), &found[1]);
                assert!(apart == 0.0, "{what}: C is off by {apart}");
            }
        }
    }
}

/// `tests/circuits/snubber.py`.
const SNUBBER: [f64; 8] = [
    97.616065264,
    52.339220133,
    69.688915375,
    64.127653303,
    59.391924409,
    55.209321464,
    51.409685747,
    47.887824376,
];

/// A diode that takes a current over 4 ps behind a switching, as a motion dies away that is over within any step: in the middle of that step it would let the leakage inductance
/// charge the snubber for as long, by 80 % of its voltage at 0.5 µs.
#[needs("cc")]
#[test]
fn events_of_what_dies_away_are_at_the_begin_of_a_step() {
    let c = Circuit {
        published: &SNUBBER,
        ..circuit("Snubber", ["1e-7", "1.03e-4", "8.24e-4"], 2e-3, "vs", "")
    };
    let interval: f64 = c.interval.parse().unwrap();
    let reference = c.reference();
    let error = |solver: &[&str]| {
        let out = c.run(solver);
        assert!(out.status.success(), "{solver:?}: {out:?}");
        let found = rows(&out.stdout, interval);
        (difference(&found, &reference), found)
    };
    for solver in ["rt-bdf2", "rt-bdf3", "rt-tr", "rt-trnp"] {
        let [coarse, fine] = ["2e-7", c.step].map(|h| error(&["--solver", solver, "--step", h]));
        println!("{solver}: {:.1e} {:.1e}", coarse.0, fine.0);
        assert!(
            fine.0 <= c.error && coarse.0 >= 2.5 * fine.0,
            "{solver}: {} {}",
            coarse.0,
            fine.0
        );
        let out = c.exported(solver);
        assert!(out.status.success(), "{solver}: {out:?}");
        let apart = difference(&rows(&out.stdout, interval), &fine.1);
        assert!(apart <= 1e-9, "{solver}: C is off by {apart}");
    }
    for tolerance in ["1e-4", "1e-6", "1e-8"] {
        let (error, _) = error(&["--solver", "radau", "--tol", tolerance]);
        println!("radau {tolerance}: {error:.1e}");
        let permitted = 20.0 * tolerance.parse::<f64>().unwrap();
        assert!(error <= permitted, "radau {tolerance}: {error}");
    }
}

/// Explicit steps beyond their stability that diodes keep bounded are told, with the step that would do: the blocking diodes give λ = −2·10⁵ Ω/2 mH, and stability ends at 2/|λ|.
#[test]
fn explicit_steps_beyond_stability_are_told() {
    let c = circuit("IdealBridge", ["", "2e-3", "2e-2"], 0.0, "v", "");
    let told = |step| {
        let out = ferrica(&[
            "run",
            "IdealBridge.mo",
            "--stop",
            c.stop,
            "--solver",
            "rt-ode",
            "--step",
            step,
            "-o",
            "-",
            "--vars",
            "v",
        ]);
        assert!(out.status.success());
        String::from_utf8_lossy(&out.stderr).to_string()
    };
    for step in ["1e-5", "1e-6"] {
        let said = told(step);
        assert!(said.contains("beyond the stability of rt-ode"), "{said}");
    }
    assert!(!told("1e-8").contains("stability"));
}

/// A transistor whose junction discharges a capacitor within nanoseconds of the start: the first step of 1 µs is told by the run and by the code.
#[needs("cc")]
#[test]
fn a_start_that_is_too_fast_is_told_by_the_code_too() {
    let c = circuit("FastStart", ["1e-6", "5e-5", "1e-4"], 1.0, "v", "");
    for solver in ["rt-tr", "rt-bdf2"] {
        let run = ferrica(&[
            "run",
            "FastStart.mo",
            "--stop",
            c.stop,
            "--solver",
            solver,
            "--step",
            c.step,
            "-o",
            "-",
        ]);
        let code = c.exported(solver);
        for (what, out) in [("run", run), ("code", code)] {
            let said = String::from_utf8_lossy(&out.stderr);
            assert!(out.status.success(), "{solver} {what}: {said}");
            assert!(
                said.contains("W0601") && said.contains("too long for what happens at the start"),
                "{solver} {what}: {said}"
            );
        }
    }
}

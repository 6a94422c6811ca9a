//! The C++ of CD++ exports is compiled and run: what its storages tell is a quantum away from the truth (bdf at 1e-8).

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::{at, compile, experiment, flatten, simulate};
use ferrica_bond::qbg::{self, Options};
use ferrica_test_tools::needs;

const MODELS: &str = include_str!("models/Graphs.mo");

/// The program that runs coupled models, built in a folder of its own.
fn program() -> PathBuf {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cdpp");
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in ferrica_bond::cdpp::CODE {
        std::fs::write(folder.join(file), text).unwrap();
    }
    let built = Command::new("c++")
        .args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-O1"])
        .args(["-o", "model", "main.cpp"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    folder
}

/// Exports a graph and runs it: time, component and value of each message of a storage.
fn run(folder: &Path, name: &str, stop: f64, tolerance: f64) -> Vec<(f64, String, f64)> {
    let model = Arc::new(flatten(&format!(
        "{MODELS}\nmodel Test extends Graphs.{name}; end Test;"
    )));
    let compiled = compile(&model);
    let plan = experiment(&compiled, stop, 100.0);
    let prepared = qbg::prepare(&model, &compiled, &plan);
    let prepared = prepared.unwrap_or_else(|e| panic!("{name}: {}", e.diagnostic().message));
    let options = Options {
        tolerance,
        ..Options::new(&plan)
    };
    let described = prepared.describe(&options).unwrap();
    let graph = &prepared.analysis.built.graph;
    let causality = &prepared.analysis.causality;
    let controlled = graph.nodes.iter().any(|n| n.is_controlled());
    let plain = causality.dependent.is_empty() && causality.loops.is_empty() && !controlled;
    let text = match plain {
        true => ferrica_bond::cdpp::cdpp(graph, &described, name),
        false => {
            let linear = described.linear.as_ref();
            let linear = linear.unwrap_or_else(|d| panic!("{name}: {}", d.message));
            ferrica_bond::cdpp::signals(graph, &described, linear, name)
        }
    };
    let text = text.unwrap_or_else(|n| {
        let source = described.sources.get(&n);
        panic!(
            "{name}: no atomic model fits {}, {source:?}",
            graph.nodes[n].name
        )
    });
    std::fs::write(folder.join(format!("{name}.ma")), text).unwrap();
    let ran = Command::new("./model")
        .args([&format!("{name}.ma"), &stop.to_string()])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{name}: {said}");
    let rows = String::from_utf8_lossy(&ran.stdout).into_owned();
    let rows = rows.lines().skip(1);
    rows.map(|line| {
        let words: Vec<&str> = line.split(',').collect();
        (
            words[0].parse().unwrap(),
            words[1].to_owned(),
            words[2].parse().unwrap(),
        )
    })
    .collect()
}

/// Voltage step, current sources (constant, sine, pulse, ramp), transformer, gyrator, motor, springs, heat, hydraulics; pulses that begin late, functions
/// of time in no textbook (a table, a trapezoid, a filtered ramp), an algebraic loop, dependent storages.
#[needs("c++")]
#[test]
fn what_storages_tell_follows_the_truth() {
    let graphs: [(&str, f64, &[(&str, &str)]); 21] = [
        ("E1", 1.0, &[("C", "C.v")]),
        ("E2", 1.0, &[("C", "C.v")]),
        ("E3", 2.0, &[("C", "C.v"), ("L", "L.i")]),
        ("E4", 2.0, &[("C1", "C1.v"), ("C2", "C2.v")]),
        ("E5", 1.5, &[("L", "L.i")]),
        ("E6", 3.0, &[("C", "C.v")]),
        ("E9", 1.0, &[]),
        ("M1", 4.0, &[("J1", "J1.w"), ("J2", "J2.w")]),
        ("M5", 1.0, &[("La", "La.i"), ("J", "J.w")]),
        ("T1", 400.0, &[("c1", "c1.T"), ("c2", "c2.T")]),
        ("H1", 20.0, &[("t1", "t1.a.p"), ("t2", "t2.a.p")]),
        ("H2", 5.0, &[("t", "t.a.p"), ("i", "i.q")]),
        ("E10", 2.0, &[("C", "C.v")]),
        ("E11", 80.0, &[("C", "C.v")]),
        ("T4", 20_000.0, &[("air", "air.T"), ("mass", "mass.T")]),
        ("M6", 2.0, &[("J", "J.w")]),
        // A loop, and a storage that depends on others.
        ("E13", 1.0, &[("C", "C.v"), ("L", "L.i")]),
        ("M8", 1.0, &[("Js", "Js.w"), ("Jc", "Jc.w")]),
        // Controlled sources.
        (
            "E14",
            0.2,
            &[("C1", "C1.v"), ("C2", "C2.v"), ("C3", "C3.v")],
        ),
        ("E15", 0.5, &[("L", "L.i"), ("C", "C.v"), ("D", "D.v")]),
        ("E16", 0.3, &[("C", "C.v")]),
    ];
    let folder = program();
    for (name, stop, storages) in graphs {
        let tolerance = 2e-3;
        let told = run(&folder, name, stop, tolerance);
        assert!(told.len() > 10, "{name}: {} messages", told.len());
        let model = flatten(&format!(
            "{MODELS}\nmodel Test extends Graphs.{name}; end Test;"
        ));
        let variables: Vec<String> = storages.iter().map(|s| s.1.to_owned()).collect();
        let truth = simulate(&model, stop, 4000.0, &variables);
        for (k, (component, _)) in storages.iter().enumerate() {
            let values = truth.iter().map(|r| r.1[k]);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            let high = values.fold(f64::NEG_INFINITY, f64::max);
            let own: Vec<_> = told.iter().filter(|m| m.1 == *component).collect();
            assert!(
                own.len() > 10,
                "{name}: {component} tells {} times",
                own.len()
            );
            let sum: f64 = own.iter().map(|m| (m.2 - at(&truth, m.0, k)).abs()).sum();
            let mean = sum / own.len() as f64 / (high - low);
            assert!(mean < 5.0 * tolerance, "{name} {component}: {mean:e}");
        }
    }
}

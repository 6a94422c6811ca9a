//! Graphs in four domains, run as quantized bond graphs of first, second and third order: the error is a part of the range of each
//! variable in proportion to the tolerance, whatever the units are, and higher orders take fewer crossings.
//!
//! The truth is a run of bdf with a tolerance of 1e-8; where there is a closed form it is compared too.

mod common;

use std::sync::Arc;

use common::{at, compile, experiment, flat, flatten, recorded, simulate};
use ferrica_bond::qbg::{self, Options};

const MODELS: &str = include_str!("models/Graphs.mo");

const GRAPHS: [(&str, &[&str]); 31] = [
    ("E1", &["C.v", "R.i"]),
    ("E2", &["C.v", "R.i"]),
    ("E3", &["C.v", "L.i", "R.i"]),
    ("E4", &["C1.v", "C2.v", "R2.i"]),
    ("E5", &["L.i", "R2.v"]),
    ("E6", &["C.v", "R2.i"]),
    ("E7", &["C.v", "R.i"]),
    ("E8", &["L.i"]),
    ("E9", &["C[1].v", "C[5].v"]),
    ("M1", &["J1.w", "J2.w", "J2.phi"]),
    ("M2", &["J1.w", "J2.w"]),
    ("M3", &["m.v", "m.s"]),
    ("M4", &["m1.v", "m2.v", "m2.s"]),
    ("M5", &["La.i", "J.w"]),
    ("T1", &["c1.T", "c2.T"]),
    ("T2", &["c[1].T", "c[3].T"]),
    ("T3", &["c1.T", "c2.T"]),
    ("H1", &["t1.a.p", "t2.a.p"]),
    ("H2", &["t.a.p", "i.q"]),
    ("H3", &["t.a.p", "m.v"]),
    // Sources with a memory, or that begin late.
    ("E10", &["C.v", "R.i"]),
    ("E11", &["C.v", "R.i"]),
    ("E12", &["C.v", "vr.i"]),
    ("E13", &["C.v", "L.i", "R3.i"]),
    ("T4", &["air.T", "mass.T"]),
    ("M6", &["J.w", "s.phi_rel"]),
    ("M7", &["ms.v", "mu.v"]),
    ("M8", &["Js.w", "Jc.w", "Jr.w"]),
    // Controlled sources.
    ("E14", &["C1.v", "C2.v", "C3.v", "R2.i"]),
    ("E15", &["L.i", "C.v", "D.v", "R3.i"]),
    ("E16", &["C.v", "R2.i", "s.v"]),
];

/// Bound on the mean error over the tolerance. Perturbations of a quantum are amplified by |V||Re(Λ)⁻¹Λ||V⁻¹| (Kofman 2002), which is large where
/// oscillations are weakly damped: the mass on a column of oil (H3) and the coupled masses (M4); all others stay below three.
const MOST: f64 = 15.0;

/// The mean error over the range, of the worst variable, for each tolerance; and crossings.
fn errors(name: &str, variables: &[&str], order: usize, tolerances: &[f64]) -> Vec<(f64, u64)> {
    let model = Arc::new(flatten(&format!(
        "{MODELS}\nmodel Test extends Graphs.{name}; end Test;"
    )));
    let stop = stop_of(name);
    let names: Vec<String> = variables.iter().map(|n| n.to_string()).collect();
    let points = 400.0;
    let truth = simulate(&model, stop, points, &names);
    let compiled = compile(&model);
    let plan = experiment(&compiled, stop, points);
    let prepared = qbg::prepare(&model, &compiled, &plan);
    let prepared = prepared.unwrap_or_else(|e| panic!("{name}: {}", e.diagnostic().message));
    let mut out = Vec::new();
    for &tolerance in tolerances {
        let options = Options {
            tolerance,
            order,
            ..Options::new(&plan)
        };
        let mut crossings = 0;
        let rows = recorded(&compiled, &names, |sink| {
            match qbg::simulate(&prepared, &plan, &options, sink) {
                Ok(run) => crossings = run.crossings,
                Err(e) => panic!("{name}: {}", e.diagnostic().message),
            }
        });
        let error = (0..names.len()).map(|k| {
            let values = truth.iter().map(|r| r.1[k]);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            let high = values.fold(f64::NEG_INFINITY, f64::max);
            let times = (0..=400).map(|j| stop * f64::from(j) / points);
            let sum: f64 = times
                .map(|t| (at(&rows, t, k) - at(&truth, t, k)).abs())
                .sum();
            sum / 401.0 / (high - low)
        });
        out.push((error.fold(0.0, f64::max), crossings));
    }
    out
}

/// The stop time that the model's annotation has.
fn stop_of(name: &str) -> f64 {
    match name {
        "E5" => 1.5,
        "E3" | "E4" | "E10" | "E12" | "M6" => 2.0,
        "E6" | "M7" => 3.0,
        "E11" => 80.0,
        "E14" => 0.2,
        "E15" => 0.5,
        "E16" => 0.3,
        "T4" => 20_000.0,
        "M1" | "M2" => 4.0,
        "M3" | "M4" | "H2" => 5.0,
        "T1" => 400.0,
        "T2" => 172_800.0,
        "T3" => 600.0,
        "H1" => 20.0,
        _ => 1.0,
    }
}

fn all(order: usize, tolerances: &[f64]) -> Vec<Vec<(f64, u64)>> {
    let mut out = Vec::new();
    for (name, variables) in GRAPHS {
        let found = errors(name, variables, order, tolerances);
        println!("{name} order {order}: {found:?}");
        for (&tolerance, (error, _)) in tolerances.iter().zip(&found) {
            assert!(
                *error <= MOST * tolerance,
                "{name} order {order} at {tolerance}: {error:e}"
            );
        }
        for (pair, t) in found.windows(2).zip(tolerances.windows(2)) {
            // In proportion, but for luck at the coarser one.
            let bound = 4.0 * pair[0].0 * t[1] / t[0];
            assert!(
                pair[1].0 <= bound.max(0.5 * t[1]),
                "{name} order {order} from {} to {}: {found:?}",
                t[0],
                t[1]
            );
        }
        out.push(found);
    }
    out
}

#[test]
fn of_first_order() {
    all(1, &[1e-2, 1e-3]);
}

#[test]
fn of_second_order() {
    all(2, &[1e-2, 1e-3, 1e-4]);
}

#[test]
fn of_third_order() {
    all(3, &[1e-2, 1e-3, 1e-4]);
}

/// A tenth of the quantum costs ten times the crossings of first order, √10 and ∛10 times those of second and third.
#[test]
fn crossings_grow_with_the_root_of_the_order() {
    for (order, most) in [(1, 12.0), (2, 5.0), (3, 3.5)] {
        let found = errors("M4", &["m1.v"], order, &[1e-3, 1e-4]);
        let growth = found[1].1 as f64 / found[0].1 as f64;
        assert!(growth < most && growth > 1.5, "order {order}: {found:?}");
    }
}

/// A source that is no textbook function: a bell that comes in the middle of a run. Through an RC of time constant τ the truth is that of bdf.
#[test]
fn any_function_of_time_is_followed() {
    let body = "Modelica.Electrical.Analog.Sources.SignalVoltage V; Modelica.Blocks.Sources.RealExpression e(y=5*exp(-((time-0.5)/0.05)^2));
  Modelica.Electrical.Analog.Basic.Resistor R(R=100); Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3, v(start=0, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground g;
equation
  connect(e.y, V.v); connect(V.p, R.p); connect(R.n, C.p); connect(C.n, V.n); connect(V.n, g.p);";
    let model = Arc::new(common::flat(body));
    let names = ["C.v".to_owned()];
    let truth = simulate(&model, 1.0, 400.0, &names);
    let compiled = compile(&model);
    let plan = experiment(&compiled, 1.0, 400.0);
    let prepared = qbg::prepare(&model, &compiled, &plan)
        .unwrap_or_else(|e| panic!("{}", e.diagnostic().message));
    for order in 1..=3 {
        let options = Options {
            tolerance: 1e-3,
            order,
            ..Options::new(&plan)
        };
        let rows = recorded(&compiled, &names, |sink| {
            if let Err(e) = qbg::simulate(&prepared, &plan, &options, sink) {
                panic!("{}", e.diagnostic().message);
            }
        });
        let worst = (0..=400)
            .map(|j| f64::from(j) / 400.0)
            .map(|t| (at(&rows, t, 0) - at(&truth, t, 0)).abs())
            .fold(0.0, f64::max);
        assert!(worst < 0.01, "order {order}: {worst}");
    }
}

/// What an element has for its effort is that of its own bond: a closed switch has Ron·i², whatever the quanta of the elements around it are. The truth is
/// Ohm's law in each row.
#[test]
fn the_losses_of_a_closed_switch_are_its_own() {
    let model = Arc::new(flat(
        "Modelica.Electrical.Analog.Sources.ConstantVoltage s(V = 10);
         Modelica.Electrical.Analog.Ideal.IdealClosingSwitch k(Ron = 1e-5, Goff = 1e-5);
         Modelica.Electrical.Analog.Basic.Resistor R(R = 50);
         Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
         Modelica.Electrical.Analog.Basic.Ground g;
         Modelica.Blocks.Sources.BooleanStep b(startTime = 0.02);
         equation connect(b.y, k.control); connect(s.p, k.p); connect(k.n, R.p); connect(R.n, C.p); connect(C.n, g.p); connect(s.n, g.p);",
    ));
    let compiled = compile(&model);
    let plan = experiment(&compiled, 0.1, 50.0);
    let prepared = qbg::prepare(&model, &compiled, &plan)
        .unwrap_or_else(|e| panic!("{}", e.diagnostic().message));
    let names = ["k.i", "k.v", "k.LossPower", "C.v"].map(String::from);
    for order in 1..=3 {
        let options = Options {
            tolerance: 1e-3,
            order,
            ..Options::new(&plan)
        };
        let rows = recorded(&compiled, &names, |sink| {
            if let Err(e) = qbg::simulate(&prepared, &plan, &options, sink) {
                panic!("{}", e.diagnostic().message)
            }
        });
        for (t, v) in rows.iter().filter(|r| r.0 > 0.021) {
            let (i, off) = (v[0], |value: f64, exact: f64| (value / exact - 1.0).abs());
            assert!(off(v[1], 1e-5 * i) < 1e-9, "{order} at {t}: {v:?}");
            assert!(off(v[2], 1e-5 * i * i) < 1e-9, "{order} at {t}: {v:?}");
            let exact = 10.0 * (1.0 - (-(t - 0.02) / 0.05).exp());
            assert!((v[3] - exact).abs() < 2e-2, "{order} at {t}: {v:?} {exact}");
        }
    }
}

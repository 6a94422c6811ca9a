//! Bond graphs of models with the built-in library. The structures are those of the textbook (Karnopp, Margolis,
//! Rosenberg: System Dynamics): a series circuit and a spring–mass–damper are both one 1-junction with Se, R, C, I.

use std::path::PathBuf;
use std::sync::Arc;

use ferrica_bond::graph::Kind;
use ferrica_bond::isomorphism::isomorphism;
use ferrica_bond::{Analysis, analyse};
use ferrica_classes::{Library, SearchPath};
use ferrica_ir::SourceMap;
use ferrica_ir::flat::FlatModel;

fn flat(body: &str) -> FlatModel {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../library");
    let sources = Arc::new(SourceMap::new());
    let path = SearchPath {
        folders: vec![folder],
        ..SearchPath::default()
    };
    let library = Library::new(sources.clone(), path);
    let text = format!("model Test\n{body}\nend Test;");
    let classes = library.add_source("test.mo", text).unwrap();
    match ferrica_flat::flatten_class(&library, *classes.last().unwrap()) {
        Ok(f) => f.model,
        Err(list) => {
            let text: String = list.iter().map(|d| sources.render(d)).collect();
            panic!("{text}")
        }
    }
}

fn analysis(body: &str) -> Analysis {
    analyse(&flat(body), 5)
}

fn count(a: &Analysis, kind: Kind) -> usize {
    a.built
        .graph
        .nodes
        .iter()
        .filter(|n| n.kind == kind)
        .count()
}

const SERIES: &str = "
  Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R(R=3);
  Modelica.Electrical.Analog.Basic.Inductor L(L=2);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=0.01);
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(V.p, R.p); connect(R.n, L.p); connect(L.n, C.p); connect(C.n, V.n); connect(V.n, G.p);";

const MASS: &str = "
  Modelica.Mechanics.Translational.Sources.ConstantForce force(f_constant=5);
  Modelica.Mechanics.Translational.Components.Mass mass(m=2);
  Modelica.Mechanics.Translational.Components.Spring spring(c=100);
  Modelica.Mechanics.Translational.Components.Damper damper(d=3);
  Modelica.Mechanics.Translational.Components.Fixed fixed;
equation
  connect(force.flange, mass.flange_a);
  connect(mass.flange_b, spring.flange_a); connect(mass.flange_b, damper.flange_a);
  connect(spring.flange_b, fixed.flange); connect(damper.flange_b, fixed.flange);";

const ROTOR: &str = "
  Modelica.Mechanics.Rotational.Sources.ConstantTorque torque(tau_constant=5);
  Modelica.Mechanics.Rotational.Components.Inertia inertia(J=2);
  Modelica.Mechanics.Rotational.Components.Spring spring(c=100);
  Modelica.Mechanics.Rotational.Components.Damper damper(d=3);
  Modelica.Mechanics.Rotational.Components.Fixed fixed;
equation
  connect(torque.flange, inertia.flange_a);
  connect(inertia.flange_b, spring.flange_a); connect(inertia.flange_b, damper.flange_a);
  connect(spring.flange_b, fixed.flange); connect(damper.flange_b, fixed.flange);";

/// Oil column in a pipe between a pump of constant pressure and an elastic vessel: laminar loss, inertia of the
/// oil, compressibility of the vessel.
const PIPE: &str = "
  Ferrica.Hydraulics.Sources.PressureSource pump(p=5e5);
  Ferrica.Hydraulics.Restrictions.LaminarOrifice loss(G=1e-9);
  Column column;
  Ferrica.Hydraulics.Volumes.Volume vessel(V=1e-3);
  model Column
    extends Ferrica.Hydraulics.Interfaces.TwoPort;
    parameter Real I = 1e6;
  equation
    I*der(q) = dp;
  end Column;
equation
  connect(pump.port, loss.port_a); connect(loss.port_b, column.port_a); connect(column.port_b, vessel.port);";

#[test]
fn one_structure_in_four_domains() {
    let graphs = [SERIES, MASS, ROTOR, PIPE].map(|body| analysis(body).built.graph);
    for other in &graphs[1..] {
        assert!(
            isomorphism(&graphs[0], other).is_some(),
            "{}\n{other}",
            graphs[0]
        );
    }
    // Another order of the same elements is another structure: L and C in parallel.
    let parallel = SERIES.replace(
        "connect(L.n, C.p);",
        "connect(L.p, C.p); connect(L.n, C.n);",
    );
    let parallel = analysis(&parallel).built.graph;
    assert!(isomorphism(&graphs[0], &parallel).is_none());
}

#[test]
fn series_circuit_is_one_junction_with_four_elements() {
    let a = analysis(SERIES);
    for kind in [Kind::Se, Kind::R, Kind::C, Kind::I, Kind::One] {
        assert_eq!(count(&a, kind), 1, "{kind:?} in\n{}", a.built.graph);
    }
    assert_eq!(a.causality.states.len(), 2);
    assert!(a.causality.dependent.is_empty() && a.causality.loops.is_empty());
    // Values come from the parameters.
    let value = |kind| {
        let nodes = &a.built.graph.nodes;
        nodes.iter().find(|n| n.kind == kind).and_then(|n| n.value)
    };
    assert!((value(Kind::R).unwrap() - 3.0).abs() < 1e-9);
    assert!((value(Kind::I).unwrap() - 2.0).abs() < 1e-9);
    assert!((value(Kind::C).unwrap() - 0.01).abs() < 1e-9);
}

#[test]
fn capacitors_in_parallel_depend_on_each_other() {
    let a = analysis(
        "
  Modelica.Electrical.Analog.Sources.SineVoltage V(V=5, f=1);
  Modelica.Electrical.Analog.Basic.Resistor R(R=3);
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=0.01), C2(C=0.02);
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(V.p, R.p); connect(R.n, C1.p); connect(R.n, C2.p);
  connect(C1.n, V.n); connect(C2.n, V.n); connect(V.n, G.p);",
    );
    assert_eq!(a.causality.states.len(), 1);
    assert_eq!(a.causality.dependent.len(), 1);
    assert!(a.report.contains("Dependent storage: C2"), "{}", a.report);
}

#[test]
fn a_divider_closes_an_algebraic_loop() {
    let a = analysis(
        "
  Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R1(R=3), R2(R=4);
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(V.p, R1.p); connect(R1.n, R2.p); connect(R2.n, V.n); connect(V.n, G.p);",
    );
    assert_eq!(a.causality.loops.len(), 1);
    assert_eq!(a.causality.states.len(), 0);
}

#[test]
fn motor_is_a_gyrator_and_gear_a_transformer() {
    let a = analysis(
        "
  Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R(R=1);
  Modelica.Electrical.Analog.Basic.RotationalEMF emf(k=0.5);
  Modelica.Electrical.Analog.Basic.Ground G;
  Modelica.Mechanics.Rotational.Components.Inertia J1(J=1), J2(J=3);
  Modelica.Mechanics.Rotational.Components.IdealGear gear(ratio=10);
equation
  connect(V.p, R.p); connect(R.n, emf.p); connect(emf.n, V.n); connect(V.n, G.p);
  connect(emf.flange, J1.flange_a); connect(J1.flange_b, gear.flange_a); connect(gear.flange_b, J2.flange_a);",
    );
    assert_eq!(count(&a, Kind::Gy), 1, "{}", a.built.graph);
    assert_eq!(count(&a, Kind::Tf), 1, "{}", a.built.graph);
    // The two inertias turn together.
    assert_eq!(a.causality.states.len(), 1);
    assert_eq!(a.causality.dependent.len(), 1);
}

#[test]
fn steps_show_the_construction() {
    let model = flat(SERIES);
    let nodes = |step| {
        let g = analyse(&model, step).built.graph;
        (g.nodes.len(), g.bonds.len())
    };
    // Four nodes; then 4 junctions, 4 elements and a ground source with 3 bonds each and 1.
    assert_eq!(nodes(1), (4, 0));
    assert_eq!(nodes(2), (4 + 4 + 4 + 1, 4 * 3 + 1));
    // Without the ground node and its bonds.
    assert_eq!(nodes(4), (4 - 1 + 8, 12 - 2));
    assert_eq!(nodes(5), (5, 4));
}

#[test]
fn missing_ground_and_open_ends_are_reported() {
    let a = analysis(
        "
  Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R1(R=3), R2(R=4);
equation
  connect(V.p, R1.p); connect(R1.n, V.n); connect(R2.p, V.p);",
    );
    let codes: Vec<&str> = a.diagnostics.iter().map(|d| d.code).collect();
    assert!(codes.contains(&"W0411"), "{codes:?}");
    assert!(codes.contains(&"W0412"), "{codes:?}");
}

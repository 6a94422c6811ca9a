//! The checks of a network: each mistake is a message with its place.

mod common;

use common::try_flatten;
use ferrica_bond::analyse;

const HEAD: &str = "model Test
  Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5);
  Modelica.Electrical.Analog.Basic.Resistor R1(R=3);
  Modelica.Electrical.Analog.Basic.Ground G;
";
const MESH: &str = "equation
  connect(V.p, R1.p);
  connect(R1.n, V.n);
  connect(V.n, G.p);
";

/// Code of the error that flattening gives, and its text with the place.
fn error(text: &str) -> (String, String) {
    match try_flatten(text) {
        Ok(_) => panic!("no error"),
        Err((list, text)) => (list[0].code.to_owned(), text),
    }
}

fn warnings(text: &str) -> Vec<(String, String, bool)> {
    let model = try_flatten(text).unwrap_or_else(|(_, text)| panic!("{text}"));
    analyse(&model, 5)
        .diagnostics
        .into_iter()
        .map(|d| (d.code.to_owned(), d.message, !d.span.is_none()))
        .collect()
}

#[test]
fn unknown_package() {
    let text = HEAD.replace("Modelica.Electrical", "Modelica.Electrics") + MESH + "end Test;";
    let (code, text) = error(&text);
    assert!(code.starts_with("E02"), "{text}");
    assert!(
        text.contains("Electrics") && text.contains("test.mo:2:"),
        "{text}"
    );
}

#[test]
fn unknown_class() {
    let text = HEAD.replace("Basic.Resistor", "Basic.Resistance") + MESH + "end Test;";
    let (code, text) = error(&text);
    assert!(code.starts_with("E02"), "{text}");
    assert!(
        text.contains("Resistance") && text.contains("test.mo:3:"),
        "{text}"
    );
}

#[test]
fn undeclared_symbol() {
    let text = HEAD.replace("R=3", "R=r0") + MESH + "end Test;";
    let (_, text) = error(&text);
    assert!(text.contains("r0") && text.contains("test.mo:3:"), "{text}");
}

#[test]
fn undeclared_component_in_a_connection() {
    let text = HEAD.to_owned() + &MESH.replace("R1.p", "R7.p") + "end Test;";
    let (_, text) = error(&text);
    assert!(text.contains("R7") && text.contains("test.mo:6:"), "{text}");
}

#[test]
fn wrong_pin() {
    let text = HEAD.to_owned() + &MESH.replace("R1.p", "R1.q") + "end Test;";
    let (_, text) = error(&text);
    assert!(text.contains("R1.q") || text.contains("`q`"), "{text}");
    assert!(text.contains("test.mo:6:"), "{text}");
}

#[test]
fn component_connected_to_itself() {
    let text = format!("{HEAD}{MESH}  connect(R1.p, R1.n);\nend Test;");
    let found = warnings(&text);
    let (_, message, placed) = found.iter().find(|w| w.0 == "W0409").unwrap();
    assert!(message.contains("`R1`") && *placed);
}

#[test]
fn circuit_without_a_source() {
    let text = "model Test
  Modelica.Electrical.Analog.Basic.Resistor R1(R=3);
  Modelica.Electrical.Analog.Basic.Capacitor C1(C=1, v(start=1, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground G;
equation
  connect(C1.p, R1.p); connect(R1.n, C1.n); connect(C1.n, G.p);
end Test;";
    let found = warnings(text);
    let (_, message, placed) = found.iter().find(|w| w.0 == "W0410").unwrap();
    assert!(message.contains("no source") && *placed);
}

#[test]
fn floating_node() {
    let text = HEAD.to_owned()
        + "  Modelica.Electrical.Analog.Basic.Resistor R2(R=1);\n"
        + MESH
        + "  connect(R2.p, R1.p);\nend Test;";
    let found = warnings(&text);
    let (_, message, placed) = found.iter().find(|w| w.0 == "W0412").unwrap();
    assert!(message.contains("`R2.n`") && *placed);
}

#[test]
fn missing_ground() {
    let text = HEAD.replace("  Modelica.Electrical.Analog.Basic.Ground G;\n", "")
        + &MESH.replace("  connect(V.n, G.p);\n", "")
        + "end Test;";
    let found = warnings(&text);
    let (_, message, placed) = found.iter().find(|w| w.0 == "W0411").unwrap();
    // The negative side of the source serves as reference.
    assert!(
        message.contains("no ground") && message.contains("V.n") && *placed,
        "{message}"
    );
}

#[test]
fn a_sound_circuit_has_no_remarks() {
    assert_eq!(warnings(&format!("{HEAD}{MESH}end Test;")), []);
}

/// A graph that is not complete says nothing of causality, and does not miss a source that a later step brings.
#[test]
fn early_steps_say_only_what_is_there() {
    let body = "Modelica.Electrical.Analog.Sources.ConstantVoltage V(V=5); Modelica.Electrical.Analog.Basic.Resistor R(R=-3);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3); Modelica.Electrical.Analog.Basic.Ground g;
equation
  connect(V.p, R.p); connect(R.n, C.p); connect(C.n, V.n); connect(V.n, g.p);";
    let flat = common::flat(body);
    let first = ferrica_bond::analyse(&flat, 1);
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    assert!(!first.report.contains("Order of the system"));
    let last = ferrica_bond::analyse(&flat, 5);
    assert!(
        last.report.contains("Order of the system: 1"),
        "{}",
        last.report
    );
    assert!(
        last.report.contains("Negative resistance: R"),
        "{}",
        last.report
    );
}

/// What is measured through a sensor between two ports of its own is nothing: no bond is left of it.
#[test]
fn sensor_connected_to_itself() {
    let text = "model Test
  import Ferrica.Hydraulics.*;
  Sources.Tank tank;
  Restrictions.CapillaryPipe capillary(L=0.1, D=1e-3);
  Sensors.PowerSensor power;
equation
  connect(power.port_b, power.port_a);
  connect(power.port_b, capillary.port_a);
  connect(capillary.port_b, tank.port);
end Test;";
    let model = try_flatten(text).unwrap_or_else(|(_, text)| panic!("{text}"));
    for step in 1..=5 {
        let graph = analyse(&model, step).built.graph;
        assert!(graph.bonds.iter().all(|b| step < 5 || b.from != b.to));
    }
    let found = warnings(text);
    let (_, message, placed) = found.iter().find(|w| w.0 == "W0409").unwrap();
    assert!(message.contains("`power`") && *placed);
}

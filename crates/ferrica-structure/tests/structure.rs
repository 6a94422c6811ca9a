//! Structural analysis of small models with known answers.

mod support;

use ferrica_ir::causal::{Block, Kind};
use support::eval::Machine;
use support::text;
use support::{causal, compiled, errors};

/// The circuit of the lecture "A Modelica Compiler" (McGill, 2003): 20 equations.
const CIRCUIT: &str = "
  parameter Real r = 10; parameter Real c = 0.01;
  Real AC.v, AC.p.v, AC.n.v, AC.p.i, AC.n.i, AC.i;
  Real R.v, R.p.v, R.n.v, R.p.i, R.n.i, R.i;
  Real C.v(start = 0, fixed = true), C.p.v, C.n.v, C.p.i, C.n.i, C.i;
  Real G.p.v;
equation
  AC.v = AC.p.v - AC.n.v;  AC.p.i + AC.n.i = 0;  AC.i = AC.p.i;  AC.v = sin(time);
  R.v = R.p.v - R.n.v;  R.p.i + R.n.i = 0;  R.i = R.p.i;  R.v = r * R.i;
  AC.p.v = R.p.v;  AC.p.i + R.p.i = 0;
  C.v = C.p.v - C.n.v;  C.p.i + C.n.i = 0;  C.i = C.p.i;  C.i = c * der(C.v);
  R.n.v = C.p.v;  R.n.i + C.p.i = 0;  AC.n.v = C.n.v;  AC.n.v = G.p.v;
  AC.n.i + C.n.i = 0;  G.p.v = 0;
";

#[test]
fn circuit_reduces_to_the_published_seven_equations() {
    // Aliases of the form a = ±b, the redundant one of the current loop included, leave 7.
    let flat = text::model(CIRCUIT);
    assert_eq!(flat.equations.len(), 20);
    let mut dae = ferrica_dae::Dae::from_flat(flat);
    let constants = ferrica_dae::parameters::evaluate_constants(&mut dae, &mut Vec::new()).unwrap();
    let mut removed = vec![false; dae.equations.len()];
    ferrica_dae::alias::detect(&mut dae, &constants, false, &mut removed);
    assert_eq!(removed.iter().filter(|r| !**r).count(), 7);
}

#[test]
fn circuit_is_sorted_into_assignments() {
    let model = causal(CIRCUIT);
    assert!(model.blocks.iter().all(|b| matches!(b, Block::Assign(_))));
    assert_eq!(model.states.len(), 1);
    // Ground at zero makes C.v the node voltage: source, resistor voltage, current, derivative.
    let order: Vec<&str> = model
        .blocks
        .iter()
        .map(|b| match b {
            Block::Assign(a) => model.vars[a.var].var.name.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(order.len(), 4);
    assert_eq!(order.last(), Some(&"der(C.v)"));
    let mut m = Machine::new(&model);
    m.initialize();
    m.time = 1.0;
    m.set("C.v", 0.25);
    m.evaluate();
    let i = (1f64.sin() - 0.25) / 10.0;
    assert!((m.get("R.i") - i).abs() < 1e-15);
    assert!((m.get("AC.i") + i).abs() < 1e-15);
    assert!((m.get("der(C.v)") - i / 0.01).abs() < 1e-12);
    assert_eq!(m.get("C.n.v"), 0.0);
}

#[test]
fn a_linear_loop_is_solved() {
    // x + y = 3 z, x - y = z, z = time: x = 2 z, y = z.
    let model = causal(
        "Real x, y, z, w;
         equation x + y = 3*z; x - y = z; z = time; der(w) = x*y;",
    );
    let mut m = Machine::new(&model);
    m.time = 2.0;
    m.evaluate();
    assert_eq!((m.get("x"), m.get("y")), (4.0, 2.0));
    assert_eq!(m.get("der(w)"), 8.0);
}

#[test]
fn a_linear_loop_with_symbolic_coefficients_keeps_its_matrix() {
    let model = causal(
        "parameter Real a = 2, b = 3, c = 5, d = 7;
         Real x, y, z;
         equation a*x + b*y = time; c*x + d*y = 1; der(z) = x + y;",
    );
    let linear = model
        .blocks
        .iter()
        .find_map(|b| match b {
            Block::Linear(l) => Some(l),
            _ => None,
        })
        .unwrap();
    assert_eq!((linear.unknowns.len(), linear.constant), (2, true));
    let mut m = Machine::new(&model);
    m.time = 4.0;
    m.evaluate();
    // Cramer: determinant 2·7 − 3·5 = −1.
    assert!((m.get("x") - (4.0 * 7.0 - 3.0) / -1.0).abs() < 1e-12);
    assert!((m.get("y") - (2.0 - 4.0 * 5.0) / -1.0).abs() < 1e-12);
}

#[test]
fn a_nonlinear_loop_is_torn_to_one_unknown() {
    // The loop of the lecture: x + y = 2, x·y = 1 has x = y = 1 (a double root); with 0.75 instead
    // the roots are 0.5 and 1.5.
    let model = causal("Real x(start = 2), y, z; equation x + y = 2; x*y = 0.75; der(z) = x;");
    let block = model
        .blocks
        .iter()
        .find_map(|b| match b {
            Block::Nonlinear(n) => Some(n),
            _ => None,
        })
        .unwrap();
    assert_eq!((block.unknowns.len(), block.inner.len()), (1, 1));
    let mut m = Machine::new(&model);
    m.set("x", 2.0);
    m.set("y", 0.0);
    m.evaluate();
    let (x, y) = (m.get("x"), m.get("y"));
    assert!((x * y - 0.75).abs() < 1e-12 && (x + y - 2.0).abs() < 1e-12);
}

#[test]
fn equal_states_become_one() {
    // Two capacitors in parallel: i = (c1 + c2) dv/dt.
    let model = causal(
        "parameter Real c1 = 1, c2 = 3; Real v1(start = 1), v2, i1, i2;
         equation v1 = v2; c1*der(v1) = i1; c2*der(v2) = i2; i1 + i2 = 8;",
    );
    assert_eq!(model.states.len(), 1);
    let mut m = Machine::new(&model);
    m.evaluate();
    assert!((m.get("i1") - 2.0).abs() < 1e-12);
    assert!((m.get("i2") - 6.0).abs() < 1e-12);
}

#[test]
fn an_ideal_diode_switches_by_event_iteration() {
    // Parametric curve: s > 0 conducts. Source u, resistor 2.
    let model = causal(
        "Real u, s, v, i, x; Boolean off;
         equation u = sin(time); off = s < 0;
         v = if off then s else 0; i = if off then 0 else s; u = v + 2*i; der(x) = i;",
    );
    let mut m = Machine::new(&model);
    m.initialize();
    for (time, current) in [(1.0, 1f64.sin() / 2.0), (4.0, 0.0), (7.0, 7f64.sin() / 2.0)] {
        m.time = time;
        m.event();
        assert!(
            (m.get("i") - current).abs() < 1e-12,
            "at {time}: {}",
            m.get("i")
        );
    }
}

#[test]
fn a_sampled_value_is_held() {
    let model = causal(
        "Real x(start = 1, fixed = true), d(start = 5);
         equation der(x) = -d; when sample(0, 0.5) then d = x; end when;",
    );
    assert_eq!(model.samplers.len(), 1);
    let mut m = Machine::new(&model);
    m.initialize();
    assert_eq!(m.get("d"), 5.0);
    m.values.insert(model.samplers[0].memory, 1.0);
    m.event();
    assert_eq!(m.get("d"), 1.0);
}

#[test]
fn initial_equations_replace_start_values() {
    // der(x) = 0 at the start: x = 3.
    let flat = text::model(
        "Real x(start = 1), y(start = 2); initial equation der(x) = 0;
         equation der(x) = 3 - x; der(y) = x - y;",
    );
    let c = compiled(flat);
    let mut m = Machine::new(&c.model);
    m.initialize();
    assert_eq!((m.get("x"), m.get("y")), (3.0, 2.0));
    // Only y had to be guessed.
    let text: Vec<&str> = c.warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(
        text.iter().any(|t| t.contains("`y`") && !t.contains("`x`")),
        "{text:?}"
    );
}

#[test]
fn a_free_parameter_is_computed_at_the_start() {
    let model = causal(
        "parameter Real p(fixed = false, start = 1); parameter Real q = 2*p; Real x(start = 4, fixed = true);
         initial equation der(x) = 1; equation der(x) = p*x - q;",
    );
    // 1 = 4 p − 2 p
    let mut m = Machine::new(&model);
    m.initialize();
    assert!((m.get("p") - 0.5).abs() < 1e-12);
    assert!((m.get("q") - 1.0).abs() < 1e-12);
}

#[test]
fn a_redundant_fixed_start_is_reported() {
    let c = compiled(text::model(
        "Real x(start = 1, fixed = true), y(start = 1, fixed = true); equation der(x) = -x; y = 2*x;",
    ));
    assert!(
        c.warnings
            .iter()
            .any(|w| w.code == "W0503" && w.message.contains("`y`"))
    );
}

#[test]
fn singular_models_are_explained() {
    let e = errors("Real x, y, z; equation x = time; x = 2*time; y + z = 1;");
    assert_eq!(e.len(), 1);
    assert!(e[0].starts_with("E0401"), "{e:?}");
    assert!(
        e[0].contains("over-determined") && e[0].contains("`x`"),
        "{}",
        e[0]
    );
    assert!(
        e[0].contains("`y`, `z`") || e[0].contains("`z`, `y`"),
        "{}",
        e[0]
    );
}

#[test]
fn conditions_are_spelled_out_in_explanations() {
    let e = errors("Real x; equation x = time; x = if time > 1 then 2 else 3;");
    assert!(
        e[0].contains("if (time > 1.0) then 2.0 else 3.0"),
        "{}",
        e[0]
    );
}

#[test]
fn cyclic_parameters_are_named() {
    let e = errors("parameter Real a = b + 1, b = 2*c, c = a; Real x; equation der(x) = a;");
    assert!(
        e[0].contains("E0402") && e[0].contains("`a`") && e[0].contains("`c`"),
        "{e:?}"
    );
}

#[test]
fn parameter_equations_are_computed_once() {
    let model =
        causal("parameter Real p = 3; Real a, b, x; equation b = 2*a; a = p + 1; der(x) = b*time;");
    assert_eq!(model.blocks.len(), 1);
    let m = Machine::new(&model);
    assert_eq!((m.get("a"), m.get("b")), (4.0, 8.0));
    assert_eq!(model.vars[m.var("b")].kind, Kind::Parameter);
}

#[test]
fn equal_relations_share_a_memory_and_time_events_are_known() {
    let model = causal(
        "parameter Real t0 = 1; Real x, y, z;
         equation der(x) = if time > t0 then 1 else 0; der(y) = if time > t0 then 2 else x;
         der(z) = if x > y then 1 else noEvent(if z > 3 then 1 else 0);",
    );
    let time: Vec<bool> = model.relations.iter().map(|r| r.time_event).collect();
    assert_eq!(time, [true, false]);
}

#[test]
fn floor_is_constant_between_events() {
    let model = causal("Real x(start = 0.5, fixed = true), y; equation der(x) = 1; y = floor(x);");
    let mut m = Machine::new(&model);
    m.initialize();
    assert_eq!(m.get("y"), 0.0);
    for (x, y) in [(1.0, 1.0), (3.5, 3.0), (2.9, 2.0), (-0.1, -1.0)] {
        m.set("x", x);
        m.event();
        assert_eq!(m.get("y"), y);
    }
}

#[test]
fn a_decided_condition_breaks_a_cycle_of_parameters() {
    let model = causal(
        "parameter Boolean u = w; parameter Boolean w = true;
         parameter Real a = if u then 1 else 2*b, b = if u then 3*a else 4; Real x; equation der(x) = b;",
    );
    let m = Machine::new(&model);
    assert_eq!((m.get("a"), m.get("b")), (1.0, 3.0));
}

#[test]
fn a_relation_sees_the_values_of_its_own_pass() {
    // A timer that restarts itself: with t0 of the last pass `late` would still be true.
    let model = causal(
        "Real t0(start = 0), x; Boolean on, late, fire;
         equation on = mod(time, 4) >= 2; when on then t0 = time; end when;
         late = time >= t0 + 1; fire = on and late; der(x) = if fire then 1 else 0;",
    );
    let mut m = Machine::new(&model);
    m.initialize();
    m.time = 2.0;
    let mut fired = false;
    for _ in 0..5 {
        m.evaluate();
        fired |= m.get("fire") != 0.0;
        m.update_relations();
        m.event();
    }
    assert!(!fired);
    assert_eq!(m.get("t0"), 2.0);
}

#[test]
fn connected_semi_linear_equations_determine_the_mixing_value() {
    // Two volumes joined by a port with enthalpy h: h is that of the upstream one, also at rest.
    let model = causal(
        "Real m, H, h; parameter Real h1 = 10, h2 = 20;
         equation H = semiLinear(m, h, h1); -H = semiLinear(-m, h, h2); der(m) = -1;",
    );
    for (flow, h) in [(2.0, 20.0), (-2.0, 10.0), (0.0, 20.0)] {
        let mut m = Machine::new(&model);
        m.set("m", flow);
        m.event();
        assert_eq!(m.get("h"), h, "at {flow}");
        assert_eq!(m.get("H"), flow * h);
    }
}

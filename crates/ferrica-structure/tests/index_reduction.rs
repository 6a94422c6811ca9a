//! Models of an index above one, against closed forms.

mod support;

use support::eval::Machine;
use support::{causal, errors};

#[test]
fn a_constrained_pair_of_masses_moves_as_one() {
    // Gear with ratio 2: x1 = 2 x2; m1 a1 + m2 a2 / 2 … Newton with a constraint force:
    // m1 x1'' = f + u, m2 x2'' = -2 f, x1 = 2 x2 → (4 m1 + m2) x2'' = 2 u.
    let model = causal(
        "parameter Real m1 = 3, m2 = 5; Real x1, x2(start = 1, fixed = true), v1, v2(start = 0.5, fixed = true), f, u;
         equation u = 7; der(x1) = v1; der(x2) = v2; m1*der(v1) = f + u; m2*der(v2) = -2*f; x1 = 2*x2;",
    );
    assert_eq!(model.states.len(), 2);
    assert!(model.dynamic_states.is_empty());
    let mut m = Machine::new(&model);
    m.initialize();
    assert_eq!((m.get("x1"), m.get("v1")), (2.0, 1.0));
    m.evaluate();
    assert!((m.get("der(v2)") - 14.0 / 17.0).abs() < 1e-12);
}

#[test]
fn state_select_decides() {
    for (wanted, text) in [
        ("x1", "x1(stateSelect = prefer), x2"),
        ("x2", "x1, x2(stateSelect = prefer)"),
    ] {
        let model = causal(&format!(
            "Real {text}, f; equation der(x1) = f + time; der(x2) = -f; x1 = 3*x2;"
        ));
        let names: Vec<&str> = model
            .states
            .iter()
            .map(|&s| model.vars[s].var.name.as_str())
            .collect();
        assert_eq!(names, [wanted]);
    }
}

#[test]
fn a_variable_that_prefers_to_be_a_state_becomes_one() {
    // Only m and u are differentiated; m = 3 p, u = m t: p' = 1/3, (m t)' = 5 → m t' + m' t = 5.
    let model = causal(
        "Real m, u, p(stateSelect = prefer, start = 2, fixed = true), t(stateSelect = prefer, start = 4, fixed = true);
         equation der(m) = 1; der(u) = 5; m = 3*p; u = m*t;",
    );
    let mut names: Vec<&str> = model
        .states
        .iter()
        .map(|&s| model.vars[s].var.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["p", "t"]);
    let mut m = Machine::new(&model);
    m.initialize();
    m.evaluate();
    assert!((m.get("m") - 6.0).abs() < 1e-12);
    assert!((m.get("der(p)") - 1.0 / 3.0).abs() < 1e-12);
    assert!((m.get("der(t)") - 1.0 / 6.0).abs() < 1e-12);
}

#[test]
fn a_coefficient_of_zero_determines_nothing() {
    // With r = 0 and c = 0: v2 = v1 and no state there; i follows from the other resistor.
    let model = causal(
        "parameter Real r = r0, r0 = 0, c = 2*r0; Real v1, v2, i, x(start = 1, fixed = true);
         equation v1 = 3; r*i = v1 - v2; i = v2/4 + c*der(v2); der(x) = i - x;",
    );
    assert_eq!(model.states.len(), 1);
    let mut m = Machine::new(&model);
    m.initialize();
    m.evaluate();
    assert!((m.get("i") - 0.75).abs() < 1e-12);
    assert!((m.get("der(x)") + 0.25).abs() < 1e-12);
}

#[test]
fn fixed_may_follow_from_a_parameter() {
    // T is no state, but its start value holds: h = 2 T, e = 3 h.
    let model = causal(
        "parameter Boolean atStart = true; Real T(start = 5, fixed = atStart), h, e;
         equation T = h/2; e = 3*h; der(e) = 1;",
    );
    let mut m = Machine::new(&model);
    m.initialize();
    assert!((m.get("e") - 30.0).abs() < 1e-12);
}

const PENDULUM: &str = "
    parameter Real g = 9.81, L = 2;
    Real x(start = 1.2), y(start = -1.6), vx(start = 0), vy(start = 0), lambda;
    equation der(x) = vx; der(y) = vy; der(vx) = -lambda*x; der(vy) = -lambda*y - g; x^2 + y^2 = L^2;";

#[test]
fn the_cartesian_pendulum_has_dynamic_states() {
    let model = causal(PENDULUM);
    assert_eq!(model.states.len(), 2);
    assert_eq!(model.dynamic_states.len(), 2);
    for set in &model.dynamic_states {
        assert_eq!((set.candidates.len(), set.n_states), (2, 1));
        assert_eq!(set.jacobian.len(), 2);
    }
    // With any choice of states the tension follows from the geometry:
    // lambda = (v² − g·y)/L², and the accelerations from it.
    for choice in 0..2 {
        let mut m = Machine::new(&model);
        let (x, y, vx, vy): (f64, f64, f64, f64) = (1.2, -1.6, 0.8, 0.6);
        for (name, value) in [("x", x), ("y", y), ("vx", vx), ("vy", vy)] {
            m.set(name, value);
        }
        for set in &model.dynamic_states {
            for (j, &a) in set.selection[0].iter().enumerate() {
                m.values.insert(a, if j == choice { 1.0 } else { 0.0 });
            }
            let value = m.values[&set.candidates[choice]];
            m.values.insert(set.states[0], value);
        }
        m.evaluate();
        let lambda = (vx * vx + vy * vy - 9.81 * y) / 4.0;
        assert!(
            (m.get("lambda") - lambda).abs() < 1e-9,
            "{}",
            m.get("lambda")
        );
        assert!((m.get("der(vx)") + lambda * x).abs() < 1e-9);
        assert!((m.get("der(vy)") + lambda * y + 9.81).abs() < 1e-9);
    }
}

#[test]
fn the_pendulum_initializes_on_the_circle() {
    let model = causal(PENDULUM);
    let mut m = Machine::new(&model);
    m.initialize();
    let (x, y) = (m.get("x"), m.get("y"));
    assert!((x * x + y * y - 4.0).abs() < 1e-9);
}

#[test]
fn a_prescribed_motion_needs_inverse_dynamics() {
    // x = sin(t): the force is m·x'' = -m sin(t).
    let model = causal("Real x, v, f; equation x = sin(time); der(x) = v; 2*der(v) = f;");
    assert!(model.states.is_empty());
    let mut m = Machine::new(&model);
    m.time = 0.7;
    m.evaluate();
    assert!((m.get("v") - 0.7f64.cos()).abs() < 1e-14);
    assert!((m.get("f") + 2.0 * 0.7f64.sin()).abs() < 1e-14);
}

#[test]
fn a_prescribed_position_of_an_input_is_an_error_that_says_so() {
    let e = errors(
        "Real x, v, f, u; Boolean b; equation b = time > 1; x = delay(v, 1); der(x) = v; 2*der(v) = f; u = 1;",
    );
    assert!(
        e.iter()
            .any(|e| e.starts_with("E0403") || e.starts_with("E0401")),
        "{e:?}"
    );
}

#[test]
fn nonlinear_constraints_with_a_constant_pivot_are_static() {
    // U = m·T: U is a dummy, m and T are states; q = m·T' + T·m'.
    let model = causal(
        "Real m(start = 1), T(start = 300), U, q; equation der(m) = 1; der(T) = 2; der(U) = q; U = m*T;",
    );
    let mut names: Vec<&str> = model
        .states
        .iter()
        .map(|&s| model.vars[s].var.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["T", "m"]);
    let mut k = Machine::new(&model);
    k.set("m", 2.0);
    k.set("T", 5.0);
    k.evaluate();
    assert!((k.get("q") - (2.0 * 2.0 + 5.0)).abs() < 1e-12);
}

#[test]
fn a_constraint_that_only_the_sum_of_balances_shows_is_found() {
    // Three inductive branches, each into two resistive ones that end at two nodes joined by a resistor: every
    // balance has an unknown of its own, their sum says i1 + i2 + i3 = 0.
    let model = causal(
        "parameter Real L = 0.5, R = 3;
         Real i1(start = 0, fixed = true), i2(start = 0, fixed = true), i3;
         Real a1, a2, a3, b1, b2, b3, n1, n2, n3, p, q, c;
         equation
         L*der(i1) = 2 - n1; L*der(i2) = -1 - n2; L*der(i3) = -1 - n3;
         i1 = a1 + b1; i2 = a2 + b2; i3 = a3 + b3;
         R*a1 = n1 - p; R*a2 = n2 - p; R*a3 = n3 - p;
         R*b1 = n1 - q; R*b2 = n2 - q; R*b3 = n3 - q;
         a1 + a2 + a3 = c; b1 + b2 + b3 = -c; R*c = p - q;",
    );
    assert_eq!(model.states.len(), 2);
    let mut m = Machine::new(&model);
    m.initialize();
    m.evaluate();
    // No current at the start: all nodes at the mean of the sources, (2 - 1 - 1)/3 = 0, so L·di1/dt = 2.
    assert!((m.get("n1")).abs() < 1e-12);
    assert!((m.get("der(i1)") - 4.0).abs() < 1e-12);
    assert!((m.get("der(i3)") + 2.0).abs() < 1e-12);
}

/// A pendulum that starts at (1, 0): the constraint determines x and its speed, whatever the order of the equations;
/// F = -g·y·… is zero there, so that y falls freely: v' = -9.81.
#[test]
fn a_pendulum_starts_in_any_order_of_its_equations() {
    let equations = [
        "der(y) = v;",
        "der(x) = u;",
        "der(u) = -x*F;",
        "der(v) = -9.81 - F*y;",
        "x^2 + y^2 = 1;",
    ];
    for shift in 0..equations.len() {
        for reversed in [false, true] {
            let mut list = equations.to_vec();
            list.rotate_left(shift);
            if reversed {
                list.reverse();
            }
            let text = list.join(" ");
            let model = causal(&format!(
                "Real x(start = 1), y(start = 0), u, v, F; equation {text}"
            ));
            let mut m = Machine::new(&model);
            m.initialize();
            assert!((m.get("x") - 1.0).abs() < 1e-9, "{text}");
            assert!(m.get("F").abs() < 1e-9, "{text}");
            assert!((m.get("der(v)") + 9.81).abs() < 1e-9, "{text}");
        }
    }
}

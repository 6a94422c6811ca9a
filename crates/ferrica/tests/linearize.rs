//! Linear models against the formulas of the circuits and machines they come from.

use ferrica::{Experiment, Linear, Model};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

fn transfer_at_zero(l: &Linear) -> f64 {
    // One state: D − C·A⁻¹·B.
    let (a, b) = (l.a.dense(), l.b.dense());
    l.d.dense()[0][0] - l.c.dense()[0][0] * b[0][0] / a[0][0]
}

#[test]
fn poles_of_a_resonant_circuit() {
    let text = "
    model RLC
      Modelica.Electrical.Analog.Sources.SignalVoltage source;
      Modelica.Electrical.Analog.Basic.Resistor R(R = 10);
      Modelica.Electrical.Analog.Basic.Inductor L(L = 0.1, i(start = 0, fixed = true));
      Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 0, fixed = true));
      Modelica.Electrical.Analog.Basic.Ground G;
      Modelica.Blocks.Interfaces.RealInput u;
      Modelica.Blocks.Interfaces.RealOutput y = C.v;
    equation
      connect(u, source.v);
      connect(source.p, R.p); connect(R.n, L.p); connect(L.n, C.p);
      connect(C.n, source.n); connect(G.p, source.n);
    end RLC;";
    let model = Model::from_text(text).unwrap();
    let linear = model
        .linearize(None, None, None, &Experiment::default())
        .unwrap();
    assert_eq!(
        (linear.states.len(), linear.b.columns, linear.c.rows),
        (2, 1, 1)
    );
    // λ = −R/2L ± i √(1/LC − (R/2L)²)
    let (re, im) = (-50.0, (1e4 - 2500.0f64).sqrt());
    let poles = linear.eigenvalues().unwrap();
    assert!(close(poles[0].0, re) && close(poles[0].1, im), "{poles:?}");
    // C·A⁻¹·B: the voltage of the capacitor follows the source.
    let a = linear.a.dense();
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let (b, c) = (linear.b.dense(), &linear.c.dense()[0]);
    let x = [
        (a[1][1] * b[0][0] - a[0][1] * b[1][0]) / det,
        (a[0][0] * b[1][0] - a[1][0] * b[0][0]) / det,
    ];
    let gain = linear.d.dense()[0].first().copied().unwrap_or(0.0) - c[0] * x[0] - c[1] * x[1];
    assert!(close(gain, 1.0), "{gain}");
}

#[test]
fn nonlinear_models_at_a_point_of_their_run() {
    let text = "
    model Tank
      input Real q(start = 0.3);
      output Real out;
      Real h(start = 1, fixed = true);
      Real w;
    equation
      der(h) = q - out;
      out = w;
      w*w = 0.09*h;
    end Tank;";
    let model = Model::from_text(text.replace("Real w;", "Real w(start = 1);")).unwrap();
    let plan = Experiment::default().tolerance(1e-10).input("q", 0.6);
    let linear = model.linearize(Some(3.0), None, None, &plan).unwrap();
    let h = linear.x[0];
    // ∂/∂h of −0.3 √h, through the loop for w.
    assert!(close(linear.a.dense()[0][0], -0.15 / h.sqrt()));
    assert!(h > 1.0 && close(linear.u[0], 0.6) && close(linear.y[0], 0.3 * h.sqrt()));
    assert!(close(transfer_at_zero(&linear), 1.0));
    let other = model
        .linearize(None, Some(&["q"]), Some(&["h", "out"]), &plan)
        .unwrap();
    assert_eq!((other.c.rows, other.inputs.len()), (2, 1));
}

#[test]
fn constraints_are_reduced_before() {
    // A pendulum in Cartesian coordinates, hanging: λ² = −g/l.
    let text = "
    model Pendulum
      parameter Real g = 9.81; parameter Real l = 0.5;
      Real x(start = 0, fixed = true); Real y(start = -0.5); Real f;
      Real vx(start = 0, fixed = true); Real vy;
    equation
      der(x) = vx; der(y) = vy;
      der(vx) = f*x; der(vy) = f*y - g;
      x^2 + y^2 = l^2;
    end Pendulum;";
    let model = Model::from_text(text).unwrap();
    let linear = model
        .linearize(None, None, Some(&["x"]), &Experiment::default())
        .unwrap();
    let poles = linear.eigenvalues().unwrap();
    assert_eq!(poles.len(), 2);
    assert!(
        poles[0].0.abs() < 1e-9 && close(poles[0].1, (9.81f64 / 0.5).sqrt()),
        "{poles:?}"
    );
}

#[test]
fn wrong_names_are_told() {
    let model =
        Model::from_text("model M input Real u; Boolean b = time > 1; Real y = u; end M;").unwrap();
    let plan = Experiment::default();
    let code = |i: Option<&[&str]>, o: Option<&[&str]>| {
        model.linearize(None, i, o, &plan).unwrap_err().code()
    };
    assert_eq!(code(Some(&["v"]), None), "E0731");
    assert_eq!(code(None, Some(&["z"])), "E0731");
    assert_eq!(code(None, Some(&["b"])), "E0736");
}

/// At rest √h = q/k: A = -k/(2·√h), and the response of h to q is 1/(iω - A).
#[test]
fn at_rest_and_its_frequencies() {
    let text = "model Tank input Real q(start = 0.2); output Real h(start = 1, fixed = true); equation der(h) = q - 0.1*sqrt(h); end Tank;";
    let model = Model::from_text(text).unwrap();
    let plan = Experiment::default().steady(true);
    let linear = model.linearize(None, None, None, &plan).unwrap();
    assert!((linear.x[0] - 4.0).abs() < 1e-9 && linear.states == ["h"]);
    let a = linear.a.dense()[0][0];
    assert!((a + 0.025).abs() < 1e-12);
    for f in [1e-4, 1e-2, 1.0] {
        let (amplitude, phase) = linear.response(0, 0, &[f])[0];
        let w = std::f64::consts::TAU * f;
        assert!((amplitude * w.hypot(a) - 1.0).abs() < 1e-9);
        assert!(
            (phase - (w / a).atan().to_degrees()).abs() < 1e-7,
            "{phase}"
        );
    }
}

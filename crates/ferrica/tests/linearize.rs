//! Linear models against the formulas of the circuits and machines they come from.

use ferrica::{Experiment, Linear, Model, Signal};

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

/// The matrix of a linear model, with rows and columns by the names of its states.
fn entry(l: &Linear, row: &str, column: &str) -> f64 {
    let at = |name: &str| l.states.iter().position(|s| s == name);
    let (i, j) = (at(row).expect(row), at(column).expect(column));
    l.a.dense()[i][j]
}

/// di/dt = (u − R i − k w)/L, dw/dt = (k i − d w)/J.
#[test]
fn a_direct_current_drive() {
    let text = "
    model Drive
      Modelica.Electrical.Analog.Sources.SignalVoltage source;
      Modelica.Electrical.Analog.Basic.Resistor R(R = 0.8);
      Modelica.Electrical.Analog.Basic.Inductor L(L = 0.02, i(start = 0, fixed = true));
      Modelica.Electrical.Analog.Basic.RotationalEMF emf(k = 0.3);
      Modelica.Electrical.Analog.Basic.Ground G;
      Modelica.Mechanics.Rotational.Components.Inertia J(J = 0.05, stateSelect = StateSelect.always, phi(start = 0, fixed = true), w(start = 0, fixed = true));
      Modelica.Mechanics.Rotational.Components.Damper damper(d = 0.01, stateSelect = StateSelect.never);
      Modelica.Mechanics.Rotational.Components.Fixed fixed;
      Modelica.Blocks.Interfaces.RealInput u;
      Modelica.Blocks.Interfaces.RealOutput w = J.w;
      Modelica.Blocks.Interfaces.RealOutput i = L.i;
    equation
      connect(u, source.v);
      connect(source.p, R.p); connect(R.n, L.p); connect(L.n, emf.p); connect(emf.n, source.n); connect(G.p, source.n);
      connect(emf.flange, J.flange_a); connect(J.flange_b, damper.flange_a); connect(damper.flange_b, fixed.flange);
    end Drive;";
    let (r, l, k, j, d) = (0.8, 0.02, 0.3, 0.05, 0.01);
    let model = Model::from_text(text).unwrap();
    let linear = model
        .linearize(None, None, None, &Experiment::default())
        .unwrap();
    let at = |name: &str| linear.states.iter().position(|s| s == name);
    let (i, w) = (at("L.i").unwrap(), at("J.w").unwrap());
    let a = linear.a.dense();
    for (got, want) in [
        (a[i][i], -r / l),
        (a[i][w], -k / l),
        (a[w][i], k / j),
        (a[w][w], -d / j),
        (linear.b.dense()[i][0], 1.0 / l),
        (linear.b.dense()[w][0], 0.0),
        (linear.c.dense()[0][w], 1.0),
        (linear.c.dense()[1][i], 1.0),
        (linear.d.dense()[0][0], 0.0),
    ] {
        assert!(close(got, want), "{got} {want}");
    }
    // s² + (R/L + d/J) s + (R d + k²)/(L J), and the angle.
    let (p, q) = (r / l + d / j, (r * d + k * k) / (l * j));
    let root = (0.25 * p * p - q).sqrt();
    for want in [-0.5 * p + root, -0.5 * p - root, 0.0] {
        let poles = linear.eigenvalues().unwrap();
        let near = |e: &&(f64, f64)| (e.0 - want).abs() < 1e-9 * p && e.1.abs() < 1e-9;
        assert!(poles.iter().any(|e| near(&e)), "{want}: {poles:?}");
    }
}

/// A valve of second order, a cylinder with its load; around the middle position the flow is Kv √(ps/ρ) x.
#[test]
fn a_hydraulic_servo() {
    let text = "
    model Servo
      parameter Real w = 300; parameter Real z = 0.7; parameter Real Kv = 2e-4; parameter Real ps = 2e7; parameter Real rho = 850;
      parameter Real A = 1e-3; parameter Real V = 5e-4; parameter Real beta = 1e9; parameter Real C = 2e-12;
      parameter Real m = 40; parameter Real B = 300;
      input Real u(start = 0); output Real y;
      Real x(start = 0, fixed = true); Real dx(start = 0, fixed = true); Real pL(start = 0, fixed = true);
      Real v(start = 0, fixed = true); Real s(start = 0, fixed = true); Real q;
    equation
      der(x) = dx; der(dx) = w^2*(u - x) - 2*z*w*dx;
      q = Kv*x*sqrt((ps - noEvent(if x >= 0 then pL else -pL))/rho);
      V/(4*beta)*der(pL) = q - A*v - C*pL;
      m*der(v) = A*pL - B*v; der(s) = v; y = s;
    end Servo;";
    let model = Model::from_text(text).unwrap();
    let linear = model
        .linearize(None, None, None, &Experiment::default())
        .unwrap();
    let (w, z, kv, ps, rho) = (300.0f64, 0.7f64, 2e-4, 2e7, 850.0);
    let (a, v, beta, c, m, b) = (1e-3, 5e-4, 1e9, 2e-12, 40.0, 300.0);
    let stiff = 4.0 * beta / v;
    for (row, column, want) in [
        ("x", "dx", 1.0),
        ("dx", "x", -w * w),
        ("dx", "dx", -2.0 * z * w),
        ("pL", "x", stiff * kv * f64::sqrt(ps / rho)),
        ("pL", "v", -stiff * a),
        ("pL", "pL", -stiff * c),
        ("v", "pL", a / m),
        ("v", "v", -b / m),
        ("s", "v", 1.0),
        ("s", "x", 0.0),
    ] {
        let got = entry(&linear, row, column);
        assert!(
            (got - want).abs() <= 1e-9 * want.abs(),
            "{row} {column}: {got} {want}"
        );
    }
    // The poles of the valve, of oil and load, and of the position.
    let half = 0.5 * (b / m + stiff * c);
    let swing = (stiff * (a * a + b * c) / m - half * half).sqrt();
    let poles = linear.eigenvalues().unwrap();
    for want in [
        (-z * w, w * f64::sqrt(1.0 - z * z)),
        (-half, swing),
        (0.0, 0.0),
    ] {
        let apart = |e: &(f64, f64)| (e.0 - want.0).hypot(e.1 - want.1);
        let nearest = poles.iter().map(apart).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9 * swing, "{want:?}: {poles:?}");
    }
    // The swing of oil and load has pressure and speed in it, half each.
    let modes = linear.modes().unwrap();
    let oil = modes
        .iter()
        .find(|m| (m.imaginary - swing).abs() < 1e-6 * swing)
        .unwrap();
    assert!(close(oil.damping(), half / half.hypot(swing)));
    let names: Vec<&str> = oil.states.iter().take(2).map(|s| s.0.as_str()).collect();
    assert!(
        names.contains(&"pL") && names.contains(&"v"),
        "{:?}",
        oil.states
    );
    assert!((oil.states[0].1 - 0.5).abs() < 0.05, "{:?}", oil.states);
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
    // Without names it is between those that move, also where the model has others.
    let text = "model M input Real u; input Boolean b; discrete input Real s; output Integer n = if b then 1 else 2; output Real y = u*n; end M;";
    let model = Model::from_text(text).unwrap();
    let linear = model.linearize(None, None, None, &plan).unwrap();
    assert_eq!(
        (linear.inputs, linear.outputs, linear.d.dense()),
        (vec!["u".into()], vec!["y".into()], vec![vec![2.0]])
    );
    let still = model.linearize(None, Some(&["s"]), None, &plan);
    assert_eq!(still.unwrap_err().code(), "E0736");
}

/// x' = -u x: A = -u and B = -x, where x = exp(-∫u).
#[test]
fn along_a_run_whose_inputs_are_driven() {
    let text = "model M input Real u; input Real w[2]; Real x(start = 1, fixed = true); output Real y = u*w[2]; \
                equation der(x) = -u*x + w[1]; end M;";
    let model = Model::from_text(text).unwrap();
    let ramp = Signal::linear(vec![0.0, 2.0], vec![0.0, 4.0]).unwrap();
    let steps = Signal::hold(vec![0.0, 1.0], vec![3.0, 5.0]).unwrap();
    let plan = Experiment::default().tolerance(1e-10);
    let plan = plan.input("u", ramp).input("w[2]", steps);
    let times = [1.5, 0.0, 0.5, 1.5];
    let points = model.linearize_along(&times, None, None, &plan).unwrap();
    for (&t, point) in times.iter().zip(&points) {
        let (u, x) = (2.0 * t, (-t * t).exp());
        let w = if t >= 1.0 { 5.0 } else { 3.0 };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{t}: {a} {b}");
        let (a, b, d) = (point.a.dense(), point.b.dense(), point.d.dense());
        assert_eq!((point.time, point.inputs.len()), (t, 3));
        near(a[0][0], -u);
        near(b[0][0], -x);
        near(b[0][1], 1.0);
        near(b[0][2], 0.0);
        near(d[0][0], w);
        near(d[0][2], u);
        near(point.u[0], u);
        near(point.u[2], w);
        // One of them alone is the same.
        let one = model.linearize(Some(t), Some(&["u"]), None, &plan).unwrap();
        near(one.b.dense()[0][0], -x);
    }
    let early = model.linearize_along(&[0.5, -1.0], None, None, &plan);
    assert_eq!(early.unwrap_err().code(), "E0702");
}

/// The run begins at rest and is moved from there by its input: x = u₀ + s·(t − 1 + exp(−t)) behind a ramp of slope s.
#[test]
fn a_run_from_rest_to_the_point() {
    let text = "model M input Real u; Real x(start = 7, fixed = true); output Real y = x^2; equation der(x) = u - x; end M;";
    let model = Model::from_text(text).unwrap();
    let ramp = Signal::linear(vec![0.0, 10.0], vec![1.0, 21.0]).unwrap();
    let plan = Experiment::default().tolerance(1e-10).input("u", ramp);
    let plan = plan.steady(true);
    for t in [0.0, 3.0f64] {
        let x = 1.0 + 2.0 * (t - 1.0 + (-t).exp());
        let point = model.linearize(Some(t), None, None, &plan).unwrap();
        assert!((point.x[0] - x).abs() < 1e-7, "{t}: {:?}", point.x);
        assert!((point.c.dense()[0][0] - 2.0 * x).abs() < 1e-7);
    }
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

/// What a linear model leaves out is told: the other side of a condition at its threshold, and what samplers do.
#[test]
fn what_is_left_out_is_told() {
    let told = |text: &str, at: Option<f64>| {
        let model = Model::from_text(text).unwrap();
        let plan = Experiment::default().steady(at.is_none());
        let linear = model.linearize(at, None, None, &plan).unwrap();
        let texts = linear.diagnostics.iter().map(|d| d.message.clone());
        texts.collect::<Vec<_>>().join("\n")
    };
    let bent = "model M Real x(start = 3, fixed = true); equation der(x) = if x > 1 then -(x - 1) else 2*(1 - x); end M;";
    assert!(told(bent, None).contains("`x > 1` is at the threshold"));
    assert_eq!(told(bent, Some(0.0)), "");
    let sampled =
        "model M Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
      equation der(x) = u - x; when sample(0.1, 0.1) then u = 0.5*x; end when; end M;";
    assert!(told(sampled, Some(0.0)).contains("between two of their instants"));
    // A step that begins now changes no derivative with respect to a state.
    let step = "model M Real x(start = 0, fixed = true); equation der(x) = (if time >= 0 then 1 else 0) - x; end M;";
    assert_eq!(told(step, Some(0.0)), "");
}

/// Zeros of models whose transfer functions are known.
#[test]
fn zeros_are_those_of_the_transfer_function() {
    let zeros = |text: &str| {
        let model = Model::from_text(text).unwrap();
        let linear = model.linearize(None, None, None, &Experiment::default());
        let mut found = linear.unwrap().zeros(0, 0)?;
        found.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap());
        Some(found)
    };
    let near = |found: Option<Vec<(f64, f64)>>, wanted: &[(f64, f64)]| {
        let found = found.unwrap();
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (f, w) in found.iter().zip(wanted) {
            let size = w.0.hypot(w.1).max(1.0);
            assert!((f.0 - w.0).hypot(f.1 - w.1) < 1e-9 * size, "{found:?}");
        }
    };
    // A capacitor of a farad and an inductor of a henry in parallel, between a source and a load: 1 + s² = 0.
    let trap = "model M input Real u; Real i(start = 0); Real v(start = 0); output Real y;
      equation y = u - v; der(i) = v; der(v) = y - i; end M;";
    near(zeros(trap), &[(0.0, -1.0), (0.0, 1.0)]);
    // 1 - s over (1 + s)², through an all-pass
    let late =
        "model M input Real u; Real a(start = 0); Real b(start = 0); output Real y = 2*b - a;
      equation der(a) = u - a; der(b) = a - b; end M;";
    near(zeros(late), &[(1.0, 0.0)]);
    // Three integrators in a chain have none.
    let chain = "model M input Real u; Real a; Real b; output Real y; equation der(a) = u; der(b) = 1e6*a; der(y) = 1e-6*b; end M;";
    near(zeros(chain), &[]);
    // Two masses on springs, pushed and seen at the first: the second one at rest on its own springs, 3 s² + 0.6 s + 500 = 0.
    let masses = "model M input Real f; output Real x; Real v; Real y; Real w;
      equation der(x) = v; 2*der(v) = f - 400*(x - y) - 0.5*(v - w) - 10*x; der(y) = w; 3*der(w) = 400*(x - y) + 0.5*(v - w) - 100*y - 0.1*w; end M;";
    let imaginary = (500.0f64 / 3.0 - 0.01).sqrt();
    near(zeros(masses), &[(-0.1, -imaginary), (-0.1, imaginary)]);
    // What the output does not depend on
    let apart =
        "model M input Real u; Real a; output Real y; equation der(a) = u - a; der(y) = -y; end M;";
    assert_eq!(zeros(apart), None);
}

/// Complex numbers as pairs, for closed forms.
type C = (f64, f64);

fn times(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn plus(a: C, b: C) -> C {
    (a.0 + b.0, a.1 + b.1)
}

fn over(a: C, b: C) -> C {
    let n = b.0 * b.0 + b.1 * b.1;
    let (re, im) = times(a, (b.0, -b.1));
    (re / n, im / n)
}

/// Voltage and current at the begin of a lossless line from those at its end.
fn line((v, i): (C, C), z: f64, angle: f64) -> (C, C) {
    let (sin, cos) = angle.sin_cos();
    (
        plus(times((cos, 0.0), v), times((0.0, z * sin), i)),
        plus(times((0.0, sin / z), v), times((cos, 0.0), i)),
    )
}

/// A source of 20 Ω, a line, at whose end an open line branches off, another line, and 100 Ω beside 1 nF: by the chain matrices of the telegrapher's equations.
#[test]
fn lines_have_the_frequency_response_of_the_telegraphers_equations() {
    let text = "model Net
  model Line parameter Real T; parameter Real Z; Real v1, i1, v2, i2, c1, c2;
  equation
    v1 = c1 + Z*i1; v2 = c2 + Z*i2;
    c1 = delay(c2 + 2*Z*i2, T); c2 = delay(c1 + 2*Z*i1, T);
  end Line;
  input Real u; output Real y(start = 0, fixed = true);
  Line a(T = 1e-6, Z = 50), stub(T = 0.7e-6, Z = 75), b(T = 1.3e-6, Z = 60);
equation
  u = a.v1 + 20*a.i1;
  a.v2 = b.v1; a.v2 = stub.v1; a.i2 + b.i1 + stub.i1 = 0; stub.i2 = 0;
  b.v2 = y; 1e-9*der(y) = -b.i2 - y/100;
end Net;";
    let model = Model::from_text(text).unwrap();
    let linear = model
        .linearize(None, None, None, &Experiment::default())
        .unwrap();
    assert_eq!(linear.delays.times.len(), 6);
    assert_eq!((linear.states.len(), linear.inputs.len()), (1, 1));
    // What is left out is told: A, B, C, D know nothing of the way from u to y.
    let told = linear
        .diagnostics
        .iter()
        .any(|d| d.code == "W0605" && d.message.contains("6 delays"));
    assert!(told, "{:?}", linear.diagnostics);
    let frequencies = [1e3, 5e4, 2e5, 3.3e5, 1e6, 2.7e6];
    let found = linear.response(0, 0, &frequencies);
    for (&f, (amplitude, phase)) in frequencies.iter().zip(found) {
        let w = std::f64::consts::TAU * f;
        let at_load = ((1.0, 0.0), (0.01, w * 1e-9));
        let (v, i) = line(at_load, 60.0, w * 1.3e-6);
        let open = line(((1.0, 0.0), (0.0, 0.0)), 75.0, w * 0.7e-6);
        let i = plus(i, times(v, over(open.1, open.0)));
        let (v, i) = line((v, i), 50.0, w * 1e-6);
        let truth = over((1.0, 0.0), plus(v, times((20.0, 0.0), i)));
        let size = truth.0.hypot(truth.1);
        let angle = phase.to_radians() - truth.1.atan2(truth.0);
        assert!(
            (amplitude / size - 1.0).abs() < 1e-10,
            "{f}: {amplitude} {size}"
        );
        assert!(
            angle.sin().abs() < 1e-9 && angle.cos() > 0.0,
            "{f}: {angle}"
        );
    }
}

/// At the start a line of the library is what was before it: nothing comes through yet, and that is told.
#[test]
fn before_the_first_wave_nothing_comes_through_and_that_is_told() {
    let text = "model Late
  input Real u; output Real y;
equation
  y = if time < 0.5 then 0 else delay(u, 0.5);
end Late;";
    let model = Model::from_text(text).unwrap();
    let at = |t: Option<f64>| {
        let linear = model.linearize(t, None, None, &Experiment::default());
        let linear = linear.unwrap();
        let told = linear
            .diagnostics
            .iter()
            .any(|d| d.message.contains("nothing comes out"));
        (linear.response(0, 0, &[0.25])[0], told)
    };
    assert_eq!(at(None), ((0.0, 0.0), true));
    let ((amplitude, phase), told) = at(Some(1.0));
    assert!((amplitude - 1.0).abs() < 1e-12 && (phase + 45.0).abs() < 1e-9 && !told);
}

//! Derivatives of trajectories: closed forms, and central differences of runs that are a hundred times as accurate.

use ferrica::{Experiment, Model};

const BALL: &str = "model Ball
  parameter Real e = 0.7; parameter Real g = 9.81;
  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g;
  when h <= 0 then reinit(v, -e*pre(v)); end when;
end Ball;";

fn plan(stop: f64) -> Experiment {
    Experiment::default().stop(stop).tolerance(1e-9).points(40)
}

/// Compares with central differences at points away from events.
fn agrees(text: &str, of: &[&str], to: &[&str], stop: f64) {
    let model = Model::from_text(text).unwrap();
    let s = model.sensitivities(of, to, &plan(stop)).unwrap();
    assert!(s.diagnostics.is_empty(), "{:?}", s.diagnostics);
    for (j, name) in to.iter().enumerate() {
        let value = s.at[j];
        let h = 1e-4 * if value == 0.0 { 1.0 } else { value.abs() };
        let run = |x: f64| {
            let exact = plan(stop).tolerance(1e-12).event_rows(false);
            model.set(name, x).unwrap().simulate(&exact).unwrap()
        };
        let (below, above) = (run(value - h), run(value + h));
        for of in of {
            let got = s.get(of, name).unwrap();
            let largest = got.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
            let mut compared = 0;
            for (k, &t) in s.time.iter().enumerate() {
                // Where an event is between the two runs, a difference is no derivative.
                let wide =
                    |run: &ferrica::Run, d: f64| run.at(of, (t + d).clamp(0.0, stop)).unwrap();
                let d = 1e-3 * stop;
                let (a, b) = (wide(&below, 0.0), wide(&above, 0.0));
                let near = s.time.iter().enumerate().any(|(i, x)| {
                    i != k && (x - t).abs() < d && s.time.iter().filter(|y| *y == x).count() > 1
                }) || s.time.iter().filter(|x| **x == t).count() > 1;
                if near {
                    continue;
                }
                let difference = (b - a) / (2.0 * h);
                let off = (difference - got[k]).abs();
                assert!(
                    off < 1e-5 * largest,
                    "{of} to {name} at {t}: {} but {difference}",
                    got[k]
                );
                compared += 1;
            }
            assert!(compared > 10, "{of}: {compared}");
        }
    }
}

/// Between the first and the second bounce h = e·g·t₁·(t - t₁) - g·(t - t₁)²/2 with t₁ = √(2·h₀/g).
#[test]
fn a_ball_that_has_bounced() {
    let model = Model::from_text(BALL).unwrap();
    let s = model.sensitivities(&["h", "v"], &["e", "g", "h.start"], &plan(0.8));
    let s = s.unwrap();
    let (e, g, h0): (f64, f64, f64) = (0.7, 9.81, 1.0);
    let t1 = (2.0 * h0 / g).sqrt();
    let last = s.time.len() - 1;
    let x = 0.8 - t1;
    let close =
        |got: f64, want: f64| assert!((got - want).abs() < 1e-6 * want.abs(), "{got} {want}");
    close(s.get("h", "e").unwrap()[last], g * t1 * x);
    close(s.get("v", "e").unwrap()[last], g * t1);
    let moved = t1 / (2.0 * g);
    close(
        s.get("h", "g").unwrap()[last],
        e * 0.5 * t1 * x + e * g * t1 * moved - 0.5 * x * x - g * x * moved,
    );
    let later = t1 / (2.0 * h0);
    close(
        s.get("h", "h.start").unwrap()[last],
        e * g * later * x - e * g * t1 * later + g * x * later,
    );
}

#[test]
fn several_bounces() {
    agrees(BALL, &["h", "v"], &["e", "g"], 2.0);
}

/// A state that is set back when it reaches a threshold: the condition is over in the event that it causes.
#[test]
fn a_relaxation_oscillator() {
    let text = "model M parameter Real k = 3; parameter Real top = 1; parameter Real c = 0.2;
      Real x(start = 0, fixed = true); Real n(start = 0, fixed = true);
      equation der(x) = k - x; der(n) = x; when x > top then reinit(x, c*top); end when; end M;";
    agrees(text, &["x", "n"], &["k", "top", "c"], 2.0);
}

/// Between events the equations change, not the states.
#[test]
fn a_rectifier() {
    let text = "model M parameter Real R = 5; parameter Real C = 0.01; parameter Real A = 10;
      Real u = A*sin(20*time); Real v(start = 0, fixed = true); Real i;
      equation i = if u > v then (u - v)/0.5 else 0; C*der(v) = i - v/R; end M;";
    agrees(text, &["v"], &["R", "C", "A"], 1.0);
}

/// Discrete values have derivatives too; the instants depend on a parameter.
#[test]
fn a_sampled_controller() {
    let text = "model M parameter Real k = 2; parameter Real Ti = 0.5; parameter Real w = 1;
      Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true); discrete Real s(start = 0, fixed = true);
      equation der(x) = u - x;
      when sample(0.05, 0.1) then s = pre(s) + 0.1*(w - x)/Ti; u = k*(w - x) + s; end when; end M;";
    agrees(text, &["x"], &["k", "Ti", "w"], 1.0);
}

/// The instants of a sampler are o + k·T: y counts them, and its integral is the sum of the times since them.
#[test]
fn a_sampler_whose_instants_move() {
    let text = "model M parameter Real T = 0.3; parameter Real o = 0.05; parameter Real half = T/2;
      Real x(start = 0, fixed = true); discrete Real y(start = 0, fixed = true);
      equation der(x) = y; when sample(o, 2*half) then y = pre(y) + 1; end when; end M;";
    let model = Model::from_text(text).unwrap();
    let s = model
        .sensitivities(&["x"], &["T", "o", "half"], &plan(1.0))
        .unwrap();
    let last = s.time.len() - 1;
    // x(1) = Σ (1 - o - k·T), k = 0 … 3.
    for (name, exact) in [("T", -6.0), ("o", -4.0), ("half", -12.0)] {
        let got = s.get("x", name).unwrap()[last];
        assert!((got - exact).abs() < 1e-7, "{name}: {got}");
    }
    let text = "model M parameter Real kp = 2; parameter Real Ts = 0.06; parameter Real ki = 3;
      Real x(start = 0, fixed = true); Real z(start = 0, fixed = true); discrete Real u(start = 0, fixed = true); discrete Real s(start = 0, fixed = true);
      equation der(x) = u - x; der(z) = x - 2*z;
      when sample(0.5*Ts, Ts) then s = pre(s) + ki*Ts*(1 - z); u = kp*(1 - z) + s; end when; end M;";
    agrees(text, &["x", "z"], &["Ts", "kp"], 1.0);
}

/// A sampler that begins with the run has one side: earlier it would not be seen.
#[test]
fn a_sampler_at_the_start_of_the_run() {
    let text = "model M parameter Real o = 0; Real x(start = 0, fixed = true); discrete Real y(start = 0, fixed = true);
      equation der(x) = y; when sample(o, 0.3) then y = pre(y) + 1; end when; end M;";
    let model = Model::from_text(text).unwrap();
    let s = model.sensitivities(&["x"], &["o"], &plan(1.0)).unwrap();
    assert_eq!(s.diagnostics.len(), 1, "{:?}", s.diagnostics);
}

/// A step at a time that is a parameter: x = a·(t - t₀) behind it.
#[test]
fn an_instant_that_is_a_parameter() {
    let text =
        "model M parameter Real t0 = 0.4; parameter Real a = 3; Real x(start = 0, fixed = true);
      equation der(x) = if time > t0 then a else 0; end M;";
    let model = Model::from_text(text).unwrap();
    let s = model
        .sensitivities(&["x"], &["t0", "a"], &plan(1.0))
        .unwrap();
    let last = s.time.len() - 1;
    assert!((s.get("x", "t0").unwrap()[last] + 3.0).abs() < 1e-7);
    assert!((s.get("x", "a").unwrap()[last] - 0.6).abs() < 1e-7);
}

/// Start values from an implicit initial equation, dependent parameters, an algebraic loop, components of the library.
#[test]
fn starts_and_loops() {
    let text = "model M parameter Real a = 2; parameter Real b = 3*a; Real x(start = 1); Real y(start = 1);
      initial equation x^3 + x = b; equation der(x) = -y; y + 0.1*y^3 = a*x; end M;";
    agrees(text, &["x", "y"], &["a"], 1.0);
    let text = "model M parameter Real r = 5; Modelica.Electrical.Analog.Basic.Resistor R(R = r);
      Modelica.Electrical.Analog.Basic.Inductor L(L = 0.2, i(start = 0, fixed = true));
      Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-2, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G;
      equation connect(R.p, C.p); connect(R.n, L.p); connect(L.n, C.n); connect(C.n, G.p); end M;";
    agrees(text, &["C.v", "L.i"], &["r", "L.L", "C.C"], 1.0);
}

/// An ideal diode of the library, a sampled controller with all three terms, and models without events.
#[test]
fn further_models() {
    let rectifier = "model M parameter Real C0 = 2e-3; Modelica.Electrical.Analog.Sources.SineVoltage S(V = 10, f = 5);
      Modelica.Electrical.Analog.Ideal.IdealDiode D(Ron = 0.1, Goff = 1e-5, Vknee = 0.6); Modelica.Electrical.Analog.Basic.Resistor R(R = 50);
      Modelica.Electrical.Analog.Basic.Capacitor C(C = C0, v(start = 0, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G;
      equation connect(S.p, D.p); connect(D.n, C.p); connect(C.p, R.p); connect(R.n, G.p); connect(C.n, G.p); connect(S.n, G.p); end M;";
    agrees(rectifier, &["C.v"], &["C0", "R.R", "D.Vknee"], 0.5);
    let pid = "model M parameter Real k = 3; parameter Real Ti = 0.4; parameter Real Td = 0.05; parameter Real J = 0.5;
      Real w(start = 0, fixed = true); Real phi(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
      discrete Real s(start = 0, fixed = true); discrete Real e(start = 0, fixed = true);
      equation der(phi) = w; J*der(w) = u - 0.8*w;
      when sample(0.025, 0.05) then e = 1 - phi; s = pre(s) + 0.05*e/Ti; u = k*(e + s + Td*(e - pre(e))/0.05); end when; end M;";
    agrees(pid, &["phi", "w"], &["k", "Ti", "Td", "J"], 1.5);
    let oscillator = "model M parameter Real mu = 1.5; Real x(start = 2, fixed = true); Real y(start = 0, fixed = true);
      equation der(x) = y; der(y) = mu*(1 - x^2)*y - x; end M;";
    agrees(oscillator, &["x", "y"], &["mu", "x.start"], 5.0);
    let motor = "model M parameter Real R = 1; parameter Real k = 0.1; parameter Real J = 0.01; parameter Real L = 0.01;
      Real i(start = 0, fixed = true); Real w(start = 0, fixed = true);
      equation L*der(i) = 12 - R*i - k*w; J*der(w) = k*i - 0.002*w - 1e-4*w^2; end M;";
    agrees(motor, &["i", "w"], &["R", "k", "J", "L"], 1.0);
}

/// Fixed steps have no tolerance that derivatives could be followed to.
#[test]
fn steps_that_are_given() {
    let text = "model M parameter Real k = 2; Real x(start = 3, fixed = true); equation der(x) = -k*x; end M;";
    let model = Model::from_text(text).unwrap();
    for solver in ["rk4", "euler", "qss2", "rt-tr"] {
        let plan = Experiment::default().solver(solver).unwrap();
        let found = model.sensitivities(&["x"], &["k"], &plan);
        assert_eq!(found.unwrap_err().code(), "E0640", "{solver}");
    }
}

/// Parameters that hardly matter beside one that does: an oscillator to a tiny force, to a tiny force that acts late, and to one whose effects
/// are as small as the parameter is large. Closed forms of ẍ + x = a·sin(3·t) + b·(t > 1) + 1e-9·c, x(0) = 1, ẋ(0) = 0.
#[test]
fn parameters_of_all_sizes() {
    let text = "model M parameter Real a = 1e-8; parameter Real b = 1e-6; parameter Real c = 1e3; parameter Real w = 1;
      Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);
      equation der(x) = v; der(v) = -w^2*x + a*sin(3*time) + (if time > 1 then b else 0) + 1e-9*c; end M;";
    let model = Model::from_text(text).unwrap();
    for solver in ["auto", "bdf", "radau", "dopri5"] {
        let plan = plan(4.0).solver(solver).unwrap();
        let s = model.sensitivities(&["x"], &["a", "b", "c", "w"], &plan);
        let s = s.unwrap();
        for (k, &t) in s.time.iter().enumerate() {
            let late = (t - 1.0).max(0.0);
            let forms = [
                ("a", (3.0 * t.sin() - (3.0 * t).sin()) / 8.0, 1.0),
                ("b", 1.0 - late.cos(), 1.0),
                ("c", 1e-9 * (1.0 - t.cos()), 1e-9),
            ];
            for (name, exact, size) in forms {
                let got = s.get("x", name).unwrap()[k];
                assert!(
                    (got - exact).abs() < 1e-5 * size,
                    "{solver} to {name} at {t}: {got} but {exact}"
                );
            }
            // The terms of a, b and c are below 1e-5.
            let got = s.get("x", "w").unwrap()[k];
            assert!((got + t * t.sin()).abs() < 5e-5, "{solver} at {t}: {got}");
        }
    }
}

#[test]
fn what_cannot_be_asked() {
    let text = "model M parameter Integer n = 2; parameter Real k = 1; Real x[n](each start = 0, each fixed = true);
      Boolean b = x[1] > 1; equation der(x) = fill(k, n); end M;";
    let model = Model::from_text(text).unwrap();
    let code = |of: &str, to: &str| {
        let found = model.sensitivities(&[of], &[to], &Experiment::default());
        found.unwrap_err().code()
    };
    assert_eq!(code("x[1]", "n"), "E0640");
    assert_eq!(code("b", "k"), "E0640");
    assert_eq!(code("x[1]", "x[1]"), "E0640");
    assert_eq!(code("x[1]", "kk"), "E0731");
    assert_eq!(code("z", "k"), "E0731");
    let text = "model M parameter Real k = 1; Real x(start = 0, fixed = true); equation der(x) = k - delay(x, 0.1); end M;";
    let model = Model::from_text(text).unwrap();
    let found = model.sensitivities(&["x"], &["k"], &Experiment::default());
    assert_eq!(found.unwrap_err().code(), "E0640");
}

/// ẋ = -x + p·sin(w·t) with ∂x/∂p = (sin(w·t) - w·cos(w·t) + w·e⁻ᵗ)/(1 + w²), whatever p: where p is so small that the states do not feel it, their
/// tolerance says nothing of the derivative.
#[test]
fn a_parameter_that_hardly_matters() {
    let text = "model M parameter Real p = 1e-9; Real x(start = 1, fixed = true); equation der(x) = -x + p*sin(200*time); end M;";
    let model = Model::from_text(text).unwrap();
    for solver in ["auto", "bdf", "radau", "dopri5"] {
        let plan = Experiment::default().stop(1.0).solver(solver).unwrap();
        let s = model.sensitivities(&["x"], &["p"], &plan).unwrap();
        let w = 200.0;
        for (t, got) in s.time.iter().zip(s.get("x", "p").unwrap()) {
            let exact = ((w * t).sin() - w * (w * t).cos() + w * (-t).exp()) / (1.0 + w * w);
            assert!(
                (got - exact).abs() < 1e-5,
                "{solver} at {t}: {got} but {exact}"
            );
        }
    }
}

/// An event whose time is a parameter and one a parameter later; a neuron with a threshold that adapts; states selected beside a constraint; starts
/// that rest; a loop with an exponential and a mode; a clocked controller.
#[test]
fn models_of_other_kinds() {
    let valve = "model M parameter Real t1 = 0.31; parameter Real dur = 0.4; parameter Real k = 2; parameter Real q = 1.5;
      Real x(start = 0.2, fixed = true); Real y(start = 0, fixed = true); Boolean open;
      equation open = time >= t1 and time < t1 + dur; der(x) = (if open then q*(1 + sin(5*time)) else 0) - k*x; der(y) = x*x; end M;";
    agrees(valve, &["x", "y"], &["t1", "dur", "k", "q"], 1.5);
    let neuron = "model M parameter Real tau = 0.3; parameter Real vr = 0.1; parameter Real th = 0.7; parameter Real I = 1.2; parameter Real b = 0.15;
      Real v(start = 0, fixed = true); Real w(start = 0, fixed = true);
      equation tau*der(v) = I - v - w; der(w) = -w/0.8; when v > th then reinit(v, vr); reinit(w, pre(w) + b); end when; end M;";
    agrees(neuron, &["v", "w"], &["tau", "vr", "th", "I", "b"], 1.5);
    let pendulum = "model M parameter Real L = 1.2; parameter Real d = 0.1; parameter Real m = 0.8;
      Real x(start = 0.3, fixed = true, stateSelect = StateSelect.prefer); Real y(start = -1);
      Real vx(start = 0, fixed = true, stateSelect = StateSelect.prefer); Real vy; Real F;
      equation der(x) = vx; der(y) = vy; m*der(vx) = -F*x - d*vx; m*der(vy) = -F*y - m*9.81 - d*vy; x^2 + y^2 = L^2; end M;";
    agrees(pendulum, &["x", "y", "F"], &["L", "d", "m"], 2.0);
    let rest = "model M parameter Real k = 0.3; parameter Real q0 = 0.4; parameter Real m = 1.7; Real h(start = 1); Real T(start = 300); Real z(start = 1);
      initial equation der(h) = 0; der(T) = 0; z^3 + 0.5*z = m;
      equation der(h) = q0*(1 + (if time > 0.2 then 0.5 else 0)) - k*sqrt(h)*exp((T - 300)/200);
      m*der(T) = 10*(320 - T) - 3*h*(T - 290); der(z) = -z*h; end M;";
    agrees(rest, &["h", "T", "z"], &["k", "q0", "m"], 1.0);
    let diode = "model M parameter Real R1 = 2; parameter Real R2 = 3; parameter Real Is = 1e-6; parameter Real C = 0.05;
      Real v(start = 0, fixed = true); Real vd(start = 0.3); Real i; Real i2;
      equation 3*sin(6*time) - vd - v = R1*i; i = Is*(exp(vd/0.05) - 1) + vd/1000;
      i2 = (if v > 1 then (v - 1)/R2 else 0) + v/20; C*der(v) = i - i2; end M;";
    agrees(diode, &["v", "vd"], &["R1", "R2", "Is", "C"], 2.0);
    let clocked = "model M parameter Real kp = 2; parameter Real ki = 1.1; parameter Real T = 0.5;
      Real x(start = 0, fixed = true); Real xd; Real u; Real s(start = 0);
      equation T*der(x) = hold(u) - x; xd = sample(x, Clock(0.1)); s = previous(s) + 0.1*ki*(1 - xd); u = kp*(1 - xd) + s; end M;";
    agrees(clocked, &["x"], &["kp", "ki", "T"], 2.0);
}

/// Where a derivative jumps and no event tells of it, nobody knows how the instant moves: a warning says so. What has only kinks has none, nor
/// does the same jump as an event.
#[test]
fn jumps_without_events_are_told() {
    let codes = |rate: &str| {
        let text = format!(
            "model M parameter Real w = 3.3; Real x(start = 0.3, fixed = true); Real y(start = 0, fixed = true);
             equation der(x) = -x; der(y) = {rate}; end M;"
        );
        let model = Model::from_text(text).unwrap();
        let s = model.sensitivities(&["y"], &["w"], &plan(2.0)).unwrap();
        s.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("sign(sin(w*time))"), ["W0606"]);
    assert_eq!(codes("noEvent(if w*x > 0.5 then 1 else 0)"), ["W0606"]);
    for smooth in [
        "abs(sin(w*time))",
        "noEvent(if w*x > 0.5 then w*x - 0.5 else 0)",
        "if w*x > 0.5 then 1 else 0",
        "noEvent(if time > 0 then w else 0)",
        "tanh(1e4*(w*x - 0.5))",
        "sin(w*time)",
    ] {
        assert!(codes(smooth).is_empty(), "{smooth}");
    }
}

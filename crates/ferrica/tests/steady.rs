//! Operating points: closed forms, and runs that begin there and do not move.

use ferrica::{Experiment, Model};

fn point(text: &str, free: &[&str]) -> Result<ferrica::OperatingPoint, ferrica::Error> {
    Model::from_text(text)
        .unwrap()
        .steady_state(&Experiment::default(), free)
}

/// Level √h = q/k, far away from the start, where the root makes Newton's steps too long.
#[test]
fn a_tank() {
    let text = "model M parameter Real q = 0.5; parameter Real k = 0.1; Real h(start = 0.01, fixed = true);
      equation der(h) = q - k*sqrt(max(h, 0)); end M;";
    let found = point(text, &[]).unwrap();
    assert!((found.get("h").unwrap() - 25.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.start_values()[0].0, "h.start");
}

/// Components of the library: i = 12/(2 + 4), nothing through the capacitor.
#[test]
fn a_circuit() {
    let text = "model M Modelica.Electrical.Analog.Sources.ConstantVoltage V(V = 12);
      Modelica.Electrical.Analog.Basic.Resistor R(R = 2); Modelica.Electrical.Analog.Basic.Resistor R2(R = 4);
      Modelica.Electrical.Analog.Basic.Inductor L(L = 0.2, i(start = 0, fixed = true));
      Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-2, v(start = 0, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G;
      equation connect(V.p, R.p); connect(R.n, L.p); connect(L.n, C.p); connect(L.n, R2.p); connect(R2.n, G.p);
      connect(C.n, G.p); connect(V.n, G.p); end M;";
    let found = point(text, &[]).unwrap();
    assert!((found.get("L.i").unwrap() - 2.0).abs() < 1e-9);
    assert!((found.get("C.v").unwrap() - 8.0).abs() < 1e-9);
    let model = Model::from_text(text).unwrap();
    let run = model.simulate(&Experiment::default().steady(true)).unwrap();
    assert!(run["L.i"].iter().all(|i| (i - 2.0).abs() < 1e-6));
}

/// A position that nothing pulls anywhere stays where it is.
#[test]
fn a_mass_at_rest() {
    let text = "model M Real s(start = 3, fixed = true); Real v(start = 2, fixed = true); equation der(s) = v; der(v) = -v; end M;";
    let found = point(text, &[]).unwrap();
    assert!(found.get("v").unwrap().abs() < 1e-9);
}

/// Conditions change on the way: friction holds above a limit, the spring stands at 4.
#[test]
fn conditions_follow() {
    let text = "model M Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
      equation der(x) = (if x > 2 then 8 else 20) - 2*x; der(y) = x - y; end M;";
    let found = point(text, &[]).unwrap();
    assert!((found.get("x").unwrap() - 4.0).abs() < 1e-8, "{found:?}");
    assert!((found.get("y").unwrap() - 4.0).abs() < 1e-8);
}

#[test]
fn the_obstacle_is_named() {
    let text = "model M Real x(start = 0, fixed = true); Real y(start = 1, fixed = true); equation der(x) = 1 + x^2; der(y) = -y; end M;";
    let error = point(text, &[]).unwrap_err();
    assert_eq!(error.code(), "E0641");
    let text = error.to_string();
    assert!(
        text.contains("`x`") && (text.contains("x ^ 2") || text.contains("x^2")),
        "{text}"
    );
    let free = point(
        "model M Real x(start = 0, fixed = true); equation der(x) = 1; end M;",
        &["z"],
    );
    assert_eq!(free.unwrap_err().code(), "E0731");
}

/// A mass between two stops, thrown against one of them: it rests where spring and weight are equal, m g = c (x - b).
#[test]
fn contact_is_that_of_the_point() {
    let text = "model M parameter Real c = 2e4; parameter Real b = 0.4; Real x(start = 1.6, fixed = true); Real v(start = 0, fixed = true); Real f;
      equation der(x) = v; 5*der(v) = -f - 50*v + 10;
      f = if x > b then noEvent(if c*(x - b) + 50*v <= 0 then 0 else c*(x - b)) else if x < -b then c*(x + b) else 0; end M;";
    let p = point(text, &[]).unwrap();
    assert!(
        (p.get("x").unwrap() - (0.4 + 10.0 / 2e4)).abs() < 1e-9,
        "{p:?}"
    );
}

/// A wheel that is driven against a resistance comes to a speed, not to rest: its angle is the obstacle.
#[test]
fn what_runs_away_does_not_rest() {
    let text = "model M Real phi(start = 0, fixed = true); Real w(start = 0, fixed = true);
      equation der(phi) = w; der(w) = 10 - 0.004*w*abs(w); end M;";
    let error = point(text, &[]).unwrap_err();
    assert_eq!(error.code(), "E0641");
    assert!(error.to_string().contains("phi"), "{error}");
    let p = point(text, &["phi"]).unwrap();
    assert!((p.get("w").unwrap() - 50.0).abs() < 1e-6);
}

/// What stands in the way is told apart: a rate that no state changes, a state that nothing pulls back while all else rests.
#[test]
fn why_there_is_none() {
    let text = "model M Real i(start = 0, fixed = true); Real y(start = 0, fixed = true); equation 2*der(i) = cos(time); der(y) = i - y; end M;";
    let error = point(text, &[]).unwrap_err();
    assert_eq!(error.code(), "E0641");
    let told = error.to_string();
    assert!(told.contains("there is no operating point at time 0: `i` changes by 0.5 a second, whatever the states are"), "{told}");
    let text = "model M Real phi(start = 0, fixed = true); Real s(start = 0, fixed = true); Real w(start = 0, fixed = true);
      equation der(phi) = w; der(s) = 0.3*w; der(w) = 5 - w; end M;";
    let told = point(text, &[]).unwrap_err().to_string();
    assert!(
        told.contains("where all else rests, `phi` goes on by 5 a second"),
        "{told}"
    );
    let found = point(text, &["phi", "s"]).unwrap();
    assert!((found.get("w").unwrap() - 5.0).abs() < 1e-9);
}

/// The point at a time behind the model's own stop time: the ramp is over, x = 2.
#[test]
fn a_time_behind_the_experiment() {
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = min(time, 2) - x; annotation(experiment(StopTime = 1)); end M;";
    let model = Model::from_text(text).unwrap();
    let found = model.steady_state(&Experiment::default().start(5.0), &[]);
    assert!((found.unwrap().get("x").unwrap() - 2.0).abs() < 1e-9);
}

/// Rates that rise at first: nothing leaves the room before its pressure has come, so its air seems to stay. p = 1e5 + 2, c = 0.3.
#[test]
fn a_room_that_is_aired() {
    let text = "model M Real p(start = 1e5, nominal = 1e5, fixed = true); Real c(start = 1, fixed = true); Real q = 0.05*(p - 1e5);
      equation der(p) = 80*(2 - (p - 1e5)); der(c) = (0.1*0.3 - q*c)/10; end M;";
    let p = point(text, &[]).unwrap();
    assert!((p.get("p").unwrap() - 100_002.0).abs() < 1e-6);
    assert!((p.get("c").unwrap() - 0.3).abs() < 1e-9);
}

/// A point has no rows: an interval that fits a run of nanoseconds is none of its business.
#[test]
fn a_time_of_a_short_experiment() {
    let text = "model M Real x(start = 0, fixed = true); equation der(x) = 1e9*(2 - x); annotation(experiment(StopTime = 1e-8, Interval = 1e-12)); end M;";
    let model = Model::from_text(text).unwrap();
    let plan = Experiment::default().start(0.0);
    let point = model.steady_state(&plan, &[]).unwrap();
    assert!((point.get("x").unwrap() - 2.0).abs() < 1e-9);
}

/// A pendulum upright on a cart: two equations for its angle, none for the place of the cart, which stays where it is. The angle is 0.
#[test]
fn more_equations_than_what_they_tell() {
    let text = "model M parameter Real l = 0.5; Real phi(start = 0.05, fixed = true); Real w(start = 0, fixed = true);
      Real x(start = 3, fixed = true); Real v(start = 0.1, fixed = true);
      equation der(phi) = w; der(x) = v; 1.2*der(v) + 0.2*l*der(w)*cos(phi) - 0.2*l*w^2*sin(phi) = -DRAG*v;
      l*der(w) + der(v)*cos(phi) = 9.81*sin(phi); end M;";
    for drag in ["0", "0.1"] {
        for free in [&[][..], &["x"]] {
            let found = point(&text.replace("DRAG", drag), free).unwrap();
            let get = |name: &str| found.get(name).unwrap();
            assert!(get("phi").abs() < 1e-9, "{drag} {free:?}: {found:?}");
            assert!((get("x") - 3.0).abs() < 0.2, "{drag} {free:?}: {found:?}");
            // What is free may go on, but not as if something had thrown it.
            let bound = if free.is_empty() { 1e-9 } else { 0.11 };
            assert!(get("v").abs() < bound, "{drag} {free:?}: {found:?}");
        }
    }
}

/// A sampled integrator goes on where its plant rests; one whose plant has come to its set point does not. h = 1 needs u = 0.4.
#[test]
fn what_is_sampled_must_rest_too() {
    let text = "model M parameter Real h0 = 0.5; Real h(start = h0, fixed = true); discrete Real u(start = 0, fixed = true);
      discrete Real s(start = 0.4/1.8, fixed = true); equation der(h) = u - 0.4*sqrt(max(h, 0));
      when sample(0, 0.1) then s = pre(s) + 0.1*(1 - h)/0.7; u = 1.8*((1 - h) + s); end when; end M;";
    let error = point(text, &[]).unwrap_err();
    let told = error.to_string();
    assert_eq!(error.code(), "E0641", "{told}");
    assert!(told.contains("`h` follows"), "{told}");
    let model = Model::from_text(text).unwrap();
    let model = model.set("h0", 1.0).unwrap();
    let found = model.steady_state(&Experiment::default(), &[]).unwrap();
    assert!((found.get("h").unwrap() - 1.0).abs() < 1e-9);
    // Samples that count, and that nothing follows, are no motion.
    let text =
        "model M Real x(start = 0, fixed = true); discrete Integer n(start = 0, fixed = true);
      equation der(x) = 3 - x; when sample(0, 0.1) then n = pre(n) + 1; end when; end M;";
    assert!((point(text, &[]).unwrap().get("x").unwrap() - 3.0).abs() < 1e-9);
    // Samples that look at time only drive the model, as time does.
    let text = "model M Real x(start = 0, fixed = true); discrete Real began(start = -1, fixed = true); discrete Integer n(start = 0, fixed = true);
      equation der(x) = (if time < began + 0.5 then 5 else 3) + n - x;
      when sample(1, 1) then began = time; n = pre(n) + 1; end when; end M;";
    assert!((point(text, &[]).unwrap().get("x").unwrap() - 3.0).abs() < 1e-9);
}

/// Conditions are told as they were written.
#[test]
fn the_equation_of_the_obstacle_is_readable() {
    let text = "model M Real x(start = 3, fixed = true); equation der(x) = if x > 1 then -1 else 1; end M;";
    let told = point(text, &[]).unwrap_err().to_string();
    assert!(told.contains("if x > 1 then"), "{told}");
}

//! A value that is set after compiling gives what the model compiled with it gives.

use ferrica::{Experiment, Model, Signal};

#[test]
fn set_is_the_same_as_the_edited_text() {
    let text = "
    model Many
      parameter Real k = 2;
      parameter Real zero = 0;
      parameter Real period = 0.1;
      parameter Real e = 0.7;
      parameter Real limit = 0.5;
      parameter Real twice = 2*k;
      Real x(start = 1, fixed = true);
      Real h(start = 1, fixed = true);
      Real v(start = 0, fixed = true);
      discrete Real s(start = 0, fixed = true);
      Real w;
    equation
      der(x) = -k*x + zero*w;
      w = if x > limit then twice else -twice;
      der(h) = v;
      der(v) = -9.81;
      when h < 0 then reinit(v, -e*pre(v)); end when;
      when sample(0, period) then s = pre(s) + x; end when;
    end Many;";
    let model = Model::from_text(text).unwrap();
    let plan = Experiment::default().tolerance(1e-9);
    for (name, value) in [
        ("k", 3.0),
        ("k", 0.0),
        ("zero", 0.25),
        ("period", 0.17),
        ("e", 0.4),
        ("limit", 0.8),
        ("twice", -1.0),
    ] {
        let set = model.set(name, value).unwrap().simulate(&plan).unwrap();
        let edited = Model::builder().text(text).set(name, value).load().unwrap();
        let edited = edited.simulate(&plan).unwrap();
        assert_eq!(set.time().len(), edited.time().len(), "{name} = {value}");
        for v in ["x", "h", "v", "s", "w", name] {
            for (a, b) in set[v].iter().zip(&edited[v]) {
                assert!((a - b).abs() <= 1e-9, "{name} = {value}, {v}: {a} and {b}");
            }
        }
    }
}

#[test]
fn other_copies_keep_their_values() {
    let model = Model::from_text("model M parameter Real p = 1; Real x = p*time; end M;").unwrap();
    let other = model.set("p", 3.0).unwrap();
    let end = |m: &Model| {
        m.simulate(&Experiment::default())
            .unwrap()
            .at("x", 1.0)
            .unwrap()
    };
    assert_eq!((end(&model), end(&other)), (1.0, 3.0));
    assert_eq!(other.parameters()[0].value, Some(3.0));
}

/// x' = u, with u in closed form, for every family of solvers.
#[test]
fn inputs_over_time_in_every_family_of_solvers() {
    let text = "
    model M
      input Real u;
      Real x(start = 0, fixed = true);
      annotation(experiment(StopTime = 2));
    equation
      der(x) = u;
    end M;";
    let model = Model::from_text(text).unwrap();
    let times = vec![0.5, 1.0, 1.0, 1.5];
    // Straight lines: 1 up to 0.5, then to 3, a jump to 0, then to 4, which holds.
    let linear = Signal::linear(times.clone(), vec![1.0, 3.0, 0.0, 4.0]).unwrap();
    let steps = Signal::hold(vec![0.0, 0.5, 1.5], vec![1.0, 3.0, -1.0]).unwrap();
    for (solver, step, tolerance) in [
        ("auto", None, 1e-6),
        ("bdf", None, 1e-5),
        ("radau", None, 1e-6),
        ("dopri5", None, 1e-6),
        ("rk4", Some(1e-2), 1e-6),
        ("qss2", None, 1e-3),
        ("rt-tr", Some(1e-3), 1e-2),
    ] {
        let mut plan = Experiment::default().solver(solver).unwrap();
        if let Some(step) = step {
            plan = plan.step(step);
        }
        let run = model
            .simulate(&plan.clone().input("u", linear.clone()))
            .unwrap();
        let x = run.at("x", 2.0).unwrap();
        // 0.5·1 + 0.5·2 + 0.5·2 + 0.5·4
        assert!((x - 4.5).abs() < tolerance, "{solver}: {x}");
        assert_eq!((run.model(), run.at("u", 2.0).unwrap()), ("M", 4.0));
        let run = model.simulate(&plan.input("u", steps.clone())).unwrap();
        let x = run.at("x", 2.0).unwrap();
        // 0.5·1 + 1·3 − 0.5·1
        assert!((x - 3.0).abs() < tolerance, "{solver}: {x}");
    }
    // The same compiled model with other tables gives what a model of its own gives.
    for (times, values) in [
        (vec![0.0, 1.0], vec![0.0, 2.0]),
        (vec![0.0, 0.25, 3.0], vec![1.0, -1.0, 7.0]),
    ] {
        let other = Signal::linear(times, values).unwrap();
        let plan = Experiment::default().input("u", other);
        let own = Model::from_text(text).unwrap().simulate(&plan).unwrap();
        let again = model.simulate(&plan).unwrap();
        assert_eq!((&own["x"], own.time()), (&again["x"], again.time()));
    }
    let wrong = Experiment::default().input("v", 1.0);
    assert_eq!(model.simulate(&wrong).unwrap_err().code(), "E0731");
}

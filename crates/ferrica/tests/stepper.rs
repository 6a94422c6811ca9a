//! Runs in steps: inputs jump between them, and what comes out is known in closed form.

use ferrica::{Experiment, Model};

/// A low-pass filter of 0.1 s whose input jumps to 1 at 0 and to -1 at 0.2.
const FILTER: &str = "
model Filter
  input Real u(start = 0);
  output Real y(start = 0, fixed = true);
equation
  0.1*der(y) = u - y;
end Filter;";

#[test]
fn every_family_of_solvers_steps_with_inputs() {
    let model = Model::from_text(FILTER).unwrap();
    // y(0.2) = 1 − e⁻², then towards −1.
    let half = 1.0 - (-2.0f64).exp();
    let end = -1.0 + (half + 1.0) * (-2.0f64).exp();
    for (solver, step, tolerance) in [
        ("auto", None, 1e-6),
        ("bdf", None, 1e-6),
        ("radau", None, 1e-6),
        ("dopri5", None, 1e-6),
        ("rk4", Some(1e-3), 1e-6),
        ("qss3", None, 1e-4),
        ("rt-bdf2", Some(1e-4), 1e-4),
    ] {
        let mut plan = Experiment::default()
            .tolerance(1e-8)
            .solver(solver)
            .unwrap();
        if let Some(step) = step {
            plan = plan.step(step);
        }
        let mut run = model.start(&plan).unwrap();
        run.set("u", 1.0).unwrap();
        for k in 1..=4 {
            run.step_to(0.05 * f64::from(k)).unwrap();
        }
        let y = run.get("y").unwrap();
        assert!((y - half).abs() < tolerance, "{solver}: {y} and {half}");
        run.set("u", -1.0).unwrap();
        run.step_to(0.3).unwrap();
        run.step_to(0.4).unwrap();
        let y = run.get("y").unwrap();
        assert!((y - end).abs() < tolerance, "{solver}: {y} and {end}");
    }
}

#[test]
fn a_jump_of_an_input_is_an_event() {
    let text = "
    model Count
      input Boolean tick(start = false);
      input Real u(start = 0);
      discrete Integer n(start = 0, fixed = true);
      discrete Integer m(start = 0, fixed = true);
    equation
      when tick then n = pre(n) + 1; end when;
      when u > 0.5 then m = pre(m) + 1; end when;
    end Count;";
    let model = Model::from_text(text).unwrap();
    let mut run = model.start(&Experiment::default()).unwrap();
    let ticks = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    for (k, tick) in ticks.into_iter().enumerate() {
        run.set("tick", tick).unwrap();
        run.set("u", tick).unwrap();
        run.step_to(0.1 * (k + 1) as f64).unwrap();
    }
    assert_eq!((run.get("n").unwrap(), run.get("m").unwrap()), (3.0, 3.0));
}

#[test]
fn a_saved_state_gives_the_same_steps_again() {
    let text = "
    model Ball
      Real h(start = 1, fixed = true);
      Real v(start = 0, fixed = true);
      Real late = delay(h, 0.05);
    equation
      der(h) = v;
      der(v) = -9.81;
      when h < 0 then reinit(v, -0.7*pre(v)); end when;
    end Ball;";
    let model = Model::from_text(text).unwrap();
    let mut run = model.start(&Experiment::default()).unwrap();
    run.step_to(0.3).unwrap();
    let bytes = run.save().to_bytes();
    let march = |run: &mut ferrica::Stepper| {
        let values = (1..=10).map(|k| {
            run.step_to(0.3 + 0.1 * f64::from(k)).unwrap();
            [run.get("h").unwrap(), run.get("late").unwrap()]
        });
        values.collect::<Vec<_>>()
    };
    let first = march(&mut run);
    let mut other = model.start(&Experiment::default()).unwrap();
    other
        .load(&ferrica::Saved::from_bytes(&bytes).unwrap())
        .unwrap();
    assert_eq!(march(&mut other), first);
    // Of the parabola before the first bounce, at √(2/9.81) s: h = 1 − 9.81/2 t².
    let h = 1.0 - 9.81 / 2.0 * 0.4f64.powi(2);
    assert!((first[0][0] - h).abs() < 1e-6, "{} and {h}", first[0][0]);
}

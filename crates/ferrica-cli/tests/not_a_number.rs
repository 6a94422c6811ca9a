//! A run ends where a state or a variable that was asked for is not a number, in every engine, with the rows before.

use std::process::Output;

mod common;
use common::launch;

/// y = sqrt(0.55 - x) with x = time: no number from 0.55 on.
const MODEL: &str = "model M
  Real x(start = 0, fixed = true);
  output Real y;
equation
  der(x) = 1;
  y = sqrt(noEvent(0.55 - x));
end M;";

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn every_engine_ends_there() {
    for flags in [
        "--solver auto",
        "--solver bdf",
        "--solver radau",
        "--solver dopri5",
        "--solver rk4 --step 0.01",
        "--solver euler --step 0.01",
        "--solver rt-bdf2 --step 0.01",
        "--solver rt-tr --step 0.01",
        "--solver rt-ode --step 0.01",
        "--solver qss2",
        "--solver liqss2",
        "--inline trapezoid --step 0.01",
        "--partition tlm --step 0.01",
    ] {
        let mut args: Vec<&str> = flags.split(' ').collect();
        args.extend(["--interval", "0.1"]);
        let done = launch("not-a-number", MODEL, &args);
        assert_eq!(done.status.code(), Some(1), "{flags}: {}", said(&done));
        assert!(said(&done).contains("error["), "{flags}: {}", said(&done));
        let rows = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(!rows.contains("NaN"), "{flags}: {rows}");
        let last = rows.lines().last().unwrap_or_default();
        let time: f64 = last.split(',').next().unwrap().parse().unwrap_or(-1.0);
        assert!((0.45..0.56).contains(&time), "{flags}: {rows}");
    }
}

/// Nobody has asked for it: the run ends well, with a warning; asked for by name it does not.
#[test]
fn what_nobody_asked_for_is_a_warning() {
    let model = MODEL.replace("output ", "");
    let done = launch("not-asked-for", &model, &["--interval", "0.1"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let done = launch("asked-for", &model, &["--interval", "0.1", "--vars", "y"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    let told = said(&done);
    assert!(
        told.contains("error[E0613]: `y` is not a number at time 0.6"),
        "{told}"
    );
}

/// a·y = b determines y only while a is not zero: the division is the compiler's, so the model is wrong there whoever asks for y. With
/// a = time - 0.5 that is at time 0.5, a point of the grid; p·x + 2·y says with p = 2 what the other equation says.
#[test]
fn an_equation_that_does_not_determine_its_unknown_ends_the_run() {
    let vanishing = "model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  (time - 0.5)*y = 1;
end M;";
    let twice = "model M
  parameter Real p = 2;
  Real x, y, z(start = 1, fixed = true);
equation
  x + y = 2 + time;
  p*x + 2*y = 4 + 2*time;
  der(z) = -z;
end M;";
    for (model, time) in [(vanishing, "0.5"), (twice, "0")] {
        let done = launch("not-determined", model, &["--interval", "0.1"]);
        assert_eq!(done.status.code(), Some(1), "{}", said(&done));
        let expected = format!("error[E0613]: no equation determines `y` at time {time}");
        assert!(said(&done).contains(&expected), "{}", said(&done));
    }
}

/// y reads what is not a number: that is told of z, which nobody has asked for.
#[test]
fn what_comes_from_elsewhere_stays_a_warning() {
    let model = "model M
  Real x(start = 1, fixed = true), y, z = log(-x);
equation
  der(x) = 1;
  x*y = z;
end M;";
    let done = launch("from-elsewhere", model, &["--interval", "0.1"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(String::from_utf8_lossy(&done.stdout).contains("NaN"));
}

/// In a model without states and outputs everything is asked for.
#[test]
fn a_model_of_algebraic_variables_must_have_values() {
    let model = "model M
  Real y = log(time - 0.25);
end M;";
    let done = launch("algebraic", model, &["--interval", "0.1"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("error[E0613]: `y`"), "{}", said(&done));
}

/// A comparison, `max` and a whole part have a value where their argument has none: states that go on from there mean nothing. What a branch
/// that is not taken reads does not count.
#[test]
fn states_do_not_go_on_from_what_is_no_number() {
    for (k, slope) in [
        "if y > 0.2 then 1 else 2",
        "noEvent(if y > 0.2 then 1 else 2)",
        "max(0, y)",
        "integer(10*y)",
        "f(y)",
    ]
    .iter()
    .enumerate()
    {
        let text = format!(
            "model M
  function f input Real u; output Real v; algorithm v := if u > 0.2 then 1 else 2; end f;
  Real x(start = 1, fixed = true), w(start = 0, fixed = true), y;
equation
  der(x) = -1;
  y = sqrt(noEvent(x - 0.5));
  der(w) = {slope};
end M;"
        );
        for flags in [
            "--solver auto",
            "--solver bdf",
            "--solver rk4 --step 0.01",
            "--solver qss2",
        ] {
            let args: Vec<&str> = flags.split(' ').collect();
            let done = launch(&format!("goes-on-{k}"), &text, &args);
            let told = said(&done);
            assert_eq!(done.status.code(), Some(1), "{slope} {flags}: {told}");
            assert!(told.contains("error[E06"), "{slope} {flags}: {told}");
        }
        // What is not in the result is looked at as well.
        let done = launch(&format!("goes-on-unseen-{k}"), &text, &["--vars", "w"]);
        assert_eq!(done.status.code(), Some(1), "{slope}: {}", said(&done));
        let guarded = text.replace(slope, "if x > 0.5 and y > 0.2 then y else 0");
        let done = launch(&format!("guarded-unseen-{k}"), &guarded, &["--vars", "w"]);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        let done = launch(&format!("guarded-{k}"), &guarded, &[]);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    }
}

/// A when-clause that gives a variable another value from what is no number: the run ends, whether y is in the result or not. One that reads y
/// where it has a value goes on.
#[test]
fn a_when_clause_gives_no_value_from_nothing() {
    for (k, (body, wanted)) in [
        (
            "when sample(0.2, 0.2) then n = if y > 0.3 then 1 else 2; end when;",
            "n",
        ),
        (
            "when sample(0.2, 0.2) then m = max(y, 0.1); n = 0; end when;",
            "m",
        ),
        (
            "when x < 0.3 then n = if y > 0.3 then 1 else 2; end when;",
            "n",
        ),
    ]
    .iter()
    .enumerate()
    {
        let also = if body.contains("m =") {
            ""
        } else {
            "when initial() then m = 0; end when;"
        };
        let text = format!(
            "model M
  Real x(start = 1, fixed = true), y;
  Integer n(start = 0, fixed = true);
  discrete Real m(start = 0, fixed = true);
equation
  der(x) = -1;
  y = sqrt(noEvent(x - 0.5));
  {body}
  {also}
end M;"
        );
        for flags in [
            "--solver auto",
            "--solver bdf",
            "--solver rk4 --step 0.01",
            "--solver qss2",
        ] {
            for vars in [&[][..], &["--vars", wanted][..]] {
                let mut args: Vec<&str> = flags.split(' ').collect();
                args.extend(vars);
                let done = launch(&format!("when-{k}"), &text, &args);
                let told = said(&done);
                assert_eq!(done.status.code(), Some(1), "{body} {args:?}: {told}");
                assert!(
                    told.contains("error[E0613]: `y`"),
                    "{body} {args:?}: {told}"
                );
            }
        }
        let early = text
            .replace("0.2, 0.2", "0.2, 5")
            .replace("x < 0.3", "x < 0.7");
        let done = launch(&format!("when-early-{k}"), &early, &["--vars", wanted]);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    }
}

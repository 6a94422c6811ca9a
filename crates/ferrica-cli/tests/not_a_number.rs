//! A run ends where a state or a variable that was asked for is not a number, in every engine, with the rows before.

use std::process::{Command, Output};

mod common;
use common::{folder, launch};

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

const ENGINES: [&str; 13] = [
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
];

#[test]
fn every_engine_ends_there() {
    for flags in ENGINES {
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

/// What a comparison asks about is no number from time 0.5 on, and what it decides is a state, an output, a discrete variable, or the result of
/// an inlined function.
#[test]
fn a_comparison_of_what_is_no_number_decides_nothing() {
    let inlined = "function f input Real u; output Real v; algorithm v := if sqrt(u - 0.5) > 0.2 then 1 else 2; end f;";
    for (k, (function, declared, equations)) in [
        ("", "", "der(w) = if sqrt(x - 0.5) > 0.2 then 1 else 2;"),
        ("", "", "der(w) = max(0, sqrt(x - 0.5));"),
        (inlined, "", "der(w) = f(x);"),
        ("", "output Real y;", "der(w) = 1; y = if noEvent(log(x - 0.5) > -1) then 1 else 2;"),
        ("", "Integer n(start = 0, fixed = true);", "der(w) = 1; when sqrt(x - 0.5) < 0.2 then n = pre(n) + 1; end when;"),
        (
            "",
            "Integer n(start = 0, fixed = true);",
            "der(w) = 1; when sample(0.05, 0.1) then n = pre(n) + (if sqrt(x - 0.5) > 0.2 then 1 else 0); end when;",
        ),
    ]
    .iter()
    .enumerate()
    {
        let text = format!(
            "model M {function} Real x(start = 1, fixed = true), w(start = 0, fixed = true); {declared} equation der(x) = -1; {equations} end M;"
        );
        let guarded = equations
            .replace("sqrt(x - 0.5) >", "x > 0.5 and sqrt(x - 0.5) >")
            .replace("sqrt(x - 0.5) <", "x > 0.5 and sqrt(x - 0.5) <")
            .replace("log(x - 0.5) >", "x > 0.5 and log(x - 0.5) >")
            .replace("max(0, sqrt(x - 0.5))", "if x > 0.5 then max(0, sqrt(x - 0.5)) else 0");
        let guarded = text
            .replace("sqrt(u - 0.5) >", "u > 0.5 and sqrt(u - 0.5) >")
            .replace(equations, &guarded);
        for flags in ENGINES {
            let mut args: Vec<&str> = flags.split(' ').collect();
            args.extend(["--interval", "0.1"]);
            let done = launch(&format!("decides-{k}"), &text, &args);
            let told = said(&done);
            assert_eq!(done.status.code(), Some(1), "{equations} {flags}: {told}");
            let says = ["not a number", "is NaN", "not finite", "not a finite number"];
            assert!(
                says.iter().any(|s| told.contains(s)),
                "{equations} {flags}: {told}"
            );
            assert!(!told.contains('$'), "{equations} {flags}: {told}");
            let done = launch(&format!("decides-guarded-{k}"), &guarded, &args);
            assert_eq!(done.status.code(), Some(0), "{guarded} {flags}: {}", said(&done));
        }
        let done = launch(&format!("decides-w-{k}"), &text, &["--vars", "w", "--interval", "0.1"]);
        assert_eq!(done.status.code(), Some(1), "{equations}: {}", said(&done));
    }
}

/// A clause that leaves its variable as it is has been decided by y, too.
#[test]
fn a_when_clause_that_leaves_its_variable_has_read_it() {
    let text = "model M
  Real x(start = 1, fixed = true), y;
  Integer n(start = 0, fixed = true);
equation
  der(x) = -1;
  y = sqrt(noEvent(x - 0.5));
algorithm
  when sample(0.05, 0.1) then
    if y > 0.3 or y < -1 then
      n := n + 1;
    end if;
  end when;
end M;";
    for flags in ENGINES {
        // They solve for y with the states, and end where it is no number.
        if ["rt-", "inline"].iter().any(|s| flags.contains(s)) {
            continue;
        }
        let mut args: Vec<&str> = flags.split(' ').collect();
        args.extend(["--vars", "n"]);
        let done = launch("leaves", text, &args);
        let told = said(&done);
        assert_eq!(done.status.code(), Some(1), "{flags}: {told}");
        let expected = "error[E0613]: `y` is not a number at time 0.55, and `n` depends on it";
        assert!(told.contains(expected), "{flags}: {told}");
        let early = text.replace("0.05, 0.1", "0.05, 5");
        let done = launch("leaves-early", &early, &args);
        assert_eq!(done.status.code(), Some(0), "{flags}: {}", said(&done));
    }
}

/// w = 1 + t while the torque moves; from time 0.5 on 0·w = 0 says nothing, and w has its start value, which is told. With another right-hand
/// side the equation contradicts itself.
#[test]
fn an_equation_that_leaves_its_unknown_open() {
    let text = "model M
  Real torque = max(0, 1 - 2*time), power = torque*(1 + time), w(start = 3), x(start = 0, fixed = true);
equation
  torque*w = power;
  der(x) = w;
end M;";
    let folder = folder("open");
    std::fs::write(folder.join("Open.mo"), text).unwrap();
    for flags in ENGINES {
        let mut args: Vec<&str> = flags.split(' ').collect();
        args.extend(["--interval", "0.1", "--vars", "w,x"]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
        command.args(["run", "-o", "-", "Open.mo"]).args(&args);
        let done = command.current_dir(&folder).output().unwrap();
        let told = said(&done);
        // Formulas of a step solve for w with the states.
        if done.status.code() == Some(1) {
            let expected = "the equations become singular at time 0.5: `w` is not determined";
            assert!(told.contains(expected), "{flags}: {told}");
            continue;
        }
        let expected = "warning[W0607]: any value of `w` satisfies its equation at time";
        assert!(told.contains(expected), "{flags}: {told}");
        let rows = String::from_utf8_lossy(&done.stdout).into_owned();
        let last = rows.lines().last().unwrap().split(',');
        let last: Vec<f64> = last.map(|v| v.parse().unwrap()).collect();
        assert!((last[1] - 3.0).abs() < 1e-9, "{flags}: {last:?}");
        // The integral of 1 + t until 0.5, and 3/2 from there.
        assert!((last[2] - 2.125).abs() < 0.05, "{flags}: {last:?}");
        let done = launch(
            "contradicts",
            &text.replace("= power;", "= power + 1;"),
            &args,
        );
        assert_eq!(done.status.code(), Some(1), "{flags}: {}", said(&done));
    }
}

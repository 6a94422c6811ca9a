//! Subscripts and assertions that are decided at run time: what is outside of an array fails, what stands behind a condition that
//! does not hold is left alone.

mod common;

use common::{launch, run};

/// A function with an assertion, for models.
const ROOT: &str = "function root
             input Real x;
             output Real y;
           algorithm
             assert(x >= 0, \"a negative number has no root\");
             y := sqrt(x);
           end root;";

/// The model `M` with these lines and [`ROOT`].
fn with_root(lines: &str) -> String {
    format!("model M\n{ROOT}\n{lines}\nend M;")
}

/// The standard error of a run that must fail.
fn failure(name: &str, model: &str, args: &[&str]) -> String {
    let done = launch(name, model, args);
    assert_eq!(done.status.code(), Some(1), "{name} {args:?}");
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn a_subscript_outside_of_its_dimension_fails() {
    let text = failure(
        "subscript-matrix",
        "model M
           parameter Real t[2, 3] = {{1, 2, 3}, {4, 5, 6}};
           Integer i = integer(8*time) + 1;
           Real y = t[1, i];
         end M;",
        &[],
    );
    // The element behind the first row is the first one of the second row: it must not be taken.
    assert!(text.contains("at time 0.375"), "{text}");
    assert!(text.contains("a subscript is 4, outside of 1:3"), "{text}");
    assert!(text.contains("Model.mo:4"), "{text}");
}

#[test]
fn a_subscript_in_a_function_names_its_dimension() {
    let text = failure(
        "subscript-function",
        "model M
           function f
             input Real a[:, :];
             input Integer n;
             output Real y = 0;
           algorithm
             for k in 1:n loop
               y := y + a[1, k];
             end for;
           end f;
           Real y = f([1, 2, 3; 4, 5, 6], integer(8*time) + 1);
         end M;",
        &[],
    );
    assert!(text.contains("the subscript 4 of dimension 2"), "{text}");
}

#[test]
fn a_subscript_left_of_an_assignment_fails_too() {
    let text = failure(
        "subscript-assigned",
        "model M
           Real x[2](each start = 0, each fixed = true);
           Integer n(start = 0, fixed = true);
         algorithm
           when sample(0.25, 0.25) then
             n := pre(n) + 1;
             x[n] := 1;
           end when;
         end M;",
        &[],
    );
    assert!(text.contains("at time 0.75"), "{text}");
}

const IN_A_FUNCTION: &str = "model M
   function column
     input Real t[:, :];
     input Integer n;
     input Integer j;
     output Real y = 0;
   protected
     Integer k = n;
   algorithm
     while k > 0 loop
       y := y + t[k, j];
       k := k - 1;
     end while;
   end column;
   parameter Integer j = 1;
   parameter Real t[3, 4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
   Integer n = integer(2*time) + 1;
   Real y = column(t, n, j + n);
 end M;";

#[test]
fn the_columns_of_a_matrix_in_a_function_have_an_end() {
    // Column 2 to row 1, column 3 to row 2, column 4 to row 3.
    let table = run("subscript-function", IN_A_FUNCTION, &["-p", "j=1"]);
    assert_eq!(table.first("y"), 2.0);
    assert_eq!(table.last("y"), 4.0 + 8.0 + 12.0);
    let text = failure("subscript-function", IN_A_FUNCTION, &["-p", "j=2"]);
    assert!(
        text.contains("column") && text.contains("outside"),
        "{text}"
    );
}

#[test]
fn what_a_condition_guards_is_not_checked() {
    let table = run(
        "subscript-guarded",
        &with_root(
            "parameter Real t[3] = {1, 2, 3};
           Integer i = integer(8*time);
           Real y = if i >= 1 and i <= 3 then t[i] else -1;
           Boolean b = i < 1 or i > 3 or t[i] > 2;
           Real z;
           Real r = if time >= 0.5 then root(time - 0.5) else 7;
         equation
           if i >= 1 and i <= 3 then
             z = t[i];
           else
             z = -2;
           end if;",
        ),
        &["--interval", "0.125"],
    );
    let at = |t: f64| table["time"].iter().rposition(|&s| s == t).unwrap();
    let row = |t: f64| ["y", "b", "z", "r"].map(|name| table[name][at(t)]);
    assert_eq!(row(0.0), [-1.0, 1.0, -2.0, 7.0]);
    assert_eq!(row(0.25), [2.0, 0.0, 2.0, 7.0]);
    assert_eq!(row(0.375), [3.0, 1.0, 3.0, 7.0]);
    assert_eq!(row(0.75), [-1.0, 1.0, -2.0, 0.5]);
}

#[test]
fn an_assertion_behind_a_condition_that_holds_fails() {
    let text = failure(
        "assertion-guarded",
        &with_root("Real r = if time > 0.25 then root(0.5 - time) else 0;"),
        &["--interval", "0.01"],
    );
    assert!(text.contains("a negative number has no root"), "{text}");
}

#[test]
fn an_assertion_about_parameters_is_checked_once_and_with_every_value() {
    let model = with_root(
        "parameter Real p = 4;
           parameter Real q(fixed = false);
           Real y = time*root(p);
         initial equation
           q = p/2;
         equation
           assert(p < 5, \"p is too large\");
           assert(q < 2.2, \"q is too large\");",
    );
    let done = run("assertion-parameter", &model, &[]);
    assert_eq!(done.last("y"), 2.0);
    for (value, said) in [
        ("p=-1", "a negative number has no root"),
        ("p=7", "p is too large"),
        ("p=4.5", "q is too large"),
    ] {
        let text = failure("assertion-parameter", &model, &["-p", value]);
        assert!(text.contains("E0607") && text.contains(said), "{text}");
    }
    let dump = std::process::Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["dump", "--stage", "kernels", "Model.mo"])
        .current_dir(common::folder("assertion-parameter"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&dump.stdout).into_owned();
    let (_, event) = text.split_once("program: event").expect("a program");
    let event = event.split_once("\n\n").expect("its end").0;
    // y, and the assertion about q, which the initial system computes.
    assert_eq!(event.lines().count(), 3, "{event}");
}

//! What events do with left limits, and delays with events, against values that follow from the equations by hand.

mod common;

/// Left limits go on until nothing changes: what reads one outside of a when-clause sees the present value in the end, what a
/// when-clause assigns has seen the value before. Eleven samples: a counts them, b is one behind, d the sum 0 + 1 + … + 10.
#[test]
fn left_limits_go_on_to_all_their_readers() {
    let text = "
model Readers
  Boolean c = time > 0.5;
  Boolean late(start = false, fixed = true);
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true), d(start = 0, fixed = true);
  Integer follows(start = 0, fixed = true);
  Real y = if pre(a) > 5 then 1 else 0;
  Real x(start = 0, fixed = true);
equation
  late = pre(c);
  follows = pre(a) + 1;
  der(x) = y;
  when sample(0, 0.1) then
    a = pre(a) + 1;
    b = pre(a);
  end when;
  when change(a) then
    d = pre(d) + b;
  end when;
  annotation(experiment(StopTime = 1.05, Interval = 0.05));
end Readers;
";
    for solver in ["auto", "bdf", "euler"] {
        for rows in ["on", "off"] {
            let args = ["--solver", solver, "--event-rows", rows];
            let table = common::run("left-limits", text, &args);
            let last = |name| table.last(name);
            let found = ["late", "a", "b", "d", "follows", "y"].map(last);
            assert_eq!(found, [1.0, 11.0, 10.0, 55.0, 12.0, 1.0], "{args:?}");
            // a is 6 from the sample at 0.5 on.
            assert!((last("x") - 0.55).abs() < 1e-9, "{args:?}: {}", last("x"));
        }
    }
}

/// An assertion under a condition that is no when-clause is checked with the left limit as it is after the event: n becomes 3 at the
/// sample at 0.2.
#[test]
fn a_guard_that_is_no_instant_sees_the_new_left_limit() {
    let text = "
model Guarded
  Integer n(start = 0, fixed = true);
equation
  when sample(0, 0.1) then
    n = pre(n) + 1;
  end when;
  if pre(n) >= 3 then
    assert(time < 0.1, \"three\");
  end if;
  annotation(experiment(StopTime = 1));
end Guarded;
";
    let done = common::launch("guarded", text, &[]);
    let words = String::from_utf8_lossy(&done.stderr);
    assert!(words.contains("failed at time 0.2: three"), "{words}");
}

/// x = t against a limit that each crossing moves up by 0.1, by a reinit that each crossing of 0.5 brings about, and by both.
#[test]
fn conditions_on_states_are_found_where_their_limits_are() {
    let text = "
model Limits
  Real x(start = 0, fixed = true), z(start = 0, fixed = true);
  discrete Real limit(start = 0.1, fixed = true), at(start = 0, fixed = true);
  Integer falls(start = 0, fixed = true);
equation
  der(x) = 1;
  der(z) = 3;
  when x > limit then
    limit = pre(limit) + 0.1;
    at = time;
  end when;
  when 0.5 < z then
    reinit(z, -0.1);
    falls = pre(falls) + 1;
  end when;
  annotation(experiment(StopTime = 1.05, Interval = 0.5));
end Limits;
";
    for solver in ["auto", "bdf", "radau", "rk4"] {
        let table = common::run("limits", text, &["--solver", solver]);
        let near = |name: &str, value: f64| {
            let found = table.last(name);
            assert!((found - value).abs() < 1e-8, "{solver}: {name} = {found}");
        };
        near("limit", 1.1);
        near("at", 1.0);
        // Down at 1/6, and then each 0.2 s.
        near("falls", 5.0);
        near("z", -0.1 + 3.0 * (1.05 - 1.0 / 6.0 - 0.8));
    }
}

/// y(t) = u(t − 0.25) with x = sin t and u = x², one more where x > 0.52. The crossings of 0.33 change nothing that is
/// integrated or delayed, those of 0.52 make the delayed signal jump.
#[test]
fn delayed_signals_pass_events_inside_of_steps() {
    let text = "
model Late
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
  Real u = if x > 0.52 then x^2 + 1 else x^2;
  Real y = delay(u, 0.25);
equation
  der(x) = cos(time);
  when x > 0.33 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8, Interval = 0.01));
end Late;
";
    let rise = f64::asin(0.52);
    for solver in ["auto", "bdf", "radau"] {
        for rows in ["on", "off"] {
            let args = ["--solver", solver, "--event-rows", rows];
            let table = common::run("late", text, &args);
            assert_eq!(table.last("n"), 2.0, "{args:?}");
            for (&t, &y) in table["time"].iter().zip(&table["y"]) {
                let past = (t - 0.25).max(0.0);
                let turn = past.rem_euclid(std::f64::consts::TAU);
                let edge = (turn - rise)
                    .abs()
                    .min((turn - std::f64::consts::PI + rise).abs());
                if edge < 1e-6 {
                    continue;
                }
                let x = past.sin();
                let exact = x * x + f64::from(u8::from(x > 0.52));
                assert!(
                    (y - exact).abs() < 1e-6,
                    "{args:?}: y({t}) = {y}, not {exact}"
                );
            }
        }
    }
}

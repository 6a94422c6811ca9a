//! `auto` begins with a quantized-state method where a model is large and its events are local, and leaves it where that does not pay.
//!
//! Expected: closed forms.

mod common;

/// The result and the solver that has made it.
fn run(name: &str, text: &str, args: &str) -> (common::Table, String) {
    let args: Vec<&str> = args.split(' ').chain(["--stats", "stats.json"]).collect();
    let found = common::run(name, text, &args);
    let stats = std::fs::read_to_string(common::folder(name).join("stats.json")).unwrap();
    let solver = stats.split("\"solver\"").nth(1).unwrap();
    let solver = solver.split('"').nth(1).unwrap();
    (found, solver.to_owned())
}

/// Thermostats whose temperatures go to 10 while off and to 10 + 6τ while on, with the time constant τ, between 20 and 21.
fn thermostats(n: usize) -> String {
    format!(
        "model M parameter Integer n = {n}; Real T[n](each start = 18, each fixed = true); Boolean on[n](each start = true, each fixed = true);
         equation for i in 1:n loop
           der(T[i]) = -(T[i] - 10)/(3 + i/n) + (if on[i] then 6 else 0);
           on[i] = T[i] < 20 or (pre(on[i]) and T[i] < 21);
         end for; end M;"
    )
}

/// The temperature of one of them.
fn temperature(tau: f64, time: f64) -> f64 {
    let (mut start, mut value, mut on) = (0.0, 18.0, true);
    loop {
        let (rest, threshold) = if on {
            (10.0 + 6.0 * tau, 21.0)
        } else {
            (10.0, 20.0)
        };
        let until: f64 = start + tau * f64::ln((value - rest) / (threshold - rest));
        if time <= until {
            return rest + (value - rest) * (-(time - start) / tau).exp();
        }
        (start, value, on) = (until, threshold, !on);
    }
}

#[test]
fn many_thermostats_are_within_the_tolerance() {
    let n = 400;
    for tolerance in ["1e-3", "1e-6"] {
        let args = format!("--stop 5 --points 50 --tol {tolerance} --event-rows off");
        let (found, solver) = run(&format!("thermostats-{tolerance}"), &thermostats(n), &args);
        assert!(solver.starts_with("liqss"), "{solver}");
        assert_eq!(found["time"].len(), 51);
        let mut worst: f64 = 0.0;
        for i in [1, 100, 399, 400] {
            let tau = 3.0 + i as f64 / n as f64;
            for (t, x) in found["time"].iter().zip(&found[&format!("T[{i}]")]) {
                worst = worst.max((x - temperature(tau, *t)).abs() / 3.0);
            }
        }
        let allowed: f64 = tolerance.parse().unwrap();
        assert!(worst < 10.0 * allowed, "{tolerance}: {worst:e}");
    }
}

/// Oscillators with conditions that are never met: nothing is local, and each quantum costs a transition. The classic solver takes over, and no row is lost or there twice.
#[test]
fn what_does_not_pay_is_left() {
    let text = "model M parameter Integer n = 150; Real x[n](each start = 1, each fixed = true), v[n](each start = 0, each fixed = true); Boolean b[n];
         equation for i in 1:n loop der(x[i]) = v[i]; der(v[i]) = -(6 + 0.01*i)^2*x[i]; b[i] = x[i] > 2; end for; end M;";
    let (found, solver) = run("oscillators", text, "--stop 20 --points 100 --tol 1e-7");
    assert_eq!(solver, "auto");
    assert_eq!(found["time"].len(), 101);
    for i in [1, 77, 150] {
        let omega = 6.0 + 0.01 * f64::from(i);
        for (k, (t, x)) in found["time"]
            .iter()
            .zip(&found[&format!("x[{i}]")])
            .enumerate()
        {
            assert!((t - 0.2 * k as f64).abs() < 1e-9, "{t}");
            assert!((x - (omega * t).cos()).abs() < 1e-4, "x[{i}]({t}) = {x}");
        }
    }
}

/// What the model itself does wrong is told as the classic solver tells it.
#[test]
fn an_assertion_ends_the_run_as_before() {
    let text = thermostats(300).replace(
        "equation for",
        "equation assert(T[7] < 20.5, \"too warm\"); for",
    );
    let done = common::launch("assertion", &text, &["--stop", "5"]);
    assert_eq!(done.status.code(), Some(1));
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(
        told.contains("E0607") && told.contains("too warm"),
        "{told}"
    );
}

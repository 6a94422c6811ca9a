//! A model with more quantities than the cache holds asks the memory ahead for what happens next. That must change no result.
//!
//! Expected: what the same components do in a small model, to the last bit. They do not depend on the others: thermostats by themselves, and
//! a chain in which each element is driven by the one before it.

mod pipeline;

use pipeline::*;

/// More than the 4096 quantities from which on the memory is asked ahead.
const LARGE: usize = 4200;
const SMALL: usize = 60;

fn same_in_a_crowd(text: impl Fn(usize) -> String, stop: f64, watched: &[&str]) {
    let run = |n: usize, method: &str| {
        let m = compile(&text(n));
        assert_eq!(m.layout.n_states, n);
        run_with(&m, &experiment(&m, stop, 1e-4, 40), method, watched)
    };
    for method in ["qss2", "liqss2", "liqss3"] {
        let (small, large) = (run(SMALL, method), run(LARGE, method));
        assert!(large.run.qss.transitions > 10 * small.run.qss.transitions);
        // Rows at events of others are left out.
        let grid = |table: Table| -> Vec<(u64, Vec<u64>)> {
            let rows = table.rows.into_iter();
            let rows =
                rows.filter(|r| (r.0 * 40.0 / stop - (r.0 * 40.0 / stop).round()).abs() < 1e-9);
            rows.map(|(t, v)| (t.to_bits(), v.iter().map(|v| v.to_bits()).collect()))
                .collect()
        };
        let (small, large) = (grid(small), grid(large));
        assert!(small.len() > 40, "{method}: {}", small.len());
        assert_eq!(small, large, "{method}");
    }
}

/// Each has its own time constant; all switch by a hysteresis.
#[test]
fn thermostats() {
    let text = |n: usize| {
        format!(
            "model M parameter Integer n = {n}; Real T[n](each start = 18, each fixed = true);
             Boolean on[n](each start = true, each fixed = true);
             equation for i in 1:n loop
               der(T[i]) = -(T[i] - 10)/(3 + mod(i, 17)/7) + (if on[i] then 6 else 0);
               on[i] = T[i] < 20 or (pre(on[i]) and T[i] < 21);
             end for; end M;"
        )
    };
    same_in_a_crowd(text, 8.0, &["T[1]", "T[2]", "T[17]", "T[40]", "T[60]"]);
}

/// A wave runs along the chain, and each element loses its own source when the one before has risen.
#[test]
fn chain() {
    let text = |n: usize| {
        format!(
            "model M parameter Integer n = {n}; Real x[n](start = fill(0, n), each fixed = true);
             equation der(x[1]) = 1 - x[1] + 0.1*sin(3*time);
             for i in 2:n loop
               der(x[i]) = 2*(x[i - 1] - x[i]) + (if x[i - 1] < 0.3 then 0.2*(1 + mod(i, 5)) else 0);
             end for; end M;"
        )
    };
    same_in_a_crowd(text, 4.0, &["x[1]", "x[2]", "x[10]", "x[33]", "x[60]"]);
}

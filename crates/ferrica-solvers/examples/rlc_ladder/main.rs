//! RLC ladder as a DAE of 5 N + 3 unknowns with BDF: speed, work and error.
//!
//! Usage: rlc_ladder N rtol reference.csv repeats

mod ladder;

use ferrica_solvers::bdf::BdfDae;
use ferrica_solvers::integrator::{Integrator, Options, Solution};
use ladder::Ladder;
use std::time::Instant;

/// Rows of (t, V_node4, I_LC1).
fn reference(path: &str) -> Vec<(f64, f64, f64)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .skip(1)
        .map(|line| {
            let v: Vec<f64> = line
                .split(',')
                .map(|x| x.parse().unwrap_or(f64::NAN))
                .collect();
            (v[0], v[4], v[5])
        })
        .collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, loops, rtol, path, repeats] = &arguments[..] else {
        eprintln!("usage: rlc_ladder N rtol reference.csv repeats");
        std::process::exit(2);
    };
    let loops: usize = loops.parse().unwrap_or(1000);
    let rtol: f64 = rtol.parse().unwrap_or(1e-6);
    let wanted = reference(path);
    let mut system = Ladder::new(loops);
    let n = 5 * loops + 3;
    let mut best = f64::INFINITY;
    let mut line = String::new();
    for _ in 0..repeats.parse().unwrap_or(1) {
        let start = Instant::now();
        let mut bdf = BdfDae::new(Options::new(rtol, rtol));
        let mut y = vec![0.0; n];
        let mut result = bdf.init(&mut system, 0.0, &y, &vec![0.0; n]).map(|_| ());
        let (mut ev, mut ei) = (0.0f64, 0.0f64);
        for &(t, v4, i1) in &wanted {
            while result.is_ok() && bdf.interval().1 < t {
                result = bdf.step(&mut system, 1.0).map(|_| ());
            }
            bdf.interpolate(t, &mut y);
            ev = ev.max((y[Ladder::middle(1)] - v4).abs());
            ei = ei.max((y[system.current(1) + 1] - i1).abs());
        }
        best = best.min(start.elapsed().as_secs_f64());
        if let Err(e) = result {
            eprintln!("{e}");
        }
        let s = bdf.statistics();
        line = format!(
            "steps {}  error fails {}  residuals {}  newton {}  jacobians {}  pivot searches {}  max error V {ev:.2e} I {ei:.2e}",
            s.steps,
            s.error_failures,
            s.evaluations,
            s.newton_iterations,
            s.jacobians,
            s.pivot_searches
        );
    }
    println!(
        "ferrica  N={loops} rtol={rtol:e}  {:8.3} ms  {line}",
        1e3 * best
    );
}

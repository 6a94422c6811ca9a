//! Time and counters of the hand-written benchmark models:
//! `cargo run --release -p ferrica-qss --example bench -- [b1|b2|b3|b4] [method] [rtol] [size]`.

#[path = "../tests/models/mod.rs"]
mod models;

use ferrica_qss::{Diagnostic, Method, Observer, QssModel, Settings, Silent, Trajectories, run};
use models::*;

/// CPU seconds of this process so far: other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    first
        .and_then(|t| t.parse::<f64>().ok())
        .unwrap_or(f64::NAN)
        * 1e-9
}

/// Stores all states on a grid.
struct Grid {
    next: usize,
    step: f64,
    count: usize,
    states: usize,
    rows: Vec<Vec<f64>>,
}

impl<M> Observer<M> for Grid {
    fn due(&self) -> f64 {
        if self.next <= self.count {
            self.next as f64 * self.step
        } else {
            f64::INFINITY
        }
    }
    fn output(&mut self, _: &mut M, at: Trajectories<'_>) -> Result<(), Diagnostic> {
        self.rows
            .push((0..self.states).map(|i| at.state(i)).collect());
        self.next += 1;
        Ok(())
    }
}

fn bench<M: QssModel>(name: &str, make: impl Fn() -> M, method: &str, tol: (f64, f64), stop: f64) {
    let Some(parsed) = Method::parse(method) else {
        eprintln!("no method {method}");
        return;
    };
    let mut settings = Settings::new(parsed, tol.0, stop);
    settings.absolute = tol.1;
    settings.max_transitions = 100_000_000;
    let mut best = f64::INFINITY;
    let mut finished = None;
    for _ in 0..5 {
        let mut model = make();
        let begin = cpu_seconds();
        match run(&mut model, &settings, &mut Silent) {
            Ok(f) => finished = Some(f),
            Err(e) => {
                println!("{name} {method}: {}", e.message);
                return;
            }
        }
        best = best.min(cpu_seconds() - begin);
        if best > 2.0 {
            break;
        }
    }
    let Some(f) = finished else { return };
    let states = f.states.len();
    // Mean absolute error on 1000 points against the same model with a far smaller quantum.
    let sampled = |relative: f64, absolute: f64, method: Method| {
        let mut grid = Grid {
            next: 1,
            step: stop / 1000.0,
            count: 1000,
            states,
            rows: Vec::new(),
        };
        let mut s = settings.clone();
        s.relative = relative;
        s.absolute = absolute;
        s.method = method;
        run(&mut make(), &s, &mut grid).ok().map(|_| grid.rows)
    };
    let error = if std::env::var_os("ERR").is_some() {
        let reference = sampled(
            tol.0 * 1e-4,
            tol.1 * 1e-4,
            Method::parse("liqss3").unwrap_or(parsed),
        );
        let own = sampled(tol.0, tol.1, parsed);
        match (own, reference) {
            (Some(a), Some(b)) => {
                let mut sum = 0.0;
                for (x, y) in a.iter().zip(&b) {
                    for (u, v) in x.iter().zip(y) {
                        sum += (u - v).abs();
                    }
                }
                sum / (a.len() * states) as f64
            }
            _ => f64::NAN,
        }
    } else {
        f64::NAN
    };
    let s = &f.stats;
    println!(
        "{name} {method}: {:.3} ms, {} transitions, {:.3} us each, {} events, {} derivatives, {} crossings, mean error {error:.3e}",
        best * 1e3,
        s.transitions,
        best * 1e6 / s.transitions as f64,
        s.events,
        s.derivative_evaluations,
        s.crossing_evaluations,
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let which = args.first().map_or("all", String::as_str);
    let method = args.get(1).map_or("liqss2", String::as_str);
    let rtol: f64 = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(1e-3);
    let size: Option<usize> = args.get(3).and_then(|a| a.parse().ok());
    let is = |name: &str| which == "all" || which == name;
    if is("b1") {
        let n = size.unwrap_or(501);
        bench("b1", || Inverters::new(n), method, (rtol, rtol), 200.0);
    }
    if is("b2") {
        let n = size.unwrap_or(1000);
        let make = || AdvectionDiffusionReaction { n };
        bench("b2", make, method, (rtol, rtol), 10.0);
    }
    if is("b3") {
        let n = size.unwrap_or(4);
        bench("b3", || Interleaved::new(n), method, (rtol, rtol), 0.01);
    }
    if is("b4") {
        let n = size.unwrap_or(200);
        let make = || LcLine { n, d: 1.0 };
        bench("b4", make, method, (rtol, rtol * 1e-3), 200.0);
    }
}

//! RLC ladder as a DAE of 5 N + 3 unknowns with BDF: speed, work and error.
//!
//! The same equations in the same order as `bench/solvers/ladder_ida.c`.
//! Usage: rlc_ladder N rtol reference.csv repeats

use ferrica_solvers::bdf::BdfDae;
use ferrica_solvers::integrator::{Integrator, Options, Solution};
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, RootFunctions};
use std::time::Instant;

const R: f64 = 10.0;
const L: f64 = 0.1;
const C: f64 = 0.1;

struct Ladder {
    loops: usize,
    pattern: CscPattern,
    /// Each entry of the Jacobian is a + cj b.
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Ladder {
    fn top(k: usize) -> usize {
        if k == 0 { 1 } else { 2 * k }
    }
    fn middle(k: usize) -> usize {
        2 * k + 1
    }
    fn source(&self) -> usize {
        2 * self.loops + 2
    }
    fn current(&self, k: usize) -> usize {
        2 * self.loops + 3 + 3 * (k - 1)
    }

    fn new(loops: usize) -> Ladder {
        let mut d = Ladder {
            loops,
            pattern: CscPattern::from_entries(0, []),
            a: Vec::new(),
            b: Vec::new(),
        };
        let (top, middle) = (Ladder::top, Ladder::middle);
        let s = d.source();
        let mut e = vec![
            (0, 0, 1.0, 0.0),
            (1, s, 1.0, 0.0),
            (1, d.current(1), -1.0, 0.0),
            (s, 1, 1.0, 0.0),
            (s, 0, -1.0, 0.0),
        ];
        for k in 1..=loops {
            let ir = d.current(k);
            let (il, ic) = (ir + 1, ir + 2);
            e.extend([(top(k), ir, 1.0, 0.0), (top(k), il, -1.0, 0.0)]);
            if k < loops {
                e.push((top(k), ir + 3, -1.0, 0.0));
            }
            e.extend([
                (middle(k), il, 1.0, 0.0),
                (middle(k), ic, -1.0, 0.0),
                (ir, top(k - 1), 1.0, 0.0),
                (ir, top(k), -1.0, 0.0),
                (ir, ir, -R, 0.0),
                (il, top(k), 1.0, 0.0),
                (il, middle(k), -1.0, 0.0),
                (il, il, 0.0, -L),
                (ic, middle(k), 0.0, C),
                (ic, 0, 0.0, -C),
                (ic, ic, -1.0, 0.0),
            ]);
        }
        d.pattern = CscPattern::from_entries(5 * loops + 3, e.iter().map(|e| (e.0, e.1)));
        d.a = vec![0.0; d.pattern.nnz()];
        d.b = vec![0.0; d.pattern.nnz()];
        for (r, c, a, b) in e {
            if let Some(k) = d.pattern.find(r, c) {
                (d.a[k], d.b[k]) = (a, b);
            }
        }
        d
    }
}

impl RootFunctions for Ladder {}

impl DaeSystem for Ladder {
    fn n(&self) -> usize {
        5 * self.loops + 3
    }

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        let s = self.source();
        r[0] = y[0];
        r[1] = y[s] - y[s + 1];
        r[s] = y[1] - y[0] - 100.0 * (10.0 * std::f64::consts::PI * t).sin();
        for k in 1..=self.loops {
            let j = self.current(k);
            let (v, w) = (Ladder::top(k), Ladder::middle(k));
            let next = if k < self.loops { y[j + 3] } else { 0.0 };
            r[v] = y[j] - y[j + 1] - next;
            r[w] = y[j + 1] - y[j + 2];
            r[j] = y[Ladder::top(k - 1)] - y[v] - R * y[j];
            r[j + 1] = y[v] - y[w] - L * yp[j + 1];
            r[j + 2] = C * (yp[w] - yp[0]) - y[j + 2];
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        Some(self.pattern.clone())
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(
        &mut self,
        _t: f64,
        cj: f64,
        _y: &[f64],
        _yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        for (v, (a, b)) in values.iter_mut().zip(self.a.iter().zip(&self.b)) {
            *v = a + cj * b;
        }
        Ok(())
    }

    fn differential(&self, i: usize) -> bool {
        let s = self.source();
        if i < s {
            i >= 3 && i % 2 == 1
        } else {
            i > s && (i - s - 1) % 3 == 1
        }
    }
}

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

//! Heat rod, u_t = u_xx on n inner points of (0, 1) with ends at zero, with BDF: speed, work and error.
//!
//! The same problem as `bench/solvers/heat_cvode.c`: the start is a sum of eigenvectors of the difference
//! operator, so the exact solution of the ODE is known.
//! Usage: heat_rod n rtol repeats

use ferrica_solvers::bdf::BdfOde;
use ferrica_solvers::integrator::{Integrator, Options, Solution};
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};
use std::f64::consts::PI;
use std::time::Instant;

const MODES: [(f64, f64); 4] = [(1.0, 1.0), (3.0, 0.5), (10.0, 0.3), (31.0, 0.2)];

struct Rod {
    n: usize,
    inv_dx2: f64,
}

impl Rod {
    fn exact(&self, t: f64, i: usize) -> f64 {
        let m = self.n as f64 + 1.0;
        let x = (i as f64 + 1.0) / m;
        let mode = |(k, a): (f64, f64)| {
            let s = (k * PI / (2.0 * m)).sin();
            a * (k * PI * x).sin() * (-4.0 * self.inv_dx2 * s * s * t).exp()
        };
        MODES.into_iter().map(mode).sum()
    }
}

impl RootFunctions for Rod {}

impl OdeSystem for Rod {
    fn n(&self) -> usize {
        self.n
    }

    fn rhs(&mut self, _t: f64, y: &[f64], d: &mut [f64]) -> Result<(), EvalError> {
        let n = self.n;
        d[0] = self.inv_dx2 * (y[1] - 2.0 * y[0]);
        for (d, y) in d[1..n - 1].iter_mut().zip(y.windows(3)) {
            *d = self.inv_dx2 * (y[0] - 2.0 * y[1] + y[2]);
        }
        d[n - 1] = self.inv_dx2 * (y[n - 2] - 2.0 * y[n - 1]);
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        let n = self.n;
        let near = (0..n).flat_map(move |i| [(i, i), (i + 1, i), (i, i + 1)]);
        Some(CscPattern::from_entries(n, near))
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, _t: f64, _y: &[f64], values: &mut [f64]) -> Result<(), EvalError> {
        let mut k = 0;
        for j in 0..self.n {
            if j > 0 {
                values[k] = self.inv_dx2;
                k += 1;
            }
            values[k] = -2.0 * self.inv_dx2;
            k += 1;
            if j + 1 < self.n {
                values[k] = self.inv_dx2;
                k += 1;
            }
        }
        Ok(())
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, n, rtol, repeats] = &arguments[..] else {
        eprintln!("usage: heat_rod n rtol repeats");
        std::process::exit(2);
    };
    let n: usize = n.parse().unwrap_or(1000);
    let rtol: f64 = rtol.parse().unwrap_or(1e-6);
    let mut system = Rod {
        n,
        inv_dx2: (n as f64 + 1.0).powi(2),
    };
    let times: Vec<f64> = (1..=20).map(|k| 0.01 * k as f64).collect();
    let start_y: Vec<f64> = (0..n).map(|i| system.exact(0.0, i)).collect();
    let wanted: Vec<Vec<f64>> = times
        .iter()
        .map(|&t| (0..n).map(|i| system.exact(t, i)).collect())
        .collect();
    let mut best = f64::INFINITY;
    let mut line = String::new();
    for _ in 0..repeats.parse().unwrap_or(1) {
        let start = Instant::now();
        let mut bdf = BdfOde::new(Options::new(rtol, 1e-2 * rtol));
        let mut y = vec![0.0; n];
        let mut result = bdf.init(&mut system, 0.0, &start_y, &[]);
        let mut error = 0.0f64;
        for (&t, wanted) in times.iter().zip(&wanted) {
            while result.is_ok() && bdf.interval().1 < t {
                result = bdf.step(&mut system, 0.2).map(|_| ());
            }
            bdf.interpolate(t, &mut y);
            error = y
                .iter()
                .zip(wanted)
                .fold(error, |m, (a, b)| m.max((a - b).abs()));
        }
        best = best.min(start.elapsed().as_secs_f64());
        if let Err(e) = result {
            eprintln!("{e}");
        }
        let s = bdf.statistics();
        line = format!(
            "steps {}  error fails {}  rhs {}  newton {}  setups {}  jacobians {}  max error {error:.2e}",
            s.steps,
            s.error_failures,
            s.evaluations,
            s.newton_iterations,
            s.factorizations,
            s.jacobians
        );
    }
    println!(
        "ferrica    n={n} rtol={rtol:e}  {:8.3} ms  {line}",
        1e3 * best
    );
}

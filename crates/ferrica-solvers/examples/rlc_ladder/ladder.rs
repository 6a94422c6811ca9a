//! The ladder's equations; the same in the same order as `bench/solvers/ladder_ida.c`.
//!
//! Nodes 0 (ground), 1 (source) and, for loop k, 2k (top) and 2k + 1 (between L and C). Unknowns: node voltages, current of the
//! source, then currents of R, L, C of each loop. Equations: ground, the current balance of each other node, one law
//! for each component.

use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, RootFunctions};

const R: f64 = 10.0;
const L: f64 = 0.1;
const C: f64 = 0.1;

pub struct Ladder {
    pub loops: usize,
    pattern: CscPattern,
    /// Each entry of the Jacobian is a + cj b.
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Ladder {
    pub fn top(k: usize) -> usize {
        if k == 0 { 1 } else { 2 * k }
    }
    pub fn middle(k: usize) -> usize {
        2 * k + 1
    }
    pub fn source(&self) -> usize {
        2 * self.loops + 2
    }
    pub fn current(&self, k: usize) -> usize {
        2 * self.loops + 3 + 3 * (k - 1)
    }

    pub fn new(loops: usize) -> Ladder {
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

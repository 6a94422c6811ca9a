//! The quantized-state benchmarks of the reference data, written by hand as engine models.
//! Used by the tests and by the `bench` example.
#![allow(dead_code)]

use ferrica_ir::Diagnostic;
use ferrica_qss::taylor::Taylor;
use ferrica_qss::{Changes, Event, Incidence, QssModel, Structure, Trajectories};

/// B1: chain of logical inverters. `states` = N + 1.
pub struct Inverters {
    pub states: usize,
    u: f64,
    s: Vec<bool>,
    r: Vec<bool>,
    stage: usize,
}

const UOP: f64 = 5.0;
const G: f64 = 100.0;
const UTH: f64 = 1.0;
const SWITCH: [(f64, f64); 4] = [(5.0, 1.0), (10.0, 0.0), (15.0, -2.5), (17.0, 0.0)];

impl Inverters {
    pub fn new(n: usize) -> Inverters {
        let mut m = Inverters {
            states: n + 1,
            u: 0.0,
            s: vec![false; n],
            r: vec![false; n],
            stage: 0,
        };
        let mut x = vec![0.0; n + 1];
        m.initial_states(&mut x).unwrap();
        for i in 0..n {
            m.s[i] = x[i] > UTH;
            m.r[i] = x[i] - x[i + 1] > UTH;
        }
        m
    }
}

impl QssModel for Inverters {
    fn structure(&self) -> Structure {
        let n = self.states;
        let reads: Vec<Vec<u32>> = (0..n as u32)
            .map(|i| if i == 0 { vec![] } else { vec![i - 1, i] })
            .collect();
        // Crossings 2i: x[i] > UTH, 2i+1: x[i] − x[i+1] > UTH.
        let mut crossings = Vec::new();
        for i in 0..n as u32 - 1 {
            crossings.push(vec![i]);
            crossings.push(vec![i, i + 1]);
        }
        Structure::new(n, 0, 1, Incidence::new(reads), Incidence::new(crossings))
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        for (i, v) in x.iter_mut().enumerate() {
            // One-based: even 5, odd ≥ 3 0.006247, first 0.
            *v = if i == 0 {
                0.0
            } else if (i + 1) % 2 == 0 {
                5.0
            } else {
                0.006247
            };
        }
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, _: f64, q: &[[f64; N]]) -> [f64; N] {
        if j == 0 {
            return Taylor::constant(self.u).0;
        }
        let (p, x) = (Taylor(q[0]), Taylor(q[1]));
        let mut f = -x + UOP;
        if self.s[j - 1] {
            f = f - (p - UTH).square() * G;
        }
        if self.r[j - 1] {
            f = f + (p - x - UTH).square() * G;
        }
        f.0
    }

    #[inline]
    fn crossing<const D: usize>(&mut self, z: usize, _: f64, x: &[[f64; D]]) -> [f64; D] {
        if z.is_multiple_of(2) {
            (Taylor(x[0]) - UTH).0
        } else {
            (Taylor(x[0]) - Taylor(x[1]) - UTH).0
        }
    }

    fn side(&self, z: usize) -> bool {
        if z.is_multiple_of(2) {
            self.s[z / 2]
        } else {
            self.r[z / 2]
        }
    }

    fn first_time(&self, _: usize) -> f64 {
        SWITCH[0].0
    }

    fn event(
        &mut self,
        event: Event<'_>,
        _: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        for _ in event.timers {
            self.u = SWITCH[self.stage].1;
            self.stage += 1;
            let next = SWITCH.get(self.stage).map_or(f64::INFINITY, |s| s.0);
            changes.timers.push((0, next));
            changes.derivatives.push(0);
        }
        for &(z, side) in event.crossings {
            if z % 2 == 0 {
                self.s[z as usize / 2] = side;
            } else {
                self.r[z as usize / 2] = side;
            }
            changes.derivatives.push(z / 2 + 1);
        }
        Ok(())
    }
}

/// B2: advection, diffusion, reaction.
pub struct AdvectionDiffusionReaction {
    pub n: usize,
}

impl AdvectionDiffusionReaction {
    fn parameters(&self) -> (f64, f64, f64) {
        let dx = 10.0 / self.n as f64;
        (1.0 / dx, 1e-3 / (dx * dx), 1000.0)
    }
}

impl QssModel for AdvectionDiffusionReaction {
    fn structure(&self) -> Structure {
        let n = self.n as u32;
        let reads: Vec<Vec<u32>> = (0..n)
            .map(|i| {
                if i == 0 {
                    vec![0, 1]
                } else if i == n - 1 {
                    vec![i - 1, i]
                } else {
                    vec![i - 1, i, i + 1]
                }
            })
            .collect();
        let none: [&[u32]; 0] = [];
        Structure::new(self.n, 0, 0, Incidence::new(reads), Incidence::new(none))
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        let fifth = self.n / 5;
        for (i, v) in x.iter_mut().enumerate() {
            *v = if i < fifth { 1.0 } else { 0.0 };
        }
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, _: f64, q: &[[f64; N]]) -> [f64; N] {
        let (a, d, r) = self.parameters();
        let (left, u, right) = if j == 0 {
            (Taylor::constant(1.0), Taylor(q[0]), Taylor(q[1]))
        } else if j == self.n - 1 {
            (Taylor(q[0]), Taylor(q[1]), Taylor(q[0]))
        } else {
            (Taylor(q[0]), Taylor(q[1]), Taylor(q[2]))
        };
        let f = (left - u) * a + (right - u * 2.0 + left) * d + u * u * (-u + 1.0) * r;
        f.0
    }
}

/// B3: interleaved converter with four branches. State 0 is uC, 1..=N are the currents.
pub struct Interleaved {
    pub branches: usize,
    rs: Vec<f64>,
    rd: Vec<f64>,
    last: f64,
    next: f64,
}

const PERIOD: f64 = 1e-4;
const R_ON: f64 = 1e-5;
const R_OFF: f64 = 1e5;

impl Interleaved {
    pub fn new(branches: usize) -> Interleaved {
        Interleaved {
            branches,
            rs: vec![R_OFF; branches],
            rd: vec![R_OFF; branches],
            last: 0.0,
            next: 1e-8,
        }
    }
    fn on_time(&self, i: usize) -> f64 {
        self.last + PERIOD * i as f64 / self.branches as f64 + 0.01 * PERIOD
    }
    fn off_time(&self, i: usize) -> f64 {
        self.on_time(i) + 0.5 * PERIOD / self.branches as f64
    }
}

impl QssModel for Interleaved {
    fn structure(&self) -> Structure {
        let n = self.branches as u32;
        let mut reads = vec![(0..=n).collect::<Vec<u32>>()];
        let mut crossings = Vec::new();
        for i in 1..=n {
            reads.push(vec![0, i]);
            crossings.push(vec![i]);
        }
        // Timers: the period, then on and off of each branch.
        Structure::new(
            self.branches + 1,
            0,
            1 + 2 * self.branches,
            Incidence::new(reads),
            Incidence::new(crossings),
        )
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        x.fill(0.0);
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, _: f64, q: &[[f64; N]]) -> [f64; N] {
        if j == 0 {
            let mut sum = Taylor(q[1]);
            for &i in &q[2..] {
                sum = sum + Taylor(i);
            }
            ((sum - Taylor(q[0]) * 0.1) * 1e4).0
        } else {
            let (rs, rd) = (self.rs[j - 1], self.rd[j - 1]);
            let v = (-Taylor(q[1]) + 24.0 / rs) * (rs * rd / (rs + rd)) - Taylor(q[0]);
            (v * 1e4).0
        }
    }

    #[inline]
    fn crossing<const D: usize>(&mut self, _: usize, _: f64, x: &[[f64; D]]) -> [f64; D] {
        x[0]
    }

    fn side(&self, _: usize) -> bool {
        true
    }

    fn first_time(&self, timer: usize) -> f64 {
        if timer == 0 {
            self.next
        } else if timer <= self.branches {
            self.on_time(timer - 1)
        } else {
            self.off_time(timer - 1 - self.branches)
        }
    }

    fn event(
        &mut self,
        event: Event<'_>,
        _: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        let n = self.branches;
        for &timer in event.timers {
            let timer = timer as usize;
            if timer == 0 {
                self.last = self.next;
                self.next += PERIOD;
                changes.timers.push((0, self.next));
                for i in 0..n {
                    changes.timers.push((1 + i as u32, self.on_time(i)));
                    changes.timers.push(((1 + n + i) as u32, self.off_time(i)));
                }
            } else if timer <= n {
                self.rs[timer - 1] = R_ON;
                self.rd[timer - 1] = R_OFF;
                changes.derivatives.push(timer as u32);
            } else {
                let i = timer - n - 1;
                self.rs[i] = R_OFF;
                self.rd[i] = R_ON;
                changes.derivatives.push(i as u32 + 1);
            }
        }
        for &(z, positive) in event.crossings {
            if !positive {
                self.rd[z as usize] = R_OFF;
                changes.derivatives.push(z + 1);
            }
        }
        Ok(())
    }
}

/// B4: lossless line.
pub struct LcLine {
    pub n: usize,
    pub d: f64,
}

impl QssModel for LcLine {
    fn structure(&self) -> Structure {
        let n = self.n as u32;
        let reads: Vec<Vec<u32>> = (0..n)
            .map(|i| {
                if i == 0 {
                    vec![1]
                } else if i == n - 1 {
                    vec![i - 1]
                } else {
                    vec![i - 1, i + 1]
                }
            })
            .collect();
        let none: [&[u32]; 0] = [];
        Structure::new(self.n, 0, 1, Incidence::new(reads), Incidence::new(none))
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        x.fill(0.0);
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, _: f64, q: &[[f64; N]]) -> [f64; N] {
        if j == 0 {
            (-Taylor(q[0]) + self.d).0
        } else if j == self.n - 1 {
            q[0]
        } else {
            (Taylor(q[0]) - Taylor(q[1])).0
        }
    }

    fn first_time(&self, _: usize) -> f64 {
        1.0
    }

    fn event(
        &mut self,
        _: Event<'_>,
        _: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        self.d = 0.0;
        changes.derivatives.push(0);
        changes.timers.push((0, f64::INFINITY));
        Ok(())
    }
}

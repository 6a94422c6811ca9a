//! Root functions of the continuous problem, as the integrators see them.
//!
//! For each relation g = ±(lhs − rhs) + ε with the sign of the side that its memory is on, so g > 0 as long as the memory is right,
//! and an event never finds itself again; where lhs − rhs is zero itself, behind the begin of a search, the relation has the side that it has at
//! its threshold. After them, two for each line of `spatialDistribution`: a jump that arrives at an end.

use ferrica_solvers::integrator::Options;
use ferrica_solvers::system::{EvalError, RootFunctions};

use crate::problem::Problem;

/// Up to so many crossings are evaluated one by one while they are located.
const MOST_SINGLE: usize = 8;

impl Problem {
    /// Root function of crossing k, its zero being known.
    pub(crate) fn root(&self, k: usize) -> f64 {
        self.sides[k].root(self.ev.get(self.zeros[k]))
    }

    /// Zero functions from time and states; false if loops in them are not solved from the interpolated unknowns, which are kept then.
    fn zeros_from_states(&mut self) -> Result<bool, EvalError> {
        match self.evaluate_zeros() {
            Err(e) if !self.dae => Err(self.keep(e)),
            done => Ok(done.is_ok()),
        }
    }
}

impl Problem {
    /// All root functions; at the end of a step algebraic unknowns satisfy their equations.
    fn roots_at(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        g: &mut [f64],
        at_end: bool,
    ) -> Result<(), EvalError> {
        self.evaluate_roots(t, y, yp, g, at_end)?;
        if let Some(watch) = &mut self.watch {
            watch.see(g, &self.sides);
        }
        Ok(())
    }

    fn evaluate_roots(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        g: &mut [f64],
        at_end: bool,
    ) -> Result<(), EvalError> {
        if std::mem::take(&mut self.known.roots) && t == self.known.time {
            for ((g, &z), &side) in g.iter_mut().zip(&self.known.zeros).zip(&self.sides) {
                *g = side.root_at_begin(z);
            }
            return Ok(());
        }
        if let Some(zeros) = self.state_zeros.as_deref()
            && self.delays.lines.is_empty()
        {
            let begins = t == self.known.time;
            for ((g, zero), side) in g.iter_mut().zip(zeros).zip(&mut self.sides) {
                let z = zero.at(&self.ev, y);
                if begins {
                    *side = side.begin(z);
                    *g = side.root_at_begin(z);
                } else {
                    *g = side.root(z);
                }
            }
            return Ok(());
        }
        self.place(t, y, yp);
        let solved = !(self.dae && at_end) && self.zeros_from_states()?;
        if !solved && let Err(e) = self.evaluate_zeros_of_unknowns() {
            return Err(self.keep(e));
        }
        // What an event did not touch may still differ by the accuracy of nonlinear systems from what the last search saw.
        let begins = t == self.known.time;
        if begins {
            for (side, &zero) in self.sides.iter_mut().zip(&self.zeros) {
                *side = side.begin(self.ev.get(zero));
            }
        }
        let (conditions, arrivals) = g.split_at_mut(self.crossings.len());
        for ((g, &zero), &side) in conditions.iter_mut().zip(&self.zeros).zip(&self.sides) {
            let z = self.ev.get(zero);
            *g = if begins {
                side.root_at_begin(z)
            } else {
                side.root(z)
            };
        }
        for (line, g) in self.delays.lines.iter().zip(arrivals.chunks_exact_mut(2)) {
            g.copy_from_slice(&line.roots(&self.ev));
        }
        Ok(())
    }
}

impl RootFunctions for Problem {
    fn n_roots(&self) -> usize {
        self.crossings.len() + 2 * self.delays.lines.len()
    }

    fn roots_read_derivatives(&self) -> bool {
        self.dae
    }

    fn roots(&mut self, t: f64, y: &[f64], yp: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
        self.roots_at(t, y, yp, g, true)
    }

    fn roots_inside(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        g: &mut [f64],
    ) -> Result<(), EvalError> {
        self.roots_at(t, y, yp, g, false)
    }

    fn root_rates(&self, yp: &[f64], rates: &mut [f64]) -> bool {
        let Some(zeros) = self.state_zeros.as_deref() else {
            return false;
        };
        for ((rate, zero), side) in rates.iter_mut().zip(zeros).zip(&self.sides) {
            *rate = side.sign * zero.rate(yp);
        }
        self.delays.lines.is_empty()
    }

    fn some_roots(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        which: &[usize],
        g: &mut [f64],
    ) -> Result<(), EvalError> {
        if self.dae || !self.delays.is_empty() || which.len() > MOST_SINGLE {
            return self.roots_at(t, y, yp, g, false);
        }
        self.place(t, y, yp);
        let model = self.ev.model.clone();
        for &k in which {
            let zero = self.zeros[k];
            let program = self.single[k].get_or_insert_with(|| model.schedule(&[zero]));
            if let Err(e) = self.ev.run(program) {
                return Err(self.keep(e));
            }
            g[k] = self.root(k);
        }
        Ok(())
    }

    fn look_ahead(&mut self, t: f64, end: f64, y: &[f64], options: &Options) -> f64 {
        self.limit_by_time_functions(t, end, y, options)
    }
}

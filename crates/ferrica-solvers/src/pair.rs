//! Two methods that take turns: the solution is that of the one whose turn it is.

use crate::integrator::{NewtonForm, Options, RootHit, Solution, Statistics};

pub(crate) trait Pair {
    fn current(&self) -> &dyn Solution;
    fn both(&mut self) -> [&mut dyn Solution; 2];

    /// Has the problem proved stiff?
    fn is_stiff(&self) -> bool {
        false
    }
}

impl<P: Pair> Solution for P {
    fn t(&self) -> f64 {
        self.current().t()
    }

    fn y(&self) -> &[f64] {
        self.current().y()
    }

    fn yp(&self) -> &[f64] {
        self.current().yp()
    }

    fn interval(&self) -> (f64, f64) {
        self.current().interval()
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        self.current().interpolate(t, y);
    }

    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]) {
        self.current().interpolate_some(t, which, y);
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        self.current().interpolate_derivative(t, yp);
    }

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        self.current().newton_form(coefficients)
    }

    fn roots_found(&self) -> &[RootHit] {
        self.current().roots_found()
    }

    fn last_step(&self) -> f64 {
        self.current().last_step()
    }

    fn order(&self) -> usize {
        self.current().order()
    }

    fn options(&self) -> &Options {
        self.current().options()
    }

    fn set_h_max(&mut self, h_max: f64) {
        for one in self.both() {
            one.set_h_max(h_max);
        }
    }

    fn set_atol(&mut self, atol: &[f64]) {
        for one in self.both() {
            one.set_atol(atol);
        }
    }

    fn statistics(&self) -> &Statistics {
        self.current().statistics()
    }

    fn controlling_variable(&self) -> Option<usize> {
        self.current().controlling_variable()
    }

    fn renew_roots(&mut self) {
        for one in self.both() {
            one.renew_roots();
        }
    }

    fn stiffness_detected(&self) -> bool {
        self.is_stiff()
    }
}

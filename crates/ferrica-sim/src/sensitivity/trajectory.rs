//! The states between two events, as the steps of a run have left them.
//!
//! In: accepted steps with their dense output. Out: the states at any time in them. The dense output of every method is a polynomial,
//! which is kept as the method has it ([`NewtonForm`]).

use ferrica_solvers::integrator::{NewtonForm, Solution};

#[derive(Default)]
pub(super) struct Trajectory {
    states: usize,
    /// Ends of the steps, and the beginnings.
    ends: Vec<f64>,
    begins: Vec<f64>,
    /// For each step its polynomial, and where its coefficients are.
    forms: Vec<(NewtonForm, usize)>,
    coefficients: Vec<f64>,
}

impl Trajectory {
    pub(super) fn new(states: usize) -> Trajectory {
        Trajectory {
            states,
            ..Trajectory::default()
        }
    }

    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    /// Begin and end of each step.
    pub(super) fn spans(&self) -> impl Iterator<Item = (f64, f64)> {
        self.begins.iter().copied().zip(self.ends.iter().copied())
    }

    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.begins.clear();
        self.forms.clear();
        self.coefficients.clear();
    }

    pub(super) fn push(&mut self, begin: f64, end: f64, solution: &dyn Solution) {
        self.begins.push(begin);
        self.ends.push(end);
        let first = self.coefficients.len();
        let form = solution.newton_form(&mut self.coefficients);
        self.forms.push((form, first));
    }

    /// The step that a time is in.
    pub(super) fn step_at(&self, t: f64) -> usize {
        let after = self.ends.partition_point(|&end| end < t);
        after.min(self.ends.len().saturating_sub(1))
    }

    pub(super) fn end_of(&self, step: usize) -> f64 {
        let last = self.ends.len().saturating_sub(1);
        self.ends.get(step.min(last)).copied().unwrap_or(0.0)
    }

    /// The states at a time.
    pub(super) fn at(&self, t: f64, states: &mut [f64]) {
        let Some((form, coefficients)) = self.form(t) else {
            return;
        };
        let x = form.at(t);
        let (lower, highest) = coefficients.split_at(form.degree * self.states);
        states.copy_from_slice(highest);
        let lower = lower.chunks_exact(self.states).zip(x);
        for (of_order, x) in lower.rev() {
            for (state, c) in states.iter_mut().zip(of_order) {
                *state = *state * x + c;
            }
        }
    }

    /// Some of them.
    pub(super) fn some(&self, t: f64, which: &[usize], mut take: impl FnMut(usize, f64)) {
        let Some((form, coefficients)) = self.form(t) else {
            return;
        };
        let x = form.at(t);
        for &k in which {
            let highest = coefficients[form.degree * self.states + k];
            let lower = x[..form.degree].iter().enumerate().rev();
            let state = lower.fold(highest, |state, (j, x)| {
                state * x + coefficients[j * self.states + k]
            });
            take(k, state);
        }
    }

    /// The polynomial of the step that a time is in, and its coefficients.
    fn form(&self, t: f64) -> Option<(&NewtonForm, &[f64])> {
        let (form, first) = self.forms.get(self.step_at(t))?;
        let count = (form.degree + 1) * self.states;
        Some((form, &self.coefficients[*first..][..count]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_solvers::auto::Auto;
    use ferrica_solvers::bdf::BdfOde;
    use ferrica_solvers::dopri5::Dopri5;
    use ferrica_solvers::fixed_step::FixedStep;
    use ferrica_solvers::integrator::{Integrator, Options};
    use ferrica_solvers::radau::RadauOde;
    use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};

    struct Swing;

    impl RootFunctions for Swing {}

    impl OdeSystem for Swing {
        fn n(&self) -> usize {
            2
        }
        fn rhs(&mut self, _t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
            (ydot[0], ydot[1]) = (y[1], -y[0]);
            Ok(())
        }
    }

    /// What is kept of steps is their dense output, in every method.
    #[test]
    fn the_dense_output_comes_back() {
        let options = || Options {
            h_fixed: 0.1,
            ..Options::new(1e-6, 1e-6)
        };
        let solvers: [Box<dyn Integrator<Swing>>; 6] = [
            Box::new(Dopri5::new(options())),
            Box::new(BdfOde::new(options())),
            Box::new(RadauOde::new(options())),
            Box::new(Auto::new(options())),
            Box::new(FixedStep::euler(options())),
            Box::new(FixedStep::runge_kutta4(options())),
        ];
        for mut solver in solvers {
            solver.init(&mut Swing, 0.0, &[1.0, 0.0], &[]).unwrap();
            let mut kept = Trajectory::new(2);
            // BDF is at its highest order then.
            for _ in 0..60 {
                let begin = solver.t();
                solver.step(&mut Swing, 100.0).unwrap();
                kept.push(begin, solver.t(), &*solver);
                for part in [0.0, 0.1, 0.37, 0.5, 0.81, 1.0] {
                    let t = begin + part * (solver.t() - begin);
                    if part == 0.0 && kept.steps() > 1 {
                        continue;
                    }
                    let (mut wanted, mut found) = ([0.0; 2], [0.0; 2]);
                    solver.interpolate(t, &mut wanted);
                    kept.at(t, &mut found);
                    for k in 0..2 {
                        let (wanted, found) = (wanted[k], found[k]);
                        assert!((wanted - found).abs() < 1e-14, "{wanted} {found} at {t}");
                        kept.some(t, &[k], |_, x| assert_eq!(x, found));
                    }
                }
            }
        }
    }
}

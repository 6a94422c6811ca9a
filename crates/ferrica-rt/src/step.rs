//! One step of the grid: the formula and Newton's iteration, projection, the differentiated form.

use std::time::Instant;

use ferrica_codegen::model::EquationRef;
use ferrica_codegen::{CompiledModel, Failure};
use ferrica_ir::print::brief;
use ferrica_sim::{Problem, SimError};
use ferrica_solvers::linear::Singular;
use ferrica_solvers::system::DaeSystem;

use crate::causal::StepError;
use crate::march::March;
use crate::method::{BdfStart, Method};
use crate::ode::{components, dependent_equations};
use crate::tangent::{Dependence, TangentError};

/// A step whose last Newton correction is larger than this part of an unknown has not converged.
pub(crate) const CONVERGED: f64 = 1e-4;
/// Half the distance over which a constraint is differenced in time, in steps.
const TIME_DIFFERENCE: f64 = 1e-2;

/// Times a stage, if that was asked for.
pub(crate) struct StageClock(Option<Instant>);

impl StageClock {
    pub(crate) fn new(asked: bool) -> StageClock {
        StageClock(asked.then(Instant::now))
    }

    pub(crate) fn stop(self, seconds: &mut f64) {
        if let Some(began) = self.0 {
            *seconds += began.elapsed().as_secs_f64();
        }
    }
}

impl March<'_> {
    /// A history begins at the present slots: at the start or after an event.
    pub(crate) fn begin_history(&mut self, first: bool) -> Result<(), SimError> {
        self.p.gather(&mut self.y, &mut self.rates);
        for past in &mut self.past {
            past.copy_from_slice(&self.y);
        }
        let depth = self.options.method.depth();
        self.start_up = match (self.options.method, self.options.start) {
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, BdfStart::Constant) if first => 0,
            // The published method takes one step more than the formula needs.
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, _) if first => depth,
            _ => depth - 1,
        };
        self.restart = 0;
        let bends = if first { None } else { self.turns_around() };
        self.run.layers += u64::from(bends.is_some());
        if bends.is_some() {
            let steps = self.options.method.restart_steps();
            self.restart = steps;
            if steps > 0 {
                self.start_up = 0;
            }
        }
        self.leave_bends(bends);
        if let Some(causal) = &mut self.causal {
            causal.begin(&mut self.p);
            return Ok(());
        }
        if self.options.method == Method::Ode && first {
            self.refuse_dependent()?;
        }
        if self.options.method == Method::Trapezoid {
            let c = self.options.method.leading(self.grid.step);
            self.tangent_values(self.now, c)?;
            self.project(self.now)?;
            self.place();
        }
        Ok(())
    }

    /// One step of the grid, to `t`.
    pub(crate) fn step(&mut self, t: f64) -> Result<(), SimError> {
        let done = match self.causal {
            Some(_) => self.causal_step(t),
            None => self.step_of_all(t),
        };
        self.end_dying_away();
        done
    }

    /// Unknowns below the smallest normal number are zero behind a step: operations on them take a hundred times as long, and the time of a
    /// step must not depend on how far a signal has died away.
    fn end_dying_away(&mut self) {
        let end = |v: &mut f64| {
            if v.is_subnormal() {
                *v = 0.0;
            }
        };
        if self.causal.is_none() {
            self.y.iter_mut().chain(&mut self.rates).for_each(end);
            return;
        }
        let (first, n) = (self.model.layout.derivatives, self.model.layout.n_states);
        let slots = &mut self.p.ev.slots;
        slots[first as usize..][..n].iter_mut().for_each(end);
        if let Some(dae) = &self.model.dae {
            dae.unknowns
                .iter()
                .for_each(|&k| end(&mut slots[k as usize]));
        }
    }

    /// One step in which all unknowns are solved for.
    fn step_of_all(&mut self, t: f64) -> Result<(), SimError> {
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(&self.y);
        self.past_rates.copy_from_slice(&self.rates);
        if self.options.method == Method::Ode {
            return self.explicit_step(t);
        }
        let stages = StageClock::new(self.options.stage_times);
        let method = self.formula();
        let h = self.grid.step;
        let c = method.leading(h);
        method.known_part(h, &self.past, &self.rates, &mut self.known);
        let mut correction = 0.0;
        for _ in 0..self.options.iterations {
            self.set_rates(c);
            let clock = StageClock::new(self.options.stage_times);
            self.residual(t)?;
            self.limit_residual(t)?;
            clock.stop(&mut self.run.stages.residuals);
            let tolerance = self.options.residual_tolerance;
            if tolerance > 0.0 && self.delta.iter().all(|r| r.abs() <= tolerance) {
                correction = 0.0;
                break;
            }
            let clock = StageClock::new(self.options.stage_times);
            let before = self.tangent.seconds;
            self.tangent
                .prepare(&mut self.p, t, c, &self.y, &self.rates)
                .map_err(|e| tangent_error(&mut self.p, t, e))?;
            self.tangent.solve(&mut self.delta);
            clock.stop(&mut self.run.stages.linear);
            let evaluated = self.tangent.seconds - before;
            self.run.stages.tangent += evaluated;
            self.run.stages.linear -= evaluated;
            correction = 0.0;
            for ((y, d), core) in self.y.iter_mut().zip(&self.delta).zip(&self.core) {
                *y -= d;
                if *core {
                    correction = f64::max(correction, d.abs() / y.abs().max(1.0));
                }
            }
            self.run.stats.newton_iterations += 1;
            if self.options.ending().is_done(correction) {
                break;
            }
        }
        self.set_rates(c);
        self.check_finite(t)?;
        self.judge(t, correction)?;
        if self.projection.is_some() {
            let clock = StageClock::new(self.options.stage_times);
            if self.tangent.whole == Dependence::Continuous {
                self.tangent_values(t, c)?;
            }
            self.project(t)?;
            clock.stop(&mut self.run.stages.projection);
        }
        stages.stop(&mut self.run.stages.all);
        Ok(())
    }

    /// The formula of the next step.
    fn formula(&mut self) -> Method {
        if self.restart > 0 {
            self.restart -= 1;
            Method::Bdf1
        } else if self.start_up > 0 {
            self.start_up -= 1;
            Method::TrapezoidUnprojected
        } else {
            self.options.method
        }
    }

    fn judge(&mut self, t: f64, correction: f64) -> Result<(), SimError> {
        let converged = correction <= CONVERGED;
        if self.options.until_converged && !converged {
            let text = format!(
                "Newton's iteration of the step to time {} does not converge",
                brief(t)
            );
            return Err(SimError {
                hint: Some("a smaller --step may help".to_string()),
                ..SimError::new("E0611", t, Failure::new(text))
            });
        }
        if correction > CONVERGED {
            self.run.unconverged_steps += 1;
            self.run.first_unconverged.get_or_insert(t);
        }
        self.run.largest_correction = self.run.largest_correction.max(correction);
        Ok(())
    }

    fn causal_step(&mut self, t: f64) -> Result<(), SimError> {
        let method = self.formula();
        let Some(causal) = &mut self.causal else {
            return Ok(());
        };
        let work = causal
            .step(&mut self.p, t, method, self.options.ending())
            .map_err(|e| causal_error(&mut self.p, t, e))?;
        let stats = &mut self.run.stats;
        stats.newton_iterations += work.iterations;
        stats.evaluations += work.evaluations;
        stats.jacobians += work.jacobians;
        stats.factorizations += work.factorizations;
        self.run.pivot_searches += work.searches;
        self.judge(t, work.correction)?;
        Ok(())
    }

    fn set_rates(&mut self, c: f64) {
        for ((r, y), k) in self.rates.iter_mut().zip(&self.y).zip(&self.known) {
            *r = c * y + k;
        }
    }

    /// Residuals at `t` and the present unknowns, into `delta`.
    fn residual(&mut self, t: f64) -> Result<(), SimError> {
        self.run.stats.evaluations += 1;
        DaeSystem::residual(&mut self.p, t, &self.y, &self.rates, &mut self.delta)
            .map_err(|_| evaluation_error(&mut self.p, t))
    }

    /// The same with limited exponentials.
    fn limit_residual(&mut self, t: f64) -> Result<(), SimError> {
        if self.tangent.limits.is_empty() {
            return Ok(());
        }
        let limited = self.tangent.limits.residuals(&mut self.p.ev);
        limited.map_err(|e| SimError::new("E0611", t, e))?;
        let first = self.model.dae.as_ref().map_or(0, |d| d.residuals) as usize;
        let n = self.delta.len();
        self.delta
            .copy_from_slice(&self.p.ev.slots[first..first + n]);
        Ok(())
    }

    fn check_finite(&self, t: f64) -> Result<(), SimError> {
        let Some(k) = self.y.iter().position(|v| !v.is_finite()) else {
            return Ok(());
        };
        Err(not_finite(&self.p, t, k, self.y[k]))
    }

    fn tangent_values(&mut self, t: f64, c: f64) -> Result<(), SimError> {
        self.tangent
            .evaluate(&mut self.p, t, c, &self.y, &self.rates)
            .map_err(|e| tangent_error(&mut self.p, t, e))?;
        if let Some(projection) = &mut self.projection {
            projection.invalidate();
        }
        Ok(())
    }

    /// Derivatives back on the tangent plane (if the method asks for it), and how far they are off.
    fn project(&mut self, t: f64) -> Result<(), SimError> {
        let apart = TIME_DIFFERENCE * self.grid.step;
        self.residual(t + apart)?;
        self.work.copy_from_slice(&self.delta);
        self.residual(t - apart)?;
        let Some(projection) = &mut self.projection else {
            return Ok(());
        };
        let span = (t + apart) - (t - apart);
        for (f, &r) in self.time_part.iter_mut().zip(&projection.constraints) {
            *f = (self.work[r as usize] - self.delta[r as usize]) / span;
        }
        if self.options.method == Method::Trapezoid {
            projection
                .project(&self.tangent.values, &self.time_part, &mut self.rates)
                .map_err(|_| {
                    let text = format!("the projection of derivatives fails at time {t}");
                    SimError {
                        hint: Some("use rt-trnp, which goes without it".to_string()),
                        ..SimError::new("E0611", t, Failure::new(text))
                    }
                })?;
        }
        let now = projection.violation(&self.tangent.values, &self.time_part, &self.rates);
        let before = self.run.constraint_rate.map_or(0.0, |r| r.1);
        self.run.constraint_rate = Some((now, before.max(now)));
        Ok(())
    }

    /// Explicit trapezoidal rule for the states; all else follows from them.
    fn explicit_step(&mut self, t: f64) -> Result<(), SimError> {
        let h = self.grid.step;
        let n = self.model.layout.n_states;
        for (y, r) in self.y[..n].iter_mut().zip(&self.rates) {
            *y += h * r;
        }
        self.follow(t)?;
        self.keep_predicted();
        for k in 0..n {
            self.y[k] = self.past[0][k] + 0.5 * h * (self.past_rates[k] + self.rates[k]);
        }
        self.follow(t)?;
        self.watch_corrections(t);
        Ok(())
    }

    /// Derivatives and algebraic unknowns at `t` from the present states.
    fn follow(&mut self, t: f64) -> Result<(), SimError> {
        self.check_finite(t)?;
        self.run.stats.evaluations += 1;
        let n = self.model.layout.n_states;
        self.p.ev.set_time(t);
        self.p.ev.set_states(&self.y[..n]);
        let model = self.model.clone();
        let done = self.p.apply_delays();
        done.and_then(|()| self.p.ev.run(&model.continuous_program))
            .map_err(|e| SimError::new("E0611", t, e))?;
        self.p.gather(&mut self.y, &mut self.rates);
        self.check_finite(t)
    }

    /// The differentiated form must exist.
    fn refuse_dependent(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        let Some(dae) = &model.dae else {
            return Ok(());
        };
        let t = self.now;
        self.tangent_values(t, 0.0)?;
        let rows = dependent_equations(&self.model, dae, &self.p.ev.slots);
        if rows.is_empty() {
            return Ok(());
        }
        let text = format!(
            "the differentiated form is rank-deficient: the differential equations of {} depend on each other",
            components(&model, dae, &rows).join(" and ")
        );
        Err(SimError {
            hint: Some("use rt-tr or rt-bdf2, which solve the equations as they are".to_string()),
            ..SimError::new("E0707", t, Failure::new(text))
        })
    }
}

fn not_finite(p: &Problem, t: f64, unknown: usize, value: f64) -> SimError {
    let slot = p.unknown_slot(unknown);
    let name = slot.map_or("(none)", |s| p.ev.model.var_name(s));
    let text = format!("`{name}` is {value} at time {t}");
    SimError {
        hint: Some("a smaller step or more Newton iterations may help".to_string()),
        ..SimError::new("E0611", t, Failure::new(text))
    }
}

pub(crate) fn causal_error(p: &mut Problem, t: f64, e: StepError) -> SimError {
    match e {
        StepError::Evaluation(failure) => SimError::new("E0611", t, failure),
        StepError::Singular(cause) => singular(&p.ev.model.clone(), t, cause),
        StepError::NotFinite(unknown) => {
            let value = p.unknown_slot(unknown).map_or(f64::NAN, |s| p.ev.get(s));
            not_finite(p, t, unknown, value)
        }
    }
}

fn evaluation_error(p: &mut Problem, t: f64) -> SimError {
    let failure = p
        .failure
        .take()
        .unwrap_or_else(|| Failure::new(format!("evaluation failed at time {t}")));
    SimError::new("E0611", t, failure)
}

fn singular(model: &CompiledModel, t: f64, cause: Singular) -> SimError {
    let mut text = format!("the equations become singular at time {t}");
    if let Some(dae) = &model.dae {
        if let Some(&slot) = dae.unknowns.get(cause.col) {
            text = format!("{text}: `{}` is not determined", model.var_name(slot));
        }
        if let Some(&index) = dae.equations.get(cause.row) {
            let at = EquationRef {
                initial: false,
                index,
            };
            text = format!(
                "{text}; the equation left for it: {}",
                model.equation_text(at)
            );
        }
    }
    SimError::new("E0611", t, Failure::new(text))
}

fn tangent_error(p: &mut Problem, t: f64, e: TangentError) -> SimError {
    match e {
        TangentError::Evaluation(_) => evaluation_error(p, t),
        TangentError::Singular(cause) => singular(&p.ev.model.clone(), t, cause),
        TangentError::NotFinite => {
            let text = format!("a partial derivative of the equations is not finite at time {t}");
            SimError::new("E0611", t, Failure::new(text))
        }
    }
}

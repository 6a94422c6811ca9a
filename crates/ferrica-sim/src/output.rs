//! Points of the trajectory on their way out: rows at output points, delay buffers, checks after a step.

use std::time::Instant;

use ferrica_hybrid::{
    Checked, DELAY_NODES as NODES, SimError, SolverKind, Warning, check_assertions, fill_cubic,
    is_cubic, is_resolved, reselect, same_time, straighten,
};
use ferrica_ir::print::brief;

use crate::results::Sink;
use crate::simulate::Run;

/// A part of a step is halved for delayed signals at most so many times, …
const MOST_HALVINGS: u32 = 10;
/// … and a step is divided into so many parts at most: enough for a few kinks. No division makes noise smooth.
const MOST_PARTS: usize = 32;

/// Which variables are evaluated at a point.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    /// Those of the results.
    Rows,
}

impl Run<'_> {
    pub(crate) fn row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let time = self.told_time();
        let done = sink.row(time, &self.p.ev.slots);
        done.map_err(|e| self.refused(time, &e))
    }

    /// A row that is there because of an event.
    pub(crate) fn event_row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let time = self.told_time();
        let done = sink.event_row(time, &self.p.ev.slots);
        done.map_err(|e| self.refused(time, &e))
    }

    /// The present time; an event a rounding behind the end of the run is at the end.
    fn told_time(&self) -> f64 {
        let (time, stop) = (self.p.ev.time(), self.experiment.stop);
        match time > stop && same_time(time, stop) {
            true => stop,
            false => time,
        }
    }

    /// Why a row was not taken: an assertion of the model that fails there says it best.
    fn refused(&mut self, time: f64, error: &std::io::Error) -> SimError {
        let model = self.model.clone();
        match check_assertions(&mut self.p, &model, Checked::Unguarded, &mut Vec::new()) {
            Err(failed) if failed.code == "E0607" => failed,
            _ => SimError::unwritten(time, error),
        }
    }

    /// Puts the end of the last step into the slots, as far as an event there needs it.
    pub(crate) fn place_event(&mut self) -> Result<(), SimError> {
        if self.wants_left {
            return self.place_end();
        }
        if std::mem::take(&mut self.at_end) {
            return Ok(());
        }
        let t = self.integrator.t();
        self.p.place(t, self.integrator.y(), self.integrator.yp());
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))
    }

    /// Puts the end of the last step into the slots.
    pub(crate) fn place_end(&mut self) -> Result<(), SimError> {
        if std::mem::take(&mut self.at_end) {
            return Ok(());
        }
        let t = self.integrator.t();
        self.p.place(t, self.integrator.y(), self.integrator.yp());
        match self.p.evaluate_continuous() {
            Ok(()) => self.p.consistent = Some(t),
            // At the end of a step the unknowns of the DAE form satisfy their equations.
            Err(_) if self.p.dae && t == self.integrator.interval().1 => {}
            Err(_) if self.p.dae => self.solve_from_end(Wanted::All)?,
            Err(e) => return Err(self.fail("E0605", e)),
        }
        Ok(())
    }

    /// The accepted step into the memories of delayed signals, in as many parts as their smoothness asks for. At an event all
    /// variables are evaluated at its end, where the run is then.
    pub(crate) fn push_delays(
        &mut self,
        begin: f64,
        end: f64,
        event: bool,
    ) -> Result<(), SimError> {
        if self.p.delays.is_empty() || end <= begin {
            return Ok(());
        }
        let mut values = std::mem::take(&mut self.signals);
        values.resize(self.p.delays.signals(), [0.0; NODES]);
        let done = self.push_parts(begin, end, event, &mut values);
        self.signals = values;
        if !self.p.delays.all_constant() {
            let limit = self.step_limit();
            self.integrator.set_h_max(limit);
        }
        done
    }

    /// An event inside of a step that began at `begin` or before it: if the solution goes on as it was, delayed signals are
    /// remembered at the end of the step.
    pub(crate) fn let_signals_wait(&mut self, begin: f64) -> Result<(), SimError> {
        self.place_event()?;
        self.at_end = true;
        self.waiting_from.get_or_insert(begin);
        self.left.clone_from(&self.p.ev.slots);
        self.p.delays.fall_behind();
        Ok(())
    }

    /// The part of the step up to the event that has been settled, with the values before it, and then the jumps there.
    pub(crate) fn remember_waiting(&mut self) -> Result<(), SimError> {
        let Some(from) = self.waiting_from.take() else {
            return Ok(());
        };
        std::mem::swap(&mut self.p.ev.slots, &mut self.left);
        self.p.delays.catch_up();
        self.p.delays.at_event(f64::NAN);
        let done = self.push_delays(from, self.integrator.t(), true);
        std::mem::swap(&mut self.p.ev.slots, &mut self.left);
        (self.at_end, self.p.consistent) = (false, None);
        self.p.delays.after_event(&self.p.ev);
        done
    }

    fn push_parts(
        &mut self,
        begin: f64,
        end: f64,
        event: bool,
        values: &mut [[f64; NODES]],
    ) -> Result<(), SimError> {
        let plain = self.p.delays.lines.is_empty();
        let resolution = self.resolution;
        let all_at_end = event && plain && !self.p.dae;
        // A method of first order has straight lines between its points, and so have the signals.
        let straight = plain && self.experiment.solver == SolverKind::Euler;
        self.parts.clear();
        self.halves.clear();
        let (mut a, mut b, mut halvings, mut done) = (begin, end, 0, 0);
        // The step begins where the last one ended, and that is known.
        for (v, last) in values.iter_mut().zip(self.p.delays.last()) {
            v[0] = last;
        }
        let mut nodes = match (straight, plain) {
            (true, _) => &[NODES - 1][..],
            (false, true) => &[1, 2, 4],
            (false, false) => &[0, 1, 2, 3, 4],
        };
        loop {
            for &node in nodes {
                let last = all_at_end && b == end && node + 1 == NODES;
                self.signals_at((a, b), node, last, values)?;
            }
            let cubic = nodes.len() == 3 && values.iter().all(|v| is_cubic(v, resolution));
            if nodes.len() == 3 {
                if cubic {
                    values.iter_mut().for_each(fill_cubic);
                } else {
                    self.signals_at((a, b), 3, false, values)?;
                }
            }
            if straight {
                values.iter_mut().for_each(straighten);
            }
            let middle = 0.5 * (a + b);
            let smooth = cubic || values.iter().all(|v| is_resolved(v, resolution));
            let few = halvings < MOST_HALVINGS && done + self.parts.len() < MOST_PARTS;
            if few && !smooth && a < middle && middle < b {
                self.halves
                    .extend(values.iter().map(|v| [v[2], v[3], v[4]]));
                self.parts.push((middle, b, halvings + 1));
                (b, halvings) = (middle, halvings + 1);
                for v in &mut *values {
                    (v[4], v[2]) = (v[2], v[1]);
                }
            } else {
                let delays = &mut self.p.delays;
                delays.push_step(&self.p.ev, (a, b), values, begin)?;
                done += 1;
                let Some(next) = self.parts.pop() else {
                    break;
                };
                (a, b, halvings) = next;
                let known = self.halves.len() - values.len();
                for (v, half) in values.iter_mut().zip(self.halves.drain(known..)) {
                    [v[0], v[2], v[4]] = half;
                }
            }
            nodes = &[1, 3];
            self.at_end = false;
        }
        Ok(())
    }

    /// Delayed signals at a node of a part of the last step; at its `end` with all variables.
    fn signals_at(
        &mut self,
        (a, b): (f64, f64),
        node: usize,
        end: bool,
        values: &mut [[f64; NODES]],
    ) -> Result<(), SimError> {
        self.at_end = false;
        if end && self.wants_left {
            self.place_end()?;
            self.at_end = true;
        } else {
            if end {
                let t = self.integrator.t();
                self.p.place(t, self.integrator.y(), self.integrator.yp());
            } else {
                let t = a + (b - a) * node as f64 / (NODES - 1) as f64;
                self.interpolate(t, self.p.size());
            }
            let done = self.p.evaluate_signals();
            done.map_err(|e| self.fail("E0605", e))?;
        }
        self.p.delays.sources(&self.p.ev, node, values);
        Ok(())
    }

    /// A point of the last step into the slots.
    pub(crate) fn interpolate(&mut self, t: f64, n: usize) {
        if self.y.len() != n {
            self.y.resize(n, 0.0);
        }
        self.integrator.interpolate(t, &mut self.y);
        if self.p.dae {
            self.yp.resize(n, 0.0);
            self.integrator.interpolate_derivative(t, &mut self.yp);
        }
        self.p.place(t, &self.y, &self.yp);
    }

    /// Rows at the output points inside of a step.
    pub(crate) fn output_between(
        &mut self,
        begin: f64,
        end: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SimError> {
        if !sink.wants_rows() {
            return Ok(());
        }
        let t = self.output_points.next();
        if t >= end || same_time(t, end) {
            return Ok(());
        }
        let clock = Instant::now();
        let n = self.p.size();
        loop {
            let t = self.output_points.next();
            if t >= end || same_time(t, end) {
                break;
            }
            if t > begin {
                self.at_end = false;
                self.interpolate(t, n);
                self.evaluate_output()?;
                self.check_inside(t, sink)?;
                self.row(sink)?;
            }
            self.output_points.pass();
        }
        self.stats.output_seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Assertions at an output point inside of a step, whose values are in the slots.
    fn check_inside(&mut self, t: f64, sink: &mut dyn Sink) -> Result<(), SimError> {
        if !self.model.assertions_vary {
            return Ok(());
        }
        // A row may need less than they read; what has no value there is told at the end of the step.
        match self.assert_here() {
            Err(failed) if failed.code == "E0607" => Err(self.locate(t, failed, sink)),
            _ => {
                self.sound = t;
                Ok(())
            }
        }
    }

    fn assert_here(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        self.p
            .evaluate_continuous()
            .map_err(|e| self.fail("E0605", e))?;
        let mut warnings = Vec::new();
        check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)?;
        self.warn(warnings);
        Ok(())
    }

    /// An assertion holds where it was looked at last and fails at `t`, within one step: the failure at the instant from which on it does,
    /// which becomes the last row.
    fn locate(&mut self, t: f64, failed: SimError, sink: &mut dyn Sink) -> SimError {
        let (begin, end) = self.integrator.interval();
        let n = self.p.size();
        let (mut holds, mut fails, mut error) = (self.sound.max(begin), t.min(end), failed);
        while !same_time(holds, fails) {
            let middle = 0.5 * (holds + fails);
            if middle <= holds || middle >= fails {
                break;
            }
            self.interpolate(middle, n);
            let told = self.p.apply_delays().map_err(|e| self.fail("E0605", e));
            match told.and_then(|()| self.assert_here()) {
                Err(e) if e.code == "E0607" => (fails, error) = (middle, e),
                Ok(()) => holds = middle,
                // Values that are only had at the end of the step.
                Err(_) => break,
            }
        }
        self.interpolate(fails, n);
        if self.evaluate_output().is_ok() && sink.wants_rows() {
            // What cannot be written is no news beside it.
            let _ = self.row(sink);
        }
        error
    }

    /// What a row needs at an output point inside of a step.
    fn evaluate_output(&mut self) -> Result<(), SimError> {
        let done = self.p.apply_delays();
        match done.and_then(|()| self.p.evaluate(&self.output)) {
            Err(_) if self.p.dae => self.solve_from_end(Wanted::Rows),
            done => done.map_err(|e| self.fail("E0605", e)),
        }
    }

    /// Loops that are not solved at a point inside of a step of the DAE form from the interpolated unknowns: from those of the step's end, which
    /// satisfy their equations there.
    fn solve_from_end(&mut self, wanted: Wanted) -> Result<(), SimError> {
        let t = self.p.ev.time();
        let n = self.p.size();
        let (_, end) = self.integrator.interval();
        self.interpolate(end, n);
        let (y, yp) = (self.y.clone(), self.yp.clone());
        self.interpolate(t, n);
        let states = self.model.layout.n_states;
        self.y[states..].copy_from_slice(&y[states..]);
        self.p.place(t, &self.y, &yp);
        let program = match wanted {
            Wanted::All => &self.model.continuous_program,
            Wanted::Rows => &self.output,
        };
        let done = self.p.apply_delays();
        let Err(e) = done.and_then(|()| self.p.evaluate(program)) else {
            return Ok(());
        };
        let message = format!(
            "the values at time {} are those between two steps of the integrator: {}",
            brief(t),
            e.message
        );
        self.warn(vec![Warning {
            time: t,
            message,
            span: e.span,
        }]);
        self.interpolate(t, n);
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))
    }

    /// After a step without an event: row if an output point is there, assertions, state sets.
    pub(crate) fn after_step(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let t = self.integrator.t();
        let at_output = sink.wants_rows() && same_time(self.output_points.next(), t);
        let stopped = same_time(t, self.experiment.stop);
        let watch = self.model.assertions_vary || !self.model.dynamic_states.is_empty();
        let followed = !self.p.ev.rt.followers.is_empty();
        if !(at_output || stopped || watch || followed) {
            return Ok(());
        }
        self.place_end()?;
        if followed {
            let done = self.p.evaluate_continuous();
            done.map_err(|e| self.fail("E0605", e))?;
            let told = self.p.ev.rt.tell_followers(t);
            told.map_err(|e| self.fail("E0605", e))?;
        }
        if stopped {
            // Rounding of steps does not show at the end.
            self.p.ev.set_time(self.experiment.stop);
        }
        if at_output {
            self.output_points.pass();
        }
        let mut warnings = Vec::new();
        let model = self.model.clone();
        if let Err(failed) =
            check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)
        {
            return Err(match failed.code {
                "E0607" if self.model.assertions_vary => self.locate(t, failed, sink),
                _ => failed,
            });
        }
        self.sound = t;
        self.warn(warnings);
        if at_output || stopped {
            self.row(sink)?;
        }
        if !model.dynamic_states.is_empty()
            && reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?
        {
            match self.p.evaluate_continuous() {
                // The unknowns of the DAE form are as they were: only the states have other meanings.
                Err(_) if self.p.dae => {}
                done => done.map_err(|e| self.fail("E0605", e))?,
            }
            self.restart()?;
        }
        Ok(())
    }
}

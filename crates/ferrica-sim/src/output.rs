//! Points of the trajectory on their way out: rows at output points, delay buffers, checks after a step.

use std::time::Instant;

use ferrica_codegen::Failure;

use crate::dynamic_states::reselect;
use crate::error::SimError;
use crate::events::{Checked, check_assertions};
use crate::experiment::SolverKind;
use crate::results::Sink;
use crate::segment::{NODES, is_resolved, straighten};
use crate::simulate::Run;
use crate::time_events::same_time;

/// A part of a step is halved for delayed signals at most so many times, …
const MOST_HALVINGS: u32 = 10;
/// … and a step is divided into so many parts at most: enough for a few kinks. No division makes noise smooth.
const MOST_PARTS: usize = 32;

impl Run<'_> {
    pub(crate) fn row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let time = self.p.ev.time();
        let done = sink.row(time, &self.p.ev.slots);
        done.map_err(|e| self.unwritten(&e))
    }

    /// A row that is there because of an event.
    pub(crate) fn event_row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let time = self.p.ev.time();
        let done = sink.event_row(time, &self.p.ev.slots);
        done.map_err(|e| self.unwritten(&e))
    }

    fn unwritten(&self, e: &std::io::Error) -> SimError {
        self.fail(
            "E0701",
            Failure::new(format!("the results cannot be written: {e}")),
        )
    }

    /// Puts the end of the last step into the slots.
    pub(crate) fn place_end(&mut self) -> Result<(), SimError> {
        if std::mem::take(&mut self.at_end) {
            return Ok(());
        }
        let t = self.integrator.t();
        self.p.place(t, self.integrator.y(), self.integrator.yp());
        self.p
            .evaluate_continuous()
            .map_err(|e| self.fail("E0605", e))?;
        if self.p.dae {
            // Algebraic values as exact as the causal form has them: conditions may depend on that.
            let model = &self.model;
            if self.p.ev.exec(model, &model.continuous_program).is_err() {
                self.p.place(t, self.integrator.y(), self.integrator.yp());
                return Ok(());
            }
        }
        self.p.consistent = Some(t);
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

    fn push_parts(
        &mut self,
        begin: f64,
        end: f64,
        event: bool,
        values: &mut [[f64; NODES]],
    ) -> Result<(), SimError> {
        let plain = self.p.delays.lines.is_empty();
        let resolution = self.resolution;
        self.parts.clear();
        let mut part = Some((begin, end, 0));
        let mut done = 0;
        while let Some((a, b, halvings)) = part.take().or_else(|| self.parts.pop()) {
            // A part begins where the last one ended, and that is known.
            for (v, last) in values.iter_mut().zip(self.p.delays.last()) {
                v[0] = last;
            }
            let last = b == end && event && plain && !self.p.dae;
            // A method of first order has straight lines between its points, and so have the signals.
            let straight = plain && self.experiment.solver == SolverKind::Euler;
            let first = if straight {
                NODES - 1
            } else {
                usize::from(plain)
            };
            for node in first..NODES {
                self.signals_at((a, b), node, last && node + 1 == NODES, values)?;
            }
            if straight {
                values.iter_mut().for_each(straighten);
            }
            let middle = 0.5 * (a + b);
            let smooth = values.iter().all(|v| is_resolved(v, resolution));
            let few = halvings < MOST_HALVINGS && done + self.parts.len() < MOST_PARTS;
            if few && !smooth && a < middle && middle < b {
                self.at_end = false;
                self.parts.push((middle, b, halvings + 1));
                part = Some((a, middle, halvings + 1));
                continue;
            }
            let delays = &mut self.p.delays;
            delays.push_step(&self.p.ev, (a, b), values, begin);
            done += 1;
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
        if end {
            self.place_end()?;
            self.at_end = true;
        } else {
            let t = a + (b - a) * node as f64 / (NODES - 1) as f64;
            self.interpolate(t, self.p.size());
            let done = self.p.evaluate_signals();
            done.map_err(|e| self.fail("E0605", e))?;
        }
        self.p.delays.sources(&self.p.ev, node, values);
        Ok(())
    }

    /// A point of the last step into the slots.
    pub(crate) fn interpolate(&mut self, t: f64, n: usize) {
        self.y.resize(n, 0.0);
        self.integrator.interpolate(t, &mut self.y);
        if self.p.dae {
            self.yp.resize(n, 0.0);
            self.integrator.interpolate_derivative(t, &mut self.yp);
        }
        self.p.place(t, &self.y, &self.yp);
    }

    pub(crate) fn output_time(&self) -> f64 {
        self.experiment.start + self.next_output as f64 * self.experiment.interval
    }

    /// Rows at the output points inside of a step.
    pub(crate) fn output_between(
        &mut self,
        begin: f64,
        end: f64,
        sink: &mut dyn Sink,
    ) -> Result<(), SimError> {
        if self.experiment.interval <= 0.0 || self.experiment.interval.is_nan() {
            return Ok(());
        }
        let t = self.output_time();
        if t >= end || same_time(t, end) {
            return Ok(());
        }
        let clock = Instant::now();
        let n = self.p.size();
        loop {
            let t = self.output_time();
            if t >= end || same_time(t, end) {
                break;
            }
            if t > begin {
                self.at_end = false;
                self.interpolate(t, n);
                self.evaluate_output()?;
                self.row(sink)?;
            }
            self.next_output += 1;
        }
        self.stats.output_seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    pub(crate) fn evaluate_output(&mut self) -> Result<(), SimError> {
        let done = self.p.apply_delays().and_then(|()| {
            if self.p.dae {
                Ok(())
            } else {
                self.p.ev.run(&self.output)
            }
        });
        done.map_err(|e| self.fail("E0605", e))
    }

    /// After a step without an event: row if an output point is there, assertions, state sets.
    pub(crate) fn after_step(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let t = self.integrator.t();
        let at_output = self.experiment.interval > 0.0 && same_time(self.output_time(), t);
        let stopped = same_time(t, self.experiment.stop);
        let watch = self.model.assertions_vary || !self.model.dynamic_states.is_empty();
        if !(at_output || stopped || watch) {
            return Ok(());
        }
        self.place_end()?;
        if at_output {
            self.next_output += 1;
        }
        if at_output || stopped {
            self.row(sink)?;
        }
        let mut warnings = Vec::new();
        let model = self.model.clone();
        check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)?;
        self.warn(warnings);
        if !model.dynamic_states.is_empty()
            && reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?
        {
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0605", e))?;
            self.restart()?;
        }
        Ok(())
    }
}

//! Points of the trajectory on their way out: rows at output points, delay buffers, checks after a step.

use std::time::Instant;

use ferrica_codegen::Failure;

use crate::dynamic_states::reselect;
use crate::error::SimError;
use crate::events::{Checked, check_assertions};
use crate::results::Sink;
use crate::segment::{NODES, is_resolved, resolution};
use crate::simulate::Run;
use crate::time_events::same_time;

/// A step is divided for delayed signals at most so many times.
const MOST_HALVINGS: u32 = 10;

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
        let (y, yp) = (self.integrator.y().to_vec(), self.integrator.yp().to_vec());
        self.p.place(t, &y, &yp);
        self.p
            .evaluate_continuous()
            .map_err(|e| self.fail("E0605", e))?;
        if self.p.dae {
            // Algebraic values as exact as the causal form has them: conditions may depend on that.
            let model = self.model.clone();
            if self.p.ev.run(&model.continuous_program).is_err() {
                self.p.place(t, &y, &yp);
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
        let n = self.p.size();
        let mut values = std::mem::take(&mut self.signals);
        let mut sources = std::mem::take(&mut self.sources);
        self.p.delays.sources(&self.p.ev, &mut sources);
        values.resize(sources.len(), [0.0; NODES]);
        let plain = self.p.delays.lines.is_empty();
        let fourth = resolution(self.experiment.tolerance);
        self.parts.clear();
        let mut part = Some((begin, end, 0));
        while let Some((a, b, halvings)) = part.take().or_else(|| self.parts.pop()) {
            // A part begins where the last one ended, and that is known.
            for (v, last) in values.iter_mut().zip(self.p.delays.last()) {
                v[0] = last;
            }
            for node in usize::from(plain)..NODES {
                if node + 1 == NODES && b == end && event && plain && !self.p.dae {
                    self.place_end()?;
                    self.at_end = true;
                    self.p.delays.sources(&self.p.ev, &mut sources);
                    for (v, &s) in values.iter_mut().zip(&sources) {
                        v[node] = s;
                    }
                    continue;
                }
                let t = a + (b - a) * node as f64 / (NODES - 1) as f64;
                self.interpolate(t, n);
                let done = self
                    .p
                    .apply_delays()
                    .and_then(|()| self.p.run_delay_sources());
                done.map_err(|e| self.fail("E0605", e))?;
                self.p.delays.sources(&self.p.ev, &mut sources);
                for (v, &s) in values.iter_mut().zip(&sources) {
                    v[node] = s;
                }
            }
            let middle = 0.5 * (a + b);
            let smooth = values.iter().all(|v| is_resolved(v, fourth));
            if halvings < MOST_HALVINGS && !smooth && a < middle && middle < b {
                self.at_end = false;
                self.parts.push((middle, b, halvings + 1));
                part = Some((a, middle, halvings + 1));
                continue;
            }
            let delays = &mut self.p.delays;
            delays.push_step(&self.p.ev, (a, b), &values, begin);
        }
        (self.signals, self.sources) = (values, sources);
        if !self.p.delays.all_constant() {
            let limit = self.step_limit();
            self.integrator.set_h_max(limit);
        }
        Ok(())
    }

    /// A point of the last step into the slots.
    pub(crate) fn interpolate(&mut self, t: f64, n: usize) {
        self.y.resize(n, 0.0);
        self.yp.resize(n, 0.0);
        self.integrator.interpolate(t, &mut self.y);
        if self.p.dae {
            self.integrator.interpolate_derivative(t, &mut self.yp);
        }
        let (y, yp) = (std::mem::take(&mut self.y), std::mem::take(&mut self.yp));
        self.p.place(t, &y, &yp);
        (self.y, self.yp) = (y, yp);
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

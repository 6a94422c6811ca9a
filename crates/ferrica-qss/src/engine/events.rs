//! The engine at an instant of timers and crossings.

use ferrica_ir::Diagnostic;

use super::Engine;
use crate::integrator::{RENEWALS, learned_anew};
use crate::model::{Changes, Event, QssModel};
use crate::observer::Trajectories;

impl<M: QssModel, const N: usize, const D: usize> Engine<'_, M, N, D> {
    /// A crossing is due: are the time inputs it reads exact now? If not they are renewed and the
    /// crossing is predicted again, so that its time does not depend on the inputs' quanta. True: it
    /// is later.
    fn sharpen(&mut self, z: usize, t: f64) -> Result<bool, Diagnostic> {
        let mut renewed = false;
        for at in self.crossing_links.record(z).reads {
            let quantity = self.crossing_links.item(at);
            if quantity >= self.structure.states && self.nodes[quantity].tx != t {
                self.step_input(quantity - self.structure.states, t)?;
                renewed = true;
            }
        }
        if !renewed {
            return Ok(false);
        }
        Ok(self.scheduler.time_of(self.crossing_leaf(z)) > t)
    }

    /// All timers and crossings of this instant. True: the model asked to end.
    pub(super) fn event(&mut self, t: f64) -> Result<bool, Diagnostic> {
        let timers = self.structure.timers;
        let mut fired_crossings = Vec::new();
        let mut fired_timers = Vec::new();
        loop {
            let (leaf, time) = self.scheduler.next();
            if time > t || leaf >= timers + self.detectors.len() {
                break;
            }
            if leaf >= timers && self.sharpen(leaf - timers, t)? {
                continue;
            }
            self.scheduler.set(leaf, f64::INFINITY);
            if leaf < timers {
                self.stats.timer_events += 1;
                fired_timers.push(leaf as u32);
            } else {
                let z = leaf - timers;
                self.detectors[z].fire();
                fired_crossings.push((z as u32, self.detectors[z].side));
            }
        }
        if fired_crossings.is_empty() && fired_timers.is_empty() {
            // Every crossing turned out to be later.
            return Ok(false);
        }
        self.stats.events += 1;
        let mut changes = Changes::default();
        let event = Event {
            time: t,
            crossings: &fired_crossings,
            timers: &fired_timers,
        };
        let at = Trajectories::new(&self.nodes, t);
        self.model.event(event, at, &mut changes)?;
        self.apply(t, &changes, &fired_crossings)?;
        Ok(changes.terminate)
    }

    /// A linearly implicit state whose derivative has become another function chooses its quantized
    /// state anew at once: the old choice looks ahead along a curve that is no more.
    fn renew_state(&mut self, j: usize, t: f64) -> Result<(), Diagnostic> {
        for _ in 0..RENEWALS {
            let slope = self.nodes[j].slope;
            self.step_state(j, t)?;
            self.stats.transitions += 1;
            if !learned_anew(slope, self.nodes[j].slope) {
                break;
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        t: f64,
        changes: &Changes,
        fired: &[(u32, bool)],
    ) -> Result<(), Diagnostic> {
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for &(k, time) in &changes.timers {
            self.scheduler.set(k as usize, time);
        }
        for &(z, side) in &changes.sides {
            self.detectors[z as usize].side = side;
        }
        let mut mark = |j: u32, stamps: &mut [u32]| {
            if stamps[j as usize] != stamp {
                stamps[j as usize] = stamp;
                touched.push(j);
            }
        };
        for &(i, value) in &changes.reinits {
            self.nodes[i as usize].reset::<N, D>(t, value, &self.control);
            mark(i, &mut self.derivative_stamp);
            for &j in self.structure.feeds.row(i as usize) {
                mark(j, &mut self.derivative_stamp);
            }
        }
        for &k in &changes.inputs {
            self.renew_input(k as usize, t);
            for &j in self.structure.feeds.row(self.structure.states + k as usize) {
                mark(j, &mut self.derivative_stamp);
            }
        }
        for &j in &changes.derivatives {
            mark(j, &mut self.derivative_stamp);
        }
        for &j in &touched {
            self.evaluate(j as usize, t)?;
            self.reschedule(j as usize, t);
        }
        if self.control.implicit() {
            let mut renewed = changes.derivatives.clone();
            renewed.sort_unstable();
            renewed.dedup();
            for j in renewed {
                self.renew_state(j as usize, t)?;
            }
        }
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut crossings: Vec<u32> = Vec::new();
        for &j in &touched {
            crossings.extend_from_slice(self.structure.crossing_feeds.row(j as usize));
        }
        for &k in &changes.inputs {
            let quantity = self.structure.states + k as usize;
            crossings.extend_from_slice(self.structure.crossing_feeds.row(quantity));
        }
        crossings.extend_from_slice(&changes.crossings);
        crossings.extend(changes.sides.iter().map(|s| s.0));
        crossings.extend(fired.iter().map(|s| s.0));
        for z in crossings {
            let seen = &mut self.detectors[z as usize].stamp;
            if *seen != stamp {
                *seen = stamp;
                self.predict(z as usize, t);
            }
        }
        self.touched = touched;
        Ok(())
    }
}

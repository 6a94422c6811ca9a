//! The engine at an instant of timers and crossings.

use ferrica_ir::Diagnostic;
use ferrica_sim::same_time;

use super::Engine;
use crate::finer::refine_at_event;
use crate::groups::Couplings;
use crate::integrator::{RENEWALS, Since, learned_anew};
use crate::model::{Changes, Event, QssModel};
use crate::observer::Trajectories;
use crate::reaches::reach;

/// Lists of one instant, kept for the next one.
#[derive(Default)]
pub(super) struct Room {
    crossings: Vec<(u32, bool)>,
    timers: Vec<u32>,
    /// Crossings that turn right after this instant.
    later: Vec<(u32, bool)>,
    changes: Changes,
    /// States whose derivative is another function now.
    renewed: Vec<u32>,
    predicted: Vec<u32>,
    /// Leaves of quantities whose transition waits for the event.
    postponed: Vec<usize>,
}

impl Room {
    fn clear(&mut self) {
        self.crossings.clear();
        self.timers.clear();
        self.later.clear();
        self.changes.clear();
        self.renewed.clear();
        self.predicted.clear();
        self.postponed.clear();
    }
}

impl<M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'_, M, N, D, C> {
    /// A crossing is due: are the time inputs it reads exact now? If not they are renewed and the
    /// crossing is predicted again, so that its time does not depend on the inputs' quanta. So is one whose function is not affine: it has been
    /// predicted by a polynomial, and where the function itself has not come to zero its event would be followed by one back. True: it
    /// is later.
    fn sharpen(&mut self, z: usize, t: f64) -> Result<bool, Diagnostic> {
        let mut renewed = false;
        let watch = self.watches[z];
        let reads = watch.reads(z, &self.structure.crossing_reads).len();
        for k in 0..reads {
            let quantity = watch.reads(z, &self.structure.crossing_reads)[k] as usize;
            if quantity >= self.structure.states && self.nodes[quantity].tx != t {
                self.step_input(quantity - self.structure.states, t, Since::default())?;
                renewed = true;
            }
        }
        if !renewed && !watch.detector.bent {
            return Ok(false);
        }
        if watch.detector.bent {
            self.predict(z, t);
        }
        let next = self.scheduler.time_of(self.crossing_leaf(z));
        Ok(next > t && !same_time(next, t))
    }

    /// All timers and crossings of this instant, whose times may differ by their rounding. True: the model asked to end.
    pub(super) fn event(&mut self, t: f64) -> Result<bool, Diagnostic> {
        let timers = self.structure.timers;
        let mut room = self.room.take().unwrap_or_default();
        room.clear();
        let quantities = timers + self.watches.len();
        loop {
            let (leaf, time) = self.scheduler.next();
            if time > t && !same_time(time, t) {
                break;
            }
            if leaf >= quantities {
                if time == t {
                    break;
                }
                // A transition between two times that are one.
                self.scheduler.set(leaf, f64::INFINITY);
                room.postponed.push(leaf);
                continue;
            }
            if leaf >= timers && self.sharpen(leaf - timers, t)? {
                continue;
            }
            self.scheduler.set(leaf, f64::INFINITY);
            if leaf < timers {
                self.stats.timer_events += 1;
                room.timers.push(leaf as u32);
            } else {
                let z = leaf - timers;
                let detector = &mut self.watches[z].detector;
                detector.fire(t, self.length);
                detector.expected = false;
                room.crossings.push((z as u32, detector.side));
            }
        }
        for &leaf in &room.postponed {
            let node = &self.nodes[self.quantity_at(leaf)];
            self.scheduler.set(leaf, node.next);
        }
        if room.crossings.is_empty() && room.timers.is_empty() {
            // Every crossing turned out to be later.
            self.room = Some(room);
            return Ok(false);
        }
        room.later.extend(
            room.crossings
                .iter()
                .filter(|&&(z, side)| self.model.turns_after(z as usize, side)),
        );
        let in_turn = !room.later.is_empty()
            && (!room.timers.is_empty() || room.later.len() < room.crossings.len());
        if in_turn {
            for c in &mut room.crossings {
                c.1 ^= room.later.contains(c);
            }
        }
        let mut terminate = self.happen(t, &mut room)?;
        if in_turn && !terminate {
            self.turn_after(&mut room);
            if !room.crossings.is_empty() {
                terminate = self.happen(t, &mut room)?;
            }
        }
        self.room = Some(room);
        Ok(terminate)
    }

    /// One event with what has fired. True: the model asked to end.
    fn happen(&mut self, t: f64, room: &mut Room) -> Result<bool, Diagnostic> {
        self.stats.events += 1;
        if let Some(couplings) = &self.couplings {
            for &(z, _) in &room.crossings {
                for &quantity in self.structure.crossing_reads.row(z as usize) {
                    couplings.come_to_rest::<N, D>(&mut self.nodes, quantity as usize, t);
                }
            }
        }
        let event = Event {
            time: t,
            crossings: &room.crossings,
            timers: &room.timers,
        };
        let at = Trajectories::new(&self.nodes, N, t);
        self.model.event(event, at, &mut room.changes)?;
        let couplings = self.couplings.as_ref();
        let chose = |i| couplings.is_some_and(|c| c.is_member(i));
        let (structure, changes) = (&self.structure, &mut room.changes);
        let values = (t, &mut self.inputs[..]);
        refine_at_event(
            self.model,
            structure,
            &mut self.nodes,
            changes,
            values,
            chose,
        );
        self.apply(t, room)?;
        Ok(room.changes.terminate)
    }

    /// What turns right after the instant is next; not where the event has moved its threshold.
    fn turn_after(&mut self, room: &mut Room) {
        let later = std::mem::take(&mut room.later);
        let moved = std::mem::take(&mut room.changes.crossings);
        room.clear();
        for (z, side) in later {
            if moved.contains(&z) {
                self.watches[z as usize].detector.side = !side;
                let t = self.time;
                self.predict(z as usize, t);
            } else {
                room.crossings.push((z, side));
            }
        }
    }

    /// A linearly implicit state whose derivative has become another function chooses its quantized
    /// state anew at once: the old choice looks ahead along a curve that is no more. The first choices find
    /// out its linear part; only the last one is told to others.
    fn renew_state(&mut self, j: usize, t: f64) -> Result<(), Diagnostic> {
        self.keep_off_poles(j, t);
        let mut reads = self.links.record(j).reads;
        let reads_itself = reads.any(|at| self.links.item(at) == j);
        self.stats.per_state[j] += 1;
        self.stats.transitions += 1;
        if !reads_itself {
            self.nodes[j].requantize::<N, D>(t, &self.control);
            return Ok(());
        }
        let probe = self.nodes[j].probe::<N, D>(t);
        self.evaluate(j, t)?;
        self.nodes[j].learn::<N>(&probe);
        for _ in 1..RENEWALS {
            let slope = self.nodes[j].slope;
            let pending = self.nodes[j].requantize::<N, D>(t, &self.control);
            self.evaluate(j, t)?;
            self.nodes[j].learn::<N>(&pending);
            if !learned_anew(slope, self.nodes[j].slope) {
                break;
            }
        }
        Ok(())
    }

    /// Crossing z has fired, or the run begins: its function is as large as it can be in the present mode.
    pub(super) fn limit_reach(&mut self, z: usize, t: f64) {
        let watch = self.watches[z];
        let reads = watch.reads(z, &self.structure.crossing_reads);
        self.stats.crossing_evaluations += 1 + reads.len() as u64;
        let (nodes, x) = ((&self.nodes[..], &self.control), &mut self.crossing_inputs);
        let couplings = self.couplings.as_ref();
        let uncertainty = |k: usize| match couplings {
            Some(c) => c.uncertainty(nodes.0, k),
            None => nodes.0[k].quantum,
        };
        let most = reach(self.model, (z, reads), nodes, uncertainty, t, x);
        self.watches[z].detector.limit(most);
    }

    fn apply(&mut self, t: f64, room: &mut Room) -> Result<(), Diagnostic> {
        let Room {
            crossings: fired,
            changes,
            renewed,
            predicted,
            ..
        } = room;
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for &(k, time) in &changes.timers {
            self.scheduler.set(k as usize, time);
        }
        for &(z, side) in &changes.sides {
            self.watches[z as usize].detector.side = side;
        }
        if !changes.reinits.is_empty() {
            for &(z, _) in fired.iter() {
                self.watches[z as usize].detector.has_jumped();
            }
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
            for at in self.links.record(i as usize).feeds {
                mark(self.links.item(at) as u32, &mut self.derivative_stamp);
            }
        }
        for &k in &changes.inputs {
            self.renew_input(k as usize, t);
            let quantity = self.structure.states + k as usize;
            for at in self.links.record(quantity).feeds {
                mark(self.links.item(at) as u32, &mut self.derivative_stamp);
            }
        }
        for &j in &changes.derivatives {
            mark(j, &mut self.derivative_stamp);
        }
        let mut parted = Vec::new();
        if let Some(couplings) = &mut self.couplings {
            for &j in &touched {
                parted.extend_from_slice(couplings.members(j as usize));
                couplings.part(j as usize);
            }
        }
        for &j in &touched {
            self.evaluate(j as usize, t)?;
        }
        renewed.extend_from_slice(&changes.derivatives);
        renewed.sort_unstable();
        renewed.dedup();
        for &j in renewed.iter() {
            self.renew_state(j as usize, t)?;
            for at in self.links.record(j as usize).feeds {
                let k = self.links.item(at);
                if k == j as usize {
                    continue;
                }
                if self.derivative_stamp[k] != stamp {
                    self.derivative_stamp[k] = stamp;
                    touched.push(k as u32);
                }
                self.evaluate(k, t)?;
            }
        }
        if self.couplings.is_some() {
            for &j in &changes.derivatives {
                self.learn_couplings(j as usize, t);
            }
            // What they have chosen together was meant for all of them.
            parted.extend_from_slice(renewed);
            parted.sort_unstable();
            parted.dedup();
            for &j in &parted {
                if !self
                    .couplings
                    .as_ref()
                    .is_some_and(|c| c.is_member(j as usize))
                {
                    self.choose_together(j as usize, t, &mut touched)?;
                }
            }
        }
        for &j in &touched {
            self.reschedule(j as usize, t);
        }
        for &j in &touched {
            self.end_before_poles(j as usize, t);
        }
        if self.kinked {
            for &j in &touched {
                self.heed_kinks(j as usize, t);
            }
        }
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        for &j in &touched {
            let seen = self.links.record(j as usize).crossings;
            predicted.extend(seen.map(|at| self.links.item(at) as u32));
        }
        for &k in &changes.inputs {
            let quantity = self.structure.states + k as usize;
            let seen = self.links.record(quantity).crossings;
            predicted.extend(seen.map(|at| self.links.item(at) as u32));
        }
        predicted.extend_from_slice(&changes.crossings);
        predicted.extend(changes.sides.iter().map(|s| s.0));
        predicted.extend(fired.iter().map(|s| s.0));
        for &(z, _) in fired.iter() {
            self.limit_reach(z as usize, t);
        }
        for &z in predicted.iter() {
            let seen = &mut self.watches[z as usize].stamp;
            if *seen != stamp {
                *seen = stamp;
                self.predict(z as usize, t);
            }
        }
        self.touched = touched;
        Ok(())
    }

    /// Modified LIQSS: derivative j has become another function; what it makes of each state that it reads.
    pub(super) fn learn_couplings(&mut self, j: usize, t: f64) {
        let reads = self.structure.reads.row(j);
        for (slot, &k) in self.inputs.iter_mut().zip(reads) {
            *slot = self.nodes[k as usize].quantized(t);
        }
        let x = &mut self.inputs[..reads.len()];
        self.stats.derivative_evaluations += 1 + reads.len() as u64;
        let f = self.model.derivative(j, t, x)[0];
        for (place, &i) in reads.iter().enumerate() {
            let i = i as usize;
            if i >= self.structure.states {
                continue;
            }
            let Some(at) = Couplings::place(&self.structure, i, j) else {
                continue;
            };
            let value = x[place][0];
            x[place][0] += self.nodes[i].quantum;
            let step = x[place][0] - value;
            let slope = (self.model.derivative(j, t, x)[0] - f) / step;
            x[place][0] = value;
            if slope.is_nan() {
                // Not defined there: no failure of the run.
                self.model.failure();
            } else if i == j {
                self.nodes[j].slope = slope.min(0.0);
            } else if let Some(couplings) = &mut self.couplings {
                couplings.learn(at, slope);
            }
        }
    }

    /// A state that shares fast motions with others chooses together with them: an event has let it choose alone. Their readers are added to
    /// those that are touched.
    pub(super) fn choose_together(
        &mut self,
        j: usize,
        t: f64,
        touched: &mut Vec<u32>,
    ) -> Result<(), Diagnostic> {
        let Some(mut couplings) = self.couplings.take() else {
            return Ok(());
        };
        let mut group = None;
        if couplings.is_tight(&self.structure, &self.nodes, j) {
            let old = self.nodes[j];
            self.nodes[j].requantize::<N, D>(t, &self.control);
            let (structure, nodes) = (&self.structure, &mut self.nodes);
            let times = (t, self.stop - t);
            group = couplings.step_together::<N, D>(structure, nodes, (j, &old), times, true);
            if group.is_none() {
                self.nodes[j] = old;
            }
        }
        self.couplings = Some(couplings);
        let Some(group) = group else { return Ok(()) };
        self.stats.pair_steps += 1;
        self.stats.transitions += 1;
        for state in group {
            for at in self.links.record(state as usize).feeds {
                let k = self.links.item(at);
                if self.derivative_stamp[k] != self.stamp {
                    self.derivative_stamp[k] = self.stamp;
                    touched.push(k as u32);
                }
                self.evaluate(k, t)?;
            }
        }
        Ok(())
    }
}

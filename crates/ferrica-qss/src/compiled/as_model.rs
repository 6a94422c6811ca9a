//! The compiled model as the engine sees it.

use ferrica_codegen::interval::Interval;
use ferrica_codegen::{Failure, Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_ir::print::brief;
use ferrica_sim::{EventResult, holds, side as side_of};

use super::CompiledQss;
use super::names::{crossing_name, diagnostic, state_name};
use super::prepare::instant;
use crate::inputs::Reach;
use crate::model::{Changes, Event, QssModel, Structure};
use crate::observer::Trajectories;
use crate::plans::{Plans, Shapeliness};
use crate::standing::Standing;

impl CompiledQss {
    /// A crossing function that has jumped to zero and stays there is on the side that its relation says.
    #[cold]
    fn at_zero<const D: usize>(&self, z: usize) -> [f64; D] {
        let op = self.model.relations[z].op;
        let mut g = [0.0; D];
        g[0] = if side_of(op, holds(op, 0.0, 0.0)) > 0.0 {
            f64::MIN_POSITIVE
        } else {
            -f64::MIN_POSITIVE
        };
        g
    }

    /// The timer of the port: what has come.
    #[cold]
    fn open_port(
        &mut self,
        at: Trajectories<'_>,
        timer: u32,
        changes: &mut Changes,
    ) -> Result<Vec<(Slot, f64)>, Diagnostic> {
        let Some(mut port) = self.port.take() else {
            return Ok(Vec::new());
        };
        let arrived = port.open(self, at);
        let arrived = arrived.map_err(|f| diagnostic("E0712", f))?;
        let samplers = self.samplers.len();
        self.instants[samplers] = port.due(&self.instants[..samplers]);
        changes.timers.push((timer, self.instants[samplers]));
        self.port = Some(port);
        Ok(arrived)
    }

    /// The polynomial of a source of a delay, or of a delay time, from now on.
    #[cold]
    fn remember(&mut self, memory: usize, time: f64, c: &[f64]) {
        self.due = match memory.checked_sub(self.histories.len()) {
            None => self.histories[memory].push(time, c),
            Some(k) if self.histories[self.delay_times[k]].set_delay(time, c) => time,
            Some(_) => f64::INFINITY,
        };
    }
}

impl QssModel for CompiledQss {
    fn structure(&self) -> Structure {
        self.structure.clone()
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        x.copy_from_slice(self.ev.states());
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, time: f64, q: &[[f64; N]]) -> [f64; N] {
        self.polynomial(0, j, time, q)
    }

    #[inline]
    fn crossing<const D: usize>(&mut self, z: usize, time: f64, x: &[[f64; D]]) -> [f64; D] {
        let g = self.polynomial(1, z, time, x);
        if let Some(k) = z.checked_sub(self.model.relations.len()) {
            self.remember(k, time, &g);
            let mut never = [0.0; D];
            never[0] = 1.0;
            return never;
        }
        self.local[1].note(z, g[0]);
        if g == [0.0; D] {
            return self.at_zero(z);
        }
        g
    }

    #[inline]
    fn omitted(&self) -> f64 {
        self.omitted
    }

    fn shapeliness(&self, j: usize) -> Shapeliness {
        self.shapeliness[j]
    }

    #[inline]
    fn has_poles(&self, j: usize) -> bool {
        self.poles.possible(j)
    }

    fn has_pole_within(&mut self, j: usize, time: f64, ranges: &[Interval]) -> bool {
        self.poles.within(j, time, ranges, &self.ev.slots)
    }

    fn standing(&self, j: usize) -> Standing {
        self.standings[j]
    }

    #[inline]
    fn derivative_ahead(&self, j: usize) {
        self.local[0].ahead(j);
    }

    #[inline]
    fn crossing_ahead(&self, z: usize) {
        self.local[1].ahead(z);
    }

    #[inline]
    fn event_ahead(&self, z: usize) {
        if z < self.model.relations.len() {
            self.events.ahead(z);
        }
    }

    #[inline]
    fn event_near(&self, z: usize) {
        if z < self.model.relations.len() {
            let derivatives = &self.local[0];
            let ahead = |j: usize| derivatives.renewal_ahead(j);
            self.events.near(z, &self.model, &self.ev, ahead);
        }
    }

    fn input(&mut self, k: usize, time: f64) -> [f64; 5] {
        let Some(k) = k.checked_sub(self.histories.len()) else {
            if self.histories[k].circles(time) {
                self.failure.get_or_insert(Failure::new(format!(
                    "a delayed signal depends on itself without a delay at time {}",
                    brief(time)
                )));
                return [f64::NAN; 5];
            }
            let (c, until) = self.histories[k].at(time);
            self.until = until;
            return c;
        };
        self.until = f64::INFINITY;
        self.ev.slots[Layout::TIME as usize] = time;
        if let Err(message) = self.bank.run(self.inputs[k], &mut self.ev) {
            self.failure
                .get_or_insert(Failure::new(format!("at time {}: {message}", brief(time))));
            return [f64::NAN; 5];
        }
        let (stride, slot) = (self.bank.stride, self.first_input as usize + k);
        std::array::from_fn(|c| self.ev.slots[c * stride + slot])
    }

    fn events_change_input(&self, k: usize) -> bool {
        let own = k.checked_sub(self.histories.len());
        own.is_some_and(|k| self.changing_inputs[k])
    }

    fn input_until(&self, _: usize) -> f64 {
        self.until
    }

    fn reach(&mut self, k: usize, from: f64, to: f64) -> Reach {
        match k.checked_sub(self.histories.len()) {
            // What comes out of a memory is polynomials that have gone in.
            None => Reach::Exact,
            Some(k) => self.bank.reach(self.inputs[k], (from, to), &self.ev),
        }
    }

    fn input_due(&self, _: usize) -> f64 {
        self.due
    }

    fn crossing_shapeliness(&self, z: usize) -> Shapeliness {
        self.crossing_shapeliness[z]
    }

    fn side(&self, z: usize) -> bool {
        self.sides[z]
    }

    fn turns_after(&self, z: usize, side: bool) -> bool {
        let relation = self.model.relations.get(z);
        relation
            .is_some_and(|r| r.time_event && (side_of(r.op, holds(r.op, 0.0, 0.0)) > 0.0) != side)
    }

    fn first_time(&self, timer: usize) -> f64 {
        self.instants[timer]
    }

    fn event(
        &mut self,
        event: Event<'_>,
        at: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        self.epoch += 1;
        self.set_delayed(event.time);
        for &(z, side) in event.crossings {
            self.sides[z as usize] = side;
        }
        let (mut timers, mut arrived) = (event.timers, Vec::new());
        if let Some((&last, others)) = timers.split_last()
            && last as usize == self.samplers.len()
        {
            timers = others;
            arrived = self.open_port(at, last, changes)?;
        }
        for &k in timers {
            self.samplers[k as usize].take(event.time);
            self.instants[k as usize] = instant(&self.samplers, &self.instants, k as usize);
            changes.timers.push((k, self.instants[k as usize]));
        }
        self.ev.set_time(event.time);
        let mut result = EventResult::default();
        let mut settling = (self.events)
            .begin(&self.model, &mut self.ev, at, false)
            .map_err(|e| e.diagnostic())?;
        for &(z, positive) in event.crossings {
            let op = self.model.relations[z as usize].op;
            let largest = self.local[1].largest(z as usize);
            settling.cross(z, (side_of(op, true) > 0.0) == positive, largest);
        }
        for &k in timers {
            settling.sample(k as usize);
        }
        for (slot, value) in arrived {
            settling.give(slot, value);
        }
        settling
            .settle_crossed(&mut result)
            .map_err(|e| e.diagnostic())?;
        let states = self.structure.states as u32;
        let crossings = self.sides.len() as u32;
        for &slot in &self.events.changed {
            self.shown_changed |= self.events.is_shown(slot);
            for at in self.events.consumers(slot) {
                let c = self.events.consumer(at) as u32;
                if c < states {
                    self.local[0].renew(c as usize, slot, self.ev.slots[slot as usize]);
                    changes.derivatives.push(c);
                } else if c < states + crossings {
                    let z = (c - states) as usize;
                    self.local[1].renew(z, slot, self.ev.slots[slot as usize]);
                    changes.crossings.push(c - states);
                } else {
                    changes.inputs.push(c - states - crossings);
                }
            }
        }
        for &r in &self.events.relations {
            let relation = &self.model.relations[r as usize];
            let memory = self.ev.slots[relation.memory as usize] != 0.0;
            let side = side_of(relation.op, memory) > 0.0;
            if side != self.sides[r as usize] {
                self.sides[r as usize] = side;
                changes.sides.push((r, side));
            }
        }
        changes.reinits.extend_from_slice(&self.events.reinits);
        if let Some(message) = result.terminate {
            self.terminated = Some(message);
            changes.terminate = true;
        }
        self.warnings.append(&mut result.warnings);
        Ok(())
    }

    fn end(&mut self, at: Trajectories<'_>) -> Result<(), Diagnostic> {
        if !self.ends {
            return Ok(());
        }
        self.epoch += 1;
        self.set_delayed(at.time);
        self.ev.set_time(at.time);
        self.ev.set(Layout::TERMINAL, 1.0);
        let mut result = EventResult::default();
        (self.events)
            .begin(&self.model, &mut self.ev, at, false)
            .and_then(|mut event| event.settle_crossed(&mut result))
            .map_err(|e| e.diagnostic())?;
        self.warnings.append(&mut result.warnings);
        Ok(())
    }

    fn failure(&mut self) -> Option<Diagnostic> {
        let local = self.local.iter_mut().find_map(Plans::failure);
        let failure = self.failure.take().or(local.map(Failure::new));
        failure.map(|f| diagnostic("E0605", f))
    }

    fn state_name(&self, j: usize) -> String {
        state_name(&self.model, j)
    }

    fn crossing_name(&self, z: usize) -> String {
        crossing_name(&self.model, z)
    }
}

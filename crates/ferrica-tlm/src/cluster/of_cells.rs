//! Steps of a cluster whose parts are cells.

use ferrica_codegen::model::BlockId;
use ferrica_codegen::{Evaluator, Failure};

use super::Cluster;
use crate::cells::Cells;
use crate::exchange::Exchange;
use crate::receive::receive;
use crate::ring::store;

impl Cluster<'_> {
    pub(super) fn steps_of_cells(
        &mut self,
        count: u64,
        cells: &mut Cells,
        ev: &mut Evaluator,
        exchange: &Exchange,
    ) -> Result<(), Failure> {
        let all = self.done + count;
        while self.done < all {
            // The last step of a burst, and one in which a condition of time changes, are done with care.
            let change = (self.next_change - exchange.start) / self.plan.step - 1.5;
            let last = if change < all as f64 {
                change.max(0.0) as u64
            } else {
                all - 1
            };
            if self.is_alone() && last > self.done {
                let begin = self.done;
                let (done, flags) = cells.march(begin, last);
                self.done = done;
                self.evaluations += done - begin;
                if flags != 0 {
                    let end = exchange.start + done as f64 * self.plan.step;
                    self.care_for_cells(cells, ev, done, end)?;
                }
            } else {
                self.step_cells(cells, ev, exchange)?;
            }
        }
        Ok(())
    }

    /// One step of all cells.
    fn step_cells(
        &mut self,
        cells: &mut Cells,
        ev: &mut Evaluator,
        exchange: &Exchange,
    ) -> Result<(), Failure> {
        let plan = self.plan;
        let next = self.done + 1;
        let end = exchange.start + next as f64 * plan.step;
        let halves = cells.needs_middle();
        for (link, reads) in plan.links.iter().zip(&plan.imports) {
            let table = &exchange.samples[link.from];
            let (middle, last) = cells.imports();
            if halves {
                let set = |place: u32, v: f64| middle[place as usize] = v;
                receive(link, reads, table, self.done, 0.5, set);
            }
            let set = |place: u32, v: f64| last[place as usize] = v;
            receive(link, reads, table, self.done, 1.0, set);
        }
        cells.begin(next);
        let (outer, all) = match &plan.cells {
            Some(p) => (p.outer, p.classes.len()),
            None => (0, 0),
        };
        let mut flags = cells.run(0..outer, next);
        let due = self.next_change <= end + 1e-9 * plan.step;
        // Others can go on while the inner cells are at work.
        let early = outer > 0 && flags == 0 && !due;
        if early {
            self.publish_cells(cells, exchange, next);
        }
        flags |= cells.run(outer..all, next);
        self.evaluations += 1;
        if due {
            self.change_cells(cells, ev, next, end)?;
        } else if flags != 0 {
            self.care_for_cells(cells, ev, next, end)?;
        }
        self.done = next;
        if !early {
            self.publish_cells(cells, exchange, next);
        }
        if self.row_is_due(exchange, next) {
            ev.set_time(end);
            for c in 0..plan.parts.len() {
                cells.spill(c, next, ev);
            }
            for link in &plan.links {
                let table = &exchange.samples[link.from];
                receive(link, &link.reads, table, self.done - 1, 1.0, |slot, v| {
                    ev.set(slot, v)
                });
            }
            ev.run(&plan.core)?;
            self.watch_events(ev, end)?;
            self.publish_row(ev, exchange)?;
        }
        Ok(())
    }

    /// A condition of time alone changes now: everything anew with the evaluator.
    fn change_cells(
        &mut self,
        cells: &mut Cells,
        ev: &mut Evaluator,
        done: u64,
        t: f64,
    ) -> Result<(), Failure> {
        ev.set_time(t);
        let count = self.plan.parts.len();
        for c in 0..count {
            cells.spill(c, done, ev);
        }
        ev.run(&self.plan.core)?;
        self.settle_events(ev, t)?;
        for c in 0..count {
            cells.refill(c, ev);
            cells.send(c, done, ev);
        }
        self.predict(ev)
    }

    /// Cells with a changed condition or an iteration that did not converge.
    fn care_for_cells(
        &mut self,
        cells: &mut Cells,
        ev: &mut Evaluator,
        done: u64,
        t: f64,
    ) -> Result<(), Failure> {
        let model = ev.model.clone();
        ev.set_time(t);
        let cut = self.cut;
        for (c, _) in cells.flagged() {
            cells.spill(c, done, ev);
            let program = cells.program(c, &model, |p| {
                let mut blocks: Vec<BlockId> = [&cut.shared[..], &cut.parts[p].blocks].concat();
                blocks.sort_unstable();
                blocks
            });
            ev.run(&program)?;
            let part = self.plan.parts[c];
            if let Some(p) = self.plan.eventful.iter().position(|e| e.part == part) {
                self.part_events(ev, p, t, false)?;
            }
            cells.refill(c, ev);
            cells.send(c, done, ev);
        }
        let memory = |k: usize| model.relations[self.relations[k] as usize].memory;
        self.coarse.note(t, |k| ev.get(memory(k)));
        Ok(())
    }

    fn publish_cells(&self, cells: &Cells, exchange: &Exchange, step: u64) {
        let row = exchange.samples[self.index].row(step);
        for (cell, &value) in row.iter().zip(cells.exports()) {
            store(cell, value);
        }
        exchange.progress[self.index].publish(step + 1);
    }
}

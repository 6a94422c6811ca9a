//! A cluster on its thread: steps, events of its parts, samples in and out.
//!
//! Invariant: between steps the slots of the cluster hold its solution at step `done`, and the sample
//! and result row of that step are published.

mod of_cells;

use std::hash::{Hash, Hasher};

use ferrica_codegen::program::Program;
use ferrica_codegen::{Evaluator, Failure, Slot};
use ferrica_hybrid::{
    CHATTER_SPAN, CoarseEvents, Forced, Means, Samplers, Scope, accumulate, behind_threshold,
    holds, holds_by_values, sharper, update_relations,
};
use ferrica_ir::print::brief;
use rustc_hash::FxHasher;

use crate::cells::Cells;
use crate::divergence::{Divergence, SHORTER};
use crate::exchange::{Exchange, ROWS_AHEAD};
use crate::history::History;
use crate::own_solver::{Advanced, Interval, OwnSolver};
use crate::parts::Partitions;
use crate::plan::{ClusterPlan, Method, Plan};
use crate::receive::receive;
use crate::ring::{load, store};
use crate::settle::{Held, plain, settle_part};

/// Steps between two looks at whether the run is to stop.
const MAX_BURST: u64 = 4096;
/// Times this part of a step apart are one.
const ROUNDING: f64 = 1e-9;
/// Part of a step behind a threshold at which its condition has its new value, and none of the next thresholds is.
const BEHIND: f64 = 1e-3;

fn not_finite(ev: &Evaluator, slot: Slot) -> Failure {
    let mut failure = Failure::new(format!(
        "`{}` is {} at time {}",
        ev.model.var_name(slot),
        ev.get(slot),
        brief(ev.time())
    ));
    (failure.details).push(format!("a pole, or a step that is too long: {SHORTER}"));
    failure
}

/// A condition of time alone at its threshold.
struct Turn {
    memory: Slot,
    /// Behind the threshold.
    value: f64,
    /// It is that at the threshold too.
    at_once: bool,
}

pub struct Cluster<'a> {
    index: usize,
    plan: &'a ClusterPlan,
    method: Method,
    /// Steps done before this stage, steps done, and all steps to do.
    pub first: u64,
    pub done: u64,
    pub all: u64,
    /// Next result row.
    row: usize,
    x: Vec<f64>,
    k: Vec<f64>,
    sum: Vec<f64>,
    /// Of each part with events: its samplers, and what takes part.
    samplers: Vec<Samplers>,
    scopes: Vec<Scope>,
    /// Samplers whose instant it is.
    due: Vec<usize>,
    tolerance: f64,
    /// A condition has chattered: see [`Means`].
    prefers_rest: bool,
    /// The parts as cells, and the time of the next change of a condition of time alone.
    cells: Option<Box<Cells<'a>>>,
    next_change: f64,
    /// Variable steps inside of the step.
    own: Option<OwnSolver>,
    divergence: Divergence,
    /// Events of conditions that steps of a fixed size have met at their ends.
    pub late: u64,
    /// Relations of the parts, and the search for events of them that accumulate.
    relations: Vec<u32>,
    coarse: CoarseEvents,
    shared: &'a Program,
    cut: &'a Partitions,
    /// Conditions of time alone at step `done`: other clusters of the same evaluator may be at other times.
    time_memories: Vec<f64>,
    /// Clusters with the same mark have the same such conditions.
    pub mark: u64,
    pub events: u64,
    pub evaluations: u64,
}

impl<'a> Cluster<'a> {
    /// At the start; publishes the first sample and row.
    pub fn new(
        index: usize,
        plan: &'a Plan,
        cut: &'a Partitions,
        method: Method,
        ev: &mut Evaluator,
        exchange: &Exchange,
        history: &History,
    ) -> Result<Cluster<'a>, Failure> {
        let base = &plan.clusters[index];
        let done = exchange.first_step(base.per_base);
        let now = exchange.start + done as f64 * base.step;
        let last = exchange.row_steps.last().copied().unwrap_or(0);
        let n = base.states.len();
        let mut samplers = Vec::new();
        for part in &base.eventful {
            let numbers = part.samplers.iter().map(|&k| k as usize);
            let mut own = Samplers::new(ev, numbers, now)?;
            // The instant at the start itself was part of the initialization.
            own.take_due(now, &mut Vec::new());
            samplers.push(own);
        }
        let parts = base.eventful.iter();
        let relations: Vec<u32> = parts
            .flat_map(|p| p.scope.relations.iter().copied())
            .collect();
        let mut cluster = Cluster {
            index,
            plan: base,
            method,
            first: done,
            done,
            all: last * base.per_base,
            row: 0,
            x: vec![0.0; n],
            k: vec![0.0; n],
            sum: vec![0.0; n],
            samplers,
            due: Vec::new(),
            scopes: base.eventful.iter().map(|p| p.scope.clone()).collect(),
            tolerance: plan.tolerance,
            prefers_rest: false,
            cells: match &base.cells {
                Some(c) => {
                    let (start, n) = (exchange.start, base.sources.len());
                    let times = (start, done, base.step);
                    Some(Box::new(Cells::new(c, &plan.codes, n, ev, times, history)?))
                }
                None => None,
            },
            next_change: f64::INFINITY,
            own: (base.own).and_then(|kind| OwnSolver::new(kind, plan.tolerance, &ev.model, base)),
            divergence: Divergence::new(base, method, ev),
            late: 0,
            coarse: CoarseEvents::new(relations.len(), base.step),
            relations,
            shared: &plan.shared,
            cut,
            time_memories: Vec::new(),
            mark: 0,
            events: 0,
            evaluations: 0,
        };
        cluster.keep_time_memories(ev);
        cluster.predict(ev)?;
        exchange.fill_past(index, plan, history);
        cluster.publish_samples(ev, exchange);
        cluster.publish_row(ev, exchange)?;
        Ok(cluster)
    }

    fn keep_time_memories(&mut self, ev: &Evaluator) {
        let relations = self.plan.relations.iter();
        let memories = relations.map(|&k| ev.get(ev.model.relations[k as usize].memory));
        self.time_memories.clear();
        self.time_memories.extend(memories);
        let mut hasher = FxHasher::default();
        for m in &self.time_memories {
            m.to_bits().hash(&mut hasher);
        }
        self.mark = hasher.finish();
    }

    /// Another cluster was at work: the conditions of time alone become those of this one.
    pub fn recall_time_memories(&self, ev: &mut Evaluator) {
        let model = ev.model.clone();
        for (&k, &memory) in self.plan.relations.iter().zip(&self.time_memories) {
            ev.set(model.relations[k as usize].memory, memory);
        }
    }

    /// Samples that the next stage of the run needs.
    pub fn remember(&self, exchange: &Exchange, history: &mut History) {
        if let Some(cells) = &self.cells {
            cells.remember(self.done, history);
        }
        let table = &exchange.samples[self.index];
        for (column, &d) in self.plan.source_delays.iter().enumerate() {
            let sent = |ago| load(&table.row(self.done - ago)[column]);
            let known = table.capacity().min(self.done + 1);
            history.add(d, (0..known).map(sent).collect());
        }
    }

    /// When does a condition of time alone change next? Only asked for where not every step looks at it.
    fn predict(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        self.next_change = f64::INFINITY;
        let is_asked_for = self.plan.is_fused || self.plan.own.is_some();
        if !is_asked_for || self.plan.relations.is_empty() {
            return Ok(());
        }
        let model = ev.model.clone();
        // What happens just now is over.
        let now = ev.time();
        let t = now + 1e-6 * self.plan.step;
        ev.set_time(t);
        let linear = || {
            let all = self
                .plan
                .relations
                .iter()
                .map(|&k| &model.relations[k as usize]);
            all.filter(|r| r.time_event)
        };
        ev.run(self.shared)?;
        let zeros: Vec<f64> = linear().map(|r| ev.get(r.zero)).collect();
        // A condition at its zero has another side from here on.
        let changes = linear()
            .any(|r| holds(r.op, ev.get(r.lhs), ev.get(r.rhs)) != (ev.get(r.memory) != 0.0));
        if changes {
            self.next_change = t;
        }
        ev.set_time(t + 1.0);
        ev.run(self.shared)?;
        let mut next = None;
        for (r, &z) in linear().zip(&zeros) {
            let slope = ev.get(r.zero) - z;
            let at = t - z / slope;
            // A condition that holds only at its zero changes there too.
            if slope != 0.0 && at > t && at < self.next_change {
                self.next_change = at;
                next = Some((r.zero, slope));
            }
        }
        if let Some((zero, slope)) = next {
            ev.set_time(self.next_change);
            ev.run(self.shared)?;
            self.next_change = sharper(self.next_change, ev.get(zero), slope).max(t);
        }
        ev.set_time(now);
        ev.run(self.shared)
    }

    /// Steps that it may take now: inputs are there, nobody is left too far behind, and there is room for results.
    pub fn ready_steps(&self, plan: &Plan, exchange: &Exchange) -> u64 {
        let row = exchange.row_steps.get(self.row);
        // Not onto a row for which there is no room yet.
        let full = self.row as u64 >= exchange.taken.get() + ROWS_AHEAD;
        let until = row.map_or(self.all, |&s| s * self.plan.per_base - u64::from(full));
        let most = until.min(self.all).saturating_sub(self.done);
        // Mail for other ranks is to be sent before its place is needed again.
        let away = self.plan.readers.iter().any(|&(r, _)| !exchange.here[r]);
        let single = away || self.cells.is_none();
        let most = most.min(if single { 1 } else { MAX_BURST });
        if self.is_alone() {
            return most;
        }
        let mut count = 0;
        let mut more = 1;
        while more <= most && self.may_reach(self.done + more, plan, exchange) {
            count = more;
            more *= 2;
        }
        count
    }

    /// Reads from no other cluster, and none reads from it.
    fn is_alone(&self) -> bool {
        self.plan.links.is_empty() && self.plan.readers.is_empty()
    }

    /// Are the inputs of all steps up to this one there, and is there room for what they give?
    fn may_reach(&self, step: u64, plan: &Plan, exchange: &Exchange) -> bool {
        let there = self.plan.links.iter().all(|link| {
            let last = link.last(step);
            last < 0 || exchange.progress[link.from].get() > last as u64
        });
        let capacity = exchange.samples[self.index].capacity();
        there
            && self.plan.readers.iter().all(|&(reader, link)| {
                let at = exchange.progress[reader].get().saturating_sub(1);
                !exchange.here[reader]
                    || step < plan.clusters[reader].links[link].first(at) + capacity
            })
    }

    /// So many steps. Call only when ready.
    pub fn steps(
        &mut self,
        count: u64,
        ev: &mut Evaluator,
        exchange: &Exchange,
    ) -> Result<(), Failure> {
        if let Some(mut cells) = self.cells.take() {
            let done = self.steps_of_cells(count, &mut cells, ev, exchange);
            self.cells = Some(cells);
            return done;
        }
        for _ in 0..count {
            match self.own.take() {
                Some(mut own) => {
                    let done = self.variable_steps(&mut own, ev, exchange);
                    self.own = Some(own);
                    done?;
                }
                None => self.step(ev, exchange)?,
            }
        }
        Ok(())
    }

    /// One step of the grid with the part's own solver; events inside of it where they are.
    fn variable_steps(
        &mut self,
        own: &mut OwnSolver,
        ev: &mut Evaluator,
        exchange: &Exchange,
    ) -> Result<(), Failure> {
        let plan = self.plan;
        let end = exchange.start + (self.done + 1) as f64 * plan.step;
        let mut interval = Interval {
            plan,
            exchange,
            done: self.done,
            begin: exchange.start + self.done as f64 * plan.step,
            end,
            until: end,
        };
        let evaluations = own.evaluations;
        let mut t = interval.begin;
        let window = CHATTER_SPAN * self.all as f64 * plan.step;
        loop {
            let change = self.next_change;
            let is_inside = change > t && change < end - 1e-9 * plan.step;
            interval.until = if is_inside { change } else { end };
            let at = match own.advance(t, ev, &interval)? {
                Advanced::Event(at, hits) => {
                    let slides = own
                        .crossings
                        .note(&ev.model, &hits, at, window, &mut own.watch);
                    let slides = slides.map_err(plain)?;
                    ev.rt.warnings.extend(slides.map(|w| w.message));
                    self.prefers_rest = own.crossings.prefers_rest();
                    at
                }
                Advanced::Done if is_inside => change,
                Advanced::Done => break,
            };
            let fraction = (at - interval.begin) / plan.step;
            self.evaluate(ev, exchange, at, fraction)?;
            self.settle_events(ev, at)?;
            self.predict(ev)?;
            own.begin_anew();
            t = at;
        }
        self.evaluations += own.evaluations - evaluations;
        let events = self.events;
        self.finish_step(ev, exchange, end)?;
        if self.events != events {
            own.begin_anew();
            self.predict(ev)?;
        }
        Ok(())
    }

    fn row_is_due(&self, exchange: &Exchange, step: u64) -> bool {
        let row = exchange.row_steps.get(self.row);
        row.is_some_and(|&s| s * self.plan.per_base == step)
    }

    /// One step with the evaluator.
    fn step(&mut self, ev: &mut Evaluator, exchange: &Exchange) -> Result<(), Failure> {
        let plan = self.plan;
        let h = plan.step;
        let begin = exchange.start + self.done as f64 * h;
        let end = exchange.start + (self.done + 1) as f64 * h;
        if !plan.states.is_empty() {
            for (j, &(x, dx)) in plan.states.iter().enumerate() {
                self.x[j] = ev.get(x);
                self.k[j] = ev.get(dx);
            }
            match self.method {
                Method::Euler => self.advance(ev, h, false),
                Method::Rk4 => {
                    let middle = begin + 0.5 * h;
                    self.sum.copy_from_slice(&self.k);
                    self.advance(ev, 0.5 * h, false);
                    self.evaluate(ev, exchange, middle, 0.5)?;
                    self.slopes(ev, 2.0);
                    self.advance(ev, 0.5 * h, false);
                    self.evaluate(ev, exchange, middle, 0.5)?;
                    self.slopes(ev, 2.0);
                    self.advance(ev, h, false);
                    self.evaluate(ev, exchange, end, 1.0)?;
                    self.slopes(ev, 1.0);
                    self.advance(ev, h / 6.0, true);
                }
            }
        }
        self.finish_step(ev, exchange, end)
    }

    /// The states are those of the end of the step: everything else there, events, samples and results.
    fn finish_step(
        &mut self,
        ev: &mut Evaluator,
        exchange: &Exchange,
        end: f64,
    ) -> Result<(), Failure> {
        self.evaluate(ev, exchange, end, 1.0)?;
        self.settle_events(ev, end)?;
        self.done += 1;
        self.publish_samples(ev, exchange);
        if self.row_is_due(exchange, self.done) {
            self.publish_row(ev, exchange)?;
        }
        Ok(())
    }

    /// x + h·k into the slots.
    fn advance(&self, ev: &mut Evaluator, h: f64, sum: bool) {
        let k = if sum { &self.sum } else { &self.k };
        for (j, &(x, _)) in self.plan.states.iter().enumerate() {
            ev.set(x, self.x[j] + h * k[j]);
        }
    }

    fn slopes(&mut self, ev: &Evaluator, weight: f64) {
        for (j, &(_, dx)) in self.plan.states.iter().enumerate() {
            self.k[j] = ev.get(dx);
            self.sum[j] += weight * self.k[j];
        }
    }

    fn evaluate(
        &mut self,
        ev: &mut Evaluator,
        exchange: &Exchange,
        t: f64,
        fraction: f64,
    ) -> Result<(), Failure> {
        for link in &self.plan.links {
            let table = &exchange.samples[link.from];
            receive(link, &link.reads, table, self.done, fraction, |slot, v| {
                ev.set(slot, v)
            });
        }
        ev.set_time(t);
        self.evaluations += 1;
        ev.run(&self.plan.core)
    }

    /// The events of this instant: those of time alone, then those of the parts; behind them those of conditions of time alone that
    /// turn right after it.
    fn settle_events(&mut self, ev: &mut Evaluator, t: f64) -> Result<(), Failure> {
        let later = self.turning(ev)?;
        let timed = self.time_relations(ev, &later)?;
        for p in 0..self.plan.eventful.len() {
            self.part_events(ev, p, t, timed)?;
        }
        if later.iter().all(|turn| turn.at_once) {
            return self.watch_events(ev, t);
        }
        let at_once = later.into_iter().map(|turn| Turn {
            at_once: true,
            ..turn
        });
        if self.time_relations(ev, &at_once.collect::<Vec<Turn>>())? {
            for p in 0..self.plan.eventful.len() {
                self.part_events(ev, p, t, true)?;
            }
        }
        self.watch_events(ev, t)
    }

    /// Events that accumulate end the run.
    fn watch_events(&mut self, ev: &Evaluator, t: f64) -> Result<(), Failure> {
        let relation = |k: usize| &ev.model.relations[self.relations[k] as usize];
        self.coarse.note(t, |k| ev.get(relation(k).memory));
        let zero = |k: usize| Some(ev.get(relation(k).lhs) - ev.get(relation(k).rhs));
        match self.coarse.lost(t, zero) {
            Some((k, at)) => Err(accumulate(&ev.model, self.relations[k] as usize, at).0),
            None => Ok(()),
        }
    }

    /// The present values become left limits.
    fn set_left_limits(&self, ev: &mut Evaluator) {
        for part in self.plan.eventful.iter().filter(|p| p.is_timed) {
            part.scope.left_limits.begin(ev);
        }
    }

    /// Conditions of time alone that are at their threshold just now, up to rounding: what they are behind it, and whether at it already.
    fn turning(&self, ev: &mut Evaluator) -> Result<Vec<Turn>, Failure> {
        let (width, distance) = (ROUNDING * self.plan.step, BEHIND * self.plan.step);
        let found = behind_threshold(ev, &self.plan.relations, self.shared, width, distance)?;
        let turn = |&(k, behind): &(usize, bool)| {
            let r = &ev.model.relations[k];
            Turn {
                memory: r.memory,
                value: f64::from(u8::from(behind)),
                at_once: holds(r.op, 0.0, 0.0) == behind,
            }
        };
        Ok(found.iter().map(turn).collect())
    }

    /// Conditions of time alone; continuous equations that read them follow. Those that turn just now are as they are told to be, and as
    /// they were until it is their time. True: one has changed.
    fn time_relations(&mut self, ev: &mut Evaluator, turning: &[Turn]) -> Result<bool, Failure> {
        let model = ev.model.clone();
        let mut changes = Vec::new();
        for &k in &self.plan.relations {
            let r = &model.relations[k as usize];
            let now = match turning.iter().find(|turn| turn.memory == r.memory) {
                Some(turn) if turn.at_once => turn.value,
                Some(_) => continue,
                None => f64::from(u8::from(holds(r.op, ev.get(r.lhs), ev.get(r.rhs)))),
            };
            if ev.get(r.memory) != now {
                changes.push((r.memory, now));
            }
        }
        if changes.is_empty() {
            return Ok(false);
        }
        self.events += 1;
        self.set_left_limits(ev);
        for (memory, now) in changes {
            ev.set(memory, now);
        }
        self.keep_time_memories(ev);
        ev.run(&self.plan.core)?;
        Ok(true)
    }

    /// The events of a part; `timed`: a condition of time alone has just changed, and left limits are kept.
    fn part_events(
        &mut self,
        ev: &mut Evaluator,
        p: usize,
        t: f64,
        timed: bool,
    ) -> Result<(), Failure> {
        let part = &self.plan.eventful[p];
        let scope = &mut self.scopes[p];
        let model = ev.model.clone();
        self.samplers[p].take_due(t, &mut self.due);
        scope.sample(ev, &self.due);
        let crossed = scope.relations.iter().any(|&k| {
            let memory = model.relations[k as usize].memory;
            holds_by_values(ev, &model, k as usize) != (ev.get(memory) != 0.0)
        });
        let timed = timed && part.is_timed;
        let sampled = !self.due.is_empty();
        let at_threshold = part.instants.at_threshold(ev).next().is_some();
        if !crossed && !sampled && !timed && !at_threshold {
            return Ok(());
        }
        self.events += u64::from(crossed || sampled);
        self.late += u64::from(crossed && self.plan.own.is_none());
        if !timed {
            scope.left_limits.begin(ev);
        }
        let held = Held::new(ev, &model, scope);
        let instants = part.instants.before(ev)?;
        update_relations(ev, &model, &scope.relations, &Vec::new(), 0.0, 0.0);
        let means = Means {
            band: 10.0 * self.tolerance,
            prefer_rest: self.prefers_rest,
            ..Means::default()
        };
        if let Err(failure) = settle_part(ev, part, scope, Forced::new(), means) {
            if !part.may_hold {
                return Err(failure);
            }
            held.restore(ev, &model, scope);
            scope.samplers_fall(ev);
            ev.run(&part.program)?;
        }
        // What turns right behind a threshold has an event of its own there.
        let behind = part.instants.behind(ev, BEHIND * self.plan.step)?;
        if !behind.is_empty() {
            self.events += 1;
            for &(k, holds) in &behind {
                ev.set(model.relations[k].memory, f64::from(u8::from(holds)));
            }
            ev.run(&part.program)?;
            settle_part(ev, part, scope, behind, means)?;
        }
        part.instants.check(&instants, self.plan.step, ev)
    }

    /// Gives the present values of the sources away.
    fn publish_samples(&self, ev: &Evaluator, exchange: &Exchange) {
        let row = exchange.samples[self.index].row(self.done);
        for (cell, &source) in row.iter().zip(&self.plan.sources) {
            store(cell, ev.get(source));
        }
        exchange.progress[self.index].publish(self.done + 1);
    }

    /// Gives a row of the results away, if states and signals that go out are numbers.
    fn publish_row(&mut self, ev: &Evaluator, exchange: &Exchange) -> Result<(), Failure> {
        let states = self.plan.states.iter().map(|s| s.0);
        let mut told = states.chain(self.plan.sources.iter().copied());
        if let Some(slot) = told.find(|&s| !ev.get(s).is_finite()) {
            return Err(not_finite(ev, slot));
        }
        self.divergence.check(self.plan, ev)?;
        let cells = exchange.rows[self.index].row(self.row as u64);
        for (cell, &slot) in cells.iter().zip(&self.plan.visible) {
            store(cell, ev.get(slot));
        }
        self.row += 1;
        exchange.rows_done[self.index].publish(self.row as u64);
        exchange.taker.unpark();
        Ok(())
    }
}

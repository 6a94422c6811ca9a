//! The run: threads with their clusters, and one who takes the results.
//!
//! Each thread owns a copy of all slots and advances those clusters that are ready; there is no
//! barrier. The calling thread puts the rows of all clusters together as they become complete, adds
//! what only the results need, checks assertions and feeds the sink.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ferrica_codegen::layout::Layout;
use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_ir::print::{brief, counted};
use ferrica_sim::{
    Checked, Doubt, Equidistant, Experiment, Problem, SimError, Sink, Stats, Warning,
    check_assertions, copy_pre, iterate_within, update_relations,
};

use crate::cluster::Cluster;
use crate::exchange::Exchange;
use crate::history::History;
use crate::mail::Mail;
use crate::parts::{Partitions, partitions};
use crate::placement;
use crate::plan::{ClusterPlan, Method, Options, Plan, check_samplers};
use crate::ring::load;
use crate::rows::{Between, Rows};
use crate::stage_end::share;
use crate::transport::{Place, Transport};

/// Turns without work after which a thread gives its core away.
const PATIENCE: u32 = 100;
/// Bursts of steps of one cluster before the others have their turn.
const BURSTS: u32 = 256;
/// Late events from which on they may shift what follows.
const MANY_LATE: u64 = 3;
/// Event passes at the end of the run.
const LAST_PASSES: usize = 200;

/// Counters and the way out, for all threads.
#[derive(Default)]
struct Common {
    stop: AtomicBool,
    /// The run has failed or somebody wants no more of it: what a rank has not taken need not arrive.
    given_up: AtomicBool,
    steps: AtomicU64,
    evaluations: AtomicU64,
    events: AtomicU64,
    /// Nanoseconds until the last worker had its clusters.
    set_up: AtomicU64,
    broken: Mutex<Option<(f64, Failure)>>,
    /// Warnings of assertions and functions.
    warnings: Mutex<Vec<String>>,
    /// Events that fixed steps have met at their ends.
    late: AtomicU64,
    /// What a next stage must know, if there is one.
    history: Mutex<Option<History>>,
}

fn take<T>(cell: &Mutex<Option<T>>) -> Option<T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Common {
    /// Ends the run. The earliest failure is told.
    fn fail(&self, time: f64, failure: Failure) {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        if broken.as_ref().is_none_or(|b| b.0 > time) {
            *broken = Some((time, failure));
        }
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Runs the experiment with partitions; rows go to the sink.
pub fn simulate(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<Stats, SimError> {
    simulate_on(model, experiment, options, sink, None)
}

/// What is said of a run in which cutting has brought nothing and has cost the times of events: those of a model without lines, in steps of one length.
fn uncut(cut: &Partitions, options: &Options, plan: &Plan, events: u64) -> Option<String> {
    let own = options.solver.is_some() || !options.solvers.is_empty();
    if !cut.lines.is_empty() || options.inlined || own || events == 0 {
        return None;
    }
    Some(format!(
        "the model has no line to cut at: it ran as a whole in steps of {} s, and {} acted at the ends of steps, late by up to one, which adds up where one event leads to the next; \
         without --partition tlm they are met where they are",
        brief(plan.base),
        counted(events as usize, "event"),
    ))
}

/// What half of the step would show: late events, what a formula and lines do together, which no mode of a part tells, or what jumps between two samples. An inlined
/// formula has its step in the model.
fn doubt(common: &Common, options: &Options, plan: &Plan) -> Option<Doubt> {
    let late = common.late.load(Ordering::Relaxed);
    let steps = |c: &&ClusterPlan| !c.states.is_empty();
    if options.inlined || plan.clusters.iter().find(steps).is_none() {
        return None;
    }
    Some(Doubt {
        seen: (late >= MANY_LATE).then(|| {
            let events = counted(late as usize, "event");
            format!("{events} acted at the ends of steps")
        }),
        step: plan.base,
        // What jumps is on its way for a step, where a solver interpolates.
        order: match options.method {
            Method::Rk4 if late == 0 && plan.clusters.iter().all(|c| c.own.is_none()) => 2,
            _ => 1,
        },
    })
}

/// The same as one of several ranks, each of which makes this call; the rows go to the sink of the first.
pub fn simulate_on(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &Options,
    sink: &mut dyn Sink,
    transport: Option<&mut dyn Transport>,
) -> Result<Stats, SimError> {
    let clock = Instant::now();
    let start = experiment.start;
    let fail = |code: &'static str| move |e: Failure| SimError::new(code, start, e);
    let started = ferrica_sim::start(model, experiment)?;
    let mut stats = Stats {
        form: "ode",
        states: model.layout.n_states,
        equations: model.source.equations.len(),
        warnings: started.warnings,
        end_time: start,
        ..Stats::default()
    };
    let mut p = started.problem;
    // Delay times are constants from here on; everything is consistent.
    p.ev.run(&model.event_program).map_err(fail("E0605"))?;
    let cut = partitions(model);
    let history = match &experiment.from {
        Some(snapshot) => History::read(&snapshot.memory, &p.ev),
        None => History::none(&p.ev),
    };
    let (rank, size) = (transport.as_ref()).map_or((0, 1), |t| (t.rank(), t.size()));
    let mut options = options.clone();
    if size > 1 {
        // One worker a rank.
        options.threads = size;
        options.fewer_threads = false;
    }
    let plan = Plan::new(model, &p.ev, &cut, &options, &history).map_err(fail("E0720"))?;
    check_samplers(&plan, model, &p.ev).map_err(fail("E0720"))?;
    stats.solver = format!(
        "tlm: {}, {}",
        counted(cut.parts.len(), "partition"),
        counted(plan.workers, if size > 1 { "rank" } else { "thread" })
    );
    let texts = plan.warnings.iter().cloned();
    stats
        .warnings
        .extend(texts.map(|message| Warning::of_run(start, message)));
    // Steps are counted from the start of the whole run.
    let origin = experiment.from.as_ref().map_or(start, |s| s.origin);
    let rows = Rows::new(experiment, origin, plan.base)?;
    let mut exchange = Exchange::new(&plan, rows.steps, origin);
    if size > 1 {
        exchange.here = (plan.clusters.iter()).map(|c| c.worker == rank).collect();
        for c in (0..plan.clusters.len()).filter(|&c| !exchange.here[c]) {
            exchange.fill_past(c, &plan, &history);
        }
    }
    stats.initialize_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let common = Common {
        history: Mutex::new(experiment.more.then(|| history.emptied())),
        ..Common::default()
    };
    let shared_relations = &cut.shared_relations;
    let places = transport.as_ref().map_or(Vec::new(), |t| t.places());
    let mut transport = transport.filter(|_| size > 1);
    let mut carrier = transport.as_deref_mut();
    let mut taker = Taker {
        plan: &plan,
        exchange: &exchange,
        common: &common,
        shared_relations,
        places: &places,
        last: rows.last,
    };
    let more = experiment.more;
    let work = |worker, mail| Work {
        worker,
        plan: &plan,
        cut: &cut,
        method: options.method,
        exchange: &exchange,
        common: &common,
        history: &history,
        mail,
        mark: None,
        clock,
    };
    let ended = if size == 1 && plan.workers == 1 {
        // Alone: steps and results in turns, without a thread to wait for.
        let mut own = work(0, None);
        let mut ev = p.ev.clone();
        let mut clusters = own.clusters(&mut ev);
        let ended = taker.take(
            &mut p,
            &mut stats,
            sink,
            more,
            &mut |taker, row, time, sink| {
                while !taker.is_there(row, time, sink)? {
                    let (moved, _) = own.turn(&mut clusters, &mut ev);
                    if !moved && !common.stop.load(Ordering::Relaxed) {
                        let text = "no partition can go on";
                        common.fail(time, Failure::new(text));
                    }
                }
                Ok(())
            },
        );
        own.finish(&clusters, &mut ev);
        ended
    } else {
        std::thread::scope(|scope| {
            let own = if size > 1 {
                rank..rank + 1
            } else {
                0..plan.workers
            };
            let home = placement::here();
            for worker in own {
                let ev = p.ev.clone();
                let mail = carrier.take().map(|t| Mail::new(&plan, &exchange, t));
                let run = work(worker, mail);
                scope.spawn(move || {
                    if size == 1 {
                        placement::begin_apart(home, worker);
                    }
                    run.work(ev);
                });
            }
            if rank > 0 {
                return Ok(());
            }
            let ended = taker.take(&mut p, &mut stats, sink, more, &mut |t, row, time, sink| {
                t.wait(row, time, sink)
            });
            common.given_up.store(ended.is_err(), Ordering::Relaxed);
            common.stop.store(true, Ordering::Relaxed);
            ended
        })
    };
    stats.steps = common.steps.load(Ordering::Relaxed);
    stats.evaluations = common.evaluations.load(Ordering::Relaxed);
    stats.state_events = common.events.load(Ordering::Relaxed);
    stats.newton_iterations = p.ev.counters.newton_iterations;
    if let Some(message) = uncut(&cut, &options, &plan, stats.state_events) {
        stats.warn(Warning::of_run(stats.end_time, message));
    }
    stats.doubt = doubt(&common, &options, &plan);
    let told = std::mem::take(
        &mut *common
            .warnings
            .lock()
            .unwrap_or_else(PoisonError::into_inner),
    );
    for message in told {
        stats.warn(Warning::of_run(stats.end_time, message));
    }
    let set_up = 1e-9 * common.set_up.load(Ordering::Relaxed) as f64;
    stats.initialize_seconds += set_up;
    stats.simulate_seconds = clock.elapsed().as_secs_f64() - set_up;
    let mut ended = ended;
    if let Some(mut history) = take(&common.history) {
        let good = match transport {
            Some(t) => {
                let (slots, failed) = (&mut p.ev.slots, ended.is_err());
                share(t, &mut history, slots, failed, &mut || sink.interrupted())
            }
            None => true,
        };
        if good {
            sink.end(&p.ev, &history.numbers());
        } else if rank == 0 && ended.is_ok() {
            ended = Err(interrupted(&places, stats.end_time));
        }
    }
    match ended {
        Ok(()) => Ok(stats),
        Err(mut e) => {
            e.stats = Box::new(stats);
            Err(e)
        }
    }
}

/// One thread, or the one of a rank.
struct Work<'a> {
    worker: usize,
    plan: &'a Plan,
    cut: &'a Partitions,
    method: Method,
    exchange: &'a Exchange,
    common: &'a Common,
    history: &'a History,
    mail: Option<Mail<'a>>,
    /// Of the cluster that was at work last.
    mark: Option<u64>,
    /// Begins with the setting up.
    clock: Instant,
}

impl<'a> Work<'a> {
    fn work(mut self, mut ev: Evaluator) {
        let mut clusters = self.clusters(&mut ev);
        self.march(&mut clusters, &mut ev);
        self.finish(&clusters, &mut ev);
    }

    /// The clusters of this worker, at the start.
    fn clusters(&mut self, ev: &mut Evaluator) -> Vec<Cluster<'a>> {
        let mut clusters = Vec::new();
        let (plan, exchange) = (self.plan, self.exchange);
        for (k, c) in plan.clusters.iter().enumerate() {
            if c.worker == self.worker {
                let new = Cluster::new(k, plan, self.cut, self.method, ev, exchange, self.history);
                match new {
                    Ok(cluster) => clusters.push(cluster),
                    Err(failure) => self.fail(ev.time(), failure),
                }
            }
        }
        let set_up = self.clock.elapsed().as_nanos() as u64;
        self.common.set_up.fetch_max(set_up, Ordering::Relaxed);
        clusters
    }

    /// What a next stage needs, and the work done.
    fn finish(&self, clusters: &[Cluster], ev: &mut Evaluator) {
        let (common, exchange) = (self.common, self.exchange);
        let mut told = (common.warnings.lock()).unwrap_or_else(PoisonError::into_inner);
        told.append(&mut ev.rt.warnings);
        drop(told);
        let mut kept = (common.history.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some(history) = kept.as_mut() {
            for c in clusters {
                c.remember(exchange, history);
            }
        }
        drop(kept);
        for c in clusters {
            let add = |to: &AtomicU64, n: u64| to.fetch_add(n, Ordering::Relaxed);
            add(&common.steps, c.done - c.first);
            add(&common.evaluations, c.evaluations);
            add(&common.events, c.events);
            add(&common.late, c.late);
        }
    }

    fn fail(&mut self, time: f64, failure: Failure) {
        if let Some(mail) = &mut self.mail {
            mail.tell_failure(time, &failure);
        }
        self.common.fail(time, failure);
    }

    /// Each cluster once, as far as it can go for a while: whether any moved, and whether all are at the end.
    fn turn(&mut self, clusters: &mut [Cluster], ev: &mut Evaluator) -> (bool, bool) {
        let (plan, exchange, common) = (self.plan, self.exchange, self.common);
        let (mut moved, mut finished) = (false, true);
        for c in clusters {
            if self.mark != Some(c.mark) {
                c.recall_time_memories(ev);
            }
            let mut bursts = 0;
            while bursts < BURSTS {
                let count = c.ready_steps(plan, exchange);
                if count == 0 {
                    break;
                }
                if let Err(failure) = c.steps(count, ev, exchange) {
                    self.fail(ev.time(), failure);
                    break;
                }
                moved = true;
                bursts += 1;
                if let Some(mail) = &mut self.mail {
                    mail.pump(plan, exchange, false);
                }
                if common.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            self.mark = Some(c.mark);
            finished &= c.done >= c.all;
        }
        (moved, finished)
    }

    fn march(&mut self, clusters: &mut [Cluster], ev: &mut Evaluator) {
        let (plan, exchange, common) = (self.plan, self.exchange, self.common);
        let mut idle = 0;
        loop {
            let (moved, finished) = self.turn(clusters, ev);
            let mut end = finished || common.stop.load(Ordering::Relaxed);
            if let Some(mail) = &mut self.mail {
                mail.pump(plan, exchange, finished);
                if let Some((time, failure)) = mail.broken.take() {
                    common.fail(time, failure);
                }
                if mail.stopped {
                    common.stop.store(true, Ordering::Relaxed);
                }
                // Mail goes on until the first rank has all results.
                end = common.stop.load(Ordering::Relaxed);
                if end {
                    mail.stop_all(&mut || common.given_up.load(Ordering::Relaxed));
                }
            }
            if end {
                return;
            }
            if moved {
                idle = 0;
            } else if idle < PATIENCE {
                idle += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// Ranks on this machine that are no longer there.
fn lost(places: &[Place]) -> Vec<String> {
    let here = places.first();
    let gone = |p: &Place| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", p.process));
        // The state follows the name, which is in parentheses.
        stat.map_or(true, |s| {
            s.rsplit(')')
                .next()
                .is_some_and(|r| r.trim_start().starts_with('Z'))
        })
    };
    (places.iter().enumerate().skip(1))
        .filter(|(_, p)| here.is_some_and(|h| h.host == p.host) && gone(p))
        .map(|(k, p)| format!("rank {k} (process {} on {})", p.process, p.host))
        .collect()
}

/// Why a run ends before it got so far: somebody wanted that, or a rank died and the launcher ends the others.
fn interrupted(places: &[Place], time: f64) -> SimError {
    let lost = lost(places);
    let (code, what) = match lost.len() {
        0 => ("E0609", "interrupted".to_owned()),
        _ => ("E0612", format!("{} died", lost.join(", "))),
    };
    let text = format!("{what} before time {time}; the results up to there are kept");
    SimError::new(code, time, Failure::new(text))
}

/// Takes the results.
struct Taker<'a> {
    plan: &'a Plan,
    exchange: &'a Exchange,
    common: &'a Common,
    shared_relations: &'a [u32],
    places: &'a [Place],
    /// The run ends inside of the last step.
    last: Option<Between>,
}

/// What is done until a row is there.
type Waiting<'w> = &'w mut dyn FnMut(&Taker<'_>, u64, f64, &mut dyn Sink) -> Result<(), SimError>;

impl Taker<'_> {
    fn take(
        &mut self,
        p: &mut Problem,
        stats: &mut Stats,
        sink: &mut dyn Sink,
        more: bool,
        wait: Waiting<'_>,
    ) -> Result<(), SimError> {
        let model = p.ev.model.clone();
        let exchange = self.exchange;
        let rows = exchange.row_steps.len();
        let times = Equidistant::new(exchange.start, self.plan.base);
        for (row, &step) in exchange.row_steps.iter().enumerate() {
            let mut time = times.at(step as f64);
            wait(self, row as u64, time, sink)?;
            let last = self.last.filter(|_| row + 1 == rows);
            time = last.map_or(time, |l| l.stop);
            let clock = Instant::now();
            // Several clusters may give the same slot.
            let before = last.map(|_| p.ev.slots.clone()).unwrap_or_default();
            for (c, cluster) in self.plan.clusters.iter().enumerate() {
                let cells = exchange.rows[c].row(row as u64);
                for (cell, &slot) in cells.iter().zip(&cluster.visible) {
                    let mut value = load(cell);
                    if let Some(last) = last {
                        value = last.value(&model, slot, before[slot as usize], value);
                    }
                    p.ev.set(slot, value);
                }
            }
            exchange.taken.publish(row as u64 + 1);
            if row + 2 == rows && self.last.is_some_and(|l| l.hides) {
                continue;
            }
            p.ev.set_time(time);
            self.observe(p)
                .map_err(|e| SimError::new("E0605", time, e))?;
            let mut warnings = Vec::new();
            check_assertions(p, &model, Checked::Unguarded, &mut warnings)?;
            for w in warnings {
                stats.warn(w);
            }
            write(p, sink)?;
            sink.progress(time);
            stats.end_time = time;
            stats.output_seconds += clock.elapsed().as_secs_f64();
        }
        // Between events the left limits are the values: the workers keep them to themselves.
        copy_pre(p, &model);
        if !more && model.has_terminal_event() {
            p.ev.set(Layout::TERMINAL, 1.0);
            // Delayed values stay: the end is no new instant.
            p.delays = Default::default();
            iterate_within(p, &Vec::new(), &[], 0.0, LAST_PASSES)?;
            write(p, sink)?;
        }
        Ok(())
    }

    /// Until all clusters have given this row.
    fn wait(&self, row: u64, time: f64, sink: &mut dyn Sink) -> Result<(), SimError> {
        let mut turns = 0u32;
        while !self.is_there(row, time, sink)? {
            turns += 1;
            if turns > PATIENCE {
                // Whoever gives a row wakes this thread.
                std::thread::park_timeout(Duration::from_millis(1));
            } else {
                std::thread::yield_now();
            }
        }
        Ok(())
    }

    /// Have all clusters given this row?
    fn is_there(&self, row: u64, time: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        if self.exchange.rows_done.iter().all(|r| r.get() > row) {
            return Ok(true);
        }
        if self.common.stop.load(Ordering::Relaxed) {
            let broken = take(&self.common.broken);
            let (at, failure) =
                broken.unwrap_or_else(|| (time, Failure::new("a thread of the run ended early")));
            return Err(SimError::new("E0605", at, failure));
        }
        if sink.interrupted() {
            return Err(interrupted(self.places, time));
        }
        Ok(false)
    }

    /// What only the results need.
    fn observe(&self, p: &mut Problem) -> Result<(), Failure> {
        let model = p.ev.model.clone();
        p.ev.run(&self.plan.shared)?;
        update_relations(
            &mut p.ev,
            &model,
            self.shared_relations,
            &Vec::new(),
            0.0,
            0.0,
        );
        p.ev.run(&self.plan.observers)
    }
}

fn write(p: &Problem, sink: &mut dyn Sink) -> Result<(), SimError> {
    let time = p.ev.time();
    let done = sink.row(time, &p.ev.slots);
    done.map_err(|e| SimError::unwritten(time, &e))
}

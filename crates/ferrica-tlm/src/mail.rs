//! The mail of a rank: samples to and from clusters of other ranks, rows to the first rank, and the end of the run.
//!
//! Samples of one cluster for one rank go in batches: a reader can wait for half of the shortest delay without
//! standing still. What arrives earlier than there is room for is kept until there is.

use ferrica_codegen::Failure;

use crate::exchange::{Exchange, ROWS_AHEAD};
use crate::plan::Plan;
use crate::ring::{load, store};
use crate::transport::Transport;

const SAMPLES: f64 = 0.0;
const ROW: f64 = 1.0;
const BROKEN: f64 = 2.0;
const STOP: f64 = 3.0;
/// Between two stages, see [`crate::stage_end`].
pub const HISTORY: f64 = 4.0;
pub const STATE: f64 = 5.0;

/// Samples of one cluster for one rank.
struct Route {
    cluster: usize,
    to: usize,
    columns: Vec<u32>,
    sent: u64,
    batch: u64,
}

pub struct Mail<'t> {
    transport: &'t mut dyn Transport,
    routes: Vec<Route>,
    /// Columns of each cluster that this rank reads.
    wanted: Vec<Vec<u32>>,
    rows_sent: u64,
    local: Vec<usize>,
    waiting: Vec<Vec<f64>>,
    pub stopped: bool,
    pub broken: Option<(f64, Failure)>,
}

/// Columns of a cluster's samples that a rank reads, and how many samples may go together.
fn columns(plan: &Plan, cluster: usize, rank: usize) -> (Vec<u32>, u64) {
    let mut list = Vec::new();
    let mut batch = u64::MAX;
    for c in plan.clusters.iter().filter(|c| c.worker == rank) {
        for link in c.links.iter().filter(|l| l.from == cluster) {
            list.extend(link.reads.iter().map(|r| r.0));
            batch = batch.min((0.5 * link.shift) as u64);
        }
    }
    list.sort_unstable();
    list.dedup();
    (list, batch.max(1))
}

impl<'t> Mail<'t> {
    pub fn new(plan: &Plan, exchange: &Exchange, transport: &'t mut dyn Transport) -> Mail<'t> {
        let (rank, size) = (transport.rank(), transport.size());
        let mut routes = Vec::new();
        let mut local = Vec::new();
        for (cluster, c) in plan.clusters.iter().enumerate() {
            if c.worker != rank {
                continue;
            }
            local.push(cluster);
            for to in (0..size).filter(|&to| to != rank) {
                let (columns, batch) = columns(plan, cluster, to);
                if !columns.is_empty() {
                    let first = exchange.row_steps.first().copied().unwrap_or(0);
                    routes.push(Route {
                        cluster,
                        to,
                        columns,
                        sent: first * c.per_base,
                        batch,
                    });
                }
            }
        }
        Mail {
            routes,
            wanted: (0..plan.clusters.len())
                .map(|c| columns(plan, c, rank).0)
                .collect(),
            rows_sent: 0,
            local,
            waiting: Vec::new(),
            stopped: false,
            broken: None,
            transport,
        }
    }

    /// Sends what is due and takes what has arrived. `last`: nothing more will come from here.
    pub fn pump(&mut self, plan: &Plan, exchange: &Exchange, last: bool) {
        for route in &mut self.routes {
            let done = exchange.progress[route.cluster].get();
            let new = done.saturating_sub(route.sent);
            if new == 0 || (new < route.batch && !last) {
                continue;
            }
            let table = &exchange.samples[route.cluster];
            let mut message = vec![SAMPLES, route.cluster as f64, route.sent as f64];
            for row in route.sent..done {
                let cells = table.row(row);
                message.extend(route.columns.iter().map(|&k| load(&cells[k as usize])));
            }
            self.transport.send(route.to, message);
            route.sent = done;
        }
        if self.transport.rank() != 0 {
            self.send_rows(exchange);
        }
        // What comes behind the word to stop is for the end of the stage.
        while !self.stopped {
            match self.transport.receive() {
                Some(message) if message[0] == STOP => self.stopped = true,
                Some(message) => self.waiting.push(message),
                None => break,
            }
        }
        let mut held = Vec::new();
        for message in std::mem::take(&mut self.waiting) {
            // Of one sender nothing may overtake.
            let behind = held.iter().any(|h: &Vec<f64>| h[..2] == message[..2]);
            if behind || !self.take(&message, plan, exchange) {
                held.push(message);
            }
        }
        self.waiting = held;
    }

    fn send_rows(&mut self, exchange: &Exchange) {
        let all = self.local.iter().map(|&c| exchange.rows_done[c].get());
        let done = all.min().unwrap_or(0);
        for row in self.rows_sent..done {
            for &c in &self.local {
                let mut message = vec![ROW, c as f64, row as f64];
                message.extend(exchange.rows[c].row(row).iter().map(load));
                self.transport.send(0, message);
            }
        }
        self.rows_sent = self.rows_sent.max(done);
        exchange.taken.publish(self.rows_sent);
    }

    /// False: there is no room yet.
    fn take(&mut self, message: &[f64], plan: &Plan, exchange: &Exchange) -> bool {
        let kind = message[0];
        if kind == BROKEN {
            let bytes: Vec<u8> = message[2..].iter().map(|&b| b as u8).collect();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            self.broken = Some((message[1], Failure::new(text)));
        } else if kind == ROW {
            let (c, row) = (message[1] as usize, message[2] as u64);
            if row >= exchange.taken.get() + ROWS_AHEAD {
                return false;
            }
            for (cell, &v) in exchange.rows[c].row(row).iter().zip(&message[3..]) {
                store(cell, v);
            }
            exchange.rows_done[c].publish(row + 1);
            exchange.taker.unpark();
        } else {
            let (c, first) = (message[1] as usize, message[2] as u64);
            let columns = &self.wanted[c];
            let count = (message.len() - 3) / columns.len().max(1);
            let table = &exchange.samples[c];
            let rank = self.transport.rank();
            let fits = plan.clusters[c].readers.iter().all(|&(reader, link)| {
                let r = &plan.clusters[reader];
                let at = exchange.progress[reader].get().saturating_sub(1);
                r.worker != rank
                    || first + (count as u64) <= r.links[link].first(at) + table.capacity()
            });
            if !fits {
                return false;
            }
            for (k, values) in message[3..].chunks_exact(columns.len().max(1)).enumerate() {
                let cells = table.row(first + k as u64);
                for (&column, &v) in columns.iter().zip(values) {
                    store(&cells[column as usize], v);
                }
            }
            exchange.progress[c].publish(first + count as u64);
        }
        true
    }

    /// Tells the first rank why this one cannot go on.
    pub fn tell_failure(&mut self, time: f64, failure: &Failure) {
        let text = format!("rank {}: {failure}", self.transport.rank());
        let mut message = vec![BROKEN, time];
        message.extend(text.bytes().map(f64::from));
        self.transport.send(0, message);
        self.transport.flush(&mut || false);
    }

    /// The first rank ends the run for all.
    pub fn stop_all(&mut self, give_up: &mut dyn FnMut() -> bool) {
        if self.transport.rank() == 0 {
            for to in 1..self.transport.size() {
                self.transport.send(to, vec![STOP, 0.0]);
            }
        }
        self.transport.flush(give_up);
    }
}

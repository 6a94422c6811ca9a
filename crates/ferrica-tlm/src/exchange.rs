//! What the clusters of a run know of each other: samples, results and how far each one is.

use crate::history::History;
use crate::plan::Plan;
use crate::ring::{Progress, Table, store};

/// Rows of results that clusters may be ahead of the one who takes them.
pub const ROWS_AHEAD: u64 = 8;

/// What all threads see.
pub struct Exchange {
    /// Samples of each cluster, published; result rows of each, published.
    pub progress: Vec<Progress>,
    pub rows_done: Vec<Progress>,
    pub samples: Vec<Table>,
    /// Result rows of each cluster.
    pub rows: Vec<Table>,
    /// Result rows taken.
    pub taken: Progress,
    /// Step, in longest steps, of each result row.
    pub row_steps: Vec<u64>,
    /// Clusters of this rank; mail looks after the others.
    pub here: Vec<bool>,
    /// Who takes the rows.
    pub taker: std::thread::Thread,
    pub start: f64,
}

impl Exchange {
    pub fn new(plan: &Plan, row_steps: Vec<u64>, start: f64) -> Exchange {
        let clusters = &plan.clusters;
        Exchange {
            progress: clusters.iter().map(|_| Progress::default()).collect(),
            rows_done: clusters.iter().map(|_| Progress::default()).collect(),
            samples: clusters
                .iter()
                .map(|c| Table::new(c.sources.len(), c.capacity))
                .collect(),
            rows: clusters
                .iter()
                .map(|c| Table::new(c.visible.len(), ROWS_AHEAD))
                .collect(),
            taken: Progress::default(),
            row_steps,
            here: vec![true; clusters.len()],
            taker: std::thread::current(),
            start,
        }
    }

    /// Samples of a cluster from before the step at which this stage begins.
    pub fn fill_past(&self, cluster: usize, plan: &Plan, history: &History) {
        let table = &self.samples[cluster];
        let plan = &plan.clusters[cluster];
        let done = self.first_step(plan.per_base);
        for ago in 1..table.capacity().min(done + 1) {
            let row = table.row(done - ago);
            for (cell, &d) in row.iter().zip(&plan.source_delays) {
                let sent = history.sample(d, ago);
                store(cell, sent.unwrap_or(history.first[d as usize]));
            }
        }
    }

    /// Steps done before this stage, with so many of them in the longest one.
    pub fn first_step(&self, per_base: u64) -> u64 {
        self.row_steps.first().copied().unwrap_or(0) * per_base
    }
}

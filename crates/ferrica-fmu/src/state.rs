//! The whole state of an instance, to go back to or to store.

use ferrica_codegen::Slot;
use ferrica_ir::VarId;
use ferrica_sim::Snapshot;
use serde::{Deserialize, Serialize};

use crate::instance::Phase;

#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    pub snapshot: Snapshot,
    /// Inputs that jump at the next event.
    pub arriving: Vec<(Slot, f64)>,
    /// Of Model Exchange: the instants to come, see [`crate::exchange::Exchange::expect`].
    pub instants: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub phase: Phase,
    pub given: Vec<(VarId, f64)>,
    pub start: f64,
    pub tolerance: f64,
    pub run: Option<RunState>,
}

const MAGIC: &[u8; 16] = b"ferrica state 03";

/// The same as plain data.
#[derive(Serialize, Deserialize)]
struct Stored {
    phase: Phase,
    given: Vec<(VarId, u64)>,
    start: u64,
    tolerance: u64,
    run: Option<StoredRun>,
}

/// Numbers by their bits: a state that comes back is the same in all of them.
#[derive(Serialize, Deserialize)]
struct StoredRun {
    origin: u64,
    time: u64,
    slots: Vec<u64>,
    memory: Vec<u64>,
    arriving: Vec<(Slot, u64)>,
    instants: Vec<u64>,
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn numbers(values: &[u64]) -> Vec<f64> {
    values.iter().map(|&v| f64::from_bits(v)).collect()
}

impl State {
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let stored = Stored {
            phase: self.phase,
            given: self.given.iter().map(|g| (g.0, g.1.to_bits())).collect(),
            start: self.start.to_bits(),
            tolerance: self.tolerance.to_bits(),
            run: self.run.as_ref().map(|r| StoredRun {
                origin: r.snapshot.origin.to_bits(),
                time: r.snapshot.time.to_bits(),
                slots: bits(&r.snapshot.slots),
                memory: bits(&r.snapshot.memory),
                arriving: r.arriving.iter().map(|a| (a.0, a.1.to_bits())).collect(),
                instants: bits(&r.instants),
            }),
        };
        let body = postcard::to_stdvec(&stored).map_err(|e| e.to_string())?;
        Ok([&MAGIC[..], &body].concat())
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<State, String> {
        let wrong = || "these bytes are no stored state of this FMU".to_owned();
        let body = bytes.strip_prefix(MAGIC).ok_or_else(wrong)?;
        let stored: Stored = postcard::from_bytes(body).map_err(|_| wrong())?;
        let number = f64::from_bits;
        Ok(State {
            phase: stored.phase,
            given: (stored.given.iter()).map(|g| (g.0, number(g.1))).collect(),
            start: number(stored.start),
            tolerance: number(stored.tolerance),
            run: stored.run.map(|r| RunState {
                snapshot: Snapshot {
                    origin: number(r.origin),
                    time: number(r.time),
                    slots: numbers(&r.slots),
                    memory: numbers(&r.memory),
                },
                arriving: r.arriving.iter().map(|a| (a.0, number(a.1))).collect(),
                instants: numbers(&r.instants),
            }),
        })
    }
}

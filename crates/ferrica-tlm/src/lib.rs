//! Models that fall apart at their delays: partitions, and runs of them side by side.
//!
//! In: a compiled model. [`partitions`] cuts it at every `delay` with a constant time; the parts
//! depend on each other only through values that are at least one delay old. [`simulate`] runs each
//! part with its own fixed step, or its own variable-step solver, on several threads; the results do not depend on their number.
//! [`inline`] makes a model without continuous states out of any, for the same kind of run.

mod balance;
mod cells;
mod classes;
mod cluster;
mod divergence;
mod exchange;
mod fuse;
mod grouping;
mod history;
mod inline;
mod instants;
mod mail;
#[cfg(feature = "mpi")]
mod mpi_transport;
mod naming;
mod own_solver;
mod parts;
mod picture;
mod placement;
mod plan;
mod receive;
mod report;
mod ring;
mod rows;
mod run;
mod sampled;
mod settle;
mod stage_end;
mod stretch;
mod suggest;
mod transport;

pub use inline::{Formula, Inlined, asks_for_formula, inline};
#[cfg(feature = "mpi")]
pub use mpi_transport::{Job, MpiTransport};
pub use parts::{Line, Part, Partitions, partitions};
pub use picture::svg;
pub use plan::{Method, Options};
pub use report::{describe, dot};
pub use run::{simulate, simulate_on};
pub use sampled::cut_sampled;
pub use suggest::{Suggestion, suggest_lines};
pub use transport::{Channels, Place, Transport, channels};

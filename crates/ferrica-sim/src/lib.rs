//! A compiled model and an experiment to a trajectory: initialization, integration between events,
//! events, results.
//!
//! [`simulate`] does it all; [`Problem`] and its parts serve other ways of marching through time.

mod accumulation;
mod before_start;
mod chatter;
mod delay;
mod dynamic_states;
mod error;
mod event_step;
mod events;
mod experiment;
mod initialize;
mod jump;
mod left_limits;
mod mixed;
mod origin;
mod output;
mod problem;
mod propagation;
mod readers;
mod results;
mod root_functions;
mod segment;
mod simulate;
mod snapshot;
mod solver_failure;
mod start;
mod state_zeros;
mod time_events;
mod transport;
mod verify;

pub use dynamic_states::reselect;
pub use error::{SimError, Stats, Warning};
pub use events::{
    Checked, EventResult, Forced, PATIENT_PASSES, check_assertions, copy_pre, failed_assertion,
    iterate_within, relation_text, unsettled,
};
pub use experiment::{Experiment, SolverKind};
pub use mixed::{CALM_PASSES, HELD_EVALUATIONS};
pub use problem::{Problem, holds, side};
pub use results::{ResultVariable, Sink, ValueSource, result_variables};
pub use segment::NODES as DELAY_NODES;
pub use simulate::simulate;
pub use snapshot::Snapshot;
pub use start::{Started, start};
pub use time_events::{Due, SAME_TIME, TimeEvents, same_time};
pub use verify::{Verdict, Verified};

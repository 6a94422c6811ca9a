//! What a hybrid model means, for every engine: a compiled model at its start, between two events and at an instant.
//!
//! In: a compiled model. Out: [`Problem`], its values with what must be remembered besides, and what happens to it: the initialization
//! ([`start`]), instants that are known beforehand ([`TimeEvents`]), passes over the equations until nothing changes any more
//! ([`iterate`]), with left limits, conditions and loops of conditions, actions and assertions; delayed signals ([`DelayBuffers`]).
//!
//! Nothing here goes through time: an engine says where an instant is, and goes on from what it leaves.

mod accumulation;
mod before_start;
mod delay;
mod dynamic_states;
mod error;
mod events;
mod experiment;
mod initialize;
mod jump;
mod left_limits;
mod mixed;
mod problem;
mod propagation;
mod readers;
mod root_functions;
mod segment;
mod snapshot;
mod start;
mod state_zeros;
mod time_events;
mod transport;

pub use accumulation::Accumulation;
pub use delay::DelayBuffers;
pub use dynamic_states::{first_selection, reselect};
pub use error::{SimError, Stats, Warning};
pub use events::{
    Checked, EventResult, Forced, PATIENT_PASSES, Width, check_assertions, conditions_change,
    copy_pre, failed_assertion, iterate, iterate_within, relation_text, set_sides, unsettled,
};
pub use experiment::{Experiment, SolverKind};
pub use initialize::{initialize, initialize_at};
pub use mixed::{CALM_PASSES, HELD_EVALUATIONS};
pub use problem::{Problem, holds, side};
pub use segment::{
    NODES as DELAY_NODES, fill_cubic, is_cubic, is_resolved, resolution, straighten,
};
pub use snapshot::Snapshot;
pub use start::{Started, start};
pub use time_events::{Due, SAME_TIME, TimeEvents, same_time};

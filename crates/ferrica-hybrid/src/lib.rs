//! What a hybrid model means, for every engine: a compiled model at its start, between two events and at an instant.
//!
//! In: a compiled model. Out: [`Problem`], its values with what must be remembered besides, and what happens to it: the initialization
//! ([`start`]), instants that are known beforehand ([`TimeEvents`]), passes over the equations until nothing changes any more
//! ([`iterate`]), with left limits, conditions and loops of conditions, actions and assertions; delayed signals ([`DelayBuffers`]).
//!
//! Nothing here goes through time: an engine says where an instant is, and goes on from what it leaves.

mod accumulation;
mod actions;
mod before_start;
pub mod c;
mod crossings;
mod delay;
mod dynamic_states;
mod error;
mod events;
mod experiment;
mod growth;
mod initialize;
mod jump;
mod left_limits;
mod limited;
mod look_ahead;
mod mixed;
mod problem;
mod reached;
mod readers;
mod relations;
mod root_functions;
mod scope;
mod segment;
mod settle;
mod snapshot;
mod start;
mod state_zeros;
mod steep;
mod tangents;
mod time_events;
mod transport;

pub use accumulation::{ACCUMULATION_IN_CODE, Accumulation, CoarseEvents, accumulate};
pub use actions::{Checked, check_assertions, failed_assertion, take_actions};
pub use crossings::{
    CHATTER_SPAN, Crossings, HYSTERESIS, HYSTERESIS_OF_TOLERANCE, Side, Watch, set_sides,
};
pub use delay::{DelayBuffers, LEAST_SIZE};
pub use dynamic_states::reselect;
pub use error::{Doubt, SimError, Stats, Warning};
pub use events::{EventResult, copy_pre, iterate, iterate_within};
pub use experiment::{Experiment, Initialized, SolverKind};
pub use ferrica_solvers::equidistant::Equidistant;
pub use growth::{AGAIN, EXPLAINED, GROWN, growing_mode};
pub use initialize::{initialize, initialize_at};
pub use left_limits::LeftLimits;
pub use mixed::{CALM_PASSES, HELD_EVALUATIONS};
pub use problem::{Problem, holds, side};
pub use reached::{Evaluated, HAIR, Present, Reached, ReachedEvent};
pub use relations::{Forced, conditions_change, holds_by_values, relation_text, update_relations};
pub use scope::{Equations, Scope};
pub use segment::{
    NODES as DELAY_NODES, fill_cubic, is_cubic, is_resolved, resolution, straighten,
};
pub use settle::{MAX_PASSES, Means, PATIENT_PASSES, settle, unsettled};
pub use snapshot::Snapshot;
pub use start::{Started, resume, start};
pub use tangents::EventTangents;
pub use time_events::{
    Due, ROUGHLY, SAME_TIME, Sampler, Samplers, TimeEvents, behind_threshold, lost_instant,
    same_time, sharper,
};

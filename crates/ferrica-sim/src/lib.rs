//! A compiled model and an experiment to a trajectory: initialization, integration between events,
//! events, results.
//!
//! [`simulate`] does it all; [`Problem`] and its parts serve other ways of marching through time.

mod delay;
mod dynamic_states;
mod error;
mod events;
mod experiment;
mod initialize;
mod problem;
mod results;
mod simulate;
mod start;
mod time_events;

pub use error::{SimError, Stats, Warning};
pub use experiment::{Experiment, SolverKind};
pub use problem::Problem;
pub use results::{ResultVariable, Sink, ValueSource, result_variables};
pub use simulate::simulate;
pub use start::{Started, start};

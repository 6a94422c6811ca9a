//! A compiled model and an experiment to a trajectory: integration between events, results.
//!
//! [`simulate`] does it all. What happens at the start and at events is in `ferrica-hybrid`, which is given on here.

mod divergence;
mod event_step;
mod origin;
mod output;
mod output_points;
mod progress;
mod results;
pub mod sensitivity;
mod session;
mod simulate;
mod solver_failure;
mod verify;
mod watch_accumulation;

pub use ferrica_hybrid::*;
pub use output_points::OutputPoints;
pub use results::{ResultVariable, Sink, ValueSource, result_variables, result_variables_where};
pub use session::{Session, Target};
pub use simulate::simulate;
pub use verify::{Verdict, Verified};

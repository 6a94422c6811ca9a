//! Quantized-state simulation and DEVS.
//!
//! In: a model as a [`model::QssModel`] (written in Rust, or made from a compiled model). Out:
//! trajectories on a grid or at every transition, and counters.

pub mod auto;
pub mod bank;
pub mod compiled;
pub mod devs;
pub mod engine;
pub mod export;
pub mod fuse;
pub mod integrator;
pub mod local_events;
pub mod model;
pub mod pairs;
pub mod quantizer;
pub mod roots;
pub mod scheduler;
pub mod simulate;
pub mod splitting;
pub mod systems;
pub mod taylor;
pub mod taylor_kernel;

pub use engine::{Finished, Happening, Observer, QssStats, Settings, Silent, Trajectories, run};
pub use ferrica_ir::Diagnostic;
pub use model::{Changes, Event, Incidence, QssModel, Structure};
pub use quantizer::{Family, Method};

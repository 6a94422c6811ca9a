//! Quantized-state simulation and DEVS.
//!
//! In: a model as a [`model::QssModel`] (written in Rust, or made from a compiled model). Out:
//! trajectories on a grid or at every transition, and counters.

pub mod assertions;
pub mod auto;
pub mod bank;
pub mod compiled;
pub mod detector;
pub mod devs;
pub mod engine;
pub mod export;
pub mod finer;
mod fuse;
pub mod groups;
pub mod history;
pub mod inputs;
pub mod integrator;
pub mod links;
pub mod model;
pub mod observer;
pub mod plans;
pub mod poles;
pub mod port;
pub mod quantizer;
mod reaches;
pub mod rest;
pub mod roots;
pub mod scheduler;
pub mod settings;
pub mod simulate;
pub mod splitting;
pub mod standing;
mod start;
pub mod systems;
pub mod taylor;
pub mod taylor_kernel;
pub mod together;
mod uncertainty;

pub use engine::{Finished, run};
pub use ferrica_ir::Diagnostic;
pub use model::{Changes, Event, Incidence, QssModel, Structure};
pub use observer::{Happening, Observer, Silent, Trajectories};
pub use quantizer::{Family, Method};
pub use settings::{QssStats, Settings, Worth};

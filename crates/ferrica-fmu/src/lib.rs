//! The run-time library of exported FMUs.
//!
//! In: a stored model ([`payload`]) in the resources of an FMU, and calls of the FMI functions of a foreign program. Out:
//! the model's values over time. [`fmi2`] and [`fmi3`] are the C interfaces; both lead an [`instance`], which is a model at a point of its
//! life. Behind it stands [`exchange`] (Model Exchange: right-hand side, crossing functions, events) or [`steps`]
//! (Co-Simulation: the engines of `ferrica run`).
//!
//! **Invariant**: nothing here ends the process, starts a thread or lets a panic out: every function of the C interfaces runs in
//! [`log::Log`]'s company and answers with a status. No compiler runs here but the one from stored equations to kernels, and that of
//! hot kernels for which no machine code came along ([`code`]).

pub mod code;
pub mod exchange;
pub mod fmi2;
pub mod fmi3;
pub mod fmi3_absent;
pub mod fmi3_steps;
pub mod fmu;
pub mod instance;
pub mod log;
pub mod payload;
pub mod state;
pub mod steps;
pub mod tangents;

mod continuation;
mod guard;
mod handles;
mod resources;
mod sealed;
mod tuning;

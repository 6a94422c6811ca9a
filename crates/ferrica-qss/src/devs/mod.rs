//! DEVS made explicit: atomic and coupled models, and the blocks of quantized-state simulation.
//!
//! [`kernel`] is the formalism (atomic ⟨X, S, Y, δint, δext, λ, ta⟩, coupling, select);
//! [`blocks`] are the quantized integrator, static function, cross detection and sample blocks;
//! [`couple`] builds the coupled model of any [`crate::QssModel`]. The fast engine does the same
//! arithmetic in the same order, so both give the same trajectories to the last bit.

pub mod blocks;
pub mod couple;
pub mod kernel;

pub use couple::{CoupledRun, couple};
pub use kernel::{Atomic, Coupled, Port, Root};

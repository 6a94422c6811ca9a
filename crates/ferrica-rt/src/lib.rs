//! Fixed-step methods with a bounded number of operations a step, for real-time simulation.
//!
//! In: a compiled model, an experiment and [`RtOptions`]. Out: rows to a sink, and [`RtRun`]. The
//! unknowns are all continuous variables of the index-one form F(t, y, y') = 0; a step replaces y' by
//! a difference formula and makes a fixed number of Newton iterations with the analytic tangent
//! ∂F/∂y + c ∂F/∂y', sparse, analysed once. A tangent that depends on parameters only is factored
//! once a formula; one that depends on discrete variables besides, once an event.
//!
//! **Invariants**: the grid is start + k·step whatever happens; the instants that a step meets and the passes of
//! an event are bounded; two runs give the same bits.
//!
//! - [`method`]: the formulas and the options
//! - [`causal`]: the formulation that solves no more than it must
//! - [`tangent`]: the matrix of the Newton iteration
//! - [`projection`]: derivatives back on the tangent plane of the constraints
//! - [`ode`]: the differentiated form, which needs independent differential equations
//! - [`simulate`]: the march
//! - [`export`]: a model and its solver as C
//! - [`pace`]: the march against the clock, with [`exchange`] of inputs and outputs and [`latency`]

pub mod causal;
pub mod clock;
pub mod exchange;
pub mod export;
mod grid;
pub mod latency;
mod march;
pub mod method;
pub mod ode;
pub mod pace;
pub mod projection;
pub mod simulate;
mod step;
pub mod tangent;

pub use exchange::Peers;
pub use method::{BdfStart, Formulation, Method, RtOptions};
pub use pace::{Pace, RealTime, Timing};
pub use simulate::{RtRun, Watch, dae_form, simulate, simulate_watched};

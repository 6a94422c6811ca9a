//! Numeric methods: linear systems with a fixed pattern, and integrators of ODEs and DAEs with events.
//!
//! In: systems behind small traits (`system`). Out: trajectories, one accepted step at a time (`integrator`).
//!
//! **Invariant**: this crate knows nothing of Modelica; nothing in a step allocates; no input makes it panic
//! other than slices of the wrong length.
//!
//! # Systems
//! - [`system::OdeSystem`]: `M y' = f(t, y)`, `M` diagonal (unit by default). [`system::DaeSystem`]: `F(t, y, y') = 0`.
//! - Jacobians are sparse: a pattern ([`sparse::CscPattern`]) and values in its order. Without
//!   values they are differenced, coloured by the pattern; without a pattern they are dense.
//! - Both extend [`system::RootFunctions`], whose sign changes are events.
//! - An evaluation may fail: recoverably (the step is repeated with a smaller size) or fatally.
//!
//! # Integrators
//!
//! | type | for | method |
//! |---|---|---|
//! | [`bdf::BdfDae`], [`bdf::BdfOde`] | stiff, the default | BDF of order 1 to 5, variable step |
//! | [`radau::RadauDae`], [`radau::RadauOde`] | stiff, high accuracy, oscillation | Radau IIA of order 5 |
//! | [`dopri5::Dopri5`] | not stiff | Dormand–Prince 5(4), detects stiffness |
//! | [`started::BdfStarted`] | stiff, many events | BDF, restarted by Dormand–Prince where intervals are short |
//! | [`auto::Auto`] | unknown | Dormand–Prince, then BDF once stiff |
//! | [`fixed_step::FixedStep`] | real time, comparison | Euler, Runge–Kutta 4 |
//!
//! All implement [`integrator::Integrator`] for any system of their form, sized or `dyn`; the system is passed to each call, so an
//! event loop can change it between steps. What can be asked of the solution is in [`integrator::Solution`].
//!
//! ```
//! use ferrica_solvers::bdf::BdfOde;
//! use ferrica_solvers::integrator::{Integrator, Options, Solution, StepOutcome};
//! use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};
//!
//! /// A ball that falls from one metre.
//! struct Ball;
//! impl RootFunctions for Ball {
//!     fn n_roots(&self) -> usize {
//!         1
//!     }
//!     fn roots(&mut self, _t: f64, y: &[f64], _yp: &[f64], g: &mut [f64]) -> Result<(), EvalError> {
//!         g[0] = y[0];
//!         Ok(())
//!     }
//! }
//! impl OdeSystem for Ball {
//!     fn n(&self) -> usize {
//!         2
//!     }
//!     fn rhs(&mut self, _t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
//!         ydot[0] = y[1];
//!         ydot[1] = -9.81;
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), ferrica_solvers::integrator::SolverError> {
//! let mut ball = Ball;
//! let mut bdf = BdfOde::new(Options::new(1e-6, 1e-6));
//! bdf.init(&mut ball, 0.0, &[1.0, 0.0], &[])?;
//! let mut impacts = 0;
//! loop {
//!     match bdf.step(&mut ball, 1.0)? {
//!         // Output between the ends of `bdf.interval()` is `bdf.interpolate(t, &mut y)`.
//!         StepOutcome::Stepped => {}
//!         StepOutcome::RootFound { t } => {
//!             if !bdf.roots_found()[0].rising {
//!                 impacts += 1;
//!                 let v = -0.8 * bdf.y()[1];
//!                 bdf.reinit(&mut ball, t, &[0.0, v], &[])?;
//!             }
//!         }
//!         StepOutcome::ReachedTstop => break,
//!     }
//! }
//! assert_eq!(impacts, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # How an event loop uses this
//! - A time event is the `tstop` of the next calls: a step ends there exactly, and `ReachedTstop` is returned.
//! - A state event is `RootFound`: `t`, `y`, `yp` are those right behind the earliest change of sign (within a few roundings of `t`), and
//!   `roots_found` has every function that changes there, with its direction. After the event call `reinit` with the new values,
//!   or just `step` on if nothing changed: what is left of the step is searched for further roots. If only the root functions
//!   changed, call `renew_roots` first.
//! - A function that is exactly zero at (re)start takes the sign it has a tenth of a step later, without an event. A relation
//!   that must switch when its difference leaves zero should offset its function by a small hysteresis on the side it is on, or
//!   be evaluated again after `reinit`. One that stays zero gives an event when it leaves.
//! - `set_h_max` bounds the steps, for delays.
//! - On an error the solution stays at the last accepted step; `controlling_variable` and
//!   `Statistics::worst_variable` say whose error controls the step.
//! - DAE form: `y`, `yp` at `init` and `reinit` must be consistent; the derivatives of algebraic unknowns may be zero.

pub mod auto;
pub mod bdf;
pub mod dense;
pub mod dopri5;
pub mod equidistant;
pub mod finite_differences;
pub mod fixed_step;
pub mod implicit;
mod inside;
pub mod integrator;
mod limited;
pub mod linear;
mod norm;
mod pair;
pub mod radau;
pub mod roots;
pub mod scalar;
mod sides;
pub mod sparse;
pub mod stability;
pub mod started;
pub mod stepper;
pub mod system;
pub mod vectors;

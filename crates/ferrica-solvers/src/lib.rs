//! Numeric methods: linear systems, integrators.
//!
//! This crate knows nothing of Modelica.

pub mod auto;
pub mod bdf;
pub mod dense;
pub mod dopri5;
pub mod finite_differences;
pub mod fixed_step;
pub mod implicit;
pub mod integrator;
pub mod linear;
mod norm;
pub mod radau;
pub mod roots;
pub mod scalar;
pub mod sparse;
pub mod stepper;
pub mod system;

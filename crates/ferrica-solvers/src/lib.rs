//! Numeric methods: linear systems, integrators.
//!
//! This crate knows nothing of Modelica.

pub mod dense;
pub mod linear;
pub mod scalar;
pub mod sparse;

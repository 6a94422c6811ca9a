//! Comparison of two results.
//!
//! [`tube`] judges one signal against a reference, [`tables`] two whole results. [`interpolate`]
//! serves those who want plain numbers without a verdict.

mod interpolation;
mod tables;
mod tube;

pub use interpolation::{Cursor, Sides, interpolate};
pub use tables::{TableVerdict, tables};
pub use tube::{SignalVerdict, Tube, TubeOptions, tube, tube_around};

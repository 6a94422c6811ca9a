//! Models for other programs: as source code, as coupled DEVS models, as bond graphs.
//!
//! FMUs are written by a crate of their own, on this one.

pub mod bond_report;
pub mod coupled;
pub mod source_code;

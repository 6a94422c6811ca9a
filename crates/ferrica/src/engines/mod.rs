//! Runs with every engine and option of the program: which solver, which form, in parts, in stages that can be taken up again,
//! over the ranks of a job, into which files.
//!
//! [`crate::Model::simulate`] and [`crate::Stepper`] are the short way to the same engines.

pub use crate::steady::begin as point_of_rest;

pub mod bond_graph;
pub mod checkpoint;
pub mod fitting;
pub mod halves;
pub mod interruption;
pub mod live;
pub mod partitioned;
pub mod ranks;
pub mod recorder;
pub mod solving;

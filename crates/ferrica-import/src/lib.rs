//! FMUs as components.
//!
//! In: an archive of FMI 2.0 or 3.0. Out: a Modelica block with its parameters, inputs, outputs and states ([`block`]), and the functions that the
//! block calls ([`natives`]). [`description`] reads `modelDescription.xml`, [`archive`] unpacks, [`fmi2`] and [`fmi3`] are the C interfaces
//! behind one [`interface::Interface`], and a [`unit::Unit`] leads an instance through its life. [`ssp`] makes models of systems of FMUs.
//!
//! **Invariant**: no binary is loaded that is not our own run-time library, unless the user has allowed it.

pub mod archive;
pub mod block;
pub mod description;
mod fmi2;
mod fmi3;
mod interface;
mod master;
pub mod natives;
pub mod platform;
mod shared;
pub mod ssp;
mod unit;

pub use archive::trust;
pub use block::{Wish, text};
pub use natives::register;

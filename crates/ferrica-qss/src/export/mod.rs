//! The coupled DEVS model of a compiled model, for other tools and for the eye.
//!
//! [`structure`] lists blocks and couplings: for each state a quantized integrator and a static
//! function, for each relation a static function and a cross detection, for each `sample` a sample
//! block, for each function of time a source; couplings follow the generalized incidence.
//! [`powerdevs`] writes it as a `.pds` file with the code of its static functions, [`cdpp`] as a `.ma`
//! file, [`picture`] as DOT and SVG.

pub mod cdpp;
pub mod picture;
pub mod powerdevs;
pub mod structure;

pub use structure::{BlockKind, CoupledStructure, structure};

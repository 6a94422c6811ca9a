//! Systems of FMUs: archives of System Structure and Parameterization, 1.0 and 2.0.
//!
//! In: an archive. Out: the text of a Modelica model: each FMU a block of [`crate::block`], each system a model with its connectors, each connection an
//! equation with its conversion of units and its transformation, each value of a parameter set a modifier. So a system runs with every solver:
//! those FMUs that have Model Exchange as one system of equations, the others stepped beside each other, as masters do that ask all units before they go on.
//! [`structure`] reads the description, [`values`] the parameter sets, [`model`] writes the text.

mod model;
mod structure;
mod values;

use std::path::Path;

pub use model::text;

/// A unit as base units: exponents of m, kg, s, A, K, mol and cd, factor and offset to them. Angles have none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    pub exponents: [i32; 7],
    pub factor: f64,
    pub offset: f64,
}

/// Meaning of units that an archive does not define itself.
pub type Units<'a> = &'a dyn Fn(&str) -> Option<Unit>;

/// Separates an archive of a system from the path of an FMU in it.
pub const INSIDE: &str = ".ssp!";

/// A system, by the name of its file?
pub fn is_system(file: &Path) -> bool {
    file.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ssp"))
}

//! Dense linear algebra by the names of LAPACK, as far as the standard library calls it.
//!
//! The results are those the routines promise; the algorithms are chosen for small matrices and
//! short code. Work arrays and leading dimensions of the calls are ignored.

pub(crate) mod eigen;
mod factorizations;
mod lu;
pub(crate) mod matrix;
mod qr;
mod spectrum;
mod svd;
mod sylvester;
mod systems;

#[cfg(test)]
mod tests;

use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    systems::register(r);
    factorizations::register(r);
    spectrum::register(r);
}

//! Models as FMUs.
//!
//! In: a flat model, and what of it is to be seen from outside ([`Wish`]). Out: the bytes of an archive: the description as XML, the run-time
//! library, the stored model, and the files with data that the model names. [`prepare`] makes start values settable, [`table`] decides which
//! variables there are, [`structure`] what depends on what, [`xml2`] and [`xml3`] write the description, [`terminals`] the connectors, [`archive`] puts everything together. [`source`] does that for
//! FMUs that are source code.

mod archive;
mod arrays;
mod hide;
mod names;
mod of_model;
mod prepare;
mod roots;
mod source;
mod structure;
mod table;
mod terminals;
mod tunable;
mod units;
mod xml;
mod xml2;
mod xml3;

pub use archive::{Icon, Wish, export, identifier};
pub use of_model::{FmuOptions, of_flat, of_model, source_of, supported, trust_own_fmus};
pub use table::Version;

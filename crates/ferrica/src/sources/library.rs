//! The built-in library, as the build script gathered it.

use ferrica_classes::Embedded;

/// The library in the binary.
///
/// ```
/// use ferrica::stages::report::SourceMap;
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// // Every model has it.
/// let options = ModelOptions { model: Some("Modelica.Blocks.Sources.Sine".to_owned()), ..Default::default() };
/// assert!(pipeline::load(&options, &mut Log::default(), &mut Stats::default()).is_ok());
/// # let _ = &ferrica::sources::library::BUILT_IN;
/// ```
pub static BUILT_IN: Embedded = include!(concat!(env!("OUT_DIR"), "/library.rs"));

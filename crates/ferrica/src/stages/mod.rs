//! The way from a text to a compiled model, stage by stage, for programs that show or measure what is between: each stage is
//! timed and says what it has found to a [`report::Report`].
//!
//! [`crate::Model`] goes this way in one call.
//!
//! ```
//! use ferrica::failure::Failure;
//! use ferrica::options::ModelOptions;
//! use ferrica::stages::{pipeline, report::Log, stats::Stats};
//!
//! let text = "model M parameter Real k = 2; Real x(start = 1, fixed = true); Real y = k*x; equation der(x) = -y; end M;";
//! let options = ModelOptions { text: Some(text.to_owned()), ..ModelOptions::default() };
//! let (mut log, mut stats) = (Log::default(), Stats::default());
//! let loaded = pipeline::load(&options, &mut log, &mut stats)?;
//! let flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
//! assert_eq!(pipeline::balance(&flat), (2, 2));
//! let compiled = pipeline::finish(&loaded, flat, &options, &mut log, &mut stats)?;
//! assert_eq!((compiled.name.as_str(), stats.states), ("M", 1));
//! assert!(log.list.is_empty() && stats.seconds("flatten") > 0.0);
//! # Ok::<(), Failure>(())
//! ```

pub mod grid;
pub mod pipeline;
pub mod report;
pub mod stage_text;
pub mod stats;

//! The way from a text to a compiled model, stage by stage, for programs that show or measure what is between: each stage is
//! timed and says what it has found to a [`report::Report`].
//!
//! [`crate::Model`] goes this way in one call.
//!
//! ```
//! use std::sync::Arc;
//! use ferrica::failure::Failure;
//! use ferrica::options::ModelOptions;
//! use ferrica::stages::report::{Diagnostic, Report, SourceMap};
//! use ferrica::stages::{pipeline, stats::Stats};
//!
//! #[derive(Default)]
//! struct Heard(Arc<SourceMap>, Vec<&'static str>);
//!
//! impl Report for Heard {
//!     fn sources(&self) -> Arc<SourceMap> {
//!         self.0.clone()
//!     }
//!     fn diagnostics(&mut self, list: &[Diagnostic]) {
//!         self.1.extend(list.iter().map(|d| d.code));
//!     }
//! }
//!
//! let text = "model M parameter Real k = 2; Real x(start = 1, fixed = true); Real y = k*x; equation der(x) = -y; end M;";
//! let options = ModelOptions { text: Some(text.to_owned()), ..ModelOptions::default() };
//! let (mut heard, mut stats) = (Heard::default(), Stats::default());
//! let loaded = pipeline::load(&options, &mut heard, &mut stats)?;
//! let flat = pipeline::flatten(&loaded, &[], &mut heard, &mut stats)?;
//! assert_eq!(pipeline::balance(&flat), (2, 2));
//! let compiled = pipeline::finish(&loaded, flat, &options, &mut heard, &mut stats)?;
//! assert_eq!((compiled.name.as_str(), stats.states), ("M", 1));
//! assert!(compiled.takes_at_run_time("k", 3.0) && heard.1.is_empty());
//! assert!(stats.seconds("flatten") > 0.0);
//! # Ok::<(), Failure>(())
//! ```

pub mod grid;
pub mod pipeline;
pub mod report;
pub mod stage_text;
pub mod stats;

//! The way from a text to a compiled model, stage by stage, for programs that show or measure what is between: each stage is
//! timed and says what it has found to a [`report::Report`].
//!
//! [`crate::Model`] goes this way in one call.

pub mod grid;
pub mod pipeline;
pub mod report;
pub mod stage_text;
pub mod stats;

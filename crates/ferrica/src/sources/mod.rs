//! Texts and classes: find what is wrong with them, tidy, list, document and draw them, and take FMUs in their place.
//!
//! ```
//! use ferrica::sources::formatting::{FormatOptions, format_text};
//! use ferrica::stages::report::SourceMap;
//! let tidy = format_text("m.mo", "model M Real x;end M;", &FormatOptions::default(), &SourceMap::new());
//! assert_eq!(tidy.unwrap(), "model M Real x; end M;\n");
//! ```

pub mod checking;
pub mod class_picture;
pub mod documentation;
pub mod formatting;
pub mod imported;
pub mod library;
pub mod listing;

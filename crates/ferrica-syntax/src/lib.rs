//! Modelica text in; a lossless list of tokens, a syntax tree and a list of errors out.
//!
//! Parsing never fails: it returns the tree of what could be read, and diagnostics. A tree belongs
//! to one text and knows nothing of libraries.

pub mod ast;
mod dump;
mod format;
pub mod lexer;
mod parser;
mod print;
pub mod token;

pub use dump::dump;
pub use format::{Options as FormatOptions, format, format_parsed, format_with};
pub use parser::{MAX_HEIGHT, MAX_NESTING, Parsed, parse, parse_expression, parse_tree};
pub use print::ClassHeader;

//! Syntax trees and library folders in, a tree of classes out.
//!
//! The tree is complete in principle and read on demand: asking for a class parses the one file
//! that holds it. Text, tree and ids live as long as the [`Library`]; all methods take `&self`.

mod append_vec;
mod class_id;
mod file_cache;
mod library;
mod search_path;
mod storage;
mod uri;
mod version;

pub use class_id::ClassId;
pub use file_cache::FileCache;
pub use library::Library;
pub use search_path::SearchPath;
pub use storage::Embedded;
pub use uri::Resource;

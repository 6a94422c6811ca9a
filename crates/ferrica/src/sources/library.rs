//! The built-in library, as the build script gathered it.

use ferrica_classes::Embedded;

pub static BUILT_IN: Embedded = include!(concat!(env!("OUT_DIR"), "/library.rs"));

//! A flag that ends what is being computed.

pub use ferrica_codegen::interpreter::stop_when;

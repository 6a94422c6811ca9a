//! A flag that ends what is being computed.

/// Loops of functions end, with an error, once the flag is set. The first flag of a process counts.
///
/// ```
/// use std::sync::{Arc, atomic::AtomicBool};
/// let flag = Arc::new(AtomicBool::new(false));
/// ferrica::engines::interruption::stop_when(flag.clone());
/// ```
pub use ferrica_codegen::interpreter::stop_when;

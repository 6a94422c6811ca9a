//! Numbers and names as messages have them.

/// Units in the letters of print.
///
/// ```
/// assert_eq!(ferrica::words::pretty("N.m2"), "N·m²");
/// ```
pub use ferrica_draw::pretty;
/// A number in six digits; a number of things.
///
/// ```
/// use ferrica::words::{brief, counted};
/// assert_eq!((brief(0.5), counted(2, "state")), ("0.5".to_owned(), "2 states".to_owned()));
/// ```
pub use ferrica_ir::print::{brief, counted};
/// The name that a wrong one may have been meant to be.
///
/// ```
/// use ferrica::words::{closest, closest_variable};
/// assert_eq!(closest("Capacitr", ["Capacitor", "Resistor"]), Some("Capacitor"));
/// assert_eq!(closest_variable("R1.v", ["R2.v", "C.q"]), Some("R2.v"));
/// ```
pub use ferrica_ir::similar::{closest, closest_variable};

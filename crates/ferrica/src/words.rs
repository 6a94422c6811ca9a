//! Numbers and names as messages have them.

pub use ferrica_draw::pretty;
pub use ferrica_ir::print::{brief, counted};
pub use ferrica_ir::similar::{closest, closest_variable};

//! Tables that are walked again and again while time goes on: who reads what, records of different lengths in one array, and hints that ask the memory
//! for them in time. They know nothing of models.

mod incidence;
mod memory;
mod packed;

pub use incidence::Incidence;
pub use memory::prefetch;
pub use packed::Packed;

//! What a request may cost: a page that is left open, or that asks for too much, must not take the machine.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No run takes longer.
    pub longest: Duration,
    /// Output points that a request may ask for.
    pub rows: usize,
    /// Numbers of a result.
    pub numbers: u64,
}

impl Default for Limits {
    /// Half an hour; more points than a picture can show; somewhat more than a gigabyte.
    fn default() -> Limits {
        Limits {
            longest: Duration::from_secs(1800),
            rows: 2_000_000,
            numbers: 150_000_000,
        }
    }
}

//! Random numbers for tests.

/// Numerical Recipes' linear congruential generator: reproducible, no dependency.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn real(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64 * 4.0 - 2.0
    }
}

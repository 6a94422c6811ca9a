//! A digest of 128 bits that is the same in every process and on every machine: Fowler, Noll and Vo's hash, variant 1a.

use std::hash::Hasher;

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = (1 << 88) + 0x13b;

/// See the module comment.
pub struct Digest(u128);

impl Default for Digest {
    fn default() -> Digest {
        Digest(OFFSET)
    }
}

impl Digest {
    pub fn of(bytes: &[u8]) -> u128 {
        let mut digest = Digest::default();
        digest.write(bytes);
        digest.value()
    }

    pub fn value(&self) -> u128 {
        self.0
    }
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        let step = |h: u128, &b: &u8| (h ^ u128::from(b)).wrapping_mul(PRIME);
        self.0 = bytes.iter().fold(self.0, step);
    }

    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 64)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the authors' tables.
    #[test]
    fn known_values() {
        assert_eq!(Digest::of(b""), OFFSET);
        let of_a = 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964;
        assert_eq!(Digest::of(b"a"), of_a);
    }
}

//! Choices that depend on a seed alone.

/// xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(case: u64) -> Random {
        let mut random = Random(case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// `n` of the items, the same for the same seed whatever their order: those with the smallest hash of seed and name. The others go.
pub fn sample<T>(items: &mut Vec<T>, n: usize, seed: u64, name: impl Fn(&T) -> &str) {
    items.sort_by_cached_key(|item| hash(seed, name(item)));
    items.truncate(n);
    items.sort_by(|a, b| name(a).cmp(name(b)));
}

/// Fowler, Noll and Vo's hash, mixed once more.
fn hash(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let h = text.bytes().fold(start, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_depends_on_its_seed_alone() {
        let models: Vec<String> = (0..100).map(|k| format!("L.M{k}")).collect();
        let of = |mut list: Vec<String>, seed| {
            sample(&mut list, 10, seed, |m| m);
            list
        };
        let mut turned = models.clone();
        turned.reverse();
        let first = of(models.clone(), 1);
        assert_eq!(first.len(), 10);
        assert_eq!(first, of(turned, 1));
        assert_ne!(first, of(models, 2));
    }
}

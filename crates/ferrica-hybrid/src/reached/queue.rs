//! A set of numbers from which the smallest is taken: one bit a number, and above it one bit for each word
//! that is not empty, up to a single word. Insertion and removal touch one word a level (to the base 64).

/// See the module comment.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// From the numbers themselves to the single word.
    levels: Vec<Vec<u64>>,
}

impl Queue {
    /// For numbers below `size`.
    pub fn new(size: usize) -> Queue {
        let mut levels = Vec::new();
        let mut words = size.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Queue { levels };
            }
            words = words.div_ceil(64);
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.levels.last().is_none_or(|top| top[0] == 0)
    }

    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }

    #[inline]
    pub fn insert(&mut self, number: u32) {
        let mut at = number as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let was = *word;
            *word |= 1 << (at % 64);
            if was != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// Takes the smallest number out.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let mut at = 0;
        for level in self.levels.iter().rev() {
            at = at * 64 + level[at].trailing_zeros() as usize;
        }
        let number = at as u32;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            *word &= *word - 1;
            if *word != 0 {
                break;
            }
            at /= 64;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_sorted_set() {
        for size in [1usize, 63, 64, 65, 5000, 300_000] {
            let (mut queue, mut set) = (Queue::new(size), BTreeSet::new());
            let mut seed = 7u64;
            for _ in 0..3000 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                if seed >> 62 == 0 {
                    assert_eq!(queue.pop(), set.pop_first());
                } else {
                    let number = ((seed >> 20) % size as u64) as u32;
                    queue.insert(number);
                    set.insert(number);
                }
                assert_eq!(queue.is_empty(), set.is_empty());
            }
        }
    }
}

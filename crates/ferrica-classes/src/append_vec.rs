//! A vector that grows through a shared reference and never moves its elements.
//!
//! Elements live in chunks of doubling size that are allocated once, so a reference to an element
//! is valid as long as the vector. Used from several threads without a lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST: u32 = 64;
const CHUNKS: usize = 27;

type Chunk<T> = Box<[OnceLock<T>]>;

pub struct AppendVec<T> {
    chunks: [OnceLock<Chunk<T>>; CHUNKS],
    len: AtomicU32,
}

impl<T> Default for AppendVec<T> {
    fn default() -> AppendVec<T> {
        AppendVec {
            chunks: [const { OnceLock::new() }; CHUNKS],
            len: AtomicU32::new(0),
        }
    }
}

/// Chunk and place in it: chunk k holds `FIRST << k` elements.
fn locate(index: u32) -> (usize, usize) {
    let block = index / FIRST + 1;
    let chunk = block.ilog2();
    let before = FIRST * ((1 << chunk) - 1);
    (chunk as usize, (index - before) as usize)
}

impl<T> AppendVec<T> {
    /// Adds an element and returns its index.
    pub fn push(&self, value: T) -> u32 {
        let index = self.len.fetch_add(1, Ordering::Relaxed);
        let (chunk, place) = locate(index);
        let slots = self.chunks[chunk].get_or_init(|| {
            (0..(FIRST as usize) << chunk)
                .map(|_| OnceLock::new())
                .collect()
        });
        // The index was handed out once, so the slot is empty.
        let _ = slots[place].set(value);
        index
    }

    pub fn get(&self, index: u32) -> Option<&T> {
        let (chunk, place) = locate(index);
        self.chunks.get(chunk)?.get()?.get(place)?.get()
    }

    pub fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_in_place() {
        let vec = AppendVec::default();
        vec.push(0_u32);
        let first: *const u32 = vec.get(0).unwrap();
        for i in 1..10_000 {
            assert_eq!(vec.push(i), i);
        }
        assert!((0..10_000).all(|i| vec.get(i) == Some(&i)));
        assert_eq!(first, vec.get(0).unwrap() as *const u32);
        assert_eq!(vec.get(10_000), None);
        assert_eq!(vec.len(), 10_000);
    }
}

//! Records of different lengths in one array.
//!
//! In: the records one after the other, and where each begins. Out: the same records, placed so that
//! finding one needs no table and a short one lies in one cache line: where the padding costs little, all
//! have the length of the longest, rounded up to a power of two. Otherwise they stay as they are.

use super::prefetch;

/// Bytes of a cache line, and of the longest record that is padded.
const LINE: usize = 64;
const LONGEST: usize = 2 * LINE;

/// See the module comment.
#[derive(Debug, Default)]
pub struct Packed<T> {
    items: Vec<T>,
    /// First record and distance of records that are padded; a distance of 0 means that they are not.
    base: usize,
    stride: usize,
    start: Vec<u32>,
}

impl<T: Copy> Packed<T> {
    /// Record k is `items[start[k]..start[k + 1]]`.
    pub fn new(start: &[u32], items: Vec<T>, padding: T) -> Packed<T> {
        let records = start.len().saturating_sub(1);
        let length = |k: usize| (start[k + 1] - start[k]) as usize;
        let longest = (0..records).map(length).max().unwrap_or(0);
        let stride = longest.next_power_of_two();
        if stride * size_of::<T>() > LONGEST || stride * records > 2 * items.len() {
            return Packed {
                items,
                base: 0,
                stride: 0,
                start: start.to_vec(),
            };
        }
        let mut padded: Vec<T> = Vec::with_capacity(stride * records + LINE / size_of::<T>());
        let base = padded.as_ptr().align_offset(LINE);
        // The offset is a hint: without it the records are only not aligned.
        let base = if base < LINE / size_of::<T>() {
            base
        } else {
            0
        };
        padded.resize(base, padding);
        for k in 0..records {
            padded.extend_from_slice(&items[start[k] as usize..start[k + 1] as usize]);
            padded.resize(base + (k + 1) * stride, padding);
        }
        Packed {
            items: padded,
            base,
            stride,
            start: Vec::new(),
        }
    }

    /// Position of a record's first item.
    #[inline]
    pub fn at(&self, k: usize) -> usize {
        if self.stride != 0 {
            self.base + k * self.stride
        } else {
            self.start[k] as usize
        }
    }

    #[inline]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        let at = self.at(k);
        if self.stride != 0 {
            at..at + self.stride
        } else {
            at..self.start[k + 1] as usize
        }
    }

    /// A record, perhaps with padding behind it.
    #[inline]
    pub fn record(&self, k: usize) -> &[T] {
        &self.items[self.range(k)]
    }

    #[inline]
    pub fn record_mut(&mut self, k: usize) -> &mut [T] {
        let range = self.range(k);
        &mut self.items[range]
    }

    #[inline]
    pub fn item(&self, at: usize) -> T {
        self.items[at]
    }

    #[inline]
    pub fn item_mut(&mut self, at: usize) -> &mut T {
        &mut self.items[at]
    }

    /// Asks the memory for a record ahead of its use.
    #[inline]
    pub fn prefetch(&self, k: usize) {
        let at = self.at(k);
        prefetch(&self.items[at]);
        if self.stride * size_of::<T>() > LINE {
            prefetch(&self.items[at + LINE / size_of::<T>()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_the_same_padded_or_not() {
        let rows: [&[u32]; 3] = [&[1, 2, 3], &[4], &[5, 6, 7]];
        let long: Vec<u32> = (0..100).collect();
        let uneven: [&[u32]; 3] = [&[1], &long, &[2, 3]];
        for rows in [rows, uneven] {
            let mut start = vec![0];
            let mut items = Vec::new();
            for row in rows {
                items.extend_from_slice(row);
                start.push(items.len() as u32);
            }
            let mut packed = Packed::new(&start, items, 0);
            for (k, row) in rows.iter().enumerate() {
                assert_eq!(packed.record(k)[..row.len()], **row);
                assert_eq!(packed.item(packed.at(k)), row[0]);
                packed.prefetch(k);
            }
            packed.record_mut(1)[0] = 9;
            assert_eq!(packed.record(0)[0], rows[0][0]);
            assert_eq!(packed.record(2)[0], rows[2][0]);
        }
    }
}

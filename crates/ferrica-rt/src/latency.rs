//! How long steps took: a histogram of fixed size.
//!
//! Bins grow by 1/16 of a power of two, so that every percentile is known to about 6 %; the smallest and the largest value
//! are exact. Adding a value allocates nothing.

/// Bins for each power of two of nanoseconds.
const PER_OCTAVE: u64 = 16;
const OCTAVES: usize = 48;

#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: vec![0; OCTAVES * PER_OCTAVE as usize],
            count: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Histogram {
    fn bin(nanoseconds: u64) -> usize {
        let v = nanoseconds.max(1);
        let octave = 63 - u64::from(v.leading_zeros());
        let part = if octave >= 4 {
            (v >> (octave - 4)) & (PER_OCTAVE - 1)
        } else {
            (v << (4 - octave)) & (PER_OCTAVE - 1)
        };
        ((octave * PER_OCTAVE + part) as usize).min(OCTAVES * PER_OCTAVE as usize - 1)
    }

    /// Lower edge of a bin.
    fn edge(bin: usize) -> f64 {
        let (octave, part) = (bin / PER_OCTAVE as usize, bin % PER_OCTAVE as usize);
        2f64.powi(octave as i32) * (1.0 + part as f64 / PER_OCTAVE as f64)
    }

    pub fn add(&mut self, nanoseconds: u64) {
        self.counts[Histogram::bin(nanoseconds)] += 1;
        self.count += 1;
        self.min = self.min.min(nanoseconds);
        self.max = self.max.max(nanoseconds);
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Seconds.
    pub fn min(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.min as f64 * 1e-9
        }
    }

    pub fn max(&self) -> f64 {
        self.max as f64 * 1e-9
    }

    /// Seconds that a part `p` of all values do not exceed.
    pub fn percentile(&self, p: f64) -> f64 {
        let wanted = (p * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, &n) in self.counts.iter().enumerate() {
            seen += n;
            if seen >= wanted && self.count > 0 {
                return (Histogram::edge(bin + 1) * 1e-9).clamp(self.min(), self.max());
            }
        }
        self.max()
    }

    /// Seconds at the middle of each bin that is not empty, and its count.
    pub fn bars(&self) -> Vec<(f64, u64)> {
        let bars = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        let middle = |b: usize| 0.5e-9 * (Histogram::edge(b) + Histogram::edge(b + 1));
        bars.map(|(b, &n)| (middle(b), n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_near_and_ends_are_exact() {
        let mut h = Histogram::default();
        for k in 1..=100_000u64 {
            h.add(k);
        }
        assert_eq!((h.min(), h.max()), (1e-9, 1e-4));
        for (p, exact) in [(0.5, 5e-5), (0.99, 9.9e-5), (0.999, 9.99e-5)] {
            let found = h.percentile(p);
            assert!((found / exact - 1.0).abs() < 0.07, "{p}: {found}");
        }
        assert_eq!(h.bars().iter().map(|b| b.1).sum::<u64>(), 100_000);
    }
}

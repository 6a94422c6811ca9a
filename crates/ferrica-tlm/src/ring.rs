//! Samples that one thread writes and others read, without locks.
//!
//! A table keeps the last rows of a producer; when row j has been written its progress is published
//! as j + 1. Readers look at the progress first (acquire), the producer looks at the readers'
//! progress before it writes over a row, so no row is read and written at once.

use std::sync::atomic::{AtomicU64, Ordering};

/// Alone on its cache lines.
#[repr(align(128))]
#[derive(Default)]
pub struct Progress(AtomicU64);

impl Progress {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub fn publish(&self, count: u64) {
        self.0.store(count, Ordering::Release);
    }
}

/// Rows of `width` numbers; the last `capacity` of them are kept.
pub struct Table {
    width: usize,
    mask: u64,
    cells: Vec<AtomicU64>,
}

impl Table {
    /// For at least `capacity` rows.
    pub fn new(width: usize, capacity: u64) -> Table {
        let rows = capacity.max(2).next_power_of_two();
        let cells = (0..rows as usize * width)
            .map(|_| AtomicU64::new(0))
            .collect();
        Table {
            width,
            mask: rows - 1,
            cells,
        }
    }

    pub fn capacity(&self) -> u64 {
        self.mask + 1
    }

    pub fn row(&self, index: u64) -> &[AtomicU64] {
        &self.cells[(index & self.mask) as usize * self.width..][..self.width]
    }
}

pub fn load(cell: &AtomicU64) -> f64 {
    f64::from_bits(cell.load(Ordering::Relaxed))
}

pub fn store(cell: &AtomicU64, value: f64) {
    cell.store(value.to_bits(), Ordering::Relaxed);
}

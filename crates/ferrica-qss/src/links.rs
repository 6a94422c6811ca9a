//! Who reads a quantity, which crossings see it and what its derivative reads: one record a quantity, in
//! one array, so that a transition finds all of it in one or two cache lines.
//!
//! In: the incidences of a [`Structure`]. A record is `[feeds, crossings, reads, lists…]` with the
//! lengths first and the three lists behind; a time input has no reads.

use std::ops::Range;

use crate::memory::prefetch;
use crate::model::{Incidence, Structure};

const HEAD: usize = 3;

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Links {
    start: Vec<u32>,
    items: Vec<u32>,
}

/// Positions of the three lists of a quantity.
#[derive(Clone, Debug)]
pub struct Record {
    pub feeds: Range<usize>,
    pub crossings: Range<usize>,
    pub reads: Range<usize>,
}

impl Links {
    pub fn new(structure: &Structure) -> Links {
        let empty: &[u32] = &[];
        let mut links = Links::default();
        for k in 0..structure.quantities() {
            let lists = [
                structure.feeds.row(k),
                structure.crossing_feeds.row(k),
                if k < structure.states {
                    structure.reads.row(k)
                } else {
                    empty
                },
            ];
            links.push(&lists);
        }
        links
    }

    /// Records with reads only, one a row.
    pub fn of_reads(reads: &Incidence) -> Links {
        let mut links = Links::default();
        for k in 0..reads.rows() {
            links.push(&[&[], &[], reads.row(k)]);
        }
        links
    }

    fn push(&mut self, lists: &[&[u32]; HEAD]) {
        self.start.push(self.items.len() as u32);
        self.items.extend(lists.iter().map(|l| l.len() as u32));
        for list in lists {
            self.items.extend_from_slice(list);
        }
    }

    #[inline]
    pub fn record(&self, k: usize) -> Record {
        let at = self.start[k] as usize;
        let feeds = at + HEAD;
        let crossings = feeds + self.items[at] as usize;
        let reads = crossings + self.items[at + 1] as usize;
        Record {
            feeds: feeds..crossings,
            crossings: crossings..reads,
            reads: reads..reads + self.items[at + 2] as usize,
        }
    }

    #[inline]
    pub fn item(&self, at: usize) -> usize {
        self.items[at] as usize
    }

    #[inline]
    pub fn prefetch(&self, k: usize) {
        prefetch(&self.items[self.start[k] as usize]);
    }
}

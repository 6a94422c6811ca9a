//! Who reads a quantity, which crossings see it and what its derivative reads: one record a quantity, in
//! one array, so that a transition finds all of it in one or two cache lines.
//!
//! In: the incidences of a [`Structure`]. A record is `[feeds, crossings, reads, lists…]` with the
//! lengths first and the three lists behind; a time input has no reads.

use std::ops::Range;

use crate::model::Structure;
use ferrica_codegen::lists::Packed;

const HEAD: usize = 3;

/// See the module comment.
#[derive(Debug, Default)]
pub struct Links {
    records: Packed<u32>,
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
        let (mut start, mut items) = (vec![0], Vec::new());
        for k in 0..structure.quantities() {
            let lists: [&[u32]; HEAD] = [
                structure.feeds.row(k),
                structure.crossing_feeds.row(k),
                if k < structure.states {
                    structure.reads.row(k)
                } else {
                    empty
                },
            ];
            items.extend(lists.iter().map(|l| l.len() as u32));
            for list in lists {
                items.extend_from_slice(list);
            }
            start.push(items.len() as u32);
        }
        Links {
            records: Packed::new(&start, items, 0),
        }
    }

    #[inline]
    pub fn record(&self, k: usize) -> Record {
        let at = self.records.at(k);
        let feeds = at + HEAD;
        let crossings = feeds + self.item(at);
        let reads = crossings + self.item(at + 1);
        Record {
            feeds: feeds..crossings,
            crossings: crossings..reads,
            reads: reads..reads + self.item(at + 2),
        }
    }

    #[inline]
    pub fn item(&self, at: usize) -> usize {
        self.records.item(at) as usize
    }

    #[inline]
    pub fn prefetch(&self, k: usize) {
        self.records.prefetch(k);
    }
}

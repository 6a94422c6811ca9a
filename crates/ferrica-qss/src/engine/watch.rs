//! What a transition needs to know of a crossing, as one record of half a cache line.

use crate::detector::Detector;
use crate::model::Incidence;

/// Not one quantity.
const MANY: u32 = u32::MAX;

/// See the module comment.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Watch {
    pub detector: Detector,
    /// Mark of the last pass that predicted it.
    pub stamp: u32,
    /// The quantity that its function reads, where that is one.
    only: u32,
}

impl Watch {
    /// A crossing that reads these quantities.
    pub fn new(reads: &[u32], detector: Detector) -> Watch {
        Watch {
            detector,
            stamp: 0,
            only: match reads {
                [one] => *one,
                _ => MANY,
            },
        }
    }

    /// Quantities that crossing z reads, this being its record.
    #[inline]
    pub fn reads<'a>(&'a self, z: usize, reads: &'a Incidence) -> &'a [u32] {
        if self.only == MANY {
            reads.row(z)
        } else {
            std::slice::from_ref(&self.only)
        }
    }
}

//! Arrays of a function body: runs of registers that are indexed at run time and so must lie in memory.

use crate::function::Inst;
use crate::kernel::Reg;

/// See the module comment.
pub struct Arrays {
    /// First register, end, place of the first one in memory.
    runs: Vec<(Reg, Reg, u32)>,
    /// How many numbers the memory holds.
    pub len: u32,
}

impl Arrays {
    pub fn new(insts: &[Inst]) -> Arrays {
        let mut runs: Vec<(Reg, Reg)> = insts
            .iter()
            .filter_map(|i| match *i {
                Inst::Load(_, first, len, _) | Inst::Store(first, len, ..) => {
                    Some((first, first + len))
                }
                _ => None,
            })
            .collect();
        runs.sort_unstable();
        let mut merged: Vec<(Reg, Reg, u32)> = Vec::new();
        for (first, end) in runs {
            match merged.last_mut() {
                Some(last) if first < last.1 => last.1 = last.1.max(end),
                _ => merged.push((first, end, 0)),
            }
        }
        let mut len = 0;
        for run in &mut merged {
            run.2 = len;
            len += run.1 - run.0;
        }
        Arrays { runs: merged, len }
    }

    /// Place of a register, if it is an element of an array.
    pub fn place(&self, r: Reg) -> Option<u32> {
        let k = self.runs.partition_point(|run| run.1 <= r);
        let run = self.runs.get(k)?;
        (run.0 <= r).then(|| run.2 + r - run.0)
    }
}

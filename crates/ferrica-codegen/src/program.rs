//! Programs: what an engine executes for one purpose (a right-hand side, one derivative, a matrix).
//!
//! A program is a list of steps. A batch runs one kernel over consecutive rows; rows of a batch are
//! independent of each other. A solve step hands over to a linear or nonlinear system.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

use crate::jit::NativeCode;
use crate::kernel::{Kernel, KernelBuilder, KernelId, Reg, hash_kernel};

/// A linear or nonlinear system of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SystemId(u32);
entity_impl!(SystemId, "system");

/// A kernel bound to slots: `len` numbers at `start` of the row table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub kernel: KernelId,
    pub start: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// kernel, first number in `Program::rows`, number of rows
    Batch {
        kernel: KernelId,
        first: u32,
        count: u32,
    },
    Solve(SystemId),
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub steps: Vec<Step>,
    /// Rows of all batches: operand slots, then result slots.
    pub rows: Vec<u32>,
    /// How often it ran, and its machine code once there is some. Clones share both.
    pub native: Arc<NativeCell>,
}

/// Machine code of a program: absent, on the way, or ready.
#[derive(Debug, Default)]
pub struct NativeCell {
    pub runs: AtomicU32,
    /// Runs after which compiling pays.
    pub enough: OnceLock<u32>,
    pub code: OnceLock<NativeCode>,
}

impl Program {
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Appends one row, joined to the last batch if `join` and the kernel is the same.
    pub fn push_row(&mut self, kernel: KernelId, row: &[u32], join: bool) {
        let first = self.rows.len() as u32;
        self.rows.extend_from_slice(row);
        if join
            && let Some(Step::Batch {
                kernel: k, count, ..
            }) = self.steps.last_mut()
            && *k == kernel
        {
            *count += 1;
            return;
        }
        self.steps.push(Step::Batch {
            kernel,
            first,
            count: 1,
        });
    }

    /// Number of rows and solves.
    pub fn len(&self) -> usize {
        self.steps
            .iter()
            .map(|s| match s {
                Step::Batch { count, .. } => *count as usize,
                Step::Solve(_) => 1,
            })
            .sum()
    }
}

/// One program after another.
pub fn joined(first: &Program, second: &Program) -> Program {
    let mut out = Program {
        steps: first.steps.clone(),
        rows: [&first.rows[..], &second.rows].concat(),
        ..Program::default()
    };
    let offset = first.rows.len() as u32;
    out.steps
        .extend(second.steps.iter().map(|step| match *step {
            Step::Batch {
                kernel,
                first,
                count,
            } => Step::Batch {
                kernel,
                first: first + offset,
                count,
            },
            solve @ Step::Solve(_) => solve,
        }));
    out
}

/// All kernels of a model, each once, and the rows of its blocks.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    pub kernels: PrimaryMap<KernelId, Kernel>,
    by_hash: FxHashMap<u64, Vec<KernelId>>,
    pub table: Vec<u32>,
}

impl Kernels {
    pub fn intern(&mut self, kernel: Kernel) -> KernelId {
        match self.find(&kernel) {
            Ok(id) => id,
            Err(hash) => self.add(hash, kernel),
        }
    }

    /// The number of a kernel, or the hash under which it is not known.
    fn find(&self, kernel: &Kernel) -> Result<KernelId, u64> {
        let hash = hash_kernel(kernel);
        let mut same = self.by_hash.get(&hash).into_iter().flatten();
        (same.find(|&&id| self.kernels[id] == *kernel).copied()).ok_or(hash)
    }

    fn add(&mut self, hash: u64, kernel: Kernel) -> KernelId {
        let id = self.kernels.push(kernel);
        self.by_hash.entry(hash).or_default().push(id);
        id
    }

    /// Adds a row of what has been built: the registers of its results, and their slots. The builder is not emptied.
    pub fn add_built(
        &mut self,
        builder: &mut KernelBuilder,
        registers: &[Reg],
        results: &[u32],
    ) -> Row {
        let (kernel, operands) = builder.finished(registers);
        debug_assert_eq!(kernel.results.len(), results.len());
        let id = match self.find(kernel) {
            Ok(id) => id,
            Err(hash) => self.add(hash, kernel.clone()),
        };
        let start = self.table.len() as u32;
        self.table.extend_from_slice(operands);
        self.table.extend_from_slice(results);
        Row { kernel: id, start }
    }

    /// Adds a row: operand slots and result slots.
    pub fn add_row(&mut self, kernel: Kernel, operands: &[u32], results: &[u32]) -> Row {
        debug_assert_eq!(kernel.loads as usize, operands.len());
        debug_assert_eq!(kernel.results.len(), results.len());
        let id = self.intern(kernel);
        let start = self.table.len() as u32;
        self.table.extend_from_slice(operands);
        self.table.extend_from_slice(results);
        Row { kernel: id, start }
    }

    #[inline]
    pub fn row(&self, row: Row) -> &[u32] {
        &self.table[row.start as usize..][..self.kernels[row.kernel].stride()]
    }

    #[inline]
    pub fn operands(&self, row: Row) -> &[u32] {
        &self.table[row.start as usize..][..self.kernels[row.kernel].loads as usize]
    }

    #[inline]
    pub fn results(&self, row: Row) -> &[u32] {
        let k = &self.kernels[row.kernel];
        &self.table[row.start as usize + k.loads as usize..][..k.results.len()]
    }
}

/// Rows of a program of batches, with their kernels.
pub fn rows<'a>(
    kernels: &'a Kernels,
    program: &'a Program,
) -> impl Iterator<Item = (KernelId, &'a [u32])> {
    program.steps.iter().flat_map(move |step| {
        let (kernel, first, count) = match *step {
            Step::Batch {
                kernel,
                first,
                count,
            } => (Some(kernel), first as usize, count as usize),
            Step::Solve(_) => (None, 0, 0),
        };
        let stride = kernel.map_or(1, |k| kernels.kernels[k].stride());
        program.rows[first..first + count * stride]
            .chunks_exact(stride.max(1))
            .filter_map(move |row| kernel.map(|k| (k, row)))
    })
}

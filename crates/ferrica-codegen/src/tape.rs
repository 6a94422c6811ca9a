//! Tapes: the linearization of a list of blocks.
//!
//! A tape is a program that evaluates the local partial derivatives of every block at the present
//! point, and the order in which tangents are propagated: for a row, the tangent of a result is the
//! sum of partial times tangent over its operands; for a system, the linearized system is solved.
//! Exact derivatives of any output with respect to any input follow by one sweep a direction.

use cranelift_entity::PrimaryMap;
use ferrica_solvers::sparse::CscPattern;
use rustc_hash::FxHashMap;

use crate::kernel::KernelId;
use crate::layout::{Layout, Slot};
use crate::model::System;
use crate::partials::{Partial, PartialKernel, partials};
use crate::program::{Kernels, Program, Row, SystemId};

/// One node: the tangent of slot `to` is the sum over `edges[first..first + len]`.
#[derive(Clone, Copy, Debug)]
pub enum TapeStep {
    Node { to: Slot, first: u32, len: u32 },
    System(SystemId),
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    pub partials: Program,
    pub steps: Vec<TapeStep>,
    /// (operand, slot of the partial derivative)
    pub edges: Vec<(Slot, Slot)>,
}

/// Derivative kernels by shape and active operands.
#[derive(Default)]
pub struct PartialCache {
    known: FxHashMap<KernelId, FxHashMap<Box<[bool]>, (KernelId, PartialKernel)>>,
    /// Room for one row.
    mask: Vec<bool>,
    found: Vec<(Slot, Slot, Slot)>,
}

impl PartialCache {
    /// Partial derivatives of a row with respect to its active operands: (result slot, operand
    /// slot, slot of the partial). Their evaluation is appended to `program`.
    pub fn row(
        &mut self,
        kernels: &mut Kernels,
        layout: &mut Layout,
        row: Row,
        active: &dyn Fn(Slot) -> bool,
        program: &mut RowList,
    ) -> &[(Slot, Slot, Slot)] {
        self.found.clear();
        self.mask.clear();
        self.mask
            .extend(kernels.operands(row).iter().map(|&s| active(s)));
        if !self.mask.contains(&true) {
            return &self.found;
        }
        let of_kernel = self.known.entry(row.kernel).or_default();
        if !of_kernel.contains_key(&self.mask[..]) {
            let rule = partials(&kernels.kernels[row.kernel], &self.mask);
            let id = kernels.intern(rule.kernel.clone());
            of_kernel.insert(self.mask.as_slice().into(), (id, rule));
        }
        let (id, rule) = &of_kernel[&self.mask[..]];
        let (operands, results) = (kernels.operands(row), kernels.results(row));
        let n = rule.kernel.results.len();
        let first = layout.alloc_run(n);
        if n > 0 {
            let own = first..first + n as Slot;
            program.push(*id, operands.iter().copied().chain(own));
        }
        self.found
            .extend(rule.entries.iter().map(|&(j, k, partial)| {
                let slot = match partial {
                    Partial::Constant(value) => layout.literal(value),
                    Partial::Result(r) => first + r,
                };
                (results[j as usize], operands[k as usize], slot)
            }));
        &self.found
    }
}

/// Rows on their way into a program, their numbers one after the other.
#[derive(Clone, Default)]
pub struct RowList {
    /// Kernel, first number, and the number after the last.
    rows: Vec<(KernelId, u32, u32)>,
    numbers: Vec<u32>,
}

impl RowList {
    pub fn push(&mut self, kernel: KernelId, row: impl IntoIterator<Item = u32>) {
        let first = self.numbers.len() as u32;
        self.numbers.extend(row);
        let end = self.numbers.len() as u32;
        self.rows.push((kernel, first, end));
    }

    /// A program of these rows, which do not depend on each other: equal kernels together.
    pub fn independent(mut self) -> Program {
        let in_order = self.rows.is_sorted_by_key(|r| r.0);
        if !in_order {
            self.rows.sort_by_key(|r| r.0);
        }
        let mut program = Program::default();
        program.rows.reserve_exact(self.numbers.len());
        for &(kernel, first, end) in &self.rows {
            let row = &self.numbers[first as usize..end as usize];
            program.push_row(kernel, row, true);
        }
        program
    }
}

/// Program of rows that do not depend on each other, equal kernels together.
pub fn independent_rows(rows: Vec<(KernelId, Vec<u32>)>) -> Program {
    let mut list = RowList::default();
    for (kernel, row) in rows {
        list.push(kernel, row);
    }
    list.independent()
}

impl Tape {
    /// Appends the nodes of a row; tells the result slots that have become active.
    pub fn push_row(&mut self, partials: &[(Slot, Slot, Slot)], mut moves: impl FnMut(Slot)) {
        // Partials come result by result.
        for of_one in partials.chunk_by(|a, b| a.0 == b.0) {
            let first = self.edges.len() as u32;
            self.edges.extend(of_one.iter().map(|p| (p.1, p.2)));
            let (to, len) = (of_one[0].0, of_one.len() as u32);
            self.steps.push(TapeStep::Node { to, first, len });
            moves(to);
        }
    }

    /// Where ∂(outputs)/∂(inputs) can be non-zero.
    pub fn pattern(
        &self,
        systems: &PrimaryMap<SystemId, System>,
        inputs: &[Slot],
        outputs: &[Slot],
    ) -> CscPattern {
        self.pattern_within(systems, inputs, outputs, usize::MAX)
            .unwrap_or_else(|| CscPattern::dense(inputs.len()))
    }

    /// The same, given up when the search takes more than `limit` steps: then it is dense, or nearly.
    /// One search an input, over what it reaches only.
    pub fn pattern_within(
        &self,
        systems: &PrimaryMap<SystemId, System>,
        inputs: &[Slot],
        outputs: &[Slot],
        limit: usize,
    ) -> Option<CscPattern> {
        let mut work = 0;
        let readers = self.readers(systems);
        let slots = outputs.iter().max().map_or(0, |&s| s as usize + 1);
        let mut row_of = vec![usize::MAX; slots];
        for (r, &s) in outputs.iter().enumerate() {
            row_of[s as usize] = r;
        }
        let mut entries = Vec::new();
        let mut seen = vec![u32::MAX; self.steps.len()];
        let mut stack: Vec<Slot> = Vec::new();
        for (c, &input) in inputs.iter().enumerate() {
            stack.push(input);
            while let Some(slot) = stack.pop() {
                work += 1;
                if work > limit {
                    return None;
                }
                for &k in readers.of(slot) {
                    if std::mem::replace(&mut seen[k as usize], c as u32) == c as u32 {
                        continue;
                    }
                    let mut reach = |to: Slot| {
                        match row_of.get(to as usize) {
                            None | Some(&usize::MAX) => {}
                            Some(&r) => entries.push((r, c)),
                        }
                        stack.push(to);
                    };
                    match self.steps[k as usize] {
                        TapeStep::Node { to, .. } => reach(to),
                        TapeStep::System(s) => systems[s].writes.iter().copied().for_each(reach),
                    }
                }
            }
        }
        Some(CscPattern::from_entries(inputs.len(), entries))
    }

    fn readers(&self, systems: &PrimaryMap<SystemId, System>) -> Readers {
        let for_each = |visit: &mut dyn FnMut(Slot, u32)| {
            for (k, step) in self.steps.iter().enumerate() {
                match *step {
                    TapeStep::Node { first, len, .. } => {
                        for (from, _) in &self.edges[first as usize..(first + len) as usize] {
                            visit(*from, k as u32);
                        }
                    }
                    TapeStep::System(s) => {
                        for from in &systems[s].reads {
                            visit(*from, k as u32);
                        }
                    }
                }
            }
        };
        let mut first: Vec<u32> = Vec::new();
        for_each(&mut |from, _| {
            if first.len() < from as usize + 2 {
                first.resize(from as usize + 2, 0);
            }
            first[from as usize + 1] += 1;
        });
        for s in 1..first.len() {
            first[s] += first[s - 1];
        }
        let mut steps = vec![0; first.last().map_or(0, |&n| n as usize)];
        let mut next = first.clone();
        for_each(&mut |from, k| {
            let at = &mut next[from as usize];
            steps[*at as usize] = k;
            *at += 1;
        });
        Readers { first, steps }
    }
}

/// The steps that read a slot, in order: those of slot `s` begin at `first[s]`.
struct Readers {
    first: Vec<u32>,
    steps: Vec<u32>,
}

impl Readers {
    fn of(&self, slot: Slot) -> &[u32] {
        match self.first.get(slot as usize..slot as usize + 2) {
            Some(&[from, to]) => &self.steps[from as usize..to as usize],
            _ => &[],
        }
    }
}

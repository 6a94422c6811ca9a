//! A part as a cell: all its equations as one piece of straight-line code.
//!
//! In: a part of the cut. Out: the cell, and what its numbers mean in the model. A part that a cell cannot
//! express (function calls, larger systems of equations, samplers) stays with the evaluator.

use std::collections::HashMap;
use std::sync::Arc;

use ferrica_codegen::Slot;
use ferrica_codegen::cell::{Cell, CellBuilder, CellOp, Constants, Reg};
use ferrica_codegen::kernel::{Bin, Kernel, Op};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel, SystemKind};
use ferrica_codegen::program::{Program, Step};
use ferrica_ir::expr::BinaryOp;

use crate::parts::Partitions;

/// Operations in one cell: more are better left to the evaluator's batches.
const MAX_OPS: usize = 4000;
/// Least size of an unknown, in parts of its nominal value, in the test of its correction.
const SMALL: f64 = 1e-12;

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Fused {
    pub cell: Cell,
    pub constants: Arc<Constants>,
    /// Slots of the numbers that the constants are computed from.
    pub given: Vec<Slot>,
    /// Delay of each input.
    pub inputs: Vec<u32>,
    /// Delay of each output.
    pub outputs: Vec<u32>,
    /// States and their derivatives.
    pub states: Vec<(Slot, Slot)>,
    /// Unknowns of the loops.
    pub unknowns: Vec<Slot>,
}

/// What is the same for all parts.
pub struct Fuser<'a> {
    model: &'a CompiledModel,
    cut: &'a Partitions,
    delay_of: Vec<u32>,
    /// Memories that only the evaluator can keep: of samplers, and of shared conditions that are not linear in time.
    foreign: Vec<bool>,
    shared_writer: HashMap<Slot, BlockId>,
    /// Delays by the part their source is in.
    sources: Vec<Vec<u32>>,
    same_constants: HashMap<Constants, Arc<Constants>>,
}

const NONE: u32 = u32::MAX;

impl<'a> Fuser<'a> {
    pub fn new(model: &'a CompiledModel, cut: &'a Partitions) -> Fuser<'a> {
        let mut delay_of = vec![NONE; model.slot_count()];
        for (k, d) in model.delays.iter().enumerate() {
            delay_of[d.result as usize] = k as u32;
        }
        let mut foreign = vec![false; model.slot_count()];
        for s in &model.samplers {
            foreign[s.0 as usize] = true;
        }
        for &k in &cut.shared_relations {
            let r = &model.relations[k as usize];
            foreign[r.memory as usize] = !r.time_event;
        }
        let mut shared_writer = HashMap::new();
        for &b in &cut.shared {
            for &w in model.block_writes(&model.main, b) {
                shared_writer.insert(w, b);
            }
        }
        let mut sources = vec![Vec::new(); cut.parts.len()];
        for line in &cut.lines {
            if let Some(list) = sources.get_mut(line.from as usize) {
                list.push(line.delay as u32);
            }
        }
        Fuser {
            model,
            cut,
            delay_of,
            foreign,
            shared_writer,
            sources,
            same_constants: HashMap::new(),
        }
    }

    /// The cell of part `p`, if it has one.
    pub fn fuse(&mut self, p: usize) -> Option<Fused> {
        let (model, part) = (self.model, &self.cut.parts[p]);
        let mut reads = (part.blocks.iter()).flat_map(|&b| model.block_reads(&model.main, b));
        if reads.any(|&r| self.foreign[r as usize]) {
            return None;
        }
        let mut w = Writer {
            fuser: self,
            b: CellBuilder::default(),
            regs: HashMap::new(),
            given: Vec::new(),
            inputs: Vec::new(),
            states: HashMap::new(),
            unknowns: Vec::new(),
            done: vec![],
        };
        let layout = &model.layout;
        for (k, &s) in part.states.iter().enumerate() {
            w.states.insert(layout.states + s, k as u32);
        }
        for &b in &part.blocks {
            if model.main.blocks[b].continuous {
                w.block(b)?;
            }
            if w.b.ops.len() > MAX_OPS {
                return None;
            }
        }
        let mut derivatives = Vec::new();
        for &s in &part.states {
            derivatives.push(w.read(layout.derivatives + s)?);
        }
        let mut outputs = Vec::new();
        let out_delays = w.fuser.sources[p].clone();
        for &d in &out_delays {
            outputs.push(w.read(model.delays[d as usize].source)?);
        }
        let mut flags = Vec::new();
        for &k in &part.relations {
            let r = &model.relations[k as usize];
            let (lhs, rhs) = (w.read(r.lhs)?, w.read(r.rhs)?);
            let op = match r.op {
                BinaryOp::Lt => Bin::Lt,
                BinaryOp::Le => Bin::Le,
                BinaryOp::Gt => Bin::Gt,
                BinaryOp::Ge => Bin::Ge,
                BinaryOp::Eq => Bin::Eq,
                _ => Bin::Ne,
            };
            let now = w.b.push(CellOp::Binary(op, lhs, rhs));
            let memory = w.read(r.memory)?;
            flags.push(w.b.push(CellOp::Binary(Bin::Ne, now, memory)));
        }
        let (cell, constants) = w.b.finish(&derivatives, &outputs, &flags);
        let (given, inputs, unknowns) = (w.given, w.inputs, w.unknowns);
        let constants = match self.same_constants.get(&constants) {
            Some(same) => same.clone(),
            None => {
                let new = Arc::new(constants.clone());
                self.same_constants.insert(constants, new.clone());
                new
            }
        };
        Some(Fused {
            cell,
            constants,
            given,
            inputs,
            outputs: out_delays,
            states: (part.states.iter())
                .map(|&s| (layout.states + s, layout.derivatives + s))
                .collect(),
            unknowns,
        })
    }
}

struct Writer<'w, 'a> {
    fuser: &'w Fuser<'a>,
    b: CellBuilder,
    regs: HashMap<Slot, Reg>,
    given: Vec<Slot>,
    inputs: Vec<u32>,
    states: HashMap<Slot, u32>,
    unknowns: Vec<Slot>,
    /// Registers of the kernel at work.
    done: Vec<Reg>,
}

impl Writer<'_, '_> {
    fn read(&mut self, slot: Slot) -> Option<Reg> {
        if let Some(&r) = self.regs.get(&slot) {
            return Some(r);
        }
        let model = self.fuser.model;
        if let Some(&b) = self.fuser.shared_writer.get(&slot) {
            self.block(b)?;
            return self.regs.get(&slot).copied();
        }
        let delay = self.fuser.delay_of[slot as usize];
        let op = if slot == Layout::TIME {
            CellOp::Time
        } else if let Some(&k) = self.states.get(&slot) {
            CellOp::State(k)
        } else if delay != NONE {
            self.inputs.push(delay);
            CellOp::Input(self.inputs.len() as u32 - 1)
        } else if self.fuser.foreign[slot as usize] {
            return None;
        } else if let Some(value) = model.layout.literal_value(slot) {
            CellOp::Const(value.to_bits())
        } else {
            self.given.push(slot);
            CellOp::Param(self.given.len() as u32 - 1)
        };
        let r = self.b.push(op);
        self.regs.insert(slot, r);
        Some(r)
    }

    fn block(&mut self, b: BlockId) -> Option<()> {
        let model = self.fuser.model;
        match model.main.blocks[b].kind {
            BlockKind::Row(row) => {
                let kernel = &model.kernels.kernels[row.kernel];
                self.row(kernel, model.kernels.row(row))
            }
            BlockKind::System(s) => {
                let system = &model.systems[s];
                let &[unknown] = system.unknowns.as_slice() else {
                    return None;
                };
                match &system.kind {
                    SystemKind::Nonlinear { residuals, .. } => {
                        let nominal = model.nominal(unknown);
                        let x = self.b.begin_loop(SMALL * nominal);
                        self.regs.insert(unknown, x);
                        self.unknowns.push(unknown);
                        self.program(residuals)?;
                        let residual = self.read(system.rhs)?;
                        self.b.end_loop(residual).then_some(())
                    }
                    SystemKind::Linear {
                        matrix, rhs, then, ..
                    } => {
                        if system.pattern.nnz() != 1 {
                            return None;
                        }
                        self.program(matrix)?;
                        self.program(rhs)?;
                        let (a, b) = (self.read(system.matrix)?, self.read(system.rhs)?);
                        let x = self.b.push(CellOp::Binary(Bin::Div, b, a));
                        self.regs.insert(unknown, x);
                        self.program(then)
                    }
                }
            }
        }
    }

    fn program(&mut self, program: &Program) -> Option<()> {
        let model = self.fuser.model;
        for step in &program.steps {
            let Step::Batch {
                kernel,
                first,
                count,
            } = *step
            else {
                return None;
            };
            let kernel = &model.kernels.kernels[kernel];
            if kernel.stride() == 0 {
                continue;
            }
            let rows = program.rows[first as usize..].chunks_exact(kernel.stride());
            for row in rows.take(count as usize) {
                self.row(kernel, row)?;
            }
        }
        Some(())
    }

    fn row(&mut self, kernel: &Kernel, row: &[u32]) -> Option<()> {
        if !kernel.calls.is_empty() {
            return None;
        }
        let mut done = std::mem::take(&mut self.done);
        done.clear();
        for op in &kernel.ops {
            let at = |r: Reg| done[r as usize];
            let r = match *op {
                Op::Load(k) => self.read(row[k as usize])?,
                Op::Const(bits) => self.b.push(CellOp::Const(bits)),
                Op::Unary(f, a) => self.b.push(CellOp::Unary(f, at(a))),
                Op::Binary(f, a, b) => self.b.push(CellOp::Binary(f, at(a), at(b))),
                Op::Select(c, a, b) => self.b.push(CellOp::Select(at(c), at(a), at(b))),
                Op::PowI(a, n) => self.b.push(CellOp::PowI(at(a), n)),
                Op::Call(_) | Op::Result => return None,
            };
            done.push(r);
        }
        for (&r, &slot) in kernel.results.iter().zip(&row[kernel.loads as usize..]) {
            self.regs.insert(slot, done[r as usize]);
        }
        self.done = done;
        Some(())
    }
}

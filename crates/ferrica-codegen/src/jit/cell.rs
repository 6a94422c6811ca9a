//! Machine code for cells: one function a shape, which advances all cells of that shape by one step.
//!
//! The record of a cell is `params | states | derivatives | unknowns of loops`, records of one shape are contiguous, and so
//! are the inputs of a shape in each of the planes that inputs come from. Outputs go to places that an index table
//! names. States are advanced by Euler's method or the classic one of Runge and Kutta; then everything is evaluated at the end
//! of the step. Nothing is allocated or looked up while it runs.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, BlockArg, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::{Linkage, Module};
use ferrica_ir::expr::Builtin;

use crate::cell::{Cell, CellLoop, CellOp};

use crate::kernel::{Bin, Un};

use super::emit::Emitter;
use super::module::{CodeMemory, CompileError, Jit};

/// Newton's iteration ends at once when the correction is below this part of the unknown …
const TINY: f64 = 1e-12;
/// … and with the next evaluation when it is below this: it converges quadratically.
const SMALL: f64 = 1e-8;
/// Iterations after which the cell is left to a more careful solver.
const MAX_ITERATIONS: i64 = 12;

/// A condition of the cell has changed.
pub const FLAG_EVENT: u32 = 1;
/// A loop has not converged.
pub const FLAG_UNSOLVED: u32 = 2;

/// How states advance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellMethod {
    Euler,
    Rk4,
}

/// A cell with the places that its inputs come from and its outputs go to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    pub cell: Cell,
    /// Plane of each input; inputs of one plane are contiguous, in order.
    pub inputs: Vec<u32>,
    /// Plane of each output.
    pub outputs: Vec<u32>,
    pub method: CellMethod,
}

impl Shape {
    /// Numbers in a record.
    pub fn stride(&self) -> usize {
        self.cell.params as usize + 2 * self.cell.derivatives.len() + self.cell.loops.len()
    }

    /// Place of the first state in a record; derivatives and unknowns follow.
    pub fn states(&self) -> usize {
        self.cell.params as usize
    }

    /// Inputs of one cell in each plane that it reads.
    pub fn inputs_of(&self, plane: u32) -> usize {
        self.inputs.iter().filter(|&&p| p == plane).count()
    }
}

/// What one call works on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CellArgs {
    pub records: *mut f64,
    pub targets: *const u32,
    pub flags: *mut u32,
    pub count: u64,
    /// End of the step, its middle, its length.
    pub time: f64,
    pub middle: f64,
    pub step: f64,
    pub sixth: f64,
    /// For each plane: inputs in the middle of the step and at its end (of this shape's first cell).
    pub planes: *const [*const f64; 2],
    /// For each plane: where outputs go.
    pub sinks: *const *mut f64,
}

/// As all functions of a module it has three arguments; the last two are not used.
type Code = unsafe extern "C" fn(*const CellArgs, *const u8, *const u8) -> u64;

/// See the module comment.
#[derive(Clone)]
pub struct CellCode {
    code: Code,
    _memory: Arc<CodeMemory>,
}

impl CellCode {
    /// Compiles shapes. An error where there is no machine code to be had.
    pub fn compile(shapes: &[Shape]) -> Result<Vec<CellCode>, String> {
        compile(shapes).map_err(|e| e.to_string())
    }

    /// Advances all cells by one step; all flags together.
    ///
    /// # Safety
    /// The arguments describe `count` records, rows of targets, flags and inputs of the shape this was
    /// compiled from, and every target is within the sink of its plane.
    #[inline]
    pub unsafe fn run(&self, args: &CellArgs) -> u64 {
        // SAFETY: by the contract of this function.
        unsafe { (self.code)(args, std::ptr::null(), std::ptr::null()) }
    }
}

fn compile(shapes: &[Shape]) -> Result<Vec<CellCode>, CompileError> {
    let mut jit = Jit::optimized()?;
    let mut ids = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let config = jit.module.target_config();
        let pointer = config.pointer_type();
        let mut signature = jit.module.make_signature();
        for _ in 0..3 {
            signature.params.push(AbiParam::new(pointer));
        }
        signature.returns.push(AbiParam::new(types::I64));
        let id = (jit.module).declare_function(&format!("cell{k}"), Linkage::Local, &signature)?;
        jit.context.func.signature = signature;
        let e = Emitter::new(
            FunctionBuilder::new(&mut jit.context.func, &mut jit.frontend),
            &mut jit.module,
            &mut jit.helpers,
            pointer,
        );
        let mut cells = Cells { e, shape };
        cells.emit()?;
        cells.e.b.seal_all_blocks();
        cells.e.b.finalize(config);
        jit.module.define_function(id, &mut jit.context)?;
        jit.module.clear_context(&mut jit.context);
        ids.push(id);
    }
    jit.finalize()?;
    let codes: Vec<Code> = (ids.iter())
        .map(|&id| {
            let address = jit.module.get_finalized_function(id);
            // SAFETY: the function was declared with this signature and is finalized.
            unsafe { std::mem::transmute::<*const u8, Code>(address) }
        })
        .collect();
    let memory = jit.into_memory();
    Ok((codes.into_iter())
        .map(|code| CellCode {
            code,
            _memory: memory.clone(),
        })
        .collect())
}

struct Cells<'a> {
    e: Emitter<'a>,
    shape: &'a Shape,
}

/// What an evaluation reads.
struct Point {
    record: Value,
    /// Address of the first input of the cell in each plane.
    inputs: Vec<Value>,
    states: Vec<Value>,
    time: Value,
    unknowns: Vec<Value>,
}

const TRUSTED: MemFlagsData = MemFlagsData::trusted();

impl Cells<'_> {
    fn load(&mut self, base: Value, index: usize) -> Value {
        (self.e.b.ins()).load(types::F64, TRUSTED, base, (index * 8) as i32)
    }

    fn store(&mut self, value: Value, base: Value, index: usize) {
        self.e
            .b
            .ins()
            .store(TRUSTED, value, base, (index * 8) as i32);
    }

    fn emit(&mut self) -> Result<(), CompileError> {
        let shape = self.shape;
        let (pointer, cell) = (self.e.pointer, &shape.cell);
        let args = self.e.params[0];
        let field = |s: &mut Self, k: i32, ty| s.e.b.ins().load(ty, TRUSTED, args, k * 8);
        let records = field(self, 0, pointer);
        let targets = field(self, 1, pointer);
        let flags = field(self, 2, pointer);
        let count = field(self, 3, types::I64);
        let time = field(self, 4, types::F64);
        let middle = field(self, 5, types::F64);
        let step = field(self, 6, types::F64);
        let sixth = field(self, 7, types::F64);
        let planes = field(self, 8, pointer);
        let sinks = field(self, 9, pointer);
        let n_planes = shape
            .inputs
            .iter()
            .map(|&p| p as usize + 1)
            .max()
            .unwrap_or(0);
        let n_sinks = shape
            .outputs
            .iter()
            .map(|&p| p as usize + 1)
            .max()
            .unwrap_or(0);
        let mut plane = Vec::new();
        for p in 0..n_planes as i32 {
            let mid = self.e.b.ins().load(pointer, TRUSTED, planes, p * 16);
            let end = self.e.b.ins().load(pointer, TRUSTED, planes, p * 16 + 8);
            plane.push((mid, end));
        }
        let sinks: Vec<Value> = (0..n_sinks as i32)
            .map(|p| self.e.b.ins().load(pointer, TRUSTED, sinks, p * 8))
            .collect();
        let (body, exit) = (self.e.b.create_block(), self.e.b.create_block());
        // Left to do, record, targets, flags, all flags, offset in each plane.
        let tys = [types::I64, pointer, pointer, pointer, types::I64];
        let fixed: Vec<Value> = (tys.iter())
            .map(|&ty| self.e.b.append_block_param(body, ty))
            .collect();
        let offsets: Vec<Value> = (0..n_planes)
            .map(|_| self.e.b.append_block_param(body, pointer))
            .collect();
        let result = self.e.b.append_block_param(exit, types::I64);
        let zero = self.e.b.ins().iconst(types::I64, 0);
        let mut begin: Vec<BlockArg> = vec![
            count.into(),
            records.into(),
            targets.into(),
            flags.into(),
            zero.into(),
        ];
        begin.extend(offsets.iter().map(|_| BlockArg::from(zero)));
        let none = self.e.b.ins().icmp_imm_s(IntCC::Equal, count, 0);
        self.e
            .b
            .ins()
            .brif(none, exit, &[zero.into()], body, &begin);
        self.e.b.switch_to_block(body);
        let (left, record, target, flag, all) = (fixed[0], fixed[1], fixed[2], fixed[3], fixed[4]);
        let at = |s: &mut Self, end: bool| -> Vec<Value> {
            (plane.iter().zip(&offsets))
                .map(|(p, &o)| s.e.b.ins().iadd(if end { p.1 } else { p.0 }, o))
                .collect()
        };
        let (n, first) = (cell.derivatives.len(), shape.states());
        let unknowns = (0..cell.loops.len())
            .map(|k| self.load(record, first + 2 * n + k))
            .collect();
        let mut point = Point {
            record,
            inputs: Vec::new(),
            states: Vec::new(),
            time,
            unknowns,
        };
        let mut failed = self.e.b.ins().iconst(types::I64, 0);
        if n > 0 {
            let x: Vec<Value> = (0..n).map(|j| self.load(record, first + j)).collect();
            let mut k: Vec<Value> = (0..n).map(|j| self.load(record, first + n + j)).collect();
            if shape.method == CellMethod::Rk4 {
                let mut sum = k.clone();
                let half = self.e.b.ins().f64const(0.5);
                let half = self.e.b.ins().fmul(half, step);
                for stage in 0..3 {
                    point.states = self.advance(
                        &x,
                        if stage < 2 { half } else { step },
                        &if stage == 0 { k.clone() } else { k },
                    );
                    point.inputs = at(self, stage == 2);
                    point.time = if stage < 2 { middle } else { time };
                    // Values of one stage say nothing about convergence of the last one.
                    let (values, bad) = self.evaluate(&mut point)?;
                    failed = self.e.b.ins().bor(failed, bad);
                    k = cell
                        .derivatives
                        .iter()
                        .map(|&r| values[r as usize])
                        .collect();
                    let weight = if stage < 2 { 2.0 } else { 1.0 };
                    for (s, &k) in sum.iter_mut().zip(&k) {
                        let w = self.e.b.ins().f64const(weight);
                        let term = self.e.b.ins().fmul(w, k);
                        *s = self.e.b.ins().fadd(*s, term);
                    }
                }
                point.states = self.advance(&x, sixth, &sum);
            } else {
                point.states = self.advance(&x, step, &k);
            }
        }
        point.inputs = at(self, true);
        point.time = time;
        let (values, bad) = self.evaluate(&mut point)?;
        failed = self.e.b.ins().bor(failed, bad);
        for j in 0..n {
            self.store(point.states[j], record, first + j);
            self.store(values[cell.derivatives[j] as usize], record, first + n + j);
        }
        for (k, &x) in point.unknowns.iter().enumerate() {
            self.store(x, record, first + 2 * n + k);
        }
        for (k, (&r, &sink)) in cell.outputs.iter().zip(&shape.outputs).enumerate() {
            let index = self.e.b.ins().uload32(TRUSTED, target, (k * 4) as i32);
            let bytes = self.e.b.ins().ishl_imm_u(index, 3);
            let address = self.e.b.ins().iadd(sinks[sink as usize], bytes);
            self.e
                .b
                .ins()
                .store(TRUSTED, values[r as usize], address, 0);
        }
        let mut next_all = all;
        if !cell.flags.is_empty() || !cell.loops.is_empty() {
            let mut word = failed;
            for &r in &cell.flags {
                let changed = self.condition(r, &values);
                let changed = self.e.b.ins().uextend(types::I64, changed);
                word = self.e.b.ins().bor(word, changed);
            }
            self.e.b.ins().istore32(TRUSTED, word, flag, 0);
            next_all = self.e.b.ins().bor(all, word);
        }
        let left = self.e.b.ins().iadd_imm_s(left, -1);
        let record = self
            .e
            .b
            .ins()
            .iadd_imm_s(record, (shape.stride() * 8) as i64);
        let target = self
            .e
            .b
            .ins()
            .iadd_imm_s(target, (shape.outputs.len() * 4) as i64);
        let flag = self.e.b.ins().iadd_imm_s(flag, 4);
        let mut again: Vec<BlockArg> = vec![
            left.into(),
            record.into(),
            target.into(),
            flag.into(),
            next_all.into(),
        ];
        for (p, &o) in offsets.iter().enumerate() {
            let width = shape.inputs_of(p as u32) * 8;
            again.push(self.e.b.ins().iadd_imm_s(o, width as i64).into());
        }
        let done = self.e.b.ins().icmp_imm_s(IntCC::Equal, left, 0);
        self.e
            .b
            .ins()
            .brif(done, exit, &[next_all.into()], body, &again);
        self.e.b.switch_to_block(exit);
        self.e.b.ins().return_(&[result]);
        Ok(())
    }

    /// x + h k
    fn advance(&mut self, x: &[Value], h: Value, k: &[Value]) -> Vec<Value> {
        (x.iter().zip(k))
            .map(|(&x, &k)| {
                let change = self.e.b.ins().fmul(h, k);
                self.e.b.ins().fadd(x, change)
            })
            .collect()
    }

    /// All registers at a point, and nonzero if a loop did not converge. The unknowns of the point move on.
    fn evaluate(&mut self, point: &mut Point) -> Result<(Vec<Value>, Value), CompileError> {
        let cell = &self.shape.cell;
        let nothing = self.e.b.ins().iconst(types::I64, 0);
        let mut values: Vec<Value> = vec![nothing; cell.ops.len()];
        let mut failed = nothing;
        let mut r = 0;
        let mut next_loop = 0;
        while r < cell.ops.len() {
            match cell.loops.get(next_loop) {
                Some(l) if l.begin as usize == r => {
                    let bad = self.newton(l, next_loop, point, &mut values)?;
                    failed = self.e.b.ins().bor(failed, bad);
                    r = (l.end as usize).max(r + 1);
                    next_loop += 1;
                }
                _ => {
                    values[r] = self.op(cell.ops[r], point, &values)?;
                    r += 1;
                }
            }
        }
        Ok((values, failed))
    }

    /// One loop: what does not depend on the unknown first.
    fn newton(
        &mut self,
        l: &CellLoop,
        number: usize,
        point: &mut Point,
        values: &mut [Value],
    ) -> Result<Value, CompileError> {
        let cell = &self.shape.cell;
        let range = l.begin as usize..l.end as usize;
        let mut inside = vec![false; cell.ops.len()];
        inside[l.unknown as usize] = true;
        for r in range.clone() {
            let mut depends = inside[r];
            cell.ops[r].for_each_operand(|a| depends |= inside[a as usize]);
            inside[r] = depends;
            if !depends {
                values[r] = self.op(cell.ops[r], point, values)?;
            }
        }
        let (body, next, after) = (
            self.e.b.create_block(),
            self.e.b.create_block(),
            self.e.b.create_block(),
        );
        let x = self.e.b.append_block_param(body, types::F64);
        let count = self.e.b.append_block_param(body, types::I64);
        let was_small = self.e.b.append_block_param(body, types::I8);
        let failed = self.e.b.append_block_param(after, types::I64);
        let zero = self.e.b.ins().iconst(types::I64, 0);
        let no = self.e.b.ins().iconst(types::I8, 0);
        let guess = point.unknowns[number];
        (self.e.b.ins()).jump(body, &[guess.into(), zero.into(), no.into()]);
        self.e.b.switch_to_block(body);
        for r in range.filter(|&r| inside[r]) {
            values[r] = if r == l.unknown as usize {
                x
            } else {
                self.op(cell.ops[r], point, values)?
            };
        }
        let (residual, slope) = (values[l.residual as usize], values[l.slope as usize]);
        let dx = self.e.b.ins().fdiv(residual, slope);
        let (size, way) = (self.e.b.ins().fabs(x), self.e.b.ins().fabs(dx));
        let least = self.e.b.ins().f64const(f64::from_bits(l.scale));
        let larger = self.e.b.ins().fcmp(FloatCC::GreaterThan, size, least);
        let size = self.e.b.ins().select(larger, size, least);
        let (tiny, small) = (
            self.e.b.ins().f64const(TINY),
            self.e.b.ins().f64const(SMALL),
        );
        let (tiny, small) = (
            self.e.b.ins().fmul(tiny, size),
            self.e.b.ins().fmul(small, size),
        );
        let is_tiny = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, way, tiny);
        let is_small = self.e.b.ins().fcmp(FloatCC::LessThanOrEqual, way, small);
        let nought = self.e.b.ins().f64const(0.0);
        let solved = self.e.b.ins().fcmp(FloatCC::Equal, residual, nought);
        let settled = self.e.b.ins().band(was_small, is_small);
        let done = self.e.b.ins().bor(is_tiny, solved);
        let done = self.e.b.ins().bor(done, settled);
        self.e.b.ins().brif(done, after, &[zero.into()], next, &[]);
        self.e.b.switch_to_block(next);
        let better = self.e.b.ins().fsub(x, dx);
        let count = self.e.b.ins().iadd_imm_s(count, 1);
        let more = (self.e.b.ins()).icmp_imm_s(IntCC::SignedLessThan, count, MAX_ITERATIONS);
        let bad = self.e.b.ins().iconst(types::I64, i64::from(FLAG_UNSOLVED));
        let again = [better.into(), count.into(), is_small.into()];
        self.e
            .b
            .ins()
            .brif(more, body, &again, after, &[bad.into()]);
        self.e.b.switch_to_block(after);
        point.unknowns[number] = x;
        Ok(failed)
    }

    fn op(&mut self, op: CellOp, point: &Point, values: &[Value]) -> Result<Value, CompileError> {
        let v = |r: u32| values[r as usize];
        Ok(match op {
            CellOp::Const(bits) => self.e.b.ins().f64const(f64::from_bits(bits)),
            CellOp::Param(k) => self.load(point.record, k as usize),
            CellOp::Input(k) => {
                let plane = self.shape.inputs[k as usize];
                let before = &self.shape.inputs[..k as usize];
                let position = before.iter().filter(|&&p| p == plane).count();
                self.load(point.inputs[plane as usize], position)
            }
            CellOp::State(k) => point.states[k as usize],
            CellOp::Time => point.time,
            CellOp::Unknown(_) => return Err("an unknown outside of its loop".into()),
            CellOp::Unary(Un::Math(Builtin::Sign), a) => {
                let zero = self.e.b.ins().f64const(0.0);
                let (one, minus) = (self.e.b.ins().f64const(1.0), self.e.b.ins().f64const(-1.0));
                let above = self.e.b.ins().fcmp(FloatCC::GreaterThan, v(a), zero);
                let below = self.e.b.ins().fcmp(FloatCC::LessThan, v(a), zero);
                let low = self.e.b.ins().select(below, minus, zero);
                self.e.b.ins().select(above, one, low)
            }
            CellOp::Binary(Bin::Math(f @ (Builtin::Min | Builtin::Max)), a, b) => {
                let cc = match f {
                    Builtin::Min => FloatCC::LessThan,
                    _ => FloatCC::GreaterThan,
                };
                let first = self.e.b.ins().fcmp(cc, v(a), v(b));
                self.e.b.ins().select(first, v(a), v(b))
            }
            CellOp::Select(c, a, b) => {
                let c = self.condition(c, values);
                self.e.b.ins().select(c, v(a), v(b))
            }
            CellOp::Unary(f, a) => self.e.unary(f, v(a))?,
            CellOp::Binary(f, a, b) => self.e.binary(f, v(a), v(b))?,
            CellOp::PowI(a, n) => self.e.powi(v(a), n),
        })
    }

    /// A truth value as a condition. A comparison needs no number in between.
    fn condition(&mut self, c: u32, values: &[Value]) -> Value {
        let v = |r: u32| values[r as usize];
        let cc = match self.shape.cell.ops[c as usize] {
            CellOp::Binary(Bin::Lt, ..) => FloatCC::LessThan,
            CellOp::Binary(Bin::Le, ..) => FloatCC::LessThanOrEqual,
            CellOp::Binary(Bin::Gt, ..) => FloatCC::GreaterThan,
            CellOp::Binary(Bin::Ge, ..) => FloatCC::GreaterThanOrEqual,
            CellOp::Binary(Bin::Eq, ..) => FloatCC::Equal,
            CellOp::Binary(Bin::Ne, ..) => FloatCC::NotEqual,
            _ => return self.e.is_true(v(c)),
        };
        match self.shape.cell.ops[c as usize] {
            CellOp::Binary(_, a, b) => self.e.b.ins().fcmp(cc, v(a), v(b)),
            _ => self.e.is_true(v(c)),
        }
    }
}

//! Operations of the kernel IR as Cranelift instructions, and rows of kernels.

use cranelift_codegen::ir;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    Block, FuncRef, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value,
    types,
};
use cranelift_frontend::FunctionBuilder;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use ferrica_ir::expr::Builtin;
use rustc_hash::FxHashMap;

use super::lazy::{Lazy, side};
use super::module::{CompileError, Helper, import};
use super::outcall::{Outcall, encode};
use super::placed::Spot;
use crate::kernel::{Bin, CallSite, Callee, Kernel, NO_REG, Op, Reg, Un};

/// Emits operations into one function.
pub(super) struct Emitter<'a> {
    pub b: FunctionBuilder<'a>,
    pub module: &'a mut JITModule,
    pub helpers: &'a mut FxHashMap<Helper, FuncId>,
    pub local: FxHashMap<Helper, FuncRef>,
    pub pointer: ir::Type,
    pub values: Vec<Value>,
    /// Parameters of the function.
    pub params: [Value; 3],
    /// The last of them: context of outcalls.
    pub context: Value,
    /// Block that returns 1, once something can fail.
    pub failed: Option<Block>,
    /// Memory for arguments and outputs of calls, by size.
    pub scratch: FxHashMap<(Scratch, u32), StackSlot>,
    /// Results by slot, where later rows take them from here instead of from memory.
    pub results: Option<FxHashMap<u32, Value>>,
}

/// What a piece of the stack is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scratch {
    Arguments,
    Outputs,
}

/// Where the operands of a row are.
pub(super) enum Place<'a> {
    Fixed(&'a [u32]),
    /// Address of the row.
    Row(Value),
    /// In one of three arrays.
    Spots(&'a [Spot], [Value; 3]),
}

impl<'a> Emitter<'a> {
    /// Begins a function of three pointers, of which the last one is the context of outcalls.
    pub(super) fn new(
        mut b: FunctionBuilder<'a>,
        module: &'a mut JITModule,
        helpers: &'a mut FxHashMap<Helper, FuncId>,
        pointer: ir::Type,
    ) -> Emitter<'a> {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let p = b.block_params(entry);
        let params = [p[0], p[1], p[2]];
        Emitter {
            b,
            module,
            helpers,
            local: FxHashMap::default(),
            pointer,
            values: Vec::new(),
            context: params[2],
            params,
            failed: None,
            scratch: FxHashMap::default(),
            results: None,
        }
    }

    pub(super) fn looped(
        &mut self,
        kernel: &Kernel,
        slots: Value,
        rows: Value,
        first: u32,
        count: u32,
    ) -> Result<(), CompileError> {
        if let Some(results) = &mut self.results {
            results.clear();
        }
        let stride = (kernel.stride() * 4) as i64;
        let begin = self.b.ins().iadd_imm_s(rows, i64::from(first) * 4);
        let end = self.b.ins().iadd_imm_s(begin, stride * i64::from(count));
        let (body, exit) = (self.b.create_block(), self.b.create_block());
        let row = self.b.append_block_param(body, self.pointer);
        self.b.ins().jump(body, &[begin.into()]);
        self.b.switch_to_block(body);
        self.row(kernel, &Place::Row(row), slots)?;
        let next = self.b.ins().iadd_imm_s(row, stride);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b.ins().brif(more, body, &[next.into()], exit, &[]);
        self.b.switch_to_block(exit);
        Ok(())
    }

    /// Address and offset of operand or result number `k`.
    pub(super) fn address(&mut self, place: &Place<'_>, slots: Value, k: usize) -> (Value, i32) {
        match place {
            Place::Fixed(row) => (slots, (row[k] * 8) as i32),
            Place::Spots(spots, arrays) => {
                let (array, index) = spots[k].place();
                (arrays[array], (index * 8) as i32)
            }
            Place::Row(row) => {
                let offset = (k * 4) as i32;
                let index = self.b.ins().uload32(MemFlagsData::trusted(), *row, offset);
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                (self.b.ins().iadd(slots, bytes), 0)
            }
        }
    }

    pub(super) fn row(
        &mut self,
        kernel: &Kernel,
        place: &Place<'_>,
        slots: Value,
    ) -> Result<(), CompileError> {
        let lazy = Lazy::new(kernel);
        self.values.clear();
        // Each operation overwrites this with its value before anything reads it.
        self.values.resize(kernel.ops.len(), slots);
        self.ops(kernel, place, slots, &lazy, &lazy.always)?;
        for (j, &r) in kernel.results.iter().enumerate() {
            let (base, offset) = self.address(place, slots, kernel.loads as usize + j);
            let value = self.values[r as usize];
            self.b
                .ins()
                .store(MemFlagsData::trusted(), value, base, offset);
            if let (Some(results), Place::Fixed(row)) = (&mut self.results, place) {
                results.insert(row[kernel.loads as usize + j], value);
            }
        }
        Ok(())
    }

    /// Operations in order, and with a selection those on its sides.
    fn ops(
        &mut self,
        kernel: &Kernel,
        place: &Place<'_>,
        slots: Value,
        lazy: &Lazy,
        list: &[Reg],
    ) -> Result<(), CompileError> {
        for &r in list {
            let value = match kernel.ops[r as usize] {
                Op::Load(k) => match self.result(place, k as usize) {
                    Some(known) => known,
                    None => {
                        let (base, offset) = self.address(place, slots, k as usize);
                        let flags = MemFlagsData::trusted();
                        self.b.ins().load(types::F64, flags, base, offset)
                    }
                },
                Op::Const(bits) => self.b.ins().f64const(f64::from_bits(bits)),
                Op::Unary(f, a) => self.unary(f, self.values[a as usize])?,
                Op::Binary(f, a, b) => {
                    self.binary(f, self.values[a as usize], self.values[b as usize])?
                }
                Op::Select(c, a, b) => {
                    let c = self.is_true(self.values[c as usize]);
                    match (lazy.of(side(r, true)), lazy.of(side(r, false))) {
                        (Some(yes), Some(no)) => {
                            let sides = [(a, yes), (b, no)];
                            self.jump(kernel, place, slots, lazy, c, sides)?
                        }
                        _ => {
                            let (a, b) = (self.values[a as usize], self.values[b as usize]);
                            self.b.ins().select(c, a, b)
                        }
                    }
                }
                Op::PowI(a, n) => self.powi(self.values[a as usize], n),
                Op::Call(site) => {
                    self.kernel_call(&kernel.calls[site as usize], r)?;
                    continue;
                }
                // Made by its call.
                Op::Result => continue,
            };
            self.values[r as usize] = value;
        }
        Ok(())
    }

    /// A selection of which only one side is computed.
    fn jump(
        &mut self,
        kernel: &Kernel,
        place: &Place<'_>,
        slots: Value,
        lazy: &Lazy,
        condition: Value,
        sides: [(Reg, &[Reg]); 2],
    ) -> Result<Value, CompileError> {
        let blocks = [self.b.create_block(), self.b.create_block()];
        let after = self.b.create_block();
        let value = self.b.append_block_param(after, types::F64);
        self.b.ins().brif(condition, blocks[0], &[], blocks[1], &[]);
        for (block, (r, list)) in blocks.into_iter().zip(sides) {
            self.b.switch_to_block(block);
            self.ops(kernel, place, slots, lazy, list)?;
            let end = self.values[r as usize];
            self.b.ins().jump(after, &[end.into()]);
        }
        self.b.switch_to_block(after);
        Ok(value)
    }

    /// The value of an operand that an earlier row has computed.
    fn result(&self, place: &Place<'_>, k: usize) -> Option<Value> {
        match place {
            Place::Fixed(row) => self.results.as_ref()?.get(&row[k]).copied(),
            _ => None,
        }
    }

    pub(super) fn is_true(&mut self, x: Value) -> Value {
        let zero = self.b.ins().f64const(0.0);
        self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
    }

    /// A comparison as 0 or 1.
    pub(super) fn number(&mut self, truth: Value) -> Value {
        let (one, zero) = (self.b.ins().f64const(1.0), self.b.ins().f64const(0.0));
        self.b.ins().select(truth, one, zero)
    }

    pub(super) fn call(&mut self, helper: Helper, args: &[Value]) -> Result<Value, CompileError> {
        let function = match self.local.get(&helper) {
            Some(&f) => f,
            None => {
                let id = import(self.module, self.helpers, helper)?;
                let f = self.module.declare_func_in_func(id, self.b.func);
                self.local.insert(helper, f);
                f
            }
        };
        let call = self.b.ins().call(function, args);
        Ok(self.b.inst_results(call)[0])
    }

    /// Calls out to a function; its outputs are operation `first` and those behind it.
    fn kernel_call(&mut self, site: &CallSite, first: Reg) -> Result<(), CompileError> {
        let n = site.outputs.max(1);
        let outs = self.scratch(Scratch::Outputs, n);
        let args = self.scratch(Scratch::Arguments, site.args.len() as u32);
        let after = self.b.create_block();
        if site.guard != NO_REG {
            let zero = self.b.ins().f64const(0.0);
            for k in 0..n {
                let at = (k * 8) as i32;
                self.b.ins().stack_store(self.pointer, zero, outs, at);
            }
            let guard = self.is_true(self.values[site.guard as usize]);
            let taken = self.b.create_block();
            self.b.ins().brif(guard, taken, &[], after, &[]);
            self.b.switch_to_block(taken);
        }
        for (k, &r) in site.args.iter().enumerate() {
            let (v, at) = (self.values[r as usize], (k * 8) as i32);
            self.b.ins().stack_store(self.pointer, v, args, at);
        }
        let x = self.b.ins().stack_addr(self.pointer, args, 0);
        let y = self.b.ins().stack_addr(self.pointer, outs, 0);
        let status = self.call_out(site.callee, x, site.args.len(), y, n)?;
        let failed = match self.failed {
            Some(block) => block,
            None => *self.failed.insert(self.b.create_block()),
        };
        self.b.ins().brif(status, failed, &[], after, &[]);
        self.b.switch_to_block(after);
        for k in 0..n {
            let at = (k * 8) as i32;
            let v = self.b.ins().stack_load(self.pointer, types::F64, outs, at);
            self.values[(first + k) as usize] = v;
        }
        Ok(())
    }

    /// A call by the interpreter: its status.
    pub(super) fn call_out(
        &mut self,
        callee: Callee,
        x: Value,
        args: usize,
        y: Value,
        outputs: u32,
    ) -> Result<Value, CompileError> {
        let (kind, number) = encode(callee);
        let kind = self.b.ins().iconst(types::I64, kind);
        let number = self.b.ins().iconst(types::I64, number);
        let n_args = self.b.ins().iconst(types::I64, args as i64);
        let n_outs = self.b.ins().iconst(types::I64, i64::from(outputs));
        let list = [self.context, kind, number, x, n_args, y, n_outs];
        self.call(Helper::Out(Outcall::Call), &list)
    }

    /// A piece of the stack for at least so many numbers.
    pub(super) fn scratch(&mut self, what: Scratch, numbers: u32) -> StackSlot {
        let size = numbers.max(1).next_power_of_two();
        if let Some(&slot) = self.scratch.get(&(what, size)) {
            return slot;
        }
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size * 8, 3);
        let slot = self.b.create_sized_stack_slot(data);
        self.scratch.insert((what, size), slot);
        slot
    }

    /// Whole power by repeated squaring, in the order of `f64::powi`.
    pub(super) fn powi(&mut self, x: Value, n: i32) -> Value {
        let mut left = n.unsigned_abs();
        let mut square = x;
        let mut product: Option<Value> = None;
        while left > 0 {
            if left & 1 == 1 {
                product = Some(match product {
                    Some(p) => self.b.ins().fmul(p, square),
                    None => square,
                });
            }
            left >>= 1;
            if left > 0 {
                square = self.b.ins().fmul(square, square);
            }
        }
        let one = self.b.ins().f64const(1.0);
        match product {
            Some(p) if n < 0 => self.b.ins().fdiv(one, p),
            Some(p) => p,
            None => one,
        }
    }

    pub(super) fn unary(&mut self, f: Un, a: Value) -> Result<Value, CompileError> {
        Ok(match f {
            Un::Neg => self.b.ins().fneg(a),
            Un::Not => {
                let zero = self.b.ins().f64const(0.0);
                let is_zero = self.b.ins().fcmp(FloatCC::Equal, a, zero);
                self.number(is_zero)
            }
            Un::Math(Builtin::Sqrt) => self.b.ins().sqrt(a),
            Un::Math(Builtin::Abs) => self.b.ins().fabs(a),
            Un::Math(Builtin::Sign) => {
                let zero = self.b.ins().f64const(0.0);
                let (one, minus) = (self.b.ins().f64const(1.0), self.b.ins().f64const(-1.0));
                let above = self.b.ins().fcmp(FloatCC::GreaterThan, a, zero);
                let below = self.b.ins().fcmp(FloatCC::LessThan, a, zero);
                let sign = self.b.ins().select(below, minus, zero);
                self.b.ins().select(above, one, sign)
            }
            Un::Math(f) => match Helper::function(f) {
                Some(function) => self.call(function, &[a])?,
                None => return Err("unknown function".into()),
            },
        })
    }

    /// The smaller or larger of two numbers, in the order of `f64::min` and `f64::max`: not a number counts for nothing, of equal
    /// ones it is the first.
    fn extreme(&mut self, beats: FloatCC, a: Value, b: Value) -> Value {
        let second = self.b.ins().fcmp(beats, b, a);
        let best = self.b.ins().select(second, b, a);
        let nothing = self.b.ins().fcmp(FloatCC::Unordered, a, a);
        self.b.ins().select(nothing, b, best)
    }

    pub(super) fn binary(&mut self, f: Bin, a: Value, b: Value) -> Result<Value, CompileError> {
        let compare = |s: &mut Self, cc: FloatCC| {
            let c = s.b.ins().fcmp(cc, a, b);
            s.number(c)
        };
        Ok(match f {
            Bin::Add => self.b.ins().fadd(a, b),
            Bin::Sub => self.b.ins().fsub(a, b),
            Bin::Mul => self.b.ins().fmul(a, b),
            Bin::Div => self.b.ins().fdiv(a, b),
            Bin::Pow => self.call(Helper::Power, &[a, b])?,
            Bin::And | Bin::Or => {
                let (x, y) = (self.is_true(a), self.is_true(b));
                let both = if f == Bin::And {
                    self.b.ins().band(x, y)
                } else {
                    self.b.ins().bor(x, y)
                };
                self.number(both)
            }
            Bin::Lt => compare(self, FloatCC::LessThan),
            Bin::Le => compare(self, FloatCC::LessThanOrEqual),
            Bin::Gt => compare(self, FloatCC::GreaterThan),
            Bin::Ge => compare(self, FloatCC::GreaterThanOrEqual),
            Bin::Eq => compare(self, FloatCC::Equal),
            Bin::Ne => compare(self, FloatCC::NotEqual),
            Bin::Math(Builtin::Min) => self.extreme(FloatCC::LessThan, a, b),
            Bin::Math(Builtin::Max) => self.extreme(FloatCC::GreaterThan, a, b),
            Bin::Math(f) => match Helper::function(f) {
                Some(function) => self.call(function, &[a, b])?,
                None => return Err("unknown function".into()),
            },
        })
    }
}

//! The machine code of one function body: instructions in, Cranelift IR out.
//!
//! Registers that only constants index are values of the code; arrays that are indexed at run time lie on the stack.

use std::sync::Arc;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value,
    types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::{FuncId, Linkage, Module};
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::{Emitter, Scratch};
use super::function::{Kind, Target};
use super::module::{CompileError, Helper, Jit};
use super::outcall::Outcall;
use crate::arrays::Arrays;
use crate::function::{Code, FunctionCode, Inst};
use crate::kernel::{Callee, Reg};

/// Backward jumps between two looks at whether the loop may go on: a power of two, so many that looking costs nothing, so few that a
/// loop in a loop looks within a fraction of a second.
const JUMPS_PER_LOOK: i64 = 1 << 12;

impl Jit {
    pub(super) fn function(
        &mut self,
        number: u32,
        kind: Kind,
        code: &FunctionCode,
        codes: &Arc<[FunctionCode]>,
        ids: &FxHashMap<(u32, Kind), Target>,
    ) -> Result<FuncId, CompileError> {
        let Code::Insts(insts) = &code.code else {
            return Err("not bytecode".into());
        };
        let config = self.module.target_config();
        let pointer = config.pointer_type();
        let mut signature = self.module.make_signature();
        for _ in 0..3 {
            signature.params.push(AbiParam::new(pointer));
        }
        signature.returns.push(AbiParam::new(types::I32));
        let name = format!("{kind:?}{number}");
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        self.context.func.signature = signature;
        let mut e = Emitter::new(
            FunctionBuilder::new(&mut self.context.func, &mut self.frontend),
            &mut self.module,
            &mut self.helpers,
            pointer,
        );
        let params = e.params;
        let arrays = Arrays::new(insts);
        let outputs = |g: u32| codes.get(g as usize).map_or(0, |c| c.outputs);
        let (mut most_args, mut most_outs) = (1, 1);
        for inst in insts {
            if let Inst::Call(callee, args, _) = inst {
                most_args = most_args.max(args.len() as u32);
                most_outs = most_outs.max(callee_outputs(*callee, args.len(), &outputs));
            }
        }
        let memory = e.b.create_sized_stack_slot(StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            arrays.len.max(1) * 8,
            3,
        ));
        let args = e.scratch(Scratch::Arguments, most_args);
        let outs = e.scratch(Scratch::Outputs, most_outs);
        let mut body = Body {
            inputs: params[0],
            results: params[1],
            context: params[2],
            variables: Vec::new(),
            arrays,
            table: &code.table,
            memory,
            args,
            outs,
            failed: e.b.create_block(),
            done: e.b.create_block(),
            jumps: e.b.declare_var(types::I64),
            number,
            codes,
            e,
        };
        body.prologue(code);
        body.instructions(insts, &outputs, ids)?;
        body.epilogue(code);
        let mut e = body.e;
        e.b.seal_all_blocks();
        e.b.finalize(config);
        self.module.define_function(id, &mut self.context)?;
        self.module.clear_context(&mut self.context);
        Ok(id)
    }
}

fn callee_outputs(callee: Callee, args: usize, outputs: &dyn Fn(u32) -> u32) -> u32 {
    match callee {
        Callee::Function(g) => outputs(g),
        Callee::Tangent(g) => 2 * outputs(g),
        Callee::Jacobian(g) => outputs(g) * args as u32,
        Callee::Text(_) => 1,
    }
}

/// One function being compiled.
struct Body<'a> {
    e: Emitter<'a>,
    number: u32,
    codes: &'a [FunctionCode],
    inputs: Value,
    results: Value,
    context: Value,
    variables: Vec<Variable>,
    arrays: Arrays,
    /// The constant numbers of the code: whoever keeps the code keeps them.
    table: &'a [f64],
    memory: StackSlot,
    args: StackSlot,
    outs: StackSlot,
    /// Returns 1, and 0 with the outputs stored.
    failed: Block,
    done: Block,
    /// Backward jumps so far.
    jumps: Variable,
}

impl Body<'_> {
    fn prologue(&mut self, code: &FunctionCode) {
        let zero = self.e.b.ins().f64const(0.0);
        for r in 0..code.frame {
            let v = self.e.b.declare_var(types::F64);
            self.variables.push(v);
            if self.arrays.place(r).is_none() && r >= code.inputs {
                self.e.b.def_var(v, zero);
            }
        }
        self.clear_arrays(zero);
        for r in 0..code.inputs {
            let offset = (r * 8) as i32;
            let flags = MemFlagsData::trusted();
            let x = self.e.b.ins().load(types::F64, flags, self.inputs, offset);
            self.set(r, x);
        }
        let none = self.e.b.ins().iconst(types::I64, 0);
        self.e.b.def_var(self.jumps, none);
    }

    fn clear_arrays(&mut self, zero: Value) {
        let len = self.arrays.len;
        if len <= 16 {
            for k in 0..len {
                self.e
                    .b
                    .ins()
                    .stack_store(self.e.pointer, zero, self.memory, (k * 8) as i32);
            }
            return;
        }
        let pointer = self.e.pointer;
        let begin = self.e.b.ins().stack_addr(pointer, self.memory, 0);
        let end = self.e.b.ins().iadd_imm_s(begin, i64::from(len) * 8);
        let (body, exit) = (self.e.b.create_block(), self.e.b.create_block());
        let at = self.e.b.append_block_param(body, pointer);
        self.e.b.ins().jump(body, &[begin.into()]);
        self.e.b.switch_to_block(body);
        self.e.b.ins().store(MemFlagsData::trusted(), zero, at, 0);
        let next = self.e.b.ins().iadd_imm_s(at, 8);
        let more = self.e.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.e.b.ins().brif(more, body, &[next.into()], exit, &[]);
        self.e.b.switch_to_block(exit);
    }

    fn epilogue(&mut self, code: &FunctionCode) {
        self.e.b.switch_to_block(self.done);
        for k in 0..code.outputs {
            let y = self.get(code.inputs + k);
            let flags = MemFlagsData::trusted();
            self.e.b.ins().store(flags, y, self.results, (k * 8) as i32);
        }
        let ok = self.e.b.ins().iconst(types::I32, 0);
        self.e.b.ins().return_(&[ok]);
        self.e.b.switch_to_block(self.failed);
        let bad = self.e.b.ins().iconst(types::I32, 1);
        self.e.b.ins().return_(&[bad]);
    }

    fn get(&mut self, r: Reg) -> Value {
        match self.arrays.place(r) {
            Some(k) => {
                let offset = (k * 8) as i32;
                self.e
                    .b
                    .ins()
                    .stack_load(self.e.pointer, types::F64, self.memory, offset)
            }
            None => self.e.b.use_var(self.variables[r as usize]),
        }
    }

    fn set(&mut self, r: Reg, value: Value) {
        match self.arrays.place(r) {
            Some(k) => {
                self.e
                    .b
                    .ins()
                    .stack_store(self.e.pointer, value, self.memory, (k * 8) as i32);
            }
            None => self.e.b.def_var(self.variables[r as usize], value),
        }
    }

    fn instructions(
        &mut self,
        insts: &[Inst],
        outputs: &dyn Fn(u32) -> u32,
        ids: &FxHashMap<(u32, Kind), Target>,
    ) -> Result<(), CompileError> {
        let targets: FxHashSet<u32> = insts
            .iter()
            .filter_map(|i| match *i {
                Inst::Jump(to) | Inst::JumpUnless(_, to) => Some(to),
                _ => None,
            })
            .collect();
        let blocks: FxHashMap<u32, Block> = targets
            .iter()
            .map(|&t| {
                let end = t as usize >= insts.len();
                (
                    t,
                    if end {
                        self.done
                    } else {
                        self.e.b.create_block()
                    },
                )
            })
            .collect();
        // After a jump nothing is reached until the next target.
        let mut reached = true;
        for (at, inst) in insts.iter().enumerate() {
            if let Some(&block) = blocks.get(&(at as u32)) {
                if reached {
                    self.e.b.ins().jump(block, &[]);
                }
                self.e.b.switch_to_block(block);
                reached = true;
            }
            if !reached {
                continue;
            }
            match inst {
                Inst::Const(d, x) => {
                    let v = self.e.b.ins().f64const(*x);
                    self.set(*d, v);
                }
                Inst::Copy(d, a) => {
                    let v = self.get(*a);
                    self.set(*d, v);
                }
                Inst::Unary(op, d, a) => {
                    let a = self.get(*a);
                    let v = self.e.unary(*op, a)?;
                    self.set(*d, v);
                }
                Inst::Binary(op, d, a, b) => {
                    let (a, b) = (self.get(*a), self.get(*b));
                    let v = self.e.binary(*op, a, b)?;
                    self.set(*d, v);
                }
                Inst::Select(d, c, a, b) => {
                    let c = self.get(*c);
                    let c = self.e.is_true(c);
                    let (a, b) = (self.get(*a), self.get(*b));
                    let v = self.e.b.ins().select(c, a, b);
                    self.set(*d, v);
                }
                Inst::PowI(d, a, n) => {
                    let a = self.get(*a);
                    let v = self.e.powi(a, *n);
                    self.set(*d, v);
                }
                Inst::Load(d, first, len, i) => {
                    let address = self.element(*first, *len, *i)?;
                    let flags = MemFlagsData::trusted();
                    let v = self.e.b.ins().load(types::F64, flags, address, 0);
                    self.set(*d, v);
                }
                Inst::Table(d, first, len, i) => {
                    let bytes = self.offset(*len, *i)?;
                    let begin = &self.table[*first as usize..][..*len as usize];
                    let begin = begin.as_ptr() as i64;
                    let begin = self.e.b.ins().iconst(self.e.pointer, begin);
                    let address = self.e.b.ins().iadd(begin, bytes);
                    let flags = MemFlagsData::trusted();
                    let v = self.e.b.ins().load(types::F64, flags, address, 0);
                    self.set(*d, v);
                }
                Inst::Store(first, len, i, value) => {
                    let address = self.element(*first, *len, *i)?;
                    let v = self.get(*value);
                    let flags = MemFlagsData::trusted();
                    self.e.b.ins().store(flags, v, address, 0);
                }
                Inst::Call(callee, args, first) => {
                    let n = callee_outputs(*callee, args.len(), outputs);
                    self.call(*callee, args, *first, n, ids)?;
                }
                Inst::Jump(to) => {
                    if *to as usize <= at {
                        self.count_jump()?;
                    }
                    self.e.b.ins().jump(blocks[to], &[]);
                    reached = false;
                }
                Inst::JumpUnless(c, to) => {
                    let c = self.get(*c);
                    let c = self.e.is_true(c);
                    let next = self.e.b.create_block();
                    self.e.b.ins().brif(c, next, &[], blocks[to], &[]);
                    self.e.b.switch_to_block(next);
                }
                Inst::Fail(message, is_error) => {
                    let message = self.get(*message);
                    let is_error = self.e.b.ins().iconst(types::I64, i64::from(*is_error));
                    let f = self.e.b.ins().iconst(types::I64, i64::from(self.number));
                    let args = [self.context, f, message, is_error, self.inputs];
                    let status = self.e.call(Helper::Out(Outcall::Fail), &args)?;
                    self.leave_if(status);
                }
                Inst::Return => {
                    self.e.b.ins().jump(self.done, &[]);
                    reached = false;
                }
            }
        }
        if reached {
            self.e.b.ins().jump(self.done, &[]);
        }
        Ok(())
    }

    /// Leaves the function where a status is not 0.
    fn leave_if(&mut self, status: Value) {
        let next = self.e.b.create_block();
        self.e.b.ins().brif(status, self.failed, &[], next, &[]);
        self.e.b.switch_to_block(next);
    }

    fn count_jump(&mut self) -> Result<(), CompileError> {
        let n = self.e.b.use_var(self.jumps);
        let n = self.e.b.ins().iadd_imm_s(n, 1);
        self.e.b.def_var(self.jumps, n);
        let past = self.e.b.ins().band_imm_s(n, JUMPS_PER_LOOK - 1);
        let (look, go) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(past, go, &[], look, &[]);
        self.e.b.switch_to_block(look);
        let f = self.e.b.ins().iconst(types::I64, i64::from(self.number));
        let args = [self.context, f, n];
        let status = self.e.call(Helper::Out(Outcall::Look), &args)?;
        self.e.b.ins().brif(status, self.failed, &[], go, &[]);
        self.e.b.switch_to_block(go);
        Ok(())
    }

    /// Address of an element of an array, its index checked.
    fn element(&mut self, first: Reg, len: u32, i: Reg) -> Result<Value, CompileError> {
        let bytes = self.offset(len, i)?;
        let start = (self.arrays.place(first).unwrap_or(0) * 8) as i32;
        let address = self
            .e
            .b
            .ins()
            .stack_addr(self.e.pointer, self.memory, start);
        Ok(self.e.b.ins().iadd(address, bytes))
    }

    /// Bytes from the first element of an array to the one with this index, which is checked.
    fn offset(&mut self, len: u32, i: Reg) -> Result<Value, CompileError> {
        let i = self.get(i);
        let zero = self.e.b.ins().f64const(0.0);
        let n = self.e.b.ins().f64const(f64::from(len));
        let low = self.e.b.ins().fcmp(FloatCC::GreaterThanOrEqual, i, zero);
        let high = self.e.b.ins().fcmp(FloatCC::LessThan, i, n);
        let inside = self.e.b.ins().band(low, high);
        let (bad, good) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(inside, good, &[], bad, &[]);
        self.e.b.switch_to_block(bad);
        let f = self.e.b.ins().iconst(types::I64, i64::from(self.number));
        let args = [self.context, f, i, n];
        self.e.call(Helper::Out(Outcall::Index), &args)?;
        self.e.b.ins().jump(self.failed, &[]);
        self.e.b.switch_to_block(good);
        let whole = self.e.b.ins().fcvt_to_sint_sat(types::I64, i);
        Ok(self.e.b.ins().ishl_imm_u(whole, 3))
    }

    fn call(
        &mut self,
        callee: Callee,
        args: &[Reg],
        first: Reg,
        outputs: u32,
        ids: &FxHashMap<(u32, Kind), Target>,
    ) -> Result<(), CompileError> {
        for (k, &r) in args.iter().enumerate() {
            let v = self.get(r);
            self.e
                .b
                .ins()
                .stack_store(self.e.pointer, v, self.args, (k * 8) as i32);
        }
        let pointer = self.e.pointer;
        let x = self.e.b.ins().stack_addr(pointer, self.args, 0);
        let y = self.e.b.ins().stack_addr(pointer, self.outs, 0);
        let here = match callee {
            Callee::Function(g) => ids.get(&(g, Kind::Value)).map(|id| (g, *id)),
            Callee::Tangent(g) => ids.get(&(g, Kind::Tangent)).map(|id| (g, *id)),
            _ => None,
        };
        if let Some((g, target)) = here {
            let remembered = match callee {
                Callee::Function(g) => self.codes[g as usize].is_remembered,
                _ => false,
            };
            let known = self.e.b.create_block();
            let question = match remembered {
                true => {
                    let g = self.e.b.ins().iconst(types::I64, i64::from(g));
                    let list = [self.context, g, x, y];
                    let is_known = self.e.call(Helper::Out(Outcall::Recall), &list)?;
                    let unknown = self.e.b.create_block();
                    self.e.b.ins().brif(is_known, known, &[], unknown, &[]);
                    self.e.b.switch_to_block(unknown);
                    Some(list)
                }
                false => None,
            };
            let list = [x, y, self.context];
            let call = match target {
                Target::Here(id) => {
                    let function = self.e.module.declare_func_in_func(id, self.e.b.func);
                    self.e.b.ins().call(function, &list)
                }
                Target::Address(address) => {
                    let signature = self.e.b.func.signature.clone();
                    let signature = self.e.b.import_signature(signature);
                    let callee = self.e.b.ins().iconst(pointer, address as i64);
                    self.e.b.ins().call_indirect(signature, callee, &list)
                }
            };
            let status = self.e.b.inst_results(call)[0];
            let (bad, good) = (self.e.b.create_block(), self.e.b.create_block());
            self.e.b.ins().brif(status, bad, &[], good, &[]);
            self.e.b.switch_to_block(bad);
            let g = self.e.b.ins().iconst(types::I64, i64::from(g));
            self.e
                .call(Helper::Out(Outcall::Trace), &[self.context, g])?;
            self.e.b.ins().jump(self.failed, &[]);
            self.e.b.switch_to_block(good);
            if let Some(list) = question {
                self.e.call(Helper::Out(Outcall::Keep), &list)?;
            }
            self.e.b.ins().jump(known, &[]);
            self.e.b.switch_to_block(known);
        } else {
            let status = self.e.call_out(callee, x, args.len(), y, outputs)?;
            self.leave_if(status);
        }
        for k in 0..outputs {
            let v =
                self.e
                    .b
                    .ins()
                    .stack_load(self.e.pointer, types::F64, self.outs, (k * 8) as i32);
            self.set(first + k, v);
        }
        Ok(())
    }
}

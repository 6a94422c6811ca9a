//! Machine code of function bodies, and of their derivatives in one direction ([`crate::forward`]).
//!
//! A function that has done enough work in the interpreter is compiled together with the functions it calls. Registers that
//! only constants index are values of the code; arrays that are indexed at run time lie on the stack. Strings, external functions,
//! recursive functions and failures go through [`Outcall`]s to the interpreter and the runtime. The code returns 0, or 1 when the
//! error text is in the context.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    self, AbiParam, Block, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind,
    Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::{FuncId, Linkage, Module};
use rustc_hash::{FxHashMap, FxHashSet};

use super::emit::{Emitter, Scratch};
use super::module::{CodeMemory, CompileError, Helper, Jit};
use super::queue::submit;
use crate::arrays::Arrays;
use crate::forward::forward;
use crate::function::{Code, FunctionCode, Inst};
use crate::interpreter::{Functions, index_error, loops_without_end, run_callee};
use crate::kernel::{Callee, Reg, TextOp};
use crate::runtime::Runtime;

/// Interpreted instructions, for each instruction of the body, after which compiling pays.
const WORK_BEFORE_COMPILING: u64 = 2000;
/// Larger bodies stay with the interpreter: compiling is superlinear.
const MAX_INSTRUCTIONS: usize = 30_000;
/// Bytes of arrays on the stack of one function.
const MAX_STACK: u32 = 1 << 16;
/// Backward jumps after which a function is taken to loop for ever.
const MAX_JUMPS: i64 = 400_000_000;

type NativeFunction = unsafe extern "C" fn(*const f64, *mut f64, *mut Context<'_>) -> i32;

/// What machine code hands back when it calls out.
pub struct Context<'a> {
    functions: &'a Functions,
    rt: &'a mut Runtime,
    error: String,
}

impl Context<'_> {
    /// Runs code that takes a context: its status 0, or the error that it left.
    pub(super) fn run(
        functions: &Functions,
        rt: &mut Runtime,
        code: impl FnOnce(*mut Context<'_>) -> i32,
    ) -> Result<(), String> {
        let mut context = Context {
            functions,
            rt,
            error: String::new(),
        };
        match code(&mut context) {
            0 => Ok(()),
            _ => Err(context.error),
        }
    }
}

/// Which code of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Value,
    /// Value and derivative in one direction.
    Tangent,
}

#[derive(Default)]
struct Entry {
    work: AtomicU64,
    asked: AtomicU64,
    code: OnceLock<Compiled>,
}

struct Compiled {
    code: NativeFunction,
    memory: Arc<Memory>,
}

/// Keeps code alive, and the code that it calls.
struct Memory {
    _own: Arc<CodeMemory>,
    _called: Vec<Arc<Memory>>,
}

/// Where a callee is.
#[derive(Clone, Copy)]
enum Target {
    Here(FuncId),
    /// In a module made before.
    Address(usize),
}

/// Machine code of the functions of a model, as far as there is some.
#[derive(Default)]
pub struct FunctionTable {
    /// Value and tangent of each function.
    entries: Vec<[Entry; 2]>,
}

impl FunctionTable {
    pub fn new(functions: usize) -> FunctionTable {
        FunctionTable {
            entries: (0..functions).map(|_| Default::default()).collect(),
        }
    }

    fn entry(&self, f: u32, kind: Kind) -> Option<&Entry> {
        self.entries.get(f as usize).map(|e| &e[kind as usize])
    }

    /// Counts work of the interpreter; true once, when compiling pays.
    pub fn count(&self, f: u32, kind: Kind, work: u64, size: usize) -> bool {
        let Some(entry) = self.entry(f, kind) else {
            return false;
        };
        let before = entry.work.fetch_add(work, Ordering::Relaxed);
        before + work > WORK_BEFORE_COMPILING * size as u64
            && entry.asked.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Has this function machine code?
    pub fn is_ready(&self, f: u32, kind: Kind) -> bool {
        self.entry(f, kind).is_some_and(|e| e.code.get().is_some())
    }

    /// Runs a function if it has machine code.
    ///
    /// `x` holds the inputs and `y` has room for the outputs of the code: for a tangent both twice.
    pub fn run(
        &self,
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        kind: Kind,
        x: &[f64],
        y: &mut [f64],
    ) -> Option<Result<(), String>> {
        let compiled = self.entry(f, kind)?.code.get()?;
        let code = &functions.codes[f as usize];
        let factor = 1 + kind as usize;
        assert!(x.len() >= factor * code.inputs as usize);
        assert!(y.len() >= factor * code.outputs as usize);
        // SAFETY: the code was made from this function: it reads its inputs from `x` and writes its outputs to `y`,
        // whose lengths were checked, and passes the context on to the outcalls below only.
        Some(Context::run(functions, rt, |context| unsafe {
            (compiled.code)(x.as_ptr(), y.as_mut_ptr(), context)
        }))
    }
}

/// Asks for a function to be compiled in the background.
pub fn request(functions: &Functions, f: u32, kind: Kind) {
    let codes = functions.codes.clone();
    let table = functions.machine.clone();
    submit(move || {
        // What cannot be compiled stays with the interpreter.
        let _ = compile(&codes, &table, f, kind);
    });
}

/// Compiles a function and those it calls, now.
pub fn compile(
    codes: &Arc<[FunctionCode]>,
    table: &FunctionTable,
    f: u32,
    kind: Kind,
) -> Result<(), CompileError> {
    let mut order: Vec<(u32, Kind, FunctionCode)> = Vec::new();
    let mut seen = FxHashMap::default();
    if table.is_ready(f, kind) {
        return Ok(());
    }
    collect(codes, table, f, kind, &mut seen, &mut order);
    if seen.get(&(f, kind)) != Some(&Place::Here) {
        return Err("the function has no machine code".into());
    }
    let mut jit = Jit::new()?;
    let mut ids: FxHashMap<(u32, Kind), Target> = FxHashMap::default();
    let mut held = Vec::new();
    for (&(g, kind), place) in &seen {
        if *place == Place::Ready
            && let Some(compiled) = table.entry(g, kind).and_then(|e| e.code.get())
        {
            ids.insert((g, kind), Target::Address(compiled.code as usize));
            held.push(compiled.memory.clone());
        }
    }
    for (g, kind, code) in &order {
        // Callees stand before their callers.
        let id = jit.function(*g, *kind, code, codes, &ids)?;
        ids.insert((*g, *kind), Target::Here(id));
    }
    jit.finalize()?;
    let addresses: Vec<_> = order
        .iter()
        .filter_map(|(g, kind, _)| {
            let Some(Target::Here(id)) = ids.get(&(*g, *kind)) else {
                return None;
            };
            let address = jit.module.get_finalized_function(*id);
            // SAFETY: the function was declared with this signature and is finalized.
            let code = unsafe { std::mem::transmute::<*const u8, NativeFunction>(address) };
            Some((*g, *kind, code))
        })
        .collect();
    let memory = Arc::new(Memory {
        _own: jit.into_memory(),
        _called: held,
    });
    for (g, kind, code) in addresses {
        if let Some(entry) = table.entry(g, kind) {
            let memory = memory.clone();
            let _ = entry.code.set(Compiled { code, memory });
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    /// On the way: a call to it is recursive.
    Open,
    /// Compiled in this module.
    Here,
    /// Compiled before.
    Ready,
    /// Called through the interpreter.
    Elsewhere,
}

/// Functions to be compiled, callees first.
fn collect(
    codes: &Arc<[FunctionCode]>,
    table: &FunctionTable,
    f: u32,
    kind: Kind,
    seen: &mut FxHashMap<(u32, Kind), Place>,
    order: &mut Vec<(u32, Kind, FunctionCode)>,
) {
    if table.is_ready(f, kind) {
        seen.insert((f, kind), Place::Ready);
        return;
    }
    seen.insert((f, kind), Place::Open);
    let outputs = |g: u32| codes.get(g as usize).map_or(0, |c| c.outputs);
    let code = match kind {
        Kind::Value => codes.get(f as usize).cloned(),
        Kind::Tangent => codes.get(f as usize).and_then(|c| forward(c, &outputs)),
    };
    let Some(code) = code else {
        seen.insert((f, kind), Place::Elsewhere);
        return;
    };
    let fits = match &code.code {
        Code::Insts(insts) => {
            insts.len() <= MAX_INSTRUCTIONS && Arrays::new(insts).len <= MAX_STACK / 8
        }
        _ => false,
    };
    let mut recursive = false;
    if fits && let Code::Insts(insts) = &code.code {
        for inst in insts {
            let callee = match inst {
                Inst::Call(Callee::Function(g), ..) => (*g, Kind::Value),
                Inst::Call(Callee::Tangent(g), ..) => (*g, Kind::Tangent),
                _ => continue,
            };
            match seen.get(&callee) {
                Some(Place::Open) => recursive = true,
                Some(_) => {}
                None => collect(codes, table, callee.0, callee.1, seen, order),
            }
        }
    }
    let place = if fits && !recursive {
        order.push((f, kind, code));
        Place::Here
    } else {
        Place::Elsewhere
    };
    seen.insert((f, kind), place);
}

impl Jit {
    fn function(
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
            memory,
            args,
            outs,
            failed: e.b.create_block(),
            done: e.b.create_block(),
            jumps: e.b.declare_var(types::I64),
            number,
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
    inputs: Value,
    results: Value,
    context: Value,
    variables: Vec<Variable>,
    arrays: Arrays,
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
        let limit = self.e.b.ins().iconst(types::I64, MAX_JUMPS);
        let over = self.e.b.ins().icmp(IntCC::SignedGreaterThan, n, limit);
        let (stop, go) = (self.e.b.create_block(), self.e.b.create_block());
        self.e.b.ins().brif(over, stop, &[], go, &[]);
        self.e.b.switch_to_block(stop);
        let f = self.e.b.ins().iconst(types::I64, i64::from(self.number));
        let args = [self.context, f];
        self.e.call(Helper::Out(Outcall::Endless), &args)?;
        self.e.b.ins().jump(self.failed, &[]);
        self.e.b.switch_to_block(go);
        Ok(())
    }

    /// Address of an element of an array, its index checked.
    fn element(&mut self, first: Reg, len: u32, i: Reg) -> Result<Value, CompileError> {
        let base = self.arrays.place(first).unwrap_or(0);
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
        let bytes = self.e.b.ins().ishl_imm_u(whole, 3);
        let start = (base * 8) as i32;
        let address = self
            .e
            .b
            .ins()
            .stack_addr(self.e.pointer, self.memory, start);
        Ok(self.e.b.ins().iadd(address, bytes))
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

/// Functions that code of functions calls with its context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Outcall {
    /// Any callee, by the interpreter.
    Call,
    Fail,
    Index,
    Endless,
    Trace,
}

impl Outcall {
    pub(super) fn signature(self, pointer: ir::Type) -> (Vec<ir::Type>, ir::Type) {
        let (int, real) = (types::I64, types::F64);
        let params = match self {
            Outcall::Call => vec![pointer, int, int, pointer, int, pointer, int],
            Outcall::Fail => vec![pointer, int, real, int, pointer],
            Outcall::Index => vec![pointer, int, real, real],
            Outcall::Endless | Outcall::Trace => vec![pointer, int],
        };
        (params, types::I32)
    }
}

pub(super) fn outcalls() -> [(Outcall, *const u8); 5] {
    [
        (Outcall::Call, out_call as *const u8),
        (Outcall::Fail, out_fail as *const u8),
        (Outcall::Index, out_index as *const u8),
        (Outcall::Endless, out_endless as *const u8),
        (Outcall::Trace, out_trace as *const u8),
    ]
}

/// Operations on strings without a number of their own, in the order of their codes.
const TEXT: [TextOp; 10] = [
    TextOp::Concat,
    TextOp::FromReal,
    TextOp::FromInteger,
    TextOp::FromBoolean,
    TextOp::FromDigits,
    TextOp::FromFormat,
    TextOp::Lt,
    TextOp::Le,
    TextOp::Gt,
    TextOp::Ge,
];

pub(super) fn encode(callee: Callee) -> (i64, i64) {
    match callee {
        Callee::Function(g) => (0, i64::from(g)),
        Callee::Jacobian(g) => (1, i64::from(g)),
        Callee::Tangent(g) => (2, i64::from(g)),
        Callee::Text(TextOp::FromEnum(e)) => (3, i64::from(e)),
        Callee::Text(op) => (4, TEXT.iter().position(|&t| t == op).unwrap_or(0) as i64),
    }
}

fn decode(kind: i64, number: i64) -> Callee {
    let g = number as u32;
    match kind {
        0 => Callee::Function(g),
        1 => Callee::Jacobian(g),
        2 => Callee::Tangent(g),
        3 => Callee::Text(TextOp::FromEnum(g)),
        _ => Callee::Text(TEXT[(number as usize).min(TEXT.len() - 1)]),
    }
}

/// # Safety
/// `context` is the context of the running code; `x` and `y` point to `n` and `m` numbers.
unsafe extern "C" fn out_call(
    context: *mut Context<'_>,
    kind: i64,
    number: i64,
    x: *const f64,
    n: i64,
    y: *mut f64,
    m: i64,
) -> i32 {
    // SAFETY: by the contract above; the stack slots of arguments and outputs do not overlap.
    let (context, x, y) = unsafe {
        (
            &mut *context,
            std::slice::from_raw_parts(x, n as usize),
            std::slice::from_raw_parts_mut(y, m as usize),
        )
    };
    let mut outs = Vec::with_capacity(y.len());
    let done = run_callee(
        context.functions,
        context.rt,
        decode(kind, number),
        x,
        &mut outs,
    );
    match done {
        Ok(()) => {
            let k = y.len().min(outs.len());
            y[..k].copy_from_slice(&outs[..k]);
            y[k..].fill(0.0);
            0
        }
        Err(e) => {
            context.error = e;
            1
        }
    }
}

/// # Safety
/// `context` is the context of the running code, `x` points to the inputs of function `f`.
unsafe extern "C" fn out_fail(
    context: *mut Context<'_>,
    f: i64,
    message: f64,
    is_error: i64,
    x: *const f64,
) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    let code = &context.functions.codes[f as usize];
    // SAFETY: by the contract above the function has so many inputs.
    let inputs = unsafe { std::slice::from_raw_parts(x, code.inputs as usize) };
    match crate::interpreter::fail(code, context.rt, message, is_error != 0, inputs) {
        Ok(()) => 0,
        Err(e) => {
            context.error = e;
            1
        }
    }
}

/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_index(context: *mut Context<'_>, f: i64, i: f64, len: f64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    context.error = index_error(&context.functions.codes[f as usize], i, len as u32);
    1
}

/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_endless(context: *mut Context<'_>, f: i64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    context.error = loops_without_end(&context.functions.codes[f as usize]);
    1
}

/// Adds a function to the way to a failure.
///
/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_trace(context: *mut Context<'_>, f: i64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    if context.error.len() <= 2000 {
        let name = &context.functions.codes[f as usize].name;
        context.error.push_str(&format!(", from `{name}`"));
    }
    1
}

//! Machine code for programs, by Cranelift.
//!
//! A program that has run often enough is compiled on a background thread, in functions of a few hundred
//! operations, and used as soon as it is ready. A batch of a few rows is unrolled with its slots as
//! constants; a longer one is a loop over its rows. Operands are loaded from the slots for each row and never
//! kept across rows, so that register allocation stays linear. Kernels with calls stay with the interpreter, which is also
//! the oracle for the machine code: results are equal bit by bit.

use std::sync::{Arc, Mutex, OnceLock, mpsc};

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, Value, types,
};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, ir};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use ferrica_ir::expr::Builtin;
use ferrica_ir::simplify::{binary_value, power, unary_value};
use rustc_hash::FxHashMap;

use crate::kernel::{Bin, Kernel, KernelId, Op, Un};
use crate::model::CompiledModel;
use crate::program::{Kernels, Program, Step, SystemId};

/// Runs after which compiling pays (measured: about 800 evaluations of the interpreter).
pub const RUNS_BEFORE_COMPILING: u32 = 400;
/// Operations in one function: one giant function compiles superlinearly.
const CHUNK_OPS: usize = 3000;
/// Batches up to this length are unrolled.
const UNROLL: u32 = 3;
/// Slot offsets must fit into a displacement.
const MAX_SLOT: u32 = (i32::MAX / 8) as u32;

type Chunk = unsafe extern "C" fn(*mut f64, *const u32);

/// One step of compiled code.
#[derive(Clone, Copy, Debug)]
pub enum NativeStep {
    Code(usize),
    /// Step number of the program that the interpreter runs.
    Interpret(usize),
    Solve(SystemId),
}

/// Machine code of a program.
pub struct NativeCode {
    pub steps: Vec<NativeStep>,
    functions: Vec<Chunk>,
    /// Slots and row numbers that the code touches.
    slots: usize,
    rows: usize,
    /// Keeps the code alive.
    _memory: Arc<CodeMemory>,
}

impl std::fmt::Debug for NativeCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NativeCode({} functions)", self.functions.len())
    }
}

struct CodeMemory(Mutex<Option<JITModule>>);

// SAFETY: after `finalize_definitions` the module is not touched again until it is dropped, when no code of
// it can run any more because every `NativeCode` that points into it holds this memory.
unsafe impl Send for CodeMemory {}
// SAFETY: as above; the only access is the drop, through the mutex.
unsafe impl Sync for CodeMemory {}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        if let Some(module) = self.0.get_mut().unwrap_or_else(|e| e.into_inner()).take() {
            // SAFETY: no function pointer into the module is left (see above).
            unsafe { module.free_memory() };
        }
    }
}

impl NativeCode {
    /// Runs chunk number `k` on the slots.
    pub fn run(&self, k: usize, slots: &mut [f64], rows: &[u32]) {
        assert!(slots.len() >= self.slots && rows.len() >= self.rows);
        // SAFETY: the code reads and writes slots whose numbers are in the rows it was made from, all below
        // `self.slots`, and reads `self.rows` numbers of rows; rows that differ from those it was made from
        // are only ever passed by mistake of this crate: `Evaluator` passes the rows of the same program.
        unsafe { (self.functions[k])(slots.as_mut_ptr(), rows.as_ptr()) }
    }
}

/// Asks for a program to be compiled in the background.
pub fn request(model: &Arc<CompiledModel>, program: &Program) {
    static QUEUE: OnceLock<Option<Mutex<mpsc::Sender<(Arc<CompiledModel>, Program)>>>> =
        OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<(Arc<CompiledModel>, Program)>();
        std::thread::Builder::new()
            .name("ferrica-jit".to_string())
            .spawn(move || {
                while let Ok((model, program)) = receiver.recv() {
                    compile_into(&model.kernels, model.slot_count(), &program);
                }
            })
            .ok()
            .map(|_| Mutex::new(sender))
    });
    if let Some(queue) = queue
        && let Ok(sender) = queue.lock()
    {
        // A closed queue only means that the interpreter goes on.
        let _ = sender.send((model.clone(), program.clone()));
    }
}

/// Compiles now. A program that cannot be compiled stays with the interpreter.
pub fn compile_into(kernels: &Kernels, slots: usize, program: &Program) {
    if program.native.code.get().is_some() || slots as u64 > u64::from(MAX_SLOT) {
        return;
    }
    if let Ok(code) = compile(kernels, program) {
        let _ = program.native.code.set(code);
    }
}

extern "C" fn call_unary<const F: u8>(x: f64) -> f64 {
    unary_value(UNARY[F as usize], x).unwrap_or(f64::NAN)
}

extern "C" fn call_binary<const F: u8>(x: f64, y: f64) -> f64 {
    binary_value(BINARY[F as usize], x, y).unwrap_or(f64::NAN)
}

extern "C" fn call_power(x: f64, y: f64) -> f64 {
    power(x, y)
}

extern "C" fn call_powi(x: f64, n: i64) -> f64 {
    x.powi(n as i32)
}

const UNARY: [Builtin; 15] = [
    Builtin::Sin,
    Builtin::Cos,
    Builtin::Tan,
    Builtin::Asin,
    Builtin::Acos,
    Builtin::Atan,
    Builtin::Sinh,
    Builtin::Cosh,
    Builtin::Tanh,
    Builtin::Exp,
    Builtin::Log,
    Builtin::Log10,
    Builtin::Sign,
    Builtin::Floor,
    Builtin::Ceil,
];

const BINARY: [Builtin; 6] = [
    Builtin::Atan2,
    Builtin::Div,
    Builtin::Mod,
    Builtin::Rem,
    Builtin::Min,
    Builtin::Max,
];

const UNARY_CODE: [extern "C" fn(f64) -> f64; 15] = [
    call_unary::<0>,
    call_unary::<1>,
    call_unary::<2>,
    call_unary::<3>,
    call_unary::<4>,
    call_unary::<5>,
    call_unary::<6>,
    call_unary::<7>,
    call_unary::<8>,
    call_unary::<9>,
    call_unary::<10>,
    call_unary::<11>,
    call_unary::<12>,
    call_unary::<13>,
    call_unary::<14>,
];

const BINARY_CODE: [extern "C" fn(f64, f64) -> f64; 6] = [
    call_binary::<0>,
    call_binary::<1>,
    call_binary::<2>,
    call_binary::<3>,
    call_binary::<4>,
    call_binary::<5>,
];

/// A function of the runtime that code calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Helper {
    Unary(usize),
    Binary(usize),
    Power,
    PowI,
}

impl Helper {
    fn name(self) -> String {
        match self {
            Helper::Unary(k) => format!("unary{k}"),
            Helper::Binary(k) => format!("binary{k}"),
            Helper::Power => "power".to_string(),
            Helper::PowI => "powi".to_string(),
        }
    }

    fn signature(self, module: &JITModule) -> Signature {
        let mut s = module.make_signature();
        s.params.push(AbiParam::new(types::F64));
        match self {
            Helper::Unary(_) => {}
            Helper::Binary(_) | Helper::Power => s.params.push(AbiParam::new(types::F64)),
            Helper::PowI => s.params.push(AbiParam::new(types::I64)),
        }
        s.returns.push(AbiParam::new(types::F64));
        s
    }
}

type CompileError = Box<dyn std::error::Error + Send + Sync>;

fn target() -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    flags.set("opt_level", "none")?;
    flags.set("is_pic", "false")?;
    flags.set(
        "enable_verifier",
        if cfg!(debug_assertions) {
            "true"
        } else {
            "false"
        },
    )?;
    Ok(cranelift_native::builder()?.finish(settings::Flags::new(flags))?)
}

struct Jit {
    module: JITModule,
    context: Context,
    frontend: FunctionBuilderContext,
    helpers: FxHashMap<Helper, FuncId>,
}

fn new_jit() -> Result<Jit, CompileError> {
    let mut builder = JITBuilder::with_isa(target()?, default_libcall_names());
    for (k, f) in UNARY_CODE.iter().enumerate() {
        builder.symbol(Helper::Unary(k).name(), *f as *const u8);
    }
    for (k, f) in BINARY_CODE.iter().enumerate() {
        builder.symbol(Helper::Binary(k).name(), *f as *const u8);
    }
    builder.symbol(Helper::Power.name(), call_power as *const u8);
    builder.symbol(Helper::PowI.name(), call_powi as *const u8);
    let module = JITModule::new(builder);
    Ok(Jit {
        context: module.make_context(),
        module,
        frontend: FunctionBuilderContext::new(),
        helpers: FxHashMap::default(),
    })
}

/// Machine code of kernels by themselves: one function a kernel, for any row of it.
pub struct KernelCode {
    functions: Vec<Option<Chunk>>,
    strides: Vec<usize>,
    _memory: Arc<CodeMemory>,
}

impl KernelCode {
    /// Compiles all kernels without calls, now. `None` where there is no machine code to be had.
    pub fn new(kernels: &Kernels) -> Option<KernelCode> {
        let mut jit = new_jit().ok()?;
        let mut ids = Vec::new();
        for kernel in kernels.kernels.values() {
            let id = if kernel.calls.is_empty() {
                Some(jit.kernel(kernel, ids.len()).ok()?)
            } else {
                None
            };
            ids.push(id);
        }
        jit.module.finalize_definitions().ok()?;
        let functions = ids
            .iter()
            .map(|id| {
                let address = jit.module.get_finalized_function((*id)?);
                // SAFETY: the function was declared with this signature and is finalized.
                Some(unsafe { std::mem::transmute::<*const u8, Chunk>(address) })
            })
            .collect();
        Some(KernelCode {
            functions,
            strides: kernels.kernels.values().map(Kernel::stride).collect(),
            _memory: Arc::new(CodeMemory(Mutex::new(Some(jit.module)))),
        })
    }

    /// Has this kernel machine code?
    #[inline]
    pub fn has(&self, kernel: KernelId) -> bool {
        self.functions[kernel.as_u32() as usize].is_some()
    }

    /// Runs a kernel on one row of slots. False: there is no code for it.
    ///
    /// # Safety
    /// Every number of the row is less than the number of slots.
    #[inline]
    pub unsafe fn run(&self, kernel: KernelId, slots: &mut [f64], row: &[u32]) -> bool {
        let k = kernel.as_u32() as usize;
        let Some(code) = self.functions[k] else {
            return false;
        };
        assert!(row.len() >= self.strides[k]);
        // SAFETY: the code reads `strides[k]` numbers of the row and touches the slots they name,
        // which are inside of `slots` by the contract of this function.
        unsafe { code(slots.as_mut_ptr(), row.as_ptr()) };
        true
    }
}

fn compile(kernels: &Kernels, program: &Program) -> Result<NativeCode, CompileError> {
    let mut jit = new_jit()?;
    let mut steps = Vec::new();
    let mut ids: Vec<FuncId> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut ops = 0;
    for (k, step) in program.steps.iter().enumerate() {
        match *step {
            Step::Solve(s) => {
                jit.flush(kernels, program, &mut open, &mut steps, &mut ids)?;
                steps.push(NativeStep::Solve(s));
                ops = 0;
            }
            Step::Batch { kernel, count, .. } => {
                let kernel = &kernels.kernels[kernel];
                if !kernel.calls.is_empty() {
                    jit.flush(kernels, program, &mut open, &mut steps, &mut ids)?;
                    steps.push(NativeStep::Interpret(k));
                    ops = 0;
                    continue;
                }
                let size = kernel.ops.len() * if count <= UNROLL { count as usize } else { 1 };
                if ops > 0 && ops + size > CHUNK_OPS {
                    jit.flush(kernels, program, &mut open, &mut steps, &mut ids)?;
                    ops = 0;
                }
                open.push(k);
                ops += size;
            }
        }
    }
    jit.flush(kernels, program, &mut open, &mut steps, &mut ids)?;
    jit.module.finalize_definitions()?;
    let functions = ids
        .iter()
        .map(|&id| {
            let address = jit.module.get_finalized_function(id);
            // SAFETY: the function was declared with this signature and is finalized.
            unsafe { std::mem::transmute::<*const u8, Chunk>(address) }
        })
        .collect();
    let memory = Arc::new(CodeMemory(Mutex::new(Some(jit.module))));
    let slots = program.rows.iter().max().map_or(0, |&m| m as usize + 1);
    let rows = program.rows.len();
    Ok(NativeCode {
        steps,
        functions,
        slots,
        rows,
        _memory: memory,
    })
}

impl Jit {
    /// Makes a function of one kernel, whose row is its second argument.
    fn kernel(&mut self, kernel: &Kernel, number: usize) -> Result<FuncId, CompileError> {
        let config = self.module.target_config();
        let pointer = config.pointer_type();
        let mut signature = self.module.make_signature();
        signature.params.push(AbiParam::new(pointer));
        signature.params.push(AbiParam::new(pointer));
        let name = format!("kernel{number}");
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        self.context.func.signature = signature;
        let mut f = Emitter {
            b: FunctionBuilder::new(&mut self.context.func, &mut self.frontend),
            module: &mut self.module,
            helpers: &mut self.helpers,
            local: FxHashMap::default(),
            pointer,
            values: Vec::new(),
        };
        let entry = f.b.create_block();
        f.b.append_block_params_for_function_params(entry);
        f.b.switch_to_block(entry);
        let (slots, row) = (f.b.block_params(entry)[0], f.b.block_params(entry)[1]);
        f.row(kernel, &Place::Row(row), slots)?;
        f.b.ins().return_(&[]);
        f.b.seal_all_blocks();
        f.b.finalize(config);
        self.module.define_function(id, &mut self.context)?;
        self.module.clear_context(&mut self.context);
        Ok(id)
    }

    /// Makes one function of the open batches.
    fn flush(
        &mut self,
        kernels: &Kernels,
        program: &Program,
        open: &mut Vec<usize>,
        steps: &mut Vec<NativeStep>,
        ids: &mut Vec<FuncId>,
    ) -> Result<(), CompileError> {
        if open.is_empty() {
            return Ok(());
        }
        let config = self.module.target_config();
        let pointer = config.pointer_type();
        let mut signature = self.module.make_signature();
        signature.params.push(AbiParam::new(pointer));
        signature.params.push(AbiParam::new(pointer));
        let name = format!("chunk{}", ids.len());
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        self.context.func.signature = signature;
        let mut f = Emitter {
            b: FunctionBuilder::new(&mut self.context.func, &mut self.frontend),
            module: &mut self.module,
            helpers: &mut self.helpers,
            local: FxHashMap::default(),
            pointer,
            values: Vec::new(),
        };
        let entry = f.b.create_block();
        f.b.append_block_params_for_function_params(entry);
        f.b.switch_to_block(entry);
        let (slots, rows) = (f.b.block_params(entry)[0], f.b.block_params(entry)[1]);
        for &k in open.iter() {
            let Step::Batch {
                kernel,
                first,
                count,
            } = program.steps[k]
            else {
                continue;
            };
            let kernel = &kernels.kernels[kernel];
            let stride = kernel.stride();
            if count <= UNROLL {
                for row in program.rows[first as usize..]
                    .chunks_exact(stride)
                    .take(count as usize)
                {
                    f.unrolled(kernel, row, slots)?;
                }
            } else {
                f.looped(kernel, slots, rows, first, count)?;
            }
        }
        f.b.ins().return_(&[]);
        f.b.seal_all_blocks();
        f.b.finalize(config);
        self.module.define_function(id, &mut self.context)?;
        self.module.clear_context(&mut self.context);
        steps.push(NativeStep::Code(ids.len()));
        ids.push(id);
        open.clear();
        Ok(())
    }
}

struct Emitter<'a> {
    b: FunctionBuilder<'a>,
    module: &'a mut JITModule,
    helpers: &'a mut FxHashMap<Helper, FuncId>,
    local: FxHashMap<Helper, FuncRef>,
    pointer: ir::Type,
    values: Vec<Value>,
}

/// Where the operands of a row are.
enum Place<'a> {
    Fixed(&'a [u32]),
    /// Address of the row.
    Row(Value),
}

impl Emitter<'_> {
    fn unrolled(&mut self, kernel: &Kernel, row: &[u32], slots: Value) -> Result<(), CompileError> {
        self.row(kernel, &Place::Fixed(row), slots)
    }

    fn looped(
        &mut self,
        kernel: &Kernel,
        slots: Value,
        rows: Value,
        first: u32,
        count: u32,
    ) -> Result<(), CompileError> {
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
    fn address(&mut self, place: &Place<'_>, slots: Value, k: usize) -> (Value, i32) {
        match place {
            Place::Fixed(row) => (slots, (row[k] * 8) as i32),
            Place::Row(row) => {
                let offset = (k * 4) as i32;
                let index = self.b.ins().uload32(MemFlagsData::trusted(), *row, offset);
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                (self.b.ins().iadd(slots, bytes), 0)
            }
        }
    }

    fn row(
        &mut self,
        kernel: &Kernel,
        place: &Place<'_>,
        slots: Value,
    ) -> Result<(), CompileError> {
        self.values.clear();
        for op in &kernel.ops {
            let value = match *op {
                Op::Load(k) => {
                    let (base, offset) = self.address(place, slots, k as usize);
                    self.b
                        .ins()
                        .load(types::F64, MemFlagsData::trusted(), base, offset)
                }
                Op::Const(bits) => self.b.ins().f64const(f64::from_bits(bits)),
                Op::Unary(f, a) => self.unary(f, self.values[a as usize])?,
                Op::Binary(f, a, b) => {
                    self.binary(f, self.values[a as usize], self.values[b as usize])?
                }
                Op::Select(c, a, b) => {
                    let c = self.is_true(self.values[c as usize]);
                    let (a, b) = (self.values[a as usize], self.values[b as usize]);
                    self.b.ins().select(c, a, b)
                }
                Op::PowI(a, n) => {
                    let a = self.values[a as usize];
                    let n = self.b.ins().iconst(types::I64, i64::from(n));
                    self.call(Helper::PowI, &[a, n])?
                }
                Op::Call(_) | Op::Result => return Err("kernel with calls".into()),
            };
            self.values.push(value);
        }
        for (j, &r) in kernel.results.iter().enumerate() {
            let (base, offset) = self.address(place, slots, kernel.loads as usize + j);
            let value = self.values[r as usize];
            self.b
                .ins()
                .store(MemFlagsData::trusted(), value, base, offset);
        }
        Ok(())
    }

    fn is_true(&mut self, x: Value) -> Value {
        let zero = self.b.ins().f64const(0.0);
        self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
    }

    /// A comparison as 0 or 1.
    fn number(&mut self, truth: Value) -> Value {
        let (one, zero) = (self.b.ins().f64const(1.0), self.b.ins().f64const(0.0));
        self.b.ins().select(truth, one, zero)
    }

    fn call(&mut self, helper: Helper, args: &[Value]) -> Result<Value, CompileError> {
        let function = match self.local.get(&helper) {
            Some(&f) => f,
            None => {
                let id = match self.helpers.get(&helper) {
                    Some(&id) => id,
                    None => {
                        let signature = helper.signature(self.module);
                        let id = self.module.declare_function(
                            &helper.name(),
                            Linkage::Import,
                            &signature,
                        )?;
                        self.helpers.insert(helper, id);
                        id
                    }
                };
                let f = self.module.declare_func_in_func(id, self.b.func);
                self.local.insert(helper, f);
                f
            }
        };
        let call = self.b.ins().call(function, args);
        Ok(self.b.inst_results(call)[0])
    }

    fn unary(&mut self, f: Un, a: Value) -> Result<Value, CompileError> {
        Ok(match f {
            Un::Neg => self.b.ins().fneg(a),
            Un::Not => {
                let zero = self.b.ins().f64const(0.0);
                let is_zero = self.b.ins().fcmp(FloatCC::Equal, a, zero);
                self.number(is_zero)
            }
            Un::Math(Builtin::Sqrt) => self.b.ins().sqrt(a),
            Un::Math(Builtin::Abs) => self.b.ins().fabs(a),
            Un::Math(f) => {
                // `integer` rounds down, as `floor` does.
                let f = if f == Builtin::Integer {
                    Builtin::Floor
                } else {
                    f
                };
                match UNARY.iter().position(|&u| u == f) {
                    Some(k) => self.call(Helper::Unary(k), &[a])?,
                    None => return Err("unknown function".into()),
                }
            }
        })
    }

    fn binary(&mut self, f: Bin, a: Value, b: Value) -> Result<Value, CompileError> {
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
            Bin::Math(f) => match BINARY.iter().position(|&u| u == f) {
                Some(k) => self.call(Helper::Binary(k), &[a, b])?,
                None => return Err("unknown function".into()),
            },
        })
    }
}

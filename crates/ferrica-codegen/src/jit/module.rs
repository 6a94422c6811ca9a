//! A module of machine code: the target, the functions of the runtime that code calls, and the memory that holds the code.

use std::sync::{Arc, Mutex};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use ferrica_ir::expr::Builtin;
use ferrica_ir::simplify::{binary_value, power, unary_value};
use rustc_hash::FxHashMap;

use super::outcall::{self, Outcall};

pub(super) type CompileError = Box<dyn std::error::Error + Send + Sync>;

extern "C" fn call_unary<const F: u8>(x: f64) -> f64 {
    unary_value(UNARY[F as usize], x).unwrap_or(f64::NAN)
}

extern "C" fn call_binary<const F: u8>(x: f64, y: f64) -> f64 {
    binary_value(BINARY[F as usize], x, y).unwrap_or(f64::NAN)
}

extern "C" fn call_power(x: f64, y: f64) -> f64 {
    power(x, y)
}

pub(super) const UNARY: [Builtin; 15] = [
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

pub(super) const BINARY: [Builtin; 6] = [
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
pub(super) enum Helper {
    Unary(usize),
    Binary(usize),
    Power,
    Out(Outcall),
}

impl Helper {
    pub(super) fn name(self) -> String {
        match self {
            Helper::Unary(k) => format!("unary{k}"),
            Helper::Binary(k) => format!("binary{k}"),
            Helper::Power => "power".to_string(),
            Helper::Out(out) => format!("{out:?}"),
        }
    }

    pub(super) fn signature(self, module: &JITModule) -> Signature {
        let mut s = module.make_signature();
        let real = AbiParam::new(types::F64);
        match self {
            Helper::Unary(_) => s.params.push(real),
            Helper::Binary(_) | Helper::Power => s.params.extend([real, real]),
            Helper::Out(out) => {
                let pointer = module.target_config().pointer_type();
                let (params, result) = out.signature(pointer);
                s.params.extend(params.into_iter().map(AbiParam::new));
                s.returns.push(AbiParam::new(result));
                return s;
            }
        }
        s.returns.push(real);
        s
    }
}

/// `speed`: for code in which most of a run is spent.
fn target(speed: bool) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    flags.set("opt_level", if speed { "speed" } else { "none" })?;
    flags.set("is_pic", "false")?;
    // Rows are short and their operands come from memory: a better allocation costs more than it brings.
    if !speed {
        flags.set("regalloc_algorithm", "single_pass")?;
    }
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

/// A module under construction.
pub(super) struct Jit {
    pub module: JITModule,
    pub context: Context,
    pub frontend: FunctionBuilderContext,
    pub helpers: FxHashMap<Helper, FuncId>,
}

impl Jit {
    pub(super) fn new() -> Result<Jit, CompileError> {
        Jit::with(false)
    }

    /// For code in which most of a run is spent.
    pub(super) fn optimized() -> Result<Jit, CompileError> {
        Jit::with(true)
    }

    fn with(speed: bool) -> Result<Jit, CompileError> {
        let mut builder = JITBuilder::with_isa(target(speed)?, default_libcall_names());
        for (k, f) in UNARY_CODE.iter().enumerate() {
            builder.symbol(Helper::Unary(k).name(), *f as *const u8);
        }
        for (k, f) in BINARY_CODE.iter().enumerate() {
            builder.symbol(Helper::Binary(k).name(), *f as *const u8);
        }
        builder.symbol(Helper::Power.name(), call_power as *const u8);
        for (out, address) in outcall::outcalls() {
            builder.symbol(Helper::Out(out).name(), address);
        }
        let module = JITModule::new(builder);
        Ok(Jit {
            context: module.make_context(),
            module,
            frontend: FunctionBuilderContext::new(),
            helpers: FxHashMap::default(),
        })
    }

    /// Makes all functions runnable.
    pub(super) fn finalize(&mut self) -> Result<(), CompileError> {
        Ok(self.module.finalize_definitions()?)
    }

    /// The memory of the finished module.
    pub(super) fn into_memory(self) -> Arc<CodeMemory> {
        Arc::new(CodeMemory(Mutex::new(Some(self.module))))
    }
}

/// Keeps machine code alive.
pub(super) struct CodeMemory(Mutex<Option<JITModule>>);

// SAFETY: after `finalize_definitions` the module is not touched again until it is dropped, when no code of
// it can run any more because everything that points into it holds this memory.
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

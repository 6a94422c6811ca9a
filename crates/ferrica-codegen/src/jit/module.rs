//! A module of machine code: the target, the functions of the runtime that code calls, and the memory that holds the code.

use std::sync::{Arc, Mutex};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use ferrica_ir::elementary::{TABLE, Value};
use ferrica_ir::expr::Builtin;
use ferrica_ir::simplify::power;
use rustc_hash::FxHashMap;

use super::outcall::{self, Outcall};
use super::stored::Function;

pub(super) type CompileError = Box<dyn std::error::Error + Send + Sync>;

/// Row K of the table of elementary functions.
extern "C" fn call_unary<const K: usize>(x: f64) -> f64 {
    match TABLE.get(K).map(|row| row.value) {
        Some(Value::Of(f)) => f(x),
        _ => f64::NAN,
    }
}

extern "C" fn call_binary<const K: usize>(x: f64, y: f64) -> f64 {
    match TABLE.get(K).map(|row| row.value) {
        Some(Value::OfTwo(f)) => f(x, y),
        _ => f64::NAN,
    }
}

extern "C" fn call_power(x: f64, y: f64) -> f64 {
    power(x, y)
}

/// Addresses of the functions of one row: as one of one number and as one of two.
type Addresses = (extern "C" fn(f64) -> f64, extern "C" fn(f64, f64) -> f64);

macro_rules! addresses {
    ($($k:literal)*) => { [$((call_unary::<$k>, call_binary::<$k>),)*] };
}

/// For each row of the table, and some that are free.
const ADDRESSES: [Addresses; 32] = addresses!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
);

const _: () = assert!(TABLE.len() <= ADDRESSES.len());

/// A function of the runtime that code calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Helper {
    /// The elementary function in this row of the table.
    Function(usize),
    Power,
    Out(Outcall),
}

impl Helper {
    /// The elementary function of this name.
    pub(super) fn function(f: Builtin) -> Option<Helper> {
        let row = TABLE.iter().position(|row| row.builtin == f)?;
        Some(Helper::Function(row))
    }

    /// Its number in stored code: rows of the table, then the others.
    pub(super) fn number(self) -> u16 {
        let behind = TABLE.len() as u16;
        match self {
            Helper::Function(k) => k as u16,
            Helper::Power => behind,
            Helper::Out(out) => {
                let place = outcall::outcalls().iter().position(|o| o.0 == out);
                behind + 1 + place.unwrap_or(0) as u16
            }
        }
    }

    /// The function with this number.
    pub(super) fn of(number: u16) -> Option<Helper> {
        match (number as usize).checked_sub(TABLE.len()) {
            None => Some(Helper::Function(number as usize)),
            Some(0) => Some(Helper::Power),
            Some(k) => Some(Helper::Out(outcall::outcalls().get(k - 1)?.0)),
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Helper::Function(k) => TABLE[k].name.to_string(),
            Helper::Power => "power".to_string(),
            Helper::Out(out) => format!("{out:?}"),
        }
    }

    pub(super) fn signature(self, module: &JITModule) -> Signature {
        let mut s = module.make_signature();
        let real = AbiParam::new(types::F64);
        match self {
            Helper::Function(k) => s.params.extend(vec![real; TABLE[k].value.arity()]),
            Helper::Power => s.params.extend([real, real]),
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

/// Declares a function of the runtime, once.
pub(super) fn import(
    module: &mut JITModule,
    helpers: &mut FxHashMap<Helper, FuncId>,
    helper: Helper,
) -> Result<FuncId, CompileError> {
    if let Some(&id) = helpers.get(&helper) {
        return Ok(id);
    }
    let signature = helper.signature(module);
    let id = module.declare_function(&helper.name(), Linkage::Import, &signature)?;
    helpers.insert(helper, id);
    Ok(id)
}

/// The kind of machine that code of a module is for.
pub(super) fn triple(jit: &Jit) -> String {
    jit.module.isa().triple().to_string()
}

/// What its processor can do besides.
pub(super) fn features(jit: &Jit) -> Vec<String> {
    let flags = jit.module.isa().isa_flags();
    let on = flags.iter().filter(|f| f.as_bool() == Some(true));
    on.map(|f| f.name.to_owned()).collect()
}

/// A module under construction.
pub(super) struct Jit {
    pub module: JITModule,
    pub context: Context,
    pub frontend: FunctionBuilderContext,
    pub helpers: FxHashMap<Helper, FuncId>,
    /// Where functions are to be stored: those that were made.
    pub kept: Option<Vec<Function>>,
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
        for (k, row) in TABLE.iter().enumerate() {
            let (one, two) = ADDRESSES[k];
            let address = match row.value {
                Value::Of(_) => one as *const u8,
                Value::OfTwo(_) => two as *const u8,
            };
            builder.symbol(Helper::Function(k).name(), address);
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
            kept: None,
        })
    }

    /// The number of a function of the runtime in this module.
    pub(super) fn import(&mut self, helper: Helper) -> Result<FuncId, CompileError> {
        import(&mut self.module, &mut self.helpers, helper)
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

//! Machine code of function bodies, and of their derivatives in one direction ([`crate::forward`]).
//!
//! A function that has done enough work in the interpreter is compiled together with the functions it calls. Strings, external functions,
//! recursive functions and failures go through [`super::outcall`]s to the interpreter and the runtime. The code returns 0, or 1 when the
//! error text is in the context.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::module::{CodeMemory, CompileError, Jit};
use super::outcall::Context;
use super::queue::submit;
use crate::arrays::Arrays;
use crate::forward::forward;
use crate::function::{Code, FunctionCode, Inst};
use crate::interpreter::Functions;
use crate::kernel::Callee;
use crate::runtime::Runtime;

/// Interpreted instructions, for each instruction of the body, after which compiling pays.
const WORK_BEFORE_COMPILING: u64 = 2000;
/// Larger bodies stay with the interpreter: compiling is superlinear.
const MAX_INSTRUCTIONS: usize = 100_000;
/// Bytes of arrays on the stack of one function.
const MAX_STACK: u32 = 1 << 16;

type NativeFunction = unsafe extern "C" fn(*const f64, *mut f64, *mut Context<'_>) -> i32;

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
    /// Constant numbers that it reads.
    _tables: Vec<Arc<[f64]>>,
}

/// Where a callee is.
#[derive(Clone, Copy)]
pub(super) enum Target {
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
        _tables: order
            .iter()
            .map(|(_, _, code)| code.table.clone())
            .collect(),
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

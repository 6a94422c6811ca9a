//! Machine code of programs.
//!
//! A batch of a few rows is unrolled with its slots as constants; a longer one is a loop over its rows. Operands are loaded
//! from the slots for each row and, but for short functions, never kept across rows, so that register allocation stays linear. Batches are gathered
//! into functions of a few thousand operations, and those are shared out among the background threads. Calls go through the
//! interpreter, which has machine code for functions that work much.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::emit::{Emitter, Place};
use super::module::{CodeMemory, CompileError, Jit};
use super::outcall::Context;
use super::queue::{submit, threads};
use crate::interpreter::Functions;
use crate::model::CompiledModel;
use crate::program::{Kernels, Program, Step, SystemId};
use crate::runtime::Runtime;

/// Runs after which compiling pays where each operation is compiled for one row (measured: about 800 evaluations of the
/// interpreter).
const RUNS_BEFORE_COMPILING: u64 = 400;
/// Interpreted operations, times rows, that the making of any machine code costs.
const FIXED_COST: u64 = 700_000;
/// Operations in one function: one giant function compiles superlinearly.
const CHUNK_OPS: usize = 3000;
/// Up to so many operations in a function, results are kept in registers for later rows.
const KEPT_OPS: usize = 300;
/// Batches up to this length are unrolled.
const UNROLL: u32 = 3;
/// Slot offsets must fit into a displacement.
const MAX_SLOT: u32 = (i32::MAX / 8) as u32;

/// Slots, rows, context of calls. Not 0: the error is in the context.
pub(super) type Chunk = unsafe extern "C" fn(*mut f64, *const u32, *mut Context<'_>) -> i32;

/// One step of compiled code.
#[derive(Clone, Copy, Debug)]
pub enum NativeStep {
    Code(usize),
    Solve(SystemId),
}

/// Machine code of a program.
pub struct NativeCode {
    pub steps: Vec<NativeStep>,
    functions: Vec<Chunk>,
    /// Slots and row numbers that the code touches.
    slots: usize,
    rows: usize,
    /// One chunk is the whole program.
    whole: bool,
    /// Keeps the code alive.
    _memory: Vec<Arc<CodeMemory>>,
}

impl std::fmt::Debug for NativeCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NativeCode({} functions)", self.functions.len())
    }
}

impl NativeCode {
    /// Runs chunk number `k` on the slots.
    #[inline]
    pub fn run(
        &self,
        k: usize,
        slots: &mut [f64],
        rows: &[u32],
        functions: &Functions,
        rt: &mut Runtime,
    ) -> Result<(), String> {
        assert!(slots.len() >= self.slots && rows.len() >= self.rows);
        // SAFETY: the code reads and writes slots whose numbers are in the rows it was made from, all below
        // `self.slots`, and reads `self.rows` numbers of rows; rows that differ from those it was made from
        // are only ever passed by mistake of this crate: `Evaluator` passes the rows of the same program.
        // The context is passed on to the outcalls of `function.rs` only.
        Context::run(functions, rt, |context| unsafe {
            (self.functions[k])(slots.as_mut_ptr(), rows.as_ptr(), context)
        })
    }

    /// Runs the only chunk, if the program is nothing else.
    #[inline]
    pub fn run_whole(
        &self,
        slots: &mut [f64],
        rows: &[u32],
        functions: &Functions,
        rt: &mut Runtime,
    ) -> Option<Result<(), String>> {
        self.whole.then(|| self.run(0, slots, rows, functions, rt))
    }
}

/// What is compiled, and in which order it runs: the batches (steps of the program) of each chunk.
pub(super) struct Plan {
    steps: Vec<NativeStep>,
    pub chunks: Vec<Vec<usize>>,
}

/// Operations that the code of a step has.
pub(super) fn operations(kernels: &Kernels, step: Step) -> usize {
    match step {
        Step::Batch { kernel, count, .. } => {
            let times = if count <= UNROLL { count as usize } else { 1 };
            kernels.kernels[kernel].ops.len() * times
        }
        Step::Solve(_) => 0,
    }
}

pub(super) fn plan(kernels: &Kernels, program: &Program) -> Plan {
    let mut plan = Plan {
        steps: Vec::new(),
        chunks: Vec::new(),
    };
    let mut open: Vec<usize> = Vec::new();
    let mut ops = 0;
    let close = |plan: &mut Plan, open: &mut Vec<usize>| {
        if !open.is_empty() {
            plan.steps.push(NativeStep::Code(plan.chunks.len()));
            plan.chunks.push(std::mem::take(open));
        }
    };
    for (k, step) in program.steps.iter().enumerate() {
        match *step {
            Step::Solve(s) => {
                close(&mut plan, &mut open);
                plan.steps.push(NativeStep::Solve(s));
                ops = 0;
            }
            Step::Batch { .. } => {
                let size = operations(kernels, *step);
                if ops > 0 && ops + size > CHUNK_OPS {
                    close(&mut plan, &mut open);
                    ops = 0;
                }
                open.push(k);
                ops += size;
            }
        }
    }
    close(&mut plan, &mut open);
    plan
}

/// Chunks of one module.
pub(super) struct Group {
    pub functions: Vec<Chunk>,
    pub memory: Arc<CodeMemory>,
}

fn compile_group(
    kernels: &Kernels,
    program: &Program,
    chunks: &[Vec<usize>],
) -> Result<Group, CompileError> {
    let mut jit = Jit::new()?;
    let ids = define(&mut jit, kernels, program, chunks)?;
    jit.finalize()?;
    Ok(Group {
        functions: finished(&jit, &ids),
        memory: jit.into_memory(),
    })
}

/// Makes functions of chunks.
pub(super) fn define(
    jit: &mut Jit,
    kernels: &Kernels,
    program: &Program,
    chunks: &[Vec<usize>],
) -> Result<Vec<FuncId>, CompileError> {
    let mut ids = Vec::with_capacity(chunks.len());
    for (k, chunk) in chunks.iter().enumerate() {
        let ops: usize = (chunk.iter())
            .map(|&step| operations(kernels, program.steps[step]))
            .sum();
        let id = jit.chunk(&format!("chunk{k}"), |f, slots, rows| {
            f.results = (ops <= KEPT_OPS).then(FxHashMap::default);
            for &step in chunk {
                batch(f, kernels, program, program.steps[step], slots, rows)?;
            }
            Ok(())
        })?;
        ids.push(id);
    }
    Ok(ids)
}

/// Chunks of a finalized module.
pub(super) fn finished(jit: &Jit, ids: &[FuncId]) -> Vec<Chunk> {
    let address = |&id: &FuncId| {
        let address = jit.module.get_finalized_function(id);
        // SAFETY: the function was declared with this signature and is finalized.
        unsafe { std::mem::transmute::<*const u8, Chunk>(address) }
    };
    ids.iter().map(address).collect()
}

fn batch(
    f: &mut Emitter<'_>,
    kernels: &Kernels,
    program: &Program,
    step: Step,
    slots: cranelift_codegen::ir::Value,
    rows: cranelift_codegen::ir::Value,
) -> Result<(), CompileError> {
    let Step::Batch {
        kernel,
        first,
        count,
    } = step
    else {
        return Ok(());
    };
    let kernel = &kernels.kernels[kernel];
    if count > UNROLL {
        return f.looped(kernel, slots, rows, first, count);
    }
    let all = &program.rows[first as usize..];
    for row in all
        .chunks_exact(kernel.stride().max(1))
        .take(count as usize)
    {
        f.row(kernel, &Place::Fixed(row), slots)?;
    }
    Ok(())
}

/// Puts the parts together, in order.
pub(super) fn install(program: &Program, plan: &Plan, groups: Vec<Group>) {
    let mut functions = Vec::new();
    let mut memory = Vec::new();
    for group in groups {
        functions.extend(group.functions);
        memory.push(group.memory);
    }
    let _ = program.native.code.set(NativeCode {
        whole: matches!(plan.steps[..], [NativeStep::Code(0)]),
        steps: plan.steps.clone(),
        functions,
        slots: program.rows.iter().max().map_or(0, |&m| m as usize + 1),
        rows: program.rows.len(),
        _memory: memory,
    });
}

/// Runs after which compiling this program pays: early where long batches share the code of a few kernels.
pub fn runs_before_compiling(kernels: &Kernels, program: &Program) -> u32 {
    let (mut compiled, mut run) = (0u64, 1u64);
    for step in &program.steps {
        if let Step::Batch { kernel, count, .. } = *step {
            let ops = kernels.kernels[kernel].ops.len() as u64;
            run += ops * u64::from(count);
            compiled += ops * if count <= UNROLL { u64::from(count) } else { 1 };
        }
    }
    let runs = (RUNS_BEFORE_COMPILING * compiled / run).max(FIXED_COST / run);
    runs.clamp(2, RUNS_BEFORE_COMPILING) as u32
}

pub(super) fn can_compile(slots: usize, program: &Program) -> bool {
    program.native.code.get().is_none() && slots as u64 <= u64::from(MAX_SLOT)
}

/// Compiles now. A program that cannot be compiled stays with the interpreter.
pub fn compile_into(kernels: &Kernels, slots: usize, program: &Program) {
    if !can_compile(slots, program) {
        return;
    }
    let plan = plan(kernels, program);
    if let Ok(group) = compile_group(kernels, program, &plan.chunks) {
        install(program, &plan, vec![group]);
    }
}

/// Asks for a program to be compiled in the background. Its chunks are shared out among the threads; it runs as
/// machine code when the last of them is ready.
pub fn request(model: &Arc<CompiledModel>, program: &Program) {
    if !can_compile(model.slot_count(), program) {
        return;
    }
    let model = model.clone();
    let program = program.clone();
    submit(move || {
        let plan = plan(&model.kernels, &program);
        let parts = threads().min(plan.chunks.len()).max(1);
        let per_part = plan.chunks.len().div_ceil(parts).max(1);
        let parts = plan.chunks.len().div_ceil(per_part).max(1);
        let shared = Arc::new(Shared {
            done: Mutex::new((0..parts).map(|_| None).collect()),
            left: AtomicUsize::new(parts),
            plan,
            model,
            program,
        });
        for part in 1..parts {
            let shared = shared.clone();
            submit(move || shared.compile(part, per_part));
        }
        shared.compile(0, per_part);
    });
}

/// A program whose parts are compiled by several threads.
struct Shared {
    done: Mutex<Vec<Option<Group>>>,
    left: AtomicUsize,
    plan: Plan,
    model: Arc<CompiledModel>,
    program: Program,
}

impl Shared {
    fn compile(&self, part: usize, per_part: usize) {
        let chunks = &self.plan.chunks[part * per_part..];
        let chunks = &chunks[..per_part.min(chunks.len())];
        let group = compile_group(&self.model.kernels, &self.program, chunks).ok();
        let Ok(mut done) = self.done.lock() else {
            return;
        };
        done[part] = group;
        if self.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        // The last one: all parts are there, or one of them failed and the interpreter goes on.
        let groups: Option<Vec<Group>> = done.drain(..).collect();
        if let Some(groups) = groups {
            install(&self.program, &self.plan, groups);
        }
    }
}

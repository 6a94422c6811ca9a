//! Machine code as data: made where a model is stored, run where it is loaded.
//!
//! In: the programs of a compiled model. Out: for each of them the bytes of its functions, and the places in them where the addresses of functions of the runtime belong. A
//! program finds its code by what the code was made from, its operations and rows: code of another model, or of the same one compiled in another way, is
//! never taken. The code runs on processors that have all features it was made for; anywhere else the interpreter begins, as it does without stored code.

use std::hash::Hash;

use cranelift_codegen::Context;
use cranelift_codegen::FinalizedRelocTarget;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::ExternalName;
use cranelift_module::{FuncId, Linkage, Module, ModuleReloc, ModuleRelocTarget};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::module::{CompileError, Helper, Jit, features, triple};
use super::program::{Group, can_compile, define, finished, install, operations, plan};
use crate::digest::Digest;
use crate::model::CompiledModel;
use crate::program::{Kernels, Program, Step};

/// Of the code itself: slots, rows and context are its arguments, and the functions of the runtime have their numbers. What changes that gets another number.
const INTERFACE: u32 = 1;
/// Operations for which code is stored, most frequent programs first: about a second of compiling.
const MOST_OPERATIONS: usize = 300_000;

/// A place for the address of a function of the runtime.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Gap {
    at: u32,
    helper: u16,
    addend: i64,
}

/// A function, wherever it is loaded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Function {
    bytes: Vec<u8>,
    alignment: u32,
    gaps: Vec<Gap>,
}

impl Function {
    /// The function that has just been compiled. Nothing where it needs more than functions of the runtime.
    pub(super) fn of(context: &Context, helpers: &FxHashMap<Helper, FuncId>) -> Option<Function> {
        let code = context.compiled_code()?;
        let gap = |r: &cranelift_codegen::FinalizedMachReloc| {
            let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = r.target else {
                return None;
            };
            let name = &context.func.params.user_named_funcs()[name];
            let (helper, _) = helpers.iter().find(|(_, id)| id.as_u32() == name.index)?;
            (r.kind == Reloc::Abs8).then_some(Gap {
                at: r.offset,
                helper: helper.number(),
                addend: r.addend,
            })
        };
        Some(Function {
            bytes: code.code_buffer().to_vec(),
            alignment: code.buffer.alignment,
            gaps: code
                .buffer
                .relocs()
                .iter()
                .map(gap)
                .collect::<Option<_>>()?,
        })
    }
}

/// See the module comment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredCode {
    interface: u32,
    triple: String,
    features: Vec<String>,
    programs: Vec<(u128, Vec<Function>)>,
    operations: usize,
}

impl StoredCode {
    /// None yet, for this machine. `None` where there is no machine code to be had.
    pub fn for_this_machine() -> Option<StoredCode> {
        let jit = Jit::new().ok()?;
        Some(StoredCode {
            interface: INTERFACE,
            triple: triple(&jit),
            features: features(&jit),
            programs: Vec::new(),
            operations: 0,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Makes the code of what runs again and again.
    pub fn add(&mut self, model: &CompiledModel) {
        for program in model.repeated_programs() {
            let steps = program.steps.iter();
            let operations: usize = steps.map(|&s| operations(&model.kernels, s)).sum();
            let key = key(&model.kernels, program);
            let known = self.programs.iter().any(|p| p.0 == key);
            if known || operations == 0 || self.operations + operations > MOST_OPERATIONS {
                continue;
            }
            // What cannot be compiled or not be stored stays with the interpreter.
            if let Some(functions) = compile(&model.kernels, model.slot_count(), program) {
                self.programs.push((key, functions));
                self.operations += operations;
            }
        }
    }

    /// Can this processor run it?
    fn fits(&self, jit: &Jit) -> bool {
        let here = features(jit);
        self.interface == INTERFACE
            && self.triple == triple(jit)
            && self.features.iter().all(|f| here.contains(f))
    }

    /// Gives a model the code that is stored for its programs: how many have some now. An error says why there is none.
    pub fn install(&self, model: &CompiledModel) -> Result<usize, String> {
        self.load(model).map_err(|e| e.to_string())
    }

    fn load(&self, model: &CompiledModel) -> Result<usize, CompileError> {
        let mut jit = Jit::new()?;
        if !self.fits(&jit) {
            return Err("it was made for another machine".into());
        }
        let stored: FxHashMap<u128, &Vec<Function>> =
            self.programs.iter().map(|(k, f)| (*k, f)).collect();
        let mut found = Vec::new();
        let mut count = 0;
        for program in model.repeated_programs() {
            if !can_compile(model.slot_count(), program) {
                continue;
            }
            let Some(functions) = stored.get(&key(&model.kernels, program)) else {
                continue;
            };
            let plan = plan(&model.kernels, program);
            if plan.chunks.len() != functions.len() {
                return Err("it has another number of functions".into());
            }
            let mut ids = Vec::with_capacity(functions.len());
            for function in *functions {
                ids.push(jit.stored(function, count)?);
                count += 1;
            }
            found.push((program, plan, ids));
        }
        jit.finalize()?;
        let parts: Vec<_> = found
            .into_iter()
            .map(|(program, plan, ids)| (program, plan, finished(&jit, &ids)))
            .collect();
        let memory = jit.into_memory();
        let programs = parts.len();
        for (program, plan, functions) in parts {
            let memory = memory.clone();
            install(program, &plan, vec![Group { functions, memory }]);
        }
        Ok(programs)
    }
}

impl Jit {
    /// A function that was compiled before.
    fn stored(&mut self, function: &Function, number: usize) -> Result<FuncId, CompileError> {
        let signature = self.chunk_signature();
        let name = format!("stored{number}");
        let id = (self.module).declare_function(&name, Linkage::Local, &signature)?;
        let mut places = Vec::with_capacity(function.gaps.len());
        for gap in &function.gaps {
            let fits = gap.at as usize + size_of::<u64>() <= function.bytes.len();
            let helper = Helper::of(gap.helper).filter(|_| fits);
            let helper = helper.ok_or("it names a function that there is not")?;
            let target = self.import(helper)?;
            places.push(ModuleReloc {
                offset: gap.at,
                kind: Reloc::Abs8,
                name: ModuleRelocTarget::user(0, target.as_u32()),
                addend: gap.addend,
            });
        }
        let alignment = u64::from(function.alignment);
        (self.module).define_function_bytes(id, alignment, &function.bytes, &places)?;
        Ok(id)
    }
}

fn compile(kernels: &Kernels, slots: usize, program: &Program) -> Option<Vec<Function>> {
    if !can_compile(slots, program) {
        return None;
    }
    let mut jit = Jit::new().ok()?;
    jit.kept = Some(Vec::new());
    define(&mut jit, kernels, program, &plan(kernels, program).chunks).ok()?;
    jit.kept
}

/// What the code of a program depends on.
fn key(kernels: &Kernels, program: &Program) -> u128 {
    let mut digest = Digest::default();
    for step in &program.steps {
        match *step {
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let kernel = &kernels.kernels[kernel];
                (&kernel.ops, &kernel.calls, kernel.loads, &kernel.results).hash(&mut digest);
                (first, count).hash(&mut digest);
            }
            Step::Solve(_) => u32::MAX.hash(&mut digest),
        }
    }
    program.rows.hash(&mut digest);
    digest.value()
}

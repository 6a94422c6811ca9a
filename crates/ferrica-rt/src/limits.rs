//! Limited exponentials where a step is not straight-line code: see [`ferrica_codegen::limiting`].
//!
//! In: the rows of residuals and of partial derivatives. Out: rows that take the place of those with exponentials of unknowns, run after them: residuals
//! with tangents, whose places they move; partial derivatives with the slopes.

use std::collections::HashMap;

use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::jit::{NativeStep, compile_into};
use ferrica_codegen::kernel::{Kernel, KernelBuilder, KernelId, Op, Reg};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::limiting::{Limit, Limited, critical, exponentials, replay};
use ferrica_codegen::program::{Kernels, Program, Step};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;

use crate::tangent::{loads_of, rows};

/// See the module comment.
#[derive(Default)]
pub struct Limits {
    kernels: Kernels,
    residuals: Program,
    partials: Program,
    vm: Vm,
}

/// The value of a slot that stays as it is.
pub fn constant(model: &CompiledModel, slots: &[f64], slot: Slot) -> Option<f64> {
    let kind = model.variable(slot).map(|v| model.source.vars[v].kind);
    let fixed = matches!(kind, None | Some(Kind::Parameter)) && slot > Layout::HOMOTOPY;
    fixed.then(|| slots[slot as usize])
}

/// Does the argument of exponential `number` depend on unknowns?
pub fn moves(code: &Kernel, row: &[Slot], number: usize, is_unknown: &[bool]) -> bool {
    match code.ops[number] {
        Op::Unary(_, argument) => {
            let read = loads_of(code, argument);
            read.iter().any(|&k| is_unknown[row[k as usize] as usize])
        }
        _ => false,
    }
}

impl Limits {
    /// Of some residuals and their partial derivatives. Places of tangents stand behind all slots, which grow.
    pub fn new(
        ev: &mut Evaluator,
        is_unknown: &[bool],
        residuals: &Program,
        partials: &Program,
    ) -> Limits {
        let model = ev.model.clone();
        let mut out = Limits::default();
        // Partial derivatives of a row have its operands.
        let mut partials_of: HashMap<&[Slot], Vec<(KernelId, &[Slot])>> = HashMap::new();
        for (kernel, row) in rows(&model.kernels, partials) {
            let loads = model.kernels.kernels[kernel].loads as usize;
            partials_of
                .entry(&row[..loads])
                .or_default()
                .push((kernel, row));
        }
        for (kernel, row) in rows(&model.kernels, residuals) {
            let code = &model.kernels.kernels[kernel];
            if exponentials(code) == 0 {
                continue;
            }
            let first = ev.slots.len() as Slot;
            let slots = &ev.slots;
            let crit =
                |number| critical(code, number, |k| constant(&model, slots, row[k as usize]));
            let loads = code.loads as usize;
            let tangents = |b: &mut KernelBuilder, limit: fn(f64) -> Limit| {
                let mut limited = Limited::default();
                let operands: Vec<Reg> = row[..loads].iter().map(|&s| b.slot(s)).collect();
                let regs = replay(b, code, &operands, |b, u, number| {
                    let limit = limit(crit(number));
                    moves(code, row, number, is_unknown).then(|| limited.value(b, u, first, limit))
                });
                (limited, regs)
            };
            let mut b = KernelBuilder::default();
            let (limited, regs) = tangents(&mut b, |crit| Limit::Moves { crit });
            let count = limited.all.len();
            if count == 0 {
                continue;
            }
            let mut results: Vec<(Slot, Reg)> = (row[loads..].iter().zip(&code.results))
                .map(|(&slot, &r)| (slot, regs[r as usize]))
                .collect();
            results.extend(limited.all.iter().map(|&(slot, now, _)| (slot, now)));
            push(&mut out.kernels, &mut out.residuals, b, &results);
            let mut b = KernelBuilder::default();
            let (limited, _) = tangents(&mut b, |crit| Limit::Stays { crit });
            let mut results = Vec::new();
            for &(kernel, row) in partials_of.get(&row[..loads]).into_iter().flatten() {
                let code = &model.kernels.kernels[kernel];
                let operands: Vec<Reg> = row[..loads].iter().map(|&s| b.slot(s)).collect();
                let regs = replay(&mut b, code, &operands, |_, u, _| limited.slope(u));
                let named = row[loads..].iter().zip(&code.results);
                results.extend(named.map(|(&slot, &r)| (slot, regs[r as usize])));
            }
            push(&mut out.kernels, &mut out.partials, b, &results);
            ev.slots.resize(first as usize + count, 0.0);
        }
        for program in [&out.residuals, &out.partials] {
            compile_into(&out.kernels, ev.slots.len(), program);
        }
        out
    }

    pub fn is_empty(&self) -> bool {
        self.residuals.is_empty()
    }

    /// After the residuals: those with exponentials.
    pub fn residuals(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        let functions = &ev.model.clone().functions;
        run(functions, &mut self.vm, &self.kernels, &self.residuals, ev)
    }

    /// After the partial derivatives: those with exponentials.
    pub fn partials(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        let functions = &ev.model.clone().functions;
        run(functions, &mut self.vm, &self.kernels, &self.partials, ev)
    }
}

/// The kernel in the making becomes a row of the program.
fn push(
    kernels: &mut Kernels,
    program: &mut Program,
    mut b: KernelBuilder,
    results: &[(Slot, Reg)],
) {
    let regs: Vec<Reg> = results.iter().map(|r| r.1).collect();
    let (mut kernel, mut row) = b.finish(&regs);
    ferrica_codegen::partials::prune(&mut kernel);
    row.extend(results.iter().map(|r| r.0));
    program.push_row(kernels.intern(kernel), &row, false);
}

/// Runs a program of kernels that are not the model's.
pub fn run(
    functions: &Functions,
    vm: &mut Vm,
    kernels: &Kernels,
    program: &Program,
    ev: &mut Evaluator,
) -> Result<(), Failure> {
    if let Some(code) = program.native.code.get() {
        for step in &code.steps {
            if let NativeStep::Code(k) = *step {
                code.run(k, &mut ev.slots, &program.rows, functions, &mut ev.rt)
                    .map_err(Failure::new)?;
            }
        }
        return Ok(());
    }
    for step in &program.steps {
        let Step::Batch {
            kernel,
            first,
            count,
        } = *step
        else {
            continue;
        };
        let kernel = &kernels.kernels[kernel];
        let rows = &program.rows[first as usize..];
        let count = count as usize;
        vm.batch(functions, &mut ev.rt, kernel, rows, count, &mut ev.slots)
            .map_err(Failure::new)?;
    }
    Ok(())
}

//! Programs of the model as the code needs them: over its kernels, of what a parameter changes, and what iterations begin with.

use std::collections::HashSet;

use ferrica_codegen::program::{Kernels, Program, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;

/// Start values with the present parameters.
pub(super) fn start_values(ev: &Evaluator) -> Vec<f64> {
    let model = ev.model.clone();
    let mut begun = Evaluator::new(model.clone());
    for (slot, value) in ev.slots.iter().enumerate().take(begun.slots.len()) {
        let var = model.variable(slot as Slot);
        let kind = var.map(|v| model.source.vars[v].kind);
        if matches!(kind, Some(Kind::Parameter | Kind::External)) {
            begun.slots[slot] = *value;
        }
    }
    // A start value that cannot be computed stays what is known without it.
    let _ = begun.run(&model.start_program);
    begun.slots
}

/// The same program over other kernels.
pub(super) fn moved(program: &Program, from: &Kernels, to: &mut Kernels) -> Program {
    let mut out = Program::default();
    for step in &program.steps {
        match *step {
            Step::Solve(s) => out.steps.push(Step::Solve(s)),
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let code = &from.kernels[kernel];
                let id = to.intern(code.clone());
                let stride = code.stride();
                let rows = program.rows[first as usize..].chunks_exact(stride.max(1));
                for (k, row) in rows.take(count as usize).enumerate() {
                    out.push_row(id, row, k > 0);
                }
            }
        }
    }
    out
}

/// The part of the program of parameters that depends on these.
pub(super) fn reached(model: &CompiledModel, changed: impl Iterator<Item = Slot>) -> Program {
    let program = &model.parameter_program;
    let mut changed: HashSet<Slot> = changed.collect();
    let mut out = Program::default();
    for step in &program.steps {
        match *step {
            Step::Solve(s) => {
                let system = &model.systems[s];
                if system.reads.iter().any(|r| changed.contains(r)) {
                    changed.extend(&system.writes);
                    out.steps.push(Step::Solve(s));
                }
            }
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let code = &model.kernels.kernels[kernel];
                let stride = code.stride().max(1);
                let rows = program.rows[first as usize..].chunks_exact(stride);
                for row in rows.take(count as usize) {
                    let (reads, writes) = row.split_at(code.loads as usize);
                    if reads.iter().any(|r| changed.contains(r)) {
                        changed.extend(writes);
                        out.push_row(kernel, row, false);
                    }
                }
            }
        }
    }
    out
}

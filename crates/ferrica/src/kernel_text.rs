//! The compiled model as text: programs as lists of kernels over variables, then the kernels.

use std::fmt::Write;

use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::{CompiledModel, Slot};

/// Rows of a batch that are shown; a family may have thousands of the same shape.
const MAX_ROWS: usize = 8;

pub fn kernels(model: &CompiledModel) -> String {
    let mut out = format!(
        "model {}: {} kernels, {} systems\n",
        model.source.name,
        model.kernels.kernels.len(),
        model.systems.len()
    );
    for (name, program) in [
        ("parameters", &model.parameter_program),
        ("start values", &model.start_program),
        ("initial system", &model.initial_program),
        ("derivatives", &model.rhs_program),
        ("all variables", &model.continuous_program),
        ("event", &model.event_program),
        ("zero crossings", &model.zero_program),
    ] {
        print_program(&mut out, model, name, program);
    }
    for (id, system) in &model.systems {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{id} solves for {}", names(model, &system.unknowns));
        for &equation in &system.equations {
            let _ = writeln!(out, "  {}", model.equation_text(equation));
        }
    }
    for (id, kernel) in &model.kernels.kernels {
        let _ = write!(out, "\n{id}:\n{kernel}");
    }
    out
}

fn print_program(out: &mut String, model: &CompiledModel, name: &str, program: &Program) {
    if program.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "\nprogram: {name}");
    for step in &program.steps {
        match *step {
            Step::Solve(system) => {
                let _ = writeln!(out, "  solve {system}");
            }
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let shape = &model.kernels.kernels[kernel];
                let (stride, loads) = (shape.stride(), shape.loads as usize);
                let count = count as usize;
                for row in 0..count.min(MAX_ROWS) {
                    let start = first as usize + row * stride;
                    let slots = &program.rows[start..start + stride];
                    let (operands, results) = slots.split_at(loads);
                    let _ = writeln!(
                        out,
                        "  {} := {kernel}({})",
                        names(model, results),
                        names(model, operands)
                    );
                }
                if count > MAX_ROWS {
                    let _ = writeln!(out, "  … {} more rows of {kernel}", count - MAX_ROWS);
                }
            }
        }
    }
}

/// Names of variables; `#slot` for auxiliaries, with the value that a literal has.
fn names(model: &CompiledModel, slots: &[Slot]) -> String {
    let list: Vec<String> = slots
        .iter()
        .map(|&slot| match model.variable(slot) {
            Some(_) => model.var_name(slot).to_owned(),
            None => match model.layout.initial.get(slot as usize) {
                Some(value) if *value != 0.0 => format!("{value}"),
                _ => format!("#{slot}"),
            },
        })
        .collect();
    list.join(", ")
}

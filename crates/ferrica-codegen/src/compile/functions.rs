//! Functions of the model: bytecode, and bridges to C code of users where that is allowed.

use ferrica_ir::Span;
use ferrica_ir::causal::CausalModel;
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{Expr, Ty};
use ferrica_ir::function::{Function, FunctionBody};

use super::CompileOptions;
use crate::foreign::{self, Foreign};
use crate::function::{Code, FunctionCode, compile_function};
use crate::interpreter::Functions;
use crate::lower::nodes_with;
use crate::memo::remembered;
use crate::natives::Natives;
use crate::sink::total_functions;

pub(super) fn compile_functions(
    model: &CausalModel,
    options: &CompileOptions,
) -> Result<Functions, Vec<Diagnostic>> {
    // What a branch that is not taken must not compute: it may fail.
    let lazy = nodes_with(&model.exprs, |e| {
        matches!(e, Expr::Call(..) | Expr::Load(..))
    });
    let total = total_functions(model);
    let mut codes: Vec<FunctionCode> = model
        .functions
        .values()
        .map(|f| {
            // A function that nothing calls may be beyond us: the reason is told when it is called.
            compile_function(model, f, &lazy, &total).unwrap_or_else(|e| FunctionCode {
                name: f.name.clone(),
                inputs: f.inputs,
                outputs: f.outputs,
                frame: f.slots.len() as u32,
                code: Code::Missing(e.message),
                table: Default::default(),
                derivatives: Vec::new(),
                input_names: Vec::new(),
                real_inputs: vec![false; f.inputs as usize],
                is_remembered: false,
            })
        })
        .collect();
    let plain: Vec<bool> = model.functions.values().map(has_plain_numbers).collect();
    for (f, is_remembered) in remembered(&codes, &plain).into_iter().enumerate() {
        codes[f].is_remembered = is_remembered;
    }
    let mut natives = options.natives.clone();
    if natives.may_change_system {
        bridge_functions(model, &mut codes, &mut natives)?;
    }
    Ok(Functions::new(codes, natives))
}

/// Are its results the same for the same numbers, and numbers themselves?
fn has_plain_numbers(f: &Function) -> bool {
    let mut slots = f.slots.iter().take((f.inputs + f.outputs) as usize);
    f.pure && slots.all(|s| matches!(s.ty, Ty::Real | Ty::Integer | Ty::Boolean | Ty::Enum(_)))
}

/// External C functions that no native serves, by the system's C compiler. Each gets a native of its own name, because the sizes of
/// its arguments are part of it.
fn bridge_functions(
    model: &CausalModel,
    codes: &mut [FunctionCode],
    natives: &mut Natives,
) -> Result<(), Vec<Diagnostic>> {
    let mut foreign = Vec::new();
    for (number, (f, code)) in model.functions.values().zip(codes.iter()).enumerate() {
        if let (FunctionBody::External(external), Code::External(_, call)) = (&f.body, &code.code)
            && !natives.contains(&call.name)
        {
            foreign.push(Foreign {
                number,
                external,
                call,
            });
        }
    }
    if foreign.is_empty() {
        return Ok(());
    }
    let span = model
        .functions
        .values()
        .nth(foreign[0].number)
        .map_or(Span::NONE, |f| f.span);
    let (made, user_tables) =
        foreign::load(&foreign).map_err(|e| vec![Diagnostic::error("E0608", span, e)])?;
    natives.user_tables = user_tables;
    let numbers: Vec<usize> = foreign.iter().map(|f| f.number).collect();
    for (number, native) in numbers.into_iter().zip(made) {
        if let Code::External(_, call) = &mut codes[number].code {
            call.name = format!("{}#{number}", call.name);
            natives.insert(&call.name, native);
        }
    }
    Ok(())
}

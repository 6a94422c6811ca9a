//! Functions of the model: bytecode, and bridges to C code of users where that is allowed.

use ferrica_ir::Span;
use ferrica_ir::causal::CausalModel;
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::Expr;
use ferrica_ir::function::FunctionBody;

use super::CompileOptions;
use crate::foreign::{self, Foreign};
use crate::function::{Code, FunctionCode, compile_function};
use crate::interpreter::Functions;
use crate::lower::nodes_with;
use crate::natives::Natives;

pub(super) fn compile_functions(
    model: &CausalModel,
    options: &CompileOptions,
) -> Result<Functions, Vec<Diagnostic>> {
    // What a branch that is not taken must not compute: it may fail.
    let lazy = nodes_with(&model.exprs, |e| {
        matches!(e, Expr::Call(..) | Expr::Load(..))
    });
    let mut codes: Vec<FunctionCode> = model
        .functions
        .values()
        .map(|f| {
            // A function that nothing calls may be beyond us: the reason is told when it is called.
            compile_function(model, f, &lazy).unwrap_or_else(|e| FunctionCode {
                name: f.name.clone(),
                inputs: f.inputs,
                outputs: f.outputs,
                frame: f.slots.len() as u32,
                code: Code::Missing(e.message),
                table: Default::default(),
                derivatives: Vec::new(),
                input_names: Vec::new(),
                real_inputs: vec![false; f.inputs as usize],
            })
        })
        .collect();
    let mut natives = options.natives.clone();
    if natives.may_change_system {
        bridge_functions(model, &mut codes, &mut natives)?;
    }
    Ok(Functions::new(codes, natives))
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

//! Function bodies: control flow, arrays, guards, derivatives, natives.

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Form, compile};
use ferrica_ir::Symbol;
use ferrica_ir::causal::*;
use ferrica_ir::expr::*;
use ferrica_ir::flat::{Variability, Variable};
use ferrica_ir::function::*;

fn variable(m: &mut CausalModel, name: &str, kind: Kind, start: f64) -> VarId {
    let mut var = Variable::new(name, Ty::Real, Variability::Continuous);
    var.start = Some(m.exprs.real(start));
    m.vars.push(CausalVar {
        var,
        kind,
        partner: None,
    })
}

/// A state x with der(x) = f(x), so that ∂f/∂x is the Jacobian.
fn model_of(mut m: CausalModel, f: FunctionId, guard_negative: bool) -> Arc<CompiledModel> {
    let x = variable(&mut m, "x", Kind::State, 2.0);
    let d = variable(&mut m, "der(x)", Kind::Derivative, 0.0);
    m.states.push(x);
    m.derivatives.push(d);
    let ex = m.exprs.var(x, Ty::Real);
    let mut value = m.exprs.call(f, &[ex], Ty::Real);
    if guard_negative {
        let zero = m.exprs.real(0.0);
        let positive = m.exprs.binary(BinaryOp::Gt, ex, zero);
        value = m.exprs.if_then_else(positive, value, zero);
    }
    let lhs = m.exprs.var(d, Ty::Real);
    m.equations.push(DaeEquation {
        lhs,
        rhs: value,
        span: ferrica_ir::Span::NONE,
        component: 0,
        unknown: d,
        continuous: true,
    });
    m.blocks.push(Block::Assign(Assign {
        var: d,
        expr: value,
        equation: 0,
    }));
    m.continuous.push(true);
    let options = CompileOptions {
        form: Form::Ode,
        ..CompileOptions::default()
    };
    Arc::new(compile(m, &options).expect("compiles"))
}

fn slots(names: &[&str]) -> Vec<Slot> {
    names
        .iter()
        .map(|n| Slot {
            name: n.to_string(),
            ty: Ty::Real,
        })
        .collect()
}

fn function(name: &str, slots: Vec<Slot>, body: FunctionBody) -> Function {
    Function {
        name: name.to_string(),
        slots,
        inputs: 1,
        outputs: 1,
        body,
        pure: true,
        derivatives: vec![],
        span: ferrica_ir::Span::NONE,
    }
}

fn evaluate(model: &Arc<CompiledModel>, x: f64) -> Result<(f64, f64), String> {
    let mut ev = Evaluator::new(model.clone());
    ev.set_states(&[x]);
    let program = model.rhs_program.clone();
    ev.run(&program).map_err(|e| e.to_string())?;
    let value = ev.derivatives()[0];
    let mut jacobian = [0.0];
    ev.ode_jacobian(&mut jacobian).map_err(|e| e.to_string())?;
    Ok((value, jacobian[0]))
}

/// Horner's rule in a loop over a table: 1 + 2x + 3x² + 4x³; its derivative is 2 + 6x + 12x².
#[test]
fn loops_and_arrays_with_exact_derivatives() {
    let mut m = CausalModel::default();
    // Slots: x, y, i, a[4] (first slot 3).
    let a = &mut m.exprs;
    let x = a.intern(Expr::Local(0), Ty::Real);
    let y = a.intern(Expr::Local(1), Ty::Real);
    let i = a.intern(Expr::Local(2), Ty::Integer);
    let (three, minus_one, zero) = (a.int(3), a.int(-1), a.int(0));
    let mut body = Vec::new();
    for k in 0..4 {
        let index = a.int(k);
        let value = a.real(f64::from(k as i32 + 1));
        body.push(Stmt::Store(3, 4, index, value));
    }
    body.push(Stmt::Assign(2, three));
    let more = a.binary(BinaryOp::Ge, i, zero);
    let element = a.intern(Expr::Load(3, 4, i), Ty::Real);
    let xy = a.mul(x, y);
    let next = a.add(xy, element);
    let down = a.add(i, minus_one);
    body.push(Stmt::While(
        more,
        vec![Stmt::Assign(1, next), Stmt::Assign(2, down)],
    ));
    let mut names = slots(&["x", "y", "i", "a1", "a2", "a3", "a4"]);
    names[2].ty = Ty::Integer;
    let f = m
        .functions
        .push(function("poly", names, FunctionBody::Code(body)));
    let model = model_of(m, f, false);
    let (value, slope) = evaluate(&model, 2.0).unwrap();
    assert_eq!(value, 1.0 + 4.0 + 12.0 + 32.0);
    assert_eq!(slope, 2.0 + 12.0 + 48.0);
}

/// A failed assertion stops the evaluation with its arguments; behind a condition it is not reached.
#[test]
fn calls_are_made_only_where_they_are_asked_for() {
    let build = |guarded: bool| {
        let mut m = CausalModel::default();
        let a = &mut m.exprs;
        let x = a.intern(Expr::Local(0), Ty::Real);
        let zero = a.real(0.0);
        let positive = a.binary(BinaryOp::Gt, x, zero);
        let message = a.str("x must be positive");
        let root = a.builtin(Builtin::Sqrt, &[x]);
        let body = vec![Stmt::Assert(positive, message, true), Stmt::Assign(1, root)];
        let f = m.functions.push(function(
            "root",
            slots(&["x", "y"]),
            FunctionBody::Code(body),
        ));
        model_of(m, f, guarded)
    };
    let error = evaluate(&build(false), -4.0).unwrap_err();
    assert!(
        error.contains("x must be positive") && error.contains("x = -4"),
        "{error}"
    );
    assert_eq!(evaluate(&build(true), -4.0), Ok((0.0, 0.0)));
    assert_eq!(evaluate(&build(true), 4.0), Ok((2.0, 0.25)));
}

/// `external "C" y = exp(x)` is found by its C name; its derivative comes from differences.
#[test]
fn external_functions_of_the_c_library() {
    let mut m = CausalModel::default();
    let x = m.exprs.intern(Expr::Local(0), Ty::Real);
    let external = External {
        symbol: Symbol::intern("exp"),
        language: "C".to_string(),
        initial: vec![],
        args: vec![ExternalArg::Value(x)],
        result: Some(1),
        destructor: None,
        destructor_includes: vec![],
        records: vec![],
        libraries: vec![],
        includes: vec![],
        library_directories: vec![],
        include_directories: vec![],
    };
    let body = FunctionBody::External(Box::new(external));
    let f = m
        .functions
        .push(function("my_exp", slots(&["x", "y"]), body));
    let model = model_of(m, f, false);
    let (value, slope) = evaluate(&model, 1.0).unwrap();
    assert_eq!(value, 1f64.exp());
    assert!((slope - 1f64.exp()).abs() < 1e-8);
}

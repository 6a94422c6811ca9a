//! Value and one directional derivative of an expression at a point.

use ferrica_ir::calculus::{Algebra, Numbers, Operation, tangent};
use ferrica_ir::elementary::arity;
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, UnaryOp, VarId};
use rustc_hash::FxHashMap;

/// a + b·ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    pub value: f64,
    pub slope: f64,
}

/// What a slope is taken with respect to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moving {
    Nothing,
    Value(VarId),
    Rate(VarId),
    Time,
}

/// Where expressions are evaluated: values of variables and of their derivatives, and which one of
/// them moves.
pub struct Point<'a> {
    pub time: f64,
    pub values: &'a FxHashMap<VarId, f64>,
    pub derivatives: &'a FxHashMap<VarId, f64>,
    pub moving: Moving,
}

/// `None` when the expression has a part that cannot be evaluated alone (a foreign call, say).
pub fn evaluate(x: &ExprArena, root: ExprId, at: &Point<'_>) -> Option<Dual> {
    let mut done: FxHashMap<ExprId, Dual> = FxHashMap::default();
    let mut failed = false;
    x.postorder(&[root], |id| {
        if failed {
            return;
        }
        let get = |e: ExprId| done[&e];
        let constant = |value: f64| Dual { value, slope: 0.0 };
        let moved = |m: Moving| f64::from(u8::from(at.moving == m));
        let result = match x.get(id) {
            Expr::Var(v) => at.values.get(&v).map(|&value| Dual {
                value,
                slope: moved(Moving::Value(v)),
            }),
            Expr::Der(v) => Some(Dual {
                value: at.derivatives.get(&v).copied().unwrap_or(0.0),
                slope: moved(Moving::Rate(v)),
            }),
            Expr::Pre(v) => at.values.get(&v).map(|&value| constant(value)),
            Expr::Time => Some(Dual {
                value: at.time,
                slope: moved(Moving::Time),
            }),
            Expr::Str(_) => Some(constant(0.0)),
            Expr::Unary(UnaryOp::Neg, a) => Some(Dual {
                value: -get(a).value,
                slope: -get(a).slope,
            }),
            Expr::Unary(UnaryOp::Not, a) => Some(constant(1.0 - get(a).value)),
            Expr::Binary(op, a, b) => Some(binary(op, get(a), get(b))),
            Expr::If(c, a, b) => Some(if get(c).value > 0.5 { get(a) } else { get(b) }),
            Expr::Builtin(f, list) => {
                let args: Vec<Dual> = x.args(list).iter().map(|&a| get(a)).collect();
                builtin(f, &args)
            }
            Expr::Local(_) | Expr::Load(..) | Expr::Call(..) | Expr::Proj(..) => None,
            _ => x.as_f64(id).map(constant),
        };
        match result {
            Some(d) => {
                done.insert(id, d);
            }
            None => failed = true,
        }
    });
    if failed {
        None
    } else {
        done.get(&root).copied()
    }
}

/// By the rules of the calculus.
fn differentiated(op: Operation, args: &[Dual], value: f64) -> Dual {
    let values: Vec<&f64> = args.iter().map(|a| &a.value).collect();
    let slopes: Vec<Option<f64>> = args.iter().map(|a| Some(a.slope)).collect();
    let slope = tangent(&mut Numbers, op, &values, &value, &slopes);
    Dual {
        value,
        slope: slope.unwrap_or(0.0),
    }
}

fn binary(op: BinaryOp, a: Dual, b: Dual) -> Dual {
    if let Some(arithmetic) = Operation::of(op) {
        let value = Numbers.apply(arithmetic, &[&a.value, &b.value]);
        return differentiated(arithmetic, &[a, b], value);
    }
    let value = match op {
        BinaryOp::And => f64::from(u8::from(a.value > 0.5 && b.value > 0.5)),
        BinaryOp::Or => f64::from(u8::from(a.value > 0.5 || b.value > 0.5)),
        relation => Numbers.compare(relation, &a.value, &b.value),
    };
    Dual { value, slope: 0.0 }
}

fn builtin(f: Builtin, args: &[Dual]) -> Option<Dual> {
    use Builtin::*;
    let nothing = Dual {
        value: 0.0,
        slope: 0.0,
    };
    if let Some(arity) = arity(f) {
        let args = args.get(..arity)?;
        let values: Vec<&f64> = args.iter().map(|a| &a.value).collect();
        let operation = Operation::Function(f);
        let value = Numbers.apply(operation, &values);
        return Some(differentiated(operation, args, value));
    }
    match f {
        NoEvent | Body | Argument | Homotopy | EnumToInt => {
            Some(args.first().copied().unwrap_or(nothing))
        }
        Smooth => args.get(1).copied(),
        SemiLinear => {
            let x = *args.first()?;
            let factor = if x.value >= 0.0 { 1 } else { 2 };
            Some(binary(BinaryOp::Mul, x, *args.get(factor)?))
        }
        // Between events.
        Initial | Terminal | Edge | Change | WhenFires | Sample => Some(nothing),
        _ => None,
    }
}

//! Value and one directional derivative of an expression at a point.

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
    /// At an event: the values before it.
    pub before: Option<&'a FxHashMap<VarId, f64>>,
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
            Expr::Pre(v) => {
                let from = at.before.unwrap_or(at.values);
                from.get(&v).map(|&value| constant(value))
            }
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
            Expr::Builtin(Builtin::WhenFires, list) => {
                let rises = |before: &FxHashMap<VarId, f64>| match x.args(list).first() {
                    Some(&b) => match x.get(b) {
                        Expr::Var(v) => {
                            get(b).value > 0.5 && before.get(&v).is_some_and(|p| *p < 0.5)
                        }
                        _ => false,
                    },
                    None => false,
                };
                Some(constant(f64::from(u8::from(at.before.is_some_and(rises)))))
            }
            Expr::Builtin(Builtin::Sample, list) => {
                let args: Vec<Dual> = x.args(list).iter().map(|&a| get(a)).collect();
                let due = match args.as_slice() {
                    [.., start, interval] => is_tick(at.time, start.value, interval.value),
                    _ => false,
                };
                Some(constant(f64::from(u8::from(at.before.is_some() && due))))
            }
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

/// Is it time for a tick of a clock?
fn is_tick(time: f64, start: f64, interval: f64) -> bool {
    let k = (time - start) / interval;
    k > -0.5 && (k - k.round()).abs() < 1e-6
}

fn binary(op: BinaryOp, a: Dual, b: Dual) -> Dual {
    let flag = |c: bool| Dual {
        value: f64::from(u8::from(c)),
        slope: 0.0,
    };
    match op {
        BinaryOp::Add => Dual {
            value: a.value + b.value,
            slope: a.slope + b.slope,
        },
        BinaryOp::Sub => Dual {
            value: a.value - b.value,
            slope: a.slope - b.slope,
        },
        BinaryOp::Mul => Dual {
            value: a.value * b.value,
            slope: a.slope * b.value + a.value * b.slope,
        },
        BinaryOp::Div => Dual {
            value: a.value / b.value,
            slope: (a.slope * b.value - a.value * b.slope) / (b.value * b.value),
        },
        BinaryOp::Pow => {
            let value = ferrica_ir::simplify::power(a.value, b.value);
            let mut slope = b.value * ferrica_ir::simplify::power(a.value, b.value - 1.0) * a.slope;
            if b.slope != 0.0 {
                slope += value * a.value.ln() * b.slope;
            }
            Dual { value, slope }
        }
        BinaryOp::And => flag(a.value > 0.5 && b.value > 0.5),
        BinaryOp::Or => flag(a.value > 0.5 || b.value > 0.5),
        BinaryOp::Lt => flag(a.value < b.value),
        BinaryOp::Le => flag(a.value <= b.value),
        BinaryOp::Gt => flag(a.value > b.value),
        BinaryOp::Ge => flag(a.value >= b.value),
        BinaryOp::Eq => flag(a.value == b.value),
        BinaryOp::Ne => flag(a.value != b.value),
    }
}

fn builtin(f: Builtin, args: &[Dual]) -> Option<Dual> {
    use Builtin::*;
    let a = args.first().copied().unwrap_or(Dual {
        value: 0.0,
        slope: 0.0,
    });
    let chain = |value: f64, d: f64| {
        Some(Dual {
            value,
            slope: d * a.slope,
        })
    };
    let v = a.value;
    match f {
        Sin => chain(v.sin(), v.cos()),
        Cos => chain(v.cos(), -v.sin()),
        Tan => chain(v.tan(), 1.0 + v.tan() * v.tan()),
        Asin => chain(v.asin(), 1.0 / (1.0 - v * v).sqrt()),
        Acos => chain(v.acos(), -1.0 / (1.0 - v * v).sqrt()),
        Atan => chain(v.atan(), 1.0 / (1.0 + v * v)),
        Sinh => chain(v.sinh(), v.cosh()),
        Cosh => chain(v.cosh(), v.sinh()),
        Tanh => chain(v.tanh(), 1.0 - v.tanh() * v.tanh()),
        Exp => chain(v.exp(), v.exp()),
        Log => chain(v.ln(), 1.0 / v),
        Log10 => chain(v.log10(), 1.0 / (v * std::f64::consts::LN_10)),
        Sqrt => chain(v.sqrt(), 0.5 / v.sqrt()),
        Abs => chain(v.abs(), v.signum()),
        Sign | Floor | Ceil | Integer => {
            ferrica_ir::simplify::unary_value(f, v).map(|value| Dual { value, slope: 0.0 })
        }
        NoEvent | Homotopy => Some(a),
        Smooth => args.get(1).copied(),
        Min | Max => {
            let b = *args.get(1)?;
            Some(if (a.value < b.value) == (f == Min) {
                a
            } else {
                b
            })
        }
        SemiLinear => {
            let slope = if v >= 0.0 {
                *args.get(1)?
            } else {
                *args.get(2)?
            };
            Some(binary(BinaryOp::Mul, a, slope))
        }
        Initial | Terminal | Edge | Change => Some(Dual {
            value: 0.0,
            slope: 0.0,
        }),
        EnumToInt => Some(a),
        Atan2 => {
            let b = *args.get(1)?;
            let r = v * v + b.value * b.value;
            Some(Dual {
                value: v.atan2(b.value),
                slope: (a.slope * b.value - v * b.slope) / r,
            })
        }
        Mod | Rem | Div => {
            let b = *args.get(1)?;
            let value = ferrica_ir::simplify::binary_value(f, v, b.value)?;
            Some(Dual {
                value,
                slope: if f == Div { 0.0 } else { a.slope },
            })
        }
        _ => None,
    }
}

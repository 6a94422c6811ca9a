//! Formulas over the variables of a result: `R.p.v - R.n.v`, `abs(x)/2`, `v > 3 and on`.
//!
//! In: a Modelica expression of numbers, variables, `time`, operators and elementary functions. Out: its values at all rows, with its
//! unit where that is plain.

use ferrica_ir::elementary::{self, UnitRule, Value};
use ferrica_ir::{FileId, Span};
use ferrica_results::{Column, Declaration, ResultTable, ValueType};
use ferrica_syntax::ast::{BinaryOp, Call, Expr, ExprKind, UnaryOp};

/// A formula stands in no file.
const NO_FILE: FileId = FileId(u32::MAX);

/// Values of a part of a formula, and what they are.
struct Part {
    values: Vec<f64>,
    /// None: not followed, as that of a product.
    unit: Option<String>,
    is_boolean: bool,
}

/// Adds the values of a formula to a table, under its text as name.
///
/// ```
/// use ferrica::results::{Column, ResultTable, formula};
/// let mut table = ResultTable::new(vec![0.0, 1.0]);
/// table.push("x".to_owned(), Column::Series([1.0, 3.0].into()));
/// formula::add(&mut table, "2*x + time")?;
/// assert_eq!(table.series("2*x + time").unwrap().as_ref(), [2.0, 7.0]);
/// # Ok::<(), String>(())
/// ```
pub fn add(table: &mut ResultTable, text: &str) -> Result<(), String> {
    let part = values(table, text)?;
    table.push(text.to_owned(), Column::Series(part.values.into()));
    let ty = match part.is_boolean {
        true => ValueType::Boolean,
        false => ValueType::Real,
    };
    let declared = Declaration {
        unit: part.unit.unwrap_or_default(),
        ty,
        ..Declaration::default()
    };
    table.declare(table.names.len() - 1, declared);
    Ok(())
}

/// Is a text more than a name or a pattern of names?
///
/// ```
/// use ferrica::results::formula::is_one;
/// assert!(is_one("R.p.v - R.n.v") && !is_one("R.p.v"));
/// ```
pub fn is_one(text: &str) -> bool {
    let parsed = ferrica_syntax::parse_expression(NO_FILE, text);
    parsed.is_ok_and(|e| !matches!(e.kind, ExprKind::Ref(_)))
}

fn values(table: &ResultTable, text: &str) -> Result<Part, String> {
    let parsed = ferrica_syntax::parse_expression(NO_FILE, text);
    let expression = parsed.map_err(|errors| match errors.first() {
        Some(e) => format!("`{text}` is no formula: {}", e.message),
        None => format!("`{text}` is no formula"),
    })?;
    let formula = Formula { table, text };
    formula.part(&expression)
}

struct Formula<'a> {
    table: &'a ResultTable,
    text: &'a str,
}

impl Formula<'_> {
    fn source(&self, span: Span) -> &str {
        let range = span.start as usize..span.end as usize;
        self.text.get(range).unwrap_or(self.text)
    }

    fn number(&self, value: f64) -> Part {
        Part {
            values: vec![value; self.table.time.len()],
            unit: Some(String::new()),
            is_boolean: false,
        }
    }

    fn variable(&self, name: &str) -> Result<Part, String> {
        let table = self.table;
        let values = table
            .series(name)
            .ok_or_else(|| format!("the result has no variable `{name}`"))?;
        let unit = match (table.find(name), name) {
            (None, "time") => "s",
            _ => table.unit(name),
        };
        let ty = table.find(name).map(|k| &table.declared(k).ty);
        Ok(Part {
            values: values.into_owned(),
            unit: Some(unit.to_owned()),
            is_boolean: ty == Some(&ValueType::Boolean),
        })
    }

    fn part(&self, e: &Expr) -> Result<Part, String> {
        match &e.kind {
            ExprKind::Int(v) => Ok(self.number(*v as f64)),
            ExprKind::Real(v) => Ok(self.number(*v)),
            ExprKind::Bool(v) => Ok(Part {
                is_boolean: true,
                ..self.number(f64::from(u8::from(*v)))
            }),
            ExprKind::Ref(_) => self.variable(self.source(e.span)),
            ExprKind::Call(call) => self.call(call, e),
            ExprKind::Unary(op, of) => {
                let part = self.part(of)?;
                Ok(match op {
                    UnaryOp::Neg | UnaryOp::ElementwiseNeg => each(part, |v| -v),
                    UnaryOp::Plus | UnaryOp::ElementwisePlus => part,
                    UnaryOp::Not => truth(each(part, |v| f64::from(u8::from(v == 0.0)))),
                })
            }
            ExprKind::Binary(op, sides) => {
                let (a, b) = (self.part(&sides.0)?, self.part(&sides.1)?);
                Ok(binary(*op, a, b))
            }
            ExprKind::If(branches) => {
                let mut out = self.part(&branches.otherwise)?;
                for (condition, value) in branches.branches.iter().rev() {
                    let (condition, value) = (self.part(condition)?, self.part(value)?);
                    for (k, on) in condition.values.iter().enumerate() {
                        if *on != 0.0 {
                            out.values[k] = value.values[k];
                        }
                    }
                    out.unit = common(&out.unit, &value.unit);
                }
                Ok(out)
            }
            _ => Err(format!(
                "`{}` cannot be part of a formula over a result",
                self.source(e.span)
            )),
        }
    }

    fn call(&self, call: &Call, e: &Expr) -> Result<Part, String> {
        // A derivative is a variable of its own: `der(x)`.
        let whole = self.source(e.span);
        if self.table.find(whole).is_some() {
            return self.variable(whole);
        }
        let name = self.source(call.function.span);
        let Some(row) = elementary::named(name) else {
            return Err(format!("there is no function `{name}` for formulas"));
        };
        let plain = call.args.named.is_empty() && call.args.iterators.is_empty();
        let args = call.args.positional.iter().map(|a| self.part(a));
        let mut args: Vec<Part> = args.collect::<Result<_, _>>()?;
        if !plain || args.len() != row.value.arity() {
            let count = row.value.arity();
            return Err(format!("`{name}` takes {count} of numbers"));
        }
        let second = (args.len() == 2).then(|| args.pop()).flatten();
        let first = args.pop().unwrap_or_else(|| self.number(f64::NAN));
        let unit = match (row.unit, &second) {
            (UnitRule::Number, _) => Some(String::new()),
            (UnitRule::Argument, _) => first.unit.clone(),
            (UnitRule::Common, Some(b)) => common(&first.unit, &b.unit),
            _ => None,
        };
        let mut out = match (row.value, second) {
            (Value::Of(f), _) => each(first, f),
            (Value::OfTwo(f), Some(b)) => zip(first, &b, f),
            (Value::OfTwo(_), None) => first,
        };
        out.unit = unit;
        out.is_boolean = false;
        Ok(out)
    }
}

fn each(mut part: Part, f: impl Fn(f64) -> f64) -> Part {
    part.values.iter_mut().for_each(|v| *v = f(*v));
    part
}

fn zip(mut a: Part, b: &Part, f: impl Fn(f64, f64) -> f64) -> Part {
    let pairs = a.values.iter_mut().zip(&b.values);
    pairs.for_each(|(x, y)| *x = f(*x, *y));
    a
}

fn truth(part: Part) -> Part {
    Part {
        unit: Some(String::new()),
        is_boolean: true,
        ..part
    }
}

/// The unit of both; a number without one takes that of the other.
fn common(a: &Option<String>, b: &Option<String>) -> Option<String> {
    match (a.as_deref(), b.as_deref()) {
        (Some(a), Some(b)) if a == b || b.is_empty() => Some(a.to_owned()),
        (Some(""), Some(b)) => Some(b.to_owned()),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: Part, b: Part) -> Part {
    use BinaryOp::*;
    let plain = |u: &Option<String>| matches!(u.as_deref(), Some("" | "1"));
    let unit = match op {
        Add | Sub | ElementwiseAdd | ElementwiseSub => common(&a.unit, &b.unit),
        Mul | ElementwiseMul if plain(&a.unit) => b.unit.clone(),
        Mul | ElementwiseMul | Div | ElementwiseDiv if plain(&b.unit) => a.unit.clone(),
        Div | ElementwiseDiv if a.unit.is_some() && a.unit == b.unit => Some(String::new()),
        Pow | ElementwisePow if plain(&a.unit) => Some(String::new()),
        _ => None,
    };
    let bit = |v: bool| f64::from(u8::from(v));
    let function: fn(f64, f64) -> f64 = match op {
        Add | ElementwiseAdd => |x, y| x + y,
        Sub | ElementwiseSub => |x, y| x - y,
        Mul | ElementwiseMul => |x, y| x * y,
        Div | ElementwiseDiv => |x, y| x / y,
        Pow | ElementwisePow => f64::powf,
        _ => {
            let holds = |x: f64, y: f64| match op {
                And => x != 0.0 && y != 0.0,
                Or => x != 0.0 || y != 0.0,
                Lt => x < y,
                Le => x <= y,
                Gt => x > y,
                Ge => x >= y,
                Eq => x == y,
                _ => x != y,
            };
            return truth(zip(a, &b, |x, y| bit(holds(x, y))));
        }
    };
    Part {
        unit,
        is_boolean: false,
        ..zip(a, &b, function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ResultTable {
        let mut table = ResultTable::new(vec![0.0, 1.0, 2.0]);
        for (name, unit, values) in [
            ("R.p.v", "V", [5.0, 4.0, 3.0]),
            ("R.n.v", "V", [1.0, 1.0, 1.0]),
            ("x[1,2]", "", [-1.0, 0.0, 2.0]),
            ("der(x)", "m/s", [1.0, 2.0, 3.0]),
            ("i", "A", [2.0, 2.0, 2.0]),
        ] {
            table.push(name.into(), Column::Series(values.into()));
            let declared = Declaration {
                unit: unit.into(),
                ..Declaration::default()
            };
            table.declare(table.names.len() - 1, declared);
        }
        table
    }

    #[test]
    fn values_and_units() {
        for (text, expected, unit) in [
            ("R.p.v - R.n.v", [4.0, 3.0, 2.0], "V"),
            ("-R.n.v", [-1.0, -1.0, -1.0], "V"),
            ("2*R.p.v", [10.0, 8.0, 6.0], "V"),
            ("R.p.v*i", [10.0, 8.0, 6.0], ""),
            ("R.p.v/R.n.v", [5.0, 4.0, 3.0], ""),
            ("abs(x[1, 2])^2", [1.0, 0.0, 4.0], ""),
            ("max(R.p.v, 4)", [5.0, 4.0, 4.0], "V"),
            ("der(x) + 1", [2.0, 3.0, 4.0], "m/s"),
            ("time + 1", [1.0, 2.0, 3.0], "s"),
            ("if x[1,2] > 0 then 1 else 0", [0.0, 0.0, 1.0], ""),
            ("x[1,2] >= 0 and not i > 3", [0.0, 1.0, 1.0], ""),
        ] {
            let mut table = table();
            add(&mut table, text).unwrap();
            assert_eq!(table.series(text).unwrap().as_ref(), expected, "{text}");
            assert_eq!(table.unit(text), unit, "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_says_why() {
        for (text, message) in [
            ("R.p.v - ", "is no formula"),
            ("R.p.v - R.q.v", "no variable `R.q.v`"),
            ("bessel(i)", "no function `bessel`"),
            ("sin(i, i)", "`sin` takes 1"),
            ("{i}", "cannot be part"),
        ] {
            let error = add(&mut table(), text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!(is_one("a - b") && !is_one("a.b") && !is_one("*.v"));
    }
}

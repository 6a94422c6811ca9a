//! Operators on scalars and arrays (section 10.6).

use ferrica_ir::{BinaryOp, Builtin, Diagnostic, ExprId, Span, Ty, UnaryOp};
use ferrica_syntax::ast;

use crate::flattener::{Flattener, R, error};
use crate::limits;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn unary_value(&mut self, op: ast::UnaryOp, a: Value, span: Span) -> R<Value> {
        if let Some(v) = self.overloaded_unary(op, &a, span)? {
            return Ok(v);
        }
        let mut scalars = Vec::new();
        a.scalars(&mut scalars);
        let boolean = scalars
            .first()
            .map(|&s| self.flat.exprs.ty(s) == Ty::Boolean);
        match op {
            ast::UnaryOp::Not if boolean == Some(false) => {
                error("E0321", span, "`not` needs a Boolean")
            }
            ast::UnaryOp::Neg | ast::UnaryOp::Plus
                if scalars.first().is_some_and(|&s| {
                    !matches!(self.flat.exprs.ty(s), Ty::Real | Ty::Integer | Ty::Tuple)
                }) =>
            {
                error("E0321", span, format!("`{}` needs a number", op.symbol()))
            }
            ast::UnaryOp::Plus | ast::UnaryOp::ElementwisePlus => Ok(a),
            ast::UnaryOp::Not => Ok(a.map_scalars(&mut |s| self.flat.exprs.unary(UnaryOp::Not, s))),
            ast::UnaryOp::Neg | ast::UnaryOp::ElementwiseNeg => {
                Ok(a.map_scalars(&mut |s| self.flat.exprs.unary(UnaryOp::Neg, s)))
            }
        }
    }

    pub fn binary_value(&mut self, op: ast::BinaryOp, a: Value, b: Value, span: Span) -> R<Value> {
        use ast::BinaryOp as Op;
        if let (Value::Scalar(x), Value::Scalar(y)) = (&a, &b) {
            return self.scalar_binary(op, *x, *y, span).map(Value::Scalar);
        }
        if let Some(v) = self.overloaded_binary(op, &a, &b, span)? {
            return Ok(v);
        }
        match op {
            Op::Mul => self.multiply(&a, &b, span),
            Op::Div if b.dims().is_empty() => self.elementwise(op, &a, &b, span),
            Op::Div => Err(Box::new(
                Diagnostic::error(
                    "E0321",
                    span,
                    format!("{} cannot be divided by {}", a.shape(), b.shape()),
                )
                .with_hint("write `./` to divide element by element"),
            )),
            Op::Pow if !a.dims().is_empty() => self.matrix_power(&a, &b, span),
            Op::Pow => Err(Box::new(
                Diagnostic::error(
                    "E0321",
                    span,
                    format!("an exponent cannot be {}", b.shape()),
                )
                .with_hint("write ` .^` with a space for powers element by element"),
            )),
            Op::Add | Op::Sub if a.dims() != b.dims() => error(
                "E0317",
                span,
                format!(
                    "`{}` needs equal sizes: {} and {}",
                    op.symbol(),
                    a.shape(),
                    b.shape()
                ),
            ),
            _ => self.elementwise(op, &a, &b, span),
        }
    }

    pub fn elementwise(&mut self, op: ast::BinaryOp, a: &Value, b: &Value, span: Span) -> R<Value> {
        let dims = if a.dims().is_empty() {
            b.dims().to_vec()
        } else {
            a.dims().to_vec()
        };
        if !a.dims().is_empty() && !b.dims().is_empty() && a.dims() != b.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "`{}` needs equal sizes: {} and {}",
                    op.symbol(),
                    a.shape(),
                    b.shape()
                ),
            );
        }
        let n: usize = dims.iter().product();
        let mut items = Vec::with_capacity(n);
        for k in 0..n {
            let x = if a.dims().is_empty() {
                a.clone()
            } else {
                a.items()[k].clone()
            };
            let y = if b.dims().is_empty() {
                b.clone()
            } else {
                b.items()[k].clone()
            };
            items.push(match (&x, &y) {
                (Value::Scalar(x), Value::Scalar(y)) => {
                    Value::Scalar(self.scalar_binary(op, *x, *y, span)?)
                }
                _ => match self.overloaded_binary(op, &x, &y, span)? {
                    Some(v) => v,
                    None => {
                        return error(
                            "E0321",
                            span,
                            format!(
                                "`{}` is not defined for {} and {}",
                                op.symbol(),
                                x.shape(),
                                y.shape()
                            ),
                        );
                    }
                },
            });
        }
        Ok(Value::array(dims, items))
    }

    pub fn scalar_binary(
        &mut self,
        op: ast::BinaryOp,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> R<ExprId> {
        use ast::BinaryOp as Op;
        let (ta, tb) = (self.flat.exprs.ty(a), self.flat.exprs.ty(b));
        let numeric = |t: Ty| matches!(t, Ty::Real | Ty::Integer | Ty::Tuple);
        let fits = match op {
            Op::And | Op::Or => ta == Ty::Boolean && tb == Ty::Boolean,
            Op::Add | Op::ElementwiseAdd => {
                (numeric(ta) && numeric(tb)) || (ta == Ty::String && tb == Ty::String)
            }
            _ if op.is_relational() => (numeric(ta) && numeric(tb)) || ta == tb,
            _ => numeric(ta) && numeric(tb),
        };
        if !fits {
            let text = format!(
                "`{}` is not defined for {} and {}",
                op.symbol(),
                self.type_text(ta),
                self.type_text(tb)
            );
            return error("E0321", span, text);
        }
        if ta == Ty::String && matches!(op, Op::Add | Op::ElementwiseAdd) {
            let length = |e: ExprId| self.flat.exprs.as_str(e).map_or(0, str::len);
            limits::string(length(a) + length(b), span)?;
        }
        let op = match op {
            Op::Add | Op::ElementwiseAdd => BinaryOp::Add,
            Op::Sub | Op::ElementwiseSub => BinaryOp::Sub,
            Op::Mul | Op::ElementwiseMul => BinaryOp::Mul,
            Op::Div | Op::ElementwiseDiv => BinaryOp::Div,
            Op::Pow | Op::ElementwisePow => BinaryOp::Pow,
            Op::And => BinaryOp::And,
            Op::Or => BinaryOp::Or,
            Op::Lt => BinaryOp::Lt,
            Op::Le => BinaryOp::Le,
            Op::Gt => BinaryOp::Gt,
            Op::Ge => BinaryOp::Ge,
            Op::Eq => BinaryOp::Eq,
            Op::Ne => BinaryOp::Ne,
        };
        if op == BinaryOp::Mul
            && let Some(flow) = self.stream_flow(a, b).or_else(|| self.stream_flow(b, a))
        {
            return Ok(flow);
        }
        let result = self.flat.exprs.binary(op, a, b);
        self.note_equality(op, result, [ta, tb], span);
        Ok(result)
    }

    fn multiply(&mut self, a: &Value, b: &Value, span: Span) -> R<Value> {
        let (da, db) = (a.dims().to_vec(), b.dims().to_vec());
        if da.is_empty() || db.is_empty() {
            return self.elementwise(ast::BinaryOp::Mul, a, b, span);
        }
        let (rows, inner, cols) = match (da.as_slice(), db.as_slice()) {
            ([n], [m]) if n == m => (1, *n, 1),
            ([r, n], [m]) if n == m => (*r, *n, 1),
            ([n], [m, c]) if n == m => (1, *n, *c),
            ([r, n], [m, c]) if n == m => (*r, *n, *c),
            _ => {
                return error(
                    "E0317",
                    span,
                    format!("sizes {da:?} and {db:?} cannot be multiplied"),
                );
            }
        };
        limits::elements(&[rows, cols], span)?;
        self.spend((rows * cols * inner) as u64 / 8, span)?;
        let mut items = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                let mut sum: Option<Value> = None;
                for k in 0..inner {
                    let p = self.binary_value(
                        ast::BinaryOp::Mul,
                        a.items()[i * inner + k].clone(),
                        b.items()[k * cols + j].clone(),
                        span,
                    )?;
                    sum = Some(match sum {
                        None => p,
                        Some(s) => self.binary_value(ast::BinaryOp::Add, s, p, span)?,
                    });
                }
                items.push(sum.unwrap_or_else(|| Value::Scalar(self.flat.exprs.real(0.0))));
            }
        }
        let dims = match (da.len(), db.len()) {
            (1, 1) => vec![],
            (2, 1) => vec![rows],
            (1, 2) => vec![cols],
            _ => vec![rows, cols],
        };
        Ok(Value::array(dims, items))
    }

    fn matrix_power(&mut self, a: &Value, b: &Value, span: Span) -> R<Value> {
        let n = b.scalar().and_then(|s| self.flat.exprs.as_int(s));
        match (a.dims(), n) {
            ([r, c], Some(n)) if r == c && (0..=1000).contains(&n) => {
                let size = *r;
                let mut result = self.identity(size);
                for _ in 0..n {
                    result = self.multiply(&result, a, span)?;
                }
                Ok(result)
            }
            _ => error(
                "E0321",
                span,
                "`^` of an array needs a square matrix and a constant whole exponent",
            ),
        }
    }

    pub fn identity(&mut self, n: usize) -> Value {
        let (one, zero) = (self.flat.exprs.int(1), self.flat.exprs.int(0));
        let items = (0..n * n)
            .map(|k| Value::Scalar(if k / n == k % n { one } else { zero }))
            .collect();
        Value::array(vec![n, n], items)
    }

    /// Applies a builtin function to every scalar.
    pub fn map_builtin(&mut self, f: Builtin, a: &Value) -> Value {
        a.map_scalars(&mut |s| self.flat.exprs.builtin(f, &[s]))
    }
}

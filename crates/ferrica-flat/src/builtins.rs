//! The predefined functions and operators of the language (sections 3.7, 10.3, 16).

use ferrica_ir::calculus::takes_first_when;
use ferrica_ir::elementary;
use ferrica_ir::flat::{Origin, Variability, Variable};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// A call of a predefined function; `None` if the name is not one.
    pub fn builtin_call(
        &mut self,
        name: Symbol,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Option<Value>> {
        let text = name.as_str();
        let args = &call.args.positional;
        if !call.args.iterators.is_empty() {
            return self.reduction(text, call, env, span);
        }
        let scalar = |v: ExprId| Ok(Some(Value::Scalar(v)));
        // Operators whose argument is not evaluated as an ordinary value.
        match text {
            "der" => {
                self.check_derivative(self.one_arg(args, text, span)?, env, span)?;
                return self
                    .derivative_of(self.one_arg(args, text, span)?, env, span)
                    .map(Some);
            }
            "pre" | "edge" | "change" | "previous" => {
                return self.left_limit(text, args, env, span).map(Some);
            }
            "size" => return self.size_of(args, env, span).map(Some),
            "ndims" => {
                let v = self.eval_one(self.one_arg(args, text, span)?, env)?;
                return scalar(self.flat.exprs.int(v.dims().len() as i64));
            }
            "initial" => return scalar(self.flat.exprs.builtin(Builtin::Initial, &[])),
            "terminal" => return scalar(self.flat.exprs.builtin(Builtin::Terminal, &[])),
            "cardinality" | "inStream" | "actualStream" => {
                return self.connection_operator(text, args, env, span).map(Some);
            }
            "activeState" | "ticksInState" | "timeInState" => {
                return self.state_operator(text, call, env, span);
            }
            "getInstanceName" => {
                self.irregular += 1;
                let here = self.most_derived(env.scope);
                let path = self.tree.scopes[here].path.clone();
                // The model by its own name, without the packages around it.
                let model = self.flat.name.rsplit('.').next().unwrap_or_default();
                let full = if path.is_empty() {
                    model.to_string()
                } else {
                    format!("{model}.{path}")
                };
                return scalar(self.flat.exprs.str(&full));
            }
            "noEvent" => {
                let v = self.eval_one(self.one_arg(args, text, span)?, env)?;
                return Ok(Some(self.map_builtin(Builtin::NoEvent, &v)));
            }
            "sample" => return self.sample(call, env, span).map(Some),
            "Clock" => return self.clock(call, env, span).map(Some),
            "homotopy" => {
                let actual = self.argument(call, 0, "actual", env, span)?;
                let simplified = self.argument(call, 1, "simplified", env, span)?;
                return self
                    .map2(Builtin::Homotopy, &actual, &simplified, span)
                    .map(Some);
            }
            "String" => return self.string_of(call, env, span).map(Some),
            "Integer" if !args.is_empty() => {
                let v = self.eval_one(self.one_arg(args, text, span)?, env)?;
                if let Some(s) = v.items().first().and_then(|v| v.scalar())
                    && !matches!(self.flat.exprs.ty(s), Ty::Enum(_) | Ty::Integer)
                {
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0330",
                            span,
                            "`Integer` takes the literal of an enumeration",
                        )
                        .with_hint("`integer(x)` is the greatest Integer that is not above `x`"),
                    ));
                }
                return Ok(Some(self.map_builtin(Builtin::EnumToInt, &v)));
            }
            "smooth" => {
                let order = self.argument(call, 0, "p", env, span)?;
                let v = self.argument(call, 1, "expr", env, span)?;
                let Some(p) = order.scalar() else {
                    return error("E0330", span, "`smooth` needs an order");
                };
                return Ok(Some(v.map_scalars(&mut |s| {
                    self.flat.exprs.builtin(Builtin::Smooth, &[p, s])
                })));
            }
            "delay" => {
                let v = self.argument(call, 0, "expr", env, span)?;
                let time = self.argument(call, 1, "delayTime", env, span)?;
                let Some(time) = time.scalar() else {
                    return error("E0330", span, "the delay time must be a scalar");
                };
                if let Some(t) = self.flat.exprs.as_f64(time)
                    && t < 0.0
                {
                    return error("E0330", span, format!("the delay time {t} is negative"));
                }
                let longest = call.args.positional.get(2).or_else(|| {
                    let n = call
                        .args
                        .named
                        .iter()
                        .find(|n| n.name.as_str() == "delayMax");
                    n.map(|n| &n.value)
                });
                match longest {
                    None => self.check_fixed_argument(time, "the delay time", span),
                    Some(e) => {
                        let m = self.eval_scalar(e, env)?;
                        self.check_fixed_argument(m, "the longest delay time", span);
                        let x = &self.flat.exprs;
                        if let (Some(t), Some(m)) = (x.as_f64(time), x.as_f64(m))
                            && t > m
                        {
                            return error(
                                "E0330",
                                span,
                                format!("the delay time {t} is longer than the longest one, {m}"),
                            );
                        }
                    }
                }
                let max = if args.len() > 2
                    || call
                        .args
                        .named
                        .iter()
                        .any(|n| n.name.as_str() == "delayMax")
                {
                    self.argument(call, 2, "delayMax", env, span)?.scalar()
                } else {
                    None
                };
                return Ok(Some(v.map_scalars(&mut |s| match max {
                    Some(m) => self.flat.exprs.builtin(Builtin::Delay, &[s, time, m]),
                    None => self.flat.exprs.builtin(Builtin::Delay, &[s, time]),
                })));
            }
            "spatialDistribution" => return self.spatial_distribution(call, env, span).map(Some),
            "semiLinear" => {
                let x = self.argument(call, 0, "x", env, span)?;
                let p = self.argument(call, 1, "positiveSlope", env, span)?;
                let n = self.argument(call, 2, "negativeSlope", env, span)?;
                let dims = if x.dims().is_empty() {
                    p.dims().to_vec()
                } else {
                    x.dims().to_vec()
                };
                let mut lists = Vec::new();
                for v in [x, p, n] {
                    let v = self.spread(v, &dims);
                    if v.dims() != dims.as_slice() {
                        return error(
                            "E0317",
                            span,
                            "the arguments of `semiLinear` differ in size",
                        );
                    }
                    let mut list = Vec::new();
                    v.scalars(&mut list);
                    lists.push(list);
                }
                let items = (0..lists[0].len())
                    .map(|k| {
                        let args = [lists[0][k], lists[1][k], lists[2][k]];
                        Value::Scalar(self.flat.exprs.builtin(Builtin::SemiLinear, &args))
                    })
                    .collect();
                return Ok(Some(Value::array(dims, items)));
            }
            "assert" | "terminate" | "reinit" => {
                return error(
                    "E0331",
                    span,
                    format!("`{text}` is a statement, not a value"),
                );
            }
            "pure" => {
                return self
                    .eval_one(self.one_arg(args, text, span)?, env)
                    .map(Some);
            }
            "subSample" | "superSample" | "shiftSample" | "backSample" | "hold" | "noClock"
            | "interval" | "firstTick" => {
                return self.clocked_operator(text, call, env, span).map(Some);
            }
            _ => {}
        }
        // `min` and `max` have forms for arrays too.
        let function =
            elementary::named(text).filter(|row| takes_first_when(row.builtin).is_none());
        if let Some(row) = function {
            if row.value.arity() == 1 {
                let v = self.eval_one(self.one_arg(args, text, span)?, env)?;
                self.check_numeric(&v, text, span)?;
                return Ok(Some(self.map_builtin(row.builtin, &v)));
            }
            let [a, b] = args.as_slice() else {
                return error("E0330", span, format!("`{text}` takes two arguments"));
            };
            let (a, b) = (self.eval_one(a, env)?, self.eval_one(b, env)?);
            return self.map2(row.builtin, &a, &b, span).map(Some);
        }
        self.array_function(text, call, env, span)
    }

    pub fn one_arg(&self, args: &'a [ast::Expr], name: &str, span: Span) -> R<&'a ast::Expr> {
        match args {
            [one] => Ok(one),
            _ => error(
                "E0330",
                span,
                format!("`{name}` takes one argument, {} are given", args.len()),
            ),
        }
    }

    fn check_numeric(&self, v: &Value, name: &str, span: Span) -> R<()> {
        let mut scalars = Vec::new();
        v.scalars(&mut scalars);
        match scalars
            .iter()
            .map(|&s| self.flat.exprs.ty(s))
            .find(|t| !matches!(t, Ty::Real | Ty::Integer | Ty::Tuple))
        {
            Some(t) if !(matches!(t, Ty::Enum(_)) && name == "integer") => error(
                "E0321",
                span,
                format!("`{name}` needs a number, this is {}", self.type_text(t)),
            ),
            _ => Ok(()),
        }
    }

    /// Argument by position or by name.
    pub fn argument(
        &mut self,
        call: &'a ast::Call,
        k: usize,
        name: &str,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if let Some(e) = call.args.positional.get(k) {
            return self.eval_one(e, env);
        }
        match call.args.named.iter().find(|n| n.name.as_str() == name) {
            Some(n) => self.eval_one(&n.value, env),
            None => error("E0330", span, format!("the argument `{name}` is missing")),
        }
    }

    pub fn map2(&mut self, f: Builtin, a: &Value, b: &Value, span: Span) -> R<Value> {
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => {
                Ok(Value::Scalar(self.flat.exprs.builtin(f, &[*x, *y])))
            }
            _ => {
                let dims = if a.dims().is_empty() {
                    b.dims()
                } else {
                    a.dims()
                }
                .to_vec();
                if !a.dims().is_empty() && !b.dims().is_empty() && a.dims() != b.dims() {
                    return error(
                        "E0317",
                        span,
                        format!("sizes differ: {} and {}", a.shape(), b.shape()),
                    );
                }
                if let (Value::Record(x), Value::Record(y)) = (a, b) {
                    let mut fields = Vec::new();
                    for ((n, p), (_, q)) in x.fields.iter().zip(&y.fields) {
                        fields.push((*n, self.map2(f, p, q, span)?));
                    }
                    return Ok(Value::Record(std::rc::Rc::new(crate::value::Record {
                        class: x.class,
                        fields,
                    })));
                }
                if dims.is_empty() {
                    let (x, y) = (a.shape(), b.shape());
                    return error(
                        "E0321",
                        span,
                        format!("this is not defined for {x} and {y}"),
                    );
                }
                let n: usize = dims.iter().product();
                let mut items = Vec::with_capacity(n);
                for k in 0..n {
                    let p = if a.dims().is_empty() {
                        a.clone()
                    } else {
                        a.items()[k].clone()
                    };
                    let q = if b.dims().is_empty() {
                        b.clone()
                    } else {
                        b.items()[k].clone()
                    };
                    items.push(self.map2(f, &p, &q, span)?);
                }
                Ok(Value::array(dims, items))
            }
        }
    }

    /// `der(e)`: of a variable directly, of an expression through an auxiliary variable.
    fn derivative_of(&mut self, e: &'a ast::Expr, env: &Env, span: Span) -> R<Value> {
        let v = self.eval_one(e, env)?;
        self.check_numeric(&v, "der", span)?;
        Ok(v.map_scalars(&mut |s| self.scalar_derivative(s, span)))
    }

    pub fn scalar_derivative(&mut self, s: ExprId, span: Span) -> ExprId {
        match self.flat.exprs.get(s) {
            Expr::Var(v) if self.flat.vars[v].variability <= Variability::Parameter => {
                self.flat.exprs.real(0.0)
            }
            Expr::Var(v) => self.flat.exprs.der(v),
            Expr::Time => self.flat.exprs.real(1.0),
            Expr::Unary(ferrica_ir::UnaryOp::Neg, a) => {
                let d = self.scalar_derivative(a, span);
                self.flat.exprs.neg(d)
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (x, y) = (
                    self.scalar_derivative(a, span),
                    self.scalar_derivative(b, span),
                );
                self.flat.exprs.binary(op, x, y)
            }
            _ if self.flat.exprs.is_literal(s) => self.flat.exprs.real(0.0),
            _ => {
                let v = self.auxiliary_variable("$d", Ty::Real, Variability::Continuous, s, span);
                self.flat.exprs.der(v)
            }
        }
    }

    /// A hidden variable with the equation `variable = value`; equal values share one.
    pub fn auxiliary_variable(
        &mut self,
        prefix: &str,
        ty: Ty,
        variability: Variability,
        value: ExprId,
        span: Span,
    ) -> ferrica_ir::VarId {
        if let Some(&v) = self.auxiliaries.get(&(value, ty)) {
            return v;
        }
        self.auxiliary += 1;
        let mut var = Variable::new(format!("{prefix}{}", self.auxiliary), ty, variability);
        var.hidden = true;
        var.span = span;
        let v = self.flat.vars.push(var);
        self.auxiliaries.insert((value, ty), v);
        let lhs = self.flat.exprs.var(v, ty);
        // It stands for the expression at all times, also where only the initial equations ask for it.
        let initial = std::mem::take(&mut self.initial);
        self.push_equation(lhs, value, span, Origin::Generated);
        self.initial = initial;
        v
    }

    fn left_limit(&mut self, name: &str, args: &'a [ast::Expr], env: &Env, span: Span) -> R<Value> {
        let arg = self.one_arg(args, name, span)?;
        // The operators see the variable itself, not what an algorithm has assigned to it so far.
        let value = if env.assigned.is_some() {
            let plain = Env {
                assigned: None,
                ..env.clone()
            };
            self.eval_one(arg, &plain)?
        } else {
            self.eval_one(arg, env)?
        };
        let mut failed = false;
        let current = if name == "edge" || name == "change" {
            Some(self.eval_one(arg, env)?)
        } else {
            None
        };
        let mut currents = Vec::new();
        if let Some(c) = &current {
            c.scalars(&mut currents);
        }
        let mut k = 0;
        let result = value.map_scalars(&mut |s| {
            let now = currents.get(k).copied().unwrap_or(s);
            k += 1;
            let Some(before) = self.before(s, name == "previous") else {
                failed = true;
                return s;
            };
            match name {
                "edge" | "change" if before == s => self.flat.exprs.bool(false),
                "edge" => {
                    let not_before = self.flat.exprs.not(before);
                    self.flat.exprs.binary(BinaryOp::And, now, not_before)
                }
                "change" => self.flat.exprs.binary(BinaryOp::Ne, now, before),
                _ => before,
            }
        });
        if failed {
            return error("E0332", arg.span, format!("`{name}` needs a variable"));
        }
        Ok(result)
    }

    /// Left limit, or value at the tick before, of a variable or of an element chosen by a run-time index; what cannot
    /// change is its own.
    fn before(&mut self, s: ExprId, at_tick: bool) -> Option<ExprId> {
        match self.flat.exprs.get(s) {
            Expr::Var(v) if self.flat.vars[v].variability <= Variability::Parameter => Some(s),
            Expr::Var(_) if at_tick => Some(self.flat.exprs.builtin(Builtin::Previous, &[s])),
            Expr::Var(v) => {
                let ty = self.flat.exprs.ty(s);
                Some(self.flat.exprs.pre(v, ty))
            }
            Expr::If(c, a, b) => {
                let (a, b) = (self.before(a, at_tick)?, self.before(b, at_tick)?);
                Some(self.flat.exprs.if_then_else(c, a, b))
            }
            _ => self.flat.exprs.is_literal(s).then_some(s),
        }
    }

    fn size_of(&mut self, args: &'a [ast::Expr], env: &Env, span: Span) -> R<Value> {
        let Some(array) = args.first() else {
            return error("E0330", span, "`size` needs an argument");
        };
        if let Some(sizes) = self.late_dims(array, env) {
            let k = match args.get(1) {
                None => return Ok(Value::array(vec![sizes.len()], sizes)),
                Some(k) => self.eval_constant(k, env)?,
            };
            let k = self.flat.exprs.as_int(k).unwrap_or(0);
            return match sizes.into_iter().nth((k - 1).max(0) as usize) {
                Some(size) if k >= 1 => Ok(size),
                _ => error("E0316", span, format!("there is no dimension {k}")),
            };
        }
        let dims = self.dims_of(array, env)?;
        match args.get(1) {
            None => {
                let items = dims
                    .iter()
                    .map(|&d| Value::Scalar(self.flat.exprs.int(d as i64)))
                    .collect();
                Ok(Value::array(vec![dims.len()], items))
            }
            Some(k) => {
                let k = self.eval_constant(k, env)?;
                let k = self.flat.exprs.as_int(k).unwrap_or(0);
                match dims.get((k - 1).max(0) as usize) {
                    Some(&d) if k >= 1 => Ok(Value::Scalar(self.flat.exprs.int(d as i64))),
                    _ => error(
                        "E0316",
                        span,
                        format!("there is no dimension {k}, the array has {}", dims.len()),
                    ),
                }
            }
        }
    }

    /// Sizes of an expression; for a plain reference without building its value.
    fn dims_of(&mut self, e: &'a ast::Expr, env: &Env) -> R<Vec<usize>> {
        if let ast::ExprKind::Ref(r) = &e.kind
            && r.parts.len() == 1
            && r.parts[0].subscripts.is_empty()
            && !env.has_local(r.parts[0].name)
            && let Some(crate::lookup::Found::Element(id)) =
                self.lookup_simple(env.scope, r.parts[0].name)?
            && self.tree.component(id).is_some()
        {
            // A size may depend on earlier sizes of the same component: `A[:, size(A, 1)]`.
            if let Some(c) = self.tree.component(id)
                && c.state == crate::instance::State::Running
            {
                return Ok(c.dims.clone());
            }
            let id = self.actual(id)?;
            return Ok(self
                .tree
                .component(id)
                .map(|c| c.dims.clone())
                .unwrap_or_default());
        }
        Ok(self.eval_one(e, env)?.dims().to_vec())
    }

    fn string_of(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<Value> {
        let Some(arg) = call.args.positional.first() else {
            return error("E0330", span, "`String` needs an argument");
        };
        let v = self.eval_one(arg, env)?;
        if let Value::Record(r) = &v {
            return self.overloaded_string(r.class, &v, call, env, span);
        }
        let Some(s) = v.scalar() else {
            return error("E0330", span, "`String` needs a scalar");
        };
        let named = |n: &str| {
            call.args
                .named
                .iter()
                .find(|a| a.name.as_str() == n)
                .map(|a| &a.value)
        };
        // The name of a literal is text that is only padded.
        let s = match self.flat.exprs.get(s) {
            Expr::Enum(id, k) => {
                let name = self.flat.enums[id].literals.get(k as usize - 1).cloned();
                self.flat.exprs.str(&name.unwrap_or_default())
            }
            _ => s,
        };
        let format = named("format").or_else(|| {
            call.args
                .positional
                .get(1)
                .filter(|e| matches!(e.kind, ast::ExprKind::Str(_)))
        });
        if let Some(f) = format {
            let f = self.eval_scalar(f, env)?;
            return Ok(Value::Scalar(
                self.flat.exprs.builtin(Builtin::StringOfFormat, &[s, f]),
            ));
        }
        let is_real = self.flat.exprs.ty(s) == Ty::Real;
        let mut digits = self.flat.exprs.int(6);
        let mut width = self.flat.exprs.int(0);
        let mut left = self.flat.exprs.bool(true);
        let mut rest = call.args.positional[1..].iter();
        if let Some(e) =
            named("significantDigits").or_else(|| if is_real { rest.next() } else { None })
        {
            digits = self.eval_scalar(e, env)?;
        }
        if let Some(e) = named("minimumLength").or_else(|| rest.next()) {
            width = self.eval_scalar(e, env)?;
        }
        if let Some(e) = named("leftJustified").or_else(|| rest.next()) {
            left = self.eval_scalar(e, env)?;
        }
        if let Some(text) = crate::text::format_value(&self.flat.exprs, s, digits, width, left) {
            return Ok(Value::Scalar(self.flat.exprs.str(&text)));
        }
        Ok(Value::Scalar(self.flat.exprs.builtin(
            Builtin::StringOfDigits,
            &[s, digits, width, left],
        )))
    }
}

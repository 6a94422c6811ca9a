//! Equation sections and algorithm sections of the instance tree → scalar equations.

use ferrica_ir::flat::{Equation, Origin, Variability};
use ferrica_ir::{Expr, ExprId, Span, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::first_of;
use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::iterators::{Use, uses_in_equations};
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn push_equation(&mut self, lhs: ExprId, rhs: ExprId, span: Span, origin: Origin) {
        let component = self.current;
        let list = if self.initial {
            &mut self.flat.initial_equations
        } else {
            &mut self.flat.equations
        };
        list.push(Equation {
            lhs,
            rhs,
            span,
            component,
            origin,
        });
    }

    /// All sections of one instance: those of the base classes first.
    pub fn flatten_sections(&mut self, scope: ScopeId) {
        for k in 0..self.tree.scopes[scope].bases.len() {
            let base = self.tree.scopes[scope].bases[k];
            self.flatten_sections(base);
        }
        let Some(body) = self.tree.scopes[scope].class.def.long() else {
            return;
        };
        let env = Env::new(scope);
        for e in &body.equations {
            if let Err(d) = self.equation(e, &env) {
                self.report(d);
            }
        }
        for a in &body.algorithms {
            if let Err(d) = self.algorithm(a, scope) {
                self.report(d);
            }
        }
        self.initial = true;
        for e in &body.initial_equations {
            if let Err(d) = self.equation(e, &env) {
                self.report(d);
            }
        }
        for a in &body.initial_algorithms {
            if let Err(d) = self.algorithm(a, scope) {
                self.report(d);
            }
        }
        self.initial = false;
    }

    fn equations(&mut self, list: &'a [ast::Equation], env: &Env) -> R<()> {
        for e in list {
            self.equation(e, env)?;
        }
        Ok(())
    }

    fn equation(&mut self, e: &'a ast::Equation, env: &Env) -> R<()> {
        match &e.kind {
            ast::EquationKind::Eq(lhs, rhs) => {
                let (a, b) = (self.eval(lhs, env)?, self.eval(rhs, env)?);
                let origin = Origin::Equation;
                self.equate(a, b, e.span, origin)
            }
            ast::EquationKind::For(f) => {
                let body = uses_in_equations(&f.equations);
                let Some((last, around)) = f.iterators.split_last() else {
                    return Ok(());
                };
                self.for_each(around, env, &body, &mut |me, env| {
                    if me.regular_loop(last, &f.equations, env)? {
                        return Ok(());
                    }
                    let last = std::slice::from_ref(last);
                    me.for_each(last, env, &body, &mut |me, inner| {
                        me.equations(&f.equations, inner)
                    })
                })
            }
            ast::EquationKind::If(i) => self.if_equation(i, env, e.span),
            ast::EquationKind::When(branches) => self.when_equation(branches, env, e.span),
            ast::EquationKind::Connect(..) => Ok(()),
            ast::EquationKind::Call(call) => {
                if let ast::ExprKind::Call(c) = &call.kind
                    && (c.function.parts[0].name.as_str() == "Connections"
                        || self.state_machine_equation(c, env, e.span)?)
                {
                    return Ok(());
                }
                let mut inner = env.clone();
                self.call_statement(call, &mut inner)
            }
        }
    }

    /// Runs `body` for every combination of iterator values.
    pub fn for_each(
        &mut self,
        iterators: &'a [ast::ForIterator],
        env: &Env,
        uses: &[Use<'a>],
        body: &mut dyn FnMut(&mut Self, &Env) -> R<()>,
    ) -> R<()> {
        let Some((first, rest)) = iterators.split_first() else {
            return body(self, env);
        };
        if let Some(range) = &first.range {
            self.check_range(range, env);
        }
        let before = std::mem::replace(&mut self.constant, true);
        let values = self.iterator_values(first, env, uses);
        self.constant = before;
        let mut inner = env.clone();
        for v in values? {
            inner.locals.push(Local {
                name: first.name,
                value: v,
                ty: None,
                sized: false,
            });
            let result = self.for_each(rest, &inner, uses, body);
            inner.locals.pop();
            result?;
        }
        Ok(())
    }

    /// Equality of two values, element by element.
    pub fn equate(&mut self, a: Value, b: Value, span: Span, origin: Origin) -> R<()> {
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => self.equate_scalars(x, y, span, origin),
            (Value::Array(x), Value::Array(y)) => {
                // Of no components it is unknown how large their arrays would be.
                let empty = x.items.is_empty() && y.items.is_empty();
                if x.dims != y.dims && !empty {
                    return error(
                        "E0317",
                        span,
                        format!(
                            "the sides of the equation differ in size: {:?} and {:?}",
                            x.dims, y.dims
                        ),
                    );
                }
                for (p, q) in x.items.iter().zip(&y.items) {
                    self.equate(p.clone(), q.clone(), span, origin)?;
                }
                Ok(())
            }
            (Value::Record(x), Value::Record(y)) => {
                for (n, p) in &x.fields {
                    let Some((_, q)) = y.fields.iter().find(|(m, _)| m == n) else {
                        return error(
                            "E0317",
                            span,
                            format!("only one side of the equation has the field `{n}`"),
                        );
                    };
                    if p.scalar().is_some_and(|s| self.flat.exprs.is_literal(s)) && p == q {
                        continue;
                    }
                    self.equate(p.clone(), q.clone(), span, origin)?;
                }
                Ok(())
            }
            (Value::Tuple(x), Value::Tuple(y)) => {
                if x.len() > y.len() {
                    return error(
                        "E0340",
                        span,
                        format!("{} results are wanted, the call has {}", x.len(), y.len()),
                    );
                }
                for (p, q) in x.into_iter().zip(y) {
                    if matches!(&p, Value::Tuple(t) if t.is_empty()) {
                        continue;
                    }
                    self.equate(p, q, span, origin)?;
                }
                Ok(())
            }
            (Value::Tuple(x), y) if x.len() == 1 => self.equate(
                x.into_iter().next().unwrap_or(Value::Tuple(Vec::new())),
                y,
                span,
                origin,
            ),
            (x, y @ Value::Tuple(_)) => {
                let y = first_of(y);
                if matches!(y, Value::Tuple(_)) {
                    return error("E0340", span, "the call has no result");
                }
                self.equate(x, y, span, origin)
            }
            // A scalar literal zero against an empty array is legal; anything else is not.
            (x, y) => error(
                "E0317",
                span,
                format!(
                    "the sides of the equation differ: {} and {}",
                    x.shape(),
                    y.shape()
                ),
            ),
        }
    }

    fn equate_scalars(&mut self, x: ExprId, y: ExprId, span: Span, origin: Origin) -> R<()> {
        let (tx, ty) = (self.flat.exprs.ty(x), self.flat.exprs.ty(y));
        let number = |t: Ty| matches!(t, Ty::Real | Ty::Integer | Ty::Tuple);
        if !(tx == ty || (number(tx) && number(ty)) || tx == Ty::External || ty == Ty::External) {
            let text = format!(
                "the sides of the equation differ in type: {} and {}",
                self.type_text(tx),
                self.type_text(ty)
            );
            return error("E0321", span, text);
        }
        self.push_equation(x, y, span, origin);
        Ok(())
    }

    // If-equations.

    fn if_equation(&mut self, i: &'a ast::IfEquation, env: &Env, span: Span) -> R<()> {
        let mut open: Vec<(ExprId, &'a [ast::Equation])> = Vec::new();
        let mut rest: &'a [ast::Equation] = &i.else_equations;
        for b in &i.branches {
            let c = self.eval_scalar(&b.condition, env)?;
            if self.flat.exprs.ty(c) != Ty::Boolean {
                return error("E0321", b.condition.span, "the condition must be Boolean");
            }
            let known = match self.flat.exprs.as_bool(c) {
                Some(k) => Some(k),
                None if self.depends_on_parameters_only(c) => {
                    let v = self.eval_constant(&b.condition, env);
                    v.ok().and_then(|v| self.flat.exprs.as_bool(v))
                }
                None => None,
            };
            match known {
                Some(false) => {}
                Some(true) => {
                    rest = &b.equations;
                    break;
                }
                None => open.push((c, &b.equations)),
            }
        }
        if open.is_empty() {
            return self.equations(rest, env);
        }
        // Run-time conditions: the branches have equally many equations, taken together one by one.
        let mut branches = Vec::new();
        let mut guards = 0;
        for (c, list) in &open {
            self.guards.push(*c);
            let result = self.captured(list, env);
            self.guards.pop();
            branches.push(result?);
            let not = self.flat.exprs.not(*c);
            self.guards.push(not);
            guards += 1;
        }
        let last = self.captured(rest, env);
        for _ in 0..guards {
            self.guards.pop();
        }
        let mut last = last?;
        let determines = branches.iter().any(|b| !b.is_empty());
        if self.initial && determines && last.is_empty() && rest.is_empty() {
            // An initial if-equation without else applies only when its condition holds; it needs
            // a condition known at compile time.
            return error(
                "E0345",
                span,
                "the condition of an initial if-equation must be known at compile time",
            );
        }
        for b in branches.iter().rev() {
            if b.len() != last.len() {
                return error(
                    "E0346",
                    span,
                    format!(
                        "the branches of the if-equation have {} and {} equations",
                        b.len(),
                        last.len()
                    ),
                );
            }
        }
        for (k, b) in branches.into_iter().enumerate().rev() {
            let c = open[k].0;
            let mut b: Vec<Option<Equation>> = b.into_iter().map(Some).collect();
            let mut merged = Vec::with_capacity(last.len());
            for (position, e) in last.iter().enumerate() {
                // Pair equations of the same left side; otherwise by position.
                let partner = b
                    .iter()
                    .position(|x| x.as_ref().is_some_and(|x| x.lhs == e.lhs))
                    .or_else(|| {
                        if b[position].is_some() {
                            Some(position)
                        } else {
                            b.iter().position(Option::is_some)
                        }
                    });
                let Some(x) = partner.and_then(|p| b[p].take()) else {
                    continue;
                };
                let x_exprs = &mut self.flat.exprs;
                merged.push(if x.lhs == e.lhs {
                    Equation {
                        rhs: x_exprs.if_then_else(c, x.rhs, e.rhs),
                        ..e.clone()
                    }
                } else if x.rhs == e.rhs {
                    Equation {
                        lhs: x_exprs.if_then_else(c, x.lhs, e.lhs),
                        ..e.clone()
                    }
                } else if x_exprs.ty(x.lhs) == Ty::Real || x_exprs.ty(x.lhs) == Ty::Integer {
                    let p = x_exprs.sub(x.lhs, x.rhs);
                    let q = x_exprs.sub(e.lhs, e.rhs);
                    let zero = x_exprs.real(0.0);
                    Equation {
                        lhs: zero,
                        rhs: x_exprs.if_then_else(c, p, q),
                        ..e.clone()
                    }
                } else {
                    return error(
                        "E0346",
                        span,
                        "the branches of the if-equation define different discrete variables",
                    );
                });
            }
            last = merged;
        }
        for e in last {
            let list = if self.initial {
                &mut self.flat.initial_equations
            } else {
                &mut self.flat.equations
            };
            list.push(e);
        }
        Ok(())
    }

    /// The equations that a list makes, taken out of the model again.
    pub fn captured(&mut self, list: &'a [ast::Equation], env: &Env) -> R<Vec<Equation>> {
        let target = if self.initial {
            &mut self.flat.initial_equations
        } else {
            &mut self.flat.equations
        };
        let start = target.len();
        let result = self.equations(list, env);
        let target = if self.initial {
            &mut self.flat.initial_equations
        } else {
            &mut self.flat.equations
        };
        let mut made = target.split_off(start);
        result?;
        // Equations of auxiliary variables are valid in any branch.
        let auxiliary: Vec<Equation> = made
            .extract_if(.., |e| e.origin == Origin::Generated)
            .collect();
        target.extend(auxiliary);
        Ok(made)
    }

    pub fn depends_on_parameters_only(&self, e: ExprId) -> bool {
        let mut only = true;
        self.flat
            .exprs
            .postorder(&[e], |id| match self.flat.exprs.get(id) {
                Expr::Var(v) => only &= self.flat.vars[v].variability <= Variability::Parameter,
                Expr::Time | Expr::Der(_) | Expr::Pre(_) => only = false,
                Expr::Builtin(f, _) => {
                    only &= !matches!(
                        f,
                        ferrica_ir::Builtin::Initial
                            | ferrica_ir::Builtin::Terminal
                            | ferrica_ir::Builtin::Sample
                            | ferrica_ir::Builtin::WhenFires
                    );
                }
                _ => {}
            });
        only
    }

    // Algorithms.

    fn algorithm(&mut self, section: &'a ast::AlgorithmSection, scope: ScopeId) -> R<()> {
        // A first run finds the variables that are assigned; the second starts from their defaults.
        let marks = self.effect_marks();
        let mut env = Env {
            assigned: Some(FxHashMap::default()),
            ..Env::new(scope)
        };
        if let Err(d) = self.run(&section.statements, &mut env, true) {
            self.drop_effects(marks);
            self.guards.clear();
            if d.code != crate::exec::DYNAMIC {
                return Err(d);
            }
            for (v, value) in self.lower_algorithm(section, scope)? {
                let lhs = self.flat.exprs.var(v, self.flat.vars[v].ty);
                self.push_equation(lhs, value, section.span, Origin::Algorithm);
            }
            return Ok(());
        }
        let mut keys: Vec<VarId> = env.assigned.unwrap_or_default().into_keys().collect();
        keys.sort_unstable();
        self.drop_effects(marks);
        let mut start = FxHashMap::default();
        for &v in &keys {
            let value = self.default_of(v);
            start.insert(v, value);
        }
        let mut env = Env {
            assigned: Some(start),
            ..Env::new(scope)
        };
        self.run(&section.statements, &mut env, true)?;
        let values = env.assigned.unwrap_or_default();
        for v in keys {
            let ty = self.flat.vars[v].ty;
            let Some(&value) = values.get(&v) else {
                continue;
            };
            let lhs = self.flat.exprs.var(v, ty);
            let mut has_pre_of_itself = false;
            self.flat.exprs.postorder(&[value], |id| {
                has_pre_of_itself |= self.flat.exprs.get(id) == Expr::Pre(v);
            });
            if has_pre_of_itself {
                self.make_discrete(v);
            }
            self.push_equation(lhs, value, section.span, Origin::Algorithm);
        }
        Ok(())
    }

    fn effect_marks(&self) -> [usize; 4] {
        [
            self.flat.reinits.len(),
            self.flat.assertions.len(),
            self.flat.terminates.len(),
            self.flat.effects.len(),
        ]
    }

    fn drop_effects(&mut self, marks: [usize; 4]) {
        self.flat.reinits.truncate(marks[0]);
        for a in self.flat.assertions.drain(marks[1]..) {
            self.assertions_seen.remove(&(a.guard, a.condition));
        }
        self.flat.terminates.truncate(marks[2]);
        self.flat.effects.truncate(marks[3]);
    }
}

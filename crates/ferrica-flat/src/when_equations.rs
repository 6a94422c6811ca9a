//! When-equations: discrete equations that hold their value between events (section 8.3.5).

use ferrica_ir::flat::{Origin, Variability};
use ferrica_ir::{Diagnostic, Expr, ExprId, Span, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::first_of;
use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::iterators::uses_in_equations;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn when_equation(
        &mut self,
        branches: &'a [ast::EquationBranch],
        env: &Env,
        span: Span,
    ) -> R<()> {
        let mut fired = Vec::new();
        let mut assignments: Vec<FxHashMap<VarId, ExprId>> = Vec::new();
        let mut order: Vec<(VarId, Span)> = Vec::new();
        let mut guards = 0;
        for b in branches {
            let c = match self.when_condition(&b.condition, env) {
                Err(d) if d.code == "E0341" && branches.len() > 1 => {
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0347",
                            b.condition.span,
                            "a when-equation with a clock has no `elsewhen`",
                        )
                        .with_hint("write a when-equation of its own for each clock"),
                    ));
                }
                Err(d) if d.code == "E0341" => return self.clocked_when(b, env),
                c => c?,
            };
            let mut map = FxHashMap::default();
            self.guards.push(c);
            self.in_when += 1;
            let result = self.when_body(&b.equations, env, &mut map, &mut order);
            self.in_when -= 1;
            self.guards.pop();
            result?;
            fired.push(c);
            assignments.push(map);
            let not = self.flat.exprs.not(c);
            self.guards.push(not);
            guards += 1;
        }
        for _ in 0..guards {
            self.guards.pop();
        }
        let mut done = rustc_hash::FxHashSet::default();
        for (v, at) in order {
            if !done.insert(v) {
                continue;
            }
            let ty = self.flat.vars[v].ty;
            let x = &mut self.flat.exprs;
            let mut value = x.pre(v, ty);
            for (c, map) in fired.iter().zip(&assignments).rev() {
                if let Some(&e) = map.get(&v) {
                    value = x.if_then_else(*c, e, value);
                } else {
                    // The branch fires without touching the variable: later branches do not count.
                    let keep = x.pre(v, ty);
                    value = x.if_then_else(*c, keep, value);
                }
            }
            if self.flat.vars[v].variability == Variability::Continuous {
                self.flat.vars[v].variability = Variability::Discrete;
            }
            let lhs = self.flat.exprs.var(v, ty);
            self.push_equation(
                lhs,
                value,
                if at.is_none() { span } else { at },
                Origin::When,
            );
        }
        Ok(())
    }

    fn when_body(
        &mut self,
        list: &'a [ast::Equation],
        env: &Env,
        map: &mut FxHashMap<VarId, ExprId>,
        order: &mut Vec<(VarId, Span)>,
    ) -> R<()> {
        for e in list {
            match &e.kind {
                ast::EquationKind::Eq(lhs, rhs) => {
                    let (a, b) = (self.eval(lhs, env)?, self.eval(rhs, env)?);
                    self.when_assign(a, b, map, order, e.span)?;
                }
                ast::EquationKind::For(f) => {
                    let body = uses_in_equations(&f.equations);
                    self.for_each(&f.iterators, env, &body, &mut |me, inner| {
                        me.when_body(&f.equations, inner, map, order)
                    })?;
                }
                ast::EquationKind::If(i) => self.when_if(i, env, map, order)?,
                ast::EquationKind::Call(c) => {
                    let mut inner = env.clone();
                    self.call_statement(c, &mut inner)?;
                }
                ast::EquationKind::When(_) => {
                    return error("E0347", e.span, "when-clauses cannot be nested");
                }
                ast::EquationKind::Connect(..) => {
                    return error("E0347", e.span, "`connect` cannot be used in a when-clause");
                }
            }
        }
        Ok(())
    }

    fn when_if(
        &mut self,
        i: &'a ast::IfEquation,
        env: &Env,
        map: &mut FxHashMap<VarId, ExprId>,
        order: &mut Vec<(VarId, Span)>,
    ) -> R<()> {
        let mut conditions = Vec::new();
        let mut maps = Vec::new();
        let mut guards = 0;
        let mut closed = false;
        for (c, list) in i
            .branches
            .iter()
            .map(|b| (Some(&b.condition), &b.equations))
            .chain([(None, &i.else_equations)])
        {
            let cond = match c {
                Some(c) => self.eval_scalar(c, env)?,
                None => self.flat.exprs.bool(true),
            };
            if self.flat.exprs.as_bool(cond) == Some(false) || closed {
                continue;
            }
            closed = self.flat.exprs.as_bool(cond) == Some(true);
            let mut inner = map.clone();
            self.guards.push(cond);
            let result = self.when_body(list, env, &mut inner, order);
            self.guards.pop();
            result?;
            conditions.push(cond);
            maps.push(inner);
            let not = self.flat.exprs.not(cond);
            self.guards.push(not);
            guards += 1;
        }
        for _ in 0..guards {
            self.guards.pop();
        }
        let mut keys: Vec<VarId> = maps.iter().flat_map(|m| m.keys().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        for v in keys {
            let ty = self.flat.vars[v].ty;
            let keep = map
                .get(&v)
                .copied()
                .unwrap_or_else(|| self.flat.exprs.pre(v, ty));
            let mut value = keep;
            for (c, m) in conditions.iter().zip(&maps).rev() {
                let here = m.get(&v).copied().unwrap_or(keep);
                value = self.flat.exprs.if_then_else(*c, here, value);
            }
            map.insert(v, value);
        }
        Ok(())
    }

    fn when_assign(
        &mut self,
        a: Value,
        b: Value,
        map: &mut FxHashMap<VarId, ExprId>,
        order: &mut Vec<(VarId, Span)>,
        span: Span,
    ) -> R<()> {
        let b = if matches!(a, Value::Tuple(_)) {
            b
        } else {
            first_of(b)
        };
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => {
                let (v, value) = match (self.flat.exprs.get(x), self.flat.exprs.get(y)) {
                    (Expr::Var(v), _) => (v, y),
                    (_, Expr::Var(v)) => (v, x),
                    _ => {
                        return error(
                            "E0348",
                            span,
                            "an equation in a when-clause must have a variable on its left side",
                        );
                    }
                };
                let ty = self.flat.vars[v].ty;
                let value = self
                    .convert(Value::Scalar(value), ty, span)?
                    .scalar()
                    .unwrap_or(value);
                if map.insert(v, value).is_some() {
                    return Err(twice(
                        &self.flat.vars[v].name,
                        span,
                        "keep one of its equations",
                    ));
                }
                order.push((v, span));
                Ok(())
            }
            (Value::Array(x), Value::Array(y)) if x.dims == y.dims => {
                for (p, q) in x.items.iter().zip(&y.items) {
                    self.when_assign(p.clone(), q.clone(), map, order, span)?;
                }
                Ok(())
            }
            (Value::Record(x), Value::Record(y)) => {
                for (n, p) in &x.fields {
                    if let Some((_, q)) = y.fields.iter().find(|(m, _)| m == n) {
                        self.when_assign(p.clone(), q.clone(), map, order, span)?;
                    }
                }
                Ok(())
            }
            (Value::Tuple(x), Value::Tuple(y)) => {
                for (p, q) in x.into_iter().zip(y) {
                    if matches!(&p, Value::Tuple(t) if t.is_empty()) {
                        continue;
                    }
                    self.when_assign(p, q, map, order, span)?;
                }
                Ok(())
            }
            (x, y) => error(
                "E0317",
                span,
                format!("the sides differ: {} and {}", x.shape(), y.shape()),
            ),
        }
    }

    /// The equations of a clocked when-clause are ordinary equations of its clock.
    fn clocked_when(&mut self, b: &'a ast::EquationBranch, env: &Env) -> R<()> {
        let mut clock = self.eval_scalar(&b.condition, env)?;
        if matches!(
            self.flat.exprs.get(clock),
            Expr::Builtin(ferrica_ir::Builtin::ClockInferred, _)
        ) {
            // One clock for all equations of the clause, whatever it will turn out to be.
            let name = format!("$clock{}", self.flat.vars.len());
            let mut var = ferrica_ir::flat::Variable::new(name, Ty::Clock, Variability::Discrete);
            var.hidden = true;
            let c = self.flat.vars.push(var);
            clock = self.flat.exprs.var(c, Ty::Clock);
        }
        let made = self.captured(&b.equations, env)?;
        for mut e in made {
            e.rhs = self
                .flat
                .exprs
                .builtin(ferrica_ir::Builtin::OnClock, &[e.rhs, clock]);
            self.flat.equations.push(e);
        }
        Ok(())
    }
}

/// A variable gets one value in a when-clause.
pub fn twice(name: &str, span: Span, hint: &str) -> Box<Diagnostic> {
    let text = format!("`{name}` gets two values in one when-clause");
    Box::new(Diagnostic::error("E0374", span, text).with_hint(hint))
}

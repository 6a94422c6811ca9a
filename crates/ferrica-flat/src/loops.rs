//! Loops of equations over neighbours: `for i in 2:n loop q[i] = k*(T[i-1] - T[i]); end for`.
//!
//! In: a loop whose iterator is only a subscript `i`, `i + c` or `i - c` of arrays of variables or of families. Its equations are evaluated for
//! the first, the second and the last value of the iterator; where each variable of the first moves on by the same stride to the second, and
//! so to the last, the others are put down by their numbers. Out: the equations that an evaluation for each value would give. Any other loop
//! is left to `equations`.

use ferrica_ir::elementary::{Elementary, Shape, named};
use ferrica_ir::flat::Equation;
use ferrica_ir::{Expr, ExprArena, ExprId, Symbol, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::eval::{Env, Local};
use crate::family::Stamp;
use crate::flattener::{Flattener, R};
use crate::instance::{Content, State};
use crate::lookup::Found;

/// Variables of one pass whose paths are compared with each other: longer lists are evaluated value by value.
const MOST_VARIABLES: usize = 64;

/// Passes below which there is nothing to gain: three are evaluated.
const FEWEST_PASSES: i64 = 4;

impl<'a> Flattener<'a> {
    /// The equations of a loop over one iterator, or false if it is not regular.
    pub fn regular_loop(
        &mut self,
        it: &'a ast::ForIterator,
        list: &'a [ast::Equation],
        env: &Env,
    ) -> R<bool> {
        let plain = list.iter().all(|e| match &e.kind {
            ast::EquationKind::Eq(l, r) => {
                self.moves_regularly(l, it.name, env) && self.moves_regularly(r, it.name, env)
            }
            _ => false,
        });
        if !plain || !self.guards.is_empty() {
            return Ok(false);
        }
        let Some((from, to)) = self.plain_range(it, env) else {
            return Ok(false);
        };
        if let Some(range) = &it.range {
            self.check_range(range, env);
        }
        let mut inner = env.clone();
        let before = self.mark();
        let first = self.pass(it.name, from, list, &mut inner)?;
        let second = self.pass(it.name, from + 1, list, &mut inner)?;
        let last = match self.pass(it.name, to, list, &mut inner) {
            Ok(last) => last,
            Err(d) => return Err(self.first_mistake(it.name, from + 1, to, d, list, &mut inner)),
        };
        let only_equations = before.is_same_but_equations(&self.mark());
        let strides = only_equations
            .then(|| strides(&self.flat.exprs, &first, &second, to - from))
            .flatten();
        let stamped = strides.and_then(|s| self.stamped(&s, &first, &last, to - from));
        let initial = self.initial;
        let out = match initial {
            true => &mut self.flat.initial_equations,
            false => &mut self.flat.equations,
        };
        out.extend(first.into_iter().chain(second));
        if let Some(rest) = stamped {
            out.extend(rest);
            return Ok(true);
        }
        for i in from + 2..=to {
            let made = self.pass(it.name, i, list, &mut inner)?;
            match initial {
                true => self.flat.initial_equations.extend(made),
                false => self.flat.equations.extend(made),
            }
        }
        Ok(true)
    }

    /// First and last value of an iterator that runs over `from:to`, where it is worth not to look at each.
    pub(crate) fn plain_range(
        &mut self,
        it: &'a ast::ForIterator,
        env: &Env,
    ) -> Option<(i64, i64)> {
        let Some(ast::ExprKind::Range(range)) = it.range.as_ref().map(|r| &r.kind) else {
            return None;
        };
        if self.one_by_one || range.step.is_some() {
            return None;
        }
        let mut bound = |e: &'a ast::Expr| {
            let value = self.eval_constant(e, env).ok()?;
            match self.flat.exprs.get(value) {
                Expr::Int(v) => Some(v),
                _ => None,
            }
        };
        let (from, to) = (bound(&range.start)?, bound(&range.stop)?);
        let many = to.saturating_sub(from) >= FEWEST_PASSES - 1;
        (many && crate::limits::elements(&[(to - from) as usize + 1], it.span).is_ok())
            .then_some((from, to))
    }

    /// What is wrong in the first pass that fails, between one that is right and the last one: subscripts only grow, so that
    /// all passes behind it fail too.
    fn first_mistake(
        &mut self,
        name: Symbol,
        mut right: i64,
        mut wrong: i64,
        mut mistake: Box<ferrica_ir::Diagnostic>,
        list: &'a [ast::Equation],
        env: &mut Env,
    ) -> Box<ferrica_ir::Diagnostic> {
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            match self.pass(name, middle, list, env) {
                Ok(_) => right = middle,
                Err(d) => (wrong, mistake) = (middle, d),
            }
        }
        mistake
    }

    /// The equations for one value of the iterator.
    fn pass(
        &mut self,
        name: Symbol,
        value: i64,
        list: &'a [ast::Equation],
        env: &mut Env,
    ) -> R<Vec<Equation>> {
        let value = crate::value::Value::Scalar(self.flat.exprs.int(value));
        let ty = None;
        env.locals.push(Local {
            name,
            value,
            ty,
            sized: false,
        });
        let made = self.captured(list, env);
        env.locals.pop();
        made
    }

    /// The equations from the third pass on, if the last one is what has been evaluated for it.
    fn stamped(
        &mut self,
        strides: &FxHashMap<VarId, u32>,
        first: &[Equation],
        last: &[Equation],
        passes: i64,
    ) -> Option<Vec<Equation>> {
        let roots: Vec<ExprId> = first.iter().flat_map(|e| [e.lhs, e.rhs]).collect();
        let stride = |v: VarId| strides.get(&v).copied().unwrap_or(0);
        let mut stamp = Stamp::new(&self.flat.exprs, &roots, |v| stride(v) != 0);
        let mut out = Vec::with_capacity(first.len() * (passes as usize - 1));
        // The last one first: it says whether the others may be made.
        for k in std::iter::once(passes as u32).chain(2..passes as u32) {
            stamp.put(&mut self.flat.exprs, &|v| {
                VarId::from_u32(v.as_u32() + k * stride(v))
            });
            let made = first.iter().map(|e| Equation {
                lhs: stamp.of(e.lhs),
                rhs: stamp.of(e.rhs),
                ..*e
            });
            if k == passes as u32 {
                let same = |(x, y): (Equation, &Equation)| x.lhs == y.lhs && x.rhs == y.rhs;
                if first.len() != last.len() || !made.zip(last).all(same) {
                    return None;
                }
            } else {
                out.extend(made);
            }
        }
        out.extend_from_slice(last);
        Some(out)
    }

    /// Is the iterator in an expression only where it moves references along arrays?
    fn moves_regularly(&mut self, e: &'a ast::Expr, name: Symbol, env: &Env) -> bool {
        match &e.kind {
            ast::ExprKind::Int(_) | ast::ExprKind::Real(_) => true,
            ast::ExprKind::Ref(r) => self.reference_moves_regularly(r, name, env),
            ast::ExprKind::Unary(_, a) => self.moves_regularly(a, name, env),
            ast::ExprKind::Binary(op, ab) => {
                use ast::BinaryOp::*;
                matches!(op, Add | Sub | Mul | Div | Pow)
                    && self.moves_regularly(&ab.0, name, env)
                    && self.moves_regularly(&ab.1, name, env)
            }
            ast::ExprKind::Call(c) => {
                let function = c.function.as_ident().map(|n| n.as_str()).unwrap_or("");
                let smooth = |row: &Elementary| row.shape == Shape::Smooth;
                (function == "der" || named(function).is_some_and(smooth))
                    && c.args.named.is_empty()
                    && c.args.iterators.is_empty()
                    && (c.args.positional.iter()).all(|a| self.moves_regularly(a, name, env))
            }
            _ => false,
        }
    }

    fn reference_moves_regularly(
        &mut self,
        r: &'a ast::ComponentRef,
        name: Symbol,
        env: &Env,
    ) -> bool {
        let uses = |s: &ast::Subscript| match s {
            ast::Subscript::Colon(_) => false,
            ast::Subscript::Expr(e) => mentions(e, name),
        };
        if r.parts[0].name == name {
            return false;
        }
        if !r.parts.iter().any(|p| p.subscripts.iter().any(uses)) {
            return true;
        }
        let shifted = |s: &ast::Subscript| match s {
            ast::Subscript::Expr(e) if mentions(e, name) => is_shifted(e, name),
            _ => true,
        };
        if r.global
            || env.has_local(r.parts[0].name)
            || !r.parts.iter().all(|p| p.subscripts.iter().all(shifted))
        {
            return false;
        }
        let Ok(Some(Found::Element(mut e))) = self.lookup_simple(env.scope, r.parts[0].name) else {
            return false;
        };
        for (k, part) in r.parts.iter().enumerate() {
            let Ok(actual) = self.actual(e) else {
                return false;
            };
            let Some(c) = self
                .tree
                .component(actual)
                .filter(|c| c.state == State::Ready)
            else {
                return false;
            };
            let scope = match &c.content {
                Content::Scalar(_) => {
                    use ferrica_ir::flat::Variability::{Constant, Parameter};
                    let is_value =
                        c.variability == Constant || c.variability == Parameter && c.evaluate;
                    return k + 1 == r.parts.len() && !is_value;
                }
                Content::Class(scopes) if c.dims.is_empty() => scopes.first().copied(),
                Content::Family(f) if !part.subscripts.is_empty() => Some(f.first),
                _ => None,
            };
            let next = r.parts.get(k + 1);
            let (Some(scope), Some(next)) = (scope, next) else {
                return false;
            };
            match self.member(scope, next.name) {
                Ok(Some(m)) => e = m,
                _ => return false,
            }
        }
        false
    }
}

/// Is a name among the words of an expression?
pub(crate) fn mentions(e: &ast::Expr, name: Symbol) -> bool {
    let text = e.to_string();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name.as_str())
}

/// `i`, `i + 1`, `1 + i`, `i - 1`.
pub(crate) fn is_shifted(e: &ast::Expr, name: Symbol) -> bool {
    let iterator = |e: &ast::Expr| match &e.kind {
        ast::ExprKind::Ref(r) => r.parts.len() == 1 && r.parts[0].subscripts.is_empty(),
        _ => false,
    };
    let number = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Int(_));
    match &e.kind {
        ast::ExprKind::Ref(_) => iterator(e) && mentions(e, name),
        ast::ExprKind::Binary(ast::BinaryOp::Add, ab) => {
            (iterator(&ab.0) && number(&ab.1)) || (number(&ab.0) && iterator(&ab.1))
        }
        ast::ExprKind::Binary(ast::BinaryOp::Sub, ab) => iterator(&ab.0) && number(&ab.1),
        _ => false,
    }
}

/// How far each variable of the first equations moves to the second ones. None if these differ in more than their variables, or if two
/// variables with different strides may meet on the way: then they are one variable in some pass.
fn strides(
    x: &ExprArena,
    first: &[Equation],
    second: &[Equation],
    passes: i64,
) -> Option<FxHashMap<VarId, u32>> {
    if first.len() != second.len() {
        return None;
    }
    let mut strides: FxHashMap<VarId, u32> = FxHashMap::default();
    let mut partner: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let both = |(p, q): (&Equation, &Equation)| [(p.lhs, q.lhs), (p.rhs, q.rhs)];
    let mut stack: Vec<(ExprId, ExprId)> = first.iter().zip(second).flat_map(both).collect();
    while let Some((a, b)) = stack.pop() {
        match partner.insert(a, b) {
            Some(known) if known != b => return None,
            Some(_) => continue,
            None => {}
        }
        let mut step = |v: VarId, w: VarId| {
            let stride = w.as_u32().checked_sub(v.as_u32())?;
            (*strides.entry(v).or_insert(stride) == stride).then_some(())
        };
        match (x.get(a), x.get(b)) {
            (Expr::Var(v), Expr::Var(w))
            | (Expr::Der(v), Expr::Der(w))
            | (Expr::Pre(v), Expr::Pre(w)) => step(v, w)?,
            (Expr::Unary(p, _), Expr::Unary(q, _)) if p == q => {}
            (Expr::Binary(p, ..), Expr::Binary(q, ..)) if p == q => {}
            (Expr::Builtin(p, _), Expr::Builtin(q, _)) if p == q => {}
            _ if a == b && (x.is_literal(a) || x.get(a) == Expr::Time) => {}
            _ => return None,
        }
        if x.ty(a) != x.ty(b) {
            return None;
        }
        let (mut p, mut q) = (Vec::new(), Vec::new());
        x.for_each_child(a, |c| p.push(c));
        x.for_each_child(b, |c| q.push(c));
        if p.len() != q.len() {
            return None;
        }
        stack.extend(p.into_iter().zip(q));
    }
    if strides.len() > MOST_VARIABLES {
        return None;
    }
    let way = |v: VarId, stride: u32| {
        let from = u64::from(v.as_u32());
        (from, from + u64::from(stride) * passes as u64)
    };
    for (&v, &p) in &strides {
        for (&w, &q) in &strides {
            let ((a, b), (c, d)) = (way(v, p), way(w, q));
            if p != q && a <= d && c <= b {
                return None;
            }
        }
    }
    Some(strides)
}

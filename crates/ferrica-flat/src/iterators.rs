//! What iterators run over, and array constructors with iterators (sections 10.4.1 and 11.2.2).
//!
//! A range is given, is a type (`Boolean` or an enumeration), or follows from what the iterator
//! subscripts in the body of the loop.

use ferrica_ir::{Diagnostic, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::instance::{Element, ElementId};
use crate::lookup::Found;
use crate::value::Value;

/// A place in the body of a loop where an iterator may be a subscript.
#[derive(Clone, Copy)]
pub enum Use<'a> {
    Expr(&'a ast::Expr),
    /// Left side of an assignment, or an end of a connection.
    Target(&'a ast::ComponentRef),
}

impl<'a> Flattener<'a> {
    /// Values that the iterators of a loop run over, one list for each.
    pub fn iterator_values(
        &mut self,
        it: &'a ast::ForIterator,
        env: &Env,
        body: &[Use<'a>],
    ) -> R<Vec<Value>> {
        let Some(range) = &it.range else {
            return self.implied_range(it, env, body);
        };
        // A type as a range: all its values.
        if let ast::ExprKind::Ref(r) = &range.kind
            && let Ok(Some(found)) = self.type_of_ref(r, env)
        {
            return self.values_of_type(found, range.span);
        }
        let value = self.eval(range, env)?;
        match value {
            Value::Array(a) if a.dims.len() == 1 => Ok(a.items.clone()),
            _ => Err(Box::new(
                Diagnostic::error(
                    "E0324",
                    range.span,
                    "the range of an iterator must be a vector",
                )
                .with_hint("write for example `1:n` or `{1, 3, 5}`"),
            )),
        }
    }

    fn type_of_ref(&mut self, r: &'a ast::ComponentRef, env: &Env) -> R<Option<Ty>> {
        if r.parts.iter().any(|p| !p.subscripts.is_empty()) || env.has_local(r.parts[0].name) {
            return Ok(None);
        }
        let name = ast::Name {
            global: r.global,
            parts: r.parts.iter().map(|p| p.name).collect(),
            span: r.span,
        };
        Ok(match self.lookup_class(env.scope, &name)? {
            Found::Predefined(ty) => Some(ty),
            Found::Element(e) if matches!(self.tree.elements[e], Element::Class(_)) => {
                let s = self.class_scope(e)?;
                self.expand(s)?;
                self.tree.scopes[s].builtin
            }
            Found::Element(_) | Found::Literal(..) => None,
        })
    }

    /// `for i loop x[i]`: the range follows from what `i` subscripts.
    fn implied_range(
        &mut self,
        it: &'a ast::ForIterator,
        env: &Env,
        body: &[Use<'a>],
    ) -> R<Vec<Value>> {
        let mut uses = Vec::new();
        for u in body {
            match u {
                Use::Expr(e) => find_subscripts(e, it.name, &mut uses),
                Use::Target(r) => find_in_ref(r, it.name, &mut uses),
            }
        }
        let mut found: Option<usize> = None;
        for (r, part, k) in uses {
            if found.is_none()
                && let Some(ty) = self.index_type(r, part, k, env)?
            {
                return self.values_of_type(ty, it.span);
            }
            let size = match self.ref_dims(r, part, env) {
                Err(d) if found.is_none() => return Err(d),
                size => size.unwrap_or_default(),
            };
            let Some(&n) = size.get(k) else {
                continue;
            };
            match found {
                Some(before) if before != n => {
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0325",
                            r.span,
                            format!("`{}` subscripts dimensions of {before} and of {n}", it.name),
                        )
                        .with_hint("write the range: `for i in 1:n`"),
                    ));
                }
                _ => found = Some(n),
            }
        }
        if let Some(n) = found {
            let x = &mut self.flat.exprs;
            return Ok((1..=n as i64).map(|v| Value::Scalar(x.int(v))).collect());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0325",
                it.span,
                format!("the range of `{}` cannot be inferred from its use", it.name),
            )
            .with_hint("write the range: `for i in 1:n loop`"),
        ))
    }

    /// All values of Boolean or of an enumeration.
    fn values_of_type(&mut self, ty: Ty, span: Span) -> R<Vec<Value>> {
        let x = &mut self.flat.exprs;
        Ok(match ty {
            Ty::Boolean => vec![Value::Scalar(x.bool(false)), Value::Scalar(x.bool(true))],
            Ty::Enum(id) => {
                let n = self.flat.enums[id].literals.len() as u32;
                (1..=n)
                    .map(|k| Value::Scalar(x.enum_literal(id, k)))
                    .collect()
            }
            _ => return error("E0324", span, "this type cannot be iterated over"),
        })
    }

    /// The type that dimension `k` of the component at `part` of a reference is declared with.
    fn index_type(
        &mut self,
        r: &'a ast::ComponentRef,
        part: usize,
        k: usize,
        env: &Env,
    ) -> R<Option<Ty>> {
        let Some(e) = self.component_at(r, part, env)? else {
            return Ok(None);
        };
        let Some(c) = self.tree.component(e) else {
            return Ok(None);
        };
        let (decl, scope) = c.dims_from.unwrap_or((c.decl, c.scope));
        let subscript = decl.subscripts.iter().chain(&decl.type_subscripts).nth(k);
        match subscript {
            Some(ast::Subscript::Expr(ast::Expr {
                kind: ast::ExprKind::Ref(name),
                ..
            })) => Ok(self.type_of_ref(name, &Env::new(scope)).unwrap_or(None)),
            _ => Ok(None),
        }
    }

    /// The component at `part` of a reference.
    fn component_at(
        &mut self,
        r: &'a ast::ComponentRef,
        part: usize,
        env: &Env,
    ) -> R<Option<ElementId>> {
        let Some(Found::Element(mut e)) = self.lookup_simple(env.scope, r.parts[0].name)? else {
            return Ok(None);
        };
        for p in &r.parts[1..=part] {
            let scope = if self.tree.component(e).is_some() {
                self.component_scope(e)?
            } else {
                Some(self.class_scope(e)?)
            };
            let Some(scope) = scope else {
                return Ok(None);
            };
            match self.member(scope, p.name)? {
                Some(next) => e = next,
                None => return Ok(None),
            }
        }
        Ok(Some(e))
    }

    /// Dimensions of the component at `part` of a reference, subscripts there ignored.
    fn ref_dims(&mut self, r: &'a ast::ComponentRef, part: usize, env: &Env) -> R<Vec<usize>> {
        if let (Some(l), 0) = (env.local(r.parts[0].name), part) {
            return Ok(l.value.dims().to_vec());
        }
        let Some(e) = self.component_at(r, part, env)? else {
            return Ok(Vec::new());
        };
        let e = self.actual(e)?;
        Ok(self
            .tree
            .component(e)
            .map(|c| c.dims.clone())
            .unwrap_or_default())
    }

    pub fn comprehension(
        &mut self,
        element: &'a ast::Expr,
        iterators: &'a [ast::ForIterator],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        // The last iterator is the outermost dimension of the constructor's loops: for
        // `{e for i in a, j in b}` the result has size [b, a].
        let (Some(last), rest) = (
            iterators.last(),
            &iterators[..iterators.len().saturating_sub(1)],
        ) else {
            return self.eval(element, env);
        };
        let values = self.iterator_values(last, env, &[Use::Expr(element)])?;
        let mut inner = env.clone();
        let mut out = Vec::with_capacity(values.len());
        for v in values {
            self.spend(3, span)?;
            inner.locals.push(Local {
                name: last.name,
                value: v,
                ty: None,
                sized: false,
            });
            let value = if rest.is_empty() {
                self.eval(element, &inner)
            } else {
                self.comprehension(element, rest, &inner, span)
            };
            inner.locals.pop();
            out.push(value?);
        }
        self.stack(out, span)
    }
}

/// Where the range of an iterator of a for-equation may be found.
pub fn uses_in_equations(list: &[ast::Equation]) -> Vec<Use<'_>> {
    let mut out = Vec::new();
    for e in list {
        match &e.kind {
            ast::EquationKind::Eq(a, b) => out.extend([Use::Expr(a), Use::Expr(b)]),
            ast::EquationKind::Call(c) => out.push(Use::Expr(c)),
            ast::EquationKind::If(i) => {
                for b in &i.branches {
                    out.push(Use::Expr(&b.condition));
                    out.extend(uses_in_equations(&b.equations));
                }
                out.extend(uses_in_equations(&i.else_equations));
            }
            ast::EquationKind::For(f) => out.extend(uses_in_equations(&f.equations)),
            ast::EquationKind::When(branches) => {
                for b in branches {
                    out.push(Use::Expr(&b.condition));
                    out.extend(uses_in_equations(&b.equations));
                }
            }
            ast::EquationKind::Connect(a, b) => out.extend([Use::Target(a), Use::Target(b)]),
        }
    }
    out
}

/// Where the range of an iterator of a for-statement may be found.
pub fn uses_in_statements(statements: &[ast::Statement]) -> Vec<Use<'_>> {
    let mut out = Vec::new();
    for s in statements {
        match &s.kind {
            ast::StatementKind::Assign(r, e) => out.extend([Use::Target(r), Use::Expr(e)]),
            ast::StatementKind::TupleAssign(list, e) => {
                out.extend(list.iter().flatten().map(Use::Target));
                out.push(Use::Expr(e));
            }
            ast::StatementKind::Call(e) => out.push(Use::Expr(e)),
            ast::StatementKind::If(i) => {
                for b in &i.branches {
                    out.push(Use::Expr(&b.condition));
                    out.extend(uses_in_statements(&b.statements));
                }
                out.extend(uses_in_statements(&i.else_statements));
            }
            ast::StatementKind::For(f) => out.extend(uses_in_statements(&f.statements)),
            ast::StatementKind::While(w) => {
                out.push(Use::Expr(&w.condition));
                out.extend(uses_in_statements(&w.statements));
            }
            ast::StatementKind::When(branches) => {
                for b in branches {
                    out.push(Use::Expr(&b.condition));
                    out.extend(uses_in_statements(&b.statements));
                }
            }
            ast::StatementKind::Break | ast::StatementKind::Return => {}
        }
    }
    out
}

/// A reference in `e` with the subscript `name`: the reference, its part and the subscript's place.
/// A reference, the place of a part in it, and of a subscript in that.
type Subscripted<'e> = (&'e ast::ComponentRef, usize, usize);

fn find_subscripts<'e>(e: &'e ast::Expr, name: Symbol, out: &mut Vec<Subscripted<'e>>) {
    match &e.kind {
        ast::ExprKind::Ref(r) => find_in_ref(r, name, out),
        ast::ExprKind::Call(c) | ast::ExprKind::FunctionPartial(c) => {
            let named = c.args.named.iter().map(|n| &n.value);
            for a in c.args.positional.iter().chain(named) {
                find_subscripts(a, name, out);
            }
        }
        ast::ExprKind::Unary(_, a) | ast::ExprKind::Field(a, _) => find_subscripts(a, name, out),
        ast::ExprKind::Binary(_, ab) => {
            find_subscripts(&ab.0, name, out);
            find_subscripts(&ab.1, name, out);
        }
        ast::ExprKind::If(i) => {
            for (c, e) in &i.branches {
                find_subscripts(c, name, out);
                find_subscripts(e, name, out);
            }
            find_subscripts(&i.otherwise, name, out);
        }
        ast::ExprKind::Array(items) => {
            for a in items.iter() {
                find_subscripts(a, name, out);
            }
        }
        ast::ExprKind::Matrix(rows) => {
            for a in rows.iter().flatten() {
                find_subscripts(a, name, out);
            }
        }
        ast::ExprKind::Tuple(items) => {
            for a in items.iter().flatten() {
                find_subscripts(a, name, out);
            }
        }
        ast::ExprKind::Index(ib) => find_subscripts(&ib.0, name, out),
        ast::ExprKind::ArrayComprehension(c) => find_subscripts(&c.element, name, out),
        ast::ExprKind::Range(r) => {
            find_subscripts(&r.start, name, out);
            find_subscripts(&r.stop, name, out);
        }
        _ => {}
    }
}

fn find_in_ref<'e>(r: &'e ast::ComponentRef, name: Symbol, out: &mut Vec<Subscripted<'e>>) {
    for (p, part) in r.parts.iter().enumerate() {
        for (k, s) in part.subscripts.iter().enumerate() {
            let ast::Subscript::Expr(e) = s else {
                continue;
            };
            match &e.kind {
                ast::ExprKind::Ref(i) if i.as_ident() == Some(name) => out.push((r, p, k)),
                _ => find_subscripts(e, name, out),
            }
        }
    }
}

//! Identifiers in expressions: references, calls with their named arguments, loop variables.

use ferrica_ir::{Span, Symbol};
use ferrica_syntax::ast::{Call, ComponentRef, Expr, ExprKind, ForIterator};

use super::{CallSite, Role, Walker};

impl Walker<'_> {
    pub(super) fn reference(&mut self, r: &ComponentRef) {
        let path: Vec<Symbol> = r.parts.iter().map(|p| p.name).collect();
        let local = r.parts.first().filter(|_| !r.global);
        let local = local.and_then(|p| self.locals.iter().rev().find(|(n, _)| *n == p.name));
        if let Some(&(name, span)) = local {
            self.push(r.parts[0].span.start, name, Role::Local(span));
        } else {
            for (k, part) in r.parts.iter().enumerate() {
                let role = Role::Path {
                    global: r.global,
                    path: path[..=k].to_vec(),
                };
                self.push(part.span.start, part.name, role);
            }
        }
        for part in &r.parts {
            self.subscripts(&part.subscripts);
        }
    }

    /// Loop variables are known inside of `inner`; each range sees the ones before it.
    pub(super) fn with_iterators(
        &mut self,
        iterators: &[ForIterator],
        inner: impl FnOnce(&mut Self),
    ) {
        let before = self.locals.len();
        for i in iterators {
            if let Some(range) = &i.range {
                self.expression(range);
            }
            let end = i.span.start + i.name.as_str().len() as u32;
            let span = Span { end, ..i.span };
            self.locals.push((i.name, span));
            self.push(span.start, i.name, Role::Local(span));
        }
        inner(self);
        self.locals.truncate(before);
    }

    fn call(&mut self, call: &Call) {
        self.reference(&call.function);
        let function: Vec<Symbol> = call.function.parts.iter().map(|p| p.name).collect();
        self.out.calls.push(CallSite {
            class: self.class,
            global: call.function.global,
            function: function.clone(),
            positional: call.args.positional.iter().map(|e| e.span).collect(),
        });
        self.with_iterators(&call.args.iterators, |w| {
            call.args.positional.iter().for_each(|e| w.expression(e));
        });
        for named in &call.args.named {
            let role = Role::Argument {
                global: call.function.global,
                function: function.clone(),
                name: named.name,
            };
            self.push(named.span.start, named.name, role);
            self.expression(&named.value);
        }
    }

    pub(super) fn expression(&mut self, e: &Expr) {
        self.out.spans.push(e.span);
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::End => {}
            ExprKind::Ref(r) => self.reference(r),
            ExprKind::Call(c) | ExprKind::FunctionPartial(c) => self.call(c),
            ExprKind::Unary(_, a) | ExprKind::Field(a, _) => self.expression(a),
            ExprKind::Binary(_, ab) => {
                self.expression(&ab.0);
                self.expression(&ab.1);
            }
            ExprKind::If(i) => {
                for (condition, value) in &i.branches {
                    self.expression(condition);
                    self.expression(value);
                }
                self.expression(&i.otherwise);
            }
            ExprKind::Range(r) => {
                self.expression(&r.start);
                if let Some(step) = &r.step {
                    self.expression(step);
                }
                self.expression(&r.stop);
            }
            ExprKind::Array(list) => list.iter().for_each(|e| self.expression(e)),
            ExprKind::ArrayComprehension(c) => {
                self.with_iterators(&c.iterators, |w| w.expression(&c.element));
            }
            ExprKind::Matrix(rows) => rows.iter().flatten().for_each(|e| self.expression(e)),
            ExprKind::Tuple(list) => list.iter().flatten().for_each(|e| self.expression(e)),
            ExprKind::Index(of) => {
                self.expression(&of.0);
                self.subscripts(&of.1);
            }
        }
    }
}

//! Variables of a function that nothing has given a value (sections 12.2 and 12.4.4): an output that no statement assigns, and a
//! variable that is read where no statement before it can have assigned it.
//!
//! In: the statements of a function. Out: the first such place. What is assigned on some ways only is left to the run, where a Real
//! without a value is not a number.

use ferrica_ir::{Diagnostic, Span, Symbol, Ty};
use ferrica_syntax::ast::{self, ExprKind, StatementKind};
use rustc_hash::FxHashSet;

use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R};
use crate::instance::ScopeId;
use crate::lower::left_sides;
use crate::signature::{Param, ParamType, Signature};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// The outputs of a function are assigned, and no variable of it is read before that. Each function is looked at once.
    pub(crate) fn check_assigned(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        env: &Env,
        span: Span,
    ) -> R<()> {
        if self.assigned_checked.contains(&scope) {
            return Ok(());
        }
        let mut without = FxHashSet::default();
        let declared = || signature.outputs.iter().chain(&signature.locals);
        // Names that have no value here must not be looked up elsewhere.
        let mut inside = env.clone();
        inside.locals.extend(declared().map(|p| Local {
            name: p.name,
            value: Value::Tuple(Vec::new()),
            ty: None,
            sized: false,
        }));
        for p in declared() {
            // An array without elements needs none; of some the size is not known here.
            let empty = |v: R<Value>| v.map_or(true, |v| v.items().is_empty());
            if self.begins_without_value(p)?
                && (p.dims.is_empty() || !empty(self.default_value(p, &inside, span)))
            {
                without.insert(p.name);
            }
        }
        let sections = self.algorithms_of(scope);
        let mut course = Course::new(without);
        for (_, section) in &sections {
            course.follow(&section.statements);
        }
        let name = |f: &Self| f.class_name(scope);
        if let Some((variable, place)) = course.early {
            let text = format!(
                "`{variable}` of the function `{}` has no value where it is read",
                name(self)
            );
            return Err(Box::new(
                Diagnostic::error("E0380", place, text)
                    .with_hint("assign it before, or declare it with a value"),
            ));
        }
        for p in &signature.outputs {
            if !course.without.contains(&p.name) || course.ends_by_assertion {
                continue;
            }
            let text = format!(
                "the function `{}` never assigns its output `{}`",
                name(self),
                p.name
            );
            return Err(Box::new(
                Diagnostic::error("E0380", p.span, text)
                    .with_related(span, "called here")
                    .with_hint("assign it, or declare it with a value"),
            ));
        }
        self.assigned_checked.insert(scope);
        Ok(())
    }

    /// Does nothing in its declaration give a variable, or a field of it, a value?
    fn begins_without_value(&mut self, p: &Param<'a>) -> R<bool> {
        if p.binding.is_some() {
            return Ok(false);
        }
        match p.ty {
            ParamType::Scalar(Ty::External) | ParamType::Function => Ok(false),
            ParamType::Scalar(_) => Ok(true),
            ParamType::Record(e) => {
                let fields = self.class_scope(e)?;
                let signature = self.signature(fields)?;
                let given = |q: &Param| p.fields.iter().any(|(n, _)| *n == q.name);
                for q in signature.inputs.iter().filter(|q| !given(q)) {
                    if self.begins_without_value(q)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Statements in their order, and what they can have assigned so far.
struct Course {
    /// Variables that no statement so far can have assigned.
    without: FxHashSet<Symbol>,
    /// Those that an earlier pass through the loops around can have assigned.
    looped: FxHashSet<Symbol>,
    /// Is a condition around, that an earlier pass may have led elsewhere?
    conditional: bool,
    /// Iterators, which hide variables of their name.
    iterators: Vec<Symbol>,
    /// The first variable that is read without a value, and where.
    early: Option<(Symbol, Span)>,
    /// Does an assertion that cannot hold end every call?
    ends_by_assertion: bool,
}

impl Course {
    fn new(without: FxHashSet<Symbol>) -> Course {
        Course {
            without,
            looped: FxHashSet::default(),
            conditional: false,
            iterators: Vec::new(),
            early: None,
            ends_by_assertion: false,
        }
    }

    fn follow(&mut self, statements: &[ast::Statement]) {
        for s in statements {
            match &s.kind {
                StatementKind::Assign(left, right) => {
                    self.read(right);
                    self.assign(left);
                }
                StatementKind::TupleAssign(left, right) => {
                    self.read(right);
                    left.iter().flatten().for_each(|r| self.assign(r));
                }
                StatementKind::Call(e) => {
                    self.read(e);
                    self.ends_by_assertion |= !self.conditional && fails(e);
                }
                StatementKind::If(i) => self.branches(&i.branches, &i.else_statements),
                StatementKind::For(f) => {
                    let outside = self.iterators.len();
                    for i in &f.iterators {
                        i.range.iter().for_each(|r| self.read(r));
                        self.iterators.push(i.name);
                    }
                    self.looped(&f.statements);
                    self.iterators.truncate(outside);
                }
                StatementKind::While(w) => {
                    self.read(&w.condition);
                    self.looped(&w.statements);
                }
                StatementKind::When(branches) => self.branches(branches, &[]),
                StatementKind::Break | StatementKind::Return => {}
            }
        }
    }

    fn branches(&mut self, branches: &[ast::StatementBranch], otherwise: &[ast::Statement]) {
        let before = self.without.clone();
        let outside = self.conditional;
        let mut after = before.clone();
        for (k, b) in branches.iter().enumerate() {
            self.conditional = outside || k > 0;
            self.read(&b.condition);
            self.conditional = true;
            self.follow(&b.statements);
            after.retain(|n| self.without.contains(n));
            self.without.clone_from(&before);
        }
        self.conditional = true;
        self.follow(otherwise);
        self.conditional = outside;
        self.without.retain(|n| after.contains(n));
    }

    /// The body of a loop: in its first pass only what is before the loop has been assigned.
    fn looped(&mut self, statements: &[ast::Statement]) {
        let outside = self.looped.clone();
        let mut assigned = Vec::new();
        left_sides(statements, &mut assigned);
        self.looped.extend(assigned.iter().map(|r| r.parts[0].name));
        let ends = self.ends_by_assertion;
        self.follow(statements);
        self.ends_by_assertion = ends;
        self.looped = outside;
    }

    fn assign(&mut self, r: &ast::ComponentRef) {
        for s in r.parts.iter().flat_map(|p| &p.subscripts) {
            self.subscript(s);
        }
        if let Some(part) = r.parts.first() {
            self.without.remove(&part.name);
        }
    }

    fn subscript(&mut self, s: &ast::Subscript) {
        if let ast::Subscript::Expr(e) = s {
            self.read(e);
        }
    }

    fn read(&mut self, e: &ast::Expr) {
        match &e.kind {
            ExprKind::Ref(r) => self.read_variable(r),
            ExprKind::Call(c) | ExprKind::FunctionPartial(c) => {
                let shape = |n: Symbol| matches!(n.as_str(), "size" | "ndims");
                if c.function.as_ident().is_some_and(shape) {
                    return;
                }
                self.with_iterators(&c.args.iterators, |course| {
                    c.args.positional.iter().for_each(|a| course.read(a));
                    c.args.named.iter().for_each(|a| course.read(&a.value));
                });
            }
            ExprKind::Unary(_, a) | ExprKind::Field(a, _) => self.read(a),
            ExprKind::Binary(_, ab) => {
                self.read(&ab.0);
                self.read(&ab.1);
            }
            ExprKind::If(i) => {
                let outside = self.conditional;
                for (c, v) in &i.branches {
                    self.read(c);
                    self.conditional = true;
                    self.read(v);
                }
                self.read(&i.otherwise);
                self.conditional = outside;
            }
            ExprKind::Range(r) => {
                self.read(&r.start);
                r.step.iter().for_each(|s| self.read(s));
                self.read(&r.stop);
            }
            ExprKind::Array(list) => list.iter().for_each(|a| self.read(a)),
            ExprKind::ArrayComprehension(c) => {
                self.with_iterators(&c.iterators, |course| course.read(&c.element));
            }
            ExprKind::Matrix(rows) => rows.iter().flatten().for_each(|a| self.read(a)),
            ExprKind::Tuple(list) => list.iter().flatten().for_each(|a| self.read(a)),
            ExprKind::Index(i) => {
                self.read(&i.0);
                i.1.iter().for_each(|s| self.subscript(s));
            }
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::End => {}
        }
    }

    fn with_iterators(&mut self, iterators: &[ast::ForIterator], f: impl FnOnce(&mut Course)) {
        let outside = self.iterators.len();
        for i in iterators {
            i.range.iter().for_each(|r| self.read(r));
            self.iterators.push(i.name);
        }
        f(self);
        self.iterators.truncate(outside);
    }

    fn read_variable(&mut self, r: &ast::ComponentRef) {
        for s in r.parts.iter().flat_map(|p| &p.subscripts) {
            self.subscript(s);
        }
        let Some(part) = r.parts.first().filter(|_| !r.global) else {
            return;
        };
        let name = part.name;
        let in_another_pass = self.conditional && self.looped.contains(&name);
        if self.early.is_none()
            && self.without.contains(&name)
            && !self.iterators.contains(&name)
            && !in_another_pass
        {
            self.early = Some((name, r.span));
        }
    }
}

/// `assert(false, …)`
fn fails(e: &ast::Expr) -> bool {
    let ExprKind::Call(c) = &e.kind else {
        return false;
    };
    let condition = c.args.positional.first().map(|a| &a.kind);
    c.function
        .as_ident()
        .is_some_and(|n| n.as_str() == "assert")
        && matches!(condition, Some(ExprKind::Bool(false)))
}

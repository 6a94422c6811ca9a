//! Variables of a function that nothing has given a value (sections 12.2 and 12.4.4): an output that no statement assigns, and a
//! variable that is read where no statement before it can have assigned it.
//!
//! In: the statements of a function. Out: the first such place, and what is assigned on some ways only: places that read a variable which may
//! have no value there, and a first output that may have none at the end. A hidden variable `NAME$assigned` follows each of them; a call whose
//! course is known asks it at once, others when they are executed. Real outputs without a value are not a number; of further outputs a caller may
//! know that they have no meaning (`(found, index) := …`), so that a warning tells of them.

use ferrica_ir::function::Stmt;
use ferrica_ir::{Diagnostic, Span, Symbol, Ty};
use ferrica_syntax::ast::{self, ExprKind, StatementKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

use crate::eval::{Env, Local};
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::lower::left_sides;
use crate::signature::{Param, ParamType, Signature};
use crate::value::Value;

/// What a function assigns on some ways only.
#[derive(Debug, Default)]
pub struct Unsure {
    /// Variables that are asked for: each has a hidden one beside it.
    pub variables: Vec<Symbol>,
    /// Those of them that the end of the function asks for.
    pub outputs: Vec<Symbol>,
}

impl<'a> Flattener<'a> {
    /// The outputs of a function are assigned, and no variable of it is read before that. Each function is looked at once.
    pub(crate) fn check_assigned(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        env: &Env,
        span: Span,
    ) -> R<()> {
        if self.unsure.contains_key(&scope) {
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
        for (variable, place) in std::mem::take(&mut course.doubtful) {
            let text = format!(
                "`{variable}` of the function `{}` has no value where it is read: a call that comes here fails",
                name(self)
            );
            let warning = Diagnostic::warning("W0309", place, text)
                .with_hint("assign it before, or declare it with a value");
            self.report(Box::new(warning));
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
        let unsure = self.unsure_of(signature, course);
        self.unsure.insert(scope, Rc::new(unsure));
        Ok(())
    }

    fn unsure_of(&mut self, signature: &Signature<'a>, course: Course) -> Unsure {
        let at_end = course.at_end();
        let mut unsure = Unsure::default();
        let outputs = signature.outputs.len();
        for (k, p) in signature
            .outputs
            .iter()
            .chain(&signature.locals)
            .enumerate()
        {
            let ParamType::Scalar(ty) = p.ty else {
                continue;
            };
            let real = ty == Ty::Real;
            // Elements of a Real array and Real outputs that have no value are seen to be no numbers.
            let at_end = k < outputs && !real && at_end.contains(&p.name);
            if at_end && k > 0 {
                self.warn_of_further(p);
            }
            let at_end = at_end && k == 0;
            let read = course.unsure_reads.iter().any(|(name, _)| *name == p.name);
            if at_end || (read && (!real || p.dims.is_empty())) {
                unsure.variables.push(p.name);
            }
            if at_end {
                unsure.outputs.push(p.name);
            }
        }
        for (name, place) in course.unsure_reads {
            if unsure.variables.contains(&name) {
                self.unsure_reads.insert(place);
            }
        }
        unsure
    }

    fn warn_of_further(&mut self, p: &Param<'a>) {
        let ParamType::Scalar(ty) = p.ty else { return };
        let value = match ty {
            Ty::Boolean => "false",
            Ty::String => "an empty text",
            Ty::Enum(_) => "the first literal",
            _ => "0",
        };
        let text = format!(
            "some ways through the function do not assign its output `{}`: it is {value} there",
            p.name
        );
        let warning = Diagnostic::warning("W0308", p.span, text)
            .with_hint("assign it on every way, or declare it with a value");
        self.diagnostics.push(warning);
    }

    /// The hidden variables of a call whose course is followed here.
    pub(crate) fn declare_unsure(&mut self, scope: ScopeId, env: &mut Env) {
        let Some(unsure) = self.unsure.get(&scope).cloned() else {
            return;
        };
        for &name in &unsure.variables {
            let value = Value::Scalar(self.flat.exprs.bool(false));
            env.locals.push(hidden(name, value));
        }
    }

    /// The hidden variables of a function that is executed at run time.
    pub(crate) fn emit_unsure(&mut self, scope: ScopeId, env: &mut Env, span: Span) -> R<()> {
        let Some(unsure) = self.unsure.get(&scope).cloned() else {
            return Ok(());
        };
        for &name in &unsure.variables {
            let not_yet = Value::Scalar(self.flat.exprs.bool(false));
            let memory = self.new_memory(assigned(name).as_str(), &not_yet);
            env.locals.push(hidden(name, memory.clone()));
            self.emit_assign(&memory, &not_yet, span)?;
        }
        self.emitter.promised.clone_from(&unsure.outputs);
        Ok(())
    }

    /// A statement has assigned this, or a part of it.
    pub(crate) fn is_assigned(&mut self, r: &ast::ComponentRef, env: &mut Env) -> R<()> {
        let Some(name) = r.parts.first().map(|p| p.name) else {
            return Ok(());
        };
        if !self.is_unsure(name, env) {
            return Ok(());
        }
        let name = assigned(name);
        let Some(k) = env.locals.iter().rposition(|l| l.name == name) else {
            return Ok(());
        };
        let yes = Value::Scalar(self.flat.exprs.bool(true));
        if self.emitter.is_writing() {
            let memory = env.locals[k].value.clone();
            return self.emit_assign(&memory, &yes, r.span);
        }
        env.locals[k].value = yes;
        Ok(())
    }

    /// Is a hidden variable beside this one, and is it no iterator of the same name?
    fn is_unsure(&self, name: Symbol, env: &Env) -> bool {
        if self.unsure_reads.is_empty() && self.unsure.values().all(|u| u.variables.is_empty()) {
            return false;
        }
        let place = |name| env.locals.iter().rposition(|l| l.name == name);
        let beside = assigned(name);
        matches!((place(name), place(beside)), (Some(own), Some(flag)) if own < flag)
    }

    /// A place reads a variable of a function: it has a value by then.
    pub(crate) fn asks_for(&mut self, name: Symbol, env: &Env, span: Span) -> R<()> {
        if self.unsure_reads.contains(&span) && self.is_unsure(name, env) {
            let what = format!("`{name}` has no value where it is read");
            return self.has_value(name, env, span, &what);
        }
        Ok(())
    }

    /// The end of a function asks for these outputs.
    pub(crate) fn promises(
        &mut self,
        outputs: &[Symbol],
        of: &str,
        env: &Env,
        span: Span,
    ) -> R<()> {
        for &name in outputs {
            let what = format!("the function `{of}` has not assigned its output `{name}`");
            self.has_value(name, env, span, &what)?;
        }
        Ok(())
    }

    fn has_value(&mut self, name: Symbol, env: &Env, span: Span, what: &str) -> R<()> {
        let Some(flag) = env.local(assigned(name)).and_then(|l| l.value.scalar()) else {
            return Ok(());
        };
        // Without elements there is nothing to assign.
        if (env.local(name)).is_some_and(|l| l.value.items().is_empty()) {
            return Ok(());
        }
        match self.flat.exprs.as_bool(flag) {
            Some(true) => Ok(()),
            _ if self.emitter.is_writing() => {
                let text = self.flat.exprs.str(what);
                let holds = self.where_taken(flag);
                self.emitter.push(Stmt::Assert(holds, text, true));
                Ok(())
            }
            Some(false) if self.constant || self.undecided == 0 => Err(Box::new(
                Diagnostic::error("E0380", span, what)
                    .with_hint("assign it on every way, or declare it with a value"),
            )),
            _ => error(DYNAMIC, span, "an assignment depends on run-time values"),
        }
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

/// Follows an unsure variable.
fn assigned(name: Symbol) -> Symbol {
    Symbol::intern(&format!("{name}$assigned"))
}

fn hidden(name: Symbol, value: Value) -> Local {
    Local {
        name: assigned(name),
        value,
        ty: Some(Ty::Boolean),
        sized: false,
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
    /// The same in branches, which a call need not take.
    doubtful: Vec<(Symbol, Span)>,
    /// Does an assertion that cannot hold end every call?
    ends_by_assertion: bool,
    /// Variables that not all ways to this place have assigned; none where no way leads.
    unsure: Option<FxHashSet<Symbol>>,
    /// Where they are read.
    unsure_reads: Vec<(Symbol, Span)>,
    /// The same at ends of the function, and where the innermost loop is left, so far.
    returned: FxHashSet<Symbol>,
    left: FxHashSet<Symbol>,
}

impl Course {
    fn new(without: FxHashSet<Symbol>) -> Course {
        Course {
            unsure: Some(without.clone()),
            unsure_reads: Vec::new(),
            returned: FxHashSet::default(),
            left: FxHashSet::default(),
            without,
            looped: FxHashSet::default(),
            conditional: false,
            iterators: Vec::new(),
            early: None,
            doubtful: Vec::new(),
            ends_by_assertion: false,
        }
    }

    /// What some ways through the function leave without a value.
    fn at_end(&self) -> FxHashSet<Symbol> {
        let last = self.unsure.iter().flatten();
        last.chain(&self.returned).copied().collect()
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
                    if fails(e) {
                        self.unsure = None;
                    }
                }
                StatementKind::If(i) => self.branches(&i.branches, &i.else_statements),
                StatementKind::For(f) => {
                    let outside = self.iterators.len();
                    for i in &f.iterators {
                        i.range.iter().for_each(|r| self.read(r));
                        self.iterators.push(i.name);
                    }
                    let is_passed = f.iterators.iter().all(has_elements);
                    self.looped(&f.statements, is_passed);
                    self.iterators.truncate(outside);
                }
                StatementKind::While(w) => {
                    self.read(&w.condition);
                    self.looped(&w.statements, false);
                }
                StatementKind::When(branches) => self.branches(branches, &[]),
                StatementKind::Break => self.left.extend(self.unsure.take().into_iter().flatten()),
                StatementKind::Return => {
                    self.returned
                        .extend(self.unsure.take().into_iter().flatten());
                }
            }
        }
    }

    fn branches(&mut self, branches: &[ast::StatementBranch], otherwise: &[ast::Statement]) {
        let before = self.without.clone();
        let outside = self.conditional;
        let mut after = before.clone();
        let unsure = self.unsure.clone();
        let mut unsure_after = None;
        for (k, b) in branches.iter().enumerate() {
            self.conditional = outside || k > 0;
            self.read(&b.condition);
            self.conditional = true;
            self.follow(&b.statements);
            after.retain(|n| self.without.contains(n));
            self.without.clone_from(&before);
            unsure_after = on_either_way(unsure_after, self.unsure.take());
            self.unsure.clone_from(&unsure);
        }
        self.conditional = true;
        self.follow(otherwise);
        self.conditional = outside;
        self.without.retain(|n| after.contains(n));
        self.unsure = on_either_way(unsure_after, self.unsure.take());
    }

    /// The body of a loop: in its first pass only what is before the loop has been assigned.
    fn looped(&mut self, statements: &[ast::Statement], is_passed: bool) {
        let (before, left) = (self.unsure.clone(), std::mem::take(&mut self.left));
        let outside = self.looped.clone();
        let mut assigned = Vec::new();
        left_sides(statements, &mut assigned);
        self.looped.extend(assigned.iter().map(|r| r.parts[0].name));
        let (ends, around) = (self.ends_by_assertion, self.conditional);
        // The first pass of a loop around may be none of this one: `x[i] := b[i] - sum(U[i,j]*x[j] for j in i+1:n)` from the last i downwards.
        self.conditional |= !is_passed && !outside.is_empty();
        self.follow(statements);
        self.conditional = around;
        self.ends_by_assertion = ends;
        self.looped = outside;
        let left = std::mem::replace(&mut self.left, left);
        self.unsure = match is_passed {
            true => on_either_way(self.unsure.take(), Some(left)),
            false => before,
        };
    }

    fn assign(&mut self, r: &ast::ComponentRef) {
        for s in r.parts.iter().flat_map(|p| &p.subscripts) {
            self.subscript(s);
        }
        if let Some(part) = r.parts.first() {
            self.without.remove(&part.name);
            if let Some(unsure) = &mut self.unsure {
                unsure.remove(&part.name);
            }
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
        let around = self.conditional;
        self.conditional |= !iterators.iter().all(has_elements) && !self.looped.is_empty();
        f(self);
        self.conditional = around;
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
        if !self.iterators.contains(&name)
            && self.unsure.as_ref().is_some_and(|u| u.contains(&name))
        {
            self.unsure_reads.push((name, r.span));
        }
        let is_range = |s: &ast::Subscript| match s {
            ast::Subscript::Expr(e) => matches!(e.kind, ExprKind::Range(_)),
            _ => false,
        };
        // A part of an array may have no elements, as a loop may have no pass.
        let may_be_none = self.conditional || part.subscripts.iter().any(is_range);
        let in_another_pass = may_be_none && self.looped.contains(&name);
        if !self.without.contains(&name) || self.iterators.contains(&name) || in_another_pass {
            return;
        }
        if self.conditional {
            self.doubtful.push((name, r.span));
        } else if self.early.is_none() {
            self.early = Some((name, r.span));
        }
    }
}

fn on_either_way(
    one: Option<FxHashSet<Symbol>>,
    other: Option<FxHashSet<Symbol>>,
) -> Option<FxHashSet<Symbol>> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.extend(other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

/// A range of literals that is not empty.
fn has_elements(i: &ast::ForIterator) -> bool {
    let Some(ExprKind::Range(r)) = i.range.as_ref().map(|e| &e.kind) else {
        return false;
    };
    matches!((&r.start.kind, &r.stop.kind), (ExprKind::Int(a), ExprKind::Int(b)) if r.step.is_none() && a <= b)
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

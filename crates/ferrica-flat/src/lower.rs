//! Modelica functions and algorithms that are executed at run time.
//!
//! The body is evaluated once with symbolic slots in place of values; statements whose course
//! depends on run-time values become statements of the function IR. Every named variable is memory
//! (a run of slots), so expressions always speak of the present contents. Loops with known bounds
//! are unrolled unless they can be left early or are long.

use std::rc::Rc;

use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_ir::{Diagnostic, Expr, ExprId, FunctionId, Span, Ty};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::eval::{Env, Local};
use crate::external::{FunctionKey, shape_of};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::signature::{ParamType, Signature};
use crate::value::Value;

/// Literals from which on an argument is a table: passing that many numbers costs more than a function body does to keep.
const TABLE_SIZE: usize = 16;

/// The function that is being written.
#[derive(Default)]
pub struct Emitter {
    pub slots: Vec<Slot>,
    /// Statement lists, innermost last.
    pub blocks: Vec<Vec<Stmt>>,
    /// Executed before the first statement: it fills the tables.
    entry: Vec<Stmt>,
    /// First slots of the arrays that do not change in the function and are read at run-time indices.
    tables: FxHashMap<Vec<ExprId>, u32>,
    /// Arrays whose size is known only at run time, by their names.
    pub late: FxHashMap<ferrica_ir::Symbol, crate::late_arrays::LateArray>,
    /// Have all outputs their slots, so that tables may follow?
    pub outputs_placed: bool,
    /// Outputs that the end of the function asks for: some ways do not assign them.
    pub promised: Vec<ferrica_ir::Symbol>,
}

impl Emitter {
    pub fn new() -> Emitter {
        Emitter {
            blocks: vec![Vec::new()],
            ..Emitter::default()
        }
    }

    /// All statements, when the function is written.
    pub fn finish(self) -> (Vec<Slot>, Vec<Stmt>) {
        let mut body = self.entry;
        body.extend(self.blocks.into_iter().next().unwrap_or_default());
        (self.slots, body)
    }

    /// First slot of a table with these values, which no statement changes.
    pub fn table(&mut self, values: Vec<ExprId>, ty: Ty) -> u32 {
        if let Some(&first) = self.tables.get(&values) {
            return first;
        }
        let first = self.slots.len() as u32;
        for (k, &v) in values.iter().enumerate() {
            self.slots.push(Slot {
                name: "$table".into(),
                ty,
            });
            self.entry.push(Stmt::Assign(first + k as u32, v));
        }
        self.tables.insert(values, first);
        first
    }

    /// Is a function being written, or is the course of a call followed?
    pub fn is_writing(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub fn push(&mut self, s: Stmt) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(s);
        }
    }
}

impl<'a> Flattener<'a> {
    /// The call of a function that needs execution at run time.
    pub fn runtime_call(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
        why: &Diagnostic,
    ) -> R<Value> {
        if self.constant {
            return Err(Box::new(why.clone()));
        }
        let outputs = self.output_templates(signature, env, span)?;
        let function = self
            .lower_function(scope, signature, env, span)
            .map_err(|mut d| {
                if d.code != "E0343" && !d.message.contains("is executed at run time") {
                    d.message = format!(
                        "{} (in `{}`, which is executed at run time: {})",
                        d.message,
                        self.class_name(scope),
                        why.message
                    );
                }
                d
            })?;
        let args = self.passed(signature, env);
        self.finish_call(function, &args, outputs)
    }

    /// The specialisation of a function for the sizes (and discrete literals) of its arguments.
    pub fn lower_function(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> R<FunctionId> {
        let (key, _) = self.function_key(scope, signature, env);
        if let Some(&f) = self.functions.get(&key) {
            return Ok(f);
        }
        let def = self.tree.scopes[scope].class.def;
        let id = self.flat.functions.push(Function {
            name: self.class_name(scope),
            slots: Vec::new(),
            inputs: 0,
            outputs: 0,
            body: FunctionBody::Missing("not complete".into()),
            pure: def.purity != Some(ast::Purity::Impure),
            derivatives: Vec::new(),
            span: def.name_span,
        });
        self.functions.insert(key.clone(), id);
        let guards = std::mem::take(&mut self.guards);
        let emitter = std::mem::take(&mut self.emitter);
        let asserted = std::mem::take(&mut self.asserted);
        let depth = std::mem::take(&mut self.depth);
        let slices = self.slices.take();
        self.lowering.push(scope);
        let result = self.lower_body(scope, signature, env, span);
        self.lowering.pop();
        self.depth = depth;
        self.slices = slices;
        let written = std::mem::replace(&mut self.emitter, emitter);
        self.asserted = asserted;
        self.guards = guards;
        match result {
            Ok((inputs, outputs)) => {
                let f = &mut self.flat.functions[id];
                let (slots, body) = written.finish();
                f.slots = slots;
                f.inputs = inputs;
                f.outputs = outputs;
                f.body = FunctionBody::Code(body);
                self.derivative_annotations(scope, id, signature, env);
                Ok(id)
            }
            Err(d) => {
                self.functions.remove(&key);
                self.flat.functions[id].body = FunctionBody::Missing(d.message.clone());
                Err(d)
            }
        }
    }

    /// What the specialisation of a function depends on, and whether all arguments are literals.
    pub fn function_key(
        &self,
        scope: ScopeId,
        signature: &Signature<'a>,
        env: &Env,
    ) -> (FunctionKey, bool) {
        let mut shape = shape_of(signature, env);
        let mut scalars = Vec::new();
        for p in &signature.inputs {
            if let Some(l) = env.local(p.name) {
                l.value.scalars(&mut scalars);
            }
        }
        let literal = scalars.iter().all(|&s| self.flat.exprs.is_literal(s));
        shape.extend(
            scalars
                .iter()
                .filter(|&&s| self.baked(s))
                .map(|s| s.as_u32()),
        );
        for table in self
            .arguments_of(signature, env)
            .filter(|v| self.is_table(v))
        {
            let mut numbers = Vec::new();
            table.scalars(&mut numbers);
            shape.extend(numbers.iter().map(|s| s.as_u32()));
        }
        (FunctionKey { scope, shape }, literal)
    }

    fn arguments_of<'e>(
        &self,
        signature: &'e Signature<'a>,
        env: &'e Env,
    ) -> impl Iterator<Item = &'e Value> {
        let value = |name| env.local(name).map(|l| &l.value);
        signature.inputs.iter().filter_map(move |p| value(p.name))
    }

    /// What a call of a specialised function passes: all arguments but tables.
    pub fn passed(&self, signature: &Signature<'a>, env: &Env) -> Vec<ExprId> {
        let mut args = Vec::new();
        for v in self
            .arguments_of(signature, env)
            .filter(|v| !self.is_table(v))
        {
            v.scalars(&mut args);
        }
        args
    }

    /// Is an argument so many literals that the function is specialised for them instead of being handed them in each call?
    pub fn is_table(&self, v: &Value) -> bool {
        let mut scalars = Vec::new();
        v.scalars(&mut scalars);
        scalars.len() >= TABLE_SIZE && scalars.iter().all(|&s| self.flat.exprs.is_literal(s))
    }

    /// Literals that specialise a function instead of being passed.
    fn baked(&self, s: ExprId) -> bool {
        matches!(
            self.flat.exprs.get(s),
            Expr::Int(_) | Expr::Bool(_) | Expr::Str(_) | Expr::Enum(..)
        )
    }

    fn lower_body(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> R<(u32, u32)> {
        self.emitter = Emitter::new();
        let mut inner = Env::new(scope);
        for p in &signature.inputs {
            let Some(l) = env.local(p.name) else { continue };
            let old = l.value.clone();
            if self.is_table(&old) {
                inner.locals.push(Local {
                    name: p.name,
                    value: match p.ty {
                        ParamType::Scalar(ty) => self.convert(old, ty, p.span)?,
                        _ => old,
                    },
                    ty: l.ty,
                    sized: false,
                });
                continue;
            }
            let name = p.name.as_str();
            self.slot_names_into(name, &old);
            let mut next = self.emitter.slots.len() as u32 - count(&old);
            let value = old.map_scalars(&mut |e| {
                let slot = next;
                next += 1;
                if self.baked(e) {
                    return e;
                }
                // An Integer argument of a Real input counts as Real from here on.
                let ty = match (p.ty, self.flat.exprs.ty(e)) {
                    (ParamType::Scalar(Ty::Real), _) => Ty::Real,
                    (_, ty) => ty,
                };
                self.emitter.slots[slot as usize].ty = ty;
                self.flat.exprs.intern(Expr::Local(slot), ty)
            });
            inner.locals.push(Local {
                name: p.name,
                value,
                ty: l.ty,
                sized: false,
            });
        }
        let inputs = self.emitter.slots.len() as u32;
        let mut assigned = Vec::new();
        for (_, section) in self.algorithms_of(scope) {
            left_sides(&section.statements, &mut assigned);
        }
        let assigned: rustc_hash::FxHashSet<_> = assigned.iter().map(|r| r.parts[0].name).collect();
        let mut outputs = 0;
        for (k, p) in signature
            .outputs
            .iter()
            .chain(&signature.locals)
            .enumerate()
        {
            self.emitter.outputs_placed = k >= signature.outputs.len();
            if p.dims
                .iter()
                .any(|(s, _)| matches!(s, ast::Subscript::Colon(_)))
                && p.binding.is_none()
            {
                return error(
                    "E0339",
                    p.span,
                    format!("the size of `{}` is known only at run time", p.name),
                );
            }
            let local = k >= signature.outputs.len();
            if local && self.late_array(p, &mut inner, span)? {
                if let Some(b) = &p.binding {
                    self.emit_late_binding(p.name, b, &inner, span)?;
                }
                continue;
            }
            let template = match (
                &p.binding,
                p.dims
                    .iter()
                    .any(|(s, _)| matches!(s, ast::Subscript::Colon(_))),
            ) {
                (Some(b), true) => self.eval_local_binding(b, &inner)?,
                _ => self.undefined_value(p, &inner, span)?,
            };
            if k >= signature.outputs.len()
                && !assigned.contains(&p.name)
                && let Some(b) = &p.binding
            {
                // Never assigned: a name for its value.
                let value = self.eval_local_binding(b, &inner)?;
                let value = match p.ty {
                    ParamType::Scalar(ty) => self.convert(value, ty, p.span)?,
                    _ => value,
                };
                inner.locals.push(Local {
                    name: p.name,
                    value,
                    ty: None,
                    sized: false,
                });
                continue;
            }
            let value = self.new_memory(p.name.as_str(), &template);
            let ty = match p.ty {
                ParamType::Scalar(ty) => Some(ty),
                _ => None,
            };
            let initial = match &p.binding {
                Some(b) => self.eval_local_binding(b, &inner)?,
                None => template,
            };
            inner.locals.push(Local {
                name: p.name,
                value: value.clone(),
                ty,
                sized: false,
            });
            self.emit_assign(&value, &initial, span)?;
            if k < signature.outputs.len() {
                outputs += count(&value);
            }
        }
        self.emitter.outputs_placed = true;
        self.emit_unsure(scope, &mut inner, span)?;
        for (at, section) in self.algorithms_of(scope) {
            inner.scope = at;
            self.emit_block(&section.statements, &mut inner)?;
        }
        self.emit_end(&inner, span)?;
        Ok((inputs, outputs))
    }

    fn slot_names_into(&mut self, name: &str, v: &Value) {
        let mut slots = std::mem::take(&mut self.emitter.slots);
        let before = slots.len();
        self.slot_names(name, v, &mut slots);
        // Values captured by a function argument have no names of their own.
        let missing = count(v) as usize - (slots.len() - before);
        let mut scalars = Vec::new();
        v.scalars(&mut scalars);
        for s in scalars.iter().skip(scalars.len() - missing) {
            slots.push(Slot {
                name: format!("{name}$"),
                ty: self.flat.exprs.ty(*s),
            });
        }
        self.emitter.slots = slots;
    }

    /// New slots in the shape of a value.
    pub fn new_memory(&mut self, name: &str, template: &Value) -> Value {
        let mut next = self.emitter.slots.len() as u32;
        self.slot_names_into(name, template);
        self.over_slots(template, &mut next)
    }
}

fn count(v: &Value) -> u32 {
    let mut s = Vec::new();
    v.scalars(&mut s);
    s.len() as u32
}

pub fn left_sides<'a>(statements: &'a [ast::Statement], out: &mut Vec<&'a ast::ComponentRef>) {
    for s in statements {
        match &s.kind {
            ast::StatementKind::Assign(r, _) => out.push(r),
            ast::StatementKind::TupleAssign(list, _) => out.extend(list.iter().flatten()),
            ast::StatementKind::If(i) => {
                i.branches
                    .iter()
                    .for_each(|b| left_sides(&b.statements, out));
                left_sides(&i.else_statements, out);
            }
            ast::StatementKind::For(f) => left_sides(&f.statements, out),
            ast::StatementKind::While(w) => left_sides(&w.statements, out),
            ast::StatementKind::When(branches) => {
                branches.iter().for_each(|b| left_sides(&b.statements, out))
            }
            _ => {}
        }
    }
}

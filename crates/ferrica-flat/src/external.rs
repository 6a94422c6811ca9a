//! Functions that stay calls: `external` ones, and those whose control flow depends on run-time
//! values.

use std::rc::Rc;

use ferrica_ir::function::{External, ExternalArg, Function, FunctionBody, RecordArg, Slot};
use ferrica_ir::{Expr, ExprId, FunctionId, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::signature::{Param, ParamType, Signature};
use crate::value::{Record, Value};

/// A specialisation: the function, and the sizes of its arguments and results.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    pub scope: ScopeId,
    pub shape: Vec<u32>,
}

impl<'a> Flattener<'a> {
    /// The external clause of a function, in the class itself or in a base.
    pub fn external_of(&self, scope: ScopeId) -> Option<(ScopeId, &'a ast::ExternalDecl)> {
        if let Some(e) = self.tree.scopes[scope]
            .class
            .def
            .long()
            .and_then(|b| b.external.as_deref())
        {
            return Some((scope, e));
        }
        self.tree.scopes[scope]
            .bases
            .iter()
            .find_map(|&b| self.external_of(b))
    }

    pub fn external_call(
        &mut self,
        scope: ScopeId,
        at: ScopeId,
        external: &'a ast::ExternalDecl,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if external.language.as_deref() == Some("builtin") {
            let name = external
                .function
                .unwrap_or(self.tree.scopes[scope].class.def.name);
            if let Some(v) = self.builtin_by_values(name, signature, env)? {
                return Ok(v);
            }
        }
        if let Some(v) = self.native_value(at, external, signature, env, span)? {
            return Ok(v);
        }
        let outputs = self.output_templates(signature, env, span)?;
        // Sizes of outputs may follow from values of inputs, not only from their sizes.
        let mut shape = shape_of(signature, env);
        for output in &outputs {
            shape_of_value(output, &mut shape);
        }
        let key = FunctionKey { scope, shape };
        let function = match self.functions.get(&key) {
            Some(&f) => f,
            None => {
                let f = self.make_external(scope, at, external, signature, env, &outputs, span)?;
                self.functions.insert(key, f);
                f
            }
        };
        let mut args = Vec::new();
        for p in &signature.inputs {
            if let Some(l) = env.local(p.name) {
                l.value.scalars(&mut args);
            }
        }
        self.finish_call(function, &args, outputs)
    }

    /// The call expression, and its results in the shape of the outputs.
    pub fn finish_call(
        &mut self,
        function: FunctionId,
        args: &[ExprId],
        outputs: Vec<Value>,
    ) -> R<Value> {
        let count: usize = outputs
            .iter()
            .map(|o| {
                let mut s = Vec::new();
                o.scalars(&mut s);
                s.len()
            })
            .sum();
        let mut types = Vec::new();
        for o in &outputs {
            let mut s = Vec::new();
            o.scalars(&mut s);
            types.extend(s.iter().map(|&e| self.flat.exprs.ty(e)));
        }
        let ty = if count == 1 { types[0] } else { Ty::Tuple };
        let call = self.flat.exprs.call(function, args, ty);
        if count == 0 {
            self.pending_effect = Some(call);
            return Ok(Value::Tuple(Vec::new()));
        }
        let mut k = 0;
        let mut results: Vec<Value> = outputs
            .iter()
            .map(|o| {
                o.map_scalars(&mut |e| {
                    let ty = self.flat.exprs.ty(e);
                    let index = k;
                    k += 1;
                    if count == 1 {
                        call
                    } else {
                        self.flat.exprs.proj(call, index, ty)
                    }
                })
            })
            .collect();
        Ok(if results.len() == 1 {
            results.swap_remove(0)
        } else {
            Value::Tuple(results)
        })
    }

    /// Outputs with their sizes, filled with zeros of their types.
    pub fn output_templates(
        &mut self,
        signature: &Signature<'a>,
        env: &Env,
        span: Span,
    ) -> R<Vec<Value>> {
        let mut inner = env.clone();
        let mut out = Vec::with_capacity(signature.outputs.len());
        for p in &signature.outputs {
            let mut v = self.default_value(p, &inner, span)?;
            let open = p
                .dims
                .iter()
                .any(|d| matches!(d.0, ast::Subscript::Colon(_)));
            if let (true, Some(b)) = (open, &p.binding) {
                // `output Real B[:, :] = A` is as large as its value.
                let value = self.eval_local_binding(b, &inner)?;
                v = match p.ty {
                    ParamType::Scalar(ty) => value.map_scalars(&mut |_| self.zero(ty)),
                    _ => value,
                };
            }
            inner.locals.push(Local {
                name: p.name,
                value: v.clone(),
                ty: None,
                sized: false,
            });
            out.push(v);
        }
        Ok(out)
    }

    /// Names of the slots of a value.
    pub fn slot_names(&self, name: &str, v: &Value, out: &mut Vec<Slot>) {
        match v {
            Value::Scalar(e) => out.push(Slot {
                name: name.to_string(),
                ty: self.flat.exprs.ty(*e),
            }),
            Value::Array(a) => {
                for (k, item) in a.items.iter().enumerate() {
                    self.slot_names(&crate::instance::indexed_name(name, &a.dims, k), item, out);
                }
            }
            Value::Record(r) => {
                for (n, f) in &r.fields {
                    self.slot_names(&format!("{name}.{n}"), f, out);
                }
            }
            _ => {}
        }
    }

    /// The same shape over numbered local slots.
    pub fn over_slots(&mut self, v: &Value, next: &mut u32) -> Value {
        v.map_scalars(&mut |e| {
            let ty = self.flat.exprs.ty(e);
            let slot = *next;
            *next += 1;
            self.flat.exprs.intern(Expr::Local(slot), ty)
        })
    }

    /// Slots of a parameter of a foreign function. What counts is its declared type: an integer argument is passed as a real
    /// number where that is declared, and external objects have no values of their own.
    fn declared_slots(
        &mut self,
        p: &Param<'a>,
        v: &Value,
        next: &mut u32,
        slots: &mut Vec<Slot>,
    ) -> Value {
        let first = slots.len();
        self.slot_names(p.name.as_str(), v, slots);
        let ParamType::Scalar(ty @ (Ty::Real | Ty::External)) = p.ty else {
            return self.over_slots(v, next);
        };
        for slot in &mut slots[first..] {
            slot.ty = ty;
        }
        v.map_scalars(&mut |_| {
            let slot = *next;
            *next += 1;
            self.flat.exprs.intern(Expr::Local(slot), ty)
        })
    }

    pub fn make_external(
        &mut self,
        scope: ScopeId,
        at: ScopeId,
        external: &'a ast::ExternalDecl,
        signature: &Signature<'a>,
        env: &Env,
        outputs: &[Value],
        span: Span,
    ) -> R<FunctionId> {
        let mut slots = Vec::new();
        let mut locals: Vec<Local> = Vec::new();
        let mut next = 0;
        for p in &signature.inputs {
            let Some(l) = env.local(p.name) else { continue };
            let v = l.value.clone();
            let value = self.declared_slots(p, &v, &mut next, &mut slots);
            locals.push(Local {
                name: p.name,
                value,
                ty: None,
                sized: false,
            });
        }
        let inputs = next;
        for (p, v) in signature.outputs.iter().zip(outputs) {
            let value = self.declared_slots(p, v, &mut next, &mut slots);
            locals.push(Local {
                name: p.name,
                value,
                ty: None,
                sized: false,
            });
        }
        let n_outputs = next - inputs;
        let mut declared = env.clone();
        declared
            .locals
            .extend(signature.outputs.iter().zip(outputs).map(|(p, v)| Local {
                name: p.name,
                value: v.clone(),
                ty: None,
                sized: false,
            }));
        self.declare_locals(signature.locals.iter().collect(), &mut declared, span)?;
        for p in &signature.locals {
            let Some(v) = declared.local(p.name).map(|l| l.value.clone()) else {
                continue;
            };
            self.slot_names(p.name.as_str(), &v, &mut slots);
            let value = self.over_slots(&v, &mut next);
            locals.push(Local {
                name: p.name,
                value,
                ty: None,
                sized: false,
            });
        }
        let def = self.tree.scopes[scope].class.def;
        let symbol = external.function.unwrap_or(def.name);
        let inner = Env {
            locals,
            ..Env::new(at)
        };
        let mut arguments = Arguments {
            inputs,
            args: Vec::new(),
            records: Vec::new(),
            span,
        };
        let mut result = None;
        if external.function.is_none() && external.output.is_none() {
            // Default mapping: all inputs, then outputs; a single output that is no array is the result.
            let single = signature.outputs.len() == 1;
            for p in signature.inputs.iter().chain(&signature.outputs) {
                let Some(value) = inner.local(p.name).map(|l| l.value.clone()) else {
                    continue;
                };
                let is_output = signature.outputs.iter().any(|o| o.name == p.name);
                if single && is_output && !matches!(value, Value::Array(_)) {
                    result = self.external_result(&value, &mut arguments)?;
                } else {
                    self.push_external_arg(&value, &mut arguments)?;
                }
            }
        } else {
            for e in &external.args {
                let value = self.eval(e, &inner)?;
                self.push_external_arg(&value, &mut arguments)?;
            }
            if let Some(r) = &external.output {
                let value = self.eval_ref(r, &inner)?;
                result = self.external_result(&value, &mut arguments)?;
            }
        }
        let initial = self.initial_values(signature, &inner)?;
        let mut foreign = External {
            symbol,
            initial,
            language: external.language.as_deref().unwrap_or("C").to_string(),
            args: arguments.args,
            records: arguments.records,
            result,
            destructor: None,
            destructor_includes: Vec::new(),
            libraries: Vec::new(),
            includes: Vec::new(),
            library_directories: Vec::new(),
            include_directories: Vec::new(),
        };
        self.external_annotations(external, at, &mut foreign);
        self.add_destructor(scope, &mut foreign);
        let pure = def.purity != Some(ast::Purity::Impure);
        let function = Function {
            name: self.class_name(scope),
            slots,
            inputs,
            outputs: n_outputs,
            body: FunctionBody::External(Box::new(foreign)),
            pure,
            derivatives: Vec::new(),
            span: def.name_span,
        };
        let id = self.flat.functions.push(function);
        self.derivative_annotations(scope, id, signature, env);
        Ok(id)
    }

    /// Declared values of outputs and protected variables, over the slots of `env`.
    fn initial_values(&mut self, signature: &Signature<'a>, env: &Env) -> R<Vec<(u32, ExprId)>> {
        let mut out = Vec::new();
        // Sizes among them are needed to evaluate others, in whatever order they are declared.
        let mut known = env.clone();
        let mut pending: Vec<_> = signature.outputs.iter().chain(&signature.locals).collect();
        while !pending.is_empty() {
            let mut failed = Vec::new();
            let mut reason = None;
            let before = pending.len();
            for p in pending {
                let (Some(b), Some(l)) = (&p.binding, env.local(p.name)) else {
                    continue;
                };
                let value = match self.eval_local_binding(b, &known) {
                    Ok(value) => value,
                    Err(d) => {
                        failed.push(p);
                        reason = Some(d);
                        continue;
                    }
                };
                let mut slots = Vec::new();
                l.value.scalars(&mut slots);
                let mut values = Vec::new();
                value.scalars(&mut values);
                let literal = values.iter().all(|&e| self.flat.exprs.as_f64(e).is_some());
                for (slot, value) in slots.into_iter().zip(values) {
                    if let Expr::Local(k) = self.flat.exprs.get(slot) {
                        out.push((k, value));
                    }
                }
                if literal {
                    known.locals.push(Local {
                        name: p.name,
                        value,
                        ty: None,
                        sized: false,
                    });
                }
            }
            match reason {
                Some(d) if failed.len() == before => return Err(d),
                _ => pending = failed,
            }
        }
        Ok(out)
    }

    /// The slot of a result that is a number, a text or an object; a record is among the arguments.
    fn external_result(&mut self, value: &Value, out: &mut Arguments) -> R<Option<u32>> {
        match value {
            Value::Record(_) => {
                let first = out.args.len();
                let at = out.records.len();
                self.push_external_arg(value, out)?;
                debug_assert_eq!(out.records[at].args.start, first);
                out.records[at].result = true;
                Ok(None)
            }
            _ => Ok(value.scalar().and_then(|s| match self.flat.exprs.get(s) {
                Expr::Local(k) => Some(k),
                _ => None,
            })),
        }
    }

    fn push_external_arg(&mut self, value: &Value, out: &mut Arguments) -> R<()> {
        match value {
            Value::Scalar(e) => out.args.push(match self.flat.exprs.get(*e) {
                Expr::Local(k) if k >= out.inputs => ExternalArg::Out(k),
                _ => ExternalArg::Value(*e),
            }),
            Value::Array(a) => {
                if a.items.iter().any(|v| v.scalar().is_none()) {
                    return error(
                        "E0349",
                        out.span,
                        "an array of records cannot be passed to an external function",
                    );
                }
                let first = a.items.first().and_then(Value::scalar);
                let (slot, ty) = match first {
                    Some(e) => match self.flat.exprs.get(e) {
                        Expr::Local(k) => (k, self.flat.exprs.ty(e)),
                        _ => (u32::MAX, self.flat.exprs.ty(e)),
                    },
                    None => (0, Ty::Real),
                };
                if slot == u32::MAX {
                    // An array expression: its elements are passed one by one as values.
                    let mut scalars = Vec::new();
                    value.scalars(&mut scalars);
                    out.args.extend(scalars.into_iter().map(ExternalArg::Value));
                    return Ok(());
                }
                out.args.push(ExternalArg::Array {
                    first: slot,
                    dims: a.dims.iter().map(|&d| d as u32).collect(),
                    ty,
                    output: slot >= out.inputs,
                });
            }
            Value::Record(r) => {
                let (first, at) = (out.args.len(), out.records.len());
                out.records.push(RecordArg {
                    args: first..first,
                    result: false,
                });
                for (name, f) in &r.fields {
                    if matches!(f, Value::Array(_)) {
                        return error(
                            "E0349",
                            out.span,
                            format!(
                                "the field `{name}` is an array: such a record cannot be passed to an external function"
                            ),
                        );
                    }
                    self.push_external_arg(f, out)?;
                }
                out.records[at].args.end = out.args.len();
            }
            _ => {}
        }
        Ok(())
    }

    /// The destructor beside a constructor of external objects: its C function, and what that needs.
    fn add_destructor(&mut self, constructor: ScopeId, out: &mut External) -> Option<()> {
        let class = &self.tree.scopes[constructor].class;
        if class.def.name.as_str() != "constructor" {
            return None;
        }
        let object = class.parent?;
        let destructor = self.member(object, "destructor".into()).ok()??;
        let scope = self.class_scope(destructor).ok()?;
        let (at, external) = self.external_of(scope)?;
        out.destructor = Some(external.function.unwrap_or("destructor".into()));
        let own = std::mem::take(&mut out.includes);
        self.external_annotations(external, at, out);
        out.destructor_includes = std::mem::replace(&mut out.includes, own);
        out.destructor_includes
            .retain(|i| !out.includes.contains(i));
        Some(())
    }

    fn external_annotations(
        &mut self,
        external: &'a ast::ExternalDecl,
        at: ScopeId,
        out: &mut External,
    ) {
        let def = self.tree.scopes[at].class.def;
        let lists = [external.annotation.as_deref(), def.annotation.as_deref()];
        for annotation in lists.into_iter().flatten() {
            for a in &annotation.args {
                let ast::Argument::Modifier(m) = a else {
                    continue;
                };
                let Some(e) = m.modification.as_ref().and_then(|x| x.value.as_ref()) else {
                    continue;
                };
                let target = match m.path[0].as_str() {
                    "Library" => &mut out.libraries,
                    "Include" => &mut out.includes,
                    "LibraryDirectory" => &mut out.library_directories,
                    "IncludeDirectory" => &mut out.include_directories,
                    _ => continue,
                };
                match &e.kind {
                    ast::ExprKind::Str(s) => add(target, self.local_path(s)),
                    ast::ExprKind::Array(items) => {
                        for i in items.iter() {
                            if let ast::ExprKind::Str(s) = &i.kind {
                                add(target, self.local_path(s));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        let name = self.class_name(at);
        let top = name.split('.').next().unwrap_or_default();
        let default = |part: &str| self.local_path(&format!("modelica://{top}/Resources/{part}"));
        if out.include_directories.is_empty() {
            out.include_directories.push(default("Include"));
        }
        if out.library_directories.is_empty() {
            out.library_directories.push(default("Library"));
        }
        // A header may lie beside the file that includes it.
        let source = self.lib.sources().get(def.name_span.file);
        if let Some(source) = source
            && let Some(folder) = std::path::Path::new(&source.name).parent()
        {
            let folder = folder.to_string_lossy();
            let folder = if folder.is_empty() { "." } else { &folder };
            add(&mut out.include_directories, folder.to_string());
        }
    }

    /// `modelica://` references as paths on disk, other text as it is.
    pub fn local_path(&self, text: &str) -> String {
        if !text.starts_with("modelica://") {
            return text.to_string();
        }
        match self.lib.resolve_uri(text) {
            Some(ferrica_classes::Resource::File(p)) => p.display().to_string(),
            _ => text.to_string(),
        }
    }

    /// `external "builtin"` functions such as `Modelica.Math.sin` are the language's own.
    fn builtin_by_values(
        &mut self,
        name: Symbol,
        signature: &Signature<'a>,
        env: &Env,
    ) -> R<Option<Value>> {
        let Some(row) = ferrica_ir::elementary::named(name.as_str()) else {
            return Ok(None);
        };
        let mut args: Vec<ExprId> = Vec::new();
        for p in &signature.inputs {
            if let Some(s) = env.local(p.name).and_then(|l| l.value.scalar()) {
                args.push(s);
            }
        }
        let value = self.flat.exprs.builtin(row.builtin, &args);
        Ok(Some(Value::Scalar(value)))
    }
}

/// Adds what the list has not.
fn add(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Arguments of a C function so far.
struct Arguments {
    /// Slots from here on are written by the function.
    inputs: u32,
    args: Vec<ExternalArg>,
    records: Vec<RecordArg>,
    span: Span,
}

/// Sizes of all inputs, in order.
pub fn shape_of(signature: &Signature<'_>, env: &Env) -> Vec<u32> {
    let mut out = Vec::new();
    for p in &signature.inputs {
        if let Some(l) = env.local(p.name) {
            shape_of_value(&l.value, &mut out);
        }
    }
    out
}

fn shape_of_value(v: &Value, out: &mut Vec<u32>) {
    match v {
        Value::Array(a) => {
            out.push(a.dims.len() as u32);
            out.extend(a.dims.iter().map(|&d| d as u32));
            if let Some(first) = a.items.first() {
                shape_of_value(first, out);
            }
        }
        Value::Record(r) => {
            let record: &Record = r;
            for (_, f) in &record.fields {
                shape_of_value(f, out);
            }
        }
        Value::Function(f) => {
            out.push(1_000_000 + f.scope.as_u32());
            for (n, v) in &f.given {
                out.push(n.index());
                shape_of_value(v, out);
            }
        }
        _ => out.push(0),
    }
}

//! Calls: functions, record constructors, overloaded operators (chapters 12 and 14).

use std::rc::Rc;

use ferrica_ir::{Builtin, Diagnostic, Expr, Span, Symbol, Ty};
use ferrica_syntax::ast;
use rustc_hash::FxHashSet;

use crate::eval::{Env, Local};
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Element, ElementId, ScopeId};
use crate::lookup::Found;
use crate::modifier::Binding;
use crate::value::{FunctionValue, Record, Value};

/// Nested calls beyond this are endless recursion.
const MAX_DEPTH: u32 = 250;

/// A call that adds more expressions than this stays a call.
const INLINE_LIMIT: usize = 3000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    Scalar(Ty),
    /// A record, by the element that declares its class.
    Record(ElementId),
    Function,
}

/// An input, output or local of a function, or a field of a record.
#[derive(Clone)]
pub struct Param<'a> {
    pub name: Symbol,
    pub ty: ParamType,
    pub dims: Vec<(&'a ast::Subscript, ScopeId)>,
    pub binding: Option<Binding<'a>>,
    /// `output R r(field = value)`.
    pub fields: Vec<(Symbol, Binding<'a>)>,
    pub constant: bool,
    pub is_final: bool,
    pub span: Span,
}

#[derive(Default)]
pub struct Signature<'a> {
    pub inputs: Vec<Param<'a>>,
    pub outputs: Vec<Param<'a>>,
    pub locals: Vec<Param<'a>>,
}

impl<'a> Flattener<'a> {
    pub fn eval_call(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<Value> {
        let f = &call.function;
        if let [part] = f.parts.as_slice() {
            if !f.global
                && let Some(local) = env.local(part.name)
                && let Value::Function(fv) = &local.value
            {
                let fv = fv.clone();
                return self.call_function_value(&fv, call, env, span);
            }
            if (f.global || !self.shadowed(part.name, env)?)
                && let Some(v) = self.builtin_call(part.name, call, env, span)?
            {
                self.check_domain(part.name.as_str(), &call.args.positional, span);
                return Ok(v);
            }
        }
        if f.parts.len() == 2 && f.parts[0].name.as_str() == "Connections" {
            return self.connections_query(f.parts[1].name.as_str(), call, env, span);
        }
        if f.parts.iter().any(|p| !p.subscripts.is_empty()) {
            return error(
                "E0223",
                f.span,
                "a function cannot be called through an element of an array",
            );
        }
        let name = ast::Name {
            global: f.global,
            parts: f.parts.iter().map(|p| p.name).collect(),
            span: f.span,
        };
        match self.lookup_class(env.scope, &name)? {
            Found::Predefined(ty) => {
                let v = self.argument(call, 0, "x", env, span)?;
                self.convert(v, ty, span)
            }
            Found::Element(e) => match self.call_element(e, call, env, span) {
                // With the values of parameters the call may be possible at compile time.
                Err(d) if !self.constant && matches!(d.code, DYNAMIC | "E0336" | "E0310") => {
                    self.literal_arguments = true;
                    if let Ok(v) = self.call_element(e, call, env, span) {
                        return Ok(v);
                    }
                    self.constant = true;
                    let again = self.call_element(e, call, env, span);
                    self.constant = false;
                    again.map_err(|_| d)
                }
                result => result,
            },
        }
    }

    /// Does a class around declare or import a function of this (predefined) name?
    fn shadowed(&mut self, name: Symbol, env: &Env) -> R<bool> {
        let mut at = Some(env.scope);
        let mut clean = Vec::new();
        while let Some(s) = at {
            let class = &self.tree.scopes[s].class;
            let key = (std::ptr::from_ref(class.def), name);
            let next = if class.def.encapsulated {
                None
            } else {
                class.parent
            };
            if self.not_shadowed.contains(&key) {
                break;
            }
            if let Some(e) = self.member_or_import(s, name)?
                && let Element::Class(c) = &self.tree.elements[e]
                && c.class.def.kind.is_function()
            {
                return Ok(true);
            }
            clean.push(key);
            at = next;
        }
        self.not_shadowed.extend(clean);
        Ok(false)
    }

    fn call_element(
        &mut self,
        e: ElementId,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if self.tree.component(e).is_some() {
            let name = self.tree.name(e);
            return error(
                "E0203",
                call.function.span,
                format!("`{name}` is a component and cannot be called"),
            );
        }
        let scope = self.class_scope(e)?;
        self.expand(scope)?;
        let (positional, named) = self.arguments(call, env)?;
        let s = &self.tree.scopes[scope];
        let kind = s.class.def.kind;
        match s.builtin {
            Some(Ty::Enum(id)) => {
                let Some(v) = positional.first() else {
                    return error("E0330", span, "an Integer is needed");
                };
                let Some(i) = v.scalar() else {
                    return error("E0330", span, "an Integer is needed");
                };
                return match self.flat.exprs.as_int(i) {
                    Some(k) if k >= 1 && (k as usize) <= self.flat.enums[id].literals.len() => {
                        Ok(Value::Scalar(self.flat.exprs.enum_literal(id, k as u32)))
                    }
                    Some(k) => error(
                        "E0318",
                        span,
                        format!("{k} is no literal of the enumeration"),
                    ),
                    None => {
                        let marker = self.flat.exprs.enum_literal(id, 1);
                        Ok(Value::Scalar(
                            self.flat.exprs.builtin(Builtin::IntToEnum, &[marker, i]),
                        ))
                    }
                };
            }
            Some(Ty::External) => {
                let Some(constructor) = self.member(scope, "constructor".into())? else {
                    return error("E0334", span, "the external object has no constructor");
                };
                let f = self.class_scope(constructor)?;
                return self.call_function(f, positional, named, span);
            }
            Some(ty) => {
                let Some(v) = positional.into_iter().next() else {
                    return error("E0330", span, "a value is needed");
                };
                return self.convert(v, ty, span);
            }
            None => {}
        }
        if kind.is_record() {
            return self.construct(scope, positional, named, span);
        }
        if kind.is_function() && self.tree.scopes[scope].class.def.partial {
            let class = self.class_name(scope);
            return error(
                "E0306",
                call.function.span,
                format!("`{class}` is a partial function and cannot be called"),
            );
        }
        if kind.is_function() || kind == ast::ClassKind::Class || kind == ast::ClassKind::Operator {
            return self.call_function(scope, positional, named, span);
        }
        let class = self.class_name(scope);
        error(
            "E0335",
            call.function.span,
            format!("`{class}` is not a function"),
        )
    }

    fn arguments(
        &mut self,
        call: &'a ast::Call,
        env: &Env,
    ) -> R<(Vec<Value>, Vec<(Symbol, Value)>)> {
        let literal = std::mem::take(&mut self.literal_arguments);
        let mut positional = Vec::with_capacity(call.args.positional.len());
        for a in &call.args.positional {
            positional.push(self.argument_value(a, env, literal)?);
        }
        let mut named = Vec::with_capacity(call.args.named.len());
        for n in &call.args.named {
            named.push((n.name, self.argument_value(&n.value, env, literal)?));
        }
        Ok((positional, named))
    }

    /// An argument; with `literal`, one of discrete type that depends on parameters only is
    /// replaced by its value.
    fn argument_value(&mut self, e: &'a ast::Expr, env: &Env, literal: bool) -> R<Value> {
        let v = first_of(self.eval(e, env)?);
        if !literal {
            return Ok(v);
        }
        let mut scalars = Vec::new();
        v.scalars(&mut scalars);
        let discrete = scalars
            .iter()
            .all(|&s| self.flat.exprs.ty(s).is_discrete() && self.depends_on_parameters_only(s));
        if discrete
            && !is_literal_value(&self.flat.exprs, &v)
            && let Ok(known) = self.eval_in_constant_mode(e, env)
        {
            return Ok(first_of(known));
        }
        Ok(v)
    }

    pub fn eval_partial(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<Value> {
        let f = &call.function;
        let (_, named) = self.arguments(call, env)?;
        if let Some(local) = f.as_ident().and_then(|n| env.local(n))
            && let Value::Function(fv) = &local.value
        {
            let mut given = fv.given.clone();
            given.extend(named);
            return Ok(Value::Function(Rc::new(FunctionValue {
                scope: fv.scope,
                given,
            })));
        }
        let name = ast::Name {
            global: f.global,
            parts: f.parts.iter().map(|p| p.name).collect(),
            span: f.span,
        };
        match self.lookup_class(env.scope, &name)? {
            Found::Element(e) => {
                let scope = self.class_scope(e)?;
                Ok(Value::Function(Rc::new(FunctionValue {
                    scope,
                    given: named,
                })))
            }
            Found::Predefined(_) => error("E0335", span, "this is not a function"),
        }
    }

    fn call_function_value(
        &mut self,
        f: &FunctionValue,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let (positional, mut named) = self.arguments(call, env)?;
        // Positional arguments fill the inputs that are not given yet.
        let signature = self.signature(f.scope)?;
        let mut free = signature
            .inputs
            .iter()
            .filter(|p| !f.given.iter().any(|(n, _)| *n == p.name));
        for v in positional {
            match free.next() {
                Some(p) => named.push((p.name, v)),
                None => return error("E0330", span, "too many arguments"),
            }
        }
        named.extend(f.given.iter().cloned());
        self.call_function(f.scope, Vec::new(), named, span)
    }

    // Signatures.

    pub fn signature(&mut self, scope: ScopeId) -> R<Rc<Signature<'a>>> {
        if let Some(s) = self.signatures.get(&scope) {
            return Ok(s.clone());
        }
        self.expand(scope)?;
        let record = self.tree.scopes[scope].class.def.kind.is_record();
        let mut signature = Signature::default();
        for e in self.tree.scopes[scope].order.clone() {
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            let (causality, decl, c_scope) = (c.causality, c.decl, c.scope);
            let constant = c.variability == ferrica_ir::flat::Variability::Constant;
            let mut param = Param {
                name: c.name,
                ty: ParamType::Function,
                dims: Vec::new(),
                binding: c.modifier.binding.clone(),
                fields: c
                    .modifier
                    .entries
                    .iter()
                    .filter_map(|e| e.modifier.binding.clone().map(|b| (e.name, b)))
                    .collect(),
                constant,
                is_final: c.is_final,
                span: c.span(),
            };
            let (dims_decl, dims_scope) = c.dims_from.unwrap_or((decl, c_scope));
            param.dims = dims_decl
                .subscripts
                .iter()
                .chain(&dims_decl.type_subscripts)
                .map(|s| (s, dims_scope))
                .collect();
            let mut prefix_causality = None;
            param.ty = match self.lookup_class(c_scope, &decl.type_name)? {
                Found::Predefined(ty) => ParamType::Scalar(ty),
                Found::Element(class) => {
                    let s = self.class_scope(class)?;
                    self.expand(s)?;
                    let ts = &self.tree.scopes[s];
                    param.dims.extend(ts.type_dims.iter().copied());
                    prefix_causality = ts.prefixes.causality;
                    match ts.builtin {
                        Some(ty) => ParamType::Scalar(ty),
                        None if ts.class.def.kind.is_function() => ParamType::Function,
                        None => ParamType::Record(class),
                    }
                }
            };
            if constant && !record {
                continue;
            }
            match causality.or(prefix_causality) {
                _ if record => signature.inputs.push(param),
                Some(ast::Causality::Input) => signature.inputs.push(param),
                Some(ast::Causality::Output) => signature.outputs.push(param),
                None => signature.locals.push(param),
            }
        }
        let signature = Rc::new(signature);
        self.signatures.insert(scope, signature.clone());
        Ok(signature)
    }

    // Functions.

    pub fn call_function(
        &mut self,
        scope: ScopeId,
        positional: Vec<Value>,
        named: Vec<(Symbol, Value)>,
        span: Span,
    ) -> R<Value> {
        if self.depth > MAX_DEPTH {
            return error(
                "E0336",
                span,
                "functions call each other too deeply; is the recursion endless?",
            );
        }
        self.spend(10, span)?;
        self.depth += 1;
        let result = self.call_checked(scope, positional, named, span);
        self.depth -= 1;
        result
    }

    fn call_checked(
        &mut self,
        scope: ScopeId,
        positional: Vec<Value>,
        named: Vec<(Symbol, Value)>,
        span: Span,
    ) -> R<Value> {
        let signature = self.signature(scope)?;
        let name = || self.class_name(scope);
        if positional.len() > signature.inputs.len() {
            let text = format!(
                "`{}` takes {} arguments, {} are given",
                name(),
                signature.inputs.len(),
                positional.len()
            );
            return error("E0330", span, text);
        }
        let mut values: Vec<Option<Value>> = vec![None; signature.inputs.len()];
        for (slot, v) in values.iter_mut().zip(positional) {
            *slot = Some(v);
        }
        for (n, v) in named {
            match signature.inputs.iter().position(|p| p.name == n) {
                Some(k) if values[k].is_none() => values[k] = Some(v),
                Some(_) => {
                    return error(
                        "E0330",
                        span,
                        format!("the argument `{n}` of `{}` is given twice", name()),
                    );
                }
                None => {
                    let names: Vec<Symbol> = signature.inputs.iter().map(|p| p.name).collect();
                    let mut d = Diagnostic::error(
                        "E0330",
                        span,
                        format!("`{}` has no input `{n}`", name()),
                    );
                    if let Some(near) = crate::lookup::closest(n, &names) {
                        d = d.with_hint(format!("did you mean `{near}`?"));
                    }
                    return Err(Box::new(d));
                }
            }
        }
        // A scalar function applied to arrays is applied to each element.
        let mut outer: Option<Vec<usize>> = None;
        let mut spread = vec![false; values.len()];
        for (k, (p, v)) in signature.inputs.iter().zip(&values).enumerate() {
            let Some(v) = v else { continue };
            if v.dims().len() > p.dims.len() && !matches!(p.ty, ParamType::Function) {
                let extra = v.dims()[..v.dims().len() - p.dims.len()].to_vec();
                match &outer {
                    None => outer = Some(extra),
                    Some(o) if *o == extra => {}
                    Some(o) => {
                        return error(
                            "E0317",
                            span,
                            format!(
                                "the arguments of `{}` differ in size: {o:?} and {extra:?}",
                                name()
                            ),
                        );
                    }
                }
                spread[k] = true;
            }
        }
        let Some(outer) = outer else {
            return self.call_once(scope, &signature, values, span);
        };
        let n: usize = outer.iter().product();
        let rank = outer.len();
        let mut results = Vec::with_capacity(n);
        for i in 0..n {
            let element: Vec<Option<Value>> = values
                .iter()
                .zip(&spread)
                .map(|(v, s)| {
                    if *s {
                        v.as_ref().and_then(|v| v.element(i, rank))
                    } else {
                        v.clone()
                    }
                })
                .collect();
            results.push(first_of(self.call_once(scope, &signature, element, span)?));
        }
        let inner = results
            .first()
            .map(|v| v.dims().to_vec())
            .unwrap_or_default();
        let mut dims = outer;
        dims.extend(&inner);
        Ok(Value::array(
            dims,
            results.iter().flat_map(|v| v.items().to_vec()).collect(),
        ))
    }

    fn call_once(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        values: Vec<Option<Value>>,
        span: Span,
    ) -> R<Value> {
        let mut env = Env::new(scope);
        self.bind_inputs(scope, signature, values, &mut env, span)?;
        let def = self.tree.scopes[scope].class.def;
        if let Some((ext_scope, external)) = self.external_of(scope) {
            return self.external_call(scope, ext_scope, external, signature, &env, span);
        }
        if let ast::ClassBody::Der(d) = &def.body {
            return error(
                "E0337",
                span,
                format!(
                    "`{}` is a partial derivative (`der({}, …)`), which is not supported yet",
                    def.name, d.function
                ),
            );
        }
        if def.partial {
            return error(
                "E0306",
                span,
                format!("`{}` is a partial function", self.class_name(scope)),
            );
        }
        if self.lowering.contains(&scope) && !self.constant {
            // A recursive call from a function that is executed at run time.
            let outputs = self.output_templates(signature, &env, span)?;
            let f = self.lower_function(scope, signature, &env, span)?;
            return self.finish_call(f, signature, &env, outputs, span);
        }
        // Following a recursion whose end is decided at run time would never end.
        if self
            .active
            .iter()
            .any(|&(s, undecided)| s == scope && undecided < self.undecided)
        {
            return error(
                DYNAMIC,
                span,
                "a recursion whose end is known only at run time",
            );
        }
        let (key, literal) = self.function_key(scope, signature, &env);
        let why = Diagnostic::error(DYNAMIC, span, "large");
        if !self.constant && !literal && self.large.contains(&key) {
            return self.runtime_call(scope, signature, &env, span, &why);
        }
        let before = self.flat.exprs.len();
        let emitter = std::mem::take(&mut self.emitter);
        self.active.push((scope, self.undecided));
        let result = self.execute(scope, signature, env.clone(), span);
        self.active.pop();
        self.emitter = emitter;
        match result {
            Ok(v) if self.flat.exprs.len() - before > INLINE_LIMIT && !self.constant => {
                // Too large to repeat at each call, unless it cannot be a function.
                let marks = self.diagnostics.len();
                match self.runtime_call(scope, signature, &env, span, &why) {
                    Ok(call) if !is_literal_value(&self.flat.exprs, &v) => {
                        self.large.insert(key);
                        Ok(call)
                    }
                    _ => {
                        self.forget_messages(marks);
                        Ok(v)
                    }
                }
            }
            Ok(v) => Ok(self.without_events(&v)),
            Err(d) if d.code == DYNAMIC || (d.code == "E0336" && self.depth <= 1) => {
                self.runtime_call(scope, signature, &env, span, &d)
            }
            Err(d) => Err(d),
        }
    }

    /// Relations in the body of a function make no events: Real results that hold any are marked so.
    fn without_events(&mut self, v: &Value) -> Value {
        v.map_scalars(&mut |root| {
            let exprs = &self.flat.exprs;
            if exprs.ty(root) != Ty::Real {
                return root;
            }
            let mut seen = FxHashSet::default();
            let mut stack = vec![root];
            while let Some(id) = stack.pop() {
                match exprs.get(id) {
                    Expr::Binary(op, ..) if op.is_relation() => {
                        return self.flat.exprs.builtin(Builtin::NoEvent, &[root]);
                    }
                    Expr::Builtin(
                        Builtin::Floor
                        | Builtin::Ceil
                        | Builtin::Integer
                        | Builtin::Div
                        | Builtin::Mod
                        | Builtin::Rem,
                        _,
                    ) => return self.flat.exprs.builtin(Builtin::NoEvent, &[root]),
                    Expr::Builtin(Builtin::NoEvent, _) => {}
                    _ => exprs.for_each_child(id, |c| {
                        if seen.insert(c) {
                            stack.push(c);
                        }
                    }),
                }
            }
            root
        })
    }

    /// Inputs become locals, converted to their declared type; defaults may use earlier inputs.
    pub fn bind_inputs(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        values: Vec<Option<Value>>,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let mut late = Vec::new();
        for (k, (p, v)) in signature.inputs.iter().zip(values).enumerate() {
            match v {
                Some(v) => {
                    let local = self.bind(p, v, span)?;
                    env.locals.push(local);
                }
                None => late.push(k),
            }
        }
        for k in late {
            let p = &signature.inputs[k];
            let Some(b) = &p.binding else {
                let name = self.class_name(scope);
                return error(
                    "E0330",
                    span,
                    format!("the argument `{}` of `{name}` is missing", p.name),
                );
            };
            let v = self.eval_local_binding(b, env)?;
            let local = self.bind(p, v, span)?;
            env.locals.push(local);
        }
        Ok(())
    }

    fn bind(&mut self, p: &Param<'a>, v: Value, span: Span) -> R<Local> {
        let ty = match p.ty {
            ParamType::Scalar(ty) => Some(ty),
            _ => None,
        };
        let value = match (ty, v) {
            (Some(ty), v) => {
                if v.dims().len() != p.dims.len() {
                    return error(
                        "E0317",
                        span,
                        format!(
                            "the argument `{}` needs {} dimensions, this is {}",
                            p.name,
                            p.dims.len(),
                            v.a_shape()
                        ),
                    );
                }
                self.convert(v, ty, span).map_err(|mut d| {
                    d.message = format!("the argument `{}`: {}", p.name, d.message);
                    d
                })?
            }
            (None, v) => v,
        };
        Ok(Local {
            name: p.name,
            value,
            ty,
        })
    }

    /// A binding inside a function: local names are visible.
    pub fn eval_local_binding(&mut self, b: &Binding<'a>, env: &Env) -> R<Value> {
        if !b.picks.is_empty() {
            return self.eval_binding(b, false);
        }
        let inner = Env {
            scope: b.scope,
            ..env.clone()
        };
        Ok(first_of(self.eval(b.expr, &inner)?))
    }

    // Records.

    pub fn construct(
        &mut self,
        scope: ScopeId,
        positional: Vec<Value>,
        named: Vec<(Symbol, Value)>,
        span: Span,
    ) -> R<Value> {
        if let Some(c) = self.member(scope, "'constructor'".into())? {
            let s = self.class_scope(c)?;
            if let Some(f) = self.matching_operator(s, &positional, &named)? {
                return self.call_function(f, positional, named, span);
            }
        }
        let signature = self.signature(scope)?;
        let mut given: Vec<Option<Value>> = vec![None; signature.inputs.len()];
        let mut modifiable = signature
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, p)| !(p.is_final || p.constant && p.binding.is_some()))
            .map(|(k, _)| k);
        for v in positional {
            match modifiable.next() {
                Some(k) => given[k] = Some(v),
                None => {
                    return error(
                        "E0330",
                        span,
                        format!("too many arguments for record `{}`", self.class_name(scope)),
                    );
                }
            }
        }
        for (n, v) in named {
            match signature.inputs.iter().position(|p| p.name == n) {
                Some(k) => given[k] = Some(v),
                None => {
                    return error(
                        "E0330",
                        span,
                        format!("record `{}` has no field `{n}`", self.class_name(scope)),
                    );
                }
            }
        }
        self.build_record(scope, &signature, given, span)
    }

    pub fn build_record(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        given: Vec<Option<Value>>,
        span: Span,
    ) -> R<Value> {
        let mut env = Env::new(scope);
        let mut fields: Vec<(Symbol, Option<Value>)> = Vec::new();
        for (p, v) in signature.inputs.iter().zip(given) {
            if let Some(v) = v {
                // A scalar stands for every element of an array field only if it is one.
                let local = self.bind(p, v, span)?;
                fields.push((p.name, Some(local.value.clone())));
                env.locals.push(local);
            } else {
                fields.push((p.name, None));
            }
        }
        for (k, p) in signature.inputs.iter().enumerate() {
            if fields[k].1.is_some() {
                continue;
            }
            let value = match &p.binding {
                Some(b) => {
                    let v = self.eval_local_binding(b, &env)?;
                    self.bind(p, v, span)?.value
                }
                None => self.default_value(p, &env, span)?,
            };
            env.locals.push(Local {
                name: p.name,
                value: value.clone(),
                ty: None,
            });
            fields[k].1 = Some(value);
        }
        let fields = fields
            .into_iter()
            .filter_map(|(n, v)| v.map(|v| (n, v)))
            .collect();
        Ok(Value::Record(Rc::new(Record {
            class: Some(scope),
            fields,
        })))
    }

    /// Value of a local or field that has none yet.
    pub fn default_value(&mut self, p: &Param<'a>, env: &Env, span: Span) -> R<Value> {
        let mut dims = Vec::with_capacity(p.dims.len());
        for (s, scope) in &p.dims {
            match s {
                ast::Subscript::Colon(_) => dims.push(0),
                ast::Subscript::Expr(e) => {
                    let inner = Env {
                        scope: *scope,
                        ..env.clone()
                    };
                    let n = match self.eval_dimension(e, &inner) {
                        Ok(n) => n,
                        Err(mut d) if d.code == "E0308" || d.code == "E0310" => {
                            d.code = DYNAMIC;
                            return Err(d);
                        }
                        Err(d) => return Err(d),
                    };
                    dims.push(n);
                }
            }
        }
        let one = match p.ty {
            ParamType::Scalar(ty) => Value::Scalar(self.zero(ty)),
            ParamType::Record(e) => {
                let s = self.class_scope(e)?;
                let signature = self.signature(s)?;
                let mut given = vec![None; signature.inputs.len()];
                for (n, b) in &p.fields {
                    if let Some(k) = signature.inputs.iter().position(|q| q.name == *n) {
                        given[k] = Some(self.eval_local_binding(b, env)?);
                    }
                }
                self.build_record(s, &signature, given, span)?
            }
            ParamType::Function => {
                return error(
                    "E0330",
                    span,
                    format!("the function `{}` is not given", p.name),
                );
            }
        };
        let n = crate::limits::elements(&dims, p.span)?;
        Ok(Value::array(dims, vec![one; n]))
    }

    pub fn zero(&mut self, ty: Ty) -> ferrica_ir::ExprId {
        let x = &mut self.flat.exprs;
        match ty {
            Ty::Integer => x.int(0),
            Ty::Boolean => x.bool(false),
            Ty::String => x.str(""),
            Ty::Enum(id) => x.enum_literal(id, 1),
            _ => x.real(0.0),
        }
    }

    // Overloaded operators.

    /// The function of an operator class whose inputs fit the arguments.
    fn matching_operator(
        &mut self,
        operator: ScopeId,
        positional: &[Value],
        named: &[(Symbol, Value)],
    ) -> R<Option<ScopeId>> {
        self.expand(operator)?;
        let kind = self.tree.scopes[operator].class.def.kind;
        let mut candidates = Vec::new();
        if kind.is_function() {
            candidates.push(operator);
        } else {
            for e in self.tree.scopes[operator].order.clone() {
                if matches!(self.tree.elements[e], Element::Class(_)) {
                    candidates.push(self.class_scope(e)?);
                }
            }
        }
        for f in candidates {
            let signature = self.signature(f)?;
            if positional.len() > signature.inputs.len() {
                continue;
            }
            let fits = signature.inputs.iter().enumerate().all(|(k, p)| {
                let given = positional
                    .get(k)
                    .or_else(|| named.iter().find(|(n, _)| *n == p.name).map(|(_, v)| v));
                match given {
                    None => p.binding.is_some(),
                    Some(v) => v.dims().len() == p.dims.len() && self.fits(p, v),
                }
            });
            if fits
                && named
                    .iter()
                    .all(|(n, _)| signature.inputs.iter().any(|p| p.name == *n))
            {
                return Ok(Some(f));
            }
        }
        Ok(None)
    }

    fn fits(&self, p: &Param<'a>, v: &Value) -> bool {
        match (p.ty, v.items().first()) {
            (_, None) => true,
            (ParamType::Scalar(ty), Some(Value::Scalar(s))) => {
                let t = self.flat.exprs.ty(*s);
                t == ty || (t == Ty::Integer && ty == Ty::Real)
            }
            (ParamType::Record(_), Some(Value::Record(_))) => true,
            (ParamType::Function, Some(Value::Function(_))) => true,
            _ => false,
        }
    }

    fn record_class(v: &Value) -> Option<ScopeId> {
        match v {
            Value::Record(r) => r.class,
            _ => None,
        }
    }

    pub fn overloaded_unary(
        &mut self,
        op: ast::UnaryOp,
        a: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        let Some(class) = Self::record_class(a) else {
            if let Value::Array(array) = a
                && array.items.iter().any(|v| matches!(v, Value::Record(_)))
            {
                let mut items = Vec::new();
                for v in &array.items {
                    items.push(self.unary_value(op, v.clone(), span)?);
                }
                return Ok(Some(Value::array(array.dims.clone(), items)));
            }
            return Ok(None);
        };
        let symbol = match op {
            ast::UnaryOp::Neg | ast::UnaryOp::ElementwiseNeg => "'-'",
            ast::UnaryOp::Not => "'not'",
            _ => return Ok(Some(a.clone())),
        };
        let args = [a.clone()];
        if let Some(o) = self.member(class, symbol.into())? {
            let s = self.class_scope(o)?;
            if let Some(f) = self.matching_operator(s, &args, &[])? {
                return self
                    .call_function(f, args.to_vec(), Vec::new(), span)
                    .map(Some);
            }
        }
        error(
            "E0321",
            span,
            format!(
                "`{}` is not defined for `{}`",
                op.symbol(),
                self.class_name(class)
            ),
        )
    }

    pub fn overloaded_binary(
        &mut self,
        op: ast::BinaryOp,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        let classes = [Self::record_class(a), Self::record_class(b)];
        if classes.iter().all(Option::is_none) {
            return Ok(None);
        }
        let plain = op.symbol().trim_start_matches('.');
        let symbol: Symbol = format!("'{plain}'").as_str().into();
        let args = [a.clone(), b.clone()];
        for class in classes.iter().flatten() {
            if let Some(o) = self.member(*class, symbol)? {
                let s = self.class_scope(o)?;
                if let Some(f) = self.matching_operator(s, &args, &[])? {
                    return self
                        .call_function(f, args.to_vec(), Vec::new(), span)
                        .map(Some);
                }
                // One side converted by a constructor of the record.
                if let Value::Scalar(_) = a {
                    let lifted = self.construct(*class, vec![a.clone()], Vec::new(), span)?;
                    return self.overloaded_binary(op, &lifted, b, span);
                }
                if let Value::Scalar(_) = b {
                    let lifted = self.construct(*class, vec![b.clone()], Vec::new(), span)?;
                    return self.overloaded_binary(op, a, &lifted, span);
                }
            }
        }
        if !a.dims().is_empty() || !b.dims().is_empty() {
            return Ok(None);
        }
        let class = classes
            .into_iter()
            .flatten()
            .next()
            .map(|c| self.class_name(c))
            .unwrap_or_default();
        error(
            "E0321",
            span,
            format!("`{plain}` is not defined for `{class}`"),
        )
    }

    pub fn overloaded_string(
        &mut self,
        class: Option<ScopeId>,
        v: &Value,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let Some(class) = class else {
            return error("E0321", span, "`String` is not defined for this record");
        };
        let Some(o) = self.member(class, "'String'".into())? else {
            return error(
                "E0321",
                span,
                format!("`String` is not defined for `{}`", self.class_name(class)),
            );
        };
        let s = self.class_scope(o)?;
        let (mut positional, named) = self.arguments(call, env)?;
        positional[0] = v.clone();
        match self.matching_operator(s, &positional, &named)? {
            Some(f) => self.call_function(f, positional, named, span),
            None => error("E0321", span, "no `String` operator fits these arguments"),
        }
    }
}

/// The first result of a call with several.
pub fn first_of(v: Value) -> Value {
    match v {
        Value::Tuple(mut items) if !items.is_empty() => items.swap_remove(0),
        v => v,
    }
}

fn is_literal_value(x: &ferrica_ir::ExprArena, v: &Value) -> bool {
    let mut scalars = Vec::new();
    v.scalars(&mut scalars);
    scalars.iter().all(|&s| x.is_literal(s))
}

//! Calls: functions, record constructors, overloaded operators (chapters 12 and 14).

use std::rc::Rc;

use ferrica_ir::{Builtin, Diagnostic, ExprArena, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast;
use rustc_hash::FxHashSet;

use crate::eval::Env;
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Element, ElementId, ScopeId};
use crate::limits::CALL_STEPS;
use crate::lookup::{Found, not_a_class};
use crate::signature::ParamType;
use crate::signature::Signature;
use crate::value::{FunctionValue, Value};

/// Nested calls beyond this are endless recursion.
const MAX_DEPTH: u32 = 250;

/// A call that takes more expressions than this, whether new ones or such as other calls have made, stays a call.
const INLINE_LIMIT: usize = 3000;

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
            let predefined = f.global || !self.shadowed(part.name, env)?;
            if predefined {
                self.check_operator_place(part.name.as_str(), env, span)?;
            }
            if predefined && let Some(v) = self.builtin_call(part.name, call, env, span)? {
                self.check_domain(part.name.as_str(), &call.args.positional, span);
                return Ok(v);
            }
        }
        // The older form of `Connections.rooted`.
        if let [part] = f.parts.as_slice()
            && part.name.as_str() == "rooted"
            && !self.shadowed(part.name, env)?
        {
            return self.connections_query("rooted", call, env, span);
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
        self.check_function_path(env.scope, &name)?;
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
                    if again.is_ok() || d.code != "E0310" || self.late_ranges {
                        return again.map_err(|_| d);
                    }
                    self.late_ranges = true;
                    let late = self.call_element(e, call, env, span);
                    self.late_ranges = false;
                    late.map_err(|_| d)
                }
                result => result,
            },
            Found::Literal(..) => not_a_class(&name),
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

    pub fn arguments(
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
            Found::Predefined(_) | Found::Literal(..) => {
                error("E0335", span, "this is not a function")
            }
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
            return Err(Box::new(
                Diagnostic::error("E0330", span, text).with_hint(signature.in_words()),
            ));
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
        self.check_one_body(scope);
        if let Some((ext_scope, external)) = self.external_of(scope) {
            return self.external_call(scope, ext_scope, external, signature, &env, span);
        }
        if let ast::ClassBody::Der(d) = &def.body {
            let given = (signature.inputs.iter())
                .filter_map(|p| env.local(p.name).map(|l| (p.name, l.value.clone())))
                .collect();
            return self.call_partial_derivative(scope, d, given, span);
        }
        if def.partial {
            return error(
                "E0306",
                span,
                format!("`{}` is a partial function", self.class_name(scope)),
            );
        }
        self.check_has_body(scope, signature, &env, span)?;
        self.check_assigned(scope, signature, &env, span)?;
        if self.lowering.contains(&scope) && !self.constant {
            // A recursive call from a function that is executed at run time.
            let outputs = self.output_templates(signature, &env, span)?;
            let f = self.lower_function(scope, signature, &env, span)?;
            let args = self.passed(signature, &env);
            return self.finish_call(f, &args, outputs);
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
        let asserted = self.asserted.len();
        let effects = self.flat.effects.len();
        let assertions = self.flat.assertions.len();
        let emitter = std::mem::take(&mut self.emitter);
        let arguments = self.with_events(&env);
        if self.active.is_empty() {
            self.effects_before = effects;
        }
        self.active.push((scope, self.undecided));
        // The outermost call may only use a part of what is left, so that the run can take over.
        let budget = self.budget;
        let may_be_left = self.active.len() == 1 && !self.constant;
        if may_be_left {
            self.budget = budget.min(CALL_STEPS);
        }
        let given = self.budget;
        let result = self.execute(scope, signature, arguments, span);
        self.budget = budget - (given - self.budget);
        self.active.pop();
        self.emitter = emitter;
        // What a call at run time asserts itself.
        let own = self.asserted.split_off(asserted);
        let result = match result {
            // What it does besides must be done where its results are computed.
            Ok(v) if self.flat.effects.len() > effects && !signature.outputs.is_empty() => {
                let made = self.flat.effects.split_off(effects);
                let marks = self.diagnostics.len();
                let in_order = std::mem::replace(&mut self.in_order, true);
                let call = self.runtime_call(scope, signature, &env, span, &why);
                self.in_order = in_order;
                let leaked = self.flat.effects.len() > effects;
                if call.is_err() || leaked {
                    self.forget_messages(marks);
                    self.flat.effects.truncate(effects);
                    self.flat.effects.extend(made);
                    self.asserted.extend(own);
                    Ok(self.without_events(&v))
                } else {
                    // The function asserts it itself, between what it does before and after.
                    for a in self.flat.assertions.split_off(assertions) {
                        self.assertions_seen.remove(&(a.guard, a.condition));
                    }
                    call
                }
            }
            Ok(v)
                if !self.constant
                    && (self.flat.exprs.len() - before > INLINE_LIMIT
                        || self.is_large(&v, &env)) =>
            {
                // Too large to repeat at each call, unless it cannot be a function.
                let marks = self.diagnostics.len();
                match self.runtime_call(scope, signature, &env, span, &why) {
                    Ok(call) if !is_literal_value(&self.flat.exprs, &v) => {
                        self.large.insert(key);
                        Ok(call)
                    }
                    _ => {
                        self.forget_messages(marks);
                        self.asserted.extend(own);
                        Ok(self.without_events(&v))
                    }
                }
            }
            Ok(v) if !self.constant && !literal && self.derivative_is_given(def, &env, &v) => {
                self.runtime_call(scope, signature, &env, span, &why)
            }
            Ok(v) => {
                self.asserted.extend(own);
                Ok(self.without_events(&v))
            }
            Err(d) if d.code == "E0310" && self.late_ranges => {
                let call = self.runtime_call(scope, signature, &env, span, &d);
                call.map_err(|_| d)
            }
            Err(d) if d.code == DYNAMIC || (d.code == "E0336" && self.depth <= 1) => {
                self.runtime_call(scope, signature, &env, span, &d)
            }
            Err(d) if d.code == "E0338" && may_be_left => {
                let call = self.runtime_call(scope, signature, &env, span, &d);
                call.map_err(|_| d)
            }
            Err(d) => Err(d),
        };
        if self.emitter.is_writing() {
            for s in self.asserted.split_off(asserted) {
                self.emitter.push(s);
            }
        }
        result
    }
}

impl Flattener<'_> {
    /// Has the result of an inlined call more than [`INLINE_LIMIT`] expressions beside those of its arguments?
    fn is_large(&self, result: &Value, env: &Env) -> bool {
        let (mut seen, mut stack) = (Vec::new(), Vec::new());
        for local in &env.locals {
            local.value.scalars(&mut seen);
        }
        let mut seen: FxHashSet<ExprId> = seen.into_iter().collect();
        let limit = seen.len() + INLINE_LIMIT;
        result.scalars(&mut stack);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            if seen.len() > limit {
                return true;
            }
            self.flat.exprs.for_each_child(id, |c| stack.push(c));
        }
        false
    }
}

/// The first result of a call with several.
pub fn first_of(v: Value) -> Value {
    match v {
        Value::Tuple(mut items) if !items.is_empty() => items.swap_remove(0),
        v => v,
    }
}

fn is_literal_value(x: &ExprArena, v: &Value) -> bool {
    let mut scalars = Vec::new();
    v.scalars(&mut scalars);
    scalars.iter().all(|&s| x.is_literal(s))
}

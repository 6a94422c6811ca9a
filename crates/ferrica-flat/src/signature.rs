//! What a function takes and gives, and how arguments become its inputs.

use std::rc::Rc;

use ferrica_ir::{Diagnostic, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::call::first_of;
use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::instance::{ElementId, ScopeId};
use crate::lookup::{Found, not_a_class};
use crate::modifier::Binding;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn signature(&mut self, scope: ScopeId) -> R<Rc<Signature<'a>>> {
        if let Some(s) = self.signatures.get(&scope) {
            return Ok(s.clone());
        }
        self.expand(scope)?;
        if let ast::ClassBody::Der(d) = &self.tree.scopes[scope].class.def.body {
            let function = self.differentiated_function(scope, d)?;
            if function == scope {
                return error("E0304", d.function.span, "a function is its own derivative");
            }
            return self.signature(function);
        }
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
                Found::Literal(..) => return not_a_class(&decl.type_name),
            };
            let input = causality.or(prefix_causality) == Some(ast::Causality::Input);
            if constant && !record && !input {
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
                let text = format!("the argument `{}` of `{name}` is missing", p.name);
                return Err(Box::new(
                    Diagnostic::error("E0330", span, text).with_hint(signature.in_words()),
                ));
            };
            let v = self.eval_local_binding(b, env)?;
            let local = self.bind(p, v, span)?;
            env.locals.push(local);
        }
        self.check_sizes(&signature.inputs, env, span)
    }

    /// Arguments, or fields of a record, have the sizes of their declarations.
    pub fn check_sizes(&mut self, list: &[Param<'a>], env: &Env, span: Span) -> R<()> {
        for p in list.iter().filter(|p| !p.dims.is_empty()) {
            let value = env.local(p.name).map(|l| l.value.clone());
            if let Some(value) = value {
                self.check_size(p, &value, env, span)?;
            }
        }
        Ok(())
    }

    pub fn bind(&mut self, p: &Param<'a>, v: Value, span: Span) -> R<Local> {
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
            (None, v) => {
                let given = v.items().first().unwrap_or(&v).scalar();
                if let (ParamType::Record(_), Some(given)) = (p.ty, given) {
                    let ty = self.type_text(self.flat.exprs.ty(given));
                    return error(
                        "E0321",
                        span,
                        format!("the argument `{}` must be a record, this is {ty}", p.name),
                    );
                }
                if let ParamType::Record(declared) = p.ty {
                    self.check_record_argument(p.name, declared, &v, span)?;
                }
                v
            }
        };
        Ok(Local {
            name: p.name,
            value,
            ty,
            sized: p.is_sized(),
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
}

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

impl Param<'_> {
    /// Is it an array of declared sizes?
    pub fn is_sized(&self) -> bool {
        let given = |s: &ast::Subscript| matches!(s, ast::Subscript::Expr(_));
        !self.dims.is_empty() && self.dims.iter().all(|(s, _)| given(s))
    }
}

#[derive(Default)]
pub struct Signature<'a> {
    pub inputs: Vec<Param<'a>>,
    pub outputs: Vec<Param<'a>>,
    pub locals: Vec<Param<'a>>,
}

impl Signature<'_> {
    /// What the function takes, for a hint.
    pub fn in_words(&self) -> String {
        let names: Vec<String> = self
            .inputs
            .iter()
            .map(|p| format!("`{}`", p.name))
            .collect();
        match names.len() {
            0 => "the function has no inputs".to_string(),
            _ => format!(
                "the inputs of the function are, in this order, {}",
                names.join(", ")
            ),
        }
    }
}

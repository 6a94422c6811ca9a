//! Modelica functions that are executed at run time.

use std::rc::Rc;

use ferrica_ir::{Diagnostic, FunctionId, Span};

use crate::call::Signature;
use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn runtime_call(
        &mut self,
        scope: ScopeId,
        _signature: &Rc<Signature<'a>>,
        _env: &Env,
        span: Span,
        why: &Diagnostic,
    ) -> R<Value> {
        error(
            "E0339",
            span,
            format!(
                "`{}` needs execution at run time, which is not supported yet ({})",
                self.class_name(scope),
                why.message
            ),
        )
    }

    pub fn lower_function(
        &mut self,
        scope: ScopeId,
        _signature: &Rc<Signature<'a>>,
        _env: &Env,
        span: Span,
    ) -> R<FunctionId> {
        error(
            "E0339",
            span,
            format!("`{}` needs execution at run time", self.class_name(scope)),
        )
    }
}

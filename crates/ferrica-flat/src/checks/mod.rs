//! Restrictions of the language that flattening itself does not need, one file per area.
//!
//! In: the instance tree while it is made, and the syntax of its classes. Out: errors in the list of
//! diagnostics; nothing else is changed. Every class definition is checked once.

mod balance;
mod bounds;
mod class_kinds;
mod components;
mod connections;
mod discrete;
mod equality;
mod equations;
mod functions;
mod redeclare;
mod scoping;
mod unassigned;

pub use unassigned::Unsure;

use ferrica_ir::{Diagnostic, Span};

use crate::flattener::Flattener;

pub use class_kinds::is_reserved;
pub use components::collect_refs;
pub use redeclare::{Replacement, may_be_replaced};

impl Flattener<'_> {
    /// Reports a violated restriction.
    pub(crate) fn violation(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.report(Box::new(
            Diagnostic::error(code, span, message).with_hint(hint),
        ));
    }
}

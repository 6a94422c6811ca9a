//! Identifiers in equations and statements.

use ferrica_syntax::ast::{
    Equation, EquationBranch, EquationKind, Statement, StatementBranch, StatementKind,
};

use super::Walker;

impl Walker<'_> {
    pub(super) fn equation(&mut self, e: &Equation) {
        self.out.spans.push(e.span);
        match &e.kind {
            EquationKind::Eq(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            EquationKind::If(i) => {
                self.branches(&i.branches);
                i.else_equations.iter().for_each(|e| self.equation(e));
            }
            EquationKind::For(f) => self.with_iterators(&f.iterators, |w| {
                f.equations.iter().for_each(|e| w.equation(e));
            }),
            EquationKind::When(branches) => self.branches(branches),
            EquationKind::Connect(a, b) => {
                self.reference(a);
                self.reference(b);
            }
            EquationKind::Call(call) => self.expression(call),
        }
        self.annotation(e.comment.annotation.as_deref());
    }

    fn branches(&mut self, branches: &[EquationBranch]) {
        for b in branches {
            self.expression(&b.condition);
            b.equations.iter().for_each(|e| self.equation(e));
        }
    }

    pub(super) fn statement(&mut self, s: &Statement) {
        self.out.spans.push(s.span);
        match &s.kind {
            StatementKind::Assign(to, value) => {
                self.reference(to);
                self.expression(value);
            }
            StatementKind::TupleAssign(to, value) => {
                to.iter().flatten().for_each(|r| self.reference(r));
                self.expression(value);
            }
            StatementKind::Call(call) => self.expression(call),
            StatementKind::If(i) => {
                i.branches.iter().for_each(|b| self.statements(b));
                i.else_statements.iter().for_each(|s| self.statement(s));
            }
            StatementKind::For(f) => self.with_iterators(&f.iterators, |w| {
                f.statements.iter().for_each(|s| w.statement(s));
            }),
            StatementKind::While(b) => self.statements(b),
            StatementKind::When(branches) => branches.iter().for_each(|b| self.statements(b)),
            StatementKind::Break | StatementKind::Return => {}
        }
        self.annotation(s.comment.annotation.as_deref());
    }

    fn statements(&mut self, branch: &StatementBranch) {
        self.expression(&branch.condition);
        branch.statements.iter().for_each(|s| self.statement(s));
    }
}

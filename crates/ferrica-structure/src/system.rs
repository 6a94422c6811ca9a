//! A square system of equations and what its blocks are made from: shared by simulation and
//! initialization.

use ferrica_dae::Dae;
use ferrica_ir::{ExprId, Span, VarId};

use crate::incidence::{Columns, Incidence, columns, incidence};

/// `lhs = rhs` with where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct SystemEquation {
    pub lhs: ExprId,
    pub rhs: ExprId,
    pub span: Span,
    pub component: u32,
}

/// Equations, unknowns and their incidence.
pub struct System {
    pub equations: Vec<SystemEquation>,
    pub unknowns: Vec<VarId>,
    pub columns: Columns,
    pub incidence: Incidence,
}

impl System {
    pub fn new(dae: &Dae, equations: Vec<SystemEquation>, unknowns: Vec<VarId>) -> System {
        let columns = columns(&unknowns);
        let incidence = incidence(
            dae,
            &columns,
            unknowns.len(),
            equations.iter().map(|e| (e.lhs, e.rhs)),
        );
        System {
            equations,
            unknowns,
            columns,
            incidence,
        }
    }
}

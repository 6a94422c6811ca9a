//! Which equation contains which unknown.
//!
//! In: equations and a numbering of the unknowns. Out: rows in compressed form. In each row the
//! unknowns the equation may be solved for come first, then those it only reads: a Boolean inside
//! a Real equation, a variable inside a condition, a variable read by a when-equation.

use cranelift_entity::SecondaryMap;
use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::{BinaryOp, Expr, ExprArena, ExprId, Ty, VarId};

/// No unknown, no equation.
pub const NONE: u32 = u32::MAX;

/// Number of each unknown; [`NONE`] for known variables.
pub type Columns = SecondaryMap<VarId, u32>;

pub fn columns(unknowns: &[VarId]) -> Columns {
    let mut map = Columns::with_default(NONE);
    for (i, &v) in unknowns.iter().enumerate() {
        map[v] = i as u32;
    }
    map
}

/// A numbering that is reused for many small sets of unknowns.
pub struct LocalColumns(Columns);

impl Default for LocalColumns {
    fn default() -> LocalColumns {
        LocalColumns(Columns::with_default(NONE))
    }
}

impl LocalColumns {
    pub fn set(&mut self, unknowns: &[VarId]) -> &Columns {
        for (i, &v) in unknowns.iter().enumerate() {
            self.0[v] = i as u32;
        }
        &self.0
    }

    pub fn get(&self) -> &Columns {
        &self.0
    }

    pub fn clear(&mut self, unknowns: &[VarId]) {
        for &v in unknowns {
            self.0[v] = NONE;
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Incidence {
    pub n_columns: usize,
    start: Vec<u32>,
    /// End of the part of the row that may be matched.
    solvable: Vec<u32>,
    cols: Vec<u32>,
}

impl Incidence {
    pub fn new(n_columns: usize) -> Incidence {
        Incidence {
            n_columns,
            start: vec![0],
            solvable: Vec::new(),
            cols: Vec::new(),
        }
    }

    pub fn n_rows(&self) -> usize {
        self.solvable.len()
    }

    /// All unknowns of the row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.cols[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// Unknowns the row may be solved for.
    pub fn solvable(&self, i: usize) -> &[u32] {
        &self.cols[self.start[i] as usize..self.solvable[i] as usize]
    }

    pub fn push_row(&mut self, solvable: &[u32], read: &[u32]) {
        self.cols.extend_from_slice(solvable);
        self.solvable.push(self.cols.len() as u32);
        self.cols.extend_from_slice(read);
        self.start.push(self.cols.len() as u32);
    }
}

/// Computes rows with reusable memory.
#[derive(Default)]
pub struct Scanner {
    stamp: Vec<u32>,
    current: u32,
    column_stamp: Vec<u32>,
    stack: Vec<ExprId>,
    deferred: Vec<ExprId>,
    pub solvable: Vec<u32>,
    pub read: Vec<u32>,
}

impl Scanner {
    /// Finds the unknowns of `lhs = rhs`.
    pub fn scan(&mut self, dae: &Dae, columns: &Columns, n: usize, lhs: ExprId, rhs: ExprId) {
        let arena = &dae.exprs;
        self.begin(arena, n);
        if let Some(v) = clocked_target(dae, lhs, rhs) {
            if columns[v] != NONE {
                self.column(columns[v], true);
            }
            self.deferred.extend([lhs, rhs]);
        } else if explicit_only(dae, lhs, rhs) {
            // Only a side that is a variable can be solved for.
            for side in [lhs, rhs] {
                if let Expr::Var(v) = arena.get(side)
                    && columns[v] != NONE
                    && (side == lhs || dae.vars[v].kind == Kind::Discrete)
                {
                    self.column(columns[v], true);
                }
            }
            self.deferred.extend([lhs, rhs]);
        } else {
            for side in [lhs, rhs] {
                if let Expr::Var(v) = arena.get(side)
                    && columns[v] != NONE
                    && !arena.ty(side).is_discrete()
                {
                    self.column(columns[v], true);
                }
            }
            self.stack.extend([lhs, rhs]);
        }
        self.walk(dae, columns, true);
        std::mem::swap(&mut self.stack, &mut self.deferred);
        self.walk(dae, columns, false);
    }

    fn begin(&mut self, arena: &ExprArena, n: usize) {
        if self.stamp.len() < arena.len() {
            self.stamp.resize(arena.len() + arena.len() / 8, 0);
        }
        if self.column_stamp.len() < n {
            self.column_stamp.resize(n, 0);
        }
        self.current += 1;
        self.stack.clear();
        self.deferred.clear();
        self.solvable.clear();
        self.read.clear();
    }

    fn column(&mut self, c: u32, solvable: bool) {
        if self.column_stamp[c as usize] != self.current {
            self.column_stamp[c as usize] = self.current;
            if solvable {
                self.solvable.push(c);
            } else {
                self.read.push(c);
            }
        }
    }

    fn walk(&mut self, dae: &Dae, columns: &Columns, solvable: bool) {
        let arena = &dae.exprs;
        while let Some(id) = self.stack.pop() {
            let at = id.as_u32() as usize;
            if self.stamp[at] == self.current {
                continue;
            }
            if solvable && arena.ty(id).is_discrete() && !arena.is_literal(id) {
                self.deferred.push(id);
                continue;
            }
            self.stamp[at] = self.current;
            if let Expr::Var(v) = arena.get(id) {
                if columns[v] != NONE {
                    if solvable && dae.vars[v].kind == Kind::Discrete {
                        self.deferred.push(id);
                        self.stamp[at] = 0;
                    } else {
                        self.column(columns[v], solvable);
                    }
                }
                continue;
            }
            let stack = &mut self.stack;
            arena.for_each_child(id, |c| stack.push(c));
        }
    }
}

/// Equations of discrete values and of external objects, and when-equations of Real variables (`v = … pre(v)`), are
/// solved only for a side that is the variable.
fn explicit_only(dae: &Dae, lhs: ExprId, rhs: ExprId) -> bool {
    if dae.exprs.ty(lhs) == Ty::External {
        return true;
    }
    if dae.exprs.ty(lhs).is_discrete() && dae.exprs.ty(rhs).is_discrete() {
        return true;
    }
    [(lhs, rhs), (rhs, lhs)].into_iter().any(|(side, other)| {
        let Expr::Var(v) = dae.exprs.get(side) else {
            return false;
        };
        if dae.vars[v].kind != Kind::Discrete {
            return false;
        }
        // `if fires then … else pre(v)`, as when-clauses give it: what fires may be long.
        let mut last = other;
        while let Expr::If(_, _, otherwise) = dae.exprs.get(last) {
            last = otherwise;
        }
        let mut holds = dae.exprs.get(last) == Expr::Pre(v);
        if !holds {
            dae.exprs
                .postorder(&[other], |e| holds |= dae.exprs.get(e) == Expr::Pre(v));
        }
        holds
    })
}

/// The unknown x of an implicit clocked equation `0 = if fires then residual else x - pre(x)`; in
/// the initial system nothing fires and the rest is left. With another left side it is an equation of the model, `r = c - previous(c)`.
fn clocked_target(dae: &Dae, lhs: ExprId, rhs: ExprId) -> Option<VarId> {
    if !dae.exprs.is_zero(lhs) {
        return None;
    }
    let otherwise = match dae.exprs.get(rhs) {
        Expr::If(_, _, otherwise) => otherwise,
        _ => rhs,
    };
    let Expr::Binary(BinaryOp::Sub, x, before) = dae.exprs.get(otherwise) else {
        return None;
    };
    match (dae.exprs.get(x), dae.exprs.get(before)) {
        (Expr::Var(v), Expr::Pre(p)) if v == p && dae.vars[v].kind == Kind::Discrete => Some(v),
        // The left limit is an unknown of the initial system.
        (Expr::Var(v), Expr::Var(p))
            if dae.vars[v].kind == Kind::Discrete
                && dae.vars[p].kind == Kind::Discrete
                && dae.vars[p].var.name.starts_with("$pre(") =>
        {
            Some(v)
        }
        _ => None,
    }
}

/// Rows of all equations.
pub fn incidence(
    dae: &Dae,
    columns: &Columns,
    n: usize,
    equations: impl Iterator<Item = (ExprId, ExprId)>,
) -> Incidence {
    let mut scanner = Scanner::default();
    let mut result = Incidence::new(n);
    for (lhs, rhs) in equations {
        scanner.scan(dae, columns, n, lhs, rhs);
        result.push_row(&scanner.solvable, &scanner.read);
    }
    result
}

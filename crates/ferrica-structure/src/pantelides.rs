//! Pantelides' algorithm.
//!
//! In: a system whose equations cannot all be matched to highest derivatives (its index is above
//! one). Out: which equations have to be differentiated how often, the differentiated equations
//! appended to the model, and a perfect matching of the most differentiated equations to the highest
//! derivatives.
//!
//! The search starts from a maximum matching, so only the equations that are left over cost
//! anything. It ends because the caller's system is first tested with a variable and its derivatives
//! as one unknown; where that test fails the model is singular, not of high index.
//!
//! C. C. Pantelides, The consistent initialization of differential-algebraic systems, SIAM J. Sci.
//! Stat. Comput. 9 (1988).

use ferrica_dae::Dae;
use ferrica_dae::differentiate::{DerivativeMemory, Differentiator, NotDifferentiable};
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::{Equation, Origin};
use ferrica_ir::{Diagnostic, Expr, ExprId, VarId};

use crate::dulmage_mendelsohn;
use crate::incidence::{Columns, NONE, Scanner, columns};
use crate::matching::{Matching, maximum_matching};
use crate::system::System;

/// No sensible model needs more.
const MAX_ORDER: u32 = 12;

/// Equations by their number in [`Dae::equations`].
pub struct Differentiated {
    /// Equation to its derivative.
    pub derivative: Vec<u32>,
    /// Equation to what it is the derivative of.
    pub antiderivative: Vec<u32>,
    /// (equation, highest derivative) of the top level system.
    pub matched: Vec<(u32, VarId)>,
}

/// See the module comment.
pub fn pantelides(
    dae: &mut Dae,
    system: &System,
    matching: &Matching,
    memory: &mut DerivativeMemory,
) -> Result<Differentiated, Vec<Diagnostic>> {
    check_singular(dae, system)?;
    let mut search = Search::new(dae, system, matching);
    let left: Vec<u32> = (0..system.equations.len() as u32)
        .filter(|&i| matching.column[i as usize] == NONE)
        .collect();
    for root in left {
        let mut i = root;
        while !search.augment(i) {
            search.differentiate(dae, system)?;
            i = search.derivative[i as usize];
            if search.order[i as usize] > MAX_ORDER {
                return Err(vec![dulmage_mendelsohn::explain(dae, system, matching)]);
            }
        }
    }
    search.symbolic(dae, memory)?;
    let matched = (0..search.rows.len() as u32)
        .filter(|&i| search.derivative[i as usize] == NONE)
        .filter(|&i| search.column_of[i as usize] != NONE)
        .map(|i| (i, search.vars[search.column_of[i as usize] as usize]))
        .collect();
    Ok(Differentiated {
        derivative: search.derivative,
        antiderivative: search.antiderivative,
        matched,
    })
}

/// Is the system singular even with a variable and its derivatives as one unknown?
fn check_singular(dae: &Dae, system: &System) -> Result<(), Vec<Diagnostic>> {
    let mut roots: Vec<VarId> = Vec::with_capacity(system.unknowns.len());
    for &v in &system.unknowns {
        roots.push(dae.antiderivative[v].expand().unwrap_or(v));
    }
    let mut columns: Columns = columns(&roots);
    for &v in &system.unknowns {
        if let Some(x) = dae.antiderivative[v].expand() {
            columns[v] = columns[x];
        }
    }
    let incidence = crate::incidence::incidence(
        dae,
        &columns,
        roots.len(),
        system.equations.iter().map(|e| (e.lhs, e.rhs)),
    );
    let merged = System {
        equations: system.equations.clone(),
        unknowns: roots,
        columns,
        incidence,
    };
    let matching = maximum_matching(&merged.incidence);
    if matching.size() < merged.equations.len().max(merged.unknowns.len()) {
        return Err(vec![dulmage_mendelsohn::explain(dae, &merged, &matching)]);
    }
    Ok(())
}

struct Search {
    vars: Vec<VarId>,
    /// Variable to its derivative.
    next: Vec<u32>,
    /// Variables each equation can be solved for, states included.
    rows: Vec<Vec<u32>>,
    derivative: Vec<u32>,
    antiderivative: Vec<u32>,
    order: Vec<u32>,
    column_of: Vec<u32>,
    row_of: Vec<u32>,
    // Breadth-first search.
    parent: Vec<u32>,
    seen: Vec<u32>,
    stamp: u32,
    visited_rows: Vec<u32>,
    visited_columns: Vec<u32>,
    /// Equations in the order they were made.
    made: Vec<u32>,
}

impl Search {
    fn new(dae: &Dae, system: &System, matching: &Matching) -> Search {
        let mut vars = system.unknowns.clone();
        vars.extend(
            dae.vars
                .iter()
                .filter(|(_, v)| v.kind == Kind::State)
                .map(|(v, _)| v),
        );
        let columns = columns(&vars);
        let mut scanner = Scanner::default();
        let mut rows = Vec::with_capacity(system.equations.len());
        for e in &system.equations {
            scanner.scan(dae, &columns, vars.len(), e.lhs, e.rhs);
            rows.push(scanner.solvable.clone());
        }
        let next = vars
            .iter()
            .map(|&v| dae.derivative[v].expand().map_or(NONE, |d| columns[d]))
            .collect();
        let mut row_of = matching.row.clone();
        row_of.resize(vars.len(), NONE);
        let n = rows.len();
        Search {
            next,
            rows,
            derivative: vec![NONE; n],
            antiderivative: vec![NONE; n],
            order: vec![0; n],
            column_of: matching.column.clone(),
            row_of,
            parent: vec![NONE; vars.len()],
            seen: vec![0; vars.len()],
            stamp: 0,
            visited_rows: Vec::new(),
            visited_columns: Vec::new(),
            made: Vec::new(),
            vars,
        }
    }

    /// Matches equation `root`, or leaves the set of equations that share too few highest
    /// derivatives in `visited_rows` and `visited_columns`.
    fn augment(&mut self, root: u32) -> bool {
        self.stamp += 1;
        self.visited_columns.clear();
        self.visited_rows.clear();
        self.visited_rows.push(root);
        let mut head = 0;
        while head < self.visited_rows.len() {
            let i = self.visited_rows[head];
            head += 1;
            for k in 0..self.rows[i as usize].len() {
                let c = self.rows[i as usize][k];
                let at = c as usize;
                if self.next[at] != NONE || self.seen[at] == self.stamp {
                    continue;
                }
                self.seen[at] = self.stamp;
                self.parent[at] = i;
                self.visited_columns.push(c);
                if self.row_of[at] == NONE {
                    self.flip(c, root);
                    return true;
                }
                self.visited_rows.push(self.row_of[at]);
            }
        }
        false
    }

    fn flip(&mut self, free: u32, root: u32) {
        let mut c = free;
        loop {
            let i = self.parent[c as usize];
            let before = self.column_of[i as usize];
            self.column_of[i as usize] = c;
            self.row_of[c as usize] = i;
            if i == root {
                break;
            }
            c = before;
        }
    }

    /// Differentiates what the last search visited.
    fn differentiate(&mut self, dae: &mut Dae, system: &System) -> Result<(), Vec<Diagnostic>> {
        for k in 0..self.visited_columns.len() {
            let c = self.visited_columns[k] as usize;
            let v = self.vars[c];
            if dae.vars[v].kind == Kind::Discrete || dae.vars[v].var.ty.is_discrete() {
                return Err(vec![Diagnostic::error(
                    "E0403",
                    dae.vars[v].var.span,
                    format!(
                        "the derivative of the discrete variable `{}` would be needed",
                        dae.vars[v].var.name
                    ),
                )]);
            }
            let d = dae.derivative_var(v);
            self.next[c] = self.vars.len() as u32;
            self.vars.push(d);
            self.next.push(NONE);
            self.row_of.push(NONE);
            self.parent.push(NONE);
            self.seen.push(0);
        }
        for k in 0..self.visited_rows.len() {
            let i = self.visited_rows[k] as usize;
            let new = self.rows.len() as u32;
            let mut row: Vec<u32> = Vec::new();
            for &c in &self.rows[i] {
                if self.next[c as usize] != NONE {
                    row.push(self.next[c as usize]);
                }
            }
            row.extend_from_slice(&self.rows[i]);
            row.sort_unstable();
            row.dedup();
            self.rows.push(row);
            self.derivative[i] = new;
            self.derivative.push(NONE);
            self.antiderivative.push(i as u32);
            self.order.push(self.order[i] + 1);
            self.column_of.push(NONE);
            self.made.push(new);
        }
        for k in 0..self.visited_columns.len() {
            let c = self.visited_columns[k] as usize;
            let i = self.row_of[c];
            if i != NONE {
                let (row, column) = (self.derivative[i as usize], self.next[c]);
                self.column_of[row as usize] = column;
                self.row_of[column as usize] = row;
            }
        }
        let _ = system;
        Ok(())
    }

    /// Appends the differentiated equations to the model.
    fn symbolic(
        &self,
        dae: &mut Dae,
        memory: &mut DerivativeMemory,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        for &new in &self.made {
            let of = dae.equations[self.antiderivative[new as usize] as usize].clone();
            let made = time_derivative(dae, memory, of.lhs)
                .and_then(|lhs| Ok((lhs, time_derivative(dae, memory, of.rhs)?)));
            let (lhs, rhs) = match made {
                Ok(sides) => sides,
                Err(e) => {
                    errors.push(
                        Diagnostic::error(
                            "E0403",
                            of.span,
                            format!(
                                "the equation `{}` has to be differentiated, which is not possible for {}",
                                dae.equation_text(of.lhs, of.rhs),
                                e.reason
                            ),
                        )
                        .with_hint("it constrains states directly (an index above one)"),
                    );
                    (of.lhs, of.rhs)
                }
            };
            dae.equations.push(Equation {
                lhs,
                rhs,
                origin: Origin::Generated,
                ..of
            });
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }
}

/// d/dt of an expression; derivatives are variables.
pub fn time_derivative(
    dae: &mut Dae,
    memory: &mut DerivativeMemory,
    e: ExprId,
) -> Result<ExprId, NotDifferentiable> {
    let (vars, derivative, delays) = (&dae.vars, &dae.derivative, &dae.delays);
    let mut d = Differentiator::new(&mut dae.functions, memory).linear_in_rates();
    d.derivative_expr(&mut dae.exprs, e, &mut |a, leaf| match leaf {
        Expr::Time => Ok(Some(a.real(1.0))),
        Expr::Var(v) => match vars[v].kind {
            Kind::Parameter | Kind::External | Kind::Discrete | Kind::Relation => Ok(None),
            _ => match derivative[v].expand() {
                Some(dv) => Ok(Some(a.var(dv, ferrica_ir::Ty::Real))),
                None => Err(NotDifferentiable {
                    reason: match vars[v].kind {
                        Kind::Input => format!("the input `{}`", vars[v].var.name),
                        _ if delays.iter().any(|d| d.result == v) => "a delayed value".to_string(),
                        _ => format!("`{}`", vars[v].var.name),
                    },
                }),
            },
        },
        _ => Ok(None),
    })
}

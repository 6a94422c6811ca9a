//! Constraints that only the numbers show.
//!
//! In: the strong components of a matched system. Out: the same equations, with one equation of a loop replaced
//! where a combination of the loop's equations is free of the loop's unknowns. Three inductors into a bridge
//! without a neutral conductor are the usual case: each current balance has an unknown of its own, so
//! the matching is content, yet together they say that the three currents add up to zero. Written down, that
//! is a constraint between states, and index reduction treats it as any other.
//!
//! Only equations with literal coefficients take part (balances of flows, differences of potentials): what is
//! found holds whatever the parameters are. The new equation is a combination that contains the old one, so the
//! system stays equivalent. Rows that fill up are left out, which keeps the time near linear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cranelift_entity::EntityRef;
use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::{Expr, ExprId, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::blocks::Builder;
use crate::matching::Matching;
use crate::strong_components::Components;
use crate::system::System;

/// A row with more entries takes no further part.
const MAX_ENTRIES: usize = 64;

/// Relative size below which a coefficient has cancelled.
const CANCELLED: f64 = 1e-12;

/// Coefficients by column, sorted.
type Row = Vec<(u32, f64)>;

/// Σ inside + Σ outside + rest = 0, where `inside` are unknowns of the loop and `outside` other variables.
struct Balance {
    equation: u32,
    inside: Row,
    outside: Row,
    rest: Option<ExprId>,
}

/// Replaces equations of `dae`, whose equations are those of `system`; false when there was none to replace.
pub fn expose(
    dae: &mut Dae,
    builder: &mut Builder,
    system: &System,
    matching: &Matching,
    components: &Components,
) -> bool {
    let mut found = false;
    for component in components.iter().filter(|c| c.len() > 1) {
        let balances = balances(dae, builder, system, matching, component);
        let rows: Vec<Row> = balances.iter().map(|b| b.inside.clone()).collect();
        for combination in Elimination::new(rows).run() {
            found |= replace(dae, &balances, &combination);
        }
    }
    found
}

/// The equations of a component in which every continuous variable has a literal coefficient.
fn balances(
    dae: &mut Dae,
    builder: &mut Builder,
    system: &System,
    matching: &Matching,
    component: &[u32],
) -> Vec<Balance> {
    let mut column: FxHashMap<VarId, u32> = FxHashMap::default();
    for &i in component {
        let unknown = system.unknowns[matching.column[i as usize] as usize];
        column.insert(unknown, column.len() as u32);
    }
    let mut list = Vec::new();
    for &i in component {
        let equation = &dae.equations[i as usize];
        let (lhs, rhs) = (equation.lhs, equation.rhs);
        let simulated = &system.equations[i as usize];
        if (simulated.lhs, simulated.rhs) != (lhs, rhs) {
            continue;
        }
        let vars = &dae.vars;
        let find = |e: Expr| match e {
            Expr::Var(v) if is_continuous(vars[v].kind) && vars[v].var.ty == Ty::Real => {
                Some(v.index() as u32)
            }
            _ => None,
        };
        let Some(affine) = builder.decomposer.residual(&mut dae.exprs, lhs, rhs, &find) else {
            continue;
        };
        let (mut inside, mut outside) = (Row::new(), Row::new());
        let literal = affine.terms.iter().all(|&(v, e)| {
            let Some(a) = dae.exprs.as_f64(e) else {
                return false;
            };
            match column.get(&VarId::new(v as usize)) {
                Some(&c) => inside.push((c, a)),
                None => outside.push((v, a)),
            }
            true
        });
        if literal {
            inside.sort_unstable_by_key(|t| t.0);
            list.push(Balance {
                equation: i,
                inside,
                outside,
                rest: affine.rest,
            });
        }
    }
    list
}

fn is_continuous(kind: Kind) -> bool {
    matches!(kind, Kind::State | Kind::Derivative | Kind::Algebraic)
}

/// Puts the combination in the place of its first row. A combination without any variable says that the
/// equations contradict or repeat each other; it would not help to write that down.
fn replace(dae: &mut Dae, balances: &[Balance], combination: &Row) -> bool {
    let mut sum = Row::new();
    let mut terms: Vec<ExprId> = Vec::new();
    for &(k, factor) in combination {
        let balance = &balances[k as usize];
        sum = add(&sum, &balance.outside, factor);
        if let Some(rest) = balance.rest {
            let factor = dae.exprs.real(factor);
            terms.push(dae.exprs.mul(factor, rest));
        }
    }
    if sum.is_empty() {
        return false;
    }
    for (v, a) in sum {
        let x = dae.var_expr(VarId::new(v as usize));
        let a = dae.exprs.real(a);
        terms.push(dae.exprs.mul(a, x));
    }
    let rhs = dae.exprs.sum(&terms);
    let lhs = dae.exprs.real(0.0);
    let equation = &mut dae.equations[balances[combination[0].0 as usize].equation as usize];
    (equation.lhs, equation.rhs) = (lhs, rhs);
    true
}

/// a + factor·b
fn add(a: &[(u32, f64)], b: &[(u32, f64)], factor: f64) -> Row {
    let mut out = Row::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let ca = a.get(i).map_or(u32::MAX, |t| t.0);
        let cb = b.get(j).map_or(u32::MAX, |t| t.0);
        let c = ca.min(cb);
        let (mut x, mut y) = (0.0, 0.0);
        if ca == c {
            x = a[i].1;
            i += 1;
        }
        if cb == c {
            y = factor * b[j].1;
            j += 1;
        }
        if (x + y).abs() > CANCELLED * (x.abs() + y.abs()) {
            out.push((c, x + y));
        }
    }
    out
}

/// Sparse Gaussian elimination that remembers how each row was combined.
struct Elimination {
    rows: Vec<Row>,
    /// Factors of the original rows, sorted.
    origin: Vec<Row>,
    /// Rows that contain a column (may hold stale entries).
    users: FxHashMap<u32, Vec<u32>>,
    done: Vec<bool>,
}

impl Elimination {
    fn new(rows: Vec<Row>) -> Elimination {
        let mut users: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (i, row) in rows.iter().enumerate() {
            for &(c, _) in row {
                users.entry(c).or_default().push(i as u32);
            }
        }
        Elimination {
            origin: (0..rows.len()).map(|i| vec![(i as u32, 1.0)]).collect(),
            done: vec![false; rows.len()],
            rows,
            users,
        }
    }

    /// The combinations that vanish, each with the row that no other combination contains first.
    fn run(mut self) -> Vec<Row> {
        let mut found = Vec::new();
        // Short rows first: they fill the others least.
        let mut queue: BinaryHeap<Reverse<(usize, u32)>> = (0..self.rows.len())
            .map(|i| Reverse((self.rows[i].len(), i as u32)))
            .collect();
        while let Some(Reverse((length, i))) = queue.pop() {
            let row = &self.rows[i as usize];
            if self.done[i as usize] || row.len() != length {
                continue;
            }
            self.done[i as usize] = true;
            if row.is_empty() {
                let mut combination = std::mem::take(&mut self.origin[i as usize]);
                combination.sort_by_key(|t| t.0 != i);
                found.push(combination);
            } else if row.len() <= MAX_ENTRIES && self.origin[i as usize].len() <= MAX_ENTRIES {
                self.eliminate(i, &mut queue);
            }
        }
        found
    }

    /// Takes the rarest unknown of the row out of all other rows.
    fn eliminate(&mut self, i: u32, queue: &mut BinaryHeap<Reverse<(usize, u32)>>) {
        let row = std::mem::take(&mut self.rows[i as usize]);
        let origin = std::mem::take(&mut self.origin[i as usize]);
        let rarest = row
            .iter()
            .min_by_key(|t| (self.users.get(&t.0).map_or(0, Vec::len), t.0));
        let Some(&(c, pivot)) = rarest else { return };
        for r in self.users.remove(&c).unwrap_or_default() {
            let other = &self.rows[r as usize];
            let Ok(at) = other.binary_search_by_key(&c, |t| t.0) else {
                continue;
            };
            if self.done[r as usize] {
                continue;
            }
            let factor = -other[at].1 / pivot;
            let mut sum = add(other, &row, factor);
            // The pivot column is gone, rounding or not.
            sum.retain(|t| t.0 != c);
            for &(d, _) in &sum {
                if other.binary_search_by_key(&d, |t| t.0).is_err() {
                    self.users.entry(d).or_default().push(r);
                }
            }
            queue.push(Reverse((sum.len(), r)));
            self.rows[r as usize] = sum;
            self.origin[r as usize] = add(&self.origin[r as usize], &origin, factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_balances_of_a_bridge_add_up() {
        // Columns u1 u2 u3 (upper) d1 d2 d3 (lower) c: u1 - d1 = l1, …, u1+u2+u3 = c, d1+d2+d3 = c.
        let rows = vec![
            vec![(0, 1.0), (3, -1.0)],
            vec![(1, 1.0), (4, -1.0)],
            vec![(2, 1.0), (5, -1.0)],
            vec![(0, 1.0), (1, 1.0), (2, 1.0), (6, -1.0)],
            vec![(3, 1.0), (4, 1.0), (5, 1.0), (6, -1.0)],
        ];
        let found = Elimination::new(rows.clone()).run();
        assert_eq!(found.len(), 1);
        let mut sum = Row::new();
        for &(k, factor) in &found[0] {
            sum = add(&sum, &rows[k as usize], factor);
        }
        assert_eq!((sum.len(), found[0].len()), (0, 5));
    }

    #[test]
    fn independent_rows_have_no_combination() {
        let rows = vec![
            vec![(0, 1.0), (1, 1.0)],
            vec![(0, 1.0), (1, -1.0)],
            vec![(1, 2.0), (2, 1.0)],
        ];
        assert!(Elimination::new(rows).run().is_empty());
    }
}

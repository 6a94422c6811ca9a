//! Linear loops.
//!
//! In: the equations of a component. Out: when all are affine in its unknowns, a linear block
//! A·x = b. Unknowns that an equation gives with the coefficient ±1 are eliminated as long as that
//! adds no entries to the matrix and no digits are lost; they follow as assignments. A system that shrinks to one unknown
//! is an assignment too.
//!
//! Elimination by structure alone walks along a ladder from one end to the other, and what a rung adds is multiplied by all behind it. So a
//! pivot is the largest coefficient of its equation or of its unknown, as far as the coefficients are numbers, and no chain of eliminations is
//! longer than [`DEEP`]: numbers grow by a factor of two a step at most. The rest is factored with pivots that are chosen by values.

use ferrica_dae::Dae;
use ferrica_ir::causal::{Assign, Block, LinearBlock};
use ferrica_ir::{Expr, ExprId, VarId};
use rustc_hash::FxHashMap;

use crate::blocks::{Builder, Row};

/// Eliminations that build on each other: a factor of 2^16 is less than a third of the digits.
const DEEP: u32 = 16;
/// Rows of an unknown that are looked through for coefficients larger than the pivot.
const FEW_ROWS: usize = 64;

/// See the module comment; `None` when an equation is not affine.
pub fn build(builder: &mut Builder, dae: &mut Dae, rows: &[Row]) -> Option<Vec<Block>> {
    let mut column: FxHashMap<VarId, u32> = FxHashMap::default();
    for (j, r) in rows.iter().enumerate() {
        column.insert(r.unknown, j as u32);
    }
    let find = |e: Expr| match e {
        Expr::Var(v) => column.get(&v).copied(),
        _ => None,
    };
    let zero = dae.exprs.real(0.0);
    let mut matrix: Vec<Vec<(u32, ExprId)>> = Vec::with_capacity(rows.len());
    let mut rhs: Vec<ExprId> = Vec::with_capacity(rows.len());
    for r in rows {
        let affine = builder
            .decomposer
            .residual(&mut dae.exprs, r.lhs, r.rhs, &find)?;
        matrix.push(affine.terms);
        rhs.push(match affine.rest {
            Some(e) => dae.exprs.neg(e),
            None => zero,
        });
    }
    let mut elimination = Elimination::new(matrix, rhs);
    elimination.run(dae);
    Some(elimination.finish(builder, dae, rows))
}

/// Sparse elimination with pivots ±1.
struct Elimination {
    rows: Vec<Vec<(u32, ExprId)>>,
    rhs: Vec<ExprId>,
    /// Rows that contain a column (may hold stale entries).
    columns: Vec<Vec<u32>>,
    /// Number of rows that contain a column.
    count: Vec<u32>,
    eliminated: Vec<(u32, u32)>,
    /// Eliminations that a row has behind it, one on the other.
    depth: Vec<u32>,
    row_used: Vec<bool>,
    column_used: Vec<bool>,
}

impl Elimination {
    fn new(rows: Vec<Vec<(u32, ExprId)>>, rhs: Vec<ExprId>) -> Elimination {
        let n = rows.len();
        let mut columns = vec![Vec::new(); n];
        let mut count = vec![0; n];
        for (i, row) in rows.iter().enumerate() {
            for &(c, _) in row {
                columns[c as usize].push(i as u32);
                count[c as usize] += 1;
            }
        }
        Elimination {
            rows,
            rhs,
            columns,
            count,
            eliminated: Vec::new(),
            depth: vec![0; n],
            row_used: vec![false; n],
            column_used: vec![false; n],
        }
    }

    fn run(&mut self, dae: &mut Dae) {
        let mut queue: Vec<u32> = (0..self.rows.len() as u32).collect();
        // Short rows first.
        queue.sort_by_key(|&i| std::cmp::Reverse(self.rows[i as usize].len()));
        while let Some(i) = queue.pop() {
            if self.row_used[i as usize] {
                continue;
            }
            let Some((c, sign)) = self.pivot(dae, i) else {
                continue;
            };
            self.eliminate(dae, i, c, sign, &mut queue);
        }
    }

    /// The pivot ±1 of the row whose elimination adds no entries and loses no digits.
    fn pivot(&self, dae: &Dae, i: u32) -> Option<(u32, f64)> {
        let row = &self.rows[i as usize];
        let length = row.len() as u32;
        if self.depth[i as usize] >= DEEP {
            return None;
        }
        let at_most_one = |e: ExprId| dae.exprs.as_f64(e).is_some_and(|v| v.abs() <= 1.0);
        let largest_of_row = row.iter().all(|&(_, e)| at_most_one(e));
        let largest_of_column = |c: u32| {
            let rows = &self.columns[c as usize];
            let small = |&r: &u32| {
                let entry = self.rows[r as usize].iter().find(|t| t.0 == c);
                self.row_used[r as usize] || entry.is_none_or(|&(_, e)| at_most_one(e))
            };
            rows.len() <= FEW_ROWS && rows.iter().all(small)
        };
        row.iter()
            .filter_map(|&(c, e)| {
                let value = dae.exprs.as_f64(e).filter(|v| v.abs() == 1.0)?;
                let n = self.count[c as usize];
                let fill = (length - 1) * n.saturating_sub(1);
                (fill < length + n).then_some((n, c, value))
            })
            .filter(|&(_, c, _)| largest_of_row || largest_of_column(c))
            .min_by_key(|&(n, c, _)| (n, c))
            .map(|(_, c, value)| (c, value))
    }

    fn eliminate(&mut self, dae: &mut Dae, i: u32, c: u32, sign: f64, queue: &mut Vec<u32>) {
        self.row_used[i as usize] = true;
        self.column_used[c as usize] = true;
        self.eliminated.push((i, c));
        let pivot_row = self.rows[i as usize].clone();
        for &(d, _) in &pivot_row {
            self.count[d as usize] -= 1;
        }
        let users = std::mem::take(&mut self.columns[c as usize]);
        for r in users {
            if self.row_used[r as usize] {
                continue;
            }
            let Some(at) = self.rows[r as usize].iter().position(|t| t.0 == c) else {
                continue;
            };
            // row_r -= factor · row_i with factor = a_rc / ±1
            let a = self.rows[r as usize][at].1;
            let factor = if sign > 0.0 { a } else { dae.exprs.neg(a) };
            let old = std::mem::take(&mut self.rows[r as usize]);
            let new = self.subtract(dae, r, &old, &pivot_row, c, factor);
            self.rows[r as usize] = new;
            self.depth[r as usize] = self.depth[r as usize].max(self.depth[i as usize] + 1);
            let product = dae.exprs.mul(factor, self.rhs[i as usize]);
            self.rhs[r as usize] = dae.exprs.sub(self.rhs[r as usize], product);
            queue.push(r);
        }
    }

    fn subtract(
        &mut self,
        dae: &mut Dae,
        r: u32,
        a: &[(u32, ExprId)],
        b: &[(u32, ExprId)],
        pivot: u32,
        factor: ExprId,
    ) -> Vec<(u32, ExprId)> {
        let mut out = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let ca = a.get(i).map_or(u32::MAX, |t| t.0);
            let cb = b.get(j).map_or(u32::MAX, |t| t.0);
            let column = ca.min(cb);
            let had = ca == column;
            let x = had.then(|| a[i].1);
            let y = (cb == column).then(|| b[j].1);
            i += usize::from(had);
            j += usize::from(y.is_some());
            if column == pivot {
                self.count[column as usize] = self.count[column as usize].saturating_sub(1);
                continue;
            }
            let value = match (x, y) {
                (Some(x), None) => x,
                (x, Some(y)) => {
                    let product = dae.exprs.mul(factor, y);
                    match x {
                        Some(x) => dae.exprs.sub(x, product),
                        None => dae.exprs.neg(product),
                    }
                }
                (None, None) => continue,
            };
            let zero = dae.exprs.is_zero(value);
            if had && zero {
                self.count[column as usize] -= 1;
            } else if !had && !zero {
                self.count[column as usize] += 1;
                self.columns[column as usize].push(r);
            }
            if !zero {
                out.push((column, value));
            }
        }
        out
    }

    fn finish(self, builder: &mut Builder, dae: &mut Dae, rows: &[Row]) -> Vec<Block> {
        let n = rows.len();
        let mut then: Vec<Assign> = Vec::with_capacity(self.eliminated.len());
        for &(i, c) in self.eliminated.iter().rev() {
            then.push(self.back_substitution(dae, rows, i, c));
        }
        let left_columns: Vec<u32> = (0..n as u32)
            .filter(|&c| !self.column_used[c as usize])
            .collect();
        let left_rows: Vec<u32> = (0..n as u32)
            .filter(|&i| !self.row_used[i as usize])
            .collect();
        if left_columns.is_empty() {
            return then.into_iter().map(Block::Assign).collect();
        }
        if let ([i], [_]) = (&left_rows[..], &left_columns[..])
            && let [(_, a)] = self.rows[*i as usize][..]
        {
            let var = rows[left_columns[0] as usize].unknown;
            let expr = dae.exprs.div(self.rhs[*i as usize], a);
            let first = Assign {
                var,
                expr,
                equation: rows[*i as usize].equation,
            };
            return std::iter::once(first)
                .chain(then)
                .map(Block::Assign)
                .collect();
        }
        let mut position = vec![u32::MAX; n];
        for (k, &c) in left_columns.iter().enumerate() {
            position[c as usize] = k as u32;
        }
        let mut matrix: Vec<(u32, u32, ExprId)> = Vec::new();
        for (k, &i) in left_rows.iter().enumerate() {
            for &(c, e) in &self.rows[i as usize] {
                matrix.push((k as u32, position[c as usize], e));
            }
        }
        matrix.sort_unstable_by_key(|&(r, c, _)| (c, r));
        let constant = matrix
            .iter()
            .all(|&(_, _, e)| builder.dependence.of(dae, e) == 0);
        vec![Block::Linear(Box::new(LinearBlock {
            unknowns: left_columns
                .iter()
                .map(|&c| rows[c as usize].unknown)
                .collect(),
            matrix,
            rhs: left_rows.iter().map(|&i| self.rhs[i as usize]).collect(),
            constant,
            then,
            equations: left_rows
                .iter()
                .map(|&i| rows[i as usize].equation)
                .collect(),
        }))]
    }

    /// x_c = (rhs − Σ other terms) / ±1
    fn back_substitution(&self, dae: &mut Dae, rows: &[Row], i: u32, c: u32) -> Assign {
        let mut positive = true;
        let mut terms = Vec::new();
        for &(d, e) in &self.rows[i as usize] {
            if d == c {
                positive = dae.exprs.as_f64(e) == Some(1.0);
                continue;
            }
            let x = dae.var_expr(rows[d as usize].unknown);
            terms.push(dae.exprs.mul(e, x));
        }
        let sum = dae.exprs.sum(&terms);
        let rhs = self.rhs[i as usize];
        let expr = if positive {
            dae.exprs.sub(rhs, sum)
        } else {
            dae.exprs.sub(sum, rhs)
        };
        Assign {
            var: rows[c as usize].unknown,
            expr,
            equation: rows[i as usize].equation,
        }
    }
}

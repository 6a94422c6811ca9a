//! Dummy derivatives: the choice of states after index reduction.
//!
//! In: the model with differentiated equations. Out: for each level of differentiation, as many
//! derivatives as there are differentiated equations become ordinary unknowns (dummies), such that
//! the equations determine them; the rest stay derivatives of states.
//!
//! Gaussian elimination on the Jacobian of the differentiated equations, columns in the order in which
//! they should *not* be states (`stateSelect`, then names made by the compiler). A pivot must be a
//! number that stays the same at run time: a literal or a parameter expression that is not zero.
//! Rows that have no such pivot left are decided at run time ([`crate::dynamic_states`]), unless
//! there is nothing to choose.
//!
//! S. E. Mattsson, G. Söderlind, Index reduction in differential-algebraic equations using dummy
//! derivatives, SIAM J. Sci. Comput. 14 (1993).

use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::{Equation, Origin, StateSelect};
use ferrica_ir::{Diagnostic, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::Builder;
use crate::dynamic_states;
use crate::incidence::{NONE, Scanner, columns};
use crate::pantelides::Differentiated;
use crate::parameter_values::ParameterValues;

/// The choice of one level of one connected part.
#[derive(Default, Debug)]
struct Level {
    /// Equations (numbers in [`Dae::equations`]) that are derivatives of others.
    equations: Vec<u32>,
    /// Derivatives that may become dummies.
    candidates: Vec<VarId>,
}

/// See the module comment.
pub fn select_states(
    dae: &mut Dae,
    builder: &mut Builder,
    differentiated: &Differentiated,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Vec<Diagnostic>> {
    let mut dummies: FxHashSet<VarId> = FxHashSet::default();
    // Derivatives whose dummy is chosen at run time: no states of their own.
    let mut dynamic: FxHashSet<VarId> = FxHashSet::default();
    let mut values = ParameterValues::new(dae);
    let reinitialized: FxHashSet<VarId> = dae.reinits.iter().map(|r| r.state).collect();
    for mut level in top_levels(dae, differentiated) {
        while !level.equations.is_empty() {
            let choice = choose(dae, builder, &mut values, &level, &reinitialized)?;
            let mut next = Level {
                equations: level
                    .equations
                    .iter()
                    .map(|&e| differentiated.antiderivative[e as usize])
                    .filter(|&e| differentiated.antiderivative[e as usize] != NONE)
                    .collect(),
                candidates: Vec::new(),
            };
            let runtime = choice.sets.iter().flat_map(|s| s.derivatives.iter());
            for &z in choice.dummies.iter().chain(runtime) {
                if let Some(below) = dae.antiderivative[z].expand()
                    && dae.antiderivative[below].is_some()
                {
                    next.candidates.push(below);
                }
            }
            dummies.extend(choice.dummies);
            for set in choice.sets {
                dynamic.extend(set.derivatives.iter().copied());
                dynamic_states::build(dae, set);
            }
            level = next;
        }
    }
    assign_kinds(dae, &dummies, &dynamic, warnings);
    Ok(())
}

/// The differentiated equations of the top level with the derivatives they share, connected part by
/// connected part. A part spans strong components: which of `phi1`, `phi2` and `phi2 - phi1` are
/// states is a free choice even where the equations of motion can be sorted.
fn top_levels(dae: &Dae, differentiated: &Differentiated) -> Vec<Level> {
    let unknowns: Vec<VarId> = differentiated
        .matched
        .iter()
        .map(|m| m.1)
        .filter(|&v| dae.antiderivative[v].is_some())
        .collect();
    let columns = columns(&unknowns);
    let mut scanner = Scanner::default();
    let mut parts = UnionFind::new(unknowns.len());
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for &(e, _) in &differentiated.matched {
        if differentiated.antiderivative[e as usize] == NONE {
            continue;
        }
        let Equation { lhs, rhs, .. } = dae.equations[e as usize];
        scanner.scan(dae, &columns, unknowns.len(), lhs, rhs);
        let mut all = scanner.solvable.iter();
        if let Some(&first) = all.next() {
            all.for_each(|&c| parts.union(first, c));
            rows.push((e, first));
        }
    }
    let mut level_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut levels: Vec<Level> = Vec::new();
    for (e, c) in rows {
        let at = *level_of.entry(parts.find(c)).or_insert_with(|| {
            levels.push(Level::default());
            levels.len() - 1
        });
        levels[at].equations.push(e);
    }
    for (c, &v) in unknowns.iter().enumerate() {
        if let Some(&at) = level_of.get(&parts.find(c as u32)) {
            levels[at].candidates.push(v);
        }
    }
    levels
}

struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    fn new(n: usize) -> UnionFind {
        UnionFind {
            parent: (0..n as u32).collect(),
        }
    }

    fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            self.parent[x as usize] = self.parent[self.parent[x as usize] as usize];
            x = self.parent[x as usize];
        }
        x
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a as usize] = b;
    }
}

/// A set whose dummies are chosen at run time.
#[derive(Debug, Default)]
pub struct RunTimeSet {
    /// Derivatives of the candidates.
    pub derivatives: Vec<VarId>,
    /// One row a constraint: (column, coefficient).
    pub rows: Vec<Vec<(u32, ExprId)>>,
}

#[derive(Default)]
struct Choice {
    dummies: Vec<VarId>,
    sets: Vec<RunTimeSet>,
}

/// How much a variable wants to be a state: small values become dummies first.
fn wish(dae: &Dae, derivative: VarId, reinitialized: &FxHashSet<VarId>) -> (u8, u8, u8) {
    let Some(state) = dae.antiderivative[derivative].expand() else {
        return (0, 0, 0);
    };
    let var = &dae.vars[state].var;
    let select = if reinitialized.contains(&state) {
        4
    } else {
        match var.state_select {
            StateSelect::Never => 0,
            StateSelect::Avoid => 1,
            StateSelect::Default => 2,
            StateSelect::Prefer => 3,
            StateSelect::Always => 4,
        }
    };
    // A derivative made by the compiler is a poor state, an algebraic variable a better one, a
    // variable that the model differentiates itself the best.
    let origin = if dae.antiderivative[state].is_some() {
        0
    } else if dae.vars[state].kind == Kind::State {
        2
    } else {
        1
    };
    let start = u8::from(dae.is_fixed(state)) * 2 + u8::from(var.start.is_some());
    (select, origin, start)
}

fn choose(
    dae: &mut Dae,
    builder: &mut Builder,
    values: &mut ParameterValues,
    level: &Level,
    reinitialized: &FxHashSet<VarId>,
) -> Result<Choice, Vec<Diagnostic>> {
    let mut candidates = level.candidates.clone();
    candidates.sort_by_key(|&v| (wish(dae, v, reinitialized), v));
    candidates.dedup();
    let mut rows = jacobian(dae, builder, level, &candidates)?;
    let mut choice = Choice::default();
    if candidates.len() <= rows.len() {
        choice.dummies = candidates;
        return Ok(choice);
    }
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); candidates.len()];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|t| users[t.0 as usize].push(i as u32));
    }
    let mut left = rows.len();
    for c in 0..candidates.len() as u32 {
        if left == 0 {
            break;
        }
        let Some(at) = constant_pivot(dae, values, &rows, &users[c as usize], c) else {
            continue;
        };
        let pivot = std::mem::take(&mut rows[at as usize]);
        left -= 1;
        choice.dummies.push(candidates[c as usize]);
        for r in std::mem::take(&mut users[c as usize]) {
            if eliminate(dae, &mut rows[r as usize], &pivot, c) {
                pivot.iter().for_each(|t| users[t.0 as usize].push(r));
            }
        }
    }
    rows.retain(|r| !r.is_empty());
    if !rows.is_empty() {
        let rank: Vec<(u8, u8, u8)> = candidates
            .iter()
            .map(|&v| wish(dae, v, reinitialized))
            .collect();
        run_time_choice(&candidates, &rank, rows, &mut choice);
    }
    Ok(choice)
}

/// Rows of the Jacobian of the differentiated equations by the candidates, sorted by column.
fn jacobian(
    dae: &mut Dae,
    builder: &mut Builder,
    level: &Level,
    candidates: &[VarId],
) -> Result<Vec<Vec<(u32, ExprId)>>, Vec<Diagnostic>> {
    let column: FxHashMap<VarId, u32> = candidates
        .iter()
        .enumerate()
        .map(|(i, &v)| (v, i as u32))
        .collect();
    let mut rows = Vec::with_capacity(level.equations.len());
    for &e in &level.equations {
        let Equation { lhs, rhs, span, .. } = dae.equations[e as usize];
        let residual = dae.exprs.sub(lhs, rhs);
        let mut present: Vec<u32> = Vec::new();
        dae.exprs.postorder(&[residual], |id| {
            if let ferrica_ir::Expr::Var(v) = dae.exprs.get(id)
                && let Some(&c) = column.get(&v)
            {
                present.push(c);
            }
        });
        present.sort_unstable();
        present.dedup();
        let mut row = Vec::with_capacity(present.len());
        for c in present {
            let Some(d) = builder.partial(dae, residual, candidates[c as usize]) else {
                return Err(vec![Diagnostic::error(
                    "E0403",
                    span,
                    format!(
                        "no symbolic derivative of `{}` for the choice of states",
                        dae.equation_text(lhs, rhs)
                    ),
                )]);
            };
            if !dae.exprs.is_zero(d) {
                row.push((c, d));
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Rows whose entry in the column is no smaller than this part of the best one's, relative to their rows, are as good: the threshold of sparse elimination.
const THRESHOLD: f64 = 0.1;

/// The shortest of the rows with a large constant entry in the column, relative to its row. Which columns get a pivot does not depend on the choice; a long
/// row makes all that it is taken from long, in a chain of n shafts as many times as there are shafts.
fn constant_pivot(
    dae: &mut Dae,
    values: &mut ParameterValues,
    rows: &[Vec<(u32, ExprId)>],
    users: &[u32],
    column: u32,
) -> Option<u32> {
    let mut found: Vec<(u32, f64)> = Vec::new();
    for &i in users {
        let row = &rows[i as usize];
        let Ok(at) = row.binary_search_by_key(&column, |t| t.0) else {
            continue;
        };
        let Some(value) = values.value(dae, row[at].1).filter(|v| v.is_finite()) else {
            continue;
        };
        let largest = row
            .iter()
            .filter_map(|t| values.value(dae, t.1))
            .fold(0.0f64, |m, v| m.max(v.abs()));
        let size = if largest > 0.0 {
            value.abs() / largest
        } else {
            0.0
        };
        if size > 1e-10 {
            found.push((i, size));
        }
    }
    let best = found.iter().fold(0.0f64, |m, t| m.max(t.1));
    let good = found.iter().filter(|t| t.1 >= THRESHOLD * best);
    good.min_by_key(|t| rows[t.0 as usize].len()).map(|t| t.0)
}

/// row -= (row[c] / pivot[c]) · pivot; false when the row does not contain the column.
fn eliminate(
    dae: &mut Dae,
    row: &mut Vec<(u32, ExprId)>,
    pivot: &[(u32, ExprId)],
    column: u32,
) -> bool {
    let entry = |row: &[(u32, ExprId)]| {
        let at = row.binary_search_by_key(&column, |t| t.0);
        at.ok().map(|at| row[at].1)
    };
    let (Some(a), Some(p)) = (entry(row), entry(pivot)) else {
        return false;
    };
    let factor = dae.exprs.div(a, p);
    let mut new = Vec::with_capacity(row.len() + pivot.len());
    let (mut i, mut j) = (0, 0);
    while i < row.len() || j < pivot.len() {
        let ci = row.get(i).map_or(u32::MAX, |t| t.0);
        let cj = pivot.get(j).map_or(u32::MAX, |t| t.0);
        let c = ci.min(cj);
        let x = (ci == c).then(|| row[i].1);
        let y = (cj == c).then(|| pivot[j].1);
        i += usize::from(ci == c);
        j += usize::from(cj == c);
        if c == column {
            continue;
        }
        let value = match (x, y) {
            (Some(x), None) => x,
            (x, y) => {
                let zero = dae.exprs.real(0.0);
                let product = dae.exprs.mul(factor, y.unwrap_or(zero));
                dae.exprs.sub(x.unwrap_or(zero), product)
            }
        };
        if !dae.exprs.is_zero(value) {
            new.push((c, value));
        }
    }
    *row = new;
    true
}

/// Splits what is left into independent parts; a part without a choice is static.
fn run_time_choice(
    candidates: &[VarId],
    rank: &[(u8, u8, u8)],
    rows: Vec<Vec<(u32, ExprId)>>,
    choice: &mut Choice,
) {
    for part in connected(candidates.len(), rows) {
        let mut present: Vec<u32> = part.iter().flatten().map(|t| t.0).collect();
        present.sort_unstable();
        present.dedup();
        // The smallest set of least wanted columns that can carry all pivots.
        let mut end = part.len().min(present.len());
        while end < present.len() {
            let whole_group = rank[present[end] as usize].0 != rank[present[end - 1] as usize].0;
            if whole_group && structural_rank(&part, &present[..end]) == part.len() {
                break;
            }
            end += 1;
        }
        let kept = &present[..end];
        if kept.len() <= part.len() {
            choice
                .dummies
                .extend(kept.iter().map(|&c| candidates[c as usize]));
            continue;
        }
        let number: FxHashMap<u32, u32> = kept
            .iter()
            .enumerate()
            .map(|(i, &c)| (c, i as u32))
            .collect();
        choice.sets.push(RunTimeSet {
            derivatives: kept.iter().map(|&c| candidates[c as usize]).collect(),
            rows: part
                .iter()
                .map(|row| {
                    row.iter()
                        .filter_map(|(c, e)| number.get(c).map(|&k| (k, *e)))
                        .collect()
                })
                .collect(),
        });
    }
}

/// Rows that share columns, transitively.
fn connected(n: usize, rows: Vec<Vec<(u32, ExprId)>>) -> Vec<Vec<Vec<(u32, ExprId)>>> {
    let mut part_of_column = vec![NONE; n];
    let mut parts: Vec<Vec<Vec<(u32, ExprId)>>> = Vec::new();
    for row in rows {
        let mut joined: Vec<u32> = row
            .iter()
            .map(|t| part_of_column[t.0 as usize])
            .filter(|&p| p != NONE)
            .collect();
        joined.sort_unstable();
        joined.dedup();
        let target = match joined.first() {
            Some(&p) => p,
            None => {
                parts.push(Vec::new());
                parts.len() as u32 - 1
            }
        };
        for &p in joined.iter().skip(1) {
            let moved = std::mem::take(&mut parts[p as usize]);
            parts[target as usize].extend(moved);
            for c in &mut part_of_column {
                if *c == p {
                    *c = target;
                }
            }
        }
        for t in &row {
            part_of_column[t.0 as usize] = target;
        }
        parts[target as usize].push(row);
    }
    parts.retain(|p| !p.is_empty());
    parts
}

fn structural_rank(rows: &[Vec<(u32, ExprId)>], allowed: &[u32]) -> usize {
    let mut incidence = crate::incidence::Incidence::new(allowed.len());
    for row in rows {
        let columns: Vec<u32> = row
            .iter()
            .filter_map(|t| allowed.binary_search(&t.0).ok())
            .map(|k| k as u32)
            .collect();
        incidence.push_row(&columns, &[]);
    }
    crate::matching::maximum_matching(&incidence).size()
}

/// States are what has a derivative that is no dummy.
fn assign_kinds(
    dae: &mut Dae,
    dummies: &FxHashSet<VarId>,
    dynamic: &FxHashSet<VarId>,
    warnings: &mut Vec<Diagnostic>,
) {
    let all: Vec<(VarId, VarId)> = dae
        .vars
        .keys()
        .filter_map(|v| dae.derivative[v].expand().map(|d| (v, d)))
        .filter(|&(v, _)| {
            matches!(
                dae.vars[v].kind,
                Kind::State | Kind::Algebraic | Kind::Derivative
            )
        })
        .collect();
    let is_state = |d: VarId| !dummies.contains(&d) && !dynamic.contains(&d);
    for &(v, d) in &all {
        if !is_state(d) {
            dae.vars[v].kind = Kind::Algebraic;
            dae.vars[v].partner = None;
            dae.vars[d].kind = Kind::Algebraic;
            dae.vars[d].partner = None;
            if dae.vars[v].var.state_select == StateSelect::Always {
                warnings.push(Diagnostic::warning(
                    "W0404",
                    dae.vars[v].var.span,
                    format!(
                        "`{}` has stateSelect = always but cannot be a state of its own",
                        dae.vars[v].var.name
                    ),
                ));
            }
        }
    }
    for &(v, d) in &all {
        if !is_state(d) {
            continue;
        }
        dae.vars[v].kind = Kind::State;
        // The derivative may be a state itself (x, der(x)); then it needs a copy as derivative.
        let twice = dae.derivative[d].expand().is_some_and(is_state);
        let derivative = if twice {
            let name = format!("$der({})", dae.vars[v].var.name);
            let span = dae.vars[v].var.span;
            let copy = dae.new_var(name, ferrica_ir::Ty::Real, Kind::Derivative, span);
            let (lhs, rhs) = (dae.var_expr(copy), dae.var_expr(d));
            dae.equations.push(Equation {
                lhs,
                rhs,
                span,
                component: 0,
                origin: Origin::Generated,
            });
            copy
        } else {
            dae.vars[d].kind = Kind::Derivative;
            d
        };
        dae.vars[v].partner = Some(derivative);
        dae.vars[derivative].partner = Some(v);
    }
}

//! The initial system.
//!
//! In: the matched simulation system, initial equations, `start` and `fixed`. Out: blocks for every
//! unknown at the start instant, states included. Equations have their initialization form.
//!
//! The system is filled in order of authority: model equations, initial equations, fixed start
//! values of states, of other variables; then, where unknowns are left, start values that are only
//! guesses: of states with an explicit start first, and, where constraints leave some of several variables free, of those
//! that the constraints determine worst at the start values. What is redundant is dropped with a warning, and
//! so is a guess that was needed. The left limit of a discrete variable that an initial equation
//! speaks of is an unknown too; all other left limits are start values.

use ferrica_dae::Dae;
use ferrica_dae::mode::{Mode, ModeRewriter, uses_homotopy};
use ferrica_ir::causal::{DaeEquation, InitialSystem, Kind};
use ferrica_ir::{Diagnostic, Expr, ExprId, Span, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::Builder;
use crate::dulmage_mendelsohn;
use crate::incidence::{NONE, Scanner};
use crate::matching::{Matching, augment_all};
use crate::parameter_values::ParameterValues;
use crate::strong_components::strong_components;
use crate::system::{System, SystemEquation};

/// Most names in a warning.
const SHOWN: usize = 10;

/// See the module comment.
pub fn build(
    dae: &mut Dae,
    builder: &mut Builder,
    simulation: &System,
    matching: &Matching,
    warnings: &mut Vec<Diagnostic>,
) -> Result<InitialSystem, Vec<Diagnostic>> {
    let homotopy = homotopy_parameter(dae);
    let mut pass = Pass::new(dae, simulation, matching, homotopy);
    pass.initial_equations(dae, warnings);
    pass.fixed_starts(dae, warnings);
    pass.guesses(dae, warnings);
    pass.finish(dae, builder, homotopy)
}

/// Is an initial equation of the form `pre(v) = value`?
fn says_left_limit(dae: &Dae, i: usize) -> bool {
    matches!(dae.exprs.get(dae.initial_equations[i].lhs), Expr::Pre(_))
}

/// λ of `homotopy`, when the model uses it.
fn homotopy_parameter(dae: &mut Dae) -> Option<VarId> {
    if !uses_homotopy(dae) {
        return None;
    }
    let lambda = dae.new_var("$homotopy".into(), Ty::Real, Kind::Parameter, Span::NONE);
    let one = dae.exprs.real(1.0);
    dae.vars[lambda].var.binding = Some(one);
    Some(lambda)
}

struct Pass {
    system: System,
    matching: Matching,
    scanner: Scanner,
    mode: ModeRewriter,
    /// Discrete variable to the unknown that stands for its left limit, and back.
    pre: FxHashMap<VarId, VarId>,
    limit_of: FxHashMap<VarId, VarId>,
    /// Row to the variable whose start value it sets, and whether that is a guess; in the order of the rows.
    starts: Vec<(u32, VarId, bool)>,
}

impl Pass {
    fn new(dae: &mut Dae, simulation: &System, matching: &Matching, lambda: Option<VarId>) -> Pass {
        let mut mode = ModeRewriter::new(Mode::Initialization(lambda));
        let pre = left_limits(dae, &mut mode);
        let mut unknowns = simulation.unknowns.clone();
        unknowns.extend(
            dae.vars
                .iter()
                .filter(|(_, v)| v.kind == Kind::State)
                .map(|(v, _)| v),
        );
        unknowns.extend_from_slice(&dae.initial_parameters);
        let mut limits: Vec<VarId> = pre.values().copied().collect();
        limits.sort_unstable();
        unknowns.extend(limits);
        let mut memo = FxHashMap::default();
        let mut equations = Vec::with_capacity(simulation.equations.len());
        for (i, e) in simulation.equations.iter().enumerate() {
            // Same equation, before the simulation form was made (rows of relations have one form).
            let (lhs, rhs) = match dae.equations.get(i) {
                Some(e) => (e.lhs, e.rhs),
                None => (e.lhs, e.rhs),
            };
            let (lhs, rhs) = (mode.rewrite(dae, lhs), mode.rewrite(dae, rhs));
            equations.push(SystemEquation {
                lhs: replace_pre(dae, &pre, &mut memo, lhs),
                rhs: replace_pre(dae, &pre, &mut memo, rhs),
                ..*e
            });
        }
        let system = System::new(dae, equations, unknowns);
        // The matching of the simulation system, where the initialization form still allows it.
        let mut start = Matching {
            column: matching.column.clone(),
            row: vec![NONE; system.unknowns.len()],
        };
        for (i, c) in start.column.iter_mut().enumerate() {
            if *c != NONE && system.incidence.solvable(i).contains(c) {
                start.row[*c as usize] = i as u32;
            } else {
                *c = NONE;
            }
        }
        let mut pass = Pass {
            system,
            matching: start,
            scanner: Scanner::default(),
            mode,
            limit_of: pre.iter().map(|(&d, &limit)| (limit, d)).collect(),
            pre,
            starts: Vec::new(),
        };
        pass.bound_parameters(dae);
        augment_all(&pass.system.incidence, &mut pass.matching);
        pass
    }

    /// Adds an equation; the caller augments afterwards.
    fn push(&mut self, dae: &Dae, equation: SystemEquation) -> u32 {
        let n = self.system.unknowns.len();
        self.scanner
            .scan(dae, &self.system.columns, n, equation.lhs, equation.rhs);
        self.system
            .incidence
            .push_row(&self.scanner.solvable, &self.scanner.read);
        self.system.equations.push(equation);
        self.matching.column.push(NONE);
        self.system.equations.len() as u32 - 1
    }

    fn augment(&mut self) {
        augment_all(&self.system.incidence, &mut self.matching);
    }

    fn is_matched(&self, row: u32) -> bool {
        self.matching.column[row as usize] != NONE
    }

    /// Parameters bound to parameters that the initial system computes.
    fn bound_parameters(&mut self, dae: &mut Dae) {
        for i in 0..dae.initial_parameters.len() {
            let p = dae.initial_parameters[i];
            if let Some(rhs) = dae.vars[p].var.binding {
                let lhs = dae.var_expr(p);
                let span = dae.vars[p].var.span;
                self.push(
                    dae,
                    SystemEquation {
                        lhs,
                        rhs,
                        span,
                        component: 0,
                    },
                );
            }
        }
    }

    fn initial_equations(&mut self, dae: &mut Dae, warnings: &mut Vec<Diagnostic>) {
        let first = self.system.equations.len() as u32;
        let mut memo = FxHashMap::default();
        // What a variable is at the start counts more than what it was before: libraries say `pre(u) = false` of every input.
        let (limits, values): (Vec<usize>, Vec<usize>) =
            (0..dae.initial_equations.len()).partition(|&i| says_left_limit(dae, i));
        for group in [values, limits] {
            for i in group {
                let e = dae.initial_equations[i].clone();
                let lhs = self.mode.rewrite(dae, e.lhs);
                let rhs = self.mode.rewrite(dae, e.rhs);
                let equation = SystemEquation {
                    lhs: replace_pre(dae, &self.pre, &mut memo, lhs),
                    rhs: replace_pre(dae, &self.pre, &mut memo, rhs),
                    span: e.span,
                    component: e.component,
                };
                self.push(dae, equation);
            }
            self.augment();
        }
        for row in first..self.system.equations.len() as u32 {
            if !self.is_matched(row) {
                let e = self.system.equations[row as usize];
                warnings.push(Diagnostic::warning(
                    "W0502",
                    e.span,
                    format!(
                        "the initial equation `{}` is redundant and not used",
                        dae.equation_text(e.lhs, e.rhs)
                    ),
                ));
            }
        }
    }

    fn start_row(&mut self, dae: &mut Dae, v: VarId, guess: bool) -> u32 {
        let of = self.original(v);
        let rhs = dae.start_value(of);
        let lhs = dae.var_expr(v);
        let span = dae.vars[of].var.span;
        let row = self.push(
            dae,
            SystemEquation {
                lhs,
                rhs,
                span,
                component: 0,
            },
        );
        self.starts.push((row, v, guess));
        row
    }

    /// The discrete variable that an unknown left limit belongs to.
    fn original(&self, v: VarId) -> VarId {
        self.limit_of.get(&v).copied().unwrap_or(v)
    }

    fn fixed_starts(&mut self, dae: &mut Dae, warnings: &mut Vec<Diagnostic>) {
        let fixed: Vec<VarId> = dae.vars.keys().filter(|&v| dae.is_fixed(v)).collect();
        let (states, others): (Vec<VarId>, Vec<VarId>) = fixed
            .into_iter()
            .filter(|&v| matches!(dae.vars[v].kind, Kind::State | Kind::Algebraic))
            .partition(|&v| dae.vars[v].kind == Kind::State);
        let first = self.starts.len();
        for group in [states, others] {
            for v in group {
                if self.system.columns[v] != NONE {
                    self.start_row(dae, v, false);
                }
            }
            self.augment();
        }
        let redundant: Vec<String> = self.starts[first..]
            .iter()
            .filter(|(row, ..)| !self.is_matched(*row))
            .map(|(_, v, _)| format!("`{}`", dae.vars[*v].var.name))
            .collect();
        if !redundant.is_empty() {
            warnings.push(
                Diagnostic::warning(
                    "W0503",
                    Span::NONE,
                    format!(
                        "the initial system is over-determined: the fixed start value of {} is not used",
                        listed(&redundant)
                    ),
                )
                .with_hint("the other conditions determine it already; remove `fixed = true`"),
            );
        }
    }

    fn guesses(&mut self, dae: &mut Dae, warnings: &mut Vec<Diagnostic>) {
        let mut limits: Vec<VarId> = self.pre.values().copied().collect();
        limits.sort_unstable();
        // By preference: a start value that the model gives, then what is a state.
        let mut states: Vec<VarId> = Vec::new();
        let mut demoted: Vec<VarId> = Vec::new();
        for (v, var) in &dae.vars {
            let hidden = var.kind == Kind::State && var.var.hidden;
            if self.system.columns[v] == NONE || dae.is_fixed(v) || hidden {
                continue;
            }
            match var.kind {
                Kind::State => states.push(v),
                Kind::Algebraic | Kind::Derivative if dae.derivative[v].is_some() => {
                    demoted.push(v);
                }
                _ => {}
            }
        }
        let chosen: Vec<VarId> = dae
            .vars
            .iter()
            .filter(|(_, var)| var.kind == Kind::State && var.var.hidden)
            .map(|(v, _)| v)
            .collect();
        let determined = determined_at_start(dae);
        let started = |v: &VarId| dae.vars[*v].var.start.is_some();
        let (states_with, states_without): (Vec<VarId>, Vec<VarId>) =
            states.into_iter().partition(started);
        let (demoted_with, demoted_without): (Vec<VarId>, Vec<VarId>) =
            demoted.into_iter().partition(started);
        let free = |v: &VarId| !determined.contains(v);
        let (free_with, determined_with): (Vec<VarId>, Vec<VarId>) =
            demoted_with.into_iter().partition(free);
        let (free_without, determined_without): (Vec<VarId>, Vec<VarId>) =
            demoted_without.into_iter().partition(free);
        let parameters: Vec<VarId> = dae
            .initial_parameters
            .iter()
            .copied()
            .filter(|&p| dae.vars[p].var.binding.is_none())
            .collect();
        let first = self.starts.len();
        for group in [
            limits,
            states_with,
            free_with,
            determined_with,
            states_without,
            free_without,
            determined_without,
            chosen,
            parameters,
        ] {
            if self.matching.row.iter().all(|&r| r != NONE) {
                break;
            }
            for v in group {
                self.start_row(dae, v, true);
            }
            self.augment();
        }
        let guessed: Vec<VarId> = self.starts[first..]
            .iter()
            .filter(|(row, v, _)| {
                self.is_matched(*row)
                    && dae.vars[*v].kind != Kind::Discrete
                    && !dae.vars[*v].var.hidden
            })
            .map(|(_, v, _)| *v)
            .collect();
        if let Some(&one) = guessed.first() {
            let names: Vec<String> = (guessed.iter())
                .map(|&v| format!("`{}`", dae.vars[v].var.name))
                .collect();
            warnings.push(
                Diagnostic::warning(
                    "W0501",
                    dae.place_of(one),
                    format!(
                        "the initial system is under-determined: the start value of {} is used as its initial value",
                        listed(&names)
                    ),
                )
                .with_hint("set `fixed = true` or add initial equations"),
            );
        }
    }

    /// Keeps the matched rows, sorts and makes blocks.
    fn finish(
        self,
        dae: &mut Dae,
        builder: &mut Builder,
        homotopy: Option<VarId>,
    ) -> Result<InitialSystem, Vec<Diagnostic>> {
        let Pass {
            system,
            matching,
            starts,
            ..
        } = self;
        let n_model = dae.equations.len().min(system.equations.len());
        let unmatched_model = (0..n_model).any(|i| matching.column[i] == NONE);
        if unmatched_model || matching.row.contains(&NONE) {
            let mut error = dulmage_mendelsohn::explain(dae, &system, &matching);
            error.code = "E0501";
            error.message = format!("the initial system: {}", error.message);
            return Err(vec![error]);
        }
        let components = strong_components(&system.incidence, &matching);
        // Unmatched rows are dropped; the others get new numbers.
        let mut number = vec![NONE; system.equations.len()];
        let mut equations = Vec::with_capacity(system.unknowns.len());
        for (i, e) in system.equations.iter().enumerate() {
            if matching.column[i] == NONE {
                continue;
            }
            let unknown = system.unknowns[matching.column[i] as usize];
            if dae.vars[unknown].kind == Kind::Relation {
                continue;
            }
            number[i] = equations.len() as u32;
            equations.push(DaeEquation {
                lhs: e.lhs,
                rhs: e.rhs,
                span: e.span,
                component: e.component,
                unknown,
                continuous: dae.vars[unknown].kind != Kind::Discrete,
            });
        }
        // A guess asks for nothing, and the fixed start of a discrete variable is its left limit, whatever its present value.
        let asks = |i: usize| match starts.binary_search_by_key(&(i as u32), |s| s.0) {
            Ok(k) => !starts[k].2 && dae.vars[starts[k].1].kind != Kind::Discrete,
            Err(_) => true,
        };
        // Where everything is constant there is no unknown, and what is said of the start must hold all the same. Nobody asks for it.
        let unknown = system.unknowns.first().copied();
        let unknown = unknown.or_else(|| dae.vars.keys().next());
        let redundant = (n_model..system.equations.len())
            .filter(|&i| matching.column[i] == NONE && asks(i))
            .filter(|&i| !dae.exprs.ty(system.equations[i].lhs).is_discrete())
            .filter_map(|i| {
                let e = &system.equations[i];
                Some(DaeEquation {
                    lhs: e.lhs,
                    rhs: e.rhs,
                    span: e.span,
                    component: e.component,
                    unknown: unknown?,
                    continuous: true,
                })
            })
            .collect();
        builder.initial = true;
        let mut blocks = builder.blocks(dae, &system, &matching, &components);
        builder.initial = false;
        for b in &mut blocks {
            renumber(b, &number);
        }
        let mut from_start: Vec<(VarId, bool)> = starts
            .iter()
            .filter(|(row, v, _)| {
                matching.column[*row as usize] != NONE && dae.vars[*v].kind == Kind::State
            })
            .map(|&(_, v, guess)| (v, guess))
            .collect();
        for (v, var) in &dae.vars {
            if var.kind == Kind::Discrete {
                from_start.push((v, !dae.is_fixed(v)));
            }
        }
        Ok(InitialSystem {
            blocks,
            equations,
            redundant,
            from_start,
            homotopy,
        })
    }
}

/// Of the variables that constraints tie together, those that the constraints determine best at the start values: the
/// pivots of the constraint Jacobian, largest first. A pendulum that starts at (1, 0) has x determined by y.
fn determined_at_start(dae: &mut Dae) -> FxHashSet<VarId> {
    let mut out = FxHashSet::default();
    if dae.dynamic_states.is_empty() {
        return out;
    }
    let mut values = ParameterValues::new(dae);
    for k in 0..dae.dynamic_states.len() {
        let set = dae.dynamic_states[k].clone();
        let n = set.candidates.len();
        let mut rows = vec![vec![0.0; n]; n - set.n_states as usize];
        let known = set.jacobian.iter().all(|&(row, column, e)| {
            let value = values.value_at_start(dae, e).filter(|v| v.is_finite());
            rows[row as usize][column as usize] = value.unwrap_or(0.0);
            value.is_some()
        });
        if !known {
            continue;
        }
        while let Some((row, pivot)) = largest(&rows) {
            let used = rows.swap_remove(row);
            for r in &mut rows {
                let factor = r[pivot] / used[pivot];
                for (a, b) in r.iter_mut().zip(&used) {
                    *a -= factor * b;
                }
                r[pivot] = 0.0;
            }
            let v = set.candidates[pivot];
            out.insert(v);
            // The differentiated constraint has the same Jacobian.
            out.extend(dae.derivative[v].expand());
        }
    }
    out
}

/// Row and column of the largest number, if there is one that is not zero.
fn largest(rows: &[Vec<f64>]) -> Option<(usize, usize)> {
    let entries = rows.iter().enumerate();
    let entries =
        entries.flat_map(|(i, r)| r.iter().enumerate().map(move |(j, a)| (a.abs(), i, j)));
    let best = entries.fold((0.0, 0, 0), |best, e| if e.0 > best.0 { e } else { best });
    (best.0 > 0.0).then_some((best.1, best.2))
}

fn renumber(block: &mut ferrica_ir::causal::Block, number: &[u32]) {
    use ferrica_ir::causal::Block;
    let map = |e: &mut u32| *e = number.get(*e as usize).copied().unwrap_or(*e);
    match block {
        Block::Assign(a) => map(&mut a.equation),
        Block::Linear(l) => {
            l.equations.iter_mut().for_each(map);
            l.then.iter_mut().for_each(|a| map(&mut a.equation));
        }
        Block::Nonlinear(n) => {
            n.equations.iter_mut().for_each(map);
            n.inner.iter_mut().for_each(|a| map(&mut a.equation));
            n.jacobian_inner
                .iter_mut()
                .for_each(|a| map(&mut a.equation));
            if let Some(other) = &mut n.other {
                other.equations.iter_mut().for_each(map);
                other.inner.iter_mut().for_each(|a| map(&mut a.equation));
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.len() > SHOWN {
        format!(
            "{} and {} more",
            names[..SHOWN].join(", "),
            names.len() - SHOWN
        )
    } else {
        names.join(", ")
    }
}

/// Unknown left limits: of the discrete variables that occur in initial equations.
fn left_limits(dae: &mut Dae, mode: &mut ModeRewriter) -> FxHashMap<VarId, VarId> {
    let mut named: Vec<VarId> = Vec::new();
    for i in 0..dae.initial_equations.len() {
        let e = dae.initial_equations[i].clone();
        let roots = [mode.rewrite(dae, e.lhs), mode.rewrite(dae, e.rhs)];
        dae.exprs.postorder(&roots, |id| match dae.exprs.get(id) {
            Expr::Pre(v) => named.push(v),
            Expr::Var(v) if dae.vars[v].kind == Kind::Discrete => named.push(v),
            _ => {}
        });
    }
    named.sort_unstable();
    named.dedup();
    let mut map = FxHashMap::default();
    for v in named {
        let name = format!("$pre({})", dae.vars[v].var.name);
        let (ty, span) = (dae.vars[v].var.ty, dae.vars[v].var.span);
        let limit = dae.new_var(name, ty, Kind::Discrete, span);
        map.insert(v, limit);
    }
    map
}

fn replace_pre(
    dae: &mut Dae,
    pre: &FxHashMap<VarId, VarId>,
    memo: &mut FxHashMap<ExprId, ExprId>,
    e: ExprId,
) -> ExprId {
    if pre.is_empty() {
        return e;
    }
    let vars = &dae.vars;
    dae.exprs.rewrite(e, memo, &mut |a, id| match a.get(id) {
        Expr::Pre(v) => pre.get(&v).map(|&limit| a.var(limit, vars[limit].var.ty)),
        _ => None,
    })
}

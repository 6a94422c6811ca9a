//! What the structural analysis finds, as data to be shown.
//!
//! In: the hybrid DAE. Out: texts and numbers: which equation is matched to which unknown, the components in the order in which they
//! are solved, and what has become of each. A model that has no perfect matching is shown as far as it goes, with the equations and
//! unknowns that have no partner, beside the error.

pub mod text;

use ferrica_dae::Dae;
use ferrica_ir::causal::{Assign, Block};
use ferrica_ir::{Diagnostic, Expr, ExprId, VarId};
use rustc_hash::FxHashSet;

use crate::incidence::NONE;
use crate::matching::{Matching, maximum_matching};
use crate::strong_components::strong_components;
use crate::system::System;
use crate::{Reduced, reduce_with_preferences, relations, simulation_system};

/// Expressions with more nodes are not written.
const MAX_NODES: usize = 2_000;

/// See the module comment. Equations and unknowns are known by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    pub name: String,
    pub equations: Vec<String>,
    pub unknowns: Vec<String>,
    pub incidence: Vec<Row>,
    /// The unknown that each equation determines.
    pub matched: Vec<Option<usize>>,
    pub components: Vec<Component>,
    /// Equations that had no unknown of their own before the index was reduced.
    pub constraints: Vec<String>,
}

/// The unknowns of an equation.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// It may be solved for these.
    pub solvable: Vec<usize>,
    /// It only reads these.
    pub read: Vec<usize>,
}

/// Equations that are solved together; one alone is a component too.
#[derive(Clone, Debug, Default)]
pub struct Component {
    pub equations: Vec<usize>,
    /// How its unknowns are found, in order.
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub role: Role,
    /// What it gives; nothing for a residual.
    pub unknowns: Vec<usize>,
    pub text: String,
    /// Unknowns of the same component that it reads.
    pub reads: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An assignment.
    Assigned,
    /// A linear system that is left for a factorization.
    Linear,
    /// Guessed, and corrected until the residuals vanish.
    Iterated,
    Residual,
    /// Keeps its value during a pass of an event iteration.
    Held,
}

impl Component {
    pub fn is_loop(&self) -> bool {
        self.equations.len() > 1 || self.steps.iter().any(|s| s.role == Role::Residual)
    }

    /// Are assignments all that is left of it?
    pub fn is_solved(&self) -> bool {
        self.steps.iter().all(|s| s.role == Role::Assigned)
    }

    /// The unknowns of the steps with a role.
    pub fn unknowns(&self, role: Role) -> Vec<usize> {
        let steps = self.steps.iter().filter(|s| s.role == role);
        steps.flat_map(|s| s.unknowns.iter().copied()).collect()
    }
}

impl Analysis {
    /// Unknowns that no equation determines.
    pub fn undetermined(&self) -> Vec<usize> {
        let mut has = vec![false; self.unknowns.len()];
        self.matched.iter().flatten().for_each(|&c| has[c] = true);
        (0..has.len()).filter(|&c| !has[c]).collect()
    }

    /// Equations that determine nothing.
    pub fn superfluous(&self) -> Vec<usize> {
        let all = 0..self.equations.len();
        all.filter(|&i| self.matched[i].is_none()).collect()
    }

    /// The number of the component that gives each unknown.
    pub fn giver(&self) -> Vec<Option<usize>> {
        let mut giver = vec![None; self.unknowns.len()];
        for (k, component) in self.components.iter().enumerate() {
            for &i in &component.equations {
                if let Some(c) = self.matched[i] {
                    giver[c] = Some(k);
                }
            }
        }
        giver
    }
}

/// The analysis, and what stands in its way.
pub fn analysis(
    dae: Dae,
    warnings: &mut Vec<Diagnostic>,
) -> (Analysis, Result<(), Vec<Diagnostic>>) {
    let mut written = dae.clone();
    let before = simulation_system(&mut written).map(|system| {
        let matching = maximum_matching(&system.incidence);
        told(&written, &system, &matching)
    });
    match reduce_with_preferences(dae, warnings) {
        Ok(reduced) => {
            let (mut found, errors) = sorted(reduced);
            if let Ok(before) = before {
                let text = |&i: &usize| before.equations[i].clone();
                found.constraints = before.superfluous().iter().map(text).collect();
            }
            match errors.is_empty() {
                true => (found, Ok(())),
                false => (found, Err(errors)),
            }
        }
        Err(errors) => (before.unwrap_or_default(), Err(errors)),
    }
}

fn sorted(reduced: Reduced) -> (Analysis, Vec<Diagnostic>) {
    let Reduced {
        mut dae,
        mut builder,
        mut system,
        mut matching,
        ..
    } = reduced;
    relations::add_rows(&mut dae, &mut system, &mut matching);
    let time_events = dae.relations.iter().filter(|r| r.time_event);
    builder.time_events.extend(time_events.map(|r| r.memory));
    let components = strong_components(&system.incidence, &matching);
    let mut found = told(&dae, &system, &matching);
    for rows in components.iter() {
        let blocks = builder.blocks_of(&mut dae, &system, &matching, rows);
        let mut teller = Teller {
            dae: &dae,
            system: &system,
            own: rows
                .iter()
                .map(|&i| matching.column[i as usize] as usize)
                .collect(),
            steps: Vec::new(),
        };
        blocks.iter().for_each(|b| teller.block(b));
        teller.held();
        found.components.push(Component {
            equations: rows.iter().map(|&i| i as usize).collect(),
            steps: teller.steps,
        });
    }
    (found, builder.errors)
}

/// Equations, unknowns and their matching.
fn told(dae: &Dae, system: &System, matching: &Matching) -> Analysis {
    let text = |e: ExprId| dae.expr_text_up_to(e, MAX_NODES);
    let numbers = |list: &[u32]| list.iter().map(|&c| c as usize).collect::<Vec<_>>();
    let row = |i: usize| {
        let solvable = system.incidence.solvable(i);
        Row {
            solvable: numbers(solvable),
            read: numbers(&system.incidence.row(i)[solvable.len()..]),
        }
    };
    let name = |v: &VarId| dae.vars[*v].var.name.clone();
    Analysis {
        name: dae.name.clone(),
        equations: (system.equations.iter())
            .map(|e| format!("{} = {}", text(e.lhs), text(e.rhs)))
            .collect(),
        unknowns: system.unknowns.iter().map(name).collect(),
        incidence: (0..system.equations.len()).map(row).collect(),
        matched: (matching.column.iter())
            .map(|&c| (c != NONE).then_some(c as usize))
            .collect(),
        ..Analysis::default()
    }
}

/// Tells how the unknowns of one component are found.
struct Teller<'a> {
    dae: &'a Dae,
    system: &'a System,
    /// The unknowns of the component.
    own: FxHashSet<usize>,
    steps: Vec<Step>,
}

impl Teller<'_> {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Assign(a) => self.assign(a),
            Block::Linear(l) => {
                let mut exprs: Vec<ExprId> = l.rhs.clone();
                exprs.extend(l.matrix.iter().map(|m| m.2));
                let row = |i: usize| {
                    let own = l.matrix.iter().filter(|m| m.0 as usize == i);
                    let term = |m: &(u32, u32, ExprId)| {
                        let name = &self.dae.vars[l.unknowns[m.1 as usize]].var.name;
                        format!("({})*{name}", self.text(m.2))
                    };
                    let terms: Vec<String> = own.map(term).collect();
                    format!("{} = {}", terms.join(" + "), self.text(l.rhs[i]))
                };
                let rows: Vec<String> = (0..l.rhs.len()).map(row).collect();
                self.steps.push(Step {
                    role: Role::Linear,
                    unknowns: l.unknowns.iter().filter_map(|&v| self.number(v)).collect(),
                    text: rows.join("\n"),
                    reads: self.reads(&exprs),
                });
                l.then.iter().for_each(|a| self.assign(a));
            }
            Block::Nonlinear(n) => {
                for &v in &n.unknowns {
                    self.steps.push(Step {
                        role: Role::Iterated,
                        unknowns: self.number(v).into_iter().collect(),
                        text: self.dae.vars[v].var.name.clone(),
                        reads: Vec::new(),
                    });
                }
                n.inner.iter().for_each(|a| self.assign(a));
                for &r in &n.residuals {
                    self.steps.push(Step {
                        role: Role::Residual,
                        unknowns: Vec::new(),
                        text: format!("0 = {}", self.text(r)),
                        reads: self.reads(&[r]),
                    });
                }
            }
        }
    }

    fn assign(&mut self, a: &Assign) {
        self.steps.push(Step {
            role: Role::Assigned,
            unknowns: self.number(a.var).into_iter().collect(),
            text: format!("{} := {}", self.dae.vars[a.var].var.name, self.text(a.expr)),
            reads: self.reads(&[a.expr]),
        });
    }

    /// The unknowns that no block gives: a loop is cut at them.
    fn held(&mut self) {
        let mut missing = self.own.clone();
        for step in &self.steps {
            step.unknowns.iter().for_each(|c| {
                missing.remove(c);
            });
        }
        let mut missing: Vec<usize> = missing.into_iter().collect();
        missing.sort_unstable();
        let held = missing.into_iter().map(|c| Step {
            role: Role::Held,
            unknowns: vec![c],
            text: self.dae.vars[self.system.unknowns[c]].var.name.clone(),
            reads: Vec::new(),
        });
        let held: Vec<Step> = held.collect();
        self.steps.splice(0..0, held);
    }

    fn number(&self, v: VarId) -> Option<usize> {
        let c = self.system.columns[v];
        (c != NONE).then_some(c as usize)
    }

    fn text(&self, e: ExprId) -> String {
        self.dae.expr_text_up_to(e, MAX_NODES)
    }

    fn reads(&self, exprs: &[ExprId]) -> Vec<usize> {
        let mut found = Vec::new();
        self.dae.exprs.postorder(exprs, |e| {
            if let Expr::Var(v) = self.dae.exprs.get(e)
                && let Some(c) = self.number(v)
                && self.own.contains(&c)
            {
                found.push(c);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

//! What sources and modulated elements follow that has a memory, or that only compiled code can compute.
//!
//! In: the flat model with its graph, and the compiled model. Out: for each such variable that follows from time alone where its values are: discrete
//! variables, states of filters, results of functions and delays.

use std::cell::RefCell;
use std::rc::Rc;

use ferrica_codegen::CompiledModel;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Expr, VarId};
use ferrica_sim::{Experiment, SimError};
use rustc_hash::{FxHashMap, FxHashSet};

use super::of_time::OfTime;
use super::timeline::{Column, Timeline};
use crate::build::Built;
use crate::dual::{Moving, evaluate};
use crate::extract::variables;
use crate::recognise::Recognised;
use crate::steps::Values;

/// Variables with a memory, and where their values are.
#[derive(Clone, Default)]
pub struct Memory {
    pub timeline: Option<Rc<RefCell<Timeline>>>,
    pub columns: FxHashMap<VarId, Column>,
}

impl Memory {
    pub fn of(
        flat: &FlatModel,
        built: &Built,
        model: &CompiledModel,
        initial: &Values,
        experiment: &Experiment,
    ) -> Result<Memory, SimError> {
        let wanted = wanted(flat, built, initial);
        if wanted.is_empty() {
            return Ok(Memory::default());
        }
        let source = &model.source;
        let names = source.vars.iter().map(|(v, x)| (x.var.name.as_str(), v));
        let names: FxHashMap<&str, VarId> = names.collect();
        let network = network(flat, built);
        let of_time = OfTime::new(source, |c| {
            let path = source.components.get(c as usize).map(|c| c.path.as_str());
            path.is_some_and(|p| within(p, &network))
        });
        let found: Vec<(VarId, VarId, bool)> = wanted
            .into_iter()
            .filter_map(|(v, need)| {
                let c = *names.get(flat.vars[v].name.as_str())?;
                let is_state = of_time.kind(c) == Kind::State;
                let is_discrete = need == Need::Discrete;
                (of_time.holds(c) && (is_state || need != Need::IfState)).then_some((
                    v,
                    c,
                    is_discrete,
                ))
            })
            .collect();
        if found.is_empty() {
            return Ok(Memory::default());
        }
        let places: Vec<VarId> = found.iter().map(|f| f.1).collect();
        let slots = |model: &CompiledModel| {
            let place = |f: &(VarId, VarId, bool)| model.layout.place(f.1).map(|p| (p.0, p.1, f.2));
            found.iter().filter_map(place).collect()
        };
        let timeline = Timeline::new(of_time.slice(&places), slots, experiment)?;
        let columns = found.iter().enumerate();
        let columns = columns.filter_map(|(k, f)| Some((f.0, timeline.column(k)?)));
        Ok(Memory {
            columns: columns.collect(),
            timeline: Some(Rc::new(RefCell::new(timeline))),
        })
    }

    /// Those in some equations.
    pub fn known_in(&self, flat: &FlatModel, equations: &[usize]) -> FxHashSet<Moving> {
        if self.columns.is_empty() {
            return FxHashSet::default();
        }
        let all = variables(flat, equations).into_iter();
        all.filter(|v| self.columns.contains_key(v))
            .map(Moving::Value)
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Discrete,
    /// Only compiled code has its value.
    Computed,
    /// Where it is a state; else its equations give it.
    IfState,
}

/// Variables of signals and elements that no formula of time can be read off for.
fn wanted(flat: &FlatModel, built: &Built, initial: &Values) -> Vec<(VarId, Need)> {
    let mut out: Vec<(VarId, Need)> = Vec::new();
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    let power = built.network.elements.iter().flat_map(|e| &e.ports);
    let power: FxHashSet<VarId> = power.flat_map(|p| [p.potential, p.flow]).collect();
    for (k, e) in flat.equations.iter().enumerate() {
        let sound = [e.lhs, e.rhs]
            .iter()
            .all(|&side| evaluate(&flat.exprs, side, &initial.point(Moving::Nothing)).is_some());
        if !sound
            && let Expr::Var(v) = flat.exprs.get(e.lhs)
            && !power.contains(&v)
            && seen.insert(v)
        {
            out.push((v, Need::Computed));
        }
        for v in variables(flat, &[k]) {
            let var = &flat.vars[v];
            let is_discrete = var.variability == Variability::Discrete || var.ty.is_discrete();
            if is_discrete && seen.insert(v) {
                out.push((v, Need::Discrete));
            }
        }
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let Expr::Der(v) = flat.exprs.get(id)
                && seen.insert(v)
            {
                out.push((v, Need::IfState));
            }
        });
    }
    out
}

/// Paths of the elements that are no sources.
fn network<'f>(flat: &'f FlatModel, built: &Built) -> FxHashSet<&'f str> {
    let elements = built.network.elements.iter().zip(&built.recognised);
    let others = elements.filter(|(_, r)| match &r.what {
        Recognised::OnePort { laws, .. } => !laws.iter().all(|l| l.kind.is_source()),
        _ => true,
    });
    others
        .map(|(e, _)| flat.components[e.component as usize].path.as_str())
        .collect()
}

/// Is a component one of these or a part of one?
fn within(path: &str, network: &FxHashSet<&str>) -> bool {
    let ends = path.match_indices('.').map(|(k, _)| k).chain([path.len()]);
    ends.into_iter().any(|k| network.contains(&path[..k]))
}

//! Residuals of equations, with their partial derivatives.
//!
//! In: the equations that are asked for. Out: rows that evaluate lhs − rhs of each into slots of their own, everything they need being
//! known: the DAE form is made of them, and results are checked with them ([`Residuals`]).

use std::sync::Arc;

use ferrica_ir::causal::{CausalModel, DaeEquation};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::Ty;
use ferrica_ir::{Expr, ExprId};
use rustc_hash::FxHashMap;

use crate::evaluator::{Evaluator, Failure};
use crate::layout::Slot;
use crate::lower::{Definitions, Lowering};
use crate::model::CompiledModel;
use crate::program::Program;
use crate::tape::{PartialCache, RowList};

/// Rows of residuals and of their partial derivatives.
pub struct ResidualRows {
    /// First slot of the residuals.
    pub residuals: Slot,
    pub program: Program,
    pub partials: Program,
    /// (number of the residual, operand, slot of the partial derivative)
    pub entries: Vec<(usize, Slot, Slot)>,
}

/// Lowers the residuals of these equations of a list, with partial derivatives for the active operands. Variables that have a definition
/// are not read.
pub fn residual_rows(
    model: &mut CompiledModel,
    list: &[DaeEquation],
    equations: &[u32],
    definitions: Definitions,
    has_call: &[bool],
    cache: &mut PartialCache,
    active: &dyn Fn(Slot) -> bool,
) -> Result<ResidualRows, Diagnostic> {
    let source: Arc<CausalModel> = model.source.clone();
    let n = equations.len();
    let residuals = model.layout.alloc_run(n);
    let (mut rows, mut partial_rows) = (RowList::default(), RowList::default());
    let mut entries = Vec::new();
    let mut low = Lowering::new(&source, &mut model.layout, has_call);
    low.definitions = definitions;
    let (mut results, mut slots) = (Vec::new(), Vec::new());
    for group in groups_by_call(&source, list, equations, has_call).iter() {
        low.begin();
        results.clear();
        slots.clear();
        for r in group {
            let r = r as usize;
            slots.push(residuals + r as Slot);
            let eq = &list[equations[r] as usize];
            let x = low.expr(eq.lhs, eq.span)?;
            let y = low.expr(eq.rhs, eq.span)?;
            results.push(low.builder.sub(x, y));
        }
        let row = (model.kernels).add_built(&mut low.builder, &results, &slots);
        rows.push(row.kernel, model.kernels.row(row).iter().copied());
        let partials = cache.row(
            &mut model.kernels,
            low.layout,
            row,
            active,
            &mut partial_rows,
        );
        let numbered = |&(residual, operand, slot): &(Slot, _, _)| {
            ((residual - residuals) as usize, operand, slot)
        };
        entries.extend(partials.iter().map(numbered));
    }
    Ok(ResidualRows {
        residuals,
        program: rows.independent(),
        partials: partial_rows.independent(),
        entries,
    })
}

/// Positions of the equations, those together that take results of the same call: it is made once for all of them.
fn groups_by_call(
    source: &CausalModel,
    list: &[DaeEquation],
    equations: &[u32],
    has_call: &[bool],
) -> Groups {
    let mut groups = Groups::default();
    let mut of_call: FxHashMap<ExprId, usize> = FxHashMap::default();
    for (r, &k) in equations.iter().enumerate() {
        let eq = &list[k as usize];
        let mut call = None;
        if [eq.lhs, eq.rhs]
            .iter()
            .any(|e| has_call[e.as_u32() as usize])
        {
            source.exprs.postorder(&[eq.lhs, eq.rhs], |id| {
                if let Expr::Proj(c, _) = source.exprs.get(id) {
                    call.get_or_insert(c);
                }
            });
        }
        let next = groups.first.len();
        match call.map(|c| *of_call.entry(c).or_insert(next)) {
            Some(group) if group < next => groups.more.entry(group).or_default().push(r as u32),
            _ => groups.first.push(r as u32),
        }
    }
    groups
}

/// Most groups are one equation: the first of each, and the others of a few.
#[derive(Default)]
struct Groups {
    first: Vec<u32>,
    more: FxHashMap<usize, Vec<u32>>,
}

impl Groups {
    fn iter(&self) -> impl Iterator<Item = impl Iterator<Item = u32> + '_> {
        let groups = self.first.iter().enumerate();
        groups.map(|(k, &r)| {
            let more = self.more.get(&k).into_iter().flatten().copied();
            std::iter::once(r).chain(more)
        })
    }
}

/// A variable that is less than this part of its nominal value is compared with that.
const SMALL: f64 = 1e-3;

/// Roundings of a state that a difference quotient sees: a formula has up to four terms, with factors up to two.
const ROUNDINGS: f64 = 8.0;

/// Equations to be checked against values.
pub struct Residuals {
    equations: Vec<u32>,
    rows: ResidualRows,
    /// Nominal values of the operands in `rows.entries`.
    nominals: Vec<f64>,
}

/// An equation that values do not satisfy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Its number in the list it is from.
    pub equation: u32,
    /// lhs − rhs.
    pub residual: f64,
    /// The relative change of all its variables that would be needed, at least, to satisfy it.
    pub part: f64,
}

impl Residuals {
    /// Of all equations between numbers.
    pub(crate) fn new(
        model: &mut CompiledModel,
        has_call: &[bool],
        cache: &mut PartialCache,
    ) -> Result<Residuals, Diagnostic> {
        let source = model.source.clone();
        let numeric = |k: &usize| {
            let v = source.equations[*k].unknown;
            matches!(
                source.vars[v].var.ty,
                Ty::Real | Ty::Integer | Ty::Boolean | Ty::Enum(_)
            )
        };
        let equations: Vec<u32> = (0..source.equations.len())
            .filter(numeric)
            .map(|k| k as u32)
            .collect();
        Residuals::of(model, &source.equations, equations, has_call, cache)
    }

    /// Of some equations of a list.
    pub(crate) fn of(
        model: &mut CompiledModel,
        list: &[DaeEquation],
        equations: Vec<u32>,
        has_call: &[bool],
        cache: &mut PartialCache,
    ) -> Result<Residuals, Diagnostic> {
        let slots = model.layout.len() as Slot;
        let active = |s: Slot| s < slots;
        let none = Definitions::default();
        let rows = residual_rows(model, list, &equations, none, has_call, cache, &active)?;
        let nominals = rows.entries.iter().map(|e| model.nominal(e.1)).collect();
        Ok(Residuals {
            equations,
            rows,
            nominals,
        })
    }
}

impl Residuals {
    /// The slots below this one are those of the same model however it was compiled.
    pub fn first_own_slot(&self) -> Slot {
        self.rows.residuals
    }
}

impl Evaluator {
    /// The equation that the present values satisfy worst. Its residual is compared with what a relative change of its
    /// variables makes of it (the backward error of Oettli and Prager), so that neither units nor cancellation matter.
    /// With `step`, derivatives are difference quotients over that time: what rounding the states does to them is no fault.
    /// With `largest`, the states are known in parts of their largest values, which these are, and not of those they have.
    pub fn worst_residual(
        &mut self,
        r: &Residuals,
        step: Option<f64>,
        largest: Option<&[f64]>,
    ) -> Result<Option<Violation>, Failure> {
        let model = self.model.clone();
        self.exec(&model, &r.rows.program)?;
        self.exec(&model, &r.rows.partials)?;
        let mut reach = vec![0.0; r.equations.len()];
        let mut rounding = vec![0.0; r.equations.len()];
        let (states, derivatives) = (model.layout.states, model.layout.derivatives);
        let quotients = derivatives..derivatives + model.layout.n_states as Slot;
        for (&(k, operand, partial), nominal) in r.rows.entries.iter().zip(&r.nominals) {
            if let (Some(h), true) = (step, quotients.contains(&operand)) {
                let state = self.get(states + operand - derivatives).abs();
                rounding[k] += self.get(partial).abs() * ROUNDINGS * f64::EPSILON * state / h;
            }
            let size = match operand.checked_sub(states) {
                Some(i) => largest.and_then(|list| list.get(i as usize)).copied(),
                None => None,
            };
            let size = size.unwrap_or(0.0).max(self.get(operand).abs());
            let permitted = size + SMALL * nominal;
            let change = self.get(partial).abs() * permitted;
            reach[k] += match change.is_finite() {
                true => change,
                false => self.chord(r, k, operand, permitted),
            };
        }
        let mut worst: Option<Violation> = None;
        for (k, reach) in reach.into_iter().enumerate() {
            let residual = self.get(r.rows.residuals + k as Slot);
            let part = match residual {
                0.0 => continue,
                r if !r.is_finite() && reach.is_infinite() => continue,
                r if r.is_nan() => f64::INFINITY,
                r => (r.abs() - rounding[k]).max(0.0) / reach,
            };
            if worst.is_none_or(|w| w.part < part) {
                worst = Some(Violation {
                    equation: r.equations[k],
                    residual,
                    part,
                });
            }
        }
        Ok(worst)
    }

    /// The change of a residual with that of an operand, where it has no finite slope. Without a value beside it any residual may be
    /// one of rounding; a value without meaning is told elsewhere.
    fn chord(&mut self, r: &Residuals, row: usize, operand: Slot, change: f64) -> f64 {
        let model = self.model.clone();
        let kept = self.slots.clone();
        let (here, at) = (self.get(operand), r.rows.residuals + row as Slot);
        let residual = self.get(at);
        let mut largest = f64::INFINITY;
        for there in [here + change, here - change] {
            self.set(operand, there);
            if self.exec(&model, &r.rows.program).is_ok() && self.get(at).is_finite() {
                let moved = (self.get(at) - residual).abs();
                largest = if largest.is_finite() {
                    largest.max(moved)
                } else {
                    moved
                };
            }
        }
        self.slots.copy_from_slice(&kept);
        largest
    }
}

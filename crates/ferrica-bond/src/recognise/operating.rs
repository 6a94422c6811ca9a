//! The point at which the equations of a component are linearised, and the signals that reach it.

use ferrica_ir::VarId;
use ferrica_ir::flat::{FlatModel, Variability};
use rustc_hash::FxHashMap;

use crate::dual::{Moving, Point, evaluate};
use crate::extract::{Element, variables};

/// Values of all parameters and a generic operating point of everything else.
pub struct Operating {
    pub values: FxHashMap<VarId, f64>,
    pub time: f64,
    /// Derivative of every variable.
    pub rate: f64,
}

/// A generic rate of change.
pub const RATE: f64 = 0.41;

impl Operating {
    /// `shift` selects one of several generic points.
    pub fn new(flat: &FlatModel, shift: f64) -> Operating {
        let mut at = Operating {
            values: FxHashMap::default(),
            time: 0.0,
            rate: RATE,
        };
        let none = FxHashMap::default();
        // Parameters may depend on each other: a few sweeps settle any order of declaration.
        for _ in 0..4 {
            for (v, var) in &flat.vars {
                if var.variability > Variability::Parameter || at.values.contains_key(&v) {
                    continue;
                }
                let Some(e) = var.binding.or(var.start) else {
                    at.values.insert(v, 0.0);
                    continue;
                };
                let point = Point {
                    time: 0.0,
                    values: &at.values,
                    derivatives: &none,
                    moving: Moving::Nothing,
                };
                if let Some(d) = evaluate(&flat.exprs, e, &point) {
                    at.values.insert(v, d.value);
                }
            }
        }
        for (v, var) in &flat.vars {
            if var.variability <= Variability::Parameter {
                at.values.entry(v).or_insert(1.0);
                continue;
            }
            let generic = 0.31 + 0.17 * (((v.as_u32() * 7 + 3) % 11) as f64) / 11.0 + shift;
            let value = if var.ty == ferrica_ir::Ty::Real {
                generic
            } else {
                0.0
            };
            at.values.insert(v, value);
        }
        at
    }

    /// Internal variables that the element's equations define explicitly get the values they say, so that products
    /// with them have the right coefficients.
    pub fn settle(&mut self, flat: &FlatModel, element: &Element) {
        let none = FxHashMap::default();
        let ports: Vec<VarId> = element
            .ports
            .iter()
            .flat_map(|p| [p.potential, p.flow])
            .collect();
        for _ in 0..4 {
            for &k in &element.equations {
                let e = &flat.equations[k];
                let ferrica_ir::Expr::Var(v) = flat.exprs.get(e.lhs) else {
                    continue;
                };
                let point = Point {
                    time: self.time,
                    values: &self.values,
                    derivatives: &none,
                    moving: Moving::Nothing,
                };
                if !ports.contains(&v)
                    && let Some(d) = evaluate(&flat.exprs, e.rhs, &point)
                    && d.value.is_finite()
                {
                    self.values.insert(v, d.value);
                }
            }
        }
    }
}

/// Signals from outside: variables in the equations that the equations do not determine.
pub fn inputs<'f>(flat: &'f FlatModel, element: &'f Element) -> impl Iterator<Item = VarId> + 'f {
    let path = &flat.components[element.component as usize].path;
    let prefix = format!("{path}.");
    let ports: Vec<VarId> = element
        .ports
        .iter()
        .flat_map(|p| [p.potential, p.flow])
        .collect();
    let all = variables(flat, &element.equations);
    let inner = all.iter().filter(|v| !ports.contains(v)).count();
    let spare = (inner + ports.len()).saturating_sub(element.equations.len() + element.ports.len());
    let causal = move |v: &VarId| {
        let var = &flat.vars[*v];
        !ports.contains(v)
            && (!var.name.starts_with(&prefix)
                || var.role == ferrica_ir::flat::ConnectorRole::Potential)
    };
    all.into_iter()
        .filter(causal)
        .take(if spare == 0 { 0 } else { usize::MAX })
}

/// The values that an element's equations need.
pub fn local(flat: &FlatModel, element: &Element, at: &Operating) -> FxHashMap<VarId, f64> {
    let mut out = FxHashMap::default();
    for &k in &element.equations {
        let e = &flat.equations[k];
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let ferrica_ir::Expr::Var(v) | ferrica_ir::Expr::Pre(v) = flat.exprs.get(id) {
                out.insert(v, at.values.get(&v).copied().unwrap_or(0.0));
            }
        });
    }
    out
}

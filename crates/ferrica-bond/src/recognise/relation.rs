//! What the equations of a component say about its port variables: a linear relation at a frequency,
//! and the value a source holds.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Expr, VarId};
use rustc_hash::FxHashMap;

use super::laws::S;
use super::operating::{Operating, inputs, local};
use crate::dual::{Moving, Point, evaluate};
use crate::extract::{Element, is_discrete, variables};
use crate::graph::Domain;
use crate::linear::Matrix;

/// Does nothing that an element's equations say depend on time or on what has happened? That a value is zero at some times says nothing about others.
pub fn is_timeless(flat: &FlatModel, element: &Element) -> bool {
    element.equations.iter().all(|&k| {
        let e = &flat.equations[k];
        let mut timeless = true;
        flat.exprs
            .postorder(&[e.lhs, e.rhs], |id| match flat.exprs.get(id) {
                Expr::Time | Expr::Pre(_) => timeless = false,
                Expr::Var(v) => {
                    let var = &flat.vars[v];
                    timeless &= var.variability <= Variability::Parameter
                        || (var.variability == Variability::Continuous && !var.ty.is_discrete());
                }
                _ => {}
            });
        timeless
    })
}

/// Across value of a two-terminal source that nothing moves, with no flow through it.
pub fn source_value(flat: &FlatModel, element: &Element, at: &Operating) -> Option<f64> {
    let (a, b) = (&element.ports[0], &element.ports[1]);
    let ports = [a.potential, b.potential, a.flow, b.flow];
    let mut unknowns: Vec<VarId> = variables(flat, &element.equations)
        .into_iter()
        .filter(|v| !ports.contains(v) && !flat.vars[*v].ty.is_discrete())
        .collect();
    unknowns.push(a.potential);
    let mut values = local(flat, element, at);
    for v in ports {
        values.insert(v, 0.0);
    }
    let none = FxHashMap::default();
    for _ in 0..3 {
        let mut rows = Vec::new();
        for &k in &element.equations {
            let e = &flat.equations[k];
            if is_discrete(flat, k) {
                continue;
            }
            let mut row = Vec::with_capacity(unknowns.len() + 1);
            let mut residual = 0.0;
            for &v in &unknowns {
                let point = Point {
                    time: at.time,
                    values: &values,
                    derivatives: &none,
                    moving: Moving::Value(v),
                };
                let (x, y) = (
                    evaluate(&flat.exprs, e.lhs, &point)?,
                    evaluate(&flat.exprs, e.rhs, &point)?,
                );
                row.push(x.slope - y.slope);
                residual = x.value - y.value;
            }
            row.push(-residual);
            rows.push(row);
        }
        let mut m = Matrix { rows };
        m.reduce();
        for r in &m.rows {
            if let Some(c) = r[..unknowns.len()].iter().position(|&v| v != 0.0) {
                *values.entry(unknowns[c]).or_insert(0.0) += r[unknowns.len()];
            }
        }
    }
    values.get(&a.potential).copied().filter(|v| v.is_finite())
}

/// Does a one-port that fixes its potential fix it at zero, at all times?
pub fn holds_zero(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    let p = &element.ports[0];
    let mut values = local(flat, element, at);
    values.insert(p.potential, 0.0);
    let none = FxHashMap::default();
    let holds = |k: usize| {
        let e = &flat.equations[k];
        let mut uses = false;
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            uses |= flat.exprs.get(id) == Expr::Var(p.potential);
        });
        let point = Point {
            time: at.time,
            values: &values,
            derivatives: &none,
            moving: Moving::Nothing,
        };
        let side = |e| evaluate(&flat.exprs, e, &point).map(|d| d.value);
        !uses
            || match (side(e.lhs), side(e.rhs)) {
                (Some(x), Some(y)) => (x - y).abs() < 1e-12,
                _ => false,
            }
    };
    is_timeless(flat, element) && element.equations.iter().all(|&k| holds(k))
}

/// Linear relations of the port variables (across 1…p, through 1…p) at the frequencies σ·[`S`], in scaled
/// variables: value = scale · scaled value.
pub struct Relations {
    pub at: Vec<Matrix>,
    /// Scale of the across and of the through variable of each port; velocities for mechanical ports.
    pub across: Vec<f64>,
    pub through: Vec<f64>,
    pub sigma: f64,
}

/// Coefficients of variables and of their derivatives in the equations of an element.
pub struct Linearised {
    /// Left less right side of each equation with everything at zero.
    pub constants: Vec<f64>,
    pub values: Vec<Vec<f64>>,
    rates: Vec<Vec<f64>>,
    pub internal: usize,
}

pub fn relations(flat: &FlatModel, element: &Element, at: &Operating) -> Option<Relations> {
    let lin = linearise(flat, element, at)?;
    let p = element.ports.len();
    let n = lin.internal;
    // Scales of like ports are one, so that differences and sums stay what they are.
    let mut groups: Vec<usize> = (0..n).collect();
    let mut known: Vec<Domain> = Vec::new();
    for port in &element.ports {
        let k = known.iter().position(|d| *d == port.domain);
        let k = k.unwrap_or_else(|| {
            known.push(port.domain);
            known.len() - 1
        });
        groups.push(n + 2 * k);
    }
    for k in 0..p {
        groups.push(groups[n + k] + 1);
    }
    let (rows, columns, sigma) = scales(&lin, &groups);
    let mut out = Relations {
        at: Vec::new(),
        across: columns[n..n + p].to_vec(),
        through: columns[n + p..].to_vec(),
        sigma,
    };
    for s in S {
        let mut m = Matrix {
            rows: (0..rows.len())
                .map(|r| {
                    (0..columns.len())
                        .map(|c| {
                            let (a, b) = (lin.values[r][c], lin.rates[r][c]);
                            (a + b * s * sigma) * rows[r] * columns[c]
                        })
                        .collect()
                })
                .collect(),
        };
        m.eliminate(n);
        // Mechanical potentials are positions: velocity is s times them.
        let mut kept: Vec<Vec<f64>> = m.rows.into_iter().map(|r| r[n..].to_vec()).collect();
        for r in &mut kept {
            for (k, port) in element.ports.iter().enumerate() {
                if port.domain.common_is_flow() {
                    r[k] /= s;
                }
            }
        }
        let mut m = Matrix { rows: kept };
        m.reduce();
        out.at.push(m);
    }
    for (k, port) in element.ports.iter().enumerate() {
        if port.domain.common_is_flow() {
            out.across[k] *= sigma;
        }
    }
    Some(out)
}

/// Factors of rows, columns and of the frequency that bring all coefficients near one; columns of one
/// group share a factor.
fn scales(lin: &Linearised, groups: &[usize]) -> (Vec<f64>, Vec<f64>, f64) {
    let mut rows = vec![0.0f64; lin.values.len()];
    let mut columns = vec![0.0f64; groups.iter().max().map_or(0, |g| g + 1)];
    let mut sigma = 0.0f64;
    // (row, group, is a derivative, logarithm of the coefficient)
    let mut entries: Vec<(usize, usize, bool, f64)> = Vec::new();
    for (r, (values, rates)) in lin.values.iter().zip(&lin.rates).enumerate() {
        for (c, (&a, &b)) in values.iter().zip(rates).enumerate() {
            for (der, v) in [(false, a), (true, b)] {
                if v != 0.0 {
                    entries.push((r, groups[c], der, v.abs().log2()));
                }
            }
        }
    }
    let mean = |n: usize, key: &dyn Fn(usize) -> Option<usize>, rest: &dyn Fn(usize) -> f64| {
        let (mut sum, mut count) = (vec![0.0; n], vec![0.0; n]);
        for k in 0..entries.len() {
            if let Some(at) = key(k) {
                sum[at] += rest(k);
                count[at] += 1.0;
            }
        }
        (0..n)
            .map(|k| {
                if count[k] > 0.0 {
                    -sum[k] / count[k]
                } else {
                    0.0
                }
            })
            .collect::<Vec<f64>>()
    };
    for _ in 0..12 {
        let rate = |k: usize| if entries[k].2 { sigma } else { 0.0 };
        rows = mean(rows.len(), &|k| Some(entries[k].0), &|k| {
            entries[k].3 + columns[entries[k].1] + rate(k)
        });
        columns = mean(columns.len(), &|k| Some(entries[k].1), &|k| {
            entries[k].3 + rows[entries[k].0] + rate(k)
        });
        sigma = mean(1, &|k| entries[k].2.then_some(0), &|k| {
            entries[k].3 + rows[entries[k].0] + columns[entries[k].1]
        })[0];
    }
    let power = |x: f64| x.round().clamp(-300.0, 300.0).exp2();
    (
        rows.into_iter().map(power).collect(),
        groups.iter().map(|&g| power(columns[g])).collect(),
        power(sigma),
    )
}

pub fn linearise(flat: &FlatModel, element: &Element, at: &Operating) -> Option<Linearised> {
    let ports: Vec<VarId> = element
        .ports
        .iter()
        .map(|x| x.potential)
        .chain(element.ports.iter().map(|x| x.flow))
        .collect();
    let known: Vec<VarId> = inputs(flat, element).collect();
    let internal: Vec<VarId> = variables(flat, &element.equations)
        .into_iter()
        .filter(|v| !ports.contains(v) && !known.contains(v) && !flat.vars[*v].ty.is_discrete())
        .collect();
    let columns: Vec<VarId> = internal.iter().chain(&ports).copied().collect();
    let derivatives: FxHashMap<VarId, f64> = columns.iter().map(|&v| (v, at.rate)).collect();
    let mut out = Linearised {
        constants: Vec::new(),
        values: Vec::new(),
        rates: Vec::new(),
        internal: internal.len(),
    };
    for &k in &element.equations {
        let e = &flat.equations[k];
        if is_discrete(flat, k) {
            continue;
        }
        let mut used = rustc_hash::FxHashSet::default();
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let Expr::Var(v) | Expr::Der(v) = flat.exprs.get(id) {
                used.insert(v);
            }
        });
        let mut row = [vec![0.0; columns.len()], vec![0.0; columns.len()]];
        for (c, &v) in columns.iter().enumerate() {
            if !used.contains(&v) {
                continue;
            }
            for der in [false, true] {
                let point = Point {
                    time: at.time,
                    values: &at.values,
                    derivatives: &derivatives,
                    moving: if der {
                        Moving::Rate(v)
                    } else {
                        Moving::Value(v)
                    },
                };
                let (x, y) = (
                    evaluate(&flat.exprs, e.lhs, &point)?,
                    evaluate(&flat.exprs, e.rhs, &point)?,
                );
                row[usize::from(der)][c] = x.slope - y.slope;
            }
        }
        if row.iter().flatten().any(|v| !v.is_finite()) {
            return None;
        }
        // Of a linear equation: its value at the operating point less what the variables contribute.
        let point = Point {
            time: at.time,
            values: &at.values,
            derivatives: &derivatives,
            moving: Moving::Nothing,
        };
        let mut constant = evaluate(&flat.exprs, e.lhs, &point)?.value
            - evaluate(&flat.exprs, e.rhs, &point)?.value;
        for (c, v) in columns.iter().enumerate() {
            constant -= row[0][c] * at.values.get(v).copied().unwrap_or(0.0);
            constant -= row[1][c] * at.rate;
        }
        out.constants.push(constant);
        let [values, rates] = row;
        out.values.push(values);
        out.rates.push(rates);
    }
    Some(out)
}

//! Elements recognised by their constitutive equations.
//!
//! The equations of a component are linearised at an operating point. With derivatives written as
//! multiplications by s and internal variables eliminated, what remains is a linear relation between
//! the port variables for each s. Its form over several s says what the element is: an impedance
//! that is constant is R, one that grows with s is I, one that falls with s is C; a relation that
//! fixes the effort alone is Se, the flow alone Sf; two ports whose efforts are proportional are TF,
//! crosswise proportional GY. Names play no part.

use ferrica_ir::VarId;
use ferrica_ir::flat::{FlatModel, Variability};
use rustc_hash::FxHashMap;

use crate::dual::{Point, evaluate};
use crate::extract::{Element, variables};
use crate::graph::{Domain, Kind};

/// Frequencies at which the relations are compared. The last one checks the fit.
const S: [f64; 4] = [0.7, 1.9, 3.3, 5.1];
const TOLERANCE: f64 = 1e-7;

/// A one-port law between effort e and flow f.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    pub kind: Kind,
    pub value: Option<f64>,
}

/// A side of a two-port: a port against another one, or against the reference.
pub type Side = (usize, Option<usize>);

/// What a component is.
#[derive(Clone, Debug, PartialEq)]
pub enum Recognised {
    /// Between two nodes, or (one port) between a node and the reference. Several laws together
    /// share the flow (`series`) or the effort.
    OnePort {
        laws: Vec<Law>,
        series: bool,
    },
    /// The nodes are one; each law acts between the node and the reference.
    Rigid {
        laws: Vec<Law>,
        series: bool,
    },
    /// Holds a node at the reference value: a ground.
    Ground,
    /// Two port pairs (or two ports against the reference).
    TwoPort {
        kind: Kind,
        ratio: f64,
        sides: [Side; 2],
    },
    /// Common flow through all ports.
    OneJunction {
        signs: Vec<f64>,
    },
    Multiport,
}

pub struct Recognition {
    pub what: Recognised,
    pub modulated: bool,
    pub nonlinear: bool,
}

/// Values of all parameters and a generic operating point of everything else.
pub struct Operating {
    pub values: FxHashMap<VarId, f64>,
    pub time: f64,
}

impl Operating {
    /// `shift` selects one of several generic points.
    pub fn new(flat: &FlatModel, shift: f64) -> Operating {
        let mut at = Operating {
            values: FxHashMap::default(),
            time: 0.0,
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
                    moving: None,
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
}

impl Operating {
    /// Internal variables that the element's equations define explicitly get the values they say, so that products
    /// with them have the right coefficients.
    fn settled(mut self, flat: &FlatModel, element: &Element) -> Operating {
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
                    moving: None,
                };
                if !ports.contains(&v)
                    && let Some(d) = evaluate(&flat.exprs, e.rhs, &point)
                    && d.value.is_finite()
                {
                    self.values.insert(v, d.value);
                }
            }
        }
        self
    }
}

pub fn recognise(flat: &FlatModel, element: &Element) -> Recognition {
    let base = Operating::new(flat, 0.0).settled(flat, element);
    let moved = Operating::new(flat, 0.23).settled(flat, element);
    let first = classify(flat, element, &base);
    let second = classify(flat, element, &moved);
    let nonlinear = !same(&first, &second);
    let what = match (&first, nonlinear) {
        (Some(w), _) => w.clone(),
        (None, _) => Recognised::Multiport,
    };
    let modulated = inputs(flat, element).next().is_some();
    let what = if nonlinear {
        without_values(what)
    } else {
        what
    };
    Recognition {
        what,
        modulated,
        nonlinear,
    }
}

fn without_values(w: Recognised) -> Recognised {
    let clear = |laws: Vec<Law>| laws.into_iter().map(|l| Law { value: None, ..l }).collect();
    match w {
        Recognised::OnePort { laws, series } => Recognised::OnePort {
            laws: clear(laws),
            series,
        },
        Recognised::Rigid { laws, series } => Recognised::Rigid {
            laws: clear(laws),
            series,
        },
        w => w,
    }
}

fn same(a: &Option<Recognised>, b: &Option<Recognised>) -> bool {
    let close = |x: &Law, y: &Law| {
        x.kind == y.kind
            && match (x.value, y.value) {
                (Some(p), Some(q)) => (p - q).abs() <= 1e-6 * p.abs().max(q.abs()).max(1e-12),
                (p, q) => p == q,
            }
    };
    let lists =
        |x: &[Law], y: &[Law]| x.len() == y.len() && x.iter().zip(y).all(|(p, q)| close(p, q));
    match (a, b) {
        (Some(Recognised::OnePort { laws: x, .. }), Some(Recognised::OnePort { laws: y, .. }))
        | (Some(Recognised::Rigid { laws: x, .. }), Some(Recognised::Rigid { laws: y, .. })) => {
            lists(x, y)
        }
        (
            Some(Recognised::TwoPort {
                kind: k, ratio: r, ..
            }),
            Some(Recognised::TwoPort {
                kind: l, ratio: q, ..
            }),
        ) => k == l && (r - q).abs() <= 1e-6 * r.abs(),
        (x, y) => x.is_some() == y.is_some(),
    }
}

/// Signals from outside: variables in the equations that the equations do not determine.
fn inputs<'f>(flat: &'f FlatModel, element: &'f Element) -> impl Iterator<Item = VarId> + 'f {
    let path = &flat.components[element.component as usize].path;
    let prefix = format!("{path}.");
    let ports: Vec<VarId> = element
        .ports
        .iter()
        .flat_map(|p| [p.potential, p.flow])
        .collect();
    let all = variables(flat, &element.equations);
    let spare = all
        .len()
        .saturating_sub(element.equations.len() + element.ports.len());
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

fn classify(flat: &FlatModel, element: &Element, at: &Operating) -> Option<Recognised> {
    let relations: Option<Vec<Matrix>> =
        S.iter().map(|&s| relation(flat, element, at, s)).collect();
    let relations = relations?;
    let p = element.ports.len();
    let domain = element.ports.first()?.domain;
    let rank = relations[0].rows.len();
    if relations.iter().any(|r| r.rows.len() != rank) {
        return None;
    }
    // Port variables: across 0..p, through p..2p.
    if p == 1 {
        if rank != 1 {
            return None;
        }
        let pairs: Vec<(f64, f64)> = relations
            .iter()
            .map(|r| (r.rows[0][0], r.rows[0][1]))
            .collect();
        if pairs.iter().all(|(_, b)| b.abs() < TOLERANCE) && holds_zero(flat, element, at) {
            return Some(Recognised::Ground);
        }
        let (laws, series) = laws(&pairs, domain)?;
        return Some(Recognised::OnePort { laws, series });
    }
    if rank != p {
        return None;
    }
    let balanced = |x: usize, y: usize| {
        let mut row = vec![0.0; 2 * p];
        row[p + x] = 1.0;
        row[p + y] = 1.0;
        relations.iter().all(|r| r.contains(&row))
    };
    if p == 2 && balanced(0, 1) {
        // a (V1 - V2) + b F1 = 0
        let directions = [vec![1.0, -1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0, 0.0]];
        let pairs: Option<Vec<(f64, f64)>> = relations
            .iter()
            .map(|r| r.combination(&directions).map(|c| (c[0], c[1])))
            .collect();
        let pairs = pairs?;
        let fixes_across = pairs.iter().all(|(_, b)| b.abs() < TOLERANCE);
        if fixes_across && is_wire(flat, element, at) {
            return Some(Recognised::Rigid {
                laws: Vec::new(),
                series: false,
            });
        }
        let (laws, series) = laws(&pairs, domain)?;
        return Some(Recognised::OnePort { laws, series });
    }
    // Rigid: all potentials equal, and one law for the sum of the flows.
    let equal = (1..p).all(|k| {
        let mut row = vec![0.0; 2 * p];
        row[0] = 1.0;
        row[k] = -1.0;
        relations.iter().all(|r| r.contains(&row))
    });
    if equal {
        let pairs: Option<Vec<(f64, f64)>> = relations.iter().map(|r| r.sum_law(p)).collect();
        let pairs = pairs?;
        if pairs.iter().all(|(a, _)| a.abs() < TOLERANCE) {
            return Some(Recognised::Rigid {
                laws: Vec::new(),
                series: false,
            });
        }
        let (laws, series) = laws(&pairs, domain)?;
        return Some(Recognised::Rigid { laws, series });
    }
    // Two sides, each a port against the reference or a pair of ports whose flows balance.
    let sides: Vec<[Side; 2]> = match p {
        2 => vec![[(0, None), (1, None)]],
        3 => vec![
            [(0, Some(1)), (2, None)],
            [(0, None), (1, Some(2))],
            [(0, Some(2)), (1, None)],
        ],
        4 => vec![
            [(0, Some(1)), (2, Some(3))],
            [(0, Some(2)), (1, Some(3))],
            [(0, Some(3)), (1, Some(2))],
        ],
        _ => Vec::new(),
    };
    for [a, b] in sides {
        let fits = [a, b]
            .iter()
            .all(|(x, y)| y.is_none_or(|y| balanced(*x, y)));
        if fits && let Some(found) = two_port(&relations, [a, b], element) {
            return Some(found);
        }
    }
    one_junction(&relations, p)
}

/// All flows equal (up to sign), and a signed sum of potentials is zero.
fn one_junction(relations: &[Matrix], p: usize) -> Option<Recognised> {
    let mut signs = vec![1.0; p];
    for (k, sign) in signs.iter_mut().enumerate().skip(1) {
        let with = |s: f64| {
            let mut row = vec![0.0; 2 * p];
            row[p] = 1.0;
            row[p + k] = -s;
            relations.iter().all(|r| r.contains(&row))
        };
        *sign = if with(1.0) {
            1.0
        } else if with(-1.0) {
            -1.0
        } else {
            return None;
        };
    }
    let mut row = vec![0.0; 2 * p];
    row[..p].copy_from_slice(&signs);
    relations
        .iter()
        .all(|r| r.contains(&row))
        .then_some(Recognised::OneJunction { signs })
}

fn two_port(relations: &[Matrix], sides: [Side; 2], element: &Element) -> Option<Recognised> {
    let p = element.ports.len();
    let across = |(x, y): Side| {
        let mut row = vec![0.0; 2 * p];
        row[x] = 1.0;
        if let Some(y) = y {
            row[y] = -1.0;
        }
        row
    };
    let through = |(x, _): Side| {
        let mut row = vec![0.0; 2 * p];
        row[p + x] = 1.0;
        row
    };
    let basis = [
        across(sides[0]),
        across(sides[1]),
        through(sides[0]),
        through(sides[1]),
    ];
    let mut found: Option<(Kind, f64)> = None;
    for r in relations {
        // Relations restricted to (v1, v2, i1, i2).
        let rows = r.restricted(&basis)?;
        if rows.len() != 2 {
            return None;
        }
        let small = Matrix { rows };
        let ratio = small.proportion(0, 1);
        let back = small.proportion(3, 2);
        let cross = small.proportion(0, 3);
        let cross_back = small.proportion(1, 2);
        let now = match (ratio, back, cross, cross_back) {
            (Some(a), Some(b), _, _) if (a + b).abs() < 1e-6 * a.abs().max(1.0) => (Kind::Tf, a),
            (_, _, Some(a), Some(b)) if (a.abs() - b.abs()).abs() < 1e-6 * a.abs().max(1.0) => {
                (Kind::Gy, a)
            }
            _ => return None,
        };
        match found {
            None => found = Some(now),
            Some(old) if old.0 == now.0 && (old.1 - now.1).abs() < 1e-6 * old.1.abs().max(1.0) => {}
            Some(_) => return None,
        }
    }
    let (mut kind, ratio) = found?;
    // Where one side's common variable is a flow and the other's an effort, the roles cross over.
    let common_is_flow = |s: Side| element.ports[s.0].domain.common_is_flow();
    if common_is_flow(sides[0]) != common_is_flow(sides[1]) {
        kind = if kind == Kind::Tf { Kind::Gy } else { Kind::Tf };
    }
    Some(Recognised::TwoPort { kind, ratio, sides })
}

/// The laws behind a·across + b·through = 0 at the frequencies [`S`], and whether they share the
/// flow.
fn laws(pairs: &[(f64, f64)], domain: Domain) -> Option<(Vec<Law>, bool)> {
    let zero_a = pairs.iter().all(|(a, _)| a.abs() < TOLERANCE);
    let zero_b = pairs.iter().all(|(_, b)| b.abs() < TOLERANCE);
    let flip = domain.common_is_flow();
    if zero_a || zero_b {
        // Only the through variable occurs: it is given. Only the across variable: that one is.
        let fixes_effort = zero_b != flip;
        let kind = if fixes_effort { Kind::Se } else { Kind::Sf };
        return Some((vec![Law { kind, value: None }], true));
    }
    // effort / flow.
    let z: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| if flip { -a / b } else { -b / a })
        .collect();
    if let Some(l) = fit(&z) {
        return Some((l, true));
    }
    let y: Vec<f64> = z.iter().map(|v| 1.0 / v).collect();
    fit(&y).map(|l| {
        let dual = l
            .into_iter()
            .map(|l| match l.kind {
                Kind::R => Law {
                    kind: Kind::R,
                    value: l.value.map(|v| 1.0 / v),
                },
                Kind::I => Law {
                    kind: Kind::C,
                    value: l.value,
                },
                _ => Law {
                    kind: Kind::I,
                    value: l.value,
                },
            })
            .collect();
        (dual, false)
    })
}

/// z(s) = r + l·s + 1/(c·s), checked at the last frequency.
fn fit(z: &[f64]) -> Option<Vec<Law>> {
    let mut m = Matrix {
        rows: (0..3).map(|k| vec![1.0, S[k], 1.0 / S[k], z[k]]).collect(),
    };
    m.reduce();
    let [r, l, c] = [m.rows.first()?[3], m.rows.get(1)?[3], m.rows.get(2)?[3]];
    let last = S[3];
    let scale = z.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    if (r + l * last + c / last - z[3]).abs() > 1e-6 * scale {
        return None;
    }
    let mut out = Vec::new();
    if r.abs() > 1e-7 * scale {
        out.push(Law {
            kind: Kind::R,
            value: Some(r),
        });
    }
    if l.abs() * last > 1e-7 * scale {
        out.push(Law {
            kind: Kind::I,
            value: Some(l),
        });
    }
    if c.abs() / S[0] > 1e-7 * scale {
        out.push(Law {
            kind: Kind::C,
            value: Some(1.0 / c),
        });
    }
    Some(out)
}

/// Does an element that fixes the difference of its two potentials fix it at zero, at all times?
fn is_wire(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    let driven = !inputs(flat, element).collect::<Vec<_>>().is_empty();
    !driven
        && [0.0, 0.37, 1.41]
            .iter()
            .all(|&t| source_value(flat, element, at, t).is_some_and(|v| v.abs() < 1e-12))
}

/// Across value of a two-terminal source at a time, with no flow through it.
fn source_value(flat: &FlatModel, element: &Element, at: &Operating, time: f64) -> Option<f64> {
    let (a, b) = (&element.ports[0], &element.ports[1]);
    let ports = [a.potential, b.potential, a.flow, b.flow];
    let mut unknowns: Vec<VarId> = variables(flat, &element.equations)
        .into_iter()
        .filter(|v| !ports.contains(v) && !flat.vars[*v].ty.is_discrete())
        .collect();
    unknowns.push(a.potential);
    let mut values = at.values.clone();
    for v in ports {
        values.insert(v, 0.0);
    }
    let none = FxHashMap::default();
    for _ in 0..3 {
        let mut rows = Vec::new();
        for &k in &element.equations {
            let e = &flat.equations[k];
            if flat.exprs.ty(e.lhs).is_discrete() {
                continue;
            }
            let mut row = Vec::with_capacity(unknowns.len() + 1);
            let mut residual = 0.0;
            for &v in &unknowns {
                let point = Point {
                    time,
                    values: &values,
                    derivatives: &none,
                    moving: Some((v, false)),
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
fn holds_zero(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    let p = &element.ports[0];
    [0.0, 0.37, 1.41].iter().all(|&t| {
        let mut values = at.values.clone();
        values.insert(p.potential, 0.0);
        let none = FxHashMap::default();
        element.equations.iter().all(|&k| {
            let e = &flat.equations[k];
            let mut uses = false;
            flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
                uses |= flat.exprs.get(id) == ferrica_ir::Expr::Var(p.potential);
            });
            if !uses {
                return true;
            }
            let point = Point {
                time: t,
                values: &values,
                derivatives: &none,
                moving: None,
            };
            match (
                evaluate(&flat.exprs, e.lhs, &point),
                evaluate(&flat.exprs, e.rhs, &point),
            ) {
                (Some(x), Some(y)) => (x.value - y.value).abs() < 1e-12,
                _ => false,
            }
        })
    })
}

/// Linear relation of the port variables (across 1…p, through 1…p) at frequency s.
fn relation(flat: &FlatModel, element: &Element, at: &Operating, s: f64) -> Option<Matrix> {
    let p = element.ports.len();
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
    let derivatives: FxHashMap<VarId, f64> = columns.iter().map(|&v| (v, 0.41)).collect();
    let mut rows = Vec::new();
    for &k in &element.equations {
        let e = &flat.equations[k];
        if flat.exprs.ty(e.lhs).is_discrete() && flat.exprs.ty(e.lhs) != ferrica_ir::Ty::Integer {
            continue;
        }
        let mut used = rustc_hash::FxHashSet::default();
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let ferrica_ir::Expr::Var(v) | ferrica_ir::Expr::Der(v) = flat.exprs.get(id) {
                used.insert(v);
            }
        });
        let mut row = vec![0.0; columns.len()];
        for (c, &v) in columns.iter().enumerate() {
            if !used.contains(&v) {
                continue;
            }
            for der in [false, true] {
                let point = Point {
                    time: at.time,
                    values: &at.values,
                    derivatives: &derivatives,
                    moving: Some((v, der)),
                };
                let (x, y) = (
                    evaluate(&flat.exprs, e.lhs, &point)?,
                    evaluate(&flat.exprs, e.rhs, &point)?,
                );
                row[c] += (x.slope - y.slope) * if der { s } else { 1.0 };
            }
        }
        if row.iter().any(|v| !v.is_finite()) {
            return None;
        }
        rows.push(row);
    }
    let mut m = Matrix { rows };
    m.eliminate(internal.len());
    // Mechanical potentials are positions: velocity is s times them.
    let n = internal.len();
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
    debug_assert!(m.rows.iter().all(|r| r.len() == 2 * p));
    Some(m)
}

/// A list of linear relations.
#[derive(Clone, Debug)]
struct Matrix {
    rows: Vec<Vec<f64>>,
}

impl Matrix {
    /// Eliminates the first `n` columns and drops the rows used for it.
    fn eliminate(&mut self, n: usize) {
        for c in 0..n {
            let Some(p) = self.pivot(c, 0) else { continue };
            let row = self.rows.swap_remove(p);
            for r in &mut self.rows {
                let factor = r[c] / row[c];
                if factor != 0.0 {
                    for (x, y) in r.iter_mut().zip(&row) {
                        *x -= factor * y;
                    }
                    r[c] = 0.0;
                }
            }
        }
        self.rows.retain(|r| r.iter().any(|v| v.abs() > 1e-12));
    }

    fn pivot(&self, c: usize, from: usize) -> Option<usize> {
        (from..self.rows.len())
            .filter(|&r| {
                let scale = self.rows[r].iter().fold(0.0f64, |a, v| a.max(v.abs()));
                self.rows[r][c].abs() > 1e-11 * scale && self.rows[r][c] != 0.0
            })
            .max_by(|&a, &b| {
                let relative = |r: usize| {
                    let scale = self.rows[r].iter().fold(0.0f64, |a, v| a.max(v.abs()));
                    self.rows[r][c].abs() / scale
                };
                relative(a).total_cmp(&relative(b))
            })
    }

    /// Reduced row echelon form.
    fn reduce(&mut self) {
        let Some(width) = self.rows.first().map(Vec::len) else {
            return;
        };
        let mut done = 0;
        for c in 0..width {
            let Some(p) = self.pivot(c, done) else {
                continue;
            };
            self.rows.swap(done, p);
            let lead = self.rows[done][c];
            self.rows[done].iter_mut().for_each(|v| *v /= lead);
            let row = self.rows[done].clone();
            for (k, r) in self.rows.iter_mut().enumerate() {
                if k != done {
                    let factor = r[c];
                    if factor != 0.0 {
                        r.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
                        r[c] = 0.0;
                    }
                }
            }
            done += 1;
        }
        self.rows.truncate(done);
        for r in &mut self.rows {
            let scale = r.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            r.iter_mut().for_each(|v| {
                if v.abs() < 1e-12 * scale {
                    *v = 0.0;
                }
            });
        }
    }

    /// Is a relation implied by these?
    fn contains(&self, relation: &[f64]) -> bool {
        let before = self.rows.len();
        let mut m = self.clone();
        m.rows.push(relation.to_vec());
        m.reduce();
        // Rounding leaves tiny rows: compare by the residue after projection.
        if m.rows.len() == before {
            return true;
        }
        let mut rest = relation.to_vec();
        for r in &self.rows {
            let Some(lead) = r.iter().position(|&v| v != 0.0) else {
                continue;
            };
            let factor = rest[lead] / r[lead];
            rest.iter_mut().zip(r).for_each(|(x, y)| *x -= factor * y);
        }
        rest.iter().all(|v| v.abs() < TOLERANCE)
    }

    /// Coefficients with which the given directions occur in a relation among them alone.
    fn combination(&self, directions: &[Vec<f64>; 2]) -> Option<[f64; 2]> {
        let rows = self.restricted(directions)?;
        match rows.as_slice() {
            [one] => Some([one[0], one[1]]),
            _ => None,
        }
    }

    /// Relations among given linear forms of the port variables.
    fn restricted(&self, forms: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
        // c is a relation of the forms iff sum c_k form_k lies in the row space: solve by putting the
        // forms beside an identity and reducing against the rows.
        let width = self.rows.first()?.len();
        let mut m = Matrix { rows: Vec::new() };
        for r in &self.rows {
            let mut row = r.clone();
            row.extend(std::iter::repeat_n(0.0, forms.len()));
            m.rows.push(row);
        }
        for (k, f) in forms.iter().enumerate() {
            let mut row = f.clone();
            row.extend((0..forms.len()).map(|j| f64::from(u8::from(j == k))));
            // Reduce against the relations.
            for r in &self.rows {
                let Some(lead) = r.iter().position(|&v| v != 0.0) else {
                    continue;
                };
                let factor = row[lead] / r[lead];
                for (x, y) in row.iter_mut().zip(r) {
                    *x -= factor * y;
                }
            }
            m.rows.push(row);
        }
        let mut left = Matrix {
            rows: m.rows.split_off(self.rows.len()),
        };
        for c in 0..width {
            let best = (0..left.rows.len())
                .filter(|&r| left.rows[r][c].abs() > TOLERANCE)
                .max_by(|&a, &b| left.rows[a][c].abs().total_cmp(&left.rows[b][c].abs()));
            let Some(p) = best else { continue };
            let row = left.rows.swap_remove(p);
            for r in &mut left.rows {
                let factor = r[c] / row[c];
                r.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let mut out = Matrix {
            rows: left.rows.into_iter().map(|r| r[width..].to_vec()).collect(),
        };
        out.reduce();
        Some(out.rows)
    }

    /// a·V1 + b·(F1 + … + Fp) = 0, where all potentials are equal.
    fn sum_law(&self, p: usize) -> Option<(f64, f64)> {
        let mut v = vec![0.0; 2 * p];
        v[0] = 1.0;
        let mut f = vec![0.0; 2 * p];
        f[p..].iter_mut().for_each(|x| *x = 1.0);
        self.combination(&[v, f]).map(|c| (c[0], c[1]))
    }

    /// k with x_a = k·x_b, if such a relation holds.
    fn proportion(&self, a: usize, b: usize) -> Option<f64> {
        let n = self.rows.first()?.len();
        let unit = |k: usize| {
            let mut r = vec![0.0; n];
            r[k] = 1.0;
            r
        };
        let c = self.combination(&[unit(a), unit(b)])?;
        (c[0].abs() > TOLERANCE && c[1].abs() > TOLERANCE).then(|| -c[1] / c[0])
    }
}

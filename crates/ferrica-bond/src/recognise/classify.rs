//! From linear relations of the port variables to the element they make.

use ferrica_ir::flat::{ConnectorRole, FlatModel};

use super::laws::laws;
use super::operating::{Operating, inputs};
use super::relation::{Relations, holds_zero, is_timeless, linearise, relations, source_value};
use super::{Controlled, Recognised, Side};
use crate::extract::Element;
use crate::graph::{Domain, Kind};
use crate::linear::{Matrix, TOLERANCE};

pub fn classify(flat: &FlatModel, element: &Element, at: &Operating) -> Option<Recognised> {
    let all = relations(flat, element, at)?;
    let relations = &all.at;
    let p = element.ports.len();
    let domain = element.ports.first()?.domain;
    let unit = all.across.first()? / all.through.first()?;
    let one_port_laws = |pairs: &[(f64, f64)]| laws(pairs, domain, unit, all.sigma);
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
        let (laws, series) = one_port_laws(&pairs)?;
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
        let (laws, series) = one_port_laws(&pairs)?;
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
        let (laws, series) = one_port_laws(&pairs)?;
        return Some(Recognised::Rigid { laws, series });
    }
    let one_domain = element.ports.iter().all(|q| q.domain == domain);
    if (p > 2 || domain == Domain::Bond)
        && one_domain
        && let Some(found) = junction(relations, p)
    {
        return Some(found);
    }
    // Two sides, each a port against the reference or a pair of ports whose flows balance.
    let sides: Vec<[Side; 2]> = match p {
        2 => vec![[(0, None), (1, None)]],
        // A bond has its reference in itself.
        _ if domain == Domain::Bond => Vec::new(),
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
    // Two sides with one return, as a gear with its housing.
    if p == 3 && domain != Domain::Bond {
        let mut all_flows = vec![0.0; 6];
        all_flows[3..].iter_mut().for_each(|x| *x = 1.0);
        if one_domain && relations.iter().all(|r| r.contains(&all_flows)) {
            for back in [2, 1, 0] {
                let (x, y) = ((back + 1) % 3, (back + 2) % 3);
                let (x, y) = (x.min(y), x.max(y));
                let pair = [(x, Some(back)), (y, Some(back))];
                if let Some(found) = two_port(&all, pair, element) {
                    return Some(found);
                }
            }
            let backs = if is_homogeneous(flat, element, at) {
                [2, 1, 0].as_slice()
            } else {
                &[]
            };
            for &back in backs {
                let (x, y) = ((back + 1) % 3, (back + 2) % 3);
                let (x, y) = (x.min(y), x.max(y));
                let pair = [(x, Some(back)), (y, Some(back))];
                if let Some(found) = controlled(&all, pair, element) {
                    return Some(found);
                }
            }
        }
    }
    for &[a, b] in &sides {
        let fits = [a, b]
            .iter()
            .all(|(x, y)| y.is_none_or(|y| balanced(*x, y)));
        if fits && let Some(found) = two_port(&all, [a, b], element) {
            return Some(found);
        }
    }
    if let Some(found) = junction(relations, p) {
        return Some(found);
    }
    let fitting = sides.into_iter().filter(|sides| {
        let mut pairs = sides.iter();
        pairs.all(|(x, y)| y.is_none_or(|y| balanced(*x, y)))
    });
    let linear = domain != Domain::Bond && is_homogeneous(flat, element, at);
    fitting
        .filter(|_| linear)
        .find_map(|sides| controlled(&all, sides, element))
}

/// All through variables equal (up to sign), and a signed sum of potentials is zero.
fn junction(relations: &[Matrix], p: usize) -> Option<Recognised> {
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
        .then_some(Recognised::Junction { signs })
}

/// The relations between across variables and through variables of two sides, at each frequency.
fn between(all: &Relations, sides: [Side; 2], element: &Element) -> Option<Vec<Matrix>> {
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
    let restricted = all.at.iter().map(|r| r.restricted(&basis));
    let found: Option<Vec<Matrix>> = restricted
        .map(|rows| rows.map(|rows| Matrix { rows }))
        .collect();
    found.filter(|list| list.iter().all(|m| m.rows.len() == 2))
}

/// Two sides that each give what follows from the other one or nothing, whatever they are given: no more power comes out than goes in is not said.
fn controlled(all: &Relations, sides: [Side; 2], element: &Element) -> Option<Recognised> {
    let found = between(all, sides, element)?;
    let port = |s: usize| sides[s].0;
    let flips = |s: usize| element.ports[port(s)].domain.common_is_flow();
    // Columns across, across, through, through; what a side gives is the one, what it is given the other.
    let scale = |c: usize| match c {
        0 | 1 => all.across[port(c)],
        _ => -all.through[port(c - 2)],
    };
    for gives in [[2, 3], [2, 1], [0, 3], [0, 1]] {
        let given = gives.map(|c| (c + 2) % 4);
        // gives = w · given, at every frequency.
        let mut weights: Option<[[f64; 2]; 2]> = None;
        let fits = found.iter().all(|m| {
            let at = |r: usize, c: usize| m.rows[r][c];
            let [a, b] = gives;
            let det = at(0, a) * at(1, b) - at(0, b) * at(1, a);
            if det.abs() < TOLERANCE {
                return false;
            }
            let column = |c: usize| {
                let (x, y) = (-at(0, c), -at(1, c));
                [
                    (x * at(1, b) - y * at(0, b)) / det,
                    (y * at(0, a) - x * at(1, a)) / det,
                ]
            };
            let [c, d] = given.map(column);
            let now = [[c[0], d[0]], [c[1], d[1]]];
            let size = now.iter().flatten().fold(1.0f64, |s, w| s.max(w.abs()));
            let same = |old: [[f64; 2]; 2]| {
                let pairs = old.iter().flatten().zip(now.iter().flatten());
                pairs.into_iter().all(|(x, y)| (x - y).abs() < 1e-6 * size)
            };
            now[0][0].abs() + now[1][1].abs() < TOLERANCE && weights.replace(now).is_none_or(same)
        });
        let Some(w) = weights.filter(|_| fits) else {
            continue;
        };
        if w[0][1].abs() + w[1][0].abs() < TOLERANCE {
            return None;
        }
        let side = |k: usize| {
            let other = 1 - k;
            let weight = w[k][other] * scale(gives[k]) / scale(given[other]);
            let gives_effort = (gives[k] < 2) != flips(k);
            Controlled {
                side: sides[k],
                kind: if gives_effort { Kind::Se } else { Kind::Sf },
                weights: if w[k][other].abs() < TOLERANCE {
                    Vec::new()
                } else {
                    vec![(other, weight)]
                },
            }
        };
        return Some(Recognised::Controlled {
            sides: vec![side(0), side(1)],
        });
    }
    None
}

fn two_port(all: &Relations, sides: [Side; 2], element: &Element) -> Option<Recognised> {
    // Unit of power at the first side over that at the second: no power is lost on the way.
    let of = |s: Side| all.across[s.0] * all.through[s.0];
    let power = of(sides[0]) / of(sides[1]);
    let mut found: Option<(bool, f64)> = None;
    for small in between(all, sides, element)? {
        let ratio = small.proportion(0, 1);
        let back = small.proportion(3, 2);
        let cross = small.proportion(0, 3);
        let cross_back = small.proportion(1, 2);
        let now = match (ratio, back, cross, cross_back) {
            (Some(a), Some(b), _, _) if (a * power + b).abs() < 1e-6 * b.abs() => (true, a),
            (_, _, Some(a), Some(b)) if (a * power + b).abs() < 1e-6 * b.abs() => (false, a),
            _ => return None,
        };
        match found {
            None => found = Some(now),
            Some(old) if old.0 == now.0 && (old.1 - now.1).abs() < 1e-6 * old.1.abs().max(1.0) => {}
            Some(_) => return None,
        }
    }
    let (straight, a) = found?;
    let (first, second) = (sides[0].0, sides[1].0);
    let a = a * all.across[first]
        / if straight {
            all.across[second]
        } else {
            all.through[second]
        };
    // With power into the first side and out of the second, straight means V₀ = a·V₁, F₁ = -a·F₀ and
    // crosswise V₀ = a·F₁, V₁ = -a·F₀, for potentials V and flows F into the component. Where the potential is
    // a flow (mechanics) effort and flow change places.
    let flips = sides.map(|s| element.ports[s.0].domain.common_is_flow());
    let (kind, modulus) = match (straight, flips) {
        (true, [false, false]) => (Kind::Tf, a),
        (true, [true, true]) => (Kind::Tf, 1.0 / a),
        (true, [false, true]) => (Kind::Gy, a),
        (true, [true, false]) => (Kind::Gy, 1.0 / a),
        (false, [false, false]) => (Kind::Gy, -a),
        (false, [true, true]) => (Kind::Gy, -1.0 / a),
        (false, [false, true]) => (Kind::Tf, -a),
        (false, [true, false]) => (Kind::Tf, -1.0 / a),
    };
    Some(Recognised::TwoPort {
        kind,
        modulus,
        sides,
    })
}

/// Does an element that fixes the difference of its two potentials fix it at zero, at all times?
fn is_wire(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    inputs(flat, element).next().is_none()
        && is_timeless(flat, element)
        && source_value(flat, element, at).is_some_and(|v| v.abs() < 1e-12)
}

/// Does a source only measure: is what it fixes zero at all times, and has it a signal to tell?
pub fn detects(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    let ports: Vec<_> = element
        .ports
        .iter()
        .flat_map(|p| [p.potential, p.flow])
        .collect();
    let tells = |v: &ferrica_ir::VarId| {
        flat.vars[*v].role == ConnectorRole::Potential && !ports.contains(v)
    };
    crate::extract::variables(flat, &element.equations)
        .iter()
        .any(tells)
        && is_homogeneous(flat, element, at)
}

/// Do the equations of an element, linear ones, hold with everything at zero, at all times?
fn is_homogeneous(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    if inputs(flat, element).next().is_some() || !is_timeless(flat, element) {
        return false;
    }
    let Some(lin) = linearise(flat, element, at) else {
        return false;
    };
    let rows = lin.values.iter().zip(&lin.constants);
    let mut m = Matrix {
        rows: rows
            .map(|(row, c)| row.iter().copied().chain([*c]).collect())
            .collect(),
    };
    m.eliminate(lin.internal);
    m.reduce();
    let scale = lin.constants.iter().fold(0.0f64, |a, c| a.max(c.abs()));
    let constant = |r: &Vec<f64>| r.last().copied().unwrap_or(0.0);
    m.rows
        .iter()
        .all(|r| constant(r).abs() <= 1e-9 * scale.min(1.0))
}

/// Does the law of a resistor miss the origin, as with a threshold voltage?
pub fn has_offset(flat: &FlatModel, element: &Element, at: &Operating) -> bool {
    let Some(lin) = linearise(flat, element, at) else {
        return false;
    };
    if element.ports.iter().any(|p| p.domain.common_is_flow()) {
        return false;
    }
    let scale = lin.constants.iter().fold(0.0f64, |a, c| a.max(c.abs()));
    let rows = lin
        .values
        .iter()
        .zip(&lin.constants)
        .map(|(row, c)| row.iter().copied().chain([*c]).collect())
        .collect();
    let mut m = Matrix { rows };
    m.eliminate(lin.internal);
    m.reduce();
    let last = |r: &Vec<f64>| r.last().copied().unwrap_or(0.0);
    m.rows.iter().any(|r| last(r).abs() > 1e-9 * scale.min(1.0))
}

/// Do the flows of two ports balance, by the equations that can be evaluated?
pub fn passes_flow(flat: &FlatModel, element: &Element) -> bool {
    let [a, b] = element.ports.as_slice() else {
        return false;
    };
    element.equations.iter().any(|&k| {
        let vars = crate::extract::variables(flat, &[k]);
        vars.len() == 2 && vars.contains(&a.flow) && vars.contains(&b.flow)
    }) || both_from_one(flat, element)
}

/// Flows of both ports are given by one and the same variable.
fn both_from_one(flat: &FlatModel, element: &Element) -> bool {
    let partner = |flow| {
        element.equations.iter().find_map(|&k| {
            let vars = crate::extract::variables(flat, &[k]);
            match vars.as_slice() {
                [x, y] if *x == flow => Some(*y),
                [x, y] if *y == flow => Some(*x),
                _ => None,
            }
        })
    };
    let (x, y) = (
        partner(element.ports[0].flow),
        partner(element.ports[1].flow),
    );
    x.is_some() && x == y
}

//! From efforts and flows of bonds back to the variables of the model.
//!
//! Each element's effort and flow is a difference of potentials or a flow of a port; from these the equations of the
//! model give its other variables one after the other. A variable that an element has for its effort or flow, as `v = p.v - n.v`, is that of its own bond:
//! a difference of potentials far away would be off by the quanta of all elements between them, which is more than a closed switch has. Variables that depend on discrete ones, or that can
//! only be found by solving several equations together, are not part of the result.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Builtin, Expr, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::Board;
use super::ports::{Side, bond_of, complete_rates, is_rigid, nodes_by_element, shares_flow};
use crate::build::Built;
use crate::dual::Moving;
use crate::graph::Kind;
use crate::independence::Quantity;
use crate::recognise::Recognised;
use crate::signals::{SignalId, effort, flow};
use crate::steps::{Difference, Plan, Values, linear, plan, quantities};

/// A number that the board gives.
struct Given {
    terms: Vec<(SignalId, f64)>,
    /// The time integral instead of the value.
    integral: bool,
    offset: f64,
}

pub struct Reconstruction {
    given: Vec<Given>,
    plan: Plan,
    at: Values,
    numbers: Vec<f64>,
}

impl Reconstruction {
    pub fn new(flat: &FlatModel, built: &Built, initial: &Values) -> Reconstruction {
        let mut r = Builder {
            given: Vec::new(),
            differences: Vec::new(),
            initial,
        };
        let parts = nodes_by_element(built);
        for (e, nodes) in parts.iter().enumerate() {
            r.element(flat, built, e, nodes);
        }
        let equations: Vec<usize> = (0..flat.equations.len())
            .filter(|&k| is_continuous(flat, k))
            .collect();
        r.own_variables(flat, &equations);
        let plan = plan(
            flat,
            &equations,
            &r.differences,
            FxHashSet::default(),
            initial,
        );
        Reconstruction {
            numbers: vec![0.0; r.given.len()],
            given: r.given,
            plan,
            at: initial.clone(),
        }
    }

    /// The variables that rows have.
    pub fn variables(&self, flat: &FlatModel) -> Vec<VarId> {
        let mut list: Vec<VarId> = self
            .plan
            .variables()
            .filter(|v| !flat.vars[*v].hidden && flat.vars[*v].ty == Ty::Real)
            .collect();
        list.sort_unstable();
        list
    }

    /// Values of the variables at a time.
    pub fn row(&mut self, flat: &FlatModel, board: &Board, time: f64) -> &Values {
        for (number, g) in self.numbers.iter_mut().zip(&self.given) {
            let read = |s: SignalId| {
                if g.integral {
                    board.integral(s, time)
                } else {
                    board.shown(s, time)
                }
            };
            *number = g.offset + g.terms.iter().map(|&(s, w)| w * read(s)).sum::<f64>();
        }
        self.at.time = time;
        self.plan.run(flat, &self.numbers, &mut self.at);
        &self.at
    }
}

/// Is an equation free of everything discrete?
fn is_continuous(flat: &FlatModel, k: usize) -> bool {
    let e = &flat.equations[k];
    let mut fine = !crate::extract::is_discrete(flat, k);
    flat.exprs
        .postorder(&[e.lhs, e.rhs], |id| match flat.exprs.get(id) {
            Expr::Pre(_) => fine = false,
            Expr::Var(v) => {
                let var = &flat.vars[v];
                fine &= var.variability <= Variability::Parameter
                    || (var.variability == Variability::Continuous && !var.ty.is_discrete());
            }
            Expr::Builtin(
                Builtin::Sample | Builtin::WhenFires | Builtin::Edge | Builtin::Change,
                _,
            ) => {
                fine = false;
            }
            _ => {}
        });
    fine
}

/// A variable and a difference of two.
const MOST_QUANTITIES: usize = 3;

/// The variable that an equation makes the same as a difference but for a factor, and this factor.
fn own_variable(
    flat: &FlatModel,
    equation: usize,
    d: &Difference,
    at: &mut Values,
) -> Option<(Moving, f64)> {
    let both = [Some(d.a), d.b];
    let list = quantities(flat, equation);
    let mut others = list.iter().filter(|q| !both.contains(&Some(**q)));
    let (Some(&v @ Moving::Value(id)), None) = (others.next(), others.next()) else {
        return None;
    };
    if list.len() != 1 + both.iter().flatten().count() || flat.vars[id].ty != Ty::Real {
        return None;
    }
    let (slopes, rest) = linear(flat, equation, &list, at)?;
    let slope = |q: Moving| list.iter().position(|m| *m == q).map(|k| slopes[k]);
    let (own, a) = (slope(v)?, slope(d.a)?);
    let opposite = d.b.is_none_or(|b| slope(b) == Some(-a));
    (opposite && rest == 0.0 && own != 0.0 && a != 0.0).then(|| (v, -a / own))
}

struct Builder<'a> {
    given: Vec<Given>,
    differences: Vec<Difference>,
    initial: &'a Values,
}

impl Builder<'_> {
    fn give(&mut self, a: Moving, b: Option<Moving>, given: Given) {
        self.differences.push(Difference {
            a,
            b,
            given: self.given.len(),
        });
        self.given.push(given);
    }

    /// Both quantities of a side of an element.
    fn side(
        &mut self,
        flat: &FlatModel,
        built: &Built,
        e: usize,
        side: Side<'_>,
        terms: [Vec<(SignalId, f64)>; 2],
        rigid: bool,
    ) {
        for (q, terms) in [Quantity::Effort, Quantity::Flow].into_iter().zip(terms) {
            let (own, sign) = side.quantity(q);
            if rigid && !side.is_across(q) {
                continue;
            }
            let signed = terms.iter().map(|&(s, w)| (s, w * sign)).collect();
            self.give(
                own,
                side.reference(q),
                Given {
                    terms: signed,
                    integral: false,
                    offset: 0.0,
                },
            );
            if side.is_across(q) && side.port.domain.common_is_flow() {
                // The positions follow by integration.
                let mut at = self.initial.clone();
                complete_rates(flat, &built.network.elements[e], &mut at);
                let value = |p: &crate::extract::Port| Moving::Value(p.potential);
                let (a, b) = (value(side.port), side.against.map(value));
                let offset = at.get(a) - b.map_or(0.0, |b| at.get(b));
                self.give(
                    a,
                    b,
                    Given {
                        terms,
                        integral: true,
                        offset,
                    },
                );
            }
        }
    }

    /// Variables that are no more than a difference that is given.
    fn own_variables(&mut self, flat: &FlatModel, equations: &[usize]) {
        let mut users: FxHashMap<Moving, Vec<usize>> = FxHashMap::default();
        for &k in equations {
            let q = quantities(flat, k);
            if q.len() <= MOST_QUANTITIES {
                for m in q {
                    users.entry(m).or_default().push(k);
                }
            }
        }
        let mut at = self.initial.clone();
        let mut found: Vec<(Moving, Difference, f64)> = Vec::new();
        for d in &self.differences {
            for &k in users.get(&d.a).into_iter().flatten() {
                if let Some((v, factor)) = own_variable(flat, k, d, &mut at) {
                    found.push((v, *d, factor));
                }
            }
        }
        let mut taken: FxHashSet<Moving> = FxHashSet::default();
        for (v, d, factor) in found {
            if taken.insert(v) {
                let of = &self.given[d.given];
                let given = Given {
                    terms: of.terms.iter().map(|&(s, w)| (s, factor * w)).collect(),
                    integral: of.integral,
                    offset: factor * of.offset,
                };
                self.give(v, None, given);
            }
        }
    }

    fn element(&mut self, flat: &FlatModel, built: &Built, e: usize, nodes: &[usize]) {
        let g = &built.graph;
        let element = &built.network.elements[e];
        let what = &built.recognised[e].what;
        let Some(&first) = nodes.first() else { return };
        if let Recognised::TwoPort { sides, .. } = what {
            let bonds = g.bonds_of(first);
            for (k, &(x, y)) in sides.iter().enumerate() {
                let Some(&b) = bonds.iter().find(|&&b| usize::from(g.bonds[b].port) == k) else {
                    continue;
                };
                let side = Side {
                    port: &element.ports[x],
                    against: y.map(|y| &element.ports[y]),
                    sign: if k == 0 { 1.0 } else { -1.0 },
                };
                let terms = [vec![(effort(b), 1.0)], vec![(flow(b), 1.0)]];
                self.side(flat, built, e, side, terms, false);
            }
            return;
        }
        if let Recognised::Controlled { sides } = what {
            for (c, &n) in sides.iter().zip(nodes) {
                let Some(b) = bond_of(g, n) else { continue };
                let side = Side {
                    port: &element.ports[c.side.0],
                    against: c.side.1.map(|y| &element.ports[y]),
                    sign: -1.0,
                };
                let terms = [vec![(effort(b), 1.0)], vec![(flow(b), 1.0)]];
                self.side(flat, built, e, side, terms, false);
            }
            return;
        }
        if matches!(g.nodes[first].kind, Kind::Multiport) {
            return;
        }
        let rigid = is_rigid(what);
        let source = g.nodes[first].kind.is_source();
        let mut side = Side::of_one_port(element, source);
        if rigid {
            side.against = None;
        }
        let series = shares_flow(what);
        let bonds: Option<Vec<usize>> = nodes.iter().map(|&n| bond_of(g, n)).collect();
        let Some(bonds) = bonds else { return };
        let sum = |signal: fn(usize) -> SignalId, summed: bool| -> Vec<(SignalId, f64)> {
            let count = if summed { bonds.len() } else { 1 };
            bonds[..count].iter().map(|&b| (signal(b), 1.0)).collect()
        };
        let terms = [sum(effort, series), sum(flow, !series)];
        self.side(flat, built, e, side, terms, rigid);
    }
}

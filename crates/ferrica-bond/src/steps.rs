//! Equations solved one after the other: from what is known to what follows from it.
//!
//! In: equations of a flat model and the quantities (values and rates of variables) that are known. Out: a
//! plan, a list of steps that each solve one equation for its last unknown quantity, or its time derivative for
//! the last unknown rate. Equations that can only be solved together are left out.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Expr, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dual::{Dual, Moving, Point, evaluate};

const NEWTON: usize = 60;

/// Values and rates of variables at a time.
#[derive(Clone, Debug, Default)]
pub struct Values {
    pub time: f64,
    pub values: FxHashMap<VarId, f64>,
    pub rates: FxHashMap<VarId, f64>,
}

impl Values {
    pub fn point(&self, moving: Moving) -> Point<'_> {
        Point {
            time: self.time,
            values: &self.values,
            derivatives: &self.rates,
            moving,
        }
    }

    /// Left side less right side.
    fn residual(&self, flat: &FlatModel, equation: usize, moving: Moving) -> Option<Dual> {
        let e = &flat.equations[equation];
        let p = self.point(moving);
        let (x, y) = (
            evaluate(&flat.exprs, e.lhs, &p)?,
            evaluate(&flat.exprs, e.rhs, &p)?,
        );
        Some(Dual {
            value: x.value - y.value,
            slope: x.slope - y.slope,
        })
    }

    pub fn get(&self, q: Moving) -> f64 {
        match q {
            Moving::Value(v) => self.values.get(&v).copied().unwrap_or(0.0),
            Moving::Rate(v) => self.rates.get(&v).copied().unwrap_or(0.0),
            Moving::Time => self.time,
            Moving::Nothing => 0.0,
        }
    }

    pub fn set(&mut self, q: Moving, x: f64) {
        match q {
            Moving::Value(v) => {
                self.values.insert(v, x);
            }
            Moving::Rate(v) => {
                self.rates.insert(v, x);
            }
            _ => {}
        }
    }
}

/// x_a - x_b (values or rates) is given from outside.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    pub a: Moving,
    pub b: Option<Moving>,
    /// Index of the given number.
    pub given: usize,
}

#[derive(Clone, Debug)]
enum Step {
    /// One side is the variable, the other its value.
    Assign {
        equation: usize,
        variable: VarId,
        value: ferrica_ir::ExprId,
    },
    Solve {
        equation: usize,
        unknown: Moving,
    },
    Differentiate {
        equation: usize,
        unknown: VarId,
        over: Vec<VarId>,
    },
    Given {
        difference: Difference,
        first: bool,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Plan {
    steps: Vec<Step>,
    pub known: FxHashSet<Moving>,
}

/// A relation between quantities that may become a step.
enum Relation {
    Equation(usize),
    Derivative(usize, Vec<VarId>),
    Given(Difference),
}

/// Makes the plan. `at` holds values of everything somewhere, to see which unknowns an equation really
/// determines.
pub fn plan(
    flat: &FlatModel,
    equations: &[usize],
    given: &[Difference],
    known: FxHashSet<Moving>,
    at: &Values,
) -> Plan {
    let mut relations: Vec<(Relation, Vec<Moving>)> = Vec::new();
    for d in given {
        let list = [Some(d.a), d.b].into_iter().flatten().collect();
        relations.push((Relation::Given(*d), list));
    }
    for &k in equations.iter().filter(|&&k| !has_memory(flat, k)) {
        let q = quantities(flat, k);
        let vars: Vec<VarId> = q
            .iter()
            .filter_map(|m| match m {
                Moving::Value(v) => Some(*v),
                _ => None,
            })
            .collect();
        let smooth = q.len() == vars.len()
            && vars.iter().all(|v| !flat.vars[*v].ty.is_discrete())
            && !crate::extract::is_discrete(flat, k);
        relations.push((Relation::Equation(k), q));
        if smooth && !vars.is_empty() {
            let mut list: Vec<Moving> = vars.iter().map(|&v| Moving::Rate(v)).collect();
            if !constant_slopes(flat, k, &vars, at) {
                list.extend(vars.iter().map(|&v| Moving::Value(v)));
            }
            relations.push((Relation::Derivative(k, vars), list));
        }
    }
    let mut users: FxHashMap<Moving, Vec<usize>> = FxHashMap::default();
    let mut open: Vec<usize> = Vec::new();
    let mut queue = std::collections::VecDeque::new();
    for (r, (_, list)) in relations.iter().enumerate() {
        let unknown = list.iter().filter(|q| !known.contains(q));
        let mut count = 0;
        for q in unknown {
            count += 1;
            users.entry(*q).or_default().push(r);
        }
        open.push(count);
        if count == 1 {
            queue.push_back(r);
        }
    }
    let mut out = Plan {
        steps: Vec::new(),
        known,
    };
    while let Some(r) = queue.pop_front() {
        let (relation, list) = &relations[r];
        let Some(&unknown) = list.iter().find(|q| !out.known.contains(q)) else {
            continue;
        };
        let Some(step) = step(flat, relation, unknown, at) else {
            continue;
        };
        out.steps.push(step);
        out.known.insert(unknown);
        for &u in users.get(&unknown).into_iter().flatten() {
            open[u] -= 1;
            if open[u] == 1 {
                queue.push_back(u);
            }
        }
    }
    out
}

fn step(flat: &FlatModel, relation: &Relation, unknown: Moving, at: &Values) -> Option<Step> {
    match relation {
        Relation::Given(d) => Some(Step::Given {
            difference: *d,
            first: d.a == unknown,
        }),
        Relation::Equation(k) => {
            let e = &flat.equations[*k];
            if let Moving::Value(v) = unknown {
                for (side, value) in [(e.lhs, e.rhs), (e.rhs, e.lhs)] {
                    if flat.exprs.get(side) == Expr::Var(v) && !mentions(flat, value, v) {
                        return Some(Step::Assign {
                            equation: *k,
                            variable: v,
                            value,
                        });
                    }
                }
                if flat.vars[v].ty.is_discrete() {
                    return None;
                }
            }
            let slope = at.residual(flat, *k, unknown)?.slope;
            (slope != 0.0 && slope.is_finite()).then_some(Step::Solve {
                equation: *k,
                unknown,
            })
        }
        Relation::Derivative(k, vars) => {
            let Moving::Rate(v) = unknown else {
                return None;
            };
            let slope = at.residual(flat, *k, Moving::Value(v))?.slope;
            (slope != 0.0 && slope.is_finite()).then(|| Step::Differentiate {
                equation: *k,
                unknown: v,
                over: vars.iter().copied().filter(|w| *w != v).collect(),
            })
        }
    }
}

/// Does an equation say what changes at instants only? What it says between them is what it has been told before.
fn has_memory(flat: &FlatModel, equation: usize) -> bool {
    use ferrica_ir::Builtin::{Change, Edge, Sample, WhenFires};
    let e = &flat.equations[equation];
    let mut found = false;
    flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
        found |= matches!(
            flat.exprs.get(id),
            Expr::Pre(_) | Expr::Builtin(Sample | WhenFires | Edge | Change, _)
        );
    });
    found
}

fn mentions(flat: &FlatModel, e: ferrica_ir::ExprId, v: VarId) -> bool {
    let mut found = false;
    flat.exprs
        .postorder(&[e], |id| found |= flat.exprs.get(id) == Expr::Var(v));
    found
}

/// Values and rates that an equation reads, parameters apart.
pub fn quantities(flat: &FlatModel, equation: usize) -> Vec<Moving> {
    let e = &flat.equations[equation];
    let mut out = Vec::new();
    flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
        let q = match flat.exprs.get(id) {
            Expr::Var(v) if flat.vars[v].variability > Variability::Parameter => Moving::Value(v),
            Expr::Der(v) => Moving::Rate(v),
            _ => return,
        };
        if !out.contains(&q) {
            out.push(q);
        }
    });
    out
}

/// The slopes of an equation by these quantities, and its residual where they vanish; none where the slopes are not the same everywhere. `at` is left as it was.
pub fn linear(
    flat: &FlatModel,
    equation: usize,
    quantities: &[Moving],
    at: &mut Values,
) -> Option<(Vec<f64>, f64)> {
    let before: Vec<f64> = quantities.iter().map(|&q| at.get(q)).collect();
    let mut looked = |place: fn(f64) -> f64| {
        for (&q, &x) in quantities.iter().zip(&before) {
            at.set(q, place(x));
        }
        let slope = |&q: &Moving| Some(at.residual(flat, equation, q)?.slope);
        let slopes: Option<Vec<f64>> = quantities.iter().map(slope).collect();
        let rest = at
            .residual(flat, equation, Moving::Nothing)
            .map(|r| r.value);
        slopes.zip(rest)
    };
    let (origin, elsewhere) = (looked(|_| 0.0), looked(|x| 1.3 * x + 0.7));
    for (&q, &x) in quantities.iter().zip(&before) {
        at.set(q, x);
    }
    let (slopes, rest) = origin?;
    (elsewhere?.0 == slopes && rest.is_finite()).then_some((slopes, rest))
}

/// Are the slopes of an equation the same everywhere?
fn constant_slopes(flat: &FlatModel, equation: usize, vars: &[VarId], at: &Values) -> bool {
    let mut other = Values {
        time: at.time + 0.37,
        values: FxHashMap::default(),
        rates: FxHashMap::default(),
    };
    let e = &flat.equations[equation];
    flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
        if let Expr::Var(v) = flat.exprs.get(id) {
            let x = at.get(Moving::Value(v));
            let moved = if vars.contains(&v) { 1.3 * x + 0.7 } else { x };
            other.values.insert(v, moved);
        }
    });
    vars.iter().all(|&v| {
        let slope = |p: &Values| {
            p.residual(flat, equation, Moving::Value(v))
                .map(|d| d.slope)
        };
        match (slope(at), slope(&other)) {
            (Some(x), Some(y)) => (x - y).abs() <= 1e-12 * x.abs().max(y.abs()),
            _ => false,
        }
    })
}

impl Plan {
    pub fn determines(&self, q: Moving) -> bool {
        self.known.contains(&q)
    }

    /// Variables whose values are known.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.known.iter().filter_map(|q| match q {
            Moving::Value(v) => Some(*v),
            _ => None,
        })
    }

    /// Only the steps that the given quantities need.
    pub fn reduced(mut self, flat: &FlatModel, wanted: &[Moving]) -> Plan {
        let mut needed: FxHashSet<Moving> = wanted.iter().copied().collect();
        let mut kept = Vec::new();
        for step in self.steps.into_iter().rev() {
            let (makes, reads): (Moving, Vec<Moving>) = match &step {
                Step::Assign {
                    equation, variable, ..
                } => (Moving::Value(*variable), quantities(flat, *equation)),
                Step::Solve { equation, unknown } => (*unknown, quantities(flat, *equation)),
                Step::Differentiate {
                    equation,
                    unknown,
                    over,
                } => {
                    let mut list = quantities(flat, *equation);
                    list.extend(over.iter().map(|&v| Moving::Rate(v)));
                    (Moving::Rate(*unknown), list)
                }
                Step::Given { difference, first } => {
                    let both = [Some(difference.a), difference.b];
                    let made = if *first {
                        Some(difference.a)
                    } else {
                        difference.b
                    };
                    let Some(made) = made else { continue };
                    (made, both.into_iter().flatten().collect())
                }
            };
            if needed.contains(&makes) {
                needed.extend(reads);
                kept.push(step);
            }
        }
        kept.reverse();
        self.steps = kept;
        self
    }

    /// The equations that the steps solve.
    pub fn equations(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().filter_map(|s| match s {
            Step::Assign { equation, .. }
            | Step::Solve { equation, .. }
            | Step::Differentiate { equation, .. } => Some(*equation),
            Step::Given { .. } => None,
        })
    }

    /// Runs the steps; false if one of them has no solution there.
    pub fn run(&self, flat: &FlatModel, given: &[f64], at: &mut Values) -> bool {
        let mut sound = true;
        for s in &self.steps {
            sound &= run_step(flat, s, given, at).is_some();
        }
        sound
    }

    /// Slopes in time of what the steps compute, where they follow from time alone.
    pub fn slopes(&self, flat: &FlatModel, at: &Values) -> FxHashMap<Moving, f64> {
        let mut slopes: FxHashMap<Moving, f64> = FxHashMap::default();
        for s in &self.steps {
            let (q, equation) = match s {
                Step::Assign {
                    equation, variable, ..
                } => (Moving::Value(*variable), *equation),
                Step::Solve { equation, unknown } => (*unknown, *equation),
                Step::Differentiate { .. } | Step::Given { .. } => continue,
            };
            if let Some(slope) = total_slope(flat, equation, at, &slopes, q) {
                slopes.insert(q, slope);
            }
        }
        slopes
    }
}

/// d(unknown)/dt from the total derivative of an equation.
fn total_slope(
    flat: &FlatModel,
    equation: usize,
    at: &Values,
    slopes: &FxHashMap<Moving, f64>,
    unknown: Moving,
) -> Option<f64> {
    let mut sum = at.residual(flat, equation, Moving::Time)?.slope;
    for q in quantities(flat, equation) {
        if q != unknown
            && let Some(&s) = slopes.get(&q)
            && s != 0.0
        {
            sum += s * at.residual(flat, equation, q)?.slope;
        }
    }
    let own = at.residual(flat, equation, unknown)?.slope;
    (own != 0.0).then(|| -sum / own)
}

fn run_step(flat: &FlatModel, s: &Step, given: &[f64], at: &mut Values) -> Option<()> {
    match s {
        Step::Assign {
            variable, value, ..
        } => {
            let d = evaluate(&flat.exprs, *value, &at.point(Moving::Nothing))?;
            at.values.insert(*variable, d.value);
        }
        Step::Solve { equation, unknown } => {
            let mut x = at.get(*unknown);
            if !x.is_finite() {
                x = 0.0;
            }
            for _ in 0..NEWTON {
                at.set(*unknown, x);
                let r = at.residual(flat, *equation, *unknown)?;
                let change = r.value / r.slope;
                if !change.is_finite() {
                    return None;
                }
                x -= change;
                if change.abs() <= 1e-13 * x.abs() {
                    break;
                }
            }
            at.set(*unknown, x);
        }
        Step::Differentiate {
            equation,
            unknown,
            over,
        } => {
            let mut sum = at.residual(flat, *equation, Moving::Time)?.slope;
            for &v in over {
                let rate = at.get(Moving::Rate(v));
                sum += rate * at.residual(flat, *equation, Moving::Value(v))?.slope;
            }
            let own = at.residual(flat, *equation, Moving::Value(*unknown))?.slope;
            at.rates.insert(*unknown, -sum / own);
        }
        Step::Given { difference, first } => {
            let value = given.get(difference.given).copied()?;
            match (first, difference.b) {
                (true, b) => {
                    let x = value + b.map_or(0.0, |b| at.get(b));
                    at.set(difference.a, x);
                }
                (false, Some(b)) => {
                    let x = at.get(difference.a) - value;
                    at.set(b, x);
                }
                (false, None) => {}
            }
        }
    }
    Some(())
}

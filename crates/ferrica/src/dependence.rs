//! Does what a model computes depend on a value that is not a number?
//!
//! Arithmetic hands such a value on, and it is found in a state; a comparison, `max` or a whole part does not: `if y > 0 then 1 else 2` is 2
//! where y is no number, and states go on from a condition that says nothing. In: the equations, and the values of a row. Out: the variable
//! without a value that derivatives, outputs or conditions of reinits read, through the branches that are taken there. What a branch that is
//! not taken reads does not count, so that `if x > 0 then r else 0` may have a root r that has no value for x < 0. The body of a when-clause
//! counts where it has changed something.

use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::causal::{CausalModel, CausalVar, Kind};
use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, UnaryOp, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module comment.
pub struct Dependence {
    /// The two sides of what determines a variable.
    sides: FxHashMap<VarId, [ExprId; 2]>,
    /// How the sides of a condition are compared.
    compared: FxHashMap<VarId, BinaryOp>,
    roots: Vec<ExprId>,
    variables: Vec<VarId>,
}

impl Dependence {
    pub fn new(source: &CausalModel) -> Dependence {
        let equations = source.equations.iter().map(|e| (e.unknown, [e.lhs, e.rhs]));
        let relations = source.relations.iter().map(|r| (r.memory, [r.lhs, r.rhs]));
        let variables = source.derivatives.iter().chain(&source.outputs);
        Dependence {
            sides: equations.chain(relations).collect(),
            compared: source.relations.iter().map(|r| (r.memory, r.op)).collect(),
            roots: source.reinits.iter().map(|r| r.condition).collect(),
            variables: variables.copied().collect(),
        }
    }

    /// The slot of a variable without a value in this row that something depends on.
    pub fn on_nothing(&self, model: &CompiledModel, values: &[f64]) -> Option<Slot> {
        let from = (self.roots.clone(), self.variables.clone());
        self.nothing_read(model, values, from, false)
    }

    /// The same for what these variables were given by a when-clause in this row.
    pub fn given_nothing(
        &self,
        model: &CompiledModel,
        values: &[f64],
        variables: Vec<VarId>,
    ) -> Option<Slot> {
        self.nothing_read(model, values, (Vec::new(), variables), true)
    }

    fn nothing_read(
        &self,
        model: &CompiledModel,
        values: &[f64],
        from: (Vec<ExprId>, Vec<VarId>),
        fired: bool,
    ) -> Option<Slot> {
        let nan = |s: Slot| values.get(s as usize).is_some_and(|v| v.is_nan());
        let mut found = None;
        let row = Row {
            dependence: self,
            model,
            values,
        };
        let slot = |v: VarId| model.layout.place(v).map(|(slot, _)| slot);
        self.walk(
            &model.source,
            from,
            |v| {
                found = slot(v).filter(|&s| nan(s));
                found.is_some()
            },
            |c, otherwise| {
                let x = &model.source.exprs;
                if fired && fires(x, c) {
                    // Of several when-clauses it is not known which one has fired.
                    let several = matches!(x.get(otherwise), Expr::If(d, ..) if fires(x, d));
                    return if several {
                        Taken::Neither
                    } else {
                        Taken::First
                    };
                }
                match row.value(c, 0) {
                    Some(v) if v != 0.0 => Taken::First,
                    Some(_) => Taken::Second,
                    None => Taken::Neither,
                }
            },
        );
        found
    }

    /// Variables that can be without a value, and what tells whether that matters: those of conditions. Where not all variables are computed
    /// in each row, these are.
    pub fn doubtful(source: &CausalModel, wanted: impl Iterator<Item = VarId>) -> Vec<VarId> {
        let x = &source.exprs;
        let mut partial: Vec<bool> = Vec::with_capacity(x.len());
        let mut varies: Vec<bool> = Vec::with_capacity(x.len());
        for id in x.ids() {
            let mut varying = match x.get(id) {
                Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) => {
                    !matches!(source.vars[v].kind, Kind::Parameter | Kind::External)
                }
                e => e == Expr::Time,
            };
            let mut any = is_partial(x, id, |c| varies[c.as_u32() as usize]);
            x.for_each_child(id, |c| {
                any |= partial[c.as_u32() as usize];
                varying |= varies[c.as_u32() as usize];
            });
            partial.push(any);
            varies.push(varying);
        }
        if !partial.contains(&true) {
            return Vec::new();
        }
        let dependence = Dependence::new(source);
        let mut list = Vec::new();
        let mut conditions: FxHashSet<ExprId> = FxHashSet::default();
        let values = source.reinits.iter().map(|r| r.value);
        let roots = dependence.roots.iter().copied().chain(values).collect();
        let variables = dependence.variables.iter().copied().chain(wanted).collect();
        dependence.walk(
            source,
            (roots, variables),
            |v| {
                let sides = dependence.sides.get(&v).into_iter().flatten();
                if is_computed(&source.vars[v])
                    && sides.into_iter().any(|s| partial[s.as_u32() as usize])
                {
                    list.push(v);
                }
                false
            },
            |c, _| {
                conditions.insert(c);
                Taken::Both
            },
        );
        let conditions: Vec<ExprId> = conditions.into_iter().collect();
        x.postorder(&conditions, |id| {
            if let Expr::Var(v) = x.get(id)
                && is_computed(&source.vars[v])
            {
                list.push(v);
            }
        });
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Goes from what counts to all variables that it reads, until `stop` says so of one.
    fn walk(
        &self,
        source: &CausalModel,
        (mut stack, mut variables): (Vec<ExprId>, Vec<VarId>),
        mut stop: impl FnMut(VarId) -> bool,
        mut taken: impl FnMut(ExprId, ExprId) -> Taken,
    ) {
        let x = &source.exprs;
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut known: FxHashSet<VarId> = variables.iter().copied().collect();
        loop {
            while let Some(v) = variables.pop() {
                if stop(v) {
                    return;
                }
                stack.extend(self.sides.get(&v).into_iter().flatten());
            }
            let Some(id) = stack.pop() else { return };
            if !seen.insert(id) {
                continue;
            }
            match x.get(id) {
                Expr::Var(v) | Expr::Der(v) => {
                    if is_computed(&source.vars[v]) && known.insert(v) {
                        variables.push(v);
                    }
                }
                Expr::Pre(_) => {}
                Expr::If(c, a, b) => {
                    stack.push(c);
                    match taken(c, b) {
                        Taken::First => stack.push(a),
                        Taken::Second => stack.push(b),
                        Taken::Both => stack.extend([a, b]),
                        Taken::Neither => {}
                    }
                }
                // One side that decides makes the other one idle.
                Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                    let decides = match op {
                        BinaryOp::And => Taken::Second,
                        _ => Taken::First,
                    };
                    if taken(a, b) == decides {
                        stack.push(a);
                    } else if taken(b, a) == decides {
                        stack.push(b);
                    } else {
                        stack.extend([a, b]);
                    }
                }
                _ => x.for_each_child(id, |c| stack.push(c)),
            }
        }
    }
}

/// Is a variable computed from others, at any time?
pub fn is_computed(v: &CausalVar) -> bool {
    matches!(
        v.kind,
        Kind::Algebraic | Kind::Derivative | Kind::Discrete | Kind::Relation
    )
}

/// Which branch of a condition counts.
#[derive(Clone, Copy, PartialEq)]
enum Taken {
    First,
    Second,
    Both,
    Neither,
}

/// Can this operator be without a value where its arguments have one?
fn is_partial(x: &ExprArena, id: ExprId, varies: impl Fn(ExprId) -> bool) -> bool {
    match x.get(id) {
        Expr::Binary(BinaryOp::Pow, _, b) => x.as_f64(b).is_none_or(|b| b.fract() != 0.0),
        Expr::Binary(BinaryOp::Div, _, b) => varies(b),
        Expr::Builtin(f, _) => matches!(
            f,
            Builtin::Sqrt | Builtin::Log | Builtin::Log10 | Builtin::Asin | Builtin::Acos
        ),
        Expr::Call(..) => true,
        _ => false,
    }
}

/// Is this the condition of a when-clause, `b and not pre(b)`?
fn fires(x: &ExprArena, c: ExprId) -> bool {
    let Expr::Binary(BinaryOp::And, now, before) = x.get(c) else {
        return false;
    };
    let (Expr::Var(b), Expr::Unary(UnaryOp::Not, old)) = (x.get(now), x.get(before)) else {
        return false;
    };
    x.get(old) == Expr::Pre(b)
}

/// Deeper conditions are not looked into.
const DEEPEST: u32 = 100;

/// The values of a row.
struct Row<'a> {
    dependence: &'a Dependence,
    model: &'a CompiledModel,
    values: &'a [f64],
}

impl Row<'_> {
    /// A number or a condition, where it can be told from the variables of the row.
    fn value(&self, id: ExprId, depth: u32) -> Option<f64> {
        let x = &self.model.source.exprs;
        let at = |e| {
            (depth < DEEPEST)
                .then(|| self.value(e, depth + 1))
                .flatten()
        };
        let read = |(slot, negated): (Slot, bool)| {
            let v = self.values.get(slot as usize).copied()?;
            Some(if negated { -v } else { v })
        };
        match x.get(id) {
            // Until its event is over, a condition remembers the side that its values have left.
            Expr::Var(v) if self.dependence.compared.contains_key(&v) => {
                let [lhs, rhs] = self.dependence.sides[&v];
                let now = at(lhs)
                    .zip(at(rhs))
                    .filter(|(a, b)| !a.is_nan() && !b.is_nan());
                match now {
                    Some((a, b)) => binary(self.dependence.compared[&v], a, b),
                    None => read(self.model.layout.place(v)?),
                }
            }
            Expr::Var(v) => read(self.model.layout.place(v)?),
            Expr::Pre(v) => read(self.model.layout.pre(v)?),
            Expr::Time => read((Layout::TIME, false)),
            Expr::Unary(UnaryOp::Neg, a) => Some(-at(a)?),
            Expr::Unary(UnaryOp::Not, a) => Some(truth(at(a)? == 0.0)),
            Expr::If(c, a, b) => at(if at(c)? != 0.0 { a } else { b }),
            Expr::Binary(op, a, b) => binary(op, at(a)?, at(b)?),
            Expr::Builtin(Builtin::Initial, _) => Some(truth(false)),
            _ => x.as_f64(id),
        }
    }
}

fn truth(b: bool) -> f64 {
    f64::from(u8::from(b))
}

fn binary(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::And => truth(a != 0.0 && b != 0.0),
        BinaryOp::Or => truth(a != 0.0 || b != 0.0),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Pow => return None,
    })
}

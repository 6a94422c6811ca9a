//! Does what a model computes depend on a value that is not a number?
//!
//! Arithmetic hands such a value on, and it is found in a state; a comparison, `max` or a whole part does not: `if y > 0 then 1 else 2` is 2
//! where y is no number, and states go on from a condition that says nothing. In: the equations, and the values of a row. Out: the variable
//! without a value, or the operand of a comparison, that derivatives, outputs, conditions of reinits or of when-clauses read, through the branches
//! that are taken there. What a branch that is not taken reads does not count, so that `if x > 0 then r else 0` may have a root r that has no value
//! for x < 0. The body of a when-clause counts where it has changed something.

use std::cell::Cell;

use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::causal::{CausalModel, CausalVar, Kind};
use ferrica_ir::elementary::{binary_value, unary_value};
use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, UnaryOp, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What has no value although something depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nothing {
    Variable(Slot),
    /// What a comparison, or `max`, is asked about, and the variable that it decides; none in the condition of a `reinit`.
    Operand(ExprId, Option<VarId>),
}

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
        // Of the compiler's own, as conditions of when-clauses, those count that something of the model reads.
        let discrete = source
            .vars
            .iter()
            .filter(|(_, v)| v.kind == Kind::Discrete && !v.var.hidden);
        let variables = source.derivatives.iter().chain(&source.outputs).copied();
        Dependence {
            sides: equations.chain(relations).collect(),
            compared: source.relations.iter().map(|r| (r.memory, r.op)).collect(),
            roots: source.reinits.iter().map(|r| r.condition).collect(),
            variables: variables.chain(discrete.map(|(v, _)| v)).collect(),
        }
    }

    /// What has no value in this row although something depends on it.
    pub fn on_nothing(&self, model: &CompiledModel, values: &[f64]) -> Option<Nothing> {
        let from = (self.roots.clone(), self.variables.clone());
        self.nothing_read(model, values, from, false)
    }

    /// The same for what these variables were given by a when-clause in this row.
    pub fn given_nothing(
        &self,
        model: &CompiledModel,
        values: &[f64],
        variables: Vec<VarId>,
    ) -> Option<Nothing> {
        self.nothing_read(model, values, (Vec::new(), variables), true)
    }

    fn nothing_read(
        &self,
        model: &CompiledModel,
        values: &[f64],
        from: (Vec<ExprId>, Vec<VarId>),
        fired: bool,
    ) -> Option<Nothing> {
        let nan = |s: Slot| values.get(s as usize).is_some_and(|v| v.is_nan());
        let (mut found, mut operand) = (None, None);
        let row = Row::new(self, model, values);
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
                match row.of(c) {
                    Some(v) if v != 0.0 => Taken::First,
                    Some(_) => Taken::Second,
                    None => Taken::Neither,
                }
            },
            |e, of| {
                if operand.is_none() && row.of(e).is_some_and(f64::is_nan) {
                    operand = Some(Nothing::Operand(e, of));
                }
            },
        );
        // A variable says more.
        found.map(Nothing::Variable).or(operand)
    }

    /// Operands of comparisons and the like that can be without a value where all variables have one, as far as a row tells it.
    pub fn doubtful_operands(source: &CausalModel) -> Operands {
        let x = &source.exprs;
        let mut operands = Vec::new();
        for id in x.ids() {
            for_each_operand(x, id, |e| operands.push(e));
        }
        let relations = || source.relations.iter().flat_map(|r| [r.lhs, r.rhs]);
        operands.extend(relations());
        // In most models there are few of them: only what is below is looked at.
        let mut below = Vec::new();
        x.postorder(&operands, |id| below.push(id));
        let partial = partial(source, below.into_iter());
        operands.retain(|e| partial[e.as_u32() as usize]);
        if operands.is_empty() {
            return Operands::default();
        }
        let mut used: FxHashSet<ExprId> = FxHashSet::default();
        let equations = source.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
        let reinits = source.reinits.iter().map(|r| r.condition);
        let roots: Vec<ExprId> = equations.chain(relations()).chain(reinits).collect();
        x.postorder(&roots, |id| {
            used.insert(id);
        });
        operands.retain(|e| used.contains(e));
        operands.sort_unstable();
        operands.dedup();
        Operands::new(source, operands)
    }

    /// Has one of these operands no value in this row? `room` is kept from row to row.
    pub fn is_nothing(
        &self,
        model: &CompiledModel,
        values: &[f64],
        operands: &Operands,
        room: &mut Vec<Option<f64>>,
    ) -> bool {
        room.resize(model.source.exprs.len(), None);
        let row = Row::new(self, model, values);
        for &(id, remembers) in &operands.order {
            let known = &room[..];
            let at = |e: ExprId| known[e.as_u32() as usize];
            room[id.as_u32() as usize] = row.node(id, remembers, at);
        }
        let nan = |e: &ExprId| room[e.as_u32() as usize].is_some_and(f64::is_nan);
        operands.list.iter().any(nan)
    }

    /// The value of an expression of numbers and conditions, where it can be told from the variables of a row.
    pub fn value(&self, model: &CompiledModel, values: &[f64], e: ExprId) -> Option<f64> {
        Row::new(self, model, values).of(e)
    }

    /// Variables that can be without a value, and what tells whether that matters: those of conditions. Where not all variables are computed
    /// in each row, these are.
    pub fn doubtful(source: &CausalModel, wanted: impl Iterator<Item = VarId>) -> Vec<VarId> {
        let x = &source.exprs;
        let partial = partial(source, x.ids());
        if !partial.contains(&true) {
            return Vec::new();
        }
        let dependence = Dependence::new(source);
        let mut list = Vec::new();
        let mut conditions: FxHashSet<ExprId> = FxHashSet::default();
        let mut asked = Vec::new();
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
            |e, _| asked.push(e),
        );
        let conditions: Vec<ExprId> = conditions.into_iter().chain(asked).collect();
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
        (roots, variables): (Vec<ExprId>, Vec<VarId>),
        mut stop: impl FnMut(VarId) -> bool,
        mut taken: impl FnMut(ExprId, ExprId) -> Taken,
        mut asked: impl FnMut(ExprId, Option<VarId>),
    ) {
        let x = &source.exprs;
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut known: FxHashSet<VarId> = variables.iter().copied().collect();
        // Expressions with the variable that they give a value, variables with the one that asks.
        let mut stack: Vec<(ExprId, Option<VarId>)> = Vec::new();
        stack.extend(roots.into_iter().map(|e| (e, None)));
        let mut variables: Vec<(VarId, Option<VarId>)> =
            variables.into_iter().map(|v| (v, None)).collect();
        loop {
            while let Some((v, by)) = variables.pop() {
                if stop(v) {
                    return;
                }
                let is_condition = self.compared.contains_key(&v);
                let of = match is_condition || source.vars[v].var.hidden {
                    true => by,
                    false => Some(v),
                };
                for &side in self.sides.get(&v).into_iter().flatten() {
                    if is_condition {
                        asked(side, of);
                    }
                    stack.push((side, of));
                }
            }
            let Some((id, of)) = stack.pop() else { return };
            if !seen.insert(id) {
                continue;
            }
            for_each_operand(x, id, |e| asked(e, of));
            match x.get(id) {
                Expr::Var(v) | Expr::Der(v) => {
                    if is_computed(&source.vars[v]) && known.insert(v) {
                        variables.push((v, of));
                    }
                }
                Expr::Pre(_) => {}
                Expr::If(c, a, b) => {
                    stack.push((c, of));
                    // A when-clause asks for its condition whether it fires or not.
                    if let Expr::Binary(BinaryOp::And, now, _) = x.get(c)
                        && fires(x, c)
                    {
                        stack.push((now, of));
                    }
                    match taken(c, b) {
                        Taken::First => stack.push((a, of)),
                        Taken::Second => stack.push((b, of)),
                        Taken::Both => stack.extend([(a, of), (b, of)]),
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
                        stack.push((a, of));
                    } else if taken(b, a) == decides {
                        stack.push((b, of));
                    } else {
                        stack.extend([(a, of), (b, of)]);
                    }
                }
                _ => x.for_each_child(id, |c| stack.push((c, of))),
            }
        }
    }
}

/// What comparisons and the like ask about, and what it takes to know it in a row.
#[derive(Default)]
pub struct Operands {
    pub list: Vec<ExprId>,
    /// Nodes, each behind what it is made of. Of a condition that decides about its own sides (a hysteresis) the side is taken that it remembers.
    order: Vec<(ExprId, bool)>,
}

impl Operands {
    fn new(source: &CausalModel, mut list: Vec<ExprId>) -> Operands {
        let x = &source.exprs;
        let relations = source.relations.iter();
        let sides: FxHashMap<VarId, [ExprId; 2]> =
            relations.map(|r| (r.memory, [r.lhs, r.rhs])).collect();
        let sides_of = |id| match x.get(id) {
            Expr::Var(v) => sides.get(&v).copied(),
            _ => None,
        };
        let mut order = Vec::new();
        let (mut begun, mut told): (FxHashSet<ExprId>, FxHashMap<ExprId, bool>) =
            Default::default();
        let mut stack: Vec<(ExprId, bool)> = list.iter().map(|&e| (e, false)).collect();
        while let Some((id, ready)) = stack.pop() {
            if !ready {
                if begun.insert(id) {
                    stack.push((id, true));
                    x.for_each_child(id, |c| stack.push((c, false)));
                    stack.extend(sides_of(id).into_iter().flatten().map(|c| (c, false)));
                }
                continue;
            }
            let remembers =
                sides_of(id).is_some_and(|s| s.iter().any(|side| !told.contains_key(side)));
            told.insert(id, can_be_told(x, id, |c| told.get(&c) == Some(&true)));
            order.push((id, remembers));
        }
        // What hangs on a call is not known from a row.
        list.retain(|e| told[e]);
        order.retain(|(id, _)| told[id]);
        Operands { list, order }
    }
}

/// Is there a way to tell the value of a node from those below it?
fn can_be_told(x: &ExprArena, id: ExprId, below: impl Fn(ExprId) -> bool) -> bool {
    match x.get(id) {
        Expr::If(c, a, b) => below(c) && (below(a) || below(b)),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => below(a) || below(b),
        Expr::Call(..) => false,
        Expr::Builtin(Builtin::Initial, _) => true,
        _ => {
            let mut all = true;
            x.for_each_child(id, |c| all &= below(c));
            all
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

/// Of these nodes, children first: can one be without a value where its variables have one?
fn partial(source: &CausalModel, nodes: impl Iterator<Item = ExprId>) -> Vec<bool> {
    let x = &source.exprs;
    let at = |id: ExprId| id.as_u32() as usize;
    let mut partial = vec![false; x.len()];
    let mut varies = vec![false; x.len()];
    for id in nodes {
        let mut varying = match x.get(id) {
            Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) => {
                !matches!(source.vars[v].kind, Kind::Parameter | Kind::External)
            }
            e => e == Expr::Time,
        };
        let mut any = is_partial(x, id, |c| varies[at(c)]);
        x.for_each_child(id, |c| {
            any |= partial[at(c)];
            varying |= varies[at(c)];
        });
        (partial[at(id)], varies[at(id)]) = (any, varying);
    }
    partial
}

/// What is asked about in a comparison or a choice, which has a value whatever it is. A call may not need all of its arguments.
fn for_each_operand(x: &ExprArena, id: ExprId, operand: impl FnMut(ExprId)) {
    let asks = match x.get(id) {
        Expr::Binary(op, ..) => is_comparison(op),
        Expr::Builtin(f, _) => matches!(
            f,
            Builtin::Min | Builtin::Max | Builtin::Sign | Builtin::Integer
        ),
        _ => false,
    };
    if asks {
        x.for_each_child(id, operand);
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
    )
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

/// Deeper conditions are not looked into, nor larger ones.
const DEEPEST: u32 = 100;
const LARGEST: u32 = 2000;

/// The values of a row.
struct Row<'a> {
    dependence: &'a Dependence,
    model: &'a CompiledModel,
    values: &'a [f64],
    /// Nodes of the present expression that may still be looked at.
    left: Cell<u32>,
}

impl<'a> Row<'a> {
    fn new(dependence: &'a Dependence, model: &'a CompiledModel, values: &'a [f64]) -> Row<'a> {
        Row {
            dependence,
            model,
            values,
            left: Cell::new(0),
        }
    }

    fn of(&self, id: ExprId) -> Option<f64> {
        self.left.set(LARGEST);
        self.value(id, 0)
    }

    /// A number or a condition, where it can be told from the variables of the row.
    fn value(&self, id: ExprId, depth: u32) -> Option<f64> {
        self.left.set(self.left.get().checked_sub(1)?);
        let at = |e| {
            (depth < DEEPEST)
                .then(|| self.value(e, depth + 1))
                .flatten()
        };
        self.node(id, false, at)
    }

    /// The same of a node whose children are known, and the sides of the condition that it may be; or what it `remembers` of them.
    fn node(&self, id: ExprId, remembers: bool, at: impl Fn(ExprId) -> Option<f64>) -> Option<f64> {
        let x = &self.model.source.exprs;
        let read = |(slot, negated): (Slot, bool)| {
            let v = self.values.get(slot as usize).copied()?;
            Some(if negated { -v } else { v })
        };
        match x.get(id) {
            // Until its event is over, a condition remembers the side that its values have left.
            Expr::Var(v) if !remembers && self.dependence.compared.contains_key(&v) => {
                let [lhs, rhs] = self.dependence.sides[&v];
                match at(lhs).zip(at(rhs)) {
                    Some((a, b)) => binary(self.dependence.compared[&v], a, b),
                    None => read(self.model.layout.place(v)?),
                }
            }
            Expr::Var(v) => read(self.model.layout.place(v)?),
            Expr::Pre(v) => read(self.model.layout.pre(v)?),
            Expr::Time => read((Layout::TIME, false)),
            Expr::Builtin(Builtin::Initial, _) => Some(truth(false)),
            Expr::Unary(UnaryOp::Neg, a) => Some(-at(a)?),
            Expr::Unary(UnaryOp::Not, a) => Some(truth(at(a)? == 0.0)),
            Expr::If(c, a, b) => at(if at(c)? != 0.0 { a } else { b }),
            // One side that decides is enough.
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let decides = truth(op == BinaryOp::Or);
                match (at(a), at(b)) {
                    (Some(side), _) | (_, Some(side)) if (side != 0.0) == (decides != 0.0) => {
                        Some(decides)
                    }
                    (a, b) => binary(op, a?, b?),
                }
            }
            Expr::Binary(op, a, b) => binary(op, at(a)?, at(b)?),
            Expr::Builtin(f, args) => match *x.args(args) {
                [a] => unary_value(f, at(a)?),
                [a, b] => binary_value(f, at(a)?, at(b)?),
                _ => None,
            },
            _ => x.as_f64(id),
        }
    }
}

fn truth(b: bool) -> f64 {
    f64::from(u8::from(b))
}

/// A comparison with what is no number says nothing.
fn binary(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    if is_comparison(op) && (a.is_nan() || b.is_nan()) {
        return None;
    }
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
        BinaryOp::Pow => a.powf(b),
    })
}

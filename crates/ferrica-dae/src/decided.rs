//! What a when-clause decides by must be a number.
//!
//! In: discrete equations `n = if fires then body else …`. Out: assertions, looked at when the clause fires, that what the body compares, takes the
//! larger one of, or the whole part, is a number. Only operands that can be none are asked for: a root, a logarithm or a quotient that varies, and
//! variables that are computed from one. What a branch that is not taken reads is not asked for, nor a side of `and` and `or` where the other one decides.

use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, VarId};
use ferrica_ir::flat::Assertion;
use ferrica_ir::{Span, print};
use rustc_hash::FxHashMap;

use crate::model::Dae;

/// Deeper expressions are not looked into.
const DEEPEST: u32 = 200;
/// Variables that are followed from one to the next.
const LONGEST: u32 = 500;
/// Nodes of the body of a clause that are looked at, one that is read twice counted twice, and operands that are asked about: of a large function that stands inline
/// in a body each would be looked at with all that is above it.
const LARGEST: u32 = 1000;
const MOST: usize = 16;

/// Adds the assertions.
pub fn ask(dae: &mut Dae) {
    let mut clauses = Vec::new();
    for eq in &dae.equations {
        for (left, right) in [(eq.lhs, eq.rhs), (eq.rhs, eq.lhs)] {
            if let (Expr::Var(v), Expr::If(c, ..)) = (dae.exprs.get(left), dae.exprs.get(right))
                && fires(&dae.exprs, c)
            {
                clauses.push((v, right, eq.span, eq.component));
            }
        }
    }
    if clauses.is_empty() {
        return;
    }
    let mut doubts = Doubts::default();
    for (v, value, span, component) in clauses {
        let (mut rest, mut before) = (value, None);
        while let Expr::If(c, body, otherwise) = dae.exprs.get(rest) {
            if !fires(&dae.exprs, c) {
                break;
            }
            let guard = and(&mut dae.exprs, before, c);
            let not = dae.exprs.not(c);
            before = Some(and(&mut dae.exprs, before, not));
            rest = otherwise;
            let mut found = Vec::new();
            doubts.left = LARGEST;
            doubts.collect(dae, body, None, 0, &mut found);
            found.sort_unstable();
            found.dedup();
            found.truncate(MOST);
            for (path, operand) in found {
                assert_number(dae, v, (guard, path, operand), span, component);
            }
        }
    }
}

fn assert_number(
    dae: &mut Dae,
    of: VarId,
    (guard, path, operand): (ExprId, Option<ExprId>, ExprId),
    span: Span,
    component: u32,
) {
    let condition = number_where(&mut dae.exprs, path, operand);
    if dae.exprs.as_bool(condition) == Some(true) {
        return;
    }
    let text = print::expr(&dae.exprs, dae, operand);
    let text = format!(
        "`{text}` is not a number, and `{}` depends on it",
        dae.vars[of].var.name
    );
    let message = dae.exprs.str(&text);
    dae.assertions.push(Assertion {
        guard: Some(guard),
        condition,
        message,
        is_error: true,
        of_numbers: true,
        span,
        component,
    });
}

/// Is this the condition of a when-clause?
fn fires(x: &ExprArena, c: ExprId) -> bool {
    match x.get(c) {
        Expr::Builtin(f, _) => f == Builtin::WhenFires,
        Expr::Binary(BinaryOp::Or | BinaryOp::And, a, b) => fires(x, a) || fires(x, b),
        _ => false,
    }
}

fn and(x: &mut ExprArena, a: Option<ExprId>, b: ExprId) -> ExprId {
    match a {
        Some(a) => x.and_all(&[a, b]),
        None => b,
    }
}

/// Neither comparison holds for what is no number.
fn number(x: &mut ExprArena, e: ExprId) -> ExprId {
    let zero = x.real(0.0);
    let below = x.binary(BinaryOp::Lt, e, zero);
    let not_below = x.binary(BinaryOp::Ge, e, zero);
    x.or_all(&[below, not_below])
}

fn number_where(x: &mut ExprArena, path: Option<ExprId>, e: ExprId) -> ExprId {
    let is_number = number(x, e);
    match path {
        Some(path) => {
            let idle = x.not(path);
            x.or_all(&[idle, is_number])
        }
        None => is_number,
    }
}

/// Which expressions can be without a value.
#[derive(Default)]
struct Doubts {
    /// What an algebraic variable is computed from, where an equation says so; made when it is first asked for.
    given: Option<FxHashMap<VarId, ExprId>>,
    variables: FxHashMap<VarId, bool>,
    nodes: FxHashMap<ExprId, bool>,
    asking: FxHashMap<ExprId, bool>,
    /// Variables between the one that was asked about and the present one.
    chain: u32,
    /// Nodes of the present clause that may still be looked at.
    left: u32,
}

impl Doubts {
    /// Operands below `e` that must be numbers, with the condition under which they are asked for.
    fn collect(
        &mut self,
        dae: &mut Dae,
        e: ExprId,
        path: Option<ExprId>,
        depth: u32,
        found: &mut Vec<(Option<ExprId>, ExprId)>,
    ) {
        if depth > DEEPEST || self.left == 0 || !self.asks(dae, e) {
            return;
        }
        self.left -= 1;
        for operand in operands(&dae.exprs, e) {
            if dae.exprs.ty(operand) == Ty::Real && self.is_doubtful(dae, operand) {
                found.push((path, operand));
            }
        }
        match dae.exprs.get(e) {
            Expr::If(c, a, b) => {
                self.collect(dae, c, path, depth + 1, found);
                let not = dae.exprs.not(c);
                let (taken, left) = (and(&mut dae.exprs, path, c), and(&mut dae.exprs, path, not));
                self.collect(dae, a, Some(taken), depth + 1, found);
                self.collect(dae, b, Some(left), depth + 1, found);
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                for (side, other) in [(a, b), (b, a)] {
                    let mut inside = Vec::new();
                    self.collect(dae, side, None, depth + 1, &mut inside);
                    if inside.is_empty() {
                        continue;
                    }
                    let open = self.is_open(dae, op, other, depth + 1);
                    let outer = Some(and(&mut dae.exprs, path, open));
                    for (path, operand) in inside {
                        let path = match path {
                            Some(inner) => Some(and(&mut dae.exprs, outer, inner)),
                            None => outer,
                        };
                        found.push((path, operand));
                    }
                }
            }
            Expr::Pre(_) => {}
            _ => {
                let mut children = Vec::new();
                dae.exprs.for_each_child(e, |c| children.push(c));
                for c in children {
                    self.collect(dae, c, path, depth + 1, found);
                }
            }
        }
    }

    /// Does a side of `and` or `or` leave the result to the other side? It does where it is not decided itself.
    fn is_open(&mut self, dae: &mut Dae, op: BinaryOp, side: ExprId, depth: u32) -> ExprId {
        let mut asked = Vec::new();
        self.collect(dae, side, None, depth, &mut asked);
        let mut open = match op {
            BinaryOp::And => side,
            _ => dae.exprs.not(side),
        };
        for (path, operand) in asked {
            let is_number = number(&mut dae.exprs, operand);
            let none = dae.exprs.not(is_number);
            let none = and(&mut dae.exprs, path, none);
            open = dae.exprs.or_all(&[open, none]);
        }
        open
    }

    /// Does something below `e` ask for a number that may be none?
    fn asks(&mut self, dae: &Dae, e: ExprId) -> bool {
        if let Some(&known) = self.asking.get(&e) {
            return known;
        }
        for id in below(&dae.exprs, e) {
            let mut any = operands(&dae.exprs, id)
                .into_iter()
                .any(|o| dae.exprs.ty(o) == Ty::Real && self.is_doubtful(dae, o));
            dae.exprs
                .for_each_child(id, |c| any |= self.asking.get(&c) == Some(&true));
            self.asking.insert(id, any);
        }
        self.asking[&e]
    }

    fn is_doubtful(&mut self, dae: &Dae, e: ExprId) -> bool {
        if let Some(&known) = self.nodes.get(&e) {
            return known;
        }
        let x = &dae.exprs;
        for id in below(x, e) {
            if self.nodes.contains_key(&id) {
                continue;
            }
            let mut doubtful = can_fail(dae, id);
            x.for_each_child(id, |c| doubtful |= self.nodes.get(&c) == Some(&true));
            if let Expr::Var(v) = x.get(id) {
                doubtful |= self.is_variable_doubtful(dae, v);
            }
            self.nodes.insert(id, doubtful);
        }
        self.nodes[&e]
    }

    fn is_variable_doubtful(&mut self, dae: &Dae, v: VarId) -> bool {
        if dae.vars[v].kind != Kind::Algebraic {
            return false;
        }
        if let Some(&known) = self.variables.get(&v) {
            return known;
        }
        // Where it goes in a circle, the circle adds nothing.
        self.variables.insert(v, false);
        if self.chain == LONGEST {
            return false;
        }
        self.chain += 1;
        let given = self.given.get_or_insert_with(|| given(dae));
        let from = given.get(&v).copied();
        let doubtful = from.is_some_and(|e| self.is_doubtful(dae, e));
        self.chain -= 1;
        self.variables.insert(v, doubtful);
        doubtful
    }
}

/// All nodes below one and itself, children first.
fn below(x: &ExprArena, e: ExprId) -> Vec<ExprId> {
    let mut all = Vec::new();
    x.postorder(&[e], |id| all.push(id));
    all
}

fn given(dae: &Dae) -> FxHashMap<VarId, ExprId> {
    let mut given = FxHashMap::default();
    for eq in &dae.equations {
        for (side, other) in [(eq.lhs, eq.rhs), (eq.rhs, eq.lhs)] {
            if let Expr::Var(v) = dae.exprs.get(side) {
                given.entry(v).or_insert(other);
            }
        }
    }
    given
}

/// What a comparison, a choice of the larger one or a whole part is asked about: they have a value where it has none. A call may not need all of
/// its arguments.
fn operands(x: &ExprArena, e: ExprId) -> Vec<ExprId> {
    let asks = match x.get(e) {
        Expr::Binary(op, ..) => matches!(
            op,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
        ),
        Expr::Builtin(f, _) => matches!(
            f,
            Builtin::Min | Builtin::Max | Builtin::Sign | Builtin::Integer
        ),
        _ => false,
    };
    let mut all = Vec::new();
    if asks {
        x.for_each_child(e, |c| all.push(c));
    }
    all
}

/// Can this operator be without a value where what it is applied to has one?
fn can_fail(dae: &Dae, id: ExprId) -> bool {
    let x = &dae.exprs;
    match x.get(id) {
        Expr::Binary(BinaryOp::Pow, _, b) => x.as_f64(b).is_none_or(|b| b.fract() != 0.0),
        Expr::Binary(BinaryOp::Div, _, b) => {
            let fixed = matches!(x.get(b), Expr::Var(v) if dae.vars[v].kind == Kind::Parameter);
            !fixed && x.as_f64(b).is_none()
        }
        Expr::Builtin(f, _) => matches!(
            f,
            Builtin::Sqrt | Builtin::Log | Builtin::Log10 | Builtin::Asin | Builtin::Acos
        ),
        _ => false,
    }
}

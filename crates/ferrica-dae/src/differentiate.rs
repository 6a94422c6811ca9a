//! Exact differentiation.
//!
//! In: an expression and the derivative of each leaf (variable, time, local of a function). Out:
//! the derivative of the expression in that direction. The total time derivative, partial
//! derivatives and the body of a differentiated function are all this one rule set with different
//! leaves. What has no derivative is an error that says which part of the expression it was.
//!
//! Values that change only at events (Booleans, Integers, `pre`, relation memories) have the
//! derivative zero, so the result holds between events. At a kink (`abs`, `min`, `max`) it is the
//! derivative of the branch that is active. Iterative over the nodes in the order of their ids.

use cranelift_entity::PrimaryMap;
use ferrica_ir::calculus::{Operation, tangent};
use ferrica_ir::elementary::arity;
use ferrica_ir::function::{Derivative, Function, FunctionBody};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, FunctionId, Ty, UnaryOp};
use rustc_hash::FxHashMap;

use crate::function_derivative;
use crate::scan::Reach;
use crate::unread::unread_inputs;

/// Why there is no derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct NotDifferentiable {
    pub reason: String,
}

/// Derivative of a leaf: a variable, time, a local. `None` means zero.
pub type Leaf<'a> =
    dyn FnMut(&mut ExprArena, Expr) -> Result<Option<ExprId>, NotDifferentiable> + 'a;

/// What all differentiations of a model share.
#[derive(Default)]
pub struct DerivativeMemory {
    /// Functions that were differentiated before.
    pub made: FxHashMap<FunctionId, FunctionId>,
    /// Memory of all sweeps.
    pub(crate) reach: Reach,
}

/// Differentiates with a memory for one set of leaves.
pub struct Differentiator<'a> {
    functions: &'a mut PrimaryMap<FunctionId, Function>,
    memory: &'a mut DerivativeMemory,
    memo: FxHashMap<ExprId, Option<ExprId>>,
    /// What cannot be differentiated: it does not matter where a function does not read it, or where a given derivative does not ask for it
    /// (`noDerivative`).
    impossible: FxHashMap<ExprId, NotDifferentiable>,
    /// Derivatives of all outputs of a call, as a sum of calls with factors.
    calls: FxHashMap<ExprId, Vec<Term>>,
    /// See [`Differentiator::linear_in_rates`].
    linear: bool,
}

/// A call of a derivative function, times a factor if there is one.
type Term = (ExprId, Option<ExprId>);

/// More arguments than this stay in one call.
const MAX_RATES: usize = 6;

impl<'a> Differentiator<'a> {
    pub fn new(
        functions: &'a mut PrimaryMap<FunctionId, Function>,
        memory: &'a mut DerivativeMemory,
    ) -> Differentiator<'a> {
        Differentiator {
            functions,
            memory,
            memo: FxHashMap::default(),
            impossible: FxHashMap::default(),
            calls: FxHashMap::default(),
            linear: false,
        }
    }

    /// Writes f'(x, dx) as the sum of f'(x, eᵢ)·dxᵢ: a derivative is linear in the rates it takes, and equations that
    /// are to be solved for rates must show it.
    pub fn linear_in_rates(self) -> Differentiator<'a> {
        Differentiator {
            linear: true,
            ..self
        }
    }

    /// Forget the leaves of the last direction.
    pub fn reset(&mut self) {
        self.memo.clear();
        self.impossible.clear();
        self.calls.clear();
    }

    /// The derivative; `None` means that it is zero.
    pub fn derivative(
        &mut self,
        arena: &mut ExprArena,
        root: ExprId,
        leaf: &mut Leaf<'_>,
    ) -> Result<Option<ExprId>, NotDifferentiable> {
        // What is discrete is constant between events, whatever stands in a condition.
        let (memo, mut discrete) = (&self.memo, Vec::new());
        self.memory.reach.collect(arena, &[root], |id| {
            let is_discrete = arena.ty(id).is_discrete();
            if is_discrete {
                discrete.push(id);
            }
            !is_discrete && !memo.contains_key(&id)
        });
        self.memo.extend(discrete.into_iter().map(|id| (id, None)));
        let nodes = std::mem::take(&mut self.memory.reach.nodes);
        for &id in &nodes {
            let d = match self.impossible_below(arena, id) {
                Some(reason) => Err(reason),
                None => self.node(arena, id, leaf),
            };
            let d = d.unwrap_or_else(|reason| {
                self.impossible.insert(id, reason);
                None
            });
            self.memo.insert(id, d.filter(|&e| !arena.is_zero(e)));
        }
        self.memory.reach.nodes = nodes;
        match self.impossible.get(&root) {
            Some(reason) => Err(reason.clone()),
            None => Ok(self.memo[&root]),
        }
    }

    /// Something impossible that the derivative of a node asks for. What one of a call asks for depends on the function.
    fn impossible_below(&self, arena: &ExprArena, id: ExprId) -> Option<NotDifferentiable> {
        if self.impossible.is_empty()
            || arena.ty(id).is_discrete()
            || matches!(arena.get(id), Expr::Call(..))
        {
            return None;
        }
        let mut found = None;
        arena.for_each_child(id, |c| {
            if found.is_none() {
                found = self.impossible.get(&c).cloned();
            }
        });
        found
    }

    /// The derivative as an expression.
    pub fn derivative_expr(
        &mut self,
        arena: &mut ExprArena,
        root: ExprId,
        leaf: &mut Leaf<'_>,
    ) -> Result<ExprId, NotDifferentiable> {
        let d = self.derivative(arena, root, leaf)?;
        Ok(d.unwrap_or_else(|| arena.real(0.0)))
    }

    fn node(
        &mut self,
        arena: &mut ExprArena,
        id: ExprId,
        leaf: &mut Leaf<'_>,
    ) -> Result<Option<ExprId>, NotDifferentiable> {
        let expr = arena.get(id);
        if arena.ty(id).is_discrete() {
            return Ok(None);
        }
        match expr {
            Expr::Real(_) | Expr::Int(_) | Expr::Pre(_) => Ok(None),
            Expr::Bool(_) | Expr::Str(_) | Expr::Enum(..) => Ok(None),
            Expr::Time | Expr::Var(_) | Expr::Der(_) | Expr::Local(_) | Expr::Load(..) => {
                leaf(arena, expr)
            }
            Expr::Unary(UnaryOp::Neg, a) => Ok(self.memo[&a].map(|d| arena.neg(d))),
            Expr::Unary(UnaryOp::Not, _) => Ok(None),
            Expr::Binary(op, a, b) => Ok(Operation::of(op).and_then(|op| {
                let rates = [self.memo[&a], self.memo[&b]];
                tangent(arena, op, &[&a, &b], &id, &rates)
            })),
            Expr::If(c, a, b) => Ok(match (self.memo[&a], self.memo[&b]) {
                (None, None) => None,
                (x, y) => {
                    let zero = arena.real(0.0);
                    Some(arena.if_then_else(c, x.unwrap_or(zero), y.unwrap_or(zero)))
                }
            }),
            Expr::Builtin(f, list) => {
                let args = arena.args(list).to_vec();
                self.builtin(arena, id, f, &args)
            }
            Expr::Call(f, list) => {
                let args = arena.args(list).to_vec();
                let terms = self.call(arena, f, &args)?;
                // A call of one output may be used without a projection.
                let d = match terms[..] {
                    [] => None,
                    [(call, None)] => Some(single(arena, call)),
                    _ if self.functions[f].outputs == 1 => Some(sum(arena, &terms, single)),
                    // Only its projections have a derivative that is one expression.
                    [(call, _), ..] => Some(call),
                };
                self.calls.insert(id, terms);
                Ok(d)
            }
            Expr::Proj(call, k) => {
                let Expr::Call(f, _) = arena.get(call) else {
                    return Err(NotDifferentiable {
                        reason: "an output of spatialDistribution".into(),
                    });
                };
                let Some(terms) = self.calls.get(&call).filter(|t| !t.is_empty()) else {
                    return Ok(None);
                };
                let function = &self.functions[f];
                let first = function.inputs as usize;
                let real_before = (0..k as usize)
                    .filter(|i| function.slots[first + i].ty == Ty::Real)
                    .count() as u32;
                Ok(Some(sum(arena, terms, |arena, call| {
                    arena.proj(call, real_before, Ty::Real)
                })))
            }
        }
    }

    /// Calls of the derivative function; none when no argument varies.
    fn call(
        &mut self,
        arena: &mut ExprArena,
        f: FunctionId,
        args: &[ExprId],
    ) -> Result<Vec<Term>, NotDifferentiable> {
        let derivatives: Vec<Option<ExprId>> = args.iter().map(|a| self.memo[a]).collect();
        // Of these there is none, whether the function asks for it or not.
        let impossible: Vec<Option<NotDifferentiable>> = args
            .iter()
            .map(|a| self.impossible.get(a).cloned())
            .collect();
        let stands = |i: usize| derivatives[i].is_none() && impossible[i].is_none();
        if (0..args.len()).all(stands) {
            return Ok(Vec::new());
        }
        if let Some(d) = self.functions[f]
            .derivatives
            .iter()
            .find(|d| !d.of.is_empty())
        {
            let rule = d.clone();
            let asked = (0u32..)
                .zip(impossible)
                .filter(|(k, _)| !rule.redundant.contains(k));
            if let Some(reason) = asked.filter_map(|(_, reason)| reason).next() {
                return Err(reason);
            }
            let d = self.second_derivative(arena, f, &rule, args, &derivatives);
            return Ok(d.map(|d| (d, None)).into_iter().collect());
        }
        let annotated = self.functions[f].derivatives.iter().find(|d| {
            let asked = |i: usize| d.with_respect_to.contains(&(i as u32));
            let needless = |i: usize| d.redundant.contains(&(i as u32));
            d.zero
                .iter()
                .all(|&i| i as usize >= args.len() || stands(i as usize))
                && (0..args.len()).all(|i| stands(i) || asked(i) || needless(i))
        });
        let asked: Vec<u32> = match annotated {
            Some(d) => d.with_respect_to.clone(),
            None if impossible.iter().any(Option::is_some) => {
                let unread = unread_inputs(&self.functions[f], arena);
                let all = 0..args.len() as u32;
                all.filter(|k| !unread.contains(k)).collect()
            }
            None => Vec::new(),
        };
        let mut reasons = asked.iter().filter_map(|&k| impossible.get(k as usize));
        if let Some(reason) = reasons.find_map(Option::as_ref) {
            return Err(reason.clone());
        }
        if annotated.is_none()
            && !matches!(self.functions[f].body, FunctionBody::Code(_))
            && let Some(base) = self.linear_from(f)
            && derivatives[..base].iter().all(Option::is_none)
        {
            // A derivative function is linear in the derivatives it takes.
            let zero = arena.real(0.0);
            let mut all = args[..base].to_vec();
            all.extend(derivatives[base..].iter().map(|d| d.unwrap_or(zero)));
            let ty = if self.functions[f].outputs == 1 {
                Ty::Real
            } else {
                Ty::Tuple
            };
            return Ok(vec![(arena.call(f, &all, ty), None)]);
        }
        let (function, with_respect_to) = match annotated {
            Some(d) => (d.function, d.with_respect_to.clone()),
            None => function_derivative::derivative_of(self.functions, self.memory, arena, f)?,
        };
        let (zero, one) = (arena.real(0.0), arena.real(1.0));
        let ty = if self.functions[function].outputs == 1 {
            Ty::Real
        } else {
            Ty::Tuple
        };
        let rates: Vec<Option<ExprId>> = with_respect_to
            .iter()
            .map(|&i| derivatives[i as usize])
            .collect();
        // A derivative of second order that is given takes the rates of the first along the trajectory.
        let last = self.functions[function].derivatives.is_empty();
        if self.linear && last && rates.iter().flatten().count() <= MAX_RATES {
            let terms = rates.iter().enumerate().filter_map(|(k, &rate)| {
                let mut all = args.to_vec();
                all.extend((0..rates.len()).map(|i| if i == k { one } else { zero }));
                Some((arena.call(function, &all, ty), Some(rate?)))
            });
            return Ok(terms.collect());
        }
        let mut all = args.to_vec();
        all.extend(rates.iter().map(|d| d.unwrap_or(zero)));
        Ok(vec![(arena.call(function, &all, ty), None)])
    }

    /// The derivative of g(x, v) with `derivative(order = 2) = F`. F(x, v, a) = Q(v) + g(x, a) with a
    /// quadratic form Q, so in the direction (d, w) of (x, v) it is the bilinear form of v and d,
    /// (Q(v + d) − Q(v − d))/4, plus g(x, w).
    fn second_derivative(
        &mut self,
        arena: &mut ExprArena,
        f: FunctionId,
        rule: &Derivative,
        args: &[ExprId],
        derivatives: &[Option<ExprId>],
    ) -> Option<ExprId> {
        let zero = arena.real(0.0);
        let of = |slots: &[u32]| -> Vec<ExprId> {
            let at = |&k: &u32| derivatives.get(k as usize).copied().flatten();
            slots.iter().map(|k| at(k).unwrap_or(zero)).collect()
        };
        let (d, w) = (of(&rule.of), of(&rule.with_respect_to));
        let v: Vec<ExprId> = rule
            .with_respect_to
            .iter()
            .map(|&k| args[k as usize])
            .collect();
        if d == v {
            // Along the trajectory: exactly what F is made for.
            let all: Vec<ExprId> = args.iter().chain(&w).copied().collect();
            return Some(arena.call(rule.function, &all, Ty::Real));
        }
        let with = |list: &[ExprId]| -> Vec<ExprId> {
            let mut all = args.to_vec();
            for (&k, &x) in rule.with_respect_to.iter().zip(list) {
                all[k as usize] = x;
            }
            all
        };
        let mut sum = None;
        if d.iter().any(|&x| x != zero) {
            let quadratic = |arena: &mut ExprArena, op: BinaryOp| {
                let shifted: Vec<ExprId> = v
                    .iter()
                    .zip(&d)
                    .map(|(&v, &d)| arena.binary(op, v, d))
                    .collect();
                let mut all = with(&shifted);
                all.extend(d.iter().map(|_| zero));
                arena.call(rule.function, &all, Ty::Real)
            };
            let plus = quadratic(arena, BinaryOp::Add);
            let minus = quadratic(arena, BinaryOp::Sub);
            let difference = arena.binary(BinaryOp::Sub, plus, minus);
            let quarter = arena.real(0.25);
            sum = Some(arena.binary(BinaryOp::Mul, quarter, difference));
        }
        if w.iter().any(|&x| x != zero) {
            let linear = arena.call(f, &with(&w), Ty::Real);
            sum = Some(match sum {
                Some(s) => arena.binary(BinaryOp::Add, s, linear),
                None => linear,
            });
        }
        sum
    }

    /// If `f` is the derivative function of another one: the first input it is linear in.
    fn linear_from(&self, f: FunctionId) -> Option<usize> {
        self.functions
            .values()
            .find(|g| g.derivatives.iter().any(|d| d.function == f))
            .map(|g| g.inputs as usize)
    }

    fn builtin(
        &mut self,
        arena: &mut ExprArena,
        id: ExprId,
        f: Builtin,
        args: &[ExprId],
    ) -> Result<Option<ExprId>, NotDifferentiable> {
        use Builtin::*;
        let d: Vec<Option<ExprId>> = args.iter().map(|a| self.memo[a]).collect();
        if matches!(f, Delay | SpatialDistribution) {
            return Err(NotDifferentiable {
                reason: "a delayed value".into(),
            });
        }
        if d.iter().all(Option::is_none) {
            return Ok(None);
        }
        if arity(f).is_some() {
            let args: Vec<&ExprId> = args.iter().collect();
            return Ok(tangent(arena, Operation::Function(f), &args, &id, &d));
        }
        let zero = arena.real(0.0);
        let of = |i: usize| d.get(i).copied().flatten().unwrap_or(zero);
        Ok(match f {
            NoEvent | Body | Argument => Some(of(0)),
            Smooth => Some(of(1)),
            Homotopy => Some(arena.builtin(Homotopy, &[of(0), of(1)])),
            SemiLinear => {
                let x = args[0];
                let positive = arena.binary(BinaryOp::Ge, x, zero);
                let k = arena.if_then_else(positive, args[1], args[2]);
                let dk = arena.if_then_else(positive, of(1), of(2));
                let (a, b) = (arena.mul(k, of(0)), arena.mul(x, dk));
                Some(arena.add(a, b))
            }
            other => {
                return Err(NotDifferentiable {
                    reason: format!("the operator {}", ferrica_ir::print::builtin_name(other)),
                });
            }
        })
    }
}

/// Sum of the terms, each call seen through `value`.
fn sum(
    arena: &mut ExprArena,
    terms: &[Term],
    value: impl Fn(&mut ExprArena, ExprId) -> ExprId,
) -> ExprId {
    let mut total = arena.real(0.0);
    for &(call, factor) in terms {
        let mut term = value(arena, call);
        if let Some(factor) = factor {
            term = arena.mul(term, factor);
        }
        total = arena.add(total, term);
    }
    total
}

/// A call of a function with one output used as a value.
fn single(arena: &mut ExprArena, call: ExprId) -> ExprId {
    if arena.ty(call) == Ty::Tuple {
        arena.proj(call, 0, Ty::Real)
    } else {
        call
    }
}

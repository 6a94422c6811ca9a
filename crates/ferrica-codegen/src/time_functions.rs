//! What the continuous equations, conditions and delays read that depends on time alone.
//!
//! In: the causal model. Out: a kernel for each largest part of an expression that is a function of time, of parameters and of discrete
//! variables, so fixed until the next event, and that is no straight line. What such a function does in the future can be looked up
//! before a step is taken, unlike anything that depends on states. Linear in the size of the expressions.

use ferrica_ir::Span;
use ferrica_ir::causal::{Block, CausalModel, Kind};
use ferrica_ir::expr::{BinaryOp, Expr, ExprId, UnaryOp, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::Op;
use crate::layout::Slot;
use crate::lower::Lowering;
use crate::program::{Kernels, Program, Row};
use crate::tape::independent_rows;

/// A function of more variables than this, each computed from others, is not looked at.
const MOST_VARIABLES: usize = 1000;

/// See the module comment.
#[derive(Clone, Debug)]
pub struct TimeFunction {
    pub row: Row,
    /// Where it calls functions: evaluates it at the present time into `result`.
    pub call: Option<Program>,
    pub result: Slot,
    /// A condition or a delay reads it, not only derivatives and algebraic equations.
    pub decides: bool,
    pub expr: ExprId,
}

/// How an expression depends on time between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Course {
    Constant,
    Line,
    Curve,
    /// It depends on states or inputs.
    Other,
}

/// Courses of expressions, and the variables that depend on time alone: number in the order of blocks, course, expression.
struct Courses<'a> {
    model: &'a CausalModel,
    memo: Vec<Option<Course>>,
    stack: Vec<ExprId>,
    variables: FxHashMap<VarId, (usize, Course, ExprId)>,
}

impl<'a> Courses<'a> {
    fn new(model: &'a CausalModel) -> Courses<'a> {
        let mut courses = Courses {
            model,
            memo: vec![None; model.exprs.len()],
            stack: Vec::new(),
            variables: FxHashMap::default(),
        };
        // In the order of blocks: what an expression reads is known.
        for (k, (block, &continuous)) in model.blocks.iter().zip(&model.continuous).enumerate() {
            let Block::Assign(a) = block else { continue };
            if continuous && model.vars[a.var].kind == Kind::Algebraic {
                let course = courses.of(a.expr);
                if course < Course::Other {
                    courses.variables.insert(a.var, (k, course, a.expr));
                }
            }
        }
        courses
    }

    fn of(&mut self, root: ExprId) -> Course {
        let arena = &self.model.exprs;
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(root);
        while let Some(&id) = stack.last() {
            if self.memo[id.as_u32() as usize].is_some() {
                stack.pop();
                continue;
            }
            let open = stack.len();
            arena.for_each_child(id, |c| {
                if self.memo[c.as_u32() as usize].is_none() {
                    stack.push(c);
                }
            });
            if stack.len() == open {
                self.memo[id.as_u32() as usize] = Some(self.of_node(id));
                stack.pop();
            }
        }
        self.stack = stack;
        self.known(root)
    }

    fn known(&self, id: ExprId) -> Course {
        self.memo[id.as_u32() as usize].unwrap_or(Course::Other)
    }

    /// Of an expression whose parts are known.
    fn of_node(&self, id: ExprId) -> Course {
        let arena = &self.model.exprs;
        match arena.get(id) {
            Expr::Time => Course::Line,
            Expr::Var(v) => match self.model.vars[v].kind {
                Kind::Parameter | Kind::Discrete | Kind::Relation | Kind::External => {
                    Course::Constant
                }
                _ => (self.variables.get(&v)).map_or(Course::Other, |&(_, course, _)| course),
            },
            Expr::Pre(_) => Course::Constant,
            Expr::Der(_) | Expr::Local(_) | Expr::Load(..) => Course::Other,
            Expr::Unary(UnaryOp::Neg, a) => self.known(a),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.known(a).max(self.known(b)),
            Expr::Binary(BinaryOp::Mul, a, b)
                if self.known(a).min(self.known(b)) == Course::Constant =>
            {
                self.known(a).max(self.known(b))
            }
            Expr::Binary(BinaryOp::Div, a, b) if self.known(b) == Course::Constant => self.known(a),
            _ => {
                let mut all = Course::Constant;
                arena.for_each_child(id, |c| all = all.max(self.known(c)));
                if all == Course::Line {
                    Course::Curve
                } else {
                    all
                }
            }
        }
    }

    /// The largest curves below some expressions, in the order in which they are met.
    fn curves(&mut self, roots: impl Iterator<Item = ExprId>) -> Vec<ExprId> {
        let mut curves = Vec::new();
        let mut seen = vec![false; self.memo.len()];
        let mut stack = Vec::new();
        for root in roots {
            self.of(root);
            stack.push(root);
            while let Some(id) = stack.pop() {
                if std::mem::replace(&mut seen[id.as_u32() as usize], true) {
                    continue;
                }
                match self.known(id) {
                    Course::Curve => curves.push(id),
                    Course::Other => self.model.exprs.for_each_child(id, |c| stack.push(c)),
                    _ => {}
                }
            }
        }
        curves
    }

    /// Variables that an expression is computed from, in the order of blocks; `None` if there are too many.
    fn needed(&self, root: ExprId) -> Option<Vec<(usize, VarId, ExprId)>> {
        let mut needed = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if self.known(id) == Course::Constant || !seen.insert(id) {
                continue;
            }
            if let Expr::Var(v) = self.model.exprs.get(id)
                && let Some(&(k, _, expr)) = self.variables.get(&v)
            {
                needed.push((k, v, expr));
                stack.push(expr);
            }
            if needed.len() > MOST_VARIABLES {
                return None;
            }
            self.model.exprs.for_each_child(id, |c| stack.push(c));
        }
        needed.sort_unstable_by_key(|n| n.0);
        Some(needed)
    }
}

/// See the module comment.
pub fn time_functions(low: &mut Lowering<'_>, kernels: &mut Kernels) -> Vec<TimeFunction> {
    let model = low.model;
    let arena = &model.exprs;
    if !arena.ids().any(|id| arena.get(id) == Expr::Time) {
        return Vec::new();
    }
    let mut courses = Courses::new(model);
    let conditions = (model.relations.iter())
        .filter(|r| !r.time_event)
        .flat_map(|r| [r.lhs, r.rhs]);
    let delays = model.delays.iter().flat_map(|d| [d.source, d.delay]);
    let transports = (model.transports.iter()).flat_map(|t| [t.sources[0], t.sources[1]]);
    let deciding = courses.curves(conditions.chain(delays).chain(transports));
    let is_deciding: FxHashSet<ExprId> = deciding.iter().copied().collect();
    // An equation that gives a function of time its name reads none: those that read the name do.
    let named: FxHashSet<VarId> = courses.variables.keys().copied().collect();
    let equations = (model.equations.iter())
        .filter(|e| e.continuous && !named.contains(&e.unknown))
        .flat_map(|e| [e.lhs, e.rhs]);
    let others = courses.curves(equations);
    let others = others.into_iter().filter(|e| !is_deciding.contains(e));
    let mut functions = Vec::new();
    for (k, expr) in deciding.iter().copied().chain(others).enumerate() {
        let Some(needed) = courses.needed(expr) else {
            continue;
        };
        low.begin();
        // What cannot be translated has been told where it stands.
        let lowered = needed
            .iter()
            .try_for_each(|&(_, v, e)| low.expr(e, Span::NONE).map(|r| low.assign(v, r)))
            .and_then(|()| low.expr(expr, Span::NONE));
        let Ok(value) = lowered else { continue };
        let (kernel, operands) = low.builder.finish(&[value]);
        let calls = kernel.ops.iter().any(|op| matches!(op, Op::Call(_)));
        let result = low.layout.alloc_run(1);
        let row = kernels.add_row(kernel, &operands, &[result]);
        let program = || independent_rows(vec![(row.kernel, kernels.row(row).to_vec())]);
        functions.push(TimeFunction {
            row,
            call: calls.then(program),
            result,
            decides: k < deciding.len(),
            expr,
        });
    }
    functions
}

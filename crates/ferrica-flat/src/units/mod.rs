//! Unit checking, as warnings.
//!
//! In: a flat model whose variables may have units. Out: a warning for each place in the source
//! where two quantities of known and different dimension are equated, added, compared or chosen
//! between. Children precede parents in the arena, so one pass over it derives the dimension of
//! every expression; only what equations and bindings reach is reported.
//!
//! A literal fits everything, and so does a variable with the unit `1`. As a factor a literal keeps
//! the dimension of the other one only if it looks like a pure number: constants have become
//! literals too, and `9.81*m` is a force. For the same reason `if c then 1 else R` has no known
//! dimension: the 1 may be a resistance. What is not known stays so: functions that are calls,
//! variables without a unit.

mod dimension;

use ferrica_ir::elementary::{self, UnitRule};
use ferrica_ir::flat::{Equation, FlatModel, Origin};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Ty, UnaryOp, VarId, print};
use rustc_hash::{FxHashMap, FxHashSet};

use dimension::Dimension;
pub use dimension::{BaseUnit, base_unit};

/// More warnings than this are only counted.
const MAX_WARNINGS: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Unknown,
    /// A pure number that fits every sum.
    Literal,
    /// A literal that may stand for a constant with a unit.
    Odd,
    Known(Dimension),
}

use Unit::{Known, Literal, Odd, Unknown};

/// Two operands that do not fit.
#[derive(Clone, Copy)]
struct Conflict {
    at: ExprId,
    sides: (ExprId, ExprId),
}

struct Checker<'m> {
    model: &'m FlatModel,
    of_vars: Vec<Unit>,
    of_exprs: Vec<Unit>,
    /// The first conflict in or below an expression.
    conflicts: FxHashMap<ExprId, Conflict>,
}

/// The warnings for a model.
pub fn check(model: &FlatModel) -> Vec<Diagnostic> {
    if model.vars.values().all(|v| v.unit.is_empty()) {
        return Vec::new();
    }
    let mut checker = Checker {
        model,
        of_vars: units_of_variables(model),
        of_exprs: Vec::with_capacity(model.exprs.len()),
        conflicts: FxHashMap::default(),
    };
    for k in 0..model.exprs.len() as u32 {
        let unit = checker.derive(ExprId::from_u32(k));
        checker.of_exprs.push(unit);
    }
    checker.report()
}

fn units_of_variables(model: &FlatModel) -> Vec<Unit> {
    let mut cache: FxHashMap<&str, Unit> = FxHashMap::default();
    model
        .vars
        .values()
        .map(|v| match v.ty {
            Ty::Real if v.unit.is_empty() => Unknown,
            Ty::Real => {
                *cache
                    .entry(v.unit.as_str())
                    .or_insert_with(|| match Dimension::parse(&v.unit) {
                        Some(_) if v.unit == "1" => Literal,
                        Some(d) => Known(d),
                        None => Unknown,
                    })
            }
            _ => Literal,
        })
        .collect()
}

impl Checker<'_> {
    fn unit(&self, e: ExprId) -> Unit {
        self.of_exprs[e.as_u32() as usize]
    }

    fn variable(&self, v: VarId) -> Unit {
        self.of_vars[v.as_u32() as usize]
    }

    /// The unit of an expression whose children are done.
    fn derive(&mut self, e: ExprId) -> Unit {
        let x = &self.model.exprs;
        if !self.conflicts.is_empty() {
            let mut below = None;
            x.for_each_child(e, |c| below = below.or(self.conflicts.get(&c).copied()));
            if let Some(c) = below {
                self.conflicts.insert(e, c);
            }
        }
        match x.get(e) {
            Expr::Real(bits) => of_number(f64::from_bits(bits)),
            Expr::Int(v) => of_number(v as f64),
            Expr::Time => Known(Dimension::TIME),
            Expr::Var(v) | Expr::Pre(v) => self.variable(v),
            Expr::Der(v) => match self.variable(v) {
                Known(d) => Known(d.over(Dimension::TIME)),
                _ => Unknown,
            },
            Expr::Unary(UnaryOp::Neg, a) => self.unit(a),
            Expr::Binary(op, a, b) => self.binary(op, e, a, b),
            Expr::If(_, a, b) => self.same(e, a, b),
            Expr::Builtin(f, list) => {
                let args = x.args(list).to_vec();
                self.builtin(f, e, &args)
            }
            _ => Unknown,
        }
    }

    fn binary(&mut self, op: BinaryOp, e: ExprId, a: ExprId, b: ExprId) -> Unit {
        let (p, q) = (self.unit(a), self.unit(b));
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.same(e, a, b),
            BinaryOp::Mul => match (p, q) {
                (Known(x), Known(y)) => Known(x.times(y)),
                (Literal, other) | (other, Literal) => other,
                (Odd, Odd) => Odd,
                _ => Unknown,
            },
            BinaryOp::Div => match (p, q) {
                (Known(x), Known(y)) => Known(x.over(y)),
                (other, Literal) => other,
                (Literal | Odd, Odd) => Odd,
                _ => Unknown,
            },
            BinaryOp::Pow => match p {
                Known(d) if d.is_number() => p,
                Known(d) => match self.model.exprs.as_f64(b) {
                    Some(n) => d.power(n).map_or(Unknown, Known),
                    None => Unknown,
                },
                _ => Unknown,
            },
            _ if op.is_relation() => {
                self.same(e, a, b);
                Literal
            }
            _ => Unknown,
        }
    }

    fn builtin(&mut self, f: Builtin, e: ExprId, args: &[ExprId]) -> Unit {
        if let Some(row) = elementary::row(f) {
            return match (row.unit, args) {
                (UnitRule::Number, _) => Literal,
                (UnitRule::Argument, [a, ..]) => self.unit(*a),
                (UnitRule::Root, [a, ..]) => match self.unit(*a) {
                    Known(d) => d.power(0.5).map_or(Unknown, Known),
                    _ => Unknown,
                },
                (UnitRule::Common, [a, b]) => self.same(e, *a, *b),
                _ => Unknown,
            };
        }
        match (f, args) {
            (
                Builtin::NoEvent
                | Builtin::Body
                | Builtin::Argument
                | Builtin::Delay
                | Builtin::OnClock
                | Builtin::InState
                | Builtin::Homotopy
                | Builtin::Hold
                | Builtin::Previous
                | Builtin::ClockedSample,
                [a, ..],
            )
            | (Builtin::Smooth, [_, a]) => self.unit(*a),
            (Builtin::SemiLinear, [x, a, b]) => match (self.unit(*x), self.same(e, *a, *b)) {
                (Known(x), Known(y)) => Known(x.times(y)),
                _ => Unknown,
            },
            _ => Unknown,
        }
    }

    /// Two operands that must have one dimension.
    fn same(&mut self, e: ExprId, a: ExprId, b: ExprId) -> Unit {
        match (self.unit(a), self.unit(b)) {
            (Known(x), Known(y)) if x == y => Known(x),
            (Known(_), Known(_)) => {
                self.conflicts.entry(e).or_insert(Conflict {
                    at: e,
                    sides: (a, b),
                });
                Unknown
            }
            (Known(x), Literal | Odd) if x.is_number() || self.is_zero(b) => Known(x),
            (Literal | Odd, Known(x)) if x.is_number() || self.is_zero(a) => Known(x),
            (Literal, Literal) => Literal,
            (Literal | Odd, Literal | Odd) => Odd,
            _ => Unknown,
        }
    }

    fn is_zero(&self, e: ExprId) -> bool {
        self.model.exprs.as_f64(e) == Some(0.0)
    }

    /// A conflict in an equation. The branches of an if-equation that has become `0 = if c then a
    /// else b` need not have one dimension.
    fn conflict(&self, e: &Equation) -> Option<Conflict> {
        if !self.is_zero(e.lhs) {
            return self.inside(e.lhs).or_else(|| self.inside(e.rhs));
        }
        let mut rest = vec![e.rhs];
        while let Some(x) = rest.pop() {
            match self.model.exprs.get(x) {
                Expr::If(c, a, b) => rest.extend([c, a, b]),
                Expr::Unary(UnaryOp::Neg, a) => rest.push(a),
                Expr::Binary(BinaryOp::Sub, a, b) if self.is_zero(a) => rest.push(b),
                _ => {
                    if let Some(found) = self.inside(x) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    // Messages.

    fn report(&self) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let mut seen: FxHashSet<Span> = FxHashSet::default();
        let mut more = 0;
        let mut push = |span: Span, d: &dyn Fn() -> Diagnostic| {
            if !seen.insert(span) {
                return;
            }
            if out.len() < MAX_WARNINGS {
                out.push(d());
            } else {
                more += 1;
            }
        };
        for e in self
            .model
            .equations
            .iter()
            .chain(&self.model.initial_equations)
        {
            if let Some(c) = self.conflict(e) {
                push(e.span, &|| self.inner_warning(c, e.span, e.component));
            } else if let (Known(x), Known(y)) = (self.unit(e.lhs), self.unit(e.rhs))
                && x != y
            {
                push(e.span, &|| self.equation_warning(e));
            }
        }
        for (id, v) in &self.model.vars {
            let Some(b) = v.binding else { continue };
            if let Some(c) = self.inside(b) {
                push(v.span, &|| self.inner_warning(c, v.span, 0));
            } else if let (Known(x), Known(y)) = (self.variable(id), self.unit(b))
                && x != y
            {
                push(v.span, &|| {
                    warning(
                        v.span,
                        format!("`{}` is in `{}`, but its value is in `{y}`", v.name, v.unit),
                    )
                });
            }
        }
        if more > 0 {
            out.push(Diagnostic::warning(
                "W0304",
                Span::NONE,
                format!("{more} more places where units do not fit are not shown"),
            ));
        }
        out
    }

    fn inside(&self, e: ExprId) -> Option<Conflict> {
        self.conflicts.get(&e).copied()
    }

    fn text(&self, e: ExprId) -> String {
        let text = print::expr(&self.model.exprs, self.model, e);
        match text.char_indices().nth(60) {
            Some((k, _)) => format!("{}…", &text[..k]),
            None => text,
        }
    }

    /// `x (in V)`, with the unit as the user wrote it where there is one.
    fn quantity(&self, e: ExprId) -> String {
        let x = &self.model.exprs;
        let inner = match x.get(e) {
            Expr::Unary(UnaryOp::Neg, a) => a,
            _ => e,
        };
        let unit = match (x.get(inner), self.unit(e)) {
            (Expr::Var(v) | Expr::Pre(v), _) => self.model.vars[v].unit.to_string(),
            (_, Known(d)) => d.to_string(),
            _ => String::from("?"),
        };
        format!("`{}` is in `{unit}`", self.text(e))
    }

    fn place(&self, component: u32) -> String {
        match self.model.components.get(component as usize) {
            Some(c) if !c.path.is_empty() => format!(" (in `{}`)", c.path),
            _ => String::new(),
        }
    }

    fn equation_warning(&self, e: &Equation) -> Diagnostic {
        let what = match e.origin {
            Origin::Connection => "connected variables",
            Origin::Binding => "the variable and its value",
            _ => "the sides of the equation",
        };
        warning(
            e.span,
            format!(
                "{what} differ in unit: {}, {}{}",
                self.quantity(e.lhs),
                self.quantity(e.rhs),
                self.place(e.component)
            ),
        )
    }

    fn inner_warning(&self, c: Conflict, span: Span, component: u32) -> Diagnostic {
        let what = match self.model.exprs.get(c.at) {
            Expr::Binary(op, ..) if op.is_relation() => "compared",
            Expr::Binary(..) => "added or subtracted",
            _ => "taken for each other",
        };
        warning(
            span,
            format!(
                "quantities of different units are {what}: {}, {}{}",
                self.quantity(c.sides.0),
                self.quantity(c.sides.1),
                self.place(component)
            ),
        )
    }
}

fn warning(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning("W0304", span, message)
        .with_hint("check the formula, or the `unit` of the variables")
}

/// Small whole numbers and fractions, and multiples of π and of square roots, are pure numbers.
fn of_number(v: f64) -> Unit {
    const FRACTIONS: [f64; 7] = [0.5, 1.5, 1.0 / 3.0, 2.0 / 3.0, 4.0 / 3.0, 0.25, 0.75];
    let pi = std::f64::consts::PI;
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y;
    let simple = |x: f64| {
        (1.0..=12.0).contains(&x.round()) && near(x, x.round())
            || FRACTIONS.iter().any(|&f| near(x, f))
    };
    let v = v.abs();
    let pure = [1.0, pi, 1.0 / pi, pi * pi, pi / 180.0, 180.0 / pi]
        .iter()
        .chain(&[
            2f64.sqrt(),
            3f64.sqrt(),
            1.0 / 2f64.sqrt(),
            1.0 / 3f64.sqrt(),
        ])
        .any(|root| simple(v / root));
    if v == 0.0 || pure { Literal } else { Odd }
}

//! A small hybrid model as a tree, and as Modelica text.

use std::fmt::{self, Display, Formatter, Write};

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Number(f64),
    Time,
    State(usize),
    Algebraic(usize),
    Discrete(usize),
    /// The left limit of a discrete variable.
    Pre(usize),
    /// The left limit of a state, in the value of a reinit.
    PreState(usize),
    /// A delayed signal, by its number.
    Delayed(usize),
    Add(Box<Expr>, Box<Expr>),
    Multiply(f64, Box<Expr>),
    Sin(Box<Expr>),
    /// x/(1 + x²) by a function of its own.
    Call(Box<Expr>),
    If(Box<Condition>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The left side is above or below a number.
    Above(Expr, f64),
    Below(Expr, f64),
    After(f64),
    Sample(f64, f64),
    /// A discrete variable is at least a number.
    AtLeast(usize, i64),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A discrete variable gets a value: of integers only.
    Set(usize, Expr),
    Reinit(usize, Expr),
}

/// A when-clause: each branch with its conditions, any of which makes it active, and its actions.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    pub branches: Vec<(Vec<Condition>, Vec<Action>)>,
}

/// How an algebraic variable is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Algebraic {
    /// y = e
    Plain(Expr),
    /// y + y³/4 = e
    Cubic(Expr),
    /// 3 y + b = e with y − 2 b = 0: two equations in a loop
    Pair(Expr),
}

impl Algebraic {
    pub fn right(&self) -> &Expr {
        match self {
            Algebraic::Plain(e) | Algebraic::Cubic(e) | Algebraic::Pair(e) => e,
        }
    }

    pub fn with(&self, e: Expr) -> Algebraic {
        match self {
            Algebraic::Plain(_) => Algebraic::Plain(e),
            Algebraic::Cubic(_) => Algebraic::Cubic(e),
            Algebraic::Pair(_) => Algebraic::Pair(e),
        }
    }
}

/// What a delay remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    State(usize),
    Discrete(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Start value and derivative.
    pub states: Vec<(f64, Expr)>,
    /// In order: each reads only those before it.
    pub algebraics: Vec<Algebraic>,
    pub discretes: Vec<i64>,
    pub delays: Vec<(Source, f64)>,
    pub whens: Vec<When>,
    /// States as an array, or one by one.
    pub has_array: bool,
}

impl Expr {
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        match self {
            Expr::Add(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Expr::Multiply(_, a) | Expr::Sin(a) | Expr::Call(a) => a.visit(f),
            Expr::If(c, a, b) => {
                c.visit(f);
                a.visit(f);
                b.visit(f);
            }
            _ => {}
        }
    }
}

impl Condition {
    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        match self {
            Condition::Above(e, _) | Condition::Below(e, _) => e.visit(f),
            Condition::And(a, b) | Condition::Or(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Condition::Not(a) => a.visit(f),
            Condition::After(_) | Condition::Sample(..) | Condition::AtLeast(..) => {}
        }
    }
}

impl Model {
    pub fn is_set(&self, discrete: usize) -> bool {
        let branches = self.whens.iter().flat_map(|w| &w.branches);
        branches
            .flat_map(|b| &b.1)
            .any(|a| matches!(a, Action::Set(d, _) if *d == discrete))
    }

    pub fn state_name(&self, k: usize) -> String {
        match self.has_array {
            true => format!("x[{}]", k + 1),
            false => format!("x{}", k + 1),
        }
    }

    /// Names of states, algebraic and discrete variables, in this order.
    pub fn names(&self) -> Vec<String> {
        let mut out: Vec<String> = (0..self.states.len()).map(|k| self.state_name(k)).collect();
        out.extend((0..self.algebraics.len()).map(|k| format!("y{}", k + 1)));
        out.extend((0..self.discretes.len()).map(|k| format!("n{}", k + 1)));
        out
    }

    pub fn text(&self) -> String {
        let mut out = String::from("model M\n");
        let mut equations = String::new();
        self.declare(&mut out);
        for (k, (_, e)) in self.states.iter().enumerate() {
            let _ = writeln!(
                equations,
                "  der({}) = {};",
                self.state_name(k),
                self.show(e)
            );
        }
        for (k, a) in self.algebraics.iter().enumerate() {
            let (y, e) = (format!("y{}", k + 1), self.show(a.right()));
            let _ = match a {
                Algebraic::Plain(_) => writeln!(equations, "  {y} = {e};"),
                Algebraic::Cubic(_) => writeln!(equations, "  {y} + 0.25*{y}^3 = {e};"),
                Algebraic::Pair(_) => {
                    writeln!(
                        equations,
                        "  3*{y} + b{0} = {e};\n  {y} - 2*b{0} = 0;",
                        k + 1
                    )
                }
            };
        }
        for (k, (source, time)) in self.delays.iter().enumerate() {
            let what = match source {
                Source::State(s) => self.state_name(*s),
                Source::Discrete(d) => format!("n{}", d + 1),
            };
            let _ = writeln!(equations, "  d{} = delay({what}, {time:?});", k + 1);
        }
        for w in &self.whens {
            self.show_when(w, &mut equations);
        }
        let _ = write!(out, "equation\n{equations}end M;\n");
        out
    }

    fn declare(&self, out: &mut String) {
        let mut calls = false;
        self.visit(&mut |e| calls |= matches!(e, Expr::Call(_)));
        if calls {
            out.push_str(
                "  function f\n    input Real u;\n    output Real v;\n  algorithm\n    v := u/(1 + u^2);\n  end f;\n",
            );
        }
        let starts: Vec<String> = self.states.iter().map(|s| format!("{:?}", s.0)).collect();
        if self.has_array {
            let _ = writeln!(
                out,
                "  Real x[{}](start = {{{}}}, each fixed = true);",
                starts.len(),
                starts.join(", ")
            );
        } else {
            for (k, start) in starts.iter().enumerate() {
                let _ = writeln!(out, "  Real x{}(start = {start}, fixed = true);", k + 1);
            }
        }
        for (k, a) in self.algebraics.iter().enumerate() {
            let pair = match a {
                Algebraic::Pair(_) => format!(", b{}", k + 1),
                _ => String::new(),
            };
            let _ = writeln!(out, "  Real y{}{pair};", k + 1);
        }
        for (k, start) in self.discretes.iter().enumerate() {
            let _ = match self.is_set(k) {
                true => writeln!(out, "  Integer n{}(start = {start}, fixed = true);", k + 1),
                false => writeln!(out, "  Integer n{} = {start};", k + 1),
            };
        }
        for k in 0..self.delays.len() {
            let _ = writeln!(out, "  Real d{};", k + 1);
        }
    }

    fn show_when(&self, w: &When, out: &mut String) {
        for (k, (conditions, actions)) in w.branches.iter().enumerate() {
            let list: Vec<String> = conditions.iter().map(|c| self.show_condition(c)).collect();
            let condition = match &list[..] {
                [one] => one.clone(),
                list => format!("{{{}}}", list.join(", ")),
            };
            let word = if k == 0 { "when" } else { "elsewhen" };
            let _ = writeln!(out, "  {word} {condition} then");
            for a in actions {
                let _ = match a {
                    Action::Set(d, e) => writeln!(out, "    n{} = {};", d + 1, self.show(e)),
                    Action::Reinit(s, e) => {
                        writeln!(
                            out,
                            "    reinit({}, {});",
                            self.state_name(*s),
                            self.show(e)
                        )
                    }
                };
            }
        }
        out.push_str("  end when;\n");
    }

    fn show(&self, e: &Expr) -> String {
        match e {
            Expr::Number(v) => Number(*v).to_string(),
            Expr::Time => "time".into(),
            Expr::State(k) => self.state_name(*k),
            Expr::Algebraic(k) => format!("y{}", k + 1),
            Expr::Discrete(k) => format!("n{}", k + 1),
            Expr::Pre(k) => format!("pre(n{})", k + 1),
            Expr::PreState(k) => format!("pre({})", self.state_name(*k)),
            Expr::Delayed(k) => format!("d{}", k + 1),
            Expr::Add(a, b) => format!("({} + {})", self.show(a), self.show(b)),
            Expr::Multiply(k, a) => format!("{}*{}", Number(*k), self.show(a)),
            Expr::Sin(a) => format!("sin({})", self.show(a)),
            Expr::Call(a) => format!("f({})", self.show(a)),
            Expr::If(c, a, b) => format!(
                "(if {} then {} else {})",
                self.show_condition(c),
                self.show(a),
                self.show(b)
            ),
        }
    }

    fn show_condition(&self, c: &Condition) -> String {
        match c {
            Condition::Above(e, v) => format!("{} > {}", self.show(e), Number(*v)),
            Condition::Below(e, v) => format!("{} < {}", self.show(e), Number(*v)),
            Condition::After(t) => format!("time >= {t:?}"),
            Condition::Sample(s, p) => format!("sample({s:?}, {p:?})"),
            Condition::AtLeast(d, v) => format!("n{} >= {v}", d + 1),
            Condition::And(a, b) => {
                format!(
                    "({} and {})",
                    self.show_condition(a),
                    self.show_condition(b)
                )
            }
            Condition::Or(a, b) => {
                format!("({} or {})", self.show_condition(a), self.show_condition(b))
            }
            Condition::Not(a) => format!("not ({})", self.show_condition(a)),
        }
    }

    pub fn visit(&self, f: &mut impl FnMut(&Expr)) {
        for (_, e) in &self.states {
            e.visit(f);
        }
        for a in &self.algebraics {
            a.right().visit(f);
        }
        for (conditions, actions) in self.whens.iter().flat_map(|w| &w.branches) {
            for c in conditions {
                c.visit(f);
            }
            for a in actions {
                match a {
                    Action::Set(_, e) | Action::Reinit(_, e) => e.visit(f),
                }
            }
        }
    }
}

/// A number that can stand behind an operator; whole ones without a point, because integers are made of them.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let open = if self.0 < 0.0 { "(" } else { "" };
        let close = if self.0 < 0.0 { ")" } else { "" };
        write!(f, "{open}{}{close}", self.0)
    }
}

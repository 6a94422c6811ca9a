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
    /// A sampled real variable, and its left limit.
    Kept(usize),
    PreKept(usize),
    /// What a clocked partition holds.
    Held(usize),
    /// A whole part, with events. The argument is between −[`MOST_WHOLE`] and [`MOST_WHOLE`].
    Floor(Box<Expr>),
    Abs(Box<Expr>),
    /// The larger one of a signal and a number.
    Max(Box<Expr>, f64),
    /// A discrete variable modulo a number.
    Mod(usize, i64),
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
    /// A Boolean variable, by its number.
    Flag(usize),
    /// In when-clauses: the left limit of a discrete variable is a number, it has changed, a Boolean variable has become true, the start.
    Was(usize, i64),
    Change(usize),
    Edge(usize),
    Initial,
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A discrete variable gets a value: of integers only.
    Set(usize, Expr),
    Reinit(usize, Expr),
    /// A sampled real variable gets a value.
    Keep(usize, Expr),
    /// An if-equation in the clause: the condition is asked at the instant and makes no event.
    Choose(Condition, Vec<Action>, Vec<Action>),
}

impl Action {
    /// This action, or those that it chooses from.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Action)) {
        f(self);
        if let Action::Choose(_, a, b) = self {
            for inner in a.iter().chain(b) {
                inner.visit(f);
            }
        }
    }
}

/// A when-clause: each branch with its conditions, any of which makes it active, and its actions.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    pub branches: Vec<(Vec<Condition>, Vec<Action>)>,
    /// Stands in an algorithm of its own.
    pub is_algorithm: bool,
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

/// A delayed signal. A delay that swings is time + swing·sin(3t).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    pub source: Source,
    pub time: f64,
    pub swing: f64,
}

/// A clocked filter: at each tick s = keep·previous(s) + part·sample(state); or a counter of the ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocked {
    pub period: f64,
    pub state: usize,
    pub keep: f64,
    pub part: f64,
}

/// States that are written as a loop, the last ones of the model, each with a counter and a when-clause, which are the last ones too:
/// der(z[i]) = −decay·z[i] + gain·i/n + drive; at z[i] > threshold it is set to back·pre(z[i]).
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub n: usize,
    pub decay: f64,
    pub gain: f64,
    pub drive: Expr,
    pub threshold: f64,
    pub back: f64,
}

/// Bound of the argument of a whole part.
pub const MOST_WHOLE: i64 = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Start value and derivative.
    pub states: Vec<(f64, Expr)>,
    /// In order: each reads only those before it.
    pub algebraics: Vec<Algebraic>,
    pub discretes: Vec<i64>,
    pub delays: Vec<Delay>,
    pub whens: Vec<When>,
    /// States as an array, or one by one.
    pub has_array: bool,
    /// Discrete variables that are of an enumeration with the values 1 … [`MODES`].
    pub modes: Vec<usize>,
    /// Sampled real variables, by their start.
    pub kept: Vec<f64>,
    /// Boolean variables.
    pub flags: Vec<Condition>,
    pub clocked: Vec<Clocked>,
    pub family: Option<Family>,
    /// Algebraic variables that are given by an if-expression get an if-equation.
    pub has_if_equations: bool,
}

/// The number of values of the enumeration.
pub const MODES: i64 = 3;

/// A node of the tree.
#[derive(Clone, Copy)]
pub enum Node<'a> {
    Expr(&'a Expr),
    Condition(&'a Condition),
}

impl Expr {
    /// This node and all below it, itself first.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(Node<'a>)) {
        f(Node::Expr(self));
        match self {
            Expr::Add(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Expr::Multiply(_, a)
            | Expr::Sin(a)
            | Expr::Call(a)
            | Expr::Floor(a)
            | Expr::Abs(a)
            | Expr::Max(a, _) => a.visit(f),
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
    /// This node and all below it, itself first.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(Node<'a>)) {
        f(Node::Condition(self));
        match self {
            Condition::Above(e, _) | Condition::Below(e, _) => e.visit(f),
            Condition::And(a, b) | Condition::Or(a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Condition::Not(a) => a.visit(f),
            _ => {}
        }
    }
}

impl Model {
    pub fn is_set(&self, discrete: usize) -> bool {
        let mut found = false;
        self.visit_actions(&mut |a| found |= matches!(a, Action::Set(d, _) if *d == discrete));
        found
    }

    pub fn is_kept(&self, kept: usize) -> bool {
        let mut found = false;
        self.visit_actions(&mut |a| found |= matches!(a, Action::Keep(k, _) if *k == kept));
        found
    }

    pub fn is_reinitialized(&self, state: usize) -> bool {
        let mut found = false;
        self.visit_actions(&mut |a| found |= matches!(a, Action::Reinit(s, _) if *s == state));
        found
    }

    pub fn visit_actions<'a>(&'a self, f: &mut impl FnMut(&'a Action)) {
        for (_, actions) in self.whens.iter().flat_map(|w| &w.branches) {
            for a in actions {
                a.visit(f);
            }
        }
    }

    /// How many states, discrete variables and when-clauses stand before those of the family.
    pub fn before_family(&self) -> [usize; 3] {
        let n = self.family.as_ref().map_or(0, |f| f.n);
        [self.states.len(), self.discretes.len(), self.whens.len()].map(|all| all - n)
    }

    pub fn add_family(&mut self, family: Family) {
        let n = family.n;
        for i in 1..=n {
            let (state, counter) = (self.states.len(), self.discretes.len());
            let part = family.gain * i as f64 / n as f64;
            let decay = Expr::Multiply(-family.decay, Box::new(Expr::State(state)));
            let drive = Expr::Add(Box::new(Expr::Number(part)), Box::new(family.drive.clone()));
            self.states
                .push((0.0, Expr::Add(Box::new(decay), Box::new(drive))));
            self.discretes.push(0);
            let back = Expr::Multiply(family.back, Box::new(Expr::PreState(state)));
            let count = Expr::Add(Box::new(Expr::Pre(counter)), Box::new(Expr::Number(1.0)));
            let crossing = Condition::Above(Expr::State(state), family.threshold);
            let actions = vec![Action::Reinit(state, back), Action::Set(counter, count)];
            self.whens.push(When {
                branches: vec![(vec![crossing], actions)],
                is_algorithm: false,
            });
        }
        self.family = Some(family);
    }

    /// Without the family.
    pub fn remove_family(&mut self) {
        let [states, discretes, whens] = self.before_family();
        self.states.truncate(states);
        self.discretes.truncate(discretes);
        self.whens.truncate(whens);
        self.family = None;
    }

    pub fn state_name(&self, k: usize) -> String {
        let own = self.before_family()[0];
        match self.has_array {
            _ if k >= own => format!("z[{}]", k + 1 - own),
            true => format!("x[{}]", k + 1),
            false => format!("x{}", k + 1),
        }
    }

    fn discrete_name(&self, k: usize) -> String {
        let own = self.before_family()[1];
        match k.checked_sub(own) {
            Some(i) => format!("m[{}]", i + 1),
            None => format!("n{}", k + 1),
        }
    }

    /// A discrete variable as a number.
    fn count(&self, k: usize, name: String) -> String {
        match self.modes.contains(&k) {
            true => format!("Integer({name})"),
            false => name,
        }
    }

    /// A value of a discrete variable.
    fn constant(&self, k: usize, v: i64) -> String {
        match self.modes.contains(&k) {
            true => format!("Mode.m{v}"),
            false => Number(v as f64).to_string(),
        }
    }

    /// How many real variables there are among the names.
    pub fn reals(&self) -> usize {
        self.states.len() + self.algebraics.len() + self.kept.len() + self.clocked.len()
    }

    /// Names of states, algebraic, sampled, held and discrete variables, in this order.
    pub fn names(&self) -> Vec<String> {
        let mut out: Vec<String> = (0..self.states.len()).map(|k| self.state_name(k)).collect();
        out.extend((0..self.algebraics.len()).map(|k| format!("y{}", k + 1)));
        out.extend((0..self.kept.len()).map(|k| format!("r{}", k + 1)));
        out.extend((0..self.clocked.len()).map(|k| format!("h{}", k + 1)));
        out.extend((0..self.discretes.len()).map(|k| self.discrete_name(k)));
        out
    }

    pub fn text(&self) -> String {
        let mut out = String::from("model M\n");
        let mut equations = String::new();
        self.declare(&mut out);
        let [own_states, _, own_whens] = self.before_family();
        for (k, (_, e)) in self.states[..own_states].iter().enumerate() {
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
                Algebraic::Plain(Expr::If(c, a, b)) if self.has_if_equations => {
                    let (c, a, b) = (self.show_condition(c), self.show(a), self.show(b));
                    writeln!(
                        equations,
                        "  if {c} then\n    {y} = {a};\n  else\n    {y} = {b};\n  end if;"
                    )
                }
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
        for (k, delay) in self.delays.iter().enumerate() {
            let what = match delay.source {
                Source::State(s) => self.state_name(s),
                Source::Discrete(d) => self.count(d, self.discrete_name(d)),
            };
            let (time, swing) = (delay.time, delay.swing);
            let _ = match swing == 0.0 {
                true => writeln!(equations, "  d{} = delay({what}, {time:?});", k + 1),
                false => writeln!(
                    equations,
                    "  d{} = delay({what}, {time:?} + {swing:?}*sin(3*time), {:?});",
                    k + 1,
                    time + swing
                ),
            };
        }
        for (k, c) in self.flags.iter().enumerate() {
            let _ = writeln!(equations, "  c{} = {};", k + 1, self.show_condition(c));
        }
        for (k, c) in self.clocked.iter().enumerate() {
            let (keep, part) = (Number(c.keep), Number(c.part));
            let _ = writeln!(
                equations,
                "  when Clock({:?}) then\n    s{k} = {keep}*previous(s{k}) + {part}*sample({});\n  end when;\n  h{k} = hold(s{k});",
                c.period,
                self.state_name(c.state),
                k = k + 1,
            );
        }
        if let Some(family) = &self.family {
            self.show_family(family, &mut equations);
        }
        for w in &self.whens[..own_whens] {
            if w.is_algorithm {
                equations.push_str("algorithm\n");
            }
            self.show_when(w, &mut equations);
            if w.is_algorithm {
                equations.push_str("equation\n");
            }
        }
        let _ = write!(out, "equation\n{equations}end M;\n");
        out
    }

    fn show_family(&self, f: &Family, out: &mut String) {
        let (n, decay, gain) = (f.n, Number(f.decay), Number(f.gain));
        let (drive, threshold, back) = (self.show(&f.drive), Number(f.threshold), Number(f.back));
        let _ = writeln!(
            out,
            "  for i in 1:{n} loop
    der(z[i]) = -{decay}*z[i] + {gain}*i/{n} + {drive};
    when z[i] > {threshold} then
      reinit(z[i], {back}*pre(z[i]));
      m[i] = pre(m[i]) + 1;
    end when;
  end for;"
        );
    }

    fn declare(&self, out: &mut String) {
        let mut calls = false;
        self.visit(&mut |n| calls |= matches!(n, Node::Expr(Expr::Call(_))));
        if calls {
            out.push_str(
                "  function f\n    input Real u;\n    output Real v;\n  algorithm\n    v := u/(1 + u^2);\n  end f;\n",
            );
        }
        if !self.modes.is_empty() {
            let values: Vec<String> = (1..=MODES).map(|v| format!("m{v}")).collect();
            let _ = writeln!(out, "  type Mode = enumeration({});", values.join(", "));
        }
        let [own_states, own_discretes, _] = self.before_family();
        if let Some(f) = &self.family {
            let n = f.n;
            let _ = writeln!(
                out,
                "  Real z[{n}](each start = 0, each fixed = true);\n  Integer m[{n}](each start = 0, each fixed = true);"
            );
        }
        let own = self.states[..own_states].iter();
        let starts: Vec<String> = own.map(|s| format!("{:?}", s.0)).collect();
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
        for (k, start) in self.discretes[..own_discretes].iter().enumerate() {
            let start = self.constant(k, *start);
            let kind = match self.modes.contains(&k) {
                true => "Mode",
                false => "Integer",
            };
            let _ = match self.is_set(k) {
                true => writeln!(out, "  {kind} n{}(start = {start}, fixed = true);", k + 1),
                false => writeln!(out, "  {kind} n{} = {start};", k + 1),
            };
        }
        for (k, start) in self.kept.iter().enumerate() {
            let _ = match self.is_kept(k) {
                true => writeln!(out, "  Real r{}(start = {start}, fixed = true);", k + 1),
                false => writeln!(out, "  Real r{} = {start};", k + 1),
            };
        }
        for k in 0..self.flags.len() {
            let _ = writeln!(out, "  Boolean c{};", k + 1);
        }
        for k in 1..=self.clocked.len() {
            let _ = writeln!(out, "  Real s{k}(start = 0), h{k};");
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
                self.show_action(a, w.is_algorithm, "    ", out);
            }
        }
        out.push_str("  end when;\n");
    }

    fn show_action(&self, a: &Action, is_algorithm: bool, indent: &str, out: &mut String) {
        let equals = if is_algorithm { ":=" } else { "=" };
        let _ = match a {
            Action::Set(d, e) => {
                let value = match self.modes.contains(d) {
                    true => self.show_mode(e),
                    false => self.show(e),
                };
                writeln!(out, "{indent}{} {equals} {value};", self.discrete_name(*d))
            }
            Action::Keep(k, e) => writeln!(out, "{indent}r{} {equals} {};", k + 1, self.show(e)),
            Action::Reinit(s, e) => {
                let (x, value) = (self.state_name(*s), self.show(e));
                writeln!(out, "{indent}reinit({x}, {value});")
            }
            Action::Choose(c, yes, no) => {
                let _ = writeln!(out, "{indent}if {} then", self.show_condition(c));
                let deeper = format!("{indent}  ");
                for a in yes {
                    self.show_action(a, is_algorithm, &deeper, out);
                }
                let _ = writeln!(out, "{indent}else");
                for a in no {
                    self.show_action(a, is_algorithm, &deeper, out);
                }
                writeln!(out, "{indent}end if;")
            }
        };
    }

    /// An expression for a variable of the enumeration.
    fn show_mode(&self, e: &Expr) -> String {
        match e {
            Expr::Number(v) => format!("Mode.m{v}"),
            Expr::Pre(d) => format!("pre({})", self.discrete_name(*d)),
            Expr::If(c, a, b) => format!(
                "(if {} then {} else {})",
                self.show_condition(c),
                self.show_mode(a),
                self.show_mode(b)
            ),
            other => self.show(other),
        }
    }

    fn show(&self, e: &Expr) -> String {
        match e {
            Expr::Number(v) => Number(*v).to_string(),
            Expr::Time => "time".into(),
            Expr::State(k) => self.state_name(*k),
            Expr::Algebraic(k) => format!("y{}", k + 1),
            Expr::Discrete(k) => self.count(*k, self.discrete_name(*k)),
            Expr::Pre(k) => self.count(*k, format!("pre({})", self.discrete_name(*k))),
            Expr::Kept(k) => format!("r{}", k + 1),
            Expr::PreKept(k) => format!("pre(r{})", k + 1),
            Expr::Held(k) => format!("h{}", k + 1),
            Expr::Floor(a) => format!("floor({})", self.show(a)),
            Expr::Abs(a) => format!("abs({})", self.show(a)),
            Expr::Max(a, v) => format!("max({}, {})", self.show(a), Number(*v)),
            Expr::Mod(k, m) => format!("mod({}, {m})", self.count(*k, self.discrete_name(*k))),
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
            Condition::AtLeast(d, v) => {
                format!("{} >= {}", self.discrete_name(*d), self.constant(*d, *v))
            }
            Condition::Flag(k) => format!("c{}", k + 1),
            Condition::Was(d, v) => {
                format!(
                    "pre({}) == {}",
                    self.discrete_name(*d),
                    self.constant(*d, *v)
                )
            }
            Condition::Change(d) => format!("change({})", self.discrete_name(*d)),
            Condition::Edge(k) => format!("edge(c{})", k + 1),
            Condition::Initial => "initial()".into(),
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

    /// What can make events: all but the bodies of clauses.
    pub fn visit_eventful<'a>(&'a self, f: &mut impl FnMut(Node<'a>)) {
        for (_, e) in &self.states {
            e.visit(f);
        }
        for a in &self.algebraics {
            a.right().visit(f);
        }
        let branches = self.whens.iter().flat_map(|w| &w.branches);
        for c in branches.flat_map(|b| &b.0).chain(&self.flags) {
            c.visit(f);
        }
    }

    /// All expressions and conditions.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(Node<'a>)) {
        self.visit_eventful(f);
        self.visit_actions(&mut |a| match a {
            Action::Set(_, e) | Action::Reinit(_, e) | Action::Keep(_, e) => e.visit(f),
            Action::Choose(c, ..) => c.visit(f),
        });
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

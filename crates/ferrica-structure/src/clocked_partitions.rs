//! Clocked partitions: which equations belong to which clock.
//!
//! In: equations with the operators of the synchronous language elements. Out: for each equation the
//! clock it is active at: a base clock and, relative to it, a rational period and shift.
//!
//! Equations and variables are joined through everything but the operators that change the clock
//! (`sample`, `hold`, `subSample`, …). A class that such an operator touches from its clocked side is a
//! clocked partition. Rates spread from the base clocks over `subSample` and its like; a partition that
//! no clock reaches ticks once a second, as the language says.

use cranelift_entity::EntityRef;
use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::{Builtin, Diagnostic, Expr, ExprId, Span, VarId};
use rustc_hash::FxHashMap;

use crate::parameter_values::ParameterValues;

/// A positive or zero fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    pub num: i64,
    pub den: i64,
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { num: 0, den: 1 };
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };

    pub fn new(num: i64, den: i64) -> Option<Ratio> {
        if den == 0 {
            return None;
        }
        let g = gcd(num, den).max(1) * den.signum();
        Some(Ratio {
            num: num / g,
            den: den / g,
        })
    }

    pub fn times(self, other: Ratio) -> Option<Ratio> {
        Ratio::new(
            self.num.checked_mul(other.num)?,
            self.den.checked_mul(other.den)?,
        )
    }

    pub fn over(self, other: Ratio) -> Option<Ratio> {
        Ratio::new(
            self.num.checked_mul(other.den)?,
            self.den.checked_mul(other.num)?,
        )
    }

    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        let num = self
            .num
            .checked_mul(other.den)?
            .checked_add(other.num.checked_mul(self.den)?)?;
        Ratio::new(num, self.den.checked_mul(other.den)?)
    }

    pub fn minus(self, other: Ratio) -> Option<Ratio> {
        self.plus(Ratio {
            num: -other.num,
            den: other.den,
        })
    }

    /// The largest fraction that both are whole multiples of.
    pub fn common(self, other: Ratio) -> Option<Ratio> {
        let den = self.den / gcd(self.den, other.den).max(1) * other.den;
        Ratio::new(
            gcd(
                self.num.checked_mul(den / self.den)?,
                other.num.checked_mul(den / other.den)?,
            ),
            den,
        )
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A clock that does not depend on another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Base {
    /// Interval in seconds.
    Periodic(ExprId),
    /// Interval in seconds from each tick to the next: what clocked variables make of it at the tick.
    Varying(ExprId),
    /// Ticks when the condition becomes true; interval reported at the first tick.
    Event(ExprId, Option<ExprId>),
}

/// The clock of a partition.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Index into [`Partitions::bases`].
    pub base: u32,
    pub period: Ratio,
    pub shift: Ratio,
}

/// How a clock follows from another.
#[derive(Clone, Copy, Debug)]
enum Change {
    Sub(i64),
    Super(i64),
    Shift(i64, i64),
    Back(i64, i64),
}

#[derive(Default)]
pub struct Partitions {
    pub bases: Vec<Base>,
    /// Clock of each partition.
    pub clocks: Vec<Clock>,
    pub solver: Vec<Option<String>>,
    /// Partition of each equation and variable; `u32::MAX` where it is not clocked.
    pub of_equation: Vec<u32>,
    pub of_variable: FxHashMap<VarId, u32>,
}

/// Does the model use clocks at all?
pub fn uses_clocks(dae: &Dae) -> bool {
    (0..dae.exprs.len()).any(|i| {
        matches!(dae.exprs.get(ExprId::from_u32(i as u32)),
            Expr::Builtin(f, _) if is_clock_operator(f))
    })
}

pub fn is_clock_operator(f: Builtin) -> bool {
    use Builtin::*;
    matches!(
        f,
        ClockInferred
            | ClockRational
            | ClockReal
            | ClockEvent
            | ClockSolver
            | ClockedSample
            | Hold
            | Previous
            | SubSample
            | SuperSample
            | ShiftSample
            | BackSample
            | NoClock
            | Interval
            | FirstTick
            | OnClock
            | InState
    )
}

/// The name of an operator of events, which a clocked partition has only where a solver method discretizes it (section 16.8.1).
fn of_events(x: &Expr) -> Option<&'static str> {
    match x {
        Expr::Pre(_) => Some("pre"),
        Expr::Builtin(Builtin::Edge, _) => Some("edge"),
        Expr::Builtin(Builtin::Change, _) => Some("change"),
        Expr::Builtin(Builtin::Sample, _) => Some("sample"),
        Expr::Builtin(Builtin::Delay, _) => Some("delay"),
        Expr::Builtin(Builtin::WhenFires, _) => Some("when"),
        _ => None,
    }
}

struct Finder<'a> {
    dae: &'a mut Dae,
    values: ParameterValues,
    parent: Vec<u32>,
    /// Nodes known to be clocked.
    clocked: Vec<u32>,
    /// (node, base clock found there)
    bases: Vec<(u32, Base)>,
    solvers: Vec<(u32, String)>,
    /// (node of the argument, node of the result, change, where)
    changes: Vec<(u32, u32, Change, Span)>,
    /// What belongs to continuous time: the node, how it is called, and where it stands.
    continuous: Vec<(u32, String, Span)>,
    /// Arguments of `sample`.
    sampled: Vec<(ExprId, Span)>,
    errors: Vec<Diagnostic>,
}

/// See the module comment.
pub fn partition(dae: &mut Dae) -> Result<Partitions, Vec<Diagnostic>> {
    let (nv, ne) = (dae.vars.len(), dae.equations.len());
    let values = ParameterValues::new(dae);
    let mut f = Finder {
        dae,
        values,
        parent: (0..(nv + ne) as u32).collect(),
        clocked: Vec::new(),
        bases: Vec::new(),
        solvers: Vec::new(),
        changes: Vec::new(),
        continuous: Vec::new(),
        sampled: Vec::new(),
        errors: Vec::new(),
    };
    for i in 0..ne {
        let (lhs, rhs, span) = {
            let e = &f.dae.equations[i];
            (e.lhs, e.rhs, e.span)
        };
        f.walk((nv + i) as u32, &[lhs, rhs], span);
    }
    // A state and its derivative have one clock.
    let pairs: Vec<(VarId, VarId)> = f
        .dae
        .vars
        .keys()
        .filter_map(|v| f.dae.derivative[v].expand().map(|d| (v, d)))
        .collect();
    for (v, d) in pairs {
        f.union(v.index() as u32, d.index() as u32);
        let var = &f.dae.vars[v].var;
        let what = format!("`der({})`", var.name);
        f.continuous.push((v.index() as u32, what, var.span));
    }
    // Outside equations only `hold` may read clocked variables.
    let mut roots = Vec::new();
    f.dae.for_each_root(|e| roots.push(*e));
    f.held(&roots);
    if !f.errors.is_empty() {
        return Err(f.errors);
    }
    f.finish(nv, ne)
}

impl Finder<'_> {
    fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            self.parent[x as usize] = self.parent[self.parent[x as usize] as usize];
            x = self.parent[x as usize];
        }
        x
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a as usize] = b;
    }

    /// A node for an expression on the other side of a change of clock.
    fn group(&mut self, e: ExprId, span: Span) -> u32 {
        let node = self.parent.len() as u32;
        self.parent.push(node);
        self.walk(node, &[e], span);
        node
    }

    fn integer(&mut self, e: ExprId, span: Span) -> i64 {
        match self.values.value(self.dae, e) {
            Some(v) if v.fract() == 0.0 => v as i64,
            _ => {
                self.errors.push(Diagnostic::error(
                    "E0406",
                    span,
                    format!(
                        "the factor `{}` of a clock must be a known Integer",
                        self.dae.expr_text(e)
                    ),
                ));
                1
            }
        }
    }

    /// Joins `node` with the variables of the expressions and notes what the operators say.
    fn walk(&mut self, node: u32, roots: &[ExprId], span: Span) {
        use Builtin::*;
        let mut stack = roots.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let x = self.dae.exprs.get(id);
            if let Some(operator) = of_events(&x) {
                let what = format!("`{operator}`");
                self.continuous.push((node, what, span));
            }
            match x {
                Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) => {
                    if !matches!(self.dae.vars[v].kind, Kind::Parameter | Kind::External) {
                        self.union(node, v.index() as u32);
                    }
                }
                Expr::Builtin(f, list) if is_clock_operator(f) => {
                    let args = self.dae.exprs.args(list).to_vec();
                    match f {
                        Hold | NoClock => {
                            let group = self.group(args[0], span);
                            self.clocked.push(group);
                        }
                        ClockedSample => {
                            self.clocked.push(node);
                            self.sampled.push((args[0], span));
                            stack.extend(args.get(1));
                        }
                        SubSample | SuperSample | ShiftSample | BackSample => {
                            self.clocked.push(node);
                            let group = self.group(args[0], span);
                            self.clocked.push(group);
                            self.change(f, &args, group, node, span);
                        }
                        ClockReal | ClockRational => {
                            self.clocked.push(node);
                            let interval = self.interval(f, &args);
                            let base = match self.varies(args[0], span) {
                                true => Base::Varying(interval),
                                false => Base::Periodic(interval),
                            };
                            self.bases.push((node, base));
                            stack.push(args[0]);
                        }
                        ClockEvent => {
                            self.clocked.push(node);
                            self.bases
                                .push((node, Base::Event(args[0], args.get(1).copied())));
                        }
                        ClockSolver => {
                            self.clocked.push(node);
                            stack.push(args[0]);
                            self.method(node, args.get(1).copied(), span);
                        }
                        _ => {
                            self.clocked.push(node);
                            stack.extend(args);
                        }
                    }
                }
                _ => self.dae.exprs.for_each_child(id, |c| stack.push(c)),
            }
        }
    }

    /// Notes the solver method of a clock, which is a text or a parameter with one.
    fn method(&mut self, node: u32, name: Option<ExprId>, span: Span) {
        let Some(mut name) = name else {
            return;
        };
        // As many steps as there are variables: bindings do not lead around.
        for _ in 0..self.dae.vars.len() {
            match self.dae.exprs.get(name) {
                Expr::Var(v) => match self.dae.vars[v].var.binding {
                    Some(b) => name = b,
                    None => break,
                },
                _ => break,
            }
        }
        match self.dae.exprs.as_str(name) {
            Some(text) => self.solvers.push((node, text.to_string())),
            None => self.errors.push(Diagnostic::error(
                "E0406",
                span,
                format!(
                    "the solver method `{}` of a clock must be a known text",
                    self.dae.expr_text(name)
                ),
            )),
        }
    }

    fn held(&mut self, roots: &[ExprId]) {
        let mut found = Vec::new();
        let arena = &self.dae.exprs;
        arena.postorder(roots, |id| {
            if let Expr::Builtin(Builtin::Hold, list) = arena.get(id) {
                found.push(arena.args(list)[0]);
            }
        });
        for e in found {
            let group = self.group(e, Span::NONE);
            self.clocked.push(group);
        }
    }

    /// Does the interval of a clock change from tick to tick?
    fn varies(&mut self, interval: ExprId, span: Span) -> bool {
        let (mut varies, mut of_time) = (false, false);
        self.dae
            .exprs
            .postorder(&[interval], |id| match self.dae.exprs.get(id) {
                Expr::Var(v) | Expr::Pre(v) | Expr::Der(v) => {
                    let fixed = matches!(self.dae.vars[v].kind, Kind::Parameter | Kind::External);
                    varies |= !fixed;
                }
                Expr::Time => of_time = true,
                _ => {}
            });
        if of_time {
            self.errors.push(
                Diagnostic::error("E0406", span, "the interval of a clock depends on time")
                    .with_hint("it is a parameter, or a variable that is computed at the ticks of the clock"),
            );
        }
        varies
    }

    /// Interval of `Clock(interval)` or `Clock(counter, resolution)`.
    fn interval(&mut self, f: Builtin, args: &[ExprId]) -> ExprId {
        match (f, args.get(1)) {
            (Builtin::ClockRational, Some(&resolution)) => self.dae.exprs.div(args[0], resolution),
            _ => args[0],
        }
    }

    fn change(&mut self, f: Builtin, args: &[ExprId], from: u32, to: u32, span: Span) {
        let first = match args.get(1) {
            Some(&a) => self.integer(a, span),
            None => 0,
        };
        let resolution = match args.get(2) {
            Some(&a) => self.integer(a, span),
            None => 1,
        };
        let change = match f {
            // A factor of zero is to be inferred from both clocks.
            Builtin::SubSample | Builtin::SuperSample if first == 0 => return,
            Builtin::SubSample => Change::Sub(first),
            Builtin::SuperSample => Change::Super(first),
            Builtin::ShiftSample => Change::Shift(first, resolution.max(1)),
            _ => Change::Back(first, resolution.max(1)),
        };
        self.changes.push((from, to, change, span));
    }

    /// Spreads clocks over the classes.
    fn finish(mut self, nv: usize, ne: usize) -> Result<Partitions, Vec<Diagnostic>> {
        let mut result = Partitions::default();
        let mut class: FxHashMap<u32, u32> = FxHashMap::default();
        for k in 0..self.clocked.len() {
            let root = self.find(self.clocked[k]);
            let next = class.len() as u32;
            class.entry(root).or_insert(next);
        }
        let n = class.len();
        let mut clocks: Vec<Option<Clock>> = vec![None; n];
        result.solver = vec![None; n];
        for k in 0..self.bases.len() {
            let (node, base) = self.bases[k];
            let at = class[&self.find(node)] as usize;
            let known = result.bases.iter().position(|b| *b == base);
            let number = known.unwrap_or_else(|| {
                result.bases.push(base);
                result.bases.len() - 1
            }) as u32;
            if clocks[at].is_some_and(|c| c.base != number) {
                self.errors.push(Diagnostic::error(
                    "E0406",
                    Span::NONE,
                    "one partition has two different clocks",
                ));
            }
            clocks[at] = Some(Clock {
                base: number,
                period: Ratio::ONE,
                shift: Ratio::ZERO,
            });
        }
        for k in 0..self.solvers.len() {
            let (node, method) = self.solvers[k].clone();
            let at = class[&self.find(node)] as usize;
            result.solver[at] = Some(method);
        }
        let mut edges: Vec<(usize, usize, Change)> = Vec::new();
        for k in 0..self.changes.len() {
            let (from, to, change, _) = self.changes[k];
            let (a, b) = (self.find(from), self.find(to));
            edges.push((class[&a] as usize, class[&b] as usize, change));
        }
        loop {
            while spread(&edges, &mut clocks, &mut result.solver) {}
            // What no clock reaches ticks once a second.
            let Some(at) = clocks.iter().position(Option::is_none) else {
                break;
            };
            let one = self.dae.exprs.real(1.0);
            result.bases.push(Base::Periodic(one));
            clocks[at] = Some(Clock {
                base: result.bases.len() as u32 - 1,
                period: Ratio::ONE,
                shift: Ratio::ZERO,
            });
        }
        result.clocks = clocks.into_iter().flatten().collect();
        for (k, &(from, to, change)) in edges.iter().enumerate() {
            let span = self.changes[k].3;
            if let Some(d) = misfit(result.clocks[from], result.clocks[to], change, span) {
                self.errors.push(d);
            }
        }
        self.check_continuous(&class, &result.solver);
        result.of_equation = (0..ne)
            .map(|i| {
                let root = self.find((nv + i) as u32);
                class.get(&root).copied().unwrap_or(u32::MAX)
            })
            .collect();
        for v in 0..nv {
            let root = self.find(v as u32);
            if let Some(&c) = class.get(&root) {
                result.of_variable.insert(VarId::new(v), c);
            }
        }
        if self.errors.is_empty() {
            Ok(result)
        } else {
            Err(self.errors)
        }
    }
}

impl Finder<'_> {
    /// What belongs to continuous time stands in no clocked partition, unless a solver method discretizes that; only it is sampled.
    fn check_continuous(&mut self, class: &FxHashMap<u32, u32>, solver: &[Option<String>]) {
        let mut told = rustc_hash::FxHashSet::default();
        for (node, what, span) in std::mem::take(&mut self.continuous) {
            let root = self.find(node);
            let Some(&at) = class.get(&root) else {
                continue;
            };
            let discretized = solver[at as usize].as_ref().is_some_and(|m| !m.is_empty());
            if !discretized && told.insert(at) {
                self.errors.push(
                    Diagnostic::error(
                        "E0406",
                        span,
                        format!("{what} belongs to continuous time and stands among clocked variables"),
                    )
                    .with_hint(
                        "clocked variables get continuous ones by `sample(u)` and give them `hold(y)`; `previous` takes the place of `pre`. \
                         To discretize a continuous part, give its clock a method: `Clock(c, solverMethod = \"ImplicitEuler\")`",
                    ),
                );
            }
        }
        for (e, span) in std::mem::take(&mut self.sampled) {
            let mut clocked = None;
            let mut stack = vec![e];
            while let Some(id) = stack.pop() {
                match self.dae.exprs.get(id) {
                    Expr::Var(v) => {
                        let root = self.find(v.index() as u32);
                        if class.contains_key(&root) {
                            clocked = Some(v);
                        }
                    }
                    // Its value is one of continuous time.
                    Expr::Builtin(Builtin::Hold, _) => {}
                    _ => self.dae.exprs.for_each_child(id, |c| stack.push(c)),
                }
            }
            if let Some(v) = clocked {
                let name = &self.dae.vars[v].var.name;
                self.errors.push(
                    Diagnostic::error(
                        "E0406",
                        span,
                        format!("`sample` takes a variable of continuous time, and `{name}` is clocked"),
                    )
                    .with_hint("subSample, superSample, shiftSample and noClock lead from one clock to another"),
                );
            }
        }
    }
}

/// What is wrong with a change of clock between two partitions whose clocks are known.
fn misfit(from: Clock, to: Clock, change: Change, span: Span) -> Option<Diagnostic> {
    let wanted = forward(from, change)?;
    let before = |c: Clock| c.shift.num < 0;
    if before(wanted) || before(from) {
        return Some(
            Diagnostic::error(
                "E0406",
                span,
                "a clock would tick before its base clock begins",
            )
            .with_hint("backSample takes back at most what shiftSample has shifted before"),
        );
    }
    // Intervals of two base clocks may be known only in the run; they are not compared.
    let differs = wanted.base == to.base && (wanted.period, wanted.shift) != (to.period, to.shift);
    differs.then(|| Diagnostic::error("E0406", span, "one partition has two different clocks"))
}

/// One sweep over the changes; true when a clock was found.
fn spread(
    edges: &[(usize, usize, Change)],
    clocks: &mut [Option<Clock>],
    solver: &mut [Option<String>],
) -> bool {
    let mut any = false;
    for &(a, b, change) in edges {
        let found = match (clocks[a], clocks[b]) {
            (Some(from), None) => forward(from, change).map(|c| (a, b, c)),
            (None, Some(to)) => backward(to, change).map(|c| (b, a, c)),
            _ => None,
        };
        if let Some((from, to, clock)) = found {
            clocks[to] = Some(clock);
            if solver[to].is_none() {
                solver[to] = solver[from].clone();
            }
            any = true;
        }
    }
    any
}

fn forward(from: Clock, change: Change) -> Option<Clock> {
    let Clock {
        base,
        period,
        shift,
    } = from;
    let (period, shift) = match change {
        Change::Sub(f) => (period.times(Ratio::new(f, 1)?)?, shift),
        Change::Super(f) => (period.times(Ratio::new(1, f)?)?, shift),
        Change::Shift(s, r) => (period, shift.plus(period.times(Ratio::new(s, r)?)?)?),
        Change::Back(s, r) => (period, shift.minus(period.times(Ratio::new(s, r)?)?)?),
    };
    Some(Clock {
        base,
        period,
        shift,
    })
}

fn backward(to: Clock, change: Change) -> Option<Clock> {
    forward(
        to,
        match change {
            Change::Sub(f) => Change::Super(f),
            Change::Super(f) => Change::Sub(f),
            Change::Shift(s, r) => Change::Back(s, r),
            Change::Back(s, r) => Change::Shift(s, r),
        },
    )
}

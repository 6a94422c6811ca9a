//! Random models from a seed. The same seed gives the same model for ever; those from [`RICH`] on have more constructs.

use super::model::{
    Action, Algebraic, Clocked, Condition, Delay, Expr, Family, MODES, Model, Source, When,
};

/// Seeds from here on draw from all constructs: enumerations, Boolean variables, sampled real variables, clocked partitions, loops of
/// states, algorithms and if-equations in clauses, `initial`, `change`, `edge`, `floor`, delays that swing.
pub const RICH: u64 = 1_000_000;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    is_rich: bool,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF0,
            is_rich: seed >= RICH,
        }
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 … n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Hundredths from low to high.
    fn hundredths(&mut self, low: i64, high: i64) -> f64 {
        let span = (high - low + 1) as usize;
        (low + self.below(span) as i64) as f64 / 100.0
    }

    /// An instant between the rows of the result: an odd multiple of 0.025.
    fn instant(&mut self) -> f64 {
        (25 + 50 * self.below(38) as i64) as f64 / 1000.0
    }
}

pub fn generate(seed: u64) -> Model {
    let mut r = Random::new(seed);
    let mut m = Model {
        states: vec![(0.0, Expr::Number(0.0)); 1 + r.below(3)],
        algebraics: vec![Algebraic::Plain(Expr::Number(0.0)); r.below(3)],
        discretes: (0..r.below(4)).map(|_| r.below(3) as i64).collect(),
        delays: Vec::new(),
        whens: Vec::new(),
        has_array: r.one_in(3),
        modes: Vec::new(),
        kept: Vec::new(),
        flags: Vec::new(),
        clocked: Vec::new(),
        family: None,
        has_if_equations: false,
    };
    if r.is_rich {
        enrich(&mut r, &mut m);
    }
    if r.one_in(4) {
        let source = match (m.discretes.len(), r.one_in(2)) {
            (n, true) if n > 0 => Source::Discrete(r.below(n)),
            _ => Source::State(r.below(m.states.len())),
        };
        m.delays.push(Delay {
            source,
            time: (2 + r.below(8)) as f64 / 20.0,
            swing: 0.0,
        });
    }
    for k in 0..m.algebraics.len() {
        let e = signal(&mut r, &m, k, 2);
        m.algebraics[k] = match r.below(5) {
            0 => Algebraic::Cubic(e),
            1 => Algebraic::Pair(e),
            _ => Algebraic::Plain(e),
        };
    }
    for k in 0..m.states.len() {
        let decay = Expr::Multiply(-r.hundredths(0, 150), Box::new(Expr::State(k)));
        let drive = signal(&mut r, &m, m.algebraics.len(), 2);
        m.states[k] = (
            r.hundredths(-100, 100),
            Expr::Add(Box::new(decay), Box::new(drive)),
        );
    }
    // Each discrete variable and each reinitialized state belongs to one when-clause.
    let mut free: Vec<Target> = (0..m.discretes.len()).map(Target::Discrete).collect();
    for k in 0..m.states.len() {
        if r.one_in(3) {
            free.push(Target::State(k));
        }
    }
    free.extend((0..m.kept.len()).map(Target::Kept));
    while !free.is_empty() {
        let mut own = vec![free.remove(r.below(free.len()))];
        while !free.is_empty() && own.len() < if r.is_rich { 4 } else { 2 } && r.one_in(3) {
            own.push(free.remove(r.below(free.len())));
        }
        let w = when(&mut r, &m, &own);
        m.whens.push(w);
    }
    if r.is_rich {
        complete(&mut r, &mut m);
    }
    m
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Target {
    Discrete(usize),
    Kept(usize),
    State(usize),
}

/// What signals and conditions can read, beside states.
fn enrich(r: &mut Random, m: &mut Model) {
    for k in 0..m.discretes.len() {
        if r.one_in(3) {
            m.modes.push(k);
            m.discretes[k] = 1 + r.below(MODES as usize) as i64;
        }
    }
    m.kept = (0..r.below(3)).map(|_| r.hundredths(-100, 100)).collect();
    if r.one_in(3) {
        m.clocked.push(Clocked {
            period: (2 + r.below(6)) as f64 / 20.0,
            state: r.below(m.states.len()),
            keep: r.hundredths(-80, 80),
            part: r.hundredths(20, 100),
        });
    }
    for _ in 0..r.below(3) {
        let c = condition(r, m, 0, 1);
        m.flags.push(c);
    }
    m.has_if_equations = r.one_in(2);
}

/// What depends on the finished clauses, and states in a loop.
fn complete(r: &mut Random, m: &mut Model) {
    for k in 0..m.delays.len() {
        if let Source::State(s) = m.delays[k].source
            && !m.is_reinitialized(s)
            && r.one_in(2)
        {
            m.delays[k].swing = 0.05;
        }
    }
    if r.one_in(4) {
        let n = [3, 8, 40][r.below(3)];
        let drive = match r.one_in(2) {
            true => Expr::Multiply(0.3, Box::new(Expr::State(r.below(m.states.len())))),
            false => Expr::Number(0.0),
        };
        m.add_family(Family {
            n,
            decay: r.hundredths(0, 100),
            gain: r.hundredths(50, 300),
            drive,
            threshold: r.hundredths(40, 200),
            back: r.hundredths(-50, 60),
        });
    }
}

/// A signal of what is known: algebraic variables below a number.
fn signal(r: &mut Random, m: &Model, algebraics: usize, depth: usize) -> Expr {
    let scaled = |r: &mut Random, e: Expr| {
        let mut k = r.hundredths(-150, 150);
        if k.abs() < 0.2 {
            k = 1.0;
        }
        Expr::Multiply(k, Box::new(e))
    };
    if r.is_rich && r.one_in(4) {
        let e = rich_signal(r, m, algebraics, depth);
        return scaled(r, e);
    }
    match r.below(if depth == 0 { 5 } else { 9 }) {
        0 => Expr::Number(r.hundredths(-200, 200)),
        1 => {
            let e = Expr::State(r.below(m.states.len()));
            scaled(r, e)
        }
        2 if !m.discretes.is_empty() => {
            let e = Expr::Discrete(r.below(m.discretes.len()));
            scaled(r, e)
        }
        3 if algebraics > 0 => {
            let e = Expr::Algebraic(r.below(algebraics));
            scaled(r, e)
        }
        4 if !m.delays.is_empty() => {
            let e = Expr::Delayed(r.below(m.delays.len()));
            scaled(r, e)
        }
        2..=4 => {
            let w = r.hundredths(100, 600);
            let e = Expr::Sin(Box::new(Expr::Multiply(w, Box::new(Expr::Time))));
            scaled(r, e)
        }
        5 => Expr::Add(
            Box::new(signal(r, m, algebraics, depth - 1)),
            Box::new(signal(r, m, algebraics, depth - 1)),
        ),
        6 => Expr::Call(Box::new(signal(r, m, algebraics, depth - 1))),
        _ => Expr::If(
            Box::new(condition(r, m, algebraics, depth - 1)),
            Box::new(signal(r, m, algebraics, depth - 1)),
            Box::new(signal(r, m, algebraics, depth - 1)),
        ),
    }
}

fn rich_signal(r: &mut Random, m: &Model, algebraics: usize, depth: usize) -> Expr {
    let state = Expr::State(r.below(m.states.len()));
    match r.below(6) {
        0 if !m.kept.is_empty() => Expr::Kept(r.below(m.kept.len())),
        1 if !m.clocked.is_empty() => Expr::Held(r.below(m.clocked.len())),
        2 if !m.discretes.is_empty() => {
            Expr::Mod(r.below(m.discretes.len()), 2 + r.below(3) as i64)
        }
        3 if depth > 0 => Expr::Abs(Box::new(signal(r, m, algebraics, depth - 1))),
        4 if depth > 0 => {
            let e = signal(r, m, algebraics, depth - 1);
            Expr::Max(Box::new(e), r.hundredths(-100, 100))
        }
        _ => Expr::Floor(Box::new(Expr::Multiply(
            r.hundredths(50, 200),
            Box::new(state),
        ))),
    }
}

/// A condition of an if-expression: no samples.
fn condition(r: &mut Random, m: &Model, algebraics: usize, depth: usize) -> Condition {
    let crossing = |r: &mut Random| {
        let e = match algebraics > 0 && r.one_in(3) {
            true => Expr::Algebraic(r.below(algebraics)),
            _ if r.is_rich && !m.kept.is_empty() && r.one_in(6) => {
                Expr::Kept(r.below(m.kept.len()))
            }
            false => Expr::State(r.below(m.states.len())),
        };
        let c = r.hundredths(-100, 100);
        match r.one_in(2) {
            true => Condition::Above(e, c),
            false => Condition::Below(e, c),
        }
    };
    if r.is_rich && !m.flags.is_empty() && r.one_in(5) {
        return Condition::Flag(r.below(m.flags.len()));
    }
    match r.below(if depth == 0 { 4 } else { 7 }) {
        0 | 1 => crossing(r),
        2 if !m.discretes.is_empty() => {
            Condition::AtLeast(r.below(m.discretes.len()), 1 + r.below(3) as i64)
        }
        2 | 3 => Condition::After(r.instant()),
        4 => Condition::And(
            Box::new(condition(r, m, algebraics, depth - 1)),
            Box::new(condition(r, m, algebraics, depth - 1)),
        ),
        5 => Condition::Or(
            Box::new(condition(r, m, algebraics, depth - 1)),
            Box::new(condition(r, m, algebraics, depth - 1)),
        ),
        _ => Condition::Not(Box::new(condition(r, m, algebraics, depth - 1))),
    }
}

/// What can start a clause beside the conditions of if-expressions.
fn rich_condition(r: &mut Random, m: &Model) -> Option<Condition> {
    let (discretes, flags) = (m.discretes.len(), m.flags.len());
    match r.below(4) {
        // A state machine: from one value, where something happens.
        0 | 1 if discretes > 0 => {
            let was = was(r, m)?;
            let happens = condition(r, m, m.algebraics.len(), 0);
            Some(Condition::And(Box::new(was), Box::new(happens)))
        }
        2 if discretes > 0 => Some(Condition::Change(r.below(discretes))),
        3 if flags > 0 => Some(Condition::Edge(r.below(flags))),
        _ => None,
    }
}

fn was(r: &mut Random, m: &Model) -> Option<Condition> {
    (!m.discretes.is_empty()).then(|| {
        let d = r.below(m.discretes.len());
        let first = i64::from(m.modes.contains(&d));
        Condition::Was(d, first + r.below(MODES as usize) as i64)
    })
}

/// A condition in the body of a clause: nothing that another action decides about.
fn condition_in_body(r: &mut Random, m: &Model) -> Condition {
    let crossing = Condition::Above(Expr::State(r.below(m.states.len())), r.hundredths(-80, 80));
    match r.one_in(2) {
        true => was(r, m).unwrap_or(crossing),
        false => crossing,
    }
}

fn when(r: &mut Random, m: &Model, own: &[Target]) -> When {
    let mut own = own.to_vec();
    let reinits = own.iter().any(|t| matches!(t, Target::State(_)));
    let is_algorithm = r.is_rich && !reinits && r.one_in(3);
    if is_algorithm {
        // What another one reads is assigned before it.
        own.sort_by(|a, b| a.partial_cmp(b).expect("targets are ordered"));
    }
    let branches = 1 + r.below(if r.is_rich { 3 } else { 2 });
    let branch = |r: &mut Random, k: usize| {
        let mut conditions: Vec<Condition> = (0..1 + usize::from(r.one_in(4)))
            .map(|_| {
                if r.is_rich
                    && r.one_in(3)
                    && let Some(c) = rich_condition(r, m)
                {
                    return c;
                }
                match r.one_in(3) {
                    true => {
                        let start = r.instant();
                        Condition::Sample(start, (2 + r.below(6)) as f64 / 20.0)
                    }
                    false => condition(r, m, m.algebraics.len(), 1),
                }
            })
            .collect();
        if r.is_rich && k == 0 && !reinits && r.one_in(5) {
            conditions.insert(0, Condition::Initial);
        }
        (conditions, actions(r, m, &own))
    };
    When {
        branches: (0..branches).map(|k| branch(r, k)).collect(),
        is_algorithm,
    }
}

fn actions(r: &mut Random, m: &Model, own: &[Target]) -> Vec<Action> {
    if r.is_rich && r.one_in(5) {
        let condition = condition_in_body(r, m);
        let mut side = || own.iter().map(|t| action(r, m, *t)).collect();
        return vec![Action::Choose(condition, side(), side())];
    }
    own.iter().map(|t| action(r, m, *t)).collect()
}

fn action(r: &mut Random, m: &Model, target: Target) -> Action {
    match target {
        Target::Kept(k) => {
            let rest = Expr::Multiply(r.hundredths(-80, 80), Box::new(Expr::PreKept(k)));
            let new = Expr::Multiply(
                r.hundredths(20, 120),
                Box::new(Expr::State(r.below(m.states.len()))),
            );
            Action::Keep(k, Expr::Add(Box::new(rest), Box::new(new)))
        }
        Target::Discrete(d) if m.modes.contains(&d) => Action::Set(d, mode(r, m, d)),
        Target::Discrete(d) => {
            let step = Expr::Number((1 + r.below(2)) as f64);
            let e = match r.below(4) {
                0 => Expr::Number(r.below(4) as f64),
                // A new value of a variable before it: no loops.
                1 if d > 0 => Expr::Add(Box::new(Expr::Discrete(r.below(d))), Box::new(step)),
                2 => Expr::Add(
                    Box::new(Expr::Pre(r.below(m.discretes.len()))),
                    Box::new(step),
                ),
                _ => Expr::Add(Box::new(Expr::Pre(d)), Box::new(step)),
            };
            Action::Set(d, e)
        }
        Target::State(s) => {
            let e = match r.below(3) {
                0 => Expr::Number(r.hundredths(-100, 100)),
                1 => Expr::Multiply(r.hundredths(-80, 80), Box::new(Expr::PreState(s))),
                _ => Expr::Add(
                    Box::new(Expr::PreState(s)),
                    Box::new(Expr::Number(r.hundredths(-100, 100))),
                ),
            };
            Action::Reinit(s, e)
        }
    }
}

/// A new value of a variable of the enumeration.
fn mode(r: &mut Random, m: &Model, d: usize) -> Expr {
    let value = |r: &mut Random| Expr::Number((1 + r.below(MODES as usize)) as f64);
    match r.below(3) {
        0 => value(r),
        1 => {
            let (a, b) = (value(r), value(r));
            Expr::If(Box::new(condition_in_body(r, m)), Box::new(a), Box::new(b))
        }
        _ => {
            let turn = Condition::Was(d, 1 + r.below(MODES as usize) as i64);
            let a = value(r);
            Expr::If(Box::new(turn), Box::new(a), Box::new(Expr::Pre(d)))
        }
    }
}

//! Random models from a seed. The same seed gives the same model for ever.

use super::model::{Action, Algebraic, Condition, Expr, Model, Source, When};

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF0)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
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
    };
    if r.one_in(4) {
        let source = match (m.discretes.len(), r.one_in(2)) {
            (n, true) if n > 0 => Source::Discrete(r.below(n)),
            _ => Source::State(r.below(m.states.len())),
        };
        m.delays.push((source, (2 + r.below(8)) as f64 / 20.0));
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
    while !free.is_empty() {
        let mut own = vec![free.remove(r.below(free.len()))];
        if !free.is_empty() && r.one_in(3) {
            own.push(free.remove(r.below(free.len())));
        }
        let w = when(&mut r, &m, &own);
        m.whens.push(w);
    }
    m
}

#[derive(Clone, Copy)]
enum Target {
    Discrete(usize),
    State(usize),
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

/// A condition of an if-expression: no samples.
fn condition(r: &mut Random, m: &Model, algebraics: usize, depth: usize) -> Condition {
    let crossing = |r: &mut Random| {
        let e = match algebraics > 0 && r.one_in(3) {
            true => Expr::Algebraic(r.below(algebraics)),
            false => Expr::State(r.below(m.states.len())),
        };
        let c = r.hundredths(-100, 100);
        match r.one_in(2) {
            true => Condition::Above(e, c),
            false => Condition::Below(e, c),
        }
    };
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

fn when(r: &mut Random, m: &Model, own: &[Target]) -> When {
    let branches = 1 + r.below(2);
    let branch = |r: &mut Random| {
        let conditions = (0..1 + usize::from(r.one_in(4)))
            .map(|_| match r.one_in(3) {
                true => {
                    let start = r.instant();
                    Condition::Sample(start, (2 + r.below(6)) as f64 / 20.0)
                }
                false => condition(r, m, m.algebraics.len(), 1),
            })
            .collect();
        let actions = own.iter().map(|t| action(r, m, *t)).collect();
        (conditions, actions)
    };
    When {
        branches: (0..branches).map(|_| branch(r)).collect(),
    }
}

fn action(r: &mut Random, m: &Model, target: Target) -> Action {
    match target {
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

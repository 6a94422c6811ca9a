//! An interpreter of random models, independent of the compiler: the classical method of Runge and Kutta in small steps, bisection for
//! conditions, passes at instants as the language specification has them. It also says when a model is no fair test: where an arbitrarily
//! small error decides what happens.

use super::model::{Action, Algebraic, Condition, Expr, Model, Source, When};

/// The end of all runs.
pub const STOP: f64 = 2.0;
/// The distance of rows.
pub const INTERVAL: f64 = 0.05;
const STEP: f64 = 1.0 / 1024.0;
/// Different instants must be this far from each other.
const APART: f64 = 0.02;
/// A condition that does not change must stay this far from doing so where its left side turns or jumps.
const CLEAR: f64 = 0.03;
/// A condition must change at least at this rate.
const RATE: f64 = 0.1;
const MOST_EVENTS: usize = 60;
const LARGEST: f64 = 20.0;
const PASSES: usize = 30;

/// Values of all variables at the rows, and the instants.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub rows: Vec<(f64, Vec<f64>)>,
    pub instants: Vec<f64>,
}

/// Why a model is no fair test.
pub type Unfair = &'static str;

/// Does a discrete variable follow from itself within one pass? Such equations need not have a solution.
fn has_discrete_loop(model: &Model) -> bool {
    let n = model.discretes.len();
    // What each discrete variable reads: directly, then through the others.
    let mut reads = vec![vec![false; n]; n];
    for (conditions, actions) in model.whens.iter().flat_map(|w| {
        // All branches decide about all variables of the clause.
        let conditions: Vec<&Condition> = w.branches.iter().flat_map(|b| &b.0).collect();
        w.branches.iter().map(move |b| (conditions.clone(), &b.1))
    }) {
        for a in actions {
            let Action::Set(d, e) = a else { continue };
            let mut seen = |k: usize| reads[*d][k] = true;
            discretes_in(model, e, &mut seen);
            for c in &conditions {
                discretes_of(model, c, &mut seen);
            }
        }
    }
    for middle in 0..n {
        for from in 0..n {
            for to in 0..n {
                reads[from][to] |= reads[from][middle] && reads[middle][to];
            }
        }
    }
    (0..n).any(|k| reads[k][k])
}

fn discretes_in(model: &Model, e: &Expr, seen: &mut impl FnMut(usize)) {
    match e {
        Expr::Discrete(k) => seen(*k),
        Expr::Algebraic(k) => discretes_in(model, model.algebraics[*k].right(), seen),
        Expr::Add(a, b) => {
            discretes_in(model, a, seen);
            discretes_in(model, b, seen);
        }
        Expr::Multiply(_, a) | Expr::Sin(a) | Expr::Call(a) => discretes_in(model, a, seen),
        Expr::If(c, a, b) => {
            discretes_of(model, c, seen);
            discretes_in(model, a, seen);
            discretes_in(model, b, seen);
        }
        _ => {}
    }
}

fn discretes_of(model: &Model, c: &Condition, seen: &mut impl FnMut(usize)) {
    match c {
        Condition::AtLeast(k, _) => seen(*k),
        Condition::Above(e, _) | Condition::Below(e, _) => discretes_in(model, e, seen),
        Condition::And(a, b) | Condition::Or(a, b) => {
            discretes_of(model, a, seen);
            discretes_of(model, b, seen);
        }
        Condition::Not(a) => discretes_of(model, a, seen),
        Condition::After(_) | Condition::Sample(..) => {}
    }
}

/// Runs a model with the thresholds of conditions on variables moved by a number.
pub fn run(model: &Model, moved: f64) -> Result<Run, Unfair> {
    if has_discrete_loop(model) {
        return Err("a discrete variable follows from itself");
    }
    let mut m = Machine::new(model, moved);
    m.start()?;
    m.march()?;
    Ok(m.out)
}

/// Relations in the order of a walk through the model.
struct Relation<'a> {
    left: &'a Expr,
    threshold: f64,
    above: bool,
}

struct Machine<'a> {
    model: &'a Model,
    relations: Vec<Relation<'a>>,
    /// The sides of relations, constant between instants; found by the address of the condition.
    sides: Vec<bool>,
    places: Vec<*const Condition>,
    t: f64,
    /// The last instant, which decides conditions of time.
    passed: f64,
    x: Vec<f64>,
    before_x: Vec<f64>,
    y: Vec<f64>,
    n: Vec<f64>,
    before_n: Vec<f64>,
    is_sampling: bool,
    /// The conditions of all branches in the last pass.
    last: Vec<bool>,
    /// For each delay: times, values.
    history: Vec<Vec<(f64, f64)>>,
    out: Run,
    next_row: usize,
}

impl<'a> Machine<'a> {
    fn new(model: &'a Model, moved: f64) -> Machine<'a> {
        let mut m = Machine {
            model,
            relations: Vec::new(),
            sides: Vec::new(),
            places: Vec::new(),
            t: 0.0,
            passed: 0.0,
            x: model.states.iter().map(|s| s.0).collect(),
            before_x: Vec::new(),
            y: vec![0.0; model.algebraics.len()],
            n: model.discretes.iter().map(|&d| d as f64).collect(),
            before_n: Vec::new(),
            is_sampling: false,
            last: Vec::new(),
            history: vec![Vec::new(); model.delays.len()],
            out: Run::default(),
            next_row: 0,
        };
        for c in conditions(model) {
            let (left, threshold, above) = match c {
                Condition::Above(e, v) => (e, v + moved, true),
                Condition::Below(e, v) => (e, v + moved, false),
                _ => continue,
            };
            m.places.push(c);
            m.relations.push(Relation {
                left,
                threshold,
                above,
            });
        }
        m.sides = vec![false; m.relations.len()];
        m
    }

    fn start(&mut self) -> Result<(), Unfair> {
        self.before_x = self.x.clone();
        self.before_n = self.n.clone();
        self.remember();
        for pass in 0.. {
            self.solve();
            let sides = self.actual();
            if sides == self.sides {
                break;
            }
            if pass > PASSES {
                return Err("the start does not settle");
            }
            self.sides = sides;
        }
        if self.gaps().iter().any(|g| g.abs() < CLEAR) {
            return Err("a condition is near its threshold at the start");
        }
        // What holds after initialization does not become true.
        self.last = self.branch_conditions();
        Ok(())
    }

    fn march(&mut self) -> Result<(), Unfair> {
        let mut gaps = self.gaps();
        let mut slopes = vec![0.0f64; gaps.len()];
        loop {
            while self.next_row as f64 * INTERVAL <= self.t + 1e-9 {
                let all = [&self.x[..], &self.y, &self.n].concat();
                self.out.rows.push((self.next_row as f64 * INTERVAL, all));
                self.next_row += 1;
            }
            if self.t >= STOP - 1e-9 {
                return Ok(());
            }
            let (until, is_instant) = self.next_stop();
            let h = until - self.t;
            let from = (self.t, self.x.clone());
            self.advance(&from, h);
            let found = self.gaps();
            let is_due = (0..gaps.len()).any(|k| self.side(k, found[k]) != self.sides[k]);
            if is_due {
                let (mut low, mut high) = (0.0, h);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    self.advance(&from, middle);
                    let g = self.gaps();
                    match (0..g.len()).any(|k| self.side(k, g[k]) != self.sides[k]) {
                        true => high = middle,
                        false => low = middle,
                    }
                }
                self.advance(&from, high);
                let g = self.gaps();
                for k in 0..g.len() {
                    let rate = (found[k] - gaps[k]) / h;
                    if self.side(k, g[k]) != self.sides[k] && rate.abs() < RATE {
                        return Err("a condition changes slowly");
                    }
                }
                self.instant(false)?;
            } else {
                for k in 0..gaps.len() {
                    let slope = found[k] - gaps[k];
                    if slope * slopes[k] < 0.0 && gaps[k].abs() < CLEAR {
                        return Err("a condition nearly changes");
                    }
                    slopes[k] = slope;
                }
                if is_instant {
                    self.instant(true)?;
                }
            }
            if is_due || is_instant {
                slopes.fill(0.0);
            }
            self.remember();
            gaps = self.gaps();
            if self.x.iter().any(|x| x.is_nan() || x.abs() > LARGEST) {
                return Err("a state grows");
            }
        }
    }

    /// Where the next step must end: a row, an instant of time, the arrival of a delayed jump.
    fn next_stop(&self) -> (f64, bool) {
        let after = self.t + 1e-9;
        let mut instant = f64::INFINITY;
        for c in conditions(self.model) {
            match c {
                Condition::After(t) if *t > after => instant = instant.min(*t),
                Condition::Sample(start, period) => {
                    let k = ((after - start) / period).ceil().max(0.0);
                    instant = instant.min(start + k * period);
                }
                _ => {}
            }
        }
        let mut until = (self.t + STEP).min(self.next_row as f64 * INTERVAL);
        for (_, delay) in &self.model.delays {
            for e in self.out.instants.iter().chain(&[0.0]) {
                if e + delay > after {
                    until = until.min(e + delay);
                }
            }
        }
        match instant <= until + 1e-9 {
            true => (instant, true),
            false => (until, false),
        }
    }

    fn instant(&mut self, is_timed: bool) -> Result<(), Unfair> {
        let is_near = |e: &f64| (self.t - e).abs() < APART && self.t - e > 1e-9;
        if self.out.instants.iter().any(is_near) {
            return Err("two instants are near each other");
        }
        self.out.instants.push(self.t);
        if self.out.instants.len() > MOST_EVENTS {
            return Err("too many instants");
        }
        let changed = self.sides.clone();
        self.passed = self.t;
        self.remember();
        self.is_sampling = is_timed;
        let mut pass = 0;
        loop {
            self.before_x = self.x.clone();
            let before = (self.n.clone(), self.sides.clone(), self.last.clone());
            self.before_n = self.n.clone();
            self.solve();
            self.sides = self.actual();
            self.solve();
            // All equations of a pass hold at once: a clause sees what another one sets in this pass, and left limits stay.
            let mut now = self.branch_conditions();
            let mut reinits = self.act(&now);
            self.solve();
            for _ in 0..PASSES {
                let then = self.branch_conditions();
                if then == now {
                    break;
                }
                now = then;
                self.n.clone_from(&self.before_n);
                reinits = self.act(&now);
                self.solve();
            }
            self.last = now;
            for (k, v) in reinits {
                self.x[k] = v;
            }
            if before == (self.n.clone(), self.sides.clone(), self.last.clone())
                && self.before_x == self.x
            {
                break;
            }
            pass += 1;
            if pass > PASSES {
                return Err("an instant does not settle");
            }
        }
        self.is_sampling = false;
        self.last = self.branch_conditions();
        // Those that have just changed are at their thresholds; others must be clear of them.
        for (k, g) in self.gaps().iter().enumerate() {
            if (is_timed || changed[k] == self.sides[k]) && g.abs() < CLEAR {
                return Err("a condition is near its threshold after an instant");
            }
        }
        Ok(())
    }

    /// New discrete values, and values for states.
    fn act(&mut self, now: &[bool]) -> Vec<(usize, f64)> {
        let model = self.model;
        let mut at = 0;
        let mut sets: Vec<(usize, &Expr)> = Vec::new();
        let mut reinits: Vec<(usize, &Expr)> = Vec::new();
        for w in &model.whens {
            let mut taken = false;
            for (conditions, actions) in &w.branches {
                let all = at..at + conditions.len();
                at += conditions.len();
                let is_active = all.into_iter().any(|k| now[k] && !self.last[k]);
                if taken || !is_active {
                    continue;
                }
                taken = true;
                for a in actions {
                    match a {
                        Action::Set(d, e) => sets.push((*d, e)),
                        Action::Reinit(s, e) => reinits.push((*s, e)),
                    }
                }
            }
        }
        // Each reads new values of those before it.
        sets.sort_by_key(|s| s.0);
        for (d, e) in sets {
            self.n[d] = self.value(e);
        }
        let values = reinits.into_iter().map(|(s, e)| (s, self.value(e)));
        values.collect()
    }

    fn branch_conditions(&self) -> Vec<bool> {
        let branches = self.model.whens.iter().flat_map(|w: &When| &w.branches);
        let all = branches.flat_map(|b| &b.0);
        all.map(|c| self.holds(c)).collect()
    }

    fn actual(&self) -> Vec<bool> {
        let gaps = self.gaps();
        (0..gaps.len()).map(|k| self.side(k, gaps[k])).collect()
    }

    fn side(&self, k: usize, gap: f64) -> bool {
        match self.relations[k].above {
            true => gap > 0.0,
            false => gap < 0.0,
        }
    }

    fn gaps(&self) -> Vec<f64> {
        let gap = |r: &Relation| self.value(r.left) - r.threshold;
        self.relations.iter().map(gap).collect()
    }

    fn holds(&self, c: &Condition) -> bool {
        match c {
            Condition::Above(..) | Condition::Below(..) => {
                let place = self.places.iter().position(|p| std::ptr::eq(*p, c));
                place.is_some_and(|k| self.sides[k])
            }
            Condition::After(t) => self.passed >= t - 1e-9,
            Condition::Sample(start, period) => {
                let k = ((self.t - start) / period).round();
                self.is_sampling && k >= 0.0 && (start + k * period - self.t).abs() < 1e-9
            }
            Condition::AtLeast(d, v) => self.n[*d] >= *v as f64,
            Condition::And(a, b) => self.holds(a) && self.holds(b),
            Condition::Or(a, b) => self.holds(a) || self.holds(b),
            Condition::Not(a) => !self.holds(a),
        }
    }

    fn value(&self, e: &Expr) -> f64 {
        match e {
            Expr::Number(v) => *v,
            Expr::Time => self.t,
            Expr::State(k) => self.x[*k],
            Expr::Algebraic(k) => self.y[*k],
            Expr::Discrete(k) => self.n[*k],
            Expr::Pre(k) => self.before_n[*k],
            Expr::PreState(k) => self.before_x[*k],
            Expr::Delayed(k) => self.delayed(*k),
            Expr::Add(a, b) => self.value(a) + self.value(b),
            Expr::Multiply(k, a) => k * self.value(a),
            Expr::Sin(a) => self.value(a).sin(),
            Expr::Call(a) => {
                let u = self.value(a);
                u / (1.0 + u * u)
            }
            Expr::If(c, a, b) => match self.holds(c) {
                true => self.value(a),
                false => self.value(b),
            },
        }
    }

    /// Algebraic variables for the present states, discrete values and sides.
    fn solve(&mut self) {
        for k in 0..self.y.len() {
            let a = &self.model.algebraics[k];
            let e = self.value(a.right());
            self.y[k] = match a {
                Algebraic::Plain(_) => e,
                Algebraic::Cubic(_) => {
                    let mut y = e;
                    for _ in 0..50 {
                        y -= (y + 0.25 * y * y * y - e) / (1.0 + 0.75 * y * y);
                    }
                    y
                }
                Algebraic::Pair(_) => e / 3.5,
            };
        }
    }

    fn derivatives(&mut self, t: f64, x: &[f64]) -> Vec<f64> {
        self.t = t;
        self.x.copy_from_slice(x);
        self.solve();
        let model = self.model;
        model.states.iter().map(|s| self.value(&s.1)).collect()
    }

    fn advance(&mut self, from: &(f64, Vec<f64>), h: f64) {
        let (t, x) = from;
        let moved = |k: &[f64], part: f64| -> Vec<f64> {
            x.iter().zip(k).map(|(x, k)| x + part * k).collect()
        };
        let k1 = self.derivatives(*t, x);
        let k2 = self.derivatives(t + 0.5 * h, &moved(&k1, 0.5 * h));
        let k3 = self.derivatives(t + 0.5 * h, &moved(&k2, 0.5 * h));
        // A delayed jump that arrives at the end of the step has not arrived in the step.
        let k4 = self.derivatives(t + h - 1e-10, &moved(&k3, h));
        let sum: Vec<f64> = (0..x.len())
            .map(|k| (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]) / 6.0)
            .collect();
        let end = moved(&sum, h);
        self.t = t + h;
        self.x.copy_from_slice(&end);
        self.solve();
    }

    fn remember(&mut self) {
        for (k, (source, _)) in self.model.delays.iter().enumerate() {
            let v = match source {
                Source::State(s) => self.x[*s],
                Source::Discrete(d) => self.n[*d],
            };
            self.history[k].push((self.t, v));
        }
    }

    /// The remembered value; after a jump at exactly that time.
    fn delayed(&self, k: usize) -> f64 {
        let past = self.t - self.model.delays[k].1;
        let list = &self.history[k];
        let after = list.partition_point(|p| p.0 <= past + 1e-12);
        match (after.checked_sub(1), list.get(after)) {
            (None, _) => list.first().map_or(0.0, |p| p.1),
            (Some(a), None) => list[a].1,
            (Some(a), Some(next)) => {
                let (t0, v0) = list[a];
                v0 + (next.1 - v0) * (past - t0) / (next.0 - t0)
            }
        }
    }
}

/// All conditions of a model, also those inside of others.
pub fn conditions(model: &Model) -> Vec<&Condition> {
    fn of<'a>(c: &'a Condition, out: &mut Vec<&'a Condition>) {
        out.push(c);
        match c {
            Condition::And(a, b) | Condition::Or(a, b) => {
                of(a, out);
                of(b, out);
            }
            Condition::Not(a) => of(a, out),
            Condition::Above(e, _) | Condition::Below(e, _) => inside(e, out),
            _ => {}
        }
    }
    fn inside<'a>(e: &'a Expr, out: &mut Vec<&'a Condition>) {
        match e {
            Expr::Add(a, b) => {
                inside(a, out);
                inside(b, out);
            }
            Expr::Multiply(_, a) | Expr::Sin(a) | Expr::Call(a) => inside(a, out),
            Expr::If(c, a, b) => {
                of(c, out);
                inside(a, out);
                inside(b, out);
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    for (_, e) in &model.states {
        inside(e, &mut out);
    }
    for a in &model.algebraics {
        inside(a.right(), &mut out);
    }
    for (conditions, actions) in model.whens.iter().flat_map(|w| &w.branches) {
        for c in conditions {
            of(c, &mut out);
        }
        for a in actions {
            match a {
                Action::Set(_, e) | Action::Reinit(_, e) => inside(e, &mut out),
            }
        }
    }
    out
}

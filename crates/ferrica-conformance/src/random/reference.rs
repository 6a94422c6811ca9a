//! An interpreter of random models, independent of the compiler: the classical method of Runge and Kutta in small steps, bisection for
//! conditions, passes at instants as the language specification has them. It also says when a model is no fair test: where an arbitrarily
//! small error decides what happens.

use std::cell::Cell;

use super::loops::has_discrete_loop;
use super::model::{Action, Algebraic, Condition, Expr, MOST_WHOLE, Model, Node, Source, When};

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
    place: Place,
}

/// The condition of a relation, or a whole part with a threshold of its argument.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Condition(*const Condition),
    Floor(*const Expr),
}

struct Machine<'a> {
    model: &'a Model,
    relations: Vec<Relation<'a>>,
    /// The sides of relations, constant between instants; found by the address of the condition.
    sides: Vec<bool>,
    moved: f64,
    t: f64,
    /// The last instant, which decides conditions of time.
    passed: f64,
    x: Vec<f64>,
    before_x: Vec<f64>,
    y: Vec<f64>,
    n: Vec<f64>,
    before_n: Vec<f64>,
    /// Sampled real variables.
    r: Vec<f64>,
    before_r: Vec<f64>,
    /// States of clocked partitions, as they are held.
    s: Vec<f64>,
    before_flags: Vec<bool>,
    is_initial: bool,
    is_sampling: bool,
    /// A condition in the body of a clause was asked for near its threshold.
    is_close: Cell<bool>,
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
            moved,
            t: 0.0,
            passed: 0.0,
            x: model.states.iter().map(|s| s.0).collect(),
            before_x: Vec::new(),
            y: vec![0.0; model.algebraics.len()],
            n: model.discretes.iter().map(|&d| d as f64).collect(),
            before_n: Vec::new(),
            r: model.kept.clone(),
            before_r: Vec::new(),
            s: vec![0.0; model.clocked.len()],
            before_flags: Vec::new(),
            is_initial: false,
            is_sampling: false,
            is_close: Cell::new(false),
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
            m.relations.push(Relation {
                left,
                threshold,
                above,
                place: Place::Condition(c),
            });
        }
        for (e, left) in floors(model) {
            for whole in 1 - MOST_WHOLE..MOST_WHOLE {
                m.relations.push(Relation {
                    left,
                    threshold: whole as f64 + moved,
                    above: true,
                    place: Place::Floor(e),
                });
            }
        }
        m.sides = vec![false; m.relations.len()];
        m
    }

    fn start(&mut self) -> Result<(), Unfair> {
        self.before_x = self.x.clone();
        self.before_n = self.n.clone();
        self.before_r = self.r.clone();
        self.is_initial = true;
        for pass in 0.. {
            // Before the start a delayed signal is what it is there, behind the initialization.
            self.history.iter_mut().for_each(Vec::clear);
            self.remember();
            self.solve();
            let sides = self.actual();
            let before = (self.n.clone(), self.r.clone());
            self.n.clone_from(&self.before_n);
            self.r.clone_from(&self.before_r);
            self.act_at_start();
            self.solve();
            if sides == self.sides && before == (self.n.clone(), self.r.clone()) {
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
        self.before_flags = self.flags();
        self.is_initial = false;
        // What holds during initialization does not become true; what reads the left limits that it leaves may.
        self.last = self.branch_conditions();
        self.before_n = self.n.clone();
        self.before_r = self.r.clone();
        let now = self.branch_conditions();
        let becomes_true = (now.iter().zip(&self.last)).any(|(now, before)| *now && !before);
        let ticks = !self.model.clocked.is_empty();
        if ticks || becomes_true {
            self.instant(ticks)?;
            self.remember();
        }
        Ok(())
    }

    /// The clauses that are active during initialization.
    fn act_at_start(&mut self) {
        let model = self.model;
        let mut chosen = Vec::new();
        for w in &model.whens {
            let (conditions, actions) = &w.branches[0];
            if conditions.contains(&Condition::Initial) {
                actions.iter().for_each(|a| self.chosen(a, &mut chosen));
            }
        }
        self.assign(&chosen);
    }

    fn march(&mut self) -> Result<(), Unfair> {
        let mut gaps = self.gaps();
        let mut slopes = vec![0.0f64; gaps.len()];
        let wholes: Vec<&Expr> = floors(self.model).into_iter().map(|f| f.1).collect();
        loop {
            while self.next_row as f64 * INTERVAL <= self.t + 1e-9 {
                let all = [&self.x[..], &self.y, &self.r, &self.s, &self.n].concat();
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
            if wholes
                .iter()
                .any(|e| self.value(e).abs() > MOST_WHOLE as f64 - 1.0)
            {
                return Err("the argument of a whole part grows");
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
        for c in &self.model.clocked {
            instant = instant.min((after / c.period).ceil() * c.period);
        }
        let mut until = (self.t + STEP).min(self.next_row as f64 * INTERVAL);
        // Where nothing jumps nothing arrives.
        for delay in self.model.delays.iter().filter(|d| d.swing == 0.0) {
            let delay = delay.time;
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
        let mut flags = self.flags();
        self.passed = self.t;
        self.remember();
        self.is_sampling = is_timed;
        self.tick(is_timed);
        let mut pass = 0;
        loop {
            self.before_x = self.x.clone();
            self.before_flags = flags;
            let before = (
                (self.n.clone(), self.r.clone()),
                self.sides.clone(),
                self.last.clone(),
            );
            self.before_n = self.n.clone();
            self.before_r = self.r.clone();
            let (now, reinits) = self.pass()?;
            flags = self.flags();
            self.last = now;
            for (k, v) in reinits {
                self.x[k] = v;
            }
            let after = (
                (self.n.clone(), self.r.clone()),
                self.sides.clone(),
                self.last.clone(),
            );
            if before == after && self.before_x == self.x && self.before_flags == flags {
                break;
            }
            pass += 1;
            if pass > PASSES {
                return Err("an instant does not settle");
            }
        }
        self.is_sampling = false;
        self.last = self.branch_conditions();
        if self.is_close.get() {
            return Err("a condition in a clause is near its threshold");
        }
        // Those that have just changed are at their thresholds; others must be clear of them.
        for (k, g) in self.gaps().iter().enumerate() {
            if (is_timed || changed[k] == self.sides[k]) && g.abs() < CLEAR {
                return Err("a condition is near its threshold after an instant");
            }
        }
        Ok(())
    }

    /// All equations of a pass hold at once: a clause sees what another one sets, conditions are those of the values, and left limits
    /// stay. The conditions of all branches, and values for states.
    fn pass(&mut self) -> Result<(Vec<bool>, Vec<(usize, f64)>), Unfair> {
        for _ in 0..PASSES {
            let before = (self.n.clone(), self.r.clone(), self.sides.clone());
            self.solve();
            self.sides = self.actual();
            self.solve();
            let now = self.branch_conditions();
            self.n.clone_from(&self.before_n);
            self.r.clone_from(&self.before_r);
            let reinits = self.act(&now);
            self.solve();
            let after = (self.n.clone(), self.r.clone(), self.sides.clone());
            if before == after && self.actual() == self.sides && self.branch_conditions() == now {
                return Ok((now, reinits));
            }
        }
        Err("a pass does not settle")
    }

    /// Clocked partitions go on from the left limits.
    fn tick(&mut self, is_timed: bool) {
        for (k, c) in self.model.clocked.iter().enumerate() {
            let n = (self.t / c.period).round();
            if is_timed && (n * c.period - self.t).abs() < 1e-9 {
                self.s[k] = c.keep * self.s[k] + c.part * self.x[c.state];
            }
        }
    }

    /// New discrete values, and values for states.
    fn act(&mut self, now: &[bool]) -> Vec<(usize, f64)> {
        let model = self.model;
        let mut at = 0;
        let mut chosen = Vec::new();
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
                actions.iter().for_each(|a| self.chosen(a, &mut chosen));
            }
        }
        self.assign(&chosen)
    }

    /// The actions that are meant by one: conditions in bodies go by the values of the instant.
    fn chosen(&self, action: &'a Action, out: &mut Vec<&'a Action>) {
        match action {
            Action::Choose(c, yes, no) => {
                let list = if self.holds(c) { yes } else { no };
                list.iter().for_each(|a| self.chosen(a, out));
            }
            other => out.push(other),
        }
    }

    fn assign(&mut self, actions: &[&Action]) -> Vec<(usize, f64)> {
        let mut sets: Vec<(usize, &Expr)> = Vec::new();
        for a in actions {
            if let Action::Set(d, e) = a {
                sets.push((*d, e));
            }
        }
        // Each reads new values of those before it.
        sets.sort_by_key(|s| s.0);
        for (d, e) in sets {
            self.n[d] = self.value(e);
        }
        for a in actions {
            if let Action::Keep(k, e) = a {
                self.r[*k] = self.value(e);
            }
        }
        let mut reinits = Vec::new();
        for a in actions {
            if let Action::Reinit(s, e) = a {
                reinits.push((*s, self.value(e)));
            }
        }
        reinits
    }

    fn flags(&self) -> Vec<bool> {
        self.model.flags.iter().map(|c| self.holds(c)).collect()
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
            Condition::Above(e, v) | Condition::Below(e, v) => {
                let place = Place::Condition(c);
                let known = self.relations.iter().position(|r| r.place == place);
                known.map_or_else(
                    || self.holds_by_values(c, self.value(e) - v - self.moved),
                    |k| self.sides[k],
                )
            }
            Condition::Flag(k) => self.holds(&self.model.flags[*k]),
            Condition::Was(d, v) => self.before_n[*d] == *v as f64,
            Condition::Change(d) => self.n[*d] != self.before_n[*d],
            Condition::Edge(k) => self.holds(&self.model.flags[*k]) && !self.before_flags[*k],
            Condition::Initial => self.is_initial,
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

    /// In the body of a clause.
    fn holds_by_values(&self, c: &Condition, gap: f64) -> bool {
        if gap.abs() < CLEAR {
            self.is_close.set(true);
        }
        match c {
            Condition::Below(..) => gap < 0.0,
            _ => gap > 0.0,
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
            Expr::Kept(k) => self.r[*k],
            Expr::PreKept(k) => self.before_r[*k],
            Expr::Held(k) => self.s[*k],
            Expr::Floor(_) => {
                let place = Place::Floor(e);
                let own = (0..self.sides.len()).filter(|k| self.relations[*k].place == place);
                own.filter(|k| self.sides[*k]).count() as f64 - MOST_WHOLE as f64
            }
            Expr::Abs(a) => self.value(a).abs(),
            Expr::Max(a, v) => self.value(a).max(*v),
            Expr::Mod(k, m) => self.n[*k].rem_euclid(*m as f64),
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
        for (k, delay) in self.model.delays.iter().enumerate() {
            let v = match delay.source {
                Source::State(s) => self.x[s],
                Source::Discrete(d) => self.n[d],
            };
            self.history[k].push((self.t, v));
        }
    }

    /// The remembered value; after a jump at exactly that time.
    fn delayed(&self, k: usize) -> f64 {
        let delay = &self.model.delays[k];
        let past = self.t - delay.time - delay.swing * (3.0 * self.t).sin();
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

/// All conditions of a model that make events, also those inside of others.
pub fn conditions(model: &Model) -> Vec<&Condition> {
    let mut found = Vec::new();
    model.visit_eventful(&mut |n| {
        if let Node::Condition(c) = n {
            found.push(c);
        }
    });
    found
}

/// All whole parts of a model that make events, with their arguments.
fn floors(model: &Model) -> Vec<(*const Expr, &Expr)> {
    let mut found: Vec<(*const Expr, &Expr)> = Vec::new();
    model.visit_eventful(&mut |n| {
        if let Node::Expr(e) = n
            && let Expr::Floor(a) = e
        {
            found.push((e, a));
        }
    });
    found
}

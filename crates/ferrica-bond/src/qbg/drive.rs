//! Functions of time that a source or a modulated element follows.
//!
//! In: a plan by which the wanted quantity follows from time alone, through the element's own equations and
//! those of signal blocks. Out: its value at any time, the times at which it may jump or bend, and its form in
//! between. What has a memory on the way (the counter of a pulse source, a filter) comes from a [`Timeline`].

use std::cell::RefCell;
use std::f64::consts::FRAC_PI_2;
use std::rc::Rc;
use std::sync::Arc;

use ferrica_ir::flat::FlatModel;
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::Memory;
use super::timeline::{Column, Timeline};
use super::waveform::{Ingredients, Piece};
use crate::dual::{Moving, evaluate};
use crate::steps::{Plan, Values};

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The sides of a relation become equal.
    Equal(ExprId, ExprId),
    /// A whole number is reached.
    Whole(ExprId),
}

#[derive(Clone)]
pub struct Drive {
    flat: Arc<FlatModel>,
    plan: Plan,
    target: Moving,
    sign: f64,
    at: Values,
    events: Vec<Event>,
    /// Arguments of sines and a phase to add (that of cosines).
    sines: Vec<(ExprId, f64)>,
    exponentials: Vec<ExprId>,
    constant: bool,
    timeline: Option<Rc<RefCell<Timeline>>>,
    held: Vec<(VarId, Column)>,
    columns: Vec<Column>,
    /// Added to the time of an event, so that its relations have changed.
    nudge: f64,
    stop: f64,
}

impl Drive {
    /// `plan` must determine the target, with what `memory` has as known; its value is multiplied by `sign`. Parameters have their values in `at`.
    pub fn new(
        flat: Arc<FlatModel>,
        plan: Plan,
        target: Moving,
        sign: f64,
        at: &Values,
        stop: f64,
        memory: &Memory,
    ) -> Drive {
        let plan = plan.reduced(&flat, &[target]);
        let mut roots: Vec<ExprId> = Vec::new();
        for k in plan.equations() {
            let e = &flat.equations[k];
            roots.extend([e.lhs, e.rhs]);
        }
        let mut needed: FxHashSet<VarId> = FxHashSet::default();
        if let Moving::Value(v) = target {
            needed.insert(v);
        }
        let (mut events, mut sines, mut exponentials) = (Vec::new(), Vec::new(), Vec::new());
        let mut constant = true;
        let x = &flat.exprs;
        x.postorder(&roots, |id| match x.get(id) {
            Expr::Time => constant = false,
            Expr::Var(v) | Expr::Pre(v) | Expr::Der(v) => {
                needed.insert(v);
            }
            Expr::Binary(op, a, b) if is_relation(op) => events.push(Event::Equal(a, b)),
            Expr::Builtin(f, list) => match (f, x.args(list)) {
                (Builtin::Floor | Builtin::Ceil | Builtin::Integer, [a, ..]) => {
                    events.push(Event::Whole(*a));
                }
                (Builtin::Sin, [a, ..]) => sines.push((*a, 0.0)),
                (Builtin::Cos, [a, ..]) => sines.push((*a, FRAC_PI_2)),
                (Builtin::Exp, [a, ..]) => exponentials.push(*a),
                _ => {}
            },
            _ => {}
        });
        let held = memory.columns.iter().map(|(v, c)| (*v, *c));
        let mut held: Vec<(VarId, Column)> = held.filter(|(v, _)| needed.contains(v)).collect();
        held.sort_unstable_by_key(|h| h.0);
        let columns: Vec<Column> = held.iter().map(|h| h.1).collect();
        // Only the numbers that matter.
        let only = |all: &FxHashMap<VarId, f64>| {
            let kept = |(v, x): (&VarId, &f64)| needed.contains(v).then_some((*v, *x));
            all.iter().filter_map(kept).collect()
        };
        let mut drive = Drive {
            at: Values {
                time: at.time,
                values: only(&at.values),
                rates: only(&at.rates),
            },
            plan,
            target,
            sign,
            events,
            sines,
            exponentials,
            constant,
            nudge: 1e-13 * stop.abs().max(at.time.abs()),
            stop,
            flat,
            timeline: memory.timeline.clone().filter(|_| !held.is_empty()),
            held,
            columns,
        };
        drive.constant &= drive.rests();
        drive
    }

    /// Does nothing with a memory change as far as it is known?
    fn rests(&self) -> bool {
        self.timeline.as_ref().is_none_or(|t| {
            let t = t.borrow();
            self.columns.iter().all(|c| t.is_constant(*c))
        })
    }

    /// Until when it is looked at.
    pub fn end(&self) -> f64 {
        self.stop
    }

    /// It is looked at until this time at least; false if it has no values there.
    pub fn extend(&mut self, stop: f64) -> bool {
        self.stop = self.stop.max(stop);
        let timeline = self.timeline.as_ref();
        let sound = timeline.is_none_or(|t| t.borrow_mut().cover(self.stop).is_ok());
        self.constant &= self.rests();
        sound
    }

    /// Must it be looked at to know what comes?
    pub fn has_memory(&self) -> bool {
        self.timeline.is_some()
    }

    pub fn is_constant(&self) -> bool {
        self.constant
    }

    /// The value just after a time in the present piece.
    pub fn value(&mut self, time: f64) -> f64 {
        self.at.time = time + self.nudge;
        if let Some(timeline) = &self.timeline {
            let timeline = timeline.borrow();
            for &(v, column) in &self.held {
                self.at
                    .values
                    .insert(v, timeline.value(column, self.at.time));
            }
        }
        if !self.plan.run(&self.flat, &[], &mut self.at) {
            return f64::NAN;
        }
        self.sign * self.at.get(self.target)
    }

    /// The first time after `time` at which something discrete may change.
    pub fn next_event(&mut self, time: f64) -> f64 {
        if self.constant {
            return f64::INFINITY;
        }
        self.value(time);
        let slopes = self.plan.slopes(&self.flat, &self.at);
        let now = self.at.time;
        let mut next = f64::INFINITY;
        for event in &self.events {
            let due = match *event {
                Event::Equal(a, b) => {
                    let (Some(a), Some(b)) = (self.line(a, &slopes), self.line(b, &slopes)) else {
                        continue;
                    };
                    now - (a.0 - b.0) / (a.1 - b.1)
                }
                Event::Whole(a) => {
                    let Some((value, slope)) = self.line(a, &slopes) else {
                        continue;
                    };
                    let goal = if slope > 0.0 {
                        value.floor() + 1.0
                    } else {
                        value.ceil() - 1.0
                    };
                    now + (goal - value) / slope
                }
            };
            if due > now + self.nudge && due < next {
                next = due;
            }
        }
        match &self.timeline {
            Some(timeline) => next.min(timeline.borrow().next_event(&self.columns, now)),
            None => next,
        }
    }

    /// Value and slope in time of an expression.
    fn line(&self, e: ExprId, slopes: &FxHashMap<Moving, f64>) -> Option<(f64, f64)> {
        let x = &self.flat.exprs;
        let d = evaluate(x, e, &self.at.point(Moving::Time))?;
        let mut slope = d.slope;
        let mut vars = Vec::new();
        x.postorder(&[e], |id| {
            if let Expr::Var(v) = x.get(id) {
                vars.push(v);
            }
        });
        for v in vars {
            let q = Moving::Value(v);
            if let Some(&s) = slopes.get(&q)
                && s != 0.0
            {
                slope += s * evaluate(x, e, &self.at.point(q))?.slope;
            }
        }
        Some((d.value, slope))
    }

    /// The form of the piece that begins at a time.
    pub fn piece(&mut self, from: f64, until: f64) -> Piece {
        let until = until.min(self.stop.max(from));
        if self.constant {
            return Piece::Affine {
                value: self.value(from),
                slope: 0.0,
            };
        }
        self.value(from);
        let slopes = self.plan.slopes(&self.flat, &self.at);
        let mut ingredients = Ingredients::default();
        for &(e, shift) in &self.sines {
            if let Some((value, slope)) = self.line(e, &slopes)
                && slope != 0.0
            {
                // Its rate of change is a quarter of a turn ahead.
                let ahead = value + shift + FRAC_PI_2;
                ingredients
                    .sines
                    .extend([(slope, value + shift), (slope, ahead)]);
            }
        }
        for &e in &self.exponentials {
            if let Some((_, slope)) = self.line(e, &slopes)
                && slope != 0.0
            {
                ingredients.rates.push(slope);
            }
        }
        let length = until - from;
        let piece = Piece::fit(|t| self.value(from + t), length, &ingredients);
        self.value(from);
        piece
    }
}

fn is_relation(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
    )
}

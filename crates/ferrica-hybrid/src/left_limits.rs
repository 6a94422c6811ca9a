//! Left limits at events: which of them, when they take the present value, ask for another pass of the event iteration.
//!
//! In: the compiled model. Out: [`LeftLimits`]. Another pass has something to do only if a block reads what moved. The condition of
//! a when-clause is a special case: its left limit is read for the instant in which the condition begins to hold. That is over in the
//! next pass: variables that are assigned in when-clauses hold their values then, and actions (`reinit` and the like) are not
//! taken. Left limits that only these read ask for nothing.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use ferrica_codegen::kernel::{Bin, Kernel, Op, Reg, Un};
use ferrica_codegen::model::{BlockId, BlockKind};
use ferrica_codegen::{CompiledModel, Evaluator, Slot};

use crate::events::is_discrete;

/// What a left limit that has moved asks for.
#[derive(Clone)]
enum Asks {
    /// Nothing: it is not read.
    Nothing,
    /// Nothing: it is that of a continuous variable.
    Continuous,
    /// Another pass.
    Pass,
    /// Another pass if its condition holds now.
    Condition,
    /// Only when-clauses wait for it: these guards are over if its condition holds now.
    Instant(Vec<Slot>),
}

#[derive(Clone)]
struct LeftLimit {
    now: Slot,
    pre: Slot,
    asks: Asks,
}

/// Does a left limit that has moved ask for another pass? The same without what only this crate needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnotherPass {
    Never = 0,
    Always = 1,
    /// If its condition holds now.
    WhileTrue = 2,
}

/// See the module comment.
#[derive(Clone, Default)]
pub struct LeftLimits {
    all: Vec<LeftLimit>,
    /// Guards that held in this pass.
    over: Vec<Slot>,
    /// Some left limit is that of a variable that is computed between events.
    pub of_computed: bool,
}

/// What the left limits of a pass have come to.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    /// One that is read has another value.
    pub any: bool,
    /// One of them asks for another pass.
    pub asks: bool,
    /// A reinit has given a value.
    pub given: bool,
}

impl LeftLimits {
    pub fn new(model: &CompiledModel) -> LeftLimits {
        let actions = [&model.assertions, &model.terminates, &model.effects];
        let guards = actions.into_iter().flatten().filter_map(|a| a.guard);
        let guards: HashSet<Slot> = guards.chain(model.reinits.iter().map(|r| r.1)).collect();
        let values: HashSet<Slot> = model.reinits.iter().map(|r| r.2).collect();
        let left_limits: HashMap<Slot, Slot> = model.layout.pre_pairs.iter().copied().collect();
        let mut readers: HashMap<Slot, Vec<BlockId>> = HashMap::new();
        for &s in guards.iter().chain(&values).chain(left_limits.values()) {
            readers.insert(s, Vec::new());
        }
        if !readers.is_empty() {
            for b in model.main.blocks.keys() {
                for s in model.block_reads(&model.main, b) {
                    if let Some(list) = readers.get_mut(s) {
                        list.push(b);
                    }
                }
            }
        }
        let when = WhenClauses { model, left_limits };
        // Guards of the blocks that read a slot, if these compute nothing else that is read or are held.
        let instant = |slot: Slot| -> Option<Vec<Slot>> {
            let mut found = Vec::new();
            for &b in readers[&slot].iter().filter(|&&b| !when.hold(b)) {
                for (k, w) in model.block_writes(&model.main, b).iter().enumerate() {
                    let guard = guards.contains(w) && when.is_over(b, k);
                    if !(guard || values.contains(w)) || !readers[w].is_empty() {
                        return None;
                    }
                    found.extend(guard.then_some(*w));
                }
            }
            Some(found)
        };
        let asks = |now: Slot, pre: Slot| {
            if readers[&pre].is_empty() {
                Asks::Nothing
            } else if !is_discrete(model, now) {
                Asks::Continuous
            } else if let Some(guards) = instant(pre) {
                Asks::Instant(guards)
            } else if model.layout.is_when_condition(now) {
                Asks::Condition
            } else {
                Asks::Pass
            }
        };
        let all: Vec<LeftLimit> = (model.layout.pre_pairs.iter())
            .map(|&(now, pre)| LeftLimit {
                now,
                pre,
                asks: asks(now, pre),
            })
            .collect();
        let states = model.layout.states..model.layout.states + model.layout.n_states as Slot;
        let computed =
            |l: &LeftLimit| matches!(l.asks, Asks::Continuous) && !states.contains(&l.now);
        LeftLimits {
            of_computed: all.iter().any(computed),
            all,
            over: Vec::new(),
        }
    }

    /// Those of the parts that a number is given for, by that number.
    pub fn of_parts(self, count: usize, part: impl Fn(Slot) -> Option<usize>) -> Vec<LeftLimits> {
        let mut parts = vec![LeftLimits::default(); count];
        for limit in self.all {
            if let Some(p) = part(limit.pre) {
                parts[p].all.push(limit);
            }
        }
        parts
    }

    /// An event begins: the present values are the left limits.
    pub fn begin(&self, ev: &mut Evaluator) {
        for limit in &self.all {
            let value = ev.get(limit.now);
            ev.set(limit.pre, value);
        }
    }

    /// The left limits as they are, for [`LeftLimits::put`].
    pub fn values(&self, ev: &Evaluator) -> Vec<f64> {
        self.all.iter().map(|l| ev.get(l.pre)).collect()
    }

    pub fn put(&self, ev: &mut Evaluator, values: &[f64]) {
        for (limit, &value) in self.all.iter().zip(values) {
            ev.set(limit.pre, value);
        }
    }

    /// Of each pair of the layout.
    pub fn asks(&self) -> Vec<AnotherPass> {
        let of_one = |l: &LeftLimit| match l.asks {
            Asks::Nothing | Asks::Continuous | Asks::Instant(_) => AnotherPass::Never,
            Asks::Pass => AnotherPass::Always,
            Asks::Condition => AnotherPass::WhileTrue,
        };
        self.all.iter().map(of_one).collect()
    }

    /// The end of a pass: all left limits take the present values. Those that ask for another pass are put into `moving`.
    pub fn take_present(&mut self, ev: &mut Evaluator, mut moving: impl FnMut(Slot)) -> Moved {
        let mut moved = Moved::default();
        self.over.clear();
        for limit in &self.all {
            let (value, before) = (ev.get(limit.now), ev.get(limit.pre));
            if value == before || (value.is_nan() && before.is_nan()) {
                continue;
            }
            ev.set(limit.pre, value);
            let asks = match &limit.asks {
                Asks::Nothing => continue,
                Asks::Instant(guards) => {
                    if value != 0.0 {
                        self.over.extend_from_slice(guards);
                    }
                    continue;
                }
                Asks::Continuous => false,
                Asks::Pass => true,
                Asks::Condition => value != 0.0,
            };
            moved.any = true;
            moved.asks |= asks;
            if asks {
                moving(limit.now);
            }
        }
        moved
    }

    /// A number that is the same for the same left limits.
    pub fn mark(&self, ev: &Evaluator) -> u64 {
        let mut hasher = DefaultHasher::new();
        for limit in &self.all {
            ev.get(limit.pre).to_bits().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// No other pass follows: the instants of this one are over.
    pub fn settled(&self, ev: &mut Evaluator) {
        for &guard in &self.over {
            ev.set(guard, 0.0);
        }
    }
}

/// Which blocks are the assignments of when-clauses.
struct WhenClauses<'a> {
    model: &'a CompiledModel,
    left_limits: HashMap<Slot, Slot>,
}

impl WhenClauses<'_> {
    /// Kernel and operands of a block that is a row.
    fn row(&self, b: BlockId) -> Option<(&Kernel, &[Slot])> {
        let (model, set) = (self.model, &self.model.main);
        match set.blocks[b].kind {
            BlockKind::Row(row) => Some((
                &model.kernels.kernels[row.kernel],
                model.block_reads(set, b),
            )),
            BlockKind::System(_) => None,
        }
    }

    /// Does the block give its variable the left limit, whenever no condition of a when-clause begins to hold?
    fn hold(&self, b: BlockId) -> bool {
        let writes = self.model.block_writes(&self.model.main, b);
        let (Some((kernel, reads)), &[variable]) = (self.row(b), writes) else {
            return false;
        };
        let left = self.left_limits.get(&variable);
        left.is_some_and(|&left| self.is(kernel, reads, kernel.results[0], left))
    }

    /// Is result `k` of the block false then?
    fn is_over(&self, b: BlockId, k: usize) -> bool {
        let row = self.row(b);
        row.is_some_and(|(kernel, reads)| self.is_off(kernel, reads, kernel.results[k]))
    }

    /// Is this register the left limit then?
    fn is(&self, kernel: &Kernel, reads: &[Slot], r: Reg, left: Slot) -> bool {
        match kernel.ops[r as usize] {
            Op::Load(k) => reads[k as usize] == left,
            Op::Select(condition, yes, no) => {
                self.is(kernel, reads, no, left)
                    && (self.is_off(kernel, reads, condition) || self.is(kernel, reads, yes, left))
            }
            _ => false,
        }
    }

    /// Is this register false then?
    fn is_off(&self, kernel: &Kernel, reads: &[Slot], r: Reg) -> bool {
        let op = |r: Reg| kernel.ops[r as usize];
        match op(r) {
            Op::Const(bits) => f64::from_bits(bits) == 0.0,
            Op::Binary(Bin::Or, a, b) | Op::Select(_, a, b) => {
                self.is_off(kernel, reads, a) && self.is_off(kernel, reads, b)
            }
            Op::Binary(Bin::And, a, b) => {
                if let (Op::Load(now), Op::Unary(Un::Not, n)) = (op(a), op(b))
                    && let Op::Load(pre) = op(n)
                {
                    let (now, pre) = (reads[now as usize], reads[pre as usize]);
                    return self.left_limits.get(&now) == Some(&pre);
                }
                self.is_off(kernel, reads, a) || self.is_off(kernel, reads, b)
            }
            _ => false,
        }
    }
}

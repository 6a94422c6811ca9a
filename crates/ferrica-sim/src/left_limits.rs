//! Left limits at events: which of them, when they take the present value, ask for another pass of the event iteration.
//!
//! In: the compiled model. Out: [`LeftLimits`]. Another pass has something to do only if a block reads what moved. The condition of
//! a when-clause is a special case: its left limit is read for the instant in which the condition begins to hold. That is over in the
//! next pass: variables that are assigned in when-clauses hold their values then, and actions (`reinit` and the like) are not
//! taken. Left limits that only these read ask for nothing.

use std::collections::HashMap;

use ferrica_codegen::kernel::{Bin, Kernel, Op, Reg, Un};
use ferrica_codegen::model::{BlockId, BlockKind};
use ferrica_codegen::{CompiledModel, Evaluator, Slot};

use crate::events::is_discrete;

/// What a left limit that has moved asks for.
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

struct LeftLimit {
    now: Slot,
    pre: Slot,
    asks: Asks,
}

/// See the module comment.
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
}

impl LeftLimits {
    pub fn new(model: &CompiledModel) -> LeftLimits {
        let blocks = &model.main.blocks;
        let mut readers: Vec<Vec<BlockId>> = vec![Vec::new(); model.slot_count()];
        for b in blocks.keys() {
            for &s in model.block_reads(&model.main, b) {
                readers[s as usize].push(b);
            }
        }
        let actions = [&model.assertions, &model.terminates, &model.effects];
        let guards = actions.into_iter().flatten().filter_map(|a| a.guard);
        let mut is_guard = vec![false; model.slot_count()];
        let mut is_value = vec![false; model.slot_count()];
        for s in guards.chain(model.reinits.iter().map(|r| r.1)) {
            is_guard[s as usize] = true;
        }
        for &(_, _, value) in &model.reinits {
            is_value[value as usize] = true;
        }
        let when = WhenClauses {
            model,
            left_limits: model.layout.pre_pairs.iter().copied().collect(),
        };
        let held: Vec<bool> = blocks.keys().map(|b| when.hold(b)).collect();
        // Guards of the blocks that read a slot, if these compute nothing else that is read or are held.
        let instant = |slot: Slot| -> Option<Vec<Slot>> {
            let mut found = Vec::new();
            for &b in &readers[slot as usize] {
                if held[b.as_u32() as usize] {
                    continue;
                }
                for &w in model.block_writes(&model.main, b) {
                    let (guard, value) = (is_guard[w as usize], is_value[w as usize]);
                    if !(guard || value) || !readers[w as usize].is_empty() {
                        return None;
                    }
                    found.extend(guard.then_some(w));
                }
            }
            Some(found)
        };
        let asks = |now: Slot, pre: Slot| {
            if readers[pre as usize].is_empty() {
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
    /// Does the block give its variable the left limit, whenever no condition of a when-clause begins to hold?
    fn hold(&self, b: BlockId) -> bool {
        let (model, set) = (self.model, &self.model.main);
        let BlockKind::Row(row) = set.blocks[b].kind else {
            return false;
        };
        let kernel = &model.kernels.kernels[row.kernel];
        let (&[result], &[variable]) = (&kernel.results[..], model.block_writes(set, b)) else {
            return false;
        };
        let reads = model.block_reads(set, b);
        let left = self.left_limits.get(&variable);
        left.is_some_and(|&left| self.is(kernel, reads, result, left))
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

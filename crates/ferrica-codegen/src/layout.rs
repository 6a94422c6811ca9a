//! Slot layout: every number of a model has one place in one `f64` array.
//!
//! Order: time; flags of the mode (initial, terminal, homotopy parameter); states; derivatives in
//! the same order; all other variables by kind; left limits (`pre`); then, as they are asked for,
//! literals and intermediate results of the compiler.
//!
//! Invariant: states and their derivatives are two contiguous runs.

use cranelift_entity::SecondaryMap;
use ferrica_ir::causal::{CausalModel, Kind};
use ferrica_ir::expr::{Builtin, Expr, ExprId, VarId};
use ferrica_ir::flat::WHEN;
use rustc_hash::{FxHashMap, FxHashSet};

pub type Slot = u32;

const NONE: Slot = u32::MAX;

#[derive(Clone, Debug)]
pub struct Layout {
    /// Value of each slot before anything is computed.
    pub initial: Vec<f64>,
    slot_of: SecondaryMap<VarId, Slot>,
    negated: SecondaryMap<VarId, bool>,
    pre_of: SecondaryMap<VarId, Slot>,
    literals: FxHashMap<u64, Slot>,
    pub states: Slot,
    pub n_states: usize,
    pub derivatives: Slot,
    /// Variables with a left limit: (present value, left limit).
    pub pre_pairs: Vec<(Slot, Slot)>,
    /// Variable of each slot below this length, where it is one.
    pub vars: Vec<Option<VarId>>,
    /// Slots of conditions of when-clauses.
    conditions: FxHashSet<Slot>,
}

impl Layout {
    pub const TIME: Slot = 0;
    pub const INITIAL: Slot = 1;
    pub const TERMINAL: Slot = 2;
    /// 1: the actual expressions of `homotopy`.
    pub const HOMOTOPY: Slot = 3;

    pub fn new(model: &CausalModel) -> Layout {
        let mut layout = Layout {
            initial: vec![0.0, 0.0, 0.0, 1.0],
            slot_of: SecondaryMap::with_default(NONE),
            negated: SecondaryMap::with_default(false),
            pre_of: SecondaryMap::with_default(NONE),
            literals: FxHashMap::default(),
            states: 4,
            n_states: model.states.len(),
            derivatives: 4 + model.states.len() as Slot,
            pre_pairs: Vec::new(),
            vars: vec![None; 4],
            conditions: FxHashSet::default(),
        };
        for &v in model.states.iter().chain(&model.derivatives) {
            layout.add_variable(v);
        }
        let order = [
            Kind::State,
            Kind::Derivative,
            Kind::Algebraic,
            Kind::Discrete,
            Kind::Relation,
            Kind::Input,
            Kind::Parameter,
            Kind::External,
        ];
        let rank = |kind: Kind| order.iter().position(|&k| k == kind);
        let mut by_kind: Vec<Vec<VarId>> = vec![Vec::new(); order.len()];
        for (v, var) in &model.vars {
            if let Some(rank) = rank(var.kind) {
                by_kind[rank].push(v);
            }
        }
        for v in by_kind.into_iter().flatten() {
            if layout.slot_of[v] == NONE {
                layout.add_variable(v);
            }
        }
        for &(alias, of, negated) in &model.aliases {
            if layout.slot_of[alias] == NONE {
                layout.slot_of[alias] = layout.slot_of[of];
                layout.negated[alias] = negated;
            }
        }
        layout.add_left_limits(model);
        for (v, var) in &model.vars {
            if var.var.hidden
                && var.var.name.starts_with(WHEN)
                && let Some(slot) = layout.slot(v)
                && layout.var(slot) == Some(v)
            {
                layout.conditions.insert(slot);
            }
        }
        layout
    }

    fn add_variable(&mut self, v: VarId) {
        self.slot_of[v] = self.alloc(0.0);
        self.vars.push(Some(v));
    }

    /// Is this the condition of a when-clause, whose left limit is read only where the condition holds now?
    pub fn is_when_condition(&self, slot: Slot) -> bool {
        self.conditions.contains(&slot)
    }

    fn add_left_limits(&mut self, model: &CausalModel) {
        let mut wanted: Vec<VarId> = Vec::new();
        for (v, var) in &model.vars {
            if matches!(var.kind, Kind::Discrete | Kind::Relation) {
                wanted.push(v);
            }
        }
        let arena = &model.exprs;
        // Below these operators a variable is read at its left limit too.
        let mut below = vec![false; arena.len()];
        for k in (0..arena.len()).rev() {
            let id = ExprId::from_u32(k as u32);
            let mark = match arena.get(id) {
                Expr::Pre(v) => {
                    wanted.push(v);
                    false
                }
                Expr::Builtin(Builtin::Edge | Builtin::Change | Builtin::WhenFires, _) => true,
                Expr::Var(v) => {
                    if below[k] {
                        wanted.push(v);
                    }
                    false
                }
                _ => below[k],
            };
            if mark {
                arena.for_each_child(id, |c| below[c.as_u32() as usize] = true);
            }
        }
        for r in &model.reinits {
            wanted.push(r.state);
        }
        for v in wanted {
            let now = self.slot_of[v];
            if now == NONE || self.pre_of[v] != NONE {
                continue;
            }
            // An alias shares the left limit of the variable it stands for.
            let owner = self.vars.get(now as usize).copied().flatten().unwrap_or(v);
            if self.pre_of[owner] == NONE {
                let slot = self.alloc(0.0);
                self.pre_of[owner] = slot;
                self.pre_pairs.push((now, slot));
            }
            self.pre_of[v] = self.pre_of[owner];
        }
    }

    /// A new slot.
    pub fn alloc(&mut self, value: f64) -> Slot {
        self.initial.push(value);
        self.initial.len() as Slot - 1
    }

    /// A run of new slots.
    pub fn alloc_run(&mut self, n: usize) -> Slot {
        let first = self.initial.len() as Slot;
        self.initial.resize(self.initial.len() + n, 0.0);
        first
    }

    /// Slot that always holds this number.
    pub fn literal(&mut self, value: f64) -> Slot {
        if let Some(&slot) = self.literals.get(&value.to_bits()) {
            return slot;
        }
        let slot = self.alloc(value);
        self.literals.insert(value.to_bits(), slot);
        slot
    }

    /// The number that this slot always holds, if it is a literal.
    pub fn literal_value(&self, slot: Slot) -> Option<f64> {
        let value = *self.initial.get(slot as usize)?;
        (self.literals.get(&value.to_bits()) == Some(&slot)).then_some(value)
    }

    /// Slot of a variable and whether the variable is its negative.
    pub fn place(&self, v: VarId) -> Option<(Slot, bool)> {
        let slot = self.slot_of[v];
        (slot != NONE).then(|| (slot, self.negated[v]))
    }

    /// Slot of a variable that is no alias.
    pub fn slot(&self, v: VarId) -> Option<Slot> {
        self.place(v)
            .and_then(|(slot, negated)| (!negated).then_some(slot))
    }

    /// Slot of the left limit of a variable, if it has one.
    pub fn pre(&self, v: VarId) -> Option<(Slot, bool)> {
        let slot = self.pre_of[v];
        (slot != NONE).then(|| (slot, self.negated[v]))
    }

    pub fn var(&self, slot: Slot) -> Option<VarId> {
        self.vars.get(slot as usize).copied().flatten()
    }

    pub fn len(&self) -> usize {
        self.initial.len()
    }

    pub fn is_empty(&self) -> bool {
        self.initial.is_empty()
    }
}

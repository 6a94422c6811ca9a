//! Steps of a model that is linear in its unknowns, over tables.
//!
//! F = A y + B y' + g with constant A and B, where g depends on time, inputs and discrete values only. With the formula y' = c y + ŷ
//! a step is the solution of (A + c B) y = −g − B ŷ, with no guess to begin from and nothing to iterate. Forward and backward
//! substitution become a list of sums ([`sums`](crate::causal::sums)) from ŷ and g to the states and what events
//! look at; the other unknowns are sums that are computed when somebody wants them.

use std::collections::HashMap;

use ferrica_codegen::kernel::{Kernel, KernelBuilder, KernelId};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::limiting::replay;
use ferrica_codegen::partials::prune;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::tape::independent_rows;
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{CompiledModel, Evaluator, Slot};

use crate::causal::StepError;
use crate::causal::eliminate::Elimination;
use crate::causal::fused::ExtraSlots;
use crate::causal::plan::Plan;
use crate::causal::sums::{Network, Sum, Table};
use crate::method::Method;
use crate::tangent::{Dependence, Dependences};
use ferrica_codegen::kernel::loads_of;
use ferrica_codegen::program::rows;

/// Sums that are made side by side.
const LANES: usize = 8;

/// See the module comment.
pub struct Linear {
    /// g of equations in which it changes, negative, and its kernels.
    pub kernels: Kernels,
    pub forcing: Program,
    /// What each step computes.
    pub step: Table,
    /// Further unknowns: all, and those that rows of the results need.
    pub others: Table,
    pub wanted_others: Table,
    /// Unknowns that events look at and that are no states.
    pub watched: Vec<Slot>,
}

/// An equation with its unknowns set to zero: −g.
struct Forcing {
    kernel: Kernel,
    /// Which operands of the equation it still has, and which of those matter.
    operands: Vec<u32>,
    read: Vec<u32>,
}

/// What the tables are made of.
pub struct Parts<'a> {
    pub model: &'a CompiledModel,
    pub plan: &'a Plan,
    pub e: &'a Elimination,
    pub extra: ExtraSlots,
    /// Slots of the unknowns by position.
    pub slot_at: &'a [Slot],
}

impl Linear {
    /// At the present values of parameters, with the partial derivatives in their slots.
    pub fn new(p: &Parts, ev: &mut Evaluator) -> Result<Linear, StepError> {
        let mut linear = Linear {
            kernels: Kernels::default(),
            forcing: Program::default(),
            step: Table::default(),
            others: Table::default(),
            wanted_others: Table::default(),
            watched: Vec::new(),
        };
        let right = linear.right_hand_sides(p, ev)?;
        let network = substitutions(p, right, ev.slots.len());
        let layout = &p.model.layout;
        let states = layout.states..layout.states + layout.n_states as Slot;
        let is_watched = |k: &usize| p.plan.kept[*k] && !states.contains(&p.plan.unknowns[*k]);
        let watched = (0..p.plan.unknowns.len()).filter(is_watched);
        linear.watched = watched.map(|k| p.plan.unknowns[k]).collect();
        let mut roots: Vec<Slot> = states.clone().collect();
        roots.extend(&linear.watched);
        let stored;
        (linear.step, stored) = network.table(&roots);
        linear.others = network.rest_table(&p.plan.unknowns, &stored);
        linear.wanted_others = network.rest_table(&p.plan.wanted_core, &stored);
        Ok(linear)
    }

    /// −g − B ŷ of each equation as terms, by position.
    fn right_hand_sides(
        &mut self,
        p: &Parts,
        ev: &mut Evaluator,
    ) -> Result<Vec<Vec<(Slot, f64)>>, StepError> {
        let n = p.slot_at.len();
        let mut position = vec![0u32; n];
        for (k, &r) in p.e.row_at.iter().enumerate() {
            position[r as usize] = k as u32;
        }
        let mut right: Vec<Vec<(Slot, f64)>> = vec![Vec::new(); n];
        let layout = &p.model.layout;
        for e in p.plan.entries.iter().filter(|e| e.derivative) {
            let state = p.plan.unknowns[e.col as usize] - layout.states;
            let value = ev.slots[e.slot as usize];
            if value != 0.0 {
                right[position[e.row as usize] as usize].push((p.extra.known + state, -value));
            }
        }
        let first = p.plan.residual_slots.iter().min().copied().unwrap_or(0);
        let last = p.plan.residual_slots.iter().max().copied().unwrap_or(0);
        let mut row_of = vec![u32::MAX; (last - first) as usize + 1];
        for (r, &s) in p.plan.residual_slots.iter().enumerate() {
            row_of[(s - first) as usize] = r as u32;
        }
        let is_unknown = p.plan.unknown_slots(p.model);
        let dependences = Dependences::new(p.model);
        let mut known: HashMap<(KernelId, Vec<bool>, usize), Option<Forcing>> = HashMap::new();
        let (mut constant, mut varying) = (Vec::new(), Vec::new());
        for (kernel, row) in rows(&p.model.kernels, &p.plan.residuals) {
            let code = &p.model.kernels.kernels[kernel];
            let (loads, results) = row.split_at(code.loads as usize);
            let zero: Vec<bool> = loads.iter().map(|&s| is_unknown[s as usize]).collect();
            // Equations that take results of one call share a row; some of them may only compute outputs.
            for (j, &slot) in results.iter().enumerate() {
                let number = slot.checked_sub(first).and_then(|k| row_of.get(k as usize));
                let Some(&number) = number.filter(|&&k| k != u32::MAX) else {
                    continue;
                };
                let forcing = known
                    .entry((kernel, zero.clone(), j))
                    .or_insert_with_key(|(_, zero, j)| forcing(code, zero, *j));
                let Some(forcing) = forcing else { continue };
                let at = position[number as usize];
                let result = p.extra.rest_right + at;
                let mut own: Vec<u32> = forcing.operands.iter().map(|&k| row[k as usize]).collect();
                let worst = forcing
                    .read
                    .iter()
                    .map(|&k| dependences.of_slot(own[k as usize]))
                    .max();
                own.push(result);
                let place = (self.kernels.intern(forcing.kernel.clone()), own);
                if worst > Some(Dependence::Parameters) {
                    right[at as usize].push((result, 1.0));
                    varying.push(place);
                } else {
                    constant.push((at, place));
                }
            }
        }
        let program = independent_rows(constant.iter().map(|c| c.1.clone()).collect());
        let mut vm = Vm::default();
        super::execute(&p.model.functions, &mut vm, &self.kernels, &program, ev)?;
        for (at, (_, row)) in &constant {
            let value = row.last().map_or(0.0, |&s| ev.slots[s as usize]);
            if value != 0.0 {
                right[*at as usize].push((p.extra.one, value));
            }
        }
        ev.slots[p.extra.one as usize] = 1.0;
        self.forcing = independent_rows(varying);
        Ok(right)
    }
}

impl Linear {
    /// Known parts of the formula for all states, from their present values, derivatives and older values.
    pub fn known_parts(
        method: Method,
        h: f64,
        layout: &Layout,
        extra: &ExtraSlots,
        past: &[Vec<f64>],
        slots: &mut [f64],
    ) {
        let n = layout.n_states;
        let (model, own) = slots.split_at_mut(extra.known as usize);
        let known = &mut own[..n];
        let states = &model[layout.states as usize..][..n];
        let Some(weights) = method.past_weights() else {
            let c = method.leading(h);
            let rates = &model[layout.derivatives as usize..][..n];
            for ((k, x), r) in known.iter_mut().zip(states).zip(rates) {
                *k = -(c * x + r);
            }
            return;
        };
        let first = weights[0] / h;
        for (k, x) in known.iter_mut().zip(states) {
            *k = first * x;
        }
        for (w, old) in weights[1..].iter().zip(past) {
            let w = w / h;
            for (k, x) in known.iter_mut().zip(old) {
                *k += w * x;
            }
        }
    }

    /// Derivatives of the states by the formula. Zero unless one of them or of the watched unknowns is not finite.
    pub fn rates(&self, c: f64, layout: &Layout, extra: &ExtraSlots, slots: &mut [f64]) -> f64 {
        let n = layout.n_states;
        let (model, own) = slots.split_at_mut(extra.known as usize);
        let known = own[..n].as_chunks::<LANES>();
        let (head, tail) = model.split_at_mut(layout.derivatives as usize);
        let states = head[layout.states as usize..][..n].as_chunks::<LANES>();
        let rates = tail[..n].as_chunks_mut::<LANES>();
        // Sums side by side do not wait for each other.
        let mut odd = [0.0; LANES];
        for ((r, x), k) in rates.0.iter_mut().zip(states.0).zip(known.0) {
            for j in 0..LANES {
                r[j] = c * x[j] + k[j];
                odd[j] += r[j] * 0.0;
            }
        }
        for ((r, x), k) in rates.1.iter_mut().zip(states.1).zip(known.1) {
            *r = c * x + k;
            odd[0] += *r * 0.0;
        }
        for &s in &self.watched {
            odd[0] += model[s as usize] * 0.0;
        }
        odd.iter().sum()
    }
}

/// The kernel of an equation, one of the results, where some operands are zero, with the sign changed; `None` if nothing is left.
fn forcing(code: &Kernel, zero: &[bool], result: usize) -> Option<Forcing> {
    let mut b = KernelBuilder::default();
    let operands: Vec<u32> = (zero.iter().enumerate())
        .map(|(k, zero)| {
            if *zero {
                b.constant(0.0)
            } else {
                b.slot(k as u32)
            }
        })
        .collect();
    let residual = replay(&mut b, code, &operands, |_, _, _| None)[code.results[result] as usize];
    if b.as_const(residual) == Some(0.0) {
        return None;
    }
    let result = b.neg(residual);
    let (mut kernel, operands) = b.finish(&[result]);
    prune(&mut kernel);
    let read = loads_of(&kernel, kernel.results[0]);
    Some(Forcing {
        kernel,
        operands,
        read,
    })
}

/// Forward and backward substitution, by positions.
fn substitutions(p: &Parts, mut right: Vec<Vec<(Slot, f64)>>, slots: usize) -> Network {
    let mut network = Network::new(slots);
    let n = right.len();
    let mut active = vec![false; n];
    for k in 0..n {
        let terms = std::mem::take(&mut right[k]);
        if terms.is_empty() {
            // The right-hand side is zero by structure.
            continue;
        }
        active[k] = true;
        let to = p.extra.right + k as Slot;
        for at in p.e.lower.range(k) {
            let (row, l) = (p.e.lower.index[at] as usize, p.e.lower.value[at]);
            right[row].push((to, -l));
        }
        network.push(Sum { to, terms });
    }
    let mut zero = vec![false; n];
    for k in (0..n).rev() {
        let inverse = p.e.inverse[k];
        let mut terms = Vec::new();
        if active[k] {
            terms.push((p.extra.right + k as Slot, inverse));
        }
        for at in p.e.upper.range(k) {
            let j = p.e.upper.index[at] as usize;
            if !zero[j] {
                terms.push((p.slot_at[j], -p.e.upper.value[at] * inverse));
            }
        }
        zero[k] = terms.is_empty();
        let to = p.slot_at[k];
        network.push(Sum { to, terms });
    }
    network
}

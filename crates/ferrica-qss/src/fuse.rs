//! Fusing the rows of a schedule into one kernel, and taking out what depends on time alone.
//!
//! In: rows in an order of evaluation, wanted slots. Out: one kernel that computes the wanted slots
//! from states, system unknowns and values that are constant between events. Maximal parts that
//! are non-linear functions of time alone become *time inputs*: kernels of their own whose value
//! enters as a moving operand. What is linear in time stays: its polynomial is exact.
//!
//! Rows of one shape on equal surroundings give equal kernels, so a large regular model has a handful
//! of fused kernels.

use ferrica_codegen::Slot;
use ferrica_codegen::kernel::{CallSite, Kernel, KernelBuilder, NO_REG, Op, Reg};
use rustc_hash::FxHashMap;

/// What a slot depends on between events. The order is that of "depends on more".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Constant,
    /// Time alone, linearly.
    Linear,
    /// Time alone.
    Time,
    Moving,
}

/// A kernel bound to slots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fused {
    pub kernel: Kernel,
    pub operands: Vec<Slot>,
    pub results: Vec<Slot>,
}

/// The time inputs found so far; each has a slot of its own, counted from `first`.
#[derive(Debug, Default)]
pub struct TimeInputs {
    pub first: Slot,
    pub list: Vec<Fused>,
    known: FxHashMap<(Kernel, Vec<Slot>), u32>,
}

impl TimeInputs {
    pub fn new(first: Slot) -> TimeInputs {
        TimeInputs {
            first,
            ..TimeInputs::default()
        }
    }

    fn intern(&mut self, kernel: Kernel, operands: Vec<Slot>) -> Slot {
        let key = (kernel, operands);
        let k = match self.known.get(&key) {
            Some(&k) => k,
            None => {
                let k = self.list.len() as u32;
                self.list.push(Fused {
                    kernel: key.0.clone(),
                    operands: key.1.clone(),
                    results: vec![self.first + k],
                });
                self.known.insert(key, k);
                k
            }
        };
        self.first + k
    }
}

/// A row to be fused: kernel, operand slots, result slots.
pub type RowParts<'a> = (&'a Kernel, &'a [Slot], &'a [Slot]);

/// Joins rows into one kernel for the wanted slots. Other results of the rows are used inside only.
pub fn join<'a>(rows: impl Iterator<Item = RowParts<'a>>, wanted: &[Slot]) -> Fused {
    let mut b = KernelBuilder::default();
    let mut known: FxHashMap<Slot, Reg> = FxHashMap::default();
    for (kernel, operands, results) in rows {
        let all = vec![true; kernel.ops.len()];
        let regs = replay(&mut b, kernel, &all, &mut |b, k| {
            let slot = operands[k as usize];
            match known.get(&slot) {
                Some(&r) => r,
                None => b.slot(slot),
            }
        });
        for (&slot, &r) in results.iter().zip(&kernel.results) {
            known.insert(slot, regs[r as usize]);
        }
    }
    let results: Vec<Reg> = wanted
        .iter()
        .map(|slot| match known.get(slot) {
            Some(&r) => r,
            None => b.slot(*slot),
        })
        .collect();
    let (kernel, operands) = b.finish(&results);
    Fused {
        kernel,
        operands,
        results: wanted.to_vec(),
    }
}

/// Copies operations into a builder. `load` gives the register of an operand; only operations marked
/// in `take` are copied (others get no register).
fn replay(
    b: &mut KernelBuilder,
    kernel: &Kernel,
    take: &[bool],
    load: &mut dyn FnMut(&mut KernelBuilder, u32) -> Reg,
) -> Vec<Reg> {
    let mut regs: Vec<Reg> = Vec::with_capacity(kernel.ops.len());
    let mut call = (NO_REG, 0);
    for (r, op) in kernel.ops.iter().enumerate() {
        if !take[r] {
            regs.push(NO_REG);
            if matches!(op, Op::Result) {
                call.1 += 1;
            }
            continue;
        }
        let m = |r: Reg| regs[r as usize];
        let new = match *op {
            Op::Load(k) => load(b, k),
            Op::Const(bits) => b.constant(f64::from_bits(bits)),
            Op::Unary(f, a) => b.unary(f, m(a)),
            Op::Binary(f, x, y) => b.binary(f, m(x), m(y)),
            Op::Select(c, x, y) => b.select(m(c), m(x), m(y)),
            Op::PowI(a, n) => b.powi(m(a), n),
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                let first = b.call(CallSite {
                    callee: site.callee,
                    args: site.args.iter().map(|&a| m(a)).collect(),
                    guard: if site.guard == NO_REG {
                        NO_REG
                    } else {
                        m(site.guard)
                    },
                    outputs: site.outputs,
                });
                call = (first, 0);
                first
            }
            Op::Result => {
                call.1 += 1;
                call.0 + call.1
            }
        };
        regs.push(new);
    }
    regs
}

fn for_each_operand(kernel: &Kernel, r: usize, mut visit: impl FnMut(Reg)) {
    match kernel.ops[r] {
        Op::Load(_) | Op::Const(_) => {}
        Op::Unary(_, a) | Op::PowI(a, _) => visit(a),
        Op::Binary(_, x, y) => {
            visit(x);
            visit(y);
        }
        Op::Select(c, x, y) => {
            visit(c);
            visit(x);
            visit(y);
        }
        Op::Call(site) => {
            let site = &kernel.calls[site as usize];
            site.args.iter().copied().for_each(&mut visit);
            if site.guard != NO_REG {
                visit(site.guard);
            }
        }
        Op::Result => visit(r as Reg - 1),
    }
}

/// Class of each register.
fn classify(kernel: &Kernel, operands: &[Slot], class_of: &dyn Fn(Slot) -> Class) -> Vec<Class> {
    use ferrica_codegen::kernel::{Bin, Un};
    let mut class: Vec<Class> = Vec::with_capacity(kernel.ops.len());
    for (r, op) in kernel.ops.iter().enumerate() {
        let of = |r: Reg| class[r as usize];
        let mut most = Class::Constant;
        for_each_operand(kernel, r, |a| most = most.max(of(a)));
        let c = match *op {
            Op::Load(k) => class_of(operands[k as usize]),
            Op::Unary(Un::Neg, _) | Op::Binary(Bin::Add | Bin::Sub, ..) => most,
            Op::Binary(Bin::Mul, x, y) if of(x) == Class::Constant || of(y) == Class::Constant => {
                most
            }
            Op::Binary(Bin::Div, _, y) if of(y) == Class::Constant => most,
            Op::Select(c, ..) if of(c) == Class::Constant => most,
            Op::Result => most,
            _ if most == Class::Linear => Class::Time,
            _ => most,
        };
        class.push(c);
    }
    class
}

/// Replaces maximal functions of time alone by time inputs.
pub fn extract_time(
    fused: Fused,
    class_of: &dyn Fn(Slot) -> Class,
    inputs: &mut TimeInputs,
) -> Fused {
    let class = classify(&fused.kernel, &fused.operands, class_of);
    if !class.contains(&Class::Time) {
        return fused;
    }
    let kernel = &fused.kernel;
    let n = kernel.ops.len();
    let mut taken_out = vec![false; n];
    for r in 0..n {
        if class[r] == Class::Moving && !matches!(kernel.ops[r], Op::Result) {
            for_each_operand(kernel, r, |a| {
                taken_out[a as usize] |= class[a as usize] == Class::Time;
            });
        }
    }
    for &r in &kernel.results {
        taken_out[r as usize] |= class[r as usize] == Class::Time;
    }
    let mut slot_of: FxHashMap<usize, Slot> = FxHashMap::default();
    for r in (0..n).filter(|&r| taken_out[r]) {
        let mut need = vec![false; n];
        need[r] = true;
        for k in (0..=r).rev() {
            if need[k] {
                for_each_operand(kernel, k, |a| need[a as usize] = true);
            }
        }
        let mut b = KernelBuilder::default();
        let regs = replay(&mut b, kernel, &need, &mut |b, k| {
            b.slot(fused.operands[k as usize])
        });
        let (part, operands) = b.finish(&[regs[r]]);
        slot_of.insert(r, inputs.intern(part, operands));
    }
    // The rest, with the inputs loaded instead.
    let mut need = vec![false; n];
    for &r in &kernel.results {
        need[r as usize] = true;
    }
    for k in (0..n).rev() {
        if need[k] && !taken_out[k] {
            for_each_operand(kernel, k, |a| need[a as usize] = true);
        }
    }
    let mut rest = kernel.clone();
    let mut operands = fused.operands.clone();
    for (&r, &slot) in &slot_of {
        rest.ops[r] = Op::Load(operands.len() as u32);
        operands.push(slot);
    }
    // A further output whose call was not needed itself stays a load; replay keeps the order.
    let mut b = KernelBuilder::default();
    let regs = replay(&mut b, &rest, &need, &mut |b, k| {
        b.slot(operands[k as usize])
    });
    let results: Vec<Reg> = rest.results.iter().map(|&r| regs[r as usize]).collect();
    let (kernel, operands) = b.finish(&results);
    Fused {
        kernel,
        operands,
        results: fused.results,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_ir::Builtin;

    fn class_of(slot: Slot) -> Class {
        match slot {
            0 => Class::Linear,
            1..=9 => Class::Moving,
            _ => Class::Constant,
        }
    }

    /// −x + a·sin(w·t) + b·t: the sine with its amplitude is taken out, b·t stays.
    #[test]
    fn sources_are_taken_out_once() {
        let make = |x: Slot| {
            let mut b = KernelBuilder::default();
            let (t, x, w, a, c) = (b.slot(0), b.slot(x), b.slot(10), b.slot(11), b.slot(12));
            let wt = b.mul(w, t);
            let s = b.math(Builtin::Sin, wt);
            let source = b.mul(a, s);
            let ramp = b.mul(c, t);
            let f = b.sub(source, x);
            let r = b.add(f, ramp);
            let (kernel, operands) = b.finish(&[r]);
            Fused {
                kernel,
                operands,
                results: vec![20],
            }
        };
        let mut inputs = TimeInputs::new(100);
        let first = extract_time(make(1), &class_of, &mut inputs);
        let second = extract_time(make(2), &class_of, &mut inputs);
        assert_eq!(inputs.list.len(), 1);
        assert_eq!(first.kernel, second.kernel);
        assert_eq!(inputs.list[0].operands, [0, 10, 11].map(|s| s as Slot));
        let mut operands = first.operands.clone();
        operands.sort_unstable();
        assert_eq!(operands, [0, 1, 12, 100]);
    }

    #[test]
    fn rows_are_joined_through_their_slots() {
        let row = |from: Slot, to: Slot| {
            let mut b = KernelBuilder::default();
            let x = b.slot(from);
            let y = b.mul(x, x);
            let (kernel, operands) = b.finish(&[y]);
            (kernel, operands, vec![to])
        };
        let (a, b) = (row(1, 5), row(5, 6));
        let rows = [(&a.0, &a.1[..], &a.2[..]), (&b.0, &b.1[..], &b.2[..])];
        let f = join(rows.into_iter(), &[6]);
        assert_eq!(f.operands, [1]);
        assert_eq!(f.kernel.ops.len(), 3);
    }
}

//! Constant arrays of function bodies.
//!
//! In: instructions of a body. Out: the same, where arrays that are filled with literals before anything branches, and then only
//! read, are no longer filled in each call: their numbers stand in a table beside the code, and reading an element is
//! [`Inst::Table`]. The registers that held them leave the frame.

use rustc_hash::FxHashSet;

use crate::function::Inst;
use crate::kernel::Reg;

/// Instructions, registers of a frame, and the numbers of the table.
pub struct Hoisted {
    pub insts: Vec<Inst>,
    pub frame: u32,
    pub table: Vec<f64>,
}

/// See the module comment. Registers below `kept` are inputs and outputs and stay where they are.
pub fn hoist(insts: Vec<Inst>, frame: u32, kept: u32) -> Hoisted {
    let whole = Hoisted {
        insts,
        frame,
        table: Vec::new(),
    };
    let runs = constant_runs(&whole.insts, frame, kept);
    if runs.is_empty() {
        return whole;
    }
    let insts = whole.insts;
    let in_run = |r: Reg| {
        let k = runs.partition_point(|run| run.end <= r);
        runs.get(k).filter(|run| run.first <= r)
    };
    // Elements that are read by a constant index stay in the frame too.
    let mut read: FxHashSet<Reg> = FxHashSet::default();
    for inst in &insts {
        for_each_read(inst, |r| {
            read.insert(r);
        });
    }
    let is_fill =
        |inst: &Inst| matches!(inst, Inst::Copy(d, _) if in_run(*d).is_some() && !read.contains(d));
    let fills: Vec<bool> = insts.iter().map(is_fill).collect();
    // Literals that nothing but such a copy has read.
    let mut used: FxHashSet<Reg> = FxHashSet::default();
    for (inst, _) in insts.iter().zip(&fills).filter(|(_, fill)| !**fill) {
        for_each_read(inst, |r| {
            used.insert(r);
        });
    }
    let filled: FxHashSet<Reg> = (insts.iter().zip(&fills))
        .filter_map(|(inst, fill)| match inst {
            Inst::Copy(_, a) if *fill => Some(*a),
            _ => None,
        })
        .collect();
    let is_idle = |r: Reg| r >= kept && filled.contains(&r) && !used.contains(&r);
    let is_gone = |r: Reg| is_idle(r) || in_run(r).is_some() && !read.contains(&r);
    let mut registers = Vec::with_capacity(frame as usize);
    let mut next = 0;
    for r in 0..frame {
        registers.push(next);
        next += u32::from(!is_gone(r));
    }
    let drops = |at: usize| fills[at] || matches!(&insts[at], Inst::Const(d, _) if is_idle(*d));
    let to = |r: Reg| registers[r as usize];
    let mut out = keep(&insts, |at| !drops(at));
    for inst in &mut out {
        *inst = match inst {
            Inst::Const(d, x) => Inst::Const(to(*d), *x),
            Inst::Copy(d, a) => Inst::Copy(to(*d), to(*a)),
            Inst::Unary(op, d, a) => Inst::Unary(*op, to(*d), to(*a)),
            Inst::Binary(op, d, a, b) => Inst::Binary(*op, to(*d), to(*a), to(*b)),
            Inst::Select(d, c, a, b) => Inst::Select(to(*d), to(*c), to(*a), to(*b)),
            Inst::PowI(d, a, n) => Inst::PowI(to(*d), to(*a), *n),
            Inst::Load(d, first, len, i) => match in_run(*first) {
                Some(run) => {
                    let offset = run.offset + (*first - run.first);
                    Inst::Table(to(*d), offset, *len, to(*i))
                }
                None => Inst::Load(to(*d), to(*first), *len, to(*i)),
            },
            Inst::Table(d, offset, len, i) => Inst::Table(to(*d), *offset, *len, to(*i)),
            Inst::Store(first, len, i, v) => Inst::Store(to(*first), *len, to(*i), to(*v)),
            Inst::Call(callee, args, first) => {
                let args = args.iter().map(|&r| to(r)).collect();
                Inst::Call(*callee, args, to(*first))
            }
            Inst::Jump(t) => Inst::Jump(*t),
            Inst::JumpUnless(c, t) => Inst::JumpUnless(to(*c), *t),
            Inst::Fail(m, is_error) => Inst::Fail(to(*m), *is_error),
            Inst::Return => Inst::Return,
        };
    }
    Hoisted {
        insts: out,
        frame: next,
        table: runs.into_iter().flat_map(|run| run.values).collect(),
    }
}

/// An array of literals: its registers and its place in the table.
struct Run {
    first: Reg,
    end: Reg,
    offset: u32,
    values: Vec<f64>,
}

fn constant_runs(insts: &[Inst], frame: u32, kept: u32) -> Vec<Run> {
    // Arrays that are read with an index, those that overlap together.
    let mut loaded: Vec<(Reg, Reg)> = insts
        .iter()
        .filter_map(|i| match *i {
            Inst::Load(_, first, len, _) => Some((first, first + len)),
            _ => None,
        })
        .collect();
    loaded.sort_unstable();
    loaded.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for (first, end) in loaded {
        match runs.last_mut() {
            Some(last) if first < last.end => last.end = last.end.max(end),
            _ => runs.push(Run {
                first,
                end,
                offset: 0,
                values: Vec::new(),
            }),
        }
    }
    let straight = insts
        .iter()
        .position(|i| matches!(i, Inst::Jump(_) | Inst::JumpUnless(..) | Inst::Return))
        .unwrap_or(insts.len());
    let mut literals: Vec<Option<f64>> = vec![None; frame as usize];
    // What each register holds where the first branch stands; `None` if that is no literal, or if it changes later.
    let mut values: Vec<Option<f64>> = vec![Some(0.0); frame as usize];
    let mut is_read = vec![false; frame as usize];
    for (at, inst) in insts.iter().enumerate() {
        let writes_early = at < straight;
        for_each_read(inst, |r| is_read[r as usize] = true);
        match *inst {
            Inst::Load(_, first, len, _) => {
                is_read[first as usize..(first + len) as usize].fill(true);
            }
            Inst::Store(first, len, ..) => {
                values[first as usize..(first + len) as usize].fill(None);
            }
            _ => {}
        }
        match *inst {
            Inst::Const(d, x) => {
                let d = d as usize;
                literals[d] = Some(x);
                values[d] = None;
            }
            Inst::Copy(d, a) => {
                let d = d as usize;
                let x = literals[a as usize].filter(|_| writes_early && !is_read[d]);
                values[d] = x;
                literals[d] = None;
            }
            Inst::Call(_, _, first) => {
                // How many results there are is the callee's affair: arrays that begin behind are other registers.
                values[first as usize..].fill(None);
            }
            Inst::Unary(_, d, _)
            | Inst::Binary(_, d, ..)
            | Inst::Select(d, ..)
            | Inst::PowI(d, ..)
            | Inst::Load(d, ..)
            | Inst::Table(d, ..) => {
                values[d as usize] = None;
                literals[d as usize] = None;
            }
            _ => {}
        }
    }
    runs.retain_mut(|run| {
        let of = &values[run.first as usize..run.end as usize];
        run.values = of.iter().map_while(|v| *v).collect();
        run.first >= kept && run.values.len() == of.len()
    });
    let mut offset = 0;
    for run in &mut runs {
        run.offset = offset;
        offset += run.end - run.first;
    }
    runs
}

/// The instructions for which `is_kept` says so, with their jumps moved.
fn keep(insts: &[Inst], is_kept: impl Fn(usize) -> bool) -> Vec<Inst> {
    let mut places = Vec::with_capacity(insts.len() + 1);
    let mut count = 0u32;
    for at in 0..insts.len() {
        places.push(count);
        count += u32::from(is_kept(at));
    }
    places.push(count);
    let mut out: Vec<Inst> = (insts.iter().enumerate())
        .filter(|(at, _)| is_kept(*at))
        .map(|(_, inst)| inst.clone())
        .collect();
    for inst in &mut out {
        if let Inst::Jump(to) | Inst::JumpUnless(_, to) = inst {
            *to = places[*to as usize];
        }
    }
    out
}

/// Calls back for each register whose value an instruction takes, elements that are chosen at run time excepted.
fn for_each_read(inst: &Inst, mut f: impl FnMut(Reg)) {
    match inst {
        Inst::Copy(_, a) | Inst::Unary(_, _, a) | Inst::PowI(_, a, _) => f(*a),
        Inst::Binary(_, _, a, b) => [*a, *b].into_iter().for_each(f),
        Inst::Select(_, c, a, b) => [*c, *a, *b].into_iter().for_each(f),
        Inst::Load(_, _, _, i) | Inst::Table(_, _, _, i) => f(*i),
        Inst::Store(_, _, i, v) => [*i, *v].into_iter().for_each(f),
        Inst::Call(_, args, _) => args.iter().copied().for_each(f),
        Inst::JumpUnless(c, _) => f(*c),
        Inst::Fail(m, _) => f(*m),
        Inst::Const(..) | Inst::Jump(_) | Inst::Return => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Bin;

    /// y := a[i] + a[1] over a constant array of three elements, registers: 0 input, 1 output, 2 to 4 the array.
    fn body() -> Vec<Inst> {
        let fill = |k: u32, x: f64| [Inst::Const(5 + k, x), Inst::Copy(2 + k, 5 + k)];
        let mut insts: Vec<Inst> = (0..3).flat_map(|k| fill(k, 10.0 * f64::from(k))).collect();
        insts.push(Inst::JumpUnless(0, 8));
        insts.push(Inst::Load(8, 2, 3, 0));
        insts.push(Inst::Binary(Bin::Add, 1, 8, 2));
        insts.push(Inst::Return);
        insts
    }

    #[test]
    fn a_constant_array_leaves_the_frame() {
        let done = hoist(body(), 9, 2);
        assert_eq!(done.table, [0.0, 10.0, 20.0]);
        // The first element is read by itself and stays.
        assert!(matches!(done.insts[0], Inst::Const(..)));
        assert!(matches!(done.insts[1], Inst::Copy(2, _)));
        assert!(matches!(done.insts[2], Inst::JumpUnless(0, 4)));
        assert!(matches!(done.insts[3], Inst::Table(_, 0, 3, 0)));
        assert!(matches!(done.insts[4], Inst::Binary(Bin::Add, 1, _, 2)));
        assert_eq!(done.frame, 5);
    }

    #[test]
    fn an_array_that_changes_stays() {
        for change in [Inst::Store(2, 3, 0, 0), Inst::Copy(3, 0)] {
            let mut insts = body();
            insts.insert(8, change);
            assert!(hoist(insts, 9, 2).table.is_empty());
        }
        // Filled only on one way.
        let mut insts = body();
        insts.insert(0, Inst::JumpUnless(0, 3));
        assert!(hoist(insts, 9, 2).table.is_empty());
        // An output.
        assert!(hoist(body(), 9, 4).table.is_empty());
    }
}

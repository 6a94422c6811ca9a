//! Which operations of a kernel only matter where a condition holds.
//!
//! In: a kernel, in which both sides of each selection are computed. Out: for each operation the place where machine code computes it: always, or
//! on one side of a selection, where nothing else wants it. `if abs(x) < d then tanh(tan(x)) else 1` is a comparison and a jump for most x. Calls
//! of functions have guards of their own and stay.

use ferrica_ir::expr::Builtin;

use crate::kernel::{Bin, Kernel, NO_REG, Op, Reg, Un};

/// What an operation costs that calls the mathematical library, in plain ones.
const LIBRARY: u32 = 16;
/// A side that costs less is computed anyway: a jump that goes wrong costs about as much.
const WORTH_A_JUMP: u32 = 24;

/// Always, or a selection and its side: twice its register, plus one for the side where the condition does not hold.
pub(super) type Side = u32;
pub(super) const ALWAYS: Side = u32::MAX;

pub(super) fn side(select: Reg, holds: bool) -> Side {
    2 * select + u32::from(!holds)
}

/// See the module comment.
pub(super) struct Lazy {
    /// Operations of each side, in order; none of the selections that are no jumps.
    sides: Vec<(Side, Vec<Reg>)>,
    pub always: Vec<Reg>,
}

impl Lazy {
    pub fn new(kernel: &Kernel) -> Lazy {
        let n = kernel.ops.len();
        let all = || (0..n as Reg).collect();
        let mut jumps = vec![false; n];
        let mut any = false;
        for (r, op) in kernel.ops.iter().enumerate() {
            jumps[r] = matches!(op, Op::Select(..));
            any |= jumps[r];
        }
        let is_dear = kernel.ops.iter().any(|op| cost(op) >= LIBRARY);
        if !any || !is_dear {
            return Lazy {
                sides: Vec::new(),
                always: all(),
            };
        }
        let places = places(kernel, &jumps);
        let mut costs = vec![0u32; 2 * n];
        // What is in a side of a side counts for both.
        for (r, op) in kernel.ops.iter().enumerate() {
            let mut at = places[r];
            while at != ALWAYS {
                costs[at as usize] = costs[at as usize].saturating_add(cost(op));
                at = places[at as usize / 2];
            }
        }
        for r in 0..n {
            let dear = costs[2 * r].max(costs[2 * r + 1]);
            jumps[r] &= dear >= WORTH_A_JUMP;
        }
        if !jumps.contains(&true) {
            return Lazy {
                sides: Vec::new(),
                always: all(),
            };
        }
        let places = self::places(kernel, &jumps);
        let mut always = Vec::new();
        let mut order: Vec<(Side, Reg)> = Vec::new();
        for (r, &at) in places.iter().enumerate() {
            match at {
                ALWAYS => always.push(r as Reg),
                at => order.push((at, r as Reg)),
            }
        }
        order.sort_unstable();
        let mut sides: Vec<(Side, Vec<Reg>)> = Vec::new();
        for r in (0..n).filter(|&r| jumps[r]) {
            for holds in [true, false] {
                let side = side(r as Reg, holds);
                let (a, b) = (
                    order.partition_point(|o| o.0 < side),
                    order.partition_point(|o| o.0 <= side),
                );
                sides.push((side, order[a..b].iter().map(|o| o.1).collect()));
            }
        }
        Lazy { sides, always }
    }

    /// The operations of a side of a selection that is a jump.
    pub fn of(&self, side: Side) -> Option<&[Reg]> {
        let k = self.sides.binary_search_by_key(&side, |s| s.0).ok()?;
        Some(&self.sides[k].1)
    }
}

/// The innermost side that all uses of each operation are on.
fn places(kernel: &Kernel, jumps: &[bool]) -> Vec<Side> {
    let n = kernel.ops.len();
    // What nothing uses is computed as ever.
    let mut places: Vec<Option<Side>> = vec![None; n];
    for &r in &kernel.results {
        places[r as usize] = Some(ALWAYS);
    }
    for r in (0..n).rev() {
        let at = match kernel.ops[r] {
            Op::Call(_) | Op::Result => ALWAYS,
            _ => places[r].unwrap_or(ALWAYS),
        };
        places[r] = Some(at);
        let mut used = |a: Reg, at: Side| {
            let known = places[a as usize];
            let both = known.map_or(at, |known| common(&places, known, at));
            places[a as usize] = Some(both);
        };
        match kernel.ops[r] {
            Op::Load(_) | Op::Const(_) | Op::Result => {}
            Op::Unary(_, a) | Op::PowI(a, _) => used(a, at),
            Op::Binary(_, a, b) => [a, b].into_iter().for_each(|a| used(a, at)),
            Op::Select(c, a, b) if jumps[r] => {
                used(c, at);
                used(a, side(r as Reg, true));
                used(b, side(r as Reg, false));
            }
            Op::Select(c, a, b) => [c, a, b].into_iter().for_each(|a| used(a, at)),
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                let operands = site.args.iter().chain([&site.guard]);
                for &a in operands.filter(|a| **a != NO_REG) {
                    used(a, ALWAYS);
                }
            }
        }
    }
    places.into_iter().map(|p| p.unwrap_or(ALWAYS)).collect()
}

/// The innermost side that both are on. A side is on that of its selection, whose place is known: selections stand behind their operands.
fn common(places: &[Option<Side>], mut a: Side, mut b: Side) -> Side {
    while a != b {
        if a == ALWAYS || b == ALWAYS {
            return ALWAYS;
        }
        // Inner selections have smaller registers than those that they are a side of.
        let inner = if a / 2 < b / 2 { &mut a } else { &mut b };
        *inner = places[*inner as usize / 2].unwrap_or(ALWAYS);
    }
    a
}

fn cost(op: &Op) -> u32 {
    match op {
        Op::Unary(Un::Math(Builtin::Abs | Builtin::Sign | Builtin::Sqrt), _) => 2,
        Op::Binary(Bin::Math(Builtin::Min | Builtin::Max), ..) => 2,
        Op::Unary(Un::Math(_), _) | Op::Binary(Bin::Pow | Bin::Math(_), ..) => LIBRARY,
        Op::Binary(Bin::Div, ..) | Op::PowI(..) => 4,
        _ => 1,
    }
}

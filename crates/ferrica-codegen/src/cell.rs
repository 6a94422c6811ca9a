//! Cells: all equations of one independent sub-model as one piece of straight-line code.
//!
//! A cell reads constants of its own, delayed values, its states and the time; it gives the derivatives of its
//! states, values that travel on, and flags (conditions that have changed). Sub-models of the same structure
//! have equal cells and share machine code (see [`crate::jit::cell`]) that runs over their records.
//!
//! A scalar nonlinear equation is a *loop*: the operations between its begin and its end that depend on
//! its unknown are repeated by Newton's method until the correction is small.
//!
//! Invariants: an operation uses registers below its own; an unknown of a loop is created at its begin.

use std::collections::HashMap;

use ferrica_ir::calculus::{Algebra, Operation, tangent};
use ferrica_ir::expr::BinaryOp;

use crate::kernel::{Bin, Un};

pub type Reg = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellOp {
    /// A number of the shape.
    Const(u64),
    /// A number of the cell that only events change.
    Param(u32),
    /// Delayed value k.
    Input(u32),
    State(u32),
    Time,
    /// Unknown of loop k.
    Unknown(u32),
    Unary(Un, Reg),
    Binary(Bin, Reg, Reg),
    Select(Reg, Reg, Reg),
    PowI(Reg, i32),
}

impl CellOp {
    /// Calls `f` with each operand.
    pub fn for_each_operand(self, mut f: impl FnMut(Reg)) {
        match self {
            CellOp::Unary(_, a) | CellOp::PowI(a, _) => f(a),
            CellOp::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            CellOp::Select(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
            _ => {}
        }
    }

    fn map(self, f: impl Fn(Reg) -> Reg) -> CellOp {
        match self {
            CellOp::Unary(op, a) => CellOp::Unary(op, f(a)),
            CellOp::PowI(a, n) => CellOp::PowI(f(a), n),
            CellOp::Binary(op, a, b) => CellOp::Binary(op, f(a), f(b)),
            CellOp::Select(c, a, b) => CellOp::Select(f(c), f(a), f(b)),
            same => same,
        }
    }
}

/// One scalar equation residual(unknown) = 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CellLoop {
    /// Registers of the loop are in this range.
    pub begin: Reg,
    pub end: Reg,
    pub unknown: Reg,
    pub residual: Reg,
    pub slope: Reg,
    /// Least size of the unknown in the test of its correction.
    pub scale: u64,
}

/// See the module comment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cell {
    pub ops: Vec<CellOp>,
    pub loops: Vec<CellLoop>,
    pub params: u32,
    pub inputs: u32,
    /// Derivative of each state.
    pub derivatives: Vec<Reg>,
    /// Values that travel on.
    pub outputs: Vec<Reg>,
    /// Nonzero: an event.
    pub flags: Vec<Reg>,
}

/// Builds a cell with common subexpressions shared.
#[derive(Default)]
pub struct CellBuilder {
    pub ops: Vec<CellOp>,
    /// Operations of constants alone.
    fixed: Vec<bool>,
    known: HashMap<CellOp, Reg>,
    pub loops: Vec<CellLoop>,
}

impl CellBuilder {
    /// An operation. Division by what is constant becomes multiplication by its reciprocal.
    pub fn push(&mut self, op: CellOp) -> Reg {
        if let Some(&r) = self.known.get(&op) {
            return r;
        }
        let fixed = match op {
            CellOp::Const(_) | CellOp::Param(_) => true,
            CellOp::Input(_) | CellOp::State(_) | CellOp::Time | CellOp::Unknown(_) => false,
            op => {
                let mut all = true;
                op.for_each_operand(|a| all &= self.fixed[a as usize]);
                all
            }
        };
        if let CellOp::Binary(Bin::Div, a, b) = op
            && !fixed
            && self.fixed[b as usize]
        {
            let one = self.constant(1.0);
            let reciprocal = self.binary(Bin::Div, one, b);
            let r = self.binary(Bin::Mul, a, reciprocal);
            self.known.insert(op, r);
            return r;
        }
        let r = self.ops.len() as Reg;
        self.ops.push(op);
        self.fixed.push(fixed);
        self.known.insert(op, r);
        r
    }

    pub fn constant(&mut self, value: f64) -> Reg {
        self.push(CellOp::Const(value.to_bits()))
    }

    fn unary(&mut self, op: Un, a: Reg) -> Reg {
        self.push(CellOp::Unary(op, a))
    }

    fn binary(&mut self, op: Bin, a: Reg, b: Reg) -> Reg {
        self.push(CellOp::Binary(op, a, b))
    }

    /// Starts a loop; its unknown.
    pub fn begin_loop(&mut self, scale: f64) -> Reg {
        let begin = self.ops.len() as Reg;
        let unknown = self.push(CellOp::Unknown(self.loops.len() as u32));
        self.loops.push(CellLoop {
            begin,
            end: begin,
            unknown,
            residual: begin,
            slope: begin,
            scale: scale.to_bits(),
        });
        unknown
    }

    /// Ends the last loop. False: the residual has no derivative that can be written down.
    pub fn end_loop(&mut self, residual: Reg) -> bool {
        let Some(last) = self.loops.last().cloned() else {
            return false;
        };
        let Some(slope) = self.derivative(residual, last.unknown) else {
            return false;
        };
        let end = self.ops.len() as Reg;
        if let Some(last) = self.loops.last_mut() {
            (last.end, last.residual, last.slope) = (end, residual, slope);
        }
        true
    }

    /// ∂y/∂x as operations, zero as nothing at all below.
    fn derivative(&mut self, y: Reg, x: Reg) -> Option<Reg> {
        let mut d: HashMap<Reg, Reg> = HashMap::new();
        let one = self.constant(1.0);
        d.insert(x, one);
        for r in x + 1..=y {
            let op = self.ops[r as usize];
            let mut moves = false;
            op.for_each_operand(|a| moves |= d.contains_key(&a));
            if moves && let Some(slope) = self.slope(op, r, &d) {
                d.insert(r, slope);
            }
        }
        d.get(&y).copied()
    }

    /// Slope of one operation; none where it is zero.
    fn slope(&mut self, op: CellOp, r: Reg, d: &HashMap<Reg, Reg>) -> Option<Reg> {
        let at = |a: Reg| d.get(&a).copied();
        match op {
            CellOp::Unary(f, a) => tangent(self, f.operation()?, &[&a], &r, &[at(a)]),
            CellOp::Binary(f, a, b) => {
                tangent(self, f.operation()?, &[&a, &b], &r, &[at(a), at(b)])
            }
            CellOp::Select(c, a, b) if at(a).is_some() || at(b).is_some() => {
                Some(self.either(&c, at(a).as_ref(), at(b).as_ref()))
            }
            CellOp::PowI(a, n) => {
                let d = at(a)?;
                let power = self.push(CellOp::PowI(a, n - 1));
                let n = self.constant(f64::from(n));
                let slope = self.binary(Bin::Mul, n, power);
                Some(self.times(&d, &slope))
            }
            _ => None,
        }
    }

    /// The finished cell, and how to compute its parameters: operations over the given ones, and the registers
    /// (of those operations) whose values are the parameters of the cell.
    pub fn finish(&self, derivatives: &[Reg], outputs: &[Reg], flags: &[Reg]) -> (Cell, Constants) {
        let fixed = &self.fixed;
        let mut used = vec![false; self.ops.len()];
        let mut mark: Vec<Reg> = Vec::new();
        mark.extend(derivatives.iter().chain(outputs).chain(flags));
        for l in &self.loops {
            mark.extend([l.unknown, l.residual, l.slope]);
        }
        for &r in &mark {
            used[r as usize] = true;
        }
        for r in (0..self.ops.len()).rev() {
            if used[r] && !fixed[r] {
                self.ops[r].for_each_operand(|a| used[a as usize] = true);
            }
        }
        let mut constants = Constants::default();
        let mut new = vec![0; self.ops.len()];
        let mut cell = Cell::default();
        // Registers keep their order, so that loops stay ranges.
        for r in 0..self.ops.len() {
            if !used[r] {
                new[r] = cell.ops.len() as Reg;
                continue;
            }
            let op = match self.ops[r] {
                CellOp::Const(bits) => CellOp::Const(bits),
                _ if fixed[r] => {
                    constants.values.push(r as Reg);
                    CellOp::Param(constants.values.len() as u32 - 1)
                }
                op => op.map(|a| new[a as usize]),
            };
            if let CellOp::Input(k) = op {
                cell.inputs = cell.inputs.max(k + 1);
            }
            new[r] = cell.ops.len() as Reg;
            cell.ops.push(op);
        }
        let last = cell.ops.len() as Reg;
        let place = |r: Reg| new.get(r as usize).copied().unwrap_or(last);
        let places = |list: &[Reg]| list.iter().map(|&r| place(r)).collect();
        cell.loops = (self.loops.iter())
            .map(|l| CellLoop {
                begin: place(l.begin),
                end: place(l.end),
                unknown: place(l.unknown),
                residual: place(l.residual),
                slope: place(l.slope),
                scale: l.scale,
            })
            .collect();
        cell.params = constants.values.len() as u32;
        cell.derivatives = places(derivatives);
        cell.outputs = places(outputs);
        cell.flags = places(flags);
        constants.ops = self.needed(&constants.values);
        (cell, constants)
    }

    /// Operations that the wanted registers need, in order.
    fn needed(&self, wanted: &[Reg]) -> Vec<(Reg, CellOp)> {
        let mut used = vec![false; self.ops.len()];
        for &r in wanted {
            used[r as usize] = true;
        }
        for r in (0..self.ops.len()).rev() {
            if used[r] {
                self.ops[r].for_each_operand(|a| used[a as usize] = true);
            }
        }
        let all = self.ops.iter().enumerate().filter(|(r, _)| used[*r]);
        all.map(|(r, op)| (r as Reg, *op)).collect()
    }
}

impl Algebra for CellBuilder {
    type Value = Reg;
    type Tangent = Reg;

    fn constant(&mut self, x: f64) -> Reg {
        CellBuilder::constant(self, x)
    }

    fn apply(&mut self, op: Operation, args: &[&Reg]) -> Reg {
        match (op, args) {
            (Operation::Function(f), [x]) => self.unary(Un::Math(f), **x),
            (Operation::Function(f), [x, y]) => self.binary(Bin::Math(f), **x, **y),
            (Operation::Add, [x, y]) => self.binary(Bin::Add, **x, **y),
            (Operation::Sub, [x, y]) => self.binary(Bin::Sub, **x, **y),
            (Operation::Mul, [x, y]) => self.binary(Bin::Mul, **x, **y),
            (Operation::Div, [x, y]) => self.binary(Bin::Div, **x, **y),
            (Operation::Pow, [x, y]) => self.binary(Bin::Pow, **x, **y),
            _ => self.unary(Un::Neg, *args[0]),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: &Reg, b: &Reg) -> Reg {
        self.binary(crate::lower::binary_op(op), *a, *b)
    }

    fn times(&mut self, d: &Reg, by: &Reg) -> Reg {
        self.binary(Bin::Mul, *by, *d)
    }

    fn over(&mut self, d: &Reg, by: &Reg) -> Reg {
        self.binary(Bin::Div, *d, *by)
    }

    fn negated(&mut self, d: &Reg) -> Reg {
        self.unary(Un::Neg, *d)
    }

    fn plus(&mut self, a: &Reg, b: &Reg) -> Reg {
        self.binary(Bin::Add, *a, *b)
    }

    fn minus(&mut self, a: &Reg, b: &Reg) -> Reg {
        self.binary(Bin::Sub, *a, *b)
    }

    fn either(&mut self, condition: &Reg, a: Option<&Reg>, b: Option<&Reg>) -> Reg {
        let zero = CellBuilder::constant(self, 0.0);
        let of = |d: Option<&Reg>| d.copied().unwrap_or(zero);
        self.push(CellOp::Select(*condition, of(a), of(b)))
    }

    fn where_not_zero(&mut self, y: &Reg, slope: Reg) -> Reg {
        let zero = CellBuilder::constant(self, 0.0);
        self.push(CellOp::Select(*y, slope, zero))
    }
}

/// How a cell's parameters follow from the numbers of the model.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Constants {
    pub ops: Vec<(Reg, CellOp)>,
    pub values: Vec<Reg>,
}

impl Constants {
    /// Values of the parameters from those of the model, given by number.
    pub fn evaluate(&self, given: impl Fn(u32) -> f64, out: &mut [f64]) {
        let size = self.ops.last().map_or(0, |&(r, _)| r as usize + 1);
        let mut values = vec![f64::NAN; size];
        for &(r, op) in &self.ops {
            let v = |a: Reg| values[a as usize];
            values[r as usize] = match op {
                CellOp::Const(bits) => f64::from_bits(bits),
                CellOp::Param(k) => given(k),
                CellOp::Unary(f, a) => f.eval(v(a)),
                CellOp::Binary(f, a, b) => f.eval(v(a), v(b)),
                CellOp::Select(c, a, b) => {
                    if v(c) != 0.0 {
                        v(a)
                    } else {
                        v(b)
                    }
                }
                CellOp::PowI(a, n) => v(a).powi(n),
                // Never among constants.
                CellOp::Input(_) | CellOp::State(_) | CellOp::Time | CellOp::Unknown(_) => f64::NAN,
            };
        }
        for (o, &r) in out.iter_mut().zip(&self.values) {
            *o = values[r as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x² = 2 by a loop: the slope is 2x, and the constant under it is computed once.
    #[test]
    fn loops_have_slopes_and_constants_leave_the_code() {
        let mut b = CellBuilder::default();
        let p = b.push(CellOp::Param(0));
        let two = b.constant(2.0);
        let twice = b.push(CellOp::Binary(Bin::Mul, two, p));
        let x = b.begin_loop(1e-6);
        let square = b.push(CellOp::Binary(Bin::Mul, x, x));
        let residual = b.push(CellOp::Binary(Bin::Sub, square, twice));
        assert!(b.end_loop(residual));
        let (cell, constants) = b.finish(&[], &[x], &[]);
        assert_eq!(cell.loops.len(), 1);
        assert_eq!(cell.params, 1);
        let mut out = [0.0];
        constants.evaluate(|_| 3.0, &mut out);
        assert_eq!(out, [6.0]);
    }
}

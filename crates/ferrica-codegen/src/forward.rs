//! Forward differentiation of function bodies: bytecode to bytecode.
//!
//! In: the code of f: x ↦ y. Out: the code of (x, ẋ) ↦ (y, ẏ), the derivative in one direction. Every value register has a tangent
//! register beside it where a tangent can arrive; the control flow is that of f. The results are those of the interpreter on dual
//! numbers ([`crate::number`]), by the same rules: a direction that does not move contributes nothing, even
//! where the slope is infinite.

use ferrica_ir::calculus::{Algebra, Operation, tangent};
use ferrica_ir::elementary::is_stepped;
use ferrica_ir::expr::BinaryOp;

use crate::function::{Code, FunctionCode, Inst};
use crate::kernel::{Bin, Callee, Reg, Un};

/// The derivative code of a function with a body in bytecode; `None` for others.
pub fn forward(code: &FunctionCode, outputs_of: &dyn Fn(u32) -> u32) -> Option<FunctionCode> {
    let Code::Insts(insts) = &code.code else {
        return None;
    };
    let active = active_registers(code, insts, outputs_of);
    let zero = 2 * code.frame;
    let mut t = Transform {
        inputs: code.inputs,
        outputs: code.outputs,
        frame: code.frame,
        active,
        zero,
        next: zero + 1,
        out: Vec::with_capacity(insts.len() * 3),
    };
    t.out.push(Inst::Const(zero, 0.0));
    // Where each instruction begins, to move the jumps.
    let mut begins = Vec::with_capacity(insts.len() + 1);
    for inst in insts {
        begins.push(t.out.len() as u32);
        t.instruction(inst, outputs_of);
    }
    begins.push(t.out.len() as u32);
    for inst in &mut t.out {
        if let Inst::Jump(to) | Inst::JumpUnless(_, to) = inst {
            *to = begins[*to as usize];
        }
    }
    Some(FunctionCode {
        name: code.name.clone(),
        inputs: 2 * code.inputs,
        outputs: 2 * code.outputs,
        frame: t.next,
        code: Code::Insts(t.out),
        table: code.table.clone(),
        derivatives: Vec::new(),
        input_names: code.input_names.clone(),
        real_inputs: Vec::new(),
        is_remembered: false,
    })
}

/// Is the slope of this operation zero everywhere?
fn is_flat_unary(op: Un) -> bool {
    op.operation().is_none_or(is_flat)
}

fn is_flat_binary(op: Bin) -> bool {
    op.operation().is_none_or(is_flat)
}

fn is_flat(op: Operation) -> bool {
    matches!(op, Operation::Function(f) if is_stepped(f))
}

/// Registers whose tangents are computed: they can move, whatever way the control flow takes, and an output can feel it.
fn active_registers(
    code: &FunctionCode,
    insts: &[Inst],
    outputs_of: &dyn Fn(u32) -> u32,
) -> Vec<bool> {
    let mut active = vec![false; code.frame as usize];
    for (k, &real) in code.real_inputs.iter().enumerate() {
        active[k] = real;
    }
    loop {
        let before = active.iter().filter(|&&a| a).count();
        for inst in insts {
            let is = |r: &Reg| active[*r as usize];
            match inst {
                Inst::Copy(d, a) | Inst::PowI(d, a, _) if is(a) => active[*d as usize] = true,
                Inst::Unary(op, d, a) if is(a) && !is_flat_unary(*op) => {
                    active[*d as usize] = true;
                }
                Inst::Binary(op, d, a, b) if (is(a) || is(b)) && !is_flat_binary(*op) => {
                    active[*d as usize] = true;
                }
                Inst::Select(d, _, a, b) if is(a) || is(b) => active[*d as usize] = true,
                Inst::Load(d, first, len, _) => {
                    let any = active[*first as usize..][..*len as usize].contains(&true);
                    active[*d as usize] |= any;
                }
                Inst::Store(first, len, _, v) if is(v) => {
                    active[*first as usize..][..*len as usize].fill(true);
                }
                Inst::Call(Callee::Function(f), args, first) if args.iter().any(is) => {
                    active[*first as usize..][..outputs_of(*f) as usize].fill(true);
                }
                _ => {}
            }
        }
        if active.iter().filter(|&&a| a).count() == before {
            break;
        }
    }
    let wanted = wanted_registers(code, insts, outputs_of);
    for (a, w) in active.iter_mut().zip(wanted) {
        *a &= w;
    }
    // Inputs have their tangents where the caller has put them.
    for (k, &real) in code.real_inputs.iter().enumerate() {
        active[k] = real;
    }
    active
}

/// Registers whose tangents can get into an output: none of what only decides on which way the control flow goes.
fn wanted_registers(
    code: &FunctionCode,
    insts: &[Inst],
    outputs_of: &dyn Fn(u32) -> u32,
) -> Vec<bool> {
    let mut wanted = vec![false; code.frame as usize];
    wanted[code.inputs as usize..][..code.outputs as usize].fill(true);
    let mut count = 0;
    loop {
        for inst in insts.iter().rev() {
            let is = |r: Reg| wanted[r as usize];
            match inst {
                Inst::Copy(d, a) | Inst::PowI(d, a, _) | Inst::Unary(_, d, a) if is(*d) => {
                    wanted[*a as usize] = true;
                }
                Inst::Binary(_, d, a, b) | Inst::Select(d, _, a, b) if is(*d) => {
                    wanted[*a as usize] = true;
                    wanted[*b as usize] = true;
                }
                Inst::Load(d, first, len, _) if is(*d) => {
                    wanted[*first as usize..][..*len as usize].fill(true);
                }
                Inst::Store(first, len, _, v)
                    if wanted[*first as usize..][..*len as usize].contains(&true) =>
                {
                    wanted[*first as usize..][..*len as usize].fill(true);
                    wanted[*v as usize] = true;
                }
                Inst::Call(Callee::Function(f), args, first)
                    if wanted[*first as usize..][..outputs_of(*f) as usize].contains(&true) =>
                {
                    for &a in args {
                        wanted[a as usize] = true;
                    }
                }
                _ => {}
            }
        }
        let now = wanted.iter().filter(|&&w| w).count();
        if now == count {
            return wanted;
        }
        count = now;
    }
}

struct Transform {
    inputs: u32,
    outputs: u32,
    frame: u32,
    active: Vec<bool>,
    /// Register that is always zero.
    zero: Reg,
    next: Reg,
    out: Vec<Inst>,
}

impl Transform {
    /// Register of a value: inputs, their tangents, outputs, their tangents, other values, other tangents.
    fn v(&self, r: Reg) -> Reg {
        let (i, o) = (self.inputs, self.outputs);
        match r {
            r if r < i => r,
            r if r < i + o => r + i,
            r => r + i + o,
        }
    }

    /// Register of a tangent.
    fn t(&self, r: Reg) -> Reg {
        let (i, o) = (self.inputs, self.outputs);
        match r {
            r if r < i => r + i,
            r if r < i + o => r + i + o,
            r => r + self.frame,
        }
    }

    /// Tangent of an operand: zero where none can arrive.
    fn of(&self, r: Reg) -> Reg {
        if self.is(r) { self.t(r) } else { self.zero }
    }

    fn is(&self, r: Reg) -> bool {
        self.active[r as usize]
    }

    fn temp(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    fn unary(&mut self, op: Un, a: Reg) -> Reg {
        let r = self.temp();
        self.out.push(Inst::Unary(op, r, a));
        r
    }

    fn binary(&mut self, op: Bin, a: Reg, b: Reg) -> Reg {
        let r = self.temp();
        self.out.push(Inst::Binary(op, r, a, b));
        r
    }

    fn select(&mut self, c: Reg, a: Reg, b: Reg) -> Reg {
        let r = self.temp();
        self.out.push(Inst::Select(r, c, a, b));
        r
    }

    /// Sets the tangent of `d`, if it has one.
    fn set(&mut self, d: Reg, from: Reg) {
        if self.is(d) {
            self.out.push(Inst::Copy(self.t(d), from));
        }
    }

    fn instruction(&mut self, inst: &Inst, outputs_of: &dyn Fn(u32) -> u32) {
        let zero = self.zero;
        match inst {
            Inst::Const(d, x) => {
                self.out.push(Inst::Const(self.v(*d), *x));
                self.set(*d, zero);
            }
            Inst::Copy(d, a) => {
                self.out.push(Inst::Copy(self.v(*d), self.v(*a)));
                self.set(*d, self.of(*a));
            }
            Inst::Unary(op, d, a) => {
                let (d, x, y) = (*d, self.v(*a), self.v(*d));
                self.out.push(Inst::Unary(*op, y, x));
                if !self.is(*a) || is_flat_unary(*op) {
                    self.set(d, zero);
                } else if self.is(d) {
                    let dx = self.t(*a);
                    let r =
                        (op.operation()).and_then(|op| tangent(self, op, &[&x], &y, &[Some(dx)]));
                    self.set(d, r.unwrap_or(zero));
                }
            }
            Inst::Binary(op, d, a, b) => {
                let (x, y, r) = (self.v(*a), self.v(*b), self.v(*d));
                self.out.push(Inst::Binary(*op, r, x, y));
                if !(self.is(*a) || self.is(*b)) || is_flat_binary(*op) {
                    self.set(*d, zero);
                } else if self.is(*d) {
                    let dx = self.is(*a).then(|| self.t(*a));
                    let dy = self.is(*b).then(|| self.t(*b));
                    let t =
                        (op.operation()).and_then(|op| tangent(self, op, &[&x, &y], &r, &[dx, dy]));
                    self.set(*d, t.unwrap_or(zero));
                }
            }
            Inst::Select(d, c, a, b) => {
                let (d, c) = (*d, self.v(*c));
                self.out
                    .push(Inst::Select(self.v(d), c, self.v(*a), self.v(*b)));
                if self.is(d) {
                    let r = self.select(c, self.of(*a), self.of(*b));
                    self.set(d, r);
                }
            }
            Inst::PowI(d, a, n) => {
                let (d, n, x) = (*d, *n, self.v(*a));
                self.out.push(Inst::PowI(self.v(d), x, n));
                if self.is(*a) && self.is(d) {
                    let dx = self.t(*a);
                    let (factor, p) = (self.constant(f64::from(n)), self.temp());
                    self.out.push(Inst::PowI(p, x, n - 1));
                    let slope = self.binary(Bin::Mul, factor, p);
                    let r = self.times(&dx, &slope);
                    self.set(d, r);
                } else {
                    self.set(d, zero);
                }
            }
            Inst::Load(d, first, len, i) => {
                let i = self.v(*i);
                self.out
                    .push(Inst::Load(self.v(*d), self.v(*first), *len, i));
                if self.is(*d) {
                    if self.run_is_active(*first, *len) {
                        let r = self.temp();
                        self.out.push(Inst::Load(r, self.t(*first), *len, i));
                        self.set(*d, r);
                    } else {
                        self.set(*d, zero);
                    }
                }
            }
            Inst::Table(d, first, len, i) => {
                self.out
                    .push(Inst::Table(self.v(*d), *first, *len, self.v(*i)));
                if self.is(*d) {
                    self.set(*d, zero);
                }
            }
            Inst::Store(first, len, i, value) => {
                let i = self.v(*i);
                self.out
                    .push(Inst::Store(self.v(*first), *len, i, self.v(*value)));
                if self.run_is_active(*first, *len) {
                    let from = self.of(*value);
                    self.out.push(Inst::Store(self.t(*first), *len, i, from));
                }
            }
            Inst::Call(callee, args, first) => self.call(*callee, args, *first, outputs_of),
            Inst::Jump(to) => self.out.push(Inst::Jump(*to)),
            Inst::JumpUnless(c, to) => self.out.push(Inst::JumpUnless(self.v(*c), *to)),
            Inst::Fail(m, is_error) => self.out.push(Inst::Fail(self.v(*m), *is_error)),
            Inst::Return => self.out.push(Inst::Return),
        }
    }

    fn run_is_active(&self, first: Reg, len: u32) -> bool {
        self.active[first as usize..][..len as usize].contains(&true)
    }

    fn call(&mut self, callee: Callee, args: &[Reg], first: Reg, outputs_of: &dyn Fn(u32) -> u32) {
        let mut values: Vec<Reg> = args.iter().map(|&r| self.v(r)).collect();
        match callee {
            Callee::Function(f) if self.run_is_active(first, outputs_of(f)) => {
                values.extend(args.iter().map(|&r| self.of(r)));
                let m = outputs_of(f);
                let results = self.next;
                self.next += 2 * m.max(1);
                self.out
                    .push(Inst::Call(Callee::Tangent(f), values.into(), results));
                for k in 0..m {
                    self.out.push(Inst::Copy(self.v(first + k), results + k));
                    self.set(first + k, results + m + k);
                }
            }
            callee => {
                self.out
                    .push(Inst::Call(callee, values.into(), self.v(first)));
                let m = match callee {
                    Callee::Function(f) => outputs_of(f),
                    Callee::Jacobian(f) => outputs_of(f) * args.len() as u32,
                    Callee::Tangent(f) => 2 * outputs_of(f),
                    Callee::Text(_) => 1,
                };
                for k in 0..m {
                    self.set(first + k, self.zero);
                }
            }
        }
    }
}

/// Registers of the function; the tangents are registers too.
impl Algebra for Transform {
    type Value = Reg;
    type Tangent = Reg;

    fn constant(&mut self, x: f64) -> Reg {
        if x == 0.0 {
            return self.zero;
        }
        let r = self.temp();
        self.out.push(Inst::Const(r, x));
        r
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

    /// d·by, and 0 where d is 0.
    fn times(&mut self, d: &Reg, by: &Reg) -> Reg {
        let product = self.binary(Bin::Mul, *by, *d);
        self.select(*d, product, self.zero)
    }

    fn over(&mut self, d: &Reg, by: &Reg) -> Reg {
        let quotient = self.binary(Bin::Div, *d, *by);
        self.select(*d, quotient, self.zero)
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
        let zero = self.zero;
        let of = |d: Option<&Reg>| d.copied().unwrap_or(zero);
        self.select(*condition, of(a), of(b))
    }

    fn where_not_zero(&mut self, y: &Reg, slope: Reg) -> Reg {
        self.select(*y, slope, self.zero)
    }
}

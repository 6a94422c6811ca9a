//! Kernel IR: straight-line code over `f64` registers, the one form that every engine runs.
//!
//! A kernel is the *shape* of one or more expressions: register k is the value of operation k, an
//! operand is a number, not a slot, and literals are operands as well. A *row* binds a kernel to a
//! place in the model: the slots of its operands, followed by the slots of its results. Equations
//! that differ only in slots and literals have the same kernel and one row each.
//!
//! Truth values are 0 and 1, integers and enumerations are whole numbers, strings and external
//! objects are handles (see [`crate::runtime`]).
//!
//! Invariants: an operation uses registers below its own; a call with m outputs is followed by
//! m − 1 [`Op::Result`] operations; a guarded call whose guard is 0 is not made and gives zeros.

use std::fmt;
use std::hash::{Hash, Hasher};

use cranelift_entity::entity_impl;
use ferrica_ir::Ty;
use ferrica_ir::elementary::{binary_value, unary_value};
use ferrica_ir::expr::Builtin;
use ferrica_ir::simplify::power;
use rustc_hash::{FxHashMap, FxHasher};

use crate::few::FewMap;

pub type Reg = u32;

/// No register: a call without a guard.
pub const NO_REG: Reg = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(u32);
entity_impl!(KernelId, "k");

/// Operations of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Un {
    Neg,
    Not,
    Math(Builtin),
}

/// Operations of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Math(Builtin),
}

impl Un {
    #[inline]
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Un::Neg => -x,
            Un::Not => truth(x == 0.0),
            Un::Math(f) => unary_value(f, x).unwrap_or(f64::NAN),
        }
    }
}

impl Bin {
    #[inline]
    pub fn eval(self, x: f64, y: f64) -> f64 {
        match self {
            Bin::Add => x + y,
            Bin::Sub => x - y,
            Bin::Mul => x * y,
            Bin::Div => x / y,
            Bin::Pow => power(x, y),
            Bin::And => truth(x != 0.0 && y != 0.0),
            Bin::Or => truth(x != 0.0 || y != 0.0),
            Bin::Lt => truth(x < y),
            Bin::Le => truth(x <= y),
            Bin::Gt => truth(x > y),
            Bin::Ge => truth(x >= y),
            Bin::Eq => truth(x == y),
            Bin::Ne => truth(x != y),
            Bin::Math(f) => binary_value(f, x, y).unwrap_or(f64::NAN),
        }
    }
}

#[inline]
pub fn truth(b: bool) -> f64 {
    if b { 1.0 } else { 0.0 }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Operand of the row.
    Load(u32),
    /// A number that belongs to the shape (made by the compiler, never a literal of the model).
    Const(u64),
    Unary(Un, Reg),
    Binary(Bin, Reg, Reg),
    /// `if r0 <> 0 then r1 else r2`; all three are computed.
    Select(Reg, Reg, Reg),
    PowI(Reg, i32),
    /// Call site number; the value is the first output.
    Call(u32),
    /// A further output of the call before it.
    Result,
}

/// What a call site calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// Function number of the model.
    Function(u32),
    /// All partial derivatives of function f: output j with respect to argument k is output
    /// j·(number of arguments) + k. Not numbers where the function fails.
    Jacobian(u32),
    /// Value and derivative in one direction of function f: arguments x, ẋ; outputs y, ẏ.
    Tangent(u32),
    Text(TextOp),
}

/// Operations on strings (arguments and results are handles where strings).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextOp {
    Concat,
    FromReal,
    FromInteger,
    FromBoolean,
    /// Literal names of enumeration number k.
    FromEnum(u32),
    /// value, significantDigits, minimumLength, leftJustified
    FromDigits,
    /// text, minimumLength, leftJustified
    Pad,
    /// value, format
    FromFormat,
    Lt,
    Le,
    Gt,
    Ge,
}

impl TextOp {
    /// The text of a value that has only one form: all but numbers with a fraction, and text itself.
    pub fn of_type(ty: Ty) -> Option<TextOp> {
        Some(match ty {
            Ty::Boolean => TextOp::FromBoolean,
            Ty::Integer => TextOp::FromInteger,
            Ty::Enum(e) => TextOp::FromEnum(e.as_u32()),
            _ => return None,
        })
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallSite {
    pub callee: Callee,
    pub args: Vec<Reg>,
    pub guard: Reg,
    pub outputs: u32,
}

/// See the module comment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    pub ops: Vec<Op>,
    pub calls: Vec<CallSite>,
    /// Number of operands.
    pub loads: u32,
    /// Registers stored to the result slots of the row, in order.
    pub results: Vec<Reg>,
}

impl Kernel {
    /// Is its only result its only operand?
    pub fn is_copy(&self) -> bool {
        matches!(self.ops[..], [Op::Load(0)]) && self.results[..] == [0]
    }

    /// Length of a row.
    pub fn stride(&self) -> usize {
        self.loads as usize + self.results.len()
    }
}

impl Hash for Kernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ops.hash(state);
        self.calls.hash(state);
        self.results.hash(state);
    }
}

pub fn hash_kernel(kernel: &Kernel) -> u64 {
    let mut hasher = FxHasher::default();
    kernel.hash(&mut hasher);
    hasher.finish()
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (r, op) in self.ops.iter().enumerate() {
            match *op {
                Op::Load(k) => writeln!(f, "  r{r} = operand {k}")?,
                Op::Const(bits) => writeln!(f, "  r{r} = {:?}", f64::from_bits(bits))?,
                Op::Unary(Un::Math(op), a) => writeln!(f, "  r{r} = {op:?} r{a}")?,
                Op::Unary(op, a) => writeln!(f, "  r{r} = {op:?} r{a}")?,
                Op::Binary(Bin::Math(op), a, b) => writeln!(f, "  r{r} = {op:?} r{a}, r{b}")?,
                Op::Binary(op, a, b) => writeln!(f, "  r{r} = {op:?} r{a}, r{b}")?,
                Op::Select(c, a, b) => writeln!(f, "  r{r} = if r{c} then r{a} else r{b}")?,
                Op::PowI(a, n) => writeln!(f, "  r{r} = r{a} ^ {n}")?,
                Op::Call(site) => {
                    let site = &self.calls[site as usize];
                    write!(f, "  r{r} = call {:?}(", site.callee)?;
                    for (k, a) in site.args.iter().enumerate() {
                        write!(f, "{}r{a}", if k > 0 { ", " } else { "" })?;
                    }
                    write!(f, ")")?;
                    if site.guard != NO_REG {
                        write!(f, " if r{}", site.guard)?;
                    }
                    writeln!(f)?;
                }
                Op::Result => writeln!(f, "  r{r} = next output")?,
            }
        }
        for (k, r) in self.results.iter().enumerate() {
            writeln!(f, "  result {k} = r{r}")?;
        }
        Ok(())
    }
}

/// Builds a kernel with common subexpressions shared and identities applied.
#[derive(Default)]
pub struct KernelBuilder {
    kernel: Kernel,
    known: FewMap<Op, Reg>,
    known_calls: FxHashMap<CallSite, Reg>,
    operands: Vec<u32>,
    operand_of: FewMap<u32, u32>,
}

impl KernelBuilder {
    pub fn clear(&mut self) {
        self.kernel.ops.clear();
        self.kernel.calls.clear();
        self.kernel.loads = 0;
        self.kernel.results.clear();
        self.known.clear();
        if !self.known_calls.is_empty() {
            self.known_calls = FxHashMap::default();
        }
        self.operands.clear();
        self.operand_of.clear();
    }

    /// Starts from an existing kernel, whose registers keep their numbers.
    pub fn extend(kernel: &Kernel) -> KernelBuilder {
        let mut b = KernelBuilder {
            kernel: kernel.clone(),
            ..KernelBuilder::default()
        };
        b.kernel.results.clear();
        for (r, op) in kernel.ops.iter().enumerate() {
            if !matches!(op, Op::Call(_) | Op::Result) && !b.known.contains(op) {
                b.known.insert(*op, r as u32);
            }
        }
        for (r, op) in kernel.ops.iter().enumerate() {
            if let Op::Call(site) = op {
                b.known_calls
                    .insert(kernel.calls[*site as usize].clone(), r as u32);
            }
        }
        b
    }

    /// The finished kernel, with its results, and the slots of its operands.
    pub fn finish(&mut self, results: &[Reg]) -> (Kernel, Vec<u32>) {
        self.kernel.results = results.to_vec();
        let kernel = std::mem::take(&mut self.kernel);
        let operands = std::mem::take(&mut self.operands);
        self.clear();
        (kernel, operands)
    }

    /// The kernel with its results and the slots of its operands, which stay here: most rows have a kernel that is known.
    pub fn finished(&mut self, results: &[Reg]) -> (&Kernel, &[u32]) {
        self.kernel.results.clear();
        self.kernel.results.extend_from_slice(results);
        (&self.kernel, &self.operands)
    }

    pub fn len(&self) -> usize {
        self.kernel.ops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kernel.ops.is_empty()
    }

    pub fn op(&self, r: Reg) -> Op {
        self.kernel.ops[r as usize]
    }

    pub fn call_site(&self, site: u32) -> &CallSite {
        &self.kernel.calls[site as usize]
    }

    fn push(&mut self, op: Op) -> Reg {
        if let Some(r) = self.known.get(&op) {
            return r;
        }
        let r = self.kernel.ops.len() as Reg;
        self.kernel.ops.push(op);
        self.known.insert(op, r);
        r
    }

    /// Value of a slot: an operand of the kernel.
    pub fn slot(&mut self, slot: u32) -> Reg {
        let k = match self.operand_of.get(&slot) {
            Some(k) => k,
            None => {
                let k = self.kernel.loads;
                self.operand_of.insert(slot, k);
                self.operands.push(slot);
                self.kernel.loads += 1;
                k
            }
        };
        self.push(Op::Load(k))
    }

    pub fn constant(&mut self, value: f64) -> Reg {
        self.push(Op::Const(value.to_bits()))
    }

    pub fn as_const(&self, r: Reg) -> Option<f64> {
        match self.op(r) {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub fn unary(&mut self, op: Un, a: Reg) -> Reg {
        if let Some(x) = self.as_const(a) {
            return self.constant(op.eval(x));
        }
        if op == Un::Neg
            && let Op::Unary(Un::Neg, x) = self.op(a)
        {
            return x;
        }
        self.push(Op::Unary(op, a))
    }

    pub fn neg(&mut self, a: Reg) -> Reg {
        self.unary(Un::Neg, a)
    }

    pub fn math(&mut self, f: Builtin, a: Reg) -> Reg {
        self.unary(Un::Math(f), a)
    }

    pub fn binary(&mut self, op: Bin, a: Reg, b: Reg) -> Reg {
        let (x, y) = (self.as_const(a), self.as_const(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.constant(op.eval(x, y));
        }
        match (op, x, y) {
            (Bin::Add | Bin::Sub, _, Some(0.0)) => return a,
            (Bin::Add, Some(0.0), _) => return b,
            (Bin::Sub, Some(0.0), _) => return self.neg(b),
            (Bin::Mul, Some(0.0), _) => return a,
            (Bin::Mul, _, Some(0.0)) => return b,
            (Bin::Mul, Some(1.0), _) => return b,
            (Bin::Mul | Bin::Div, _, Some(1.0)) => return a,
            (Bin::Mul, Some(-1.0), _) => return self.neg(b),
            (Bin::Mul | Bin::Div, _, Some(-1.0)) => return self.neg(a),
            (Bin::Div, Some(0.0), _) => return a,
            (Bin::And, Some(t), _) => return if t != 0.0 { b } else { a },
            (Bin::And, _, Some(t)) => return if t != 0.0 { a } else { b },
            _ => {}
        }
        if op == Bin::Add
            && let Op::Unary(Un::Neg, y) = self.op(b)
        {
            return self.push(Op::Binary(Bin::Sub, a, y));
        }
        self.push(Op::Binary(op, a, b))
    }

    pub fn add(&mut self, a: Reg, b: Reg) -> Reg {
        self.binary(Bin::Add, a, b)
    }

    pub fn sub(&mut self, a: Reg, b: Reg) -> Reg {
        self.binary(Bin::Sub, a, b)
    }

    pub fn mul(&mut self, a: Reg, b: Reg) -> Reg {
        self.binary(Bin::Mul, a, b)
    }

    pub fn div(&mut self, a: Reg, b: Reg) -> Reg {
        self.binary(Bin::Div, a, b)
    }

    pub fn select(&mut self, c: Reg, a: Reg, b: Reg) -> Reg {
        if a == b {
            return a;
        }
        match self.as_const(c) {
            Some(t) => {
                if t != 0.0 {
                    a
                } else {
                    b
                }
            }
            None => self.push(Op::Select(c, a, b)),
        }
    }

    pub fn powi(&mut self, a: Reg, n: i32) -> Reg {
        match (n, self.as_const(a)) {
            (_, Some(x)) => self.constant(x.powi(n)),
            (0, _) => self.constant(1.0),
            (1, _) => a,
            (2, _) => self.mul(a, a),
            _ => self.push(Op::PowI(a, n)),
        }
    }

    /// A call; the value is the register of the first output, the others follow.
    pub fn call(&mut self, site: CallSite) -> Reg {
        if let Some(&r) = self.known_calls.get(&site) {
            return r;
        }
        if site.guard != NO_REG {
            let bare = CallSite {
                guard: NO_REG,
                ..site.clone()
            };
            if let Some(&r) = self.known_calls.get(&bare) {
                return r;
            }
        }
        let r = self.kernel.ops.len() as Reg;
        self.kernel
            .ops
            .push(Op::Call(self.kernel.calls.len() as u32));
        for _ in 1..site.outputs {
            self.kernel.ops.push(Op::Result);
        }
        self.kernel.calls.push(site.clone());
        self.known_calls.insert(site, r);
        r
    }
}

/// Operands that a register of a kernel depends on.
pub fn loads_of(kernel: &Kernel, register: u32) -> Vec<u32> {
    let mut needed = vec![false; kernel.ops.len()];
    needed[register as usize] = true;
    let mut loads = Vec::new();
    for k in (0..kernel.ops.len()).rev() {
        if !needed[k] {
            continue;
        }
        match kernel.ops[k] {
            Op::Load(operand) => loads.push(operand),
            Op::Const(_) => {}
            Op::Unary(_, a) | Op::PowI(a, _) => needed[a as usize] = true,
            Op::Binary(_, a, b) => {
                needed[a as usize] = true;
                needed[b as usize] = true;
            }
            Op::Select(a, b, c) => {
                for r in [a, b, c] {
                    needed[r as usize] = true;
                }
            }
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                for &r in site.args.iter().chain([&site.guard]) {
                    if r != NO_REG {
                        needed[r as usize] = true;
                    }
                }
            }
            // The call stands right before its further outputs.
            Op::Result => needed[k - 1] = true,
        }
    }
    loads
}

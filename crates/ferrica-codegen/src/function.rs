//! Function bodies to bytecode with control flow.
//!
//! In: a [`Function`] with a `Code` or `External` body. Out: [`FunctionCode`], which the
//! interpreter runs on a frame of registers: the slots of the function first (inputs, outputs,
//! locals), then temporaries. Temporaries are shared within one statement only, because statements
//! change slots. A frame begins as zeros: unassigned outputs and locals are zero or empty.

use std::sync::Arc;

use ferrica_ir::causal::CausalModel;
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::elementary::arity;
use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, FunctionId, Ty, UnaryOp};
use ferrica_ir::function::{ExternalArg, Function, FunctionBody, Stmt};
use rustc_hash::FxHashMap;

use crate::kernel::{Bin, Callee, Reg, TextOp, Un};
use crate::lower::binary_op;
use crate::natives::Native;
use crate::runtime::literal_handle;
use crate::sink::sink;
use crate::tables::hoist;

#[derive(Clone, Debug)]
pub enum Inst {
    Const(Reg, f64),
    Copy(Reg, Reg),
    Unary(Un, Reg, Reg),
    Binary(Bin, Reg, Reg, Reg),
    Select(Reg, Reg, Reg, Reg),
    PowI(Reg, Reg, i32),
    /// dst, first slot, number of slots, register with the index from 0
    Load(Reg, Reg, u32, Reg),
    /// dst, place of the first number in the table of the code, number of them, register with the index from 0
    Table(Reg, u32, u32, Reg),
    /// first slot, number of slots, register with the index, value
    Store(Reg, u32, Reg, Reg),
    /// callee, arguments, outputs into consecutive registers from here
    Call(Callee, Box<[Reg]>, Reg),
    Jump(u32),
    JumpUnless(Reg, u32),
    /// An assertion failed: message, is it an error?
    Fail(Reg, bool),
    Return,
}

/// Argument of a native function, resolved to frame registers.
#[derive(Clone, Debug)]
pub enum NativeArg {
    Value(Reg, Ty),
    Array {
        first: Reg,
        dims: Box<[u32]>,
        ty: Ty,
        output: bool,
    },
    Out(Reg, Ty),
}

#[derive(Clone)]
pub struct ExternalCall {
    pub name: String,
    /// What runs it, if the program has or may have it.
    pub native: Option<Native>,
    pub args: Vec<NativeArg>,
    pub result: Option<(Reg, Ty)>,
}

impl std::fmt::Debug for ExternalCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?}) -> {:?}", self.name, self.args, self.result)
    }
}

#[derive(Clone, Debug)]
pub enum Code {
    Insts(Vec<Inst>),
    /// Instructions that compute the arguments, then the call.
    External(Vec<Inst>, ExternalCall),
    /// The function has no body: the reason.
    Missing(String),
}

/// How to get derivatives of a function that cannot be differentiated through its code.
#[derive(Clone, Debug)]
pub struct DerivativeRule {
    pub function: u32,
    pub with_respect_to: Vec<u32>,
    pub zero: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct FunctionCode {
    pub name: String,
    pub inputs: u32,
    pub outputs: u32,
    /// Registers of a frame.
    pub frame: u32,
    pub code: Code,
    /// The numbers of constant arrays.
    pub table: Arc<[f64]>,
    pub derivatives: Vec<DerivativeRule>,
    /// Names of the inputs, for messages.
    pub input_names: Vec<String>,
    /// Inputs that are Real: the others have no derivative.
    pub real_inputs: Vec<bool>,
    /// Are results kept for calls with the same arguments?
    pub is_remembered: bool,
}

const MAX_DEPTH: u32 = 1500;

/// `lazy` says of each expression whether it may only be computed where it is asked for, `total` of each function whether it has nothing but results.
pub fn compile_function(
    model: &CausalModel,
    function: &Function,
    lazy: &[bool],
    total: &[bool],
) -> Result<FunctionCode, Diagnostic> {
    let mut c = Compiler {
        model,
        function,
        insts: Vec::new(),
        next: function.slots.len() as u32,
        memo: FxHashMap::default(),
        trail: Vec::new(),
        lazy,
        breaks: Vec::new(),
    };
    let mut table: Arc<[f64]> = Arc::default();
    let code = match &function.body {
        FunctionBody::Code(body) => {
            c.statements(&sink(&model.exprs, function, body, total))?;
            c.insts.push(Inst::Return);
            let insts = std::mem::take(&mut c.insts);
            let hoisted = hoist(insts, c.next, function.inputs + function.outputs);
            c.next = hoisted.frame;
            table = hoisted.table.into();
            Code::Insts(hoisted.insts)
        }
        FunctionBody::External(external) => {
            for &(slot, e) in &external.initial {
                let r = c.expr(e, 0)?;
                c.insts.push(Inst::Copy(slot, r));
                c.memo.clear();
            }
            let mut args = Vec::with_capacity(external.args.len());
            for arg in &external.args {
                args.push(match arg {
                    ExternalArg::Value(e) => NativeArg::Value(c.expr(*e, 0)?, model.exprs.ty(*e)),
                    ExternalArg::Array {
                        first,
                        dims,
                        ty,
                        output,
                    } => NativeArg::Array {
                        first: *first,
                        dims: dims.clone().into(),
                        ty: *ty,
                        output: *output,
                    },
                    ExternalArg::Out(slot) => NativeArg::Out(*slot, c.slot_type(*slot)),
                });
            }
            let call = ExternalCall {
                name: external.symbol.as_str().to_string(),
                native: None,
                args,
                result: external.result.map(|slot| (slot, c.slot_type(slot))),
            };
            Code::External(std::mem::take(&mut c.insts), call)
        }
        FunctionBody::Missing(why) => Code::Missing(why.clone()),
    };
    Ok(FunctionCode {
        name: function.name.clone(),
        inputs: function.inputs,
        outputs: function.outputs,
        frame: c.next,
        code,
        table,
        derivatives: function
            .derivatives
            .iter()
            // Second derivatives are for differentiating equations.
            .filter(|d| d.of.is_empty())
            .map(|d| DerivativeRule {
                function: d.function.as_u32(),
                with_respect_to: d.with_respect_to.clone(),
                zero: d.zero.clone(),
            })
            .collect(),
        input_names: function.slots[..function.inputs as usize]
            .iter()
            .map(|s| s.name.clone())
            .collect(),
        real_inputs: function.slots[..function.inputs as usize]
            .iter()
            .map(|s| s.ty == Ty::Real)
            .collect(),
        is_remembered: false,
    })
}

struct Compiler<'a> {
    model: &'a CausalModel,
    function: &'a Function,
    insts: Vec<Inst>,
    next: u32,
    memo: FxHashMap<ExprId, Reg>,
    /// Expressions in `memo`, in the order in which they came.
    trail: Vec<ExprId>,
    lazy: &'a [bool],
    /// Jumps to be patched to the end of the innermost loop.
    breaks: Vec<Vec<usize>>,
}

impl Compiler<'_> {
    fn arena(&self) -> &ExprArena {
        &self.model.exprs
    }

    fn slot_type(&self, slot: u32) -> Ty {
        self.function
            .slots
            .get(slot as usize)
            .map_or(Ty::Real, |s| s.ty)
    }

    fn temp(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    fn temps(&mut self, n: u32) -> Reg {
        self.next += n;
        self.next - n
    }

    fn error(&self, why: &str) -> Diagnostic {
        Diagnostic::error(
            "E0602",
            self.function.span,
            format!("function `{}`: {why}", self.function.name),
        )
    }

    fn here(&self) -> u32 {
        self.insts.len() as u32
    }

    fn patch(&mut self, at: usize) {
        let here = self.here();
        match &mut self.insts[at] {
            Inst::Jump(to) | Inst::JumpUnless(_, to) => *to = here,
            _ => {}
        }
    }

    /// Nothing is shared from here on: a slot may have changed.
    fn forget(&mut self) {
        for id in self.trail.drain(..) {
            self.memo.remove(&id);
        }
    }

    fn statements(&mut self, body: &[Stmt]) -> Result<(), Diagnostic> {
        for stmt in body {
            self.forget();
            self.statement(stmt)?;
        }
        self.forget();
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), Diagnostic> {
        match stmt {
            Stmt::Assign(slot, e) => {
                let r = self.expr(*e, 0)?;
                self.insts.push(Inst::Copy(*slot, r));
            }
            Stmt::Store(first, len, index, value) => {
                let (i, v) = (self.expr(*index, 0)?, self.expr(*value, 0)?);
                self.insts.push(Inst::Store(*first, *len, i, v));
            }
            Stmt::CallAssign(call, targets) => {
                let base = self.expr(*call, 0)?;
                for &(output, slot) in targets {
                    self.insts.push(Inst::Copy(slot, base + output));
                }
            }
            Stmt::If(c, yes, no) => {
                let c = self.expr(*c, 0)?;
                let to_else = self.insts.len();
                self.insts.push(Inst::JumpUnless(c, 0));
                self.statements(yes)?;
                if no.is_empty() {
                    self.patch(to_else);
                } else {
                    let to_end = self.insts.len();
                    self.insts.push(Inst::Jump(0));
                    self.patch(to_else);
                    self.statements(no)?;
                    self.patch(to_end);
                }
            }
            Stmt::While(c, body) => {
                let top = self.here();
                let c = self.expr(*c, 0)?;
                let exit = self.insts.len();
                self.insts.push(Inst::JumpUnless(c, 0));
                self.breaks.push(Vec::new());
                self.statements(body)?;
                self.insts.push(Inst::Jump(top));
                self.patch(exit);
                for at in self.breaks.pop().unwrap_or_default() {
                    self.patch(at);
                }
            }
            Stmt::Break => {
                let at = self.insts.len();
                self.insts.push(Inst::Jump(0));
                match self.breaks.last_mut() {
                    Some(list) => list.push(at),
                    None => return Err(self.error("`break` outside of a loop")),
                }
            }
            Stmt::Return => self.insts.push(Inst::Return),
            Stmt::Assert(c, message, is_error) => {
                let c = self.expr(*c, 0)?;
                let not = self.temp();
                self.insts.push(Inst::Unary(Un::Not, not, c));
                let skip = self.insts.len();
                self.insts.push(Inst::JumpUnless(not, 0));
                let m = self.expr(*message, 0)?;
                self.insts.push(Inst::Fail(m, *is_error));
                self.patch(skip);
            }
        }
        Ok(())
    }

    /// Must the expression not be computed when it is not asked for?
    fn is_lazy(&self, e: ExprId) -> bool {
        self.lazy[e.as_u32() as usize]
    }

    /// Register of an expression that is computed on one way only: what it shares is forgotten after.
    fn branch(&mut self, e: ExprId, depth: u32) -> Result<Reg, Diagnostic> {
        let mark = self.trail.len();
        let r = self.expr(e, depth)?;
        for id in self.trail.drain(mark..) {
            self.memo.remove(&id);
        }
        Ok(r)
    }

    fn expr(&mut self, id: ExprId, depth: u32) -> Result<Reg, Diagnostic> {
        if let Some(&r) = self.memo.get(&id) {
            return Ok(r);
        }
        if depth > MAX_DEPTH {
            return Err(self.error("an expression is nested too deeply"));
        }
        let depth = depth + 1;
        let r = match self.arena().get(id) {
            Expr::Real(_) | Expr::Int(_) | Expr::Enum(..) | Expr::Bool(_) => {
                let value = self.arena().as_f64(id).unwrap_or(f64::NAN);
                let r = self.temp();
                self.insts.push(Inst::Const(r, value));
                r
            }
            Expr::Str(s) => {
                let r = self.temp();
                let handle = literal_handle(self.arena(), s);
                self.insts.push(Inst::Const(r, handle));
                r
            }
            Expr::Local(slot) => slot,
            Expr::Load(first, len, index) => {
                let i = self.expr(index, depth)?;
                let r = self.temp();
                self.insts.push(Inst::Load(r, first, len, i));
                r
            }
            Expr::Unary(op, a) => {
                let a = self.expr(a, depth)?;
                let r = self.temp();
                let op = match op {
                    UnaryOp::Neg => Un::Neg,
                    UnaryOp::Not => Un::Not,
                };
                self.insts.push(Inst::Unary(op, r, a));
                r
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if self.is_lazy(b) => {
                // `i <= n and x[i] > 0`: the right side only where it decides.
                let x = self.expr(a, depth)?;
                let r = self.temp();
                self.insts.push(Inst::Copy(r, x));
                let test = if op == BinaryOp::And {
                    x
                } else {
                    let not = self.temp();
                    self.insts.push(Inst::Unary(Un::Not, not, x));
                    not
                };
                let skip = self.insts.len();
                self.insts.push(Inst::JumpUnless(test, 0));
                let y = self.branch(b, depth)?;
                self.insts.push(Inst::Copy(r, y));
                self.patch(skip);
                r
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (self.expr(a, depth)?, self.expr(b, depth)?);
                self.binary(op, a, b, x, y)
            }
            Expr::If(c, a, b) => {
                let rc = self.expr(c, depth)?;
                let r = self.temp();
                if self.is_lazy(a) || self.is_lazy(b) {
                    let to_else = self.insts.len();
                    self.insts.push(Inst::JumpUnless(rc, 0));
                    let x = self.branch(a, depth)?;
                    self.insts.push(Inst::Copy(r, x));
                    let to_end = self.insts.len();
                    self.insts.push(Inst::Jump(0));
                    self.patch(to_else);
                    let y = self.branch(b, depth)?;
                    self.insts.push(Inst::Copy(r, y));
                    self.patch(to_end);
                } else {
                    let (x, y) = (self.expr(a, depth)?, self.expr(b, depth)?);
                    self.insts.push(Inst::Select(r, rc, x, y));
                }
                r
            }
            Expr::Call(f, list) => {
                let args = self.args(list, depth)?;
                self.call(f, args)
            }
            Expr::Proj(call, k) => self.expr(call, depth)? + k,
            Expr::Builtin(f, list) => self.builtin(f, list, depth)?,
            Expr::Time | Expr::Var(_) | Expr::Der(_) | Expr::Pre(_) => {
                return Err(self.error("the body reads a variable of the model"));
            }
        };
        // A slot may be assigned before the statement ends only by the statement itself.
        self.memo.insert(id, r);
        self.trail.push(id);
        Ok(r)
    }

    fn args(
        &mut self,
        list: ferrica_ir::expr::ExprList,
        depth: u32,
    ) -> Result<Box<[Reg]>, Diagnostic> {
        let args = self.arena().args(list).to_vec();
        args.into_iter().map(|a| self.expr(a, depth)).collect()
    }

    fn call(&mut self, f: FunctionId, args: Box<[Reg]>) -> Reg {
        let outputs = self.model.functions[f].outputs.max(1);
        let r = self.temps(outputs);
        self.insts
            .push(Inst::Call(Callee::Function(f.as_u32()), args, r));
        r
    }

    fn text(&mut self, op: TextOp, args: Box<[Reg]>) -> Reg {
        let r = self.temp();
        self.insts.push(Inst::Call(Callee::Text(op), args, r));
        r
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, x: Reg, y: Reg) -> Reg {
        if self.arena().ty(a) == Ty::String {
            let text = match op {
                BinaryOp::Add => Some(TextOp::Concat),
                BinaryOp::Lt => Some(TextOp::Lt),
                BinaryOp::Le => Some(TextOp::Le),
                BinaryOp::Gt => Some(TextOp::Gt),
                BinaryOp::Ge => Some(TextOp::Ge),
                _ => None,
            };
            if let Some(op) = text {
                return self.text(op, [x, y].into());
            }
        }
        let r = self.temp();
        match (op, self.arena().as_f64(b)) {
            (BinaryOp::Pow, Some(n)) if n == n.trunc() && n.abs() <= 64.0 => {
                self.insts.push(Inst::PowI(r, x, n as i32));
            }
            _ => self.insts.push(Inst::Binary(binary_op(op), r, x, y)),
        }
        r
    }

    fn builtin(
        &mut self,
        f: Builtin,
        list: ferrica_ir::expr::ExprList,
        depth: u32,
    ) -> Result<Reg, Diagnostic> {
        use Builtin as B;
        let first = self.arena().args(list).first().copied();
        let first_ty = first.map_or(Ty::Real, |a| self.arena().ty(a));
        let args = self.args(list, depth)?;
        if let Some(arity) = arity(f) {
            let r = self.temp();
            self.insts.push(match arity {
                1 => Inst::Unary(Un::Math(f), r, args[0]),
                _ => Inst::Binary(Bin::Math(f), r, args[0], args[1]),
            });
            return Ok(r);
        }
        Ok(match f {
            B::NoEvent | B::Body | B::Argument | B::Homotopy | B::EnumToInt => args[0],
            B::Smooth => args[1],
            B::IntToEnum => args[args.len() - 1],
            B::Initial | B::Terminal => {
                let r = self.temp();
                self.insts.push(Inst::Const(r, 0.0));
                r
            }
            B::SemiLinear => {
                let (zero, c, p, n, r) = (
                    self.temp(),
                    self.temp(),
                    self.temp(),
                    self.temp(),
                    self.temp(),
                );
                self.insts.push(Inst::Const(zero, 0.0));
                self.insts.push(Inst::Binary(Bin::Ge, c, args[0], zero));
                self.insts.push(Inst::Binary(Bin::Mul, p, args[0], args[1]));
                self.insts.push(Inst::Binary(Bin::Mul, n, args[0], args[2]));
                self.insts.push(Inst::Select(r, c, p, n));
                r
            }
            B::StringOf => match TextOp::of_type(first_ty) {
                Some(op) => self.text(op, args),
                None if first_ty == Ty::String => args[0],
                None => self.text(TextOp::FromReal, args),
            },
            B::StringOfDigits if first_ty == Ty::Real => self.text(TextOp::FromDigits, args),
            B::StringOfDigits => {
                let text = match TextOp::of_type(first_ty) {
                    Some(op) => self.text(op, [args[0]].into()),
                    None => args[0],
                };
                let padded = std::iter::once(text).chain(args[2..].iter().copied());
                self.text(TextOp::Pad, padded.collect())
            }
            B::StringOfFormat => self.text(TextOp::FromFormat, args),
            _ => return Err(self.error(&format!("operator `{f:?}` is not allowed in a function"))),
        })
    }
}

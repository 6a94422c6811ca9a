//! Expressions to kernel IR.
//!
//! In: expressions of the arena and the slot layout. Out: operations in a [`KernelBuilder`].
//!
//! Every node is lowered once. Branches of an if-expression are all computed and one is selected,
//! except that a call is guarded by the conditions on the way to it: a function with an `assert` is
//! not called with arguments that the modeller excluded. Iterative: expressions may be deep.

use ferrica_ir::causal::CausalModel;
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::elementary::arity;
use ferrica_ir::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, UnaryOp, VarId};
use ferrica_ir::{Span, print};
use rustc_hash::FxHashMap;

use crate::few::FewMap;
use crate::kernel::{Bin, CallSite, Callee, KernelBuilder, NO_REG, Reg, TextOp, Un};
use crate::layout::{Layout, Slot};
use crate::runtime::literal_handle;

/// Which nodes of an arena are, or contain, one of a kind; children have smaller ids, so one pass is
/// enough.
pub fn nodes_with(arena: &ExprArena, kind: impl Fn(Expr) -> bool) -> Vec<bool> {
    let mut has = vec![false; arena.len()];
    for k in 0..arena.len() {
        let id = ExprId::from_u32(k as u32);
        let mut any = kind(arena.get(id));
        arena.for_each_child(id, |c| any |= has[c.as_u32() as usize]);
        has[k] = any;
    }
    has
}

/// Slots of variables with the expressions that stand for them.
pub type Definitions = FxHashMap<Slot, ExprId>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    id: ExprId,
    guard: Reg,
    /// Read left limits instead of present values.
    pre: bool,
}

enum Task {
    Visit(Key),
    Branches(Key),
    Finish(Key),
}

/// Lowers expressions of a model into one kernel at a time.
pub struct Lowering<'a> {
    pub model: &'a CausalModel,
    pub layout: &'a mut Layout,
    pub builder: KernelBuilder,
    has_call: &'a [bool],
    memo: FewMap<Key, Reg>,
    tasks: Vec<Task>,
    /// Variables assigned earlier in the same kernel.
    assigned: FxHashMap<VarId, Reg>,
    /// `homotopy` blends by the homotopy parameter (initialization) instead of taking the actual
    /// expression.
    pub blend_homotopy: bool,
    /// Calls computed once for several equations: first slot of the outputs.
    pub hoisted: FxHashMap<ExprId, u32>,
    /// The same, computed at events only.
    pub hoisted_discrete: FxHashMap<ExprId, u32>,
    /// What is lowered runs at events only.
    pub in_discrete: bool,
    /// Variables that are read as what they are defined by.
    pub definitions: Definitions,
}

impl<'a> Lowering<'a> {
    pub fn new(
        model: &'a CausalModel,
        layout: &'a mut Layout,
        has_call: &'a [bool],
    ) -> Lowering<'a> {
        Lowering {
            model,
            layout,
            builder: KernelBuilder::default(),
            has_call,
            memo: FewMap::default(),
            tasks: Vec::new(),
            assigned: FxHashMap::default(),
            blend_homotopy: false,
            hoisted: FxHashMap::default(),
            hoisted_discrete: FxHashMap::default(),
            in_discrete: false,
            definitions: Definitions::default(),
        }
    }

    /// The expression that stands for a variable.
    fn definition(&self, v: VarId, key: Key) -> Option<ExprId> {
        let slot = self.layout.slot(v).filter(|_| !key.pre)?;
        self.definitions.get(&slot).copied()
    }

    fn hoisted_slot(&self, call: ExprId) -> Option<u32> {
        let discrete = self
            .in_discrete
            .then(|| self.hoisted_discrete.get(&call))
            .flatten();
        self.hoisted.get(&call).or(discrete).copied()
    }

    /// Is the call computed apart, for the code that is lowered now?
    pub fn is_hoisted(&self, call: ExprId) -> bool {
        self.hoisted_slot(call).is_some()
    }

    /// Begins a new kernel.
    pub fn begin(&mut self) {
        self.builder.clear();
        self.memo.clear();
        if !self.assigned.is_empty() {
            self.assigned.clear();
        }
    }

    /// Later expressions of this kernel see `var` as the register.
    pub fn assign(&mut self, var: VarId, value: Reg) {
        self.assigned.insert(var, value);
    }

    pub fn unsupported(&self, id: ExprId, span: Span, why: &str) -> Diagnostic {
        let mut text = print::expr(&self.model.exprs, self.model, id);
        if text.len() > 200 {
            let mut end = 200;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push('…');
        }
        Diagnostic::error("E0601", span, format!("{why}: {text}"))
    }

    fn key(&self, id: ExprId, guard: Reg, pre: bool) -> Key {
        let guard = if self.has_call[id.as_u32() as usize] {
            guard
        } else {
            NO_REG
        };
        Key { id, guard, pre }
    }

    fn reg(&self, id: ExprId, at: Key) -> Reg {
        self.known(self.key(id, at.guard, at.pre))
    }

    /// Of an expression that has been lowered.
    fn known(&self, key: Key) -> Reg {
        match self.memo.get(&key) {
            Some(r) => r,
            None => unreachable!("operands are lowered before what reads them"),
        }
    }

    fn guards(&mut self, at: Key, condition: ExprId) -> (Reg, Reg) {
        let c = self.reg(condition, at);
        let not = self.builder.unary(Un::Not, c);
        if at.guard == NO_REG {
            (c, not)
        } else {
            let yes = self.builder.binary(Bin::And, at.guard, c);
            (yes, self.builder.binary(Bin::And, at.guard, not))
        }
    }

    /// Register with the value of an expression.
    pub fn expr(&mut self, id: ExprId, span: Span) -> Result<Reg, Diagnostic> {
        self.guarded(id, NO_REG, span)
    }

    /// The same, where calls are only made while register `guard` is true.
    pub fn guarded(&mut self, id: ExprId, guard: Reg, span: Span) -> Result<Reg, Diagnostic> {
        let root = self.key(id, guard, false);
        self.tasks.push(Task::Visit(root));
        while let Some(task) = self.tasks.pop() {
            let done = match task {
                Task::Visit(key) => {
                    self.visit(key);
                    Ok(())
                }
                Task::Branches(key) => {
                    self.branches(key);
                    Ok(())
                }
                Task::Finish(key) => self.finish(key, span),
            };
            if let Err(e) = done {
                self.tasks.clear();
                return Err(e);
            }
        }
        Ok(self.known(root))
    }

    fn visit(&mut self, key: Key) {
        if self.memo.contains(&key) {
            return;
        }
        if key.guard != NO_REG {
            let bare = Key {
                guard: NO_REG,
                ..key
            };
            if let Some(r) = self.memo.get(&bare) {
                self.memo.insert(key, r);
                return;
            }
        }
        let arena = &self.model.exprs;
        match arena.get(key.id) {
            Expr::If(c, ..) if self.has_call[key.id.as_u32() as usize] => {
                self.tasks.push(Task::Finish(key));
                self.tasks.push(Task::Branches(key));
                let child = self.key(c, key.guard, key.pre);
                self.tasks.push(Task::Visit(child));
            }
            Expr::Builtin(Builtin::Edge | Builtin::Change | Builtin::WhenFires, list) => {
                let arg = arena.args(list)[0];
                self.tasks.push(Task::Finish(key));
                for pre in [true, false] {
                    let child = self.key(arg, key.guard, pre);
                    self.tasks.push(Task::Visit(child));
                }
            }
            Expr::Builtin(Builtin::Homotopy, list) if !self.blend_homotopy => {
                let actual = arena.args(list)[0];
                self.tasks.push(Task::Finish(key));
                let child = self.key(actual, key.guard, key.pre);
                self.tasks.push(Task::Visit(child));
            }
            Expr::Call(..) if self.is_hoisted(key.id) => {
                self.tasks.push(Task::Finish(key));
            }
            Expr::Var(v) => {
                self.tasks.push(Task::Finish(key));
                if let Some(e) = self.definition(v, key) {
                    let value = self.key(e, key.guard, key.pre);
                    self.tasks.push(Task::Visit(value));
                }
            }
            _ => {
                self.tasks.push(Task::Finish(key));
                let at = self.tasks.len();
                let (has_call, tasks) = (self.has_call, &mut self.tasks);
                arena.for_each_child(key.id, |c| {
                    let guard = if has_call[c.as_u32() as usize] {
                        key.guard
                    } else {
                        NO_REG
                    };
                    tasks.push(Task::Visit(Key {
                        id: c,
                        guard,
                        pre: key.pre,
                    }));
                });
                self.tasks[at..].reverse();
            }
        }
    }

    fn branches(&mut self, key: Key) {
        let Expr::If(c, a, b) = self.model.exprs.get(key.id) else {
            return;
        };
        let (yes, no) = self.guards(key, c);
        let (ka, kb) = (self.key(a, yes, key.pre), self.key(b, no, key.pre));
        self.tasks.push(Task::Visit(kb));
        self.tasks.push(Task::Visit(ka));
    }

    fn finish(&mut self, key: Key, span: Span) -> Result<(), Diagnostic> {
        let model = self.model;
        let r = match model.exprs.get(key.id) {
            Expr::Real(_) | Expr::Int(_) | Expr::Enum(..) => {
                let value = model.exprs.as_f64(key.id).unwrap_or(f64::NAN);
                let slot = self.layout.literal(value);
                self.builder.slot(slot)
            }
            Expr::Bool(b) => self.builder.constant(f64::from(u8::from(b))),
            Expr::Str(s) => {
                let slot = self.layout.literal(literal_handle(&model.exprs, s));
                self.builder.slot(slot)
            }
            Expr::Time => self.builder.slot(Layout::TIME),
            Expr::Var(v) => match self.definition(v, key) {
                Some(e) => self.reg(e, key),
                None => self.variable(key, v, key.pre, span)?,
            },
            Expr::Pre(v) => self.variable(key, v, true, span)?,
            Expr::Der(_) => {
                return Err(self.unsupported(key.id, span, "derivative left in a sorted equation"));
            }
            Expr::Local(_) | Expr::Load(..) => {
                return Err(self.unsupported(key.id, span, "local variable outside of a function"));
            }
            Expr::Unary(op, a) => {
                let a = self.reg(a, key);
                match op {
                    UnaryOp::Neg => self.builder.neg(a),
                    UnaryOp::Not => self.builder.unary(Un::Not, a),
                }
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (self.reg(a, key), self.reg(b, key));
                self.binary(op, a, b, x, y)
            }
            Expr::If(c, a, b) => {
                let rc = self.reg(c, key);
                if self.has_call[key.id.as_u32() as usize] {
                    let (yes, no) = self.guards(key, c);
                    let ra = self.known(self.key(a, yes, key.pre));
                    let rb = self.known(self.key(b, no, key.pre));
                    self.builder.select(rc, ra, rb)
                } else {
                    let (ra, rb) = (self.reg(a, key), self.reg(b, key));
                    self.builder.select(rc, ra, rb)
                }
            }
            Expr::Call(f, list) => {
                if let Some(first) = self.hoisted_slot(key.id) {
                    self.builder.slot(first)
                } else {
                    let args = model
                        .exprs
                        .args(list)
                        .iter()
                        .map(|&a| self.reg(a, key))
                        .collect();
                    let outputs = model.functions[f].outputs.max(1);
                    let callee = Callee::Function(f.as_u32());
                    self.builder.call(CallSite {
                        callee,
                        args,
                        guard: key.guard,
                        outputs,
                    })
                }
            }
            Expr::Proj(call, k) => {
                if let Some(first) = self.hoisted_slot(call) {
                    self.builder.slot(first + k)
                } else {
                    self.reg(call, key) + k
                }
            }
            Expr::Builtin(f, list) => {
                let args = model.exprs.args(list).to_vec();
                self.builtin(key, f, &args, span)?
            }
        };
        self.memo.insert(key, r);
        Ok(())
    }

    fn variable(&mut self, key: Key, v: VarId, pre: bool, span: Span) -> Result<Reg, Diagnostic> {
        if !pre
            && !self.assigned.is_empty()
            && let Some(&r) = self.assigned.get(&v)
        {
            return Ok(r);
        }
        let place = if pre { self.layout.pre(v) } else { None };
        match place.or_else(|| self.layout.place(v)) {
            Some((slot, negated)) => {
                let r = self.builder.slot(slot);
                Ok(if negated { self.builder.neg(r) } else { r })
            }
            None => Err(self.unsupported(key.id, span, "variable without a value")),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, x: Reg, y: Reg) -> Reg {
        let arena = &self.model.exprs;
        if arena.ty(a) == Ty::String {
            let text = match op {
                BinaryOp::Add => Some(TextOp::Concat),
                BinaryOp::Lt => Some(TextOp::Lt),
                BinaryOp::Le => Some(TextOp::Le),
                BinaryOp::Gt => Some(TextOp::Gt),
                BinaryOp::Ge => Some(TextOp::Ge),
                _ => None,
            };
            if let Some(op) = text {
                return self.text(op, vec![x, y]);
            }
        }
        match op {
            BinaryOp::Pow => match arena.as_f64(b) {
                Some(n) if n == n.trunc() && n.abs() <= 64.0 => self.builder.powi(x, n as i32),
                Some(0.5) => self.builder.math(Builtin::Sqrt, x),
                _ => self.builder.binary(Bin::Pow, x, y),
            },
            op => self.builder.binary(binary_op(op), x, y),
        }
    }

    fn text(&mut self, op: TextOp, args: Vec<Reg>) -> Reg {
        let callee = Callee::Text(op);
        self.builder.call(CallSite {
            callee,
            args,
            guard: NO_REG,
            outputs: 1,
        })
    }

    fn builtin(
        &mut self,
        key: Key,
        f: Builtin,
        args: &[ExprId],
        span: Span,
    ) -> Result<Reg, Diagnostic> {
        use Builtin as B;
        let now = |s: &Self, k: usize| s.reg(args[k], key);
        match arity(f) {
            Some(1) => {
                let a = now(self, 0);
                return Ok(self.builder.math(f, a));
            }
            Some(_) => {
                let (a, b) = (now(self, 0), now(self, 1));
                return Ok(self.builder.binary(Bin::Math(f), a, b));
            }
            None => {}
        }
        Ok(match f {
            B::NoEvent | B::Body | B::Argument => now(self, 0),
            B::Smooth => now(self, 1),
            B::Homotopy if !self.blend_homotopy => now(self, 0),
            B::Homotopy => {
                let (actual, simple) = (now(self, 0), now(self, 1));
                let b = &mut self.builder;
                let lambda = b.slot(Layout::HOMOTOPY);
                let one = b.constant(1.0);
                let full = b.binary(Bin::Ge, lambda, one);
                let rest = b.sub(one, lambda);
                let (p, q) = (b.mul(lambda, actual), b.mul(rest, simple));
                let blend = b.add(p, q);
                b.select(full, actual, blend)
            }
            B::SemiLinear => {
                let (x, kp, kn) = (now(self, 0), now(self, 1), now(self, 2));
                let b = &mut self.builder;
                let zero = b.constant(0.0);
                let c = b.binary(Bin::Ge, x, zero);
                let (p, n) = (b.mul(kp, x), b.mul(kn, x));
                b.select(c, p, n)
            }
            B::Initial => self.builder.slot(Layout::INITIAL),
            B::Terminal => self.builder.slot(Layout::TERMINAL),
            B::Edge | B::Change => {
                let present = self.known(self.key(args[0], key.guard, false));
                let before = self.known(self.key(args[0], key.guard, true));
                if f == B::Change {
                    self.builder.binary(Bin::Ne, present, before)
                } else {
                    let not = self.builder.unary(Un::Not, before);
                    self.builder.binary(Bin::And, present, not)
                }
            }
            B::WhenFires => {
                let present = self.known(self.key(args[0], key.guard, false));
                let before = self.known(self.key(args[0], key.guard, true));
                let at_start = args
                    .get(1)
                    .is_some_and(|&i| self.model.exprs.as_bool(i) == Some(true));
                let b = &mut self.builder;
                let not = b.unary(Un::Not, before);
                let edge = b.binary(Bin::And, present, not);
                let initial = b.slot(Layout::INITIAL);
                let first = if at_start { present } else { b.constant(0.0) };
                b.select(initial, first, edge)
            }
            B::StringOf => {
                let ty = self.model.exprs.ty(args[0]);
                let a = now(self, 0);
                match TextOp::of_type(ty) {
                    Some(op) => self.text(op, vec![a]),
                    None if ty == Ty::String => a,
                    None => self.text(TextOp::FromReal, vec![a]),
                }
            }
            B::StringOfDigits => {
                let ty = self.model.exprs.ty(args[0]);
                let mut regs: Vec<Reg> = (0..args.len()).map(|k| now(self, k)).collect();
                if ty == Ty::Real {
                    return Ok(self.text(TextOp::FromDigits, regs));
                }
                let value = regs[0];
                let text = TextOp::of_type(ty).map(|op| self.text(op, vec![value]));
                regs.splice(..2, [text.unwrap_or(value)]);
                self.text(TextOp::Pad, regs)
            }
            B::StringOfFormat => {
                let regs = vec![now(self, 0), now(self, 1)];
                self.text(TextOp::FromFormat, regs)
            }
            B::EnumToInt => now(self, 0),
            B::IntToEnum => now(self, args.len() - 1),
            B::Delay | B::Sample | B::SpatialDistribution => {
                return Err(self.unsupported(key.id, span, "operator not supported here"));
            }
            // The synchronous operators were resolved into equations before.
            _ => {
                return Err(self.unsupported(key.id, span, "clocked operator not supported here"));
            }
        })
    }
}

pub fn binary_op(op: BinaryOp) -> Bin {
    match op {
        BinaryOp::Add => Bin::Add,
        BinaryOp::Sub => Bin::Sub,
        BinaryOp::Mul => Bin::Mul,
        BinaryOp::Div => Bin::Div,
        BinaryOp::Pow => Bin::Pow,
        BinaryOp::And => Bin::And,
        BinaryOp::Or => Bin::Or,
        BinaryOp::Lt => Bin::Lt,
        BinaryOp::Le => Bin::Le,
        BinaryOp::Gt => Bin::Gt,
        BinaryOp::Ge => Bin::Ge,
        BinaryOp::Eq => Bin::Eq,
        BinaryOp::Ne => Bin::Ne,
    }
}

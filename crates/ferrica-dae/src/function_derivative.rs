//! Differentiated functions.
//!
//! In: a function with Modelica code. Out: a function whose inputs are those of the original
//! followed by the derivatives of its Real inputs, and whose outputs are the derivatives of its
//! Real outputs: the body with a derivative statement before each assignment (forward mode).
//! Made once for each function.

use cranelift_entity::PrimaryMap;
use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_ir::{Expr, ExprArena, ExprId, FunctionId, Ty};
use rustc_hash::FxHashMap;

use crate::differentiate::{DerivativeMemory, Differentiator, NotDifferentiable};

/// The derivative function of `f` and the input slots it wants derivatives of.
pub fn derivative_of(
    functions: &mut PrimaryMap<FunctionId, Function>,
    memory: &mut DerivativeMemory,
    arena: &mut ExprArena,
    f: FunctionId,
) -> Result<(FunctionId, Vec<u32>), NotDifferentiable> {
    let function = functions[f].clone();
    let real_inputs: Vec<u32> = (0..function.inputs)
        .filter(|&i| function.slots[i as usize].ty == Ty::Real)
        .collect();
    if let Some(&d) = memory.made.get(&f) {
        return Ok((d, real_inputs));
    }
    let FunctionBody::Code(body) = &function.body else {
        return Err(NotDifferentiable {
            reason: format!(
                "the function `{}`, which is foreign and has no derivative annotation",
                function.name
            ),
        });
    };
    let layout = Layout::new(&function);
    // The name is taken before the body is differentiated: a recursive function calls it.
    let id = functions.push(Function {
        name: format!("der({})", function.name),
        slots: layout.slots.clone(),
        inputs: layout.inputs,
        outputs: layout.outputs,
        body: FunctionBody::Code(Vec::new()),
        pure: function.pure,
        derivatives: Vec::new(),
        span: function.span,
    });
    memory.made.insert(f, id);
    let mut out = Vec::new();
    // Locals that are read before they are set have the derivative zero.
    let zero = arena.real(0.0);
    for (s, slot) in function
        .slots
        .iter()
        .enumerate()
        .skip(function.inputs as usize)
    {
        if slot.ty == Ty::Real {
            out.push(Stmt::Assign(layout.derivative[s], zero));
        }
    }
    let result = {
        let mut pass = Body {
            layout: &layout,
            functions,
            memory,
            arena,
        };
        pass.statements(body, &mut out)
    };
    if let Err(e) = result {
        memory.made.remove(&f);
        functions[id].body = FunctionBody::Missing(format!("not differentiable: {}", e.reason));
        return Err(e);
    }
    functions[id].body = FunctionBody::Code(out);
    Ok((id, real_inputs))
}

/// Where the slots of the original and their derivatives are.
struct Layout {
    slots: Vec<Slot>,
    inputs: u32,
    outputs: u32,
    value: Vec<u32>,
    derivative: Vec<u32>,
    /// For each new slot that holds a value, the one of its derivative.
    rate_of: Vec<u32>,
}

impl Layout {
    fn new(f: &Function) -> Layout {
        let n = f.slots.len();
        let (inputs, outputs) = (f.inputs as usize, f.outputs as usize);
        let real = |s: usize| f.slots[s].ty == Ty::Real;
        let mut slots: Vec<Slot> = Vec::new();
        let mut value = vec![0; n];
        let mut derivative = vec![u32::MAX; n];
        let mut push_value = |slots: &mut Vec<Slot>, s: usize| {
            value[s] = slots.len() as u32;
            slots.push(f.slots[s].clone());
        };
        let mut push_derivative = |slots: &mut Vec<Slot>, s: usize| {
            derivative[s] = slots.len() as u32;
            slots.push(Slot {
                name: format!("der({})", f.slots[s].name),
                ty: Ty::Real,
            });
        };
        (0..inputs).for_each(|s| push_value(&mut slots, s));
        (0..inputs)
            .filter(|&s| real(s))
            .for_each(|s| push_derivative(&mut slots, s));
        let new_inputs = slots.len();
        (inputs..inputs + outputs)
            .filter(|&s| real(s))
            .for_each(|s| push_derivative(&mut slots, s));
        let new_outputs = slots.len() - new_inputs;
        (inputs..n).for_each(|s| push_value(&mut slots, s));
        (inputs + outputs..n)
            .filter(|&s| real(s))
            .for_each(|s| push_derivative(&mut slots, s));
        let mut rate_of = vec![u32::MAX; slots.len()];
        for (&v, &d) in value.iter().zip(&derivative) {
            rate_of[v as usize] = d;
        }
        Layout {
            slots,
            inputs: new_inputs as u32,
            outputs: new_outputs as u32,
            value,
            derivative,
            rate_of,
        }
    }
}

struct Body<'a> {
    layout: &'a Layout,
    functions: &'a mut PrimaryMap<FunctionId, Function>,
    memory: &'a mut DerivativeMemory,
    arena: &'a mut ExprArena,
}

impl Body<'_> {
    fn statements(&mut self, body: &[Stmt], out: &mut Vec<Stmt>) -> Result<(), NotDifferentiable> {
        for stmt in body {
            match stmt {
                Stmt::Assign(slot, e) => {
                    let d = self.layout.derivative[*slot as usize];
                    if d != u32::MAX {
                        let de = self.derivative(*e)?;
                        out.push(Stmt::Assign(d, de));
                    }
                    out.push(Stmt::Assign(
                        self.layout.value[*slot as usize],
                        self.value(*e),
                    ));
                }
                Stmt::Store(first, len, index, e) => {
                    let d = self.layout.derivative[*first as usize];
                    let at = self.value(*index);
                    if d != u32::MAX {
                        let de = self.derivative(*e)?;
                        out.push(Stmt::Store(d, *len, at, de));
                    }
                    let value = self.value(*e);
                    out.push(Stmt::Store(
                        self.layout.value[*first as usize],
                        *len,
                        at,
                        value,
                    ));
                }
                Stmt::CallAssign(call, targets) => {
                    self.call_assign(*call, targets, out)?;
                }
                Stmt::If(c, a, b) => {
                    let (mut x, mut y) = (Vec::new(), Vec::new());
                    self.statements(a, &mut x)?;
                    self.statements(b, &mut y)?;
                    out.push(Stmt::If(self.value(*c), x, y));
                }
                Stmt::While(c, a) => {
                    let mut x = Vec::new();
                    self.statements(a, &mut x)?;
                    out.push(Stmt::While(self.value(*c), x));
                }
                Stmt::Break => out.push(Stmt::Break),
                Stmt::Return => out.push(Stmt::Return),
                // The original has checked it already.
                Stmt::Assert(..) => {}
            }
        }
        Ok(())
    }

    fn call_assign(
        &mut self,
        call: ExprId,
        targets: &[(u32, u32)],
        out: &mut Vec<Stmt>,
    ) -> Result<(), NotDifferentiable> {
        let value = self.value(call);
        let Expr::Call(f, _) = self.arena.get(call) else {
            return Err(NotDifferentiable {
                reason: "a statement with several results that is no call".into(),
            });
        };
        let mut derivatives = Vec::new();
        for &(output, slot) in targets {
            let d = self.layout.derivative[slot as usize];
            if d == u32::MAX {
                continue;
            }
            let first = self.functions[f].inputs;
            let ty = self.functions[f].slots[(first + output) as usize].ty;
            let proj = self.arena.proj(call, output, ty);
            derivatives.push((d, self.derivative(proj)?));
        }
        out.extend(derivatives.into_iter().map(|(d, e)| Stmt::Assign(d, e)));
        let mapped = targets
            .iter()
            .map(|&(o, s)| (o, self.layout.value[s as usize]))
            .collect();
        out.push(Stmt::CallAssign(value, mapped));
        Ok(())
    }

    /// The expression over the new slots.
    fn value(&mut self, e: ExprId) -> ExprId {
        let mut reach = std::mem::take(&mut self.memory.reach);
        reach.collect(self.arena, &[e], |_| true);
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in &reach.nodes {
            let ty = self.arena.ty(id);
            let new = match self.arena.get(id) {
                Expr::Local(s) => {
                    let slot = self.layout.value[s as usize];
                    self.arena.intern(Expr::Local(slot), ty)
                }
                Expr::Load(first, len, index) => {
                    let slot = self.layout.value[first as usize];
                    self.arena.intern(Expr::Load(slot, len, map[&index]), ty)
                }
                _ => self.arena.map_children(id, |c| map[&c]),
            };
            map.insert(id, new);
        }
        self.memory.reach = reach;
        map[&e]
    }

    /// The derivative over the new slots.
    fn derivative(&mut self, e: ExprId) -> Result<ExprId, NotDifferentiable> {
        // Values first, so that one numbering holds; derivatives of slots are found backwards.
        let value = self.value(e);
        let rate_of = |s: u32| Some(self.layout.rate_of[s as usize]).filter(|&d| d != u32::MAX);
        let mut differentiator = Differentiator::new(self.functions, self.memory);
        let d = differentiator.derivative_expr(self.arena, value, &mut |a, leaf| {
            Ok(match leaf {
                Expr::Local(s) => rate_of(s).map(|d| a.intern(Expr::Local(d), Ty::Real)),
                Expr::Load(first, len, index) => {
                    rate_of(first).map(|d| a.intern(Expr::Load(d, len, index), Ty::Real))
                }
                _ => None,
            })
        })?;
        Ok(d)
    }
}

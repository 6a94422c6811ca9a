//! Algorithm sections of models that need execution at run time: functions of everything they read.

use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_ir::{Builtin, Expr, ExprId, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::ScopeId;
use crate::lower::Emitter;
use crate::lower::left_sides;

impl<'a> Flattener<'a> {
    /// An algorithm section as a function of everything it reads; returns the assigned variables
    /// with their final values.
    pub fn lower_algorithm(
        &mut self,
        section: &'a ast::AlgorithmSection,
        scope: ScopeId,
    ) -> R<Vec<(VarId, ExprId)>> {
        let targets = self.assigned_variables(&section.statements, scope)?;
        let mut in_when = Vec::new();
        when_left_sides(&section.statements, &mut in_when);
        for v in self.referenced_variables(in_when, scope)? {
            self.make_discrete(v);
        }
        let emitter = std::mem::replace(&mut self.emitter, Emitter::new());
        let result = self.algorithm_body(section, scope, &targets);
        let written = std::mem::replace(&mut self.emitter, emitter);
        result?;
        let (written_slots, mut body) = written.finish();
        // What is read from the model becomes an input.
        let mut roots = Vec::new();
        collect_expressions(&body, &mut roots);
        let mut reads: Vec<ExprId> = Vec::new();
        self.flat
            .exprs
            .postorder(&roots, |id| match self.flat.exprs.get(id) {
                Expr::Var(_) | Expr::Pre(_) | Expr::Time | Expr::Der(_) => reads.push(id),
                Expr::Builtin(
                    Builtin::WhenFires
                    | Builtin::Initial
                    | Builtin::Terminal
                    | Builtin::Sample
                    | Builtin::Delay,
                    _,
                ) => reads.push(id),
                _ => {}
            });
        let inputs = reads.len() as u32;
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut slots = Vec::new();
        for (k, &r) in reads.iter().enumerate() {
            let ty = self.flat.exprs.ty(r);
            let local = self.flat.exprs.intern(Expr::Local(k as u32), ty);
            map.insert(r, local);
            slots.push(Slot {
                name: format!("$in{k}"),
                ty,
            });
        }
        slots.extend(written_slots);
        let fixed = map.clone();
        let mut memo: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut shift = |x: &mut ferrica_ir::ExprArena, e: ExprId| {
            if let Some(&m) = fixed.get(&e) {
                return Some(m);
            }
            let ty = x.ty(e);
            match x.get(e) {
                Expr::Local(k) => Some(x.intern(Expr::Local(k + inputs), ty)),
                _ => None,
            }
        };
        renumber(&mut body, inputs, &mut |e| {
            let new = self.flat.exprs.rewrite(e, &mut memo, &mut shift);
            // A run-time index needs the shifted base as well.
            shift_loads(&mut self.flat.exprs, new, inputs)
        });
        let id = self.flat.functions.push(Function {
            name: format!("algorithm of {}", self.class_name(scope)),
            slots,
            inputs,
            outputs: targets.len() as u32,
            body: FunctionBody::Code(body),
            pure: true,
            derivatives: Vec::new(),
            span: section.span,
        });
        let ty = if targets.len() == 1 {
            self.flat.vars[targets[0]].ty
        } else {
            Ty::Tuple
        };
        let call = self.flat.exprs.call(id, &reads, ty);
        let mut out = Vec::new();
        for (k, &v) in targets.iter().enumerate() {
            let ty = self.flat.vars[v].ty;
            let value = if targets.len() == 1 {
                call
            } else {
                self.flat.exprs.proj(call, k as u32, ty)
            };
            out.push((v, value));
        }
        Ok(out)
    }

    fn algorithm_body(
        &mut self,
        section: &'a ast::AlgorithmSection,
        scope: ScopeId,
        targets: &[VarId],
    ) -> R<()> {
        let mut assigned = FxHashMap::default();
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for &v in targets {
            let ty = self.flat.vars[v].ty;
            let slot = self.emitter.slots.len() as u32;
            self.emitter.slots.push(Slot {
                name: self.flat.vars[v].name.clone(),
                ty,
            });
            let local = self.flat.exprs.intern(Expr::Local(slot), ty);
            assigned.insert(v, local);
            to.push(local);
            from.push(self.default_of(v));
        }
        self.emit_scalars(&to, &from, section.span)?;
        self.emitter.outputs_placed = true;
        let mut env = Env {
            assigned: Some(assigned),
            ..Env::new(scope)
        };
        self.emit_block(&section.statements, &mut env)
    }

    /// Variables on the left sides of the statements, whole arrays where the index is not known.
    fn assigned_variables(
        &mut self,
        statements: &'a [ast::Statement],
        scope: ScopeId,
    ) -> R<Vec<VarId>> {
        let mut refs = Vec::new();
        left_sides(statements, &mut refs);
        self.referenced_variables(refs, scope)
    }

    /// The variables that references name, whole arrays whatever the index.
    fn referenced_variables(
        &mut self,
        refs: Vec<&'a ast::ComponentRef>,
        scope: ScopeId,
    ) -> R<Vec<VarId>> {
        let mut out = Vec::new();
        for r in refs {
            let name = r.parts[0].name;
            let Some(crate::lookup::Found::Element(e)) = self.lookup_simple(scope, name)? else {
                continue;
            };
            if self.tree.component(e).is_none() {
                continue;
            }
            let env = Env::new(scope);
            let whole = self.whole_component(e, &env)?;
            // Only the named field of a record.
            let mut value = whole;
            for p in &r.parts[1..] {
                match value.field(p.name) {
                    Some(f) => value = f,
                    None => break,
                }
            }
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            out.extend(
                scalars
                    .into_iter()
                    .filter_map(|s| match self.flat.exprs.get(s) {
                        Expr::Var(v) => Some(v),
                        _ => None,
                    }),
            );
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }
}

/// Left sides of the statements in when-clauses.
fn when_left_sides<'a>(statements: &'a [ast::Statement], out: &mut Vec<&'a ast::ComponentRef>) {
    for s in statements {
        if let ast::StatementKind::When(branches) = &s.kind {
            for b in branches {
                left_sides(&b.statements, out);
            }
        }
    }
}

fn collect_expressions(body: &[Stmt], out: &mut Vec<ExprId>) {
    for s in body {
        match s {
            Stmt::Assign(_, e) => out.push(*e),
            Stmt::Store(_, _, k, v) => out.extend([*k, *v]),
            Stmt::CallAssign(c, _) => out.push(*c),
            Stmt::If(c, a, b) => {
                out.push(*c);
                collect_expressions(a, out);
                collect_expressions(b, out);
            }
            Stmt::While(c, b) => {
                out.push(*c);
                collect_expressions(b, out);
            }
            Stmt::Assert(c, m, _) => out.extend([*c, *m]),
            Stmt::Break | Stmt::Return => {}
        }
    }
}

fn renumber(body: &mut [Stmt], by: u32, map: &mut dyn FnMut(ExprId) -> ExprId) {
    for s in body {
        match s {
            Stmt::Assign(slot, e) => {
                *slot += by;
                *e = map(*e);
            }
            Stmt::Store(base, _, k, v) => {
                *base += by;
                *k = map(*k);
                *v = map(*v);
            }
            Stmt::CallAssign(c, outs) => {
                *c = map(*c);
                outs.iter_mut().for_each(|o| o.1 += by);
            }
            Stmt::If(c, a, b) => {
                *c = map(*c);
                renumber(a, by, map);
                renumber(b, by, map);
            }
            Stmt::While(c, b) => {
                *c = map(*c);
                renumber(b, by, map);
            }
            Stmt::Assert(c, m, _) => {
                *c = map(*c);
                *m = map(*m);
            }
            Stmt::Break | Stmt::Return => {}
        }
    }
}

/// Shifts the base of every run-time subscript.
fn shift_loads(x: &mut ferrica_ir::ExprArena, e: ExprId, by: u32) -> ExprId {
    let mut loads = false;
    x.postorder(&[e], |id| loads |= matches!(x.get(id), Expr::Load(..)));
    if !loads {
        return e;
    }
    fn walk(x: &mut ferrica_ir::ExprArena, e: ExprId, by: u32) -> ExprId {
        let mut children = Vec::new();
        x.for_each_child(e, |c| children.push(c));
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for c in children {
            let n = walk(x, c, by);
            new.insert(c, n);
        }
        let mapped = x.map_children(e, |c| new[&c]);
        let ty = x.ty(mapped);
        match x.get(mapped) {
            Expr::Load(base, len, k) => x.intern(Expr::Load(base + by, len, k), ty),
            _ => mapped,
        }
    }
    walk(x, e, by)
}

//! Algorithm sections of models that need execution at run time: functions of everything they read.

use ferrica_ir::flat::Variability;
use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::ScopeId;
use crate::lower::Emitter;
use crate::lower::left_sides;

/// What a section does first with a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    Read,
    Assigned,
    /// Nothing, on some way through.
    None,
}

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
        let in_when = self.referenced_variables(in_when, scope)?;
        for &v in &in_when {
            self.make_discrete(v);
        }
        let emitter = std::mem::replace(&mut self.emitter, Emitter::new());
        let result = self.algorithm_body(section, scope, &targets);
        let written = std::mem::replace(&mut self.emitter, emitter);
        result?;
        let (written_slots, mut body) = written.finish();
        self.forget_unread_values(&mut body, &targets);
        // What is read from the model becomes an input. So do conditions on it where something else than a when-clause keeps
        // a value between events: they make the events at which it changes.
        let jumps = |v: &VarId| self.flat.vars[*v].ty.is_discrete() && !in_when.contains(v);
        let jumps: Vec<bool> = targets.iter().map(jumps).collect();
        let mut conditions = FxHashSet::default();
        if jumps.contains(&true) {
            self.event_conditions(&body, &mut conditions);
        }
        let mut roots = Vec::new();
        collect_expressions(&body, &mut roots);
        let reads = self.model_reads(roots, &conditions);
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
        let moves = self.reads_what_moves(call);
        let mut out = Vec::new();
        for (k, &v) in targets.iter().enumerate() {
            let ty = self.flat.vars[v].ty;
            let value = if targets.len() == 1 {
                call
            } else {
                self.flat.exprs.proj(call, k as u32, ty)
            };
            let value = match jumps[k] && moves {
                true => self.jumping(value),
                false => value,
            };
            out.push((v, value));
        }
        Ok(out)
    }

    /// The values that variables have before the section, where every way through it assigns them before it reads them: they are no
    /// left limits then, on which the result would seem to depend.
    fn forget_unread_values(&mut self, body: &mut [Stmt], targets: &[VarId]) {
        for k in 0..targets.len() {
            let Some(Stmt::Assign(slot, _)) = body.get(k) else {
                return;
            };
            let slot = *slot;
            if self.first_use(&body[targets.len()..], slot) == FirstUse::Assigned {
                let zero = self.zero(self.flat.vars[targets[k]].ty);
                body[k] = Stmt::Assign(slot, zero);
            }
        }
    }

    fn first_use(&self, body: &[Stmt], slot: u32) -> FirstUse {
        let x = &self.flat.exprs;
        let reads = |e: ExprId| {
            let mut found = false;
            x.postorder(&[e], |id| match x.get(id) {
                Expr::Local(s) => found |= s == slot,
                Expr::Load(first, count, _) => found |= (first..first + count).contains(&slot),
                _ => {}
            });
            found
        };
        for s in body {
            match s {
                Stmt::Assign(_, e) | Stmt::CallAssign(e, _) if reads(*e) => return FirstUse::Read,
                Stmt::Assign(to, _) if *to == slot => return FirstUse::Assigned,
                Stmt::CallAssign(_, to) if to.iter().any(|t| t.1 == slot) => {
                    return FirstUse::Assigned;
                }
                Stmt::Assign(..) | Stmt::CallAssign(..) => {}
                Stmt::Store(first, count, k, e) => {
                    let part = (*first..first + count).contains(&slot);
                    if part || reads(*k) || reads(*e) {
                        return FirstUse::Read;
                    }
                }
                Stmt::If(c, a, b) => {
                    let uses = [self.first_use(a, slot), self.first_use(b, slot)];
                    if reads(*c) || uses.contains(&FirstUse::Read) {
                        return FirstUse::Read;
                    }
                    if uses == [FirstUse::Assigned; 2] {
                        return FirstUse::Assigned;
                    }
                }
                // It may have no pass.
                Stmt::While(c, b) => {
                    if reads(*c) || self.first_use(b, slot) == FirstUse::Read {
                        return FirstUse::Read;
                    }
                }
                Stmt::Assert(c, m, _) => {
                    if reads(*c) || reads(*m) {
                        return FirstUse::Read;
                    }
                }
                Stmt::Break => return FirstUse::None,
                Stmt::Return => return FirstUse::Read,
            }
        }
        FirstUse::None
    }

    /// Relations outside of when-clauses that read nothing of the section's own, and can be computed anywhere.
    fn event_conditions(&self, body: &[Stmt], out: &mut FxHashSet<ExprId>) {
        let x = &self.flat.exprs;
        let mut roots = Vec::new();
        for s in body {
            match s {
                Stmt::If(c, a, b) => {
                    let mut fires = false;
                    x.postorder(&[*c], |id| {
                        fires |= matches!(x.get(id), Expr::Builtin(Builtin::WhenFires, _));
                    });
                    if !fires {
                        roots.push(*c);
                        self.event_conditions(a, out);
                    }
                    self.event_conditions(b, out);
                }
                Stmt::While(c, b) => {
                    roots.push(*c);
                    self.event_conditions(b, out);
                }
                s => collect_expressions(std::slice::from_ref(s), &mut roots),
            }
        }
        while let Some(e) = roots.pop() {
            match x.get(e) {
                Expr::Builtin(Builtin::NoEvent | Builtin::Smooth, _) => {}
                Expr::Binary(op, a, b) if op.is_relation() && self.is_plain(&[a, b]) => {
                    out.insert(e);
                }
                _ => x.for_each_child(e, |c| roots.push(c)),
            }
        }
    }

    /// Sums and products of what the model has, with something that moves.
    fn is_plain(&self, roots: &[ExprId]) -> bool {
        let x = &self.flat.exprs;
        let (mut plain, mut moves) = (true, false);
        x.postorder(roots, |id| match x.get(id) {
            Expr::Time | Expr::Der(_) => moves = true,
            Expr::Var(v) => {
                let var = &self.flat.vars[v];
                moves |= var.ty == Ty::Real && var.variability == Variability::Continuous;
            }
            Expr::Pre(_) | Expr::Real(_) | Expr::Int(_) | Expr::Unary(..) => {}
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => {}
            _ => plain = false,
        });
        plain && moves
    }

    /// What expressions read of the model: its variables, and conditions as a whole.
    fn model_reads(&self, roots: Vec<ExprId>, conditions: &FxHashSet<ExprId>) -> Vec<ExprId> {
        let x = &self.flat.exprs;
        let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
        let mut open = roots;
        open.reverse();
        while let Some(e) = open.pop() {
            if !seen.insert(e) {
                continue;
            }
            match x.get(e) {
                _ if conditions.contains(&e) => out.push(e),
                Expr::Var(_) | Expr::Pre(_) | Expr::Time | Expr::Der(_) => out.push(e),
                Expr::Builtin(
                    Builtin::WhenFires
                    | Builtin::Initial
                    | Builtin::Terminal
                    | Builtin::Sample
                    | Builtin::Delay,
                    _,
                ) => out.push(e),
                _ => {
                    let first = open.len();
                    x.for_each_child(e, |c| open.push(c));
                    open[first..].reverse();
                }
            }
        }
        out
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

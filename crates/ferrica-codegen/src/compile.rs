//! Causal model to compiled model.
//!
//! Lowers every block to rows of shared kernels, systems to programs over slots, and the conditions
//! and values of events to rows of their own, then arranges the programs that every run needs.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use ferrica_ir::Span;
use ferrica_ir::causal::{self, Assign, CausalModel, Kind, LinearBlock, NonlinearBlock};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{Expr, ExprId, Ty, VarId};
use ferrica_ir::flat::Variability;
use ferrica_ir::function::FunctionBody;
use ferrica_solvers::sparse::CscPattern;
use rustc_hash::FxHashSet;

use crate::foreign::{self, Foreign};
use crate::function::{Code, FunctionCode, compile_function};
use crate::interpreter::Functions;
use crate::kernel::{CallSite, Callee, KernelId, NO_REG, Reg};
use crate::layout::{Layout, Slot};
use crate::lower::{Lowering, nodes_with};
use crate::model::{
    ActionSlots, Block, BlockKind, BlockSet, CompiledModel, DelaySlots, DynamicSlots, EquationRef,
    RelationSlots, System, SystemKind,
};
use crate::natives::Natives;
use crate::program::{Kernels, Program, Row, SystemId};
use crate::schedule::{arrange, needed};
use crate::tape::{PartialCache, Tape, independent_rows};

/// Up to this many assignments and residuals a system is one kernel, whose common subexpressions are
/// shared; beyond, each is a row of its own, so that equal shapes share a kernel.
const FUSE_LIMIT: usize = 60;

/// Choices of the compiler.
#[derive(Clone, Default)]
pub struct CompileOptions {
    pub natives: Natives,
    pub form: Form,
}

/// Which form of the equations the integrator will get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// DAE form where the ODE form would be dense or would solve nonlinear equations at each evaluation.
    #[default]
    Auto,
    Ode,
    Dae,
}

/// Compiles a model. All errors found are returned.
pub fn compile(
    model: CausalModel,
    options: &CompileOptions,
) -> Result<CompiledModel, Vec<Diagnostic>> {
    let model = Arc::new(model);
    let has_call = nodes_with(&model.exprs, |e| matches!(e, Expr::Call(..)));
    let mut layout = Layout::new(&model);
    let functions = compile_functions(&model, options)?;
    let mut c = Compiler {
        low: Lowering::new(&model, &mut layout, &has_call),
        kernels: Kernels::default(),
        systems: PrimaryMap::new(),
        cache: PartialCache::default(),
        call_slots: FxHashSet::default(),
        errors: Vec::new(),
    };
    c.literal_values();
    let mut parameters = c.parameter_set();
    let start_rows = c.start_rows();
    c.low.blend_homotopy = true;
    let mut initial = c.block_set(&model.initial.blocks, None, true);
    c.low.blend_homotopy = false;
    let mut main = c.block_set(&model.blocks, Some(&model.continuous), false);
    // What happens at events stands on its own: in the DAE form no block computes shared calls.
    c.low.hoisted.clear();
    c.low.hoisted_discrete.clear();
    let events = c.events(&mut main);
    if !c.errors.is_empty() {
        return Err(c.errors);
    }
    let Compiler {
        kernels,
        systems,
        cache,
        ..
    } = c;
    for set in [&mut parameters, &mut initial, &mut main] {
        set.index(&kernels, &systems, layout.len());
    }
    let all = |set: &BlockSet| {
        let blocks: Vec<_> = set.blocks.keys().collect();
        arrange(&kernels, &systems, set, &blocks)
    };
    let derivatives: Vec<Slot> =
        (layout.derivatives..layout.derivatives + layout.n_states as Slot).collect();
    let for_slots = |wanted: &[Slot]| {
        let blocks = needed(&kernels, &systems, &main, wanted, true);
        arrange(&kernels, &systems, &main, &blocks)
    };
    let continuous: Vec<_> = main
        .blocks
        .iter()
        .filter(|(_, b)| b.continuous)
        .map(|(id, _)| id)
        .collect();
    let zeros: Vec<Slot> = events
        .relations
        .iter()
        .filter(|r| !r.time_event)
        .map(|r| r.zero)
        .collect();
    let delayed: Vec<Slot> = events
        .delays
        .iter()
        .flat_map(|d| [d.source, d.delay])
        .collect();
    let mut compiled = CompiledModel {
        parameter_program: all(&parameters),
        start_program: rows_program(&kernels, &start_rows),
        initial_program: all(&initial),
        rhs_program: for_slots(&derivatives),
        continuous_program: arrange(&kernels, &systems, &main, &continuous),
        event_program: all(&main),
        relation_program: rows_program(&kernels, &events.relation_rows),
        zero_program: for_slots(&zeros),
        delay_program: for_slots(&delayed),
        delay_row_program: rows_program(&kernels, &events.delay_rows),
        action_program: rows_program(&kernels, &events.action_rows),
        samplers_program: rows_program(&kernels, &events.sampler_rows),
        relations: events.relations,
        samplers: events.samplers,
        delays: events.delays,
        reinits: events.reinits,
        assertions: events.assertions,
        terminates: events.terminates,
        effects: events.effects,
        assertion_messages: events.assertion_messages,
        terminate_messages: events.terminate_messages,
        effect_calls: events.effect_calls,
        dynamic_states: events.dynamic_states,
        source: model.clone(),
        kernels,
        functions,
        systems,
        parameters,
        initial,
        main,
        layout,
        dae: None,
        ode_jacobian: None,
    };
    crate::linearize::attach(&mut compiled, options.form, &has_call, cache).map_err(|e| vec![e])?;
    Ok(compiled)
}

/// Program of rows in the order given.
fn rows_program(kernels: &Kernels, rows: &[Row]) -> Program {
    independent_rows(
        rows.iter()
            .map(|&r| (r.kernel, kernels.row(r).to_vec()))
            .collect(),
    )
}

fn compile_functions(
    model: &CausalModel,
    options: &CompileOptions,
) -> Result<Functions, Vec<Diagnostic>> {
    // What a branch that is not taken must not compute: it may fail.
    let lazy = nodes_with(&model.exprs, |e| {
        matches!(e, Expr::Call(..) | Expr::Load(..))
    });
    let mut codes: Vec<FunctionCode> = model
        .functions
        .values()
        .map(|f| {
            // A function that nothing calls may be beyond us: the reason is told when it is called.
            compile_function(model, f, &lazy).unwrap_or_else(|e| FunctionCode {
                name: f.name.clone(),
                inputs: f.inputs,
                outputs: f.outputs,
                frame: f.slots.len() as u32,
                code: Code::Missing(e.message),
                derivatives: Vec::new(),
                input_names: Vec::new(),
                real_inputs: vec![false; f.inputs as usize],
            })
        })
        .collect();
    let mut natives = options.natives.clone();
    if natives.may_change_system {
        bridge_functions(model, &mut codes, &mut natives)?;
    }
    Ok(Functions::new(codes, natives))
}

/// External C functions that no native serves, by the system's C compiler. Each gets a native of its own name, because the sizes of
/// its arguments are part of it.
fn bridge_functions(
    model: &CausalModel,
    codes: &mut [FunctionCode],
    natives: &mut Natives,
) -> Result<(), Vec<Diagnostic>> {
    let mut foreign = Vec::new();
    for (number, (f, code)) in model.functions.values().zip(codes.iter()).enumerate() {
        if let (FunctionBody::External(external), Code::External(_, call)) = (&f.body, &code.code)
            && !natives.contains(&call.name)
        {
            foreign.push(Foreign {
                number,
                external,
                call,
            });
        }
    }
    if foreign.is_empty() {
        return Ok(());
    }
    let span = model
        .functions
        .values()
        .nth(foreign[0].number)
        .map_or(Span::NONE, |f| f.span);
    let made = foreign::load(&foreign).map_err(|e| vec![Diagnostic::error("E0608", span, e)])?;
    let numbers: Vec<usize> = foreign.iter().map(|f| f.number).collect();
    for (number, native) in numbers.into_iter().zip(made) {
        if let Code::External(_, call) = &mut codes[number].code {
            call.name = format!("{}#{number}", call.name);
            natives.insert(&call.name, native);
        }
    }
    Ok(())
}

/// Slots and rows of everything that happens at events.
#[derive(Default)]
struct Events {
    relations: Vec<RelationSlots>,
    relation_rows: Vec<Row>,
    samplers: Vec<(Slot, Slot, Slot)>,
    sampler_rows: Vec<Row>,
    delays: Vec<DelaySlots>,
    delay_rows: Vec<Row>,
    reinits: Vec<(Slot, Slot, Slot)>,
    assertions: Vec<ActionSlots>,
    terminates: Vec<ActionSlots>,
    effects: Vec<ActionSlots>,
    action_rows: Vec<Row>,
    assertion_messages: Vec<Program>,
    terminate_messages: Vec<Program>,
    effect_calls: Vec<Program>,
    dynamic_states: Vec<DynamicSlots>,
}

struct Compiler<'a> {
    low: Lowering<'a>,
    kernels: Kernels,
    systems: PrimaryMap<SystemId, System>,
    cache: PartialCache,
    /// Outputs of calls that are computed apart.
    call_slots: FxHashSet<Slot>,
    errors: Vec<Diagnostic>,
}

/// A list of rows with what it reads and writes.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    reads: Vec<Slot>,
    writes: Vec<Slot>,
}

impl<'a> Compiler<'a> {
    fn model(&self) -> &'a CausalModel {
        self.low.model
    }

    /// Bindings and start values that are literals.
    fn literal_values(&mut self) {
        let model = self.model();
        for (v, var) in &model.vars {
            let Some(slot) = self.low.layout.slot(v) else {
                continue;
            };
            if self.low.layout.var(slot) != Some(v) {
                continue;
            }
            let mut value = match var.var.ty {
                Ty::Enum(_) => 1.0,
                _ => 0.0,
            };
            let source = match var.kind {
                Kind::Parameter => var.var.binding.or(var.var.start),
                _ => var.var.start,
            };
            if let Some(e) = source {
                match model.exprs.get(e) {
                    Expr::Str(s) => value = crate::runtime::literal_handle(&model.exprs, s),
                    _ => value = model.exprs.as_f64(e).unwrap_or(value),
                }
            }
            self.low.layout.initial[slot as usize] = value;
        }
        for k in 0..self.low.layout.pre_pairs.len() {
            let (now, pre) = self.low.layout.pre_pairs[k];
            self.low.layout.initial[pre as usize] = self.low.layout.initial[now as usize];
        }
    }

    fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|e| self.errors.push(e)).ok()
    }

    fn parameter_set(&mut self) -> BlockSet {
        let model = self.model();
        let mut set = self.block_set(&model.parameter_blocks, None, false);
        // Bindings that no block computes.
        let mut computed: FxHashSet<VarId> = FxHashSet::default();
        for block in model.parameter_blocks.iter().chain(&model.initial.blocks) {
            for_each_unknown(block, |v| {
                computed.insert(v);
            });
        }
        for (v, var) in &model.vars {
            if var.kind != Kind::Parameter || computed.contains(&v) {
                continue;
            }
            let Some(binding) = var.var.binding else {
                continue;
            };
            if model.exprs.is_literal(binding) {
                continue;
            }
            let assign = Assign {
                var: v,
                expr: binding,
                equation: u32::MAX,
            };
            let row = self.assign_row(&assign, var.var.span);
            if let Some(row) = self.take(row) {
                let kind = BlockKind::Row(row);
                set.blocks.push(Block {
                    kind,
                    continuous: true,
                    equation: u32::MAX,
                });
            }
        }
        set
    }

    fn start_rows(&mut self) -> Vec<Row> {
        let model = self.model();
        let mut rows = Vec::new();
        for (v, var) in &model.vars {
            let fixed_value = var.kind == Kind::Parameter
                && (var.var.binding.is_some() || var.var.variability == Variability::Constant);
            let Some(start) = var.var.start else { continue };
            let Some(slot) = self.low.layout.slot(v) else {
                continue;
            };
            if fixed_value || model.exprs.is_literal(start) || self.low.layout.var(slot) != Some(v)
            {
                continue;
            }
            let row = self.value_row(&[start], &[slot], var.var.span);
            rows.extend(self.take(row));
        }
        rows
    }

    fn span(&self, equation: u32, initial: bool) -> Span {
        let model = self.model();
        let list = if initial {
            &model.initial.equations
        } else {
            &model.equations
        };
        list.get(equation as usize).map_or(Span::NONE, |e| e.span)
    }

    fn block_set(
        &mut self,
        blocks: &[causal::Block],
        continuous: Option<&[bool]>,
        initial: bool,
    ) -> BlockSet {
        self.low.hoisted.clear();
        self.low.hoisted_discrete.clear();
        let shared = self.shared_calls(blocks);
        let mut set = BlockSet {
            initial,
            ..BlockSet::default()
        };
        for (k, block) in blocks.iter().enumerate() {
            let is_continuous = continuous.is_none_or(|c| c.get(k).copied().unwrap_or(true));
            self.low.in_discrete = !is_continuous;
            let (kind, equation) = match block {
                causal::Block::Assign(assign) => {
                    let span = self.span(assign.equation, initial);
                    if let Some(call) = self.root_call(assign.expr)
                        && shared.contains(&call)
                        && !self.low.is_hoisted(call)
                    {
                        let row = self.hoist(call, is_continuous, span);
                        if let Some(row) = self.take(row) {
                            let kind = BlockKind::Row(row);
                            let equation = assign.equation;
                            set.blocks.push(Block {
                                kind,
                                continuous: is_continuous,
                                equation,
                            });
                        }
                    }
                    let row = self.assign_row(assign, span);
                    (self.take(row).map(BlockKind::Row), assign.equation)
                }
                causal::Block::Linear(b) => {
                    let system = self.linear(b, initial);
                    (self.take(system).map(BlockKind::System), u32::MAX)
                }
                causal::Block::Nonlinear(b) => {
                    let system = self.nonlinear(b, initial);
                    (self.take(system).map(BlockKind::System), u32::MAX)
                }
            };
            if let Some(kind) = kind {
                set.blocks.push(Block {
                    kind,
                    continuous: is_continuous,
                    equation,
                });
            }
        }
        self.low.in_discrete = false;
        set
    }

    /// The call that an expression is (an output of).
    fn root_call(&self, e: ExprId) -> Option<ExprId> {
        let arena = &self.model().exprs;
        let call = match arena.get(e) {
            Expr::Proj(call, _) => call,
            Expr::Call(..) => e,
            _ => return None,
        };
        matches!(arena.get(call), Expr::Call(..)).then_some(call)
    }

    /// Calls that stand alone on the right side of more than one assignment.
    fn shared_calls(&self, blocks: &[causal::Block]) -> FxHashSet<ExprId> {
        let mut once = FxHashSet::default();
        let mut more = FxHashSet::default();
        for block in blocks {
            if let causal::Block::Assign(a) = block
                && let Some(call) = self.root_call(a.expr)
                && !once.insert(call)
            {
                more.insert(call);
            }
        }
        more
    }

    /// Computes all outputs of a call into slots of their own.
    fn hoist(&mut self, call: ExprId, continuous: bool, span: Span) -> Result<Row, Diagnostic> {
        let model = self.model();
        let Expr::Call(f, list) = model.exprs.get(call) else {
            return Err(self.low.unsupported(call, span, "not a call"));
        };
        self.low.begin();
        let mut args: Vec<Reg> = Vec::new();
        for &a in model.exprs.args(list) {
            args.push(self.low.expr(a, span)?);
        }
        let outputs = model.functions[f].outputs.max(1);
        let callee = Callee::Function(f.as_u32());
        let r = self.low.builder.call(CallSite {
            callee,
            args,
            guard: NO_REG,
            outputs,
        });
        let results: Vec<Reg> = (r..r + outputs).collect();
        let (kernel, operands) = self.low.builder.finish(&results);
        let first = self.low.layout.alloc_run(outputs as usize);
        let slots: Vec<Slot> = (first..first + outputs).collect();
        self.call_slots.extend(&slots);
        if continuous {
            self.low.hoisted.insert(call, first);
        } else {
            self.low.hoisted_discrete.insert(call, first);
        }
        Ok(self.kernels.add_row(kernel, &operands, &slots))
    }

    fn target(&self, v: VarId, span: Span) -> Result<(Slot, bool), Diagnostic> {
        self.low.layout.place(v).ok_or_else(|| {
            let name = &self.model().vars[v].var.name;
            Diagnostic::error(
                "E0603",
                span,
                format!("variable `{name}` has no place to be stored"),
            )
        })
    }

    fn assign_row(&mut self, a: &Assign, span: Span) -> Result<Row, Diagnostic> {
        let (slot, negated) = self.target(a.var, span)?;
        self.low.begin();
        let mut r = self.low.expr(a.expr, span)?;
        if negated {
            r = self.low.builder.neg(r);
        }
        let (kernel, operands) = self.low.builder.finish(&[r]);
        Ok(self.kernels.add_row(kernel, &operands, &[slot]))
    }

    /// One kernel that stores the values of expressions.
    fn value_row(
        &mut self,
        exprs: &[ExprId],
        slots: &[Slot],
        span: Span,
    ) -> Result<Row, Diagnostic> {
        self.low.begin();
        let mut regs = Vec::with_capacity(exprs.len());
        for &e in exprs {
            regs.push(self.low.expr(e, span)?);
        }
        let (kernel, operands) = self.low.builder.finish(&regs);
        Ok(self.kernels.add_row(kernel, &operands, slots))
    }

    /// Assignments in order, then values into slots: one kernel if small.
    fn sequence(
        &mut self,
        assigns: &[Assign],
        values: &[(ExprId, Slot, u32)],
        initial: bool,
    ) -> Result<Rows, Diagnostic> {
        let mut out = Rows::default();
        if assigns.len() + values.len() <= FUSE_LIMIT {
            self.low.begin();
            let (mut regs, mut slots) = (Vec::new(), Vec::new());
            for a in assigns {
                let span = self.span(a.equation, initial);
                let (slot, negated) = self.target(a.var, span)?;
                let r = self.low.expr(a.expr, span)?;
                self.low.assign(a.var, r);
                regs.push(if negated { self.low.builder.neg(r) } else { r });
                slots.push(slot);
            }
            for &(e, slot, equation) in values {
                let span = self.span(equation, initial);
                regs.push(self.low.expr(e, span)?);
                slots.push(slot);
            }
            let (kernel, operands) = self.low.builder.finish(&regs);
            out.rows
                .push(self.kernels.add_row(kernel, &operands, &slots));
        } else {
            for a in assigns {
                let span = self.span(a.equation, initial);
                out.rows.push(self.assign_row(a, span)?);
            }
            for &(e, slot, equation) in values {
                let span = self.span(equation, initial);
                out.rows.push(self.value_row(&[e], &[slot], span)?);
            }
        }
        let mut written: FxHashSet<Slot> = FxHashSet::default();
        let mut read: FxHashSet<Slot> = FxHashSet::default();
        for &row in &out.rows {
            for &s in self.kernels.operands(row) {
                if !written.contains(&s) && read.insert(s) {
                    out.reads.push(s);
                }
            }
            for &s in self.kernels.results(row) {
                if written.insert(s) {
                    out.writes.push(s);
                }
            }
        }
        Ok(out)
    }

    /// Rows arranged by depth and kernel.
    fn program(&self, rows: &[Row]) -> Program {
        let mut set = BlockSet::default();
        for &row in rows {
            let kind = BlockKind::Row(row);
            set.blocks.push(Block {
                kind,
                continuous: true,
                equation: u32::MAX,
            });
        }
        let max = rows
            .iter()
            .flat_map(|&r| self.kernels.row(r))
            .max()
            .map_or(0, |&m| m as usize + 1);
        if rows.len() > 1 {
            set.index(&self.kernels, &self.systems, max);
        }
        let ids: Vec<_> = set.blocks.keys().collect();
        arrange(&self.kernels, &self.systems, &set, &ids)
    }

    /// Tape of rows in order; every operand that `active` names, and what follows from it, moves.
    fn tape(&mut self, rows: &[Row], active: &FxHashSet<Slot>) -> Tape {
        let mut tape = Tape::default();
        let mut moving = active.clone();
        let mut program: Vec<(KernelId, Vec<u32>)> = Vec::new();
        for &row in rows {
            let partials = self.cache.row(
                &mut self.kernels,
                self.low.layout,
                row,
                &|s| moving.contains(&s),
                &mut program,
            );
            moving.extend(tape.push_row(&partials));
        }
        tape.partials = independent_rows(program);
        tape
    }

    fn is_moving(&self, slot: Slot) -> bool {
        match self.low.layout.var(slot) {
            Some(v) => matches!(
                self.model().vars[v].kind,
                Kind::State | Kind::Derivative | Kind::Algebraic
            ),
            None => self.call_slots.contains(&slot),
        }
    }

    fn unknown_slots(
        &self,
        vars: &[VarId],
        equations: &[u32],
        initial: bool,
    ) -> Result<Vec<Slot>, Diagnostic> {
        let span = equations
            .first()
            .map_or(Span::NONE, |&e| self.span(e, initial));
        vars.iter()
            .map(|&v| match self.low.layout.slot(v) {
                Some(slot) => Ok(slot),
                None => Err(Diagnostic::error(
                    "E0603",
                    span,
                    format!(
                        "unknown `{}` has no place to be stored",
                        self.model().vars[v].var.name
                    ),
                )),
            })
            .collect()
    }

    fn linear(&mut self, b: &LinearBlock, initial: bool) -> Result<SystemId, Diagnostic> {
        let n = b.unknowns.len();
        let unknowns = self.unknown_slots(&b.unknowns, &b.equations, initial)?;
        let positions = b.matrix.iter().map(|&(r, c, _)| (r as usize, c as usize));
        let pattern = CscPattern::from_entries(n, positions);
        let matrix = self.low.layout.alloc_run(pattern.nnz());
        let rhs = self.low.layout.alloc_run(n);
        let equation = |row: u32| b.equations.get(row as usize).copied().unwrap_or(u32::MAX);
        let mut entries: Vec<(ExprId, Slot, u32)> = Vec::new();
        for &(r, c, e) in &b.matrix {
            if let Some(k) = pattern.find(r as usize, c as usize) {
                entries.push((e, matrix + k as Slot, equation(r)));
            }
        }
        let values: Vec<(ExprId, Slot, u32)> = b
            .rhs
            .iter()
            .enumerate()
            .map(|(r, &e)| (e, rhs + r as Slot, equation(r as u32)))
            .collect();
        let a_rows = self.sequence(&[], &entries, initial)?;
        let b_rows = self.sequence(&[], &values, initial)?;
        let then = self.sequence(&b.then, &[], initial)?;
        let mut reads = a_rows.reads.clone();
        reads.extend(&b_rows.reads);
        let mut writes = unknowns.clone();
        let own: FxHashSet<Slot> = unknowns.iter().copied().collect();
        reads.extend(then.reads.iter().filter(|s| !own.contains(s)));
        writes.extend(&then.writes);
        reads.sort_unstable();
        reads.dedup();
        let mut active: FxHashSet<Slot> = reads
            .iter()
            .copied()
            .filter(|&s| self.is_moving(s))
            .collect();
        let mut rows = if b.constant {
            Vec::new()
        } else {
            a_rows.rows.clone()
        };
        rows.extend(&b_rows.rows);
        let tape = self.tape(&rows, &active);
        active.extend(&unknowns);
        let then_tape = self.tape(&then.rows, &active);
        let system = System {
            unknowns,
            equations: equation_refs(&b.equations, initial),
            pattern,
            matrix,
            rhs,
            kind: SystemKind::Linear {
                constant: b.constant,
                matrix: self.program(&a_rows.rows),
                rhs: self.program(&b_rows.rows),
                then: self.program(&then.rows),
                tape,
                then_tape,
            },
            reads,
            writes,
        };
        Ok(self.systems.push(system))
    }

    fn nonlinear(&mut self, b: &NonlinearBlock, initial: bool) -> Result<SystemId, Diagnostic> {
        let n = b.unknowns.len();
        let unknowns = self.unknown_slots(&b.unknowns, &b.equations, initial)?;
        let rhs = self.low.layout.alloc_run(n);
        let values: Vec<(ExprId, Slot, u32)> = b
            .residuals
            .iter()
            .enumerate()
            .map(|(r, &e)| {
                (
                    e,
                    rhs + r as Slot,
                    b.equations.get(r).copied().unwrap_or(u32::MAX),
                )
            })
            .collect();
        let rows = self.sequence(&b.inner, &values, initial)?;
        let mut reads = rows.reads.clone();
        let own: FxHashSet<Slot> = unknowns.iter().copied().collect();
        reads.retain(|s| !own.contains(s));
        let mut writes = unknowns.clone();
        writes.extend(
            rows.writes
                .iter()
                .filter(|&&s| s < rhs || s >= rhs + n as Slot),
        );
        let mut active: FxHashSet<Slot> = reads
            .iter()
            .copied()
            .filter(|&s| self.is_moving(s))
            .collect();
        active.extend(&unknowns);
        let tape = self.tape(&rows.rows, &active);
        let (pattern, jacobian, matrix) = match &b.jacobian {
            Some(entries) => {
                let positions = entries.iter().map(|&(r, c, _)| (r as usize, c as usize));
                let pattern = CscPattern::from_entries(n, positions);
                let matrix = self.low.layout.alloc_run(pattern.nnz());
                let mut values = Vec::new();
                for &(r, c, e) in entries {
                    if let Some(k) = pattern.find(r as usize, c as usize) {
                        let equation = b.equations.get(r as usize).copied().unwrap_or(u32::MAX);
                        values.push((e, matrix + k as Slot, equation));
                    }
                }
                let j = self.sequence(&b.jacobian_inner, &values, initial)?;
                (pattern, Some(self.program(&j.rows)), matrix)
            }
            None => {
                let residuals: Vec<Slot> = (rhs..rhs + n as Slot).collect();
                let pattern = tape.pattern(&self.systems, &unknowns, &residuals);
                let matrix = self.low.layout.alloc_run(pattern.nnz());
                (pattern, None, matrix)
            }
        };
        let colors = crate::coloring::color_columns(&pattern);
        let system = System {
            unknowns,
            equations: equation_refs(&b.equations, initial),
            pattern,
            matrix,
            rhs,
            kind: SystemKind::Nonlinear {
                residuals: self.program(&rows.rows),
                jacobian,
                tape,
                colors,
            },
            reads,
            writes,
        };
        Ok(self.systems.push(system))
    }

    /// Adds a row to the main set, so that schedules find it; returns its slots.
    fn event_row(
        &mut self,
        main: &mut BlockSet,
        exprs: &[ExprId],
        span: Span,
    ) -> Option<(Row, Slot)> {
        let first = self.low.layout.alloc_run(exprs.len());
        let slots: Vec<Slot> = (first..first + exprs.len() as Slot).collect();
        let row = self.value_row(exprs, &slots, span);
        let row = self.take(row)?;
        let kind = BlockKind::Row(row);
        main.blocks.push(Block {
            kind,
            continuous: true,
            equation: u32::MAX,
        });
        Some((row, first))
    }

    /// A row of a condition and a value whose calls are made only where the condition holds.
    fn conditional_row(
        &mut self,
        main: &mut BlockSet,
        condition: ExprId,
        value: ExprId,
        span: Span,
    ) -> Option<(Row, Slot)> {
        self.low.begin();
        let lowered = self.low.expr(condition, span).and_then(|c| {
            let v = self.low.guarded(value, c, span)?;
            Ok([c, v])
        });
        let regs = self.take(lowered)?;
        let first = self.low.layout.alloc_run(2);
        let (kernel, operands) = self.low.builder.finish(&regs);
        let row = self.kernels.add_row(kernel, &operands, &[first, first + 1]);
        main.blocks.push(Block {
            kind: BlockKind::Row(row),
            continuous: true,
            equation: u32::MAX,
        });
        Some((row, first))
    }

    /// A program of its own for something that is rarely computed.
    fn lone(&mut self, e: ExprId, span: Span) -> Option<(Program, Slot)> {
        let slot = self.low.layout.alloc(0.0);
        let row = self.value_row(&[e], &[slot], span);
        let row = self.take(row)?;
        Some((rows_program(&self.kernels, &[row]), slot))
    }

    fn events(&mut self, main: &mut BlockSet) -> Events {
        let model = self.model();
        let mut out = Events::default();
        for r in &model.relations {
            let first = self.low.layout.alloc_run(3);
            let row = self.relation_row(r, first);
            let Some(row) = self.take(row) else { continue };
            let Some(memory) = self.low.layout.slot(r.memory) else {
                continue;
            };
            let kind = BlockKind::Row(row);
            main.blocks.push(Block {
                kind,
                continuous: true,
                equation: u32::MAX,
            });
            out.relation_rows.push(row);
            out.relations.push(RelationSlots {
                memory,
                lhs: first,
                rhs: first + 1,
                zero: first + 2,
                op: r.op,
                time_event: r.time_event,
            });
        }
        for s in &model.samplers {
            if let Some((row, first)) = self.event_row(main, &[s.start, s.interval], Span::NONE)
                && let Some(memory) = self.low.layout.slot(s.memory)
            {
                out.sampler_rows.push(row);
                out.samplers.push((memory, first, first + 1));
            }
        }
        for d in &model.delays {
            if let Some((row, first)) =
                self.event_row(main, &[d.source, d.delay, d.max], Span::NONE)
                && let Some(result) = self.low.layout.slot(d.result)
            {
                out.delay_rows.push(row);
                out.delays.push(DelaySlots {
                    result,
                    source: first,
                    delay: first + 1,
                    max: first + 2,
                    constant: d.constant,
                });
            }
        }
        for r in &model.reinits {
            if let Some((row, first)) = self.conditional_row(main, r.condition, r.value, r.span)
                && let Some(state) = self.low.layout.slot(r.state)
            {
                out.action_rows.push(row);
                out.reinits.push((state, first, first + 1));
            }
        }
        for a in &model.assertions {
            let row = match a.guard {
                Some(guard) => self.conditional_row(main, guard, a.condition, a.span),
                None => self.event_row(main, &[a.condition], a.span),
            };
            if let Some((row, first)) = row
                && let Some((program, _)) = self.lone(a.message, a.span)
            {
                out.action_rows.push(row);
                let guard = a.guard.map(|_| first);
                let value = first + u32::from(guard.is_some());
                out.assertions.push(ActionSlots { guard, value });
                out.assertion_messages.push(program);
            }
        }
        for t in &model.terminates {
            if let Some((row, first)) = self.event_row(main, &[t.guard], t.span)
                && let Some((program, value)) = self.lone(t.message, t.span)
            {
                out.action_rows.push(row);
                out.terminates.push(ActionSlots {
                    guard: Some(first),
                    value,
                });
                out.terminate_messages.push(program);
            }
        }
        for e in &model.effects {
            let guard = match e.guard {
                Some(g) => match self.event_row(main, &[g], e.span) {
                    Some((row, first)) => {
                        out.action_rows.push(row);
                        Some(first)
                    }
                    None => continue,
                },
                None => None,
            };
            if let Some((program, value)) = self.lone(e.call, e.span) {
                out.effects.push(ActionSlots { guard, value });
                out.effect_calls.push(program);
            }
        }
        for d in &model.dynamic_states {
            let slots = |vars: &[VarId]| -> Vec<Slot> {
                vars.iter()
                    .filter_map(|&v| self.low.layout.slot(v))
                    .collect()
            };
            let (candidates, states) = (slots(&d.candidates), slots(&d.states));
            let selection = d.selection.iter().map(|row| slots(row)).collect();
            let mut rows = Vec::new();
            let mut jacobian = Vec::new();
            for &(r, c, e) in &d.jacobian {
                let slot = self.low.layout.alloc(0.0);
                let row = self.value_row(&[e], &[slot], Span::NONE);
                rows.extend(self.take(row));
                jacobian.push((r, c, slot));
            }
            let program = rows_program(&self.kernels, &rows);
            out.dynamic_states.push(DynamicSlots {
                candidates,
                states,
                selection,
                jacobian,
                program,
            });
        }
        out
    }

    fn relation_row(&mut self, r: &causal::Relation, first: Slot) -> Result<Row, Diagnostic> {
        self.low.begin();
        let (x, y) = (self.low.expr(r.lhs, r.span)?, self.low.expr(r.rhs, r.span)?);
        let z = self.low.builder.sub(x, y);
        let (kernel, operands) = self.low.builder.finish(&[x, y, z]);
        Ok(self
            .kernels
            .add_row(kernel, &operands, &[first, first + 1, first + 2]))
    }
}

fn equation_refs(equations: &[u32], initial: bool) -> Vec<EquationRef> {
    equations
        .iter()
        .map(|&index| EquationRef { initial, index })
        .collect()
}

fn for_each_unknown(block: &causal::Block, mut visit: impl FnMut(VarId)) {
    match block {
        causal::Block::Assign(a) => visit(a.var),
        causal::Block::Linear(b) => {
            b.unknowns.iter().copied().for_each(&mut visit);
            b.then.iter().for_each(|a| visit(a.var));
        }
        causal::Block::Nonlinear(b) => {
            b.unknowns.iter().copied().for_each(&mut visit);
            b.inner.iter().for_each(|a| visit(a.var));
        }
    }
}

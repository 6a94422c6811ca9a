//! Causal model to compiled model.
//!
//! Lowers every block to rows of shared kernels, systems to programs over slots, and the conditions
//! and values of events to rows of their own, then arranges the programs that every run needs.

//!
//! [`blocks`]: assignments. [`systems`]: linear and nonlinear systems. [`events`]: conditions and actions. [`functions`]: bodies of functions.

mod blocks;
mod events;
mod functions;
mod systems;

use std::sync::Arc;

use cranelift_entity::{EntitySet, PrimaryMap};
use ferrica_ir::Span;
use ferrica_ir::causal::{self, Assign, CausalModel, DaeEquation, Kind};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{Builtin, Expr, ExprId, Ty, VarId};
use ferrica_ir::flat::Variability;
use rustc_hash::FxHashSet;

use crate::layout::{Layout, Slot};
use crate::lower::{Lowering, nodes_with};
use crate::model::{Block, BlockKind, BlockSet, CompiledModel, System};
use crate::natives::Natives;
use crate::program::{Kernels, Program, Row, SystemId};
use crate::residuals::Residuals;
use crate::schedule::{arrange, needed, reads};
use crate::tape::{PartialCache, RowList};
use crate::time_functions::time_functions;
use functions::compile_functions;

/// Choices of the compiler.
#[derive(Clone, Default)]
pub struct CompileOptions {
    pub natives: Natives,
    pub form: Form,
    /// With [`crate::tangents::Tangents`].
    pub tangents: bool,
}

/// Which form of the equations the integrator will get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// DAE form where the ODE form would be dense or would solve nonlinear equations at each evaluation.
    #[default]
    Auto,
    Ode,
    Dae,
    /// None: residuals of all equations, to check results with.
    Check,
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
        tangents: options.tangents,
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
    let events = c.events(&mut main, &mut parameters);
    let time_functions = time_functions(&mut c.low, &mut c.kernels);
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
        .chain(
            events
                .transports
                .iter()
                .flat_map(|t| [t.sources[0], t.sources[1], t.position]),
        )
        .collect();
    let changes = |slot: Slot| {
        slot < layout.derivatives + layout.n_states as Slot || main.writer_of(slot).is_some()
    };
    let assertions_vary = events.assertions.iter().any(|a| {
        let row = main.writer_of(a.value).filter(|_| a.guard.is_none());
        row.is_some_and(|b| {
            let reads = reads(&kernels, &systems, &main.blocks[b]);
            reads.iter().any(|&s| changes(s))
        })
    });
    let mut compiled = CompiledModel {
        assertions_vary,
        time_functions,
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
        transports: events.transports,
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
        residuals: None,
        start_residuals: None,
        redundant: None,
        dae: None,
        ode_jacobian: None,
        common_slots: 0,
        tangents: None,
    };
    compiled.common_slots = compiled.layout.len();
    let mut cache = cache;
    if !model.initial.redundant.is_empty() {
        let list = &model.initial.redundant;
        let all = (0..list.len() as u32).collect();
        let checks = Residuals::of(&mut compiled, list, all, &has_call, &mut cache);
        compiled.redundant = Some(checks.map_err(|e| vec![e])?);
    }
    if options.form == Form::Check {
        let residuals = Residuals::new(&mut compiled, &has_call, &mut cache);
        compiled.residuals = Some(residuals.map_err(|e| vec![e])?);
        let list = &model.initial.equations;
        let asked = asked_of_the_start(&model);
        let checks = Residuals::of(&mut compiled, list, asked, &has_call, &mut cache);
        compiled.start_residuals = Some(checks.map_err(|e| vec![e])?);
        return Ok(compiled);
    }
    if options.tangents {
        let rows = [start_rows.as_slice(), &events.sampler_rows];
        crate::tangents::attach(&mut compiled, rows, &mut cache);
    }
    crate::linearize::attach(&mut compiled, options.form, &has_call, cache).map_err(|e| vec![e])?;
    Ok(compiled)
}

/// Equations of the initial system that the first row satisfies: those of continuous values only, that no event at the start can have
/// moved since.
fn asked_of_the_start(model: &CausalModel) -> Vec<u32> {
    let still = |id: ExprId| match model.exprs.get(id) {
        Expr::Var(v) | Expr::Der(v) => match model.vars[v].kind {
            Kind::Parameter | Kind::Derivative | Kind::Algebraic | Kind::Input => true,
            Kind::State => !model.reinits.iter().any(|r| r.state == v),
            Kind::Discrete | Kind::Relation | Kind::External | Kind::Eliminated => false,
        },
        Expr::Pre(_) | Expr::Builtin(Builtin::Initial, _) => false,
        _ => true,
    };
    let numbers = |id: ExprId| model.exprs.ty(id) == Ty::Real;
    let is_asked = |e: &DaeEquation| {
        let mut asked = numbers(e.lhs) && numbers(e.rhs);
        (model.exprs).postorder(&[e.lhs, e.rhs], |id| asked &= still(id));
        asked
    };
    let all = model.initial.equations.iter().enumerate();
    all.filter(|(_, e)| is_asked(e))
        .map(|(k, _)| k as u32)
        .collect()
}

/// Program of rows in the order given.
fn rows_program(kernels: &Kernels, rows: &[Row]) -> Program {
    let mut list = RowList::default();
    for &r in rows {
        list.push(r.kernel, kernels.row(r).iter().copied());
    }
    list.independent()
}

struct Compiler<'a> {
    low: Lowering<'a>,
    kernels: Kernels,
    systems: PrimaryMap<SystemId, System>,
    cache: PartialCache,
    /// Outputs of calls that are computed apart.
    call_slots: FxHashSet<Slot>,
    /// Parameters, discrete variables and time move too.
    tangents: bool,
    errors: Vec<Diagnostic>,
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
        let mut computed: EntitySet<VarId> = EntitySet::with_capacity(model.vars.len());
        for block in model.parameter_blocks.iter().chain(&model.initial.blocks) {
            for_each_unknown(block, |v| {
                computed.insert(v);
            });
        }
        for (v, var) in &model.vars {
            if var.kind != Kind::Parameter || computed.contains(v) {
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

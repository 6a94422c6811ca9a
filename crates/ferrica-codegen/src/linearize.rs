//! Derivatives of the whole model: ∂ẋ/∂x of the ODE form, and residuals with their partial
//! derivatives for the DAE form.
//!
//! Both are made from the kernels of the blocks and equations (see `partials.rs`), one derivative
//! kernel a shape.

use ferrica_ir::causal::{Block, Kind};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::{ExprId, Span};
use ferrica_solvers::sparse::CscPattern;

use crate::coloring::color_columns;
use crate::compile::Form;
use crate::layout::Slot;
use crate::lower::{Definitions, Lowering};
use crate::model::{BlockId, BlockKind, CompiledModel, DaeForm, OdeJacobian, SystemKind};
use crate::program::{Program, joined};
use crate::residuals::residual_rows;
use crate::schedule::{needed, writes};
use crate::steep::stay_beside;
use crate::tape::{PartialCache, RowList, Tape, TapeStep, independent_rows};

/// A linear system with so many unknowns, on the way to the derivatives of a model with so many
/// states, makes ∂ẋ/∂x dense: the DAE form keeps the sparsity.
const LARGE_SYSTEM: usize = 40;
const MANY_STATES: usize = 40;
/// Blocks that a state may reach on average for the ODE form to count as sparse.
const SEARCH_LIMIT: usize = 30;

pub fn attach(
    model: &mut CompiledModel,
    form: Form,
    has_call: &[bool],
    mut cache: PartialCache,
) -> Result<(), Diagnostic> {
    let dae = match form {
        Form::Ode | Form::Check => false,
        Form::Dae => true,
        Form::Auto => prefers_dae(model),
    };
    if dae {
        match dae_form(model, form == Form::Dae, has_call, &mut cache) {
            Ok(dae) => model.dae = Some(dae),
            Err(e) if form == Form::Dae => return Err(e),
            Err(_) => {}
        }
    }
    if model.dae.is_none() {
        // Chains that sum up make it dense without any system: then the DAE form again.
        let limit = match form {
            Form::Auto if !dae => SEARCH_LIMIT * (model.main.blocks.len() + MANY_STATES),
            _ => usize::MAX,
        };
        match ode_jacobian(model, &mut cache, limit) {
            Some(jacobian) => model.ode_jacobian = Some(jacobian),
            None => match dae_form(model, false, has_call, &mut cache) {
                Ok(dae) => model.dae = Some(dae),
                Err(_) => model.ode_jacobian = ode_jacobian(model, &mut cache, usize::MAX),
            },
        }
    }
    let slots = model.layout.len();
    for set in [&mut model.parameters, &mut model.initial, &mut model.main] {
        set.writer.resize(slots, u32::MAX);
    }
    Ok(())
}

/// The DAE form where the causal one would be dense, and where nonlinear equations would have to be
/// solved to the end for each evaluation of the derivatives: the integrator's own iteration
/// solves them along with everything else.
fn prefers_dae(model: &CompiledModel) -> bool {
    let first = model.layout.derivatives;
    let wanted: Vec<Slot> = (first..first + model.layout.n_states as Slot).collect();
    let many = model.layout.n_states >= MANY_STATES;
    needed(&model.kernels, &model.systems, &model.main, &wanted, true)
        .into_iter()
        .any(|b| match model.main.blocks[b].kind {
            BlockKind::System(s) => {
                let system = &model.systems[s];
                match system.kind {
                    SystemKind::Nonlinear { .. } => true,
                    SystemKind::Linear { .. } => many && system.unknowns.len() >= LARGE_SYSTEM,
                }
            }
            BlockKind::Row(_) => false,
        })
}

fn ode_jacobian(
    model: &mut CompiledModel,
    cache: &mut PartialCache,
    limit: usize,
) -> Option<OdeJacobian> {
    let n = model.layout.n_states as Slot;
    let states: Vec<Slot> = (model.layout.states..model.layout.states + n).collect();
    let derivatives: Vec<Slot> = (model.layout.derivatives..model.layout.derivatives + n).collect();
    let blocks = needed(
        &model.kernels,
        &model.systems,
        &model.main,
        &derivatives,
        true,
    );
    let tape = tape_of(model, cache, &states, blocks);
    let pattern = tape.pattern_within(&model.systems, &states, &derivatives, limit)?;
    let colors = color_columns(&pattern);
    Some(OdeJacobian {
        tape,
        pattern,
        colors,
    })
}

/// Derivatives of all continuous variables by known ones: states, inputs. New slots hold the partial derivatives.
pub fn sensitivities(model: &mut CompiledModel, knowns: &[Slot]) -> Tape {
    let blocks = model.main.blocks.iter();
    let blocks = blocks.filter(|(_, b)| b.continuous).map(|(id, _)| id);
    let blocks = blocks.collect();
    let tape = tape_of(model, &mut PartialCache::default(), knowns, blocks);
    let slots = model.layout.len();
    for set in [&mut model.parameters, &mut model.initial, &mut model.main] {
        set.writer.resize(slots, u32::MAX);
    }
    tape
}

/// How changes of the knowns go through blocks.
fn tape_of(
    model: &mut CompiledModel,
    cache: &mut PartialCache,
    knowns: &[Slot],
    blocks: Vec<BlockId>,
) -> Tape {
    // Slots made for partial derivatives below never move.
    let mut moving: Vec<bool> = vec![false; model.layout.len()];
    for &s in knowns {
        moving[s as usize] = true;
    }
    let mut tape = Tape::default();
    let mut program = RowList::default();
    for b in blocks {
        match model.main.blocks[b].kind {
            BlockKind::Row(row) => {
                let partials = cache.row(
                    &mut model.kernels,
                    &mut model.layout,
                    row,
                    &|s| moving.get(s as usize).copied().unwrap_or(false),
                    &mut program,
                );
                tape.push_row(partials, |to| moving[to as usize] = true);
            }
            BlockKind::System(s) => {
                let system = &model.systems[s];
                if system.reads.iter().any(|&r| moving[r as usize]) {
                    tape.steps.push(TapeStep::System(s));
                    for &w in &system.writes {
                        moving[w as usize] = true;
                    }
                }
            }
        }
    }
    tape.partials = program.independent();
    tape
}

/// Discrete variables that are made of continuous ones without an event (`Boolean b = noEvent(x > 1)`), by what they are made of: they
/// change in a step, and are no unknowns of it.
fn without_events(model: &CompiledModel) -> Definitions {
    let source = &model.source;
    let blocks = source.blocks.iter().zip(&source.continuous);
    blocks
        .filter_map(|(block, &continuous)| match block {
            Block::Assign(a) if continuous && source.vars[a.var].kind == Kind::Discrete => {
                Some((model.layout.slot(a.var)?, a.expr))
            }
            _ => None,
        })
        .collect()
}

/// Discrete variables without events are part of it where it is `asked_for`: methods of variable steps have the ODE form for them.
fn dae_form(
    model: &mut CompiledModel,
    asked_for: bool,
    has_call: &[bool],
    cache: &mut PartialCache,
) -> Result<DaeForm, Diagnostic> {
    let source = model.source.clone();
    let n_states = model.layout.n_states;
    let states = model.layout.states;
    let derivatives = model.layout.derivatives;
    let mut unknowns: Vec<Slot> = (states..states + n_states as Slot).collect();
    let equations: Vec<u32> = source
        .equations
        .iter()
        .enumerate()
        .filter(|(_, e)| e.continuous)
        .map(|(k, _)| k as u32)
        .collect();
    for &k in &equations {
        let v = source.equations[k as usize].unknown;
        if source.vars[v].kind == Kind::Algebraic
            && let Some(slot) = model.layout.slot(v)
        {
            unknowns.push(slot);
        }
    }
    let n = equations.len();
    if unknowns.len() != n {
        return Err(Diagnostic::error(
            "E0604",
            Span::NONE,
            format!(
                "the DAE form has {n} equations for {} unknowns: use the ODE form for this model",
                unknowns.len()
            ),
        ));
    }
    // Column of each slot that has one, and whether the slot is the derivative of that unknown.
    let mut column: Vec<Option<(u32, bool)>> = vec![None; model.layout.len()];
    for (c, &slot) in unknowns.iter().enumerate() {
        column[slot as usize] = Some((c as u32, false));
    }
    for k in 0..n_states as Slot {
        column[(derivatives + k) as usize] = Some((k, true));
    }
    let column = |slot: Slot| column.get(slot as usize).copied().flatten();
    for block in model.main.blocks.values().filter(|b| b.continuous) {
        for &slot in writes(&model.kernels, &model.systems, block) {
            if let Some(v) = model.layout.var(slot)
                && matches!(source.vars[v].kind, Kind::Algebraic | Kind::Derivative)
                && column(slot).is_none()
            {
                return Err(undetermined(model, slot));
            }
        }
    }
    let definitions = without_events(model);
    if let (false, Some(slot)) = (asked_for, definitions.keys().next()) {
        return Err(undetermined(model, *slot));
    }
    let beside = definition_rows(model, &definitions, has_call)?;
    if !beside.is_empty() {
        model.relation_program = joined(&beside, &model.relation_program);
    }
    let active = |s: Slot| column(s).is_some();
    let mut rows = residual_rows(
        model,
        &source.equations,
        &equations,
        definitions,
        has_call,
        cache,
        &active,
    )?;
    stay_beside(&mut model.kernels, &mut rows.partials, &active);
    let raw: Vec<(usize, usize, Slot, bool)> = (rows.entries.iter())
        .filter_map(|&(residual, operand, slot)| {
            let (c, derivative) = column(operand)?;
            Some((residual, c as usize, slot, derivative))
        })
        .collect();
    let pattern = CscPattern::from_entries(n, raw.iter().map(|&(r, c, ..)| (r, c)));
    let entries = raw
        .iter()
        .filter_map(|&(r, c, slot, d)| pattern.find(r, c).map(|k| (k as u32, slot, d)))
        .collect();
    Ok(DaeForm {
        unknowns,
        n_states,
        residuals: rows.residuals,
        program: rows.program,
        partials: rows.partials,
        pattern,
        entries,
        equations,
        beside,
    })
}

fn undetermined(model: &CompiledModel, slot: Slot) -> Diagnostic {
    let var = model.layout.var(slot).map(|v| &model.source.vars[v].var);
    let (name, span) = var.map_or(("a variable", Span::NONE), |v| (&v.name, v.span));
    let text =
        format!("`{name}` is not determined by the DAE form: use the ODE form for this model");
    Diagnostic::error("E0604", span, text)
}

/// Rows that compute variables by their definitions alone.
fn definition_rows(
    model: &mut CompiledModel,
    definitions: &Definitions,
    has_call: &[bool],
) -> Result<Program, Diagnostic> {
    let source = model.source.clone();
    let mut low = Lowering::new(&source, &mut model.layout, has_call);
    low.definitions.clone_from(definitions);
    let mut list: Vec<(Slot, ExprId)> = definitions.iter().map(|(&s, &e)| (s, e)).collect();
    list.sort_unstable();
    let mut rows = Vec::with_capacity(list.len());
    for (slot, e) in list {
        low.begin();
        let value = low.expr(e, Span::NONE)?;
        let (kernel, operands) = low.builder.finish(&[value]);
        let row = model.kernels.add_row(kernel, &operands, &[slot]);
        rows.push((row.kernel, model.kernels.row(row).to_vec()));
    }
    Ok(independent_rows(rows))
}

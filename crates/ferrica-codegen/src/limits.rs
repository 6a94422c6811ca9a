//! Limited exponentials in the equations of a step, for every Newton iteration over them: see [`crate::limiting`].
//!
//! In: the rows of residuals and of partial derivatives. Out: rows that take the place of those with exponentials of unknowns, run after them: residuals
//! with tangents, whose places they move; partial derivatives with the slopes.

use std::collections::HashMap;

use ferrica_ir::causal::Kind;

use crate::interpreter::Functions;
use crate::jit::{NativeStep, compile_into};
use crate::kernel::{Kernel, KernelBuilder, KernelId, Op, Reg, loads_of};
use crate::layout::Layout;
use crate::limiting::{Limit, Limited, critical, exponentials, replay};
use crate::program::{Kernels, Program, Step, rows};
use crate::vm::Vm;
use crate::{CompiledModel, Evaluator, Failure, Slot};

/// See the module comment.
#[derive(Default)]
pub struct Limits {
    kernels: Kernels,
    residuals: Program,
    partials: Program,
    /// Of each tangent: the slots of its place and of its argument.
    homes: Vec<(Slot, Slot)>,
    /// The argument from which on it matters.
    thresholds: Vec<f64>,
    vm: Vm,
}

/// The value of a slot that stays as it is.
pub fn constant(model: &CompiledModel, slots: &[f64], slot: Slot) -> Option<f64> {
    let kind = model.variable(slot).map(|v| model.source.vars[v].kind);
    let fixed = matches!(kind, None | Some(Kind::Parameter)) && slot > Layout::HOMOTOPY;
    fixed.then(|| slots[slot as usize])
}

/// Does the argument of exponential `number` depend on unknowns?
pub fn moves(code: &Kernel, row: &[Slot], number: usize, is_unknown: &[bool]) -> bool {
    match code.ops[number] {
        Op::Unary(_, argument) => {
            let read = loads_of(code, argument);
            read.iter().any(|&k| is_unknown[row[k as usize] as usize])
        }
        _ => false,
    }
}

impl Limits {
    /// Of some residuals and their partial derivatives. Places of tangents stand behind all slots, which grow.
    pub fn new(
        ev: &mut Evaluator,
        is_unknown: &[bool],
        residuals: &Program,
        partials: &Program,
        moves_by: fn(f64) -> Limit,
    ) -> Limits {
        let model = ev.model.clone();
        let mut out = Limits::default();
        // Partial derivatives of a row have its operands.
        let mut partials_of: HashMap<&[Slot], Vec<(KernelId, &[Slot])>> = HashMap::new();
        for (kernel, row) in rows(&model.kernels, partials) {
            let loads = model.kernels.kernels[kernel].loads as usize;
            partials_of
                .entry(&row[..loads])
                .or_default()
                .push((kernel, row));
        }
        for (kernel, row) in rows(&model.kernels, residuals) {
            let code = &model.kernels.kernels[kernel];
            if exponentials(code) == 0 {
                continue;
            }
            let first = ev.slots.len() as Slot;
            let slots = &ev.slots;
            let crit =
                |number| critical(code, number, |k| constant(&model, slots, row[k as usize]));
            let loads = code.loads as usize;
            let tangents = |b: &mut KernelBuilder, limit: fn(f64) -> Limit| {
                let mut limited = Limited::default();
                let mut thresholds = Vec::new();
                let operands: Vec<Reg> = row[..loads].iter().map(|&s| b.slot(s)).collect();
                let regs = replay(b, code, &operands, |b, u, number| {
                    let crit = crit(number);
                    let known = limited.all.len();
                    let value = moves(code, row, number, is_unknown)
                        .then(|| limited.value(b, u, first, limit(crit)));
                    if limited.all.len() > known {
                        thresholds.push(crit);
                    }
                    value
                });
                (limited, regs, thresholds)
            };
            let mut b = KernelBuilder::default();
            let (limited, regs, thresholds) = tangents(&mut b, moves_by);
            let count = limited.all.len();
            if count == 0 {
                continue;
            }
            out.thresholds.extend(thresholds);
            let mut results: Vec<(Slot, Reg)> = (row[loads..].iter().zip(&code.results))
                .map(|(&slot, &r)| (slot, regs[r as usize]))
                .collect();
            for (&(place, now, u), argument) in limited.all.iter().zip(first + count as Slot..) {
                results.extend([(place, now), (argument, u)]);
                out.homes.push((place, argument));
            }
            push(&mut out.kernels, &mut out.residuals, b, &results);
            let mut b = KernelBuilder::default();
            let (limited, ..) = tangents(&mut b, |crit| Limit::Stays { crit });
            let mut results = Vec::new();
            for &(kernel, row) in partials_of.get(&row[..loads]).into_iter().flatten() {
                let code = &model.kernels.kernels[kernel];
                let operands: Vec<Reg> = row[..loads].iter().map(|&s| b.slot(s)).collect();
                let regs = replay(&mut b, code, &operands, |_, u, _| limited.slope(u));
                let named = row[loads..].iter().zip(&code.results);
                results.extend(named.map(|(&slot, &r)| (slot, regs[r as usize])));
            }
            push(&mut out.kernels, &mut out.partials, b, &results);
            ev.slots.resize(first as usize + 2 * count, 0.0);
        }
        for program in [&out.residuals, &out.partials] {
            compile_into(&out.kernels, ev.slots.len(), program);
        }
        out
    }

    /// Of all equations of the DAE form; `moves_by`: how tangents move.
    pub fn of_dae(ev: &mut Evaluator, moves_by: fn(f64) -> Limit) -> Limits {
        let model = ev.model.clone();
        let Some(dae) = &model.dae else {
            return Limits::default();
        };
        let mut is_unknown = vec![false; model.slot_count()];
        for &slot in &dae.unknowns {
            is_unknown[slot as usize] = true;
        }
        Limits::new(ev, &is_unknown, &dae.program, &dae.partials, moves_by)
    }

    pub fn is_empty(&self) -> bool {
        self.residuals.is_empty()
    }

    /// How many tangents there are.
    pub fn count(&self) -> usize {
        self.homes.len()
    }

    /// The arguments from which on the exponentials matter.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// Puts the tangents to these places.
    pub fn put(&self, ev: &mut Evaluator, places: &[f64]) {
        for (&(slot, _), &at) in self.homes.iter().zip(places) {
            ev.slots[slot as usize] = at;
        }
    }

    /// Where the tangents are; true if all are at their arguments.
    pub fn places(&self, ev: &Evaluator, places: &mut [f64]) -> bool {
        let mut home = true;
        for (at, &(place, argument)) in places.iter_mut().zip(&self.homes) {
            *at = ev.slots[place as usize];
            home &= *at == ev.slots[argument as usize];
        }
        home
    }

    /// The arguments at which the residuals were evaluated last.
    pub fn arguments(&self, ev: &Evaluator, arguments: &mut [f64]) {
        for (u, &(_, slot)) in arguments.iter_mut().zip(&self.homes) {
            *u = ev.slots[slot as usize];
        }
    }

    /// After the residuals: those with exponentials.
    pub fn residuals(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        let functions = &ev.model.clone().functions;
        run(functions, &mut self.vm, &self.kernels, &self.residuals, ev)
    }

    /// After the partial derivatives: those with exponentials.
    pub fn partials(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        let functions = &ev.model.clone().functions;
        run(functions, &mut self.vm, &self.kernels, &self.partials, ev)
    }
}

/// The kernel in the making becomes a row of the program.
fn push(
    kernels: &mut Kernels,
    program: &mut Program,
    mut b: KernelBuilder,
    results: &[(Slot, Reg)],
) {
    let regs: Vec<Reg> = results.iter().map(|r| r.1).collect();
    let (mut kernel, mut row) = b.finish(&regs);
    crate::partials::prune(&mut kernel);
    row.extend(results.iter().map(|r| r.0));
    program.push_row(kernels.intern(kernel), &row, false);
}

/// Runs a program of kernels that are not the model's.
pub fn run(
    functions: &Functions,
    vm: &mut Vm,
    kernels: &Kernels,
    program: &Program,
    ev: &mut Evaluator,
) -> Result<(), Failure> {
    if let Some(code) = program.native.code.get() {
        for step in &code.steps {
            if let NativeStep::Code(k) = *step {
                code.run(k, &mut ev.slots, &program.rows, functions, &mut ev.rt)
                    .map_err(Failure::new)?;
            }
        }
        return Ok(());
    }
    for step in &program.steps {
        let Step::Batch {
            kernel,
            first,
            count,
        } = *step
        else {
            continue;
        };
        let kernel = &kernels.kernels[kernel];
        let rows = &program.rows[first as usize..];
        let count = count as usize;
        vm.batch(functions, &mut ev.rt, kernel, rows, count, &mut ev.slots)
            .map_err(Failure::new)?;
    }
    Ok(())
}

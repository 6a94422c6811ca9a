//! What a step has to solve, and what can wait.
//!
//! In: the DAE form. Out: its core, that is all but equations that only compute outputs; for each entry of the
//! core's tangent what it depends on; and a program that computes the outputs when somebody wants them.

use std::collections::{HashMap, HashSet};

use cranelift_entity::SecondaryMap;
use ferrica_codegen::kernel::{KernelBuilder, KernelId};
use ferrica_codegen::limiting::{exponentials, replay};
use ferrica_codegen::model::DaeForm;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::tape::independent_rows;
use ferrica_codegen::{CompiledModel, Slot};

use crate::causal::affine::is_affine;
use crate::tangent::{Dependence, entry_dependences, outputs};
use ferrica_codegen::kernel::loads_of;
use ferrica_codegen::program::rows;

const NONE: u32 = u32::MAX;

/// A partial derivative of a core equation.
#[derive(Clone, Copy, Debug)]
pub struct CoreEntry {
    /// Numbers of equation and unknown within the core.
    pub row: u32,
    pub col: u32,
    /// Where its value stands; times the weight of the formula if it is one with respect to a derivative.
    pub slot: Slot,
    pub derivative: bool,
    pub dependence: Dependence,
}

/// See the module comment.
pub struct Plan {
    /// Unknowns and equations of the core: columns and rows of the DAE form.
    pub columns: Vec<u32>,
    pub equations: Vec<u32>,
    /// Slots of the unknowns and of the residuals.
    pub unknowns: Vec<Slot>,
    pub residual_slots: Vec<Slot>,
    pub entries: Vec<CoreEntry>,
    /// The worst dependence of any entry.
    pub dependence: Dependence,
    pub row_varies: Vec<bool>,
    pub col_varies: Vec<bool>,
    /// All residuals of the core; those whose partials are constant; those whose vary; the partials that vary.
    pub residuals: Program,
    pub constant_residuals: Program,
    pub varying_residuals: Program,
    pub varying_partials: Program,
    /// Unknowns of the core that varying equations read (also by their derivative).
    pub read_by_varying: Vec<bool>,
    /// Kernels of the outputs and their program.
    pub kernels: Kernels,
    pub outputs: Program,
    /// Columns of the DAE form that are outputs.
    pub output_columns: Vec<u32>,
    /// The outputs that rows of the results need, and unknowns of the core that they or the rows read.
    pub wanted_outputs: Program,
    pub wanted_columns: Vec<u32>,
    pub wanted_core: Vec<Slot>,
    /// Unknowns of the core that are states or read at every grid point.
    pub kept: Vec<bool>,
}

/// How an output is computed from what stands before it.
struct OutputRow {
    depth: u32,
    kernel: KernelId,
    /// Column of the DAE form.
    column: u32,
    row: Vec<u32>,
}

/// A row with its kernel.
type Placed<'a> = (KernelId, &'a [u32]);

/// Where a residual is computed. Equations that take results of one call share a row.
#[derive(Clone, Copy)]
struct Residual<'a> {
    placed: Placed<'a>,
    /// Which of the results of the kernel it is.
    result: u32,
}

impl Plan {
    /// `wanted`: slots that rows of the results need; all if not given.
    pub fn new(model: &CompiledModel, dae: &DaeForm, wanted: Option<&[Slot]>) -> Plan {
        let n = dae.unknowns.len();
        let residual_rows = by_result(model, &dae.program, dae.residuals, n);
        let partial_rows: Vec<Placed> = rows(&model.kernels, &dae.partials).collect();
        // Of each slot of a partial: its row, and which of the results it is.
        let mut place = vec![(NONE, 0u32); model.slot_count()];
        for (k, (kernel, row)) in partial_rows.iter().enumerate() {
            let loads = model.kernels.kernels[*kernel].loads as usize;
            for (j, &slot) in row[loads..].iter().enumerate() {
                place[slot as usize] = (k as u32, j as u32);
            }
        }
        let mut position = vec![NONE; dae.pattern.nnz()];
        for (e, entry) in dae.entries.iter().enumerate() {
            position[entry.0 as usize] = e as u32;
        }
        let kept = kept_slots(model);
        // An equation whose slope does not depend on the unknown itself is solved by one step.
        let solved = |r: usize, c: usize| {
            let Some(at) = dae.pattern.find(r, c) else {
                return false;
            };
            let (_, slot, derivative) = dae.entries[position[at] as usize];
            let (row, result) = place[slot as usize];
            if derivative {
                return false;
            }
            if row == NONE {
                return true;
            }
            let (kernel, operands) = partial_rows[row as usize];
            let code = &model.kernels.kernels[kernel];
            let loads = loads_of(code, code.results[result as usize]);
            let own = dae.unknowns[c];
            loads.iter().all(|&k| operands[k as usize] != own)
        };
        let pairs = outputs(
            model,
            dae,
            |c| c < dae.n_states || kept[dae.unknowns[c] as usize],
            solved,
        );
        let mut output_row = vec![false; n];
        let mut output_col = vec![false; n];
        for &(r, c) in &pairs {
            output_row[r as usize] = true;
            output_col[c as usize] = true;
        }
        let numbers = |is_output: &[bool]| -> (Vec<u32>, Vec<u32>) {
            let mut of = vec![NONE; n];
            let mut list = Vec::new();
            for k in (0..n).filter(|&k| !is_output[k]) {
                of[k] = list.len() as u32;
                list.push(k as u32);
            }
            (list, of)
        };
        let (equations, row_number) = numbers(&output_row);
        let (columns, col_number) = numbers(&output_col);
        let m = columns.len();
        let dependences = entry_dependences(model, dae);
        let mut plan = Plan {
            unknowns: columns.iter().map(|&c| dae.unknowns[c as usize]).collect(),
            residual_slots: equations.iter().map(|&r| dae.residuals + r).collect(),
            columns,
            equations,
            entries: Vec::new(),
            dependence: Dependence::Parameters,
            row_varies: vec![false; m],
            col_varies: vec![false; m],
            residuals: Program::default(),
            constant_residuals: Program::default(),
            varying_residuals: Program::default(),
            varying_partials: Program::default(),
            read_by_varying: vec![false; m],
            kernels: Kernels::default(),
            outputs: Program::default(),
            output_columns: pairs.iter().map(|p| p.1).collect(),
            wanted_outputs: Program::default(),
            wanted_columns: Vec::new(),
            wanted_core: Vec::new(),
            kept: Vec::new(),
        };
        let is_kept =
            |&c: &u32| (c as usize) < dae.n_states || kept[dae.unknowns[c as usize] as usize];
        plan.kept = plan.columns.iter().map(is_kept).collect();
        let mut at: Vec<(usize, usize)> = vec![(0, 0); dae.pattern.nnz()];
        for (k, rc) in dae.pattern.entries().enumerate() {
            at[k] = rc;
        }
        for (entry, &dependence) in dae.entries.iter().zip(&dependences) {
            let (r, c) = at[entry.0 as usize];
            if output_row[r] || output_col[c] {
                continue;
            }
            let (row, col) = (row_number[r], col_number[c]);
            if dependence > Dependence::Parameters {
                plan.row_varies[row as usize] = true;
                plan.col_varies[col as usize] = true;
                plan.dependence = plan.dependence.max(dependence);
            }
            plan.entries.push(CoreEntry {
                row,
                col,
                slot: entry.1,
                derivative: entry.2,
                dependence,
            });
        }
        plan.mark_jumps(model, &residual_rows);
        plan.programs(
            model,
            dae,
            &residual_rows,
            &partial_rows,
            &place,
            &col_number,
        );
        let all = plan.output_rows(model, dae, &pairs, &residual_rows, &partial_rows, &place);
        plan.output_programs(model, dae, all, wanted);
        plan
    }

    /// Slots of the unknowns of the core and of their derivatives.
    pub fn unknown_slots(&self, model: &CompiledModel) -> Vec<bool> {
        let mut is = vec![false; model.slot_count()];
        for &slot in &self.unknowns {
            is[slot as usize] = true;
        }
        let layout = &model.layout;
        for k in 0..layout.n_states as Slot {
            is[(layout.derivatives + k) as usize] = true;
        }
        is
    }

    /// Equations that are not linear although their partial derivatives are constant vary.
    fn mark_jumps(&mut self, model: &CompiledModel, residual_rows: &[Residual]) {
        let is_unknown = self.unknown_slots(model);
        let mut known: HashMap<(KernelId, Vec<bool>), bool> = HashMap::new();
        for (k, &r) in self.equations.iter().enumerate() {
            let (kernel, row) = residual_rows[r as usize].placed;
            let code = &model.kernels.kernels[kernel];
            let unknown = row[..code.loads as usize].iter();
            let unknown: Vec<bool> = unknown.map(|&s| is_unknown[s as usize]).collect();
            let affine = known
                .entry((kernel, unknown))
                .or_insert_with_key(|(_, unknown)| is_affine(code, unknown));
            if !*affine {
                self.row_varies[k] = true;
                self.dependence = Dependence::Continuous;
            }
        }
    }

    /// Equations that share a row vary together: it is evaluated as one.
    fn share_kinds(&mut self, residual_rows: &[Residual]) {
        let row_of = |r: u32| residual_rows[r as usize].placed.1.as_ptr();
        let varying = self.equations.iter().zip(&self.row_varies);
        let varying: HashSet<*const u32> = varying
            .filter(|(_, varies)| **varies)
            .map(|(&r, _)| row_of(r))
            .collect();
        for (&r, varies) in self.equations.iter().zip(&mut self.row_varies) {
            *varies |= varying.contains(&row_of(r));
        }
    }

    /// Exponentials in the equations that vary, at most.
    pub fn exponentials(&self, model: &CompiledModel) -> usize {
        rows(&model.kernels, &self.varying_residuals)
            .map(|(kernel, _)| exponentials(&model.kernels.kernels[kernel]))
            .sum()
    }

    /// Iterations that are needed: one where nothing depends on unknowns.
    pub fn rounds(&self, iterations: usize) -> usize {
        if self.dependence == Dependence::Continuous {
            iterations
        } else {
            1
        }
    }

    fn programs(
        &mut self,
        model: &CompiledModel,
        dae: &DaeForm,
        residual_rows: &[Residual],
        partial_rows: &[Placed],
        place: &[(u32, u32)],
        col_number: &[u32],
    ) {
        let owned = |(k, row): &Placed| (*k, row.to_vec());
        let all = self.equations.iter().map(|&r| residual_rows[r as usize]);
        self.residuals = independent_rows(once_each(all).iter().map(owned).collect());
        self.share_kinds(residual_rows);
        let of_kind = |kind: bool| -> Vec<Placed> {
            let list = self.equations.iter().zip(&self.row_varies);
            let list = list.filter(|(_, varies)| **varies == kind);
            once_each(list.map(|(&r, _)| residual_rows[r as usize]))
        };
        let (constant, varying) = (of_kind(false), of_kind(true));
        self.constant_residuals = independent_rows(constant.iter().map(owned).collect());
        self.varying_residuals = independent_rows(varying.iter().map(owned).collect());
        let mut needed = vec![false; partial_rows.len()];
        for e in &self.entries {
            if e.dependence > Dependence::Parameters && place[e.slot as usize].0 != NONE {
                needed[place[e.slot as usize].0 as usize] = true;
            }
        }
        let partials: Vec<Placed> = partial_rows
            .iter()
            .zip(&needed)
            .filter(|(_, needed)| **needed)
            .map(|(p, _)| *p)
            .collect();
        self.varying_partials = independent_rows(partials.iter().map(owned).collect());
        // Who reads what: by the slot of the unknown or of its derivative.
        let mut number = vec![NONE; model.slot_count()];
        for (c, &slot) in dae.unknowns.iter().enumerate() {
            number[slot as usize] = col_number[c];
            if c < dae.n_states {
                let derivative = model.layout.derivatives + c as Slot;
                number[derivative as usize] = col_number[c];
            }
        }
        for (kernel, row) in varying.iter().chain(&partials) {
            let loads = model.kernels.kernels[*kernel].loads as usize;
            for &slot in &row[..loads] {
                if number[slot as usize] != NONE {
                    self.read_by_varying[number[slot as usize] as usize] = true;
                }
            }
        }
    }

    /// y := y − F/(∂F/∂y), one row an output, in an order in which they can be computed.
    fn output_rows(
        &mut self,
        model: &CompiledModel,
        dae: &DaeForm,
        pairs: &[(u32, u32)],
        residual_rows: &[Residual],
        partial_rows: &[Placed],
        place: &[(u32, u32)],
    ) -> Vec<OutputRow> {
        let mut depth_of = vec![0u32; model.slot_count()];
        let mut placed: Vec<OutputRow> = Vec::new();
        let mut b = KernelBuilder::default();
        let mut slope_of = vec![NONE; dae.pattern.nnz()];
        for (e, entry) in dae.entries.iter().enumerate() {
            slope_of[entry.0 as usize] = e as u32;
        }
        for &(r, c) in pairs {
            let own = dae.unknowns[c as usize];
            let Residual {
                placed: (kernel, row),
                result,
            } = residual_rows[r as usize];
            let code = &model.kernels.kernels[kernel];
            let operands: Vec<u32> = row[..code.loads as usize].to_vec();
            let regs: Vec<u32> = operands.iter().map(|&s| b.slot(s)).collect();
            let regs = replay(&mut b, code, &regs, |_, _, _| None);
            let residual = regs[code.results[result as usize] as usize];
            let entry = dae.pattern.find(r as usize, c as usize);
            let slope_slot = entry.map_or(Slot::MAX, |k| dae.entries[slope_of[k] as usize].1);
            let slope = match place.get(slope_slot as usize) {
                Some(&(row, result)) if row != NONE => {
                    let (kernel, row) = partial_rows[row as usize];
                    let code = &model.kernels.kernels[kernel];
                    let loads = &row[..code.loads as usize];
                    let regs: Vec<u32> = loads.iter().map(|&s| b.slot(s)).collect();
                    replay(&mut b, code, &regs, |_, _, _| None)
                        [code.results[result as usize] as usize]
                }
                _ => b.slot(slope_slot),
            };
            let change = b.div(residual, slope);
            let old = b.slot(own);
            let new = b.sub(old, change);
            let (mut kernel, operands) = b.finish(&[new]);
            ferrica_codegen::partials::prune(&mut kernel);
            let read = operands.iter().filter(|&&s| s != own);
            let depth = 1 + read.map(|&s| depth_of[s as usize]).max().unwrap_or(0);
            depth_of[own as usize] = depth;
            let mut full = operands;
            full.push(own);
            placed.push(OutputRow {
                depth,
                kernel: self.kernels.intern(kernel),
                column: c,
                row: full,
            });
        }
        placed
    }

    /// Programs of all outputs and of those that are wanted, in batches of one depth and shape.
    fn output_programs(
        &mut self,
        model: &CompiledModel,
        dae: &DaeForm,
        mut rows: Vec<OutputRow>,
        wanted: Option<&[Slot]>,
    ) {
        let mut is_wanted = vec![wanted.is_none(); model.slot_count()];
        for &slot in wanted.unwrap_or_default() {
            is_wanted[slot as usize] = true;
        }
        let mut chosen = vec![false; dae.unknowns.len()];
        for r in rows.iter().rev() {
            if is_wanted[dae.unknowns[r.column as usize] as usize] {
                chosen[r.column as usize] = true;
                for &slot in &r.row {
                    is_wanted[slot as usize] = true;
                }
            }
        }
        let core = self.unknowns.iter().copied();
        self.wanted_core = core.filter(|&s| is_wanted[s as usize]).collect();
        rows.sort_by_key(|r| (r.depth, r.kernel));
        let (mut last, mut last_wanted) = (0, 0);
        for r in &rows {
            self.outputs.push_row(r.kernel, &r.row, r.depth == last);
            last = r.depth;
            if chosen[r.column as usize] {
                self.wanted_outputs
                    .push_row(r.kernel, &r.row, r.depth == last_wanted);
                last_wanted = r.depth;
                self.wanted_columns.push(r.column);
            }
        }
    }
}

/// Rows of a program by their results, the k-th being `first` + k.
fn by_result<'a>(
    model: &'a CompiledModel,
    program: &'a Program,
    first: Slot,
    n: usize,
) -> Vec<Residual<'a>> {
    let mut out: Vec<Option<Residual>> = vec![None; n];
    for (kernel, row) in rows(&model.kernels, program) {
        let loads = model.kernels.kernels[kernel].loads as usize;
        for (k, &slot) in row[loads..].iter().enumerate() {
            out[(slot - first) as usize] = Some(Residual {
                placed: (kernel, row),
                result: k as u32,
            });
        }
    }
    // Each residual has a row.
    out.into_iter().flatten().collect()
}

/// The rows of some residuals.
fn once_each<'a>(list: impl Iterator<Item = Residual<'a>>) -> Vec<Placed<'a>> {
    let mut seen: HashSet<*const u32> = HashSet::new();
    list.map(|r| r.placed)
        .filter(|(_, row)| seen.insert(row.as_ptr()))
        .collect()
}

/// Slots that are read at every grid point: by relations, actions and delays.
fn kept_slots(model: &CompiledModel) -> Vec<bool> {
    let mut kept = vec![false; model.slot_count()];
    let programs = [
        &model.relation_program,
        &model.action_program,
        &model.delay_row_program,
    ];
    let dynamic = model.dynamic_states.iter().map(|d| &d.program);
    let mut loads: SecondaryMap<KernelId, u32> = SecondaryMap::new();
    for (id, kernel) in &model.kernels.kernels {
        loads[id] = kernel.loads;
    }
    for program in programs.into_iter().chain(dynamic) {
        for (kernel, row) in rows(&model.kernels, program) {
            for &slot in &row[..loads[kernel] as usize] {
                kept[slot as usize] = true;
            }
        }
    }
    for d in &model.dynamic_states {
        for &slot in &d.candidates {
            kept[slot as usize] = true;
        }
    }
    kept
}

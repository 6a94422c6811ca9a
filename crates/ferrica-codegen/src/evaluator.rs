//! The numbers of one run: slots, factorizations, strings and objects, and the running of programs.
//!
//! Invariant: between calls every slot written by a program that was run is consistent with the
//! slots it reads. Nothing is allocated in the inner loop once each system has been solved once
//! (calls of functions apart).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cranelift_entity::SecondaryMap;
use ferrica_ir::Span;
use ferrica_ir::print::brief;
use ferrica_solvers::linear::LinearSolver;
use ferrica_solvers::vectors::assign;

use crate::jit::{self, NativeStep};
use crate::layout::{Layout, Slot};
use crate::model::{BlockId, BlockKind, BlockSet, CompiledModel};
use crate::program::{Program, Step, SystemId};
use crate::runtime::Runtime;
use crate::schedule::{arrange, writes};
use crate::tape::{Tape, TapeStep};
use crate::vm::Vm;

/// An evaluation that failed: what, where, and the values.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub message: String,
    pub details: Vec<String>,
    pub span: Span,
    /// Linear equations contradict each other: no other beginning helps.
    pub contradiction: bool,
    pub cause: Cause,
}

/// What has failed, where that has a message code of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The code is that of whoever reports the failure.
    #[default]
    Evaluation,
    Assertion,
    /// Something is decided by what is not a number.
    NotANumber,
    /// Conditions of an event keep changing each other.
    Unsettled,
    /// A condition changes again and again at nearly one time.
    Chattering,
    /// Events between two steps would be lost.
    LostInstant,
    /// The formula is unstable with this step.
    Divergence,
    /// Infinitely many events before a finite time.
    Accumulation,
}

impl Cause {
    pub fn code(self) -> Option<&'static str> {
        match self {
            Cause::Evaluation => None,
            Cause::Assertion => Some("E0607"),
            Cause::NotANumber => Some("E0613"),
            Cause::Unsettled => Some("E0606"),
            Cause::Chattering => Some("E0610"),
            Cause::LostInstant => Some("E0615"),
            Cause::Divergence => Some("E0616"),
            Cause::Accumulation => Some("E0614"),
        }
    }
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            ..Failure::default()
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        for line in &self.details {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

/// Work vectors of a system.
#[derive(Clone, Default)]
pub(crate) struct SystemState {
    pub lu: Option<LinearSolver>,
    /// The factors are those of a constant matrix.
    pub factored: bool,
    pub x: Vec<f64>,
    pub dx: Vec<f64>,
    pub weights: Vec<f64>,
    pub rounding: Vec<f64>,
    pub scale: Vec<f64>,
    /// Inner variables before a correction, and how many times more than the unknowns they have moved last, in parts of their size.
    pub inner: Vec<f64>,
    pub gain: Option<f64>,
    /// The same loop torn elsewhere is solved first: this one was not.
    pub elsewhere: bool,
}

/// Work counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    pub linear_solves: u64,
    pub nonlinear_solves: u64,
    pub newton_iterations: u64,
}

/// See the module comment.
#[derive(Clone)]
pub struct Evaluator {
    pub model: Arc<CompiledModel>,
    pub slots: Vec<f64>,
    pub rt: Runtime,
    pub counters: Counters,
    vm: Vm,
    pub(crate) systems: SecondaryMap<SystemId, SystemState>,
    pub(crate) tangents: Vec<f64>,
    overrides: Vec<(Slot, f64)>,
    /// Compile programs to machine code once they have run often.
    pub compile_hot_programs: bool,
}

impl Evaluator {
    pub fn new(model: Arc<CompiledModel>) -> Evaluator {
        let literals = model.source.exprs.strings().map(Arc::from);
        let enums: Vec<Vec<String>> = model
            .source
            .enums
            .values()
            .map(|e| e.literals.clone())
            .collect();
        let mut rt = Runtime::new(literals, enums.into());
        rt.may_change_system = model.functions.natives.may_change_system;
        rt.prints = model.functions.natives.prints;
        rt.user_tables = model.functions.natives.user_tables.clone();
        rt.folder.clone_from(&model.functions.natives.folder);
        Evaluator {
            slots: model.layout.initial.clone(),
            tangents: vec![0.0; model.slot_count()],
            systems: SecondaryMap::new(),
            vm: Vm::default(),
            rt,
            counters: Counters::default(),
            overrides: Vec::new(),
            compile_hot_programs: true,
            model,
        }
    }

    /// Sets a parameter or a start value before initialization. The blocks that would compute it are
    /// left out.
    pub fn set_value(&mut self, slot: Slot, value: f64) {
        self.overrides.retain(|o| o.0 != slot);
        self.overrides.push((slot, value));
        self.slots[slot as usize] = value;
    }

    #[inline]
    pub fn time(&self) -> f64 {
        self.slots[Layout::TIME as usize]
    }

    #[inline]
    pub fn set_time(&mut self, t: f64) {
        self.slots[Layout::TIME as usize] = t;
    }

    #[inline]
    pub fn get(&self, slot: Slot) -> f64 {
        self.slots[slot as usize]
    }

    #[inline]
    pub fn set(&mut self, slot: Slot, value: f64) {
        self.slots[slot as usize] = value;
    }

    #[inline]
    pub fn states(&self) -> &[f64] {
        let layout = &self.model.layout;
        &self.slots[layout.states as usize..][..layout.n_states]
    }

    #[inline]
    pub fn set_states(&mut self, x: &[f64]) {
        let first = self.model.layout.states as usize;
        assign(&mut self.slots[first..first + x.len()], x);
    }

    #[inline]
    pub fn derivatives(&self) -> &[f64] {
        let layout = &self.model.layout;
        &self.slots[layout.derivatives as usize..][..layout.n_states]
    }

    #[inline]
    pub fn set_derivatives(&mut self, dx: &[f64]) {
        let first = self.model.layout.derivatives as usize;
        self.slots[first..first + dx.len()].copy_from_slice(dx);
    }

    /// Forgets factorizations of constant matrices: parameters have changed.
    pub fn invalidate(&mut self) {
        for (id, _) in &self.model.systems {
            self.systems[id].factored = false;
        }
    }

    /// Program of a set without the blocks whose results were set from outside.
    fn without_overrides(&self, set: &BlockSet) -> Program {
        let m = &*self.model;
        let blocks: Vec<_> = set
            .blocks
            .iter()
            .filter(|(_, b)| {
                !writes(&m.kernels, &m.systems, b)
                    .iter()
                    .any(|w| self.overrides.iter().any(|o| o.0 == *w))
            })
            .map(|(id, _)| id)
            .collect();
        arrange(&m.kernels, &m.systems, set, &blocks)
    }

    /// Parameters, then start values, with what was set from outside kept.
    pub fn run_parameters(&mut self) -> Result<(), Failure> {
        let model = self.model.clone();
        self.invalidate();
        if self.overrides.is_empty() {
            self.run(&model.parameter_program)?;
            return self.run(&model.start_program);
        }
        let program = self.without_overrides(&model.parameters);
        self.run(&program)?;
        self.run(&model.start_program)?;
        for k in 0..self.overrides.len() {
            let (slot, value) = self.overrides[k];
            self.slots[slot as usize] = value;
        }
        Ok(())
    }

    /// Is the value of this slot set from outside?
    pub fn is_overridden(&self, slot: Slot) -> bool {
        self.overrides.iter().any(|o| o.0 == slot)
    }

    /// Runs a program on the slots.
    pub fn run(&mut self, program: &Program) -> Result<(), Failure> {
        let model = self.model.clone();
        self.exec(&model, program)
    }

    /// Evaluates one block of the main set, for a caller that holds the model of this evaluator.
    pub fn run_block(&mut self, model: &CompiledModel, block: BlockId) -> Result<(), Failure> {
        match model.main.blocks[block].kind {
            BlockKind::Row(row) => {
                let kernel = &model.kernels.kernels[row.kernel];
                let slots = model.kernels.row(row);
                let (functions, rt) = (&model.functions, &mut self.rt);
                let done = self
                    .vm
                    .batch(functions, rt, kernel, slots, 1, &mut self.slots);
                done.map_err(|message| self.call_failure(message))
            }
            BlockKind::System(system) => self.solve(model, system),
        }
    }

    /// The same, for a caller that holds the model of this evaluator.
    #[inline(always)]
    pub fn exec(&mut self, model: &CompiledModel, program: &Program) -> Result<(), Failure> {
        if let Some(code) = program.native.code.get() {
            let (rows, functions) = (&program.rows, &model.functions);
            match code.run_whole(&mut self.slots, rows, functions, &mut self.rt) {
                Some(Ok(())) => return Ok(()),
                Some(Err(message)) => return Err(self.call_failure(message)),
                None => {}
            }
        }
        self.exec_steps(model, program)
    }

    fn exec_steps(&mut self, model: &CompiledModel, program: &Program) -> Result<(), Failure> {
        if let Some(code) = program.native.code.get() {
            for step in &code.steps {
                match *step {
                    NativeStep::Code(k) => {
                        let done = code.run(
                            k,
                            &mut self.slots,
                            &program.rows,
                            &model.functions,
                            &mut self.rt,
                        );
                        done.map_err(|message| self.call_failure(message))?;
                    }
                    NativeStep::Solve(s) => self.solve(model, s)?,
                }
            }
            return Ok(());
        }
        if self.compile_hot_programs {
            let runs = program.native.runs.fetch_add(1, Ordering::Relaxed);
            let enough = program
                .native
                .enough
                .get_or_init(|| jit::runs_before_compiling(&model.kernels, program));
            if runs == *enough {
                jit::request(&self.model, program);
            }
        }
        for step in &program.steps {
            self.step(model, program, *step)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        model: &CompiledModel,
        program: &Program,
        step: Step,
    ) -> Result<(), Failure> {
        match step {
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let kernel = &model.kernels.kernels[kernel];
                let rows = &program.rows[first as usize..];
                let count = count as usize;
                let done = self.vm.batch(
                    &model.functions,
                    &mut self.rt,
                    kernel,
                    rows,
                    count,
                    &mut self.slots,
                );
                done.map_err(|message| self.call_failure(message))
            }
            Step::Solve(system) => self.solve(model, system),
        }
    }

    #[cold]
    fn call_failure(&self, message: String) -> Failure {
        Failure::new(format!("at time {}: {message}", brief(self.time())))
    }

    /// Evaluates the local partial derivatives of a tape, and factors the systems on it, at the
    /// present point.
    pub(crate) fn prepare_tape(
        &mut self,
        model: &CompiledModel,
        tape: &Tape,
    ) -> Result<(), Failure> {
        self.exec(model, &tape.partials)?;
        for step in &tape.steps {
            if let TapeStep::System(s) = *step {
                self.prepare_system(model, s)?;
            }
        }
        Ok(())
    }

    /// Propagates tangents: those of inputs are set, those of everything on the tape follow. `L` directions at once, whose tangents
    /// of a slot stand side by side.
    pub(crate) fn sweep<const L: usize>(&mut self, model: &CompiledModel, tape: &Tape) {
        for step in &tape.steps {
            match *step {
                TapeStep::Node { to, first, len } => {
                    let mut sum = [0.0; L];
                    let tangents = self.tangents.as_chunks_mut::<L>().0;
                    for &(from, p) in &tape.edges[first as usize..(first + len) as usize] {
                        let d = &tangents[from as usize];
                        let partial = self.slots[p as usize];
                        if partial.is_finite() {
                            for (sum, d) in sum.iter_mut().zip(d) {
                                *sum += d * partial;
                            }
                            continue;
                        }
                        // An infinite partial of something that does not move contributes nothing.
                        for (sum, d) in sum.iter_mut().zip(d).filter(|(_, d)| **d != 0.0) {
                            *sum += d * partial;
                        }
                    }
                    tangents[to as usize] = sum;
                }
                TapeStep::System(s) => self.system_tangent::<L>(model, s),
            }
        }
    }

    /// ∂ẋ/∂x at the present time and states, in the order of its pattern. The derivatives are
    /// evaluated on the way.
    pub fn ode_jacobian(&mut self, values: &mut [f64]) -> Result<(), Failure> {
        let model = self.model.clone();
        let Some(jacobian) = &model.ode_jacobian else {
            return Err(Failure::new("the model was compiled for the DAE form"));
        };
        self.exec(&model, &model.rhs_program)?;
        self.prepare_tape(&model, &jacobian.tape)?;
        let (states, derivatives) = (model.layout.states, model.layout.derivatives);
        for k in 0..model.layout.n_states {
            self.tangents[states as usize + k] = 0.0;
        }
        for columns in &jacobian.colors {
            for &c in columns {
                self.tangents[(states + c) as usize] = 1.0;
            }
            self.sweep::<1>(&model, &jacobian.tape);
            for &c in columns {
                self.tangents[(states + c) as usize] = 0.0;
                let range = jacobian.pattern.col_range(c as usize);
                for (v, &r) in values[range]
                    .iter_mut()
                    .zip(jacobian.pattern.col(c as usize))
                {
                    *v = self.tangents[(derivatives + r) as usize];
                }
            }
        }
        Ok(())
    }

    /// Changes of everything on a tape of [`crate::linearize::sensitivities`] with changes of what it starts from, at the present point,
    /// whose continuous variables are evaluated on the way. [`Evaluator::change`] tells them.
    pub fn changes(&mut self, tape: &Tape, knowns: &[(Slot, f64)]) -> Result<(), Failure> {
        let model = self.model.clone();
        self.exec(&model, &model.continuous_program)?;
        self.prepare_tape(&model, tape)?;
        self.changes_here(tape, knowns);
        Ok(())
    }

    /// The same at the same point, with other changes.
    pub fn changes_here(&mut self, tape: &Tape, knowns: &[(Slot, f64)]) {
        let model = self.model.clone();
        self.tangents.resize(model.slot_count(), 0.0);
        self.tangents.fill(0.0);
        for &(slot, change) in knowns {
            self.tangents[slot as usize] = change;
        }
        self.sweep::<1>(&model, tape);
    }

    pub fn change(&self, slot: Slot) -> f64 {
        self.tangents[slot as usize]
    }

    /// Residuals of the DAE form at the present slots.
    pub fn dae_residuals(&mut self, out: &mut [f64]) -> Result<(), Failure> {
        let model = self.model.clone();
        let Some(dae) = &model.dae else {
            return Err(Failure::new("the model was compiled for the ODE form"));
        };
        self.exec(&model, &dae.program)?;
        out.copy_from_slice(&self.slots[dae.residuals as usize..][..out.len()]);
        Ok(())
    }

    /// ∂F/∂y + c ∂F/∂y' of the DAE form at the present slots, in the order of its pattern.
    pub fn dae_jacobian(&mut self, c: f64, values: &mut [f64]) -> Result<(), Failure> {
        self.dae_partials()?;
        self.gather_dae_jacobian(c, values);
        Ok(())
    }

    /// The partial derivatives of the DAE form into their slots.
    pub fn dae_partials(&mut self) -> Result<(), Failure> {
        let model = self.model.clone();
        match &model.dae {
            Some(dae) => self.exec(&model, &dae.partials),
            None => Err(Failure::new("the model was compiled for the ODE form")),
        }
    }

    /// ∂F/∂y + c ∂F/∂y' from the partial derivatives in their slots.
    pub fn gather_dae_jacobian(&self, c: f64, values: &mut [f64]) {
        values.fill(0.0);
        let entries = self.model.dae.iter().flat_map(|dae| &dae.entries);
        for &(position, slot, derivative) in entries {
            let p = self.slots[slot as usize];
            values[position as usize] += if derivative { c * p } else { p };
        }
    }

    /// Text of a string slot.
    pub fn text(&self, slot: Slot) -> &str {
        self.rt.text(self.slots[slot as usize])
    }
}

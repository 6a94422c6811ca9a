//! The compiled model: the one waist between meaning and time.
//!
//! Slots, kernels, blocks in sorted order, systems, and programs for what every run needs. Made by
//! [`crate::compile`]; shared, never changed by a run.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use ferrica_ir::Span;
use ferrica_ir::causal::CausalModel;
use ferrica_ir::expr::VarId;
use ferrica_ir::flat::place_in_model;
use ferrica_ir::print;
use ferrica_solvers::sparse::CscPattern;

use crate::interpreter::Functions;
use crate::layout::{Layout, Slot};
use crate::program::{Kernels, Program, Row, SystemId};
use crate::residuals::Residuals;
use crate::tangents::Tangents;
use crate::tape::Tape;
use crate::time_functions::TimeFunction;

/// A block in one of the block sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);
entity_impl!(BlockId, "block");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Row(Row),
    System(SystemId),
}

#[derive(Clone, Debug)]
pub struct Block {
    pub kind: BlockKind,
    /// Computes continuous unknowns.
    pub continuous: bool,
    /// The equation it solves (rows), index into the equations of its set.
    pub equation: u32,
}

/// Sorted blocks and who writes which slot.
#[derive(Clone, Debug, Default)]
pub struct BlockSet {
    pub blocks: PrimaryMap<BlockId, Block>,
    /// Block that writes a slot, `u32::MAX` if none.
    pub writer: Vec<u32>,
    /// The equations are those of the initial system.
    pub initial: bool,
}

/// Equation of a block set, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EquationRef {
    pub initial: bool,
    pub index: u32,
}

/// A·x = b or F(x) = 0.
#[derive(Clone, Debug)]
pub struct System {
    pub unknowns: Vec<Slot>,
    pub equations: Vec<EquationRef>,
    pub pattern: CscPattern,
    /// First slot of the matrix entries (order of the pattern).
    pub matrix: Slot,
    /// First slot of the right-hand sides or residuals.
    pub rhs: Slot,
    pub kind: SystemKind,
    /// Slots read from outside and slots written (unknowns and inner variables).
    pub reads: Vec<Slot>,
    pub writes: Vec<Slot>,
    /// The same equations with other iteration variables, for where this system is not solved.
    pub other: Option<SystemId>,
}

#[derive(Clone, Debug)]
pub enum SystemKind {
    Linear {
        /// The matrix depends on parameters only.
        constant: bool,
        matrix: Program,
        rhs: Program,
        then: Program,
        /// Derivatives of matrix entries and right-hand sides, then of the inner variables.
        tape: Tape,
        then_tape: Tape,
    },
    Nonlinear {
        /// Inner assignments and residuals.
        residuals: Program,
        /// Symbolic Jacobian into the matrix slots; without one it comes from the tape.
        jacobian: Option<Program>,
        /// Derivatives of inner variables and residuals.
        tape: Tape,
        /// Columns whose tangents are computed together.
        colors: Vec<Vec<u32>>,
        /// The same with limited exponentials, if there are any.
        limited: Option<Box<LimitedSystem>>,
    },
}

/// Residuals whose exponentials are tangents: see [`crate::limiting`].
#[derive(Clone, Debug)]
pub struct LimitedSystem {
    /// Moves the places of the tangents towards their arguments, then inner assignments and residuals.
    pub moving: Program,
    /// Derivatives, the tangents being where they are.
    pub tape: Tape,
    /// First slots of the places and of the arguments, and their number.
    pub places: Slot,
    pub arguments: Slot,
    pub count: usize,
}

/// A relation with its zero function.
#[derive(Clone, Copy, Debug)]
pub struct RelationSlots {
    pub memory: Slot,
    /// lhs − rhs
    pub zero: Slot,
    pub lhs: Slot,
    pub rhs: Slot,
    pub op: ferrica_ir::expr::BinaryOp,
    pub time_event: bool,
}

/// A guarded action: slots of its guard (or none), value and message.
#[derive(Clone, Copy, Debug)]
pub struct ActionSlots {
    pub guard: Option<Slot>,
    pub value: Slot,
}

/// Index-one form F(t, y, y') = 0 of all continuous equations.
#[derive(Clone, Debug)]
pub struct DaeForm {
    /// Slots of y: states first, then algebraic unknowns.
    pub unknowns: Vec<Slot>,
    pub n_states: usize,
    /// First slot of the residuals.
    pub residuals: Slot,
    pub program: Program,
    pub partials: Program,
    pub pattern: CscPattern,
    /// (position in the pattern, slot of the partial derivative, with respect to y')
    pub entries: Vec<(u32, Slot, bool)>,
    /// Equation of each residual.
    pub equations: Vec<u32>,
    /// Discrete variables that follow the unknowns without an event: equations have what they are made of in their place. The rows stand before those of
    /// relations, too.
    pub beside: Program,
}

/// ∂(derivatives)/∂(states) of the ODE form.
#[derive(Clone, Debug)]
pub struct OdeJacobian {
    pub tape: Tape,
    pub pattern: CscPattern,
    pub colors: Vec<Vec<u32>>,
}

/// See the module comment.
pub struct CompiledModel {
    pub source: Arc<CausalModel>,
    pub layout: Layout,
    pub kernels: Kernels,
    pub functions: Functions,
    pub systems: PrimaryMap<SystemId, System>,
    pub parameters: BlockSet,
    pub initial: BlockSet,
    pub main: BlockSet,

    /// Dependent parameters.
    pub parameter_program: Program,
    /// Start values that are expressions.
    pub start_program: Program,
    pub initial_program: Program,
    /// All derivatives of states.
    pub rhs_program: Program,
    /// All continuous variables (not the discrete ones), for output.
    pub continuous_program: Program,
    /// Everything, for an event.
    pub event_program: Program,

    pub relations: Vec<RelationSlots>,
    /// Zero functions of all relations, everything they need being known.
    pub relation_program: Program,
    /// Zero functions of relations that are not time events, from states and time.
    pub zero_program: Program,
    /// (memory, start, interval)
    pub samplers: Vec<(Slot, Slot, Slot)>,
    /// (result, source, delay time, longest delay, constant)
    pub delays: Vec<DelaySlots>,
    pub transports: Vec<TransportSlots>,
    /// Sources, delay times and positions, from states and time.
    pub delay_program: Program,
    /// The same, everything they need being known.
    pub delay_row_program: Program,
    /// state, condition, value
    pub reinits: Vec<(Slot, Slot, Slot)>,
    /// guard, condition
    pub assertions: Vec<ActionSlots>,
    /// Can an assertion without a guard fail between events? One about parameters cannot.
    pub assertions_vary: bool,
    pub terminates: Vec<ActionSlots>,
    pub effects: Vec<ActionSlots>,
    /// Conditions of reinits, assertions, terminations and effects, everything they need being known.
    pub action_program: Program,
    pub samplers_program: Program,
    /// Messages and calls, each run only when it is due.
    pub assertion_messages: Vec<Program>,
    pub terminate_messages: Vec<Program>,
    pub effect_calls: Vec<Program>,
    pub dynamic_states: Vec<DynamicSlots>,

    /// What depends on time alone, for steps that must not be too long for it.
    pub time_functions: Vec<TimeFunction>,
    /// To check values against the equations, where that is what the model was compiled for.
    pub residuals: Option<Residuals>,
    /// The same for equations of the initial system, which the first row satisfies.
    pub start_residuals: Option<Residuals>,
    /// Conditions on the start that must be satisfied besides.
    pub redundant: Option<Residuals>,
    pub dae: Option<DaeForm>,
    pub ode_jacobian: Option<OdeJacobian>,
    /// So many slots are the same in every form of the model; partial derivatives and residuals come behind them.
    pub common_slots: usize,
    /// Tangents of everything, where the model was compiled with them.
    pub tangents: Option<Tangents>,
}

#[derive(Clone, Copy, Debug)]
pub struct DelaySlots {
    pub result: Slot,
    pub source: Slot,
    pub delay: Slot,
    pub max: Slot,
    pub constant: bool,
}

/// See [`ferrica_ir::causal::Transport`].
#[derive(Clone, Debug)]
pub struct TransportSlots {
    pub results: [Slot; 2],
    pub sources: [Slot; 2],
    pub position: Slot,
    pub points: Vec<Slot>,
    pub values: Vec<Slot>,
    /// Points and values, from parameters.
    pub contents: Program,
    pub span: Span,
}

/// See [`ferrica_ir::causal::DynamicStateSet`].
#[derive(Clone, Debug)]
pub struct DynamicSlots {
    pub candidates: Vec<Slot>,
    pub states: Vec<Slot>,
    pub selection: Vec<Vec<Slot>>,
    /// (constraint, candidate, slot of the value)
    pub jacobian: Vec<(u32, u32, Slot)>,
    pub program: Program,
}

impl CompiledModel {
    /// Slots whose values come from the past: they change with time although no block writes them.
    pub fn remembered(&self) -> impl Iterator<Item = Slot> + '_ {
        let transported = self.transports.iter().flat_map(|t| t.results);
        self.delays.iter().map(|d| d.result).chain(transported)
    }

    /// Programs that runs execute again and again, the most frequent ones first.
    pub fn repeated_programs(&self) -> impl Iterator<Item = &Program> {
        let mut all = vec![&self.rhs_program];
        if let Some(dae) = &self.dae {
            all.extend([&dae.program, &dae.partials]);
        }
        all.extend(self.ode_jacobian.iter().map(|j| &j.tape.partials));
        for system in self.systems.values() {
            match &system.kind {
                SystemKind::Linear {
                    matrix,
                    rhs,
                    then,
                    tape,
                    then_tape,
                    ..
                } => all.extend([matrix, rhs, then, &tape.partials, &then_tape.partials]),
                SystemKind::Nonlinear {
                    residuals,
                    jacobian,
                    tape,
                    limited,
                    ..
                } => {
                    all.extend([residuals, &tape.partials]);
                    all.extend(jacobian);
                    let limited = limited.iter();
                    all.extend(limited.flat_map(|l| [&l.moving, &l.tape.partials]));
                }
            }
        }
        all.extend([
            &self.zero_program,
            &self.continuous_program,
            &self.relation_program,
        ]);
        all.extend([&self.delay_program, &self.delay_row_program]);
        all.extend(self.dynamic_states.iter().map(|d| &d.program));
        all.extend([&self.action_program, &self.event_program]);
        all.into_iter().filter(|p| !p.is_empty())
    }

    pub fn slot_count(&self) -> usize {
        self.layout.len()
    }

    /// Does something happen at the end of a run, by `terminal()`?
    pub fn has_terminal_event(&self) -> bool {
        let mut read = (self.event_program.rows.iter()).chain(self.action_program.rows.iter());
        read.any(|&s| s == Layout::TERMINAL)
    }

    /// Slot and sign of a variable by name, aliases included.
    pub fn find(&self, name: &str) -> Option<(Slot, bool)> {
        let (v, _) = self.source.vars.iter().find(|(_, v)| v.var.name == name)?;
        self.layout.place(v)
    }

    pub fn var_name(&self, slot: Slot) -> &str {
        match self.layout.var(slot) {
            Some(v) => &self.source.vars[v].var.name,
            None => "(auxiliary)",
        }
    }

    /// Magnitude of the variable's `nominal`, if the model gives a usable one.
    pub fn given_nominal(&self, slot: Slot) -> Option<f64> {
        let nominal = self.source.vars[self.variable(slot)?].var.nominal?;
        let value = self.source.exprs.as_f64(nominal)?.abs();
        (value != 0.0 && value.is_finite()).then_some(value)
    }

    /// The same, one where none is given.
    pub fn nominal(&self, slot: Slot) -> f64 {
        self.given_nominal(slot).unwrap_or(1.0)
    }

    pub fn variable(&self, slot: Slot) -> Option<VarId> {
        self.layout.var(slot)
    }

    /// What gives a slot its value: the equation of its block, or the binding of a parameter.
    pub fn formula(&self, slot: Slot) -> (String, ferrica_ir::Span) {
        let written = |set: &BlockSet| set.writer.get(slot as usize).copied();
        let own = |set: &BlockSet| written(set).filter(|&w| w != u32::MAX);
        let binding = self.variable(slot).and_then(|v| {
            let var = &self.source.vars[v].var;
            var.binding.map(|b| (var, b))
        });
        match (own(&self.main), binding) {
            (Some(block), _) => {
                let at = EquationRef {
                    initial: false,
                    index: self.main.blocks[BlockId::from_u32(block)].equation,
                };
                (self.equation_text(at), self.equation_span(at))
            }
            (None, Some((var, b))) => {
                let value = print::expr(&self.source.exprs, &*self.source, b);
                let mut text = format!("{} = {value}", var.name);
                shorten(&mut text, 240);
                (text, var.span)
            }
            (None, None) => (self.var_name(slot).to_string(), ferrica_ir::Span::NONE),
        }
    }

    /// Equation as the user wrote it, shortened, with its component.
    pub fn equation_text(&self, at: EquationRef) -> String {
        let list = if at.initial {
            &self.source.initial.equations
        } else {
            &self.source.equations
        };
        match list.get(at.index as usize) {
            Some(eq) => self.text_of(eq),
            None => "(equation made by the compiler)".to_string(),
        }
    }

    /// The same of any equation of the model.
    pub fn text_of(&self, eq: &ferrica_ir::causal::DaeEquation) -> String {
        let side = |e| print::expr(&self.source.exprs, &*self.source, e);
        let mut text = format!("{} = {}", side(eq.lhs), side(eq.rhs));
        shorten(&mut text, 240);
        match self.source.components.get(eq.component as usize) {
            Some(c) if !c.path.is_empty() => format!("{text}  (in `{}`)", c.path),
            _ => text,
        }
    }

    /// Where to look in the model for an equation.
    pub fn equation_place(&self, at: EquationRef) -> ferrica_ir::Span {
        let list = match at.initial {
            true => &self.source.initial.equations,
            false => &self.source.equations,
        };
        let found = list.get(at.index as usize);
        found.map_or(ferrica_ir::Span::NONE, |e| {
            place_in_model(&self.source.components, e.component, e.span)
        })
    }

    pub fn equation_span(&self, at: EquationRef) -> ferrica_ir::Span {
        let list = if at.initial {
            &self.source.initial.equations
        } else {
            &self.source.equations
        };
        list.get(at.index as usize)
            .map_or(ferrica_ir::Span::NONE, |e| e.span)
    }
}

/// Cuts a text at `max` bytes.
pub fn shorten(text: &mut String, max: usize) {
    if text.len() > max {
        let mut end = max;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
}

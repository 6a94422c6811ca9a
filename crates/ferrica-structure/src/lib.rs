//! Structural analysis: from the hybrid DAE to sorted blocks.
//!
//! In: a flat model. Out: a [`CausalModel`]: unknowns matched to equations, the index reduced to
//! one, strong components in order, loops torn, and the initial system of the same form.
//!
//! Invariant: every block reads only known values and unknowns of earlier blocks ([`verify`]).

pub mod analysis;
pub mod blocks;
mod boolean_loop;
pub mod clocked_equations;
pub mod clocked_partitions;
pub mod dulmage_mendelsohn;
pub mod dummy_derivatives;
pub mod dump;
pub mod dynamic_states;
pub mod hidden_constraints;
pub mod incidence;
pub mod initial;
pub mod initial_actions;
pub mod linear_block;
pub mod matching;
pub mod nonlinear_block;
pub mod pantelides;
pub mod parameter_values;
pub mod preferred_states;
pub mod relations;
pub mod solve;
pub mod source_rate;
pub mod strong_components;
pub mod system;
pub mod tearing;
pub mod verify;
mod when_loop;

use ferrica_dae::Dae;
use ferrica_dae::mode::{Mode, ModeRewriter};
use ferrica_ir::causal::{Assign, Block, CausalModel, DaeEquation, Kind};
use ferrica_ir::flat::{Causality, FlatModel};
use ferrica_ir::{Diagnostic, Expr, ExprId, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::Builder;
use crate::incidence::NONE;
use crate::initial_actions::InitialGuards;
use crate::matching::{Matching, maximum_matching};
use crate::strong_components::strong_components;
use crate::system::{System, SystemEquation};

/// Bound on the rounds in which constraints are found: each frees unknowns that may show the next.
const MAX_EXPOSURES: usize = 8;

/// Choices of the analysis.
#[derive(Clone, Debug, Default)]
pub struct Options {}

/// The result with warnings for the user.
#[derive(Debug)]
pub struct Compiled {
    pub model: CausalModel,
    pub warnings: Vec<Diagnostic>,
}

/// All stages from the flat model to the causal one.
pub fn compile(flat: FlatModel, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let dae = hybrid(flat, &mut warnings)?;
    let mut model = causalize(dae, options, &mut warnings)?;
    model.exprs.rest();
    Ok(Compiled { model, warnings })
}

/// From the flat model to the hybrid DAE, clocked partitions converted.
pub fn hybrid(flat: FlatModel, warnings: &mut Vec<Diagnostic>) -> Result<Dae, Vec<Diagnostic>> {
    let mut dae = ferrica_dae::without_aliases(flat, warnings)?;
    clocked_equations::convert(&mut dae)?;
    ferrica_dae::events::extract(&mut dae)?;
    Ok(dae)
}

/// From the hybrid DAE to the causal model.
pub fn causalize(
    dae: Dae,
    _options: &Options,
    warnings: &mut Vec<Diagnostic>,
) -> Result<CausalModel, Vec<Diagnostic>> {
    let Reduced {
        mut dae,
        mut builder,
        mut system,
        mut matching,
        initial_guards,
    } = reduce_with_preferences(dae, warnings)?;
    check_reinits(&dae)?;
    relations::add_rows(&mut dae, &mut system, &mut matching);
    for r in dae.relations.iter().filter(|r| r.time_event) {
        builder.time_events.insert(r.memory);
    }
    let components = strong_components(&system.incidence, &matching);
    let blocks = builder.blocks(&mut dae, &system, &matching, &components);
    let initial = initial::build(&mut dae, &mut builder, &system, &matching, warnings)?;
    if !builder.errors.is_empty() {
        return Err(builder.errors);
    }
    initial_guards.attach(&mut dae);
    let (fastest_source, source_parameters) = source_rate::fastest(&mut dae, &mut builder, &system);
    for row in builder.cut {
        let equation = &mut system.equations[row.equation as usize];
        (equation.lhs, equation.rhs) = (row.lhs, row.rhs);
    }
    let mut model = assemble(dae, system, matching, blocks, initial);
    model.fastest_source = fastest_source;
    model.source_parameters = source_parameters;
    if cfg!(debug_assertions) {
        let problems = verify::verify(&model);
        debug_assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
    Ok(model)
}

/// Only a state can be given a new value; that of any other variable follows from its equation (section 8.3.6).
fn check_reinits(dae: &Dae) -> Result<(), Vec<Diagnostic>> {
    if !dae.dynamic_states.is_empty() {
        return Ok(());
    }
    let mut errors = Vec::new();
    for r in &dae.reinits {
        if dae.vars[r.state].kind == Kind::State {
            continue;
        }
        let var = &dae.vars[r.state].var;
        errors.push(
            Diagnostic::error(
                "E0344",
                r.span,
                format!(
                    "`reinit` of `{}`, which is no state: an equation gives its value",
                    var.name
                ),
            )
            .with_related(var.span, "declared here")
            .with_hint(
                "reinit a variable that has a derivative; assign a discrete one by an equation",
            ),
        );
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// A model of index one, its equations matched to its unknowns.
struct Reduced {
    dae: Dae,
    builder: Builder,
    system: System,
    matching: Matching,
    initial_guards: InitialGuards,
}

/// Index reduction in which variables that prefer to be states get their chance. Where that leads to equations that
/// cannot be differentiated or to a choice at run time, the model stays as it was written.
fn reduce_with_preferences(
    dae: Dae,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Reduced, Vec<Diagnostic>> {
    let wanted = preferred_states::wanted(&dae);
    if wanted.is_empty() {
        return reduce(dae, warnings);
    }
    let mut trial = dae.clone();
    preferred_states::differentiate(&mut trial, &wanted);
    let mut more = Vec::new();
    match reduce(trial, &mut more) {
        Ok(reduced) if reduced.dae.dynamic_states.is_empty() => {
            warnings.append(&mut more);
            Ok(reduced)
        }
        _ => reduce(dae, warnings),
    }
}

fn reduce(mut dae: Dae, warnings: &mut Vec<Diagnostic>) -> Result<Reduced, Vec<Diagnostic>> {
    let mut builder = Builder::default();
    let initial_guards = InitialGuards::of(&mut dae);
    let mut system = simulation_system(&mut dae)?;
    let mut matching = maximum_matching(&system.incidence);
    for _ in 0..MAX_EXPOSURES {
        let components = strong_components(&system.incidence, &matching);
        if !hidden_constraints::expose(&mut dae, &mut builder, &system, &matching, &components) {
            break;
        }
        system = simulation_system(&mut dae)?;
        matching = maximum_matching(&system.incidence);
    }
    let square = system.equations.len() == system.unknowns.len();
    if square && matching.size() < system.equations.len() {
        let differentiated =
            pantelides::pantelides(&mut dae, &system, &matching, &mut builder.derivatives)?;
        dummy_derivatives::select_states(&mut dae, &mut builder, &differentiated, warnings)?;
        system = simulation_system(&mut dae)?;
        matching = maximum_matching(&system.incidence);
    }
    if matching.size() < system.equations.len().max(system.unknowns.len()) {
        return Err(vec![dulmage_mendelsohn::explain(&dae, &system, &matching)]);
    }
    Ok(Reduced {
        dae,
        builder,
        system,
        matching,
        initial_guards,
    })
}

/// The equations in simulation form and their unknowns.
fn simulation_system(dae: &mut Dae) -> Result<System, Vec<Diagnostic>> {
    let mut mode = ModeRewriter::new(Mode::Simulation);
    let mut equations = Vec::with_capacity(dae.equations.len());
    for i in 0..dae.equations.len() {
        let e = dae.equations[i].clone();
        equations.push(SystemEquation {
            lhs: mode.rewrite(dae, e.lhs),
            rhs: mode.rewrite(dae, e.rhs),
            span: e.span,
            component: e.component,
        });
    }
    for i in 0..dae.reinits.len() {
        dae.reinits[i].condition = mode.rewrite(dae, dae.reinits[i].condition);
        dae.reinits[i].value = mode.rewrite(dae, dae.reinits[i].value);
    }
    for i in 0..dae.assertions.len() {
        let guard = dae.assertions[i].guard;
        dae.assertions[i].guard = guard.map(|g| mode.rewrite(dae, g));
        dae.assertions[i].condition = mode.rewrite(dae, dae.assertions[i].condition);
        dae.assertions[i].message = mode.rewrite(dae, dae.assertions[i].message);
    }
    for i in 0..dae.terminates.len() {
        dae.terminates[i].guard = mode.rewrite(dae, dae.terminates[i].guard);
    }
    for i in 0..dae.effects.len() {
        let guard = dae.effects[i].guard;
        dae.effects[i].guard = guard.map(|g| mode.rewrite(dae, g));
        dae.effects[i].call = mode.rewrite(dae, dae.effects[i].call);
    }
    for i in 0..dae.relations.len() {
        dae.relations[i].lhs = mode.rewrite(dae, dae.relations[i].lhs);
        dae.relations[i].rhs = mode.rewrite(dae, dae.relations[i].rhs);
    }
    for i in 0..dae.delays.len() {
        dae.delays[i].source = mode.rewrite(dae, dae.delays[i].source);
    }
    for i in 0..dae.transports.len() {
        let sources = dae.transports[i].sources;
        dae.transports[i].sources = sources.map(|e| mode.rewrite(dae, e));
        dae.transports[i].position = mode.rewrite(dae, dae.transports[i].position);
    }
    let unknowns = unknowns(dae)?;
    Ok(System::new(dae, equations, unknowns))
}

/// What the equations determine: derivatives, algebraic and discrete variables.
fn unknowns(dae: &Dae) -> Result<Vec<VarId>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut is_delay = cranelift_entity::EntitySet::new();
    for v in dae.remembered() {
        is_delay.insert(v);
    }
    let mut list = Vec::new();
    for (v, var) in &dae.vars {
        if let Some(x) = dae.antiderivative[v].expand()
            && dae.vars[x].kind == Kind::Input
        {
            errors.push(
                Diagnostic::error(
                    "E0403",
                    dae.vars[x].var.span,
                    format!(
                        "the derivative of the input `{}` is needed",
                        dae.vars[x].var.name
                    ),
                )
                .with_hint("filter the input, or give its derivative as an input of its own"),
            );
        }
        match var.kind {
            Kind::Derivative | Kind::Discrete => list.push(v),
            Kind::Algebraic if !is_delay.contains(v) => list.push(v),
            _ => {}
        }
    }
    if errors.is_empty() {
        Ok(list)
    } else {
        Err(errors)
    }
}

fn is_relation(model: &CausalModel, v: VarId) -> bool {
    model.vars[v].kind == Kind::Relation
}

/// Which blocks compute something that changes between events: continuous unknowns, and what `noEvent` makes of them (`Boolean b = noEvent(x > 1)`).
/// Conditions of when-clauses, and what remembers its left limit, change at events only.
fn continuous_blocks(model: &CausalModel, blocks: &[Block]) -> Vec<bool> {
    let mut changing = Changing {
        model,
        followed: FxHashSet::default(),
        known: FxHashMap::default(),
        stack: Vec::new(),
    };
    let flags = blocks.iter();
    flags
        .map(|b| is_continuous(model, b) || changing.follows(b))
        .collect()
}

/// What is known of expressions, so that parts that many assignments share are looked at once.
struct Changing<'a> {
    model: &'a CausalModel,
    /// Discrete variables that follow continuous ones. They are known where they are read: blocks are in order.
    followed: FxHashSet<VarId>,
    /// Does it change between events, and does it remember a left limit?
    known: FxHashMap<ExprId, (bool, bool)>,
    stack: Vec<ExprId>,
}

impl Changing<'_> {
    fn follows(&mut self, block: &Block) -> bool {
        let Block::Assign(a) = block else {
            return false;
        };
        let v = &self.model.vars[a.var];
        if v.kind != Kind::Discrete || v.var.hidden || v.var.ty == Ty::String {
            return false;
        }
        let follows = self.of(a.expr) == (true, false);
        if follows {
            self.followed.insert(a.var);
        }
        follows
    }

    fn of(&mut self, root: ExprId) -> (bool, bool) {
        let exprs = &self.model.exprs;
        self.stack.push(root);
        while let Some(&id) = self.stack.last() {
            if self.known.contains_key(&id) {
                self.stack.pop();
                continue;
            }
            let open = self.stack.len();
            let (mut changes, mut remembers) = match exprs.get(id) {
                Expr::Time => (true, false),
                Expr::Pre(_) => (false, true),
                Expr::Var(v) => {
                    let changes =
                        self.followed.contains(&v) || is_continuous_variable(self.model, v);
                    (changes, false)
                }
                _ => (false, false),
            };
            exprs.for_each_child(id, |c| match self.known.get(&c) {
                Some(&(c, r)) => {
                    changes |= c;
                    remembers |= r;
                }
                None => self.stack.push(c),
            });
            if self.stack.len() == open {
                self.known.insert(id, (changes, remembers));
                self.stack.pop();
            }
        }
        self.known[&root]
    }
}

fn is_continuous_variable(model: &CausalModel, v: VarId) -> bool {
    matches!(
        model.vars[v].kind,
        Kind::State | Kind::Derivative | Kind::Algebraic
    )
}

/// Does the block compute a continuous unknown?
fn is_continuous(model: &CausalModel, block: &Block) -> bool {
    let continuous = |v: VarId| is_continuous_variable(model, v);
    match block {
        Block::Assign(a) => continuous(a.var),
        Block::Linear(l) => {
            l.unknowns.iter().any(|&v| continuous(v)) || l.then.iter().any(|a| continuous(a.var))
        }
        Block::Nonlinear(n) => {
            n.unknowns.iter().any(|&v| continuous(v)) || n.inner.iter().any(|a| continuous(a.var))
        }
    }
}

fn assemble(
    dae: Dae,
    system: System,
    matching: Matching,
    blocks: Vec<Block>,
    initial: ferrica_ir::causal::InitialSystem,
) -> CausalModel {
    let mut model = CausalModel {
        name: dae.name,
        exprs: dae.exprs,
        vars: dae.vars,
        functions: dae.functions,
        enums: dae.enums,
        initial,
        relations: dae.relations,
        samplers: dae.samplers,
        delays: dae.delays,
        transports: dae.transports,
        reinits: dae.reinits,
        assertions: dae.assertions,
        terminates: dae.terminates,
        effects: dae.effects,
        dynamic_states: dae.dynamic_states,
        aliases: dae.aliases,
        components: dae.components,
        experiment: dae.experiment,
        ..CausalModel::default()
    };
    for (v, var) in &model.vars {
        if var.kind == Kind::State
            && let Some(dx) = var.partner
        {
            model.states.push(v);
            model.derivatives.push(dx);
        }
        if var.kind == Kind::Input {
            model.inputs.push(v);
        }
        if var.var.causality == Causality::Output {
            model.outputs.push(v);
        }
    }
    for p in dae.parameter_order {
        if let Some(expr) = model.vars[p].var.binding {
            model.parameter_blocks.push(Block::Assign(Assign {
                var: p,
                expr,
                equation: NONE,
            }));
        }
    }
    model.equations = system
        .equations
        .iter()
        .enumerate()
        .filter(|&(i, _)| !is_relation(&model, system.unknowns[matching.column[i] as usize]))
        .map(|(i, e)| {
            let unknown = system.unknowns[matching.column[i] as usize];
            DaeEquation {
                lhs: e.lhs,
                rhs: e.rhs,
                span: e.span,
                component: e.component,
                unknown,
                continuous: model.vars[unknown].kind != Kind::Discrete,
            }
        })
        .collect();
    model.continuous = continuous_blocks(&model, &blocks);
    model.blocks = blocks;
    model
}

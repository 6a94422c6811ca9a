//! The hybrid DAE: data of this stage.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use ferrica_ir::causal::{CausalVar, Delay, DynamicStateSet, Kind, Relation, Sampler, Transport};
use ferrica_ir::flat::{
    Assertion, Causality, Component, Effect, EnumType, Equation, Experiment, FlatModel, Reinit,
    Terminate, Variability, Variable, place_in_model,
};
use ferrica_ir::function::Function;
use ferrica_ir::print::Names;
use ferrica_ir::{EnumId, ExprArena, ExprId, FunctionId, Span, Ty, VarId};

use crate::scan::is_longer;

/// Expressions with more nodes, written out, are no help in a message.
const MAX_TEXT_NODES: usize = 400;

/// See the module comment of the crate.
#[derive(Clone, Debug, Default)]
pub struct Dae {
    pub name: String,
    pub exprs: ExprArena,
    pub vars: PrimaryMap<VarId, CausalVar>,
    /// Variable to its time derivative, where that is a variable.
    pub derivative: SecondaryMap<VarId, PackedOption<VarId>>,
    /// The other direction.
    pub antiderivative: SecondaryMap<VarId, PackedOption<VarId>>,
    pub equations: Vec<Equation>,
    pub initial_equations: Vec<Equation>,
    /// Parameters whose binding is no literal, in order of evaluation.
    pub parameter_order: Vec<VarId>,
    /// Parameters that the initial system computes (`fixed = false`, or bound to such a one).
    pub initial_parameters: Vec<VarId>,
    pub relations: Vec<Relation>,
    pub samplers: Vec<Sampler>,
    pub delays: Vec<Delay>,
    pub transports: Vec<Transport>,
    pub reinits: Vec<Reinit>,
    pub assertions: Vec<Assertion>,
    pub terminates: Vec<Terminate>,
    pub effects: Vec<Effect>,
    /// States chosen at run time, and the parameters that hold the choice.
    pub dynamic_states: Vec<DynamicStateSet>,
    pub run_time_choice: SecondaryMap<VarId, bool>,
    /// (variable, kept variable, negated)
    pub aliases: Vec<(VarId, VarId, bool)>,
    pub functions: PrimaryMap<FunctionId, Function>,
    pub enums: PrimaryMap<EnumId, EnumType>,
    pub components: Vec<Component>,
    pub experiment: Experiment,
}

impl Dae {
    /// Takes the flat model over and gives each variable its kind; nothing is rewritten.
    pub fn from_flat(flat: FlatModel) -> Dae {
        let mut vars = PrimaryMap::with_capacity(flat.vars.len());
        for (_, var) in flat.vars {
            let kind = kind_of(&var);
            vars.push(CausalVar {
                var,
                kind,
                partner: None,
            });
        }
        Dae {
            name: flat.name,
            exprs: flat.exprs,
            vars,
            equations: flat.equations,
            initial_equations: flat.initial_equations,
            reinits: flat.reinits,
            assertions: flat.assertions,
            terminates: flat.terminates,
            effects: flat.effects,
            functions: flat.functions,
            enums: flat.enums,
            components: flat.components,
            experiment: flat.experiment,
            ..Dae::default()
        }
    }

    /// Calls `f` with every expression of the model.
    pub fn for_each_root(&mut self, mut f: impl FnMut(&mut ExprId)) {
        for (_, v) in self.vars.iter_mut() {
            let var = &mut v.var;
            for e in [
                &mut var.binding,
                &mut var.start,
                &mut var.fixed,
                &mut var.min,
                &mut var.max,
                &mut var.nominal,
            ]
            .into_iter()
            .flatten()
            {
                f(e);
            }
        }
        for e in self
            .equations
            .iter_mut()
            .chain(self.initial_equations.iter_mut())
        {
            f(&mut e.lhs);
            f(&mut e.rhs);
        }
        for r in &mut self.reinits {
            f(&mut r.condition);
            f(&mut r.value);
        }
        for a in &mut self.assertions {
            a.guard.iter_mut().for_each(&mut f);
            f(&mut a.condition);
            f(&mut a.message);
        }
        for t in &mut self.terminates {
            f(&mut t.guard);
            f(&mut t.message);
        }
        for e in &mut self.effects {
            e.guard.iter_mut().for_each(&mut f);
            f(&mut e.call);
        }
        for r in &mut self.relations {
            f(&mut r.lhs);
            f(&mut r.rhs);
        }
        for s in &mut self.samplers {
            f(&mut s.start);
            f(&mut s.interval);
        }
        for d in &mut self.delays {
            f(&mut d.source);
            f(&mut d.delay);
            f(&mut d.max);
        }
        for t in &mut self.transports {
            t.sources.iter_mut().for_each(&mut f);
            f(&mut t.position);
            t.points.iter_mut().for_each(&mut f);
            t.values.iter_mut().for_each(&mut f);
        }
    }

    /// Variables whose values come from the past, by `delay` or `spatialDistribution`.
    pub fn remembered(&self) -> impl Iterator<Item = VarId> + '_ {
        let transported = self.transports.iter().flat_map(|t| t.results);
        self.delays.iter().map(|d| d.result).chain(transported)
    }

    /// A variable made by the compiler.
    pub fn new_var(&mut self, name: String, ty: Ty, kind: Kind, span: Span) -> VarId {
        let variability = match kind {
            Kind::Parameter | Kind::External => Variability::Parameter,
            Kind::Discrete | Kind::Relation => Variability::Discrete,
            _ => Variability::Continuous,
        };
        let mut var = Variable::new(name, ty, variability);
        var.hidden = true;
        var.span = span;
        self.vars.push(CausalVar {
            var,
            kind,
            partner: None,
        })
    }

    /// The derivative of `x` as a variable, made when it does not exist yet. The new variable is
    /// algebraic; who makes `x` a state says so.
    pub fn derivative_var(&mut self, x: VarId) -> VarId {
        if let Some(dx) = self.derivative[x].expand() {
            return dx;
        }
        let name = format!("der({})", self.vars[x].var.name);
        let span = self.vars[x].var.span;
        let dx = self.new_var(name, Ty::Real, Kind::Algebraic, span);
        let hidden = self.vars[x].var.hidden;
        self.vars[dx].var.hidden = hidden;
        self.derivative[x] = dx.into();
        self.antiderivative[dx] = x.into();
        dx
    }

    pub fn var_expr(&mut self, v: VarId) -> ExprId {
        let ty = self.vars[v].var.ty;
        self.exprs.var(v, ty)
    }

    /// The expression for a message; an ellipsis where it would be long (shared parts are written
    /// each time they occur).
    pub fn expr_text(&self, e: ExprId) -> String {
        self.expr_text_up_to(e, MAX_TEXT_NODES)
    }

    /// The expression, or an ellipsis where it has more than `limit` nodes written out.
    pub fn expr_text_up_to(&self, e: ExprId, limit: usize) -> String {
        if is_longer(&self.exprs, e, limit) {
            return "…".into();
        }
        ferrica_ir::print::expr(&self.exprs, self, e)
    }

    /// `lhs = rhs` as the user would write it.
    pub fn equation_text(&self, lhs: ExprId, rhs: ExprId) -> String {
        let side = |e| {
            if is_longer(&self.exprs, e, MAX_TEXT_NODES) {
                return "…".into();
            }
            ferrica_ir::print::expr(&self.exprs, &Spelled(self), e)
        };
        format!("{} = {}", side(lhs), side(rhs))
    }

    /// Value when nothing is said about it: 0, false, the first literal, the empty string.
    pub fn default_value(&mut self, ty: Ty) -> ExprId {
        match ty {
            Ty::Boolean => self.exprs.bool(false),
            Ty::Integer => self.exprs.int(0),
            Ty::Enum(e) => self.exprs.enum_literal(e, 1),
            Ty::String => self.exprs.str(""),
            _ => self.exprs.real(0.0),
        }
    }

    /// The declaration of a variable, or of the part of the model that it belongs to where it is declared in another file.
    pub fn place_of(&self, v: VarId) -> Span {
        let var = &self.vars[v].var;
        let name = var.name.trim_start_matches("der(");
        let part = name.split('.').next().filter(|p| p.len() < name.len());
        let of = |c: &Component| c.parent == 0 && Some(c.path.as_str()) == part;
        let component = self.components.iter().position(of).unwrap_or(0);
        place_in_model(&self.components, component as u32, var.span)
    }

    /// The same of an equation.
    pub fn place_of_equation(&self, component: u32, span: Span) -> Span {
        place_in_model(&self.components, component, span)
    }

    /// The start value, or the default of its type.
    pub fn start_value(&mut self, v: VarId) -> ExprId {
        match self.vars[v].var.start {
            Some(e) => e,
            None => self.default_value(self.vars[v].var.ty),
        }
    }

    /// Is `fixed = true` for this variable (literal; the default where it is not given)?
    pub fn is_fixed(&self, v: VarId) -> bool {
        match self.vars[v].var.fixed {
            Some(e) => self.exprs.as_bool(e).unwrap_or(false),
            None => matches!(self.vars[v].kind, Kind::Parameter | Kind::External),
        }
    }
}

fn kind_of(var: &Variable) -> Kind {
    if var.ty == Ty::External {
        return Kind::External;
    }
    match var.variability {
        Variability::Constant | Variability::Parameter => Kind::Parameter,
        _ if var.causality == Causality::Input => Kind::Input,
        Variability::Discrete => Kind::Discrete,
        Variability::Continuous if var.ty.is_discrete() => Kind::Discrete,
        Variability::Continuous => Kind::Algebraic,
    }
}

impl Names for Dae {
    fn var(&self, var: VarId) -> String {
        self.vars[var].var.name.clone()
    }

    fn function(&self, function: FunctionId) -> String {
        self.functions[function].name.clone()
    }

    fn enum_literal(&self, of: EnumId, ordinal: u32) -> String {
        let ty = &self.enums[of];
        let literal = ty
            .literals
            .get((ordinal as usize).wrapping_sub(1))
            .map_or("?", |s| s.as_str());
        format!("{}.{}", ty.name, literal)
    }
}

/// The names of a model with its conditions spelled out.
struct Spelled<'a>(&'a Dae);

impl Names for Spelled<'_> {
    fn var(&self, var: VarId) -> String {
        let side = |e| ferrica_ir::print::expr(&self.0.exprs, self, e);
        if let Some(d) = self.0.delays.iter().find(|d| d.result == var) {
            return format!("delay({}, {})", side(d.source), side(d.delay));
        }
        match self.0.relations.iter().find(|r| r.memory == var) {
            Some(r) => {
                let op = ferrica_ir::print::operator(r.op);
                format!("({} {op} {})", side(r.lhs), side(r.rhs))
            }
            None => self.0.var(var),
        }
    }

    fn function(&self, function: FunctionId) -> String {
        self.0.function(function)
    }

    fn enum_literal(&self, of: EnumId, ordinal: u32) -> String {
        self.0.enum_literal(of, ordinal)
    }
}

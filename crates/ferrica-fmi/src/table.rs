//! The variables of an FMU: which there are, what they are for, and where their values come from.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_fmu::payload::{Access, Exported, Source, Type};
use ferrica_ir::VarId;
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{EnumId, ExprId, Ty};
use ferrica_ir::flat::Variability;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::names::{is_own, structured};
use crate::tunable;
use crate::units::shows;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Fmi2,
    Fmi3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    Independent,
    Parameter,
    CalculatedParameter,
    Input,
    Output,
    Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    Exact,
    Approx,
    Calculated,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    Number(f64),
    Text(String),
}

/// What a scalar is in the description of FMI 3.0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// A variable of its own.
    #[default]
    Alone,
    /// The first element of an array with this name and these dimensions; the others follow.
    Head(String, Vec<usize>),
    Inner,
}

/// A variable; its place in the table is its value reference.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub description: String,
    pub exported: Exported,
    pub causality: Causality,
    pub variability: &'static str,
    pub initial: Option<Initial>,
    pub start: Option<Start>,
    pub unit: String,
    pub display_unit: String,
    pub quantity: String,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub nominal: Option<f64>,
    pub declared: Option<EnumId>,
    /// State whose derivative it is.
    pub derivative_of: Option<u32>,
    pub reinit: bool,
    /// Other names of the same value, with their descriptions.
    pub aliases: Vec<(String, String)>,
    pub slot: Option<Slot>,
    pub part: Part,
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    pub entries: Vec<Entry>,
    pub outputs: Vec<u32>,
    /// Of each state: its value reference and that of its derivative.
    pub states: Vec<(u32, u32)>,
    pub indicators: Vec<u32>,
}

/// What is seen from outside.
pub struct Visible<'a> {
    /// Nothing but inputs, outputs, parameters and what `patterns` name.
    pub black_box: bool,
    pub matches: &'a dyn Fn(&str) -> bool,
}

fn literal(model: &CompiledModel, e: Option<ExprId>) -> Option<f64> {
    model.source.exprs.as_f64(e?).filter(|x| x.is_finite())
}

fn type_of(ty: Ty) -> Option<(Type, Option<EnumId>)> {
    Some(match ty {
        Ty::Real => (Type::Real, None),
        Ty::Integer => (Type::Integer, None),
        Ty::Boolean => (Type::Boolean, None),
        Ty::String => (Type::Text, None),
        Ty::Enum(e) => (Type::Enumeration, Some(e)),
        Ty::External | Ty::Clock | Ty::Tuple => return None,
    })
}

/// Can this parameter be set before a run? No stage of the compiler may have looked at its value, and nothing computes it.
fn is_free(model: &CompiledModel, v: VarId) -> bool {
    let var = &model.source.vars[v];
    let given = match var.var.binding {
        Some(b) => model.source.exprs.is_literal(b),
        None => var
            .var
            .start
            .is_none_or(|s| model.source.exprs.is_literal(s)),
    };
    let fixed = var
        .var
        .fixed
        .is_none_or(|f| model.source.exprs.as_bool(f) == Some(true));
    var.kind == Kind::Parameter
        && var.var.variability == Variability::Parameter
        && !var.var.structural
        && given
        && fixed
        && !matches!(var.var.ty, Ty::String)
        && model.layout.slot(v).is_some_and(|s| {
            model.layout.var(s) == Some(v)
                && model.parameters.writer_of(s).is_none()
                && model.initial.writer_of(s).is_none()
        })
}

/// Makes the table.
struct Maker<'a> {
    model: &'a CompiledModel,
    starts: &'a FxHashMap<VarId, VarId>,
    /// Values of parameters.
    ev: Evaluator,
    outputs: FxHashSet<VarId>,
    inputs: FxHashSet<VarId>,
    reinits: FxHashSet<Slot>,
    /// By slot: parameters that may change in the run, and what is computed from them.
    tunable: Vec<bool>,
    follows: Vec<bool>,
    table: Table,
}

impl Table {
    pub fn new(
        model: &Arc<CompiledModel>,
        starts: &FxHashMap<VarId, VarId>,
        visible: &Visible,
    ) -> Result<Table, String> {
        let mut ev = Evaluator::new(Arc::clone(model));
        ev.run_parameters().map_err(|e| e.to_string())?;
        let source = &model.source;
        let tunable = tunable::tunable(model);
        let free = |slot: Slot| {
            let of = model.layout.var(slot);
            tunable[slot as usize] && of.is_some_and(|v| is_free(model, v))
        };
        let follows = tunable::follows(model, free);
        let mut maker = Maker {
            model,
            starts,
            ev,
            outputs: source.outputs.iter().copied().collect(),
            inputs: source.inputs.iter().copied().collect(),
            reinits: model.reinits.iter().map(|r| r.0).collect(),
            tunable,
            follows,
            table: Table::default(),
        };
        maker.time();
        maker.variables(visible);
        maker.states(visible.black_box);
        maker.indicators();
        Ok(maker.table)
    }

    pub fn exported(&self) -> Vec<Exported> {
        self.entries.iter().map(|e| e.exported).collect()
    }

    /// How many scalars each variable has, none for elements of arrays but the first; empty if there are no arrays.
    pub fn sizes(&self) -> Vec<u32> {
        let size = |e: &Entry| match &e.part {
            Part::Alone => 1,
            Part::Head(_, dims) => dims.iter().product::<usize>() as u32,
            Part::Inner => 0,
        };
        let sizes: Vec<u32> = self.entries.iter().map(size).collect();
        match sizes.iter().all(|&n| n == 1) {
            true => Vec::new(),
            false => sizes,
        }
    }

    /// Of each scalar the variable that it belongs to.
    pub fn heads(&self) -> Vec<u32> {
        let mut head = 0;
        let all = (0..).zip(&self.entries).map(|(r, e)| {
            if e.part != Part::Inner {
                head = r;
            }
            head
        });
        all.collect()
    }

    /// The name of the variable in the description.
    pub fn shown_name(&self, reference: usize) -> &str {
        let head = (0..=reference)
            .rev()
            .find(|&r| self.entries[r].part != Part::Inner);
        let entry = &self.entries[head.unwrap_or(reference)];
        match &entry.part {
            Part::Head(name, _) => name,
            _ => &entry.name,
        }
    }

    fn push(&mut self, entry: Entry) -> u32 {
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }
}

impl Maker<'_> {
    fn blank(&self, name: &str, ty: Type, source: Source) -> Entry {
        Entry {
            name: name.to_owned(),
            description: String::new(),
            exported: Exported {
                ty,
                source,
                access: Access::Read,
            },
            causality: Causality::Local,
            variability: if ty == Type::Real {
                "continuous"
            } else {
                "discrete"
            },
            initial: None,
            start: None,
            unit: String::new(),
            display_unit: String::new(),
            quantity: String::new(),
            min: None,
            max: None,
            nominal: None,
            declared: None,
            derivative_of: None,
            reinit: false,
            aliases: Vec::new(),
            slot: None,
            part: Part::Alone,
        }
    }

    fn time(&mut self) {
        let mut time = self.blank("time", Type::Real, Source::Time);
        time.causality = Causality::Independent;
        time.description = "Simulation time".to_owned();
        time.unit = "s".to_owned();
        self.table.push(time);
    }

    fn variables(&mut self, visible: &Visible) {
        let model = self.model;
        let mut own: FxHashMap<Slot, u32> = FxHashMap::default();
        let mut late = Vec::new();
        for (v, var) in &model.source.vars {
            if var.var.hidden || var.var.name == "time" || !self.is_seen(v, visible) {
                continue;
            }
            let Some((slot, negated)) = model.layout.place(v) else {
                continue;
            };
            let of_other = model.layout.var(slot) != Some(v);
            if of_other && !negated && !self.outputs.contains(&v) && !self.inputs.contains(&v) {
                late.push((v, slot));
                continue;
            }
            if let Some(entry) = self.entry(v, slot, negated) {
                let reference = self.table.push(entry);
                if !of_other {
                    own.insert(slot, reference);
                }
                if self.outputs.contains(&v) {
                    self.table.outputs.push(reference);
                }
            }
        }
        for (v, slot) in late {
            let var = &model.source.vars[v].var;
            let same = |e: &Entry| {
                e.unit == *var.unit
                    && e.causality == Causality::Local
                    && type_of(var.ty).is_some_and(|t| t == (e.exported.ty, e.declared))
            };
            let of = own.get(&slot).map(|&r| &mut self.table.entries[r as usize]);
            if let Some(of) = of.filter(|e| same(e)) {
                of.aliases
                    .push((structured(&var.name), var.description.to_string()));
            } else if let Some(entry) = self.entry(v, slot, false) {
                self.table.push(entry);
            }
        }
    }

    fn is_seen(&self, v: VarId, visible: &Visible) -> bool {
        let name = &self.model.source.vars[v].var.name;
        !visible.black_box
            || self.inputs.contains(&v)
            || self.outputs.contains(&v)
            || (is_free(self.model, v) && is_own(name) && !self.model.source.vars[v].var.protected)
            || (visible.matches)(name)
    }

    fn value(&self, v: VarId, ty: Type) -> Option<Start> {
        let (slot, negated) = self.model.layout.place(v)?;
        let x = self.ev.get(slot);
        if ty == Type::Text {
            return Some(Start::Text(self.ev.rt.text(x).to_owned()));
        }
        let x = if negated { -x } else { x };
        x.is_finite().then_some(Start::Number(x))
    }

    fn entry(&self, v: VarId, slot: Slot, negated: bool) -> Option<Entry> {
        let model = self.model;
        let var = &model.source.vars[v].var;
        let (ty, declared) = type_of(var.ty)?;
        let mut e = self.blank(&structured(&var.name), ty, Source::Var(v));
        e.description = var.description.to_string();
        e.slot = Some(slot);
        e.declared = declared;
        if ty == Type::Real {
            e.unit = var.unit.to_string();
            e.quantity = var.quantity.to_string();
            if shows(&var.unit, &var.display_unit) && var.display_unit != var.unit {
                e.display_unit = var.display_unit.to_string();
            }
            e.nominal = literal(model, var.nominal)
                .map(f64::abs)
                .filter(|&x| x > 0.0);
        }
        if matches!(ty, Type::Real | Type::Integer | Type::Enumeration) {
            e.min = literal(model, var.min);
            e.max = literal(model, var.max);
            if let (Some(min), Some(max)) = (e.min, e.max)
                && min > max
            {
                (e.min, e.max) = (None, None);
            }
        }
        let owner = model.layout.var(slot).unwrap_or(v);
        let kind = model.source.vars[owner].kind;
        let discrete = matches!(kind, Kind::Discrete | Kind::Relation)
            || var.variability == Variability::Discrete
            || ty != Type::Real;
        e.variability = if discrete { "discrete" } else { "continuous" };
        if self.inputs.contains(&v) {
            e.causality = Causality::Input;
            e.exported.access = Access::Input;
            e.start = self.value(v, ty);
            return e.start.is_some().then_some(e);
        }
        match kind {
            Kind::Parameter | Kind::External => self.parameter(v, &mut e)?,
            Kind::State => {
                e.reinit = self.reinits.contains(&slot);
                let start = self.starts.get(&owner).filter(|_| owner == v && !negated);
                if let Some(&parameter) = start {
                    let fixed = literal(model, var.fixed) == Some(1.0);
                    e.initial = Some(if fixed {
                        Initial::Exact
                    } else {
                        Initial::Approx
                    });
                    e.start = self.value(parameter, ty);
                    e.exported.access = Access::State(parameter);
                } else {
                    e.initial = Some(Initial::Calculated);
                }
            }
            _ => e.initial = Some(Initial::Calculated),
        }
        if self.outputs.contains(&v) {
            if matches!(kind, Kind::Parameter | Kind::External) {
                // An output that is computed from parameters only, once.
                e.variability = if ty == Type::Real {
                    "continuous"
                } else {
                    "discrete"
                };
                (e.initial, e.start) = (Some(Initial::Calculated), None);
                e.exported.access = Access::Read;
            }
            e.causality = Causality::Output;
        }
        Some(e)
    }

    fn parameter(&self, v: VarId, e: &mut Entry) -> Option<()> {
        let model = self.model;
        let ty = e.exported.ty;
        if is_free(model, v) {
            e.causality = Causality::Parameter;
            e.initial = Some(Initial::Exact);
            e.start = Some(self.value(v, ty)?);
            let slot = model.layout.slot(v);
            (e.variability, e.exported.access) =
                match slot.is_some_and(|s| self.tunable[s as usize]) {
                    true => ("tunable", Access::Tunable(v)),
                    false => ("fixed", Access::Before(v)),
                };
        } else if model.source.vars[v].var.structural
            || model.source.vars[v].var.variability == Variability::Constant
            || ty == Type::Text
        {
            e.variability = "constant";
            e.initial = Some(Initial::Exact);
            e.start = Some(self.value(v, ty)?);
        } else {
            e.causality = Causality::CalculatedParameter;
            e.variability = match e.slot.is_some_and(|s| self.follows[s as usize]) {
                true => "tunable",
                false => "fixed",
            };
            e.initial = Some(Initial::Calculated);
        }
        Some(())
    }

    /// States and derivatives that nobody has asked to see are there all the same, because an integrator must be told of them.
    fn states(&mut self, black_box: bool) {
        let model = self.model;
        for (k, (&x, &dx)) in (model.source.states.iter())
            .zip(&model.source.derivatives)
            .enumerate()
        {
            let mut find = |v: VarId, other: String| {
                let slot = model.layout.slot(v);
                let known = |e: &Entry| {
                    e.slot == slot
                        && e.exported.source == Source::Var(v)
                        && e.causality != Causality::Independent
                };
                let entries = &self.table.entries;
                if let Some(at) = entries.iter().position(known) {
                    return at as u32;
                }
                let hidden = black_box || model.source.vars[v].var.hidden;
                let entry = slot.and_then(|s| self.entry(v, s, false));
                let mut entry = entry.unwrap_or_else(|| self.blank("", Type::Real, Source::Var(v)));
                if hidden {
                    entry.name = other;
                    (entry.description, entry.quantity) = (String::new(), String::new());
                    entry.unit = String::new();
                    entry.display_unit = String::new();
                    (entry.min, entry.max) = (None, None);
                }
                entry.slot = slot;
                self.table.push(entry)
            };
            let state = find(x, format!("state[{}]", k + 1));
            let derivative = find(dx, format!("der(state[{}])", k + 1));
            let entry = &mut self.table.entries[derivative as usize];
            entry.derivative_of = Some(state);
            entry.initial = Some(Initial::Calculated);
            self.table.states.push((state, derivative));
        }
    }

    fn indicators(&mut self) {
        let crossings = self.model.relations.iter().filter(|r| !r.time_event);
        for k in 0..crossings.count() as u32 {
            let name = format!("eventIndicator[{}]", k + 1);
            let mut entry = self.blank(&name, Type::Real, Source::Indicator(k));
            entry.initial = Some(Initial::Calculated);
            let reference = self.table.push(entry);
            self.table.indicators.push(reference);
        }
    }
}

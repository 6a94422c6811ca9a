//! The larger model, whose Jacobian holds the matrices of the linear one.
//!
//! In: a model, names of inputs and outputs. Out: its equations with small deviations of the inputs as states that stay and with integrals of the
//! outputs, compiled; and A, B, C, D out of its Jacobian at a point. The state of an input is the input itself, or what is added to its value where
//! that comes from a table.

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Form};
use ferrica_ir::Span;
use ferrica_ir::expr::{Ty, VarId};
use ferrica_ir::flat::{
    Causality, Equation, FlatModel, Origin, StateSelect, Variability, Variable,
};

use super::{Linear, Matrix};
use crate::delayed::{self, Channel, Delays};
use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::model::Model;
use crate::run::run_error;
use crate::signal::Signal;
use crate::stages::grid::Grid;

pub(super) struct Larger {
    pub model: Arc<CompiledModel>,
    /// The user's model with tables for what drives its inputs.
    pub driven: Model,
    /// Those of delays behind the others.
    inputs: Vec<Held>,
    outputs: Vec<String>,
    channels: Vec<Channel>,
}

/// An input, and the state that is its deviation.
struct Held {
    input: String,
    state: String,
}

impl Larger {
    pub fn new(
        model: &Model,
        inputs: Option<&[&str]>,
        outputs: Option<&[&str]>,
        experiment: &Experiment,
    ) -> Result<Larger, Error> {
        let flat = model.parts().1;
        let moves = |name: &String| {
            let found = flat.vars.values().find(|v| v.name == *name);
            found.is_some_and(|v| v.ty == Ty::Real && v.variability == Variability::Continuous)
        };
        let names = |list: Option<&[&str]>, all: fn(&Model) -> Vec<crate::Variable>| match list {
            Some(list) => list.iter().map(|n| (*n).to_owned()).collect(),
            None => (all(model).into_iter().map(|v| v.name))
                .filter(moves)
                .collect(),
        };
        let inputs: Vec<String> = names(inputs, Model::inputs);
        let mut outputs: Vec<String> = names(outputs, Model::outputs);
        let (driven, _) = model.driven_by(experiment)?;
        let failed = |e: Failure| run_error(&e, driven.sources());
        let mut flat = driven.parts().1.clone();
        let channels = delayed::open(&mut flat);
        let inputs = inputs
            .iter()
            .chain(channels.iter().map(|c| &c.shift))
            .map(|name| hold(&mut flat, name, &driven, experiment))
            .collect::<Result<_, Error>>()?;
        outputs.extend(channels.iter().map(|c| c.source.clone()));
        integrate_outputs(&mut flat, &outputs)?;
        let options = ferrica_structure::Options::default();
        let causal = ferrica_structure::compile(flat, &options);
        let causal = causal.map_err(|e| failed(Failure::Model(e)))?.model;
        // Functions of the same consent and the same folder of data files as in a run.
        let options = CompileOptions {
            natives: driven.compiled().functions.natives.clone(),
            form: Form::Ode,
            ..CompileOptions::default()
        };
        let compiled = ferrica_codegen::compile(causal, &options);
        let compiled = compiled.map_err(|e| failed(Failure::Model(e)))?;
        if compiled.ode_jacobian.is_none() {
            return Err(Error::of(
                ErrorKind::Run,
                "E0737",
                "the model has no explicit derivatives to linearize".to_owned(),
                None,
            ));
        }
        Ok(Larger {
            model: Arc::new(compiled),
            driven,
            inputs,
            outputs,
            channels,
        })
    }

    pub fn grid(&self, experiment: &Experiment) -> Result<Grid, Error> {
        self.driven.grid_of(experiment)
    }

    /// Values that are set at run time, those of inputs among them.
    pub fn values(&self, experiment: &Experiment) -> Vec<(String, f64)> {
        let mut values = self.driven.run_time_values();
        for (name, signal) in &experiment.inputs {
            if let Signal::Constant(x) = signal
                && self.model.find(name).is_some()
            {
                values.push((name.clone(), *x));
            }
        }
        values
    }

    /// Names of the integrals of outputs.
    pub fn integrals(&self) -> impl Iterator<Item = String> {
        (0..self.outputs.len()).map(integral)
    }

    /// How many inputs and outputs are the user's.
    pub fn own(&self) -> (usize, usize) {
        let delays = self.channels.len();
        (self.inputs.len() - delays, self.outputs.len() - delays)
    }

    pub fn times_of_delays(&self, ev: &Evaluator) -> Vec<f64> {
        let find = |c: &Channel| self.model.find(&c.time);
        let time = |c: &Channel| find(c).map_or(f64::NAN, |(slot, _)| ev.get(slot));
        self.channels.iter().map(time).collect()
    }

    /// The linear model at a point, with its delays as inputs and outputs.
    pub fn linear(&self, ev: &mut Evaluator) -> Result<Linear, Error> {
        let entries = self.model.ode_jacobian.as_ref().map(|j| j.pattern.nnz());
        let mut values = vec![0.0; entries.unwrap_or(0)];
        ev.ode_jacobian(&mut values).map_err(|e| {
            let error = ferrica_sim::SimError::new("E0605", ev.time(), e);
            run_error(&Failure::model(error.diagnostic()), self.driven.sources())
        })?;
        Ok(self.pick(ev, &values))
    }

    /// The four matrices out of the Jacobian.
    fn pick(&self, ev: &Evaluator, values: &[f64]) -> Linear {
        let (model, inputs, outputs) = (&*self.model, &self.inputs, &self.outputs);
        /// What a state of the larger model is.
        #[derive(Clone, Copy)]
        enum Part {
            State(usize),
            Input(usize, f64),
            Output(usize, f64),
        }
        let (first, count) = (model.layout.states, model.layout.n_states);
        let place = |name: &str| {
            let (slot, negated) = model.find(name)?;
            let k = slot
                .checked_sub(first)
                .map(|k| k as usize)
                .filter(|&k| k < count)?;
            Some((k, if negated { -1.0 } else { 1.0 }))
        };
        let mut parts: Vec<Option<Part>> = vec![None; count];
        for (j, held) in inputs.iter().enumerate() {
            if let Some((k, sign)) = place(&held.state) {
                parts[k] = Some(Part::Input(j, sign));
            }
        }
        for i in 0..outputs.len() {
            if let Some((k, sign)) = place(&integral(i)) {
                parts[k] = Some(Part::Output(i, sign));
            }
        }
        let (mut states, mut x) = (Vec::new(), Vec::new());
        let parts: Vec<Part> = (parts.into_iter().enumerate())
            .map(|(k, part)| {
                part.unwrap_or_else(|| {
                    let slot = first + k as u32;
                    states.push(model.var_name(slot).to_owned());
                    x.push(ev.get(slot));
                    Part::State(states.len() - 1)
                })
            })
            .collect();
        let value = |name: &String| match model.find(name) {
            Some((slot, true)) => -ev.get(slot),
            Some((slot, false)) => ev.get(slot),
            None => f64::NAN,
        };
        let (n, m, p) = (states.len(), inputs.len(), outputs.len());
        let mut linear = Linear {
            time: ev.time(),
            u: inputs.iter().map(|h| value(&h.input)).collect(),
            y: outputs.iter().map(value).collect(),
            a: Matrix::new(n, n),
            b: Matrix::new(n, m),
            c: Matrix::new(p, n),
            d: Matrix::new(p, m),
            states,
            inputs: inputs.iter().map(|h| h.input.clone()).collect(),
            outputs: outputs.clone(),
            x,
            delays: Delays::default(),
            diagnostics: Vec::new(),
        };
        let Some(jacobian) = &model.ode_jacobian else {
            return linear;
        };
        for (column, &of) in parts.iter().enumerate() {
            let range = jacobian.pattern.col_range(column);
            for (&value, &row) in values[range].iter().zip(jacobian.pattern.col(column)) {
                if value == 0.0 {
                    continue;
                }
                match (parts[row as usize], of) {
                    (Part::State(i), Part::State(j)) => linear.a.entries.push((i, j, value)),
                    (Part::State(i), Part::Input(j, s)) => linear.b.entries.push((i, j, s * value)),
                    (Part::Output(i, s), Part::State(j)) => {
                        linear.c.entries.push((i, j, s * value))
                    }
                    (Part::Output(i, s), Part::Input(j, r)) => {
                        linear.d.entries.push((i, j, s * r * value));
                    }
                    _ => {}
                }
            }
        }
        linear
    }
}

fn must_be_real(v: &Variable) -> Result<(), Error> {
    match v.ty {
        Ty::Real => Ok(()),
        _ => {
            let text = format!("`{}` is no real number: it has no derivatives", v.name);
            Err(Error::usage("E0736", text))
        }
    }
}

fn become_state(flat: &mut FlatModel, v: VarId) {
    let (zero, yes) = (flat.exprs.real(0.0), flat.exprs.bool(true));
    let var = &mut flat.vars[v];
    var.start.get_or_insert(zero);
    var.fixed = Some(yes);
    var.state_select = StateSelect::Always;
}

/// The equation der(v) = rate.
fn rate(flat: &mut FlatModel, v: VarId, rate: ferrica_ir::ExprId) {
    let lhs = flat.exprs.der(v);
    flat.equations.push(Equation {
        lhs,
        rhs: rate,
        span: Span::NONE,
        component: 0,
        origin: Origin::Generated,
    });
}

/// The deviation of an input becomes a state that stays where it is.
fn hold(
    flat: &mut FlatModel,
    name: &str,
    driven: &Model,
    experiment: &Experiment,
) -> Result<Held, Error> {
    let tables = driven.loaded().driven.as_ref();
    let is_input =
        |v: &Variable| v.causality == Causality::Input || tables.is_some_and(|t| t.drives(&v.name));
    let found = flat
        .vars
        .iter()
        .find(|(_, v)| v.name == name && is_input(v));
    let Some(v) = found.map(|(v, _)| v) else {
        let known = flat.vars.values().filter(|v| is_input(v) && !v.hidden);
        let known = known.map(|v| v.name.as_str());
        return Err(Error::unknown("input", name, known));
    };
    must_be_real(&flat.vars[v])?;
    if flat.vars[v].variability == Variability::Discrete {
        let text = format!("`{name}` only changes at events: it has no small deviations");
        return Err(Error::usage("E0736", text));
    }
    let given = experiment.inputs.iter().find(|(n, _)| n == name);
    let v = match given {
        Some((_, Signal::Samples { .. })) => {
            let shift = tables.and_then(|t| t.shift(flat, name));
            shift.ok_or_else(|| {
                let text = format!("`{name}` has no value of its own to deviate from");
                Error::usage("E0736", text)
            })?
        }
        given => {
            if let Some((_, Signal::Constant(x))) = given {
                flat.vars[v].start = Some(flat.exprs.real(*x));
            }
            v
        }
    };
    become_state(flat, v);
    flat.vars[v].causality = Causality::Local;
    let zero = flat.exprs.real(0.0);
    rate(flat, v, zero);
    Ok(Held {
        input: name.to_owned(),
        state: flat.vars[v].name.clone(),
    })
}
/// Name of the integral of an output.
fn integral(k: usize) -> String {
    format!("$integral of output {k}")
}

fn integrate_outputs(flat: &mut FlatModel, outputs: &[String]) -> Result<(), Error> {
    for (k, name) in outputs.iter().enumerate() {
        let found = flat.vars.iter().find(|(_, v)| v.name == *name && !v.hidden);
        let Some(y) = found.map(|(v, _)| v) else {
            let known = flat.vars.values().filter(|v| !v.hidden);
            return Err(Error::unknown(
                "variable",
                name,
                known.map(|v| v.name.as_str()),
            ));
        };
        must_be_real(&flat.vars[y])?;
        let mut z = Variable::new(integral(k), Ty::Real, Variability::Continuous);
        z.hidden = true;
        let z = flat.vars.push(z);
        become_state(flat, z);
        let y = flat.exprs.var(y, Ty::Real);
        rate(flat, z, y);
    }
    Ok(())
}

//! The variables of a model.

use std::sync::Arc;

use ferrica_codegen::{Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;
use ferrica_ir::flat::{Causality, Variability};
use rustc_hash::FxHashSet;

use super::Model;

/// What a variable is for.
///
/// ```
/// use ferrica::{Model, Role};
/// let model = Model::from_text("model M parameter Real p = 1; Real x(start = 0); equation der(x) = p; end M;")?;
/// let state = model.variables().into_iter().find(|v| v.role == Role::State);
/// assert_eq!(state.map(|v| v.name), Some("x".to_owned()));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Constant during a run, and settable if it is not `final` or `constant`.
    Parameter,
    /// Integrated by the solver.
    State,
    /// Computed from the states at every time.
    Continuous,
    /// Changes at events only.
    Discrete,
    /// A top-level input: comes from outside.
    Input,
}

/// A variable of a model.
///
/// ```
/// use ferrica::Model;
/// let model = Model::from_text("model M parameter Real R(unit = \"Ohm\") = 5 \"Resistance\"; end M;")?;
/// let r = &model.parameters()[0];
/// assert_eq!((r.name.as_str(), r.unit.as_str(), r.value), ("R", "Ohm", Some(5.0)));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The full name.
    pub name: String,
    /// The unit, empty if there is none.
    pub unit: String,
    /// What the model says of it.
    pub description: String,
    /// What it is for.
    pub role: Role,
    /// A top-level output.
    pub is_output: bool,
    /// The value of a parameter that is a number or a truth value.
    pub value: Option<f64>,
    /// The value of a parameter that is a text.
    pub text: Option<String>,
}

impl Model {
    /// All variables in the order of declaration; parameters with their values. Of texts only parameters are listed.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x = time; Real y = 2*x; end M;")?;
    /// assert_eq!(model.variables().len(), 2);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn variables(&self) -> Vec<Variable> {
        let model = &self.core.compiled.model;
        let known = self.parameters_known();
        let outputs: FxHashSet<&str> = (self.core.flat.vars.values())
            .filter(|v| v.causality == Causality::Output && !v.name.contains('.'))
            .map(|v| v.name.as_str())
            .collect();
        let mut list = Vec::new();
        for (id, v) in &model.source.vars {
            if v.var.hidden || matches!(v.var.ty, Ty::External | Ty::Clock | Ty::Tuple) {
                continue;
            }
            let Some((slot, negated)) = model.layout.place(id) else {
                continue;
            };
            let of = model.layout.var(slot);
            let kind = of.map_or(v.kind, |of| model.source.vars[of].kind);
            let role = match kind {
                Kind::Parameter | Kind::External => Role::Parameter,
                Kind::State => Role::State,
                Kind::Input => Role::Input,
                Kind::Discrete | Kind::Relation => Role::Discrete,
                _ => Role::Continuous,
            };
            let is_text = v.var.ty == Ty::String;
            if is_text && role != Role::Parameter {
                continue;
            }
            let known = known.as_ref().filter(|_| role == Role::Parameter);
            let value = known.filter(|_| !is_text).map(|ev| ev.get(slot));
            let text = known.filter(|_| is_text).map(|ev| ev.text(slot).to_owned());
            list.push(Variable {
                name: v.var.name.clone(),
                unit: v.var.unit.to_string(),
                description: v.var.description.to_string(),
                role,
                is_output: outputs.contains(v.var.name.as_str()),
                value: value.map(|x| if negated { -x } else { x }),
                text,
            });
        }
        list
    }

    /// Names that are declared as parameters; others have the role of one because they are equal to one.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M parameter Real p = 1; Real x = p; end M;")?;
    /// assert!(model.declared_parameters().contains("p") && !model.declared_parameters().contains("x"));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn declared_parameters(&self) -> FxHashSet<&str> {
        let all = self.core.flat.vars.values();
        let declared = all.filter(|v| v.variability == Variability::Parameter);
        declared.map(|v| v.name.as_str()).collect()
    }

    /// The numbers and texts once parameters have been computed.
    fn parameters_known(&self) -> Option<Evaluator> {
        let model = &self.core.compiled.model;
        let mut ev = Evaluator::new(Arc::clone(model));
        for (name, value) in self.values.iter() {
            let (slot, negated) = model.find(name)?;
            ev.set_value(slot, if negated { -value } else { *value });
        }
        ev.run_parameters().ok()?;
        Some(ev)
    }

    /// What is declared as parameter or constant, with its value.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M parameter Real a = 2; parameter Real b = 3*a; Real x = a; end M;")?;
    /// let parameters = model.set("a", 5.0)?.parameters();
    /// assert!(parameters.len() == 2 && parameters[1].value == Some(15.0));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn parameters(&self) -> Vec<Variable> {
        let varies = |v: Variability| !matches!(v, Variability::Constant | Variability::Parameter);
        // What is only equal to a parameter has its role too.
        let all = self.core.flat.vars.values();
        let varying = all.filter(|v| varies(v.variability));
        let varying: FxHashSet<&str> = varying.map(|v| v.name.as_str()).collect();
        self.of_role(|v| v.role == Role::Parameter && !varying.contains(v.name.as_str()))
    }

    /// What the solver integrates, in its order: the states that are left after index reduction.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x; Real y = 2*x; equation der(y) = -x; end M;")?;
    /// assert_eq!(model.states().len(), 1);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn states(&self) -> Vec<Variable> {
        let model = &self.core.compiled.model;
        let all = self.of_role(|v| v.role == Role::State);
        (0..model.layout.n_states as Slot)
            .filter_map(|k| {
                let name = model.var_name(model.layout.states + k);
                all.iter().find(|v| v.name == name).cloned()
            })
            .collect()
    }

    /// The top-level inputs.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M input Real u; Real y = 2*u; end M;")?;
    /// assert_eq!(model.inputs()[0].name, "u");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn inputs(&self) -> Vec<Variable> {
        let inputs: FxHashSet<&str> = (self.core.compiled.model.source.inputs.iter())
            .map(|&v| self.core.compiled.model.source.vars[v].var.name.as_str())
            .collect();
        self.of_role(|v| inputs.contains(v.name.as_str()))
    }

    /// The top-level outputs.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M output Real y = time; end M;")?;
    /// assert_eq!(model.outputs()[0].name, "y");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn outputs(&self) -> Vec<Variable> {
        self.of_role(|v| v.is_output)
    }

    fn of_role(&self, wanted: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        self.variables().into_iter().filter(wanted).collect()
    }
}

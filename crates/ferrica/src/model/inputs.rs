//! What an experiment says of a model's inputs: values of the compiled model, and tables for what they do over time.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use ferrica_ir::flat::{Causality, Variable};

use super::Model;
use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::signal::{self, Signal};

/// Which inputs come from tables, and whether a value stays until the next one.
pub(super) type Driving = Vec<(String, bool)>;

impl Model {
    /// The columns of a result file (CSV, MAT or Parquet) that have the names of top-level inputs, as what these do: straight lines between
    /// rows, or values that stay until the next one.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// # let file = std::env::temp_dir().join(format!("ferrica-doc-inputs-{}.csv", std::process::id()));
    /// std::fs::write(&file, "time,u\n0,0\n1,2\n").unwrap();
    /// let model = Model::from_text("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;")?;
    /// let mut plan = Experiment::default();
    /// for (name, signal) in model.inputs_from(&file, false)? {
    ///     plan = plan.input(name, signal);
    /// }
    /// assert!((model.simulate(&plan)?.at("x", 1.0)? - 1.0).abs() < 1e-6);
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn inputs_from(
        &self,
        file: impl AsRef<Path>,
        hold: bool,
    ) -> Result<Vec<(String, Signal)>, Error> {
        let vars = self.parts().1.vars.values();
        let inputs: Vec<&Variable> = vars.filter(|v| v.causality == Causality::Input).collect();
        signal::from_file(file.as_ref(), hold, &inputs)
            .map_err(|e| Error::new(ErrorKind::Usage, &e, self.sources()))
    }

    /// The model with what the experiment says of inputs over time in it, and the values of its other inputs.
    pub(crate) fn driven_by(
        &self,
        experiment: &Experiment,
    ) -> Result<(Model, Vec<(String, f64)>), Error> {
        let (values, signals) = self.inputs_of(experiment)?;
        if signals.is_empty() {
            ferrica_natives::data::provide(&self.tables);
            return Ok((self.clone(), values));
        }
        let driven = self.with_signals(&signals)?;
        ferrica_natives::data::provide(&driven.tables);
        Ok((driven, values))
    }

    /// The model with tables for these inputs; compiled again only for other inputs than last time.
    fn with_signals(&self, signals: &[(String, Signal)]) -> Result<Model, Error> {
        let driving: Driving = (signals.iter())
            .map(|(name, signal)| (name.clone(), signal.parts().2))
            .collect();
        let last = || {
            let last = self.core.driven.lock();
            last.unwrap_or_else(PoisonError::into_inner)
        };
        let known = last()
            .as_ref()
            .filter(|k| k.0 == driving)
            .map(|k| k.1.clone());
        let mut model = match known {
            Some(model) => model,
            None => {
                let mut options = self.core.options.clone();
                options.model = Some(self.core.loaded.name.clone());
                options.tables = signal::next_number();
                options.signals = signals.to_vec();
                let tables = signal::in_memory(options.tables, signals);
                ferrica_natives::data::provide(&tables);
                let model = Model::compile(options)?;
                *last() = Some((driving, model.clone()));
                model
            }
        };
        let number = model.core.loaded.driven.as_ref().map_or(0, |d| d.tables);
        model.tables = Arc::new(signal::in_memory(number, signals));
        for (name, value) in self.values.iter() {
            ferrica_natives::data::provide(&model.tables);
            model = model.set(name, *value)?;
        }
        Ok(model)
    }

    /// Constant inputs as values of the compiled model, and all others.
    fn inputs_of(
        &self,
        experiment: &Experiment,
    ) -> Result<(Vec<(String, f64)>, Vec<(String, Signal)>), Error> {
        let (mut values, mut signals) = (Vec::new(), Vec::new());
        let source = &self.core.compiled.model.source;
        for (name, signal) in &experiment.inputs {
            let inputs = || source.inputs.iter().map(|&v| &source.vars[v].var);
            let Some(input) = inputs().find(|v| v.name == *name) else {
                let names = inputs().map(|v| v.name.as_str());
                return Err(Error::unknown("input", name, names));
            };
            if let Some(text) = signal::misfit(name, input.ty, signal.parts().1) {
                return Err(Error::usage("E0735", text));
            }
            match signal {
                Signal::Constant(x) if x.is_finite() => values.push((name.clone(), *x)),
                Signal::Constant(x) => {
                    let text = format!("{x} is no value for `{name}`");
                    return Err(Error::usage("E0732", text));
                }
                samples => signals.push((name.clone(), samples.clone())),
            }
        }
        Ok((values, signals))
    }
}

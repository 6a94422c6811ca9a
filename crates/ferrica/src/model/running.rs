//! A model and an experiment become a run.

use std::sync::Arc;

use ferrica_codegen::Slot;
use rustc_hash::FxHashSet;

use super::Model;
use crate::columns::{Columns, Kept};
use crate::engines::bond_graph;
use crate::engines::fitting;
use crate::engines::partitioned;
use crate::engines::recorder::Recording;
use crate::engines::solving::{self, Stage};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::options::EventRows;
use crate::run::{Run, run_error};
use crate::signal::undriven_inputs;
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;
use crate::stages::report::Log;
use crate::stages::stats::Stats;
use crate::steady;

impl Model {
    /// Runs the model.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?;
    /// let run = model.simulate(&Experiment::default().stop(3.0).solver("dopri5")?)?;
    /// assert_eq!(run.time().len(), 501);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn simulate(&self, experiment: &Experiment) -> Result<Run, Error> {
        let (model, values) = self.driven_by(experiment)?;
        model.simulate_with(experiment, values)
    }

    fn simulate_with(
        &self,
        experiment: &Experiment,
        inputs: Vec<(String, f64)>,
    ) -> Result<Run, Error> {
        let mut prepared = self.prepare(experiment)?;
        prepared.compiled.values.extend(inputs);
        let mut stats = Stats {
            model: self.name().to_owned(),
            states: prepared.compiled.model.source.states.len() as u64,
            state_variables: prepared.compiled.model.source.state_variables() as u64,
            equations: prepared.compiled.model.source.equations.len() as u64,
            ..Stats::default()
        };
        let wanted = (!experiment.keep.is_empty()).then(|| prepared.kept.slots());
        let mut columns = Columns::new(
            prepared.kept,
            experiment.event_rows != EventRows::Off,
            experiment.interrupt.clone(),
        );
        columns.watch.clone_from(&experiment.watch);
        let (grid, solver) = (&prepared.grid, &experiment.solver);
        let mut stage = Stage::default();
        if experiment.steady {
            let model = Arc::clone(&prepared.compiled.model);
            let values = &prepared.compiled.values;
            let asked = experiment.interrupt.as_ref();
            let point = steady::find(&model, values, grid, &[], asked, &self.core.sources)?;
            stage.from = Some(point.snapshot);
        }
        let ended = solving::simulate_stage(
            &prepared.compiled,
            grid,
            solver,
            wanted,
            stage,
            &mut columns,
            &mut stats,
        )
        .map_err(|broken| run_error(&broken.reason, &self.core.sources))?;
        let undefined = columns.undefined.warnings(&prepared.compiled.model);
        let values = &prepared.compiled.values;
        let undriven = undriven_inputs(&prepared.compiled.model, |name| {
            values.iter().any(|(n, _)| n == name)
        });
        let told = undriven.iter().chain(&ended.warnings).chain(&undefined);
        let told = told
            .map(|d| Diagnostic::new(d, &self.core.sources))
            .collect();
        Ok(Run::new(
            self.name(),
            columns,
            told,
            ended.terminated,
            stats,
        ))
    }

    /// The output points of an experiment with this model.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x = time; end M;")?;
    /// assert_eq!(model.output_points(&Experiment::default().points(2))?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn output_points(&self, experiment: &Experiment) -> Result<Vec<f64>, Error> {
        let grid = self.grid_of(experiment)?;
        Ok(grid.times())
    }

    /// What a run needs.
    pub(crate) fn prepare(&self, experiment: &Experiment) -> Result<Prepared, Error> {
        let core = &self.core;
        let failed = |e: Failure| Error::new(ErrorKind::Usage, &e, &core.sources);
        let (span, solver) = (&experiment.span, &experiment.solver);
        solving::supported(solver).map_err(failed)?;
        let compiled = if solver.inline.is_some() || core.compiled.asks_for_formula {
            let mut log = Log::new(Arc::clone(&core.sources));
            let mut stats = Stats::default();
            let options = self.recipe().options().clone();
            partitioned::compile(&options, span, solver, &mut log, &mut stats)
                .map_err(|e| Error::new(ErrorKind::Model, &e, &core.sources))?
        } else {
            Compiled {
                values: self.values.to_vec(),
                ..core.compiled.clone()
            }
        };
        if let Some(text) = fitting::without_effect(solver, compiled.inlined) {
            return Err(failed(Failure::usage(text)));
        }
        let grid = Grid::new(span, &compiled.model.source.experiment).map_err(failed)?;
        let slots = bond_graph::recorded(&compiled, solver.solver, grid.start)
            .map_err(|e| run_error(&e, &core.sources))?;
        let plain = experiment.keep.is_empty() && slots.is_none() && !compiled.inlined;
        let kept = || {
            Arc::new(Kept::new(&recording(
                &compiled,
                &experiment.keep,
                slots.as_ref(),
            )))
        };
        let kept = match plain {
            true => Arc::clone(core.kept.get_or_init(kept)),
            false => kept(),
        };
        for pattern in &experiment.keep {
            let known = |v: &crate::columns::Named| ferrica_results::glob_matches(pattern, &v.name);
            if !kept.variables.iter().any(known) {
                let all = recording(&compiled, &[], None);
                let names = all.selection.variables.iter().map(|v| v.name.as_str());
                return Err(Error::unknown("variable", pattern, names));
            }
        }
        Ok(Prepared {
            compiled,
            grid,
            kept,
        })
    }
}

/// A model with its values, the times of a run and what is kept of it.
pub(crate) struct Prepared {
    pub compiled: Compiled,
    pub grid: Grid,
    pub kept: Arc<Kept>,
}

fn recording(
    compiled: &Compiled,
    patterns: &[String],
    slots: Option<&FxHashSet<Slot>>,
) -> Recording {
    Recording::limited(compiled, patterns, slots)
}

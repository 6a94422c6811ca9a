//! What the faces of the library that write models for other programs need of one.

use std::path::PathBuf;
use std::sync::Arc;

use ferrica_ir::flat::FlatModel;

use super::Model;
use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::options::SolverOptions;
use crate::stages::grid::Grid;

/// What an export is made of.
pub struct ExportParts {
    pub flat: Arc<FlatModel>,
    pub folder: Option<PathBuf>,
    pub grid: Grid,
    pub solver: SolverOptions,
}

impl Model {
    /// What an export is made of: the flat model with all values in it, the folder of its file, times and solver.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x = time; end M;")?;
    /// assert_eq!(model.export_parts(&Experiment::default().stop(3.0))?.grid.stop, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn export_parts(&self, experiment: &Experiment) -> Result<ExportParts, Error> {
        let model = match self.values.is_empty() {
            true => self.clone(),
            false => self.recipe().load()?,
        };
        Ok(ExportParts {
            flat: Arc::clone(&model.core.flat),
            folder: model.core.options.folder(),
            grid: model.grid_of(experiment)?,
            solver: experiment.solver.clone(),
        })
    }

    /// An export's failure, with places in the model's text.
    ///
    /// ```
    /// # use ferrica::{Model, failure::Failure};
    /// let model = Model::from_text("model M Real x = time; end M;")?;
    /// assert!(model.export_error(&Failure::usage("no such target")).to_string().contains("no such target"));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn export_error(&self, failure: &Failure) -> Error {
        Error::new(ErrorKind::Model, failure, &self.core.sources)
    }
}

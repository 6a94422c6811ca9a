//! Files that a command reads: models, libraries and results. None of them may be overwritten.

use std::path::{Path, PathBuf};

use ferrica::failure::Failure;
use ferrica::results::ResultTable;

use crate::cli::ModelArgs;
use crate::reporter::Reporter;

/// The file of the model, that of its inputs, and all sources that were read so far.
pub fn inputs_of(model: &ModelArgs, data: &Option<PathBuf>, reporter: &Reporter) -> Vec<PathBuf> {
    let sources = reporter.sources.names().into_iter().map(PathBuf::from);
    let given = model.file.iter().chain(data).cloned();
    given.chain(sources).collect()
}

/// Reads a result; what is missing in it is told.
pub fn read_result(path: &Path, reporter: &mut Reporter) -> Result<ResultTable, Failure> {
    let table = ferrica::results::read(path).map_err(|e| Failure::usage(e.to_string()))?;
    if let Some(why) = &table.incomplete {
        reporter.warning(&format!("{}: {why}", path.display()));
    }
    Ok(table)
}

//! The one interface of all result writers, and the choice of a format by file name.

use std::io;
use std::path::Path;

use crate::{Layout, Resolved, ResultTable, TextParameter, VariableInfo};

/// A sink for the rows of one run.
///
/// Call `begin` once, then `row` with ascending times (twice with the same time at an event:
/// before, after), then `finish`. `values` holds one number for each variable whose source is
/// [`crate::Source::Column`], in list order; the writer expands aliases and constants.
pub trait ResultWriter {
    /// Told before `begin`; a format that has no place for texts leaves them out.
    fn texts(&mut self, _texts: &[TextParameter]) -> io::Result<()> {
        Ok(())
    }
    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()>;
    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()>;
    /// Makes the rows so far safe from an end of the process, where the format can.
    fn flush(&mut self) -> io::Result<()>;
    /// Writes what is still missing. A writer dropped without this does it too, silently.
    fn finish(&mut self) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFormat {
    Csv,
    Mat,
    Parquet,
}

impl ResultFormat {
    /// The format that a file name asks for by its extension.
    pub fn of(path: &Path) -> Option<ResultFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(ResultFormat::Csv),
            "mat" => Some(ResultFormat::Mat),
            "parquet" => Some(ResultFormat::Parquet),
            _ => None,
        }
    }
}

/// Keeps the rows in memory, for a picture or a comparison after the run.
#[derive(Default)]
pub struct MemoryWriter {
    layout: Layout,
    variables: Vec<VariableInfo>,
    time: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl MemoryWriter {
    pub fn into_table(self) -> ResultTable {
        let mut table = ResultTable::new(self.time);
        let series: Vec<std::sync::Arc<[f64]>> = self.columns.into_iter().map(Into::into).collect();
        for (variable, resolved) in self.variables.into_iter().zip(self.layout.resolved) {
            let column = match resolved {
                Resolved::Constant { value, .. } => crate::Column::Constant(value),
                Resolved::Column {
                    index,
                    negated: false,
                } => crate::Column::Series(series[index].clone()),
                Resolved::Column {
                    index,
                    negated: true,
                } => crate::Column::Series(series[index].iter().map(|v| -v).collect()),
            };
            table.push(variable.name, column);
            table.declare(table.names.len() - 1, variable.declared);
        }
        table
    }
}

impl ResultWriter for MemoryWriter {
    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        self.layout = Layout::new(variables)?;
        self.variables = variables.to_vec();
        self.columns = vec![Vec::new(); self.layout.columns];
        Ok(())
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        self.time.push(time);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

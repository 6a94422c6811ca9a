//! A result in memory, as the readers return it.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::beside::is_partial;
use crate::{Declaration, ResultError, ResultFormat, read_csv, read_mat, read_parquet};

/// The values of one variable: one a time, or one for all times.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    Series(Arc<[f64]>),
    Constant(f64),
}

#[derive(Clone, Debug, Default)]
pub struct ResultTable {
    /// Ascending; the same time twice at an event.
    pub time: Vec<f64>,
    pub names: Vec<String>,
    pub columns: Vec<Column>,
    /// One for each name, empty where the file does not say.
    declared: Vec<Declaration>,
    /// Why rows may be missing: the file is cut off, or its run did not complete.
    pub incomplete: Option<String>,
    /// Of the last variables, so many are not in the file but beside it.
    pub aside: usize,
    /// The last line of the file has no end: its last number may have lost digits.
    pub(crate) unfinished_row: bool,
    index: FxHashMap<String, usize>,
}

impl ResultTable {
    pub fn new(time: Vec<f64>) -> Self {
        ResultTable {
            time,
            ..ResultTable::default()
        }
    }

    /// Adds a variable. The first one of a name wins the look-up.
    pub fn push(&mut self, name: String, column: Column) {
        self.index.entry(name.clone()).or_insert(self.names.len());
        self.names.push(name);
        self.columns.push(column);
        self.declared.push(Declaration::default());
    }

    /// Says what is known of a variable.
    pub fn declare(&mut self, index: usize, declared: Declaration) {
        self.declared[index] = declared;
    }

    /// What is known of a variable.
    pub fn declared(&self, index: usize) -> &Declaration {
        &self.declared[index]
    }

    /// Leaves the last row out if its line has no end.
    pub(crate) fn drop_unfinished_row(&mut self) {
        if !std::mem::take(&mut self.unfinished_row) {
            return;
        }
        self.time.pop();
        for column in &mut self.columns {
            if let Column::Series(values) = column {
                *values = values[..values.len() - 1].into();
            }
        }
    }

    /// The index of a variable; spaces in the name do not count (`x[1, 2]` is `x[1,2]`).
    pub fn find(&self, name: &str) -> Option<usize> {
        if let Some(&i) = self.index.get(name) {
            return Some(i);
        }
        let squeezed = squeeze(name);
        if let Some(&i) = self.index.get(squeezed.as_ref()) {
            return Some(i);
        }
        self.names
            .iter()
            .position(|n| n.contains(' ') && squeeze(n) == squeezed)
    }

    pub fn column(&self, name: &str) -> Option<&Column> {
        self.find(name).map(|i| &self.columns[i])
    }

    /// The values at all times.
    pub fn series(&self, name: &str) -> Option<Cow<'_, [f64]>> {
        if name == "time" && self.find(name).is_none() {
            return Some(Cow::Borrowed(&self.time));
        }
        self.find(name).map(|i| self.series_at(i))
    }

    pub fn series_at(&self, index: usize) -> Cow<'_, [f64]> {
        match &self.columns[index] {
            Column::Series(values) => Cow::Borrowed(values),
            Column::Constant(value) => Cow::Owned(vec![*value; self.time.len()]),
        }
    }

    /// The unit of a variable, empty if unknown.
    pub fn unit(&self, name: &str) -> &str {
        self.find(name)
            .map_or("", |i| self.declared[i].unit.as_str())
    }
}

fn squeeze(name: &str) -> Cow<'_, str> {
    if name.contains(' ') {
        Cow::Owned(name.replace(' ', ""))
    } else {
        Cow::Borrowed(name)
    }
}

/// Reads a result file; the extension decides on the format, CSV if it says nothing known.
pub fn read(path: &Path) -> Result<ResultTable, ResultError> {
    let mut table = match ResultFormat::of(path) {
        Some(ResultFormat::Mat) => read_mat(path),
        Some(ResultFormat::Parquet) => read_parquet(path),
        Some(ResultFormat::Csv) | None => read_csv(path),
    }?;
    // A process that was killed between two rows leaves a file that ends well.
    if table.incomplete.is_none() && is_partial(path) {
        let rows = table.time.len();
        table.incomplete = Some(format!(
            "the run that wrote it did not complete; {rows} rows"
        ));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_without_regard_to_spaces() {
        let mut table = ResultTable::new(vec![0.0, 1.0]);
        table.push("x[1,2]".into(), Column::Constant(3.0));
        table.push("y[1, 2]".into(), Column::Series(vec![1.0, 2.0].into()));
        assert_eq!(table.series("x[1, 2]").unwrap().as_ref(), [3.0, 3.0]);
        assert_eq!(table.series("y[1,2]").unwrap().as_ref(), [1.0, 2.0]);
        assert_eq!(table.series("time").unwrap().as_ref(), [0.0, 1.0]);
        assert!(table.series("z").is_none());
    }
}

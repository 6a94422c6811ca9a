//! Where the numbers of a table come from: the model, a file or the user's C function `usertab`.

use crate::call::{Call, TableKind};
use crate::data::{self, Matrix};

/// Positions of the arguments that describe the source.
pub struct SourceArgs {
    pub file: Option<usize>,
    pub name: usize,
    pub table: usize,
    pub verbose: Option<usize>,
    pub delimiter: Option<usize>,
    pub header_lines: Option<usize>,
}

fn is_given(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty() && name != "NoName"
}

pub fn read(call: &mut dyn Call, at: &SourceArgs, kind: TableKind) -> Result<Matrix, String> {
    let file = at.file.map_or(Ok(String::new()), |k| call.readable(k))?;
    let name = call.text(at.name)?.to_string();
    match (is_given(&name), is_given(&file)) {
        (false, true) => Err(format!(
            "the file `{file}` is given for a table, but not the name of the table in it"
        )),
        (false, false) => {
            let dims = call.dims(at.table)?;
            let [rows, columns] = dims[..] else {
                return Err("the table is not a matrix".to_string());
            };
            let data = call.array(at.table)?.to_vec();
            Ok(Matrix {
                rows,
                columns,
                data,
            })
        }
        (true, false) => call.user_table(&name, kind),
        (true, true) => {
            let delimiter = at.delimiter.map_or(Ok(","), |k| call.text(k))?.to_string();
            let skip = at.header_lines.map_or(Ok(0), |k| call.size(k))?;
            let matrix = data::read_table(&file, &name, &delimiter, skip)?;
            if at.verbose.map_or(Ok(false), |k| call.bool(k))? {
                call.print(&format!("loading table `{name}` from `{file}`"));
            }
            Ok(matrix)
        }
    }
}

/// The columns a table interpolates, checked.
pub fn columns(matrix: &Matrix, wanted: &[f64]) -> Result<Vec<Vec<f64>>, String> {
    wanted
        .iter()
        .map(|&c| {
            if c < 1.0 || c > matrix.columns as f64 {
                return Err(format!(
                    "column {c} is asked for, but the table has {} rows and {} columns",
                    matrix.rows, matrix.columns
                ));
            }
            Ok(matrix.column(c as usize - 1))
        })
        .collect()
}

//! Matrices in files: the text format of Modelica tables, CSV, and MATLAB files up to version 7.
//!
//! The kind of file is known by its name (`.csv`, `.mat`) and its first bytes. A relative name is
//! taken as the operating system takes it; `modelica://` must have been resolved before.

mod csv;
mod mat4;
mod mat5;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

/// Row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<f64>,
}

impl Matrix {
    pub fn column(&self, c: usize) -> Vec<f64> {
        (0..self.rows)
            .map(|i| self.data[i * self.columns + c])
            .collect()
    }

    fn from_columns(rows: usize, columns: usize, by_columns: &[f64]) -> Matrix {
        let mut data = Vec::with_capacity(by_columns.len());
        for i in 0..rows {
            data.extend((0..columns).map(|j| by_columns[j * rows + i]));
        }
        Matrix {
            rows,
            columns,
            data,
        }
    }
}

/// No file is read beyond this size.
const MAX_BYTES: u64 = 1 << 30;

/// A matrix for a table. For CSV the name is of no meaning.
pub fn read_table(
    file: &str,
    name: &str,
    delimiter: &str,
    header_lines: usize,
) -> Result<Matrix, String> {
    let bytes = read_bytes(file)?;
    let lower = file.to_ascii_lowercase();
    if lower.ends_with(".csv") {
        let text = String::from_utf8_lossy(&bytes);
        return csv::parse(&text, delimiter, header_lines).map_err(|why| in_file(file, &why));
    }
    if lower.ends_with(".mat") {
        return mat(&bytes, name).map_err(|why| in_file(file, &why));
    }
    let text = String::from_utf8_lossy(&bytes);
    text::parse(&text, name).map_err(|why| in_file(file, &why))
}

/// A matrix of a MATLAB file.
pub fn read_mat(file: &str, name: &str) -> Result<Matrix, String> {
    mat(&read_bytes(file)?, name).map_err(|why| in_file(file, &why))
}

fn mat(bytes: &[u8], name: &str) -> Result<Matrix, String> {
    if bytes.starts_with(b"\x89HDF") || bytes.starts_with(b"MATLAB 7.3") {
        Err(
            "MATLAB files of version 7.3 (HDF5) are not supported: save the file as version 7"
                .into(),
        )
    } else if bytes.starts_with(b"MATLAB") {
        mat5::parse(bytes, name)
    } else {
        mat4::parse(bytes, name)
    }
}

thread_local! {
    /// Contents that stand for files of these names, for what this thread reads.
    static PROVIDED: RefCell<HashMap<String, Arc<[u8]>>> = RefCell::default();
}

/// What this thread reads under these names from now on, in place of files.
pub fn provide(files: &[(String, Arc<[u8]>)]) {
    PROVIDED.with_borrow_mut(|all| {
        all.clear();
        all.extend(files.iter().cloned());
    });
}

fn read_bytes(file: &str) -> Result<Vec<u8>, String> {
    if let Some(bytes) = PROVIDED.with_borrow(|all| all.get(file).cloned()) {
        return Ok(bytes.to_vec());
    }
    let path = file.strip_prefix("file://").unwrap_or(file);
    let size = fs::metadata(path)
        .map_err(|e| format!("cannot read `{file}`: {e}"))?
        .len();
    if size > MAX_BYTES {
        return Err(format!("`{file}` is too large to be read ({size} bytes)"));
    }
    fs::read(path).map_err(|e| format!("cannot read `{file}`: {e}"))
}

fn in_file(file: &str, why: &str) -> String {
    format!("in file `{file}`: {why}")
}

/// rows × columns, when that many numbers can be.
fn checked_size(rows: usize, columns: usize) -> Result<usize, String> {
    rows.checked_mul(columns)
        .filter(|&n| n as u64 <= MAX_BYTES / 8)
        .ok_or_else(|| format!("a matrix of {rows} rows and {columns} columns is too large"))
}

#[cfg(test)]
mod tests;

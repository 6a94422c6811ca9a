//! Reads MAT v4 results: the transposed layout (`binTrans`) and the plain one (`binNormal`).
//!
//! See [`crate::mat_writer`] for the layout. Both byte orders and all numeric element types of the
//! format are understood. A `data_2` that is shorter or longer than its header says has the whole rows
//! that are there, and the table says so: its writer was killed.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Column, Declaration, ResultError, ResultTable, TEXT};

pub fn read_mat(path: &Path) -> Result<ResultTable, ResultError> {
    let bytes = fs::read(path).map_err(|e| ResultError::io(path, e))?;
    parse_mat(&bytes, path)
}

/// One matrix of the file, elements in column order as stored.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    rows: usize,
    columns: usize,
    element: Element,
    data: &'a [u8],
}

#[derive(Clone, Copy)]
struct Element {
    kind: u32,
    big_endian: bool,
}

impl Element {
    fn size(self) -> usize {
        match self.kind {
            0 => 8,
            1 | 2 => 4,
            3 | 4 => 2,
            _ => 1,
        }
    }

    fn get(self, bytes: &[u8]) -> f64 {
        let mut raw = [0u8; 8];
        let n = self.size();
        raw[..n].copy_from_slice(&bytes[..n]);
        if self.big_endian {
            raw[..n].reverse();
        }
        let [a, b, c, d, ..] = raw;
        match self.kind {
            0 => f64::from_le_bytes(raw),
            1 => f64::from(f32::from_le_bytes([a, b, c, d])),
            2 => f64::from(i32::from_le_bytes([a, b, c, d])),
            3 => f64::from(i16::from_le_bytes([a, b])),
            4 => f64::from(u16::from_le_bytes([a, b])),
            _ => f64::from(a),
        }
    }
}

impl Matrix<'_> {
    fn get(&self, row: usize, column: usize) -> f64 {
        self.element
            .get(&self.data[(column * self.rows + row) * self.element.size()..])
    }

    /// The text of one row of characters.
    fn row_text(&self, row: usize) -> String {
        text((0..self.columns).map(|c| self.get(row, c) as u8))
    }

    fn column_text(&self, column: usize) -> String {
        text((0..self.rows).map(|r| self.get(r, column) as u8))
    }
}

fn text(bytes: impl Iterator<Item = u8>) -> String {
    let bytes: Vec<u8> = bytes.take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// `path` is only for messages.
pub fn parse_mat(bytes: &[u8], path: &Path) -> Result<ResultTable, ResultError> {
    let bad = |what: &str| ResultError::format(path, what);
    let (matrices, killed) = split(bytes, path)?;
    let find = |name: &str| matrices.get(name).copied();
    let class = find("Aclass").ok_or_else(|| bad("not a simulation result (no matrix Aclass)"))?;
    let transposed = match (0..class.rows).map(|r| class.row_text(r)).nth(3).as_deref() {
        Some("binTrans") => true,
        Some("binNormal") | None => false,
        Some(other) => return Err(bad(&format!("unknown layout `{other}`"))),
    };
    let (Some(name), Some(info)) = (find("name"), find("dataInfo")) else {
        return Err(bad("the matrices name and dataInfo are missing"));
    };
    let count = if transposed { name.columns } else { name.rows };
    let info_shape = if transposed {
        (info.columns, info.rows)
    } else {
        (info.rows, info.columns)
    };
    if info_shape.0 < count || info_shape.1 < 2 {
        return Err(bad("dataInfo does not fit name"));
    }
    let data_info = |variable: usize, field: usize| {
        (if transposed {
            info.get(field, variable)
        } else {
            info.get(variable, field)
        }) as i64
    };
    let text_of = |matrix: &Matrix, i: usize| {
        if transposed {
            matrix.column_text(i)
        } else {
            matrix.row_text(i)
        }
    };

    let mut blocks: FxHashMap<i64, Block> = FxHashMap::default();
    for number in 1..=9 {
        if let Some(matrix) = find(&format!("data_{number}")) {
            blocks.insert(number, Block::new(matrix, transposed));
        }
    }
    let varying = blocks
        .get(&2)
        .ok_or_else(|| bad("the matrix data_2 is missing"))?;
    let time: Vec<f64> = varying.signal(0);
    let points = time.len();

    let mut table = ResultTable::new(time);
    table.incomplete = killed.then(|| format!("the file is cut off after {points} rows"));
    let mut shared: FxHashMap<(i64, usize), Arc<[f64]>> = FxHashMap::default();
    let description = find("description");
    for i in 0..count {
        let (block, position) = (data_info(i, 0), data_info(i, 1));
        let row = position.unsigned_abs() as usize;
        // Block 0 is the time itself.
        if block == 0 || row <= 1 {
            continue;
        }
        let source = blocks
            .get(&block)
            .filter(|b| row <= b.signals)
            .ok_or_else(|| bad(&format!("dataInfo of variable {} points nowhere", i + 1)))?;
        let negated = position < 0;
        let sign = if negated { -1.0 } else { 1.0 };
        let column = if source.points <= 2 && block == 1 {
            Column::Constant(sign * source.get(row - 1, 0))
        } else if source.points != points {
            return Err(bad(
                "data matrices with different numbers of times are not supported",
            ));
        } else if negated {
            Column::Series(source.signal(row - 1).iter().map(|v| -v).collect())
        } else {
            let values = shared
                .entry((block, row))
                .or_insert_with(|| source.signal(row - 1).into());
            Column::Series(values.clone())
        };
        let words = match &description {
            Some(d) if i < if transposed { d.columns } else { d.rows } => text_of(d, i),
            _ => String::new(),
        };
        // A text is no number.
        if words.ends_with(&format!("[:#(type={TEXT})]")) {
            continue;
        }
        table.push(text_of(&name, i), column);
        table.declare(table.names.len() - 1, Declaration::from_line(&words));
    }
    Ok(table)
}

/// A data matrix seen as signals over points.
struct Block<'a> {
    matrix: Matrix<'a>,
    transposed: bool,
    signals: usize,
    points: usize,
}

impl<'a> Block<'a> {
    fn new(matrix: Matrix<'a>, transposed: bool) -> Self {
        let (signals, points) = if transposed {
            (matrix.rows, matrix.columns)
        } else {
            (matrix.columns, matrix.rows)
        };
        Block {
            matrix,
            transposed,
            signals,
            points,
        }
    }

    fn get(&self, signal: usize, point: usize) -> f64 {
        if self.transposed {
            self.matrix.get(signal, point)
        } else {
            self.matrix.get(point, signal)
        }
    }

    fn signal(&self, signal: usize) -> Vec<f64> {
        if self.signals == 0 {
            return Vec::new();
        }
        (0..self.points).map(|p| self.get(signal, p)).collect()
    }
}

/// Where a matrix begins and ends.
struct Header {
    name: String,
    rows: usize,
    columns: usize,
    element: Element,
    imaginary: bool,
    /// The first byte of its data.
    data_at: usize,
}

impl Header {
    /// Reads a header; nothing if there is none.
    fn read(bytes: &[u8], at: usize) -> Option<Header> {
        let mut words = [0u32; 5];
        let head = bytes.get(at..at.checked_add(20)?)?;
        for (word, raw) in words.iter_mut().zip(head.chunks_exact(4)) {
            *word = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]);
        }
        // The type word is at most 4052; a huge one is big endian.
        let big_endian = words[0] > 0xffff;
        if big_endian {
            words = words.map(u32::swap_bytes);
        }
        let [kind, rows, columns, imaginary, name_length] = words.map(|w| w as usize);
        let element = Element {
            kind: (kind % 100 / 10) as u32,
            big_endian,
        };
        if kind > 4052 || element.kind > 5 || kind % 10 > 1 || imaginary > 1 {
            return None;
        }
        let data_at = (at + 20).checked_add(name_length)?;
        let name = bytes.get(at + 20..data_at)?.strip_suffix(b"\0")?;
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        (!name.is_empty() && name.iter().all(is_word)).then(|| Header {
            name: String::from_utf8_lossy(name).into_owned(),
            rows,
            columns,
            element,
            imaginary: imaginary == 1,
            data_at,
        })
    }

    fn column_size(&self) -> Option<usize> {
        self.rows.checked_mul(self.element.size())
    }
}

/// Finds all matrices by their headers; also whether the last one has other rows than its header says.
fn split<'a>(
    bytes: &'a [u8],
    path: &Path,
) -> Result<(FxHashMap<String, Matrix<'a>>, bool), ResultError> {
    let bad = |what: &str| ResultError::format(path, what);
    let mut matrices = FxHashMap::default();
    let mut at = 0;
    let mut killed = false;
    while at < bytes.len() {
        let header = Header::read(bytes, at).ok_or_else(|| match at {
            0 => bad("not a MAT v4 file"),
            _ => bad("the file is cut off"),
        })?;
        let column_size = header
            .column_size()
            .ok_or_else(|| bad("a matrix is impossibly large"))?;
        let available = bytes.len() - header.data_at;
        let said = column_size.checked_mul(header.columns);
        let end = said.and_then(|size| {
            let size = size.checked_mul(1 + usize::from(header.imaginary))?;
            (size <= available).then(|| header.data_at + size)
        });
        let mut columns = header.columns;
        let is_last = |end: usize| end == bytes.len() || Header::read(bytes, end).is_none();
        at = match end {
            // What follows is no matrix, so these are rows.
            Some(end) if header.name == "data_2" && end < bytes.len() && is_last(end) => {
                bytes.len()
            }
            Some(end) => end,
            None if header.name.starts_with("data_") => bytes.len(),
            None => return Err(bad("the file is cut off")),
        };
        if at == bytes.len() && end != Some(at) {
            columns = available.checked_div(column_size).unwrap_or(0);
            killed = true;
        }
        let matrix = Matrix {
            rows: header.rows,
            columns,
            element: header.element,
            data: &bytes[header.data_at..header.data_at + column_size * columns],
        };
        matrices.insert(header.name, matrix);
    }
    Ok((matrices, killed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(out: &mut Vec<u8>, name: &str, kind: u32, rows: u32, columns: u32, data: &[u8]) {
        for word in [kind, rows, columns, 0, name.len() as u32 + 1] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        out.extend_from_slice(data);
    }

    /// Characters of equally long strings, first all first letters, then all second ones.
    fn interleave(strings: &[&str]) -> Vec<u8> {
        (0..strings[0].len())
            .flat_map(|k| strings.iter().map(move |s| s.as_bytes()[k]))
            .collect()
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn the_plain_layout_with_single_precision() {
        let mut file = Vec::new();
        let class = ["Atrajectory", "1.1        ", "           ", "binNormal  "];
        matrix(&mut file, "Aclass", 51, 4, 11, &interleave(&class));
        matrix(
            &mut file,
            "name",
            51,
            3,
            4,
            &interleave(&["time", "a   ", "b   "]),
        );
        matrix(
            &mut file,
            "description",
            51,
            3,
            4,
            &interleave(&["t   ", "[V] ", "    "]),
        );
        // Columns of dataInfo: block, position, interpolation, extrapolation.
        let info: Vec<u8> = [0, 2, 1, 1, -2, 2, 0, 0, 0, -1, -1, 0]
            .iter()
            .flat_map(|v: &i32| v.to_le_bytes())
            .collect();
        matrix(&mut file, "dataInfo", 20, 3, 4, &info);
        matrix(
            &mut file,
            "data_1",
            10,
            2,
            2,
            &floats(&[0.0, 1.0, 5.0, 5.0]),
        );
        matrix(
            &mut file,
            "data_2",
            10,
            3,
            2,
            &floats(&[0.0, 0.5, 1.0, 3.0, 4.0, 6.0]),
        );
        let table = parse_mat(&file, Path::new("x.mat")).unwrap();
        assert_eq!(table.time, [0.0, 0.5, 1.0]);
        assert_eq!(table.series("a").unwrap().as_ref(), [-3.0, -4.0, -6.0]);
        assert_eq!(table.column("b"), Some(&Column::Constant(5.0)));
        assert_eq!(table.unit("a"), "V");
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(parse_mat(b"time,a\n0,1\n1,2\n2,3\n3,4\n5,6\n", Path::new("x.mat")).is_err());
        assert!(parse_mat(b"", Path::new("x.mat")).is_err());
        let mut file = Vec::new();
        matrix(&mut file, "Aclass", 51, 1000, 1000, b"");
        assert!(parse_mat(&file, Path::new("x.mat")).is_err());
    }
}

//! Matrices in MATLAB files, read and written.

use std::fs;

use crate::data::{self, Matrix};
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    r.reads("ModelicaIO_readMatrixSizes", |call| {
        // fileName, matrixName, dim
        let m = data::read_mat(&call.readable(0)?, call.text(1)?)?;
        call.fill(2, &[m.rows as f64, m.columns as f64])
    });
    r.reads("ModelicaIO_readRealMatrix", |call| {
        // fileName, matrixName, matrix, rows, columns, verbose
        let m = data::read_mat(&call.readable(0)?, call.text(1)?)?;
        let (rows, columns) = (call.size(3)?, call.size(4)?);
        if (m.rows, m.columns) != (rows, columns) {
            return Err(format!(
                "matrix `{}` has {} rows and {} columns, not {rows} and {columns}",
                call.text(1)?,
                m.rows,
                m.columns
            ));
        }
        call.fill(2, &m.data)
    });
    r.impure("ModelicaIO_writeRealMatrix", |call| {
        // fileName, matrixName, matrix, rows, columns, append, version
        if !call.may_change_system() {
            return Err(
                "the model wants to write a file, which is only done with --allow-external".into(),
            );
        }
        let version = call.text(6)?;
        // A file of version 6 is one of version 7 that is not compressed.
        let old = match version {
            "4" => true,
            "6" | "7" => false,
            _ => {
                return Err(format!(
                    "MATLAB files of version {version} cannot be written, only those of versions 4 to 7"
                ));
            }
        };
        let file = call.text(0)?;
        let m = Matrix {
            rows: call.size(3)?,
            columns: call.size(4)?,
            data: call.array(2)?.to_vec(),
        };
        let mut bytes = if call.bool(5)? {
            fs::read(file).unwrap_or_default()
        } else {
            Vec::new()
        };
        if old {
            bytes.extend(version_4(call.text(1)?, &m));
        } else {
            if bytes.is_empty() {
                bytes = header_of_version_6();
            }
            bytes.extend(version_6(call.text(1)?, &m));
        }
        fs::write(file, bytes).map_err(|e| format!("`{file}`: {e}"))?;
        call.return_real(1.0);
        Ok(())
    });
}

/// One matrix in the layout of version 4: header, name, numbers column by column.
fn version_4(name: &str, m: &Matrix) -> Vec<u8> {
    let mut out = Vec::with_capacity(24 + name.len() + 8 * m.data.len());
    for word in [0, m.rows as u32, m.columns as u32, 0, name.len() as u32 + 1] {
        out.extend(word.to_le_bytes());
    }
    out.extend(name.as_bytes());
    out.push(0);
    for c in 0..m.columns {
        for x in m.column(c) {
            out.extend(x.to_le_bytes());
        }
    }
    out
}

/// 128 bytes: text, version and a mark of the byte order.
fn header_of_version_6() -> Vec<u8> {
    let mut out = b"MATLAB 5.0 MAT-file".to_vec();
    out.resize(124, b' ');
    out.extend([0, 1, b'I', b'M']);
    out
}

/// One matrix in the layout of versions 5 to 7, not compressed.
fn version_6(name: &str, m: &Matrix) -> Vec<u8> {
    const MATRIX: u32 = 14;
    const INT8: u32 = 1;
    const INT32: u32 = 5;
    const UINT32: u32 = 6;
    const DOUBLE: u32 = 9;
    const CLASS_DOUBLE: u32 = 6;
    let element = |kind: u32, data: &[u8]| {
        let mut out = Vec::with_capacity(data.len() + 16);
        out.extend(kind.to_le_bytes());
        out.extend((data.len() as u32).to_le_bytes());
        out.extend(data);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    };
    let words = |list: &[u32]| -> Vec<u8> { list.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let mut body = element(UINT32, &words(&[CLASS_DOUBLE, 0]));
    body.extend(element(INT32, &words(&[m.rows as u32, m.columns as u32])));
    body.extend(element(INT8, name.as_bytes()));
    let numbers: Vec<u8> = (0..m.columns)
        .flat_map(|c| m.column(c))
        .flat_map(f64::to_le_bytes)
        .collect();
    body.extend(element(DOUBLE, &numbers));
    element(MATRIX, &body)
}

#[cfg(test)]
mod tests {
    use crate::{Arguments, Call, Value, lookup};

    #[test]
    fn what_is_written_reads_back() {
        for version in ["4", "6"] {
            round_trip(version);
        }
    }

    fn round_trip(version: &str) {
        let file = std::env::temp_dir().join(format!(
            "ferrica-natives-{}-{version}.mat",
            std::process::id()
        ));
        let text = |s: &str| Value::Text(s.to_string());
        let name = file.to_string_lossy().into_owned();
        let matrix = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut write = Arguments::new(vec![
            text(&name),
            text("A"),
            Value::matrix(2, 3, matrix.clone()),
            Value::Real(2.0),
            Value::Real(3.0),
            Value::Real(0.0),
            text(version),
        ]);
        let native = lookup("ModelicaIO_writeRealMatrix").unwrap();
        assert!(native.call(&mut write).is_err());
        write.may_change_system = true;
        native.call(&mut write).unwrap();
        let mut size = Arguments::new(vec![text(&name), text("A"), Value::vector(vec![0.0; 2])]);
        lookup("ModelicaIO_readMatrixSizes")
            .unwrap()
            .call(&mut size)
            .unwrap();
        assert_eq!(size.array(2).unwrap(), [2.0, 3.0]);
        let mut read = Arguments::new(vec![
            text(&name),
            text("A"),
            Value::matrix(2, 3, vec![0.0; 6]),
            Value::Real(2.0),
            Value::Real(3.0),
            Value::Real(0.0),
        ]);
        lookup("ModelicaIO_readRealMatrix")
            .unwrap()
            .call(&mut read)
            .unwrap();
        assert_eq!(read.array(2).unwrap(), matrix);
        std::fs::remove_file(&file).unwrap();
    }
}

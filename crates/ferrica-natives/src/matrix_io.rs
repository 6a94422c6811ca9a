//! Matrices in MATLAB files, read and written.

use std::fs;

use crate::data::{self, Matrix};
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    r.reads("ModelicaIO_readMatrixSizes", |call| {
        // fileName, matrixName, dim
        let m = data::read_mat(call.text(0)?, call.text(1)?)?;
        call.fill(2, &[m.rows as f64, m.columns as f64])
    });
    r.reads("ModelicaIO_readRealMatrix", |call| {
        // fileName, matrixName, matrix, rows, columns, verbose
        let m = data::read_mat(call.text(0)?, call.text(1)?)?;
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
        if version != "4" {
            return Err(format!(
                "MATLAB files of version {version} cannot be written, only those of version 4"
            ));
        }
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
        bytes.extend(version_4(call.text(1)?, &m));
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

#[cfg(test)]
mod tests {
    use crate::{Arguments, Call, Value, lookup};

    #[test]
    fn what_is_written_reads_back() {
        let file = std::env::temp_dir().join(format!("ferrica-natives-{}.mat", std::process::id()));
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
            text("4"),
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

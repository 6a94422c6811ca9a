//! MATLAB files of version 4: for each matrix a header of five integers (type, rows, columns,
//! imaginary part?, length of the name), the name, and the numbers column by column.
//!
//! The type is MOPT in decimal: M byte order (0 little, 1 big), P number format, T kind of matrix.

use super::{Matrix, checked_size};

pub fn parse(bytes: &[u8], name: &str) -> Result<Matrix, String> {
    let mut at = 0;
    let mut found = Vec::new();
    while at + 20 <= bytes.len() {
        let little = read_header(&bytes[at..], false);
        let (header, big) = if plausible(&little) {
            (little, false)
        } else {
            (read_header(&bytes[at..], true), true)
        };
        if !plausible(&header) {
            return Err("this is not a MATLAB file".to_string());
        }
        let [kind, rows, columns, imaginary, name_length] = header;
        let format = (kind / 10) % 10;
        let width = match format {
            0 => 8,
            1 | 2 => 4,
            3 | 4 => 2,
            _ => 1,
        };
        let (rows, columns) = (rows as usize, columns as usize);
        let n = checked_size(rows, columns)?;
        let name_at = at + 20;
        let data_at = name_at + name_length as usize;
        let total = n * width * if imaginary != 0 { 2 } else { 1 };
        let end = data_at + total;
        let (Some(stored), Some(data)) = (
            bytes.get(name_at..data_at),
            bytes.get(data_at..data_at + n * width),
        ) else {
            return Err("the file ends inside a matrix".to_string());
        };
        let stored = String::from_utf8_lossy(stored);
        let stored = stored.trim_end_matches('\0');
        if stored == name {
            let values: Vec<f64> = data
                .chunks_exact(width)
                .map(|c| number(c, format, big))
                .collect();
            return Ok(Matrix::from_columns(rows, columns, &values));
        }
        found.push(stored.to_string());
        at = end;
    }
    Err(format!(
        "there is no matrix `{name}`; there are: {}",
        found.join(", ")
    ))
}

fn read_header(bytes: &[u8], big: bool) -> [u32; 5] {
    let mut header = [0; 5];
    for (h, c) in header.iter_mut().zip(bytes.chunks_exact(4)) {
        let c = [c[0], c[1], c[2], c[3]];
        *h = if big {
            u32::from_be_bytes(c)
        } else {
            u32::from_le_bytes(c)
        };
    }
    header
}

fn plausible(header: &[u32; 5]) -> bool {
    header[0] < 5000 && (header[0] / 10) % 10 <= 5 && header[3] <= 1 && header[4] <= 4096
}

fn number(c: &[u8], format: u32, big: bool) -> f64 {
    let mut b = [0; 8];
    b[..c.len()].copy_from_slice(c);
    if big {
        b[..c.len()].reverse();
    }
    match format {
        0 => f64::from_le_bytes(b),
        1 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        2 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        3 => f64::from(i16::from_le_bytes([b[0], b[1]])),
        4 => f64::from(u16::from_le_bytes([b[0], b[1]])),
        _ => f64::from(b[0]),
    }
}

//! MATLAB files of versions 5 to 7: a header of 128 bytes, then elements of type, length and data,
//! aligned to 8 bytes. An element of type 15 is compressed (version 7). A field of a struct is named
//! `struct.field`.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::{Matrix, checked_size};

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
const CLASS_STRUCT: u8 = 2;
const MAX_INFLATED: usize = 1 << 30;

/// Type and data of one element, and the rest after its padding.
struct Element<'a> {
    kind: u32,
    data: &'a [u8],
    rest: &'a [u8],
}

pub fn parse(bytes: &[u8], name: &str) -> Result<Matrix, String> {
    let Some((header, mut rest)) = bytes.split_at_checked(128) else {
        return Err("the file ends inside its header".to_string());
    };
    let big = match &header[126..128] {
        b"IM" => false,
        b"MI" => true,
        _ => return Err("this is not a MATLAB file".to_string()),
    };
    let mut found = Vec::new();
    while rest.len() >= 8 {
        let e = element(rest, big)?;
        rest = e.rest;
        let inflated;
        let data = if e.kind == COMPRESSED {
            inflated = decompress_to_vec_zlib_with_limit(e.data, MAX_INFLATED)
                .map_err(|_| "a compressed matrix is damaged".to_string())?;
            let inner = element(&inflated, big)?;
            if inner.kind != MATRIX {
                continue;
            }
            inner.data
        } else if e.kind == MATRIX {
            e.data
        } else {
            continue;
        };
        if let Some(matrix) = matrix(data, big, "", name, &mut found)? {
            return Ok(matrix);
        }
    }
    Err(format!(
        "there is no matrix `{name}`; there are: {}",
        found.join(", ")
    ))
}

fn element(bytes: &[u8], big: bool) -> Result<Element<'_>, String> {
    let short = || "the file ends inside a matrix".to_string();
    let tag = word(bytes, 0, big).ok_or_else(short)?;
    if tag >> 16 != 0 {
        // Small element: length and type in one word, data in the next.
        let n = (tag >> 16) as usize;
        return Ok(Element {
            kind: tag & 0xffff,
            data: bytes.get(4..4 + n.min(4)).ok_or_else(short)?,
            rest: bytes.get(8..).unwrap_or(&[]),
        });
    }
    let n = word(bytes, 4, big).ok_or_else(short)? as usize;
    let data = bytes.get(8..8 + n).ok_or_else(short)?;
    let padded = if tag == COMPRESSED {
        n
    } else {
        n.next_multiple_of(8)
    };
    Ok(Element {
        kind: tag,
        data,
        rest: bytes.get(8 + padded..).unwrap_or(&[]),
    })
}

fn word(bytes: &[u8], at: usize, big: bool) -> Option<u32> {
    let b: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(if big {
        u32::from_be_bytes(b)
    } else {
        u32::from_le_bytes(b)
    })
}

/// The matrix `wanted`, when this is it or holds it.
fn matrix(
    data: &[u8],
    big: bool,
    outer: &str,
    wanted: &str,
    found: &mut Vec<String>,
) -> Result<Option<Matrix>, String> {
    if data.is_empty() {
        return Ok(None);
    }
    let flags = element(data, big)?;
    let class = word(flags.data, 0, big).unwrap_or(0) as u8;
    let dims = element(flags.rest, big)?;
    let sizes: Vec<usize> = numbers(&dims, big)?.iter().map(|&d| d as usize).collect();
    let label = element(dims.rest, big)?;
    let own = String::from_utf8_lossy(label.data).into_owned();
    let full = if outer.is_empty() {
        own
    } else {
        outer.to_string()
    };
    if class == CLASS_STRUCT {
        let width = element(label.rest, big)?;
        let width_value = numbers(&width, big)?.first().map_or(0, |&w| w as usize);
        let names = element(width.rest, big)?;
        let mut rest = names.rest;
        if width_value == 0 {
            return Ok(None);
        }
        for field in names.data.chunks(width_value) {
            let field = String::from_utf8_lossy(field);
            let field = format!("{full}.{}", field.trim_end_matches('\0'));
            let e = element(rest, big)?;
            rest = e.rest;
            if wanted == field || wanted.starts_with(&format!("{field}.")) {
                return matrix(e.data, big, &field, wanted, found);
            }
            found.push(field);
        }
        return Ok(None);
    }
    if full != wanted {
        found.push(full);
        return Ok(None);
    }
    let (rows, columns) = match sizes[..] {
        [r, c] => (r, c),
        _ => return Err(format!("`{wanted}` is not a matrix")),
    };
    let n = checked_size(rows, columns)?;
    let real = element(label.rest, big)?;
    let values = numbers(&real, big)?;
    if values.len() < n {
        return Err(format!("matrix `{wanted}` has too few numbers"));
    }
    Ok(Some(Matrix::from_columns(rows, columns, &values[..n])))
}

/// The numbers of an element of any numeric type.
fn numbers(e: &Element<'_>, big: bool) -> Result<Vec<f64>, String> {
    let width = match e.kind {
        1 | 2 => 1,
        3 | 4 => 2,
        5..=7 => 4,
        9 | 12 | 13 => 8,
        k => return Err(format!("numbers of type {k} are not supported")),
    };
    Ok(e.data
        .chunks_exact(width)
        .map(|c| {
            let mut b = [0; 8];
            b[..width].copy_from_slice(c);
            if big {
                b[..width].reverse();
            }
            let low = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            match e.kind {
                1 => f64::from(b[0] as i8),
                2 => f64::from(b[0]),
                3 => f64::from(low as u16 as i16),
                4 => f64::from(low as u16),
                5 => f64::from(low as i32),
                6 => f64::from(low),
                7 => f64::from(f32::from_bits(low)),
                9 => f64::from_le_bytes(b),
                12 => i64::from_le_bytes(b) as f64,
                _ => u64::from_le_bytes(b) as f64,
            }
        })
        .collect())
}

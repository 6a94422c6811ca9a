//! Reads Parquet files of the kind that [`super::ParquetWriter`] writes: columns of required
//! doubles, plain or dictionary encoding, no compression. Anything else is an error that says so. A file that
//! does not end with a footer has the rows of the last footer in it, and the table says so: its writer was killed.

use std::fs;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::thrift::{Reader, Value};
use super::{MAGIC, code};
use crate::{Column, Declaration, ResultError, ResultTable};

pub fn read_parquet(path: &Path) -> Result<ResultTable, ResultError> {
    let bytes = fs::read(path).map_err(|e| ResultError::io(path, e))?;
    parse_parquet(&bytes, path)
}

/// `path` is only for messages.
pub fn parse_parquet(bytes: &[u8], path: &Path) -> Result<ResultTable, ResultError> {
    let bad = |what: &str| ResultError::format(path, what);
    let (footer, whole) = match footer(bytes) {
        Some(footer) => (footer, true),
        None => match last_footer(bytes) {
            Some(footer) => (footer, false),
            None => return Err(bad("not a Parquet file, or cut off before its first rows")),
        },
    };
    let schema = footer.list(2);
    let names: Vec<String> = schema
        .iter()
        .skip(1)
        .map(|e| e.text(4).unwrap_or_default())
        .collect();
    let unsupported = schema
        .iter()
        .skip(1)
        .find(|e| e.int(1) != Some(code::TYPE_DOUBLE) || e.int(3) != Some(code::REQUIRED));
    if let Some(element) = unsupported {
        let name = element.text(4).unwrap_or_default();
        return Err(bad(&format!(
            "the column `{name}` is not one of required doubles"
        )));
    }

    let mut series: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut constant: Vec<bool> = vec![true; names.len()];
    for group in footer.list(4) {
        let chunks = group.list(1);
        if chunks.len() != names.len() {
            return Err(bad("a row group does not have all columns"));
        }
        for (i, chunk) in chunks.iter().enumerate() {
            let metadata = chunk
                .get(3)
                .ok_or_else(|| bad("a column has no metadata"))?;
            if metadata.int(4) != Some(code::UNCOMPRESSED) {
                return Err(bad("compressed columns are not supported"));
            }
            let dictionary = read_chunk(bytes, metadata, &mut series[i])
                .map_err(|what| bad(&format!("column `{}`: {what}", names[i])))?;
            constant[i] &= dictionary.is_some_and(|size| size == 1);
        }
    }

    let time_column = names
        .iter()
        .position(|n| n.eq_ignore_ascii_case("time"))
        .unwrap_or(0);
    if names.is_empty() {
        return Err(bad("there are no columns"));
    }
    let mut declared: FxHashMap<String, Declaration> = FxHashMap::default();
    for pair in footer.list(5) {
        let (Some(key), Some(text)) = (pair.text(1), pair.text(2)) else {
            continue;
        };
        let Some((what, name)) = key.split_once('/') else {
            continue;
        };
        let of = declared.entry(name.to_owned()).or_default();
        match what {
            "unit" => of.unit = text,
            "display_unit" => of.display_unit = text,
            "description" => of.description = text,
            "type" => of.ty = text.parse().unwrap_or_default(),
            _ => {}
        }
    }
    let mut table = ResultTable::new(std::mem::take(&mut series[time_column]));
    for (i, (name, values)) in names.into_iter().zip(series).enumerate() {
        if i == time_column {
            continue;
        }
        let declaration = declared.remove(&name).unwrap_or_default();
        let column = match values.first() {
            Some(&first) if constant[i] && values.iter().all(|v| *v == first) => {
                Column::Constant(first)
            }
            _ => Column::Series(values.into()),
        };
        table.push(name, column);
        table.declare(table.names.len() - 1, declaration);
    }
    if !whole {
        let rows = table.time.len();
        table.incomplete = Some(format!("the file is cut off after {rows} rows"));
    }
    Ok(table)
}

/// The last place that ends like a file.
fn last_footer(bytes: &[u8]) -> Option<Value<'_>> {
    let ends = (MAGIC.len() + 1..=bytes.len()).rev();
    let mut ends = ends.filter(|&end| bytes[..end].ends_with(MAGIC));
    ends.find_map(|end| {
        let footer = footer(&bytes[..end])?;
        (footer.int(3).is_some() && !footer.list(2).is_empty()).then_some(footer)
    })
}

fn footer(bytes: &[u8]) -> Option<Value<'_>> {
    let body = bytes.strip_prefix(MAGIC)?.strip_suffix(MAGIC)?;
    let (body, length) = body.split_last_chunk::<4>()?;
    let start = body
        .len()
        .checked_sub(u32::from_le_bytes(*length) as usize)?;
    Reader {
        bytes: &body[start..],
        at: 0,
    }
    .structure()
}

/// Appends the values of a chunk; returns the size of its dictionary if it has one.
fn read_chunk(
    bytes: &[u8],
    metadata: &Value,
    out: &mut Vec<f64>,
) -> Result<Option<usize>, &'static str> {
    const CUT: &str = "a page is cut off";
    let wanted = metadata
        .int(5)
        .and_then(|n| usize::try_from(n).ok())
        .ok_or(CUT)?;
    let start = metadata
        .int(11)
        .or(metadata.int(9))
        .ok_or("no page offset")?;
    let mut reader = Reader {
        bytes,
        at: usize::try_from(start).map_err(|_| CUT)?,
    };
    let mut dictionary: Option<Vec<f64>> = None;
    let end = out.len().checked_add(wanted).ok_or(CUT)?;
    while out.len() < end {
        let header = reader.structure().ok_or(CUT)?;
        let size = header
            .int(3)
            .and_then(|n| usize::try_from(n).ok())
            .ok_or(CUT)?;
        let page_end = reader.at.checked_add(size).ok_or(CUT)?;
        let page = bytes.get(reader.at..page_end).ok_or(CUT)?;
        reader.at = page_end;
        match header.int(1) {
            Some(code::DICTIONARY_PAGE) => dictionary = Some(plain(page)),
            Some(code::DATA_PAGE) => {
                let page_info = header.get(5).ok_or(CUT)?;
                let count = page_info
                    .int(1)
                    .and_then(|n| usize::try_from(n).ok())
                    .ok_or(CUT)?;
                let before = out.len();
                match page_info.int(2) {
                    Some(code::PLAIN) => out.extend(plain(page).into_iter().take(count)),
                    Some(code::RLE_DICTIONARY | code::PLAIN_DICTIONARY) => {
                        let words = dictionary.as_deref().ok_or("no dictionary")?;
                        dictionary_page(page, words, count, out).ok_or(CUT)?;
                    }
                    _ => return Err("an encoding that is not supported"),
                }
                if out.len() != before + count || count == 0 {
                    return Err(CUT);
                }
            }
            _ => return Err("a kind of page that is not supported"),
        }
    }
    Ok(dictionary.map(|d| d.len()))
}

fn plain(page: &[u8]) -> Vec<f64> {
    page.as_chunks::<8>()
        .0
        .iter()
        .map(|raw| f64::from_le_bytes(*raw))
        .collect()
}

/// Run lengths and bit-packed groups of eight, mixed.
fn dictionary_page(page: &[u8], words: &[f64], count: usize, out: &mut Vec<f64>) -> Option<()> {
    let mut reader = Reader { bytes: page, at: 0 };
    let width = usize::from(reader.byte()?);
    if width > 32 {
        return None;
    }
    let end = out.len() + count;
    while out.len() < end {
        let head = reader.varint()?;
        let length = usize::try_from(head >> 1).ok()?;
        if head & 1 == 0 {
            let mut index = 0usize;
            for k in 0..width.div_ceil(8) {
                index |= usize::from(reader.byte()?) << (8 * k);
            }
            let run = length.min(end - out.len());
            if run == 0 {
                return None;
            }
            out.resize(out.len() + run, *words.get(index)?);
        } else {
            let packed = length.checked_mul(width)?;
            let bits = page.get(reader.at..reader.at.checked_add(packed)?)?;
            reader.at += packed;
            let run = length.checked_mul(8)?.min(end - out.len());
            if run == 0 {
                return None;
            }
            for k in 0..run {
                let index = (0..width)
                    .map(|b| (k * width + b, b))
                    .fold(0, |i, (bit, b)| {
                        i | usize::from(bits[bit / 8] >> (bit % 8) & 1) << b
                    });
                out.push(*words.get(index)?);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the format's definition: 0 to 7 packed with width 3 is 88 C6 FA.
    #[test]
    fn bit_packed_dictionary_indices() {
        let words: Vec<f64> = (0..8).map(f64::from).collect();
        let page = [3, 0b11, 0x88, 0xC6, 0xFA];
        let mut out = Vec::new();
        dictionary_page(&page, &words, 8, &mut out).unwrap();
        assert_eq!(out, words);
    }

    #[test]
    fn cut_files_are_errors() {
        assert!(parse_parquet(b"PAR1", Path::new("x")).is_err());
        assert!(parse_parquet(b"PAR1\xff\xff\xff\x7fPAR1", Path::new("x")).is_err());
        assert!(parse_parquet(b"", Path::new("x")).is_err());
    }
}

//! Reads CSV results, our own and those of other tools.
//!
//! The first line names the columns; the separator is whichever of `,` `;` or tab the header has
//! outside quotes. The time column is the one called `time` in any case, else the first. A decimal
//! comma is understood where the separator is not a comma. A last line that was cut off is left out, and
//! the table says so. What the file's partner says of its variables is added.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::{Column, ResultError, ResultTable, partner};

pub fn read_csv(path: &Path) -> Result<ResultTable, ResultError> {
    let bytes = fs::read(path).map_err(|e| ResultError::io(path, e))?;
    let mut table = parse_csv(&bytes, path)?;
    partner::add(path, &mut table);
    Ok(table)
}

/// `path` is only for messages.
pub fn parse_csv(bytes: &[u8], path: &Path) -> Result<ResultTable, ResultError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lines = bytes.split(|&b| b == b'\n').enumerate();
    let mut header = None;
    let mut separator = None;
    for (_, line) in lines.by_ref() {
        let line = trim(line);
        // Spreadsheet programs announce the separator in a line of its own.
        if let Some(hint) = line.strip_prefix(b"sep=") {
            separator = hint.first().copied();
        } else if !line.is_empty() && !line.starts_with(b"#") {
            header = Some(line);
            break;
        }
    }
    let Some(header) = header else {
        return Err(ResultError::format(path, "the file is empty"));
    };
    let separator = separator.unwrap_or_else(|| find_separator(header));
    let mut names = split_header(header, separator);
    // Some tools end the header, or all lines, with a separator.
    while names.len() > 1 && names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    if names.iter().all(|n| n.parse::<f64>().is_ok()) {
        return Err(ResultError::format(
            path,
            "the first line must name the columns",
        ));
    }
    let mut seen = HashSet::new();
    let mut named = names.iter().filter(|name| !name.is_empty());
    if let Some(twice) = named.find(|name| !seen.insert(name.as_str())) {
        let what = format!("two columns are named `{twice}`");
        return Err(ResultError::format(path, what));
    }
    let time_column = names
        .iter()
        .position(|n| n.eq_ignore_ascii_case("time"))
        .unwrap_or(0);

    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut row = Vec::with_capacity(names.len());
    let mut last_bad: Option<String> = None;
    for (number, line) in lines {
        let line = trim(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if let Some(what) = last_bad {
            return Err(ResultError::format(path, what));
        }
        row.clear();
        match parse_row(line, separator, names.len(), &mut row) {
            Ok(()) => {
                for (column, value) in columns.iter_mut().zip(&row) {
                    column.push(*value);
                }
            }
            // Forgiven if it is the last line: the writer was interrupted.
            Err(what) => last_bad = Some(format!("line {}: {what}", number + 1)),
        }
    }
    if let (Some(what), true) = (&last_bad, columns[0].is_empty()) {
        return Err(ResultError::format(path, what));
    }

    let mut table = ResultTable::new(std::mem::take(&mut columns[time_column]));
    table.unfinished_row = last_bad.is_none() && !bytes.ends_with(b"\n") && !table.time.is_empty();
    table.incomplete = last_bad.map(|what| format!("the file is cut off: {what}"));
    for (i, (name, values)) in names.into_iter().zip(columns).enumerate() {
        if i != time_column {
            table.push(name, Column::Series(values.into()));
        }
    }
    Ok(table)
}

fn trim(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

fn find_separator(header: &[u8]) -> u8 {
    let mut quoted = false;
    let mut depth = 0;
    let mut comma_in_brackets = false;
    for &b in header {
        match b {
            b'"' => quoted = !quoted,
            b'[' if !quoted => depth += 1,
            b']' if !quoted => depth -= 1,
            b';' | b'\t' if !quoted => return b,
            b',' if !quoted && depth <= 0 => return b,
            b',' if !quoted => comma_in_brackets = true,
            _ => {}
        }
    }
    if comma_in_brackets { b'\t' } else { b',' }
}

/// Splits a header; a comma within quotes or within brackets (`x[1,2]`) belongs to the name.
fn split_header(header: &[u8], separator: u8) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = Vec::new();
    let mut quoted = false;
    let mut depth = 0i32;
    let mut i = 0;
    while i < header.len() {
        let b = header[i];
        match b {
            b'"' if quoted && header.get(i + 1) == Some(&b'"') => {
                name.push(b'"');
                i += 1;
            }
            b'"' => quoted = !quoted,
            _ if b == separator && !quoted && depth <= 0 => names.push(take_name(&mut name)),
            _ => {
                if !quoted {
                    depth += i32::from(b == b'[') - i32::from(b == b']');
                }
                name.push(b);
            }
        }
        i += 1;
    }
    names.push(take_name(&mut name));
    names
}

fn take_name(bytes: &mut Vec<u8>) -> String {
    let name = String::from_utf8_lossy(bytes).trim().to_owned();
    bytes.clear();
    name
}

fn parse_row(line: &[u8], separator: u8, width: usize, row: &mut Vec<f64>) -> Result<(), String> {
    let mut fields = line.split(|&b| b == separator);
    for field in fields.by_ref().take(width) {
        row.push(parse_number(field, separator)?);
    }
    // Separators may end a line, values may not go on behind the last column: `0,5` would be two numbers.
    let more = fields.filter(|f| !f.trim_ascii().is_empty()).count();
    match row.len() + more {
        found if found == width => Ok(()),
        found => Err(format!("{found} values instead of {width}")),
    }
}

fn parse_number(field: &[u8], separator: u8) -> Result<f64, String> {
    let field = field.trim_ascii();
    let field = field
        .strip_prefix(b"\"")
        .and_then(|f| f.strip_suffix(b"\""))
        .unwrap_or(field);
    let text = std::str::from_utf8(field).unwrap_or("?");
    if let Ok(value) = text.parse() {
        return Ok(value);
    }
    match text {
        "" => Ok(f64::NAN),
        "true" | "True" | "TRUE" => Ok(1.0),
        "false" | "False" | "FALSE" => Ok(0.0),
        _ => {
            if separator != b','
                && text.contains(',')
                && let Ok(value) = text.replace(',', ".").parse()
            {
                return Ok(value);
            }
            // Fortran's exponent letter, and Matlab's spelling of infinity.
            text.replace(['d', 'D'], "e")
                .parse()
                .map_err(|_| format!("`{text}` is not a number"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ResultTable, ResultError> {
        parse_csv(text.as_bytes(), Path::new("x.csv"))
    }

    #[test]
    fn own_and_foreign_headers() {
        let own = parse("time,a.b,\"x[1,2]\"\n0,1,2\n0.5,NaN,inf\n").unwrap();
        assert_eq!(own.names, ["a.b", "x[1,2]"]);
        assert_eq!(own.time, [0.0, 0.5]);
        assert!(own.series("a.b").unwrap()[1].is_nan());
        assert_eq!(own.series("x[1,2]").unwrap()[1], f64::INFINITY);

        let quoted = parse("\"Time\",\"u\"\r\n0,1\r\n1,2\r\n").unwrap();
        assert_eq!(quoted.time, [0.0, 1.0]);
        assert_eq!(quoted.series("u").unwrap().as_ref(), [1.0, 2.0]);

        let german = parse("Time;x[1, 2];b;\n0,5;1,25;true;\n1;2;false;\n").unwrap();
        assert_eq!(german.names, ["x[1, 2]", "b"]);
        assert_eq!(german.time, [0.5, 1.0]);
        assert_eq!(german.series("x[1,2]").unwrap()[0], 1.25);
        assert_eq!(german.series("b").unwrap().as_ref(), [1.0, 0.0]);

        let late = parse("a,time\n7,0\n8,1\n").unwrap();
        assert_eq!(late.time, [0.0, 1.0]);
        assert_eq!(late.series("a").unwrap().as_ref(), [7.0, 8.0]);

        let bare = parse("time,x[1,2],y\n0,1,2\n").unwrap();
        assert_eq!(bare.names, ["x[1,2]", "y"]);
    }

    #[test]
    fn a_cut_last_line_is_forgiven_and_a_bad_middle_line_is_not() {
        let table = parse("time,a,b\n0,1,2\n1,3").unwrap();
        assert_eq!(table.time, [0.0]);
        let told = table.incomplete.unwrap();
        assert_eq!(told, "the file is cut off: line 3: 2 values instead of 3");
        let error = parse("time,a\n0,hello\n1,2\n").unwrap_err().to_string();
        assert_eq!(error, "x.csv: line 2: `hello` is not a number");
        // A decimal comma where commas separate.
        let error = parse("time,x\n0,5,1,25\n1,5,2,25\n")
            .unwrap_err()
            .to_string();
        assert_eq!(error, "x.csv: line 2: 4 values instead of 2");
        let error = parse("time,x,x\n0,1,2\n").unwrap_err().to_string();
        assert_eq!(error, "x.csv: two columns are named `x`");
        assert!(parse("").is_err());
        assert!(parse("1,2\n3,4\n").is_err());
    }
}

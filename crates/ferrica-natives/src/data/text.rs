//! The text format of Modelica tables: `#1` in the first line, then any number of tables
//! `double name(rows,columns)` followed by the numbers row by row. `#` begins a comment; blanks,
//! commas, semicolons and line ends separate numbers.

use super::{Matrix, checked_size};

pub fn parse(text: &str, name: &str) -> Result<Matrix, String> {
    // Editors may begin a file with a mark of its encoding.
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if !lines.next().is_some_and(|first| first.starts_with("#1")) {
        return Err("the first line of a table file must begin with `#1`".to_string());
    }
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some((table, rows, columns)) = header(line) else {
            continue;
        };
        if table != name {
            found.push(table.to_string());
            continue;
        }
        let n = checked_size(rows, columns)?;
        let mut data = Vec::with_capacity(n.min(text.len()));
        for line in lines {
            let numbers = line.split('#').next().unwrap_or("");
            for word in numbers.split([' ', '\t', ',', ';', '\r']) {
                if word.is_empty() || data.len() == n {
                    continue;
                }
                data.push(word.parse().map_err(|_| {
                    format!(
                        "table `{name}`: `{word}` is not a number (row {})",
                        data.len() / columns.max(1) + 1
                    )
                })?);
            }
            if data.len() == n {
                break;
            }
        }
        if data.len() < n {
            return Err(format!(
                "table `{name}({rows},{columns})` ends after {} of {n} numbers",
                data.len()
            ));
        }
        return Ok(Matrix {
            rows,
            columns,
            data,
        });
    }
    Err(format!(
        "there is no table `{name}`; there are: {}",
        found.join(", ")
    ))
}

/// `double name(rows,columns)`
fn header(line: &str) -> Option<(&str, usize, usize)> {
    let line = line.trim_start();
    let rest = ["double", "float", "int"]
        .into_iter()
        .find_map(|word| line.strip_prefix(word))?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (name, rest) = rest.split_once('(')?;
    let (dims, _) = rest.split_once(')')?;
    let (rows, columns) = dims.split_once(',')?;
    Some((
        name.trim(),
        rows.trim().parse().ok()?,
        columns.trim().parse().ok()?,
    ))
}

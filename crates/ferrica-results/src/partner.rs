//! `NAME.csv.json`: what a CSV file has no place for.
//!
//! In: the variables of a result. Out: one JSON object with unit, display unit, description and type of each column, the
//! parameters with their values, and, once the run is complete, the number of rows:
//!
//! ```json
//! {
//! "format": "ferrica result 1",
//! "variables": [
//! {"name": "time", "unit": "s"},
//! {"name": "C.v", "unit": "V", "description": "voltage"}
//! ],
//! "parameters": [
//! {"name": "C.C", "value": 1e-3, "unit": "F"}
//! ],
//! "rows": 501
//! }
//! ```
//!
//! A reader takes it only where its columns are those of the file: a partner that was left behind says nothing.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::csv_writer::push_number;
use crate::{
    Column, Declaration, Layout, Resolved, ResultTable, TEXT, TextParameter, ValueType,
    VariableInfo,
};

const FORMAT: &str = "ferrica result 1";
/// The end of a file whose run is not complete.
const OPEN_END: &str = "\"rows\": null\n}\n";

/// The partner's name.
pub fn partner_of(csv: &Path) -> PathBuf {
    let mut name = csv.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

/// May a partner be written there? Not over a file that is none.
pub fn may_be_replaced(path: &Path) -> bool {
    let Ok(mut file) = File::open(path) else {
        return !path.exists();
    };
    let mut start = [0u8; 64];
    let Ok(n) = file.read(&mut start) else {
        return false;
    };
    n == 0 || String::from_utf8_lossy(&start[..n]).contains(FORMAT)
}

fn entry(name: &str, value: Option<f64>, declared: &Declaration) -> Value {
    let mut map = Map::new();
    map.insert("name".into(), name.into());
    if let Some(v) = value {
        map.insert("value".into(), number(v, &declared.ty));
    }
    let texts = [
        ("unit", &declared.unit),
        ("displayUnit", &declared.display_unit),
        ("description", &declared.description),
    ];
    for (key, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        map.insert((*key).into(), text.as_str().into());
    }
    if declared.ty != ValueType::Real {
        map.insert("type".into(), declared.ty.to_string().into());
    }
    Value::Object(map)
}

/// JSON has no word for what is not finite: a text.
fn number(value: f64, ty: &ValueType) -> Value {
    match ty {
        ValueType::Boolean if value == 0.0 || value == 1.0 => json!(value == 1.0),
        ValueType::Integer | ValueType::Enumeration(_) if value.abs() < 9e15 => {
            json!(value as i64)
        }
        _ if value.is_finite() => json!(value),
        _ => {
            let mut text = Vec::new();
            push_number(&mut text, value);
            String::from_utf8_lossy(&text).into_owned().into()
        }
    }
}

fn value_of(entry: &Value) -> Option<f64> {
    match entry.get("value")? {
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        Value::String(text) => text.parse().ok(),
        number => number.as_f64(),
    }
}

/// Writes all but the number of rows.
pub fn begin(
    file: &mut File,
    variables: &[VariableInfo],
    texts: &[TextParameter],
) -> io::Result<()> {
    let layout = Layout::new(variables)?;
    let mut out = BufWriter::new(file);
    let time = Declaration {
        unit: "s".into(),
        ..Declaration::default()
    };
    write!(out, "{{\n\"format\": \"{FORMAT}\",\n\"variables\": [\n")?;
    serde_json::to_writer(&mut out, &entry("time", None, &time))?;
    let all = || variables.iter().zip(&layout.resolved);
    let is_parameter = |r: &Resolved| {
        matches!(
            r,
            Resolved::Constant {
                parameter: true,
                ..
            }
        )
    };
    for (variable, _) in all().filter(|(_, r)| !is_parameter(r)) {
        out.write_all(b",\n")?;
        serde_json::to_writer(&mut out, &entry(&variable.name, None, &variable.declared))?;
    }
    write!(out, "\n],\n\"parameters\": [\n")?;
    let mut separator = "";
    for (variable, resolved) in all() {
        if let Resolved::Constant {
            value,
            parameter: true,
        } = resolved
        {
            out.write_all(separator.as_bytes())?;
            let entry = entry(&variable.name, Some(*value), &variable.declared);
            serde_json::to_writer(&mut out, &entry)?;
            separator = ",\n";
        }
    }
    for t in texts {
        let mut map = Map::new();
        map.insert("name".into(), t.name.as_str().into());
        map.insert("value".into(), t.value.as_str().into());
        if !t.description.is_empty() {
            map.insert("description".into(), t.description.as_str().into());
        }
        map.insert("type".into(), TEXT.into());
        write!(out, "{separator}{}", Value::Object(map))?;
        separator = ",\n";
    }
    write!(out, "\n],\n{OPEN_END}")?;
    out.flush()
}

/// Adds the number of rows.
pub fn complete(file: &mut File, rows: u64) -> io::Result<()> {
    let at = file.seek(SeekFrom::End(-(OPEN_END.len() as i64)))?;
    file.set_len(at)?;
    file.write_all(format!("\"rows\": {rows}\n}}\n").as_bytes())
}

/// Adds what the partner of a CSV file says to the table that was read from it.
pub fn add(csv: &Path, table: &mut ResultTable) {
    let path = partner_of(csv);
    let Ok(text) = std::fs::read(&path) else {
        return;
    };
    let Ok(partner) = serde_json::from_slice::<Value>(&text) else {
        return;
    };
    let list = |key: &str| partner.get(key).and_then(Value::as_array);
    let Some(variables) = list("variables").filter(|_| partner["format"] == FORMAT) else {
        return;
    };
    fn name(entry: &Value) -> &str {
        entry["name"].as_str().unwrap_or_default()
    }
    let columns = variables.iter().skip(1).map(name);
    if !columns.eq(table.names.iter().map(String::as_str)) {
        return;
    }
    for (k, entry) in variables.iter().skip(1).enumerate() {
        table.declare(k, declaration(entry));
    }
    let rows = partner.get("rows").and_then(Value::as_u64);
    let there = table.time.len() as u64;
    match rows {
        Some(rows) if rows == there => {}
        Some(rows) => {
            table.drop_unfinished_row();
            table.incomplete = Some(format!(
                "{there} rows, {rows} by {}: it is cut off, or of another run",
                path.display()
            ));
            // Parameters of another run would be wrong.
            return;
        }
        None => {
            table.drop_unfinished_row();
            let rows = table.time.len();
            table.incomplete = Some(format!(
                "the run that wrote it did not complete; {rows} rows"
            ));
        }
    }
    let numbers = |e: &&Value| e.get("type").is_none_or(|t| t != TEXT);
    for entry in list("parameters").into_iter().flatten().filter(numbers) {
        if let Some(value) = value_of(entry) {
            table.push(name(entry).to_owned(), Column::Constant(value));
            table.declare(table.names.len() - 1, declaration(entry));
            table.aside += 1;
        }
    }
}

fn declaration(entry: &Value) -> Declaration {
    let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    Declaration {
        unit: text("unit"),
        display_unit: text("displayUnit"),
        description: text("description"),
        ty: text("type").parse().unwrap_or_default(),
    }
}

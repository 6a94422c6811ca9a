//! `ferrica vars`: the variables of a model or of a result, as a table or as JSON.

use std::fmt::Write;
use std::path::Path;

use ferrica::results::{Column, ResultFormat, ValueType, glob_matches};
use ferrica::words::brief;
use ferrica::words::closest_variable;
use serde_json::{Map, Value};

use crate::Outcome;
use crate::cli::{OutputFormat, VarsArgs};
use crate::inputs::read_result;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::options::ModelOptions;
use ferrica::sources::listing::{self, ListedVariable as Row};
use ferrica::stages::pipeline;
use ferrica::stages::stats::Stats;

pub fn vars(args: &VarsArgs, reporter: &mut Reporter) -> Outcome {
    let mut globs = args.globs.clone();
    let mut model = args.model.options();
    // `-m NAME GLOB`: the first word is no file.
    if let (Some(_), Some(file)) = (&model.model, &model.file)
        && !file.exists()
    {
        globs.insert(0, file.to_string_lossy().into_owned());
        model.file = None;
    }
    let is_result = |file: &Path| ResultFormat::of(file).is_some();
    let rows = match model.file.clone().filter(|file| is_result(file)) {
        Some(file) => of_result(&file, reporter)?,
        None => of_model(&model, reporter)?,
    };
    let wanted = |r: &&Row| globs.is_empty() || globs.iter().any(|g| glob_matches(g, &r.name));
    let chosen: Vec<&Row> = rows.iter().filter(wanted).collect();
    if chosen.is_empty() && !globs.is_empty() {
        let list = globs.join(", ");
        let message = format!("no variable matches `{list}`");
        let near = closest_variable(&list, rows.iter().map(|r| r.name.as_str()));
        return Err(match near {
            Some(near) => Failure::usage_with_hint(message, format!("did you mean `{near}`?")),
            None => Failure::usage(message),
        });
    }
    print_out(&match args.format {
        OutputFormat::Text => table(&chosen),
        OutputFormat::Json => json(&chosen),
    })
}

fn of_result(file: &Path, reporter: &mut Reporter) -> Result<Vec<Row>, Failure> {
    let table = read_result(file, reporter)?;
    let rows = table.names.iter().enumerate().map(|(k, name)| {
        let declared = table.declared(k);
        let value = match table.columns[k] {
            Column::Constant(value) => Some(value),
            Column::Series(_) => None,
        };
        Row {
            name: name.clone(),
            kind: if value.is_some() { "constant" } else { "" },
            ty: match &declared.ty {
                ValueType::Enumeration(_) => "enumeration".to_owned(),
                ty => ty.to_string(),
            },
            unit: declared.unit.clone(),
            value,
            description: declared.description.clone(),
        }
    });
    Ok(rows.collect())
}

fn of_model(options: &ModelOptions, reporter: &mut Reporter) -> Result<Vec<Row>, Failure> {
    let compiled = pipeline::compile(options, reporter, &mut Stats::default())?;
    Ok(listing::variables(&compiled))
}

fn table(rows: &[&Row]) -> String {
    let cells: Vec<[String; 6]> = rows
        .iter()
        .map(|r| {
            let value = r.value.map_or(String::new(), brief);
            let words = [&r.name, r.kind, &r.ty, &r.unit, &value, &r.description];
            words.map(str::to_owned)
        })
        .collect();
    let heads = ["name", "kind", "type", "unit", "value", "description"].map(str::to_owned);
    let all = || std::iter::once(&heads).chain(&cells);
    let width = |k: usize| all().map(|c| c[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut out = String::new();
    for line in all() {
        let padded: Vec<String> = (0..6)
            .map(|k| format!("{:1$}", line[k], widths[k]))
            .collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", padded.join("  ").trim_end());
    }
    out
}

/// One object a variable, in an array; what is not known is left out.
fn json(rows: &[&Row]) -> String {
    let objects = rows.iter().map(|r| {
        let mut map = Map::new();
        let texts = [
            ("name", r.name.as_str()),
            ("kind", r.kind),
            ("type", &r.ty),
            ("unit", &r.unit),
            ("description", &r.description),
        ];
        for (key, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
            map.insert((*key).to_owned(), Value::from(*text));
        }
        if let Some(value) = r.value.filter(|v| v.is_finite()) {
            map.insert("value".to_owned(), Value::from(value));
        }
        format!("  {}", Value::Object(map))
    });
    let objects: Vec<String> = objects.collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

//! The list of examples with the settings of their references.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

#[derive(Clone, Debug)]
pub struct Example {
    pub class: String,
    pub domain: String,
    /// Path of the reference below the folder of references, if it can be had.
    pub reference: Option<String>,
    /// `--start`, `--stop`, `--interval`, `--tol` of the reference, as given.
    pub settings: Vec<(&'static str, String)>,
    pub rung: Option<u32>,
}

pub fn read(table: &Path, ladder: Option<&Path>) -> Result<Vec<Example>, String> {
    let mut examples: Vec<Example> = rows(table)?.iter().map(example).collect();
    if let Some(path) = ladder {
        let rungs: HashMap<String, u32> = rows(path)?
            .iter()
            .map(|r| (r["class"].clone(), r["rung"].parse().unwrap_or(0)))
            .collect();
        for e in &mut examples {
            e.rung = rungs.get(&e.class).copied();
        }
        examples.retain(|e| e.rung.is_some());
    }
    Ok(examples)
}

fn example(row: &HashMap<String, String>) -> Example {
    let get = |name: &str| row.get(name).cloned().unwrap_or_default();
    let settings = [
        ("--start", "ref_StartTime"),
        ("--stop", "ref_StopTime"),
        ("--interval", "ref_Interval"),
        ("--tol", "ref_Tolerance"),
    ]
    .into_iter()
    .map(|(flag, column)| (flag, get(column)))
    .filter(|(_, value)| value.parse::<f64>().is_ok())
    .collect();
    Example {
        class: get("class"),
        domain: get("domain"),
        reference: (get("csv_in_mirror") == "yes").then(|| get("ref_csv")),
        settings,
        rung: None,
    }
}

/// Rows by column name.
fn rows(path: &Path) -> Result<Vec<HashMap<String, String>>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    if !header.contains(&"class") {
        return Err(format!("{}: no column `class`", path.display()));
    }
    Ok(lines
        .filter(|l| !l.trim().is_empty())
        .map(|line| {
            header
                .iter()
                .zip(line.split('\t'))
                .map(|(h, v)| (h.to_string(), v.trim().to_string()))
                .collect()
        })
        .collect())
}

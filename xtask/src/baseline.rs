//! What held before and must hold again: for each model how far it got.
//!
//! The baseline only goes up. A run that is behind it fails, and `--update` keeps the better of old and
//! new for each model, so that one bad day does not lower the mark.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::json;
use crate::msl::{Outcome, Stage};
use crate::options::Options;

/// Compares with the baseline; `false` if a model fell back.
pub fn check(options: &Options, outcomes: &[Outcome], counts: bool) -> Result<bool, String> {
    let before = read(&options.baseline)?;
    let mut behind = Vec::new();
    let mut ahead = 0;
    let mut after = before.clone();
    for o in outcomes {
        let old = before.get(&o.class).copied().unwrap_or_default();
        if o.stage > old {
            ahead += 1;
            after.insert(o.class.clone(), o.stage);
        } else if counts && o.stage < old {
            behind.push((o, old));
        }
    }
    if !before.is_empty() {
        println!(
            "\nagainst {}: {ahead} models further, {} behind",
            options.baseline.display(),
            behind.len()
        );
    }
    for (o, old) in &behind {
        let why = o.diagnosis.as_ref().map_or("", |d| &d.message);
        println!(
            "  {} was {}, is {}: {why}",
            o.class,
            old.word(),
            o.stage.word()
        );
    }
    if options.update {
        write(&options.baseline, &after)?;
        println!("wrote {}", options.baseline.display());
    }
    Ok(behind.is_empty())
}

fn read(path: &Path) -> Result<BTreeMap<String, Stage>, String> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text
        .lines()
        .filter_map(json::pair)
        .filter_map(|(class, word)| Some((class.to_string(), Stage::from_word(word)?)))
        .collect())
}

fn write(path: &Path, models: &BTreeMap<String, Stage>) -> Result<(), String> {
    let counts: Vec<String> = Stage::ALL
        .iter()
        .map(|s| {
            let n = models.values().filter(|stage| *stage >= s).count();
            format!("    \"{}\": {n}", s.word())
        })
        .collect();
    let lines: Vec<String> = models
        .iter()
        .map(|(class, stage)| format!("    {}: \"{}\"", json::string(class), stage.word()))
        .collect();
    let text = format!(
        "{{\n  \"counts\": {{\n{}\n  }},\n  \"models\": {{\n{}\n  }}\n}}\n",
        counts.join(",\n"),
        lines.join(",\n")
    );
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_reads_back() {
        let path = std::env::temp_dir().join(format!("baseline-{}.json", std::process::id()));
        let models = BTreeMap::from([
            ("A.b".to_string(), Stage::Matching),
            ("A.c".to_string(), Stage::Flattened),
        ]);
        write(&path, &models).unwrap();
        let back = read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(back, models);
    }
}

//! Any Modelica library: which of its models compile and run.
//!
//! In: the folders of `--lib`, of which the first holds the library to be tried and the others what it needs. The models
//! are those with an `experiment` annotation, all of them or a random sample. Out: how many compile and how many run to
//! their end, and the failures grouped by their first diagnostic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ferrica_ir::FileId;
use ferrica_syntax::ast::{ClassDef, ClassKind, ElementKind};

use crate::child::{self, End, Limits};
use crate::diagnosis::{self, Diagnosis};
use crate::options::Options;
use crate::{jobs, json, random};

/// Failures shown of each group.
const SHOWN: usize = 3;

struct Outcome {
    class: String,
    checked: bool,
    ran: bool,
    seconds: f64,
    diagnosis: Option<Diagnosis>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let mut models = Vec::new();
    collect(&options.libs[0], &mut models)?;
    models.sort();
    models.dedup();
    models.retain(|m| options.wants(m));
    let found = models.len();
    if let Some(n) = options.sample {
        random::sample(&mut models, n, options.seed, |m| m);
    }
    if models.is_empty() {
        return Err("no model with an experiment annotation below the first --lib".to_string());
    }
    println!("{} of {found} models", models.len());
    let program = options.program()?;
    let outcomes = all(options, &program, &models)?;
    print(&outcomes);
    if let Some(path) = &options.json {
        let lines: Vec<String> = outcomes.iter().map(line).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let broken = |o: &Outcome| o.diagnosis.as_ref().is_some_and(|d| d.broken);
    Ok(!outcomes.iter().any(broken))
}

/// Models with an experiment, by their full names.
fn collect(folder: &Path, models: &mut Vec<String>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, models)?;
        } else if path.extension().is_some_and(|e| e == "mo") {
            let text = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let text = String::from_utf8_lossy(&text);
            let (tree, _) = ferrica_syntax::parse_tree(FileId(0), &text);
            let within = tree.within.map(|n| n.to_string()).unwrap_or_default();
            for class in &tree.classes {
                add(class, &within, models);
            }
        }
    }
    Ok(())
}

fn add(class: &ClassDef, around: &str, models: &mut Vec<String>) {
    let name = match around {
        "" => class.name.to_string(),
        _ => format!("{around}.{}", class.name),
    };
    let annotation = class.annotation.as_deref();
    let experiment = annotation.is_some_and(|a| a.find("experiment").is_some());
    let model = matches!(
        class.kind,
        ClassKind::Model | ClassKind::Block | ClassKind::Class
    );
    if experiment && model && !class.partial {
        models.push(name.clone());
    }
    for e in class.elements() {
        if let ElementKind::Class(inner) = &e.kind {
            add(inner, &name, models);
        }
    }
}

fn all(options: &Options, program: &Path, models: &[String]) -> Result<Vec<Outcome>, String> {
    let folder = std::env::temp_dir().join(format!("ferrica-library-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let outcomes = jobs::all(options.jobs, models, |_, m| {
        one(options, program, &folder, m)
    });
    // A folder that stays behind in the temporary folder does no harm.
    let _ = fs::remove_dir_all(&folder);
    outcomes
}

fn one(options: &Options, program: &Path, folder: &Path, model: &str) -> Result<Outcome, String> {
    let limits = Limits {
        time: options.limit,
        memory_gb: options.memory_gb,
    };
    let command = |verb: &str, more: &[&str]| {
        let mut args = vec![verb.to_string(), "-m".to_string(), model.to_string()];
        for lib in &options.libs {
            args.extend(["--lib".to_string(), lib.display().to_string()]);
        }
        args.extend(more.iter().map(|m| m.to_string()));
        child::run(program, &args, folder, limits)
    };
    let mut outcome = Outcome {
        class: model.to_string(),
        checked: false,
        ran: false,
        seconds: 0.0,
        diagnosis: None,
    };
    let checked = command("check", &[])?;
    outcome.checked = checked.end == End::Exit(0);
    if !outcome.checked {
        outcome.diagnosis = Some(diagnosis::diagnose(&checked));
        return Ok(outcome);
    }
    let result = format!("{model}.csv");
    // Who tries a library has decided to run its C code.
    let ran = command("run", &["-o", &result, "--allow-external"])?;
    outcome.ran = ran.end == End::Exit(0);
    outcome.seconds = ran.seconds;
    if !outcome.ran {
        outcome.diagnosis = Some(diagnosis::diagnose(&ran));
    }
    // Results of large models would fill the disk.
    let _ = fs::remove_file(folder.join(result));
    Ok(outcome)
}

fn print(outcomes: &[Outcome]) {
    let count = |f: fn(&Outcome) -> bool| outcomes.iter().filter(|o| f(o)).count();
    let mut groups: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for o in outcomes {
        if let Some(d) = &o.diagnosis {
            groups.entry(&d.group).or_default().push(o);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, list)| std::cmp::Reverse(list.len()));
    for (group, list) in groups {
        println!("{:4}  {group}", list.len());
        for o in list.iter().take(SHOWN) {
            let message = o.diagnosis.as_ref().map_or("", |d| d.message.as_str());
            println!("        {}: {message}", o.class);
        }
    }
    println!(
        "{} tried, {} check, {} run",
        outcomes.len(),
        count(|o| o.checked),
        count(|o| o.ran)
    );
}

fn line(o: &Outcome) -> String {
    let message = o.diagnosis.as_ref().map_or("", |d| d.message.as_str());
    format!(
        "  {{\"class\": {}, \"check\": {}, \"run\": {}, \"seconds\": {:.3}, \"message\": {}}}",
        json::string(&o.class),
        o.checked,
        o.ran,
        o.seconds,
        json::string(message)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_with_an_experiment_are_found_in_packages() {
        let text = "within A; package B model C annotation(experiment(StopTime=1)); end C;
            partial model D annotation(experiment(StopTime=1)); end D; model E end E; end B;";
        let (tree, _) = ferrica_syntax::parse_tree(FileId(0), text);
        let mut models = Vec::new();
        add(&tree.classes[0], "A", &mut models);
        assert_eq!(models, ["A.B.C"]);
    }
}

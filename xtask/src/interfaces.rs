//! The classes of the built-in library beside those of the same name in the real one.
//!
//! What a user writes must mean the same: every public component, parameter and variable of the real class that a user
//! can name or modify is in ours, with the same type, unit and default. Read from `ferrica dump --stage instance`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::builtin::{each, ferrica, real};
use crate::options::Options;

/// A public element of a class.
#[derive(Clone, Debug, PartialEq)]
struct Element {
    /// `parameter Real`, `input Boolean`, or a class name.
    kind: String,
    unit: String,
    /// The default of a parameter.
    value: String,
}

impl Element {
    /// What users connect or modify: connectors, signals, parameters with a literal or without a default. Other elements
    /// are how a class does its work.
    fn is_interface(&self) -> bool {
        let literal = self.value.is_empty()
            || self.value.parse::<f64>().is_ok()
            || self.value.starts_with(['"', '\''])
            || matches!(self.value.as_str(), "true" | "false");
        self.kind.contains("Interfaces.")
            || self.kind.starts_with("input ")
            || self.kind.starts_with("output ")
            || self.kind.starts_with("parameter ") && literal
    }
}

struct Verdict {
    class: String,
    faults: Vec<String>,
    compared: bool,
}

/// What the comparison came to.
pub struct Outcome {
    pub compared: usize,
    pub agree: bool,
}

pub fn run(options: &Options, program: &Path) -> Result<Outcome, String> {
    let ours = classes(program, &[])?;
    let theirs = classes(program, &real(options))?;
    let common: Vec<&String> = ours
        .keys()
        .filter(|name| theirs.contains_key(*name) && options.wants(name))
        .filter(|name| !hidden(name))
        .collect();
    let mut verdicts = each(options.jobs, &common, |name| {
        compare(options, program, name)
    })?;
    verdicts.sort_by(|a, b| a.class.cmp(&b.class));
    let compared = verdicts.iter().filter(|v| v.compared).count();
    let faulty: Vec<&Verdict> = verdicts.iter().filter(|v| !v.faults.is_empty()).collect();
    println!();
    for v in &faulty {
        println!("{}", v.class);
        for fault in &v.faults {
            println!("    {fault}");
        }
    }
    println!(
        "{compared} classes compared with those of the standard library: {} differ in their public elements",
        faulty.len()
    );
    if options.filter.is_none() {
        missing(&ours, &theirs);
    }
    Ok(Outcome {
        compared,
        agree: faulty.is_empty(),
    })
}

/// Not meant for users.
fn hidden(name: &str) -> bool {
    [
        "Examples",
        "Internal",
        "Icons",
        "Obsolete",
        "UsersGuide",
        "Utilities",
    ]
    .iter()
    .any(|part| name.split('.').any(|n| n == *part))
}

/// Full names and kinds of all classes below `Modelica`, packages with them.
fn classes(program: &Path, library: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut args = vec!["dump", "--stage", "classes", "-m", "Modelica"];
    args.extend(library.iter().map(String::as_str));
    let output = ferrica(program, &args)?;
    let mut found = BTreeMap::new();
    let mut path: Vec<String> = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let name = line.trim_start();
        let depth = (line.len() - name.len()) / 2;
        let Some((kind, name)) = name.rsplit_once(' ') else {
            continue;
        };
        path.truncate(depth);
        path.push(name.to_string());
        found.insert(path.join("."), kind.to_string());
    }
    Ok(found)
}

/// The public elements at the top of a class, or nothing if it cannot be instantiated by itself.
fn elements(
    program: &Path,
    class: &str,
    library: &[String],
) -> Result<Option<BTreeMap<String, Element>>, String> {
    let mut args = vec!["dump", "--stage", "instance", "-q", "-m", class];
    args.extend(library.iter().map(String::as_str));
    let output = ferrica(program, &args)?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = text
        .lines()
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .filter_map(|l| l[2..].split_once(": "))
        .filter(|(name, _)| !name.starts_with("protected "))
        .map(|(name, rest)| (name.to_string(), element(rest)))
        .collect();
    Ok(Some(found))
}

/// `parameter Real [s] = 0.5 "text"`.
fn element(text: &str) -> Element {
    let text = match text.find(" \"") {
        Some(at) => &text[..at],
        None => text,
    };
    let text = text.split(" (start").next().unwrap_or(text);
    let (text, value) = match text.split_once(" = ") {
        Some((head, value)) => (head, value.to_string()),
        None => (text, String::new()),
    };
    let (kind, unit) = match text.split_once(" [") {
        Some((kind, unit)) => (kind, unit.trim_end_matches(']').to_string()),
        None => (text, String::new()),
    };
    Element {
        kind: kind.to_string(),
        unit,
        value,
    }
}

fn compare(options: &Options, program: &Path, class: &str) -> Result<Verdict, String> {
    let ours = elements(program, class, &[])?;
    let theirs = elements(program, class, &real(options))?;
    let mut verdict = Verdict {
        class: class.to_string(),
        faults: Vec::new(),
        compared: false,
    };
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Ok(verdict);
    };
    verdict.compared = true;
    for (name, their) in &theirs {
        match ours.get(name) {
            None if their.is_interface() => verdict
                .faults
                .push(format!("{name} ({}) is missing", their.kind)),
            None => {}
            Some(our) => {
                if our.kind != their.kind {
                    verdict
                        .faults
                        .push(format!("{name} is {}, not {}", our.kind, their.kind));
                }
                if our.unit != their.unit && !their.unit.is_empty() {
                    verdict.faults.push(format!(
                        "{name} has the unit `{}`, not `{}`",
                        our.unit, their.unit
                    ));
                }
                if !same_value(&our.value, &their.value) {
                    verdict.faults.push(format!(
                        "{name} has the default {}, not {}",
                        our.value, their.value
                    ));
                }
            }
        }
    }
    Ok(verdict)
}

/// Numbers as numbers; a default that is computed may be written in another way, or be evaluated already.
fn same_value(ours: &str, theirs: &str) -> bool {
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()),
        (Err(_), Ok(_)) => false,
        (Ok(_), Err(_)) => !theirs.is_empty(),
        (Err(_), Err(_)) => theirs.is_empty() || !ours.is_empty(),
    }
}

/// Classes that a package of ours lacks.
fn missing(ours: &BTreeMap<String, String>, theirs: &BTreeMap<String, String>) {
    let mut lacking: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, kind) in theirs {
        if let Some((package, short)) = name.rsplit_once('.')
            && ours.get(package).is_some_and(|k| k.ends_with("Package"))
            && !ours.contains_key(name)
            && !kind.ends_with("Package")
            && !hidden(name)
        {
            lacking.entry(package).or_default().push(short);
        }
    }
    let count: usize = lacking.values().map(Vec::len).sum();
    println!("{count} classes of the standard library that packages of ours lack:");
    for (package, names) in lacking {
        println!("    {package}: {}", names.join(", "));
    }
}

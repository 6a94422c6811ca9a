//! `cargo xtask builtin --lib DIR`: the built-in library beside the real one.
//!
//! Every model of `tests/library` and `examples` that uses `Modelica` runs with both; all variables that the two results
//! have in common are compared. A model that the standard library cannot run in the same way says so in a line
//! `// built-in only: REASON`. Then the classes themselves are compared, see [`crate::interfaces`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::interfaces;
use crate::options::Options;

/// Largest deviation that is the same trajectory: a fraction of the variable's range, as for published references half of it.
const SAME: &str = "1e-3";

/// Runs of two libraries may sort equations differently: what stays below this is rounding.
const ROUNDING: &str = "1e-9";

struct Compared {
    model: String,
    variables: usize,
    /// The variable that differs most, and by how much of its range.
    worst: String,
    deviation: f64,
    /// Classes of the standard library that the model has components of.
    classes: BTreeSet<String>,
    fault: Option<String>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let program = options.program()?;
    let mut models = Vec::new();
    let mut own = Vec::new();
    for folder in ["tests/library", "examples"] {
        for path in sorted(Path::new(folder))? {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            if !text.contains("Modelica.") || !options.wants(&stem(&path)) {
                continue;
            }
            match text
                .lines()
                .find_map(|l| l.strip_prefix("// built-in only: "))
            {
                Some(reason) => own.push((stem(&path), reason.to_string())),
                None => models.push((path, text)),
            }
        }
    }
    let folder = std::env::temp_dir().join(format!("ferrica-builtin-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut compared = each(options.jobs, &models, |(path, text)| {
        compare(options, &program, &folder, path, text)
    })?;
    fs::remove_dir_all(&folder).ok();
    compared.sort_by(|a, b| b.deviation.total_cmp(&a.deviation));
    let good = print(&compared, &own);
    let interfaces = interfaces::run(options, &program)?;
    if options.filter.is_none() && good {
        write_figures(&compared, interfaces.compared)?;
    }
    Ok(interfaces.agree && good)
}

/// The answers for all items, in no order.
pub fn each<T: Sync, A: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<A, String> + Sync,
) -> Result<Vec<A>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = work(item);
                    let Ok(mut done) = done.lock() else { break };
                    done.push(answer);
                }
            });
        }
    });
    done.into_inner()
        .map_err(|e| e.to_string())?
        .into_iter()
        .collect()
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut list: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "mo"))
        .collect();
    list.sort();
    Ok(list)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Runs ferrica without libraries of the environment.
pub fn ferrica(program: &Path, args: &[&str]) -> Result<Output, String> {
    Command::new(program)
        .args(args)
        .env_remove("MODELICAPATH")
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))
}

/// The arguments that name the real library.
pub fn real(options: &Options) -> Vec<String> {
    options
        .libs
        .iter()
        .flat_map(|lib| ["--lib".to_string(), lib.display().to_string()])
        .collect()
}

fn compare(
    options: &Options,
    program: &Path,
    folder: &Path,
    path: &Path,
    text: &str,
) -> Result<Compared, String> {
    let model = stem(path);
    let file = path.display().to_string();
    let flags: Vec<&str> = text
        .lines()
        .next()
        .and_then(|l| l.strip_prefix("// run: "))
        .map_or(Vec::new(), |l| l.split_whitespace().collect());
    let result = |kind: &str| {
        folder
            .join(format!("{model}-{kind}.mat"))
            .display()
            .to_string()
    };
    let (ours, theirs) = (result("ours"), result("theirs"));
    let real = real(options);
    let real: Vec<&str> = real.iter().map(String::as_str).collect();
    let mut answer = Compared {
        model: model.clone(),
        variables: 0,
        worst: String::new(),
        deviation: 0.0,
        classes: BTreeSet::new(),
        fault: None,
    };
    for (name, results, library) in [
        ("built-in", &ours, &[][..]),
        ("standard", &theirs, &real[..]),
    ] {
        let simulated = ferrica(
            program,
            &[&["run", &file, "-o", results, "-q"], &flags[..], library].concat(),
        )?;
        if !simulated.status.success() {
            let message = String::from_utf8_lossy(&simulated.stderr).into_owned();
            let line = message.lines().next().unwrap_or("no message").to_string();
            answer.fault = Some(format!("with the {name} library: {line}"));
            answer.deviation = f64::INFINITY;
            return Ok(answer);
        }
    }
    let diff = ferrica(
        program,
        &["diff", &ours, &theirs, "--tol", SAME, "--abs-tol", ROUNDING],
    )?;
    let table = String::from_utf8_lossy(&diff.stdout).into_owned();
    let count = table
        .lines()
        .find(|l| l.contains(" variables compared") || l.contains(" variable compared"));
    answer.variables = count
        .and_then(|l| l.split(' ').next())
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    // The first line is the head.
    for line in table.lines().skip(1).take(answer.variables) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |k: usize| words.get(k).and_then(|w| w.parse::<f64>().ok());
        if let (Some(of_range), Some(maximum)) = (number(1), number(2))
            && maximum > ROUNDING.parse().unwrap_or(0.0)
            && of_range > answer.deviation
        {
            answer.worst = words[0].to_string();
            answer.deviation = of_range;
        }
    }
    // Models of strings and constants have nothing to compare: their asserts have decided.
    if !diff.status.success() && answer.variables > 0 {
        answer.fault = count.map(str::to_string);
    }
    let tree = ferrica(program, &["dump", "--stage", "instance", &file])?;
    answer.classes = String::from_utf8_lossy(&tree.stdout)
        .lines()
        .filter_map(|l| l.split_once(": Modelica."))
        .map(|(_, class)| class.split(' ').next().unwrap_or(class))
        .filter(|class| !class.contains("Interfaces."))
        .map(|class| format!("Modelica.{class}"))
        .collect();
    fs::remove_file(ours).ok();
    fs::remove_file(theirs).ok();
    Ok(answer)
}

/// Where the figures are that README and book quote; a test compares them.
const FIGURES: &str = "bench/builtin.json";

fn write_figures(compared: &[Compared], interfaces: usize) -> Result<(), String> {
    let classes: BTreeSet<&String> = compared.iter().flat_map(|c| &c.classes).collect();
    let variables: usize = compared.iter().map(|c| c.variables).sum();
    let worst = compared.iter().map(|c| c.deviation).fold(0.0, f64::max);
    let text = format!(
        "{{\n  \"models\": {},\n  \"classes\": {},\n  \"variables\": {variables},\n  \
         \"worst\": \"{worst:.1e}\",\n  \"interfaces\": {interfaces}\n}}\n",
        compared.len(),
        classes.len()
    );
    fs::write(FIGURES, text).map_err(|e| format!("{FIGURES}: {e}"))
}

fn print(compared: &[Compared], own: &[(String, String)]) -> bool {
    println!(
        "{:<28}{:>10}{:>10}{:>12}  worst variable",
        "model", "variables", "classes", "of range"
    );
    for c in compared {
        println!(
            "{:<28}{:>10}{:>10}{:>12.2e}  {}{}",
            c.model,
            c.variables,
            c.classes.len(),
            c.deviation,
            c.worst,
            c.fault
                .as_ref()
                .map_or(String::new(), |f| format!("  DIFFERS: {f}"))
        );
    }
    for (model, reason) in own {
        println!("{model:<28}  not compared: {reason}");
    }
    let faults = compared.iter().filter(|c| c.fault.is_some()).count();
    let classes: BTreeSet<&String> = compared
        .iter()
        .filter(|c| c.fault.is_none())
        .flat_map(|c| &c.classes)
        .collect();
    let worst = compared
        .iter()
        .filter(|c| c.fault.is_none())
        .map(|c| c.deviation)
        .fold(0.0, f64::max);
    println!(
        "{} models with {} component classes, {} variables: {} differ; the others by at most {worst:.2e} of the range",
        compared.len(),
        classes.len(),
        compared.iter().map(|c| c.variables).sum::<usize>(),
        faults,
    );
    faults == 0
}

//! `cargo xtask residuals`: do the rows of the examples of the standard library satisfy their equations, whichever solver made them?
//!
//! In: a table of examples, all or a sample, and solvers. Each example runs with each solver under `--verify`. Out: how many
//! runs have right rows, and the others by what became of them. A refusal with a code, steps that are told not to have converged and a run that
//! takes too long are no faults; a row that does not satisfy an equation without a word, and a crash, are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::child::{self, End, Finished, Limits};
use crate::diagnosis::{self, Diagnosis};
use crate::examples::{self, Example};
use crate::options::Options;
use crate::{jobs, json, random};

/// Those of the default settings, one of each kind of engine.
const SOLVERS: &str = "auto,bdf,radau,dopri5,liqss2,rt-tr";

/// The code of a row that does not satisfy an equation.
const RESIDUAL: &str = "E0617";

/// What `--verify` says of rows that it cannot check, as an equation has no value there.
const UNCHECKED: &str = "rows could not be checked";

/// What a solver with a fixed number of iterations says of steps that needed more.
const NOT_CONVERGED: &str = "had not converged";

/// Failures shown of each group.
const SHOWN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Satisfied,
    Refused,
    TimeLimit,
    /// A row does not satisfy an equation, and the run itself says that its steps have not converged.
    Told,
    Residual,
    NotChecked,
    Crash,
}

impl Kind {
    const ALL: [Kind; 7] = [
        Kind::Satisfied,
        Kind::Refused,
        Kind::TimeLimit,
        Kind::Told,
        Kind::Residual,
        Kind::NotChecked,
        Kind::Crash,
    ];

    fn words(self) -> &'static str {
        match self {
            Kind::Satisfied => "satisfied",
            Kind::Refused => "refused",
            Kind::TimeLimit => "time limit",
            Kind::Told => "told",
            Kind::Residual => "residual",
            Kind::NotChecked => "not checked",
            Kind::Crash => "crash",
        }
    }

    fn of(done: &Finished) -> (Kind, Option<Diagnosis>) {
        if done.end == End::Exit(0) {
            return match done.stderr.contains(UNCHECKED) {
                true => (Kind::NotChecked, None),
                false => (Kind::Satisfied, None),
            };
        }
        let d = diagnosis::diagnose(done);
        let kind = match d.code.as_str() {
            RESIDUAL if done.stderr.contains(NOT_CONVERGED) => Kind::Told,
            RESIDUAL => Kind::Residual,
            "TIMEOUT" => Kind::TimeLimit,
            _ if d.broken || d.code.is_empty() => Kind::Crash,
            _ => Kind::Refused,
        };
        (kind, Some(d))
    }
}

struct Outcome {
    class: String,
    solver: String,
    kind: Kind,
    seconds: f64,
    diagnosis: Option<Diagnosis>,
}

/// True if no run has a wrong row or crashed.
pub fn run(options: &Options) -> Result<bool, String> {
    let mut list = examples::read(&options.table, options.ladder.as_deref())?;
    list.retain(|e| options.wants(&e.class));
    if let Some(n) = options.sample {
        random::sample(&mut list, n, options.seed, |e| &e.class);
    }
    if list.is_empty() {
        return Err("no such example".to_string());
    }
    let solvers = options.solvers.as_deref().unwrap_or(SOLVERS);
    let cells: Vec<(&Example, &str)> = (list.iter())
        .flat_map(|e| solvers.split(',').map(move |s| (e, s)))
        .collect();
    let program = options.program()?;
    let folder = std::env::temp_dir().join(format!("ferrica-residuals-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let outcomes = jobs::all(options.jobs, &cells, |k, (example, solver)| {
        one(options, &program, &folder, k, example, solver)
    });
    // A folder that stays behind in the temporary folder does no harm.
    let _ = fs::remove_dir_all(&folder);
    let outcomes = outcomes?;
    if let Some(path) = &options.json {
        let lines: Vec<String> = outcomes.iter().map(line).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    print(&outcomes, solvers);
    Ok(!outcomes.iter().any(|o| o.kind >= Kind::Residual))
}

fn one(
    options: &Options,
    program: &Path,
    folder: &Path,
    k: usize,
    example: &Example,
    solver: &str,
) -> Result<Outcome, String> {
    let result = format!("{k}.csv");
    let mut args: Vec<String> = [
        "run",
        "-m",
        &example.class,
        "-o",
        &result,
        "--solver",
        solver,
    ]
    .map(String::from)
    .to_vec();
    // The library is trusted; what it writes goes to the folder of the results.
    args.extend(["--verify", "--allow-external"].map(String::from));
    for lib in &options.libs {
        args.extend(["--lib".to_string(), lib.display().to_string()]);
    }
    for (flag, value) in &example.settings {
        args.extend([flag.to_string(), value.clone()]);
    }
    let limits = Limits {
        time: options.limit,
        memory_gb: options.memory_gb,
    };
    let done = child::run(program, &args, folder, limits)?;
    for file in [result, format!("{k}.partial.csv")] {
        // Results of large models would fill the disk.
        let _ = fs::remove_file(folder.join(file));
    }
    let (kind, diagnosis) = Kind::of(&done);
    Ok(Outcome {
        class: example.class.clone(),
        solver: solver.to_string(),
        kind,
        seconds: done.seconds,
        diagnosis,
    })
}

fn print(outcomes: &[Outcome], solvers: &str) {
    let mut groups: BTreeMap<(Kind, &str), Vec<&Outcome>> = BTreeMap::new();
    for o in outcomes.iter().filter(|o| o.kind != Kind::Satisfied) {
        let group = o.diagnosis.as_ref().map_or("", |d| &d.group);
        // Equations differ from one residual to the next.
        let residual = matches!(o.kind, Kind::Told | Kind::Residual);
        let group = if residual { "" } else { group };
        groups.entry((o.kind, group)).or_default().push(o);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((kind, _), list)| (*kind, std::cmp::Reverse(list.len())));
    for ((kind, group), list) in groups {
        println!("{:4}  {}: {group}", list.len(), kind.words());
        let shown = if kind >= Kind::Residual {
            list.len()
        } else {
            SHOWN
        };
        for o in list.iter().take(shown) {
            let message = o.diagnosis.as_ref().map_or("", |d| d.message.as_str());
            let message: String = message.chars().take(200).collect();
            println!("        {} {}: {message}", o.class, o.solver);
        }
    }
    print!("\n{:<10}", "solver");
    Kind::ALL.iter().for_each(|k| print!("{:>13}", k.words()));
    println!();
    for solver in solvers.split(',') {
        print!("{solver:<10}");
        for kind in Kind::ALL {
            let of = |o: &&Outcome| o.solver == solver && o.kind == kind;
            print!("{:>13}", outcomes.iter().filter(of).count());
        }
        println!();
    }
}

fn line(o: &Outcome) -> String {
    let message = o.diagnosis.as_ref().map_or("", |d| d.message.as_str());
    let code = o.diagnosis.as_ref().map_or("", |d| d.code.as_str());
    format!(
        "  {{\"class\": {}, \"solver\": {}, \"verdict\": {}, \"seconds\": {:.3}, \"code\": {}, \"message\": {}}}",
        json::string(&o.class),
        json::string(&o.solver),
        json::string(o.kind.words()),
        o.seconds,
        json::string(code),
        json::string(message)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_row_is_no_refusal() {
        let of = |end, stderr: &str| {
            let done = Finished {
                end,
                stderr: stderr.to_string(),
                seconds: 0.0,
                killed: false,
            };
            Kind::of(&done).0
        };
        assert_eq!(of(End::Exit(0), ""), Kind::Satisfied);
        assert_eq!(
            of(
                End::Exit(0),
                "warning[W0601]: 3 of 9 rows could not be checked"
            ),
            Kind::NotChecked
        );
        assert_eq!(of(End::Exit(1), "error[E0617]: x"), Kind::Residual);
        let told = "warning[W0601]: 3 of 9 steps had not converged\nerror[E0617]: x";
        assert_eq!(of(End::Exit(1), told), Kind::Told);
        assert_eq!(of(End::Exit(1), "error[E0501]: x"), Kind::Refused);
        assert_eq!(of(End::Exit(1), ""), Kind::Crash);
        assert_eq!(of(End::Crash, ""), Kind::Crash);
        assert_eq!(of(End::TimeOut, ""), Kind::TimeLimit);
    }
}

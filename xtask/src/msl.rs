//! Every example of the standard library, each in its own process: how far does it get, and does
//! its result match the reference?

use std::fs;
use std::path::{Path, PathBuf};

use ferrica_results::compare::{TubeOptions, tables};

use crate::child::{self, End, Finished, Limits};
use crate::diagnosis::{self, Diagnosis};
use crate::examples::{self, Example};
use crate::options::{Goal, Options};
use crate::{baseline, jobs, json, report};

/// Flags of a check that ends with a flat, balanced model.
const FLAT_ONLY: [&str; 2] = ["--stage", "flat"];

/// How far a model got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    #[default]
    None,
    Flattened,
    Compiled,
    Initialized,
    Simulated,
    Matching,
}

impl Stage {
    pub const ALL: [Stage; 5] = [
        Stage::Flattened,
        Stage::Compiled,
        Stage::Initialized,
        Stage::Simulated,
        Stage::Matching,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Stage::None => "none",
            Stage::Flattened => "flattened",
            Stage::Compiled => "compiled",
            Stage::Initialized => "initialized",
            Stage::Simulated => "simulated",
            Stage::Matching => "matching",
        }
    }

    pub fn from_word(word: &str) -> Option<Stage> {
        [Stage::None]
            .into_iter()
            .chain(Stage::ALL)
            .find(|s| s.word() == word)
    }
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub class: String,
    pub domain: String,
    pub rung: Option<u32>,
    pub stage: Stage,
    pub seconds: f64,
    pub diagnosis: Option<Diagnosis>,
}

struct Task<'a> {
    options: &'a Options,
    program: &'a Path,
    folder: &'a Path,
    goal: Goal,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let goal = options.goal.unwrap_or(if options.reference.is_some() {
        Goal::Simulate
    } else {
        Goal::Compile
    });
    let mut list = examples::read(&options.table, options.ladder.as_deref())?;
    if goal == Goal::Simulate && options.reference.is_some() {
        list.retain(|e| e.reference.is_some());
    }
    list.retain(|e| options.wants(&e.class));
    if let Some(highest) = options.rungs {
        list.retain(|e| e.rung.is_some_and(|r| r <= highest));
    }
    let program = options.program()?;
    let folder = match &options.keep {
        Some(path) => path.clone(),
        None => std::env::temp_dir().join(format!("ferrica-msl-{}", std::process::id())),
    };
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = fs::canonicalize(&folder).map_err(|e| e.to_string())?;
    let task = Task {
        options,
        program: &program,
        folder: &folder,
        goal,
    };
    let outcomes = jobs::all(options.jobs, &list, |k, example| task.one(k, example))?;
    if options.keep.is_none() {
        // A folder that stays behind in the temporary folder does no harm.
        let _ = fs::remove_dir_all(&folder);
    }
    report::print(&outcomes, goal);
    if let Some(path) = &options.json {
        fs::write(path, details(&outcomes)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if options.solver.is_some() {
        // The baseline is that of the default solver.
        return Ok(true);
    }
    let whole = options.filter.is_none() && options.ladder.is_none();
    baseline::check(options, &outcomes, whole && goal == Goal::Simulate)
}

impl Task<'_> {
    fn one(&self, k: usize, example: &Example) -> Result<Outcome, String> {
        let (stage, seconds, diagnosis) = match self.goal {
            Goal::Simulate => self.simulate(k, example)?,
            _ => self.check(example)?,
        };
        Ok(Outcome {
            class: example.class.clone(),
            domain: example.domain.clone(),
            rung: example.rung,
            stage,
            seconds,
            diagnosis,
        })
    }

    fn ferrica(
        &self,
        command: &str,
        example: &Example,
        more: &[String],
    ) -> Result<Finished, String> {
        let mut args = vec![command.to_string(), "-m".to_string(), example.class.clone()];
        for lib in &self.options.libs {
            args.push("--lib".to_string());
            args.push(lib.display().to_string());
        }
        args.extend_from_slice(more);
        let limits = Limits {
            time: self.options.limit,
            memory_gb: self.options.memory_gb,
        };
        child::run(self.program, &args, self.folder, limits)
    }

    /// Flattening and compiling only.
    fn check(&self, example: &Example) -> Result<(Stage, f64, Option<Diagnosis>), String> {
        if self.goal == Goal::Flat {
            let run = self.ferrica("check", example, &FLAT_ONLY.map(String::from))?;
            return Ok(match run.end {
                End::Exit(0) => (Stage::Flattened, run.seconds, None),
                _ => (Stage::None, run.seconds, Some(diagnosis::diagnose(&run))),
            });
        }
        let run = self.ferrica("check", example, &[])?;
        if run.end == End::Exit(0) {
            return Ok((Stage::Compiled, run.seconds, None));
        }
        let diagnosis = diagnosis::diagnose(&run);
        let stage = self.stage_of_failure(example, &diagnosis)?;
        Ok((stage, run.seconds, Some(diagnosis)))
    }

    /// Was the model flattened and balanced before it failed?
    fn stage_of_failure(&self, example: &Example, d: &Diagnosis) -> Result<Stage, String> {
        let front_end = ["E01", "E02", "E03"].iter().any(|p| d.code.starts_with(p));
        let known = d.code.starts_with('E') && d.code != "EXIT";
        let flat = if known {
            !front_end
        } else {
            // The program did not say: ask for the flat model alone.
            self.ferrica("check", example, &FLAT_ONLY.map(String::from))?
                .end
                == End::Exit(0)
        };
        Ok(if flat { Stage::Flattened } else { Stage::None })
    }

    fn simulate(
        &self,
        k: usize,
        example: &Example,
    ) -> Result<(Stage, f64, Option<Diagnosis>), String> {
        let file = self.result_file(k, example);
        // Not there: nothing to remove.
        let _ = fs::remove_file(&file);
        let _ = fs::remove_file(file.with_extension("partial.csv"));
        let reference = match (&self.options.reference, &example.reference) {
            (Some(folder), Some(path)) => {
                let path = folder.join(path);
                let table = ferrica_results::read_csv(&path).map_err(|e| e.to_string())?;
                Some(table)
            }
            _ => None,
        };
        let mut more = vec![
            "-o".to_string(),
            file.display().to_string(),
            "--progress".to_string(),
            "never".to_string(),
            // The library is trusted; what it writes goes to the folder of the results.
            "--allow-external".to_string(),
        ];
        if let Some(solver) = &self.options.solver {
            more.extend(["--solver".to_string(), solver.clone()]);
        }
        for (flag, value) in &example.settings {
            more.push(flag.to_string());
            more.push(value.clone());
        }
        for name in reference.iter().flat_map(|r| &r.names) {
            more.push("--vars".to_string());
            more.push(name.clone());
        }
        let run = self.ferrica("run", example, &more)?;
        // A run that fails leaves its rows under another name.
        let partial = file.with_extension("partial.csv");
        let written = if run.end == End::Exit(0) {
            &file
        } else {
            &partial
        };
        let rows = fs::read_to_string(written).map_or(0, |t| t.lines().take(3).count());
        let verdict = if run.end == End::Exit(0) {
            match &reference {
                Some(reference) => judge(reference, &file),
                None => Ok(()),
            }
        } else {
            Ok(())
        };
        if self.options.keep.is_none() {
            let _ = fs::remove_file(&file);
            let _ = fs::remove_file(&partial);
        }
        if run.end == End::Exit(0) {
            return Ok(match verdict {
                Ok(()) if reference.is_some() => (Stage::Matching, run.seconds, None),
                Ok(()) => (Stage::Simulated, run.seconds, None),
                Err(d) => (Stage::Simulated, run.seconds, Some(d)),
            });
        }
        let diagnosis = diagnosis::diagnose(&run);
        let stage = match rows {
            0 if !file_was_made(&diagnosis) => self.stage_of_failure(example, &diagnosis)?,
            0 | 1 => Stage::Compiled,
            _ => Stage::Initialized,
        };
        Ok((stage, run.seconds, Some(diagnosis)))
    }

    fn result_file(&self, k: usize, example: &Example) -> PathBuf {
        if self.options.keep.is_some() {
            self.folder.join(format!("{}.csv", example.class))
        } else {
            self.folder.join(format!("{k}.csv"))
        }
    }
}

/// Errors of initialization come after compiling.
fn file_was_made(d: &Diagnosis) -> bool {
    d.code.starts_with("E05")
}

/// All signals of the reference within the tube?
fn judge(reference: &ferrica_results::ResultTable, file: &Path) -> Result<(), Diagnosis> {
    let differs = |message: String, group: &str| Diagnosis {
        code: "DIFF".to_string(),
        group: format!("DIFF {group}"),
        message,
        broken: false,
    };
    let result = ferrica_results::read_csv(file)
        .map_err(|e| differs(e.to_string(), "the result cannot be read"))?;
    let verdict = tables(reference, &result, &TubeOptions::default(), |_| true);
    if let Some(name) = verdict.missing.first() {
        return Err(differs(
            format!(
                "{} signals are missing, first `{name}`",
                verdict.missing.len()
            ),
            "signals of the reference are missing",
        ));
    }
    let mut failures: Vec<_> = verdict.failures().collect();
    failures.sort_by(|a, b| {
        b.1.relative_deviation()
            .total_cmp(&a.1.relative_deviation())
    });
    match failures.first() {
        None => Ok(()),
        Some((name, v)) => {
            let all = verdict.signals.len();
            let first = failures
                .iter()
                .filter_map(|(_, v)| v.first_outside)
                .fold(f64::INFINITY, f64::min);
            let size = match v.relative_deviation() {
                d if d < 0.01 => "less than 1 %",
                d if d < 0.1 => "1 to 10 %",
                _ => "more than 10 %",
            };
            Err(differs(
                format!(
                    "{} of {all} signals differ, first at t = {first}; most: `{name}` by {:.3e} of {:.3e} at t = {}",
                    failures.len(),
                    v.max_deviation,
                    v.range,
                    v.max_at
                ),
                &format!("the result differs by {size} of the range"),
            ))
        }
    }
}

fn details(outcomes: &[Outcome]) -> String {
    let lines: Vec<String> = outcomes
        .iter()
        .map(|o| {
            let message = o.diagnosis.as_ref().map_or(String::new(), |d| {
                format!(
                    ", \"code\": {}, \"message\": {}",
                    json::string(&d.code),
                    json::string(&d.message)
                )
            });
            format!(
                "  {{\"class\": {}, \"domain\": {}, \"stage\": \"{}\", \"seconds\": {:.3}{message}}}",
                json::string(&o.class),
                json::string(&o.domain),
                o.stage.word(),
                o.seconds
            )
        })
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

//! The arguments, the same for every command.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    Flat,
    Compile,
    Simulate,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub libs: Vec<PathBuf>,
    pub reference: Option<PathBuf>,
    pub table: PathBuf,
    pub ladder: Option<PathBuf>,
    pub goal: Option<Goal>,
    pub json: Option<PathBuf>,
    pub keep: Option<PathBuf>,
    pub baseline: PathBuf,
    pub update: bool,
    pub ferrica: Option<PathBuf>,
    pub jobs: usize,
    pub filter: Option<String>,
    /// Solver to use instead of the default one.
    pub solver: Option<String>,
    /// Several solvers, with commas.
    pub solvers: Option<String>,
    /// Highest rung of the ladder.
    pub rungs: Option<u32>,
    pub limit: Duration,
    pub memory_gb: u64,
    /// How many models of a library, chosen at random.
    pub sample: Option<usize>,
    /// Random models: how many, and the first one.
    pub count: usize,
    pub seed: u64,
}

impl Options {
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut o = Options {
            libs: Vec::new(),
            reference: None,
            table: PathBuf::from("../shared/data/msl_examples.tsv"),
            ladder: None,
            goal: None,
            json: None,
            keep: None,
            baseline: PathBuf::from("bench/msl-baseline.json"),
            update: false,
            ferrica: None,
            jobs: 2,
            filter: None,
            solver: None,
            solvers: None,
            rungs: None,
            limit: Duration::from_secs(10),
            memory_gb: 4,
            sample: None,
            count: 100,
            seed: 1,
        };
        while let Some(flag) = args.next() {
            if flag == "--update" {
                o.update = true;
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let number = || {
                value
                    .parse::<f64>()
                    .ok()
                    .filter(|v| *v > 0.0)
                    .ok_or_else(|| format!("{flag}: `{value}` is not a positive number"))
            };
            match flag.as_str() {
                "--lib" => o.libs.push(absolute(&value)?),
                "--ref" => o.reference = Some(absolute(&value)?),
                "--table" => o.table = value.into(),
                "--ladder" => o.ladder = Some(value.into()),
                "--json" => o.json = Some(value.into()),
                "--keep" => o.keep = Some(value.into()),
                "--baseline" => o.baseline = value.into(),
                "--ferrica" => o.ferrica = Some(value.into()),
                "--filter" => o.filter = Some(value),
                "--solver" => o.solver = Some(value),
                "--solvers" => o.solvers = Some(value),
                "--rungs" => o.rungs = Some(number()? as u32),
                "--jobs" => o.jobs = number()?.max(1.0) as usize,
                "--limit-seconds" => o.limit = Duration::from_secs_f64(number()?),
                "--memory-gb" => o.memory_gb = number()?.max(1.0) as u64,
                "--sample" => o.sample = Some(number()? as usize),
                "--count" => o.count = number()? as usize,
                "--seed" => o.seed = number()? as u64,
                "--stage" => {
                    o.goal = Some(match value.as_str() {
                        "flat" => Goal::Flat,
                        "compile" => Goal::Compile,
                        "simulate" => Goal::Simulate,
                        _ => return Err(format!("--stage {value}: flat, compile or simulate")),
                    });
                }
                _ => return Err(format!("unknown option {flag}\n\n{}", crate::USAGE)),
            }
        }
        Ok(o)
    }

    /// Refuses to go on without libraries.
    pub fn with_libraries(self) -> Result<Options, String> {
        match self.libs.is_empty() {
            true => Err("--lib DIR is needed: the folder with the libraries".to_string()),
            false => Ok(self),
        }
    }

    pub fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|f| name.contains(f))
    }

    /// The program to test, freshly built unless one is named.
    pub fn program(&self) -> Result<PathBuf, String> {
        if let Some(path) = &self.ferrica {
            return absolute(&path.display().to_string());
        }
        let built = Command::new("cargo")
            .args(["build", "--release", "-p", "ferrica-cli"])
            .status()
            .map_err(|e| format!("cargo build: {e}"))?;
        if !built.success() {
            return Err("ferrica does not build".to_string());
        }
        absolute("target/release/ferrica")
    }
}

fn absolute(path: &str) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|e| format!("{path}: {e}"))
}

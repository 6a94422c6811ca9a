//! The library's errors in the words of the command line, and what commands on top of it share.

use std::path::{Path, PathBuf};

use ferrica::failure::Failure;
use ferrica::results::outputs;
use ferrica::{Error, ErrorKind, Experiment, Model, ModelBuilder};

use crate::cli::{ExperimentArgs, ModelArgs};
use crate::reporter::Reporter;

/// The code that the library gives to what has none of its own.
const GENERAL: &str = "E0730";

/// An error of the library in the words of the command line.
pub fn told(error: &Error, reporter: &Reporter) -> Failure {
    let first = error.diagnostics().first();
    match (error.kind(), first) {
        (ErrorKind::Usage | ErrorKind::UnknownName, Some(d)) => Failure::Usage {
            code: Some(d.code).filter(|code| *code != GENERAL),
            message: d.message.clone(),
            hint: d.hint.clone(),
        },
        (ErrorKind::Io, Some(d)) => Failure::Io(d.message.clone()),
        _ => {
            reporter.error(&error.to_string());
            Failure::Answered
        }
    }
}

/// Compiles the model; warnings are told.
pub fn load(args: &ModelArgs, reporter: &mut Reporter) -> Result<Model, Failure> {
    loaded(ModelBuilder::from(args.options()), reporter)
}

/// The same with inputs from a file.
pub fn load_driven(
    args: &ModelArgs,
    run: &ExperimentArgs,
    reporter: &mut Reporter,
) -> Result<Model, Failure> {
    loaded(ModelBuilder::from(args.driven_by(run)), reporter)
}

/// The same from options that are made already.
pub fn loaded(builder: ModelBuilder, reporter: &mut Reporter) -> Result<Model, Failure> {
    let model = builder.load().map_err(|e| told(&e, reporter))?;
    for warning in model.diagnostics() {
        reporter.note(warning.text.trim_end());
    }
    Ok(model)
}

/// Times and accuracy of a run.
pub fn experiment(args: &ExperimentArgs) -> Experiment {
    let mut plan = Experiment::default();
    if let Some(t) = args.start {
        plan = plan.start(t);
    }
    if let Some(t) = args.stop {
        plan = plan.stop(t);
    }
    if let Some(tolerance) = args.tol {
        plan = plan.tolerance(tolerance);
    }
    if let Some(points) = args.points {
        plan = plan.points(points);
    }
    if let Some(interval) = args.interval {
        plan = plan.interval(interval);
    }
    plan
}

/// What an analysis is told of inputs: `NAME`, `NAME=VALUE`, or a result file whose columns drive those of their names.
pub struct Inputs<'a> {
    list: &'a [String],
    /// Values of files stay until the next row.
    hold: bool,
}

impl<'a> Inputs<'a> {
    pub fn new(list: &'a [String], hold: bool) -> Inputs<'a> {
        Inputs { list, hold }
    }

    /// Those that are named, with a value or without.
    pub fn names(&self) -> Vec<&'a str> {
        let named = self.list.iter().filter(|text| !is_file(text));
        named
            .map(|text| text.split_once('=').map_or(text.as_str(), |(name, _)| name))
            .map(str::trim)
            .collect()
    }

    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.list.iter().filter(|text| is_file(text));
        files.map(PathBuf::from).collect()
    }

    /// The experiment with the values; a number stands before a column of a file.
    pub fn join(
        &self,
        mut experiment: Experiment,
        model: &Model,
        reporter: &Reporter,
    ) -> Result<Experiment, Failure> {
        for file in self.files() {
            let found = model.inputs_from(&file, self.hold);
            for (name, signal) in found.map_err(|e| told(&e, reporter))? {
                experiment = experiment.input(name, signal);
            }
        }
        for input in self.list {
            let Some((name, value)) = input.split_once('=') else {
                continue;
            };
            let value = value.trim();
            let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
            let number = number.ok_or_else(|| {
                Failure::usage(format!("--input {input}: `{value}` is not a number"))
            })?;
            experiment = experiment.input(name.trim(), number);
        }
        Ok(experiment)
    }
}

/// A result file, not the name of an input.
fn is_file(text: &str) -> bool {
    let ending = outputs::ending(Path::new(text));
    !text.contains('=') && ["csv", "mat", "parquet"].contains(&ending.as_str())
}

pub fn borrowed(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// Writes a whole file, `-` for standard output.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    outputs::write(path, text.as_bytes())
}

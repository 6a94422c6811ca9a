//! The library's errors in the words of the command line, and what commands on top of it share.

use ferrica::failure::Failure;
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

/// `NAME` or `NAME=VALUE`: the names, and the experiment with the values.
pub fn with_inputs(
    list: &[String],
    mut experiment: Experiment,
) -> Result<(Vec<String>, Experiment), Failure> {
    let mut names = Vec::new();
    for input in list {
        let (name, value) = match input.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (input.trim(), None),
        };
        if let Some(value) = value {
            let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
            let number = number.ok_or_else(|| {
                Failure::usage(format!("--input {input}: `{value}` is not a number"))
            })?;
            experiment = experiment.input(name, number);
        }
        names.push(name.to_owned());
    }
    Ok((names, experiment))
}

pub fn borrowed(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// Writes a whole file, `-` for standard output.
pub fn write(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    ferrica::results::outputs::write(path, text.as_bytes())
}

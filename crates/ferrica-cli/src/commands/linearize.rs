//! `ferrica linearize`: the linear model around a point of a run, its eigenvalues, and both as JSON.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::Path;

use ferrica::failure::Failure;
use ferrica::{Error, ErrorKind, Experiment, Linear, ModelBuilder};

use crate::Outcome;
use crate::cli::LinearizeArgs;
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn linearize(args: &LinearizeArgs, reporter: &mut Reporter) -> Outcome {
    let (names, experiment) = plan(args)?;
    let model = ModelBuilder::from(args.model.options()).load();
    let model = model.map_err(|e| told(&e, reporter))?;
    for warning in model.diagnostics() {
        reporter.note(warning.text.trim_end());
    }
    let (inputs, outputs) = (borrowed(&names), borrowed(&args.outputs));
    let linear = model.linearize(
        args.at,
        (!inputs.is_empty()).then_some(inputs.as_slice()),
        (!outputs.is_empty()).then_some(outputs.as_slice()),
        &experiment,
    );
    let linear = linear.map_err(|e| told(&e, reporter))?;
    let poles = linear.eigenvalues();
    match &args.written {
        Some(path) if path == Path::new("-") => print_out(&json(&linear, poles.as_deref())),
        Some(path) => {
            let text = json(&linear, poles.as_deref());
            std::fs::write(path, text).map_err(|e| Failure::io(path.display(), &e))?;
            print_out(&table(&linear, poles.as_deref()))
        }
        None => print_out(&table(&linear, poles.as_deref())),
    }
}

fn borrowed(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// Names of inputs, and the experiment with their values.
fn plan(args: &LinearizeArgs) -> Result<(Vec<String>, Experiment), Failure> {
    let mut experiment = Experiment::default();
    if let Some(start) = args.start {
        experiment = experiment.start(start);
    }
    if let Some(tolerance) = args.tol {
        experiment = experiment.tolerance(tolerance);
    }
    let mut names = Vec::new();
    for input in &args.inputs {
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

/// An error of the library in the words of the command line.
fn told(error: &Error, reporter: &Reporter) -> Failure {
    let first = error.diagnostics().first();
    match (error.kind(), first) {
        (ErrorKind::Usage | ErrorKind::UnknownName, Some(d)) => Failure::Usage {
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

fn table(linear: &Linear, poles: Option<&[(f64, f64)]>) -> String {
    let mut out = format!(
        "{} states, {} inputs, {} outputs at t = {}\n",
        linear.states.len(),
        linear.inputs.len(),
        linear.outputs.len(),
        linear.time
    );
    let Some(poles) = poles else {
        out += "the eigenvalues do not converge\n";
        return out;
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:>14}  {:>14}  {:>14}  {:>10}",
        "real part", "imaginary part", "frequency [Hz]", "damping"
    );
    for &(re, im) in poles {
        let size = re.hypot(im);
        let damping = if size > 0.0 { -re / size } else { 1.0 };
        let _ = writeln!(
            out,
            "{re:>14.6e}  {im:>14.6e}  {:>14.6e}  {damping:>10.4}",
            size / TAU
        );
    }
    out
}

fn json(linear: &Linear, poles: Option<&[(f64, f64)]>) -> String {
    let numbers = |list: &[f64]| {
        let texts: Vec<String> = list.iter().map(|x| number(*x)).collect();
        format!("[{}]", texts.join(", "))
    };
    let names = |list: &[String]| {
        let texts: Vec<String> = list.iter().map(|n| ferrica::stats::string(n)).collect();
        format!("[{}]", texts.join(", "))
    };
    let matrix = |m: &ferrica::Matrix| {
        let rows: Vec<String> = m.dense().iter().map(|row| numbers(row)).collect();
        format!("[{}]", rows.join(", "))
    };
    let poles = match poles {
        Some(list) => {
            let pairs: Vec<String> = list.iter().map(|&(re, im)| numbers(&[re, im])).collect();
            format!("[{}]", pairs.join(", "))
        }
        None => "null".to_owned(),
    };
    let fields = [
        ("time", number(linear.time)),
        ("states", names(&linear.states)),
        ("inputs", names(&linear.inputs)),
        ("outputs", names(&linear.outputs)),
        ("x", numbers(&linear.x)),
        ("u", numbers(&linear.u)),
        ("y", numbers(&linear.y)),
        ("A", matrix(&linear.a)),
        ("B", matrix(&linear.b)),
        ("C", matrix(&linear.c)),
        ("D", matrix(&linear.d)),
        ("eigenvalues", poles),
    ];
    let lines: Vec<String> = (fields.iter())
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn number(x: f64) -> String {
    if x.is_finite() {
        format!("{x}")
    } else {
        "null".to_owned()
    }
}

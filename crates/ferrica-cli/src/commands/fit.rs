//! `ferrica fit`: parameters from measurements.

use std::fmt::Write;

use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::{Fit, Measured, Unknown, pictures};

use crate::Outcome;
use crate::cli::{ExperimentArgs, FitArgs};
use crate::library::{experiment, loaded, told, write};
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn fit(args: &FitArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = (args.picture.iter().map(|p| Output::new(p, Kind::Picture)))
        .chain(args.written.iter().map(|p| Output::new(p, Kind::Values)))
        .collect();
    let mut inputs = args.data.clone();
    inputs.extend(args.model.file.clone());
    outputs::check(&target, &inputs)?;
    let mut unknowns: Vec<Unknown> = args
        .unknowns
        .iter()
        .map(|text| unknown(text))
        .collect::<Result<_, _>>()?;
    let mut wanted = args.model.options();
    wanted.params.retain(|p| {
        let found = range(&p.name, &p.value);
        let is_fixed = found.is_none();
        unknowns.extend(found);
        is_fixed
    });
    if unknowns.is_empty() {
        return Err(Failure::usage(
            "nothing is to be found: --find NAME=LOW:HIGH",
        ));
    }
    let mut data = Vec::new();
    for path in &args.data {
        let seen = Measured::read(path).map_err(|e| told(&e, reporter))?;
        let mut seen = seen.hold(args.hold_inputs);
        seen.columns.retain(|(name, _)| {
            args.of.is_empty() || args.of.contains(name) || args.inputs.contains(name)
        });
        data.push(seen);
    }
    let model = loaded(wanted.into(), reporter)?;
    let plan = experiment(&ExperimentArgs {
        start: args.start,
        tol: args.tol,
        ..ExperimentArgs::default()
    });
    let found = model.fit(&data, &unknowns, &plan);
    let found = found.map_err(|e| told(&e, reporter))?;
    if !found.converged {
        let text = format!(
            "the search was given up after {} iterations: other values may fit better",
            found.iterations
        );
        reporter.warning(&text);
    }
    for set in &found.indistinct {
        let text = match set.as_slice() {
            [one] => format!("the data say nothing about `{one}`: it has no influence on them"),
            set => format!(
                "the data cannot tell {} apart: other values of them fit as well",
                set.join(" and ")
            ),
        };
        reporter.warning(&text);
    }
    if let Some(path) = &args.written {
        let lines: Vec<String> = (found.estimates.iter())
            .map(|e| format!("{}={}\n", e.name, e.value))
            .collect();
        write(path, &lines.concat())?;
    }
    if let Some(path) = &args.picture {
        let figure = pictures::fit(&model, &data[0], &found, &plan);
        let figure = figure.map_err(|e| told(&e, reporter))?;
        write_picture(&figure, path)?;
    }
    print_out(&table(&found))
}

/// `NAME=LOW:HIGH`
fn unknown(text: &str) -> Result<Unknown, Failure> {
    let parsed = text.split_once('=');
    let parsed = parsed.and_then(|(name, bounds)| range(name, bounds));
    parsed.ok_or_else(|| Failure::usage(format!("--find {text}: it is written NAME=LOW:HIGH")))
}

fn range(name: &str, bounds: &str) -> Option<Unknown> {
    let (low, high) = bounds.split_once(':')?;
    Some(Unknown {
        name: name.trim().to_owned(),
        low: low.trim().parse().ok()?,
        high: high.trim().parse().ok()?,
    })
}

fn table(found: &Fit) -> String {
    let name = |e: &ferrica::Estimate| e.name.chars().count();
    let a = found.estimates.iter().map(name).chain([9]).max();
    let a = a.unwrap_or(9);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:<a$}  {:>14}  {:>14}  95 % confidence",
        "parameter", "value", "standard error"
    );
    for e in &found.estimates {
        let (low, high) = e.interval();
        let bound = if e.at_bound { "  at its bound" } else { "" };
        let _ = match e.error.is_finite() {
            true => writeln!(
                out,
                "{:<a$}  {:>14.7e}  {:>14.3e}  {low:.5e} … {high:.5e}{bound}",
                e.name, e.value, e.error
            ),
            false => writeln!(
                out,
                "{:<a$}  {:>14.7e}  {:>14}  not determined{bound}",
                e.name, e.value, "-"
            ),
        };
    }
    let _ = writeln!(
        out,
        "deviation {:.4e} before, {:.4e} after {} iterations (parts of the spread of the data)",
        found.before, found.after, found.iterations
    );
    out
}

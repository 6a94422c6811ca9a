//! `ferrica sensitivity`: derivatives of trajectories with respect to parameters, and which parameters matter.

use std::fmt::Write;

use ferrica::Sensitivities;
use ferrica::results::outputs::{self, Kind, Output};

use crate::Outcome;
use crate::cli::SensitivityArgs;
use crate::inputs::inputs_of;
use crate::library::{borrowed, experiment, load_driven, told};
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn sensitivity(args: &SensitivityArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = (args.written.iter())
        .map(|path| Output::new(path, Kind::Result))
        .collect();
    let model = load_driven(&args.model, &args.experiment, reporter)?;
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    outputs::check(&target, &inputs)?;
    let mut plan = experiment(&args.experiment);
    if let Some(solver) = &args.solver {
        plan = plan.solver(solver).map_err(|e| told(&e, reporter))?;
    }
    let found = model.sensitivities(&borrowed(&args.of), &borrowed(&args.to), &plan);
    let found = found.map_err(|e| told(&e, reporter))?;
    for warning in &found.diagnostics {
        reporter.warning(&warning.message);
    }
    if let Some(path) = &args.written {
        found.write(path).map_err(|e| told(&e, reporter))?;
    }
    print_out(&ranking(&found))
}

fn ranking(found: &Sensitivities) -> String {
    let rows = found.ranking();
    let width = |of: &dyn Fn(&ferrica::Influence) -> usize, head: &str| {
        rows.iter().map(of).chain([head.len()]).max().unwrap_or(0)
    };
    let a = width(&|r| r.of.chars().count(), "variable");
    let b = width(&|r| r.to.chars().count(), "parameter");
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:<a$}  {:<b$}  {:>12}  {:>14}",
        "variable", "parameter", "influence", "largest d/dp"
    );
    for r in &rows {
        let _ = writeln!(
            out,
            "{:<a$}  {:<b$}  {:>12.4e}  {:>14.6e}",
            r.of, r.to, r.relative, r.largest
        );
    }
    out
}

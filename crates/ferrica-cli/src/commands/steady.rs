//! `ferrica steady`: the point at which a model rests, as start values.

use std::fmt::Write;

use ferrica::Experiment;
use ferrica::results::outputs::{self, Kind, Output};

use crate::Outcome;
use crate::cli::SteadyArgs;
use crate::inputs::inputs_of;
use crate::library::{Inputs, borrowed, load, told, write};
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn steady(args: &SteadyArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = (args.written.iter())
        .map(|p| Output::new(p, Kind::Values))
        .collect();
    let given = Inputs::new(&args.inputs, args.hold_inputs);
    let read = |reporter: &Reporter| {
        let mut read = inputs_of(&args.model, &None, reporter);
        read.extend(given.files());
        read
    };
    outputs::check(&target, &read(reporter))?;
    let mut plan = Experiment::default();
    if let Some(start) = args.start {
        plan = plan.start(start);
    }
    let model = load(&args.model, reporter)?;
    // The files of libraries are known now.
    outputs::check(&target, &read(reporter))?;
    let plan = given.join(plan, &model, reporter)?;
    let point = model.steady_state(&plan, &borrowed(&args.free));
    let point = point.map_err(|e| told(&e, reporter))?;
    let states = point.states.len();
    reporter.note(&format!(
        "{}: {states} state{} at rest at t = {} ({}: {} steps)",
        model.name(),
        if states == 1 { "" } else { "s" },
        point.time,
        point.method,
        point.iterations
    ));
    let mut out = String::new();
    for (name, value) in point.start_values() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}={}", number(value));
    }
    match &args.written {
        Some(path) => {
            let text = match outputs::ending(path).as_str() {
                "json" => json(&point),
                _ => out,
            };
            write(path, &text)
        }
        None => print_out(&out),
    }
}

/// The shortest text that is read back as this number.
fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && !(1e-5..1e16).contains(&size) => format!("{value:e}"),
        _ => format!("{value}"),
    }
}

fn json(point: &ferrica::OperatingPoint) -> String {
    let object = |list: &[(String, f64)]| {
        let pair = |(name, value): &(String, f64)| {
            let value = match value.is_finite() {
                true => number(*value),
                false => "null".to_owned(),
            };
            format!("{}: {value}", ferrica::stages::stats::string(name))
        };
        let pairs: Vec<String> = list.iter().map(pair).collect();
        format!("{{{}}}", pairs.join(", "))
    };
    format!(
        "{{\n  \"time\": {},\n  \"states\": {},\n  \"variables\": {}\n}}\n",
        point.time,
        object(&point.states),
        object(&point.variables)
    )
}

//! `ferrica linearize`: the linear model around points of a run, its eigenvalues, and both as JSON and pictures.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::words::counted;
use ferrica::{Experiment, Linear, Mode, pictures};

use crate::Outcome;
use crate::cli::LinearizeArgs;
use crate::library::{Inputs, borrowed, load, told};
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn linearize(args: &LinearizeArgs, reporter: &mut Reporter) -> Outcome {
    let drawn = args.bode.iter().chain(&args.poles);
    let drawn = drawn.map(|p| Output::new(p, Kind::Picture));
    let written = args.written.iter().map(|p| Output::new(p, Kind::Linear));
    let target: Vec<Output> = drawn.chain(written).collect();
    let given = Inputs::new(&args.inputs, args.hold_inputs);
    let mut read: Vec<PathBuf> = args.model.file.iter().cloned().collect();
    read.extend(given.files());
    outputs::check(&target, &read)?;
    let wanted = times(args)?;
    let model = load(&args.model, reporter)?;
    let experiment = given.join(plan(args), &model, reporter)?;
    let (inputs, outputs) = (given.names(), borrowed(&args.outputs));
    let inputs = (!inputs.is_empty()).then_some(inputs.as_slice());
    let outputs = (!outputs.is_empty()).then_some(outputs.as_slice());
    let times: Vec<f64> = wanted.iter().filter_map(|at| at.time()).collect();
    let along = model.linearize_along(&times, inputs, outputs, &experiment);
    let mut along = along.map_err(|e| told(&e, reporter))?.into_iter();
    let mut points = Vec::new();
    for at in wanted {
        let single = |steady| {
            let plan = experiment.clone().steady(steady);
            let linear = model.linearize(None, inputs, outputs, &plan);
            linear.map_err(|e| told(&e, reporter))
        };
        let linear = match at {
            At::Start => Some(single(false)?),
            At::Rest => Some(single(true)?),
            At::Time(_) => along.next(),
        };
        let Some(linear) = linear else { break };
        for warning in &linear.diagnostics {
            reporter.warning(&warning.message);
        }
        let modes = match linear.states.len() <= MANY_STATES || args.poles.is_some() {
            true => Modes::from(linear.modes()),
            false => Modes::NotAsked,
        };
        points.push((linear, modes));
    }
    if let Some(path) = &args.bode {
        let linear: Vec<&Linear> = points.iter().map(|p| &p.0).collect();
        let figure = pictures::frequency_response(&linear)
            .ok_or_else(|| Failure::usage("--bode needs an input and an output"))?;
        write_picture(&figure, path)?;
    }
    if let Some(path) = &args.poles {
        let points: Vec<(&Linear, &[Mode])> = (points.iter())
            .map(|(linear, modes)| (linear, modes.known().unwrap_or_default()))
            .collect();
        write_picture(&pictures::poles_and_zeros(&points), path)?;
    }
    let tables: Vec<String> = points.iter().map(table).collect();
    match &args.written {
        Some(path) if path == Path::new("-") => return print_out(&json_of(&points)),
        Some(path) if outputs::ending(path) == "mat" => {
            let [(linear, _)] = points.as_slice() else {
                return Err(Failure::usage("a .mat file has one point: give one --at"));
            };
            linear.write(path).map_err(|e| told(&e, reporter))?;
        }
        Some(path) => outputs::write(path, json_of(&points).as_bytes())?,
        None => {}
    }
    print_out(&tables.concat())
}

/// One object, or a list of them.
fn json_of(points: &[Point]) -> String {
    let texts: Vec<String> = (points.iter())
        .map(|(linear, modes)| linear.to_json(modes.known()))
        .collect();
    match texts.as_slice() {
        [one] => one.clone(),
        several => format!("[\n{}]\n", several.join(",\n")),
    }
}

/// Where a point is.
#[derive(Clone, Copy)]
enum At {
    Start,
    Rest,
    Time(f64),
}

impl At {
    fn time(self) -> Option<f64> {
        match self {
            At::Time(t) => Some(t),
            At::Start | At::Rest => None,
        }
    }
}

fn times(args: &LinearizeArgs) -> Result<Vec<At>, Failure> {
    if args.at.is_empty() {
        return Ok(vec![At::Start]);
    }
    let of = |text: &String| match text.trim() {
        "steady" => Ok(At::Rest),
        number => match number.parse::<f64>() {
            Ok(t) if t.is_finite() => Ok(At::Time(t)),
            _ => Err(Failure::usage(format!(
                "--at {text}: no time, and not `steady`"
            ))),
        },
    };
    args.at.iter().map(of).collect()
}

/// The eigenvalues of more states than this take longer than all the rest: only where a picture of them is wanted.
const MANY_STATES: usize = 500;

/// What is known of the modes of a linear model.
enum Modes {
    Known(Vec<Mode>),
    NotConverged,
    NotAsked,
}

impl From<Option<Vec<Mode>>> for Modes {
    fn from(found: Option<Vec<Mode>>) -> Modes {
        found.map_or(Modes::NotConverged, Modes::Known)
    }
}

impl Modes {
    fn known(&self) -> Option<&[Mode]> {
        match self {
            Modes::Known(list) => Some(list),
            _ => None,
        }
    }
}

/// A linear model and its modes.
type Point = (Linear, Modes);

/// Times and accuracy.
fn plan(args: &LinearizeArgs) -> Experiment {
    let mut experiment = Experiment::default();
    if let Some(start) = args.start {
        experiment = experiment.start(start);
    }
    if let Some(tolerance) = args.tol {
        experiment = experiment.tolerance(tolerance);
    }
    experiment
}

fn table((linear, modes): &Point) -> String {
    let mut out = format!(
        "{}, {}, {} at t = {}\n",
        counted(linear.states.len(), "state"),
        counted(linear.inputs.len(), "input"),
        counted(linear.outputs.len(), "output"),
        linear.time
    );
    let modes = match modes {
        Modes::Known(list) => list,
        Modes::NotConverged => {
            out += "the eigenvalues do not converge\n";
            return out;
        }
        Modes::NotAsked => {
            out += "the eigenvalues of so many states take long: `--poles FILE` asks for them\n";
            return out;
        }
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:>14}  {:>14}  {:>14}  {:>10}  states",
        "real part", "imaginary part", "frequency [Hz]", "damping"
    );
    for mode in modes {
        let _ = writeln!(
            out,
            "{:>14.6e}  {:>14.6e}  {:>14.6e}  {:>10.4}  {}",
            mode.real,
            mode.imaginary,
            mode.frequency(),
            mode.damping(),
            participants(mode)
        );
    }
    out
}

/// The states that matter most, with their parts in per cent.
fn participants(mode: &Mode) -> String {
    let shown = mode.states.iter().take(SHOWN);
    let texts = shown.map(|(name, part)| format!("{name} {:.0} %", 100.0 * part));
    let more = if mode.states.len() > SHOWN {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", texts.collect::<Vec<_>>().join(", "))
}

/// States that are shown of a mode.
const SHOWN: usize = 4;

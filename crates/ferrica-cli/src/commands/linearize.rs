//! `ferrica linearize`: the linear model around points of a run, its eigenvalues, and both as JSON and pictures.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use ferrica::failure::Failure;
use ferrica::outputs::{self, Kind, Output};
use ferrica::pictures::write_picture;
use ferrica::results::plot::{Axis, Figure, Mark, Panel, Series};
use ferrica::{Experiment, Linear};

use crate::Outcome;
use crate::cli::LinearizeArgs;
use crate::library::{borrowed, load, told, with_inputs};
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn linearize(args: &LinearizeArgs, reporter: &mut Reporter) -> Outcome {
    let pictures = args.bode.iter().chain(&args.poles);
    let target: Vec<Output> = pictures.map(|p| Output::new(p, Kind::Picture)).collect();
    let read: Vec<PathBuf> = args.model.file.iter().cloned().collect();
    outputs::check(&target, &read)?;
    let (names, experiment) = plan(args)?;
    let model = load(&args.model, reporter)?;
    let (inputs, outputs) = (borrowed(&names), borrowed(&args.outputs));
    let mut points = Vec::new();
    for (at, steady) in times(args)? {
        let linear = model.linearize(
            at,
            (!inputs.is_empty()).then_some(inputs.as_slice()),
            (!outputs.is_empty()).then_some(outputs.as_slice()),
            &experiment.clone().steady(steady),
        );
        let linear = linear.map_err(|e| told(&e, reporter))?;
        let poles = linear.eigenvalues();
        points.push((linear, poles));
    }
    if let Some(path) = &args.bode {
        write_picture(&bode(&points)?, path)?;
    }
    if let Some(path) = &args.poles {
        write_picture(&pole_picture(&points), path)?;
    }
    let texts: Vec<String> = (points.iter())
        .map(|(linear, poles)| json(linear, poles.as_deref()))
        .collect();
    let text = match texts.as_slice() {
        [one] => one.clone(),
        several => format!("[\n{}]\n", several.join(",\n")),
    };
    let tables: Vec<String> = (points.iter())
        .map(|(linear, poles)| table(linear, poles.as_deref()))
        .collect();
    match &args.written {
        Some(path) if path == Path::new("-") => print_out(&text),
        Some(path) => {
            std::fs::write(path, text).map_err(|e| Failure::io(path.display(), &e))?;
            print_out(&tables.concat())
        }
        None => print_out(&tables.concat()),
    }
}

/// Times of points; or at rest.
fn times(args: &LinearizeArgs) -> Result<Vec<(Option<f64>, bool)>, Failure> {
    if args.at.is_empty() {
        return Ok(vec![(None, false)]);
    }
    let of = |text: &String| match text.trim() {
        "steady" => Ok((None, true)),
        number => match number.parse::<f64>() {
            Ok(t) if t.is_finite() => Ok((Some(t), false)),
            _ => Err(Failure::usage(format!(
                "--at {text}: no time, and not `steady`"
            ))),
        },
    };
    args.at.iter().map(of).collect()
}

/// A linear model and its eigenvalues.
type Point = (Linear, Option<Vec<(f64, f64)>>);

/// Amplitudes above, phases below.
fn bode(points: &[Point]) -> Result<Figure, Failure> {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (linear, _) in points {
        let f = linear.frequencies();
        for (i, output) in linear.outputs.iter().enumerate() {
            for (j, input) in linear.inputs.iter().enumerate() {
                let label = match points.len() {
                    1 => format!("{output} / {input}"),
                    _ => format!("{output} / {input} at {}", linear.time),
                };
                let (a, p) = linear.response(i, j, &f).into_iter().unzip();
                above.push(Series::line(label.clone(), f.clone(), a));
                below.push(Series::line(label, f.clone(), p));
            }
        }
    }
    if above.is_empty() {
        return Err(Failure::usage("--bode needs an input and an output"));
    }
    let x = Axis::new("frequency [Hz]").log();
    let mut figure = Figure::new("frequency response", x, Axis::new("amplitude").log());
    figure.panels[0].series = above;
    figure.panels.push(Panel {
        y: Axis::new("phase [deg]"),
        series: below,
    });
    Ok(figure)
}

fn pole_picture(points: &[Point]) -> Figure {
    let (x, y) = (
        Axis::new("real part [1/s]"),
        Axis::new("imaginary part [1/s]"),
    );
    let mut figure = Figure::new("eigenvalues", x, y);
    for (linear, poles) in points {
        let (re, im) = poles.iter().flatten().copied().unzip();
        let label = format!("t = {}", linear.time);
        figure = figure.with(Series::new(label, re, im, Mark::Markers));
    }
    figure
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
    with_inputs(&args.inputs, experiment)
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

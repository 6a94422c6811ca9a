//! `ferrica diff`: two result files, a number for each variable.

use std::fmt::Write;

use ferrica::results::compare::{Cursor, SignalVerdict, TubeOptions, tables, tube_around};
use ferrica::results::plot::{Axis, Figure, Series};
use ferrica::results::{ResultTable, glob_matches};

use crate::Outcome;
use crate::cli::DiffArgs;
use crate::inputs::read_result;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::words::pretty;

pub fn diff(args: &DiffArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = args
        .plot
        .iter()
        .map(|p| Output::new(p, Kind::Picture))
        .collect();
    outputs::check(&target, &[args.reference.clone(), args.result.clone()])?;
    let reference = read_result(&args.reference, reporter)?;
    let result = read_result(&args.result, reporter)?;
    for (name, value) in [
        ("--tol", args.tol),
        ("--abs-tol", args.abs_tol),
        ("--time-tol", args.time_tol),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Failure::usage(format!("{name} {value} is not a tolerance")));
        }
    }
    let options = TubeOptions {
        relative_width: args.tol,
        magnitude_width: TubeOptions::default().magnitude_width.min(args.tol),
        absolute_width: args.abs_tol,
        time_width: args.time_tol,
        ..TubeOptions::default()
    };
    let wanted =
        |name: &str| args.vars.is_empty() || args.vars.iter().any(|g| glob_matches(g, name));
    let verdict = tables(&reference, &result, &options, wanted);
    if verdict.signals.is_empty() {
        return Err(Failure::Io(
            "the two results have no such variable in common".to_owned(),
        ));
    }

    let mut order: Vec<&(String, SignalVerdict)> = verdict.signals.iter().collect();
    let severity = |v: &SignalVerdict| {
        if v.width > 0.0 {
            v.max_deviation / v.width
        } else {
            0.0
        }
    };
    let worst_first = |a: &&(String, SignalVerdict), b: &&(String, SignalVerdict)| {
        severity(&b.1).total_cmp(&severity(&a.1))
    };
    let worst = order.iter().copied().min_by(|a, b| worst_first(a, b));
    if let Some(n) = args.worst {
        order.sort_by(worst_first);
        order.truncate(n);
    }
    print_out(&table_of(&order))?;
    let failures = verdict.failures().count();
    print_out(&summary(verdict.signals.len(), failures, &verdict.missing))?;
    if let (Some(path), Some(worst)) = (&args.plot, worst) {
        write_picture(&picture(&reference, &result, worst, &options, args), path)?;
        reporter.detail(&format!("wrote {}", path.display()));
    }
    if failures > 0 || (args.strict && !verdict.missing.is_empty()) {
        return Err(Failure::Answered);
    }
    Ok(())
}

fn table_of(rows: &[&(String, SignalVerdict)]) -> String {
    let width = rows
        .iter()
        .map(|(n, _)| n.chars().count())
        .max()
        .unwrap_or(8)
        .max(8);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:width$}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}",
        "variable", "of range", "maximum", "at time", "rms", "mean"
    );
    for (name, v) in rows {
        let _ = write!(
            out,
            "{name:width$}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}",
            short(v.relative_deviation()),
            short(v.max_deviation),
            short(v.max_at),
            short(v.rms),
            short(v.mean_absolute)
        );
        let _ = match (v.ends_early, v.first_outside) {
            (Some(end), _) => writeln!(out, "  DIFFERS: ends at {}", short(end)),
            (None, Some(t)) => writeln!(out, "  DIFFERS from {} on", short(t)),
            (None, None) => writeln!(out),
        };
    }
    out
}

fn summary(compared: usize, failures: usize, missing: &[String]) -> String {
    let variables = |n: usize| {
        if n == 1 {
            "1 variable".into()
        } else {
            format!("{n} variables")
        }
    };
    let mut out = format!("{} compared: ", variables(compared));
    out += &match failures {
        0 => "no difference\n".to_owned(),
        1 => "1 differs\n".to_owned(),
        n => format!("{n} differ\n"),
    };
    if !missing.is_empty() {
        let shown: Vec<&str> = missing.iter().take(5).map(String::as_str).collect();
        let more = if missing.len() > 5 { ", …" } else { "" };
        out += &format!(
            "{} not in B: {}{more}\n",
            variables(missing.len()),
            shown.join(", ")
        );
    }
    out
}

fn short(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if value.is_finite() && (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.5}")
    } else {
        format!("{value:.3e}")
    }
}

/// Both curves with the tube around the reference; below it their difference, with what is allowed; and where the result leaves the tube.
fn picture(
    reference: &ResultTable,
    result: &ResultTable,
    (name, verdict): &(String, SignalVerdict),
    options: &TubeOptions,
    args: &DiffArgs,
) -> Figure {
    let series = |table: &ResultTable| table.series(name).unwrap_or_default().to_vec();
    let (a, b) = (series(reference), series(result));
    let unit = match result.unit(name) {
        "" => reference.unit(name),
        unit => unit,
    };
    let unit = pretty(unit);
    let labelled = |what: &str| match unit.as_str() {
        "" | "1" => what.to_owned(),
        unit => format!("{what} [{unit}]"),
    };
    let title = match verdict.first_outside {
        Some(t) => format!("{name}: outside of the tube from {} s on", short(t)),
        None => format!("{name}: largest difference"),
    };
    let tube = tube_around(&reference.time, &a, options);
    // The result at the times of the reference, from the side that is nearer at a jump.
    let mut over = Cursor::new(&result.time, &b);
    let (mut time, mut difference) = (Vec::new(), Vec::new());
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let mut allowed = tube.time.iter().zip(tube.low.iter().zip(&tube.high));
    for (t, v) in reference.time.iter().zip(&a) {
        let Some(sides) = over.sides(*t).filter(|_| v.is_finite()) else {
            continue;
        };
        let Some((_, (l, h))) = allowed.next() else {
            break;
        };
        time.push(*t);
        difference.push(sides.nearer(*v) - v);
        low.push(l - v);
        high.push(h - v);
    }
    let mut figure = Figure::new(title, Axis::new("time [s]"), Axis::new(labelled(name)))
        .with(Series::line(
            args.reference.display().to_string(),
            reference.time.clone(),
            a,
        ))
        .with(Series::line(
            args.result.display().to_string(),
            result.time.clone(),
            b,
        ))
        .with(Series::area("tube", &tube.time, &tube.low, &tube.high));
    let outside = verdict.first_outside;
    if let Some(t) = outside {
        figure = figure.with_limit("first outside", t);
    }
    figure = figure
        .panel(Axis::new(labelled("difference")))
        .with(Series::area("tube", &time, &low, &high))
        .with(Series::line("difference", time, difference));
    match outside {
        Some(t) => figure.with_limit("", t),
        None => figure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries() {
        assert_eq!(summary(1, 0, &[]), "1 variable compared: no difference\n");
        assert_eq!(
            summary(9, 2, &["x".into()]),
            "9 variables compared: 2 differ\n1 variable not in B: x\n"
        );
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(0.25), "0.25000");
        assert_eq!(short(1.5e-9), "1.500e-9");
    }
}

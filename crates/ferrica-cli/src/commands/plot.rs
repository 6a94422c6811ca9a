//! `ferrica plot`: variables of a result file as a picture.

use std::fmt::Write;
use std::path::Path;

use ferrica::results::plot::{
    Axis, Figure, Panel, PlotError, figure_of, figure_of_panels, split_names,
};
use ferrica::results::{Column, ResultTable, glob_matches};
use ferrica::words::closest_variable;

use crate::Outcome;
use crate::cli::PlotArgs;
use crate::inputs::read_result;
use crate::reporter::Reporter;
use crate::terminal::{print_out, show_picture};
use ferrica::failure::Failure;
use ferrica::results::formula;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;

pub fn plot(args: &PlotArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = args
        .output
        .iter()
        .map(|p| Output::new(p, Kind::Picture))
        .collect();
    outputs::check(&target, &args.results)?;
    let mut tables = Vec::new();
    for path in &args.results {
        tables.push((stem(path), read_result(path, reporter)?));
    }
    let Some(list) = &args.y else {
        let [(_, table)] = tables.as_slice() else {
            return Err(Failure::usage(
                "-y must say what to draw of several results",
            ));
        };
        if let Some(path) = &args.output {
            return Err(Failure::usage_with_hint(
                format!("{}: -y must say what to draw", path.display()),
                "without -o and -y the variables are listed",
            ));
        }
        return print_out(&list_variables(table));
    };
    let panels: Vec<Vec<String>> = list.split(';').map(split_names).collect();
    if panels.iter().any(Vec::is_empty) {
        return Err(Failure::usage("-y names no variable"));
    }
    let all = panels.iter().flatten().chain([&args.x]);
    let formulas: Vec<&String> = all.filter(|n| formula::is_one(n)).collect();
    for (_, table) in &mut tables {
        for text in &formulas {
            add_formula(table, text)?;
        }
    }
    let mut figures = Vec::new();
    for (name, table) in &tables {
        let title = args.title.as_deref().unwrap_or(name);
        figures.push((name.as_str(), drawn(table, title, &panels, &args.x)?));
    }
    let mut figure = overlaid(figures);
    if args.title.is_none() && tables.len() > 1 {
        let names: Vec<&str> = tables.iter().map(|(n, _)| n.as_str()).collect();
        figure.title = names.join(", ");
    }
    shape(&mut figure, args);
    for text in without_logarithm(&figure, args) {
        reporter.warning(&text);
    }
    match &args.output {
        Some(path) => {
            write_picture(&figure, path)?;
            reporter.detail(&format!("wrote {}", path.display()));
            Ok(())
        }
        None => show_picture(&figure, args.size),
    }
}

/// What is no name and no pattern of names becomes a column of its own.
fn add_formula(table: &mut ResultTable, text: &str) -> Outcome {
    let is_pattern = || table.names.iter().any(|n| glob_matches(text, n));
    if table.find(text).is_some() || is_pattern() {
        return Ok(());
    }
    formula::add(table, text)
        .map_err(|why| Failure::usage_with_hint(why, "`ferrica plot RESULT` lists the variables"))
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().and_then(|s| s.to_str());
    stem.unwrap_or("result").to_owned()
}

fn drawn(
    table: &ResultTable,
    title: &str,
    panels: &[Vec<String>],
    x: &str,
) -> Result<Figure, Failure> {
    let figure = match panels {
        [names] => figure_of(table, title, names, x),
        _ => figure_of_panels(table, title, panels, x),
    };
    figure.map_err(|e| {
        let near = match &e {
            PlotError::Unknown { name, similar } if similar.is_empty() => {
                closest_variable(name, table.names.iter().map(String::as_str))
            }
            _ => None,
        };
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`ferrica plot RESULT` lists them".to_owned(),
        };
        Failure::usage_with_hint(e.to_string(), hint)
    })
}

/// Figures of several results as one: panels of the same axis lie over each other, and each curve says of which result it is.
fn overlaid(figures: Vec<(&str, Figure)>) -> Figure {
    let is_one = figures.len() == 1;
    let mut all: Option<Figure> = None;
    for (name, mut figure) in figures {
        if is_one {
            return figure;
        }
        for series in figure.panels.iter_mut().flat_map(|p| &mut p.series) {
            series.label = format!("{} ({name})", series.label);
        }
        let Some(all) = &mut all else {
            all = Some(figure);
            continue;
        };
        for (k, panel) in figure.panels.into_iter().enumerate() {
            let same = |p: &Panel| p.y.label == panel.y.label;
            let at = match all.panels.get(k) {
                Some(p) if same(p) => Some(k),
                _ => all.panels.iter().position(same),
            };
            match at {
                Some(at) => all.panels[at].series.extend(panel.series),
                None => all.panels.push(panel),
            }
        }
    }
    all.unwrap_or_else(|| Figure::new("", Axis::default(), Axis::default()))
}

fn shape(figure: &mut Figure, args: &PlotArgs) {
    use ferrica::results::plot::Scale;
    if args.one_panel {
        let series = figure.panels.drain(..).flat_map(|p| p.series).collect();
        figure.panels = vec![Panel {
            series,
            ..Panel::default()
        }];
    }
    if args.log_x {
        figure.x.scale = Scale::Log;
    }
    for panel in &mut figure.panels {
        if args.log_y {
            panel.y.scale = Scale::Log;
        }
    }
    if let (Some((width, height)), Some(_)) = (args.size, &args.output) {
        figure.width = width as f64;
        figure.height = height as f64;
    }
}

/// Curves that a logarithmic axis cannot show, or only in part.
fn without_logarithm(figure: &Figure, args: &PlotArgs) -> Vec<String> {
    let mut told = Vec::new();
    for series in figure.panels.iter().flat_map(|p| &p.series) {
        let axes = [
            ("--log-x", args.log_x, &series.x),
            ("--log-y", args.log_y, &series.y),
        ];
        for (flag, _, values) in axes.iter().filter(|a| a.1) {
            let missing = values.iter().filter(|v| **v <= 0.0).count();
            if missing > 0 {
                told.push(format!(
                    "{flag}: {missing} of {} points of `{}` are not positive and not drawn",
                    values.len(),
                    series.label
                ));
            }
        }
    }
    told
}

/// Name, unit and range of every variable.
fn list_variables(table: &ResultTable) -> String {
    let mut out = String::new();
    let width = table
        .names
        .iter()
        .map(|n| n.chars().count())
        .max()
        .unwrap_or(0)
        .min(60);
    let unit_width = table
        .names
        .iter()
        .map(|n| table.unit(n).chars().count())
        .max()
        .unwrap_or(0);
    for (i, name) in table.names.iter().enumerate() {
        let unit = table.unit(name);
        let values = match &table.columns[i] {
            Column::Constant(value) => format!("= {value}"),
            Column::Series(values) => {
                let (low, high) = values
                    .iter()
                    .filter(|v| v.is_finite())
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
                        (l.min(*v), h.max(*v))
                    });
                if low > high {
                    String::new()
                } else {
                    format!("{} … {}", general(low), general(high))
                }
            }
        };
        let unit = format!("{unit:unit_width$}");
        let line = format!("{name:width$}  {unit}  {values}");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// About six digits.
fn general(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let decimals = (5 - value.abs().max(1e-3).log10().floor() as i32).clamp(0, 8) as usize;
        let text = format!("{value:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{value:.5e}")
    }
}

//! The trajectories of a study as bands between quantiles.

use ferrica_results::plot::{Axis, Figure, Panel, Series};

use super::measure::Kind;
use super::rows::{Lines, is_ok};
use super::{Measure, Study};

/// A band has this part of all runs below it, and the same part above.
const TAILS: [(f64, &str); 2] = [(0.05, "5 … 95 %"), (0.25, "25 … 75 %")];

/// A panel for each variable whose trajectories are in the table.
///
/// ```
/// # use std::sync::{Arc, atomic::AtomicBool};
/// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
/// # use ferrica::stages::report::Log;
/// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
/// # let plan = Plan {
/// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
/// #     solver: Default::default(),
/// #     experiment: Default::default(),
/// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
/// #     measures: vec![Measure::new(MeasureKind::Trajectory, "x")],
/// #     stop: Arc::new(AtomicBool::new(false)),
/// # };
/// let study = Study::new(plan, &mut Log::default())?;
/// let file = std::env::temp_dir().join(format!("ferrica-doc-bands-{}.csv", std::process::id()));
/// let rows = ferrica::study::Rows::new(&study, file.clone());
/// let lines = ferrica::study::march(&study, &rows, Some(1), Default::default(), Box::new(|_| ()))?;
/// assert_eq!(ferrica::study::bands::figure(&study, &lines).panels.len(), 1);
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn figure(study: &Study, lines: &Lines) -> Figure {
    let mut figure = Figure::new(study.name(), Axis::new("time [s]"), Axis::default());
    figure.panels.clear();
    let rows: Vec<Vec<f64>> = (lines.values().filter(|l| is_ok(l)))
        .map(|l| cells(study, l))
        .collect();
    let times = study.grid.times();
    let mut first = 0;
    for column in &study.columns {
        let width = column.width(&study.grid);
        if column.kind == Kind::Trajectory {
            let of_time = |k: usize| {
                let mut values: Vec<f64> = (rows.iter())
                    .filter_map(|r| r.get(first + k).copied())
                    .filter(|v| v.is_finite())
                    .collect();
                values.sort_by(f64::total_cmp);
                values
            };
            let sorted: Vec<Vec<f64>> = (0..width).map(of_time).collect();
            figure
                .panels
                .push(panel(label(study, column), &times, &sorted));
        }
        first += width;
    }
    figure
}

/// The bands of one variable, from its sorted values at each time.
pub(crate) fn panel(label: String, times: &[f64], sorted: &[Vec<f64>]) -> Panel {
    let curve = |part: f64| -> Vec<f64> { sorted.iter().map(|v| quantile(v, part)).collect() };
    let mut series = Vec::new();
    for (tail, label) in TAILS {
        let (low, high) = (curve(tail), curve(1.0 - tail));
        series.push(Series::area(label, times, &low, &high));
    }
    series.push(Series::line("median", times.to_vec(), curve(0.5)));
    Panel {
        y: Axis::new(label),
        series,
        ..Panel::default()
    }
}

/// The name of a variable with its unit.
fn label(study: &Study, column: &Measure) -> String {
    let vars = study.first.model.source.vars.values();
    let unit = (vars.map(|v| &v.var)).find(|v| v.name == column.pattern);
    match unit.map_or("", |v| v.unit.as_str()) {
        "" => column.pattern.clone(),
        unit => format!("{} [{unit}]", column.pattern),
    }
}

/// Between two sorted values by the straight line (type 7 of Hyndman and Fan 1996, as NumPy's default).
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = part * last as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (at - at.floor()) * (sorted[above] - sorted[below])
}

/// The numbers of a line, behind the number of its run and the values of its parameters.
fn cells(study: &Study, line: &str) -> Vec<f64> {
    let number = line.split(',').next().and_then(|k| k.parse().ok());
    let begin = study.begin(number.unwrap_or(0));
    let rest = line.strip_prefix(begin.as_str()).unwrap_or_default();
    let cells = rest.split(',');
    cells.map(|c| c.parse().unwrap_or(f64::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `numpy.quantile`.
    #[test]
    fn quantiles() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(quantile(&values, 1.0), 8.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}

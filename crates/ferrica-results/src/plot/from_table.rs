//! From a result and names of variables to a figure: one panel a unit, a low one for each Boolean and enumeration.
//!
//! Values are shown in their `displayUnit` where that is known.

use std::fmt;

use super::figure::{Axis, Figure, Panel, Series};
use crate::{ResultTable, ValueType, glob_matches};
use ferrica_draw::display;

/// At most this many curves are worth a picture.
const MAX_SERIES: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotError {
    /// No variable of this name, and names that are similar.
    Unknown {
        name: String,
        similar: Vec<String>,
    },
    TooMany {
        count: usize,
    },
    Empty,
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::Unknown { name, similar } if similar.is_empty() => {
                write!(f, "the result has no variable `{name}`")
            }
            PlotError::Unknown { name, similar } => {
                let list: Vec<String> = similar.iter().map(|s| format!("`{s}`")).collect();
                write!(
                    f,
                    "the result has no variable `{name}`; there is {}",
                    list.join(", ")
                )
            }
            PlotError::TooMany { count } => {
                write!(
                    f,
                    "{count} variables in one picture; {MAX_SERIES} are the limit"
                )
            }
            PlotError::Empty => write!(f, "the result has no rows"),
        }
    }
}

impl std::error::Error for PlotError {}

/// Splits `a,b[1,2],c.*` at the commas that are not within brackets.
pub fn split_names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    let mut depth = 0i32;
    for c in list.chars() {
        match c {
            ',' if depth <= 0 => names.push(std::mem::take(&mut name)),
            _ => {
                depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
                name.push(c);
            }
        }
    }
    names.push(name);
    names
        .iter()
        .map(|n| n.trim().to_owned())
        .filter(|n| !n.is_empty())
        .collect()
}

/// Draws the named variables (globs allowed) over `x`, usually `time`: one panel a unit.
pub fn figure_of(
    table: &ResultTable,
    title: &str,
    names: &[String],
    x: &str,
) -> Result<Figure, PlotError> {
    let chosen = choose(table, names)?;
    let mut units: Vec<String> = Vec::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for i in chosen {
        // What has names for its values stands for itself.
        let unit = match literals(table, i) {
            Some(_) => format!("literals of {i}"),
            None => shown_in(table, i).2,
        };
        let group = units.iter().position(|u| *u == unit).unwrap_or_else(|| {
            units.push(unit);
            groups.push(Vec::new());
            units.len() - 1
        });
        groups[group].push(i);
    }
    draw(table, title, &groups, x)
}

/// The same with the panels as given, one a list of names.
pub fn figure_of_panels(
    table: &ResultTable,
    title: &str,
    panels: &[Vec<String>],
    x: &str,
) -> Result<Figure, PlotError> {
    let groups: Result<Vec<_>, _> = panels.iter().map(|names| choose(table, names)).collect();
    draw(table, title, &groups?, x)
}

/// The variables that the names and patterns mean, each once.
fn choose(table: &ResultTable, names: &[String]) -> Result<Vec<usize>, PlotError> {
    if table.time.is_empty() {
        return Err(PlotError::Empty);
    }
    let mut chosen: Vec<usize> = Vec::new();
    for name in names {
        match table.find(name) {
            Some(i) => chosen.push(i),
            None => {
                let matched =
                    (0..table.names.len()).filter(|&i| glob_matches(name, &table.names[i]));
                let before = chosen.len();
                chosen.extend(matched);
                if chosen.len() == before {
                    return Err(unknown(table, name));
                }
            }
        }
    }
    let mut seen = vec![false; table.names.len()];
    chosen.retain(|&i| !std::mem::replace(&mut seen[i], true));
    if chosen.len() > MAX_SERIES {
        return Err(PlotError::TooMany {
            count: chosen.len(),
        });
    }

    Ok(chosen)
}

fn unknown(table: &ResultTable, name: &str) -> PlotError {
    PlotError::Unknown {
        name: name.to_owned(),
        similar: similar(table, name),
    }
}

/// The names of the values of a Boolean or an enumeration, and the number of the first one.
fn literals(table: &ResultTable, index: usize) -> Option<(Vec<String>, f64)> {
    match &table.declared(index).ty {
        ValueType::Boolean => Some((["false", "true"].map(str::to_owned).to_vec(), 0.0)),
        ValueType::Enumeration(names) => Some((names.to_vec(), 1.0)),
        ValueType::Real | ValueType::Integer => None,
    }
}

/// Factor, offset and name of the unit that a variable is shown in.
fn shown_in(table: &ResultTable, index: usize) -> (f64, f64, String) {
    let declared = table.declared(index);
    display(&declared.unit, &declared.display_unit)
}

/// A panel with the names of the values; the variable keeps each until the next one.
fn low_panel(table: &ResultTable, index: usize, over: &[f64]) -> Option<Panel> {
    let (names, first) = literals(table, index)?;
    let values = table.series_at(index);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (at, v) in over.iter().zip(values.iter()) {
        if let Some(&before) = y.last()
            && before != v - first
        {
            x.push(*at);
            y.push(before);
        }
        x.push(*at);
        y.push(v - first);
    }
    let last = names.len().max(2) as f64 - 1.0;
    let label = table.names[index].clone();
    Some(Panel {
        y: Axis::new(label.clone())
            .categories(names)
            .range(-0.2, last + 0.2),
        series: vec![Series::line(label, x, y)],
        is_low: true,
        ..Panel::default()
    })
}

fn draw(
    table: &ResultTable,
    title: &str,
    groups: &[Vec<usize>],
    x: &str,
) -> Result<Figure, PlotError> {
    let over = table.series(x).ok_or_else(|| unknown(table, x))?;
    let (factor, offset, x_unit) = match table.find(x) {
        Some(i) => shown_in(table, i),
        None => (1.0, 0.0, "s".to_owned()),
    };
    let over: Vec<f64> = over.iter().map(|v| v * factor + offset).collect();
    let mut figure = Figure::new(title, Axis::new(with_unit(x, &x_unit)), Axis::default());
    figure.panels = groups
        .iter()
        .map(|group| {
            if let [only] = group.as_slice()
                && let Some(panel) = low_panel(table, *only, &over)
            {
                return panel;
            }
            let unit = |i: &usize| shown_in(table, *i).2;
            let first = group.first().map_or(String::new(), unit);
            let common = match group.iter().all(|i| unit(i) == first) {
                true => first,
                false => String::new(),
            };
            let label = match group.as_slice() {
                // A single curve is named on its axis and needs no legend.
                [only] => with_unit(&table.names[*only], &common),
                _ if common.is_empty() => String::new(),
                _ => format!("[{common}]"),
            };
            let curve = |i: &usize| {
                let (factor, offset, _) = shown_in(table, *i);
                let values = table.series_at(*i);
                let shown = values.iter().map(|v| v * factor + offset).collect();
                Series::line(&table.names[*i], over.clone(), shown)
            };
            Panel {
                y: Axis::new(label),
                series: group.iter().map(curve).collect(),
                ..Panel::default()
            }
        })
        .collect();
    Ok(figure)
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() || unit == "1" {
        name.to_owned()
    } else {
        format!("{name} [{unit}]")
    }
}

/// Up to three names that contain the wanted one's last part, the shortest first.
fn similar(table: &ResultTable, name: &str) -> Vec<String> {
    let last = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let first = name.split(['.', '[']).next().unwrap_or(name).to_lowercase();
    let mut found: Vec<(usize, &String)> = table
        .names
        .iter()
        .filter_map(|n| {
            let lower = n.to_lowercase();
            let fits = usize::from(lower.ends_with(&last)) + usize::from(lower.starts_with(&first));
            (fits > 0).then_some(((2 - fits) * 10_000 + n.len(), n))
        })
        .collect();
    found.sort();
    found.into_iter().take(3).map(|(_, n)| n.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Declaration};

    fn table() -> ResultTable {
        let mut table = ResultTable::new(vec![0.0, 1.0]);
        for (name, unit) in [("R.v", "V"), ("R.i", "A"), ("C.v", "V"), ("x[1,2]", "")] {
            table.push(name.into(), Column::Series(vec![0.0, 1.0].into()));
            let declared = Declaration {
                unit: unit.into(),
                ..Declaration::default()
            };
            table.declare(table.names.len() - 1, declared);
        }
        table
    }

    #[test]
    fn one_panel_a_unit() {
        let names = split_names("*.v, R.i,R.v,x[1,2]");
        assert_eq!(names, ["*.v", "R.i", "R.v", "x[1,2]"]);
        let figure = figure_of(&table(), "t", &names, "time").unwrap();
        let panels: Vec<Vec<&str>> = figure
            .panels
            .iter()
            .map(|p| p.series.iter().map(|s| s.label.as_str()).collect())
            .collect();
        assert_eq!(panels, [vec!["R.v", "C.v"], vec!["R.i"], vec!["x[1,2]"]]);
        assert_eq!(figure.x.label, "time [s]");
        assert_eq!(figure.panels[0].y.label, "[V]");
        assert_eq!(figure.panels[1].y.label, "R.i [A]");
    }

    #[test]
    fn values_are_shown_in_their_display_units() {
        let mut table = ResultTable::new(vec![0.0, 1.0]);
        let all = [
            ("T", "K", "degC", 293.15, 20.0, "T [°C]"),
            ("p", "Pa", "bar", 2e5, 2.0, "p [bar]"),
            ("w", "rad/s", "rpm", std::f64::consts::PI, 30.0, "w [rpm]"),
            ("q", "Pa", "no unit", 2.0, 2.0, "q [Pa]"),
        ];
        for (name, unit, display_unit, value, ..) in all {
            table.push(name.into(), Column::Constant(value));
            let declared = Declaration {
                unit: unit.into(),
                display_unit: display_unit.into(),
                ..Declaration::default()
            };
            table.declare(table.names.len() - 1, declared);
        }
        for (name, _, _, _, shown, label) in all {
            let figure = figure_of(&table, "t", &[name.to_owned()], "time").unwrap();
            let panel = &figure.panels[0];
            assert_eq!(panel.y.label, label);
            assert!((panel.series[0].y[1] - shown).abs() < 1e-9, "{name}");
        }
        // Pascal and bar do not share an axis.
        let both = figure_of(&table, "t", &["p".into(), "q".into()], "time").unwrap();
        assert_eq!(both.panels.len(), 2);
    }

    #[test]
    fn booleans_and_enumerations_have_low_panels_with_literals() {
        let mut table = ResultTable::new(vec![0.0, 1.0, 2.0]);
        table.push("on".into(), Column::Series(vec![0.0, 1.0, 1.0].into()));
        table.push("gear".into(), Column::Series(vec![1.0, 3.0, 2.0].into()));
        let literals: Vec<String> = ["R", "N", "D"].map(str::to_owned).to_vec();
        for (k, ty) in [ValueType::Boolean, ValueType::Enumeration(literals.into())]
            .into_iter()
            .enumerate()
        {
            let declared = Declaration {
                ty,
                ..Declaration::default()
            };
            table.declare(k, declared);
        }
        let figure = figure_of(&table, "t", &["*".into()], "time").unwrap();
        let [on, gear] = figure.panels.as_slice() else {
            panic!("{} panels", figure.panels.len());
        };
        assert!(on.is_low && gear.is_low);
        assert_eq!(on.y.categories, ["false", "true"]);
        assert_eq!(gear.y.categories, ["R", "N", "D"]);
        // Held until it changes: a step, not a slope.
        assert_eq!(on.series[0].x, [0.0, 1.0, 1.0, 2.0]);
        assert_eq!(on.series[0].y, [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(gear.series[0].y, [0.0, 0.0, 2.0, 2.0, 1.0]);
        let svg = crate::plot::to_svg(&figure);
        assert!([">true<", ">D<", ">gear<"].iter().all(|t| svg.contains(t)));
    }

    #[test]
    fn panels_as_given() {
        let panels = [split_names("R.v,R.i"), split_names("C.v")];
        let figure = figure_of_panels(&table(), "t", &panels, "R.v").unwrap();
        assert_eq!(figure.panels[0].y.label, "");
        assert_eq!(figure.panels[0].series.len(), 2);
        assert_eq!(figure.x.label, "R.v [V]");
    }

    #[test]
    fn unknown_names_get_suggestions() {
        let error = figure_of(&table(), "t", &["C.V2".into()], "time").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the result has no variable `C.V2`; there is `C.v`"
        );
    }
}

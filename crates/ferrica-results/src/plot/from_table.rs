//! From a result and names of variables to a figure: one panel a unit.

use std::fmt;

use super::figure::{Axis, Figure, Panel, Series};
use crate::{ResultTable, glob_matches};

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

/// Draws the named variables (globs allowed) over `x`, usually `time`.
pub fn figure_of(
    table: &ResultTable,
    title: &str,
    names: &[String],
    x: &str,
) -> Result<Figure, PlotError> {
    if table.time.is_empty() {
        return Err(PlotError::Empty);
    }
    let unknown = |name: &str| PlotError::Unknown {
        name: name.to_owned(),
        similar: similar(table, name),
    };
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
                    return Err(unknown(name));
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

    let over = table.series(x).ok_or_else(|| unknown(x))?;
    let x_unit = if x == "time" && table.unit(x).is_empty() {
        "s"
    } else {
        table.unit(x)
    };
    let mut figure = Figure::new(title, Axis::new(with_unit(x, x_unit)), Axis::default());
    figure.panels.clear();
    let mut units: Vec<&str> = Vec::new();
    for i in chosen {
        let name = &table.names[i];
        let unit = table.unit(name);
        let panel = units.iter().position(|u| *u == unit).unwrap_or_else(|| {
            units.push(unit);
            let label = if unit.is_empty() {
                String::new()
            } else {
                format!("[{unit}]")
            };
            figure.panels.push(Panel {
                y: Axis::new(label),
                series: Vec::new(),
            });
            units.len() - 1
        });
        let series = Series::line(name, over.to_vec(), table.series_at(i).to_vec());
        figure.panels[panel].series.push(series);
    }
    for panel in &mut figure.panels {
        // A single curve needs no legend entry of its own beside its name on the axis.
        if let [only] = panel.series.as_slice()
            && panel.y.label.starts_with('[')
        {
            panel.y.label = format!("{} {}", only.label, panel.y.label);
        }
    }
    Ok(figure)
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() {
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
    use crate::Column;

    fn table() -> ResultTable {
        let mut table = ResultTable::new(vec![0.0, 1.0]);
        for (name, unit) in [("R.v", "V"), ("R.i", "A"), ("C.v", "V"), ("x[1,2]", "")] {
            table.push(name.into(), Column::Series(vec![0.0, 1.0].into()));
            table.set_unit_of_last(unit.into());
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

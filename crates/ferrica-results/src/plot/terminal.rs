//! Curves in a terminal, in Braille dots: two by four to a character. Where there is room each curve has its name at its end.

use super::decimate::decimate;
use super::figure::{Axis, Figure, Mark, Panel, Scale, Series};
use super::ticks::{Ticks, label_with_factor, ticks};

#[derive(Clone, Copy, Debug)]
pub struct TerminalOptions {
    pub columns: usize,
    /// For each panel.
    pub rows: usize,
    pub color: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        TerminalOptions {
            columns: 80,
            rows: 16,
            color: false,
        }
    }
}

/// Characters of a name at the end of a curve, and what must be left for the curves.
const LONGEST_NAME: usize = 18;
const LEAST_COLUMNS: usize = 40;

/// ANSI colours in the order of the series.
const ANSI: [u8; 6] = [34, 33, 32, 35, 36, 31];
/// Without colours, legends name the curves only; with many curves that is all a terminal can do.
const SWATCH: &str = "⣀⡠⠔⠒";

pub fn to_terminal(figure: &Figure, options: &TerminalOptions) -> String {
    let mut out = String::new();
    if !figure.title.is_empty() {
        let title = &figure.title;
        out += &if options.color {
            format!("\x1b[1m{title}\x1b[0m\n")
        } else {
            format!("{title}\n")
        };
    }
    // All panels have their axis below each other.
    let margins = figure.panels.iter().map(|panel| {
        let texts = y_ticks(panel, rows_of(panel, options)).major;
        let widths = texts.iter().map(|(_, t)| t.chars().count());
        widths.max().unwrap_or(1).max(3)
    });
    let margin = margins.max().unwrap_or(3);
    let names = figure.panels.iter();
    let names = names.map(|p| name_width(p, rows_of(p, options), options));
    let edges = Edges {
        margin,
        names: names.max().unwrap_or(0),
    };
    let mut first_color = 0;
    for (i, panel) in figure.panels.iter().enumerate() {
        let last = i + 1 == figure.panels.len();
        print_panel(&mut out, figure, panel, first_color, last, edges, options);
        first_color += panel.series.len();
    }
    out
}

/// Columns at the left for the numbers, and at the right for the names.
#[derive(Clone, Copy)]
struct Edges {
    margin: usize,
    names: usize,
}

fn rows_of(panel: &Panel, options: &TerminalOptions) -> usize {
    match panel.is_low {
        true => panel.y.categories.len().clamp(2, options.rows.max(4)),
        false => options.rows.max(4),
    }
}

fn y_ticks(panel: &Panel, rows: usize) -> Ticks {
    ticks(&panel.y, panel.y_range(), (rows / 4).max(2))
}

/// Dots of one panel, and the series that painted each character last.
struct Canvas {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
    owner: Vec<usize>,
}

impl Canvas {
    fn new(columns: usize, rows: usize) -> Self {
        Canvas {
            columns,
            rows,
            dots: vec![0; columns * rows],
            owner: vec![0; columns * rows],
        }
    }

    /// Sets a dot, counted from the upper left.
    fn dot(&mut self, x: i64, y: i64, series: usize) {
        if x < 0 || y < 0 || x >= 2 * self.columns as i64 || y >= 4 * self.rows as i64 {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        let cell = (y / 4) * self.columns + x / 2;
        // Braille numbers its dots 1 2 3 7 down the left and 4 5 6 8 down the right.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        self.dots[cell] |= BITS[y % 4][x % 2];
        self.owner[cell] = series;
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), series: usize) {
        let steps = (to.0 - from.0)
            .abs()
            .max((to.1 - from.1).abs())
            .ceil()
            .clamp(1.0, 20_000.0);
        for k in 0..=steps as usize {
            let f = k as f64 / steps;
            let x = from.0 + f * (to.0 - from.0);
            let y = from.1 + f * (to.1 - from.1);
            self.dot(x.round() as i64, y.round() as i64, series);
        }
    }
}

fn print_panel(
    out: &mut String,
    figure: &Figure,
    panel: &Panel,
    first_color: usize,
    last: bool,
    edges: Edges,
    options: &TerminalOptions,
) {
    let y_range = panel.y_range();
    let x_range = figure.x_range();
    let rows = rows_of(panel, options);
    let y_ticks = y_ticks(panel, rows);
    let margin = edges.margin;
    let has_names = name_width(panel, rows, options) > 0;
    let columns = options.columns.saturating_sub(margin + 3 + edges.names);
    let columns = columns.max(10);

    let mut canvas = Canvas::new(columns, rows);
    let x_of = position(&figure.x, x_range, 2 * columns);
    let y_up = position(&panel.y, y_range, 4 * rows);
    let y_of = |v: f64| (4 * rows - 1) as f64 - y_up(v);
    for (k, series) in panel.series.iter().enumerate() {
        paint(&mut canvas, series, k, &figure.x, &x_of, &y_of, 2 * columns);
    }

    legend(out, panel, y_ticks.exponent, first_color, options);
    let mut labels: Vec<Option<&str>> = vec![None; rows];
    for (v, text) in &y_ticks.major {
        let row = (y_of(*v) / 4.0).floor();
        if row >= 0.0 && (row as usize) < rows {
            labels[row as usize] = Some(text);
        }
    }
    let names = match has_names {
        true => names_at_ends(panel, rows, &y_of),
        false => vec![None; rows],
    };
    for (row, label) in labels.iter().enumerate() {
        let tick = if label.is_some() { '┤' } else { '│' };
        out.push_str(&format!("{:>margin$} {tick}", label.unwrap_or("")));
        let mut current = None;
        let cells = &canvas.dots[row * columns..(row + 1) * columns];
        let end = cells.iter().rposition(|d| *d != 0).map_or(0, |p| p + 1);
        for (column, &dots) in cells[..end].iter().enumerate() {
            if dots == 0 {
                out.push(' ');
                continue;
            }
            let owner = canvas.owner[row * columns + column];
            if options.color && current != Some(owner) {
                out.push_str(&format!(
                    "\x1b[{}m",
                    ANSI[(first_color + owner) % ANSI.len()]
                ));
                current = Some(owner);
            }
            out.push(char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '));
        }
        if current.is_some() {
            out.push_str("\x1b[0m");
        }
        if let Some(k) = names[row] {
            let name = shortened(&panel.series[k].label, LONGEST_NAME);
            out.push_str(&" ".repeat(columns - end + 1));
            out.push_str(&match options.color {
                true => format!(
                    "\x1b[{}m{name}\x1b[0m",
                    ANSI[(first_color + k) % ANSI.len()]
                ),
                false => name,
            });
        }
        out.push('\n');
    }
    x_axis(out, figure, x_range, margin, columns, last);
}

/// Columns for names at the ends of curves; none if there is only one curve, or no room for all.
fn name_width(panel: &Panel, rows: usize, options: &TerminalOptions) -> usize {
    let curves = panel.series.iter().filter(|s| !s.label.is_empty());
    let is_line = |s: &Series| matches!(s.mark, Mark::Line | Mark::LineMarkers);
    let fits = (2..=rows).contains(&panel.series.len()) && panel.series.iter().all(is_line);
    let longest = curves.map(|s| s.label.chars().count().min(LONGEST_NAME));
    let width = longest.max().map_or(0, |n| n + 1);
    match fits && options.columns >= LEAST_COLUMNS + width {
        true => width,
        false => 0,
    }
}

/// For each row the curve whose name stands there: that of its last point, or the nearest row that is free.
fn names_at_ends(panel: &Panel, rows: usize, y_of: &impl Fn(f64) -> f64) -> Vec<Option<usize>> {
    let mut names = vec![None; rows];
    for (k, series) in panel.series.iter().enumerate() {
        let last = series.points().filter(|p| y_of(p.1).is_finite()).last();
        let Some((_, y)) = last.filter(|_| !series.label.is_empty()) else {
            continue;
        };
        let wanted = (y_of(y) / 4.0).floor().clamp(0.0, rows as f64 - 1.0) as usize;
        let free = (0..rows).filter(|r| names[*r].is_none());
        if let Some(row) = free.min_by_key(|r| r.abs_diff(wanted)) {
            names[row] = Some(k);
        }
    }
    names
}

/// The end of a name tells more than its beginning.
fn shortened(name: &str, longest: usize) -> String {
    let count = name.chars().count();
    match count <= longest {
        true => name.to_owned(),
        false => format!(
            "…{}",
            name.chars().skip(count - longest + 1).collect::<String>()
        ),
    }
}

/// Maps an axis to dots `0..count`.
fn position(axis: &Axis, (low, high): (f64, f64), count: usize) -> impl Fn(f64) -> f64 {
    let log = axis.scale == Scale::Log;
    let (low, high) = if log {
        (low.log10(), high.log10())
    } else {
        (low, high)
    };
    move |v: f64| {
        let v = if log { v.log10() } else { v };
        (v - low) / (high - low) * (count - 1) as f64
    }
}

fn paint(
    canvas: &mut Canvas,
    series: &Series,
    index: usize,
    x_axis: &Axis,
    x_of: &impl Fn(f64) -> f64,
    y_of: &impl Fn(f64) -> f64,
    width: usize,
) {
    let far = 8.0 * canvas.rows as f64;
    let mapped = series.points().map(|(x, y)| {
        let y = y_of(y);
        (
            x_of(x),
            if y.is_finite() {
                y.clamp(-far, 2.0 * far)
            } else {
                y
            },
        )
    });
    match series.mark {
        Mark::Line | Mark::LineMarkers => {
            for piece in decimate(mapped, (0.0, width as f64), width) {
                if let [only] = piece.as_slice() {
                    canvas.dot(only.0.round() as i64, only.1.round() as i64, index);
                }
                for pair in piece.windows(2) {
                    canvas.line(pair[0], pair[1], index);
                }
            }
        }
        // Its outline.
        Mark::Area => {
            let corners: Vec<(f64, f64)> = mapped.collect();
            for pair in corners.windows(2) {
                if pair.iter().all(|p| p.0.is_finite() && p.1.is_finite()) {
                    canvas.line(pair[0], pair[1], index);
                }
            }
        }
        Mark::Markers => {
            for (x, y) in mapped.filter(|(x, y)| x.is_finite() && y.is_finite()) {
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    canvas.dot(x.round() as i64 + dx, y.round() as i64 + dy, index);
                }
            }
        }
        Mark::Bars { .. } => {
            let base = y_of(0.0);
            let base = if base.is_finite() {
                base
            } else {
                4.0 * canvas.rows as f64
            };
            for (x, y) in series
                .points()
                .filter(|(x, y)| x.is_finite() && y.is_finite())
            {
                let [from, to] = x_axis.around(x, series.mark).map(x_of);
                for column in from.ceil() as i64..=to.floor() as i64 {
                    canvas.line((column as f64, base), (column as f64, y_of(y)), index);
                }
            }
        }
    }
}

fn legend(
    out: &mut String,
    panel: &Panel,
    exponent: i32,
    first_color: usize,
    options: &TerminalOptions,
) {
    let label = label_with_factor(&panel.y.label, exponent);
    let lone = panel.series.len() == 1 && panel.y.label.starts_with(&panel.series[0].label);
    let mut line = label;
    let mut width = line.chars().count();
    let named = panel
        .series
        .iter()
        .enumerate()
        .filter(|(_, s)| !lone && !s.label.is_empty());
    for (k, series) in named {
        let length = series.label.chars().count() + if options.color { 7 } else { 2 };
        if width + length > options.columns && width > 0 {
            out.push_str(line.trim_end());
            out.push('\n');
            line.clear();
            width = 0;
        }
        let space = if width == 0 { "" } else { "  " };
        if options.color {
            let color = ANSI[(first_color + k) % ANSI.len()];
            line += &format!("{space}\x1b[{color}m{SWATCH}\x1b[0m {}", series.label);
        } else {
            line += &format!("{space}{}", series.label);
        }
        width += length;
    }
    if !line.is_empty() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn x_axis(
    out: &mut String,
    figure: &Figure,
    range: (f64, f64),
    margin: usize,
    columns: usize,
    last: bool,
) {
    let x_ticks = ticks(&figure.x, range, (columns / 12).clamp(2, 10));
    let x_of = position(&figure.x, range, columns);
    let mut line: Vec<char> = vec!['─'; columns];
    let mut labels: Vec<char> = vec![' '; columns + 2];
    let mut free = 0;
    for (v, text) in &x_ticks.major {
        let at = x_of(*v).round().max(0.0) as usize;
        if at >= columns {
            continue;
        }
        line[at] = '┴';
        let length = text.chars().count();
        let start = at
            .saturating_sub(length / 2)
            .min((columns + 2).saturating_sub(length));
        if start >= free && start + length <= labels.len() {
            for (slot, c) in labels[start..].iter_mut().zip(text.chars()) {
                *slot = c;
            }
            free = start + length + 2;
        }
    }
    out.push_str(&format!(
        "{:margin$} └{}\n",
        "",
        line.iter().collect::<String>()
    ));
    if last {
        let labels: String = labels.iter().collect();
        out.push_str(&format!("{:margin$}  {}\n", "", labels.trim_end()));
        let label = label_with_factor(&figure.x.label, x_ticks.exponent);
        let pad = margin + 2 + columns.saturating_sub(label.chars().count()) / 2;
        out.push_str(&format!("{:pad$}{label}\n", ""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rising_line() {
        let figure = Figure::new(
            "ramp",
            Axis::new("time [s]"),
            Axis::new("y [m]").range(0.0, 1.0),
        )
        .with(Series::line("y", vec![0.0, 1.0], vec![0.0, 1.0]));
        let text = to_terminal(
            &figure,
            &TerminalOptions {
                columns: 26,
                rows: 5,
                color: false,
            },
        );
        let expected = "\
ramp
y [m]
1.0 ┤                ⣀⠤⠒⠉
    │            ⣀⠤⠒⠉
0.5 ┤        ⣀⠤⠒⠉
    │    ⣀⠤⠒⠉
0.0 ┤⣀⠤⠒⠉
    └┴─────────┴────────┴
     0.0      0.5      1.0
           time [s]
";
        assert_eq!(text, expected, "\n{text}");
    }

    #[test]
    fn names_stand_at_the_ends_of_curves() {
        let ends = [0.0, 1.0, 1.0];
        let mut figure = Figure::new("", Axis::new("t"), Axis::new("y").range(0.0, 1.0));
        for (name, end) in ["low", "high", "component.of.a.long.path.high"]
            .iter()
            .zip(ends)
        {
            figure = figure.with(Series::line(*name, vec![0.0, 1.0], vec![0.5, end]));
        }
        let options = TerminalOptions {
            columns: 70,
            rows: 5,
            color: false,
        };
        let text = to_terminal(&figure, &options);
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert!(rows[0].ends_with(" high"), "{text}");
        // The next free row, and the end of the name.
        assert!(rows[1].ends_with(" ….a.long.path.high"), "{text}");
        assert!(rows[4].ends_with(" low"), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 70), "{text}");
    }

    #[test]
    fn colours_only_when_asked_for() {
        let figure = Figure::new("t", Axis::default(), Axis::default())
            .with(Series::line("a", vec![0.0, 1.0], vec![0.0, 1.0]))
            .with(Series::line("b", vec![0.0, 1.0], vec![1.0, f64::NAN]));
        let plain = to_terminal(&figure, &TerminalOptions::default());
        assert!(!plain.contains('\x1b') && plain.contains("a  b"));
        let colored = to_terminal(
            &figure,
            &TerminalOptions {
                color: true,
                ..Default::default()
            },
        );
        assert!(colored.contains("\x1b[34m") && colored.contains("\x1b[33m"));
    }
}

//! What to draw, independent of how: panels one above the other with a common horizontal axis.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    #[default]
    Linear,
    Log,
}

#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// A quantity, perhaps with its unit in brackets: `time [s]`.
    pub label: String,
    pub scale: Scale,
    /// Fixed ends; else from the data.
    pub range: Option<(f64, f64)>,
    /// Names for 0, 1, 2, … instead of numbers.
    pub categories: Vec<String>,
}

impl Axis {
    pub fn new(label: impl Into<String>) -> Self {
        Axis {
            label: label.into(),
            ..Axis::default()
        }
    }

    pub fn log(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The edges of what is drawn at a place.
    pub(crate) fn around(&self, x: f64, mark: Mark) -> [f64; 2] {
        match (mark, self.scale) {
            (Mark::Bars { width }, Scale::Linear) => [x - width / 2.0, x + width / 2.0],
            (Mark::Bars { width }, Scale::Log) => {
                let half = 10f64.powf(width / 2.0);
                [x / half, x * half]
            }
            _ => [x, x],
        }
    }

    pub fn categories(mut self, names: Vec<String>) -> Self {
        self.categories = names;
        self
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// Points joined by straight lines; a point that is not finite makes a gap.
    Line,
    Markers,
    LineMarkers,
    /// From zero (or the bottom of a logarithmic axis) to `y`, this wide in units of `x`, in decades on a logarithmic axis.
    Bars {
        width: f64,
    },
    /// The inside of the polygon through the points, behind all curves.
    Area,
}

#[derive(Clone, Debug)]
pub struct Series {
    pub label: String,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub mark: Mark,
}

impl Series {
    pub fn new(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>, mark: Mark) -> Self {
        Series {
            label: label.into(),
            x,
            y,
            mark,
        }
    }

    pub fn line(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series::new(label, x, y, Mark::Line)
    }

    /// The area between two curves over the same places.
    pub fn area(label: impl Into<String>, x: &[f64], low: &[f64], high: &[f64]) -> Self {
        let there = x.iter().zip(high);
        let back = x.iter().zip(low).rev();
        let (x, y) = there.chain(back).map(|(x, y)| (*x, *y)).unzip();
        Series::new(label, x, y, Mark::Area)
    }

    /// The points, as many as both coordinates have.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }
}

/// A place on the horizontal axis that is worth a line across the panel.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    pub label: String,
    pub x: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub y: Axis,
    pub series: Vec<Series>,
    pub limits: Vec<Limit>,
    /// Few values, such as those of a Boolean: the panel needs little height.
    pub is_low: bool,
}

#[derive(Clone, Debug)]
pub struct Figure {
    pub title: String,
    pub x: Axis,
    pub panels: Vec<Panel>,
    /// In pixels; the height is chosen by the number of panels if it is zero.
    pub width: f64,
    pub height: f64,
}

impl Figure {
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Figure {
            title: title.into(),
            x,
            panels: vec![Panel {
                y,
                ..Panel::default()
            }],
            width: 860.0,
            height: 0.0,
        }
    }

    /// Adds a series to the last panel.
    pub fn with(mut self, series: Series) -> Self {
        if let Some(panel) = self.panels.last_mut() {
            panel.series.push(series);
        }
        self
    }

    /// Opens another panel below.
    pub fn panel(mut self, y: Axis) -> Self {
        self.panels.push(Panel {
            y,
            ..Panel::default()
        });
        self
    }

    /// Adds a line across the last panel.
    pub fn with_limit(mut self, label: impl Into<String>, x: f64) -> Self {
        if let Some(panel) = self.panels.last_mut() {
            let label = label.into();
            panel.limits.push(Limit { label, x });
        }
        self
    }

    /// The ends of the common horizontal axis.
    pub(crate) fn x_range(&self) -> (f64, f64) {
        let all = self.panels.iter().flat_map(|p| &p.series);
        let widened = all
            .clone()
            .flat_map(|s| s.x.iter().flat_map(|x| self.x.around(*x, s.mark)));
        let limits = self.panels.iter().flat_map(|p| &p.limits).map(|l| l.x);
        let widened = widened.chain(limits);
        let padded = all
            .clone()
            .any(|s| s.mark != Mark::Area && (s.mark != Mark::Line || !s.x.is_sorted()));
        span(&self.x, widened, if padded { 0.04 } else { 0.0 })
    }
}

impl Panel {
    pub(crate) fn y_range(&self) -> (f64, f64) {
        let bars = self
            .series
            .iter()
            .any(|s| matches!(s.mark, Mark::Bars { .. }));
        let values = self.series.iter().flat_map(|s| s.y.iter().copied());
        let linear = self.y.scale == Scale::Linear;
        let base = (bars && linear).then_some(0.0);
        let (low, high) = span(&self.y, values.chain(base), 0.05);
        if bars && linear && self.y.range.is_none() {
            // Bars stand on the axis.
            (
                if low < 0.0 && self.has_negative() {
                    low
                } else {
                    0.0
                },
                high,
            )
        } else {
            (low, high)
        }
    }

    fn has_negative(&self) -> bool {
        self.series.iter().any(|s| s.y.iter().any(|v| *v < 0.0))
    }
}

/// The ends of an axis: as fixed, else the data's with a margin, never empty.
fn span(axis: &Axis, values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    if let Some((low, high)) = axis.range
        && low < high
        && (axis.scale == Scale::Linear || low > 0.0)
    {
        return (low, high);
    }
    let usable = values.filter(|v| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0));
    let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    if low > high {
        return if axis.scale == Scale::Log {
            (1.0, 10.0)
        } else {
            (0.0, 1.0)
        };
    }
    match axis.scale {
        Scale::Log => {
            let (l, h) = (low.log10(), high.log10());
            let pad = if h - l < 1e-9 { 0.5 } else { (h - l) * margin };
            // The margin stays within the numbers there are.
            let smallest = f64::from_bits(1);
            (
                10f64.powf(l - pad).max(smallest),
                10f64.powf(h + pad).min(f64::MAX),
            )
        }
        Scale::Linear => {
            let size = high - low;
            let magnitude = low.abs().max(high.abs());
            // A signal that only moves by rounding is drawn as the constant it is.
            if size <= 1e-12 * magnitude || size == 0.0 {
                let pad = if magnitude > 0.0 {
                    0.1 * magnitude
                } else {
                    1.0
                };
                (low - pad, high + pad)
            } else {
                (low - margin * size, high + margin * size)
            }
        }
    }
}

/// How often samples fall into `bins` equal classes (equal ratios on a logarithmic axis).
pub fn histogram(
    title: impl Into<String>,
    x: Axis,
    label: impl Into<Cow<'static, str>>,
    samples: &[f64],
    bins: usize,
) -> Figure {
    let log = x.scale == Scale::Log;
    let to = |v: f64| if log { v.log10() } else { v };
    let usable: Vec<f64> = samples
        .iter()
        .copied()
        .filter(|v| v.is_finite() && (!log || *v > 0.0))
        .map(to)
        .collect();
    let (low, high) = usable
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(*v), h.max(*v))
        });
    let bins = bins.max(1);
    let width = if high > low {
        (high - low) / bins as f64
    } else {
        1.0
    };
    let mut counts = vec![0.0; bins];
    for value in &usable {
        let bin = ((value - low) / width) as usize;
        counts[bin.min(bins - 1)] += 1.0;
    }
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let from = |v: f64| if log { 10f64.powf(v) } else { v };
    if !usable.is_empty() {
        xs = (0..bins)
            .map(|k| from(low + (k as f64 + 0.5) * width))
            .collect();
        ys = counts;
    }
    let mark = Mark::Bars { width };
    Figure::new(title, x, Axis::new("count")).with(Series::new(label.into(), xs, ys, mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let line = |y: Vec<f64>| {
            let x = (0..y.len()).map(|i| i as f64).collect();
            Figure::new("", Axis::default(), Axis::default()).with(Series::line("", x, y))
        };
        assert_eq!(line(vec![0.0, 10.0]).panels[0].y_range(), (-0.5, 10.5));
        assert_eq!(line(vec![0.0, 10.0]).x_range(), (0.0, 1.0));
        assert_eq!(line(vec![5.0, 5.0]).panels[0].y_range(), (4.5, 5.5));
        assert_eq!(line(vec![f64::NAN]).panels[0].y_range(), (0.0, 1.0));
        assert_eq!(line(vec![]).x_range(), (0.0, 1.0));
    }

    #[test]
    fn histogram_counts_all_samples() {
        let samples: Vec<f64> = (0..100).map(f64::from).collect();
        let figure = histogram("h", Axis::new("µs"), "all", &samples, 10);
        assert_eq!(figure.panels[0].series[0].y, vec![10.0; 10]);
        assert_eq!(figure.panels[0].y_range().0, 0.0);
        let figure = histogram(
            "h",
            Axis::new("µs").log(),
            "all",
            &[1.0, 10.0, 100.0, 0.0],
            2,
        );
        let bars = &figure.panels[0].series[0];
        assert_eq!(bars.y, [1.0, 2.0]);
        // Two classes of a decade each, from 1 to 100.
        let edges: Vec<f64> = bars
            .x
            .iter()
            .flat_map(|x| figure.x.around(*x, bars.mark))
            .collect();
        for (found, exact) in edges.iter().zip([1.0, 10.0, 10.0, 100.0]) {
            assert!((found / exact - 1.0).abs() < 1e-12, "{edges:?}");
        }
        histogram("h", Axis::default(), "none", &[], 10);
    }
}

//! From a figure to a scene: margins that fit the texts, grids, curves and legends.

use super::decimate::{decimate, straighten};
use super::figure::{Axis, Figure, Mark, Panel, Scale, Series};
use super::legend::Head;
use super::palette::{AXIS, FINE_GRID, GRID, INK, LIMIT, SOFT_INK, Style, styles, tint};
use super::ticks::{Ticks, label_with_factor, ticks};
use ferrica_draw::font::{self, ellipsize};
use ferrica_draw::{Anchor, Brush, Color, Item, Path, Pen, Rect, Scene, Shape, TextStyle};

const TITLE_SIZE: f64 = 16.0;
pub(super) const TEXT_SIZE: f64 = 12.5;
const TICK_SIZE: f64 = 11.5;
pub(super) const EDGE: f64 = 20.0;
const CURVE_WIDTH: f64 = 1.7;
pub(super) const MARKER_RADIUS: f64 = 4.0;
/// Height of a panel with few values: for each of them, and at least.
const LOW_ROW: f64 = 20.0;
const LOW_LEAST: f64 = 36.0;
/// Maps an axis to pixels.
#[derive(Clone, Copy)]
struct Mapping {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Mapping {
    fn new(axis: &Axis, (low, high): (f64, f64), from: f64, to: f64) -> Self {
        let (low, high) = match axis.scale {
            Scale::Linear => (low, high),
            Scale::Log => (low.log10(), high.log10()),
        };
        Mapping {
            scale: axis.scale,
            low,
            high,
            from,
            to,
        }
    }

    fn map(&self, value: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

pub(super) fn lay_out(figure: &Figure) -> Scene {
    let width = figure.width.max(200.0);
    let low_height = |p: &Panel| match p.is_low {
        true => (LOW_ROW * p.y.categories.len() as f64).max(LOW_LEAST),
        false => 0.0,
    };
    let lows: f64 = figure.panels.iter().map(low_height).sum();
    let panel_count = figure.panels.iter().filter(|p| !p.is_low).count();
    let y_ranges: Vec<_> = figure.panels.iter().map(Panel::y_range).collect();
    let x_range = figure.x_range();

    // Heights: what the texts need, the rest for the panels.
    let title_height = if figure.title.is_empty() {
        EDGE - 6.0
    } else {
        44.0
    };
    let bottom = 32.0 + if figure.x.label.is_empty() { 0.0 } else { 26.0 };
    let wanted = match panel_count {
        0 | 1 => 350.0,
        2 => 220.0,
        3 => 180.0,
        _ => 150.0,
    };
    let guess = if figure.height > 0.0 {
        (figure.height - title_height - bottom - lows) / panel_count.max(1) as f64 - 26.0
    } else {
        wanted
    };
    let y_ticks: Vec<Ticks> = figure
        .panels
        .iter()
        .zip(&y_ranges)
        .map(|(p, r)| ticks(&p.y, *r, ((guess / 40.0) as usize).clamp(2, 9)))
        .collect();
    let label_width = y_ticks
        .iter()
        .flat_map(|t| &t.major)
        .map(|(_, text)| font::width(text, TICK_SIZE))
        .fold(18.0, f64::max);
    let left = (EDGE + label_width + 8.0).round();
    let right = (width - EDGE - 6.0).max(left + 50.0);

    let heads: Vec<Head> = (figure.panels.iter().zip(&y_ticks).zip(styles(figure)))
        .map(|((panel, ticks), styles)| Head::new(panel, ticks, styles, left, right))
        .collect();
    let heads_height: f64 = heads.iter().map(Head::height).sum();
    let height = if figure.height > 0.0 {
        figure.height
    } else {
        title_height + heads_height + wanted * panel_count as f64 + lows + bottom
    };
    let left_over = height - title_height - heads_height - bottom - lows;
    let plot_height = (left_over / panel_count.max(1) as f64).max(30.0);

    let x_ticks = fitting_x_ticks(&figure.x, x_range, right - left);
    let mut scene = Scene {
        width,
        height,
        title: figure.title.clone(),
        ..Scene::default()
    };
    if !figure.title.is_empty() {
        let title = ellipsize(&figure.title, TITLE_SIZE, width - 2.0 * EDGE);
        text(
            &mut scene,
            (EDGE, 29.0),
            title,
            TITLE_SIZE,
            Anchor::Start,
            true,
            INK,
        );
    }
    let mut top = title_height;
    for (i, panel) in figure.panels.iter().enumerate() {
        let head = &heads[i];
        head.paint(&mut scene, top);
        top += head.height();
        let plot_height = match panel.is_low {
            true => low_height(panel),
            false => plot_height,
        };
        let area = Rect {
            x: left,
            y: top,
            width: right - left,
            height: plot_height,
        };
        let x = Mapping::new(&figure.x, x_range, area.x, area.x + area.width);
        let y = Mapping::new(&panel.y, y_ranges[i], area.y + area.height, area.y);
        let named = !figure.x.categories.is_empty();
        grid(&mut scene, area, (&x, &x_ticks), (&y, &y_ticks[i]), named);
        curves(&mut scene, panel, head.styles(), area, &x, &y);
        limits(&mut scene, panel, area, &x);
        axis_lines(
            &mut scene,
            area,
            &x,
            &x_ticks,
            &figure.x,
            i + 1 == figure.panels.len(),
        );
        top += plot_height;
    }
    if !figure.x.label.is_empty() {
        let label = label_with_factor(&figure.x.label, x_ticks.exponent);
        let at = ((left + right) / 2.0, top + 42.0);
        text(
            &mut scene,
            at,
            label,
            TEXT_SIZE,
            Anchor::Middle,
            false,
            SOFT_INK,
        );
    }
    scene
}

/// As many ticks as fit without touching.
fn fitting_x_ticks(axis: &Axis, range: (f64, f64), width: f64) -> Ticks {
    let mut count = ((width / 85.0) as usize).clamp(2, 12);
    loop {
        let mut found = ticks(axis, range, count);
        let widest = found
            .major
            .iter()
            .map(|(_, t)| font::width(t, TICK_SIZE))
            .fold(0.0, f64::max);
        let room = width / found.major.len().max(1) as f64;
        if !axis.categories.is_empty() {
            for (_, text) in &mut found.major {
                *text = ellipsize(text, TICK_SIZE, room - 6.0);
            }
            return found;
        }
        if widest + 12.0 <= room || count <= 2 {
            return found;
        }
        count -= 1;
    }
}

fn grid(scene: &mut Scene, area: Rect, x: (&Mapping, &Ticks), y: (&Mapping, &Ticks), named: bool) {
    let (right, bottom) = (area.x + area.width, area.y + area.height);
    let mut line = |from: (f64, f64), to: (f64, f64), color: Color| {
        scene.items.push(Item::Stroke {
            points: vec![from, to],
            width: 1.0,
            color,
        });
    };
    let vertical = |v: f64| crisp(x.0.map(v)).clamp(area.x, right);
    let horizontal = |v: f64| crisp(y.0.map(v)).clamp(area.y, bottom);
    for v in &x.1.minor {
        line((vertical(*v), area.y), (vertical(*v), bottom), FINE_GRID);
    }
    for v in &y.1.minor {
        line((area.x, horizontal(*v)), (right, horizontal(*v)), FINE_GRID);
    }
    // Names below the axis need no lines.
    for (v, _) in x.1.major.iter().filter(|_| !named) {
        line((vertical(*v), area.y), (vertical(*v), bottom), GRID);
    }
    for (v, _) in &y.1.major {
        // Zero is worth a stronger line.
        let color = if *v == 0.0 && y.0.low < 0.0 {
            AXIS
        } else {
            GRID
        };
        line((area.x, horizontal(*v)), (right, horizontal(*v)), color);
    }
    for (v, label) in &y.1.major {
        let at = (area.x - 8.0, y.0.map(*v) + 4.0);
        text(
            scene,
            at,
            label.clone(),
            TICK_SIZE,
            Anchor::End,
            false,
            SOFT_INK,
        );
    }
}

fn axis_lines(
    scene: &mut Scene,
    area: Rect,
    x: &Mapping,
    x_ticks: &Ticks,
    axis: &Axis,
    labelled: bool,
) {
    let bottom = crisp(area.y + area.height);
    let points = vec![(area.x, bottom), (area.x + area.width, bottom)];
    scene.items.push(Item::Stroke {
        points,
        width: 1.0,
        color: AXIS,
    });
    if !labelled {
        return;
    }
    for (v, label) in &x_ticks.major {
        let px = x.map(*v);
        if axis.categories.is_empty() {
            let points = vec![(crisp(px), bottom), (crisp(px), bottom + 5.0)];
            scene.items.push(Item::Stroke {
                points,
                width: 1.0,
                color: AXIS,
            });
        }
        let at = (px, bottom + 19.0);
        text(
            scene,
            at,
            label.clone(),
            TICK_SIZE,
            Anchor::Middle,
            false,
            SOFT_INK,
        );
    }
}

fn curves(
    scene: &mut Scene,
    panel: &Panel,
    styles: &[Style],
    area: Rect,
    x: &Mapping,
    y: &Mapping,
) {
    let mut items = Vec::new();
    // Far outside is as good as infinitely far, and safe for every renderer.
    let far = 20.0 * area.height;
    let clamp = |v: f64| v.clamp(area.y - far, area.y + area.height + far);
    let mapped = |s: &Series| -> Vec<(f64, f64)> {
        s.points()
            .map(|(a, b)| {
                let (px, py) = (x.map(a), y.map(b));
                (px, if py.is_finite() { clamp(py) } else { py })
            })
            .collect()
    };
    // Areas are behind the curves.
    let is_area = |(_, s): &(usize, &Series)| s.mark == Mark::Area;
    let all = || panel.series.iter().enumerate();
    for (index, series) in all().filter(is_area).chain(all().filter(|s| !is_area(s))) {
        let Style { color, dashes } = styles[index];
        if let Mark::Bars { width } = series.mark {
            let bars_of = (width, panel.series.len());
            bars(&mut items, series, bars_of, color, area, x, y);
            continue;
        }
        let points = mapped(series);
        if series.mark == Mark::Area {
            let finite = points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
            let corners: Vec<(f64, f64)> = finite.copied().collect();
            items.push(Item::Path {
                path: Path::polyline(&corners, true),
                pen: None,
                brush: Some(Brush::Solid(tint(color))),
            });
            continue;
        }
        if matches!(series.mark, Mark::Line | Mark::LineMarkers) {
            let range = (area.x, area.x + area.width);
            // Two columns a unit: the densest picture has as many pixels.
            let columns = (2.0 * area.width) as usize;
            let ascending = series.x.is_sorted();
            let pieces = if ascending {
                decimate(points.iter().copied(), range, columns)
            } else {
                // A path in the plane: every point counts.
                points
                    .split(|(a, b)| !(a.is_finite() && b.is_finite()))
                    .filter(|p| !p.is_empty())
                    .map(<[_]>::to_vec)
                    .collect()
            };
            for points in pieces {
                if let [point] = points.as_slice() {
                    let radius = CURVE_WIDTH;
                    items.push(Item::Marker {
                        at: *point,
                        radius,
                        shape: Shape::Circle,
                        color,
                    });
                } else if dashes.is_empty() {
                    items.push(Item::Stroke {
                        points: straighten(points),
                        width: CURVE_WIDTH,
                        color,
                    });
                } else {
                    items.push(Item::Path {
                        path: Path::polyline(&straighten(points), false),
                        pen: Some(Pen {
                            width: CURVE_WIDTH,
                            color,
                            dashes: dashes.to_vec(),
                        }),
                        brush: None,
                    });
                }
            }
        }
        if matches!(series.mark, Mark::Markers | Mark::LineMarkers) {
            let radius = if points.len() > 300 {
                2.2
            } else {
                MARKER_RADIUS
            };
            let shape = Shape::of_series(index);
            for at in points
                .into_iter()
                .filter(|(a, b)| a.is_finite() && b.is_finite())
            {
                items.push(Item::Marker {
                    at,
                    radius,
                    shape,
                    color,
                });
            }
        }
    }
    // Curves along the edge keep their full width, markers their full size.
    let rect = Rect {
        x: area.x - 5.0,
        y: area.y - 5.0,
        width: area.width + 10.0,
        height: area.height + 10.0,
    };
    scene.items.push(Item::Clipped { rect, items });
}

/// Lines across the panel, with their labels at the top.
fn limits(scene: &mut Scene, panel: &Panel, area: Rect, x: &Mapping) {
    for limit in &panel.limits {
        let at = crisp(x.map(limit.x));
        if !(area.x..=area.x + area.width + 1.0).contains(&at) {
            continue;
        }
        scene.items.push(Item::Path {
            path: Path::polyline(&[(at, area.y), (at, area.y + area.height)], false),
            pen: Some(Pen {
                width: 1.4,
                color: LIMIT,
                dashes: vec![5.0, 3.0],
            }),
            brush: None,
        });
        // The label is on the side with more room.
        let is_left = at - area.x > area.width / 2.0;
        let (gap, anchor) = match is_left {
            true => (-5.0, Anchor::End),
            false => (5.0, Anchor::Start),
        };
        let place = (at + gap, area.y + 13.0);
        let label = limit.label.clone();
        text(scene, place, label, TICK_SIZE, anchor, false, LIMIT);
    }
}

/// Bars of several series over each other let the others be seen.
fn bars(
    items: &mut Vec<Item>,
    series: &Series,
    (width, count): (f64, usize),
    color: Color,
    area: Rect,
    x: &Mapping,
    y: &Mapping,
) {
    let bottom = area.y + area.height;
    let base = match y.scale {
        Scale::Linear => y.map(0.0).clamp(area.y, bottom),
        Scale::Log => bottom,
    };
    for (a, b) in series
        .points()
        .filter(|(a, b)| a.is_finite() && b.is_finite())
    {
        let top = y.map(b);
        if !top.is_finite() {
            continue;
        }
        let edges = match x.scale {
            Scale::Linear => [a - width / 2.0, a + width / 2.0],
            Scale::Log => [a / 10f64.powf(width / 2.0), a * 10f64.powf(width / 2.0)],
        };
        let (from, to) = (x.map(edges[0]), x.map(edges[1]));
        // A hair of paper between neighbours.
        let gap = if to - from > 4.0 { 0.5 } else { 0.0 };
        let rect = Rect {
            x: from + gap,
            y: top.min(base),
            width: (to - from - 2.0 * gap).max(0.5),
            height: (top - base).abs(),
        };
        items.push(Item::Fill {
            rect,
            color,
            opacity: if count > 1 { 0.75 } else { 1.0 },
        });
    }
}

pub(super) fn text(
    scene: &mut Scene,
    at: (f64, f64),
    text: String,
    size: f64,
    anchor: Anchor,
    bold: bool,
    color: Color,
) {
    if !text.is_empty() {
        scene.items.push(Item::Text {
            at,
            text,
            size,
            anchor,
            style: TextStyle {
                bold,
                ..TextStyle::default()
            },
            color,
        });
    }
}

/// The middle of the nearest pixel: hair lines there are sharp.
fn crisp(v: f64) -> f64 {
    v.floor() + 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_inside_the_picture() {
        let y: Vec<f64> = (0..10).map(|i| 1e7 + f64::from(i)).collect();
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let mut figure = Figure::new("A title", Axis::new("time [s]"), Axis::new("p [Pa]"));
        for i in 0..30 {
            let name = format!("component{i}.flange_a.something.long");
            figure = figure.with(Series::line(name, x.clone(), y.clone()));
        }
        let scene = lay_out(&figure);
        for item in &scene.items {
            if let Item::Text {
                at,
                text,
                size,
                anchor,
                ..
            } = item
            {
                let width = font::width(text, *size);
                let left = match anchor {
                    Anchor::Start => at.0,
                    Anchor::Middle => at.0 - width / 2.0,
                    Anchor::End => at.0 - width,
                };
                assert!(
                    left >= 0.0 && left + width <= scene.width,
                    "`{text}` at {left}"
                );
                assert!(at.1 > 0.0 && at.1 < scene.height);
            }
        }
    }
}

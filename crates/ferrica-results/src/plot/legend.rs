//! The head of a panel: what its vertical axis shows, and the legend in as many lines as needed.

use super::figure::{Mark, Panel, Series};
use super::layout::{EDGE, MARKER_RADIUS, TEXT_SIZE, text};
use super::palette::{INK, SOFT_INK, Style, tint};
use super::ticks::{Ticks, label_with_factor};
use ferrica_draw::font::{self, ellipsize};
use ferrica_draw::{Anchor, Item, Path, Pen, Rect, Scene, Shape};

const LEGEND_LINE: f64 = 19.0;
const HEAD_SPACE: f64 = 15.0;
const MAX_LEGEND_LINES: usize = 4;
const SWATCH: f64 = 20.0;

/// The lines above a panel: what the vertical axis shows, and the legend.
pub struct Head {
    label: String,
    lines: Vec<Vec<Entry>>,
    styles: Vec<Style>,
}

struct Entry {
    x: f64,
    text: String,
    mark: Option<Mark>,
    index: usize,
}

impl Head {
    pub fn new(panel: &Panel, ticks: &Ticks, styles: Vec<Style>, left: f64, right: f64) -> Self {
        let label = label_with_factor(&panel.y.label, ticks.exponent);
        let named = |s: &&Series| !s.label.is_empty();
        let lone = panel.series.len() == 1 && panel.y.label.starts_with(&panel.series[0].label);
        let mut lines: Vec<Vec<Entry>> = vec![Vec::new()];
        let label_end = EDGE + font::width(&label, TEXT_SIZE);
        let start = if label.is_empty() {
            left
        } else {
            left.max(label_end + 22.0)
        };
        let mut x = start;
        if !lone {
            for (index, series) in panel.series.iter().enumerate().filter(|(_, s)| named(s)) {
                let name = ellipsize(&series.label, TEXT_SIZE, right - left - SWATCH - 10.0);
                let width = SWATCH + 6.0 + font::width(&name, TEXT_SIZE) + 20.0;
                let fresh = lines.last().is_none_or(Vec::is_empty);
                if x + width - 20.0 > right && !fresh {
                    if lines.len() == MAX_LEGEND_LINES {
                        let more = format!("+ {} more", panel.series.len() - index);
                        if let Some(line) = lines.last_mut() {
                            line.pop();
                            line.push(Entry {
                                x: right - 70.0,
                                text: more,
                                mark: None,
                                index,
                            });
                        }
                        break;
                    }
                    lines.push(Vec::new());
                    x = left;
                }
                let entry = Entry {
                    x,
                    text: name,
                    mark: Some(series.mark),
                    index,
                };
                if let Some(line) = lines.last_mut() {
                    line.push(entry);
                }
                x += width;
            }
        }
        Head {
            label,
            lines,
            styles,
        }
    }

    pub fn styles(&self) -> &[Style] {
        &self.styles
    }

    pub fn height(&self) -> f64 {
        if self.label.is_empty() && self.lines.iter().all(Vec::is_empty) {
            return HEAD_SPACE;
        }
        HEAD_SPACE + LEGEND_LINE * self.lines.len() as f64
    }

    pub fn paint(&self, scene: &mut Scene, top: f64) {
        let baseline = top + 20.0;
        let at = (EDGE, baseline);
        text(
            scene,
            at,
            self.label.clone(),
            TEXT_SIZE,
            Anchor::Start,
            false,
            SOFT_INK,
        );
        for (k, line) in self.lines.iter().enumerate() {
            let y = baseline + k as f64 * LEGEND_LINE;
            for entry in line {
                let mut x = entry.x;
                if let Some(mark) = entry.mark {
                    self.swatch(scene, mark, entry.index, x, y - 4.2);
                    x += SWATCH + 6.0;
                }
                text(
                    scene,
                    (x, y),
                    entry.text.clone(),
                    TEXT_SIZE,
                    Anchor::Start,
                    false,
                    INK,
                );
            }
        }
    }

    fn swatch(&self, scene: &mut Scene, mark: Mark, index: usize, x: f64, y: f64) {
        let Style { color, dashes } = self.styles[index];
        if let Mark::Bars { .. } | Mark::Area = mark {
            let color = if mark == Mark::Area {
                tint(color)
            } else {
                color
            };
            let rect = Rect {
                x: x + 5.0,
                y: y - 5.5,
                width: 11.0,
                height: 11.0,
            };
            scene.items.push(Item::Fill {
                rect,
                color,
                opacity: 1.0,
            });
            return;
        }
        if matches!(mark, Mark::Line | Mark::LineMarkers) {
            scene.items.push(Item::Path {
                path: Path::polyline(&[(x, y), (x + SWATCH, y)], false),
                pen: Some(Pen {
                    width: 2.2,
                    color,
                    dashes: dashes.to_vec(),
                }),
                brush: None,
            });
        }
        if matches!(mark, Mark::Markers | Mark::LineMarkers) {
            let shape = Shape::of_series(index);
            let at = (x + SWATCH / 2.0, y);
            scene.items.push(Item::Marker {
                at,
                radius: MARKER_RADIUS,
                shape,
                color,
            });
        }
    }
}

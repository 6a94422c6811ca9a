//! Graphs of boxes as a picture: layers from left to right, lines in right angles with arrowheads.
//!
//! In: boxes and links, perhaps with the layers of the boxes. Out: a [`Scene`]. A link over several layers passes between the boxes of those in
//! between; one that goes back is led below all boxes. Lines have lanes of their own between two layers, and ends of their own at a box; where there
//! are many, the layers stand farther apart. Several graphs stand below each other, each with a heading.

use crate::layered::{Edge, layers, ordered};
use crate::{Anchor, Brush, Color, Item, Path, Pen, Rect, Scene, TextStyle, Theme};

#[derive(Clone, Debug)]
pub struct Node {
    pub label: String,
    /// A second line, smaller.
    pub note: String,
    /// Shown where the reader points at it.
    pub title: String,
    pub color: Color,
}

#[derive(Clone, Debug)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    /// Beside the line, where it arrives.
    pub label: String,
    /// Also an arrowhead where it begins.
    pub both_ways: bool,
}

const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 44.0;
const GAP_X: f64 = 100.0;
/// Between two layers with many lines.
const WIDEST_GAP: f64 = 320.0;
/// Of a gap: left free for the ends of lines and their arrowheads.
const ENDS: f64 = 36.0;
const GAP_Y: f64 = 18.0;
/// A place where a long link passes a layer.
const PASSAGE: f64 = 8.0;
const MARGIN: f64 = 20.0;
const HEADER: f64 = 30.0;
/// Between two lanes, at most.
const LANE: f64 = 8.0;
const LABEL: f64 = 12.0;
const NOTE: f64 = 11.0;
const INK: Color = Color(0x22, 0x22, 0x22);
const SOFT_INK: Color = Color(0x55, 0x55, 0x55);
const LINE: Color = Color(0x77, 0x7f, 0x88);

/// A link between neighbouring layers: part of a link of the caller.
struct Piece {
    from: usize,
    to: usize,
    is_first: bool,
    is_last: bool,
    link: usize,
}

/// One graph of a picture. `columns` gives the layer of each box; without, the links do.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub heading: String,
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    pub columns: Option<Vec<usize>>,
}

/// The picture of one graph. `columns` gives the layer of each box; without, the links do.
pub fn graph(title: &str, nodes: &[Node], links: &[Link], columns: Option<Vec<usize>>) -> Scene {
    let panel = Panel {
        heading: String::new(),
        nodes: nodes.to_vec(),
        links: links.to_vec(),
        columns,
    };
    graphs(title, &[panel])
}

/// The picture of several graphs.
pub fn graphs(title: &str, panels: &[Panel]) -> Scene {
    let at = (MARGIN, MARGIN + 8.0);
    let empty = Scene {
        width: 2.0 * MARGIN + crate::font::width(title, 15.0),
        height: MARGIN + HEADER,
        title: title.to_owned(),
        theme: Theme::Both,
        items: vec![text(at, title, 15.0, Anchor::Start, INK)],
        ..Scene::default()
    };
    below(empty, panels)
}

/// A picture with graphs below it.
pub fn below(mut scene: Scene, panels: &[Panel]) -> Scene {
    let mut room = 0.0f64;
    for panel in panels {
        if !panel.heading.is_empty() {
            let at = (MARGIN, scene.height + 6.0);
            let width = 2.0 * MARGIN + crate::font::width(&panel.heading, 13.0);
            scene
                .items
                .push(text(at, &panel.heading, 13.0, Anchor::Start, INK));
            scene.width = scene.width.max(width);
            scene.height += HEADER;
        }
        let painted = paint(panel, scene.height);
        scene.height = painted.end() + MARGIN;
        scene.width = scene.width.max(painted.width());
        if painted.back > 0 {
            room = GAP_X / 2.0;
        }
        scene.items.extend(painted.items);
    }
    scene.origin.0 -= room;
    scene.width += 2.0 * room;
    scene
}

fn paint(panel: &Panel, top: f64) -> Painter {
    let (nodes, links) = (&panel.nodes, &panel.links);
    let columns = panel.columns.clone();
    let edge = |l: &Link| Edge {
        from: l.from,
        to: l.to,
        directed: !l.both_ways,
    };
    let edges: Vec<Edge> = links.iter().map(edge).collect();
    let mut layer = match columns {
        Some(columns) => columns,
        None => layers(nodes.len(), &edges, &vec![0; nodes.len()]).layer,
    };
    let mut pieces = Vec::new();
    for (k, link) in links.iter().enumerate().filter(|(_, l)| l.from != l.to) {
        let (first, last) = match link.both_ways && layer[link.from] > layer[link.to] {
            true => (link.to, link.from),
            false => (link.from, link.to),
        };
        let mut at = first;
        // Passages through the layers between; a link that goes back has none.
        for between in layer[first] + 1..layer[last] {
            layer.push(between);
            let next = layer.len() - 1;
            pieces.push(piece(at, next, first, last, k));
            at = next;
        }
        pieces.push(piece(at, last, first, last, k));
    }
    let forward = |p: &&Piece| layer[p.to] > layer[p.from];
    let short: Vec<Edge> = pieces
        .iter()
        .filter(forward)
        .map(|p| Edge {
            from: p.from,
            to: p.to,
            directed: true,
        })
        .collect();
    let row = ordered(layer.clone(), &short, &vec![0; layer.len()]).row;
    let mut painter = Painter::new(nodes.len(), &layer, &pieces);
    painter.place(&row, top);
    for p in &pieces {
        painter.line(p, links);
    }
    painter.fill(nodes);
    painter
}

fn piece(from: usize, to: usize, first: usize, last: usize, link: usize) -> Piece {
    Piece {
        from,
        to,
        is_first: from == first,
        is_last: to == last,
        link,
    }
}

struct Painter {
    boxes: usize,
    places: Vec<Rect>,
    layer: Vec<usize>,
    /// Ends at the right and at the left side of each box: how many there are, and how many are used.
    right: Vec<(usize, usize)>,
    left: Vec<(usize, usize)>,
    /// The same for the lanes behind each layer; the first is in front of all.
    lanes: Vec<(usize, usize)>,
    /// The left side of each layer.
    x: Vec<f64>,
    bottom: f64,
    back: usize,
    items: Vec<Item>,
}

impl Painter {
    fn new(boxes: usize, layer: &[usize], pieces: &[Piece]) -> Painter {
        let depth = layer.iter().max().map_or(0, |l| l + 1);
        let nowhere = Rect {
            x: 0.0,
            y: 0.0,
            width: WIDTH,
            height: 0.0,
        };
        let mut out = Painter {
            boxes,
            right: vec![(0, 0); layer.len()],
            left: vec![(0, 0); layer.len()],
            lanes: vec![(0, 0); depth + 1],
            places: vec![nowhere; layer.len()],
            layer: layer.to_vec(),
            x: Vec::new(),
            bottom: 0.0,
            back: 0,
            items: Vec::new(),
        };
        for p in pieces {
            out.right[p.from].0 += 1;
            out.left[p.to].0 += 1;
            out.lanes[layer[p.from] + 1].0 += 1;
            if layer[p.to] <= layer[p.from] {
                out.lanes[layer[p.to]].0 += 1;
            }
        }
        let mut x = MARGIN;
        for l in 0..depth {
            if l > 0 {
                x += WIDTH + out.gap(l);
            }
            out.x.push(x);
        }
        out
    }

    /// The way from the layer before to a layer.
    fn gap(&self, layer: usize) -> f64 {
        let wanted = ENDS + LANE * (self.lanes[layer].0 + 1) as f64;
        wanted.clamp(GAP_X, WIDEST_GAP)
    }

    /// Boxes and passages, layer by layer, each layer in the middle of the picture.
    fn place(&mut self, row: &[usize], top: f64) {
        let height = |k: usize| if k < self.boxes { HEIGHT } else { PASSAGE };
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); self.x.len()];
        for (k, &l) in self.layer.iter().enumerate() {
            columns[l].push(k);
        }
        let tall = |c: &Vec<usize>| c.iter().map(|&k| height(k) + GAP_Y).sum::<f64>();
        let tallest = columns.iter().map(tall).fold(0.0, f64::max);
        self.bottom = top;
        for (l, column) in columns.iter_mut().enumerate() {
            column.sort_by_key(|&k| row[k]);
            let mut y = top + (tallest - tall(column)) / 2.0;
            for &k in column.iter() {
                let place = &mut self.places[k];
                (place.x, place.y, place.height) = (self.x[l], y, height(k));
                self.bottom = self.bottom.max(y + height(k));
                y += height(k) + GAP_Y;
            }
        }
    }

    fn lane(&mut self, gap: usize) -> f64 {
        let (count, used) = self.lanes[gap];
        self.lanes[gap].1 += 1;
        // Beside the first and the last layer there is the room of links that go back.
        let room = match gap == 0 || gap == self.x.len() {
            true => MARGIN + GAP_X / 2.0 - 18.0,
            false => self.gap(gap) - ENDS,
        };
        let way = 14.0 + LANE.min(room / (count + 1) as f64) * (used + 1) as f64;
        match gap {
            0 => self.x[0] - way,
            _ => self.x[gap - 1] + WIDTH + way,
        }
    }

    fn line(&mut self, p: &Piece, links: &[Link]) {
        let link = &links[p.link];
        let y = |r: Rect, (count, used): (usize, usize)| {
            r.y + r.height * (used + 1) as f64 / (count + 1) as f64
        };
        let (a, b) = (self.places[p.from], self.places[p.to]);
        let (y1, y2) = (y(a, self.right[p.from]), y(b, self.left[p.to]));
        self.right[p.from].1 += 1;
        self.left[p.to].1 += 1;
        let is_back = self.layer[p.to] <= self.layer[p.from];
        let out = self.lane(self.layer[p.from] + 1);
        // A passage is crossed without a stop.
        let end = match p.is_last {
            true => b.x,
            false => b.x + b.width,
        };
        let start = a.x + a.width;
        let points = match is_back {
            false => vec![(start, y1), (out, y1), (out, y2), (end, y2)],
            true => {
                self.back += 1;
                let below = self.bottom + LANE * self.back as f64;
                let into = self.lane(self.layer[p.to]);
                vec![
                    (start, y1),
                    (out, y1),
                    (out, below),
                    (into, below),
                    (into, y2),
                    (end, y2),
                ]
            }
        };
        self.items.push(Item::Path {
            path: Path::polyline(&points, false),
            pen: Some(Pen {
                width: 1.2,
                color: LINE,
                dashes: Vec::new(),
            }),
            brush: None,
        });
        if p.is_last {
            self.head((end, y2), 1.0);
        }
        if p.is_first && link.both_ways {
            self.head((start, y1), -1.0);
        }
        if p.is_last && !link.label.is_empty() {
            let at = (end - 12.0, y2 - 4.0);
            let size = NOTE;
            self.items
                .push(text(at, &link.label, size, Anchor::End, SOFT_INK));
        }
    }

    fn head(&mut self, tip: (f64, f64), way: f64) {
        let back = tip.0 - 8.0 * way;
        let corners = [tip, (back, tip.1 - 3.5), (back, tip.1 + 3.5)];
        self.items.push(Item::Path {
            path: Path::polyline(&corners, true),
            pen: None,
            brush: Some(Brush::Solid(LINE)),
        });
    }

    fn end(&self) -> f64 {
        self.bottom + LANE * self.back as f64
    }

    fn width(&self) -> f64 {
        self.x.last().map_or(0.0, |x| x + WIDTH + MARGIN)
    }

    fn fill(&mut self, nodes: &[Node]) {
        for (node, r) in nodes.iter().zip(&self.places[..self.boxes]) {
            let corners = [
                (r.x, r.y),
                (r.x + r.width, r.y),
                (r.x + r.width, r.y + r.height),
                (r.x, r.y + r.height),
            ];
            let middle = r.x + r.width / 2.0;
            let base = match node.note.is_empty() {
                true => r.y + r.height / 2.0 + 4.0,
                false => r.y + r.height / 2.0 - 2.0,
            };
            let shown = crate::font::ellipsize(&node.label, LABEL, r.width - 12.0);
            let mut items = vec![
                Item::Path {
                    path: Path::polyline(&corners, true),
                    pen: Some(Pen {
                        width: 1.0,
                        color: SOFT_INK,
                        dashes: Vec::new(),
                    }),
                    brush: Some(Brush::Solid(node.color)),
                },
                text((middle, base), &shown, LABEL, Anchor::Middle, INK),
            ];
            if !node.note.is_empty() {
                let note = crate::font::ellipsize(&node.note, NOTE, r.width - 12.0);
                let at = (middle, base + 16.0);
                items.push(text(at, &note, NOTE, Anchor::Middle, SOFT_INK));
            }
            self.items.push(Item::Group {
                id: node.label.clone(),
                class: "box",
                title: node.title.clone(),
                items,
            });
        }
    }
}

fn text(at: (f64, f64), text: &str, size: f64, anchor: Anchor, color: Color) -> Item {
    Item::Text {
        at,
        text: text.to_owned(),
        size,
        anchor,
        style: TextStyle::default(),
        color,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(links: &[(usize, usize)], count: usize) -> (Vec<Rect>, Vec<Vec<(f64, f64)>>) {
        let nodes: Vec<Node> = (0..count)
            .map(|k| Node {
                label: format!("n{k}"),
                note: String::new(),
                title: String::new(),
                color: Color(255, 255, 255),
            })
            .collect();
        let links: Vec<Link> = links
            .iter()
            .map(|&(from, to)| Link {
                from,
                to,
                label: String::new(),
                both_ways: false,
            })
            .collect();
        let scene = graph("g", &nodes, &links, None);
        let (mut boxes, mut lines) = (Vec::new(), Vec::new());
        for item in &scene.items {
            match item {
                Item::Group { items, .. } => {
                    let Item::Path { path, .. } = &items[0] else {
                        panic!()
                    };
                    let p: Vec<_> = path.points().collect();
                    boxes.push(Rect {
                        x: p[0].0,
                        y: p[0].1,
                        width: p[2].0 - p[0].0,
                        height: p[2].1 - p[0].1,
                    });
                }
                Item::Path {
                    path, pen: Some(_), ..
                } => lines.push(path.points().collect()),
                _ => {}
            }
        }
        (boxes, lines)
    }

    #[test]
    fn lines_are_orthogonal_and_pass_no_box() {
        // A chain with a long link over it and one back.
        let links = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 1), (0, 2)];
        let (boxes, lines) = drawn(&links, 4);
        assert_eq!(boxes.len(), 4);
        for line in &lines {
            for s in line.windows(2) {
                let ((x1, y1), (x2, y2)) = (s[0], s[1]);
                assert!(x1 == x2 || y1 == y2, "{line:?}");
                for b in &boxes {
                    let over = |a1: f64, a2: f64, low: f64, high: f64| {
                        a1.min(a2) < high - 0.01 && a1.max(a2) > low + 0.01
                    };
                    let crosses =
                        over(x1, x2, b.x, b.x + b.width) && over(y1, y2, b.y, b.y + b.height);
                    assert!(!crosses, "{s:?} through {b:?}");
                }
            }
        }
    }

    /// Links that go back turn inside of the picture, also where there are many.
    #[test]
    fn nothing_is_clipped() {
        let mut links: Vec<(usize, usize)> = (0..9).map(|k| (k, k + 1)).collect();
        links.extend((1..10).map(|k| (k, 0)));
        links.extend((0..9).map(|k| (9, k)));
        let nodes: Vec<Node> = (0..10)
            .map(|k| Node {
                label: format!("n{k}"),
                note: String::new(),
                title: String::new(),
                color: Color(255, 255, 255),
            })
            .collect();
        let links: Vec<Link> = links
            .iter()
            .map(|&(from, to)| Link {
                from,
                to,
                label: String::new(),
                both_ways: false,
            })
            .collect();
        let scene = graph("g", &nodes, &links, None);
        for item in &scene.items {
            let Item::Path { path, .. } = item else {
                continue;
            };
            for (x, y) in path.points() {
                assert!(
                    x > scene.origin.0 && x < scene.origin.0 + scene.width,
                    "{x}"
                );
                assert!(y > 0.0 && y < scene.height, "{y}");
            }
        }
    }

    #[test]
    fn nothing_is_a_picture_too() {
        let scene = graph("empty", &[], &[], None);
        assert!(crate::print(&scene).contains("empty"));
    }
}

//! The bipartite graph: equations on the left, unknowns on the right, a line where an equation contains an unknown, a strong one where
//! it is matched to it.
//!
//! Both sides are in the order of the solution, so that matched lines are level, a line upwards reads what is known by then, and lines
//! downwards are only inside of loops, which have a ground of their own.

use ferrica_draw::font::{ellipsize, width};
use ferrica_draw::{Anchor, Brush, Color, Item, Path, Pen, Rect, Scene, Segment, Theme};
use ferrica_structure::analysis::Analysis;

use super::{ALONE, DERIVATIVE, INK, LINE, LOOP, MATCHED, MOST_EQUATIONS, PLAIN, SOFT_INK};
use super::{in_order, is_derivative, matrix, text};

const MARGIN: f64 = 20.0;
const HEADER: f64 = 64.0;
const ROW: f64 = 28.0;
const BOX: f64 = 20.0;
/// Of the texts of equations and of unknowns, at most.
const WIDEST: (f64, f64) = (420.0, 220.0);
const BETWEEN: f64 = 260.0;
const SIZE: f64 = 12.0;
/// Room for the numbers of loops.
const LOOPS: f64 = 54.0;
const NUMBER: f64 = 38.0;
const BETWEEN_LOOPS: f64 = 2.0;

/// The picture, and what it leaves out.
pub fn matching(a: &Analysis) -> (Scene, Vec<String>) {
    let title = format!("Matching of {}", a.name);
    if a.equations.len().max(a.unknowns.len()) > MOST_EQUATIONS {
        let left_out = format!("single lines of {} equations", a.equations.len());
        return (matrix::scene(a, &title), vec![left_out]);
    }
    let order = in_order(a);
    let alone = a.undetermined();
    // The row of each unknown.
    let mut row = vec![0; a.unknowns.len()];
    for (k, &(i, _)) in order.iter().enumerate() {
        if let Some(c) = a.matched[i] {
            row[c] = k;
        }
    }
    let matched = order.iter().filter(|(i, _)| a.matched[*i].is_some());
    let matched = matched.count();
    for (k, &c) in alone.iter().enumerate() {
        row[c] = matched + k;
    }
    let rows = order.len().max(matched + alone.len());
    let widest = |texts: &[String], most: f64| {
        let widths = texts.iter().map(|t| width(t, SIZE) + 14.0);
        widths.fold(60.0, f64::max).min(most)
    };
    let left = Rect {
        x: MARGIN + LOOPS + NUMBER,
        y: MARGIN + HEADER,
        width: widest(&a.equations, WIDEST.0),
        height: BOX,
    };
    let right = Rect {
        x: left.x + left.width + BETWEEN,
        width: widest(&a.unknowns, WIDEST.1),
        ..left
    };
    let at = |side: Rect, k: usize| Rect {
        y: side.y + ROW * k as f64,
        ..side
    };
    let mut items = header(a, &title, left, right);
    let end = right.x + right.width;
    items.extend(grounds(&order, left.y, end));
    let mut strong = Vec::new();
    for (k, &(i, _)) in order.iter().enumerate() {
        let from = at(left, k);
        let start = (from.x + from.width, from.y + BOX / 2.0);
        let incidence = &a.incidence[i];
        let solvable = incidence.solvable.iter().map(|&c| (c, true));
        for (c, solvable) in solvable.chain(incidence.read.iter().map(|&c| (c, false))) {
            let to = (right.x, at(right, row[c]).y + BOX / 2.0);
            match a.matched[i] == Some(c) {
                true => strong.push(line(start, to, 2.6, MATCHED, true)),
                false => items.push(line(start, to, 1.0, LINE, solvable)),
            }
        }
    }
    items.append(&mut strong);
    for (k, &(i, _)) in order.iter().enumerate() {
        let place = at(left, k);
        let ground = if a.matched[i].is_some() { PLAIN } else { ALONE };
        let number = format!("e{}", i + 1);
        let base = (place.x - 6.0, place.y + BOX - 6.0);
        items.push(text(base, &number, 11.0, Anchor::End, SOFT_INK));
        items.push(labelled(place, &a.equations[i], ground, &number));
    }
    for (c, name) in a.unknowns.iter().enumerate() {
        let ground = match (alone.contains(&c), is_derivative(name)) {
            (true, _) => ALONE,
            (_, true) => DERIVATIVE,
            _ => PLAIN,
        };
        items.push(labelled(at(right, row[c]), name, ground, name));
    }
    let scene = Scene {
        width: end + MARGIN,
        height: left.y + ROW * rows as f64 + MARGIN,
        title,
        theme: Theme::Both,
        items,
        ..Scene::default()
    };
    (scene, Vec::new())
}

fn header(a: &Analysis, title: &str, left: Rect, right: Rect) -> Vec<Item> {
    let over = |side: Rect, what: &str, n: usize| {
        let at = (side.x, side.y - 10.0);
        text(at, &format!("{n} {what}"), 12.0, Anchor::Start, SOFT_INK)
    };
    let mut items = vec![
        text((MARGIN, MARGIN + 8.0), title, 15.0, Anchor::Start, INK),
        over(left, "equations", a.equations.len()),
        over(right, "unknowns", a.unknowns.len()),
    ];
    // What the lines mean, in the space between.
    let x = left.x + left.width + 12.0;
    let lines = [
        ("matched", 2.6, MATCHED, true),
        ("contains", 1.0, LINE, true),
        ("only reads", 1.0, LINE, false),
    ];
    let mut at = x;
    for (word, pen, color, solid) in lines {
        let y = left.y - 32.0;
        items.push(line((at, y), (at + 22.0, y), pen, color, solid));
        items.push(text(
            (at + 26.0, y + 4.0),
            word,
            11.0,
            Anchor::Start,
            SOFT_INK,
        ));
        at += 26.0 + width(word, 11.0) + 14.0;
    }
    items
}

/// A band behind the rows of each loop.
fn grounds(order: &[(usize, Option<usize>)], top: f64, end: f64) -> Vec<Item> {
    let mut items = Vec::new();
    let mut k = 0;
    while k < order.len() {
        let Some(number) = order[k].1 else {
            k += 1;
            continue;
        };
        let first = k;
        while k < order.len() && order[k].1 == Some(number) {
            k += 1;
        }
        let y = top + ROW * first as f64 - (ROW - BOX) / 2.0;
        items.push(Item::Fill {
            rect: Rect {
                x: MARGIN,
                y,
                width: end - MARGIN + 8.0,
                height: ROW * (k - first) as f64 - BETWEEN_LOOPS,
            },
            color: LOOP,
            opacity: 1.0,
        });
        let label = format!("loop {number}");
        items.push(text(
            (MARGIN + 6.0, y + 18.0),
            &label,
            11.0,
            Anchor::Start,
            INK,
        ));
    }
    items
}

fn line(from: (f64, f64), to: (f64, f64), width: f64, color: Color, solid: bool) -> Item {
    let reach = 0.45 * (to.0 - from.0);
    let path = match from.1 == to.1 {
        true => Path::polyline(&[from, to], false),
        false => Path(vec![
            Segment::Move(from),
            Segment::Cubic((from.0 + reach, from.1), (to.0 - reach, to.1), to),
        ]),
    };
    Item::Path {
        path,
        pen: Some(Pen {
            width,
            color,
            dashes: if solid { Vec::new() } else { vec![4.0, 3.0] },
        }),
        brush: None,
    }
}

fn labelled(r: Rect, label: &str, ground: Color, id: &str) -> Item {
    let corners = [
        (r.x, r.y),
        (r.x + r.width, r.y),
        (r.x + r.width, r.y + r.height),
        (r.x, r.y + r.height),
    ];
    let shown = ellipsize(label, SIZE, r.width - 12.0);
    Item::Group {
        id: id.to_owned(),
        class: "box",
        title: label.to_owned(),
        items: vec![
            Item::Path {
                path: Path::polyline(&corners, true),
                pen: Some(Pen {
                    width: 0.8,
                    color: SOFT_INK,
                    dashes: Vec::new(),
                }),
                brush: Some(Brush::Solid(ground)),
            },
            text(
                (r.x + 6.0, r.y + r.height - 6.0),
                &shown,
                SIZE,
                Anchor::Start,
                INK,
            ),
        ],
    }
}

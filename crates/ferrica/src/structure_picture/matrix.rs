//! The incidence matrix in the order of the solution: block lower triangular, loops as squares on the diagonal.
//!
//! Of a model with more equations than cells each cell stands for as many rows and columns as it must; the caption says how many.

use ferrica_draw::{Anchor, Item, Path, Pen, Rect, Scene, Theme};
use ferrica_structure::analysis::Analysis;

use super::{INK, ITERATED, LINE, LOOP, MATCHED, SOFT_INK, in_order, text};

const MARGIN: f64 = 20.0;
const HEADER: f64 = 76.0;
/// Side of the square.
const SIDE: f64 = 720.0;
/// Most cells along a side.
const MOST_CELLS: usize = 240;

pub fn scene(a: &Analysis, title: &str) -> Scene {
    let order = in_order(a);
    let n = a.equations.len().max(a.unknowns.len()).max(1);
    let each = n.div_ceil(MOST_CELLS);
    let cells = n.div_ceil(each);
    let side = SIDE / cells as f64;
    let loops: Vec<usize> = (a.components.iter())
        .filter(|c| c.is_loop())
        .map(|c| c.equations.len())
        .collect();
    let largest = loops.iter().max().copied().unwrap_or(0);
    let counts = format!(
        "{} equations, {} unknowns, {} loops, the largest of {largest}",
        a.equations.len(),
        a.unknowns.len(),
        loops.len()
    );
    let scale = match each {
        1 => "rows: equations as they are solved; columns: their unknowns".to_owned(),
        _ => format!("too many for single ones: a cell is {each} × {each} equations and unknowns"),
    };
    let mut out = vec![
        text((MARGIN, MARGIN + 8.0), title, 15.0, Anchor::Start, INK),
        text(
            (MARGIN, MARGIN + 30.0),
            &counts,
            12.0,
            Anchor::Start,
            SOFT_INK,
        ),
        text(
            (MARGIN, MARGIN + 48.0),
            &scale,
            12.0,
            Anchor::Start,
            SOFT_INK,
        ),
    ];
    let top = HEADER + MARGIN / 2.0;
    let mut column = vec![n - 1; a.unknowns.len()];
    let mut free = 0;
    for (k, &(i, _)) in order.iter().enumerate() {
        if let Some(c) = a.matched[i] {
            column[c] = k;
            free = k + 1;
        }
    }
    for (k, c) in a.undetermined().into_iter().enumerate() {
        column[c] = free + k;
    }
    // Squares of loops.
    let mut k = 0;
    while k < order.len() {
        let first = k;
        while k < order.len() && order[k].1 == order[first].1 {
            k += 1;
        }
        if order[first].1.is_none() {
            continue;
        }
        let (from, to) = ((first / each) as f64, k.div_ceil(each) as f64);
        out.push(Item::Fill {
            rect: Rect {
                x: MARGIN + side * from,
                y: top + side * from,
                width: side * (to - from),
                height: side * (to - from),
            },
            color: if to - from > 1.0 { LOOP } else { ITERATED },
            opacity: 1.0,
        });
    }
    // One mark a cell, the strongest.
    let mut marks = vec![0u8; cells * cells];
    for (k, &(i, _)) in order.iter().enumerate() {
        let row = &a.incidence[i];
        for &c in row.solvable.iter().chain(&row.read) {
            let cell = &mut marks[k / each * cells + column[c] / each];
            *cell = (*cell).max(1 + u8::from(a.matched[i] == Some(c)));
        }
    }
    let size = (0.8 * side).max(1.0);
    for (at, &mark) in marks.iter().enumerate().filter(|(_, m)| **m > 0) {
        let (r, c) = ((at / cells) as f64, (at % cells) as f64);
        out.push(Item::Fill {
            rect: Rect {
                x: MARGIN + side * c + (side - size) / 2.0,
                y: top + side * r + (side - size) / 2.0,
                width: size,
                height: size,
            },
            color: if mark == 2 { MATCHED } else { SOFT_INK },
            opacity: 1.0,
        });
    }
    let corners = [
        (MARGIN, top),
        (MARGIN + SIDE, top),
        (MARGIN + SIDE, top + SIDE),
        (MARGIN, top + SIDE),
    ];
    out.push(Item::Path {
        path: Path::polyline(&corners, true),
        pen: Some(Pen {
            width: 1.0,
            color: LINE,
            dashes: Vec::new(),
        }),
        brush: None,
    });
    Scene {
        width: SIDE + 2.0 * MARGIN,
        height: top + SIDE + MARGIN,
        title: title.to_owned(),
        theme: Theme::Both,
        items: out,
        ..Scene::default()
    }
}

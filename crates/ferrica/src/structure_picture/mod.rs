//! Pictures of the structural analysis.
//!
//! In: an [`Analysis`]. Out: scenes: the bipartite graph with its matching, and the graph of dependencies with its loops before and
//! after they are solved. What is too large for single lines is drawn as the matrix of incidences in the order of the solution.

mod bipartite;
mod dependencies;
mod matrix;

pub use bipartite::matching;
pub use dependencies::graph;

use ferrica_draw::{Anchor, Color, Item, TextStyle};
use ferrica_structure::analysis::Analysis;

/// Equations beyond which single ones are not drawn.
pub const MOST_EQUATIONS: usize = 80;

const INK: Color = Color(0x22, 0x22, 0x22);
const SOFT_INK: Color = Color(0x55, 0x55, 0x55);
const LINE: Color = Color(0x80, 0x88, 0x90);
/// An equation and the unknown it gives.
const MATCHED: Color = Color(0x1f, 0x6f, 0xb4);
const LOOP: Color = Color(0xfb, 0xe3, 0xc4);
const PLAIN: Color = Color(0xe4, 0xee, 0xf7);
const DERIVATIVE: Color = Color(0xe2, 0xf1, 0xdd);
const ITERATED: Color = Color(0xf7, 0xc9, 0x8d);
const ALONE: Color = Color(0xf6, 0xc6, 0xc6);

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

fn is_derivative(name: &str) -> bool {
    name.starts_with("der(")
}

/// Equations in the order of the solution, then those that give nothing; the number of the loop that each is in.
fn in_order(a: &Analysis) -> Vec<(usize, Option<usize>)> {
    let mut order = Vec::with_capacity(a.equations.len());
    let mut seen = vec![false; a.equations.len()];
    let mut loops = 0;
    for component in &a.components {
        let number = component.is_loop().then(|| {
            loops += 1;
            loops
        });
        for &i in &component.equations {
            seen[i] = true;
            order.push((i, number));
        }
    }
    // Of a model that cannot be sorted: as written, those with a partner first.
    let rest = |with: bool| {
        let all = 0..a.equations.len();
        all.filter(move |&i| a.matched[i].is_some() == with)
    };
    let rest = rest(true).chain(rest(false)).filter(|&i| !seen[i]);
    order.extend(rest.map(|i| (i, None)));
    order
}

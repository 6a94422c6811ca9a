//! The transitions of a state machine (chapter 17).
//!
//! In: the transitions of a class and the boxes of its states. Out: lines with the points of their annotations, else arcs that leave the
//! way back free, each with its condition. The arrow is filled where the state that is entered begins anew; a bar crosses the line near that state if the
//! transition is immediate, near the one that is left if it is delayed. The initial state is entered from a dot.

use ferrica_draw::{Color, Item};
use ferrica_flat::{Known, Transition};

use crate::Wire;
use crate::diagram::{Drawn, drawn_line, end, label, lead};
use crate::graphics::{
    Alignment, Arrow, Closure, Filled, Filling, Graphic, Line, Pattern, Shape, THIN, Text,
};
use crate::icon::Painter;
use crate::transform::{Extent, Point, Transform};

const COLOR: Color = Color(95, 95, 95);
/// How far an arc is from the straight line, in parts of its length.
const BOW: f64 = 0.35;
/// Of the loop of a state that is left for itself, and of the line from the dot to the initial state.
const LOOP: f64 = 12.0;
/// Half of a bar, and where it crosses the line, in parts of the line from its end.
const HALF_BAR: f64 = 2.0;
const BAR_AT: f64 = 0.2;
const DOT: f64 = 1.5;
/// Half the room of a condition.
const TEXT: (f64, f64) = (30.0, 2.5);

/// Draws them; what they join.
pub fn transitions<'a>(
    painter: &mut Painter<'_, 'a>,
    list: &[Transition<'a>],
    items: &mut Vec<Item>,
) -> Vec<Wire> {
    let mut out = Vec::new();
    for t in list {
        let Some(to) = end(painter, t.to) else {
            continue;
        };
        let from = match t.from.map(|f| end(painter, f)) {
            Some(Some(from)) => Some(from),
            Some(None) => continue,
            None => None,
        };
        let flags = Flags::of(painter, t);
        let drawn = drawn_line(painter, t.annotation, t.written_in);
        let is_drawn = matches!(drawn, Drawn::Line(_));
        let mut line = match drawn {
            Drawn::Line(line) => line,
            Drawn::Hidden => continue,
            Drawn::Without => arc(from, to),
        };
        let Some(from) = from else {
            initial(painter, t, line, is_drawn, items);
            continue;
        };
        let is_led = is_drawn && lead(&mut line.points, from, to);
        if line.arrows == (Arrow::None, Arrow::None) {
            line.arrows.1 = match flags.reset {
                true => Arrow::Filled,
                false => Arrow::Open,
            };
        }
        let mut inside = Vec::new();
        let here = Transform::IDENTITY;
        painter.canvas.line(&line, &here, &mut inside);
        painter
            .canvas
            .line(&bar(&line, flags.immediate), &here, &mut inside);
        let condition = flags.condition(list, t);
        let names = [("%condition", condition.clone())];
        if !label(painter, t.annotation, t.written_in, &names, &mut inside) && !is_drawn {
            let graphic = plain_label(&line, from, condition.clone());
            painter.canvas.paint(&graphic, &here, &mut inside);
        }
        let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
        let wire = Wire {
            from: t.from.map(|f| f.to_string()).unwrap_or_default(),
            to: t.to.to_string(),
            gaps: (from.distance(first), to.distance(last)),
            is_led,
        };
        items.push(Item::Group {
            id: format!("{}{}--{}", painter.prefix, wire.from, wire.to),
            class: "transition",
            title: format!("transition({}, {}, {condition})", wire.from, wire.to),
            items: inside,
        });
        out.push(wire);
    }
    out
}

/// The line into the state that the machine begins with.
fn initial<'a>(
    painter: &mut Painter<'_, 'a>,
    t: &Transition<'a>,
    mut line: Line,
    is_drawn: bool,
    items: &mut Vec<Item>,
) {
    // An annotation leads from the state to where the line begins.
    if is_drawn && line.arrows == (Arrow::None, Arrow::None) {
        line.arrows.0 = Arrow::Filled;
    }
    let mut inside = Vec::new();
    let here = Transform::IDENTITY;
    painter.canvas.line(&line, &here, &mut inside);
    let (x, y) = line.points[line.points.len() - 1];
    let dot = Graphic {
        place: here,
        shape: Shape::Ellipse {
            extent: Extent((x - DOT, y - DOT), (x + DOT, y + DOT)),
            from: 0.0,
            to: 360.0,
            closure: Closure::Chord,
            filled: Filled {
                line: line.color,
                fill: line.color,
                pattern: Pattern::Solid,
                filling: Filling::Solid,
                thickness: THIN,
            },
        },
    };
    painter.canvas.paint(&dot, &here, &mut inside);
    items.push(Item::Group {
        id: format!("{}--{}", painter.prefix, t.to),
        class: "transition",
        title: format!("initialState({})", t.to),
        items: inside,
    });
}

/// What the arguments of a transition say, as far as they are known.
struct Flags {
    immediate: bool,
    reset: bool,
    synchronize: bool,
    priority: f64,
}

impl Flags {
    fn of<'a>(painter: &mut Painter<'_, 'a>, t: &Transition<'a>) -> Flags {
        let mut known = |position, name| {
            let e = t.argument(position, name)?;
            painter.instances.known(t.written_in, e)
        };
        let mut flag = |position, name, default| match known(position, name) {
            Some(Known::Bool(b)) => b,
            _ => default,
        };
        Flags {
            immediate: flag(3, "immediate", true),
            reset: flag(4, "reset", true),
            synchronize: flag(5, "synchronize", false),
            priority: match known(6, "priority") {
                Some(Known::Number(n)) => n,
                _ => 1.0,
            },
        }
    }

    /// The condition, behind the priority where another transition leaves the same state.
    fn condition(&self, list: &[Transition<'_>], t: &Transition<'_>) -> String {
        let text = t.argument(2, "condition").map(|e| e.to_string());
        let mut text = text.unwrap_or_default();
        if self.synchronize {
            text.push_str(" (synchronized)");
        }
        let leaves = |other: &&Transition<'_>| {
            let both = other.from.zip(t.from);
            both.is_some_and(|(a, b)| a.to_string() == b.to_string())
        };
        match list.iter().filter(leaves).count() {
            0 | 1 => text,
            _ => format!("{}: {text}", self.priority),
        }
    }
}

fn plain(points: Vec<Point>, smooth: bool) -> Line {
    Line {
        points,
        color: COLOR,
        pattern: Pattern::Solid,
        thickness: THIN,
        arrows: (Arrow::None, Arrow::None),
        arrow_size: 3.0,
        smooth,
    }
}

/// From box to box, to the left of the direction; a loop above a state; from above to an initial one.
fn arc(from: Option<Extent>, to: Extent) -> Line {
    let (x, y) = to.center();
    let top = y + 0.5 * to.height();
    let quarter = 0.25 * to.width();
    let Some(from) = from else {
        // At the corner, where no line between states arrives.
        let corner = (to.0.0.min(to.1.0), top);
        let outside = (corner.0 - 0.7 * LOOP, corner.1 + 0.7 * LOOP);
        let mut line = plain(vec![corner, outside], false);
        line.arrows.0 = Arrow::Filled;
        return line;
    };
    if from.center() == to.center() {
        let high = top + LOOP;
        let points = vec![
            (x - quarter, top),
            (x - quarter, high),
            (x + quarter, high),
            (x + quarter, top),
        ];
        return plain(points, true);
    }
    let (a, b) = (from.center(), to.center());
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let middle = (0.5 * (a.0 + b.0) - BOW * dy, 0.5 * (a.1 + b.1) + BOW * dx);
    plain(vec![edge(from, middle), middle, edge(to, middle)], true)
}

/// Where the line from the middle of a box to a point leaves the box.
fn edge(of: Extent, towards: Point) -> Point {
    let (x, y) = of.center();
    let (dx, dy) = (towards.0 - x, towards.1 - y);
    let t = f64::min(
        0.5 * of.width() / dx.abs().max(1e-9),
        0.5 * of.height() / dy.abs().max(1e-9),
    );
    (x + t.min(1.0) * dx, y + t.min(1.0) * dy)
}

/// A bar across the first or the last stretch of a line.
fn bar(line: &Line, at_end: bool) -> Line {
    let n = line.points.len();
    let (tip, inner) = match at_end {
        true => (line.points[n - 1], line.points[n - 2]),
        false => (line.points[0], line.points[1]),
    };
    let (dx, dy) = (inner.0 - tip.0, inner.1 - tip.1);
    let length = dx.hypot(dy).max(1e-9);
    // Behind the head of the arrow.
    let t = (BAR_AT).max((line.arrow_size + 1.0) / length).min(0.5);
    let at = (tip.0 + t * dx, tip.1 + t * dy);
    let (sx, sy) = (-HALF_BAR * dy / length, HALF_BAR * dx / length);
    let points = vec![(at.0 + sx, at.1 + sy), (at.0 - sx, at.1 - sy)];
    let mut bar = plain(points, false);
    bar.color = line.color;
    bar
}

/// The condition outside of the arc.
fn plain_label(line: &Line, from: Extent, condition: String) -> Graphic {
    let n = line.points.len();
    let (first, last) = (line.points[0], line.points[n - 1]);
    let straight = (0.5 * (first.0 + last.0), 0.5 * (first.1 + last.1));
    let mid = line.points[1..n - 1].iter();
    let mid = mid.fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
    let inner = (n - 2).max(1) as f64;
    let bend = (mid.0 / inner, mid.1 / inner);
    // A curve reaches half of the way to its control point, the one of a loop all of it.
    let top = match n {
        3 => (0.5 * (straight.0 + bend.0), 0.5 * (straight.1 + bend.1)),
        _ => bend,
    };
    let above = bend.1 >= from.center().1;
    let y = match above {
        true => top.1 + TEXT.1 + 2.0,
        false => top.1 - TEXT.1 - 2.0,
    };
    Graphic {
        place: Transform::IDENTITY,
        shape: Shape::Text(Text {
            extent: Extent((top.0 - TEXT.0, y - TEXT.1), (top.0 + TEXT.0, y + TEXT.1)),
            string: condition,
            color: COLOR,
            size: 0.0,
            bold: false,
            italic: false,
            underlined: false,
            alignment: Alignment::Center,
        }),
    }
}

//! The diagram of a class: its own shapes, components, connectors and connections.

use ferrica_classes::{ClassId, Library};
use ferrica_draw::layered::{Edge, layers};
use ferrica_draw::{Item, Theme};
use ferrica_flat::{Connection, Instance, Instances, Joints, Observed, Part};
use ferrica_ir::Symbol;
use ferrica_syntax::ast::{Annotation, Causality, ClassKind, ComponentRef};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::annotation::{Arguments, Reader, find};
use crate::graphics::{Arrow, Graphic, Line, Pattern, Shape, THIN};
use crate::icon::{Painter, Placement, large_scene, placement};
use crate::layer::{Kind, layer};
use crate::machine;
use crate::plain_icon::{Side, Sides, domain_color};
use crate::transform::{Extent, Point, Transform};
use crate::wiring::{Cell, End, ROW, Router};
use crate::{Drawing, Wire};

/// Half the size of a component that is placed here, and of a connector among them.
const HALF: f64 = 10.0;
/// Units that a line may end beside its connector.
const NEAR: f64 = 1.0;
const HALF_CONNECTOR: f64 = 4.0;

/// A component with where it is.
struct Placed<'a> {
    part: Part<'a>,
    placement: Placement,
    is_connector: bool,
    sides: Sides,
    cell: Option<Cell>,
}

pub fn draw(
    library: &Library,
    class: ClassId,
    path: &[Symbol],
    theme: Theme,
    values: Option<&Observed<'_>>,
) -> Option<Drawing> {
    let mut instances = Instances::new(library);
    let mut instance = instances.of_class(class);
    if let Some(values) = values {
        instances.observe(instance, values);
    }
    for &name in path {
        instance = instances.part(instance, name)?.class?;
    }
    let prefix: String = path.iter().map(|p| format!("{p}.")).collect();
    let joints = instances.joints(instance);
    let connections = &joints.connections;
    let (placed, is_laid_out, mut router) = place(&mut instances, instance, &joints);

    let shown = layer(&mut instances, instance, Kind::Diagram);
    // Components that are placed here need not fit the coordinate system.
    let extent = match is_laid_out && shown.graphics.is_empty() {
        true => Extent((0.0, 0.0), (0.0, 0.0)),
        false => shown.extent,
    };
    let name = instances.class_name(instance);
    let title = match path.last() {
        Some(last) => format!("{last}: {name}"),
        None => name.clone(),
    };
    let mut painter = Painter::new(&mut instances, prefix, 1.0);
    let mut items = Vec::new();
    let short = name.rsplit('.').next().unwrap_or(&name).to_owned();
    painter.background(shown, &short, instance, &mut items);
    let mut over = Vec::new();
    let mut cells = FxHashMap::default();
    for p in placed {
        cells.extend(p.cell.map(|c| (p.part.name, c)));
        let item = if p.is_connector {
            let kind = match p.part.protected {
                true => Kind::Icon,
                false => Kind::Diagram,
            };
            let path = p.part.name.to_string();
            painter.connector(&p.part, &path, &p.placement, &Transform::IDENTITY, kind)
        } else {
            let drawn = painter.component(&p.part, &p.placement, &p.sides);
            drawn.filter(|_| p.placement.visible)
        };
        over.extend(item);
    }
    let mut wires = wires(
        &mut painter,
        instance,
        connections,
        &mut items,
        &mut |r, at, to| {
            let end = |r: &ComponentRef, at| End {
                at,
                cell: r.parts.first().and_then(|p| cells.get(&p.name)).copied(),
            };
            router.route(end(r.0, at), end(r.1, to))
        },
    );
    wires.extend(machine::transitions(
        &mut painter,
        &joints.transitions,
        &mut items,
    ));
    items.extend(over);
    let scene = large_scene(title, extent, items, theme);
    Some(Drawing {
        scene,
        components: painter.components,
        wires,
        missing_images: painter.canvas.missing_images,
        texts: painter.canvas.texts,
        moves_with_run: painter.instances.moves_with_run,
    })
}

/// The components of a class, with places for those that have none but take part in connections, or that are all there is.
fn place<'a>(
    instances: &mut Instances<'a>,
    instance: Instance,
    joints: &Joints<'a>,
) -> (Vec<Placed<'a>>, bool, Router) {
    let ends = joints.connections.iter().flat_map(|c| [c.from, c.to]);
    let states = (joints.transitions.iter()).flat_map(|t| t.from.into_iter().chain([t.to]));
    let connected: FxHashSet<Symbol> = ends
        .chain(states)
        .filter_map(|r| r.parts.first().map(|p| p.name))
        .collect();
    let mut placed = Vec::new();
    let mut free: Vec<Part<'a>> = Vec::new();
    for part in instances.parts(instance) {
        let Some(class) = part.class else { continue };
        if part.absent {
            continue;
        }
        let is_connector = instances.is_connector(class);
        match placement(instances, &part, Kind::Diagram) {
            Some(placement) => placed.push(Placed {
                part,
                placement,
                is_connector,
                sides: Sides::default(),
                cell: None,
            }),
            None => {
                let kind = instances.class(class).kind;
                let models = matches!(kind, ClassKind::Model | ClassKind::Block | ClassKind::Class);
                let plain = instances.predefined(class).is_none() && models;
                if plain || is_connector {
                    free.push(part);
                }
            }
        }
    }
    if !placed.is_empty() {
        free.retain(|p| connected.contains(&p.name));
    }
    let is_laid_out = placed.is_empty() && !free.is_empty();
    let below = placed
        .iter()
        .any(|p| p.placement.visible)
        .then(|| layer(instances, instance, Kind::Diagram).extent)
        .map_or(0.0, |e| e.0.1.min(e.1.1) - ROW);
    let router = Router::new(below);
    placed.extend(lay_out(instances, free, joints, &router));
    (placed, is_laid_out, router)
}

/// Places in the cells of the router's grid, layers as columns.
fn lay_out<'a>(
    instances: &mut Instances<'a>,
    free: Vec<Part<'a>>,
    joints: &Joints<'a>,
    router: &Router,
) -> Vec<Placed<'a>> {
    let index: FxHashMap<Symbol, usize> =
        free.iter().enumerate().map(|(k, p)| (p.name, k)).collect();
    let mut domains = vec![usize::MAX; free.len()];
    let mut seen: Vec<ferrica_draw::Color> = Vec::new();
    let mut edges = Vec::new();
    let mut ends = Vec::new();
    for t in &joints.transitions {
        let state = |r: &ComponentRef| index.get(&r.parts.first()?.name).copied();
        let (Some(from), Some(to)) = (t.from.and_then(state), state(t.to)) else {
            continue;
        };
        edges.push(Edge {
            from,
            to,
            directed: true,
        });
    }
    for c in &joints.connections {
        let end = |r: &ComponentRef| Some((*index.get(&r.parts.first()?.name)?, connector_of(r)));
        let (Some(a), Some(b)) = (end(c.from), end(c.to)) else {
            continue;
        };
        let direction = direction(instances, &free[a.0], a.1)
            .or_else(|| direction(instances, &free[b.0], b.1).map(opposite));
        let (from, to) = match direction {
            Some(Causality::Input) => (b, a),
            _ => (a, b),
        };
        edges.push(Edge {
            from: from.0,
            to: to.0,
            directed: direction.is_some(),
        });
        ends.push((a, b));
        if let Some(color) = color_of(instances, &free[a.0], a.1) {
            let known = seen.iter().position(|s| *s == color);
            let domain = known.unwrap_or_else(|| {
                seen.push(color);
                seen.len() - 1
            });
            for k in [a.0, b.0] {
                domains[k] = domains[k].min(domain);
            }
        }
    }
    let places = layers(free.len(), &edges, &domains);
    let mut sides: Vec<Sides> = vec![Sides::default(); free.len()];
    for ((a, p), (b, q)) in ends {
        for (k, connector, other) in [(a, p, b), (b, q, a)] {
            let side = match places.layer[k].cmp(&places.layer[other]) {
                std::cmp::Ordering::Less => Side::Right,
                std::cmp::Ordering::Greater => Side::Left,
                std::cmp::Ordering::Equal => continue,
            };
            if let Some(connector) = connector {
                sides[k].entry(connector).or_insert(side);
            }
        }
    }
    let tallest = places.rows.iter().copied().max().unwrap_or(1);
    let mut out = Vec::new();
    for (k, part) in free.into_iter().enumerate() {
        let (column, row) = (places.layer[k], places.row[k]);
        let row = row + (tallest - places.rows[column]) / 2;
        let cell = Cell(column as i32, row as i32);
        let (x, y) = router.middle(cell);
        let is_connector = part.class.is_some_and(|c| instances.is_connector(c));
        let half = if is_connector { HALF_CONNECTOR } else { HALF };
        out.push(Placed {
            part,
            placement: Placement::at(Extent((x - half, y - half), (x + half, y + half))),
            is_connector,
            sides: std::mem::take(&mut sides[k]),
            cell: Some(cell),
        });
    }
    out
}

/// `p` of `r.p`.
fn connector_of(r: &ComponentRef) -> Option<Symbol> {
    r.parts.get(1).map(|p| p.name)
}

fn opposite(c: Causality) -> Causality {
    match c {
        Causality::Input => Causality::Output,
        Causality::Output => Causality::Input,
    }
}

fn connector_part<'a>(
    instances: &mut Instances<'a>,
    part: &Part<'a>,
    connector: Option<Symbol>,
) -> Option<Part<'a>> {
    match connector {
        Some(name) => instances.part(part.class?, name),
        None => Some(part.clone()),
    }
}

/// Whether a component takes or gives a signal there. An input of the model itself gives one to its components.
fn direction<'a>(
    instances: &mut Instances<'a>,
    part: &Part<'a>,
    connector: Option<Symbol>,
) -> Option<Causality> {
    let found = connector_part(instances, part, connector)?;
    let causality = found
        .causality
        .or(found.class.and_then(|c| instances.causality(c)))?;
    Some(match connector {
        Some(_) => causality,
        None => opposite(causality),
    })
}

fn color_of<'a>(
    instances: &mut Instances<'a>,
    part: &Part<'a>,
    connector: Option<Symbol>,
) -> Option<ferrica_draw::Color> {
    let class = connector_part(instances, part, connector)?.class?;
    let shown = layer(instances, class, Kind::Icon).graphics;
    let own = shown.iter().find_map(|g| match &g.shape {
        Shape::Rectangle { filled, .. }
        | Shape::Polygon { filled, .. }
        | Shape::Ellipse { filled, .. } => Some(filled.line),
        _ => None,
    });
    Some(own.unwrap_or_else(|| domain_color(instances, class)))
}

/// The box where a connection ends: of the connector, else of the bus or component that it is in.
pub fn end(painter: &Painter<'_, '_>, r: &ComponentRef) -> Option<Extent> {
    let (first, second) = (r.parts.first()?.name, r.parts.get(1).map(|p| p.name));
    let inside = second.and_then(|s| painter.boxes.get(&format!("{first}.{s}")));
    let whole = painter.boxes.get(first.as_str());
    inside.or(whole).copied()
}

fn is_present<'a>(instances: &mut Instances<'a>, instance: Instance, r: &ComponentRef) -> bool {
    let mut at = Some(instance);
    for part in r.parts.iter().take(2) {
        let Some(inside) = at else { return true };
        match instances.part(inside, part.name) {
            Some(p) if p.absent => return false,
            Some(p) => at = p.class,
            None => return true,
        }
    }
    true
}

fn wires<'a>(
    painter: &mut Painter<'_, 'a>,
    instance: Instance,
    connections: &[Connection<'a>],
    items: &mut Vec<Item>,
    route: &mut dyn FnMut((&ComponentRef, &ComponentRef), Extent, Extent) -> Vec<Point>,
) -> Vec<Wire> {
    let mut out = Vec::new();
    for c in connections {
        let present = |painter: &mut Painter<'_, 'a>, r| is_present(painter.instances, instance, r);
        if !present(painter, c.from) || !present(painter, c.to) {
            continue;
        }
        let (Some(a), Some(b)) = (end(painter, c.from), end(painter, c.to)) else {
            continue;
        };
        let (from, to) = (c.from.to_string(), c.to.to_string());
        let mut line = match drawn_line(painter, c.annotation, c.written_in) {
            Drawn::Line(line) => line,
            Drawn::Hidden => continue,
            Drawn::Without => plain_line(painter, instance, c, route((c.from, c.to), a, b)),
        };
        let is_led = lead(&mut line.points, a, b);
        let (Some(&first), Some(&last)) = (line.points.first(), line.points.last()) else {
            continue;
        };
        let mut inside = Vec::new();
        painter
            .canvas
            .line(&line, &Transform::IDENTITY, &mut inside);
        let innermost = |r: &ComponentRef| r.parts.last().map(|p| p.name.to_string());
        let names = [
            ("%first", innermost(c.from).unwrap_or_default()),
            ("%second", innermost(c.to).unwrap_or_default()),
        ];
        label(painter, c.annotation, c.written_in, &names, &mut inside);
        items.push(Item::Group {
            id: format!("{}{from}--{to}", painter.prefix),
            class: "connection",
            title: format!("connect({from}, {to})"),
            items: inside,
        });
        out.push(Wire {
            from,
            to,
            gaps: (a.distance(first), b.distance(last)),
            is_led,
        });
    }
    out
}

/// A line that was left behind when a connector moved goes on to it.
pub fn lead(points: &mut Vec<Point>, from: Extent, to: Extent) -> bool {
    let far = |p: Option<&Point>, at: Extent| p.is_some_and(|p| at.distance(*p) > NEAR);
    let (first, last) = (far(points.first(), from), far(points.last(), to));
    if first {
        points.insert(0, from.center());
    }
    if last {
        points.push(to.center());
    }
    first || last
}

/// What an annotation says of a line.
pub enum Drawn {
    Line(Line),
    Hidden,
    Without,
}

pub fn drawn_line<'a>(
    painter: &mut Painter<'_, 'a>,
    annotation: Option<&'a Annotation>,
    written_in: Instance,
) -> Drawn {
    let Some(line) = find(annotation, "Line") else {
        return Drawn::Without;
    };
    let mut reader = Reader {
        instances: painter.instances,
        instance: written_in,
    };
    let from = Arguments::Modifier(line);
    if !reader.flag(from, "visible", true) {
        return Drawn::Hidden;
    }
    match reader.line(from).filter(|l| l.points.len() >= 2) {
        Some(line) => Drawn::Line(line),
        None => Drawn::Without,
    }
}

fn plain_line<'a>(
    painter: &mut Painter<'_, 'a>,
    instance: Instance,
    c: &Connection<'a>,
    points: Vec<Point>,
) -> Line {
    let first = c.from.parts.first().map(|p| p.name);
    let part = first.and_then(|n| painter.instances.part(instance, n));
    let color = part.and_then(|p| color_of(painter.instances, &p, connector_of(c.from)));
    Line {
        points,
        color: color.unwrap_or(ferrica_draw::Color(0, 0, 0)),
        pattern: Pattern::Solid,
        thickness: THIN,
        arrows: (Arrow::None, Arrow::None),
        arrow_size: 0.0,
        smooth: false,
    }
}

/// `Text(string = "%second", …)` beside the line: the names stand for what the line joins. False where there is none.
pub fn label<'a>(
    painter: &mut Painter<'_, 'a>,
    annotation: Option<&'a Annotation>,
    written_in: Instance,
    names: &[(&str, String)],
    out: &mut Vec<Item>,
) -> bool {
    let Some(text) = find(annotation, "Text") else {
        return false;
    };
    let mut reader = Reader {
        instances: painter.instances,
        instance: written_in,
    };
    let from = Arguments::Modifier(text);
    let Some(mut text) = reader.string(from) else {
        return false;
    };
    let index = reader.number(from, "index").unwrap_or(0.0);
    let points = find(annotation, "Line")
        .and_then(|l| reader.points(Arguments::Modifier(l), "points"))
        .unwrap_or_default();
    // The extent is in relation to a point of the line, counted from its end where negative.
    let at = match index {
        i if i < 0.0 => points.last(),
        i => points.get(i as usize),
    };
    for (name, value) in names {
        text.string = text.string.replace(name, value);
    }
    let place = Transform::turn_and_move(0.0, at.copied().unwrap_or((0.0, 0.0)));
    let graphic = Graphic {
        place: Transform::IDENTITY,
        shape: Shape::Text(text),
    };
    painter.canvas.paint(&graphic, &place, out);
    true
}

//! Icons of classes without graphics: a box with the class name, connectors at its sides, colours by domain.

use ferrica_draw::{Color, PAPER};
use ferrica_flat::{Instance, Instances, Part};
use ferrica_ir::{Symbol, Ty};
use ferrica_syntax::ast::{Argument, Causality};
use rustc_hash::FxHashMap;

use crate::graphics::{Alignment, Border, Filled, Filling, Graphic, Pattern, Shape, THIN, Text};
use crate::transform::{Extent, Transform};

/// Which side of the box a connector is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Sides that follow from what connectors are connected to.
pub type Sides = FxHashMap<Symbol, Side>;

const INK: Color = Color(0, 0, 127);

/// The usual colours of domains, by the beginning of the name of the connector class.
const DOMAINS: [(&str, Color); 7] = [
    ("Modelica.Electrical", Color(0, 0, 255)),
    ("Modelica.Magnetic", Color(255, 127, 0)),
    ("Modelica.Mechanics.Translational", Color(0, 127, 0)),
    ("Modelica.Mechanics.Rotational", Color(95, 95, 95)),
    ("Modelica.Mechanics.MultiBody", Color(95, 95, 95)),
    ("Modelica.Thermal", Color(191, 0, 0)),
    ("Modelica.Fluid", Color(0, 127, 255)),
];

/// For domains of others.
const OTHERS: [Color; 6] = [
    Color(0, 110, 110),
    Color(150, 60, 0),
    Color(120, 0, 160),
    Color(90, 110, 0),
    Color(0, 80, 160),
    Color(160, 0, 80),
];

/// The colour of connections between connectors of a class.
pub fn domain_color(instances: &Instances<'_>, connector: Instance) -> Color {
    match instances.predefined(connector) {
        Some(Ty::Boolean) => return Color(255, 0, 255),
        Some(Ty::Integer) => return Color(255, 127, 0),
        Some(_) => return INK,
        None => {}
    }
    let name = instances.class_name(connector);
    if let Some((_, color)) = DOMAINS.iter().find(|(start, _)| name.starts_with(start)) {
        return *color;
    }
    // The package stands for the domain.
    let package = name.rsplit_once('.').map_or(name.as_str(), |(p, _)| p);
    let sum = package
        .bytes()
        .fold(0usize, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
    OTHERS[sum % OTHERS.len()]
}

fn filled(line: Color, fill: Color) -> Filled {
    Filled {
        line,
        fill,
        pattern: Pattern::Solid,
        filling: Filling::Solid,
        thickness: THIN,
    }
}

fn graphic(shape: Shape) -> Graphic {
    Graphic {
        place: Transform::IDENTITY,
        shape,
    }
}

fn text(extent: Extent, string: String, color: Color) -> Graphic {
    graphic(Shape::Text(Text {
        extent,
        string,
        color,
        size: 0.0,
        bold: false,
        italic: false,
        underlined: false,
        alignment: Alignment::Center,
    }))
}

/// A box with the name of the class in it, the name of the component above and values that the declaration gives below.
pub fn component(class: &str, part: Option<&Part<'_>>) -> Vec<Graphic> {
    let short = class.rsplit('.').next().unwrap_or(class);
    let mut out = vec![
        graphic(Shape::Rectangle {
            extent: Extent::DEFAULT,
            radius: 12.0,
            border: Border::None,
            filled: filled(INK, PAPER),
        }),
        text(
            Extent((-90.0, -30.0), (90.0, 30.0)),
            short.to_owned(),
            Color(90, 90, 90),
        ),
        text(
            Extent((-150.0, 108.0), (150.0, 148.0)),
            "%name".to_owned(),
            Color(0, 0, 255),
        ),
    ];
    if let Some(part) = part {
        let given = part.decl.modification.iter().flat_map(|m| &m.args);
        let values = given.filter_map(|a| match a {
            Argument::Modifier(m) if m.path.len() == 1 && m.value().is_some() => Some(m.path[0]),
            _ => None,
        });
        for (k, name) in values.take(2).enumerate() {
            let top = -108.0 - 34.0 * k as f64;
            out.push(text(
                Extent((-150.0, top - 30.0), (150.0, top)),
                format!("{name} = %{name}"),
                Color(0, 0, 0),
            ));
        }
    }
    out
}

/// A triangle for a signal, a square for anything else.
pub fn connector(
    instances: &Instances<'_>,
    class: Instance,
    causality: Option<Causality>,
) -> Vec<Graphic> {
    let color = domain_color(instances, class);
    let shape = match causality.or(instances.causality(class)) {
        Some(direction) => Shape::Polygon {
            points: vec![(-100.0, 100.0), (100.0, 0.0), (-100.0, -100.0)],
            smooth: false,
            filled: filled(
                color,
                match direction {
                    Causality::Input => color,
                    Causality::Output => PAPER,
                },
            ),
        },
        None => Shape::Rectangle {
            extent: Extent::DEFAULT,
            radius: 0.0,
            border: Border::None,
            filled: filled(color, color),
        },
    };
    vec![graphic(shape)]
}

/// Places at the sides of the box: inputs left, outputs right, others as told or in turns.
pub fn places(
    instances: &Instances<'_>,
    connectors: &[Part<'_>],
    sides: &Sides,
) -> Vec<(Symbol, Extent)> {
    let mut columns: [Vec<Symbol>; 2] = Default::default();
    let mut turn = 0;
    for part in connectors {
        let causality = part
            .causality
            .or(part.class.and_then(|c| instances.causality(c)));
        let side = match (causality, sides.get(&part.name)) {
            (Some(Causality::Input), _) => Side::Left,
            (Some(Causality::Output), _) => Side::Right,
            (None, Some(side)) => *side,
            (None, None) => {
                turn += 1;
                [Side::Right, Side::Left][turn % 2]
            }
        };
        columns[side as usize].push(part.name);
    }
    let mut out = Vec::new();
    for (x, names) in [-108.0, 108.0].into_iter().zip(columns) {
        let step = 200.0 / names.len().max(1) as f64;
        let half = (0.4 * step).min(10.0);
        for (k, name) in names.into_iter().enumerate() {
            let y = 100.0 - step * (k as f64 + 0.5);
            out.push((name, Extent((x - half, y - half), (x + half, y + half))));
        }
    }
    out
}

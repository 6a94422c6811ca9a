//! One component: the icon of its class with its connectors, put where its placement says.

use ferrica_classes::{ClassId, Library};
use ferrica_draw::{Item, Scene, Theme};
use ferrica_flat::{Instance, Instances, Part};
use ferrica_ir::Symbol;
use rustc_hash::FxHashMap;

use crate::Drawing;
use crate::annotation::{Arguments, Reader, find};
use crate::graphics::{Graphic, Shape};
use crate::layer::{Kind, Layer, layer};
use crate::lines::down;
use crate::plain_icon::{self, Sides};
use crate::shapes::Canvas;
use crate::text::{Subject, expand};
use crate::transform::{Extent, Point, Transform};

/// `Placement(transformation(extent, origin, rotation))`.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub visible: bool,
    extent: Option<Extent>,
    origin: Point,
    rotation: f64,
}

impl Placement {
    pub fn at(extent: Extent) -> Placement {
        Placement {
            visible: true,
            extent: Some(extent),
            origin: (0.0, 0.0),
            rotation: 0.0,
        }
    }

    /// From the coordinates of the icon to those around it.
    fn transform(&self, layer: &Layer) -> Transform {
        let extent = self.extent.unwrap_or_else(|| {
            let scaled = |p: Point| (p.0 * layer.initial_scale, p.1 * layer.initial_scale);
            Extent(scaled(layer.extent.0), scaled(layer.extent.1))
        });
        Transform::turn_and_move(self.rotation, self.origin)
            .after(&Transform::between(layer.extent, extent))
    }
}

/// Where a component is in a layer of the class that holds it.
pub fn placement<'a>(
    instances: &mut Instances<'a>,
    part: &Part<'a>,
    kind: Kind,
) -> Option<Placement> {
    let placement = find(part.annotation, "Placement")?;
    let mut reader = Reader {
        instances,
        instance: part.declared_in,
    };
    let from = Arguments::Modifier(placement);
    let visible = reader.flag(from, "visible", true);
    let in_icon = placement.find("iconTransformation");
    let (transformation, visible) = match kind {
        Kind::Icon => (
            in_icon.or(placement.find("transformation")),
            reader.flag(from, "iconVisible", visible),
        ),
        Kind::Diagram => (placement.find("transformation"), visible),
    };
    let from = Arguments::Modifier(transformation?);
    Some(Placement {
        visible,
        extent: reader
            .extent(from, "extent")
            .filter(|e| e.width() > 0.0 && e.height() > 0.0),
        origin: reader.point(from, "origin").unwrap_or((0.0, 0.0)),
        rotation: reader.number(from, "rotation").unwrap_or(0.0),
    })
}

/// What is drawn, and where connectors are.
pub struct Painter<'p, 'a> {
    pub instances: &'p mut Instances<'a>,
    pub canvas: Canvas<'a>,
    /// In front of the names of groups.
    pub prefix: String,
    pub boxes: FxHashMap<String, Extent>,
    pub components: Vec<String>,
}

impl<'p, 'a> Painter<'p, 'a> {
    pub fn new(instances: &'p mut Instances<'a>, prefix: String, fine: f64) -> Painter<'p, 'a> {
        let library = instances.library();
        Painter {
            instances,
            canvas: Canvas {
                library,
                fine,
                missing_images: Vec::new(),
                texts: Vec::new(),
            },
            prefix,
            boxes: FxHashMap::default(),
            components: Vec::new(),
        }
    }

    fn graphics(
        &mut self,
        graphics: Vec<Graphic>,
        subject: &Subject<'_>,
        place: &Transform,
        out: &mut Vec<Item>,
    ) {
        for mut g in graphics {
            if let Shape::Text(t) = &mut g.shape {
                t.string = expand(self.instances, subject, &t.string);
            }
            self.canvas.paint(&g, place, out);
        }
    }

    /// The shapes of the class itself in its own diagram.
    pub fn background(
        &mut self,
        layer: Layer,
        name: &str,
        instance: Instance,
        out: &mut Vec<Item>,
    ) {
        let subject = Subject { name, instance };
        self.graphics(layer.graphics, &subject, &Transform::IDENTITY, out);
    }

    /// A component that is no connector, with its connectors.
    pub fn component(
        &mut self,
        part: &Part<'a>,
        placement: &Placement,
        sides: &Sides,
    ) -> Option<Item> {
        let class = part.class?;
        let mut layer = layer(self.instances, class, Kind::Icon);
        let plain = layer.graphics.is_empty();
        let class_name = self.instances.class_name(class);
        if plain {
            layer.graphics = plain_icon::component(&class_name, Some(part));
        }
        let place = placement.transform(&layer);
        let path = part.name.to_string();
        self.boxes.insert(path.clone(), place.extent(layer.extent));
        let mut items = Vec::new();
        let subject = Subject {
            name: &path,
            instance: class,
        };
        self.graphics(layer.graphics, &subject, &place, &mut items);
        self.connectors(class, &place, &path, sides, &mut items);
        self.components.push(path.clone());
        Some(Item::Group {
            id: format!("{}{path}", self.prefix),
            class: "component",
            title: title(&path, &class_name, part.description),
            items,
        })
    }

    /// The connectors of a class at the places that its icon has for them.
    fn connectors(
        &mut self,
        class: Instance,
        place: &Transform,
        path: &str,
        sides: &Sides,
        out: &mut Vec<Item>,
    ) {
        let all = self.instances.connectors(class);
        let mut shown: Vec<(Part<'a>, Option<Placement>)> = Vec::new();
        for part in all.into_iter().filter(|p| !p.protected && !p.absent) {
            let placement = placement(self.instances, &part, Kind::Icon);
            shown.push((part, placement));
        }
        // A class that places some of its connectors does not show the others.
        let is_textual = shown.iter().all(|(_, p)| p.is_none());
        let free: Vec<Part<'a>> = match is_textual {
            true => shown.iter().map(|(p, _)| p.clone()).collect(),
            false => Vec::new(),
        };
        let found: FxHashMap<Symbol, Extent> = plain_icon::places(self.instances, &free, sides)
            .into_iter()
            .collect();
        for (part, placement) in shown {
            let placement = match (placement, found.get(&part.name)) {
                (Some(p), _) => p,
                (None, Some(at)) => Placement::at(*at),
                (None, None) => continue,
            };
            let path = match path {
                "" => part.name.to_string(),
                _ => format!("{path}.{}", part.name),
            };
            out.extend(self.connector(&part, &path, &placement, place, Kind::Icon));
        }
    }

    /// A connector; one that is hidden still has a place where connections end.
    pub fn connector(
        &mut self,
        part: &Part<'a>,
        path: &str,
        placement: &Placement,
        around: &Transform,
        kind: Kind,
    ) -> Option<Item> {
        let class = part.class?;
        let mut layer_shown = layer(self.instances, class, kind);
        if layer_shown.graphics.is_empty() && kind == Kind::Diagram {
            layer_shown = layer(self.instances, class, Kind::Icon);
        }
        if layer_shown.graphics.is_empty() {
            layer_shown.graphics = plain_icon::connector(self.instances, class, part.causality);
        }
        let place = around.after(&placement.transform(&layer_shown));
        self.boxes
            .insert(path.to_owned(), place.extent(layer_shown.extent));
        if !placement.visible {
            return None;
        }
        let mut items = Vec::new();
        let subject = Subject {
            name: part.name.as_str(),
            instance: class,
        };
        self.graphics(layer_shown.graphics, &subject, &place, &mut items);
        let class_name = self.instances.class_name(class);
        Some(Item::Group {
            id: format!("{}{path}", self.prefix),
            class: "connector",
            title: title(path, &class_name, part.description),
            items,
        })
    }
}

fn title(path: &str, class: &str, description: &str) -> String {
    match description {
        "" => format!("{path}: {class}"),
        _ => format!("{path}: {class}\n{description}"),
    }
}

/// Lengths of an icon by itself in relation to one in a diagram.
const ALONE: f64 = 4.0;
/// Around a picture, in relation to its larger side.
const MARGIN: f64 = 0.03;
/// Pixels of the larger side of a picture on a screen.
const LARGE: f64 = 1000.0;
const SMALL: f64 = 400.0;

/// The icon of a class by itself.
pub fn draw(library: &Library, class: ClassId, theme: Theme) -> Drawing {
    let mut instances = Instances::new(library);
    let instance = instances.of_class(class);
    let name = instances.class_name(instance);
    let mut painter = Painter::new(&mut instances, String::new(), ALONE);
    let mut shown = layer(painter.instances, instance, Kind::Icon);
    let is_connector = painter.instances.is_connector(instance);
    if shown.graphics.is_empty() {
        shown.graphics = match is_connector {
            true => plain_icon::connector(painter.instances, instance, None),
            false => plain_icon::component(&name, None),
        };
    }
    let extent = shown.extent;
    let short = name.rsplit('.').next().unwrap_or(&name).to_owned();
    let mut items = Vec::new();
    painter.background(shown, &short, instance, &mut items);
    if !is_connector {
        painter.connectors(
            instance,
            &Transform::IDENTITY,
            "",
            &Sides::default(),
            &mut items,
        );
    }
    let scene = scene(name, extent, items, SMALL, theme);
    Drawing {
        scene,
        components: painter.components,
        wires: Vec::new(),
        missing_images: painter.canvas.missing_images,
        texts: painter.canvas.texts,
        moves_with_run: painter.instances.moves_with_run,
    }
}

/// The picture around the coordinate system and all that is drawn.
pub fn scene(title: String, extent: Extent, items: Vec<Item>, pixels: f64, theme: Theme) -> Scene {
    let mut corners: Vec<Point> = extent.corners().map(down).to_vec();
    for item in &items {
        reach(item, &mut corners);
    }
    let Extent(low, high) = Extent::around(corners).unwrap_or(extent);
    let larger = (high.0 - low.0).max(high.1 - low.1);
    let margin = MARGIN * larger;
    let (width, height) = (high.0 - low.0 + 2.0 * margin, high.1 - low.1 + 2.0 * margin);
    Scene {
        origin: (low.0 - margin, low.1 - margin),
        width,
        height,
        scale: pixels / width.max(height),
        title,
        theme,
        items,
    }
}

/// The picture of a diagram.
pub fn large_scene(title: String, extent: Extent, items: Vec<Item>, theme: Theme) -> Scene {
    scene(title, extent, items, LARGE, theme)
}

fn reach(item: &Item, corners: &mut Vec<Point>) {
    match item {
        Item::Path { path, .. } => corners.extend(path.points()),
        Item::Group { items, .. } | Item::Clipped { items, .. } => {
            items.iter().for_each(|i| reach(i, corners));
        }
        Item::Text {
            at,
            text,
            size,
            anchor,
            style,
            ..
        } => {
            let width = ferrica_draw::font::width(text, *size);
            let left = match anchor {
                ferrica_draw::Anchor::Start => 0.0,
                ferrica_draw::Anchor::Middle => -0.5 * width,
                ferrica_draw::Anchor::End => -width,
            };
            let (s, c) = style.turn.to_radians().sin_cos();
            for x in [left, left + width] {
                for y in [-0.8 * size, 0.2 * size] {
                    corners.push((at.0 + c * x - s * y, at.1 + s * x + c * y));
                }
            }
        }
        Item::Image { matrix, .. } => {
            let [a, b, c, d, e, f] = *matrix;
            for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                corners.push((a * x + c * y + e, b * x + d * y + f));
            }
        }
        Item::Stroke { points, .. } => corners.extend(points),
        Item::Marker { at, .. } => corners.push(*at),
        Item::Fill { rect, .. } => {
            corners.push((rect.x, rect.y));
            corners.push((rect.x + rect.width, rect.y + rect.height));
        }
    }
}

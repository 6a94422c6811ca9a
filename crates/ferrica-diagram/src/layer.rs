//! The icon and the diagram layer of a class: its own shapes over those of its bases.

use ferrica_flat::{Instance, Instances};

use crate::annotation::{Arguments, Reader, find};
use crate::graphics::Graphic;
use crate::transform::{Extent, Transform};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Icon,
    Diagram,
}

impl Kind {
    fn annotation(self) -> &'static str {
        match self {
            Kind::Icon => "Icon",
            Kind::Diagram => "Diagram",
        }
    }

    /// Of an extends clause.
    fn map(self) -> &'static str {
        match self {
            Kind::Icon => "IconMap",
            Kind::Diagram => "DiagramMap",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Layer {
    pub extent: Extent,
    /// Size of a new component in relation to the extent of its icon.
    pub initial_scale: f64,
    /// In the order in which they are painted.
    pub graphics: Vec<Graphic>,
}

/// What a class shows, inherited shapes first.
pub fn layer<'a>(instances: &mut Instances<'a>, instance: Instance, kind: Kind) -> Layer {
    let mut graphics = Vec::new();
    gather(
        instances,
        instance,
        kind,
        &Transform::IDENTITY,
        &mut graphics,
    );
    Layer {
        extent: extent(instances, instance, kind).unwrap_or(Extent::DEFAULT),
        initial_scale: scale(instances, instance, kind).unwrap_or(0.1),
        graphics,
    }
}

fn gather<'a>(
    instances: &mut Instances<'a>,
    instance: Instance,
    kind: Kind,
    place: &Transform,
    out: &mut Vec<Graphic>,
) {
    for (base, annotation) in instances.bases(instance) {
        let mut place = *place;
        if let Some(map) = find(annotation, kind.map()) {
            let from = Arguments::Modifier(map);
            let mut reader = Reader {
                instances,
                instance,
            };
            if !reader.flag(from, "primitivesVisible", true) {
                continue;
            }
            let to = reader.extent(from, "extent");
            if let Some(to) = to.filter(|e| e.width() > 0.0 && e.height() > 0.0) {
                let of_base = extent(instances, base, kind).unwrap_or(Extent::DEFAULT);
                place = place.after(&Transform::between(of_base, to));
            }
        }
        gather(instances, base, kind, &place, out);
    }
    let annotation = instances.class(instance).annotation.as_deref();
    let Some(layer) = find(annotation, kind.annotation()) else {
        return;
    };
    if let Some(list) = layer.find("graphics").and_then(|m| m.value()) {
        let mut reader = Reader {
            instances,
            instance,
        };
        out.extend(reader.graphics(list).into_iter().map(|g| Graphic {
            place: place.after(&g.place),
            ..g
        }));
    }
}

/// Its own coordinate system, else that of the first base class that has one.
fn extent(instances: &mut Instances<'_>, instance: Instance, kind: Kind) -> Option<Extent> {
    from_system(instances, instance, kind, &|reader, from| {
        let e = reader.extent(from, "extent")?;
        (e.width() > 0.0 && e.height() > 0.0).then_some(e)
    })
}

fn scale(instances: &mut Instances<'_>, instance: Instance, kind: Kind) -> Option<f64> {
    from_system(instances, instance, kind, &|reader, from| {
        reader.number(from, "initialScale").filter(|s| *s > 0.0)
    })
}

fn from_system<'a, T>(
    instances: &mut Instances<'a>,
    instance: Instance,
    kind: Kind,
    read: &dyn Fn(&mut Reader<'_, 'a>, Arguments<'a>) -> Option<T>,
) -> Option<T> {
    let annotation = instances.class(instance).annotation.as_deref();
    let system = find(annotation, kind.annotation()).and_then(|l| l.find("coordinateSystem"));
    if let Some(system) = system {
        let mut reader = Reader {
            instances,
            instance,
        };
        if let Some(found) = read(&mut reader, Arguments::Modifier(system)) {
            return Some(found);
        }
    }
    let bases = instances.bases(instance);
    bases
        .into_iter()
        .find_map(|(base, _)| from_system(instances, base, kind, read))
}

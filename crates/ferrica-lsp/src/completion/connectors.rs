//! Connectors that can be connected: those of the class and of its components, by what they are made of.

use ferrica_classes::{ClassId, Library};
use ferrica_flat::{Instance, Instances, Part};
use ferrica_ir::Symbol;
use ferrica_syntax::ast::FlowPrefix;

/// A connector that can stand in `connect(…)`.
pub struct Port {
    /// As it is written: `R.p`.
    pub path: String,
    pub class: String,
    pub description: String,
}

/// What decides whether two connectors fit: the names and the flow prefixes of their members, or the predefined type.
type Shape = Vec<(Symbol, Option<u8>)>;

fn shape(instances: &mut Instances<'_>, of: Instance) -> Shape {
    if let Some(ty) = instances.predefined(of) {
        return vec![(Symbol::intern(&format!("{ty:?}")), None)];
    }
    let mut members: Shape = (instances.parts(of).iter())
        .map(|p| {
            let flow = p.decl.prefixes.flow.map(|f| match f {
                FlowPrefix::Flow => 1,
                FlowPrefix::Stream => 2,
            });
            (p.name, flow)
        })
        .collect();
    members.sort_by_key(|(name, _)| name.as_str());
    members
}

/// All connectors of a class; with the first argument of a `connect`, only those that fit to it.
pub fn ports(library: &Library, class: ClassId, first: &[Symbol]) -> Vec<Port> {
    let mut instances = Instances::new(library);
    let root = instances.of_class(class);
    let mut all: Vec<(String, Part<'_>)> = Vec::new();
    for part in instances.parts(root) {
        let Some(of) = part.class.filter(|_| !part.absent) else {
            continue;
        };
        let name = part.name.as_str();
        if instances.is_connector(of) {
            all.push((name.to_string(), part));
            continue;
        }
        for inner in instances.connectors(of) {
            if !inner.protected && !inner.absent {
                all.push((format!("{name}.{}", inner.name), inner));
            }
        }
    }
    let first: Vec<&str> = first.iter().map(|s| s.as_str()).collect();
    let first = first.join(".");
    let given = all.iter().find(|(path, _)| *path == first);
    let wanted = given.and_then(|(_, part)| part.class);
    let wanted = wanted.map(|class| shape(&mut instances, class));
    let mut out = Vec::new();
    for (path, part) in all {
        let Some(class) = part.class else { continue };
        let fits = wanted
            .as_ref()
            .is_none_or(|w| *w == shape(&mut instances, class));
        if path != first && fits {
            out.push(Port {
                class: instances.class_name(class),
                description: part.description.to_string(),
                path,
            });
        }
    }
    out
}

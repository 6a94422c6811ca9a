//! `SystemStructure.ssd` as plain data.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::Unit;
use super::values::{Binding, bindings};
use crate::description::{child, elements, number, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Input,
    Output,
    Parameter,
}

#[derive(Clone, Debug)]
pub struct Connector {
    pub name: String,
    pub kind: Kind,
    /// Of Modelica; empty if it is not told.
    pub ty: &'static str,
    pub unit: String,
    pub description: String,
}

/// How a value changes on its way.
#[derive(Clone, Debug, PartialEq)]
pub enum Transformation {
    None,
    Linear {
        factor: f64,
        offset: f64,
    },
    /// Values with what they become.
    Map(Vec<(String, String)>),
}

/// An end of a connection: an element, or the system itself.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub element: Option<String>,
    pub connector: String,
}

#[derive(Clone, Debug)]
pub struct Connection {
    pub from: End,
    pub to: End,
    pub converts: bool,
    pub transformation: Transformation,
}

#[derive(Clone, Debug)]
pub enum Body {
    /// Path of an FMU in the archive, and whether its Model Exchange is asked for.
    Fmu {
        source: String,
        exchange: Option<bool>,
    },
    System {
        elements: Vec<Element>,
        connections: Vec<Connection>,
    },
}

#[derive(Clone, Debug)]
pub struct Element {
    pub name: String,
    pub description: String,
    pub connectors: Vec<Connector>,
    pub bindings: Vec<Binding>,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub struct Structure {
    pub system: Element,
    pub units: HashMap<String, Unit>,
    pub start: Option<f64>,
    pub stop: Option<f64>,
}

pub fn document(xml: &str) -> Result<Document<'_>, String> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        ..Default::default()
    };
    Document::parse_with_options(xml, options).map_err(|e| format!("no valid XML: {e}"))
}

/// Reads a file of the archive.
pub type Read<'a> = &'a mut dyn FnMut(&str) -> Result<String, String>;

impl Structure {
    pub fn parse(xml: &str, read: Read) -> Result<Structure, String> {
        let document = document(xml)?;
        let root = document.root_element();
        let version = root.attribute("version").unwrap_or_default();
        if !root.has_tag_name("SystemStructureDescription") || !version.starts_with(['1', '2']) {
            return Err(format!("SSP `{version}` is neither 1.0 nor 2.0"));
        }
        let system = child(root, "System").ok_or("there is no system")?;
        let experiment = child(root, "DefaultExperiment");
        let mut units = HashMap::new();
        for node in elements(child(root, "Units")) {
            if let Some(base) = child(node, "BaseUnit") {
                units.insert(text(node, "name"), unit(base)?);
            }
        }
        Ok(Structure {
            system: element(system, read)?,
            units,
            start: number(experiment, "startTime"),
            stop: number(experiment, "stopTime"),
        })
    }
}

fn unit(base: Node) -> Result<Unit, String> {
    let names = ["m", "kg", "s", "A", "K", "mol", "cd"];
    let mut exponents = [0; 7];
    for (name, e) in names.iter().zip(&mut exponents) {
        if let Some(word) = base.attribute(*name) {
            *e = (word.trim().parse()).map_err(|_| format!("`{word}` is no exponent of a unit"))?;
        }
    }
    Ok(Unit {
        exponents,
        factor: number(Some(base), "factor").unwrap_or(1.0),
        offset: number(Some(base), "offset").unwrap_or(0.0),
    })
}

fn element(node: Node, read: Read) -> Result<Element, String> {
    let name = text(node, "name");
    let is_system = node.has_tag_name("System");
    if name.is_empty() && !is_system {
        return Err("an element has no name".to_owned());
    }
    let mut connectors = Vec::new();
    for c in elements(child(node, "Connectors")) {
        connectors.extend(connector(c).map_err(|e| format!("`{name}`: {e}"))?);
    }
    let body = match is_system {
        true => {
            let mut inner = Vec::new();
            for child in elements(child(node, "Elements")) {
                inner.push(element(child, read)?);
            }
            let connections: Result<_, String> =
                (elements(child(node, "Connections")).map(connection)).collect();
            Body::System {
                elements: inner,
                connections: connections.map_err(|e| format!("`{name}`: {e}"))?,
            }
        }
        false if node.has_tag_name("Component") => fmu(node, &name)?,
        false => {
            let tag = node.tag_name().name();
            return Err(format!("`{name}` is a {tag}, which is not supported"));
        }
    };
    Ok(Element {
        bindings: bindings(node, read).map_err(|e| format!("`{name}`: {e}"))?,
        description: text(node, "description"),
        name,
        connectors,
        body,
    })
}

fn fmu(node: Node, name: &str) -> Result<Body, String> {
    let kind = node
        .attribute("type")
        .unwrap_or("application/x-fmu-sharedlibrary");
    let source = text(node, "source");
    let is_fmu = kind.starts_with("application/x-fmu") || kind.is_empty();
    if !is_fmu || !source.to_ascii_lowercase().ends_with(".fmu") || source.contains(':') {
        return Err(format!(
            "the component `{name}` is `{source}` of type `{kind}`: only FMUs inside of the archive are supported"
        ));
    }
    let exchange = match node.attribute("implementation").unwrap_or("any") {
        "any" => None,
        "ModelExchange" => Some(true),
        "CoSimulation" => Some(false),
        other => {
            return Err(format!(
                "the component `{name}` asks for {other}, which is not supported"
            ));
        }
    };
    Ok(Body::Fmu { source, exchange })
}

fn connector(node: Node) -> Result<Option<Connector>, String> {
    let name = text(node, "name");
    let kind = match node.attribute("kind").unwrap_or_default() {
        "input" => Kind::Input,
        "output" | "calculatedParameter" | "local" => Kind::Output,
        "parameter" | "structuralParameter" | "constant" => Kind::Parameter,
        other => {
            return Err(format!(
                "the connector `{name}` is of kind `{other}`, which is not supported"
            ));
        }
    };
    let ty = elements(Some(node)).find_map(|c| {
        Some((
            match c.tag_name().name() {
                "Real" | "Float64" | "Float32" => "Real",
                "Integer" | "Enumeration" | "Int8" | "Int16" | "Int32" | "Int64" | "UInt8"
                | "UInt16" | "UInt32" | "UInt64" => "Integer",
                "Boolean" => "Boolean",
                _ => return None,
            },
            text(c, "unit"),
        ))
    });
    let (ty, unit) = ty.unwrap_or_default();
    Ok(Some(Connector {
        name,
        kind,
        ty,
        unit,
        description: text(node, "description"),
    }))
}

fn connection(node: Node) -> Result<Connection, String> {
    let end = |element: &str, connector: &str| -> Result<End, String> {
        let connector = node.attribute(connector);
        Ok(End {
            element: node
                .attribute(element)
                .filter(|e| !e.is_empty())
                .map(str::to_owned),
            connector: connector.ok_or("a connection has no end")?.to_owned(),
        })
    };
    Ok(Connection {
        from: end("startElement", "startConnector")?,
        to: end("endElement", "endConnector")?,
        converts: !matches!(node.attribute("suppressUnitConversion"), Some("true" | "1")),
        transformation: transformation(node)?,
    })
}

/// What a connection or an entry of a mapping does to values.
pub fn transformation(node: Node) -> Result<Transformation, String> {
    for inner in elements(Some(node)) {
        let entries = || {
            let entries = elements(Some(inner)).filter(|e| e.has_tag_name("MapEntry"));
            entries
                .map(|e| (text(e, "source"), text(e, "target")))
                .collect()
        };
        return Ok(match inner.tag_name().name() {
            "LinearTransformation" => Transformation::Linear {
                factor: number(Some(inner), "factor").unwrap_or(1.0),
                offset: number(Some(inner), "offset").unwrap_or(0.0),
            },
            "BooleanMappingTransformation" | "IntegerMappingTransformation" => {
                Transformation::Map(entries())
            }
            "EnumerationMappingTransformation" => {
                return Err("mappings of enumerations are not supported".to_owned());
            }
            _ => continue,
        });
    }
    Ok(Transformation::None)
}

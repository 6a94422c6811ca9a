//! `modelDescription.xml` of both versions as plain data.

use std::collections::HashMap;

use roxmltree::{Document, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Fmi2,
    Fmi3,
}

/// Types of the C interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    Text,
    Binary,
    Clock,
}

impl Type {
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float64 | Type::Float32)
    }

    /// Has values that are numbers of ours.
    pub fn is_number(self) -> bool {
        !matches!(self, Type::Text | Type::Binary | Type::Clock)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    Independent,
    Parameter,
    StructuralParameter,
    CalculatedParameter,
    Input,
    Output,
    Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub description: String,
    pub reference: u32,
    pub ty: Type,
    pub causality: Causality,
    pub variability: Variability,
    /// Its start value is the one it has after initialization.
    pub exact: bool,
    pub start: Vec<String>,
    pub dims: Vec<usize>,
    pub unit: String,
    pub display_unit: String,
    pub quantity: String,
    pub min: Option<String>,
    pub max: Option<String>,
    pub nominal: Option<String>,
}

impl Variable {
    /// Number of scalars.
    pub fn size(&self) -> usize {
        self.dims.iter().product()
    }

    /// Start value of element k; one number stands for all elements.
    pub fn start_number(&self, k: usize) -> Option<f64> {
        let text = self.start.get(k).or(self.start.first())?;
        match (self.ty, text.as_str()) {
            (Type::Boolean, "true") => Some(1.0),
            (Type::Boolean, "false") => Some(0.0),
            (_, text) => text.trim().parse::<f64>().ok(),
        }
    }

    /// Are these numbers its start value?
    pub fn starts_with(&self, values: &[f64]) -> bool {
        (0..)
            .zip(values)
            .all(|(k, &x)| self.start_number(k) == Some(x))
    }
}

/// What one of the two interfaces offers.
#[derive(Clone, Debug)]
pub struct Offer {
    pub identifier: String,
    pub variable_steps: bool,
    pub states: bool,
    pub directional: bool,
}

/// An output or derivative with the variables that it depends on; all of them if that is not told.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub variable: usize,
    pub dependencies: Option<Vec<usize>>,
}

#[derive(Clone, Debug)]
pub struct Description {
    pub version: Version,
    pub name: String,
    pub description: String,
    pub author: String,
    pub tool: String,
    pub token: String,
    pub exchange: Option<Offer>,
    pub steps: Option<Offer>,
    pub variables: Vec<Variable>,
    pub outputs: Vec<Unknown>,
    /// Of the continuous states, as scalars.
    pub states: usize,
    /// Variables that are states, where they are told.
    pub state_variables: Vec<usize>,
    pub indicators: usize,
    pub start: Option<f64>,
    pub stop: Option<f64>,
    pub tolerance: Option<f64>,
    pub step: Option<f64>,
}

fn flag(node: Node, name: &str) -> bool {
    matches!(node.attribute(name), Some("true" | "1"))
}

pub(crate) fn text(node: Node, name: &str) -> String {
    node.attribute(name).unwrap_or_default().to_owned()
}

pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|c| c.has_tag_name(name))
}

pub(crate) fn elements<'a, 'i: 'a>(
    node: Option<Node<'a, 'i>>,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.into_iter()
        .flat_map(|n| n.children())
        .filter(Node::is_element)
}

pub(crate) fn number(node: Option<Node>, name: &str) -> Option<f64> {
    node?.attribute(name)?.trim().parse().ok()
}

fn type_of(tag: &str) -> Option<Type> {
    Some(match tag {
        "Real" | "Float64" => Type::Float64,
        "Float32" => Type::Float32,
        "Int8" => Type::Int8,
        "UInt8" => Type::UInt8,
        "Int16" => Type::Int16,
        "UInt16" => Type::UInt16,
        "Integer" | "Int32" => Type::Int32,
        "UInt32" => Type::UInt32,
        "Int64" => Type::Int64,
        "UInt64" => Type::UInt64,
        "Boolean" => Type::Boolean,
        "String" => Type::Text,
        "Binary" => Type::Binary,
        "Clock" => Type::Clock,
        _ => return None,
    })
}

fn causality(word: Option<&str>) -> Result<Causality, String> {
    Ok(match word.unwrap_or("local") {
        "independent" => Causality::Independent,
        "parameter" => Causality::Parameter,
        "structuralParameter" => Causality::StructuralParameter,
        "calculatedParameter" => Causality::CalculatedParameter,
        "input" => Causality::Input,
        "output" => Causality::Output,
        "local" => Causality::Local,
        other => return Err(format!("there is no causality `{other}`")),
    })
}

fn variability(word: Option<&str>, ty: Type, causality: Causality) -> Result<Variability, String> {
    let parameter = matches!(
        causality,
        Causality::Parameter | Causality::StructuralParameter | Causality::CalculatedParameter
    );
    Ok(match word {
        Some("constant") => Variability::Constant,
        Some("fixed") => Variability::Fixed,
        Some("tunable") => Variability::Tunable,
        Some("discrete") => Variability::Discrete,
        Some("continuous") => Variability::Continuous,
        Some(other) => return Err(format!("there is no variability `{other}`")),
        None if parameter => Variability::Fixed,
        None if ty.is_float() => Variability::Continuous,
        None => Variability::Discrete,
    })
}

/// Attributes of a variable; those that it does not have itself come from its type.
struct Attributes<'a, 'i> {
    own: Node<'a, 'i>,
    declared: Option<Node<'a, 'i>>,
}

impl Attributes<'_, '_> {
    fn get(&self, name: &str) -> Option<String> {
        let own = self.own.attribute(name);
        own.or_else(|| self.declared?.attribute(name))
            .map(str::to_owned)
    }
}

impl Description {
    /// Magnitudes of the states; 1 where nothing is told, as FMI has it.
    pub fn state_nominals(&self) -> Vec<f64> {
        let states = self.state_variables.iter().map(|&k| &self.variables[k]);
        let number = |v: &Variable| v.nominal.as_ref().and_then(|n| n.trim().parse().ok());
        let mut all: Vec<f64> = states
            .flat_map(|v| vec![number(v).unwrap_or(1.0); v.size()])
            .collect();
        all.resize(self.states, 1.0);
        all
    }

    pub fn parse(xml: &str) -> Result<Description, String> {
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            ..Default::default()
        };
        let document =
            Document::parse_with_options(xml, options).map_err(|e| format!("no valid XML: {e}"))?;
        let root = document.root_element();
        let version = match root.attribute("fmiVersion").unwrap_or_default() {
            "2.0" => Version::Fmi2,
            v if v.starts_with("3.") => Version::Fmi3,
            v => return Err(format!("FMI {v} is neither 2.0 nor 3.0")),
        };
        let mut types: HashMap<&str, Node> = HashMap::new();
        for node in elements(child(root, "TypeDefinitions")) {
            let inner = match version {
                Version::Fmi2 => node.first_element_child(),
                Version::Fmi3 => Some(node),
            };
            if let (Some(name), Some(inner)) = (node.attribute("name"), inner) {
                types.insert(name, inner);
            }
        }
        let mut variables = Vec::new();
        let mut dimensions: Vec<Vec<Node>> = Vec::new();
        for node in elements(child(root, "ModelVariables")) {
            let inner = match version {
                Version::Fmi2 => node.first_element_child(),
                Version::Fmi3 => Some(node),
            };
            let Some(inner) = inner else { continue };
            let tag = inner.tag_name().name();
            let ty = match (tag, version) {
                ("Enumeration", Version::Fmi2) => Some(Type::Int32),
                ("Enumeration", Version::Fmi3) => Some(Type::Int64),
                _ => type_of(tag),
            };
            let Some(ty) = ty else { continue };
            let name = text(node, "name");
            let reference = node.attribute("valueReference").unwrap_or_default();
            let reference = (reference.parse())
                .map_err(|_| format!("`{name}` has the value reference `{reference}`"))?;
            let causality = causality(node.attribute("causality"))?;
            let variability = variability(node.attribute("variability"), ty, causality)?;
            let declared = inner.attribute("declaredType");
            let attributes = Attributes {
                own: inner,
                declared: declared.and_then(|d| types.get(d).copied()),
            };
            let start = match (inner.attribute("start"), ty) {
                (Some(text), Type::Text) => vec![text.to_owned()],
                (Some(list), _) => list.split_whitespace().map(str::to_owned).collect(),
                (None, _) => (inner.children().filter(|c| c.has_tag_name("Start")))
                    .map(|c| text(c, "value"))
                    .collect(),
            };
            variables.push(Variable {
                description: text(node, "description"),
                reference,
                ty,
                causality,
                variability,
                exact: node.attribute("initial") == Some("exact"),
                start,
                dims: Vec::new(),
                unit: attributes.get("unit").unwrap_or_default(),
                display_unit: attributes.get("displayUnit").unwrap_or_default(),
                quantity: attributes.get("quantity").unwrap_or_default(),
                min: attributes.get("min"),
                max: attributes.get("max"),
                nominal: attributes.get("nominal"),
                name,
            });
            let is_dimension = |c: &Node| c.has_tag_name("Dimension");
            dimensions.push(inner.children().filter(is_dimension).collect());
        }
        let by_reference: HashMap<u32, usize> = (variables.iter().enumerate().rev())
            .map(|(k, v): (usize, &Variable)| (v.reference, k))
            .collect();
        for (k, list) in dimensions.iter().enumerate() {
            for node in list {
                let size = match (node.attribute("start"), node.attribute("valueReference")) {
                    (Some(n), _) => n.parse().ok(),
                    (None, Some(r)) => (r.parse().ok())
                        .and_then(|r: u32| by_reference.get(&r))
                        .and_then(|&s| variables[s].start.first()?.parse().ok()),
                    (None, None) => None,
                };
                let name = &variables[k].name;
                let size = size.ok_or_else(|| format!("`{name}` has no size"))?;
                variables[k].dims.push(size);
            }
        }
        let experiment = child(root, "DefaultExperiment");
        let mut made = Description {
            version,
            name: text(root, "modelName"),
            description: text(root, "description"),
            author: text(root, "author"),
            tool: text(root, "generationTool"),
            token: match version {
                Version::Fmi2 => text(root, "guid"),
                Version::Fmi3 => text(root, "instantiationToken"),
            },
            exchange: child(root, "ModelExchange").map(|n| offer(n, version)),
            steps: child(root, "CoSimulation").map(|n| offer(n, version)),
            variables,
            outputs: Vec::new(),
            states: 0,
            state_variables: Vec::new(),
            indicators: 0,
            start: number(experiment, "startTime"),
            stop: number(experiment, "stopTime"),
            tolerance: number(experiment, "tolerance"),
            step: number(experiment, "stepSize"),
        };
        made.structure(root, &by_reference)?;
        Ok(made)
    }

    fn structure(&mut self, root: Node, by_reference: &HashMap<u32, usize>) -> Result<(), String> {
        let structure = child(root, "ModelStructure");
        let count = self.variables.len();
        let version = self.version;
        let place = |word: &str| -> Result<usize, String> {
            let found = word.parse::<u32>().ok().and_then(|n| match version {
                Version::Fmi2 => (n as usize).checked_sub(1).filter(|&k| k < count),
                Version::Fmi3 => by_reference.get(&n).copied(),
            });
            found.ok_or_else(|| {
                format!("the structure names the variable {word}, which is not there")
            })
        };
        let unknown = |node: Node| -> Result<Unknown, String> {
            let name = match version {
                Version::Fmi2 => "index",
                Version::Fmi3 => "valueReference",
            };
            let dependencies = node.attribute("dependencies").map(|list| {
                let places = list.split_whitespace().map(place);
                places.collect::<Result<Vec<usize>, String>>()
            });
            Ok(Unknown {
                variable: place(node.attribute(name).unwrap_or_default())?,
                dependencies: dependencies.transpose()?,
            })
        };
        let list = |fmi2: &str, fmi3: &str| -> Result<Vec<Unknown>, String> {
            match version {
                Version::Fmi2 => elements(structure.and_then(|s| child(s, fmi2)))
                    .map(unknown)
                    .collect(),
                Version::Fmi3 => elements(structure)
                    .filter(|n| n.has_tag_name(fmi3))
                    .map(unknown)
                    .collect(),
            }
        };
        let outputs = list("Outputs", "Output")?;
        let derivatives = list("Derivatives", "ContinuousStateDerivative")?;
        let indicators = list("no such list", "EventIndicator")?;
        let size = |list: &[Unknown]| list.iter().map(|u| self.variables[u.variable].size()).sum();
        self.states = size(&derivatives);
        self.indicators = match version {
            Version::Fmi2 => (root.attribute("numberOfEventIndicators"))
                .map_or(Ok(0), str::parse)
                .map_err(|_| "numberOfEventIndicators is no number".to_owned())?,
            Version::Fmi3 => size(&indicators),
        };
        let nodes: Vec<Node> = elements(child(root, "ModelVariables")).collect();
        for u in &derivatives {
            let node = match version {
                Version::Fmi2 => nodes.get(u.variable).and_then(|n| n.first_element_child()),
                Version::Fmi3 => {
                    let name = &self.variables[u.variable].name;
                    nodes
                        .iter()
                        .copied()
                        .find(|n| n.attribute("name") == Some(name))
                }
            };
            let of = node.and_then(|n| n.attribute("derivative"));
            self.state_variables
                .extend(of.and_then(|of| place(of).ok()));
        }
        self.outputs = outputs;
        Ok(())
    }
}

fn offer(node: Node, version: Version) -> Offer {
    Offer {
        identifier: text(node, "modelIdentifier"),
        variable_steps: flag(node, "canHandleVariableCommunicationStepSize"),
        states: match version {
            Version::Fmi2 => flag(node, "canGetAndSetFMUstate"),
            Version::Fmi3 => flag(node, "canGetAndSetFMUState"),
        },
        directional: match version {
            Version::Fmi2 => flag(node, "providesDirectionalDerivative"),
            Version::Fmi3 => flag(node, "providesDirectionalDerivatives"),
        },
    }
}

//! Parameter sets (`.ssv`) and mappings of their names (`.ssm`), inside of the description or in files of their own.

use roxmltree::Node;

use super::structure::{Read, Transformation, document, transformation};
use crate::description::{child, elements, text};

/// A value for a parameter: its name as the element calls it, below it with dots.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub name: String,
    /// Numbers, `true` or `false`, or a text.
    pub text: String,
    pub is_text: bool,
    pub unit: String,
    pub converts: bool,
    pub transformation: Transformation,
}

/// Values of one binding, in the order in which they hold.
#[derive(Clone, Debug)]
pub struct Binding(pub Vec<Value>);

/// All bindings of an element.
pub fn bindings(node: Node, read: Read) -> Result<Vec<Binding>, String> {
    let mut all = Vec::new();
    for node in elements(child(node, "ParameterBindings")) {
        let values = match child(node, "ParameterValues") {
            Some(inline) => set(child(inline, "ParameterSet").ok_or("a parameter set is empty")?)?,
            None => {
                let file = text(node, "source");
                let xml = read(&file)?;
                let document = document(&xml).map_err(|e| format!("{file}: {e}"))?;
                set(document.root_element()).map_err(|e| format!("{file}: {e}"))?
            }
        };
        let values = match child(node, "ParameterMapping") {
            None => values,
            Some(inline) => match child(inline, "ParameterMapping") {
                Some(inner) => mapped(inner, &values)?,
                None => {
                    let file = text(inline, "source");
                    let xml = read(&file)?;
                    let document = document(&xml).map_err(|e| format!("{file}: {e}"))?;
                    mapped(document.root_element(), &values).map_err(|e| format!("{file}: {e}"))?
                }
            },
        };
        let prefix = text(node, "prefix");
        let named = |v: Value| Value {
            name: format!("{prefix}{}", v.name),
            ..v
        };
        all.push(Binding(values.into_iter().map(named).collect()));
    }
    Ok(all)
}

fn set(node: Node) -> Result<Vec<Value>, String> {
    if !node.has_tag_name("ParameterSet") {
        return Err("there is no parameter set".to_owned());
    }
    let mut values = Vec::new();
    for parameter in elements(child(node, "Parameters")) {
        let name = text(parameter, "name");
        let value = elements(Some(parameter)).find(|c| c.has_attribute("value"));
        let value = value.ok_or_else(|| format!("the parameter `{name}` has no value"))?;
        let kind = value.tag_name().name();
        if matches!(kind, "Enumeration" | "Binary") {
            return Err(format!(
                "the parameter `{name}` is of the type {kind}, which is not supported"
            ));
        }
        values.push(Value {
            text: text(value, "value"),
            is_text: kind == "String",
            unit: text(value, "unit"),
            converts: true,
            transformation: Transformation::None,
            name,
        });
    }
    Ok(values)
}

/// The values under the names of a mapping: only those that it mentions.
fn mapped(node: Node, values: &[Value]) -> Result<Vec<Value>, String> {
    let mut out = Vec::new();
    for entry in elements(Some(node)).filter(|e| e.has_tag_name("MappingEntry")) {
        let source = text(entry, "source");
        let value = values.iter().find(|v| v.name == source);
        let value =
            value.ok_or_else(|| format!("the mapping names `{source}`, which has no value"))?;
        out.push(Value {
            name: text(entry, "target"),
            converts: !matches!(
                entry.attribute("suppressUnitConversion"),
                Some("true" | "1")
            ),
            transformation: transformation(entry)?,
            ..value.clone()
        });
    }
    Ok(out)
}

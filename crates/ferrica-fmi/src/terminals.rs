//! `terminalsAndIcons.xml` of FMI 3.0: the connectors of the model, with those variables of them that can be seen.

use std::collections::BTreeMap;
use std::fmt::Write;

use ferrica_ir::flat::{ConnectorRole, FlatModel};
use rustc_hash::FxHashMap;

use crate::arrays;
use crate::table::{Part, Table};
use crate::xml::{attribute, optional};

/// What a picture of a class shows: the default of Modelica, and its size on paper.
const EXTENT: &str = "x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"";
const MILLIMETRES: &str = "suggestedScalingFactorTo_mm=\"0.1\"";

/// A connector, or one inside of it.
#[derive(Default)]
struct Terminal {
    kind: String,
    description: String,
    /// Variable, name in the connector, does it flow in?
    members: Vec<(String, String, bool)>,
    inner: BTreeMap<String, Terminal>,
}

/// The file; `None` where there is nothing to tell. A black box does not tell classes and descriptions.
pub fn text(flat: &FlatModel, table: &Table, black_box: bool, icon: bool) -> Option<String> {
    let all = terminals(flat, table, black_box);
    if all.is_empty() && !icon {
        return None;
    }
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n",
    );
    if icon {
        let _ = writeln!(
            out,
            "  <GraphicalRepresentation>\n    <CoordinateSystem {EXTENT} {MILLIMETRES}/>\n    <Icon {EXTENT}/>\n  </GraphicalRepresentation>"
        );
    }
    if !all.is_empty() {
        out.push_str("  <Terminals>\n");
        for (name, terminal) in &all {
            write_terminal(&mut out, name, terminal, 2);
        }
        out.push_str("  </Terminals>\n");
    }
    out.push_str("</fmiTerminalsAndIcons>\n");
    Some(out)
}

fn write_terminal(out: &mut String, name: &str, t: &Terminal, depth: usize) {
    let indent = "  ".repeat(depth);
    let _ = writeln!(
        out,
        "{indent}<Terminal{} matchingRule=\"plug\"{}{}>",
        attribute("name", name),
        optional("terminalKind", &t.kind),
        optional("description", &t.description)
    );
    for (variable, member, flows) in &t.members {
        let kind = if *flows { "inflow" } else { "signal" };
        let _ = writeln!(
            out,
            "{indent}  <TerminalMemberVariable{}{} variableKind=\"{kind}\"/>",
            attribute("variableName", variable),
            attribute("memberName", member)
        );
    }
    for (name, inner) in &t.inner {
        write_terminal(out, name, inner, depth + 1);
    }
    let _ = writeln!(out, "{indent}</Terminal>");
}

fn terminals(flat: &FlatModel, table: &Table, black_box: bool) -> BTreeMap<String, Terminal> {
    // By name: the variable of the description, and whether it is an array that the name is an element of.
    let mut seen: FxHashMap<&str, (&str, bool)> = FxHashMap::default();
    for (k, e) in table.entries.iter().enumerate() {
        let shown = (table.shown_name(k), e.part != Part::Alone);
        for (alias, _) in &e.aliases {
            seen.insert(alias, shown);
        }
        seen.insert(&e.name, shown);
    }
    // Connectors of the model itself, and those inside of them, with their ways from outside.
    let mut ways: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    for (k, c) in (0..).zip(&flat.components) {
        if k == 0 || !c.is_connector || c.protected {
            continue;
        }
        let outer = (c.parent != 0).then(|| flat.components[c.parent as usize].path.as_str());
        let way = match outer {
            None => vec![k],
            Some(outer) => match ways.get(outer) {
                Some(way) => [way.as_slice(), &[k]].concat(),
                None => continue,
            },
        };
        ways.insert(&c.path, way);
    }
    let mut out = BTreeMap::new();
    for v in flat.vars.values().filter(|v| !v.hidden) {
        let Some(&(variable, of_array)) = seen.get(v.name.as_str()) else {
            continue;
        };
        let dots = v.name.rmatch_indices('.').map(|(at, _)| at);
        let ends = std::iter::once(v.name.len()).chain(dots);
        let found = ends
            .map(|end| &v.name[..end])
            .find_map(|p| ways.get_key_value(p));
        let Some((path, way)) = found else { continue };
        let member = match v.name[path.len()..].strip_prefix('.') {
            Some(rest) => rest,
            None => last(&v.name),
        };
        let mut place = &mut out;
        let mut terminal: Option<&mut Terminal> = None;
        for &k in way {
            let c = &flat.components[k as usize];
            let t: &mut Terminal = place.entry(last(&c.path).to_owned()).or_default();
            if !black_box {
                t.kind = c.class.to_string();
                t.description = c.description.to_string();
            }
            if way.last() == Some(&k) {
                terminal = Some(t);
                break;
            }
            place = &mut t.inner;
        }
        if let Some(t) = terminal {
            let flows = v.role == ConnectorRole::Flow;
            let member = match of_array {
                true => arrays::base(member),
                false => member.to_owned(),
            };
            let found = (variable.to_owned(), member, flows);
            if !of_array || !t.members.contains(&found) {
                t.members.push(found);
            }
        }
    }
    out
}

/// What follows the last dot of a path.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

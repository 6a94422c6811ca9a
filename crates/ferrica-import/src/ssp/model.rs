//! The Modelica text of a system.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use super::structure::{
    Body, Connection, Connector, Element, End, Kind, Structure, Transformation,
};
use super::values::Value;
use super::{Unit, Units};
use crate::archive::{describe, open};
use crate::block::{self, Wish, identifier, quoted};
use crate::description::{Causality, Description, Type};
use crate::master::Link;

/// Name of the description in the archive.
const FILE: &str = "SystemStructure.ssd";

/// The text of a system in an archive. `place` is the archive as the text names it.
pub fn text(file: &Path, place: &str, units: Units) -> Result<String, String> {
    let name = file.display();
    let mut archive = open(file)?;
    let mut read = |path: &str| -> Result<String, String> {
        let entry = archive.by_name(path);
        let mut entry = entry.map_err(|_| format!("the archive has no file `{path}`"))?;
        let mut xml = String::new();
        let read = entry.read_to_string(&mut xml);
        read.map_err(|e| format!("{path}: {e}"))?;
        Ok(xml)
    };
    let xml = read(FILE).map_err(|_| format!("{name} is no system: it has no {FILE}"))?;
    let structure =
        Structure::parse(&xml, &mut read).map_err(|e| format!("{name}: {FILE}: {e}"))?;
    let mut writer = Writer {
        structure: &structure,
        file,
        place,
        units,
        out: String::new(),
        path: String::new(),
        arcs: HashMap::new(),
        steppers: Vec::new(),
    };
    let written = writer.root();
    written.map_err(|e| format!("{name}: {e}"))?;
    Ok(writer.out)
}

struct Writer<'a> {
    structure: &'a Structure,
    file: &'a Path,
    place: &'a str,
    units: Units<'a>,
    out: String,
    /// The system that is being written.
    path: String,
    /// Where a value comes from, and factor and offset on its way; nothing where it is mapped.
    arcs: HashMap<Port, (Port, Option<(f64, f64)>)>,
    /// Units that take steps of their own, with what they are called and their inputs.
    steppers: Vec<Stepper>,
}

/// Path of an element or of a system, and the name of a connector of it.
type Port = (String, String);

struct Stepper {
    path: String,
    /// Names of inputs and numbers in each.
    inputs: Vec<(String, usize)>,
    /// Outputs that are one number.
    outputs: HashSet<String>,
}

/// Stands for the links of a unit until all connections are known.
fn links_of(path: &str) -> String {
    format!("\u{1}{path}\u{1}")
}

/// Longest way of a connection through connectors of systems.
const MOST_SYSTEMS: usize = 1000;

/// An element that has been written: what its connectors are.
struct Written<'a> {
    element: &'a Element,
    fmu: Option<Description>,
}

/// One end of a connection, looked up.
struct Side {
    /// In the equations of the system.
    text: String,
    unit: String,
    /// May it be the end of a connection?
    takes: bool,
}

/// A class for an element.
fn class_of(name: &str) -> String {
    identifier(&format!("class of {name}"))
}

/// A number that Modelica reads as the same one.
fn literal(x: f64) -> String {
    format!("{x:?}")
}

/// `factor·text + offset`, for a scalar or all elements of an array.
fn linear(text: String, factor: f64, offset: f64) -> String {
    let scaled = match factor == 1.0 {
        true => text,
        false => format!("{}*({text})", literal(factor)),
    };
    match offset == 0.0 {
        true => scaled,
        false => format!("({scaled}) .+ ({})", literal(offset)),
    }
}

impl Writer<'_> {
    fn root(&mut self) -> Result<(), String> {
        let system = &self.structure.system;
        let last = system.name.rsplit('.').next().unwrap_or_default();
        let name = match last.is_empty() {
            true => "System".to_owned(),
            false => identifier(last),
        };
        self.system(system, &name, &[])?;
        self.add_master(&name);
        let mut experiment = Vec::new();
        for (word, x) in [
            ("StartTime", self.structure.start),
            ("StopTime", self.structure.stop),
        ] {
            experiment.extend(x.map(|x| format!("{word}={x:?}")));
        }
        if !experiment.is_empty() {
            let end = format!("end {name};\n");
            let without = self.out.trim_end_matches(&end).len();
            self.out.truncate(without);
            let _ = write!(
                self.out,
                "  annotation(experiment({}));\n{end}",
                experiment.join(", ")
            );
        }
        Ok(())
    }

    fn below(&self, element: &str) -> String {
        format!("{}/{element}", self.path)
    }

    /// What leads the units that take steps of their own, with their links.
    fn add_master(&mut self, name: &str) {
        if self.steppers.is_empty() {
            return;
        }
        let head = self.out.find('\n').map_or(0, |end| end + 1);
        let master = "  parameter Real 'step tolerance' = 0 \"Error of a step in what units tell each other, in parts of its magnitude; 0: steps of fixed length\";\n\
                      protected\n  inner parameter Ferrica.FMU.Master 'master' = Ferrica.FMU.Master('step tolerance') \"Leads all units\";\npublic\n";
        debug_assert!(self.out.starts_with(&format!("model {name}")));
        self.out.insert_str(head, master);
        for unit in &self.steppers {
            let links: Vec<String> = (self.links(unit).iter())
                .map(|link| quoted(&link.to_text()))
                .collect();
            let list = match links.is_empty() {
                true => "fill(\"\", 0)".to_owned(),
                false => format!("{{{}}}", links.join(", ")),
            };
            self.out = self.out.replace(&links_of(&unit.path), &list);
        }
    }

    /// Inputs of a unit that come from another one along straight lines.
    fn links(&self, unit: &Stepper) -> Vec<Link> {
        let mut links = Vec::new();
        let mut input = 0;
        for (name, size) in &unit.inputs {
            if *size == 1 {
                links.extend(self.link(unit, name, input));
            }
            input += size;
        }
        links
    }

    fn link(&self, unit: &Stepper, name: &str, input: usize) -> Option<Link> {
        let mut at: Port = (unit.path.clone(), name.to_owned());
        let (mut factor, mut offset) = (1.0, 0.0);
        for _ in 0..MOST_SYSTEMS {
            let (from, change) = self.arcs.get(&at)?;
            let (scale, shift) = (*change)?;
            offset += factor * shift;
            factor *= scale;
            if let Some(source) = self.steppers.iter().find(|s| s.path == from.0) {
                let is_number = source.outputs.contains(&from.1);
                return is_number.then(|| Link {
                    input,
                    unit: from.0.clone(),
                    variable: from.1.clone(),
                    factor,
                    offset,
                });
            }
            at = from.clone();
        }
        None
    }

    /// A model for a system. Values from outside hold before its own ones.
    fn system(&mut self, system: &Element, name: &str, outer: &[Value]) -> Result<(), String> {
        let Body::System {
            elements,
            connections,
        } = &system.body
        else {
            return Err(format!("`{}` is no system", system.name));
        };
        let values = in_order(system, outer);
        let _ = write!(self.out, "model {name}");
        if !system.description.is_empty() {
            let _ = write!(self.out, " {}", quoted(&system.description));
        }
        self.out.push('\n');
        let mut names = HashSet::new();
        for e in elements {
            if !names.insert(e.name.as_str()) {
                return Err(format!("there are two elements `{}`", e.name));
            }
        }
        for c in &system.connectors {
            self.connector(c, &values)?;
        }
        let mut written = Vec::new();
        let mut given = Vec::new();
        for e in elements {
            let prefix = format!("{}.", e.name);
            let inner: Vec<Value> = (values.iter())
                .filter_map(|v| {
                    Some(Value {
                        name: v.name.strip_prefix(&prefix)?.to_owned(),
                        ..v.clone()
                    })
                })
                .collect();
            let class = class_of(&e.name);
            let own = identifier(&e.name);
            let mut made = Written {
                element: e,
                fmu: None,
            };
            match &e.body {
                Body::System { .. } => {
                    let own_path = self.below(&e.name);
                    let outside = std::mem::replace(&mut self.path, own_path);
                    self.system(e, &class, &inner)?;
                    self.path = outside;
                    let values = in_order(e, &inner);
                    for c in e.connectors.iter().filter(|c| c.kind == Kind::Input) {
                        if let Some(v) = values.iter().rev().find(|v| v.name == c.name) {
                            let place = format!("{own}.{}", identifier(&c.name));
                            given.push((place, self.value(v, &c.unit)?));
                        }
                    }
                    let _ = writeln!(self.out, "  {class} {own};");
                }
                Body::Fmu { source, exchange } => {
                    let d = self.block(e, source, *exchange)?;
                    let modifiers = self.modifiers(e, &d, &in_order(e, &inner), &mut given)?;
                    let _ = writeln!(self.out, "  {class} {own}{modifiers};");
                    made.fmu = Some(d);
                }
            }
            written.push(made);
        }
        self.check_names(system, &written, &values)?;
        self.out.push_str("equation\n");
        let mut driven: HashSet<String> = HashSet::new();
        for c in connections {
            let target = self.connection(system, &written, c)?;
            if !driven.insert(target.clone()) {
                return Err(format!("`{target}` is the end of two connections"));
            }
        }
        for w in &written {
            self.open_inputs(w, &driven, &given)?;
        }
        for c in system.connectors.iter().filter(|c| c.kind == Kind::Output) {
            if !driven.contains(&identifier(&c.name)) {
                return Err(format!(
                    "the output `{}` of `{}` is not connected",
                    c.name, system.name
                ));
            }
        }
        let _ = writeln!(self.out, "end {name};");
        Ok(())
    }

    /// Values must be for something that is there.
    fn check_names(
        &self,
        system: &Element,
        written: &[Written],
        values: &[Value],
    ) -> Result<(), String> {
        for v in values {
            let first = v.name.split_once('.').map(|n| n.0);
            let element = first.is_some_and(|f| written.iter().any(|w| w.element.name == f));
            if !element && !system.connectors.iter().any(|c| c.name == v.name) {
                return Err(format!(
                    "the parameter set names `{}`, which is not there",
                    v.name
                ));
            }
        }
        Ok(())
    }

    fn connector(&mut self, c: &Connector, values: &[Value]) -> Result<(), String> {
        let ty = if c.ty.is_empty() { "Real" } else { c.ty };
        let own = identifier(&c.name);
        let value = values.iter().rev().find(|v| v.name == c.name);
        let value = value.map(|v| self.value(v, &c.unit)).transpose()?;
        let mut attributes = Vec::new();
        if !c.unit.is_empty() && ty == "Real" {
            attributes.push(format!("unit={}", quoted(&c.unit)));
        }
        if c.kind == Kind::Input {
            attributes.extend(value.as_ref().map(|v| format!("start={v}")));
        }
        let unit = match attributes.is_empty() {
            true => String::new(),
            false => format!("({})", attributes.join(", ")),
        };
        let about = match c.description.is_empty() {
            true => String::new(),
            false => format!(" {}", quoted(&c.description)),
        };
        let _ = match c.kind {
            Kind::Output if value.is_some() => {
                return Err(format!("the parameter set names the output `{}`", c.name));
            }
            Kind::Input => writeln!(self.out, "  input {ty} {own}{unit}{about};"),
            Kind::Output => writeln!(self.out, "  output {ty} {own}{unit}{about};"),
            Kind::Parameter => {
                let value =
                    value.ok_or_else(|| format!("the parameter `{}` has no value", c.name))?;
                writeln!(self.out, "  parameter {ty} {own}{unit} = {value}{about};")
            }
        };
        Ok(())
    }

    /// The block of an FMU, as a class of the system.
    fn block(
        &mut self,
        e: &Element,
        source: &str,
        exchange: Option<bool>,
    ) -> Result<Description, String> {
        let inside = |archive: &str| format!("{archive}!{source}");
        let of_file = inside(&self.file.display().to_string());
        let mut d = describe(Path::new(&of_file)).map_err(|m| format!("`{}`: {m}", e.name))?;
        let name = d.name.clone();
        d.name = format!("class of {}", e.name);
        let place = inside(self.place);
        let exchange = exchange.unwrap_or(d.exchange.is_some());
        let path = self.below(&e.name);
        let links = links_of(&path);
        let wish = Wish {
            file: &place,
            exchange,
            class: Some(class_of(&e.name)),
            together: (!exchange).then_some((path.as_str(), links.as_str())),
        };
        let text = block::text(&d, &wish).map_err(|m| format!("`{}`: {m}", e.name))?;
        d.name = name;
        self.out.push_str(&text);
        if !exchange {
            let lists = block::Lists::new(&d, exchange);
            let named = |&k: &usize| (d.variables[k].name.clone(), d.variables[k].size());
            let inputs = lists.inputs.iter().map(named).collect();
            let outputs = (lists.discrete.iter().map(named))
                .filter(|v| v.1 == 1)
                .map(|v| v.0)
                .collect();
            self.steppers.push(Stepper {
                path,
                inputs,
                outputs,
            });
        }
        Ok(d)
    }

    /// Values of the set that are parameters or start values of an FMU; those of inputs are put aside.
    fn modifiers(
        &self,
        e: &Element,
        d: &Description,
        values: &[Value],
        given: &mut Vec<(String, String)>,
    ) -> Result<String, String> {
        let mut parts: Vec<(String, String)> = Vec::new();
        for value in values {
            let wrong = |why: &str| {
                Err(format!(
                    "the parameter set names `{}.{}`, which {why}",
                    e.name, value.name
                ))
            };
            let Some(v) = d.variables.iter().find(|v| v.name == value.name) else {
                return wrong("is no variable of the FMU");
            };
            if value.is_text != (v.ty == Type::Text) {
                return wrong("is of another type");
            }
            let text = self.value(value, &v.unit)?;
            let target = match v.causality {
                Causality::Parameter => identifier(&v.name),
                _ if block::is_start(v) => block::start_name(v),
                Causality::Input => {
                    let place = format!("{}.{}", identifier(&e.name), identifier(&v.name));
                    given.push((place, text));
                    continue;
                }
                _ => return wrong("cannot be set"),
            };
            parts.retain(|p| p.0 != target);
            parts.push((target, text));
        }
        let parts: Vec<String> = parts.iter().map(|(n, v)| format!("{n}={v}")).collect();
        Ok(match parts.is_empty() {
            true => String::new(),
            false => format!("({})", parts.join(", ")),
        })
    }

    /// A value of a set in the unit of what it is for.
    fn value(&self, v: &Value, unit: &str) -> Result<String, String> {
        if v.is_text {
            return Ok(quoted(&v.text));
        }
        let (scale, shift) = match v.converts {
            true => self.conversion(&v.unit, unit)?,
            false => (1.0, 0.0),
        };
        let (factor, offset) = match v.transformation {
            Transformation::Linear { factor, offset } => (factor, offset),
            Transformation::None => (1.0, 0.0),
            Transformation::Map(_) => {
                return Err(format!("the value of `{}` cannot be mapped", v.name));
            }
        };
        let changed = (scale, shift, factor, offset) != (1.0, 0.0, 1.0, 0.0);
        let mut parts = Vec::new();
        for word in v.text.split_whitespace() {
            parts.push(match (word, word.parse::<f64>()) {
                ("true" | "false", _) if !changed => word.to_owned(),
                (_, Ok(x)) if changed => literal(factor * (scale * x + shift) + offset),
                (_, Ok(x)) if x.is_finite() => word.trim_start_matches('+').to_owned(),
                _ => return Err(format!("`{word}` is no value for `{}`", v.name)),
            });
        }
        match parts.as_slice() {
            [] => Err(format!("`{}` has no value", v.name)),
            [one] => Ok(one.clone()),
            many => Ok(format!("{{{}}}", many.join(", "))),
        }
    }

    /// Factor and offset from one unit to another one.
    fn conversion(&self, from: &str, to: &str) -> Result<(f64, f64), String> {
        if from == to || from.is_empty() || to.is_empty() {
            return Ok((1.0, 0.0));
        }
        let meaning = |unit: &str| -> Result<Unit, String> {
            let known = self
                .structure
                .units
                .get(unit)
                .copied()
                .or_else(|| (self.units)(unit));
            known.ok_or_else(|| format!("the unit `{unit}` is not known: it cannot be converted"))
        };
        let (a, b) = (meaning(from)?, meaning(to)?);
        if a.exponents != b.exponents {
            return Err(format!("`{from}` cannot be converted to `{to}`"));
        }
        Ok((a.factor / b.factor, (a.offset - b.offset) / b.factor))
    }

    /// An end of a connection: a connector of the system, of one in it, or a variable of an FMU.
    fn side(&self, system: &Element, written: &[Written], end: &End) -> Result<Side, String> {
        let connector = identifier(&end.connector);
        let missing = |of: &str| {
            format!(
                "a connection names `{}` of `{of}`, which is not there",
                end.connector
            )
        };
        let Some(name) = &end.element else {
            let c = system.connectors.iter().find(|c| c.name == end.connector);
            let c = c.ok_or_else(|| missing(&system.name))?;
            return Ok(Side {
                text: connector,
                unit: c.unit.clone(),
                takes: c.kind == Kind::Output,
            });
        };
        let w = written.iter().find(|w| &w.element.name == name);
        let w = w.ok_or_else(|| {
            format!("a connection names the element `{name}`, which is not there")
        })?;
        let c = w
            .element
            .connectors
            .iter()
            .find(|c| c.name == end.connector);
        let of_fmu = w
            .fmu
            .as_ref()
            .map(|d| d.variables.iter().find(|v| v.name == end.connector));
        let unit = match (c, of_fmu) {
            (_, Some(None)) | (None, None) => return Err(missing(name)),
            (Some(c), _) if !c.unit.is_empty() => c.unit.clone(),
            (_, Some(Some(v))) => v.unit.clone(),
            (Some(c), None) => c.unit.clone(),
        };
        let takes = match of_fmu {
            Some(v) => v.is_some_and(|v| v.causality == Causality::Input),
            None => c.is_some_and(|c| c.kind == Kind::Input),
        };
        Ok(Side {
            text: format!("{}.{connector}", identifier(name)),
            unit,
            takes,
        })
    }

    /// The equation of a connection; what it ends at.
    fn connection(
        &mut self,
        system: &Element,
        written: &[Written],
        c: &Connection,
    ) -> Result<String, String> {
        let from = self.side(system, written, &c.from)?;
        let to = self.side(system, written, &c.to)?;
        if !to.takes {
            return Err(format!(
                "a connection ends at `{}`, which takes no value there",
                to.text
            ));
        }
        let (scale, shift) = match c.converts {
            true => self.conversion(&from.unit, &to.unit)?,
            false => (1.0, 0.0),
        };
        let port = |end: &End| {
            let path = match &end.element {
                Some(element) => self.below(element),
                None => self.path.clone(),
            };
            (path, end.connector.clone())
        };
        let change = match &c.transformation {
            Transformation::None => Some((scale, shift)),
            Transformation::Linear { factor, offset } => {
                Some((factor * scale, factor * shift + offset))
            }
            Transformation::Map(_) => None,
        };
        self.arcs.insert(port(&c.to), (port(&c.from), change));
        let converted = linear(from.text, scale, shift);
        let value = match &c.transformation {
            Transformation::None => converted,
            Transformation::Linear { factor, offset } => linear(converted, *factor, *offset),
            Transformation::Map(entries) => mapped(&converted, entries)?,
        };
        let _ = writeln!(self.out, "  {} = {value};", to.text);
        Ok(to.text)
    }

    /// Inputs that nothing is connected to keep their value.
    fn open_inputs(
        &mut self,
        w: &Written,
        driven: &HashSet<String>,
        given: &[(String, String)],
    ) -> Result<(), String> {
        let own = identifier(&w.element.name);
        let mut inputs: Vec<(String, String)> = Vec::new();
        match &w.fmu {
            Some(d) => {
                let all = d
                    .variables
                    .iter()
                    .filter(|v| v.causality == Causality::Input);
                for v in all.filter(|v| v.ty.is_number()) {
                    inputs.push((identifier(&v.name), block::value(v)));
                }
            }
            None => {
                let all = w
                    .element
                    .connectors
                    .iter()
                    .filter(|c| c.kind == Kind::Input);
                for c in all {
                    let zero = if c.ty == "Boolean" { "false" } else { "0" };
                    inputs.push((identifier(&c.name), zero.to_owned()));
                }
            }
        }
        for (name, start) in inputs {
            let place = format!("{own}.{name}");
            if !driven.contains(&place) {
                let value = given.iter().rev().find(|g| g.0 == place);
                let value = value.map_or(start, |g| g.1.clone());
                let _ = writeln!(self.out, "  {place} = {value};");
            }
        }
        Ok(())
    }
}

/// Values of an element in the order in which they hold: its own ones first, those from outside last.
fn in_order(e: &Element, outer: &[Value]) -> Vec<Value> {
    let own = e.bindings.iter().flat_map(|b| b.0.iter().cloned());
    own.chain(outer.iter().cloned()).collect()
}

/// A table from values to values.
fn mapped(value: &str, entries: &[(String, String)]) -> Result<String, String> {
    let is_literal = |t: &str| matches!(t, "true" | "false") || t.parse::<i64>().is_ok();
    let Some(((_, last), others)) = entries.split_last() else {
        return Err("a mapping has no entries".to_owned());
    };
    if !entries.iter().all(|(a, b)| is_literal(a) && is_literal(b)) {
        return Err("a mapping has entries that are no values".to_owned());
    }
    let mut out = String::from("(if ");
    for (k, (source, target)) in others.iter().enumerate() {
        let word = if k == 0 { "" } else { " elseif " };
        let _ = write!(out, "{word}{value} == {source} then {target}");
    }
    match others.is_empty() {
        true => Ok(last.clone()),
        false => Ok(format!("{out} else {last})")),
    }
}

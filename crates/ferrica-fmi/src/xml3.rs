//! `modelDescription.xml` of FMI 3.0.

use std::fmt::Write;

use ferrica_fmu::payload::Type;

use crate::archive::Described;
use crate::arrays;
use crate::table::{Causality, Entry, Part, Start};
use crate::units;
use crate::xml::{attribute, number, numeric, optional, role, whole};

pub fn description(d: &Described) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"",
    );
    out.push_str(&attribute("modelName", &d.name));
    out.push_str(&attribute("instantiationToken", &d.token));
    out.push_str(&optional("description", &d.description));
    out.push_str(&attribute("generationTool", &d.tool));
    out.push_str(&attribute("variableNamingConvention", d.naming()));
    out.push_str(">\n");
    let states = " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
    let derivatives =
        " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
    let id = attribute("modelIdentifier", &d.identifier);
    if d.exchange {
        let _ = writeln!(
            out,
            "  <ModelExchange{id} needsCompletedIntegratorStep=\"true\"{states}{derivatives}/>"
        );
    }
    if let Some(build) = &d.build {
        let step = numeric("fixedInternalStepSize", Some(build.step));
        let _ = writeln!(
            out,
            "  <CoSimulation{id} canHandleVariableCommunicationStepSize=\"true\"{step}{states}/>"
        );
    } else if d.steps {
        let _ = writeln!(
            out,
            "  <CoSimulation{id} canHandleVariableCommunicationStepSize=\"true\" providesIntermediateUpdate=\"true\" \
             mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"{states}{derivatives}/>"
        );
    }
    out.push_str(&units::definitions(&d.table.entries));
    if !d.enums.is_empty() {
        out.push_str("  <TypeDefinitions>\n");
        for (name, literals) in &d.enums {
            let _ = writeln!(out, "    <EnumerationType{}>", attribute("name", name));
            for (k, literal) in literals.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "      <Item{} value=\"{}\"/>",
                    attribute("name", literal),
                    k + 1
                );
            }
            out.push_str("    </EnumerationType>\n");
        }
        out.push_str("  </TypeDefinitions>\n");
    }
    out.push_str(&d.categories());
    out.push_str(&d.default_experiment());
    out.push_str("  <ModelVariables>\n");
    for (k, e) in d.table.entries.iter().enumerate() {
        if e.part != Part::Inner {
            variable(&mut out, d, k, e);
        }
    }
    out.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    let list = |out: &mut String, name: &str, unknowns: &[(u32, Option<Vec<u32>>)]| {
        for (unknown, dependencies) in unknowns {
            let _ = write!(out, "    <{name} valueReference=\"{unknown}\"");
            if let Some(list) = dependencies {
                let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                let _ = write!(out, " dependencies=\"{}\"", list.join(" "));
            }
            out.push_str("/>\n");
        }
    };
    let s = &d.structure;
    list(&mut out, "Output", &s.outputs);
    list(&mut out, "ContinuousStateDerivative", &s.derivatives);
    list(&mut out, "InitialUnknown", &s.initial);
    list(&mut out, "EventIndicator", &s.indicators);
    out.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    out
}

fn variable(out: &mut String, d: &Described, reference: usize, e: &Entry) {
    let element = match e.exported.ty {
        Type::Real => "Float64",
        Type::Integer => "Int32",
        Type::Boolean => "Boolean",
        Type::Text => "String",
        Type::Enumeration => "Enumeration",
    };
    let _ = write!(
        out,
        "    <{element}{} valueReference=\"{reference}\"{}",
        attribute("name", d.table.shown_name(reference)),
        optional("description", &e.description)
    );
    let dims: &[usize] = match &e.part {
        Part::Head(_, dims) => dims,
        Part::Alone | Part::Inner => &[],
    };
    let elements = &d.table.entries[reference..][..dims.iter().product()];
    out.push_str(&role(e));
    match e.exported.ty {
        Type::Real => {
            let derivative = e.derivative_of.map(|s| format!(" derivative=\"{s}\""));
            let _ = write!(
                out,
                "{}{}{}{}{}{}{}{}",
                optional("quantity", &e.quantity),
                optional("unit", &e.unit),
                optional("displayUnit", &e.display_unit),
                numeric("min", e.min),
                numeric("max", e.max),
                numeric("nominal", e.nominal),
                derivative.unwrap_or_default(),
                if e.reinit { " reinit=\"true\"" } else { "" },
            );
            // Inside of a step what moves can be read.
            if d.steps
                && d.build.is_none()
                && e.causality == Causality::Output
                && e.variability == "continuous"
            {
                out.push_str(" intermediateUpdate=\"true\"");
            }
        }
        Type::Integer => {
            let _ = write!(out, "{}{}", whole("min", e.min), whole("max", e.max));
        }
        Type::Enumeration => {
            let name = e.declared.map_or("", |id| d.enum_name(id));
            out.push_str(&attribute("declaredType", name));
        }
        Type::Boolean | Type::Text => {}
    }
    let mut inside = String::new();
    for n in dims {
        let _ = writeln!(inside, "      <Dimension start=\"{n}\"/>");
    }
    let mut values = Vec::new();
    for start in elements.iter().filter_map(|e| e.start.as_ref()) {
        match (start, e.exported.ty) {
            (Start::Text(text), _) => {
                let _ = writeln!(inside, "      <Start{}/>", attribute("value", text));
            }
            (Start::Number(x), Type::Boolean) => values.push((*x != 0.0).to_string()),
            (Start::Number(x), Type::Integer | Type::Enumeration) => {
                values.push((*x as i64).to_string());
            }
            (Start::Number(x), _) => values.push(number(*x)),
        }
    }
    if !values.is_empty() {
        let _ = write!(out, " start=\"{}\"", values.join(" "));
    }
    for (name, about) in &e.aliases {
        let name = match dims.is_empty() {
            true => name.clone(),
            false => arrays::base(name),
        };
        let about = optional("description", about);
        let _ = writeln!(inside, "      <Alias{}{about}/>", attribute("name", &name));
    }
    if inside.is_empty() {
        out.push_str("/>\n");
    } else {
        let _ = writeln!(out, ">\n{inside}    </{element}>");
    }
}

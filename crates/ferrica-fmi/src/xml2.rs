//! `modelDescription.xml` of FMI 2.0.

use std::fmt::Write;

use ferrica_fmu::payload::Type;

use crate::archive::Described;
use crate::table::{Entry, Start};
use crate::units;
use crate::xml::{attribute, number, numeric, optional, role, whole};

pub fn description(d: &Described) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"",
    );
    out.push_str(&attribute("modelName", &d.name));
    out.push_str(&attribute("guid", &d.token));
    out.push_str(&optional("description", &d.description));
    out.push_str(&attribute("generationTool", &d.tool));
    out.push_str(&attribute("variableNamingConvention", d.naming()));
    let _ = writeln!(
        out,
        " numberOfEventIndicators=\"{}\">",
        d.table.indicators.len()
    );
    let states = " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"";
    let derivatives = " providesDirectionalDerivative=\"true\"";
    let id = attribute("modelIdentifier", &d.identifier);
    if d.exchange {
        let _ = writeln!(out, "  <ModelExchange{id}{states}{derivatives}/>");
    }
    if let Some(build) = &d.build {
        let _ = write!(
            out,
            "  <CoSimulation{id} canHandleVariableCommunicationStepSize=\"true\" canNotUseMemoryManagementFunctions=\"true\"{states}>\n    <SourceFiles>\n"
        );
        for file in &build.files {
            let _ = writeln!(out, "      <File{}/>", attribute("name", file));
        }
        out.push_str("    </SourceFiles>\n  </CoSimulation>\n");
    } else if d.steps {
        let _ = writeln!(
            out,
            "  <CoSimulation{id} canHandleVariableCommunicationStepSize=\"true\"{states}{derivatives}/>"
        );
    }
    out.push_str(&units::definitions(&d.table.entries));
    if !d.enums.is_empty() {
        out.push_str("  <TypeDefinitions>\n");
        for (name, literals) in &d.enums {
            let _ = writeln!(
                out,
                "    <SimpleType{}>\n      <Enumeration>",
                attribute("name", name)
            );
            for (k, literal) in literals.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "        <Item{} value=\"{}\"/>",
                    attribute("name", literal),
                    k + 1
                );
            }
            out.push_str("      </Enumeration>\n    </SimpleType>\n");
        }
        out.push_str("  </TypeDefinitions>\n");
    }
    out.push_str(&d.categories());
    out.push_str(&d.default_experiment());
    out.push_str("  <ModelVariables>\n");
    // Variables count from 1 in the order of the text; aliases and indicators are no entries of the table there.
    let seen = |e: &Entry| {
        !matches!(
            e.exported.source,
            ferrica_fmu::payload::Source::Indicator(_)
        )
    };
    let mut index = vec![0; d.table.entries.len()];
    let mut count = 0;
    for (k, e) in d.table.entries.iter().enumerate().filter(|(_, e)| seen(e)) {
        count += 1;
        index[k] = count;
        count += e.aliases.len();
    }
    for (k, e) in d.table.entries.iter().enumerate().filter(|(_, e)| seen(e)) {
        variable(&mut out, d, k, e, &index);
        for (name, about) in &e.aliases {
            // Each name of a constant tells its value; of others only one name has a start value.
            let constant = e.variability == "constant";
            let alias = Entry {
                name: name.clone(),
                description: about.clone(),
                start: e.start.clone().filter(|_| constant),
                initial: e.initial.filter(|_| constant),
                derivative_of: None,
                reinit: false,
                ..e.clone()
            };
            variable(&mut out, d, k, &alias, &index);
        }
    }
    out.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    let list = |out: &mut String, name: &str, unknowns: &[(u32, Option<Vec<u32>>)]| {
        if unknowns.is_empty() {
            return;
        }
        let _ = writeln!(out, "    <{name}>");
        for (unknown, dependencies) in unknowns {
            let _ = write!(out, "      <Unknown index=\"{}\"", index[*unknown as usize]);
            if let Some(list) = dependencies {
                let mut list: Vec<usize> = list.iter().map(|&r| index[r as usize]).collect();
                list.sort_unstable();
                let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                let _ = write!(out, " dependencies=\"{}\"", list.join(" "));
            }
            out.push_str("/>\n");
        }
        let _ = writeln!(out, "    </{name}>");
    };
    let s = &d.structure;
    list(&mut out, "Outputs", &s.outputs);
    list(&mut out, "Derivatives", &s.derivatives);
    let mut initial = s.initial.clone();
    initial.sort_by_key(|(r, _)| index[*r as usize]);
    list(&mut out, "InitialUnknowns", &initial);
    out.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    out
}

fn variable(out: &mut String, d: &Described, reference: usize, e: &Entry, index: &[usize]) {
    let _ = write!(
        out,
        "    <ScalarVariable{} valueReference=\"{reference}\"{}",
        attribute("name", &e.name),
        optional("description", &e.description)
    );
    let _ = write!(out, "{}>", role(e));
    let start = match &e.start {
        None => String::new(),
        Some(Start::Text(text)) => attribute("start", text),
        Some(Start::Number(x)) => match e.exported.ty {
            Type::Boolean => format!(" start=\"{}\"", *x != 0.0),
            Type::Integer | Type::Enumeration => format!(" start=\"{}\"", *x as i64),
            _ => format!(" start=\"{}\"", number(*x)),
        },
    };
    let _ = match e.exported.ty {
        Type::Real => {
            let derivative = e.derivative_of.map(|s| index[s as usize]);
            let derivative = derivative.map_or(String::new(), |k| format!(" derivative=\"{k}\""));
            let reinit = if e.reinit { " reinit=\"true\"" } else { "" };
            writeln!(
                out,
                "<Real{}{}{}{}{}{}{start}{derivative}{reinit}/></ScalarVariable>",
                optional("quantity", &e.quantity),
                optional("unit", &e.unit),
                optional("displayUnit", &e.display_unit),
                numeric("min", e.min),
                numeric("max", e.max),
                numeric("nominal", e.nominal),
            )
        }
        Type::Integer => writeln!(
            out,
            "<Integer{}{}{start}/></ScalarVariable>",
            whole("min", e.min),
            whole("max", e.max)
        ),
        Type::Boolean => writeln!(out, "<Boolean{start}/></ScalarVariable>"),
        Type::Text => writeln!(out, "<String{start}/></ScalarVariable>"),
        Type::Enumeration => {
            let name = e.declared.map_or("", |id| d.enum_name(id));
            writeln!(
                out,
                "<Enumeration{}{start}/></ScalarVariable>",
                attribute("declaredType", name)
            )
        }
    };
}

//! An FMU as source code: the C code of a fixed-step solver, for co-simulation on any machine with a compiler.
//!
//! In: the code as [`ferrica_rt::export`] writes it, with its channels. Out: the archive: description, `sources/` with the code, what tells
//! importers how to build it (`buildDescription.xml` in FMI 3.0, the list of files in the description in FMI 2.0), and a `CMakeLists.txt`.

use std::io::{Cursor, Write};

use ferrica_fmu::payload::{Access, Exported as Stored, Source, Type, token_of};
use ferrica_ir::causal::CausalModel;
use ferrica_ir::expr::EnumId;
use ferrica_ir::{Diagnostic, Span};
use ferrica_rt::export::{Channel, Exported, Role, TOKEN, references};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::archive::{Described, identifier};
use crate::names::structured;
use crate::structure::Structure;
use crate::table::{Causality, Entry, Initial, Part, Start, Table, Version};
use crate::xml::attribute;
use crate::{xml2, xml3};

/// What an archive is to tell beside its code.
pub struct SourceWish {
    pub version: Version,
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    pub interval: f64,
    pub tool: String,
}

/// How the code is built: step of its solver, files to be compiled.
pub(crate) struct Build {
    pub step: f64,
    pub files: Vec<String>,
}

/// The bytes of the archive.
pub fn export_source(
    model: &CausalModel,
    mut code: Exported,
    wish: &SourceWish,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let all: String = code.files.iter().map(|f| f.text.as_str()).collect();
    let token = token_of(all.as_bytes());
    for file in &mut code.files {
        file.text = file.text.replace(TOKEN, &token);
    }
    let entries = entries(&code);
    let used = |id: &EnumId| entries.iter().any(|e| e.declared == Some(*id));
    let enum_ids: Vec<EnumId> = model.enums.keys().filter(used).collect();
    let enums = enum_ids.iter().map(|&id| {
        let e = &model.enums[id];
        (e.name.clone(), e.literals.clone())
    });
    let enums = enums.collect();
    let of = |causality: Causality| {
        let all = (0..).zip(&entries);
        all.filter(move |(_, e)| e.causality == causality)
            .map(|(k, _)| k)
    };
    let outputs: Vec<u32> = of(Causality::Output).collect();
    let structure = Structure {
        outputs: outputs.iter().map(|&r| (r, None)).collect(),
        initial: outputs.iter().map(|&r| (r, None)).collect(),
        ..Structure::default()
    };
    let compiled = code.files.iter().map(|f| f.name.clone());
    let compiled: Vec<String> = compiled.filter(|n| n.ends_with(".c")).collect();
    let steps = (wish.interval / code.step).round().max(1.0);
    let described = Described {
        name: model.name.clone(),
        description: String::new(),
        token,
        identifier: identifier(&model.name),
        tool: wish.tool.clone(),
        exchange: false,
        steps: true,
        enums,
        enum_ids,
        table: Table {
            entries,
            outputs,
            ..Table::default()
        },
        structure,
        experiment: [wish.start, wish.stop, wish.tolerance, steps * code.step],
        build: Some(Build {
            step: code.step,
            files: compiled,
        }),
    };
    let mut files = vec![(
        "modelDescription.xml".to_string(),
        match wish.version {
            Version::Fmi2 => xml2::description(&described),
            Version::Fmi3 => xml3::description(&described),
        },
    )];
    if wish.version == Version::Fmi3 {
        let text = build_description(&described);
        files.push(("sources/buildDescription.xml".to_string(), text));
    }
    files.push(("sources/CMakeLists.txt".to_string(), cmake(&described)));
    for file in code.files {
        files.push((format!("sources/{}", file.name), file.text));
    }
    let zipped = || -> zip::result::ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in &files {
            zip.start_file(name.as_str(), SimpleFileOptions::default())?;
            zip.write_all(text.as_bytes())?;
        }
        Ok(zip.finish()?.into_inner())
    };
    zipped().map_err(|e| {
        let text = format!("the archive cannot be made: {e}");
        vec![Diagnostic::error("E0740", Span::NONE, text)]
    })
}

/// Variables by their value references.
fn entries(code: &Exported) -> Vec<Entry> {
    let plain = |name: &str, ty: Type| Entry {
        name: structured(name),
        description: String::new(),
        exported: Stored {
            ty,
            source: Source::Time,
            access: Access::Read,
        },
        causality: Causality::Local,
        variability: "continuous",
        initial: None,
        start: None,
        unit: String::new(),
        display_unit: String::new(),
        quantity: String::new(),
        min: None,
        max: None,
        nominal: None,
        declared: None,
        derivative_of: None,
        reinit: false,
        aliases: Vec::new(),
        slot: None,
        part: Part::Alone,
    };
    let time = Entry {
        causality: Causality::Independent,
        unit: "s".to_string(),
        ..plain("time", Type::Real)
    };
    let entry = |(role, _, c): (Role, usize, &Channel)| {
        let (ty, real) = match c.kind {
            "Integer" => (Type::Integer, false),
            "Boolean" => (Type::Boolean, false),
            "enumeration" => (Type::Enumeration, false),
            _ => (Type::Real, true),
        };
        let (causality, initial, start) = match role {
            Role::Variable if c.output => (Causality::Output, Some(Initial::Calculated), None),
            Role::Variable => (Causality::Local, Some(Initial::Calculated), None),
            Role::Input => (Causality::Input, None, Some(Start::Number(c.start))),
            Role::Parameter => {
                let start = Some(Start::Number(c.start));
                (Causality::Parameter, Some(Initial::Exact), start)
            }
        };
        let variability = match role {
            Role::Parameter => "tunable",
            _ if c.parameter => "fixed",
            _ if real && !c.discrete => "continuous",
            _ => "discrete",
        };
        let inside = |limit: Option<f64>| limit.filter(|l| l.is_finite());
        Entry {
            description: c.description.clone(),
            causality,
            variability,
            initial,
            start,
            unit: if real { c.unit.clone() } else { String::new() },
            min: inside(c.range.0),
            max: inside(c.range.1),
            declared: c.declared,
            ..plain(&c.name, ty)
        }
    };
    let mut all = vec![time];
    all.extend(references(&code.channels).into_iter().map(entry));
    all
}

fn build_description(d: &Described) -> String {
    let files = d.build.iter().flat_map(|b| &b.files);
    let files = files.map(|f| format!("      <SourceFile{}/>\n", attribute("name", f)));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  \
         <BuildConfiguration{}>\n    <SourceFileSet language=\"C99\">\n{}    </SourceFileSet>\n  \
         </BuildConfiguration>\n</fmiBuildDescription>\n",
        attribute("modelIdentifier", &d.identifier),
        files.collect::<String>()
    )
}

/// Builds the library beside the folder it is told: `cmake -S sources -B build && cmake --build build`.
fn cmake(d: &Described) -> String {
    let files = d.build.iter().flat_map(|b| &b.files);
    let files: Vec<&str> = files.map(String::as_str).collect();
    format!(
        "cmake_minimum_required(VERSION 3.10)\nproject({id} C)\n\n\
         add_library({id} SHARED {})\nset_target_properties({id} PROPERTIES PREFIX \"\" C_STANDARD 99 C_VISIBILITY_PRESET hidden)\n\
         if(NOT MSVC)\n  # The numbers are those of a run to the last bit.\n  target_compile_options({id} PRIVATE -ffp-contract=off)\nendif()\n\
         if(UNIX)\n  target_link_libraries({id} m)\nendif()\n",
        files.join(" "),
        id = d.identifier,
    )
}

//! The archive: description, binaries, resources.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Form};
use ferrica_fmu::code;
use ferrica_fmu::log::CATEGORIES;
use ferrica_fmu::payload::{FILE, Payload, RESOURCES, Settings};
use ferrica_ir::causal::CausalModel;
use ferrica_ir::expr::EnumId;
use ferrica_ir::flat::FlatModel;
use ferrica_ir::function::FunctionBody;
use ferrica_ir::{Diagnostic, Span};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::hide::{forget_names, forget_places};
use crate::names::is_structured;
use crate::prepare::prepare;
use crate::source::Build;
use crate::structure::Structure;
use crate::table::{Table, Version, Visible};
use crate::xml::{attribute, number};
use crate::{arrays, terminals, xml2, xml3};

/// What an archive is to hold.
pub struct Wish<'a> {
    pub version: Version,
    pub exchange: bool,
    pub steps: bool,
    pub black_box: bool,
    /// Further variables that a black box shows.
    pub shown: &'a dyn Fn(&str) -> bool,
    /// Folder of the model's file: names of data files are relative to it.
    /// Elements of arrays become one variable.
    pub arrays: bool,
    pub folder: Option<PathBuf>,
    pub solver: Settings,
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    pub interval: f64,
    /// The run-time library of this machine.
    pub library: &'a [u8],
    /// What wrote it.
    pub tool: String,
    pub icon: Option<&'a Icon>,
}

/// The model's icon. A text may name what it shows, so that a black box has only its pixels.
#[derive(Clone, Debug)]
pub struct Icon {
    pub png: Vec<u8>,
    pub svg: String,
}

/// Level of compression of the library, which is most of an archive: a better one takes longer than everything else.
const FAST: i64 = 1;

/// All that the description tells.
pub(crate) struct Described {
    pub name: String,
    pub description: String,
    pub token: String,
    pub identifier: String,
    pub tool: String,
    pub exchange: bool,
    pub steps: bool,
    pub enums: Vec<(String, Vec<String>)>,
    pub enum_ids: Vec<EnumId>,
    pub table: Table,
    pub structure: Structure,
    pub experiment: [f64; 4],
    /// Of an FMU that is source code.
    pub build: Option<Build>,
}

impl Described {
    pub fn enum_name(&self, id: EnumId) -> &str {
        let at = self.enum_ids.iter().position(|&e| e == id);
        at.map_or("", |k| self.enums[k].0.as_str())
    }

    /// Are all names made of components, indices and derivatives?
    pub fn naming(&self) -> &'static str {
        let names = self.table.entries.iter().flat_map(|e| {
            let others = e.aliases.iter().map(|a| a.0.as_str());
            others.chain([e.name.as_str()])
        });
        match names.into_iter().all(is_structured) {
            true => "structured",
            false => "flat",
        }
    }

    pub fn categories(&self) -> String {
        let mut out = String::from("  <LogCategories>\n");
        for (name, about) in CATEGORIES {
            let (name, about) = (attribute("name", name), attribute("description", about));
            out.push_str(&format!("    <Category{name}{about}/>\n"));
        }
        out.push_str("  </LogCategories>\n");
        out
    }

    pub fn default_experiment(&self) -> String {
        let [start, stop, tolerance, interval] = self.experiment.map(number);
        format!(
            "  <DefaultExperiment startTime=\"{start}\" stopTime=\"{stop}\" tolerance=\"{tolerance}\" stepSize=\"{interval}\"/>\n"
        )
    }
}

/// The last part of the model's name as an identifier of C.
pub fn identifier(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    let mut out: String = (last.chars())
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "m_");
    }
    out
}

fn wrong(message: impl Into<String>) -> Vec<Diagnostic> {
    vec![Diagnostic::error("E0740", Span::NONE, message)]
}

/// Files that texts of the model name, and where they go: the texts then name them there. Of a file's own name a black box keeps the ending, which tells its format.
fn take_files(
    model: &mut CausalModel,
    folder: Option<&Path>,
    black_box: bool,
) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    model.exprs.rename_strings(|text| {
        let name = Path::new(text.strip_prefix("file://").unwrap_or(text));
        let beside = folder.map(|f| f.join(name)).filter(|p| p.is_file());
        let path = beside.as_deref().unwrap_or(name);
        if text.is_empty() || !path.is_file() {
            return None;
        }
        let number = files.len() + 1;
        let name = match (black_box, path.extension()) {
            (false, _) => format!("{number}_{}", path.file_name()?.to_string_lossy()),
            (true, Some(ending)) => format!("{number}.{}", ending.to_string_lossy()),
            (true, None) => number.to_string(),
        };
        files.push((name.clone(), path.to_owned()));
        Some(format!("{RESOURCES}{name}"))
    });
    files
}

/// C code of others cannot travel.
fn refuse_foreign(model: &CausalModel) -> Result<(), Vec<Diagnostic>> {
    let natives = CompileOptions::default().natives;
    for f in model.functions.values() {
        if let FunctionBody::External(external) = &f.body
            && external.language != "builtin"
            && !natives.contains(external.symbol.as_str())
        {
            let text = format!(
                "`{}` calls the C function `{}`, which cannot travel in an FMU",
                f.name, external.symbol
            );
            let error = Diagnostic::error("E0741", f.span, text);
            return Err(vec![error.with_hint(
                "write the function in Modelica, or export the model without it",
            )]);
        }
    }
    Ok(())
}

fn compiled(
    model: &CausalModel,
    folder: Option<&Path>,
) -> Result<Arc<CompiledModel>, Vec<Diagnostic>> {
    let mut options = CompileOptions {
        form: Form::Ode,
        ..CompileOptions::default()
    };
    options.natives.folder = folder.map(Arc::from);
    Ok(Arc::new(ferrica_codegen::compile(model.clone(), &options)?))
}

/// Connectors and icon, as the version wants them.
fn pictures(flat: &FlatModel, table: &Table, wish: &Wish) -> Vec<(&'static str, Vec<u8>)> {
    let mut out = Vec::new();
    if wish.version == Version::Fmi2 {
        out.extend(wish.icon.map(|icon| ("model.png", icon.png.clone())));
        return out;
    }
    let text = terminals::text(flat, table, wish.black_box, wish.icon.is_some());
    let text = text.map(String::into_bytes);
    out.extend(text.map(|t| ("terminalsAndIcons/terminalsAndIcons.xml", t)));
    if let Some(icon) = wish.icon {
        out.push(("terminalsAndIcons/icon.png", icon.png.clone()));
        if !wish.black_box {
            let svg = icon.svg.clone().into_bytes();
            out.push(("terminalsAndIcons/icon.svg", svg));
        }
    }
    out
}

/// The bytes of the archive.
pub fn export(flat: &FlatModel, wish: &Wish) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let Some(folders) = ferrica_import::platform::folders() else {
        return Err(wrong("this machine has no name in FMI"));
    };
    let folder = match wish.version {
        Version::Fmi2 => folders.0,
        Version::Fmi3 => folders.1,
    };
    let prepared = prepare(flat)?;
    let mut model = prepared.model;
    refuse_foreign(&model)?;
    let whole = compiled(&model, wish.folder.as_deref())?;
    let visible = Visible {
        black_box: wish.black_box,
        matches: wish.shown,
    };
    let mut table = Table::new(&whole, &prepared.starts, &visible).map_err(wrong)?;
    if wish.arrays {
        arrays::group(&mut table, wish.black_box);
    }
    let structure = Structure::new(&whole, &table).of_arrays(&table.heads());
    let used = |id: &EnumId| table.entries.iter().any(|e| e.declared == Some(*id));
    let enum_ids: Vec<EnumId> = model.enums.keys().filter(used).collect();
    let enums = enum_ids.iter().map(|&id| {
        let e = &model.enums[id];
        (e.name.clone(), e.literals.clone())
    });
    let enums = enums.collect();
    let files = take_files(&mut model, wish.folder.as_deref(), wish.black_box);
    forget_places(&mut model);
    let mut solver = wish.solver.clone();
    if wish.black_box {
        for quantum in &mut solver.quanta {
            let named = model.vars.iter().find(|(_, v)| v.var.name == quantum.0);
            if let Some((id, _)) = named {
                quantum.0 = format!("v{}", id.as_u32());
            }
        }
        forget_names(&mut model);
    }
    let pictures = pictures(flat, &table, wish);
    let payload = Payload {
        model,
        variables: table.exported(),
        sizes: table.sizes(),
        solver,
        start: wish.start,
        tolerance: wish.tolerance,
    };
    let code = code::of(&payload, wish.exchange, wish.steps).map_err(wrong)?;
    let (bytes, token) = payload.to_bytes().map_err(wrong)?;
    let described = Described {
        name: flat.name.clone(),
        description: flat.description.clone(),
        token,
        identifier: identifier(&flat.name),
        tool: wish.tool.clone(),
        exchange: wish.exchange,
        steps: wish.steps,
        enums,
        enum_ids,
        table,
        structure,
        experiment: [wish.start, wish.stop, wish.tolerance, wish.interval],
        build: None,
    };
    let text = match wish.version {
        Version::Fmi2 => xml2::description(&described),
        Version::Fmi3 => xml3::description(&described),
    };
    let library = format!(
        "binaries/{folder}/{}{}",
        described.identifier,
        std::env::consts::DLL_SUFFIX
    );
    let zipped = || -> zip::result::ZipResult<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let plain = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .large_file(false);
        zip.start_file("modelDescription.xml", plain)?;
        zip.write_all(text.as_bytes())?;
        zip.start_file(
            library,
            plain.unix_permissions(0o755).compression_level(Some(FAST)),
        )?;
        zip.write_all(wish.library)?;
        zip.start_file(format!("resources/{FILE}"), plain)?;
        zip.write_all(&bytes)?;
        if let Some(code) = &code {
            zip.start_file(format!("resources/{}", code::file()), plain)?;
            zip.write_all(code)?;
        }
        for (name, bytes) in &pictures {
            zip.start_file(*name, plain)?;
            zip.write_all(bytes)?;
        }
        for (name, path) in &files {
            zip.start_file(format!("resources/{name}"), plain)?;
            zip.write_all(&std::fs::read(path)?)?;
        }
        Ok(zip.finish()?.into_inner())
    };
    zipped().map_err(|e| wrong(format!("the archive cannot be made: {e}")))
}

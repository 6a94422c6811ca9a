//! The model after a stage of the compiler, as text; the structural analysis as a picture too.

use std::fmt::Write;
use std::path::Path;

use ferrica_structure::analysis::Analysis;

use crate::failure::Failure;
use crate::instance_text;
use crate::kernel_text;
use crate::options::ModelOptions;
use crate::results::outputs::ending;
use crate::sources::class_picture::Page;
use crate::stages::pipeline::{self, Loaded};
use crate::stages::report::Report;
use crate::stages::stats::Stats;
use crate::structure_picture;

/// A stage that can be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The text as the parser understands it.
    Syntax,
    /// The class and its members.
    Classes,
    /// The components, their classes and variables.
    Instance,
    /// Scalar variables and equations.
    Flat,
    /// After alias removal, with events.
    Dae,
    /// Equations and the unknowns they are matched to.
    Matching,
    /// Which unknown needs which, with the loops before and after they are solved.
    Graph,
    /// Sorted blocks.
    Blocks,
    /// Code of the kernels.
    Kernels,
}

/// A text that could be had, and what was wrong on the way to it.
pub type Shown = (String, Result<(), Failure>);

/// The syntax tree of a file; of one with errors, what could be read.
pub fn syntax(file: &Path, report: &mut dyn Report) -> Result<Shown, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
    let id = report
        .sources()
        .add(file.display().to_string(), text.clone());
    let (tree, errors) = ferrica_syntax::parse_tree(id, &text);
    let outcome = match errors.is_empty() {
        true => Ok(()),
        false => Err(Failure::Model(errors)),
    };
    Ok((ferrica_syntax::dump(&tree), outcome))
}

/// The structural analysis as far as it goes, and why not farther.
fn structure(
    options: &ModelOptions,
    report: &mut dyn Report,
) -> Result<(Analysis, Result<(), Failure>), Failure> {
    let mut stats = Stats::default();
    let loaded = pipeline::load(options, report, &mut stats)?;
    let flat = pipeline::flatten_any(&loaded, &options.params, report, &mut stats)?;
    let mut warnings = Vec::new();
    let dae = ferrica_structure::hybrid(flat.model, &mut warnings).map_err(Failure::Model)?;
    let (found, outcome) = ferrica_structure::analysis::analysis(dae, &mut warnings);
    report.diagnostics(&warnings);
    Ok((found, outcome.map_err(Failure::Model)))
}

/// The matching or the graph of dependencies, also of a model that cannot be sorted.
pub fn structural(
    stage: Stage,
    options: &ModelOptions,
    report: &mut dyn Report,
) -> Result<Shown, Failure> {
    let (found, outcome) = structure(options, report)?;
    let text = match stage {
        Stage::Matching => ferrica_structure::analysis::text::matching(&found),
        _ => ferrica_structure::analysis::text::graph(&found),
    };
    Ok((text, outcome))
}

/// A picture that could be had, what it leaves out, and what was wrong on the way to it.
pub struct Drawn {
    pub bytes: Vec<u8>,
    pub left_out: Vec<String>,
    pub outcome: Result<(), Failure>,
}

/// The same as a picture, in the format of the name.
pub fn drawn(
    stage: Stage,
    options: &ModelOptions,
    path: &Path,
    page: Page,
    report: &mut dyn Report,
) -> Result<Drawn, Failure> {
    let (found, outcome) = structure(options, report)?;
    let (mut scene, left_out) = match stage {
        Stage::Matching => structure_picture::matching(&found),
        _ => structure_picture::graph(&found),
    };
    scene.theme = page.into();
    let bytes = match ending(path).as_str() {
        "png" => ferrica_draw::paint(&scene).map_err(Failure::Io)?,
        _ => ferrica_draw::print(&scene).into_bytes(),
    };
    Ok(Drawn {
        bytes,
        left_out,
        outcome,
    })
}

/// The model after the stage.
pub fn after(
    stage: Stage,
    options: &ModelOptions,
    report: &mut dyn Report,
) -> Result<String, Failure> {
    if matches!(stage, Stage::Matching | Stage::Graph) {
        let (text, outcome) = structural(stage, options, report)?;
        return outcome.map(|()| text);
    }
    let mut stats = Stats::default();
    let loaded = pipeline::load(options, report, &mut stats)?;
    if matches!(stage, Stage::Syntax | Stage::Classes) {
        return Ok(classes(&loaded));
    }
    if matches!(stage, Stage::Instance | Stage::Flat) {
        let flat = pipeline::flatten_any(&loaded, &options.params, report, &mut stats)?.model;
        return Ok(match stage {
            Stage::Instance => instance_text::instances(&flat),
            _ => ferrica_ir::print::flat_model(&flat),
        });
    }
    let flat = pipeline::flatten(&loaded, &options.params, report, &mut stats)?;
    if stage == Stage::Dae {
        let mut warnings = Vec::new();
        let dae = ferrica_structure::hybrid(flat, &mut warnings).map_err(Failure::Model)?;
        report.diagnostics(&warnings);
        return Ok(ferrica_dae::dump::dae(&dae));
    }
    let causal = pipeline::analyse(flat, report, &mut stats)?;
    if stage == Stage::Blocks {
        return Ok(ferrica_structure::dump::blocks(&causal));
    }
    let model = pipeline::generate(causal, options, &mut stats)?;
    Ok(kernel_text::kernels(&model))
}

/// The class and its members, indented, without the members of members from other files.
fn classes(loaded: &Loaded) -> String {
    let mut out = String::new();
    let mut stack = vec![(loaded.class, 0usize)];
    while let Some((class, depth)) = stack.pop() {
        let def = loaded.library.def(class);
        let name = if depth == 0 {
            loaded.name.clone()
        } else {
            loaded.library.name(class).as_str().to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:width$}{:?} {name}", "", def.kind, width = 2 * depth);
        let children = loaded.library.children(class);
        stack.extend(children.into_iter().rev().map(|c| (c, depth + 1)));
    }
    out
}

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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x[2] = {time, 1}; end M;".to_owned()), ..Default::default() };
/// use ferrica::stages::stage_text::{Stage, after};
/// assert!(after(Stage::Flat, &options, &mut log)?.contains("x[2]"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() };
/// use ferrica::stages::stage_text::{Shown, Stage, structural};
/// let (text, outcome): Shown = structural(Stage::Graph, &options, &mut log)?;
/// assert!(text.contains('x') && outcome.is_ok());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub type Shown = (String, Result<(), Failure>);

/// The syntax tree of a file; of one with errors, what could be read.
///
/// ```
/// # use ferrica::stages::report::Log;
/// let file = std::env::temp_dir().join(format!("ferrica-doc-syntax-{}.mo", std::process::id()));
/// std::fs::write(&file, "model M Real x = ; end M;").unwrap();
/// let (text, outcome) = ferrica::stages::stage_text::syntax(&file, &mut Log::default())?;
/// assert!(!text.is_empty() && outcome.is_err());
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x; Real y; equation x = 1; x = time; end M;".to_owned()), ..Default::default() };
/// use ferrica::stages::stage_text::{Stage, structural};
/// let (text, outcome) = structural(Stage::Matching, &options, &mut log)?;
/// // One equation has no unknown of its own, and the text still has both.
/// assert!(text.contains('y') && outcome.is_err());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() };
/// use ferrica::{sources::class_picture::Page, stages::stage_text::{Stage, drawn}};
/// let picture = drawn(Stage::Matching, &options, "m.svg".as_ref(), Page::Both, &mut log)?;
/// assert!(picture.left_out.is_empty() && picture.outcome.is_ok());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Drawn {
    pub bytes: Vec<u8>,
    pub left_out: Vec<String>,
    pub outcome: Result<(), Failure>,
}

/// The same as a picture, in the format of the name.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() };
/// use ferrica::{sources::class_picture::Page, stages::stage_text::{Stage, drawn}};
/// let picture = drawn(Stage::Graph, &options, "m.svg".as_ref(), Page::Dark, &mut log)?;
/// assert!(picture.bytes.starts_with(b"<svg"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// use ferrica::stages::stage_text::{Stage, after};
/// assert!(after(Stage::Blocks, &options, &mut log)?.contains("der(x)"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
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

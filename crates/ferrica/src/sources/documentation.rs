//! The documentation of a class: its interface as data, as text for a terminal, and as a page of HTML.
//!
//! In: a class of a library. Out: what a user of the class must know: parameters with units and defaults, connectors, equations, and what
//! its author wrote. Comes from the same instances that pictures are drawn of, so inherited members and their modifiers are included.

mod html;
mod markup;

use ferrica_classes::{ClassId, Library};
use ferrica_flat::{Instance, Instances, Part};
use ferrica_ir::Span;
use ferrica_syntax::ast::{Causality, ClassBody, ClassDef, Variability};

pub use html::to_html;
pub use markup::markdown;

/// A member of the interface.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let page = ferrica::sources::documentation::page(&loaded.library, loaded.class);
/// let row = &page.parameters[0];
/// assert_eq!((row.name.as_str(), row.default.as_str(), row.description.as_str()), ("k", "2", "Outlet"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub type_name: String,
    pub unit: String,
    pub default: String,
    pub description: String,
}

/// All that is said of a class.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let page = ferrica::sources::documentation::page(&loaded.library, loaded.class);
/// assert_eq!((page.kind.as_str(), page.description.as_str(), page.equations.len()), ("model", "Filled", 1));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub name: String,
    pub kind: String,
    pub description: String,
    pub extends: Vec<String>,
    pub parameters: Vec<Row>,
    pub inputs: Vec<Row>,
    pub outputs: Vec<Row>,
    pub connectors: Vec<Row>,
    pub components: Vec<Row>,
    /// Literals of an enumeration.
    pub literals: Vec<Row>,
    /// Kind, name and description of the classes inside.
    pub classes: Vec<Row>,
    pub equations: Vec<String>,
    /// What the author wrote, in HTML.
    pub info: Option<String>,
}

/// Equations and statements that are shown; the text has the others.
const MOST_EQUATIONS: usize = 60;

/// All that is said of a class.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let page = ferrica::sources::documentation::page(&loaded.library, loaded.class);
/// assert_eq!((page.name.as_str(), page.outputs.len()), ("Tank", 1));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn page(library: &Library, class: ClassId) -> Page {
    let def = library.def(class);
    let partial = if def.partial { "partial " } else { "" };
    let mut page = Page {
        name: library.full_name(class),
        kind: format!("{partial}{}", def.kind.keywords()),
        description: def.comment.as_deref().unwrap_or_default().to_owned(),
        info: info(def),
        ..Page::default()
    };
    let mut instances = Instances::new(library);
    let root = instances.of_class(class);
    page.extends = (instances.bases(root).iter())
        .map(|(base, _)| instances.class_name(*base))
        .collect();
    for part in instances.parts(root) {
        if !part.protected {
            let row = row(&mut instances, root, &part);
            section(&mut page, &instances, &part).push(row);
        }
    }
    if let ClassBody::Enumeration(list) = &def.body {
        page.literals = (list.iter())
            .map(|l| Row {
                name: l.name.as_str().to_owned(),
                description: l.comment.text.as_deref().unwrap_or_default().to_owned(),
                ..Row::default()
            })
            .collect();
    }
    for child in library.children(class) {
        let inner = library.def(child);
        page.classes.push(Row {
            name: inner.name.as_str().to_owned(),
            type_name: inner.kind.keywords().to_owned(),
            description: inner.comment.as_deref().unwrap_or_default().to_owned(),
            ..Row::default()
        });
    }
    equations(library, &instances, root, &mut page.equations);
    page
}

/// What the author wrote.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let info = ferrica::sources::documentation::info(loaded.library.def(loaded.class));
/// assert_eq!(info.as_deref(), Some("<p>See <b>me</b></p>"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn info(def: &ClassDef) -> Option<String> {
    let documentation = def.annotation.as_ref()?.find("Documentation")?;
    let text = documentation.find("info")?.string()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn section<'p>(page: &'p mut Page, instances: &Instances<'_>, part: &Part<'_>) -> &'p mut Vec<Row> {
    let connector = part.class.is_some_and(|c| instances.is_connector(c));
    match part.decl.prefixes.variability {
        _ if connector => &mut page.connectors,
        Some(Variability::Parameter | Variability::Constant) => &mut page.parameters,
        _ => match part.causality {
            Some(Causality::Input) => &mut page.inputs,
            Some(Causality::Output) => &mut page.outputs,
            None => &mut page.components,
        },
    }
}

fn row(instances: &mut Instances<'_>, root: Instance, part: &Part<'_>) -> Row {
    let path = [part.name];
    let default = instances.binding(root, &path);
    let start = instances.text_of_attribute(root, &path, "start");
    Row {
        name: part.name.as_str().to_owned(),
        type_name: part.decl.type_name.to_string(),
        unit: instances
            .text_attribute(root, &path, "unit")
            .unwrap_or_default(),
        default: match (default, start) {
            (Some(value), _) => value,
            (None, Some(start)) => format!("start {start}"),
            (None, None) => String::new(),
        },
        description: part.description.to_owned(),
    }
}

/// Those of the bases first, as they are written.
fn equations(library: &Library, instances: &Instances<'_>, of: Instance, out: &mut Vec<String>) {
    for (base, _) in instances.bases(of) {
        equations(library, instances, base, out);
    }
    let Some(body) = instances.class(of).long() else {
        return;
    };
    let initial = body.initial_equations.iter().map(|e| ("initial: ", e.span));
    let always = body.equations.iter().map(|e| ("", e.span));
    let sections = body.initial_algorithms.iter().chain(&body.algorithms);
    let statements = sections.flat_map(|s| s.statements.iter().map(|s| ("", s.span)));
    for (prefix, span) in initial.chain(always).chain(statements) {
        if out.len() >= MOST_EQUATIONS {
            return;
        }
        if let Some(text) = source(library, span) {
            out.push(format!("{prefix}{text}"));
        }
    }
}

/// The text of an equation without its annotation, indented as one.
fn source(library: &Library, span: Span) -> Option<String> {
    let file = library.sources().get(span.file)?;
    let text = file.text.get(span.start as usize..span.end as usize)?;
    let text = text.split("annotation").next().unwrap_or(text).trim();
    let margin = (text.lines().skip(1))
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines = text.lines().enumerate();
    let lines = lines.map(|(k, l)| {
        if k == 0 {
            l
        } else {
            l.get(margin..).unwrap_or(l.trim())
        }
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The page for a terminal.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::documentation::{page, to_text};
/// assert!(to_text(&page(&loaded.library, loaded.class)).starts_with("Tank (model)\nFilled\n"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn to_text(page: &Page) -> String {
    let mut out = format!("{} ({})\n", page.name, page.kind);
    if !page.description.is_empty() {
        out.push_str(&format!("{}\n", page.description));
    }
    if !page.extends.is_empty() {
        out.push_str(&format!("\nextends {}\n", page.extends.join(", ")));
    }
    for (title, rows) in sections(page) {
        table(title, rows, &mut out);
    }
    if !page.equations.is_empty() {
        out.push_str("\nEquations\n");
        for equation in &page.equations {
            out.push_str(&format!("  {}\n", equation.replace('\n', "\n  ")));
        }
    }
    if let Some(info) = &page.info {
        out.push_str(&format!("\n{}\n", markdown(info)));
    }
    out
}

/// The tables of a page that have rows, with their titles.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::documentation::{page, sections};
/// let page = page(&loaded.library, loaded.class);
/// let titles: Vec<&str> = sections(&page).iter().map(|s| s.0).collect();
/// assert_eq!(titles, ["Parameters", "Outputs"]);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn sections(page: &Page) -> Vec<(&'static str, &[Row])> {
    let all: [(&str, &[Row]); 7] = [
        ("Parameters", &page.parameters),
        ("Inputs", &page.inputs),
        ("Outputs", &page.outputs),
        ("Connectors", &page.connectors),
        ("Components and variables", &page.components),
        ("Literals", &page.literals),
        ("Classes", &page.classes),
    ];
    all.into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .collect()
}

fn table(title: &str, rows: &[Row], out: &mut String) {
    let cells = |r: &Row| {
        let unit = match r.unit.as_str() {
            "" => String::new(),
            unit => format!("[{unit}]"),
        };
        let default = match r.default.as_str() {
            "" => String::new(),
            text if text.starts_with("start ") => text.to_owned(),
            text => format!("= {text}"),
        };
        [
            r.name.clone(),
            default,
            unit,
            r.type_name.clone(),
            r.description.clone(),
        ]
    };
    let all: Vec<[String; 5]> = rows.iter().map(cells).collect();
    let width = |k: usize| all.iter().map(|c| c[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    out.push_str(&format!("\n{title}\n"));
    for line in &all {
        let shown = (0..5).filter(|&k| widths[k] > 0);
        let padded: Vec<String> = shown
            .map(|k| format!("{:1$}", line[k], widths[k]))
            .collect();
        out.push_str(&format!("  {}\n", padded.join("  ").trim_end()));
    }
}

//! What there is in a model and in libraries, as lists.

use std::path::PathBuf;
use std::sync::Arc;

use ferrica_classes::{ClassId, Library, SearchPath};
use ferrica_codegen::Evaluator;
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{Expr, Ty};
use ferrica_ir::flat::{Variability, Variable};
use ferrica_results::glob_matches;
use ferrica_sim::{ValueSource, result_variables};

use crate::sources::library::BUILT_IN;
use crate::stages::pipeline::Compiled;
use crate::stages::report::Report;

/// What is told of a variable; empty where nothing is known.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M parameter Real R = 5 \"Resistance\"; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let all = ferrica::sources::listing::variables(&compiled);
/// assert_eq!((all[0].kind, all[0].value, all[0].description.as_str()), ("parameter", Some(5.0), "Resistance"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ListedVariable {
    pub name: String,
    pub kind: &'static str,
    pub ty: String,
    pub unit: String,
    /// Of a parameter or constant its value, of a state its start value.
    pub value: Option<f64>,
    pub description: String,
}

/// The variables that results of the model have.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let all = ferrica::sources::listing::variables(&compiled);
/// assert_eq!((all[0].name.as_str(), all[0].kind, all[0].value), ("x", "state", Some(1.0)));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn variables(compiled: &Compiled) -> Vec<ListedVariable> {
    let model = &compiled.model;
    // Parameters that cannot be computed are told by a run; here they have no value.
    let mut ev = Evaluator::new(Arc::clone(model));
    for (name, value) in &compiled.values {
        if let Some((slot, negated)) = model.find(name) {
            ev.set_value(slot, if negated { -value } else { *value });
        }
    }
    let known = ev.run_parameters().is_ok();
    let start = |v: &Variable| match model.source.exprs.get(v.start?) {
        Expr::Real(bits) => Some(f64::from_bits(bits)),
        Expr::Int(n) => Some(n as f64),
        Expr::Bool(b) => Some(f64::from(u8::from(b))),
        _ => None,
    };
    let rows = result_variables(model).into_iter().map(|v| {
        let declared = &model.source.vars[v.var].var;
        let (slot, negated, is_constant) = match v.source {
            ValueSource::Slot(slot, negated) => (slot, negated, false),
            ValueSource::Parameter(slot, negated) => (slot, negated, true),
        };
        let of = model.layout.var(slot).unwrap_or(v.var);
        let kind = match model.source.vars[of].kind {
            _ if is_constant && declared.variability > Variability::Parameter => "constant",
            Kind::Parameter | Kind::External => "parameter",
            Kind::State => "state",
            Kind::Input => "input",
            Kind::Discrete | Kind::Relation => "discrete",
            _ => "continuous",
        };
        let value = match is_constant {
            true if known => ev.slots.get(slot as usize).copied(),
            true => None,
            false => start(declared),
        };
        ListedVariable {
            name: v.name,
            kind,
            ty: match declared.ty {
                Ty::Integer => "Integer",
                Ty::Boolean => "Boolean",
                Ty::Enum(_) => "enumeration",
                _ => "Real",
            }
            .to_owned(),
            unit: declared.unit.to_string(),
            value: value.map(|x| if negated && is_constant { -x } else { x }),
            description: declared.description.to_string(),
        }
    });
    rows.collect()
}

/// The names of the variables that results of the model have.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; Real y = 2*x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert_eq!(ferrica::sources::listing::variable_names(&compiled), ["x", "y"]);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn variable_names(compiled: &Compiled) -> Vec<String> {
    let variables = result_variables(&compiled.model);
    variables.into_iter().map(|v| v.name).collect()
}

/// The names of the states.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert_eq!(ferrica::sources::listing::state_names(&compiled), ["x"]);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn state_names(compiled: &Compiled) -> Vec<String> {
    let source = &compiled.model.source;
    let states = source.states.iter();
    states.map(|s| source.vars[*s].var.name.clone()).collect()
}

/// A class of a library.
///
/// ```
/// use ferrica::{sources::listing::classes, stages::report::Log};
/// let found = classes(Vec::new(), Some("Modelica.Blocks.Sources.Sine"), &mut Log::default());
/// assert_eq!(found[0].kind, "block");
/// ```
#[derive(Clone, Debug)]
pub struct ListedClass {
    pub name: String,
    /// Its keywords: `partial model`.
    pub kind: String,
    pub description: String,
}

/// The classes in a package, or those that a pattern fits; without one the top-level packages. A pattern without `*` and `?` is
/// looked for in names and descriptions.
///
/// ```
/// use ferrica::{sources::listing::classes, stages::report::Log};
/// let found = classes(Vec::new(), Some("*.Sources.Sine*"), &mut Log::default());
/// assert!(found.iter().any(|c| c.name == "Modelica.Blocks.Sources.Sine"));
/// ```
pub fn classes(
    folders: Vec<PathBuf>,
    pattern: Option<&str>,
    report: &mut dyn Report,
) -> Vec<ListedClass> {
    let path = SearchPath::from_environment(folders, Some(BUILT_IN));
    let library = Library::new(report.sources(), path);
    let roots = library.root_names().into_iter();
    let roots: Vec<ClassId> = roots.filter_map(|name| library.root_class(name)).collect();
    let chosen = match pattern {
        None => roots,
        Some(name) => match library.find(name) {
            // A package is opened, another class shown.
            Some(class) => {
                let inside = library.children(class);
                if inside.is_empty() {
                    vec![class]
                } else {
                    inside
                }
            }
            None => search(&library, roots, name),
        },
    };
    report.diagnostics(&library.take_diagnostics());
    chosen.into_iter().map(|c| listed(&library, c)).collect()
}

fn search(library: &Library, roots: Vec<ClassId>, pattern: &str) -> Vec<ClassId> {
    let is_glob = pattern.contains(['*', '?']);
    let wanted = pattern.to_lowercase();
    let mut found = Vec::new();
    let mut stack: Vec<ClassId> = roots.into_iter().rev().collect();
    while let Some(class) = stack.pop() {
        let name = library.full_name(class);
        let about = library.def(class).comment.as_deref().unwrap_or_default();
        let fits = match is_glob {
            true => glob_matches(pattern, &name),
            false => {
                name.to_lowercase().contains(&wanted) || about.to_lowercase().contains(&wanted)
            }
        };
        if fits {
            found.push(class);
        }
        stack.extend(library.children(class).into_iter().rev());
    }
    found
}

fn listed(library: &Library, class: ClassId) -> ListedClass {
    let def = library.def(class);
    let partial = if def.partial { "partial " } else { "" };
    ListedClass {
        name: library.full_name(class),
        kind: format!("{partial}{}", def.kind.keywords()),
        description: def.comment.as_deref().unwrap_or_default().to_owned(),
    }
}

//! From arguments to a compiled model, stage by stage; each stage is timed and reports.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ferrica_classes::{ClassId, Library, SearchPath};
use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_flat::{Flattened, closest};
use ferrica_ir::causal::{CausalModel, Kind};
use ferrica_ir::expr::Ty;
/// Scalar variables and equations.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline::{self, Flat}, report::Log, stats::Stats}};
/// let options = ModelOptions { text: Some("model M Real x[2] = {time, 1}; end M;".to_owned()), ..Default::default() };
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat: Flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// assert_eq!(flat.vars.len(), 2);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub use ferrica_ir::flat::FlatModel as Flat;
use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Diagnostic, FileId, Span, Symbol};
use ferrica_syntax::ast::ClassKind;

use crate::failure::Failure;
use crate::fingerprint;
use crate::network;
use crate::options::{Assignment, ModelOptions};
use crate::overrides;
use crate::signal::{Driven, drive};
use crate::sources::imported;
use crate::sources::library::BUILT_IN;
use crate::stages::report::Report;
use crate::stages::stats::Stats;

/// The name of texts that no file holds.
pub const COMMAND_LINE: &str = "<command line>";

/// The class to compile, with all others it may need.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// assert!(loaded.name == "M" && loaded.library.find("M") == Some(loaded.class));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Loaded {
    pub library: Library,
    pub class: ClassId,
    pub name: String,
    /// The file that the user named has the model in it: places there are the user's own.
    pub own_file: Option<FileId>,
    /// Its inputs come from tables.
    pub driven: Option<Arc<Driven>>,
}

impl Loaded {
    /// The class to flatten, and its name.
    fn target(&self) -> (ClassId, &str) {
        match &self.driven {
            Some(driven) => (driven.class, &driven.name),
            None => (self.class, &self.name),
        }
    }
}

/// A model that is ready to run; copies share all but the values.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert_eq!((compiled.name.as_str(), compiled.model.source.states.len()), ("M", 1));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone)]
pub struct Compiled {
    pub model: Arc<CompiledModel>,
    pub name: String,
    /// Fingerprint of the texts it was made of and of the values given for it.
    pub texts: u64,
    /// Parameters and start values to set before the run.
    pub values: Vec<(String, f64)>,
    /// The same with its DAE form, once a solver has asked for it.
    pub dae: Arc<OnceLock<Arc<CompiledModel>>>,
    /// The flat model, for solvers that start from it.
    pub flat: Option<Arc<FlatModel>>,
    /// Derivatives have become difference formulas.
    pub inlined: bool,
    /// A component asks for a difference formula in place of its derivatives.
    pub asks_for_formula: bool,
    /// What drives its inputs: it reads their tables when it is initialized.
    pub driven: Option<Arc<Driven>>,
}

impl Compiled {
    /// Is the compiled model the same with this value? Not where a stage of the compiler has put the old one into
    /// equations or has chosen by it (such parameters are marked), not for zero (a coefficient that vanishes), and not
    /// where the rate of a source, which bounds the steps, comes from the parameter.
    pub(crate) fn takes_at_run_time(&self, name: &str, value: f64) -> bool {
        let model = &self.model;
        let mut vars = model.source.vars.iter();
        let Some((id, var)) = vars.find(|(_, v)| v.var.name == name) else {
            return false;
        };
        var.kind == Kind::Parameter
            && var.var.variability == Variability::Parameter
            && !var.var.structural
            && var.var.ty == Ty::Real
            && value != 0.0
            && !model.source.source_parameters.contains(&id)
            && !self.asks_for_formula
    }

    /// The values as numbers, if the compiled model takes all of them at run time.
    pub(crate) fn numbers_at_run_time(&self, values: &[Assignment]) -> Option<Vec<(String, f64)>> {
        let number = |p: &Assignment| {
            let x: f64 = p.value.parse().ok()?;
            let fits = x.is_finite() && self.takes_at_run_time(&p.name, x);
            fits.then(|| (p.name.clone(), x))
        };
        values.iter().map(number).collect()
    }
}

/// Reads the user's file and finds the model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// assert_eq!(loaded.name, "M");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn load(
    args: &ModelOptions,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Loaded, Failure> {
    for folder in &args.libs {
        if !folder.exists() {
            return Err(Failure::usage(format!(
                "--lib {}: no such folder",
                folder.display()
            )));
        }
    }
    let path = SearchPath::from_environment(args.libs.clone(), Some(BUILT_IN));
    let library = match &args.cache {
        Some(cache) => Library::with_cache(reporter.sources(), path, Arc::clone(cache)),
        None => Library::new(reporter.sources(), path),
    };
    if let Some(folder) = args.folder() {
        library.set_folder(folder);
    }
    let mut own = Vec::new();
    if let Some(text) = &args.text {
        let name = match &args.file {
            Some(file) => file.display().to_string(),
            None => "<text>".to_owned(),
        };
        own = stats
            .stage("parse", || library.add_source(&name, text.clone()))
            .map_err(Failure::Model)?;
    } else if let Some(file) = &args.file {
        if !file.exists() {
            return Err(no_such_file(file));
        }
        if file.is_dir() && !file.join("package.mo").is_file() {
            return Err(Failure::usage_with_hint(
                format!(
                    "{}: a folder without package.mo is no library",
                    file.display()
                ),
                "name the file of the model, or the folder of a package",
            ));
        }
        own = stats
            .stage("parse", || match imported::is_archive(file) {
                true => library.add_source(&file.display().to_string(), imported::model(file)?),
                false => library.add_file(file),
            })
            .map_err(Failure::Model)?;
    }
    for file in args.libs.iter().filter(|l| l.is_file()) {
        let added = stats.stage("parse", || library.add_file(file));
        added.map_err(Failure::Model)?;
    }
    let found = match &args.model {
        Some(name) => stats.stage("parse", || library.find(name)),
        None => {
            let is_model = |c: &&ClassId| is_model(library.def(**c).kind);
            own.iter().rev().find(is_model).or(own.last()).copied()
        }
    };
    reporter.diagnostics(&library.take_diagnostics());
    let inherited = match (found, &args.model) {
        (None, Some(name)) => stats.stage("parse", || inherited(&library, name)),
        _ => None,
    };
    let Some(class) = found.or(inherited) else {
        return Err(Failure::model(not_found(args, &library)));
    };
    let name = match (inherited, &args.model) {
        (Some(_), Some(name)) => name.clone(),
        _ => library.full_name(class),
    };
    stats.model.clone_from(&name);
    let file = |c: ClassId| library.def(c).name_span.file;
    let own_file = (own.iter().map(|&c| file(c))).find(|&f| f == file(class));
    let mut loaded = Loaded {
        library,
        class,
        name,
        own_file,
        driven: None,
    };
    if args.input_file.is_some() || !args.signals.is_empty() {
        let driven = stats.stage("flatten", || drive(&loaded, args))?;
        loaded.driven = Some(Arc::new(driven));
    }
    Ok(loaded)
}

/// With a file of a similar name beside it, if there is one.
fn no_such_file(file: &Path) -> Failure {
    let message = format!("{}: no such file", file.display());
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|e| e.file_name().into_string().ok());
    let models: Vec<String> = names.filter(|n| n.ends_with(".mo")).collect();
    let wrong = file
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    match ferrica_ir::similar::closest(wrong, models.iter().map(String::as_str)) {
        Some(near) => {
            let near = file.with_file_name(near);
            Failure::usage_with_hint(message, format!("did you mean {}?", near.display()))
        }
        None => Failure::usage(message),
    }
}

/// A member that a package has from the class it extends: a class of its own that extends the member.
fn inherited(library: &Library, name: &str) -> Option<ClassId> {
    let (package, _) = name.rsplit_once('.')?;
    let root = name.split('.').next()?;
    if package.is_empty() || library.find(root).is_none() {
        return None;
    }
    let text = format!("model 'inherited member'\n  extends .{name};\nend 'inherited member';\n");
    let own = library.add_source(COMMAND_LINE, text).ok()?;
    let class = *own.last()?;
    ferrica_flat::flatten_class(library, class).ok()?;
    Some(class)
}

fn not_found(args: &ModelOptions, library: &Library) -> Diagnostic {
    match (&args.model, &args.file) {
        (Some(name), _) => {
            let error =
                Diagnostic::error("E0201", Span::NONE, format!("there is no class `{name}`"));
            // Say how far the path can be followed.
            let mut known = "";
            for (at, _) in name.match_indices('.') {
                if library.find(&name[..at]).is_some() {
                    known = &name[..at];
                }
            }
            let first_unknown = name[known.len()..].trim_start_matches('.');
            let first_unknown = first_unknown.split('.').next().unwrap_or_default();
            let around = match library.find(known) {
                Some(package) => {
                    let children = library.children(package).into_iter();
                    children.map(|c| library.def(c).name).collect()
                }
                None => library.root_names(),
            };
            if let Some(near) = closest(Symbol::intern(first_unknown), &around) {
                let dot = if known.is_empty() { "" } else { "." };
                error.with_hint(format!("did you mean `{known}{dot}{near}`?"))
            } else if known.is_empty() {
                let names: Vec<&str> = around.iter().map(|n| n.as_str()).take(8).collect();
                error.with_hint(format!("known at the top: {}", names.join(", ")))
            } else {
                error.with_hint(format!("`{known}` exists but has no such member"))
            }
        }
        (None, Some(file)) => Diagnostic::error(
            "E0201",
            Span::NONE,
            format!("{} has no class in it", file.display()),
        ),
        (None, None) if args.text.is_some() => {
            Diagnostic::error("E0201", Span::NONE, "the text has no class in it")
        }
        (None, None) => Diagnostic::error("E0201", Span::NONE, "no model was named"),
    }
}

/// A flat model with as many equations as unknowns.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; Real y = 2*x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// assert_eq!(flat.equations.len(), 2);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn flatten(
    loaded: &Loaded,
    params: &[Assignment],
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<FlatModel, Failure> {
    let flat = flatten_any(loaded, params, reporter, stats)?;
    let odd = match loaded.own_file {
        Some(own) => network::findings(&flat.model, own, flat.imbalance.is_some()),
        None => Vec::new(),
    };
    let Some(imbalance) = flat.imbalance else {
        reporter.diagnostics(&odd);
        return Ok(flat.model);
    };
    // The structural analysis adds which unknowns are affected.
    let options = ferrica_structure::Options::default();
    let structural = ferrica_structure::compile(flat.model, &options).err();
    let mut all = explained(imbalance, structural.unwrap_or_default());
    all.extend(odd);
    Err(Failure::Model(all))
}

/// A wrong number of equations and what the structural analysis says of the same cause, as one message.
fn explained(mut imbalance: Diagnostic, structural: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut others = Vec::new();
    for d in structural {
        if d.code != "E0401" {
            others.push(d);
            continue;
        }
        if let Some((_, details)) = d.message.split_once('\n') {
            imbalance.message.push('\n');
            imbalance.message.push_str(details);
        }
        let known: Vec<Span> = imbalance.related.iter().map(|(span, _)| *span).collect();
        let places = d.related.into_iter();
        let new = places.filter(|(span, _)| !known.contains(span));
        imbalance.related.extend(new);
    }
    others.insert(0, imbalance);
    others
}

/// Scalar variables and equations, balanced or not, with the given values.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten_any(&loaded, &[], &mut log, &mut stats)?;
/// assert!(flat.imbalance.is_some());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn flatten_any(
    loaded: &Loaded,
    params: &[Assignment],
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Flattened, Failure> {
    let flat = stats.stage("flatten", || with_values(loaded, params))?;
    reporter.diagnostics(&flat.warnings);
    reporter.units(&flat.unit_warnings);
    Ok(flat)
}

/// Flattens the model as if its text had these values.
pub(crate) fn with_values(loaded: &Loaded, params: &[Assignment]) -> Result<Flattened, Failure> {
    let mut flat = with_own_values(loaded, params)?;
    if let Some(driven) = &loaded.driven {
        // Annotations are not inherited.
        flat.model.experiment = driven.experiment.clone();
        flat.model.name.clone_from(&loaded.name);
        driven.join(&mut flat.model)?;
    }
    Ok(flat)
}

fn with_own_values(loaded: &Loaded, params: &[Assignment]) -> Result<Flattened, Failure> {
    let (class, extended) = loaded.target();
    let plain = ferrica_flat::flatten_class(&loaded.library, class);
    if params.is_empty() {
        return plain.map_err(Failure::Model);
    }
    let mut open = overrides::last_of_each(params);
    let mut shaping: Vec<Assignment> = Vec::new();
    let mut flat = match plain {
        Ok(plain) => plain,
        // The values may be what is missing.
        Err(errors) => {
            let text = |name: &str| overrides::plain_wrapper(name, extended, &open);
            let given = wrapped(loaded, |name| Ok(text(name)));
            shaping.append(&mut open);
            given.map_err(|_| Failure::Model(errors))?
        }
    };
    // A value that shapes the model may bring up names, and others that shape it.
    loop {
        let mut unknown = None;
        let known = shaping.len();
        let names = overrides::Names::new(&flat.model);
        let (mut more, mut rest) = (Vec::new(), Vec::new());
        for p in open {
            match overrides::shapes_the_model(&flat.model, &names, &p) {
                Ok(true) => more.push(p),
                Ok(false) => rest.push(p),
                Err(e) => {
                    unknown.get_or_insert(e);
                    rest.push(p);
                }
            }
        }
        shaping.extend(more);
        open = rest;
        if shaping.len() == known {
            match unknown {
                Some(e) => return Err(e),
                None => break,
            }
        }
        let mut before = flat.model;
        let text = |name: &str| overrides::wrapper(name, extended, &shaping, &mut before);
        flat = wrapped(loaded, text)?;
    }
    for p in &open {
        overrides::set(&mut flat.model, p)?;
    }
    Ok(flat)
}

/// Flattens a class that extends the model, with a name of its own.
fn wrapped(
    loaded: &Loaded,
    text: impl FnOnce(&str) -> Result<String, Failure>,
) -> Result<Flattened, Failure> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let text = text(&format!("with other values {number}"))?;
    let own = (loaded.library.add_source(COMMAND_LINE, text)).map_err(Failure::Model)?;
    let class = own.last().copied().unwrap_or(loaded.class);
    let flat = ferrica_flat::flatten_variant(&loaded.library, class, loaded.class);
    let mut flat = flat.map_err(Failure::Model)?;
    flat.model.name.clone_from(&loaded.name);
    Ok(flat)
}

/// Sorted blocks.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// let causal = pipeline::analyse(flat, &mut log, &mut stats)?;
/// assert_eq!(causal.states.len(), 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn analyse(
    flat: FlatModel,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<CausalModel, Failure> {
    let options = ferrica_structure::Options::default();
    let compiled = stats
        .stage("structure", || ferrica_structure::compile(flat, &options))
        .map_err(Failure::Model)?;
    reporter.diagnostics(&compiled.warnings);
    stats.states = compiled.model.states.len() as u64;
    stats.state_variables = compiled.model.state_variables() as u64;
    stats.equations = compiled.model.equations.len() as u64;
    Ok(compiled.model)
}

/// Kernels.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// let causal = pipeline::analyse(flat, &mut log, &mut stats)?;
/// let model = pipeline::generate(causal, &options, &mut stats)?;
/// assert!(model.find("x").is_some());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn generate(
    causal: CausalModel,
    args: &ModelOptions,
    stats: &mut Stats,
) -> Result<Arc<CompiledModel>, Failure> {
    let mut options = CompileOptions::default();
    options.natives.may_change_system = args.allow_external;
    options.natives.prints = !args.quiet;
    options.natives.folder = args.folder().map(Arc::from);
    ferrica_import::register(&mut options.natives);
    let model = stats
        .stage("codegen", || ferrica_codegen::compile(causal, &options))
        .map_err(Failure::Model)?;
    Ok(Arc::new(model))
}

/// Models and blocks are simulated; of other kinds of classes is said what to do with them.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("package P model M Real x = time; end M; end P;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let told = pipeline::refuse_other_kinds(&loaded);
/// assert!(told.is_ok() == (loaded.name == "P.M"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn refuse_other_kinds(loaded: &Loaded) -> Result<(), Failure> {
    let library = &loaded.library;
    let def = library.def(loaded.class);
    let kind = def.kind;
    let name = &loaded.name;
    let hint = match kind {
        _ if is_model(kind) => return Ok(()),
        ClassKind::Package => {
            let models: Vec<String> = library
                .children(loaded.class)
                .into_iter()
                .filter(|&c| is_model(library.def(c).kind))
                .map(|c| library.full_name(c))
                .take(5)
                .collect();
            if models.is_empty() {
                "name a model: `-m Package.Model`".to_string()
            } else {
                format!("name a model with -m: {}", models.join(", "))
            }
        }
        _ if kind.is_function() => {
            format!("call it in a model: `model Test Real y = {name}(…); end Test;`")
        }
        _ => format!("declare a component of it in a model: `model Test {name} x; end Test;`"),
    };
    let message = format!("`{name}` is a {} and cannot be simulated", kind.keywords());
    Err(Failure::model(
        Diagnostic::error("E0302", def.name_span, message).with_hint(hint),
    ))
}

fn is_model(kind: ClassKind) -> bool {
    matches!(kind, ClassKind::Model | ClassKind::Block | ClassKind::Class)
}

/// All stages.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert!(stats.seconds("codegen") > 0.0 && log.list.is_empty());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn compile(
    args: &ModelOptions,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Compiled, Failure> {
    compile_for(args, false, reporter, stats)
}

/// All stages; the flat model is kept if a solver needs it.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile_for(&options, true, &mut log, &mut stats)?;
/// assert!(compiled.flat.is_some());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn compile_for(
    args: &ModelOptions,
    keep_flat: bool,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Compiled, Failure> {
    let loaded = load(args, reporter, stats)?;
    refuse_other_kinds(&loaded)?;
    let flat = flatten(&loaded, &args.params, reporter, stats)?;
    let kept = keep_flat.then(|| Arc::new(flat.clone()));
    let compiled = finish(&loaded, flat, args, reporter, stats)?;
    Ok(Compiled {
        flat: kept,
        ..compiled
    })
}

/// The stages after flattening.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// let compiled = pipeline::finish(&loaded, flat, &options, &mut log, &mut stats)?;
/// assert_eq!(compiled.name, "M");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn finish(
    loaded: &Loaded,
    flat: FlatModel,
    args: &ModelOptions,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Compiled, Failure> {
    let asks_for_formula = ferrica_tlm::asks_for_formula(&flat);
    let causal = analyse(flat, reporter, stats)?;
    let model = generate(causal, args, stats)?;
    Ok(Compiled {
        model,
        asks_for_formula,
        name: loaded.name.clone(),
        texts: fingerprint::of_texts(loaded.library.sources(), &args.params),
        values: Vec::new(),
        dae: Arc::default(),
        flat: None,
        inlined: false,
        driven: loaded.driven.clone(),
    })
}

/// For what this build cannot do.
///
/// ```
/// let failure = ferrica::stages::pipeline::not_built_in("the solver `x`");
/// assert_eq!(failure.to_string(), "the solver `x` is not part of this build of ferrica");
/// ```
pub fn not_built_in(what: &str) -> Failure {
    Failure::model(Diagnostic::error(
        "E0790",
        Span::NONE,
        format!("{what} is not part of this build of ferrica"),
    ))
}

/// Equations and unknowns of a flat model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; Real y; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let flat = pipeline::flatten_any(&loaded, &[], &mut log, &mut stats)?;
/// assert_eq!(pipeline::balance(&flat.model), (1, 2));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn balance(flat: &FlatModel) -> (usize, usize) {
    let counted = ferrica_flat::count(flat);
    (counted.equations, counted.unknowns)
}

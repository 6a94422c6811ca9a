//! Partitioned and inlined runs: `--partition tlm` and `--inline`.

use std::sync::Arc;

use ferrica_codegen::CompiledModel;
use ferrica_ir::print::{brief, counted};
use ferrica_ir::{Diagnostic, Span};
use ferrica_sim::SolverKind;
use ferrica_tlm::Formula;

use crate::failure::Failure;
use crate::fingerprint;
use crate::options::{ExperimentOptions, Inline, ModelOptions, Partition, Solver, SolverOptions};
use crate::overrides;
use crate::stages::grid::Grid;
use crate::stages::pipeline::{self, Compiled};
use crate::stages::report::Report;
use crate::stages::stats::Stats;

/// Wrong or missing words, before anything is compiled.
pub(crate) fn supported(args: &SolverOptions) -> Result<(), Failure> {
    let on = args.partition.is_some_and(|p| p != Partition::None);
    if !on && (!args.rates.is_empty() || args.threads.is_some() || args.stretch) {
        return Err(Failure::usage_with_hint(
            "--rate, --threads and --stretch are for partitioned runs",
            "add --partition tlm",
        ));
    }
    if args.inline.is_some() && args.solver != Solver::Auto {
        return Err(Failure::usage(
            "--inline names the formula: give no --solver with it",
        ));
    }
    if args.inline.is_some() && !args.rates.is_empty() {
        return Err(Failure::usage(
            "--inline builds one step into the model: --rate cannot change it",
        ));
    }
    let known = SolverKind::from_name(args.solver.word()).is_some();
    if on && !known {
        return Err(Failure::usage(format!(
            "partitions run with `rk4` (the default) or `euler`, or each with its own `bdf`, `radau` or `dopri5`; not with `{}`",
            args.solver.word()
        )));
    }
    if args.threads == Some(0) {
        return Err(Failure::usage("--threads 0: at least one is needed"));
    }
    Ok(())
}

/// Were partitions asked for?
///
/// ```
/// use ferrica::{engines::partitioned::is_on, options::{Partition, SolverOptions}};
/// assert!(is_on(&SolverOptions { partition: Some(Partition::Tlm), ..SolverOptions::default() }));
/// ```
pub fn is_on(args: &SolverOptions) -> bool {
    args.partition.is_some_and(|p| p != Partition::None)
}

/// How to run the partitions, if that was asked for; an inlined model runs the same way.
pub(crate) fn options(
    args: &SolverOptions,
    inlined: bool,
    interval: f64,
    tolerance: f64,
) -> Option<ferrica_tlm::Options> {
    let on = is_on(args);
    if !on && !inlined {
        return None;
    }
    let cores = if on {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        1
    };
    Some(ferrica_tlm::Options {
        step: if inlined {
            Some(args.step.unwrap_or(interval))
        } else {
            args.step
        },
        method: match args.solver {
            Solver::Euler => ferrica_tlm::Method::Euler,
            _ => ferrica_tlm::Method::Rk4,
        },
        threads: args.threads.unwrap_or(cores),
        fewer_threads: args.threads.is_none(),
        rates: (args.rates.iter())
            .filter_map(|r| Some((r.partition.clone(), r.step?)))
            .collect(),
        solver: SolverKind::from_name(args.solver.word())
            .filter(|k| matches!(k, SolverKind::Bdf | SolverKind::Radau | SolverKind::Dopri5)),
        solvers: (args.rates.iter())
            .filter_map(|r| Some((r.partition.clone(), r.solver?)))
            .collect(),
        tolerance,
        stretch: args.stretch,
        inlined,
    })
}

/// Compiles a model, with difference formulas in place of derivatives if components or partitions ask for them; a model that is
/// inlined as a whole needs no other equations.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// use ferrica::options::{Inline, SolverOptions};
/// let solver = SolverOptions { inline: Some(Inline::Trapezoid), step: Some(0.1), ..SolverOptions::default() };
/// let compiled = ferrica::engines::partitioned::compile(&options, &Default::default(), &solver, &mut log, &mut stats)?;
/// assert_eq!(compiled.name, "M");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn compile(
    args: &ModelOptions,
    experiment: &ExperimentOptions,
    solver: &SolverOptions,
    reporter: &mut dyn Report,
    stats: &mut Stats,
) -> Result<Compiled, Failure> {
    let formula = solver.inline.map(|formula| match formula {
        Inline::Euler => Formula::Euler,
        Inline::ImplicitEuler => Formula::ImplicitEuler,
        Inline::Trapezoid => Formula::Trapezoid,
        Inline::Bdf2 => Formula::Bdf2,
    });
    let loaded = pipeline::load(args, reporter, stats)?;
    pipeline::refuse_other_kinds(&loaded)?;
    let mut flat = pipeline::flatten(&loaded, &args.params, reporter, stats)?;
    if is_on(solver) {
        cut_sampled(&mut flat);
    }
    let whole = formula.is_none() || !is_on(solver);
    if whole && !ferrica_tlm::asks_for_formula(&flat) {
        let kept = (solver.solver.bond_graph_order().is_some()).then(|| Arc::new(flat.clone()));
        let compiled = pipeline::finish(&loaded, flat, args, reporter, stats)?;
        return Ok(Compiled {
            flat: kept,
            ..compiled
        });
    }
    if !matches!(solver.solver, Solver::Auto | Solver::Rk4 | Solver::Euler) {
        return Err(Failure::usage(format!(
            "a model with components that ask for a difference formula runs with `rk4` or `euler`, not with `{}`",
            solver.solver.word()
        )));
    }
    // The original finds the values at the start.
    let causal = pipeline::analyse(flat.clone(), reporter, stats)?;
    let original = pipeline::generate(causal, args, stats)?;
    let experiment = Grid::new(experiment, &original.source.experiment)?;
    let plan = ferrica_sim::Experiment {
        start: experiment.start,
        ..ferrica_sim::Experiment::of(&original)
    };
    let started =
        ferrica_sim::start(&original, &plan).map_err(|e| Failure::model(e.diagnostic()))?;
    let ev = &started.problem.ev;
    let value = |name: &str| {
        let (slot, negated) = original.find(name)?;
        Some(if negated { -ev.get(slot) } else { ev.get(slot) })
    };
    let step = solver.step.unwrap_or(experiment.interval);
    let mut inlined =
        ferrica_tlm::inline(flat, formula, step, experiment.start).map_err(Failure::Model)?;
    let starts = inlined.starts.iter().map(|(of, name)| (of, name));
    let own = (inlined.states.iter().chain(&inlined.parameters)).map(|name| (name, name));
    for (of, name) in starts.chain(own) {
        if let Some(v) = value(of) {
            overrides::set_number(&mut inlined.model, name, v);
        }
    }
    let causal = pipeline::analyse(inlined.model, reporter, stats)?;
    let model = pipeline::generate(causal, args, stats)?;
    Ok(Compiled {
        model,
        texts: fingerprint::of_texts(loaded.library.sources(), &args.params),
        values: Vec::new(),
        name: loaded.name,
        dae: Arc::default(),
        flat: None,
        inlined: true,
        asks_for_formula: true,
        driven: loaded.driven,
    })
}

/// Values that travel from one tick of a clock to the next become delays, where that cuts the model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let mut flat = pipeline::flatten(&loaded, &[], &mut log, &mut stats)?;
/// ferrica::engines::partitioned::cut_sampled(&mut flat);
/// // Nothing is sampled there.
/// assert_eq!(flat.equations.len(), 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn cut_sampled(flat: &mut pipeline::Flat) {
    ferrica_tlm::cut_sampled(flat);
}

/// Suggestions that are listed.
const LISTED: usize = 12;

/// Suggestions that a run lists.
const LISTED_IN_RUN: usize = 3;
/// Relative error up to which a line in place of a store is said to do, and the part of its resonance up to which it does: tan(x)/x − 1 = x²/3 + … there.
const LINE_ERROR: f64 = 0.01;

/// Components whose replacement by a transmission line would split the model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert!(ferrica::engines::partitioned::suggestions(&compiled.model).starts_with("no component"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn suggestions(model: &Arc<CompiledModel>) -> String {
    let list = ferrica_tlm::suggest_lines(model);
    if list.is_empty() {
        return "no component whose replacement by a line would split the model\n".to_owned();
    }
    let mut text = String::from("a transmission line in place of\n");
    for s in list.iter().take(LISTED) {
        text += &format!("  {}\n", one_suggestion(s));
    }
    if list.len() > LISTED {
        text += &format!("  … and {} more\n", list.len() - LISTED);
    }
    text += "beside what the component stores it has an inertance T²/C (or what corresponds to it), by its travelling time T: \
             at the frequency f it is wrong by (2πfT)²/3\n";
    text
}

fn one_suggestion(s: &ferrica_tlm::Suggestion) -> String {
    let sizes: Vec<String> = s.parts.iter().take(6).map(usize::to_string).collect();
    let more = if s.parts.len() > 6 { ", …" } else { "" };
    let states = match s.states.len() {
        0 => String::new(),
        _ => format!(" ({})", s.states.join(", ")),
    };
    format!(
        "{}{states}: {} parts of {}{more} equations",
        s.component,
        s.parts.len(),
        sizes.join(", ")
    )
}

/// What `--partition auto` makes of a model: in parts where it has lines, as a whole where it has none; and in words where a line could be put, and what that
/// would cost with the travelling time of one step.
///
/// ```
/// # use ferrica::{options::{ModelOptions, Partition}, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let (chosen, told) = ferrica::engines::partitioned::choose(&compiled.model, 1e-3);
/// assert!(chosen == Partition::None && told.len() == 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn choose(model: &Arc<CompiledModel>, step: f64) -> (Partition, Vec<String>) {
    let cut = ferrica_tlm::partitions(model);
    let in_parts = !cut.lines.is_empty() && cut.parts.len() > 1;
    let mut told = vec![match in_parts {
        true => format!(
            "--partition auto: {}, cut at {}",
            counted(cut.parts.len(), "part"),
            counted(cut.lines.len(), "delay")
        ),
        false => "--partition auto: no line to cut at, the model runs as a whole".to_owned(),
    }];
    let list = ferrica_tlm::suggest_lines(model);
    let shown = list.iter().take(LISTED_IN_RUN);
    told.extend(shown.map(|s| format!("a line could take the place of {}", one_suggestion(s))));
    if !list.is_empty() {
        let up_to = (3.0 * LINE_ERROR).sqrt() / (std::f64::consts::TAU * step);
        let mut text = format!(
            "with the travelling time of a step, {} s, such a line is wrong by less than 1 % up to {up_to:.1e} Hz",
            brief(step)
        );
        let fastest = model.source.fastest_source;
        if fastest > 0.0 {
            text += &format!(
                ", and by {:.0e} at the fastest source, {:.1e} Hz",
                (fastest * step).powi(2) / 3.0,
                fastest / std::f64::consts::TAU
            );
        }
        told.push(text);
    }
    (
        if in_parts {
            Partition::Tlm
        } else {
            Partition::None
        },
        told,
    )
}

/// The settings with the choice in place of `--partition auto`; none where it was not asked for.
pub(super) fn settled(
    compiled: &Compiled,
    args: &SolverOptions,
    interval: f64,
) -> Option<SolverOptions> {
    if args.partition != Some(Partition::Auto) {
        return None;
    }
    let (chosen, _) = choose(&compiled.model, args.step.unwrap_or(interval));
    Some(SolverOptions {
        partition: Some(chosen),
        ..args.clone()
    })
}

/// The partitions of a model, in words.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Ferrica.TLM.ElectricalLine line(T = 1e-3, Zc = 50); Modelica.Electrical.Analog.Basic.Resistor a(R = 20), b(R = 100); Modelica.Electrical.Analog.Basic.Ground g; Modelica.Electrical.Analog.Sources.ConstantVoltage s(V = 1); equation connect(s.p, a.p); connect(a.n, line.p1); connect(s.n, g.p); connect(line.n1, g.p); connect(line.p2, b.p); connect(line.n2, g.p); connect(b.n, g.p); end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let text = ferrica::engines::partitioned::description(&compiled.model)?;
/// assert!(text.contains("line"), "{text}");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn description(model: &Arc<CompiledModel>) -> Result<String, Failure> {
    let cut = ferrica_tlm::partitions(model);
    ferrica_tlm::describe(model, &cut).map_err(no_values)
}

/// The graph of the partitions, as SVG or for Graphviz.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Ferrica.TLM.ElectricalLine line(T = 1e-3, Zc = 50); Modelica.Electrical.Analog.Basic.Resistor a(R = 20), b(R = 100); Modelica.Electrical.Analog.Basic.Ground g; Modelica.Electrical.Analog.Sources.ConstantVoltage s(V = 1); equation connect(s.p, a.p); connect(a.n, line.p1); connect(s.n, g.p); connect(line.n1, g.p); connect(line.p2, b.p); connect(line.n2, g.p); connect(b.n, g.p); end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert!(ferrica::engines::partitioned::graph(&compiled.model, true)?.contains("<svg"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn graph(model: &Arc<CompiledModel>, as_svg: bool) -> Result<String, Failure> {
    let cut = ferrica_tlm::partitions(model);
    let draw = match as_svg {
        true => ferrica_tlm::svg,
        false => ferrica_tlm::dot,
    };
    draw(model, &cut).map_err(no_values)
}

fn no_values(e: ferrica_codegen::Failure) -> Failure {
    Failure::model(Diagnostic::error("E0502", Span::NONE, e.to_string()))
}

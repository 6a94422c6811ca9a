//! From a solver's name to a run.

use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::Slot;
use ferrica_ir::print::brief;
use ferrica_ir::{Diagnostic, Span};
use ferrica_qss::simulate::{QssOptions, QssRun};
use ferrica_qss::{Method, Worth};
use ferrica_sim::{Doubt, Initialized, SimError, Sink, Snapshot, SolverKind, Verified};

use crate::engines::bond_graph;
use crate::engines::chosen;
use crate::engines::fitting;
use crate::engines::halves::{self, Beside, Keeping, Kept, Verdict};
use crate::engines::partitioned;
use crate::engines::ranks;
use crate::failure::Failure;
use crate::guard::{Guard, Watched};
use crate::options::{Inline, RealTimeOptions, Solver, SolverOptions};
use crate::real_time;
use crate::stages::grid::Grid;
use crate::stages::pipeline::{Compiled, not_built_in};
use crate::stages::stats::Stats;
use crate::zeno::Zeno;

/// How a run ended that did not fail.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// let ended = ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats);
/// let ended = ended.map_err(|e| e.reason)?;
/// assert!(ended.time == 1.0 && ended.terminated.is_none() && ended.warnings.is_empty());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Ended {
    pub time: f64,
    /// The message of `terminate`.
    pub terminated: Option<String>,
    pub warnings: Vec<Diagnostic>,
    /// What fixed steps cannot judge by themselves.
    pub doubt: Option<Doubt>,
}

/// Why a run failed, and when.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; assert(x > 0.5, \"small\"); end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// let run = ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats);
/// let broken = run.err().unwrap();
/// assert!((broken.time - 2.0f64.ln()).abs() < 1e-4 && broken.reason.to_string().contains("small"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Broken {
    pub time: f64,
    pub reason: Failure,
}

/// Says early what this build cannot do, before anything is compiled.
///
/// ```
/// use ferrica::{engines::solving::supported, options::{Solver, SolverOptions}};
/// let backwards = SolverOptions { solver: Solver::Rk4, step: Some(-1.0), ..SolverOptions::default() };
/// assert!(supported(&backwards).is_err());
/// ```
pub fn supported(args: &SolverOptions) -> Result<(), Failure> {
    fitting::fits(args)?;
    partitioned::supported(args)?;
    real_time::supported(args)?;
    if let Some(step) = args.step
        && !(step > 0.0 && step.is_finite())
    {
        return Err(Failure::usage(format!(
            "--step {step} is not a positive step"
        )));
    }
    if args.iterations == Some(0) {
        return Err(Failure::usage(
            "--iterations 0: at least one Newton iteration a step is needed",
        ));
    }
    Ok(())
}

/// What marches a model through time.
///
/// ```
/// use ferrica::{engines::solving::{Engine, kind}, options::Solver};
/// assert!(matches!(kind(Solver::Qbg)?, Engine::BondGraph) && matches!(kind(Solver::Bdf)?, Engine::Classic(_)));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    Classic(SolverKind),
    Quantized(Method),
    FixedStep(ferrica_rt::Method),
    BondGraph,
}

/// The engine behind a name.
///
/// ```
/// use ferrica::{engines::solving::{Engine, kind}, options::Solver};
/// assert!(matches!(kind(Solver::Liqss2)?, Engine::Quantized(_)));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn kind(solver: Solver) -> Result<Engine, Failure> {
    if solver.bond_graph_order().is_some() {
        return Ok(Engine::BondGraph);
    }
    let word = solver.word();
    SolverKind::from_name(word)
        .map(Engine::Classic)
        .or_else(|| Method::parse(word).map(Engine::Quantized))
        .or_else(|| ferrica_rt::Method::from_name(word).map(Engine::FixedStep))
        .ok_or_else(|| not_built_in(&format!("the solver `{word}`")))
}

/// The engine of a run.
pub(crate) fn engine(compiled: &Compiled, args: &SolverOptions) -> Result<Engine, Failure> {
    match args.inline {
        Some(formula) if !compiled.inlined => Ok(inlined(formula)),
        _ => kind(args.solver),
    }
}

/// Passes of an event of an inlined run, which has no deadline.
const INLINED_EVENT_PASSES: usize = 200;

/// What solves a difference formula in place of the derivatives, in the equations after index reduction.
fn inlined(formula: Inline) -> Engine {
    match formula {
        Inline::Euler => Engine::Classic(SolverKind::Euler),
        Inline::ImplicitEuler => Engine::FixedStep(ferrica_rt::Method::Bdf1),
        Inline::Trapezoid => Engine::FixedStep(ferrica_rt::Method::TrapezoidUnprojected),
        Inline::Bdf2 => Engine::FixedStep(ferrica_rt::Method::Bdf2),
    }
}

/// One stage of a run: where it begins, and whether another one follows.
///
/// ```
/// let stage = ferrica::engines::solving::Stage { more: true, ..Default::default() };
/// assert!(stage.from.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stage {
    pub from: Option<Arc<Snapshot>>,
    /// Inputs that jump there.
    pub arriving: Vec<(Slot, f64)>,
    pub more: bool,
    /// What has been initialized already where the run began.
    pub initialized: Option<Initialized>,
    /// Other ranks have runs of their own.
    pub alone: bool,
}

/// Runs a compiled model; rows go to the sink.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// ferrica::engines::solving::simulate(&compiled, &grid, &Default::default(), wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
/// recorder.finish().unwrap();
/// assert_eq!(recorder.rows, 501);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn simulate(
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
    wanted: Option<Vec<Slot>>,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let all = Stage::default();
    simulate_stage(compiled, experiment, args, wanted, all, sink, stats)
}

/// What the rule says of quantized-state methods for this model.
fn rule(compiled: &Compiled, experiment: &Grid) -> Option<ferrica_qss::auto::Recommendation> {
    let mut plan = ferrica_sim::Experiment::of(&compiled.model);
    (plan.start, plan.stop) = (experiment.start, experiment.stop);
    plan.values = compiled.values.clone();
    ferrica_qss::auto::recommend(&compiled.model, &plan)
}

/// The same in a sentence, for those who compare or want to know.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// assert!(ferrica::engines::solving::rule_text(&compiled, &grid).starts_with("rule of `auto`"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn rule_text(compiled: &Compiled, experiment: &Grid) -> String {
    let (method, reason) = match rule(compiled, experiment) {
        Some(r) => (r.method, r.reason),
        None => (None, "the model has no explicit derivatives".to_string()),
    };
    let method = method.map_or("no quantized-state method", |m| m.name());
    format!("rule of `auto`: {method}: {reason}")
}

/// The quantized-state method that pays where the default solver is about to run, and why, in a sentence.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// // Nothing is faster for one state.
/// assert_eq!(ferrica::engines::solving::recommendation(&compiled, &grid, &Default::default()), None);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn recommendation(
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
) -> Option<String> {
    if args.solver != Solver::Auto || args.partition.is_some() {
        return None;
    }
    if let Some(choice) = chosen::choice(compiled, args, experiment.tolerance) {
        return Some(format!(
            "auto begins with {}: {} (--solver bdf or dopri5 for a classic one)",
            choice.method.name(),
            choice.reason
        ));
    }
    let r = rule(compiled, experiment)?;
    let method = r.method?.name();
    Some(format!(
        "--solver {method} may be much faster here: {} (compare --solvers auto,{method} shows)",
        r.reason
    ))
}

/// Runs one stage.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::engines::recorder::{Recorder, Recording};
/// let recording = Recording::new(&compiled, &["x".to_owned()]);
/// let wanted = Some(recording.slots());
/// let mut recorder = Recorder::default().to_memory(recording);
/// use ferrica::engines::{point_of_rest, solving::{Stage, simulate_stage}};
/// // From where the model rests, which is at zero.
/// let rest = point_of_rest(&compiled, &grid, &log.sources).unwrap();
/// let stage = Stage { from: Some(rest.snapshot), ..Stage::default() };
/// simulate_stage(&compiled, &grid, &Default::default(), wanted, stage, &mut recorder, &mut stats).map_err(|e| e.reason)?;
/// recorder.finish().unwrap();
/// assert!(recorder.into_table().unwrap().series("x").unwrap().iter().all(|x| x.abs() < 1e-8));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn simulate_stage(
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
    wanted: Option<Vec<Slot>>,
    stage: Stage,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let chosen = partitioned::settled(compiled, args, experiment.interval);
    let args = chosen.as_ref().unwrap_or(args);
    if !args.verify {
        return halved(compiled, experiment, args, wanted, stage, sink, stats);
    }
    let broken = |time, reason| Broken { time, reason };
    let step = match engine(compiled, args) {
        Ok(Engine::FixedStep(_)) => Some(args.step.unwrap_or(experiment.interval)),
        _ => None,
    };
    let from_start = stage.from.is_none();
    let mut checked = Verified::new(&compiled.model, &compiled.values, step, from_start, sink)
        .map_err(|errors| broken(experiment.start, Failure::Model(errors)))?;
    if let Ok(Engine::Quantized(_) | Engine::BondGraph) = engine(compiled, args) {
        checked = checked.of_ranges();
    }
    let mut ended = halved(compiled, experiment, args, None, stage, &mut checked, stats)?;
    if let Some(error) = checked.error(experiment.tolerance) {
        // What the run itself has to say may be the reason.
        let mut told = std::mem::take(&mut ended.warnings);
        told.push(error.diagnostic());
        return Err(broken(error.time, Failure::Model(told)));
    }
    ended.warnings.extend(checked.warning());
    Ok(ended)
}

/// A run, and with half of its step another one where its engine doubts the steps.
fn halved(
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
    wanted: Option<Vec<Slot>>,
    stage: Stage,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let partitioned = partitioned::is_on(args);
    let fixed = partitioned || matches!(engine(compiled, args), Ok(Engine::FixedStep(_)));
    let repeats = fixed
        && !args.trust_step
        && !args.real_time.realtime
        && !stage.more
        && (stage.from.is_none() || !partitioned)
        && (stage.alone || ranks::size() == 1)
        && compiled.model.effects.is_empty();
    let kept = Kept::new(&compiled.model);
    if !repeats || kept.is_empty() {
        return march(compiled, experiment, args, wanted, stage, sink, stats);
    }
    let mut keeping = Keeping { kept, inner: sink };
    let again = stage.clone();
    let mut ended = march(
        compiled,
        experiment,
        args,
        wanted,
        stage,
        &mut keeping,
        stats,
    )?;
    let Keeping { kept, inner } = keeping;
    let Some(doubt) = ended.doubt.take() else {
        return Ok(ended);
    };
    let cost = stats.steps as f64 * compiled.model.source.equations.len() as f64;
    if doubt.seen.is_none() && cost > halves::CHEAP && !kept.swings() {
        return Ok(ended);
    }
    let mut half = args.clone();
    half.step = Some(0.5 * doubt.step);
    for rate in &mut half.rates {
        rate.step = rate.step.map(|h| 0.5 * h);
    }
    half.real_time.constraint_rates = None;
    half.real_time.stage_times = false;
    let mut beside = Beside {
        kept: Kept::new(&compiled.model),
        asked: inner,
    };
    let clock = Instant::now();
    let mut work = Stats::default();
    let done = march(
        compiled,
        experiment,
        &half,
        Some(Vec::new()),
        again,
        &mut beside,
        &mut work,
    );
    stats.add_seconds("half step", clock.elapsed().as_secs_f64());
    let name = match (args.inline, args.solver) {
        (Some(formula), _) => formula.word(),
        (None, Solver::Auto) if partitioned => "rk4",
        (None, solver) => solver.word(),
    };
    let solver = (name, doubt.step, doubt.order);
    let verdict = match done {
        Ok(_) => {
            let seen = doubt.seen.as_deref();
            halves::compare(&compiled.model, seen, solver, &kept, &beside.kept)
        }
        Err(broken) => halves::of_broken(&broken, doubt.step),
    };
    match verdict {
        Verdict::Holds => {}
        Verdict::Told(warning) => ended.warnings.push(warning),
        Verdict::Broken(error) => {
            let mut told = std::mem::take(&mut ended.warnings);
            told.push(error);
            return Err(Broken {
                time: ended.time,
                reason: Failure::Model(told),
            });
        }
    }
    Ok(ended)
}

fn march(
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
    wanted: Option<Vec<Slot>>,
    stage: Stage,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let kind = engine(compiled, args).map_err(|reason| Broken {
        time: experiment.start,
        reason,
    })?;
    let tolerance = experiment.tolerance;
    let whole_run = stage.from.is_none() && !stage.more;
    let choice = whole_run.then(|| chosen::choice(compiled, args, tolerance));
    let Some(choice) = choice.flatten() else {
        return march_with(
            kind,
            None,
            compiled,
            experiment,
            args,
            (wanted, stage),
            sink,
            stats,
        );
    };
    let mut run = |kind, worth, sink: &mut dyn Sink| {
        let part = (wanted.clone(), stage.clone());
        march_with(kind, worth, compiled, experiment, args, part, sink, stats)
    };
    let (ended, left) = chosen::run(&choice, kind, &mut run, sink);
    if let Some(time) = left {
        let method = choice.method.name();
        stats.notes.push(format!(
            "{method} was left for a classic solver, whose rows begin behind t = {}",
            brief(time)
        ));
    }
    ended
}

/// Runs one engine; a quantized one as long as it is worth it.
fn march_with(
    kind: Engine,
    worth: Option<Worth>,
    compiled: &Compiled,
    experiment: &Grid,
    args: &SolverOptions,
    (wanted, stage): (Option<Vec<Slot>>, Stage),
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let watched = Watched::new(&compiled.model, wanted.as_ref());
    // What the guard of the run looks at is computed in each row as well.
    let wanted = wanted.map(|mut wanted| {
        wanted.extend(watched.computed(&compiled.model));
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    });
    let plan = ferrica_sim::Experiment {
        start: experiment.start,
        stop: experiment.stop,
        tolerance: experiment.tolerance,
        interval: experiment.interval,
        solver: match kind {
            Engine::Classic(kind) => kind,
            Engine::Quantized(_) | Engine::FixedStep(_) | Engine::BondGraph => SolverKind::Auto,
        },
        step: args.step,
        values: compiled.values.clone(),
        wanted,
        from: stage.from,
        arriving: stage.arriving,
        more: stage.more,
        initialized: stage.initialized,
    };
    if let Some(step) = args.step
        && (plan.start + step == plan.start || plan.stop - step == plan.stop)
        && plan.start < plan.stop
    {
        let text = format!("a step of {step:e} is too small: time does not advance with it");
        let error = Diagnostic::error("E0704", Span::NONE, text);
        return Err(Broken {
            time: plan.start,
            reason: Failure::model(error),
        });
    }
    let partitions = partitioned::options(
        args,
        compiled.inlined,
        experiment.interval,
        experiment.tolerance,
    );
    let step = match kind {
        _ if partitions.is_some() => Some(args.step.unwrap_or(experiment.interval)),
        // It watches its events itself.
        Engine::Classic(_) => None,
        Engine::Quantized(_) | Engine::BondGraph => Some(0.0),
        Engine::FixedStep(_) => Some(args.step.unwrap_or(experiment.interval)),
    };
    let zeno = step.map(|step| Zeno::new(&compiled.model, &compiled.values, step));
    let watched = match kind {
        // What the simplified graph does not compute is not a number there, and says nothing about an equation.
        Engine::BondGraph if partitions.is_none() => watched.of_some_variables(),
        _ => watched,
    };
    let mut guard = Guard::new(&compiled.model, watched, zeno, sink);
    let sink: &mut dyn Sink = &mut guard;
    let ended = match kind {
        _ if partitions.is_some() => {
            let options = partitions.unwrap_or_default();
            let mut transport = if stage.alone {
                None
            } else {
                ranks::transport()
            };
            let transport = transport
                .as_deref_mut()
                .map(|t| t as &mut dyn ferrica_tlm::Transport);
            let ended = ferrica_tlm::simulate_on(&compiled.model, &plan, &options, sink, transport);
            if ended.is_err() {
                ranks::all_know();
            }
            ended
        }
        Engine::Classic(_) => ferrica_sim::simulate(&compiled.model, &plan, sink),
        Engine::Quantized(method) => {
            let mut options = QssOptions::new(method);
            options.every_transition = args.steps;
            options.worth = worth;
            let quanta = args.quanta.iter();
            options.quanta = quanta.map(|q| (q.state.clone(), q.value)).collect();
            quantized(compiled, &plan, (&options, &args.real_time), sink, stats)
        }
        Engine::BondGraph => bond_graph::simulate(compiled, &plan, args, sink, stats),
        Engine::FixedStep(method) => {
            let mut options = real_time::options(method, args);
            if args.inline.is_some() {
                options.until_converged = true;
                options.iterations = ferrica_rt::method::MAX_ITERATIONS;
                options.event_passes = INLINED_EVENT_PASSES;
            }
            real_time::simulate(compiled, &plan, &options, &args.real_time, sink, stats)
        }
    };
    let work = match &ended {
        Ok(work) => work,
        Err(error) => &error.stats,
    };
    take(stats, work, experiment);
    // The model's own words come first.
    let asserted = matches!(&ended, Err(error) if error.code == "E0607");
    if let Some(found) = guard.found.filter(|_| !asserted) {
        let (time, told) = found.told(&compiled.model);
        return Err(Broken {
            time,
            reason: Failure::model(told),
        });
    }
    let left_open = guard.warnings();
    let warnings = |work: &ferrica_sim::Stats| -> Vec<Diagnostic> {
        let all = work.warnings.iter();
        let told = all.map(|w| Diagnostic::warning("W0601", w.span, w.message.clone()));
        told.chain(left_open.clone()).collect()
    };
    match ended {
        Ok(work) => Ok(Ended {
            time: work.end_time,
            warnings: warnings(&work),
            terminated: work.terminated,
            doubt: work.doubt,
        }),
        // What was seen until then may be its reason.
        Err(error) => {
            let mut told = warnings(&error.stats);
            told.push(error.diagnostic());
            Err(Broken {
                time: error.time,
                reason: Failure::Model(told),
            })
        }
    }
}

fn quantized(
    compiled: &Compiled,
    plan: &ferrica_sim::Experiment,
    (options, clock): (&QssOptions, &RealTimeOptions),
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<ferrica_sim::Stats, SimError> {
    let (run, timing) = match clock.realtime {
        true => real_time::quantized(compiled, plan, options, clock, sink, stats)?,
        false => {
            let run = ferrica_qss::simulate::simulate(&compiled.model, plan, options, sink)?;
            (run, Vec::new())
        }
    };
    let QssRun {
        stats: work, qss, ..
    } = &run;
    stats
        .extra
        .push(("crossing_evaluations", qss.crossing_evaluations as f64));
    stats
        .extra
        .push(("input_updates", qss.input_updates as f64));
    stats.extra.push(("pair_steps", qss.pair_steps as f64));
    stats.extra.push(("kernels", run.kernels as f64));
    stats.notes = run.summary();
    stats.notes.extend(timing);
    Ok(work.clone())
}

fn take(stats: &mut Stats, work: &ferrica_sim::Stats, experiment: &Grid) {
    if !work.solver.is_empty() {
        stats.solver.clone_from(&work.solver);
    }
    stats.start = experiment.start;
    stats.stop = work.end_time;
    stats.steps = work.steps;
    stats.rejected_steps = work.rejected_steps;
    stats.evaluations = work.evaluations;
    stats.jacobians = work.jacobians;
    stats.factorizations = work.factorizations;
    stats.newton_iterations = work.newton_iterations;
    stats.events = work.state_events + work.time_events;
    stats.add_seconds("initialize", work.initialize_seconds);
    stats.add_seconds("simulate", work.simulate_seconds - work.output_seconds);
    stats.add_seconds("output", work.output_seconds);
}

/// Messages for the top-level inputs that keep their start values in runs of a model.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M input Real u; Real x = 2*u; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// assert_eq!(ferrica::engines::solving::undriven(&compiled)[0].code, "W0603");
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn undriven(compiled: &Compiled) -> Vec<Diagnostic> {
    crate::signal::undriven_inputs(&compiled.model, |name| {
        compiled.values.iter().any(|(n, _)| n == name)
    })
}

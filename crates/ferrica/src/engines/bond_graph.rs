//! The solvers `qbg`, `qbg2` and `qbg3`: the model's bond graph as a coupled DEVS model.

use ferrica_bond::cdpp;
use ferrica_bond::qbg::{self, Levels, Options, Prepared};
use ferrica_codegen::{Failure as RunFailure, Slot};
use ferrica_sim::{Experiment, SimError, Sink};
use rustc_hash::FxHashSet;

use crate::failure::Failure;
use crate::options::{Solver, SolverOptions};
use crate::stages::pipeline::Compiled;
use crate::stages::stats::Stats;

fn prepare(compiled: &Compiled, plan: &Experiment) -> Result<Prepared, SimError> {
    let Some(flat) = &compiled.flat else {
        let text = "the bond graph is made of the model as written, not of an inlined one";
        return Err(SimError::new("E0702", plan.start, RunFailure::new(text)));
    };
    qbg::prepare(flat, &compiled.model, plan)
}

/// The slots that rows of the solver fill in; none for other solvers, which fill in all.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model RC Modelica.Electrical.Analog.Basic.Resistor R(R = 100); Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true)); Modelica.Electrical.Analog.Basic.Ground G; equation connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p); end RC;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile_for(&options, true, &mut log, &mut stats)?;
/// use ferrica::{engines::bond_graph::recorded, options::Solver};
/// assert!(recorded(&compiled, Solver::Qbg, 0.0)?.is_some() && recorded(&compiled, Solver::Bdf, 0.0)?.is_none());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn recorded(
    compiled: &Compiled,
    solver: Solver,
    start: f64,
) -> Result<Option<FxHashSet<Slot>>, Failure> {
    if solver.bond_graph_order().is_none() {
        return Ok(None);
    }
    let plan = Experiment {
        start,
        values: compiled.values.clone(),
        ..Experiment::of(&compiled.model)
    };
    let prepared = prepare(compiled, &plan).map_err(|e| Failure::model(e.diagnostic()))?;
    Ok(Some(prepared.slots().collect()))
}

pub(crate) fn simulate(
    compiled: &Compiled,
    plan: &Experiment,
    args: &SolverOptions,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<ferrica_sim::Stats, SimError> {
    let prepared = prepare(compiled, plan)?;
    let mut options = Options::new(plan);
    let quanta = args.quanta.iter();
    options.quanta = quanta.map(|q| (q.state.clone(), q.value)).collect();
    options.every_transition = args.steps;
    options.order = args.solver.bond_graph_order().unwrap_or(1);
    if let Some(part) = args.hysteresis {
        options.hysteresis = part;
    }
    if let Some(growth) = args.quantum_growth.filter(|g| *g > 0.0) {
        options.levels = Levels::Growing(growth);
    }
    let run = qbg::simulate(&prepared, plan, &options, sink)?;
    stats.extra.push(("atomic_models", run.models as f64));
    stats.extra.push(("couplings", run.couplings as f64));
    stats
        .extra
        .push(("source_events", run.source_events as f64));
    stats.notes = vec![format!(
        "{} atomic models, {} couplings, {} algebraic loops; {} quantum crossings, {} events of sources, {} transitions",
        run.models,
        run.couplings,
        run.loops,
        run.crossings,
        run.source_events,
        run.stats.evaluations
    )];
    Ok(run.stats)
}

/// The bond graph as a coupled model of CD++, with these quanta over ranges, or why it has none.
pub(crate) fn cdpp(
    compiled: &Compiled,
    tolerance: f64,
    stop: Option<f64>,
) -> Result<Result<String, String>, Failure> {
    let experiment = Experiment::of(&compiled.model);
    let plan = Experiment {
        values: compiled.values.clone(),
        tolerance,
        stop: stop.unwrap_or(experiment.stop),
        ..experiment
    };
    let prepared = prepare(compiled, &plan).map_err(|e| Failure::model(e.diagnostic()))?;
    let causality = &prepared.analysis.causality;
    let graph = &prepared.analysis.built.graph;
    if graph.bonds.is_empty() {
        return Ok(Err("the model has no bond graph".to_owned()));
    }
    let described = match prepared.describe(&Options::new(&plan)) {
        Err(d) => return Ok(Err(d.message)),
        Ok(described) => described,
    };
    let controlled = graph.nodes.iter().any(|n| n.is_controlled());
    let plain = causality.dependent.is_empty() && causality.loops.is_empty() && !controlled;
    let text = match (plain, &described.linear) {
        (true, _) => cdpp::cdpp(graph, &described, &compiled.name),
        (false, Ok(linear)) => cdpp::signals(graph, &described, linear, &compiled.name),
        (false, Err(d)) => return Ok(Err(d.message.clone())),
    };
    Ok(text.map_err(|n| format!("no atomic model fits `{}`", graph.nodes[n].name)))
}

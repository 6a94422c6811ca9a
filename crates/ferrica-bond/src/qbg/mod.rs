//! Quantized bond graphs: the causal graph as a coupled DEVS model, run by the DEVS kernel.
//!
//! In: a flat model, its compiled form (for the values at the start) and an experiment. Out: rows of the model's variables.
//! The error is proportional to the quanta; of order n the number of steps grows with their n-th root.
//!
//! Kofman and Junco: Quantized bond graphs, an approach for discrete event simulation of physical systems (2001).

pub mod assemble;
mod atoms;
mod describe;
mod drive;
mod law;
mod laws;
mod memory;
mod of_time;
mod poly;
mod ports;
mod quanta;
mod quantizer;
mod reconstruct;
mod scales;
mod sources;
mod timeline;
mod waveform;

use std::sync::Arc;
use std::time::Instant;

use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, Span};
use ferrica_sim::{Experiment, OutputPoints, SimError, Sink, Stats};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{BondGraph, Kind};
use crate::steps::Values;
use crate::{Analysis, analyse};
use assemble::Assembler;
pub use assemble::{Linear, Sums};
pub use describe::Waveform;
use memory::Memory;
pub use quantizer::Levels;
use reconstruct::Reconstruction;
use scales::Scales;

/// How values are quantized.
#[derive(Clone, Debug)]
pub struct Options {
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    /// Of the method, one to three: states are told as polynomials of a degree below.
    pub order: usize,
    /// Quanta by name of an element or of a variable of it; `*` for all.
    pub quanta: Vec<(String, f64)>,
    /// Width of the hysteresis over the quantum.
    pub hysteresis: f64,
    pub levels: Levels,
    /// A row at every instant with a transition.
    pub every_transition: bool,
}

impl Options {
    pub fn new(experiment: &Experiment) -> Options {
        Options {
            start: experiment.start,
            stop: experiment.stop,
            tolerance: experiment.tolerance,
            order: 1,
            quanta: Vec::new(),
            hysteresis: 1.0,
            levels: Levels::Uniform,
            every_transition: false,
        }
    }

    /// Quantum over the scale of a quantity.
    fn relative_quantum(&self) -> f64 {
        self.tolerance
    }

    fn quantum_for(&self, element: &str) -> Option<f64> {
        let fits = |name: &str| {
            name == "*"
                || name == element
                || name
                    .strip_prefix(element)
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        let named = self.quanta.iter().rev().find(|(n, _)| n != "*" && fits(n));
        named
            .or_else(|| self.quanta.iter().rev().find(|(n, _)| fits(n)))
            .map(|(_, q)| *q)
    }
}

/// A model refused, and why.
pub(crate) fn refuse(flat: &FlatModel, span: Span, why: String) -> Diagnostic {
    Diagnostic::error(
        "E0413",
        span,
        format!("`{}` has no quantized bond graph: {why}", flat.name),
    )
    .with_hint("`ferrica bond` shows the graph; the other solvers simulate the model as it is")
}

/// What would separate a dependent storage from what determines it.
pub(crate) fn cure(g: &BondGraph, node: usize) -> String {
    match g.nodes[node].kind {
        Kind::C => format!("a small resistance in series with `{}`", g.nodes[node].name),
        _ => format!("a large resistance in parallel to `{}`", g.nodes[node].name),
    }
}

/// A model that is known to have a quantized bond graph, with its values at the start.
pub struct Prepared {
    pub analysis: Analysis,
    flat: Arc<FlatModel>,
    model: Arc<CompiledModel>,
    experiment: Experiment,
    /// Where all variables are in a row of another solver.
    all_places: Vec<(ferrica_ir::VarId, Slot, bool)>,
    initial: Values,
    /// All slots as the start left them.
    slots: Vec<f64>,
    /// Variables of a row: where each goes, and whether negated.
    places: Vec<(ferrica_ir::VarId, Slot, bool)>,
}

impl Prepared {
    /// Slots that a run fills in.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.places.iter().map(|p| p.1)
    }
}

/// Values of a causal graph that is to be written down for others.
pub struct Described {
    /// What each source gives.
    pub sources: FxHashMap<usize, Waveform>,
    /// Value of each state at the start.
    pub states: FxHashMap<usize, f64>,
    /// Quantum of each source and state.
    pub quanta: FxHashMap<usize, f64>,
    /// Width of the hysteresis over the quantum.
    pub hysteresis: f64,
    /// The graph as signals, or why it has no such form.
    pub linear: Result<Linear, Diagnostic>,
}

impl Prepared {
    /// How far efforts and flows move; not asked for where all quanta are given and nothing is fitted.
    fn scales(&self, options: &Options) -> Scales {
        if options.order == 1 && options.quanta.iter().any(|(name, _)| name == "*") {
            return Scales::default();
        }
        let experiment = Experiment {
            start: options.start,
            stop: options.stop,
            ..self.experiment.clone()
        };
        scales::scales(
            &self.flat,
            &self.analysis,
            &self.model,
            &self.initial,
            &self.all_places,
            &experiment,
        )
    }

    /// What has a memory and follows from time alone.
    fn memory(&self, options: &Options) -> Result<Memory, SimError> {
        let experiment = Experiment {
            start: options.start,
            stop: options.stop,
            tolerance: options.tolerance,
            ..self.experiment.clone()
        };
        let built = &self.analysis.built;
        Memory::of(&self.flat, built, &self.model, &self.initial, &experiment)
    }

    pub fn describe(&self, options: &Options) -> Result<Described, Diagnostic> {
        let scales = self.scales(options);
        let memory = self.memory(options).map_err(|e| e.diagnostic())?;
        let (flat, analysis) = (&self.flat, &self.analysis);
        let assembler = Assembler::new(flat, analysis, &self.initial, options, &scales, memory);
        let graph = &self.analysis.built.graph;
        let mut out = Described {
            sources: FxHashMap::default(),
            states: FxHashMap::default(),
            quanta: FxHashMap::default(),
            hysteresis: options.hysteresis,
            linear: assembler.linear(),
        };
        let mut amplitudes = Vec::new();
        let of_time = |n: &usize| {
            let node = &graph.nodes[*n];
            node.kind.is_source() && !node.is_controlled()
        };
        for n in (0..graph.nodes.len()).filter(of_time) {
            let mut drive = assembler.source_drive(n)?;
            let size = assembler.amplitude(&mut drive);
            let quantum = assembler.source_quantum(n, size);
            out.quanta.insert(n, quantum);
            amplitudes.push(assembler.amplitude_of(n, size));
            let (start, stop) = (options.start, options.stop);
            let waveform = match describe::describe(drive.clone(), start, stop) {
                Waveform::Other => describe::lines(drive, start, stop, quantum),
                known => known,
            };
            out.sources.insert(n, waveform);
        }
        for &n in &self.analysis.causality.states {
            let x = assembler.initial_state(n)?;
            let quantizer = assembler.quantizer(n, x, &amplitudes);
            out.quanta.insert(n, quantizer.quantum);
            out.states.insert(n, x);
        }
        Ok(out)
    }
}

/// Initializes the model and finds what a run can tell.
pub fn prepare(
    flat: &Arc<FlatModel>,
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
) -> Result<Prepared, SimError> {
    let started = ferrica_sim::start(model, experiment)?;
    let ev = &started.problem.ev;
    let by_name: FxHashMap<&str, ferrica_ir::VarId> = model
        .source
        .vars
        .iter()
        .map(|(v, var)| (var.var.name.as_str(), v))
        .collect();
    let place = |name: &str| by_name.get(name).and_then(|&v| model.layout.place(v));
    let mut initial = Values {
        time: experiment.start,
        ..Values::default()
    };
    let mut all_places = Vec::new();
    for (v, var) in &flat.vars {
        if let Some((slot, negated)) = place(&var.name) {
            all_places.push((v, slot, negated));
            let x = ev.get(slot);
            initial.values.insert(v, if negated { -x } else { x });
        } else if let Some(x) = var.binding.and_then(|e| flat.exprs.as_f64(e)) {
            initial.values.insert(v, x);
        }
    }
    let analysis = analyse(flat, crate::build::LAST_STEP);
    let reconstruction = Reconstruction::new(flat, &analysis.built, &initial);
    let places = reconstruction
        .variables(flat)
        .into_iter()
        .filter_map(|v| place(&flat.vars[v].name).map(|(slot, negated)| (v, slot, negated)))
        .collect::<Vec<_>>();
    let mut slots = ev.slots[..model.slot_count()].to_vec();
    // What a row does not tell has no value.
    let told: FxHashSet<Slot> = places.iter().map(|p| p.1).collect();
    for variable in ferrica_sim::result_variables(model) {
        if let ferrica_sim::ValueSource::Slot(slot, _) = variable.source
            && !told.contains(&slot)
        {
            slots[slot as usize] = f64::NAN;
        }
    }
    Ok(Prepared {
        analysis,
        flat: flat.clone(),
        model: model.clone(),
        experiment: experiment.clone(),
        all_places,
        initial,
        slots,
        places,
    })
}

/// Work of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub stats: Stats,
    pub models: usize,
    pub couplings: usize,
    pub loops: usize,
    /// Crossings of quanta by storages, events of sources.
    pub crossings: u64,
    pub source_events: u64,
}

/// Runs the experiment. Rows go to the sink, also those before a failure.
pub fn simulate(
    prepared: &Prepared,
    experiment: &Experiment,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<Run, SimError> {
    let clock = Instant::now();
    experiment.check_times()?;
    let (begin, stop) = (experiment.start, experiment.stop);
    if prepared.analysis.built.graph.bonds.is_empty() {
        let why = "no component of it has a port that power goes through".to_owned();
        return Err(SimError::of(begin, refuse(&prepared.flat, Span::NONE, why)));
    }
    let mut run = Run::default();
    run.stats.solver = match options.order {
        1 => "qbg".to_owned(),
        n => format!("qbg{n}"),
    };
    run.stats.form = "bond graph";
    run.stats.states = prepared.analysis.causality.states.len();
    for (name, _) in &options.quanta {
        let known = name == "*"
            || prepared.analysis.built.graph.nodes.iter().any(|n| {
                let only = Options {
                    quanta: vec![(name.clone(), 1.0)],
                    ..options.clone()
                };
                n.element.is_some() && only.quantum_for(&n.name).is_some()
            });
        if !known {
            let text = format!("a quantum is given for `{name}`, which is no element of the graph");
            return Err(SimError::new("E0703", begin, Failure::new(text)));
        }
    }
    let scales = prepared.scales(options);
    let assembler = Assembler::new(
        &prepared.flat,
        &prepared.analysis,
        &prepared.initial,
        options,
        &scales,
        prepared.memory(options)?,
    );
    let mut a = assembler.assemble().map_err(|d| SimError::of(begin, d))?;
    run.models = a.models;
    run.couplings = a.couplings;
    run.loops = a.loops;
    run.stats.initialize_seconds = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut rows = Rows {
        reconstruction: Reconstruction::new(
            &prepared.flat,
            &prepared.analysis.built,
            &prepared.initial,
        ),
        prepared,
        slots: prepared.slots.clone(),
        sink,
        seconds: 0.0,
        last: f64::NEG_INFINITY,
    };
    rows.write(&a.board.borrow(), begin)?;
    let mut points = OutputPoints::of(experiment);
    loop {
        let time = a.root.next_time();
        while points.next_until(stop) <= time.min(stop) {
            let at = points.next_until(stop);
            points.pass();
            if !options.every_transition {
                rows.write(&a.board.borrow(), at)?;
            }
        }
        if time > stop || time.is_infinite() {
            break;
        }
        let jump = {
            let mut board = a.board.borrow_mut();
            let due = board.jumps.iter().any(|j| *j <= time);
            board.jumps.retain(|j| *j > time);
            due
        };
        let shown = jump || options.every_transition;
        if shown {
            rows.write(&a.board.borrow(), time)?;
        }
        while a.root.next_time() <= time {
            a.root.step(time);
        }
        let mut board = a.board.borrow_mut();
        if let Some(text) = board.failure.take() {
            return Err(SimError::new("E0605", time, Failure::new(text)));
        }
        run.stats.time_events += u64::from(jump);
        drop(board);
        if shown {
            rows.write(&a.board.borrow(), time)?;
        }
        rows.sink.progress(time);
        if rows.sink.interrupted() {
            return Err(SimError::interrupted(time));
        }
    }
    if rows.last < stop {
        rows.write(&a.board.borrow(), stop)?;
    }
    let board = a.board.borrow();
    run.crossings = board.crossings;
    run.source_events = board.source_events;
    run.stats.steps = board.crossings;
    run.stats.evaluations = a.root.transitions;
    run.stats.end_time = stop;
    run.stats.output_seconds = rows.seconds;
    run.stats.simulate_seconds = clock.elapsed().as_secs_f64();
    Ok(run)
}

/// Writes rows.
struct Rows<'a> {
    reconstruction: Reconstruction,
    prepared: &'a Prepared,
    slots: Vec<f64>,
    sink: &'a mut dyn Sink,
    seconds: f64,
    last: f64,
}

impl Rows<'_> {
    fn write(&mut self, board: &atoms::Board, time: f64) -> Result<(), SimError> {
        let clock = Instant::now();
        let at = self.reconstruction.row(&self.prepared.flat, board, time);
        for &(v, slot, negated) in &self.prepared.places {
            let x = at.values.get(&v).copied().unwrap_or(f64::NAN);
            self.slots[slot as usize] = if negated { -x } else { x };
        }
        self.last = time;
        let row = self.sink.row(time, &self.slots);
        self.seconds += clock.elapsed().as_secs_f64();
        row.map_err(|e| SimError::unwritten(time, &e))
    }
}

//! The plan of a partitioned run: steps, threads, who reads what from whom.
//!
//! Parts with equal steps on one thread form a cluster: they advance together, so that equations of
//! one shape run as one batch, or as cells with machine code of their own. Clusters exchange samples through tables. Steps divide the longest
//! one, at whose multiples the results are taken.

use std::collections::HashMap;

use ferrica_codegen::jit::cell::{CellCode, CellMethod, Shape};
use ferrica_codegen::model::{BlockId, CompiledModel};
use ferrica_codegen::program::Program;
use ferrica_codegen::schedule::arrange;
use ferrica_codegen::{Evaluator, Failure, Slot};
use ferrica_hybrid::{Scope, lost_instant};
use ferrica_ir::print::brief;
use ferrica_sim::SolverKind;

use crate::cells;
use crate::classes::{CellPlan, Way};
use crate::fuse::{Fused, Fuser};
use crate::grouping::clusters;
use crate::history::History;
use crate::instants::Instants;
use crate::parts::{NONE, Partitions};
use crate::settle::plain;
use crate::stretch::{Lengthened, Speeds, TYPICAL_SPEED, reader_name, told};

/// Formula for the states of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    #[default]
    Rk4,
    Euler,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Step of all parts; the shortest delay if not given, and a part of it where a solver of its own is.
    pub step: Option<f64>,
    pub method: Method,
    /// Number of threads, at least one.
    pub threads: usize,
    /// Fewer threads where each would have too little to do.
    pub fewer_threads: bool,
    /// Steps of single parts, by their name or that of a component or variable in them.
    pub rates: Vec<(String, f64)>,
    /// Variable-step solver of all parts with states, and those of single parts.
    pub solver: Option<SolverKind>,
    pub solvers: Vec<(String, SolverKind)>,
    /// Accuracy of these solvers.
    pub tolerance: f64,
    /// Lengthen lines that are shorter than the step.
    pub stretch: bool,
    /// Derivatives are difference formulas: a condition can contradict what the step gives if it changes.
    pub inlined: bool,
}

/// Samples read from one cluster with one delay.
#[derive(Clone, Debug)]
pub struct Link {
    pub from: usize,
    /// Step of the reader and delay, in steps of the source.
    pub ratio: f64,
    pub shift: f64,
    /// All reads are at samples.
    pub aligned: bool,
    /// Reads between samples use four of them.
    pub cubic: bool,
    /// Column in the source's table, slot to write, value before the start.
    pub reads: Vec<(u32, Slot, f64)>,
}

impl Link {
    /// Position of a read in the source's samples, `fraction` of a step after sample `i`.
    pub fn position(&self, i: u64, fraction: f64) -> f64 {
        let at = (i as f64 + fraction) * self.ratio - self.shift;
        // The nearest whole number, as far as positions after the start are concerned.
        let near = (at + 0.5) as i64 as f64;
        if (at - near).abs() < 1e-6 { near } else { at }
    }

    /// Last sample needed for the step that ends at `i`; negative: none.
    pub fn last(&self, i: u64) -> i64 {
        let at = self.position(i, 0.0);
        if at < 0.0 {
            return -1;
        }
        let low = at as i64;
        low + i64::from(low as f64 != at) + i64::from(self.cubic && !self.aligned)
    }

    /// First sample that a reader that stands at `i` may still need.
    pub fn first(&self, i: u64) -> u64 {
        (self.position(i, 0.0) as u64).saturating_sub(1)
    }
}

/// A part with conditions: its events concern no other part.
pub struct EventPart {
    pub part: usize,
    /// All its blocks, continuous and discrete.
    pub program: Program,
    /// The conditions of its actions.
    pub actions: Program,
    /// What takes part in its events.
    pub scope: Scope,
    /// Its conditions of time.
    pub instants: Instants,
    /// Samplers that it reads.
    pub samplers: Vec<u32>,
    /// Discrete equations or reinits that a condition of time alone can fire.
    pub is_timed: bool,
    /// Conditions that contradict what they cause are held for a step.
    pub may_hold: bool,
}

/// Parts that advance together. Whether a part shares its cluster with others, and with which, has no
/// influence on its numbers.
pub struct ClusterPlan {
    pub worker: usize,
    pub parts: Vec<usize>,
    pub step: f64,
    /// Steps in the longest step of all.
    pub per_base: u64,
    /// States and their derivatives.
    pub states: Vec<(Slot, Slot)>,
    /// All that is evaluated at each step.
    pub core: Program,
    /// Relations of time alone.
    pub relations: Vec<u32>,
    /// Parts with events of their own.
    pub eventful: Vec<EventPart>,
    /// Slots of the signals that go out.
    pub sources: Vec<Slot>,
    /// Their delays.
    pub source_delays: Vec<u32>,
    pub links: Vec<Link>,
    /// (cluster, number of its link) that read from here.
    pub readers: Vec<(usize, usize)>,
    /// Rows of the table of samples.
    pub capacity: u64,
    /// What the results need.
    pub visible: Vec<Slot>,
    /// Its parts are cells.
    pub is_fused: bool,
    /// The cells, once they have places.
    pub cells: Option<CellPlan>,
    /// Advances with a solver of its own between the points of the grid.
    pub own: Option<SolverKind>,
    /// Of each link: columns and the imports of the cells that they go to.
    pub imports: Vec<Vec<(u32, u32, f64)>>,
}

/// See the module comment.
pub struct Plan {
    pub clusters: Vec<ClusterPlan>,
    pub workers: usize,
    /// The longest step.
    pub base: f64,
    /// Accuracy of the parts with solvers of their own.
    pub tolerance: f64,
    /// For the results: time-only blocks, then observers too.
    pub shared: Program,
    pub observers: Program,
    pub warnings: Vec<String>,
    /// Machine code of the cells.
    pub codes: HashMap<Shape, CellCode>,
}

pub(crate) fn whole(ratio: f64) -> Option<u64> {
    let near = ratio.round();
    ((ratio - near).abs() <= 1e-6 * near && near >= 1.0).then_some(near as u64)
}

/// The part of that name, with that component, or with that variable.
fn find(model: &CompiledModel, cut: &Partitions, name: &str) -> Result<usize, Failure> {
    let of_variable = || {
        let (slot, _) = model.find(name)?;
        let part = *cut.part_of.get(slot as usize)?;
        (part != NONE).then_some(part as usize)
    };
    cut.find(name).or_else(of_variable).ok_or_else(|| {
        let mut failure = Failure::new(format!("there is no partition `{name}`"));
        let known: Vec<String> = cut.parts.iter().take(12).map(|p| p.name.clone()).collect();
        let list = format!("partitions: {}", known.join(", "));
        failure.details.push(list);
        failure
    })
}

/// Parts with states that have a solver of their own.
fn own_solvers(
    model: &CompiledModel,
    cut: &Partitions,
    options: &Options,
) -> Result<Vec<Option<SolverKind>>, Failure> {
    let mut own = vec![options.solver; cut.parts.len()];
    for (name, kind) in &options.solvers {
        own[find(model, cut, name)?] = Some(*kind);
    }
    for (own, part) in own.iter_mut().zip(&cut.parts) {
        if part.states.is_empty() {
            *own = None;
        }
    }
    Ok(own)
}

/// Samples that a part with a solver of its own gives and takes in the shortest delay: between them, signals are interpolated.
const SAMPLES_OF_SOLVERS: f64 = 16.0;

/// Steps of all parts and the longest of them.
fn steps(
    model: &CompiledModel,
    ev: &Evaluator,
    cut: &Partitions,
    options: &Options,
    own: &[Option<SolverKind>],
) -> Result<(Vec<f64>, f64), Failure> {
    let shortest = (model.delays.iter())
        .map(|d| ev.get(d.delay))
        .fold(f64::INFINITY, f64::min);
    let longest_rate = options.rates.iter().map(|r| r.1).fold(0.0, f64::max);
    let step = match options.step {
        Some(step) => step,
        // The longest step that the given ones divide.
        None if longest_rate > 0.0 && longest_rate < shortest => {
            (shortest / longest_rate * (1.0 + 1e-9)).floor() * longest_rate
        }
        None if options.solver.is_some() => shortest / SAMPLES_OF_SOLVERS,
        None => shortest,
    };
    if !(step > 0.0 && step.is_finite()) {
        let mut failure =
            Failure::new("a partitioned run needs a step: the model has no delay to take it from");
        let help = "give one with --step H; `ferrica check --suggest-lines` says where lines would cut the model";
        failure.details.push(help.into());
        return Err(failure);
    }
    let mut steps = vec![step; cut.parts.len()];
    for (h, own) in steps.iter_mut().zip(own) {
        if own.is_some() && options.solver.is_none() && options.step.is_none() {
            *h = step / SAMPLES_OF_SOLVERS;
        }
    }
    for (name, h) in &options.rates {
        steps[find(model, cut, name)?] = *h;
    }
    let base = steps.iter().copied().fold(step, f64::max);
    for (k, h) in steps.iter().enumerate() {
        if whole(base / h).is_none() {
            let mut failure = Failure::new(format!(
                "the step {} of partition `{}` does not divide the longest step {}",
                brief(*h),
                cut.parts[k].name,
                brief(base)
            ));
            let times = (base / h).ceil();
            failure.details.push(format!(
                "{} would, or give all partitions another step with --step",
                base / times
            ));
            return Err(failure);
        }
    }
    Ok((steps, base))
}

impl Plan {
    pub fn new(
        model: &CompiledModel,
        ev: &Evaluator,
        cut: &Partitions,
        options: &Options,
        history: &History,
    ) -> Result<Plan, Failure> {
        supported(model)?;
        let own = own_solvers(model, cut, options)?;
        let mut fused = fused_parts(model, cut, options);
        for (f, own) in fused.iter_mut().zip(&own) {
            if own.is_some() {
                *f = None;
            }
        }
        match Plan::with_cells(model, ev, cut, options, history, &own, &mut fused) {
            // Without machine code the evaluator does it all.
            Err(Unplanned::NoCode) => {
                let mut none = vec![None; cut.parts.len()];
                Plan::with_cells(model, ev, cut, options, history, &own, &mut none)
            }
            plan => plan,
        }
        .map_err(|e| match e {
            Unplanned::NoCode => Failure::new("there is no machine code for this processor"),
            Unplanned::Failed(failure) => failure,
        })
    }

    fn with_cells(
        model: &CompiledModel,
        ev: &Evaluator,
        cut: &Partitions,
        options: &Options,
        history: &History,
        own: &[Option<SolverKind>],
        fused: &mut [Option<Fused>],
    ) -> Result<Plan, Unplanned> {
        let (steps, base) = steps(model, ev, cut, options, own)?;
        let mut clusters = clusters(model, cut, &steps, base, options, own, fused);
        // Of each cluster: delays that reach its cells from within, in steps; links and columns of the others.
        let mut inner: Vec<HashMap<u32, u64>> = vec![HashMap::new(); clusters.len()];
        let mut linked: Vec<HashMap<u32, (usize, u32)>> = vec![HashMap::new(); clusters.len()];
        let mut columns: Vec<HashMap<u32, u32>> = vec![HashMap::new(); clusters.len()];
        let mut cluster_of = vec![0usize; cut.parts.len()];
        for (c, cluster) in clusters.iter().enumerate() {
            for &p in &cluster.parts {
                cluster_of[p] = c;
            }
        }
        let mut lengthened = Vec::new();
        let mut speeds = None;
        for line in &cut.lines {
            let d = model.delays[line.delay];
            if line.from == NONE {
                continue;
            }
            let from = cluster_of[line.from as usize];
            let mut to: Vec<usize> = line.to.iter().map(|&p| cluster_of[p as usize]).collect();
            if to.is_empty() {
                to.push(from);
            }
            to.sort_unstable();
            to.dedup();
            for c in to {
                let mut delay = ev.get(d.delay);
                let h = clusters[c].step;
                if delay < h * (1.0 - 1e-9) || !delay.is_finite() {
                    let text = format!(
                        "the delay of {} s into `{}` is shorter than its step {} s",
                        brief(delay),
                        reader_name(cut, line, &cluster_of, c),
                        brief(h)
                    );
                    if !options.stretch || !delay.is_finite() {
                        let mut failure = Failure::new(text);
                        failure.details.push(format!(
                            "take a step of at most {delay} s, or --stretch to lengthen the line"
                        ));
                        return Err(failure.into());
                    }
                    let all = speeds.get_or_insert_with(|| Speeds::new(model, ev, cut));
                    let speed = all.of(line);
                    let (a, origin) = speed.map_or((TYPICAL_SPEED, "typical"), |a| (a, "its own"));
                    let longer = Lengthened {
                        text,
                        time: h - delay,
                        times: h / delay,
                        speed: a,
                        origin,
                    };
                    lengthened.push(longer);
                    delay = h;
                }
                let (h_from, first) = (clusters[from].step, history.first[line.delay]);
                let states = !clusters[c].states.is_empty();
                clusters[c].visible.push(d.result);
                if c == from
                    && !line.to.is_empty()
                    && clusters[c].is_fused
                    && let Some(n) = whole(delay / h)
                {
                    inner[c].insert(line.delay as u32, n);
                    continue;
                }
                let column = *columns[from].entry(line.delay as u32).or_insert_with(|| {
                    clusters[from].sources.push(d.source);
                    clusters[from].source_delays.push(line.delay as u32);
                    clusters[from].sources.len() as u32 - 1
                });
                let k = link(&mut clusters[c], from, h_from, delay, states);
                clusters[c].links[k].reads.push((column, d.result, first));
                linked[c].insert(line.delay as u32, (k, column));
            }
        }
        connect(&mut clusters);
        for (c, cluster) in clusters.iter_mut().enumerate() {
            if cluster.is_fused {
                make_cells(cluster, fused, options, &inner[c], &columns[c]);
                place_imports(cluster, history, &linked[c]);
            }
        }
        let plans = clusters.iter().filter_map(|c| c.cells.as_ref());
        let codes = cells::compile(plans).map_err(|_| Unplanned::NoCode)?;
        let shared = arrange(&model.kernels, &model.systems, &model.main, &cut.shared);
        let mut all: Vec<BlockId> = [cut.shared.as_slice(), &cut.observers].concat();
        all.sort_unstable();
        Ok(Plan {
            workers: clusters.iter().map(|c| c.worker + 1).max().unwrap_or(1),
            clusters,
            base,
            tolerance: options.tolerance,
            shared,
            observers: arrange(&model.kernels, &model.systems, &model.main, &all),
            warnings: told(&lengthened),
            codes,
        })
    }
}

/// Why there is no plan.
enum Unplanned {
    NoCode,
    Failed(Failure),
}

impl From<Failure> for Unplanned {
    fn from(failure: Failure) -> Unplanned {
        Unplanned::Failed(failure)
    }
}

/// Different cells that get machine code; rarer ones are left to the evaluator.
const MAX_CELLS: usize = 256;

/// The parts that are cells. Depends on nothing but the model, so that results do not depend on threads.
fn fused_parts(model: &CompiledModel, cut: &Partitions, options: &Options) -> Vec<Option<Fused>> {
    let mut fuser = Fuser::new(model, cut);
    let mut fused: Vec<Option<Fused>> = (0..cut.parts.len()).map(|p| fuser.fuse(p)).collect();
    let mut counts: HashMap<ferrica_codegen::cell::Cell, usize> = HashMap::new();
    for f in fused.iter().flatten() {
        *counts.entry(f.cell.clone()).or_default() += 1;
    }
    let mut frequent: Vec<usize> = counts.values().copied().collect();
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    let least = frequent.get(MAX_CELLS).map_or(0, |n| n + 1);
    for f in &mut fused {
        // A step that failed in the middle could not be repeated.
        let again = |f: &Fused| {
            options.method == Method::Rk4 && !f.states.is_empty() && !f.unknowns.is_empty()
        };
        if f.as_ref()
            .is_some_and(|f| again(f) || counts[&f.cell] < least)
        {
            *f = None;
        }
    }
    fused
}

fn make_cells(
    cluster: &mut ClusterPlan,
    fused: &mut [Option<Fused>],
    options: &Options,
    inner: &HashMap<u32, u64>,
    columns: &HashMap<u32, u32>,
) {
    let cells = (cluster.parts.iter())
        .filter_map(|&p| fused[p].take().map(|f| (p, f)))
        .collect();
    let method = match options.method {
        Method::Euler => CellMethod::Euler,
        Method::Rk4 => CellMethod::Rk4,
    };
    let way = |d: u32| inner.get(&d).map_or(Way::Import, |&n| Way::Steps(n));
    let plan = CellPlan::new(cells, method, way, |d| columns.get(&d).copied());
    cluster.cells = Some(plan);
}

/// Tells the links which imports of the cells they serve.
fn place_imports(
    cluster: &mut ClusterPlan,
    history: &History,
    linked: &HashMap<u32, (usize, u32)>,
) {
    cluster.imports = vec![Vec::new(); cluster.links.len()];
    let Some(cells) = &cluster.cells else { return };
    for (place, d) in cells.imports.iter().enumerate() {
        if let Some(&(link, column)) = linked.get(d) {
            let first = history.first[*d as usize];
            cluster.imports[link].push((column, place as u32, first));
        }
    }
}

/// Every instant of a sampler must have a step of its own in each of the parts that read it.
pub fn check_samplers(plan: &Plan, model: &CompiledModel, ev: &Evaluator) -> Result<(), Failure> {
    for cluster in &plan.clusters {
        for &k in cluster.eventful.iter().flat_map(|p| &p.samplers) {
            let interval = ev.get(model.samplers[k as usize].2);
            if interval < cluster.step * (1.0 - 1e-6) {
                let what = format!("the model samples every {} s", brief(interval));
                return Err(plain(lost_instant(
                    ev.time(),
                    &what,
                    interval,
                    cluster.step,
                )));
            }
        }
    }
    Ok(())
}

/// Says what a partitioned run cannot do.
fn supported(model: &CompiledModel) -> Result<(), Failure> {
    let what = if model.delays.iter().any(|d| !d.constant) {
        "a delay whose time varies"
    } else if !model.transports.is_empty() {
        "spatialDistribution"
    } else if !model.terminates.is_empty() {
        "terminate()"
    } else if model.effects.iter().any(|e| e.guard.is_some()) {
        "calls with side effects at events"
    } else if !model.dynamic_states.is_empty() {
        "states that are chosen during the run"
    } else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "{what} is not supported in a partitioned run; run it as one system"
    )))
}

/// The link of a cluster to a source with this delay.
fn link(
    cluster: &mut ClusterPlan,
    from: usize,
    h_from: f64,
    delay: f64,
    half_steps: bool,
) -> usize {
    let exact = |r: f64| whole(r).map_or(r, |n| n as f64);
    let (ratio, shift) = (exact(cluster.step / h_from), exact(delay / h_from));
    let same = |l: &Link| l.from == from && l.shift == shift;
    match cluster.links.iter().position(same) {
        Some(at) => at,
        None => {
            cluster.links.push(Link {
                from,
                ratio,
                shift,
                aligned: ratio.fract() == 0.0 && shift.fract() == 0.0 && !half_steps,
                cubic: delay >= (cluster.step + h_from) * (1.0 - 1e-9),
                reads: Vec::new(),
            });
            cluster.links.len() - 1
        }
    }
}

/// Tells sources their readers, and how many samples to keep for them.
fn connect(clusters: &mut [ClusterPlan]) {
    for c in 0..clusters.len() {
        for k in 0..clusters[c].links.len() {
            let link = &clusters[c].links[k];
            let (from, kept) = (link.from, link.shift.ceil() + 2.0 * link.ratio.ceil() + 8.0);
            clusters[from].readers.push((c, k));
            let slack = 2 * clusters[from].per_base;
            let capacity = &mut clusters[from].capacity;
            *capacity = (*capacity).max(kept as u64 + slack);
        }
    }
}

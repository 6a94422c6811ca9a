//! The plan of a partitioned run: steps, threads, who reads what from whom.
//!
//! Parts with equal steps on one thread form a cluster: they advance together, so that equations of
//! one shape run as one batch, or as cells with machine code of their own. Clusters exchange samples through tables. Steps divide the longest
//! one, at whose multiples the results are taken.

use std::collections::HashMap;

use ferrica_codegen::jit::cell::{CellCode, CellMethod, Shape};
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel};
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::schedule::arrange;
use ferrica_codegen::{Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;

use crate::cells;
use crate::classes::{CellPlan, Way};
use crate::fuse::{Fused, Fuser};
use crate::history::History;
use crate::parts::{NONE, Partitions};

/// Formula for the states of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    #[default]
    Rk4,
    Euler,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Step of all parts; the shortest delay if not given.
    pub step: Option<f64>,
    pub method: Method,
    /// Number of threads, at least one.
    pub threads: usize,
    /// Steps of single parts, by their name or that of a component in them.
    pub rates: Vec<(String, f64)>,
    /// Lengthen lines that are shorter than the step.
    pub stretch: bool,
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
        let near = at.round();
        if (at - near).abs() < 1e-6 { near } else { at }
    }

    /// Last sample needed for the step that ends at `i`; negative: none.
    pub fn last(&self, i: u64) -> i64 {
        let at = self.position(i, 0.0);
        if at < 0.0 {
            return -1;
        }
        at.ceil() as i64 + i64::from(self.cubic && !self.aligned)
    }

    /// First sample that a reader that stands at `i` may still need.
    pub fn first(&self, i: u64) -> u64 {
        (self.position(i, 0.0).floor() - 1.0).max(0.0) as u64
    }
}

/// A part with conditions: its events concern no other part.
pub struct EventPart {
    pub part: usize,
    /// All its blocks, continuous and discrete.
    pub program: Program,
    pub relations: Vec<u32>,
    pub reinits: Vec<u32>,
    /// Samplers that it reads.
    pub samplers: Vec<u32>,
    /// Present value, left limit, and whether a change of it is another pass.
    pub left_limits: Vec<(Slot, Slot, bool)>,
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
    /// Of each link: columns and the imports of the cells that they go to.
    pub imports: Vec<Vec<(u32, u32, f64)>>,
}

/// See the module comment.
pub struct Plan {
    pub clusters: Vec<ClusterPlan>,
    pub workers: usize,
    /// The longest step.
    pub base: f64,
    /// For the results: time-only blocks, then observers too.
    pub shared: Program,
    pub observers: Program,
    pub warnings: Vec<String>,
    /// Machine code of the cells.
    pub codes: HashMap<Shape, CellCode>,
}

fn whole(ratio: f64) -> Option<u64> {
    let near = ratio.round();
    ((ratio - near).abs() <= 1e-6 * near && near >= 1.0).then_some(near as u64)
}

/// Steps of all parts and the longest of them.
fn steps(
    model: &CompiledModel,
    ev: &Evaluator,
    cut: &Partitions,
    options: &Options,
) -> Result<(Vec<f64>, f64), Failure> {
    let shortest = (model.delays.iter())
        .map(|d| ev.get(d.delay))
        .fold(f64::INFINITY, f64::min);
    let step = options.step.unwrap_or(shortest);
    if !(step > 0.0 && step.is_finite()) {
        return Err(Failure::new(
            "a partitioned run needs a step: the model has no delay to take it from",
        ));
    }
    let mut steps = vec![step; cut.parts.len()];
    for (name, h) in &options.rates {
        let Some(k) = cut.find(name) else {
            let mut failure = Failure::new(format!("there is no partition `{name}`"));
            let known = cut.parts.iter().take(12).map(|p| p.name.clone());
            failure.details.push(format!(
                "partitions: {}",
                known.collect::<Vec<_>>().join(", ")
            ));
            return Err(failure);
        };
        steps[k] = *h;
    }
    let base = steps.iter().copied().fold(step, f64::max);
    for (k, h) in steps.iter().enumerate() {
        if whole(base / h).is_none() {
            return Err(Failure::new(format!(
                "the step {h} of partition `{}` does not divide the longest step {base}",
                cut.parts[k].name
            )));
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
        let mut fused = fused_parts(model, cut, options);
        match Plan::with_cells(model, ev, cut, options, history, &mut fused) {
            // Without machine code the evaluator does it all.
            Err(Unplanned::NoCode) => {
                let mut none = vec![None; cut.parts.len()];
                Plan::with_cells(model, ev, cut, options, history, &mut none)
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
        fused: &mut [Option<Fused>],
    ) -> Result<Plan, Unplanned> {
        let (steps, base) = steps(model, ev, cut, options)?;
        let mut clusters = clusters(model, cut, &steps, base, options, fused);
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
        let mut warnings = Vec::new();
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
                        "the delay of {delay} s into `{}` is shorter than its step {h} s",
                        reader_name(cut, line, &cluster_of, c)
                    );
                    if !options.stretch || !delay.is_finite() {
                        let mut failure = Failure::new(text);
                        failure.details.push(format!(
                            "take a step of at most {delay} s, or --stretch to lengthen the line"
                        ));
                        return Err(failure.into());
                    }
                    let speed = wave_speed(model, ev, cut, line);
                    let (a, origin) = speed.map_or((TYPICAL_SPEED, "typical"), |a| (a, "its own"));
                    warnings.push(format!(
                        "{text}: it is lengthened by {} s of travelling time, {} m at {origin} wave speed {a:.0} m/s ({:.3} times)",
                        h - delay,
                        short((h - delay) * a),
                        h / delay
                    ));
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
            shared,
            observers: arrange(&model.kernels, &model.systems, &model.main, &all),
            warnings,
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

/// Speed of sound in oil, for lines that do not say.
const TYPICAL_SPEED: f64 = 1000.0;

fn short(x: f64) -> String {
    format!("{:.4}", x)
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// √(β/ρ) of the component whose equations read a delayed value, if it has such parameters.
fn wave_speed(
    model: &CompiledModel,
    ev: &Evaluator,
    cut: &Partitions,
    line: &crate::parts::Line,
) -> Option<f64> {
    let result = model.delays[line.delay].result;
    let parts = line.to.iter().chain([&line.from]).filter(|&&p| p != NONE);
    let blocks = parts.flat_map(|&p| &cut.parts[p as usize].blocks);
    let reader = blocks
        .copied()
        .find(|&b| model.block_reads(&model.main, b).contains(&result))?;
    let component = *crate::parts::components_of(model, reader).first()?;
    let path = &model.source.components.get(component as usize)?.path;
    let value = |names: &[&str]| {
        let found = names
            .iter()
            .find_map(|n| model.find(&format!("{path}.{n}")));
        found.map(|(slot, _)| ev.get(slot))
    };
    let (bulk, density) = (value(&["beta", "Be"])?, value(&["rho"])?);
    Some((bulk / density).sqrt()).filter(|a| a.is_finite() && *a > 0.0)
}

fn reader_name(
    cut: &Partitions,
    line: &crate::parts::Line,
    cluster_of: &[usize],
    cluster: usize,
) -> String {
    let part = line.to.iter().find(|&&p| cluster_of[p as usize] == cluster);
    let part = part.copied().unwrap_or(line.from);
    cut.parts[part as usize].name.clone()
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

/// Parts that may form a cluster.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kin {
    Cells,
    Stateless,
    /// These ask for evaluations within a step.
    States,
}

/// Contiguous parts of about equal work to each thread; by steps, and by whether there are states, since
/// these ask for evaluations within a step.
fn clusters(
    model: &CompiledModel,
    cut: &Partitions,
    steps: &[f64],
    base: f64,
    options: &Options,
    fused: &[Option<Fused>],
) -> Vec<ClusterPlan> {
    let cost = |p: usize| (cut.parts[p].blocks.len() as f64 + 1.0) * base / steps[p];
    let total: f64 = (0..steps.len()).map(cost).sum();
    let threads = options.threads.max(1);
    let mut sum = 0.0;
    let mut groups: Vec<(usize, f64, Kin, Vec<usize>)> = Vec::new();
    for (p, &h) in steps.iter().enumerate() {
        let middle = sum + 0.5 * cost(p);
        sum += cost(p);
        let worker = ((middle / total * threads as f64) as usize).min(threads - 1);
        let kin = if fused[p].is_some() {
            Kin::Cells
        } else if cut.parts[p].states.is_empty() {
            Kin::Stateless
        } else {
            Kin::States
        };
        let same = |g: &&mut (usize, f64, Kin, Vec<usize>)| (g.0, g.1, g.2) == (worker, h, kin);
        match groups.iter_mut().rev().find(same) {
            Some(g) => g.3.push(p),
            None => groups.push((worker, h, kin, vec![p])),
        }
    }
    // Threads without work are not started.
    let mut used: Vec<usize> = groups.iter().map(|g| g.0).collect();
    used.sort_unstable();
    used.dedup();
    for g in &mut groups {
        g.0 = used.binary_search(&g.0).unwrap_or(0);
    }
    let events = EventTables::new(model, cut);
    groups
        .into_iter()
        .map(|(worker, step, kin, parts)| {
            let mut c = cluster(model, cut, worker, step, base, parts, &events);
            c.is_fused = kin == Kin::Cells;
            c
        })
        .collect()
}

/// What events of parts are made of.
struct EventTables {
    /// Of each part: its left limits.
    left_limits: Vec<Vec<(Slot, Slot, bool)>>,
    /// Sampler of a slot, if it is the memory of one.
    sampler_of: Vec<u32>,
}

impl EventTables {
    fn new(model: &CompiledModel, cut: &Partitions) -> EventTables {
        let mut left_limits = vec![Vec::new(); cut.parts.len()];
        for &(now, pre) in &model.layout.pre_pairs {
            let p = cut.part_of[now as usize];
            if p != NONE {
                let discrete = model.variable(now).is_some_and(|v| {
                    matches!(model.source.vars[v].kind, Kind::Discrete | Kind::Relation)
                });
                left_limits[p as usize].push((now, pre, discrete));
            }
        }
        let mut sampler_of = vec![NONE; model.slot_count()];
        for (k, s) in model.samplers.iter().enumerate() {
            sampler_of[s.0 as usize] = k as u32;
        }
        EventTables {
            left_limits,
            sampler_of,
        }
    }

    /// The events of a part, if it can have any.
    fn part(&self, model: &CompiledModel, cut: &Partitions, p: usize) -> Option<EventPart> {
        let part = &cut.parts[p];
        let mut samplers: Vec<u32> = part
            .blocks
            .iter()
            .flat_map(|&b| model.block_reads(&model.main, b))
            .map(|&r| self.sampler_of[r as usize])
            .filter(|&k| k != NONE)
            .collect();
        samplers.sort_unstable();
        samplers.dedup();
        if part.relations.is_empty() && samplers.is_empty() {
            return None;
        }
        let mut blocks = [cut.shared.as_slice(), &part.blocks].concat();
        blocks.sort_unstable();
        let mut program = Program::default();
        for b in blocks {
            match model.main.blocks[b].kind {
                BlockKind::Row(row) => {
                    program.push_row(row.kernel, model.kernels.row(row), false);
                }
                BlockKind::System(s) => program.steps.push(Step::Solve(s)),
            }
        }
        Some(EventPart {
            part: p,
            program,
            relations: part.relations.clone(),
            reinits: part.reinits.clone(),
            samplers,
            left_limits: self.left_limits[p].clone(),
        })
    }
}

fn cluster(
    model: &CompiledModel,
    cut: &Partitions,
    worker: usize,
    step: f64,
    base: f64,
    parts: Vec<usize>,
    events: &EventTables,
) -> ClusterPlan {
    let mut blocks: Vec<BlockId> = cut.shared.clone();
    let mut states = Vec::new();
    let mut visible = Vec::new();
    let mut eventful = Vec::new();
    let layout = &model.layout;
    for &p in &parts {
        let part = &cut.parts[p];
        blocks.extend_from_slice(&part.blocks);
        eventful.extend(events.part(model, cut, p));
        let slots = |k: &u32| (layout.states + k, layout.derivatives + k);
        states.extend(part.states.iter().map(slots));
        visible.extend(part.states.iter().map(|k| layout.states + k));
        let memory = |&k: &u32| model.relations[k as usize].memory;
        visible.extend(part.relations.iter().map(memory));
        for &b in &part.blocks {
            visible.extend_from_slice(model.block_writes(&model.main, b));
        }
    }
    blocks.retain(|&b| model.main.blocks[b].continuous);
    blocks.sort_unstable();
    ClusterPlan {
        worker,
        parts,
        step,
        per_base: whole(base / step).unwrap_or(1),
        states,
        core: arrange(&model.kernels, &model.systems, &model.main, &blocks),
        relations: cut.shared_relations.clone(),
        eventful,
        sources: Vec::new(),
        source_delays: Vec::new(),
        links: Vec::new(),
        readers: Vec::new(),
        capacity: 4,
        visible,
        is_fused: false,
        cells: None,
        imports: Vec::new(),
    }
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

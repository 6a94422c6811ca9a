//! Clusters: which parts advance together, and on which thread or rank.

use ferrica_codegen::Slot;
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel};
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::schedule::arrange;
use ferrica_hybrid::{LeftLimits, Scope};
use ferrica_sim::SolverKind;

use crate::balance::balance;
use crate::fuse::Fused;
use crate::instants::Instants;
use crate::parts::{Line, NONE, Partitions};
use crate::plan::{ClusterPlan, EventPart, Options, whole};

/// Equations in the longest step of all below which a thread waits longer for samples than it works.
const LEAST_WORK: f64 = 64.0;

/// Parts that may form a cluster.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kin {
    Cells,
    Stateless,
    /// These ask for evaluations within a step.
    States,
    /// A solver of its own: shares its cluster with no other part.
    Own(SolverKind),
}

/// Clusters of each worker: by steps, and by whether there are states, since these ask for evaluations within a step.
pub fn clusters(
    model: &CompiledModel,
    cut: &Partitions,
    steps: &[f64],
    base: f64,
    options: &Options,
    own: &[Option<SolverKind>],
    fused: &[Option<Fused>],
) -> Vec<ClusterPlan> {
    let cost = |p: usize| (cut.parts[p].blocks.len() as f64 + 1.0) * base / steps[p];
    let costs: Vec<f64> = (0..steps.len()).map(cost).collect();
    let between = |l: &Line| -> Vec<(usize, usize)> {
        let to = l.to.iter().filter(|_| l.from != NONE);
        to.map(|&to| (l.from as usize, to as usize)).collect()
    };
    let lines: Vec<(usize, usize)> = cut.lines.iter().flat_map(between).collect();
    let mut threads = options.threads.max(1);
    if options.fewer_threads {
        let most = (costs.iter().sum::<f64>() / LEAST_WORK) as usize;
        threads = threads.min(most.max(1));
    }
    let workers = balance(&costs, &lines, threads);
    let mut groups: Vec<(usize, f64, Kin, Vec<usize>)> = Vec::new();
    for (p, &h) in steps.iter().enumerate() {
        let worker = workers[p];
        let kin = if let Some(kind) = own[p] {
            groups.push((worker, h, Kin::Own(kind), vec![p]));
            continue;
        } else if fused[p].is_some() {
            Kin::Cells
        } else if cut.parts[p].states.is_empty() {
            Kin::Stateless
        } else {
            Kin::States
        };
        let same = |g: &&mut (usize, f64, Kin, Vec<usize>)| (g.0, g.1, g.2) == (worker, h, kin);
        match groups
            .iter_mut()
            .filter(|g| !matches!(g.2, Kin::Own(_)))
            .find(same)
        {
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
    let events = EventTables::new(model, cut, options);
    groups
        .into_iter()
        .map(|(worker, step, kin, parts)| {
            let mut c = cluster(model, cut, worker, step, base, parts, &events);
            c.is_fused = kin == Kin::Cells;
            if let Kin::Own(kind) = kin {
                c.own = Some(kind);
            }
            c
        })
        .collect()
}

/// What events of parts are made of.
struct EventTables {
    /// Of each part: its left limits.
    left_limits: Vec<LeftLimits>,
    /// Sampler of a slot, if it is the memory of one.
    sampler_of: Vec<u32>,
    may_hold: bool,
}

impl EventTables {
    fn new(model: &CompiledModel, cut: &Partitions, options: &Options) -> EventTables {
        let part_of = |pre: Slot| Some(cut.part_of[pre as usize]).filter(|&p| p != NONE);
        let left_limits = LeftLimits::new(model)
            .of_parts(cut.parts.len(), |pre| part_of(pre).map(|p| p as usize));
        let mut sampler_of = vec![NONE; model.slot_count()];
        for (k, s) in model.samplers.iter().enumerate() {
            sampler_of[s.0 as usize] = k as u32;
        }
        EventTables {
            left_limits,
            sampler_of,
            may_hold: options.inlined,
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
        let is_discrete = |&b: &BlockId| !model.main.blocks[b].continuous;
        let is_timed = !cut.shared_relations.is_empty()
            && (!part.reinits.is_empty() || part.blocks.iter().any(is_discrete));
        if part.relations.is_empty() && samplers.is_empty() && !is_timed {
            return None;
        }
        let timed = |k: &&u32| model.relations[**k as usize].time_event;
        let timed: Vec<u32> = part.relations.iter().filter(timed).copied().collect();
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
        let reinits = part.reinits.iter().map(|&k| model.reinits[k as usize]);
        let assertions = part
            .assertions
            .iter()
            .map(|&k| &model.assertions[k as usize]);
        let wanted = reinits
            .flat_map(|(_, condition, value)| [condition, value])
            .chain(assertions.flat_map(|a| a.guard.into_iter().chain([a.value])));
        let mut acting: Vec<BlockId> = wanted.filter_map(|s| model.main.writer_of(s)).collect();
        acting.sort_unstable();
        acting.dedup();
        Some(EventPart {
            part: p,
            program,
            actions: arrange(&model.kernels, &model.systems, &model.main, &acting),
            instants: Instants::new(model, timed),
            scope: Scope::part(
                &part.relations,
                &part.reinits,
                &part.assertions,
                self.left_limits[p].clone(),
            ),
            samplers,
            is_timed,
            may_hold: self.may_hold,
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
        own: None,
    }
}

//! The cells of a cluster at work: records, planes, and the machine code that runs over them.
//!
//! Between steps the planes hold what arrives at the next steps, and the records the states at the step done. The
//! evaluator's slots are only brought up to date where somebody looks: for results, at events, and
//! where an iteration did not converge.

use std::collections::HashMap;

use ferrica_codegen::cell::CellOp;
use ferrica_codegen::jit::cell::{CellArgs, CellCode, CellMethod, Shape};
use ferrica_codegen::jit::tiny::TinyIsZero;
use ferrica_codegen::model::{BlockId, BlockKind};
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Failure};

use crate::classes::{CellPlan, Class, OUTSIDE};
use crate::history::History;
use crate::receive::between;

/// Planes for which all addresses are computed in advance; longer rings compute them at each step.
const MAX_PHASES: u64 = 256;

/// Delays in a model from which on subnormal numbers count as zero: fronts are long, and the two words to the processor cost
/// nothing any more. A matter of the whole model, so that results do not depend on who runs which cells.
const MANY: usize = 256;

/// Arriving values of one delay, a ring of planes.
struct Plane {
    /// Delay in steps; 0 for imports.
    steps: u64,
    width: usize,
    mask: u64,
    /// Rings first, then the plane of the middle of a step.
    values: Box<[f64]>,
}

impl Plane {
    fn new(steps: u64, width: usize, halves: bool) -> Plane {
        // From the present arrival to the one that is written in the coming step, and for values in the middle of a
        // step a neighbour at each end. Not more: a step goes through all of them, and they are to stay in the cache.
        let rings = match (steps, halves) {
            (0, _) => 1,
            (_, true) => (steps + 4).next_power_of_two(),
            (_, false) => (steps + 2).next_power_of_two(),
        };
        Plane {
            steps,
            width,
            mask: rings - 1,
            values: vec![0.0; (rings as usize + 1) * width].into_boxed_slice(),
        }
    }

    /// Position of the plane of arrival `a`.
    fn at(&self, arrival: u64) -> usize {
        (arrival & self.mask) as usize * self.width
    }

    fn middle(&self) -> usize {
        (self.mask as usize + 1) * self.width
    }

    fn arriving(&self, arrival: u64) -> &[f64] {
        &self.values[self.at(arrival)..][..self.width]
    }

    /// Values half a step before arrival `next`, as polynomials through the neighbouring ones.
    fn interpolate(&mut self, next: u64) {
        let (width, now) = (self.width, next - 1);
        let middle = self.middle();
        let rows = [
            self.at(now.saturating_sub(1)),
            self.at(now),
            self.at(next),
            self.at(next + 1),
        ];
        let (old, new) = self.values.split_at_mut(middle);
        for k in 0..width {
            let v = |j: usize| old[rows[j] + k];
            new[k] = if now < self.steps {
                v(1)
            } else if self.steps >= 2 && now > self.steps {
                between([v(0), v(1), v(2), v(3)], 0.5)
            } else {
                v(1) + 0.5 * (v(2) - v(1))
            };
        }
    }
}

/// Records and addresses of one class.
struct Group {
    code: CellCode,
    stride: usize,
    records: Box<[f64]>,
    flags: Box<[u32]>,
    /// Addresses of inputs and sinks for each phase of the rings.
    inputs: Vec<[*const f64; 2]>,
    sinks: Vec<*mut f64>,
    /// So many of them for each phase.
    n_planes: usize,
    n_sinks: usize,
    /// The code reads the time.
    timed: bool,
}

/// See the module comment.
pub struct Cells<'a> {
    plan: &'a CellPlan,
    planes: Vec<Plane>,
    exports: Box<[f64]>,
    groups: Vec<Group>,
    /// What each class is called with, for each phase of the rings; times are set at each step.
    args: Vec<CellArgs>,
    phases: u64,
    start: f64,
    step: f64,
    halves: bool,
    /// See [`MANY`].
    many: bool,
    /// Some class reads the time.
    timed: bool,
    /// Class and position of each cell.
    place: Vec<(usize, usize)>,
    /// Programs of single parts, made when needed.
    programs: HashMap<usize, Program>,
}

/// Machine code of all shapes of a plan, equal ones once.
pub fn compile<'p>(
    plans: impl Iterator<Item = &'p CellPlan>,
) -> Result<HashMap<Shape, CellCode>, String> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut known: HashMap<Shape, usize> = HashMap::new();
    for class in plans.flat_map(|p| &p.classes) {
        if !known.contains_key(&class.shape) {
            known.insert(class.shape.clone(), shapes.len());
            shapes.push(class.shape.clone());
        }
    }
    let codes = CellCode::compile(&shapes)?;
    Ok(shapes.into_iter().zip(codes).collect())
}

impl<'a> Cells<'a> {
    /// At the start, from the evaluator's slots.
    pub fn new(
        plan: &'a CellPlan,
        codes: &HashMap<Shape, CellCode>,
        exports: usize,
        ev: &Evaluator,
        (start, done, step): (f64, u64, f64),
        history: &History,
    ) -> Result<Cells<'a>, Failure> {
        let halves = (plan.classes.iter())
            .any(|c| c.shape.method == CellMethod::Rk4 && !c.shape.cell.derivatives.is_empty());
        let mut planes: Vec<Plane> = (plan.planes.iter())
            .map(|&(steps, width)| Plane::new(steps, width, halves))
            .collect();
        let mut place = vec![(0, 0); plan.cells.len()];
        let mut groups = Vec::new();
        for (k, class) in plan.classes.iter().enumerate() {
            for (i, &c) in class.cells.iter().enumerate() {
                place[c] = (k, i);
            }
            let Some(code) = codes.get(&class.shape) else {
                return Err(Failure::new("a cell has no machine code"));
            };
            let stride = class.shape.stride();
            groups.push(Group {
                code: code.clone(),
                stride,
                records: vec![0.0; stride * class.cells.len()].into_boxed_slice(),
                flags: vec![0; class.cells.len()].into_boxed_slice(),
                inputs: Vec::new(),
                sinks: Vec::new(),
                n_planes: class.planes.len(),
                n_sinks: class.sinks.len(),
                timed: !class.shape.cell.derivatives.is_empty()
                    || class.shape.cell.ops.contains(&CellOp::Time),
            });
        }
        let model = &ev.model;
        for (places, (_, f)) in plan.inputs.iter().zip(&plan.cells) {
            for (&(g, place), &delay) in places.iter().zip(&f.inputs) {
                let d = model.delays[delay as usize];
                let plane = &mut planes[g];
                let rings = plane.mask as usize + 2;
                for r in 0..rings {
                    plane.values[r * plane.width + place as usize] = history.first[delay as usize];
                }
                if g == OUTSIDE {
                    continue;
                }
                // What was sent so many steps ago arrives one delay after that.
                for ago in 0..=(plane.steps + 1).min(done) {
                    let sent = if ago == 0 {
                        Some(ev.get(d.source))
                    } else {
                        history.sample(delay, ago)
                    };
                    let at = plane.at(done + plane.steps - ago) + place as usize;
                    plane.values[at] = sent.unwrap_or(history.first[delay as usize]);
                }
            }
        }
        let phases = planes.iter().map(|p| p.mask + 1).max().unwrap_or(1);
        let mut cells = Cells {
            plan,
            planes,
            exports: vec![0.0; exports.max(1)].into_boxed_slice(),
            timed: groups.iter().any(|g| g.timed),
            groups,
            args: Vec::new(),
            phases,
            start,
            step,
            halves,
            many: ev.model.delays.len() >= MANY,
            place,
            programs: HashMap::new(),
        };
        if phases <= MAX_PHASES {
            for phase in 0..phases {
                cells.addresses(phase);
            }
        }
        for c in 0..plan.cells.len() {
            cells.refill(c, ev);
        }
        let rows = if phases > MAX_PHASES { 1 } else { phases };
        for phase in 0..rows as usize {
            for (group, class) in cells.groups.iter_mut().zip(&plan.classes) {
                cells.args.push(CellArgs {
                    records: group.records.as_mut_ptr(),
                    targets: class.targets.as_ptr(),
                    flags: group.flags.as_mut_ptr(),
                    count: class.cells.len() as u64,
                    time: start,
                    middle: start,
                    step,
                    sixth: step / 6.0,
                    planes: group.inputs.as_ptr().wrapping_add(phase * group.n_planes),
                    sinks: group.sinks.as_ptr().wrapping_add(phase * group.n_sinks),
                });
            }
        }
        Ok(cells)
    }

    /// Appends the addresses for the step to arrival `next`.
    fn addresses(&mut self, next: u64) {
        for (group, class) in self.groups.iter_mut().zip(&self.plan.classes) {
            for (&g, &first) in class.planes.iter().zip(&class.first) {
                let plane = &self.planes[g];
                let base = plane.values.as_ptr();
                // The places are inside of the plane by its construction.
                let at = |row: usize| base.wrapping_add(row + first as usize);
                group.inputs.push([at(plane.middle()), at(plane.at(next))]);
            }
            for &g in &class.sinks {
                group.sinks.push(if g == OUTSIDE {
                    self.exports.as_mut_ptr()
                } else {
                    let plane = &mut self.planes[g];
                    let row = plane.at(next + plane.steps);
                    plane.values.as_mut_ptr().wrapping_add(row)
                });
            }
        }
    }

    /// Samples that are on their way between the cells after step `done`.
    pub fn remember(&self, done: u64, history: &mut History) {
        for (places, (_, f)) in self.plan.inputs.iter().zip(&self.plan.cells) {
            for (&(g, place), &delay) in places.iter().zip(&f.inputs) {
                if g != OUTSIDE {
                    let plane = &self.planes[g];
                    let sent = |ago: u64| plane.arriving(done + plane.steps - ago)[place as usize];
                    let known = (plane.steps + 1).min(done);
                    history.add(delay, (0..=known).map(sent).collect());
                }
            }
        }
    }

    /// Imports in the middle and at the end of the coming step.
    pub fn imports(&mut self) -> (&mut [f64], &mut [f64]) {
        let width = self.planes[OUTSIDE].width;
        let (end, middle) = self.planes[OUTSIDE].values.split_at_mut(width);
        (middle, end)
    }

    /// Does anybody look at the middle of a step?
    pub fn needs_middle(&self) -> bool {
        self.halves
    }

    pub fn exports(&self) -> &[f64] {
        &self.exports
    }

    /// Readies the rings for the step that ends at `next`.
    pub fn begin(&mut self, next: u64) {
        if self.halves {
            for plane in self.planes.iter_mut().skip(1) {
                plane.interpolate(next);
            }
        }
        if self.phases > MAX_PHASES {
            for group in &mut self.groups {
                group.inputs.clear();
                group.sinks.clear();
            }
            self.addresses(next);
            for (args, group) in self.args.iter_mut().zip(&self.groups) {
                args.planes = group.inputs.as_ptr();
                args.sinks = group.sinks.as_ptr();
            }
        }
    }

    /// Advances the classes of a range to step `next`; all flags together.
    pub fn run(&mut self, classes: std::ops::Range<usize>, next: u64) -> u64 {
        let phase = if self.phases > MAX_PHASES {
            0
        } else {
            next & (self.phases - 1)
        } as usize;
        let args = &mut self.args[phase * self.groups.len()..][classes.clone()];
        let groups = &self.groups[classes];
        if self.timed {
            for (group, args) in groups.iter().zip(&mut *args) {
                if group.timed {
                    args.time = self.start + next as f64 * self.step;
                    args.middle = args.time - 0.5 * self.step;
                }
            }
        }
        // SAFETY: below nothing but the code of the cells computes.
        let _tiny = self.many.then(|| unsafe { TinyIsZero::begin() });
        let mut all = 0;
        for (group, args) in groups.iter().zip(&*args) {
            // SAFETY: records, targets and flags have `count` rows of this shape; the tables of addresses have one row
            // for each phase, and point into planes and exports, which live as long as this and
            // are never reallocated; targets are places of inputs in these planes, or columns of the exports.
            all |= unsafe { group.code.run(args) };
        }
        all
    }

    /// Steps from `done` until a flag is raised or step `last` is done; the last step done and its flags.
    /// For cells without imports only.
    pub fn march(&mut self, done: u64, last: u64) -> (u64, u64) {
        for next in done + 1..=last {
            self.begin(next);
            let flags = self.run(0..self.groups.len(), next);
            if flags != 0 {
                return (next, flags);
            }
        }
        (last, 0)
    }

    /// Cells with flags: number and flags.
    pub fn flagged(&self) -> Vec<(usize, u32)> {
        let mut list = Vec::new();
        for (group, class) in self.groups.iter().zip(&self.plan.classes) {
            let flags = group.flags.iter().zip(&class.cells);
            list.extend(flags.filter(|(f, _)| **f != 0).map(|(&f, &c)| (c, f)));
        }
        list.sort_unstable();
        list
    }

    /// Slots of cell `c` from its record, after step `done`.
    pub fn spill(&self, c: usize, done: u64, ev: &mut Evaluator) {
        let (_, f) = &self.plan.cells[c];
        for (&(g, place), &d) in self.plan.inputs[c].iter().zip(&f.inputs) {
            let value = self.planes[g].arriving(done)[place as usize];
            let slot = ev.model.delays[d as usize].result;
            ev.set(slot, value);
        }
        let (k, i) = self.place[c];
        let group = &self.groups[k];
        let record = &group.records[i * group.stride..][..group.stride];
        let (first, n) = (self.plan.classes[k].shape.states(), f.states.len());
        for (j, &(x, dx)) in f.states.iter().enumerate() {
            ev.set(x, record[first + j]);
            ev.set(dx, record[first + n + j]);
        }
        for (j, &slot) in f.unknowns.iter().enumerate() {
            ev.set(slot, record[first + 2 * n + j]);
        }
    }

    /// Record of cell `c` from its slots.
    pub fn refill(&mut self, c: usize, ev: &Evaluator) {
        let (_, f) = &self.plan.cells[c];
        let (k, i) = self.place[c];
        let group = &mut self.groups[k];
        let record = &mut group.records[i * group.stride..][..group.stride];
        let (first, n) = (self.plan.classes[k].shape.states(), f.states.len());
        let given = |k: u32| ev.get(f.given[k as usize]);
        f.constants.evaluate(given, &mut record[..first]);
        for (j, &(x, dx)) in f.states.iter().enumerate() {
            record[first + j] = ev.get(x);
            record[first + n + j] = ev.get(dx);
        }
        for (j, &slot) in f.unknowns.iter().enumerate() {
            record[first + 2 * n + j] = ev.get(slot);
        }
        group.flags[i] = 0;
    }

    /// Outputs of cell `c` at step `done`, from its slots.
    pub fn send(&mut self, c: usize, done: u64, ev: &Evaluator) {
        let (k, i) = self.place[c];
        let class: &Class = &self.plan.classes[k];
        let n = class.shape.outputs.len();
        let delays = &class.output_delays[i];
        for (j, (&sink, &d)) in class.shape.outputs.iter().zip(delays).enumerate() {
            let target = class.targets[i * n + j] as usize;
            let value = ev.get(ev.model.delays[d as usize].source);
            match class.sinks[sink as usize] {
                OUTSIDE => self.exports[target] = value,
                g => {
                    let plane = &mut self.planes[g];
                    let at = plane.at(done + plane.steps) + target;
                    plane.values[at] = value;
                }
            }
        }
    }

    /// Continuous blocks of the part of cell `c`, in order.
    pub fn program(
        &mut self,
        c: usize,
        model: &CompiledModel,
        blocks: impl Fn(usize) -> Vec<BlockId>,
    ) -> Program {
        let part = self.plan.cells[c].0;
        let make = || {
            let mut program = Program::default();
            for b in blocks(part) {
                let block = &model.main.blocks[b];
                match block.kind {
                    _ if !block.continuous => {}
                    BlockKind::Row(row) => {
                        program.push_row(row.kernel, model.kernels.row(row), false);
                    }
                    BlockKind::System(s) => program.steps.push(Step::Solve(s)),
                }
            }
            program
        };
        self.programs.entry(c).or_insert_with(make).clone()
    }
}

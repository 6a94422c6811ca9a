//! A model with a fixed-step solver as self-contained C99, for machines without this program.
//!
//! In: a model, an experiment and options. Out: files, for a program of its own or for the source of an FMU ([`fmu`]): `NAME.h`, `NAME.c` (`init`, `step`, inputs, parameters, results), `main.c` (a demo that prints CSV),
//! `realtime.c` (a loop by the clock), `NAME_sfun.c` (a block of Simulink), `NAME.json` (what goes in and out: [`channels`]; how much a step does at most: [`work`]) and a `Makefile`. The code is that of the causal formulation as
//! straight-line kernels, with the events of a run ([`hybrid`]); the model is initialized here, and its values
//! at the start are part of the code. No heap, no recursion, all sizes known at compile time.
//!
//! States that are chosen at run time, calls for their effect and models that are too long for straight-line code are
//! refused with a reason.

mod channels;
mod fmu;
mod hybrid;
mod messages;
mod text;
mod work;

use std::collections::HashSet;
use std::sync::Arc;

use ferrica_codegen::c::expression::{comment, literal};
use ferrica_codegen::c::{CUnit, Values};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::{Kernels, Program, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_sim::{AGAIN, Experiment, GROWN, Problem, SimError, TimeEvents, start};

pub use self::channels::{Channel, Channels};
pub use self::fmu::{Role, TOKEN, references};
pub(crate) use self::hybrid::has_events;
use self::hybrid::{Hybrid, is_discrete};
use self::messages::{Message, messages};
use self::text::{list, nested, quoted};
pub use self::work::Work;
use self::work::{elimination, operations};
use crate::causal::Causal;
use crate::causal::fused::settles_at_once;
use crate::causal::reduction::Reduction;
use crate::grid::Grid;
use crate::march::check_samplers;
use crate::march::divergence::{CARRIED, EVERY, LOOKED_AT, carries_slopes, state_sizes};
use crate::march::restart::{APART, TURNS};
use crate::march::within::{AT_MOST, LOOKS};
use crate::method::{BdfStart, Ending, Method, RtOptions};
use crate::simulate::{check, dae_form};
use crate::step::{CONVERGED, causal_error};

/// Operations that straight-line code may have: compilers are superlinear in the length of a function.
const LIMIT: usize = 40_000;

/// A file to be written.
pub struct File {
    pub name: String,
    pub text: String,
}

/// What the code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A program of its own.
    Program,
    /// The source of an FMU for co-simulation, by the version of the interface.
    Fmu2,
    Fmu3,
}

/// The code, and what goes in and out.
pub struct Exported {
    pub files: Vec<File>,
    pub channels: Channels,
    pub step: f64,
    pub work: Work,
}

/// A variable that the code knows by name: name, slot, negated.
pub type Monitored = (String, u32, bool);

/// See the module comment. `name` is the prefix of all that is visible; `rows` steps lie between two rows of the demo.
pub fn export_c(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &RtOptions,
    name: &str,
    variables: &[Monitored],
    purpose: Purpose,
) -> Result<Exported, SimError> {
    let at = experiment.start;
    let grid = check(experiment, options)?;
    let refuse = |text: String| SimError::new("E0713", at, Failure::new(text));
    if options.method == Method::Ode {
        let text = "rt-ode has no form in C: use rt-bdf2 or rt-tr";
        return Err(refuse(text.to_string()));
    }
    let model = dae_form(model).map_err(|errors| {
        let why = errors.first().map_or("", |d| d.message.as_str());
        refuse(format!("the model has no DAE form: {why}"))
    })?;
    supported(&model).map_err(|what| refuse(format!("{what} cannot be written as C")))?;
    let mut p = start(&model, experiment)?.problem;
    let times = TimeEvents::new(&p.ev, at).map_err(|e| SimError::new("E0505", at, e))?;
    check_samplers(times.shortest_interval(), &grid, at)?;
    let methods = options.method.formulas(has_events(&model));
    let mut causal = Causal::new(&mut p, &methods, grid.step, LIMIT, None)
        .map_err(|e| causal_error(&mut p, at, e))?;
    if !causal.is_fused() {
        return Err(refuse(format!(
            "a step of the model is longer than {LIMIT} operations: too long for straight-line code"
        )));
    }
    causal.begin(&mut p);
    let tolerance = experiment.tolerance;
    let writer = Writer {
        model: &model,
        causal: &causal,
        p: &p,
        grid,
        options,
        name,
        variables,
        hybrid: has_events(&model)
            .then(|| Hybrid::new(&model, &causal, &p, grid, options, tolerance)),
        starts: start_values(&p.ev),
        purpose,
    };
    writer.files(experiment).map_err(refuse)
}

fn supported(model: &CompiledModel) -> Result<(), &'static str> {
    let refused = [
        (
            !model.dynamic_states.is_empty(),
            "states that are chosen at run time",
        ),
        (!model.effects.is_empty(), "calls for their effect"),
    ];
    match refused.iter().find(|r| r.0) {
        Some(r) => Err(r.1),
        None => Ok(()),
    }
}

/// Start values with the present parameters.
fn start_values(ev: &Evaluator) -> Vec<f64> {
    let model = ev.model.clone();
    let mut begun = Evaluator::new(model.clone());
    for (slot, value) in ev.slots.iter().enumerate().take(begun.slots.len()) {
        let var = model.variable(slot as Slot);
        let kind = var.map(|v| model.source.vars[v].kind);
        if matches!(kind, Some(Kind::Parameter | Kind::External)) {
            begun.slots[slot] = *value;
        }
    }
    // A start value that cannot be computed stays what is known without it.
    let _ = begun.run(&model.start_program);
    begun.slots
}

/// The same program over other kernels.
fn moved(program: &Program, from: &Kernels, to: &mut Kernels) -> Program {
    let mut out = Program::default();
    for step in &program.steps {
        match *step {
            Step::Solve(s) => out.steps.push(Step::Solve(s)),
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let code = &from.kernels[kernel];
                let id = to.intern(code.clone());
                let stride = code.stride();
                let rows = program.rows[first as usize..].chunks_exact(stride.max(1));
                for (k, row) in rows.take(count as usize).enumerate() {
                    out.push_row(id, row, k > 0);
                }
            }
        }
    }
    out
}

/// The part of the program of parameters that depends on these.
fn reached(model: &CompiledModel, changed: impl Iterator<Item = Slot>) -> Program {
    let program = &model.parameter_program;
    let mut changed: HashSet<Slot> = changed.collect();
    let mut out = Program::default();
    for step in &program.steps {
        match *step {
            Step::Solve(s) => {
                let system = &model.systems[s];
                if system.reads.iter().any(|r| changed.contains(r)) {
                    changed.extend(&system.writes);
                    out.steps.push(Step::Solve(s));
                }
            }
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let code = &model.kernels.kernels[kernel];
                let stride = code.stride().max(1);
                let rows = program.rows[first as usize..].chunks_exact(stride);
                for row in rows.take(count as usize) {
                    let (reads, writes) = row.split_at(code.loads as usize);
                    if reads.iter().any(|r| changed.contains(r)) {
                        changed.extend(writes);
                        out.push_row(kernel, row, false);
                    }
                }
            }
        }
    }
    out
}

struct Writer<'a> {
    model: &'a CompiledModel,
    causal: &'a Causal,
    p: &'a Problem,
    grid: Grid,
    options: &'a RtOptions,
    name: &'a str,
    variables: &'a [Monitored],
    hybrid: Option<Hybrid<'a>>,
    /// Start values of all slots, where iterations begin again.
    starts: Vec<f64>,
    purpose: Purpose,
}

/// What the texts of the code share once it is complete.
struct Layed<'a> {
    channels: &'a Channels,
    messages: &'a [Message],
    /// Messages of evaluations, slots.
    failures: usize,
    slots: Slot,
    work: Work,
}

impl Writer<'_> {
    fn files(&self, experiment: &Experiment) -> Result<Exported, String> {
        let mut kernels = self.model.kernels.clone();
        let plan = &self.causal.plan;
        let outputs = moved(&plan.outputs, &plan.kernels, &mut kernels);
        let mut formulas = Vec::new();
        for r in &self.causal.reductions {
            let Some(code) = &r.code else { continue };
            let parts = [&code.begin, &code.iterate, &code.end];
            formulas.push((r, parts.map(|p| moved(p, &code.kernels, &mut kernels))));
        }
        let mut slots = self.p.ev.slots.len() as Slot + Slot::from(self.iterates());
        let work = self.work(&kernels, &formulas);
        let messages = messages(&self.p.ev, &mut kernels, &mut slots);
        let model = self.model;
        let channels = self.channels();
        let values = Values::of(model).starting(self.starts.clone());
        let mut unit = CUnit::new(
            &kernels,
            &model.functions,
            &model.systems,
            values,
            self.name,
        );
        unit.objects(&self.p.ev.rt);
        let words = if messages.is_empty() {
            ""
        } else {
            "#include <stdio.h>\n"
        };
        let lines = match model.transports.is_empty() {
            true => "",
            false => "#include <string.h>\n",
        };
        unit.raw(&format!("#include \"{}.h\"\n\n{words}{lines}\n", self.name));
        let deepest = formulas.iter().map(|f| f.0.rest()).max().unwrap_or(0);
        if deepest > 0 {
            let text = include_str!("c/solve.c").replace("@N_REST@", &deepest.to_string());
            unit.raw(&self.named(&text));
        }
        for (k, (r, parts)) in formulas.iter().enumerate() {
            if r.rest() > 0 {
                unit.program(&format!("begin{k}"), &parts[0])?;
                unit.program(&format!("iterate{k}"), &parts[1])?;
            }
            unit.program(&format!("end{k}"), &parts[2])?;
            let text = self.formula(k, r);
            unit.raw(&text);
        }
        if self.iterates() {
            unit.raw(&self.watch_text());
        }
        unit.program("outputs", &outputs)?;
        if self.watches_start() || self.restarts() {
            let sizes = list(state_sizes(&self.p.ev).into_iter().map(literal));
            unit.raw(&self.named(&format!(
                "/* Of each state: its size at the start. */\nstatic const double @N@_sizes[] = {{ {sizes} }};\n\n"
            )));
        }
        if let Some(hybrid) = &self.hybrid {
            unit.program("relations", &model.relation_program)?;
            unit.program("actions", &model.action_program)?;
            unit.program("all", &model.event_program)?;
            unit.program("continuous", &model.continuous_program)?;
            if !self.p.delays.is_empty() {
                // Signals that others depend on at the same instant follow from the states, as in a run.
                let signals = match self.p.delays.all_constant() {
                    true => &model.delay_row_program,
                    false => &model.delay_program,
                };
                unit.program("signals", signals)?;
            }
            if self.restarts() {
                unit.raw(&self.restart_text(slots));
            }
            unit.raw(&self.named(&hybrid.text()?));
        } else if self.purpose != Purpose::Program {
            unit.program("continuous", &model.continuous_program)?;
        }
        for (k, message) in messages.iter().enumerate() {
            if !message.numbers.is_empty() {
                unit.program(&format!("words{k}"), &message.numbers)?;
            }
        }
        if !channels.parameters.is_empty() {
            let changed = channels.parameters.iter().map(|p| p.slot);
            unit.program("parameters", &reached(model, changed))?;
            let text = self.parameter_text(&channels);
            unit.raw(&text);
        }
        let failures: Vec<String> = unit.messages().iter().map(|m| quoted(m)).collect();
        let layed = Layed {
            channels: &channels,
            messages: &messages,
            failures: failures.len(),
            slots,
            work,
        };
        let text = self.tables(&failures, &layed) + &self.start_text() + &self.step_text(&layed);
        unit.raw(&text);
        let source = format!(
            "/* Made by ferrica from {}: {}, step {} s, {} iterations. */\n{}",
            comment(&model.source.name),
            self.options.method.name(),
            self.grid.step,
            self.options.iterations,
            unit.finish()
        );
        let file = |name: String, text: String| File { name, text };
        let manifest = channels.json(
            &model.source.name,
            self.options.method.name(),
            self.grid.start,
            self.grid.step,
            &work,
        );
        let mut files = vec![
            file(format!("{}.h", self.name), self.header(&layed)),
            file(format!("{}.c", self.name), source),
        ];
        match self.purpose {
            Purpose::Program => files.extend([
                file("main.c".to_string(), self.main_text(experiment)),
                file(
                    "realtime.c".to_string(),
                    self.named(include_str!("c/realtime.c")),
                ),
                file(
                    format!("{}_sfun.c", self.name),
                    self.named(include_str!("c/sfunction.c")),
                ),
                file(format!("{}.json", self.name), manifest),
                file("Makefile".to_string(), self.makefile()),
            ]),
            Purpose::Fmu2 | Purpose::Fmu3 => files.extend(self.fmu_files(&channels)),
        }
        Ok(Exported {
            files,
            channels,
            step: self.grid.step,
            work,
        })
    }

    /// What a step does at most, over the kernels of the code.
    fn work(&self, kernels: &Kernels, formulas: &[(&Reduction, [Program; 3])]) -> Work {
        let model = self.model;
        let rounds = self.causal.plan.rounds(self.options.iterations);
        let of_formula = |(r, [begin, iterate, end]): &(&Reduction, [Program; 3])| {
            let round = operations(kernels, iterate) + elimination(r.rest()) + 4 * r.rest();
            match r.rest() {
                0 => operations(kernels, end),
                _ => operations(kernels, begin) + rounds * round + operations(kernels, end),
            }
        };
        let mut work = Work {
            step: formulas.iter().map(of_formula).max().unwrap_or(0),
            ..Work::default()
        };
        if self.hybrid.is_some() {
            let [relations, continuous, actions] = [
                &model.relation_program,
                &model.continuous_program,
                &model.action_program,
            ]
            .map(|p| operations(kernels, p));
            work.instant = 2 * work.step + (LOOKS + 5) * (relations + continuous);
            work.instants = AT_MOST;
            work.step += 2 * relations + actions;
            work.pass = operations(kernels, &model.event_program);
            work.passes = self.options.event_passes.max(1);
            work.look(kernels, &model.event_program);
        }
        for (_, parts) in formulas.iter().take(1) {
            parts.iter().for_each(|p| work.look(kernels, p));
        }
        work
    }

    /// Do steps iterate? Then their last correction stands behind the slots of the model, and is watched.
    fn iterates(&self) -> bool {
        let iterated = self.causal.reductions.iter().any(|r| r.rest() > 0);
        iterated && !settles_at_once(&self.causal.plan)
    }

    fn watch_text(&self) -> String {
        let layout = &self.model.layout;
        let text = include_str!("c/watch.c")
            .replace("@LAST_CORRECTION@", &self.p.ev.slots.len().to_string())
            .replace("@CONVERGED_BOUND@", &literal(CONVERGED))
            .replace("@EVERY@", &EVERY.to_string())
            .replace("@LOOK@", &(LOOKED_AT - 1).to_string())
            .replace("@AGAIN@", &literal(AGAIN))
            .replace("@N_STATES@", &layout.n_states.to_string())
            .replace("@STATES@", &layout.states.to_string());
        self.named(&text)
    }

    /// Is the start looked at? Without states there is none.
    fn watches_start(&self) -> bool {
        carries_slopes(self.options) && self.model.layout.n_states > 0
    }

    fn start_text(&self) -> String {
        if !self.watches_start() {
            return String::new();
        }
        let layout = &self.model.layout;
        let text = include_str!("c/start.c")
            .replace("@HALF@", &literal(0.5 * self.grid.step))
            .replace("@CARRIED@", &literal(CARRIED))
            .replace("@N_STATES@", &layout.n_states.to_string())
            .replace("@STATES@", &layout.states.to_string())
            .replace("@DERIVATIVES@", &layout.derivatives.to_string());
        self.named(&text)
    }

    /// Are there steps of another formula behind events?
    fn restarts(&self) -> bool {
        let hybrid = self.hybrid.as_ref();
        hybrid.is_some_and(Hybrid::restarts)
    }

    fn restart_text(&self, slots: Slot) -> String {
        let layout = &self.model.layout;
        let text = include_str!("c/restart.c")
            .replace("@APART@", &literal(APART))
            .replace("@TURNS@", &literal(TURNS))
            .replace("@N_SLOTS@", &slots.to_string())
            .replace("@N_STATES@", &layout.n_states.to_string())
            .replace("@STATES@", &layout.states.to_string())
            .replace("@DERIVATIVES@", &layout.derivatives.to_string());
        self.named(&text)
    }

    /// Statements of `init` for what is watched.
    fn init_watch(&self) -> String {
        if !self.iterates() {
            return String::new();
        }
        let scales = (state_sizes(&self.p.ev).into_iter())
            .enumerate()
            .map(|(k, size)| format!("    m->scale[{k}] = {};\n", literal(GROWN * size)));
        let fixed = "    m->unconverged = 0UL;\n    m->unconverged_before = 0UL;\n";
        scales.fold(fixed.to_string(), |all, line| all + &line)
    }

    /// A template with the names and the step of this model.
    fn named(&self, template: &str) -> String {
        template
            .replace("@N@", self.name)
            .replace("@UPPER@", &self.name.to_uppercase())
            .replace("@START@", &literal(self.grid.start))
            .replace("@TIME@", &self.grid.time_in_c("m->step", literal))
            .replace("@H@", &literal(self.grid.step))
    }

    /// What goes in and out. Partial derivatives and samplers are numbers of the code.
    fn channels(&self) -> Channels {
        let (model, plan) = (self.model, &self.causal.plan);
        let read = [
            &plan.residuals,
            &plan.varying_partials,
            &model.relation_program,
            &model.action_program,
            &model.event_program,
            &model.continuous_program,
            &model.delay_row_program,
            &model.delay_program,
        ];
        let none = Program::default();
        let partials = model.dae.as_ref().map_or(&none, |d| &d.partials);
        let baked = [partials, &model.samplers_program];
        Channels::new(model, &self.p.ev, self.variables, &read, &baked)
    }

    fn parameter_text(&self, channels: &Channels) -> String {
        let slots = list(channels.parameters.iter().map(|p| p.slot));
        let text = format!(
            "static const unsigned @N@_parameter[] = {{ {slots} }};\n\n\
             int @N@_set_parameter(@N@_model *m, int parameter, double value)\n{{\n    \
             m->s[@N@_parameter[parameter]] = value;\n    m->touched = 1;\n    return @N@_parameters(m->s);\n}}\n\n\
             double @N@_get_parameter(const @N@_model *m, int parameter)\n{{\n    \
             return m->s[@N@_parameter[parameter]];\n}}\n\n"
        );
        self.named(&text)
    }

    fn formula(&self, k: usize, r: &Reduction) -> String {
        let m = r.rest();
        if m == 0 {
            return self.named(&format!(
                "static int @N@_formula{k}(double *s)\n{{\n    return @N@_end{k}(s);\n}}\n\n"
            ));
        }
        let x = &self.causal.extra;
        let pattern = r.lu.pattern();
        let mut dense = vec![0.0; m * m];
        let mut place = Vec::new();
        for (e, (row, col)) in pattern.entries().enumerate() {
            dense[row * m + col] = r.constant[e];
            if r.varying_positions.contains(&(e as u32)) {
                place.push((row * m + col, x.matrix as usize + e));
            }
        }
        let solves = r.code.as_ref().is_some_and(|c| c.solves);
        let at_once = settles_at_once(&self.causal.plan);
        let residual = match self.options.residual_tolerance {
            tolerance if tolerance > 0.0 && !at_once => format!(
                "        i = 0;\n        while (i < @M@ && fabs(s[@RIGHT@ + i]) <= {}) {{\n            i++;\n        }}\n        \
                 if (round > 0 && i == @M@) {{\n            for (i = 0; i < @M@; i++) {{\n                s[@DELTA@ + i] = 0.0;\n            }}\n            \
                 break;\n        }}\n",
                literal(tolerance)
            ),
            _ => String::new(),
        };
        let judged = self.options.until_converged && !at_once;
        let measured = "correction = 0.0;\n        for (i = 0; i < @M@; i++) {\n            \
             const double y = fabs(s[@N@_rest@K@[i]] - s[@CHANGE@ + i]);\n            \
             correction = fmax(correction, fabs(s[@DELTA@ + i]) / fmax(y, 1.0));\n        }\n";
        let only = |wanted: bool, text: &str| if wanted { text } else { "" }.to_string();
        let fill = [
            ("@CONSTANT@", list(dense.iter().map(|v| literal(*v)))),
            (
                "@VARYING@",
                nested(place.iter().map(|(a, b)| format!("{{ {a}, {b} }}"))),
            ),
            (
                "@REST_TABLE@",
                match !at_once {
                    true => format!(
                        "static const unsigned @N@_rest@K@[] = {{ {} }};\n",
                        list(r.slot_at[r.e.rank..].iter())
                    ),
                    false => String::new(),
                },
            ),
            (
                "@CORRECTION@",
                only(!at_once, "    double correction = 0.0;\n"),
            ),
            ("@RESIDUAL@", residual),
            (
                "@SEARCHED@",
                match solves {
                    true => format!("!(fabs(s[{}]) > 0.0)", x.trusted),
                    false => "1".to_string(),
                },
            ),
            (
                "@CONSTANT_ROWS@",
                match r.has_constant_rows {
                    true => format!(
                        "        if (round == 0) {{\n            for (i = 0; i < @M@; i++) {{\n                s[{} + i] = 0.0;\n            }}\n        }}\n",
                        x.constant_right
                    ),
                    false => String::new(),
                },
            ),
            (
                "@JUDGED@",
                match judged {
                    true => format!(
                        "        {measured}        if (correction <= {}) {{\n            break;\n        }}\n",
                        literal(Ending::NEGLIGIBLE)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@LAST@",
                match (at_once, judged) {
                    (true, _) => String::new(),
                    (false, true) => {
                        format!("    s[{}] = correction;\n", self.p.ev.slots.len())
                    }
                    (false, false) => format!(
                        "    if (e == 0) {{\n        {measured}    }}\n    s[{}] = correction;\n",
                        self.p.ev.slots.len()
                    ),
                },
            ),
            (
                "@CONVERGED@",
                match judged {
                    true => format!(
                        "    if (e == 0 && !(correction <= {})) {{\n        e = @UPPER@_NOT_CONVERGED;\n    }}\n",
                        literal(CONVERGED)
                    ),
                    false => String::new(),
                },
            ),
            ("@N_VARYING@", place.len().to_string()),
            (
                "@ROUNDS@",
                self.causal.plan.rounds(self.options.iterations).to_string(),
            ),
            (
                "@BEFORE@",
                if solves { x.previous } else { x.change }.to_string(),
            ),
            ("@CHANGE@", x.change.to_string()),
            ("@DELTA@", x.delta.to_string()),
            ("@RIGHT@", x.rest_right.to_string()),
            ("@MM@", (m * m).to_string()),
            ("@M@", m.to_string()),
            ("@K@", k.to_string()),
        ];
        let mut text = include_str!("c/formula.c").to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }

    fn tables(&self, failures: &[String], layed: &Layed) -> String {
        let slots = self.p.ev.slots.iter().enumerate();
        let named = |(k, v): (usize, &f64)| {
            let name = match self.model.variable(k as Slot) {
                Some(v) => format!(
                    " /* {k}: {} */",
                    comment(&self.model.source.vars[v].var.name)
                ),
                None => String::new(),
            };
            format!("{}{name}", literal(*v))
        };
        let initial: Vec<String> = slots.map(named).collect();
        let inputs = self.model.source.inputs.iter();
        let inputs = inputs.filter(|&&v| self.model.layout.slot(v).is_some());
        let discrete = inputs.map(|&v| u8::from(is_discrete(self.model, v)));
        let variables = self.variables.iter().map(|(name, slot, negated)| {
            let sign = if *negated { "-1.0" } else { "1.0" };
            format!("{{ {}, {slot}, {sign} }}", quoted(name))
        });
        let said = layed.messages.iter().map(|m| quoted(&m.outline()));
        let texts: Vec<String> = failures.iter().cloned().chain(said).collect();
        let dae = self.model.dae.as_ref();
        let columns = self.causal.plan.output_columns.iter();
        let outputs = columns.filter_map(|&c| dae.map(|d| d.unknowns[c as usize]));
        let text = include_str!("c/tables.c")
            .replace("@N_SLOTS@", &layed.slots.to_string())
            .replace("@INITIAL@", &initial.join(",\n    "))
            .replace(
                "@INPUTS@",
                &list(layed.channels.inputs.iter().map(|c| c.slot)),
            )
            .replace("@DISCRETE@", &list(discrete))
            .replace("@VARIABLES@", &nested(variables))
            .replace("@CORE@", &list(self.causal.plan.unknowns.iter()))
            .replace("@OUTPUTS@", &list(outputs))
            .replace("@N_TEXTS@", &texts.len().to_string())
            .replace(
                "@TEXTS@",
                &match texts.is_empty() {
                    true => "\"\"".to_string(),
                    false => texts.join(",\n    "),
                },
            );
        self.named(&text)
    }

    fn step_text(&self, layed: &Layed) -> String {
        let start_up = match (self.options.method, self.options.start) {
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, BdfStart::Trapezoid) => {
                self.options.method.depth()
            }
            _ => 0,
        };
        let formula = |method: Method| {
            let c = method.leading(self.grid.step);
            let place = self.causal.reductions.iter().position(|r| r.c == c);
            place.unwrap_or(0)
        };
        let starting = formula(Method::TrapezoidUnprojected);
        let hybrid = self.hybrid.as_ref();
        let delays = |text: &str| hybrid.map_or(String::new(), |h| h.with_delays(text));
        let with_events = |text: &str| hybrid.map_or("", |_| text).to_string();
        let terminate = match self.model.has_terminal_event() {
            true => format!(
                "    m->s[{}] = 1.0;\n    @N@_nothing_due(m);\n    e = @N@_instant(m);\n",
                Layout::TERMINAL
            ),
            false => "    (void)m;\n".to_string(),
        };
        let fill = [
            ("@N_SLOTS@", layed.slots.to_string()),
            ("@START_UP@", start_up.to_string()),
            ("@INIT_WATCH@", self.init_watch()),
            (
                "@WATCH_START@",
                match self.watches_start() {
                    true => "        if (e == 0 && m->step == 1UL) {\n            @N@_watch_start(m);\n        }\n",
                    false => "",
                }
                .to_string(),
            ),
            (
                "@CALL_WATCH@",
                self.call_watch(),
            ),
            (
                "@UNCONVERGED@",
                match self.iterates() {
                    true => "    return m->unconverged;\n",
                    false => "    (void)m;\n    return 0UL;\n",
                }
                .to_string(),
            ),
            ("@N_CORE@", self.causal.plan.unknowns.len().to_string()),
            (
                "@N_OUTPUTS@",
                self.causal.plan.output_columns.len().to_string(),
            ),
            ("@STARTING@", starting.to_string()),
            (
                "@RESTART@",
                match self.restarts() {
                    true => format!(
                        " else if (m->restart > 0) {{\n        m->restart -= 1;\n        e = @N@_formula{}(s);\n    }}",
                        formula(Method::Bdf1)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@INIT@",
                hybrid.map_or(String::new(), |h| h.init(self.name)),
            ),
            (
                "@TOUCHED@",
                with_events(
                    "    if (e == 0 && m->touched != 0) {\n        m->touched = 0;\n        e = @N@_happen(m, 0);\n    }\n",
                ),
            ),
            (
                "@BEGIN@",
                with_events("        double remembered = s[0];\n        e = @N@_begin_step(m);\n"),
            ),
            (
                "@DELAYS_AT_POINT@",
                delays("    e = @N@_apply_delays(m);\n"),
            ),
            (
                "@WITHIN@",
                with_events(
                    "        if (e == 0) {\n            e = @N@_within(m, &remembered);\n        }\n",
                ),
            ),
            (
                "@RESYNCHRONIZED@",
                with_events(
                    "        if (e == 0 && m->ended == 0 && m->resynchronized) {\n            @N@_begin_history(m);\n        }\n",
                ),
            ),
            (
                "@PUSH_DELAYS@",
                delays(
                    "        if (e == 0 && m->ended == 0) {\n            e = @N@_push_delays(m, remembered);\n        }\n",
                ),
            ),
            (
                "@CALL_EVENTS@",
                with_events("        if (e == 0 && m->ended == 0) {\n            e = @N@_event(m);\n        }\n"),
            ),
            ("@TERMINATE@", terminate),
            (
                "@REFRESH@",
                match (self.purpose, hybrid) {
                    (Purpose::Program, _) => "",
                    (_, Some(_)) => {
                        "\nint @N@_refresh(@N@_model *m)\n{\n    m->touched = 0;\n    return @N@_happen(m, 0);\n}\n"
                    }
                    (_, None) => {
                        "\nint @N@_refresh(@N@_model *m)\n{\n    return @N@_continuous(m->s);\n}\n"
                    }
                }
                .to_string(),
            ),
            (
                "@NEXT_EVENT@",
                match hybrid {
                    Some(_) => "    return @N@_next(m);\n".to_string(),
                    None => "    (void)m;\n    return HUGE_VAL;\n".to_string(),
                },
            ),
        ];
        let mut text = include_str!("c/step.c").to_string() + &messages::tables(layed.messages);
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }

    /// What is looked at after each step.
    fn call_watch(&self) -> String {
        let mut calls = String::new();
        let looks = [
            (self.iterates(), "watch"),
            (
                self.hybrid.as_ref().is_some_and(Hybrid::crosses),
                "accumulation",
            ),
        ];
        for (_, name) in looks.iter().filter(|l| l.0) {
            calls +=
                &format!("        if (e == 0) {{\n            e = @N@_{name}(m);\n        }}\n");
        }
        calls
    }

    fn header(&self, layed: &Layed) -> String {
        let m = self.model;
        let channels = layed.channels;
        let fill = [
            ("@MODEL@", comment(&m.source.name)),
            ("@WORK@", layed.work.words()),
            ("@SOLVER@", self.options.method.name().to_string()),
            ("@N_VARIABLES@", self.variables.len().to_string()),
            ("@N_INPUTS@", channels.inputs.len().to_string()),
            ("@N_PARAMETERS@", channels.parameters.len().to_string()),
            ("@FAILED_ASSERTION@", (layed.failures + 1).to_string()),
            (
                "@TERMINATED@",
                (layed.failures + 1 + m.assertions.len()).to_string(),
            ),
            ("@TERMINAL@", u8::from(m.has_terminal_event()).to_string()),
            (
                "@REFRESH@",
                match self.purpose {
                    Purpose::Program => "",
                    _ => {
                        "/* All values at the present point, after inputs or parameters were set. */\n\
                         int @N@_refresh(@N@_model *m);\n"
                    }
                }
                .to_string(),
            ),
            ("@ENUMERATIONS@", channels.enumerations(self.name)),
            (
                "@WATCHED@",
                match self.iterates() {
                    true => format!(
                        "    /* Steps that have not converged, those at the last look, and where each state is looked at. */\n    \
                         unsigned long unconverged;\n    unsigned long unconverged_before;\n    double scale[{}];\n",
                        m.layout.n_states.max(1)
                    ),
                    false => String::new(),
                },
            ),
            (
                "@TYPES@",
                self.hybrid.as_ref().map_or(String::new(), Hybrid::types),
            ),
            ("@N_SLOTS@", layed.slots.to_string()),
            (
                "@FIELDS@",
                (self.hybrid.as_ref()).map_or(String::new(), |h| h.fields(layed.slots)),
            ),
            (
                "@SET_PARAMETER@",
                match channels.parameters.is_empty() {
                    true => "",
                    false => {
                        "/* Another value of a parameter from now on; 0, or the number of a failure. */\n\
                         int @N@_set_parameter(@N@_model *m, int parameter, double value);\n\
                         double @N@_get_parameter(const @N@_model *m, int parameter);\n"
                    }
                }
                .to_string(),
            ),
            (
                "@DESCRIBE@",
                match layed.messages.is_empty() {
                    true => "",
                    false => {
                        "/* The same with the numbers of the message as they are now. */\n\
                         void @N@_describe(@N@_model *m, int result, char *text, unsigned long size);\n"
                    }
                }
                .to_string(),
            ),
        ];
        let mut text = include_str!("c/header.h").to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        self.named(&text)
    }

    fn main_text(&self, experiment: &Experiment) -> String {
        let every = (experiment.interval / self.grid.step).round().max(1.0);
        // The last step that does not pass the stop time.
        let grid = &self.grid;
        let passes =
            grid.time(grid.steps) > grid.stop && !grid.same(grid.time(grid.steps), grid.stop);
        let steps = grid.steps - u64::from(passes);
        let describe = match self.model.assertions.is_empty() && self.model.terminates.is_empty() {
            true => "    (void)snprintf(text, sizeof text, \"%s\", @N@_message(result));\n",
            false => "    @N@_describe(&model, result, text, sizeof text);\n",
        };
        let text = include_str!("c/main.c")
            .replace("@STEPS@", &steps.to_string())
            .replace("@EVERY@", &every.to_string())
            .replace("@ITERATIONS@", &self.options.iterations.to_string())
            .replace("@SAY@", describe);
        self.named(&text)
    }

    fn makefile(&self) -> String {
        let n = self.name;
        format!(
            "CC ?= cc\nCFLAGS ?= -O2\nALL_CFLAGS = -std=c99 -Wall -Wextra -Werror -pedantic -ffp-contract=off $(CFLAGS)\n\n\
             {n}: main.o {n}.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm\n\n\
             {n}_realtime: realtime.o {n}.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm\n\n\
             %.o: %.c {n}.h\n\t$(CC) $(ALL_CFLAGS) -c -o $@ $<\n\n\
             clean:\n\trm -f {n} {n}_realtime main.o realtime.o {n}.o\n\n.PHONY: clean\n"
        )
    }
}

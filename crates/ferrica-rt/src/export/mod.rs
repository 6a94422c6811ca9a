//! A model with a fixed-step solver as self-contained C99, for machines without this program.
//!
//! In: a model, an experiment and options. Out: files: `NAME.h`, `NAME.c` (one `init`, one `step`), `main.c` (a demo that prints CSV) and
//! a `Makefile`. The code is that of the causal formulation as straight-line kernels; the model is initialized here, and its values
//! at the start are part of the code. No heap, no recursion, all sizes known at compile time.
//!
//! Delays, states that are chosen at run time, `terminate`, calls for their effect and models that are too long for straight-line code are
//! refused with a reason. Assertions are not checked by the code.

use std::fmt::Write;
use std::sync::Arc;

use ferrica_codegen::c::CUnit;
use ferrica_codegen::c::expression::{comment, literal};
use ferrica_codegen::program::{Kernels, Program, Step};
use ferrica_codegen::{CompiledModel, Failure};
use ferrica_ir::expr::BinaryOp;
use ferrica_sim::{
    CALM_PASSES, Experiment, HELD_EVALUATIONS, PATIENT_PASSES, Problem, SimError, TimeEvents, start,
};

use crate::causal::Causal;
use crate::causal::fused::settles_at_once;
use crate::causal::reduction::Reduction;
use crate::grid::Grid;
use crate::march::check_samplers;
use crate::method::{BdfStart, Method, RtOptions};
use crate::simulate::{check, dae_form};
use crate::step::causal_error;

/// Operations that straight-line code may have: compilers are superlinear in the length of a function.
const LIMIT: usize = 40_000;

/// A file to be written.
pub struct File {
    pub name: String,
    pub text: String,
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
) -> Result<Vec<File>, SimError> {
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
    supported(&model).map_err(|what| refuse(format!("{what} have no form in C")))?;
    let mut p = start(&model, experiment)?.problem;
    let times = TimeEvents::new(&p.ev, at).map_err(|e| SimError::new("E0505", at, e))?;
    check_samplers(times.shortest_interval(), &grid, at)?;
    let methods = [options.method, Method::TrapezoidUnprojected];
    let mut causal = Causal::new(&mut p, &methods, grid.step, LIMIT, None)
        .map_err(|e| causal_error(&mut p, at, e))?;
    if !causal.is_fused() {
        return Err(refuse(format!(
            "a step of the model is longer than {LIMIT} operations: too long for straight-line code"
        )));
    }
    causal.begin(&mut p);
    let writer = Writer {
        model: &model,
        causal: &causal,
        p: &p,
        grid,
        options,
        name,
        variables,
        events: has_events(&model),
        tolerance: experiment.tolerance,
    };
    writer.files(experiment).map_err(refuse)
}

fn supported(model: &CompiledModel) -> Result<(), &'static str> {
    let refused = [
        (!model.delays.is_empty(), "delays"),
        (!model.transports.is_empty(), "spatialDistribution"),
        (
            !model.dynamic_states.is_empty(),
            "states that are chosen at run time",
        ),
        (!model.terminates.is_empty(), "terminate"),
        (!model.effects.is_empty(), "calls for their effect"),
    ];
    match refused.iter().find(|r| r.0) {
        Some(r) => Err(r.1),
        None => Ok(()),
    }
}

fn has_events(model: &CompiledModel) -> bool {
    !model.relations.is_empty() || !model.samplers.is_empty() || !model.reinits.is_empty()
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

struct Writer<'a> {
    model: &'a CompiledModel,
    causal: &'a Causal,
    p: &'a Problem,
    grid: Grid,
    options: &'a RtOptions,
    name: &'a str,
    variables: &'a [Monitored],
    events: bool,
    tolerance: f64,
}

fn list<T: std::fmt::Display>(items: impl Iterator<Item = T>) -> String {
    let mut out = String::new();
    let mut any = false;
    for (k, item) in items.enumerate() {
        let gap = if k % 8 == 7 { ",\n    " } else { ", " };
        let _ = write!(out, "{}{item}", if k > 0 { gap } else { "" });
        any = true;
    }
    // An array of no elements is none in C.
    if any { out } else { "0".to_string() }
}

fn nested(items: impl Iterator<Item = String>) -> String {
    let text = list(items);
    if text == "0" {
        "{ 0 }".to_string()
    } else {
        text
    }
}

impl Writer<'_> {
    fn files(&self, experiment: &Experiment) -> Result<Vec<File>, String> {
        let mut kernels = self.model.kernels.clone();
        let plan = &self.causal.plan;
        let outputs = moved(&plan.outputs, &plan.kernels, &mut kernels);
        let mut formulas = Vec::new();
        for r in &self.causal.reductions {
            let Some(code) = &r.code else { continue };
            let parts = [&code.begin, &code.iterate, &code.end];
            formulas.push((r, parts.map(|p| moved(p, &code.kernels, &mut kernels))));
        }
        let model = self.model;
        let mut unit = CUnit::new(&kernels, &model.functions, &model.systems, self.name);
        unit.raw(&format!("#include \"{}.h\"\n\n", self.name));
        let deepest = formulas.iter().map(|f| f.0.rest()).max().unwrap_or(0);
        if deepest > 0 {
            let text = include_str!("solve.c").replace("@N@", self.name);
            unit.raw(&text.replace("@N_REST@", &deepest.to_string()));
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
        unit.program("outputs", &outputs)?;
        if self.events {
            unit.program("relations", &model.relation_program)?;
            unit.program("actions", &self.reinit_actions())?;
            unit.program("all", &model.event_program)?;
            unit.program("continuous", &model.continuous_program)?;
            let text = self.event_text();
            unit.raw(&text);
        }
        let messages: Vec<String> = unit.messages().iter().map(|m| quoted(m)).collect();
        let text = self.tables(&messages) + &self.step_text(messages.len());
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
        Ok(vec![
            file(format!("{}.h", self.name), self.header()),
            file(format!("{}.c", self.name), source),
            file("main.c".to_string(), self.main_text(experiment)),
            file("Makefile".to_string(), self.makefile()),
        ])
    }

    /// Conditions and values of `reinit` only: the code does not check assertions.
    fn reinit_actions(&self) -> Program {
        let mut program = Program::default();
        for (kernel, row) in crate::tangent::rows(&self.model.kernels, &self.model.action_program) {
            let loads = self.model.kernels.kernels[kernel].loads as usize;
            let wanted = |s: &u32| self.model.reinits.iter().any(|r| r.1 == *s || r.2 == *s);
            if row[loads..].iter().any(wanted) {
                program.push_row(kernel, row, false);
            }
        }
        program
    }

    fn formula(&self, k: usize, r: &Reduction) -> String {
        let (n, m) = (self.name, r.rest());
        if m == 0 {
            return format!(
                "static int {n}_formula{k}(double *s)\n{{\n    return {n}_end{k}(s);\n}}\n\n"
            );
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
        let rounds = self.causal.plan.rounds(self.options.iterations);
        let tolerance = self.options.residual_tolerance;
        let mut out = String::new();
        let _ = write!(
            out,
            "static const double {n}_constant{k}[{}] = {{ {} }};\nstatic const unsigned {n}_varying{k}[][2] = {{ {} }};\n\n",
            m * m,
            list(dense.iter().map(|v| literal(*v))),
            nested(place.iter().map(|(a, b)| format!("{{ {a}, {b} }}")))
        );
        let _ = write!(
            out,
            "static int {n}_formula{k}(double *s)\n{{\n    double a[{mm}];\n    int round, i, e;\n    \
             if ((e = {n}_begin{k}(s)) != 0)\n        return e;\n    \
             for (i = 0; i < {m}; i++)\n        s[{change} + i] = 0.0;\n    \
             for (round = 0; round < {rounds}; round++) {{\n        \
             if ((e = {n}_iterate{k}(s)) != 0)\n            return e;\n",
            mm = m * m,
            change = x.change,
        );
        if tolerance > 0.0 && !settles_at_once(&self.causal.plan) {
            let _ = write!(
                out,
                "        for (i = 0; i < {m} && fabs(s[{right} + i]) <= {tol}; i++)\n            ;\n        \
                 if (round > 0 && i == {m})\n            break;\n",
                right = x.rest_right,
                tol = literal(tolerance)
            );
        }
        let indent = if solves { "            " } else { "        " };
        if solves {
            let _ = writeln!(out, "        if (s[{}] == 0.0) {{", x.trusted);
        }
        let body = format!(
            "for (i = 0; i < {mm}; i++)\n    a[i] = {n}_constant{k}[i];\n\
             for (i = 0; i < {count}; i++)\n    a[{n}_varying{k}[i][0]] = s[{n}_varying{k}[i][1]];\n\
             for (i = 0; i < {m}; i++)\n    s[{delta} + i] = s[{right} + i];\n\
             if ({n}_solve_rest({m}, a, s + {delta}))\n    return -1;\n\
             for (i = 0; i < {m}; i++)\n    s[{change} + i] = s[{before} + i] + s[{delta} + i];\n",
            mm = m * m,
            count = place.len(),
            delta = x.delta,
            right = x.rest_right,
            change = x.change,
            before = if solves { x.previous } else { x.change },
        );
        for line in body.lines() {
            let _ = writeln!(out, "{indent}{line}");
        }
        if solves {
            out.push_str("        }\n");
        }
        if r.has_constant_rows {
            let _ = write!(
                out,
                "        if (round == 0)\n            for (i = 0; i < {m}; i++)\n                s[{} + i] = 0.0;\n",
                x.constant_right
            );
        }
        let _ = write!(out, "    }}\n    return {n}_end{k}(s);\n}}\n\n");
        out
    }

    fn slots(&self) -> usize {
        self.p.ev.slots.len()
    }

    fn tables(&self, messages: &[String]) -> String {
        let n = self.name;
        let initial = list(self.p.ev.slots.iter().map(|v| literal(*v)));
        let inputs = self.model.source.inputs.iter();
        let inputs = inputs.filter_map(|&v| self.model.layout.slot(v));
        let named = self.variables.iter().map(|(name, slot, negated)| {
            let sign = if *negated { "-1.0" } else { "1.0" };
            format!("{{ {}, {slot}, {sign} }}", quoted(name))
        });
        let texts = if messages.is_empty() {
            "\"\"".to_string()
        } else {
            messages.join(",\n    ")
        };
        format!(
            "static const double {n}_initial[{}] = {{\n    {initial}\n}};\n\n\
             static const unsigned {n}_inputs[] = {{ {} }};\n\n\
             const {n}_variable {n}_variables[] = {{ {} }};\n\n\
             static const char *const {n}_messages[] = {{ {texts} }};\n\n",
            self.slots(),
            list(inputs),
            nested(named),
        )
    }

    fn step_text(&self, messages: usize) -> String {
        let start_up = match (self.options.method, self.options.start) {
            (Method::Bdf1 | Method::Bdf2 | Method::Bdf3, BdfStart::Trapezoid) => {
                self.options.method.depth()
            }
            _ => 0,
        };
        let starting = self.causal.reductions.len() - 1;
        let mut init = String::new();
        if self.events {
            for (k, &(_, first, interval)) in self.model.samplers.iter().enumerate() {
                let (first, interval) = (self.p.ev.get(first), self.p.ev.get(interval));
                // The next instant after the start.
                let mut next = ((self.grid.start - first) / interval).floor() + 1.0;
                next = next.max(0.0);
                if (first + next * interval - self.grid.start).abs() < 1e-12 * interval {
                    next += 1.0;
                }
                for (name, value) in [
                    (format!("sample[{k}]"), next),
                    (format!("sampling[{k}][0]"), first),
                    (format!("sampling[{k}][1]"), interval),
                ] {
                    let _ = writeln!(init, "    m->{name} = {};", literal(value));
                }
            }
            let _ = writeln!(init, "    (void){}_predict(m);", self.name);
        }
        let call = format!(
            "    if ((e = {}_event(m)) != 0)\n        return e;\n",
            self.name
        );
        include_str!("step.c")
            .replace("@N@", self.name)
            .replace("@N_SLOTS@", &self.slots().to_string())
            .replace("@START_UP@", &start_up.to_string())
            .replace("@STARTING@", &starting.to_string())
            .replace("@START@", &literal(self.grid.start))
            .replace("@H@", &literal(self.grid.step))
            .replace("@N_MESSAGES@", &messages.to_string())
            .replace("@INIT_EVENTS@", &init)
            .replace("@CALL_EVENTS@", if self.events { &call } else { "" })
    }

    fn event_text(&self) -> String {
        let m = self.model;
        let layout = &m.layout;
        let row = |slots: &[u32]| format!("{{ {} }}", list(slots.iter()));
        let operator = |op: BinaryOp| match op {
            BinaryOp::Lt => '<',
            BinaryOp::Le => '[',
            BinaryOp::Gt => '>',
            BinaryOp::Ge => ']',
            BinaryOp::Eq => '=',
            _ => '!',
        };
        let timed = m.relations.iter().any(|r| r.time_event);
        let crosses = m.relations.iter().any(|r| !r.time_event);
        let count = m.relations.len();
        let unknowns = m.dae.as_ref().map_or(&[][..], |d| &d.unknowns);
        let derivatives = (0..layout.n_states as u32).map(|k| layout.derivatives + k);
        let compared: Vec<u32> = unknowns.iter().copied().chain(derivatives).collect();
        let depth = self.options.method.depth();
        include_str!("events.c")
            .replace("@N@", self.name)
            .replace(
                "@RELATIONS@",
                &nested(
                    m.relations
                        .iter()
                        .map(|r| row(&[r.memory, r.lhs, r.rhs, r.zero])),
                ),
            )
            .replace(
                "@OPERATORS@",
                &m.relations
                    .iter()
                    .map(|r| operator(r.op))
                    .collect::<String>(),
            )
            .replace(
                "@TIMED@",
                &list(m.relations.iter().map(|r| u8::from(r.time_event))),
            )
            .replace(
                "@PRE@",
                &nested(
                    layout
                        .pre_pairs
                        .iter()
                        .map(|p| format!("{{ {}, {} }}", p.0, p.1)),
                ),
            )
            .replace(
                "@ASKS@",
                &list(self.p.scope.left_limits.asks().iter().map(|a| *a as u8)),
            )
            .replace(
                "@REINITS@",
                &nested(m.reinits.iter().map(|r| row(&[r.0, r.1, r.2]))),
            )
            .replace("@SAMPLERS@", &list(m.samplers.iter().map(|s| s.0)))
            .replace("@H@", &literal(self.grid.step))
            .replace("@BAND@", &literal(10.0 * self.tolerance))
            .replace("@PATIENT@", &PATIENT_PASSES.to_string())
            .replace("@CALM@", &CALM_PASSES.to_string())
            .replace("@HELD@", &HELD_EVALUATIONS.to_string())
            .replace("@HAS_TIMED@", &u8::from(timed).to_string())
            .replace("@CROSSES@", &u8::from(crosses).to_string())
            .replace("@N_RELATIONS_OR_1@", &count.max(1).to_string())
            .replace("@UNKNOWNS@", &list(compared.iter()))
            .replace("@N_UNKNOWNS@", &compared.len().to_string())
            .replace("@N_RELATIONS@", &m.relations.len().to_string())
            .replace("@N_REINITS@", &m.reinits.len().to_string())
            .replace("@N_PRE@", &layout.pre_pairs.len().to_string())
            .replace("@N_SAMPLERS@", &m.samplers.len().to_string())
            .replace("@PASSES@", &self.options.event_passes.to_string())
            .replace("@HISTORY_DEPTH@", &(depth - 1).to_string())
            .replace("@HISTORY@", &self.causal.extra.history.to_string())
            .replace("@STATES@", &layout.states.to_string())
            .replace("@N_STATES@", &layout.n_states.to_string())
            .replace("@N_STATES_OR_1@", &layout.n_states.max(1).to_string())
    }

    fn header(&self) -> String {
        let n = self.name;
        let upper = n.to_uppercase();
        let m = self.model;
        let events = if self.events {
            let unknowns = m.dae.as_ref().map_or(0, |d| d.unknowns.len()) + m.layout.n_states;
            format!(
                "    /* Of each condition: its forced side, that before the event; when it changes next, and what it did in this step. */\n    \
                 int forced[{r}];\n    int kept[{r}];\n    double change[{r}];\n    double fired[{r}];\n    double changed[{r}];\n    \
                 int memory[{r}];\n    \
                 /* Of each sampler: start and interval, number of its next instant, is it now? */\n    \
                 double sampling[{s}][2];\n    double sample[{s}];\n    int due[{s}];\n    \
                 /* The unknowns before an event. */\n    double before[{b}];\n",
                r = m.relations.len().max(1),
                s = m.samplers.len().max(1),
                b = unknowns.max(1)
            )
        } else {
            String::new()
        };
        let mut names = String::new();
        for (k, (name, ..)) in self.variables.iter().enumerate() {
            let _ = writeln!(names, "/* variable {k}: {} */", comment(name));
        }
        for (k, &v) in m.source.inputs.iter().enumerate() {
            let name = comment(&m.source.vars[v].var.name);
            let _ = writeln!(names, "/* input {k}: {name} */");
        }
        format!(
            "/* {model} with {solver} and a step of {h} s. */\n#ifndef {upper}_H\n#define {upper}_H\n\n\
             #define {upper}_VARIABLES {count}\n#define {upper}_INPUTS {inputs}\n\n\
             typedef struct {{\n    double s[{slots}];\n    unsigned long step;\n    int start_up;\n{events}}} {n}_model;\n\n\
             typedef struct {{\n    const char *name;\n    unsigned slot;\n    double sign;\n}} {n}_variable;\n\n\
             extern const {n}_variable {n}_variables[];\n\n\
             /* The model at its start time. */\nvoid {n}_init({n}_model *m);\n\
             /* One step; 0, or the number of a failure. */\nint {n}_step({n}_model *m);\n\
             /* Variables that a step does not need, at the present point. */\nint {n}_compute_outputs({n}_model *m);\n\
             double {n}_time(const {n}_model *m);\ndouble {n}_get(const {n}_model *m, int variable);\n\
             void {n}_set_input({n}_model *m, int input, double value);\nconst char *{n}_message(int error);\n\n\
             {names}\n#endif\n",
            model = comment(&m.source.name),
            solver = self.options.method.name(),
            h = self.grid.step,
            count = self.variables.len(),
            inputs = m.source.inputs.len(),
            slots = self.slots(),
        )
    }

    fn main_text(&self, experiment: &Experiment) -> String {
        let n = self.name;
        let upper = n.to_uppercase();
        let every = (experiment.interval / self.grid.step).round().max(1.0);
        // The last step that does not pass the stop time.
        let grid = &self.grid;
        let passes =
            grid.time(grid.steps) > grid.stop && !grid.same(grid.time(grid.steps), grid.stop);
        let steps = grid.steps - u64::from(passes);
        format!(
            "/* Demo: runs the model and prints CSV. Arguments: number of steps, steps between rows. */\n\
             #include \"{n}.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\n\
             static {n}_model model;\n\n\
             static void print_name(const char *name)\n{{\n    printf(\",\\\"\");\n    for (; *name; name++) {{\n        \
             if (*name == '\"')\n            putchar('\"');\n        putchar(*name);\n    }}\n    putchar('\"');\n}}\n\n\
             static int print_row(void)\n{{\n    int k;\n    if ({n}_compute_outputs(&model))\n        return 1;\n    \
             printf(\"%.17g\", {n}_time(&model));\n    for (k = 0; k < {upper}_VARIABLES; k++)\n        \
             printf(\",%.17g\", {n}_get(&model, k));\n    printf(\"\\n\");\n    return 0;\n}}\n\n\
             int main(int argc, char **argv)\n{{\n    \
             const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : {steps}UL;\n    \
             const unsigned long every = argc > 2 ? strtoul(argv[2], NULL, 10) : {every}UL;\n    \
             unsigned long k;\n    int i, e;\n    {n}_init(&model);\n    printf(\"time\");\n    \
             for (i = 0; i < {upper}_VARIABLES; i++)\n        print_name({n}_variables[i].name);\n    \
             printf(\"\\n\");\n    if (print_row())\n        return 1;\n    \
             for (k = 1; k <= steps; k++) {{\n        if ((e = {n}_step(&model)) != 0) {{\n            \
             fprintf(stderr, \"time %g: %s\\n\", {n}_time(&model), {n}_message(e));\n            return 1;\n        }}\n        \
             if (every > 0 && (k % every == 0 || k == steps) && print_row())\n            return 1;\n    }}\n    return 0;\n}}\n",
        )
    }

    fn makefile(&self) -> String {
        let n = self.name;
        format!(
            "CC ?= cc\nCFLAGS ?= -O2\nALL_CFLAGS = -std=c99 -Wall -Wextra -Werror -pedantic -ffp-contract=off $(CFLAGS)\n\n\
             {n}: main.o {n}.o\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm\n\n\
             %.o: %.c {n}.h\n\t$(CC) $(ALL_CFLAGS) -c -o $@ $<\n\n\
             clean:\n\trm -f {n} main.o {n}.o\n\n.PHONY: clean\n"
        )
    }
}

/// A C string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '?' => out.push_str("\\?"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            _ => out.push('_'),
        }
    }
    out.push('"');
    out
}

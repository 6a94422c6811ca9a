//! The source file, part by part, and the files that go with it.
//!
//! In: a model at its start with its formulas. Out: the text of `NAME.c` in the order in which C needs it.

use ferrica_codegen::c::expression::{comment, literal};
use ferrica_codegen::c::text::{list, nested, quoted};
use ferrica_codegen::c::{CUnit, Values};
use ferrica_codegen::program::{Kernels, Program, joined};
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_sim::{Experiment, Problem};

use super::channels::Channels;
use super::hybrid::{Hybrid, is_discrete};
use super::messages::{Message, messages};
use super::programs::{moved, reached};
use super::work::{Work, elimination, operations};
use super::{Exported, File, Monitored, Purpose};
use crate::causal::Causal;
use crate::causal::reduction::Reduction;
use crate::grid::Grid;
use crate::march::divergence::state_sizes;
use crate::march::within::{AT_MOST, LOOKS};
use crate::method::RtOptions;

pub(super) struct Writer<'a> {
    pub model: &'a CompiledModel,
    pub causal: &'a Causal,
    pub p: &'a Problem,
    pub grid: Grid,
    pub options: &'a RtOptions,
    pub name: &'a str,
    pub variables: &'a [Monitored],
    pub hybrid: Option<Hybrid<'a>>,
    /// Start values of all slots, where iterations begin again.
    pub starts: Vec<f64>,
    pub purpose: Purpose,
}

/// What the texts of the code share once it is complete.
pub(super) struct Layed<'a> {
    pub channels: &'a Channels,
    pub messages: &'a [Message],
    /// Messages of evaluations, slots.
    pub failures: usize,
    pub slots: Slot,
    pub work: Work,
}

impl Writer<'_> {
    pub(super) fn files(&self, experiment: &Experiment) -> Result<Exported, String> {
        let mut kernels = self.model.kernels.clone();
        let plan = &self.causal.plan;
        let mut outputs = moved(&plan.outputs, &plan.kernels, &mut kernels);
        if let Some(dae) = &self.model.dae {
            let beside = moved(&dae.beside, &self.model.kernels, &mut kernels);
            outputs = joined(&outputs, &beside);
        }
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
    pub(super) fn work(&self, kernels: &Kernels, formulas: &[(&Reduction, [Program; 3])]) -> Work {
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

    /// A template with the names and the step of this model.
    pub(super) fn named(&self, template: &str) -> String {
        template
            .replace("@N@", self.name)
            .replace("@UPPER@", &self.name.to_uppercase())
            .replace("@START@", &literal(self.grid.start))
            .replace("@TIME@", &self.grid.time_in_c("m->step", literal))
            .replace("@H@", &literal(self.grid.step))
    }

    /// What goes in and out. Partial derivatives and samplers are numbers of the code.
    pub(super) fn channels(&self) -> Channels {
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

    pub(super) fn parameter_text(&self, channels: &Channels) -> String {
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

    pub(super) fn tables(&self, failures: &[String], layed: &Layed) -> String {
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
}

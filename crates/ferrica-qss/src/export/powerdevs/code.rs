//! The text of `NAME_blocks.cpp`: functions, event programs and tables put into the template.

use std::fmt::Write;

use ferrica_codegen::c::expression::{Operations, literal};
use ferrica_codegen::c::text::{list, nested, row};
use ferrica_codegen::c::{CUnit, Values, instant};
use ferrica_codegen::kernel::Op;
use ferrica_codegen::model::BlockId;
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::schedule::arrange;
use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_ir::expr::Expr;
use ferrica_sim::c::Passes;
use ferrica_sim::{HAIR, MAX_PASSES, SAME_TIME, Scope};

use super::{Export, refused};
use crate::compiled::{by_steps, motion};
use crate::fuse::{Class, Fused};
use crate::integrator::excursion;
use crate::plans::Shapeliness;
use crate::splitting::{Evaluation, SplitStep, changes};
use crate::taylor_kernel::{Motion, taylor_kernel};

/// Coefficients of a static function's value, and of a source's: two more say how long the others last.
const COEFFICIENTS: usize = 3;
const OF_SOURCE: usize = 5;
/// Room for the coefficients of an input, as in the template.
const STRIDE: usize = 5;

fn quoted(text: &str) -> String {
    let safe = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => " ".to_string(),
        _ => c.to_string(),
    });
    format!("\"{}\"", safe.collect::<String>())
}

impl Export<'_> {
    /// The whole file, or what cannot be said there.
    pub(super) fn source(&self) -> Result<String, Vec<Diagnostic>> {
        let model = self.model;
        let values = Values::of(model).starting(self.slots.to_vec());
        let mut unit = CUnit::new(
            &model.kernels,
            &model.functions,
            &model.systems,
            values,
            &self.stem,
        );
        // Helpers of the Taylor forms have names of their own.
        let mut operations = Operations::new(&format!("{}_taylor", self.stem));
        let mut cases = String::new();
        let mut errors = Vec::new();
        for k in 0..self.functions() {
            let (e, name) = self.evaluation(k);
            let case = self
                .exact(&mut operations, k, e)
                .or_else(|_| self.by_differences(&mut unit, k, e));
            match case {
                Ok(text) => self.case(&mut cases, k, &name, &text),
                Err(why) => errors.push(refused(&name, &why)),
            }
        }
        for (k, f) in self.split.inputs.list.iter().enumerate() {
            let name = format!("function of time {}", k + 1);
            match self.function_of_time(&mut operations, f) {
                Ok(text) => self.case(&mut cases, self.functions() + k, &name, &text),
                Err(why) => errors.push(refused(&name, &why)),
            }
        }
        let programs = [
            ("all", &model.event_program),
            ("relations", &model.relation_program),
            ("continuous", &model.continuous_program),
            ("actions", &self.actions()),
            ("assertions", &self.assertions()),
        ];
        for (name, program) in programs {
            if let Err(why) = unit.program(name, program) {
                errors.push(refused(&model.source.name, &why));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let messages: Vec<String> = unit.messages().iter().map(|m| quoted(m)).collect();
        let code = unit.finish() + &operations.definitions();
        Ok(self.tables(include_str!("blocks.cpp"), &messages, &code, &cases))
    }

    fn case(&self, cases: &mut String, number: usize, name: &str, text: &str) {
        let name = name.replace("*/", "* /").replace('\n', " ");
        let _ = write!(
            cases,
            "  case {number}: {{ /* {name} */\n{text}    break;\n  }}\n"
        );
    }

    /// A derivative or a crossing function, and its name.
    fn evaluation(&self, k: usize) -> (&Evaluation, String) {
        match k.checked_sub(self.split.states) {
            None => {
                let name = format!("der({})", self.state_name(k));
                (&self.split.derivatives[k], name)
            }
            Some(z) => {
                let r = &self.model.source.relations[z];
                let source = &*self.model.source;
                let side = |e| ferrica_ir::print::expr(&source.exprs, source, e);
                let name = format!("{} - ({})", side(r.lhs), side(r.rhs));
                (&self.split.crossings[z], name)
            }
        }
    }

    /// The Taylor form of a function that is one kernel.
    fn exact(
        &self,
        operations: &mut Operations,
        k: usize,
        e: &Evaluation,
    ) -> Result<String, String> {
        let [SplitStep::Fused(fused)] = &e.steps[..] else {
            return Err("it needs the solution of an algebraic system".to_string());
        };
        self.body(operations, fused, COEFFICIENTS, self.reads(k))
    }

    fn function_of_time(&self, operations: &mut Operations, f: &Fused) -> Result<String, String> {
        self.body(operations, f, OF_SOURCE, &[])
    }

    /// By function: is it not affine, so that it must look ahead?
    fn bends(&self) -> Vec<u8> {
        let mut system_index = vec![u32::MAX; self.model.systems.len()];
        for (k, s) in self.split.systems.iter().enumerate() {
            system_index[s.id.as_u32() as usize] = k as u32;
        }
        let motion_of = |slot: Slot| motion(&self.split, slot);
        let shape = |e: &Evaluation| {
            let parts = (self.model, &self.split);
            by_steps(parts, &system_index, &e.steps, &motion_of)
        };
        let functions = (0..self.functions()).map(|k| shape(self.evaluation(k).0));
        functions
            .map(|s| u8::from(s != Shapeliness::Affine))
            .collect()
    }

    /// Motion of an operand and its C text.
    fn operand(&self, reads: &[u32], slot: Slot) -> (Motion, String) {
        if slot == Layout::TIME {
            return (Motion::Time, "t".to_string());
        }
        if let Some(q) = self.split.quantity(slot) {
            let port = reads.iter().position(|&r| r == q).unwrap_or(0);
            return (Motion::Moving, format!("{}", port * STRIDE));
        }
        if changes(self.model, slot) {
            return (Motion::Constant, format!("s[{slot}]"));
        }
        (Motion::Constant, literal(self.slots[slot as usize]))
    }

    /// Statements for all operations of a Taylor form, with the results in `y`.
    fn body(
        &self,
        operations: &mut Operations,
        f: &Fused,
        count: usize,
        reads: &[u32],
    ) -> Result<String, String> {
        let places: Vec<(Motion, String)> = f
            .operands
            .iter()
            .map(|&slot| self.operand(reads, slot))
            .collect();
        let motion: Vec<Motion> = places.iter().map(|p| p.0).collect();
        let taylor = taylor_kernel(&f.kernel, &motion, count, count.min(COEFFICIENTS));
        let load = |k: u32| {
            let (operand, c) = taylor.operands[k as usize];
            let (motion, text) = &places[operand as usize];
            match motion {
                Motion::Moving => format!("u[{text} + {c}]"),
                _ => text.clone(),
            }
        };
        let ops = &taylor.kernel.ops;
        let names: Vec<String> = (0..ops.len()).map(|r| format!("r{r}")).collect();
        let mut out = String::new();
        for (r, op) in ops.iter().enumerate() {
            let text = match *op {
                Op::Load(k) => load(k),
                Op::Const(bits) => literal(f64::from_bits(bits)),
                _ => operations
                    .arithmetic(op, |r| names[r as usize].as_str())
                    .unwrap_or_else(|| Err("it calls a function".to_string()))?,
            };
            let _ = writeln!(out, "    const double r{r} = {text};");
        }
        for (k, r) in taylor.kernel.results.iter().enumerate() {
            let _ = writeln!(out, "    y[{k}] = r{r};");
        }
        Ok(out)
    }

    /// Blocks that are needed for some slots and that move between events.
    pub(super) fn loop_blocks(&self, wanted: &[Slot]) -> Vec<BlockId> {
        let model = self.model;
        let mut blocks = model.blocks_for(wanted);
        blocks.retain(|&b| {
            let written = model.block_writes(&model.main, b);
            let moves = |s: &Slot| self.split.class[*s as usize] != Class::Constant;
            model.main.blocks[b].continuous && written.iter().any(moves)
        });
        blocks
    }

    /// A function as a program over the slots; derivatives by differences.
    fn by_differences(
        &self,
        unit: &mut CUnit<'_>,
        k: usize,
        e: &Evaluation,
    ) -> Result<String, String> {
        let model = self.model;
        let blocks = self.loop_blocks(&[e.result]);
        let program = arrange(&model.kernels, &model.systems, &model.main, &blocks);
        unit.program(&format!("function{k}"), &program)?;
        let slots = self.reads(k).iter().map(|&q| {
            // Functions of time are part of the program.
            match (q as usize) < self.split.states {
                true => self.split.quantity_slot(q).to_string(),
                false => "~0u".to_string(),
            }
        });
        Ok(format!(
            "    static const unsigned slots[] = {{ {} }};\n    differences(t, {}_function{k}, {}, slots);\n",
            list(slots),
            self.stem,
            e.result
        ))
    }

    /// The conditions of the assertions that can fail between events.
    fn assertions(&self) -> Program {
        let model = self.model;
        let always = model.assertions.iter().filter(|a| a.guard.is_none());
        let values: Vec<Slot> = always.map(|a| a.value).collect();
        let blocks = self.loop_blocks(&values);
        arrange(&model.kernels, &model.systems, &model.main, &blocks)
    }

    /// What an assertion says: its text, or the expression that makes it.
    fn assertion_text(&self, k: usize) -> String {
        let source = &*self.model.source;
        let message = source.assertions[k].message;
        let said = match source.exprs.get(message) {
            Expr::Str(text) => source.exprs.string_text(text).to_string(),
            _ => ferrica_ir::print::expr(&source.exprs, source, message),
        };
        quoted(&said)
    }

    /// Conditions and values of `reinit`, conditions of assertions.
    fn actions(&self) -> Program {
        let reinits = self.model.reinits.iter().flat_map(|r| [r.1, r.2]);
        let assertions = self.model.assertions.iter();
        let assertions = assertions.flat_map(|a| a.guard.into_iter().chain([a.value]));
        let slots: Vec<Slot> = reinits.chain(assertions).collect();
        let mut wanted = Program::default();
        let program = &self.model.action_program;
        for step in &program.steps {
            let Step::Batch {
                kernel,
                first,
                count,
            } = *step
            else {
                continue;
            };
            let form = &self.model.kernels.kernels[kernel];
            let rows = &program.rows[first as usize..][..form.stride() * count as usize];
            for row in rows.chunks_exact(form.stride().max(1)) {
                let results = &row[form.loads as usize..];
                if results.iter().any(|s| slots.contains(s)) {
                    wanted.push_row(kernel, row, false);
                }
            }
        }
        wanted
    }

    fn tables(&self, template: &str, messages: &[String], code: &str, cases: &str) -> String {
        let m: &CompiledModel = self.model;
        let all = self.functions() + self.split.inputs.list.len();
        let (mut start, mut reads) = (vec![0], Vec::new());
        for k in 0..all {
            reads.extend(self.discrete_reads(k));
            start.push(reads.len());
        }
        let sampling = self.samplers.iter().map(|sampler| {
            let (next, first, interval) = sampler.in_code();
            row(&[first, interval, next].map(literal))
        });
        let scope = Scope::all(m);
        let passes = Passes {
            model: m,
            scope: &scope,
            band: HAIR,
            most: MAX_PASSES,
            recall: "",
        };
        let names = (0..self.split.states).map(|i| quoted(&self.state_name(i)));
        let assertions = (0..m.assertions.len()).map(|k| {
            let a = &m.assertions[k];
            let guard = a.guard.map_or("~0u".to_string(), |g| g.to_string());
            let is_error = u8::from(m.source.assertions[k].is_error);
            format!("{{ {guard}, {}, {is_error} }}", a.value)
        });
        let said = (0..m.assertions.len()).map(|k| self.assertion_text(k));
        let far = excursion(self.order as f64, self.tolerance, Shapeliness::Unknown);
        let fill = [
            ("@BENDS@", list(self.bends().into_iter())),
            ("@ORDER@", self.order.to_string()),
            ("@FAR@", literal(far)),
            ("@SPAN@", literal(self.span)),
            ("@ASSERTIONS@", nested(assertions)),
            ("@SAID@", list(said)),
            ("@N_ASSERTIONS@", m.assertions.len().to_string()),
            ("@FUNCTION_CASES@", cases.to_string()),
            ("@CODE@", code.to_string()),
            ("@SLOTS@", list(self.slots.iter().map(|&x| literal(x)))),
            ("@SAMPLING@", nested(sampling)),
            ("@READS_START@", list(start.iter())),
            ("@READS@", list(reads.iter())),
            ("@NAMES@", list(names)),
            ("@MESSAGES@", list(messages.iter())),
            ("@STATES@", self.split.states.to_string()),
            ("@FIRST_STATE@", self.split.first_state.to_string()),
            ("@FUNCTIONS@", self.functions().to_string()),
            ("@SOURCES@", self.split.inputs.list.len().to_string()),
            ("@N_RELATIONS@", m.relations.len().to_string()),
            ("@N_SAMPLERS@", m.samplers.len().to_string()),
            ("@N_REINITS@", m.reinits.len().to_string()),
            ("@INSTANT@", instant(&self.stem, SAME_TIME)),
            ("@PASSES_TEXT@", passes.text(&self.stem)),
            ("@N_READS@", passes.reads().to_string()),
            ("@N@", self.stem.clone()),
            ("@MODEL@", m.source.name.clone()),
        ];
        let mut text = template.to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        text
    }
}

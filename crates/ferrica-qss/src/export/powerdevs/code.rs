//! The text of `NAME_blocks.cpp`: functions, event programs and tables put into the template.

use std::fmt::Write;

use ferrica_codegen::c::CUnit;
use ferrica_codegen::c::expression::{Operations, literal};
use ferrica_codegen::kernel::Op;
use ferrica_codegen::model::BlockId;
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::schedule::arrange;
use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_ir::causal::{Kind, Relation};
use ferrica_ir::expr::{BinaryOp, Expr};

use super::kinks::has_kinks;
use super::{Export, refused};
use crate::fuse::{Class, Fused};
use crate::splitting::{Evaluation, SplitStep, changes};
use crate::taylor_kernel::{Motion, taylor_kernel};

/// Coefficients of a static function's value, and of a source's: two more say how long the others last.
const COEFFICIENTS: usize = 3;
const OF_SOURCE: usize = 5;
/// Room for the coefficients of an input, as in the template.
const STRIDE: usize = 5;

fn list<T: ToString>(items: impl Iterator<Item = T>, none: &str) -> String {
    let items: Vec<String> = items.map(|x| x.to_string()).collect();
    if items.is_empty() {
        none.to_string()
    } else {
        items.join(", ")
    }
}

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
        let mut unit = CUnit::new(&model.kernels, &model.functions, &model.systems, &self.stem);
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
            ("actions", &self.reinit_actions()),
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
        let moving = |k: u32| f.operands[k as usize] == Layout::TIME;
        if has_kinks(&f.kernel, moving) {
            return Err(
                "it has kinks or calls functions, which a source cannot announce".to_string(),
            );
        }
        self.body(operations, f, OF_SOURCE, &[])
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

    /// Blocks that a function needs and that move between events.
    pub(super) fn loop_blocks(&self, e: &Evaluation) -> Vec<BlockId> {
        let model = self.model;
        let mut blocks = model.blocks_for(&[e.result]);
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
        let blocks = self.loop_blocks(e);
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
            list(slots, "0"),
            self.stem,
            e.result
        ))
    }

    /// Conditions and values of `reinit` only: the blocks do not check assertions.
    fn reinit_actions(&self) -> Program {
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
                let reinits = &self.model.reinits;
                if results
                    .iter()
                    .any(|s| reinits.iter().any(|r| r.1 == *s || r.2 == *s))
                {
                    wanted.push_row(kernel, row, false);
                }
            }
        }
        wanted
    }

    fn tables(&self, template: &str, messages: &[String], code: &str, cases: &str) -> String {
        let m: &CompiledModel = self.model;
        let layout = &m.layout;
        let operator = |op: BinaryOp| match op {
            BinaryOp::Lt => '<',
            BinaryOp::Le => '[',
            BinaryOp::Gt => '>',
            BinaryOp::Ge => ']',
            BinaryOp::Eq => '=',
            _ => '!',
        };
        let triple = |a: u32, b: u32, c: u32| format!("{{ {a}, {b}, {c} }}");
        let counts = layout.pre_pairs.iter().map(|p| {
            let kind = m.variable(p.0).map(|v| m.source.vars[v].kind);
            u8::from(matches!(kind, Some(Kind::Discrete | Kind::Relation)))
        });
        let left_limit = |r: &Relation| {
            let mut found = false;
            m.source.exprs.postorder(&[r.lhs, r.rhs], |e| {
                found |= matches!(m.source.exprs.get(e), Expr::Pre(_));
            });
            u8::from(found)
        };
        let all = self.functions() + self.split.inputs.list.len();
        let (mut start, mut reads) = (vec![0], Vec::new());
        for k in 0..all {
            reads.extend(self.discrete_reads(k));
            start.push(reads.len());
        }
        let value = |slot: Slot| literal(self.slots[slot as usize]);
        let sampling = m.samplers.iter();
        let sampling = sampling.map(|x| format!("{{ {}, {} }}", value(x.1), value(x.2)));
        let pairs = layout.pre_pairs.iter();
        let names = (0..self.split.states).map(|i| quoted(&self.state_name(i)));
        let fill = [
            ("@FUNCTION_CASES@", cases.to_string()),
            ("@CODE@", code.to_string()),
            ("@SLOTS@", list(self.slots.iter().map(|&x| literal(x)), "0")),
            (
                "@RELATIONS@",
                list(
                    m.relations.iter().map(|r| triple(r.memory, r.lhs, r.rhs)),
                    "{ 0, 0, 0 }",
                ),
            ),
            (
                "@OPERATORS@",
                m.relations.iter().map(|r| operator(r.op)).collect(),
            ),
            (
                "@PRE@",
                list(pairs.map(|p| format!("{{ {}, {} }}", p.0, p.1)), "{ 0, 0 }"),
            ),
            ("@COUNTS@", list(counts, "0")),
            (
                "@TIMED@",
                list(m.relations.iter().map(|r| u8::from(r.time_event)), "0"),
            ),
            (
                "@LEFT_LIMITS@",
                list(m.source.relations.iter().map(left_limit), "0"),
            ),
            (
                "@REINITS@",
                list(
                    m.reinits.iter().map(|r| triple(r.0, r.1, r.2)),
                    "{ 0, 0, 0 }",
                ),
            ),
            ("@SAMPLERS@", list(m.samplers.iter().map(|x| x.0), "0")),
            ("@SAMPLING@", list(sampling, "{ 0, 0 }")),
            ("@READS_START@", list(start.iter(), "0")),
            ("@READS@", list(reads.iter(), "0")),
            ("@NAMES@", list(names, "\"\"")),
            ("@MESSAGES@", list(messages.iter(), "\"\"")),
            ("@STATES@", self.split.states.to_string()),
            ("@FIRST_STATE@", self.split.first_state.to_string()),
            ("@FUNCTIONS@", self.functions().to_string()),
            ("@SOURCES@", self.split.inputs.list.len().to_string()),
            ("@N_RELATIONS@", m.relations.len().to_string()),
            ("@N_SAMPLERS@", m.samplers.len().to_string()),
            ("@N_PRE@", layout.pre_pairs.len().to_string()),
            ("@N_REINITS@", m.reinits.len().to_string()),
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

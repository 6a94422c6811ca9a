//! C99 from kernels, functions, programs and systems: for exports to machines without this crate.
//!
//! A [`CUnit`] collects definitions; each is emitted with what it needs, once:
//!
//! ```text
//! let mut unit = CUnit::new(&model.kernels, &model.functions, &model.systems, Values::of(&model), "m");
//! unit.program("rhs", &model.rhs_program)?;     // int m_rhs(double *s)
//! let text = unit.finish();                     // preamble and all definitions, one translation unit
//! ```
//!
//! - `s` is the array of slots of the model ([`crate::layout::Layout`]); the caller owns it. Every function of
//!   a program returns 0, or 1 + the number of a message of [`CUnit::messages`] (a failed assertion,
//!   an index out of range, a system without a solution).
//! - Definitions are `static`, their names begin with the prefix. More text between them comes with [`CUnit::raw`].
//! - The code has no heap, no recursion and no static data that changes; sizes are known at compile time. It needs `math.h` and
//!   `stdint.h`, and is clean under `-std=c99 -Wall -Wextra -pedantic`. With `-ffp-contract=off` and the same
//!   mathematical library its values are those of the interpreter, bit for bit.
//! - What has no form in C (strings that are more than messages, foreign functions other than those of `math.h`, tables and random
//!   numbers, recursive functions) is an error that names it. Warnings of functions are left out.
//!
//! A batch of few rows is written out with its slots as constants; a longer one is a loop over a table of slots.

pub mod expression;
mod function;
mod native;
mod row;
mod system;
pub mod text;

use std::fmt::Write;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use crate::interpreter::Functions;
use crate::kernel::{Kernel, KernelId};
use crate::layout::Slot;
use crate::model::{CompiledModel, System};
use crate::partials::prune;
use crate::program::{Kernels, Program, Step, SystemId};
use crate::runtime::Runtime;
use expression::Operations;
use row::Place;

/// Batches up to this length are written out.
const UNROLL: u32 = 3;
/// Operations in one C function: compilers are superlinear in the size of a function.
const CHUNK_OPS: usize = 2000;

/// See the module comment.
pub struct CUnit<'a> {
    kernels: &'a Kernels,
    functions: &'a Functions,
    systems: &'a PrimaryMap<SystemId, System>,
    values: Values,
    prefix: String,
    text: String,
    operations: Operations,
    messages: Vec<String>,
    /// Kernels that have a function of their own.
    kernel_done: FxHashMap<KernelId, ()>,
    function_done: FxHashMap<String, Progress>,
    system_done: FxHashMap<SystemId, ()>,
    /// A table of slots was emitted.
    index_used: bool,
    largest_index: u32,
    /// Of the largest nonlinear system; 0 if there is none.
    most_unknowns: usize,
    most_inner: usize,
    /// External objects that the slots name by number.
    objects: Option<&'a Runtime>,
    native_parts: native::Parts,
}

/// Comparisons at events, the same in every export: `PREFIX_equal`, `_is_true`, `_same_time` within this part of the times, and `_holds` of a relation.
pub fn instant(prefix: &str, same_time: f64) -> String {
    include_str!("instant.c")
        .replace("@SAME_TIME@", &expression::literal(same_time))
        .replace("P_", &format!("{prefix}_"))
}

/// What iterations need to know of the slots: nominal values, and start values where they begin again.
#[derive(Clone, Debug, Default)]
pub struct Values {
    nominal: Vec<f64>,
    start: Vec<f64>,
}

impl Values {
    /// Start values that are not numbers are taken for zero: see [`Values::starting`].
    pub fn of(model: &CompiledModel) -> Values {
        let slots = 0..model.slot_count() as Slot;
        Values {
            nominal: slots.map(|s| model.nominal(s)).collect(),
            start: model.layout.initial.clone(),
        }
    }

    /// The same with these start values.
    pub fn starting(mut self, start: Vec<f64>) -> Values {
        self.start = start;
        self
    }

    fn nominal(&self, slot: Slot) -> f64 {
        self.nominal.get(slot as usize).copied().unwrap_or(1.0)
    }

    fn start(&self, slot: Slot) -> f64 {
        self.start.get(slot as usize).copied().unwrap_or(0.0)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Open,
    Done,
}

impl<'a> CUnit<'a> {
    pub fn new(
        kernels: &'a Kernels,
        functions: &'a Functions,
        systems: &'a PrimaryMap<SystemId, System>,
        values: Values,
        prefix: &str,
    ) -> CUnit<'a> {
        CUnit {
            kernels,
            functions,
            systems,
            values,
            prefix: prefix.to_string(),
            text: String::new(),
            operations: Operations::new(prefix),
            messages: Vec::new(),
            kernel_done: FxHashMap::default(),
            function_done: FxHashMap::default(),
            system_done: FxHashMap::default(),
            index_used: false,
            largest_index: 0,
            most_unknowns: 0,
            most_inner: 0,
            objects: None,
            native_parts: native::Parts::new(),
        }
    }

    /// The code may read these external objects, which become part of it.
    pub fn objects(&mut self, objects: &'a Runtime) {
        self.objects = Some(objects);
    }

    /// Appends text of the caller (tables, functions that call what was emitted before).
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Texts of the failures: a function that returns k > 0 means message k − 1.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Code of a failure.
    fn failure(&mut self, message: String) -> usize {
        let known = self.messages.iter().position(|m| *m == message);
        1 + known.unwrap_or_else(|| {
            self.messages.push(message);
            self.messages.len() - 1
        })
    }

    /// Emits `static int PREFIX_name(double *s)`, which runs the program on the slots.
    pub fn program(&mut self, name: &str, program: &Program) -> Result<(), String> {
        let full = format!("{}_{name}", self.prefix);
        let mut chunks: Vec<String> = Vec::new();
        let mut body = String::new();
        let mut ops = 0;
        let mut table: Vec<u32> = Vec::new();
        for step in &program.steps {
            let size = match *step {
                Step::Solve(_) => 1,
                Step::Batch { kernel, count, .. } if count <= UNROLL => {
                    self.kernels.kernels[kernel].ops.len() * count as usize
                }
                Step::Batch { .. } => 4,
            };
            if ops > 0 && ops + size > CHUNK_OPS {
                chunks.push(std::mem::take(&mut body));
                ops = 0;
            }
            ops += size;
            self.step(&full, program, *step, &mut body, &mut table)?;
        }
        chunks.push(body);
        if !table.is_empty() {
            self.table(&format!("{full}_rows"), &table);
        }
        let n = chunks.len();
        let one = |name: &str, body: &str, out: &mut String| {
            let unused = if body.is_empty() {
                "    (void)s;\n"
            } else {
                ""
            };
            let _ = write!(
                out,
                "static int {name}(double *s)\n{{\n{unused}{body}    return 0;\n}}\n\n"
            );
        };
        if n == 1 {
            one(&full, &chunks[0], &mut self.text);
            return Ok(());
        }
        let mut calls = String::new();
        for (k, chunk) in chunks.iter().enumerate() {
            let part = format!("{full}_{k}");
            one(&part, chunk, &mut self.text);
            let _ = writeln!(calls, "    {{ const int e = {part}(s); if (e) return e; }}");
        }
        one(&full, &calls, &mut self.text);
        Ok(())
    }

    fn step(
        &mut self,
        program_name: &str,
        program: &Program,
        step: Step,
        body: &mut String,
        table: &mut Vec<u32>,
    ) -> Result<(), String> {
        match step {
            Step::Solve(system) => {
                let name = self.system(system)?;
                let _ = writeln!(body, "    {{ const int e = {name}(s); if (e) return e; }}");
            }
            Step::Batch {
                kernel,
                first,
                count,
            } => {
                let stride = self.kernels.kernels[kernel].stride();
                let rows = &program.rows[first as usize..][..stride * count as usize];
                if count <= UNROLL {
                    let pruned = self.pruned(kernel);
                    for row in rows.chunks_exact(stride.max(1)) {
                        let text = self.row(&pruned, &Place::Fixed(row))?;
                        let _ = writeln!(body, "    {{\n{text}    }}");
                    }
                } else {
                    let fails = self.kernel(kernel)?;
                    let (at, prefix) = (table.len(), &self.prefix);
                    table.extend_from_slice(rows);
                    let call = format!("{prefix}_k{}(s, r)", kernel.as_u32());
                    let call = if fails {
                        format!("{{ const int e = {call}; if (e) return e; }}")
                    } else {
                        format!("{call};")
                    };
                    let _ = write!(
                        body,
                        "    {{\n        const {prefix}_index *r = {program_name}_rows + {at};\n        \
                         const {prefix}_index *const end = r + {};\n        \
                         for (; r != end; r += {stride}) {call}\n    }}\n",
                        rows.len()
                    );
                }
            }
        }
        Ok(())
    }

    /// A constant table of slots.
    fn table(&mut self, name: &str, values: &[u32]) {
        self.index_used = true;
        let largest = values.iter().copied().max().unwrap_or(0);
        self.largest_index = self.largest_index.max(largest);
        let _ = write!(
            self.text,
            "static const {}_index {name}[{}] = {{",
            self.prefix,
            values.len()
        );
        for (k, v) in values.iter().enumerate() {
            let gap = if k % 16 == 0 { "\n    " } else { " " };
            let _ = write!(self.text, "{gap}{v},");
        }
        self.text.push_str("\n};\n\n");
    }

    fn pruned(&self, kernel: KernelId) -> Kernel {
        let mut kernel = self.kernels.kernels[kernel].clone();
        prune(&mut kernel);
        kernel
    }

    /// The function of one kernel for any row; true if it can fail.
    fn kernel(&mut self, id: KernelId) -> Result<bool, String> {
        let kernel = self.pruned(id);
        let fails = !kernel.calls.is_empty();
        if self.kernel_done.insert(id, ()).is_some() {
            return Ok(fails);
        }
        let text = self.row(&kernel, &Place::Row)?;
        let (result, end) = if fails {
            ("int", "        return 0;\n")
        } else {
            ("void", "")
        };
        self.index_used = true;
        let prefix = &self.prefix;
        let _ = write!(
            self.text,
            "static {result} {prefix}_k{}(double *s, const {prefix}_index *r)\n{{\n{text}{end}}}\n\n",
            id.as_u32()
        );
        Ok(fails)
    }

    /// The whole translation unit.
    pub fn finish(self) -> String {
        let mut out = String::from("#include <math.h>\n#include <stdint.h>\n\n");
        if self.index_used {
            let ty = if self.largest_index <= u32::from(u16::MAX) {
                "uint16_t"
            } else {
                "uint32_t"
            };
            let _ = write!(out, "typedef {ty} {}_index;\n\n", self.prefix);
        }
        out.push_str(&self.operations.definitions());
        out.push_str(&self.native_definitions());
        if self.most_unknowns > 0 {
            out.push_str(&system::newton(
                &self.prefix,
                self.most_unknowns,
                self.most_inner,
            ));
        }
        out.push_str(&self.text);
        out
    }
}

//! The passes of an event as C, for every export.
//!
//! In: a compiled model and what an export is like. Out: tables and functions whose names begin with a prefix: `P_take_left_limits`, `P_relation_holds` and
//! `P_passes`, over a structure `P_model` of the export with `s` (all slots), `forced`, `read`, `reset`, `reset_to`, `gap`, `given` and `met`, of the sizes that [`Passes`] tells.
//! The export has programs `P_all` and `P_actions`, the comparisons of [`ferrica_codegen::c::instant`], and behind this text two functions: `P_keeps`, how near to its threshold a
//! crossing that was found is one, and `P_check`, what is done about assertions.

use ferrica_codegen::CompiledModel;
use ferrica_codegen::c::expression::literal;
use ferrica_codegen::c::text::{list, nested, row};
use ferrica_ir::expr::BinaryOp;

use crate::mixed::{CALM_PASSES, HELD_EVALUATIONS};
use crate::scope::Scope;
use crate::settle::{MOVED, PATIENT_PASSES};

/// See the module comment.
pub struct Passes<'a> {
    pub model: &'a CompiledModel,
    /// All of the model.
    pub scope: &'a Scope,
    /// The accuracy of the solution, in parts of the size of what is compared.
    pub band: f64,
    /// Most passes of one event.
    pub most: usize,
    /// Statements at the beginning of a pass: what comes from the past.
    pub recall: &'a str,
}

fn operator(op: BinaryOp) -> char {
    match op {
        BinaryOp::Lt => '<',
        BinaryOp::Le => '[',
        BinaryOp::Gt => '>',
        BinaryOp::Ge => ']',
        BinaryOp::Eq => '=',
        _ => '!',
    }
}

impl Passes<'_> {
    /// What relations read and an event can change: entries of `read`.
    pub fn reads(&self) -> usize {
        self.scope.located.reads().iter().map(|r| r.len()).sum()
    }

    pub fn text(&self, prefix: &str) -> String {
        let m = self.model;
        let (relations, pairs) = (&m.relations, &m.layout.pre_pairs);
        let reads = self.scope.located.reads();
        let mut from = vec![0];
        for r in reads {
            from.push(from[from.len() - 1] + r.len());
        }
        let sides =
            |r: &ferrica_codegen::model::RelationSlots| row(&[r.memory, r.lhs, r.rhs, r.zero]);
        let fill = [
            ("@RECALL@", self.recall.to_string()),
            ("@RELATIONS@", nested(relations.iter().map(sides))),
            (
                "@OPERATORS@",
                relations.iter().map(|r| operator(r.op)).collect(),
            ),
            (
                "@TIMED@",
                list(relations.iter().map(|r| u8::from(r.time_event))),
            ),
            ("@READS_FROM@", list(from.iter())),
            ("@READS@", list(reads.iter().flatten())),
            ("@PRE@", nested(pairs.iter().map(|p| row(&[p.0, p.1])))),
            (
                "@ASKS@",
                list(self.scope.left_limits.asks().iter().map(|a| *a as u8)),
            ),
            (
                "@REINITS@",
                nested(m.reinits.iter().map(|r| row(&[r.0, r.1, r.2]))),
            ),
            ("@SAMPLERS@", list(m.samplers.iter().map(|s| s.0))),
            ("@BAND@", literal(self.band)),
            ("@MOVED@", literal(MOVED)),
            ("@PATIENT@", PATIENT_PASSES.to_string()),
            ("@CALM@", CALM_PASSES.to_string()),
            ("@HELD@", HELD_EVALUATIONS.to_string()),
            ("@PASSES@", self.most.to_string()),
            ("@N_RELATIONS_OR_1@", relations.len().max(1).to_string()),
            ("@N_RELATIONS@", relations.len().to_string()),
            ("@N_REINITS@", m.reinits.len().to_string()),
            ("@N_PRE@", pairs.len().to_string()),
            ("@N_SAMPLERS@", m.samplers.len().to_string()),
            ("@N@", prefix.to_string()),
        ];
        let mut text = include_str!("passes.c").to_string();
        for (place, with) in fill {
            text = text.replace(place, &with);
        }
        text
    }
}

//! What elements of a graph answer with: sources functions of time, resistors that are not linear a law with the signals that change it.

use ferrica_ir::{Diagnostic, VarId};
use rustc_hash::FxHashSet;

use super::assemble::Assembler;
use super::drive::Drive;
use super::law::Law;
use super::ports::{Side, is_rigid};
use super::refuse;
use super::sources::source_drive;
use crate::dual::Moving;
use crate::independence::Quantity;
use crate::signals::Function;
use crate::steps::plan;

/// Conditions of one element that are tried in all combinations.
const MAX_CONDITIONS: usize = 4;

impl Assembler<'_> {
    /// What a source gives, as a function of time.
    pub fn source_drive(&self, node: usize) -> Result<Drive, Diagnostic> {
        let built = &self.analysis.built;
        source_drive(
            self.flat,
            built,
            &self.signals,
            node,
            self.initial,
            self.options.stop,
            &self.memory,
        )
        .ok_or_else(|| {
            refuse(
                self.flat,
                self.place(node),
                format!(
                    "the source `{}` does not follow from time alone",
                    built.graph.nodes[node].name
                ),
            )
            .with_hint("sources that follow a measured signal are simulated by the other solvers")
        })
    }

    /// The law of a resistor that is not linear, and the signals that change it.
    pub(super) fn law(&self, f: &Function, q: Quantity) -> Result<(Law, Vec<Drive>), Diagnostic> {
        let built = &self.analysis.built;
        let n = &built.graph.nodes[f.node];
        let fail = |why: &str| {
            refuse(
                self.flat,
                self.place(f.node),
                format!("the resistor `{}` {why}", n.name),
            )
        };
        let e = n.element.filter(|&e| !is_rigid(&built.recognised[e].what));
        let Some(e) = e else {
            return Err(fail("acts on several ports"));
        };
        let element = &built.network.elements[e];
        let side = Side::of_one_port(element, false);
        let told = match q {
            Quantity::Effort => Quantity::Flow,
            Quantity::Flow => Quantity::Effort,
        };
        let (told_quantity, told_sign) = side.quantity(told);
        let (answer, answer_sign) = side.quantity(q);
        let mut at = self.initial.clone();
        let mut known: FxHashSet<Moving> = [told_quantity].into_iter().collect();
        for r in [side.reference(told), side.reference(q)]
            .into_iter()
            .flatten()
        {
            known.insert(r);
            at.set(r, 0.0);
        }
        // Signals that follow from time alone are told by sources of their own.
        let mut modulations = Vec::new();
        let mut drives = Vec::new();
        for v in crate::recognise::inputs(self.flat, element) {
            let target = Moving::Value(v);
            let leading = self.signals.leading_to(self.flat, v);
            let mut held = self.memory.known_in(self.flat, &leading);
            held.extend(self.memory.columns.contains_key(&v).then_some(target));
            let p = plan(self.flat, &leading, &[], held, self.initial);
            if !p.determines(target) {
                return Err(fail("follows a signal that depends on more than time"));
            }
            modulations.push(target);
            known.insert(target);
            drives.push(Drive::new(
                self.flat.clone(),
                p,
                target,
                1.0,
                self.initial,
                self.options.stop,
                &self.memory,
            ));
        }
        let mut p = plan(self.flat, &element.equations, &[], known.clone(), &at);
        let mut guesses = Vec::new();
        if !p.determines(answer) {
            // Conditions that depend on what they decide, as in a diode.
            guesses = self.conditions(&element.equations, &known);
            known.extend(guesses.iter().map(|&(v, _)| Moving::Value(v)));
            p = plan(self.flat, &element.equations, &[], known, &at);
        }
        if !p.determines(answer) {
            return Err(fail(
                "has a law that cannot be solved for its effort or flow alone",
            ));
        }
        let wanted = [answer];
        let law = Law {
            plan: p.reduced(self.flat, &wanted),
            flat: self.flat.clone(),
            told: told_quantity,
            modulations,
            answer,
            guesses,
            signs: (told_sign, answer_sign),
            at,
        };
        Ok((law, drives))
    }

    /// Boolean variables with an explicit equation that are not known.
    fn conditions(&self, equations: &[usize], known: &FxHashSet<Moving>) -> Vec<(VarId, usize)> {
        let mut out = Vec::new();
        for &k in equations {
            let e = &self.flat.equations[k];
            if let ferrica_ir::Expr::Var(v) = self.flat.exprs.get(e.lhs)
                && self.flat.vars[v].ty == ferrica_ir::Ty::Boolean
                && !known.contains(&Moving::Value(v))
                && out.len() < MAX_CONDITIONS
            {
                out.push((v, k));
            }
        }
        out
    }
}

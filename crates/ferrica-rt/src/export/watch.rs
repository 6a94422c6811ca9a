//! The text of what is looked at besides the steps: iterations that do not converge, the start, what comes behind an event.

use ferrica_codegen::Slot;
use ferrica_codegen::c::expression::literal;
use ferrica_sim::{AGAIN, GROWN};

use super::hybrid::Hybrid;
use super::writer::Writer;
use crate::causal::fused::settles_at_once;
use crate::march::divergence::{CARRIED, EVERY, LOOKED_AT, carries_slopes, state_sizes};
use crate::march::restart::{APART, TURNS};
use crate::step::CONVERGED;

impl Writer<'_> {
    /// Do steps iterate? Then their last correction stands behind the slots of the model, and is watched.
    pub(super) fn iterates(&self) -> bool {
        let iterated = self.causal.reductions.iter().any(|r| r.rest() > 0);
        iterated && !settles_at_once(&self.causal.plan)
    }

    pub(super) fn watch_text(&self) -> String {
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
    pub(super) fn watches_start(&self) -> bool {
        carries_slopes(self.options) && self.model.layout.n_states > 0
    }

    pub(super) fn start_text(&self) -> String {
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
    pub(super) fn restarts(&self) -> bool {
        let hybrid = self.hybrid.as_ref();
        hybrid.is_some_and(Hybrid::restarts)
    }

    pub(super) fn restart_text(&self, slots: Slot) -> String {
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
    pub(super) fn init_watch(&self) -> String {
        if !self.iterates() {
            return String::new();
        }
        let scales = (state_sizes(&self.p.ev).into_iter())
            .enumerate()
            .map(|(k, size)| format!("    m->scale[{k}] = {};\n", literal(GROWN * size)));
        let fixed = "    m->unconverged = 0UL;\n    m->unconverged_before = 0UL;\n";
        scales.fold(fixed.to_string(), |all, line| all + &line)
    }

    /// What is looked at after each step.
    pub(super) fn call_watch(&self) -> String {
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
}

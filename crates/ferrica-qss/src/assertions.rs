//! Assertions that can fail between events.
//!
//! They are checked where a state that they read makes a transition, at the renewal of a function of time if they read the time, and at each row.

use ferrica_codegen::program::Program;
use ferrica_codegen::{Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_sim::failed_assertion;

use crate::compiled::{CompiledQss, diagnostic};
use crate::observer::{Happening, Trajectories};

/// See the module comment.
pub struct Assertions {
    /// Numbers of the assertions, and whether each of them has failed when it was last checked.
    list: Vec<(usize, bool)>,
    program: Program,
    needed: Vec<u32>,
    /// By state: is it read?
    watched: Vec<bool>,
    /// Is the time read?
    timed: bool,
}

impl Assertions {
    /// `None` where no assertion can fail between events.
    pub fn new(compiled: &CompiledQss) -> Option<Assertions> {
        let model = &compiled.model;
        if !model.assertions_vary {
            return None;
        }
        let all = model.assertions.iter().enumerate();
        let list: Vec<(usize, bool)> = all
            .filter(|(_, a)| a.guard.is_none())
            .map(|(k, _)| (k, false))
            .collect();
        let values: Vec<Slot> = list
            .iter()
            .map(|&(k, _)| model.assertions[k].value)
            .collect();
        let program = model.schedule(&values);
        let needed = compiled.states_needed(&program, Some(&values));
        let mut watched = vec![false; model.layout.n_states];
        for &i in &needed {
            watched[i as usize] = true;
        }
        Some(Assertions {
            timed: program.rows.contains(&Layout::TIME),
            list,
            program,
            needed,
            watched,
        })
    }

    /// Does this ask for a check?
    pub fn concerns(&self, what: Happening) -> bool {
        match what {
            Happening::State(i) => self.watched[i],
            Happening::Input(_) => self.timed,
            Happening::BeforeEvent | Happening::AfterEvent => false,
        }
    }

    pub fn check(
        &mut self,
        model: &mut CompiledQss,
        at: Trajectories<'_>,
    ) -> Result<(), Diagnostic> {
        model
            .evaluate(at, &self.needed, &self.program)
            .map_err(|f| diagnostic("E0605", f))?;
        for (k, failed) in &mut self.list {
            let before = *failed;
            *failed = model.ev.get(model.model.assertions[*k].value) == 0.0;
            if !*failed || before {
                continue;
            }
            let own = model.model.clone();
            let warning = failed_assertion(&mut model.ev, &own, *k);
            let warning = warning.map_err(|f| diagnostic("E0607", f))?;
            model.warnings.push(warning);
        }
        Ok(())
    }
}

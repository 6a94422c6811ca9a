//! How much a step of the code does at most.
//!
//! In: the programs of the code and the number of rounds and passes. Out: operations on numbers, an elementary function being one of them: the code has
//! no loop whose end depends on values but the systems and functions that are counted apart, whose iterations have bounds of their own.

use ferrica_codegen::kernel::{Kernel, Op};
use ferrica_codegen::program::{Kernels, Program, Step, rows};

/// See the module comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations of a step without an event.
    pub step: usize,
    /// Operations of an instant that is met inside of a step, without the passes of its event; how many of them a step may have.
    pub instant: usize,
    pub instants: usize,
    /// Operations of one pass of an event, and how many passes it may take.
    pub pass: usize,
    pub passes: usize,
    /// Systems of equations that are iterated, and functions that are called, in a step with one pass.
    pub systems: usize,
    pub calls: usize,
}

/// Operations of a program.
pub fn operations(kernels: &Kernels, program: &Program) -> usize {
    let of = |kernel: &Kernel| {
        let counted = |op: &&Op| !matches!(op, Op::Load(_) | Op::Const(_) | Op::Result);
        kernel.ops.iter().filter(counted).count()
    };
    rows(kernels, program)
        .map(|(k, _)| of(&kernels.kernels[k]))
        .sum()
}

/// Operations of an elimination of so many unknowns with a search for pivots, as in `solve.c`.
pub fn elimination(n: usize) -> usize {
    let column = |left: usize| {
        let below = left - 1;
        // Pivots compared, a row divided, each entry below multiplied and subtracted, the right-hand side too.
        2 * left + 1 + below * (1 + 2 * below + 2)
    };
    let forward: usize = (1..=n).map(column).sum();
    2 * n * n + forward + n * n
}

impl Work {
    /// Counts what is not straight-line in a program.
    pub fn look(&mut self, kernels: &Kernels, program: &Program) {
        let solves = |s: &&Step| matches!(s, Step::Solve(_));
        self.systems += program.steps.iter().filter(solves).count();
        let calls = |k: &Kernel| k.ops.iter().filter(|o| matches!(o, Op::Call(_))).count();
        self.calls += rows(kernels, program)
            .map(|(k, _)| calls(&kernels.kernels[k]))
            .sum::<usize>();
    }

    /// For people.
    pub fn words(&self) -> String {
        let mut text = format!("{} operations a step", self.step);
        if self.passes > 0 {
            text += &format!(
                ", at each of {} instants inside of it {} more, and at an event {} passes of {} operations",
                self.instants, self.instant, self.passes, self.pass
            );
        }
        let apart = [
            (self.systems, "iterated systems"),
            (self.calls, "calls of functions"),
        ];
        for (count, what) in apart.iter().filter(|a| a.0 > 0) {
            text += &format!(", {what}: {count}");
        }
        text
    }

    pub fn json(&self) -> String {
        format!(
            "{{ \"step\": {}, \"instant\": {}, \"instants\": {}, \"event_pass\": {}, \"event_passes\": {}, \"systems\": {}, \"calls\": {} }}",
            self.step,
            self.instant,
            self.instants,
            self.pass,
            self.passes,
            self.systems,
            self.calls
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unknown: its row is scaled (2), its pivot compared twice and inverted, the right-hand side multiplied.
    #[test]
    fn an_elimination_grows_with_the_cube() {
        assert_eq!(elimination(1), 6);
        let ratio = elimination(400) as f64 / elimination(200) as f64;
        assert!((7.5..8.5).contains(&ratio), "{ratio}");
    }
}

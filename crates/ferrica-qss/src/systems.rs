//! Algebraic systems inside a schedule: values by the model's own solver, Taylor coefficients by
//! the implicit function theorem.
//!
//! Linear, A·x = b: A₀·x_k = b_k − Σ_{j≥1} A_j·x_{k−j}. Nonlinear, F(x) = 0: coefficient k of F is
//! affine in x_k with the Jacobian J as its matrix, so with x_k = 0 the residual r_k gives
//! J·x_k = −r_k. J itself comes column by column from the first coefficient of F.
//!
//! The last solution is kept with the coefficients it was computed from: schedules that share a
//! system solve it once.

use ferrica_codegen::model::SystemKind;
use ferrica_codegen::program::{Program, Row, Step, SystemId};
use ferrica_codegen::{Evaluator, Slot};
use ferrica_solvers::linear::LinearSolver;
use ferrica_solvers::sparse::CscPattern;

use crate::bank::Bank;
use crate::splitting::SplitSystem;

/// A system bound to the coefficients of one order.
pub struct TaylorSystem {
    pub id: SystemId,
    count: usize,
    linear: bool,
    solve: Program,
    inside: Row,
    then: Option<Row>,
    unknowns: Vec<Slot>,
    rhs: Slot,
    matrix: Slot,
    pattern: CscPattern,
    lu: LinearSolver,
    /// Moving slots that it reads.
    reads: Vec<Slot>,
    /// Coefficients of `reads` at the last solution, and its epoch.
    last: Vec<f64>,
    epoch: u64,
    work: Vec<f64>,
    columns: Vec<f64>,
}

impl TaylorSystem {
    pub fn new(
        bank: &mut Bank,
        evaluator: &Evaluator,
        split: &SplitSystem,
        count: usize,
        reads: Vec<Slot>,
        motion_of: &dyn Fn(Slot) -> crate::taylor_kernel::Motion,
    ) -> TaylorSystem {
        let system = &evaluator.model.systems[split.id];
        let n = system.unknowns.len();
        let linear = matches!(system.kind, SystemKind::Linear { .. });
        // Columns of a nonlinear Jacobian are computed in full.
        let pattern = if linear {
            system.pattern.clone()
        } else {
            CscPattern::from_entries(n, (0..n).flat_map(|c| (0..n).map(move |r| (r, c))))
        };
        let moving = |s: Slot| {
            if system.writes.contains(&s) {
                crate::taylor_kernel::Motion::Moving
            } else {
                motion_of(s)
            }
        };
        // Two coefficients at least: the Jacobian is read off the second one.
        let inside = bank.bind(&split.inside, count.max(2), &moving);
        let then = split.then.as_ref().map(|f| bank.bind(f, count, &moving));
        TaylorSystem {
            id: split.id,
            count,
            linear,
            solve: Program {
                steps: vec![Step::Solve(split.id)],
                ..Program::default()
            },
            inside,
            then,
            unknowns: system.unknowns.clone(),
            rhs: system.rhs,
            matrix: system.matrix,
            lu: LinearSolver::new(pattern.clone()),
            pattern,
            last: vec![f64::NAN; reads.len() * count],
            reads,
            epoch: 0,
            work: vec![0.0; n],
            columns: Vec::new(),
        }
    }

    /// Solves for all coefficients. `epoch` changes whenever something else may have written to the
    /// slots of the system or to constants.
    pub fn run(
        &mut self,
        bank: &mut Bank,
        evaluator: &mut Evaluator,
        epoch: u64,
    ) -> Result<(), String> {
        let mut same = self.epoch == epoch;
        let mut at = 0;
        for &slot in &self.reads {
            for c in 0..self.count {
                let v = evaluator.slots[bank.coefficient(slot, c)];
                same &= v.to_bits() == self.last[at].to_bits();
                self.last[at] = v;
                at += 1;
            }
        }
        if same {
            return Ok(());
        }
        self.epoch = epoch;
        evaluator.run(&self.solve).map_err(|f| f.to_string())?;
        if self.count > 1 {
            if self.linear {
                self.linear_coefficients(bank, evaluator)?;
            } else {
                self.nonlinear_coefficients(bank, evaluator)?;
            }
        }
        if let Some(row) = self.then {
            bank.run(row, evaluator)?;
        }
        Ok(())
    }

    fn factor(&mut self, values: &[f64]) -> Result<(), String> {
        self.lu
            .factor(values)
            .map_err(|e| format!("algebraic system cannot be differentiated: {e}"))
    }

    fn linear_coefficients(
        &mut self,
        bank: &mut Bank,
        evaluator: &mut Evaluator,
    ) -> Result<(), String> {
        bank.run(self.inside, evaluator)?;
        let nnz = self.pattern.nnz();
        let n = self.unknowns.len();
        let first = self.matrix as usize;
        let values = evaluator.slots[first..first + nnz].to_vec();
        self.factor(&values)?;
        for k in 1..self.count {
            let b = bank.coefficient(self.rhs, k);
            self.work.copy_from_slice(&evaluator.slots[b..b + n]);
            for j in 1..=k {
                let a = bank.coefficient(self.matrix, j);
                for (e, (r, c)) in self.pattern.entries().enumerate() {
                    let aj = evaluator.slots[a + e];
                    if aj != 0.0 {
                        let x = evaluator.slots[bank.coefficient(self.unknowns[c], k - j)];
                        self.work[r] -= aj * x;
                    }
                }
            }
            self.lu.solve(&mut self.work);
            for (&slot, &x) in self.unknowns.iter().zip(&self.work) {
                evaluator.slots[bank.coefficient(slot, k)] = x;
            }
        }
        Ok(())
    }

    fn nonlinear_coefficients(
        &mut self,
        bank: &mut Bank,
        evaluator: &mut Evaluator,
    ) -> Result<(), String> {
        let n = self.unknowns.len();
        let set = |evaluator: &mut Evaluator, bank: &Bank, slot: Slot, k: usize, v: f64| {
            let at = bank.coefficient(slot, k);
            evaluator.slots[at] = v;
        };
        for k in 1..self.count.max(2) {
            for &slot in &self.unknowns {
                set(evaluator, bank, slot, k, 0.0);
            }
        }
        bank.run(self.inside, evaluator)?;
        let residual = bank.coefficient(self.rhs, 1);
        let base = evaluator.slots[residual..residual + n].to_vec();
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        for k in 0..n {
            set(evaluator, bank, self.unknowns[k], 1, 1.0);
            bank.run(self.inside, evaluator)?;
            let column = &evaluator.slots[residual..residual + n];
            columns.extend(column.iter().zip(&base).map(|(r, b)| r - b));
            set(evaluator, bank, self.unknowns[k], 1, 0.0);
        }
        self.factor(&columns)?;
        self.columns = columns;
        for k in 1..self.count {
            if k == 1 {
                self.work.copy_from_slice(&base);
            } else {
                bank.run(self.inside, evaluator)?;
                let r = bank.coefficient(self.rhs, k);
                self.work.copy_from_slice(&evaluator.slots[r..r + n]);
            }
            self.lu.solve(&mut self.work);
            for j in 0..n {
                set(evaluator, bank, self.unknowns[j], k, -self.work[j]);
            }
        }
        // The inner variables with all coefficients.
        bank.run(self.inside, evaluator)
    }
}

//! The differentiated form: Φ_y ẏ + Φ_t = 0 for the constraints, A ẋ + b = 0 for the differential
//! equations, solved for all derivatives and integrated by the explicit trapezoidal rule.
//!
//! It needs differential equations that are independent in the derivatives: two capacitors in
//! parallel are not, and are refused by name. Constraints hold in their differentiated form only, so
//! the solution drifts off them; that is the method's property, not repaired here.

use ferrica_codegen::CompiledModel;
use ferrica_codegen::model::{DaeForm, EquationRef};
use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::sparse::CscPattern;

/// Equations of which one follows from the others, as indices of residuals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent(pub Vec<usize>);

/// The leading matrix of the derivatives.
pub struct Differentiated {
    /// Residuals that are constraints.
    constraint: Vec<bool>,
    /// Of each used partial derivative: number in `DaeForm::entries`, place in the matrix.
    entries: Vec<(u32, u32)>,
    values: Vec<f64>,
    lu: LinearSolver,
    checked: bool,
    pub factorizations: u64,
}

impl Differentiated {
    pub fn new(dae: &DaeForm) -> Differentiated {
        let n = dae.unknowns.len();
        let (rows, cols): (Vec<usize>, Vec<usize>) = dae.pattern.entries().unzip();
        let mut constraint = vec![true; n];
        for &(position, _, derivative) in &dae.entries {
            if derivative {
                constraint[rows[position as usize]] = false;
            }
        }
        let used: Vec<(u32, usize, usize)> = dae
            .entries
            .iter()
            .enumerate()
            .map(|(k, &(position, _, derivative))| {
                let p = position as usize;
                (k as u32, rows[p], cols[p], derivative)
            })
            .filter(|&(_, r, _, derivative)| derivative != constraint[r])
            .map(|(k, r, c, _)| (k, r, c))
            .collect();
        let pattern = CscPattern::from_entries(n, used.iter().map(|&(_, r, c)| (r, c)));
        let entries = used
            .iter()
            .filter_map(|&(k, r, c)| pattern.find(r, c).map(|at| (k, at as u32)))
            .collect();
        Differentiated {
            constraint,
            entries,
            values: vec![0.0; pattern.nnz()],
            lu: LinearSolver::new(pattern),
            checked: false,
            factorizations: 0,
        }
    }

    pub fn is_constraint(&self, row: usize) -> bool {
        self.constraint[row]
    }

    /// Takes the partial derivatives (order of `DaeForm::entries`) and factors.
    pub fn factor(&mut self, partial: impl Fn(usize) -> f64) -> Result<(), FactorError> {
        self.values.fill(0.0);
        for &(k, at) in &self.entries {
            self.values[at as usize] += partial(k as usize);
        }
        if !self.checked {
            let dependent = dependent_rows(self.lu.pattern(), &self.values);
            if !dependent.is_empty() {
                return Err(FactorError::Dependent(Dependent(dependent)));
            }
            self.checked = true;
        }
        self.factorizations += 1;
        self.lu.factor(&self.values).map_err(FactorError::Singular)
    }

    /// out := Â·rates, the products of each row.
    pub fn multiply(&self, rates: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let pattern = self.lu.pattern();
        for (c, rate) in rates.iter().enumerate() {
            for (k, &r) in pattern.col_range(c).zip(pattern.col(c)) {
                out[r as usize] += self.values[k] * rate;
            }
        }
    }

    pub fn solve(&mut self, b: &mut [f64]) {
        self.lu.solve(b);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactorError {
    Dependent(Dependent),
    Singular(Singular),
}

/// Rows that compete for too few columns: those reached by alternating paths from a row that no maximum
/// matching of the non-zero entries serves. Empty if every row has a column of its own.
pub fn dependent_rows(pattern: &CscPattern, values: &[f64]) -> Vec<usize> {
    let n = pattern.n();
    let mut of_row: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (k, (r, c)) in pattern.entries().enumerate() {
        if values[k] != 0.0 {
            of_row[r].push(c);
        }
    }
    const NONE: usize = usize::MAX;
    let (mut row_of_col, mut col_of_row) = (vec![NONE; n], vec![NONE; n]);
    // Of each column: the search that reached it last, and from which row.
    let mut reached = vec![(NONE, NONE); n];
    let mut queue = Vec::new();
    for start in 0..n {
        // Breadth first, so that deep ladders need no stack.
        queue.clear();
        queue.push(start);
        let mut next = 0;
        let mut end = None;
        'search: while next < queue.len() {
            let r = queue[next];
            next += 1;
            for &c in &of_row[r] {
                if reached[c].0 == start {
                    continue;
                }
                reached[c] = (start, r);
                if row_of_col[c] == NONE {
                    end = Some(c);
                    break 'search;
                }
                queue.push(row_of_col[c]);
            }
        }
        let Some(mut c) = end else {
            queue.sort_unstable();
            return queue;
        };
        loop {
            let r = reached[c].1;
            let given_up = std::mem::replace(&mut col_of_row[r], c);
            row_of_col[c] = r;
            if given_up == NONE {
                break;
            }
            c = given_up;
        }
    }
    Vec::new()
}

/// Components that the equations of some residuals belong to, each once; the equations themselves
/// where a component has no name.
pub fn components(model: &CompiledModel, dae: &DaeForm, rows: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for &r in rows {
        let index = dae.equations[r];
        let path = model
            .source
            .equations
            .get(index as usize)
            .and_then(|e| model.source.components.get(e.component as usize))
            .map(|c| c.path.as_str())
            .filter(|p| !p.is_empty());
        let name = match path {
            Some(path) => format!("`{path}`"),
            None => format!(
                "`{}`",
                model.equation_text(EquationRef {
                    initial: false,
                    index,
                })
            ),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependent(n: usize, entries: &[(usize, usize)]) -> Vec<usize> {
        let pattern = CscPattern::from_entries(n, entries.iter().copied());
        let values = vec![1.0; pattern.nnz()];
        dependent_rows(&pattern, &values)
    }

    #[test]
    fn two_rows_for_one_column() {
        // Rows 0 and 2 have column 1 only; row 1 has the other two.
        assert_eq!(dependent(3, &[(0, 1), (2, 1), (1, 0), (1, 2)]), [0, 2]);
        // A way round: row 0 takes column 0 first and must give it up.
        assert_eq!(
            dependent(3, &[(0, 0), (0, 1), (1, 0), (2, 1), (2, 2)]),
            Vec::<usize>::new()
        );
    }
}

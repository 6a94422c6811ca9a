//! Does the model have the differentiated form Φ_y ẏ + Φ_t = 0 for the constraints, A ẋ + b = 0 for the differential equations?
//!
//! It needs differential equations that are independent in the derivatives: two capacitors in parallel are not, and are refused by
//! name. The states are then integrated by the explicit trapezoidal rule, and all else follows from the constraints at the new states:
//! integrating their derivatives too would drift off them, and jump where a constraint does.

use ferrica_codegen::CompiledModel;
use ferrica_codegen::model::{DaeForm, EquationRef};
use ferrica_solvers::sparse::CscPattern;

use crate::tangent::outputs;

/// The dependent equations, at the present partial derivatives.
pub fn dependent_equations(model: &CompiledModel, dae: &DaeForm, slots: &[f64]) -> Vec<usize> {
    let n = dae.unknowns.len();
    let (rows, cols): (Vec<usize>, Vec<usize>) = dae.pattern.entries().unzip();
    let mut constraint = vec![true; n];
    for &(position, _, derivative) in &dae.entries {
        if derivative {
            constraint[rows[position as usize]] = false;
        }
    }
    // What nothing else depends on is computed from its own equation.
    let mut left = (vec![true; n], vec![true; n]);
    for (r, c) in outputs(model, dae, |c| c < dae.n_states, |_, _| true) {
        (left.0[r as usize], left.1[c as usize]) = (false, false);
    }
    leave_out_computed(dae, slots, (&rows, &cols), &mut left);
    let mut entries = Vec::new();
    for &(position, slot, derivative) in &dae.entries {
        let (r, c) = (rows[position as usize], cols[position as usize]);
        let is_output = !left.0[r] || !left.1[c];
        if !is_output && derivative != constraint[r] && slots[slot as usize] != 0.0 {
            entries.push((r, c));
        }
    }
    // An output has its own equation to itself.
    let own = (0..n)
        .filter(|&r| !left.0[r])
        .zip((0..n).filter(|&c| !left.1[c]));
    entries.extend(own);
    let pattern = CscPattern::from_entries(n, entries.iter().copied());
    let values = vec![1.0; pattern.nnz()];
    dependent_rows(&pattern, &values)
}

/// Leaves out what follows from the states one equation after the other, each with one unknown that is new: `w = der(phi)` gives the derivative where `w` is a
/// state, and then `y = der(phi)` gives `y`. Only what must be solved together can depend on each other.
fn leave_out_computed(
    dae: &DaeForm,
    slots: &[f64],
    (rows, cols): (&[usize], &[usize]),
    left: &mut (Vec<bool>, Vec<bool>),
) {
    let n = dae.unknowns.len();
    // Values of columns, then derivatives of columns.
    let mut known = vec![false; 2 * n];
    known[..dae.n_states].fill(true);
    let mut in_row: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut rows_with: Vec<Vec<usize>> = vec![Vec::new(); 2 * n];
    for &(position, slot, derivative) in &dae.entries {
        let (r, c) = (rows[position as usize], cols[position as usize]);
        let quantity = c + n * usize::from(derivative);
        if slots[slot as usize] != 0.0 && left.0[r] {
            in_row[r].push(quantity);
            rows_with[quantity].push(r);
        }
    }
    let mut open: Vec<usize> = (0..n).filter(|&r| left.0[r]).collect();
    while let Some(r) = open.pop() {
        let mut unknown = in_row[r].iter().filter(|&&q| !known[q]);
        let (Some(&q), None) = (unknown.next(), unknown.next()) else {
            continue;
        };
        if !left.0[r] {
            continue;
        }
        known[q] = true;
        (left.0[r], left.1[q % n]) = (false, false);
        open.extend(rows_with[q].iter().filter(|&&other| left.0[other]));
    }
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

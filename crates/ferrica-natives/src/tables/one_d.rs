//! Tables over one argument.

use super::spline::{Curve, Jet};
use super::{Extrapolation, Smoothness, find, outside, source, wrap};
use crate::data::Matrix;

#[derive(Debug)]
pub struct Table1D {
    x: Vec<f64>,
    curves: Vec<Curve>,
    extrapolation: Extrapolation,
    constant: bool,
}

impl Table1D {
    pub fn new(
        matrix: &Matrix,
        columns: &[f64],
        smoothness: Smoothness,
        extrapolation: Extrapolation,
    ) -> Result<Table1D, String> {
        if matrix.rows < 1 || matrix.columns < 2 {
            return Err(format!(
                "a table of {} rows and {} columns cannot be interpolated: two columns are needed",
                matrix.rows, matrix.columns
            ));
        }
        let x = matrix.column(0);
        if let Some(i) = (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
            return Err(format!(
                "the first column of the table is not strictly increasing: {} in row {} follows {}",
                x[i],
                i + 1,
                x[i - 1]
            ));
        }
        let curves = source::columns(matrix, columns)?
            .into_iter()
            .map(|y| Curve::new(smoothness, &x, y))
            .collect();
        Ok(Table1D {
            x,
            curves,
            extrapolation,
            constant: smoothness == Smoothness::Constant,
        })
    }

    pub fn abscissae(&self) -> &[f64] {
        &self.x
    }

    /// One for each output.
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    pub fn minimum(&self) -> f64 {
        self.x[0]
    }

    pub fn maximum(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    /// Column k (from 1 in the order of `columns`) and its derivatives at u.
    pub fn at(&self, k: i64, u: f64) -> Result<Jet, String> {
        let curve = usize::try_from(k - 1)
            .ok()
            .and_then(|k| self.curves.get(k))
            .ok_or_else(|| format!("the table has no output {k}"))?;
        let x = &self.x[..];
        if x.len() == 1 {
            return Ok([curve.y[0], 0.0, 0.0]);
        }
        let (a, b) = (self.minimum(), self.maximum());
        let u = match self.extrapolation {
            Extrapolation::Periodic => wrap(x, u),
            _ if u >= a && u <= b => u,
            Extrapolation::Hold => {
                let y = if u < a {
                    curve.y[0]
                } else {
                    curve.y[x.len() - 1]
                };
                return Ok([y, 0.0, 0.0]);
            }
            Extrapolation::LastTwoPoints => return Ok(curve.beyond(x, u)),
            Extrapolation::Forbidden => return Err(outside("u", u, a, b)),
        };
        if self.constant && u >= b {
            return Ok([curve.y[x.len() - 1], 0.0, 0.0]);
        }
        Ok(curve.inside(x, find(x, u), u))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(s: Smoothness, e: Extrapolation) -> Table1D {
        let matrix = Matrix {
            rows: 4,
            columns: 2,
            data: vec![0.0, 1.0, 1.0, 3.0, 3.0, 2.0, 4.0, 6.0],
        };
        Table1D::new(&matrix, &[2.0], s, e).unwrap()
    }

    /// By hand from the straight lines between (0,1), (1,3), (3,2), (4,6).
    #[test]
    fn straight_lines_and_the_four_extrapolations() {
        let at = |e, u| table(Smoothness::Linear, e).at(1, u).map(|j| j[0]);
        assert_eq!(at(Extrapolation::Hold, 2.0), Ok(2.5));
        assert_eq!(at(Extrapolation::Hold, -1.0), Ok(1.0));
        assert_eq!(at(Extrapolation::Hold, 9.0), Ok(6.0));
        assert_eq!(at(Extrapolation::LastTwoPoints, -1.0), Ok(-1.0));
        assert_eq!(at(Extrapolation::LastTwoPoints, 5.0), Ok(10.0));
        assert_eq!(at(Extrapolation::Periodic, 9.0), Ok(3.0));
        assert_eq!(at(Extrapolation::Periodic, -2.0), Ok(2.5));
        assert!(at(Extrapolation::Forbidden, 4.5).is_err());
        assert_eq!(at(Extrapolation::Forbidden, 4.0), Ok(6.0));
    }

    /// A step holds until the next abscissa; a linear table has its slope to the right of a knot.
    #[test]
    fn steps_and_slopes() {
        let steps = table(Smoothness::Constant, Extrapolation::Hold);
        assert_eq!(steps.at(1, 0.99), Ok([1.0, 0.0, 0.0]));
        assert_eq!(steps.at(1, 1.0), Ok([3.0, 0.0, 0.0]));
        assert_eq!(steps.at(1, 4.0), Ok([6.0, 0.0, 0.0]));
        let lines = table(Smoothness::Linear, Extrapolation::LastTwoPoints);
        assert_eq!(lines.at(1, 1.0), Ok([3.0, -0.5, 0.0]));
        assert!(lines.at(2, 1.0).is_err());
    }

    /// Derivatives against central differences of the values, in and beyond the table.
    #[test]
    fn derivatives_are_those_of_the_curve() {
        for s in [
            Smoothness::Akima,
            Smoothness::FritschButland,
            Smoothness::Steffen,
            Smoothness::Makima,
        ] {
            let t = table(s, Extrapolation::LastTwoPoints);
            for u in [-0.7, 0.3, 1.9, 3.4, 5.1] {
                let h = 1e-5;
                let (l, m, r) = (
                    t.at(1, u - h).unwrap(),
                    t.at(1, u).unwrap(),
                    t.at(1, u + h).unwrap(),
                );
                assert!((m[1] - (r[0] - l[0]) / (2.0 * h)).abs() < 1e-8);
                assert!((m[2] - (r[1] - l[1]) / (2.0 * h)).abs() < 1e-8);
            }
        }
    }
}

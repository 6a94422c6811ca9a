//! Lists of linear relations: elimination, row echelon form, relations among given linear forms.

/// Coefficients below this, in rows scaled to their leading coefficient, count as zero.
pub const TOLERANCE: f64 = 1e-7;

/// A list of linear relations.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: Vec<Vec<f64>>,
}

impl Matrix {
    /// Eliminates the first `n` columns and drops the rows used for it.
    pub fn eliminate(&mut self, n: usize) {
        for c in 0..n {
            let Some(p) = self.pivot(c, 0) else { continue };
            let row = self.rows.swap_remove(p);
            for r in &mut self.rows {
                let factor = r[c] / row[c];
                if factor != 0.0 {
                    for (x, y) in r.iter_mut().zip(&row) {
                        *x -= factor * y;
                    }
                    r[c] = 0.0;
                }
            }
        }
        self.rows.retain(|r| r.iter().any(|v| v.abs() > 1e-12));
    }

    pub fn pivot(&self, c: usize, from: usize) -> Option<usize> {
        (from..self.rows.len())
            .filter(|&r| {
                let scale = self.rows[r].iter().fold(0.0f64, |a, v| a.max(v.abs()));
                self.rows[r][c].abs() > 1e-11 * scale && self.rows[r][c] != 0.0
            })
            .max_by(|&a, &b| {
                let relative = |r: usize| {
                    let scale = self.rows[r].iter().fold(0.0f64, |a, v| a.max(v.abs()));
                    self.rows[r][c].abs() / scale
                };
                relative(a).total_cmp(&relative(b))
            })
    }

    /// Reduced row echelon form.
    pub fn reduce(&mut self) {
        let Some(width) = self.rows.first().map(Vec::len) else {
            return;
        };
        let mut done = 0;
        for c in 0..width {
            let Some(p) = self.pivot(c, done) else {
                continue;
            };
            self.rows.swap(done, p);
            let lead = self.rows[done][c];
            self.rows[done].iter_mut().for_each(|v| *v /= lead);
            let row = self.rows[done].clone();
            for (k, r) in self.rows.iter_mut().enumerate() {
                if k != done {
                    let factor = r[c];
                    if factor != 0.0 {
                        r.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
                        r[c] = 0.0;
                    }
                }
            }
            done += 1;
        }
        self.rows.truncate(done);
        for r in &mut self.rows {
            let scale = r.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            r.iter_mut().for_each(|v| {
                if v.abs() < 1e-12 * scale {
                    *v = 0.0;
                }
            });
        }
    }

    /// Is a relation implied by these?
    pub fn contains(&self, relation: &[f64]) -> bool {
        let before = self.rows.len();
        let mut m = self.clone();
        m.rows.push(relation.to_vec());
        m.reduce();
        // Rounding leaves tiny rows: compare by the residue after projection.
        if m.rows.len() == before {
            return true;
        }
        let mut rest = relation.to_vec();
        for r in &self.rows {
            let Some(lead) = r.iter().position(|&v| v != 0.0) else {
                continue;
            };
            let factor = rest[lead] / r[lead];
            rest.iter_mut().zip(r).for_each(|(x, y)| *x -= factor * y);
        }
        rest.iter().all(|v| v.abs() < TOLERANCE)
    }

    /// Coefficients with which the given directions occur in a relation among them alone.
    pub fn combination(&self, directions: &[Vec<f64>; 2]) -> Option<[f64; 2]> {
        let rows = self.restricted(directions)?;
        match rows.as_slice() {
            [one] => Some([one[0], one[1]]),
            _ => None,
        }
    }

    /// Relations among given linear forms of the port variables.
    pub fn restricted(&self, forms: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
        // c is a relation of the forms iff sum c_k form_k lies in the row space: solve by putting the
        // forms beside an identity and reducing against the rows.
        let width = self.rows.first()?.len();
        let mut m = Matrix { rows: Vec::new() };
        for r in &self.rows {
            let mut row = r.clone();
            row.extend(std::iter::repeat_n(0.0, forms.len()));
            m.rows.push(row);
        }
        for (k, f) in forms.iter().enumerate() {
            let mut row = f.clone();
            row.extend((0..forms.len()).map(|j| f64::from(u8::from(j == k))));
            // Reduce against the relations.
            for r in &self.rows {
                let Some(lead) = r.iter().position(|&v| v != 0.0) else {
                    continue;
                };
                let factor = row[lead] / r[lead];
                for (x, y) in row.iter_mut().zip(r) {
                    *x -= factor * y;
                }
            }
            m.rows.push(row);
        }
        let mut left = Matrix {
            rows: m.rows.split_off(self.rows.len()),
        };
        for c in 0..width {
            let best = (0..left.rows.len())
                .filter(|&r| left.rows[r][c].abs() > TOLERANCE)
                .max_by(|&a, &b| left.rows[a][c].abs().total_cmp(&left.rows[b][c].abs()));
            let Some(p) = best else { continue };
            let row = left.rows.swap_remove(p);
            for r in &mut left.rows {
                let factor = r[c] / row[c];
                r.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let mut out = Matrix {
            rows: left.rows.into_iter().map(|r| r[width..].to_vec()).collect(),
        };
        out.reduce();
        Some(out.rows)
    }

    /// a·V1 + b·(F1 + … + Fp) = 0, where all potentials are equal.
    pub fn sum_law(&self, p: usize) -> Option<(f64, f64)> {
        let mut v = vec![0.0; 2 * p];
        v[0] = 1.0;
        let mut f = vec![0.0; 2 * p];
        f[p..].iter_mut().for_each(|x| *x = 1.0);
        self.combination(&[v, f]).map(|c| (c[0], c[1]))
    }

    /// k with x_a = k·x_b, if such a relation holds.
    pub fn proportion(&self, a: usize, b: usize) -> Option<f64> {
        let n = self.rows.first()?.len();
        let unit = |k: usize| {
            let mut r = vec![0.0; n];
            r[k] = 1.0;
            r
        };
        let c = self.combination(&[unit(a), unit(b)])?;
        (c[0].abs() > TOLERANCE && c[1].abs() > TOLERANCE).then(|| -c[1] / c[0])
    }
}

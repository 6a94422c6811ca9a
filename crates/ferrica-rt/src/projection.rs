//! Projection of the derivatives on the tangent plane of the constraints.
//!
//! A difference formula gives derivatives ẏ* that need not satisfy Φ̇ = Φ_y ẏ + Φ_t = 0, Φ being the
//! equations without derivatives; the trapezoidal rule reads them again in the next step, and what is wrong
//! in them adds up. The closest ones that do satisfy it minimize ½‖ẏ − ẏ*‖², with penalty α and multipliers σ:
//!
//! (I + Âᵀ α Â) ẏ = ẏ* − Âᵀ α b̂ − Âᵀ σ,  σ := σ + α (Â ẏ + b̂).
//!
//! In the index-one form the differential equations determine the derivatives of the states at every
//! solution, so these stay, and the columns of Â are those of the algebraic unknowns z, its rows the
//! constraints, b̂ = Φ_x ẋ + Φ_t. The system is solved in its augmented form, with λ = α (Â ż + b̂):
//!
//! ⎡ I   Âᵀ  ⎤ ⎡ż⎤   ⎡ż* − Âᵀ σ⎤
//! ⎣ Â  −1/α ⎦ ⎣λ⎦ = ⎣   −b̂    ⎦
//!
//! which keeps the sparsity of Â and its condition. Rows are scaled to a largest entry of one, so that
//! α has no unit. Pattern and pivots are reused.
//!
//! Where there are as many constraints as algebraic unknowns, Â is regular (the index is one) and the only
//! derivatives that satisfy them are the closest ones: Â ż = −b̂ is solved, exactly and for less.

use ferrica_codegen::model::DaeForm;
use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::sparse::CscPattern;

/// Penalty factor.
const PENALTY: f64 = 1e8;
/// Solutions, the first with multipliers zero.
const PASSES: usize = 2;

/// One entry of Φ_y.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Number of the constraint.
    row: u32,
    /// Unknown.
    col: u32,
    /// Position in the pattern of the tangent.
    position: u32,
}

/// See the module comment.
pub struct Projection {
    /// Residuals that are constraints.
    pub constraints: Vec<u32>,
    entries: Vec<Entry>,
    n_states: usize,
    n_algebraic: usize,
    /// As many constraints as algebraic unknowns.
    regular: bool,
    lu: LinearSolver,
    /// Place in the matrix of each entry of Â and Âᵀ (`None` for columns of states).
    places: Vec<Option<(u32, u32)>>,
    values: Vec<f64>,
    scale: Vec<f64>,
    sigma: Vec<f64>,
    known: Vec<f64>,
    work: Vec<f64>,
    factored: bool,
    pub factorizations: u64,
}

impl Projection {
    pub fn new(dae: &DaeForm) -> Projection {
        let n = dae.unknowns.len();
        let mut row_of_position = vec![0u32; dae.pattern.nnz()];
        let mut col_of_position = vec![0u32; dae.pattern.nnz()];
        for c in 0..n {
            for (k, &r) in dae.pattern.col_range(c).zip(dae.pattern.col(c)) {
                row_of_position[k] = r;
                col_of_position[k] = c as u32;
            }
        }
        let mut differential = vec![false; n];
        for &(position, _, derivative) in &dae.entries {
            if derivative {
                differential[row_of_position[position as usize] as usize] = true;
            }
        }
        let constraints: Vec<u32> = (0..n as u32)
            .filter(|&r| !differential[r as usize])
            .collect();
        let mut number = vec![u32::MAX; n];
        for (k, &r) in constraints.iter().enumerate() {
            number[r as usize] = k as u32;
        }
        let entries: Vec<Entry> = (0..dae.pattern.nnz())
            .filter(|&k| number[row_of_position[k] as usize] != u32::MAX)
            .map(|k| Entry {
                row: number[row_of_position[k] as usize],
                col: col_of_position[k],
                position: k as u32,
            })
            .collect();
        let (ns, m) = (dae.n_states, constraints.len());
        let nz = n - ns;
        let inside = |e: &Entry| (e.col as usize >= ns).then(|| e.col as usize - ns);
        let regular = m == nz;
        let (size, first) = if regular { (nz, 0) } else { (nz + m, nz) };
        let place = |e: &Entry| inside(e).map(|c| (first + e.row as usize, c));
        let mut filled: Vec<(usize, usize)> = entries.iter().filter_map(place).collect();
        if !regular {
            let mirrored: Vec<(usize, usize)> = filled.iter().map(|&(r, c)| (c, r)).collect();
            filled.extend(mirrored);
            filled.extend((0..size).map(|k| (k, k)));
        }
        let pattern = CscPattern::from_entries(size, filled);
        let places = entries
            .iter()
            .map(|e| {
                let (r, c) = place(e)?;
                let lower = pattern.find(r, c)? as u32;
                let upper = if regular {
                    Some(lower)
                } else {
                    pattern.find(c, r).map(|k| k as u32)
                };
                Some((lower, upper?))
            })
            .collect();
        let mut values = vec![0.0; pattern.nnz()];
        if !regular {
            for k in 0..size {
                if let Some(at) = pattern.find(k, k) {
                    values[at] = if k < nz { 1.0 } else { -1.0 / PENALTY };
                }
            }
        }
        Projection {
            entries,
            n_states: ns,
            n_algebraic: nz,
            regular,
            lu: LinearSolver::new(pattern),
            places,
            values,
            scale: vec![1.0; m],
            sigma: vec![0.0; m],
            known: vec![0.0; m],
            work: vec![0.0; size],
            factored: false,
            factorizations: 0,
            constraints,
        }
    }

    /// The partial derivatives have changed.
    pub fn invalidate(&mut self) {
        self.factored = false;
    }

    /// ‖Φ_y ẏ + Φ_t‖, from the values of the tangent and Φ_t of each constraint.
    pub fn violation(&mut self, tangent: &[f64], time_part: &[f64], rates: &[f64]) -> f64 {
        self.known.copy_from_slice(time_part);
        for e in &self.entries {
            self.known[e.row as usize] += tangent[e.position as usize] * rates[e.col as usize];
        }
        self.known.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// Replaces the derivatives of algebraic unknowns by their projection.
    pub fn project(
        &mut self,
        tangent: &[f64],
        time_part: &[f64],
        rates: &mut [f64],
    ) -> Result<(), Singular> {
        let (ns, nz) = (self.n_states, self.n_algebraic);
        if !self.factored {
            self.scale.fill(0.0);
            for e in &self.entries {
                let s = &mut self.scale[e.row as usize];
                *s = s.max(tangent[e.position as usize].abs());
            }
            for s in &mut self.scale {
                *s = if *s > 0.0 { 1.0 / *s } else { 1.0 };
            }
            for (e, place) in self.entries.iter().zip(&self.places) {
                if let Some((lower, upper)) = *place {
                    let v = tangent[e.position as usize] * self.scale[e.row as usize];
                    self.values[lower as usize] = v;
                    self.values[upper as usize] = v;
                }
            }
            self.lu.factor(&self.values)?;
            self.factorizations += 1;
            self.factored = true;
        }
        self.known.copy_from_slice(time_part);
        for e in &self.entries {
            if (e.col as usize) < ns {
                self.known[e.row as usize] += tangent[e.position as usize] * rates[e.col as usize];
            }
        }
        for (b, s) in self.known.iter_mut().zip(&self.scale) {
            *b *= s;
        }
        if self.regular {
            for (w, b) in self.work.iter_mut().zip(&self.known) {
                *w = -b;
            }
            self.lu.solve(&mut self.work);
            rates[ns..].copy_from_slice(&self.work);
            return Ok(());
        }
        self.sigma.fill(0.0);
        for _ in 0..PASSES {
            self.work[..nz].copy_from_slice(&rates[ns..]);
            for e in &self.entries {
                if let Some(c) = (e.col as usize).checked_sub(ns) {
                    let a = tangent[e.position as usize] * self.scale[e.row as usize];
                    self.work[c] -= a * self.sigma[e.row as usize];
                }
            }
            for (w, b) in self.work[nz..].iter_mut().zip(&self.known) {
                *w = -b;
            }
            self.lu.solve(&mut self.work);
            for (s, l) in self.sigma.iter_mut().zip(&self.work[nz..]) {
                *s += l;
            }
        }
        rates[ns..].copy_from_slice(&self.work[..nz]);
        Ok(())
    }
}

//! Both kinds of systems seen as `F(t, y, y') = 0`, for implicit methods.
//!
//! A form holds what its Jacobian needs: for DAEs nothing but the colouring of differences; for ODEs `F = M y' - f`
//! with ∂f/∂y kept, so that a new leading coefficient does not cost a new Jacobian.

use crate::finite_differences::Colouring;
use crate::integrator::Statistics;
use crate::sparse::CscPattern;
use crate::system::{DaeSystem, EvalError, OdeSystem, RootFunctions};

/// Where a Jacobian is wanted.
pub struct At<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    pub yp: &'a [f64],
    /// Reciprocal error scales.
    pub weight: &'a [f64],
}

/// A point in time, its unknowns and their derivatives.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    pub t: f64,
    pub y: &'a [f64],
    pub yp: &'a [f64],
}

/// A system of type `S` in implicit form.
pub trait Form<S: RootFunctions + ?Sized> {
    /// Reads sizes and pattern; returns n and the pattern of the iteration matrix.
    fn prepare(&mut self, system: &S) -> (usize, CscPattern);
    fn differential(&self, system: &S, i: usize) -> bool;
    /// Derivatives at the start: given ones for a DAE, evaluated for an ODE.
    fn start_derivative(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), EvalError>;
    fn residual(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
    ) -> Result<(), EvalError>;
    /// ∂F/∂y + cj ∂F/∂y'; a kept ∂f/∂y may serve unless `fresh` is asked for.
    fn jacobian(
        &mut self,
        system: &mut S,
        at: At<'_>,
        cj: f64,
        fresh: bool,
        values: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), EvalError>;
    /// Whether `jacobian` can leave out evaluations when it is not asked for a fresh one.
    fn keeps_jacobian(&self) -> bool;
    /// See [`DaeSystem::limits`]; none where the system has no limited equations.
    fn limits(&mut self, _system: &mut S) -> usize {
        0
    }
    /// See [`DaeSystem::limit_arguments`].
    fn limit_arguments(
        &mut self,
        _system: &mut S,
        _at: Point<'_>,
        _arguments: &mut [f64],
    ) -> Result<(), EvalError> {
        Ok(())
    }
    /// See [`DaeSystem::limit_thresholds`].
    fn limit_thresholds(&mut self, _system: &mut S, _thresholds: &mut [f64]) {}
    /// See [`DaeSystem::limited_residual`].
    fn limited_residual(
        &mut self,
        system: &mut S,
        at: Point<'_>,
        _places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        self.residual(system, at.t, at.y, at.yp, r).map(|()| true)
    }
    /// See [`DaeSystem::limited_jacobian`]; only asked of systems that have limits.
    fn limited_jacobian(
        &mut self,
        _system: &mut S,
        _at: Point<'_>,
        _cj: f64,
        _places: &[f64],
        _values: &mut [f64],
    ) -> Result<(), EvalError> {
        Err(EvalError::Fatal(0))
    }
}

/// `F(t, y, y') = 0` as it stands.
#[derive(Clone, Debug, Default)]
pub struct DaeForm {
    colouring: Option<Colouring>,
    pattern: Option<CscPattern>,
    base: Vec<f64>,
}

impl<S: DaeSystem + ?Sized> Form<S> for DaeForm {
    fn prepare(&mut self, system: &S) -> (usize, CscPattern) {
        let n = system.n();
        let pattern = system
            .jacobian_pattern()
            .unwrap_or_else(|| CscPattern::dense(n));
        if !system.has_jacobian() {
            self.colouring = Some(Colouring::new(&pattern));
            self.base = vec![0.0; n];
        }
        self.pattern = Some(pattern.clone());
        (n, pattern)
    }

    fn differential(&self, system: &S, i: usize) -> bool {
        system.differential(i)
    }

    fn start_derivative(
        &mut self,
        _system: &mut S,
        _t: f64,
        _y: &[f64],
        _yp: &mut [f64],
        _statistics: &mut Statistics,
    ) -> Result<(), EvalError> {
        Ok(())
    }

    fn residual(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
    ) -> Result<(), EvalError> {
        system.residual(t, y, yp, r)
    }

    fn jacobian(
        &mut self,
        system: &mut S,
        at: At<'_>,
        cj: f64,
        _fresh: bool,
        values: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), EvalError> {
        statistics.jacobians += 1;
        let (Some(colouring), Some(pattern)) = (&mut self.colouring, &self.pattern) else {
            return system.jacobian(at.t, cj, at.y, at.yp, values);
        };
        statistics.evaluations += 1 + colouring.groups() as u64;
        system.residual(at.t, at.y, at.yp, &mut self.base)?;
        let mut f = |y: &[f64], yp: &[f64], r: &mut [f64]| system.residual(at.t, y, yp, r);
        let At {
            y, yp, weight, h, ..
        } = at;
        colouring.differences(pattern, cj, y, yp, &self.base, weight, h, values, &mut f)
    }

    fn keeps_jacobian(&self) -> bool {
        false
    }

    fn limits(&mut self, system: &mut S) -> usize {
        system.limits()
    }

    fn limit_arguments(
        &mut self,
        system: &mut S,
        at: Point<'_>,
        arguments: &mut [f64],
    ) -> Result<(), EvalError> {
        system.limit_arguments(at.t, at.y, at.yp, arguments)
    }

    fn limit_thresholds(&mut self, system: &mut S, thresholds: &mut [f64]) {
        system.limit_thresholds(thresholds);
    }

    fn limited_residual(
        &mut self,
        system: &mut S,
        at: Point<'_>,
        places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        system.limited_residual(at.t, at.y, at.yp, places, r)
    }

    fn limited_jacobian(
        &mut self,
        system: &mut S,
        at: Point<'_>,
        cj: f64,
        places: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        system.limited_jacobian(at.t, cj, at.y, at.yp, places, values)
    }
}

/// `M y' - f(t, y) = 0`.
#[derive(Clone, Debug, Default)]
pub struct OdeForm {
    colouring: Option<Colouring>,
    pattern: Option<CscPattern>,
    base: Vec<f64>,
    mass: Vec<f64>,
    unit_mass: bool,
    /// ∂f/∂y at the last evaluation.
    jacobian: Vec<f64>,
    evaluated: bool,
    /// Position of each entry of ∂f/∂y, and of the diagonal, in the iteration matrix.
    place: Vec<u32>,
    diagonal: Vec<u32>,
}

impl<S: OdeSystem + ?Sized> Form<S> for OdeForm {
    fn prepare(&mut self, system: &S) -> (usize, CscPattern) {
        let n = system.n();
        let pattern = system
            .jacobian_pattern()
            .unwrap_or_else(|| CscPattern::dense(n));
        self.mass = (0..n).map(|i| system.mass(i)).collect();
        self.unit_mass = self.mass.iter().all(|&m| m == 1.0);
        let whole = pattern.with_diagonal();
        let position = |(r, c)| whole.find(r, c).unwrap_or(0) as u32;
        self.place = pattern.entries().map(position).collect();
        self.diagonal = (0..pattern.n()).map(|i| position((i, i))).collect();
        if !system.has_jacobian() {
            self.colouring = Some(Colouring::new(&pattern));
            self.base = vec![0.0; n];
        }
        self.jacobian = vec![0.0; pattern.nnz()];
        self.evaluated = false;
        self.pattern = Some(pattern);
        (n, whole)
    }

    fn differential(&self, _system: &S, i: usize) -> bool {
        self.mass[i] != 0.0
    }

    fn start_derivative(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), EvalError> {
        self.evaluated = false;
        statistics.evaluations += 1;
        system.rhs(t, y, yp)?;
        for (v, m) in yp.iter_mut().zip(&self.mass) {
            *v = if *m != 0.0 { *v / m } else { 0.0 };
        }
        Ok(())
    }

    fn residual(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        r: &mut [f64],
    ) -> Result<(), EvalError> {
        system.rhs(t, y, r)?;
        if self.unit_mass {
            for (r, v) in r.iter_mut().zip(yp) {
                *r = v - *r;
            }
        } else {
            for ((r, v), m) in r.iter_mut().zip(yp).zip(&self.mass) {
                *r = m * v - *r;
            }
        }
        Ok(())
    }

    fn jacobian(
        &mut self,
        system: &mut S,
        at: At<'_>,
        cj: f64,
        fresh: bool,
        values: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), EvalError> {
        if fresh || !self.evaluated {
            self.evaluated = false;
            statistics.jacobians += 1;
            let At {
                t, h, y, weight, ..
            } = at;
            match (&mut self.colouring, &self.pattern) {
                (Some(colouring), Some(pattern)) => {
                    statistics.evaluations += 1 + colouring.groups() as u64;
                    system.rhs(t, y, &mut self.base)?;
                    let mut f = |y: &[f64], _: &[f64], r: &mut [f64]| system.rhs(t, y, r);
                    let (base, out) = (&self.base, &mut self.jacobian);
                    colouring.differences(pattern, 0.0, y, &[], base, weight, h, out, &mut f)?;
                }
                _ => system.jacobian(t, y, &mut self.jacobian)?,
            }
            self.evaluated = true;
        }
        values.fill(0.0);
        for (&p, m) in self.diagonal.iter().zip(&self.mass) {
            values[p as usize] = cj * m;
        }
        for (&p, v) in self.place.iter().zip(&self.jacobian) {
            values[p as usize] -= v;
        }
        Ok(())
    }

    fn keeps_jacobian(&self) -> bool {
        true
    }
}

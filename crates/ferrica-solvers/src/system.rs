//! What an integrator needs to know of a system: small traits that the simulator implements.
//!
//! Two forms: explicit (or with diagonal mass) `M y' = f(t, y)`, and fully implicit `F(t, y, y') = 0`.
//! The system is passed to every call, never owned: between steps an event loop may change it
//! freely and then `reinit` the integrator.

use crate::integrator::Options;
use crate::sparse::CscPattern;

/// An evaluation failed. The number is the system's own and comes back in `SolverError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// Outside of the domain (root of a negative number, inner loop not converged): a smaller step may help.
    Recoverable(u32),
    /// No step size will help: stop.
    Fatal(u32),
}

/// Functions whose sign changes are events, and what is known of the future.
pub trait RootFunctions {
    fn n_roots(&self) -> usize {
        0
    }
    /// Values at the end of a step.
    fn roots(&mut self, _t: f64, _y: &[f64], _yp: &[f64], _g: &mut [f64]) -> Result<(), EvalError> {
        Ok(())
    }
    /// Values inside of a step, where `y` and `yp` are those of the dense output: algebraic unknowns need not satisfy their equations.
    fn roots_inside(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        g: &mut [f64],
    ) -> Result<(), EvalError> {
        self.roots(t, y, yp, g)
    }
    /// Do the functions read `yp`? If not, it need not be interpolated.
    fn roots_read_derivatives(&self) -> bool {
        true
    }
    /// Rates at which the functions change where the unknowns change at the rates `yp`; false if that is not known.
    fn root_rates(&self, _yp: &[f64], _rates: &mut [f64]) -> bool {
        false
    }
    /// The same as `roots_inside` where only the functions `which` are asked for; the others may keep their numbers in `g`.
    fn some_roots(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        _which: &[usize],
        g: &mut [f64],
    ) -> Result<(), EvalError> {
        self.roots_inside(t, y, yp, g)
    }
    /// Where a step from `t`, `y` to `end` must end at the latest. A function of time that comes and goes between the two is seen
    /// by no method that looks at them; one that ends a step there sees it, and its error test does the rest.
    fn look_ahead(&mut self, _t: f64, end: f64, _y: &[f64], _options: &Options) -> f64 {
        end
    }
}

/// `M y' = f(t, y)` with `M` the unit matrix or diagonal.
pub trait OdeSystem: RootFunctions {
    fn n(&self) -> usize;

    fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError>;

    /// Where ∂f/∂y can be non-zero; `None` means anywhere. With fewer rows than unknowns it is that of one of `m` equal systems
    /// side by side, unknown `i` of system `d` at `i·m + d`, and so is `jacobian`, which must then be there: one factorization serves all of them.
    fn jacobian_pattern(&self) -> Option<CscPattern> {
        None
    }

    /// Whether `jacobian` is implemented; otherwise differences of `rhs` are taken, coloured by the pattern.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// ∂f/∂y in the order of `jacobian_pattern`.
    fn jacobian(&mut self, _t: f64, _y: &[f64], _values: &mut [f64]) -> Result<(), EvalError> {
        Err(EvalError::Fatal(0))
    }

    /// Diagonal of the mass matrix; zero makes equation `i` algebraic (implicit methods only).
    fn mass(&self, _i: usize) -> f64 {
        1.0
    }
}

/// `F(t, y, y') = 0`, of index one.
pub trait DaeSystem: RootFunctions {
    fn n(&self) -> usize;

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError>;

    /// Where ∂F/∂y + cj ∂F/∂y' can be non-zero; `None` means anywhere.
    fn jacobian_pattern(&self) -> Option<CscPattern> {
        None
    }

    /// Whether `jacobian` is implemented; otherwise differences of `residual` are taken, coloured by the pattern.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// ∂F/∂y + cj ∂F/∂y' in the order of `jacobian_pattern`.
    fn jacobian(
        &mut self,
        _t: f64,
        _cj: f64,
        _y: &[f64],
        _yp: &[f64],
        _values: &mut [f64],
    ) -> Result<(), EvalError> {
        Err(EvalError::Fatal(0))
    }

    /// Whether the derivative of unknown `i` occurs. Algebraic unknowns may be left out of the error test.
    fn differential(&self, _i: usize) -> bool {
        true
    }

    /// Steep functions, as the exponentials of junctions, that a Newton iteration can only cross if their arguments are limited: how many
    /// there are. In the limited equations each is its tangent at a place, which the caller keeps.
    fn limits(&mut self) -> usize {
        0
    }

    /// The arguments of the steep functions at a point.
    fn limit_arguments(
        &mut self,
        _t: f64,
        _y: &[f64],
        _yp: &[f64],
        _arguments: &mut [f64],
    ) -> Result<(), EvalError> {
        Ok(())
    }

    /// The arguments from which on the steep functions matter.
    fn limit_thresholds(&mut self, _thresholds: &mut [f64]) {}

    /// Residuals with tangents, whose places first follow the arguments as far as their limits let them. True where all have reached them: then
    /// these are the residuals themselves.
    fn limited_residual(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        _places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        self.residual(t, y, yp, r).map(|()| true)
    }

    /// ∂F/∂y + cj ∂F/∂y' of the equations with tangents.
    fn limited_jacobian(
        &mut self,
        t: f64,
        cj: f64,
        y: &[f64],
        yp: &[f64],
        _places: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.jacobian(t, cj, y, yp, values)
    }
}

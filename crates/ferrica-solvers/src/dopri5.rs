//! Dormand–Prince 5(4): explicit Runge–Kutta for non-stiff ODEs.
//!
//! Seven stages, the last of which is the first of the next step; local extrapolation; fourth-order dense output; PI
//! step-size control; and the test whether |hλ|, estimated from the last two stages and now and then by the power method, sits at the
//! boundary of stability: then the problem is stiff and an implicit method should take over.
//!
//! Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, sections II.4 to II.6 and IV.2.

mod dense;
mod radius;
mod tableau;

use crate::integrator::{NewtonForm, Options, SolverError, Statistics};
use crate::norm::{largest, set_weights, wrms};
use crate::stepper::{Method, State, Stepper};
use crate::system::{EvalError, OdeSystem};
use crate::vectors::assign;
use dense::Dense;
use radius::Radius;
use tableau::{A, C, E};

/// Dormand–Prince 5(4) as an integrator.
pub type Dopri5 = Stepper<Dopri5Method>;

/// PI control: a larger value smooths more and reacts later.
const PI_BETA: f64 = 0.04;
const SAFETY: f64 = 0.9;
/// The error of the last step counts as this at least, and its power `PI_BETA`.
const LEAST_ERROR: f64 = 1e-4;
const LEAST_ERROR_PART: f64 = 0.691_830_970_918_936_5;
/// Below this a step of the same size is sure to pass again.
const SMALL_ERROR: f64 = 0.3;
/// Below this a step of twice the size is sure to pass.
const DOUBLED_ERROR: f64 = 1.0 / 64.0;
/// Below this the step grows as much as it may, whatever the error before.
const NO_ERROR: f64 = 8e-8;
/// Part of the tolerance that the error of one step may take: a smooth solution needs few steps, so that the errors
/// of the dense output inside of them and of the steps before must fit in too.
const STEP_PART: f64 = 0.7;
/// |hλ| of the real boundary of stability is 3.3. The estimate of λ comes out up to a tenth too small where what changes between two
/// stages is not the fast part alone, and steps that stability holds at the boundary would go unnoticed for ever.
const STIFF_LIMIT: f64 = 0.9 * 3.3;
/// No step is accepted so far beyond it: an estimate like that is not an eigenvalue's, but that of a matrix far from normal.
const TOO_STIFF: f64 = 6.5;
/// Steps at the boundary before the problem counts as stiff, and steps off it that forget them.
const STIFF_STEPS: u32 = 15;
const CALM_STEPS: u32 = 6;
/// Up to so many unknowns the sums over the stages go unknown by unknown.
const SMALL: usize = 8;
/// Events with at most so many steps between them follow each other closely.
const CLOSE_EVENTS: u64 = 3;
/// The longest of so many intervals between events, times the other number, bounds the first step after one: a period may be
/// divided by some other event.
const SPANS: usize = 4;
const SPAN_PART: f64 = 1.5;

#[derive(Clone, Debug)]
pub struct Dopri5Method {
    options: Options,
    statistics: Statistics,
    t: f64,
    t_before: f64,
    h: f64,
    h_used: f64,
    /// Steps accepted and tried in vain since the last start.
    steps_since_start: u64,
    failures_since_start: u64,
    /// The last start, and the lengths of the intervals before it.
    started_at: f64,
    spans: [f64; SPANS],
    /// Of these the last one, which is followed by the oldest.
    newest: usize,
    y: Vec<f64>,
    stages: [Vec<f64>; 7],
    small: Small,
    /// Argument of the sixth stage, for the stiffness test.
    y_stage: Vec<f64>,
    y_new: Vec<f64>,
    error: Vec<f64>,
    weight: Vec<f64>,
    dense: Dense,
    error_before: f64,
    stiff_count: u32,
    calm_count: u32,
    radius: Radius,
    /// Stiff steps at the last look at the radius.
    stiff_at_look: u64,
    stiff: bool,
}

impl Dopri5 {
    pub fn new(options: Options) -> Dopri5 {
        Stepper::of(Dopri5Method {
            options,
            statistics: Statistics::default(),
            t: 0.0,
            t_before: 0.0,
            h: 0.0,
            h_used: 0.0,
            steps_since_start: 0,
            failures_since_start: 0,
            started_at: 0.0,
            spans: [0.0; SPANS],
            newest: 0,
            y: Vec::new(),
            stages: Default::default(),
            small: [[0.0; 7]; SMALL],
            y_stage: Vec::new(),
            y_new: Vec::new(),
            error: Vec::new(),
            weight: Vec::new(),
            dense: Dense::default(),
            error_before: LEAST_ERROR,
            stiff_count: 0,
            calm_count: 0,
            radius: Radius::default(),
            stiff_at_look: 0,
            stiff: false,
        })
    }
}

/// Stages of a small system, unknown by unknown.
type Small = [[f64; 7]; SMALL];

/// y + h Σ a_j k_j over the first `S` stages.
#[inline]
fn combine<const S: usize>(k: &[[f64; 7]], h: f64, y: &[f64], out: &mut [f64]) {
    for ((o, y), k) in out.iter_mut().zip(y).zip(k) {
        let mut sum = 0.0;
        for j in 0..S {
            sum += A[S][j] * k[j];
        }
        *o = y + h * sum;
    }
}

impl Dopri5Method {
    fn resize(&mut self, n: usize) {
        for v in self.stages.iter_mut().chain([
            &mut self.y,
            &mut self.y_stage,
            &mut self.y_new,
            &mut self.error,
            &mut self.weight,
        ]) {
            v.clear();
            v.resize(n, 0.0);
        }
        self.radius = Radius::new(n);
    }

    /// The step in which the explicit Euler method would be within the tolerance, refined by a guess of the second derivative.
    fn first_step<S: OdeSystem + ?Sized>(
        &mut self,
        system: &mut S,
        span: f64,
    ) -> Result<f64, EvalError> {
        set_weights(&self.options, &self.y, &mut self.weight);
        let d0 = wrms(&self.y, &self.weight);
        let d1 = wrms(&self.stages[0], &self.weight);
        let mut h = if d0 < 1e-10 || d1 < 1e-10 {
            1e-6
        } else {
            0.01 * d0 / d1
        };
        h = h.min(span);
        for ((out, y), f) in self.y_new.iter_mut().zip(&self.y).zip(&self.stages[0]) {
            *out = y + h * f;
        }
        self.statistics.evaluations += 1;
        if let Err(e) = system.rhs(self.t + h, &self.y_new, &mut self.stages[1]) {
            // A failure here only says that the guess was too long.
            return if let EvalError::Fatal(_) = e {
                Err(e)
            } else {
                Ok(0.01 * h)
            };
        }
        for (e, (a, b)) in self
            .error
            .iter_mut()
            .zip(self.stages[1].iter().zip(&self.stages[0]))
        {
            *e = a - b;
        }
        let d2 = wrms(&self.error, &self.weight) / h;
        let steepest = d1.max(d2);
        let h1 = if steepest <= 1e-15 {
            (1e-3 * h).max(1e-6)
        } else {
            (0.01 / steepest).powf(0.2)
        };
        let first = (100.0 * h).min(h1).min(span);
        Ok(if first.is_finite() && first > 0.0 {
            first
        } else {
            1e-6f64.min(span)
        })
    }

    /// Stages 2 to 7, the new value and the error.
    fn try_step<S: OdeSystem + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
    ) -> Result<f64, EvalError> {
        let n = self.y.len();
        let mut small = (n <= SMALL).then_some(&mut self.small);
        if let Some(k) = &mut small {
            for (k, f) in k.iter_mut().zip(&self.stages[0]) {
                k[0] = *f;
            }
        }
        for s in 1..7 {
            let (done, rest) = self.stages.split_at_mut(s);
            let out = &mut self.y_new[..n];
            if let Some(k) = &small {
                let (k, y) = (&k[..n], &self.y[..n]);
                match s {
                    1 => combine::<1>(k, h, y, out),
                    2 => combine::<2>(k, h, y, out),
                    3 => combine::<3>(k, h, y, out),
                    4 => combine::<4>(k, h, y, out),
                    5 => combine::<5>(k, h, y, out),
                    _ => combine::<6>(k, h, y, out),
                }
            } else {
                out.copy_from_slice(&self.y[..n]);
                for (a, k) in A[s].iter().zip(done.iter()) {
                    if *a != 0.0 {
                        let a = a * h;
                        for (o, k) in out.iter_mut().zip(k) {
                            *o += a * k;
                        }
                    }
                }
            }
            if s == 5 {
                assign(&mut self.y_stage, out);
            }
            self.statistics.evaluations += 1;
            let t = if s >= 5 { t_new } else { self.t + C[s] * h };
            system.rhs(t, out, &mut rest[0])?;
            if let Some(k) = &mut small {
                for (k, f) in k.iter_mut().zip(&rest[0]) {
                    k[s] = *f;
                }
            }
        }
        if let Some(k) = small {
            for (e, k) in self.error.iter_mut().zip(k.iter()) {
                let mut sum = 0.0;
                for j in 0..7 {
                    sum += E[j] * k[j];
                }
                *e = h * sum;
            }
        } else {
            self.error.fill(0.0);
            for (e, k) in E.iter().zip(&self.stages) {
                if *e != 0.0 {
                    let e = e * h;
                    for (o, k) in self.error.iter_mut().zip(k) {
                        *o += e * k;
                    }
                }
            }
        }
        let (rtol, options) = (self.options.rtol, &self.options);
        let sizes = self.y.iter().zip(&self.y_new);
        for (i, (w, (a, b))) in self.weight.iter_mut().zip(sizes).enumerate() {
            let size = a.abs().max(b.abs());
            *w = 1.0 / (STEP_PART * (rtol * size + options.atol(i)));
        }
        Ok(wrms(&self.error, &self.weight))
    }

    /// Steps at the boundary of stability since the last calm phase.
    pub(crate) fn signs_of_stiffness(&self) -> u32 {
        self.stiff_count
    }

    pub(crate) fn forget_stiffness(&mut self) {
        self.stiff_count = 0;
        self.calm_count = 0;
        self.stiff = false;
    }

    /// Whether steps were held by stability although their stages do not show it.
    fn look_at_radius<S: OdeSystem + ?Sized>(&mut self, system: &mut S, t: f64, h: f64) {
        let stages = self.stages[6].iter().zip(&self.stages[5]);
        let toward = stages.map(|(a, b)| a - b);
        let ends = (&self.y[..], &self.y_new[..]);
        let (evaluations, held) =
            (self.radius).after_step(system, (t, h), ends, toward, &self.weight);
        self.statistics.evaluations += evaluations;
        if evaluations > 0 {
            // Those that the stages have shown are among them.
            let shown = self.statistics.stiff_steps - self.stiff_at_look;
            self.statistics.stiff_steps += held.saturating_sub(shown);
            self.stiff_at_look = self.statistics.stiff_steps;
        }
        self.stiff |= held > 0;
    }

    /// |hλ| of the fastest mode, as far as the last two stages show it.
    fn test_stiffness(&mut self, h: f64) {
        // In units of the error test: a fast state of small numbers counts as much as a slow one of large ones.
        let (mut num, mut den) = (0.0, 0.0);
        for (i, w) in self.weight.iter().enumerate() {
            let a = w * (self.stages[6][i] - self.stages[5][i]);
            let b = w * (self.y_new[i] - self.y_stage[i]);
            num += a * a;
            den += b * b;
        }
        let size = h * (num / den).sqrt();
        if size > STIFF_LIMIT && size < TOO_STIFF {
            self.calm_count = 0;
            self.stiff_count += 1;
            self.statistics.stiff_steps += 1;
            self.stiff |= self.stiff_count >= STIFF_STEPS;
        } else {
            self.calm_count += 1;
            if self.calm_count >= CALM_STEPS {
                self.stiff_count = 0;
                self.stiff = false;
            }
        }
    }
}

impl<S: OdeSystem + ?Sized> Method<S> for Dopri5Method {
    fn start(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        _yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError> {
        let n = system.n();
        if y.len() != n {
            return Err(SolverError::Input {
                t,
                what: "wrong number of unknowns",
            });
        }
        if !again && (0..n).any(|i| system.mass(i) != 1.0) {
            return Err(SolverError::Input {
                t,
                what: "an explicit method cannot have a mass matrix",
            });
        }
        if self.y.len() != n {
            self.resize(n);
        }
        if !again {
            self.statistics = Statistics {
                failures_by_variable: vec![0; n],
                ..Statistics::default()
            };
            self.radius.forget();
            self.stiff_at_look = 0;
        }
        self.t = t;
        self.t_before = t;
        // Between events that follow each other closely the step is kept, but not far beyond the intervals before: what
        // happens again and again must not be stepped over.
        let close = (1..=CLOSE_EVENTS).contains(&self.steps_since_start);
        self.newest = (self.newest + 1) % SPANS;
        self.spans[self.newest] = t - self.started_at;
        self.started_at = t;
        self.h = if again && close && self.failures_since_start == 0 {
            let longest = self.spans.iter().copied().fold(0.0, f64::max);
            self.h.min(SPAN_PART * longest)
        } else {
            0.0
        };
        if !again {
            self.spans = [0.0; SPANS];
        }
        self.h_used = 0.0;
        self.steps_since_start = 0;
        self.failures_since_start = 0;
        assign(&mut self.y, y);
        assign(&mut self.y_new, y);
        self.error_before = LEAST_ERROR;
        // Events that the boundary of stability itself brings about come close together: they do not end the evidence for it.
        if !(again && close) {
            self.forget_stiffness();
        }
        self.statistics.evaluations += 1;
        system
            .rhs(t, y, &mut self.stages[0])
            .map_err(|e| e.at(t, 0.0))?;
        let (first, rest) = self.stages.split_at_mut(6);
        assign(&mut rest[0], &first[0]);
        Ok(())
    }

    fn advance(&mut self, system: &mut S, tstop: f64) -> Result<(), SolverError> {
        if self.h_used > 0.0 {
            std::mem::swap(&mut self.y, &mut self.y_new);
            self.stages.swap(0, 6);
        }
        let outcome = self.accepted_step(system, tstop);
        if outcome.is_err() {
            // The solution stays where the last accepted step ended.
            self.y_new.copy_from_slice(&self.y);
            let (first, last) = self.stages.split_at_mut(6);
            last[0].copy_from_slice(&first[0]);
        }
        outcome
    }
}

impl Dopri5Method {
    fn accepted_step<S: OdeSystem + ?Sized>(
        &mut self,
        system: &mut S,
        tstop: f64,
    ) -> Result<(), SolverError> {
        if self.h == 0.0 {
            let span = (tstop - self.t).min(self.options.h_max);
            let given = self
                .options
                .h_init
                .filter(|_| self.statistics.restarts == 0);
            self.h = match given {
                Some(h) => h.min(span),
                None => self
                    .first_step(system, span)
                    .map_err(|e| e.at(self.t, 0.0))?,
            };
        }
        let mut failures = 0;
        loop {
            let left = tstop - self.t;
            let h_wanted = self.h.min(self.options.h_max);
            let last = left <= h_wanted * (1.0 + 1e-9);
            let h = if last {
                left
            } else if left < 2.0 * h_wanted {
                0.5 * left
            } else {
                h_wanted
            };
            let t_new = if last { tstop } else { self.t + h };
            let seen = system.look_ahead(self.t, t_new, &self.y, &self.options);
            let (h, t_new, last) = if seen < t_new {
                (seen - self.t, seen, false)
            } else {
                (h, t_new, last)
            };
            let smallest = 4.0 * f64::EPSILON * self.t.abs().max(t_new.abs());
            if (h <= smallest && !last) || failures > 50 {
                let variable = largest(&self.error, &self.weight);
                return Err(SolverError::ErrorTest {
                    t: self.t,
                    h,
                    variable,
                });
            }
            let error = match self.try_step(system, h, t_new) {
                Ok(error) if error.is_finite() => error,
                Ok(_) => {
                    self.statistics.convergence_failures += 1;
                    failures += 1;
                    self.h = 0.25 * h;
                    continue;
                }
                Err(e @ EvalError::Fatal(_)) => return Err(e.at(self.t, h)),
                Err(e) => {
                    self.statistics.convergence_failures += 1;
                    failures += 1;
                    if failures > 50 || h <= 4.0 * smallest {
                        return Err(e.at(self.t, h));
                    }
                    self.h = 0.25 * h;
                    continue;
                }
            };
            self.failures_since_start += u64::from(error > 1.0);
            // At the end of an interval the step that was wanted says enough; so does one that may not grow.
            let longest = h_wanted >= self.options.h_max && error <= 1.0;
            let plain = if error < NO_ERROR || (last && (longest || error < SMALL_ERROR)) {
                0.0
            } else {
                error.powf(0.2 - 0.75 * PI_BETA)
            };
            if error <= 1.0 {
                let before = if self.error_before == LEAST_ERROR {
                    LEAST_ERROR_PART
                } else {
                    self.error_before.powf(PI_BETA)
                };
                let factor = (plain / before / SAFETY).clamp(0.1, 5.0);
                self.error_before = error.max(LEAST_ERROR);
                // A step that ends at its limit is as short as any method's.
                if !last && h_wanted < self.options.h_max {
                    self.test_stiffness(h);
                    self.look_at_radius(system, t_new, h);
                }
                let next = h / factor;
                self.h = if failures > 0 {
                    next.min(h)
                } else if last && error < DOUBLED_ERROR {
                    h_wanted.max(2.0 * h)
                } else if last && (longest || error < SMALL_ERROR) {
                    h_wanted
                } else if h < h_wanted {
                    // Cut short by the limit: that says nothing against the step that was wanted.
                    next.max(h_wanted)
                } else {
                    next
                };
                self.statistics.steps += 1;
                self.steps_since_start += 1;
                self.t_before = self.t;
                self.t = t_new;
                self.h_used = h;
                let ends = (&self.y[..], &self.y_new[..]);
                self.dense.set((self.t_before, h), ends, &self.stages);
                return Ok(());
            }
            self.statistics.error_failures += 1;
            self.statistics.failures_by_variable[largest(&self.error, &self.weight)] += 1;
            failures += 1;
            self.h = h / (plain / SAFETY).min(5.0);
        }
    }
}

impl State for Dopri5Method {
    fn interval(&self) -> (f64, f64) {
        (self.t_before, self.t)
    }

    fn end_values(&self) -> (&[f64], &[f64]) {
        (&self.y_new, &self.stages[6])
    }

    fn begin_derivatives(&self) -> Option<&[f64]> {
        Some(&self.stages[0])
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        if self.h_used == 0.0 {
            y.copy_from_slice(&self.y);
            return;
        }
        self.dense.value(t, y);
    }

    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]) {
        for (y, &k) in y.iter_mut().zip(which) {
            *y = match self.h_used {
                0.0 => self.y[k],
                _ => self.dense.value_of(t, k),
            };
        }
    }

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        if self.h_used == 0.0 {
            coefficients.extend_from_slice(&self.y);
            return NewtonForm::default();
        }
        self.dense.newton_form(self.t, coefficients)
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        if self.h_used == 0.0 {
            yp.copy_from_slice(&self.stages[0]);
            return;
        }
        self.dense.derivative(t, yp);
    }

    fn order(&self) -> usize {
        5
    }

    fn options(&self) -> &Options {
        &self.options
    }

    fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn statistics_mut(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    fn controlling_variable(&self) -> Option<usize> {
        (self.h_used > 0.0).then(|| largest(&self.error, &self.weight))
    }

    fn stiffness_detected(&self) -> bool {
        self.stiff
    }
}

//! Functions of time that come and go within a step.
//!
//! In: a step that an integrator wants to take. Out: where it must end at the latest. A method sees the right-hand side at a few places
//! of a step. A pulse between them leaves no trace in its error estimate, and a condition on one no sign change. But functions of time
//! alone can be looked up ahead: their ranges over a part of the step are bounded by interval arithmetic, and the part that promises most
//! is halved until a value is found that the ends of the step gave no reason to expect, or no part is left that could hold one
//! (branch and bound, Moore 1966). A step ends at such a place if it matters there. Then the error test sees it and the root search too.
//!
//! To be expected is what lies between the values at both ends, give or take what the slopes there lead to in a step. An extremum of a
//! smooth function exceeds the values at the ends by an eighth of that. A pulse whose foot hides it thereby is worth some
//! tolerances only: the foot itself would else be seen.
//!
//! That is said of what derivatives read. A condition on such a function may turn twice around an extremum, however little of it that takes (the tip of
//! a triangular carrier): there next to nothing is to be expected, and the step ends at the extremum itself.

use ferrica_codegen::interval::{Interval, Ranges};
use ferrica_codegen::time_functions::TimeFunction;
use ferrica_codegen::{CompiledModel, Evaluator, Layout};
use ferrica_ir::expr::ExprId;
use ferrica_solvers::integrator::Options;

use crate::problem::Problem;

/// Part of a step over which slopes are measured: so short that no pulse hides in it, so long that rounding does not matter.
const SLOPE: f64 = 1e-6;
/// Parts that are looked at in one step, if ranges are known, and if values alone are.
const LOOKS: u32 = 64;
const LOOKS_AT_VALUES: u32 = 7;
/// Parts are not halved beyond this part of the step: it is what an integrator can still cut a step to.
const NARROWEST: f64 = 1e-9;
/// A surprise is taken when it is at least this part of what could still be found, …
const ENOUGH: f64 = 0.5;
/// … and this one where a condition reads the function.
const ENOUGH_TO_DECIDE: f64 = 0.999;
/// What is to be expected there, in parts of what the slopes lead to. The extremum of a parabola is eight times as far, so that steps end at it; with none at
/// all, the next step, which begins within a thousandth of it, would end there too.
const HIDDEN: f64 = 1.0 / 64.0;
/// Passes over all functions after one of them has shortened the step.
const PASSES: u32 = 8;

/// What is known of functions of time.
#[derive(Default)]
pub(crate) struct LookAhead {
    ranges: Ranges,
    parts: Vec<Part>,
    /// Looks that each function is granted: fewer where they led to nothing before.
    looks: Vec<u32>,
    derivatives: [Vec<f64>; 2],
    /// The steps are what the user says: only conditions shorten them.
    steps_are_fixed: bool,
    /// What such a step went over first: length of the step, time, function.
    stepped_over: Option<(f64, f64, ExprId)>,
}

#[derive(Clone, Copy)]
struct Part {
    from: f64,
    to: f64,
    /// How far the values may be from the expected ones.
    excess: f64,
}

/// A function of time with the values that it has between events.
struct Watched<'a> {
    model: &'a CompiledModel,
    function: &'a TimeFunction,
    ev: &'a mut Evaluator,
    ranges: &'a mut Ranges,
}

impl Watched<'_> {
    /// Range of the values; everything where functions are called.
    fn range(&mut self, from: f64, to: f64) -> Interval {
        let kernels = &self.model.kernels;
        let operands = kernels.operands(self.function.row);
        let slots = &self.ev.slots;
        let operand = |k: u32| match operands[k as usize] {
            Layout::TIME => Interval { lo: from, hi: to },
            slot => Interval::point(slots[slot as usize]),
        };
        let kernel = &kernels.kernels[self.function.row.kernel];
        let range = self.ranges.values(kernel, operand);
        range.unwrap_or(Interval {
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
        })
    }

    /// Not a number where it has no value.
    fn at(&mut self, t: f64) -> f64 {
        let Some(call) = &self.function.call else {
            let value = self.range(t, t);
            return if value.lo == value.hi && value.lo.is_finite() {
                value.lo
            } else {
                f64::NAN
            };
        };
        self.ev.set_time(t);
        match self.ev.exec(self.model, call) {
            Ok(()) if self.ev.get(self.function.result).is_finite() => {
                self.ev.get(self.function.result)
            }
            _ => f64::NAN,
        }
    }

    /// A time within the step at which the value is not to be expected from its ends, and an earlier one at which it is.
    fn surprise(
        &mut self,
        (t, end): (f64, f64),
        looks: u32,
        parts: &mut Vec<Part>,
    ) -> Result<Option<(f64, f64)>, TooManyParts> {
        let (first, last) = (self.at(t), self.at(end));
        let mut expected = Interval {
            lo: first.min(last),
            hi: first.max(last),
        };
        let rounding = 64.0 * f64::EPSILON * expected.magnitude();
        if !rounding.is_finite() {
            return Ok(None);
        }
        let all = self.range(t, end);
        if excess(all, expected) <= rounding {
            return Ok(None);
        }
        let d = SLOPE * (end - t);
        let slopes = (self.at(t + d) - first).abs() + (last - self.at(end - d)).abs();
        let (hidden, enough) = match self.function.decides {
            true => (HIDDEN, ENOUGH_TO_DECIDE),
            false => (1.0, ENOUGH),
        };
        let reach = hidden * slopes / SLOPE + rounding;
        if !reach.is_finite() {
            return Ok(None);
        }
        expected = Interval {
            lo: expected.lo - reach,
            hi: expected.hi + reach,
        };
        parts.clear();
        parts.push(Part {
            from: t,
            to: end,
            excess: excess(all, expected),
        });
        let narrowest = NARROWEST * (end - t);
        // The largest surprise so far and its place; the last place before it without one.
        let mut most = (0.0, t, t);
        for _ in 0..looks {
            parts.retain(|p| p.excess > 0.0 && p.excess * enough > most.0);
            let largest = |a: &usize, b: &usize| {
                let (a, b) = (&parts[*a], &parts[*b]);
                let width = |p: &Part| p.to - p.from;
                (a.excess.total_cmp(&b.excess)).then(width(a).total_cmp(&width(b)))
            };
            let Some(k) = (0..parts.len()).max_by(largest) else {
                return Ok((most.0 > 0.0).then_some((most.1, most.2)));
            };
            let part = parts.swap_remove(k);
            let middle = 0.5 * (part.from + part.to);
            let surprise = excess(Interval::point(self.at(middle)), expected);
            if surprise > most.0 {
                let quiet = if most.0 > 0.0 { most.2 } else { part.from };
                most = (surprise, middle, quiet.min(part.from));
            }
            if part.to - part.from < narrowest {
                continue;
            }
            for (from, to) in [(part.from, middle), (middle, part.to)] {
                let excess = excess(self.range(from, to), expected);
                parts.push(Part { from, to, excess });
            }
        }
        if most.0 > 0.0 {
            return Ok(Some((most.1, most.2)));
        }
        Err(TooManyParts)
    }
}

/// The looks that were granted did not suffice.
struct TooManyParts;

/// How far a range goes beyond another one; nothing if it is not known.
fn excess(range: Interval, beyond: Interval) -> f64 {
    (range.hi - beyond.hi).max(beyond.lo - range.lo)
}

impl Problem {
    /// The steps are what the user says: only conditions shorten them.
    pub fn fix_steps(&mut self) {
        self.look_ahead.steps_are_fixed = true;
    }

    /// What a fixed step went over first: length of the step, time, function.
    pub fn stepped_over(&self) -> Option<(f64, f64, ExprId)> {
        self.look_ahead.stepped_over
    }

    /// See the module comment.
    pub(crate) fn limit_by_time_functions(
        &mut self,
        t: f64,
        end: f64,
        y: &[f64],
        options: &Options,
    ) -> f64 {
        let model = self.ev.model.clone();
        if model.time_functions.is_empty() {
            return end;
        }
        let now = self.ev.time();
        let granted = |f: &TimeFunction| match f.call {
            Some(_) => LOOKS_AT_VALUES,
            None => LOOKS,
        };
        if self.look_ahead.looks.is_empty() {
            self.look_ahead.looks = model.time_functions.iter().map(granted).collect();
        }
        let mut end = end;
        for _ in 0..PASSES {
            let before = end;
            for (k, function) in model.time_functions.iter().enumerate() {
                if self.dummy && !function.decides {
                    // There is no state that it could move.
                    continue;
                }
                let bounds = self.steps_are_bounded_by(function);
                if !bounds && self.look_ahead.stepped_over.is_some() {
                    continue;
                }
                while let Some((place, quiet)) = self.surprise(&model, k, (t, end)) {
                    let matters =
                        function.decides || self.moves_states((quiet, place), end - t, y, options);
                    if !matters || place <= t {
                        break;
                    }
                    if !bounds {
                        self.look_ahead.stepped_over = Some((end - t, place, function.expr));
                        break;
                    }
                    end = place;
                }
            }
            if end == before {
                break;
            }
        }
        self.ev.set_time(now);
        end
    }

    fn steps_are_bounded_by(&self, function: &TimeFunction) -> bool {
        function.decides || !self.look_ahead.steps_are_fixed
    }

    fn surprise(
        &mut self,
        model: &CompiledModel,
        k: usize,
        step: (f64, f64),
    ) -> Option<(f64, f64)> {
        let mut watched = Watched {
            model,
            function: &model.time_functions[k],
            ev: &mut self.ev,
            ranges: &mut self.look_ahead.ranges,
        };
        let looks = &mut self.look_ahead.looks[k];
        let found = watched.surprise(step, *looks, &mut self.look_ahead.parts);
        if watched.function.call.is_none() {
            *looks = match found {
                Ok(_) => (2 * *looks).min(LOOKS),
                Err(TooManyParts) => (*looks / 2).max(LOOKS_AT_VALUES),
            };
        }
        found.ok().flatten()
    }

    /// Would a step of this length change a state by more than its tolerance, if the derivatives differed in it as they do between two
    /// times with the states as they are?
    fn moves_states(&mut self, times: (f64, f64), h: f64, y: &[f64], options: &Options) -> bool {
        let mut derivatives = std::mem::take(&mut self.look_ahead.derivatives);
        let [a, b] = &mut derivatives;
        let known = self.derivatives_at(times.0, y, a) && self.derivatives_at(times.1, y, b);
        let mut both = a.iter().zip(b.iter()).zip(y).enumerate();
        let moves = both.any(|(i, ((a, b), y))| {
            let scale = options.rtol * y.abs() + options.atol(i);
            h * (a - b).abs() > scale
        });
        self.look_ahead.derivatives = derivatives;
        moves || !known
    }

    fn derivatives_at(&mut self, t: f64, y: &[f64], out: &mut Vec<f64>) -> bool {
        self.place(t, y, &[]);
        let model = self.ev.model.clone();
        let done = self
            .apply_delays()
            .and_then(|()| self.evaluate(&model.rhs_program));
        out.clear();
        out.extend_from_slice(self.ev.derivatives());
        done.is_ok() && out.iter().all(|d| d.is_finite())
    }
}

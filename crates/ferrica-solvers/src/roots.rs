//! Location of sign changes of root functions on a step's dense output.
//!
//! In: the values at the beginning of a step and a function that evaluates all root functions at any time of
//! it. Out: the earliest time at which any of them changes sign, and all that do so there.
//!
//! A step is searched in segments: its end, and (if wanted) its middle and the vertex of the parabola
//! through these three values where that comes near zero, so that a pair of crossings inside of a
//! step is not lost. The middle is looked at only where the curvature, seen over the last two steps, could
//! bend some function as far as zero, or, where the rates of change are known, where the tangents at both ends lead below zero. The first
//! segment with a change is narrowed by inverse quadratic interpolation, and by the
//! Illinois method where that may not be trusted, on the function whose root is nearest, until it is as short as rounding of `t`
//! allows; the answer is its right end. With known rates it begins with the root of the cubic that has them, and its tangent there.
//!
//! A function may have no value (not a number) in a part of the step. Where it loses it, the step is searched up to that place first, so that
//! a change right before it is not lost; while it has none it counts as positive, and the place where it has a value again, that is
//! not, is a change.
//!
//! A function that is exactly zero at the beginning takes the sign it has a little later (Hiebert and
//! Shampine, as in DASRT and IDA), so that an event does not find itself again. One that stays zero is dormant, and leaving
//! zero counts as a change.

use crate::integrator::RootHit;
use crate::system::EvalError;
use crate::vectors::assign;

/// Part of the step after which the sign of a function that starts at zero is taken.
const PERTURBATION: f64 = 0.1;
/// The curvature must be this many times too small before the middle of a step is left out.
const BEND_SAFETY: f64 = 4.0;
/// Tangents may meet so many times too late.
const TANGENT_SAFETY: f64 = 2.0;
/// Up to so many functions all are evaluated while a change is located.
const MANY: usize = 16;
/// Relative length of the interval in which a change is located: a few roundings of `t`.
const RESOLUTION: f64 = 4.0 * f64::EPSILON;

#[derive(Clone, Debug, Default)]
pub struct RootFinder {
    n: usize,
    /// Values at the beginning of what is left to search.
    lo: Vec<f64>,
    known: bool,
    /// Values one step earlier, and the length of that step; zero when there was none.
    before: Vec<f64>,
    h_before: f64,
    /// Rates of change at both ends of what is searched next, if known.
    rates: [Vec<f64>; 2],
    rates_known: bool,
    /// Functions that stayed zero after the beginning.
    dormant: Vec<bool>,
    hi: Vec<f64>,
    mid: Vec<f64>,
    probe: Vec<f64>,
    end: Vec<f64>,
    hits: Vec<RootHit>,
    /// Functions followed while a change is located.
    followed: Vec<usize>,
    evaluations: u64,
}

fn crosses(lo: f64, hi: f64) -> bool {
    if lo > 0.0 || lo.is_nan() {
        hi <= 0.0
    } else if lo < 0.0 {
        hi >= 0.0
    } else {
        hi != 0.0 && !hi.is_nan()
    }
}

/// Does some function have a value at the first of two times only?
fn any_lost(lo: &[f64], hi: &[f64]) -> bool {
    lo.iter().zip(hi).any(|(a, b)| !a.is_nan() && b.is_nan())
}

/// The root inside of a segment of this width of the cubic with these values and rates at its ends, as a part of it, and the rate there.
fn cubic_root(width: f64, (a, b): (f64, f64), rates: (f64, f64)) -> Option<(f64, f64)> {
    let (first, last, rise) = (rates.0 * width, rates.1 * width, b - a);
    let square = 3.0 * rise - 2.0 * first - last;
    let cube = first + last - 2.0 * rise;
    let slope = |s: f64| (3.0 * cube * s + 2.0 * square) * s + first;
    let mut s = -a / rise;
    for _ in 0..3 {
        s -= (((cube * s + square) * s + first) * s + a) / slope(s);
    }
    (0.0 < s && s < 1.0).then(|| (s, slope(s) / width))
}

fn any_cross(lo: &[f64], hi: &[f64]) -> bool {
    lo.iter().zip(hi).any(|(a, b)| crosses(*a, *b))
}

/// The root between `a` and `b` of the parabola in the value through three points, `c` being outside of them: where the values
/// are monotone enough for it (Chandrupatla, Advances in Engineering Software 28 (1997)).
fn inverse_quadratic(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
    // `b` next to `c`.
    let (a, b) = if c.0 < a.0 { (b, a) } else { (a, b) };
    let part = (b.0 - a.0) / (c.0 - a.0);
    let height = (b.1 - a.1) / (c.1 - a.1);
    if !(height * height < part && (1.0 - height) * (1.0 - height) < 1.0 - part) {
        return None;
    }
    // b₁/(a₁−b₁) · c₁/(a₁−c₁) + (c₀−b₀)/(a₀−b₀) · b₁/(c₁−b₁) · a₁/(c₁−a₁), over one denominator.
    let (ab, ac, cb, width) = (a.1 - b.1, a.1 - c.1, c.1 - b.1, a.0 - b.0);
    let t = b.1 * (c.1 * width * cb - (c.0 - b.0) * a.1 * ab) / (ab * ac * cb * width);
    (0.0..=1.0).contains(&t).then_some(b.0 + t * (a.0 - b.0))
}

impl RootFinder {
    /// Forgets everything: the next search begins with an evaluation at its left end.
    pub fn restart(&mut self, n: usize) {
        self.known = false;
        self.hits.clear();
        self.h_before = 0.0;
        if self.n == n && self.lo.len() == n {
            self.dormant.fill(false);
            return;
        }
        self.n = n;
        for v in self.rates.iter_mut().chain([
            &mut self.lo,
            &mut self.before,
            &mut self.hi,
            &mut self.mid,
            &mut self.probe,
            &mut self.end,
        ]) {
            v.clear();
            v.resize(n, 0.0);
        }
        self.dormant.clear();
        self.dormant.resize(n, false);
        self.hits.reserve(n);
        self.followed.clear();
        self.followed.reserve(n);
    }

    /// The same functions with other values: forgets what was seen of them.
    pub fn renew(&mut self) {
        self.restart(self.n);
    }

    pub fn hits(&self) -> &[RootHit] {
        &self.hits
    }

    pub fn clear_hits(&mut self) {
        self.hits.clear();
    }

    /// Evaluations since the last call of this.
    pub fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    /// The rates of change at both ends of what is searched next, as the function puts them; false if it cannot.
    pub fn set_rates(&mut self, rates: impl FnOnce(&mut [f64], &mut [f64]) -> bool) {
        let [lo, hi] = &mut self.rates;
        self.rates_known = rates(lo, hi);
    }

    /// Searches `t_lo..=t_hi`; returns the time right behind the earliest change.
    pub fn search(
        &mut self,
        t_lo: f64,
        t_hi: f64,
        interior: bool,
        eval: &mut impl FnMut(f64, Option<&[usize]>, &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<Option<f64>, EvalError> {
        self.hits.clear();
        if self.n == 0 {
            return Ok(None);
        }
        let rates = std::mem::take(&mut self.rates_known);
        let mut calls = 0;
        let mut eval = |t: f64, which: Option<&[usize]>, g: &mut [f64]| {
            calls += 1;
            eval(t, which, g)
        };
        let found = self.search_segments(t_lo, t_hi, interior, rates, &mut eval);
        self.evaluations += calls;
        found
    }

    fn search_segments(
        &mut self,
        t_lo: f64,
        t_hi: f64,
        interior: bool,
        rates: bool,
        eval: &mut impl FnMut(f64, Option<&[usize]>, &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<Option<f64>, EvalError> {
        if !self.known {
            eval(t_lo, None, &mut self.lo)?;
            self.known = true;
        }
        let h = t_hi - t_lo;
        if self
            .lo
            .iter()
            .zip(&self.dormant)
            .any(|(lo, dormant)| *lo == 0.0 && !dormant)
        {
            eval(t_lo + PERTURBATION * h, None, &mut self.mid)?;
            let all = self.lo.iter_mut().zip(&mut self.dormant).zip(&self.mid);
            for ((lo, dormant), later) in all {
                if *lo == 0.0 && !*dormant {
                    *lo = *later;
                    *dormant = *later == 0.0;
                }
            }
        }
        eval(t_hi, None, &mut self.end)?;
        let (t_lo, rates) = match any_lost(&self.lo, &self.end) {
            false => (t_lo, rates),
            true => match self.search_to_lost(t_lo, t_hi, eval)? {
                Ok(hit) => return Ok(Some(hit)),
                Err(rest) => (rest, false),
            },
        };
        let h = t_hi - t_lo;
        let mut a = t_lo;
        let look_inside = interior
            && h > 8.0 * RESOLUTION * t_hi.abs()
            && if rates {
                self.may_dip_to_zero(h)
            } else {
                self.may_bend_to_zero(h)
            };
        assign(&mut self.before, &self.lo);
        self.h_before = h;
        if look_inside {
            let t_mid = t_lo + 0.5 * h;
            match eval(t_mid, None, &mut self.hi) {
                // Off the solution's points the functions need not be defined: then only the ends count.
                Err(EvalError::Recoverable(_)) => assign(&mut self.hi, &self.lo),
                other => other?,
            }
            if any_cross(&self.lo, &self.hi) {
                assign(&mut self.probe, &self.end);
                return self
                    .locate((t_lo, t_mid), Some(t_hi), false, eval)
                    .map(Some);
            }
            if let Some(s) = self.near_touch() {
                let t = t_lo + s * h;
                assign(&mut self.mid, &self.hi);
                match eval(t, None, &mut self.hi) {
                    Err(EvalError::Recoverable(_)) => assign(&mut self.hi, &self.mid),
                    other => other?,
                }
                if any_cross(&self.lo, &self.hi) {
                    return self.locate((t_lo, t), None, false, eval).map(Some);
                }
                if t < t_mid {
                    assign(&mut self.hi, &self.mid);
                }
                a = t.max(t_mid);
            } else {
                a = t_mid;
            }
            assign(&mut self.lo, &self.hi);
        }
        assign(&mut self.hi, &self.end);
        if any_cross(&self.lo, &self.hi) {
            assign(&mut self.probe, &self.before);
            let third = look_inside.then_some(t_lo);
            let rates = rates && !look_inside;
            return self.locate((a, t_hi), third, rates, eval).map(Some);
        }
        assign(&mut self.lo, &self.end);
        Ok(None)
    }

    /// Searches up to where functions lose their values: the time of a change before that, or else the time from which the rest is to be
    /// searched, from where on these functions have none.
    fn search_to_lost(
        &mut self,
        t_lo: f64,
        t_hi: f64,
        eval: &mut impl FnMut(f64, Option<&[usize]>, &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<Result<f64, f64>, EvalError> {
        let finest = 1e-3 * (t_hi - t_lo);
        let mut from = t_lo;
        while any_lost(&self.lo, &self.end) {
            let (mut a, mut b) = (from, t_hi);
            assign(&mut self.probe, &self.end);
            while b - a > RESOLUTION * b.abs().max(finest) {
                let t = a + 0.5 * (b - a);
                if t <= a || t >= b {
                    break;
                }
                match eval(t, None, &mut self.hi) {
                    // Off the solution's points.
                    Err(EvalError::Recoverable(_)) => {
                        b = t;
                        continue;
                    }
                    other => other?,
                }
                if any_lost(&self.lo, &self.hi) {
                    b = t;
                    std::mem::swap(&mut self.hi, &mut self.probe);
                } else if any_cross(&self.lo, &self.hi) {
                    return self.locate((a, t), None, false, eval).map(Ok);
                } else {
                    a = t;
                    assign(&mut self.lo, &self.hi);
                }
            }
            from = a;
            for (lo, b) in self.lo.iter_mut().zip(&self.probe) {
                if b.is_nan() {
                    *lo = f64::NAN;
                }
            }
        }
        Ok(Err(from))
    }

    /// Whether the parabola through the last three points of some function leaves its chord over this step so
    /// far, towards zero, that two crossings are conceivable.
    fn may_bend_to_zero(&self, h: f64) -> bool {
        if self.h_before == 0.0 {
            return true;
        }
        (0..self.n).any(|i| {
            let (a, b) = (self.lo[i], self.end[i]);
            let slope_before = (a - self.before[i]) / self.h_before;
            let curve = 2.0 * ((b - a) / h - slope_before) / (h + self.h_before);
            let bend = BEND_SAFETY * 0.125 * curve * h * h;
            (a != 0.0 || b != 0.0) && bend * a.signum() >= a.abs().min(b.abs())
        })
    }

    /// Whether some function falls at the beginning and rises at the end so steeply that its tangents there meet near zero or
    /// beyond it. A function that curves one way is on one side of its tangents.
    fn may_dip_to_zero(&self, h: f64) -> bool {
        let [lo, hi] = &self.rates;
        let ends = self.lo.iter().zip(&self.end).zip(lo.iter().zip(hi));
        ends.into_iter().any(|((a, b), (da, db))| {
            let (falls, rises) = (-da * a.signum(), db * a.signum());
            falls > 0.0
                && rises > 0.0
                && a.abs() * rises + b.abs() * falls < TANGENT_SAFETY * h * falls * rises
        })
    }

    /// Where in the step (0 to 1) the parabola through beginning, middle (`hi`) and end of some function has its vertex
    /// on the other side of zero or close to it.
    fn near_touch(&self) -> Option<f64> {
        let mut best: Option<(f64, f64)> = None;
        for i in 0..self.n {
            let (a, b, c) = (self.lo[i], self.hi[i], self.end[i]);
            if crosses(a, b) || crosses(b, c) || a == 0.0 {
                continue;
            }
            let slope = 0.5 * (c - a);
            let curve = a - 2.0 * b + c;
            if curve * a <= 0.0 || slope.abs() >= curve.abs() {
                continue;
            }
            let value = (b - 0.5 * slope * slope / curve) * a.signum();
            let limit = 0.25 * a.abs().min(b.abs()).min(c.abs());
            if value < limit && best.is_none_or(|(v, _)| value / limit < v) {
                best = Some((value / limit, 0.5 - 0.5 * slope / curve));
            }
        }
        best.map(|(_, s)| s)
    }

    /// Narrows a segment with at least one change, `lo` and `hi` being the values at its ends.
    ///
    /// `probe` has the values at a `third` time outside of it, if given. Of many functions only those that change over the segment
    /// are followed. If another one turns out to
    /// have changed before them, the segment up to there is narrowed again with all.
    fn locate(
        &mut self,
        (a, mut b): (f64, f64),
        mut third: Option<f64>,
        rates: bool,
        eval: &mut impl FnMut(f64, Option<&[usize]>, &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<f64, EvalError> {
        let mut followed = std::mem::take(&mut self.followed);
        followed.clear();
        followed.extend((0..self.n).filter(|&i| crosses(self.lo[i], self.hi[i])));
        let few = self.n > MANY && followed.len() * 4 <= self.n;
        let mut done = false;
        if few {
            assign(&mut self.mid, &self.lo);
            b = self.narrow((a, b, third.take()), &followed, (true, rates), eval)?;
            eval(b, None, &mut self.end)?;
            done = (0..self.n).all(|i| !crosses(self.mid[i], self.end[i]) || followed.contains(&i));
            if !done {
                assign(&mut self.lo, &self.mid);
                assign(&mut self.hi, &self.end);
            }
        }
        if !done {
            followed.clear();
            followed.extend(0..self.n);
            b = self.narrow((a, b, third), &followed, (false, rates && !few), eval)?;
            assign(&mut self.end, &self.hi);
        }
        for &i in &followed {
            if crosses(self.lo[i], self.hi[i]) {
                let rising = if self.lo[i] != 0.0 {
                    self.lo[i] < 0.0
                } else {
                    self.hi[i] > 0.0
                };
                self.hits.push(RootHit { index: i, rising });
                self.dormant[i] = false;
            }
        }
        assign(&mut self.lo, &self.end);
        self.h_before = 0.0;
        self.followed = followed;
        Ok(b)
    }

    /// Shortens `a..b` around the first change of the functions `followed`; `only` those are evaluated. With `rates` those at
    /// both ends are known.
    fn narrow(
        &mut self,
        // `old` is where the values in `probe` are from: the end that was given up last.
        (mut a, mut b, mut old): (f64, f64, Option<f64>),
        followed: &[usize],
        (only, mut rates): (bool, bool),
        eval: &mut impl FnMut(f64, Option<&[usize]>, &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<f64, EvalError> {
        // Weight of the left value in the secant: halved or doubled while the same end stays (Illinois).
        let mut weight = 1.0;
        let mut last_side = 0;
        let mut slow = 0;
        // Tangent at the last point: of which function, where, and its value and rate there.
        let mut tangent: Option<(usize, f64, f64, f64)> = None;
        let finest = 1e-3 * (b - a);
        loop {
            let width = b - a;
            let tolerance = RESOLUTION * b.abs().max(finest);
            if width <= tolerance {
                break;
            }
            // The nearest root of those inside: largest |hi / (hi - lo)|.
            let mut i_best = 0;
            let mut part = -1.0;
            for &i in followed {
                if crosses(self.lo[i], self.hi[i]) {
                    // Beside a place without a value it is nearest.
                    let p = (self.hi[i] / (self.hi[i] - self.lo[i])).abs();
                    let p = if p.is_nan() { f64::INFINITY } else { p };
                    if p > part {
                        (i_best, part) = (i, p);
                    }
                }
            }
            let (g_lo, g_hi) = (self.lo[i_best], self.hi[i_best]);
            let begun = std::mem::take(&mut rates).then(|| {
                let ends = (self.rates[0][i_best], self.rates[1][i_best]);
                cubic_root(width, (g_lo, g_hi), ends)
            });
            let mut rate = None;
            let mut t = if g_lo == 0.0 || slow >= 3 {
                slow = 0;
                a + 0.5 * width
            } else if let Some((part, slope)) = begun.flatten() {
                rate = Some(slope);
                a + part * width
            } else if let Some((i, at, value, slope)) = tangent.take()
                && i == i_best
            {
                at - value / slope
            } else if let Some(t) =
                old.and_then(|c| inverse_quadratic((a, g_lo), (b, g_hi), (c, self.probe[i_best])))
            {
                t
            } else {
                b - width * g_hi / (g_hi - weight * g_lo)
            };
            if !t.is_finite() {
                t = a + 0.5 * width;
            }
            // Probing just inside of the near end makes the bracket collapse once the root is known.
            t = t.clamp(
                a + 0.5 * tolerance.min(width),
                b - 0.5 * tolerance.min(width),
            );
            if t <= a || t >= b {
                break;
            }
            let which = if only { Some(followed) } else { None };
            eval(t, which, &mut self.probe)?;
            tangent = rate.map(|rate| (i_best, t, self.probe[i_best], rate));
            let change = followed.iter().any(|&i| crosses(self.lo[i], self.probe[i]));
            let side = if change {
                old = Some(b);
                b = t;
                std::mem::swap(&mut self.hi, &mut self.probe);
                1
            } else {
                old = Some(a);
                a = t;
                std::mem::swap(&mut self.lo, &mut self.probe);
                2
            };
            weight = match (side == last_side, side) {
                (true, 1) => weight * 0.5,
                (true, _) => weight * 2.0,
                _ => 1.0,
            };
            last_side = side;
            slow = if b - a > 0.5 * width { slow + 1 } else { 0 };
        }
        Ok(b)
    }
}

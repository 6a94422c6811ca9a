//! Pieces of time functions between events, and when they leave a quantum.
//!
//! The sources of quantized bond graphs: constant, step and pulse (constant pieces), ramp (affine), sine,
//! exponential, sine times exponential. Constant, affine, sine and exponential pieces have their next crossing
//! in closed form; others are searched.

use std::f64::consts::{PI, TAU};

/// A piece of a function of time; τ is the time since the begin of the piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// value + slope·τ
    Affine { value: f64, slope: f64 },
    /// offset + amplitude·sin(ω·τ + phase)
    Sine {
        offset: f64,
        amplitude: f64,
        omega: f64,
        phase: f64,
    },
    /// offset + amplitude·exp(rate·τ)
    Exponential {
        offset: f64,
        amplitude: f64,
        rate: f64,
    },
    /// offset + amplitude·exp(rate·τ)·sin(ω·τ + phase)
    ExpSine {
        offset: f64,
        amplitude: f64,
        rate: f64,
        omega: f64,
        phase: f64,
    },
    /// Known by its values only.
    Other,
}

/// What may occur in a piece: frequencies and phases of sines, rates of exponentials.
#[derive(Clone, Debug, Default)]
pub struct Ingredients {
    pub sines: Vec<(f64, f64)>,
    pub rates: Vec<f64>,
}

/// Points at which a form is fitted and checked.
const SAMPLES: usize = 9;
/// Deviation allowed, over the largest value.
const FIT: f64 = 1e-9;
/// Parts of a period that a search never steps over.
const PARTS: f64 = 24.0;
/// Parts of a period that a polynomial may go over: where it bends one way.
const QUARTERS: f64 = 4.0;

impl Piece {
    /// The form that a function has for τ from 0 to `length`.
    pub fn fit(mut value: impl FnMut(f64) -> f64, length: f64, ingredients: &Ingredients) -> Piece {
        // Not at the ends: there the value may belong to a neighbour.
        let points: Vec<f64> = (0..SAMPLES)
            .map(|k| length * (k as f64 + 0.37) / (SAMPLES as f64 + 0.13))
            .collect();
        let values: Vec<f64> = points.iter().map(|&t| value(t)).collect();
        let fitted = |basis: &dyn Fn(f64) -> f64| two_terms(&points, &values, basis);
        if let Some((value, slope)) = fitted(&|t| t) {
            return Piece::Affine { value, slope };
        }
        for &(omega, phase) in &ingredients.sines {
            if let Some((offset, amplitude)) = fitted(&|t| (omega * t + phase).sin()) {
                return Piece::Sine {
                    offset,
                    amplitude,
                    omega,
                    phase,
                };
            }
        }
        for &rate in &ingredients.rates {
            if let Some((offset, amplitude)) = fitted(&|t| (rate * t).exp()) {
                return Piece::Exponential {
                    offset,
                    amplitude,
                    rate,
                };
            }
        }
        for &(omega, phase) in &ingredients.sines {
            for &rate in &ingredients.rates {
                let basis = |t: f64| (rate * t).exp() * (omega * t + phase).sin();
                if let Some((offset, amplitude)) = fitted(&basis) {
                    return Piece::ExpSine {
                        offset,
                        amplitude,
                        rate,
                        omega,
                        phase,
                    };
                }
            }
        }
        Piece::Other
    }

    /// The value at τ, where the form is known.
    pub fn value(&self, t: f64) -> Option<f64> {
        match *self {
            Piece::Affine { value, slope } => Some(value + slope * t),
            Piece::Sine {
                offset,
                amplitude,
                omega,
                phase,
            } => Some(offset + amplitude * (omega * t + phase).sin()),
            Piece::Exponential {
                offset,
                amplitude,
                rate,
            } => Some(offset + amplitude * (rate * t).exp()),
            Piece::ExpSine {
                offset,
                amplitude,
                rate,
                omega,
                phase,
            } => Some(offset + amplitude * (rate * t).exp() * (omega * t + phase).sin()),
            Piece::Other => None,
        }
    }

    /// Largest deviation from the middle, for a choice of quantum.
    pub fn amplitude(&self, length: f64) -> f64 {
        match *self {
            Piece::Affine { value, slope } => value.abs().max((slope * length).abs()),
            Piece::Sine { amplitude, .. } => amplitude.abs(),
            Piece::Exponential {
                amplitude, rate, ..
            }
            | Piece::ExpSine {
                amplitude, rate, ..
            } => amplitude.abs() * (rate * length).exp().max(1.0),
            Piece::Other => 1.0,
        }
    }

    /// How far ahead a few looks tell all about a piece of this length.
    pub fn longest_stretch(&self, length: f64) -> f64 {
        match *self {
            Piece::Affine { .. } => f64::INFINITY,
            Piece::Sine { omega, .. } | Piece::ExpSine { omega, .. } => {
                TAU / omega.abs() / QUARTERS
            }
            Piece::Exponential { rate, .. } => 1.0 / rate.abs(),
            Piece::Other => length / (PARTS * PARTS),
        }
    }

    /// The first τ after `from`, at most `until`, at which the function is a quantum away from `q`.
    pub fn crossing(
        &self,
        mut value: impl FnMut(f64) -> f64,
        from: f64,
        q: f64,
        quantum: f64,
        until: f64,
    ) -> f64 {
        let later = |t: f64| if t > from { t } else { f64::INFINITY };
        let found = match *self {
            Piece::Affine { value, slope } => {
                let level = q + quantum * slope.signum();
                if slope == 0.0 {
                    f64::INFINITY
                } else {
                    later((level - value) / slope)
                }
            }
            Piece::Sine {
                offset,
                amplitude,
                omega,
                phase,
            } => {
                let mut best = f64::INFINITY;
                for level in [q + quantum, q - quantum] {
                    let s = (level - offset) / amplitude;
                    if s.abs() > 1.0 {
                        continue;
                    }
                    for angle in [s.asin(), PI - s.asin()] {
                        // The first passage of this angle after `from`.
                        let now = omega * from + phase;
                        let turn = (angle - now) / TAU;
                        let ahead = if omega > 0.0 {
                            turn - turn.floor()
                        } else {
                            turn.ceil() - turn
                        };
                        let ahead = if ahead < 1e-12 { 1.0 } else { ahead };
                        best = best.min(from + ahead * TAU / omega.abs());
                    }
                }
                best
            }
            Piece::Exponential {
                offset,
                amplitude,
                rate,
            } => [q + quantum, q - quantum]
                .iter()
                .map(|level| later(((level - offset) / amplitude).ln() / rate))
                .filter(|t| t.is_finite())
                .fold(f64::INFINITY, f64::min),
            Piece::ExpSine { omega, .. } => {
                let limit = TAU / omega.abs() / PARTS;
                return search(&mut value, from, q, quantum, until, limit);
            }
            Piece::Other => {
                let limit = until / (PARTS * PARTS);
                return search(&mut value, from, q, quantum, until, limit);
            }
        };
        found.min(until)
    }
}

/// c + a·basis(t) through all points.
fn two_terms(points: &[f64], values: &[f64], basis: &dyn Fn(f64) -> f64) -> Option<(f64, f64)> {
    let x: Vec<f64> = points.iter().map(|&t| basis(t)).collect();
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, values.iter().sum::<f64>() / n);
    let (mut sxx, mut sxy) = (0.0, 0.0);
    for (x, y) in x.iter().zip(values) {
        sxx += (x - mx) * (x - mx);
        sxy += (x - mx) * (y - my);
    }
    let scale = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    // A constant stays exactly one.
    let flat = values.iter().all(|y| (y - my).abs() <= 1e-14 * scale);
    let a = if flat || sxx == 0.0 { 0.0 } else { sxy / sxx };
    let c = if flat { values[0] } else { my - a * mx };
    let fits = x
        .iter()
        .zip(values)
        .all(|(x, y)| (c + a * x - y).abs() <= FIT * scale);
    (fits && a.is_finite() && c.is_finite()).then_some((c, a))
}

/// Steps forward until the function has left the quantum, then halves.
fn search(
    value: &mut impl FnMut(f64) -> f64,
    from: f64,
    q: f64,
    quantum: f64,
    until: f64,
    limit: f64,
) -> f64 {
    let mut inside = from;
    while inside < until {
        let next = (inside + limit).min(until);
        if (value(next) - q).abs() < quantum {
            inside = next;
            continue;
        }
        let mut outside = next;
        while outside - inside > 1e-13 * outside.abs().max(limit) {
            let middle = 0.5 * (inside + outside);
            if (value(middle) - q).abs() < quantum {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        return outside;
    }
    until
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms against the search, for a sine, an exponential and a ramp.
    #[test]
    fn crossings_in_closed_form_agree_with_a_search() {
        let forms: [(Piece, fn(f64) -> f64); 3] = [
            (
                Piece::Sine {
                    offset: 0.5,
                    amplitude: 2.0,
                    omega: 3.0,
                    phase: 0.2,
                },
                |t| 0.5 + 2.0 * (3.0 * t + 0.2).sin(),
            ),
            (
                Piece::Exponential {
                    offset: 1.0,
                    amplitude: -2.0,
                    rate: -0.7,
                },
                |t| 1.0 - 2.0 * (-0.7 * t).exp(),
            ),
            (
                Piece::Affine {
                    value: 1.0,
                    slope: -0.3,
                },
                |t| 1.0 - 0.3 * t,
            ),
        ];
        for (piece, f) in forms {
            let mut t = 0.0;
            for _ in 0..40 {
                let closed = piece.crossing(f, t, f(t), 0.05, 9.0);
                let searched = search(&mut { f }, t, f(t), 0.05, 9.0, 0.01);
                assert!(
                    (closed - searched).abs() < 1e-9,
                    "{piece:?}: {closed} {searched}"
                );
                t = closed;
            }
        }
    }

    #[test]
    fn forms_are_found_by_values() {
        let ingredients = Ingredients {
            sines: vec![(5.0, 0.3)],
            rates: vec![-2.0],
        };
        let form = |f: &dyn Fn(f64) -> f64| Piece::fit(f, 1.7, &ingredients);
        assert!(matches!(form(&|_| 4.0), Piece::Affine { slope: 0.0, .. }));
        assert!(matches!(form(&|t| 1.0 + 2.0 * t), Piece::Affine { .. }));
        assert!(matches!(
            form(&|t| 1.0 + 3.0 * (5.0 * t + 0.3).sin()),
            Piece::Sine { .. }
        ));
        assert!(matches!(
            form(&|t| 3.0 - (-2.0 * t).exp()),
            Piece::Exponential { .. }
        ));
        assert!(matches!(
            form(&|t| (-2.0 * t).exp() * (5.0 * t + 0.3).sin()),
            Piece::ExpSine { .. }
        ));
        assert_eq!(form(&|t| t * t), Piece::Other);
    }
}

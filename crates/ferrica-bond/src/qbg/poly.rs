//! What travels in a quantized bond graph: polynomials of time, of a degree below the order of the method.
//!
//! Coefficients `p[k]` of `Σ p[k] s^k`, s from the time at which the polynomial was told.

pub type Poly = [f64; 3];

/// A function that does not change.
pub fn constant(value: f64) -> Poly {
    [value, 0.0, 0.0]
}

/// The same function, counted from a later time.
pub fn shifted<const D: usize>(p: &[f64; D], s: f64) -> [f64; D] {
    let mut out = *p;
    if s == 0.0 {
        return out;
    }
    // Horner's scheme, once for each derivative.
    for k in 0..D {
        for j in (k..D - 1).rev() {
            out[j] += s * out[j + 1];
        }
    }
    out
}

pub fn value<const D: usize>(p: &[f64; D], s: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * s + c)
}

/// Integral over the next s.
pub fn integral(p: &Poly, s: f64) -> f64 {
    ((p[2] / 3.0 * s + p[1] / 2.0) * s + p[0]) * s
}

/// Halvings until a function is taken for one that jumps.
const HALVINGS: usize = 60;

/// Where a stretch is looked at, over its length: also near its begin, for what comes and goes there.
const BETWEEN: [f64; 6] = [0.001, 0.02, 0.1, 0.23, 0.5, 0.77];

/// Polynomials through a function of time, for as long as they stay near it.
///
/// `f` gives all of its values at a time from now. Of second order straight lines, of third order parabolas through both ends (and the middle)
/// of a stretch, which is halved until at places between none is farther away than its tolerance. Returns them and the length of the
/// stretch; `None` where the function has no value now.
pub fn follow(
    mut f: impl FnMut(f64) -> Option<Vec<f64>>,
    order: usize,
    first: f64,
    smallest: f64,
    tolerances: &[f64],
) -> Option<(Vec<Poly>, f64)> {
    let now = f(0.0)?;
    let mut length = first;
    for _ in 0..HALVINGS {
        if length <= smallest {
            break;
        }
        if let Some(found) = through(&mut f, &now, order, length, tolerances) {
            return Some((found, length));
        }
        length *= 0.5;
    }
    Some((
        now.into_iter().map(constant).collect(),
        length.max(smallest),
    ))
}

fn through(
    f: &mut impl FnMut(f64) -> Option<Vec<f64>>,
    now: &[f64],
    order: usize,
    length: f64,
    tolerances: &[f64],
) -> Option<Vec<Poly>> {
    let (middle, end) = (f(0.5 * length)?, f(length)?);
    let polynomial = |k: usize| -> Poly {
        let rise = end[k] - now[k];
        if order < 3 {
            return [now[k], rise / length, 0.0];
        }
        let bend = 2.0 * (rise - 2.0 * (middle[k] - now[k]));
        [now[k], (rise - bend) / length, bend / (length * length)]
    };
    let found: Vec<Poly> = (0..now.len()).map(polynomial).collect();
    let near = |values: &[f64], s: f64| {
        let all = found.iter().zip(values).zip(tolerances);
        all.into_iter()
            .all(|((p, v), most)| (value(p, s) - v).abs() <= *most)
    };
    for s in BETWEEN.map(|part| part * length) {
        if !near(&f(s)?, s) {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_polynomial_is_the_same_function() {
        let p = [1.0, -2.0, 3.0, 0.5];
        let q = shifted(&p, 0.7);
        for s in [0.0, 0.3, 1.9] {
            assert!((value(&q, s) - value(&p, 0.7 + s)).abs() < 1e-13);
        }
    }

    #[test]
    fn stretches_keep_their_tolerance() {
        for order in [2, 3] {
            let f = |s: f64| Some(vec![(3.0 * s).sin(), s.exp()]);
            let (found, length) = follow(f, order, 10.0, 1e-12, &[1e-3, 1e-3]).unwrap();
            for k in 0..100 {
                let s = length * f64::from(k) / 100.0;
                assert!(
                    (value(&found[0], s) - (3.0 * s).sin()).abs() < 1.2e-3,
                    "{order}"
                );
                assert!((value(&found[1], s) - s.exp()).abs() < 1.2e-3, "{order}");
            }
            // Not needlessly short: (h²/8)·9 for lines.
            assert!(length > 0.02, "{order} {length}");
        }
    }

    /// What happens at the begin of a long stretch is seen: a diode that conducts for a hundredth of it.
    #[test]
    fn a_short_beginning_is_not_skipped() {
        let f = |s: f64| Some(vec![(s * (0.02 - s)).max(0.0)]);
        let (found, length) = follow(f, 3, 2.0, 1e-12, &[1e-6]).unwrap();
        assert!(length <= 0.02 && found[0][1] > 0.01, "{length} {found:?}");
    }

    /// A function that jumps is followed up to the jump.
    #[test]
    fn a_jump_ends_a_stretch() {
        let f = |s: f64| Some(vec![if s < 0.3 { 1.0 } else { 2.0 }]);
        let (found, length) = follow(f, 3, 1.0, 1e-9, &[1e-3]).unwrap();
        assert_eq!(found[0][0], 1.0);
        assert!(length < 0.3, "{length}");
    }
}

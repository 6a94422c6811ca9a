//! Samples of one cluster as another reads them: at a sample, or between samples by a polynomial, which does not swing at jumps.

use crate::plan::Link;
use crate::ring::{Table, load};

/// Curvatures on both sides that differ by more than this factor are not those of one smooth curve.
const CURVATURE_RATIO: f64 = 4.0;

/// The value at 0 < s < 1 of a curve through the values at −1, 0, 1, 2. It is Lagrange's cubic polynomial: the straight line and a
/// correction by the second differences on both sides. Where these have different signs or sizes, there is a jump or a kink: the smaller
/// one limits the other (as minmod does), so that what jumps arrives without a swing that would cross thresholds on its way.
pub fn between(v: [f64; 4], s: f64) -> f64 {
    let line = v[1] + s * (v[2] - v[1]);
    let (a, b) = (v[0] - 2.0 * v[1] + v[2], v[1] - 2.0 * v[2] + v[3]);
    if a * b <= 0.0 {
        return line;
    }
    let most = CURVATURE_RATIO * a.abs().min(b.abs());
    let (a, b) = (a.clamp(-most, most), b.clamp(-most, most));
    line + s * (s - 1.0) / 6.0 * ((2.0 - s) * a + (1.0 + s) * b)
}

/// Delayed values to where they are read: column, place and value before the start of each.
pub fn receive(
    link: &Link,
    reads: &[(u32, u32, f64)],
    table: &Table,
    done: u64,
    fraction: f64,
    mut set: impl FnMut(u32, f64),
) {
    let at = link.position(done, fraction);
    if at < 0.0 {
        for &(_, place, first) in reads {
            set(place, first);
        }
        return;
    }
    let low = at as u64;
    let s = at - low as f64;
    if s == 0.0 {
        let row = table.row(low);
        for &(column, place, _) in reads {
            set(place, load(&row[column as usize]));
        }
    } else if link.cubic && low >= 1 {
        let rows = [
            table.row(low - 1),
            table.row(low),
            table.row(low + 1),
            table.row(low + 2),
        ];
        for &(column, place, _) in reads {
            let v = |k: usize| load(&rows[k][column as usize]);
            set(place, between([v(0), v(1), v(2), v(3)], s));
        }
    } else {
        let rows = [table.row(low), table.row(low + 1)];
        for &(column, place, _) in reads {
            let v = |k: usize| load(&rows[k][column as usize]);
            set(place, v(0) + s * (v(1) - v(0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn smooth_curves_are_cubic_and_jumps_do_not_swing() {
        let cubic = |x: f64| 1.0 + x * (0.5 + x * (2.0 + 0.1 * x));
        let exact = between([-1.0, 0.0, 1.0, 2.0].map(cubic), 0.3);
        assert!((exact - cubic(0.3)).abs() < 1e-14);
        for v in [
            [0.0, 0.0, 0.0, 2.0],
            [0.0, 0.0, 2.0, 2.0],
            [0.0, 2.0, 2.0, 2.0],
        ] {
            for k in 1..20 {
                let value = between(v, f64::from(k) / 20.0);
                assert!((0.0..=2.0).contains(&value), "{v:?}: {value}");
            }
        }
    }
}

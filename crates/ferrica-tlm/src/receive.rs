//! Samples of one cluster as another reads them: at a sample, or between samples by a polynomial.

use crate::plan::Link;
use crate::ring::{Table, load};

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
        // Lagrange's polynomial through −1, 0, 1, 2.
        let w = [
            -s * (s - 1.0) * (s - 2.0) / 6.0,
            (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0,
            -(s + 1.0) * s * (s - 2.0) / 2.0,
            (s + 1.0) * s * (s - 1.0) / 6.0,
        ];
        for &(column, place, _) in reads {
            let v = |k: usize| load(&rows[k][column as usize]);
            set(place, w[0] * v(0) + w[1] * v(1) + w[2] * v(2) + w[3] * v(3));
        }
    } else {
        let rows = [table.row(low), table.row(low + 1)];
        for &(column, place, _) in reads {
            let v = |k: usize| load(&rows[k][column as usize]);
            set(place, v(0) + s * (v(1) - v(0)));
        }
    }
}

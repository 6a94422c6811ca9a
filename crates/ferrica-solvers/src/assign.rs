//! Copies of vectors that are mostly very short.

/// `to` takes the values of `from`, which is as long. A call of memcpy costs more than two or three numbers.
#[inline]
pub fn assign(to: &mut [f64], from: &[f64]) {
    match (to, from) {
        ([a], [x]) => *a = *x,
        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
        ([a, b, c], [x, y, z]) => (*a, *b, *c) = (*x, *y, *z),
        (to, from) => to.copy_from_slice(from),
    }
}

//! Work on vectors that are mostly very short.

/// `to` takes the values of `from`, which is as long. A call of memcpy costs more than two or three numbers, and so does one load
/// of numbers that have just been stored one by one: the processor waits until all of them have arrived.
#[inline]
pub fn assign(to: &mut [f64], from: &[f64]) {
    match (to, from) {
        ([a], [x]) => *a = *x,
        ([a, b], [x, y]) => (*a, *b) = (alone(x), alone(y)),
        ([a, b, c], [x, y, z]) => (*a, *b, *c) = (alone(x), alone(y), alone(z)),
        (to, from) => to.copy_from_slice(from),
    }
}

/// The number, by a load of its own.
#[inline]
fn alone(x: &f64) -> f64 {
    // SAFETY: a reference is valid for reads and aligned.
    unsafe { std::ptr::read_volatile(x) }
}

/// Is no value infinite or no number? Zero times one that is would be no number.
#[inline]
pub fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(0.0, |sum, v| sum + 0.0 * v) == 0.0
}

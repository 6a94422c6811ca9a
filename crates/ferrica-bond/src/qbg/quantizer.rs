//! Quantization functions with hysteresis.
//!
//! Levels d_k, k an integer. A value that rises is told as d_{k+1} when it reaches it; one that falls is told as d_{k-1} when
//! it is the hysteresis below d_k. Uniform: all intervals have one length. Non-uniform: intervals grow with the
//! distance from zero, d_k = ±Q((1 + r)^|k| - 1)/r, which is an interval of about Q + r·|x| at the value x.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Levels {
    Uniform,
    /// Growth r of the intervals.
    Growing(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantizer {
    /// Length of the interval at zero.
    pub quantum: f64,
    /// Width of the hysteresis over the length of the interval.
    pub hysteresis: f64,
    pub levels: Levels,
}

impl Quantizer {
    pub fn value(&self, k: i64) -> f64 {
        match self.levels {
            Levels::Uniform => k as f64 * self.quantum,
            Levels::Growing(r) => {
                let grown = (k.unsigned_abs() as f64 * r.ln_1p()).exp_m1() / r * self.quantum;
                if k < 0 { -grown } else { grown }
            }
        }
    }

    /// The interval at a value: the quantum of the methods of higher order, which have no levels.
    pub fn quantum_at(&self, x: f64) -> f64 {
        match self.levels {
            Levels::Uniform => self.quantum,
            Levels::Growing(r) => self.quantum + r * x.abs(),
        }
    }

    /// The level at or below a value.
    pub fn level_of(&self, x: f64) -> i64 {
        let guess = match self.levels {
            Levels::Uniform => x / self.quantum,
            Levels::Growing(r) => (x.abs() * r / self.quantum).ln_1p() / r.ln_1p() * x.signum(),
        };
        let mut k = guess.floor() as i64;
        // Rounding: a value that is a level belongs to it.
        if self.value(k + 1) <= x + 1e-12 * self.quantum {
            k += 1;
        }
        k
    }

    /// How long until x with this rate leaves level k.
    pub fn time_to_crossing(&self, x: f64, rate: f64, k: i64) -> f64 {
        if rate > 0.0 {
            ((self.value(k + 1) - x) / rate).max(0.0)
        } else if rate < 0.0 {
            let width = self.hysteresis * (self.value(k) - self.value(k - 1));
            ((x - self.value(k) + width) / -rate).max(0.0)
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_found_by_its_value() {
        for levels in [Levels::Uniform, Levels::Growing(0.05)] {
            let q = Quantizer {
                quantum: 0.1,
                hysteresis: 1.0,
                levels,
            };
            for k in -40..40 {
                assert_eq!(q.level_of(q.value(k)), k, "{levels:?}");
                let between = 0.5 * (q.value(k) + q.value(k + 1));
                assert_eq!(q.level_of(between), k, "{levels:?}");
            }
        }
    }

    /// Rising from a level takes an interval, falling back takes the hysteresis more.
    #[test]
    fn hysteresis_separates_up_and_down() {
        let q = Quantizer {
            quantum: 0.5,
            hysteresis: 0.2,
            levels: Levels::Uniform,
        };
        assert!((q.time_to_crossing(1.0, 2.0, 2) - 0.25).abs() < 1e-15);
        assert!((q.time_to_crossing(1.0, -2.0, 2) - 0.05).abs() < 1e-15);
        assert_eq!(q.time_to_crossing(1.0, 0.0, 2), f64::INFINITY);
    }
}

//! Values of a parameter that are drawn: `normal(MEAN,DEVIATION)`, `uniform(LOW,HIGH)`, `lognormal(MEDIAN,FACTOR)`.
//!
//! In: what the user wrote, how many values, a seed. Out: the values. They are a Latin hypercube: each axis has one value in each of
//! as many parts of equal probability, in an order of its own; so few runs cover the whole range. The same seed gives the
//! same values everywhere.

use crate::failure::Failure;

/// A distribution by its quantiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    Normal {
        mean: f64,
        deviation: f64,
    },
    Uniform {
        low: f64,
        high: f64,
    },
    /// The logarithm is normal: as often above the median times the factor as below it divided by the factor.
    Lognormal {
        median: f64,
        factor: f64,
    },
}

impl Distribution {
    /// None if the text is something else.
    pub fn parse(text: &str) -> Option<Result<Distribution, Failure>> {
        let (word, rest) = text.trim().split_once('(')?;
        let word = word.trim();
        if !matches!(word, "normal" | "uniform" | "lognormal") {
            return None;
        }
        let wrong = |why: &str| Failure::coded("E0732", format!("{text}: {why}"), None);
        let numbers: Option<Vec<f64>> = rest.trim().strip_suffix(')').and_then(|list| {
            let list = list.split(',').map(|n| n.trim().parse::<f64>().ok());
            list.map(|n| n.filter(|n| n.is_finite())).collect()
        });
        let Some([a, b]) = numbers.as_deref() else {
            return Some(Err(wrong("two numbers are needed")));
        };
        let (a, b) = (*a, *b);
        Some(match word {
            "normal" if b > 0.0 => Ok(Distribution::Normal {
                mean: a,
                deviation: b,
            }),
            "uniform" if b > a => Ok(Distribution::Uniform { low: a, high: b }),
            "lognormal" if a > 0.0 && b > 1.0 => Ok(Distribution::Lognormal {
                median: a,
                factor: b,
            }),
            "normal" => Err(wrong("the deviation must be positive")),
            "uniform" => Err(wrong("the second number must be the larger one")),
            _ => Err(wrong(
                "the median must be positive, the factor larger than one",
            )),
        })
    }

    /// The value below which this part of all values is.
    fn quantile(self, part: f64) -> f64 {
        match self {
            Distribution::Normal { mean, deviation } => mean + deviation * normal_quantile(part),
            Distribution::Uniform { low, high } => low + part * (high - low),
            Distribution::Lognormal { median, factor } => {
                median * (factor.ln() * normal_quantile(part)).exp()
            }
        }
    }

    /// So many values; axes with different numbers are independent of each other.
    pub fn draw(self, count: usize, seed: u64, axis: usize) -> Vec<f64> {
        let mut random = Random(seed ^ (axis as u64 + 1).wrapping_mul(0xA076_1D64_78BD_642F));
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            let other = (random.uniform() * (k + 1) as f64) as usize;
            order.swap(k, other.min(k));
        }
        let part = |k: usize, inside: f64| (k as f64 + inside) / count as f64;
        (order.into_iter())
            .map(|k| self.quantile(part(k, random.uniform())))
            .collect()
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    /// Between zero and one, neither of them.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

/// Of the standard normal distribution: Newton's method on the distribution function, which a continued fraction gives in the tails and
/// a series in the middle.
fn normal_quantile(part: f64) -> f64 {
    // From the logistic curve of the same slope, always on the side from which Newton's method does not overshoot twice.
    let mut x = (part / (1.0 - part)).ln() / 1.702;
    for _ in 0..60 {
        let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        if density == 0.0 {
            break;
        }
        let step = (normal_part(x) - part) / density;
        let step = step.clamp(-1.0, 1.0);
        x -= step;
        if step.abs() <= 1e-14 * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

/// Part of the standard normal distribution below `x`.
fn normal_part(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    let size = x.abs();
    if size < 3.0 {
        // x + x³/3 + x⁵/(3·5) + …
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            n += 2.0;
            term *= x * x / n;
            sum += term;
        }
        return 0.5 + density * sum;
    }
    // 1/(x + 1/(x + 2/(x + 3/…)))
    let mut fraction = size;
    for k in (1..80).rev() {
        fraction = size + f64::from(k) / fraction;
    }
    let tail = density / fraction;
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the normal distribution.
    #[test]
    fn quantiles() {
        for (part, x) in [
            (0.5, 0.0),
            (0.975, 1.959963984540054),
            (0.841344746068543, 1.0),
            (1e-6, -4.753424308822899),
        ] {
            assert!((normal_quantile(part) - x).abs() < 1e-9, "{part}");
        }
        let log = Distribution::Lognormal {
            median: 10.0,
            factor: 2.0,
        };
        assert!((log.quantile(0.841344746068543) - 20.0).abs() < 1e-8);
    }

    /// One value in each part of equal probability; mean and deviation are those asked for.
    #[test]
    fn a_latin_hypercube() {
        let normal = Distribution::Normal {
            mean: 3.0,
            deviation: 0.5,
        };
        let mut values = normal.draw(400, 7, 0);
        assert_eq!(values, normal.draw(400, 7, 0));
        assert_ne!(values, normal.draw(400, 7, 1));
        let mean = values.iter().sum::<f64>() / 400.0;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 400.0;
        assert!((mean - 3.0).abs() < 2e-3 && (square.sqrt() - 0.5).abs() < 5e-3);
        values.sort_by(f64::total_cmp);
        for (k, v) in values.iter().enumerate() {
            let (low, high) = (k as f64 / 400.0, (k + 1) as f64 / 400.0);
            let part = normal_part((v - 3.0) / 0.5);
            assert!(low - 1e-12 <= part && part <= high + 1e-12);
        }
    }

    #[test]
    fn what_is_written() {
        let parse = |t: &str| Distribution::parse(t).map(|r| r.is_ok());
        assert_eq!(parse("normal(1, 0.1)"), Some(true));
        assert_eq!(parse("uniform(2,1)"), Some(false));
        assert_eq!(parse("normal(1)"), Some(false));
        assert_eq!(parse("Modelica.f(1,2)"), None);
        assert_eq!(parse("1:2:3"), None);
    }
}

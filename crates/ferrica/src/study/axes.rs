//! The values of a study's parameters: lists, ranges, distributions, and all combinations of them.

use ferrica_sim::Equidistant;

use super::distribution::Distribution;
use crate::failure::Failure;
use crate::options::Assignment;

/// Runs of one study.
const MAX_RUNS: usize = 10_000_000;

/// A parameter and its values.
struct Axis {
    name: String,
    values: Vec<String>,
    /// The values are drawn: all such axes go on together from run to run.
    drawn: bool,
}

/// `1:0.1:2`, `1,2,5`, one value or a distribution.
fn axis(
    assignment: &Assignment,
    number: usize,
    samples: usize,
    seed: u64,
) -> Result<Axis, Failure> {
    let Assignment { name, value } = assignment;
    if let Some(distribution) = Distribution::parse(value) {
        let values = distribution?.draw(samples, seed, number);
        return Ok(Axis {
            name: name.clone(),
            values: values.iter().map(|v| format!("{v}")).collect(),
            drawn: true,
        });
    }
    let wrong = || {
        Failure::usage_with_hint(
            format!("-p {name}={value} is no list of values"),
            "write FIRST:STEP:LAST or A,B,C",
        )
    };
    let parts: Vec<&str> = value.split(':').collect();
    let values = match parts[..] {
        [first, step, last] => {
            let number = |t: &str| t.trim().parse::<f64>().map_err(|_| wrong());
            let (first, step, last) = (number(first)?, number(step)?, number(last)?);
            let count = ((last - first) / step * (1.0 + 1e-12) + 1e-9).floor();
            if step == 0.0 || !(0.0..MAX_RUNS as f64).contains(&count) {
                return Err(wrong());
            }
            let values = Equidistant::new(first, step);
            let at = |k: usize| format!("{}", values.at(k as f64));
            (0..=count as usize).map(at).collect()
        }
        [list] if names_distribution(list) => {
            return Err(Failure::usage_with_hint(
                format!("-p {name}={value}: there is no such distribution"),
                "normal(MEAN,DEVIATION), uniform(LOW,HIGH) and lognormal(MEDIAN,FACTOR) are known",
            ));
        }
        [list] => list.split(',').map(|v| v.trim().to_owned()).collect(),
        _ => return Err(wrong()),
    };
    Ok(Axis {
        name: name.clone(),
        values,
        drawn: false,
    })
}

/// A word and numbers in parentheses; texts such as `data(1).txt` are values.
fn names_distribution(text: &str) -> bool {
    let inside = (text.trim().strip_suffix(')')).and_then(|t| t.split_once('('));
    inside.is_some_and(|(word, numbers)| {
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        is_word && (numbers.split(',')).all(|n| n.trim().parse::<f64>().is_ok())
    })
}

/// All parameters of a study with their values.
///
/// ```
/// use ferrica::{options::Assignment, study::Axes};
/// let given = |name: &str, value: &str| Assignment { name: name.to_owned(), value: value.to_owned() };
/// let axes = Axes::new(&[given("R", "1:1:3"), given("C", "1e-3,2e-3")], 1, 1)?;
/// assert_eq!(axes.count(), 6);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Axes(Vec<Axis>);

impl Axes {
    /// From what the user wrote; so many values of each distribution.
    ///
    /// ```
    /// use ferrica::{options::Assignment, study::Axes};
    /// let given = |name: &str, value: &str| Assignment { name: name.to_owned(), value: value.to_owned() };
    /// assert!(Axes::new(&[], 1, 1).is_err() && Axes::new(&[given("R", "gauss(1,2)")], 1, 1).is_err());
    /// assert_eq!(Axes::new(&[given("R", "uniform(1,2)")], 10, 1)?.count(), 10);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn new(written: &[Assignment], samples: usize, seed: u64) -> Result<Axes, Failure> {
        if written.is_empty() {
            return Err(Failure::usage_with_hint(
                "nothing to vary",
                "add -p R=1:0.1:2",
            ));
        }
        let list = written.iter().enumerate();
        let list = list.map(|(k, p)| axis(p, k, samples, seed));
        let axes = Axes(list.collect::<Result<_, _>>()?);
        match axes.product() {
            Some(0) => Err(Failure::usage("--samples 0: at least one value is needed")),
            Some(_) => Ok(axes),
            None => Err(Failure::usage(format!("more than {MAX_RUNS} runs"))),
        }
    }

    /// The names of the parameters.
    ///
    /// ```
    /// use ferrica::{options::Assignment, study::Axes};
    /// let given = |name: &str, value: &str| Assignment { name: name.to_owned(), value: value.to_owned() };
    /// let axes = Axes::new(&[given("R", "1,2"), given("C", "3")], 1, 1)?;
    /// assert_eq!(axes.names().collect::<Vec<_>>(), ["R", "C"]);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|a| a.name.as_str())
    }

    /// How many runs there are.
    ///
    /// ```
    /// use ferrica::{options::Assignment, study::Axes};
    /// let given = |name: &str, value: &str| Assignment { name: name.to_owned(), value: value.to_owned() };
    /// assert_eq!(Axes::new(&[given("R", "1,2,5")], 1, 1)?.count(), 3);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn count(&self) -> usize {
        self.product().unwrap_or(0)
    }

    /// Values that are drawn of each distribution; one if there is none.
    fn samples(&self) -> usize {
        let drawn = self.0.iter().find(|a| a.drawn);
        drawn.map_or(1, |a| a.values.len())
    }

    fn product(&self) -> Option<usize> {
        let others = self.0.iter().filter(|a| !a.drawn);
        others
            .map(|a| a.values.len())
            .try_fold(self.samples(), |n, m| n.checked_mul(m))
            .filter(|n| *n <= MAX_RUNS)
    }

    /// Values of run number `k`: those that are drawn fastest, then the last axis.
    ///
    /// ```
    /// use ferrica::{options::Assignment, study::Axes};
    /// let given = |name: &str, value: &str| Assignment { name: name.to_owned(), value: value.to_owned() };
    /// let axes = Axes::new(&[given("R", "1,2"), given("C", "3,4")], 1, 1)?;
    /// assert_eq!(axes.values_of(1), [given("R", "1"), given("C", "4")]);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn values_of(&self, k: usize) -> Vec<Assignment> {
        let samples = self.samples();
        let (sample, mut rest) = (k % samples, k / samples);
        let mut list: Vec<Assignment> = Vec::new();
        for axis in self.0.iter().rev() {
            let at = match axis.drawn {
                true => sample,
                false => rest % axis.values.len(),
            };
            list.push(Assignment {
                name: axis.name.clone(),
                value: axis.values[at].clone(),
            });
            if !axis.drawn {
                rest /= axis.values.len();
            }
        }
        list.reverse();
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_that_is_not_known_is_no_text() {
        for (text, is) in [
            ("gauss(1,2)", true),
            ("f ( 1 )", false),
            ("data(1).txt", false),
            ("a(b)", false),
        ] {
            assert_eq!(names_distribution(text), is, "{text}");
        }
    }

    fn values(text: &str) -> Vec<String> {
        let a = Assignment {
            name: "R".into(),
            value: text.into(),
        };
        axis(&a, 0, 3, 1).map(|a| a.values).unwrap_or_default()
    }

    #[test]
    fn ranges_and_lists() {
        assert_eq!(values("0.1:0.1:0.5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(values("1:-0.5:0"), ["1", "0.5", "0"]);
        assert_eq!(values("3, 4e-3"), ["3", "4e-3"]);
        assert!(values("1:0:2").is_empty());
    }

    #[test]
    fn the_last_axis_is_the_fastest() {
        let axes = [("a", ["1", "2"]), ("b", ["3", "4"])].map(|(name, v)| Axis {
            name: name.into(),
            values: v.map(String::from).to_vec(),
            drawn: false,
        });
        let axes = Axes(axes.into());
        let run = |k| {
            axes.values_of(k)
                .iter()
                .map(|a| a.value.clone())
                .collect::<String>()
        };
        assert_eq!([0, 1, 2, 3].map(run), ["13", "14", "23", "24"]);
    }

    #[test]
    fn drawn_values_go_together() {
        assert_eq!(values("uniform(0, 1)").len(), 3);
        let axis = |name: &str, v: &[&str], drawn| Axis {
            name: name.into(),
            values: v.iter().map(|v| (*v).to_owned()).collect(),
            drawn,
        };
        let axes = [
            axis("a", &["1", "2"], true),
            axis("b", &["3", "4"], false),
            axis("c", &["5", "6"], true),
        ];
        let axes = Axes(axes.into());
        assert_eq!(axes.count(), 4);
        let run = |k| {
            let list = axes.values_of(k);
            list.iter().map(|a| a.value.clone()).collect::<String>()
        };
        assert_eq!([0, 1, 2, 3].map(run), ["135", "236", "145", "246"]);
    }
}

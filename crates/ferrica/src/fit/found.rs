//! What is looked for in a fit, and what was found.

/// A parameter to be found, between two bounds.
///
/// ```
/// let r = ferrica::Unknown { name: "R.R".to_owned(), low: 1.0, high: 100.0 };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// A parameter, or `NAME.start`.
    pub name: String,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

/// What was found.
///
/// ```
/// use ferrica::{Experiment, Measured, Model, Unknown};
/// let model = Model::from_text("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")?;
/// let t: Vec<f64> = (0..=20).map(|i| 0.1 * f64::from(i)).collect();
/// let seen = Measured::new(t.clone()).column("x", t.iter().map(|t| (-2.5 * t).exp()).collect());
/// let k = Unknown { name: "k".to_owned(), low: 0.1, high: 10.0 };
/// let fit = model.fit(&[seen], &[k], &Experiment::default().tolerance(1e-9))?;
/// assert!((fit.estimates[0].value - 2.5).abs() < 1e-5);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// One for each unknown.
    pub estimates: Vec<Estimate>,
    /// Root mean square of the deviations in parts of each variable's spread, before and after.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// Iterations of the search.
    pub iterations: usize,
    /// The search has come to its end; otherwise it was given up, and other values may fit better.
    pub converged: bool,
    /// Correlations of the estimates.
    pub correlation: Vec<Vec<f64>>,
    /// Sets of parameters that the data cannot tell apart; a single one has no influence at all.
    pub indistinct: Vec<Vec<String>>,
}

/// One parameter.
///
/// ```
/// let e = ferrica::Estimate { name: "k".to_owned(), value: 2.0, error: 0.1, at_bound: false };
/// assert_eq!(e.interval(), (2.0 - 1.96*0.1, 2.0 + 1.96*0.1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// The value with the least squares.
    pub value: f64,
    /// Standard error; infinite where the data do not determine it.
    pub error: f64,
    /// It has ended at a bound.
    pub at_bound: bool,
}

/// Standard errors of a normal distribution to each side that hold 95 %.
const NORMAL_95: f64 = 1.96;

impl Estimate {
    /// 95 % confidence.
    ///
    /// ```
    /// let e = ferrica::Estimate { name: "k".to_owned(), value: 1.0, error: 0.0, at_bound: false };
    /// assert_eq!(e.interval(), (1.0, 1.0));
    /// ```
    pub fn interval(&self) -> (f64, f64) {
        let half = NORMAL_95 * self.error;
        (self.value - half, self.value + half)
    }
}

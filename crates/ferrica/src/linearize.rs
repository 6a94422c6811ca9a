//! The linear model around a point of a run, ẋ = A·x + B·u and y = C·x + D·u, from exact derivatives.
//!
//! The model is compiled once more with the inputs as states that stay (u' = 0) and with an integral of each output
//! (z' = y). The Jacobian of that model's derivatives, which the compiler has in exact and sparse form, holds all four matrices (`larger`).
//! A run of that model leads to the points (`points`).

mod larger;
mod points;

use ferrica_codegen::{CompiledModel, Evaluator};

use crate::delayed::Delays;
use crate::error::{Diagnostic, Error};
use crate::experiment::Experiment;
use crate::model::Model;
use larger::Larger;
use points::Points;

/// A sparse matrix.
///
/// ```
/// let m = ferrica::Matrix { rows: 1, columns: 2, entries: vec![(0, 1, 5.0)] };
/// assert_eq!(m.dense(), [[0.0, 5.0]]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row, column and value of entries that may differ from zero.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Matrix {
    pub(crate) fn new(rows: usize, columns: usize) -> Matrix {
        Matrix {
            rows,
            columns,
            entries: Vec::new(),
        }
    }

    /// All entries, row by row.
    ///
    /// ```
    /// assert_eq!(ferrica::Matrix::default().dense().len(), 0);
    /// ```
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let mut out = vec![vec![0.0; self.columns]; self.rows];
        for &(i, j, value) in &self.entries {
            out[i][j] = value;
        }
        out
    }
}

/// ẋ = A·x + B·u, y = C·x + D·u for small deviations.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("
///     model Mass
///       input Real f; output Real x(start = 0, fixed = true); Real v(start = 0, fixed = true);
///     equation
///       der(x) = v; 2*der(v) = f - 8*x;
///     end Mass;")?;
/// let linear = model.linearize(None, None, None, &Experiment::default())?;
/// assert_eq!((linear.states.as_slice(), linear.inputs.as_slice()), (&["x".to_owned(), "v".to_owned()][..], &["f".to_owned()][..]));
/// assert_eq!(linear.a.dense(), [[0.0, 1.0], [-4.0, 0.0]]);
/// assert_eq!(linear.b.dense(), [[0.0], [0.5]]);
/// assert_eq!((linear.c.dense(), linear.d.dense()), (vec![vec![1.0, 0.0]], vec![vec![0.0]]));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// The time of the point.
    pub time: f64,
    /// Names of the states after index reduction.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// States at the point.
    pub x: Vec<f64>,
    /// Inputs at the point.
    pub u: Vec<f64>,
    /// Outputs at the point.
    pub y: Vec<f64>,
    /// ∂ẋ/∂x
    pub a: Matrix,
    /// ∂ẋ/∂u
    pub b: Matrix,
    /// ∂y/∂x
    pub c: Matrix,
    /// ∂y/∂u
    pub d: Matrix,
    /// What goes through delays.
    pub delays: Delays,
    /// What the linear model leaves out: samplers, and the other side of conditions that are at their thresholds; and what of it is not in A, B, C, D.
    pub diagnostics: Vec<Diagnostic>,
}

impl Linear {
    /// The eigenvalues of A, real and imaginary parts; pairs with the positive imaginary part first. None if their
    /// computation does not converge.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// // s² + 2 s + 5 = 0
    /// let model = Model::from_text("model M Real x; Real v; equation der(x) = v; der(v) = -2*v - 5*x; end M;")?;
    /// let poles = model.linearize(None, None, None, &Experiment::default())?.eigenvalues().unwrap();
    /// assert!((poles[0].0 + 1.0).abs() < 1e-12 && (poles[0].1 - 2.0).abs() < 1e-12);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn eigenvalues(&self) -> Option<Vec<(f64, f64)>> {
        ferrica_natives::eigenvalues(self.states.len(), self.balanced())
    }
}

impl Model {
    /// The linear model at a time of a run, at its start if none is given; between all top-level inputs and outputs that are real
    /// numbers if none are named. Any variable can be an output. Inputs do what the experiment says of them, up to that time. With
    /// [`Experiment::steady`] the run begins where the model rests.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model Decay Real x(start = 3, fixed = true); equation der(x) = -x^2; end Decay;")?;
    /// // x = 3/(1 + 3 t), and the derivative of -x² is -2 x.
    /// let linear = model.linearize(Some(1.0), None, Some(&["x"]), &Experiment::default().tolerance(1e-9))?;
    /// assert!((linear.a.dense()[0][0] + 1.5).abs() < 1e-7);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn linearize(
        &self,
        at: Option<f64>,
        inputs: Option<&[&str]>,
        outputs: Option<&[&str]>,
        experiment: &Experiment,
    ) -> Result<Linear, Error> {
        let larger = Larger::new(self, inputs, outputs, experiment)?;
        let mut points = Points::new(&larger, experiment)?;
        let mut ev = points.at(at)?;
        linear_at(&larger, &mut ev)
    }

    /// The same at several times of one run, in any order.
    ///
    /// ```
    /// use ferrica::{Experiment, Model, Signal};
    /// // x = t²/2, and the derivative of -x·u is -u by x and -x by u.
    /// let model = Model::from_text("model M input Real u; Real x(start = 0, fixed = true); output Real y = -x*u; equation der(x) = u; end M;")?;
    /// let ramp = Signal::linear(vec![0.0, 4.0], vec![0.0, 4.0])?;
    /// let points = model.linearize_along(&[2.0, 4.0], None, None, &Experiment::default().input("u", ramp))?;
    /// assert!((points[1].c.dense()[0][0] + 4.0).abs() < 1e-5 && (points[0].d.dense()[0][0] + 2.0).abs() < 1e-5);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn linearize_along(
        &self,
        at: &[f64],
        inputs: Option<&[&str]>,
        outputs: Option<&[&str]>,
        experiment: &Experiment,
    ) -> Result<Vec<Linear>, Error> {
        let larger = Larger::new(self, inputs, outputs, experiment)?;
        let mut points = Points::new(&larger, experiment)?;
        let mut order: Vec<usize> = (0..at.len()).collect();
        order.sort_by(|&i, &j| at[i].total_cmp(&at[j]));
        let mut found: Vec<Linear> = vec![Linear::default(); at.len()];
        for k in order {
            let mut ev = points.at(Some(at[k]))?;
            found[k] = linear_at(&larger, &mut ev)?;
        }
        Ok(found)
    }
}

/// The linear model at a point of the larger one.
fn linear_at(larger: &Larger, ev: &mut Evaluator) -> Result<Linear, Error> {
    let (whole, times) = (larger.linear(ev)?, larger.times_of_delays(ev));
    let (inputs, outputs) = larger.own();
    let mut linear = without_channels(whole, inputs, outputs, times);
    linear.diagnostics = left_out(&larger.model, ev);
    linear.diagnostics.extend(linear.delays.left_out());
    Ok(linear)
}

/// A condition whose sides differ by less than this part of them, or of one, is at its threshold.
const AT_THRESHOLD: f64 = 1e-9;
/// So many conditions at their thresholds are named.
const NAMED: usize = 3;

/// What small deviations do that the linear model does not say.
fn left_out(model: &CompiledModel, ev: &mut Evaluator) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    if !model.samplers.is_empty() {
        told.push(Diagnostic::warning(
            "W0605",
            "what samplers and clocks set stands still in the linear model: it holds between two of their instants".to_owned(),
        ));
    }
    if ev.run(&model.continuous_program).is_err() {
        return told;
    }
    let at_threshold = |&k: &usize| {
        let r = &model.relations[k];
        let (a, b) = (ev.get(r.lhs), ev.get(r.rhs));
        let size = a.abs().max(b.abs()).max(1.0);
        !model.source.relations[k].time_event && (a - b).abs() <= AT_THRESHOLD * size
    };
    let near: Vec<usize> = (0..model.relations.len()).filter(at_threshold).collect();
    if !near.is_empty() {
        let named = near.iter().take(NAMED);
        let mut names: Vec<String> = named
            .map(|&k| format!("`{}`", ferrica_sim::relation_text(model, k)))
            .collect();
        if near.len() > NAMED {
            names.push(format!("{} more", near.len() - NAMED));
        }
        let is = if near.len() == 1 { "is" } else { "are" };
        told.push(Diagnostic::warning(
            "W0605",
            format!(
                "{} {is} at the threshold: the linear model holds on one side of it",
                names.join(", ")
            ),
        ));
    }
    told
}

/// Takes what belongs to delays out of the inputs and outputs, of which they are the last.
fn without_channels(whole: Linear, inputs: usize, outputs: usize, times: Vec<f64>) -> Linear {
    /// The part of a matrix that begins at a row and a column.
    fn part(of: &Matrix, (row, rows): (usize, usize), (column, columns): (usize, usize)) -> Matrix {
        let mut out = Matrix::new(rows, columns);
        let inside = |&&(i, j, _): &&(usize, usize, f64)| {
            (row..row + rows).contains(&i) && (column..column + columns).contains(&j)
        };
        let entries = of.entries.iter().filter(inside);
        out.entries
            .extend(entries.map(|&(i, j, value)| (i - row, j - column, value)));
        out
    }
    let (n, d) = (whole.states.len(), times.len());
    let (x, u, y) = ((0, n), (0, inputs), (0, outputs));
    let (into, from) = ((inputs, d), (outputs, d));
    Linear {
        delays: Delays {
            times,
            e: part(&whole.b, x, into),
            f: part(&whole.d, y, into),
            g: part(&whole.c, from, x),
            h: part(&whole.d, from, u),
            k: part(&whole.d, from, into),
        },
        b: part(&whole.b, x, u),
        c: part(&whole.c, y, x),
        d: part(&whole.d, y, u),
        inputs: whole.inputs[..inputs].to_vec(),
        outputs: whole.outputs[..outputs].to_vec(),
        u: whole.u[..inputs].to_vec(),
        y: whole.y[..outputs].to_vec(),
        ..whole
    }
}

impl Delays {
    fn left_out(&self) -> Vec<Diagnostic> {
        let n = self.times.len();
        let mut told = Vec::new();
        if n == 0 {
            return told;
        }
        let count = match n {
            1 => "a delay".to_owned(),
            _ => format!("{n} delays"),
        };
        told.push(Diagnostic::warning(
            "W0605",
            format!("what goes through {count} is not in A, B, C, D, nor in their poles and zeros; the frequency response has it"),
        ));
        let reads = |j: usize| {
            let all = [&self.e, &self.f, &self.k];
            all.iter().any(|m| m.entries.iter().any(|e| e.1 == j))
        };
        let silent = (0..n).filter(|&j| !reads(j)).count();
        if silent > 0 {
            told.push(Diagnostic::warning(
                "W0605",
                format!(
                    "nothing comes out of {silent} of {n} delays at this point, as before the first wave has arrived: a later point has their influence"
                ),
            ));
        }
        told
    }
}

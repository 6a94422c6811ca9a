//! A study: the same model with many values of its parameters, one row of a table a run.
//!
//! In: a model, the values of its parameters ([`Axes`]), an experiment, a solver, and what is kept of a run ([`Measure`]). Out: a row for
//! each run; one that fails leaves its reason in its row. [`rows`] keeps them in a file while the study goes on, [`march`] leads the
//! runs over threads and ranks, [`bands`] draws them.
//!
//! ```
//! use ferrica::failure::Failure;
//! use ferrica::options::Assignment;
//! use ferrica::study::{Axes, Measure, MeasureKind, is_ok, reason_of};
//!
//! let written = |name: &str, value: &str| Assignment { name: name.into(), value: value.into() };
//! // Two resistors beside ten drawn capacitors; the same seed draws the same.
//! let axes = Axes::new(&[written("R.R", "50,100"), written("C.C", "normal(1e-3, 1e-5)")], 10, 1)?;
//! assert_eq!((axes.count(), axes.names().collect::<Vec<_>>()), (20, vec!["R.R", "C.C"]));
//! assert_eq!(axes.values_of(0)[0].value, "50");
//! assert!(matches!(Measure::new(MeasureKind::Max, "C.v").kind, MeasureKind::Max));
//! assert!(is_ok("0,50,4.9,ok\n") && reason_of("1,x,,no number\n") == "no number");
//! # Ok::<(), Failure>(())
//! ```

mod axes;
pub mod bands;
mod distribution;
mod march;
mod measure;
mod member;
mod rows;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use axes::Axes;
pub use march::{Progress, march};
pub use measure::{Kind as MeasureKind, Measure};
pub use rows::{Rows, is_ok, reason_of};

use crate::failure::Failure;
use crate::fingerprint;
use crate::options::{Assignment, ExperimentOptions, ModelOptions, SolverOptions};
use crate::stages::grid::Grid;
use crate::stages::pipeline::{self, Compiled, Loaded};
use crate::stages::report::Report;
use crate::stages::stats::Stats;

use rows::quoted;

/// What a study is asked for.
///
/// ```
/// use std::sync::{Arc, atomic::AtomicBool};
/// use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
/// # use ferrica::stages::report::Log;
/// let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
/// let plan = Plan {
///     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
///     solver: Default::default(),
///     experiment: Default::default(),
///     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
///     measures: vec![Measure::new(MeasureKind::Final, "x")],
///     stop: Arc::new(AtomicBool::new(false)),
/// };
/// assert_eq!(Study::new(plan, &mut Log::default())?.count(), 2);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Plan {
    pub model: ModelOptions,
    pub solver: SolverOptions,
    pub experiment: ExperimentOptions,
    pub axes: Axes,
    /// What of a run is kept, with patterns for variables.
    pub measures: Vec<Measure>,
    /// Ends the study early.
    pub stop: Arc<AtomicBool>,
}

/// A study that is ready to run.
///
/// ```
/// # use std::sync::{Arc, atomic::AtomicBool};
/// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
/// # use ferrica::stages::report::Log;
/// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
/// # let plan = Plan {
/// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
/// #     solver: Default::default(),
/// #     experiment: Default::default(),
/// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
/// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
/// #     stop: Arc::new(AtomicBool::new(false)),
/// # };
/// let study = Study::new(plan, &mut Log::default())?;
/// assert_eq!((study.name(), study.count()), ("M", 2));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Study {
    plan: Plan,
    loaded: Loaded,
    /// The model with the values of the first run.
    first: Compiled,
    /// Fingerprint of the files with data that the model names.
    data: u64,
    /// What of each run is kept, a variable each.
    columns: Vec<Measure>,
    grid: Grid,
}

impl Study {
    /// Compiles the model with the values of the first run.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// assert_eq!(study.name(), "M");
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn new(plan: Plan, report: &mut dyn Report) -> Result<Study, Failure> {
        crate::engines::solving::supported(&plan.solver)?;
        if plan.solver.inline.is_some() {
            return Err(Failure::usage(
                "--inline builds the start values into the model: a sweep cannot use it",
            ));
        }
        let mut stats = Stats::default();
        let values = plan.axes.values_of(0);
        let model = ModelOptions {
            params: values.clone(),
            ..plan.model.clone()
        };
        let loaded = pipeline::load(&model, report, &mut stats)?;
        pipeline::refuse_other_kinds(&loaded)?;
        let flat = pipeline::flatten(&loaded, &values, report, &mut stats)?;
        let kept =
            (plan.solver.solver.bond_graph_order().is_some()).then(|| Arc::new(flat.clone()));
        let first = pipeline::finish(&loaded, flat, &plan.model, report, &mut stats)?;
        let first = Compiled {
            flat: kept,
            ..first
        };
        let grid = Grid::new(&plan.experiment, &first.model.source.experiment)?;
        let columns = measure::columns(&first.model, &plan.measures)?;
        Ok(Study {
            data: fingerprint::of_data(&first.model),
            plan,
            loaded,
            first,
            columns,
            grid,
        })
    }

    /// The full name of the model.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// assert_eq!(study.name(), "M");
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// How many runs there are.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// assert_eq!(study.count(), 2);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn count(&self) -> usize {
        self.plan.axes.count()
    }

    /// Has somebody asked to end it?
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let stop = Arc::clone(&plan.stop);
    /// let study = Study::new(plan, &mut Log::default())?;
    /// stop.store(true, std::sync::atomic::Ordering::Relaxed);
    /// assert!(study.is_stopped());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn is_stopped(&self) -> bool {
        self.plan.stop.load(Ordering::Relaxed)
    }

    /// The first line of the table.
    fn header(&self) -> String {
        let axes = self.plan.axes.names().map(quoted);
        let columns = self.columns.iter().flat_map(|c| c.heads(&self.grid));
        let columns = columns.map(|head| quoted(&head));
        let names: Vec<String> = axes.chain(columns).collect();
        format!("run,{},status\n", names.join(","))
    }

    /// What decides its rows besides the values.
    fn fingerprint(&self) -> u64 {
        let mut h = DefaultHasher::new();
        fingerprint::of_texts(self.loaded.library.sources(), &[]).hash(&mut h);
        fingerprint::of_solver(&self.plan.solver).hash(&mut h);
        format!("{:?} {}", self.plan.experiment, self.loaded.name).hash(&mut h);
        self.plan.model.allow_external.hash(&mut h);
        self.data.hash(&mut h);
        h.finish()
    }

    /// The first fields of a line: the number of the run and its values.
    fn begin(&self, k: usize) -> String {
        let mut line = format!("{k},");
        for Assignment { value, .. } in self.plan.axes.values_of(k) {
            line += &quoted(&value);
            line.push(',');
        }
        line
    }

    /// One line; nothing if the study was interrupted.
    fn run(&self, k: usize) -> Option<String> {
        let mut line = self.begin(k);
        let outcome = self.simulate(&self.plan.axes.values_of(k));
        if self.is_stopped() {
            return None;
        }
        let cells: usize = self.columns.iter().map(|c| c.width(&self.grid)).sum();
        match outcome {
            Ok(values) => {
                for v in values {
                    // What there is not, such as the time of something that did not happen, has an empty cell.
                    match v.is_nan() {
                        true => line.push(','),
                        false => line += &format!("{v},"),
                    }
                }
                line += "ok";
            }
            Err(reason) => {
                line += &",".repeat(cells);
                line += &quoted(&reason.replace('\n', " "));
            }
        }
        line.push('\n');
        Some(line)
    }
}

//! Runs with every engine and option of the program: which solver, which form, in parts, in stages that can be taken up again,
//! over the ranks of a job, into which files.
//!
//! [`crate::Model::simulate`] and [`crate::Stepper`] are the short way to the same engines.
//!
//! ```
//! use ferrica::engines::recorder::{Recorder, Recording};
//! use ferrica::engines::solving::simulate;
//! use ferrica::failure::Failure;
//! use ferrica::options::{ExperimentOptions, ModelOptions, Solver, SolverOptions};
//! use ferrica::stages::{grid::Grid, pipeline, report::Log, stats::Stats};
//!
//! let text = "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;";
//! let options = ModelOptions { text: Some(text.to_owned()), ..ModelOptions::default() };
//! let mut stats = Stats::default();
//! let compiled = pipeline::compile(&options, &mut Log::default(), &mut stats)?;
//! let times = ExperimentOptions { stop: Some(2.0), ..ExperimentOptions::default() };
//! let grid = Grid::new(&times, &compiled.model.source.experiment)?;
//!
//! let recording = Recording::new(&compiled, &["x".to_owned()]);
//! let wanted = Some(recording.slots());
//! let mut recorder = Recorder::default().to_memory(recording);
//! let solver = SolverOptions { solver: Solver::from_word("qss3").unwrap(), ..SolverOptions::default() };
//! simulate(&compiled, &grid, &solver, wanted, &mut recorder, &mut stats).map_err(|e| e.reason)?;
//! recorder.finish().unwrap();
//! let table = recorder.into_table().unwrap();
//! assert!((table.series("x").unwrap().last().unwrap() - (-2.0f64).exp()).abs() < 1e-5);
//! # Ok::<(), Failure>(())
//! ```

pub use crate::steady::begin as point_of_rest;

pub mod bond_graph;
pub mod checkpoint;
pub(crate) mod chosen;
pub mod fitting;
pub(crate) mod halves;
pub mod interruption;
pub mod live;
pub mod partitioned;
pub mod ranks;
pub mod recorder;
pub mod solving;

//! Ferrica as a library: Modelica in, trajectories out.
//!
//! Load a [`Model`], [`Model::set`] its parameters, [`Model::simulate`] an [`Experiment`], look at the [`Run`]; or lead
//! it yourself with a [`Stepper`]. What goes wrong is an [`Error`] with [`Diagnostic`]s.
//!
//! ```
//! use ferrica::{Experiment, Model};
//!
//! # fn main() -> Result<(), ferrica::Error> {
//! # let folder = std::env::temp_dir().join(format!("ferrica-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # std::fs::write(folder.join("rc.mo"), "model RC
//! #   Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
//! #   Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true));
//! #   Modelica.Electrical.Analog.Basic.Ground G;
//! # equation
//! #   connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p);
//! # end RC;").unwrap();
//! # let file = folder.join("rc.mo");
//! let model = Model::from_file(file)?;
//! let run = model.set("R.R", 50.0)?.simulate(&Experiment::default().stop(1.0))?;
//! for (t, v) in run.time().iter().zip(&run["C.v"]) {
//!     println!("{t} {v}");
//! }
//! assert_eq!(run.unit("C.v")?, "V");
//! # std::fs::remove_dir_all(folder).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! Below this façade are modules for programs that lead the compiler and its engines themselves, as the command line does: [`options`] and
//! [`stages`] from a text to a compiled model, [`engines`] for runs with every option, [`results`] for files and pictures, [`sources`] for texts and
//! classes, [`exports`] for other programs, [`study`] for many runs. What goes wrong there is a [`failure::Failure`].
//!
//! A model that is run again with other values is not compiled again, and one model serves many threads:
//!
//! ```
//! use ferrica::{Experiment, Model};
//! let model = Model::from_text("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")?;
//! let ends: Vec<f64> = std::thread::scope(|scope| {
//!     let runs: Vec<_> = [1.0, 2.0, 3.0].map(|k| {
//!         let model = &model;
//!         scope.spawn(move || model.set("k", k)?.simulate(&Experiment::default())?.at("x", 1.0))
//!     }).into();
//!     runs.into_iter().map(|r| r.join().unwrap()).collect::<Result<_, _>>()
//! })?;
//! assert!((ends[2] - (-3.0f64).exp()).abs() < 1e-5);
//! # Ok::<(), ferrica::Error>(())
//! ```

mod columns;
mod delayed;
mod dependence;
mod drawing;
mod error;
mod experiment;
mod fit;
mod frequency;
mod grounds;
mod linear_file;
mod linearize;
mod model;
mod modes;
mod network;
mod run;
mod run_bytes;
mod sensitivity;
mod signal;
mod spectrum;
mod steady;
mod stepper;
mod structure_picture;
mod value;
mod zeros;

pub mod engines;
pub mod exports;
pub mod failure;
mod fingerprint;
mod guard;
mod instance_text;
mod kernel_text;
pub mod options;
mod overrides;
pub mod pictures;
mod real_time;
pub mod results;
pub mod sources;
pub mod stages;
pub mod study;
mod undefined;
mod undetermined;
pub mod words;
mod zeno;

pub use delayed::Delays;
pub use drawing::BondGraph;
pub use error::{Diagnostic, Error, ErrorKind, Place};
pub use experiment::{Experiment, solvers};
pub use fit::{Estimate, Fit, Measured, Unknown};
pub use linearize::{Linear, Matrix};
pub use model::{Model, ModelBuilder, Role, Variable};
pub use modes::Mode;
pub use run::Run;
pub use sensitivity::{Influence, Sensitivities};
pub use signal::Signal;
pub use spectrum::{Spectrum, Window};
pub use stages::stats::Stats;
pub use steady::OperatingPoint;
pub use stepper::{Saved, Stepper};
pub use value::Value;

//! Result files, their tables, formulas over their variables, and pictures of them.
//!
//! ```
//! use ferrica::results::{glob_matches, read};
//! use ferrica::{Experiment, Model};
//! let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?;
//! let file = std::env::temp_dir().join(format!("ferrica-results-{}.csv", std::process::id()));
//! let run = model.simulate(&Experiment::default())?;
//! run.write(&file)?;
//! let table = read(&file).unwrap();
//! assert_eq!(table.series("x").unwrap().as_ref(), &run["x"]);
//! assert!(glob_matches("C*.v", "C1.v"));
//! # std::fs::remove_file(file).unwrap();
//! # Ok::<(), ferrica::Error>(())
//! ```

pub mod formula;
pub mod outputs;
pub mod pictures;

pub use ferrica_results::{
    Column, Place, ResultFormat, ResultTable, ValueType, compare, glob_matches, partial_of, plot,
    read, write_file,
};

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

/// A result in memory: times, and a column for each name.
///
/// ```
/// use ferrica::results::{Column, ResultTable, ValueType};
/// let mut table = ResultTable::new(vec![0.0, 1.0]);
/// table.push("x".to_owned(), Column::Series([1.0, 3.0].into()));
/// assert_eq!(table.series("x").unwrap().as_ref(), [1.0, 3.0]);
/// assert_eq!((table.unit("x"), &table.declared(0).ty), ("", &ValueType::Real));
/// ```
pub use ferrica_results::{Column, ResultTable, ValueType};

/// Reads a result file, by the format of its name.
///
/// ```
/// use ferrica::results::{ResultFormat, read};
/// let file = std::env::temp_dir().join(format!("ferrica-doc-read-{}.csv", std::process::id()));
/// std::fs::write(&file, "time,x\n0,1\n1,3\n").unwrap();
/// assert!(ResultFormat::of(&file).is_some());
/// assert_eq!(read(&file).unwrap().series("x").unwrap().as_ref(), [1.0, 3.0]);
/// # std::fs::remove_file(file).unwrap();
/// ```
pub use ferrica_results::{ResultFormat, read};

/// Where an output goes; what was in a file before stays until the new content is complete.
///
/// ```
/// use ferrica::results::{Place, partial_of, write_file};
/// assert!(matches!(Place::of("-".as_ref(), &[]), Ok(Place::StandardOutput)));
/// assert_eq!(partial_of("run.csv".as_ref()), std::path::Path::new("run.partial.csv"));
/// // An input is not written over.
/// let file = std::env::temp_dir().join(format!("ferrica-doc-place-{}.csv", std::process::id()));
/// write_file(&file, &[], b"time\n").unwrap();
/// assert!(write_file(&file, &[&file], b"").is_err());
/// # std::fs::remove_file(file).unwrap();
/// ```
pub use ferrica_results::{Place, partial_of, write_file};

/// Does a name match a pattern with `*` and `?`, or one of several with commas?
///
/// ```
/// assert!(ferrica::results::glob_matches("C*.v", "C1.v"));
/// ```
pub use ferrica_results::glob_matches;

/// How far results are apart.
///
/// ```
/// use ferrica::results::{Column, ResultTable, compare};
/// let table = |end: f64| {
///     let mut table = ResultTable::new(vec![0.0, 1.0]);
///     table.push("x".to_owned(), Column::Series([1.0, end].into()));
///     table
/// };
/// let options = compare::TubeOptions::default();
/// assert!(compare::tables(&table(3.0), &table(3.0), &options, |_| true).passed());
/// assert!(!compare::tables(&table(3.0), &table(4.0), &options, |_| true).passed());
/// ```
pub use ferrica_results::compare;

/// Pictures of curves.
///
/// ```
/// use ferrica::results::plot::{Axis, Figure, Series, to_svg};
/// let line = Series::line("x", vec![0.0, 1.0], vec![0.0, 2.0]);
/// let figure = Figure::new("a line", Axis::new("time [s]"), Axis::new("x")).with(line);
/// assert!(to_svg(&figure).starts_with("<svg"));
/// ```
pub use ferrica_results::plot;

//! Result files, their tables, formulas over their variables, and pictures of them.

pub mod formula;
pub mod outputs;
pub mod pictures;

pub use ferrica_results::{
    Column, Place, ResultFormat, ResultTable, ValueType, compare, glob_matches, partial_of, plot,
    read, write_file,
};

//! Result files, their tables, and pictures of them.

pub use ferrica_results::{
    Column, Place, ResultFormat, ResultTable, ValueType, compare, glob_matches, partial_of, plot,
    read, write_file,
};

//! Results: from samples to files, verdicts and pictures.
//!
//! In: a list of [`VariableInfo`] and a stream of rows. Out: CSV, MAT v4 or Parquet files that can be
//! read back as a [`ResultTable`], compared ([`compare`]) and drawn ([`plot`]).
//!
//! **Invariant**: writers stream. Memory does not grow with the number of rows, and a writer that
//! is dropped without [`ResultWriter::finish`] leaves a readable file with the rows so far. A file that
//! exists is replaced only by a complete new one ([`ResultFile`], [`write_file`]).

mod background;
mod beside;
mod csv_reader;
mod csv_writer;
mod declaration;
mod error;
mod file;
mod mat_reader;
mod mat_writer;
mod partner;
mod place;
mod table;
mod variable;
mod writer;

pub mod compare;
pub mod parquet;
pub mod plot;

pub use background::Background;
pub use beside::{Beside, partial_of};
pub use csv_reader::{parse_csv, read_csv};
pub use csv_writer::CsvWriter;
pub use declaration::{Declaration, TEXT, ValueType};
pub use error::ResultError;
pub use file::{ResultFile, create};
pub use mat_reader::{parse_mat, read_mat};
pub use mat_writer::MatWriter;
pub use parquet::{ParquetWriter, read_parquet};
pub use partner::partner_of;
pub use place::{Place, write_file};
pub use table::{Column, ResultTable, read};
pub use variable::{
    Layout, Resolved, SelectedColumn, Selection, Source, TextParameter, VariableInfo, glob_matches,
};
pub use writer::{MemoryWriter, ResultFormat, ResultWriter};

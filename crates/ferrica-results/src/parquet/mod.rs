//! Parquet: a columnar file that data-analysis tools read at once.
//!
//! Only what a result needs: required columns of doubles, plain encoding for what varies and a
//! one-entry dictionary for what does not, no compression. The metadata is Thrift's compact protocol.

mod reader;
mod thrift;
mod writer;

pub use reader::{parse_parquet, read_parquet};
pub use writer::ParquetWriter;

/// The four bytes at both ends of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Numbers that the format's definition gives to its words.
mod code {
    pub const TYPE_DOUBLE: i64 = 5;
    pub const REQUIRED: i64 = 0;
    pub const PLAIN: i64 = 0;
    pub const PLAIN_DICTIONARY: i64 = 2;
    pub const RLE: i64 = 3;
    pub const RLE_DICTIONARY: i64 = 8;
    pub const UNCOMPRESSED: i64 = 0;
    pub const DATA_PAGE: i64 = 0;
    pub const DICTIONARY_PAGE: i64 = 2;
}

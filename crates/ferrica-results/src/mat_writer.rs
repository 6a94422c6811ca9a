//! MAT v4 in the layout that scripts for Dymola and OpenModelica read.
//!
//! Six matrices in this order: `Aclass` (what the file is), `name` and `description` (one column of
//! characters a variable), `dataInfo` (for each variable: which data matrix, which row with which
//! sign, interpolation, extrapolation), `data_1` (what is constant, at the first and last time) and
//! `data_2` (what varies: one column a time, so that rows can be appended). Row 1 of both data
//! matrices is the time. An alias is only one more entry in `dataInfo`; a negative row number is a
//! negative alias. A parameter whose value is a text is a constant without a value, whose description ends with the text.
//!
//! The number of columns of `data_2` and the last time in `data_1` are not known in advance; they
//! are patched with every piece that is written. A file whose writer was killed in between has more rows
//! than it says: the reader counts them itself.

use std::io::{self, Seek, SeekFrom, Write};

use crate::{Layout, Resolved, ResultWriter, TEXT, TextParameter, VariableInfo};

/// Element types as the fourth digit group of a v4 header wants them (little endian).
pub(crate) const MAT_DOUBLE: u32 = 0;
pub(crate) const MAT_INT32: u32 = 20;
pub(crate) const MAT_TEXT: u32 = 51;

const CHUNK: usize = 256 * 1024;

pub struct MatWriter<W: Write + Seek> {
    sink: W,
    columns: usize,
    rows: u32,
    first_time: f64,
    last_time: f64,
    pending: Vec<u8>,
    /// Byte positions to patch: the two times in `data_1`, the column count of `data_2`.
    start_time_at: u64,
    stop_time_at: u64,
    count_at: u64,
    dirty: bool,
    texts: Vec<TextParameter>,
    /// A piece was not written as a whole: what follows would stand in the wrong place.
    broken: bool,
}

impl<W: Write + Seek> MatWriter<W> {
    pub fn new(sink: W) -> Self {
        MatWriter {
            sink,
            columns: 0,
            rows: 0,
            first_time: 0.0,
            last_time: 0.0,
            pending: Vec::new(),
            start_time_at: 0,
            stop_time_at: 0,
            count_at: 0,
            dirty: false,
            texts: Vec::new(),
            broken: false,
        }
    }

    fn header(&mut self, name: &str, kind: u32, rows: usize, columns: usize) -> io::Result<()> {
        let too_big = |_| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "too many variables for a MAT file",
            )
        };
        let rows = u32::try_from(rows).map_err(too_big)?;
        let columns = u32::try_from(columns).map_err(too_big)?;
        for word in [kind, rows, columns, 0, name.len() as u32 + 1] {
            self.pending.extend_from_slice(&word.to_le_bytes());
        }
        self.pending.extend_from_slice(name.as_bytes());
        self.pending.push(0);
        Ok(())
    }

    /// A text matrix with one string a column, padded with zero bytes.
    fn text_columns<'a>(
        &mut self,
        name: &str,
        strings: impl Iterator<Item = &'a str> + Clone,
    ) -> io::Result<()> {
        let width = strings.clone().map(str::len).max().unwrap_or(0).max(1);
        self.header(name, MAT_TEXT, width, strings.clone().count())?;
        for string in strings {
            self.pending.extend_from_slice(string.as_bytes());
            self.pending
                .resize(self.pending.len() + width - string.len(), 0);
        }
        Ok(())
    }

    fn write_pending(&mut self) -> io::Result<()> {
        let written = self.sink.write_all(&self.pending);
        self.pending.clear();
        self.broken |= written.is_err();
        written
    }

    /// Makes the file on disk complete and readable as it stands.
    fn patch(&mut self) -> io::Result<()> {
        if self.broken {
            return Ok(());
        }
        self.write_pending()?;
        let end = self.sink.stream_position()?;
        for (at, bytes) in [
            (self.start_time_at, &self.first_time.to_le_bytes()[..]),
            (self.stop_time_at, &self.last_time.to_le_bytes()[..]),
            (self.count_at, &self.rows.to_le_bytes()[..]),
        ] {
            self.sink.seek(SeekFrom::Start(at))?;
            self.sink.write_all(bytes)?;
        }
        self.sink.seek(SeekFrom::Start(end))?;
        self.sink.flush()?;
        self.dirty = false;
        Ok(())
    }
}

impl<W: Write + Seek> ResultWriter for MatWriter<W> {
    fn texts(&mut self, texts: &[TextParameter]) -> io::Result<()> {
        self.texts = texts.to_vec();
        Ok(())
    }

    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        let layout = Layout::new(variables)?;
        self.columns = layout.columns;

        let class = ["Atrajectory", "1.1", "", "binTrans"];
        let width = class[0].len();
        self.header("Aclass", MAT_TEXT, class.len(), width)?;
        for k in 0..width {
            for string in class {
                self.pending
                    .push(string.as_bytes().get(k).copied().unwrap_or(b' '));
            }
        }

        let texts = std::mem::take(&mut self.texts);
        let names = std::iter::once("time").chain(variables.iter().map(|v| v.name.as_str()));
        self.text_columns("name", names.chain(texts.iter().map(|t| t.name.as_str())))?;
        let descriptions = variables.iter().map(|v| v.declared.to_line());
        let descriptions: Vec<String> = descriptions.chain(texts.iter().map(text_line)).collect();
        let of_time = std::iter::once("Simulation time [s]");
        self.text_columns(
            "description",
            of_time.chain(descriptions.iter().map(String::as_str)),
        )?;

        // Constants in order of appearance; row 1 is the time.
        let mut constants = Vec::new();
        self.header("dataInfo", MAT_INT32, 4, variables.len() + texts.len() + 1)?;
        push_ints(&mut self.pending, [0, 1, 0, -1]);
        for resolved in &layout.resolved {
            let info = match *resolved {
                Resolved::Column { index, negated } => {
                    let row = index as i32 + 2;
                    [2, if negated { -row } else { row }, 0, -1]
                }
                Resolved::Constant { value, .. } => {
                    constants.push(value);
                    [1, constants.len() as i32 + 1, 0, 0]
                }
            };
            push_ints(&mut self.pending, info);
        }
        for _ in &texts {
            constants.push(f64::NAN);
            push_ints(&mut self.pending, [1, constants.len() as i32 + 1, 0, 0]);
        }

        self.header("data_1", MAT_DOUBLE, constants.len() + 1, 2)?;
        let position = |w: &Self, base: u64| base + w.pending.len() as u64;
        let base = self.sink.stream_position()?;
        for moment in 0..2 {
            let at = position(self, base);
            if moment == 0 {
                self.start_time_at = at;
            } else {
                self.stop_time_at = at;
            }
            self.pending.extend_from_slice(&0f64.to_le_bytes());
            for value in &constants {
                self.pending.extend_from_slice(&value.to_le_bytes());
            }
        }
        // The column count is the third word of the header.
        self.count_at = position(self, base) + 8;
        self.header("data_2", MAT_DOUBLE, layout.columns + 1, 0)?;
        self.dirty = true;
        self.patch()
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        debug_assert_eq!(values.len(), self.columns);
        if self.rows == u32::MAX {
            return Err(io::Error::other("too many rows for a MAT file"));
        }
        if self.rows == 0 {
            self.first_time = time;
        }
        self.last_time = time;
        self.rows += 1;
        self.dirty = true;
        self.pending.reserve(8 * (values.len() + 1));
        self.pending.extend_from_slice(&time.to_le_bytes());
        for value in values {
            self.pending.extend_from_slice(&value.to_le_bytes());
        }
        if self.pending.len() >= CHUNK {
            self.patch()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.patch()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.patch()
    }
}

impl<W: Write + Seek> Drop for MatWriter<W> {
    fn drop(&mut self) {
        if self.dirty {
            // Nobody is left to be told.
            let _ = self.patch();
        }
    }
}

/// The format has numbers only: the text stands in the description.
fn text_line(t: &TextParameter) -> String {
    let name = match t.description.as_str() {
        "" => String::new(),
        words => format!("{words} "),
    };
    format!("{name}= \"{}\" [:#(type={TEXT})]", t.value)
}

fn push_ints(out: &mut Vec<u8>, ints: [i32; 4]) {
    for int in ints {
        out.extend_from_slice(&int.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use super::*;
    use crate::{Source, parse_mat};

    fn variables() -> Vec<VariableInfo> {
        vec![
            VariableInfo::new("C.v", Source::Column)
                .with_unit("V")
                .with_description("voltage"),
            VariableInfo::new("R.R", Source::Parameter(10.0)).with_unit("Ohm"),
            VariableInfo::new("R.i", Source::Column),
            VariableInfo::new(
                "C.i",
                Source::Alias {
                    of: 2,
                    negated: true,
                },
            ),
            VariableInfo::new(
                "k",
                Source::Alias {
                    of: 1,
                    negated: true,
                },
            ),
        ]
    }

    #[test]
    fn a_dropped_writer_leaves_a_readable_file() {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = MatWriter::new(&mut bytes);
        writer.begin(&variables()).unwrap();
        for i in 0..5 {
            writer
                .row(f64::from(i), &[f64::from(i) * 0.1, -1.0])
                .unwrap();
        }
        drop(writer);
        let table = parse_mat(bytes.get_ref(), Path::new("x.mat")).unwrap();
        assert_eq!(table.time, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(table.names, ["C.v", "R.R", "R.i", "C.i", "k"]);
        assert_eq!(table.series("C.v").unwrap()[3], 3.0 * 0.1);
        assert_eq!(table.series("C.i").unwrap()[4], 1.0);
        assert_eq!(table.series("k").unwrap()[2], -10.0);
        assert_eq!(table.unit("R.R"), "Ohm");
        assert_eq!(table.unit("C.v"), "V");
    }

    /// Killed after a piece, before the number of rows was patched: the rows are there, and it is told.
    #[test]
    fn rows_that_the_header_does_not_know_are_read() {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = MatWriter::new(&mut bytes);
        writer.begin(&variables()).unwrap();
        for i in 0..5 {
            writer.row(f64::from(i), &[1.0, -1.0]).unwrap();
        }
        let count_at = writer.count_at as usize;
        writer.finish().unwrap();
        drop(writer);
        let mut file = bytes.into_inner();
        for (rows, cut, expected) in [(5u32, 0, 5), (0, 0, 5), (2, 0, 5), (2, 7, 4), (5, 7, 4)] {
            file[count_at..count_at + 4].copy_from_slice(&rows.to_le_bytes());
            let part = &file[..file.len() - cut];
            let table = parse_mat(part, Path::new("x.mat")).unwrap();
            assert_eq!(table.time.len(), expected, "{rows} {cut}");
            assert_eq!(table.time[expected - 1], expected as f64 - 1.0);
            let complete = (rows, cut) == (5, 0);
            assert_eq!(table.incomplete.is_none(), complete, "{rows} {cut}");
        }
    }

    #[test]
    fn the_file_is_readable_before_the_first_row() {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = MatWriter::new(&mut bytes);
        writer.begin(&variables()).unwrap();
        drop(writer);
        let table = parse_mat(bytes.get_ref(), Path::new("x.mat")).unwrap();
        assert!(table.time.is_empty());
    }
}

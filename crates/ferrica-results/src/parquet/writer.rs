//! Writes Parquet row group by row group.
//!
//! Rows are gathered column-wise until a row group is full ([`GROUP_VALUES`] numbers), then each
//! variable's chunk is written. The footer with all metadata comes last. While a long run goes on, groups are also
//! written before they are full, each with a footer behind it that stays: the file grows only at its end, so that a
//! process that is killed while it writes leaves the last footer and all before it to the reader. The time between two of
//! them grows with the run ([`SAFE_PART`]), so there are only as many as the logarithm of its length.

use std::io::{self, Seek, Write};
use std::time::{Duration, Instant};

use super::thrift::{self, push_varint};
use super::{MAGIC, code};
use crate::{Layout, Resolved, ResultWriter, TEXT, TextParameter, ValueType, VariableInfo};

/// Numbers held in memory before a row group is written: 32 MB.
const GROUP_VALUES: usize = 4 << 20;
/// A row group has at least this many rows, or its metadata would outweigh its data.
const MIN_GROUP_ROWS: usize = 64;
const MAX_GROUP_ROWS: usize = 1 << 20;
/// Time between two footers at least …
const FOOTER_EVERY: Duration = Duration::from_millis(500);
/// … and as a part of the run so far: at most that part of the work is lost.
const SAFE_PART: u32 = 20;
/// Bytes with a first footer; further ones follow when the file has doubled, so that a full disk leaves half of it at least.
const FIRST_SAFE: usize = 1 << 18;
/// Bytes that the footer has for a column and group, about.
const FOOTER_BYTES: usize = 64;

/// Where a variable's chunk of a row group is.
struct Chunk {
    /// The dictionary page, if the variable is constant.
    dictionary_at: Option<u64>,
    data_at: u64,
    size: u64,
}

struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

pub struct ParquetWriter<W: Write + Seek> {
    sink: W,
    at: u64,
    variables: Vec<VariableInfo>,
    /// One for each variable, the time first (column 0).
    cells: Vec<Resolved>,
    columns: Vec<Vec<f64>>,
    group_rows: usize,
    groups: Vec<Group>,
    began: Instant,
    last_footer: Instant,
    /// Where the last footer ended.
    footer_end: u64,
    open: bool,
    texts: Vec<TextParameter>,
}

impl<W: Write + Seek> ParquetWriter<W> {
    pub fn new(sink: W) -> Self {
        ParquetWriter {
            sink,
            at: 0,
            variables: Vec::new(),
            cells: Vec::new(),
            columns: Vec::new(),
            group_rows: MIN_GROUP_ROWS,
            groups: Vec::new(),
            began: Instant::now(),
            last_footer: Instant::now(),
            footer_end: 0,
            open: false,
            texts: Vec::new(),
        }
    }

    /// Fewer rows a group, for tests and for those who want to see rows early.
    pub fn with_group_rows(mut self, rows: usize) -> Self {
        self.group_rows = rows.max(1);
        self
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = self.columns.first().map_or(0, Vec::len);
        if rows == 0 {
            return Ok(());
        }
        let mut chunks = Vec::with_capacity(self.cells.len());
        let mut page = Vec::with_capacity(8 * rows);
        for i in 0..self.cells.len() {
            let start = self.at;
            page.clear();
            let dictionary_at = match self.cells[i] {
                Resolved::Column { index, negated } => {
                    for value in &self.columns[index] {
                        let value = if negated { -value } else { *value };
                        page.extend_from_slice(&value.to_le_bytes());
                    }
                    None
                }
                Resolved::Constant { value, .. } => {
                    let header = page_header(code::DICTIONARY_PAGE, 8, 1, code::PLAIN);
                    self.write(&header)?;
                    self.write(&value.to_le_bytes())?;
                    // Bit width one, then a run of `rows` times entry zero.
                    page.push(1);
                    push_varint(&mut page, (rows as u64) << 1);
                    page.push(0);
                    Some(start)
                }
            };
            let encoding = if dictionary_at.is_some() {
                code::RLE_DICTIONARY
            } else {
                code::PLAIN
            };
            let data_at = self.at;
            let header = page_header(code::DATA_PAGE, page.len(), rows, encoding);
            self.write(&header)?;
            self.write(&page)?;
            chunks.push(Chunk {
                dictionary_at,
                data_at,
                size: self.at - start,
            });
        }
        for column in &mut self.columns {
            column.clear();
        }
        self.groups.push(Group { rows, chunks });
        Ok(())
    }

    /// Writes the footer after what is there.
    fn write_footer(&mut self) -> io::Result<()> {
        let metadata = self.metadata();
        self.write(&metadata)?;
        self.write(&(metadata.len() as u32).to_le_bytes())?;
        self.write(MAGIC)?;
        self.sink.flush()?;
        self.last_footer = Instant::now();
        self.footer_end = self.at;
        Ok(())
    }

    /// Is it time for a footer, and is it smaller than what it makes safe?
    fn is_due(&self) -> bool {
        let every = FOOTER_EVERY.max(self.began.elapsed() / SAFE_PART);
        self.last_footer.elapsed() >= every && self.footer_pays(0)
    }

    /// Are there so many bytes behind the last footer, and at least as many as the next one has?
    fn footer_pays(&self, least: usize) -> bool {
        let pending = 8 * self.columns.len() * self.columns.first().map_or(0, Vec::len);
        let unsafe_bytes = (self.at - self.footer_end) as usize + pending;
        let footer = FOOTER_BYTES * self.cells.len() * (self.groups.len() + 2);
        unsafe_bytes >= footer.max(least)
    }

    fn name(&self, cell: usize) -> &str {
        if cell == 0 {
            "time"
        } else {
            &self.variables[cell - 1].name
        }
    }

    fn metadata(&self) -> Vec<u8> {
        let mut w = thrift::Writer::new();
        w.i32(1, 2);
        w.list_of_structs(2, self.cells.len() + 1);
        w.open_element();
        w.string(4, "result");
        w.i32(5, self.cells.len() as i64);
        w.close();
        for cell in 0..self.cells.len() {
            w.open_element();
            w.i32(1, code::TYPE_DOUBLE);
            w.i32(3, code::REQUIRED);
            w.string(4, self.name(cell));
            w.close();
        }
        w.i64(3, self.groups.iter().map(|g| g.rows as i64).sum());
        w.list_of_structs(4, self.groups.len());
        for group in &self.groups {
            w.open_element();
            w.list_of_structs(1, group.chunks.len());
            for (cell, chunk) in group.chunks.iter().enumerate() {
                w.open_element();
                w.i64(2, chunk.data_at as i64);
                w.open(3);
                self.chunk_metadata(&mut w, cell, chunk, group.rows);
                w.close();
                w.close();
            }
            w.i64(2, group.chunks.iter().map(|c| c.size as i64).sum());
            w.i64(3, group.rows as i64);
            w.close();
        }
        self.key_values(&mut w);
        w.string(6, concat!("ferrica version ", env!("CARGO_PKG_VERSION")));
        w.close();
        w.out
    }

    fn chunk_metadata(&self, w: &mut thrift::Writer, cell: usize, chunk: &Chunk, rows: usize) {
        w.i32(1, code::TYPE_DOUBLE);
        if chunk.dictionary_at.is_some() {
            w.list_of_i32(2, 2);
            w.bare_i32(code::PLAIN);
            w.bare_i32(code::RLE_DICTIONARY);
        } else {
            w.list_of_i32(2, 1);
            w.bare_i32(code::PLAIN);
        }
        w.list_of_strings(3, 1);
        w.bare_string(self.name(cell));
        w.i32(4, code::UNCOMPRESSED);
        w.i64(5, rows as i64);
        w.i64(6, chunk.size as i64);
        w.i64(7, chunk.size as i64);
        w.i64(9, chunk.data_at as i64);
        if let Some(at) = chunk.dictionary_at {
            w.i64(11, at as i64);
        }
    }

    /// What the model says of the variables: `unit/NAME`, `display_unit/NAME`, `description/NAME` and `type/NAME`;
    /// `value/NAME` of a parameter that is a text.
    fn key_values(&self, w: &mut thrift::Writer) {
        let mut pairs: Vec<(String, String)> = vec![("unit/time".into(), "s".into())];
        for v in &self.variables {
            let d = &v.declared;
            let ty = match &d.ty {
                ValueType::Real => String::new(),
                ty => ty.to_string(),
            };
            let texts = [
                ("unit", &d.unit),
                ("display_unit", &d.display_unit),
                ("description", &d.description),
                ("type", &ty),
            ];
            let told = texts.iter().filter(|(_, text)| !text.is_empty());
            pairs.extend(told.map(|(key, text)| (format!("{key}/{}", v.name), (*text).clone())));
        }
        for t in &self.texts {
            pairs.push((format!("type/{}", t.name), TEXT.into()));
            pairs.push((format!("value/{}", t.name), t.value.clone()));
            if !t.description.is_empty() {
                pairs.push((format!("description/{}", t.name), t.description.clone()));
            }
        }
        w.list_of_structs(5, pairs.len());
        for (key, value) in &pairs {
            w.open_element();
            w.string(1, key);
            w.string(2, value);
            w.close();
        }
    }
}

fn page_header(kind: i64, size: usize, values: usize, encoding: i64) -> Vec<u8> {
    let mut w = thrift::Writer::new();
    w.i32(1, kind);
    w.i32(2, size as i64);
    w.i32(3, size as i64);
    w.open(if kind == code::DATA_PAGE { 5 } else { 7 });
    w.i32(1, values as i64);
    w.i32(2, encoding);
    if kind == code::DATA_PAGE {
        w.i32(3, code::RLE);
        w.i32(4, code::RLE);
    }
    w.close();
    w.close();
    w.out
}

impl<W: Write + Seek> ResultWriter for ParquetWriter<W> {
    fn texts(&mut self, texts: &[TextParameter]) -> io::Result<()> {
        self.texts = texts.to_vec();
        Ok(())
    }

    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        let layout = Layout::new(variables)?;
        self.variables = variables.to_vec();
        self.cells = vec![Resolved::Column {
            index: 0,
            negated: false,
        }];
        self.cells.extend(layout.resolved.iter().map(|r| match *r {
            Resolved::Column { index, negated } => Resolved::Column {
                index: index + 1,
                negated,
            },
            constant => constant,
        }));
        self.columns = vec![Vec::new(); layout.columns + 1];
        if self.group_rows == MIN_GROUP_ROWS {
            let rows = GROUP_VALUES / self.columns.len();
            self.group_rows = rows.clamp(MIN_GROUP_ROWS, MAX_GROUP_ROWS);
        }
        self.write(MAGIC)?;
        self.open = true;
        Ok(())
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        debug_assert_eq!(values.len() + 1, self.columns.len());
        self.columns[0].push(time);
        for (column, value) in self.columns[1..].iter_mut().zip(values) {
            column.push(*value);
        }
        if self.columns[0].len() >= self.group_rows {
            self.write_group()?;
        }
        if self.footer_pays(FIRST_SAFE.max(self.footer_end as usize)) {
            self.write_group()?;
            self.write_footer()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.is_due() {
            return Ok(());
        }
        self.write_group()?;
        self.write_footer()
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        self.write_group()?;
        self.write_footer()
    }
}

impl<W: Write + Seek> Drop for ParquetWriter<W> {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use super::*;
    use crate::parquet::parse_parquet;
    use crate::{Column, Source};

    #[test]
    fn several_groups_aliases_and_constants_read_back() {
        let variables = [
            VariableInfo::new("a.x", Source::Column).with_unit("m"),
            VariableInfo::new("p", Source::Parameter(9.81)).with_unit("m/s2"),
            VariableInfo::new(
                "b",
                Source::Alias {
                    of: 0,
                    negated: true,
                },
            ),
        ];
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = ParquetWriter::new(&mut bytes).with_group_rows(7);
        writer.begin(&variables).unwrap();
        for i in 0..20 {
            writer.row(f64::from(i), &[f64::from(i).sqrt()]).unwrap();
        }
        drop(writer);
        let bytes = bytes.into_inner();
        assert_eq!(
            (&bytes[..4], &bytes[bytes.len() - 4..]),
            (&MAGIC[..], &MAGIC[..])
        );
        let table = parse_parquet(&bytes, Path::new("x.parquet")).unwrap();
        assert_eq!(table.time, (0..20).map(f64::from).collect::<Vec<_>>());
        assert_eq!(table.names, ["a.x", "p", "b"]);
        assert_eq!(table.series("b").unwrap()[19], -19f64.sqrt());
        assert_eq!(table.column("p"), Some(&Column::Constant(9.81)));
        assert_eq!(table.unit("p"), "m/s2");
    }

    /// A disk that is full before the first moment is over leaves half of the rows at least, but for the first quarter of a megabyte.
    #[test]
    fn a_full_disk_leaves_half_of_the_rows() {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = ParquetWriter::new(&mut bytes);
        let names: Vec<VariableInfo> = (0..40)
            .map(|k| VariableInfo::new(format!("x{k}"), Source::Column))
            .collect();
        writer.begin(&names).unwrap();
        for i in 0..10_000 {
            writer.row(f64::from(i), &[f64::from(i); 40]).unwrap();
        }
        drop(writer);
        let bytes = bytes.into_inner();
        for full in [1_000_000, 2_000_000, 3_000_000] {
            let table = parse_parquet(&bytes[..full], Path::new("x.parquet")).unwrap();
            let room = full / (8 * 41);
            let rows = table.time.len();
            assert!(
                2 * rows + 2 * FIRST_SAFE / (8 * 41) > room && rows > 500,
                "{rows} of {room}"
            );
        }
    }

    /// A process that is killed while it appends leaves all up to the last footer, wherever the file ends.
    #[test]
    fn a_cut_file_has_the_rows_of_its_last_footer() {
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = ParquetWriter::new(&mut bytes);
        writer
            .begin(&[VariableInfo::new("x", Source::Column)])
            .unwrap();
        let mut ends = Vec::new();
        for i in 0..30 {
            writer.row(f64::from(i), &[f64::from(i)]).unwrap();
            if i % 10 == 9 {
                writer.write_group().unwrap();
                writer.write_footer().unwrap();
                ends.push(writer.at as usize);
            }
        }
        drop(writer);
        let bytes = bytes.into_inner();
        for end in ends[0]..ends[2] {
            let table = parse_parquet(&bytes[..end], Path::new("x.parquet")).unwrap();
            let rows = if end < ends[1] { 10 } else { 20 };
            assert_eq!(table.time.len(), rows, "{end}");
            let whole = ends.contains(&end);
            assert_eq!(table.incomplete.is_none(), whole, "{end}");
        }
    }
}

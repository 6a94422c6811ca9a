//! CSV: a header line, then one line a row with shortest decimals that read back exactly.
//!
//! Printing numbers is nearly all of the cost, so each column is printed once a row and its aliases
//! copy the text (a negative alias flips the sign character); constants are printed once a run.
//! Parameters are left out: they would repeat in every line, and stand in the [`crate::partner`] of the file.

use std::io::{self, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::{Layout, Resolved, ResultWriter, VariableInfo};

/// Bytes gathered before they go to the file.
const CHUNK: usize = 256 * 1024;
/// A slow run still shows its rows in the file this often.
const FLUSH_EVERY: Duration = Duration::from_millis(500);

/// Rows between two looks at the clock at most.
const MOST_ROWS_UNSEEN: u32 = 64;

/// Where the text of a cell comes from.
enum Cell {
    Column(usize),
    CopyOf { column: usize, negated: bool },
    Text(Box<[u8]>),
}

pub struct CsvWriter<W: Write> {
    sink: W,
    cells: Vec<Cell>,
    columns: usize,
    /// For each column, its text within `pending` in the row being written.
    text_of: Vec<Range<usize>>,
    pending: Vec<u8>,
    last_flush: Instant,
    /// Rows since the last look at the clock, and before the next one.
    rows: u32,
    rows_before_look: u32,
}

impl<W: Write> CsvWriter<W> {
    pub fn new(sink: W) -> Self {
        CsvWriter {
            sink,
            cells: Vec::new(),
            columns: 0,
            text_of: Vec::new(),
            pending: Vec::new(),
            last_flush: Instant::now(),
            rows: 0,
            rows_before_look: 1,
        }
    }

    /// Is it time to show the rows? Where they come fast, the clock is not asked for each of them.
    fn is_due(&mut self) -> bool {
        self.rows += 1;
        if self.rows < self.rows_before_look {
            return false;
        }
        self.rows = 0;
        let elapsed = self.last_flush.elapsed();
        self.rows_before_look = if elapsed < FLUSH_EVERY / 2 {
            (2 * self.rows_before_look).min(MOST_ROWS_UNSEEN)
        } else {
            1
        };
        elapsed >= FLUSH_EVERY
    }

    fn write_pending(&mut self) -> io::Result<()> {
        let written = self.sink.write_all(&self.pending);
        self.pending.clear();
        written?;
        self.sink.flush()?;
        self.last_flush = Instant::now();
        Ok(())
    }
}

impl<W: Write> ResultWriter for CsvWriter<W> {
    fn begin(&mut self, variables: &[VariableInfo]) -> io::Result<()> {
        let layout = Layout::new(variables)?;
        self.columns = layout.columns;
        self.text_of = vec![0..0; layout.columns];
        let mut printed = vec![false; layout.columns];
        self.pending.extend_from_slice(b"time");
        for (variable, resolved) in variables.iter().zip(&layout.resolved) {
            let cell = match *resolved {
                Resolved::Constant {
                    parameter: true, ..
                } => continue,
                Resolved::Constant { value, .. } => {
                    let mut text = Vec::new();
                    push_number(&mut text, value);
                    Cell::Text(text.into_boxed_slice())
                }
                Resolved::Column {
                    index,
                    negated: false,
                } if !printed[index] => {
                    printed[index] = true;
                    Cell::Column(index)
                }
                Resolved::Column { index, negated } => Cell::CopyOf {
                    column: index,
                    negated,
                },
            };
            self.pending.push(b',');
            push_name(&mut self.pending, &variable.name);
            self.cells.push(cell);
        }
        self.pending.push(b'\n');
        self.write_pending()
    }

    fn row(&mut self, time: f64, values: &[f64]) -> io::Result<()> {
        debug_assert_eq!(values.len(), self.columns);
        push_number(&mut self.pending, time);
        self.text_of.fill(0..0);
        for cell in &self.cells {
            self.pending.push(b',');
            match cell {
                Cell::Text(text) => self.pending.extend_from_slice(text),
                Cell::Column(column) => {
                    let start = self.pending.len();
                    push_number(&mut self.pending, values[*column]);
                    self.text_of[*column] = start..self.pending.len();
                }
                Cell::CopyOf { column, negated } => {
                    let text = self.text_of[*column].clone();
                    if text.is_empty() {
                        let value = values[*column];
                        push_number(&mut self.pending, if *negated { -value } else { value });
                    } else if *negated {
                        push_negated(&mut self.pending, text);
                    } else {
                        self.pending.extend_from_within(text);
                    }
                }
            }
        }
        self.pending.push(b'\n');
        if self.is_due() || self.pending.len() >= CHUNK {
            self.write_pending()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_pending()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write_pending()
    }
}

impl<W: Write> Drop for CsvWriter<W> {
    fn drop(&mut self) {
        if !self.pending.is_empty() {
            // Nobody is left to be told.
            let _ = self.write_pending();
        }
    }
}

/// The shortest decimal that reads back to the same number; whole numbers without a point.
pub(crate) fn push_number(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value).as_bytes();
        let text = text.strip_suffix(b".0").unwrap_or(text);
        out.extend_from_slice(if text == b"-0" { b"0" } else { text });
    } else {
        let text: &[u8] = if value.is_nan() {
            b"NaN"
        } else if value > 0.0 {
            b"inf"
        } else {
            b"-inf"
        };
        out.extend_from_slice(text);
    }
}

fn push_negated(out: &mut Vec<u8>, text: Range<usize>) {
    match &out[text.clone()] {
        b"0" | b"NaN" => out.extend_from_within(text),
        [b'-', ..] => out.extend_from_within(text.start + 1..text.end),
        _ => {
            out.push(b'-');
            out.extend_from_within(text);
        }
    }
}

fn push_name(out: &mut Vec<u8>, name: &str) {
    if name.contains([',', '"', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(name.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(name.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn written(variables: &[VariableInfo], rows: &[(f64, &[f64])]) -> String {
        let mut out = Vec::new();
        let mut writer = CsvWriter::new(&mut out);
        writer.begin(variables).unwrap();
        for (time, values) in rows {
            writer.row(*time, values).unwrap();
        }
        drop(writer);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn layout_of_the_file() {
        let variables = [
            VariableInfo::new(
                "n",
                Source::Alias {
                    of: 1,
                    negated: true,
                },
            ),
            VariableInfo::new("x[1,2]", Source::Column),
            VariableInfo::new("R", Source::Parameter(3.0)),
            VariableInfo::new("c", Source::Constant(0.1)),
            VariableInfo::new(
                "m",
                Source::Alias {
                    of: 1,
                    negated: true,
                },
            ),
            VariableInfo::new(
                "y",
                Source::Alias {
                    of: 1,
                    negated: false,
                },
            ),
        ];
        let text = written(
            &variables,
            &[
                (0.0, &[1.5]),
                (0.5, &[-2e-300]),
                (0.5, &[0.0]),
                (1.0, &[f64::NAN]),
            ],
        );
        assert_eq!(
            text,
            "time,n,\"x[1,2]\",c,m,y\n\
             0,-1.5,1.5,0.1,-1.5,1.5\n\
             0.5,2e-300,-2e-300,0.1,2e-300,-2e-300\n\
             0.5,0,0,0.1,0,0\n\
             1,NaN,NaN,0.1,NaN,NaN\n"
        );
    }

    /// A simple generator (xorshift64) of bit patterns: every finite double must read back.
    #[test]
    fn numbers_read_back_exactly() {
        let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let value = f64::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            let mut text = Vec::new();
            push_number(&mut text, value);
            let back: f64 = std::str::from_utf8(&text).unwrap().parse().unwrap();
            assert_eq!(back.to_bits(), value.to_bits());
        }
    }
}

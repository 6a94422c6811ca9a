//! The rows of a study in files: `NAME.partial.csv` while it goes on, in the order of the runs at its end. `FILE.study` beside them has
//! the fingerprint of the study that they are of, so that it can be resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ferrica_results::{Place, partial_of};

use super::Study;
use crate::failure::Failure;

/// Lines by the number of their run.
pub type Lines = BTreeMap<usize, String>;

/// Where the rows of a study are.
pub struct Rows {
    pub path: PathBuf,
    pub partial: PathBuf,
    print: u64,
}

impl Rows {
    pub fn new(study: &Study, path: PathBuf) -> Rows {
        Rows {
            partial: partial_of(&path),
            path,
            print: study.fingerprint(),
        }
    }

    /// Says which study the partial table is of.
    pub fn begin(&self) -> Result<(), Failure> {
        self.note(&self.partial)
    }

    /// The same of the table; that of the partial one goes with it.
    pub fn complete(&self) -> Result<(), Failure> {
        self.note(&self.path)?;
        // The rows it spoke of are in the table now.
        let _ = fs::remove_file(partner(&self.partial));
        Ok(())
    }

    fn note(&self, of: &Path) -> Result<(), Failure> {
        let note = partner(of);
        let text = format!("{:016x}\n", self.print);
        fs::write(&note, text).map_err(|e| Failure::io(note.display(), &e))
    }

    /// Rows that are there already, of the same study and with the values that they have in it.
    pub fn earlier(&self, study: &Study) -> Result<Lines, Failure> {
        let path = match self.partial.exists() {
            true => &self.partial,
            false => &self.path,
        };
        let Ok(text) = fs::read_to_string(path) else {
            return Ok(Lines::new());
        };
        let other = |why: &str| {
            Failure::usage_with_hint(
                format!("{} belongs to another study: {why}", path.display()),
                "without --resume all rows are computed anew",
            )
        };
        let Some(rows) = text.strip_prefix(study.header().as_str()) else {
            return Err(other("its columns differ"));
        };
        let stored = fs::read_to_string(partner(path)).unwrap_or_default();
        if u64::from_str_radix(stored.trim(), 16) != Ok(self.print) {
            return Err(other(
                "the text of the model, its data, the experiment or the solver has changed",
            ));
        }
        // A line without its end was cut off.
        let whole = rows.split_inclusive('\n').filter(|l| l.ends_with('\n'));
        let number = |l: &str| l.split(',').next().and_then(|k| k.parse::<usize>().ok());
        Ok(whole
            .filter_map(|l| Some((number(l)?, l.to_owned())))
            .filter(|(k, l)| *k < study.count() && l.starts_with(&study.begin(*k)))
            .collect())
    }
}

/// The whole file, in the order of the runs.
pub(super) fn write_all(path: &Path, study: &Study, lines: &Lines) -> std::io::Result<()> {
    let mut text = study.header();
    text.extend(lines.values().map(String::as_str));
    Place::File(path.to_owned()).write(text.as_bytes())
}

/// Beside the table: the fingerprint of the study that its rows are of.
fn partner(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".study");
    PathBuf::from(name)
}

pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Did the run of a line succeed?
pub fn is_ok(line: &str) -> bool {
    line.ends_with(",ok\n")
}

/// Why the run of a line failed: its last cell.
pub fn reason_of(line: &str) -> String {
    let line = line.trim_end();
    match line.strip_suffix('"') {
        Some(quoted) => {
            let start = quoted.rfind(",\"").map_or(0, |at| at + 2);
            quoted[start..].replace("\"\"", "\"")
        }
        None => line.rsplit(',').next().unwrap_or_default().to_owned(),
    }
}

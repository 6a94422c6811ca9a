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
///
/// ```
/// # use std::sync::{Arc, atomic::AtomicBool};
/// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
/// # use ferrica::stages::report::Log;
/// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
/// # let plan = Plan {
/// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
/// #     solver: Default::default(),
/// #     experiment: Default::default(),
/// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
/// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
/// #     stop: Arc::new(AtomicBool::new(false)),
/// # };
/// let study = Study::new(plan, &mut Log::default())?;
/// let file = std::env::temp_dir().join(format!("ferrica-doc-rows-{}.csv", std::process::id()));
/// let rows = ferrica::study::Rows::new(&study, file.clone());
/// assert!(rows.partial.to_string_lossy().ends_with(".partial.csv"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct Rows {
    pub path: PathBuf,
    pub partial: PathBuf,
    print: u64,
}

impl Rows {
    /// Those of a study in a file.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-new-{}.csv", std::process::id()));
    /// let rows = ferrica::study::Rows::new(&study, file.clone());
    /// assert_eq!(rows.path, file);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn new(study: &Study, path: PathBuf) -> Rows {
        Rows {
            partial: partial_of(&path),
            path,
            print: study.fingerprint(),
        }
    }

    /// Says which study the partial table is of.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-begin-{}.csv", std::process::id()));
    /// let rows = ferrica::study::Rows::new(&study, file.clone());
    /// rows.begin()?;
    /// let note = rows.partial.with_extension("csv.study");
    /// assert!(note.exists());
    /// # std::fs::remove_file(note).unwrap();
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn begin(&self) -> Result<(), Failure> {
        self.note(&self.partial)
    }

    /// The same of the table; that of the partial one goes with it.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-complete-{}.csv", std::process::id()));
    /// let rows = ferrica::study::Rows::new(&study, file.clone());
    /// rows.begin()?;
    /// ferrica::study::march(&study, &rows, Some(1), Default::default(), Box::new(|_| ()))?;
    /// rows.complete()?;
    /// assert!(file.exists() && !rows.partial.with_extension("csv.study").exists());
    /// # for name in [file.clone(), file.with_extension("csv.study")] { let _ = std::fs::remove_file(name); }
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn complete(&self) -> Result<(), Failure> {
        self.note(&self.path)?;
        // The rows it spoke of are in the table now.
        let _ = fs::remove_file(partner(&self.partial));
        Ok(())
    }

    fn note(&self, of: &Path) -> Result<(), Failure> {
        let note = partner(of);
        let text = format!("{:016x}\n", self.print);
        // Other ranks may be reading it: it is never there in part.
        let written = Place::File(note.clone()).write(text.as_bytes());
        written.map_err(|e| Failure::io(note.display(), &e))
    }

    /// Rows that are there already, of the same study and with the values that they have in it.
    ///
    /// ```
    /// # use std::sync::{Arc, atomic::AtomicBool};
    /// # use ferrica::{options::{Assignment, ModelOptions}, study::{Axes, Measure, MeasureKind, Plan, Study}};
    /// # use ferrica::stages::report::Log;
    /// # let text = "model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;";
    /// # let plan = Plan {
    /// #     model: ModelOptions { text: Some(text.to_owned()), ..Default::default() },
    /// #     solver: Default::default(),
    /// #     experiment: Default::default(),
    /// #     axes: Axes::new(&[Assignment { name: "k".to_owned(), value: "1,2".to_owned() }], 1, 1)?,
    /// #     measures: vec![Measure::new(MeasureKind::Final, "x")],
    /// #     stop: Arc::new(AtomicBool::new(false)),
    /// # };
    /// let study = Study::new(plan, &mut Log::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-earlier-{}.csv", std::process::id()));
    /// let rows = ferrica::study::Rows::new(&study, file.clone());
    /// // Nothing is there yet.
    /// assert!(rows.earlier(&study)?.is_empty());
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
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
        // A line without its end was cut off; one of a rank that was killed may go on with the line of another.
        let cells = cells(study.header().trim_end());
        let is_whole = |l: &&str| {
            l.strip_suffix('\n')
                .is_some_and(|l| self::cells(l) == cells)
        };
        let whole = rows.split_inclusive('\n').filter(is_whole);
        let number = |l: &str| l.split(',').next().and_then(|k| k.parse::<usize>().ok());
        Ok(whole
            .filter_map(|l| Some((number(l)?, l.to_owned())))
            .filter(|(k, l)| *k < study.count() && l.starts_with(&study.begin(*k)))
            .collect())
    }
}

/// How many cells a line has.
fn cells(line: &str) -> usize {
    let mut quoted = false;
    let is_end = |c: &char| {
        quoted ^= *c == '"';
        *c == ',' && !quoted
    };
    1 + line.chars().filter(is_end).count()
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
///
/// ```
/// assert!(ferrica::study::is_ok("0,50,4.9,ok\n"));
/// ```
pub fn is_ok(line: &str) -> bool {
    line.ends_with(",ok\n")
}

/// Why the run of a line failed: its last cell.
///
/// ```
/// assert_eq!(ferrica::study::reason_of("1,7,,\"E0607: too fast, by far\"\n"), "E0607: too fast, by far");
/// ```
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_quotes_end_no_cell() {
        for (line, count) in [
            ("a,b,c", 3),
            ("1,\"x, \"\"y\"\", z\",ok", 3),
            ("", 1),
            (",,", 3),
        ] {
            assert_eq!(cells(line), count, "{line}");
        }
    }
}

//! Files that a command writes: what each kind may be called, and where it may be.
//!
//! In: the names that the user gave, and what the command reads. Out: an error for the first file that cannot be written as
//! asked, before the work begins; then [`write`], which replaces a file only by a complete one.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ferrica_results::{Place, write_file};

use crate::engines::checkpoint;
use crate::failure::Failure;

/// What a file holds.
///
/// ```
/// use ferrica::results::outputs::{Kind, fits};
/// assert!(fits("run.csv".as_ref(), Kind::Result).is_ok() && fits("run.csv".as_ref(), Kind::Picture).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rows of a run.
    Result,
    /// Rows of a study.
    Table,
    Picture,
    /// The diagram or icon of a class.
    Drawing,
    BondGraph,
    PartitionGraph,
    Stats,
    Checkpoint,
    /// A linear model.
    Linear,
    /// A unit of the Functional Mock-up Interface.
    Fmu,
    /// A class of Modelica.
    Class,
    /// `NAME=VALUE` a line.
    Values,
    Text,
}

impl Kind {
    /// How names may end; empty: in any way that does not mean something else.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Kind::Result => &["csv", "mat", "parquet"],
            Kind::Table => &["csv"],
            Kind::Picture => &["svg", "png", "html", "htm"],
            Kind::Drawing => &["svg", "png"],
            Kind::BondGraph => &["svg", "dot", "mo"],
            Kind::PartitionGraph => &["svg", "dot"],
            Kind::Linear => &["json", "mat"],
            Kind::Fmu => &["fmu"],
            Kind::Class => &["mo"],
            Kind::Stats | Kind::Checkpoint | Kind::Values | Kind::Text => &[],
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Kind::Result => "a result",
            Kind::Table => "a table",
            Kind::Picture | Kind::Drawing => "a picture",
            Kind::BondGraph | Kind::PartitionGraph => "the graph",
            Kind::Stats => "statistics",
            Kind::Checkpoint => "a checkpoint",
            Kind::Linear => "a linear model",
            Kind::Fmu => "an FMU",
            Kind::Class => "a model",
            Kind::Values => "a list of values",
            Kind::Text => "text",
        }
    }

    /// May it go to standard output, a pipe or a device?
    fn may_be_stream(self) -> bool {
        matches!(
            self,
            Kind::Result | Kind::Stats | Kind::Linear | Kind::Values | Kind::Text
        )
    }
}

/// Endings that mean models, results and pictures.
const TAKEN: [&str; 11] = [
    "mo", "fmu", "ssp", "csv", "mat", "parquet", "svg", "png", "html", "htm", "dot",
];

/// A file that is to be written.
///
/// ```
/// use ferrica::results::outputs::{Kind, Output, check};
/// let twice = ["a.svg", "a.svg"].map(|name| Output::new(name.as_ref(), Kind::Picture));
/// assert!(check(&twice, &[]).is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Output {
    pub path: PathBuf,
    pub kind: Kind,
}

impl Output {
    /// A file of some kind.
    ///
    /// ```
    /// use ferrica::results::outputs::{Kind, Output};
    /// assert_eq!(Output::new("run.csv".as_ref(), Kind::Result).kind, Kind::Result);
    /// ```
    pub fn new(path: &Path, kind: Kind) -> Output {
        Output {
            path: path.to_owned(),
            kind,
        }
    }
}

/// The ending of a name, in small letters.
///
/// ```
/// assert_eq!(ferrica::results::outputs::ending("RUN.Csv".as_ref()), "csv");
/// ```
pub fn ending(path: &Path) -> String {
    let ending = path.extension().and_then(|e| e.to_str());
    ending.unwrap_or_default().to_ascii_lowercase()
}

/// Can all of them be written, each beside the others and none over an input?
///
/// ```
/// use ferrica::results::outputs::{Kind, Output, check};
/// let file = std::env::temp_dir().join(format!("ferrica-doc-check-{}.csv", std::process::id()));
/// std::fs::write(&file, "time,u").unwrap();
/// // It would be written over.
/// assert!(check(&[Output::new(&file, Kind::Result)], &[file.clone()]).is_err());
/// # std::fs::remove_file(file).unwrap();
/// ```
pub fn check(outputs: &[Output], inputs: &[PathBuf]) -> Result<(), Failure> {
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let mut files: Vec<PathBuf> = Vec::new();
    for Output { path, kind } in outputs {
        let place = Place::of(path, &inputs).map_err(|e| Failure::usage(e.to_string()))?;
        let is_stream = !matches!(place, Place::File(_));
        if is_stream && !kind.may_be_stream() {
            let (name, what) = (path.display(), kind.in_words());
            return Err(Failure::usage(format!("{name}: {what} needs a file")));
        }
        if !is_stream {
            fits(path, *kind)?;
        }
        if let Place::File(file) = place {
            let partner = (*kind == Kind::Result && ending(path) == "csv")
                .then(|| ferrica_results::partner_of(&file));
            if *kind == Kind::Checkpoint {
                refuse_other_file(&file)?;
            }
            if files.contains(&file) {
                let name = path.display();
                return Err(Failure::usage(format!(
                    "{name}: two outputs cannot go to one file"
                )));
            }
            files.push(file);
            // Units and types of a CSV go into a file beside it.
            files.extend(partner);
        }
    }
    Ok(())
}

/// Does the name end as it should?
///
/// ```
/// use ferrica::results::outputs::{Kind, fits};
/// assert!(fits("pump.fmu".as_ref(), Kind::Fmu).is_ok() && fits("pump.zip".as_ref(), Kind::Fmu).is_err());
/// ```
pub fn fits(path: &Path, kind: Kind) -> Result<(), Failure> {
    let (ending, endings) = (ending(path), kind.endings());
    let name = path.display();
    if endings.is_empty() {
        // A stage of the compiler may be printed as Modelica or as a graph.
        let free = (kind == Kind::Text && matches!(ending.as_str(), "mo" | "dot"))
            || !TAKEN.contains(&ending.as_str());
        return match free {
            true => Ok(()),
            false => Err(Failure::usage_with_hint(
                format!(
                    "{name}: {} is no .{ending} file, and would be taken for one",
                    kind.in_words()
                ),
                "give it another ending, .txt for example, or none",
            )),
        };
    }
    if endings.contains(&ending.as_str()) {
        return Ok(());
    }
    let dotted: Vec<String> = endings
        .iter()
        .filter(|e| **e != "htm")
        .map(|e| format!(".{e}"))
        .collect();
    let list = match dotted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    Err(Failure::usage(format!(
        "{name}: the name of {} must end in {list}",
        kind.in_words()
    )))
}

/// A checkpoint replaces only a checkpoint.
fn refuse_other_file(path: &Path) -> Result<(), Failure> {
    let Ok(mut file) = File::open(path) else {
        return Ok(());
    };
    let mut start = Vec::new();
    let length = checkpoint::SIGNATURE.len() as u64;
    let read = file.by_ref().take(length).read_to_end(&mut start);
    if read.is_ok() && (start.is_empty() || start == checkpoint::SIGNATURE) {
        return Ok(());
    }
    let name = path.display();
    Err(Failure::usage(format!(
        "{name}: this is no checkpoint, and would be overwritten by one"
    )))
}

/// Writes a whole file, `-` for standard output; what was there before stays until the new content is complete.
///
/// ```
/// let file = std::env::temp_dir().join(format!("ferrica-doc-write-{}.txt", std::process::id()));
/// ferrica::results::outputs::write(&file, b"x=1\n")?;
/// assert_eq!(std::fs::read(&file).unwrap(), b"x=1\n");
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    write_file(path, &[], content).map_err(|e| Failure::Io(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, kind: Kind) -> String {
        match check(&[Output::new(Path::new(name), kind)], &[]) {
            Err(failure) => failure.to_string(),
            Ok(()) => panic!("{name} is not refused"),
        }
    }

    #[test]
    fn formats_by_ending() {
        assert_eq!(
            refused("x.png", Kind::BondGraph),
            "x.png: the name of the graph must end in .svg, .dot or .mo"
        );
        assert_eq!(
            refused("s.mat", Kind::Table),
            "s.mat: the name of a table must end in .csv"
        );
        assert_eq!(
            refused("a.pdf", Kind::Picture),
            "a.pdf: the name of a picture must end in .svg, .png or .html"
        );
        assert!(refused("x.csv", Kind::Stats).contains("would be taken for one"));
        assert!(refused("-", Kind::Table).contains("needs a file"));
        for (name, kind) in [
            ("x.JSON", Kind::Stats),
            ("-", Kind::Stats),
            ("-", Kind::Result),
            ("x.PNG", Kind::Picture),
            ("run.state", Kind::Checkpoint),
            ("x.mo", Kind::Text),
        ] {
            check(&[Output::new(Path::new(name), kind)], &[]).unwrap();
        }
    }

    #[test]
    fn one_file_for_one_output() {
        let outputs = ["x.svg", "x.svg"].map(|n| Output::new(Path::new(n), Kind::Picture));
        let failure = check(&outputs, &[]).unwrap_err().to_string();
        assert_eq!(failure, "x.svg: two outputs cannot go to one file");
    }
}

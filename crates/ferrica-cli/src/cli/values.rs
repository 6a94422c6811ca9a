//! The words and numbers that arguments take, and how they are read.

use std::ffi::OsStr;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use ferrica::options::{Assignment, Quantum, Rate, SolverKind};
use ferrica::sources::class_picture::Page;
use ferrica::stages::stage_text;

/// Takes one of a table's words, and shows them all in help texts and messages.
macro_rules! word {
    ($table:ty) => {
        crate::cli::values::parser(<$table>::WORDS, <$table>::from_word)
    };
}
pub(super) use word;

pub(super) fn parser<T: Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, &'static str)],
    value: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    let values = words.iter().map(|(word, about)| match about.trim() {
        "" => PossibleValue::new(*word),
        about => PossibleValue::new(*word).help(about),
    });
    PossibleValuesParser::new(values)
        .try_map(move |word| value(&word).ok_or_else(|| format!("no such word: {word}")))
}

/// The last stage of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckStage {
    Flat,
    Kernels,
}

/// For which pages a picture is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DrawingTheme {
    /// As the reader's machine prefers; a .png is light
    #[default]
    Auto,
    Light,
    Dark,
}

impl From<DrawingTheme> for Page {
    fn from(theme: DrawingTheme) -> Page {
        match theme {
            DrawingTheme::Auto => Page::Both,
            DrawingTheme::Light => Page::Light,
            DrawingTheme::Dark => Page::Dark,
        }
    }
}

/// For people or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    #[default]
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99 without heap and recursion
    C,
    /// An archive for tools with the Functional Mock-up Interface
    Fmu,
}

/// Takes any version of FMI, so that one that is not known is an error with a code; help texts and completions show those that are.
#[derive(Clone)]
pub(super) struct AnyVersion;

impl TypedValueParser for AnyVersion {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(["2", "3"].into_iter().map(PossibleValue::new)))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FmuKind {
    /// Model Exchange
    Me,
    /// Co-Simulation
    Cs,
    #[default]
    Both,
}

/// Interfaces of an FMU that a block can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportKind {
    /// Model Exchange: its states are the model's
    Me,
    /// Co-Simulation: it is sampled
    Cs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The text as the parser understands it
    Syntax,
    /// The class and its members
    Classes,
    /// The components, their classes and variables
    Instance,
    /// Scalar variables and equations
    Flat,
    /// After alias removal, with events
    Dae,
    /// Equations and the unknowns they are matched to, as text or a picture
    Matching,
    /// Which unknown needs which, loops before and after they are solved, as text or a picture
    Graph,
    /// Sorted blocks
    Blocks,
    /// Code of the kernels
    Kernels,
}

impl From<Stage> for stage_text::Stage {
    fn from(stage: Stage) -> stage_text::Stage {
        match stage {
            Stage::Syntax => stage_text::Stage::Syntax,
            Stage::Classes => stage_text::Stage::Classes,
            Stage::Instance => stage_text::Stage::Instance,
            Stage::Flat => stage_text::Stage::Flat,
            Stage::Dae => stage_text::Stage::Dae,
            Stage::Matching => stage_text::Stage::Matching,
            Stage::Graph => stage_text::Stage::Graph,
            Stage::Blocks => stage_text::Stage::Blocks,
            Stage::Kernels => stage_text::Stage::Kernels,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DevsFormat {
    Powerdevs,
    Cdpp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    #[default]
    Auto,
    Never,
}

/// `NAME=VALUE`.
pub(super) fn assignment(text: &str) -> Result<Assignment, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok(Assignment {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            })
        }
        _ => Err("write NAME=VALUE, for example R1.R=50".to_owned()),
    }
}

/// `STATE=DQ`.
pub(super) fn quantum(text: &str) -> Result<Quantum, String> {
    let wrong = || "write STATE=DQ with a positive quantum, for example C.v=1e-4".to_owned();
    let Assignment { name, value } = assignment(text).map_err(|_| wrong())?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    if value > 0.0 && value.is_finite() {
        Ok(Quantum { state: name, value })
    } else {
        Err(wrong())
    }
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("a positive number is needed".to_owned()),
    }
}

/// `PARTITION=H`, `PARTITION=SOLVER` or `PARTITION=SOLVER:H`.
pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let wrong = || {
        "write a positive step (valve=1e-4), one of auto, bdf, radau, dopri5 (valve=bdf), or both (valve=bdf:1e-4)"
            .to_owned()
    };
    let Assignment { name, value } = assignment(text).map_err(|_| wrong())?;
    let step = |text: &str| match text.parse() {
        Ok(h) if h > 0.0 && f64::is_finite(h) => Ok(h),
        _ => Err(wrong()),
    };
    let fixed = [SolverKind::Rk4, SolverKind::Euler];
    let (word, rest) = value.split_once(':').unwrap_or((&value, ""));
    match SolverKind::from_name(word) {
        Some(kind) if !fixed.contains(&kind) => Ok(Rate {
            partition: name,
            solver: Some(kind),
            step: (!rest.is_empty()).then(|| step(rest)).transpose()?,
        }),
        _ => Ok(Rate {
            partition: name,
            solver: None,
            step: Some(step(&value)?),
        }),
    }
}

pub(super) fn size(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "write WIDTHxHEIGHT, for example 900x500".to_owned();
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let parse = |t: &str| {
        t.trim()
            .parse::<usize>()
            .ok()
            .filter(|n| (1..=20_000).contains(n))
    };
    Ok((
        parse(width).ok_or_else(wrong)?,
        parse(height).ok_or_else(wrong)?,
    ))
}

/// A number of things.
/// One or more.
pub(super) fn some(text: &str) -> Result<usize, String> {
    match count(text)? {
        0 => Err("at least one is needed".to_owned()),
        n => Ok(n),
    }
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    let wrong = || "a whole number is needed, and not a negative one".to_owned();
    text.parse().map_err(|_| wrong())
}

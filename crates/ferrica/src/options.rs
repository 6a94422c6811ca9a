//! What a user can ask for: which model, which experiment, which solver with which settings.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ferrica_classes::FileCache;
/// The solvers of equations that choose or keep a step.
///
/// ```
/// use ferrica::options::SolverKind;
/// assert_eq!(SolverKind::from_name("bdf"), Some(SolverKind::Bdf));
/// ```
pub use ferrica_sim::SolverKind;

use crate::signal::Signal;

/// Which model to compile.
///
/// ```
/// use ferrica::{ModelBuilder, options::ModelOptions};
/// let options = ModelOptions { model: Some("Modelica.Blocks.Sources.Sine".to_owned()), ..ModelOptions::default() };
/// assert_eq!(ModelBuilder::from(options).load()?.name(), "Modelica.Blocks.Sources.Sine");
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// File with the model; the last model or block in it unless `model` says otherwise.
    pub file: Option<PathBuf>,
    /// The text of that file, or of a model that is in no file.
    pub text: Option<String>,
    /// The model, by its full name; from the file, `libs`, `MODELICAPATH` or the built-in library.
    pub model: Option<String>,
    /// Folders with libraries, or libraries.
    pub libs: Vec<PathBuf>,
    /// Parameters and start values to change.
    pub params: Vec<Assignment>,
    /// Run `external "C"` code of users' libraries.
    pub allow_external: bool,
    /// Lines that the model prints are not shown.
    pub quiet: bool,
    /// A result file whose columns drive the top-level inputs of their names.
    pub input_file: Option<PathBuf>,
    /// Values of that file stay until the next ones; straight lines otherwise.
    pub hold_inputs: bool,
    /// What top-level inputs do over time.
    pub signals: Vec<(String, Signal)>,
    /// Tells the tables of these signals from others in the same process.
    pub tables: u64,
    /// Files that have been read already, and texts that an editor holds.
    pub cache: Option<Arc<FileCache>>,
}

impl ModelOptions {
    /// The folder of the model's file: names of data files are relative to it.
    ///
    /// ```
    /// use ferrica::options::ModelOptions;
    /// let options = ModelOptions { file: Some("models/rc.mo".into()), ..ModelOptions::default() };
    /// assert_eq!(options.folder(), Some("models".into()));
    /// ```
    pub fn folder(&self) -> Option<PathBuf> {
        let file = self.file.as_ref()?;
        let folder = if file.is_dir() { file } else { file.parent()? };
        (!folder.as_os_str().is_empty()).then(|| folder.to_path_buf())
    }
}

/// `NAME=VALUE`; the value is a Modelica literal.
///
/// ```
/// let wide = ferrica::options::Assignment { name: "pipe.d".to_owned(), value: "0.5".to_owned() };
/// assert_eq!(wide, wide.clone());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: String,
}

/// Time, accuracy and output grid; what is not said comes from the model's annotation.
///
/// ```
/// use ferrica::options::ExperimentOptions;
/// let times = ExperimentOptions { stop: Some(10.0), tol: Some(1e-8), ..ExperimentOptions::default() };
/// assert_eq!(times.start, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExperimentOptions {
    pub start: Option<f64>,
    pub stop: Option<f64>,
    pub tol: Option<f64>,
    pub interval: Option<f64>,
    pub points: Option<usize>,
}

/// How to march through time.
///
/// ```
/// use ferrica::options::{Solver, SolverOptions};
/// let options = SolverOptions { solver: Solver::Radau, verify: true, ..SolverOptions::default() };
/// assert_eq!(SolverOptions::default().solver, Solver::Auto);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SolverOptions {
    pub solver: Solver,
    /// Step of the fixed-step solvers.
    pub step: Option<f64>,
    /// A row at every transition (quantized states).
    pub steps: bool,
    /// Absolute quanta of states or elements (quantized states).
    pub quanta: Vec<Quantum>,
    /// Width of the hysteresis in parts of the quantum (`qbg`).
    pub hysteresis: Option<f64>,
    /// Quanta that grow with the value (`qbg`).
    pub quantum_growth: Option<f64>,
    /// Newton iterations in each step of the real-time solvers.
    pub iterations: Option<usize>,
    pub bdf_start: Option<BdfStart>,
    /// Replace `der` by a difference formula before the equations are sorted.
    pub inline: Option<Inline>,
    pub partition: Option<Partition>,
    /// Threads for partitions.
    pub threads: Option<usize>,
    /// Steps and solvers of single partitions.
    pub rates: Vec<Rate>,
    /// Lengthen lines that are shorter than the step.
    pub stretch: bool,
    /// Check that every row satisfies the equations.
    pub verify: bool,
    /// No run with half of a fixed step where that may not resolve what happens.
    pub trust_step: bool,
    pub real_time: RealTimeOptions,
}

/// What only the real-time solvers know.
///
/// ```
/// let mut plan = ferrica::Experiment::default().solver("rt-bdf2")?.step(1e-3);
/// plan.solver_options().real_time.residual_tolerance = Some(1e-9);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RealTimeOptions {
    /// What a step solves.
    pub formulation: Option<Formulation>,
    /// Form and factor the tangent of the full formulation in every iteration.
    pub refactor: bool,
    /// End the iterations of a step once no residual is larger than this.
    pub residual_tolerance: Option<f64>,
    /// Wait for the clock before each step.
    pub realtime: bool,
    /// Where datagrams with values of top-level inputs come.
    pub listen: Option<SocketAddr>,
    /// Seconds of silence there after which the run ends.
    pub listen_timeout: Option<f64>,
    /// Where values of top-level outputs go after each step.
    pub send_to: Option<SocketAddr>,
    /// Picture of the latencies.
    pub latency_plot: Option<PathBuf>,
    /// Time the stages of steps.
    pub stage_times: bool,
    /// File for the norm of the differentiated constraints.
    pub constraint_rates: Option<PathBuf>,
    /// Unknowns whose derivatives go into that file.
    pub rates_of: Vec<String>,
}

/// A run in stages, each of which ends with a stored state.
///
/// ```
/// use ferrica::options::{SolverOptions, StageOptions};
/// let stages = StageOptions { checkpoint: Some("run.state".into()), every: Some(60.0), ..StageOptions::default() };
/// assert!(ferrica::engines::checkpoint::supported(&stages, &SolverOptions::default()).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StageOptions {
    pub checkpoint: Option<PathBuf>,
    pub every: Option<f64>,
    pub resume: Option<PathBuf>,
}

/// `STATE=DQ`.
///
/// ```
/// use ferrica::options::{Quantum, Solver, SolverOptions};
/// let coarse = Quantum { state: "C.v".to_owned(), value: 0.1 };
/// let options = SolverOptions { solver: Solver::Qss2, quanta: vec![coarse], ..SolverOptions::default() };
/// assert!(ferrica::engines::fitting::fits(&options).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quantum {
    pub state: String,
    pub value: f64,
}

/// `PARTITION=H`, `PARTITION=SOLVER` or `PARTITION=SOLVER:H`.
///
/// ```
/// use ferrica::options::{Rate, SolverKind};
/// let rate = Rate { partition: "P2".to_owned(), solver: Some(SolverKind::Bdf), step: None };
/// assert_eq!(rate.step, None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    pub partition: String,
    pub solver: Option<SolverKind>,
    pub step: Option<f64>,
}

/// An enumeration whose values are words that users write; the first one is the default.
macro_rules! words {
    ($(#[$about:meta])* $name:ident {
        $(#[doc = $usual_doc:literal])* $usual:ident = $usual_word:literal,
        $($(#[doc = $doc:literal])* $value:ident = $word:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            #[default]
            $(#[doc = $usual_doc])* $usual,
            $($(#[doc = $doc])* $value,)*
        }

        impl $name {
            /// The words in the order of the values, each with what it means if that needs saying.
            pub const WORDS: &[(&str, &str)] = &[
                ($usual_word, concat!($($usual_doc),*)),
                $(($word, concat!($($doc),*)),)*
            ];

            /// The word for the value.
            ///
            /// ```
            #[doc = concat!("use ferrica::options::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::default().word(), ", stringify!($usual_word), ");")]
            /// ```
            pub fn word(self) -> &'static str {
                match self {
                    $name::$usual => $usual_word,
                    $($name::$value => $word,)*
                }
            }

            /// The value behind a word.
            ///
            /// ```
            #[doc = concat!("use ferrica::options::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from_word(", stringify!($usual_word), "), Some(", stringify!($name), "::default()));")]
            /// ```
            pub fn from_word(word: &str) -> Option<$name> {
                match word {
                    $usual_word => Some($name::$usual),
                    $($word => Some($name::$value),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// The methods that march a model through time.
    ///
    /// ```
    /// use ferrica::options::Solver;
    /// assert_eq!(Solver::from_word("radau"), Some(Solver::Radau));
    /// ```
    Solver {
        Auto = "auto",
        Bdf = "bdf",
        Radau = "radau",
        Dopri5 = "dopri5",
        Rk4 = "rk4",
        Euler = "euler",
        RtBdf1 = "rt-bdf1",
        RtBdf2 = "rt-bdf2",
        RtBdf3 = "rt-bdf3",
        RtTr = "rt-tr",
        RtTrnp = "rt-trnp",
        RtOde = "rt-ode",
        Qss1 = "qss1",
        Qss2 = "qss2",
        Qss3 = "qss3",
        Liqss1 = "liqss1",
        Liqss2 = "liqss2",
        Liqss3 = "liqss3",
        Mliqss1 = "mliqss1",
        Mliqss2 = "mliqss2",
        Mliqss3 = "mliqss3",
        Cqss = "cqss",
        Qbg = "qbg",
        Qbg2 = "qbg2",
        Qbg3 = "qbg3",
    }
}

impl Solver {
    /// The order of a quantized bond graph; `None` for the solvers of equations.
    ///
    /// ```
    /// use ferrica::options::Solver;
    /// assert_eq!((Solver::Qbg2.bond_graph_order(), Solver::Bdf.bond_graph_order()), (Some(2), None));
    /// ```
    pub fn bond_graph_order(self) -> Option<usize> {
        match self {
            Solver::Qbg => Some(1),
            Solver::Qbg2 => Some(2),
            Solver::Qbg3 => Some(3),
            _ => None,
        }
    }
}

words! {
    /// How multistep real-time solvers start.
    ///
    /// ```
    /// use ferrica::options::BdfStart;
    /// assert_eq!(BdfStart::Constant.word(), "constant");
    /// ```
    BdfStart {
        /// With the trapezoidal rule
        Tr = "tr",
        /// As if the values before the start were those at the start
        Constant = "constant",
    }
}

words! {
    /// Difference formulas that can take the place of `der`.
    ///
    /// ```
    /// use ferrica::options::Inline;
    /// assert_eq!(Inline::WORDS.len(), 4);
    /// ```
    Inline {
        Euler = "euler",
        ImplicitEuler = "implicit-euler",
        Trapezoid = "trapezoid",
        Bdf2 = "bdf2",
    }
}

words! {
    /// One system, or one for each partition between delays.
    ///
    /// ```
    /// use ferrica::options::Partition;
    /// assert_eq!(Partition::from_word("tlm"), Some(Partition::Tlm));
    /// ```
    Partition {
        None = "none",
        Tlm = "tlm",
        /// In parts if the model has lines; says where others could be put
        Auto = "auto",
    }
}

words! {
    /// What a step of a real-time solver solves.
    ///
    /// ```
    /// use ferrica::options::Formulation;
    /// assert_eq!(Formulation::from_word("full"), Some(Formulation::Full));
    /// ```
    Formulation {
        /// What advances the model; constant parts are eliminated beforehand
        Causal = "causal",
        /// All unknowns at once
        Full = "full",
    }
}

words! {
    /// Rows before and after each event: all, none, or until they fill the result.
    ///
    /// ```
    /// use ferrica::options::EventRows;
    /// assert_eq!(EventRows::from_word("off"), Some(EventRows::Off));
    /// ```
    EventRows {
        Auto = "auto",
        On = "on",
        Off = "off",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::solving;

    #[test]
    fn every_word_names_its_solver_and_every_solver_is_built_in() {
        for &(word, _) in Solver::WORDS {
            let solver = Solver::from_word(word).unwrap();
            assert_eq!(solver.word(), word);
            assert!(solving::kind(solver).is_ok(), "{word}");
        }
        assert_eq!(Solver::from_word("nonsense"), None);
    }
}

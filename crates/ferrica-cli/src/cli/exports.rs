//! Arguments of what writes models for other programs.

use std::path::PathBuf;

use clap::Args;

use ferrica::failure::Failure;
use ferrica::options::{BdfStart, Partition, Quantum, Solver};
use ferrica_fmi::Version;

use super::runs::{ExperimentArgs, ModelArgs};
use super::values::{AnyVersion, DevsFormat, FmuKind, ImportKind, Language, count, quantum, word};

#[derive(Debug, Args)]
pub struct DevsArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// For which tool
    #[arg(long, value_name = "TOOL", value_enum)]
    pub format: DevsFormat,
    /// Method of the integrators: qss1 … qss3, liqss1 … liqss3, cqss (PowerDEVS) [default: qss3]
    #[arg(long, value_name = "METHOD")]
    pub solver: Option<String>,
    /// Their quantum, relative and absolute, or over ranges (CD++) [default: the model's tolerance, else 1e-4]
    #[arg(long, value_name = "TOL")]
    pub tol: Option<f64>,
    /// End of the run, by which functions of time know how far to look ahead [default: the model's]
    #[arg(long, value_name = "TIME")]
    pub stop: Option<f64>,
    /// Folder to write to
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// As what
    #[arg(value_name = "KIND", value_enum)]
    pub language: Language,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub solver: ExportSolverArgs,
    /// Variables that the code can be asked for (`*` and `?`) [default: outputs and states]; that a black box shows
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Folder (c) or archive (fmu) to write to
    #[arg(long, short = 'o', value_name = "PATH")]
    pub output: PathBuf,
    #[command(flatten)]
    pub fmu: FmuArgs,
}

/// The solver that goes along.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Solver")]
pub struct ExportSolverArgs {
    /// The method; C has the real-time ones
    ///
    /// Variable step: auto, bdf, radau, dopri5. Fixed step: rk4, euler. Real time: rt-bdf1, rt-bdf2,
    /// rt-bdf3, rt-tr, rt-trnp, rt-ode. Quantized states: qss1, qss2, qss3, liqss1, liqss2, liqss3,
    /// mliqss1, mliqss2, mliqss3, cqss
    #[arg(
        long,
        value_name = "NAME",
        value_parser = word!(Solver),
        hide_possible_values = true,
        default_value = Solver::Auto.word()
    )]
    pub solver: Solver,

    /// Step of the fixed-step solvers
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub step: Option<f64>,

    /// The absolute quantum of a state (FMUs with quantized states) [default: tolerance times nominal]
    #[arg(long = "quantum", value_name = "STATE=DQ", value_parser = quantum)]
    pub quanta: Vec<Quantum>,

    /// Newton iterations in each step of the real-time solvers
    #[arg(long, value_name = "G", value_parser = count, allow_negative_numbers = true)]
    pub iterations: Option<usize>,

    /// How multistep real-time solvers start (C)
    #[arg(long, value_name = "HOW", value_parser = word!(BdfStart))]
    pub bdf_start: Option<BdfStart>,

    /// Solve as one system, or as one for each delay-cut partition (FMUs)
    #[arg(long, value_name = "HOW", value_parser = word!(Partition))]
    pub partition: Option<Partition>,

    /// Threads for partitions
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

/// What an FMU is like.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "FMU")]
pub struct FmuArgs {
    /// Version of the Functional Mock-up Interface
    #[arg(long, value_name = "N", value_parser = AnyVersion, default_value = "3")]
    pub fmi: String,

    /// Interfaces: Model Exchange, Co-Simulation
    #[arg(long = "type", value_name = "KIND", value_enum, default_value = "both")]
    pub kind: FmuKind,

    /// Show nothing but inputs, outputs, parameters and what --vars names
    #[arg(long)]
    pub black_box: bool,

    /// Arrays of FMI 3 element by element, for importers that do not know them
    #[arg(long, conflicts_with = "source")]
    pub scalars: bool,

    /// C99 source in place of a library: Co-Simulation with a real-time solver, built where it is used
    #[arg(long, conflicts_with = "black_box")]
    pub source: bool,
}

impl FmuArgs {
    pub fn version(&self) -> Result<Version, Failure> {
        match self.fmi.as_str() {
            "2" => Ok(Version::Fmi2),
            "3" => Ok(Version::Fmi3),
            other => Err(Failure::coded(
                "E0744",
                format!("--fmi {other}: there is no such version"),
                Some("FMI 2.0 (--fmi 2) and 3.0 (--fmi 3) are known".to_owned()),
            )),
        }
    }
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The archive, of FMI 2.0 or 3.0
    #[arg(value_name = "FILE.fmu")]
    pub file: PathBuf,

    /// Interface to use [default: Model Exchange if there is one]
    #[arg(long = "type", value_name = "KIND", value_enum)]
    pub kind: Option<ImportKind>,

    /// File for the block
    #[arg(long, short = 'o', value_name = "FILE.mo")]
    pub output: PathBuf,
}

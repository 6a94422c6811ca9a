//! Arguments of what compares runs and solvers.

use std::path::PathBuf;

use clap::Args;
use ferrica::options::{BdfStart, Solver};

use super::runs::{ExperimentArgs, ModelArgs};
use super::values::{count, word};

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Solvers to compare
    #[arg(
        long,
        value_name = "A,B,…",
        value_parser = word!(Solver),
        value_delimiter = ',',
        required = true
    )]
    pub solvers: Vec<Solver>,
    /// Tolerances to try with each variable-step solver
    #[arg(long, value_name = "X,Y,…", value_delimiter = ',')]
    pub tols: Vec<f64>,
    /// Steps to try with each fixed-step solver
    #[arg(long, value_name = "H,G,…", value_delimiter = ',')]
    pub steps: Vec<f64>,
    /// Compare with this result instead of a run at a tight tolerance; `converged` with --precision: two methods
    /// that must agree
    #[arg(long, value_name = "FILE|converged")]
    pub reference: Option<PathBuf>,
    /// For each solver, look for the cheapest setting that meets each level: `low,high` (1e-3 and 1e-5), or with
    /// numbers, one for all or one for each variable: low=0.1:1,high=0.01:0.1
    #[arg(long, value_name = "LEVELS")]
    pub precision: Option<String>,
    /// Variables whose root mean square error must meet the precision, with the column of the reference if it has
    /// another name: L1.i,C1.v=V3 [default: the states]
    #[arg(long, value_name = "A,B", requires = "precision")]
    pub monitor: Option<String>,
    /// Equally spaced points at which errors are taken [default: the output points]
    #[arg(long, value_name = "N", requires = "precision", value_parser = count, allow_negative_numbers = true)]
    pub samples: Option<usize>,
    /// Variables that count (`*` and `?`) [default: the states]
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Work-precision picture: .svg, .png or .html
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    /// Newton iterations in each step of the real-time solvers
    #[arg(long, value_name = "G", value_parser = count, allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// How multistep real-time solvers start
    #[arg(long, value_name = "HOW", value_parser = word!(BdfStart))]
    pub bdf_start: Option<BdfStart>,
    /// Check that every row of each run satisfies all equations to its tolerance
    #[arg(long)]
    pub verify: bool,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The reference
    #[arg(value_name = "A")]
    pub reference: PathBuf,
    /// The result to judge
    #[arg(value_name = "B")]
    pub result: PathBuf,
    /// Allowed deviation as a fraction of each variable's range
    #[arg(
        long,
        value_name = "X",
        default_value = "2e-3",
        allow_negative_numbers = true
    )]
    pub tol: f64,
    /// Allowed deviation at least, in units of the variable
    #[arg(long, value_name = "X", default_value = "1e-10")]
    pub abs_tol: f64,
    /// Tolerance in time around events, as a fraction of the interval
    #[arg(long, value_name = "X", default_value = "1e-3")]
    pub time_tol: f64,
    /// Compare only variables whose name matches (`*` and `?`)
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Show only the N variables that differ most
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub worst: Option<usize>,
    /// A variable of A that B does not have is a difference too
    #[arg(long)]
    pub strict: bool,
    /// Draw the variable that differs most, both curves: .svg, .png or .html
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

//! Arguments of what simulates: which model, which experiment, which solver, what is written.

use std::path::PathBuf;

use clap::Args;
use ferrica::options::{Assignment, BdfStart, EventRows, Inline, Partition, Quantum, Rate, Solver};
use ferrica::study::Measure;

use super::real_time::{ClockArgs, RealTimeArgs};
use super::values::{ProgressWhen, assignment, count, positive, quantum, rate, some, word};

/// What to compile.
#[derive(Debug, Default, Args)]
pub struct ModelArgs {
    /// File with the model; the last model or block in it unless --model says otherwise
    #[arg(value_name = "FILE.mo", required_unless_present = "model")]
    pub file: Option<PathBuf>,

    /// The model, by its full name; from the file, --lib, MODELICAPATH or the built-in library
    #[arg(long, short = 'm', value_name = "NAME")]
    pub model: Option<String>,

    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,

    /// Change a parameter or start value: R1.R=50, x.start=1
    #[arg(long = "param", short = 'p', value_name = "NAME=VALUE", value_parser = assignment)]
    pub params: Vec<Assignment>,

    /// Run `external "C"` code of users' libraries
    #[arg(long)]
    pub allow_external: bool,
}

/// Time, accuracy and output grid.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Experiment")]
pub struct ExperimentArgs {
    /// Start time [default: from the model, else 0]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,

    /// Stop time [default: from the model, else start + 1]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub stop: Option<f64>,

    /// Relative tolerance [default: from the model, else 1e-6]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tol: Option<f64>,

    /// Time between output points [default: from the model, else 500 intervals]
    #[arg(
        long,
        value_name = "DT",
        conflicts_with = "points",
        allow_negative_numbers = true
    )]
    pub interval: Option<f64>,

    /// Number of output intervals
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub points: Option<usize>,

    /// Top-level inputs from the columns of their names: .csv, .mat or .parquet; straight lines between rows
    #[arg(long = "input", value_name = "FILE")]
    pub input_file: Option<PathBuf>,

    /// Values of --input stay until the next row
    #[arg(long, requires = "input_file")]
    pub hold_inputs: bool,
}

/// How to march through time.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Solver")]
pub struct SolverArgs {
    /// The method
    ///
    /// Variable step: auto, bdf, radau, dopri5. Fixed step: rk4, euler. Real time: rt-bdf1, rt-bdf2,
    /// rt-bdf3, rt-tr, rt-trnp, rt-ode. Quantized states: qss1, qss2, qss3, liqss1, liqss2, liqss3,
    /// mliqss1, mliqss2, mliqss3, cqss, qbg, qbg2, qbg3
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

    /// A row at every transition (quantized states)
    #[arg(long)]
    pub steps: bool,

    /// The absolute quantum of a state (quantized states) [default: tolerance times nominal]; of an element, or
    /// `*` for all (qbg) [default: tolerance times the range of the element in a rough run]
    #[arg(long = "quantum", value_name = "STATE=DQ", value_parser = quantum)]
    pub quanta: Vec<Quantum>,

    /// Width of the hysteresis in parts of the quantum (qbg) [default: 1]
    #[arg(long, value_name = "PART", value_parser = positive, allow_negative_numbers = true)]
    pub hysteresis: Option<f64>,

    /// Quanta that grow with the value: 0.01 makes each interval 1 % longer than the last (qbg)
    #[arg(long, value_name = "R", value_parser = positive, allow_negative_numbers = true)]
    pub quantum_growth: Option<f64>,

    /// Newton iterations in each step of the real-time solvers
    #[arg(long, value_name = "G", value_parser = count, allow_negative_numbers = true)]
    pub iterations: Option<usize>,

    /// How multistep real-time solvers start
    #[arg(long, value_name = "HOW", value_parser = word!(BdfStart))]
    pub bdf_start: Option<BdfStart>,

    /// Replace der by a difference formula before the equations are sorted
    #[arg(long, value_name = "FORMULA", value_parser = word!(Inline))]
    pub inline: Option<Inline>,

    /// Solve as one system, or as one for each delay-cut partition
    #[arg(long, value_name = "HOW", value_parser = word!(Partition))]
    pub partition: Option<Partition>,

    /// Threads for partitions
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads: Option<usize>,

    /// A partition's own step (valve=1e-5), its own variable-step solver (valve=bdf), or both (valve=bdf:1e-4)
    #[arg(long = "rate", value_name = "PARTITION=H|SOLVER[:H]", value_parser = rate)]
    pub rates: Vec<Rate>,

    /// Lengthen lines that are shorter than the step, with a warning
    #[arg(long)]
    pub stretch: bool,

    /// Check that every row of the results satisfies all equations to the tolerance
    #[arg(long)]
    pub verify: bool,

    #[command(flatten)]
    pub real_time: RealTimeArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Results: .csv, .mat or .parquet; `-` prints CSV [default: MODEL.csv]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Store only variables whose name matches (`*` and `?`; several with commas, or the word again)
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,

    /// Rows before and after each event; `auto` leaves them out when they would fill the result, and says so
    #[arg(long, value_name = "WHEN", value_parser = word!(EventRows), default_value = EventRows::Auto.word())]
    pub event_rows: EventRows,

    /// Draw these variables in the terminal after the run
    #[arg(long, value_name = "A,B")]
    pub plot: Option<String>,

    /// Draw them into a file as well: .svg, .png or .html
    #[arg(long, value_name = "FILE", requires = "plot")]
    pub picture: Option<PathBuf>,

    /// What the run cost, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,

    /// A progress bar on a terminal when a run takes longer than a second
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub progress: ProgressWhen,
}

/// A run in stages, each of which ends with a stored state.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Checkpoints")]
pub struct StageArgs {
    /// Store the state of the run in this file from time to time
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,

    /// … each time the simulated time has advanced by so much
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub every: Option<f64>,

    /// Go on from a stored state, with the same arguments otherwise
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    #[command(flatten)]
    pub clock: ClockArgs,
    #[command(flatten)]
    pub stages: StageArgs,
    /// Begin at rest, at the point that `ferrica steady` finds
    #[arg(long, conflicts_with_all = ["checkpoint", "resume"])]
    pub steady: bool,
    /// Do not repeat a run of fixed steps with half of the step where it may not resolve what happens
    #[arg(long)]
    pub trust_step: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    /// Table: one row a run [default: MODEL-sweep.csv]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Columns: final values of variables whose name matches (`*` and `?`) [default: all]
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Further columns: `min`, `max`, `mean`, `rms`, `final`, `time-of-min` or `time-of-max` of variables, `max(C.v)`; or `time-of(C.v>2.5)`
    #[arg(long = "value", value_name = "OF", value_parser = Measure::parse)]
    pub values: Vec<Measure>,
    /// The variables of --vars at all output points instead of their final values, in columns `NAME@TIME`
    #[arg(long, requires = "vars")]
    pub trajectories: bool,
    /// Draw medians and quantiles of the trajectories: .svg, .png or .html
    #[arg(long, value_name = "FILE", requires = "trajectories")]
    pub picture: Option<PathBuf>,
    /// Runs at a time [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = some, allow_negative_numbers = true)]
    pub jobs: Option<usize>,
    /// Values of each parameter that is drawn: -p R=normal(100,5), uniform(1,2) or lognormal(100,1.2)
    #[arg(long, value_name = "N", default_value = "100", value_parser = count)]
    pub samples: usize,
    /// Another number draws other values
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Succeed although runs failed; their rows say why
    #[arg(long)]
    pub allow_failed: bool,
    /// Keep the rows that are in the table already
    #[arg(long)]
    pub resume: bool,
}

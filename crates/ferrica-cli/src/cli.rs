//! The arguments of the program. The words are a contract: scripts rely on them.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Effects, Styles};
use clap::{Args, Parser, Subcommand};

use ferrica::options::{Assignment, BdfStart, EventRows, Inline, Partition, Quantum, Rate, Solver};
use ferrica::study::Measure;

mod analyses;
mod examples;
mod options;
mod real_time;
mod values;

pub use analyses::{FitArgs, SensitivityArgs, SpectrumArgs, SteadyArgs};
use examples::*;
pub use real_time::RealTimeArgs;
pub use values::{
    CheckStage, DevsFormat, DrawingTheme, FmiVersion, FmuKind, Language, OutputFormat,
    ProgressWhen, Stage,
};
use values::{assignment, count, positive, quantum, rate, size, word};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .usage(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .literal(AnsiColor::Cyan.on_default().effects(Effects::BOLD))
    .placeholder(AnsiColor::Cyan.on_default());

/// Modelica in, trajectories out: compile, simulate, compare and draw models
#[derive(Debug, Parser)]
#[command(name = "ferrica", version, styles = STYLES, after_help = EXAMPLES)]
#[command(max_term_width = 100, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Errors only
    #[arg(long, short = 'q', global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say what is being done and how long it takes
    #[arg(long, short = 'v', global = true)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile and simulate a model
    #[command(after_help = RUN_EXAMPLES, visible_alias = "simulate")]
    Run(RunArgs),
    /// Parse, flatten, balance and analyse a model; report what is wrong
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Show the model as it is after a stage of the compiler
    #[command(after_help = DUMP_EXAMPLES)]
    Dump(DumpArgs),
    /// Run a model with several solvers and compare error, steps and time
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Draw the bond graph of a model with its causal strokes, and diagnose it
    #[command(after_help = BOND_EXAMPLES)]
    Bond(BondArgs),
    /// Draw the diagram of a class: components, connectors and connections
    #[command(after_help = DIAGRAM_EXAMPLES)]
    Diagram(DiagramArgs),
    /// Draw the icon of a class
    #[command(after_help = ICON_EXAMPLES)]
    Icon(IconArgs),
    /// Serve a local page to see, change and run a model
    #[command(after_help = STUDIO_EXAMPLES)]
    Studio(StudioArgs),
    /// Write a model as a coupled DEVS model for other tools
    #[command(after_help = DEVS_EXAMPLES)]
    Devs(DevsArgs),
    /// Run a model with many values of its parameters, one row of results a run
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Write a model with its solver for other programs: as an FMU, or as source code
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// Compare two result files, variable by variable
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArgs),
    /// Linearize a model: A, B, C, D and the eigenvalues around a point of a run
    #[command(after_help = LINEARIZE_EXAMPLES)]
    Linearize(LinearizeArgs),
    /// Find the point at which a model rests, as start values
    #[command(after_help = STEADY_EXAMPLES)]
    Steady(SteadyArgs),
    /// Show how trajectories move with parameters, by exact derivatives
    #[command(after_help = SENSITIVITY_EXAMPLES)]
    Sensitivity(SensitivityArgs),
    /// Find parameters such that runs come nearest to measurements
    #[command(after_help = FIT_EXAMPLES)]
    Fit(FitArgs),
    /// Show the frequencies in a variable of a result file
    #[command(after_help = SPECTRUM_EXAMPLES)]
    Spectrum(SpectrumArgs),
    /// Draw variables of a result file
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// List the variables of a model or of a result file
    #[command(after_help = VARS_EXAMPLES)]
    Vars(VarsArgs),
    /// List the classes of libraries
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Say what a message means and what to do
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Print a script that makes a shell complete commands and flags
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Format source files in one style; words and comments stay
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(FmtArgs),
    /// Serve an editor: messages, hover, definitions, completion, formatting
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(LspArgs),
}

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
    /// mliqss1, mliqss2, mliqss3, cqss, qbg
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
    /// `*` for all (qbg) [default: root of the tolerance times nominal]
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
    #[arg(long, short = 'j', value_name = "N", value_parser = count, allow_negative_numbers = true)]
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

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    #[command(flatten)]
    pub stages: StageArgs,
    /// Begin at rest, at the point that `ferrica steady` finds
    #[arg(long, conflicts_with_all = ["checkpoint", "resume"])]
    pub steady: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// How far to go: `flat` stops when equations and unknowns are counted
    #[arg(long, value_name = "STAGE", value_enum, default_value_t = CheckStage::Kernels)]
    pub stage: CheckStage,
    /// Messages as text, or all of them as one JSON object on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
    /// List the independent parts between delays, their longest steps and the lines between them
    #[arg(long)]
    pub partitions: bool,
    /// Draw the graph of these parts: .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub partition_graph: Option<PathBuf>,
    /// Name the components whose replacement by a transmission line would split the model best
    #[arg(long)]
    pub suggest_lines: bool,
}

#[derive(Debug, Args)]
pub struct VarsArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Only variables whose name matches (`*` and `?`)
    #[arg(value_name = "GLOB")]
    pub globs: Vec<String>,
    /// A table for people, or an array for programs
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: OutputFormat,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// A package, to see what is in it; a part of a name or description; or a pattern with `*` and `?`
    #[arg(value_name = "PATTERN")]
    pub pattern: Option<String>,
    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code of the message, as E0401
    #[arg(value_name = "CODE")]
    pub code: String,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct DumpArgs {
    /// The stage
    #[arg(long, value_name = "STAGE", value_enum)]
    pub stage: Stage,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Write to a file instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

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
pub struct BondArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Picture: .svg or .dot; .mo: the graph as a model of Ferrica.Bonds
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Stop after a step of the construction: 1 nodes, 2 elements, 3 directions, 4 without ground, 5 simplified
    #[arg(long, value_name = "1..5", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub step: u8,
}

/// Which class to draw, and into which file.
#[derive(Debug, Args)]
pub struct DrawingArgs {
    /// A class by its full name, or a file: the last model or block in it unless --model says otherwise
    #[arg(value_name = "CLASS|FILE.mo", required_unless_present = "model")]
    pub target: Option<String>,

    /// The class, by its full name
    #[arg(long, short = 'm', value_name = "NAME")]
    pub model: Option<String>,

    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,

    /// Picture: .svg or .png
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: PathBuf,

    /// Colours of the page
    #[arg(long, value_enum, default_value_t, value_name = "PAGE")]
    pub theme: DrawingTheme,
}

#[derive(Debug, Args)]
pub struct DiagramArgs {
    #[command(flatten)]
    pub drawing: DrawingArgs,

    /// Draw the inside of a component: drive.motor
    #[arg(long, value_name = "PATH")]
    pub component: Option<String>,
}

#[derive(Debug, Args)]
pub struct IconArgs {
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

#[derive(Debug, Args)]
pub struct StudioArgs {
    /// File with the model; saving writes it, and no other one
    #[arg(value_name = "FILE.mo", required_unless_present = "model")]
    pub file: Option<PathBuf>,

    /// The model, by its full name
    #[arg(long, short = 'm', value_name = "NAME")]
    pub model: Option<String>,

    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,

    /// Port of the page [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    /// Address to serve at [default: 127.0.0.1, which only this machine can reach]
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<std::net::IpAddr>,

    /// Run `external "C"` code of users' libraries
    #[arg(long)]
    pub allow_external: bool,
}

#[derive(Debug, Args)]
pub struct DevsArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// For which tool
    #[arg(long, value_name = "TOOL", value_enum)]
    pub format: DevsFormat,
    /// Method of the integrators: qss1 … qss3, liqss1 … liqss3, cqss (PowerDEVS)
    #[arg(long, value_name = "METHOD", default_value = "qss3")]
    pub solver: String,
    /// Their relative and absolute quantum [default: the model's tolerance, else 1e-4]
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
    pub solver: SolverArgs,
    /// Variables that the code can be asked for (`*` and `?`) [default: outputs and states]; that a black box shows
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Folder (c) or archive (fmu) to write to
    #[arg(long, short = 'o', value_name = "PATH")]
    pub output: PathBuf,
    #[command(flatten)]
    pub fmu: FmuArgs,
}

/// What an FMU is like.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "FMU")]
pub struct FmuArgs {
    /// Version of the Functional Mock-up Interface
    #[arg(long, value_name = "N", value_enum, default_value = "3")]
    pub fmi: FmiVersion,

    /// Interfaces: Model Exchange, Co-Simulation
    #[arg(long = "type", value_name = "KIND", value_enum, default_value = "both")]
    pub kind: FmuKind,

    /// Show nothing but inputs, outputs, parameters and what --vars names
    #[arg(long)]
    pub black_box: bool,

    /// C99 source in place of a library: Co-Simulation with a real-time solver, built where it is used
    #[arg(long, conflicts_with = "black_box")]
    pub source: bool,
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

#[derive(Debug, Args)]
pub struct LinearizeArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Times of points, each reached by a run from the start time, or `steady` [default: the start time]
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        value_delimiter = ','
    )]
    pub at: Vec<String>,
    /// Inputs, each with the value it has at the point if that is not its start value: u or u=2 [default: all top-level inputs]
    #[arg(long = "input", value_name = "NAME[=VALUE]", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Outputs: any variables [default: the top-level outputs]
    #[arg(long = "output", value_name = "NAME", value_delimiter = ',')]
    pub outputs: Vec<String>,
    /// Start time [default: from the model, else 0]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Relative tolerance of the run to the point [default: from the model, else 1e-6]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tol: Option<f64>,
    /// Matrices, names and values at the point, .json or .mat, `-` for JSON on standard output; a list of them for several points
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub written: Option<PathBuf>,
    /// Picture of amplitude and phase over frequency, for each input and output
    #[arg(long, value_name = "FILE")]
    pub bode: Option<PathBuf>,
    /// Picture of the eigenvalues
    #[arg(long, value_name = "FILE")]
    pub poles: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Result files: .csv, .mat or .parquet; several are drawn over each other
    #[arg(value_name = "RESULT", required = true, num_args = 1..)]
    pub results: Vec<PathBuf>,
    /// Variables to draw, separated by commas (`*` and `?`), by `;` to start another panel;
    /// without, the variables are listed
    #[arg(short = 'y', long = "vars", value_name = "A,B")]
    pub y: Option<String>,
    /// Variable on the horizontal axis
    #[arg(
        short = 'x',
        long = "over",
        value_name = "NAME",
        default_value = "time"
    )]
    pub x: String,
    /// Picture: .svg, .png or .html; without, drawn in the terminal
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Title of the picture [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Logarithmic vertical axis
    #[arg(long)]
    pub log_y: bool,
    /// Logarithmic horizontal axis
    #[arg(long)]
    pub log_x: bool,
    /// All variables in one panel, whatever their units
    #[arg(long)]
    pub one_panel: bool,
    /// Width and height of the picture in pixels, or of the drawing in characters
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<(usize, usize)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_of_run() {
        let line = "ferrica run rc.mo -m A.B --lib x --lib y -p R.R=5 -p x.start=-1 --solver rt-bdf3 \
                    --start -1 --stop 2 --tol 1e-4 --points 10 --step 1e-3 --iterations 2 \
                    --bdf-start constant --inline implicit-euler --partition tlm --threads 2 \
                    --rate valve=1e-4 -o - --vars C.* --vars R.* --plot C.v --allow-external \
                    --stats s.json --quiet --progress never";
        let cli = parse(&line.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap();
        let Command::Run(run) = cli.command else {
            panic!("not run")
        };
        assert_eq!(
            run.model.params[1],
            Assignment {
                name: "x.start".into(),
                value: "-1".into()
            }
        );
        assert_eq!(run.solver.solver.word(), "rt-bdf3");
        assert_eq!(run.experiment.start, Some(-1.0));
        assert_eq!(run.solver.rates[0].step, Some(1e-4));
        assert_eq!(run.output.vars, ["C.*", "R.*"]);
        assert!(cli.quiet);
    }

    #[test]
    fn wrong_usage_has_exit_code_two() {
        for line in [
            "ferrica run",
            "ferrica run a.mo --solver nonsense",
            "ferrica run a.mo -p R",
            "ferrica run a.mo --interval 1 --points 2",
            "ferrica frobnicate",
            "ferrica dump a.mo",
            "ferrica diff a.csv",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert_eq!(parse("ferrica --help").unwrap_err().exit_code(), 0);
        assert_eq!(parse("ferrica run --help").unwrap_err().exit_code(), 0);
        assert!(parse("ferrica run -m A.B").is_ok());
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Cli::command().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let example = format!("ferrica {} ", command.get_name());
            assert!(
                help.contains("Examples:") && help.contains(&example),
                "{help}"
            );
        }
    }
}

#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Files, or folders whose .mo files are meant
    #[arg(value_name = "FILES")]
    pub paths: Vec<PathBuf>,

    /// Change nothing; list what would change, exit 1 if anything would
    #[arg(long)]
    pub check: bool,

    /// Format standard input to standard output
    #[arg(long, conflicts_with = "paths")]
    pub stdin: bool,

    /// Columns of a line, where its breaks are the formatter's
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(20..=1000))]
    pub width: usize,

    /// Spaces a level
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=16))]
    pub indent: usize,
}

#[derive(Debug, Args)]
pub struct LspArgs {
    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,
}

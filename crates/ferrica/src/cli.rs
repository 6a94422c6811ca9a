//! The arguments of the program. The words are a contract: scripts rely on them.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Effects, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ferrica_sim::SolverKind;

use crate::real_time::RealTimeArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .usage(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .literal(AnsiColor::Cyan.on_default().effects(Effects::BOLD))
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  ferrica run circuit.mo                        simulate the last model in the file
  ferrica run circuit.mo --plot 'C1.v,R1.i'     ... and draw two variables
  ferrica run -m Modelica.Blocks.Examples.PID_Controller --stop 4
  ferrica check circuit.mo                      only look for errors
  ferrica diff reference.csv circuit.csv        are the two results the same?

`ferrica COMMAND --help` shows the flags and examples of a command.";

/// Modelica in, trajectories out: compile, simulate, compare and draw models
#[derive(Debug, Parser)]
#[command(name = "ferrica", version, styles = STYLES, after_help = EXAMPLES)]
#[command(
    disable_help_subcommand = true,
    max_term_width = 100,
    propagate_version = true
)]
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
    #[command(after_help = RUN_EXAMPLES)]
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
    /// Write a model as a coupled DEVS model for other tools
    #[command(after_help = DEVS_EXAMPLES)]
    Devs(DevsArgs),
    /// Run a model with many values of its parameters, one row of results a run
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Write a model with its solver as source code for other machines
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// Compare two result files, variable by variable
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArgs),
    /// Draw variables of a result file
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(PlotArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  ferrica run rc.mo                             results go to rc's MODEL.csv
  ferrica run rc.mo -p R.R=50 -p C.v.start=1    other values, without compiling again
  ferrica run rc.mo --stop 10 --tol 1e-8 -o rc.mat
  ferrica run rc.mo -o - --vars 'C.*' | head    CSV on standard output
  ferrica run rc.mo --solver qss3 --stats cost.json
  ferrica run -m Modelica.Electrical.Analog.Examples.CauerLowPassAnalog --lib ~/libraries";

const CHECK_EXAMPLES: &str = "\
Examples:
  ferrica check circuit.mo
  ferrica check -m Modelica.Blocks.Examples.PID_Controller";

const DUMP_EXAMPLES: &str = "\
Examples:
  ferrica dump --stage flat circuit.mo          all variables and equations
  ferrica dump --stage blocks circuit.mo        in the order they are solved";

const COMPARE_EXAMPLES: &str = "\
Examples:
  ferrica compare circuit.mo --solvers bdf,qss3,rt-bdf3
  ferrica compare circuit.mo --solvers bdf,radau --tols 1e-4,1e-6,1e-8 -o work.svg
  ferrica compare -m Ferrica.Benchmarks.RLC --solvers rt-tr,rt-bdf2,rt-bdf3 --precision low,high \\
      --monitor V3,L1.i --samples 1000 --reference converged
                                                largest steps and fewest iterations that meet a precision";

const BOND_EXAMPLES: &str = "\
Examples:
  ferrica bond motor.mo                         a diagnosis in words
  ferrica bond motor.mo -o motor.svg            and a picture (or .dot)";

const DEVS_EXAMPLES: &str = "\
Examples:
  ferrica devs circuit.mo --format powerdevs -o out/
  ferrica devs circuit.mo --format cdpp -o out/";

const SWEEP_EXAMPLES: &str = "\
Examples:
  ferrica sweep rc.mo -p R.R=10:10:100 --vars C.v       final values for ten resistors
  ferrica sweep rc.mo -p R.R=1,10 -p C.C=1e-6:1e-6:1e-4 -o study.csv
  ferrica sweep rc.mo -p R.R=1,10 -p C.C=1e-6:1e-6:1e-4 -o study.csv --resume";

const EXPORT_EXAMPLES: &str = "\
Examples:
  ferrica export c circuit.mo --solver rt-bdf2 --step 1e-3 -o out/
  make -C out && out/circuit_rt                 builds the demo, which prints CSV";

const DIFF_EXAMPLES: &str = "\
Examples:
  ferrica diff reference.csv result.mat         exit code 1 if they differ
  ferrica diff a.csv b.csv --tol 1e-4 --vars 'C*.v' --worst 10
  ferrica diff reference.csv result.csv --plot worst.svg";

const PLOT_EXAMPLES: &str = "\
Examples:
  ferrica plot rc.csv -y C.v,R.i                in the terminal
  ferrica plot rc.csv -y 'C.*' -o rc.svg        also .png, and .html to zoom in
  ferrica plot rc.csv -y 'C.v,R.v;R.i'          two panels (else one for each unit)
  ferrica plot pendulum.mat -x x -y y           one variable over another
  ferrica plot rc.csv                           list the variables";

/// What to compile.
#[derive(Debug, Default, Args)]
pub struct ModelArgs {
    /// File with the model; the last class in it unless --model says otherwise
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
    #[arg(long, value_name = "X")]
    pub tol: Option<f64>,

    /// Time between output points [default: from the model, else 500 intervals]
    #[arg(long, value_name = "DT", conflicts_with = "points")]
    pub interval: Option<f64>,

    /// Number of output intervals
    #[arg(long, value_name = "N")]
    pub points: Option<usize>,
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
        value_enum,
        hide_possible_values = true,
        default_value_t
    )]
    pub solver: Solver,

    /// Step of the fixed-step solvers
    #[arg(long, value_name = "H")]
    pub step: Option<f64>,

    /// A row at every transition (quantized states)
    #[arg(long)]
    pub steps: bool,

    /// The absolute quantum of a state (quantized states) [default: tolerance times nominal]; of an element, or
    /// `*` for all (qbg) [default: root of the tolerance times nominal]
    #[arg(long = "quantum", value_name = "STATE=DQ", value_parser = quantum)]
    pub quanta: Vec<Quantum>,

    /// Width of the hysteresis in parts of the quantum (qbg) [default: 1]
    #[arg(long, value_name = "PART", value_parser = positive)]
    pub hysteresis: Option<f64>,

    /// Quanta that grow with the value: 0.01 makes each interval 1 % longer than the last (qbg)
    #[arg(long, value_name = "R", value_parser = positive)]
    pub quantum_growth: Option<f64>,

    /// Newton iterations in each step of the real-time solvers
    #[arg(long, value_name = "G")]
    pub iterations: Option<usize>,

    /// How multistep real-time solvers start
    #[arg(long, value_name = "HOW", value_enum)]
    pub bdf_start: Option<BdfStart>,

    /// Replace der by a difference formula before the equations are sorted
    #[arg(long, value_name = "FORMULA", value_enum)]
    pub inline: Option<Inline>,

    /// Solve as one system, or as one for each delay-cut partition
    #[arg(long, value_name = "HOW", value_enum)]
    pub partition: Option<Partition>,

    /// Threads for partitions
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// A partition's own step (valve=1e-5), its own variable-step solver (valve=bdf), or both (valve=bdf:1e-4)
    #[arg(long = "rate", value_name = "PARTITION=H|SOLVER[:H]", value_parser = rate)]
    pub rates: Vec<Rate>,

    /// Lengthen lines that are shorter than the step, with a warning
    #[arg(long)]
    pub stretch: bool,

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

    /// Rows before and after each event: all, none, or until they fill the result (a note says so)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
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
    #[arg(long, value_name = "T")]
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
    /// Runs at a time [default: the number of cores]
    #[arg(long, short = 'j', value_name = "N")]
    pub jobs: Option<usize>,
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
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The last stage of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckStage {
    Flat,
    Kernels,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// How far to go: `flat` stops when equations and unknowns are counted
    #[arg(long, value_name = "STAGE", value_enum, default_value_t = CheckStage::Kernels)]
    pub stage: CheckStage,
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
        value_enum,
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
    #[arg(long, value_name = "N", requires = "precision")]
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
    #[arg(long, value_name = "G")]
    pub iterations: Option<usize>,
    /// How multistep real-time solvers start
    #[arg(long, value_name = "HOW", value_enum)]
    pub bdf_start: Option<BdfStart>,
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

#[derive(Debug, Args)]
pub struct DevsArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// For which tool
    #[arg(long, value_name = "TOOL", value_enum)]
    pub format: DevsFormat,
    /// Folder to write to
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The language
    #[arg(value_name = "LANGUAGE", value_enum)]
    pub language: Language,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    /// Variables that the code can be asked for (`*` and `?`) [default: outputs and states]
    #[arg(long, value_name = "GLOB")]
    pub vars: Vec<String>,
    /// Folder to write to
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99 without heap and recursion
    C,
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
    #[arg(long, value_name = "X", default_value = "2e-3")]
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
    #[arg(long, value_name = "N")]
    pub worst: Option<usize>,
    /// A variable of A that B does not have is a difference too
    #[arg(long)]
    pub strict: bool,
    /// Draw the variable that differs most, both curves: .svg, .png or .html
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Result file: .csv, .mat or .parquet
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    #[default]
    Auto,
    Bdf,
    Radau,
    #[value(name = "dopri5")]
    Dopri5,
    #[value(name = "rk4")]
    Rk4,
    Euler,
    #[value(name = "rt-bdf1")]
    RtBdf1,
    #[value(name = "rt-bdf2")]
    RtBdf2,
    #[value(name = "rt-bdf3")]
    RtBdf3,
    RtTr,
    RtTrnp,
    RtOde,
    #[value(name = "qss1")]
    Qss1,
    #[value(name = "qss2")]
    Qss2,
    #[value(name = "qss3")]
    Qss3,
    #[value(name = "liqss1")]
    Liqss1,
    #[value(name = "liqss2")]
    Liqss2,
    #[value(name = "liqss3")]
    Liqss3,
    #[value(name = "mliqss1")]
    Mliqss1,
    #[value(name = "mliqss2")]
    Mliqss2,
    #[value(name = "mliqss3")]
    Mliqss3,
    Cqss,
    Qbg,
}

impl Solver {
    /// The word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value()
            .map(|v| v.get_name().to_owned())
            .unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BdfStart {
    /// With the trapezoidal rule
    Tr,
    /// As if the values before the start were those at the start
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inline {
    Euler,
    ImplicitEuler,
    Trapezoid,
    #[value(name = "bdf2")]
    Bdf2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Partition {
    None,
    Tlm,
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
    /// Sorted blocks
    Blocks,
    /// Code of the kernels
    Kernels,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EventRows {
    #[default]
    Auto,
    On,
    Off,
}

/// `NAME=VALUE`; the value is a Modelica literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: String,
}

fn assignment(text: &str) -> Result<Assignment, String> {
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
#[derive(Clone, Debug, PartialEq)]
pub struct Quantum {
    pub state: String,
    pub value: f64,
}

fn quantum(text: &str) -> Result<Quantum, String> {
    let wrong = || "write STATE=DQ with a positive quantum, for example C.v=1e-4".to_owned();
    let Assignment { name, value } = assignment(text).map_err(|_| wrong())?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    if value > 0.0 && value.is_finite() {
        Ok(Quantum { state: name, value })
    } else {
        Err(wrong())
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("a positive number is needed".to_owned()),
    }
}

/// `PARTITION=H`, `PARTITION=SOLVER` or `PARTITION=SOLVER:H`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    pub partition: String,
    pub solver: Option<SolverKind>,
    pub step: Option<f64>,
}

fn rate(text: &str) -> Result<Rate, String> {
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

fn size(text: &str) -> Result<(usize, usize), String> {
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
    fn every_solver_of_the_contract_is_a_word() {
        for word in "auto bdf radau dopri5 rk4 euler rt-bdf1 rt-bdf2 rt-bdf3 rt-tr rt-trnp rt-ode \
                     qss1 qss2 qss3 liqss1 liqss2 liqss3 cqss qbg"
            .split_whitespace()
        {
            assert_eq!(Solver::from_str(word, false).unwrap().word(), word);
        }
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

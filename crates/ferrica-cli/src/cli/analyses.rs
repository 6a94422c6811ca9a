//! Arguments of the analyses of a model.

use std::path::PathBuf;

use clap::Args;

use super::{ExperimentArgs, ModelArgs};

#[derive(Debug, Args)]
pub struct SteadyArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Inputs with the values they have at the point: u=2; or a result file, whose columns give the inputs of their names the values at its time [default: their start values]
    #[arg(long = "input", value_name = "NAME=VALUE|FILE", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Values of files in --input stay until the next row [default: straight lines between rows]
    #[arg(long, requires = "inputs")]
    pub hold_inputs: bool,
    /// States that need not rest and keep their start values, as the angle of a shaft that turns
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    pub free: Vec<String>,
    /// Time of the point [default: the start time of the model, else 0]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Where the start values go, one NAME.start=VALUE a line; all variables as JSON if the name ends in .json
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub written: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SensitivityArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Variables whose trajectories are looked at
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    pub of: Vec<String>,
    /// Parameters, or start values of states: R.R, C.v.start
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    pub to: Vec<String>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    /// auto, bdf, radau or dopri5 [default: auto]
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Result file with the trajectories of the variables and of d(NAME)/d(PARAMETER)
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub written: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct FitArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    /// Result file with measurements; columns with the names of inputs drive them. One for each experiment
    #[arg(long, value_name = "FILE", required = true)]
    pub data: Vec<PathBuf>,
    /// Parameter or start value to find, and its bounds; --param NAME=LOW:HIGH is the same
    #[arg(
        long = "find",
        value_name = "NAME=LOW:HIGH",
        required_unless_present = "params"
    )]
    pub unknowns: Vec<String>,
    /// Only these columns are compared [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub of: Vec<String>,
    /// With --of: columns that drive inputs
    #[arg(long = "drive", value_name = "NAME", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Values of inputs in --data stay until the next row, as those of what is switched [default: straight lines between rows]
    #[arg(long)]
    pub hold_inputs: bool,
    /// Start time of the runs [default: from the model, else 0]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Relative tolerance of the runs [default: from the model, else 1e-6]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tol: Option<f64>,
    /// Where the values go, one NAME=VALUE a line
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub written: Option<PathBuf>,
    /// Picture of the measurements with runs before and after
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SpectrumArgs {
    /// Result file
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// The variable
    #[arg(short = 'y', value_name = "NAME")]
    pub y: String,
    /// The fundamental in hertz: the last whole number of its periods is looked at [default: the largest peak]
    #[arg(long, value_name = "HZ")]
    pub fundamental: Option<f64>,
    /// Weights of the samples
    #[arg(long, value_name = "NAME", default_value = "rectangular", value_parser = ["rectangular", "hann", "blackman"])]
    pub window: String,
    /// Frequencies and amplitudes as a table
    #[arg(short = 'o', long = "file", value_name = "FILE.csv")]
    pub written: Option<PathBuf>,
    /// Picture of the amplitudes over frequency
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
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
    /// Inputs, each with the value it has if that is not its start value: u or u=2 [default: all top-level inputs]; or a result file, whose columns drive the inputs of their names along the run
    #[arg(
        long = "input",
        value_name = "NAME[=VALUE]|FILE",
        value_delimiter = ','
    )]
    pub inputs: Vec<String>,
    /// Values of files in --input stay until the next row [default: straight lines between rows]
    #[arg(long, requires = "inputs")]
    pub hold_inputs: bool,
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
    /// Picture of the eigenvalues, and of the zeros from each input to each output
    #[arg(long, value_name = "FILE")]
    pub poles: Option<PathBuf>,
}

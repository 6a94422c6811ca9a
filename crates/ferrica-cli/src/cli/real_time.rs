//! Flags of the real-time solvers.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use ferrica::options::Formulation;

use super::values::word;

/// Flags of the real-time solvers only.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Real time")]
pub struct RealTimeArgs {
    /// What a step solves
    #[arg(long, value_name = "FORM", value_parser = word!(Formulation))]
    pub formulation: Option<Formulation>,

    /// Form and factor the tangent of the full formulation in every iteration
    #[arg(long)]
    pub refactor: bool,

    /// End the iterations of a step once no residual is larger than this
    #[arg(long, value_name = "X")]
    pub residual_tolerance: Option<f64>,

    /// Wait for the clock before each step
    #[arg(long)]
    pub realtime: bool,

    /// Take values of top-level inputs from datagrams that come here, as 127.0.0.1:9000
    #[arg(long, value_name = "ADDRESS:PORT", requires = "realtime")]
    pub listen: Option<SocketAddr>,

    /// Send values of top-level outputs there after each step
    #[arg(long, value_name = "ADDRESS:PORT", requires = "realtime")]
    pub send_to: Option<SocketAddr>,

    /// Picture of the latencies: .svg, .png or .html
    #[arg(long, value_name = "FILE", requires = "realtime")]
    pub latency_plot: Option<PathBuf>,

    /// Time the stages of steps (takes the full formulation)
    #[arg(long)]
    pub stage_times: bool,

    /// Write the norm of the differentiated constraints at output points (takes the full formulation): .csv, .mat or .parquet
    #[arg(long, value_name = "FILE", conflicts_with = "realtime")]
    pub constraint_rates: Option<PathBuf>,

    /// Unknowns whose derivatives by the formula go into the file of --constraint-rates (repeatable)
    #[arg(long, value_name = "GLOB", requires = "constraint_rates")]
    pub rates_of: Vec<String>,
}

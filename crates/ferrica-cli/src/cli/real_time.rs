//! Flags of the real-time solvers.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use clap::Args;
use ferrica::options::Formulation;

use super::values::word;

/// A number or a name with a port; without one, this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let full = match text.strip_prefix(':') {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let wrong = || "write 127.0.0.1:9000, localhost:9000 or :9000".to_owned();
    let all: Vec<SocketAddr> = full.to_socket_addrs().map_err(|_| wrong())?.collect();
    // The older kind first: that is what most peers bind.
    let old = all.iter().find(|a| a.is_ipv4());
    old.or(all.first()).copied().ok_or_else(wrong)
}

/// How a step of the real-time solvers is solved.
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
}

/// One run of these solvers: against the clock, and what it tells of its steps.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Real time")]
pub struct ClockArgs {
    /// Wait for the clock before each step
    #[arg(long)]
    pub realtime: bool,

    /// Take values of top-level inputs from datagrams that come here: 127.0.0.1:9000, localhost:9000, or :9000
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, requires = "realtime")]
    pub listen: Option<SocketAddr>,

    /// End the run where no datagram has come for so many seconds
    #[arg(long, value_name = "SECONDS", requires = "listen")]
    pub listen_timeout: Option<f64>,

    /// Send values of top-level outputs there after each step
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, requires = "realtime")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_by_number_name_and_port_alone() {
        for text in ["127.0.0.1:9000", "localhost:9000", ":9000"] {
            let found = address(text).unwrap();
            assert_eq!(
                (found.ip().is_loopback(), found.port()),
                (true, 9000),
                "{text}"
            );
        }
        for text in ["9000", "localhost", "127.0.0.1:", ":70000"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}

//! `ferrica completions SHELL`: a script that makes a shell complete commands and flags.

use clap::CommandFactory;

use crate::Outcome;
use crate::cli::{Cli, CompletionsArgs};
use crate::terminal::print_out;

pub fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ferrica", &mut script);
    print_out(&String::from_utf8_lossy(&script))
}

//! The `ferrica` program: arguments in; files, pictures, messages and an exit code out.
//!
//! **Invariant**: standard output carries only what was asked for; everything else goes to standard
//! error. Exit codes: 0 success, 1 the model or the simulation failed, 2 wrong usage.

mod cli;
mod commands;
mod diagnostics;
mod inputs;
mod interrupt;
mod library;
mod progress;
mod reporter;
mod terminal;

use std::process::ExitCode;

use clap::Parser;
use ferrica::engines::ranks;
use ferrica::failure::Failure;

use cli::{Cli, Command};
use reporter::Reporter;

fn main() -> ExitCode {
    // Wrong usage ends here, with exit code 2 and a message on standard error.
    let began = std::time::Instant::now();
    let cli = Cli::try_parse().unwrap_or_else(|e| cli::with_suggestion(e).exit());
    ferrica_fmi::trust_own_fmus();
    let _job = ranks::join();
    let mut reporter = Reporter::new(cli.quiet || ranks::rank() > 0, cli.verbose);
    let outcome = match &cli.command {
        Command::Run(args) => commands::run::run(args, &mut reporter),
        Command::Check(args) => commands::check::check(args, &mut reporter),
        Command::Dump(args) => commands::dump::dump(args, &mut reporter),
        Command::Compare(args) => commands::compare::compare(args, &mut reporter),
        Command::Bond(args) => commands::bond::bond(args, &mut reporter),
        Command::Diagram(args) => commands::diagram::diagram(args, &mut reporter),
        Command::Icon(args) => commands::diagram::icon(args, &mut reporter),
        Command::Devs(args) => commands::devs::devs(args, &mut reporter),
        Command::Export(args) => commands::export::export(args, &mut reporter),
        Command::Import(args) => commands::import::import(args, &mut reporter),
        Command::Diff(args) => commands::diff::diff(args, &mut reporter),
        Command::Studio(args) => commands::studio::studio(args, &mut reporter),
        Command::Sweep(args) => commands::sweep::sweep(args, &mut reporter),
        Command::Lsp(args) => commands::lsp::lsp(args),
        Command::Fmt(args) => commands::fmt::fmt(args, &mut reporter),
        Command::Linearize(args) => commands::linearize::linearize(args, &mut reporter),
        Command::Steady(args) => commands::steady::steady(args, &mut reporter),
        Command::Sensitivity(args) => commands::sensitivity::sensitivity(args, &mut reporter),
        Command::Fit(args) => commands::fit::fit(args, &mut reporter),
        Command::Spectrum(args) => commands::spectrum::spectrum(args, &mut reporter),
        Command::Plot(args) => commands::plot::plot(args, &mut reporter),
        Command::Vars(args) => commands::vars::vars(args, &mut reporter),
        Command::List(args) => commands::list::list(args, &mut reporter),
        Command::Doc(args) => commands::doc::doc(args, &mut reporter),
        Command::Man(args) => commands::man::man(args),
        Command::Explain(args) => commands::explain::explain(args),
        Command::Completions(args) => commands::completions::completions(args),
    };
    reporter.detail(&format!("took {:.3} s", began.elapsed().as_secs_f64()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            ranks::failed(|| reporter.failure(&failure), failure.exit_code());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// How a command ends.
pub type Outcome = Result<(), Failure>;

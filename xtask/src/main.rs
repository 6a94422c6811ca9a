//! Chores of the project that cargo itself has no command for: `cargo xtask COMMAND`.

mod baseline;
mod builtin;
mod child;
mod ci;
mod compliance;
mod diagnosis;
mod differential;
mod dist;
mod editors;
mod examples;
mod fmi;
mod format;
mod fuzz;
mod interfaces;
mod jobs;
mod json;
mod library;
mod msl;
mod options;
mod python;
mod random;
mod report;
mod residuals;
mod steady;
mod studio;

use std::process::ExitCode;

use python::Outcome;

const USAGE: &str = "\
cargo xtask ci                                      formatting, lints, all tests, the Python package
cargo xtask python                                  the Python package: built, tested, type-checked
cargo xtask editors                                 the language server in pytest-lsp and Neovim, the VS Code extension packaged
cargo xtask fmi                                     FMUs in FMPy, CasADi and fmutool
cargo xtask dist                                    an archive and a Debian package with all that a user needs, in target/dist
cargo xtask msl --lib DIR [--ref DIR] [options]     the examples of the Modelica Standard Library
cargo xtask compliance --lib DIR [options]          the ModelicaCompliance package
cargo xtask format --lib DIR                        the formatter on every file of a library
cargo xtask builtin --lib DIR [options]             the built-in library against the standard one
cargo xtask library --lib DIR... [options]          any library: its models with an experiment, failures by their cause
cargo xtask steady --lib DIR [options]              operating points of the examples, and runs that must stay there
cargo xtask differential [--count N] [--seed S]     random hybrid models in every engine against an interpreter
cargo xtask fuzz [--count N] [--seed S]             mutated texts through `check` and every engine: no panic, no hang
cargo xtask residuals --lib DIR [options]           the rows of the standard library's examples satisfy their equations

Options of `msl`:
  --table FILE          the examples [default: ../shared/data/msl_examples.tsv]
  --ladder FILE         only the examples of this list, counted by rung
  --stage STAGE         how far to go: flat, compile, simulate [default: simulate with --ref, else compile]
  --json FILE           what happened to each model
  --keep DIR            keep the results
  --baseline FILE       what held before [default: bench/msl-baseline.json]
  --update              write the baseline; fails if a model fell back

Options of `library` (the first --lib is tried, the others are what it needs):
  --sample N            only so many models, chosen at random
  --seed S              of the choice [default: 1]
  --json FILE           what happened to each model

Options of `residuals` (and --sample, --seed, --json as above, --table as of `msl`):
  --solvers A,B         the solvers [default: auto,bdf,radau,dopri5,liqss2,rt-tr]

Options of `differential` and `fuzz`:
  --count N             models [default: 100]
  --seed S              the first of them [default: 1]
  --filter PART         only engines whose name contains this

Options of all:
  --lib DIR             folder with the libraries (may be repeated)
  --ferrica FILE        the program [default: target/release/ferrica, built first]
  --jobs N              models at a time [default: 2]
  --filter SUBSTR       only models whose name contains this
  --solver NAME         solver to use instead of the default one (no comparison with the baseline)
  --rungs N             with --ladder: only rungs 1 to N
  --limit-seconds S     for each model [default: 10]
  --memory-gb G         for each model [default: 4]";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    if command == "ci" {
        return finish(ci::run());
    }
    if command == "python" {
        return finish(python::run().map(|done| done != Outcome::Failed));
    }
    if command == "fmi" {
        return finish(fmi::run().map(|done| done != Outcome::Failed));
    }
    if command == "editors" {
        let all = |parts: Vec<(_, Outcome)>| {
            for (part, outcome) in &parts {
                println!("{part}: {outcome:?}");
            }
            parts.iter().all(|(_, o)| *o != Outcome::Failed)
        };
        return finish(editors::run().map(all));
    }
    let result = options::Options::parse(args).and_then(|options| match command.as_str() {
        "msl" => msl::run(&options.with_libraries()?),
        "compliance" => compliance::run(&options.with_libraries()?),
        "builtin" => builtin::run(&options.with_libraries()?),
        "library" => library::run(&options.with_libraries()?),
        "steady" => steady::run(&options.with_libraries()?),
        "dist" => dist::run(&options),
        "differential" => differential::run(&options),
        "format" => format::run(&options.with_libraries()?),
        "fuzz" => fuzz::run(&options),
        "residuals" => residuals::run(&options.with_libraries()?),
        _ => Err(format!("unknown command `{command}`\n\n{USAGE}")),
    });
    finish(result)
}

fn finish(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

//! The arguments of the program. The words are a contract: scripts rely on them.

use clap::builder::styling::{AnsiColor, Effects, Styles};
use clap::{Parser, Subcommand};

mod analyses;
mod comparing;
mod examples;
mod exports;
mod options;
mod pictures;
mod real_time;
mod runs;
mod suggestions;
mod texts;
mod values;

pub use analyses::{FitArgs, LinearizeArgs, SensitivityArgs, SpectrumArgs, SteadyArgs};
pub use comparing::{CompareArgs, DiffArgs};
use examples::*;
pub use exports::{DevsArgs, ExportArgs, ImportArgs};
pub use pictures::{BondArgs, DiagramArgs, DrawingArgs, IconArgs, PlotArgs};
pub use runs::{ExperimentArgs, ModelArgs, RunArgs, SolverArgs, StageArgs, SweepArgs};
pub use suggestions::with_suggestion;
pub use texts::{
    CheckArgs, CompletionsArgs, DocArgs, DumpArgs, ExplainArgs, FmtArgs, ListArgs, LspArgs,
    ManArgs, StudioArgs, VarsArgs,
};
pub use values::{
    CheckStage, DevsFormat, FmuKind, ImportKind, Language, OutputFormat, ProgressWhen, Stage,
};

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
    Run(Box<RunArgs>),
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
    #[command(after_help = BOND_EXAMPLES, mut_arg("allow_external", |arg| arg.hide(true)))]
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
    /// Write a block of Modelica that runs an FMU
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArgs),
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
    /// Show the interface and the documentation of a class
    #[command(after_help = DOC_EXAMPLES)]
    Doc(DocArgs),
    /// Say what a message means and what to do
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Print a script that makes a shell complete commands and flags
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(after_help = MAN_EXAMPLES)]
    Man(ManArgs),
    /// Format source files in one style; words and comments stay
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(FmtArgs),
    /// Serve an editor: messages, hover, definitions, completion, formatting
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(LspArgs),
}

#[cfg(test)]
mod tests {
    use ferrica::options::Assignment;

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

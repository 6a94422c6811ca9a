//! Arguments of what looks at texts and classes, of editors and of the studio.

use std::path::PathBuf;

use clap::Args;

use super::runs::ModelArgs;
use super::values::{CheckStage, DrawingTheme, OutputFormat, Stage};

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
    /// Write to a file instead of standard output; .svg and .png draw the stages matching and graph
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// For which pages a picture is made [default: auto]
    #[arg(long, value_name = "THEME", value_enum)]
    pub theme: Option<DrawingTheme>,
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
pub struct DocArgs {
    /// A class by its full name, or a file: the last model or block in it
    #[arg(value_name = "CLASS|FILE.mo")]
    pub class: String,
    /// Folder with libraries, or a library
    #[arg(long = "lib", value_name = "DIR")]
    pub libs: Vec<PathBuf>,
    /// A page of HTML with the icon, instead of text in the terminal
    #[arg(long, short = 'o', value_name = "FILE.html")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write the pages to
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

//! Arguments of what draws.

use std::path::PathBuf;

use clap::Args;

use super::runs::ModelArgs;
use super::values::{DrawingTheme, size};

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
pub struct PlotArgs {
    /// Result files: .csv, .mat or .parquet; several are drawn over each other
    #[arg(value_name = "RESULT", required = true, num_args = 1..)]
    pub results: Vec<PathBuf>,
    /// Variables (`*` and `?`) and formulas such as `R.p.v - R.n.v` to draw, separated by commas, by `;` to start
    /// another panel; without, the variables are listed
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

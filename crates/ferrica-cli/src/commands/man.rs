//! `ferrica man DIR`: the manual pages, made from the same words as `--help`.

use clap::CommandFactory;

use crate::Outcome;
use crate::cli::{Cli, ManArgs};
use ferrica::failure::Failure;

pub fn man(args: &ManArgs) -> Outcome {
    let failed = |e: std::io::Error| Failure::io(args.folder.display(), &e);
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(failed)
}

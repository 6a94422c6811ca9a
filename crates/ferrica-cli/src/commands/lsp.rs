//! `ferrica lsp`: the language server for editors.

use ferrica::failure::Failure;

use crate::Outcome;
use crate::cli::LspArgs;

pub fn lsp(args: &LspArgs) -> Outcome {
    ferrica_lsp::serve(&args.libs).map_err(Failure::Io)
}

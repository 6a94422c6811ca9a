//! One file a command: `fn(arguments, reporter) -> Outcome`.

pub mod bond;
pub mod check;
pub mod compare;
pub mod completions;
pub mod devs;
pub mod diagram;
pub mod diff;
pub mod doc;
pub mod dump;
pub mod explain;
pub mod export;
mod export_fmu;
pub mod fit;
pub mod fmt;
pub mod import;
pub mod linearize;
pub mod list;
pub mod lsp;
pub mod man;
pub mod plot;
pub mod precision;
pub mod run;
pub mod sensitivity;
pub mod spectrum;
pub mod steady;
pub mod studio;
pub mod sweep;
pub mod vars;


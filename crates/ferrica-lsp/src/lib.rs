//! The language server: LSP messages in and out over standard input and output.
//!
//! `server` is the loop; `documents` holds the open texts; `analysis` is the compiler's view of one of them; `cursor` says what stands at a
//! place. Each feature is a file of its own and a function from these to an answer. Everything that is said about names comes from the
//! lookup of the compiler, everything that is wrong from `ferrica check`.

mod analysis;
mod checking;
mod completion;
mod cursor;
mod documents;
mod markdown;
mod navigation;
mod outline;
mod position;
mod server;
mod tokens;

pub use server::{serve, serve_over};

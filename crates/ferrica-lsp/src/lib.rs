//! The language server: LSP messages in and out over standard input and output.
//!
//! `server` is the loop, `requests` its table of questions; `documents` holds the open texts, `world` what is around them; `analysis` is
//! the compiler's view of one of them; `occurrences` says what every identifier is, `resolver` what it means, `cursor` what surrounds a
//! place in a half-written text. Each feature is a file of its own and a function from these to an answer. Everything that is said about
//! names comes from the lookup of the compiler, everything that is wrong from `ferrica check`.

mod analysis;
mod capabilities;
mod checking;
mod commands;
mod completion;
mod cursor;
mod documents;
mod fixes;
mod hover;
mod inlay;
mod links;
mod markdown;
mod navigation;
mod occurrences;
mod outline;
mod position;
mod references;
mod rename;
mod requests;
mod resolver;
mod selection;
mod server;
mod signature;
mod stdio;
mod symbols;
mod tokens;
mod world;

pub use server::{serve, serve_over};

//! The studio: one local web page to see a model, change it and run it.
//!
//! In: a file or a class, a port. Out: a server on this machine that answers until it is ended. Reading order:
//!
//! - `http`: requests and answers of HTTP/1.1, one a connection; `guard`: who may ask;
//! - `server`: connections and which question goes where;
//! - `tab`: what one page of a browser works on: text, compiled model, runs;
//! - `views`: diagram, bond graph, blocks; `browse`: the classes of libraries; `running`: runs that tell how they are doing;
//! - `live`: a run along the clock; `limits`: what a request may cost;
//! - `compare`: several solvers against an exact run; `events`: what changed when.
//!
//! **Invariant:** nothing is read by a path from a request, and only the file that the user opened is ever written.

mod browse;
mod compare;
mod events;
mod guard;
mod http;
mod limits;
mod live;
mod running;
mod server;
mod tab;
mod views;

use std::net::IpAddr;
use std::path::PathBuf;

pub use limits::Limits;
pub use server::Studio;

/// What to open, and where to serve it.
#[derive(Clone, Debug)]
pub struct Options {
    pub file: Option<PathBuf>,
    pub model: Option<String>,
    pub libs: Vec<PathBuf>,
    pub allow_external: bool,
    pub host: IpAddr,
    /// Zero: any that is free.
    pub port: u16,
    pub limits: Limits,
}

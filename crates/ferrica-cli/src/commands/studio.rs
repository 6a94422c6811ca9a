//! `ferrica studio`: a local page to see, change and run a model.

use std::net::{IpAddr, Ipv4Addr};

use ferrica::failure::Failure;
use ferrica_studio::{Limits, Options, Studio};

use crate::Outcome;
use crate::cli::StudioArgs;
use crate::reporter::Reporter;
use crate::terminal::print_out;

pub fn studio(args: &StudioArgs, reporter: &mut Reporter) -> Outcome {
    for path in args.libs.iter().chain(&args.file) {
        if !path.exists() {
            return Err(Failure::usage(format!("{}: no such file", path.display())));
        }
    }
    let host = args.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if !host.is_loopback() {
        reporter.warning(&format!(
            "{host} can be reached by others; whoever has the address with its token can run models here"
        ));
    }
    let options = Options {
        file: args.file.clone(),
        model: args.model.clone(),
        libs: args.libs.clone(),
        allow_external: args.allow_external,
        host,
        port: args.port,
        limits: Limits::default(),
    };
    let failed = |e| Failure::io(format!("{host}:{}", args.port), &e);
    let studio = Studio::bind(options).map_err(failed)?;
    print_out(&format!("{}\n", studio.url().map_err(failed)?))?;
    studio.serve();
    Ok(())
}

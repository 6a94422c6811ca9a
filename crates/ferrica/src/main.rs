//! The `ferrica` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ferrica::main()
}

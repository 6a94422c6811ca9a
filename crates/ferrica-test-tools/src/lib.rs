//! `#[needs("cc", "make")]` above `#[test]`: a test that needs programs which may not be installed.
//!
//! Where one of them is missing when the test is compiled, the test is ignored, and the test runner says so and why; it never
//! passes without having done its work. `cargo xtask ci` lists such tests, and fails where `CI` is set.

use std::path::PathBuf;
use std::str::FromStr;

use proc_macro::{TokenStream, TokenTree};

/// See the comment of the crate.
#[proc_macro_attribute]
pub fn needs(programs: TokenStream, test: TokenStream) -> TokenStream {
    let literals = programs.into_iter().filter_map(|token| match token {
        TokenTree::Literal(literal) => Some(literal.to_string().trim_matches('"').to_owned()),
        _ => None,
    });
    let missing: Vec<String> = literals.filter(|program| !is_installed(program)).collect();
    if missing.is_empty() {
        return test;
    }
    let ignore = format!("#[ignore = \"needs {}\"]", missing.join(", "));
    let mut out = TokenStream::from_str(&ignore).unwrap_or_default();
    out.extend(test);
    out
}

/// Is there such a file in one of the folders of `PATH`?
fn is_installed(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else {
        return false;
    };
    let mut folders = std::env::split_paths(&path);
    folders.any(|folder: PathBuf| {
        let file = folder.join(program);
        file.is_file() || file.with_extension("exe").is_file()
    })
}

//! A shared library of the same build as bytes in a program.
//!
//! Cargo has built the libraries of all dependencies, shared ones too, before it compiles a program; the path is known then, and
//! the file is there. When the program is only checked nothing is built, and there is nothing to embed: the bytes are
//! none then.

use proc_macro::TokenStream;

/// The bytes of the file that the environment variable `FERRICA_FMU_LIBRARY` names while the program is compiled.
#[proc_macro]
pub fn fmu_library(_: TokenStream) -> TokenStream {
    let path = std::env::var("FERRICA_FMU_LIBRARY").unwrap_or_default();
    let text = if std::path::Path::new(&path).is_file() {
        format!("include_bytes!({path:?}).as_slice()")
    } else {
        "(&[] as &[u8])".to_owned()
    };
    text.parse().unwrap_or_default()
}

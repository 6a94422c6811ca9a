//! A shared library of the same build as bytes in a program.
//!
//! Cargo has built the libraries of all dependencies, shared ones too, before it compiles a program; the path is known then, and
//! the file is there. When the program is only checked nothing is built, and there is nothing to embed: the bytes are
//! none then.

use std::path::{Path, PathBuf};

use proc_macro::TokenStream;

/// The run-time library of FMUs among the dependencies of the profile that is being built. Its place follows from `OUT_DIR` of the crate that asks, …/PROFILE/build/CRATE-HASH/out,
/// which is true also where the folder of the build was copied or moved: what a build script once printed is not.
fn library() -> Option<PathBuf> {
    let out = std::env::var_os("OUT_DIR")?;
    let profile = Path::new(&out).ancestors().nth(3)?;
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = profile
        .join("deps")
        .join(format!("{prefix}ferrica_fmu{suffix}"));
    path.is_file().then_some(path)
}

/// The bytes of the run-time library.
#[proc_macro]
pub fn fmu_library(_: TokenStream) -> TokenStream {
    let text = match library() {
        Some(path) => format!(
            "include_bytes!({:?}).as_slice()",
            path.display().to_string()
        ),
        None => "(&[] as &[u8])".to_owned(),
    };
    text.parse().unwrap_or_default()
}

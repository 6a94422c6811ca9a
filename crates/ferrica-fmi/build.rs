//! Where the run-time library of FMUs will be when this crate is compiled: among the dependencies of the same profile.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default());
    // …/PROFILE/build/ferrica-fmi-HASH/out
    if let Some(profile) = out.ancestors().nth(3) {
        let prefix = std::env::consts::DLL_PREFIX;
        let name = format!("{prefix}ferrica_fmu{}", std::env::consts::DLL_SUFFIX);
        let library = profile.join("deps").join(name);
        println!("cargo::rustc-env=FERRICA_FMU_LIBRARY={}", library.display());
    }
}

//! Nothing is to be built: a crate with a build script is told its `OUT_DIR`, from which `ferrica_embed` knows the folder of the same profile.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

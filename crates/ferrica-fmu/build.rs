//! The shared library travels in every archive: without symbols and lines.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--gc-sections");
    }
}

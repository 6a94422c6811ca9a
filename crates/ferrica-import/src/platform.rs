//! Names of machines in FMI.

/// The folder below `binaries/` in FMI 2.0 and 3.0; none for machines that we do not know.
pub fn folders() -> Option<(&'static str, &'static str)> {
    Some(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => ("linux64", "x86_64-linux"),
        ("linux", "aarch64") => ("aarch64-linux", "aarch64-linux"),
        ("macos", "x86_64") => ("darwin64", "x86_64-darwin"),
        ("macos", "aarch64") => ("aarch64-darwin", "aarch64-darwin"),
        ("windows", "x86_64") => ("win64", "x86_64-windows"),
        _ => return None,
    })
}

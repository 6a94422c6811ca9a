//! The command line and the faces stand on the library `ferrica`, not on the crates inside of it.

use std::path::Path;

/// The crates of this workspace among the dependencies of a crate, without those of its tests.
fn own_dependencies(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let (_, rest) = text.split_once("\n[dependencies]\n").unwrap();
    let lines = rest.lines().take_while(|l| !l.starts_with('['));
    let names = lines.filter_map(|l| l.split([' ', '.', '=']).next());
    let own = names.filter(|n| n.starts_with("ferrica"));
    own.map(str::to_owned).collect()
}

#[test]
fn the_command_line_knows_the_library_and_its_faces_only() {
    let own = own_dependencies("crates/ferrica-cli");
    assert_eq!(
        own,
        ["ferrica", "ferrica-fmi", "ferrica-lsp", "ferrica-studio"]
    );
}

#[test]
fn the_python_package_knows_the_library_and_the_export_only() {
    let own = own_dependencies("python");
    assert!(
        own.iter().all(|n| n == "ferrica" || n == "ferrica-fmi"),
        "{own:?}"
    );
}

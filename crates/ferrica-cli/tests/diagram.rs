//! `ferrica diagram` and `ferrica icon`: files, colours, refusals.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::folder;

const RC: &str = "model RC
  Modelica.Electrical.Analog.Basic.Resistor R(R=100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3);
equation
  connect(R.n, C.p);
end RC;
";

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    command.current_dir(folder).args(args).output().unwrap()
}

#[test]
fn a_diagram_has_components_and_connections() {
    let folder = folder("diagram_rc");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let done = ferrica(&folder, &["diagram", "rc.mo", "-o", "rc.svg"]);
    assert!(done.status.success(), "{done:?}");
    let svg = fs::read_to_string(folder.join("rc.svg")).unwrap();
    for part in [
        "<g id=\"R\" class=\"component\">",
        "<g id=\"R.n\" class=\"connector\">",
        "<g id=\"R.n--C.p\" class=\"connection\">",
        ">R = 100 Ω</text>",
        "prefers-color-scheme: dark",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    let dark = ["diagram", "rc.mo", "-o", "dark.png", "--theme", "dark"];
    assert!(ferrica(&folder, &dark).status.success());
    let png = fs::read(folder.join("dark.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
}

#[test]
fn an_icon_by_the_name_of_its_class() {
    let folder = folder("icon_class");
    let class = "Modelica.Electrical.Analog.Basic.Resistor";
    let done = ferrica(&folder, &["icon", class, "-o", "r.svg"]);
    assert!(done.status.success(), "{done:?}");
    let svg = fs::read_to_string(folder.join("r.svg")).unwrap();
    assert!(svg.contains("<title>Modelica.Electrical.Analog.Basic.Resistor</title>"));
    assert!(svg.contains("<g id=\"p\" class=\"connector\">"));
}

#[test]
fn wrong_names_are_told() {
    let folder = folder("diagram_wrong");
    fs::write(folder.join("rc.mo"), RC).unwrap();
    let code = |args: &[&str]| ferrica(&folder, args).status.code();
    assert_eq!(code(&["diagram", "rc.mo", "-o", "rc.csv"]), Some(2));
    assert_eq!(code(&["diagram", "rc.mo", "-o", "rc.mo"]), Some(2));
    assert_eq!(code(&["diagram", "No.Such.Class", "-o", "x.svg"]), Some(1));
    let inside = ["diagram", "rc.mo", "--component", "X", "-o", "x.svg"];
    assert_eq!(code(&inside), Some(2));
    assert_eq!(fs::read_to_string(folder.join("rc.mo")).unwrap(), RC);
}

//! `ferrica run system.ssp`: systems of FMUs against closed forms.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod common;

fn ferrica(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

fn done(folder: &Path, args: &[&str]) -> String {
    let out = ferrica(folder, args);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args:?}: {text}");
    String::from_utf8(out.stdout).unwrap()
}

/// The value of a column in the last row.
fn last(csv: &str, name: &str) -> f64 {
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = names.iter().position(|n| *n == name);
    let column = column.unwrap_or_else(|| panic!("no {name} in {names:?}"));
    let row = csv.lines().last().unwrap();
    row.split(',').nth(column).unwrap().parse().unwrap()
}

const ROAD: &str = "model Road parameter Real k(unit = \"km/s\") = 0.1; output Real x(unit = \"km\", start = 0, fixed = true);
equation der(x) = k; end Road;";
const METER: &str = "model Meter parameter Real gain = 1; input Real u(unit = \"m\", start = 7);
output Real z(start = 0, fixed = true); equation der(z) = gain*u; end Meter;";

/// A folder with archives of both models.
fn fmus(name: &str) -> PathBuf {
    let folder = common::folder(name);
    for (name, text) in [("Road", ROAD), ("Meter", METER)] {
        export(&folder, name, text, "3");
    }
    folder
}

fn export(folder: &Path, name: &str, text: &str, version: &str) {
    let (model, fmu) = (format!("{name}.mo"), format!("{name}.fmu"));
    fs::write(folder.join(&model), text).unwrap();
    let words = ["--fmi", version, "--tol", "1e-9", "-o", &fmu];
    done(folder, &[&["export", "fmu", &model], &words[..]].concat());
}

/// A system of both models.
fn archive(folder: &Path, ssd: &str, more: &[(&str, &str)]) {
    archive_of(folder, ssd, &["Road.fmu", "Meter.fmu"], more);
}

/// A system of FMUs.
fn archive_of(folder: &Path, ssd: &str, fmus: &[&str], more: &[(&str, &str)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.join("s.ssp")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    let mut add = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    };
    add("SystemStructure.ssd", ssd.as_bytes());
    for name in fmus {
        let bytes = fs::read(folder.join(name)).unwrap();
        add(&format!("resources/{name}"), &bytes);
    }
    for (name, text) in more {
        add(name, text.as_bytes());
    }
    zip.finish().unwrap();
}

/// A description around the inside of its system.
fn description(system: &str) -> String {
    format!(
        "<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\"
  xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\"
  xmlns:ssm=\"http://ssp-standard.org/SSP1/SystemStructureParameterMapping\" version=\"1.0\" name=\"s\">
  <ssd:System name=\"Trip\">{system}</ssd:System>
  <ssd:DefaultExperiment startTime=\"0\" stopTime=\"2\"/>
</ssd:SystemStructureDescription>"
    )
}

fn components(kind: &str) -> String {
    format!(
        "<ssd:Component name=\"road\" source=\"resources/Road.fmu\" implementation=\"{kind}\"><ssd:Connectors>
        <ssd:Connector name=\"x\" kind=\"output\"><ssc:Real unit=\"km\"/></ssd:Connector></ssd:Connectors></ssd:Component>
      <ssd:Component name=\"meter\" source=\"resources/Meter.fmu\" implementation=\"{kind}\"><ssd:Connectors>
        <ssd:Connector name=\"u\" kind=\"input\"/></ssd:Connectors></ssd:Component>"
    )
}

const CONNECTION: &str = "<ssd:Connection startElement=\"road\" startConnector=\"x\" endElement=\"meter\" endConnector=\"u\">";

/// ẋ = 0.5 km/s, of a set that has it in m/s; u = 2·(x in m) + 1; ż = 3 u with the gain from a mapping: z(2) = 3 (500·2² + 2).
#[test]
fn units_factors_and_parameter_sets() {
    let folder = fmus("ssp-sets");
    let values = "<ssv:ParameterSet xmlns:ssv=\"v\" version=\"1.0\" name=\"p\"><ssv:Parameters>
        <ssv:Parameter name=\"speed\"><ssv:Real value=\"500\" unit=\"m/s\"/></ssv:Parameter>
        <ssv:Parameter name=\"G\"><ssv:Real value=\"1.5\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>";
    let mapping = "<ssm:ParameterMapping xmlns:ssm=\"m\" xmlns:ssc=\"c\" version=\"1.0\"><ssm:MappingEntry source=\"speed\" target=\"road.k\"/>
        <ssm:MappingEntry source=\"G\" target=\"meter.gain\"><ssc:LinearTransformation factor=\"2\"/></ssm:MappingEntry></ssm:ParameterMapping>";
    for (kind, bound) in [
        ("any", 1e-5),
        ("ModelExchange", 1e-5),
        ("CoSimulation", 30.0),
    ] {
        let system = format!(
            "<ssd:ParameterBindings><ssd:ParameterBinding source=\"resources/p.ssv\"><ssd:ParameterMapping source=\"resources/p.ssm\"/>
             </ssd:ParameterBinding></ssd:ParameterBindings><ssd:Elements>{}</ssd:Elements><ssd:Connections>{CONNECTION}
             <ssc:LinearTransformation factor=\"2\" offset=\"1\"/></ssd:Connection></ssd:Connections>",
            components(kind)
        );
        let more = [("resources/p.ssv", values), ("resources/p.ssm", mapping)];
        archive(&folder, &description(&system), &more);
        let csv = done(&folder, &["run", "s.ssp", "-o", "-"]);
        let error = last(&csv, "meter.z") - 3.0 * (500.0 * 4.0 + 2.0);
        assert!(error.abs() < bound, "{kind}: {error}");
    }
    done(&folder, &["import", "s.ssp", "-o", "Trip.mo"]);
    let csv = done(&folder, &["run", "Trip.mo", "-o", "-"]);
    assert!((last(&csv, "meter.z") - 6006.0).abs() < 30.0);
}

/// A system in a system, with an own unit of the archive, a value of an inner set that the outer one replaces, and an open input, which keeps its start value 7: z = 7·2·2.
#[test]
fn systems_in_systems() {
    let folder = fmus("ssp-nested");
    let set = |name: &str, value: f64| {
        format!(
            "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\"><ssv:Parameters>
             <ssv:Parameter name=\"{name}\"><ssv:Real value=\"{value}\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
             </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"
        )
    };
    let inner = format!(
        "<ssd:System name=\"part\"><ssd:Connectors><ssd:Connector name=\"there\" kind=\"output\"><ssc:Real unit=\"mile\"/></ssd:Connector>
         </ssd:Connectors>{}<ssd:Elements>{}</ssd:Elements><ssd:Connections><ssd:Connection startElement=\"road\" startConnector=\"x\"
         endConnector=\"there\"/></ssd:Connections></ssd:System>",
        set("meter.gain", 5.0),
        components("any")
    );
    let outer = format!(
        "<ssd:Connectors><ssd:Connector name=\"y\" kind=\"output\"><ssc:Real unit=\"mile\"/></ssd:Connector></ssd:Connectors>{}
         <ssd:Elements>{inner}</ssd:Elements><ssd:Connections><ssd:Connection startElement=\"part\" startConnector=\"there\" endConnector=\"y\"/>
         </ssd:Connections>",
        set("part.meter.gain", 2.0)
    );
    let text = description(&outer);
    let units = "<ssd:Units><ssc:Unit name=\"mile\"><ssc:BaseUnit m=\"1\" factor=\"1609.344\"/></ssc:Unit></ssd:Units></ssd:SystemStructureDescription>";
    let text = text.replace("</ssd:SystemStructureDescription>", units);
    archive(&folder, &text, &[]);
    let csv = done(&folder, &["run", "s.ssp", "-o", "-"]);
    assert!((last(&csv, "part.meter.z") - 2.0 * 7.0 * 2.0).abs() < 1e-6);
    let miles = 0.1 * 2.0 * 1000.0 / 1609.344;
    assert!((last(&csv, "y") - miles).abs() < 1e-9);
}

/// What cannot be run is refused with its reason.
#[test]
fn bad_systems_are_refused() {
    let folder = fmus("ssp-bad");
    let wrong = |system: &str| {
        archive(&folder, &description(system), &[]);
        let out = ferrica(&folder, &["run", "s.ssp", "-o", "-"]);
        assert_eq!(out.status.code(), Some(1));
        String::from_utf8(out.stderr).unwrap()
    };
    let elements = format!("<ssd:Elements>{}</ssd:Elements>", components("any"));
    let connected = |from: &str, to: &str| {
        format!(
            "{elements}<ssd:Connections><ssd:Connection startElement=\"road\" startConnector=\"{from}\" endElement=\"meter\" endConnector=\"{to}\"/>
             </ssd:Connections>"
        )
    };
    for (system, expected) in [
        (
            connected("nothing", "u"),
            "`nothing` of `road`, which is not there",
        ),
        (connected("x", "z"), "takes no value"),
        (connected("k", "u"), "`km/s` cannot be converted to `m`"),
        (
            elements.replace("Road.fmu", "Nowhere.fmu"),
            "is not in the archive",
        ),
        (
            elements.replace("resources/Road.fmu", "https://example.org/r.fmu"),
            "only FMUs inside of the archive",
        ),
        (
            elements.replace("kind=\"output\"", "kind=\"acausal\""),
            "acausal",
        ),
    ] {
        let told = wrong(&system);
        assert!(told.contains("E0743") && told.contains(expected), "{told}");
    }
    fs::write(folder.join("s.ssp"), "no archive").unwrap();
    let out = ferrica(&folder, &["run", "s.ssp"]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.code() == Some(1) && told.contains("E0743"),
        "{told}"
    );
}

const POSITION: &str = "model Position input Real v(unit = \"m/s\"); output Real x(unit = \"m\", start = 1, fixed = true);
equation der(x) = v; end Position;";
const SPEED: &str = "model Speed input Real x(unit = \"km\"); output Real v(unit = \"m/s\", start = 0, fixed = true);
equation der(v) = -1000*x; end Speed;";

/// ẋ = v and v̇ = -x in two units, one of them in a system of its own, with metres on one side and kilometres on the other: x = cos t.
fn oscillator(folder: &Path) {
    let part = |name: &str, input: &str, output: &str| {
        format!(
            "<ssd:Component name=\"{name}\" source=\"resources/{name}.fmu\" implementation=\"CoSimulation\"><ssd:Connectors>
             <ssd:Connector name=\"{input}\" kind=\"input\"/><ssd:Connector name=\"{output}\" kind=\"output\"/></ssd:Connectors></ssd:Component>"
        )
    };
    let wire = |from: &str, of: &str, to: &str, at: &str| {
        format!(
            "<ssd:Connection startElement=\"{from}\" startConnector=\"{of}\" endElement=\"{to}\" endConnector=\"{at}\"/>"
        )
    };
    let inner = format!(
        "<ssd:System name=\"box\"><ssd:Connectors><ssd:Connector name=\"in\" kind=\"input\"><ssc:Real unit=\"m\"/></ssd:Connector>
         <ssd:Connector name=\"out\" kind=\"output\"><ssc:Real unit=\"m/s\"/></ssd:Connector></ssd:Connectors><ssd:Elements>{}</ssd:Elements>
         <ssd:Connections>{}{}</ssd:Connections></ssd:System>",
        part("Speed", "x", "v"),
        wire("", "in", "Speed", "x"),
        wire("Speed", "v", "", "out")
    );
    let system = format!(
        "<ssd:Elements>{}{inner}</ssd:Elements><ssd:Connections>{}{}</ssd:Connections>",
        part("Position", "v", "x"),
        wire("Position", "x", "box", "in"),
        wire("box", "out", "Position", "v")
    );
    let fmus = ["Position.fmu", "Speed.fmu"];
    archive_of(folder, &description(&system), &fmus, &[]);
}

/// Position at the end of a run of 5 s with communication steps of 0.1 s.
fn position(folder: &Path, tolerance: &str) -> f64 {
    let tolerance = format!("'step tolerance'={tolerance}");
    let steps = ["Position", "box.Speed"].map(|unit| format!("{unit}.'communication step'=0.1"));
    let mut words = vec!["run", "s.ssp", "--allow-external", "--stop", "5", "-o", "-"];
    for p in steps.iter().chain([&tolerance]) {
        words.extend(["-p", p]);
    }
    last(&done(folder, &words), "Position.x")
}

/// Fixed steps of length h are those of Euler's explicit method, x = Re (1 + ih)^n. With a tolerance units go back: x = cos t.
#[test]
fn units_go_back_where_the_error_is_too_large() {
    let folder = common::folder("ssp-rollback");
    export(&folder, "Position", POSITION, "3");
    export(&folder, "Speed", SPEED, "2");
    oscillator(&folder);
    let (mut x, mut v): (f64, f64) = (1.0, 0.0);
    for _ in 0..50 {
        (x, v) = (x + 0.1 * v, v - 0.1 * x);
    }
    let fixed = position(&folder, "0");
    assert!((fixed - x).abs() < 1e-6, "{fixed} and {x}");
    let exact = 5f64.cos();
    for (tolerance, bound) in [("1e-4", 1e-2), ("1e-7", 1e-4)] {
        let error = position(&folder, tolerance) - exact;
        assert!(error.abs() < bound, "{tolerance}: {error}");
    }
}

/// An archive with another word in its description.
fn edited(folder: &Path, name: &str, from: &str, to: &str) {
    let bytes = fs::read(folder.join(name)).unwrap();
    let mut old = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut new = zip::ZipWriter::new(fs::File::create(folder.join(name)).unwrap());
    for k in 0..old.len() {
        let mut file = old.by_index(k).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        if file.name() == "modelDescription.xml" {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains(from), "no {from}");
            bytes = text.replace(from, to).into_bytes();
        }
        let options = zip::write::SimpleFileOptions::default();
        new.start_file(file.name(), options).unwrap();
        new.write_all(&bytes).unwrap();
    }
    new.finish().unwrap();
}

/// A unit that says it cannot go back: steps still get shorter where the values that come are not those that were expected.
#[test]
fn steps_adapt_where_a_unit_cannot_go_back() {
    let folder = common::folder("ssp-forward");
    export(&folder, "Position", POSITION, "3");
    export(&folder, "Speed", SPEED, "3");
    let cannot = "canGetAndSetFMUState=\"false\"";
    edited(
        &folder,
        "Speed.fmu",
        "canGetAndSetFMUState=\"true\"",
        cannot,
    );
    oscillator(&folder);
    let error = position(&folder, "1e-5") - 5f64.cos();
    assert!(error.abs() < 1e-3, "{error}");
}

const STEP: &str = "model Step output Real x(unit = \"km\"); equation x = if time < 0.7301 then 0 else 1e-3; end Step;";

/// A value that jumps at 0.7301 between two communication points goes into an integral over 2 s: its instant is found by going back. The units have
/// different numbers of values, so that one external function has results of two sizes.
#[test]
fn jumps_between_communication_points_are_found() {
    let folder = common::folder("ssp-jump");
    export(&folder, "Road", STEP, "3");
    export(&folder, "Meter", METER, "3");
    let system = format!(
        "<ssd:Elements>{}</ssd:Elements><ssd:Connections>{CONNECTION}</ssd:Connection></ssd:Connections>",
        components("CoSimulation")
    );
    archive(&folder, &description(&system), &[]);
    let run = |tolerance: &str| {
        let tolerance = format!("'step tolerance'={tolerance}");
        let steps = ["road", "meter"].map(|unit| format!("{unit}.'communication step'=0.5"));
        let p: Vec<&str> = ["-p", &tolerance, "-p", &steps[0], "-p", &steps[1]].to_vec();
        let words = [&["run", "s.ssp", "-o", "-"], &p[..]].concat();
        last(&done(&folder, &words), "meter.z") - (2.0 - 0.7301)
    };
    assert!((run("0") + 0.2699).abs() < 1e-6);
    assert!(run("1e-6").abs() < 1e-5);
}

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
        let (model, fmu) = (format!("{name}.mo"), format!("{name}.fmu"));
        fs::write(folder.join(&model), text).unwrap();
        done(&folder, &["export", "fmu", &model, "-o", &fmu]);
    }
    folder
}

/// A system of them.
fn archive(folder: &Path, ssd: &str, more: &[(&str, &str)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.join("s.ssp")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    let mut add = |name: &str, bytes: &[u8]| {
        zip.start_file(name, options).unwrap();
        zip.write_all(bytes).unwrap();
    };
    add("SystemStructure.ssd", ssd.as_bytes());
    for name in ["Road.fmu", "Meter.fmu"] {
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

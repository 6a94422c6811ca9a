//! What happens to files: an existing result is replaced only by a complete new one, and what the model says of its
//! variables comes back from every format.

use std::fs;
use std::path::{Path, PathBuf};

use ferrica_results::{
    Column, Declaration, Place, ResultWriter, Source, ValueType, VariableInfo, create, read,
    write_file,
};

const FORMATS: [&str; 3] = ["csv", "mat", "parquet"];

fn variables() -> Vec<VariableInfo> {
    let declared = |unit: &str, display_unit: &str, description: &str, ty| Declaration {
        unit: unit.into(),
        display_unit: display_unit.into(),
        description: description.into(),
        ty,
    };
    let modes = ValueType::Enumeration(["off".to_owned(), "on".to_owned()].into());
    let mut list = vec![
        VariableInfo::new("m[1,2].phi", Source::Column),
        VariableInfo::new("closed", Source::Column),
        VariableInfo::new("mode", Source::Column),
        VariableInfo::new("R", Source::Parameter(10.5)),
        VariableInfo::new("n", Source::Parameter(3.0)),
        VariableInfo::new("wide", Source::Parameter(f64::INFINITY)),
    ];
    list[0].declared = declared("rad", "deg", "angle, \"absolute\"", ValueType::Real);
    list[1].declared = declared("", "", "switch", ValueType::Boolean);
    list[2].declared = declared("", "", "", modes);
    list[3].declared = declared("Ohm", "", "resistance", ValueType::Real);
    list[4].declared = declared("", "", "number", ValueType::Integer);
    list
}

/// Writes `rows` rows; the caller ends the run.
fn start(path: &Path, rows: usize) -> ferrica_results::ResultFile {
    let mut file = create(path, &[]).unwrap();
    file.begin(&variables()).unwrap();
    for k in 0..rows {
        file.row(k as f64, &[0.5 * k as f64, 1.0, 2.0]).unwrap();
    }
    file
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn only_a_complete_result_replaces_the_old_one() {
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("x.{format}"));
        start(&path, 5).finish().unwrap();
        let old = fs::read(&path).unwrap();

        // Fails before its first row: nothing is left of it.
        let before = names_in(folder.path());
        drop(create(&path, &[]).unwrap());
        assert_eq!(names_in(folder.path()), before, "{format}");

        // Fails later: the rows are under another name.
        let (kept, written) = start(&path, 3).abandon();
        written.unwrap();
        let kept = kept.unwrap();
        let expected = folder.path().canonicalize().unwrap();
        assert_eq!(kept, expected.join(format!("x.partial.{format}")));
        assert_eq!(fs::read(&path).unwrap(), old, "{format}");
        assert_eq!(read(&kept).unwrap().time, [0.0, 1.0, 2.0]);
        assert!(read(&path).unwrap().incomplete.is_none());

        // The next complete one takes that file over.
        start(&path, 7).finish().unwrap();
        assert_eq!(read(&path).unwrap().time.len(), 7);
        assert_eq!(names_in(folder.path()), before, "{format}");
    }
}

#[test]
fn a_csv_file_whose_run_did_not_complete_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let (kept, _) = start(&path, 3).abandon();
    let kept = kept.unwrap();
    let told = read(&kept).unwrap().incomplete.unwrap();
    assert_eq!(told, "the run that wrote it did not complete; 3 rows");

    // Cut within its last number: that number is not believed.
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, &text[..text.len() - 3]).unwrap();
    assert_eq!(read(&kept).unwrap().time, [0.0, 1.0]);

    // A complete one that lost lines.
    start(&path, 4).finish().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().take(3).collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let table = read(&path).unwrap();
    assert_eq!(table.time.len(), 2);
    let told = table.incomplete.unwrap();
    assert!(told.starts_with("2 rows, 4 by "), "{told}");
}

#[test]
fn units_descriptions_types_and_parameters_come_back() {
    let folder = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let path = folder.path().join(format!("x.{format}"));
        start(&path, 2).finish().unwrap();
        let table = read(&path).unwrap();
        assert_eq!(table.incomplete, None, "{format}");
        for v in variables() {
            let k = table.find(&v.name).unwrap();
            assert_eq!(*table.declared(k), v.declared, "{format}: {}", v.name);
            if let Source::Parameter(value) = v.source {
                assert_eq!(table.columns[k], Column::Constant(value), "{format}");
            }
        }
    }
    // The first line names the columns, and parameters are not among them.
    let text = fs::read_to_string(folder.path().join("x.csv")).unwrap();
    assert!(text.starts_with("time,\"m[1,2].phi\",closed,mode\n0,0,1,2\n"));
}

#[test]
fn a_partner_of_other_columns_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    start(&path, 2).finish().unwrap();
    fs::write(&path, "time,mode,other\n0,1,2\n").unwrap();
    let table = read(&path).unwrap();
    assert_eq!(table.names, ["mode", "other"]);
    assert_eq!(*table.declared(0), Declaration::default());
    assert_eq!(table.incomplete, None);
}

#[test]
fn a_file_that_only_has_the_name_of_a_partner_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    fs::write(folder.path().join("x.csv.json"), "{\"mine\": 1}").unwrap();
    let Err(error) = create(&path, &[]) else {
        panic!("it would be overwritten");
    };
    assert!(error.to_string().contains("another file"), "{error}");
}

fn refused(path: &Path, inputs: &[&Path]) -> String {
    Place::of(path, inputs).unwrap_err().to_string()
}

#[test]
fn places_that_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("model.mo"), "model M end M;").unwrap();
    fs::write(at("kept.csv"), "time\n").unwrap();
    let mut permissions = fs::metadata(at("kept.csv")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at("kept.csv"), permissions).unwrap();
    let model: PathBuf = at("model.mo");

    assert!(refused(folder.path(), &[]).contains("is a folder"));
    assert!(refused(&at("kept.csv"), &[]).contains("write-protected"));
    assert!(refused(&at("no/x.csv"), &[]).contains("there is no folder"));
    let other_name = at("./model.mo");
    assert!(refused(&other_name, &[&model]).contains("the command reads this file"));
    assert!(Place::of(&at("new.csv"), &[&model]).is_ok());
    assert_eq!(
        Place::of(Path::new("-"), &[]).unwrap(),
        Place::StandardOutput
    );
    for wrong in ["x.txt", "x", "x.xlsx"] {
        assert!(create(&at(wrong), &[]).is_err(), "{wrong}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_devices() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("real.txt"), "old").unwrap();
    symlink(at("real.txt"), at("link.txt")).unwrap();
    symlink(at("nothing"), at("dangling.txt")).unwrap();
    fs::hard_link(at("real.txt"), at("same.txt")).unwrap();

    // A link stays one; the file behind it is written.
    write_file(&at("link.txt"), &[], b"new").unwrap();
    assert!(fs::symlink_metadata(at("link.txt")).unwrap().is_symlink());
    assert_eq!(fs::read(at("real.txt")).unwrap(), b"new");
    assert!(refused(&at("dangling.txt"), &[]).contains("leads nowhere"));
    let real = at("real.txt");
    assert!(refused(&at("link.txt"), &[&real]).contains("the command reads"));

    // `/dev/null` takes anything and stays what it is.
    let null = Path::new("/dev/null");
    write_file(null, &[], b"gone").unwrap();
    let mut file = create(null, &[]).unwrap();
    file.begin(&variables()).unwrap();
    file.row(0.0, &[1.0, 2.0, 3.0]).unwrap();
    file.finish().unwrap();
    assert!(matches!(Place::of(null, &[]), Ok(Place::Stream(_))));
    assert!(!Path::new("/dev/null.partial").exists());
}

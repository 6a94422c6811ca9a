//! Libraries on disk, inside the program and from the user's text.

use std::path::PathBuf;
use std::sync::Arc;

use ferrica_classes::{Embedded, Library, Resource, SearchPath};
use ferrica_ir::{SourceMap, Symbol};

const BUILT_IN: Embedded = &[
    (
        "Lib/package.mo",
        "within; package Lib model Inside end Inside; end Lib;",
    ),
    ("Lib/package.order", "Zebra\nInside\nSub\n"),
    (
        "Lib/Zebra.mo",
        "within Lib; model Zebra type T = Real; end Zebra;",
    ),
    ("Lib/Apple.mo", "within Lib; model Apple Real x end Apple;"),
    ("Lib/Wrong.mo", "within Lib; model Other end Other;"),
    ("Lib/Sub/package.mo", "within Lib; package Sub end Sub;"),
    ("Lib/Sub/Deep.mo", "within Lib.Sub; block Deep end Deep;"),
    ("Lib/Resources/data.txt", "1 2 3"),
    ("Single.mo", "package Single model M end M; end Single;"),
];

fn built_in() -> Library {
    let path = SearchPath {
        folders: Vec::new(),
        embedded: Some(BUILT_IN),
    };
    Library::new(Arc::new(SourceMap::new()), path)
}

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[(&str, &str)]) -> Folder {
        let root =
            std::env::temp_dir().join(format!("ferrica-classes-{test}-{}", std::process::id()));
        for (path, text) in files {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Folder(root)
    }

    fn library(&self) -> Library {
        let path = SearchPath {
            folders: vec![self.0.clone()],
            embedded: Some(BUILT_IN),
        };
        Library::new(Arc::new(SourceMap::new()), path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn packages_in_folders() {
    let library = built_in();
    let deep = library.find("Lib.Sub.Deep").unwrap();
    assert_eq!(library.full_name(deep), "Lib.Sub.Deep");
    assert_eq!(library.def(deep).name.as_str(), "Deep");
    let sub = library.parent(deep).unwrap();
    assert_eq!(
        library.child(sub, Symbol::intern("Deep")),
        Some(deep),
        "a class keeps its id"
    );
    assert!(library.find("Lib.Missing").is_none());
    assert!(library.find("Lib.Zebra.T").is_some());
    assert!(library.find("Single.M").is_some());
    assert!(library.take_diagnostics().is_empty());
}

#[test]
fn children_follow_package_order() {
    let library = built_in();
    let lib = library.find("Lib").unwrap();
    let names: Vec<_> = library
        .children(lib)
        .into_iter()
        .map(|id| library.name(id).as_str())
        .collect();
    assert_eq!(names, ["Zebra", "Inside", "Sub", "Apple", "Wrong"]);
}

#[test]
fn files_are_parsed_on_demand() {
    let library = built_in();
    let lib = library.find("Lib").unwrap();
    let apple = library.child(lib, Symbol::intern("Apple")).unwrap();
    assert!(
        library.take_diagnostics().is_empty(),
        "Apple is not read yet"
    );
    assert_eq!(library.def(apple).name.as_str(), "Apple");
    let found = library.take_diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "E0109", "the missing `;` of Apple");
    assert!(library.take_diagnostics().is_empty(), "handed out once");
}

#[test]
fn a_file_has_the_name_of_its_class() {
    let library = built_in();
    let wrong = library.find("Lib.Wrong").unwrap();
    assert_eq!(library.def(wrong).name.as_str(), "Wrong");
    assert_eq!(library.take_diagnostics()[0].code, "E0253");
}

#[test]
fn the_users_classes_come_first() {
    let library = built_in();
    let single = library.find("Single").unwrap();
    let own = library
        .add_source("own.mo", "package Single end Single;")
        .unwrap();
    assert_eq!(library.find("Single"), Some(own[0]));
    assert_ne!(single, own[0]);
}

#[test]
fn within_adds_to_a_package() {
    let library = built_in();
    let text = "within Lib.Sub; model New end New; model Deep end Deep;";
    let ids = library.add_source("new.mo", text).unwrap();
    assert_eq!(library.full_name(ids[0]), "Lib.Sub.New");
    assert_eq!(
        library.find("Lib.Sub.Deep"),
        Some(ids[1]),
        "the user's Deep comes first"
    );
    assert_eq!(
        library.children(library.find("Lib.Sub").unwrap()),
        [ids[1], ids[0]]
    );
    let errors = library
        .add_source("bad.mo", "within No.Where; model A end A;")
        .unwrap_err();
    assert_eq!(errors[0].code, "E0252");
    assert_eq!(
        library.add_source("bad.mo", "model A end B;").unwrap_err()[0].code,
        "E0104"
    );
}

#[test]
fn versions_in_folder_names() {
    let package = |v: &str| format!("package L annotation(version = \"{v}\"); end L;");
    let folder = Folder::new(
        "versions",
        &[
            ("L 2.0.0/package.mo", &package("2.0.0")),
            ("L 10.0.0/package.mo", &package("10.0.0")),
            ("L 3.1.0.mo", &package("3.1.0")),
        ],
    );
    let version = |library: &Library| {
        let class = library.find("L").unwrap();
        let annotation = library.def(class).annotation.as_ref().unwrap();
        annotation
            .find("version")
            .unwrap()
            .string()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        version(&folder.library()),
        "10.0.0",
        "the newest without a wish"
    );

    let library = folder.library();
    library
        .add_source(
            "m.mo",
            "model M annotation(uses(L(version = \"3.1.0\"))); end M;",
        )
        .unwrap();
    assert_eq!(version(&library), "3.1.0");
    assert!(library.take_diagnostics().is_empty());

    let library = folder.library();
    library
        .add_source(
            "m.mo",
            "model M annotation(uses(L(version = \"1.0\"))); end M;",
        )
        .unwrap();
    assert_eq!(version(&library), "10.0.0");
    assert_eq!(library.take_diagnostics()[0].code, "W0202");
}

#[test]
fn a_file_of_a_package_brings_its_package() {
    let folder = Folder::new(
        "member",
        &[
            ("P/package.mo", "package P constant Real c = 1; end P;"),
            ("P/Q/package.mo", "within P; package Q end Q;"),
            ("P/Q/M.mo", "within P.Q; model M end M;"),
            (
                "alone.mo",
                "model Alone end Alone; model Second end Second;",
            ),
        ],
    );
    let library = Library::new(Arc::new(SourceMap::new()), SearchPath::default());
    let ids = library.add_file(&folder.0.join("P/Q/M.mo")).unwrap();
    assert_eq!(library.full_name(ids[0]), "P.Q.M");
    let package = library.add_file(&folder.0.join("P/package.mo")).unwrap();
    assert_eq!(package, [library.find("P").unwrap()]);
    assert_eq!(
        library.add_file(&folder.0.join("alone.mo")).unwrap().len(),
        2
    );
    assert_eq!(
        library.add_file(&folder.0.join("none.mo")).unwrap_err()[0].code,
        "E0251"
    );
}

#[test]
fn resources() {
    let folder = Folder::new("resources", &[("R/package.mo", "package R end R;")]);
    let library = folder.library();
    assert_eq!(
        library.resolve_uri("modelica://R/Resources/a%20b.txt"),
        Some(Resource::File(
            folder.0.join("R").join("Resources").join("a b.txt")
        ))
    );
    // Names are put behind it.
    let Some(Resource::File(beginning)) = library.resolve_uri("modelica://R/Resources/") else {
        panic!("a folder");
    };
    assert!(beginning.display().to_string().ends_with("/R/Resources/"));
    assert_eq!(
        library.resolve_uri("modelica://Lib.Sub/../Resources/data.txt"),
        Some(Resource::Embedded("1 2 3"))
    );
    assert_eq!(library.resolve_uri("modelica://Nothing/x"), None);
    assert_eq!(
        library.resolve_uri("file:///tmp/x"),
        Some(Resource::File("/tmp/x".into()))
    );
}

/// A class of a file is declared once: the second one would silently win.
#[test]
fn a_class_twice_in_a_file_is_an_error() {
    let errors = built_in()
        .add_source("twice.mo", "model A end A; model B end B; model A end A;")
        .unwrap_err();
    assert_eq!((errors.len(), errors[0].code), (1, "E0206"));
}

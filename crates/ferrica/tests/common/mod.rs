//! Runs a model text with the program and reads the result table.

use std::path::Path;
use std::process::Command;

pub struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    fn row(&self, row: &[f64], name: &str) -> f64 {
        let column = self.names.iter().position(|n| n == name);
        row[column.unwrap_or_else(|| panic!("no column {name}"))]
    }

    #[allow(dead_code, reason = "not every test looks at the start")]
    pub fn first(&self, name: &str) -> f64 {
        self.row(self.rows.first().expect("a row"), name)
    }

    #[allow(dead_code, reason = "not every test looks at the end")]
    pub fn last(&self, name: &str) -> f64 {
        self.row(self.rows.last().expect("a row"), name)
    }
}

/// The result of `ferrica run` on a model text, in a folder of the name; names of columns without commas.
pub fn run(name: &str, model: &str, args: &[&str]) -> Table {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("Model.mo");
    std::fs::write(&file, model).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["run", "--quiet", "-o", "-"])
        .args(args)
        .arg(&file)
        .current_dir(&folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name} {args:?}: {messages}");
    let text = String::from_utf8(done.stdout).unwrap();
    let mut lines = text.lines();
    let names = lines.next().unwrap().split(',').map(str::to_string);
    Table {
        names: names.collect(),
        rows: lines
            .map(|l| l.split(',').map(|v| v.parse().unwrap()).collect())
            .collect(),
    }
}

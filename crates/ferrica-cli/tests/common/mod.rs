//! Runs a model text with the program and reads the result table.

#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::HashMap;
use std::fs;
use std::ops::Index;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The columns of a result.
pub struct Table(HashMap<String, Vec<f64>>);

impl Index<&str> for Table {
    type Output = Vec<f64>;

    fn index(&self, name: &str) -> &Vec<f64> {
        let column = self.0.get(name);
        column.unwrap_or_else(|| panic!("no column {name}"))
    }
}

impl Table {
    pub fn first(&self, name: &str) -> f64 {
        *self[name].first().expect("a row")
    }

    pub fn last(&self, name: &str) -> f64 {
        *self[name].last().expect("a row")
    }
}

/// A folder for the files of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What `ferrica run` does with a model text, in a folder of the name; results go to standard output.
pub fn launch(name: &str, model: &str, args: &[&str]) -> Output {
    let folder = folder(name);
    fs::write(folder.join("Model.mo"), model).unwrap();
    Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["run", "--quiet", "-o", "-"])
        .args(args)
        .arg("Model.mo")
        .current_dir(&folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

/// The result of a run that must succeed; names of columns without commas.
pub fn run(name: &str, model: &str, args: &[&str]) -> Table {
    let done = launch(name, model, args);
    let messages = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name} {args:?}: {messages}");
    let text = String::from_utf8(done.stdout).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, field) in columns.iter_mut().zip(line.split(',')) {
            column.push(field.parse().unwrap());
        }
    }
    let names = names.into_iter().map(str::to_string);
    Table(names.zip(columns).collect())
}

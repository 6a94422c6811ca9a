//! Broken models, one mistake each, in `tests/broken`: what the user is told. The last lines of a file say which command is run, the
//! code of the message, the place in the file (`-` where the mistake has none), words of the hint, and, where the hint
//! is an edit, that edit: with it the model runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Case {
    name: String,
    /// The model without the lines that say what is expected.
    model: String,
    command: String,
    code: String,
    place: String,
    hint: Option<String>,
    edit: Option<(String, String)>,
}

fn case(path: &Path) -> Case {
    let text = fs::read_to_string(path).unwrap();
    let field = |name: &str| {
        let start = format!("// {name}: ");
        let line = text.lines().find_map(|l| l.strip_prefix(start.as_str()));
        line.map(str::to_string)
    };
    let model: Vec<&str> = text.lines().filter(|l| !l.starts_with("// ")).collect();
    let edit = field("edit").map(|e| {
        let (from, to) = e.split_once(" ==> ").expect("FROM ==> TO");
        (from.replace("\\n", "\n"), to.replace("\\n", "\n"))
    });
    Case {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        model: model.join("\n") + "\n",
        command: field("command").expect("a command"),
        code: field("code").expect("a code"),
        place: field("place").expect("a place"),
        hint: field("hint"),
        edit,
    }
}

fn ferrica(folder: &Path, command: &str, name: &str, model: &str) -> Output {
    fs::write(folder.join(name), model).unwrap();
    let mut process = Command::new(env!("CARGO_BIN_EXE_ferrica"));
    process.args([command, name]);
    if command == "run" {
        process.args(["--stop", "2"]);
    }
    process
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .output()
        .unwrap()
}

/// What is wrong with the answer, if anything.
fn verdict(folder: &Path, case: &Case) -> Result<(), String> {
    let answer = ferrica(folder, &case.command, &case.name, &case.model);
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    let code = format!("[{}]", case.code);
    // Warnings may lead up to an error.
    let is_error = case.code.starts_with('E');
    let first = told
        .lines()
        .find(|l| l.starts_with("error[") || (!is_error && l.starts_with("warning[")));
    if !first.is_some_and(|l| l.contains(&code)) {
        return Err(format!("the first message is not {code}:\n{told}"));
    }
    if case.code.starts_with('E') != (answer.status.code() == Some(1)) {
        return Err(format!("exit {:?}:\n{told}", answer.status.code()));
    }
    let place = format!("--> {}:{}", case.name, case.place);
    if case.place != "-" && !told.lines().any(|l| l.trim() == place) {
        return Err(format!("no `{place}`:\n{told}"));
    }
    if let Some(hint) = &case.hint
        && !told
            .lines()
            .any(|l| l.trim().starts_with("help:") && l.contains(hint))
    {
        return Err(format!("no hint `{hint}`:\n{told}"));
    }
    if let Some((from, to)) = &case.edit {
        if !case.model.contains(from) {
            return Err(format!("there is no `{from}` to edit"));
        }
        let mended = case.model.replacen(from, to, 1);
        let answer = ferrica(folder, "run", &case.name, &mended);
        let told = String::from_utf8_lossy(&answer.stderr);
        if answer.status.code() != Some(0) || told.contains(&code) {
            return Err(format!("with the edit:\n{told}"));
        }
    }
    Ok(())
}

#[test]
fn each_mistake_is_told_at_its_place_with_what_to_do() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken");
    fs::create_dir_all(&folder).unwrap();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken");
    let mut paths: Vec<PathBuf> = fs::read_dir(models)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 40, "{} models", paths.len());
    let mut wrong = Vec::new();
    for path in &paths {
        let case = case(path);
        if let Err(why) = verdict(&folder, &case) {
            wrong.push(format!("{}: {why}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

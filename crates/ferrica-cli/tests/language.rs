//! The chapters of `tests/language` whose cases say what a run gives (`expect`, in the form of `tests/hybrid`; `run` has
//! the arguments), or that it is refused behind the flattener (`refused`: the code and words of the message). What the flat models
//! must be is tested beside the flattener.

mod common;

use std::path::Path;

use ferrica_conformance::cases::{Case, cases};
use ferrica_conformance::engines::Promise;
use ferrica_conformance::expected;
use ferrica_conformance::trajectory::Trajectory;

/// Of runs with the default solver and tolerance.
const PROMISE: Promise = Promise {
    tolerance: 1e-4,
    coarse: false,
};

fn verdict(name: &str, case: &Case) -> Result<(), String> {
    let text = |kind: &str| {
        let found = case.expected.iter().find(|(k, _)| k == kind);
        found.map(|(_, text)| text.as_str())
    };
    if let Some(refused) = text("refused") {
        return refusal(name, case, refused.trim());
    }
    let Some(wanted) = text("expect") else {
        return Ok(());
    };
    let mut args: Vec<&str> = text("run").unwrap_or("").split_whitespace().collect();
    if !args.contains(&"--interval") {
        args.extend(["--interval", "0.05"]);
    }
    // What a run before has written is not there.
    let _ = std::fs::remove_dir_all(common::folder(name));
    let done = common::launch(name, &case.model, &args);
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let found = Trajectory::from_csv(&String::from_utf8_lossy(&done.stdout))?;
    for e in expected::parse(wanted)? {
        e.check(&found, PROMISE)?;
    }
    Ok(())
}

fn refusal(name: &str, case: &Case, wanted: &str) -> Result<(), String> {
    let done = common::launch(name, &case.model, &[]);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    let (code, words) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let fits = told.contains(&format!("error[{code}]")) && told.contains(words);
    match !done.status.success() && fits {
        true => Ok(()),
        false => Err(format!("must be refused with {wanted}\n{told}")),
    }
}

#[test]
fn runs_give_what_the_language_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/language");
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut chapters: Vec<_> = (std::fs::read_dir(folder).unwrap())
        .map(|f| f.unwrap().path())
        .collect();
    chapters.sort();
    for chapter in chapters {
        let text = std::fs::read_to_string(&chapter).unwrap();
        let name = chapter.file_stem().unwrap().to_string_lossy().into_owned();
        for case in cases(&text) {
            let runs = |(k, _): &(String, String)| k == "expect" || k == "refused";
            count += usize::from(case.expected.iter().any(runs));
            if let Err(e) = verdict(&format!("language-{name}-{}", case.line), &case) {
                wrong.push(format!("{name}.md:{}: {e}", case.line));
            }
        }
    }
    assert!(count > 0, "no case is run");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! The ModelicaCompliance package: models that a tool must accept, and models it must reject.
//!
//! Each test is a class in a file of its own with an annotation `TestCase(shouldPass = …)`. A test
//! that must pass has to compile and, unless the goal is an earlier stage, to run without a failed
//! assertion.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::child::{self, End, Limits};
use crate::diagnosis;
use crate::json;
use crate::options::{Goal, Options};

#[derive(Clone, Debug)]
struct Test {
    class: String,
    /// The package below the root: a chapter.
    chapter: String,
    should_pass: bool,
}

#[derive(Clone, Debug)]
struct Verdict {
    test: Test,
    accepted: bool,
    broken: bool,
    message: String,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let mut tests = Vec::new();
    for lib in &options.libs {
        for root in [lib.clone(), lib.join("ModelicaCompliance")] {
            if root.file_name().is_some_and(|n| n == "ModelicaCompliance") && root.is_dir() {
                collect(&root, "ModelicaCompliance", &mut tests)?;
                break;
            }
        }
    }
    if tests.is_empty() {
        return Err("no ModelicaCompliance package below --lib".to_string());
    }
    tests.retain(|t| options.wants(&t.class));
    let program = options.program()?;
    let verdicts = judge(options, &program, &tests)?;
    print(&verdicts);
    if let Some(path) = &options.json {
        let lines: Vec<String> = verdicts
            .iter()
            .map(|v| {
                format!(
                    "  {{\"class\": {}, \"should_pass\": {}, \"accepted\": {}, \"message\": {}}}",
                    json::string(&v.test.class),
                    v.test.should_pass,
                    v.accepted,
                    json::string(&v.message)
                )
            })
            .collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(!verdicts.iter().any(|v| v.broken))
}

fn collect(folder: &Path, name: &str, tests: &mut Vec<Test>) -> Result<(), String> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .collect();
    entries.sort();
    for path in entries {
        let stem = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() {
            collect(&path, &format!("{name}.{stem}"), tests)?;
        } else if path.extension().is_some_and(|e| e == "mo") && stem != "package" {
            let text = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let text = String::from_utf8_lossy(&text);
            let Some(should_pass) = should_pass(&text) else {
                continue;
            };
            let class = format!("{name}.{stem}");
            let chapter = class.split('.').nth(1).unwrap_or("").to_string();
            // The template for new tests is none.
            if class.matches('.').count() > 1 {
                tests.push(Test {
                    class,
                    chapter,
                    should_pass,
                });
            }
        }
    }
    Ok(())
}

/// The value in `TestCase(shouldPass = true)`.
fn should_pass(text: &str) -> Option<bool> {
    let (_, rest) = text.split_once("TestCase(")?;
    let (_, rest) = rest.split_once("shouldPass")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    if value.starts_with("true") {
        Some(true)
    } else if value.starts_with("false") {
        Some(false)
    } else {
        None
    }
}

fn judge(options: &Options, program: &Path, tests: &[Test]) -> Result<Vec<Verdict>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = one(options, program, test);
                    let Ok(mut done) = done.lock() else { break };
                    done.push(verdict);
                }
            });
        }
    });
    let mut verdicts = done
        .into_inner()
        .map_err(|e| e.to_string())?
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    verdicts.sort_by(|a, b| a.test.class.cmp(&b.test.class));
    Ok(verdicts)
}

fn one(options: &Options, program: &Path, test: &Test) -> Result<Verdict, String> {
    let command = if options.goal.unwrap_or(Goal::Simulate) == Goal::Simulate {
        "run"
    } else {
        "check"
    };
    let mut args = vec![command.to_string(), "-m".to_string(), test.class.clone()];
    for lib in &options.libs {
        args.push("--lib".to_string());
        args.push(lib.display().to_string());
    }
    if command == "run" {
        // The suite brings C code of its own.
        args.extend(["-o", "-", "--progress", "never", "--allow-external"].map(String::from));
    }
    let limits = Limits {
        time: options.limit,
        memory_gb: options.memory_gb,
    };
    let run = child::run(program, &args, &std::env::temp_dir(), limits)?;
    if run.end == End::Exit(0) {
        return Ok(Verdict {
            test: test.clone(),
            accepted: true,
            broken: false,
            message: String::new(),
        });
    }
    let d = diagnosis::diagnose(&run);
    // At the flat stage, what fails later is accepted.
    let accepted = options.goal == Some(Goal::Flat)
        && (d.code.starts_with("E04") || d.code.starts_with("E05") || d.code.starts_with("E06"))
        && !d.message.contains("too few equations")
        && !d.message.contains("too many equations");
    Ok(Verdict {
        test: test.clone(),
        accepted,
        broken: d.broken || d.code == "TIMEOUT",
        message: format!("{} {}", d.code, d.message),
    })
}

fn print(verdicts: &[Verdict]) {
    let right = |v: &&Verdict| v.accepted == v.test.should_pass && !v.broken;
    let mut chapters: BTreeMap<&str, Vec<&Verdict>> = BTreeMap::new();
    for v in verdicts {
        chapters.entry(&v.test.chapter).or_default().push(v);
    }
    println!(
        "{:<24}{:>8}{:>8}{:>22}{:>22}",
        "chapter", "tests", "right", "wrongly rejected", "wrongly accepted"
    );
    let line = |name: &str, list: &[&Verdict]| {
        let good = list.iter().copied().filter(|v| right(v)).count();
        let rejected = list
            .iter()
            .filter(|v| !v.accepted && v.test.should_pass)
            .count();
        let accepted = list
            .iter()
            .filter(|v| v.accepted && !v.test.should_pass)
            .count();
        println!(
            "{name:<24}{:>8}{good:>8}{rejected:>22}{accepted:>22}",
            list.len()
        );
    };
    for (chapter, list) in &chapters {
        line(chapter, list);
    }
    line("all", &verdicts.iter().collect::<Vec<_>>());
    for (chapter, list) in &chapters {
        let wrong: Vec<_> = list.iter().filter(|v| !right(v)).collect();
        if !wrong.is_empty() {
            println!("\n{chapter}");
        }
        for v in wrong {
            let short = v.test.class.trim_start_matches("ModelicaCompliance.");
            let what = match (v.broken, v.accepted) {
                (true, _) => "broke",
                (_, true) => "accepted, must be rejected",
                _ => "rejected, must be accepted",
            };
            let message: String = v.message.chars().take(200).collect();
            println!("  {short}: {what} {message}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_is_read() {
        let text =
            "annotation(__ModelicaAssociation(TestCase(shouldPass =  false, section={\"1\"})));";
        assert_eq!(should_pass(text), Some(false));
        assert_eq!(should_pass("model M end M;"), None);
    }
}

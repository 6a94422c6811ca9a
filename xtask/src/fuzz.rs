//! `cargo xtask fuzz`: mutated texts through `check` and every engine.
//!
//! A case is a model of `examples` or `tests/library` with one to three changes: numbers, names, operators and words
//! replaced, lines and tokens lost, repeated or swapped. What is still a model runs in one of the engines, in turn.
//! The program may refuse and may fail, with a message and exit code 1 or 2. It may not panic, die by a signal, go on
//! for more than a second after an interrupt, or end well with a value that is not a number and nobody was told of.
//! A case is made from its number alone, so that `--seed K --count 1` repeats it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::child::{self, End, Finished, Limits};
use crate::options::Options;
use crate::random::Random;

/// Flags of the engines; a case takes one.
const ENGINES: &[&str] = &[
    "--solver auto",
    "--solver bdf",
    "--solver radau",
    "--solver dopri5",
    "--solver rk4 --step 0.01",
    "--solver euler --step 0.01",
    "--solver rt-bdf1 --step 0.01",
    "--solver rt-bdf2 --step 0.01",
    "--solver rt-bdf3 --step 0.01",
    "--solver rt-tr --step 0.01",
    "--solver rt-trnp --step 0.01",
    "--solver rt-ode --step 0.01",
    "--solver qss1",
    "--solver qss2",
    "--solver qss3",
    "--solver cqss",
    "--solver liqss1",
    "--solver liqss2",
    "--solver liqss3",
    "--solver mliqss2",
    "--solver qbg",
    "--inline implicit-euler --step 0.01",
    "--inline trapezoid --step 0.01",
    "--partition tlm --step 0.01",
];

/// Numbers that have broken something somewhere.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-3",
    "1e3",
    "1e-12",
    "1e12",
    "1e300",
    "1e-300",
    "5e-324",
    "1e999",
    "2147483648",
    "9223372036854775807",
    "100000000000000000000",
    "0.1",
];

/// Words and signs of the language.
const WORDS: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "^",
    "<",
    ">",
    "==",
    "=",
    ":=",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ".",
    ":",
    "and",
    "or",
    "not",
    "if",
    "then",
    "else",
    "end",
    "when",
    "elsewhen",
    "while",
    "for",
    "loop",
    "equation",
    "algorithm",
    "initial",
    "parameter",
    "constant",
    "discrete",
    "input",
    "output",
    "flow",
    "each",
    "final",
    "inner",
    "outer",
    "der",
    "pre",
    "edge",
    "sample",
    "delay",
    "noEvent",
    "smooth",
    "reinit",
    "assert",
    "terminate",
    "time",
    "true",
    "false",
    "Real",
    "Integer",
    "Boolean",
    "String",
    "sqrt",
    "log",
    "sin",
    "size",
    "sum",
    "fill",
    "cat",
    "connect",
    "extends",
    "model",
    "function",
    "record",
    "type",
    "enumeration",
    "homotopy",
    "spatialDistribution",
    "previous",
    "hold",
    "Clock",
];

/// How long the runs of a case may take, in processor time.
const MODEL_TIME: &str = "0.2";

/// Words, numbers and signs with the space before them.
fn tokens(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut open = String::new();
    let kind = |c: char| match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphanumeric() || c == '_' || c == '.' => 1,
        _ => 2,
    };
    let mut last = 0;
    for c in text.chars() {
        let now = kind(c);
        if last != 0 && (now != last || now == 2) {
            list.push(std::mem::take(&mut open));
        }
        open.push(c);
        last = now;
    }
    list.push(open);
    list
}

/// The indices of tokens of a kind.
fn places(tokens: &[String], wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..tokens.len())
        .filter(|&k| wanted(tokens[k].trim_start()))
        .collect()
}

/// A token with other letters and the same space before it.
fn put(token: &mut String, text: &str) {
    let space = token.len() - token.trim_start().len();
    token.truncate(space);
    token.push_str(text);
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut list = tokens(text);
    // Most cases are to get past the parser.
    let gentle = random.below(4) > 0;
    for _ in 0..1 + random.below(3) {
        let is_number = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
        let is_name = |t: &str| t.starts_with(|c: char| c.is_alphabetic());
        let is_sign = |t: &str| t.len() == 1 && "+-*/^<>=".contains(t);
        let (numbers, names) = (places(&list, is_number), places(&list, is_name));
        let signs = places(&list, is_sign);
        let change = match gentle {
            true => [0, 0, 0, 6][random.below(4)],
            false => random.below(10),
        };
        match change {
            0..=3 if !numbers.is_empty() => {
                let at = numbers[random.below(numbers.len())];
                put(&mut list[at], random.of(NUMBERS));
            }
            4 | 5 if names.len() > 1 => {
                let (at, from) = (
                    names[random.below(names.len())],
                    names[random.below(names.len())],
                );
                let other = list[from].trim_start().to_string();
                put(&mut list[at], &other);
            }
            6 if !signs.is_empty() => {
                let at = signs[random.below(signs.len())];
                put(
                    &mut list[at],
                    random.of(&["+", "-", "*", "/", "^", "<", ">", "="]),
                );
            }
            7 => {
                let at = random.below(list.len());
                put(&mut list[at], random.of(WORDS));
            }
            8 => {
                // A stretch is lost, or there twice.
                let at = random.below(list.len());
                let end = (at + 1 + random.below(8)).min(list.len());
                let lost: Vec<String> = list.drain(at..end).collect();
                if random.below(2) == 0 {
                    list.splice(at..at, lost.iter().chain(&lost).cloned());
                }
            }
            _ => {
                let (a, b) = (random.below(list.len()), random.below(list.len()));
                list.swap(a, b);
            }
        }
        if list.is_empty() {
            list.push(String::new());
        }
    }
    list.concat()
}

/// Models to begin with.
fn seeds() -> Result<Vec<PathBuf>, String> {
    let mut list = Vec::new();
    for folder in ["examples", "tests/library"] {
        let entries = fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
        let files = entries.flatten().map(|e| e.path());
        list.extend(files.filter(|p| p.extension().is_some_and(|e| e == "mo")));
    }
    list.sort();
    Ok(list)
}

/// What the rules say of a run; nothing if it kept them.
fn broken_rule(done: &Finished, results: &Path) -> Option<String> {
    let said = &done.stderr;
    match done.end {
        _ if said.contains("panicked at") => Some("panic".into()),
        End::Crash => Some("ended by a signal".into()),
        End::TimeOut if done.killed => Some("did not end after an interrupt".into()),
        End::TimeOut => None,
        End::Exit(0) if has_nan(results) && !said.contains("[W0602]") => {
            Some("a value that is not a number, exit code 0".into())
        }
        End::Exit(0) => None,
        End::Exit(1 | 2) if said.contains("[E0300]") => Some("defect of the compiler".into()),
        End::Exit(1 | 2) if said.contains("error") => None,
        End::Exit(1 | 2) => Some("failed without a message".into()),
        End::Exit(code) => Some(format!("exit code {code}")),
    }
}

fn has_nan(results: &Path) -> bool {
    let Ok(text) = fs::read_to_string(results) else {
        return false;
    };
    text.lines()
        .skip(1)
        .any(|l| l.split(',').any(|v| v == "NaN"))
}

#[derive(Default)]
struct Counts {
    refused: usize,
    ran: usize,
    failed: usize,
    slow: usize,
    broken: Vec<String>,
}

/// True if no case broke a rule.
pub fn run(options: &Options) -> Result<bool, String> {
    let program = options.program()?;
    let seeds = seeds()?;
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(Counts::default());
    let kept = PathBuf::from("target/fuzz");
    fs::create_dir_all(&kept).map_err(|e| format!("{}: {e}", kept.display()))?;
    let limits = Limits {
        time: options.limit.min(Duration::from_secs(5)),
        memory_gb: options.memory_gb,
    };
    std::thread::scope(|scope| {
        for job in 0..options.jobs {
            let (next, counts, seeds, program, kept) = (&next, &counts, &seeds, &program, &kept);
            scope.spawn(move || {
                let folder = kept.join(format!("job-{}-{job}", std::process::id()));
                while let k = next.fetch_add(1, Ordering::Relaxed)
                    && k < options.count
                {
                    let case = options.seed + k as u64;
                    let verdict = try_case(case, seeds, program, &folder, limits);
                    let mut counts = counts.lock().unwrap_or_else(|e| e.into_inner());
                    match verdict {
                        Ok(Verdict::Refused) => counts.refused += 1,
                        Ok(Verdict::Ran) => counts.ran += 1,
                        Ok(Verdict::Failed) => counts.failed += 1,
                        Ok(Verdict::Slow) => counts.slow += 1,
                        Ok(Verdict::Broken(text)) | Err(text) => {
                            let file = kept.join(format!("{case}.mo"));
                            let _ = fs::copy(folder.join("Case.mo"), &file);
                            println!("case {case}: {text}\n  {}", file.display());
                            counts.broken.push(text);
                        }
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_else(|e| e.into_inner());
    println!(
        "{} cases from {}: {} refused by `check`, {} ran to their end, {} failed with a message, {} stopped at {} s, {} broke a rule",
        options.count,
        options.seed,
        counts.refused,
        counts.ran,
        counts.failed,
        counts.slow,
        limits.time.as_secs_f64(),
        counts.broken.len()
    );
    Ok(counts.broken.is_empty())
}

enum Verdict {
    Refused,
    Ran,
    Failed,
    Slow,
    Broken(String),
}

fn try_case(
    case: u64,
    seeds: &[PathBuf],
    program: &Path,
    folder: &Path,
    limits: Limits,
) -> Result<Verdict, String> {
    let mut random = Random::new(case);
    let seed = &seeds[random.below(seeds.len())];
    let text = fs::read_to_string(seed).map_err(|e| format!("{}: {e}", seed.display()))?;
    let text = mutated(&text, &mut random);
    let engine = ENGINES[case as usize % ENGINES.len()];
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(folder.join("Case.mo"), text).map_err(|e| e.to_string())?;
    let results = folder.join("out.csv");
    let _ = fs::remove_file(&results);
    let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_string).collect() };
    let check = words("check Case.mo");
    let run = words(&format!(
        "run Case.mo -o out.csv --stop {MODEL_TIME} --interval 0.01 {engine}"
    ));
    for (k, args) in [check, run].iter().enumerate() {
        let done = child::run(program, args, folder, limits)?;
        if let Some(rule) = broken_rule(&done, &results) {
            let said: Vec<&str> = done.stderr.lines().take(4).collect();
            let seed = seed.display();
            let line = args.join(" ");
            return Ok(Verdict::Broken(format!(
                "{rule}: {line} ({seed})\n  {}",
                said.join("\n  ")
            )));
        }
        match done.end {
            End::TimeOut => return Ok(Verdict::Slow),
            End::Exit(0) if k == 0 => {}
            End::Exit(0) => return Ok(Verdict::Ran),
            _ if k == 0 => return Ok(Verdict::Refused),
            _ => return Ok(Verdict::Failed),
        }
    }
    Ok(Verdict::Ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_made_from_its_number() {
        let text = "model M\n  Real x(start = 1.5);\nequation\n  der(x) = -2*x;\nend M;\n";
        assert_eq!(tokens(text).concat(), text);
        let of = |case| mutated(text, &mut Random::new(case));
        assert_eq!(of(7), of(7));
        let different = (1..50).filter(|&k| of(k) != text).count();
        assert!(different > 40, "{different}");
    }

    #[test]
    fn rules_are_seen_to_be_broken() {
        let done = |end, stderr: &str, killed| Finished {
            end,
            stderr: stderr.into(),
            seconds: 0.0,
            killed,
        };
        let nowhere = Path::new("no such file");
        let broken = |f: Finished| broken_rule(&f, nowhere).is_some();
        assert!(broken(done(
            End::Exit(101),
            "thread 'main' panicked at x",
            false
        )));
        assert!(broken(done(End::Crash, "", false)));
        assert!(broken(done(End::TimeOut, "", true)));
        assert!(broken(done(End::Exit(1), "", false)));
        assert!(!broken(done(End::Exit(1), "error[E0101]: x", false)));
        assert!(!broken(done(End::TimeOut, "", false)));
        let table = std::env::temp_dir().join(format!("fuzz-{}.csv", std::process::id()));
        fs::write(&table, "time,x\n0,NaN\n").unwrap();
        let fine = done(End::Exit(0), "", false);
        assert!(broken_rule(&fine, &table).is_some());
        let told = done(End::Exit(0), "warning[W0602]: `x`", false);
        assert!(broken_rule(&told, &table).is_none());
        fs::remove_file(table).unwrap();
    }
}

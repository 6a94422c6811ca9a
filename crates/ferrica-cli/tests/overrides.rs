//! `-p NAME=VALUE` gives what the edited text gives, or is refused.
//!
//! Chosen cases have closed forms. Random ones take a model of `tests/library` or `examples`, one of its parameters or
//! start values and another value, and run it with `-p` and as `model Edited extends M(p = v)`: the rows
//! must be the same text. `FERRICA_OVERRIDES=500` tries so many, `FERRICA_SEED=7` others.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod common;
use common::{folder, launch, run};

/// Cases of an ordinary test run.
const CASES: usize = 40;
/// Elements of larger arrays are left alone.
const LARGEST: usize = 20;
/// A run that takes longer is given up; nothing is compared then.
const LIMIT: Duration = Duration::from_secs(20);

const EVERYTHING: &str = "model M
  type Mode = enumeration(slow, fast);
  parameter Real d = 0, k = 1;
  parameter Boolean on = false, begins = false;
  parameter Mode mode = Mode.slow;
  parameter Integer n = 2;
  parameter Real T = 2;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Real w(start = 3, fixed = begins), z, y;
  Real a[n](each start = 1, each fixed = true);
  Real q(start = 0, fixed = true);
initial equation
  if not begins then w = 7; end if;
equation
  der(x) = v;
  der(v) = -x - d*v;
  der(w) = if mode == Mode.slow then -w else -10*w;
  if on then z = 1; else z = 2*x; end if;
  for i in 1:n loop der(a[i]) = -i*a[i]; end for;
  k*der(q) + y = 1;
  y = q;
  annotation(experiment(StopTime = T));
end M;
";

/// Closed forms: d = 2 is critical damping, `w` decays from 7 or its start value, `q` charges unless k is zero.
#[test]
fn what_has_decided_the_structure_can_be_changed() {
    let end = |params: &[&str], name: &str| {
        let args: Vec<&str> = params.iter().flat_map(|p| ["-p", p]).collect();
        let table = run("everything", EVERYTHING, &args);
        (table.last("time"), table.last(name))
    };
    let near = |(time, value): (f64, f64), wanted: f64, at: f64| {
        assert!((value - wanted).abs() < 1e-4, "{value} {wanted}");
        assert_eq!(time, at);
    };
    near(end(&[], "x"), 2f64.cos(), 2.0);
    near(end(&["d=2"], "x"), 3.0 * (-2f64).exp(), 2.0);
    near(end(&["begins=true"], "w"), 3.0 * (-2f64).exp(), 2.0);
    near(
        end(&["begins=true", "w.start=5"], "w"),
        5.0 * (-2f64).exp(),
        2.0,
    );
    near(end(&["mode=fast", "T=0.2"], "w"), 7.0 * (-2f64).exp(), 0.2);
    near(
        end(&["mode=M.Mode.fast", "T=0.2"], "w"),
        7.0 * (-2f64).exp(),
        0.2,
    );
    near(end(&["d=2", "on=true"], "x"), 3.0 * (-2f64).exp(), 2.0);
    near(end(&["a[2].start=3"], "a[2]"), 3.0 * (-4f64).exp(), 2.0);
    near(
        end(&["n=3", "a[3].start=9"], "a[3]"),
        9.0 * (-6f64).exp(),
        2.0,
    );
    near(end(&["k=2"], "y"), 1.0 - (-1f64).exp(), 2.0);
}

/// With k = 0 the start value of `q` contradicts `q = 1`: the text is refused, and so is the value.
#[test]
fn a_value_is_refused_where_the_text_is() {
    let edited = EVERYTHING.replace("k = 1;", "k = 0;");
    let text = launch("refused-text", &edited, &[]);
    let value = launch("refused-value", EVERYTHING, &["-p", "k=0"]);
    assert_eq!(text.status.code(), value.status.code());
    assert_eq!(codes(&text), codes(&value));
}

#[test]
fn a_sweep_is_a_loop_of_runs() {
    let folder = folder("sweep-is-a-loop");
    fs::write(folder.join("M.mo"), EVERYTHING).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(["sweep", "M.mo", "-p", "d=0,2", "-p", "n=2,3", "-o", "s.csv"])
        .args(["--vars", "x", "--vars", "a[2]"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let table = fs::read_to_string(folder.join("s.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let (d, n) = (format!("d={}", row[1]), format!("n={}", row[2]));
        let alone = run("sweep-alone", EVERYTHING, &["-p", &d, "-p", &n]);
        assert_eq!(row[3].parse::<f64>().unwrap(), alone.last("x"), "{d} {n}");
        assert_eq!(
            row[4].parse::<f64>().unwrap(),
            alone.last("a[2]"),
            "{d} {n}"
        );
        assert_eq!(row[5], "ok");
    }
}

/// An element of an array that shapes the model, the others as they were.
#[test]
fn one_element_of_an_array_of_sizes() {
    let model = "model M
  model Chain parameter Integer n = 1; Real x[n](each start = 1, each fixed = true);
  equation for i in 1:n loop der(x[i]) = -i*x[i]; end for; end Chain;
  parameter Integer first = 2;
  Chain c[2](n = {first, 1});
end M;
";
    let table = run("element", model, &["-p", "c[2].n=3"]);
    assert!((table.last("c[2].x[3]") - (-3f64).exp()).abs() < 1e-5);
    assert!((table.last("c[1].x[2]") - (-2f64).exp()).abs() < 1e-5);
}

#[test]
fn a_value_that_the_model_lacks() {
    let model = "model M parameter Integer n; Real x[n] = {time*i for i in 1:n}; end M;";
    assert_eq!(launch("lacks", model, &[]).status.code(), Some(1));
    assert_eq!(run("lacks", model, &["-p", "n=3"]).last("x[3]"), 3.0);
}

fn codes(done: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&done.stderr);
    let heads = text.split("error[").skip(1);
    let mut list: Vec<String> = heads.map(|t| t[..5].to_string()).collect();
    list.sort();
    list.dedup();
    list
}

/// xorshift64*: a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Something of a model that can be set: its name without subscripts, its subscript, type and values of all elements.
struct Settable {
    name: String,
    element: Option<usize>,
    ty: String,
    value: String,
    all: Vec<String>,
}

/// Parameters and start values with literal values, from the listing of the flat model.
fn settables(listing: &str) -> (Vec<Settable>, Vec<(String, Vec<String>)>) {
    let mut enums = Vec::new();
    let mut list: Vec<(String, String, String)> = Vec::new();
    for line in listing.lines().take_while(|l| !l.ends_with("equation")) {
        let line = line.trim().trim_end_matches(';');
        if let Some(kind) = line.strip_prefix("type ")
            && let Some((name, literals)) = kind.split_once(" = enumeration(")
        {
            let literals = literals
                .trim_end_matches(')')
                .split(", ")
                .map(str::to_string);
            enums.push((name.to_string(), literals.collect()));
            continue;
        }
        let parameter = line.strip_prefix("parameter ");
        let rest = parameter.unwrap_or(line);
        let Some((ty, rest)) = rest.split_once(' ') else {
            continue;
        };
        let end = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.find('\'').map_or(0, |k| k + 2),
            None => rest.find([' ', '(']).unwrap_or(rest.len()),
        };
        let (name, rest) = rest.split_at(end);
        let name = name.trim_matches('\'').to_string();
        let value = |text: &str| -> String {
            let text = text.trim_start_matches(' ');
            match text.strip_prefix('"') {
                Some(inside) => format!("\"{}\"", inside.split('"').next().unwrap_or("")),
                None => text.split([',', ' ', ')']).next().unwrap_or("").to_string(),
            }
        };
        if parameter.is_some() {
            if let Some((_, given)) = rest.rsplit_once(" = ") {
                list.push((name, ty.to_string(), value(given)));
            }
        } else if let Some((_, given)) = rest.split_once("(start = ") {
            list.push((format!("{name}.start"), ty.to_string(), value(given)));
        }
    }
    let literal = |ty: &str, v: &str| match ty {
        "Real" => v.parse::<f64>().is_ok(),
        "Integer" => v.parse::<i64>().is_ok(),
        "Boolean" => v.parse::<bool>().is_ok(),
        "String" => v.starts_with('"'),
        // Those of the language are not declared.
        _ => v.starts_with(ty) && enums.iter().any(|e: &(String, Vec<String>)| e.0 == ty),
    };
    list.retain(|(_, ty, v)| literal(ty, v));
    let plain = |name: &str| !name.contains('[');
    let values: HashMap<&str, &str> = list.iter().map(|l| (l.0.as_str(), l.2.as_str())).collect();
    let mut found = Vec::new();
    for (name, ty, value) in &list {
        if plain(name) {
            found.push(Settable {
                name: name.clone(),
                element: None,
                ty: ty.clone(),
                value: value.clone(),
                all: Vec::new(),
            });
            continue;
        }
        // One subscript: all other elements must be known.
        let Some((head, rest)) = name.split_once('[') else {
            continue;
        };
        let Some((at, tail)) = rest.split_once(']') else {
            continue;
        };
        let (Ok(at), true) = (at.parse::<usize>(), plain(tail)) else {
            continue;
        };
        let value_of = |k: usize| values.get(format!("{head}[{k}]{tail}").as_str()).copied();
        if at > LARGEST || value_of(LARGEST).is_some() {
            continue;
        }
        let all: Vec<String> = (1..).map_while(value_of).map(str::to_string).collect();
        if at <= all.len() && !listing.contains(&format!("'{head}[{}]", all.len() + 1)) {
            found.push(Settable {
                name: format!("{head}{tail}"),
                element: Some(at),
                ty: ty.clone(),
                value: value.clone(),
                all,
            });
        }
    }
    (found, enums)
}

/// Another value of the same type.
fn another(random: &mut Random, s: &Settable, enums: &[(String, Vec<String>)]) -> String {
    match s.ty.as_str() {
        "Real" => {
            let v: f64 = s.value.parse().unwrap();
            let some = random.below(1000) as f64 / 100.0;
            let list = [
                0.0,
                2.0 * v,
                0.5 * v,
                v + 1.0,
                -v,
                1.01 * v,
                some,
                1e-3 * some,
            ];
            format!("{:?}", list[random.below(list.len())])
        }
        "Integer" => {
            let v: i64 = s.value.parse().unwrap();
            [0, 1, 3, v + 1, v - 1][random.below(5)].to_string()
        }
        "Boolean" => (s.value == "false").to_string(),
        "String" => "\"other\"".to_string(),
        ty => {
            let literals = enums.iter().find(|e| e.0 == ty).map(|e| &e.1).unwrap();
            let at = random.below(literals.len());
            format!(".{}.{}", ty.trim_matches('\''), literals[at])
        }
    }
}

/// The modifier `a(b(c = v))`.
fn modifier(s: &Settable, value: &str) -> String {
    let value = match s.element {
        None => value.to_string(),
        Some(at) => {
            let mut all = s.all.clone();
            all[at - 1] = value.to_string();
            let with_dot = all.iter().map(|v| match v.strip_prefix('\'') {
                Some(_) => format!(".{}", v.replace('\'', "")),
                None => v.clone(),
            });
            format!("{{{}}}", with_dot.collect::<Vec<_>>().join(", "))
        }
    };
    let parts: Vec<&str> = s.name.split('.').collect();
    format!(
        "{} = {value}{}",
        parts.join("("),
        ")".repeat(parts.len() - 1)
    )
}

/// Runs within the limit, or nothing.
fn limited(folder: &Path, args: &[&str]) -> Option<Output> {
    let (out, err) = (folder.join("out"), folder.join("err"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .current_dir(folder)
        .env_remove("MODELICAPATH")
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&err).unwrap())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Some(Output {
        status,
        stdout: fs::read(out).unwrap(),
        stderr: fs::read(err).unwrap(),
    })
}

enum Verdict {
    Same,
    BothRefused(String),
    Refused(String),
    /// Too long, or the language does not let the text be edited so.
    Skipped,
    Differs(String),
}

fn models() -> Vec<PathBuf> {
    let mut list = Vec::new();
    for folder in ["tests/library", "examples"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder);
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        list.extend(entries.filter(|p| p.extension().is_some_and(|e| e == "mo")));
    }
    list.sort();
    list
}

fn compared(path: &Path, random: &mut Random, folder: &Path) -> (String, Verdict) {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let text = fs::read_to_string(path).unwrap();
    let listed = limited(folder, &["dump", "--stage", "flat", path.to_str().unwrap()]);
    let Some(listed) = listed.filter(|l| l.status.success()) else {
        return (stem.into(), Verdict::Skipped);
    };
    let listing = String::from_utf8(listed.stdout).unwrap();
    let model = listing
        .split_whitespace()
        .nth(1)
        .unwrap()
        .trim_matches('\'');
    let (list, enums) = settables(&listing);
    if list.is_empty() {
        return (stem.into(), Verdict::Skipped);
    }
    let s = &list[random.below(list.len())];
    let value = another(random, s, &enums);
    let assignment = match s.element {
        None => format!("{}={value}", s.name),
        Some(at) => {
            // The subscript is behind the part that has elements.
            let full = (0..=s.name.len())
                .filter(|&k| k == s.name.len() || s.name.as_bytes()[k] == b'.')
                .map(|k| format!("{}[{at}]{}", &s.name[..k], &s.name[k..]))
                .find(|n| listing.contains(&format!("'{}'", n.trim_end_matches(".start"))));
            format!("{}={value}", full.unwrap())
        }
    };
    let case = format!("{stem} -p {assignment}");
    let edited = format!(
        "{text}\nmodel Edited\n  extends {model}({});\nend Edited;\n",
        modifier(s, &value)
    );
    fs::write(folder.join("Edited.mo"), edited).unwrap();
    let flags: Vec<&str> = text
        .lines()
        .next()
        .and_then(|l| l.strip_prefix("// run: "))
        .map(|f| f.split_whitespace().collect())
        .unwrap_or_default();
    let mut common = vec!["run", "-q", "-o", "-", "--start", "0", "--stop", "0.5"];
    common.extend(["--interval", "0.05", "--tol", "1e-6"]);
    common.extend(flags);
    let runs = [
        [
            &["-m", model, path.to_str().unwrap(), "-p", &assignment][..],
            &common,
        ]
        .concat(),
        [&["-m", "Edited", "Edited.mo"][..], &common].concat(),
    ];
    let order = |r: &[&str]| -> Vec<String> {
        let at = r.iter().position(|w| *w == "run").unwrap();
        let (before, after) = r.split_at(at);
        let words = after.iter().chain(before);
        words.map(|w| w.to_string()).collect()
    };
    let go = |r: &[&str]| {
        let words = order(r);
        limited(
            folder,
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
        )
    };
    let (Some(value), Some(text)) = (go(&runs[0]), go(&runs[1])) else {
        return (case, Verdict::Skipped);
    };
    let said = |o: &Output| String::from_utf8_lossy(&o.stderr).into_owned();
    let verdict = match (value.status.code(), text.status.code()) {
        // The model's own assertions may end both runs at the same time.
        (Some(a), Some(b)) if a == b && value.stdout == text.stdout && !text.stdout.is_empty() => {
            Verdict::Same
        }
        (Some(1), Some(1)) if codes(&value) == codes(&text) && value.stdout == text.stdout => {
            Verdict::BothRefused(said(&value))
        }
        (Some(2), Some(_)) => Verdict::Refused(said(&value)),
        (Some(1), Some(0)) if said(&value).contains("error[E0709]") => {
            Verdict::Refused(said(&value))
        }
        (Some(_), Some(1))
            if ["final", "protected"]
                .iter()
                .any(|w| said(&text).contains(w)) =>
        {
            Verdict::Skipped
        }
        (a, b) => Verdict::Differs(format!(
            "{case}: exit {a:?} and {b:?} of the text\n{}\n--\n{}",
            said(&value),
            said(&text)
        )),
    };
    (case, verdict)
}

#[test]
fn random_values_give_what_the_edited_text_gives() {
    let number = |name: &str, default: u64| {
        let text = std::env::var(name).ok();
        text.map_or(default, |t| t.parse().expect("a whole number"))
    };
    let cases = number("FERRICA_OVERRIDES", CASES as u64) as usize;
    let seed = number("FERRICA_SEED", 1);
    let models = models();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(([0usize; 4], Vec::new()));
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (next, counts, models) = (&next, &counts, &models);
            scope.spawn(move || {
                let folder = folder(&format!("random-overrides-{thread}"));
                while let k = next.fetch_add(1, Ordering::Relaxed)
                    && k < cases
                {
                    let mut random = Random((seed << 32) | ((k as u64 + 1) * 0x9E37_79B9));
                    for _ in 0..8 {
                        random.next();
                    }
                    let path = &models[random.below(models.len())];
                    let (case, verdict) = compared(path, &mut random, &folder);
                    let mut counts = counts.lock().unwrap();
                    match verdict {
                        Verdict::Same => counts.0[0] += 1,
                        Verdict::BothRefused(why) => {
                            println!("{case}: {why}");
                            counts.0[1] += 1;
                        }
                        Verdict::Refused(why) => {
                            println!("{case}: {why}");
                            counts.0[2] += 1;
                        }
                        Verdict::Skipped => counts.0[3] += 1,
                        Verdict::Differs(text) => {
                            println!("{case} differs");
                            counts.1.push(text);
                        }
                    }
                }
            });
        }
    });
    let (counts, failures) = counts.into_inner().unwrap();
    println!(
        "{cases} cases of seed {seed}: {} same rows, {} refused by both, {} refused by -p only, {} not compared, {} differ",
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n====\n"));
    assert!(2 * counts[0] > cases, "too few were compared");
}

/// The name of a table's file is relative to the model's file, whether the text gives it or `-p`, and wherever the program is called.
#[test]
fn names_of_files_are_relative_to_the_model() {
    let folder = folder("override-files");
    let models = folder.join("models");
    fs::create_dir_all(&models).unwrap();
    fs::write(
        models.join("M.mo"),
        "model M parameter String file = \"one.txt\";
           Modelica.Blocks.Sources.CombiTimeTable t(tableOnFile=true, tableName=\"tab\", fileName=file, verboseRead=false);
           Real x(start=0, fixed=true); equation der(x) = t.y[1]; end M;",
    )
    .unwrap();
    // Constants 1, 2; and 3 in the working folder, which is not meant.
    let table = |v: u32| format!("#1\ndouble tab(2,2)\n0 {v}\n1 {v}\n");
    fs::write(models.join("one.txt"), table(1)).unwrap();
    fs::write(models.join("two.txt"), table(2)).unwrap();
    fs::write(folder.join("two.txt"), table(3)).unwrap();
    for (args, right) in [(&[][..], 1.0), (&["-p", "file=two.txt"][..], 2.0)] {
        let done = Command::new(env!("CARGO_BIN_EXE_ferrica"))
            .args(["run", "models/M.mo", "--quiet", "-o", "-", "--vars", "x"])
            .args(args)
            .current_dir(&folder)
            .env_remove("MODELICAPATH")
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{messages}");
        let text = String::from_utf8(done.stdout).unwrap();
        let last = text.lines().last().unwrap().split(',').nth(1).unwrap();
        assert!(
            (last.parse::<f64>().unwrap() - right).abs() < 1e-6,
            "{last}"
        );
    }
}

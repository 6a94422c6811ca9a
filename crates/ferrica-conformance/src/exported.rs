//! Exported code: written by the program, compiled by the system's compiler, run.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cell::{Bench, Ended, coded, process, well};
use crate::chapters::Rule;
use crate::expected::{Expectation, When};

/// The demo of `ferrica export c`.
pub fn c(bench: &Bench, folder: &Path, args: &[&str]) -> Ended {
    let fixed = [
        "export", "c", "Model.mo", "--quiet", "--vars", "*", "-o", ".",
    ];
    if let Err(ended) = bench.ferrica(folder, &[&fixed, args].concat()) {
        return ended;
    }
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-O0", "-ffp-contract=off", "-o", "demo"]);
    let mut sources = ending(folder, ".c");
    // The loop by the clock has a `main` of its own; the block is for a program that is not here.
    let apart = |s: &PathBuf| s.ends_with("realtime.c") || s.to_string_lossy().ends_with("_sfun.c");
    sources.retain(|s| !apart(s));
    sources.push("-lm".into());
    compile_and_run(folder, compiler.args(sources), "demo")
}

/// The names of the files in a folder with an ending.
fn ending(folder: &Path, end: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.map(|f| PathBuf::from(f.file_name()));
    let mut names: Vec<_> = names
        .filter(|n| n.to_string_lossy().ends_with(end))
        .collect();
    names.sort();
    names
}

fn compile_and_run(folder: &Path, compiler: &mut Command, program: &str) -> Ended {
    match process(compiler, folder) {
        Ok((Some(0), ..)) => {}
        Ok((.., messages)) => return Ended::Badly(format!("not compiled: {messages}")),
        Err(why) => return Ended::Badly(why),
    }
    match process(&mut Command::new(folder.join(program)), folder) {
        Ok((Some(0), out, _)) => well(&out),
        // PowerDEVS' blocks have messages and no codes.
        Ok((Some(1), out, messages)) => {
            let last = out.lines().last().unwrap_or_default();
            let code = coded(&messages).unwrap_or_default();
            Ended::Told(code, format!("{last} {messages}"))
        }
        Ok((_, _, messages)) => Ended::Badly(format!("crashed: {messages}")),
        Err(why) => Ended::Badly(why),
    }
}

/// How fast an observer follows: it shows a jump after a hundredth of a second, and is 0.002 s late on a slope.
const OBSERVER_RATE: f64 = 500.0;

/// The blocks of `ferrica devs` under the coordinator of `powerdevs/`. Only states can be seen there, so each expected variable gets
/// an observer, a state that follows it.
pub fn powerdevs(
    bench: &Bench,
    folder: &Path,
    rule: &Rule,
    args: &[&str],
    values: &[Expectation],
) -> Ended {
    let (mut stop, mut interval) = (1.0, 0.05);
    for pair in args.chunks(2) {
        match pair {
            ["--interval", t] => interval = t.parse().unwrap_or(interval),
            ["--stop", t] => stop = t.parse().unwrap_or(stop),
            _ => return Ended::Absent,
        }
    }
    let (text, names) = observed(rule, values);
    let _ = fs::write(folder.join("Model.mo"), text);
    let fixed = [
        "devs",
        "Model.mo",
        "--quiet",
        "--format",
        "powerdevs",
        "-o",
        "Observed",
    ];
    if let Err(ended) = bench.ferrica(folder, &fixed) {
        return ended;
    }
    let read = |name: &str| fs::read_to_string(folder.join("Observed").join(name));
    let (Ok(pds), Ok(blocks)) = (read("Observed.pds"), read("Observed_blocks.cpp")) else {
        return Ended::Badly("no files were written".into());
    };
    let main = program(&pds, stop, interval);
    let text = format!("#include \"Observed/Observed_blocks.cpp\"\n{main}");
    let _ = fs::write(folder.join("main.cpp"), text);
    let mut compiler = Command::new("c++");
    compiler
        .args(["-O0", "-I", "."])
        .arg("-I")
        .arg(headers())
        .args(["-o", "model", "main.cpp"]);
    match compile_and_run(folder, &mut compiler, "model") {
        Ended::Well(mut found) => {
            // The columns are the states in the order of the blocks' own table of names.
            found.names = state_names(&blocks);
            found.names.insert(0, "time".into());
            for name in &mut found.names {
                if let Some((_, seen)) = names.iter().find(|(observer, _)| observer == name) {
                    *name = seen.clone();
                }
            }
            Ended::Well(found)
        }
        other => other,
    }
}

/// Where the headers of the coordinator are.
pub fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("powerdevs")
}

/// The model with observers: their names and what they show.
fn observed(rule: &Rule, values: &[Expectation]) -> (String, Vec<(String, String)>) {
    let class = last_class(&rule.model);
    let mut out = format!("{}model Observed\n  extends {class};\n", rule.model);
    let mut equations = String::new();
    let mut names: Vec<(String, String)> = Vec::new();
    for e in values {
        if e.name == "time" || names.iter().any(|(_, seen)| *seen == e.name) {
            continue;
        }
        let observer = format!("observer{}", names.len());
        let value = match e.is_boolean {
            true => format!("(if {} then 1 else 0)", e.name),
            false => e.name.clone(),
        };
        let _ = writeln!(out, "  Real {observer}(start = 0, fixed = true);");
        let _ = writeln!(
            equations,
            "  der({observer}) = {OBSERVER_RATE}*({value} - {observer});"
        );
        names.push((observer, e.name.clone()));
    }
    let _ = write!(out, "equation\n{equations}end Observed;\n");
    (out, names)
}

/// The name behind the last `end` of a text.
fn last_class(model: &str) -> &str {
    let (_, name) = model.rsplit_once("\nend ").unwrap_or(("", "M;"));
    name.trim().trim_end_matches(';')
}

fn state_names(blocks: &str) -> Vec<String> {
    let list = blocks
        .split("*const names[] = {")
        .nth(1)
        .unwrap_or_default();
    let list = list.split("};").next().unwrap_or_default();
    let names = (list.split("\",")).map(|n| n.trim().trim_matches('"'));
    names.map(str::to_string).collect()
}

/// What observers can be asked for: values some time after the start, before what happens at the end; none of them exactly.
pub fn observable(values: &[Expectation]) -> Vec<Expectation> {
    let later = |w: &When| matches!(w, When::At(t) if *t > 0.0);
    let is_seen = |e: &&Expectation| e.name != "time" && e.times.iter().all(later);
    let seen = values.iter().filter(is_seen).cloned();
    let about = seen.map(|e| Expectation { exact: false, ..e });
    about.collect()
}

/// The program that PowerDEVS makes of a `.pds` file; it prints the states at multiples of the interval.
pub fn program(pds: &str, stop: f64, interval: f64) -> String {
    let mut out = String::from("#include \"qss/qss_integrator.h\"\n");
    out.push_str("int main()\n{\n  std::vector<Simulator*> b;\n");
    let after = |line: &str, key: &str| line.trim().strip_prefix(key).map(str::to_string);
    let mut class = String::new();
    let mut list = String::new();
    let mut headers: Vec<String> = Vec::new();
    for line in pds.lines() {
        if let Some(path) = after(line, "Path = ") {
            let name = Path::new(&path).file_stem().unwrap_or_default();
            class = name.to_string_lossy().into_owned();
            if !headers.contains(&path) {
                headers.push(path);
            }
        } else if let Some(parameters) = after(line, "Parameters = ") {
            let _ = writeln!(
                out,
                "  b.push_back(new {class}(\"\"));\n  b.back()->init(0.0,{parameters});"
            );
        } else if let Some((from, to)) = line.trim().split_once(';') {
            let numbers = [from, to].map(|p| p.trim_matches(['(', ')']).to_string());
            let _ = write!(list, "{{ {}, {} }}, ", numbers[0], numbers[1]);
        }
    }
    let _ = write!(
        out,
        "  static const Connection all[] = {{ {list}}};\n  const std::vector<Connection> c(all, all + sizeof all / sizeof all[0]);\n  \
         return coordinate(b, c, {stop:?}, {interval:?});\n}}\n"
    );
    let lines: String = headers
        .iter()
        .map(|h| format!("#include \"{h}\"\n"))
        .collect();
    lines + &out
}

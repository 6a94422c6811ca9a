//! Whatever the model, the front end returns: no panic, no endless loop, no unbounded memory.
//!
//! Texts are the models of `examples`, `tests/library` and the language chapters, with tokens removed,
//! doubled, swapped or replaced by tokens of other texts; seeds are fixed. Every class of a mutated
//! text is flattened. Explicit cases follow: cycles, deep nesting, large sizes.
//!
//! A longer session over a library on disk: `MUTATIONS=100000 MUTATION_FOLDER=DIR cargo test …`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_ir::{Diagnostic, FileId, SourceMap};

/// SplitMix64: the same texts in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All texts of moderate size below a folder.
fn below(folder: &Path, out: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|d| d.filter_map(|e| e.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    entries.sort();
    for e in entries {
        if e.is_dir() {
            below(&e, out);
        } else if e.extension().is_some_and(|x| x == "mo")
            && let Ok(text) = std::fs::read_to_string(&e)
            && text.len() < 20_000
        {
            out.push(text);
        }
    }
}

fn texts() -> Vec<String> {
    let mut out = Vec::new();
    if let Some(folder) = std::env::var_os("MUTATION_FOLDER") {
        below(Path::new(&folder), &mut out);
        return out;
    }
    for folder in ["examples", "tests/library"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
            .map(|d| d.filter_map(|e| e.ok().map(|e| e.path())).collect())
            .unwrap_or_default();
        files.sort();
        for f in files {
            if f.extension().is_some_and(|x| x == "mo")
                && let Ok(text) = std::fs::read_to_string(&f)
                && text.len() < 4_000
            {
                out.push(text);
            }
        }
    }
    let mut chapters: Vec<PathBuf> = std::fs::read_dir(root().join("tests/language"))
        .map(|d| d.filter_map(|e| e.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    chapters.sort();
    for f in chapters {
        let text = std::fs::read_to_string(&f).unwrap_or_default();
        for part in text.split("```modelica\n").skip(1) {
            if let Some((model, _)) = part.split_once("```") {
                out.push(model.to_string());
            }
        }
    }
    out
}

fn tokens(text: &str) -> Vec<String> {
    let parsed = ferrica_syntax::parse(FileId(0), text);
    (0..parsed.tokens.len())
        .map(|i| parsed.token_text(i).to_owned())
        .collect()
}

/// Flattens every class of a text; the library of the project is at hand.
fn flatten_all(text: &str) {
    let sources = Arc::new(SourceMap::new());
    let library = match std::env::var_os("MUTATION_FOLDER") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("library"),
    };
    let path = SearchPath {
        folders: vec![library],
        ..SearchPath::default()
    };
    let library = Library::new(sources.clone(), path);
    let Ok(classes) = library.add_source("case.mo", text) else {
        return;
    };
    let mut list = classes.clone();
    for c in classes {
        list.extend(library.children(c));
    }
    for class in list {
        match ferrica_flat::flatten_class(&library, class) {
            Ok(f) => {
                let _ = ferrica_ir::print::flat_model(&f.model);
            }
            Err(list) => {
                for d in &list {
                    // A panic of the flattening thread ends as this message.
                    assert_ne!(d.code, "E0300", "the compiler failed on\n{text}");
                    let _ = sources.render(d);
                }
            }
        }
    }
}

fn mutated(texts: &[Vec<String>], random: &mut Random) -> String {
    let mut text = texts[random.below(texts.len())].clone();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        let other = &texts[random.below(texts.len())];
        let token = other[random.below(other.len())].clone();
        match random.below(4) {
            0 => {
                text.remove(at);
            }
            1 => text.insert(at, token),
            2 => {
                let b = random.below(text.len());
                text.swap(at, b);
            }
            _ => text[at] = token,
        }
        if text.is_empty() {
            break;
        }
    }
    text.concat()
}

/// Names and numbers are exchanged, so that the text parses and the mistake is one of meaning.
fn renamed(texts: &[Vec<String>], random: &mut Random) -> String {
    let mut text = texts[random.below(texts.len())].clone();
    let is_word = |t: &String| {
        t.starts_with(|c: char| c.is_ascii_alphanumeric()) && !matches!(t.as_str(), "end" | "model")
    };
    let words: Vec<usize> = (0..text.len()).filter(|&k| is_word(&text[k])).collect();
    for _ in 0..=random.below(4) {
        if words.len() < 2 {
            break;
        }
        let (a, b) = (
            words[random.below(words.len())],
            words[random.below(words.len())],
        );
        text[a] = text[b].clone();
    }
    text.concat()
}

fn rounds(default: u64) -> u64 {
    std::env::var("MUTATIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn mutated_models_are_flattened_or_rejected() {
    let texts: Vec<Vec<String>> = texts().iter().map(|t| tokens(t)).collect();
    assert!(texts.len() > 50, "only {} texts were found", texts.len());
    for seed in 0..rounds(400) {
        let mut random = Random(seed);
        flatten_all(&mutated(&texts, &mut random));
        flatten_all(&renamed(&texts, &mut random));
    }
}

// Explicit cases.

fn outcome(text: &str) -> Result<ferrica_flat::Flattened, Vec<Diagnostic>> {
    let library = Library::new(Arc::new(SourceMap::new()), SearchPath::default());
    let classes = library.add_source("case.mo", text)?;
    ferrica_flat::flatten_class(&library, *classes.last().expect("a class"))
}

fn code(text: &str) -> &'static str {
    match outcome(text) {
        Ok(_) => "accepted",
        Err(list) => list[0].code,
    }
}

#[test]
fn cyclic_inheritance() {
    assert_eq!(code("model A extends A; end A;"), "E0204");
    assert_eq!(
        code("model A extends B; end A; model B extends C; end B; model C extends A; end C;"),
        "E0204"
    );
    // A package that inherits its enclosing one has itself as a member, which is legal.
    assert_ne!(
        code("package P package Q extends P; end Q; end P; model M P.Q.Q.Q.R x; end M;"),
        "accepted"
    );
    assert_ne!(
        code("package P extends P.Q; package Q end Q; end P; model M extends P.X; end M;"),
        "accepted"
    );
}

#[test]
fn classes_that_contain_themselves() {
    assert_eq!(code("model A A a; end A;"), "E0304");
    assert_eq!(code("model A B b; end A; model B A a[2]; end B;"), "E0304");
}

#[test]
fn a_default_inner_that_needs_itself() {
    let text =
        "model Body outer World world; Real f = world.g; end Body; model World Body g; end World;";
    flatten_all(text);
    flatten_all(&text.replace("world.g", "1"));
}

#[test]
fn values_that_need_themselves() {
    for text in [
        "model A parameter Real x = x; end A;",
        "model A parameter Integer n = size(y, 1); Real y[n]; end A;",
        "model A constant Real x = y; constant Real y = x; Real z = x; end A;",
        "model B parameter Real p = 1; end B; model A B b(p = b.p); end A;",
        "model B replaceable model C = D; model D end D; end B; model A B b(redeclare model C = b.C); b.C c; end A;",
        "model A Real x[size(x, 1)]; end A;",
        "model A type T = T; T x; end A;",
        "model A import B = B.C; B x; end A;",
    ] {
        assert_ne!(code(text), "accepted", "{text}");
    }
}

#[test]
fn endless_functions_are_given_up() {
    for text in [
        "model A function f input Real x; output Real y; algorithm y := f(x + 1); end f; constant Real z = f(1); Real w = z; end A;",
        "model A function f input Integer n; output Integer y; algorithm y := if n < 2 then n else f(n - 1) + f(n - 2); end f; parameter Integer k = f(200); Real v[k]; end A;",
        "model A function f output Integer y; algorithm y := 0; while true loop y := y + 1; end while; end f; parameter Integer k = f(); Real v[k]; end A;",
    ] {
        assert_ne!(code(text), "accepted", "{text}");
    }
}

#[test]
fn deep_nesting() {
    let deep = |n: usize| {
        format!(
            "model A Real x = {}1{}; end A;",
            "(".repeat(n),
            ")".repeat(n)
        )
    };
    assert!(outcome(&deep(100)).is_ok());
    assert_eq!(code(&deep(100_000)), "E0105");
    let mut text = String::from("model A0 Real x = 1; end A0;\n");
    for k in 1..150 {
        text.push_str(&format!("model A{k} A{} a; end A{k};\n", k - 1));
    }
    assert!(outcome(&text).is_ok());
    let chain: String = (1..300)
        .map(|k| format!("model A{k} extends A{}; end A{k};\n", k - 1))
        .collect();
    assert_eq!(code(&format!("model A0 end A0;\n{chain}")), "E0204");
}

#[test]
fn huge_literals() {
    let digits = "9".repeat(5_000);
    assert_ne!(code(&format!("model A Real x = {digits}; end A;")), "E0300");
    assert_ne!(
        code(&format!("model A Real x[{digits}]; end A;")),
        "accepted"
    );
    assert_eq!(code("model A Real x = 1e999; end A;"), "E0110");
    let text = "x".repeat(1_000_000);
    assert!(outcome(&format!("model A parameter String s = \"{text}\"; end A;")).is_ok());
}

#[test]
fn large_arrays() {
    let f = outcome(
        "model A parameter Integer n = 1000000; Real x[n]; equation for i in 1:n loop x[i] = i*time; end for; end A;",
    )
    .expect("a large array is legal");
    let balance = ferrica_flat::count(&f.model);
    assert_eq!(
        (balance.equations, balance.unknowns),
        (1_000_000, 1_000_000)
    );
    for text in [
        "model A Real x[1000000000]; end A;",
        "model A Real x[100000, 100000, 100000]; end A;",
        "model B Real x; end B; model A B b[1000000000](each x = 1); end A;",
        "model A parameter Real x = sum(1:4000000000); end A;",
        "model A parameter Real x = sum(zeros(1000000, 1000000)); end A;",
        "model A parameter Real x = sum(fill(1, 3000000000)); end A;",
        "model A parameter Real x = sum(identity(1000000)); end A;",
        "model A parameter Real x = sum(linspace(0, 1, 4000000000)); end A;",
        "model A parameter Real x = sum({i + j for i in 1:1000000, j in 1:1000000}); end A;",
        "model A parameter Real x = sum(0:1e-12:1); end A;",
        "model A Real x; equation for i in 1:9000000000000 loop x = i; end for; end A;",
    ] {
        assert_ne!(code(text), "accepted", "{text}");
    }
}

//! Random hybrid models in every engine against an interpreter that shares nothing with the compiler. The verdicts are compared with
//! `tests/hybrid/random.md`, which `BLESS=1` renews; `cargo xtask differential` runs thousands and makes faulty models small.

use std::fmt::Write;
use std::path::Path;

use ferrica_conformance::cell::{Bench, Cell};
use ferrica_conformance::engines::{ENGINES, Engine, Way};
use ferrica_conformance::random::generate::RICH;
use ferrica_conformance::random::next_fair;
use ferrica_conformance::table;

/// Models of one run of the test: those with the constructs of every day, and those with all of them.
const MODELS: [(u64, usize); 2] = [(1, 80), (RICH, 60)];

const HEADER: &str = "\
# Random models that an engine gets wrong

Written by the test `differential` with `BLESS=1`. The seeds are those of the first fair models; seeds and engines that are not listed are right. `WRONG` is a
debt, a code a refusal. `cargo xtask differential --count 1 --seed N` shows model N and makes it small.

| rule | family | verdict | engines |
|---|---|---|---|
";

#[test]
fn random_models_mean_the_same_in_every_engine() {
    let mut trials = Vec::new();
    for (mut seed, count) in MODELS {
        for _ in 0..count {
            let (found, trial, _) = next_fair(seed);
            trials.push((format!("seed {found}"), trial));
            seed = found + 1;
        }
    }
    // Compiling C takes longer than all the rest; the rules have it.
    let engines: Vec<&Engine> = ENGINES.iter().filter(|e| e.way == Way::Run).collect();
    let bench = Bench {
        program: env!("CARGO_BIN_EXE_ferrica").into(),
        folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential"),
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let entries = table::fill(trials.len(), engines.len(), threads, |k, e| {
        let (name, trial) = &trials[k];
        trial.cell(&bench, name, engines[e])
    });
    let mut found = table::Labels::new();
    let mut reasons = String::new();
    for e in &entries {
        let (rule, engine) = (&trials[e.rule].0, engines[e.engine].name);
        if let Cell::Wrong(why) = &e.cell {
            let _ = writeln!(reasons, "{rule} | {engine}: {why}");
        }
        let key = (rule.clone(), engine.to_string());
        found.insert(key, e.cell.label().to_string());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hybrid/random.md");
    if std::env::var_os("BLESS").is_some() {
        let rules: Vec<String> = trials.iter().map(|t| t.0.clone()).collect();
        std::fs::write(&path, table::print(HEADER, &rules, &found)).unwrap();
        eprintln!("{reasons}");
        return;
    }
    let stored = table::read(&path).unwrap();
    let differences = table::differences(&stored, &found);
    assert!(
        differences.is_empty(),
        "{differences:#?} differ from tests/hybrid/random.md; BLESS=1 renews it. Wrong are:\n{reasons}"
    );
}

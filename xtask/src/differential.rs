//! `cargo xtask differential`: random hybrid models in every engine against the interpreter of `ferrica-conformance`. Of each fault the
//! smallest model that still shows it is printed.

use std::collections::BTreeMap;

use ferrica_conformance::cell::{Bench, Cell};
use ferrica_conformance::engines::{ENGINES, Engine, Way};
use ferrica_conformance::random::shrink::shrink;
use ferrica_conformance::random::{Trial, next_fair};
use ferrica_conformance::table;

use crate::options::Options;

/// Models that are computed before anything is told.
const BATCH: usize = 20;

pub fn run(options: &Options) -> Result<bool, String> {
    let bench = Bench {
        program: options.program()?,
        folder: std::env::temp_dir().join(format!("ferrica-differential-{}", std::process::id())),
    };
    let engines: Vec<&Engine> = ENGINES
        .iter()
        .filter(|e| e.way != Way::PowerDevs && options.wants(e.name))
        .collect();
    // For each engine: right, refused, wrong.
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    // For each code: how often, and where first.
    let mut refusals: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    let (mut seed, mut unfair, mut done) = (options.seed, 0, 0);
    while done < options.count {
        let mut batch = Vec::new();
        while batch.len() < BATCH.min(options.count - done) {
            let (found, trial, skipped) = next_fair(seed);
            unfair += skipped;
            seed = found + 1;
            batch.push((found, trial));
        }
        done += batch.len();
        let entries = table::fill(batch.len(), engines.len(), options.jobs, |k, e| {
            let (seed, trial) = &batch[k];
            trial.cell(&bench, &format!("seed {seed}"), engines[e])
        });
        for (k, (seed, trial)) in batch.iter().enumerate() {
            let own = entries.iter().filter(|e| e.rule == k);
            let mut told: Vec<(&Engine, &str)> = Vec::new();
            for entry in own {
                let engine = engines[entry.engine];
                let place = match &entry.cell {
                    Cell::Right | Cell::Absent => 0,
                    Cell::Refused(code) => {
                        refusals.entry(code.clone()).or_insert((0, *seed)).0 += 1;
                        1
                    }
                    Cell::Wrong(why) => {
                        told.push((engine, why));
                        2
                    }
                };
                counts.entry(engine.name).or_default()[place] += 1;
            }
            if let Some((engine, _)) = told.first() {
                tell(&bench, *seed, trial, engine, &told);
            }
        }
        let _ = std::fs::remove_dir_all(&bench.folder);
    }
    println!("{done} models, {unfair} more were no fair test; next seed {seed}");
    println!(
        "{:<24}{:>8}{:>10}{:>8}",
        "engine", "right", "refused", "wrong"
    );
    for engine in &engines {
        let [right, refused, wrong] = counts.get(engine.name).copied().unwrap_or_default();
        println!("{:<24}{right:>8}{refused:>10}{wrong:>8}", engine.name);
    }
    for (code, (count, first)) in &refusals {
        println!("{code}: {count} refusals, the first of seed {first}");
    }
    Ok(counts.values().all(|c| c[2] == 0))
}

fn tell(bench: &Bench, seed: u64, trial: &Trial, engine: &Engine, told: &[(&Engine, &str)]) {
    let small = shrink(&trial.model, |m| {
        let fair = Trial::new(m.clone());
        fair.is_ok_and(|t| matches!(t.cell(bench, "shrink", engine), Cell::Wrong(_)))
    });
    println!("seed {seed}:");
    for (engine, why) in told {
        println!("  {}: {why}", engine.name);
    }
    println!("the smallest for {}:\n{}", engine.name, small.text());
}

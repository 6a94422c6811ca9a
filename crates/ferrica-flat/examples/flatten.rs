//! Flattens classes and prints what comes out: `flatten LIB_DIR [--dump] [--again] [--one-by-one] NAME…`. With
//! `--again` the dump is read and flattened too, and must have as many equations and unknowns. With `--one-by-one` the
//! class is flattened a second time, with an instance for each element of an array, and must give the same text.

use std::sync::Arc;
use std::time::Instant;

use ferrica_classes::{Library, SearchPath};
use ferrica_ir::SourceMap;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let dump = args
        .iter()
        .position(|a| a == "--dump")
        .map(|k| args.remove(k))
        .is_some();
    let again = args
        .iter()
        .position(|a| a == "--again")
        .map(|k| args.remove(k))
        .is_some();
    let one_by_one = args
        .iter()
        .position(|a| a == "--one-by-one")
        .map(|k| args.remove(k))
        .is_some();
    let folder = args.remove(0);
    for name in args {
        let sources = Arc::new(SourceMap::new());
        let lib = Library::new(
            sources.clone(),
            SearchPath {
                folders: vec![folder.clone().into()],
                ..SearchPath::default()
            },
        );
        let mut class = name.clone();
        if name.ends_with(".mo") {
            match lib.add_file(name.as_ref()) {
                Ok(list) => class = list.last().map(|&c| lib.full_name(c)).unwrap_or_default(),
                Err(errors) => {
                    errors.iter().for_each(|d| eprint!("{}", sources.render(d)));
                    continue;
                }
            }
        }
        let start = Instant::now();
        match ferrica_flat::flatten(&lib, &class) {
            Ok(flat) => {
                let m = &flat.model;
                let balance = ferrica_flat::count(m);
                println!(
                    "{class}: {} equations, {} unknowns, {} warnings, {:.1} ms",
                    balance.equations,
                    balance.unknowns,
                    flat.warnings.len() + flat.unit_warnings.len(),
                    start.elapsed().as_secs_f64() * 1e3
                );
                flat.warnings
                    .iter()
                    .chain(&flat.unit_warnings)
                    .chain(&flat.imbalance)
                    .for_each(|d| eprint!("{}", sources.render(d)));
                if again {
                    read_back(&class, m);
                }
                if one_by_one && let Some(id) = lib.find(&class) {
                    let text = |m: &ferrica_ir::flat::FlatModel| ferrica_ir::print::flat_model(m);
                    match ferrica_flat::flatten_one_by_one(&lib, id) {
                        Ok(other) if text(&other.model) == text(m) => println!("{class}: same"),
                        _ => println!("{class}: differs one by one"),
                    }
                }
                if dump {
                    print!("{}", ferrica_ir::print::flat_model(m));
                }
            }
            Err(list) => {
                println!(
                    "{class}: failed, {:.1} ms",
                    start.elapsed().as_secs_f64() * 1e3
                );
                list.iter()
                    .take(5)
                    .for_each(|d| eprint!("{}", sources.render(d)));
            }
        }
    }
}

fn read_back(class: &str, model: &ferrica_ir::flat::FlatModel) {
    let sources = Arc::new(SourceMap::new());
    let lib = Library::new(sources.clone(), SearchPath::default());
    let show = |list: Vec<ferrica_ir::Diagnostic>| {
        println!("{class}: the dump is rejected");
        list.iter()
            .take(2)
            .for_each(|d| eprint!("{}", sources.render(d)));
    };
    let classes = match lib.add_source("dump.mo", ferrica_ir::print::flat_model(model)) {
        Ok(classes) => classes,
        Err(list) => return show(list),
    };
    let Some(&top) = classes.last() else { return };
    match ferrica_flat::flatten_class(&lib, top) {
        Err(list) => show(list),
        Ok(flat) => {
            let (before, after) = (ferrica_flat::count(model), ferrica_flat::count(&flat.model));
            if before != after {
                println!("{class}: read back as {after:?} instead of {before:?}");
            }
        }
    }
}

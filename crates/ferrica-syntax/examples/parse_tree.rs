//! Parses every `.mo` file below the given folders, prints the diagnostics and checks that each
//! file prints back byte for byte: `cargo run --release -p ferrica-syntax --example parse_tree DIR`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ferrica_ir::SourceMap;

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    if dir.is_file() {
        files.push(dir.to_path_buf());
        return;
    }
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "mo") {
            files.push(path);
        }
    }
}

fn main() {
    let mut files = Vec::new();
    for arg in std::env::args().skip(1) {
        collect(Path::new(&arg), &mut files);
    }
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .filter_map(|f| Some((f.clone(), std::fs::read_to_string(f).ok()?)))
        .collect();
    let bytes: usize = texts.iter().map(|(_, t)| t.len()).sum();
    let sources = SourceMap::new();
    let ids: Vec<_> = texts
        .iter()
        .map(|(p, t)| sources.add(p.display().to_string(), t.as_str()))
        .collect();
    let next = AtomicUsize::new(0);
    let (diagnostics, differing) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((_, text)) = texts.get(i) else { break };
                    let parsed = ferrica_syntax::parse(ids[i], text);
                    for error in &parsed.errors {
                        println!("{}", sources.render(error));
                    }
                    diagnostics.fetch_add(parsed.errors.len(), Ordering::Relaxed);
                    differing.fetch_add(usize::from(parsed.print() != *text), Ordering::Relaxed);
                }
            });
        }
    });
    println!(
        "{} files, {bytes} bytes, {} diagnostics, {} not printed back, {:.3} s on {threads} threads",
        texts.len(),
        diagnostics.into_inner(),
        differing.into_inner(),
        start.elapsed().as_secs_f64(),
    );
}

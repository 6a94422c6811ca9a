//! Times of partitioned runs: `network MODEL [N] [threads] [stop] [repeats]`, best of several.
//!
//! Prints the time of the simulation alone, and per partition and step.

#[path = "../tests/pipeline/mod.rs"]
mod pipeline;

use ferrica_tlm::{Method, partitions};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("HydraulicNetwork", String::as_str);
    let number =
        |k: usize, default: f64| args.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (n, threads) = (number(1, 0.0), number(2, 1.0) as usize);
    let (stop, repeats) = (number(3, 0.1), number(4, 5.0) as usize);
    let change = if n > 0.0 {
        format!("(N = {n})")
    } else {
        String::new()
    };
    let text = format!("model Test extends Ferrica.Benchmarks.{name}{change}; end Test;");
    let clock = std::time::Instant::now();
    let model = pipeline::compile(&text);
    let compiled = clock.elapsed().as_secs_f64();
    let parts = partitions(&model).parts.len();
    let mut options = pipeline::threads(threads, 1e-4);
    options.method = Method::Euler;
    let (mut best, mut initial) = (f64::INFINITY, 0.0);
    for _ in 0..repeats {
        let (_, end) = pipeline::run(&model, &options, stop, stop, &[], &[]);
        match end {
            Ok(stats) => {
                best = best.min(stats.simulate_seconds);
                initial = stats.initialize_seconds;
            }
            Err(e) => return eprintln!("{e}"),
        }
    }
    let steps = (stop / 1e-4).round();
    println!(
        "{name} N={n} threads={threads}: {parts} parts, compiled in {compiled:.3} s, initialized in {initial:.4} s, {:.4} ms, {:.2} ns a step, {:.2} ns a part and step",
        1e3 * best,
        1e9 * best / steps,
        1e9 * best / steps / parts as f64
    );
}

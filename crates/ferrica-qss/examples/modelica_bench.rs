//! CPU time and counters of Modelica models by quantized-state methods, without output:
//! `cargo run --release -p ferrica-qss --example modelica_bench -- FILE.mo METHOD [TOL] [ATOL/TOL]`.
//! With the method `bdf` (or another classic solver) the same model by that solver.

#[path = "../tests/pipeline/mod.rs"]
mod pipeline;

use ferrica_qss::Method;
use ferrica_qss::simulate::{QssOptions, simulate};
use ferrica_sim::{Experiment, SolverKind};

/// A model is run again until it has used so many seconds.
const ENOUGH: f64 = 1.0;

/// CPU seconds of this thread so far: other work on the machine does not count. It is the clock that the
/// stand-alone QSS solver reports its simulation time on.
fn cpu_seconds() -> f64 {
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    let mut time = [0i64; 2];
    // SAFETY: on 64-bit Linux `timespec` is two 64-bit integers, and the pointer is to two.
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time[0] as f64 + time[1] as f64 * 1e-9
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, method, rest @ ..] = &args[..] else {
        eprintln!("modelica_bench FILE.mo METHOD [TOL] [ATOL/TOL]");
        return;
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) => {
            eprintln!("{file}: {e}");
            return;
        }
    };
    let begin = cpu_seconds();
    let model = pipeline::compile(&text);
    let compiled = cpu_seconds() - begin;
    let mut e = Experiment::of(&model);
    if let Some(tolerance) = rest.first().and_then(|t| t.parse().ok()) {
        e.tolerance = tolerance;
    }
    e.interval = 2.0 * (e.stop - e.start);
    e.wanted = Some(Vec::new());
    let mut best = f64::INFINITY;
    let mut line = String::new();
    let mut used = 0.0;
    while used < ENOUGH {
        if let Some(m) = Method::parse(method) {
            let mut options = QssOptions::new(m);
            options.event_rows = false;
            if let Some(f) = rest.get(1).and_then(|t| t.parse().ok()) {
                options.absolute_factor = f;
            }
            // The first row comes when the model is initialized and its kernels are compiled.
            let mut begin = None;
            let done = simulate(&model, &e, &options, &mut |_: f64, _: &[f64]| {
                begin.get_or_insert_with(cpu_seconds);
            });
            match done {
                Ok(run) => {
                    let cpu = begin.map_or(f64::NAN, |b| cpu_seconds() - b);
                    used += cpu;
                    if cpu < best {
                        best = cpu;
                        line = format!(
                            "{} transitions, {:.3} us each, {} events, {} derivatives, {} crossings, {} pair steps, {} kernels",
                            run.qss.transitions,
                            cpu * 1e6 / run.qss.transitions as f64,
                            run.qss.events,
                            run.qss.derivative_evaluations,
                            run.qss.crossing_evaluations,
                            run.qss.pair_steps,
                            run.kernels
                        );
                    }
                }
                Err(e) => {
                    println!("{file} {method}: {e}");
                    return;
                }
            }
        } else if let Some(kind) = SolverKind::from_name(method) {
            e.solver = kind;
            let begin = cpu_seconds();
            match ferrica_sim::simulate(&model, &e, &mut |_: f64, _: &[f64]| {}) {
                Ok(stats) => {
                    let cpu = cpu_seconds() - begin;
                    used += cpu;
                    if cpu < best {
                        best = cpu;
                        line = format!(
                            "{} steps, {} events",
                            stats.steps,
                            stats.state_events + stats.time_events
                        );
                    }
                }
                Err(e) => {
                    println!("{file} {method}: {e}");
                    return;
                }
            }
        } else {
            eprintln!("no method {method}");
            return;
        }
    }
    println!(
        "{file} {method} {}: {:.3} ms CPU, {line}; compiling {:.0} ms",
        e.tolerance,
        best * 1e3,
        compiled * 1e3
    );
}

//! CPU time and counters of Modelica models by quantized-state methods, without output:
//! `cargo run --release -p ferrica-qss --example modelica_bench -- FILE.mo METHOD [TOL] [ATOL/TOL]`.
//! With the method `bdf` (or another classic solver) the same model by that solver.

#[path = "../tests/pipeline/mod.rs"]
mod pipeline;

use std::cell::Cell;
use std::sync::Arc;

use ferrica_codegen::CompiledModel;
use ferrica_qss::compiled::CompiledQss;
use ferrica_qss::simulate::{QssOptions, settings};
use ferrica_qss::{Diagnostic, Method, Observer, QssStats, Trajectories, run};
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

/// Wants nothing, and notes when it is first asked: the model is initialized, its kernels are compiled, the first
/// times are known.
#[derive(Default)]
struct Clock(Cell<Option<f64>>);

impl Observer<CompiledQss> for Clock {
    fn due(&self) -> f64 {
        self.0.set(self.0.get().or_else(|| Some(cpu_seconds())));
        f64::INFINITY
    }

    fn output(&mut self, _: &mut CompiledQss, _: Trajectories<'_>) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// CPU seconds of the transitions alone, number of kernels, counters.
fn quantized(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    options: &QssOptions,
) -> Result<(f64, usize, QssStats), String> {
    let started = ferrica_sim::start(model, experiment).map_err(|e| e.to_string())?;
    let order = options.method.order;
    let compiled = CompiledQss::new(started.problem.ev, order);
    let mut compiled = compiled.map_err(|d| d.message)?;
    let kernels = compiled.kernels();
    let settings = settings(&compiled, experiment, options).map_err(|e| e.to_string())?;
    let mut clock = Clock::default();
    let done = run(&mut compiled, &settings, &mut clock);
    let end = cpu_seconds();
    let done = done.map_err(|d| d.message)?;
    Ok((end - clock.0.get().unwrap_or(end), kernels, done.stats))
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
            if let Some(f) = rest.get(1).and_then(|t| t.parse().ok()) {
                options.absolute_factor = f;
            }
            match quantized(&model, &e, &options) {
                Ok((cpu, kernels, stats)) => {
                    used += cpu;
                    if cpu < best {
                        best = cpu;
                        line = format!(
                            "{} transitions, {:.3} us each, {} events, {} derivatives, {} crossings, {} pair steps, {kernels} kernels",
                            stats.transitions,
                            cpu * 1e6 / stats.transitions as f64,
                            stats.events,
                            stats.derivative_evaluations,
                            stats.crossing_evaluations,
                            stats.pair_steps,
                        );
                    }
                }
                Err(text) => {
                    println!("{file} {method}: {text}");
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

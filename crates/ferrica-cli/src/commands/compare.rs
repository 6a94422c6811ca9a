//! `ferrica compare`: the same model with several solvers; error against a reference, steps, time.

use std::fmt::Write;
use std::time::Instant;

use ferrica::results::ResultTable;
use ferrica::results::compare::interpolate;
use ferrica::results::plot::{Axis, Figure, Mark, Series};

use crate::Outcome;
use crate::cli::CompareArgs;
use crate::commands::precision;
use crate::inputs::read_result;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::engines::recorder::{Recorder, Recording, Slot};
use ferrica::engines::solving;
use ferrica::failure::Failure;
use ferrica::options::{Solver, SolverOptions};
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::sources::listing::state_names;
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::{self, Compiled};
use ferrica::stages::stats::Stats;

/// Tolerance and solver of the reference run.
const REFERENCE_TOLERANCE: f64 = 1e-10;
const REFERENCE_SOLVER: Solver = Solver::Radau;
/// A run shorter than this is repeated, and the fastest counts.
const SHORT_RUN: f64 = 0.2;
const REPEATS: usize = 5;

/// One run of one solver.
struct Attempt {
    solver: Solver,
    /// Tolerance or step.
    setting: String,
    /// Largest and root mean square deviation over all variables, each in parts of its range.
    largest: f64,
    rms: f64,
    seconds: f64,
    stats: Stats,
}

pub fn compare(args: &CompareArgs, reporter: &mut Reporter) -> Outcome {
    for &solver in &args.solvers {
        solving::kind(solver)?;
    }
    let target: Vec<Output> = args
        .output
        .iter()
        .map(|p| Output::new(p, Kind::Picture))
        .collect();
    let reads = args
        .reference
        .clone()
        .into_iter()
        .chain(args.model.file.clone());
    outputs::check(&target, &reads.collect::<Vec<_>>())?;
    let mut stats = Stats::default();
    let keep_flat = (args.solvers.iter()).any(|s| s.bond_graph_order().is_some());
    let compiled = pipeline::compile_for(
        &args.model.driven_by(&args.experiment),
        keep_flat,
        reporter,
        &mut stats,
    )?;
    let experiment = Grid::new(
        &args.experiment.options(),
        &compiled.model.source.experiment,
    )?;
    if args.precision.is_some() {
        return precision::search(args, &compiled, &experiment, reporter);
    }
    let patterns = patterns(args, &compiled);
    let slots = Recording::new(&compiled, &patterns).slots();
    if slots.is_empty() {
        return Err(Failure::usage(
            "no variable to compare: name some with --vars",
        ));
    }
    let reference = reference(args, &compiled, &experiment, &patterns, &slots, reporter)?;

    let mut attempts = Vec::new();
    for &solver in &args.solvers {
        for (setting, experiment, step) in settings(args, solver, &experiment) {
            reporter.detail(&format!("{} {setting}", solver.word()));
            let solver_args = solver_args(args, solver, step);
            match attempt(&compiled, &experiment, &solver_args, &patterns, &slots) {
                Ok((table, seconds, stats)) => {
                    let (largest, rms) = errors(&reference, &table);
                    attempts.push(Attempt {
                        solver,
                        setting,
                        largest,
                        rms,
                        seconds,
                        stats,
                    });
                }
                Err(failure) => {
                    reporter.warning(&format!("{} {setting} did not succeed:", solver.word()));
                    reporter.failure(&failure);
                }
            }
        }
    }
    if attempts.is_empty() {
        return Err(Failure::Answered);
    }
    print_out(&table_of(&attempts))?;
    let quantized = |s: &Solver| matches!(solving::kind(*s), Ok(solving::Engine::Quantized(_)));
    if args
        .solvers
        .iter()
        .any(|s| *s == Solver::Auto || quantized(s))
    {
        reporter.note(&solving::rule_text(&compiled, &experiment));
    }
    if let Some(path) = &args.output {
        write_picture(&picture(&compiled.name, &attempts), path)?;
    }
    Ok(())
}

/// What the user named, else the states.
fn patterns(args: &CompareArgs, compiled: &Compiled) -> Vec<String> {
    if !args.vars.is_empty() {
        return args.vars.clone();
    }
    state_names(compiled)
}

pub(super) fn solver_args(args: &CompareArgs, solver: Solver, step: Option<f64>) -> SolverOptions {
    SolverOptions {
        solver,
        step,
        iterations: args.iterations,
        bdf_start: args.bdf_start,
        verify: args.verify,
        trust_step: true,
        ..SolverOptions::default()
    }
}

pub(super) fn is_fixed_step(solver: Solver) -> bool {
    use Solver::*;
    matches!(
        solver,
        Rk4 | Euler | RtBdf1 | RtBdf2 | RtBdf3 | RtTr | RtTrnp | RtOde
    )
}

/// The settings to try: each tolerance or each step.
fn settings(
    args: &CompareArgs,
    solver: Solver,
    experiment: &Grid,
) -> Vec<(String, Grid, Option<f64>)> {
    if is_fixed_step(solver) {
        let steps = if args.steps.is_empty() {
            vec![experiment.interval]
        } else {
            args.steps.clone()
        };
        return steps
            .into_iter()
            .map(|h| (format!("h = {h:e}"), *experiment, Some(h)))
            .collect();
    }
    let tolerances = match (args.tols.is_empty(), args.output.is_some()) {
        (false, _) => args.tols.clone(),
        // A picture of one point is none.
        (true, true) => vec![1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8],
        (true, false) => vec![experiment.tolerance],
    };
    tolerances
        .into_iter()
        .map(|tolerance| {
            (
                format!("tol = {tolerance:e}"),
                Grid {
                    tolerance,
                    ..*experiment
                },
                None,
            )
        })
        .collect()
}

fn reference(
    args: &CompareArgs,
    compiled: &Compiled,
    experiment: &Grid,
    patterns: &[String],
    slots: &[Slot],
    reporter: &mut Reporter,
) -> Result<ResultTable, Failure> {
    if let Some(path) = &args.reference {
        return read_result(path, reporter);
    }
    let tight = Grid {
        tolerance: REFERENCE_TOLERANCE,
        ..*experiment
    };
    let solver = solver_args(args, REFERENCE_SOLVER, None);
    let (table, _, _) = simulate(compiled, &tight, &solver, patterns, slots)?;
    Ok(table)
}

/// A run, repeated while it is short: the fastest one counts.
pub(super) fn attempt(
    compiled: &Compiled,
    experiment: &Grid,
    solver: &SolverOptions,
    patterns: &[String],
    slots: &[Slot],
) -> Result<(ResultTable, f64, Stats), Failure> {
    let mut best = simulate(compiled, experiment, solver, patterns, slots)?;
    for _ in 1..REPEATS {
        if best.1 > SHORT_RUN {
            break;
        }
        let again = simulate(compiled, experiment, solver, patterns, slots)?;
        if again.1 < best.1 {
            best = again;
        }
    }
    Ok(best)
}

pub(super) fn simulate(
    compiled: &Compiled,
    experiment: &Grid,
    solver: &SolverOptions,
    patterns: &[String],
    slots: &[Slot],
) -> Result<(ResultTable, f64, Stats), Failure> {
    let mut stats = Stats::default();
    let mut recorder = Recorder::default().to_memory(Recording::new(compiled, patterns));
    let began = Instant::now();
    let wanted = Some(slots.to_vec());
    solving::simulate(
        compiled,
        experiment,
        solver,
        wanted,
        &mut recorder,
        &mut stats,
    )
    .map_err(|broken| broken.reason)?;
    // Of the steps alone where that is known: compilation of steps and initialization come once.
    let all = began.elapsed().as_secs_f64();
    let seconds = match stats.seconds("simulate") {
        s if s > 0.0 => s,
        _ => all,
    };
    recorder.finish().map_err(|e| Failure::io("results", &e))?;
    Ok((recorder.into_table().unwrap_or_default(), seconds, stats))
}

/// Largest and root mean square deviation at the reference's times, in parts of each range. Times at
/// which the reference jumps are left out: there, a hair of time is the whole difference.
fn errors(reference: &ResultTable, table: &ResultTable) -> (f64, f64) {
    let times = &reference.time;
    let jumps = |k: usize| {
        (k > 0 && times[k - 1] == times[k]) || (k + 1 < times.len() && times[k + 1] == times[k])
    };
    let (mut largest, mut squares, mut count) = (0.0f64, 0.0, 0usize);
    for name in &reference.names {
        let (Some(exact), Some(values)) = (reference.series(name), table.series(name)) else {
            continue;
        };
        let (low, high) = exact
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
                (l.min(*v), h.max(*v))
            });
        let range = if high > low {
            high - low
        } else {
            high.abs().max(1.0)
        };
        let values = interpolate(&table.time, &values, times);
        for k in (0..times.len()).filter(|&k| !jumps(k)) {
            let deviation = (values[k] - exact[k]).abs() / range;
            let deviation = if deviation.is_nan() {
                f64::INFINITY
            } else {
                deviation
            };
            largest = largest.max(deviation);
            squares += deviation * deviation;
            count += 1;
        }
    }
    (largest, (squares / count.max(1) as f64).sqrt())
}

fn table_of(attempts: &[Attempt]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:8}  {:12}  {:>10}  {:>10}  {:>8}  {:>11}  {:>7}  {:>10}",
        "solver", "setting", "error", "rms", "steps", "evaluations", "events", "seconds"
    );
    for a in attempts {
        let _ = writeln!(
            out,
            "{:8}  {:12}  {:>10.2e}  {:>10.2e}  {:>8}  {:>11}  {:>7}  {:>10.6}",
            a.solver.word(),
            a.setting,
            a.largest,
            a.rms,
            a.stats.steps,
            a.stats.evaluations,
            a.stats.events,
            a.seconds
        );
    }
    out
}

fn picture(name: &str, attempts: &[Attempt]) -> Figure {
    let title = format!("{name}: work and precision");
    let error = Axis::new("largest error in parts of the range").log();
    let mut figure = Figure::new(title, Axis::new("time of the run [s]").log(), error);
    let mut solvers: Vec<Solver> = attempts.iter().map(|a| a.solver).collect();
    solvers.dedup();
    for solver in solvers {
        let (x, y) = attempts
            .iter()
            .filter(|a| a.solver == solver)
            .map(|a| (a.seconds, a.largest))
            .unzip();
        figure = figure.with(Series::new(solver.word(), x, y, Mark::LineMarkers));
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica::results::Column;

    #[test]
    fn errors_are_parts_of_the_range_and_skip_jumps() {
        let table = |time: Vec<f64>, x: Vec<f64>| {
            let mut table = ResultTable::new(time);
            table.push("x".into(), Column::Series(x.into()));
            table
        };
        let exact = table(vec![0.0, 1.0, 1.0, 2.0], vec![0.0, 0.0, 10.0, 10.0]);
        let other = table(vec![0.0, 1.1, 1.1, 2.0], vec![0.0, 0.0, 10.0, 10.1]);
        let (largest, rms) = errors(&exact, &other);
        assert!((largest - 0.01).abs() < 1e-12);
        assert!((rms - 0.01 / 2f64.sqrt()).abs() < 1e-12);
    }
}

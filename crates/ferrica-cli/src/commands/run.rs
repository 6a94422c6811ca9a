//! `ferrica run`: compile, simulate, write, draw.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ferrica_codegen::Slot;
use ferrica_ir::print::{brief, counted};
use ferrica_results::ResultTable;
use ferrica_results::plot::{figure_of, figure_of_panels, split_names};

use crate::Outcome;
use crate::cli::{ProgressWhen, RunArgs};
use crate::interrupt;
use crate::progress::Progress;
use crate::reporter::Reporter;
use crate::terminal::{print_out, show_picture};
use ferrica::bond_graph;
use ferrica::checkpoint;
use ferrica::failure::Failure;
use ferrica::fitting;
use ferrica::grid::Grid;
use ferrica::partitioned;
use ferrica::pictures::write_picture;
use ferrica::pipeline::Compiled;
use ferrica::ranks;
use ferrica::recorder::{Recorder, Recording};
use ferrica::solving;
use ferrica::stats::Stats;
use rustc_hash::FxHashSet;

pub fn run(args: &RunArgs, reporter: &mut Reporter) -> Outcome {
    let began = Instant::now();
    let mut stats = Stats {
        solver: args.solver.solver.word().to_owned(),
        ..Stats::default()
    };
    let outcome = compile_and_simulate(args, reporter, &mut stats);
    // Of several ranks the first one keeps the files.
    if let Some(path) = &args.output.stats
        && ranks::rank() == 0
    {
        write_stats(&stats, path)?;
    }
    for note in &stats.notes {
        reporter.detail(note);
    }
    reporter.detail(&stats.summary(began.elapsed()));
    outcome
}

fn compile_and_simulate(args: &RunArgs, reporter: &mut Reporter, stats: &mut Stats) -> Outcome {
    let (solver, stages) = (args.solver.options(), args.stages.options());
    let span = args.experiment.options();
    ranks::supported()?;
    if ranks::size() > 1 && !partitioned::is_on(&solver) {
        return Err(Failure::usage(
            "a run over several ranks needs --partition tlm",
        ));
    }
    solving::supported(&solver)?;
    checkpoint::supported(&stages, &solver)?;
    let compiled = partitioned::compile(&args.model.options(), &span, &solver, reporter, stats)?;
    let experiment = Grid::new(&span, &compiled.model.source.experiment)?;
    let slots = bond_graph::recorded(&compiled, args.solver.solver, experiment.start)?;
    let record = |patterns: &[String]| record(&compiled, patterns, slots.as_ref());
    let recording = record(&args.output.vars)?;
    let drawing = match &args.output.plot {
        Some(list) => {
            let panels: Vec<Vec<String>> = list.split(';').map(split_names).collect();
            // Each name must mean something, better now than after the run.
            for name in panels.iter().flatten() {
                record(std::slice::from_ref(name))?;
            }
            Some((record(&panels.concat())?, panels))
        }
        None => None,
    };
    let wanted = (!args.output.vars.is_empty()).then(|| {
        let drawn = drawing.as_ref().map_or(Vec::new(), |(r, _)| r.slots());
        [recording.slots(), drawn].concat()
    });
    let path = output_path(args, &compiled);
    let show_progress = args.output.progress == ProgressWhen::Auto && !reporter.quiet;
    // The first of several ranks writes the results.
    let recorder = Recorder::default().with_event_rows(args.output.event_rows);
    let mut recorder = match ranks::rank() {
        0 => recorder.to_file(recording, &path)?,
        _ => recorder,
    };
    let mut bar = Progress::new(experiment.start, experiment.stop, show_progress);
    recorder = recorder
        .stop_when(interrupt::watch())
        .show(Box::new(move |time, steps| bar.update(time, steps)));
    let mut panels = Vec::new();
    if let Some((recording, names)) = drawing {
        recorder = recorder.to_memory(recording);
        panels = names;
    }

    if let Some(text) = fitting::without_effect(&solver, compiled.inlined) {
        reporter.note(&text);
    }
    if let Some(text) = solving::recommendation(&compiled, &experiment, &solver) {
        reporter.note(&text);
    } else if args.solver.solver == ferrica::options::Solver::Auto {
        reporter.detail(&solving::rule_text(&compiled, &experiment));
    }
    let began = Instant::now();
    let ended = checkpoint::simulate(
        &compiled,
        &experiment,
        &stages,
        &solver,
        wanted,
        &mut recorder,
        stats,
    );
    let took = began.elapsed();
    let finished = stats.stage("output", || recorder.finish());
    let file = path.display().to_string();
    finished.map_err(|e| Failure::io(&file, &e))?;
    if let Some(time) = recorder.events_left_out {
        reporter.note(&format!(
            "from t = {} on, rows at events are left out: there are too many. `--vars` chooses columns, `--event-rows on` keeps all",
            brief(time)
        ));
    }
    match ended {
        Ok(end) => {
            reporter.diagnostics(&end.warnings);
            if let Some(undefined) = recorder.undefined() {
                reporter.diagnostics(&undefined.warnings(&compiled.model));
            }
            if let Some(message) = &end.terminated {
                reporter.note(&format!(
                    "the model ended the run at t = {}: {message}",
                    brief(end.time)
                ));
            }
            reporter.note(&report(&compiled, stats, took, &file));
        }
        Err(failure) if recorder.was_interrupted() => {
            return Err(Failure::Io(format!(
                "interrupted at t = {}; what was computed until then is in {file}",
                brief(failure.time)
            )));
        }
        // Another rank than the first has no results to speak of.
        Err(failure) if ranks::rank() > 0 => return Err(failure.reason),
        Err(failure) => {
            reporter.failure(&failure.reason);
            return Err(if recorder.rows > 0 && path != Path::new("-") {
                Failure::Io(format!(
                    "the run ended at t = {}; what was computed until then is in {file}",
                    brief(failure.time)
                ))
            } else {
                Failure::Answered
            });
        }
    }
    match recorder.into_table() {
        Some(table) => draw(args, &table, &compiled.name, &panels),
        None => Ok(()),
    }
}

/// Writes the object to a file, `-` for standard output.
fn write_stats(stats: &Stats, path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print_out(&stats.to_json());
    }
    fs::write(path, stats.to_json()).map_err(|e| Failure::io(path.display(), &e))
}

/// The variables that match, an error if there are none.
fn record(
    compiled: &Compiled,
    patterns: &[String],
    slots: Option<&FxHashSet<Slot>>,
) -> Result<Recording, Failure> {
    let recording = Recording::limited(&compiled.model, patterns, slots);
    if recording.is_empty() && !patterns.is_empty() {
        let list = patterns.join(", ");
        return Err(Failure::usage_with_hint(
            format!("no variable of {} matches `{list}`", compiled.name),
            "`ferrica dump --stage flat` lists the variables",
        ));
    }
    Ok(recording)
}

/// As asked for, else the model's name in the current folder.
fn output_path(args: &RunArgs, compiled: &Compiled) -> PathBuf {
    match &args.output.output {
        Some(path) => path.clone(),
        None => {
            let name: String = compiled
                .name
                .chars()
                .map(|c| if c == '/' { '_' } else { c })
                .collect();
            PathBuf::from(format!("{name}.csv"))
        }
    }
}

fn report(compiled: &Compiled, stats: &Stats, took: Duration, file: &str) -> String {
    let target = if file == "-" {
        String::new()
    } else {
        format!(" → {file}")
    };
    let events = if stats.events > 0 {
        format!(", {}", counted(stats.events as usize, "event"))
    } else {
        String::new()
    };
    format!(
        "{}: t = {} … {} in {:.3} s ({}: {}{events}){target}",
        compiled.name,
        stats.start,
        stats.stop,
        took.as_secs_f64(),
        stats.solver,
        counted(stats.steps as usize, "step"),
    )
}

fn draw(args: &RunArgs, table: &ResultTable, title: &str, panels: &[Vec<String>]) -> Outcome {
    let figure = match panels {
        [names] => figure_of(table, title, names, "time"),
        _ => figure_of_panels(table, title, panels, "time"),
    };
    let figure = figure.map_err(|e| Failure::usage(e.to_string()))?;
    show_picture(&figure, None)?;
    match &args.output.picture {
        Some(path) => write_picture(&figure, path),
        None => Ok(()),
    }
}

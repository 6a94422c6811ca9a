//! `ferrica run`: compile, simulate, write, draw.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ferrica_codegen::Slot;
use ferrica_ir::print::{brief, counted};
use ferrica_results::ResultTable;
use ferrica_results::plot::{figure_of, figure_of_panels, split_names};

use crate::Outcome;
use crate::bond_graph;
use crate::checkpoint;
use crate::cli::{ProgressWhen, RunArgs};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::fitting;
use crate::interrupt;
use crate::partitioned;
use crate::pictures::{show_picture, write_picture};
use crate::pipeline::Compiled;
use crate::progress::Progress;
use crate::ranks;
use crate::recorder::{Recorder, Recording};
use crate::reporter::Reporter;
use crate::solving;
use crate::stats::Stats;
use rustc_hash::FxHashSet;

pub fn run(args: &RunArgs, reporter: &mut Reporter) -> Outcome {
    let began = Instant::now();
    let mut stats = Stats {
        solver: args.solver.solver.word(),
        ..Stats::default()
    };
    let outcome = compile_and_simulate(args, reporter, &mut stats);
    // Of several ranks the first one keeps the files.
    if let Some(path) = &args.output.stats
        && ranks::rank() == 0
    {
        stats.write(path)?;
    }
    for note in &stats.notes {
        reporter.detail(note);
    }
    reporter.detail(&stats.summary(began.elapsed()));
    outcome
}

fn compile_and_simulate(args: &RunArgs, reporter: &mut Reporter, stats: &mut Stats) -> Outcome {
    ranks::supported()?;
    if ranks::size() > 1 && !partitioned::is_on(&args.solver) {
        return Err(Failure::usage(
            "a run over several ranks needs --partition tlm",
        ));
    }
    solving::supported(&args.solver)?;
    checkpoint::supported(args)?;
    let compiled = partitioned::compile(args, reporter, stats)?;
    let experiment = Experiment::new(&args.experiment, &compiled.model.source.experiment)?;
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
    recorder = recorder.stop_when(interrupt::watch()).show(Progress::new(
        experiment.start,
        experiment.stop,
        show_progress,
    ));
    let mut panels = Vec::new();
    if let Some((recording, names)) = drawing {
        recorder = recorder.to_memory(recording);
        panels = names;
    }

    if let Some(text) = fitting::without_effect(&args.solver, compiled.inlined) {
        reporter.note(&text);
    }
    if let Some(text) = solving::recommendation(&compiled, &experiment, &args.solver) {
        reporter.note(&text);
    } else if args.solver.solver == crate::cli::Solver::Auto {
        reporter.detail(&solving::rule_text(&compiled, &experiment));
    }
    let began = Instant::now();
    let ended = checkpoint::simulate(&compiled, &experiment, args, wanted, &mut recorder, stats);
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

//! `ferrica run`: compile, simulate, write, draw.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ferrica::results::plot::{figure_of, figure_of_panels, split_names};
use ferrica::results::{ResultTable, glob_matches};
use ferrica::words::closest_variable;
use ferrica::words::{brief, counted};

use crate::Outcome;
use crate::cli::{ProgressWhen, RunArgs};
use crate::inputs::inputs_of;
use crate::interrupt;
use crate::library::told;
use crate::progress::Progress;
use crate::reporter::Reporter;
use crate::terminal::show_picture;
use ferrica::engines::bond_graph;
use ferrica::engines::checkpoint;
use ferrica::engines::fitting;
use ferrica::engines::partitioned;
use ferrica::engines::ranks;
use ferrica::engines::recorder::{Recorder, Recording, Slot};
use ferrica::engines::solving;
use ferrica::failure::Failure;
use ferrica::options::Partition;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::sources::listing::variable_names;
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::Compiled;
use ferrica::stages::stats::Stats;
use rustc_hash::FxHashSet;

pub fn run(args: &RunArgs, reporter: &mut Reporter) -> Outcome {
    let began = Instant::now();
    let mut stats = Stats {
        solver: args.solver.solver.word().to_owned(),
        ..Stats::default()
    };
    let outputs = outputs_of(args);
    check_outputs(args, &outputs, reporter)?;
    let mut names = args
        .output
        .vars
        .iter()
        .flat_map(|l| split_names(l))
        .peekable();
    if names.peek().is_some() && names.all(|n| n == "time") {
        return Err(Failure::usage_with_hint(
            "--vars time: the time is in every result",
            "name a variable of the model; `ferrica vars` lists them",
        ));
    }
    let outcome = compile_and_simulate(args, &outputs, reporter, &mut stats);
    // Of several ranks the first one keeps the files.
    if let Some(path) = &args.output.stats
        && ranks::rank() == 0
    {
        outputs::write(path, stats.to_json().as_bytes())?;
    }
    for note in &stats.notes {
        reporter.detail(note);
    }
    reporter.detail(&stats.summary(began.elapsed()));
    outcome
}

/// All files that the run is asked for.
fn outputs_of(args: &RunArgs) -> Vec<Output> {
    let clock = &args.clock;
    let files = [
        (&args.output.output, Kind::Result),
        (&args.output.picture, Kind::Picture),
        (&args.output.stats, Kind::Stats),
        (&args.stages.checkpoint, Kind::Checkpoint),
        (&clock.latency_plot, Kind::Picture),
        (&clock.constraint_rates, Kind::Result),
    ];
    let given = files
        .iter()
        .filter_map(|(path, kind)| Some((path.as_ref()?, *kind)));
    given.map(|(path, kind)| Output::new(path, kind)).collect()
}

/// None may be one of the files that were read so far; a run may go on with the checkpoint that it resumes.
fn check_outputs(args: &RunArgs, outputs: &[Output], reporter: &Reporter) -> Outcome {
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    outputs::check(outputs, &inputs)?;
    let others = outputs.iter().filter(|o| o.kind != Kind::Checkpoint);
    let others: Vec<Output> = others.cloned().collect();
    let resumed: Vec<PathBuf> = args.stages.resume.iter().cloned().collect();
    outputs::check(&others, &resumed)
}

fn compile_and_simulate(
    args: &RunArgs,
    outputs: &[Output],
    reporter: &mut Reporter,
    stats: &mut Stats,
) -> Outcome {
    let (mut solver, stages) = (args.solver_options(), args.stages.options());
    let span = args.experiment.options();
    ranks::supported()?;
    if ranks::size() > 1 && !partitioned::is_on(&solver) {
        return Err(Failure::usage(
            "a run over several ranks needs --partition tlm",
        ));
    }
    solving::supported(&solver)?;
    checkpoint::supported(&stages, &solver)?;
    let mut model = args.model.driven_by(&args.experiment);
    model.quiet = reporter.quiet;
    let compiled = partitioned::compile(&model, &span, &solver, reporter, stats)?;
    check_outputs(args, outputs, reporter)?;
    if args.clock.listen.is_none() {
        reporter.diagnostics(&solving::undriven(&compiled));
    }
    let experiment = Grid::new(&span, &compiled.model.source.experiment)?;
    if solver.partition == Some(Partition::Auto) {
        let step = solver.step.unwrap_or(experiment.interval);
        let (chosen, told) = partitioned::choose(&compiled.model, step);
        solver.partition = Some(chosen);
        for line in told {
            reporter.note(&line);
        }
    }
    let at_rest = match args.steady {
        true => {
            let point = ferrica::engines::point_of_rest(&compiled, &experiment, &reporter.sources);
            Some(point.map_err(|e| told(&e, reporter))?.snapshot)
        }
        false => None,
    };
    let slots = bond_graph::recorded(&compiled, args.solver.solver, experiment.start)?;
    let record = |patterns: &[String]| record(&compiled, patterns, slots.as_ref());
    let recording = record(&args.output.vars)?;
    for text in unmatched(&compiled, &args.output.vars) {
        reporter.warning(&text);
    }
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
    let points = experiment.points();
    let recorder = Recorder::default().with_event_rows(args.output.event_rows, points);
    let mut recorder = match ranks::rank() {
        0 => recorder.to_file(
            recording,
            &path,
            &inputs_of(&args.model, &args.experiment.input_file, reporter),
        )?,
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
    } else if args.solver.solver == ferrica::options::Solver::Auto && reporter.wants_details() {
        reporter.detail(&solving::rule_text(&compiled, &experiment));
    }
    let began = Instant::now();
    let ended = match at_rest {
        Some(from) => {
            let stage = solving::Stage {
                from: Some(from),
                ..solving::Stage::default()
            };
            let file = &mut recorder;
            solving::simulate_stage(&compiled, &experiment, &solver, wanted, stage, file, stats)
        }
        None => checkpoint::simulate(
            &compiled,
            &experiment,
            &stages,
            &solver,
            wanted,
            &mut recorder,
            stats,
        ),
    };
    let took = began.elapsed();
    let file = path.display().to_string();
    let partial = recorder.partial();
    let (kept, written) = stats.stage("output", || match &ended {
        Ok(_) => (partial, recorder.finish()),
        Err(_) => recorder.abandon(),
    });
    let kept = kept.filter(|_| recorder.rows > 0);
    let kept = kept.map(|path| format!("what was computed until then is in {}", near(&path)));
    if let (Ok(_), Err(e)) = (&ended, written) {
        let kept = kept.map_or(String::new(), |text| format!("; {text}"));
        return Err(Failure::Io(format!("{file}: {e}{kept}")));
    }
    if let Some(time) = recorder.events_left_out {
        reporter.warning(&format!(
            "from t = {} on, rows at events are left out: there are too many. `--event-rows on` keeps all, fewer `--vars` or more \
             `--points` keep more of them",
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
            for line in &stats.told {
                reporter.note(line);
            }
        }
        Err(failure) if recorder.was_interrupted() => {
            // A rank that died, and what was seen of the run until then.
            if let Failure::Model(told) = &failure.reason {
                reporter.diagnostics(told.iter().filter(|d| d.code != "E0609"));
            }
            let mut text = format!("interrupted at t = {}", brief(failure.time));
            if let Some(kept) = kept {
                text += &format!("; {kept}");
            }
            if let Some(path) = args.stages.checkpoint.as_ref().filter(|p| p.exists()) {
                text += &format!("; `--resume {}` goes on", near(path));
            }
            return Err(Failure::Io(text));
        }
        // Another rank than the first has no results to speak of.
        Err(failure) if ranks::rank() > 0 => return Err(failure.reason),
        Err(failure) => {
            reporter.failure(&failure.reason);
            let Some(kept) = kept else {
                return Err(Failure::Answered);
            };
            let time = brief(failure.time);
            return Err(Failure::Io(format!("the run ended at t = {time}; {kept}")));
        }
    }
    match recorder.into_table() {
        Some(table) => draw(args, &table, &compiled.name, &panels),
        None => Ok(()),
    }
}

/// A path as a user in the current folder writes it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let short = here.ok().and_then(|folder| path.strip_prefix(folder).ok());
    short.unwrap_or(path).display().to_string()
}

/// Patterns without a variable, if others have some.
fn unmatched(compiled: &Compiled, patterns: &[String]) -> Vec<String> {
    let lists = patterns.iter().map(|list| split_names(list));
    let all: Vec<String> = lists.flatten().collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let names = variable_names(compiled);
    // Scripts name hundreds of variables: only patterns are compared with each of them.
    let is_pattern = |p: &str| p.contains(['*', '?', ':']);
    let plain = |p: &&String| !is_pattern(p) && *p != "time";
    let asked: FxHashSet<&str> = all.iter().filter(plain).map(String::as_str).collect();
    let known = |name: &&str| asked.contains(name);
    let exact: FxHashSet<&str> = names.iter().map(String::as_str).filter(known).collect();
    // The time is in every result.
    let fits = |p: &&String| match is_pattern(p) {
        true => !names.iter().any(|name| glob_matches(p, name)),
        false => !exact.contains(p.as_str()) && *p != "time",
    };
    let tell = |p: &String| {
        let near = closest_variable(p, names.iter().map(String::as_str));
        let near = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        format!("no variable of {} matches `{p}`{near}", compiled.name)
    };
    all.iter().filter(fits).map(tell).collect()
}

/// The variables that match, an error if there are none.
fn record(
    compiled: &Compiled,
    patterns: &[String],
    slots: Option<&FxHashSet<Slot>>,
) -> Result<Recording, Failure> {
    let recording = Recording::limited(compiled, patterns, slots);
    if recording.is_empty() && !patterns.is_empty() {
        let list = patterns.join(", ");
        let names = variable_names(compiled);
        let hint = match closest_variable(&list, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`ferrica vars` lists the variables".to_owned(),
        };
        return Err(Failure::usage_with_hint(
            format!("no variable of {} matches `{list}`", compiled.name),
            hint,
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
        brief(stats.start),
        brief(stats.stop),
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

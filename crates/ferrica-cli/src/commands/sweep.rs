//! `ferrica sweep`: the same model with many values of its parameters, one row a run.

use crate::Outcome;
use crate::cli::SweepArgs;
use crate::inputs::inputs_of;
use crate::interrupt;
use crate::progress::Progress;
use crate::reporter::Reporter;
use ferrica::engines::ranks;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::results::pictures::write_picture;
use ferrica::study::{self, Axes, Measure, Plan, Rows, Study};
use ferrica::words::counted;

pub fn sweep(args: &SweepArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = (args.output.iter().map(|p| Output::new(p, Kind::Table)))
        .chain(args.picture.iter().map(|p| Output::new(p, Kind::Picture)))
        .collect();
    outputs::check(
        &target,
        &inputs_of(&args.model, &args.experiment.input_file, reporter),
    )?;
    ranks::supported()?;
    let mut model = args.model.driven_by(&args.experiment);
    model.quiet = reporter.quiet;
    let plan = Plan {
        axes: Axes::new(&args.model.params, args.samples, args.seed)?,
        model,
        solver: args.solver.options(),
        experiment: args.experiment.options(),
        measures: measures(args),
        stop: interrupt::watch(),
    };
    let study = Study::new(plan, reporter)?;
    let path = args.output.clone();
    let path = path.unwrap_or_else(|| format!("{}-sweep.csv", study.name()).into());
    let rows = Rows::new(&study, path);
    let done = match args.resume {
        true => rows.earlier(&study)?,
        false => Default::default(),
    };
    let is_first = ranks::rank() == 0;
    if is_first {
        rows.begin()?;
    }
    let (kept, count) = (done.len(), study.count());
    let mut bar = Progress::new(0.0, count as f64, is_first && !reporter.quiet);
    let own = count.div_ceil(ranks::size());
    let progress = move |done: usize| {
        let of_all = (done * count).checked_div(own).unwrap_or(done);
        bar.runs(of_all.min(count), count);
    };
    let lines = study::march(&study, &rows, args.jobs, done, Box::new(progress))?;
    if study.is_stopped() {
        return Err(Failure::Io(format!(
            "interrupted after {} of {count} runs; `--resume` goes on with {}",
            lines.len(),
            rows.partial.display()
        )));
    }
    if !is_first {
        return Ok(());
    }
    rows.complete()?;
    if let Some(path) = &args.picture {
        write_picture(&study::bands::figure(&study, &lines), path)?;
    }
    let failed = lines.values().filter(|l| !study::is_ok(l)).count();
    let before = match kept {
        0 => String::new(),
        n => format!(", {n} of them from before"),
    };
    reporter.note(&format!(
        "{}: {}{before}, {failed} failed → {}",
        study.name(),
        counted(count, "run"),
        rows.path.display()
    ));
    match lines.iter().find(|(_, l)| !study::is_ok(l)) {
        Some((k, line)) if !args.allow_failed => {
            let why = study::reason_of(line);
            Err(Failure::Io(format!(
                "{} of {count} failed, the first is number {k}: {why} (`--allow-failed` accepts that)",
                counted(failed, "run")
            )))
        }
        _ => Ok(()),
    }
}

/// Final values of all variables if nothing else is asked for.
fn measures(args: &SweepArgs) -> Vec<Measure> {
    let kind = match args.trajectories {
        true => study::MeasureKind::Trajectory,
        false => study::MeasureKind::Final,
    };
    let named = args.vars.iter().map(|p| Measure::new(kind, p));
    let mut list: Vec<Measure> = named.chain(args.values.iter().cloned()).collect();
    if list.is_empty() {
        list.push(Measure::new(kind, "*"));
    }
    list
}

//! Operating points of a library's examples: where a model can rest, a run from its point of rest must stay there.
//!
//! In: the examples of `--table` from six domains (or those that `--filter` names). Out: how many rest, and how the others end.
//! A model that is driven by time has another point of rest later, or none: it is told apart by its points when it has moved
//! and at the end of the run. It, and one without a point at its start, is tried once more at the end of its experiment, where steps and ramps are over. A state may move by [`STILL`] of its size, or of one where it is smaller.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::child::{self, End, Limits};
use crate::diagnosis;
use crate::examples;
use crate::options::Options;

/// What is tried without a filter.
const DOMAINS: [&str; 6] = [
    "Modelica.Electrical.Analog.Examples.",
    "Modelica.Electrical.PowerConverters.Examples.DCDC.",
    "Modelica.Electrical.Spice3.Examples.",
    "Modelica.Mechanics.Rotational.Examples.",
    "Modelica.Thermal.",
    "Modelica.Fluid.Examples.",
];
/// How far a state at rest may move, in parts of its size.
const STILL: f64 = 1e-6;
/// Tolerance of the run: what the solver adds is less than what a state may move.
const RUN_TOLERANCE: &str = "1e-8";
/// How long it must stay.
const SECONDS: f64 = 1.0;
/// A part of the time until a state has moved that is no ratio of small numbers: oscillating sources are often zero at round times.
const BETWEEN: f64 = 0.618_034;

/// How an example ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Rests,
    /// At the end of its experiment, not yet at its beginning.
    RestsLater,
    /// Its point of rest is another one at another time, or there is none then.
    Driven,
    /// It has a point of rest at all times, and leaves it.
    Moves(String),
    /// Nothing is integrated.
    NoStates,
    /// No point was found: the first message.
    NoPoint(String),
    /// The run from the point failed.
    Fails(String),
}

pub fn run(options: &Options) -> Result<bool, String> {
    let all = examples::read(&options.table, None)?;
    let wanted = |e: &examples::Example| match options.filter {
        Some(_) => options.wants(&e.class),
        None => DOMAINS.iter().any(|d| e.class.starts_with(d)),
    };
    let models: Vec<examples::Example> = all.into_iter().filter(wanted).collect();
    let program = options.program()?;
    let folder = std::env::temp_dir().join(format!("ferrica-steady-{}", std::process::id()));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let trouble = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(example) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let model = &example.class;
                    let place = folder.join(model);
                    let verdict = early_or_late(options, &program, &place, example);
                    let (Ok(mut done), Ok(mut trouble)) = (done.lock(), trouble.lock()) else {
                        return;
                    };
                    match verdict {
                        Ok(verdict) => {
                            println!("{model}: {verdict:?}");
                            done.push(verdict);
                        }
                        Err(e) => *trouble = Some(e),
                    }
                    let _ = fs::remove_dir_all(&place);
                }
            });
        }
    });
    let _ = fs::remove_dir_all(&folder);
    if let Ok(Some(e)) = trouble.into_inner() {
        return Err(e);
    }
    let done = done.into_inner().map_err(|e| e.to_string())?;
    let count = |fits: fn(&Verdict) -> bool| done.iter().filter(|v| fits(v)).count();
    let left = count(|v| matches!(v, Verdict::Moves(_)));
    println!(
        "{} examples: {} rest, {} later, {left} leave their point, {} are driven by time, {} have no states, {} no point, {} runs fail",
        done.len(),
        count(|v| *v == Verdict::Rests),
        count(|v| *v == Verdict::RestsLater),
        count(|v| *v == Verdict::Driven),
        count(|v| *v == Verdict::NoStates),
        count(|v| matches!(v, Verdict::NoPoint(_))),
        count(|v| matches!(v, Verdict::Fails(_))),
    );
    Ok(left == 0)
}

/// Names and values of states.
type Point = Vec<(String, f64)>;

fn early_or_late(
    options: &Options,
    program: &Path,
    folder: &Path,
    example: &examples::Example,
) -> Result<Verdict, String> {
    let model = &example.class;
    let early = one(options, program, folder, model, 0.0)?;
    let stop = example.settings.iter().find(|(flag, _)| *flag == "--stop");
    let stop = stop.and_then(|(_, value)| value.parse().ok());
    match (&early, stop) {
        (Verdict::Driven | Verdict::NoPoint(_), Some(stop)) => {
            match one(options, program, folder, model, stop)? {
                Verdict::Rests => Ok(Verdict::RestsLater),
                Verdict::Moves(what) => Ok(Verdict::Moves(what)),
                _ => Ok(early),
            }
        }
        _ => Ok(early),
    }
}

/// The point at a time, and the run from there.
fn one(
    options: &Options,
    program: &Path,
    folder: &Path,
    model: &str,
    start: f64,
) -> Result<Verdict, String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let limits = Limits {
        time: options.limit,
        memory_gb: options.memory_gb,
    };
    let command = |words: &[&str]| {
        let mut args: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        args.extend(["-m".to_owned(), model.to_owned()]);
        for lib in &options.libs {
            args.extend(["--lib".to_owned(), lib.display().to_string()]);
        }
        child::run(program, &args, folder, limits)
    };
    let point_at = |start: f64| -> Result<Result<Point, String>, String> {
        let (file, start) = ("point.txt", start.to_string());
        let ended = command(&["steady", "-o", file, "--start", &start])?;
        if ended.end != End::Exit(0) {
            return Ok(Err(diagnosis::diagnose(&ended).group));
        }
        Ok(Ok(point(&folder.join(file))?))
    };
    let at_start = match point_at(start)? {
        Ok(point) if point.is_empty() => return Ok(Verdict::NoStates),
        Ok(point) => point,
        Err(why) => return Ok(Verdict::NoPoint(why)),
    };
    let mut words = vec![
        "run",
        "--steady",
        "--quiet",
        "-o",
        "run.csv",
        "--points",
        "100",
        "--tol",
        RUN_TOLERANCE,
    ];
    let (begin, stop) = (start.to_string(), (start + SECONDS).to_string());
    words.extend(["--start", &begin, "--stop", &stop]);
    for (name, _) in &at_start {
        words.extend(["--vars", name]);
    }
    let ended = command(&words)?;
    if ended.end != End::Exit(0) {
        return Ok(Verdict::Fails(diagnosis::diagnose(&ended).group));
    }
    let Some((mover, moved)) = mover(&folder.join("run.csv"))? else {
        return Ok(Verdict::Rests);
    };
    let between = start + BETWEEN * (moved - start);
    for time in [between, moved, start + SECONDS] {
        match point_at(time)? {
            Ok(point) if near(&at_start, &point) => {}
            _ => return Ok(Verdict::Driven),
        }
    }
    Ok(Verdict::Moves(mover))
}

/// Lines `NAME.start=VALUE`.
fn point(path: &Path) -> Result<Point, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let pair = |line: &str| {
        let (name, value) = line.rsplit_once('=')?;
        let name = name.trim().trim_end_matches(".start").to_owned();
        Some((name, value.trim().parse().ok()?))
    };
    Ok(text.lines().filter_map(pair).collect())
}

fn still(a: f64, b: f64) -> bool {
    (a - b).abs() <= STILL * a.abs().max(1.0)
}

fn near(a: &Point, b: &Point) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && still(a.1, b.1))
}

/// The first that moves: its name with values before and after, and when.
fn mover(path: &Path) -> Result<Option<(String, f64)>, String> {
    let table = ferrica_results::read(path).map_err(|e| e.to_string())?;
    let mut first: Option<(String, f64)> = None;
    for name in &table.names {
        let values = table.series(name).unwrap_or_default();
        let Some(&from) = values.first() else {
            continue;
        };
        let moved = values.iter().position(|v| !still(from, *v));
        let Some((to, time)) = moved.map(|k| (values[k], table.time[k])) else {
            continue;
        };
        if first.as_ref().is_none_or(|f| time < f.1) {
            first = Some((format!("{name} from {from} to {to} at {time}"), time));
        }
    }
    Ok(first)
}

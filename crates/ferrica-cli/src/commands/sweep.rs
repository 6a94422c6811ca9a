//! `ferrica sweep`: the same model with many values of its parameters, one row a run.
//!
//! Each run is compiled with its values, so that it is what `run -p` gives. Runs go to threads (and to the ranks of an MPI
//! job); a run that fails leaves its reason in its row. Rows are written as they come, to `NAME.partial.csv`, so that an
//! interrupted study can be resumed; in order they become the table at the end.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::flat::Variability;
use ferrica_ir::print::{brief, counted};
use ferrica_results::{Place, glob_matches, partial_of};
use ferrica_sim::{ResultVariable, Sink, ValueSource, result_variables};
use ferrica_tlm::Transport;
use rustc_hash::FxHashMap;

use crate::Outcome;
use crate::cli::SweepArgs;
use crate::commands::distribution::Distribution;
use crate::inputs::inputs_of;
use crate::interrupt;
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::fingerprint;
use ferrica::grid::Grid;
use ferrica::options::{Assignment, ExperimentOptions, ModelOptions, Solver, SolverOptions};
use ferrica::outputs::{self, Kind, Output};
use ferrica::pipeline::{self, Compiled, Loaded};
use ferrica::ranks;
use ferrica::solving;
use ferrica::stats::Stats;

/// Runs of one study.
const MAX_RUNS: usize = 10_000_000;

/// A parameter and its values.
struct Axis {
    name: String,
    values: Vec<String>,
    /// The values are drawn: all such axes go on together from run to run.
    drawn: bool,
}

/// `1:0.1:2`, `1,2,5`, one value or a distribution.
fn axis(
    assignment: &Assignment,
    number: usize,
    samples: usize,
    seed: u64,
) -> Result<Axis, Failure> {
    let Assignment { name, value } = assignment;
    if let Some(distribution) = Distribution::parse(value) {
        let values = distribution?.draw(samples, seed, number);
        return Ok(Axis {
            name: name.clone(),
            values: values.iter().map(|v| format!("{v}")).collect(),
            drawn: true,
        });
    }
    let wrong = || {
        Failure::usage_with_hint(
            format!("-p {name}={value} is no list of values"),
            "write FIRST:STEP:LAST or A,B,C",
        )
    };
    let parts: Vec<&str> = value.split(':').collect();
    let values = match parts[..] {
        [first, step, last] => {
            let number = |t: &str| t.trim().parse::<f64>().map_err(|_| wrong());
            let (first, step, last) = (number(first)?, number(step)?, number(last)?);
            let count = ((last - first) / step * (1.0 + 1e-12) + 1e-9).floor();
            if step == 0.0 || !(0.0..MAX_RUNS as f64).contains(&count) {
                return Err(wrong());
            }
            let at = |k: usize| format!("{}", rounded(first + k as f64 * step, step));
            (0..=count as usize).map(at).collect()
        }
        [list] => list.split(',').map(|v| v.trim().to_owned()).collect(),
        _ => return Err(wrong()),
    };
    Ok(Axis {
        name: name.clone(),
        values,
        drawn: false,
    })
}

/// How many runs there are.
fn count_of(axes: &[Axis]) -> Option<usize> {
    let drawn = axes.iter().find(|a| a.drawn).map_or(1, |a| a.values.len());
    let others = axes.iter().filter(|a| !a.drawn);
    others
        .map(|a| a.values.len())
        .try_fold(drawn, |n, m| n.checked_mul(m))
        .filter(|n| *n <= MAX_RUNS)
}

/// 0.1 + 2·0.1 is meant to be 0.3: rounded to a millionth of a millionth of the step.
fn rounded(value: f64, step: f64) -> f64 {
    let digits = 12 - step.abs().log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 300) as usize);
    text.parse().unwrap_or(value)
}

/// Values of run number `k`: those that are drawn fastest, then the last axis.
fn values_of(axes: &[Axis], k: usize) -> Vec<Assignment> {
    let samples = axes.iter().find(|a| a.drawn).map_or(1, |a| a.values.len());
    let (sample, mut rest) = (k % samples, k / samples);
    let mut list: Vec<Assignment> = Vec::new();
    for axis in axes.iter().rev() {
        let at = match axis.drawn {
            true => sample,
            false => rest % axis.values.len(),
        };
        list.push(Assignment {
            name: axis.name.clone(),
            value: axis.values[at].clone(),
        });
        if !axis.drawn {
            rest /= axis.values.len();
        }
    }
    list.reverse();
    list
}

/// Takes the last row of a run.
struct Last {
    time: f64,
    slots: Vec<f64>,
    stop: Arc<AtomicBool>,
}

impl Sink for Last {
    fn row(&mut self, time: f64, slots: &[f64]) -> std::io::Result<()> {
        self.time = time;
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        Ok(())
    }

    fn interrupted(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

struct Study<'a> {
    jobs: Option<usize>,
    solver: SolverOptions,
    model: ModelOptions,
    experiment: ExperimentOptions,
    loaded: &'a Loaded,
    /// Fingerprint of the files with data that the model names.
    data: u64,
    axes: Vec<Axis>,
    /// Names of the columns.
    columns: Vec<String>,
    stop: Arc<AtomicBool>,
}

/// Variables that match and are no parameters, in order.
fn columns(model: &CompiledModel, patterns: &[String]) -> Vec<String> {
    let changing = |v: &ResultVariable| {
        model.source.vars[v.var].var.variability > Variability::Parameter
            && (patterns.is_empty() || patterns.iter().any(|p| glob_matches(p, &v.name)))
    };
    (result_variables(model).into_iter().filter(changing))
        .map(|v| v.name)
        .collect()
}

impl Study<'_> {
    fn header(&self) -> String {
        let axes = self.axes.iter().map(|a| quoted(&a.name));
        let columns = self.columns.iter().map(|c| quoted(c));
        let names: Vec<String> = axes.chain(columns).collect();
        format!("run,{},status\n", names.join(","))
    }

    /// What decides its rows besides the values.
    fn fingerprint(&self) -> u64 {
        let mut h = DefaultHasher::new();
        fingerprint::of_texts(self.loaded.library.sources(), &[]).hash(&mut h);
        fingerprint::of_solver(&self.solver).hash(&mut h);
        format!("{:?} {}", self.experiment, self.loaded.name).hash(&mut h);
        self.model.allow_external.hash(&mut h);
        self.data.hash(&mut h);
        h.finish()
    }

    /// The first fields of a line: the number of the run and its values.
    fn begin(&self, k: usize) -> String {
        let mut line = format!("{k},");
        for p in values_of(&self.axes, k) {
            line += &quoted(&p.value);
            line.push(',');
        }
        line
    }

    /// One line; nothing if the study was interrupted.
    fn run(&self, k: usize) -> Option<String> {
        let params = values_of(&self.axes, k);
        let mut line = self.begin(k);
        let outcome = self.simulate(&params);
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        match outcome {
            Ok(values) => {
                for v in values {
                    line += &format!("{v},");
                }
                line += "ok";
            }
            Err(reason) => {
                line += &",".repeat(self.columns.len());
                line += &quoted(&reason.replace('\n', " "));
            }
        }
        line.push('\n');
        Some(line)
    }

    /// The model with the values of one run; what there is to warn of has been said of the first one.
    fn compile(&self, params: &[Assignment]) -> Result<Compiled, Failure> {
        let flat = pipeline::with_values(self.loaded, params)?;
        if let Some(imbalance) = flat.imbalance {
            return Err(Failure::model(imbalance));
        }
        let kept = (self.solver.solver == Solver::Qbg).then(|| Arc::new(flat.model.clone()));
        let options = ferrica_structure::Options::default();
        let causal = ferrica_structure::compile(flat.model, &options).map_err(Failure::Model)?;
        let model = pipeline::generate(causal.model, &self.model, &mut Stats::default())?;
        Ok(Compiled {
            model,
            name: self.loaded.name.clone(),
            texts: 0,
            values: Vec::new(),
            dae: Arc::default(),
            flat: kept,
            inlined: false,
            driven: self.loaded.driven.clone(),
        })
    }

    fn simulate(&self, params: &[Assignment]) -> Result<Vec<f64>, String> {
        let compiled = self.compile(params).map_err(|e| e.to_string())?;
        let places: FxHashMap<String, ValueSource> = (result_variables(&compiled.model)
            .into_iter())
        .map(|v| (v.name, v.source))
        .collect();
        let place = |name: &String| match places.get(name) {
            Some(ValueSource::Slot(slot, negated) | ValueSource::Parameter(slot, negated)) => {
                Ok((*slot, *negated))
            }
            None => Err(format!("with these values the model has no `{name}`")),
        };
        let slots: Vec<(Slot, bool)> = self.columns.iter().map(place).collect::<Result<_, _>>()?;
        let annotated = &compiled.model.source.experiment;
        let experiment = Grid::new(&self.experiment, annotated).map_err(|e| e.to_string())?;
        let mut last = Last {
            time: experiment.start,
            slots: Vec::new(),
            stop: self.stop.clone(),
        };
        let wanted = Some(slots.iter().map(|c| c.0).collect());
        let alone = solving::Stage {
            alone: true,
            ..solving::Stage::default()
        };
        let ended = solving::simulate_stage(
            &compiled,
            &experiment,
            &self.solver,
            wanted,
            alone,
            &mut last,
            &mut Stats::default(),
        );
        match ended {
            Ok(_) => Ok((slots.iter())
                .map(|&(slot, negated)| {
                    let v = last.slots.get(slot as usize).copied().unwrap_or(f64::NAN);
                    if negated { -v } else { v }
                })
                .collect()),
            Err(broken) => Err(format!("at {}: {}", brief(broken.time), broken.reason)),
        }
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

pub fn sweep(args: &SweepArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    let target: Vec<Output> = args
        .output
        .iter()
        .map(|p| Output::new(p, Kind::Table))
        .collect();
    outputs::check(
        &target,
        &inputs_of(&args.model, &args.experiment.input_file, reporter),
    )?;
    ranks::supported()?;
    let mut model = args.model.driven_by(&args.experiment);
    let solver = args.solver.options();
    model.quiet = reporter.quiet;
    solving::supported(&solver)?;
    if args.solver.inline.is_some() {
        return Err(Failure::usage(
            "--inline builds the start values into the model: a sweep cannot use it",
        ));
    }
    let axes: Vec<Axis> = args
        .model
        .params
        .iter()
        .enumerate()
        .map(|(k, p)| axis(p, k, args.samples, args.seed))
        .collect::<Result<_, _>>()?;
    let count =
        count_of(&axes).ok_or_else(|| Failure::usage(format!("more than {MAX_RUNS} runs")))?;
    if axes.is_empty() {
        return Err(Failure::usage_with_hint(
            "nothing to vary",
            "add -p R=1:0.1:2",
        ));
    }
    let loaded = pipeline::load(&model, reporter, &mut stats)?;
    pipeline::refuse_other_kinds(&loaded)?;
    let first = values_of(&axes, 0);
    let flat = pipeline::flatten(&loaded, &first, reporter, &mut stats)?;
    let compiled = pipeline::finish(&loaded, flat, &model, reporter, &mut stats)?;
    let experiment = args.experiment.options();
    Grid::new(&experiment, &compiled.model.source.experiment)?;
    let columns = columns(&compiled.model, &args.vars);
    if columns.is_empty() {
        return Err(Failure::usage("no variable matches --vars"));
    }
    let study = Study {
        jobs: args.jobs,
        solver,
        model,
        experiment,
        loaded: &loaded,
        data: fingerprint::of_data(&compiled.model),
        axes,
        columns,
        stop: interrupt::watch(),
    };
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| format!("{}-sweep.csv", loaded.name).into());
    let partial = partial_of(&path);
    let print = study.fingerprint();
    let done = if args.resume {
        let from = if partial.exists() { &partial } else { &path };
        earlier(from, &study, print)?
    } else {
        BTreeMap::new()
    };
    let note = |of: &Path| {
        let note = partner(of);
        fs::write(&note, format!("{print:016x}\n")).map_err(|e| Failure::io(note.display(), &e))
    };
    let first = ranks::rank() == 0;
    if first {
        note(&partial)?;
    }
    let kept = done.len();
    let lines = march(&study, &path, done, count)?;
    if first && !study.stop.load(Ordering::Relaxed) {
        note(&path)?;
        // The rows it spoke of are in the table now.
        let _ = fs::remove_file(partner(&partial));
    }
    let failed = lines.values().filter(|l| !l.ends_with(",ok\n")).count();
    let file = path.display();
    let broken = lines.iter().find(|(_, l)| !l.ends_with(",ok\n"));
    if study.stop.load(Ordering::Relaxed) {
        return Err(Failure::Io(format!(
            "interrupted after {} of {count} runs; `--resume` goes on with {}",
            lines.len(),
            partial.display()
        )));
    }
    let before = if kept > 0 {
        format!(", {kept} of them from before")
    } else {
        String::new()
    };
    reporter.note(&format!(
        "{}: {}{before}, {failed} failed → {file}",
        loaded.name,
        counted(count, "run")
    ));
    match broken {
        Some((k, line)) if !args.allow_failed => {
            let why = reason(line);
            Err(Failure::Io(format!(
                "{} of {count} failed, the first is number {k}: {why} (`--allow-failed` accepts that)",
                counted(failed, "run")
            )))
        }
        _ => Ok(()),
    }
}

/// Why the run of a line failed: its last cell.
fn reason(line: &str) -> String {
    let line = line.trim_end();
    match line.strip_suffix('"') {
        Some(quoted) => {
            let start = quoted.rfind(",\"").map_or(0, |at| at + 2);
            quoted[start..].replace("\"\"", "\"")
        }
        None => line.rsplit(',').next().unwrap_or_default().to_owned(),
    }
}

/// Beside the table: the fingerprint of the study that its rows are of.
fn partner(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".study");
    PathBuf::from(name)
}

/// Rows that are in the file already, of the same study and with the values that they have in it.
fn earlier(path: &Path, study: &Study, print: u64) -> Result<BTreeMap<usize, String>, Failure> {
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(BTreeMap::new());
    };
    let other = |why: &str| {
        Failure::usage_with_hint(
            format!("{} belongs to another study: {why}", path.display()),
            "without --resume all rows are computed anew",
        )
    };
    let Some(rows) = text.strip_prefix(study.header().as_str()) else {
        return Err(other("its columns differ"));
    };
    let stored = fs::read_to_string(partner(path)).unwrap_or_default();
    if u64::from_str_radix(stored.trim(), 16) != Ok(print) {
        return Err(other(
            "the text of the model, its data, the experiment or the solver has changed",
        ));
    }
    // A line without its end was cut off.
    let whole = rows.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let number = |l: &str| l.split(',').next().and_then(|k| k.parse::<usize>().ok());
    Ok(whole
        .filter_map(|l| Some((number(l)?, l.to_owned())))
        .filter(|(k, l)| l.starts_with(&study.begin(*k)))
        .collect())
}

/// All runs that are not done yet, on threads.
fn march(
    study: &Study,
    path: &Path,
    done: BTreeMap<usize, String>,
    count: usize,
) -> Result<BTreeMap<usize, String>, Failure> {
    let io = |e: &std::io::Error| Failure::io(path.display(), e);
    let (rank, size) = (ranks::rank(), ranks::size());
    let mut transport = ranks::transport();
    let partial = partial_of(path);
    if rank == 0 {
        write_all(&partial, study, &done).map_err(|e| io(&e))?;
    }
    if let Some(t) = &mut transport {
        meet(t.as_mut());
    }
    let file = OpenOptions::new()
        .append(true)
        .open(&partial)
        .map_err(|e| io(&e))?;
    // Held until the table is complete, which then is not written over these rows.
    let _ = file.try_lock();
    let own = |k: &usize| !done.contains_key(k) && k % size == rank;
    let todo: Vec<usize> = (0..count).filter(own).collect();
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((done, file, None));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = study.jobs.unwrap_or(cores).clamp(1, todo.len().max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&k) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(line) = study.run(k) else { return };
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(e) = shared.1.write_all(line.as_bytes()) {
                        shared.2 = Some(e);
                        return;
                    }
                    shared.0.insert(k, line);
                }
            });
        }
    });
    let (mut lines, _rows, failure) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(t) = &mut transport {
        gather(t.as_mut(), &mut lines);
        if rank > 0 {
            return Ok(lines);
        }
    }
    match failure {
        Some(e) => Err(io(&e)),
        // Interrupted: what is there waits for `--resume`.
        None if study.stop.load(Ordering::Relaxed) => Ok(lines),
        None => {
            write_all(path, study, &lines).map_err(|e| io(&e))?;
            fs::remove_file(&partial).map_err(|e| io(&e))?;
            Ok(lines)
        }
    }
}

/// No rank goes on before the first one has made the file.
fn meet(t: &mut dyn Transport) {
    if t.rank() == 0 {
        for to in 1..t.size() {
            t.send(to, vec![MEET]);
        }
        t.flush();
    } else {
        wait(t);
    }
}

/// Messages that are no rows.
const MEET: f64 = -1.0;
const END: f64 = -2.0;

fn wait(t: &mut dyn Transport) -> Vec<f64> {
    loop {
        match t.receive() {
            Some(message) => return message,
            None => std::thread::sleep(std::time::Duration::from_micros(200)),
        }
    }
}

/// All rows to the first rank.
fn gather(t: &mut dyn Transport, lines: &mut BTreeMap<usize, String>) {
    if t.rank() > 0 {
        for (&k, line) in lines.iter() {
            let mut message = vec![k as f64];
            message.extend(line.bytes().map(f64::from));
            t.send(0, message);
        }
        t.send(0, vec![END]);
        t.flush();
        return;
    }
    let mut ended = 1;
    while ended < t.size() {
        let message = wait(t);
        if message[0] == END {
            ended += 1;
        } else {
            let bytes: Vec<u8> = message[1..].iter().map(|&b| b as u8).collect();
            let line = String::from_utf8_lossy(&bytes).into_owned();
            lines.insert(message[0] as usize, line);
        }
    }
}

/// The whole file, in the order of the runs.
fn write_all(path: &Path, study: &Study, lines: &BTreeMap<usize, String>) -> std::io::Result<()> {
    let mut text = study.header();
    text.extend(lines.values().map(String::as_str));
    Place::File(path.to_owned()).write(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let a = Assignment {
            name: "R".into(),
            value: text.into(),
        };
        axis(&a, 0, 3, 1).map(|a| a.values).unwrap_or_default()
    }

    #[test]
    fn ranges_and_lists() {
        assert_eq!(values("0.1:0.1:0.5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(values("1:-0.5:0"), ["1", "0.5", "0"]);
        assert_eq!(values("3, 4e-3"), ["3", "4e-3"]);
        assert!(values("1:0:2").is_empty());
    }

    #[test]
    fn the_last_axis_is_the_fastest() {
        let axes = [("a", ["1", "2"]), ("b", ["3", "4"])].map(|(name, v)| Axis {
            name: name.into(),
            values: v.map(String::from).to_vec(),
            drawn: false,
        });
        let run = |k| {
            values_of(&axes, k)
                .iter()
                .map(|a| a.value.clone())
                .collect::<String>()
        };
        assert_eq!([0, 1, 2, 3].map(run), ["13", "14", "23", "24"]);
    }

    #[test]
    fn drawn_values_go_together() {
        assert_eq!(values("uniform(0, 1)").len(), 3);
        let axis = |name: &str, v: &[&str], drawn| Axis {
            name: name.into(),
            values: v.iter().map(|v| (*v).to_owned()).collect(),
            drawn,
        };
        let axes = [
            axis("a", &["1", "2"], true),
            axis("b", &["3", "4"], false),
            axis("c", &["5", "6"], true),
        ];
        assert_eq!(count_of(&axes), Some(4));
        let run = |k| {
            let list = values_of(&axes, k);
            list.iter().map(|a| a.value.clone()).collect::<String>()
        };
        assert_eq!([0, 1, 2, 3].map(run), ["135", "236", "145", "246"]);
    }
}

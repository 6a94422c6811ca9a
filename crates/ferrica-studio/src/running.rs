//! Runs: started with the values of the page, told of while they go on, ended with the page.
//!
//! The answer is lines of JSON, `{"seconds": s, "time": t}` while the run goes on; the last line is `{"done": …}` or `{"failed": …}`. Behind `done`
//! come the times and then each column, as 64-bit numbers with the lowest byte first.

use std::borrow::Cow;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ferrica::engines::fitting;
use ferrica::results::formula;
use ferrica::{Error, Experiment, Model, Run};
use ferrica_results::{Column, ResultTable, ValueType};
use serde_json::{Value, json};

use crate::http;
use crate::limits::Limits;
use crate::tab::{Good, Tab};

/// Between two lines.
const BEAT: Duration = Duration::from_millis(150);

/// The plan of a request: solver, tolerance, times, and which variables to send.
pub struct Plan {
    pub model: Model,
    pub experiment: Experiment,
    pub columns: Vec<String>,
}

/// The same without a step that the solver does not look at: the page has one field for all solvers.
pub fn for_its_solver(mut experiment: Experiment) -> Experiment {
    let options = experiment.solver_options();
    if fitting::fits(options).is_err() || fitting::without_effect(options, false).is_some() {
        options.step = None;
    }
    experiment
}

pub fn plan(good: &Good, wish: &Value, limits: Limits) -> Result<Plan, Error> {
    let mut plan = plan_for_any(good, wish, limits)?;
    plan.experiment = for_its_solver(plan.experiment);
    Ok(plan)
}

/// A plan that is run with several solvers, each of which is to be asked for by [`for_its_solver`].
pub fn plan_for_any(good: &Good, wish: &Value, limits: Limits) -> Result<Plan, Error> {
    let (mut model, mut experiment) = (good.model.clone(), Experiment::default());
    for (name, value) in wish["set"].as_object().into_iter().flatten() {
        match value.as_f64() {
            Some(value) if good.inputs.contains(name) => experiment = experiment.input(name, value),
            Some(value) => model = model.set(name, value)?,
            None => {}
        }
    }
    if let Some(solver) = wish["solver"].as_str() {
        experiment = experiment.solver(solver)?;
    }
    if let Some(v) = wish["tolerance"].as_f64() {
        experiment = experiment.tolerance(v);
    }
    if let Some(v) = wish["start"].as_f64() {
        experiment = experiment.start(v);
    }
    if let Some(v) = wish["stop"].as_f64() {
        experiment = experiment.stop(v);
    }
    if let Some(v) = wish["step"].as_f64() {
        experiment = experiment.step(v);
    }
    if let Some(v) = wish["points"].as_f64().filter(|v| *v >= 1.0) {
        experiment = experiment.points(v.min(limits.rows as f64) as usize);
    }
    let columns = texts(&wish["columns"]);
    // While a slider moves only what is shown is kept.
    let has_formula = columns.iter().any(|c| formula::is_one(c));
    if wish["quick"].as_bool() == Some(true) && !columns.is_empty() && !has_formula {
        experiment = experiment.keep(columns.iter().map(|c| escaped(c)));
    }
    Ok(Plan {
        model,
        experiment,
        columns,
    })
}

pub fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// A name as a pattern that matches it: subscripts are no classes of letters there.
fn escaped(name: &str) -> String {
    name.replace(['[', ']'], "?")
}

pub fn run(out: &mut TcpStream, tab: &Tab, wish: &Value, limits: Limits) -> io::Result<()> {
    http::stream(out, "application/octet-stream")?;
    let Some(good) = tab.good() else {
        return line(
            out,
            &json!({"failed": {"message": "there is no model yet"}}),
        );
    };
    let plan = match plan(&good, wish, limits) {
        Ok(plan) => plan,
        Err(error) => return line(out, &json!({"failed": failure(&error)})),
    };
    let going = Going::begin(tab, &good, limits);
    let experiment = going.watched(plan.experiment);
    let model = plan.model;
    let result = going.attend(out, move |_| model.simulate(&experiment))?;
    let Some(result) = result else { return Ok(()) };
    match result {
        Ok(run) => {
            let run = Arc::new(run);
            let id = tab.keep(Arc::clone(&run));
            send(out, &run, id, &plan.columns, going.began.elapsed())
        }
        Err(error) => {
            if let Some(message) = going.limit() {
                return line(out, &json!({"failed": {"message": message}}));
            }
            let stopped = going.stop.load(Ordering::Relaxed);
            line(out, &json!({"failed": failure(&error), "stopped": stopped}))
        }
    }
}

/// Work that goes on behind an answer, can be stopped, and tells how far it is.
pub struct Going {
    pub began: Instant,
    pub stop: Arc<AtomicBool>,
    reached: Arc<AtomicU64>,
    rows: Arc<AtomicU64>,
    most_rows: u64,
    longest: Duration,
}

impl Going {
    pub fn begin(tab: &Tab, good: &Good, limits: Limits) -> Going {
        let width = good.width.max(1) as u64;
        Going {
            rows: Arc::default(),
            most_rows: limits.numbers / width,
            longest: limits.longest,
            began: Instant::now(),
            stop: tab.begin(),
            reached: Arc::new(AtomicU64::new(f64::NAN.to_bits())),
        }
    }

    /// A run that ends when it should and tells its time.
    pub fn watched(&self, experiment: Experiment) -> Experiment {
        let (stop, began, most) = (Arc::clone(&self.stop), self.began, self.most_rows);
        let longest = self.longest;
        let (reached, rows) = (Arc::clone(&self.reached), Arc::clone(&self.rows));
        let counted = Arc::clone(&self.rows);
        let asked = move || {
            let is_full = counted.load(Ordering::Relaxed) > most;
            is_full || stop.load(Ordering::Relaxed) || began.elapsed() > longest
        };
        let told = move |time: f64| {
            reached.store(time.to_bits(), Ordering::Relaxed);
            rows.fetch_add(1, Ordering::Relaxed);
        };
        experiment.stop_if(asked).watch(told)
    }

    /// Why the run was ended, if it was not the user.
    pub fn limit(&self) -> Option<String> {
        if self.rows.load(Ordering::Relaxed) > self.most_rows {
            return Some(format!(
                "the result has more than {} rows; take a shorter time or `ferrica run`",
                self.most_rows
            ));
        }
        let minutes = self.longest.as_secs_f64() / 60.0;
        (self.began.elapsed() > self.longest)
            .then(|| format!("the run has taken {minutes:.0} minutes; `ferrica run` has no limit"))
    }

    /// Does the work on a thread of its own, with a line now and then; none if it broke off, which is told. The work may say what it does.
    pub fn attend<T: Send + 'static>(
        &self,
        out: &mut TcpStream,
        work: impl FnOnce(&dyn Fn(String)) -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        let (sender, done) = channel();
        let doing = Arc::new(Mutex::new(String::new()));
        let says = Arc::clone(&doing);
        std::thread::spawn(move || {
            let tell = |text: String| *says.lock().unwrap_or_else(PoisonError::into_inner) = text;
            // Nobody listens any more once the page has gone.
            let _ = sender.send(work(&tell));
        });
        loop {
            match done.recv_timeout(BEAT) {
                Ok(result) => return Ok(Some(result)),
                Err(RecvTimeoutError::Timeout) => {
                    let time = f64::from_bits(self.reached.load(Ordering::Relaxed));
                    let seconds = self.began.elapsed().as_secs_f64();
                    let what = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let told = line(
                        out,
                        &json!({"seconds": seconds, "time": time, "what": what}),
                    );
                    if told.is_err() {
                        self.stop.store(true, Ordering::Relaxed);
                        told?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "the run broke off; this is a defect";
                    line(out, &json!({"failed": {"message": text}}))?;
                    return Ok(None);
                }
            }
        }
    }
}

/// More columns of a run that was made before.
pub fn columns(out: &mut TcpStream, tab: &Tab, wish: &Value) -> io::Result<()> {
    http::stream(out, "application/octet-stream")?;
    let id = wish["run"].as_u64().unwrap_or(0);
    let Some(run) = tab.run(id) else {
        return line(
            out,
            &json!({"failed": {"message": "this run is no longer kept"}}),
        );
    };
    send(out, &run, id, &texts(&wish["columns"]), Duration::ZERO)
}

fn send(
    out: &mut TcpStream,
    run: &Run,
    id: u64,
    names: &[String],
    took: Duration,
) -> io::Result<()> {
    let table = table(run, names);
    let known: Vec<&String> = names.iter().filter(|n| table.find(n).is_some()).collect();
    let columns: Vec<Value> = known.iter().map(|n| described(&table, n)).collect();
    let warnings: Vec<&str> = run
        .diagnostics()
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    line(
        out,
        &json!({"done": {
            "run": id,
            "rows": run.time().len(),
            "columns": columns,
            "seconds": took.as_secs_f64(),
            "terminated": run.terminated(),
            "warnings": warnings,
        }}),
    )?;
    let columns = known.iter().filter_map(|n| table.series(n));
    numbers(out, run.time(), columns)
}

/// The times and each column, as bytes.
pub fn numbers<'a>(
    out: &mut TcpStream,
    time: &'a [f64],
    columns: impl Iterator<Item = Cow<'a, [f64]>>,
) -> io::Result<()> {
    for values in std::iter::once(Cow::Borrowed(time)).chain(columns) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    out.flush()
}

/// Variables and formulas of a run; what there is not is left out.
pub fn table(run: &Run, names: &[String]) -> ResultTable {
    let mut table = ResultTable::new(run.time().to_vec());
    let is_formula = |n: &&String| run.get(n).is_err() && formula::is_one(n);
    let formulas: Vec<&String> = names.iter().filter(is_formula).collect();
    // A formula may have any variable whose name is part of it.
    let within = |n: &str| formulas.iter().any(|f| f.contains(n));
    let read = run.names().filter(|n| within(n)).map(str::to_owned);
    let read: Vec<String> = match formulas.is_empty() {
        true => Vec::new(),
        false => read.collect(),
    };
    for name in names.iter().chain(&read) {
        let (Ok(values), None) = (run.get(name), table.find(name)) else {
            continue;
        };
        table.push(name.clone(), Column::Series(values.into()));
        if let Ok(declared) = run.declared(name) {
            table.declare(table.names.len() - 1, declared.clone());
        }
    }
    for text in formulas {
        // One that cannot be computed is a column that is not there.
        let _ = formula::add(&mut table, text);
    }
    table
}

/// What a page needs to show a column: unit, how values are turned into it, names of values.
pub fn described(table: &ResultTable, name: &str) -> Value {
    let index = table.find(name).unwrap_or(0);
    let declared = table.declared(index);
    let (factor, offset, unit) = ferrica_draw::display(&declared.unit, &declared.display_unit);
    let literals: Option<Vec<&str>> = match &declared.ty {
        ValueType::Boolean => Some(vec!["false", "true"]),
        ValueType::Enumeration(names) => Some(names.iter().map(String::as_str).collect()),
        ValueType::Real | ValueType::Integer => None,
    };
    json!({
        "name": name,
        "unit": unit,
        "factor": factor,
        "offset": offset,
        "prefixes": ferrica_draw::prefixed(&unit, -3).is_some(),
        "literals": literals,
        "first": if matches!(declared.ty, ValueType::Enumeration(_)) { 1 } else { 0 },
        "final": table.series(name).and_then(|v| v.last().copied()),
    })
}

pub fn line(out: &mut TcpStream, value: &Value) -> io::Result<()> {
    writeln!(out, "{value}")?;
    out.flush()
}

pub fn failure(error: &Error) -> Value {
    let first = error.diagnostics().first();
    json!({
        "code": error.code(),
        "message": first.map_or_else(|| error.to_string(), |d| d.message.clone()),
        "hint": first.and_then(|d| d.hint.clone()),
    })
}

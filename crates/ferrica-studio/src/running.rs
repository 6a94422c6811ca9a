//! Runs: started with the values of the page, told of while they go on, ended with the page.
//!
//! The answer is lines of JSON, `{"seconds": s, "time": t}` while the run goes on; the last line is `{"done": …}` or `{"failed": …}`. Behind `done`
//! come the times and then each column, as 64-bit numbers with the lowest byte first.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ferrica::{Error, Experiment, Model, Run};
use serde_json::{Value, json};

use crate::http;
use crate::tab::{Good, Tab};

/// Between two lines.
const BEAT: Duration = Duration::from_millis(150);
/// No run takes longer.
const LONGEST: Duration = Duration::from_secs(1800);

/// The plan of a request: solver, tolerance, times, and which variables to send.
struct Plan {
    model: Model,
    experiment: Experiment,
    columns: Vec<String>,
}

fn plan(good: &Good, wish: &Value) -> Result<Plan, Error> {
    let mut model = good.model.clone();
    for (name, value) in wish["set"].as_object().into_iter().flatten() {
        if let Some(value) = value.as_f64() {
            model = model.set(name, value)?;
        }
    }
    let mut experiment = Experiment::default();
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
    let columns: Vec<String> = wish["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|v| v.as_str().map(str::to_owned))
        .collect();
    // While a slider moves only what is shown is kept.
    if wish["quick"].as_bool() == Some(true) && !columns.is_empty() {
        experiment = experiment.keep(columns.iter().map(|c| escaped(c)));
    }
    Ok(Plan {
        model,
        experiment,
        columns,
    })
}

/// A name as a pattern that matches it: subscripts are no classes of letters there.
fn escaped(name: &str) -> String {
    name.replace(['[', ']'], "?")
}

pub fn run(out: &mut TcpStream, tab: &Tab, wish: &Value) -> io::Result<()> {
    http::stream(out, "application/octet-stream")?;
    let Some(good) = tab.good() else {
        return line(
            out,
            &json!({"failed": {"message": "there is no model yet"}}),
        );
    };
    let plan = match plan(&good, wish) {
        Ok(plan) => plan,
        Err(error) => return line(out, &json!({"failed": failure(&error)})),
    };
    let stop = tab.begin();
    let began = Instant::now();
    let (sender, done) = channel();
    let reached = Arc::new(AtomicU64::new(f64::NAN.to_bits()));
    let experiment = {
        let (stop, reached) = (Arc::clone(&stop), Arc::clone(&reached));
        let asked = move || stop.load(Ordering::Relaxed) || began.elapsed() > LONGEST;
        let told = move |time: f64| reached.store(time.to_bits(), Ordering::Relaxed);
        plan.experiment.stop_if(asked).watch(told)
    };
    let model = plan.model;
    std::thread::spawn(move || {
        // Nobody listens any more once the page has gone.
        let _ = sender.send(model.simulate(&experiment));
    });
    let result = loop {
        match done.recv_timeout(BEAT) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) => {
                let time = f64::from_bits(reached.load(Ordering::Relaxed));
                let seconds = began.elapsed().as_secs_f64();
                let told = line(out, &json!({"seconds": seconds, "time": time}));
                if told.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    return told;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return line(
                    out,
                    &json!({"failed": {"message": "the run broke off; this is a defect"}}),
                );
            }
        }
    };
    match result {
        Ok(run) => {
            let run = Arc::new(run);
            let id = tab.keep(Arc::clone(&run));
            send(out, &run, id, &plan.columns, began.elapsed())
        }
        Err(error) => {
            let stopped = stop.load(Ordering::Relaxed);
            line(out, &json!({"failed": failure(&error), "stopped": stopped}))
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
    let names = wish["columns"].as_array().into_iter().flatten();
    let names: Vec<String> = names
        .filter_map(|v| v.as_str().map(str::to_owned))
        .collect();
    send(out, &run, id, &names, Duration::ZERO)
}

fn send(
    out: &mut TcpStream,
    run: &Run,
    id: u64,
    names: &[String],
    took: Duration,
) -> io::Result<()> {
    let known: Vec<(&String, &[f64])> = names
        .iter()
        .filter_map(|n| run.get(n).ok().map(|v| (n, v)))
        .collect();
    let columns: Vec<Value> = known
        .iter()
        .map(|(n, v)| {
            json!({"name": n, "unit": ferrica_draw::pretty(run.unit(n).unwrap_or("")), "final": v.last()})
        })
        .collect();
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
    let mut bytes = Vec::with_capacity(8 * run.time().len() * (1 + known.len()));
    for values in std::iter::once(run.time()).chain(known.iter().map(|(_, v)| *v)) {
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }
    out.write_all(&bytes)?;
    out.flush()
}

fn line(out: &mut TcpStream, value: &Value) -> io::Result<()> {
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

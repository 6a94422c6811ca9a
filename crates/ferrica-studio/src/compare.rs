//! Several solvers on one model: how far each is from an exact run, over time.
//!
//! The error at a time is the largest deviation of the compared variables from the reference, each in parts of its range there.

use std::io;
use std::net::TcpStream;

use ferrica::{Error, Experiment, Model, Run};
use ferrica_results::compare::Cursor;
use serde_json::{Value, json};

use crate::http;
use crate::limits::Limits;
use crate::running::{Going, failure, for_its_solver, line, numbers, plan_for_any, texts};
use crate::tab::Tab;

/// The exact run.
const REFERENCE: &str = "radau";
const REFERENCE_TOLERANCE: f64 = 1e-10;
/// Solvers of one comparison.
const MOST: usize = 12;

/// One solver: its error at the times of the reference, or why there is none.
struct Attempt {
    solver: String,
    result: Result<(Run, f64), Error>,
}

pub fn compare(out: &mut TcpStream, tab: &Tab, wish: &Value, limits: Limits) -> io::Result<()> {
    http::stream(out, "application/octet-stream")?;
    let Some(good) = tab.good() else {
        let message = "there is no model yet";
        return line(out, &json!({"failed": {"message": message}}));
    };
    let plan = match plan_for_any(&good, wish, limits) {
        Ok(plan) => plan,
        Err(error) => return line(out, &json!({"failed": failure(&error)})),
    };
    let solvers: Vec<String> = texts(&wish["solvers"]).into_iter().take(MOST).collect();
    let going = Going::begin(tab, &good, limits);
    let experiment = going.watched(plan.experiment);
    let model = plan.model;
    let done = going.attend(out, move |tell| runs(&model, &experiment, solvers, tell))?;
    let Some(done) = done else { return Ok(()) };
    let (reference, attempts) = match done {
        Ok(done) => done,
        Err(error) => return line(out, &json!({"failed": failure(&error)})),
    };
    let names: Vec<&String> = plan
        .columns
        .iter()
        .filter(|n| reference.get(n).is_ok())
        .collect();
    let mut rows = Vec::new();
    let mut columns = Vec::new();
    for attempt in &attempts {
        match &attempt.result {
            Ok((run, seconds)) => {
                let errors = errors(&reference, run, &names);
                let largest = errors.iter().copied().fold(0.0, f64::max);
                let squares: f64 = errors.iter().map(|e| e * e).sum();
                rows.push(json!({
                    "solver": attempt.solver,
                    "seconds": seconds,
                    "steps": run.stats().steps,
                    "largest": largest,
                    "rms": (squares / errors.len().max(1) as f64).sqrt(),
                }));
                columns.push((attempt.solver.clone(), errors));
            }
            Err(error) => rows.push(json!({"solver": attempt.solver, "failed": failure(error)})),
        }
    }
    let described: Vec<Value> = columns
        .iter()
        .map(|(name, _)| json!({"name": name, "unit": "", "factor": 1, "offset": 0}))
        .collect();
    line(
        out,
        &json!({"done": {
            "rows": reference.time().len(),
            "columns": described,
            "table": rows,
            "compared": names,
            "reference": format!("{REFERENCE} with tolerance {REFERENCE_TOLERANCE:e}"),
        }}),
    )?;
    let columns = columns.into_iter().map(|(_, errors)| errors.into());
    numbers(out, reference.time(), columns)
}

fn runs(
    model: &Model,
    experiment: &Experiment,
    solvers: Vec<String>,
    tell: &dyn Fn(String),
) -> Result<(Run, Vec<Attempt>), Error> {
    tell("reference".to_owned());
    let exact = for_its_solver(experiment.clone().solver(REFERENCE)?);
    let reference = model.simulate(&exact.tolerance(REFERENCE_TOLERANCE))?;
    let mut attempts = Vec::new();
    for solver in solvers {
        tell(solver.clone());
        let began = std::time::Instant::now();
        let run = experiment.clone().solver(&solver);
        let run = run.and_then(|e| model.simulate(&for_its_solver(e)));
        let result = run.map(|r| (r, began.elapsed().as_secs_f64()));
        attempts.push(Attempt { solver, result });
    }
    Ok((reference, attempts))
}

fn errors(reference: &Run, run: &Run, names: &[&String]) -> Vec<f64> {
    let mut out = vec![0.0f64; reference.time().len()];
    for name in names {
        let (Ok(exact), Ok(found)) = (reference.get(name), run.get(name)) else {
            continue;
        };
        let finite = exact.iter().copied().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        // What does not move is measured by its size, what is zero by itself.
        let scale = [high - low, low.abs().max(high.abs())];
        let scale = scale.into_iter().find(|s| *s > 0.0).unwrap_or(1.0);
        let mut cursor = Cursor::new(run.time(), found);
        for ((error, t), v) in out.iter_mut().zip(reference.time()).zip(exact) {
            if let Some(sides) = cursor.sides(*t) {
                *error = error.max((sides.nearer(*v) - v).abs() / scale);
            }
        }
    }
    out
}

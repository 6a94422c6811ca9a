//! A run along the clock: the model goes on as the time of the wall does, and takes at once what its inputs are set to meanwhile.
//!
//! The answer is lines of JSON: first `{"begun": {"columns": …, "start": t, "stop": t}}`; then, each [`BEAT`], `{"row": [t, …], "late": s}` with the
//! values of the columns and how many seconds the model is behind the clock, now and then with the diagram as `svg` where it follows variables; the last one is `{"ended": …}` or `{"failed": …}`.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ferrica::{Error, Stepper};
use ferrica_results::{Column, ResultTable};
use serde_json::{Value, json};

use crate::http;
use crate::limits::Limits;
use crate::running::{self, Going, Plan, described, failure, line};
use crate::tab::{Good, Tab};
use crate::views;

/// Between two rows: as often as an eye sees.
const BEAT: Duration = Duration::from_millis(40);

/// Rows from one picture of the diagram to the next.
const BEATS_A_PICTURE: u32 = 3;

pub fn live(out: &mut TcpStream, tab: &Tab, wish: &Value, limits: Limits) -> io::Result<()> {
    http::stream(out, "application/x-ndjson")?;
    let Some(good) = tab.good() else {
        return line(
            out,
            &json!({"failed": {"message": "there is no model yet"}}),
        );
    };
    let speed = wish["speed"].as_f64().filter(|s| *s > 0.0).unwrap_or(1.0);
    let going = Going::begin(tab, &good, limits);
    let begun = running::plan(&good, wish, limits).and_then(|plan| begin(&going, plan));
    let run = match begun {
        Ok(run) => run,
        Err(error) => return line(out, &json!({"failed": failure(&error)})),
    };
    let columns = &run.columns;
    line(
        out,
        &json!({"begun": {"columns": run.described(), "start": run.stepper.time(), "stop": run.stop}}),
    )?;
    let component = wish["component"].as_str().unwrap_or_default();
    let moves = views::draw(&good, component, None).is_some_and(|d| d.moves_with_run);
    let picture = moves.then_some((&good, component));
    let clock = Clock {
        stop: run.stop,
        speed,
    };
    let ended = follow_clock(out, tab, &going, run.stepper, columns, picture, clock);
    match ended {
        Ok(Ok(text)) => line(out, &json!({"ended": text})),
        Ok(Err(error)) => line(out, &json!({"failed": failure(&error)})),
        // The page has gone.
        Err(gone) => Err(gone),
    }
}

/// A run at its start, and what of it is sent.
struct Begun {
    stepper: Stepper,
    columns: Vec<String>,
    stop: f64,
}

fn begin(going: &Going, plan: Plan) -> Result<Begun, Error> {
    let points = plan.model.output_points(&plan.experiment)?;
    let stepper = plan.model.start(&going.watched(plan.experiment))?;
    let columns = plan.columns.into_iter();
    Ok(Begun {
        stop: points.last().copied().unwrap_or(stepper.time()),
        columns: columns.filter(|c| stepper.get(c).is_ok()).collect(),
        stepper,
    })
}

impl Begun {
    fn described(&self) -> Vec<Value> {
        let mut table = ResultTable::new(Vec::new());
        for name in &self.columns {
            table.push(name.clone(), Column::Series(Vec::new().into()));
            if let Ok(declared) = self.stepper.declared(name) {
                table.declare(table.names.len() - 1, declared.clone());
            }
        }
        self.columns.iter().map(|n| described(&table, n)).collect()
    }
}

/// Where a run along the clock ends, and its seconds in one of the wall.
struct Clock {
    stop: f64,
    speed: f64,
}

/// Until the end, or until it is stopped. A model that is slower than the clock is late and never skips what it should compute.
fn follow_clock(
    out: &mut TcpStream,
    tab: &Tab,
    going: &Going,
    mut stepper: Stepper,
    columns: &[String],
    picture: Option<(&Good, &str)>,
    Clock { stop, speed }: Clock,
) -> io::Result<Result<String, Error>> {
    let (start, began) = (stepper.time(), Instant::now());
    tab.forget_inputs();
    for beat in 0.. {
        let row: Vec<f64> = std::iter::once(stepper.time())
            .chain(columns.iter().map(|c| stepper.get(c).unwrap_or(f64::NAN)))
            .collect();
        let late = began.elapsed().as_secs_f64() - (stepper.time() - start) / speed;
        let mut told = json!({"row": row, "late": late.max(0.0)});
        if let Some((good, component)) = picture.filter(|_| beat % BEATS_A_PICTURE == 0) {
            let drawn = views::draw(good, component, Some(&|name| stepper.get(name).ok()));
            told["svg"] = json!(drawn.map(|d| ferrica_draw::print(&d.scene)));
        }
        line(out, &told)?;
        if stepper.time() >= stop {
            break;
        }
        if going.stop.load(Ordering::Relaxed) {
            return Ok(Ok("stopped".to_owned()));
        }
        if let Some(message) = going.limit() {
            return Ok(Ok(message));
        }
        let due = BEAT * (beat + 1);
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        for (name, value) in tab.inputs() {
            // A name that is no input has been said to be none where it was set.
            let _ = stepper.set(&name, value);
        }
        let reached = start + due.as_secs_f64() * speed;
        if let Err(error) = stepper.step_to(reached.min(stop)) {
            // A step that was asked to end is none that failed.
            if going.stop.load(Ordering::Relaxed) {
                return Ok(Ok("stopped".to_owned()));
            }
            return Ok(going.limit().ok_or(error));
        }
    }
    Ok(Ok("done".to_owned()))
}

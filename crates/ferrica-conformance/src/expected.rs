//! What a case expects: lines such as `x(0.25, 0.5) = exp(-t)`, `n(end) == 3`, `b(1) == true`, `x(*) = 1 - t ± 0.01`.
//!
//! `==` is exact (counts, Booleans), `=` is within what the engine promises. `*` means every row, `start` and `end` the first and the
//! last one. Behind `±` is what engines may be off that act at points of a grid, where it is more than usual; with `~` in place of `=`,
//! what every engine may be off.

use crate::closed_form;
use crate::engines::Promise;
use crate::trajectory::Trajectory;

#[derive(Clone, Debug, PartialEq)]
pub enum When {
    Start,
    End,
    Every,
    At(f64),
}

#[derive(Clone, Debug)]
pub struct Expectation {
    pub name: String,
    pub times: Vec<When>,
    pub exact: bool,
    /// The slack is for all engines.
    pub about: bool,
    pub is_boolean: bool,
    pub formula: String,
    pub slack: f64,
}

/// What a case must do.
#[derive(Clone, Debug)]
pub enum Outcome {
    Values(Vec<Expectation>),
    /// A code, and words of the message.
    Failure(String, String),
}

/// Exact values are numbers of a table in decimal digits.
const EXACT: f64 = 1e-9;

pub fn parse(text: &str) -> Result<Vec<Expectation>, String> {
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    lines.map(expectation).collect()
}

fn expectation(line: &str) -> Result<Expectation, String> {
    let wrong = || format!("not an expectation: {line}");
    let sign = [" == ", " = ", " ~ "]
        .into_iter()
        .find(|s| line.contains(s));
    let sign = sign.ok_or_else(wrong)?;
    let (left, right) = line.split_once(sign).ok_or_else(wrong)?;
    let left = left.trim().strip_suffix(')').ok_or_else(wrong)?;
    let (name, times) = left.rsplit_once('(').ok_or_else(wrong)?;
    let time = |word: &str| match word.trim() {
        "start" => Ok(When::Start),
        "end" => Ok(When::End),
        "*" => Ok(When::Every),
        word => closed_form::value(word, f64::NAN).map(When::At),
    };
    let times: Result<Vec<When>, String> = times.split(',').map(time).collect();
    let (formula, slack) = match right.split_once('±') {
        Some((formula, slack)) => (formula, closed_form::value(slack, f64::NAN)?),
        None => (right, 0.0),
    };
    let (formula, is_boolean) = match formula.trim() {
        "" => return Err(wrong()),
        "true" => ("1", true),
        "false" => ("0", true),
        formula => (formula, false),
    };
    Ok(Expectation {
        name: name.trim().to_string(),
        times: times?,
        exact: sign == " == ",
        about: sign == " ~ ",
        is_boolean,
        formula: formula.to_string(),
        slack,
    })
}

impl Expectation {
    /// What is wrong with a result.
    pub fn check(&self, found: &Trajectory, promise: Promise) -> Result<(), String> {
        let column = found.column(&self.name)?;
        let (first, last) = found.span().ok_or("no rows")?;
        for when in &self.times {
            let t = match when {
                When::Start => {
                    let value = found.rows[0][column];
                    self.compare(first, value, promise)?;
                    continue;
                }
                When::End => last,
                When::At(t) => *t,
                When::Every => {
                    for row in &found.rows {
                        self.compare(row[0], row[column], promise)?;
                    }
                    continue;
                }
            };
            self.compare(t, found.at(column, t)?, promise)?;
        }
        Ok(())
    }

    fn compare(&self, t: f64, found: f64, promise: Promise) -> Result<(), String> {
        let expected = closed_form::value(&self.formula, t)?;
        let allowed = if self.exact {
            EXACT
        } else if promise.coarse || self.about {
            promise.tolerance.max(self.slack)
        } else {
            promise.tolerance
        };
        let error = (found - expected).abs();
        if error <= allowed * expected.abs().max(1.0) {
            return Ok(());
        }
        Err(format!("{}({t}) = {found}, not {expected}", self.name))
    }
}

//! `ferrica compare --precision`: for each solver the cheapest setting that meets a precision.
//!
//! The error of a monitored variable is the root mean square of its deviation from the reference at equally spaced samples; a
//! setting meets a level if no error exceeds the level's. For a fixed-step solver the largest step is looked for with many Newton
//! iterations, then the fewest iterations with that step; for the others the largest tolerance. A converged reference is made by
//! two different methods, which must agree.

use std::fmt::Write;

use ferrica::results::ResultTable;
use ferrica::results::compare::interpolate;
use ferrica::results::plot::{Axis, Figure, Mark, Series};

use crate::Outcome;
use crate::cli::CompareArgs;
use crate::commands::compare::{attempt, is_fixed_step, simulate, solver_args};
use crate::inputs::read_result;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::engines::recorder::{Recording, Slot};
use ferrica::failure::Failure;
use ferrica::options::{Solver, SolverOptions};
use ferrica::results::pictures::write_picture;
use ferrica::sources::listing::state_names;
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::Compiled;
use ferrica::stages::stats::Stats;

/// Steps of a sample interval, the fewest first: 1, 2, 4, 5 and so on by powers of ten.
const DIVISORS: [f64; 4] = [1.0, 2.0, 4.0, 5.0];
/// Longest run that is tried.
const MAX_STEPS: f64 = 5e7;
/// Newton iterations while the step is looked for, if the user does not say.
const MANY_ITERATIONS: usize = 25;
/// The two references may differ by this part of the strictest level.
const AGREEMENT: f64 = 0.01;
/// Errors that levels without numbers stand for.
const NAMED: [(&str, f64); 2] = [("low", 1e-3), ("high", 1e-5)];

/// A variable and the column of the reference it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitored {
    pub variable: String,
    pub column: String,
}

/// A name and the largest error of each monitored variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    pub name: String,
    pub errors: Vec<f64>,
}

/// `a,b=column`: variables with the columns of the reference, of the same name if none is given.
pub fn monitored(text: &str) -> Vec<Monitored> {
    let mut out = Vec::new();
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (variable, column) = part.split_once('=').unwrap_or((part, part));
        out.push(Monitored {
            variable: variable.trim().to_string(),
            column: column.trim().to_string(),
        });
    }
    out
}

/// `low,high=1e-5:1e-4`: levels with one error for all variables, or one each.
pub fn levels(text: &str, variables: usize) -> Result<Vec<Level>, String> {
    let mut out = Vec::new();
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, numbers) = match part.split_once('=') {
            Some((name, numbers)) => (name, Some(numbers)),
            None => (part, None),
        };
        let errors: Vec<f64> = match numbers {
            Some(numbers) => numbers
                .split(':')
                .map(|n| {
                    n.trim()
                        .parse::<f64>()
                        .map_err(|_| format!("`{n}` in --precision is no number"))
                })
                .collect::<Result<_, _>>()?,
            None => match NAMED.iter().find(|l| l.0 == name) {
                Some(known) => vec![known.1],
                None => {
                    return Err(format!(
                        "the level `{name}` needs numbers: {name}=1e-3, or one for each variable: {name}=1e-3:1e-2"
                    ));
                }
            },
        };
        let errors = match errors.len() {
            1 => vec![errors[0]; variables],
            n if n == variables => errors,
            n => {
                return Err(format!(
                    "the level `{name}` has {n} numbers for {variables} variables"
                ));
            }
        };
        if errors.iter().any(|e| e.is_nan() || *e <= 0.0) {
            return Err(format!("the errors of the level `{name}` must be positive"));
        }
        out.push(Level {
            name: name.to_string(),
            errors,
        });
    }
    if out.is_empty() {
        return Err("--precision names no level".to_string());
    }
    Ok(out)
}

/// A setting and what came of it.
#[derive(Clone)]
struct Trial {
    solver: Solver,
    /// Step of a fixed-step solver, else tolerance.
    size: f64,
    iterations: Option<usize>,
    errors: Vec<f64>,
    seconds: f64,
    steps: u64,
}

struct Search<'a> {
    args: &'a CompareArgs,
    compiled: &'a Compiled,
    experiment: Grid,
    variables: Vec<Monitored>,
    patterns: Vec<String>,
    slots: Vec<Slot>,
    times: Vec<f64>,
    /// Reference values of each variable at the samples.
    exact: Vec<Vec<f64>>,
    trials: Vec<Trial>,
}

pub fn search(
    args: &CompareArgs,
    compiled: &Compiled,
    experiment: &Grid,
    reporter: &mut Reporter,
) -> Outcome {
    let variables = match &args.monitor {
        Some(text) => monitored(text),
        None => (state_names(compiled).into_iter())
            .map(|n| Monitored {
                variable: n.clone(),
                column: n,
            })
            .collect(),
    };
    let text = args.precision.as_deref().unwrap_or("low,high");
    let levels = levels(text, variables.len()).map_err(Failure::usage)?;
    let patterns: Vec<String> = variables.iter().map(|v| v.variable.clone()).collect();
    for name in &patterns {
        if compiled.model.find(name).is_none() {
            return Err(Failure::usage_with_hint(
                format!("{} has no variable {name}", compiled.name),
                "`ferrica dump --stage flat` lists the variables",
            ));
        }
    }
    let samples = args
        .samples
        .unwrap_or(((experiment.stop - experiment.start) / experiment.interval).round() as usize);
    if samples == 0 {
        return Err(Failure::usage("--samples must be at least 1"));
    }
    let interval = (experiment.stop - experiment.start) / samples as f64;
    let mut search = Search {
        args,
        compiled,
        experiment: Grid {
            interval,
            ..*experiment
        },
        slots: Recording::new(compiled, &patterns).slots(),
        variables,
        patterns,
        times: (1..=samples)
            .map(|i| experiment.start + i as f64 * interval)
            .collect(),
        exact: Vec::new(),
        trials: Vec::new(),
    };
    search.exact = search.reference(&levels, reporter)?;
    let mut out = search.heading();
    for level in &levels {
        let _ = writeln!(out, "{}: {}", level.name, search.limits(level));
        for &solver in &args.solvers {
            reporter.detail(&format!("{}: {}", level.name, solver.word()));
            let line = match search.cheapest(solver, level) {
                Some(trial) => search.line(&trial),
                None => format!("{:8}  does not meet it", solver.word()),
            };
            let _ = writeln!(out, "{line}");
        }
    }
    print_out(&out)?;
    if let Some(path) = &args.output {
        write_picture(&search.picture(&levels[0]), path)?;
    }
    Ok(())
}

impl Search<'_> {
    fn solver_args(
        &self,
        solver: Solver,
        size: f64,
        iterations: Option<usize>,
    ) -> (SolverOptions, Grid) {
        if is_fixed_step(solver) {
            let mut args = solver_args(self.args, solver, Some(size));
            args.iterations = iterations;
            (args, self.experiment)
        } else {
            let experiment = Grid {
                tolerance: size,
                ..self.experiment
            };
            (solver_args(self.args, solver, None), experiment)
        }
    }

    /// Values of the monitored variables at the samples.
    fn sampled(
        &self,
        table: &ResultTable,
        names: impl Fn(&Monitored) -> String,
    ) -> Result<Vec<Vec<f64>>, String> {
        let mut out = Vec::new();
        for v in &self.variables {
            let name = names(v);
            let values = table
                .series(&name)
                .ok_or_else(|| format!("the reference has no column {name}"))?;
            out.push(interpolate(&table.time, &values, &self.times));
        }
        Ok(out)
    }

    fn rms(&self, values: &[Vec<f64>], exact: &[Vec<f64>]) -> Vec<f64> {
        let of_one = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            (sum / a.len() as f64).sqrt()
        };
        values.iter().zip(exact).map(of_one).collect()
    }

    fn reference(
        &self,
        levels: &[Level],
        reporter: &mut Reporter,
    ) -> Result<Vec<Vec<f64>>, Failure> {
        if let Some(path) = self
            .args
            .reference
            .as_ref()
            .filter(|p| p.as_os_str() != "converged")
        {
            let table = read_result(path, reporter)?;
            return self
                .sampled(&table, |v| v.column.clone())
                .map_err(Failure::usage);
        }
        let mut apart = f64::INFINITY;
        for tolerance in [1e-8, 1e-10, 1e-12] {
            let mut both = Vec::new();
            for solver in [Solver::Radau, Solver::Bdf] {
                reporter.detail(&format!(
                    "reference: {} with tolerance {tolerance:e}",
                    solver.word()
                ));
                let (args, experiment) = self.solver_args(solver, tolerance, None);
                let (table, ..) = simulate(
                    self.compiled,
                    &experiment,
                    &args,
                    &self.patterns,
                    &self.slots,
                )?;
                both.push(
                    self.sampled(&table, |v| v.variable.clone())
                        .map_err(Failure::usage)?,
                );
            }
            let errors = self.rms(&both[0], &both[1]);
            let part = |level: &Level| {
                errors
                    .iter()
                    .zip(&level.errors)
                    .map(|(e, l)| e / l)
                    .fold(0.0, f64::max)
            };
            apart = levels.iter().map(part).fold(0.0, f64::max);
            if apart <= AGREEMENT {
                return Ok(both.swap_remove(0));
            }
        }
        Err(Failure::usage_with_hint(
            format!(
                "no converged reference: radau and bdf differ by {apart:.1e} of the strictest level"
            ),
            "give a file with --reference, or a less strict --precision",
        ))
    }

    fn trial(
        &mut self,
        solver: Solver,
        size: f64,
        iterations: Option<usize>,
        timed: bool,
    ) -> Option<Trial> {
        let known = |t: &&Trial| t.solver == solver && t.size == size && t.iterations == iterations;
        if let Some(t) = self.trials.iter().find(known)
            && (!timed || t.seconds > 0.0)
        {
            return Some(t.clone());
        }
        let (args, experiment) = self.solver_args(solver, size, iterations);
        let run: Result<(ResultTable, f64, Stats), Failure> = if timed {
            attempt(
                self.compiled,
                &experiment,
                &args,
                &self.patterns,
                &self.slots,
            )
        } else {
            simulate(
                self.compiled,
                &experiment,
                &args,
                &self.patterns,
                &self.slots,
            )
        };
        let (table, seconds, stats) = run.ok()?;
        let values = self.sampled(&table, |v| v.variable.clone()).ok()?;
        let trial = Trial {
            solver,
            size,
            iterations,
            errors: self.rms(&values, &self.exact),
            seconds: if timed { seconds } else { 0.0 },
            steps: stats.steps,
        };
        self.trials
            .retain(|t| !(t.solver == solver && t.size == size && t.iterations == iterations));
        self.trials.push(trial.clone());
        Some(trial)
    }

    fn meets(trial: &Option<Trial>, level: &Level) -> bool {
        trial.as_ref().is_some_and(|t| {
            let mut pairs = t.errors.iter().zip(&level.errors);
            pairs.all(|(e, limit)| e <= limit)
        })
    }

    fn cheapest(&mut self, solver: Solver, level: &Level) -> Option<Trial> {
        if !is_fixed_step(solver) {
            for k in 1..=24 {
                let tolerance = 10f64.powf(-0.5 * f64::from(k));
                let trial = self.trial(solver, tolerance, None, false);
                if Search::meets(&trial, level) {
                    return self.trial(solver, tolerance, None, true);
                }
            }
            return None;
        }
        let iterates = solver.word().starts_with("rt-");
        let many = iterates.then_some(self.args.iterations.unwrap_or(MANY_ITERATIONS));
        let span = self.experiment.stop - self.experiment.start;
        for k in 0.. {
            let divisor = DIVISORS[k % DIVISORS.len()] * 10f64.powi((k / DIVISORS.len()) as i32);
            let h = self.experiment.interval / divisor;
            if span / h > MAX_STEPS {
                break;
            }
            let trial = self.trial(solver, h, many, false);
            if !Search::meets(&trial, level) {
                continue;
            }
            for fewer in 1..many.unwrap_or(1) {
                let trial = self.trial(solver, h, iterates.then_some(fewer), false);
                if Search::meets(&trial, level) {
                    return self.trial(solver, h, iterates.then_some(fewer), true);
                }
            }
            return self.trial(solver, h, many, true);
        }
        None
    }

    fn limits(&self, level: &Level) -> String {
        let pairs = self.variables.iter().zip(&level.errors);
        let texts: Vec<String> = pairs
            .map(|(v, e)| format!("{} within {e:e}", v.variable))
            .collect();
        texts.join(", ")
    }

    fn heading(&self) -> String {
        let mut out = format!(
            "{:8}  {:>12}  {:>10}",
            "solver", "step or tol", "iterations"
        );
        for v in &self.variables {
            let _ = write!(out, "  {:>12}", format!("error {}", v.variable));
        }
        let _ = writeln!(out, "  {:>10}  {:>12}", "steps", "time [ms]");
        out
    }

    fn line(&self, t: &Trial) -> String {
        let iterations = t.iterations.map_or("-".to_string(), |n| n.to_string());
        let mut out = format!(
            "{:8}  {:>12.4e}  {:>10}",
            t.solver.word(),
            t.size,
            iterations
        );
        for (v, e) in self.variables.iter().zip(&t.errors) {
            let width = format!("error {}", v.variable).len().max(12);
            let _ = write!(out, "  {e:>width$.3e}");
        }
        let _ = write!(out, "  {:>10}  {:>12.3}", t.steps, t.seconds * 1e3);
        out
    }

    /// Time over error, in parts of the first level.
    fn picture(&mut self, level: &Level) -> Figure {
        let mut figure = Figure::new(
            format!("{}: work and precision", self.compiled.name),
            Axis::new("time of the run [s]").log(),
            Axis::new(format!("largest error in parts of `{}`", level.name)).log(),
        );
        for &solver in &self.args.solvers {
            let mut settings: Vec<(f64, Option<usize>)> = Vec::new();
            let tried = self.trials.iter().filter(|t| t.solver == solver);
            // Of each size the fewest iterations that are as exact as many.
            for t in tried {
                if settings.iter().all(|s| s.0 != t.size) {
                    settings.push((t.size, t.iterations));
                }
            }
            let mut points: Vec<(f64, f64)> = Vec::new();
            for (size, iterations) in settings {
                if let Some(t) = self.trial(solver, size, iterations, true) {
                    let parts = t.errors.iter().zip(&level.errors).map(|(e, l)| e / l);
                    points.push((t.seconds, parts.fold(0.0, f64::max)));
                }
            }
            points.retain(|p| p.1.is_finite() && p.1 > 0.0);
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (x, y) = points.into_iter().unzip();
            figure = figure.with(Series::new(solver.word(), x, y, Mark::LineMarkers));
        }
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names_and_numbers() {
        let found = levels("low,high=1e-5:1e-4", 2).unwrap();
        assert_eq!(found[0].errors, [1e-3, 1e-3]);
        assert_eq!(found[1].errors, [1e-5, 1e-4]);
        assert!(levels("middle", 2).unwrap_err().contains("needs numbers"));
        assert!(
            levels("low=1:2:3", 2)
                .unwrap_err()
                .contains("3 numbers for 2")
        );
        assert!(levels("low=-1", 1).is_err());
        assert_eq!(
            monitored("a, b=c")[1],
            Monitored {
                variable: "b".into(),
                column: "c".into()
            }
        );
    }
}

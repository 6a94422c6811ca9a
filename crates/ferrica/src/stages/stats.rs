//! What a run cost, as one JSON object.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use ferrica_ir::print::counted;

/// The stages in the order of the pipeline.
pub const STAGES: [&str; 7] = [
    "parse",
    "flatten",
    "structure",
    "codegen",
    "initialize",
    "simulate",
    "output",
];

/// What a run cost: seconds of each stage, and how often what was done.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?;
/// let run = model.simulate(&Experiment::default())?;
/// assert!(run.stats().steps > 0 && run.stats().states == 1);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub model: String,
    pub solver: String,
    pub stages: [Duration; STAGES.len()],
    pub start: f64,
    pub stop: f64,
    pub steps: u64,
    pub rejected_steps: u64,
    pub evaluations: u64,
    pub jacobians: u64,
    pub factorizations: u64,
    pub newton_iterations: u64,
    pub events: u64,
    pub states: u64,
    /// States that are not the derivative of another state.
    pub state_variables: u64,
    pub equations: u64,
    pub deadline_misses: u64,
    /// Further numbers of one solver only.
    pub extra: Vec<(&'static str, f64)>,
    /// Lines behind the report of the run.
    pub told: Vec<String>,
    /// Lines for `--verbose`.
    pub notes: Vec<String>,
}

impl Stats {
    /// Times what `work` does as (part of) a stage.
    ///
    /// ```
    /// let mut stats = ferrica::stages::stats::Stats::default();
    /// let sum: u64 = stats.stage("output", || (0..1000).sum());
    /// assert!(sum == 499_500 && stats.seconds("output") > 0.0);
    /// ```
    pub fn stage<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let result = work();
        self.add(name, began.elapsed());
        result
    }

    /// Adds to the time of a stage; other names than those of [`STAGES`] count nothing.
    ///
    /// ```
    /// let mut stats = ferrica::stages::stats::Stats::default();
    /// stats.add("parse", std::time::Duration::from_millis(250));
    /// assert_eq!(stats.seconds("parse"), 0.25);
    /// ```
    pub fn add(&mut self, name: &str, duration: Duration) {
        if let Some(k) = STAGES.iter().position(|s| *s == name) {
            self.stages[k] += duration;
        }
    }

    /// Adds a time that another stage measured; what is not a time counts as none.
    pub(crate) fn add_seconds(&mut self, name: &str, seconds: f64) {
        self.add(
            name,
            Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        );
    }

    /// Adds the work of another stage of the same run.
    pub(crate) fn add_work(&mut self, stage: &Stats) {
        self.steps += stage.steps;
        self.rejected_steps += stage.rejected_steps;
        self.evaluations += stage.evaluations;
        self.jacobians += stage.jacobians;
        self.factorizations += stage.factorizations;
        self.newton_iterations += stage.newton_iterations;
        self.events += stage.events;
    }

    /// Takes the work of all stages over.
    pub(crate) fn set_work(&mut self, all: &Stats) {
        self.steps = all.steps;
        self.rejected_steps = all.rejected_steps;
        self.evaluations = all.evaluations;
        self.jacobians = all.jacobians;
        self.factorizations = all.factorizations;
        self.newton_iterations = all.newton_iterations;
        self.events = all.events;
    }

    /// The stages in one line, for `--verbose`.
    ///
    /// ```
    /// let mut stats = ferrica::stages::stats::Stats::default();
    /// stats.add("parse", std::time::Duration::from_millis(250));
    /// assert!(stats.summary(std::time::Duration::from_secs(1)).contains("parse 250.0"));
    /// ```
    pub fn summary(&self, total: Duration) -> String {
        let stages: Vec<String> = STAGES
            .iter()
            .zip(&self.stages)
            .map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1e3))
            .collect();
        format!(
            "{}, {}, {}, {}, {}\n\
             milliseconds: {}, all {:.1}",
            counted(self.states as usize, "state"),
            counted(self.equations as usize, "equation"),
            counted(self.evaluations as usize, "evaluation"),
            counted(self.jacobians as usize, "Jacobian"),
            counted(self.factorizations as usize, "factorization"),
            stages.join(", "),
            total.as_secs_f64() * 1e3
        )
    }

    /// The time of a stage.
    ///
    /// ```
    /// assert_eq!(ferrica::stages::stats::Stats::default().seconds("flatten"), 0.0);
    /// ```
    pub fn seconds(&self, name: &str) -> f64 {
        STAGES
            .iter()
            .position(|s| *s == name)
            .map_or(0.0, |k| self.stages[k].as_secs_f64())
    }

    /// One object, as `--stats` writes it.
    ///
    /// ```
    /// let stats = ferrica::stages::stats::Stats { events: 3, ..Default::default() };
    /// assert!(stats.to_json().contains("\"events\": 3"));
    /// ```
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\n");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  \"model\": {},", string(&self.model));
        let _ = writeln!(out, "  \"solver\": {},", string(&self.solver));
        let stages: Vec<String> = STAGES
            .iter()
            .zip(&self.stages)
            .map(|(name, time)| format!("\"{name}\": {}", number(time.as_secs_f64())))
            .collect();
        let _ = writeln!(out, "  \"stages\": {{{}}},", stages.join(", "));
        let _ = writeln!(out, "  \"start\": {},", number(self.start));
        let _ = writeln!(out, "  \"stop\": {},", number(self.stop));
        let counters = [
            ("steps", self.steps),
            ("rejected_steps", self.rejected_steps),
            ("evaluations", self.evaluations),
            ("jacobians", self.jacobians),
            ("factorizations", self.factorizations),
            ("newton_iterations", self.newton_iterations),
            ("events", self.events),
            ("states", self.states),
            ("state_variables", self.state_variables),
            ("equations", self.equations),
            ("deadline_misses", self.deadline_misses),
        ];
        for (name, count) in counters {
            let _ = writeln!(out, "  \"{name}\": {count},");
        }
        for (name, value) in &self.extra {
            let _ = writeln!(out, "  {}: {},", string(name), number(*value));
        }
        let memory = peak_memory().map_or("null".to_owned(), |bytes| bytes.to_string());
        let _ = writeln!(out, "  \"peak_memory\": {memory}");
        out.push_str("}\n");
        out
    }
}

/// The largest amount of memory the process ever held, in bytes, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn number(value: f64) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        "null".to_owned()
    }
}

/// A text as JSON has it.
///
/// ```
/// assert_eq!(ferrica::stages::stats::string("a\tb"), "\"a\\u0009b\"");
/// ```
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_has_the_promised_words() {
        let mut stats = Stats {
            model: "a \"b\"".into(),
            solver: "bdf".into(),
            ..Stats::default()
        };
        stats.add("simulate", Duration::from_millis(250));
        stats.extra.push(("transitions", 3.0));
        let json = stats.to_json();
        assert!(json.contains("\"model\": \"a \\\"b\\\"\""));
        assert!(json.contains("\"simulate\": 0.25"));
        for word in [
            "parse",
            "steps",
            "newton_iterations",
            "peak_memory",
            "deadline_misses",
        ] {
            assert!(json.contains(&format!("\"{word}\": ")), "{word}");
        }
        assert!(json.contains("\"transitions\": 3,"));
        assert!(!json.contains(",\n}"));
    }
}

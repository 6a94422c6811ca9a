//! One cell of the table: a model through an engine, and the verdict.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::chapters::Rule;
use crate::engines::{Engine, Way};
use crate::expected::{Expectation, Outcome};
use crate::exported;
use crate::trajectory::Trajectory;

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Right,
    /// The engine says that, or why, it cannot: a code, or `usage` where the program's arguments exclude it.
    Refused(String),
    /// Another value than the closed form, another end than the expected one, a crash, a run without end: what was seen.
    Wrong(String),
    /// The engine has no way to show what the case asks for.
    Absent,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Ended {
    Well(Trajectory),
    /// Code (or `usage`; nothing in exported code) and messages.
    Told(String, String),
    Badly(String),
    Absent,
}

/// What a process may take: a case is done in a small part of it on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Codes by which an engine says that it does not have something.
const NOT_SUPPORTED: [&str; 9] = [
    "usage", "E0413", "E0601", "E0602", "E0604", "E0623", "E0624", "E0713", "E0720",
];

/// The program, and a folder for files of its runs.
#[derive(Clone, Debug)]
pub struct Bench {
    pub program: PathBuf,
    pub folder: PathBuf,
}

impl Bench {
    pub fn cell(&self, rule: &Rule, engine: &Engine) -> Cell {
        let outcome = match (&rule.outcome, engine.way) {
            (Outcome::Values(list), Way::PowerDevs) => match exported::observable(list) {
                list if list.is_empty() => return Cell::Absent,
                list => Outcome::Values(list),
            },
            (outcome, _) => outcome.clone(),
        };
        let values: &[Expectation] = match &outcome {
            Outcome::Values(list) => list,
            Outcome::Failure(..) => &[],
        };
        let mut args: Vec<&str> = vec!["--interval", "0.05"];
        if rule.args.iter().any(|a| a == "--interval") {
            args.clear();
        }
        args.extend(rule.args.iter().map(String::as_str));
        let folder = self.folder.join(rule.folder()).join(word(engine.name));
        let ended = match fs::create_dir_all(&folder)
            .and_then(|()| fs::write(folder.join("Model.mo"), &rule.model))
        {
            Ok(()) => self.ended(&folder, rule, engine, &args, values),
            Err(e) => Ended::Badly(format!("{}: {e}", folder.display())),
        };
        verdict(ended, &outcome, engine)
    }

    fn ended(
        &self,
        folder: &Path,
        rule: &Rule,
        engine: &Engine,
        args: &[&str],
        values: &[Expectation],
    ) -> Ended {
        match (engine.way, &rule.resumed) {
            (Way::Run, None) => self.run(folder, &[engine.args, args].concat()),
            (Way::Run, Some(every)) => {
                let whole = [engine.args, args].concat();
                let kept = ["--checkpoint", "state", "--every", every];
                match self.run(folder, &[&whole[..], &kept].concat()) {
                    Ended::Well(_) => {
                        self.run(folder, &[&whole[..], &["--resume", "state"]].concat())
                    }
                    other => other,
                }
            }
            (Way::C | Way::PowerDevs, Some(_)) => Ended::Absent,
            (Way::C, None) => exported::c(self, folder, &[engine.args, args].concat()),
            (Way::PowerDevs, None) => exported::powerdevs(self, folder, rule, args, values),
        }
    }

    /// `ferrica run Model.mo` in the folder.
    pub fn run(&self, folder: &Path, args: &[&str]) -> Ended {
        let fixed = ["run", "Model.mo", "--quiet", "-o", "-"];
        match self.ferrica(folder, &[&fixed, args].concat()) {
            Ok(text) => well(&text),
            Err(ended) => ended,
        }
    }

    /// What the program prints, or how it failed.
    pub fn ferrica(&self, folder: &Path, args: &[&str]) -> Result<String, Ended> {
        let mut command = Command::new(&self.program);
        command.args(args).env_remove("MODELICAPATH");
        let (code, out, messages) = process(&mut command, folder).map_err(Ended::Badly)?;
        match code {
            Some(0) => Ok(out),
            Some(1) => match coded(&messages) {
                Some(code) => Err(Ended::Told(code, messages)),
                None => Err(Ended::Badly(format!("no code: {messages}"))),
            },
            Some(2) => Err(Ended::Told("usage".into(), messages)),
            _ => Err(Ended::Badly(format!("crashed: {messages}"))),
        }
    }
}

pub fn well(csv: &str) -> Ended {
    match Trajectory::from_csv(csv) {
        Ok(found) => Ended::Well(found),
        Err(why) => Ended::Badly(why),
    }
}

/// Runs a command in a folder: exit code, standard output, standard error.
pub fn process(
    command: &mut Command,
    folder: &Path,
) -> Result<(Option<i32>, String, String), String> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let file = |path: &Path| File::create(path).map_err(|e| e.to_string());
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(|e| format!("{command:?}: {e}"))?;
    let began = Instant::now();
    let mut nap = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if began.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no end after {} s", LIMIT.as_secs()));
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(10));
    };
    let read = |path: &Path| {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok((status.code(), read(&out), read(&err)))
}

/// The code of the first error.
pub fn coded(messages: &str) -> Option<String> {
    let (_, rest) = messages.split_once("error[")?;
    let (code, _) = rest.split_once(']')?;
    Some(code.to_string())
}

fn verdict(ended: Ended, outcome: &Outcome, engine: &Engine) -> Cell {
    match (ended, outcome) {
        (Ended::Absent, _) => Cell::Absent,
        (Ended::Badly(why), _) => Cell::Wrong(short(&why)),
        (Ended::Told(code, messages), Outcome::Values(_)) => match code.is_empty() {
            true => Cell::Wrong(short(&messages)),
            false => Cell::Refused(code),
        },
        (Ended::Told(code, messages), Outcome::Failure(expected, words)) => {
            if (code == *expected || code.is_empty()) && messages.contains(words) {
                Cell::Right
            } else if NOT_SUPPORTED.contains(&code.as_str()) {
                Cell::Refused(code)
            } else {
                Cell::Wrong(short(&messages))
            }
        }
        (Ended::Well(_), Outcome::Failure(expected, _)) => {
            Cell::Wrong(format!("ends well instead of with {expected}"))
        }
        (Ended::Well(found), Outcome::Values(list)) => {
            match list
                .iter()
                .try_for_each(|e| e.check(&found, engine.promise))
            {
                Ok(()) => Cell::Right,
                Err(why) => Cell::Wrong(why),
            }
        }
    }
}

/// The first lines of a message in one line.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(200).collect()
}

/// A name as a file name.
pub fn word(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(keep).collect()
}

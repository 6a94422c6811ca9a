//! Why a run failed: its first error, and the group of failures it belongs to.

use crate::child::{End, Finished};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// `E0201`, or empty.
    pub code: String,
    /// The first error in full, with where it is.
    pub message: String,
    /// The message without names and numbers: equal for failures of one kind.
    pub group: String,
    /// The program itself failed: a panic or a crash.
    pub broken: bool,
}

pub fn diagnose(run: &Finished) -> Diagnosis {
    let lines: Vec<&str> = run.stderr.lines().collect();
    let panic = lines
        .iter()
        .position(|l| l.contains("panicked at") || l.contains("overflowed its stack"));
    if let Some(at) = panic {
        let detail = lines.get(at + 1).copied().unwrap_or("");
        let place = lines[at]
            .split("panicked at ")
            .nth(1)
            .unwrap_or(lines[at])
            .trim_end_matches(':');
        return Diagnosis {
            code: "PANIC".to_string(),
            message: format!("{place}: {detail}"),
            group: format!("PANIC {place}: {}", normalise(detail)),
            broken: true,
        };
    }
    let error = lines.iter().position(|l| l.starts_with("error"));
    match (run.end, error) {
        (End::TimeOut, _) => other("TIMEOUT", "not finished within the limit", false),
        (End::Crash, _) => {
            let last = lines.last().copied().unwrap_or("");
            let why = if last.contains("memory allocation") {
                "out of memory".to_string()
            } else {
                format!("killed by a signal ({})", normalise(last))
            };
            other("CRASH", &why, true)
        }
        (_, Some(at)) => {
            let (head, message) = lines[at].split_once(": ").unwrap_or((lines[at], ""));
            let code = head
                .strip_prefix("error[")
                .and_then(|c| c.strip_suffix(']'))
                .unwrap_or("");
            let place = lines
                .get(at + 1)
                .map(|l| l.trim())
                .filter(|l| l.starts_with("-->"))
                .unwrap_or("");
            Diagnosis {
                code: code.to_string(),
                message: format!("{message} {place}").trim_end().to_string(),
                group: format!("{code} {}", normalise(message)),
                broken: false,
            }
        }
        (End::Exit(code), None) => {
            other("EXIT", &format!("exit code {code} without an error"), true)
        }
    }
}

fn other(code: &str, why: &str, broken: bool) -> Diagnosis {
    Diagnosis {
        code: code.to_string(),
        message: why.to_string(),
        group: format!("{code} {why}"),
        broken,
    }
}

/// Quoted parts become `…`, numbers become N.
pub fn normalise(message: &str) -> String {
    let mut out = String::new();
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '`' => {
                for q in chars.by_ref() {
                    if q == '`' {
                        break;
                    }
                }
                out.push_str("`…`");
            }
            '0'..='9' => {
                while chars
                    .peek()
                    .is_some_and(|d| d.is_ascii_digit() || *d == '.' || *d == 'e')
                {
                    chars.next();
                }
                out.push('N');
            }
            c => out.push(c),
        }
    }
    if out.chars().count() > 160 {
        out = out.chars().take(160).collect::<String>() + "…";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(end: End, stderr: &str) -> Diagnosis {
        diagnose(&Finished {
            end,
            stderr: stderr.to_string(),
            seconds: 0.0,
            killed: false,
        })
    }

    #[test]
    fn failures_of_one_kind_are_one_group() {
        let a = run(
            End::Exit(1),
            "warning: x\nerror[E0201]: there is no `A.b` in 3 places\n --> f.mo:1:2\n",
        );
        let b = run(
            End::Exit(1),
            "error[E0201]: there is no `C` in 17.5 places\n",
        );
        assert_eq!(a.code, "E0201");
        assert_eq!(a.group, b.group);
        assert_eq!(a.message, "there is no `A.b` in 3 places --> f.mo:1:2");
    }

    #[test]
    fn panics_and_timeouts_are_told_apart() {
        let p = run(
            End::Exit(101),
            "thread 'main' (7) panicked at crates/a.rs:3:5:\nindex out of bounds: 7\n",
        );
        assert!(p.broken);
        assert_eq!(p.group, "PANIC crates/a.rs:3:5: index out of bounds: N");
        assert_eq!(run(End::TimeOut, "").code, "TIMEOUT");
        assert!(run(End::Crash, "").broken);
    }
}

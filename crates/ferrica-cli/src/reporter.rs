//! Messages on standard error: diagnostics with excerpts, notes, timings; colours on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use ferrica::failure::Failure;
use ferrica::stages::report::{Diagnostic, Report, Severity, SourceMap};

/// More diagnostics than this say nothing new.
const MAX_DIAGNOSTICS: usize = 50;

pub struct Reporter {
    pub sources: Arc<SourceMap>,
    pub quiet: bool,
    pub verbose: bool,
    /// Show each place where units do not fit, instead of their number.
    pub show_units: bool,
    /// Diagnostics are kept here instead of being shown.
    pub collected: Option<Vec<Diagnostic>>,
    color: bool,
    errors: usize,
    warnings: usize,
    /// Errors, and other messages: warnings do not hide an error behind them.
    shown: [usize; 2],
}

/// May text on this stream have colours? Not if `NO_COLOR` is set or it is not a terminal.
pub fn wants_color(is_terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
        || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    is_terminal && !refused
}

impl Reporter {
    pub fn new(quiet: bool, verbose: bool) -> Reporter {
        Reporter {
            sources: Arc::new(SourceMap::new()),
            quiet,
            verbose,
            show_units: false,
            collected: None,
            color: wants_color(io::stderr().is_terminal()),
            errors: 0,
            warnings: 0,
            shown: [0; 2],
        }
    }

    /// Shows diagnostics; warnings not if the user wants quiet.
    pub fn diagnostics<'a>(&mut self, diagnostics: impl IntoIterator<Item = &'a Diagnostic>) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => {}
            }
            if let Some(list) = &mut self.collected {
                list.push(diagnostic.clone());
                continue;
            }
            if self.quiet && !diagnostic.is_error() {
                continue;
            }
            let (shown, further) = match diagnostic.is_error() {
                true => (&mut self.shown[0], "… further errors are not shown"),
                false => (&mut self.shown[1], "… further warnings are not shown"),
            };
            *shown += 1;
            let shown = *shown;
            if shown == MAX_DIAGNOSTICS + 1 {
                self.line(further);
            }
            if shown <= MAX_DIAGNOSTICS {
                let text = self.sources.render(diagnostic);
                let text = if self.color {
                    paint(&text, diagnostic.severity)
                } else {
                    text
                };
                self.line(text.trim_end());
            }
        }
    }

    /// Shows where units do not fit, or only how often.
    fn show_where_units_do_not_fit(&mut self, warnings: &[Diagnostic]) {
        match warnings.len() {
            0 => {}
            _ if self.show_units => self.diagnostics(warnings),
            1 => self.warning("units do not fit in one place; `ferrica check` shows it"),
            n => self.warning(&format!(
                "units do not fit in {n} places; `ferrica check` shows them"
            )),
        }
    }

    /// A sentence for the user, not if quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// Are details shown? For those that take time to find out.
    pub fn wants_details(&self) -> bool {
        self.verbose && !self.quiet
    }

    /// A sentence for those who asked for details.
    pub fn detail(&self, text: &str) {
        if self.wants_details() {
            self.line(text);
        }
    }

    pub fn warning(&mut self, text: &str) {
        self.warnings += 1;
        if !self.quiet {
            let head = self.painted("33;1", "warning");
            self.line(&format!("{head}: {text}"));
        }
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.errors, self.warnings)
    }

    pub fn failure(&mut self, failure: &Failure) {
        match failure {
            Failure::Answered => {}
            Failure::Model(diagnostics) => self.diagnostics(diagnostics),
            Failure::Io(message) => {
                let head = self.painted("31;1", "error");
                self.line(&format!("{head}: {message}"));
            }
            Failure::Usage {
                code,
                message,
                hint,
            } => {
                let code = code.map_or_else(String::new, |code| format!("[{code}]"));
                let head = self.painted("31;1", &format!("error{code}"));
                self.line(&format!("{head}: {message}"));
                if let Some(hint) = hint {
                    let head = self.painted("36", "help");
                    self.line(&format!("  {head}: {hint}"));
                }
            }
        }
    }

    /// A text that is an error already.
    pub fn error(&self, text: &str) {
        self.line(text.trim_end());
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    fn line(&self, text: &str) {
        // Nobody listens: nothing to do about it.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

impl Report for Reporter {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.sources)
    }

    fn diagnostics(&mut self, list: &[Diagnostic]) {
        Reporter::diagnostics(self, list);
    }

    fn units(&mut self, list: &[Diagnostic]) {
        self.show_where_units_do_not_fit(list);
    }
}

/// Adds colours to a rendered diagnostic.
fn paint(text: &str, severity: Severity) -> String {
    let strong = match severity {
        Severity::Error => "31;1",
        Severity::Warning => "33;1",
        Severity::Note => "36;1",
    };
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        if i == 0 {
            let (head, rest) = line.split_once(": ").unwrap_or((line, ""));
            out += &format!("\x1b[{strong}m{head}\x1b[0m\x1b[1m: {rest}\x1b[0m\n");
            continue;
        }
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("--> ") {
            let gutter = &line[..line.len() - trimmed.len()];
            out += &format!("{gutter}\x1b[34m-->\x1b[0m {rest}\n");
        } else if let Some(hint) = trimmed.strip_prefix("help: ") {
            out += &format!("  \x1b[36mhelp\x1b[0m: {hint}\n");
        } else if let Some((gutter, rest)) = line.split_once('|') {
            let number = gutter.trim();
            if number.is_empty() || number.bytes().all(|b| b.is_ascii_digit()) {
                let caret = rest.trim_start().starts_with('^');
                let rest = if caret {
                    format!("\x1b[{strong}m{rest}\x1b[0m")
                } else {
                    rest.to_owned()
                };
                out += &format!("\x1b[34m{gutter}|\x1b[0m{rest}\n");
            } else {
                out += &format!("{line}\n");
            }
        } else {
            out += &format!("{line}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica::stages::report::Span;

    #[test]
    fn colours_do_not_change_the_text() {
        let sources = SourceMap::new();
        let file = sources.add("a.mo", "model A\n  Real x = y;\nend A;\n");
        let diagnostic = Diagnostic::error("E0201", Span::new(file, 19, 20), "`y` is not found")
            .with_hint("declare it");
        let plain = sources.render(&diagnostic);
        let painted = paint(&plain, Severity::Error);
        assert!(painted.contains("\x1b[31;1merror[E0201]\x1b[0m"));
        let mut stripped = String::new();
        let mut rest = painted.as_str();
        while let Some(at) = rest.find('\x1b') {
            stripped += &rest[..at];
            rest = &rest[at..];
            rest = &rest[rest.find('m').unwrap() + 1..];
        }
        stripped += rest;
        assert_eq!(stripped, plain);
    }
}

//! What is wrong with a text: syntax at once, everything that `ferrica check` finds after a pause.
//!
//! The checks run on a thread of their own, always on the newest text, the class of the last change first; a text that has changed
//! meanwhile is not reported on.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ferrica::options::ModelOptions;
use ferrica::sources::checking::{Findings, check as check_model};
use ferrica_classes::ClassId;
use ferrica_ir::{Diagnostic as Message, FileId, Severity, SourceMap, Span};
use ferrica_syntax::ast::ClassKind;
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location,
    NumberOrString, Uri,
};

use crate::analysis::Analysis;
use crate::documents::uri_of;
use crate::position::Text;
use crate::world::World;

/// How long the text must rest before it is checked.
const PAUSE: Duration = Duration::from_millis(60);
/// Checks of one text stop here; the classes that are left wait for its next rest.
const LONGEST: Duration = Duration::from_secs(5);

/// A text to check.
pub struct Job {
    pub uri: Uri,
    pub version: i32,
    pub path: std::path::PathBuf,
    pub text: Text,
    pub world: World,
    /// The byte of the last change.
    pub at: usize,
}

/// Checks the newest of the jobs that have come, one after the other; `publish` takes the messages.
pub fn work(jobs: &Receiver<Job>, publish: impl Fn(&Uri, i32, Vec<Diagnostic>)) {
    let mut waiting: Vec<Job> = Vec::new();
    let add = |waiting: &mut Vec<Job>, job: Job| {
        waiting.retain(|w| w.uri != job.uri);
        waiting.push(job);
    };
    loop {
        match jobs.recv_timeout(if waiting.is_empty() {
            Duration::MAX
        } else {
            PAUSE
        }) {
            Ok(job) => {
                add(&mut waiting, job);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if waiting.is_empty() {
            continue;
        }
        let job = waiting.remove(0);
        let mut outdated = || {
            jobs.try_iter().for_each(|newer| add(&mut waiting, newer));
            waiting.iter().any(|w| w.uri == job.uri)
        };
        if let Some(found) = check(&job, &mut outdated) {
            publish(&job.uri, job.version, found);
        }
    }
}

/// Mistakes of syntax alone.
pub fn syntax(path: &Path, text: &Text) -> Vec<Diagnostic> {
    let sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text.content.as_str());
    let (_, errors) = ferrica_syntax::parse_tree(file, &text.content);
    let whole = Span::new(file, 0, 0);
    let shown = errors.iter().map(|e| shown(e, file, text, &sources, whole));
    shown.collect()
}

/// All that `ferrica check` says of the models that the text declares; nothing if that is of no interest any more.
fn check(job: &Job, outdated: &mut dyn FnMut() -> bool) -> Option<Vec<Diagnostic>> {
    let mut found = syntax(&job.path, &job.text);
    if !found.is_empty() {
        return Some(found);
    }
    let analysis = Analysis::new(&job.path, &job.text.content, &job.world);
    let mut classes = analysis.all_classes();
    let last = analysis.class_at(job.at);
    classes.sort_by_key(|c| Some(*c) != last);
    let clock = Instant::now();
    for class in classes {
        let def = analysis.library.def(class);
        let runs = matches!(
            def.kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class
        );
        if !runs || def.partial || clock.elapsed() > LONGEST {
            continue;
        }
        if outdated() {
            return None;
        }
        let findings = check_model(&options(job, &analysis, class));
        for d in told(job, &findings, def.name_span) {
            if !found.contains(&d) {
                found.push(d);
            }
        }
    }
    // A mistake in a model is told once, not again for each other model of the text that has it as a component.
    let own = found.clone();
    found.retain(|d| !own.iter().any(|o| is_again(d, o)));
    Some(found)
}

/// Is it the same message, seen through a component?
fn is_again(d: &Diagnostic, first: &Diagnostic) -> bool {
    let head = |d: &'_ Diagnostic| d.message.lines().next().unwrap_or_default().to_owned();
    let through = |text: &str| text.starts_with(" (in `") || text.starts_with("; the same ");
    (&d.code, d.range) == (&first.code, first.range)
        && head(d).strip_prefix(&head(first)).is_some_and(through)
}

/// What the compiler is asked: as `ferrica check FILE -m CLASS`, with the text of the editor.
pub fn options_for(path: &Path, text: &str, world: &World, model: String) -> ModelOptions {
    // A text that is in no file yet is given as such.
    let in_file = path.is_file();
    ModelOptions {
        file: Some(path.to_path_buf()),
        text: (!in_file).then(|| text.to_owned()),
        model: Some(model),
        libs: world.folders(path),
        quiet: true,
        cache: Some(std::sync::Arc::clone(&world.cache)),
        ..ModelOptions::default()
    }
}

fn options(job: &Job, analysis: &Analysis, class: ClassId) -> ModelOptions {
    let model = analysis.library.full_name(class);
    options_for(&job.path, &job.text.content, &job.world, model)
}

/// The messages at their places in the text.
fn told(job: &Job, findings: &Findings, at_name: Span) -> Vec<Diagnostic> {
    let sources = &findings.sources;
    let name = job.path.display().to_string();
    let list = findings.diagnostics.iter();
    list.map(|d| {
        let here = sources.get(d.span.file).is_some_and(|f| f.name == name);
        let file = if here { d.span.file } else { FileId(u32::MAX) };
        shown(d, file, &job.text, sources, at_name)
    })
    .collect()
}

/// A message at its place in the text, which is `file`; one about another file is at the name of the class.
fn shown(d: &Message, file: FileId, text: &Text, sources: &SourceMap, at_name: Span) -> Diagnostic {
    let here = d.span.file == file && !d.span.is_none();
    let span = if here { d.span } else { at_name };
    let elsewhere = (!here).then(|| (d.span, String::from("here")));
    let places = elsewhere.iter().chain(&d.related);
    let related = places.filter_map(|(span, label)| {
        let (source, _) = sources.line_col(*span)?;
        let uri = uri_of(Path::new(&source.name)).filter(|_| Path::new(&source.name).is_file())?;
        let of = Text::new(source.text.to_string(), text.encoding());
        let range = of.range(span.start as usize, span.end as usize);
        Some(DiagnosticRelatedInformation {
            location: Location::new(uri, range),
            message: label.clone(),
        })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: text.range(span.start as usize, span.end as usize),
        severity: Some(match d.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(d.code.to_string())),
        code_description: None::<CodeDescription>,
        source: Some("ferrica".into()),
        message: match &d.hint {
            Some(hint) => format!("{}\nhelp: {hint}", d.message),
            None => d.message.clone(),
        },
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}
